// Half-edge adjacency of a triangle mesh: removes duplicate and degenerate triangles, pairs the half-edges of
// neighbouring triangles (twins), and caps small boundary loops. Called by repair.c. Edges are matched by
// counting sorts, not by hashing: the order is the same on every machine, and the time is O(n) for any input.
#include "repair.h"

// Sorts the indices 0 .. n-1 by `lists` arrays of keys in 0 .. range-1; the last array is the most
// significant. NULL without memory.
static int *sort_indices(struct repair_mesh *s, int n, int range, const int *const *keys, int lists)
{
    int *order = arena_alloc(s, (size_t)n, sizeof *order);
    const int mark = arena_mark(s);
    int *spare = arena_alloc(s, (size_t)n, sizeof *spare);
    int *count = arena_alloc(s, (size_t)range + 1, sizeof *count);

    if (!order || !spare || !count) return NULL;
    for (int i = 0; i < n; ++i) order[i] = i;
    for (int k = 0; k < lists; ++k) counting_sort(keys[k], n, range, order, spare, count);
    arena_release(s, mark);
    return order;
}

// Removes the marked triangles and keeps the order of the others.
static void compact_triangles(struct repair_mesh *s, const char *gone)
{
    int kept = 0;
    for (int t = 0; t < s->triangle_count; ++t) {
        if (gone[t]) continue;
        for (int k = 0; k < 3; ++k) s->triangles[kept][k] = s->triangles[t][k];
        kept++;
    }
    s->triangle_count = kept;
}

// Of triangles with the same three vertices only the first is kept, whatever its winding: files for two-sided
// rendering contain every triangle twice, once per orientation.
static bool drop_duplicates(struct repair_mesh *s)
{
    const int n = s->triangle_count, mark = arena_mark(s);
    int *keys[3];

    for (int k = 0; k < 3; ++k)
        if (!(keys[k] = arena_alloc(s, (size_t)n, sizeof(int)))) return false;
    char *gone = arena_alloc(s, (size_t)n, 1);
    if (!gone) return false;
    for (int t = 0; t < n; ++t) {
        const int *c = s->triangles[t];
        keys[0][t] = imin(c[0], imin(c[1], c[2]));
        keys[2][t] = imax(c[0], imax(c[1], c[2]));
        keys[1][t] = (int)((int64_t)c[0] + c[1] + c[2] - keys[0][t] - keys[2][t]);
    }
    const int *order = sort_indices(s, n, s->vertex_count, (const int *const *)keys, 3);
    if (!order) return false;
    for (int i = 1; i < n; ++i) {
        const int a = order[i - 1], b = order[i];
        gone[b] = keys[0][a] == keys[0][b] && keys[1][a] == keys[1][b] && keys[2][a] == keys[2][b];
    }
    compact_triangles(s, gone);
    arena_release(s, mark);
    return true;
}

// ---- twins ------------------------------------------------------------------------------------------

// Numbers the undirected edges: group[e] is equal for all half-edges e of one edge. Returns the number of
// edges, -1 without memory.
static int group_edges(struct repair_mesh *s, int *group)
{
    const int n = 3 * s->triangle_count, mark = arena_mark(s);
    int *low = arena_alloc(s, (size_t)n, sizeof *low), *high = arena_alloc(s, (size_t)n, sizeof *high);
    int groups = 0;

    if (!low || !high) return -1;
    for (int e = 0; e < n; ++e) {
        const int a = s->triangles[e / 3][e % 3], b = s->triangles[e / 3][(e + 1) % 3];
        low[e] = imin(a, b);
        high[e] = imax(a, b);
    }
    const int *order = sort_indices(s, n, s->vertex_count, (const int *const[]){high, low}, 2);
    if (!order) return -1;
    for (int i = 0; i < n; ++i) {
        const int e = order[i], before = i > 0 ? order[i - 1] : -1;
        groups += before < 0 || low[e] != low[before] || high[e] != high[before];
        group[e] = groups - 1;
    }
    arena_release(s, mark);
    return groups;
}

// A triangle is degenerate if its height above its longest side is at most the welding tolerance.
static bool is_degenerate(const struct repair_mesh *s, const int *corners)
{
    const vec3 a = s->vertices[corners[0]], b = s->vertices[corners[1]], c = s->vertices[corners[2]];
    const double area = v3_length(v3_cross(v3_sub(b, a), v3_sub(c, a)));
    const double longest =
        fmax(v3_length(v3_sub(b, a)), fmax(v3_length(v3_sub(c, b)), v3_length(v3_sub(a, c))));
    return area <= WELD_TOLERANCE * s->extent * longest;
}

// Removes degenerate triangles, but keeps one that has an edge shared by exactly two triangles: without it
// the neighbour would have a boundary edge there.
static void drop_degenerate(struct repair_mesh *s, int *group, int *size)
{
    int kept = 0;

    for (int t = 0; t < s->triangle_count; ++t) {
        bool goes = is_degenerate(s, s->triangles[t]);
        for (int k = 0; goes && k < 3; ++k) goes = size[group[3 * t + k]] != 2;
        for (int k = 0; k < 3; ++k) {
            size[group[3 * t + k]] -= goes;
            s->triangles[kept][k] = s->triangles[t][k];
            group[3 * kept + k] = group[3 * t + k];
        }
        kept += !goes;
    }
    s->triangle_count = kept;
}

bool mesh_pair_edges(struct repair_mesh *s)
{
    if (!drop_duplicates(s)) return false;
    const size_t n = 3 * (size_t)s->triangle_count;
    s->twin = arena_alloc(s, n, sizeof *s->twin);
    const int mark = arena_mark(s);
    int *group = arena_alloc(s, n, sizeof *group);
    const int groups = s->twin && group ? group_edges(s, group) : -1;
    if (groups < 0) return false;
    int *size = arena_alloc(s, (size_t)groups, sizeof *size),
        *other = arena_alloc(s, (size_t)groups, sizeof *other);
    if (!size || !other) return false;
    for (size_t e = 0; e < n; ++e) size[group[e]]++;
    drop_degenerate(s, group, size);
    for (int g = 0; g < groups; ++g) {
        other[g] = -1;
        s->report->crowded_edges += size[g] > 2;
    }
    for (int e = 0; e < 3 * s->triangle_count; ++e) {
        const int g = group[e];
        s->twin[e] = size[g] > 2 ? EDGE_NONMANIFOLD : EDGE_BOUNDARY;
        if (size[g] == 2 && other[g] >= 0) {
            s->twin[e] = other[g];
            s->twin[other[g]] = e;
        }
        other[g] = e;
    }
    arena_release(s, mark);
    return true;
}

// ---- holes ------------------------------------------------------------------------------------------

// Boundary half-edges (edges with one triangle), sorted by start vertex, then by connected component.
struct boundary_edges {
    int count;
    int *edges;
    int *start_vertex;         // [i] of edges[i]
    int *component;            // [i] of edges[i]
    int *taken;                // [first of an equal (vertex, component) run] edges of the run used so far
    int *component_faces;      // [component] number of triangles
    int *path, *path_position; // vertices of the path being traced; [vertex] 1 + index in it, 0: not in it
};

static bool list_boundary_edges(struct repair_mesh *s, struct boundary_edges *h)
{
    for (int e = 0; e < 3 * s->triangle_count; ++e) h->count += s->twin[e] == EDGE_BOUNDARY;
    const size_t n = (size_t)h->count;
    int *edges = arena_alloc(s, n, sizeof(int)), *from = arena_alloc(s, n, sizeof(int));
    int *part = arena_alloc(s, n, sizeof(int));
    h->edges = arena_alloc(s, n, sizeof(int));
    h->start_vertex = arena_alloc(s, n, sizeof(int));
    h->component = arena_alloc(s, n, sizeof(int));
    h->taken = arena_alloc(s, n, sizeof(int));
    h->component_faces = arena_alloc(s, (size_t)s->component_count, sizeof(int));
    h->path = arena_alloc(s, n + 1, sizeof(int));
    h->path_position = arena_alloc(s, (size_t)s->vertex_count, sizeof(int));
    if (!edges || !from || !part || !h->edges || !h->start_vertex || !h->component || !h->taken ||
        !h->component_faces || !h->path || !h->path_position)
        return false;
    for (int t = 0; t < s->triangle_count; ++t) h->component_faces[s->component[t]]++;
    for (int e = 0, i = 0; e < 3 * s->triangle_count; ++e) {
        if (s->twin[e] != EDGE_BOUNDARY) continue;
        edges[i] = e;
        from[i] = s->triangles[e / 3][e % 3];
        part[i++] = s->component[e / 3];
    }
    const int range = imax(s->vertex_count, s->component_count);
    const int *order = sort_indices(s, h->count, range, (const int *const[]){part, from}, 2);
    if (!order) return false;
    for (int i = 0; i < h->count; ++i) {
        h->edges[i] = edges[order[i]];
        h->start_vertex[i] = from[order[i]];
        h->component[i] = part[order[i]];
    }
    return true;
}

// Returns an unused boundary edge of this component that starts at the vertex and marks it as used; -1: none.
static int take_edge(struct boundary_edges *h, int vertex, int part)
{
    int low = 0, high = h->count;

    while (low < high) {
        const int mid = low + (high - low) / 2;
        if (h->start_vertex[mid] < vertex || (h->start_vertex[mid] == vertex && h->component[mid] < part))
            low = mid + 1;
        else
            high = mid;
    }
    if (low == h->count) return -1;
    const int at = low + h->taken[low];
    if (at >= h->count || h->start_vertex[at] != vertex || h->component[at] != part) return -1;
    h->taken[low]++;
    return h->edges[at];
}

static void add_face(struct repair_mesh *s, int a, int b, int c, int part)
{
    int *to = s->triangles[s->triangle_count];
    to[0] = a, to[1] = b, to[2] = c;
    s->component[s->triangle_count++] = part;
}

// Closes a boundary loop with a triangle fan about its centroid. The new triangles pass along the boundary
// edges in the opposite direction, as neighbours with consistent winding do.
static void cap_loop(struct repair_mesh *s, const int *loop, int n, int part)
{
    vec3 middle = v3(0, 0, 0);

    s->report->holes++;
    if (n == 3) {
        add_face(s, loop[0], loop[2], loop[1], part);
        return;
    }
    for (int i = 0; i < n; ++i) middle = v3_add(middle, v3_scale(s->vertices[loop[i]], 1.0 / n));
    for (int i = 0; i < n; ++i) add_face(s, loop[(i + 1) % n], loop[i], s->vertex_count, part);
    s->vertices[s->vertex_count++] = middle;
}

// Follows boundary edges from `start`. When the path reaches a vertex for the second time, the vertices
// between form a loop: it is capped or counted, and removed from the path.
static void trace_loops(struct repair_mesh *s, struct boundary_edges *h, int start, int part)
{
    int length = 1, from = start;

    h->path[0] = start;
    h->path_position[start] = 1;
    for (int e; (e = take_edge(h, from, part)) >= 0;) {
        from = s->triangles[e / 3][(e + 1) % 3];
        const int again = h->path_position[from];
        if (again == 0) {
            h->path[length++] = from;
            h->path_position[from] = length;
            continue;
        }
        const int n = length - again + 1;
        // A component with fewer triangles than the loop has edges is a fragment, not a body with a hole.
        if (3 <= n && n <= MAX_HOLE_EDGES && n <= h->component_faces[part])
            cap_loop(s, h->path + again - 1, n, part);
        else
            s->report->open_edges += n;
        for (; length > again; --length) h->path_position[h->path[length - 1]] = 0;
    }
    s->report->open_edges += length - 1; // the path ends at a non-manifold edge
    for (; length > 0; --length) h->path_position[h->path[length - 1]] = 0;
}

// Reserves memory for the caps of all holes: one triangle per boundary edge, and a centroid per loop of four
// or more.
static bool reserve_caps(struct repair_mesh *s, int open)
{
    const size_t triangles = (size_t)s->triangle_count + (size_t)open;
    vec3 *vertices = arena_alloc(s, (size_t)s->vertex_count + (size_t)open / 4 + 1, sizeof *vertices);
    int(*list)[3] = arena_alloc(s, triangles, sizeof *list);
    int *part = arena_alloc(s, triangles, sizeof *part);

    if (!vertices || !list || !part) return false;
    for (int v = 0; v < s->vertex_count; ++v) vertices[v] = s->vertices[v];
    for (int t = 0; t < s->triangle_count; ++t) {
        for (int k = 0; k < 3; ++k) list[t][k] = s->triangles[t][k];
        part[t] = s->component[t];
    }
    s->vertices = vertices;
    s->triangles = list;
    s->component = part;
    return true;
}

bool mesh_fill_holes(struct repair_mesh *s)
{
    struct boundary_edges h = {0};
    int open = 0;

    for (int e = 0; e < 3 * s->triangle_count; ++e) open += s->twin[e] == EDGE_BOUNDARY;
    if (open == 0) return true;
    if (!reserve_caps(s, open)) return false;
    const int mark = arena_mark(s);
    if (!list_boundary_edges(s, &h)) return false;
    for (int i = 0; i < h.count; ++i) trace_loops(s, &h, h.start_vertex[i], h.component[i]);
    arena_release(s, mark);
    return true;
}
