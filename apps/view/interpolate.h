// Linear interpolation between two frames, for drawing at the display's rate.
#ifndef VIEW_INTERPOLATE_H
#define VIEW_INTERPOLATE_H

#include <stdbool.h>
#include <tarn/tarn.h>

// out = a + t (b - a). Arrays of `out` grow as needed; where the two frames do not match, out = b. Meshes are
// those of b. tarn_world_get_frame() interpolates too, but needs the world, which may be in its next step.
// @return false without memory
bool interpolate_frames(const tarn_frame *a, const tarn_frame *b, double t, tarn_frame *out);
void interpolate_free(tarn_frame *out);

#endif
