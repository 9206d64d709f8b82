// Geometry of solids on the grid, the first part of flow_build_cut_cells().
#ifndef FLUID_FLOW_CUT_GEOMETRY_H
#define FLUID_FLOW_CUT_GEOMETRY_H

#include "fluid/flow/flow.h"

enum { BLOCK_MARGIN = 2 }; // [cells] around a solid that it may change

// Range of periodic images of a solid along an axis that lie in or near the domain; empty for an empty slot.
void cut_geometry_images(const struct fluid *f, const struct obstacle *o, int axis, int *first, int *last);

// Apertures, solid ids, link coefficients and cut faces of one solid with all its periodic images. False
// without memory.
bool cut_geometry_rasterise(struct fluid *f, int solid_id);

#endif
