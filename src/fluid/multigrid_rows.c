#include "multigrid_rows.h"

#include <string.h>

// ---- coarse weights ----

// A coarse cell is up to 2 x 2 fine ones; at an odd end it is narrower and counts as if the rest of it were closed. Its
// faces are twice as long and twice as far apart, so a face's weight is the mean of the two fine faces on it: a gap of
// one cell stays open at half the weight. Where an axis has one cell left, lengths along it do not double.
static void pairs_down(float k, const float *restrict south, const float *restrict north, float *restrict out,
                       size_t n)
{
    for (size_t i = 0; i < n; ++i) out[i] = k * (south[2 * i] + north[2 * i]);
}

static void pairs_along(float k, const float *restrict a, float *restrict out, size_t n)
{
    for (size_t i = 0; i < n; ++i) out[i] = k * (a[2 * i] + a[2 * i + 1]);
}

static void fours(const float *restrict a, const float *restrict b, float *restrict out, size_t n)
{
    for (size_t i = 0; i < n; ++i) out[i] = (a[2 * i] + a[2 * i + 1]) + (b[2 * i] + b[2 * i + 1]);
}

// What the weights of a side's faces are multiplied by from one level to the next.
static float farther(const struct linear_level *f, const struct linear_level *l, int side)
{
    return f->side[side] > 0.0f ? l->side[side] / f->side[side] : 1.0f;
}

static void coarsen_row(const struct linear_level *f, struct linear_level *l, bool has_alpha, int j)
{
    const struct grid *g = &l->g;
    const size_t n = (size_t)g->nx, c = grid_at(g, 0, j);
    const size_t at = grid_at(&f->g, 0, 2 * j < f->g.nz ? 2 * j : f->g.nz), up = at + f->g.stride;
    float along = f->g.nx == 1 ? 1.0f : 0.5f, across = f->g.nz == 1 ? 1.0f : 0.5f;
    if (l->wrap_x && g->nx == 1) along = 0.0f; // a cell is its own neighbour: nothing passes
    if (l->wrap_z && g->nz == 1) across = 0.0f;
    if (!l->wrap_z && j == 0) across *= farther(f, l, LINEAR_SOUTH);
    if (!l->wrap_z && j == g->nz) across *= farther(f, l, LINEAR_NORTH);
    pairs_along(across, f->south + at, l->south + c, n);
    if (j == g->nz) return;
    pairs_down(along, f->west + at, f->west + up, l->west + c, n);
    l->west[c + n] = along * (f->west[at + (size_t)f->g.nx] + f->west[up + (size_t)f->g.nx]);
    if (!l->wrap_x) {
        l->west[c] *= farther(f, l, LINEAR_WEST);
        l->west[c + n] *= farther(f, l, LINEAR_EAST);
    }
    if (has_alpha) fours(f->alpha + at, f->alpha + up, l->alpha + c, n);
}

static void coarsen_rows(const struct linear_level *f, struct linear_level *l, bool has_alpha, int j0, int j1)
{
    for (int j = j0; j < j1 + (j1 == l->g.nz); ++j) coarsen_row(f, l, has_alpha, j);
}

// The largest weight of every cell's faces in a row, and of the cells before and after it.
static void widest_row(const struct linear_level *l, int j, float *restrict out)
{
    const size_t c = grid_at(&l->g, 0, j), n = (size_t)l->g.nx;
    const float *west = l->west + c, *east = west + 1, *south = l->south + c, *north = south + l->g.stride;
    for (size_t i = 0; i < n; ++i) out[i] = larger(larger(west[i], east[i]), larger(south[i], north[i]));
    out[-1] = l->wrap_x ? out[n - 1] : out[0];
    out[n] = l->wrap_x ? out[0] : out[n - 1];
}

// A fine cell lies a quarter of a coarse cell off the middle of its own, so linear interpolation takes a quarter of the
// difference to either neighbour: z + (zx - z)/4 + (zz - z)/4, exact for planes. Through a face that is narrower than
// others of its two cells less is taken, through a closed one nothing; a 0 beyond a side is nearer. Around an odd
// periodic axis the last cell has no outer half; there nothing is taken either.
static void share_faces(const float *restrict weight, const float *a, const float *b, float *restrict out,
                        size_t n)
{
    for (size_t i = 0; i < n; ++i) {
        const float widest = larger(a[i], b[i]);
        out[i] = 0.25f * (weight[i] / (widest > 0.0f ? widest : 1.0f));
    }
}

static void scale_row(float k, float *a, size_t n)
{
    for (size_t i = 0; i < n; ++i) a[i] *= k;
}

static void share_rows(const struct linear_level *f, struct linear_level *l, float *scratch, int j0, int j1)
{
    const struct grid *g = &l->g;
    const bool odd_x = f->wrap_x && f->g.nx % 2 != 0, odd_z = f->wrap_z && f->g.nz % 2 != 0;
    const size_t n = (size_t)g->nx;
    float *below = scratch + 16, *here = below + g->stride;
    widest_row(l, j0 > 0 ? j0 - 1 : l->wrap_z ? g->nz - 1 : 0, below);
    for (int j = j0; j < j1 + (j1 == g->nz); ++j) {
        const size_t c = grid_at(g, 0, j);
        widest_row(l, j < g->nz ? j : l->wrap_z ? 0 : j - 1, here);
        share_faces(l->south + c, below, here, l->share_south + c, n);
        if (odd_z && (j == 0 || j == g->nz)) memset(l->share_south + c, 0, n * sizeof(float));
        if (!l->wrap_z && j == 0) scale_row(l->side[LINEAR_SOUTH], l->share_south + c, n);
        if (!l->wrap_z && j == g->nz) scale_row(l->side[LINEAR_NORTH], l->share_south + c, n);
        if (j == g->nz) break;
        share_faces(l->west + c, here - 1, here, l->share_west + c, n + 1);
        if (!l->wrap_x) {
            l->share_west[c] *= l->side[LINEAR_WEST];
            l->share_west[c + n] *= l->side[LINEAR_EAST];
        }
        if (odd_x) l->share_west[c] = l->share_west[c + n] = 0.0f;
        float *const last = below;
        below = here;
        here = last;
    }
}

// ---- smoothing ----
//
// All four sweeps go up the grid together, one row behind the other, while the rows are in the cache:
//
//     begin            . . . . . j          Every sweep reads rows of the one before and writes its own, so
//     sweep 1          . . . . j-1          nothing is read that is being written. A block begins a few rows
//     sweep 2          . . . j-2            early and ends a few late and does that work again; blocks stay
//     sweep 3          . . j-3              independent.
//     sweep 4          . j-4      -> out
//     what is left     j-5        -> right-hand side of the coarse level

enum { SWEEPS = LINEAR_SMOOTHS, RING = 4, EDGE = 16 };

struct rows {
    float *at[SWEEPS + 2][RING]; // row j of stage n at [n][j % RING], first cell
    float *zero, *pair;
};

struct star {
    const float *mid, *west, *east, *south, *north;
};

// Weights of a row, strangers to each other for the sake of clang (see wave_rows.c).
struct faces {
    const float *west, *east, *south, *north;
};

static float *ring(const struct rows *k, int stage, int j) { return k->at[stage][(j + 8 * RING) % RING]; }

static int around(const struct linear_level *l, int j)
{
    const int n = l->g.nz;
    return l->wrap_z ? (j % n + n) % n : j;
}

static bool there(const struct linear_level *l, int j) { return l->wrap_z || (0 <= j && j < l->g.nz); }

static void close_row(const struct linear_level *l, float *row)
{
    const int n = l->g.nx;
    row[-1] = l->wrap_x ? row[n - 1] : 0.0f;
    row[n] = l->wrap_x ? row[0] : 0.0f;
}

static struct faces faces_at(const struct linear_level *l, size_t c)
{
    return (struct faces){l->west + c, l->west + c + 1, l->south + c, l->south + c + l->g.stride};
}

// z goes towards (r + sum beta z_n)/(alpha + sum beta), as far as omega says.
__attribute__((noinline)) static void sweep_row(float omega, const struct star *star,
                                                const struct faces *faces, const float *restrict r,
                                                const float *restrict inverse, float *restrict out, size_t n)
{
    const struct star z = *star;
    const struct faces b = *faces;
    for (size_t i = 0; i < n; ++i) {
        const float along = b.west[i] * z.west[i] + b.east[i] * z.east[i];
        const float across = b.south[i] * z.south[i] + b.north[i] * z.north[i];
        const float relaxed = inverse[i] * (r[i] + (along + across));
        out[i] = z.mid[i] + omega * (relaxed - z.mid[i]);
    }
}

// Only the cells of one colour take what a sweep found.
static void keep_row(const float *restrict tick, const float *restrict old, float *restrict out, size_t n)
{
    for (size_t i = 0; i < n; ++i) out[i] = tick[i] > 0.0f ? out[i] : old[i];
}

// The first of them when all is 0.
static void first_row(float omega, const float *restrict r, const float *restrict inverse,
                      float *restrict out, size_t n)
{
    for (size_t i = 0; i < n; ++i) out[i] = omega * (inverse[i] * r[i]);
}

// What is left: r - A z
__attribute__((noinline)) static void left_row(const struct star *star, const struct faces *faces,
                                               const float *restrict r, float *restrict out, size_t n)
{
    const struct star z = *star;
    const struct faces b = *faces;
    for (size_t i = 0; i < n; ++i) {
        const float along = b.west[i] * (z.west[i] - z.mid[i]) + b.east[i] * (z.east[i] - z.mid[i]);
        const float across = b.south[i] * (z.south[i] - z.mid[i]) + b.north[i] * (z.north[i] - z.mid[i]);
        out[i] = r[i] + (along + across);
    }
}

static void less_alpha_row(const float *restrict alpha, const float *restrict z, float *restrict out,
                           size_t n)
{
    for (size_t i = 0; i < n; ++i) out[i] -= alpha[i] * z[i];
}

// Row j of x + the coarse z interpolated.
__attribute__((noinline)) static void add_row(const struct star *coarse, const float *restrict share_west,
                                              const float *restrict share_east, const float *restrict share,
                                              const float *restrict across, const float *restrict x,
                                              float *restrict out, size_t n)
{
    const struct star z = *coarse;
    for (size_t i = 0; i < n; ++i) {
        const float base = z.mid[i] + share[i] * (across[i] - z.mid[i]);
        out[2 * i] = x[2 * i] + (base + share_west[i] * (z.west[i] - z.mid[i]));
        out[2 * i + 1] = x[2 * i + 1] + (base + share_east[i] * (z.east[i] - z.mid[i]));
    }
}

// The transpose of that: a coarse cell gets what is left in its cells, and faces carry a quarter over. Cells without an
// open face get nothing, because nothing will come back from them.
__attribute__((noinline)) static void gather_row(const float *pair, const float *south, const float *below,
                                                 const float *above, const float *north,
                                                 const struct faces *share, const float *restrict inverse,
                                                 float *restrict out, size_t n)
{
    const struct faces s = *share;
    const float *before = pair - 1;
    for (size_t i = 0; i < n; ++i) {
        const size_t k = 2 * i;
        const float west = s.west[i] * (before[k] - pair[k]), east = s.east[i] * (pair[k + 1] - pair[k + 2]);
        const float from_south = s.south[i] * ((south[k] + south[k + 1]) - (below[k] + below[k + 1]));
        const float to_north = s.north[i] * ((above[k] + above[k + 1]) - (north[k] + north[k + 1]));
        const float sum = (pair[k] + pair[k + 1]) + ((west - east) + (from_south - to_north));
        out[i] = inverse[i] > 0.0f ? sum : 0.0f;
    }
}

static double dot_row(const float *a, const float *b, size_t n)
{
    double lane[8] = {0};
    size_t i = 0;
    for (; i + 8 <= n; i += 8)
        for (size_t k = 0; k < 8; ++k) lane[k] += (double)a[i + k] * (double)b[i + k];
    for (size_t k = 0; i + k < n; ++k) lane[k] += (double)a[i + k] * (double)b[i + k];
    return join_lanes(lane);
}

static double sum_row(const float *a, size_t n)
{
    double lane[8] = {0};
    size_t i = 0;
    for (; i + 8 <= n; i += 8)
        for (size_t k = 0; k < 8; ++k) lane[k] += (double)a[i + k];
    for (size_t k = 0; i + k < n; ++k) lane[k] += (double)a[i + k];
    return join_lanes(lane);
}

// Row j before the first sweep.
static void begin_row(const struct linear_smooth *s, const struct rows *k, int j)
{
    const struct linear_level *l = s->l, *c = s->coarse;
    const int row = around(l, j), side = row % 2 ? row / 2 + 1 : row / 2 - 1;
    const size_t n = (size_t)l->g.nx;
    const float *x = s->x + grid_at(&l->g, 0, row);
    float *out = ring(k, 0, j);
    if (!s->add) {
        memcpy(out - 1, x - 1, (n + 2) * sizeof *out);
        return;
    }
    const size_t at = grid_at(&c->g, 0, row / 2), face = row % 2 ? at + c->g.stride : at;
    const size_t beside = grid_at(&c->g, 0, around(c, side));
    const struct star z = {c->z + at, c->z + at - 1, c->z + at + 1, NULL, NULL};
    add_row(&z, c->share_west + at, c->share_west + at + 1, c->share_south + face, c->z + beside, x, out,
            (size_t)c->g.nx);
    close_row(l, out);
}

static struct star star_of(const struct linear_level *l, const struct rows *k, int stage, int j)
{
    const float *mid = ring(k, stage, j);
    const float *south = there(l, j - 1) ? ring(k, stage, j - 1) : k->zero;
    const float *north = there(l, j + 1) ? ring(k, stage, j + 1) : k->zero;
    return (struct star){mid, mid - 1, mid + 1, south, north};
}

// Sweep number n (from 1) of row j.
static void one_row(const struct linear_smooth *s, const struct rows *k, int n, int j)
{
    const struct linear_level *l = s->l;
    const int row = around(l, j);
    const size_t c = grid_at(&l->g, 0, row), cells = (size_t)l->g.nx;
    const float omega = s->omega[n - 1];
    const bool zero = n == 1 && !s->x;
    float *out = ring(k, n, j);
    if (zero) {
        first_row(omega, l->r + c, l->inverse + c, out, cells);
    } else {
        const struct star z = star_of(l, k, n - 1, j);
        const struct faces b = faces_at(l, c);
        sweep_row(omega, &z, &b, l->r + c, l->inverse + c, out, cells);
    }
    if (s->tick) keep_row(s->tick + (row + n - 1) % 2, zero ? k->zero : ring(k, n - 1, j), out, cells);
    close_row(l, out);
}

static void leave_row(const struct linear_smooth *s, const struct rows *k, int j)
{
    const struct linear_level *l = s->l;
    const size_t c = grid_at(&l->g, 0, around(l, j)), n = (size_t)l->g.nx;
    const struct star z = star_of(l, k, s->count, j);
    const struct faces b = faces_at(l, c);
    float *out = ring(k, SWEEPS + 1, j);
    left_row(&z, &b, l->r + c, out, n);
    if (s->has_alpha) less_alpha_row(l->alpha + c, z.mid, out, n);
    out[-1] = l->wrap_x && n % 2 == 0 ? out[n - 1] : 0.0f; // an odd row's last coarse cell has no second half
    out[n] = l->wrap_x && n % 2 == 0 ? out[0] : 0.0f;
}

// Row j of the coarse right-hand side. Cells of a neighbour that are not there come as zeros.
static void gather(const struct linear_smooth *s, const struct rows *k, int j)
{
    const struct linear_level *l = s->l, *c = s->coarse;
    const float *part[4];
    const size_t n = (size_t)l->g.nx, at = grid_at(&c->g, 0, j);
    for (int m = 0; m < 4; ++m) {
        const int row = 2 * j - 1 + m;
        const bool half = l->g.nz % 2 != 0 && (row < 0 || row >= l->g.nz);
        part[m] = there(l, row) && !half ? ring(k, SWEEPS + 1, row) : k->zero;
    }
    const float *below = part[1] - 1, *above = part[2] - 1;
    float *pair = k->pair - 1;
    for (size_t i = 0; i < n + 2; ++i) pair[i] = below[i] + above[i];
    pair[n + 2] = 0.0f; // read where n is odd
    const struct faces share = {c->share_west + at, c->share_west + at + 1, c->share_south + at,
                                c->share_south + at + c->g.stride};
    gather_row(k->pair, part[0], part[1], part[2], part[3], &share, c->inverse + at, c->r + at,
               (size_t)c->g.nx);
}

// What interpolation brought into cells that are not open is without effect on others; here it ends.
static void mask_row(const float *restrict inverse, const float *restrict z, float *restrict out, size_t n)
{
    for (size_t i = 0; i < n; ++i) out[i] = inverse[i] > 0.0f ? z[i] : 0.0f;
}

static void put_row(const struct linear_smooth *s, const struct rows *k, int j)
{
    const struct linear_level *l = s->l;
    const size_t c = grid_at(&l->g, 0, j), n = (size_t)l->g.nx;
    const float *z = ring(k, s->count, j);
    mask_row(l->inverse + c, z, s->out + c, n);
    close_row(l, s->out + c);
    if (!s->sums) return;
    s->sums[(size_t)j * LINEAR_SUMS] = dot_row(l->r + c, z, n);
    s->sums[(size_t)j * LINEAR_SUMS + 1] = sum_row(s->out + c, n);
}

static void lay_out(const struct linear_level *l, struct rows *k, float *scratch)
{
    for (int n = 0; n < SWEEPS + 2; ++n)
        for (int m = 0; m < RING; ++m) k->at[n][m] = scratch + (size_t)(n * RING + m) * l->g.stride + EDGE;
    k->pair = scratch + (size_t)((SWEEPS + 2) * RING) * l->g.stride + EDGE;
    k->zero = k->pair + l->g.stride;
    memset(k->zero - EDGE, 0, l->g.stride * sizeof *scratch);
}

static void smooth_rows(const struct linear_smooth *s, float *scratch, int j0, int j1)
{
    const struct linear_level *l = s->l;
    const int more = s->pass_on ? 2 : 0, reach = s->count + more;
    struct rows k;
    lay_out(l, &k, scratch);
    for (int j = j0 - reach; j < j1 + reach; ++j) {
        if (s->x && there(l, j)) begin_row(s, &k, j);
        for (int n = 1; n <= s->count; ++n) {
            const int row = j - n, room = reach - n;
            if (row >= j0 - room && row < j1 + room && there(l, row)) one_row(s, &k, n, row);
        }
        const int done = j - s->count, left = done - 1;
        if (done >= j0 && done < j1) put_row(s, &k, done);
        if (!s->pass_on || left < j0 - 1) continue;
        if (there(l, left)) leave_row(s, &k, left);
        if (left % 2 == 0 && left > j0) gather(s, &k, left / 2 - 1);
    }
    // An odd last row
    if (s->pass_on && (j1 - j0) % 2 != 0) gather(s, &k, j1 / 2);
}

const struct multigrid_kernels KERNELS(multigrid_kernels) = {coarsen_rows, share_rows, smooth_rows};
