// Kernels of the V-cycle. multigrid.c describes the method.
#ifndef SOLVER_MULTIGRID_ROWS_H
#define SOLVER_MULTIGRID_ROWS_H

#include "base/parallel/kernels.h"
#include "linear_internal.h"

// One smoothing call: up to LINEAR_SWEEPS Jacobi sweeps, or half sweeps of red-black Gauss-Seidel, on A z =
// r; with interpolation of the coarse correction before them, or restriction of the residual after them.
struct smooth_args {
    const struct linear_level *level;
    const struct linear_level *coarse; // NULL: no coarser level
    bool has_alpha;
    const float *x;             // initial value; NULL: 0
    bool prolongate;            // start from x + interpolated coarse z
    bool restrict_residual;     // r - A z goes to the right-hand side of the coarse level
    int count;                  // sweeps
    float omega[LINEAR_SWEEPS]; // relaxation factors
    // 1 0 1 0 ...: each sweep updates one colour, cells with i + j even first. NULL: all cells (Jacobi).
    const float *checkerboard;
    float *out;
    double *sums; // row sums of r z and z, or NULL
};

struct multigrid_kernels {
    // Coefficients of a coarse level from the next finer one.
    void (*coarsen)(const struct linear_level *fine, struct linear_level *l, bool has_alpha, int j0, int j1);
    // Interpolation weights of the coarse level l, from its coefficients. scratch: two rows.
    void (*interpolation)(const struct linear_level *fine, struct linear_level *l, float *scratch, int j0,
                          int j1);
    // Rows j0 .. j1-1, j0 even, and the corresponding rows of the coarse level. scratch: LINEAR_SCRATCH_ROWS
    // rows.
    void (*smooth)(const struct smooth_args *s, float *scratch, int j0, int j1);
};
KERNELS_DECLARE(struct multigrid_kernels, multigrid_kernels);

#endif
