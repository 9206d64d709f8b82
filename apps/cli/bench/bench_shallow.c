// tarn bench shallow: the shallow-water model compared with a simple upwind loop and with copying memory.
//
// The scene has an island with a moving shoreline, and bed friction. Times are per column and substep. The
// lower bound is the time to copy 28 bytes per column: the seven floats that a substep accesses at least.
// Bed, depth and two velocities are read, depth and two velocities are written.
#include "baseline_loops.h"
#include "bench.h"

#define TANK                10.24 // [m]
#define DEPTH               0.5   // [m]
#define COPY_BYTES          28    // bytes per column
#define REPEATS             15    // more than in other benchmarks, because a repeat has only a few steps
#define MIN_THREADS_SPEEDUP 1.6   // smallest speed-up by a second thread

enum { CONSERVATIVE, MACCORMACK, SEMI_LAGRANGIAN, UPWIND, MEMORY_COPY, TWO_THREADS, ALL_THREADS, CANDIDATES };

static const struct {
    const char *name;
    int threads;           // 0: the number of --threads
    double max_copy_ratio; // largest time over the time of the copy; 0: not checked
    tarn_shallow_advection advection;
} entries[CANDIDATES] = {
    [CONSERVATIVE] = {"conservative", 1, 8.0, TARN_SHALLOW_CONSERVATIVE},
    [MACCORMACK] = {"maccormack", 1, 0.0, TARN_SHALLOW_MACCORMACK},
    [SEMI_LAGRANGIAN] = {"semi-lagrangian", 1, 4.0, TARN_SHALLOW_SEMI_LAGRANGIAN},
    [UPWIND] = {"upwind loop", 1, 0.0, TARN_SHALLOW_CONSERVATIVE},
    [MEMORY_COPY] = {"copy", 1, 0.0, TARN_SHALLOW_CONSERVATIVE},
    [TWO_THREADS] = {"conservative", 2, 0.0, TARN_SHALLOW_CONSERVATIVE},
    [ALL_THREADS] = {"conservative", 0, 0.0, TARN_SHALLOW_CONSERVATIVE},
};

// The table is sorted by threads: with fewer threads the last rows are left out.
static int candidate_count(const struct bench_run *run)
{
    return run->threads < 2 ? TWO_THREADS : run->threads == 2 ? ALL_THREADS : CANDIDATES;
}

static int threads_of(const struct bench_run *run, int i)
{
    return entries[i].threads ? entries[i].threads : run->threads;
}

// ---- candidates ------------------------------------------------------------------------------------

struct candidates {
    tarn_world *world[CANDIDATES]; // NULL for the other candidates
    struct upwind_shallow upwind;
    struct bench_copy copy;
};

// A hump beside the shore, so that the shoreline moves from the first step on.
static tarn_result add_hump(tarn_world *world, tarn_error *err)
{
    tarn_emitter_def hump = tarn_default_emitter_def(TARN_EMITTER_HUMP);
    hump.hump.position = (tarn_vec2){-1.0, 0.5};
    return tarn_emitter_create(world, &hump, NULL, err);
}

static int make_world(int n, tarn_shallow_advection advection, int threads, tarn_world **out)
{
    tarn_error err = {0};
    tarn_fluid_def fluid = tarn_default_fluid_def(TARN_FLUID_SHALLOW);
    tarn_bed_def island = tarn_default_bed_def(TARN_BED_ISLAND);
    tarn_world_def def = tarn_default_world_def();

    fluid.shallow.size = (tarn_vec2){TANK, TANK};
    fluid.shallow.cells[0] = fluid.shallow.cells[1] = n;
    fluid.shallow.depth = DEPTH;
    fluid.shallow.advection = advection;
    fluid.shallow.manning = 0.02;
    island.island.height = 2.0 * DEPTH;
    def.fluid = &fluid, def.beds = &island, def.bed_count = 1;
    def.host.workers = threads;
    tarn_result r = tarn_world_create(&def, out, &err);
    if (r == TARN_OK) r = add_hump(*out, &err);
    if (r == TARN_OK) return 0;
    return print_error((int)r, "bench shallow: %s%s%s", err.key, err.key[0] ? ": " : "", err.message);
}

static long long run_upwind(void *self, long long count)
{
    for (long long i = 0; i < count; ++i) upwind_step(self);
    return count;
}

static int create_candidates(const struct bench_run *run, int n, struct candidates *f)
{
    const double s = TANK / n, max_wave_speed = 2.5; // [m/s] above sqrt(g h)
    int code = 0;

    for (int i = 0; i < candidate_count(run) && code == 0; ++i)
        if (i != UPWIND && i != MEMORY_COPY)
            code = make_world(n, entries[i].advection, threads_of(run, i), &f->world[i]);
    if (code == 0 && (upwind_init(&f->upwind, n, (float)s, (float)(0.45 * s / max_wave_speed)) ||
                      bench_copy_init(&f->copy, n, COPY_BYTES, 1)))
        code = print_error(TARN_NO_MEMORY, "bench shallow: no memory for %d x %d columns", n, n);
    return code;
}

static void free_candidates(struct candidates *f)
{
    bench_copy_free(&f->copy);
    upwind_free(&f->upwind);
    for (int i = 0; i < CANDIDATES; ++i) tarn_world_destroy(f->world[i]);
}

// [ns] per column and substep of every candidate.
static int measure(const struct bench_run *run, int n, double best[CANDIDATES])
{
    struct candidate list[CANDIDATES];
    struct candidates all = {0};

    int code = create_candidates(run, n, &all);
    for (int i = 0; i < CANDIDATES; ++i)
        list[i] =
            (struct candidate){.name = entries[i].name, .run_steps = run_world_steps, .self = all.world[i]};
    list[UPWIND].run_steps = run_upwind, list[UPWIND].self = &all.upwind;
    list[MEMORY_COPY].run_steps = run_copy, list[MEMORY_COPY].self = &all.copy;
    if (code == 0) code = bench_measure(run, list, candidate_count(run));
    for (int i = 0; i < CANDIDATES; ++i) best[i] = 1e9 * list[i].best / ((double)n * n);
    free_candidates(&all);
    return code;
}

// ---- output ----------------------------------------------------------------------------------------

static void write_json(const struct bench_run *run, int n, const double best[CANDIDATES])
{
    json_integer(run->json, "columns", n);
    json_number(run->json, "copy_gb_per_s", 2 * COPY_BYTES / best[MEMORY_COPY]);
    json_open(run->json, "candidates", '[');
    for (int i = 0; i < candidate_count(run); ++i) {
        json_open(run->json, NULL, '{');
        json_text(run->json, "name", entries[i].name);
        json_integer(run->json, "threads", threads_of(run, i));
        json_number(run->json, "ns", best[i]);
        json_number(run->json, "per_copy", best[i] / best[MEMORY_COPY]);
        json_number(run->json, "per_upwind", best[i] / best[UPWIND]);
        json_close(run->json);
    }
    json_close(run->json);
}

static void print_table(const struct bench_run *run, int n, const double best[CANDIDATES])
{
    printf(
        "Shallow water around an island, %d^2 columns: ns per column and substep, best of %d.\n"
        "The copy moves %d bytes per column, %.1f GB/s in all. The upwind loop has a shoreline, but neither\n"
        "friction nor advection of momentum.\n"
        "                   threads        ns   / copy     / upwind\n",
        n, run->repeats, COPY_BYTES, 2 * COPY_BYTES / best[MEMORY_COPY]);
    for (int i = 0; i < candidate_count(run); ++i)
        printf("%-18s %7d %9.3f %6.2f x %10.2f x\n", entries[i].name, threads_of(run, i), best[i],
               best[i] / best[MEMORY_COPY], best[i] / best[UPWIND]);
    fflush(stdout);
}

static void add_checks(struct bench_run *run, int n, const double best[CANDIDATES])
{
    for (int i = 0; i < CANDIDATES; ++i)
        if (entries[i].max_copy_ratio > 0.0)
            bench_add_check(run, best[i] <= entries[i].max_copy_ratio * best[MEMORY_COPY],
                            best[i] / best[MEMORY_COPY], entries[i].max_copy_ratio,
                            "%s, %d^2 columns, 1 thread: %.2f of the time of the copy (at most %.0f)",
                            entries[i].name, n, best[i] / best[MEMORY_COPY], entries[i].max_copy_ratio);
    if (run->threads < 2) return;
    const double speedup = best[CONSERVATIVE] / best[TWO_THREADS];
    bench_add_check(run, speedup >= MIN_THREADS_SPEEDUP, speedup, MIN_THREADS_SPEEDUP,
                    "%s, %d^2 columns: 2 threads %.2f times as fast as one (at least %.1f)",
                    entries[CONSERVATIVE].name, n, speedup, MIN_THREADS_SPEEDUP);
}

static int run_shallow(struct bench_run *run)
{
    const int n = run->quick ? 128 : 1024;
    struct bench_run run_longer = *run;
    double best[CANDIDATES];

    if (!run->quick) run_longer.repeats = REPEATS;
    print_status("bench shallow: %d^2 columns", n);
    const int code = measure(&run_longer, n, best);
    if (code != 0) return code;
    if (run->json)
        write_json(&run_longer, n, best);
    else
        print_table(&run_longer, n, best);
    add_checks(run, n, best);
    return 0;
}

const struct bench bench_shallow = {
    "shallow", "one substep of the shallow-water model, with an island and friction", run_shallow};
