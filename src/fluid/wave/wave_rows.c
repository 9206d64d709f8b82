// Kernels of the wave model: the leapfrog substep, several substeps fused by temporal blocking, the head of
// surface loads, and the search for values that are not finite. wave_step.c calls them.
#include "wave_rows.h"

#include <stdint.h>
#include <string.h>

// One substep of the wave equation, both fields at once:
//
//     psi      = damping_factor phi + psi_weight w       phi after the substep, plus D/c^2 w
//     phi_next = damping_factor phi + dt (w - mean)      velocity potential
//     w_next   = w + laplace_coef lap(psi)               water content
//
//                psi[N]
//     psi[W]  -  psi[c]  -  psi[E]     lap = ((E - c) - (c - W)) + ((N - c) - (c - S))
//                psi[S]
//
// The flux through a face is the same for both cells, so the volume changes by rounding only. The sum is
// bracketed so that a mirrored state gives mirrored bits. The kernel reads one pair of fields and writes the
// other, so rows are independent and any division into blocks gives the same bits.
//
// Computing psi five times per cell is cheaper than storing it: the kernel is limited by memory bandwidth
// (a substep from memory takes 0.6 of the time of copying 16 bytes per cell), and buffers with rows of psi
// made it slower.
struct stencil5 {
    const float *mid, *west, *east, *south, *north;
};

static struct stencil5 stencil_at(const float *x, size_t c, size_t stride)
{
    return (struct stencil5){x + c, x + c - 1, x + c + 1, x + c - stride, x + c + stride};
}

// The function is not inlined, so that the compiler does not know how the five pointers are related. Clang 14
// otherwise keeps west and east in registers from one iteration to the next and cannot vectorise the loop,
// which is seven times slower.
__attribute__((noinline)) static void step_row(const struct wave_coefs *coefs, const struct stencil5 *phi,
                                               const struct stencil5 *w, float *restrict phi_next,
                                               float *restrict w_next, size_t n)
{
    const struct stencil5 p = *phi, q = *w;
    const float damping = coefs->damping_factor, dt = coefs->dt, mean = coefs->mean_height,
                weight = coefs->psi_weight, laplace = coefs->laplace_coef;
    for (size_t i = 0; i < n; ++i) {
        const float psi = damping * p.mid[i] + weight * q.mid[i];
        const float west = damping * p.west[i] + weight * q.west[i];
        const float east = damping * p.east[i] + weight * q.east[i];
        const float south = damping * p.south[i] + weight * q.south[i];
        const float north = damping * p.north[i] + weight * q.north[i];
        phi_next[i] = damping * p.mid[i] + dt * (q.mid[i] - mean);
        w_next[i] = q.mid[i] + laplace * (((east - psi) - (psi - west)) + ((north - psi) - (psi - south)));
    }
}

static void step_rows(const struct grid *g, const struct wave_coefs *coefs, const struct wave_state *state,
                      int j0, int j1)
{
    for (int j = j0; j < j1; ++j) {
        const size_t c = grid_at(g, 0, j);
        const struct stencil5 phi = stencil_at(state->phi, c, g->stride),
                              w = stencil_at(state->w, c, g->stride);
        step_row(coefs, &phi, &w, state->phi_next + c, state->w_next + c, (size_t)g->nx);
    }
}

// ---- fused substeps ----
//
// Temporal blocking. A single substep is limited by memory bandwidth, so several substeps are taken while a
// strip of columns is in the first-level cache. A wavefront moves up the strip: when row j has been loaded,
// row j - 1 takes its first substep, row j - 2 its second, ..., and row j - count is written to memory.
//
//     loaded       x x x x x x j          Each substep depends on one more row and column on every side, so
//     substep 1    x x x x x j-1          a strip begins with `count` rows and columns of its neighbours and
//     substep 2    x x x x j-2            repeats the work on them. Blocks stay independent, and the bits
//     written      x x x j-3              are those of single substeps.

#define STRIP_COLUMNS 256 // columns of a strip: the rows below fill 32 KiB
#define STRIP_MARGIN  16  // columns on each side of it: one cache line, more than WAVE_MAX_FUSED
#define STRIP_WIDTH   (STRIP_COLUMNS + 2 * STRIP_MARGIN)

// The last rows of the strip after n substeps, in ring buffers. A substep of a row needs psi of three rows,
// and phi and w of one.
struct time_level {
    float phi[2][STRIP_WIDTH], w[2][STRIP_WIDTH]; // row j at j % 2
    float psi[3][STRIP_WIDTH];                    // row j at j % 3
};

struct strip {
    const struct grid *g;
    const struct wave_coefs *coefs;
    const struct wave_periodicity *periodicity;
    int fused_steps, i0, i1, j0, j1;
    struct time_level time_levels[WAVE_MAX_FUSED];
};

static int ring_slot(int j, int n) { return (j + 6 * WAVE_MAX_FUSED) % n; } // j >= -WAVE_MAX_FUSED

static int wrap_index(int i, int n) { return i < 0 ? i + n : i >= n ? i - n : i; }

// Columns lo .. hi-1. Column i is at index STRIP_MARGIN + i - i0 of a row of the strip.
struct column_range {
    int lo, hi;
};

// Columns needed before the last `remaining` substeps.
static struct column_range columns_needed(const struct strip *t, int remaining)
{
    struct column_range range = {t->i0 - remaining, t->i1 + remaining};
    if (!t->periodicity->periodic_x)
        range = (struct column_range){range.lo < 0 ? 0 : range.lo, range.hi > t->g->nx ? t->g->nx : range.hi};
    return range;
}

static bool needs_row(const struct strip *t, int j, int remaining)
{
    if (!t->periodicity->periodic_z && (j < 0 || j >= t->g->nz)) return false;
    return j >= t->j0 - remaining && j < t->j1 + remaining;
}

// At a wall the value outside equals that of the last column.
static void mirror_at_walls(const struct strip *t, struct column_range range, float *psi)
{
    if (t->periodicity->periodic_x) return;
    if (range.lo == 0) psi[STRIP_MARGIN - t->i0 - 1] = psi[STRIP_MARGIN - t->i0];
    if (range.hi == t->g->nx) psi[STRIP_MARGIN + range.hi - t->i0] = psi[STRIP_MARGIN + range.hi - t->i0 - 1];
}

// Copies row j of a field into a row of the strip, wrapped at periodic boundaries.
static void load_row(const struct strip *t, struct column_range range, const float *field, int j,
                     float *strip_row)
{
    const int nx = t->g->nx, lo = range.lo < 0 ? 0 : range.lo, hi = range.hi > nx ? nx : range.hi;
    const float *row = field + grid_at(t->g, 0, wrap_index(j, t->g->nz));
    float *to = strip_row + STRIP_MARGIN;
    memcpy(to + (lo - t->i0), row + lo, (size_t)(hi - lo) * sizeof *row);
    for (int i = range.lo; i < lo; ++i) to[i - t->i0] = row[i + nx];
    for (int i = hi; i < range.hi; ++i) to[i - t->i0] = row[i - nx];
}

static void load_row_and_psi(struct strip *t, const struct wave_state *state, int j)
{
    const float damping = t->coefs->damping_factor, weight = t->coefs->psi_weight;
    const struct column_range range = columns_needed(t, t->fused_steps);
    float *phi = t->time_levels[0].phi[ring_slot(j, 2)], *w = t->time_levels[0].w[ring_slot(j, 2)];
    float *restrict psi = t->time_levels[0].psi[ring_slot(j, 3)];
    load_row(t, range, state->phi, j, phi);
    load_row(t, range, state->w, j, w);
    const size_t lo = (size_t)(STRIP_MARGIN + range.lo - t->i0),
                 hi = (size_t)(STRIP_MARGIN + range.hi - t->i0);
    for (size_t i = lo; i < hi; ++i) psi[i] = damping * phi[i] + weight * w[i];
    mirror_at_walls(t, range, psi);
}

// One substep of one row: the formulas of step_row with psi given, and psi of the next substep unless
// psi_next is NULL.
static inline __attribute__((always_inline)) void
advance_row_inline(const struct wave_coefs *coefs, const float *phi, const float *w, struct stencil5 psi,
                   float *restrict phi_next, float *restrict w_next, float *restrict psi_next, size_t n)
{
    const float damping = coefs->damping_factor, dt = coefs->dt, mean = coefs->mean_height,
                weight = coefs->psi_weight, laplace = coefs->laplace_coef;
    for (size_t i = 0; i < n; ++i) {
        const float lap_x = (psi.east[i] - psi.mid[i]) - (psi.mid[i] - psi.west[i]);
        const float lap_z = (psi.north[i] - psi.mid[i]) - (psi.mid[i] - psi.south[i]);
        const float new_phi = damping * phi[i] + dt * (w[i] - mean), new_w = w[i] + laplace * (lap_x + lap_z);
        phi_next[i] = new_phi;
        w_next[i] = new_w;
        if (psi_next) psi_next[i] = damping * new_phi + weight * new_w;
    }
}

// From one time level to the next, in the strip.
__attribute__((noinline)) static void advance_row(const struct wave_coefs *coefs, const float *phi,
                                                  const float *w, const struct stencil5 *psi,
                                                  float *restrict phi_next, float *restrict w_next,
                                                  float *restrict psi_next, size_t n)
{
    advance_row_inline(coefs, phi, w, *psi, phi_next, w_next, psi_next, n);
}

// From the last time level to memory.
__attribute__((noinline)) static void advance_row_out(const struct wave_coefs *coefs, const float *phi,
                                                      const float *w, const struct stencil5 *psi,
                                                      float *restrict phi_next, float *restrict w_next,
                                                      size_t n)
{
    advance_row_inline(coefs, phi, w, *psi, phi_next, w_next, NULL, n);
}

// Row j from time level n to time level n + 1, or to memory after the last substep.
static void advance_level(struct strip *t, int n, int j, const struct wave_state *state)
{
    const bool wall = !t->periodicity->periodic_z;
    const struct column_range range = columns_needed(t, t->fused_steps - n - 1);
    const size_t first = (size_t)(STRIP_MARGIN + range.lo - t->i0), cells = (size_t)(range.hi - range.lo);
    const struct time_level *from = &t->time_levels[n];
    const float *phi = from->phi[ring_slot(j, 2)] + first, *w = from->w[ring_slot(j, 2)] + first;
    const float *mid = from->psi[ring_slot(j, 3)] + first;
    const float *south = wall && j == 0 ? mid : from->psi[ring_slot(j - 1, 3)] + first;
    const float *north = wall && j == t->g->nz - 1 ? mid : from->psi[ring_slot(j + 1, 3)] + first;
    const struct stencil5 psi = {mid, mid - 1, mid + 1, south, north};

    if (n + 1 == t->fused_steps) {
        const size_t c = grid_at(t->g, t->i0, j);
        advance_row_out(t->coefs, phi, w, &psi, state->phi_next + c, state->w_next + c, cells);
        return;
    }
    struct time_level *to = &t->time_levels[n + 1];
    advance_row(t->coefs, phi, w, &psi, to->phi[ring_slot(j, 2)] + first, to->w[ring_slot(j, 2)] + first,
                to->psi[ring_slot(j, 3)] + first, cells);
    mirror_at_walls(t, range, to->psi[ring_slot(j, 3)]);
}

static void step_fused_rows(const struct grid *g, const struct wave_coefs *coefs,
                            const struct wave_periodicity *periodicity, int count,
                            const struct wave_state *state, int j0, int j1)
{
    struct strip t; // not initialised as a whole: it has 33 KiB
    t.g = g, t.coefs = coefs, t.periodicity = periodicity, t.fused_steps = count, t.j0 = j0, t.j1 = j1;
    for (t.i0 = 0; t.i0 < g->nx; t.i0 += STRIP_COLUMNS) {
        t.i1 = g->nx - t.i0 < STRIP_COLUMNS ? g->nx : t.i0 + STRIP_COLUMNS;
        for (int j = j0 - count; j < j1 + count; ++j) {
            if (needs_row(&t, j, count)) load_row_and_psi(&t, state, j);
            for (int n = 0; n < count; ++n)
                if (needs_row(&t, j - n - 1, count - n - 1)) advance_level(&t, n, j - n - 1, state);
        }
    }
}

// ---- loads and checks ----

// The head of a surface load enters phi before the substep, so that the substep acts on w + load_head where
// its equations have w. The last term damps short waves under bodies, which the grid does not resolve.
static void add_load_rows(const struct grid *g, const struct wave_coefs *coefs,
                          const struct wave_state *state, const struct wave_load *load, int j0, int j1)
{
    const size_t n = g->stride;
    const float *restrict phi = state->phi, *restrict load_head = load->load_head,
                          *restrict covered = load->covered_fraction;
    float *restrict phi_next = state->phi_next;
    const float load_weight = coefs->load_weight, cover_damping = coefs->cover_damping;
    for (int j = j0; j < j1; ++j) {
        const size_t row = grid_at(g, load->i0, j), end = row + (size_t)(load->i1 - load->i0);
        for (size_t c = row; c < end; ++c) {
            const float lap = ((phi[c + 1] - phi[c]) - (phi[c] - phi[c - 1])) +
                              ((phi[c + n] - phi[c]) - (phi[c] - phi[c - n]));
            phi_next[c] = phi[c] + (load_weight * load_head[c] + cover_damping * covered[c] * lap);
        }
    }
}

// A float is not finite if all its exponent bits are set. The bits are combined as integers, because a float
// reduction cannot be vectorised without changing its order.
static bool has_nonfinite_rows(const struct grid *g, const float *x, int j0, int j1)
{
    uint32_t found = 0;
    for (int j = j0; j < j1; ++j) {
        const float *row = x + grid_at(g, 0, j);
        for (int i = 0; i < g->nx; ++i) {
            uint32_t bits;
            memcpy(&bits, row + i, sizeof bits);
            found |= (bits & 0x7f800000u) == 0x7f800000u;
        }
    }
    return found != 0;
}

const struct wave_kernels KERNELS(wave_kernels) = {
    .step = step_rows,
    .step_fused = step_fused_rows,
    .add_load = add_load_rows,
    .has_nonfinite = has_nonfinite_rows,
};
