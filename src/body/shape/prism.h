// Bodies of a plane: outlines in x and y, 1 m deep along z. What touches is about as deep as it is wide, because
// tolerances of contacts follow from the size of a body.
#ifndef BODY_PRISM_H
#define BODY_PRISM_H

#include "shape.h"

#define MAX_PRISM_VERTICES MAX_FACE_VERTICES

// Hull, volume, mass and inertia of an outline that runs counter-clockwise about its centre of mass. False without
// memory: form_free what there is.
bool prism_shape(const double (*points)[2], int count, double density, const struct memory *m,
                 struct shape_data *out);

// What touches: the convex outline itself, at most PRISM_CORNERS, or a circle.
bool prism_convex_part(const double (*points)[2], int count, const struct memory *m, struct convex_part *out);
bool prism_add_polygon(const double (*points)[2], int count, const struct memory *m, struct shape_data *out);
bool prism_add_disc(double radius, const struct memory *m, struct shape_data *out);

#endif
