// tarn bench wave: the wave model compared with two simple loops and with copying memory.
//
// Times are per column and substep. The lower bound is the time to copy 16 bytes per column: the four floats
// that a substep accesses, two read and two written.
#define _POSIX_C_SOURCE 200809L // barriers
#include "baseline_loops.h"
#include "bench.h"

#include <math.h>
#include <pthread.h>

#define CELL       0.02 // [m]
#define SPEED      2.0  // [m/s] of waves
#define DEPTH      0.8  // [m]
#define GRAVITY    10.0 // [m/s^2]
#define COPY_BYTES 16   // bytes per column
#define MAX_COPY_RATIO \
    1.5 // largest time of a substep over the time of the copy, for grids larger than the cache
#define MIN_BALLS_SPEEDUP 15.0 // smallest speed-up over the per-column loop with three balls

static const struct ball {
    const char *name;
    double x, z, radius, density;
} balls[] = {
    {"heavy", -0.5, -0.5, 0.2, 2000.0}, {"wood", 0.5, -0.5, 0.3, 700.0}, {"cork", 0.5, 0.5, 0.25, 200.0}};
enum { BALLS = sizeof balls / sizeof balls[0] };

// ---- candidates ------------------------------------------------------------------------------------

static tarn_result add_balls(tarn_world *world, tarn_error *err)
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
    tarn_fluid_def fluid = tarn_default_fluid_def(TARN_FLUID_WAVE);
    tarn_world_def def = tarn_default_world_def();

    *out = NULL;
    fluid.wave.size = (tarn_vec2){n * cell, n * cell};
    fluid.wave.cells[0] = fluid.wave.cells[1] = n;
    fluid.wave.depth = DEPTH;
    fluid.wave.wave_speed = SPEED;
    def.fluid = &fluid;
    def.gravity = GRAVITY;
    def.host.workers = threads;
    tarn_result r = tarn_world_create(&def, out, &err);
    if (r == TARN_OK) r = with_balls ? add_balls(*out, &err) : add_hump(*out, &err);
    if (r == TARN_OK) return 0;
    tarn_world_destroy(*out);
    *out = NULL;
    return print_error((int)r, "bench wave: %s%s%s", err.key, err.key[0] ? ": " : "", err.message);
}

struct two_pass_run {
    struct two_pass_wave wave;
    int threads;
    long long count;
    pthread_barrier_t barrier;
};

static void two_pass_part(void *self, int index, int threads)
{
    struct two_pass_run *p = self;
    const int n = p->wave.n, j0 = n * index / threads, j1 = n * (index + 1) / threads;

    for (long long i = 0; i < p->count; ++i) {
        two_pass_update_velocity(&p->wave, j0, j1);
        pthread_barrier_wait(&p->barrier);
        two_pass_update_height(&p->wave, j0, j1);
        pthread_barrier_wait(&p->barrier);
    }
}

static long long run_two_pass(void *self, long long count)
{
    struct two_pass_run *p = self;

    p->count = count;
    if (pthread_barrier_init(&p->barrier, NULL, (unsigned)p->threads) != 0) return -1;
    const int failed = run_threads(p->threads, two_pass_part, p);
    pthread_barrier_destroy(&p->barrier);
    return failed ? -1 : count;
}

static long long run_per_column(void *self, long long count)
{
    for (long long i = 0; i < count; ++i) per_column_step(self);
    return count;
}

// ---- water without bodies --------------------------------------------------------------------------

enum { TARN, TWO_PASS, MEMORY_COPY, PER_COLUMN, CANDIDATES };

// [s] Substep of all candidates: Courant number 0.7.
static float step_length(double cell) { return (float)(0.7 * cell / (SPEED * 1.4142135623730951)); }

// The per-column loop runs on one thread only.
static int measure_water(const struct bench_run *run, int n, int threads, double best[CANDIDATES])
{
    const float dt = step_length(CELL);
    tarn_world *world = NULL;
    struct two_pass_run two_pass = {.threads = threads};
    struct per_column_wave per_column = {0};
    struct bench_copy copy = {0};

    int code = make_world(n, CELL, threads, 0, &world);
    if (code == 0 &&
        (two_pass_init(&two_pass.wave, n, (float)(dt * SPEED * SPEED / (CELL * CELL)), dt) ||
         per_column_init(&per_column, n, (float)CELL, dt) || bench_copy_init(&copy, n, COPY_BYTES, threads)))
        code = print_error(TARN_NO_MEMORY, "bench wave: no memory for %d x %d columns", n, n);

    struct candidate list[CANDIDATES] = {
        [TARN] = {.name = "tarn", .run_steps = run_world_steps, .self = world},
        [TWO_PASS] = {.name = "the two-pass loop", .run_steps = run_two_pass, .self = &two_pass},
        [MEMORY_COPY] = {.name = "copying", .run_steps = run_copy, .self = &copy},
        [PER_COLUMN] = {.name = "the per-column loop", .run_steps = run_per_column, .self = &per_column},
    };
    if (code == 0) code = bench_measure(run, list, threads == 1 ? CANDIDATES : PER_COLUMN);
    for (int i = 0; i < CANDIDATES; ++i) best[i] = 1e9 * list[i].best / ((double)n * n);

    bench_copy_free(&copy);
    per_column_free(&per_column);
    two_pass_free(&two_pass.wave);
    tarn_world_destroy(world);
    return code;
}

static void write_water_json(struct json_writer *json, int n, int threads, const double best[CANDIDATES])
{
    json_open(json, NULL, '{');
    json_integer(json, "columns", n);
    json_integer(json, "threads", threads);
    json_number(json, "tarn_ns", best[TARN]);
    json_number(json, "two_pass_ns", best[TWO_PASS]);
    json_number(json, "per_column_ns", best[PER_COLUMN] > 0.0 ? best[PER_COLUMN] : NAN);
    json_number(json, "copy_ns", best[MEMORY_COPY]);
    json_number(json, "copy_gb_per_s", 2 * COPY_BYTES / best[MEMORY_COPY]);
    json_number(json, "tarn_per_copy", best[TARN] / best[MEMORY_COPY]);
    json_close(json);
}

static void print_water(int n, int threads, const double best[CANDIDATES])
{
    printf("%6d^2 %8d %9.3f %9.3f %6.2f x", n, threads, best[TARN], best[TWO_PASS],
           best[TWO_PASS] / best[TARN]);
    if (best[PER_COLUMN] > 0.0)
        printf(" %9.3f %6.1f x", best[PER_COLUMN], best[PER_COLUMN] / best[TARN]);
    else
        printf(" %9s %8s", "-", "-");
    printf(" %9.3f %6.2f x %8.1f\n", best[MEMORY_COPY], best[TARN] / best[MEMORY_COPY],
           2 * COPY_BYTES / best[MEMORY_COPY]);
    fflush(stdout);
}

static int bench_water(struct bench_run *run, int largest)
{
    int code = 0;

    if (run->json)
        json_open(run->json, "water", '[');
    else
        printf("Water without bodies: ns per column and substep, best of %d. The copy moves %d bytes per "
               "column.\n"
               "                         two-pass          per-column              copy     tarn   copy\n"
               " columns  threads      tarn      loop  / tarn      loop   / tarn      time   / copy   GB/s\n",
               run->repeats, COPY_BYTES);
    for (int n = 256; n <= largest && code == 0; n *= 4)
        for (int t = 1; t <= run->threads && code == 0; t += run->threads > 1 ? run->threads - 1 : 1) {
            double best[CANDIDATES] = {0};
            print_status("bench wave: %d^2 columns, %d %s", n, t, t == 1 ? "thread" : "threads");
            code = measure_water(run, n, t, best);
            if (code != 0) break;
            if (run->json)
                write_water_json(run->json, n, t, best);
            else
                print_water(n, t, best);
            if (n == 4096)
                bench_add_check(
                    run, best[TARN] <= MAX_COPY_RATIO * best[MEMORY_COPY], best[TARN] / best[MEMORY_COPY],
                    MAX_COPY_RATIO,
                    "%d^2 columns, %d %s: a substep takes %.2f of the time of the copy (at most %.1f)", n, t,
                    t == 1 ? "thread" : "threads", best[TARN] / best[MEMORY_COPY], MAX_COPY_RATIO);
        }
    if (run->json) json_close(run->json);
    return code;
}

// ---- three balls -----------------------------------------------------------------------------------

static void add_per_column_balls(struct per_column_wave *l)
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

// The measurement starts after half a second, when the balls are in the water.
static int measure_balls(const struct bench_run *run, int n, double cell, double best[2])
{
    tarn_world *world = NULL;
    struct per_column_wave per_column = {0};

    int code = make_world(n, cell, 1, 1, &world);
    if (code == 0 && per_column_init(&per_column, n, (float)cell, step_length(cell)))
        code = print_error(TARN_NO_MEMORY, "bench wave: no memory for %d x %d columns", n, n);
    if (code == 0) {
        add_per_column_balls(&per_column);
        if (tarn_world_advance(world, 0.5) != TARN_OK)
            code = print_error(TARN_DIVERGED, "bench wave: %s", tarn_world_get_failure(world));
        for (double t = 0.0; t < 0.5 && code == 0; t += (double)per_column.dt) per_column_step(&per_column);
    }
    struct candidate list[] = {
        {.name = "tarn", .run_steps = run_world_steps, .self = world},
        {.name = "the per-column loop", .run_steps = run_per_column, .self = &per_column},
    };
    if (code == 0) code = bench_measure(run, list, 2);
    for (int i = 0; i < 2; ++i) best[i] = 1e3 * list[i].best;
    per_column_free(&per_column);
    tarn_world_destroy(world);
    return code;
}

static void report_balls(struct json_writer *json, int n, double cell, const double best[2])
{
    const double diameter = 2.0 * balls[1].radius / cell;

    if (!json) {
        printf("%6d^2 %8.2f %9.0f %9.3f %9.3f %6.1f x\n", n, n * cell, diameter, best[0], best[1],
               best[1] / best[0]);
        return;
    }
    json_open(json, NULL, '{');
    json_integer(json, "columns", n);
    json_number(json, "tank", n * cell);
    json_number(json, "largest_ball_columns", diameter);
    json_number(json, "tarn_ms", best[0]);
    json_number(json, "per_column_ms", best[1]);
    json_number(json, "per_column_per_tarn", best[1] / best[0]);
    json_close(json);
}

static int bench_balls(struct bench_run *run, int n)
{
    const double cells[] = {CELL, 2.5 / n};
    int code = 0;

    if (run->json)
        json_open(run->json, "balls", '[');
    else
        printf("\nThree balls: ms per substep, one thread, best of %d; diameter of the largest ball in "
               "columns.\n"
               " columns   tank m  diameter      tarn per-column / tarn\n",
               run->repeats);
    for (int i = 0; i < 2 && code == 0; ++i) {
        double best[2];
        print_status("bench wave: three balls in a tank of %.4g m", n * cells[i]);
        code = measure_balls(run, n, cells[i], best);
        if (code != 0) break;
        report_balls(run->json, n, cells[i], best);
        if (i == 0)
            bench_add_check(run, best[1] >= MIN_BALLS_SPEEDUP * best[0], best[1] / best[0], MIN_BALLS_SPEEDUP,
                            "three balls, %d^2 columns, 1 thread: %.1f times as fast as the per-column loop "
                            "(at least %.0f)",
                            n, best[1] / best[0], MIN_BALLS_SPEEDUP);
    }
    if (run->json) json_close(run->json);
    return code;
}

static int run_wave(struct bench_run *run)
{
    const int code = bench_water(run, run->quick ? 256 : 4096);
    return code == 0 ? bench_balls(run, run->quick ? 128 : 1024) : code;
}

const struct bench bench_wave = {"wave", "one substep of the wave model: water alone, then with three balls",
                                 run_wave};
