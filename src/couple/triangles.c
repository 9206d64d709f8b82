// Body to water by triangles: the real-time literature's way (Chentanez & Mueller 2010, Algorithm 2), for comparison.
//
// Each wet part of the hull that moves outwards pushes the surface above it up, inwards down, the less the deeper it is,
// and takes the water's speed along. Nothing keeps these in balance: what it makes of the volume is booked as placed, and
// no momentum is kept.
#include "couple.h"

#define DECAY 1.0 // [1/m] of the effect with depth
#define DRAWN 0.2 // [1/s] how fast the water's speed follows

// A part of the hull, no larger than a cell.
struct speck {
    vec3 at, normal, velocity; // in the world
    vec3 through;              // [m/s] its velocity through the water
    double area, depth;        // [m^2], [m] below the surface
};

// The cells around a point and their shares; -1: outside.
struct around {
    int i[4], j[4];
    double part[4];
};

static struct around around(const struct fluid *f, double x, double z)
{
    const double px = (x - f->g.x0) / f->g.s - 0.5, pz = (z - f->g.z0) / f->g.s - 0.5;
    const double fx = px - floor(px), fz = pz - floor(pz);
    struct around a;
    for (int k = 0; k < 4; ++k) {
        a.i[k] = fluid_column(f, (int)floor(px) + (k & 1)), a.j[k] = fluid_row(f, (int)floor(pz) + (k >> 1));
        a.part[k] = (k & 1 ? fx : 1.0 - fx) * (k & 2 ? fz : 1.0 - fz);
    }
    return a;
}

// Undersides take the water along and tops give it back, so that the body's thickness counts. (With the sign as printed a
// floating body would drive the water away from itself.)
static void draw_along(struct fluid *f, const struct speck *s, int i, int j, double weight, double dt)
{
    float mean, u, v;
    const double deep = f->kind->depth(f, i, j, &mean), side = s->normal.y < 0.0 ? 1.0 : -1.0;
    if (!(deep > f->dry)) return;
    f->kind->speed(f, j, i, i + 1, &u, &v);
    const double part = side * fmin(1.0, DRAWN * dt * weight * s->depth / deep);
    const float most = (float)fmax(f->speed, v3_length(s->velocity));
    if (i > 0 || f->wrap_x) f->kind->shove(f, i, j, 0, (float)(part * (s->velocity.x - (double)u)), most);
    if (j > 0 || f->wrap_z) f->kind->shove(f, i, j, 1, (float)(part * (s->velocity.z - (double)v)), most);
}

// A fast one is laid along its way, so that it misses no cell.
static void stir(struct fluid *f, const struct speck *s, double dt)
{
    const double area = f->g.s * f->g.s, vx = s->velocity.x, vz = s->velocity.z,
                 way = sqrt(vx * vx + vz * vz) * dt / f->g.s;
    const int count = (int)fmin(64.0, fmax(1.0, floor(way + 0.5)));
    for (int n = 0; n < count; ++n) {
        const double back = dt * ((n + 0.5) / count - 1.0);
        const struct around a = around(f, s->at.x + back * s->velocity.x, s->at.z + back * s->velocity.z);
        for (int k = 0; k < 4; ++k) {
            const int i = a.i[k], j = a.j[k];
            if (i < 0 || j < 0 || (f->kind->wet && !f->kind->wet(f, i, j))) continue;
            const double weight = a.part[k] * m_exp(-DECAY * s->depth) * s->area / (area * count);
            const float depth = (float)(weight * dt * v3_dot(s->normal, s->through));
            f->placed -= f->kind->add(f, j, i, i + 1, &depth, NULL);
            if (f->kind->shove) draw_along(f, s, i, j, weight, dt);
        }
    }
}

// One triangle of the hull as n^2 equal ones, by their middles.
static void cut_and_stir(struct fluid *f, const struct press *p, const vec3 r[3], struct speck *s,
                         vec3 centre, vec3 velocity, vec3 spin, double dt)
{
    const int n = (int)fmin(256.0, ceil(sqrt(s->area) / f->g.s));
    const vec3 a = v3_scale(v3_sub(r[1], r[0]), 1.0 / n), b = v3_scale(v3_sub(r[2], r[0]), 1.0 / n);
    s->area /= (double)n * n;
    for (int k = 0; k < n; ++k)
        for (int l = 0; l < 2 * (n - k) - 1; ++l) { // upright and upside down in turn
            const double along = k + (l % 2 ? 2.0 : 1.0) / 3.0, across = l / 2 + (l % 2 ? 2.0 : 1.0) / 3.0;
            const vec3 at = v3_add(r[0], v3_add(v3_scale(a, along), v3_scale(b, across)));
            s->depth =
                p->surface.a + p->surface.b * at.x + p->surface.c * at.z - (centre.y + at.y - f->level);
            if (s->depth < 0.0) continue;
            s->at = v3_add(centre, at);
            s->velocity = v3_add(velocity, v3_cross(spin, at));
            s->through = v3_sub(s->velocity, p->drift);
            stir(f, s, dt);
        }
}

static vec3 answer(const struct couple *c, struct fluid *f, const struct bodies *b, int i, vec3 owed,
                   double dt)
{
    (void)owed;
    const struct hull *h = &b->slots[i].cold->figure->form.hull;
    const mat3 turn = quat_matrix(b->hot[i].rotation);
    for (int t = 0; t < h->triangle_count; ++t) {
        struct speck s = {.normal = mat3_mul(&turn, h->facets[t].normal), .area = h->facets[t].area};
        vec3 r[3];
        for (int k = 0; k < 3; ++k) r[k] = mat3_mul(&turn, h->vertices[h->triangles[t][k]]);
        if (s.area > 0.0)
            cut_and_stir(f, &c->presses[i], r, &s, b->hot[i].position, body_velocity(b, i), body_spin(b, i),
                         dt);
    }
    return v3(0, 0, 0);
}

const struct couple_kind couple_triangles = {.answer = answer};
