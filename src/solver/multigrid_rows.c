#include "multigrid_rows.h"

#include <string.h>

// ---- coarse weights ----

// A coarse cell is up to 2 x 2 fine ones; at an odd end it is narrower and counts as if the rest of it were closed. Its
// faces are twice as long and twice as far apart, so a face's weight is the mean of the two fine faces on it: a gap of
// one cell stays open at half the weight. Where an axis has one cell left, lengths along it do not double.
static void mean_pairs_z(float k, const float *restrict south, const float *restrict north,
                         float *restrict out, size_t n)
{
    for (size_t i = 0; i < n; ++i) out[i] = k * (south[2 * i] + north[2 * i]);
}

static void mean_pairs_x(float k, const float *restrict a, float *restrict out, size_t n)
{
    for (size_t i = 0; i < n; ++i) out[i] = k * (a[2 * i] + a[2 * i + 1]);
}

static void sum_quads(const float *restrict a, const float *restrict b, float *restrict out, size_t n)
{
    for (size_t i = 0; i < n; ++i) out[i] = (a[2 * i] + a[2 * i + 1]) + (b[2 * i] + b[2 * i + 1]);
}

// What the weights of a side's faces are multiplied by from one level to the next.
static float boundary_scale(const struct linear_level *f, const struct linear_level *l, int side)
{
    return f->boundary_factor[side] > 0.0f ? l->boundary_factor[side] / f->boundary_factor[side] : 1.0f;
}

static void coarsen_row(const struct linear_level *f, struct linear_level *l, bool has_alpha, int j)
{
    const struct grid *g = &l->g;
    const size_t n = (size_t)g->nx, c = grid_at(g, 0, j);
    const size_t at = grid_at(&f->g, 0, 2 * j < f->g.nz ? 2 * j : f->g.nz), up = at + f->g.stride;
    float along = f->g.nx == 1 ? 1.0f : 0.5f, across = f->g.nz == 1 ? 1.0f : 0.5f;
    if (l->periodic_x && g->nx == 1) along = 0.0f; // a cell is its own neighbour: nothing passes
    if (l->periodic_z && g->nz == 1) across = 0.0f;
    if (!l->periodic_z && j == 0) across *= boundary_scale(f, l, LINEAR_SOUTH);
    if (!l->periodic_z && j == g->nz) across *= boundary_scale(f, l, LINEAR_NORTH);
    mean_pairs_x(across, f->coef_z + at, l->coef_z + c, n);
    if (j == g->nz) return;
    mean_pairs_z(along, f->coef_x + at, f->coef_x + up, l->coef_x + c, n);
    l->coef_x[c + n] = along * (f->coef_x[at + (size_t)f->g.nx] + f->coef_x[up + (size_t)f->g.nx]);
    if (!l->periodic_x) {
        l->coef_x[c] *= boundary_scale(f, l, LINEAR_WEST);
        l->coef_x[c + n] *= boundary_scale(f, l, LINEAR_EAST);
    }
    if (has_alpha) sum_quads(f->alpha + at, f->alpha + up, l->alpha + c, n);
}

static void coarsen_rows(const struct linear_level *f, struct linear_level *l, bool has_alpha, int j0, int j1)
{
    for (int j = j0; j < j1 + (j1 == l->g.nz); ++j) coarsen_row(f, l, has_alpha, j);
}

// The largest weight of every cell's faces in a row, and of the cells before and after it.
static void max_coef_row(const struct linear_level *l, int j, float *restrict out)
{
    const size_t c = grid_at(&l->g, 0, j), n = (size_t)l->g.nx;
    const float *west = l->coef_x + c, *east = west + 1, *south = l->coef_z + c, *north = south + l->g.stride;
    for (size_t i = 0; i < n; ++i) out[i] = max_f(max_f(west[i], east[i]), max_f(south[i], north[i]));
    out[-1] = l->periodic_x ? out[n - 1] : out[0];
    out[n] = l->periodic_x ? out[0] : out[n - 1];
}

// A fine cell lies a quarter of a coarse cell off the middle of its own, so linear interpolation takes a quarter of the
// difference to either neighbour: z + (zx - z)/4 + (zz - z)/4, exact for planes. Through a face that is narrower than
// others of its two cells less is taken, through a closed one nothing; a 0 beyond a side is nearer. Around an odd
// periodic axis the last cell has no outer half; there nothing is taken either.
static void interp_faces(const float *restrict weight, const float *a, const float *b, float *restrict out,
                         size_t n)
{
    for (size_t i = 0; i < n; ++i) {
        const float widest = max_f(a[i], b[i]);
        out[i] = 0.25f * (weight[i] / (widest > 0.0f ? widest : 1.0f));
    }
}

static void scale_row(float k, float *a, size_t n)
{
    for (size_t i = 0; i < n; ++i) a[i] *= k;
}

static void interp_rows(const struct linear_level *f, struct linear_level *l, float *scratch, int j0, int j1)
{
    const struct grid *g = &l->g;
    const bool odd_x = f->periodic_x && f->g.nx % 2 != 0, odd_z = f->periodic_z && f->g.nz % 2 != 0;
    const size_t n = (size_t)g->nx;
    float *below = scratch + 16, *here = below + g->stride;
    max_coef_row(l, j0 > 0 ? j0 - 1 : l->periodic_z ? g->nz - 1 : 0, below);
    for (int j = j0; j < j1 + (j1 == g->nz); ++j) {
        const size_t c = grid_at(g, 0, j);
        max_coef_row(l, j < g->nz ? j : l->periodic_z ? 0 : j - 1, here);
        interp_faces(l->coef_z + c, below, here, l->interp_z + c, n);
        if (odd_z && (j == 0 || j == g->nz)) memset(l->interp_z + c, 0, n * sizeof(float));
        if (!l->periodic_z && j == 0) scale_row(l->boundary_factor[LINEAR_SOUTH], l->interp_z + c, n);
        if (!l->periodic_z && j == g->nz) scale_row(l->boundary_factor[LINEAR_NORTH], l->interp_z + c, n);
        if (j == g->nz) break;
        interp_faces(l->coef_x + c, here - 1, here, l->interp_x + c, n + 1);
        if (!l->periodic_x) {
            l->interp_x[c] *= l->boundary_factor[LINEAR_WEST];
            l->interp_x[c + n] *= l->boundary_factor[LINEAR_EAST];
        }
        if (odd_x) l->interp_x[c] = l->interp_x[c + n] = 0.0f;
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

enum { SWEEPS = LINEAR_SWEEPS, RING = 4, EDGE = 16 };

struct sweep_ring {
    float *at[SWEEPS + 2][RING]; // row j of stage n at [n][j % RING], first cell
    float *zero, *pair;
};

struct stencil5 {
    const float *mid, *west, *east, *south, *north;
};

// Weights of a row, strangers to each other for the sake of clang (see wave_rows.c).
struct stencil_coefs {
    const float *west, *east, *south, *north;
};

static float *ring_row(const struct sweep_ring *k, int stage, int j)
{
    return k->at[stage][(j + 8 * RING) % RING];
}

static int wrap_row(const struct linear_level *l, int j)
{
    const int n = l->g.nz;
    return l->periodic_z ? (j % n + n) % n : j;
}

static bool row_exists(const struct linear_level *l, int j)
{
    return l->periodic_z || (0 <= j && j < l->g.nz);
}

static void set_row_ends(const struct linear_level *l, float *row)
{
    const int n = l->g.nx;
    row[-1] = l->periodic_x ? row[n - 1] : 0.0f;
    row[n] = l->periodic_x ? row[0] : 0.0f;
}

static struct stencil_coefs coefs_at(const struct linear_level *l, size_t c)
{
    return (struct stencil_coefs){l->coef_x + c, l->coef_x + c + 1, l->coef_z + c,
                                  l->coef_z + c + l->g.stride};
}

// z goes towards (r + sum beta z_n)/(alpha + sum beta), as far as omega says.
__attribute__((noinline)) static void sweep_row(float omega, const struct stencil5 *star,
                                                const struct stencil_coefs *faces, const float *restrict r,
                                                const float *restrict inverse, float *restrict out, size_t n)
{
    const struct stencil5 z = *star;
    const struct stencil_coefs b = *faces;
    for (size_t i = 0; i < n; ++i) {
        const float along = b.west[i] * z.west[i] + b.east[i] * z.east[i];
        const float across = b.south[i] * z.south[i] + b.north[i] * z.north[i];
        const float relaxed = inverse[i] * (r[i] + (along + across));
        out[i] = z.mid[i] + omega * (relaxed - z.mid[i]);
    }
}

// Only the cells of one colour take what a sweep found.
static void keep_colour_row(const float *restrict tick, const float *restrict old, float *restrict out,
                            size_t n)
{
    for (size_t i = 0; i < n; ++i) out[i] = tick[i] > 0.0f ? out[i] : old[i];
}

// The first of them when all is 0.
static void first_sweep_row(float omega, const float *restrict r, const float *restrict inverse,
                            float *restrict out, size_t n)
{
    for (size_t i = 0; i < n; ++i) out[i] = omega * (inverse[i] * r[i]);
}

// What is left: r - A z
__attribute__((noinline)) static void residual_row(const struct stencil5 *star,
                                                   const struct stencil_coefs *faces, const float *restrict r,
                                                   float *restrict out, size_t n)
{
    const struct stencil5 z = *star;
    const struct stencil_coefs b = *faces;
    for (size_t i = 0; i < n; ++i) {
        const float along = b.west[i] * (z.west[i] - z.mid[i]) + b.east[i] * (z.east[i] - z.mid[i]);
        const float across = b.south[i] * (z.south[i] - z.mid[i]) + b.north[i] * (z.north[i] - z.mid[i]);
        out[i] = r[i] + (along + across);
    }
}

static void subtract_alpha_row(const float *restrict alpha, const float *restrict z, float *restrict out,
                               size_t n)
{
    for (size_t i = 0; i < n; ++i) out[i] -= alpha[i] * z[i];
}

// Row j of x + the coarse z interpolated.
__attribute__((noinline)) static void
prolongate_row(const struct stencil5 *coarse, const float *restrict share_west,
               const float *restrict share_east, const float *restrict share, const float *restrict across,
               const float *restrict x, float *restrict out, size_t n)
{
    const struct stencil5 z = *coarse;
    for (size_t i = 0; i < n; ++i) {
        const float base = z.mid[i] + share[i] * (across[i] - z.mid[i]);
        out[2 * i] = x[2 * i] + (base + share_west[i] * (z.west[i] - z.mid[i]));
        out[2 * i + 1] = x[2 * i + 1] + (base + share_east[i] * (z.east[i] - z.mid[i]));
    }
}

// The transpose of that: a coarse cell gets what is left in its cells, and faces carry a quarter over. Cells without an
// open face get nothing, because nothing will come back from them.
__attribute__((noinline)) static void restrict_row(const float *pair, const float *south, const float *below,
                                                   const float *above, const float *north,
                                                   const struct stencil_coefs *share,
                                                   const float *restrict inverse, float *restrict out,
                                                   size_t n)
{
    const struct stencil_coefs s = *share;
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
    return add_lanes(lane);
}

static double sum_row(const float *a, size_t n)
{
    double lane[8] = {0};
    size_t i = 0;
    for (; i + 8 <= n; i += 8)
        for (size_t k = 0; k < 8; ++k) lane[k] += (double)a[i + k];
    for (size_t k = 0; i + k < n; ++k) lane[k] += (double)a[i + k];
    return add_lanes(lane);
}

// Row j before the first sweep.
static void load_row(const struct smooth_args *s, const struct sweep_ring *k, int j)
{
    const struct linear_level *l = s->level, *c = s->coarse;
    const int row = wrap_row(l, j), side = row % 2 ? row / 2 + 1 : row / 2 - 1;
    const size_t n = (size_t)l->g.nx;
    const float *x = s->x + grid_at(&l->g, 0, row);
    float *out = ring_row(k, 0, j);
    if (!s->prolongate) {
        memcpy(out - 1, x - 1, (n + 2) * sizeof *out);
        return;
    }
    const size_t at = grid_at(&c->g, 0, row / 2), face = row % 2 ? at + c->g.stride : at;
    const size_t beside = grid_at(&c->g, 0, wrap_row(c, side));
    const struct stencil5 z = {c->z + at, c->z + at - 1, c->z + at + 1, NULL, NULL};
    prolongate_row(&z, c->interp_x + at, c->interp_x + at + 1, c->interp_z + face, c->z + beside, x, out,
                   (size_t)c->g.nx);
    set_row_ends(l, out);
}

static struct stencil5 stencil_of(const struct linear_level *l, const struct sweep_ring *k, int stage, int j)
{
    const float *mid = ring_row(k, stage, j);
    const float *south = row_exists(l, j - 1) ? ring_row(k, stage, j - 1) : k->zero;
    const float *north = row_exists(l, j + 1) ? ring_row(k, stage, j + 1) : k->zero;
    return (struct stencil5){mid, mid - 1, mid + 1, south, north};
}

// Sweep number n (from 1) of row j.
static void sweep_stage_row(const struct smooth_args *s, const struct sweep_ring *k, int n, int j)
{
    const struct linear_level *l = s->level;
    const int row = wrap_row(l, j);
    const size_t c = grid_at(&l->g, 0, row), cells = (size_t)l->g.nx;
    const float omega = s->omega[n - 1];
    const bool zero = n == 1 && !s->x;
    float *out = ring_row(k, n, j);
    if (zero) {
        first_sweep_row(omega, l->r + c, l->inv_diagonal + c, out, cells);
    } else {
        const struct stencil5 z = stencil_of(l, k, n - 1, j);
        const struct stencil_coefs b = coefs_at(l, c);
        sweep_row(omega, &z, &b, l->r + c, l->inv_diagonal + c, out, cells);
    }
    if (s->checkerboard)
        keep_colour_row(s->checkerboard + (row + n - 1) % 2, zero ? k->zero : ring_row(k, n - 1, j), out,
                        cells);
    set_row_ends(l, out);
}

static void residual_stage_row(const struct smooth_args *s, const struct sweep_ring *k, int j)
{
    const struct linear_level *l = s->level;
    const size_t c = grid_at(&l->g, 0, wrap_row(l, j)), n = (size_t)l->g.nx;
    const struct stencil5 z = stencil_of(l, k, s->count, j);
    const struct stencil_coefs b = coefs_at(l, c);
    float *out = ring_row(k, SWEEPS + 1, j);
    residual_row(&z, &b, l->r + c, out, n);
    if (s->has_alpha) subtract_alpha_row(l->alpha + c, z.mid, out, n);
    out[-1] =
        l->periodic_x && n % 2 == 0 ? out[n - 1] : 0.0f; // an odd row's last coarse cell has no second half
    out[n] = l->periodic_x && n % 2 == 0 ? out[0] : 0.0f;
}

// Row j of the coarse right-hand side. Cells of a neighbour that are not there come as zeros.
static void restrict_stage_row(const struct smooth_args *s, const struct sweep_ring *k, int j)
{
    const struct linear_level *l = s->level, *c = s->coarse;
    const float *part[4];
    const size_t n = (size_t)l->g.nx, at = grid_at(&c->g, 0, j);
    for (int m = 0; m < 4; ++m) {
        const int row = 2 * j - 1 + m;
        const bool half = l->g.nz % 2 != 0 && (row < 0 || row >= l->g.nz);
        part[m] = row_exists(l, row) && !half ? ring_row(k, SWEEPS + 1, row) : k->zero;
    }
    const float *below = part[1] - 1, *above = part[2] - 1;
    float *pair = k->pair - 1;
    for (size_t i = 0; i < n + 2; ++i) pair[i] = below[i] + above[i];
    pair[n + 2] = 0.0f; // read where n is odd
    const struct stencil_coefs share = {c->interp_x + at, c->interp_x + at + 1, c->interp_z + at,
                                        c->interp_z + at + c->g.stride};
    restrict_row(k->pair, part[0], part[1], part[2], part[3], &share, c->inv_diagonal + at, c->r + at,
                 (size_t)c->g.nx);
}

// What interpolation brought into cells that are not open is without effect on others; here it ends.
static void mask_row(const float *restrict inverse, const float *restrict z, float *restrict out, size_t n)
{
    for (size_t i = 0; i < n; ++i) out[i] = inverse[i] > 0.0f ? z[i] : 0.0f;
}

static void store_row(const struct smooth_args *s, const struct sweep_ring *k, int j)
{
    const struct linear_level *l = s->level;
    const size_t c = grid_at(&l->g, 0, j), n = (size_t)l->g.nx;
    const float *z = ring_row(k, s->count, j);
    mask_row(l->inv_diagonal + c, z, s->out + c, n);
    set_row_ends(l, s->out + c);
    if (!s->sums) return;
    s->sums[(size_t)j * LINEAR_SUMS] = dot_row(l->r + c, z, n);
    s->sums[(size_t)j * LINEAR_SUMS + 1] = sum_row(s->out + c, n);
}

static void layout_ring(const struct linear_level *l, struct sweep_ring *k, float *scratch)
{
    for (int n = 0; n < SWEEPS + 2; ++n)
        for (int m = 0; m < RING; ++m) k->at[n][m] = scratch + (size_t)(n * RING + m) * l->g.stride + EDGE;
    k->pair = scratch + (size_t)((SWEEPS + 2) * RING) * l->g.stride + EDGE;
    k->zero = k->pair + l->g.stride;
    memset(k->zero - EDGE, 0, l->g.stride * sizeof *scratch);
}

static void smooth_rows(const struct smooth_args *s, float *scratch, int j0, int j1)
{
    const struct linear_level *l = s->level;
    const int more = s->restrict_residual ? 2 : 0, reach = s->count + more;
    struct sweep_ring k;
    layout_ring(l, &k, scratch);
    for (int j = j0 - reach; j < j1 + reach; ++j) {
        if (s->x && row_exists(l, j)) load_row(s, &k, j);
        for (int n = 1; n <= s->count; ++n) {
            const int row = j - n, room = reach - n;
            if (row >= j0 - room && row < j1 + room && row_exists(l, row)) sweep_stage_row(s, &k, n, row);
        }
        const int done = j - s->count, left = done - 1;
        if (done >= j0 && done < j1) store_row(s, &k, done);
        if (!s->restrict_residual || left < j0 - 1) continue;
        if (row_exists(l, left)) residual_stage_row(s, &k, left);
        if (left % 2 == 0 && left > j0) restrict_stage_row(s, &k, left / 2 - 1);
    }
    // An odd last row
    if (s->restrict_residual && (j1 - j0) % 2 != 0) restrict_stage_row(s, &k, j1 / 2);
}

const struct multigrid_kernels KERNELS(multigrid_kernels) = {coarsen_rows, interp_rows, smooth_rows};
