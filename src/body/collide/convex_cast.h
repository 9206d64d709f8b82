// Casts of convex parts: the first contact of a part that is translated with a part at rest.
#ifndef BODY_COLLIDE_CONVEX_CAST_H
#define BODY_COLLIDE_CONVEX_CAST_H

#include "body/collide/narrow_phase.h"

struct convex_hit {
    double fraction; // 0 .. max_fraction of the translation
    vec3 point;      // [m] where they touch
    vec3 normal;     // unit, out of the part at rest; zero: they overlap from the start
};

// A point as a convex part; `origin` is memory of the caller.
struct convex_part convex_point(struct profile_point *origin);

// False: no contact up to max_fraction.
bool convex_cast(const struct convex_instance *moving, vec3 translation, const struct convex_instance *still,
                 double max_fraction, struct convex_hit *out);
// The same for a point. Exact for spheres and for polyhedra without rounding.
bool convex_cast_point(vec3 origin, vec3 translation, const struct convex_instance *still,
                       double max_fraction, struct convex_hit *out);

// False if the bounding balls of two parts do not meet up to max_fraction of the translation, nor do the
// parts.
bool convex_balls_meet(const struct convex_instance *moving, vec3 translation,
                       const struct convex_instance *still, double max_fraction);

bool convex_overlap(const struct convex_instance *a, const struct convex_instance *b);

// [m] Distance of a point from a part, 0 inside; *nearest: the point of the part there. Distances above
// `max_distance` are lower bounds.
double convex_distance(vec3 point, const struct convex_instance *p, double max_distance, vec3 *nearest);

#endif
