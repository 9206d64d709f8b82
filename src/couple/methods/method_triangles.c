// Coupling method `triangles`: Algorithm 2 of [chentanez2010], for comparison with the real-time literature.
//
// Wetted parts of the hull that move outwards raise the surface above them, inwards lower it, decaying with
// depth, and draw the velocity of the water to their own. Volume is not conserved, which the ledger counts as
// displaced, and neither is momentum.
#include "couple/coupling.h"

#define DEPTH_DECAY   1.0 // [1/m] of the effect with depth
#define VELOCITY_RATE 0.2 // [1/s] relaxation of the velocity of the water to that of the hull

// A sample of the hull, no larger than a cell.
struct hull_sample {
    vec3 position, normal, velocity; // in the world
    vec3 relative_velocity;          // [m/s] its velocity through the water
    double area, depth;              // [m^2], [m] below the surface
};

// The four cells around a point and their bilinear weights; -1: outside.
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

// Undersides draw the water along and tops the other way, so that the thickness of the body counts. (With the
// sign as printed in the paper, a floating body would push the water away.)
static void drag_water(struct fluid *f, const struct hull_sample *s, int i, int j, double weight, double dt)
{
    float u, v;
    const double depth = fluid_depth(f, i, j), sign = s->normal.y < 0.0 ? 1.0 : -1.0;
    if (!(depth > f->dry_depth)) return;
    f->model->height_field->read_velocity(f, j, i, i + 1, &u, &v);
    const double fraction = sign * fmin(1.0, VELOCITY_RATE * dt * weight * s->depth / depth);
    const float limit = (float)fmax(f->rest_wave_speed, v3_length(s->velocity));
    if (i > 0 || f->periodic_x)
        f->model->height_field->momentum->add_face_velocity(
            f, i, j, 0, (float)(fraction * (s->velocity.x - (double)u)), limit);
    if (j > 0 || f->periodic_z)
        f->model->height_field->momentum->add_face_velocity(
            f, i, j, 1, (float)(fraction * (s->velocity.z - (double)v)), limit);
}

// A fast sample is divided along its path, so that it skips no cell.
static void disturb_water(struct fluid *f, const struct hull_sample *s, double dt)
{
    const double area = f->grid.dx * f->grid.dx, vx = s->velocity.x, vz = s->velocity.z,
                 path = sqrt(vx * vx + vz * vz) * dt / f->grid.dx;
    const int count = (int)fmin(64.0, fmax(1.0, floor(path + 0.5)));
    for (int n = 0; n < count; ++n) {
        const double time = dt * ((n + 0.5) / count - 1.0);
        const struct bilinear_cells a =
            bilinear_cells_at(f, s->position.x + time * s->velocity.x, s->position.z + time * s->velocity.z);
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

// Sample a triangle of the hull at the centroids of n^2 equal triangles.
static void sample_triangle(struct fluid *f, const struct body_coupling *p, const vec3 r[3],
                            struct hull_sample *s, vec3 centre, vec3 velocity, vec3 angular_velocity,
                            double dt)
{
    const int n = (int)fmin(256.0, ceil(sqrt(s->area) / f->grid.dx));
    const vec3 a = v3_scale(v3_sub(r[1], r[0]), 1.0 / n), b = v3_scale(v3_sub(r[2], r[0]), 1.0 / n);
    s->area /= (double)n * n;
    for (int k = 0; k < n; ++k)
        for (int l = 0; l < 2 * (n - k) - 1; ++l) { // upright and inverted triangles in turn
            const double along = k + (l % 2 ? 2.0 : 1.0) / 3.0, across = l / 2 + (l % 2 ? 2.0 : 1.0) / 3.0;
            const vec3 at = v3_add(r[0], v3_add(v3_scale(a, along), v3_scale(b, across)));
            s->depth = p->surface_plane.a + p->surface_plane.b * at.x + p->surface_plane.c * at.z -
                       (centre.y + at.y - f->rest_level);
            if (s->depth < 0.0) continue;
            s->position = v3_add(centre, at);
            s->velocity = v3_add(velocity, v3_cross(angular_velocity, at));
            s->relative_velocity = v3_sub(s->velocity, p->water_velocity);
            disturb_water(f, s, dt);
        }
}

static vec3 disturb_by_triangles(const struct coupling *c, struct fluid *f, const struct bodies *b, int i,
                                 vec3 owed, double dt)
{
    (void)owed;
    const struct trimesh *h = &b->slots[i].body->def.shape->data.hull;
    const mat3 rotation = quat_to_matrix(b->state[i].rotation);
    for (int t = 0; t < h->triangle_count; ++t) {
        struct hull_sample s = {.normal = mat3_mul(&rotation, h->facets[t].normal),
                                .area = h->facets[t].area};
        vec3 r[3];
        for (int k = 0; k < 3; ++k) r[k] = mat3_mul(&rotation, h->vertices[h->triangles[t][k]]);
        if (s.area > 0.0)
            sample_triangle(f, &c->per_body[i], r, &s, b->state[i].position, body_velocity(b, i),
                            body_angular_velocity(b, i), dt);
    }
    return v3(0, 0, 0);
}

const struct coupling_kind coupling_triangles = {.return_momentum = disturb_by_triangles};
