// Table of shape kinds.
#include "base/kind_list.h"
#include "body/shape/shape.h"

#define KIND_PREFIX shape
// Every shape kind in the order of tarn_shape_type; X(name) stands for `shape_name`, defined in its own file.
#define SHAPE_KINDS(X) \
    X(sphere)          \
    X(box)             \
    X(capsule)         \
    X(cylinder)        \
    X(cone)            \
    X(torus)           \
    X(lathe)           \
    X(convex_hull)     \
    X(wigley)          \
    X(mesh)            \
    X(compound)        \
    X(circle)          \
    X(polygon)         \
    /* kinds that are not in that enum */

SHAPE_KINDS(DECLARE_KIND)
static const struct shape_kind *const kinds[] = {SHAPE_KINDS(KIND_ADDRESS)};

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
