// Linear systems on the cells of a grid, solved without a matrix:
//
//     (A x)_c = alpha_c x_c + sum over four faces beta_f (x_c - x_n) + sum_r c_r J_r (J_r . x)
//
//                beta_z[c+stride]
//               +-------+
//     beta_x[c] |  x_c  | beta_x[c+1]        a face of weight 0 is closed
//               +-------+
//                beta_z[c]
//
// A is symmetric and never negative. Regions of connected cells in which alpha is 0 and from which no face leads out
// of the grid know x up to a constant only: there b is taken less its mean, and x comes back with mean 0.
//
// The same bits for any number of threads: sums are taken row by row, rows in order.
#ifndef FLUID_LINEAR_H
#define FLUID_LINEAR_H

#include "base/grid.h"
#include "base/parallel.h"

enum { LINEAR_WEST, LINEAR_EAST, LINEAR_SOUTH, LINEAR_NORTH, LINEAR_SIDES };

// c J J^T with a J that is 0 in all but a few cells.
struct low_rank_term {
    double weight;        // not negative
    int count;            // cells of J
    const size_t *cells;  // their indices (grid_at), each once; cells that are not open are left out
    const double *values; // J there
};

// A system. Arrays have the grid's layout; those that are NULL hold 1 everywhere, but alpha 0. Weights are 0 or within
// 1e-20 .. 1e20, not negative and not NaN: the solvers work with them in float.
struct linear_system {
    const unsigned char *active; // cell: 0 is not part of the system; x is 0 there
    const float *alpha;          // cell
    const float *beta_x;         // west face; [grid_at(nx, j)] is the east side
    const float *beta_z;         // south face; row nz is the north side
    bool periodic_x, periodic_z; // periodic: the side's faces lead to the cells on the other side
    // What multiplies the weights of a side's faces, otherwise: 0 closed (nothing passes), 1 leads to a 0 in the middle
    // of a cell beyond the side, 2 to a 0 on the side itself.
    float boundary_factor[LINEAR_SIDES];
    const struct low_rank_term *terms; // lent until the next prepare, the other arrays during prepare only
    int term_count;
};

struct linear_report {
    int iterations;  // or sweeps
    double residual; // |b - A x|/|b| (b less its means), computed from x in double at the end; 0 for b = 0
    double start_residual; // the same for the x that came in
    double solution_norm;  // |x|, before its means are taken off
};

struct linear_solver;

// How to solve: one line in the table of linear.c.
struct linear_kind {
    const char *name, *help;
    int max_iterations;  // iterations where the caller names none
    bool supports_terms; // knows terms
    // More than the finest level, or NULL. Half a thing is destroyed too.
    bool (*create)(struct linear_solver *s);
    void (*destroy)(struct linear_solver *s);
    void (*setup)(struct linear_solver *s);
    // From the residual to a direction of search (level[0].r to .z); the sum of r z. NULL: no conjugate gradients.
    double (*precondition)(struct linear_solver *s);
    // It is near the inverse: a step of its own is about as long as it should be, and terms are worth deflating.
    bool is_near_inverse;
    // `sweeps` sweeps on the residual, from 0 into level[0].z; how many it made.
    int (*relax)(struct linear_solver *s, int sweeps);
};

// The kinds in the order of the table, the default first; NULL past the last or for an unknown name.
const struct linear_kind *linear_kind_at(int index);
const struct linear_kind *linear_kind_find(const char *name);

// A solver with all the memory that it will ever use, about 80 bytes a cell, but for terms and mazes: what those need is
// taken by prepare and kept. NULL without memory. Memory and pool are lent for its whole life. At least 1 x 1 cells.
struct linear_solver *linear_create(const struct memory *m, struct parallel *pool,
                                    const struct linear_kind *kind, const struct grid *g);
void linear_destroy(struct linear_solver *s);

// Take over a system; again whenever one of its numbers has changed. TARN_BAD_ARGUMENT: terms for a kind that knows
// none. TARN_NO_MEMORY: too many terms; nothing may be solved until the next prepare.
tarn_result linear_setup(struct linear_solver *s, const struct linear_system *system);

// When a solution is good enough.
struct linear_tolerance {
    double relative;     // |b - A x| <= part |b|
    double max_residual; // and |b - A x| <= peak in every cell; 0: that does not matter
    int max_iterations;  // or after so many iterations; 0: as many as the kind says
};

// Solve A x = b, beginning from the x given. Doubles in the grid's layout (linear_vector); ghosts are neither read nor
// written. `jacobi` and `gauss-seidel` look at the residual once in 48 sweeps only, because looking costs as much as several
// of them.
void linear_solve(struct linear_solver *s, const double *b, double *x, struct linear_tolerance goal,
                  struct linear_report *report);

// A vector of zeros.
double *linear_alloc_vector(const struct grid *g, const struct memory *m);
void linear_free_vector(const struct grid *g, const struct memory *m, double *v);

#endif
