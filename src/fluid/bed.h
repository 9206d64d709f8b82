// The bed, the ground under a height field: the sum of up to TARN_MAX_BEDS terms, and the table of their
// kinds.
#ifndef FLUID_BED_H
#define FLUID_BED_H

#include "base/param.h"

#include <tarn/tarn.h>

// A point of the domain, input of a height function besides the definition of the term.
struct bed_point {
    double x, z;         // [m]
    double width, depth; // [m] of the domain along x and z; its centre is at (0, 0)
};

// The struct of a kind is tarn_bed_def.space, or the member of that union with its name; that of a kind with
// a height map is longer, the rest is what only scene files have.
struct bed_kind {
    tarn_kind kind;
    const tarn_bed_map *(*map)(const void *def); // the height map of a term; NULL: the kind has none
    size_t def_size; // of a kind with a height map: bytes of its member of tarn_bed_def
    double (*height)(const void *def, const struct bed_point *at); // [m]
};

// The kinds in the order of their table; NULL beyond the last one.
const struct bed_kind *bed_kind_at(int index);

// Checks the terms of a bed, their parameters and the height map.
tarn_result bed_check(const tarn_world_def *def, tarn_error *err);

// [m] Height of the bed, the sum of all terms.
double bed_height(const tarn_world_def *def, const struct bed_point *at);

#endif
