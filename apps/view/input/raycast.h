// Intersection of rays with the bodies and the water surface of a frame.
#ifndef VIEW_RAYCAST_H
#define VIEW_RAYCAST_H

#include <stdbool.h>
#include <tarn/tarn.h>

// The first body that the ray hits. `direction` has unit length; `distance` [m] is INFINITY without a hit.
// @return its index in the frame, or -1
int raycast_bodies(const tarn_frame *f, tarn_vec3 origin, tarn_vec3 direction, double *distance);

// The water surface, or the bed where it is dry (`wet` false). @return false if the ray misses the domain
bool raycast_surface(const tarn_frame *f, tarn_vec3 origin, tarn_vec3 direction, double *distance, bool *wet);

// Height [m] of the surface at a point, bilinear between cell centres; NAN outside the domain.
double surface_height_at(const tarn_frame *f, double x, double z);

#endif
