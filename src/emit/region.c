// The region of an emitter: a disc or a box, and how much of a cell it covers.
#include "region.h"

#include "base/math/math.h"

const char *const emitter_shape_names[] = {"disc", "box", NULL};

double emitter_region_coverage(const struct emitter_region *r, double x, double z, double cell)
{
    int count = 0;
    for (int k = 0; k < 16; ++k) {
        const double dx = x + (0.125 + 0.25 * (k % 4) - 0.5) * cell - r->position.x;
        const double dz = z + (0.125 + 0.25 * (k / 4) - 0.5) * cell - r->position.y;
        count += r->shape == TARN_SOURCE_DISC ? dx * dx + dz * dz <= r->radius * r->radius
                                              : fabs(dx) <= 0.5 * r->size.x && fabs(dz) <= 0.5 * r->size.y;
    }
    return count / 16.0;
}

// Across a periodic boundary the range continues, up to one period.
static void range_along(double centre, double half, double start, double cell, int n, bool wrap, int *first,
                        int *end)
{
    const double lo = wrap ? -n : 0.0, hi = wrap ? 2.0 * n : n;
    *first = (int)clamp(floor((centre - half - start) / cell), lo, hi);
    *end = (int)clamp(ceil((centre + half - start) / cell), lo, hi);
    if (wrap) *end = imin(*end, *first + n);
}

struct cell_rect emitter_region_cells(const struct emitter_region *r, const struct fluid *f, bool wrap)
{
    const struct grid *g = &f->grid;
    const bool is_disc = r->shape == TARN_SOURCE_DISC;
    struct cell_rect out;
    range_along(r->position.x, is_disc ? r->radius : 0.5 * r->size.x, g->x0, g->dx, g->nx,
                wrap && f->periodic_x, &out.i0, &out.i1);
    range_along(r->position.y, is_disc ? r->radius : 0.5 * r->size.y, g->z0, g->dx, g->nz,
                wrap && f->periodic_z, &out.j0, &out.j1);
    return out;
}
