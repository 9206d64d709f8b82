// The folder that a run writes into, and whole files in it.
//
// A file is written as NAME.part and renamed when it is complete, so what stands under the final name is
// never half a file. DIR/.tarn lists what the program made there: those files may be replaced, others not.
// The same file is locked while a run writes, so two runs never share a folder.
#ifndef APP_OUTPUT_DIR_H
#define APP_OUTPUT_DIR_H

#include <stdio.h>

enum { OUTPUT_PATH = 4096 };

// Bits of the files that a run may write once; frames are counted apart.
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

struct output {
    char dir[OUTPUT_PATH];
    int lock;       // descriptor of DIR/.tarn
    unsigned made;  // files that are ours
    int frames;     // frame_00000.vti .. frame_(frames - 1).vti are ours, or will be
    int old;        // the same when the run began
    int durable;    // there are checkpoints: files are forced to the disk, and unfinished ones stay
    int unfinished; // the run that wrote there last had checkpoints and did not come to its end
};

struct output_def {
    const char *dir;
    unsigned files;
    int frames;
    int force;  // replace files of others, and a run that did not end
    int resume; // go on with what is there
};

// Make the folder, look for files of others under the names to be written, lock, remove old checkpoints.
// Returns 0, or an exit code after telling why.
int output_open(struct output *output, const struct output_def *def);

// The run came to its end: a new one may take its place.
void output_finish(struct output *output);

// DIR/NAMEend. 0, or an exit code after telling why.
int output_path(char *path, size_t size, const struct output *output, const char *name, const char *end);

// Tell what errno says about a path; returns TARN_IO.
int output_error(const char *path);

// Make a folder and those above it. 0, or an exit code after telling why.
int output_make_folders(const char *dir);

// The run is over after writing `frames` frames: remove those of an earlier, longer one.
void output_trim_frames(struct output *output, int frames);
void output_close(struct output *output);

void output_frame_name(char *name, size_t size, int frame);

// What is renamed within a folder is there to stay.
int output_sync(const struct output *output);

#endif
