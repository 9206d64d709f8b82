// The output folder of a run.
//
// Files are written as NAME.part and renamed when complete. DIR/.tarn lists the files that tarn created: only
// these are replaced. That list is locked during a run, so that two runs never write to the same folder.
#ifndef APP_OUTPUT_DIR_H
#define APP_OUTPUT_DIR_H

#include <stdio.h>

enum { OUTPUT_PATH = 4096 };

// Bits of the files of a run; frames are counted separately.
enum {
    OUTPUT_LEDGER = 1,
    OUTPUT_BODIES = 2,
    OUTPUT_GAUGES = 4,
    OUTPUT_SERIES = 8,
    OUTPUT_CHECKPOINT = 16,
    OUTPUT_CHECKPOINT_OLD = 32,
    OUTPUT_OBSTACLES = 64
};
#define CHECKPOINT_NAME     "checkpoint.tarn"
#define CHECKPOINT_OLD_NAME "checkpoint.old.tarn"

struct output_dir {
    char dir[OUTPUT_PATH];
    int lock;           // descriptor of DIR/.tarn
    unsigned own_files; // files created by tarn
    int frames;         // frame_00000.vti .. frame_(frames - 1).vti were created by tarn, or will be
    int old_frames;     // frames at the start of the run
    int use_fsync;      // the run has checkpoints: files are synced, incomplete ones are kept
    int resumable;      // the last run there had checkpoints and was interrupted
};

struct output_dir_def {
    const char *dir;
    unsigned files;
    int frames;
    int force;  // replace files of others, and a run that could be resumed
    int resume; // continue the files that are there
};

// Create the folder, check that no other files have the names to be written, lock, remove old checkpoints.
// Returns 0, or an exit code after an error message.
int output_dir_open(struct output_dir *output, const struct output_dir_def *def);

// The run is complete: a new one may replace it.
void output_dir_finish(struct output_dir *output);

// DIR/NAMEend. Returns 0, or an exit code after an error message.
int output_dir_path(char *path, size_t size, const struct output_dir *output, const char *name,
                    const char *end);

// Print the error in errno for a path; returns TARN_IO.
int print_file_error(const char *path);

// Create a folder and its parents. Returns 0, or an exit code after an error message.
int make_dirs(const char *dir);

// Remove the frames of an earlier, longer run beyond the first `frames`.
void remove_stale_frames(struct output_dir *output, int frames);
void output_dir_close(struct output_dir *output);

void frame_file_name(char *name, size_t size, int frame);

// Sync the folder, so that renames in it are permanent.
int output_dir_sync(const struct output_dir *output);

#endif
