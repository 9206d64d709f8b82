// Progress of a run: a bar on a terminal, otherwise a line every 10 s.
#ifndef CLI_PROGRESS_H
#define CLI_PROGRESS_H

#include <tarn/tarn.h>

struct progress {
    const char *name;
    int quiet, terminal, colour;
    double start, last; // [s] clock time of the start and of the last output
    double end;         // [s] simulated time at the end
    double drift;       // relative volume error when the ledger was last summed
    double ledger_due;  // [s] clock: not before, so that summing takes 2 % of the time at most
};

struct progress progress_begin(const char *name, double end, int quiet);

// Call after each step. `time` [s] is the simulated time.
void progress_update(struct progress *progress, const tarn_world *world, double time, long long steps);

#endif
