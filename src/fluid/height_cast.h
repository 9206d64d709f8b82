// Where a ray meets the bed or the water surface of a height field.
#ifndef FLUID_HEIGHT_CAST_H
#define FLUID_HEIGHT_CAST_H

#include "base/math.h"
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

#endif
