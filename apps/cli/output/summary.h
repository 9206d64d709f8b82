// The summary of a run, as text or as JSON.
#ifndef CLI_SUMMARY_H
#define CLI_SUMMARY_H

#include "apps/common/app.h"

struct summary {
    const char *scene; // short name
    const char *file;
    const char *result; // "ok", "interrupted", "diverged", "failed"
    const char *folder; // of the output files; NULL: none
    long long steps;
    long long resumed_steps;     // of these, taken before this process began
    unsigned long long substeps; // of the fluid, before this process began
    double dt;                   // [s] of a step
    double wall_seconds;         // [s] of the run
    double step_seconds;         // [s] of it in steps of the world
    int threads;
    int exit_code;
    tarn_ledger start; // at the start
};

void summary_text(const struct summary *summary, const tarn_world *world);

// Members of an object that the caller opened and closes.
void summary_json(const struct summary *summary, const tarn_world *world, struct json_writer *json);

#endif
