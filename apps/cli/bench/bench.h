// What the benchmarks share: contenders measured side by side, threads, memory, verdicts.
//
// A benchmark is one file and one line in the table of bench.c.
#ifndef BENCH_H
#define BENCH_H

#include "apps/common/app.h"

enum { BENCH_CHECKS = 16, BENCH_TEXT = 160 };

// A verdict, kept until all is measured.
struct bench_check {
    int passed;
    double value, bound;
    char text[BENCH_TEXT];
};

struct bench_run {
    int quick;         // small grids, few repeats: tries the command, measures nothing worth keeping
    int peers;         // other engines take part, where tarn-peers was built
    int threads;       // the larger of the two thread counts, at least 1
    int repeats;       // of every measurement, of which the best counts
    double seconds;    // [s] about how long one repeat of one contender takes
    struct json *json; // NULL: tables for people
    struct bench_check checks[BENCH_CHECKS];
    int check_count;
};

struct bench {
    const char *name;
    const char *help;
    int (*run)(struct bench_run *run); // 0 or an exit code after telling why
};

extern const struct bench bench_wave;
extern const struct bench bench_shallow;
extern const struct bench bench_bodies;
extern const struct bench bench_coupling;
extern const struct bench bench_linear;
extern const struct bench bench_flow;
extern const struct bench bench_draw; // only with TARN_DRAW

// Keep a verdict; whether anyone wants it is decided at the end.
void bench_judge(struct bench_run *run, int passed, double value, double bound, const char *format, ...)
    CLI_PRINTF(5, 6);

// Something that can take steps.
struct contender {
    const char *name;
    long long (*go)(void *self, long long count); // at least `count` steps; how many it took, or -1
    void *self;
    double best;     // [s] per step
    long long count; // steps asked for per repeat
};

// Fill in `best` of each. The contenders take turns within every repeat, so that a busy moment of the
// machine hits all of them. Returns 0, or an exit code after telling why.
int bench_measure(const struct bench_run *run, struct contender *list, int count);

// part(self, 0 .. threads-1, threads) at the same time, the last on the caller's thread. -1: a thread could
// not be started and nothing ran.
int bench_threads(int threads, void (*part)(void *self, int index, int threads), void *self);

// Run tarn-peers with up to 7 arguments, NULL at the end; what it says on stdout, cut to fit. Returns 0, or an exit
// code after telling why.
int bench_peer(const char *const *args, char *out, size_t size);

// ---- contenders that several benchmarks have ----

// A world's go; self is the tarn_world. Steps are the fluid's inner steps.
long long bench_world_go(void *self, long long count);

// Copying memory, the least that moving so much data can cost.
struct bench_copy {
    char *from, *to;
    size_t rows, row; // bytes of a row
    int threads;
    long long count;
};
int bench_copy_init(struct bench_copy *c, int n, int bytes, int threads); // n * n columns; -1 without memory
void bench_copy_free(struct bench_copy *c);
long long bench_copy_go(void *self, long long count);

// Zeroed, on 2 MiB pages where the system has them, as tarn does it with its own fields. Freed by free().
void *bench_alloc(size_t count, size_t size);

#endif
