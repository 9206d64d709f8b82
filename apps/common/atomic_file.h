// Output files that are named NAME.part until they are complete.
#ifndef APP_ATOMIC_FILE_H
#define APP_ATOMIC_FILE_H

#include "output_dir.h"

struct atomic_file {
    FILE *stream; // NULL: not open
    int fd;
    int use_fsync; // the file and its folder are synced to the disk
    char part[OUTPUT_PATH], path[OUTPUT_PATH];
};
// All return 0, or an exit code after an error message; the .part file is then removed, or kept if use_fsync
// is set.
int atomic_file_create(struct atomic_file *file, const struct output_dir *output, const char *name);
int atomic_file_flush(struct atomic_file *file);
int atomic_file_commit(struct atomic_file *file);   // renames NAME.part to NAME
void atomic_file_discard(struct atomic_file *file); // does nothing if it is not open

// Continue a file of an earlier run, complete or not, that had `size` bytes; later bytes are removed.
int atomic_file_reopen(struct atomic_file *file, const struct output_dir *output, const char *name,
                       long long size);

// Sync the file to the disk; *size is its length in bytes.
int atomic_file_sync(struct atomic_file *file, long long *size);

#endif
