// tarn bench flow: a whole step of the flow model beside the classic scheme for smoke.
//
// Warm smoke rises against a disc in a closed box. Both have heat and dye that spread, friction, and a
// pressure: tarn solves for it to a stated residual, the classic scheme sweeps twenty times. Time is counted
// per cell and step; what each leaves of the divergence stands beside it, since that is what the time was
// spent on.
#include "bench_flow.h"
#include "baseline_smoke.h"

#include <math.h>

#define BOX     1.0          // [m]
#define STEP    (1.0 / 60.0) // [s]
#define NU      1e-5         // [m^2/s]
#define LEAST   4.0          // times as fast as the classic scheme
#define WARM_UP 30           // steps before anything counts: smoke must move

enum { MACCORMACK, SEMI_LAGRANGIAN, CLASSIC, PAIR, CONTENDERS };

static const struct {
    const char *name;
    int threads;
} entries[CONTENDERS] = {
    [MACCORMACK] = {"maccormack", 1},
    [SEMI_LAGRANGIAN] = {"semi-lagrangian", 1},
    [CLASSIC] = {"classic scheme", 1},
    [PAIR] = {"maccormack", 2},
};

static int entered(const struct bench_run *run) { return run->threads < 2 ? PAIR : CONTENDERS; }

struct field {
    tarn_world *world[CONTENDERS]; // NULL for the classic scheme
    struct smoke_baseline classic;
};

static tarn_result describe(tarn_world_def *def, int n, const char *advection, tarn_error *err)
{
    static const char *const spreads[] = {"viscosity", "temperature.diffusivity", "dye.diffusivity"};
    tarn_result r = tarn_spec_set(&def->fluid, "size", tarn_value_vec2(BOX, BOX), err);

    if (r == TARN_OK) r = tarn_spec_set(&def->fluid, "cells", tarn_value_vec2(n, n), err);
    if (r == TARN_OK) r = tarn_spec_set(&def->fluid, "advection", tarn_value_text(advection), err);
    for (int i = 0; i < 3 && r == TARN_OK; ++i)
        r = tarn_spec_set(&def->fluid, spreads[i], tarn_value_number(NU), err);
    if (r == TARN_OK) r = tarn_spec_set(&def->fluid, "divergence_tolerance", tarn_value_number(1e-5), err);
    return r;
}

tarn_result bench_flow_world(int n, const char *advection, int threads, tarn_world **out, tarn_error *err)
{
    tarn_world_def def = tarn_world_def_default("flow");

    def.dt = STEP;
    def.host.workers = threads;
    const tarn_result r = describe(&def, n, advection, err);
    return r == TARN_OK ? tarn_world_create(&def, out, err) : r;
}

tarn_result add_smoke_source(tarn_world *world, tarn_error *err)
{
    tarn_emitter_def smoke = tarn_default_emitter_def(TARN_EMITTER_SOURCE);

    smoke.source.shape = TARN_SOURCE_BOX;
    smoke.source.position = (tarn_vec2){0.5, 0.09375};
    smoke.source.size = (tarn_vec2){0.125, 0.0625};
    smoke.source.dye = 2.0, smoke.source.heat = 200.0;
    return tarn_emitter_create(world, &smoke, NULL, err);
}

static tarn_result furnish(tarn_world *world, tarn_error *err)
{
    tarn_obstacle_def disc = tarn_obstacle_def_default("circle");

    disc.position[0] = disc.position[1] = 0.5 * BOX;
    tarn_result r = tarn_spec_set(&disc.shape, "radius", tarn_value_number(0.1), err);
    if (r == TARN_OK) r = tarn_obstacle_create(world, &disc, err);
    return r == TARN_OK ? add_smoke_source(world, err) : r;
}

static int make_world(int n, int i, tarn_world **out)
{
    tarn_error err = {0};
    tarn_result r = bench_flow_world(n, entries[i].name, entries[i].threads, out, &err);

    if (r == TARN_OK) r = furnish(*out, &err);
    for (int k = 0; k < WARM_UP && r == TARN_OK; ++k) r = tarn_world_advance(*out, STEP);
    if (r == TARN_OK) return 0;
    return print_error((int)r, "bench flow: %s%s%s", err.key, err.key[0] ? ": " : "", err.message);
}

static long long go_classic(void *self, long long count)
{
    for (long long i = 0; i < count; ++i) smoke_step(self);
    return count;
}

static int make_field(const struct bench_run *run, int n, struct field *f)
{
    int code = 0;

    for (int i = 0; i < entered(run) && code == 0; ++i)
        if (i != CLASSIC) code = make_world(n, i, &f->world[i]);
    if (code == 0 && smoke_init(&f->classic, n, (float)(BOX / n), (float)STEP))
        code = print_error(TARN_NO_MEMORY, "bench flow: no memory for %d x %d cells", n, n);
    if (code != 0) return code;
    f->classic.nu = f->classic.diffusivity = (float)NU;
    f->classic.buoyancy = (float)(9.81 * 0.0034);
    go_classic(&f->classic, WARM_UP);
    return 0;
}

static void free_field(struct field *f)
{
    smoke_free(&f->classic);
    for (int i = 0; i < CONTENDERS; ++i) tarn_world_destroy(f->world[i]);
}

// [ns] per cell and step, and what is left of the divergence.
static int measure(const struct bench_run *run, int n, double best[CONTENDERS], double left[CONTENDERS])
{
    struct candidate list[CONTENDERS];
    struct field field = {0};

    int code = make_field(run, n, &field);
    for (int i = 0; i < CONTENDERS; ++i)
        list[i] =
            (struct candidate){.name = entries[i].name, .run_steps = run_world_steps, .self = field.world[i]};
    list[CLASSIC].run_steps = go_classic, list[CLASSIC].self = &field.classic;
    if (code == 0) code = bench_measure(run, list, entered(run));
    for (int i = 0; i < CONTENDERS && code == 0; ++i) {
        best[i] = 1e9 * list[i].best / ((double)n * n);
        left[i] = i == CLASSIC ? smoke_max_divergence(&field.classic) : 0.0;
        if (field.world[i]) left[i] = tarn_flow_get_divergence(field.world[i]);
    }
    free_field(&field);
    return code;
}

static void put(const struct bench_run *run, int n, const double *best, const double *left)
{
    json_open(run->json, NULL, '{');
    json_integer(run->json, "cells", n);
    json_open(run->json, "contenders", '[');
    for (int i = 0; i < entered(run); ++i) {
        json_open(run->json, NULL, '{');
        json_text(run->json, "name", entries[i].name);
        json_integer(run->json, "threads", entries[i].threads);
        json_number(run->json, "ns", best[i]);
        json_number(run->json, "gain", best[CLASSIC] / best[i]);
        json_number(run->json, "divergence", left[i]);
        json_close(run->json);
    }
    json_close(run->json);
    json_close(run->json);
}

static void print(const struct bench_run *run, int n, const double *best, const double *left)
{
    printf("Warm smoke against a disc, %d^2 cells: ns per cell and step, best of %d, and the largest\n"
           "divergence that is left, times the cell size over the fastest speed.\n"
           "                   threads        ns   times as fast   divergence\n",
           n, run->repeats);
    for (int i = 0; i < entered(run); ++i)
        printf("%-18s %7d %9.1f %13.2f x   %.1e\n", entries[i].name, entries[i].threads, best[i],
               best[CLASSIC] / best[i], left[i]);
    fflush(stdout);
}

static int run_flow(struct bench_run *run)
{
    const int sizes[] = {run->quick ? 64 : 512, run->quick ? 128 : 1024};
    double best[CONTENDERS], left[CONTENDERS];

    if (run->json) json_open(run->json, "grids", '[');
    for (int k = 0; k < 2; ++k) {
        print_status("bench flow: %d^2 cells", sizes[k]);
        const int code = measure(run, sizes[k], best, left);
        if (code != 0) return code;
        if (run->json)
            put(run, sizes[k], best, left);
        else
            print(run, sizes[k], best, left);
        const double gain = best[CLASSIC] / best[MACCORMACK];
        bench_add_check(run, gain >= LEAST, gain, LEAST,
                        "%s, %d^2 cells, 1 thread: %.2f times as fast as the classic scheme (at least %.0f)",
                        entries[MACCORMACK].name, sizes[k], gain, LEAST);
    }
    if (run->json) json_close(run->json);
    return bench_flow_discs(run);
}

const struct bench bench_flow = {
    "flow", "one step of the flow model beside the classic scheme for smoke, and with a hundred discs",
    run_flow};
