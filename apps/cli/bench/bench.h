// Functions that the benchmarks share: measurement of candidates in turn, threads, memory, checks.
//
// A benchmark is one file that defines `const struct bench bench_NAME`, and one line in the list below.
#ifndef BENCH_H
#define BENCH_H

#include "apps/common/app.h"

enum { BENCH_CHECKS = 16, BENCH_TEXT = 160 };

// A check of a ratio, printed after all measurements.
struct bench_check {
    int passed;
    double value, bound;
    char text[BENCH_TEXT];
};

struct bench_run {
    int quick;      // small grids, few repetitions: for tests of the command, the times are not significant
    int compare;    // other libraries are measured too (tarn-peers)
    int threads;    // the larger of the two thread counts, at least 1
    int repeats;    // of every measurement; the shortest time counts
    double seconds; // [s] approximate time of a repetition of one candidate
    struct json_writer *json; // NULL: print tables
    struct bench_check checks[BENCH_CHECKS];
    int check_count;
};

struct bench {
    const char *name;
    const char *help;
    int (*run)(struct bench_run *run); // 0, or an exit code after an error message
};

#ifdef TARN_DRAW // benchmarks that need the renderer
#define DRAW_BENCHES(X) X(draw)
#else
#define DRAW_BENCHES(X)
#endif

// Every benchmark in the order of `tarn bench`; X(name) stands for `bench_name`.
#define BENCHES(X) \
    X(wave)        \
    X(shallow)     \
    X(bodies)      \
    X(coupling)    \
    X(state)       \
    X(worlds)      \
    X(linear)      \
    X(flow)        \
    DRAW_BENCHES(X)

#define DECLARE_BENCH(name) extern const struct bench bench_##name;
BENCHES(DECLARE_BENCH)

// Record a check; it is printed and counted only with --check.
void bench_add_check(struct bench_run *run, int passed, double value, double bound, const char *format, ...)
    APP_PRINTF(5, 6);

// A program whose steps are timed.
struct candidate {
    const char *name;
    long long (*run_steps)(void *self,
                           long long count); // takes at least `count` steps; returns their number, or -1
    void *self;
    double best;     // [s] per step
    long long count; // steps per repetition
};

// Measure `best` of each. The candidates alternate within every repetition, so that other load on the machine
// affects all of them. Returns 0, or an exit code after an error message.
int bench_measure(const struct bench_run *run, struct candidate *list, int count);

// Call part(self, 0 .. threads-1, threads) concurrently, the last on the calling thread. -1: a thread could
// not be started and nothing was called.
int run_threads(int threads, void (*part)(void *self, int index, int threads), void *self);

// Run tarn-peers with up to 7 arguments, NULL at the end; `out` receives its stdout, truncated. Returns 0, or
// an exit code after an error message.
int run_peer(const char *const *args, char *out, size_t size);

// ---- candidates of several benchmarks ----

// Steps of a world; self is the tarn_world. Substeps of the fluid are counted.
long long run_world_steps(void *self, long long count);

// Copying memory: a lower bound of the time of a step that reads and writes as much data.
struct bench_copy {
    char *from, *to;
    size_t rows, row; // bytes of a row
    int threads;
    long long count;
};
int bench_copy_init(struct bench_copy *c, int n, int bytes, int threads); // n * n columns; -1: out of memory
void bench_copy_free(struct bench_copy *c);
long long run_copy(void *self, long long count);

// Zeroed memory, on pages of 2 MiB if the system has them, as for fields of the library. Freed by free().
void *bench_alloc(size_t count, size_t size);

#endif
