// Triangulation of a polygon in a horizontal plane by ear clipping [meisters1975]. An ear is a convex vertex
// whose triangle with its two neighbours contains no other vertex. The search passes round the polygon and
// skips a vertex after each ear, so the result is deterministic and is not a fan about one vertex.
#include "body/shape/shape.h"

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

static vec3 vertex(const struct ear_clipper *p, int i) { return p->vertices[p->loop[i]]; }

// Twice the signed area of a triangle, positive if it is counter-clockwise seen from above (from z towards
// x).
static double twice_area(vec3 a, vec3 b, vec3 c)
{
    return (b.z - a.z) * (c.x - a.x) - (b.x - a.x) * (c.z - a.z);
}

static double twice_area_at(const struct ear_clipper *p, int i)
{
    return twice_area(vertex(p, p->previous[i]), vertex(p, i), vertex(p, p->next[i]));
}

// An ear has positive area, and no other vertex lies inside or on its boundary. If vertices are collinear
// within rounding there may be no such ear; then `tolerant` accepts zero area and rejects only vertices
// clearly inside.
static bool is_ear(struct ear_clipper *p, int i, bool flat)
{
    const vec3 a = vertex(p, p->previous[i]), b = vertex(p, i), c = vertex(p, p->next[i]);
    const double least = flat ? -p->area_tolerance : p->area_tolerance,
                 in = flat ? p->area_tolerance : -p->area_tolerance;
    p->work += 1.0;
    if (!(twice_area(a, b, c) > least)) return false;
    p->work += p->reflex_count;
    for (int k = 0; k < p->reflex_count; ++k) {
        const int j = p->reflex[k];
        const vec3 q = vertex(p, j);
        if (!(twice_area(a, b, q) > in && twice_area(b, c, q) > in && twice_area(c, a, q) > in)) continue;
        if (p->next[j] >= 0 && j != p->previous[i] && j != i && j != p->next[i]) return false;
    }
    return true;
}

static void emit_triangle(const struct ear_clipper *p, int b, int *out)
{
    out[0] = p->loop[p->previous[b]], out[1] = p->loop[b], out[2] = p->loop[p->next[b]];
}

static void list_reflex(struct ear_clipper *p, int from)
{
    int i = from;
    p->reflex_count = 0;
    p->listed_at = p->remaining;
    do {
        if (!(twice_area_at(p, i) > p->area_tolerance)) p->reflex[p->reflex_count++] = i;
        i = p->next[i];
    } while (i != from);
}

static void remove_vertex(struct ear_clipper *p, int b)
{
    p->next[p->previous[b]] = p->next[b];
    p->previous[p->next[b]] = p->previous[b];
    p->next[b] = -1;
    p->remaining -= 1;
}

static bool init_clipper(struct ear_clipper *p)
{
    vec3 low = p->vertices[p->loop[0]], high = low;
    double whole = 0.0;
    for (int i = 0; i < p->remaining; ++i) {
        const vec3 v = p->vertices[p->loop[i]];
        low = v3(fmin(low.x, v.x), low.y, fmin(low.z, v.z));
        high = v3(fmax(high.x, v.x), high.y, fmax(high.z, v.z));
        p->next[i] = (i + 1) % p->remaining;
        p->previous[i] = (i + p->remaining - 1) % p->remaining;
        if (i > 1) whole += twice_area(vertex(p, 0), vertex(p, i - 1), v);
    }
    const double side = fmax(high.x - low.x, high.z - low.z);
    p->area_tolerance = AREA_TOLERANCE * side * side;
    list_reflex(p, 0);
    return whole > p->area_tolerance;
}

bool triangulate_polygon(const vec3 *vertices, const int *loop, int count, int *work, int (*out)[3])
{
    struct ear_clipper p = {.vertices = vertices, .loop = loop, .remaining = count};
    p.next = work, p.previous = work + count, p.reflex = work + 2 * (size_t)count;
    if (count < 3 || !init_clipper(&p)) return false;
    int now = 0, done = 0, left = count,
        before = count; // of this pass: vertices to test, `remaining` at its start
    bool flat = false;
    while (p.remaining > 3) {
        const int after = p.next[now];
        if (is_ear(&p, now, flat)) {
            emit_triangle(&p, now, out[done++]);
            remove_vertex(&p, now);
            now = p.next[after]; // avoids a fan about one vertex
            left -= 2;
            if (2 * p.remaining < p.listed_at) list_reflex(&p, now);
        } else {
            now = after;
            left -= 1;
        }
        if (p.work > MAX_WORK) return false;
        if (left > 0) continue;
        if (flat && p.remaining == before) return false;
        flat = p.remaining == before;
        left = before = p.remaining;
    }
    emit_triangle(&p, now, out[done]);
    return true;
}
