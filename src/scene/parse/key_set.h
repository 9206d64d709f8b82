// The sections of a scene and the keys that are valid in each JSON object.
#ifndef SCENE_KEY_SET_H
#define SCENE_KEY_SET_H

#include "scene/json/json_path.h"

#include <jansson.h>
#include <tarn/scene.h>

struct part_list;
struct row_bitmap;

// ---- keys of an object ------------------------------------------------------------------------------

// A parameter list and the struct that its values are stored in.
struct param_binding {
    const tarn_kind *kind;   // NULL: no parameters
    void *data;              // NULL: values are checked, but not stored
    const char *name_prefix; // of the parameter names that belong to this object: "" or "fluid."
};

#define MAX_BINDINGS 3 // the kind's own list, the list common to its category, the scene's own list

// The keys that are valid in one JSON object.
struct key_set {
    struct param_binding bindings[MAX_BINDINGS];
    const char *kind_key;         // the key that names the kind ("model"), or NULL
    char prefix[TARN_NAME_BYTES]; // inside a group: "boundary."
    int unknown_kind;             // 1: unknown keys are accepted, because the kind is not known
    const struct section *nested; // an array that the object may have too, or NULL
    struct part_list *parts;      // where the objects of that array are stored
    const char *text_rows_key;    // the key of a bitmap made of rows of text, or NULL
    struct row_bitmap *bitmap;    // where that bitmap is stored
};

// A key: a parameter, a group of parameters, or a choice with a group of further parameters.
struct key_entry {
    const struct param_binding *binding;
    const tarn_param *param; // NULL: a group only
    int has_children;        // 1: a group
    char name[TARN_NAME_BYTES];
    int index; // of the parameter, for key_set_next()
};
#define KIND_KEY "kind" // the key of a choice inside the object of its group

// Iterate over the keys in the order of the parameter lists, each key once. Start with a zeroed entry.
// @return 0 past the last
int key_set_next(const struct key_set *keys, struct key_entry *entry);
int key_set_find(const struct key_set *keys, const char *key, struct key_entry *entry);
// The keys inside a group.
struct key_set key_set_group(const struct key_set *keys, const struct key_entry *group);
// Find the entry at the first `count` steps of a path that starts with a section. @return 0 if there is none
int key_set_at_path(const json_t *root, const struct json_path *path, int count, struct key_entry *entry);

// ---- sections ---------------------------------------------------------------------------------------

enum section_layout { SECTION_OBJECT, SECTION_ARRAY, SECTION_OBJECT_OR_ARRAY };

// A root key whose objects are of some kind: fluid, bodies, joints.
struct section {
    const char *key; // "bodies"
    enum section_layout layout;
    size_t max_items;          // of an array; 0: no limit
    const char *category;      // of the kinds; NULL: the objects have no kind
    const char *kind_key;      // "shape"
    const char *noun;          // for messages
    const char *common_kind;   // name of the parameter list that all kinds share, or NULL
    const char *common_prefix; // of the parameter names in that list
    const char *help;
    const tarn_kind *scene_kind;  // parameters that only scenes have, or NULL
    const struct section *nested; // an array inside the objects of one kind, or NULL
    const char *nested_kind;      // that kind; it may be left out, and it is not valid inside the array
    const char *text_rows_key;    // the key of a bitmap made of rows of text, which one kind has, or NULL
    const char *text_rows_kind;   // that kind
};
const struct section *section_at(int index); // NULL past the last
const struct section *section_find(const char *key);
const tarn_kind *section_common_kind(const struct section *section);
// The keys of an object of a section; `kind` is NULL if it is not known.
struct key_set section_keys(const struct section *section, const tarn_kind *kind);
// The kinds that are valid in a section. @return NULL past the last
const tarn_kind *section_kind_at(const struct section *section, int index);
// @return the kind that an object names, NULL if there is none
const tarn_kind *section_kind(const struct section *section, const json_t *object);

// ---- root keys --------------------------------------------------------------------------------------

struct key_set scene_root_keys(void *world_def, void *settings);

// Iterates over the root keys in canonical order. Start with zero.
struct root_keys {
    int group, index;
    struct key_entry entry;
};
const char *root_keys_next(struct root_keys *order); // NULL past the last

#endif
