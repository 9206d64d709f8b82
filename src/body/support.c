#include "touch.h"

#define CAP     8    // corners that stand for a circle as a side
#define UPRIGHT 1e-2 // tilt below which the corners of a cap stay where they are, so that contacts last
#define NO_SIDE -1e300

struct placed piece_placed(const struct piece *p, vec3 at, const mat3 *axes)
{
    if (p->plain) return (struct placed){p, at, *axes};
    struct placed out = {.piece = p, .at = v3_add(at, mat3_mul(axes, p->at))};
    for (int i = 0; i < 3; ++i)
        for (int j = 0; j < 3; ++j)
            out.axes.m[i][j] = axes->m[i][0] * p->axes.m[0][j] + axes->m[i][1] * p->axes.m[1][j] +
                               axes->m[i][2] * p->axes.m[2][j];
    return out;
}

static vec3 to_world(const struct placed *p, vec3 v) { return v3_add(p->at, mat3_mul(&p->axes, v)); }

static vec3 farthest_point(const struct piece *p, vec3 way)
{
    if (p->half.x > 0.0)
        return v3(way.x < 0 ? -p->half.x : p->half.x, way.y < 0 ? -p->half.y : p->half.y,
                  way.z < 0 ? -p->half.z : p->half.z);
    int best = 0;
    double most = v3_dot(p->points[0], way);
    for (int i = 1; i < p->point_count; ++i) {
        const double far = v3_dot(p->points[i], way);
        if (far > most) most = far, best = i;
    }
    return p->points[best];
}

static vec3 farthest_on_circles(const struct piece *p, vec3 way)
{
    const double across = sqrt(way.x * way.x + way.z * way.z);
    int best = 0;
    double most = NO_SIDE;
    for (int i = 0; i < p->circle_count; ++i) {
        const double far = p->circles[i].radius * across + p->circles[i].height * way.y;
        if (far > most) most = far, best = i;
    }
    const struct circle c = p->circles[best];
    const double k = across > 0.0 ? c.radius / across : 0.0; // straight up: any point of the disc will do
    return v3(k * way.x, c.height, k * way.z);
}

vec3 piece_support(const struct placed *p, vec3 way)
{
    const vec3 local = mat3_mul_t(&p->axes, way);
    return to_world(p, p->piece->circle_count ? farthest_on_circles(p->piece, local)
                                              : farthest_point(p->piece, local));
}

static void side_patch(const struct placed *p, vec3 way, struct patch *out)
{
    const struct piece *k = p->piece;
    int best = 0;
    double most = NO_SIDE;
    for (int i = 0; i < k->side_count; ++i) {
        const double along = v3_dot(k->sides[i].normal, way);
        if (along > most) most = along, best = i;
    }
    const struct side *s = &k->sides[best];
    out->count = s->count;
    out->normal = mat3_mul(&p->axes, s->normal);
    for (int i = 0; i < s->count; ++i) out->points[i] = to_world(p, k->points[k->corners[s->first + i]]);
}

// A circle as a side: its points lie on it, the first where the way leads.
static void cap_patch(const struct placed *p, struct circle c, double up, vec3 way, struct patch *out)
{
    const double across = sqrt(way.x * way.x + way.z * way.z), h = 0.70710678118654752;
    const double x = across > UPRIGHT ? way.x / across : 1.0, z = across > UPRIGHT ? way.z / across : 0.0;
    static const double turn[CAP][2] = {{1, 0}, {1, 1}, {0, 1}, {-1, 1}, {-1, 0}, {-1, -1}, {0, -1}, {1, -1}};
    out->count = CAP;
    out->normal = mat3_mul(&p->axes, v3(0, up, 0));
    for (int i = 0; i < CAP; ++i) {
        const double k = i & 1 ? h : 1.0, a = k * turn[i][0], b = -up * k * turn[i][1];
        out->points[i] = to_world(p, v3(c.radius * (a * x - b * z), c.height, c.radius * (a * z + b * x)));
    }
}

static void circle_patch(const struct placed *p, vec3 way, struct patch *out)
{
    const struct circle *c = p->piece->circles;
    const int n = p->piece->circle_count;
    const double across = sqrt(way.x * way.x + way.z * way.z);
    int best = -1;
    double most = NO_SIDE;
    for (int i = 0; i + 1 < n; ++i) { // the slope between two circles
        const double rise = c[i + 1].height - c[i].height, in = c[i].radius - c[i + 1].radius;
        const double along = (rise * across + in * way.y) / sqrt(rise * rise + in * in);
        if (along > most) most = along, best = i;
    }
    if (c[0].radius > 0.0 && -way.y >= most) {
        cap_patch(p, c[0], -1.0, way, out);
    } else if (c[n - 1].radius > 0.0 && way.y >= most) {
        cap_patch(p, c[n - 1], 1.0, way, out);
    } else if (best < 0 || across == 0.0) {
        out->count = 1;
        out->points[0] = to_world(p, farthest_on_circles(p->piece, way));
    } else {
        const double x = way.x / across, z = way.z / across;
        out->count = 2;
        for (int i = 0; i < 2; ++i) {
            const struct circle e = c[best + i];
            out->points[i] = to_world(p, v3(e.radius * x, e.height, e.radius * z));
        }
    }
}

void piece_patch(const struct placed *p, vec3 way, struct patch *out)
{
    const vec3 local = mat3_mul_t(&p->axes, way);
    if (p->piece->circle_count)
        circle_patch(p, local, out);
    else
        side_patch(p, local, out);
}
