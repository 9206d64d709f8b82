// tarn bench wave: the wave model beside a plain loop, the teaching demo's loop and this machine's copying.
//
// Time is counted per column and inner step, because the inner step is what all of them take. The yardstick
// is copying 16 bytes a column: the four floats that a step touches, two read and two written.
#define _POSIX_C_SOURCE 200809L // barriers
#include "baseline_loops.h"
#include "bench.h"

#include <math.h>
#include <pthread.h>

#define CELL    0.02 // [m]
#define SPEED   2.0  // [m/s] of waves
#define DEPTH   0.8  // [m]
#define GRAVITY 10.0 // [m/s^2]
#define COPY    16   // bytes a column
#define MOST    1.5  // times the copy that a step from memory may take
#define LEAST   15.0 // times that three balls in tarn must beat the literal loop

static const struct ball {
    const char *name;
    double x, z, radius, density;
} balls[] = {
    {"heavy", -0.5, -0.5, 0.2, 2000.0}, {"wood", 0.5, -0.5, 0.3, 700.0}, {"cork", 0.5, 0.5, 0.25, 200.0}};
enum { BALLS = sizeof balls / sizeof balls[0] };

// ---- contenders -----------------------------------------------------------------------------------

static tarn_result drop_balls(tarn_world *world, tarn_error *err)
{
    tarn_result r = TARN_OK;

    for (int i = 0; i < BALLS && r == TARN_OK; ++i) {
        tarn_body_def def = tarn_default_body_def();
        tarn_body_id body;
        const tarn_shape_def ball = {.type = TARN_SHAPE_SPHERE, .sphere = {balls[i].radius}};
        snprintf(def.name, sizeof def.name, "%s", balls[i].name);
        def.density = balls[i].density;
        def.position = (tarn_vec3){balls[i].x, DEPTH + balls[i].radius + 0.005, balls[i].z};
        r = tarn_body_create_with_shape(world, &def, &ball, &body, err);
    }
    return r;
}

static tarn_result add_hump(tarn_world *world, tarn_error *err)
{
    const tarn_emitter_def hump = tarn_default_emitter_def(TARN_EMITTER_HUMP);
    return tarn_emitter_create(world, &hump, NULL, err);
}

// A pool of n * n columns with walls, and a hump or three balls in it.
static int make_world(int n, double cell, int threads, int with_balls, tarn_world **out)
{
    tarn_error err = {0};
    tarn_world_def def = tarn_world_def_default("wave");

    *out = NULL;
    def.gravity = GRAVITY;
    def.host.workers = threads;
    tarn_result r = tarn_spec_set(&def.fluid, "size", tarn_value_vec2(n * cell, n * cell), &err);
    if (r == TARN_OK) r = tarn_spec_set(&def.fluid, "cells", tarn_value_vec2(n, n), &err);
    if (r == TARN_OK) r = tarn_spec_set(&def.fluid, "depth", tarn_value_number(DEPTH), &err);
    if (r == TARN_OK) r = tarn_spec_set(&def.fluid, "wave_speed", tarn_value_number(SPEED), &err);
    if (r == TARN_OK) r = tarn_world_create(&def, out, &err);
    if (r == TARN_OK) r = with_balls ? drop_balls(*out, &err) : add_hump(*out, &err);
    if (r == TARN_OK) return 0;
    tarn_world_destroy(*out);
    *out = NULL;
    return print_error((int)r, "bench wave: %s%s%s", err.key, err.key[0] ? ": " : "", err.message);
}

struct plain_run {
    struct two_pass_wave plain;
    int threads;
    long long count;
    pthread_barrier_t barrier;
};

static void plain_part(void *self, int index, int threads)
{
    struct plain_run *p = self;
    const int n = p->plain.n, j0 = n * index / threads, j1 = n * (index + 1) / threads;

    for (long long i = 0; i < p->count; ++i) {
        two_pass_update_velocity(&p->plain, j0, j1);
        pthread_barrier_wait(&p->barrier);
        two_pass_update_height(&p->plain, j0, j1);
        pthread_barrier_wait(&p->barrier);
    }
}

static long long go_plain(void *self, long long count)
{
    struct plain_run *p = self;

    p->count = count;
    if (pthread_barrier_init(&p->barrier, NULL, (unsigned)p->threads) != 0) return -1;
    const int failed = run_threads(p->threads, plain_part, p);
    pthread_barrier_destroy(&p->barrier);
    return failed ? -1 : count;
}

static long long go_literal(void *self, long long count)
{
    for (long long i = 0; i < count; ++i) per_column_step(self);
    return count;
}

// ---- bare water -----------------------------------------------------------------------------------

enum { TARN, PLAIN, COPYING, LITERAL, CONTENDERS };

// Steps of about the same length for everyone: a fixed part of what is stable.
static float step_length(double cell) { return (float)(0.7 * cell / (SPEED * 1.4142135623730951)); }

// The literal loop knows one thread only.
static int measure_bare(const struct bench_run *run, int n, int threads, double best[CONTENDERS])
{
    const float dt = step_length(CELL);
    tarn_world *world = NULL;
    struct plain_run plain = {.threads = threads};
    struct per_column_wave literal = {0};
    struct bench_copy copy = {0};

    int code = make_world(n, CELL, threads, 0, &world);
    if (code == 0 &&
        (two_pass_init(&plain.plain, n, (float)(dt * SPEED * SPEED / (CELL * CELL)), dt) ||
         per_column_init(&literal, n, (float)CELL, dt) || bench_copy_init(&copy, n, COPY, threads)))
        code = print_error(TARN_NO_MEMORY, "bench wave: no memory for %d x %d columns", n, n);

    struct candidate list[CONTENDERS] = {
        [TARN] = {.name = "tarn", .run_steps = run_world_steps, .self = world},
        [PLAIN] = {.name = "the plain loop", .run_steps = go_plain, .self = &plain},
        [COPYING] = {.name = "the copy", .run_steps = run_copy, .self = &copy},
        [LITERAL] = {.name = "the literal loop", .run_steps = go_literal, .self = &literal},
    };
    if (code == 0) code = bench_measure(run, list, threads == 1 ? CONTENDERS : LITERAL);
    for (int i = 0; i < CONTENDERS; ++i) best[i] = 1e9 * list[i].best / ((double)n * n);

    bench_copy_free(&copy);
    per_column_free(&literal);
    two_pass_free(&plain.plain);
    tarn_world_destroy(world);
    return code;
}

static void put_bare(struct json_writer *json, int n, int threads, const double best[CONTENDERS])
{
    json_open(json, NULL, '{');
    json_integer(json, "columns", n);
    json_integer(json, "threads", threads);
    json_number(json, "tarn_ns", best[TARN]);
    json_number(json, "plain_ns", best[PLAIN]);
    json_number(json, "literal_ns", best[LITERAL] > 0.0 ? best[LITERAL] : NAN);
    json_number(json, "copy_ns", best[COPYING]);
    json_number(json, "copy_gb_per_s", 2 * COPY / best[COPYING]);
    json_number(json, "tarn_per_copy", best[TARN] / best[COPYING]);
    json_close(json);
}

static void print_bare(int n, int threads, const double best[CONTENDERS])
{
    printf("%6d^2 %8d %9.3f %9.3f %6.2f x", n, threads, best[TARN], best[PLAIN], best[PLAIN] / best[TARN]);
    if (best[LITERAL] > 0.0)
        printf(" %9.3f %6.1f x", best[LITERAL], best[LITERAL] / best[TARN]);
    else
        printf(" %9s %8s", "-", "-");
    printf(" %9.3f %6.2f x %8.1f\n", best[COPYING], best[TARN] / best[COPYING], 2 * COPY / best[COPYING]);
    fflush(stdout);
}

static int bare_water(struct bench_run *run, int largest)
{
    int code = 0;

    if (run->json)
        json_open(run->json, "bare", '[');
    else
        printf("Bare water: ns per column and inner step, best of %d. The copy moves %d bytes a column.\n"
               "                            plain             literal              copy     tarn   copy\n"
               " columns  threads      tarn      loop  / tarn      loop   / tarn      time   / copy   GB/s\n",
               run->repeats, COPY);
    for (int n = 256; n <= largest && code == 0; n *= 4)
        for (int t = 1; t <= run->threads && code == 0; t += run->threads > 1 ? run->threads - 1 : 1) {
            double best[CONTENDERS] = {0};
            print_status("bench wave: %d^2 columns, %d %s", n, t, t == 1 ? "thread" : "threads");
            code = measure_bare(run, n, t, best);
            if (code != 0) break;
            if (run->json)
                put_bare(run->json, n, t, best);
            else
                print_bare(n, t, best);
            if (n == 4096)
                bench_add_check(run, best[TARN] <= MOST * best[COPYING], best[TARN] / best[COPYING], MOST,
                                "%d^2 columns, %d %s: a step takes %.2f of the copy's time (at most %.1f)", n,
                                t, t == 1 ? "thread" : "threads", best[TARN] / best[COPYING], MOST);
        }
    if (run->json) json_close(run->json);
    return code;
}

// ---- three balls ----------------------------------------------------------------------------------

static void drop_literal_balls(struct per_column_wave *l)
{
    l->balls = BALLS;
    for (int i = 0; i < BALLS; ++i) {
        const double r = balls[i].radius, mass = balls[i].density * 4.18879020478639 * r * r * r;
        l->ball[i] = (struct per_column_ball){.x = (float)balls[i].x,
                                              .y = (float)(DEPTH + r + 0.005),
                                              .z = (float)balls[i].z,
                                              .radius = (float)r,
                                              .mass = (float)mass};
    }
}

// Half a second before the clock starts, so that the balls are in the water.
static int measure_balls(const struct bench_run *run, int n, double cell, double best[2])
{
    tarn_world *world = NULL;
    struct per_column_wave literal = {0};

    int code = make_world(n, cell, 1, 1, &world);
    if (code == 0 && per_column_init(&literal, n, (float)cell, step_length(cell)))
        code = print_error(TARN_NO_MEMORY, "bench wave: no memory for %d x %d columns", n, n);
    if (code == 0) {
        drop_literal_balls(&literal);
        if (tarn_world_advance(world, 0.5) != TARN_OK)
            code = print_error(TARN_DIVERGED, "bench wave: %s", tarn_world_get_failure(world));
        for (double t = 0.0; t < 0.5 && code == 0; t += (double)literal.dt) per_column_step(&literal);
    }
    struct candidate list[] = {
        {.name = "tarn", .run_steps = run_world_steps, .self = world},
        {.name = "the literal loop", .run_steps = go_literal, .self = &literal},
    };
    if (code == 0) code = bench_measure(run, list, 2);
    for (int i = 0; i < 2; ++i) best[i] = 1e3 * list[i].best;
    per_column_free(&literal);
    tarn_world_destroy(world);
    return code;
}

static void tell_balls(struct json_writer *json, int n, double cell, const double best[2])
{
    const double across = 2.0 * balls[1].radius / cell;

    if (!json) {
        printf("%6d^2 %8.2f %9.0f %9.3f %9.3f %6.1f x\n", n, n * cell, across, best[0], best[1],
               best[1] / best[0]);
        return;
    }
    json_open(json, NULL, '{');
    json_integer(json, "columns", n);
    json_number(json, "tank", n * cell);
    json_number(json, "largest_across", across);
    json_number(json, "tarn_ms", best[0]);
    json_number(json, "literal_ms", best[1]);
    json_number(json, "literal_per_tarn", best[1] / best[0]);
    json_close(json);
}

static int three_balls(struct bench_run *run, int n)
{
    const double cells[] = {CELL, 2.5 / n};
    int code = 0;

    if (run->json)
        json_open(run->json, "balls", '[');
    else
        printf("\nThree balls: ms per inner step, one thread, best of %d. The largest ball is `across` "
               "columns wide.\n"
               " columns   tank m    across      tarn   literal  / tarn\n",
               run->repeats);
    for (int i = 0; i < 2 && code == 0; ++i) {
        double best[2];
        print_status("bench wave: three balls in a tank of %.4g m", n * cells[i]);
        code = measure_balls(run, n, cells[i], best);
        if (code != 0) break;
        tell_balls(run->json, n, cells[i], best);
        if (i == 0)
            bench_add_check(
                run, best[1] >= LEAST * best[0], best[1] / best[0], LEAST,
                "three balls, %d^2 columns, 1 thread: %.1f times as fast as the literal loop (at least %.0f)",
                n, best[1] / best[0], LEAST);
    }
    if (run->json) json_close(run->json);
    return code;
}

static int run_wave(struct bench_run *run)
{
    const int code = bare_water(run, run->quick ? 256 : 4096);
    return code == 0 ? three_balls(run, run->quick ? 128 : 1024) : code;
}

const struct bench bench_wave = {"wave", "one step of the wave model: bare water, then three balls in it",
                                 run_wave};
