#include "shape.h"

extern const struct shape_kind shape_sphere, shape_box;

static const struct shape_kind *const kinds[] = {
    &shape_sphere,
    &shape_box,
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

bool hull_alloc(struct hull *h, const struct memory *m, int vertices, int triangles)
{
    *h = (struct hull){.vertex_count = vertices, .triangle_count = triangles};
    h->vertices = memory_alloc(m, (size_t)vertices, sizeof *h->vertices);
    h->triangles = memory_alloc(m, (size_t)triangles, sizeof *h->triangles);
    return h->vertices && h->triangles;
}

void hull_free(struct hull *h, const struct memory *m)
{
    memory_free(m, h->vertices, (size_t)h->vertex_count, sizeof *h->vertices);
    memory_free(m, h->triangles, (size_t)h->triangle_count, sizeof *h->triangles);
    *h = (struct hull){0};
}
