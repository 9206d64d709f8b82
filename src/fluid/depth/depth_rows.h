// What the kernels of the depth-averaged models share (`shallow`, `implicit`).
//
//              v[c+n]
//           +----------+          h, bed       cell centre
//     u[c]  |  h[c]    | u[c+1]   u, flux_x    west face
//           +----------+          v, flux_z    south face
//              v[c]               n            index step to the next row
#ifndef FLUID_DEPTH_ROWS_H
#define FLUID_DEPTH_ROWS_H

#include "base/grid.h"
#include "base/parallel/kernels.h"

// One component of the velocity. For u, step_along is 1 and step_across the stride of a row; for v it is the
// other way round.
struct velocity_component {
    const float *u, *v;             // [m/s] the component, the other one
    const float *flux, *flux_other; // [m] fluxes through the faces of the two
    size_t step_along, step_across;
    float accel_dt; // [m/s] external acceleration times dt
};

// The faces of row j, the east face of the last column included: indices row .. end-1.
#define FACE_ROW(g, j) const size_t n = (g)->stride, row = grid_at(g, 0, j), end = row + (size_t)(g)->nx + 1
#define CELL_ROW(g, j) const size_t n = (g)->stride, row = grid_at(g, 0, j), end = row + (size_t)(g)->nx

// Monotonised central limiter [vanleer1977]: the mean of two differences, at most twice the smaller one, and
// zero where their signs differ.
static inline float mc_limiter(float a, float b)
{
    const float bound = 2.0f * min_f(abs_f(a), abs_f(b)), mean = 0.5f * (a + b);
    const float limited = min_f(bound, max_f(-bound, mean));
    return a * b > 0.0f ? limited : 0.0f;
}

// [m] Sum of the outgoing fluxes of cell c.
static inline float cell_outflow(const float *flux_x, const float *flux_z, size_t c, size_t n)
{
    return (max_f(flux_x[c + 1], 0.0f) - min_f(flux_x[c], 0.0f)) +
           (max_f(flux_z[c + n], 0.0f) - min_f(flux_z[c], 0.0f));
}

// [m] Rise of the bed from one cell to the next beyond max_bed_step.
static inline float bed_step_height(const float *bed, size_t from, size_t to, float max_bed_step)
{
    return max_f(0.0f, bed[to] - bed[from] - max_bed_step);
}

// [m] Depth that moves with the velocity at a face: the mean of two cells without water behind a bed step.
static inline float face_flow_depth(const float *bed, const float *h, size_t west, size_t here,
                                    float max_bed_step)
{
    return 0.5f * (max_f(0.0f, h[west] - bed_step_height(bed, west, here, max_bed_step)) +
                   max_f(0.0f, h[here] - bed_step_height(bed, here, west, max_bed_step)));
}

struct depth_kernels {
    // Largest signal speed |v| + sqrt(g h) of rows j0 .. j1-1; infinite or NaN if a value is.
    float (*max_signal)(const struct grid *g, float gravity, const float *h, const float *u, const float *v,
                        int j0, int j1);
};
KERNELS_DECLARE(struct depth_kernels, depth_kernels);

#endif
