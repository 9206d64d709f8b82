// Definitions of fluids and beds: those made by name and typed ones agree, worlds copy what they borrow, and
// live members change at run time.
#include "world_setup.h"

#include <stdio.h>
#include <stdlib.h>

static void definitions_and_specs_agree(void **state)
{
    (void)state;
    for (int type = 0; tarn_kind_at("fluid", type); ++type) {
        const tarn_fluid_def def = tarn_default_fluid_def((tarn_fluid_type)type);
        tarn_fluid_def again;
        tarn_spec spec, by_name;
        CHECK_OK(tarn_spec_init(&by_name, "fluid", tarn_kind_at("fluid", type)->name, NULL));
        CHECK_OK(tarn_fluid_def_to_spec(&def, &spec));
        assert_true(spec.kind == by_name.kind);
        CHECK_OK(tarn_fluid_def_from_spec(&by_name, &again));
        assert_memory_equal(&def, &again, sizeof def);
    }
    for (int type = 0; tarn_kind_at("bed", type); ++type) {
        const tarn_bed_def def = tarn_default_bed_def((tarn_bed_type)type);
        tarn_bed_def again;
        tarn_spec spec, by_name;
        CHECK_OK(tarn_spec_init(&by_name, "bed", tarn_kind_at("bed", type)->name, NULL));
        CHECK_OK(tarn_bed_def_to_spec(&def, &spec));
        assert_memory_equal(&spec, &by_name, sizeof spec);
        CHECK_OK(tarn_bed_def_from_spec(&by_name, &again));
        assert_memory_equal(&def, &again, sizeof def);
    }
    tarn_spec sphere, out;
    tarn_fluid_def fluid = {.type = (tarn_fluid_type)99};
    tarn_bed_def term = {.type = (tarn_bed_type)99};
    CHECK_OK(tarn_spec_init(&sphere, "shape", "sphere", NULL));
    assert_int_equal(tarn_fluid_def_from_spec(&sphere, &fluid), TARN_BAD_ARGUMENT);
    assert_int_equal(tarn_bed_def_from_spec(&sphere, &term), TARN_BAD_ARGUMENT);
    assert_int_equal(tarn_fluid_def_to_spec(&fluid, &out), TARN_BAD_ARGUMENT);
    assert_int_equal(tarn_bed_def_to_spec(&term, &out), TARN_BAD_ARGUMENT);
}

// NULL is no fluid: the same world as one of the type TARN_FLUID_DRY.
static void no_fluid_is_a_dry_floor(void **state)
{
    (void)state;
    const tarn_world_def empty = tarn_default_world_def();
    const struct world_setup dry = world_setup(TARN_FLUID_DRY);
    tarn_world *a = NULL, *b = NULL;
    CHECK_OK(tarn_world_create(&empty, &a, NULL));
    CHECK_OK(setup_create(&dry, &b, NULL));
    assert_true(tarn_world_hash(a) == tarn_world_hash(b));
    tarn_world_destroy(a);
    tarn_world_destroy(b);
}

// The arrays of a definition may change or disappear after the world was created; its own are in the
// definition that it returns.
static void worlds_copy_what_they_borrow(void **state)
{
    (void)state;
    tarn_hot_spot *spots = malloc(2 * sizeof *spots);
    struct world_setup def = world_setup(TARN_FLUID_FLOW);
    tarn_world *w = NULL;
    tarn_fluid_def out;
    assert_non_null(spots);
    spots[0] = (tarn_hot_spot){0.25, 0.5, 20.0}, spots[1] = (tarn_hot_spot){0.75, 1.0, 30.0};
    def.fluid.flow.cells[0] = def.fluid.flow.cells[1] = 16;
    def.fluid.flow.boundary[TARN_SOUTH].hot_spots = spots;
    def.fluid.flow.boundary[TARN_SOUTH].hot_spot_count = 2;
    def.fluid.flow.boundary[TARN_NORTH].hot_spots = spots + 1;
    def.fluid.flow.boundary[TARN_NORTH].hot_spot_count = 1;
    CHECK_OK(setup_create(&def, &w, NULL));
    memset(spots, 0xff, 2 * sizeof *spots);
    free(spots);
    CHECK_OK(tarn_world_advance(w, 0.1));
    CHECK_OK(tarn_world_get_fluid_def(w, &out));
    const tarn_flow_boundary *side = out.flow.boundary;
    assert_int_equal(side[TARN_SOUTH].hot_spot_count, 2);
    assert_int_equal(side[TARN_NORTH].hot_spot_count, 1);
    assert_int_equal(side[TARN_WEST].hot_spot_count, 0);
    CHECK_NEAR(side[TARN_SOUTH].hot_spots[1].temperature, 30.0, 0);
    CHECK_NEAR(side[TARN_NORTH].hot_spots[0].temperature, 30.0, 0);
    tarn_world_destroy(w);
}

static const tarn_fluid_type types[] = {TARN_FLUID_WAVE, TARN_FLUID_SHALLOW, TARN_FLUID_IMPLICIT,
                                        TARN_FLUID_FLOW, TARN_FLUID_DRY};

static tarn_world *small_world(tarn_fluid_type type)
{
    struct world_setup def = world_setup(type);
    tarn_world *w = NULL;
    set_cells(&def.fluid, 16, 16);
    CHECK_OK(setup_create(&def, &w, NULL));
    return w;
}

// Sets every live number and choice of a definition to another value within its range. Returns their number.
static int change_live(tarn_fluid_def *def)
{
    const tarn_kind *kind = tarn_kind_at("fluid", (int)def->type);
    int count = 0;
    for (int i = 0; i < kind->param_count; ++i) {
        const tarn_param *p = &kind->params[i];
        if (!(p->flags & TARN_PARAM_LIVE) || p->flags & TARN_PARAM_NAN || p->type != TARN_PARAM_NUMBER)
            continue;
        const double value = p->initial[0] == p->min ? p->min + 0.125 * fmin(1.0, p->max - p->min)
                                                     : 0.5 * (p->initial[0] + p->min);
        CHECK_OK(set_fluid_param(def, p->name, tarn_value_number(value), NULL));
        ++count;
    }
    return count;
}

// tarn_world_set_fluid_def() is tarn_world_set_param() for each live parameter.
static void set_def_is_set_param_for_each(void **state)
{
    (void)state;
    for (int k = 0; k < COUNT(types); ++k) {
        tarn_world *at_once = small_world(types[k]), *one_by_one = small_world(types[k]);
        const tarn_kind *kind = tarn_kind_at("fluid", (int)types[k]);
        tarn_fluid_def def;
        CHECK_OK(tarn_world_get_fluid_def(at_once, &def));
        assert_int_equal(change_live(&def) > 0, types[k] != TARN_FLUID_DRY);
        CHECK_OK(tarn_world_set_fluid_def(at_once, &def, NULL));
        tarn_spec spec;
        CHECK_OK(tarn_fluid_def_to_spec(&def, &spec));
        for (int i = 0; i < kind->param_count; ++i) {
            char path[80];
            tarn_value value;
            if (!(kind->params[i].flags & TARN_PARAM_LIVE)) continue;
            snprintf(path, sizeof path, "fluid.%s", kind->params[i].name);
            CHECK_OK(tarn_spec_get(&spec, kind->params[i].name, &value));
            CHECK_OK(tarn_world_set_param(one_by_one, path, value, NULL));
        }
        CHECK_OK(tarn_world_advance(at_once, 0.05));
        CHECK_OK(tarn_world_advance(one_by_one, 0.05));
        assert_true(tarn_world_hash(at_once) == tarn_world_hash(one_by_one));
        tarn_world_destroy(at_once);
        tarn_world_destroy(one_by_one);
    }
}

static void wrong_changes_are_refused(void **state)
{
    (void)state;
    for (int k = 0; k < COUNT(types); ++k) {
        tarn_world *w = small_world(types[k]);
        const uint64_t before = tarn_world_hash(w);
        tarn_fluid_def def;
        tarn_error err = {0};
        CHECK_OK(tarn_world_get_fluid_def(w, &def));
        def.wave.size.x *= 2.0; // all models begin with it, and it is fixed
        assert_int_equal(tarn_world_set_fluid_def(w, &def, &err), TARN_BAD_INPUT);
        assert_string_equal(err.key, "size");
        def = tarn_default_fluid_def(types[(k + 1) % COUNT(types)]);
        assert_int_equal(tarn_world_set_fluid_def(w, &def, &err), TARN_BAD_INPUT);
        assert_string_equal(err.key, "type");
        assert_int_equal(tarn_world_set_fluid_def(w, NULL, &err), TARN_BAD_ARGUMENT);
        assert_int_equal(tarn_world_set_fluid_def(NULL, &def, &err), TARN_BAD_ARGUMENT);
        assert_int_equal(tarn_world_get_fluid_def(w, NULL), TARN_BAD_ARGUMENT);
        assert_true(tarn_world_hash(w) == before);
        tarn_world_destroy(w);
    }
    tarn_world *w = small_world(TARN_FLUID_WAVE);
    tarn_fluid_def def;
    CHECK_OK(tarn_world_get_fluid_def(w, &def));
    def.wave.damping = -1.0;
    assert_int_equal(tarn_world_set_fluid_def(w, &def, NULL), TARN_BAD_INPUT);
    tarn_world_destroy(w);
}

// Bytes that a later version may use are refused, whoever fills them in.
static void reserved_members_must_be_zero(void **state)
{
    (void)state;
    tarn_world *w = NULL;
    tarn_error err = {0};
    tarn_world_def def = tarn_default_world_def();
    def.host.reserved[1] = 1;
    assert_int_equal(tarn_world_create(&def, &w, &err), TARN_BAD_INPUT);
    assert_string_equal(err.key, "reserved");
    assert_null(w);
    def.host.reserved[1] = 0;
    CHECK_OK(tarn_world_create(&def, &w, NULL));
    tarn_emitter_def emitter = tarn_default_emitter_def(TARN_EMITTER_HUMP);
    emitter.reserved[0] = 7;
    assert_int_equal(tarn_emitter_create(w, &emitter, NULL, &err), TARN_BAD_INPUT);
    tarn_joint_def joint = tarn_default_joint_def(TARN_JOINT_BALL);
    joint.reserved[3] = 7;
    assert_int_equal(tarn_joint_create(w, &joint, NULL, &err), TARN_BAD_INPUT);
    tarn_obstacle_def obstacle = tarn_default_obstacle_def(TARN_OBSTACLE_CIRCLE);
    obstacle.reserved[2] = 7;
    assert_int_equal(tarn_obstacle_create(w, &obstacle, NULL, &err), TARN_BAD_INPUT);
    tarn_body_def body = tarn_default_body_def();
    const tarn_shape_def ball = tarn_default_shape_def(TARN_SHAPE_SPHERE);
    body.reserved[0] = 7;
    assert_int_equal(tarn_body_create_with_shape(w, &body, &ball, NULL, &err), TARN_BAD_INPUT);
    assert_string_equal(err.key, "reserved");
    tarn_world_destroy(w);
}

// An object without a name cannot be found by its empty name.
static void nameless_objects_are_not_found(void **state)
{
    (void)state;
    tarn_world *w = NULL;
    tarn_world_def def = tarn_default_world_def();
    CHECK_OK(tarn_world_create(&def, &w, NULL));
    tarn_body_def body = tarn_default_body_def();
    const tarn_shape_def ball = tarn_default_shape_def(TARN_SHAPE_SPHERE);
    tarn_joint_def joint = tarn_default_joint_def(TARN_JOINT_BALL);
    CHECK_OK(tarn_body_create_with_shape(w, &body, &ball, &joint.body_a, NULL));
    joint.anchor_a = body.position;
    CHECK_OK(tarn_joint_create(w, &joint, NULL, NULL));
    assert_int_equal(tarn_body_find(w, "").value, 0);
    assert_int_equal(tarn_joint_find(w, "").value, 0);
    tarn_world_destroy(w);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(definitions_and_specs_agree),    cmocka_unit_test(no_fluid_is_a_dry_floor),
        cmocka_unit_test(worlds_copy_what_they_borrow),   cmocka_unit_test(set_def_is_set_param_for_each),
        cmocka_unit_test(wrong_changes_are_refused),      cmocka_unit_test(reserved_members_must_be_zero),
        cmocka_unit_test(nameless_objects_are_not_found),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
