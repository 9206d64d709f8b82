// Loops of flow_room.c over runs of cells.
#include "flow_rows.h"

#include "base/math.h"

static void fill(float *restrict out, size_t n, float value)
{
    for (size_t i = 0; i < n; ++i) out[i] = value;
}

static inline float rounded(float a, float least)
{
    return a < least ? 0.0f : a > 1.0f - FLOW_LEAST ? 1.0f : a;
}

static void weigh_nodes(float least, float thin, const uint16_t *restrict owner, float *restrict open,
                        float *restrict mass, size_t n)
{
    for (size_t i = 0; i < n; ++i) open[i] = rounded(open[i], least);
    for (size_t i = 0; i < n; ++i) {
        const float m = larger(open[i], thin);
        mass[i] = open[i] == 0.0f ? 0.0f : m;
    }
    for (size_t i = 0; i < n; ++i) mass[i] = owner[i] ? 0.0f : mass[i];
}

// By Simpson's rule both ways.
static size_t weigh_cells(const float *restrict ax, const float *restrict az, const float *restrict north,
                          const float *restrict mid_x, const float *restrict mid_z, float *restrict open,
                          float *restrict mass, unsigned char *restrict cells, size_t n)
{
    int32_t closed = 0;
    for (size_t i = 0; i < n; ++i) {
        const float w = ax[i], e = ax[i + 1], b = az[i], t = north[i];
        const float x = (w + e) + 4.0f * larger(mid_x[i], 0.0f), z = (b + t) + 4.0f * larger(mid_z[i], 0.0f);
        const float area = rounded((1.0f / 12.0f) * (x + z), FLOW_LEAST);
        const bool in = w + e + b + t > 0.0f;
        open[i] = in ? area : 0.0f;
        mass[i] = in ? 1.0f : 0.0f;
        closed += !in;
    }
    for (size_t i = 0; i < n; ++i) cells[i] = mass[i] > 0.0f;
    return (size_t)closed;
}

const struct flow_room_kernels KERNELS(flow_room_kernels) = {fill, weigh_nodes, weigh_cells};
