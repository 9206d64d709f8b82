// tarn bench worlds: steps of many small worlds in one call, for batches of environments.
#include "bench.h"

#include <stdlib.h>

#define CELLS       32  // along x and z
#define BOXES       2   // in a world
#define MIN_SPEEDUP 1.6 // by a second thread

struct model {
    const char *name;
    tarn_fluid_type type;
};

struct batch {
    tarn_fluid_type type;
    int count;
    tarn_world **worlds;
    tarn_result *results;
    tarn_thread_pool *pool;
};

static tarn_result make_small_world(tarn_fluid_type type, tarn_world **out, tarn_error *err)
{
    const tarn_shape_def box = {.type = TARN_SHAPE_BOX, .box = {{0.4, 0.4, 0.4}, 0.0}};
    tarn_fluid_def fluid = tarn_default_fluid_def(type); // 4 m x 4 m, 1 m deep
    tarn_world_def def = tarn_default_world_def();
    tarn_body_def body = tarn_default_body_def();
    if (type == TARN_FLUID_WAVE) fluid.wave.cells[0] = fluid.wave.cells[1] = CELLS;
    if (type == TARN_FLUID_SHALLOW) fluid.shallow.cells[0] = fluid.shallow.cells[1] = CELLS;
    def.fluid = &fluid, def.enable_sleep = false;
    tarn_result r = tarn_world_create(&def, out, err);
    for (int i = 0; i < BOXES && r == TARN_OK; ++i) {
        body.position = (tarn_vec3){i - 1.0, 1.0, 0.1 * i};
        r = tarn_body_create_with_shape(*out, &body, &box, NULL, err);
    }
    return r;
}

static tarn_result make_batch(struct batch *b, tarn_error *err)
{
    b->worlds = calloc((size_t)b->count, sizeof *b->worlds);
    b->results = calloc((size_t)b->count, sizeof *b->results);
    tarn_result r = b->worlds && b->results ? TARN_OK : TARN_NO_MEMORY;
    for (int i = 0; i < b->count && r == TARN_OK; ++i) r = make_small_world(b->type, &b->worlds[i], err);
    return r;
}

static void free_batch(struct batch *b)
{
    for (int i = 0; b->worlds && i < b->count; ++i) tarn_world_destroy(b->worlds[i]);
    free(b->worlds);
    free(b->results);
    tarn_thread_pool_destroy(b->pool);
}

// A step of the candidate is a step of one world.
static long long run_batch(void *self, long long count)
{
    const struct batch *b = self;
    const tarn_task_system tasks = tarn_thread_pool_tasks(b->pool);
    const long long steps = (count + b->count - 1) / b->count;
    const tarn_result r =
        tarn_worlds_step(b->worlds, b->count, (int)steps, b->pool ? &tasks : NULL, b->results);
    return r == TARN_OK ? steps * b->count : -1;
}

// [s] per step of a world with one thread and with two, if there are two.
static int measure_batches(const struct bench_run *run, const struct model *model, int count, double best[2])
{
    const int variants = run->threads < 2 ? 1 : 2;
    struct batch batches[2] = {{.type = model->type, .count = count}, {.type = model->type, .count = count}};
    struct candidate list[2];
    tarn_error err = {0};
    tarn_result r = TARN_OK;
    for (int i = 0; i < variants && r == TARN_OK; ++i) r = make_batch(&batches[i], &err);
    if (r == TARN_OK && variants > 1) r = tarn_thread_pool_create(2, NULL, &batches[1].pool, &err);
    for (int i = 0; i < 2; ++i)
        list[i] = (struct candidate){.name = model->name, .run_steps = run_batch, .self = &batches[i]};
    int code = r == TARN_OK ? bench_measure(run, list, variants)
                            : print_error((int)r, "bench worlds: %s", err.message);
    for (int i = 0; i < 2; ++i) {
        best[i] = i < variants ? list[i].best : 0.0;
        free_batch(&batches[i]);
    }
    return code;
}

static void report_batches(struct bench_run *run, const char *model, const double best[2])
{
    const double speedup = best[1] > 0.0 ? best[0] / best[1] : 0.0;
    if (run->json) {
        json_open(run->json, NULL, '{');
        json_text(run->json, "model", model);
        json_number(run->json, "steps_per_second", 1.0 / best[0]);
        if (best[1] > 0.0) json_number(run->json, "steps_per_second_2_threads", 1.0 / best[1]);
        json_close(run->json);
    } else if (best[1] > 0.0) {
        printf("%-26s %9.0f %9.0f %6.2f x\n", model, 1.0 / best[0], 1.0 / best[1], speedup);
    } else {
        printf("%-26s %9.0f\n", model, 1.0 / best[0]);
    }
    if (best[1] > 0.0)
        bench_add_check(run, speedup >= MIN_SPEEDUP, speedup, MIN_SPEEDUP,
                        "many worlds, %s: 2 threads %.2f times as fast as one (at least %.1f)", model,
                        speedup, MIN_SPEEDUP);
}

static int run_batches(struct bench_run *run)
{
    static const struct model models[] = {
        {"none", TARN_FLUID_DRY}, {"wave", TARN_FLUID_WAVE}, {"shallow", TARN_FLUID_SHALLOW}};
    const int count = run->quick ? 8 : 256;
    int code = 0;
    if (run->json)
        json_open(run->json, "worlds", '[');
    else
        printf("%d worlds of %d^2 columns with %d boxes, tarn_worlds_step(): steps of a world per second.\n"
               "                            1 thread 2 threads\n",
               count, CELLS, BOXES);
    for (size_t i = 0; i < sizeof models / sizeof models[0] && code == 0; ++i) {
        double best[2];
        code = measure_batches(run, &models[i], count, best);
        if (code == 0) report_batches(run, models[i].name, best);
    }
    if (run->json) json_close(run->json);
    return code;
}

const struct bench bench_worlds = {"worlds", "steps of many small worlds", run_batches};
