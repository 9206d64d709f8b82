// Half-edge adjacency of a triangle mesh: removes duplicate and degenerate triangles and pairs the half-edges
// of neighbouring triangles (twins). Called by repair.c. Edges are matched by counting sorts, not by hashing:
// the order is the same on every machine, and the time is O(n) for any input.
#include "base/sort.h"
#include "body/mesh/repair.h"

// Removes the marked triangles and keeps the order of the others.
static void compact_triangles(struct repair_mesh *mesh, const char *removed)
{
    int kept_count = 0;
    for (int t = 0; t < mesh->triangle_count; ++t) {
        if (removed[t]) continue;
        for (int k = 0; k < 3; ++k) mesh->triangles[kept_count][k] = mesh->triangles[t][k];
        kept_count++;
    }
    mesh->triangle_count = kept_count;
}

// Of triangles with the same three vertices only the first is kept, whatever its winding: files for two-sided
// rendering contain every triangle twice, once per orientation.
static bool drop_duplicates(struct repair_mesh *mesh)
{
    const int n = mesh->triangle_count, mark = arena_mark(&mesh->arena);
    int *keys[3];

    for (int k = 0; k < 3; ++k)
        if (!(keys[k] = arena_alloc(&mesh->arena, (size_t)n, sizeof(int)))) return false;
    char *removed = arena_alloc(&mesh->arena, (size_t)n, 1);
    if (!removed) return false;
    for (int t = 0; t < n; ++t) {
        const int *vertices = mesh->triangles[t];
        keys[0][t] = imin(vertices[0], imin(vertices[1], vertices[2]));
        keys[2][t] = imax(vertices[0], imax(vertices[1], vertices[2]));
        keys[1][t] = (int)((int64_t)vertices[0] + vertices[1] + vertices[2] - keys[0][t] - keys[2][t]);
    }
    const int *order = sort_indices(&mesh->arena, n, mesh->vertex_count, (const int *const *)keys, 3);
    if (!order) return false;
    for (int i = 1; i < n; ++i) {
        const int a = order[i - 1], b = order[i];
        removed[b] = keys[0][a] == keys[0][b] && keys[1][a] == keys[1][b] && keys[2][a] == keys[2][b];
    }
    compact_triangles(mesh, removed);
    arena_release(&mesh->arena, mark);
    return true;
}

// ---- twins ------------------------------------------------------------------------------------------

// Numbers the undirected edges: group[e] is equal for all half-edges e of one edge. Returns the number of
// edges, -1 without memory.
static int group_edges(struct repair_mesh *mesh, int *group)
{
    const int n = 3 * mesh->triangle_count, mark = arena_mark(&mesh->arena);
    int *low = arena_alloc(&mesh->arena, (size_t)n, sizeof *low),
        *high = arena_alloc(&mesh->arena, (size_t)n, sizeof *high);
    int group_count = 0;

    if (!low || !high) return -1;
    for (int e = 0; e < n; ++e) {
        const int a = mesh->triangles[e / 3][e % 3], b = mesh->triangles[e / 3][(e + 1) % 3];
        low[e] = imin(a, b);
        high[e] = imax(a, b);
    }
    const int *order = sort_indices(&mesh->arena, n, mesh->vertex_count, (const int *const[]){high, low}, 2);
    if (!order) return -1;
    for (int i = 0; i < n; ++i) {
        const int e = order[i], previous = i > 0 ? order[i - 1] : -1;
        group_count += previous < 0 || low[e] != low[previous] || high[e] != high[previous];
        group[e] = group_count - 1;
    }
    arena_release(&mesh->arena, mark);
    return group_count;
}

// A triangle is degenerate if its height above its longest side is at most the welding tolerance.
static bool is_degenerate(const struct repair_mesh *mesh, const int *triangle)
{
    const vec3 a = mesh->vertices[triangle[0]], b = mesh->vertices[triangle[1]],
               c = mesh->vertices[triangle[2]];
    const double twice_area = v3_length(v3_cross(v3_sub(b, a), v3_sub(c, a)));
    const double longest =
        fmax(v3_length(v3_sub(b, a)), fmax(v3_length(v3_sub(c, b)), v3_length(v3_sub(a, c))));
    return twice_area <= WELD_TOLERANCE * mesh->extent * longest;
}

// Removes degenerate triangles, but keeps one that has an edge shared by exactly two triangles: without it
// the neighbour would have a boundary edge there.
static void drop_degenerate(struct repair_mesh *mesh, int *group, int *group_size)
{
    int kept_count = 0;

    for (int t = 0; t < mesh->triangle_count; ++t) {
        bool removed = is_degenerate(mesh, mesh->triangles[t]);
        for (int k = 0; removed && k < 3; ++k) removed = group_size[group[3 * t + k]] != 2;
        for (int k = 0; k < 3; ++k) {
            group_size[group[3 * t + k]] -= removed;
            mesh->triangles[kept_count][k] = mesh->triangles[t][k];
            group[3 * kept_count + k] = group[3 * t + k];
        }
        kept_count += !removed;
    }
    mesh->triangle_count = kept_count;
}

bool mesh_pair_edges(struct repair_mesh *mesh)
{
    if (!drop_duplicates(mesh)) return false;
    const size_t n = 3 * (size_t)mesh->triangle_count;
    mesh->twin = arena_alloc(&mesh->arena, n, sizeof *mesh->twin);
    const int mark = arena_mark(&mesh->arena);
    int *group = arena_alloc(&mesh->arena, n, sizeof *group);
    const int group_count = mesh->twin && group ? group_edges(mesh, group) : -1;
    if (group_count < 0) return false;
    int *group_size = arena_alloc(&mesh->arena, (size_t)group_count, sizeof *group_size),
        *previous = arena_alloc(&mesh->arena, (size_t)group_count, sizeof *previous);
    if (!group_size || !previous) return false;
    for (size_t e = 0; e < n; ++e) group_size[group[e]]++;
    drop_degenerate(mesh, group, group_size);
    for (int g = 0; g < group_count; ++g) {
        previous[g] = -1;
        mesh->report->non_manifold_edges += group_size[g] > 2;
    }
    for (int e = 0; e < 3 * mesh->triangle_count; ++e) {
        const int g = group[e];
        mesh->twin[e] = group_size[g] > 2 ? EDGE_NONMANIFOLD : EDGE_BOUNDARY;
        if (group_size[g] == 2 && previous[g] >= 0) {
            mesh->twin[e] = previous[g];
            mesh->twin[previous[g]] = e;
        }
        previous[g] = e;
    }
    arena_release(&mesh->arena, mark);
    return true;
}
