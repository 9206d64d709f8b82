// Table of shape kinds.
#include "body/shape/shape.h"

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
