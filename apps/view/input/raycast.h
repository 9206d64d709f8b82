// What a ray meets in a frame.
#ifndef VIEW_RAYCAST_H
#define VIEW_RAYCAST_H

#include <stdbool.h>
#include <tarn/tarn.h>

// The first body: its number in the frame, or -1; `far` [m] along the ray, whose `way` has unit length.
int pick_body(const tarn_frame *f, tarn_vec3 from, tarn_vec3 way, double *far);

// The water's surface, or `ground` if it is dry there. False: the ray misses the domain.
bool pick_water(const tarn_frame *f, tarn_vec3 from, tarn_vec3 way, double *far, bool *wet);

// Height of the surface over a point, bilinear; NAN outside.
double pick_height(const tarn_frame *f, double x, double z);

#endif
