// Body to water by triangles: the real-time literature's way (Chentanez & Mueller 2010, Algorithm 2), for comparison.
//
// Each wet part of the hull that moves outwards pushes the surface above it up, inwards down, the less the deeper it is,
// and takes the water's speed along. Nothing keeps these in balance: what it makes of the volume is booked as placed, and
// no momentum is kept.
#include "coupling.h"

#define DEPTH_DECAY   1.0 // [1/m] of the effect with depth
#define VELOCITY_RATE 0.2 // [1/s] how fast the water's speed follows

// A part of the hull, no larger than a cell.
struct hull_sample {
    vec3 position, normal, velocity; // in the world
    vec3 relative_velocity;          // [m/s] its velocity through the water
    double area, depth;              // [m^2], [m] below the surface
};

// The cells around a point and their shares; -1: outside.
struct bilinear_cells {
    int i[4], j[4];
    double weight[4];
};

static struct bilinear_cells bilinear_cells_at(const struct fluid *f, double x, double z)
{
    const double px = (x - f->grid.x0) / f->grid.dx - 0.5, pz = (z - f->grid.z0) / f->grid.dx - 0.5;
    const double fx = px - floor(px), fz = pz - floor(pz);
    struct bilinear_cells a;
    for (int k = 0; k < 4; ++k) {
        a.i[k] = fluid_wrap_column(f, (int)floor(px) + (k & 1)),
        a.j[k] = fluid_wrap_row(f, (int)floor(pz) + (k >> 1));
        a.weight[k] = (k & 1 ? fx : 1.0 - fx) * (k & 2 ? fz : 1.0 - fz);
    }
    return a;
}

// Undersides take the water along and tops give it back, so that the body's thickness counts. (With the sign as printed a
// floating body would drive the water away from itself.)
static void drag_water(struct fluid *f, const struct hull_sample *s, int i, int j, double weight, double dt)
{
    float mean, u, v;
    const double deep = f->model->height_field->momentum->read_depth(f, i, j, &mean),
                 side = s->normal.y < 0.0 ? 1.0 : -1.0;
    if (!(deep > f->dry_depth)) return;
    f->model->height_field->read_velocity(f, j, i, i + 1, &u, &v);
    const double part = side * fmin(1.0, VELOCITY_RATE * dt * weight * s->depth / deep);
    const float most = (float)fmax(f->rest_wave_speed, v3_length(s->velocity));
    if (i > 0 || f->periodic_x)
        f->model->height_field->momentum->add_face_velocity(
            f, i, j, 0, (float)(part * (s->velocity.x - (double)u)), most);
    if (j > 0 || f->periodic_z)
        f->model->height_field->momentum->add_face_velocity(
            f, i, j, 1, (float)(part * (s->velocity.z - (double)v)), most);
}

// A fast one is laid along its way, so that it misses no cell.
static void disturb_water(struct fluid *f, const struct hull_sample *s, double dt)
{
    const double area = f->grid.dx * f->grid.dx, vx = s->velocity.x, vz = s->velocity.z,
                 way = sqrt(vx * vx + vz * vz) * dt / f->grid.dx;
    const int count = (int)fmin(64.0, fmax(1.0, floor(way + 0.5)));
    for (int n = 0; n < count; ++n) {
        const double back = dt * ((n + 0.5) / count - 1.0);
        const struct bilinear_cells a =
            bilinear_cells_at(f, s->position.x + back * s->velocity.x, s->position.z + back * s->velocity.z);
        for (int k = 0; k < 4; ++k) {
            const int i = a.i[k], j = a.j[k];
            if (i < 0 || j < 0 || !f->model->height_field->is_wet(f, i, j)) continue;
            const double weight = a.weight[k] * m_exp(-DEPTH_DECAY * s->depth) * s->area / (area * count);
            const float depth = (float)(weight * dt * v3_dot(s->normal, s->relative_velocity));
            f->displaced_depth -= f->model->height_field->add_water(f, j, i, i + 1, &depth, NULL);
            if (f->model->height_field->momentum) drag_water(f, s, i, j, weight, dt);
        }
    }
}

// One triangle of the hull as n^2 equal ones, by their middles.
static void sample_triangle(struct fluid *f, const struct body_coupling *p, const vec3 r[3],
                            struct hull_sample *s, vec3 centre, vec3 velocity, vec3 spin, double dt)
{
    const int n = (int)fmin(256.0, ceil(sqrt(s->area) / f->grid.dx));
    const vec3 a = v3_scale(v3_sub(r[1], r[0]), 1.0 / n), b = v3_scale(v3_sub(r[2], r[0]), 1.0 / n);
    s->area /= (double)n * n;
    for (int k = 0; k < n; ++k)
        for (int l = 0; l < 2 * (n - k) - 1; ++l) { // upright and upside down in turn
            const double along = k + (l % 2 ? 2.0 : 1.0) / 3.0, across = l / 2 + (l % 2 ? 2.0 : 1.0) / 3.0;
            const vec3 at = v3_add(r[0], v3_add(v3_scale(a, along), v3_scale(b, across)));
            s->depth = p->surface_plane.a + p->surface_plane.b * at.x + p->surface_plane.c * at.z -
                       (centre.y + at.y - f->rest_level);
            if (s->depth < 0.0) continue;
            s->position = v3_add(centre, at);
            s->velocity = v3_add(velocity, v3_cross(spin, at));
            s->relative_velocity = v3_sub(s->velocity, p->water_velocity);
            disturb_water(f, s, dt);
        }
}

static vec3 disturb_by_triangles(const struct coupling *c, struct fluid *f, const struct bodies *b, int i,
                                 vec3 owed, double dt)
{
    (void)owed;
    const struct trimesh *h = &b->slots[i].body->geometry->shape.hull;
    const mat3 turn = quat_to_matrix(b->state[i].rotation);
    for (int t = 0; t < h->triangle_count; ++t) {
        struct hull_sample s = {.normal = mat3_mul(&turn, h->facets[t].normal), .area = h->facets[t].area};
        vec3 r[3];
        for (int k = 0; k < 3; ++k) r[k] = mat3_mul(&turn, h->vertices[h->triangles[t][k]]);
        if (s.area > 0.0)
            sample_triangle(f, &c->per_body[i], r, &s, b->state[i].position, body_velocity(b, i),
                            body_angular_velocity(b, i), dt);
    }
    return v3(0, 0, 0);
}

const struct coupling_kind coupling_triangles = {.return_momentum = disturb_by_triangles};
