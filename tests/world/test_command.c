// Commands: their effect on a world, and that replayed commands give the same bits.
#include "body_def.h"
#include "check.h"
#include "memory_stream.h"
#include "world_setup.h"

#include <tarn/command.h>
#include <tarn/tarn.h>

#include <string.h>

static tarn_world *wave_world(const char *model)
{
    struct world_setup def = world_setup_of(model);
    tarn_world *w = NULL;
    set_size(&def.fluid, 4, 4);
    set_cells(&def.fluid, 64, 64);
    assert_int_equal(setup_create(&def, &w, NULL), TARN_OK);
    return w;
}

static tarn_body_id ball(tarn_world *w)
{
    tarn_body_id id;
    tarn_body_def def = body_def("sphere");
    set_shape(&def, "radius", tarn_value_number(0.2), NULL);
    def.position = (tarn_vec3){0, 1, 0};
    assert_int_equal(tarn_body_create(w, &def, &id, NULL), TARN_OK);
    return id;
}

static void steps(tarn_world *w, int count)
{
    for (int n = 0; n < count; ++n) assert_int_equal(tarn_world_advance(w, 1.0 / 60.0), TARN_OK);
}

static void set_shape_number(tarn_world *w, tarn_command c)
{
    tarn_error err;
    if (tarn_world_apply_command(w, &c, &err) != TARN_OK)
        fail_msg("%s: %s", tarn_command_name(c.kind), err.message);
}

// A grabbed body follows its target, and keeps its velocity when it is released.
static void grabbed_body_follows_and_keeps_its_velocity_on_release(void **state)
{
    (void)state;
    tarn_world *w = wave_world("wave");
    const tarn_body_id id = ball(w);
    tarn_body_state m;
    set_shape_number(w, (tarn_command){.kind = TARN_COMMAND_GRAB, .body = id, .position = {0, 1, 0}});
    for (int n = 1; n <= 60; ++n) { // 1 m sideways in a second
        set_shape_number(w, (tarn_command){.kind = TARN_COMMAND_MOVE_GRAB, .position = {n / 60.0, 2.0, 0}});
        steps(w, 1);
    }
    assert_int_equal(tarn_body_get_state(w, id, &m), TARN_OK);
    CHECK_NEAR(m.position.x, 1.0, 0.25); // a critically damped spring of 0.1 s lags by 0.2 s times the speed
    assert_true(m.position.y > 1.7);     // lifted out
    assert_true(m.velocity.x > 0.3);     // on average 1; it swings below the target like a pendulum
    set_shape_number(w, (tarn_command){.kind = TARN_COMMAND_RELEASE});
    const tarn_vec3 before = m.velocity;
    steps(w, 6);
    assert_int_equal(tarn_body_get_state(w, id, &m), TARN_OK);
    CHECK_NEAR(m.velocity.x, before.x, 1e-6);
    CHECK_NEAR(m.velocity.y, before.y - 9.81 * 0.1, 1e-6); // only gravity acts
    assert_int_equal(tarn_world_apply_command(w, &(tarn_command){.kind = TARN_COMMAND_RELEASE}, NULL),
                     TARN_BAD_ARGUMENT);
    tarn_world_destroy(w);
}

// One body is grabbed at a time: grabbing another releases the first.
static void grabbing_releases_the_body_grabbed_before(void **state)
{
    (void)state;
    tarn_world *w = wave_world("none");
    const tarn_body_id a = ball(w), b = ball(w);
    tarn_body_state m = {.position = {1, 1, 1}, .rotation = {1, 0, 0, 0}};
    assert_int_equal(tarn_body_set_state(w, b, &m), TARN_OK);
    set_shape_number(w, (tarn_command){.kind = TARN_COMMAND_GRAB, .body = a, .position = {0, 1, 0}});
    set_shape_number(w, (tarn_command){.kind = TARN_COMMAND_GRAB, .body = b, .position = {1, 1, 1}});
    steps(w, 30);
    assert_int_equal(tarn_body_get_state(w, a, &m), TARN_OK);
    assert_true(m.position.y < 0.5);
    assert_int_equal(tarn_body_get_state(w, b, &m), TARN_OK);
    assert_true(m.position.y > 0.8);
    tarn_world_destroy(w);
}

// A poke starts with the speed it names and adds no volume; a stir moves the water along its direction.
static void water_can_be_poked_and_stirred(void **state)
{
    (void)state;
    static const char *const models[] = {"wave", "shallow"};
    for (int k = 0; k < 2; ++k) {
        tarn_world *w = wave_world(models[k]);
        const double volume = tarn_world_get_ledger(w).volume;
        set_shape_number(
            w, (tarn_command){
                   .kind = TARN_COMMAND_POKE, .position = {0.5, 1, 0.5}, .radius = 0.5, .amount = 0.5});
        steps(w, 1);
        // The centre has sunk by 0.5 m/s for 1/60 s; waves of 3 m/s reduce a dent of 0.5 m by a tenth
        // meanwhile.
        CHECK_NEAR(tarn_world_get_surface(w, 0.5, 0.5).height, 1.0 - 0.5 / 60.0, 0.15 * 0.5 / 60.0);
        CHECK_NEAR(tarn_world_get_surface(w, -1.5, -1.5).height, 1.0, 1e-6);
        CHECK_NEAR(tarn_world_get_ledger(w).volume, volume, 1e-6 * volume);
        tarn_world_destroy(w);

        w = wave_world(models[k]);
        set_shape_number(w, (tarn_command){.kind = TARN_COMMAND_STIR,
                                           .position = {0, 1, 0},
                                           .velocity = {0.2, 0, 0.1},
                                           .radius = 0.5});
        const tarn_surface s = tarn_world_get_surface(w, 0, 0);
        CHECK_NEAR(s.velocity.x, 0.2, 0.02); // the grid rounds off the middle: (s/R)^2 of it
        CHECK_NEAR(s.velocity.z, 0.1, 0.01);
        CHECK_NEAR(tarn_world_get_ledger(w).volume, volume, 1e-6 * volume);
        tarn_world_destroy(w);
    }
}

// ---- ground ---------------------------------------------------------------------------------------

// Raised bed lifts the water above it to the given height; depths stay, so no volume is added or lost, and
// the surface becomes level again. Lowered by the same amount the bed is restored.
static void raised_bed_keeps_depths_and_is_restored_by_lowering(void **state)
{
    (void)state;
    static const char *const models[] = {"shallow", "implicit"};
    for (int k = 0; k < 2; ++k) {
        tarn_world *w = wave_world(models[k]);
        tarn_frame before = {0}, after = {0};
        const double volume = tarn_world_get_ledger(w).volume;
        assert_int_equal(tarn_world_get_frame(w, 1.0, &before), TARN_OK);
        set_shape_number(
            w, (tarn_command){
                   .kind = TARN_COMMAND_RAISE_BED, .position = {0.5, 0, 0.5}, .radius = 0.4, .amount = 0.3});
        assert_int_equal(tarn_world_get_frame(w, 1.0, &after), TARN_OK);
        const int c = 40 * 64 + 40; // 0.03 m beside the middle of the hill along x and z: exp(-0.012)
        CHECK_NEAR((double)(after.bed[c] - before.bed[c]), 0.3, 0.006);
        CHECK_NEAR((double)(after.height[c] - before.height[c]), (double)(after.bed[c] - before.bed[c]), 0);
        CHECK_NEAR((double)(after.bed[0] - before.bed[0]), 0, 0); // out of reach
        CHECK_NEAR(tarn_world_get_ledger(w).volume, volume, 0);
        steps(w, 60);
        CHECK_NEAR(tarn_world_get_ledger(w).volume, volume, 0);
        CHECK_NEAR(tarn_world_get_ledger(w).volume_error, 0, 0);
        double most = 0.0;
        for (double x = -1.8; x < 0.0; x += 0.1)
            most = fmax(most, fabs(tarn_world_get_surface(w, x, x).height - 1.0));
        assert_true(most > 1e-3); // a wave has run there
        set_shape_number(
            w, (tarn_command){
                   .kind = TARN_COMMAND_RAISE_BED, .position = {0.5, 0, 0.5}, .radius = 0.4, .amount = -0.3});
        assert_int_equal(tarn_world_get_frame(w, 1.0, &after), TARN_OK);
        CHECK_NEAR((double)after.bed[c], (double)before.bed[c],
                   1e-6); // heights are counted in quanta of 2^-22 m
        tarn_frame_free(&before);
        tarn_frame_free(&after);
        tarn_world_destroy(w);
    }
}

// Bed that is raised again and again stops at the largest representable height; a body on it is lifted and
// wakes.
static void bed_height_is_limited(void **state)
{
    (void)state;
    tarn_world *w = wave_world("shallow");
    tarn_body_id id;
    tarn_body_def def = body_def("box");
    tarn_body_state before, after;
    def.density = 3000, def.position = (tarn_vec3){0, 0.5, 0};
    set_shape(&def, "size", tarn_value_vec3(0.3, 0.3, 0.3), NULL);
    assert_int_equal(tarn_body_create(w, &def, &id, NULL), TARN_OK);
    steps(w, 240); // asleep on the ground
    assert_int_equal(tarn_body_get_state(w, id, &before), TARN_OK);
    for (int n = 0; n < 40; ++n) {
        set_shape_number(w, (tarn_command){.kind = TARN_COMMAND_RAISE_BED, .radius = 0.5, .amount = 0.02});
        steps(w, 2);
    }
    assert_int_equal(tarn_body_get_state(w, id, &after), TARN_OK);
    assert_true(after.position.y > before.position.y + 0.3);
    const double volume = tarn_world_get_ledger(w).volume;
    for (int n = 0; n < 200; ++n)
        set_shape_number(
            w, (tarn_command){
                   .kind = TARN_COMMAND_RAISE_BED, .position = {-1, 0, -1}, .radius = 0.5, .amount = 0.5});
    tarn_frame f = {0};
    assert_int_equal(tarn_world_get_frame(w, 1.0, &f), TARN_OK);
    CHECK_NEAR((double)f.bed[16 * 64 + 16], 1.0 + 4.0, 1e-6); // twice the scale, which is twice the depth
    for (int n = 0; n < 200; ++n)
        set_shape_number(
            w, (tarn_command){
                   .kind = TARN_COMMAND_RAISE_BED, .position = {1, 0, 1}, .radius = 0.5, .amount = -0.5});
    assert_int_equal(tarn_world_get_frame(w, 1.0, &f), TARN_OK);
    CHECK_NEAR((double)f.bed[48 * 64 + 48], 1.0 - 2.0, 1e-6);
    CHECK_NEAR(tarn_world_get_ledger(w).volume, volume, 0);
    steps(w, 60);
    CHECK_NEAR(tarn_world_get_ledger(w).volume_error, 0, 0);
    tarn_frame_free(&f);
    tarn_world_destroy(w);
}

// ---- planar worlds --------------------------------------------------------------------------------

static tarn_world *plane(void)
{
    struct world_setup def = world_setup(TARN_FLUID_FLOW);
    tarn_world *w = NULL;
    def.fluid.flow.size = (tarn_vec2){2, 2};
    def.fluid.flow.cells[0] = 64, def.fluid.flow.cells[1] = 64;
    assert_int_equal(setup_create(&def, &w, NULL), TARN_OK);
    return w;
}

static tarn_flow_sample flow_at(const tarn_world *w, double x, double y)
{
    tarn_flow_sample f;
    assert_int_equal(tarn_flow_get_sample(w, x, y, &f), TARN_OK);
    return f;
}

// Dye and heat are added at the position of the command in the given amount, and the ledger counts them; a
// stir moves the fluid.
static void planar_fluid_is_dyed_heated_and_stirred(void **state)
{
    (void)state;
    tarn_world *w = plane();
    const double pi = 3.14159265358979;
    set_shape_number(
        w, (tarn_command){
               .kind = TARN_COMMAND_ADD_DYE, .position = {0.5, 0.7, 9}, .radius = 0.1, .amount = 2.0});
    set_shape_number(
        w, (tarn_command){
               .kind = TARN_COMMAND_ADD_HEAT, .position = {1.5, 0.7, 0}, .radius = 0.1, .amount = -30.0});
    CHECK_NEAR(flow_at(w, 0.5, 0.7).dye, 2.0, 0.1);           // the grid rounds off the middle: (s/R)^2 of it
    CHECK_NEAR(flow_at(w, 1.5, 0.7).temperature, -30.0, 1.5); // also rounded off by the grid
    CHECK_NEAR(flow_at(w, 1.0, 1.7).dye, 0.0, 0.0);
    const tarn_ledger l = tarn_world_get_ledger(w);
    CHECK_NEAR(l.dye, 2.0 * pi * 0.01, 0.003 * 2.0 * pi * 0.01); // less exp(-REACH^2) = 0.2 %
    CHECK_NEAR(l.dye_emitted, l.dye, 1e-12);
    CHECK_NEAR(l.heat, -30.0 * pi * 0.01, 0.003 * 30.0 * pi * 0.01);
    set_shape_number(
        w, (tarn_command){
               .kind = TARN_COMMAND_STIR, .position = {1, 1, 0}, .velocity = {0.8, 0.4, 0}, .radius = 0.2});
    CHECK_NEAR(flow_at(w, 1, 1).u, 0.75 * 0.8, 0.04); // three quarters of the velocity, see commands.c
    CHECK_NEAR(flow_at(w, 1, 1).v, 0.75 * 0.4, 0.02);
    steps(w, 1);
    assert_true(flow_at(w, 1, 1).u > 0.2 && tarn_flow_get_divergence(w) < 1e-3);
    assert_true(flow_at(w, 1.0, 1.6).u < 0.0); // return flow at the sides
    tarn_world_destroy(w);
}

// A plank that is grabbed at its end and pulled up turns by the torque of force and lever arm.
static void planar_bodies_can_be_grabbed(void **state)
{
    (void)state;
    tarn_world *w = plane();
    tarn_body_id id;
    tarn_body_state m;
    tarn_body_def def = body_def("box");
    def.position = (tarn_vec3){1, 1, 0};
    def.density = 1000; // as dense as the water: it neither sinks nor rises
    set_shape(&def, "size", tarn_value_vec3(0.6, 0.1, 0.1), NULL);
    assert_int_equal(tarn_body_create(w, &def, &id, NULL), TARN_OK);
    set_shape_number(w, (tarn_command){.kind = TARN_COMMAND_GRAB,
                                       .body = id,
                                       .position = {1.25, 1, 3}}); // the z coordinate is ignored
    set_shape_number(w, (tarn_command){.kind = TARN_COMMAND_MOVE_GRAB, .position = {1.25, 1.3, -2}});
    steps(w, 12);
    assert_int_equal(tarn_body_get_state(w, id, &m), TARN_OK);
    assert_true(m.angular_velocity.z > 0.1 && m.rotation.z > 0.02);
    assert_true(m.position.y > 1.01 && m.position.z == 0.0);
    steps(w, 120);
    assert_int_equal(tarn_body_get_state(w, id, &m), TARN_OK);
    const double half = 2.0 * atan2(m.rotation.z, m.rotation.w); // the grabbed end reaches the target
    CHECK_NEAR(m.position.x + 0.25 * cos(half), 1.25, 0.03);
    CHECK_NEAR(m.position.y + 0.25 * sin(half), 1.3, 0.03);
    set_shape_number(w, (tarn_command){.kind = TARN_COMMAND_RELEASE});
    tarn_world_destroy(w);
}

// Without collisions bodies pass through each other, but rest on the ground.
static void collisions_of_bodies_can_be_disabled(void **state)
{
    (void)state;
    tarn_world *w = wave_world("none");
    const tarn_body_id low = ball(w), high = ball(w);
    tarn_body_state m = {.position = {0, 1.6, 0}, .rotation = {1, 0, 0, 0}};
    assert_int_equal(tarn_body_set_state(w, high, &m), TARN_OK);
    const uint64_t touching = tarn_world_hash(w);
    set_shape_number(w, (tarn_command){.kind = TARN_COMMAND_SET_PARAM,
                                       .path = "run.collisions",
                                       .value = tarn_value_flag(0)});
    assert_true(tarn_world_hash(w) != touching); // it is state
    steps(w, 180);
    tarn_body_state a, b;
    assert_int_equal(tarn_body_get_state(w, low, &a), TARN_OK);
    assert_int_equal(tarn_body_get_state(w, high, &b), TARN_OK);
    CHECK_NEAR(a.position.y, 0.2, 0.01);
    CHECK_NEAR(b.position.y, 0.2, 0.01); // in the same place: no contact force
    CHECK_NEAR(b.position.x, a.position.x, 1e-6);
    set_shape_number(w, (tarn_command){.kind = TARN_COMMAND_SET_PARAM,
                                       .path = "run.collisions",
                                       .value = tarn_value_flag(1)});
    assert_int_equal(tarn_body_set_state(w, high, &m), TARN_OK);
    steps(w, 60);
    assert_int_equal(tarn_body_get_state(w, high, &b), TARN_OK);
    assert_true(b.position.y > 0.4); // on top of it, or beside it on its way down
    tarn_world_destroy(w);
}

// ---- replay ---------------------------------------------------------------------------------------

// The same commands before the same steps give the same bits, also with a checkpoint during a grab.
static uint64_t play(int save_at)
{
    tarn_world *w = wave_world("shallow");
    tarn_command throw = {
        .kind = TARN_COMMAND_SPAWN, .position = {-1, 1.5, 0}, .velocity = {2, 1, 0}, .density = 300};
    const tarn_body_id id = ball(w);
    throw.shape = body_def("box").shape;
    memcpy(throw.path, "thrown", 7);
    const tarn_command rain = {.kind = TARN_COMMAND_ADD_EMITTER,
                               .emitter = tarn_default_emitter_def(TARN_EMITTER_RAIN)};
    for (int n = 0; n < 60; ++n) {
        if (n == 2) set_shape_number(w, throw);
        if (n == 3)
            set_shape_number(w,
                             (tarn_command){.kind = TARN_COMMAND_GRAB, .body = id, .position = {0, 1.1, 0}});
        if (n > 3 && n < 40)
            set_shape_number(w,
                             (tarn_command){.kind = TARN_COMMAND_MOVE_GRAB, .position = {0.02 * n, 1.5, 0}});
        if (n == 40) set_shape_number(w, (tarn_command){.kind = TARN_COMMAND_RELEASE});
        if (n == 41) set_shape_number(w, rain);
        if (n == 45)
            set_shape_number(w, (tarn_command){.kind = TARN_COMMAND_SET_PARAM,
                                               .path = "emitters[0].rate",
                                               .value = tarn_value_number(1e-3)});
        if (n > 15 && n < 30)
            set_shape_number(w, (tarn_command){.kind = TARN_COMMAND_RAISE_BED,
                                               .position = {0.4, 0, 0},
                                               .radius = 0.6,
                                               .amount = 0.02});
        if (n == 48)
            set_shape_number(w, (tarn_command){.kind = TARN_COMMAND_SET_PARAM,
                                               .path = "run.collisions",
                                               .value = tarn_value_flag(0)});
        if (n == 50)
            set_shape_number(
                w, (tarn_command){.kind = TARN_COMMAND_REMOVE, .body = tarn_body_find(w, "thrown")});
        if (n == save_at) {
            static struct memory_stream saved;
            saved.size = saved.at = 0;
            assert_int_equal(tarn_world_save(w, stream_write, &saved), TARN_OK);
            tarn_world_destroy(w);
            assert_int_equal(tarn_world_load(stream_read, &saved, NULL, &w, NULL), TARN_OK);
        }
        steps(w, 1);
    }
    assert_int_equal(tarn_world_get_status(w).body_count, 1);
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

// The same in the planar model, where the coupling method changes on the way.
static uint64_t play_flat(int save_at)
{
    tarn_world *w = plane();
    tarn_body_id id;
    tarn_body_def def = body_def("circle");
    def.position = (tarn_vec3){0.8, 1, 0}, def.density = 1500;
    set_shape(&def, "radius", tarn_value_number(0.15), NULL);
    assert_int_equal(tarn_body_create(w, &def, &id, NULL), TARN_OK);
    for (int n = 0; n < 30; ++n) {
        const double at = 0.6 + 0.02 * n;
        if (n == 3)
            set_shape_number(w,
                             (tarn_command){.kind = TARN_COMMAND_GRAB, .body = id, .position = {0.85, 1, 0}});
        if (n > 3 && n < 12)
            set_shape_number(w, (tarn_command){.kind = TARN_COMMAND_MOVE_GRAB, .position = {at, 1.2, 0}});
        if (n == 12) set_shape_number(w, (tarn_command){.kind = TARN_COMMAND_RELEASE});
        if (n < 20)
            set_shape_number(
                w, (tarn_command){
                       .kind = TARN_COMMAND_ADD_DYE, .position = {at, 0.5, 0}, .radius = 0.1, .amount = 1});
        if (n < 20)
            set_shape_number(
                w, (tarn_command){
                       .kind = TARN_COMMAND_ADD_HEAT, .position = {at, 0.4, 0}, .radius = 0.1, .amount = 5});
        if (n > 8)
            set_shape_number(w, (tarn_command){.kind = TARN_COMMAND_STIR,
                                               .position = {at, 1.5, 0},
                                               .velocity = {1, 0.2, 0},
                                               .radius = 0.2});
        if (n == 15 || n == 22)
            set_shape_number(w, (tarn_command){.kind = TARN_COMMAND_SET_PARAM,
                                               .path = "coupling.method",
                                               .value = tarn_value_text(n == 15 ? "weak" : "strong")});
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
    assert_true(once == play_flat(5));  // during a grab
    assert_true(once == play_flat(15)); // right after the coupling changed
    assert_true(once == play_flat(22));
}

// Invalid commands are rejected, and the world is unchanged.
static void rejected_commands_do_not_change_the_hash(void **state)
{
    (void)state;
    tarn_world *w = wave_world("wave"), *dry = wave_world("none");
    const uint64_t before = tarn_world_hash(w);
    tarn_command box = {.kind = TARN_COMMAND_SPAWN, .position = {9, 1, 0}, .density = 300};
    box.shape = body_def("box").shape;
    const tarn_command bad[] = {
        {.kind = 0},
        {.kind = 99},
        {.kind = TARN_COMMAND_GRAB, .body = {7ull << 32 | 7}},
        {.kind = TARN_COMMAND_MOVE_GRAB},
        {.kind = TARN_COMMAND_RELEASE},
        {.kind = TARN_COMMAND_POKE, .position = {9, 0, 0}, .radius = 1, .amount = 1},
        {.kind = TARN_COMMAND_POKE, .radius = 0, .amount = 1},
        {.kind = TARN_COMMAND_POKE, .radius = 1, .amount = NAN},
        {.kind = TARN_COMMAND_STIR, .radius = 1, .velocity = {INFINITY, 0, 0}},
        {.kind = TARN_COMMAND_STIR, .radius = NAN},
        {.kind = TARN_COMMAND_SPAWN, .density = 300},
        box,
        {.kind = TARN_COMMAND_REMOVE},
        {.kind = TARN_COMMAND_SET_PARAM, .path = "fluid.size", .value = tarn_value_vec2(1, 1)},
        {.kind = TARN_COMMAND_SET_PARAM, .path = "fluid.nothing", .value = tarn_value_number(1)},
        {.kind = TARN_COMMAND_ADD_EMITTER},
        {.kind = TARN_COMMAND_ADD_DYE, .radius = 1, .amount = 1},     // the model has no dye
        {.kind = TARN_COMMAND_RAISE_BED, .radius = 1, .amount = 0.1}, // the model has a flat bed
    };
    for (size_t k = 0; k < sizeof bad / sizeof bad[0]; ++k) {
        tarn_error err = {0};
        const tarn_result r = tarn_world_apply_command(w, &bad[k], &err);
        if (r != TARN_BAD_ARGUMENT && r != TARN_BAD_INPUT) fail_msg("command %zu: %d", k, (int)r);
        if (!err.message[0]) fail_msg("command %zu says nothing", k);
    }
    assert_true(before == tarn_world_hash(w));
    const tarn_command poke = {.kind = TARN_COMMAND_POKE, .radius = 1, .amount = 1};
    assert_int_equal(tarn_world_apply_command(dry, &poke, NULL), TARN_BAD_INPUT);
    assert_null(tarn_command_name(0));
    assert_string_equal(tarn_command_name(TARN_COMMAND_ADD_EMITTER), "emit");
    tarn_world_destroy(w);
    tarn_world_destroy(dry);
}

static void invalid_terrain_and_planar_commands_are_rejected(void **state)
{
    (void)state;
    tarn_world *worlds[2] = {wave_world("shallow"), plane()};
    const tarn_command bad[2][4] = {
        {{.kind = TARN_COMMAND_RAISE_BED, .radius = 1, .amount = 1.5},
         {.kind = TARN_COMMAND_RAISE_BED, .radius = 1, .amount = NAN},
         {.kind = TARN_COMMAND_RAISE_BED, .radius = 0, .amount = 0},
         {.kind = TARN_COMMAND_RAISE_BED, .position = {9, 0, 0}, .radius = 1, .amount = 0.5}},
        {{.kind = TARN_COMMAND_ADD_DYE, .position = {1, 1, 0}, .radius = 1, .amount = -1},
         {.kind = TARN_COMMAND_ADD_HEAT, .position = {1, NAN, 0}, .radius = 1, .amount = 1},
         {.kind = TARN_COMMAND_STIR, .position = {1, 1, 0}, .radius = 1, .velocity = {0, 1e9, 0}},
         {.kind = TARN_COMMAND_RAISE_BED, .position = {1, 1, 0}, .radius = 1, .amount = 0.1}},
    };
    for (int n = 0; n < 2; ++n) {
        const uint64_t before = tarn_world_hash(worlds[n]);
        for (int k = 0; k < 4; ++k)
            assert_int_equal(tarn_world_apply_command(worlds[n], &bad[n][k], NULL), TARN_BAD_INPUT);
        assert_true(before == tarn_world_hash(worlds[n]));
        tarn_world_destroy(worlds[n]);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(grabbed_body_follows_and_keeps_its_velocity_on_release),
        cmocka_unit_test(grabbing_releases_the_body_grabbed_before),
        cmocka_unit_test(water_can_be_poked_and_stirred),
        cmocka_unit_test(commands_can_be_repeated),
        cmocka_unit_test(rejected_commands_do_not_change_the_hash),
        cmocka_unit_test(invalid_terrain_and_planar_commands_are_rejected),
        cmocka_unit_test(raised_bed_keeps_depths_and_is_restored_by_lowering),
        cmocka_unit_test(bed_height_is_limited),
        cmocka_unit_test(planar_fluid_is_dyed_heated_and_stirred),
        cmocka_unit_test(planar_bodies_can_be_grabbed),
        cmocka_unit_test(collisions_of_bodies_can_be_disabled),
        cmocka_unit_test(planar_commands_can_be_repeated),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
