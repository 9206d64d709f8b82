// Whole files of a run: NAME.part until they are complete.
#ifndef APP_ATOMIC_FILE_H
#define APP_ATOMIC_FILE_H

#include "output_dir.h"

struct atomic_file {
    FILE *stream; // NULL: not open
    int fd;
    int use_fsync; // of its folder
    char part[OUTPUT_PATH], path[OUTPUT_PATH];
};
// All return 0, or an exit code after an error message; the .part file is gone then, or stays if it is
// durable.
int atomic_file_create(struct atomic_file *file, const struct output_dir *output, const char *name);
int atomic_file_flush(struct atomic_file *file);
int atomic_file_commit(struct atomic_file *file);   // gives it its name
void atomic_file_discard(struct atomic_file *file); // fine for one that is not open

// Go on with a file of an earlier run, finished or not, that had `size` bytes: what came later is cut off.
int atomic_file_reopen(struct atomic_file *file, const struct output_dir *output, const char *name,
                       long long size);

// All of it on the disk; how long it is.
int atomic_file_sync(struct atomic_file *file, long long *size);

#endif
