// The ground under the water: parts whose heights add up, and the table of their kinds.
#ifndef FLUID_BED_H
#define FLUID_BED_H

#include "base/param.h"

#include <tarn/tarn.h>

// What a part may look at besides its own parameters.
struct bed_point {
    double x, z;         // [m] where
    double width, depth; // [m] of the domain along x and z, its middle at (0, 0)
    const tarn_map *map; // NULL: none was given
};

struct bed_kind {
    tarn_kind kind;
    bool needs_map;
    double (*height)(const void *def, const struct bed_point *at); // [m]
};

const struct bed_kind *bed_kind_at(int index);

// Everything that can be wrong about a bed.
tarn_result bed_check(const tarn_world_def *def, tarn_error *err);

// Height of the whole bed [m].
double bed_height(const tarn_world_def *def, const struct bed_point *at);

#endif
