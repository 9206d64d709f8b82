// Prepares a frame with a bed for drawing. The water surface is continued below dry cells and both fields are
// refined by Catmull-Rom interpolation, so that the shoreline is smooth. draw.c calls terrain_build() per
// frame.
#include "terrain.h"

#include <math.h>
#include <stdlib.h>

static const float film_depth = 2e-4f; // [m] shallower water is not drawn
// Water over a level bed that is deeper than this fraction of the domain is drawn as deep sea: it absorbs light as
// if its depth were the second fraction, so that neither bed nor far sides are seen through it.
#define DEEP           0.25f
#define DEEP_SEA_DEPTH 0.07f

// Height per distance from the water by which dry terrain is drawn above the continued surface at least, so
// that flat dry terrain does not look like shallow water.
static const float min_bed_slope = 0.03f;

// ---- cells of the frame ---------------------------------------------------------------------------

static int clamp(int k, int n) { return k < 0 ? 0 : (k < n ? k : n - 1); }

bool terrain_is_wet(const struct terrain *t, int cell) { return t->surface[cell] > t->bed[cell]; }

// Bed and surface above the lowest bed; dry cells get the surface -INFINITY. Also extremes and mean depth.
static void read_heights(struct terrain *t, const tarn_frame *f)
{
    const int cells = f->nx * f->nz;
    const float size = (float)(f->cell_size * (f->nx > f->nz ? f->nx : f->nz));
    double water = 0.0, squares = 0.0;
    t->lowest_bed = INFINITY, t->highest_bed = 0.0f;
    for (int c = 0; c < cells; ++c)
        if (isfinite(f->bed[c])) t->lowest_bed = fmin(t->lowest_bed, f->bed[c]);
    if (!isfinite(t->lowest_bed)) t->lowest_bed = 0.0;
    for (int c = 0; c < cells; ++c) {
        const float deep = f->height[c] - f->bed[c];
        t->bed[c] = isfinite(f->bed[c]) ? (float)(f->bed[c] - t->lowest_bed) : 0.0f;
        t->surface[c] = isfinite(deep) && deep > film_depth ? t->bed[c] + deep : -INFINITY;
        t->highest_bed = fmaxf(t->highest_bed, t->bed[c]);
        if (t->surface[c] > t->bed[c]) water += deep, squares += (double)deep * deep;
    }
    t->mean_depth = fmaxf(water > 0.0 ? (float)(squares / water) : 0.0f, 2e-3f * size);
    if (t->highest_bed == 0.0f && t->mean_depth > DEEP * size) t->mean_depth = DEEP_SEA_DEPTH * size;
    t->rest_level = fmaxf((float)(f->level - t->lowest_bed), 0.0f);
}

// Adopt distance and surface height of a neighbour if its nearest water is nearer.
static void propagate_nearest_water(const struct terrain *t, float *water_distance, int i, int j, int di,
                                    int dj)
{
    if (i + di < 0 || i + di >= t->nx || j + dj < 0 || j + dj >= t->nz) return;
    const int c = j * t->nx + i, from = c + dj * t->nx + di;
    const float way = water_distance[from] + (di && dj ? 1.41421356f : 1.0f);
    if (way < water_distance[c]) water_distance[c] = way, t->surface[c] = t->surface[from];
}

// A two-pass distance transform: distance [cells] and height of the nearest water for every dry cell.
static void find_nearest_water(const struct terrain *t, float *water_distance)
{
    const int cells = t->nx * t->nz;
    for (int c = 0; c < cells; ++c) water_distance[c] = terrain_is_wet(t, c) ? 0.0f : INFINITY;
    for (int j = 0; j < t->nz; ++j)
        for (int i = 0; i < t->nx; ++i) {
            for (int d = -1; d <= 1; ++d) propagate_nearest_water(t, water_distance, i, j, d, -1);
            propagate_nearest_water(t, water_distance, i, j, -1, 0);
        }
    for (int j = t->nz - 1; j >= 0; --j)
        for (int i = t->nx - 1; i >= 0; --i) {
            for (int d = -1; d <= 1; ++d) propagate_nearest_water(t, water_distance, i, j, d, 1);
            propagate_nearest_water(t, water_distance, i, j, 1, 0);
        }
}

// The mean of a dry cell and its neighbours; wet cells keep their value.
static void smooth_dry(const struct terrain *t, const float *water_distance, float *out)
{
    for (int j = 0; j < t->nz; ++j)
        for (int i = 0; i < t->nx; ++i) {
            const int c = j * t->nx + i;
            float sum = 0.0f;
            for (int b = -1; b <= 1; ++b)
                for (int a = -1; a <= 1; ++a)
                    sum += t->surface[clamp(j + b, t->nz) * t->nx + clamp(i + a, t->nx)];
            out[c] = water_distance[c] > 0.0f ? sum / 9.0f : t->surface[c];
        }
}

// The surface under dry cells: at the level of the nearest water, but below the bed, increasingly with
// distance.
static void continue_surface(struct terrain *t, double dx, float *water_distance, float *scratch)
{
    const int cells = t->nx * t->nz;
    find_nearest_water(t, water_distance);
    if (isinf(water_distance[0])) { // no water at all
        for (int c = 0; c < cells; ++c) t->surface[c] = t->bed[c] - (float)dx;
        return;
    }
    smooth_dry(t, water_distance, scratch);
    for (int c = 0; c < cells; ++c)
        t->surface[c] = water_distance[c] > 0.0f
                            ? fminf(scratch[c], t->bed[c] - min_bed_slope * water_distance[c] * (float)dx)
                            : t->surface[c];
}

// The edge of a film of water follows the cells. A mean of 3 x 3 cells, limited to small depths, smooths it;
// a uniform slope does not change.
static void smooth_shoreline(const struct terrain *t, const float *depth, float *out)
{
    const float shallow = 0.02f * t->mean_depth;
    for (int j = 0; j < t->nz; ++j)
        for (int i = 0; i < t->nx; ++i) {
            const int c = j * t->nx + i;
            float sum = 0.0f;
            for (int b = -1; b <= 1; ++b)
                for (int a = -1; a <= 1; ++a)
                    sum += fmaxf(-shallow,
                                 fminf(depth[clamp(j + b, t->nz) * t->nx + clamp(i + a, t->nx)], shallow));
            out[c] = fabsf(depth[c]) < shallow ? sum / 9.0f : depth[c];
        }
}

// ---- smaller cells --------------------------------------------------------------------------------

// Weights of the Catmull-Rom cubic at the fraction t between the two middle ones of four points.
static void catmull_rom_weights(float t, float w[4])
{
    w[0] = 0.5f * t * (-1.0f + t * (2.0f - t));
    w[1] = 0.5f * (2.0f + t * t * (-5.0f + 3.0f * t));
    w[2] = 0.5f * t * (1.0f + t * (4.0f - 3.0f * t));
    w[3] = 0.5f * t * t * (-1.0f + t);
}

// The coarse cell at or before fine cell k, and the fraction of the way to the next coarse cell.
static int coarse_cell(int k, int factor, float *part)
{
    const float at = ((float)k + 0.5f) / (float)factor - 0.5f, low = floorf(at);
    *part = at - low;
    return (int)low;
}

// Refine `in` (nx * nz cells) by `factor`: along x into `rows`, then along z into `out`.
static void refine_grid(const float *in, int nx, int nz, int factor, float *rows, float *out)
{
    const int wide = nx * factor;
    float part, w[4];
    for (int i = 0; i < wide; ++i) {
        const int low = coarse_cell(i, factor, &part);
        const int at[4] = {clamp(low - 1, nx), clamp(low, nx), clamp(low + 1, nx), clamp(low + 2, nx)};
        catmull_rom_weights(part, w);
        for (int j = 0; j < nz; ++j) {
            const float *row = in + j * nx;
            rows[j * wide + i] =
                w[0] * row[at[0]] + w[1] * row[at[1]] + w[2] * row[at[2]] + w[3] * row[at[3]];
        }
    }
    for (int j = 0; j < nz * factor; ++j) {
        const int low = coarse_cell(j, factor, &part);
        const float *a = rows + clamp(low - 1, nz) * wide, *b = rows + clamp(low, nz) * wide,
                    *c = rows + clamp(low + 1, nz) * wide, *d = rows + clamp(low + 2, nz) * wide;
        catmull_rom_weights(part, w);
        for (int i = 0; i < wide; ++i)
            out[j * wide + i] = w[0] * a[i] + w[1] * b[i] + w[2] * c[i] + w[3] * d[i];
    }
}

// Cubic interpolation overshoots beside cliffs: points between four dry cells stay dry, between four wet
// cells wet.
static void keep_wet_and_dry(const struct terrain *t, int factor, float *depth)
{
    const int wide = t->nx * factor;
    float part;
    for (int j = 0; j < t->nz * factor; ++j) {
        const int south = coarse_cell(j, factor, &part), s = clamp(south, t->nz) * t->nx,
                  n = clamp(south + 1, t->nz) * t->nx;
        for (int i = 0; i < wide; ++i) {
            const int west = coarse_cell(i, factor, &part), w = clamp(west, t->nx),
                      e = clamp(west + 1, t->nx);
            const int wet = terrain_is_wet(t, s + w) + terrain_is_wet(t, s + e) + terrain_is_wet(t, n + w) +
                            terrain_is_wet(t, n + e);
            float *d = depth + j * wide + i;
            if (wet == 0) *d = fminf(*d, -1e-4f * t->mean_depth);
            if (wet == 4) *d = fmaxf(*d, film_depth);
        }
    }
}

// ---- all of it ------------------------------------------------------------------------------------

static int refinement_factor(const tarn_frame *f, bool low_quality)
{
    const int most = f->nx > f->nz ? f->nx : f->nz, enough = low_quality ? 160 : 320;
    int factor = 1;
    while (factor < 4 && 2 * factor * most <= enough) factor *= 2;
    return factor;
}

bool terrain_build(struct terrain *t, const tarn_frame *f, bool low_quality)
{
    const int factor = refinement_factor(f, low_quality);
    const size_t cells = (size_t)f->nx * (size_t)f->nz, fine_cells = cells * (size_t)(factor * factor);
    const size_t needed = 4 * cells + 3 * fine_cells;
    if (t->capacity < needed) {
        float *memory = realloc(t->memory, needed * sizeof *memory);
        if (!memory) return false;
        t->memory = memory, t->capacity = needed;
    }
    float *at = t->memory, *one = at + 2 * cells, *two = at + 3 * cells, *height = at + 4 * cells;
    float *bed = height + fine_cells, *rows = bed + fine_cells;
    t->nx = f->nx, t->nz = f->nz, t->bed = at, t->surface = at + cells;
    read_heights(t, f);
    continue_surface(t, f->cell_size, one, two);
    float *depth = one;
    for (size_t c = 0; c < cells; ++c) depth[c] = t->surface[c] - t->bed[c];
    smooth_shoreline(t, depth, two);
    smooth_shoreline(t, two, depth);
    for (size_t c = 0; c < cells; ++c) t->surface[c] = t->bed[c] + depth[c];

    refine_grid(t->bed, f->nx, f->nz, factor, rows, bed);
    refine_grid(depth, f->nx, f->nz, factor, rows, height);
    if (factor > 1) keep_wet_and_dry(t, factor, height);
    for (size_t c = 0; c < fine_cells; ++c) height[c] += bed[c];
    const double dx = f->cell_size / factor, back = 0.5 * (f->cell_size - dx);
    t->refined = (tarn_frame){.nx = f->nx * factor,
                              .nz = f->nz * factor,
                              .cell_size = dx,
                              .x0 = f->x0 - back,
                              .z0 = f->z0 - back,
                              .level = f->level - t->lowest_bed,
                              .height = height,
                              .bed = bed};
    return true;
}

void terrain_free(struct terrain *t)
{
    free(t->memory);
    *t = (struct terrain){0};
}
