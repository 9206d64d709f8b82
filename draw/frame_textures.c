// A frame's fields as textures: heights to fetch, and smooth slopes to interpolate.
#include "frame_textures.h"

#include <math.h>
#include <stdlib.h>

static int clamp(int k, int n) { return k < 0 ? 0 : (k < n ? k : n - 1); }

static float limit(float x, float most) { return isfinite(x) ? fminf(fmaxf(x, -most), most) : 0.0f; }

// Central differences, smoothed by 1 2 1 across them; the Laplacian of the same 3 x 3 cells. Steps of the
// surface at a body's edge would be needles of light: slopes end at 2, and half of the Laplacian looks two
// cells far.
static void smooth_cell(const tarn_frame *f, const float *field, float level, int i, int j, float *out)
{
    const int west = clamp(i - 1, f->nx), east = clamp(i + 1, f->nx), xs[3] = {west, i, east};
    const int zs[3] = {clamp(j - 1, f->nz), j, clamp(j + 1, f->nz)};
    float h[3][3]; // [z][x]
    for (int b = 0; b < 3; ++b)
        for (int a = 0; a < 3; ++a) h[b][a] = field[(size_t)zs[b] * (size_t)f->nx + (size_t)xs[a]];
    const float d = (float)f->dx;
    const float left = h[0][0] + 2.0f * h[1][0] + h[2][0], right = h[0][2] + 2.0f * h[1][2] + h[2][2];
    const float up = h[0][0] + 2.0f * h[0][1] + h[0][2], down = h[2][0] + 2.0f * h[2][1] + h[2][2];
    const float corners = h[0][0] + h[0][2] + h[2][0] + h[2][2];
    const float edges = h[0][1] + h[1][0] + h[1][2] + h[2][1];
    out[0] = limit(h[1][1] - level, 6e4f); // the largest half float is 65504
    out[1] = limit((right - left) / (8.0f * d), 2.0f);
    out[2] = limit((down - up) / (8.0f * d), 2.0f);
    const float *row = field + (size_t)j * (size_t)f->nx, *column = field + i;
    const float wide = row[clamp(i - 2, f->nx)] + row[clamp(i + 2, f->nx)] +
                       column[(size_t)clamp(j - 2, f->nz) * (size_t)f->nx] +
                       column[(size_t)clamp(j + 2, f->nz) * (size_t)f->nx] - 4.0f * h[1][1];
    out[3] = limit((corners + 2.0f * edges - 12.0f * h[1][1] + wide) / (8.0f * d * d), 6e4f);
}

void maps_smooth(const tarn_frame *f, const float *field, float level, float *out)
{
    for (int j = 0; j < f->nz; ++j)
        for (int i = 0; i < f->nx; ++i)
            smooth_cell(f, field, level, i, j, out + 4 * ((size_t)j * (size_t)f->nx + (size_t)i));
}

bool maps_fill(struct maps *m, struct scene_gl *s)
{
    const tarn_frame *f = s->shown;
    const size_t cells = (size_t)f->nx * (size_t)f->nz;
    if (m->room < cells) {
        float *more = realloc(m->smooth, cells * 4 * sizeof *more);
        if (!more) return false;
        m->smooth = more, m->room = cells;
    }
    maps_smooth(f, f->height, (float)f->level, m->smooth);
    gl_map_fill(&m->height, GL_R32F, f->nx, f->nz, f->height);
    gl_map_fill(&m->surface, GL_RGBA16F, f->nx, f->nz, m->smooth);
    s->height_map = m->height.texture;
    s->surface_map = m->surface.texture;
    if (!s->land) return true;
    maps_smooth(f, f->bed, 0.0f, m->smooth);
    for (size_t c = 0; c < cells; ++c) m->smooth[4 * c] = limit(f->height[c] - f->bed[c], 6e4f);
    gl_map_fill(&m->bed, GL_R32F, f->nx, f->nz, f->bed);
    gl_map_fill(&m->land, GL_RGBA16F, f->nx, f->nz, m->smooth);
    s->bed_map = m->bed.texture;
    s->land_map = m->land.texture;
    return true;
}

void maps_free(struct maps *m)
{
    gl_map_free(&m->height);
    gl_map_free(&m->bed);
    gl_map_free(&m->surface);
    gl_map_free(&m->land);
    free(m->smooth);
}
