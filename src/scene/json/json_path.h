// Paths into a JSON tree and their positions in the text.
#ifndef SCENE_JSON_PATH_H
#define SCENE_JSON_PATH_H

#include <stddef.h>

#define JSON_PATH_MAX 16

struct json_step {
    const char *key; // NULL: an index
    size_t index;
};

// The steps from the root to a value: bodies, [0], radius.
struct json_path {
    struct json_step steps[JSON_PATH_MAX];
    int count;
};

// Write a path as "bodies[0].radius".
void json_path_format(const struct json_path *path, char *out, size_t size);

// Does the path lead to, or through, the value at `start`?
int json_path_has_prefix(const struct json_path *path, const struct json_path *start);

// Find the byte offset of the value at `path`, or of its key if `want_key`; if the value does not exist, of
// the deepest one on the path that does. @return the number of steps found
int json_find_offset(const char *text, size_t size, const struct json_path *path, int want_key,
                     size_t *offset);

// Line and column of an offset, from 1; columns count characters.
void offset_to_line(const char *text, size_t size, size_t offset, int *line, int *column);

#endif
