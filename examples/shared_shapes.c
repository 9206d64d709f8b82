// A thousand bodies of two shapes in two worlds: shapes are made once, shared, and freed with their last
// body.
#include <stdio.h>
#include <tarn/tarn.h>

enum { BODIES = 500 };

// Rows of crates and bottles in the air. All of them refer to the same two shapes.
static tarn_result add_cargo(tarn_world *world, const tarn_shape *crate, const tarn_shape *bottle,
                             tarn_error *err)
{
    tarn_body_def def = tarn_default_body_def();
    tarn_result r = TARN_OK;
    for (int i = 0; i < BODIES && r == TARN_OK; ++i) {
        tarn_body_id id;
        def.shape = i % 2 ? bottle : crate;
        def.density = i % 2 ? 300.0 : 200.0 + i; // mass and inertia belong to the body
        def.position = (tarn_vec3){0.7 * (i % 25) - 8.4, 1.5 + 0.7 * (i / 100), 0.7 * (i / 25 % 4) - 1.05};
        r = tarn_body_create(world, &def, &id, err);
    }
    return r;
}

int main(void)
{
    const tarn_shape_def box = {.type = TARN_SHAPE_BOX, .box = {.size = {0.3, 0.2, 0.3}}};
    const tarn_vec2 profile[] = {{0.08, 0}, {0.1, 0.05}, {0.1, 0.3}, {0.04, 0.42}, {0.04, 0.5}};
    const tarn_shape_def lathe = {.type = TARN_SHAPE_LATHE,
                                  .lathe = {.profile = profile, .profile_count = 5}};
    tarn_fluid_def water = tarn_default_fluid_def(TARN_FLUID_WAVE);
    tarn_world_def def = tarn_default_world_def();
    tarn_shape *crate = NULL, *bottle = NULL;
    tarn_world *worlds[2] = {NULL, NULL};
    tarn_error err = {0};

    water.wave.size = (tarn_vec2){20, 5};
    water.wave.cells[0] = 80, water.wave.cells[1] = 20;
    def.fluid = &water;
    tarn_result r = tarn_shape_create(&box, NULL, &crate, &err);
    if (r == TARN_OK) r = tarn_shape_create(&lathe, NULL, &bottle, &err);
    for (int k = 0; k < 2 && r == TARN_OK; ++k) {
        r = tarn_world_create(&def, &worlds[k], &err);
        if (r == TARN_OK) r = add_cargo(worlds[k], crate, bottle, &err);
    }
    tarn_shape_release(crate); // the bodies keep them
    tarn_shape_release(bottle);
    for (int k = 0; k < 2 && r == TARN_OK; ++k) r = tarn_world_advance(worlds[k], 0.1);
    if (r != TARN_OK) fprintf(stderr, "%s: %s\n", err.key, err.message);
    if (r == TARN_OK)
        printf("2 shapes, %d bodies in 2 worlds\n", 2 * tarn_world_get_status(worlds[0]).body_count);
    for (int k = 0; k < 2; ++k) tarn_world_destroy(worlds[k]);
    return (int)r;
}
