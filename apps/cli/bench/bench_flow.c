// tarn bench flow: a step of the flow model compared with stable fluids [stam1999].
//
// Warm smoke rises against a disc in a closed box. Both methods have viscosity and diffusion of heat and dye.
// tarn solves for the pressure to a given residual, stable fluids makes twenty Gauss-Seidel sweeps. Times are
// per cell and step; the remaining divergence is printed beside them.
#include "bench_flow.h"
#include "baseline_smoke.h"

#include <math.h>

#define BOX           1.0          // [m]
#define STEP          (1.0 / 60.0) // [s]
#define NU            1e-5         // [m^2/s]
#define MIN_SPEEDUP   4.0          // smallest speed-up over stable fluids
#define WARM_UP_STEPS 30           // steps before the measurement, so that the smoke moves

enum { MACCORMACK, SEMI_LAGRANGIAN, STABLE_FLUIDS, TWO_THREADS, CANDIDATES };

static const struct {
    const char *name;
    int threads;
    tarn_flow_advection advection;
} entries[CANDIDATES] = {
    [MACCORMACK] = {"maccormack", 1, TARN_FLOW_MACCORMACK},
    [SEMI_LAGRANGIAN] = {"semi-lagrangian", 1, TARN_FLOW_SEMI_LAGRANGIAN},
    [STABLE_FLUIDS] = {"stable fluids", 1, TARN_FLOW_MACCORMACK},
    [TWO_THREADS] = {"maccormack", 2, TARN_FLOW_MACCORMACK},
};

static int candidate_count(const struct bench_run *run)
{
    return run->threads < 2 ? TWO_THREADS : CANDIDATES;
}

struct candidates {
    tarn_world *world[CANDIDATES]; // NULL for stable fluids
    struct smoke_baseline stable_fluids;
};

tarn_result bench_flow_world(int n, tarn_flow_advection advection, int threads, tarn_world **out,
                             tarn_error *err)
{
    tarn_fluid_def fluid = tarn_default_fluid_def(TARN_FLUID_FLOW);
    tarn_world_def def = tarn_default_world_def();

    fluid.flow.size = (tarn_vec2){BOX, BOX};
    fluid.flow.cells[0] = fluid.flow.cells[1] = n;
    fluid.flow.advection = advection;
    fluid.flow.viscosity = fluid.flow.temperature.diffusivity = fluid.flow.dye.diffusivity = NU;
    fluid.flow.divergence_tolerance = 1e-5;
    def.fluid = &fluid;
    def.dt = STEP;
    def.host.workers = threads;
    return tarn_world_create(&def, out, err);
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

static tarn_result add_disc_and_source(tarn_world *world, tarn_error *err)
{
    tarn_obstacle_def disc = tarn_default_obstacle_def(TARN_OBSTACLE_CIRCLE);

    disc.motion.position.x = disc.motion.position.y = 0.5 * BOX;
    disc.circle.radius = 0.1;
    const tarn_result r = tarn_obstacle_create(world, &disc, NULL, err);
    return r == TARN_OK ? add_smoke_source(world, err) : r;
}

static int make_world(int n, int i, tarn_world **out)
{
    tarn_error err = {0};
    tarn_result r = bench_flow_world(n, entries[i].advection, entries[i].threads, out, &err);

    if (r == TARN_OK) r = add_disc_and_source(*out, &err);
    for (int k = 0; k < WARM_UP_STEPS && r == TARN_OK; ++k) r = tarn_world_advance(*out, STEP);
    if (r == TARN_OK) return 0;
    return print_error((int)r, "bench flow: %s%s%s", err.key, err.key[0] ? ": " : "", err.message);
}

static long long run_stable_fluids(void *self, long long count)
{
    for (long long i = 0; i < count; ++i) smoke_step(self);
    return count;
}

static int create_candidates(const struct bench_run *run, int n, struct candidates *f)
{
    int code = 0;

    for (int i = 0; i < candidate_count(run) && code == 0; ++i)
        if (i != STABLE_FLUIDS) code = make_world(n, i, &f->world[i]);
    if (code == 0 && smoke_init(&f->stable_fluids, n, (float)(BOX / n), (float)STEP))
        code = print_error(TARN_NO_MEMORY, "bench flow: no memory for %d x %d cells", n, n);
    if (code != 0) return code;
    f->stable_fluids.nu = f->stable_fluids.diffusivity = (float)NU;
    f->stable_fluids.buoyancy = (float)(9.81 * 0.0034);
    run_stable_fluids(&f->stable_fluids, WARM_UP_STEPS);
    return 0;
}

static void free_candidates(struct candidates *f)
{
    smoke_free(&f->stable_fluids);
    for (int i = 0; i < CANDIDATES; ++i) tarn_world_destroy(f->world[i]);
}

// [ns] per cell and step, and the remaining divergence.
static int measure(const struct bench_run *run, int n, double best[CANDIDATES], double divergence[CANDIDATES])
{
    struct candidate list[CANDIDATES];
    struct candidates all = {0};

    int code = create_candidates(run, n, &all);
    for (int i = 0; i < CANDIDATES; ++i)
        list[i] =
            (struct candidate){.name = entries[i].name, .run_steps = run_world_steps, .self = all.world[i]};
    list[STABLE_FLUIDS].run_steps = run_stable_fluids, list[STABLE_FLUIDS].self = &all.stable_fluids;
    if (code == 0) code = bench_measure(run, list, candidate_count(run));
    for (int i = 0; i < CANDIDATES && code == 0; ++i) {
        best[i] = 1e9 * list[i].best / ((double)n * n);
        divergence[i] = i == STABLE_FLUIDS ? smoke_max_divergence(&all.stable_fluids) : 0.0;
        if (all.world[i]) divergence[i] = tarn_flow_get_divergence(all.world[i]);
    }
    free_candidates(&all);
    return code;
}

static void write_json(const struct bench_run *run, int n, const double *best, const double *divergence)
{
    json_open(run->json, NULL, '{');
    json_integer(run->json, "cells", n);
    json_open(run->json, "candidates", '[');
    for (int i = 0; i < candidate_count(run); ++i) {
        json_open(run->json, NULL, '{');
        json_text(run->json, "name", entries[i].name);
        json_integer(run->json, "threads", entries[i].threads);
        json_number(run->json, "ns", best[i]);
        json_number(run->json, "speedup", best[STABLE_FLUIDS] / best[i]);
        json_number(run->json, "divergence", divergence[i]);
        json_close(run->json);
    }
    json_close(run->json);
    json_close(run->json);
}

static void print_table(const struct bench_run *run, int n, const double *best, const double *divergence)
{
    printf("Warm smoke against a disc, %d^2 cells: ns per cell and step, best of %d, and the largest\n"
           "remaining divergence, times the cell size over the largest speed.\n"
           "                   threads        ns        speed-up   divergence\n",
           n, run->repeats);
    for (int i = 0; i < candidate_count(run); ++i)
        printf("%-18s %7d %9.1f %13.2f x   %.1e\n", entries[i].name, entries[i].threads, best[i],
               best[STABLE_FLUIDS] / best[i], divergence[i]);
    fflush(stdout);
}

static int run_flow(struct bench_run *run)
{
    const int sizes[] = {run->quick ? 64 : 512, run->quick ? 128 : 1024};
    double best[CANDIDATES], divergence[CANDIDATES];

    if (run->json) json_open(run->json, "grids", '[');
    for (int k = 0; k < 2; ++k) {
        print_status("bench flow: %d^2 cells", sizes[k]);
        const int code = measure(run, sizes[k], best, divergence);
        if (code != 0) return code;
        if (run->json)
            write_json(run, sizes[k], best, divergence);
        else
            print_table(run, sizes[k], best, divergence);
        const double speedup = best[STABLE_FLUIDS] / best[MACCORMACK];
        bench_add_check(run, speedup >= MIN_SPEEDUP, speedup, MIN_SPEEDUP,
                        "%s, %d^2 cells, 1 thread: %.2f times as fast as stable fluids (at least %.0f)",
                        entries[MACCORMACK].name, sizes[k], speedup, MIN_SPEEDUP);
    }
    if (run->json) json_close(run->json);
    return bench_flow_discs(run);
}

const struct bench bench_flow = {
    "flow", "one step of the flow model compared with stable fluids, and with a hundred discs", run_flow};
