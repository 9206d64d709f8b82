#include "narrow_phase.h"

#define DISC_VERTICES 8    // corners that stand for a circle as a side
#define DISC_TILT     1e-2 // tilt below which the corners of a cap stay where they are, so that contacts last
#define MIN_DOT       -1e300

struct convex_instance convex_place(const struct convex_part *p, vec3 at, const mat3 *axes)
{
    if (p->has_body_pose) return (struct convex_instance){p, at, *axes};
    struct convex_instance out = {.part = p, .position = v3_add(at, mat3_mul(axes, p->position))};
    for (int i = 0; i < 3; ++i)
        for (int j = 0; j < 3; ++j)
            out.axes.m[i][j] = axes->m[i][0] * p->axes.m[0][j] + axes->m[i][1] * p->axes.m[1][j] +
                               axes->m[i][2] * p->axes.m[2][j];
    return out;
}

static vec3 to_world(const struct convex_instance *p, vec3 v)
{
    return v3_add(p->position, mat3_mul(&p->axes, v));
}

static vec3 support_of_vertices(const struct convex_part *p, vec3 way)
{
    if (p->box_half.x > 0.0)
        return v3(way.x < 0 ? -p->box_half.x : p->box_half.x, way.y < 0 ? -p->box_half.y : p->box_half.y,
                  way.z < 0 ? -p->box_half.z : p->box_half.z);
    int best = 0;
    double most = v3_dot(p->vertices[0], way);
    for (int i = 1; i < p->vertex_count; ++i) {
        const double far = v3_dot(p->vertices[i], way);
        if (far > most) most = far, best = i;
    }
    return p->vertices[best];
}

static vec3 support_of_profile(const struct convex_part *p, vec3 way)
{
    const double across = sqrt(way.x * way.x + way.z * way.z);
    int best = 0;
    double most = MIN_DOT;
    for (int i = 0; i < p->profile_count; ++i) {
        const double far = p->profile[i].radius * across + p->profile[i].height * way.y;
        if (far > most) most = far, best = i;
    }
    const struct profile_point c = p->profile[best];
    const double k = across > 0.0 ? c.radius / across : 0.0; // straight up: any point of the disc will do
    return v3(k * way.x, c.height, k * way.z);
}

vec3 convex_support(const struct convex_instance *p, vec3 way)
{
    const vec3 local = mat3_mul_t(&p->axes, way);
    return to_world(p, p->part->profile_count ? support_of_profile(p->part, local)
                                              : support_of_vertices(p->part, local));
}

static void face_feature(const struct convex_instance *p, vec3 way, struct support_feature *out)
{
    const struct convex_part *k = p->part;
    int best = 0;
    double most = MIN_DOT;
    for (int i = 0; i < k->face_count; ++i) {
        const double along = v3_dot(k->faces[i].normal, way);
        if (along > most) most = along, best = i;
    }
    const struct convex_face *s = &k->faces[best];
    out->count = s->count;
    out->normal = mat3_mul(&p->axes, s->normal);
    for (int i = 0; i < s->count; ++i)
        out->points[i] = to_world(p, k->vertices[k->face_vertices[s->first + i]]);
}

// A circle as a side: its points lie on it, the first where the way leads.
static void disc_feature(const struct convex_instance *p, struct profile_point c, double up, vec3 way,
                         struct support_feature *out)
{
    const double across = sqrt(way.x * way.x + way.z * way.z), h = 0.70710678118654752;
    const double x = across > DISC_TILT ? way.x / across : 1.0, z = across > DISC_TILT ? way.z / across : 0.0;
    static const double turn[DISC_VERTICES][2] = {{1, 0},  {1, 1},   {0, 1},  {-1, 1},
                                                  {-1, 0}, {-1, -1}, {0, -1}, {1, -1}};
    out->count = DISC_VERTICES;
    out->normal = mat3_mul(&p->axes, v3(0, up, 0));
    for (int i = 0; i < DISC_VERTICES; ++i) {
        const double k = i & 1 ? h : 1.0, a = k * turn[i][0], b = -up * k * turn[i][1];
        out->points[i] = to_world(p, v3(c.radius * (a * x - b * z), c.height, c.radius * (a * z + b * x)));
    }
}

static void profile_feature(const struct convex_instance *p, vec3 way, struct support_feature *out)
{
    const struct profile_point *c = p->part->profile;
    const int n = p->part->profile_count;
    const double across = sqrt(way.x * way.x + way.z * way.z);
    int best = -1;
    double most = MIN_DOT;
    for (int i = 0; i + 1 < n; ++i) { // the slope between two circles
        const double rise = c[i + 1].height - c[i].height, in = c[i].radius - c[i + 1].radius;
        const double along = (rise * across + in * way.y) / sqrt(rise * rise + in * in);
        if (along > most) most = along, best = i;
    }
    if (c[0].radius > 0.0 && -way.y >= most) {
        disc_feature(p, c[0], -1.0, way, out);
    } else if (c[n - 1].radius > 0.0 && way.y >= most) {
        disc_feature(p, c[n - 1], 1.0, way, out);
    } else if (best < 0 || across == 0.0) {
        out->count = 1;
        out->points[0] = to_world(p, support_of_profile(p->part, way));
    } else {
        const double x = way.x / across, z = way.z / across;
        out->count = 2;
        for (int i = 0; i < 2; ++i) {
            const struct profile_point e = c[best + i];
            out->points[i] = to_world(p, v3(e.radius * x, e.height, e.radius * z));
        }
    }
}

void convex_support_feature(const struct convex_instance *p, vec3 way, struct support_feature *out)
{
    const vec3 local = mat3_mul_t(&p->axes, way);
    if (p->part->profile_count)
        profile_feature(p, local, out);
    else
        face_feature(p, local, out);
}
