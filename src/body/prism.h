// Bodies of a plane: outlines in x and y, 1 m deep along z. What touches is about as deep as it is wide, because
// tolerances of contacts follow from the size of a body.
#ifndef BODY_PRISM_H
#define BODY_PRISM_H

#include "shape.h"

#define PRISM_CORNERS SIDE_CORNERS

// Hull, volume, mass and inertia of an outline that runs counter-clockwise about its centre of mass. False without
// memory: form_free what there is.
bool prism_form(const double (*points)[2], int count, double density, const struct memory *m,
                struct form *out);

// What touches: the convex outline itself, at most PRISM_CORNERS, or a circle.
bool piece_prism(const double (*points)[2], int count, const struct memory *m, struct piece *out);
bool prism_piece(const double (*points)[2], int count, const struct memory *m, struct form *out);
bool prism_round(double radius, const struct memory *m, struct form *out);

#endif
