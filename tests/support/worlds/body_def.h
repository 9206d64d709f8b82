// Definitions of bodies with shapes by kind and parameter names. Shapes live until the program
// ends.
#ifndef TESTS_BODY_DEF_H
#define TESTS_BODY_DEF_H

#include "check.h"

#include <stdlib.h>
#include <tarn/tarn.h>

static struct kept_shapes {
    const tarn_shape **list;
    int count;
} kept_shapes;

static inline void release_kept_shapes(void)
{
    for (int i = 0; i < kept_shapes.count; ++i) tarn_shape_release(kept_shapes.list[i]);
    free(kept_shapes.list);
    kept_shapes = (struct kept_shapes){0};
}

static inline const tarn_shape *keep_shape(const tarn_shape *shape)
{
    if (kept_shapes.count == 0) atexit(release_kept_shapes);
    kept_shapes.list = realloc(kept_shapes.list, sizeof *kept_shapes.list * (size_t)(kept_shapes.count + 1));
    assert_non_null(kept_shapes.list);
    return kept_shapes.list[kept_shapes.count++] = shape;
}

// Makes a shape of a definition. NULL if it is refused.
static inline const tarn_shape *try_shape_of(tarn_shape_def def, tarn_error *err)
{
    tarn_shape *shape;
    return tarn_shape_create(&def, NULL, &shape, err) == TARN_OK ? keep_shape(shape) : NULL;
}

static inline const tarn_shape *shape_of(tarn_shape_def def)
{
    tarn_error err = {0};
    const tarn_shape *shape = try_shape_of(def, &err);
    if (!shape) fail_msg("%s: %s", err.key, err.message);
    return shape;
}

static inline const tarn_shape *shape_of_spec(const tarn_spec *spec)
{
    tarn_shape_def def;
    CHECK_OK(tarn_shape_def_from_spec(spec, &def));
    return shape_of(def);
}

static inline const tarn_shape *mesh_shape_of(tarn_mesh mesh)
{
    tarn_shape_def def = tarn_default_shape_def(TARN_SHAPE_MESH);
    def.mesh.mesh = mesh;
    return shape_of(def);
}

static inline const char *kind_name_of(const tarn_shape *shape)
{
    tarn_shape_def def;
    CHECK_OK(tarn_shape_get_def(shape, &def));
    return tarn_kind_at("shape", (int)def.type)->name;
}

// The defaults of a body and of a kind of shape that has some.
static inline tarn_body_def body_def(const char *kind)
{
    tarn_body_def def = tarn_default_body_def();
    tarn_spec spec;
    CHECK_OK(tarn_spec_init(&spec, "shape", kind, NULL));
    def.shape = shape_of_spec(&spec);
    return def;
}

// Gives a body a shape in which one parameter is another.
static inline tarn_result set_shape(tarn_body_def *body, const char *name, tarn_value value, tarn_error *err)
{
    tarn_shape_def def;
    tarn_spec spec;
    tarn_shape *shape;
    CHECK_OK(tarn_shape_get_def(body->shape, &def));
    CHECK_OK(tarn_shape_def_to_spec(&def, &spec));
    tarn_result r = tarn_spec_set(&spec, name, value, err);
    if (r == TARN_OK) r = tarn_shape_def_from_spec(&spec, &def);
    if (r == TARN_OK) r = tarn_shape_create(&def, NULL, &shape, err);
    if (r == TARN_OK) body->shape = keep_shape(shape);
    return r;
}

#endif
