// tarn bench: timings of tarn and of simple baselines in one process.
#define _DEFAULT_SOURCE // posix_memalign, madvise
#include "bench.h"

#include "apps/cli/commands.h"

#include <math.h>
#include <pthread.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#ifdef __linux__
#include <sys/mman.h>
#endif

#define BENCH_ADDRESS(name) &bench_##name,
static const struct bench *const benches[] = {BENCHES(BENCH_ADDRESS)};
enum { BENCH_COUNT = sizeof benches / sizeof benches[0] };

// ---- measuring -------------------------------------------------------------------------------------

static int report_failure(const struct candidate *c)
{
    return print_error(TARN_FAILED, "bench: %s failed", c->name);
}

// The first call touches the memory, the second determines how many steps fill a repetition.
static int calibrate(const struct bench_run *run, struct candidate *c)
{
    if (c->run_steps(c->self, 1) < 1) return report_failure(c);
    const double start = monotonic_seconds();
    const long long steps = c->run_steps(c->self, 1);
    if (steps < 1) return report_failure(c);
    const double step = fmax((monotonic_seconds() - start) / (double)steps, 1e-7);
    c->count = (long long)fmax(run->seconds / step, 1.0);
    c->best = HUGE_VAL;
    return 0;
}

int bench_measure(const struct bench_run *run, struct candidate *list, int count)
{
    for (int i = 0; i < count; ++i) {
        const int code = calibrate(run, &list[i]);
        if (code != 0) return code;
    }
    for (int repeat = 0; repeat < run->repeats; ++repeat)
        for (int i = 0; i < count; ++i) {
            struct candidate *c = &list[i];
            const double start = monotonic_seconds();
            const long long steps = c->run_steps(c->self, c->count);
            if (steps < 1) return report_failure(c);
            c->best = fmin(c->best, (monotonic_seconds() - start) / (double)steps);
        }
    return 0;
}

void *bench_alloc(size_t count, size_t size)
{
    const size_t page = (size_t)2 << 20;
    void *p = NULL;

    if (count > PTRDIFF_MAX / size) return NULL;
    const size_t bytes = count * size;
    if (posix_memalign(&p, bytes >= page ? page : 64, bytes) != 0) return NULL;
#if defined(__linux__) && defined(MADV_HUGEPAGE)
    if (bytes >= page) (void)madvise(p, bytes - bytes % page, MADV_HUGEPAGE); // a hint; failure is harmless
#endif
    return memset(p, 0, bytes);
}

// ---- threads ---------------------------------------------------------------------------------------

// Either all parts start or none, because they may wait for each other.
struct thread_group {
    void (*part)(void *self, int index, int threads);
    void *self;
    int threads;
    pthread_mutex_t lock;
    pthread_cond_t changed;
    int state; // 0: wait, 1: run, -1: end
};

struct group_thread {
    struct thread_group *group;
    int index;
};

static void *group_thread_main(void *arg)
{
    const struct group_thread *m = arg;
    struct thread_group *g = m->group;

    pthread_mutex_lock(&g->lock);
    while (g->state == 0) pthread_cond_wait(&g->changed, &g->lock);
    const int state = g->state;
    pthread_mutex_unlock(&g->lock);
    if (state > 0) g->part(g->self, m->index, g->threads);
    return NULL;
}

int run_threads(int threads, void (*part)(void *self, int index, int threads), void *self)
{
    struct thread_group group = {.part = part, .self = self, .threads = threads};
    struct group_thread group_threads[MAX_THREADS];
    pthread_t thread[MAX_THREADS];
    int started = 0;

    pthread_mutex_init(&group.lock, NULL);
    pthread_cond_init(&group.changed, NULL);
    for (; started < threads - 1; ++started) {
        group_threads[started] = (struct group_thread){&group, started};
        if (pthread_create(&thread[started], NULL, group_thread_main, &group_threads[started]) != 0) break;
    }
    const int all = started == threads - 1;

    pthread_mutex_lock(&group.lock);
    group.state = all ? 1 : -1;
    pthread_cond_broadcast(&group.changed);
    pthread_mutex_unlock(&group.lock);
    if (all) part(self, threads - 1, threads);
    for (int i = 0; i < started; ++i) pthread_join(thread[i], NULL);
    pthread_cond_destroy(&group.changed);
    pthread_mutex_destroy(&group.lock);
    return all ? 0 : -1;
}

// ---- candidates ------------------------------------------------------------------------------------

long long run_world_steps(void *self, long long count)
{
    tarn_world *world = self;
    const uint64_t start = tarn_world_get_status(world).substeps;
    uint64_t taken = 0;

    while (taken < (uint64_t)count) {
        if (tarn_world_advance(world, 1.0 / 60.0) != TARN_OK)
            return print_error(-1, "bench: %s", tarn_world_get_failure(world));
        taken = tarn_world_get_status(world).substeps - start;
    }
    return (long long)taken;
}

int bench_copy_init(struct bench_copy *c, int n, int bytes, int threads)
{
    const size_t row = (size_t)n * (size_t)bytes;

    *c = (struct bench_copy){.rows = (size_t)n, .row = row, .threads = threads};
    c->from = bench_alloc((size_t)n, row);
    c->to = bench_alloc((size_t)n, row);
    return c->from && c->to ? 0 : -1;
}

void bench_copy_free(struct bench_copy *c)
{
    free(c->from);
    free(c->to);
    *c = (struct bench_copy){0};
}

// One memcpy per thread: for large sizes it may bypass the caches, which is the fastest possible copy.
static void copy_part(void *self, int index, int threads)
{
    const struct bench_copy *c = self;
    const size_t t = (size_t)threads, r0 = c->rows * (size_t)index / t,
                 r1 = c->rows * ((size_t)index + 1) / t;

    for (long long i = 0; i < c->count; ++i) {
        memcpy(c->to + r0 * c->row, c->from + r0 * c->row, (r1 - r0) * c->row);
        __asm__ volatile("" : : "r"(c->to) : "memory"); // prevents the compiler from removing the copy
    }
}

long long run_copy(void *self, long long count)
{
    struct bench_copy *c = self;

    c->count = count;
    return run_threads(c->threads, copy_part, c) ? -1 : count;
}

// ---- checks ----------------------------------------------------------------------------------------

void bench_add_check(struct bench_run *run, int passed, double value, double bound, const char *format, ...)
{
    if (run->check_count == BENCH_CHECKS) return;
    struct bench_check *c = &run->checks[run->check_count++];
    va_list args;

    *c = (struct bench_check){.passed = passed, .value = value, .bound = bound};
    va_start(args, format);
    vsnprintf(c->text, sizeof c->text, format, args);
    va_end(args);
}

static void put_checks(const struct bench_run *run)
{
    json_open(run->json, "checks", '[');
    for (int i = 0; i < run->check_count; ++i) {
        const struct bench_check *c = &run->checks[i];
        json_open(run->json, NULL, '{');
        json_text(run->json, "claim", c->text);
        json_number(run->json, "value", c->value);
        json_number(run->json, "bound", c->bound);
        json_write_bool(run->json, "passed", c->passed);
        json_close(run->json);
    }
    json_close(run->json);
}

// Print the checks; returns how many failed.
static int print_checks(const struct bench_run *run)
{
    int failed = 0;

    for (int i = 0; i < run->check_count; ++i) failed += !run->checks[i].passed;
    if (run->json) {
        put_checks(run);
        return failed;
    }
    printf("\n");
    for (int i = 0; i < run->check_count; ++i)
        printf("%s  %s\n", run->checks[i].passed ? "pass" : "FAIL", run->checks[i].text);
    return failed;
}

// ---- the command -----------------------------------------------------------------------------------

static const struct bench *find_bench(const char *name)
{
    for (int i = 0; i < BENCH_COUNT; ++i)
        if (strcmp(benches[i]->name, name) == 0) return benches[i];
    return NULL;
}

static int unknown_bench(const char *name)
{
    const char *names[BENCH_COUNT + 1] = {0};

    for (int i = 0; i < BENCH_COUNT; ++i) names[i] = benches[i]->name;
    const char *meant = closest_name(name, names);
    if (meant) return print_error(TARN_BAD_ARGUMENT, "unknown benchmark '%s'; did you mean %s?", name, meant);
    return print_error(TARN_BAD_ARGUMENT, "unknown benchmark '%s'; `tarn bench --help` lists them", name);
}

static int run_one(struct bench_run *run, const struct bench *bench, int check, int *failed)
{
    run->check_count = 0;
    if (run->json) {
        json_open(run->json, NULL, '{');
        json_text(run->json, "name", bench->name);
        json_integer(run->json, "threads", run->threads);
    }
    const int code = bench->run(run);
    if (code == 0 && check) *failed += print_checks(run);
    if (run->json) json_close(run->json);
    return code;
}

static int run_all(struct bench_run *run, int check, const struct args *args)
{
    const int count = args->count ? args->count : BENCH_COUNT;
    int failed = 0, code = 0;
    struct json_writer json = json_begin(stdout);

    if (run->json) {
        run->json = &json;
        json_open(&json, NULL, '[');
    }
    for (int i = 0; i < count && code == 0; ++i)
        code = run_one(run, args->count ? find_bench(args->positional[i]) : benches[i], check, &failed);
    while (run->json && json.depth > 0) json_close(&json);
    if (code == 0 && failed)
        code =
            print_error(TARN_FAILED, "bench: %d %s", failed, failed == 1 ? "check failed" : "checks failed");
    return code;
}

// The description in --help, with the benchmarks of the table.
static void describe_benches(char *text, size_t size)
{
    int used = snprintf(
        text, size,
        "Measures speed on this machine and compares with simple baselines and with the memory\n"
        "bandwidth. The candidates alternate and the best of several repetitions counts, so that other\n"
        "load on the machine affects all of them alike. Takes some minutes and 1.5 GB. Without a name\n"
        "all benchmarks run:\n\n");
    for (int i = 0; i < BENCH_COUNT && used > 0 && (size_t)used < size; ++i)
        used += snprintf(text + used, size - (size_t)used, "  %-8s %s\n", benches[i]->name, benches[i]->help);
}

static int bench_main(int argc, char **argv)
{
    char description[2048];
    int check = 0, compare = 0, as_json = 0, quick = 0, threads = 0;
    const struct option options[] = {
        {OPTION_FLAG, "check", 0, NULL, &check, 0, 0, "fail (exit code 1) if a required ratio is missed"},
        {OPTION_FLAG, "compare", 0, NULL, &compare, 0, 0, "also run other libraries (ODE, hypre, FFTW)"},
        JSON_OPTION(&as_json, "print the results as JSON"),
        {OPTION_INTEGER, "threads", 't', "N", &threads, 1, MAX_THREADS,
         "number of threads besides one (default: one per processor)"},
        {OPTION_FLAG, "quick", 0, NULL, &quick, 0, 0, "small grids, few repetitions: only tests the command"},
        OPTIONS_END,
    };
    const struct command_spec spec = {
        "tarn bench [NAME...] [--check] [--compare] [--json] [--threads N]",
        description,
        "  tarn bench wave\n"
        "  tarn bench wave --check && echo fast enough\n"
        "  tarn bench bodies linear --compare\n",
        0,
        -1,
        options,
    };
    struct args args;

    describe_benches(description, sizeof description);
    const enum parse_result parsed = parse_options(&spec, argc, argv, &args);
    if (parsed != PARSED) return parse_exit_code(parsed);
    for (int i = 0; i < args.count; ++i)
        if (!find_bench(args.positional[i])) return unknown_bench(args.positional[i]);
    if (check && quick)
        return print_error(TARN_BAD_ARGUMENT,
                           "--check needs full measurements; it cannot be combined with --quick");
    if (threads == 0) threads = processor_count() < MAX_THREADS ? processor_count() : MAX_THREADS;

    struct json_writer on;
    struct bench_run run = {.quick = quick,
                            .compare = compare,
                            .threads = threads,
                            .repeats = quick ? 2 : 7,
                            .seconds = quick ? 0.002 : 0.05,
                            .json = as_json ? &on : NULL};
    return run_all(&run, check, &args);
}

const struct command command_bench = {"bench", "measure speed", bench_main};
