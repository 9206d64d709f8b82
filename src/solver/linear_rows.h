// Kernels of the linear solvers. Rows are independent, so that any partition into blocks gives the same
// bits. Reductions are written to sums[row LINEAR_SUMS + slot].
#ifndef SOLVER_LINEAR_ROWS_H
#define SOLVER_LINEAR_ROWS_H

#include "base/parallel/kernels.h"
#include "linear_internal.h"

// x += step p and the new residual: level->r = scale (b - A x). Sums: r^2, x, x^2; slot 3: maximum of
// |level->r|.
struct linear_update {
    const struct linear_level *level;
    bool has_alpha;
    const double *b;
    double *x;
    const double *block_edges; // rows of x before the update, see linear_block_edge
    const float *p;            // NULL: x -= shift in active cells, x = 0 in the others
    double step, shift, scale;
    bool x_is_zero; // x = step (p - shift), whatever x contains
    double *sums;
};

// New search direction of conjugate gradients: p1 = z + beta p. Sums: p1 A p1.
struct linear_direction {
    const struct linear_level *level; // with z, the preconditioned residual
    bool has_alpha;
    float beta;     // 0: p is not read
    const float *p; // previous direction
    float *p1;
    double *sums;
};

struct linear_rows_kernels {
    // Coefficients and diagonal of the finest level, and the open faces. Sums: active cells, cells with
    // alpha > 0; slot 2: minimum of alpha/diagonal. scratch: one row.
    void (*assemble)(const struct linear_system *system, struct linear_level *l, unsigned char *marks,
                     float *scratch, double *sums, int j0, int j1);
    // Diagonal of a coarse level from its coefficients. Slot 2: minimum of alpha/diagonal.
    void (*invert_diagonal)(struct linear_level *l, bool has_alpha, double *sums, int j0, int j1);
    // z1 = z + omega D^-1 (r - A z), D the diagonal of A
    void (*jacobi)(const struct linear_level *l, float omega, const float *z, float *z1, int j0, int j1);

    // Sums over active cells: b, b^2, x, |x|. scratch: one row.
    void (*measure)(const struct linear_level *l, const double *b, const double *x, double *scratch,
                    double *sums, int j0, int j1);
    // v = b - shift in active cells, 0 in the others, unless b == v; level's r = scale v. Sums: v^2.
    void (*load_rhs)(const struct linear_level *l, const double *b, double shift, double scale, double *v,
                     double *sums, int j0, int j1);
    // v -= shift in active cells
    void (*subtract)(const struct linear_level *l, double shift, double *v, int j0, int j1);
    // See struct linear_direction. scratch: one row.
    void (*direction)(const struct linear_direction *d, float *scratch, int j0, int j1);
    // See struct linear_update. scratch: four rows of doubles.
    void (*update_x)(const struct linear_update *m, double *scratch, int j0, int j1);
    // z = D^-1 r. Sums: r z.
    void (*jacobi_precondition)(const struct linear_level *l, double *sums, int j0, int j1);
};
KERNELS_DECLARE(struct linear_rows_kernels, linear_rows_kernels);

#endif
