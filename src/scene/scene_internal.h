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
#define SCENE_BYTES  (16u << 20)
#define SCENE_DEPTH  128
#define SCENE_VALUES 1000000
#define SCENE_BODIES 100000 // copies included
#define SCENE_NOTES  100    // each costs a walk through the text
#define PATH_STEPS   16

// ---- text.c -----------------------------------------------------------------------------------------

// A text that grows. After a failed allocation `failed` is set and nothing more is added.
struct text {
    char *data; // zero-terminated once anything was added
    size_t size, capacity;
    int failed;
};
void text_add(struct text *t, const char *data, size_t size);
void text_add_word(struct text *t, const char *word);

// Bytes of the UTF-8 character at s, 0 if there is no valid one.
int utf8_length(const char *s, size_t left);

// Make a text fit for a terminal: control characters and broken UTF-8 become '?'.
void text_clean(char *s);

// The shortest digits that read back as x, whatever the locale.
void number_text(double x, char out[32]);

// A new string. @return NULL without memory
char *text_copy(const char *data, size_t size);

// ---- places -----------------------------------------------------------------------------------------

struct source {
    char *name; // stands for the file in messages
    char *text; // zero-terminated
    size_t size;
    int is_file; // `name` is the path it was read from
};

struct step {
    const char *key; // NULL: an index
    size_t index;
};

// From the root of the JSON to a value: bodies, [0], radius.
struct path {
    struct step steps[PATH_STEPS];
    int count;
};

void path_text(const struct path *path, char *out, size_t size);
// Does it lead through, or to, where `start` leads?
int path_begins(const struct path *path, const struct path *start);

// Byte offset of the value at `path` (of its key if `of_key`), or of the deepest value on the way that is
// there. @return how many steps were found
int locate(const char *text, size_t size, const struct path *path, int of_key, size_t *offset);

// Line and column of an offset, from 1; columns count characters.
void locate_line(const char *text, size_t size, size_t offset, int *line, int *column);

// ---- mistakes ---------------------------------------------------------------------------------------

// A value that did not come from the file.
struct change {
    char *text;       // the path's words, cut apart by zeros
    char *shown;      // "--set fluid.depth"
    struct path path; // into text
    int option;       // 1: from `--set`
};

// One pass over a scene: where it is and what it found.
struct pass {
    const struct source *source;
    const struct change *changes;
    int change_count;
    tarn_notes *notes; // may be NULL
    int first;         // notes before this pass
    size_t order[SCENE_NOTES];
    int full; // so many mistakes that the rest is not told
    tarn_result result;
    int flat; // of three numbers the last may be left out
    struct path path;
};

void pass_begin(struct pass *p, const struct source *source, tarn_notes *notes);
int pass_push(struct pass *p, const char *key, size_t index); // 0: too deep, noted
void pass_pop(struct pass *p);
void pass_fail(struct pass *p, tarn_result result);

enum note_place { NOTE_VALUE, NOTE_KEY };
// A mistake at the pass's path.
void note_add(struct pass *p, enum note_place place, const char *format, ...)
    __attribute__((format(printf, 3, 4)));
// A mistake at a byte of the text.
void note_add_at(struct pass *p, size_t offset, const char *format, ...)
    __attribute__((format(printf, 3, 4)));
// A mistake that has no place in the text.
void note_add_plain(struct pass *p, const char *where, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

// A mistake that the world found in what stands at the pass's path.
void note_error(struct pass *p, tarn_result result, const tarn_error *err);

// ---- from bytes to JSON -----------------------------------------------------------------------------

// Read a regular file of at most `most` bytes; `noun` says what it should be ("scene"). out->name and out->text
// are to be freed whatever comes back. @return TARN_OK, TARN_BAD_INPUT, TARN_IO or TARN_NO_MEMORY, with a note
tarn_result file_read(const char *path, const char *noun, size_t most, struct source *out, tarn_notes *notes);

// Where a text stops being JSON. @return 1 if it is JSON; 0 with the place and words
int syntax_check(const char *text, size_t size, size_t *offset, char *words, size_t words_size);

// The token that ends at `end`, for places that jansson reports.
size_t syntax_token_start(const char *text, size_t size, size_t end);

// @return NULL with a note, or without memory
json_t *syntax_parse(struct pass *p);

// Apply "path=value" to the tree and remember where it came from.
tarn_result change_apply(struct pass *p, json_t *root, const char *set, struct change *out);
// The same with a value at hand; the reference to it is taken.
tarn_result change_put(struct pass *p, json_t *root, const char *path, json_t *value, struct change *out);
// The parameter at a path ("bodies[0].radius"), NULL if there is none, or without memory.
const tarn_param *change_param(const json_t *root, const char *path);
void change_free(struct change *change);

// ---- names ------------------------------------------------------------------------------------------

// A kind whose parameters may stand at a place, and where their values go (NULL: nowhere).
struct slot {
    const tarn_kind *kind; // NULL: none
    void *data;
    const char *root; // what the parameters' names begin with there: "" or "fluid."
};

#define SLOTS 3 // a kind's own, what is common to a room, what the scene keeps for itself

// The names that may stand in one JSON object.
struct level {
    struct slot slots[SLOTS];
    const char *kind_key;         // the key that names the kind ("model"), or NULL
    char prefix[TARN_NAME_BYTES]; // inside a group: "sides."
    int open;                     // the kind is not known, so neither are its names
    const struct section *inner;  // a list that may stand here as well, or NULL
    const char *lines;            // the key of a picture made of lines of text, or NULL
};

// A parameter, a group, or both: a choice that heads a group.
struct entry {
    const struct slot *slot;
    const tarn_param *param; // NULL: only a group
    int group;               // there are names below it
    char name[TARN_NAME_BYTES];
    int at; // for level_next
};
#define HEAD_KEY "kind" // names the choice inside the group that it heads

// The entries in the order of the lists, each once. Begin with zero. @return 0 past the last
int level_next(const struct level *level, struct entry *entry);
int level_find(const struct level *level, const char *key, struct entry *entry);
// The level inside a group.
struct level level_inside(const struct level *level, const struct entry *group);
// What stands at the first `count` steps of a path that begins with a section. @return 0 if nothing is known there
int level_at(const json_t *root, const struct path *path, int count, struct entry *entry);

enum section_form { SECTION_ONE, SECTION_LIST, SECTION_EITHER };

// One part of a scene that is made of kinds.
struct section {
    const char *key; // "bodies"
    enum section_form form;
    size_t most;          // things in a list; 0: as many as the file can hold
    const char *room;     // of the kind it names; NULL: it names none
    const char *kind_key; // "shape"
    const char *noun;     // for messages
    const char *common;   // the room of the parameters that all of them have, or NULL
    const char *root;     // of those
    const char *help;
    const tarn_kind *own;        // what the scene itself wants to know of each, or NULL
    const struct section *inner; // a list inside the things of one kind, or NULL
    const char *inner_kind;      // that kind, which need not be named; inside the list it cannot stand again
    const char *lines;           // the key of a picture made of lines of text, which one kind has, or NULL
    const char *lines_kind;      // that kind
};
const struct section *section_at(int index); // NULL past the last
const struct section *section_find(const char *key);
const tarn_kind *section_common(const struct section *section);
// The names inside one thing of a section, whose kind is NULL if it is not known.
struct level section_level(const struct section *section, const tarn_kind *kind);
// The kinds that may stand in a section. @return NULL past the last
const tarn_kind *section_kind_at(const struct section *section, int index);
// The kind that a thing names, NULL if there is none.
const tarn_kind *section_kind(const struct section *section, const json_t *thing);

extern const tarn_kind scene_kind;       // what the scene keeps for itself, over struct scene_own
extern const tarn_kind scene_gauge_kind; // over tarn_gauge

// How many bodies an entry stands for, and where.
struct copies {
    int count[3];
    double spacing[3]; // [m]
    double jitter;     // 0 .. 1
};
extern const tarn_kind scene_copies_kind;

// Which bodies a joint holds, and where.
struct fastening {
    char name[TARN_NAME_BYTES], a[TARN_NAME_BYTES], b[TARN_NAME_BYTES]; // b empty: the world
    tarn_vec3 at, to;                                                   // [m] NaN: not given
};
extern const tarn_kind scene_fastening_kind;

struct level scene_root_level(void *world_def, void *own);

// A rotation in words that people use: {"axis": [0, 1, 0], "degrees": 30}.
struct turn {
    double axis[3];
    double degrees;
};
struct level turn_level(struct turn *turn); // NULL: the names alone

// The keys of a scene in canonical order. Begin with zero.
struct keys {
    int stage, at;
    struct entry entry;
};
const char *keys_next(struct keys *keys); // NULL past the last

// The best of many names; begin with the word that nobody knows.
struct guess {
    const char *word;
    int cost; // of the best so far, 0: none yet
    char best[128];
    const char *tail; // said after it
};
// Offer a name under which `shown` may be proposed.
void guess_offer(struct guess *g, const char *name, const char *shown);
// Offer a name that stands elsewhere: only a full match counts.
void guess_offer_elsewhere(struct guess *g, const char *name, const char *shown, const char *tail);
// "a, b, c" as far as it fits.
void list_add(char *out, size_t size, const char *name);

// ---- the scene --------------------------------------------------------------------------------------

struct scene_own {
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
    struct source source;
    json_t *root;
    struct change *changes;
    int change_count;
    tarn_world_def def;
    struct scene_own own;
    tarn_gauge *gauges;
    int gauge_count;
    int64_t body_count; // copies included
};

// One member of a section, read.
struct item {
    tarn_spec spec;
    tarn_body_def body; // its shape is `spec`
    tarn_part part;     // likewise
    tarn_obstacle_def obstacle;
    union {
        tarn_gauge gauge;
        struct copies copies;
        struct fastening fastening;
        double any[TARN_SPEC_BYTES / sizeof(double)];
    } own; // of the section's own kind
};
void item_read(struct pass *p, const struct section *section, json_t *json, struct item *item);

// Call a function for each thing of a section's list, the pass being there, in the order of the file.
typedef void (*thing_fn)(struct pass *p, json_t *json, size_t number, void *ctx);
void things_each(struct pass *p, const tarn_scene *scene, const char *key, thing_fn fn, void *ctx);

// Put the scene's bodies into its world; their names go into an object, unless it is NULL.
void scene_add_bodies(struct pass *p, const tarn_scene *scene, tarn_world *world, json_t *names);
int names_add(json_t *names, const char *name, tarn_body id); // 0: no memory
// The same with its joints, between bodies with those names.
void scene_add_joints(struct pass *p, const tarn_scene *scene, tarn_world *world, json_t *names);

// The same with its obstacles.
void scene_add_obstacles(struct pass *p, const tarn_scene *scene, tarn_world *world);

// Lines of text, all equally long, not more than `most` characters each way. @return 0 with a note
int lines_check(struct pass *p, const json_t *json, size_t most);

// ---- files that a scene names -----------------------------------------------------------------------

#define MAP_SIDE   16384
#define MAP_VALUES (1u << 26)   // 512 MiB as numbers
#define MAP_BYTES  (512u << 20) // of a file

// Why nothing came of a file; TARN_OK: something did.
struct fault {
    tarn_result result;
    char words[200];
};
// Fill it in and give the result back.
tarn_result fault_say(struct fault *fault, tarn_result result, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

// Why a text cannot be the name of a scene's file: absolute, or it leads out. NULL: it can.
const char *file_name_fault(const char *name);

// All bytes of the file `name` that a scene names, zero-terminated and to be freed. It is looked for beneath
// the scene's folder, then beneath each folder of TARN_PATH, then beneath one of installed models, and must be a
// regular file there that is reached without a symbolic link. The folder of a scene from memory is that of its
// name, if there is one in it: a text from a stranger that is called "upload" reads nothing from where the
// program happens to run.
tarn_result resolve_read(const struct source *source, const char *name, size_t most, char **data,
                         size_t *size, struct fault *fault);

// The folder in which resolve_read() would find it, and the same from that folder alone.
#define FOLDER_BYTES 4096
tarn_result resolve_folder(const struct source *source, const char *name, size_t most,
                           char folder[FOLDER_BYTES], struct fault *fault);
tarn_result resolve_read_in(const char *folder, const char *name, size_t most, char **data, size_t *size,
                            struct fault *fault);

// Heights as a tarn_map wants them: the first row is the southernmost. values are to be freed.
struct heights {
    int nx, nz;
    double *values;
    size_t missing;      // values that are not there, NaN
    double width, depth; // [m] that the file says it covers; 0: it says nothing
};
// PNG: grey values 0 .. 1, alpha ignored, colours as their luminance.
tarn_result bed_png_read(const char *data, size_t size, struct heights *out, struct fault *fault);
// ESRI ASCII grid: metres.
tarn_result bed_esri_read(const char *data, size_t size, struct heights *out, struct fault *fault);
// Put something in the place of missing values: "highest", "lowest", or "refuse".
tarn_result bed_fill_missing(struct heights *heights, const char *how, struct fault *fault);

// Read the height map of the scene's bed into def->map. Its values are *owned, to be freed after the world was
// made. @return 0 with a note
int bed_read_map(struct pass *p, const tarn_scene *scene, tarn_world_def *def, double **owned);
// Step to the part of the bed that is a height map, or to the bed itself.
void bed_push(struct pass *p, const tarn_scene *scene);

// A rotation from such an object. @return 0 with a note
int turn_read(struct pass *p, json_t *object, tarn_value *out);

// Check the tree and fill in def, own and gauges.
void check_scene(struct pass *p, struct tarn_scene *scene);
int scene_is_flat(const struct tarn_scene *scene); // seen from the front: bodies have x and y

// An array of numbers. @return NULL without memory
json_t *numbers_json(const double *number, int count);

// A tree as text: what fits stands on one line.
void json_to_text(const json_t *json, struct text *out);

#endif
