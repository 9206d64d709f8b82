// Three-dimensional convex hull by quickhull [barber1996] in exact integer arithmetic.
//
// Points are rounded to a grid of 2^30 steps along the longest side of their bounding box: relative 1e-9, far
// below contact tolerances. The side of a plane on which a point lies is then computed exactly, so that
// collinear, coplanar and coincident points need no special treatment. Triangles that are coplanar within
// rounding are merged at the end.
#include "base/error.h"
#include "base/sort.h"
#include "body/mesh/repair.h"
#include "body/shape/shape.h"

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
    struct arena arena; // allocator of the arrays below
    int point_count, max_triangles;
    vec3 box_centre;      // [m] of the bounding box
    int (*grid_point)[3]; // [point] grid coordinates
    int *next_outside;    // [point] next in the same outside set
    union {
        int *horizon_triangle; // [point on the horizon] new triangle whose horizon edge starts there
        int *vertex_of_point;  // [hull vertex] its index in the convex part
    };
    struct quickhull_triangle *triangles;
    int triangle_count;         // including dead ones
    int *free_list, free_count; // dead triangles, for reuse
    // Scratch of adding a point and, afterwards, of merging triangles into faces.
    union {
        int *visible;     // triangles visible from the new point, then those of its cone
        int *group_queue; // triangles of the group being flood-filled
    };
    union {
        int visible_count, queue_count;
    };
    union {
        int *horizon;   // half-edges around the visible triangles
        int *face_loop; // vertices of a face, in order
    };
    int horizon_count;
};

static bool alloc_quickhull(struct quickhull *qh)
{
    const size_t points = (size_t)qh->point_count, triangles = (size_t)qh->max_triangles;
    qh->grid_point = arena_alloc(&qh->arena, points, sizeof *qh->grid_point);
    qh->next_outside = arena_alloc(&qh->arena, points, sizeof *qh->next_outside);
    qh->horizon_triangle = arena_alloc(&qh->arena, points, sizeof *qh->horizon_triangle);
    qh->triangles = arena_alloc(&qh->arena, triangles, sizeof *qh->triangles);
    qh->free_list = arena_alloc(&qh->arena, triangles, sizeof *qh->free_list);
    qh->visible = arena_alloc(&qh->arena, triangles, sizeof *qh->visible);
    qh->horizon = arena_alloc(&qh->arena, triangles, sizeof *qh->horizon);
    return qh->grid_point && qh->next_outside && qh->horizon_triangle && qh->triangles && qh->free_list &&
           qh->visible && qh->horizon;
}

// ---- planes -----------------------------------------------------------------------------------------

static vec3 grid_position(const struct quickhull *qh, int p)
{
    return v3(qh->grid_point[p][0], qh->grid_point[p][1], qh->grid_point[p][2]);
}

static void compute_plane(const struct quickhull *qh, struct quickhull_triangle *t)
{
    const int *a = qh->grid_point[t->vertex[0]], *b = qh->grid_point[t->vertex[1]],
              *c = qh->grid_point[t->vertex[2]];
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
static double height_above(const struct quickhull *qh, const struct quickhull_triangle *t, int p)
{
    const int *a = qh->grid_point[t->vertex[0]], *b = qh->grid_point[p];
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

static int add_triangle(struct quickhull *qh, int a, int b, int c)
{
    const int t = qh->free_count > 0 ? qh->free_list[--qh->free_count] : qh->triangle_count++;
    ASSERT(t < qh->max_triangles);
    qh->triangles[t] = (struct quickhull_triangle){.vertex = {a, b, c}, .first_outside = -1, .is_live = 1};
    compute_plane(qh, &qh->triangles[t]);
    return t;
}

static void link_twins(struct quickhull *qh, int e, int f)
{
    qh->triangles[e / 3].twin[e % 3] = f;
    qh->triangles[f / 3].twin[f % 3] = e;
}

// Adds a point to the outside set of the first triangle whose plane it is above. A point above none is inside
// the hull and is dropped.
static void assign_outside_set(struct quickhull *qh, int p, const int *candidates, int count)
{
    for (int i = 0; i < count; ++i) {
        struct quickhull_triangle *t = &qh->triangles[candidates[i]];
        const double height = height_above(qh, t, p);
        if (!(height > 0.0)) continue;
        qh->next_outside[p] = t->first_outside;
        t->first_outside = p;
        if (height / t->normal_length > t->farthest_distance)
            t->farthest_distance = height / t->normal_length, t->farthest = p;
        return;
    }
}

// Finds the triangles visible from point p by flood fill from t, and the horizon: the half-edges of invisible
// neighbours along their border.
static void find_horizon(struct quickhull *qh, int t, int p)
{
    qh->visible_count = qh->horizon_count = 0;
    qh->visible[qh->visible_count++] = t;
    qh->triangles[t].is_visible = 1;
    for (int i = 0; i < qh->visible_count; ++i)
        for (int k = 0; k < 3; ++k) {
            const int other = qh->triangles[qh->visible[i]].twin[k] / 3;
            if (qh->triangles[other].is_visible || !(height_above(qh, &qh->triangles[other], p) > 0.0))
                continue;
            qh->triangles[other].is_visible = 1;
            qh->visible[qh->visible_count++] = other;
        }
    for (int i = 0; i < qh->visible_count; ++i)
        for (int k = 0; k < 3; ++k) {
            const int twin = qh->triangles[qh->visible[i]].twin[k];
            if (!qh->triangles[twin / 3].is_visible) qh->horizon[qh->horizon_count++] = twin;
        }
}

// The farthest point of the outside set of t becomes a hull vertex: the triangles visible from it are
// replaced by a cone of new triangles from the horizon to the point.
static void add_vertex(struct quickhull *qh, int t)
{
    const int p = qh->triangles[t].farthest;
    int orphans = -1;
    find_horizon(qh, t, p);
    for (int i = 0; i < qh->visible_count; ++i) {
        struct quickhull_triangle *visible = &qh->triangles[qh->visible[i]];
        for (int q = visible->first_outside, next; q >= 0; q = next) {
            next = qh->next_outside[q];
            if (q != p) qh->next_outside[q] = orphans, orphans = q;
        }
        visible->is_live = 0;
        qh->free_list[qh->free_count++] = qh->visible[i];
    }
    for (int i = 0; i < qh->horizon_count; ++i) {
        const int twin = qh->horizon[i], *vertices = qh->triangles[twin / 3].vertex;
        const int a = vertices[(twin % 3 + 1) % 3], b = vertices[twin % 3], added = add_triangle(qh, a, b, p);
        link_twins(qh, 3 * added, twin);
        qh->horizon_triangle[a] = added;
        qh->visible[i] = added;
    }
    for (int i = 0; i < qh->horizon_count; ++i) {
        const int added = qh->visible[i];
        link_twins(qh, 3 * added + 1, 3 * qh->horizon_triangle[qh->triangles[added].vertex[1]] + 2);
    }
    for (int next; orphans >= 0; orphans = next) {
        next = qh->next_outside[orphans];
        assign_outside_set(qh, orphans, qh->visible, qh->horizon_count);
    }
}

static double distance_to_line(vec3 a, vec3 b, vec3 p)
{
    const vec3 direction = v3_sub(b, a);
    return v3_length(v3_cross(direction, v3_sub(p, a))) / v3_length(direction);
}

// Initial tetrahedron: the extreme points along the longest axis, the point farthest from the line between
// them, and the point farthest from the plane of these three. False: the points are planar.
static bool find_initial_tetrahedron(struct quickhull *qh, int axis, int vertices[4])
{
    double max_distance = MIN_THICKNESS * GRID_STEPS;
    vertices[0] = vertices[1] = 0, vertices[2] = vertices[3] = -1;
    for (int p = 0; p < qh->point_count; ++p) {
        if (qh->grid_point[p][axis] < qh->grid_point[vertices[0]][axis]) vertices[0] = p;
        if (qh->grid_point[p][axis] > qh->grid_point[vertices[1]][axis]) vertices[1] = p;
    }
    for (int p = 0; p < qh->point_count; ++p) {
        const double d = distance_to_line(grid_position(qh, vertices[0]), grid_position(qh, vertices[1]),
                                          grid_position(qh, p));
        if (d > max_distance) max_distance = d, vertices[2] = p;
    }
    if (vertices[2] < 0) return false;
    struct quickhull_triangle t = {.vertex = {vertices[0], vertices[1], vertices[2]}};
    compute_plane(qh, &t);
    max_distance = MIN_THICKNESS * GRID_STEPS;
    for (int p = 0; p < qh->point_count; ++p) {
        const double d = fabs(height_above(qh, &t, p)) / t.normal_length;
        if (d > max_distance) max_distance = d, vertices[3] = p;
    }
    if (vertices[3] < 0) return false;
    if (height_above(qh, &t, vertices[3]) > 0.0) vertices[1] = t.vertex[2], vertices[2] = t.vertex[1];
    return true;
}

// Always adds the farthest of all outside points, so that stopping at max_vertices leaves a good
// approximation. The linear search makes this O(max_vertices^2), which is acceptable up to some thousand
// vertices.
static bool run_quickhull(struct quickhull *qh, int axis, int max_vertices)
{
    static const int faces[4][3] = {{0, 1, 2}, {1, 0, 3}, {2, 1, 3}, {0, 2, 3}};
    int vertices[4], triangles[4];
    if (!find_initial_tetrahedron(qh, axis, vertices)) return false;
    for (int i = 0; i < 4; ++i)
        triangles[i] = add_triangle(qh, vertices[faces[i][0]], vertices[faces[i][1]], vertices[faces[i][2]]);
    for (int e = 0; e < 12; ++e)
        for (int f = 0; f < 12; ++f)
            if (faces[e / 3][e % 3] == faces[f / 3][(f % 3 + 1) % 3] &&
                faces[e / 3][(e % 3 + 1) % 3] == faces[f / 3][f % 3])
                link_twins(qh, 3 * triangles[e / 3] + e % 3, 3 * triangles[f / 3] + f % 3);
    for (int p = 0; p < qh->point_count; ++p) assign_outside_set(qh, p, triangles, 4);
    for (int n = 4; n < max_vertices; ++n) {
        int farthest = -1;
        for (int t = 0; t < qh->triangle_count; ++t)
            if (qh->triangles[t].is_live &&
                qh->triangles[t].farthest_distance >
                    (farthest < 0 ? 0.0 : qh->triangles[farthest].farthest_distance))
                farthest = t;
        if (farthest < 0) break;
        add_vertex(qh, farthest);
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

static bool alloc_face_groups(struct quickhull *qh, struct face_groups *groups)
{
    const size_t triangles = (size_t)qh->triangle_count;
    groups->group = arena_alloc(&qh->arena, triangles, sizeof *groups->group);
    groups->boundary_edge = arena_alloc(&qh->arena, triangles, sizeof *groups->boundary_edge);
    groups->first = arena_alloc(&qh->arena, triangles + 1, sizeof *groups->first);
    groups->boundary = arena_alloc(&qh->arena, 3 * triangles, sizeof *groups->boundary);
    groups->faces_at_vertex =
        arena_alloc(&qh->arena, (size_t)qh->point_count, sizeof *groups->faces_at_vertex);
    groups->status = arena_alloc(&qh->arena, triangles, sizeof *groups->status);
    groups->normal = arena_alloc(&qh->arena, triangles, sizeof *groups->normal);
    return groups->group && groups->boundary_edge && groups->first && groups->boundary &&
           groups->faces_at_vertex && groups->status && groups->normal;
}

static bool is_coplanar(const struct quickhull *qh, const struct quickhull_triangle *seed,
                        const struct quickhull_triangle *t, double tolerance)
{
    for (int k = 0; k < 3; ++k)
        if (fabs(height_above(qh, seed, t->vertex[k])) > tolerance * seed->normal_length) return false;
    return v3_dot(seed->normal, t->normal) > 0.0;
}

// Sorts the triangles by area, largest first, to a factor of two: the planes of large triangles are most
// accurate.
static bool order_by_area(struct quickhull *qh, int *order)
{
    const size_t n = (size_t)qh->triangle_count;
    enum { SIZE_CLASSES = 128 };
    int *size_class = arena_alloc(&qh->arena, n, sizeof *size_class),
        *scratch = arena_alloc(&qh->arena, n, sizeof *scratch);
    int count[SIZE_CLASSES + 1], exponent;
    if (!size_class || !scratch) return false;
    for (int t = 0; t < qh->triangle_count; ++t) {
        frexp(qh->triangles[t].normal_length, &exponent); // 1 .. 2^62
        size_class[t] = SIZE_CLASSES / 2 - exponent;
        order[t] = t;
    }
    counting_sort(size_class, qh->triangle_count, SIZE_CLASSES, order, scratch, count);
    return true;
}

// Flood fill: neighbouring triangles within `tolerance` [grid steps] of the plane of a seed triangle form one
// group.
static void merge_coplanar(struct quickhull *qh, struct face_groups *groups, const int *order,
                           double tolerance)
{
    groups->count = 0;
    for (int t = 0; t < qh->triangle_count; ++t) groups->group[t] = -1;
    for (int i = 0; i < qh->triangle_count; ++i) {
        const int seed = order[i];
        if (!qh->triangles[seed].is_live || groups->group[seed] >= 0) continue;
        qh->queue_count = 0;
        qh->group_queue[qh->queue_count++] = seed;
        groups->group[seed] = groups->count;
        for (int j = 0; j < qh->queue_count; ++j)
            for (int k = 0; k < 3; ++k) {
                const int e = 3 * qh->group_queue[j] + k,
                          neighbour = qh->triangles[qh->group_queue[j]].twin[k] / 3;
                if (groups->group[neighbour] < 0 && tolerance > 0.0 &&
                    is_coplanar(qh, &qh->triangles[seed], &qh->triangles[neighbour], tolerance)) {
                    groups->group[neighbour] = groups->count;
                    qh->group_queue[qh->queue_count++] = neighbour;
                } else if (groups->group[neighbour] != groups->count) {
                    groups->boundary_edge[groups->count] = e;
                }
            }
        groups->count++;
    }
}

static int next_edge(int e) { return e - e % 3 + (e + 1) % 3; }

// Traces the boundary of each group counter-clockwise. At an edge inside the group the trace continues after
// its twin.
static void trace_boundaries(struct quickhull *qh, struct face_groups *groups)
{
    int n = 0;
    for (int g = 0; g < groups->count; ++g) {
        int e = groups->boundary_edge[g];
        groups->first[g] = n;
        do {
            groups->boundary[n++] = qh->triangles[e / 3].vertex[e % 3];
            for (e = next_edge(e);; e = next_edge(e)) {
                const int twin = qh->triangles[e / 3].twin[e % 3];
                if (groups->group[twin / 3] != g) break;
                e = twin;
            }
        } while (e != groups->boundary_edge[g]);
    }
    groups->first[groups->count] = n;
}

static int count_vertices(const struct face_groups *groups, int g)
{
    int n = 0;
    for (int i = groups->first[g]; i < groups->first[g + 1]; ++i)
        n += groups->faces_at_vertex[groups->boundary[i]] >= 3;
    return n;
}

// A boundary vertex with only two faces lies inside an edge and is dropped; a face with fewer than three
// vertices left is dropped too, which can leave further vertices with two faces, so this repeats. True if the
// rest satisfies Euler's formula V - E + F = 2 of a convex polyhedron.
static bool drop_collinear_vertices(const struct quickhull *qh, struct face_groups *groups)
{
    for (int g = 0; g < groups->count; ++g) groups->status[g] = FACE_KEPT;
    for (bool changed = true; changed;) {
        changed = false;
        for (int p = 0; p < qh->point_count; ++p) groups->faces_at_vertex[p] = 0;
        for (int g = 0; g < groups->count; ++g)
            for (int i = groups->first[g]; !groups->status[g] && i < groups->first[g + 1]; ++i)
                groups->faces_at_vertex[groups->boundary[i]]++;
        for (int g = 0; g < groups->count; ++g)
            if (!groups->status[g] && count_vertices(groups, g) < 3)
                groups->status[g] = FACE_DROPPED, changed = true;
    }
    int vertices = 0, faces = 0, face_vertices = 0;
    for (int p = 0; p < qh->point_count; ++p) vertices += groups->faces_at_vertex[p] >= 3;
    for (int g = 0; g < groups->count; ++g)
        if (!groups->status[g]) faces++, face_vertices += count_vertices(groups, g);
    groups->vertex_count = vertices;
    return vertices >= 4 && 2 * vertices - face_vertices + 2 * faces == 4;
}

// Lists the remaining vertices of a face in `out`; returns their number.
static int list_vertices(const struct face_groups *groups, int g, int *out)
{
    int n = 0;
    for (int i = groups->first[g]; !groups->status[g] && i < groups->first[g + 1]; ++i)
        if (groups->faces_at_vertex[groups->boundary[i]] >= 3) out[n++] = groups->boundary[i];
    return n;
}

// A merged face is concave if a vertex lies inside the line between its neighbours. This happens where some
// triangles beside the face are within the coplanarity tolerance and others just outside.
static bool is_concave(const struct quickhull *qh, const struct face_groups *groups, int g)
{
    const int *c = qh->face_loop, n = list_vertices(groups, g, qh->face_loop);
    for (int k = 0; k < n; ++k) {
        const vec3 a = grid_position(qh, c[k]), b = grid_position(qh, c[(k + 1) % n]),
                   d = grid_position(qh, c[(k + 2) % n]);
        const vec3 outward = v3_cross(v3_sub(d, a), groups->normal[g]);
        if (v3_dot(outward, v3_sub(b, a)) < -COPLANAR_TOLERANCE * GRID_STEPS * v3_length(outward))
            return true;
    }
    return false;
}

// Splits concave faces into their triangles. False: there are none.
static bool split_concave_faces(const struct quickhull *qh, struct face_groups *groups)
{
    bool any = false;
    for (int g = 0; g < groups->count; ++g) groups->normal[g] = v3(0, 0, 0);
    for (int t = 0; t < qh->triangle_count; ++t)
        if (qh->triangles[t].is_live)
            groups->normal[groups->group[t]] =
                v3_add(groups->normal[groups->group[t]], qh->triangles[t].normal);
    for (int g = 0; g < groups->count; ++g)
        if (is_concave(qh, groups, g)) groups->status[g] = FACE_CONCAVE, any = true;
    for (int t = 0; t < qh->triangle_count && any; ++t) {
        if (!qh->triangles[t].is_live || groups->status[groups->group[t]] < FACE_CONCAVE) continue;
        if (groups->status[groups->group[t]] == FACE_SPLIT)
            groups->group[t] = groups->count++; // the first triangle keeps the group number
        groups->boundary_edge[groups->group[t]] = 3 * t;
        groups->status[groups->group[t]] = FACE_SPLIT;
    }
    return any;
}

static bool find_faces(struct quickhull *qh, struct face_groups *groups, const int *order, double tolerance)
{
    merge_coplanar(qh, groups, order, tolerance);
    do {
        trace_boundaries(qh, groups);
        if (!drop_collinear_vertices(qh, groups)) return false;
    } while (split_concave_faces(qh, groups));
    return true;
}

// ---- convex part ------------------------------------------------------------------------------------

// Number of faces that a polygon is split into; they all share its first vertex.
static int split_count(int vertices) { return 1 + (vertices - 3) / (MAX_FACE_VERTICES - 2); }

static void emit_face(struct convex_part *out, const int *loop, int count, vec3 normal)
{
    for (int first = 1; first < count - 1; first += MAX_FACE_VERTICES - 2) {
        const int last = imin(first + MAX_FACE_VERTICES - 2, count - 1);
        struct convex_face *face = &out->faces[out->face_count++];
        *face = (struct convex_face){normal, -INFINITY, out->face_vertex_count, last - first + 2};
        out->face_vertices[out->face_vertex_count++] = loop[0];
        for (int i = first; i <= last; ++i) out->face_vertices[out->face_vertex_count++] = loop[i];
        for (int i = face->first; i < out->face_vertex_count; ++i)
            face->offset = fmax(face->offset, v3_dot(normal, out->vertices[out->face_vertices[i]]));
    }
}

static bool emit_convex_part(struct quickhull *qh, const struct face_groups *groups, const vec3 *points,
                             const struct memory *m, struct convex_part *out)
{
    int faces = 0, face_vertices = 0;
    for (int g = 0; g < groups->count; ++g) {
        const int n = groups->status[g] ? 0 : count_vertices(groups, g);
        if (n) faces += split_count(n), face_vertices += n + 2 * (split_count(n) - 1);
    }
    if (!convex_part_alloc_polyhedron(out, m, groups->vertex_count, faces, face_vertices)) return false;

    out->position = qh->box_centre;
    for (int p = 0, n = 0; p < qh->point_count; ++p) {
        if (groups->faces_at_vertex[p] < 3) continue;
        out->vertices[n] = v3_sub(points[p], out->position);
        out->bounding_radius = fmax(out->bounding_radius, v3_length(out->vertices[n]));
        qh->vertex_of_point[p] = n++;
    }
    out->face_count = out->face_vertex_count = 0;
    for (int g = 0; g < groups->count; ++g) {
        const int n = list_vertices(groups, g, qh->face_loop);
        for (int k = 0; k < n; ++k) qh->face_loop[k] = qh->vertex_of_point[qh->face_loop[k]];
        if (n)
            emit_face(out, qh->face_loop, n, v3_scale(groups->normal[g], 1.0 / v3_length(groups->normal[g])));
    }
    ASSERT(out->face_count == faces && out->face_vertex_count == face_vertices);
    return true;
}

static tarn_result check_points(const vec3 *points, int count, tarn_error *err)
{
    if (count < 4 || count > MAX_MESH_ELEMENTS)
        return fail(err, TARN_BAD_INPUT, "points", "expected 4 .. %d points, found %d", MAX_MESH_ELEMENTS,
                    count);
    for (int i = 0; i < count; ++i)
        if (!(fabs(points[i].x) <= MAX_MESH_COORDINATE && fabs(points[i].y) <= MAX_MESH_COORDINATE &&
              fabs(points[i].z) <= MAX_MESH_COORDINATE))
            return fail(err, TARN_BAD_INPUT, "points", "point %d: a coordinate of (%g, %g, %g) exceeds 1e9 m",
                        i, points[i].x, points[i].y, points[i].z);
    return TARN_OK;
}

// Rounds the points to the grid. Returns the axis of the longest side of the bounding box.
static int snap_to_grid(struct quickhull *qh, const vec3 *points)
{
    vec3 box_min = points[0], box_max = points[0];
    for (int i = 1; i < qh->point_count; ++i) {
        const vec3 p = points[i];
        box_min = v3(fmin(box_min.x, p.x), fmin(box_min.y, p.y), fmin(box_min.z, p.z));
        box_max = v3(fmax(box_max.x, p.x), fmax(box_max.y, p.y), fmax(box_max.z, p.z));
    }
    const vec3 size = v3_sub(box_max, box_min);
    const int axis = size.x >= size.y && size.x >= size.z ? 0 : size.y >= size.z ? 1 : 2;
    const double extent = axis == 0 ? size.x : axis == 1 ? size.y : size.z;
    qh->box_centre = v3_madd(box_min, 0.5, size);
    for (int i = 0; i < qh->point_count && extent > 0.0; ++i) {
        const vec3 d = v3_sub(points[i], box_min);
        qh->grid_point[i][0] = (int)floor(d.x / extent * GRID_STEPS + 0.5);
        qh->grid_point[i][1] = (int)floor(d.y / extent * GRID_STEPS + 0.5);
        qh->grid_point[i][2] = (int)floor(d.z / extent * GRID_STEPS + 0.5);
    }
    return axis;
}

static tarn_result build_convex_hull(struct quickhull *qh, const struct memory *m, const vec3 *points,
                                     int max_vertices, struct convex_part *out, tarn_error *err)
{
    struct face_groups groups;
    if (!alloc_quickhull(qh)) return fail(err, TARN_NO_MEMORY, "", "no memory for a convex hull");
    if (!run_quickhull(qh, snap_to_grid(qh, points), max_vertices))
        return fail(err, TARN_BAD_INPUT, "points", "all %d points lie in one plane", qh->point_count);
    int *order = arena_alloc(&qh->arena, (size_t)qh->triangle_count, sizeof *order);
    if (!order || !order_by_area(qh, order) || !alloc_face_groups(qh, &groups))
        return fail(err, TARN_NO_MEMORY, "", "no memory for a convex hull");
    if (!find_faces(qh, &groups, order, COPLANAR_TOLERANCE * GRID_STEPS))
        find_faces(qh, &groups, order, 0.0); // without merging; the triangles always form a hull
    if (!emit_convex_part(qh, &groups, points, m, out))
        return fail(err, TARN_NO_MEMORY, "", "no memory for a convex hull");
    return TARN_OK;
}

tarn_result convex_hull_build(struct convex_part *part, const struct memory *m, const vec3 *points, int count,
                              int max_vertices, tarn_error *err)
{
    *part = (struct convex_part){.axes = {{{1, 0, 0}, {0, 1, 0}, {0, 0, 1}}}};
    tarn_result r = check_points(points, count, err);
    if (r != TARN_OK) return r;
    const int limit = imax(4, imin(max_vertices, count));
    struct quickhull qh = {.arena = {.memory = m}, .point_count = count, .max_triangles = 2 * limit + 8};
    r = build_convex_hull(&qh, m, points, limit, part, err);
    arena_release(&qh.arena, 0);
    return r;
}
