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

bool trimesh_alloc(struct trimesh *h, const struct memory *m, int vertices, int triangles)
{
    *h = (struct trimesh){.vertex_count = vertices, .triangle_count = triangles};
    h->vertices = memory_alloc(m, (size_t)vertices, sizeof *h->vertices);
    h->triangles = memory_alloc(m, (size_t)triangles, sizeof *h->triangles);
    h->facets = memory_alloc(m, (size_t)triangles, sizeof *h->facets);
    return h->vertices && h->triangles && h->facets;
}

void trimesh_compute_facets(struct trimesh *h)
{
    for (int t = 0; t < h->triangle_count; ++t) {
        const vec3 a = h->vertices[h->triangles[t][0]], b = h->vertices[h->triangles[t][1]];
        const vec3 c = h->vertices[h->triangles[t][2]], twice = v3_cross(v3_sub(b, a), v3_sub(c, a));
        const double length = v3_length(twice);
        h->facets[t] = (struct facet){.normal = length > 0.0 ? v3_scale(twice, 1.0 / length) : v3(0, 0, 0),
                                      .centroid = v3_scale(v3_add(a, v3_add(b, c)), 1.0 / 3.0),
                                      .area = 0.5 * length};
    }
}

void trimesh_free(struct trimesh *h, const struct memory *m)
{
    memory_free(m, h->vertices, (size_t)h->vertex_count, sizeof *h->vertices);
    memory_free(m, h->triangles, (size_t)h->triangle_count, sizeof *h->triangles);
    memory_free(m, h->facets, (size_t)h->triangle_count, sizeof *h->facets);
    memory_free(m, h->clusters, (size_t)h->cluster_count, sizeof *h->clusters);
    *h = (struct trimesh){0};
}
