// EPA penetration depth of two overlapping cores [vandenbergen2001]: a polytope inside the Minkowski
// difference is expanded by support points until its face closest to the origin lies on the boundary of the
// difference.
#include "body/collide/narrow_phase.h"

#define MAX_VERTICES        96
#define MAX_FACES           (2 * MAX_VERTICES)
#define TOLERANCE           1e-6  // of the extent: convergence of the distance of the closest face
#define MIN_SIMPLEX_MEASURE 1e-13 // length, area or volume / extent^dimension; less: degenerate
#define TOUCHING_DEPTH      1e-5  // of the extent: at a smaller depth the witness points of GJK are used
#define REFINE_STEPS        8
#define REFINE_SEPARATION   1e-3 // of the extent: gap to which the cores are separated

struct polytope_face {
    int vertices[3];
    vec3 normal;     // unit, outwards
    double distance; // [m] of its plane from the origin
    bool is_removed;
};

struct polytope {
    const struct convex_instance *a, *b;
    struct simplex_vertex vertices[MAX_VERTICES];
    int vertex_count;
    struct polytope_face faces[MAX_FACES];
    int face_count;
    double extent; // [m] sum of the core radii: upper bound of the difference's radius
};

// Returns false if the face has no area or the array is full.
static bool add_face(struct polytope *poly, int i, int j, int k)
{
    const vec3 a = poly->vertices[i].w, b = poly->vertices[j].w, c = poly->vertices[k].w;
    vec3 n = v3_cross(v3_sub(b, a), v3_sub(c, a));
    const double length = v3_length(n);
    if (poly->face_count == MAX_FACES || !(length > 1e-14 * poly->extent * poly->extent)) return false;
    n = v3_scale(n, 1.0 / length);
    poly->faces[poly->face_count++] = (struct polytope_face){{i, j, k}, n, v3_dot(n, a), false};
    return true;
}

static bool add_support(struct polytope *poly, vec3 direction)
{
    const struct simplex_vertex vertex = minkowski_support(poly->a, poly->b, direction);
    for (int i = 0; i < poly->vertex_count; ++i) {
        const vec3 d = v3_sub(poly->vertices[i].w, vertex.w);
        if (v3_dot(d, d) < 1e-20 * poly->extent * poly->extent) return false;
    }
    poly->vertices[poly->vertex_count++] = vertex;
    return true;
}

static vec3 perpendicular(vec3 v)
{
    const vec3 axis = fabs(v.x) <= fabs(v.y) && fabs(v.x) <= fabs(v.z) ? v3(1, 0, 0)
                      : fabs(v.y) <= fabs(v.z)                         ? v3(0, 1, 0)
                                                                       : v3(0, 0, 1);
    return v3_cross(v, axis);
}

static vec3 base_normal(const struct polytope *poly)
{
    const vec3 o = poly->vertices[0].w;
    return v3_cross(v3_sub(poly->vertices[1].w, o), v3_sub(poly->vertices[2].w, o));
}

static double signed_volume(const struct polytope *poly)
{
    return v3_dot(v3_sub(poly->vertices[3].w, poly->vertices[0].w), base_normal(poly));
}

// Length, area or volume of the simplex (times 1, 2 or 6), divided by the same power of the extent.
static double simplex_measure(const struct polytope *poly)
{
    const double k = 1.0 / poly->extent;
    if (poly->vertex_count == 2) return k * v3_length(v3_sub(poly->vertices[1].w, poly->vertices[0].w));
    return poly->vertex_count == 3 ? k * k * v3_length(base_normal(poly))
                                   : k * k * k * fabs(signed_volume(poly));
}

// Adds the support point, along plus or minus the given directions, that makes the largest simplex. Returns
// false if all are degenerate.
static bool add_best_support(struct polytope *poly, const vec3 *directions, int count)
{
    const int n = poly->vertex_count;
    double max_measure = MIN_SIMPLEX_MEASURE;
    struct simplex_vertex best = poly->vertices[0];
    for (int k = 0; k < 2 * count; ++k) {
        poly->vertices[n] =
            minkowski_support(poly->a, poly->b, v3_scale(directions[k / 2], k & 1 ? -1.0 : 1.0));
        poly->vertex_count = n + 1;
        const double measure = simplex_measure(poly);
        if (measure > max_measure) max_measure = measure, best = poly->vertices[n];
        poly->vertex_count = n;
    }
    poly->vertices[n] = best;
    poly->vertex_count = n + (max_measure > MIN_SIMPLEX_MEASURE);
    return poly->vertex_count > n;
}

// Builds a tetrahedron of positive volume from the simplex of GJK, which is a vertex, edge or triangle if
// the cores only touch; missing vertices are support points perpendicular to it. The tetrahedron need not
// contain the origin: a face with negative distance is closest and is expanded first. Returns false if the
// difference itself is degenerate, such as that of two coplanar edges; vertex_count is then its dimension
// plus one.
static bool build_tetrahedron(struct polytope *poly, const struct simplex *s)
{
    for (int i = 0; i < s->count; ++i) poly->vertices[poly->vertex_count++] = s->vertices[i];
    while (poly->vertex_count > 1 && !(simplex_measure(poly) > MIN_SIMPLEX_MEASURE)) poly->vertex_count--;
    while (poly->vertex_count < 4) {
        const vec3 edge = v3_sub(poly->vertices[1].w, poly->vertices[0].w);
        vec3 directions[3] = {{1, 0, 0}, {0, 1, 0}, {0, 0, 1}};
        if (poly->vertex_count == 2)
            directions[0] = perpendicular(edge), directions[1] = v3_cross(edge, directions[0]);
        if (poly->vertex_count == 3) directions[0] = base_normal(poly);
        if (!add_best_support(poly, directions, 4 - poly->vertex_count)) return false;
    }
    const bool flip =
        signed_volume(poly) > 0.0; // vertex 3 is above the triangle 0 1 2: its outer face is 0 2 1
    return flip ? add_face(poly, 0, 2, 1) && add_face(poly, 0, 1, 3) && add_face(poly, 1, 2, 3) &&
                      add_face(poly, 2, 0, 3)
                : add_face(poly, 0, 1, 2) && add_face(poly, 0, 3, 1) && add_face(poly, 1, 3, 2) &&
                      add_face(poly, 2, 3, 0);
}

static int closest_face(const struct polytope *poly)
{
    int best = -1;
    for (int i = 0; i < poly->face_count; ++i)
        if (!poly->faces[i].is_removed && (best < 0 || poly->faces[i].distance < poly->faces[best].distance))
            best = i;
    return best;
}

// Removes the faces visible from the newest vertex and connects the horizon with it. A horizon edge belongs
// to one removed and one kept face, so an edge whose twin is already listed cancels. Returns false if the
// array is full or a new face has no area.
static bool expand_polytope(struct polytope *poly)
{
    const int newest = poly->vertex_count - 1, count = poly->face_count;
    int edges[3 * MAX_FACES][2], edge_count = 0;
    for (int i = 0; i < count; ++i) {
        struct polytope_face *f = &poly->faces[i];
        if (f->is_removed ||
            v3_dot(f->normal, poly->vertices[newest].w) - f->distance <= 1e-12 * poly->extent)
            continue;
        f->is_removed = true;
        for (int k = 0; k < 3; ++k) {
            const int from = f->vertices[k], to = f->vertices[(k + 1) % 3];
            int twin = 0;
            while (twin < edge_count && !(edges[twin][0] == to && edges[twin][1] == from)) ++twin;
            if (twin < edge_count) {
                --edge_count;
                edges[twin][0] = edges[edge_count][0], edges[twin][1] = edges[edge_count][1];
            } else {
                edges[edge_count][0] = from, edges[edge_count][1] = to, ++edge_count;
            }
        }
    }
    int kept = 0;
    for (int i = 0; i < count; ++i)
        if (!poly->faces[i].is_removed) poly->faces[kept++] = poly->faces[i];
    poly->face_count = kept;
    for (int i = 0; i < edge_count; ++i)
        if (!add_face(poly, edges[i][0], edges[i][1], newest)) return false;
    return edge_count > 0;
}

// Witness point on a or b. For touching cores it comes from the simplex of GJK, otherwise from the
// barycentric coordinates of the origin's projection onto the face. On a sliver they may lie far outside of
// [0, 1]; the face's centroid is used then.
static vec3 witness_point(const struct polytope *poly, const struct simplex *s, const struct polytope_face *f,
                          double depth, bool by_a)
{
    const vec3 foot = v3_scale(f->normal, f->distance);
    const bool touching = s->count < 4 && depth < TOUCHING_DEPTH * poly->extent;
    double weights[4], sum = 0.0;
    vec3 point = {0, 0, 0};
    for (int i = 0; i < 3; ++i) {
        const vec3 p = v3_sub(poly->vertices[f->vertices[(i + 1) % 3]].w, foot),
                   q = v3_sub(poly->vertices[f->vertices[(i + 2) % 3]].w, foot);
        sum += weights[i] = v3_dot(f->normal, v3_cross(p, q));
    }
    double max_weight = 0.0;
    for (int i = 0; i < 3; ++i) max_weight = fmax(max_weight, fabs(weights[i] /= sum));
    for (int i = 0; i < (touching ? s->count : 3); ++i) {
        const struct simplex_vertex *t = touching ? &s->vertices[i] : &poly->vertices[f->vertices[i]];
        point = v3_madd(point,
                        touching           ? s->weights[i]
                        : max_weight < 2.0 ? weights[i]
                                           : 1.0 / 3.0,
                        by_a ? t->a : t->b);
    }
    return point;
}

// The support point along the face's normal lies at `depth`, beyond the face; half of the difference goes to
// each side. The witness point is taken on the smaller core, where its error is bounded by the smaller
// radius.
static void write_result(const struct polytope *poly, const struct simplex *s, const struct polytope_face *f,
                         double depth, struct closest_points *out)
{
    const bool by_a = poly->a->part->bounding_radius < poly->b->part->bounding_radius;
    const vec3 point = witness_point(poly, s, f, depth, by_a);
    const double half_excess = 0.5 * (depth - f->distance);
    out->normal = f->normal;
    out->gap = -depth;
    out->on_a = v3_madd(point, by_a ? half_excess : depth - half_excess, f->normal);
    out->on_b = v3_madd(point, by_a ? half_excess - depth : -half_excess, f->normal);
}

// Cores whose difference has no volume, such as two coplanar edges or a vertex on an edge: the direction is
// perpendicular to the difference, the points are those of GJK.
static void write_degenerate_result(const struct polytope *poly, const struct simplex *s,
                                    struct closest_points *out)
{
    vec3 n = v3_sub(poly->b->position, poly->a->position);
    if (poly->vertex_count == 2) n = perpendicular(v3_sub(poly->vertices[1].w, poly->vertices[0].w));
    if (poly->vertex_count > 2) n = base_normal(poly);
    const double length = v3_length(n);
    n = length > 0.0 ? v3_scale(n, 1.0 / length) : v3(0, 1, 0);
    struct simplex_vertex t = minkowski_support(poly->a, poly->b, n);
    const struct simplex_vertex opposite = minkowski_support(poly->a, poly->b, v3_scale(n, -1.0));
    if (-v3_dot(opposite.w, n) < v3_dot(t.w, n)) n = v3_scale(n, -1.0), t = opposite;
    *out = (struct closest_points){.normal = n, .gap = -v3_dot(t.w, n), .on_a = t.a, .on_b = t.b};
    if (s->count > 3) return; // four vertices have no weights of GJK: the support points remain
    out->on_a = out->on_b = v3(0, 0, 0);
    for (int i = 0; i < s->count; ++i) {
        out->on_a = v3_madd(out->on_a, s->weights[i], s->vertices[i].a);
        out->on_b = v3_madd(out->on_b, s->weights[i], s->vertices[i].b);
    }
}

// Round cores need more than MAX_VERTICES vertices. Separate the cores along the normal found so far, plus a
// small gap: the direction of their closest points gives a smaller depth. Repeat until the depth stops
// decreasing.
static void refine_by_gjk(const struct polytope *poly, struct closest_points *out)
{
    for (int k = 0; k < REFINE_STEPS; ++k) {
        struct convex_instance separated = *poly->b;
        struct simplex s;
        struct closest_points closest;
        const vec3 offset = v3_scale(out->normal, REFINE_SEPARATION * poly->extent - out->gap);
        separated.position = v3_add(separated.position, offset);
        if (!gjk_distance(poly->a, &separated, INFINITY, &s, &closest)) return;
        closest.gap = -v3_dot(minkowski_support(poly->a, poly->b, closest.normal).w, closest.normal);
        if (!(closest.gap > out->gap)) return;
        closest.on_b = v3_sub(closest.on_b, offset);
        *out = closest;
    }
}

void epa_penetration(const struct convex_instance *a, const struct convex_instance *b,
                     const struct simplex *s, struct closest_points *out)
{
    struct polytope poly = {.a = a, .b = b, .extent = core_radius(a) + core_radius(b)};
    if (!build_tetrahedron(&poly, s)) return write_degenerate_result(&poly, s, out);
    double min_depth = INFINITY;
    for (int index; (index = closest_face(&poly)) >= 0 && poly.vertex_count < MAX_VERTICES;) {
        const struct polytope_face face = poly.faces[index];
        const double depth = v3_dot(minkowski_support(a, b, face.normal).w, face.normal);
        if (depth < min_depth) {
            min_depth = depth;
            write_result(&poly, s, &face, depth, out);
        }
        if (min_depth - face.distance <= TOLERANCE * poly.extent) return;
        if (!add_support(&poly, face.normal) || !expand_polytope(&poly)) break;
    }
    refine_by_gjk(&poly, out);
}
