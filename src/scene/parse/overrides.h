// Values of a scene that do not come from its file.
#ifndef SCENE_OVERRIDES_H
#define SCENE_OVERRIDES_H

#include "scene/diagnostics.h"

#include <jansson.h>

struct override {
    char *path_text;       // the keys of the path, each zero-terminated
    char *label;           // for diagnostics: "--set fluid.depth"
    struct json_path path; // its keys point into path_text
    int from_cli;          // 1: from `--set`
};

// Apply "path=value" to the tree and keep the path, so that diagnostics can name it.
tarn_result override_parse(struct parser *p, json_t *root, const char *assignment, struct override *out);
// The same for a JSON value; takes the reference to it.
tarn_result override_set(struct parser *p, json_t *root, const char *path, json_t *value,
                         struct override *out);
// @return the parameter at a path ("bodies[0].radius"), NULL if there is none or if memory is exhausted
const tarn_param *override_param(const json_t *root, const char *path);
void override_free(struct override *override);

#endif
