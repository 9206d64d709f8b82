// Kernels of the V-cycle: coarse coefficients, interpolation weights [kwak1999], and fused smoothing sweeps
// with interpolation and restriction.
#include "multigrid_rows.h"

#include <string.h>

// ---- coarse coefficients ----

// A coarse cell consists of up to 2 x 2 fine cells; at the end of an axis with an odd number of cells the
// missing ones count as inactive. Its faces are twice as long and the distance of its centres is doubled, so
// that the coefficient of a face is the mean of its two fine faces: a gap of one cell stays open with half
// the coefficient. Along an axis of one cell lengths do not double.
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

// Ratio of the boundary factors of a coarse and a fine level.
static float boundary_scale(const struct linear_level *fine, const struct linear_level *l, int side)
{
    return fine->boundary_factor[side] > 0.0f ? l->boundary_factor[side] / fine->boundary_factor[side] : 1.0f;
}

static void coarsen_row(const struct linear_level *fine, struct linear_level *l, bool has_alpha, int j)
{
    const struct grid *g = &l->g;
    const size_t n = (size_t)g->nx, c = grid_at(g, 0, j);
    const size_t fine_row = grid_at(&fine->g, 0, 2 * j < fine->g.nz ? 2 * j : fine->g.nz),
                 fine_row2 = fine_row + fine->g.stride;
    float factor_x = fine->g.nx == 1 ? 1.0f : 0.5f, factor_z = fine->g.nz == 1 ? 1.0f : 0.5f;
    if (l->periodic_x && g->nx == 1) factor_x = 0.0f; // the cell is its own neighbour: no flux
    if (l->periodic_z && g->nz == 1) factor_z = 0.0f;
    if (!l->periodic_z && j == 0) factor_z *= boundary_scale(fine, l, LINEAR_SOUTH);
    if (!l->periodic_z && j == g->nz) factor_z *= boundary_scale(fine, l, LINEAR_NORTH);
    mean_pairs_x(factor_z, fine->coef_z + fine_row, l->coef_z + c, n);
    if (j == g->nz) return;
    mean_pairs_z(factor_x, fine->coef_x + fine_row, fine->coef_x + fine_row2, l->coef_x + c, n);
    l->coef_x[c + n] = factor_x * (fine->coef_x[fine_row + (size_t)fine->g.nx] +
                                   fine->coef_x[fine_row2 + (size_t)fine->g.nx]);
    if (!l->periodic_x) {
        l->coef_x[c] *= boundary_scale(fine, l, LINEAR_WEST);
        l->coef_x[c + n] *= boundary_scale(fine, l, LINEAR_EAST);
    }
    if (has_alpha) sum_quads(fine->alpha + fine_row, fine->alpha + fine_row2, l->alpha + c, n);
}

static void coarsen_rows(const struct linear_level *fine, struct linear_level *l, bool has_alpha, int j0,
                         int j1)
{
    for (int j = j0; j < j1 + (j1 == l->g.nz); ++j) coarsen_row(fine, l, has_alpha, j);
}

// The largest face coefficient of every cell of row j and of the cells before and after the row.
static void max_coef_row(const struct linear_level *l, int j, float *restrict out)
{
    const size_t c = grid_at(&l->g, 0, j), n = (size_t)l->g.nx;
    const float *west = l->coef_x + c, *east = west + 1, *south = l->coef_z + c, *north = south + l->g.stride;
    for (size_t i = 0; i < n; ++i) out[i] = max_f(max_f(west[i], east[i]), max_f(south[i], north[i]));
    out[-1] = l->periodic_x ? out[n - 1] : out[0];
    out[n] = l->periodic_x ? out[0] : out[n - 1];
}

// Interpolation weights. The centre of a fine cell is a quarter of a coarse cell away from the centre of its
// coarse cell along each axis, so that linear interpolation is z + (zx - z)/4 + (zz - z)/4, exact for linear
// functions. The weight 1/4 is multiplied by the ratio of the face's coefficient to the largest one of its
// two cells: it is smaller for a partly closed face and 0 for a closed one. At a Dirichlet side it is
// multiplied by the boundary factor, because the zero is nearer. On a periodic axis with an odd number of
// cells the last coarse cell has no outer half, and the weight there is 0.
static void interp_faces(const float *restrict coef, const float *max_a, const float *max_b,
                         float *restrict out, size_t n)
{
    for (size_t i = 0; i < n; ++i) {
        const float max_coef = max_f(max_a[i], max_b[i]);
        out[i] = 0.25f * (coef[i] / (max_coef > 0.0f ? max_coef : 1.0f));
    }
}

static void scale_row(float k, float *a, size_t n)
{
    for (size_t i = 0; i < n; ++i) a[i] *= k;
}

static void interp_rows(const struct linear_level *fine, struct linear_level *l, float *scratch, int j0,
                        int j1)
{
    const struct grid *g = &l->g;
    const bool odd_x = fine->periodic_x && fine->g.nx % 2 != 0,
               odd_z = fine->periodic_z && fine->g.nz % 2 != 0;
    const size_t n = (size_t)g->nx;
    float *south_max = scratch + 16, *row_max = south_max + g->stride;
    max_coef_row(l, j0 > 0 ? j0 - 1 : l->periodic_z ? g->nz - 1 : 0, south_max);
    for (int j = j0; j < j1 + (j1 == g->nz); ++j) {
        const size_t c = grid_at(g, 0, j);
        max_coef_row(l, j < g->nz ? j : l->periodic_z ? 0 : j - 1, row_max);
        interp_faces(l->coef_z + c, south_max, row_max, l->interp_z + c, n);
        if (odd_z && (j == 0 || j == g->nz)) memset(l->interp_z + c, 0, n * sizeof(float));
        if (!l->periodic_z && j == 0) scale_row(l->boundary_factor[LINEAR_SOUTH], l->interp_z + c, n);
        if (!l->periodic_z && j == g->nz) scale_row(l->boundary_factor[LINEAR_NORTH], l->interp_z + c, n);
        if (j == g->nz) break;
        interp_faces(l->coef_x + c, row_max - 1, row_max, l->interp_x + c, n + 1);
        if (!l->periodic_x) {
            l->interp_x[c] *= l->boundary_factor[LINEAR_WEST];
            l->interp_x[c + n] *= l->boundary_factor[LINEAR_EAST];
        }
        if (odd_x) l->interp_x[c] = l->interp_x[c + n] = 0.0f;
        float *const unused = south_max;
        south_max = row_max;
        row_max = unused;
    }
}

// ---- smoothing ----
//
// Temporal blocking: all four sweeps advance through the grid together, each one row behind the sweep before
// it, while the rows are in the cache:
//
//     initial value    . . . . . j          Every sweep reads rows of the previous stage and writes its own
//     sweep 1          . . . . j-1          rows. A block starts a few rows before its first row and ends a
//     sweep 2          . . . j-2            few after its last one and repeats this work of its neighbours,
//     sweep 3          . . j-3              so that blocks are independent.
//     sweep 4          . j-4      -> out
//     residual         j-5        -> right-hand side of the coarse level

enum { SWEEPS = LINEAR_SWEEPS, RING = 4, ROW_PADDING = 16 };

struct sweep_ring {
    float *row[SWEEPS + 2][RING]; // cell 0 of row j of stage n: row[n][j % RING]
    float *zero;                  // a row of zeros
    float *pair_sum;              // sum of two rows of the residual
};

struct stencil5 {
    const float *mid, *west, *east, *south, *north;
};

static float *ring_row(const struct sweep_ring *ring, int stage, int j)
{
    return ring->row[stage][(j + 8 * RING) % RING];
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

// out = z + omega ((r + sum beta z_n)/(alpha + sum beta) - z)
__attribute__((noinline)) static void sweep_row(float omega, const struct stencil5 *stencil,
                                                const struct stencil_coefs *coefs, const float *restrict r,
                                                const float *restrict inv_diagonal, float *restrict out,
                                                size_t n)
{
    const struct stencil5 z = *stencil;
    const struct stencil_coefs b = *coefs;
    for (size_t i = 0; i < n; ++i) {
        const float sum_x = b.west[i] * z.west[i] + b.east[i] * z.east[i];
        const float sum_z = b.south[i] * z.south[i] + b.north[i] * z.north[i];
        const float relaxed = inv_diagonal[i] * (r[i] + (sum_x + sum_z));
        out[i] = z.mid[i] + omega * (relaxed - z.mid[i]);
    }
}

// Restores the old values in the cells of the other colour.
static void keep_colour_row(const float *restrict colour, const float *restrict old, float *restrict out,
                            size_t n)
{
    for (size_t i = 0; i < n; ++i) out[i] = colour[i] > 0.0f ? out[i] : old[i];
}

// The first sweep from z = 0.
static void first_sweep_row(float omega, const float *restrict r, const float *restrict inv_diagonal,
                            float *restrict out, size_t n)
{
    for (size_t i = 0; i < n; ++i) out[i] = omega * (inv_diagonal[i] * r[i]);
}

// out = r - A z, without alpha
__attribute__((noinline)) static void residual_row(const struct stencil5 *stencil,
                                                   const struct stencil_coefs *coefs, const float *restrict r,
                                                   float *restrict out, size_t n)
{
    const struct stencil5 z = *stencil;
    const struct stencil_coefs b = *coefs;
    for (size_t i = 0; i < n; ++i) {
        const float flux_x = b.west[i] * (z.west[i] - z.mid[i]) + b.east[i] * (z.east[i] - z.mid[i]);
        const float flux_z = b.south[i] * (z.south[i] - z.mid[i]) + b.north[i] * (z.north[i] - z.mid[i]);
        out[i] = r[i] + (flux_x + flux_z);
    }
}

static void subtract_alpha_row(const float *restrict alpha, const float *restrict z, float *restrict out,
                               size_t n)
{
    for (size_t i = 0; i < n; ++i) out[i] -= alpha[i] * z[i];
}

// out = x + interpolated coarse z for one fine row. z_side: the coarse row on the other side of the nearer
// face.
__attribute__((noinline)) static void
prolongate_row(const struct stencil5 *coarse, const float *restrict interp_west,
               const float *restrict interp_east, const float *restrict interp_side,
               const float *restrict z_side, const float *restrict x, float *restrict out, size_t n)
{
    const struct stencil5 z = *coarse;
    for (size_t i = 0; i < n; ++i) {
        const float base = z.mid[i] + interp_side[i] * (z_side[i] - z.mid[i]);
        out[2 * i] = x[2 * i] + (base + interp_west[i] * (z.west[i] - z.mid[i]));
        out[2 * i + 1] = x[2 * i + 1] + (base + interp_east[i] * (z.east[i] - z.mid[i]));
    }
}

// Transpose of the interpolation: a coarse cell receives the residual of its fine cells, minus and plus the
// shares across its faces. Inactive coarse cells receive 0, because they return no correction. Rows: fine[0]
// and fine[3] are outside the coarse cell, fine[1] and fine[2] inside, `pair_sum` is the sum of these two.
__attribute__((noinline)) static void restrict_row(const float *pair_sum, const float *const fine[4],
                                                   const struct stencil_coefs *interp,
                                                   const float *restrict inv_diagonal, float *restrict out,
                                                   size_t n)
{
    const struct stencil_coefs w = *interp;
    const float *south = fine[0], *below = fine[1], *above = fine[2], *north = fine[3];
    const float *pair_west = pair_sum - 1;
    for (size_t i = 0; i < n; ++i) {
        const size_t k = 2 * i;
        const float west = w.west[i] * (pair_west[k] - pair_sum[k]),
                    east = w.east[i] * (pair_sum[k + 1] - pair_sum[k + 2]);
        const float share_south = w.south[i] * ((south[k] + south[k + 1]) - (below[k] + below[k + 1]));
        const float share_north = w.north[i] * ((above[k] + above[k + 1]) - (north[k] + north[k + 1]));
        const float sum = (pair_sum[k] + pair_sum[k + 1]) + ((west - east) + (share_south - share_north));
        out[i] = inv_diagonal[i] > 0.0f ? sum : 0.0f;
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

// Row j of the initial value of the sweeps.
static void load_row(const struct smooth_args *s, const struct sweep_ring *ring, int j)
{
    const struct linear_level *l = s->level, *c = s->coarse;
    const int row = wrap_row(l, j), side_row = row % 2 ? row / 2 + 1 : row / 2 - 1;
    const size_t n = (size_t)l->g.nx;
    const float *x = s->x + grid_at(&l->g, 0, row);
    float *out = ring_row(ring, 0, j);
    if (!s->prolongate) {
        memcpy(out - 1, x - 1, (n + 2) * sizeof *out);
        return;
    }
    const size_t coarse_row = grid_at(&c->g, 0, row / 2),
                 face = row % 2 ? coarse_row + c->g.stride : coarse_row;
    const size_t side_cell = grid_at(&c->g, 0, wrap_row(c, side_row));
    const struct stencil5 z = {c->z + coarse_row, c->z + coarse_row - 1, c->z + coarse_row + 1, NULL, NULL};
    prolongate_row(&z, c->interp_x + coarse_row, c->interp_x + coarse_row + 1, c->interp_z + face,
                   c->z + side_cell, x, out, (size_t)c->g.nx);
    set_row_ends(l, out);
}

static struct stencil5 stencil_of(const struct linear_level *l, const struct sweep_ring *ring, int stage,
                                  int j)
{
    const float *mid = ring_row(ring, stage, j);
    const float *south = row_exists(l, j - 1) ? ring_row(ring, stage, j - 1) : ring->zero;
    const float *north = row_exists(l, j + 1) ? ring_row(ring, stage, j + 1) : ring->zero;
    return (struct stencil5){mid, mid - 1, mid + 1, south, north};
}

// Row j of sweep n, n = 1 .. count.
static void sweep_stage_row(const struct smooth_args *s, const struct sweep_ring *ring, int n, int j)
{
    const struct linear_level *l = s->level;
    const int row = wrap_row(l, j);
    const size_t c = grid_at(&l->g, 0, row), cells = (size_t)l->g.nx;
    const float omega = s->omega[n - 1];
    const bool zero = n == 1 && !s->x;
    float *out = ring_row(ring, n, j);
    if (zero) {
        first_sweep_row(omega, l->r + c, l->inv_diagonal + c, out, cells);
    } else {
        const struct stencil5 z = stencil_of(l, ring, n - 1, j);
        const struct stencil_coefs b = stencil_coefs_at(l, c);
        sweep_row(omega, &z, &b, l->r + c, l->inv_diagonal + c, out, cells);
    }
    if (s->checkerboard)
        keep_colour_row(s->checkerboard + (row + n - 1) % 2, zero ? ring->zero : ring_row(ring, n - 1, j),
                        out, cells);
    set_row_ends(l, out);
}

static void residual_stage_row(const struct smooth_args *s, const struct sweep_ring *ring, int j)
{
    const struct linear_level *l = s->level;
    const size_t c = grid_at(&l->g, 0, wrap_row(l, j)), n = (size_t)l->g.nx;
    const struct stencil5 z = stencil_of(l, ring, s->count, j);
    const struct stencil_coefs b = stencil_coefs_at(l, c);
    float *out = ring_row(ring, SWEEPS + 1, j);
    residual_row(&z, &b, l->r + c, out, n);
    if (s->has_alpha) subtract_alpha_row(l->alpha + c, z.mid, out, n);
    out[-1] =
        l->periodic_x && n % 2 == 0 ? out[n - 1] : 0.0f; // with odd n the last coarse cell has no second half
    out[n] = l->periodic_x && n % 2 == 0 ? out[0] : 0.0f;
}

// Row j of the coarse right-hand side. Fine rows that do not exist are replaced by zeros.
static void restrict_stage_row(const struct smooth_args *s, const struct sweep_ring *ring, int j)
{
    const struct linear_level *l = s->level, *c = s->coarse;
    const float *fine[4];
    const size_t n = (size_t)l->g.nx, coarse_row = grid_at(&c->g, 0, j);
    for (int m = 0; m < 4; ++m) {
        const int row = 2 * j - 1 + m;
        const bool missing_half = l->g.nz % 2 != 0 && (row < 0 || row >= l->g.nz);
        fine[m] = row_exists(l, row) && !missing_half ? ring_row(ring, SWEEPS + 1, row) : ring->zero;
    }
    const float *below = fine[1] - 1, *above = fine[2] - 1;
    float *pair_sum = ring->pair_sum - 1;
    for (size_t i = 0; i < n + 2; ++i) pair_sum[i] = below[i] + above[i];
    pair_sum[n + 2] = 0.0f; // read where n is odd
    const struct stencil_coefs interp = {c->interp_x + coarse_row, c->interp_x + coarse_row + 1,
                                         c->interp_z + coarse_row, c->interp_z + coarse_row + c->g.stride};
    restrict_row(ring->pair_sum, fine, &interp, c->inv_diagonal + coarse_row, c->r + coarse_row,
                 (size_t)c->g.nx);
}

// Interpolation may set inactive cells. They do not affect other cells and are set to 0 here.
static void mask_row(const float *restrict inv_diagonal, const float *restrict z, float *restrict out,
                     size_t n)
{
    for (size_t i = 0; i < n; ++i) out[i] = inv_diagonal[i] > 0.0f ? z[i] : 0.0f;
}

static void store_row(const struct smooth_args *s, const struct sweep_ring *ring, int j)
{
    const struct linear_level *l = s->level;
    const size_t c = grid_at(&l->g, 0, j), n = (size_t)l->g.nx;
    const float *z = ring_row(ring, s->count, j);
    mask_row(l->inv_diagonal + c, z, s->out + c, n);
    set_row_ends(l, s->out + c);
    if (!s->sums) return;
    s->sums[(size_t)j * LINEAR_SUMS] = dot_row(l->r + c, z, n);
    s->sums[(size_t)j * LINEAR_SUMS + 1] = sum_row(s->out + c, n);
}

static void layout_ring(const struct linear_level *l, struct sweep_ring *ring, float *scratch)
{
    for (int n = 0; n < SWEEPS + 2; ++n)
        for (int m = 0; m < RING; ++m)
            ring->row[n][m] = scratch + (size_t)(n * RING + m) * l->g.stride + ROW_PADDING;
    ring->pair_sum = scratch + (size_t)((SWEEPS + 2) * RING) * l->g.stride + ROW_PADDING;
    ring->zero = ring->pair_sum + l->g.stride;
    memset(ring->zero - ROW_PADDING, 0, l->g.stride * sizeof *scratch);
}

static void smooth_rows(const struct smooth_args *s, float *scratch, int j0, int j1)
{
    const struct linear_level *l = s->level;
    const int residual_rows = s->restrict_residual ? 2 : 0, reach = s->count + residual_rows;
    struct sweep_ring ring;
    layout_ring(l, &ring, scratch);
    for (int j = j0 - reach; j < j1 + reach; ++j) {
        if (s->x && row_exists(l, j)) load_row(s, &ring, j);
        for (int n = 1; n <= s->count; ++n) {
            const int row = j - n, margin = reach - n;
            if (row >= j0 - margin && row < j1 + margin && row_exists(l, row))
                sweep_stage_row(s, &ring, n, row);
        }
        const int done = j - s->count, residual_row_j = done - 1;
        if (done >= j0 && done < j1) store_row(s, &ring, done);
        if (!s->restrict_residual || residual_row_j < j0 - 1) continue;
        if (row_exists(l, residual_row_j)) residual_stage_row(s, &ring, residual_row_j);
        if (residual_row_j % 2 == 0 && residual_row_j > j0)
            restrict_stage_row(s, &ring, residual_row_j / 2 - 1);
    }
    // An odd number of rows: the last coarse row has one fine row only.
    if (s->restrict_residual && (j1 - j0) % 2 != 0) restrict_stage_row(s, &ring, j1 / 2);
}

const struct multigrid_kernels KERNELS(multigrid_kernels) = {coarsen_rows, interp_rows, smooth_rows};
