// Checkpoints of runs: the world's sections, as tarn_world_save() writes them, and one of the program's own.
// docs/checkpoints.md has the format.
#ifndef CLI_CHECKPOINT_H
#define CLI_CHECKPOINT_H

#include "time_series.h"

// State of a run besides its world.
struct run_state {
    char name[256], scene[OUTPUT_PATH];                // short name, file
    double time, output_interval, checkpoint_interval; // [s] the end, between outputs, between checkpoints
    int csv, vtk, hash_every;
    struct output_position mark;
    tarn_ledger start; // its energies and momenta at the start, for the summary
    int gauge_count;
    tarn_gauge *gauges;
};

// Write DIR/checkpoint.tarn as a .part file that is synced to the disk and renamed; the last one is kept as
// checkpoint.old.tarn if `keep_last`. Returns 0, or an exit code after an error message.
int checkpoint_write(const struct output_dir *output, const tarn_world *world, const struct run_state *state,
                     int keep_last);

// Where a checkpoint is.
struct checkpoint_location {
    char dir[OUTPUT_PATH]; // of the run
    int newest;            // 1: it is DIR/checkpoint.tarn
};

// Read a checkpoint, given its name or its folder's; if the newest is missing or damaged, a message says so
// and the previous one is read. Returns 0 with a world and a state (whose gauges the caller frees), or an
// exit code after an error message.
int checkpoint_read(const char *argument, const tarn_host *host, struct checkpoint_location *found,
                    struct run_state *state, tarn_world **world);

#endif
