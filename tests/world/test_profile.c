// Promises of profile, counters and thread pools: measuring changes no bit, bytes are those that the
// allocator gave, later steps allocate nothing in any model, and worlds share the threads of a pool.
#include "body_def.h"
#include "check.h"
#include "counting_allocator.h"
#include "world_setup.h"

#include <tarn/tarn.h>

#include <math.h>
#include <pthread.h>
#include <string.h>

static const char *const models[] = {"wave", "shallow", "implicit", "flow", "none", "ocean"};

// A world of 4 m x 4 m with bodies that fall, a joint and an emitter.
static tarn_world *create_world(const char *model, const tarn_host *host)
{
    const bool planar = strcmp(model, "flow") == 0;
    static const char *const solids[] = {"box", "sphere", "capsule", "cylinder"};
    struct world_setup def = world_setup_of(model);
    tarn_world *w = NULL;
    tarn_body_id body[6];
    tarn_joint_id id;
    if (host) def.world.host = *host;
    set_size(&def.fluid, 4, 4);
    set_cells(&def.fluid, 32, 32); // `none` has no grid
    CHECK_OK(setup_create(&def, &w, NULL));
    for (int k = 0; k < COUNT(body); ++k) {
        tarn_body_def b = body_def(planar ? "circle" : solids[k % COUNT(solids)]);
        b.density = 500.0;
        b.position = planar ? (tarn_vec3){0.8 + 0.8 * (k % 3), 1.2 + 1.0 * (k / 3), 0}
                            : (tarn_vec3){0.3 * (k % 3), 1.3 + 0.6 * k, 0.2 * (k % 2)};
        CHECK_OK(tarn_body_create(w, &b, &body[k], NULL));
    }
    tarn_joint_def joint = tarn_default_joint_def(TARN_JOINT_SPRING);
    joint.body_a = body[0], joint.body_b = body[1];
    CHECK_OK(tarn_joint_create(w, &joint, &id, NULL));
    if (strcmp(model, "none") == 0 || strcmp(model, "ocean") == 0) return w; // they have no emitters
    const tarn_emitter_def emitter =
        tarn_default_emitter_def(planar ? TARN_EMITTER_SOURCE : TARN_EMITTER_RAIN);
    CHECK_OK(tarn_emitter_create(w, &emitter, NULL, NULL));
    return w;
}

static void run(tarn_world *w, int steps)
{
    for (int n = 0; n < steps; ++n) CHECK_OK(tarn_world_advance(w, 1.0 / 60.0));
}

static void measuring_changes_no_bit(void **state)
{
    (void)state;
    for (int m = 0; m < COUNT(models); ++m) {
        tarn_world *plain = create_world(models[m], NULL), *measured = create_world(models[m], NULL);
        CHECK_OK(tarn_world_enable_profile(measured, true));
        run(plain, 20), run(measured, 20);
        assert_true(tarn_world_hash(plain) == tarn_world_hash(measured));
        const tarn_profile none = tarn_world_get_profile(plain), p = tarn_world_get_profile(measured);
        assert_true(none.step == 0.0 && none.fluid == 0.0 && none.contact_solver == 0.0);
        const double sum =
            p.emitters + p.broad_phase + p.narrow_phase + p.contact_solver + p.fluid + p.coupling;
        assert_int_equal(p.steps, 1);
        assert_true(p.contact_solver > 0.0 && p.narrow_phase > 0.0);
        assert_true(strcmp(models[m], "none") == 0 || p.fluid > 0.0);
        // Phases do not overlap; the clock is read between them. Rounding of the sum: 1e-9 s.
        assert_true(sum <= p.step + 1e-9);
        tarn_world_destroy(plain), tarn_world_destroy(measured);
    }
}

static void a_profile_is_that_of_the_last_call(void **state)
{
    (void)state;
    tarn_world *w = create_world("wave", NULL);
    CHECK_OK(tarn_world_enable_profile(w, true));
    CHECK_OK(tarn_world_advance(w, 3.0 / 60.0));
    assert_int_equal(tarn_world_get_profile(w).steps, 3);
    CHECK_OK(tarn_world_advance(w, 0.1 / 60.0));
    assert_int_equal(tarn_world_get_profile(w).steps, 0);
    assert_true(tarn_world_get_profile(w).fluid == 0.0);
    tarn_world_destroy(w);
    assert_int_equal(tarn_world_enable_profile(NULL, true), TARN_BAD_ARGUMENT);
    assert_int_equal(tarn_world_get_counters(NULL).bytes, 0);
}

static void bytes_are_those_of_the_allocator(void **state)
{
    (void)state;
    for (int m = 0; m < COUNT(models); ++m) {
        struct counting_allocator books = {.left = -1};
        const tarn_host host = {.allocator = counting_hook(&books), .retries = 2};
        tarn_world *w = create_world(models[m], &host);
        tarn_counters c = tarn_world_get_counters(w);
        assert_int_equal(c.bytes, books.now);
        assert_int_equal(c.allocations, books.calls);
        assert_int_equal(c.peak_bytes, books.peak);
        CHECK_OK(tarn_world_keep_previous(w, 1));
        run(w, 10);
        // Going back builds the state anew.
        const size_t size = tarn_world_snapshot(w, NULL, 0);
        void *snapshot = malloc(size);
        assert_true(snapshot && tarn_world_snapshot(w, snapshot, size) == size);
        run(w, 2);
        CHECK_OK(tarn_world_restore(w, snapshot, size, NULL));
        free(snapshot);
        run(w, 2);
        CHECK_OK(tarn_body_destroy(w, tarn_body_at(w, 1)));
        // Shapes are not counted; a restored world may have made its own.
        tarn_counters after = tarn_world_get_counters(w);
        if (after.bytes > books.now || books.now - after.bytes > 300000)
            fail_msg("%s: %zu bytes counted of %zu", models[m], (size_t)after.bytes, books.now);
        tarn_world_destroy(w);
        assert_int_equal(books.blocks, 0);
    }
}

static void later_steps_allocate_nothing(void **state)
{
    (void)state;
    for (int m = 0; m < COUNT(models); ++m) {
        struct counting_allocator books = {.left = -1};
        const tarn_host host = {.allocator = counting_hook(&books)};
        tarn_world *w = create_world(models[m], &host);
        run(w, 200); // until the bodies rest or float
        const uint64_t before = tarn_world_get_counters(w).allocations;
        run(w, 100);
        const uint64_t after = tarn_world_get_counters(w).allocations;
        if (after != before) fail_msg("%s: %d allocations in 100 steps", models[m], (int)(after - before));
        assert_int_equal(after, books.calls);
        tarn_world_destroy(w);
    }
}

static void counters_count(void **state)
{
    (void)state;
    for (int m = 0; m < COUNT(models); ++m) {
        tarn_world *w = create_world(models[m], NULL);
        run(w, 60);
        const tarn_counters c = tarn_world_get_counters(w);
        const bool planar = strcmp(models[m], "flow") == 0, dry = strcmp(models[m], "none") == 0;
        assert_int_equal(c.bodies, 6);
        assert_int_equal(c.joints, 1);
        assert_true(0 <= c.awake_bodies && c.awake_bodies <= 6);
        assert_true(1 <= c.islands && c.islands <= 6);
        assert_true(c.contact_points >= c.contacts);
        assert_true(c.detections >= 1 && c.contact_passes >= 2);
        assert_int_equal(c.linear_solves > 0, planar || strcmp(models[m], "implicit") == 0);
        assert_true(c.linear_passes >= 0 && (c.linear_solves > 0 || c.linear_residual == 0.0));
        if (dry) assert_true(c.wet_cells == 0 && c.covered_columns == 0);
        if (!dry && !planar) assert_int_equal(c.wet_cells, 32 * 32);
        if (planar) assert_true(c.wet_cells > 0 && c.wet_cells <= 32 * 32);
        if (!dry && !planar) assert_true(c.covered_columns > 0 && c.covered_columns < 32 * 32);
        tarn_world_destroy(w);
    }
}

// ---- thread pools -----------------------------------------------------------------------------------

static void count_call(void *arg, int index) { ((int *)arg)[index] += 1; }

static void a_pool_runs_each_task_once(void **state)
{
    (void)state;
    for (int threads = 1; threads <= 5; ++threads) {
        tarn_thread_pool *pool;
        int calls[1000] = {0};
        CHECK_OK(tarn_thread_pool_create(threads, NULL, &pool, NULL));
        const tarn_task_system tasks = tarn_thread_pool_tasks(pool);
        for (int count = 0; count <= 1000; count += 250) tasks.run(tasks.context, count_call, calls, count);
        for (int i = 0; i < 1000; ++i) assert_int_equal(calls[i], 4 - i / 250);
        tarn_thread_pool_destroy(pool);
    }
}

static void wrong_pools_are_refused(void **state)
{
    (void)state;
    tarn_thread_pool *pool = (tarn_thread_pool *)&pool;
    tarn_error err;
    assert_int_equal(tarn_thread_pool_create(0, NULL, &pool, &err), TARN_BAD_ARGUMENT);
    assert_null(pool);
    assert_string_equal(err.key, "thread_count");
    assert_int_equal(tarn_thread_pool_create(65, NULL, &pool, NULL), TARN_BAD_ARGUMENT);
    assert_int_equal(tarn_thread_pool_create(2, NULL, NULL, NULL), TARN_BAD_ARGUMENT);
    assert_null(tarn_thread_pool_tasks(NULL).run);
    tarn_thread_pool_destroy(NULL);
    for (int left = 0;; ++left) { // every allocation may fail
        struct counting_allocator books = {.left = left};
        const tarn_allocator hook = counting_hook(&books);
        const tarn_result r = tarn_thread_pool_create(3, &hook, &pool, NULL);
        if (r == TARN_OK) tarn_thread_pool_destroy(pool);
        assert_int_equal(books.blocks, 0);
        if (r == TARN_OK) break;
        assert_int_equal(r, TARN_NO_MEMORY);
        assert_null(pool);
    }
}

enum { WORLDS = 10, STEPS = 8 };

static void create_worlds(tarn_world *worlds[WORLDS], const tarn_host *host)
{
    for (int i = 0; i < WORLDS; ++i) worlds[i] = create_world(models[i % COUNT(models)], host);
}

static void check_same_and_destroy(tarn_world *const alone[WORLDS], tarn_world *const together[WORLDS])
{
    for (int i = 0; i < WORLDS; ++i) {
        assert_true(tarn_world_hash(alone[i]) == tarn_world_hash(together[i]));
        tarn_world_destroy(together[i]);
    }
}

static void *step_one(void *world)
{
    run(world, STEPS);
    return NULL;
}

// One pool for the worlds' own loops and for the loop over worlds, and from several threads at once.
static void worlds_share_a_pool(void **state)
{
    (void)state;
    tarn_thread_pool *pool;
    CHECK_OK(tarn_thread_pool_create(3, NULL, &pool, NULL));
    const tarn_host host = {.tasks = tarn_thread_pool_tasks(pool)};
    tarn_world *alone[WORLDS], *together[WORLDS];
    tarn_result results[WORLDS];
    pthread_t thread[WORLDS];
    create_worlds(alone, NULL);
    for (int i = 0; i < WORLDS; ++i) run(alone[i], STEPS);

    create_worlds(together, &host);
    for (int n = 0; n < STEPS; ++n)
        CHECK_OK(tarn_worlds_advance(together, WORLDS, 1.0 / 60.0, &host.tasks, results));
    check_same_and_destroy(alone, together);

    create_worlds(together, &host);
    for (int i = 0; i < WORLDS; ++i)
        assert_int_equal(pthread_create(&thread[i], NULL, step_one, together[i]), 0);
    for (int i = 0; i < WORLDS; ++i) pthread_join(thread[i], NULL);
    check_same_and_destroy(alone, together);

    for (int i = 0; i < WORLDS; ++i) tarn_world_destroy(alone[i]);
    tarn_thread_pool_destroy(pool);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(measuring_changes_no_bit),
        cmocka_unit_test(a_profile_is_that_of_the_last_call),
        cmocka_unit_test(bytes_are_those_of_the_allocator),
        cmocka_unit_test(later_steps_allocate_nothing),
        cmocka_unit_test(counters_count),
        cmocka_unit_test(a_pool_runs_each_task_once),
        cmocka_unit_test(wrong_pools_are_refused),
        cmocka_unit_test(worlds_share_a_pool),
    };
    return cmocka_run_group_tests_name("profile", tests, NULL, NULL);
}
