// A frame's fields as textures.
#ifndef DRAW_FRAME_TEXTURES_H
#define DRAW_FRAME_TEXTURES_H

#include "gl.h"

struct maps {
    struct gl_map height, bed, surface, land;
    float *smooth; // 4 floats a cell
    size_t room;   // cells
};

// Put height, bed and surface of what is shown where the scene points to. False without memory.
bool maps_fill(struct maps *m, struct scene_gl *s);
void maps_free(struct maps *m);

// Four numbers of every cell of a field: deviation from a level, smooth slopes along x and z, Laplacian.
void maps_smooth(const tarn_frame *f, const float *field, float level, float *out);

#endif
