// The quantum of depth: depths, beds and fluxes are multiples of one power of two, so that their sums are
// exact in floating point and volume is conserved to the last bit. The bed is rounded to the same quantum, so
// that the surface of still water is exactly level.
#include "depth.h"

#define DRY_QUANTA 8.0 // depths that are not larger are rounding errors

void depth_set_quantum(struct fluid *f, float quantum)
{
    ((struct depth_state *)f->impl)->quantum = quantum;
    f->dry_depth = DRY_QUANTA * (double)quantum;
}

// 2^-23 of a scale: the power of two that is at least twice the depth of the still water and of the boundary
// conditions. Depths up to twice the scale are exact.
float depth_choose_quantum(const struct fluid *f, double highest_bed)
{
    const tarn_shallow_def *d = shallow_def_of(f);
    double depth = f->rest_level - f->bed_min, scale = 1.0 / 1024.0;
    for (int i = 0; i < 4; ++i) {
        if (depth_boundary_type(f, i) <= TARN_BOUNDARY_PERIODIC) continue; // its water is that of the domain
        const double amplitude = isnan(d->boundary[i].amplitude) ? 0.0 : d->boundary[i].amplitude;
        depth = fmax(depth, (isnan(d->boundary[i].level) ? f->rest_level : d->boundary[i].level) + amplitude -
                                f->bed_min);
        if (!isnan(d->boundary[i].discharge)) // twice the critical depth
            depth = fmax(depth, 2.0 * m_pow(d->boundary[i].discharge * d->boundary[i].discharge / f->gravity,
                                            1.0 / 3.0));
    }
    depth = fmax(depth, 0.25 * (highest_bed - f->bed_min)); // dry land may be flooded
    while (scale < 2.0 * depth) scale *= 2.0;
    return (float)(scale / DEPTH_QUANTA);
}

float depth_round(const struct fluid *f, double depth) { return depth_quantise(f->impl, depth); }

double depth_coarsen_quantum_to(struct fluid *f, double depth)
{
    struct depth_state *self = f->impl;
    const float old = self->quantum;
    double sum = 0.0;
    float quantum = old;
    while (2.0 * depth > DEPTH_QUANTA * (double)quantum) quantum *= 2.0f;
    if (quantum == old) return 0.0;
    depth_set_quantum(f, quantum);
    for (int j = 0; j < f->grid.nz; ++j)
        for (int i = 0; i < f->grid.nx; ++i) {
            const size_t c = grid_at(&f->grid, i, j);
            const double before = self->h[c], surface = (double)f->bed[c] + before;
            f->bed[c] = depth_quantise(self, f->bed[c]);
            const double after = (double)depth_quantise(self, surface) - (double)f->bed[c];
            self->h[c] = before > 0.0 && after > 0.0 ? (float)after : 0.0f;
            sum += (double)self->h[c] - before;
        }
    depth_fill_ghosts(f, f->bed, CELL_CENTRE);
    f->derived_stale = true;
    return sum;
}

void depth_coarsen_quantum(struct fluid *f)
{
    const struct depth_state *self = f->impl;
    float deepest = 0.0f;
    for (int j = 0; j < f->grid.nz; ++j)
        for (int i = 0; i < f->grid.nx; ++i) deepest = fmaxf(deepest, self->h[grid_at(&f->grid, i, j)]);
    if ((double)deepest > DEPTH_QUANTA * (double)self->quantum)
        f->emitted_depth += depth_coarsen_quantum_to(f, deepest);
}
