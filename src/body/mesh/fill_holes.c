// Hole filling of a triangle mesh: traces the loops of boundary edges and closes the small ones with triangle
// fans. Called by repair.c.
#include "base/sort.h"
#include "body/mesh/repair.h"

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

static bool list_boundary_edges(struct repair_mesh *mesh, struct boundary_edges *boundary)
{
    for (int e = 0; e < 3 * mesh->triangle_count; ++e) boundary->count += mesh->twin[e] == EDGE_BOUNDARY;
    const size_t n = (size_t)boundary->count;
    int *edges = arena_alloc(&mesh->arena, n, sizeof(int)),
        *start = arena_alloc(&mesh->arena, n, sizeof(int));
    int *component = arena_alloc(&mesh->arena, n, sizeof(int));
    boundary->edges = arena_alloc(&mesh->arena, n, sizeof(int));
    boundary->start_vertex = arena_alloc(&mesh->arena, n, sizeof(int));
    boundary->component = arena_alloc(&mesh->arena, n, sizeof(int));
    boundary->taken = arena_alloc(&mesh->arena, n, sizeof(int));
    boundary->component_faces = arena_alloc(&mesh->arena, (size_t)mesh->component_count, sizeof(int));
    boundary->path = arena_alloc(&mesh->arena, n + 1, sizeof(int));
    boundary->path_position = arena_alloc(&mesh->arena, (size_t)mesh->vertex_count, sizeof(int));
    if (!edges || !start || !component || !boundary->edges || !boundary->start_vertex ||
        !boundary->component || !boundary->taken || !boundary->component_faces || !boundary->path ||
        !boundary->path_position)
        return false;
    for (int t = 0; t < mesh->triangle_count; ++t) boundary->component_faces[mesh->component[t]]++;
    for (int e = 0, i = 0; e < 3 * mesh->triangle_count; ++e) {
        if (mesh->twin[e] != EDGE_BOUNDARY) continue;
        edges[i] = e;
        start[i] = mesh->triangles[e / 3][e % 3];
        component[i++] = mesh->component[e / 3];
    }
    const int range = imax(mesh->vertex_count, mesh->component_count);
    const int *order =
        sort_indices(&mesh->arena, boundary->count, range, (const int *const[]){component, start}, 2);
    if (!order) return false;
    for (int i = 0; i < boundary->count; ++i) {
        boundary->edges[i] = edges[order[i]];
        boundary->start_vertex[i] = start[order[i]];
        boundary->component[i] = component[order[i]];
    }
    return true;
}

// Returns an unused boundary edge of this component that starts at the vertex and marks it as used; -1: none.
static int take_edge(struct boundary_edges *boundary, int vertex, int component)
{
    int low = 0, high = boundary->count;

    while (low < high) {
        const int mid = low + (high - low) / 2;
        if (boundary->start_vertex[mid] < vertex ||
            (boundary->start_vertex[mid] == vertex && boundary->component[mid] < component))
            low = mid + 1;
        else
            high = mid;
    }
    if (low == boundary->count) return -1;
    const int index = low + boundary->taken[low];
    if (index >= boundary->count || boundary->start_vertex[index] != vertex ||
        boundary->component[index] != component)
        return -1;
    boundary->taken[low]++;
    return boundary->edges[index];
}

static void add_face(struct repair_mesh *mesh, int a, int b, int c, int component)
{
    int *triangle = mesh->triangles[mesh->triangle_count];
    triangle[0] = a, triangle[1] = b, triangle[2] = c;
    mesh->component[mesh->triangle_count++] = component;
}

// Closes a boundary loop with a triangle fan about its centroid. The new triangles pass along the boundary
// edges in the opposite direction, as neighbours with consistent winding do.
static void cap_loop(struct repair_mesh *mesh, const int *loop, int n, int component)
{
    vec3 centroid = v3(0, 0, 0);

    mesh->report->holes++;
    if (n == 3) {
        add_face(mesh, loop[0], loop[2], loop[1], component);
        return;
    }
    for (int i = 0; i < n; ++i) centroid = v3_add(centroid, v3_scale(mesh->vertices[loop[i]], 1.0 / n));
    for (int i = 0; i < n; ++i) add_face(mesh, loop[(i + 1) % n], loop[i], mesh->vertex_count, component);
    mesh->vertices[mesh->vertex_count++] = centroid;
}

// Follows boundary edges from `start`. When the path reaches a vertex for the second time, the vertices
// between form a loop: it is capped or counted, and removed from the path.
static void trace_loops(struct repair_mesh *mesh, struct boundary_edges *boundary, int start, int component)
{
    int length = 1, vertex = start;

    boundary->path[0] = start;
    boundary->path_position[start] = 1;
    for (int e; (e = take_edge(boundary, vertex, component)) >= 0;) {
        vertex = mesh->triangles[e / 3][(e + 1) % 3];
        const int first = boundary->path_position[vertex];
        if (first == 0) {
            boundary->path[length++] = vertex;
            boundary->path_position[vertex] = length;
            continue;
        }
        const int n = length - first + 1;
        // A component with fewer triangles than the loop has edges is a fragment, not a body with a hole.
        if (3 <= n && n <= MAX_HOLE_EDGES && n <= boundary->component_faces[component])
            cap_loop(mesh, boundary->path + first - 1, n, component);
        else
            mesh->report->open_edges += n;
        for (; length > first; --length) boundary->path_position[boundary->path[length - 1]] = 0;
    }
    mesh->report->open_edges += length - 1; // the path ends at a non-manifold edge
    for (; length > 0; --length) boundary->path_position[boundary->path[length - 1]] = 0;
}

// Reserves memory for the caps of all holes: one triangle per boundary edge, and a centroid per loop of four
// or more.
static bool reserve_caps(struct repair_mesh *mesh, int boundary_count)
{
    const size_t capacity = (size_t)mesh->triangle_count + (size_t)boundary_count;
    vec3 *vertices = arena_alloc(&mesh->arena, (size_t)mesh->vertex_count + (size_t)boundary_count / 4 + 1,
                                 sizeof *vertices);
    int(*triangles)[3] = arena_alloc(&mesh->arena, capacity, sizeof *triangles);
    int *component = arena_alloc(&mesh->arena, capacity, sizeof *component);

    if (!vertices || !triangles || !component) return false;
    for (int v = 0; v < mesh->vertex_count; ++v) vertices[v] = mesh->vertices[v];
    for (int t = 0; t < mesh->triangle_count; ++t) {
        for (int k = 0; k < 3; ++k) triangles[t][k] = mesh->triangles[t][k];
        component[t] = mesh->component[t];
    }
    mesh->vertices = vertices;
    mesh->triangles = triangles;
    mesh->component = component;
    return true;
}

bool mesh_fill_holes(struct repair_mesh *mesh)
{
    struct boundary_edges boundary = {0};
    int boundary_count = 0;

    for (int e = 0; e < 3 * mesh->triangle_count; ++e) boundary_count += mesh->twin[e] == EDGE_BOUNDARY;
    if (boundary_count == 0) return true;
    if (!reserve_caps(mesh, boundary_count)) return false;
    const int mark = arena_mark(&mesh->arena);
    if (!list_boundary_edges(mesh, &boundary)) return false;
    for (int i = 0; i < boundary.count; ++i)
        trace_loops(mesh, &boundary, boundary.start_vertex[i], boundary.component[i]);
    arena_release(&mesh->arena, mark);
    return true;
}
