// Table of shape kinds.
#include "body/shape/shape.h"

#define DECLARE_SHAPE(name) extern const struct shape_kind shape_##name;
#define SHAPE_ADDRESS(name) &shape_##name,
// Every shape kind in the order that users see; X(name) stands for `shape_name`, defined in its own file.
#define SHAPE_KINDS(X) \
    X(sphere)          \
    X(box)             \
    X(capsule)         \
    X(cylinder)        \
    X(cone)            \
    X(torus)           \
    X(lathe)           \
    X(hull)            \
    X(wigley)          \
    X(mesh)            \
    X(compound)        \
    X(circle)          \
    X(polygon)

SHAPE_KINDS(DECLARE_SHAPE)
static const struct shape_kind *const kinds[] = {SHAPE_KINDS(SHAPE_ADDRESS)};

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
