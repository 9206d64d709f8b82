// Table of shape kinds; allocation and facets of triangle meshes.
#include "shape.h"

extern const struct shape_kind shape_sphere, shape_box, shape_capsule, shape_cylinder, shape_cone,
    shape_torus, shape_lathe, shape_hull, shape_wigley, shape_mesh, shape_compound, shape_circle,
    shape_polygon;

static const struct shape_kind *const kinds[] = {
    &shape_sphere,   &shape_box,    &shape_capsule, &shape_cylinder, &shape_cone,
    &shape_torus,    &shape_lathe,  &shape_hull,    &shape_wigley,   &shape_mesh,
    &shape_compound, &shape_circle, &shape_polygon,
};

const struct shape_kind *shape_kind_at(int index)
{
    return 0 <= index && index < (int)(sizeof kinds / sizeof kinds[0]) ? kinds[index] : NULL;
}

const struct shape_kind *shape_kind_of(const tarn_kind *kind)
{
    for (int i = 0; shape_kind_at(i); ++i)
        if (&kinds[i]->kind == kind) return kinds[i];
    return NULL;
}

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
