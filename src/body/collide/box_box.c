// Separating-axis test of two boxes [gottschalk1996]: of the six face normals and the nine cross products of
// edges, the axis with the largest gap, which is the least penetration if all gaps are negative.
#include "body/collide/narrow_phase.h"

// Of the smaller radius: gap by which an edge axis must exceed the best face axis. The hysteresis keeps the
// normal, and with it the contact points, from alternating between steps.
#define FACE_PREFERENCE 1e-3

struct sat_query {
    const struct convex_instance *a, *b;
    mat3 rotation; // R = A^T B: b's axes in a's
    vec3 offset;   // [m] b's centre from a's, in a's axes
    double half_a[3], half_b[3];
};

static vec3 column(const mat3 *m, int i) { return v3(m->m[0][i], m->m[1][i], m->m[2][i]); }

// Closest points of edge i of a and edge j of b that face each other along the normal. Returns false if the
// closest points of the two lines lie outside of the edges.
static bool closest_on_edges(const struct sat_query *query, int i, int j, vec3 normal,
                             struct closest_points *out)
{
    vec3 p = query->a->position, q = query->b->position;
    for (int k = 0; k < 3; ++k) {
        const vec3 ua = column(&query->a->axes, k), ub = column(&query->b->axes, k);
        if (k != i) p = v3_madd(p, v3_dot(ua, normal) > 0.0 ? query->half_a[k] : -query->half_a[k], ua);
        if (k != j) q = v3_madd(q, v3_dot(ub, normal) < 0.0 ? query->half_b[k] : -query->half_b[k], ub);
    }
    const vec3 u = column(&query->a->axes, i), v = column(&query->b->axes, j), d = v3_sub(q, p);
    const double uv = v3_dot(u, v), ud = v3_dot(u, d), vd = v3_dot(v, d), det = 1.0 - uv * uv;
    const double s = (ud - uv * vd) / det, t = (uv * ud - vd) / det;
    out->on_a = v3_madd(p, s, u);
    out->on_b = v3_madd(q, t, v);
    return fabs(s) <= query->half_a[i] && fabs(t) <= query->half_b[j];
}

// Face normals: gap = |offset . n| - (half extents of both boxes along n). k < 3: faces of a, else faces of
// b.
static void test_face_axes(const struct sat_query *query, double *max_gap, int *axis)
{
    for (int k = 0; k < 6; ++k) {
        double distance, extent;
        if (k < 3) {
            distance = v3_get(query->offset, k);
            extent = query->half_a[k] + query->half_b[0] * fabs(query->rotation.m[k][0]) +
                     query->half_b[1] * fabs(query->rotation.m[k][1]) +
                     query->half_b[2] * fabs(query->rotation.m[k][2]);
        } else {
            const int j = k - 3;
            distance = query->offset.x * query->rotation.m[0][j] + query->offset.y * query->rotation.m[1][j] +
                       query->offset.z * query->rotation.m[2][j];
            extent = query->half_b[j] + query->half_a[0] * fabs(query->rotation.m[0][j]) +
                     query->half_a[1] * fabs(query->rotation.m[1][j]) +
                     query->half_a[2] * fabs(query->rotation.m[2][j]);
        }
        const double gap = fabs(distance) - extent;
        if (gap > *max_gap) *max_gap = gap, *axis = k;
    }
}

static void test_edge_axes(const struct sat_query *query, double *max_gap, int *axis)
{
    for (int i = 0; i < 3; ++i)
        for (int j = 0; j < 3; ++j) {
            const int i1 = (i + 1) % 3, i2 = (i + 2) % 3, j1 = (j + 1) % 3, j2 = (j + 2) % 3;
            const double sine_squared = 1.0 - query->rotation.m[i][j] * query->rotation.m[i][j];
            if (sine_squared < 1e-4) continue; // nearly parallel edges: a face axis separates as well
            const double distance = v3_get(query->offset, i2) * query->rotation.m[i1][j] -
                                    v3_get(query->offset, i1) * query->rotation.m[i2][j];
            const double extent = query->half_a[i1] * fabs(query->rotation.m[i2][j]) +
                                  query->half_a[i2] * fabs(query->rotation.m[i1][j]) +
                                  query->half_b[j1] * fabs(query->rotation.m[i][j2]) +
                                  query->half_b[j2] * fabs(query->rotation.m[i][j1]);
            const double gap = (fabs(distance) - extent) / sqrt(sine_squared);
            if (gap > *max_gap) *max_gap = gap, *axis = 6 + 3 * i + j;
        }
}

bool sat_boxes(const struct convex_instance *a, const struct convex_instance *b, double margin,
               struct closest_points *out, bool *edges_cross)
{
    const vec3 half_a = a->part->box_half, half_b = b->part->box_half;
    struct sat_query query = {
        .a = a, .b = b, .half_a = {half_a.x, half_a.y, half_a.z}, .half_b = {half_b.x, half_b.y, half_b.z}};
    query.offset = mat3_mul_t(&a->axes, v3_sub(b->position, a->position));
    for (int i = 0; i < 3; ++i)
        for (int j = 0; j < 3; ++j)
            query.rotation.m[i][j] = a->axes.m[0][i] * b->axes.m[0][j] + a->axes.m[1][i] * b->axes.m[1][j] +
                                     a->axes.m[2][i] * b->axes.m[2][j];
    double face_gap = -INFINITY, edge_gap = -INFINITY;
    int axis = 0, edge_axis = -1;
    test_face_axes(&query, &face_gap, &axis);
    if (face_gap > margin) return false;
    test_edge_axes(&query, &edge_gap, &edge_axis);
    if (edge_gap > margin) return false;
    const double min_radius = fmin(a->part->bounding_radius, b->part->bounding_radius);
    vec3 n;
    if (edge_axis >= 0 && edge_gap > face_gap + FACE_PREFERENCE * min_radius) {
        const int i = (edge_axis - 6) / 3, j = (edge_axis - 6) % 3;
        n = v3_cross(column(&a->axes, i), column(&b->axes, j));
        n = v3_scale(n, 1.0 / v3_length(n));
        axis = edge_axis, face_gap = edge_gap;
    } else {
        n = axis < 3 ? column(&a->axes, axis) : column(&b->axes, axis - 3);
    }
    if (v3_dot(n, v3_sub(b->position, a->position)) < 0.0) n = v3_scale(n, -1.0);
    out->normal = n, out->gap = face_gap;
    *edges_cross = axis >= 6 && closest_on_edges(&query, (axis - 6) / 3, (axis - 6) % 3, n, out);
    return true;
}
