// How deep two cores are in each other: the difference of all their points holds the origin, and a polytope
// inside it is blown up until its face nearest to the origin lies on the surface. [vandenbergen2001]
#include "touch.h"

#define TIPS       96
#define FACES      (2 * TIPS)
#define ENOUGH     1e-6 // of the extent: a support that is no farther than that beyond a face ends the search
#define LEAST_SPAN 1e-13 // of the extent to the power of their dimension: tips that span less are flat
#define TOUCH      1e-5  // of the extent: cores that are no deeper than that in each other only touch
#define POLISH     8     // times
#define PULL       1e-3  // of the extent

struct shard {
    int tips[3];
    vec3 normal; // unit, outwards
    double far;  // [m] of its plane from the origin
    bool gone;
};

struct blown {
    const struct placed *a, *b;
    struct tip tips[TIPS];
    int tip_count;
    struct shard faces[FACES];
    int face_count;
    double extent; // [m] of the difference, at most
};

// False if the face has no area.
static bool add_face(struct blown *e, int i, int j, int k)
{
    const vec3 a = e->tips[i].w, b = e->tips[j].w, c = e->tips[k].w;
    vec3 n = v3_cross(v3_sub(b, a), v3_sub(c, a));
    const double length = v3_length(n);
    if (e->face_count == FACES || !(length > 1e-14 * e->extent * e->extent)) return false;
    n = v3_scale(n, 1.0 / length);
    e->faces[e->face_count++] = (struct shard){{i, j, k}, n, v3_dot(n, a), false};
    return true;
}

static bool add_tip(struct blown *e, vec3 way)
{
    const struct tip t = tip_of(e->a, e->b, way);
    for (int i = 0; i < e->tip_count; ++i) {
        const vec3 d = v3_sub(e->tips[i].w, t.w);
        if (v3_dot(d, d) < 1e-20 * e->extent * e->extent) return false;
    }
    e->tips[e->tip_count++] = t;
    return true;
}

static vec3 any_across(vec3 v)
{
    const vec3 axis = fabs(v.x) <= fabs(v.y) && fabs(v.x) <= fabs(v.z) ? v3(1, 0, 0)
                      : fabs(v.y) <= fabs(v.z)                         ? v3(0, 1, 0)
                                                                       : v3(0, 0, 1);
    return v3_cross(v, axis);
}

static vec3 plane_of(const struct blown *e)
{
    const vec3 o = e->tips[0].w;
    return v3_cross(v3_sub(e->tips[1].w, o), v3_sub(e->tips[2].w, o));
}

static double volume_of(const struct blown *e)
{
    return v3_dot(v3_sub(e->tips[3].w, e->tips[0].w), plane_of(e));
}

// Length, area or volume that the tips span, of what the extent would.
static double span_of(const struct blown *e)
{
    const double k = 1.0 / e->extent;
    if (e->tip_count == 2) return k * v3_length(v3_sub(e->tips[1].w, e->tips[0].w));
    return e->tip_count == 3 ? k * k * v3_length(plane_of(e)) : k * k * k * fabs(volume_of(e));
}

// Of the supports along and against some ways the one that spans most. False if none spans anything.
static bool add_widest(struct blown *e, const vec3 *ways, int count)
{
    const int n = e->tip_count;
    double least = LEAST_SPAN;
    struct tip best = e->tips[0];
    for (int k = 0; k < 2 * count; ++k) {
        e->tips[n] = tip_of(e->a, e->b, v3_scale(ways[k / 2], k & 1 ? -1.0 : 1.0));
        e->tip_count = n + 1;
        const double span = span_of(e);
        if (span > least) least = span, best = e->tips[n];
        e->tip_count = n;
    }
    e->tips[n] = best;
    e->tip_count = n + (least > LEAST_SPAN);
    return e->tip_count > n;
}

// A tetrahedron with volume; it need not hold the origin: what is on the wrong side of a face comes first. Cores that
// only touch leave a point, an edge or a face; supports across it make the rest. False for differences that are
// flat: of two edges, and the like. Then as many tips are left as they have dimensions, and one.
static bool begin(struct blown *e, const struct simplex *s)
{
    for (int i = 0; i < s->count; ++i) e->tips[e->tip_count++] = s->tips[i];
    while (e->tip_count > 1 && !(span_of(e) > LEAST_SPAN)) e->tip_count--;
    while (e->tip_count < 4) {
        const vec3 along = v3_sub(e->tips[1].w, e->tips[0].w);
        vec3 ways[3] = {{1, 0, 0}, {0, 1, 0}, {0, 0, 1}};
        if (e->tip_count == 2) ways[0] = any_across(along), ways[1] = v3_cross(along, ways[0]);
        if (e->tip_count == 3) ways[0] = plane_of(e);
        if (!add_widest(e, ways, 4 - e->tip_count)) return false;
    }
    const bool turned = volume_of(e) > 0.0; // the fourth is above 0 1 2: seen from below they run clockwise
    return turned
               ? add_face(e, 0, 2, 1) && add_face(e, 0, 1, 3) && add_face(e, 1, 2, 3) && add_face(e, 2, 0, 3)
               : add_face(e, 0, 1, 2) && add_face(e, 0, 3, 1) && add_face(e, 1, 3, 2) && add_face(e, 2, 3, 0);
}

static int nearest_face(const struct blown *e)
{
    int best = -1;
    for (int i = 0; i < e->face_count; ++i)
        if (!e->faces[i].gone && (best < 0 || e->faces[i].far < e->faces[best].far)) best = i;
    return best;
}

// Take away the faces that see the new tip and close the hole towards it: an edge of the hole belongs to one face
// that goes and one that stays. False without room or with a face of no area.
static bool blow_up(struct blown *e)
{
    const int tip = e->tip_count - 1, count = e->face_count;
    int edges[3 * FACES][2], edge_count = 0;
    for (int i = 0; i < count; ++i) {
        struct shard *f = &e->faces[i];
        if (f->gone || v3_dot(f->normal, e->tips[tip].w) - f->far <= 1e-12 * e->extent) continue;
        f->gone = true;
        for (int k = 0; k < 3; ++k) {
            const int from = f->tips[k], to = f->tips[(k + 1) % 3];
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
        if (!e->faces[i].gone) e->faces[kept++] = e->faces[i];
    e->face_count = kept;
    for (int i = 0; i < edge_count; ++i)
        if (!add_face(e, edges[i][0], edges[i][1], tip)) return false;
    return edge_count > 0;
}

// Where they meet, as a point of a or b: for cores that only touch the simplex knows, otherwise it is the origin's foot on
// a face. On a sliver that may come out far beside it.
static vec3 meeting(const struct blown *e, const struct simplex *s, const struct shard *f, double depth,
                    bool by_a)
{
    const vec3 foot = v3_scale(f->normal, f->far);
    const bool touch = s->count < 4 && depth < TOUCH * e->extent;
    double weights[4], sum = 0.0;
    vec3 at = {0, 0, 0};
    for (int i = 0; i < 3; ++i) {
        const vec3 p = v3_sub(e->tips[f->tips[(i + 1) % 3]].w, foot),
                   q = v3_sub(e->tips[f->tips[(i + 2) % 3]].w, foot);
        sum += weights[i] = v3_dot(f->normal, v3_cross(p, q));
    }
    double most = 0.0;
    for (int i = 0; i < 3; ++i) most = fmax(most, fabs(weights[i] /= sum));
    for (int i = 0; i < (touch ? s->count : 3); ++i) {
        const struct tip *t = touch ? &s->tips[i] : &e->tips[f->tips[i]];
        at = v3_madd(at, touch ? s->weights[i] : most < 2.0 ? weights[i] : 1.0 / 3.0, by_a ? t->a : t->b);
    }
    return at;
}

// The cores reach `depth` along the normal of a face: a little farther than the face. The smaller one says where they
// meet: there it cannot be far off.
static void report(const struct blown *e, const struct simplex *s, const struct shard *f, double depth,
                   struct nearest *out)
{
    const bool by_a = e->a->piece->radius < e->b->piece->radius;
    const vec3 at = meeting(e, s, f, depth, by_a);
    const double more = 0.5 * (depth - f->far);
    out->normal = f->normal;
    out->gap = -depth;
    out->on_a = v3_madd(at, by_a ? more : depth - more, f->normal);
    out->on_b = v3_madd(at, by_a ? more - depth : -more, f->normal);
}

// Cores whose difference is flat, as two edges that cross or a point on an edge: out across it, from where they meet.
static void leave_flat(const struct blown *e, const struct simplex *s, struct nearest *out)
{
    vec3 n = v3_sub(e->b->at, e->a->at);
    if (e->tip_count == 2) n = any_across(v3_sub(e->tips[1].w, e->tips[0].w));
    if (e->tip_count > 2) n = plane_of(e);
    const double length = v3_length(n);
    n = length > 0.0 ? v3_scale(n, 1.0 / length) : v3(0, 1, 0);
    struct tip t = tip_of(e->a, e->b, n);
    const struct tip back = tip_of(e->a, e->b, v3_scale(n, -1.0));
    if (-v3_dot(back.w, n) < v3_dot(t.w, n)) n = v3_scale(n, -1.0), t = back;
    *out = (struct nearest){.normal = n, .gap = -v3_dot(t.w, n), .on_a = t.a, .on_b = t.b};
    if (s->count > 3) return; // flat by a hair
    out->on_a = out->on_b = v3(0, 0, 0);
    for (int i = 0; i < s->count; ++i) {
        out->on_a = v3_madd(out->on_a, s->weights[i], s->tips[i].a);
        out->on_b = v3_madd(out->on_b, s->weights[i], s->tips[i].b);
    }
}

// Round cores would need more tips than there are. Pull them apart along the normal that was found and a little more: the
// way in which they are nearest then leads out on a shorter way, until it is the normal itself.
static void polish(const struct blown *e, struct nearest *out)
{
    for (int k = 0; k < POLISH; ++k) {
        struct placed apart = *e->b;
        struct simplex s;
        struct nearest near;
        const vec3 move = v3_scale(out->normal, PULL * e->extent - out->gap);
        apart.at = v3_add(apart.at, move);
        if (!gjk_distance(e->a, &apart, INFINITY, &s, &near)) return;
        near.gap = -v3_dot(tip_of(e->a, e->b, near.normal).w, near.normal);
        if (!(near.gap > out->gap)) return;
        near.on_b = v3_sub(near.on_b, move);
        *out = near;
    }
}

void epa_depth(const struct placed *a, const struct placed *b, const struct simplex *s, struct nearest *out)
{
    struct blown e = {.a = a, .b = b, .extent = core_radius(a) + core_radius(b)};
    if (!begin(&e, s)) return leave_flat(&e, s, out);
    double least = INFINITY;
    for (int f; (f = nearest_face(&e)) >= 0 && e.tip_count < TIPS;) {
        const struct shard face = e.faces[f];
        const double depth = v3_dot(tip_of(a, b, face.normal).w, face.normal);
        if (depth < least) {
            least = depth;
            report(&e, s, &face, depth, out);
        }
        if (least - face.far <= ENOUGH * e.extent) return;
        if (!add_tip(&e, face.normal) || !blow_up(&e)) break;
    }
    polish(&e, out);
}
