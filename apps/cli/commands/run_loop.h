// The time loop of `tarn run` and `tarn render`: steps until the end, an error or a signal, with progress and
// the numbers of the summary.
#ifndef CLI_RUN_LOOP_H
#define CLI_RUN_LOOP_H

#include "apps/cli/output/progress.h"
#include "apps/cli/output/summary.h"

struct run_loop {
    tarn_world *world;
    const char *name; // of the scene, for messages
    double dt;        // [s] of a step
    double duration;  // [s] of the whole run
    int quiet;
    long long total;             // steps of the whole run
    long long done, first;       // steps taken, and those taken before this process (a resumed run)
    unsigned long long substeps; // of the fluid, before this process
    double start, step_seconds;  // [s] clock time at the start; time spent in steps
    struct progress progress;
    // Called with `self` before and after each step; either may be NULL. A result other than 0 ends the loop.
    int (*before_step)(void *self);
    int (*after_step)(void *self);
    void *self;
};

// The number of steps of `duration` [s].
long long run_loop_count(double duration, double dt);

// Start the clock and the progress line.
void run_loop_start(struct run_loop *loop);

// Take steps until `total`. Returns 0, an exit code after reporting the error, or 128 + n after signal n.
int run_loop_steps(struct run_loop *loop);

// The part of the summary that the loop knows; the caller fills in file, folder, threads and start.
struct summary run_loop_summary(const struct run_loop *loop, int exit_code);

#endif
