// Kernel of the depth-averaged models: the largest signal speed. depth.c calls it over blocks of rows.
#include "depth_rows.h"

static float max_signal_rows(const struct grid *g, float gravity, const float *restrict h,
                             const float *restrict u, const float *restrict v, int j0, int j1)
{
    int32_t best = 0;
    for (int j = j0; j < j1; ++j) {
        const size_t n = g->stride, row = grid_at(g, 0, j), end = row + (size_t)g->nx;
        for (size_t c = row; c < end; ++c) {
            const int32_t x = max_i32(abs_bits(u[c]), abs_bits(u[c + 1])),
                          z = max_i32(abs_bits(v[c]), abs_bits(v[c + n]));
            const float speed = float_of_bits(max_i32(x, z));
            best = max_i32(best, abs_bits(speed + __builtin_sqrtf(gravity * h[c])));
        }
    }
    return float_of_bits(best);
}

const struct depth_kernels KERNELS(depth_kernels) = {.max_signal = max_signal_rows};
