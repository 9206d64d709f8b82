#include "linear_rows.h"

#include <math.h>
#include <string.h>

// ---- weights ----

// Weights of n faces between cells a and b, 0 where one of them is not open.
static void between(const unsigned char *a, const unsigned char *b, const float *restrict beta, float k,
                    float *restrict out, size_t n)
{
    if (a && beta)
        for (size_t i = 0; i < n; ++i) out[i] = ((a[i] != 0) & (b[i] != 0)) ? k * beta[i] : 0.0f;
    else if (a)
        for (size_t i = 0; i < n; ++i) out[i] = ((a[i] != 0) & (b[i] != 0)) ? k : 0.0f;
    else if (beta)
        for (size_t i = 0; i < n; ++i) out[i] = k * beta[i];
    else
        for (size_t i = 0; i < n; ++i) out[i] = k;
}

static const unsigned char *mask_at(const struct linear *s, size_t c) { return s->open ? s->open + c : NULL; }

static const float *weight_at(const float *beta, size_t c) { return beta ? beta + c : NULL; }

static void weigh_row(const struct linear *s, struct linear_level *l, int j)
{
    const struct grid *g = &l->g;
    const size_t n = (size_t)g->nx, first = grid_at(g, 0, j), last = first + n - 1;
    const unsigned char *open = s->open;
    between(mask_at(s, first), mask_at(s, first + 1), weight_at(s->beta_x, first + 1), 1.0f,
            l->west + first + 1, n - 1);
    if (s->wrap_x) {
        between(mask_at(s, last), mask_at(s, first), weight_at(s->beta_x, first), 1.0f, l->west + first, 1);
        l->west[last + 1] = l->west[first];
    } else {
        between(mask_at(s, first), mask_at(s, first), weight_at(s->beta_x, first), s->side[LINEAR_WEST],
                l->west + first, 1);
        between(mask_at(s, last), mask_at(s, last), weight_at(s->beta_x, last + 1), s->side[LINEAR_EAST],
                l->west + last + 1, 1);
    }
    if (s->alpha)
        for (size_t c = first; c <= last; ++c) l->alpha[c] = !open || open[c] ? s->alpha[c] : 0.0f;
}

// South faces of row j, 0 .. nz.
static void weigh_south(const struct linear *s, const struct grid *g, int j, float *out)
{
    const bool side = j == 0 || j == g->nz;
    const int below = j > 0       ? j - 1
                      : s->wrap_z ? g->nz - 1
                                  : 0,
              above = j < g->nz   ? j
                      : s->wrap_z ? 0
                                  : j - 1;
    const float k = !side || s->wrap_z ? 1.0f : s->side[j == 0 ? LINEAR_SOUTH : LINEAR_NORTH];
    const size_t face = grid_at(g, 0, s->wrap_z && j == g->nz ? 0 : j);
    between(mask_at(s, grid_at(g, 0, below)), mask_at(s, grid_at(g, 0, above)), weight_at(s->beta_z, face), k,
            out, (size_t)g->nx);
}

static void invert_row(const float *restrict west, const float *restrict south, const float *restrict north,
                       const float *restrict alpha, float *restrict inverse, size_t n)
{
    for (size_t i = 0; i < n; ++i) {
        const float sum = (west[i] + west[i + 1]) + (south[i] + north[i]);
        inverse[i] = alpha ? alpha[i] + sum : sum;
    }
    for (size_t i = 0; i < n; ++i) inverse[i] = inverse[i] > 0.0f ? 1.0f / inverse[i] : 0.0f;
}

static double count_positive(const float *a, size_t n)
{
    int32_t count = 0;
    for (size_t i = 0; i < n; ++i) count += a[i] > 0.0f;
    return count;
}

// The smallest part that alpha has in the diagonal.
static double least_row(const float *restrict alpha, const float *restrict inverse, size_t n)
{
    float lane[8] = {1.0f, 1.0f, 1.0f, 1.0f, 1.0f, 1.0f, 1.0f, 1.0f};
    for (size_t i = 0; i < n; ++i) {
        const float part = inverse[i] > 0.0f ? alpha[i] * inverse[i] : 1.0f;
        lane[i % 8] = part < lane[i % 8] ? part : lane[i % 8];
    }
    for (int k = 1; k < 8; ++k) lane[0] = lane[k] < lane[0] ? lane[k] : lane[0];
    return (double)lane[0];
}

static void mark_row(const float *restrict west, const float *restrict south, unsigned char *restrict marks,
                     size_t n)
{
    for (size_t i = 0; i < n; ++i)
        marks[i] =
            (unsigned char)((west[i] > 0.0f ? LINEAR_TO_WEST : 0) | (south[i] > 0.0f ? LINEAR_TO_SOUTH : 0));
}

static void weigh_rows(const struct linear *s, struct linear_level *l, unsigned char *marks, float *scratch,
                       double *sums, int j0, int j1)
{
    const size_t n = (size_t)l->g.nx;
    weigh_south(s, &l->g, j0, l->south + grid_at(&l->g, 0, j0));
    for (int j = j0; j < j1; ++j) {
        const size_t c = grid_at(&l->g, 0, j);
        // The next block's faces are its own to write.
        float *north = j + 1 < j1 || j1 == l->g.nz ? l->south + c + l->g.stride : scratch;
        weigh_row(s, l, j);
        weigh_south(s, &l->g, j + 1, north);
        invert_row(l->west + c, l->south + c, north, s->alpha ? l->alpha + c : NULL, l->inverse + c, n);
        mark_row(l->west + c, l->south + c, marks + c, n);
        double *sum = sums + (size_t)j * LINEAR_SUMS;
        sum[0] = count_positive(l->inverse + c, n);
        sum[1] = s->alpha ? count_positive(l->alpha + c, n) : 0.0;
        sum[2] = s->alpha ? least_row(l->alpha + c, l->inverse + c, n) : 0.0;
    }
}

static void invert_rows(struct linear_level *l, bool has_alpha, double *sums, int j0, int j1)
{
    for (int j = j0; j < j1; ++j) {
        const size_t c = grid_at(&l->g, 0, j);
        invert_row(l->west + c, l->south + c, l->south + c + l->g.stride, has_alpha ? l->alpha + c : NULL,
                   l->inverse + c, (size_t)l->g.nx);
        if (has_alpha)
            sums[(size_t)j * LINEAR_SUMS + 2] = least_row(l->alpha + c, l->inverse + c, (size_t)l->g.nx);
    }
}

// ---- sums ----

static double squares_of(const double *a, size_t n)
{
    double lane[8] = {0};
    size_t i = 0;
    for (; i + 8 <= n; i += 8)
        for (size_t k = 0; k < 8; ++k) lane[k] += a[i + k] * a[i + k];
    for (size_t k = 0; i + k < n; ++k) lane[k] += a[i + k] * a[i + k];
    return join_lanes(lane);
}

static void mask_row(const float *restrict inverse, const double *restrict v, double shift,
                     double *restrict out, size_t n)
{
    for (size_t i = 0; i < n; ++i) out[i] = inverse[i] > 0.0f ? v[i] - shift : 0.0;
}

static void survey_rows(const struct linear_level *l, const double *b, const double *x, double *scratch,
                        double *sums, int j0, int j1)
{
    const size_t n = (size_t)l->g.nx;
    for (int j = j0; j < j1; ++j) {
        const size_t c = grid_at(&l->g, 0, j);
        double *sum = sums + (size_t)j * LINEAR_SUMS;
        mask_row(l->inverse + c, b + c, 0.0, scratch, n);
        sum[0] = sum_of(scratch, n);
        sum[1] = squares_of(scratch, n);
        mask_row(l->inverse + c, x + c, 0.0, scratch, n);
        sum[2] = sum_of(scratch, n);
        for (size_t i = 0; i < n; ++i) scratch[i] = fabs(scratch[i]);
        sum[3] = sum_of(scratch, n);
    }
}

static void scale_row(double scale, const double *restrict v, float *restrict out, size_t n)
{
    for (size_t i = 0; i < n; ++i) out[i] = (float)(scale * v[i]);
}

static void take_rows(const struct linear_level *l, const double *b, double shift, double scale, double *v,
                      double *sums, int j0, int j1)
{
    const size_t n = (size_t)l->g.nx;
    for (int j = j0; j < j1; ++j) {
        const size_t c = grid_at(&l->g, 0, j);
        if (b != v) mask_row(l->inverse + c, b + c, shift, v + c, n);
        scale_row(scale, v + c, l->r + c, n);
        sums[(size_t)j * LINEAR_SUMS] = squares_of(v + c, n);
    }
}

static void shift_rows(const struct linear_level *l, double shift, double *v, int j0, int j1)
{
    const size_t n = (size_t)l->g.nx;
    for (int j = j0; j < j1; ++j) {
        const size_t c = grid_at(&l->g, 0, j);
        for (size_t i = c; i < c + n; ++i) v[i] -= l->inverse[i] > 0.0f ? shift : 0.0;
    }
}

// ---- conjugate gradients ----

static void search_row(const struct linear_level *l, const float *restrict z, float beta,
                       const float *restrict p, int j, float *restrict out)
{
    const size_t c = grid_at(&l->g, 0, j), n = (size_t)l->g.nx;
    if (beta == 0.0f)
        memcpy(out, z + c, n * sizeof *out); // p may be anything
    else
        for (size_t i = 0; i < n; ++i) out[i] = z[c + i] + beta * p[c + i];
    out[-1] = l->wrap_x ? out[n - 1] : 0.0f;
    out[n] = l->wrap_x ? out[0] : 0.0f;
}

// p A p is a sum of squares over faces: every cell counts its west and its south one.
__attribute__((noinline)) static double energy_row(const float *restrict west, const float *restrict south,
                                                   const float *p, const float *before,
                                                   const float *restrict below, size_t n)
{
    double lane[8] = {0};
    size_t i = 0;
    for (; i + 8 <= n; i += 8)
        for (size_t k = i; k < i + 8; ++k) {
            const double along = (double)(p[k] - before[k]), across = (double)(p[k] - below[k]);
            lane[k - i] += (double)west[k] * (along * along) + (double)south[k] * (across * across);
        }
    for (size_t k = i; k < n; ++k) {
        const double along = (double)(p[k] - before[k]), across = (double)(p[k] - below[k]);
        lane[k - i] += (double)west[k] * (along * along) + (double)south[k] * (across * across);
    }
    return join_lanes(lane);
}

// weight p^2 over a row: alpha, or a side that leads out
static double square_row(const float *restrict weight, const float *restrict p, size_t n)
{
    double lane[8] = {0};
    for (size_t i = 0; i < n; ++i) lane[i % 8] += (double)weight[i] * ((double)p[i] * (double)p[i]);
    return join_lanes(lane);
}

// The row below a block's first is its neighbour's; it is made again in scratch.
static void direction_rows(const struct linear_level *l, bool has_alpha, const float *z, float beta,
                           const float *p, float *p1, float *scratch, double *sums, int j0, int j1)
{
    const struct grid *g = &l->g;
    const size_t n = (size_t)g->nx;
    float *below = scratch + 16;
    if (j0 > 0 || l->wrap_z)
        search_row(l, z, beta, p, j0 > 0 ? j0 - 1 : g->nz - 1, below);
    else
        memset(below, 0, n * sizeof *below);
    for (int j = j0; j < j1; ++j) {
        const size_t c = grid_at(g, 0, j);
        search_row(l, z, beta, p, j, p1 + c);
        double sum = energy_row(l->west + c, l->south + c, p1 + c, p1 + c - 1, below, n);
        if (!l->wrap_x) sum += square_row(l->west + c + n, p1 + c + n - 1, 1);
        if (j == g->nz - 1 && !l->wrap_z) sum += square_row(l->south + c + g->stride, p1 + c, n);
        if (has_alpha) sum += square_row(l->alpha + c, p1 + c, n);
        sums[(size_t)j * LINEAR_SUMS] = sum;
        below = p1 + c;
    }
}

struct star {
    const double *mid, *west, *east, *south, *north;
};

struct faces {
    const float *west, *east, *south, *north;
};

// Differences across faces, so that a constant gives exactly 0. Not inlined: see wave_rows.c.
__attribute__((noinline)) static void left_row(const struct star *star, const struct faces *faces,
                                               const double *restrict b, double *restrict r, size_t n)
{
    const struct star x = *star;
    const struct faces w = *faces;
    for (size_t i = 0; i < n; ++i) {
        const double along =
            (double)w.west[i] * (x.mid[i] - x.west[i]) + (double)w.east[i] * (x.mid[i] - x.east[i]);
        const double across =
            (double)w.south[i] * (x.mid[i] - x.south[i]) + (double)w.north[i] * (x.mid[i] - x.north[i]);
        r[i] = b[i] - (along + across);
    }
}

static void less_alpha(const float *restrict alpha, const double *restrict x, double *restrict r, size_t n)
{
    for (size_t i = 0; i < n; ++i) r[i] -= (double)alpha[i] * x[i];
}

static void first_row(const float *restrict inverse, const float *restrict p, double a, double shift,
                      double *restrict out, size_t n)
{
    for (size_t i = 0; i < n; ++i) out[i] = inverse[i] > 0.0f ? a * ((double)p[i] - shift) : 0.0;
}

// Row j of the new x, in a row of its own with ends.
static void moved_row(const struct linear_move *m, int j, const double *old, double *restrict out)
{
    const struct linear_level *l = m->l;
    const size_t c = grid_at(&l->g, 0, j), n = (size_t)l->g.nx;
    const float *restrict p = m->p ? m->p + c : NULL;
    const double a = m->a;
    if (!m->p)
        mask_row(l->inverse + c, old, m->shift, out, n);
    else if (m->fresh)
        first_row(l->inverse + c, p, a, m->shift, out, n);
    else
        for (size_t i = 0; i < n; ++i) out[i] = old[i] + a * (double)p[i];
    out[-1] = l->wrap_x ? out[n - 1] : 0.0;
    out[n] = l->wrap_x ? out[0] : 0.0;
}

static void own_row(const struct linear_move *m, int j, double *out)
{
    double *x = m->x + grid_at(&m->l->g, 0, j);
    moved_row(m, j, x, out);
    memcpy(x, out, (size_t)m->l->g.nx * sizeof *x);
}

// A row next to the block, which its own block may have moved already.
static void other_row(const struct linear_move *m, int j, double *out)
{
    const struct grid *g = &m->l->g;
    if (!m->l->wrap_z && (j < 0 || j >= g->nz)) {
        memset(out, 0, (size_t)g->nx * sizeof *out);
        return;
    }
    const int row = (j + g->nz) % g->nz;
    moved_row(m, row, linear_edge(m->l, m->edge, row), out);
}

static float largest_of(const float *a, size_t n)
{
    int32_t best = 0;
    for (size_t i = 0; i < n; ++i) best = later(best, size_bits(a[i]));
    return bits_size(best);
}

static void move_rows(const struct linear_move *m, double *scratch, int j0, int j1)
{
    const struct linear_level *l = m->l;
    const struct grid *g = &l->g;
    const size_t n = (size_t)g->nx;
    double *row[3], *r = scratch + 3 * g->stride + 16;
    for (size_t k = 0; k < 3; ++k) row[k] = scratch + k * g->stride + 16;
    other_row(m, j0 - 1, row[0]);
    own_row(m, j0, row[1]);
    for (int j = j0; j < j1; ++j) {
        const size_t c = grid_at(g, 0, j);
        double *sum = m->sums + (size_t)j * LINEAR_SUMS;
        (j + 1 < j1 ? own_row : other_row)(m, j + 1, row[2]);
        const struct star x = {row[1], row[1] - 1, row[1] + 1, row[0], row[2]};
        const struct faces w = {l->west + c, l->west + c + 1, l->south + c, l->south + c + g->stride};
        left_row(&x, &w, m->b + c, r, n);
        if (m->has_alpha) less_alpha(l->alpha + c, row[1], r, n);
        scale_row(m->scale, r, l->r + c, n);
        sum[0] = squares_of(r, n);
        sum[1] = sum_of(row[1], n);
        sum[2] = squares_of(row[1], n);
        sum[3] = (double)largest_of(l->r + c, n);
        double *const south = row[0];
        row[0] = row[1];
        row[1] = row[2];
        row[2] = south;
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
        sums[(size_t)j * LINEAR_SUMS] = join_lanes(lane);
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
    .survey = survey_rows,
    .take = take_rows,
    .shift = shift_rows,
    .direction = direction_rows,
    .move = move_rows,
    .scale = scale_rows,
};
