// Commands: what a hand does to a world, and that it can be done again.
#include "buffer.h"
#include "check.h"

#include <tarn/command.h>
#include <tarn/tarn.h>

#include <string.h>

static tarn_world *pond(const char *model)
{
    tarn_world_def def = tarn_world_def_default(model);
    tarn_world *w = NULL;
    tarn_spec_set(&def.fluid, "size", tarn_pair(4, 4), NULL);
    tarn_spec_set(&def.fluid, "cells", tarn_pair(64, 64), NULL);
    assert_int_equal(tarn_world_create(&def, &w, NULL), TARN_OK);
    return w;
}

static tarn_body ball(tarn_world *w)
{
    tarn_body id;
    tarn_body_def def = tarn_body_def_default("sphere");
    tarn_spec_set(&def.shape, "radius", tarn_number(0.2), NULL);
    def.position = (tarn_vec3){0, 1, 0};
    assert_int_equal(tarn_body_create(w, &def, &id, NULL), TARN_OK);
    return id;
}

static void steps(tarn_world *w, int count)
{
    for (int n = 0; n < count; ++n) assert_int_equal(tarn_world_step(w, 1.0 / 60.0), TARN_OK);
}

static void give(tarn_world *w, tarn_command c)
{
    tarn_error err;
    if (tarn_world_command(w, &c, &err) != TARN_OK) fail_msg("%s: %s", tarn_command_name(c.kind), err.text);
}

// A body that is held follows the hand, and keeps its speed when it is let go.
static void a_hand_holds_and_throws(void **state)
{
    (void)state;
    tarn_world *w = pond("wave");
    const tarn_body id = ball(w);
    tarn_motion m;
    give(w, (tarn_command){.kind = TARN_GRAB, .body = id, .at = {0, 1, 0}});
    for (int n = 1; n <= 60; ++n) { // 1 m to the side in a second
        give(w, (tarn_command){.kind = TARN_PULL, .at = {n / 60.0, 2.0, 0}});
        steps(w, 1);
    }
    assert_int_equal(tarn_body_motion(w, id, &m), TARN_OK);
    CHECK_NEAR(m.position.x, 1.0, 0.25); // a critically damped spring of 0.1 s lags by 0.2 s times the speed
    assert_true(m.position.y > 1.7);     // lifted out
    assert_true(m.velocity.x > 0.3);     // on average 1; it swings below the hand like a pendulum
    give(w, (tarn_command){.kind = TARN_RELEASE});
    const tarn_vec3 before = m.velocity;
    steps(w, 6);
    assert_int_equal(tarn_body_motion(w, id, &m), TARN_OK);
    CHECK_NEAR(m.velocity.x, before.x, 1e-6);
    CHECK_NEAR(m.velocity.y, before.y - 9.81 * 0.1, 1e-6); // it falls, and nothing else
    assert_int_equal(tarn_world_command(w, &(tarn_command){.kind = TARN_RELEASE}, NULL), TARN_BAD_ARGUMENT);
    tarn_world_destroy(w);
}

// A hand holds one body: taking another lets go of the first.
static void a_hand_holds_one_body(void **state)
{
    (void)state;
    tarn_world *w = pond("none");
    const tarn_body a = ball(w), b = ball(w);
    tarn_motion m = {.position = {1, 1, 1}, .rotation = {1, 0, 0, 0}};
    assert_int_equal(tarn_body_move(w, b, &m), TARN_OK);
    give(w, (tarn_command){.kind = TARN_GRAB, .body = a, .at = {0, 1, 0}});
    give(w, (tarn_command){.kind = TARN_GRAB, .body = b, .at = {1, 1, 1}});
    steps(w, 30);
    assert_int_equal(tarn_body_motion(w, a, &m), TARN_OK);
    assert_true(m.position.y < 0.5);
    assert_int_equal(tarn_body_motion(w, b, &m), TARN_OK);
    assert_true(m.position.y > 0.8);
    tarn_world_destroy(w);
}

// A poke starts with the speed it names and moves no volume; a stir carries the water its way.
static void water_is_poked_and_stirred(void **state)
{
    (void)state;
    static const char *const models[] = {"wave", "shallow"};
    for (int k = 0; k < 2; ++k) {
        tarn_world *w = pond(models[k]);
        const double volume = tarn_world_ledger(w).volume;
        give(w, (tarn_command){.kind = TARN_POKE, .at = {0.5, 1, 0.5}, .radius = 0.5, .strength = 0.5});
        steps(w, 1);
        // The middle has sunk by 0.5 m/s for 1/60 s; waves of 3 m/s soften a dent of 0.5 m by a tenth meanwhile.
        CHECK_NEAR(tarn_water_at(w, 0.5, 0.5).height, 1.0 - 0.5 / 60.0, 0.15 * 0.5 / 60.0);
        CHECK_NEAR(tarn_water_at(w, -1.5, -1.5).height, 1.0, 1e-6);
        CHECK_NEAR(tarn_world_ledger(w).volume, volume, 1e-6 * volume);
        tarn_world_destroy(w);

        w = pond(models[k]);
        give(w, (tarn_command){.kind = TARN_STIR, .at = {0, 1, 0}, .way = {0.2, 0, 0.1}, .radius = 0.5});
        const tarn_surface s = tarn_water_at(w, 0, 0);
        CHECK_NEAR(s.velocity.x, 0.2, 0.02); // the grid rounds off the middle: (s/R)^2 of it
        CHECK_NEAR(s.velocity.z, 0.1, 0.01);
        CHECK_NEAR(tarn_world_ledger(w).volume, volume, 1e-6 * volume);
        tarn_world_destroy(w);
    }
}

// The same commands before the same steps: the same bits, with a checkpoint in the middle of a grab too.
static uint64_t play(int save_at)
{
    tarn_world *w = pond("shallow");
    tarn_command throw = {.kind = TARN_SPAWN, .at = {-1, 1.5, 0}, .way = {2, 1, 0}, .density = 300};
    const tarn_body id = ball(w);
    tarn_spec_init(&throw.spec, "shape", "box", NULL);
    memcpy(throw.path, "thrown", 7);
    tarn_command rain = {.kind = TARN_EMIT};
    tarn_spec_init(&rain.spec, "emitter", "rain", NULL);
    for (int n = 0; n < 60; ++n) {
        if (n == 2) give(w, throw);
        if (n == 3) give(w, (tarn_command){.kind = TARN_GRAB, .body = id, .at = {0, 1.1, 0}});
        if (n > 3 && n < 40) give(w, (tarn_command){.kind = TARN_PULL, .at = {0.02 * n, 1.5, 0}});
        if (n == 40) give(w, (tarn_command){.kind = TARN_RELEASE});
        if (n == 41) give(w, rain);
        if (n == 45)
            give(w, (tarn_command){.kind = TARN_SET, .path = "emitters[0].rate", .value = tarn_number(1e-3)});
        if (n == 50) give(w, (tarn_command){.kind = TARN_REMOVE, .body = tarn_body_find(w, "thrown")});
        if (n == save_at) {
            static struct buffer saved;
            saved.size = saved.at = 0;
            assert_int_equal(tarn_world_save(w, buffer_put, &saved), TARN_OK);
            tarn_world_destroy(w);
            assert_int_equal(tarn_world_load(buffer_get, &saved, NULL, &w, NULL), TARN_OK);
        }
        steps(w, 1);
    }
    assert_int_equal(tarn_world_status(w).bodies, 1);
    const uint64_t hash = tarn_world_hash(w);
    tarn_world_destroy(w);
    return hash;
}

static void commands_can_be_repeated(void **state)
{
    (void)state;
    const uint64_t once = play(-1);
    assert_true(once == play(-1));
    assert_true(once == play(20));
}

// What cannot be done is refused, and the world is as it was.
static void mistakes_change_nothing(void **state)
{
    (void)state;
    tarn_world *w = pond("wave"), *dry = pond("none");
    const uint64_t before = tarn_world_hash(w);
    tarn_command box = {.kind = TARN_SPAWN, .at = {9, 1, 0}, .density = 300};
    tarn_spec_init(&box.spec, "shape", "box", NULL);
    const tarn_command bad[] = {
        {.kind = 0},
        {.kind = 99},
        {.kind = TARN_GRAB, .body = {7, 7}},
        {.kind = TARN_PULL},
        {.kind = TARN_RELEASE},
        {.kind = TARN_POKE, .at = {9, 0, 0}, .radius = 1, .strength = 1},
        {.kind = TARN_POKE, .radius = 0, .strength = 1},
        {.kind = TARN_POKE, .radius = 1, .strength = NAN},
        {.kind = TARN_STIR, .radius = 1, .way = {INFINITY, 0, 0}},
        {.kind = TARN_STIR, .radius = NAN},
        {.kind = TARN_SPAWN, .density = 300},
        box,
        {.kind = TARN_REMOVE},
        {.kind = TARN_SET, .path = "fluid.size", .value = tarn_pair(1, 1)},
        {.kind = TARN_SET, .path = "fluid.nothing", .value = tarn_number(1)},
        {.kind = TARN_EMIT},
    };
    for (size_t k = 0; k < sizeof bad / sizeof bad[0]; ++k) {
        tarn_error err = {0};
        const tarn_result r = tarn_world_command(w, &bad[k], &err);
        if (r != TARN_BAD_ARGUMENT && r != TARN_BAD_INPUT) fail_msg("command %zu: %d", k, (int)r);
        if (!err.text[0]) fail_msg("command %zu says nothing", k);
    }
    assert_true(before == tarn_world_hash(w));
    const tarn_command poke = {.kind = TARN_POKE, .radius = 1, .strength = 1};
    assert_int_equal(tarn_world_command(dry, &poke, NULL), TARN_BAD_INPUT);
    assert_null(tarn_command_name(0));
    assert_string_equal(tarn_command_name(TARN_EMIT), "emit");
    tarn_world_destroy(w);
    tarn_world_destroy(dry);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_hand_holds_and_throws),    cmocka_unit_test(a_hand_holds_one_body),
        cmocka_unit_test(water_is_poked_and_stirred), cmocka_unit_test(commands_can_be_repeated),
        cmocka_unit_test(mistakes_change_nothing),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
