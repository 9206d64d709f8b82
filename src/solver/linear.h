// Interface of the linear solvers: symmetric systems on the cells of a grid, matrix-free,
//
//     (A x)_c = alpha_c x_c + sum over four faces beta_f (x_c - x_n) + sum_t w_t J_t (J_t . x)
//
//                beta_z[c+stride]
//               +-------+
//     beta_x[c] |  x_c  | beta_x[c+1]        a face with beta = 0 is closed
//               +-------+
//                beta_z[c]
//
// that is alpha x - div(beta grad x) plus low-rank terms w J J^T. A is symmetric and positive semidefinite.
// In a connected region of cells with alpha = 0 and no Dirichlet side the constant is a null vector: the
// mean of b over the region is removed, and the mean of x is 0.
//
// Results have the same bits for any number of threads: sums are taken row by row, and the rows are added in
// order.
#ifndef SOLVER_LINEAR_H
#define SOLVER_LINEAR_H

#include "base/grid.h"
#include "base/parallel/parallel.h"

enum { LINEAR_WEST, LINEAR_EAST, LINEAR_SOUTH, LINEAR_NORTH, LINEAR_SIDES };

// A rank-one term w J J^T with a sparse vector J.
struct low_rank_term {
    double weight;        // w >= 0
    int count;            // nonzeros of J
    const size_t *cells;  // their grid indices (grid_at), each once; inactive cells are ignored
    const double *values; // J in these cells
};

// The coefficients of a system, in the grid's layout. NULL stands for 1 everywhere (active, beta) or 0
// everywhere (alpha). Coefficients are 0 or within 1e-20 .. 1e20, because the solvers store them in single
// precision.
struct linear_system {
    const unsigned char *active; // cell: 0 means not part of the system; x is 0 there
    const float *alpha;          // cell
    const float *beta_x;         // west face; [grid_at(nx, j)] is on the east side
    const float *beta_z;         // south face; row nz is the north side of the grid
    bool periodic_x, periodic_z; // the faces of a side connect to the cells of the opposite side
    // Boundary condition of a side that is not periodic, as a factor of beta on its faces: 0 homogeneous
    // Neumann, 1 x = 0 at the centre of the ghost cell, 2 x = 0 on the side itself (Dirichlet).
    float boundary_factor[LINEAR_SIDES];
    const struct low_rank_term
        *terms; // borrowed until the next linear_setup; the arrays above during linear_setup only
    int term_count;
};

struct linear_report {
    int iterations;        // or sweeps
    double residual;       // |b - A x|/|b|, b without its means, from the final x in double; 0 for b = 0
    double start_residual; // the same for the initial x
    double solution_norm;  // |x|, before its means are removed
};

struct linear_solver;

// A method of solution: one row of the table in linear.c.
struct linear_kind {
    const char *name, *help;
    int max_iterations;  // default limit
    bool supports_terms; // accepts low-rank terms
    // Allocates what the method needs beyond the finest level; may be NULL. destroy accepts a partly created
    // solver.
    bool (*create)(struct linear_solver *s);
    void (*destroy)(struct linear_solver *s);
    void (*setup)(struct linear_solver *s);
    // Applies the preconditioner, level[0].z = M^-1 level[0].r, and returns r . z. NULL: a stationary
    // iteration.
    double (*precondition)(struct linear_solver *s);
    // The preconditioner is close to A^-1: a step of unit length is safe, and deflating strong terms pays.
    bool is_near_inverse;
    // Makes about `sweeps` sweeps on A z = level[0].r from z = 0 into level[0].z; returns their number.
    int (*relax)(struct linear_solver *s, int sweeps);
};

// The kinds in the order of the table, the default first. NULL after the last one, or for an unknown name.
const struct linear_kind *linear_kind_at(int index);
const struct linear_kind *linear_kind_find(const char *name);

// Creates a solver for a grid of at least 1 x 1 cells; NULL without memory. It allocates all its memory
// here, about 80 bytes a cell; only for low-rank terms, and for domains that need a larger direct solve,
// linear_setup allocates more and keeps it. m and pool must outlive the solver.
struct linear_solver *linear_create(const struct memory *m, struct parallel *pool,
                                    const struct linear_kind *kind, const struct grid *g);
void linear_destroy(struct linear_solver *s);

// Prepares the solver for a system; to be called again whenever a coefficient has changed.
// TARN_BAD_ARGUMENT: the kind does not support terms. TARN_NO_MEMORY: the solver must not be used before the
// next successful linear_setup.
tarn_result linear_setup(struct linear_solver *s, const struct linear_system *system);

// Stopping criteria.
struct linear_tolerance {
    double relative;     // |b - A x| <= relative |b|
    double max_residual; // and |b - A x| <= max_residual in every cell; 0: not checked
    int max_iterations;  // 0: the default of the kind
};

// Solves A x = b from the initial guess x. Vectors are doubles in the grid's layout (linear_alloc_vector);
// ghost cells are neither read nor written. `jacobi` and `gauss-seidel` compute the residual once in 48
// sweeps only, because it costs as much as several sweeps.
void linear_solve(struct linear_solver *s, const double *b, double *x, struct linear_tolerance tolerance,
                  struct linear_report *report);

// Allocates a vector of zeros; NULL without memory.
double *linear_alloc_vector(const struct grid *g, const struct memory *m);
void linear_free_vector(const struct grid *g, const struct memory *m, double *v);

#endif
