// The loops of a V-cycle. See multigrid.c for the method.
#ifndef FLUID_MULTIGRID_ROWS_H
#define FLUID_MULTIGRID_ROWS_H

#include "base/kernels.h"
#include "linear_internal.h"

// Up to four sweeps of Jacobi or half sweeps of red-black Gauss-Seidel on A z = r, and what comes before and after them.

struct smooth_args {
    const struct linear_level *level;
    const struct linear_level *coarse; // NULL: alone
    bool has_alpha;
    const float *x;             // where it begins; NULL: 0
    bool prolongate;            // begin from x + coarse z, interpolated
    bool restrict_residual;     // what is left of r goes to the right-hand side of the coarse level
    int count;                  // of sweeps
    float omega[LINEAR_SWEEPS]; // how far each goes, 1: all the way
    const float
        *checkerboard; // 1 0 1 0 ...: one colour at a time, cells with i + j even first; NULL: all at once
    float *out;
    double *sums; // of r z and of z over each row, or NULL
};

struct multigrid_kernels {
    // Weights of a coarse level from the next finer one; then how much neighbours share in interpolation.
    void (*coarsen)(const struct linear_level *fine, struct linear_level *l, bool has_alpha, int j0, int j1);
    // scratch: two rows of the block.
    void (*interpolation)(const struct linear_level *fine, struct linear_level *l, float *scratch, int j0,
                          int j1);
    // Rows j0 .. j1-1, j0 even; as many of the coarse level's rows go with them.
    void (*smooth)(const struct smooth_args *s, float *scratch, int j0, int j1);
};
KERNELS_DECLARE(struct multigrid_kernels, multigrid_kernels);

#endif
