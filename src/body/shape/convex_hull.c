// Three-dimensional convex hull by quickhull [barber1996] in exact integer arithmetic.
//
// Points are rounded to a grid of 2^30 steps along the longest side of their bounding box: relative 1e-9, far
// below contact tolerances. The side of a plane on which a point lies is then computed exactly, so that
// collinear, coplanar and coincident points need no special treatment. Triangles that are coplanar within
// rounding are merged at the end.
#include "base/error.h"
#include "body/mesh/repair.h"

#include <stdint.h>

#define GRID_STEPS         0x1p30
#define MIN_THICKNESS      1e-6 // of the longest side; a thinner point set counts as planar
#define COPLANAR_TOLERANCE 1e-7 // of the longest side; a hundred times the rounding to the grid

// The normal (b - a) x (c - a) has components of up to 2^61, split as high 2^31 + low with 0 <= low < 2^31:
// products of either half with coordinate differences of up to 2^30, and sums of three of them, fit into
// int64.
struct quickhull_triangle {
    int vertex[3];
    int twin[3]; // [k] half-edge 3t + j of the neighbour at the edge from vertex k to the next
    int64_t normal_high[3], normal_low[3];
    vec3 normal;              // as doubles
    double normal_length;     // twice the area
    int first_outside;        // head of its outside set, linked by next_outside; -1: empty
    int farthest;             // the point of the outside set farthest from the plane
    double farthest_distance; // [grid steps] its distance; 0: empty set
    char is_live, is_visible;
};

struct quickhull {
    struct repair_mesh arena; // allocator of the arrays below
    int point_count, max_triangles;
    vec3 box_centre;       // [m] of the bounding box
    int (*grid_point)[3];  // [point] grid coordinates
    int *next_outside;     // [point] next in the same outside set
    int *horizon_triangle; // [point on the horizon] new triangle whose horizon edge starts there
    struct quickhull_triangle *triangles;
    int triangle_count;          // including dead ones
    int *free_list, free_count;  // dead triangles, for reuse
    int *visible, visible_count; // triangles visible from the new point
    int *horizon, horizon_count;
};

static bool alloc_quickhull(struct quickhull *w)
{
    const size_t points = (size_t)w->point_count, tris = (size_t)w->max_triangles;
    w->grid_point = arena_alloc(&w->arena, points, sizeof *w->grid_point);
    w->next_outside = arena_alloc(&w->arena, points, sizeof *w->next_outside);
    w->horizon_triangle = arena_alloc(&w->arena, points, sizeof *w->horizon_triangle);
    w->triangles = arena_alloc(&w->arena, tris, sizeof *w->triangles);
    w->free_list = arena_alloc(&w->arena, tris, sizeof *w->free_list);
    w->visible = arena_alloc(&w->arena, tris, sizeof *w->visible);
    w->horizon = arena_alloc(&w->arena, tris, sizeof *w->horizon);
    return w->grid_point && w->next_outside && w->horizon_triangle && w->triangles && w->free_list &&
           w->visible && w->horizon;
}

// ---- planes -----------------------------------------------------------------------------------------

static vec3 grid_position(const struct quickhull *w, int p)
{
    return v3(w->grid_point[p][0], w->grid_point[p][1], w->grid_point[p][2]);
}

static void compute_plane(const struct quickhull *w, struct quickhull_triangle *t)
{
    const int *a = w->grid_point[t->vertex[0]], *b = w->grid_point[t->vertex[1]],
              *c = w->grid_point[t->vertex[2]];
    int64_t n[3];
    for (int k = 0; k < 3; ++k) {
        const int i = (k + 1) % 3, j = (k + 2) % 3;
        n[k] = (int64_t)(b[i] - a[i]) * (c[j] - a[j]) - (int64_t)(b[j] - a[j]) * (c[i] - a[i]);
        t->normal_low[k] = n[k] & INT64_C(0x7fffffff);
        t->normal_high[k] = (n[k] - t->normal_low[k]) / INT64_C(0x80000000);
    }
    t->normal = v3((double)n[0], (double)n[1], (double)n[2]);
    t->normal_length = v3_length(t->normal);
}

// Height of a point above the plane of a triangle, times normal_length. The sign is exact.
static double height_above(const struct quickhull *w, const struct quickhull_triangle *t, int p)
{
    const int *a = w->grid_point[t->vertex[0]], *b = w->grid_point[p];
    int64_t high = 0, low = 0;
    for (int k = 0; k < 3; ++k) {
        high += t->normal_high[k] * (b[k] - a[k]);
        low += t->normal_low[k] * (b[k] - a[k]);
    }
    const int64_t rest = low & INT64_C(0x7fffffff);
    high += (low - rest) / INT64_C(0x80000000);
    return (double)high * 0x1p31 + (double)rest;
}

// ---- quickhull --------------------------------------------------------------------------------------

static int add_triangle(struct quickhull *w, int a, int b, int c)
{
    const int t = w->free_count > 0 ? w->free_list[--w->free_count] : w->triangle_count++;
    ASSERT(t < w->max_triangles);
    w->triangles[t] = (struct quickhull_triangle){.vertex = {a, b, c}, .first_outside = -1, .is_live = 1};
    compute_plane(w, &w->triangles[t]);
    return t;
}

static void link_twins(struct quickhull *w, int e, int f)
{
    w->triangles[e / 3].twin[e % 3] = f;
    w->triangles[f / 3].twin[f % 3] = e;
}

// Adds a point to the outside set of the first triangle whose plane it is above. A point above none is inside
// the hull and is dropped.
static void assign_outside_set(struct quickhull *w, int p, const int *tris, int count)
{
    for (int i = 0; i < count; ++i) {
        struct quickhull_triangle *t = &w->triangles[tris[i]];
        const double height = height_above(w, t, p);
        if (!(height > 0.0)) continue;
        w->next_outside[p] = t->first_outside;
        t->first_outside = p;
        if (height / t->normal_length > t->farthest_distance)
            t->farthest_distance = height / t->normal_length, t->farthest = p;
        return;
    }
}

// Finds the triangles visible from point p by flood fill from t, and the horizon: the half-edges of invisible
// neighbours along their border.
static void find_horizon(struct quickhull *w, int t, int p)
{
    w->visible_count = w->horizon_count = 0;
    w->visible[w->visible_count++] = t;
    w->triangles[t].is_visible = 1;
    for (int i = 0; i < w->visible_count; ++i)
        for (int k = 0; k < 3; ++k) {
            const int other = w->triangles[w->visible[i]].twin[k] / 3;
            if (w->triangles[other].is_visible || !(height_above(w, &w->triangles[other], p) > 0.0)) continue;
            w->triangles[other].is_visible = 1;
            w->visible[w->visible_count++] = other;
        }
    for (int i = 0; i < w->visible_count; ++i)
        for (int k = 0; k < 3; ++k) {
            const int mate = w->triangles[w->visible[i]].twin[k];
            if (!w->triangles[mate / 3].is_visible) w->horizon[w->horizon_count++] = mate;
        }
}

// The farthest point of the outside set of t becomes a hull vertex: the triangles visible from it are
// replaced by a cone of new triangles from the horizon to the point.
static void add_vertex(struct quickhull *w, int t)
{
    const int p = w->triangles[t].farthest;
    int orphans = -1;
    find_horizon(w, t, p);
    for (int i = 0; i < w->visible_count; ++i) {
        struct quickhull_triangle *gone = &w->triangles[w->visible[i]];
        for (int q = gone->first_outside, next; q >= 0; q = next) {
            next = w->next_outside[q];
            if (q != p) w->next_outside[q] = orphans, orphans = q;
        }
        gone->is_live = 0;
        w->free_list[w->free_count++] = w->visible[i];
    }
    for (int i = 0; i < w->horizon_count; ++i) {
        const int mate = w->horizon[i], *corner = w->triangles[mate / 3].vertex;
        const int a = corner[(mate % 3 + 1) % 3], b = corner[mate % 3], made = add_triangle(w, a, b, p);
        link_twins(w, 3 * made, mate);
        w->horizon_triangle[a] = made;
        w->visible[i] = made;
    }
    for (int i = 0; i < w->horizon_count; ++i) {
        const int made = w->visible[i];
        link_twins(w, 3 * made + 1, 3 * w->horizon_triangle[w->triangles[made].vertex[1]] + 2);
    }
    for (int next; orphans >= 0; orphans = next) {
        next = w->next_outside[orphans];
        assign_outside_set(w, orphans, w->visible, w->horizon_count);
    }
}

static double distance_to_line(vec3 a, vec3 b, vec3 p)
{
    const vec3 along = v3_sub(b, a);
    return v3_length(v3_cross(along, v3_sub(p, a))) / v3_length(along);
}

// Initial tetrahedron: the extreme points along the longest axis, the point farthest from the line between
// them, and the point farthest from the plane of these three. False: the points are planar.
static bool find_initial_tetrahedron(struct quickhull *w, int axis, int four[4])
{
    double best = MIN_THICKNESS * GRID_STEPS;
    four[0] = four[1] = 0, four[2] = four[3] = -1;
    for (int p = 0; p < w->point_count; ++p) {
        if (w->grid_point[p][axis] < w->grid_point[four[0]][axis]) four[0] = p;
        if (w->grid_point[p][axis] > w->grid_point[four[1]][axis]) four[1] = p;
    }
    for (int p = 0; p < w->point_count; ++p) {
        const double d =
            distance_to_line(grid_position(w, four[0]), grid_position(w, four[1]), grid_position(w, p));
        if (d > best) best = d, four[2] = p;
    }
    if (four[2] < 0) return false;
    struct quickhull_triangle t = {.vertex = {four[0], four[1], four[2]}};
    compute_plane(w, &t);
    best = MIN_THICKNESS * GRID_STEPS;
    for (int p = 0; p < w->point_count; ++p) {
        const double d = fabs(height_above(w, &t, p)) / t.normal_length;
        if (d > best) best = d, four[3] = p;
    }
    if (four[3] < 0) return false;
    if (height_above(w, &t, four[3]) > 0.0) four[1] = t.vertex[2], four[2] = t.vertex[1];
    return true;
}

// Always adds the farthest of all outside points, so that stopping at max_vertices leaves a good
// approximation. The linear search makes this O(max_vertices^2), which is acceptable up to some thousand
// vertices.
static bool run_quickhull(struct quickhull *w, int axis, int corners)
{
    static const int around[4][3] = {{0, 1, 2}, {1, 0, 3}, {2, 1, 3}, {0, 2, 3}};
    int four[4], tris[4];
    if (!find_initial_tetrahedron(w, axis, four)) return false;
    for (int i = 0; i < 4; ++i)
        tris[i] = add_triangle(w, four[around[i][0]], four[around[i][1]], four[around[i][2]]);
    for (int e = 0; e < 12; ++e)
        for (int f = 0; f < 12; ++f)
            if (around[e / 3][e % 3] == around[f / 3][(f % 3 + 1) % 3] &&
                around[e / 3][(e % 3 + 1) % 3] == around[f / 3][f % 3])
                link_twins(w, 3 * tris[e / 3] + e % 3, 3 * tris[f / 3] + f % 3);
    for (int p = 0; p < w->point_count; ++p) assign_outside_set(w, p, tris, 4);
    for (int n = 4; n < corners; ++n) {
        int far = -1;
        for (int t = 0; t < w->triangle_count; ++t)
            if (w->triangles[t].is_live &&
                w->triangles[t].farthest_distance > (far < 0 ? 0.0 : w->triangles[far].farthest_distance))
                far = t;
        if (far < 0) break;
        add_vertex(w, far);
    }
    return true;
}

// ---- faces ------------------------------------------------------------------------------------------

// Status of a group: part of the hull, without area, concave, being split into triangles.
enum { FACE_KEPT, FACE_DROPPED, FACE_CONCAVE, FACE_SPLIT };

struct face_groups {
    int *group;           // [triangle]
    int count;            // number of groups
    int *boundary_edge;   // [group] a half-edge 3t + k of its boundary
    int *first;           // [group] start of its boundary in `boundary`; first[count] is the end
    int *boundary;        // vertices of the boundaries, one group after the other
    int *faces_at_vertex; // [point] number of boundaries through it; a hull vertex has at least three
    char *status;         // [group] see enum
    vec3 *normal;         // [group] sum of its triangles' normals
    int vertex_count;
};

static bool alloc_face_groups(struct quickhull *w, struct face_groups *s)
{
    const size_t tris = (size_t)w->triangle_count;
    s->group = arena_alloc(&w->arena, tris, sizeof *s->group);
    s->boundary_edge = arena_alloc(&w->arena, tris, sizeof *s->boundary_edge);
    s->first = arena_alloc(&w->arena, tris + 1, sizeof *s->first);
    s->boundary = arena_alloc(&w->arena, 3 * tris, sizeof *s->boundary);
    s->faces_at_vertex = arena_alloc(&w->arena, (size_t)w->point_count, sizeof *s->faces_at_vertex);
    s->status = arena_alloc(&w->arena, tris, sizeof *s->status);
    s->normal = arena_alloc(&w->arena, tris, sizeof *s->normal);
    return s->group && s->boundary_edge && s->first && s->boundary && s->faces_at_vertex && s->status &&
           s->normal;
}

static bool is_coplanar(const struct quickhull *w, const struct quickhull_triangle *seed,
                        const struct quickhull_triangle *t, double within)
{
    for (int k = 0; k < 3; ++k)
        if (fabs(height_above(w, seed, t->vertex[k])) > within * seed->normal_length) return false;
    return v3_dot(seed->normal, t->normal) > 0.0;
}

// Sorts the triangles by area, largest first, to a factor of two: the planes of large triangles are most
// accurate.
static bool order_by_area(struct quickhull *w, int *order)
{
    const size_t n = (size_t)w->triangle_count;
    enum { SIZE_CLASSES = 128 };
    int *size = arena_alloc(&w->arena, n, sizeof *size), *spare = arena_alloc(&w->arena, n, sizeof *spare);
    int count[SIZE_CLASSES + 1], power;
    if (!size || !spare) return false;
    for (int t = 0; t < w->triangle_count; ++t) {
        frexp(w->triangles[t].normal_length, &power); // 1 .. 2^62
        size[t] = SIZE_CLASSES / 2 - power;
        order[t] = t;
    }
    counting_sort(size, w->triangle_count, SIZE_CLASSES, order, spare, count);
    return true;
}

// Flood fill: neighbouring triangles within `tolerance` [grid steps] of the plane of a seed triangle form one
// group.
static void merge_coplanar(struct quickhull *w, struct face_groups *s, const int *order, double within)
{
    s->count = 0;
    for (int t = 0; t < w->triangle_count; ++t) s->group[t] = -1;
    for (int i = 0; i < w->triangle_count; ++i) {
        const int seed = order[i];
        if (!w->triangles[seed].is_live || s->group[seed] >= 0) continue;
        w->visible_count = 0;
        w->visible[w->visible_count++] = seed;
        s->group[seed] = s->count;
        for (int j = 0; j < w->visible_count; ++j)
            for (int k = 0; k < 3; ++k) {
                const int e = 3 * w->visible[j] + k, other = w->triangles[w->visible[j]].twin[k] / 3;
                if (s->group[other] < 0 && within > 0.0 &&
                    is_coplanar(w, &w->triangles[seed], &w->triangles[other], within)) {
                    s->group[other] = s->count;
                    w->visible[w->visible_count++] = other;
                } else if (s->group[other] != s->count) {
                    s->boundary_edge[s->count] = e;
                }
            }
        s->count++;
    }
}

static int next_edge(int e) { return e - e % 3 + (e + 1) % 3; }

// Traces the boundary of each group counter-clockwise. At an edge inside the group the trace continues after
// its twin.
static void trace_boundaries(struct quickhull *w, struct face_groups *s)
{
    int n = 0;
    for (int g = 0; g < s->count; ++g) {
        int e = s->boundary_edge[g];
        s->first[g] = n;
        do {
            s->boundary[n++] = w->triangles[e / 3].vertex[e % 3];
            for (e = next_edge(e);; e = next_edge(e)) {
                const int mate = w->triangles[e / 3].twin[e % 3];
                if (s->group[mate / 3] != g) break;
                e = mate;
            }
        } while (e != s->boundary_edge[g]);
    }
    s->first[s->count] = n;
}

static int count_vertices(const struct face_groups *s, int g)
{
    int n = 0;
    for (int i = s->first[g]; i < s->first[g + 1]; ++i) n += s->faces_at_vertex[s->boundary[i]] >= 3;
    return n;
}

// A boundary vertex with only two faces lies inside an edge and is dropped; a face with fewer than three
// vertices left is dropped too, which can leave further vertices with two faces, so this repeats. True if the
// rest satisfies Euler's formula V - E + F = 2 of a convex polyhedron.
static bool drop_collinear_vertices(const struct quickhull *w, struct face_groups *s)
{
    for (int g = 0; g < s->count; ++g) s->status[g] = FACE_KEPT;
    for (bool again = true; again;) {
        again = false;
        for (int p = 0; p < w->point_count; ++p) s->faces_at_vertex[p] = 0;
        for (int g = 0; g < s->count; ++g)
            for (int i = s->first[g]; !s->status[g] && i < s->first[g + 1]; ++i)
                s->faces_at_vertex[s->boundary[i]]++;
        for (int g = 0; g < s->count; ++g)
            if (!s->status[g] && count_vertices(s, g) < 3) s->status[g] = FACE_DROPPED, again = true;
    }
    int corners = 0, sides = 0, ends = 0;
    for (int p = 0; p < w->point_count; ++p) corners += s->faces_at_vertex[p] >= 3;
    for (int g = 0; g < s->count; ++g)
        if (!s->status[g]) sides++, ends += count_vertices(s, g);
    s->vertex_count = corners;
    return corners >= 4 && 2 * corners - ends + 2 * sides == 4;
}

// Lists the remaining vertices of a face in `out`; returns their number.
static int list_vertices(const struct face_groups *s, int g, int *out)
{
    int n = 0;
    for (int i = s->first[g]; !s->status[g] && i < s->first[g + 1]; ++i)
        if (s->faces_at_vertex[s->boundary[i]] >= 3) out[n++] = s->boundary[i];
    return n;
}

// A merged face is concave if a vertex lies inside the line between its neighbours. This happens where some
// triangles beside the face are within the coplanarity tolerance and others just outside.
static bool is_concave(const struct quickhull *w, const struct face_groups *s, int g)
{
    const int *c = w->horizon, n = list_vertices(s, g, w->horizon);
    for (int k = 0; k < n; ++k) {
        const vec3 a = grid_position(w, c[k]), b = grid_position(w, c[(k + 1) % n]),
                   d = grid_position(w, c[(k + 2) % n]);
        const vec3 out = v3_cross(v3_sub(d, a), s->normal[g]);
        if (v3_dot(out, v3_sub(b, a)) < -COPLANAR_TOLERANCE * GRID_STEPS * v3_length(out)) return true;
    }
    return false;
}

// Splits concave faces into their triangles. False: there are none.
static bool split_concave_faces(const struct quickhull *w, struct face_groups *s)
{
    bool any = false;
    for (int g = 0; g < s->count; ++g) s->normal[g] = v3(0, 0, 0);
    for (int t = 0; t < w->triangle_count; ++t)
        if (w->triangles[t].is_live)
            s->normal[s->group[t]] = v3_add(s->normal[s->group[t]], w->triangles[t].normal);
    for (int g = 0; g < s->count; ++g)
        if (is_concave(w, s, g)) s->status[g] = FACE_CONCAVE, any = true;
    for (int t = 0; t < w->triangle_count && any; ++t) {
        if (!w->triangles[t].is_live || s->status[s->group[t]] < FACE_CONCAVE) continue;
        if (s->status[s->group[t]] == FACE_SPLIT)
            s->group[t] = s->count++; // the first triangle keeps the group number
        s->boundary_edge[s->group[t]] = 3 * t;
        s->status[s->group[t]] = FACE_SPLIT;
    }
    return any;
}

static bool find_faces(struct quickhull *w, struct face_groups *s, const int *order, double within)
{
    merge_coplanar(w, s, order, within);
    do {
        trace_boundaries(w, s);
        if (!drop_collinear_vertices(w, s)) return false;
    } while (split_concave_faces(w, s));
    return true;
}

// ---- convex part ------------------------------------------------------------------------------------

// Number of faces that a polygon is split into; they all share its first vertex.
static int split_count(int corners) { return 1 + (corners - 3) / (MAX_FACE_VERTICES - 2); }

static void emit_face(struct convex_part *out, const int *loop, int count, vec3 normal)
{
    for (int from = 1; from < count - 1; from += MAX_FACE_VERTICES - 2) {
        const int upto = imin(from + MAX_FACE_VERTICES - 2, count - 1);
        struct convex_face *s = &out->faces[out->face_count++];
        *s = (struct convex_face){normal, -INFINITY, out->face_vertex_count, upto - from + 2};
        out->face_vertices[out->face_vertex_count++] = loop[0];
        for (int i = from; i <= upto; ++i) out->face_vertices[out->face_vertex_count++] = loop[i];
        for (int i = s->first; i < out->face_vertex_count; ++i)
            s->offset = fmax(s->offset, v3_dot(normal, out->vertices[out->face_vertices[i]]));
    }
}

static bool emit_convex_part(struct quickhull *w, const struct face_groups *s, const vec3 *points,
                             const struct memory *m, struct convex_part *out)
{
    int sides = 0, ends = 0;
    for (int g = 0; g < s->count; ++g) {
        const int n = s->status[g] ? 0 : count_vertices(s, g);
        if (n) sides += split_count(n), ends += n + 2 * (split_count(n) - 1);
    }
    if (!convex_part_alloc_polyhedron(out, m, s->vertex_count, sides, ends)) return false;

    out->position = w->box_centre;
    for (int p = 0, n = 0; p < w->point_count; ++p) {
        if (s->faces_at_vertex[p] < 3) continue;
        out->vertices[n] = v3_sub(points[p], out->position);
        out->bounding_radius = fmax(out->bounding_radius, v3_length(out->vertices[n]));
        w->horizon_triangle[p] = n++;
    }
    out->face_count = out->face_vertex_count = 0;
    for (int g = 0; g < s->count; ++g) {
        const int n = list_vertices(s, g, w->horizon);
        for (int k = 0; k < n; ++k) w->horizon[k] = w->horizon_triangle[w->horizon[k]];
        if (n) emit_face(out, w->horizon, n, v3_scale(s->normal[g], 1.0 / v3_length(s->normal[g])));
    }
    ASSERT(out->face_count == sides && out->vertex_count == ends);
    return true;
}

static tarn_result check_points(const vec3 *points, int count, tarn_error *err)
{
    if (count < 4 || count > MAX_MESH_ELEMENTS)
        return fail(err, TARN_BAD_INPUT, "points", "%d points; a convex hull needs 4 .. %d", count,
                    MAX_MESH_ELEMENTS);
    for (int i = 0; i < count; ++i)
        if (!(fabs(points[i].x) <= MAX_MESH_COORDINATE && fabs(points[i].y) <= MAX_MESH_COORDINATE &&
              fabs(points[i].z) <= MAX_MESH_COORDINATE))
            return fail(err, TARN_BAD_INPUT, "points", "point %d: %g, %g, %g is not within 1e9 m", i,
                        points[i].x, points[i].y, points[i].z);
    return TARN_OK;
}

// Rounds the points to the grid. Returns the axis of the longest side of the bounding box.
static int snap_to_grid(struct quickhull *w, const vec3 *points)
{
    vec3 low = points[0], high = points[0];
    for (int i = 1; i < w->point_count; ++i) {
        const vec3 p = points[i];
        low = v3(fmin(low.x, p.x), fmin(low.y, p.y), fmin(low.z, p.z));
        high = v3(fmax(high.x, p.x), fmax(high.y, p.y), fmax(high.z, p.z));
    }
    const vec3 size = v3_sub(high, low);
    const int axis = size.x >= size.y && size.x >= size.z ? 0 : size.y >= size.z ? 1 : 2;
    const double extent = axis == 0 ? size.x : axis == 1 ? size.y : size.z;
    w->box_centre = v3_madd(low, 0.5, size);
    for (int i = 0; i < w->point_count && extent > 0.0; ++i) {
        const vec3 d = v3_sub(points[i], low);
        w->grid_point[i][0] = (int)floor(d.x / extent * GRID_STEPS + 0.5);
        w->grid_point[i][1] = (int)floor(d.y / extent * GRID_STEPS + 0.5);
        w->grid_point[i][2] = (int)floor(d.z / extent * GRID_STEPS + 0.5);
    }
    return axis;
}

static tarn_result build_convex_hull(struct quickhull *w, const struct memory *m, const vec3 *points,
                                     int corners, struct convex_part *out, tarn_error *err)
{
    struct face_groups s;
    if (!alloc_quickhull(w)) return fail(err, TARN_NO_MEMORY, "", "no memory for a convex hull");
    if (!run_quickhull(w, snap_to_grid(w, points), corners))
        return fail(err, TARN_BAD_INPUT, "points", "all %d points are in one plane", w->point_count);
    int *order = arena_alloc(&w->arena, (size_t)w->triangle_count, sizeof *order);
    if (!order || !order_by_area(w, order) || !alloc_face_groups(w, &s))
        return fail(err, TARN_NO_MEMORY, "", "no memory for a convex hull");
    if (!find_faces(w, &s, order, COPLANAR_TOLERANCE * GRID_STEPS))
        find_faces(w, &s, order, 0.0); // without merging; the triangles always form a hull
    if (!emit_convex_part(w, &s, points, m, out))
        return fail(err, TARN_NO_MEMORY, "", "no memory for a convex hull");
    return TARN_OK;
}

tarn_result convex_hull_build(struct convex_part *p, const struct memory *m, const vec3 *points, int count,
                              int most, tarn_error *err)
{
    *p = (struct convex_part){.axes = {{{1, 0, 0}, {0, 1, 0}, {0, 0, 1}}}};
    tarn_result r = check_points(points, count, err);
    if (r != TARN_OK) return r;
    const int corners = imax(4, imin(most, count));
    struct quickhull w = {.arena = {.memory = m}, .point_count = count, .max_triangles = 2 * corners + 8};
    r = build_convex_hull(&w, m, points, corners, p, err);
    arena_release(&w.arena, 0);
    return r;
}
