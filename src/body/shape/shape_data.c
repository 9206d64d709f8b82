// Shape data, convex parts and arrays of triangles: allocation, translation, release.
#include "body/shape/shape.h"

bool convex_part_alloc_polyhedron(struct convex_part *p, const struct memory *m, int vertices, int faces,
                                  int face_vertices)
{
    p->vertex_count = vertices, p->face_count = faces, p->face_vertex_count = face_vertices;
    p->vertices = memory_alloc(m, (size_t)vertices, sizeof *p->vertices);
    p->faces = memory_alloc(m, (size_t)faces, sizeof *p->faces);
    p->face_vertices = memory_alloc(m, (size_t)face_vertices, sizeof *p->face_vertices);
    if (p->vertices && p->faces && p->face_vertices) return true;
    convex_part_free(p, m);
    return false;
}

bool convex_part_alloc_profile(struct convex_part *p, const struct memory *m, int profile_points)
{
    p->profile_count = profile_points;
    p->profile = memory_alloc(m, (size_t)profile_points, sizeof *p->profile);
    if (p->profile) return true;
    convex_part_free(p, m);
    return false;
}

void convex_part_free(struct convex_part *p, const struct memory *m)
{
    memory_free(m, p->vertices, (size_t)p->vertex_count, sizeof *p->vertices);
    memory_free(m, p->faces, (size_t)p->face_count, sizeof *p->faces);
    memory_free(m, p->face_vertices, (size_t)p->face_vertex_count, sizeof *p->face_vertices);
    memory_free(m, p->profile, (size_t)p->profile_count, sizeof *p->profile);
    *p = (struct convex_part){0};
}

bool triangle_arrays_alloc(struct triangle_arrays *t, int vertices, int triangles, const struct memory *m)
{
    t->vertex_count = vertices, t->triangle_count = triangles;
    t->vertices = memory_alloc(m, (size_t)vertices * 3, sizeof *t->vertices);
    t->triangles = memory_alloc(m, (size_t)triangles * 3, sizeof *t->triangles);
    return t->vertices && t->triangles;
}

void triangle_arrays_free(struct triangle_arrays *t, const struct memory *m)
{
    memory_free(m, t->vertices, (size_t)t->vertex_count * 3, sizeof *t->vertices);
    memory_free(m, t->triangles, (size_t)t->triangle_count * 3, sizeof *t->triangles);
    *t = (struct triangle_arrays){0};
}

bool shape_alloc_parts(struct shape_data *shape, const struct memory *m, int count)
{
    shape->convex_parts = memory_alloc(m, (size_t)count, sizeof *shape->convex_parts);
    shape->convex_part_count = shape->convex_parts ? count : 0;
    for (int i = 0; i < shape->convex_part_count; ++i)
        shape->convex_parts[i].axes = (mat3){{{1, 0, 0}, {0, 1, 0}, {0, 0, 1}}};
    return shape->convex_parts != NULL;
}

static void translate_mesh(struct trimesh *mesh, vec3 offset)
{
    for (int i = 0; i < mesh->vertex_count; ++i) mesh->vertices[i] = v3_add(mesh->vertices[i], offset);
    trimesh_compute_facets(mesh);
}

void shape_translate(struct shape_data *shape, vec3 offset)
{
    translate_mesh(&shape->hull, offset);
    translate_mesh(&shape->compartment, offset);
    translate_mesh(&shape->solid_surface, offset);
    for (int i = 0; i < shape->opening_count; ++i) shape->opening[i] = v3_add(shape->opening[i], offset);
    for (int i = 0; i < shape->convex_part_count; ++i)
        shape->convex_parts[i].position = v3_add(shape->convex_parts[i].position, offset);
}

void shape_data_free(struct shape_data *shape, const struct memory *m)
{
    for (int i = 0; i < shape->convex_part_count; ++i) convex_part_free(&shape->convex_parts[i], m);
    memory_free(m, shape->convex_parts, (size_t)shape->convex_part_count, sizeof *shape->convex_parts);
    trimesh_free(&shape->hull, m);
    trimesh_free(&shape->compartment, m);
    trimesh_free(&shape->solid_surface, m);
    memory_free(m, shape->opening, (size_t)shape->opening_count, sizeof *shape->opening);
    *shape = (struct shape_data){0};
}
