// Textures of a frame: heights for vertex shaders, smoothed slopes for fragment shaders. draw.c uploads them
// per frame.
#include "frame_textures.h"

#include <math.h>
#include <stdlib.h>

static int clamp(int k, int n) { return k < 0 ? 0 : (k < n ? k : n - 1); }

static float clamp_magnitude(float x, float max) { return isfinite(x) ? fminf(fmaxf(x, -max), max) : 0.0f; }

// Slopes by the Sobel operator (central differences, smoothed by 1 2 1 across), limited to 2. The Laplacian
// is the mean of a 3 x 3 stencil and one over two cells. Both keep steps of the surface at bodies from
// glittering.
static void compute_cell_slopes(const tarn_frame *f, const float *field, float level, int i, int j,
                                float *out)
{
    const int west = clamp(i - 1, f->nx), east = clamp(i + 1, f->nx), xs[3] = {west, i, east};
    const int zs[3] = {clamp(j - 1, f->nz), j, clamp(j + 1, f->nz)};
    float h[3][3]; // [z][x]
    for (int b = 0; b < 3; ++b)
        for (int a = 0; a < 3; ++a) h[b][a] = field[(size_t)zs[b] * (size_t)f->nx + (size_t)xs[a]];
    const float d = (float)f->cell_size;
    const float left = h[0][0] + 2.0f * h[1][0] + h[2][0], right = h[0][2] + 2.0f * h[1][2] + h[2][2];
    const float up = h[0][0] + 2.0f * h[0][1] + h[0][2], down = h[2][0] + 2.0f * h[2][1] + h[2][2];
    const float corners = h[0][0] + h[0][2] + h[2][0] + h[2][2];
    const float edges = h[0][1] + h[1][0] + h[1][2] + h[2][1];
    out[0] = clamp_magnitude(h[1][1] - level, 6e4f); // the largest half float is 65504
    out[1] = clamp_magnitude((right - left) / (8.0f * d), 2.0f);
    out[2] = clamp_magnitude((down - up) / (8.0f * d), 2.0f);
    const float *row = field + (size_t)j * (size_t)f->nx, *column = field + i;
    const float wide = row[clamp(i - 2, f->nx)] + row[clamp(i + 2, f->nx)] +
                       column[(size_t)clamp(j - 2, f->nz) * (size_t)f->nx] +
                       column[(size_t)clamp(j + 2, f->nz) * (size_t)f->nx] - 4.0f * h[1][1];
    out[3] = clamp_magnitude((corners + 2.0f * edges - 12.0f * h[1][1] + wide) / (8.0f * d * d), 6e4f);
}

void compute_slopes(const tarn_frame *f, const float *field, float level, float *out)
{
    for (int j = 0; j < f->nz; ++j)
        for (int i = 0; i < f->nx; ++i)
            compute_cell_slopes(f, field, level, i, j, out + 4 * ((size_t)j * (size_t)f->nx + (size_t)i));
}

bool frame_textures_upload(struct frame_textures *t, struct draw_frame_state *s)
{
    const tarn_frame *f = s->height_frame;
    const size_t cells = (size_t)f->nx * (size_t)f->nz;
    if (t->capacity < cells) {
        float *slopes = realloc(t->slopes, cells * 4 * sizeof *slopes);
        if (!slopes) return false;
        t->slopes = slopes, t->capacity = cells;
    }
    compute_slopes(f, f->height, (float)f->level, t->slopes);
    gl_texture_upload(&t->height, GL_R32F, f->nx, f->nz, f->height);
    gl_texture_upload(&t->surface, GL_RGBA16F, f->nx, f->nz, t->slopes);
    s->height_texture = t->height.id;
    s->surface_texture = t->surface.id;
    if (!s->terrain) return true;
    compute_slopes(f, f->bed, 0.0f, t->slopes);
    for (size_t c = 0; c < cells; ++c) t->slopes[4 * c] = clamp_magnitude(f->height[c] - f->bed[c], 6e4f);
    gl_texture_upload(&t->bed, GL_R32F, f->nx, f->nz, f->bed);
    gl_texture_upload(&t->terrain, GL_RGBA16F, f->nx, f->nz, t->slopes);
    s->bed_texture = t->bed.id;
    s->terrain_texture = t->terrain.id;
    return true;
}

void frame_textures_free(struct frame_textures *t)
{
    gl_texture_free(&t->height);
    gl_texture_free(&t->bed);
    gl_texture_free(&t->surface);
    gl_texture_free(&t->terrain);
    free(t->slopes);
}
