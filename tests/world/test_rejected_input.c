// What cannot be is refused with its words: numbers, bodies, and what does not fit the model.
#include "wave_world.h"

#include "world/world.h"

#include <stdio.h>

static tarn_world *wave_world(const char *north)
{
    return wave_world_create(&(struct wave_world){
        .wide = 4, .deep = 4, .nx = 16, .nz = 16, .depth = 1, .side = {NULL, NULL, NULL, north}});
}

static void impossible_numbers_are_refused(void **state)
{
    (void)state;
    tarn_world *w = NULL;
    tarn_error err = {0};
    tarn_world_def def = tarn_world_def_default("wave");
    def.host.workers = 65;
    assert_int_equal(tarn_world_create(&def, &w, &err), TARN_BAD_ARGUMENT);
    assert_string_equal(err.text, "65 is outside 0 .. 64");
    def = tarn_world_def_default("wave");
    def.coupling = 99; // written past the functions that look
    assert_int_equal(tarn_world_create(&def, &w, &err), TARN_BAD_INPUT);
    assert_non_null(strstr(err.text, "99 is not one of"));
    assert_int_equal(tarn_spec_set(&def.fluid, "cells", tarn_pair(16, 16.5), &err), TARN_BAD_INPUT);
    assert_string_equal(err.text, "16.5 is not a whole number");
    def = tarn_world_def_default("wave"); // 1 cm wide and 10 km deep
    def.dt = 0.1;
    CHECK_OK(tarn_spec_set(&def.fluid, "size", tarn_pair(0.01, 0.01), &err));
    CHECK_OK(tarn_spec_set(&def.fluid, "cells", tarn_pair(2048, 2048), &err));
    CHECK_OK(tarn_spec_set(&def.fluid, "depth", tarn_number(1e4), &err));
    assert_int_equal(tarn_world_create(&def, &w, &err), TARN_BAD_INPUT);
    assert_non_null(strstr(err.text, "needs more than a million substeps"));
}

static void impossible_bodies_are_refused(void **state)
{
    (void)state;
    tarn_world *w = wave_world(NULL);
    tarn_error err = {0};
    tarn_body id;
    tarn_body_def def = tarn_body_def_default("sphere");
    def.position = (tarn_vec3){0, 1, 0};
    const tarn_body_def good = def;
    tarn_spec_set(&def.shape, "radius", tarn_number(100), NULL);
    assert_int_equal(tarn_body_create(w, &def, &id, &err), TARN_BAD_INPUT);
    assert_non_null(strstr(err.text, "m across does not fit into a tank of 4 x 4 m"));
    def = good, def.part_count = -1;
    assert_int_equal(tarn_body_create(w, &def, &id, &err), TARN_BAD_INPUT);
    assert_non_null(strstr(err.text, "-1 parts are outside 0 .."));
    def = good, def.part_count = 1;
    assert_int_equal(tarn_body_create(w, &def, &id, &err), TARN_BAD_INPUT);
    assert_string_equal(err.key, "parts");
    def = good, def.mesh.triangle_count = 4;
    assert_int_equal(tarn_body_create(w, &def, &id, &err), TARN_BAD_INPUT);
    assert_string_equal(err.text, "mesh arrays are missing");
    def = good;
    CHECK_OK(tarn_spec_set(&def.shape, "radius", tarn_number(0.001), &err)); // 4e-9 m^3
    def.density = 0.1;                                                       // 4e-10 kg
    assert_int_equal(tarn_body_create(w, &def, &id, &err), TARN_BAD_INPUT);
    assert_string_equal(err.key, "density");
    assert_non_null(strstr(err.text, "kg is outside"));
    tarn_spec maker;
    CHECK_OK(tarn_spec_init(&maker, "emitter", "wavemaker", NULL));
    CHECK_OK(tarn_spec_set(&maker, "side", tarn_word("north"), NULL));
    tarn_world_destroy(w);
    w = wave_world("open");
    assert_int_equal(tarn_emitter_create(w, &maker, &err), TARN_BAD_INPUT);
    assert_string_equal(err.text, "a wavemaker needs a wall; the north side is not a wall");
    CHECK_OK(tarn_spec_set(&maker, "side", tarn_word("south"), NULL));
    CHECK_OK(tarn_emitter_create(w, &maker, &err));
    tarn_world_destroy(w);
}

// A body beside it that has parts, or triangles, does not lend them.
static void compounds_without_parts_are_refused(void **state)
{
    (void)state;
    tarn_world *w = wave_world(NULL);
    tarn_error err = {0};
    tarn_body id;
    tarn_part part = {.rotation = {1, 0, 0, 0}};
    CHECK_OK(tarn_spec_init(&part.shape, "shape", "box", NULL));
    tarn_body_def def = tarn_body_def_default("compound");
    assert_int_equal(tarn_body_create(w, &def, &id, &err), TARN_BAD_INPUT);
    def.parts = &part, def.part_count = 1;
    CHECK_OK(tarn_body_create(w, &def, &id, &err));
    def.parts = NULL, def.part_count = 0, def.position.x = 1.0;
    assert_int_equal(tarn_body_create(w, &def, &id, &err), TARN_BAD_INPUT);
    assert_string_equal(err.text, "a compound needs at least one part");
    tarn_world_destroy(w);
}

static tarn_flow nowhere(void *ctx, double x, double y)
{
    (void)ctx, (void)x, (void)y;
    return (tarn_flow){0};
}

// What one model has and another has not.
static void unsupported_features_are_refused(void **state)
{
    static const char *const plane[] = {"circle", "polygon"};
    static const char *const misfits[][2] = {
        {"wave", "penalty"}, {"shallow", "pressure"}, {"implicit", "columns"}, {"implicit", "triangles"}};
    (void)state;
    tarn_world *w = NULL;
    tarn_error err = {0};
    char words[96];
    for (int k = 0; k < COUNT(misfits); ++k) {
        tarn_world_def def = tarn_world_def_default(misfits[k][0]);
        const tarn_value coupling = tarn_word(misfits[k][1]);
        CHECK_OK(tarn_kind_set(&world_kind, &def, "coupling.kind", &coupling, &err));
        assert_int_equal(tarn_world_create(&def, &w, &err), TARN_BAD_INPUT);
        assert_null(w);
        snprintf(words, sizeof words, "'%s' does not fit the model '%s'", misfits[k][1], misfits[k][0]);
        assert_string_equal(err.key, "coupling");
        assert_string_equal(err.text, words);
    }
    w = wave_world(NULL);
    for (int k = 0; k < COUNT(plane); ++k) {
        const tarn_body_def def = tarn_body_def_default(plane[k]);
        tarn_body id;
        assert_int_equal(tarn_body_create(w, &def, &id, &err), TARN_BAD_INPUT);
        snprintf(words, sizeof words, "'%s' is a shape of a plane, for the model 'flow'", plane[k]);
        assert_string_equal(err.key, "shape");
        assert_string_equal(err.text, words);
    }
    assert_int_equal(tarn_flow_fill(w, nowhere, NULL, &err), TARN_BAD_ARGUMENT);
    assert_string_equal(err.text, "the model 'wave' cannot do this");
    tarn_world_destroy(w);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(impossible_numbers_are_refused),
        cmocka_unit_test(impossible_bodies_are_refused),
        cmocka_unit_test(compounds_without_parts_are_refused),
        cmocka_unit_test(unsupported_features_are_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
