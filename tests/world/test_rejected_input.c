// Invalid numbers and bodies, and what does not fit the model, are rejected with a message.
#include "body_def.h"
#include "wave_world.h"

#include "world/world.h"

#include <stdio.h>

static tarn_world *wave_world(const char *north)
{
    return wave_world_create(&(struct wave_world){
        .wide = 4, .deep = 4, .nx = 16, .nz = 16, .depth = 1, .side = {NULL, NULL, NULL, north}});
}

static void invalid_numbers_are_rejected(void **state)
{
    (void)state;
    tarn_world *w = NULL;
    tarn_error err = {0};
    struct world_setup def = world_setup(TARN_FLUID_WAVE);
    def.world.host.workers = 65;
    assert_int_equal(setup_create(&def, &w, &err), TARN_BAD_ARGUMENT);
    assert_string_equal(err.message, "65 is outside 0 .. 64");
    def = world_setup(TARN_FLUID_WAVE);
    def.world.coupling = 99; // written directly into the struct
    assert_int_equal(setup_create(&def, &w, &err), TARN_BAD_INPUT);
    assert_non_null(strstr(err.message, "99 is not one of"));
    assert_int_equal(set_fluid_param(&def.fluid, "cells", tarn_value_vec2(16, 16.5), &err), TARN_BAD_INPUT);
    assert_string_equal(err.message, "16.5 is not a whole number");
    def = world_setup(TARN_FLUID_WAVE); // 1 cm wide and 10 km deep
    def.world.dt = 0.1;
    def.fluid.wave.size = (tarn_vec2){0.01, 0.01};
    def.fluid.wave.cells[0] = 2048, def.fluid.wave.cells[1] = 2048;
    def.fluid.wave.depth = 1e4;
    assert_int_equal(setup_create(&def, &w, &err), TARN_BAD_INPUT);
    assert_non_null(strstr(err.message, "needs more than a million substeps"));
}

static void invalid_bodies_are_rejected(void **state)
{
    (void)state;
    tarn_world *w = wave_world(NULL);
    tarn_error err = {0};
    tarn_body_id id;
    tarn_body_def def = body_def("sphere");
    def.position = (tarn_vec3){0, 1, 0};
    const tarn_body_def good = def;
    set_shape(&def, "radius", tarn_value_number(100), NULL);
    assert_int_equal(tarn_body_create(w, &def, &id, &err), TARN_BAD_INPUT);
    assert_non_null(strstr(err.message, "m across does not fit into a tank of 4 x 4 m"));
    def = good, def.shape = NULL;
    assert_int_equal(tarn_body_create(w, &def, &id, &err), TARN_BAD_ARGUMENT);
    assert_string_equal(err.key, "shape");
    def = good;
    CHECK_OK(set_shape(&def, "radius", tarn_value_number(0.001), &err)); // 4e-9 m^3
    def.density = 0.1;                                                   // 4e-10 kg
    assert_int_equal(tarn_body_create(w, &def, &id, &err), TARN_BAD_INPUT);
    assert_string_equal(err.key, "density");
    assert_non_null(strstr(err.message, "kg is outside"));
    tarn_emitter_def maker = tarn_default_emitter_def(TARN_EMITTER_WAVEMAKER);
    maker.wavemaker.side = TARN_NORTH;
    tarn_world_destroy(w);
    w = wave_world("open");
    assert_int_equal(tarn_emitter_create(w, &maker, NULL, &err), TARN_BAD_INPUT);
    assert_string_equal(err.message, "a wavemaker needs a wall; the north side is not a wall");
    maker.wavemaker.side = TARN_SOUTH;
    CHECK_OK(tarn_emitter_create(w, &maker, NULL, &err));
    tarn_world_destroy(w);
}

static tarn_flow_sample nowhere(void *ctx, double x, double y)
{
    (void)ctx, (void)x, (void)y;
    return (tarn_flow_sample){0};
}

// Features of one model that another does not have.
static void unsupported_features_are_rejected(void **state)
{
    static const char *const plane[] = {"circle", "polygon"};
    static const tarn_vec2 corners[3] = {{0, 0}, {1, 0}, {0, 1}};
    const tarn_shape_def planar[] = {{.type = TARN_SHAPE_CIRCLE, .circle = {0.1}},
                                     {.type = TARN_SHAPE_POLYGON, .polygon = {corners, 3}}};
    static const char *const misfits[][2] = {
        {"wave", "penalty"}, {"shallow", "pressure"}, {"implicit", "columns"}, {"implicit", "triangles"},
        {"flow", "columns"}, {"wave", "strong"},      {"none", "weak"}};
    (void)state;
    tarn_world *w = NULL;
    tarn_error err = {0};
    char words[96];
    for (int k = 0; k < COUNT(misfits); ++k) {
        struct world_setup def = world_setup_of(misfits[k][0]);
        const tarn_value coupling = tarn_value_text(misfits[k][1]);
        CHECK_OK(tarn_kind_set(&world_kind, &def.world, "coupling.method", &coupling, &err));
        assert_int_equal(setup_create(&def, &w, &err), TARN_BAD_INPUT);
        assert_null(w);
        snprintf(words, sizeof words, "'%s' is not available in the model '%s'", misfits[k][1],
                 misfits[k][0]);
        assert_string_equal(err.key, "coupling.method");
        assert_string_equal(err.message, words);
    }
    w = wave_world(NULL);
    for (int k = 0; k < COUNT(plane); ++k) {
        const tarn_body_def def = tarn_default_body_def();
        tarn_body_id id;
        assert_int_equal(tarn_body_create_with_shape(w, &def, &planar[k], &id, &err), TARN_BAD_INPUT);
        snprintf(words, sizeof words, "shape '%s' is available in the model 'flow' only", plane[k]);
        assert_string_equal(err.key, "shape");
        assert_string_equal(err.message, words);
    }
    assert_int_equal(tarn_flow_set_fields(w, nowhere, NULL, &err), TARN_BAD_ARGUMENT);
    assert_string_equal(err.message, "not available in the model 'wave'");
    tarn_world_destroy(w);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(invalid_numbers_are_rejected),
        cmocka_unit_test(invalid_bodies_are_rejected),
        cmocka_unit_test(unsupported_features_are_rejected),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
