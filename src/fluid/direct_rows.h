// The coarsest level, solved at once: L D L^T of its matrix, which has a narrow band.
#ifndef FLUID_DIRECT_ROWS_H
#define FLUID_DIRECT_ROWS_H

#include "base/kernels.h"
#include "linear_level.h"

struct direct {
    int cells, band; // A(k + m, k) = 0 for m > band
    double *a;       // A(k + m, k) at [k (band + 1) + m], then L, and 1/D at m = 0
    double *y;       // cells + band
    double nothing;  // what is left of a diagonal by cancellation alone, relative to it
};

struct direct_kernels {
    void (*factor)(struct direct *d);
    // y = A^-1 y
    void (*solve)(struct direct *d);
};
KERNELS_DECLARE(struct direct_kernels, direct_kernels);

#endif
