#include "wave_rows.h"

#include <stdint.h>
#include <string.h>

// One step of the wave equation, both halves at once:
//
//     psi = keep phi + blend w              phi after the step, plus D/c^2 w
//     phi1 = keep phi + dt (w - mean)       velocity potential
//     w1 = w + k lap(psi)                   water content
//
//                psi[N]
//     psi[W]  -  psi[c]  -  psi[E]     lap = ((E - c) - (c - W)) + ((N - c) - (c - S))
//                psi[S]
//
// Both sides of a face see the same difference, so what leaves one column enters the next and the volume
// changes by rounding only. The sum is bracketed so that a mirrored pond gives mirrored bits. Written from
// one pair of fields to another, so rows are independent: any split gives the same bits.
//
// Five psi a cell are cheaper than keeping them: memory sets the pace (a step from memory takes 0.6 of the
// time of copying 16 bytes a cell), and rows of psi kept aside made it slower.
struct stencil5 {
    const float *mid, *west, *east, *south, *north;
};

static struct stencil5 stencil_at(const float *x, size_t c, size_t stride)
{
    return (struct stencil5){x + c, x + c - 1, x + c + 1, x + c - stride, x + c + stride};
}

// Not inlined, so that the five pointers are strangers: clang 14 that knows west and east as the values of
// the turn before and after carries them over and then cannot vectorise (seven times slower).
__attribute__((noinline)) static void step_row(const struct wave_coefs *f, const struct stencil5 *phi,
                                               const struct stencil5 *w, float *restrict phi1,
                                               float *restrict w1, size_t n)
{
    const struct stencil5 p = *phi, q = *w;
    const float keep = f->damping_factor, dt = f->dt, mean = f->mean_height, blend = f->psi_weight,
                k = f->laplace_coef;
    for (size_t i = 0; i < n; ++i) {
        const float psi = keep * p.mid[i] + blend * q.mid[i];
        const float west = keep * p.west[i] + blend * q.west[i];
        const float east = keep * p.east[i] + blend * q.east[i];
        const float south = keep * p.south[i] + blend * q.south[i];
        const float north = keep * p.north[i] + blend * q.north[i];
        phi1[i] = keep * p.mid[i] + dt * (q.mid[i] - mean);
        w1[i] = q.mid[i] + k * (((east - psi) - (psi - west)) + ((north - psi) - (psi - south)));
    }
}

static void step_rows(const struct grid *g, const struct wave_coefs *f, const float *phi, const float *w,
                      float *phi1, float *w1, int j0, int j1)
{
    for (int j = j0; j < j1; ++j) {
        const size_t c = grid_at(g, 0, j);
        const struct stencil5 p = stencil_at(phi, c, g->stride), q = stencil_at(w, c, g->stride);
        step_row(f, &p, &q, phi1 + c, w1 + c, (size_t)g->nx);
    }
}

// ---- several steps at once ----
//
// From memory a step waits for memory, so a few are taken while a strip of columns is in the first-level
// cache: a wavefront runs up the strip, and when row j of the start has come in, row j - 1 takes its first
// step, row j - 2 its second, ..., and row j - count goes out.
//
//     start        x x x x x x j          Each step reaches one column further, so a strip begins with
//     step 1       x x x x x j-1          `count` rows and columns of its neighbours' and does their work
//     step 2       x x x x j-2            again. Blocks stay independent, and the bits are those of single
//     out          x x x j-3              steps.

#define STRIP_COLUMNS 256 // columns of a strip: its rows fill 32 KiB
#define STRIP_MARGIN  16  // room beside them, a cache line; above WAVE_STEPS
#define STRIP_WIDTH   (STRIP_COLUMNS + 2 * STRIP_MARGIN)

// Rows of the water after some of the steps. Only psi is asked for by neighbours.
struct time_level {
    float phi[2][STRIP_WIDTH], w[2][STRIP_WIDTH]; // row j at j % 2
    float psi[3][STRIP_WIDTH];                    // row j at j % 3
};

struct strip {
    const struct grid *g;
    const struct wave_coefs *coefs;
    const struct wave_periodicity *sides;
    int fused_steps, i0, i1, j0, j1;
    struct time_level time_levels[WAVE_MAX_FUSED];
};

static int ring_slot(int j, int n) { return (j + 6 * WAVE_MAX_FUSED) % n; } // j >= -WAVE_STEPS

static int wrap_index(int i, int n) { return i < 0 ? i + n : i >= n ? i - n : i; }

// Columns needed when `left` steps are to come; room[0] stands for column i0 - EDGE.
struct column_range {
    int lo, hi;
};

static struct column_range columns_needed(const struct strip *t, int left)
{
    struct column_range s = {t->i0 - left, t->i1 + left};
    if (!t->sides->periodic_x)
        s = (struct column_range){s.lo < 0 ? 0 : s.lo, s.hi > t->g->nx ? t->g->nx : s.hi};
    return s;
}

static bool needs_row(const struct strip *t, int j, int left)
{
    if (!t->sides->periodic_z && (j < 0 || j >= t->g->nz)) return false;
    return j >= t->j0 - left && j < t->j1 + left;
}

// At a wall the missing neighbour is the column itself.
static void mirror_at_walls(const struct strip *t, struct column_range s, float *psi)
{
    if (t->sides->periodic_x) return;
    if (s.lo == 0) psi[STRIP_MARGIN - t->i0 - 1] = psi[STRIP_MARGIN - t->i0];
    if (s.hi == t->g->nx) psi[STRIP_MARGIN + s.hi - t->i0] = psi[STRIP_MARGIN + s.hi - t->i0 - 1];
}

static void load_row(const struct strip *t, struct column_range s, const float *x, int j, float *room)
{
    const int nx = t->g->nx, lo = s.lo < 0 ? 0 : s.lo, hi = s.hi > nx ? nx : s.hi;
    const float *row = x + grid_at(t->g, 0, wrap_index(j, t->g->nz));
    float *to = room + STRIP_MARGIN;
    memcpy(to + (lo - t->i0), row + lo, (size_t)(hi - lo) * sizeof *row);
    for (int i = s.lo; i < lo; ++i) to[i - t->i0] = row[i + nx];
    for (int i = hi; i < s.hi; ++i) to[i - t->i0] = row[i - nx];
}

static void load_row_and_psi(struct strip *t, const float *phi, const float *w, int j)
{
    const float keep = t->coefs->damping_factor, blend = t->coefs->psi_weight;
    const struct column_range s = columns_needed(t, t->fused_steps);
    const float *p = t->time_levels[0].phi[ring_slot(j, 2)], *q = t->time_levels[0].w[ring_slot(j, 2)];
    float *restrict psi = t->time_levels[0].psi[ring_slot(j, 3)];
    load_row(t, s, phi, j, t->time_levels[0].phi[ring_slot(j, 2)]);
    load_row(t, s, w, j, t->time_levels[0].w[ring_slot(j, 2)]);
    const size_t lo = (size_t)(STRIP_MARGIN + s.lo - t->i0), hi = (size_t)(STRIP_MARGIN + s.hi - t->i0);
    for (size_t i = lo; i < hi; ++i) psi[i] = keep * p[i] + blend * q[i];
    mirror_at_walls(t, s, psi);
}

// One step of one row: the formulas of step_row, with psi at hand, and psi of the next step unless the row
// goes out.
static inline __attribute__((always_inline)) void
advance_row_inline(const struct wave_coefs *f, const float *phi, const float *w, struct stencil5 psi,
                   float *restrict phi1, float *restrict w1, float *restrict psi1, size_t n)
{
    const float keep = f->damping_factor, dt = f->dt, mean = f->mean_height, blend = f->psi_weight,
                k = f->laplace_coef;
    for (size_t i = 0; i < n; ++i) {
        const float along = (psi.east[i] - psi.mid[i]) - (psi.mid[i] - psi.west[i]);
        const float across = (psi.north[i] - psi.mid[i]) - (psi.mid[i] - psi.south[i]);
        const float new_phi = keep * phi[i] + dt * (w[i] - mean), new_w = w[i] + k * (along + across);
        phi1[i] = new_phi;
        w1[i] = new_w;
        if (psi1) psi1[i] = keep * new_phi + blend * new_w;
    }
}

__attribute__((noinline)) static void advance_row(const struct wave_coefs *f, const float *phi,
                                                  const float *w, const struct stencil5 *psi,
                                                  float *restrict phi1, float *restrict w1,
                                                  float *restrict psi1, size_t n)
{
    advance_row_inline(f, phi, w, *psi, phi1, w1, psi1, n);
}

__attribute__((noinline)) static void advance_row_out(const struct wave_coefs *f, const float *phi,
                                                      const float *w, const struct stencil5 *psi,
                                                      float *restrict phi1, float *restrict w1, size_t n)
{
    advance_row_inline(f, phi, w, *psi, phi1, w1, NULL, n);
}

// Row j from level n to level n + 1, or out.
static void advance_level(struct strip *t, int n, int j, float *phi1, float *w1)
{
    const bool wall = !t->sides->periodic_z;
    const struct column_range s = columns_needed(t, t->fused_steps - n - 1);
    const size_t at = (size_t)(STRIP_MARGIN + s.lo - t->i0), cells = (size_t)(s.hi - s.lo);
    const struct time_level *from = &t->time_levels[n];
    const float *phi = from->phi[ring_slot(j, 2)] + at, *w = from->w[ring_slot(j, 2)] + at;
    const float *mid = from->psi[ring_slot(j, 3)] + at;
    const float *south = wall && j == 0 ? mid : from->psi[ring_slot(j - 1, 3)] + at;
    const float *north = wall && j == t->g->nz - 1 ? mid : from->psi[ring_slot(j + 1, 3)] + at;
    const struct stencil5 psi = {mid, mid - 1, mid + 1, south, north};

    if (n + 1 == t->fused_steps) {
        const size_t c = grid_at(t->g, t->i0, j);
        advance_row_out(t->coefs, phi, w, &psi, phi1 + c, w1 + c, cells);
        return;
    }
    struct time_level *to = &t->time_levels[n + 1];
    advance_row(t->coefs, phi, w, &psi, to->phi[ring_slot(j, 2)] + at, to->w[ring_slot(j, 2)] + at,
                to->psi[ring_slot(j, 3)] + at, cells);
    mirror_at_walls(t, s, to->psi[ring_slot(j, 3)]);
}

static void step_fused_rows(const struct grid *g, const struct wave_coefs *f,
                            const struct wave_periodicity *sides, int count, const float *phi, const float *w,
                            float *phi1, float *w1, int j0, int j1)
{
    struct strip t;
    t.g = g, t.coefs = f, t.sides = sides, t.fused_steps = count, t.j0 = j0, t.j1 = j1;
    for (t.i0 = 0; t.i0 < g->nx; t.i0 += STRIP_COLUMNS) {
        t.i1 = g->nx - t.i0 < STRIP_COLUMNS ? g->nx : t.i0 + STRIP_COLUMNS;
        for (int j = j0 - count; j < j1 + count; ++j) {
            if (needs_row(&t, j, count)) load_row_and_psi(&t, phi, w, j);
            for (int n = 0; n < count; ++n)
                if (needs_row(&t, j - n - 1, count - n - 1)) advance_level(&t, n, j - n - 1, phi1, w1);
        }
    }
}

// ---- the rest ----

// What presses from above: phi1 = phi + press lift + calm cover lap(phi). The step that follows then sees
// w + lift wherever it says w. The last part calms the ripples that the grid would otherwise carry under
// a hull.
static void add_load_rows(const struct grid *g, const struct wave_coefs *f, const float *restrict phi,
                          const float *restrict lift, const float *restrict cover, float *restrict phi1,
                          int i0, int i1, int j0, int j1)
{
    const size_t n = g->stride;
    const float press = f->load_weight, calm = f->cover_damping;
    for (int j = j0; j < j1; ++j) {
        const size_t row = grid_at(g, i0, j), end = row + (size_t)(i1 - i0);
        for (size_t c = row; c < end; ++c) {
            const float lap = ((phi[c + 1] - phi[c]) - (phi[c] - phi[c - 1])) +
                              ((phi[c + n] - phi[c]) - (phi[c] - phi[c - n]));
            phi1[c] = phi[c] + (press * lift[c] + calm * cover[c] * lap);
        }
    }
}

// Not finite: all exponent bits set. Looked at as whole numbers, because a float reduction could not be
// vectorised without changing its order.
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

const struct wave_kernels KERNELS(wave_kernels) = {step_rows, step_fused_rows, add_load_rows,
                                                   has_nonfinite_rows};
