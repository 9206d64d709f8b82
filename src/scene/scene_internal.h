// Inside libtarn-scene: the text, the walk through it, the mistakes it finds.
//
//   read_file.c   path -> text                      string_buffer.c  UTF-8, numbers, growing text
//   assets.c      a file that a scene names -> bytes
//   json_syntax.c text -> JSON, or why not          json_locate.c    key path -> place in the text
//   overrides.c   --set into the JSON               diagnostics.c    a place and words -> tarn_note
//   sections.c    the parts of a scene              key_set.c        names that may stand somewhere
//   parse.c       JSON -> values                    suggest.c        "did you mean"
//   build_*.c     bed, bodies, joints and obstacles -> the world
//   scene.c       the public functions              json_write.c json_schema.c  back to text
//   import/       height maps and meshes, one format each; tokenizer.c: text files word by word
#ifndef SCENE_SCENE_INTERNAL_H
#define SCENE_SCENE_INTERNAL_H

#include <tarn/scene.h>

#include <jansson.h>

// A scene file is hostile. These keep time and memory bounded; a scene of ours has some hundred values.
#define SCENE_MAX_BYTES       (16u << 20)
#define SCENE_MAX_DEPTH       128
#define SCENE_MAX_VALUES      1000000
#define SCENE_MAX_BODIES      100000 // copies included
#define SCENE_MAX_DIAGNOSTICS 100    // each costs a walk through the text
#define JSON_PATH_MAX         16

// ---- text.c -----------------------------------------------------------------------------------------

// A text that grows. After a failed allocation `failed` is set and nothing more is added.
struct string_buffer {
    char *data; // zero-terminated once anything was added
    size_t size, capacity;
    int failed;
};
void buffer_append(struct string_buffer *buffer, const char *data, size_t size);
void buffer_append_string(struct string_buffer *buffer, const char *string);

// Bytes of the UTF-8 character at s, 0 if there is no valid one.
int utf8_length(const char *s, size_t left);

// Make a text fit for a terminal: control characters and broken UTF-8 become '?'.
void sanitize_text(char *s);

// The shortest digits that read back as x, whatever the locale.
void format_number(double x, char out[32]);

// A new string. @return NULL without memory
char *copy_string(const char *data, size_t size);

// ---- places -----------------------------------------------------------------------------------------

struct source_text {
    char *name; // stands for the file in messages
    char *text; // zero-terminated
    size_t size;
    int is_file; // `name` is the path it was read from
};

struct json_step {
    const char *key; // NULL: an index
    size_t index;
};

// From the root of the JSON to a value: bodies, [0], radius.
struct json_path {
    struct json_step steps[JSON_PATH_MAX];
    int count;
};

void json_path_format(const struct json_path *path, char *out, size_t size);
// Does it lead through, or to, where `start` leads?
int json_path_has_prefix(const struct json_path *path, const struct json_path *start);

// Byte offset of the value at `path` (of its key if `of_key`), or of the deepest value on the way that is
// there. @return how many steps were found
int json_find_offset(const char *text, size_t size, const struct json_path *path, int of_key, size_t *offset);

// Line and column of an offset, from 1; columns count characters.
void offset_to_line(const char *text, size_t size, size_t offset, int *line, int *column);

// ---- mistakes ---------------------------------------------------------------------------------------

// A value that did not come from the file.
struct override {
    char *path_text;       // the path's words, cut apart by zeros
    char *label;           // "--set fluid.depth"
    struct json_path path; // into text
    int from_cli;          // 1: from `--set`
};

// One pass over a scene: where it is and what it found.
struct parser {
    const struct source_text *source;
    const struct override *overrides;
    int override_count;
    tarn_notes *diagnostics; // may be NULL
    int first_diagnostic;    // notes before this pass
    size_t offsets[SCENE_MAX_DIAGNOSTICS];
    int too_many; // so many mistakes that the rest is not told
    tarn_result result;
    int planar; // of three numbers the last may be left out
    struct json_path path;
};

void parser_init(struct parser *p, const struct source_text *source, tarn_notes *diagnostics);
int parser_push(struct parser *p, const char *key, size_t index); // 0: too deep, noted
void parser_pop(struct parser *p);
void parser_set_result(struct parser *p, tarn_result result);

enum diag_anchor { DIAG_VALUE, DIAG_KEY };
// A mistake at the pass's path.
void diag_at_path(struct parser *p, enum diag_anchor anchor, const char *format, ...)
    __attribute__((format(printf, 3, 4)));
// A mistake at a byte of the text.
void diag_at_offset(struct parser *p, size_t offset, const char *format, ...)
    __attribute__((format(printf, 3, 4)));
// A mistake that has no place in the text.
void diag_at_label(struct parser *p, const char *label, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

// A mistake that the world found in what stands at the pass's path.
void diag_from_error(struct parser *p, tarn_result result, const tarn_error *err);

// ---- from bytes to JSON -----------------------------------------------------------------------------

// Read a regular file of at most `most` bytes; `noun` says what it should be ("scene"). out->name and out->text
// are to be freed whatever comes back. @return TARN_OK, TARN_BAD_INPUT, TARN_IO or TARN_NO_MEMORY, with a note
tarn_result read_user_file(const char *path, const char *noun, size_t max_size, struct source_text *out,
                           tarn_notes *diagnostics);

// Where a text stops being JSON. @return 1 if it is JSON; 0 with the place and words
int json_syntax_check(const char *text, size_t size, size_t *offset, char *message, size_t message_size);

// The token that ends at `end`, for places that jansson reports.
size_t json_token_start(const char *text, size_t size, size_t end);

// @return NULL with a note, or without memory
json_t *json_parse(struct parser *p);

// Apply "path=value" to the tree and remember where it came from.
tarn_result override_parse(struct parser *p, json_t *root, const char *set, struct override *out);
// The same with a value at hand; the reference to it is taken.
tarn_result override_set(struct parser *p, json_t *root, const char *path, json_t *value,
                         struct override *out);
// The parameter at a path ("bodies[0].radius"), NULL if there is none, or without memory.
const tarn_param *override_param(const json_t *root, const char *path);
void override_free(struct override *override);

// ---- names ------------------------------------------------------------------------------------------

// A kind whose parameters may stand at a place, and where their values go (NULL: nowhere).
struct param_binding {
    const tarn_kind *kind; // NULL: none
    void *data;
    const char *name_prefix; // what the parameters' names begin with there: "" or "fluid."
};

#define MAX_BINDINGS 3 // a kind's own, what is common to a room, what the scene keeps for itself

// The names that may stand in one JSON object.
struct key_set {
    struct param_binding bindings[MAX_BINDINGS];
    const char *kind_key;         // the key that names the kind ("model"), or NULL
    char prefix[TARN_NAME_BYTES]; // inside a group: "sides."
    int unknown_kind;             // the kind is not known, so neither are its names
    const struct section *nested; // a list that may stand here as well, or NULL
    const char *text_rows_key;    // the key of a picture made of lines of text, or NULL
};

// A parameter, a group, or both: a choice that heads a group.
struct key_entry {
    const struct param_binding *binding;
    const tarn_param *param; // NULL: only a group
    int has_children;        // there are names below it
    char name[TARN_NAME_BYTES];
    int index; // for level_next
};
#define KIND_KEY "kind" // names the choice inside the group that it heads

// The entries in the order of the lists, each once. Begin with zero. @return 0 past the last
int key_set_next(const struct key_set *level, struct key_entry *entry);
int key_set_find(const struct key_set *level, const char *key, struct key_entry *entry);
// The level inside a group.
struct key_set key_set_group(const struct key_set *level, const struct key_entry *group);
// What stands at the first `count` steps of a path that begins with a section. @return 0 if nothing is known there
int key_set_at_path(const json_t *root, const struct json_path *path, int count, struct key_entry *entry);

enum section_layout { SECTION_OBJECT, SECTION_ARRAY, SECTION_OBJECT_OR_ARRAY };

// One part of a scene that is made of kinds.
struct section {
    const char *key; // "bodies"
    enum section_layout layout;
    size_t max_items;          // things in a list; 0: as many as the file can hold
    const char *category;      // of the kind it names; NULL: it names none
    const char *kind_key;      // "shape"
    const char *noun;          // for messages
    const char *common_kind;   // the room of the parameters that all of them have, or NULL
    const char *common_prefix; // of those
    const char *help;
    const tarn_kind *scene_kind;  // what the scene itself wants to know of each, or NULL
    const struct section *nested; // a list inside the things of one kind, or NULL
    const char *nested_kind;      // that kind, which need not be named; inside the list it cannot stand again
    const char *text_rows_key;    // the key of a picture made of lines of text, which one kind has, or NULL
    const char *text_rows_kind;   // that kind
};
const struct section *section_at(int index); // NULL past the last
const struct section *section_find(const char *key);
const tarn_kind *section_common_kind(const struct section *section);
// The names inside one thing of a section, whose kind is NULL if it is not known.
struct key_set section_keys(const struct section *section, const tarn_kind *kind);
// The kinds that may stand in a section. @return NULL past the last
const tarn_kind *section_kind_at(const struct section *section, int index);
// The kind that a thing names, NULL if there is none.
const tarn_kind *section_kind(const struct section *section, const json_t *thing);

extern const tarn_kind scene_settings_kind; // what the scene keeps for itself, over struct scene_own
extern const tarn_kind gauge_kind;          // over tarn_gauge

// How many bodies an entry stands for, and where.
struct body_array {
    int count[3];
    double spacing[3]; // [m]
    double jitter;     // 0 .. 1
};
extern const tarn_kind body_array_kind;

// Which bodies a joint holds, and where.
struct joint_ends {
    char name[TARN_NAME_BYTES], a[TARN_NAME_BYTES], b[TARN_NAME_BYTES]; // b empty: the world
    tarn_vec3 anchor_a, anchor_b;                                       // [m] NaN: not given
};
extern const tarn_kind joint_ends_kind;

struct key_set scene_root_keys(void *world_def, void *settings);

// A rotation in words that people use: {"axis": [0, 1, 0], "degrees": 30}.
struct axis_angle {
    double axis[3];
    double degrees;
};
struct key_set axis_angle_keys(struct axis_angle *value); // NULL: the names alone

// The keys of a scene in canonical order. Begin with zero.
struct root_keys {
    int group, index;
    struct key_entry entry;
};
const char *root_keys_next(struct root_keys *keys); // NULL past the last

// The best of many names; begin with the word that nobody knows.
struct suggestion {
    const char *input;
    int cost; // of the best so far, 0: none yet
    char best[128];
    const char *suffix; // said after it
};
// Offer a name under which `shown` may be proposed.
void suggest_try(struct suggestion *g, const char *name, const char *shown);
// Offer a name that stands elsewhere: only a full match counts.
void suggest_try_exact(struct suggestion *g, const char *name, const char *shown, const char *tail);
// "a, b, c" as far as it fits.
void list_append(char *out, size_t size, const char *name);

// ---- the scene --------------------------------------------------------------------------------------

struct scene_settings {
    char name[TARN_NAME_BYTES];
    double time; // [s]
    char view[TARN_NAME_BYTES];
    tarn_vec3 view_from, view_to; // [m]
    char view_map[TARN_NAME_BYTES];
    double view_range[2];
    int view_arrows, view_streamlines;
    double view_moment; // [s]
    struct {
        int count;
        double rows[TARN_VIEW_KEYS][7];
    } view_keys;
};

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

// One member of a section, read.
struct parsed_object {
    tarn_spec spec;
    tarn_body_def body; // its shape is `spec`
    tarn_part part;     // likewise
    tarn_obstacle_def obstacle;
    union {
        tarn_gauge gauge;
        struct body_array array;
        struct joint_ends ends;
        double any[TARN_SPEC_BYTES / sizeof(double)];
    } scene_data; // of the section's own kind
};
void parse_object(struct parser *p, const struct section *section, json_t *json, struct parsed_object *item);

// Call a function for each thing of a section's list, the pass being there, in the order of the file.
typedef void (*object_fn)(struct parser *p, json_t *json, size_t number, void *ctx);
void for_each_object(struct parser *p, const tarn_scene *scene, const char *key, object_fn fn, void *ctx);

// Put the scene's bodies into its world; their names go into an object, unless it is NULL.
void build_bodies(struct parser *p, const tarn_scene *scene, tarn_world *world, json_t *names);
int body_names_add(json_t *names, const char *name, tarn_body id); // 0: no memory
// The same with its joints, between bodies with those names.
void build_joints(struct parser *p, const tarn_scene *scene, tarn_world *world, json_t *names);

// The same with its obstacles.
void build_obstacles(struct parser *p, const tarn_scene *scene, tarn_world *world);

// Lines of text, all equally long, not more than `most` characters each way. @return 0 with a note
int check_text_rows(struct parser *p, const json_t *json, size_t max_size);

// ---- files that a scene names -----------------------------------------------------------------------

#define HEIGHTMAP_MAX_SIDE   16384
#define HEIGHTMAP_MAX_VALUES (1u << 26)   // 512 MiB as numbers
#define HEIGHTMAP_MAX_BYTES  (512u << 20) // of a file

// Why nothing came of a file; TARN_OK: something did.
struct load_error {
    tarn_result result;
    char message[200];
};
// Fill it in and give the result back.
tarn_result load_fail(struct load_error *error, tarn_result result, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

// Why a text cannot be the name of a scene's file: absolute, or it leads out. NULL: it can.
const char *asset_name_error(const char *name);

// All bytes of the file `name` that a scene names, zero-terminated and to be freed. It is looked for beneath
// the scene's folder, then beneath each folder of TARN_PATH, then beneath one of installed models, and must be a
// regular file there that is reached without a symbolic link. The folder of a scene from memory is that of its
// name, if there is one in it: a text from a stranger that is called "upload" reads nothing from where the
// program happens to run.
tarn_result asset_read(const struct source_text *source, const char *name, size_t max_size, char **data,
                       size_t *size, struct load_error *error);

// The folder in which resolve_read() would find it, and the same from that folder alone.
#define ASSET_FOLDER_BYTES 4096
tarn_result asset_find_folder(const struct source_text *source, const char *name, size_t max_size,
                              char folder[ASSET_FOLDER_BYTES], struct load_error *error);
tarn_result asset_read_in(const char *folder, const char *name, size_t max_size, char **data, size_t *size,
                          struct load_error *error);

// Heights as a tarn_map wants them: the first row is the southernmost. values are to be freed.
struct heightmap {
    int nx, nz;
    double *values;
    size_t missing_count;      // values that are not there, NaN
    double extent_x, extent_z; // [m] that the file says it covers; 0: it says nothing
};
// PNG: grey values 0 .. 1, alpha ignored, colours as their luminance.
tarn_result heightmap_read_png(const char *data, size_t size, struct heightmap *out,
                               struct load_error *error);
// ESRI ASCII grid: metres.
tarn_result heightmap_read_esri(const char *data, size_t size, struct heightmap *out,
                                struct load_error *error);
// Put something in the place of missing values: "highest", "lowest", or "refuse".
tarn_result heightmap_fill_missing(struct heightmap *heights, const char *how, struct load_error *error);

// Read the height map of the scene's bed into def->map. Its values are *owned, to be freed after the world was
// made. @return 0 with a note
int load_bed_heightmap(struct parser *p, const tarn_scene *scene, tarn_world_def *def, double **owned);
// Step to the part of the bed that is a height map, or to the bed itself.
void parser_push_bed(struct parser *p, const tarn_scene *scene);

// A rotation from such an object. @return 0 with a note
int parse_axis_angle(struct parser *p, json_t *object, tarn_value *out);

// Check the tree and fill in def, own and gauges.
void parse_scene(struct parser *p, struct tarn_scene *scene);
int scene_is_planar(const struct tarn_scene *scene); // seen from the front: bodies have x and y

// An array of numbers. @return NULL without memory
json_t *json_from_numbers(const double *number, int count);

// A tree as text: what fits stands on one line.
void json_format(const json_t *json, struct string_buffer *out);

#endif
