// Visual splash: a ring of water around a body that moves through the surface, higher than a height field
// would make it. Its volume is taken from a wider ring around it.
#include "coupling.h"

#include "base/math/math.h"

#define HORIZONTAL_WEIGHT 0.5 // weight of the horizontal speed against the falling speed
#define OUTER_RADIUS      3.5 // [radii] of the outer ring

// A Gaussian ring about the radius `centre`; all lengths in radii of the body.
static double ring_profile(double r, double centre, double width)
{
    const double q = (r - centre) / width;
    return m_exp(-q * q);
}

// Both rings around a body. The first pass over their cells computes the sums that give them equal volumes.
struct splash_rings {
    double x, z, radius; // [m]
    double inner, outer; // sums
    double height;       // [m] of the inner ring; 0: first pass
    double added;        // [m] sum of the depths added in the second pass
};

static void visit_ring_cells(struct splash_rings *s, struct fluid *f)
{
    const int reach = (int)ceil(OUTER_RADIUS * s->radius / f->grid.dx),
              i0 = (int)floor((s->x - f->grid.x0) / f->grid.dx),
              j0 = (int)floor((s->z - f->grid.z0) / f->grid.dx);
    for (int n = -reach; n <= reach; ++n) {
        const int row = fluid_wrap_row(f, j0 + n);
        for (int m = -reach; row >= 0 && m <= reach; ++m) {
            const int column = fluid_wrap_column(f, i0 + m);
            const double x = grid_cell_x(&f->grid, i0 + m) - s->x, z = grid_cell_z(&f->grid, j0 + n) - s->z,
                         r = sqrt(x * x + z * z) / s->radius;
            if (column < 0 || r > OUTER_RADIUS || !f->model->height_field->is_wet(f, column, row)) continue;
            const double inner = ring_profile(r, 1.3, 0.3), outer = ring_profile(r, 2.1, 0.6);
            if (s->height > 0.0) {
                const float depth = (float)(s->height * (inner - outer * (s->inner / s->outer)));
                s->added += f->model->height_field->add_water(f, row, column, column + 1, &depth, NULL);
            } else {
                s->inner += inner, s->outer += outer;
            }
        }
    }
}

void add_splash(const struct body_coupling *p, struct fluid *f, const struct bodies *b, int i,
                double strength, double dt)
{
    const double submerged = p->load.submerged_fraction;
    if (!(strength > 0.0 && submerged > 0.0 && submerged < 1.0)) return;
    const vec3 v = v3_sub(body_velocity(b, i), p->water_velocity), at = b->state[i].position;
    const double speed = fmax(0.0, -v.y) + HORIZONTAL_WEIGHT * sqrt(v.x * v.x + v.z * v.z);
    struct splash_rings s = {.x = at.x, .z = at.z, .radius = b->slots[i].body->def.shape->bounding_radius};
    visit_ring_cells(&s, f);
    // Largest when half of the body is submerged.
    s.height = 4.0 * submerged * (1.0 - submerged) * strength * speed * dt;
    if (!(s.height > 0.0 && s.outer > 0.0)) return;
    visit_ring_cells(&s, f);
    // The sum of the rounding errors goes to a column beside the body.
    const int column = fluid_wrap_column(f, (int)floor((at.x + 1.3 * s.radius - f->grid.x0) / f->grid.dx)),
              row = fluid_wrap_row(f, (int)floor((at.z - f->grid.z0) / f->grid.dx));
    const float rest = (float)-s.added;
    if (column >= 0 && row >= 0)
        s.added += f->model->height_field->add_water(f, row, column, column + 1, &rest, NULL);
    f->emitted_depth += s.added;
}
