// Water that a body throws up around itself when it breaks the surface: more than a height field would show. It comes from
// a wider ring around, so that none is made.
#include "couple.h"

#include "base/math.h"

#define ASIDE 0.5 // what sideways motion counts beside falling
#define REACH 3.5 // [R] of the wider ring

// A ring about r = at, with r and at in radii of the body.
static double ring(double r, double at, double wide)
{
    const double q = (r - at) / wide;
    return m_exp(-q * q);
}

// The cells within reach. The first pass sums up both rings, so that the second can weigh them against each other.
struct rings {
    double x, z, radius; // [m]
    double inner, outer; // sums
    double height;       // [m] of the inner one; 0: first pass
    double added;        // [m] in the second pass
};

static void over_rings(struct rings *s, struct fluid *f)
{
    const int reach = (int)ceil(REACH * s->radius / f->g.s), i0 = (int)floor((s->x - f->g.x0) / f->g.s),
              j0 = (int)floor((s->z - f->g.z0) / f->g.s);
    for (int n = -reach; n <= reach; ++n) {
        const int row = fluid_row(f, j0 + n);
        for (int m = -reach; row >= 0 && m <= reach; ++m) {
            const int column = fluid_column(f, i0 + m);
            const double x = grid_x(&f->g, i0 + m) - s->x, z = grid_z(&f->g, j0 + n) - s->z,
                         r = sqrt(x * x + z * z) / s->radius;
            if (column < 0 || r > REACH || (f->kind->wet && !f->kind->wet(f, column, row))) continue;
            const double inner = ring(r, 1.3, 0.3), outer = ring(r, 2.1, 0.6);
            if (s->height > 0.0) {
                const float depth = (float)(s->height * (inner - outer * (s->inner / s->outer)));
                s->added += f->kind->add(f, row, column, column + 1, &depth, NULL);
            } else {
                s->inner += inner, s->outer += outer;
            }
        }
    }
}

void splash(const struct press *p, struct fluid *f, const struct bodies *b, int i, double strength, double dt)
{
    const double part = p->load.submerged_fraction;
    if (!(strength > 0.0 && part > 0.0 && part < 1.0)) return;
    const vec3 v = v3_sub(body_velocity(b, i), p->drift), at = b->hot[i].position;
    const double speed = fmax(0.0, -v.y) + ASIDE * sqrt(v.x * v.x + v.z * v.z);
    struct rings s = {.x = at.x, .z = at.z, .radius = b->slots[i].cold->figure->radius};
    over_rings(&s, f);
    // Half of the body in the water throws most.
    s.height = 4.0 * part * (1.0 - part) * strength * speed * dt;
    if (!(s.height > 0.0 && s.outer > 0.0)) return;
    over_rings(&s, f);
    // What rounding made of it goes back beside the body, to the last quantum.
    const int column = fluid_column(f, (int)floor((at.x + 1.3 * s.radius - f->g.x0) / f->g.s)),
              row = fluid_row(f, (int)floor((at.z - f->g.z0) / f->g.s));
    const float rest = (float)-s.added;
    if (column >= 0 && row >= 0) s.added += f->kind->add(f, row, column, column + 1, &rest, NULL);
    f->emitted += s.added;
}
