// What the parts of the linear solver share: the grid of a level with its weights, and the solver itself.
#ifndef FLUID_LINEAR_LEVEL_H
#define FLUID_LINEAR_LEVEL_H

#include "linear.h"

enum {
    LINEAR_MAX_LEVELS = 32,
    LINEAR_SCRATCH_ROWS = 26,
    LINEAR_COARSEST_SIDE = 12,
    LINEAR_COARSEST_SIDE_FIXED = 48, // where the system stays the same and the bottom's factor is found once
    LINEAR_COARSEST_SIDE_TERMS =
        24, // where it has more than LINEAR_CROWD terms, each of which is solved for there
    LINEAR_MANY_TERMS = 24,
    LINEAR_MAX_DIRECT_SIDE = 128,
    LINEAR_SUMS = 4,
    LINEAR_SWEEPS = 4
};
enum { LINEAR_OPEN_WEST = 1, LINEAR_OPEN_SOUTH = 2 }; // marks of a cell: which of its faces are open

// One level, the finest one first. Weights of closed faces and of faces at closed cells are 0. Whoever writes a row of x
// or z sets the cells before and after it: to the other end of the row where x is periodic, else they stay 0. That is
// also the value beyond a side that leads out.
struct linear_level {
    struct grid g;
    bool periodic_x, periodic_z;
    float boundary_factor[LINEAR_SIDES]; // as in struct linear, in cells of this level
    int block_rows;                      // rows of one block of parallel work, even
    float *coef_x, *coef_z;              // weights of faces, sides included          weigh_rows, coarsen_rows
    float *alpha;                        // sum over the cells of a coarse one        weigh_rows, coarsen_rows
    float *inv_diagonal;                 // 1/(alpha + weights), 0 where not open     invert_rows
    float *interp_x,
        *interp_z;              // how far cells beyond a face join in interpolation: 0 .. 1/4   share_rows
    float *r, *x, *z;           // right-hand side, pre-smoothed, result     smooth_rows
    float omega[LINEAR_SWEEPS]; // how far each sweep of a cycle goes
    float omega_single;         // and a sweep that is alone
};

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
    int coarsest; // the level that is solved at once
    struct linear_level level[LINEAR_MAX_LEVELS];
    struct banded_ldlt *coarse; // of the coarsest level; NULL for kinds without levels
    bool has_alpha;
    bool has_dirichlet_side; // through one of its sides
    const struct low_rank_term *terms;
    int term_count;
    double max_term_strength;           // of the strongest of them, see linear_terms_strength()
    struct linear_deflation *deflation; // of terms; NULL before there were any
    struct linear_coarse_terms *coarse_terms;
    float *checkerboard; // 1 0 1 0 ...: the colours of a row
    float *scratch;      // rows of blocks that run at the same time, LINEAR_SCRATCH_ROWS each
    size_t scratch_count;
    double *row_sums;          // LINEAR_SUMS a row
    unsigned char *open_faces; // cell: open faces, while a system is prepared
    uint32_t *
        region; // cell -> its region unless `whole`, 0 for cells that are not open or whose region is not singular
    uint32_t singular_count; // singular ones, numbered from 1
    bool single_singular;    // one region, and all open cells are in it
    size_t active_count;     // cells
    // Solving, in the layout of the finest level. b is less its means, norm is |b|. The residual is never carried along:
    // it is what x leaves, in every iteration.
    double *b, *workspace; // work: of regions and terms
    float *p[2];           // directions of search
    int p_current;         // the last of them
    double *block_edges;   // first and last row of x of every block, before a move
    double b_norm;
    double max_residual; // the largest |b - A x| of a cell, infinite before it is known
    double scale; // what makes numbers of any size fit for float: right-hand sides have a mean square near 1
    bool x_is_zero;        // x counts as 0
    bool single_presweep;  // a step of its own is asked for: one sweep on the way down will do
    double x_sum, x_norm2; // sums of x and x^2
    double z_mean;         // of z, where a first step from 0 should lose it at once; else 0
};

// x += a p on cells; what that leaves: |b - A x|, and scaled into level[0].r. p NULL: x less `a`, and 0 in cells that are
// not open, instead.
double linear_update_x(struct linear_solver *s, const float *p, double a, double *x);

// A new p = z + beta p with the finest level's z; the sum of p A p.
double linear_update_direction(struct linear_solver *s, double beta);

// Terms on their way through a move: they are taken off b, which linear_terms_begin has kept. And the part of p A p that
// they make.
struct linear_update;
void low_rank_save_rhs(struct linear_solver *s);
void low_rank_update_rhs(struct linear_solver *s, const struct linear_update *m);
double low_rank_energy(const struct linear_solver *s, const float *p);

// Deflation of terms: false without memory; the part of it in level[0].z after a cycle, and what r z gains; whether there
// is any, or need of it.
bool low_rank_setup(struct linear_solver *s);
// About what the strongest term adds to an eigenvalue of 1, from the finest level; and whether cycles may know such terms.
double low_rank_strength(const struct linear_solver *s);
bool low_rank_is_weak(const struct linear_solver *s);
void low_rank_free(struct linear_solver *s);
double deflation_correct(struct linear_solver *s);
// A step in level[0].z that leaves nothing for Z to see: deflated conjugate gradients must begin so. False if nothing is deflated.
bool deflation_start(struct linear_solver *s);
bool low_rank_is_preconditioned(const struct linear_solver *s);

// On the coarsest level: what terms make of A^-1 r, false if there are none; and take that off r.
bool coarse_terms_solve(struct linear_solver *s, const double *found);
void coarse_terms_subtract(const struct linear_solver *s, double *r);

// Terms as a part of a cycle, where it knows them: after the sweeps on level n on the way down, what they take of the coarser
// level's right-hand side; before those on the way up, what they take of its own; and at the end what that is of r z.
bool cycle_has_terms(const struct linear_solver *s);
// A cycle was not positive: from now on, until the next prepare, only the coarsest level knows. False if that was so.
bool cycle_drop_terms(struct linear_solver *s);
void cycle_terms_restrict(struct linear_solver *s, int n);
void cycle_terms_prolong(struct linear_solver *s, int n);
double cycle_terms_dot(const struct linear_solver *s);

// Number of the first cell of row j among the unknowns of the coarsest level; its system, unfactored, in a wider band; and factored
// unless it is already.
int coarse_row_start(const struct linear_level *l, int j);
bool coarse_widen_band(struct linear_solver *s, int band);
void coarse_factor(struct linear_solver *s);

// Regions of a prepared finest level; how many cells have alpha.
void null_space_find(struct linear_solver *s, size_t held);

// Take the mean off in every singular region, where there are several. Writes work.
void null_space_remove_means(struct linear_solver *s, double *v);

// A sum of s->sums, 0 .. LINEAR_SUMS-1, rows in order.
double linear_add_rows(const struct linear_solver *s, int which);

// z = r/diagonal on the finest level; the sum of r z.
double linear_jacobi_precondition(struct linear_solver *s);

// One more level; false without memory.
bool linear_add_level(struct linear_solver *s, int nx, int nz);

// Two red-black sweeps on the finest level from `x` (NULL: 0) to `out`, both its fields.
void multigrid_red_black(struct linear_solver *s, const float *x, float *out);

// A V-cycle needs rows for its blocks.
static inline float *linear_block_scratch(const struct linear_solver *s, const struct linear_level *l, int j0)
{
    return s->scratch + (size_t)(j0 / l->block_rows) * LINEAR_SCRATCH_ROWS * l->g.stride;
}

// The copy of row j, the first or last of a block, of x before it is moved.
static inline double *linear_block_edge(const struct linear_level *l, const double *edge, int j)
{
    return (double *)edge + (size_t)(2 * (j / l->block_rows) + (j % l->block_rows != 0)) * (size_t)l->g.nx;
}

#endif
