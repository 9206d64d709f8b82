// Planar bodies as prisms: an outline in x and y with a depth of 1 m along z. The convex part is as deep as
// it is wide, because contact tolerances scale with the size of a body.
#ifndef BODY_SHAPE_PRISM_H
#define BODY_SHAPE_PRISM_H

#include "body/shape/shape.h"

#define MAX_PRISM_VERTICES MAX_FACE_VERTICES

// Hull, volume, mass and inertia of a counter-clockwise outline, given about its centre of mass. False
// without memory: then call shape_data_free().
bool prism_shape(const double (*points)[2], int count, const struct memory *m, struct shape_data *out);

// Convex parts: a convex outline of at most MAX_PRISM_VERTICES vertices, or a disc. False without memory.
bool prism_convex_part(const double (*points)[2], int count, const struct memory *m, struct convex_part *out);
bool prism_add_polygon(const double (*points)[2], int count, const struct memory *m, struct shape_data *out);
bool prism_add_disc(double radius, const struct memory *m, struct shape_data *out);

#endif
