// The scene and the functions that parse it and build its world. Data flows in this order:
//
//   read_file.c, json_syntax.c   file -> text -> JSON tree
//   overrides.c                  --set and tarn_scene_set() change the tree
//   parse.c, parse_values.c      JSON tree -> struct tarn_scene; the valid keys are defined by sections.c,
//                                scene_params.c and key_set.c
//   build_*.c, assets.c, import/ struct tarn_scene and the files it names -> tarn_world
//   json_write.c, json_schema.c  scene -> text, parameter lists -> JSON Schema
//
// diagnostics.c, json_locate.c and suggest.c report errors with their position and a suggestion.
#ifndef SCENE_SCENE_INTERNAL_H
#define SCENE_SCENE_INTERNAL_H

#include "assets.h"
#include "diagnostics.h"
#include "json_text.h"
#include "key_set.h"
#include "overrides.h"
#include "scene_params.h"
#include "string_buffer.h"
#include "suggest.h"

#define SCENE_MAX_BYTES (16u << 20) // of a file

struct tarn_scene {
    struct source_text source;
    json_t *root;
    struct override *overrides;
    int override_count;
    tarn_world_def def;
    struct scene_settings settings;
    tarn_gauge *gauges;
    int gauge_count;
    int64_t body_count; // copies included
};

// ---- parse.c, parse_values.c ------------------------------------------------------------------------

// An object of a section.
struct parsed_object {
    tarn_spec spec;
    tarn_body_def body; // its shape is `spec`
    tarn_part part;     // its shape is `spec`
    tarn_obstacle_def obstacle;
    union {
        tarn_gauge gauge;
        struct body_array array;
        struct joint_ends ends;
        double any[TARN_SPEC_BYTES / sizeof(double)];
    } scene_data; // parameters of section->scene_kind
};
void parse_object(struct parser *p, const struct section *section, json_t *json, struct parsed_object *item);

// Check the tree and fill in `def`, `settings`, `gauges` and `body_count`.
void parse_scene(struct parser *p, struct tarn_scene *scene);

// Is the fluid model two-dimensional? Then bodies move in the x-y plane.
int scene_is_planar(const struct tarn_scene *scene);

// Parse a rotation given as axis and angle. @return 0 with a diagnostic
int parse_axis_angle(struct parser *p, json_t *object, tarn_value *out);

// Parse the value of a parameter, except rotations given as axis and angle. Rows of a table are stored in
// `rows`, which has space for the maximum number of rows. @return 0 with a diagnostic
int parse_param_value(struct parser *p, const tarn_param *param, const json_t *json, double *rows,
                      tarn_value *out);
// Parse a string of less than `size` bytes. @return 0 with a diagnostic
int parse_string(struct parser *p, const json_t *json, char *out, size_t size);
// Check rows of text of equal length, at most `max_side` rows and characters. @return 0 with a diagnostic
int check_text_rows(struct parser *p, const json_t *json, size_t max_side);

const char *json_type_name(const json_t *json); // "an object"
void diag_wrong_type(struct parser *p, const char *expected, const json_t *json);

// ---- build_*.c --------------------------------------------------------------------------------------

// Call a function for each object of a section in the order of the file; the parser's path leads to the
// object.
typedef void (*object_fn)(struct parser *p, json_t *json, size_t number, void *ctx);
void for_each_object(struct parser *p, const tarn_scene *scene, const char *key, object_fn fn, void *ctx);

// Create the world of a scene with all objects. @return NULL with a diagnostic, or if memory is exhausted
tarn_world *build_world(struct parser *p, const tarn_scene *scene, const tarn_host *host);

// Load the height map of the scene's bed into def->map. *values must be freed after the world was created.
// @return 0 with a diagnostic
int load_bed_heightmap(struct parser *p, const tarn_scene *scene, tarn_world_def *def, double **values);
// Push the path of the bed component that is a height map, or of the bed itself.
void parser_push_bed(struct parser *p, const tarn_scene *scene);

void build_obstacles(struct parser *p, const tarn_scene *scene, tarn_world *world);
// Create the bodies; their names are added to the JSON object `names` unless it is NULL.
void build_bodies(struct parser *p, const tarn_scene *scene, tarn_world *world, json_t *names);
int body_names_add(json_t *names, const char *name, tarn_body id); // 0: memory is exhausted
// Create the joints between bodies with these names.
void build_joints(struct parser *p, const tarn_scene *scene, tarn_world *world, json_t *names);

#endif
