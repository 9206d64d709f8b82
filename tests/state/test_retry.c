// Promise in types.h: a step that diverges is repeated from the state before it with shorter substeps; if
// no attempt succeeds, the world keeps that state.
#include "body_def.h"
#include "check.h"
#include "counting_allocator.h"
#include "memory_stream.h"
#include "world_setup.h"

#include "world/world.h"

#include <stdio.h>
#include <tarn/tarn.h>

#define DT (1.0 / 64.0)

// A hump in a small tank with two substeps per step, where waves need three: a step diverges that three
// retries can still save, and soon after the state diverges at any substep. That depends on how the
// instability grows; another scheme may need another hump.
static tarn_world *wild_tank(const tarn_host *host)
{
    struct world_setup def = world_setup(TARN_FLUID_SHALLOW);
    tarn_world *w = NULL;
    tarn_emitter_def hump = tarn_default_emitter_def(TARN_EMITTER_HUMP);
    if (host) def.world.host = *host;
    def.world.dt = DT;
    def.fluid.shallow.size = (tarn_vec2){1, 1};
    def.fluid.shallow.cells[0] = 32, def.fluid.shallow.cells[1] = 32;
    def.fluid.shallow.substeps = 2;
    CHECK_OK(setup_create(&def, &w, NULL));
    hump.hump.radius = 0.15;
    hump.hump.height = 0.9;
    CHECK_OK(tarn_emitter_create(w, &hump, NULL, NULL));
    return w;
}

// Steps until one fails, at most `most`.
static int steps_taken(tarn_world *w, int most)
{
    int n = 0;
    while (n < most && tarn_world_advance(w, DT) == TARN_OK) ++n;
    return n;
}

static void retries_with_shorter_substeps_succeed(void **state)
{
    (void)state;
    tarn_world *w = wild_tank(NULL);
    const int without = steps_taken(w, 100);
    const uint64_t before = tarn_world_get_status(w).substeps;
    tarn_world_destroy(w);
    assert_true(without < 100);

    w = wild_tank(&(tarn_host){.retries = 3});
    CHECK_OK(tarn_world_keep_previous(w, 1));
    assert_int_equal(steps_taken(w, without), without);
    assert_int_equal(tarn_world_get_status(w).retaken, 0);
    tarn_frame old = {0}, back = {0};
    CHECK_OK(tarn_world_get_frame(w, 1, &old));
    CHECK_OK(tarn_world_advance(w, DT));
    const tarn_world_status s = tarn_world_get_status(w);
    assert_int_equal(s.retaken, 1);
    assert_int_equal(s.steps, without + 1);
    assert_true(s.substeps >= before + 2);                       // half of the two steps, or less
    CHECK_NEAR(tarn_world_get_ledger(w).volume_error, 0.0, 0.0); // whole quanta
    CHECK_OK(tarn_world_get_frame(w, 0, &back)); // the copy for interpolated frames is still there
    assert_memory_equal(old.height, back.height, 32 * 32 * sizeof(float));
    tarn_frame_free(&old), tarn_frame_free(&back);
    tarn_world_destroy(w);
}

// The message names the cell; the state is that before the step, also after a restart.
static void failed_steps_leave_the_last_valid_state(void **state)
{
    (void)state;
    static struct memory_stream file;
    tarn_world *w = wild_tank(&(tarn_host){.retries = 3}), *again = NULL;
    double volume = 0.0;
    tarn_result r = TARN_OK;
    uint64_t steps = 0, inner = 0;
    for (int n = 0; n < 100 && r == TARN_OK; ++n) {
        volume = tarn_world_get_ledger(w).volume;
        steps = tarn_world_get_status(w).steps, inner = tarn_world_get_status(w).substeps;
        r = tarn_world_advance(w, DT);
    }
    assert_int_equal(r, TARN_DIVERGED);
    char words[64];
    snprintf(words, sizeof words, "step %llu: the water ", (unsigned long long)steps + 1);
    assert_non_null(strstr(tarn_world_get_failure(w), words));
    assert_non_null(strstr(tarn_world_get_failure(w), " in cell ("));
    assert_true(tarn_world_get_status(w).steps == steps && tarn_world_get_status(w).substeps == inner);
    CHECK_NEAR(tarn_world_get_ledger(w).volume, volume, 0.0);
    assert_true(isfinite(tarn_world_get_surface(w, 0.1, 0.1).height));
    assert_int_equal(tarn_world_advance(w, DT), TARN_DIVERGED);

    file.size = file.at = 0;
    CHECK_OK(tarn_world_save(w, stream_write, &file));
    CHECK_OK(tarn_world_load(stream_read, &file, NULL, &again, NULL));
    assert_string_equal(tarn_world_get_failure(again), tarn_world_get_failure(w));
    assert_true(tarn_world_hash(again) == tarn_world_hash(w));
    tarn_world_destroy(w), tarn_world_destroy(again);
}

// A pond with two bodies of one shape, one of another, and a joint.
static tarn_world *wave_world(const tarn_host *host, tarn_body_id *first)
{
    struct world_setup def = world_setup(TARN_FLUID_WAVE);
    tarn_world *w = NULL;
    if (host) def.world.host = *host;
    def.fluid.wave.cells[0] = 32, def.fluid.wave.cells[1] = 32;
    if (setup_create(&def, &w, NULL) != TARN_OK) return NULL;
    tarn_result r = TARN_OK;
    for (int k = 0; k < 3 && r == TARN_OK; ++k) {
        tarn_body_def body = body_def(k == 2 ? "sphere" : "box");
        tarn_body_id id;
        body.position = (tarn_vec3){0.6 * k - 0.6, 1.2, 0.1 * k};
        r = tarn_body_create(w, &body, &id, NULL);
        if (k == 0 && first) *first = id;
        if (k != 2 || r != TARN_OK) continue;
        tarn_joint_def line = tarn_default_joint_def(TARN_JOINT_ROPE);
        tarn_joint_id joint;
        line.body_a = id, line.anchor_a = body.position, line.anchor_b = (tarn_vec3){1, 2, 0};
        r = tarn_joint_create(w, &line, &joint, NULL);
    }
    if (r == TARN_OK) return w;
    tarn_world_destroy(w);
    return NULL;
}

// No retry helps against a force of 1e14 N. The force is part of the restored state, and the pointers of
// frames stay valid.
static void state_is_restored_after_failed_retries(void **state)
{
    (void)state;
    tarn_body_id id;
    tarn_world *w = wave_world(&(tarn_host){.retries = 2, .workers = 2}, &id);
    for (int n = 0; n < 30; ++n) CHECK_OK(tarn_world_advance(w, 1.0 / 60.0));
    tarn_frame frame = {0}, after = {0};
    CHECK_OK(tarn_world_get_frame(w, 1, &frame));
    CHECK_OK(tarn_body_apply_force(w, id, (tarn_vec3){1e14, 1e14, 0}, (tarn_vec3){0, 0, 0}));
    const tarn_ledger before = tarn_world_get_ledger(w);
    tarn_result r = TARN_OK;
    int n = 0;
    for (; n < 20 && r == TARN_OK; ++n) r = tarn_world_advance(w, 1.0 / 60.0);
    assert_int_equal(r, TARN_DIVERGED);
    assert_int_equal(n, 1);
    assert_non_null(strstr(tarn_world_get_failure(w), "step 31: body 0"));
    const tarn_ledger now = tarn_world_get_ledger(w);
    assert_memory_equal(&now, &before, sizeof now);
    CHECK_OK(tarn_world_get_frame(w, 1, &after));
    for (int k = 0; k < frame.body_count; ++k) {
        assert_ptr_equal(frame.bodies[k].mesh, after.bodies[k].mesh);
        assert_memory_equal(&frame.bodies[k].state, &after.bodies[k].state, sizeof frame.bodies[k].state);
        assert_true(frame.bodies[k].mesh->triangle_count > 0 && isfinite(frame.bodies[k].mesh->vertices[0]));
    }
    tarn_frame_free(&frame), tarn_frame_free(&after);
    tarn_world_destroy(w);
}

static void runs_without_failures_do_not_depend_on_retries(void **state)
{
    (void)state;
    uint64_t hash[2];
    for (int k = 0; k < 2; ++k) {
        tarn_world *w = wave_world(&(tarn_host){.retries = 3 * k}, NULL);
        for (int n = 0; n < 60; ++n) CHECK_OK(tarn_world_advance(w, 1.0 / 60.0));
        hash[k] = tarn_world_hash(w);
        tarn_world_destroy(w);
    }
    assert_true(hash[0] == hash[1]);
    tarn_world *w = NULL;
    struct world_setup def = world_setup(TARN_FLUID_WAVE);
    def.world.host.retries = 9;
    assert_int_equal(setup_create(&def, &w, NULL), TARN_BAD_ARGUMENT);
}

// Without memory for a backup the step is taken nevertheless; without memory to restore it the world ends.
// Nothing leaks.
static void running_out_of_memory_leaves_the_world_intact(void **state)
{
    (void)state;
    for (int once = 0; once < 2; ++once) {
        bool worked = false;
        for (int n = 0; n < 2000 && !worked; n += n < 300 ? 1 : 7) {
            struct counting_allocator ledger = {.left = n, .once = once};
            tarn_body_id id;
            tarn_world *w = wave_world(&(tarn_host){.retries = 1, .allocator = counting_hook(&ledger)}, &id);
            if (w) {
                const tarn_result first = tarn_world_advance(w, 1.0 / 60.0);
                assert_true(first == TARN_OK || first == TARN_NO_MEMORY);
                tarn_body_apply_force(w, id, (tarn_vec3){1e14, 1e14, 0}, (tarn_vec3){0, 0, 0});
                const tarn_result r = tarn_world_advance(w, 1.0 / 60.0);
                assert_int_not_equal(r, TARN_BAD_ARGUMENT);
                tarn_world_get_ledger(w);
            }
            tarn_world_destroy(w);
            assert_int_equal(ledger.blocks, 0);
            worked = ledger.refused == 0;
        }
        assert_true(worked);
    }
}

// A planar world with discs, one lighter and one heavier than the fluid.
static tarn_world *flat_tank(void)
{
    struct world_setup def = world_setup(TARN_FLUID_FLOW);
    tarn_world *w = NULL;
    def.world.dt = DT;
    def.fluid.flow.size = (tarn_vec2){1, 1};
    def.fluid.flow.cells[0] = 32, def.fluid.flow.cells[1] = 32;
    CHECK_OK(setup_create(&def, &w, NULL));
    for (int k = 0; k < 2; ++k) {
        tarn_body_def body = body_def("circle");
        tarn_body_id id;
        CHECK_OK(set_shape(&body, "radius", tarn_value_number(0.1), NULL));
        body.density = k ? 2000 : 100, body.position = (tarn_vec3){0.3 + 0.4 * k, 0.5, 0};
        CHECK_OK(tarn_body_create(w, &body, &id, NULL));
    }
    return w;
}

// A restored planar world continues like one that never left that state.
static void planar_worlds_are_restored_exactly(void **state)
{
    (void)state;
    tarn_world *w = flat_tank(), *twin = flat_tank();
    assert_int_equal(steps_taken(w, 5) + steps_taken(twin, 5), 10);
    assert_true(world_save_backup(w));
    assert_int_equal(steps_taken(w, 7), 7);
    CHECK_OK(world_restore_backup(w));
    assert_true(tarn_world_hash(w) == tarn_world_hash(twin));
    assert_int_equal(steps_taken(w, 5) + steps_taken(twin, 5), 10);
    assert_true(tarn_world_hash(w) == tarn_world_hash(twin));
    tarn_world_destroy(w), tarn_world_destroy(twin);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(retries_with_shorter_substeps_succeed),
        cmocka_unit_test(failed_steps_leave_the_last_valid_state),
        cmocka_unit_test(state_is_restored_after_failed_retries),
        cmocka_unit_test(runs_without_failures_do_not_depend_on_retries),
        cmocka_unit_test(running_out_of_memory_leaves_the_world_intact),
        cmocka_unit_test(planar_worlds_are_restored_exactly),
    };
    return cmocka_run_group_tests_name("retry", tests, NULL, NULL);
}
