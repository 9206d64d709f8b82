// Settings, user data and threads that change between steps, and the status of a world.
#include "body_def.h"
#include "check.h"
#include "world_setup.h"

#include <tarn/tarn.h>

#include <math.h>

#define RADIUS 0.2

static tarn_world *create_world(const char *model)
{
    struct world_setup def = world_setup_of(model);
    tarn_world *w = NULL;
    set_size(&def.fluid, 6.0, 6.0);
    set_cells(&def.fluid, 24, 24); // `none` has no grid
    set_depth(&def.fluid, 1.0);
    CHECK_OK(setup_create(&def, &w, NULL));
    return w;
}

static tarn_body_id add_ball(tarn_world *w, double x, double y)
{
    tarn_body_def def = body_def("sphere");
    tarn_body_id id;
    CHECK_OK(set_shape(&def, "radius", tarn_value_number(RADIUS), NULL));
    def.position = (tarn_vec3){x, y, 0.0}, def.density = 500.0, def.drag_coefficient = 0.0;
    CHECK_OK(tarn_body_create(w, &def, &id, NULL));
    return id;
}

static void run(tarn_world *w, int steps)
{
    for (int n = 0; n < steps; ++n) CHECK_OK(tarn_world_step(w));
}

static double height_of(const tarn_world *w, tarn_body_id id)
{
    tarn_body_state s;
    CHECK_OK(tarn_body_get_state(w, id, &s));
    return s.position.y;
}

static void change(tarn_world *w, const tarn_world_settings *settings)
{
    tarn_error err = {0};
    if (tarn_world_set_settings(w, settings, &err) != TARN_OK) fail_msg("%s: %s", err.key, err.message);
}

// ---- settings ---------------------------------------------------------------------------------------

static void settings_are_those_of_the_definition(void **state)
{
    (void)state;
    tarn_world *w = create_world("shallow");
    const tarn_world_def def = tarn_default_world_def();
    const tarn_world_settings s = tarn_world_get_settings(w);
    CHECK_NEAR(s.gravity, def.gravity, 0.0);
    CHECK_NEAR(s.splash, def.splash, 0.0);
    CHECK_NEAR(s.hit_speed, 0.5, 0.0);
    assert_int_equal(s.enable_sleep, def.enable_sleep);
    assert_int_equal(s.enable_contacts, def.enable_contacts);
    assert_int_equal(s.retries, 0);
    const uint64_t hash = tarn_world_hash(w);
    change(w, &s);
    assert_true(tarn_world_hash(w) == hash);
    tarn_world_destroy(w);
}

// A ball falls as far as under the new gravity.
static void gravity_changes_in_dry_worlds(void **state)
{
    (void)state;
    tarn_world *w = create_world("none");
    const tarn_body_id ball = add_ball(w, 0.0, 5.0);
    tarn_world_settings s = tarn_world_get_settings(w);
    s.gravity = 1.62;
    change(w, &s);
    run(w, 60);
    CHECK_NEAR(height_of(w, ball), 5.0 - 0.5 * 1.62, 1e-9); // free flight is an exact parabola
    tarn_world_destroy(w);
}

static void bodies_stay_awake_without_sleep(void **state)
{
    (void)state;
    tarn_world *w = create_world("none");
    const tarn_body_id ball = add_ball(w, 0.0, RADIUS);
    run(w, 240);
    assert_int_equal(tarn_world_get_status(w).awake_count, 0);
    tarn_world_settings s = tarn_world_get_settings(w);
    s.enable_sleep = false;
    change(w, &s);
    assert_int_equal(tarn_world_get_status(w).awake_count, 1);
    run(w, 240);
    assert_int_equal(tarn_world_get_status(w).awake_count, 1); // it does not sleep any more
    assert_true(tarn_body_is_valid(w, ball));
    tarn_world_destroy(w);
}

static void contacts_can_be_switched_off(void **state)
{
    (void)state;
    for (int on = 0; on < 2; ++on) {
        tarn_world *w = create_world("none");
        add_ball(w, 0.0, RADIUS);
        const tarn_body_id upper = add_ball(w, 0.0, 4.0 * RADIUS);
        tarn_world_settings s = tarn_world_get_settings(w);
        s.enable_contacts = on != 0;
        change(w, &s);
        run(w, 60);
        // On the ground inside the other ball, or on top of it.
        if (on)
            assert_true(height_of(w, upper) > 2.0 * RADIUS);
        else
            assert_true(height_of(w, upper) < 1.1 * RADIUS);
        tarn_world_destroy(w);
    }
}

static int hits_of_a_fall(double hit_speed)
{
    tarn_world *w = create_world("none");
    add_ball(w, 0.0, RADIUS + 0.5); // 3.1 m/s at the ground
    tarn_world_settings s = tarn_world_get_settings(w);
    s.hit_speed = hit_speed;
    change(w, &s);
    int hits = 0;
    for (int n = 0; n < 60; ++n) {
        run(w, 1);
        hits += tarn_world_get_events(w).hit_count;
    }
    tarn_world_destroy(w);
    return hits;
}

static void hits_are_reported_above_the_hit_speed(void **state)
{
    (void)state;
    assert_true(hits_of_a_fall(2.5) > 0);
    assert_int_equal(hits_of_a_fall(3.5), 0);
}

// A ball dropped into water throws up water around itself only if the splash is on.
static void a_splash_changes_the_water(void **state)
{
    (void)state;
    uint64_t hashes[2];
    for (int on = 0; on < 2; ++on) {
        tarn_world *w = create_world("shallow");
        add_ball(w, 0.0, 1.5);
        run(w, 5); // still in the air
        tarn_world_settings s = tarn_world_get_settings(w);
        s.splash = 0.5 * on;
        change(w, &s);
        run(w, 60);
        hashes[on] = tarn_world_hash_parts(w).fluid;
        tarn_world_destroy(w);
    }
    assert_true(hashes[0] != hashes[1]);
}

static void a_restore_brings_the_settings_back(void **state)
{
    (void)state;
    tarn_world *w = create_world("none");
    add_ball(w, 0.0, 2.0);
    tarn_world_set_user_data(w, 7);
    const size_t size = tarn_world_snapshot(w, NULL, 0);
    void *buffer = malloc(size);
    assert_int_equal(tarn_world_snapshot(w, buffer, size), size);
    const uint64_t hash = tarn_world_hash(w);
    const tarn_world_settings before = tarn_world_get_settings(w),
                              other = {1.0, 1.0, 2.0, false, false, 3, {0}};
    change(w, &other);
    tarn_world_set_user_data(w, 8);
    CHECK_OK(tarn_world_restore(w, buffer, size, NULL));
    assert_true(tarn_world_hash(w) == hash);
    const tarn_world_settings after = tarn_world_get_settings(w);
    CHECK_NEAR(after.gravity, before.gravity, 0.0);
    CHECK_NEAR(after.hit_speed, before.hit_speed, 0.0);
    assert_true(after.enable_sleep && after.enable_contacts);
    assert_int_equal(after.retries, 3); // no part of the state
    assert_true(tarn_world_get_user_data(w) == 8);
    free(buffer);
    tarn_world_destroy(w);
}

static void impossible_settings_change_nothing(void **state)
{
    (void)state;
    tarn_world *w = create_world("shallow");
    const tarn_world_settings good = tarn_world_get_settings(w);
    const uint64_t hash = tarn_world_hash(w);
    tarn_error err = {0};
    struct {
        const char *key;
        tarn_world_settings settings;
    } bad[] = {{"fluid.gravity", good},
               {"fluid.gravity", good},
               {"coupling.splash", good},
               {"run.hit_speed", good},
               {"retries", good}};
    bad[0].settings.gravity = 5.0; // in a world with water
    bad[1].settings.gravity = NAN, bad[2].settings.splash = -1.0;
    bad[3].settings.hit_speed = INFINITY, bad[4].settings.retries = 9;
    for (size_t i = 0; i < sizeof bad / sizeof bad[0]; ++i) {
        assert_true(tarn_world_set_settings(w, &bad[i].settings, &err) != TARN_OK);
        assert_string_equal(err.key, bad[i].key);
        assert_true(tarn_world_hash(w) == hash);
    }
    assert_int_equal(tarn_world_set_settings(w, NULL, NULL), TARN_BAD_ARGUMENT);
    assert_int_equal(tarn_world_set_settings(NULL, &good, NULL), TARN_BAD_ARGUMENT);
    tarn_world_destroy(w);
}

// ---- user data and threads --------------------------------------------------------------------------

static void user_data_is_kept_beside_the_state(void **state)
{
    (void)state;
    tarn_world *w = create_world("shallow"), *clone = NULL;
    const uint64_t hash = tarn_world_hash(w);
    assert_true(tarn_world_get_user_data(w) == 0);
    tarn_world_set_user_data(w, UINT64_MAX);
    assert_true(tarn_world_get_user_data(w) == UINT64_MAX);
    assert_true(tarn_world_hash(w) == hash);
    CHECK_OK(tarn_world_clone(w, NULL, &clone, NULL));
    assert_true(tarn_world_get_user_data(clone) == 0);
    tarn_world_set_user_data(NULL, 1);
    assert_true(tarn_world_get_user_data(NULL) == 0);
    tarn_world_destroy(clone);
    tarn_world_destroy(w);
}

static void count_and_run(void *ctx, tarn_task_fn task, void *arg, int count)
{
    *(int *)ctx += 1;
    for (int i = 0; i < count; ++i) task(arg, i);
}

static tarn_world *create_wide_world(int workers)
{
    struct world_setup def = world_setup(TARN_FLUID_SHALLOW);
    tarn_world *w = NULL;
    def.world.host.workers = workers;
    def.fluid.shallow.size = (tarn_vec2){6.0, 6.0};
    def.fluid.shallow.cells[0] = 600, def.fluid.shallow.cells[1] = 600;
    CHECK_OK(setup_create(&def, &w, NULL));
    add_ball(w, 0.5, 1.1);
    return w;
}

// Own threads, then tasks of the program, then none: the same bits as with one thread all the time.
static void threads_can_be_replaced(void **state)
{
    (void)state;
    tarn_world *w = create_wide_world(2), *alone = create_wide_world(1);
    int calls = 0;
    const tarn_task_system tasks = {count_and_run, &calls};
    run(w, 2);
    CHECK_OK(tarn_world_set_tasks(w, &tasks));
    run(w, 2);
    const int after = calls;
    assert_true(after > 0);
    CHECK_OK(tarn_world_set_tasks(w, NULL));
    run(w, 2);
    assert_int_equal(calls, after);
    run(alone, 6);
    assert_true(tarn_world_hash(w) == tarn_world_hash(alone));
    assert_int_equal(tarn_world_set_tasks(NULL, &tasks), TARN_BAD_ARGUMENT);
    tarn_world_destroy(w);
    tarn_world_destroy(alone);
}

// ---- status -----------------------------------------------------------------------------------------

static void the_status_counts_what_there_is(void **state)
{
    (void)state;
    tarn_world *w = create_world("shallow");
    tarn_joint_def joint = tarn_default_joint_def(TARN_JOINT_ROPE);
    joint.body_a = add_ball(w, -1.0, 1.1), joint.body_b = add_ball(w, 1.0, 1.1);
    joint.anchor_a = (tarn_vec3){-1.0, 1.1, 0.0}, joint.anchor_b = (tarn_vec3){1.0, 1.1, 0.0};
    CHECK_OK(tarn_joint_create(w, &joint, NULL, NULL));
    run(w, 1);
    const tarn_world_status s = tarn_world_get_status(w);
    assert_int_equal(s.fluid, TARN_FLUID_SHALLOW);
    assert_false(s.failed);
    CHECK_NEAR(s.dt, 1.0 / 60.0, 0.0);
    CHECK_NEAR(s.cell_size, 0.25, 1e-12);
    assert_int_equal(s.body_count, 2);
    assert_int_equal(s.awake_count, 2);
    assert_int_equal(s.joint_count, 1);
    assert_int_equal(s.obstacle_count, 0);
    tarn_world_destroy(w);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(settings_are_those_of_the_definition),
        cmocka_unit_test(gravity_changes_in_dry_worlds),
        cmocka_unit_test(bodies_stay_awake_without_sleep),
        cmocka_unit_test(contacts_can_be_switched_off),
        cmocka_unit_test(hits_are_reported_above_the_hit_speed),
        cmocka_unit_test(a_splash_changes_the_water),
        cmocka_unit_test(a_restore_brings_the_settings_back),
        cmocka_unit_test(impossible_settings_change_nothing),
        cmocka_unit_test(user_data_is_kept_beside_the_state),
        cmocka_unit_test(threads_can_be_replaced),
        cmocka_unit_test(the_status_counts_what_there_is),
    };
    return cmocka_run_group_tests_name("settings", tests, NULL, NULL);
}
