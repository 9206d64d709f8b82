// Triangulation of a polygon in a horizontal plane by ear clipping [meisters1975]. An ear is a convex vertex
// whose triangle with its two neighbours contains no other vertex. The search passes round the polygon and
// skips a vertex after each ear, so the result is deterministic and is not a fan about one vertex.
#include "body/mesh/trimesh.h"

#define AREA_TOLERANCE 1e-14 // of the squared longest side of the bounding box: rounding error of an area
#define MAX_WORK       1e9   // vertex tests; some seconds

struct ear_clipper {
    const vec3 *vertices;
    const int *loop;
    int remaining;        // vertices not clipped yet
    int *next, *previous; // [vertex] in the remaining polygon; next is -1 after clipping
    // Reflex vertices, and some that became convex since they were listed. If any vertex lies in the triangle
    // of an ear, a reflex one does, so only these are tested.
    int *reflex;
    int reflex_count, listed_at; // `remaining` when the list was made
    double area_tolerance;       // [m^2]
    double work;
};

static vec3 vertex(const struct ear_clipper *clipper, int i) { return clipper->vertices[clipper->loop[i]]; }

// Twice the signed area of a triangle, positive if it is counter-clockwise seen from above (from z towards
// x).
static double twice_area(vec3 a, vec3 b, vec3 c)
{
    return (b.z - a.z) * (c.x - a.x) - (b.x - a.x) * (c.z - a.z);
}

static double twice_area_at(const struct ear_clipper *clipper, int i)
{
    return twice_area(vertex(clipper, clipper->previous[i]), vertex(clipper, i),
                      vertex(clipper, clipper->next[i]));
}

// An ear has positive area, and no other vertex lies inside or on its boundary. If vertices are collinear
// within rounding there may be no such ear; then `tolerant` accepts zero area and rejects only vertices
// clearly inside.
static bool is_ear(struct ear_clipper *clipper, int i, bool tolerant)
{
    const vec3 a = vertex(clipper, clipper->previous[i]), b = vertex(clipper, i),
               c = vertex(clipper, clipper->next[i]);
    const double min_area = tolerant ? -clipper->area_tolerance : clipper->area_tolerance,
                 min_inside = tolerant ? clipper->area_tolerance : -clipper->area_tolerance;
    clipper->work += 1.0;
    if (!(twice_area(a, b, c) > min_area)) return false;
    clipper->work += clipper->reflex_count;
    for (int k = 0; k < clipper->reflex_count; ++k) {
        const int j = clipper->reflex[k];
        const vec3 q = vertex(clipper, j);
        if (!(twice_area(a, b, q) > min_inside && twice_area(b, c, q) > min_inside &&
              twice_area(c, a, q) > min_inside))
            continue;
        if (clipper->next[j] >= 0 && j != clipper->previous[i] && j != i && j != clipper->next[i])
            return false;
    }
    return true;
}

static void emit_triangle(const struct ear_clipper *clipper, int b, int *out)
{
    out[0] = clipper->loop[clipper->previous[b]], out[1] = clipper->loop[b],
    out[2] = clipper->loop[clipper->next[b]];
}

static void list_reflex(struct ear_clipper *clipper, int start)
{
    int i = start;
    clipper->reflex_count = 0;
    clipper->listed_at = clipper->remaining;
    do {
        if (!(twice_area_at(clipper, i) > clipper->area_tolerance))
            clipper->reflex[clipper->reflex_count++] = i;
        i = clipper->next[i];
    } while (i != start);
}

static void remove_vertex(struct ear_clipper *clipper, int b)
{
    clipper->next[clipper->previous[b]] = clipper->next[b];
    clipper->previous[clipper->next[b]] = clipper->previous[b];
    clipper->next[b] = -1;
    clipper->remaining -= 1;
}

static bool init_clipper(struct ear_clipper *clipper)
{
    vec3 box_min = clipper->vertices[clipper->loop[0]], box_max = box_min;
    double total_area = 0.0;
    for (int i = 0; i < clipper->remaining; ++i) {
        const vec3 v = clipper->vertices[clipper->loop[i]];
        box_min = v3(fmin(box_min.x, v.x), box_min.y, fmin(box_min.z, v.z));
        box_max = v3(fmax(box_max.x, v.x), box_max.y, fmax(box_max.z, v.z));
        clipper->next[i] = (i + 1) % clipper->remaining;
        clipper->previous[i] = (i + clipper->remaining - 1) % clipper->remaining;
        if (i > 1) total_area += twice_area(vertex(clipper, 0), vertex(clipper, i - 1), v);
    }
    const double extent = fmax(box_max.x - box_min.x, box_max.z - box_min.z);
    clipper->area_tolerance = AREA_TOLERANCE * extent * extent;
    list_reflex(clipper, 0);
    return total_area > clipper->area_tolerance;
}

bool triangulate_polygon(const vec3 *vertices, const int *loop, int count, int *work, int (*out)[3])
{
    struct ear_clipper clipper = {.vertices = vertices, .loop = loop, .remaining = count};
    clipper.next = work, clipper.previous = work + count, clipper.reflex = work + 2 * (size_t)count;
    if (count < 3 || !init_clipper(&clipper)) return false;
    int current = 0, triangle_count = 0, to_test = count,
        at_start = count; // of this pass: vertices to test, `remaining` at its start
    bool tolerant = false;
    while (clipper.remaining > 3) {
        const int following = clipper.next[current];
        if (is_ear(&clipper, current, tolerant)) {
            emit_triangle(&clipper, current, out[triangle_count++]);
            remove_vertex(&clipper, current);
            current = clipper.next[following]; // avoids a fan about one vertex
            to_test -= 2;
            if (2 * clipper.remaining < clipper.listed_at) list_reflex(&clipper, current);
        } else {
            current = following;
            to_test -= 1;
        }
        if (clipper.work > MAX_WORK) return false;
        if (to_test > 0) continue;
        if (tolerant && clipper.remaining == at_start) return false;
        tolerant = clipper.remaining == at_start;
        to_test = at_start = clipper.remaining;
    }
    emit_triangle(&clipper, current, out[triangle_count]);
    return true;
}
