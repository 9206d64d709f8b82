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
struct star {
    const float *mid, *west, *east, *south, *north;
};

static struct star star_at(const float *x, size_t c, size_t stride)
{
    return (struct star){x + c, x + c - 1, x + c + 1, x + c - stride, x + c + stride};
}

// Not inlined, so that the five pointers are strangers: clang 14 that knows west and east as the values of
// the turn before and after carries them over and then cannot vectorise (seven times slower).
__attribute__((noinline)) static void step_row(const struct wave_factors *f, const struct star *phi,
                                               const struct star *w, float *restrict phi1, float *restrict w1,
                                               size_t n)
{
    const struct star p = *phi, q = *w;
    const float keep = f->keep, dt = f->dt, mean = f->mean, blend = f->blend, k = f->k;
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

static void step_rows(const struct grid *g, const struct wave_factors *f, const float *phi, const float *w,
                      float *phi1, float *w1, int j0, int j1)
{
    for (int j = j0; j < j1; ++j) {
        const size_t c = grid_at(g, 0, j);
        const struct star p = star_at(phi, c, g->stride), q = star_at(w, c, g->stride);
        step_row(f, &p, &q, phi1 + c, w1 + c, (size_t)g->nx);
    }
}

// What presses from above: phi1 = phi + press lift + calm cover lap(phi). The step that follows then sees
// w + lift wherever it says w. The last part calms the ripples that the grid would otherwise carry under
// a hull.
static void press_rows(const struct grid *g, const struct wave_factors *f, const float *restrict phi,
                       const float *restrict lift, const float *restrict cover, float *restrict phi1, int i0,
                       int i1, int j0, int j1)
{
    const size_t n = g->stride;
    const float press = f->press, calm = f->calm;
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
static bool broken_rows(const struct grid *g, const float *x, int j0, int j1)
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

const struct wave_kernels KERNELS(wave_kernels) = {step_rows, press_rows, broken_rows};
