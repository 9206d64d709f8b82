// tarn bench shallow: the shallow-water model beside the textbook's loop and this machine's copying.
//
// The scene has what costs: an island with a moving shore, and friction. Time is counted per column and inner
// step. The yardstick is copying 28 bytes a column: the seven floats that a step touches at least. Bed, depth
// and two speeds are read, depth and two speeds are written.
#include "baseline_loops.h"
#include "bench.h"

#define TANK    10.24 // [m]
#define DEPTH   0.5   // [m]
#define COPY    28    // bytes a column
#define REPEATS 15    // more than elsewhere: a repeat is only a few steps long
#define LEAST   1.6   // times that two threads must be as fast as one

enum { CONSERVATIVE, MACCORMACK, SEMI_LAGRANGIAN, TEXTBOOK, COPYING, PAIR, ALL, CONTENDERS };

static const struct {
    const char *name;
    int threads; // 0: as many as were asked for
    double most; // times the copy; 0: not judged
} entries[CONTENDERS] = {
    [CONSERVATIVE] = {"conservative", 1, 8.0},
    [MACCORMACK] = {"maccormack", 1, 0.0},
    [SEMI_LAGRANGIAN] = {"semi-lagrangian", 1, 4.0},
    [TEXTBOOK] = {"textbook's loop", 1, 0.0},
    [COPYING] = {"copy", 1, 0.0},
    [PAIR] = {"conservative", 2, 0.0},
    [ALL] = {"conservative", 0, 0.0},
};

// The table is in order of threads, so that a machine with fewer of them leaves out its end.
static int entered(const struct bench_run *run)
{
    return run->threads < 2 ? PAIR : run->threads == 2 ? ALL : CONTENDERS;
}

static int threads_of(const struct bench_run *run, int i)
{
    return entries[i].threads ? entries[i].threads : run->threads;
}

// ---- contenders -----------------------------------------------------------------------------------

struct field {
    tarn_world *world[CONTENDERS]; // NULL for those that are none
    struct upwind_shallow textbook;
    struct bench_copy copy;
};

static tarn_result describe(tarn_world_def *def, int n, const char *advection, tarn_error *err)
{
    tarn_result r = tarn_spec_set(&def->fluid, "size", tarn_value_vec2(TANK, TANK), err);
    if (r == TARN_OK) r = tarn_spec_set(&def->fluid, "cells", tarn_value_vec2(n, n), err);
    if (r == TARN_OK) r = tarn_spec_set(&def->fluid, "depth", tarn_value_number(DEPTH), err);
    if (r == TARN_OK) r = tarn_spec_set(&def->fluid, "advection", tarn_value_text(advection), err);
    if (r == TARN_OK) r = tarn_spec_set(&def->fluid, "manning", tarn_value_number(0.02), err);
    if (r == TARN_OK) r = tarn_spec_init(&def->bed[0], "bed", "island", err);
    if (r == TARN_OK) r = tarn_spec_set(&def->bed[0], "height", tarn_value_number(2.0 * DEPTH), err);
    if (r == TARN_OK) def->bed_count = 1;
    return r;
}

// A hump at the shore, so that the shore moves from the first step on.
static tarn_result add_hump(tarn_world *world, tarn_error *err)
{
    tarn_emitter_def hump = tarn_default_emitter_def(TARN_EMITTER_HUMP);
    hump.hump.position = (tarn_vec2){-1.0, 0.5};
    return tarn_emitter_create(world, &hump, NULL, err);
}

static int make_world(int n, const char *advection, int threads, tarn_world **out)
{
    tarn_error err = {0};
    tarn_world_def def = tarn_world_def_default("shallow");

    def.host.workers = threads;
    tarn_result r = describe(&def, n, advection, &err);
    if (r == TARN_OK) r = tarn_world_create(&def, out, &err);
    if (r == TARN_OK) r = add_hump(*out, &err);
    if (r == TARN_OK) return 0;
    return print_error((int)r, "bench shallow: %s%s%s", err.key, err.key[0] ? ": " : "", err.message);
}

static long long go_textbook(void *self, long long count)
{
    for (long long i = 0; i < count; ++i) upwind_step(self);
    return count;
}

static int make_field(const struct bench_run *run, int n, struct field *f)
{
    const double s = TANK / n, fastest = 2.5; // [m/s] sqrt(g h), with room for waves
    int code = 0;

    for (int i = 0; i < entered(run) && code == 0; ++i)
        if (i != TEXTBOOK && i != COPYING)
            code = make_world(n, entries[i].name, threads_of(run, i), &f->world[i]);
    if (code == 0 && (upwind_init(&f->textbook, n, (float)s, (float)(0.45 * s / fastest)) ||
                      bench_copy_init(&f->copy, n, COPY, 1)))
        code = print_error(TARN_NO_MEMORY, "bench shallow: no memory for %d x %d columns", n, n);
    return code;
}

static void free_field(struct field *f)
{
    bench_copy_free(&f->copy);
    upwind_free(&f->textbook);
    for (int i = 0; i < CONTENDERS; ++i) tarn_world_destroy(f->world[i]);
}

// [ns] per column and inner step of each.
static int measure(const struct bench_run *run, int n, double best[CONTENDERS])
{
    struct candidate list[CONTENDERS];
    struct field field = {0};

    int code = make_field(run, n, &field);
    for (int i = 0; i < CONTENDERS; ++i)
        list[i] =
            (struct candidate){.name = entries[i].name, .run_steps = run_world_steps, .self = field.world[i]};
    list[TEXTBOOK].run_steps = go_textbook, list[TEXTBOOK].self = &field.textbook;
    list[COPYING].run_steps = run_copy, list[COPYING].self = &field.copy;
    if (code == 0) code = bench_measure(run, list, entered(run));
    for (int i = 0; i < CONTENDERS; ++i) best[i] = 1e9 * list[i].best / ((double)n * n);
    free_field(&field);
    return code;
}

// ---- what it says ---------------------------------------------------------------------------------

static void put(const struct bench_run *run, int n, const double best[CONTENDERS])
{
    json_integer(run->json, "columns", n);
    json_number(run->json, "copy_gb_per_s", 2 * COPY / best[COPYING]);
    json_open(run->json, "contenders", '[');
    for (int i = 0; i < entered(run); ++i) {
        json_open(run->json, NULL, '{');
        json_text(run->json, "name", entries[i].name);
        json_integer(run->json, "threads", threads_of(run, i));
        json_number(run->json, "ns", best[i]);
        json_number(run->json, "per_copy", best[i] / best[COPYING]);
        json_number(run->json, "per_textbook", best[i] / best[TEXTBOOK]);
        json_close(run->json);
    }
    json_close(run->json);
}

static void print(const struct bench_run *run, int n, const double best[CONTENDERS])
{
    printf(
        "Shallow water around an island, %d^2 columns: ns per column and inner step, best of %d.\n"
        "The copy moves %d bytes a column, %.1f GB/s in all. The textbook's loop has a shore, but neither\n"
        "friction nor advection of speeds.\n"
        "                   threads        ns   / copy   / textbook\n",
        n, run->repeats, COPY, 2 * COPY / best[COPYING]);
    for (int i = 0; i < entered(run); ++i)
        printf("%-18s %7d %9.3f %6.2f x %10.2f x\n", entries[i].name, threads_of(run, i), best[i],
               best[i] / best[COPYING], best[i] / best[TEXTBOOK]);
    fflush(stdout);
}

static void judge(struct bench_run *run, int n, const double best[CONTENDERS])
{
    for (int i = 0; i < CONTENDERS; ++i)
        if (entries[i].most > 0.0)
            bench_add_check(run, best[i] <= entries[i].most * best[COPYING], best[i] / best[COPYING],
                            entries[i].most,
                            "%s, %d^2 columns, 1 thread: %.2f of the copy's time (at most %.0f)",
                            entries[i].name, n, best[i] / best[COPYING], entries[i].most);
    if (run->threads < 2) return;
    const double gain = best[CONSERVATIVE] / best[PAIR];
    bench_add_check(run, gain >= LEAST, gain, LEAST,
                    "%s, %d^2 columns: 2 threads %.2f times as fast as one (at least %.1f)",
                    entries[CONSERVATIVE].name, n, gain, LEAST);
}

static int run_shallow(struct bench_run *run)
{
    const int n = run->quick ? 128 : 1024;
    struct bench_run patient = *run;
    double best[CONTENDERS];

    if (!run->quick) patient.repeats = REPEATS;
    print_status("bench shallow: %d^2 columns", n);
    const int code = measure(&patient, n, best);
    if (code != 0) return code;
    if (run->json)
        put(&patient, n, best);
    else
        print(&patient, n, best);
    judge(run, n, best);
    return 0;
}

const struct bench bench_shallow = {
    "shallow", "one step of the shallow-water model, with an island and friction", run_shallow};
