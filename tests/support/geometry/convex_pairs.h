// Pairs of convex parts for tests, and independent methods for their distance.
#ifndef TESTS_CONVEX_PAIRS_H
#define TESTS_CONVEX_PAIRS_H

#include "body/collide/narrow_phase.h"
#include "rng.h"
#include "shapes.h"

// ---- random rotations -----------------------------------------------------------------------------

static inline vec3 random_direction(struct rng *l)
{
    const double y = rng_between(l, -1, 1), a = rng_between(l, 0, 2 * PI), r = sqrt(1 - y * y);
    return v3(r * cos(a), y, r * sin(a));
}

static inline mat3 random_rotation(struct rng *l)
{
    const vec3 v = random_direction(l);
    return quat_to_matrix(quat_from_rotation_vector(v3_scale(v, rng_between(l, 0, PI))));
}

static inline vec3 normalize(vec3 v) { return v3_scale(v, 1.0 / v3_length(v)); }

// The shortest rotation of unit vector u to v.
static inline mat3 rotation_between(vec3 u, vec3 v)
{
    const vec3 axis = v3_cross(u, v);
    const double s = v3_length(axis), angle = atan2(s, v3_dot(u, v));
    const vec3 across = v3_cross(u, fabs(u.x) < 0.6 ? v3(1, 0, 0) : v3(0, 1, 0));
    return quat_to_matrix(quat_from_rotation_vector(v3_scale(normalize(s > 1e-12 ? axis : across), angle)));
}

static inline mat3 mat3_product(const mat3 *a, const mat3 *b)
{
    mat3 out;
    for (int i = 0; i < 3; ++i)
        for (int j = 0; j < 3; ++j)
            out.m[i][j] = a->m[i][0] * b->m[0][j] + a->m[i][1] * b->m[1][j] + a->m[i][2] * b->m[2][j];
    return out;
}

// ---- shapes -----------------------------------------------------------------------------------------

enum { SPHERE, CAPSULE, BOX, CYLINDER, CONE, HULL, SHIP, LATHE, SHAPE_TYPES };
static const char *const shape_names[SHAPE_TYPES] = {"sphere", "capsule",     "box",    "cylinder",
                                                     "cone",   "convex_hull", "wigley", "lathe"};

static inline struct shape_data a_box(double x, double y, double z)
{
    tarn_spec s = spec_of("box");
    CHECK_OK(tarn_spec_set(&s, "size", tarn_value_vec3(x, y, z), NULL));
    return make(s);
}

static inline struct shape_data random_hull(struct rng *l, double size, double thin)
{
    double numbers[3 * 24];
    const int count = 4 + rng_index(l, 21);
    for (int i = 0; i < count; ++i) {
        const double far = size * rng_between(l, 0.5, 1);
        const vec3 p = v3_scale(random_direction(l), far);
        numbers[3 * i] = p.x, numbers[3 * i + 1] = p.y * thin, numbers[3 * i + 2] = p.z;
    }
    return make(table("convex_hull", count, numbers));
}

static inline struct shape_data random_lathe(struct rng *l, double size, double thin)
{
    double numbers[2 * 8];
    size = clamp(size, 1.4e-3, 99),
    thin = fmin(thin, 99 / size); // the largest radius is at least a millimetre
    const int count = 3 + rng_index(l, 6);
    for (int i = 0; i < count; ++i) {
        const double t = 2.0 * i / (count - 1) - 1.0;
        numbers[2 * i] = size * (1 - 0.9 * t * t) * rng_between(l, 0.9, 1),
                    numbers[2 * i + 1] = size * thin * t;
    }
    return make(table("lathe", count, numbers));
}

// A part of width `size` and `thin` times that along its axis.
static inline struct shape_data random_shape(struct rng *l, int type, double size, double thin)
{
    const double lo = 1e-3, hi = 100, other = clamp(size * thin, lo, hi);
    size = clamp(size, lo, hi);
    if (type == SPHERE) return make(with(spec_of("sphere"), "radius", size));
    if (type == CAPSULE) return make(sized("capsule", "radius", size, "length", other));
    if (type == CYLINDER) return make(sized("cylinder", "radius", size, "height", other));
    if (type == CONE) return make(sized("cone", "radius", size, "height", other));
    if (type == BOX) return a_box(size, other, clamp(size * rng_between(l, 0.5, 1), lo, hi));
    if (type == HULL) return random_hull(l, size, other / size);
    if (type == LATHE) return random_lathe(l, size, other / size);
    const tarn_spec s = sized("wigley", "length", other, "breadth", size);
    const double draft = clamp(size * rng_between(l, 0.2, 1), lo, hi);
    return make(with(with(s, "draft", draft), "freeboard", rng_index(l, 2) ? 0.3 * size : 0.0));
}

// ---- reference --------------------------------------------------------------------------------------

// Extent of a part along n from its centre.
static inline double reach_of(const struct convex_instance *p, vec3 n)
{
    const vec3 own = mat3_mul_t(&p->axes, n);
    double far = -INFINITY;
    for (int i = 0; i < p->part->vertex_count; ++i) far = fmax(far, v3_dot(own, p->part->vertices[i]));
    const double across = sqrt(own.x * own.x + own.z * own.z);
    for (int i = 0; i < p->part->profile_count; ++i)
        far = fmax(far, p->part->profile[i].radius * across + p->part->profile[i].height * own.y);
    return far + p->part->rounding;
}

// The gap between a and b along n. The largest one over all n is their distance, or minus their depth.
static inline double slab(const struct convex_instance *a, const struct convex_instance *b, vec3 n)
{
    return v3_dot(n, v3_sub(b->position, a->position)) - reach_of(a, n) - reach_of(b, v3_scale(n, -1.0));
}

struct search {
    const struct convex_instance *a, *b;
    vec3 way;
    double best;
};

static inline void try_direction(struct search *s, vec3 n)
{
    const double length = v3_length(n);
    if (!(length > 1e-9)) return;
    const vec3 u = v3_scale(n, 1.0 / length);
    const double gap = slab(s->a, s->b, u);
    if (gap > s->best) s->best = gap, s->way = u;
}

// Rotate the best direction randomly by decreasing angles.
static inline void refine(struct search *s, struct rng *l, double step, int tries)
{
    for (int i = 0; i < tries; ++i) {
        const double before = s->best, part = rng_unit(l);
        try_direction(s, v3_madd(s->way, step * part, random_direction(l)));
        step *= s->best > before ? 1.5 : 0.85;
    }
}

static inline vec3 face_normal(const struct convex_instance *p, int i)
{
    return mat3_mul(&p->axes, p->part->faces[i].normal);
}

static inline vec3 edge_direction(const struct convex_instance *p, const struct convex_face *s, int i)
{
    const int *c = p->part->face_vertices + s->first;
    const vec3 *at = p->part->vertices;
    return normalize(mat3_mul(&p->axes, v3_sub(at[c[(i + 1) % s->count]], at[c[i]])));
}

// Edges of b against one of a.
static inline void try_crossings(struct search *s, vec3 edge)
{
    for (int j = 0; j < s->b->part->face_count; ++j)
        for (int m = 0; m < s->b->part->faces[j].count; ++m) {
            const vec3 n = v3_cross(edge, edge_direction(s->b, &s->b->part->faces[j], m));
            try_direction(s, n), try_direction(s, v3_scale(n, -1.0));
        }
}

// Face normals of both and cross products of their edges: between overlapping polytopes the best direction
// is one of them.
static inline void try_features(struct search *s, int most)
{
    const struct convex_part *a = s->a->part, *b = s->b->part;
    for (int i = 0; i < a->face_count; ++i) try_direction(s, face_normal(s->a, i));
    for (int i = 0; i < b->face_count; ++i) try_direction(s, v3_scale(face_normal(s->b, i), -1.0));
    if (a->face_vertex_count * b->face_vertex_count > most) return;
    for (int i = 0; i < a->face_count; ++i)
        for (int k = 0; k < a->faces[i].count; ++k) try_crossings(s, edge_direction(s->a, &a->faces[i], k));
}

// The best direction, searched around the claimed one and everywhere else.
static inline struct search find_best(const struct convex_instance *a, const struct convex_instance *b,
                                      vec3 claimed, int samples, struct rng *l)
{
    struct search near = {a, b, claimed, -INFINITY}, all = near;
    try_direction(&near, claimed);
    refine(&near, l, 1e-2, samples / 5);
    for (int i = 0; i < samples; ++i) try_direction(&all, random_direction(l));
    for (int k = 0; k < 6; ++k) {
        const vec3 axis = v3_scale(v3(k / 2 == 0, k / 2 == 1, k / 2 == 2), k % 2 ? 1 : -1);
        try_direction(&all, mat3_mul(&a->axes, axis)), try_direction(&all, mat3_mul(&b->axes, axis));
    }
    try_direction(&all, v3_sub(b->position, a->position));
    try_features(&all, 20 * samples);
    refine(&all, l, 0.2, samples / 2);
    return all.best > near.best ? all : near;
}

// Lower bound of the distance of a point from a part; negative: inside by that much.
static inline double outside(const struct convex_instance *p, vec3 at)
{
    const struct convex_part *k = p->part;
    const vec3 q = mat3_mul_t(&p->axes, v3_sub(at, p->position));
    double far = -INFINITY;
    for (int i = 0; i < k->face_count; ++i)
        far = fmax(far, v3_dot(k->faces[i].normal, q) - k->faces[i].offset);
    if (!k->profile_count) return far;
    const double r = sqrt(q.x * q.x + q.z * q.z);
    const struct profile_point *c = k->profile, top = c[k->profile_count - 1];
    if (k->rounding > 0.0) { // a sphere or a
        const double y = clamp(q.y, c[0].height, top.height) - q.y;
        return sqrt(r * r + y * y) - k->rounding;
    }
    far = fmax(c[0].height - q.y, q.y - top.height);
    for (int i = 0; i + 1 < k->profile_count; ++i) {
        const double rise = c[i + 1].height - c[i].height, in = c[i].radius - c[i + 1].radius;
        far = fmax(far, (rise * (r - c[i].radius) + in * (q.y - c[i].height)) / sqrt(rise * rise + in * in));
    }
    return far;
}

#endif
