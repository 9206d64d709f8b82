// Frames on their way from the thread of the water to the window.
#ifndef VIEW_INTERPOLATE_H
#define VIEW_INTERPOLATE_H

#include <stdbool.h>
#include <tarn/tarn.h>

// out = a + t (b - a), in arrays of `out` that grow as needed; b alone where the two do not fit together. Meshes are
// those of b. False without memory. (tarn_world_frame() blends too, but needs the world, which is in its next step.)
bool blend_frames(const tarn_frame *a, const tarn_frame *b, double t, tarn_frame *out);
void blend_free(tarn_frame *out);

#endif
