#include "linear_rows.h"

#include <math.h>
#include <string.h>

// ---- weights ----

// Weight of the face between cells a and b, 0 where one of them is not open.
static float between(const struct linear *s, const float *beta, size_t face, size_t a, size_t b)
{
    if (s->open && (!s->open[a] || !s->open[b])) return 0.0f;
    return beta ? beta[face] : 1.0f;
}

static void weigh_row(const struct linear *s, struct linear_level *l, int j)
{
    const struct grid *g = &l->g;
    const size_t first = grid_at(g, 0, j), last = first + (size_t)g->nx - 1;
    for (size_t c = first + 1; c <= last; ++c) l->west[c] = between(s, s->beta_x, c, c - 1, c);
    if (s->wrap_x) {
        l->west[first] = l->west[last + 1] = between(s, s->beta_x, first, last, first);
    } else {
        l->west[first] = s->side[LINEAR_WEST] * between(s, s->beta_x, first, first, first);
        l->west[last + 1] = s->side[LINEAR_EAST] * between(s, s->beta_x, last + 1, last, last);
    }
    if (s->alpha)
        for (size_t c = first; c <= last; ++c) l->alpha[c] = !s->open || s->open[c] ? s->alpha[c] : 0.0f;
}

// South faces of row j, 0 .. nz.
static void weigh_south(const struct linear *s, struct linear_level *l, int j)
{
    const struct grid *g = &l->g;
    const bool side = j == 0 || j == g->nz;
    const int below = j > 0       ? j - 1
                      : s->wrap_z ? g->nz - 1
                                  : 0,
              above = j < g->nz   ? j
                      : s->wrap_z ? 0
                                  : j - 1;
    const float k = !side || s->wrap_z ? 1.0f : s->side[j == 0 ? LINEAR_SOUTH : LINEAR_NORTH];
    for (int i = 0; i < g->nx; ++i) {
        const size_t face = grid_at(g, i, s->wrap_z && j == g->nz ? 0 : j);
        l->south[grid_at(g, i, j)] =
            k * between(s, s->beta_z, face, grid_at(g, i, below), grid_at(g, i, above));
    }
}

static void weigh_rows(const struct linear *s, struct linear_level *l, int j0, int j1)
{
    for (int j = j0; j < j1; ++j) {
        weigh_row(s, l, j);
        weigh_south(s, l, j);
    }
    if (j1 == l->g.nz) weigh_south(s, l, j1);
}

static void invert_rows(struct linear_level *l, bool has_alpha, int j0, int j1)
{
    const float *restrict west = l->west, *restrict south = l->south, *restrict alpha = l->alpha;
    float *restrict inverse = l->inverse;
    const size_t n = l->g.stride;
    for (int j = j0; j < j1; ++j) {
        const size_t row = grid_at(&l->g, 0, j), end = row + (size_t)l->g.nx;
        for (size_t c = row; c < end; ++c) {
            const float faces = (west[c] + west[c + 1]) + (south[c] + south[c + n]);
            const float sum = has_alpha ? alpha[c] + faces : faces;
            inverse[c] = sum > 0.0f ? 1.0f / sum : 0.0f;
        }
    }
}

// ---- sums ----

static double join(const double lane[8])
{
    return ((lane[0] + lane[1]) + (lane[2] + lane[3])) + ((lane[4] + lane[5]) + (lane[6] + lane[7]));
}

static double sum_of(const double *a, size_t n)
{
    double lane[8] = {0};
    size_t i = 0;
    for (; i + 8 <= n; i += 8)
        for (size_t k = 0; k < 8; ++k) lane[k] += a[i + k];
    for (size_t k = 0; i + k < n; ++k) lane[k] += a[i + k];
    return join(lane);
}

static double dot(const double *a, const double *b, size_t n)
{
    double lane[8] = {0};
    size_t i = 0;
    for (; i + 8 <= n; i += 8)
        for (size_t k = 0; k < 8; ++k) lane[k] += a[i + k] * b[i + k];
    for (size_t k = 0; i + k < n; ++k) lane[k] += a[i + k] * b[i + k];
    return join(lane);
}

static void load_rows(const struct linear_level *l, const double *b, double *v, double *sums, int j0, int j1)
{
    const size_t n = (size_t)l->g.nx;
    for (int j = j0; j < j1; ++j) {
        const size_t c = grid_at(&l->g, 0, j);
        for (size_t i = c; i < c + n; ++i) v[i] = l->inverse[i] > 0.0f ? b[i] : 0.0;
        sums[j] = sum_of(v + c, n);
    }
}

static void size_rows(const struct linear_level *l, const double *x, double *sums, int j0, int j1)
{
    const size_t n = (size_t)l->g.nx;
    for (int j = j0; j < j1; ++j) {
        const size_t c = grid_at(&l->g, 0, j);
        double lane[8] = {0};
        for (size_t i = 0; i < n; ++i) lane[i % 8] += l->inverse[c + i] > 0.0f ? fabs(x[c + i]) : 0.0;
        sums[j] = join(lane);
    }
}

static void shift_rows(const struct linear_level *l, double shift, double *v, double *sums, int j0, int j1)
{
    const size_t n = (size_t)l->g.nx;
    for (int j = j0; j < j1; ++j) {
        const size_t c = grid_at(&l->g, 0, j);
        for (size_t i = c; i < c + n; ++i) v[i] = l->inverse[i] > 0.0f ? v[i] - shift : 0.0;
        sums[j] = dot(v + c, v + c, n);
    }
}

// ---- the operator ----

struct star {
    const double *mid, *west, *east, *south, *north;
};

struct faces {
    const float *west, *east, *south, *north;
};

// Differences across faces, so that a constant gives exactly 0. Not inlined: see wave_rows.c.
__attribute__((noinline)) static void apply_row(const struct star *star, const struct faces *faces,
                                                double *restrict q, size_t n)
{
    const struct star p = *star;
    const struct faces b = *faces;
    for (size_t i = 0; i < n; ++i) {
        const double along =
            (double)b.west[i] * (p.mid[i] - p.west[i]) + (double)b.east[i] * (p.mid[i] - p.east[i]);
        const double across =
            (double)b.south[i] * (p.mid[i] - p.south[i]) + (double)b.north[i] * (p.mid[i] - p.north[i]);
        q[i] = along + across;
    }
}

static void add_alpha(const float *restrict alpha, const double *restrict p, double *restrict q, size_t n)
{
    for (size_t i = 0; i < n; ++i) q[i] += (double)alpha[i] * p[i];
}

// The rows of p1 that a block's own rows ask for.
struct search {
    const struct linear_level *l;
    const float *z;
    double beta;
    const double *p;
};

static void search_row(const struct search *s, int j, double *restrict out)
{
    const struct grid *g = &s->l->g;
    const size_t c = grid_at(g, 0, j), n = (size_t)g->nx;
    const float *restrict z = s->z ? s->z + c : NULL, *restrict inverse = s->l->inverse + c;
    const double *restrict p = s->p + c;
    const double beta = s->beta;
    if (z && beta == 0.0)
        for (size_t i = 0; i < n; ++i) out[i] = (double)z[i]; // p may be anything
    else if (z)
        for (size_t i = 0; i < n; ++i) out[i] = (double)z[i] + beta * p[i];
    else
        for (size_t i = 0; i < n; ++i) out[i] = inverse[i] > 0.0f ? p[i] : 0.0;
    out[-1] = s->l->wrap_x ? out[n - 1] : 0.0;
    out[n] = s->l->wrap_x ? out[0] : 0.0;
}

// Own rows go to p1, those of the neighbouring blocks to scratch, because nobody else may write theirs.
static void direction_rows(const struct linear_level *l, bool has_alpha, const float *z, double beta,
                           const double *p, double *p1, double *q, double *scratch, double *sums, int j0,
                           int j1)
{
    const struct grid *g = &l->g;
    const struct search s = {l, z, beta, p};
    const size_t n = (size_t)g->nx;
    double *below = scratch + 16, *above = below + g->stride;
    const bool south = j0 > 0 || l->wrap_z, north = j1 < g->nz || l->wrap_z;
    if (south)
        search_row(&s, j0 > 0 ? j0 - 1 : g->nz - 1, below);
    else
        memset(below, 0, n * sizeof *below);
    search_row(&s, j0, p1 + grid_at(g, 0, j0));
    for (int j = j0; j < j1; ++j) {
        const size_t c = grid_at(g, 0, j);
        if (j + 1 < j1)
            search_row(&s, j + 1, p1 + c + g->stride);
        else if (north)
            search_row(&s, j1 < g->nz ? j1 : 0, above);
        else
            memset(above, 0, n * sizeof *above);
        const struct star star = {p1 + c, p1 + c - 1, p1 + c + 1, j > j0 ? p1 + c - g->stride : below,
                                  j + 1 < j1 ? p1 + c + g->stride : above};
        const struct faces b = {l->west + c, l->west + c + 1, l->south + c, l->south + c + g->stride};
        apply_row(&star, &b, q + c, n);
        if (has_alpha) add_alpha(l->alpha + c, p1 + c, q + c, n);
        sums[j] = dot(p1 + c, q + c, n);
    }
}

static void residual_rows(const struct linear_level *l, const double *b, const double *q, double scale,
                          double *r, double *sums, int j0, int j1)
{
    const size_t n = (size_t)l->g.nx;
    for (int j = j0; j < j1; ++j) {
        const size_t c = grid_at(&l->g, 0, j);
        if (q)
            for (size_t i = c; i < c + n; ++i) r[i] = b[i] - q[i];
        else
            memcpy(r + c, b + c, n * sizeof *r);
        for (size_t i = c; i < c + n; ++i) l->r[i] = (float)(scale * r[i]);
        sums[j] = dot(r + c, r + c, n);
    }
}

static void advance_row(double a, double scale, const double *restrict p, const double *restrict q,
                        double *restrict x, double *restrict r, float *restrict out, size_t n)
{
    for (size_t i = 0; i < n; ++i) {
        x[i] += a * p[i];
        const double left = r[i] - a * q[i];
        r[i] = left;
        out[i] = (float)(scale * left);
    }
}

static void advance_rows(const struct linear_level *l, double a, double scale, const double *p,
                         const double *q, double *x, double *r, double *sums, int j0, int j1)
{
    const size_t n = (size_t)l->g.nx;
    for (int j = j0; j < j1; ++j) {
        const size_t c = grid_at(&l->g, 0, j);
        advance_row(a, scale, p + c, q + c, x + c, r + c, l->r + c, n);
        sums[j] = dot(r + c, r + c, n);
    }
}

// ---- the simple kinds ----

static void scale_rows(const struct linear_level *l, double *sums, int j0, int j1)
{
    const size_t n = (size_t)l->g.nx;
    for (int j = j0; j < j1; ++j) {
        const size_t c = grid_at(&l->g, 0, j);
        const float *restrict r = l->r + c, *restrict inverse = l->inverse + c;
        float *restrict z = l->z + c;
        double lane[8] = {0};
        for (size_t i = 0; i < n; ++i) z[i] = inverse[i] * r[i];
        for (size_t i = 0; i < n; ++i) lane[i % 8] += (double)r[i] * (double)z[i];
        sums[j] = join(lane);
    }
}

static void add_rows(const struct linear_level *l, double a, double *x, int j0, int j1)
{
    const size_t n = (size_t)l->g.nx;
    for (int j = j0; j < j1; ++j) {
        const size_t c = grid_at(&l->g, 0, j);
        for (size_t i = c; i < c + n; ++i) x[i] += a * (double)l->z[i];
    }
}

struct float_star {
    const float *mid, *west, *east, *south, *north;
};

__attribute__((noinline)) static void jacobi_row(const struct float_star *star, const struct faces *faces,
                                                 float omega, const float *restrict r,
                                                 const float *restrict inverse, float *restrict out, size_t n)
{
    const struct float_star z = *star;
    const struct faces b = *faces;
    for (size_t i = 0; i < n; ++i) {
        const float along = b.west[i] * z.west[i] + b.east[i] * z.east[i];
        const float across = b.south[i] * z.south[i] + b.north[i] * z.north[i];
        out[i] = z.mid[i] + omega * (inverse[i] * (r[i] + (along + across)) - z.mid[i]);
    }
}

static void jacobi_rows(const struct linear_level *l, float omega, const float *z, float *z1, int j0, int j1)
{
    const struct grid *g = &l->g;
    const size_t n = (size_t)g->nx;
    for (int j = j0; j < j1; ++j) {
        const size_t c = grid_at(g, 0, j);
        // Beyond a side that is not periodic are ghosts of value 0.
        const size_t south = l->wrap_z && j == 0 ? grid_at(g, 0, g->nz - 1) : c - g->stride;
        const size_t north = l->wrap_z && j == g->nz - 1 ? grid_at(g, 0, 0) : c + g->stride;
        const struct float_star star = {z + c, z + c - 1, z + c + 1, z + south, z + north};
        const struct faces b = {l->west + c, l->west + c + 1, l->south + c, l->south + c + g->stride};
        jacobi_row(&star, &b, omega, l->r + c, l->inverse + c, z1 + c, n);
        z1[c - 1] = l->wrap_x ? z1[c + n - 1] : 0.0f;
        z1[c + n] = l->wrap_x ? z1[c] : 0.0f;
    }
}

const struct linear_rows_kernels KERNELS(linear_rows_kernels) = {
    .weigh = weigh_rows,
    .invert = invert_rows,
    .jacobi = jacobi_rows,
    .load = load_rows,
    .shift = shift_rows,
    .direction = direction_rows,
    .residual = residual_rows,
    .advance = advance_rows,
    .scale = scale_rows,
    .size = size_rows,
    .add = add_rows,
};
