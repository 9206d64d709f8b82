// Sample field view: the velocity head u^2/(2 g) of every cell.
#include "field_list.h"

static bool has_velocity(const tarn_frame *f) { return f->velocity_x && f->velocity_z; }

static void sample(const tarn_frame *f, int cells, float (*out)[2])
{
    for (int c = 0; c < cells; ++c) {
        const float u = f->velocity_x[c], w = f->velocity_z[c];
        out[c][0] = (u * u + w * w) / (2.0f * 9.81f), out[c][1] = 0.0f;
    }
}

const struct field field_head = {
    .name = "head",
    .unit = "m",
    .colormap = "viridis",
    .range = RANGE_FROM_ZERO,
    .colouring = COLOUR_BY_VALUE,
    .min_range = 1e-6,
    .available = has_velocity,
    .sample = sample,
};
