// Promise in types.h: a step that goes wrong is retaken from the state before it in shorter inner steps; if
// none helps, that state is the world's last.
#include "check.h"
#include "counting_allocator.h"
#include "memory_stream.h"

#include "world/world.h"

#include <stdio.h>
#include <tarn/tarn.h>

#define DT (1.0 / 64.0)

// A hump in a small tank with two inner steps a step, where waves need three: it goes wrong in step 9, a
// state so wild that nothing helps is reached a little later.
static tarn_world *wild_tank(const tarn_host *host)
{
    tarn_world_def def = tarn_world_def_default("shallow");
    tarn_world *w = NULL;
    tarn_spec hump;
    if (host) def.host = *host;
    def.dt = DT;
    CHECK_OK(tarn_spec_set(&def.fluid, "size", tarn_pair(1, 1), NULL));
    CHECK_OK(tarn_spec_set(&def.fluid, "cells", tarn_pair(32, 32), NULL));
    CHECK_OK(tarn_spec_set(&def.fluid, "steps", tarn_number(2), NULL));
    CHECK_OK(tarn_world_create(&def, &w, NULL));
    CHECK_OK(tarn_spec_init(&hump, "emitter", "hump", NULL));
    CHECK_OK(tarn_spec_set(&hump, "radius", tarn_number(0.1), NULL));
    CHECK_OK(tarn_spec_set(&hump, "height", tarn_number(1), NULL));
    CHECK_OK(tarn_emitter_create(w, &hump, NULL));
    return w;
}

// Steps until one fails, at most `most`.
static int steps_taken(tarn_world *w, int most)
{
    int n = 0;
    while (n < most && tarn_world_step(w, DT) == TARN_OK) ++n;
    return n;
}

static void shorter_steps_help(void **state)
{
    (void)state;
    tarn_world *w = wild_tank(NULL);
    const int without = steps_taken(w, 100);
    const uint64_t before = tarn_world_status(w).inner;
    tarn_world_destroy(w);
    assert_true(without < 100);

    w = wild_tank(&(tarn_host){.retries = 3});
    CHECK_OK(tarn_world_keep(w, 1));
    assert_int_equal(steps_taken(w, without), without);
    assert_int_equal(tarn_world_status(w).retaken, 0);
    tarn_frame old = {0}, back = {0};
    CHECK_OK(tarn_world_frame(w, 1, &old));
    CHECK_OK(tarn_world_step(w, DT));
    const tarn_status s = tarn_world_status(w);
    assert_int_equal(s.retaken, 1);
    assert_int_equal(s.steps, without + 1);
    assert_true(s.inner >= before + 2);                      // half of the two steps, or less
    CHECK_NEAR(tarn_world_ledger(w).volume_drift, 0.0, 0.0); // whole quanta
    CHECK_OK(tarn_world_frame(w, 0, &back));                 // what is kept for blending is still there
    assert_memory_equal(old.height, back.height, 32 * 32 * sizeof(float));
    tarn_frame_free(&old), tarn_frame_free(&back);
    tarn_world_destroy(w);
}

// The cell is named; the state is that before the step, and says so after a restart as well.
static void the_last_good_state_is_left(void **state)
{
    (void)state;
    static struct memory_stream file;
    tarn_world *w = wild_tank(&(tarn_host){.retries = 3}), *again = NULL;
    double volume = 0.0;
    tarn_result r = TARN_OK;
    uint64_t steps = 0, inner = 0;
    for (int n = 0; n < 100 && r == TARN_OK; ++n) {
        volume = tarn_world_ledger(w).volume;
        steps = tarn_world_status(w).steps, inner = tarn_world_status(w).inner;
        r = tarn_world_step(w, DT);
    }
    assert_int_equal(r, TARN_DIVERGED);
    char words[64];
    snprintf(words, sizeof words, "step %llu: the water is", (unsigned long long)steps + 1);
    assert_non_null(strstr(tarn_world_trouble(w), words));
    assert_non_null(strstr(tarn_world_trouble(w), " in cell ("));
    assert_true(tarn_world_status(w).steps == steps && tarn_world_status(w).inner == inner);
    CHECK_NEAR(tarn_world_ledger(w).volume, volume, 0.0);
    assert_true(isfinite(tarn_water_at(w, 0.1, 0.1).height));
    assert_int_equal(tarn_world_step(w, DT), TARN_DIVERGED);

    file.size = file.at = 0;
    CHECK_OK(tarn_world_save(w, stream_write, &file));
    CHECK_OK(tarn_world_load(stream_read, &file, NULL, &again, NULL));
    assert_string_equal(tarn_world_trouble(again), tarn_world_trouble(w));
    assert_true(tarn_world_hash(again) == tarn_world_hash(w));
    tarn_world_destroy(w), tarn_world_destroy(again);
}

// A pond with two bodies of one shape, one of another, and a joint.
static tarn_world *wave_world(const tarn_host *host, tarn_body *first)
{
    tarn_world_def def = tarn_world_def_default("wave");
    tarn_world *w = NULL;
    if (host) def.host = *host;
    tarn_spec_set(&def.fluid, "cells", tarn_pair(32, 32), NULL);
    if (tarn_world_create(&def, &w, NULL) != TARN_OK) return NULL;
    tarn_result r = TARN_OK;
    for (int k = 0; k < 3 && r == TARN_OK; ++k) {
        tarn_body_def body = tarn_body_def_default(k == 2 ? "sphere" : "box");
        tarn_body id;
        body.position = (tarn_vec3){0.6 * k - 0.6, 1.2, 0.1 * k};
        r = tarn_body_create(w, &body, &id, NULL);
        if (k == 0 && first) *first = id;
        if (k != 2 || r != TARN_OK) continue;
        tarn_joint_def line = tarn_joint_def_default("line");
        tarn_joint joint;
        line.a = id, line.at = body.position, line.to = (tarn_vec3){1, 2, 0};
        r = tarn_joint_create(w, &line, &joint, NULL);
    }
    if (r == TARN_OK) return w;
    tarn_world_destroy(w);
    return NULL;
}

// No retry makes up for a push of 1e14 N. The push is part of the state that comes back, and what frames
// point to lives.
static void bodies_come_back(void **state)
{
    (void)state;
    tarn_body id;
    tarn_world *w = wave_world(&(tarn_host){.retries = 2, .workers = 2}, &id);
    for (int n = 0; n < 30; ++n) CHECK_OK(tarn_world_step(w, 1.0 / 60.0));
    tarn_frame frame = {0}, after = {0};
    CHECK_OK(tarn_world_frame(w, 1, &frame));
    CHECK_OK(tarn_body_push(w, id, (tarn_vec3){1e14, 1e14, 0}, (tarn_vec3){0, 0, 0}));
    const tarn_ledger before = tarn_world_ledger(w);
    tarn_result r = TARN_OK;
    int n = 0;
    for (; n < 20 && r == TARN_OK; ++n) r = tarn_world_step(w, 1.0 / 60.0);
    assert_int_equal(r, TARN_DIVERGED);
    assert_int_equal(n, 1);
    assert_non_null(strstr(tarn_world_trouble(w), "step 31: body 0"));
    const tarn_ledger now = tarn_world_ledger(w);
    assert_memory_equal(&now, &before, sizeof now);
    CHECK_OK(tarn_world_frame(w, 1, &after));
    for (int k = 0; k < frame.body_count; ++k) {
        assert_ptr_equal(frame.bodies[k].mesh, after.bodies[k].mesh);
        assert_memory_equal(&frame.bodies[k].motion, &after.bodies[k].motion, sizeof frame.bodies[k].motion);
        assert_true(frame.bodies[k].mesh->triangle_count > 0 && isfinite(frame.bodies[k].mesh->vertices[0]));
    }
    tarn_frame_free(&frame), tarn_frame_free(&after);
    tarn_world_destroy(w);
}

static void good_runs_are_the_same(void **state)
{
    (void)state;
    uint64_t hash[2];
    for (int k = 0; k < 2; ++k) {
        tarn_world *w = wave_world(&(tarn_host){.retries = 3 * k}, NULL);
        for (int n = 0; n < 60; ++n) CHECK_OK(tarn_world_step(w, 1.0 / 60.0));
        hash[k] = tarn_world_hash(w);
        tarn_world_destroy(w);
    }
    assert_true(hash[0] == hash[1]);
    tarn_world *w = NULL;
    tarn_world_def def = tarn_world_def_default("wave");
    def.host.retries = 9;
    assert_int_equal(tarn_world_create(&def, &w, NULL), TARN_BAD_ARGUMENT);
}

// Without memory for a backup the step is taken all the same; without memory to go back the world ends.
// Nothing leaks.
static void memory_may_run_out(void **state)
{
    (void)state;
    for (int once = 0; once < 2; ++once) {
        bool worked = false;
        for (int n = 0; n < 2000 && !worked; n += n < 300 ? 1 : 7) {
            struct counting_allocator ledger = {.left = n, .once = once};
            tarn_body id;
            tarn_world *w = wave_world(&(tarn_host){.retries = 1, .allocator = counting_hook(&ledger)}, &id);
            if (w) {
                const tarn_result first = tarn_world_step(w, 1.0 / 60.0);
                assert_true(first == TARN_OK || first == TARN_NO_MEMORY);
                tarn_body_push(w, id, (tarn_vec3){1e14, 1e14, 0}, (tarn_vec3){0, 0, 0});
                const tarn_result r = tarn_world_step(w, 1.0 / 60.0);
                assert_int_not_equal(r, TARN_BAD_ARGUMENT);
                tarn_world_ledger(w);
            }
            tarn_world_destroy(w);
            assert_int_equal(ledger.blocks, 0);
            worked = ledger.refused == 0;
        }
        assert_true(worked);
    }
}

// A plane of fluid with discs in it, one lighter and one heavier than the fluid.
static tarn_world *flat_tank(void)
{
    tarn_world_def def = tarn_world_def_default("flow");
    tarn_world *w = NULL;
    def.dt = DT;
    CHECK_OK(tarn_spec_set(&def.fluid, "size", tarn_pair(1, 1), NULL));
    CHECK_OK(tarn_spec_set(&def.fluid, "cells", tarn_pair(32, 32), NULL));
    CHECK_OK(tarn_world_create(&def, &w, NULL));
    for (int k = 0; k < 2; ++k) {
        tarn_body_def body = tarn_body_def_default("circle");
        tarn_body id;
        CHECK_OK(tarn_spec_set(&body.shape, "radius", tarn_number(0.1), NULL));
        body.density = k ? 2000 : 100, body.position = (tarn_vec3){0.3 + 0.4 * k, 0.5, 0};
        CHECK_OK(tarn_body_create(w, &body, &id, NULL));
    }
    return w;
}

// Taken back to an earlier state, a plane with bodies goes on from there as one does that never left it.
static void flat_worlds_come_back(void **state)
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
        cmocka_unit_test(shorter_steps_help), cmocka_unit_test(the_last_good_state_is_left),
        cmocka_unit_test(bodies_come_back),   cmocka_unit_test(good_runs_are_the_same),
        cmocka_unit_test(memory_may_run_out), cmocka_unit_test(flat_worlds_come_back),
    };
    return cmocka_run_group_tests_name("retry", tests, NULL, NULL);
}
