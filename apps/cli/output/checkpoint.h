// Checkpoints of runs: the world's sections, as tarn_world_save() writes them, and one of the program's own.
// docs/checkpoints.md has the format.
#ifndef CLI_CHECKPOINT_H
#define CLI_CHECKPOINT_H

#include "time_series.h"

// What a run needs to go on, besides its world.
struct run_state {
    char name[256], scene[OUTPUT_PATH]; // short name, file
    double time, every, checkpoint;     // [s] the end, between outputs, between checkpoints
    int csv, vtk, hash_every;
    struct record_mark mark;
    tarn_ledger start; // its energies and momenta at the start, for the summary
    int gauge_count;
    tarn_gauge *gauges;
};

// Write DIR/checkpoint.tarn by way of a .part file that is forced to the disk; the last one is kept as
// checkpoint.old.tarn if `keep_last`. Returns 0, or an exit code after telling why.
int checkpoint_write(const struct output *output, const tarn_world *world, const struct run_state *state,
                     int keep_last);

// A checkpoint that was found.
struct found {
    char dir[OUTPUT_PATH]; // of the run
    int newest;            // 1: it is DIR/checkpoint.tarn
};

// Read a checkpoint, given its name or its folder's; if the newest is missing or damaged, that is told and the one
// before it taken. Returns 0 with a world and a state (whose gauges the caller frees), or an exit code after telling why.
int checkpoint_read(const char *word, const tarn_host *host, struct found *found, struct run_state *state,
                    tarn_world **world);

#endif
