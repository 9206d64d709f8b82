// From a frame with a bed to what is drawn of it: shores without steps.
#include "terrain.h"

#include <math.h>
#include <stdlib.h>

static const float film = 2e-4f;       // [m] water that is no deeper is not drawn
static const float least_rise = 0.03f; // per metre away from the water: flat dry land is no shallow water

// ---- cells of the frame ---------------------------------------------------------------------------

static int clamp(int k, int n) { return k < 0 ? 0 : (k < n ? k : n - 1); }

bool land_wet(const struct land *l, int cell) { return l->top[cell] > l->bed[cell]; }

// Bed and surface above the datum, dry cells marked by a surface of -INFINITY; what there is to know of them.
static void take_heights(struct land *l, const tarn_frame *f)
{
    const int cells = f->nx * f->nz;
    const float size = (float)(f->dx * (f->nx > f->nz ? f->nx : f->nz));
    double water = 0.0, squares = 0.0;
    l->datum = INFINITY, l->peak = 0.0f;
    for (int c = 0; c < cells; ++c)
        if (isfinite(f->bed[c])) l->datum = fmin(l->datum, f->bed[c]);
    if (!isfinite(l->datum)) l->datum = 0.0;
    for (int c = 0; c < cells; ++c) {
        const float deep = f->height[c] - f->bed[c];
        l->bed[c] = isfinite(f->bed[c]) ? (float)(f->bed[c] - l->datum) : 0.0f;
        l->top[c] = isfinite(deep) && deep > film ? l->bed[c] + deep : -INFINITY;
        l->peak = fmaxf(l->peak, l->bed[c]);
        if (l->top[c] > l->bed[c]) water += deep, squares += (double)deep * deep;
    }
    l->deep = fmaxf(water > 0.0 ? (float)(squares / water) : 0.0f, 2e-3f * size);
    l->shore = fmaxf((float)(f->level - l->datum), 0.0f);
}

// Take over what a neighbour knows about the nearest water, if it is nearer than what is known.
static void ask(const struct land *l, float *away, int i, int j, int di, int dj)
{
    if (i + di < 0 || i + di >= l->nx || j + dj < 0 || j + dj >= l->nz) return;
    const int c = j * l->nx + i, from = c + dj * l->nx + di;
    const float way = away[from] + (di && dj ? 1.41421356f : 1.0f);
    if (way < away[c]) away[c] = way, l->top[c] = l->top[from];
}

// Two sweeps carry distance (in cells) and height of the nearest water over the dry cells.
static void spread(const struct land *l, float *away)
{
    const int cells = l->nx * l->nz;
    for (int c = 0; c < cells; ++c) away[c] = land_wet(l, c) ? 0.0f : INFINITY;
    for (int j = 0; j < l->nz; ++j)
        for (int i = 0; i < l->nx; ++i) {
            for (int d = -1; d <= 1; ++d) ask(l, away, i, j, d, -1);
            ask(l, away, i, j, -1, 0);
        }
    for (int j = l->nz - 1; j >= 0; --j)
        for (int i = l->nx - 1; i >= 0; --i) {
            for (int d = -1; d <= 1; ++d) ask(l, away, i, j, d, 1);
            ask(l, away, i, j, 1, 0);
        }
}

// The mean of a cell and its neighbours where it is dry.
static void smooth_dry(const struct land *l, const float *away, float *out)
{
    for (int j = 0; j < l->nz; ++j)
        for (int i = 0; i < l->nx; ++i) {
            const int c = j * l->nx + i;
            float sum = 0.0f;
            for (int b = -1; b <= 1; ++b)
                for (int a = -1; a <= 1; ++a)
                    sum += l->top[clamp(j + b, l->nz) * l->nx + clamp(i + a, l->nx)];
            out[c] = away[c] > 0.0f ? sum / 9.0f : l->top[c];
        }
}

// The surface under dry land: level with the water near it, yet below the ground, the further away the more.
static void continue_surface(struct land *l, double dx, float *away, float *scratch)
{
    const int cells = l->nx * l->nz;
    spread(l, away);
    if (isinf(away[0])) { // no water at all
        for (int c = 0; c < cells; ++c) l->top[c] = l->bed[c] - (float)dx;
        return;
    }
    smooth_dry(l, away, scratch);
    for (int c = 0; c < cells; ++c)
        l->top[c] =
            away[c] > 0.0f ? fminf(scratch[c], l->bed[c] - least_rise * away[c] * (float)dx) : l->top[c];
}

// Where a film of water ends follows the cells; a mean over neighbours, of little depths only, takes the
// steps out. An even slope stays what it is.
static void soften(const struct land *l, const float *depth, float *out)
{
    const float little = 0.02f * l->deep;
    for (int j = 0; j < l->nz; ++j)
        for (int i = 0; i < l->nx; ++i) {
            const int c = j * l->nx + i;
            float sum = 0.0f;
            for (int b = -1; b <= 1; ++b)
                for (int a = -1; a <= 1; ++a)
                    sum += fmaxf(-little,
                                 fminf(depth[clamp(j + b, l->nz) * l->nx + clamp(i + a, l->nx)], little));
            out[c] = fabsf(depth[c]) < little ? sum / 9.0f : depth[c];
        }
}

// ---- smaller cells --------------------------------------------------------------------------------

// Weights of Catmull and Rom's cubic for the part t of the way between the two middle ones of four points.
static void cubic(float t, float w[4])
{
    w[0] = 0.5f * t * (-1.0f + t * (2.0f - t));
    w[1] = 0.5f * (2.0f + t * t * (-5.0f + 3.0f * t));
    w[2] = 0.5f * t * (1.0f + t * (4.0f - 3.0f * t));
    w[3] = 0.5f * t * t * (-1.0f + t);
}

// Fine cell k of a row that was divided by `by`: between which coarse ones, and how far.
static int coarse(int k, int by, float *part)
{
    const float at = ((float)k + 0.5f) / (float)by - 0.5f, low = floorf(at);
    *part = at - low;
    return (int)low;
}

// `in` of nx * nz cells, each divided into by * by: along x into `rows`, then along z into `out`.
static void divide(const float *in, int nx, int nz, int by, float *rows, float *out)
{
    const int wide = nx * by;
    float part, w[4];
    for (int i = 0; i < wide; ++i) {
        const int low = coarse(i, by, &part);
        const int at[4] = {clamp(low - 1, nx), clamp(low, nx), clamp(low + 1, nx), clamp(low + 2, nx)};
        cubic(part, w);
        for (int j = 0; j < nz; ++j) {
            const float *row = in + j * nx;
            rows[j * wide + i] =
                w[0] * row[at[0]] + w[1] * row[at[1]] + w[2] * row[at[2]] + w[3] * row[at[3]];
        }
    }
    for (int j = 0; j < nz * by; ++j) {
        const int low = coarse(j, by, &part);
        const float *a = rows + clamp(low - 1, nz) * wide, *b = rows + clamp(low, nz) * wide,
                    *c = rows + clamp(low + 1, nz) * wide, *d = rows + clamp(low + 2, nz) * wide;
        cubic(part, w);
        for (int i = 0; i < wide; ++i)
            out[j * wide + i] = w[0] * a[i] + w[1] * b[i] + w[2] * c[i] + w[3] * d[i];
    }
}

// Cubics overshoot beside cliffs: what lies between dry cells stays dry, what lies between wet ones wet.
static void keep_sides(const struct land *l, int by, float *depth)
{
    const int wide = l->nx * by;
    float part;
    for (int j = 0; j < l->nz * by; ++j) {
        const int south = coarse(j, by, &part), s = clamp(south, l->nz) * l->nx,
                  n = clamp(south + 1, l->nz) * l->nx;
        for (int i = 0; i < wide; ++i) {
            const int west = coarse(i, by, &part), w = clamp(west, l->nx), e = clamp(west + 1, l->nx);
            const int wet = land_wet(l, s + w) + land_wet(l, s + e) + land_wet(l, n + w) + land_wet(l, n + e);
            float *d = depth + j * wide + i;
            if (wet == 0) *d = fminf(*d, -1e-4f * l->deep);
            if (wet == 4) *d = fmaxf(*d, film);
        }
    }
}

// ---- all of it ------------------------------------------------------------------------------------

static int division(const tarn_frame *f, bool fast)
{
    const int most = f->nx > f->nz ? f->nx : f->nz, enough = fast ? 160 : 320;
    int by = 1;
    while (by < 4 && 2 * by * most <= enough) by *= 2;
    return by;
}

bool land_fill(struct land *l, const tarn_frame *f, bool fast)
{
    const int by = division(f, fast);
    const size_t cells = (size_t)f->nx * (size_t)f->nz, fine = cells * (size_t)(by * by);
    const size_t need = 4 * cells + 3 * fine;
    if (l->room < need) {
        float *more = realloc(l->memory, need * sizeof *more);
        if (!more) return false;
        l->memory = more, l->room = need;
    }
    float *at = l->memory, *one = at + 2 * cells, *two = at + 3 * cells, *height = at + 4 * cells;
    float *bed = height + fine, *rows = bed + fine;
    l->nx = f->nx, l->nz = f->nz, l->bed = at, l->top = at + cells;
    take_heights(l, f);
    continue_surface(l, f->dx, one, two);
    float *depth = one;
    for (size_t c = 0; c < cells; ++c) depth[c] = l->top[c] - l->bed[c];
    soften(l, depth, two);
    soften(l, two, depth);
    for (size_t c = 0; c < cells; ++c) l->top[c] = l->bed[c] + depth[c];

    divide(l->bed, f->nx, f->nz, by, rows, bed);
    divide(depth, f->nx, f->nz, by, rows, height);
    if (by > 1) keep_sides(l, by, height);
    for (size_t c = 0; c < fine; ++c) height[c] += bed[c];
    const double dx = f->dx / by, back = 0.5 * (f->dx - dx);
    l->shown = (tarn_frame){.nx = f->nx * by,
                            .nz = f->nz * by,
                            .dx = dx,
                            .x0 = f->x0 - back,
                            .z0 = f->z0 - back,
                            .level = f->level - l->datum,
                            .height = height,
                            .bed = bed};
    return true;
}

void land_free(struct land *l)
{
    free(l->memory);
    *l = (struct land){0};
}
