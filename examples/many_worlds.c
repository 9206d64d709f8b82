// Hundreds of small worlds for learning or parameter studies: one is built, the others are its clones, which
// share its shapes and have the same ids. All take their steps in one call on the threads of a pool. A world
// whose episode has ended returns to the start without allocating.
#include <stdio.h>
#include <tarn/tarn.h>

enum { WORLDS = 256, EPISODES = 4, DECISIONS = 10, STEPS = 6 }; // a decision holds for six steps

static tarn_result make_template(tarn_world **world, tarn_body_id *raft, tarn_error *err)
{
    const tarn_shape_def box = {.type = TARN_SHAPE_BOX, .box = {.size = {0.6, 0.15, 0.4}}};
    tarn_fluid_def water = tarn_default_fluid_def(TARN_FLUID_WAVE);
    tarn_world_def def = tarn_default_world_def();
    tarn_body_def body = tarn_default_body_def();

    water.wave.cells[0] = water.wave.cells[1] = 32;
    def.fluid = &water;
    body.position = (tarn_vec3){0, 1, 0};
    const tarn_result r = tarn_world_create(&def, world, err);
    return r == TARN_OK ? tarn_body_create_with_shape(*world, &body, &box, raft, err) : r;
}

// One decision in every world: a random push, then the steps of all worlds.
static tarn_result take_steps(tarn_world **worlds, tarn_body_id raft, int decision,
                              const tarn_task_system *tasks, tarn_result *results)
{
    for (int i = 0; i < WORLDS; ++i) {
        const uint64_t stream = (uint64_t)i, n = 2 * (uint64_t)decision;
        const tarn_vec3 push = {6 * tarn_random(1, stream, n) - 3, 0, 6 * tarn_random(1, stream, n + 1) - 3};
        const tarn_result r = tarn_body_apply_central_impulse(worlds[i], raft, push);
        if (r != TARN_OK) return r;
    }
    return tarn_worlds_step(worlds, WORLDS, STEPS, tasks, results);
}

int main(void)
{
    static tarn_world *worlds[WORLDS];
    static tarn_result results[WORLDS];
    tarn_world *start = NULL;
    tarn_thread_pool *pool = NULL;
    tarn_body_id raft = {0};
    tarn_error err = {0};
    double best = 0.0;

    tarn_result r = tarn_thread_pool_create(2, NULL, &pool, &err);
    if (r == TARN_OK) r = make_template(&start, &raft, &err);
    for (int i = 0; i < WORLDS && r == TARN_OK; ++i) r = tarn_world_clone(start, NULL, &worlds[i], &err);
    const tarn_task_system tasks = tarn_thread_pool_tasks(pool);
    for (int n = 0; n < EPISODES * DECISIONS && r == TARN_OK; ++n) {
        r = take_steps(worlds, raft, n, &tasks, results);
        for (int i = 0; i < WORLDS && r == TARN_OK && (n + 1) % DECISIONS == 0; ++i) {
            tarn_body_state state;
            r = tarn_body_get_state(worlds[i], raft, &state); // the reward: distance along x
            if (state.position.x > best) best = state.position.x;
            if (r == TARN_OK) r = tarn_world_copy_state(worlds[i], start, &err);
        }
    }
    printf("%d episodes; the farthest raft came %.2f m\n", EPISODES * WORLDS, best);
    if (r != TARN_OK) fprintf(stderr, "%s: %s\n", err.key, err.message);
    for (int i = 0; i < WORLDS; ++i) tarn_world_destroy(worlds[i]);
    tarn_world_destroy(start);
    tarn_thread_pool_destroy(pool);
    return r != TARN_OK || best <= 0.0;
}
