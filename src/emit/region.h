// The region of an emitter: a disc or a box, and how much of a cell it covers.
#ifndef EMIT_REGION_H
#define EMIT_REGION_H

#include "fluid/fluid.h"

struct emitter_region {
    tarn_source_shape shape;
    tarn_vec2 position; // [m] centre
    double radius;      // [m] of a disc
    tarn_vec2 size;     // [m] of a box
};

extern const char *const emitter_shape_names[]; // of tarn_source_shape

// The fraction of a cell of size `cell` [m] with its centre at (x, z) inside the region, from 4 x 4 points.
double emitter_region_coverage(const struct emitter_region *r, double x, double z, double cell);

// The cells that the region may cover. `wrap`: across periodic boundaries they continue outside the grid,
// where fluid_wrap_column() and fluid_wrap_row() find them; otherwise they end there.
struct cell_rect emitter_region_cells(const struct emitter_region *r, const struct fluid *f, bool wrap);

#endif
