// Intersections of rays with the bed and the water surface of a height field, and their nearest points.
#ifndef FLUID_HEIGHT_CAST_H
#define FLUID_HEIGHT_CAST_H

#include "base/math/math.h"
#include "fluid/fluid.h"

struct height_hit {
    double fraction; // 0 .. 1 of the translation
    vec3 point;      // [m] y from the origin of the world
    vec3 normal;     // unit; zero: the ray starts under the bed
};

// The bed from above, or from the side where it ends at the domain. In a periodic direction it counts as far
// as one period beyond the domain.
bool fluid_cast_at_bed(const struct fluid *f, vec3 origin, vec3 translation, struct height_hit *out);

// The surface of wet cells, from either side.
bool fluid_cast_at_surface(const struct fluid *f, vec3 origin, vec3 translation, struct height_hit *out);

// The nearest point of the bed or of the wet part of the surface within `distance` [m]; out->fraction is the
// part of it. A point under the bed is its own nearest point, with a normal of zero. The normal of the bed
// points to `point`, that of the surface upwards.
bool fluid_nearest_bed(const struct fluid *f, vec3 point, double distance, struct height_hit *out);
bool fluid_nearest_surface(const struct fluid *f, vec3 point, double distance, struct height_hit *out);

// [m] above rest_level, of the bed or of the surface at the centre of a cell. Indices outside the domain mean
// the outermost cell, or the image of a cell where the domain is periodic.
double fluid_height_at_centre(const struct fluid *f, bool is_surface, int i, int j);

#endif
