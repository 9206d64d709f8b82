// The loops of the linear solvers. Rows are independent: any split gives the same bits. Sums are written
// LINEAR_SUMS a row.
#ifndef FLUID_LINEAR_ROWS_H
#define FLUID_LINEAR_ROWS_H

#include "base/kernels.h"
#include "linear_internal.h"

// x += a p, and what that leaves: r = b - A x, the level's r = scale r; sums of r^2, x and x^2.
struct linear_update {
    const struct linear_level *l;
    bool has_alpha;
    const double *b;
    double *x;
    const double *edge; // see linear_edge
    const float *p;     // NULL: x -= shift where open, 0 elsewhere, instead
    double a, shift, scale;
    bool fresh; // x counts as 0, whatever it holds, and p is taken less shift
    double *sums;
};

struct linear_rows_kernels {
    // All of the finest level's weights from a system; which faces are open; sums of open cells and of those with alpha,
    // and the smallest alpha inverse. scratch: a row.
    void (*assemble)(const struct linear_system *a, struct linear_level *l, unsigned char *marks,
                     float *scratch, double *sums, int j0, int j1);
    // ... and of a coarse one, from its weights; the smallest alpha inverse, as the third sum.
    void (*invert_diagonal)(struct linear_level *l, bool has_alpha, double *sums, int j0, int j1);
    // z1 = z + omega inverse (r - A z)
    void (*jacobi)(const struct linear_level *l, float omega, const float *z, float *z1, int j0, int j1);

    // sums of b, b^2, x and |x| where open. scratch: a row.
    void (*measure)(const struct linear_level *l, const double *b, const double *x, double *scratch,
                    double *sums, int j0, int j1);
    // v = b - shift where open, else 0, unless b is v; level's r = scale v; sums of v^2
    void (*load_rhs)(const struct linear_level *l, const double *b, double subtract,
                     double jacobi_precondition, double *v, double *sums, int j0, int j1);
    // v -= shift where open
    void (*subtract)(const struct linear_level *l, double subtract, double *v, int j0, int j1);
    // p1 = z + beta p (not read if beta is 0); sums of p1 A p1. scratch: a row of the block.
    void (*direction)(const struct linear_level *l, bool has_alpha, const float *z, float beta,
                      const float *p, float *p1, float *scratch, double *sums, int j0, int j1);
    // scratch: four rows of doubles
    void (*update_x)(const struct linear_update *m, double *scratch, int j0, int j1);
    // z = inverse r; sums of r z
    void (*jacobi_precondition)(const struct linear_level *l, double *sums, int j0, int j1);
};
KERNELS_DECLARE(struct linear_rows_kernels, linear_rows_kernels);

#endif
