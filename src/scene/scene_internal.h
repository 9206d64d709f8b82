// The scene and the functions that parse it and build its world. Data flows in this order:
//
//   read_file.c, json_syntax.c   file -> text -> JSON tree
//   overrides.c                  --set and tarn_scene_set() change the tree
//   parse*.c, scene_entries.c    JSON tree -> struct tarn_scene; the valid keys are defined by sections.c,
//                                scene_params.c and key_set.c
//   build_*.c, assets.c, import/ struct tarn_scene and the files it names -> tarn_world
//   json_write.c, json_schema.c  scene -> text, parameter lists -> JSON Schema
//
// diagnostics.c, json_locate.c and suggest.c report errors with their position and a suggestion.
#ifndef SCENE_SCENE_INTERNAL_H
#define SCENE_SCENE_INTERNAL_H

#include "diagnostics.h"
#include "scene/create/assets.h"
#include "scene/json/json_text.h"
#include "scene/json/string_buffer.h"
#include "scene/parse/key_set.h"
#include "scene/parse/overrides.h"
#include "scene/parse/suggest.h"
#include "scene_entries.h"

#define SCENE_MAX_BYTES (16u << 20) // of a file

struct tarn_scene {
    struct source_text source;
    json_t *root;
    struct override *overrides;
    int override_count;
    tarn_world_def def;
    struct scene_settings settings;
    struct scene_entries entries;
    int64_t body_count; // copies included
    char about[sizeof((tarn_scene_info *)NULL)->description];
    int planar; // 1: the fluid model is two-dimensional, and bodies move in the x-y plane
};

// ---- parse.c, parse_object.c ------------------------------------------------------------------------

// Check the tree and fill in all members from `def` on.
void parse_scene(struct parser *p, tarn_scene *scene);

// Parse a rotation given as axis and angle. @return 0 with a diagnostic
int parse_axis_angle(struct parser *p, json_t *object, tarn_value *out);

// ---- build_*.c --------------------------------------------------------------------------------------

// Push the path of an entry. @return 0 after an error with which nothing more is built
int parser_push_entry(struct parser *p, const char *key, int index);
void parser_pop_entry(struct parser *p);

// Create the world of a scene with all objects. @return NULL with a diagnostic, or if memory is exhausted
tarn_world *build_world(struct parser *p, const tarn_scene *scene, const tarn_host *host);

// The terms of the scene's bed with the height map that one of them may name. *heights must be freed after
// the world was created. @return 0 with a diagnostic
int read_beds(struct parser *p, const tarn_scene *scene, const tarn_log *log, tarn_bed_def *out,
              double **heights);
// Push the path of the bed component that is a height map, or of the bed itself.
void parser_push_bed(struct parser *p, const tarn_scene *scene);

void build_obstacles(struct parser *p, const tarn_scene *scene, tarn_world *world);
// Create the bodies; their names are added to the JSON object `names` unless it is NULL.
void build_bodies(struct parser *p, const tarn_scene *scene, tarn_world *world, json_t *names);
int body_names_add(json_t *names, const char *name, tarn_body_id id); // 0: memory is exhausted
// Create the joints between bodies with these names.
void build_joints(struct parser *p, const tarn_scene *scene, tarn_world *world, json_t *names);

#endif
