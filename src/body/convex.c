// The convex hull of points in space: quickhull [barber1996] in whole numbers.
//
// Points are put on a grid of 2^30 steps to the longest side of their box, 1e-9 of it, far below what a contact feels.
// On which side of a plane a point lies is then computed exactly, so that the hull stays whole for points in rows,
// in planes and on top of each other too. Triangles that lie in one plane but for rounding become one side at the end.
#include "base/error.h"
#include "solid.h"

#include <stdint.h>

#define STEPS 0x1p30
#define FLAT  1e-6 // of the longest side: points within it of a plane enclose no body
#define PLANE 1e-7 // of the longest side: what is within it of a plane is in it. A hundred times the rounding

// Normal = high 2^31 + low, 0 <= low < 2^31, twice the area long: up to 2^61. Products of its halves with differences
// of up to 2^30, and sums of three of them, are int64.
struct tri {
    int corner[3];
    int mate[3]; // of the edge from corner k to the next: 3t + k of the same edge of its neighbour
    int64_t high[3], low[3];
    vec3 normal;   // the same, rounded
    double length; // of the normal
    int first;     // of the points outside it, linked by `next`; -1: none
    int far;       // the farthest of them
    double reach;  // [steps] and its distance, 0 without one
    char live, seen;
};

struct work {
    struct shell room; // all memory
    int count, most;   // points; triangles
    vec3 middle;       // [m] of their box
    int (*at)[3];      // of each point: its place on the grid
    int *next;         // of each point: the next one outside the same triangle
    int *start;        // of each point on the horizon: the new triangle whose edge starts there
    struct tri *tris;
    int used;                // triangles that ever were
    int *spare, spare_count; // and those that are no more
    int *seen, seen_count;   // triangles that see a point
    int *horizon, horizon_count;
};

static bool take(struct work *w)
{
    const size_t points = (size_t)w->count, tris = (size_t)w->most;
    w->at = shell_take(&w->room, points, sizeof *w->at);
    w->next = shell_take(&w->room, points, sizeof *w->next);
    w->start = shell_take(&w->room, points, sizeof *w->start);
    w->tris = shell_take(&w->room, tris, sizeof *w->tris);
    w->spare = shell_take(&w->room, tris, sizeof *w->spare);
    w->seen = shell_take(&w->room, tris, sizeof *w->seen);
    w->horizon = shell_take(&w->room, tris, sizeof *w->horizon);
    return w->at && w->next && w->start && w->tris && w->spare && w->seen && w->horizon;
}

// ---- planes -----------------------------------------------------------------------------------------

static vec3 place(const struct work *w, int p) { return v3(w->at[p][0], w->at[p][1], w->at[p][2]); }

static void span(const struct work *w, struct tri *t)
{
    const int *a = w->at[t->corner[0]], *b = w->at[t->corner[1]], *c = w->at[t->corner[2]];
    int64_t n[3];
    for (int k = 0; k < 3; ++k) {
        const int i = (k + 1) % 3, j = (k + 2) % 3;
        n[k] = (int64_t)(b[i] - a[i]) * (c[j] - a[j]) - (int64_t)(b[j] - a[j]) * (c[i] - a[i]);
        t->low[k] = n[k] & INT64_C(0x7fffffff);
        t->high[k] = (n[k] - t->low[k]) / INT64_C(0x80000000);
    }
    t->normal = v3((double)n[0], (double)n[1], (double)n[2]);
    t->length = v3_length(t->normal);
}

// Height of a point above a triangle, times the length of its normal. The sign is exact.
static double above(const struct work *w, const struct tri *t, int p)
{
    const int *a = w->at[t->corner[0]], *b = w->at[p];
    int64_t high = 0, low = 0;
    for (int k = 0; k < 3; ++k) {
        high += t->high[k] * (b[k] - a[k]);
        low += t->low[k] * (b[k] - a[k]);
    }
    const int64_t rest = low & INT64_C(0x7fffffff);
    high += (low - rest) / INT64_C(0x80000000);
    return (double)high * 0x1p31 + (double)rest;
}

// ---- quickhull --------------------------------------------------------------------------------------

static int new_tri(struct work *w, int a, int b, int c)
{
    const int t = w->spare_count > 0 ? w->spare[--w->spare_count] : w->used++;
    ASSERT(t < w->most);
    w->tris[t] = (struct tri){.corner = {a, b, c}, .first = -1, .live = 1};
    span(w, &w->tris[t]);
    return t;
}

static void join(struct work *w, int e, int f)
{
    w->tris[e / 3].mate[e % 3] = f;
    w->tris[f / 3].mate[f % 3] = e;
}

// Give a point to the first triangle that it is outside of. One that is outside of none is inside for ever.
static void give(struct work *w, int p, const int *tris, int count)
{
    for (int i = 0; i < count; ++i) {
        struct tri *t = &w->tris[tris[i]];
        const double height = above(w, t, p);
        if (!(height > 0.0)) continue;
        w->next[p] = t->first;
        t->first = p;
        if (height / t->length > t->reach) t->reach = height / t->length, t->far = p;
        return;
    }
}

// All triangles that see point p, from t on, and the edges of others that border on them.
static void look(struct work *w, int t, int p)
{
    w->seen_count = w->horizon_count = 0;
    w->seen[w->seen_count++] = t;
    w->tris[t].seen = 1;
    for (int i = 0; i < w->seen_count; ++i)
        for (int k = 0; k < 3; ++k) {
            const int other = w->tris[w->seen[i]].mate[k] / 3;
            if (w->tris[other].seen || !(above(w, &w->tris[other], p) > 0.0)) continue;
            w->tris[other].seen = 1;
            w->seen[w->seen_count++] = other;
        }
    for (int i = 0; i < w->seen_count; ++i)
        for (int k = 0; k < 3; ++k) {
            const int mate = w->tris[w->seen[i]].mate[k];
            if (!w->tris[mate / 3].seen) w->horizon[w->horizon_count++] = mate;
        }
}

// The farthest point of triangle t becomes a corner: what sees it gives way to a cone of new triangles.
static void add_corner(struct work *w, int t)
{
    const int p = w->tris[t].far;
    int orphans = -1;
    look(w, t, p);
    for (int i = 0; i < w->seen_count; ++i) {
        struct tri *gone = &w->tris[w->seen[i]];
        for (int q = gone->first, next; q >= 0; q = next) {
            next = w->next[q];
            if (q != p) w->next[q] = orphans, orphans = q;
        }
        gone->live = 0;
        w->spare[w->spare_count++] = w->seen[i];
    }
    for (int i = 0; i < w->horizon_count; ++i) {
        const int mate = w->horizon[i], *corner = w->tris[mate / 3].corner;
        const int a = corner[(mate % 3 + 1) % 3], b = corner[mate % 3], made = new_tri(w, a, b, p);
        join(w, 3 * made, mate);
        w->start[a] = made;
        w->seen[i] = made;
    }
    for (int i = 0; i < w->horizon_count; ++i) {
        const int made = w->seen[i];
        join(w, 3 * made + 1, 3 * w->start[w->tris[made].corner[1]] + 2);
    }
    for (int next; orphans >= 0; orphans = next) {
        next = w->next[orphans];
        give(w, orphans, w->seen, w->horizon_count);
    }
}

static double from_line(vec3 a, vec3 b, vec3 p)
{
    const vec3 along = v3_sub(b, a);
    return v3_length(v3_cross(along, v3_sub(p, a))) / v3_length(along);
}

// Four points that are not in a plane: two at the ends of the longest side of the box, the one farthest from the line
// between them, the one farthest from the plane of these three.
static bool begin(struct work *w, int axis, int four[4])
{
    double best = FLAT * STEPS;
    four[0] = four[1] = 0, four[2] = four[3] = -1;
    for (int p = 0; p < w->count; ++p) {
        if (w->at[p][axis] < w->at[four[0]][axis]) four[0] = p;
        if (w->at[p][axis] > w->at[four[1]][axis]) four[1] = p;
    }
    for (int p = 0; p < w->count; ++p) {
        const double d = from_line(place(w, four[0]), place(w, four[1]), place(w, p));
        if (d > best) best = d, four[2] = p;
    }
    if (four[2] < 0) return false;
    struct tri t = {.corner = {four[0], four[1], four[2]}};
    span(w, &t);
    best = FLAT * STEPS;
    for (int p = 0; p < w->count; ++p) {
        const double d = fabs(above(w, &t, p)) / t.length;
        if (d > best) best = d, four[3] = p;
    }
    if (four[3] < 0) return false;
    if (above(w, &t, four[3]) > 0.0) four[1] = t.corner[2], four[2] = t.corner[1];
    return true;
}

// The farthest point of all comes next, so that the hull is good whenever there are enough corners. To look for it among
// all triangles takes corners^2 steps: fine for the hundred of a contact, and for some thousands.
static bool grow(struct work *w, int axis, int corners)
{
    static const int around[4][3] = {{0, 1, 2}, {1, 0, 3}, {2, 1, 3}, {0, 2, 3}};
    int four[4], tris[4];
    if (!begin(w, axis, four)) return false;
    for (int i = 0; i < 4; ++i)
        tris[i] = new_tri(w, four[around[i][0]], four[around[i][1]], four[around[i][2]]);
    for (int e = 0; e < 12; ++e)
        for (int f = 0; f < 12; ++f)
            if (around[e / 3][e % 3] == around[f / 3][(f % 3 + 1) % 3] &&
                around[e / 3][(e % 3 + 1) % 3] == around[f / 3][f % 3])
                join(w, 3 * tris[e / 3] + e % 3, 3 * tris[f / 3] + f % 3);
    for (int p = 0; p < w->count; ++p) give(w, p, tris, 4);
    for (int n = 4; n < corners; ++n) {
        int far = -1;
        for (int t = 0; t < w->used; ++t)
            if (w->tris[t].live && w->tris[t].reach > (far < 0 ? 0.0 : w->tris[far].reach)) far = t;
        if (far < 0) break;
        add_corner(w, far);
    }
    return true;
}

// ---- sides ------------------------------------------------------------------------------------------

struct sides {
    int *group;   // of each triangle
    int count;    // of groups
    int *edge;    // of each group: an edge of its border, 3t + k
    int *first;   // of each group: where its border begins in `loop`; first[count] is the end
    int *loop;    // corners of the borders, one after the other
    int *ways;    // of each point: how many groups have it on their borders; a corner has three
    char *gone;   // of each group without an area
    vec3 *normal; // of each group, not of unit length
    int corner_count;
};

static bool take_sides(struct work *w, struct sides *s)
{
    const size_t tris = (size_t)w->used;
    s->group = shell_take(&w->room, tris, sizeof *s->group);
    s->edge = shell_take(&w->room, tris, sizeof *s->edge);
    s->first = shell_take(&w->room, tris + 1, sizeof *s->first);
    s->loop = shell_take(&w->room, 3 * tris, sizeof *s->loop);
    s->ways = shell_take(&w->room, (size_t)w->count, sizeof *s->ways);
    s->gone = shell_take(&w->room, tris, sizeof *s->gone);
    s->normal = shell_take(&w->room, tris, sizeof *s->normal);
    return s->group && s->edge && s->first && s->loop && s->ways && s->gone && s->normal;
}

static bool in_plane(const struct work *w, const struct tri *seed, const struct tri *t, double within)
{
    for (int k = 0; k < 3; ++k)
        if (fabs(above(w, seed, t->corner[k])) > within * seed->length) return false;
    return v3_dot(seed->normal, t->normal) > 0.0;
}

// Triangles by size, the largest first, to a factor of two: their planes are known best.
static bool by_size(struct work *w, int *order)
{
    const size_t n = (size_t)w->used;
    enum { CLASSES = 128 };
    int *size = shell_take(&w->room, n, sizeof *size), *spare = shell_take(&w->room, n, sizeof *spare);
    int count[CLASSES + 1], power;
    if (!size || !spare) return false;
    for (int t = 0; t < w->used; ++t) {
        frexp(w->tris[t].length, &power); // 1 .. 2^62
        size[t] = CLASSES / 2 - power;
        order[t] = t;
    }
    sort_by(size, w->used, CLASSES, order, spare, count);
    return true;
}

// Neighbours within a plane become one group.
static void find_groups(struct work *w, struct sides *s, const int *order, double within)
{
    s->count = 0;
    for (int t = 0; t < w->used; ++t) s->group[t] = -1;
    for (int i = 0; i < w->used; ++i) {
        const int seed = order[i];
        if (!w->tris[seed].live || s->group[seed] >= 0) continue;
        w->seen_count = 0;
        w->seen[w->seen_count++] = seed;
        s->group[seed] = s->count;
        for (int j = 0; j < w->seen_count; ++j)
            for (int k = 0; k < 3; ++k) {
                const int e = 3 * w->seen[j] + k, other = w->tris[w->seen[j]].mate[k] / 3;
                if (s->group[other] < 0 && within > 0.0 &&
                    in_plane(w, &w->tris[seed], &w->tris[other], within)) {
                    s->group[other] = s->count;
                    w->seen[w->seen_count++] = other;
                } else if (s->group[other] != s->count) {
                    s->edge[s->count] = e;
                }
            }
        s->count++;
    }
}

static int next_edge(int e) { return e - e % 3 + (e + 1) % 3; }

// The border of each group, counter-clockwise. Of an edge within the group the border goes on behind its mate.
static void walk(struct work *w, struct sides *s)
{
    int n = 0;
    for (int g = 0; g < s->count; ++g) {
        int e = s->edge[g];
        s->first[g] = n;
        do {
            s->loop[n++] = w->tris[e / 3].corner[e % 3];
            for (e = next_edge(e);; e = next_edge(e)) {
                const int mate = w->tris[e / 3].mate[e % 3];
                if (s->group[mate / 3] != g) break;
                e = mate;
            }
        } while (e != s->edge[g]);
    }
    s->first[s->count] = n;
}

static int corners_of(const struct sides *s, int g)
{
    int n = 0;
    for (int i = s->first[g]; i < s->first[g + 1]; ++i) n += s->ways[s->loop[i]] >= 3;
    return n;
}

// Where only two sides meet there is an edge, not a corner; a side with two corners left is an edge itself. Without it
// other corners may turn out to be none. True if what remains is a polyhedron, by Euler's formula.
static bool drop_corners(const struct work *w, struct sides *s)
{
    for (int g = 0; g < s->count; ++g) s->gone[g] = 0;
    for (bool again = true; again;) {
        again = false;
        for (int p = 0; p < w->count; ++p) s->ways[p] = 0;
        for (int g = 0; g < s->count; ++g)
            for (int i = s->first[g]; !s->gone[g] && i < s->first[g + 1]; ++i) s->ways[s->loop[i]]++;
        for (int g = 0; g < s->count; ++g)
            if (!s->gone[g] && corners_of(s, g) < 3) s->gone[g] = 1, again = true;
    }
    int corners = 0, sides = 0, ends = 0;
    for (int p = 0; p < w->count; ++p) corners += s->ways[p] >= 3;
    for (int g = 0; g < s->count; ++g)
        if (!s->gone[g]) sides++, ends += corners_of(s, g);
    s->corner_count = corners;
    return corners >= 4 && 2 * corners - ends + 2 * sides == 4;
}

// The corners of a side that are left, in `out`.
static int kept(const struct sides *s, int g, int *out)
{
    int n = 0;
    for (int i = s->first[g]; !s->gone[g] && i < s->first[g + 1]; ++i)
        if (s->ways[s->loop[i]] >= 3) out[n++] = s->loop[i];
    return n;
}

// Whether a corner lies inwards of the line between its neighbours. So it is where some of the triangles beside the
// side are nearly in its plane, and others a little less so.
static bool hollow(const struct work *w, const struct sides *s, int g)
{
    const int *c = w->horizon, n = kept(s, g, w->horizon);
    for (int k = 0; k < n; ++k) {
        const vec3 a = place(w, c[k]), b = place(w, c[(k + 1) % n]), d = place(w, c[(k + 2) % n]);
        const vec3 out = v3_cross(v3_sub(d, a), s->normal[g]);
        if (v3_dot(out, v3_sub(b, a)) < -PLANE * STEPS * v3_length(out)) return true;
    }
    return false;
}

// Sides that are not convex become triangles again. False: there are none.
static bool part_hollow(const struct work *w, struct sides *s)
{
    enum { HOLLOW = 2, PARTED };
    bool any = false;
    for (int g = 0; g < s->count; ++g) s->normal[g] = v3(0, 0, 0);
    for (int t = 0; t < w->used; ++t)
        if (w->tris[t].live) s->normal[s->group[t]] = v3_add(s->normal[s->group[t]], w->tris[t].normal);
    for (int g = 0; g < s->count; ++g)
        if (hollow(w, s, g)) s->gone[g] = HOLLOW, any = true;
    for (int t = 0; t < w->used && any; ++t) {
        if (!w->tris[t].live || s->gone[s->group[t]] < HOLLOW) continue;
        if (s->gone[s->group[t]] == PARTED) s->group[t] = s->count++; // the first one keeps the number
        s->edge[s->group[t]] = 3 * t;
        s->gone[s->group[t]] = PARTED;
    }
    return any;
}

static bool find_sides(struct work *w, struct sides *s, const int *order, double within)
{
    find_groups(w, s, order, within);
    do {
        walk(w, s);
        if (!drop_corners(w, s)) return false;
    } while (part_hollow(w, s));
    return true;
}

// ---- the piece --------------------------------------------------------------------------------------

// A side with too many corners is cut into several, which all have its first corner.
static int cuts(int corners) { return 1 + (corners - 3) / (SIDE_CORNERS - 2); }

static void fill_side(struct piece *out, const int *loop, int count, vec3 normal)
{
    for (int from = 1; from < count - 1; from += SIDE_CORNERS - 2) {
        const int upto = imin(from + SIDE_CORNERS - 2, count - 1);
        struct side *s = &out->sides[out->side_count++];
        *s = (struct side){normal, -INFINITY, out->corner_count, upto - from + 2};
        out->corners[out->corner_count++] = loop[0];
        for (int i = from; i <= upto; ++i) out->corners[out->corner_count++] = loop[i];
        for (int i = s->first; i < out->corner_count; ++i)
            s->offset = fmax(s->offset, v3_dot(normal, out->points[out->corners[i]]));
    }
}

static bool fill(struct work *w, const struct sides *s, const vec3 *points, const struct memory *m,
                 struct piece *out)
{
    int sides = 0, ends = 0;
    for (int g = 0; g < s->count; ++g) {
        const int n = s->gone[g] ? 0 : corners_of(s, g);
        if (n) sides += cuts(n), ends += n + 2 * (cuts(n) - 1);
    }
    if (!piece_points(out, m, s->corner_count, sides, ends)) return false;

    out->at = w->middle;
    for (int p = 0, n = 0; p < w->count; ++p) {
        if (s->ways[p] < 3) continue;
        out->points[n] = v3_sub(points[p], out->at);
        out->radius = fmax(out->radius, v3_length(out->points[n]));
        w->start[p] = n++;
    }
    out->side_count = out->corner_count = 0;
    for (int g = 0; g < s->count; ++g) {
        const int n = kept(s, g, w->horizon);
        for (int k = 0; k < n; ++k) w->horizon[k] = w->start[w->horizon[k]];
        if (n) fill_side(out, w->horizon, n, v3_scale(s->normal[g], 1.0 / v3_length(s->normal[g])));
    }
    ASSERT(out->side_count == sides && out->corner_count == ends);
    return true;
}

static tarn_result check(const vec3 *points, int count, tarn_error *err)
{
    if (count < 4 || count > SOLID_MOST)
        return fail(err, TARN_BAD_INPUT, "points", "%d points; a convex hull needs 4 .. %d", count,
                    SOLID_MOST);
    for (int i = 0; i < count; ++i)
        if (!(fabs(points[i].x) <= SOLID_REACH && fabs(points[i].y) <= SOLID_REACH &&
              fabs(points[i].z) <= SOLID_REACH))
            return fail(err, TARN_BAD_INPUT, "points", "point %d: %g, %g, %g is not within 1e9 m", i,
                        points[i].x, points[i].y, points[i].z);
    return TARN_OK;
}

// Onto the grid. Gives the axis along which the box is longest.
static int snap(struct work *w, const vec3 *points)
{
    vec3 low = points[0], high = points[0];
    for (int i = 1; i < w->count; ++i) {
        const vec3 p = points[i];
        low = v3(fmin(low.x, p.x), fmin(low.y, p.y), fmin(low.z, p.z));
        high = v3(fmax(high.x, p.x), fmax(high.y, p.y), fmax(high.z, p.z));
    }
    const vec3 size = v3_sub(high, low);
    const int axis = size.x >= size.y && size.x >= size.z ? 0 : size.y >= size.z ? 1 : 2;
    const double extent = axis == 0 ? size.x : axis == 1 ? size.y : size.z;
    w->middle = v3_madd(low, 0.5, size);
    for (int i = 0; i < w->count && extent > 0.0; ++i) {
        const vec3 d = v3_sub(points[i], low);
        w->at[i][0] = (int)floor(d.x / extent * STEPS + 0.5);
        w->at[i][1] = (int)floor(d.y / extent * STEPS + 0.5);
        w->at[i][2] = (int)floor(d.z / extent * STEPS + 0.5);
    }
    return axis;
}

static tarn_result make(struct work *w, const struct memory *m, const vec3 *points, int corners,
                        struct piece *out, tarn_error *err)
{
    struct sides s;
    if (!take(w)) return fail(err, TARN_NO_MEMORY, "", "no memory for a convex hull");
    if (!grow(w, snap(w, points), corners))
        return fail(err, TARN_BAD_INPUT, "points", "all %d points are in one plane", w->count);
    int *order = shell_take(&w->room, (size_t)w->used, sizeof *order);
    if (!order || !by_size(w, order) || !take_sides(w, &s))
        return fail(err, TARN_NO_MEMORY, "", "no memory for a convex hull");
    if (!find_sides(w, &s, order, PLANE * STEPS))
        find_sides(w, &s, order, 0.0); // the triangles always are a hull
    if (!fill(w, &s, points, m, out)) return fail(err, TARN_NO_MEMORY, "", "no memory for a convex hull");
    return TARN_OK;
}

tarn_result piece_hull(struct piece *p, const struct memory *m, const vec3 *points, int count, int most,
                       tarn_error *err)
{
    *p = (struct piece){.axes = {{{1, 0, 0}, {0, 1, 0}, {0, 0, 1}}}};
    tarn_result r = check(points, count, err);
    if (r != TARN_OK) return r;
    const int corners = imax(4, imin(most, count));
    struct work w = {.room = {.memory = m}, .count = count, .most = 2 * corners + 8};
    r = make(&w, m, points, corners, p, err);
    shell_release(&w.room, 0);
    return r;
}
