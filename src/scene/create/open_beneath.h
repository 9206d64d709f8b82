// Opening files that a scene names.
#ifndef SCENE_OPEN_BENEATH_H
#define SCENE_OPEN_BENEATH_H

#include "assets.h"

// Open the regular file `name` beneath a folder for reading. asset_name_error() must accept the name.
// @return a file descriptor; -1 if it does not exist or, with an error, if it is rejected
int open_beneath(const char *folder, const char *name, size_t max_size, struct load_error *error);

// The error of a system call. @return TARN_IO
tarn_result load_fail_errno(struct load_error *error, const char *name, int code);

#endif
