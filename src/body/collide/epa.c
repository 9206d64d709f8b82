// How deep two cores are in each other: the difference of all their points holds the origin, and a polytope
// inside it is blown up until its face nearest to the origin lies on the surface. [vandenbergen2001]
#include "narrow_phase.h"

#define MAX_VERTICES 96
#define MAX_FACES    (2 * MAX_VERTICES)
#define TOLERANCE    1e-6 // of the extent: a support that is no farther than that beyond a face ends the search
#define MIN_SIMPLEX_MEASURE \
    1e-13                      // of the extent to the power of their dimension: tips that span less are flat
#define TOUCHING_DEPTH    1e-5 // of the extent: cores that are no deeper than that in each other only touch
#define REFINE_STEPS      8    // times
#define REFINE_SEPARATION 1e-3 // of the extent

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
    double extent; // [m] of the difference, at most
};

// False if the face has no area.
static bool add_face(struct polytope *e, int i, int j, int k)
{
    const vec3 a = e->vertices[i].w, b = e->vertices[j].w, c = e->vertices[k].w;
    vec3 n = v3_cross(v3_sub(b, a), v3_sub(c, a));
    const double length = v3_length(n);
    if (e->face_count == MAX_FACES || !(length > 1e-14 * e->extent * e->extent)) return false;
    n = v3_scale(n, 1.0 / length);
    e->faces[e->face_count++] = (struct polytope_face){{i, j, k}, n, v3_dot(n, a), false};
    return true;
}

static bool add_support(struct polytope *e, vec3 way)
{
    const struct simplex_vertex t = minkowski_support(e->a, e->b, way);
    for (int i = 0; i < e->vertex_count; ++i) {
        const vec3 d = v3_sub(e->vertices[i].w, t.w);
        if (v3_dot(d, d) < 1e-20 * e->extent * e->extent) return false;
    }
    e->vertices[e->vertex_count++] = t;
    return true;
}

static vec3 perpendicular(vec3 v)
{
    const vec3 axis = fabs(v.x) <= fabs(v.y) && fabs(v.x) <= fabs(v.z) ? v3(1, 0, 0)
                      : fabs(v.y) <= fabs(v.z)                         ? v3(0, 1, 0)
                                                                       : v3(0, 0, 1);
    return v3_cross(v, axis);
}

static vec3 base_normal(const struct polytope *e)
{
    const vec3 o = e->vertices[0].w;
    return v3_cross(v3_sub(e->vertices[1].w, o), v3_sub(e->vertices[2].w, o));
}

static double signed_volume(const struct polytope *e)
{
    return v3_dot(v3_sub(e->vertices[3].w, e->vertices[0].w), base_normal(e));
}

// Length, area or volume that the tips span, of what the extent would.
static double simplex_measure(const struct polytope *e)
{
    const double k = 1.0 / e->extent;
    if (e->vertex_count == 2) return k * v3_length(v3_sub(e->vertices[1].w, e->vertices[0].w));
    return e->vertex_count == 3 ? k * k * v3_length(base_normal(e)) : k * k * k * fabs(signed_volume(e));
}

// Of the supports along and against some ways the one that spans most. False if none spans anything.
static bool add_best_support(struct polytope *e, const vec3 *ways, int count)
{
    const int n = e->vertex_count;
    double least = MIN_SIMPLEX_MEASURE;
    struct simplex_vertex best = e->vertices[0];
    for (int k = 0; k < 2 * count; ++k) {
        e->vertices[n] = minkowski_support(e->a, e->b, v3_scale(ways[k / 2], k & 1 ? -1.0 : 1.0));
        e->vertex_count = n + 1;
        const double span = simplex_measure(e);
        if (span > least) least = span, best = e->vertices[n];
        e->vertex_count = n;
    }
    e->vertices[n] = best;
    e->vertex_count = n + (least > MIN_SIMPLEX_MEASURE);
    return e->vertex_count > n;
}

// A tetrahedron with volume; it need not hold the origin: what is on the wrong side of a face comes first. Cores that
// only touch leave a point, an edge or a face; supports across it make the rest. False for differences that are
// flat: of two edges, and the like. Then as many tips are left as they have dimensions, and one.
static bool build_tetrahedron(struct polytope *e, const struct simplex *s)
{
    for (int i = 0; i < s->count; ++i) e->vertices[e->vertex_count++] = s->vertices[i];
    while (e->vertex_count > 1 && !(simplex_measure(e) > MIN_SIMPLEX_MEASURE)) e->vertex_count--;
    while (e->vertex_count < 4) {
        const vec3 along = v3_sub(e->vertices[1].w, e->vertices[0].w);
        vec3 ways[3] = {{1, 0, 0}, {0, 1, 0}, {0, 0, 1}};
        if (e->vertex_count == 2) ways[0] = perpendicular(along), ways[1] = v3_cross(along, ways[0]);
        if (e->vertex_count == 3) ways[0] = base_normal(e);
        if (!add_best_support(e, ways, 4 - e->vertex_count)) return false;
    }
    const bool turned =
        signed_volume(e) > 0.0; // the fourth is above 0 1 2: seen from below they run clockwise
    return turned
               ? add_face(e, 0, 2, 1) && add_face(e, 0, 1, 3) && add_face(e, 1, 2, 3) && add_face(e, 2, 0, 3)
               : add_face(e, 0, 1, 2) && add_face(e, 0, 3, 1) && add_face(e, 1, 3, 2) && add_face(e, 2, 3, 0);
}

static int closest_face(const struct polytope *e)
{
    int best = -1;
    for (int i = 0; i < e->face_count; ++i)
        if (!e->faces[i].is_removed && (best < 0 || e->faces[i].distance < e->faces[best].distance)) best = i;
    return best;
}

// Take away the faces that see the new tip and close the hole towards it: an edge of the hole belongs to one face
// that goes and one that stays. False without room or with a face of no area.
static bool expand_polytope(struct polytope *e)
{
    const int tip = e->vertex_count - 1, count = e->face_count;
    int edges[3 * MAX_FACES][2], edge_count = 0;
    for (int i = 0; i < count; ++i) {
        struct polytope_face *f = &e->faces[i];
        if (f->is_removed || v3_dot(f->normal, e->vertices[tip].w) - f->distance <= 1e-12 * e->extent)
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
        if (!e->faces[i].is_removed) e->faces[kept++] = e->faces[i];
    e->face_count = kept;
    for (int i = 0; i < edge_count; ++i)
        if (!add_face(e, edges[i][0], edges[i][1], tip)) return false;
    return edge_count > 0;
}

// Where they meet, as a point of a or b: for cores that only touch the simplex knows, otherwise it is the origin's foot on
// a face. On a sliver that may come out far beside it.
static vec3 witness_point(const struct polytope *e, const struct simplex *s, const struct polytope_face *f,
                          double depth, bool by_a)
{
    const vec3 foot = v3_scale(f->normal, f->distance);
    const bool touch = s->count < 4 && depth < TOUCHING_DEPTH * e->extent;
    double weights[4], sum = 0.0;
    vec3 at = {0, 0, 0};
    for (int i = 0; i < 3; ++i) {
        const vec3 p = v3_sub(e->vertices[f->vertices[(i + 1) % 3]].w, foot),
                   q = v3_sub(e->vertices[f->vertices[(i + 2) % 3]].w, foot);
        sum += weights[i] = v3_dot(f->normal, v3_cross(p, q));
    }
    double most = 0.0;
    for (int i = 0; i < 3; ++i) most = fmax(most, fabs(weights[i] /= sum));
    for (int i = 0; i < (touch ? s->count : 3); ++i) {
        const struct simplex_vertex *t = touch ? &s->vertices[i] : &e->vertices[f->vertices[i]];
        at = v3_madd(at, touch ? s->weights[i] : most < 2.0 ? weights[i] : 1.0 / 3.0, by_a ? t->a : t->b);
    }
    return at;
}

// The cores reach `depth` along the normal of a face: a little farther than the face. The smaller one says where they
// meet: there it cannot be far off.
static void write_result(const struct polytope *e, const struct simplex *s, const struct polytope_face *f,
                         double depth, struct closest_points *out)
{
    const bool by_a = e->a->part->bounding_radius < e->b->part->bounding_radius;
    const vec3 at = witness_point(e, s, f, depth, by_a);
    const double more = 0.5 * (depth - f->distance);
    out->normal = f->normal;
    out->gap = -depth;
    out->on_a = v3_madd(at, by_a ? more : depth - more, f->normal);
    out->on_b = v3_madd(at, by_a ? more - depth : -more, f->normal);
}

// Cores whose difference is flat, as two edges that cross or a point on an edge: out across it, from where they meet.
static void write_degenerate_result(const struct polytope *e, const struct simplex *s,
                                    struct closest_points *out)
{
    vec3 n = v3_sub(e->b->position, e->a->position);
    if (e->vertex_count == 2) n = perpendicular(v3_sub(e->vertices[1].w, e->vertices[0].w));
    if (e->vertex_count > 2) n = base_normal(e);
    const double length = v3_length(n);
    n = length > 0.0 ? v3_scale(n, 1.0 / length) : v3(0, 1, 0);
    struct simplex_vertex t = minkowski_support(e->a, e->b, n);
    const struct simplex_vertex back = minkowski_support(e->a, e->b, v3_scale(n, -1.0));
    if (-v3_dot(back.w, n) < v3_dot(t.w, n)) n = v3_scale(n, -1.0), t = back;
    *out = (struct closest_points){.normal = n, .gap = -v3_dot(t.w, n), .on_a = t.a, .on_b = t.b};
    if (s->count > 3) return; // flat by a hair
    out->on_a = out->on_b = v3(0, 0, 0);
    for (int i = 0; i < s->count; ++i) {
        out->on_a = v3_madd(out->on_a, s->weights[i], s->vertices[i].a);
        out->on_b = v3_madd(out->on_b, s->weights[i], s->vertices[i].b);
    }
}

// Round cores would need more tips than there are. Pull them apart along the normal that was found and a little more: the
// way in which they are nearest then leads out on a shorter way, until it is the normal itself.
static void refine_by_gjk(const struct polytope *e, struct closest_points *out)
{
    for (int k = 0; k < REFINE_STEPS; ++k) {
        struct convex_instance apart = *e->b;
        struct simplex s;
        struct closest_points near;
        const vec3 move = v3_scale(out->normal, REFINE_SEPARATION * e->extent - out->gap);
        apart.position = v3_add(apart.position, move);
        if (!gjk_distance(e->a, &apart, INFINITY, &s, &near)) return;
        near.gap = -v3_dot(minkowski_support(e->a, e->b, near.normal).w, near.normal);
        if (!(near.gap > out->gap)) return;
        near.on_b = v3_sub(near.on_b, move);
        *out = near;
    }
}

void epa_penetration(const struct convex_instance *a, const struct convex_instance *b,
                     const struct simplex *s, struct closest_points *out)
{
    struct polytope e = {.a = a, .b = b, .extent = core_radius(a) + core_radius(b)};
    if (!build_tetrahedron(&e, s)) return write_degenerate_result(&e, s, out);
    double least = INFINITY;
    for (int f; (f = closest_face(&e)) >= 0 && e.vertex_count < MAX_VERTICES;) {
        const struct polytope_face face = e.faces[f];
        const double depth = v3_dot(minkowski_support(a, b, face.normal).w, face.normal);
        if (depth < least) {
            least = depth;
            write_result(&e, s, &face, depth, out);
        }
        if (least - face.distance <= TOLERANCE * e.extent) return;
        if (!add_support(&e, face.normal) || !expand_polytope(&e)) break;
    }
    refine_by_gjk(&e, out);
}
