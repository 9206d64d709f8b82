// Commands: what a hand does to a world, and that it can be done again.
#include "check.h"
#include "memory_stream.h"

#include <tarn/command.h>
#include <tarn/tarn.h>

#include <string.h>

static tarn_world *wave_world(const char *model)
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

static void set_shape_number(tarn_world *w, tarn_command c)
{
    tarn_error err;
    if (tarn_world_command(w, &c, &err) != TARN_OK) fail_msg("%s: %s", tarn_command_name(c.kind), err.text);
}

// A body that is held follows the hand, and keeps its speed when it is let go.
static void a_grabbed_body_follows_and_is_thrown(void **state)
{
    (void)state;
    tarn_world *w = wave_world("wave");
    const tarn_body id = ball(w);
    tarn_motion m;
    set_shape_number(w, (tarn_command){.kind = TARN_GRAB, .body = id, .at = {0, 1, 0}});
    for (int n = 1; n <= 60; ++n) { // 1 m to the side in a second
        set_shape_number(w, (tarn_command){.kind = TARN_PULL, .at = {n / 60.0, 2.0, 0}});
        steps(w, 1);
    }
    assert_int_equal(tarn_body_motion(w, id, &m), TARN_OK);
    CHECK_NEAR(m.position.x, 1.0, 0.25); // a critically damped spring of 0.1 s lags by 0.2 s times the speed
    assert_true(m.position.y > 1.7);     // lifted out
    assert_true(m.velocity.x > 0.3);     // on average 1; it swings below the hand like a pendulum
    set_shape_number(w, (tarn_command){.kind = TARN_RELEASE});
    const tarn_vec3 before = m.velocity;
    steps(w, 6);
    assert_int_equal(tarn_body_motion(w, id, &m), TARN_OK);
    CHECK_NEAR(m.velocity.x, before.x, 1e-6);
    CHECK_NEAR(m.velocity.y, before.y - 9.81 * 0.1, 1e-6); // it falls, and nothing else
    assert_int_equal(tarn_world_command(w, &(tarn_command){.kind = TARN_RELEASE}, NULL), TARN_BAD_ARGUMENT);
    tarn_world_destroy(w);
}

// A hand holds one body: taking another lets go of the first.
static void one_body_is_grabbed_at_a_time(void **state)
{
    (void)state;
    tarn_world *w = wave_world("none");
    const tarn_body a = ball(w), b = ball(w);
    tarn_motion m = {.position = {1, 1, 1}, .rotation = {1, 0, 0, 0}};
    assert_int_equal(tarn_body_move(w, b, &m), TARN_OK);
    set_shape_number(w, (tarn_command){.kind = TARN_GRAB, .body = a, .at = {0, 1, 0}});
    set_shape_number(w, (tarn_command){.kind = TARN_GRAB, .body = b, .at = {1, 1, 1}});
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
        tarn_world *w = wave_world(models[k]);
        const double volume = tarn_world_ledger(w).volume;
        set_shape_number(
            w, (tarn_command){.kind = TARN_POKE, .at = {0.5, 1, 0.5}, .radius = 0.5, .strength = 0.5});
        steps(w, 1);
        // The middle has sunk by 0.5 m/s for 1/60 s; waves of 3 m/s soften a dent of 0.5 m by a tenth
        // meanwhile.
        CHECK_NEAR(tarn_water_at(w, 0.5, 0.5).height, 1.0 - 0.5 / 60.0, 0.15 * 0.5 / 60.0);
        CHECK_NEAR(tarn_water_at(w, -1.5, -1.5).height, 1.0, 1e-6);
        CHECK_NEAR(tarn_world_ledger(w).volume, volume, 1e-6 * volume);
        tarn_world_destroy(w);

        w = wave_world(models[k]);
        set_shape_number(
            w, (tarn_command){.kind = TARN_STIR, .at = {0, 1, 0}, .way = {0.2, 0, 0.1}, .radius = 0.5});
        const tarn_surface s = tarn_water_at(w, 0, 0);
        CHECK_NEAR(s.velocity.x, 0.2, 0.02); // the grid rounds off the middle: (s/R)^2 of it
        CHECK_NEAR(s.velocity.z, 0.1, 0.01);
        CHECK_NEAR(tarn_world_ledger(w).volume, volume, 1e-6 * volume);
        tarn_world_destroy(w);
    }
}

// ---- ground ---------------------------------------------------------------------------------------

// A hill under water lifts it, to the height it names; depths stay, so no drop is won or lost, and what lies
// still for long is level again. Dug away, the ground is where it was.
static void ground_goes_up_and_down(void **state)
{
    (void)state;
    static const char *const models[] = {"shallow", "implicit"};
    for (int k = 0; k < 2; ++k) {
        tarn_world *w = wave_world(models[k]);
        tarn_frame before = {0}, after = {0};
        const double volume = tarn_world_ledger(w).volume;
        assert_int_equal(tarn_world_frame(w, 1.0, &before), TARN_OK);
        set_shape_number(
            w, (tarn_command){.kind = TARN_RAISE, .at = {0.5, 0, 0.5}, .radius = 0.4, .strength = 0.3});
        assert_int_equal(tarn_world_frame(w, 1.0, &after), TARN_OK);
        const int c = 40 * 64 + 40; // 0.03 m beside the middle of the hill along x and z: exp(-0.012)
        CHECK_NEAR((double)(after.bed[c] - before.bed[c]), 0.3, 0.006);
        CHECK_NEAR((double)(after.height[c] - before.height[c]), (double)(after.bed[c] - before.bed[c]), 0);
        CHECK_NEAR((double)(after.bed[0] - before.bed[0]), 0, 0); // out of reach
        CHECK_NEAR(tarn_world_ledger(w).volume, volume, 0);
        steps(w, 60);
        CHECK_NEAR(tarn_world_ledger(w).volume, volume, 0);
        CHECK_NEAR(tarn_world_ledger(w).volume_drift, 0, 0);
        double most = 0.0;
        for (double x = -1.8; x < 0.0; x += 0.1) most = fmax(most, fabs(tarn_water_at(w, x, x).height - 1.0));
        assert_true(most > 1e-3); // a wave has run there
        set_shape_number(
            w, (tarn_command){.kind = TARN_RAISE, .at = {0.5, 0, 0.5}, .radius = 0.4, .strength = -0.3});
        assert_int_equal(tarn_world_frame(w, 1.0, &after), TARN_OK);
        CHECK_NEAR((double)after.bed[c], (double)before.bed[c],
                   1e-6); // heights are counted in quanta of 2^-22 m
        tarn_frame_free(&before);
        tarn_frame_free(&after);
        tarn_world_destroy(w);
    }
}

// Ground that grows without end stops at what depths can be counted over; a body on it is lifted, and wakes.
static void ground_has_its_limits(void **state)
{
    (void)state;
    tarn_world *w = wave_world("shallow");
    tarn_body id;
    tarn_body_def def = tarn_body_def_default("box");
    tarn_motion before, after;
    def.density = 3000, def.position = (tarn_vec3){0, 0.5, 0};
    tarn_spec_set(&def.shape, "size", tarn_triple(0.3, 0.3, 0.3), NULL);
    assert_int_equal(tarn_body_create(w, &def, &id, NULL), TARN_OK);
    steps(w, 240); // it lies on the ground, asleep
    assert_int_equal(tarn_body_motion(w, id, &before), TARN_OK);
    for (int n = 0; n < 40; ++n) {
        set_shape_number(w, (tarn_command){.kind = TARN_RAISE, .radius = 0.5, .strength = 0.02});
        steps(w, 2);
    }
    assert_int_equal(tarn_body_motion(w, id, &after), TARN_OK);
    assert_true(after.position.y > before.position.y + 0.3);
    const double volume = tarn_world_ledger(w).volume;
    for (int n = 0; n < 200; ++n)
        set_shape_number(
            w, (tarn_command){.kind = TARN_RAISE, .at = {-1, 0, -1}, .radius = 0.5, .strength = 0.5});
    tarn_frame f = {0};
    assert_int_equal(tarn_world_frame(w, 1.0, &f), TARN_OK);
    CHECK_NEAR((double)f.bed[16 * 64 + 16], 1.0 + 4.0, 1e-6); // twice the scale, which is twice the depth
    for (int n = 0; n < 200; ++n)
        set_shape_number(
            w, (tarn_command){.kind = TARN_RAISE, .at = {1, 0, 1}, .radius = 0.5, .strength = -0.5});
    assert_int_equal(tarn_world_frame(w, 1.0, &f), TARN_OK);
    CHECK_NEAR((double)f.bed[48 * 64 + 48], 1.0 - 2.0, 1e-6);
    CHECK_NEAR(tarn_world_ledger(w).volume, volume, 0);
    steps(w, 60);
    CHECK_NEAR(tarn_world_ledger(w).volume_drift, 0, 0);
    tarn_frame_free(&f);
    tarn_world_destroy(w);
}

// ---- flat worlds ----------------------------------------------------------------------------------

static tarn_world *plane(void)
{
    tarn_world_def def = tarn_world_def_default("flow");
    tarn_world *w = NULL;
    tarn_spec_set(&def.fluid, "size", tarn_pair(2, 2), NULL);
    tarn_spec_set(&def.fluid, "cells", tarn_pair(64, 64), NULL);
    assert_int_equal(tarn_world_create(&def, &w, NULL), TARN_OK);
    return w;
}

static tarn_flow flow_at(const tarn_world *w, double x, double y)
{
    tarn_flow f;
    assert_int_equal(tarn_flow_at(w, x, y, &f), TARN_OK);
    return f;
}

// Dye and heat are where the finger was, as much as it says, and the ledger knows; a stir takes the fluid
// along.
static void planar_fluid_is_dyed_heated_and_stirred(void **state)
{
    (void)state;
    tarn_world *w = plane();
    const double pi = 3.14159265358979;
    set_shape_number(w,
                     (tarn_command){.kind = TARN_DYE, .at = {0.5, 0.7, 9}, .radius = 0.1, .strength = 2.0});
    set_shape_number(
        w, (tarn_command){.kind = TARN_WARM, .at = {1.5, 0.7, 0}, .radius = 0.1, .strength = -30.0});
    CHECK_NEAR(flow_at(w, 0.5, 0.7).dye, 2.0, 0.1);    // the grid rounds off the middle: (s/R)^2 of it
    CHECK_NEAR(flow_at(w, 1.5, 0.7).heat, -30.0, 1.5); // likewise
    CHECK_NEAR(flow_at(w, 1.0, 1.7).dye, 0.0, 0.0);
    const tarn_ledger l = tarn_world_ledger(w);
    CHECK_NEAR(l.dye, 2.0 * pi * 0.01, 0.003 * 2.0 * pi * 0.01); // less exp(-REACH^2) = 0.2 %
    CHECK_NEAR(l.dye_emitted, l.dye, 1e-12);
    CHECK_NEAR(l.heat, -30.0 * pi * 0.01, 0.003 * 30.0 * pi * 0.01);
    set_shape_number(w,
                     (tarn_command){.kind = TARN_STIR, .at = {1, 1, 0}, .way = {0.8, 0.4, 0}, .radius = 0.2});
    CHECK_NEAR(flow_at(w, 1, 1).u, 0.75 * 0.8, 0.04); // three quarters of the way, see command.c
    CHECK_NEAR(flow_at(w, 1, 1).v, 0.75 * 0.4, 0.02);
    steps(w, 1);
    assert_true(flow_at(w, 1, 1).u > 0.2 && tarn_flow_divergence(w) < 1e-3);
    assert_true(flow_at(w, 1.0, 1.6).u < 0.0); // and it comes back round the sides
    tarn_world_destroy(w);
}

// A plank that is held at its end and pulled up there turns, by the torque that force and lever make.
static void planar_bodies_can_be_grabbed(void **state)
{
    (void)state;
    tarn_world *w = plane();
    tarn_body id;
    tarn_motion m;
    tarn_body_def def = tarn_body_def_default("box");
    def.position = (tarn_vec3){1, 1, 0};
    def.density = 1000; // as the water: it neither sinks nor rises
    tarn_spec_set(&def.shape, "size", tarn_triple(0.6, 0.1, 0.1), NULL);
    assert_int_equal(tarn_body_create(w, &def, &id, NULL), TARN_OK);
    set_shape_number(
        w, (tarn_command){.kind = TARN_GRAB, .body = id, .at = {1.25, 1, 3}}); // depth does not count
    set_shape_number(w, (tarn_command){.kind = TARN_PULL, .at = {1.25, 1.3, -2}});
    steps(w, 12);
    assert_int_equal(tarn_body_motion(w, id, &m), TARN_OK);
    assert_true(m.spin.z > 0.1 && m.rotation.z > 0.02);
    assert_true(m.position.y > 1.01 && m.position.z == 0.0);
    steps(w, 120);
    assert_int_equal(tarn_body_motion(w, id, &m), TARN_OK);
    const double half = 2.0 * atan2(m.rotation.z, m.rotation.w); // the held end comes to the hand
    CHECK_NEAR(m.position.x + 0.25 * cos(half), 1.25, 0.03);
    CHECK_NEAR(m.position.y + 0.25 * sin(half), 1.3, 0.03);
    set_shape_number(w, (tarn_command){.kind = TARN_RELEASE});
    tarn_world_destroy(w);
}

// Bodies that do not touch pass through each other, and lie on the ground all the same.
static void collisions_of_bodies_can_be_disabled(void **state)
{
    (void)state;
    tarn_world *w = wave_world("none");
    const tarn_body low = ball(w), high = ball(w);
    tarn_motion m = {.position = {0, 1.6, 0}, .rotation = {1, 0, 0, 0}};
    assert_int_equal(tarn_body_move(w, high, &m), TARN_OK);
    const uint64_t touching = tarn_world_hash(w);
    set_shape_number(w, (tarn_command){.kind = TARN_SET, .path = "run.touch", .value = tarn_flag(0)});
    assert_true(tarn_world_hash(w) != touching); // it is state
    steps(w, 180);
    tarn_motion a, b;
    assert_int_equal(tarn_body_motion(w, low, &a), TARN_OK);
    assert_int_equal(tarn_body_motion(w, high, &b), TARN_OK);
    CHECK_NEAR(a.position.y, 0.2, 0.01);
    CHECK_NEAR(b.position.y, 0.2, 0.01); // in the same place: nothing pushed them apart
    CHECK_NEAR(b.position.x, a.position.x, 1e-6);
    set_shape_number(w, (tarn_command){.kind = TARN_SET, .path = "run.touch", .value = tarn_flag(1)});
    assert_int_equal(tarn_body_move(w, high, &m), TARN_OK);
    steps(w, 60);
    assert_int_equal(tarn_body_motion(w, high, &b), TARN_OK);
    assert_true(b.position.y > 0.4); // on top of it, or beside it on its way down
    tarn_world_destroy(w);
}

// ---- again ----------------------------------------------------------------------------------------

// The same commands before the same steps: the same bits, with a checkpoint in the middle of a grab too.
static uint64_t play(int save_at)
{
    tarn_world *w = wave_world("shallow");
    tarn_command throw = {.kind = TARN_SPAWN, .at = {-1, 1.5, 0}, .way = {2, 1, 0}, .density = 300};
    const tarn_body id = ball(w);
    tarn_spec_init(&throw.spec, "shape", "box", NULL);
    memcpy(throw.path, "thrown", 7);
    tarn_command rain = {.kind = TARN_EMIT};
    tarn_spec_init(&rain.spec, "emitter", "rain", NULL);
    for (int n = 0; n < 60; ++n) {
        if (n == 2) set_shape_number(w, throw);
        if (n == 3) set_shape_number(w, (tarn_command){.kind = TARN_GRAB, .body = id, .at = {0, 1.1, 0}});
        if (n > 3 && n < 40) set_shape_number(w, (tarn_command){.kind = TARN_PULL, .at = {0.02 * n, 1.5, 0}});
        if (n == 40) set_shape_number(w, (tarn_command){.kind = TARN_RELEASE});
        if (n == 41) set_shape_number(w, rain);
        if (n == 45)
            set_shape_number(
                w, (tarn_command){.kind = TARN_SET, .path = "emitters[0].rate", .value = tarn_number(1e-3)});
        if (n > 15 && n < 30)
            set_shape_number(
                w, (tarn_command){.kind = TARN_RAISE, .at = {0.4, 0, 0}, .radius = 0.6, .strength = 0.02});
        if (n == 48)
            set_shape_number(w, (tarn_command){.kind = TARN_SET, .path = "run.touch", .value = tarn_flag(0)});
        if (n == 50)
            set_shape_number(w, (tarn_command){.kind = TARN_REMOVE, .body = tarn_body_find(w, "thrown")});
        if (n == save_at) {
            static struct memory_stream saved;
            saved.size = saved.at = 0;
            assert_int_equal(tarn_world_save(w, stream_write, &saved), TARN_OK);
            tarn_world_destroy(w);
            assert_int_equal(tarn_world_load(stream_read, &saved, NULL, &w, NULL), TARN_OK);
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
    assert_true(once == play(49));
}

// Likewise in a plane, where the coupling changes on the way.
static uint64_t play_flat(int save_at)
{
    tarn_world *w = plane();
    tarn_body id;
    tarn_body_def def = tarn_body_def_default("circle");
    def.position = (tarn_vec3){0.8, 1, 0}, def.density = 1500;
    tarn_spec_set(&def.shape, "radius", tarn_number(0.15), NULL);
    assert_int_equal(tarn_body_create(w, &def, &id, NULL), TARN_OK);
    for (int n = 0; n < 30; ++n) {
        const double at = 0.6 + 0.02 * n;
        if (n == 3) set_shape_number(w, (tarn_command){.kind = TARN_GRAB, .body = id, .at = {0.85, 1, 0}});
        if (n > 3 && n < 12) set_shape_number(w, (tarn_command){.kind = TARN_PULL, .at = {at, 1.2, 0}});
        if (n == 12) set_shape_number(w, (tarn_command){.kind = TARN_RELEASE});
        if (n < 20)
            set_shape_number(
                w, (tarn_command){.kind = TARN_DYE, .at = {at, 0.5, 0}, .radius = 0.1, .strength = 1});
        if (n < 20)
            set_shape_number(
                w, (tarn_command){.kind = TARN_WARM, .at = {at, 0.4, 0}, .radius = 0.1, .strength = 5});
        if (n > 8)
            set_shape_number(
                w, (tarn_command){.kind = TARN_STIR, .at = {at, 1.5, 0}, .way = {1, 0.2, 0}, .radius = 0.2});
        if (n == 15 || n == 22)
            set_shape_number(w, (tarn_command){.kind = TARN_SET,
                                               .path = "fluid.coupling",
                                               .value = tarn_word(n == 15 ? "weak" : "strong")});
        if (n == save_at) {
            static struct memory_stream saved;
            saved.size = saved.at = 0;
            assert_int_equal(tarn_world_save(w, stream_write, &saved), TARN_OK);
            tarn_world_destroy(w);
            assert_int_equal(tarn_world_load(stream_read, &saved, NULL, &w, NULL), TARN_OK);
        }
        steps(w, 1);
    }
    const uint64_t hash = tarn_world_hash(w);
    tarn_world_destroy(w);
    return hash;
}

static void planar_commands_can_be_repeated(void **state)
{
    (void)state;
    const uint64_t once = play_flat(-1);
    assert_true(once == play_flat(-1));
    assert_true(once == play_flat(5));  // in the middle of a grab
    assert_true(once == play_flat(15)); // right after the coupling changed
    assert_true(once == play_flat(22));
}

// What cannot be done is refused, and the world is as it was.
static void rejected_commands_change_nothing(void **state)
{
    (void)state;
    tarn_world *w = wave_world("wave"), *dry = wave_world("none");
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
        {.kind = TARN_DYE, .radius = 1, .strength = 1},     // there is nothing to carry it
        {.kind = TARN_RAISE, .radius = 1, .strength = 0.1}, // the model has a flat bed
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

static void invalid_terrain_and_planar_commands_are_rejected(void **state)
{
    (void)state;
    tarn_world *worlds[2] = {wave_world("shallow"), plane()};
    const tarn_command bad[2][4] = {
        {{.kind = TARN_RAISE, .radius = 1, .strength = 1.5},
         {.kind = TARN_RAISE, .radius = 1, .strength = NAN},
         {.kind = TARN_RAISE, .radius = 0, .strength = 0},
         {.kind = TARN_RAISE, .at = {9, 0, 0}, .radius = 1, .strength = 0.5}},
        {{.kind = TARN_DYE, .at = {1, 1, 0}, .radius = 1, .strength = -1},
         {.kind = TARN_WARM, .at = {1, NAN, 0}, .radius = 1, .strength = 1},
         {.kind = TARN_STIR, .at = {1, 1, 0}, .radius = 1, .way = {0, 1e9, 0}},
         {.kind = TARN_RAISE, .at = {1, 1, 0}, .radius = 1, .strength = 0.1}},
    };
    for (int n = 0; n < 2; ++n) {
        const uint64_t before = tarn_world_hash(worlds[n]);
        for (int k = 0; k < 4; ++k)
            assert_int_equal(tarn_world_command(worlds[n], &bad[n][k], NULL), TARN_BAD_INPUT);
        assert_true(before == tarn_world_hash(worlds[n]));
        tarn_world_destroy(worlds[n]);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_grabbed_body_follows_and_is_thrown),
        cmocka_unit_test(one_body_is_grabbed_at_a_time),
        cmocka_unit_test(water_is_poked_and_stirred),
        cmocka_unit_test(commands_can_be_repeated),
        cmocka_unit_test(rejected_commands_change_nothing),
        cmocka_unit_test(invalid_terrain_and_planar_commands_are_rejected),
        cmocka_unit_test(ground_goes_up_and_down),
        cmocka_unit_test(ground_has_its_limits),
        cmocka_unit_test(planar_fluid_is_dyed_heated_and_stirred),
        cmocka_unit_test(planar_bodies_can_be_grabbed),
        cmocka_unit_test(collisions_of_bodies_can_be_disabled),
        cmocka_unit_test(planar_commands_can_be_repeated),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
