// Two boxes: of the three and three directions of their sides and the nine across two edges, the one along which they
// are farthest apart, or least deep in each other. [gottschalk1996]
#include "narrow_phase.h"

#define FACE_PREFERENCE \
    1e-3 // of the size: how much better an edge must be than a side, so that contacts do not flicker

struct sat_query {
    const struct convex_instance *a, *b;
    mat3 rotation; // b's axes in a's
    vec3 offset;   // b's middle in a's axes
    double half_a[3], half_b[3];
};

static double v3_get(vec3 v, int i) { return i == 0 ? v.x : i == 1 ? v.y : v.z; }
static vec3 column(const mat3 *m, int i) { return v3(m->m[0][i], m->m[1][i], m->m[2][i]); }

// The nearest points of the two edges that look at each other across the normal. False if they do not cross there.
static bool closest_on_edges(const struct sat_query *f, int i, int j, vec3 normal, struct closest_points *out)
{
    vec3 p = f->a->position, q = f->b->position;
    for (int k = 0; k < 3; ++k) {
        const vec3 ua = column(&f->a->axes, k), ub = column(&f->b->axes, k);
        if (k != i) p = v3_madd(p, v3_dot(ua, normal) > 0.0 ? f->half_a[k] : -f->half_a[k], ua);
        if (k != j) q = v3_madd(q, v3_dot(ub, normal) < 0.0 ? f->half_b[k] : -f->half_b[k], ub);
    }
    const vec3 u = column(&f->a->axes, i), v = column(&f->b->axes, j), d = v3_sub(q, p);
    const double uv = v3_dot(u, v), ud = v3_dot(u, d), vd = v3_dot(v, d), det = 1.0 - uv * uv;
    const double s = (ud - uv * vd) / det, t = (uv * ud - vd) / det;
    out->on_a = v3_madd(p, s, u);
    out->on_b = v3_madd(q, t, v);
    return fabs(s) <= f->half_a[i] && fabs(t) <= f->half_b[j];
}

// Gap along side k of one of them; for b's sides everything is seen from b.
static void test_face_axes(const struct sat_query *f, double *best, int *which)
{
    for (int k = 0; k < 6; ++k) {
        double far, reach;
        if (k < 3) {
            far = v3_get(f->offset, k);
            reach = f->half_a[k] + f->half_b[0] * fabs(f->rotation.m[k][0]) +
                    f->half_b[1] * fabs(f->rotation.m[k][1]) + f->half_b[2] * fabs(f->rotation.m[k][2]);
        } else {
            const int j = k - 3;
            far = f->offset.x * f->rotation.m[0][j] + f->offset.y * f->rotation.m[1][j] +
                  f->offset.z * f->rotation.m[2][j];
            reach = f->half_b[j] + f->half_a[0] * fabs(f->rotation.m[0][j]) +
                    f->half_a[1] * fabs(f->rotation.m[1][j]) + f->half_a[2] * fabs(f->rotation.m[2][j]);
        }
        const double gap = fabs(far) - reach;
        if (gap > *best) *best = gap, *which = k;
    }
}

static void test_edge_axes(const struct sat_query *f, double *best, int *which)
{
    for (int i = 0; i < 3; ++i)
        for (int j = 0; j < 3; ++j) {
            const int i1 = (i + 1) % 3, i2 = (i + 2) % 3, j1 = (j + 1) % 3, j2 = (j + 2) % 3;
            const double across = 1.0 - f->rotation.m[i][j] * f->rotation.m[i][j];
            if (across < 1e-4) continue; // parallel: a side does it
            const double far =
                v3_get(f->offset, i2) * f->rotation.m[i1][j] - v3_get(f->offset, i1) * f->rotation.m[i2][j];
            const double reach =
                f->half_a[i1] * fabs(f->rotation.m[i2][j]) + f->half_a[i2] * fabs(f->rotation.m[i1][j]) +
                f->half_b[j1] * fabs(f->rotation.m[i][j2]) + f->half_b[j2] * fabs(f->rotation.m[i][j1]);
            const double gap = (fabs(far) - reach) / sqrt(across);
            if (gap > *best) *best = gap, *which = 6 + 3 * i + j;
        }
}

bool sat_boxes(const struct convex_instance *a, const struct convex_instance *b, double reach,
               struct closest_points *out, bool *cross)
{
    const vec3 ha = a->part->box_half, hb = b->part->box_half;
    struct sat_query f = {.a = a, .b = b, .half_a = {ha.x, ha.y, ha.z}, .half_b = {hb.x, hb.y, hb.z}};
    f.offset = mat3_mul_t(&a->axes, v3_sub(b->position, a->position));
    for (int i = 0; i < 3; ++i)
        for (int j = 0; j < 3; ++j)
            f.rotation.m[i][j] = a->axes.m[0][i] * b->axes.m[0][j] + a->axes.m[1][i] * b->axes.m[1][j] +
                                 a->axes.m[2][i] * b->axes.m[2][j];
    double side = -INFINITY, edge = -INFINITY;
    int which = 0, crossing = -1;
    test_face_axes(&f, &side, &which);
    if (side > reach) return false;
    test_edge_axes(&f, &edge, &crossing);
    if (edge > reach) return false;
    const double size = fmin(a->part->bounding_radius, b->part->bounding_radius);
    vec3 n;
    if (crossing >= 0 && edge > side + FACE_PREFERENCE * size) {
        const int i = (crossing - 6) / 3, j = (crossing - 6) % 3;
        n = v3_cross(column(&a->axes, i), column(&b->axes, j));
        n = v3_scale(n, 1.0 / v3_length(n));
        which = crossing, side = edge;
    } else {
        n = which < 3 ? column(&a->axes, which) : column(&b->axes, which - 3);
    }
    if (v3_dot(n, v3_sub(b->position, a->position)) < 0.0) n = v3_scale(n, -1.0);
    out->normal = n, out->gap = side;
    *cross = which >= 6 && closest_on_edges(&f, (which - 6) / 3, (which - 6) % 3, n, out);
    return true;
}
