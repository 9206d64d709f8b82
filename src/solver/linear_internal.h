// Structs of the linear solver, a multigrid level and the solver, and the calls between its files.
#ifndef SOLVER_LINEAR_INTERNAL_H
#define SOLVER_LINEAR_INTERNAL_H

#include "linear.h"

enum {
    LINEAR_MAX_LEVELS = 32,
    LINEAR_SCRATCH_ROWS = 26,
    // Largest side [cells] of the coarsest level: with alpha; without alpha, when one factorisation serves
    // many solves; and with more than LINEAR_MANY_TERMS terms, each of which costs a direct solve.
    LINEAR_COARSEST_SIDE = 12,
    LINEAR_COARSEST_SIDE_FIXED = 48,
    LINEAR_COARSEST_SIDE_TERMS = 24,
    LINEAR_MANY_TERMS = 24,
    LINEAR_MAX_DIRECT_SIDE = 128, // the same where coarsening would merge separate regions
    LINEAR_SUMS = 4,              // reductions per row
    LINEAR_SWEEPS = 4             // smoothing sweeps before and after the coarse correction
};
enum { LINEAR_OPEN_WEST = 1, LINEAR_OPEN_SOUTH = 2 }; // bits of open_faces

// One multigrid level; level 0 is the finest. Coefficients of closed faces and of faces of inactive cells
// are 0. A function that writes a row of x or z also sets the ghost cells before and after it: to the
// opposite end of the row where x is periodic, to 0 otherwise, which is the value of a Dirichlet side.
struct linear_level {
    struct grid g;
    bool periodic_x, periodic_z;
    float boundary_factor[LINEAR_SIDES]; // as in struct linear_system, for the cell size of this level
    int block_rows;                      // rows of one block of parallel work, even
    float *coef_x, *coef_z;              // beta of west and south faces      assemble_rows, coarsen_rows
    float *alpha;                        // coarse: sum over the fine cells   assemble_rows, coarsen_rows
    float *inv_diagonal;                 // 1/(alpha + sum of beta), 0 if inactive    invert_diagonal_rows
    float *interp_x, *interp_z;          // interpolation weight across a face, 0 .. 1/4       interp_rows
    float *r, *x, *z;                    // right-hand side, pre-smoothed x, result z          smooth_rows
    float omega[LINEAR_SWEEPS];          // relaxation factors of the Chebyshev sweeps
    float omega_single;                  // relaxation factor of a single sweep
};

// Face coefficients of the five-point stencil, from one cell of a row on. As separate pointers in a struct
// they let clang vectorise loops (see wave_rows.c).
struct stencil_coefs {
    const float *west, *east, *south, *north;
};
static inline struct stencil_coefs stencil_coefs_at(const struct linear_level *l, size_t cell)
{
    return (struct stencil_coefs){l->coef_x + cell, l->coef_x + cell + 1, l->coef_z + cell,
                                  l->coef_z + cell + l->g.stride};
}

struct linear_rows_kernels;
struct multigrid_kernels;
struct banded_ldlt;
struct linear_deflation;
struct linear_coarse_terms;

struct linear_solver {
    const struct linear_kind *kind;
    struct memory memory;
    struct parallel *pool;
    const struct linear_rows_kernels *kernels;
    const struct multigrid_kernels *mg_kernels;
    int levels;
    int coarsest; // the level that is solved directly
    struct linear_level level[LINEAR_MAX_LEVELS];
    struct banded_ldlt *coarse; // matrix of the coarsest level; NULL for kinds without levels
    bool has_alpha;
    bool has_dirichlet_side; // some boundary_factor > 0
    const struct low_rank_term *terms;
    int term_count;
    double max_term_strength;                 // of the strongest term, see low_rank_strength()
    struct linear_deflation *deflation;       // NULL before the first system with terms
    struct linear_coarse_terms *coarse_terms; // NULL before the first system with terms
    float *checkerboard;                      // 1 0 1 0 ...: colours of a row
    float *scratch;                           // LINEAR_SCRATCH_ROWS rows for each block
    size_t scratch_count;
    double *row_sums;          // reductions, LINEAR_SUMS per row
    unsigned char *open_faces; // cell: LINEAR_OPEN_* bits, valid during setup
    // Cell -> number of its singular region; 0 for inactive cells and regions that are not singular. Not set
    // if single_singular.
    uint32_t *region;
    uint32_t singular_count; // regions with a constant null vector, numbered from 1
    bool single_singular;    // all active cells form one region, and it is singular
    size_t active_count;     // active cells
    // Vectors of a solve, in the layout of the finest level. The residual is not updated recursively: every
    // iteration computes b - A x from x in double precision.
    double *b; // right-hand side without its means; minus the low-rank terms of x during a solve
    union {    // one array for uses that do not overlap
        double *region_is_fixed; // setup: 1 at the root of a region whose constant is fixed
        double *b_of_terms;      // solve: b in the cells of terms, while b is reduced by them
        double *region_sums;     // solve: sum and number of cells of each singular region
    };
    float *p[2];         // search directions, previous and current
    int p_current;       // index of the current one
    double *block_edges; // first and last row of x of every block, before an update
    double b_norm;       // |b|
    double max_residual; // maximum of |b - A x| over cells, infinite before it is known
    double scale;        // r = scale (b - A x): the mean square of scale b is about 1, so that float suffices
    bool x_is_zero;      // x counts as 0 whatever the array contains
    bool single_presweep;  // the next V-cycle uses one pre-smoothing sweep
    double x_sum, x_norm2; // sum of x, |x|^2
    double z_mean;         // mean of z to be removed in the first update from x = 0, else 0
};

// x += step p; the new residual, scaled, goes to level[0].r. Returns |b - A x|. With p == NULL: x -= step in
// active cells and x = 0 in the others.
double linear_update_x(struct linear_solver *s, const float *p, double step, double *x);

// New search direction p = z + beta p with the z of the finest level. Returns p . A p.
double linear_update_direction(struct linear_solver *s, double beta);

// Low-rank terms in the operator. low_rank_save_rhs saves b in the cells of terms; low_rank_update_rhs sets
// b minus the terms applied to the x after the update m; low_rank_energy is the terms' part of p . A p.
struct linear_update;
void low_rank_save_rhs(struct linear_solver *s);
void low_rank_update_rhs(struct linear_solver *s, const struct linear_update *m);
double low_rank_energy(const struct linear_solver *s, const float *p);

// Low-rank terms in the preconditioner. low_rank_setup puts them into the V-cycle or deflates them,
// depending on their strength; it returns false without memory.
bool low_rank_setup(struct linear_solver *s);
void low_rank_free(struct linear_solver *s);
// Estimate of the largest w J^T A^-1 J, A without terms, from the finest level; and whether the V-cycle may
// contain terms of that strength.
double low_rank_strength(const struct linear_solver *s);
bool low_rank_is_weak(const struct linear_solver *s);
// The preconditioner takes account of all terms, or there are none.
bool low_rank_is_preconditioned(const struct linear_solver *s);
// Adds the A-DEF2 correction to level[0].z and returns its part of r . z; 0 if nothing is deflated.
double deflation_correct(struct linear_solver *s);
// Sets level[0].z = Z E^-1 Z^T r. After that step Z^T r = 0, which deflated conjugate gradients require at
// the start. Returns false if nothing is deflated.
bool deflation_start(struct linear_solver *s);

// Woodbury formula on the coarsest level. coarse_terms_solve computes y = (W^-1 + J^T A^-1 J)^-1 J^T A^-1 r
// from solution = A^-1 r, and returns false if there are no terms or the matrix contains them;
// coarse_terms_subtract sets r -= J y.
bool coarse_terms_solve(struct linear_solver *s, const double *solution);
void coarse_terms_subtract(const struct linear_solver *s, double *r);

// Low-rank terms inside the V-cycle. cycle_terms_restrict corrects the right-hand side of level n + 1 after
// pre-smoothing on level n; cycle_terms_prolong corrects that of level n before post-smoothing;
// cycle_terms_dot is their part of r . z at the end.
bool cycle_has_terms(const struct linear_solver *s);
// Called when the V-cycle was not positive definite: until the next setup only the coarsest level contains
// the terms. Returns false if that was the case before.
bool cycle_drop_terms(struct linear_solver *s);
void cycle_terms_restrict(struct linear_solver *s, int n);
void cycle_terms_prolong(struct linear_solver *s, int n);
double cycle_terms_dot(const struct linear_solver *s);

// Direct solve of the coarsest level (coarse_solve.c). coarse_create allocates for level l with any boundary
// condition; destroy accepts a partly created solver.
bool coarse_create(struct linear_solver *s, struct linear_level *l);
void coarse_destroy(struct linear_solver *s);
// Sets size and bandwidth of the matrix for level l. Returns false without memory.
bool coarse_reserve(struct linear_solver *s, const struct linear_level *l);
// Assembles the matrix again, not factored, with a larger bandwidth for terms. Without memory it returns
// false and changes nothing.
bool coarse_widen_band(struct linear_solver *s, int bandwidth);
// Assembles and factors the matrix unless that is done.
void coarse_factor(struct linear_solver *s);
// z = A^-1 r on the coarsest level, A with its terms. Returns r . z.
double coarse_solve(struct linear_solver *s);
// The unknown number of the first cell of row j.
int coarse_row_start(const struct linear_level *l, int j);

// Finds the connected regions of the finest level whose constants are null vectors. alpha_count: active
// cells with alpha > 0.
void null_space_find(struct linear_solver *s, size_t alpha_count);

// Removes the mean of v in every numbered singular region. Overwrites region_sums.
void null_space_remove_means(struct linear_solver *s, double *v);

// Sum of reduction number `slot`, 0 .. LINEAR_SUMS-1, over the rows in order.
double linear_add_rows(const struct linear_solver *s, int slot);

// z = r/diagonal on the finest level. Returns r . z.
double linear_jacobi_precondition(struct linear_solver *s);

// Adds a level of nx x nz cells. Returns false without memory.
bool linear_add_level(struct linear_solver *s, int nx, int nz);

// Two red-black Gauss-Seidel sweeps on the finest level from x (NULL: 0) to out.
void multigrid_red_black(struct linear_solver *s, const float *x, float *out);

// Scratch rows of the block that starts at row j0 of level l.
static inline float *linear_block_scratch(const struct linear_solver *s, const struct linear_level *l, int j0)
{
    return s->scratch + (size_t)(j0 / l->block_rows) * LINEAR_SCRATCH_ROWS * l->g.stride;
}

// Offset in block_edges of the copy of row j of x before an update; j is the first or last row of a block.
static inline size_t linear_block_edge(const struct linear_level *l, int j)
{
    return (size_t)(2 * (j / l->block_rows) + (j % l->block_rows != 0)) * (size_t)l->g.nx;
}

#endif
