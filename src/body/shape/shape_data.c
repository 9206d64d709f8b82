// Shape data and convex parts: allocation, translation, release.
#include "shape.h"

bool convex_part_alloc_polyhedron(struct convex_part *p, const struct memory *m, int points, int sides,
                                  int corners)
{
    p->vertex_count = points, p->face_count = sides, p->face_vertex_count = corners;
    p->vertices = memory_alloc(m, (size_t)points, sizeof *p->vertices);
    p->faces = memory_alloc(m, (size_t)sides, sizeof *p->faces);
    p->face_vertices = memory_alloc(m, (size_t)corners, sizeof *p->face_vertices);
    if (p->vertices && p->faces && p->face_vertices) return true;
    convex_part_free(p, m);
    return false;
}

bool convex_part_alloc_profile(struct convex_part *p, const struct memory *m, int circles)
{
    p->profile_count = circles;
    p->profile = memory_alloc(m, (size_t)circles, sizeof *p->profile);
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

bool shape_alloc_parts(struct shape_data *f, const struct memory *m, int count)
{
    f->convex_parts = memory_alloc(m, (size_t)count, sizeof *f->convex_parts);
    f->convex_part_count = f->convex_parts ? count : 0;
    for (int i = 0; i < f->convex_part_count; ++i)
        f->convex_parts[i].axes = (mat3){{{1, 0, 0}, {0, 1, 0}, {0, 0, 1}}};
    return f->convex_parts != NULL;
}

static void translate_mesh(struct trimesh *h, vec3 by)
{
    for (int i = 0; i < h->vertex_count; ++i) h->vertices[i] = v3_add(h->vertices[i], by);
    trimesh_compute_facets(h);
}

void shape_translate(struct shape_data *f, vec3 by)
{
    translate_mesh(&f->hull, by);
    translate_mesh(&f->compartment, by);
    translate_mesh(&f->solid_surface, by);
    for (int i = 0; i < f->opening_count; ++i) f->opening[i] = v3_add(f->opening[i], by);
    for (int i = 0; i < f->convex_part_count; ++i)
        f->convex_parts[i].position = v3_add(f->convex_parts[i].position, by);
}

void shape_data_free(struct shape_data *f, const struct memory *m)
{
    for (int i = 0; i < f->convex_part_count; ++i) convex_part_free(&f->convex_parts[i], m);
    memory_free(m, f->convex_parts, (size_t)f->convex_part_count, sizeof *f->convex_parts);
    trimesh_free(&f->hull, m);
    trimesh_free(&f->compartment, m);
    trimesh_free(&f->solid_surface, m);
    memory_free(m, f->opening, (size_t)f->opening_count, sizeof *f->opening);
    *f = (struct shape_data){0};
}
