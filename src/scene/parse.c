// JSON -> values, by name. No kind is known here; only rooms, lists and types.
#include "scene_internal.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const struct {
    int numbers; // 0: not an array of numbers
    const char *words;
} wanted[] = {
    [TARN_NUMBER] = {0, "a number"},
    [TARN_INTEGER] = {0, "a whole number"},
    [TARN_FLAG] = {0, "true or false"},
    [TARN_VEC2] = {2, "an array of 2 numbers"},
    [TARN_VEC3] = {3, "an array of 3 numbers"},
    [TARN_QUAT] = {4, "an array of 4 numbers (w, x, y, z) or an object (axis, degrees)"},
    [TARN_INT2] = {2, "an array of 2 whole numbers"},
    [TARN_CHOICE] = {0, "a string"},
    [TARN_TEXT] = {0, "a string"},
    [TARN_FILE] = {0, "a string"},
    [TARN_TABLE] = {0, "an array of rows"},
    [TARN_INT3] = {3, "an array of 3 whole numbers"},
};

static const char *sort_of(const json_t *json)
{
    static const char *const words[] = {
        [JSON_OBJECT] = "an object", [JSON_ARRAY] = "an array", [JSON_STRING] = "a string",
        [JSON_INTEGER] = "a number", [JSON_REAL] = "a number",  [JSON_TRUE] = "true",
        [JSON_FALSE] = "false",      [JSON_NULL] = "null",
    };
    return words[json_typeof(json)];
}

static void note_type(struct pass *p, const char *expected, const json_t *json)
{
    const char *text = json_is_string(json) ? json_string_value(json) : "";
    const int quoted = *text && text[strspn(text, "0123456789.+-eE")] == '\0' && strstr(expected, "number");

    note_add(p, NOTE_VALUE, "%s is expected, this is %s%s", expected, sort_of(json),
             quoted ? "; leave out the quotes" : "");
}

static int is_whole(tarn_type type) { return type == TARN_INTEGER || type == TARN_INT2 || type == TARN_INT3; }

// One number of a value. @return 0 with a note
static int read_number(struct pass *p, const tarn_param *param, const json_t *json, double *out)
{
    const char *expected = is_whole(param->type) ? "a whole number" : "a number";
    char shown[32], low[32], high[32];

    if (!json_is_number(json)) {
        note_type(p, expected, json);
        return 0;
    }
    *out = json_number_value(json);
    number_text(*out, shown);
    if (!(param->min <= *out && *out <= param->max)) {
        number_text(param->min, low);
        number_text(param->max, high);
        note_add(p, NOTE_VALUE, "%s%s%s is outside %s .. %s", shown, param->unit[0] ? " " : "", param->unit,
                 low, high);
        return 0;
    }
    if (is_whole(param->type) && strpbrk(shown, ".e")) {
        note_add(p, NOTE_VALUE, "%s is expected, this is %s", expected, shown);
        return 0;
    }
    return 1;
}

// An array of so many numbers.
static int read_numbers(struct pass *p, const tarn_param *param, const json_t *json, size_t count,
                        double *out)
{
    char words[80];
    int fine = 1;

    snprintf(words, sizeof words, "%s", wanted[param->type].words);
    if (param->type == TARN_TABLE) snprintf(words, sizeof words, "a row, an array of %zu numbers,", count);
    if (!json_is_array(json)) {
        note_type(p, words, json);
        return 0;
    }
    if (p->flat && param->type == TARN_VEC3 && json_array_size(json) == 2) {
        out[2] = param->flags & TARN_OPTIONAL ? 0.0 : param->initial[2];
        count = 2;
    }
    if (json_array_size(json) != count) {
        note_add(p, NOTE_VALUE, "%s is expected, this one has %zu", words, json_array_size(json));
        return 0;
    }
    for (size_t i = 0; i < count; ++i) {
        if (!pass_push(p, NULL, i)) return 0;
        fine &= read_number(p, param, json_array_get(json, i), &out[i]);
        pass_pop(p);
    }
    return fine;
}

// A table, row by row, into `room` for all the rows that it may have.
static int read_table(struct pass *p, const tarn_param *param, const json_t *json, double *room,
                      tarn_value *out)
{
    const size_t columns = (size_t)param->columns;
    int fine = 1;

    if (!json_is_array(json)) {
        note_type(p, wanted[param->type].words, json);
        return 0;
    }
    if (json_array_size(json) > (size_t)param->rows) {
        note_add(p, NOTE_VALUE, "%zu rows are too many; there may be %d", json_array_size(json), param->rows);
        return 0;
    }
    for (size_t i = 0; i < json_array_size(json); ++i) {
        if (!pass_push(p, NULL, i)) return 0;
        fine &= read_numbers(p, param, json_array_get(json, i), columns, room + i * columns);
        pass_pop(p);
    }
    *out = tarn_table(room, (int)json_array_size(json));
    return fine;
}

static int read_words(struct pass *p, const json_t *json, char *out, size_t size)
{
    if (!json_is_string(json)) {
        note_type(p, "a string", json);
        return 0;
    }
    const char *text = json_string_value(json);
    const size_t length = json_string_length(json);
    for (size_t i = 0; i < length; ++i)
        if ((unsigned char)text[i] < 0x20 || text[i] == 0x7f) {
            note_add(p, NOTE_VALUE, "a control character cannot be part of this text");
            return 0;
        }
    if (length >= size) {
        note_add(p, NOTE_VALUE, "this text has %zu bytes; at most %zu fit", length, size - 1);
        return 0;
    }
    memcpy(out, text, length + 1);
    return 1;
}

static int read_choice(struct pass *p, const tarn_param *param, const json_t *json, tarn_value *out)
{
    struct guess guess = {0};
    char names[120] = "";

    if (!json_is_string(json)) {
        note_type(p, "a string", json);
        return 0;
    }
    guess.word = json_string_value(json);
    for (int i = 0; param->choices[i]; ++i) {
        if (strcmp(guess.word, param->choices[i]) == 0)
            return read_words(p, json, out->text, sizeof out->text);
        guess_offer(&guess, param->choices[i], param->choices[i]);
        list_add(names, sizeof names, param->choices[i]);
    }
    if (guess.cost)
        note_add(p, NOTE_VALUE, "'%.60s' is no choice here; did you mean '%s'?", guess.word, guess.best);
    else
        note_add(p, NOTE_VALUE, "'%.60s' is no choice here; known: %s", guess.word, names);
    return 0;
}

// The name of a file: that it may be opened, not that it is there.
static int read_file_name(struct pass *p, const json_t *json, tarn_value *out)
{
    if (!read_words(p, json, out->text, TARN_FILE_BYTES)) return 0;
    const char *fault = file_name_fault(out->text);
    if (fault) note_add(p, NOTE_VALUE, "%s", fault);
    return !fault;
}

static void read_level(struct pass *p, const struct level *level, json_t *object);

static void read_value(struct pass *p, const struct entry *entry, json_t *json)
{
    const tarn_param *param = entry->param;
    tarn_value value = {.type = param->type};
    tarn_error err = {0};
    double rows[TARN_SPEC_BYTES / sizeof(double)]; // the table of a kind's struct is smaller
    int fine;

    if (param->type == TARN_QUAT && json_is_object(json)) {
        fine = turn_read(p, json, &value);
    } else if (wanted[param->type].numbers) {
        fine = read_numbers(p, param, json, (size_t)wanted[param->type].numbers, value.number);
    } else if (param->type == TARN_TABLE) {
        fine = read_table(p, param, json, rows, &value);
    } else if (param->type == TARN_CHOICE) {
        fine = read_choice(p, param, json, &value);
    } else if (param->type == TARN_TEXT) {
        fine = read_words(p, json, value.text, TARN_NAME_BYTES);
    } else if (param->type == TARN_FILE) {
        fine = read_file_name(p, json, &value);
    } else if (param->type == TARN_FLAG) {
        fine = json_is_boolean(json);
        value.number[0] = json_is_true(json);
        if (!fine) note_type(p, wanted[param->type].words, json);
    } else {
        fine = read_number(p, param, json, &value.number[0]);
    }
    if (!fine || !entry->slot->data) return;
    if (tarn_kind_set(entry->slot->kind, entry->slot->data, param->name, &value, &err) != TARN_OK)
        note_add(p, NOTE_VALUE, "%s", err.text);
}

int turn_read(struct pass *p, json_t *object, tarn_value *out)
{
    struct turn turn;
    const struct level level = turn_level(&turn);

    read_level(p, &level, object);
    *out = tarn_rotation_about(turn.axis[0], turn.axis[1], turn.axis[2], turn.degrees);
    if (turn.axis[0] != 0.0 || turn.axis[1] != 0.0 || turn.axis[2] != 0.0) return 1;
    if (pass_push(p, "axis", 0)) {
        note_add(p, NOTE_VALUE, "an axis must not be all zero; up is [0, 1, 0]");
        pass_pop(p);
    }
    return 0;
}

// Names that stand in other places of the scene: in a group below, at the top, in "run" or in "fluid".
static void guess_elsewhere(struct guess *g, const struct level *level, int root)
{
    const struct level top = scene_root_level(NULL, NULL);
    char shown[128];

    for (int s = 0; s < SLOTS; ++s) {
        const struct slot *slot = &level->slots[s];
        const size_t skip = slot->root ? strlen(slot->root) : 0;
        for (int i = 0; slot->kind && i < slot->kind->param_count; ++i) {
            const char *name = slot->kind->params[i].name;
            if (strncmp(name, slot->root, skip) == 0) guess_offer_elsewhere(g, name + skip, name + skip, "");
        }
        const tarn_kind *kind = top.slots[s].kind;
        for (int i = 0; kind && i < kind->param_count; ++i) {
            const char *name = kind->params[i].name;
            guess_offer_elsewhere(g, name, name, strchr(name, '.') ? "" : " at the top");
        }
    }
    for (int k = 0; root && tarn_kind_at("fluid", k); ++k) {
        const tarn_kind *kind = tarn_kind_at("fluid", k);
        for (int i = 0; i < kind->param_count; ++i) {
            snprintf(shown, sizeof shown, "fluid.%.100s", kind->params[i].name);
            guess_offer_elsewhere(g, kind->params[i].name, shown, "");
        }
    }
}

static void note_unknown(struct pass *p, const struct level *level, const char *key, int root)
{
    struct guess guess = {.word = key, .tail = ""};
    struct entry e = {0};
    struct keys keys = {0};
    const char *name;
    char names[190] = "";

    while (root && (name = keys_next(&keys))) {
        guess_offer(&guess, name, name);
        list_add(names, sizeof names, name);
    }
    if (level->kind_key) {
        guess_offer(&guess, level->kind_key, level->kind_key);
        list_add(names, sizeof names, level->kind_key);
    }
    while (!root && level_next(level, &e)) {
        guess_offer(&guess, e.name, e.name);
        list_add(names, sizeof names, e.name);
    }
    if (level->inner) guess_offer(&guess, level->inner->key, level->inner->key);
    if (level->lines) guess_offer(&guess, level->lines, level->lines);
    guess_elsewhere(&guess, level, root || level->slots[0].kind == &scene_kind);
    const char *dot = strchr(key, '.');
    if (dot) // --set and messages write groups so
        note_add(p, NOTE_KEY, "unknown key; a group is an object: \"%.*s\": {\"%.60s\": ...}",
                 dot - key < 60 ? (int)(dot - key) : 60, key, dot + 1);
    else if (guess.cost)
        note_add(p, NOTE_KEY, "unknown key; did you mean '%s'%s?", guess.best, guess.tail);
    else
        note_add(p, NOTE_KEY, "unknown key; known here: %s", names);
}

// The choice that heads a group, inside its object.
static void read_head(struct pass *p, const struct entry *entry, const json_t *object)
{
    json_t *json = json_object_get(object, HEAD_KEY);
    char names[120] = "";

    if (!json) {
        for (int i = 0; entry->param->choices[i]; ++i)
            list_add(names, sizeof names, entry->param->choices[i]);
        note_add(p, NOTE_VALUE, "\"" HEAD_KEY "\" is missing; known: %s", names);
    } else if (pass_push(p, HEAD_KEY, 0)) {
        read_value(p, entry, json);
        pass_pop(p);
    }
}

static void read_entry(struct pass *p, const struct entry *entry, const struct level *level, json_t *json)
{
    if (entry->param && (!entry->group || json_is_string(json))) {
        read_value(p, entry, json);
    } else if (!json_is_object(json)) {
        note_type(p, entry->param ? "a string or an object" : "an object", json);
    } else {
        const struct level inside = level_inside(level, entry);
        if (entry->param) read_head(p, entry, json);
        read_level(p, &inside, json);
    }
}

static void read_list(struct pass *p, struct tarn_scene *scene, const struct section *section, json_t *json);

// A list inside a thing; only one kind has it.
static void read_inner(struct pass *p, const struct level *level, json_t *json)
{
    const tarn_kind *kind = level->slots[0].kind;

    if (kind && strcmp(kind->name, level->inner->inner_kind) != 0)
        note_add(p, NOTE_KEY, "only a %s has %s; it needs no \"%s\"", level->inner->inner_kind,
                 level->inner->key, level->kind_key);
    else
        read_list(p, NULL, level->inner, json);
}

int lines_check(struct pass *p, const json_t *json, size_t most)
{
    const json_t *line;
    size_t i;

    if (!json_is_array(json)) {
        note_type(p, "an array of strings", json);
        return 0;
    }
    const size_t wide = json_string_length(json_array_get(json, 0)), count = json_array_size(json);
    if (count == 0 || count > most || wide == 0 || wide > most) {
        note_add(p, NOTE_VALUE, "%zu lines of %zu characters are no picture; there may be 1 to %zu of each",
                 count, wide, most);
        return 0;
    }
    json_array_foreach(json, i, line)
    {
        if (json_string_length(line) == wide) continue;
        if (!pass_push(p, NULL, i)) return 0;
        if (json_is_string(line))
            note_add(p, NOTE_VALUE, "this line has %zu characters, the first one %zu",
                     json_string_length(line), wide);
        else
            note_type(p, "a string", line);
        pass_pop(p);
        return 0;
    }
    return 1;
}

static void read_level(struct pass *p, const struct level *level, json_t *object)
{
    const char *key;
    json_t *json;
    struct entry entry;

    json_object_foreach(object, key, json)
    {
        if (p->full || !pass_push(p, key, 0)) return;
        if (level_find(level, key, &entry))
            read_entry(p, &entry, level, json);
        else if (level->inner && strcmp(key, level->inner->key) == 0)
            read_inner(p, level, json);
        else if (level->lines && strcmp(key, level->lines) == 0)
            lines_check(p, json, TARN_MAP_SIDE);
        else if (!level->open && !(level->kind_key && strcmp(key, level->kind_key) == 0))
            note_unknown(p, level, key, 0);
        pass_pop(p);
    }
}

// The kind that an object names. @return NULL with a note
static const tarn_kind *read_kind(struct pass *p, const struct section *section, const json_t *object)
{
    const json_t *json = json_object_get(object, section->kind_key);
    const char *word = json_is_string(json) ? json_string_value(json) : "";
    const tarn_kind *kind = section_kind(section, object);
    struct guess guess = {.word = word};
    char names[160] = "";

    if (kind) return kind;
    for (int i = 0; (kind = section_kind_at(section, i)); ++i) {
        guess_offer(&guess, kind->name, kind->name);
        list_add(names, sizeof names, kind->name);
    }
    if (!json) {
        note_add(p, NOTE_VALUE, "\"%s\" is missing; known: %s", section->kind_key, names);
        return NULL;
    }
    if (!pass_push(p, section->kind_key, 0)) return NULL;
    if (!json_is_string(json))
        note_type(p, "a string", json);
    else if (guess.cost)
        note_add(p, NOTE_VALUE, "there is no %s '%.60s'; did you mean '%s'?", section->noun, word,
                 guess.best);
    else
        note_add(p, NOTE_VALUE, "there is no %s '%.60s'; known: %s", section->noun, word, names);
    pass_pop(p);
    return NULL;
}

// Read one thing of a section into a spec and the struct of what is common to all.
static void read_thing(struct pass *p, const struct section *section, json_t *json, tarn_spec *spec,
                       void *common, void *own)
{
    if (!json_is_object(json)) {
        note_type(p, "an object", json);
        return;
    }
    const tarn_kind *kind = section->room ? read_kind(p, section, json) : NULL;
    struct level level = section_level(section, kind);
    if (kind) tarn_spec_init(spec, section->room, kind->name, NULL);
    level.slots[0].data = spec->data;
    level.slots[1].data = common;
    level.slots[2].data = own;
    level.open = section->room && !kind;
    read_level(p, &level, json);
    const struct section *inner = section->inner;
    if (kind && inner && strcmp(kind->name, section->inner_kind) == 0 && !json_object_get(json, inner->key))
        note_add(p, NOTE_VALUE, "\"%s\" is missing", inner->key);
}

void item_read(struct pass *p, const struct section *section, json_t *json, struct item *item)
{
    const int part = section->common && strcmp(section->common, "part") == 0;
    const int placed = section->common && strcmp(section->common, "placement") == 0;
    void *common = part ? (void *)&item->part : placed ? (void *)&item->obstacle : (void *)&item->body;

    memset(item, 0, sizeof *item);
    tarn_kind_defaults(section_common(section), common);
    tarn_kind_defaults(section->own, &item->own);
    read_thing(p, section, json, &item->spec, common, &item->own);
    item->body.shape = item->part.shape = item->obstacle.shape = item->spec;
}

static void keep_gauge(struct pass *p, struct tarn_scene *scene, const tarn_gauge *gauge, size_t of)
{
    if (!scene->gauges && !(scene->gauges = calloc(of, sizeof *gauge))) {
        pass_fail(p, TARN_NO_MEMORY);
        return;
    }
    scene->gauges[scene->gauge_count++] = *gauge;
}

// All of them, and not more than a scene may have; told once.
static void count_bodies(struct pass *p, struct tarn_scene *scene, const struct copies *copies)
{
    if (scene->body_count > SCENE_BODIES) return;
    scene->body_count += (int64_t)copies->count[0] * copies->count[1] * copies->count[2];
    if (scene->body_count <= SCENE_BODIES || !pass_push(p, "copies", 0)) return;
    note_add(p, NOTE_VALUE, "this makes %lld bodies in all; a scene may have %d",
             (long long)scene->body_count, SCENE_BODIES);
    pass_pop(p);
}

// Read one of `of` things; what the scene itself needs (if there is one) is kept, the rest is read again when the
// world is made.
static void read_item(struct pass *p, struct tarn_scene *scene, const struct section *section, json_t *json,
                      size_t of)
{
    struct item item;

    item_read(p, section, json, &item);
    if (!scene) return;
    if (section->own == &scene_gauge_kind) keep_gauge(p, scene, &item.own.gauge, of);
    if (section->own == &scene_copies_kind) count_bodies(p, scene, &item.own.copies);
    if (strcmp(section->key, "bed") == 0) scene->def.bed[scene->def.bed_count++] = item.spec;
}

static void read_list(struct pass *p, struct tarn_scene *scene, const struct section *section, json_t *json)
{
    json_t *one;
    size_t i;

    if (!json_is_array(json)) {
        note_type(p, section->form == SECTION_EITHER ? "an object or an array" : "an array", json);
        return;
    }
    if (section->most && json_array_size(json) > section->most) {
        note_add(p, NOTE_VALUE, "%zu parts are too many; there may be %zu", json_array_size(json),
                 section->most);
        return;
    }
    json_array_foreach(json, i, one)
    {
        if (p->full || p->result == TARN_NO_MEMORY || !pass_push(p, NULL, i)) return;
        read_item(p, scene, section, one, json_array_size(json));
        pass_pop(p);
    }
}

static void read_section(struct pass *p, struct tarn_scene *scene, const struct section *section,
                         json_t *json)
{
    if (section->form == SECTION_ONE)
        read_thing(p, section, json, &scene->def.fluid, &scene->def, NULL);
    else if (section->form == SECTION_EITHER && json_is_object(json))
        read_item(p, scene, section, json, 1);
    else
        read_list(p, scene, section, json);
}

static void read_version(struct pass *p, const json_t *json)
{
    char shown[32];

    if (!json_is_number(json)) {
        note_type(p, "the number 1", json);
        return;
    }
    number_text(json_number_value(json), shown);
    if (strcmp(shown, "1") != 0)
        note_add(p, NOTE_VALUE, "version %s is not known; this reads version 1", shown);
}

static void read_root_key(struct pass *p, struct tarn_scene *scene, const struct level *level,
                          const char *key, json_t *json)
{
    char about[sizeof((tarn_scene_facts *)NULL)->about];
    struct entry entry;

    if (section_find(key))
        read_section(p, scene, section_find(key), json);
    else if (strcmp(key, "version") == 0)
        read_version(p, json);
    else if (strcmp(key, "about") == 0)
        read_words(p, json, about, sizeof about);
    else if (strcmp(key, "$schema") == 0 && !json_is_string(json))
        note_type(p, "a string", json);
    else if (strcmp(key, "$schema") == 0)
        return;
    else if (level_find(level, key, &entry))
        read_entry(p, &entry, level, json);
    else
        note_unknown(p, level, key, 1);
}

int scene_is_flat(const struct tarn_scene *scene)
{
    const json_t *model = json_object_get(json_object_get(scene->root, "fluid"), "model");
    return json_is_string(model) && strcmp(json_string_value(model), "flow") == 0;
}

// A camera goes from place to place in time.
static void check_keys(struct pass *p, const struct tarn_scene *scene)
{
    const double(*rows)[7] = scene->own.view_keys.rows;
    if (scene->own.view_keys.count < 2 || !pass_push(p, "view", 0)) return;
    if (pass_push(p, "keys", 0)) {
        for (int k = 1; k < scene->own.view_keys.count; ++k)
            if (!(rows[k][0] > rows[k - 1][0]) && pass_push(p, NULL, (size_t)k)) {
                note_add(p, NOTE_VALUE, "%g s is not later than the row before it", rows[k][0]);
                pass_pop(p);
            }
        pass_pop(p);
    }
    pass_pop(p);
}

void check_scene(struct pass *p, struct tarn_scene *scene)
{
    const json_t *model = json_object_get(json_object_get(scene->root, "fluid"), "model");
    const char *key;
    json_t *json;

    if (!json_is_object(scene->root)) {
        note_add(p, NOTE_VALUE, "a scene is an object, { ... }; this is %s", sort_of(scene->root));
        return;
    }
    p->flat = scene_is_flat(scene);
    scene->def = tarn_world_def_default(json_is_string(model) ? json_string_value(model) : "");
    tarn_kind_defaults(&scene_kind, &scene->own);
    const struct level level = scene_root_level(&scene->def, &scene->own);
    if (!json_object_get(scene->root, "version")) note_add(p, NOTE_VALUE, "\"version\": 1 is missing");
    if (!json_object_get(scene->root, "fluid"))
        note_add(p, NOTE_VALUE, "\"fluid\" is missing; the least is \"fluid\": {\"model\": ...}");
    json_object_foreach(scene->root, key, json)
    {
        if (p->full || !pass_push(p, key, 0)) return;
        read_root_key(p, scene, &level, key, json);
        pass_pop(p);
    }
    check_keys(p, scene);
}
