// Textures of a frame's water surface and bed.
#ifndef DRAW_FRAME_TEXTURES_H
#define DRAW_FRAME_TEXTURES_H

#include "gl.h"

struct frame_textures {
    struct gl_texture height, bed, surface, terrain;
    float *slopes;   // scratch of the upload, 4 floats per cell
    size_t capacity; // cells
};

// Upload the fields of s->height_frame and store the textures in the frame state. False without memory.
bool frame_textures_upload(struct frame_textures *t, struct draw_frame_state *s);
void frame_textures_free(struct frame_textures *t);

// Four values per cell of a field: value - level, smoothed slopes along x and z, Laplacian.
void compute_slopes(const tarn_frame *f, const float *field, float level, float *out);

#endif
