// The loops of the linear solvers. Rows are independent: any split gives the same bits.
#ifndef FLUID_LINEAR_ROWS_H
#define FLUID_LINEAR_ROWS_H

#include "base/kernels.h"
#include "linear_level.h"

struct linear_rows_kernels {
    // Weights of the finest level from a system.
    void (*weigh)(const struct linear *a, struct linear_level *l, int j0, int j1);
    void (*invert)(struct linear_level *l, bool has_alpha, int j0, int j1);
    // z1 = z + omega inverse (r - A z)
    void (*jacobi)(const struct linear_level *l, float omega, const float *z, float *z1, int j0, int j1);

    // v = b where open, else 0; sums of v
    void (*load)(const struct linear_level *l, const double *b, double *v, double *sums, int j0, int j1);
    // v -= shift where open; sums of v^2
    void (*shift)(const struct linear_level *l, double shift, double *v, double *sums, int j0, int j1);
    // p1 = z + beta p (not read if beta is 0), or p where open if z is NULL; q = A p1; sums of p1 q. scratch: two rows of the block.
    void (*direction)(const struct linear_level *l, bool has_alpha, const float *z, double beta,
                      const double *p, double *p1, double *q, double *scratch, double *sums, int j0, int j1);
    // sums of |x| where open
    void (*size)(const struct linear_level *l, const double *x, double *sums, int j0, int j1);
    // r = b - q (q NULL: 0), level's r = scale r; sums of r^2
    void (*residual)(const struct linear_level *l, const double *b, const double *q, double scale, double *r,
                     double *sums, int j0, int j1);
    // x += a p, r -= a q, level's r = scale r; sums of r^2
    void (*advance)(const struct linear_level *l, double a, double scale, const double *p, const double *q,
                    double *x, double *r, double *sums, int j0, int j1);
    // z = inverse r; sums of r z
    void (*scale)(const struct linear_level *l, double *sums, int j0, int j1);
    // x += a z
    void (*add)(const struct linear_level *l, double a, double *x, int j0, int j1);
};
KERNELS_DECLARE(struct linear_rows_kernels, linear_rows_kernels);

#endif
