// tarn bench: timings against the machine's own limit and simple baselines, all in one run.
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

static const struct bench *const benches[] = {
    &bench_wave, &bench_shallow, &bench_bodies, &bench_coupling, &bench_linear, &bench_flow,
#ifdef TARN_DRAW
    &bench_draw,
#endif
};
enum { BENCHES = sizeof benches / sizeof benches[0], MAX_THREADS = 64 };

// ---- measuring ------------------------------------------------------------------------------------

static int stopped(const struct contender *c)
{
    return complain(TARN_FAILED, "bench: %s could not go on", c->name);
}

// Once to touch the memory, once to learn how many steps fill a repeat.
static int calibrate(const struct bench_run *run, struct contender *c)
{
    if (c->go(c->self, 1) < 1) return stopped(c);
    const double start = clock_seconds();
    const long long steps = c->go(c->self, 1);
    if (steps < 1) return stopped(c);
    const double step = fmax((clock_seconds() - start) / (double)steps, 1e-7);
    c->count = (long long)fmax(run->seconds / step, 1.0);
    c->best = HUGE_VAL;
    return 0;
}

int bench_measure(const struct bench_run *run, struct contender *list, int count)
{
    for (int i = 0; i < count; ++i) {
        const int code = calibrate(run, &list[i]);
        if (code != 0) return code;
    }
    for (int repeat = 0; repeat < run->repeats; ++repeat)
        for (int i = 0; i < count; ++i) {
            struct contender *c = &list[i];
            const double start = clock_seconds();
            const long long steps = c->go(c->self, c->count);
            if (steps < 1) return stopped(c);
            c->best = fmin(c->best, (clock_seconds() - start) / (double)steps);
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
    if (bytes >= page) (void)madvise(p, bytes - bytes % page, MADV_HUGEPAGE); // a wish
#endif
    return memset(p, 0, bytes);
}

// ---- threads --------------------------------------------------------------------------------------

// All parts start together or none does, because they may wait for each other.
struct gang {
    void (*part)(void *self, int index, int threads);
    void *self;
    int threads;
    pthread_mutex_t lock;
    pthread_cond_t changed;
    int go; // 0 wait, 1 run, -1 go home
};

struct member {
    struct gang *gang;
    int index;
};

static void *member_main(void *arg)
{
    const struct member *m = arg;
    struct gang *g = m->gang;

    pthread_mutex_lock(&g->lock);
    while (g->go == 0) pthread_cond_wait(&g->changed, &g->lock);
    const int go = g->go;
    pthread_mutex_unlock(&g->lock);
    if (go > 0) g->part(g->self, m->index, g->threads);
    return NULL;
}

int bench_threads(int threads, void (*part)(void *self, int index, int threads), void *self)
{
    struct gang gang = {.part = part, .self = self, .threads = threads};
    struct member members[MAX_THREADS];
    pthread_t thread[MAX_THREADS];
    int started = 0;

    pthread_mutex_init(&gang.lock, NULL);
    pthread_cond_init(&gang.changed, NULL);
    for (; started < threads - 1; ++started) {
        members[started] = (struct member){&gang, started};
        if (pthread_create(&thread[started], NULL, member_main, &members[started]) != 0) break;
    }
    const int all = started == threads - 1;

    pthread_mutex_lock(&gang.lock);
    gang.go = all ? 1 : -1;
    pthread_cond_broadcast(&gang.changed);
    pthread_mutex_unlock(&gang.lock);
    if (all) part(self, threads - 1, threads);
    for (int i = 0; i < started; ++i) pthread_join(thread[i], NULL);
    pthread_cond_destroy(&gang.changed);
    pthread_mutex_destroy(&gang.lock);
    return all ? 0 : -1;
}

// ---- contenders -----------------------------------------------------------------------------------

long long bench_world_go(void *self, long long count)
{
    tarn_world *world = self;
    const uint64_t start = tarn_world_status(world).inner;
    uint64_t taken = 0;

    while (taken < (uint64_t)count) {
        if (tarn_world_step(world, 1.0 / 60.0) != TARN_OK)
            return complain(-1, "bench: %s", tarn_world_trouble(world));
        taken = tarn_world_status(world).inner - start;
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

// One memcpy a thread: a large one may know to go past the caches, which is the best a machine can do.
static void copy_part(void *self, int index, int threads)
{
    const struct bench_copy *c = self;
    const size_t t = (size_t)threads, r0 = c->rows * (size_t)index / t,
                 r1 = c->rows * ((size_t)index + 1) / t;

    for (long long i = 0; i < c->count; ++i) {
        memcpy(c->to + r0 * c->row, c->from + r0 * c->row, (r1 - r0) * c->row);
        __asm__ volatile("" : : "r"(c->to) : "memory"); // as if read: a copy for nobody could be left out
    }
}

long long bench_copy_go(void *self, long long count)
{
    struct bench_copy *c = self;

    c->count = count;
    return bench_threads(c->threads, copy_part, c) ? -1 : count;
}

// ---- verdicts -------------------------------------------------------------------------------------

void bench_judge(struct bench_run *run, int passed, double value, double bound, const char *format, ...)
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
        json_flag(run->json, "passed", c->passed);
        json_close(run->json);
    }
    json_close(run->json);
}

// Prints or writes the verdicts; how many failed.
static int tell_checks(const struct bench_run *run)
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

// ---- the command ----------------------------------------------------------------------------------

static const struct bench *find_bench(const char *name)
{
    for (int i = 0; i < BENCHES; ++i)
        if (strcmp(benches[i]->name, name) == 0) return benches[i];
    return NULL;
}

static int unknown_bench(const char *name)
{
    const char *names[BENCHES + 1] = {0};

    for (int i = 0; i < BENCHES; ++i) names[i] = benches[i]->name;
    const char *meant = nearest_name(name, names);
    if (meant) return complain(TARN_BAD_ARGUMENT, "unknown benchmark '%s'; did you mean %s?", name, meant);
    return complain(TARN_BAD_ARGUMENT, "unknown benchmark '%s'; `tarn bench --help` lists them", name);
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
    if (code == 0 && check) *failed += tell_checks(run);
    if (run->json) json_close(run->json);
    return code;
}

static int run_all(struct bench_run *run, int check, int words, char **argv)
{
    const int count = words ? words : BENCHES;
    int failed = 0, code = 0;
    struct json json = json_begin(stdout);

    if (run->json) {
        run->json = &json;
        json_open(&json, NULL, '[');
    }
    for (int i = 0; i < count && code == 0; ++i)
        code = run_one(run, words ? find_bench(argv[1 + i]) : benches[i], check, &failed);
    while (run->json && json.depth > 0) json_close(&json);
    if (code == 0 && failed)
        code = complain(TARN_FAILED, "bench: %d %s", failed, failed == 1 ? "check failed" : "checks failed");
    return code;
}

// What --help says, with the benchmarks of the table.
static void fill_about(char *about, size_t size)
{
    int used = snprintf(
        about, size,
        "Measures speed on this machine, beside simple baselines and the machine's own limit, all in one\n"
        "run. Contenders take turns and the best of several repeats counts, so that a machine shared with\n"
        "others is measured fairly. Takes some minutes and 1.5 GB. Without a name all benchmarks run:\n\n");
    for (int i = 0; i < BENCHES && used > 0 && (size_t)used < size; ++i)
        used +=
            snprintf(about + used, size - (size_t)used, "  %-8s %s\n", benches[i]->name, benches[i]->help);
}

int command_bench(int argc, char **argv)
{
    char about[2048];
    const struct usage usage = {"tarn bench [NAME...] [--check] [--peers] [--json] [--threads N]", about,
                                "  tarn bench wave\n"
                                "  tarn bench wave --check && echo fast enough\n"
                                "  tarn bench bodies linear --peers\n",
                                0, -1};
    int check = 0, peers = 0, as_json = 0, quick = 0, threads = 0, words;
    const struct option options[] = {
        {OPTION_FLAG, "check", 0, NULL, &check, 0, 0, "judge the ratios; exit code 1 if one is missed"},
        {OPTION_FLAG, "peers", 0, NULL, &peers, 0, 0, "other engines beside tarn (bodies: ODE)"},
        {OPTION_FLAG, "json", 0, NULL, &as_json, 0, 0, "results as JSON"},
        {OPTION_INTEGER, "threads", 't', "N", &threads, 1, MAX_THREADS, "beside one thread (default: all)"},
        {OPTION_FLAG, "quick", 0, NULL, &quick, 0, 0, "small grids, few repeats: only tries the command"},
        {OPTION_END, NULL, 0, NULL, NULL, 0, 0, NULL},
    };

    fill_about(about, sizeof about);
    const int code = options_read(&usage, options, argc, argv, &words);
    if (code >= 0) return code;
    for (int i = 1; i <= words; ++i)
        if (!find_bench(argv[i])) return unknown_bench(argv[i]);
    if (check && quick)
        return complain(TARN_BAD_ARGUMENT, "--quick measures nothing that --check could judge");
    if (threads == 0) threads = processor_count() < MAX_THREADS ? processor_count() : MAX_THREADS;

    struct json on;
    struct bench_run run = {.quick = quick,
                            .peers = peers,
                            .threads = threads,
                            .repeats = quick ? 2 : 7,
                            .seconds = quick ? 0.002 : 0.05,
                            .json = as_json ? &on : NULL};
    return run_all(&run, check, words, argv);
}
