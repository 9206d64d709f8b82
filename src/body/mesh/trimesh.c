// Triangle meshes: allocation, facets, copies with used vertices only.
#include "body/mesh/trimesh.h"

bool trimesh_alloc(struct trimesh *mesh, const struct memory *m, int vertices, int triangles)
{
    *mesh = (struct trimesh){.vertex_count = vertices, .triangle_count = triangles};
    mesh->vertices = memory_alloc(m, (size_t)vertices, sizeof *mesh->vertices);
    mesh->triangles = memory_alloc(m, (size_t)triangles, sizeof *mesh->triangles);
    mesh->facets = memory_alloc(m, (size_t)triangles, sizeof *mesh->facets);
    return mesh->vertices && mesh->triangles && mesh->facets;
}

void trimesh_compute_facets(struct trimesh *mesh)
{
    for (int t = 0; t < mesh->triangle_count; ++t) {
        const vec3 a = mesh->vertices[mesh->triangles[t][0]], b = mesh->vertices[mesh->triangles[t][1]];
        const vec3 c = mesh->vertices[mesh->triangles[t][2]],
                   twice_area = v3_cross(v3_sub(b, a), v3_sub(c, a));
        const double length = v3_length(twice_area);
        mesh->facets[t] =
            (struct facet){.normal = length > 0.0 ? v3_scale(twice_area, 1.0 / length) : v3(0, 0, 0),
                           .centroid = v3_scale(v3_add(a, v3_add(b, c)), 1.0 / 3.0),
                           .area = 0.5 * length};
    }
}

void trimesh_free(struct trimesh *mesh, const struct memory *m)
{
    memory_free(m, mesh->vertices, (size_t)mesh->vertex_count, sizeof *mesh->vertices);
    memory_free(m, mesh->triangles, (size_t)mesh->triangle_count, sizeof *mesh->triangles);
    memory_free(m, mesh->facets, (size_t)mesh->triangle_count, sizeof *mesh->facets);
    memory_free(m, mesh->clusters, (size_t)mesh->cluster_count, sizeof *mesh->clusters);
    *mesh = (struct trimesh){0};
}

bool trimesh_compact(struct trimesh *out, const struct memory *m, const vec3 *vertices, int vertex_count,
                     const int (*triangles)[3], int triangle_count)
{
    int *new_index = memory_alloc(m, (size_t)vertex_count, sizeof *new_index), used_count = 0;
    if (!new_index) return false;
    for (int t = 0; t < triangle_count; ++t)
        for (int k = 0; k < 3; ++k) new_index[triangles[t][k]] = 1;
    for (int v = 0; v < vertex_count; ++v) new_index[v] = new_index[v] ? used_count++ : -1;
    const bool ok = trimesh_alloc(out, m, used_count, triangle_count);
    for (int v = 0; ok && v < vertex_count; ++v)
        if (new_index[v] >= 0) out->vertices[new_index[v]] = vertices[v];
    for (int t = 0; ok && t < triangle_count; ++t)
        for (int k = 0; k < 3; ++k) out->triangles[t][k] = new_index[triangles[t][k]];
    memory_free(m, new_index, (size_t)vertex_count, sizeof *new_index);
    return ok;
}
