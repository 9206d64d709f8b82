// What a run came to, as text or as JSON.
#ifndef CLI_SUMMARY_H
#define CLI_SUMMARY_H

#include "apps/common/app.h"

struct summary {
    const char *scene; // short name
    const char *file;
    const char *result; // "ok", "interrupted", "diverged", "failed"
    const char *folder; // where files were written; NULL: none
    long long steps;
    long long first;          // of these, taken before this process began
    unsigned long long inner; // likewise inner steps
    double dt;                // [s] of a step
    double wall;              // [s] all of the run
    double stepping;          // [s] of that inside the world's steps
    int threads;
    int exit_code;
    tarn_ledger start; // at the start
};

void summary_text(const struct summary *summary, const tarn_world *world);

// Members of an object that the caller opened and closes.
void summary_json(const struct summary *summary, const tarn_world *world, struct json *json);

#endif
