// GJK distance of two convex cores [gilbert1988]: the distance is that of their Minkowski difference from
// the origin, approached by simplices whose vertices are support points. Closest points on simplices follow
// [ericson2005].
#include "body/collide/narrow_phase.h"

#define MAX_ITERATIONS     64
#define RELATIVE_TOLERANCE 1e-12 // converged: the support point reduces |v|^2 by less than this fraction
#define MIN_DISTANCE       1e-7  // of the sum of the radii: below it rounding decides the direction

struct simplex_vertex minkowski_support(const struct convex_instance *a, const struct convex_instance *b,
                                        vec3 direction)
{
    struct simplex_vertex t = {.a = convex_support(a, direction),
                               .b = convex_support(b, v3_scale(direction, -1.0))};
    t.w = v3_sub(t.a, t.b);
    return t;
}

static void reduce_simplex(struct simplex *s, const int *indices, const double *weights, int count)
{
    struct simplex out = {.count = count};
    for (int i = 0; i < count; ++i) out.vertices[i] = s->vertices[indices[i]], out.weights[i] = weights[i];
    *s = out;
}

static vec3 simplex_point(const struct simplex *s)
{
    vec3 v = {0, 0, 0};
    for (int i = 0; i < s->count; ++i) v = v3_madd(v, s->weights[i], s->vertices[i].w);
    return v;
}

// The functions closest_on_*() reduce the simplex to the smallest one that contains the point closest to the
// origin.
static void closest_on_segment(struct simplex *s, int i, int j)
{
    const vec3 a = s->vertices[i].w, ab = v3_sub(s->vertices[j].w, a);
    const double length = v3_dot(ab, ab), t = length > 0.0 ? -v3_dot(a, ab) / length : 0.0;
    if (t <= 0.0)
        reduce_simplex(s, (int[]){i}, (double[]){1.0}, 1);
    else if (t >= 1.0)
        reduce_simplex(s, (int[]){j}, (double[]){1.0}, 1);
    else
        reduce_simplex(s, (int[]){i, j}, (double[]){1.0 - t, t}, 2);
}

static void closest_on_triangle(struct simplex *s, int i, int j, int k)
{
    const vec3 a = s->vertices[i].w, b = s->vertices[j].w, c = s->vertices[k].w;
    const vec3 ab = v3_sub(b, a), ac = v3_sub(c, a);
    const double d1 = -v3_dot(ab, a), d2 = -v3_dot(ac, a), d3 = -v3_dot(ab, b), d4 = -v3_dot(ac, b),
                 d5 = -v3_dot(ab, c), d6 = -v3_dot(ac, c);
    // The barycentric areas d1 d4 - d3 d2 and so on lose half of the digits on slivers, which round cores
    // produce; cross products do not.
    const vec3 n = v3_cross(ab, ac);
    const double vc = v3_dot(n, v3_cross(a, ab)), vb = v3_dot(n, v3_cross(ac, a)),
                 va = v3_dot(n, v3_cross(b, v3_sub(c, b))), sum = va + vb + vc;
    if (d1 <= 0.0 && d2 <= 0.0) return reduce_simplex(s, (int[]){i}, (double[]){1.0}, 1);
    if (d3 >= 0.0 && d4 <= d3) return reduce_simplex(s, (int[]){j}, (double[]){1.0}, 1);
    if (vc <= 0.0 && d1 >= 0.0 && d3 <= 0.0) return closest_on_segment(s, i, j);
    if (d6 >= 0.0 && d5 <= d6) return reduce_simplex(s, (int[]){k}, (double[]){1.0}, 1);
    if (vb <= 0.0 && d2 >= 0.0 && d6 <= 0.0) return closest_on_segment(s, i, k);
    if (va <= 0.0 && d4 - d3 >= 0.0 && d5 - d6 >= 0.0) return closest_on_segment(s, j, k);
    if (!(sum > 0.0)) return closest_on_segment(s, i, j); // degenerate triangle
    reduce_simplex(s, (int[]){i, j, k}, (double[]){va / sum, vb / sum, vc / sum}, 3);
}

// Projects onto the faces that separate the origin from the opposite vertex. A flat tetrahedron is treated
// as if all its faces did.
static void closest_on_tetrahedron(struct simplex *s, bool *inside)
{
    static const int faces[4][4] = {{0, 1, 2, 3}, {0, 2, 3, 1}, {0, 3, 1, 2}, {1, 3, 2, 0}};
    struct simplex best = {0};
    double min_square = INFINITY;
    *inside = true;
    for (int f = 0; f < 4; ++f) {
        const vec3 a = s->vertices[faces[f][0]].w, b = s->vertices[faces[f][1]].w,
                   c = s->vertices[faces[f][2]].w;
        const vec3 n = v3_cross(v3_sub(b, a), v3_sub(c, a)), ad = v3_sub(s->vertices[faces[f][3]].w, a);
        const double origin_side = -v3_dot(a, n), vertex_side = v3_dot(ad, n);
        const double tolerance = 1e-14 * v3_length(n) * v3_length(ad);
        if (fabs(vertex_side) > tolerance && origin_side * vertex_side >= 0.0) continue;
        *inside = false;
        struct simplex t = *s;
        closest_on_triangle(&t, faces[f][0], faces[f][1], faces[f][2]);
        const vec3 v = simplex_point(&t);
        if (v3_dot(v, v) < min_square) min_square = v3_dot(v, v), best = t;
    }
    if (!*inside) *s = best;
}

static void closest_to_origin(struct simplex *s, bool *inside)
{
    *inside = false;
    if (s->count == 1)
        s->weights[0] = 1.0;
    else if (s->count == 2)
        closest_on_segment(s, 0, 1);
    else if (s->count == 3)
        closest_on_triangle(s, 0, 1, 2);
    else
        closest_on_tetrahedron(s, inside);
}

static bool has_vertex(const struct simplex *s, vec3 w)
{
    for (int i = 0; i < s->count; ++i) {
        const vec3 d = v3_sub(s->vertices[i].w, w);
        if (d.x == 0.0 && d.y == 0.0 && d.z == 0.0) return true;
    }
    return false;
}

static void write_result(const struct simplex *s, vec3 v, struct closest_points *out)
{
    out->gap = v3_length(v);
    out->normal = v3_scale(v, -1.0 / out->gap); // from a to b: a - b = v
    out->on_a = out->on_b = v3(0, 0, 0);
    for (int i = 0; i < s->count; ++i) {
        out->on_a = v3_madd(out->on_a, s->weights[i], s->vertices[i].a);
        out->on_b = v3_madd(out->on_b, s->weights[i], s->vertices[i].b);
    }
}

bool gjk_distance(const struct convex_instance *a, const struct convex_instance *b, double max_gap,
                  struct simplex *s, struct closest_points *out)
{
    vec3 v = v3_sub(a->position, b->position);
    if (!(v3_dot(v, v) > 0.0)) v = v3(0, 1, 0);
    const double min_distance = MIN_DISTANCE * (core_radius(a) + core_radius(b));
    *s = (struct simplex){
        .count = 1, .vertices = {minkowski_support(a, b, v3_scale(v, -1.0))}, .weights = {1.0}};
    v = s->vertices[0].w;
    for (int iteration = 0; iteration < MAX_ITERATIONS; ++iteration) {
        const double vv = v3_dot(v, v);
        if (vv <= min_distance * min_distance) return false;
        const struct simplex_vertex t = minkowski_support(a, b, v3_scale(v, -1.0));
        const double dot = v3_dot(v, t.w);
        if (dot > 0.0 && dot * dot > max_gap * max_gap * vv) {
            write_result(s, v, out);
            out->gap = dot / sqrt(vv);
            return true;
        }
        if (vv - dot <= RELATIVE_TOLERANCE * vv || has_vertex(s, t.w)) break;
        const struct simplex before = *s;
        bool inside;
        s->vertices[s->count++] = t;
        closest_to_origin(s, &inside);
        if (inside) return false;
        const vec3 closer = simplex_point(s);
        if (v3_dot(closer, closer) >= vv) { // no progress: rounding error
            *s = before;
            break;
        }
        v = closer;
    }
    write_result(s, v, out);
    return true;
}
