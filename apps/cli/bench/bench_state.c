// tarn bench state: snapshots for rollback, compared with a step.
//
// Rollback: a shallow world with floating boxes. A restore returns to the state before the last step; the one
// "with other bodies" changes between two states, each of which has boxes that the other does not have.
#include "bench.h"

#include <stdlib.h>

#define TANK             12.8 // [m]
#define DEPTH            1.0  // [m]
#define MAX_SNAPSHOT     0.2  // times a step, at most
#define MAX_RESTORE      0.5
#define MAX_OTHER_BODIES 1.0
#define MAX_STEP_AFTER   1.1 // time of a step after a restore over that of a step, at most

// ---- rollback --------------------------------------------------------------------------------------

enum { STEP, SNAPSHOT, RESTORE, RESTORE_AND_STEP, OTHER_BODIES, COPY_STATE, CANDIDATES };
static const char *const names[CANDIDATES] = {
    [STEP] = "step",
    [SNAPSHOT] = "snapshot",
    [RESTORE] = "restore",
    [RESTORE_AND_STEP] = "restore and step",
    [OTHER_BODIES] = "restore with other bodies",
    [COPY_STATE] = "copy state",
};

struct rollback {
    tarn_world *world, *clone;
    void *states[2]; // of snapshots: before and after some boxes were replaced
    size_t sizes[2], capacity;
};

static tarn_result add_box(tarn_world *world, const tarn_shape *shape, double x, double z, tarn_error *err)
{
    tarn_body_def def = tarn_default_body_def();
    def.shape = shape;
    def.density = 500.0;
    def.position = (tarn_vec3){x, DEPTH, z};
    return tarn_body_create(world, &def, NULL, err);
}

static tarn_result make_world(int n, int boxes, tarn_world **out, tarn_error *err)
{
    tarn_fluid_def fluid = tarn_default_fluid_def(TARN_FLUID_SHALLOW);
    tarn_world_def def = tarn_default_world_def();
    const tarn_shape_def box = {.type = TARN_SHAPE_BOX, .box = {{0.4, 0.4, 0.4}, 0.0}};
    tarn_shape *shape = NULL;
    fluid.shallow.size = (tarn_vec2){TANK, TANK};
    fluid.shallow.cells[0] = fluid.shallow.cells[1] = n;
    fluid.shallow.depth = DEPTH;
    def.fluid = &fluid;
    def.host.workers = 1;
    def.enable_sleep = false;
    tarn_result r = tarn_world_create(&def, out, err);
    if (r == TARN_OK) r = tarn_shape_create(&box, NULL, &shape, err);
    for (int i = 0; i < boxes && r == TARN_OK; ++i)
        r = add_box(*out, shape, TANK * ((i % 10 + 0.5) / 10 - 0.5), TANK * ((i / 10 + 0.5) / 10 - 0.5), err);
    tarn_shape_release(shape);
    for (int k = 0; k < 30 && r == TARN_OK; ++k) r = tarn_world_step(*out);
    return r;
}

// Replace every tenth box, as bodies of a game come and go.
static tarn_result replace_boxes(tarn_world *world, tarn_error *err)
{
    const tarn_shape_def box = {.type = TARN_SHAPE_BOX, .box = {{0.3, 0.3, 0.3}, 0.0}};
    const int count = tarn_world_get_status(world).body_count;
    tarn_shape *shape;
    tarn_result r = tarn_shape_create(&box, NULL, &shape, err);
    for (int i = 0; i < count / 10 && r == TARN_OK; ++i) {
        const tarn_body_id body = tarn_body_at(world, 9 * i);
        tarn_body_state now;
        r = tarn_body_get_state(world, body, &now);
        if (r == TARN_OK) r = tarn_body_destroy(world, body);
        if (r == TARN_OK) r = add_box(world, shape, now.position.x, now.position.z, err);
    }
    tarn_shape_release(shape);
    return r == TARN_OK ? tarn_world_step(world) : r;
}

static tarn_result take_snapshot(struct rollback *b, int which)
{
    b->sizes[which] = tarn_world_snapshot(b->world, b->states[which], b->capacity);
    return b->sizes[which] > 0 && b->sizes[which] <= b->capacity ? TARN_OK : TARN_NO_MEMORY;
}

static tarn_result make_rollback(int n, int boxes, struct rollback *b, tarn_error *err)
{
    tarn_result r = make_world(n, boxes, &b->world, err);
    b->capacity = 2 * tarn_world_snapshot(b->world, NULL, 0);
    for (int i = 0; i < 2; ++i) b->states[i] = bench_alloc(b->capacity, 1);
    if (r == TARN_OK && !(b->states[0] && b->states[1])) r = TARN_NO_MEMORY;
    if (r == TARN_OK) r = tarn_world_clone(b->world, NULL, &b->clone, err);
    if (r == TARN_OK) r = replace_boxes(b->world, err);
    if (r == TARN_OK) r = take_snapshot(b, 1);
    if (r == TARN_OK) r = tarn_world_copy_state(b->world, b->clone, err);
    return r == TARN_OK ? take_snapshot(b, 0) : r;
}

static void free_rollback(struct rollback *b)
{
    tarn_world_destroy(b->world);
    tarn_world_destroy(b->clone);
    free(b->states[0]);
    free(b->states[1]);
}

static long long run_steps(void *self, long long count)
{
    const struct rollback *b = self;
    for (long long i = 0; i < count; ++i)
        if (tarn_world_step(b->world) != TARN_OK) return -1;
    return count;
}

static long long run_snapshots(void *self, long long count)
{
    struct rollback *b = self;
    for (long long i = 0; i < count; ++i)
        if (take_snapshot(b, 0) != TARN_OK) return -1;
    return count;
}

static long long restore(const struct rollback *b, long long count, int other, bool step)
{
    for (long long i = 0; i < count; ++i) {
        const int which = i % 2 ? other : 0;
        if (tarn_world_restore(b->world, b->states[which], b->sizes[which], NULL) != TARN_OK) return -1;
        if (step && tarn_world_step(b->world) != TARN_OK) return -1;
    }
    return count;
}

static long long run_restores(void *self, long long count) { return restore(self, count, 0, false); }
static long long run_restores_and_steps(void *self, long long count) { return restore(self, count, 0, true); }
static long long run_other_bodies(void *self, long long count) { return restore(self, count, 1, false); }

static long long run_copies(void *self, long long count)
{
    const struct rollback *b = self;
    for (long long i = 0; i < count; ++i)
        if (tarn_world_copy_state(b->clone, b->world, NULL) != TARN_OK) return -1;
    return count;
}

// [s] of every candidate.
static int measure_rollback(const struct bench_run *run, int n, int boxes, double best[CANDIDATES])
{
    static long long (*const functions[CANDIDATES])(void *, long long) = {
        run_steps, run_snapshots, run_restores, run_restores_and_steps, run_other_bodies, run_copies};
    struct candidate list[CANDIDATES];
    struct rollback b = {0};
    tarn_error err = {0};
    const tarn_result r = make_rollback(n, boxes, &b, &err);
    int code = r == TARN_OK ? 0 : print_error((int)r, "bench state: %s", err.message);
    for (int i = 0; i < CANDIDATES; ++i)
        list[i] = (struct candidate){.name = names[i], .run_steps = functions[i], .self = &b};
    if (code == 0) code = bench_measure(run, list, CANDIDATES);
    for (int i = 0; i < CANDIDATES; ++i) best[i] = list[i].best;
    free_rollback(&b);
    return code;
}

static void print_rollback(const struct bench_run *run, int n, int boxes, const double best[CANDIDATES])
{
    printf("Rollback of shallow water, %d^2 columns, %d boxes, one thread: ms, best of %d.\n"
           "                                  ms   / step\n",
           n, boxes, run->repeats);
    for (int i = 0; i < CANDIDATES; ++i)
        printf("%-26s %9.3f %6.2f x\n", names[i], 1e3 * best[i], best[i] / best[STEP]);
    fflush(stdout);
}

static void write_rollback(struct json_writer *json, int n, int boxes, const double best[CANDIDATES])
{
    json_integer(json, "columns", n);
    json_integer(json, "boxes", boxes);
    json_open(json, "candidates", '[');
    for (int i = 0; i < CANDIDATES; ++i) {
        json_open(json, NULL, '{');
        json_text(json, "name", names[i]);
        json_number(json, "ms", 1e3 * best[i]);
        json_number(json, "per_step", best[i] / best[STEP]);
        json_close(json);
    }
    json_close(json);
}

static void check_rollback(struct bench_run *run, const double best[CANDIDATES])
{
    const struct {
        int candidate;
        double most;
    } limits[] = {{SNAPSHOT, MAX_SNAPSHOT}, {RESTORE, MAX_RESTORE}, {OTHER_BODIES, MAX_OTHER_BODIES}};
    for (size_t i = 0; i < sizeof limits / sizeof limits[0]; ++i) {
        const double ratio = best[limits[i].candidate] / best[STEP];
        bench_add_check(run, ratio <= limits[i].most, ratio, limits[i].most,
                        "%s: %.2f of the time of a step (at most %.2f)", names[limits[i].candidate], ratio,
                        limits[i].most);
    }
    const double after = (best[RESTORE_AND_STEP] - best[RESTORE]) / best[STEP];
    bench_add_check(run, after <= MAX_STEP_AFTER, after, MAX_STEP_AFTER,
                    "step after a restore: %.2f of the time of a step (at most %.2f)", after, MAX_STEP_AFTER);
}

static int run_state(struct bench_run *run)
{
    const int n = run->quick ? 32 : 256, boxes = run->quick ? 10 : 100;
    double best[CANDIDATES];
    print_status("bench state: %d^2 columns, %d boxes", n, boxes);
    const int code = measure_rollback(run, n, boxes, best);
    if (code != 0) return code;
    if (run->json)
        write_rollback(run->json, n, boxes, best);
    else
        print_rollback(run, n, boxes, best);
    check_rollback(run, best);
    return 0;
}

const struct bench bench_state = {"state", "snapshots and restores of a world", run_state};
