// Part of tarn bench flow: a hundred settling discs, compared with the same fluid without them.
//
// Warm smoke rises in a closed box. Both worlds take their steps alternately, in several runs. Each step is
// the same in every run; its shortest time counts. The means over all steps are compared, including the more
// expensive steps in which discs touch.
#include "bench_flow.h"

#include <math.h>
#include <time.h>

enum { DISCS = 100, MAX_STEPS = 60, WARM_UP_STEPS = 10, REPEATS = 10 };
#define RADIUS    0.025 // [m] in a box of 1 m
#define DENSITY   1500  // [kg/m^3]
#define MAX_RATIO 2.5   // largest time of a step over that of the fluid without discs

static tarn_result add_discs(tarn_world *world, tarn_error *err)
{
    const tarn_shape_def disc = {.type = TARN_SHAPE_CIRCLE, .circle = {RADIUS}};
    tarn_shape *shape;
    tarn_result r = tarn_shape_create(&disc, NULL, &shape, err);

    for (int i = 0; i < DISCS && r == TARN_OK; ++i) {
        tarn_body_def def = tarn_default_body_def();
        tarn_body_id id;
        const double offset = 0.004 * ((i * 7) % 5 - 2); // rows are not exactly straight
        def.density = DENSITY, def.restitution = 0.2;
        def.position = (tarn_vec3){0.1 + 0.089 * (i % 10) + offset, 0.42 + 0.0575 * (i / 10), 0.0};
        def.shape = shape;
        r = tarn_body_create(world, &def, &id, err);
    }
    tarn_shape_release(shape);
    return r;
}

static int make_world(int n, int with_discs, tarn_world **out)
{
    tarn_error err = {0};
    tarn_result r = bench_flow_world(n, TARN_FLOW_MACCORMACK, 1, out, &err);

    if (r == TARN_OK) r = add_smoke_source(*out, &err);
    if (r == TARN_OK && with_discs) r = add_discs(*out, &err);
    if (r == TARN_OK) return 0;
    return print_error((int)r, "bench flow: %s%s%s", err.key, err.key[0] ? ": " : "", err.message);
}

// Processor time of this process: both worlds run on one thread, and other programs may interrupt it.
static double processor_seconds(void) { return (double)clock() / CLOCKS_PER_SEC; }

// Run both worlds from the start: best[i] is the minimum time of step i, without and with discs.
static int measure_steps(int n, int steps, double best[MAX_STEPS][2])
{
    tarn_world *world[2] = {NULL, NULL};
    int code = make_world(n, 0, &world[0]);

    if (code == 0) code = make_world(n, 1, &world[1]);
    for (int k = 0; k < 2 * (steps + WARM_UP_STEPS) && code == 0; ++k) {
        const double start = processor_seconds();
        if (run_world_steps(world[k % 2], 1) < 1) code = TARN_FAILED;
        if (k / 2 < WARM_UP_STEPS) continue;
        double *shortest = &best[k / 2 - WARM_UP_STEPS][k % 2];
        *shortest = fmin(*shortest, processor_seconds() - start);
    }
    for (int i = 0; i < 2; ++i) tarn_world_destroy(world[i]);
    return code;
}

// [s] Means of a step, without discs and with them.
static int measure(int n, int steps, int repeats, double out[2])
{
    double best[MAX_STEPS][2];
    int code = 0;

    for (int i = 0; i < steps; ++i) best[i][0] = best[i][1] = INFINITY;
    for (int r = 0; r < repeats && code == 0; ++r) code = measure_steps(n, steps, best);
    out[0] = out[1] = 0.0;
    for (int i = 0; i < steps; ++i)
        for (int k = 0; k < 2; ++k) out[k] += best[i][k] / steps;
    return code;
}

int bench_flow_discs(struct bench_run *run)
{
    const int sizes[] = {run->quick ? 64 : 256, run->quick ? 96 : 512}, steps = run->quick ? 4 : MAX_STEPS,
              repeats = run->quick ? 1 : REPEATS;
    double mean[2];

    if (run->json)
        json_open(run->json, "settling", '[');
    else
        printf("A hundred settling discs: ms of processor time per step, one thread, mean of %d, each the "
               "best of %d\n"
               "                   empty     discs   ratio\n",
               steps, repeats);
    for (int k = 0; k < 2; ++k) {
        const int code = measure(sizes[k], steps, repeats, mean);
        if (code != 0) return code;
        const double ratio = mean[1] / mean[0];
        if (run->json) {
            json_open(run->json, NULL, '{');
            json_integer(run->json, "cells", sizes[k]);
            json_number(run->json, "empty_ms", 1e3 * mean[0]);
            json_number(run->json, "discs_ms", 1e3 * mean[1]);
            json_number(run->json, "ratio", ratio);
            json_close(run->json);
        } else {
            printf("%4d^2 cells   %9.2f %9.2f %7.2f\n", sizes[k], 1e3 * mean[0], 1e3 * mean[1], ratio);
            fflush(stdout);
        }
        bench_add_check(run, ratio <= MAX_RATIO, ratio, MAX_RATIO,
                        "100 discs, %d^2 cells, 1 thread: %.2f times a step without discs (at most %.1f)",
                        sizes[k], ratio, MAX_RATIO);
    }
    if (run->json) json_close(run->json);
    return 0;
}
