// Whole files of a run: NAME.part until they are complete.
#ifndef APP_ATOMIC_FILE_H
#define APP_ATOMIC_FILE_H

#include "output_dir.h"

struct whole_file {
    FILE *stream; // NULL: not open
    int fd;
    int durable; // of its folder
    char part[OUTPUT_PATH], path[OUTPUT_PATH];
};
// All return 0, or an exit code after telling why; the .part file is gone then, or stays if it is durable.
int file_begin(struct whole_file *file, const struct output *output, const char *name);
int file_flush(struct whole_file *file);
int file_finish(struct whole_file *file);   // gives it its name
void file_abandon(struct whole_file *file); // fine for one that is not open

// Go on with a file of an earlier run, finished or not, that had `size` bytes: what came later is cut off.
int file_resume(struct whole_file *file, const struct output *output, const char *name, long long size);

// All of it on the disk; how long it is.
int file_mark(struct whole_file *file, long long *size);

#endif
