// Time: single steps, pending time, remainders, many worlds.
#include "wave_world.h"

#include <tarn/tarn.h>

#define DT (1.0 / 60.0)

static tarn_world *create_pond(void)
{
    struct world_setup def = world_setup(TARN_FLUID_WAVE);
    tarn_world *w = NULL;
    tarn_error err = {0};
    def.fluid.wave.size = (tarn_vec2){4, 4};
    def.fluid.wave.cells[0] = 32, def.fluid.wave.cells[1] = 32;
    CHECK_OK(setup_create(&def, &w, &err));
    add_sphere(w, 0.3, 300, (tarn_vec3){0.5, 1.6, 0.2});
    return w;
}

// Single steps, advance() with whole steps and the loop of add_time() at any frame rate give the same states.
static void steps_do_not_depend_on_the_function_that_takes_them(void **state)
{
    (void)state;
    static const double rates[] = {30, 60, 75, 144, 240, 1000};
    tarn_world *single = create_pond();
    for (int n = 0; n < 120; ++n) CHECK_OK(tarn_world_step(single));
    const uint64_t hash = tarn_world_hash(single);
    for (int k = 0; k < COUNT(rates); ++k) {
        tarn_world *looped = create_pond(), *advanced = create_pond();
        int steps = 0;
        for (int frame = 0; frame < 2 * rates[k]; ++frame) {
            CHECK_OK(tarn_world_advance(advanced, 1 / rates[k]));
            for (int n = tarn_world_add_time(looped, 1 / rates[k]); n > 0; --n, ++steps)
                CHECK_OK(tarn_world_step(looped));
            assert_true(tarn_world_get_remainder(looped) == tarn_world_get_remainder(advanced));
            const double pending =
                (frame + 1) / rates[k] / DT - steps; // 120 additions of 1e-16 s, and a millionth
            CHECK_NEAR(tarn_world_get_remainder(looped), fmax(pending, 0.0), 2e-6);
        }
        assert_int_equal(steps, 120);
        assert_true(tarn_world_hash(looped) == tarn_world_hash(advanced));
        if (rates[k] == 60) assert_true(tarn_world_hash(looped) == hash);
        assert_true(tarn_world_hash_parts(looped).fluid == tarn_world_hash_parts(single).fluid);
        assert_true(tarn_world_hash_parts(looped).bodies == tarn_world_hash_parts(single).bodies);
        tarn_world_destroy(looped), tarn_world_destroy(advanced);
    }
    tarn_world_destroy(single);
}

// A force gives its impulse in exactly one step: m dv = F dt to rounding for a body that falls without water.
static void forces_act_in_one_step(void **state)
{
    (void)state;
    const struct world_setup def = world_setup(TARN_FLUID_DRY);
    tarn_world *w = NULL;
    CHECK_OK(setup_create(&def, &w, NULL));
    const tarn_body_id body = add_sphere(w, 0.3, 300, (tarn_vec3){0, 3, 0});
    tarn_body_info info;
    tarn_body_state s;
    CHECK_OK(tarn_body_get_info(w, body, &info));
    for (int n = 1; n <= 5; ++n) {
        CHECK_OK(tarn_body_apply_central_force(w, body, (tarn_vec3){60 * info.mass, 0, 0}));
        assert_int_equal(tarn_world_add_time(w, 0.5 * DT), n % 2 == 0);
        CHECK_OK(tarn_world_step(w));
        CHECK_OK(tarn_world_step(w)); // without the force
        CHECK_OK(tarn_body_get_state(w, body, &s));
        CHECK_NEAR(s.velocity.x, n, 1e-12);
    }
    assert_int_equal(tarn_world_get_status(w).steps, 10);
    tarn_world_destroy(w);
}

static void backwards(void *context, tarn_task_fn task, void *arg, int count)
{
    (void)context;
    for (int i = count - 1; i >= 0; --i) task(arg, i);
}

// Many worlds step as each alone, whoever runs them; the events of a call are those of all its steps.
static void worlds_step_together_as_alone(void **state)
{
    (void)state;
    enum { WORLDS = 5, STEPS = 90 };
    const tarn_task_system tasks = {backwards, NULL};
    tarn_world *alone = create_pond(), *together[WORLDS];
    tarn_result results[WORLDS];
    int entered = 0;
    for (int n = 0; n < STEPS; ++n) {
        CHECK_OK(tarn_world_step(alone));
        entered += tarn_world_get_events(alone).water_entered_count;
    }
    assert_true(entered > 0);
    for (int k = 0; k < 2; ++k) {
        for (int i = 0; i < WORLDS; ++i) together[i] = create_pond();
        CHECK_OK(tarn_worlds_step(together, WORLDS, STEPS, k ? &tasks : NULL, results));
        for (int i = 0; i < WORLDS; ++i) {
            assert_int_equal(results[i], TARN_OK);
            assert_true(tarn_world_hash(together[i]) == tarn_world_hash(alone));
            assert_int_equal(tarn_world_get_events(together[i]).water_entered_count, entered);
            tarn_world_destroy(together[i]);
        }
    }
    tarn_world_destroy(alone);
}

static void bad_arguments_are_refused(void **state)
{
    (void)state;
    tarn_world *w = create_pond();
    const uint64_t hash = tarn_world_hash(w);
    tarn_result result;
    assert_int_equal(tarn_world_step(NULL), TARN_BAD_ARGUMENT);
    assert_int_equal(tarn_world_add_time(NULL, 1.0), 0);
    assert_int_equal(tarn_world_add_time(w, -1.0), 0);
    assert_int_equal(tarn_world_add_time(w, 10.5), 0);
    assert_int_equal(tarn_world_add_time(w, NAN), 0);
    assert_true(tarn_world_get_remainder(NULL) == 0.0);
    assert_int_equal(tarn_worlds_step(&w, 1, -1, NULL, &result), TARN_BAD_ARGUMENT);
    assert_int_equal(tarn_worlds_step(NULL, 1, 1, NULL, &result), TARN_BAD_ARGUMENT);
    CHECK_OK(tarn_worlds_step(&w, 1, 0, NULL, &result));
    assert_true(tarn_world_hash(w) == hash);
    tarn_world_destroy(w);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(steps_do_not_depend_on_the_function_that_takes_them),
        cmocka_unit_test(forces_act_in_one_step),
        cmocka_unit_test(worlds_step_together_as_alone),
        cmocka_unit_test(bad_arguments_are_refused),
    };
    return cmocka_run_group_tests_name("steps", tests, NULL, NULL);
}
