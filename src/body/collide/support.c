// Support function and supporting feature of a convex part: a polytope with faces, or a solid of revolution
// about the part's y axis whose profile is a list of circles.
#include "body/collide/narrow_phase.h"

#define DISC_VERTICES 8    // vertices that approximate a disc as a face
#define DISC_TILT     1e-2 // sine of the tilt below which these vertices do not rotate with the direction
#define MIN_DOT       -1e300

struct convex_instance convex_place(const struct convex_part *part, vec3 body_position, const mat3 *body_axes)
{
    if (part->has_body_pose) return (struct convex_instance){part, body_position, *body_axes};
    struct convex_instance out = {.part = part,
                                  .position = v3_add(body_position, mat3_mul(body_axes, part->position))};
    for (int i = 0; i < 3; ++i)
        for (int j = 0; j < 3; ++j)
            out.axes.m[i][j] = body_axes->m[i][0] * part->axes.m[0][j] +
                               body_axes->m[i][1] * part->axes.m[1][j] +
                               body_axes->m[i][2] * part->axes.m[2][j];
    return out;
}

static vec3 to_world(const struct convex_instance *p, vec3 v)
{
    return v3_add(p->position, mat3_mul(&p->axes, v));
}

static vec3 support_of_vertices(const struct convex_part *p, vec3 direction)
{
    if (p->box_half.x > 0.0)
        return v3(direction.x < 0 ? -p->box_half.x : p->box_half.x,
                  direction.y < 0 ? -p->box_half.y : p->box_half.y,
                  direction.z < 0 ? -p->box_half.z : p->box_half.z);
    int best = 0;
    double max_dot = v3_dot(p->vertices[0], direction);
    for (int i = 1; i < p->vertex_count; ++i) {
        const double dot = v3_dot(p->vertices[i], direction);
        if (dot > max_dot) max_dot = dot, best = i;
    }
    return p->vertices[best];
}

static vec3 support_of_profile(const struct convex_part *p, vec3 direction)
{
    const double radial = sqrt(direction.x * direction.x + direction.z * direction.z);
    int best = 0;
    double max_dot = MIN_DOT;
    for (int i = 0; i < p->profile_count; ++i) {
        const double dot = p->profile[i].radius * radial + p->profile[i].height * direction.y;
        if (dot > max_dot) max_dot = dot, best = i;
    }
    const struct profile_point c = p->profile[best];
    const double k =
        radial > 0.0 ? c.radius / radial : 0.0; // direction along the axis: the centre of the disc
    return v3(k * direction.x, c.height, k * direction.z);
}

vec3 convex_support(const struct convex_instance *p, vec3 direction)
{
    const vec3 local = mat3_mul_t(&p->axes, direction);
    return to_world(p, p->part->profile_count ? support_of_profile(p->part, local)
                                              : support_of_vertices(p->part, local));
}

static void face_feature(const struct convex_instance *p, vec3 direction, struct support_feature *out)
{
    const struct convex_part *part = p->part;
    int best = 0;
    double max_dot = MIN_DOT;
    for (int i = 0; i < part->face_count; ++i) {
        const double dot = v3_dot(part->faces[i].normal, direction);
        if (dot > max_dot) max_dot = dot, best = i;
    }
    const struct convex_face *face = &part->faces[best];
    out->count = face->count;
    out->normal = mat3_mul(&p->axes, face->normal);
    for (int i = 0; i < face->count; ++i)
        out->points[i] = to_world(p, part->vertices[part->face_vertices[face->first + i]]);
}

// A disc as a face: vertices on its circle, the first one in the given direction. Below DISC_TILT the first
// vertex stays on the part's x axis, so that contact points persist.
static void disc_feature(const struct convex_instance *p, struct profile_point ring, double sign,
                         vec3 direction, struct support_feature *out)
{
    const double radial = sqrt(direction.x * direction.x + direction.z * direction.z),
                 sqrt_half = 0.70710678118654752;
    const double x = radial > DISC_TILT ? direction.x / radial : 1.0,
                 z = radial > DISC_TILT ? direction.z / radial : 0.0;
    static const double corner[DISC_VERTICES][2] = {{1, 0},  {1, 1},   {0, 1},  {-1, 1},
                                                    {-1, 0}, {-1, -1}, {0, -1}, {1, -1}};
    out->count = DISC_VERTICES;
    out->normal = mat3_mul(&p->axes, v3(0, sign, 0));
    for (int i = 0; i < DISC_VERTICES; ++i) {
        const double scale = i & 1 ? sqrt_half : 1.0, a = scale * corner[i][0],
                     b = -sign * scale * corner[i][1];
        out->points[i] =
            to_world(p, v3(ring.radius * (a * x - b * z), ring.height, ring.radius * (a * z + b * x)));
    }
}

static void profile_feature(const struct convex_instance *p, vec3 direction, struct support_feature *out)
{
    const struct profile_point *ring = p->part->profile;
    const int n = p->part->profile_count;
    const double radial = sqrt(direction.x * direction.x + direction.z * direction.z);
    int best = -1;
    double max_dot = MIN_DOT;
    for (int i = 0; i + 1 < n; ++i) { // cone frustum between two circles
        const double rise = ring[i + 1].height - ring[i].height, inset = ring[i].radius - ring[i + 1].radius;
        const double dot = (rise * radial + inset * direction.y) / sqrt(rise * rise + inset * inset);
        if (dot > max_dot) max_dot = dot, best = i;
    }
    if (ring[0].radius > 0.0 && -direction.y >= max_dot) {
        disc_feature(p, ring[0], -1.0, direction, out);
    } else if (ring[n - 1].radius > 0.0 && direction.y >= max_dot) {
        disc_feature(p, ring[n - 1], 1.0, direction, out);
    } else if (best < 0 || radial == 0.0) {
        out->count = 1;
        out->points[0] = to_world(p, support_of_profile(p->part, direction));
    } else {
        const double x = direction.x / radial, z = direction.z / radial;
        out->count = 2;
        for (int i = 0; i < 2; ++i) {
            const struct profile_point end = ring[best + i];
            out->points[i] = to_world(p, v3(end.radius * x, end.height, end.radius * z));
        }
    }
}

void convex_support_feature(const struct convex_instance *p, vec3 direction, struct support_feature *out)
{
    const vec3 local = mat3_mul_t(&p->axes, direction);
    if (p->part->profile_count)
        profile_feature(p, local, out);
    else
        face_feature(p, local, out);
}
