// Applies overrides ("bodies[0].density=300") of --set and tarn_scene_set() to the JSON tree before it is
// parsed.
#include "overrides.h"
#include "key_set.h"
#include "scene/json/json_text.h"
#include "scene/json/string_buffer.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

void override_free(struct override *override)
{
    free(override->path_text);
    free(override->label);
    *override = (struct override){0};
}

// Parse "[12]" as a step. @return the text after it, NULL if it is no index
static char *split_index(char *bracket, struct json_step *step)
{
    char *cursor = bracket + 1;

    *step = (struct json_step){0};
    for (; *cursor >= '0' && *cursor <= '9' && cursor - bracket < 9; ++cursor)
        step->index = step->index * 10 + (size_t)(*cursor - '0');
    if (cursor == bracket + 1 || *cursor != ']') return NULL;
    *bracket = '\0'; // terminates the key before it
    return cursor + 1;
}

// Split a path into steps, in place. @return 0 if it is not a path
static int split_path(char *text, struct json_path *path)
{
    char *cursor = text;

    path->count = 0;
    while (*cursor) {
        struct json_step step = {0};
        if (path->count == JSON_PATH_MAX) return 0;
        if (*cursor == '[') {
            if (path->count == 0 || !(cursor = split_index(cursor, &step))) return 0;
        } else {
            const int is_first = path->count == 0;
            if (!is_first && *cursor != '.') return 0;
            if (!is_first) *cursor++ = '\0';
            step.key = cursor;
            cursor += strcspn(cursor, ".[]");
            if (cursor == step.key || *cursor == ']') return 0;
        }
        path->steps[path->count++] = step;
    }
    return path->count > 0;
}

// A value that is not JSON is taken as a string, so that strings need no quotes on the command line.
static json_t *parse_value_text(const char *text)
{
    char message[8];
    size_t offset;

    if (json_syntax_check(text, strlen(text), &offset, message, sizeof message)) {
        json_error_t error = {0};
        json_t *value =
            json_loads(text, JSON_REJECT_DUPLICATES | JSON_DECODE_INT_AS_REAL | JSON_DECODE_ANY, &error);
        const enum json_error_code code = json_error_code(&error);
        if (value || (code != json_error_duplicate_key && code != json_error_numeric_overflow)) return value;
    }
    return json_string(text);
}

static int is_utf8(const char *text)
{
    size_t remaining = strlen(text);
    while (remaining > 0) {
        const int length = utf8_length(text, remaining);
        if (length == 0) return 0;
        text += length;
        remaining -= (size_t)length;
    }
    return 1;
}

// Is there a choice with a group of further keys at the first `count` steps of the path? Such a choice is
// either a string ("west": "wall") or an object ("west": {"kind": "inflow", "level": 1}).
static int is_group_choice(const json_t *root, const struct json_path *path, int count)
{
    struct key_entry entry;
    return key_set_at_path(root, path, count, &entry) && entry.param && entry.has_children;
}

const tarn_param *override_param(const json_t *root, const char *path)
{
    char *text = copy_string(path, strlen(path));
    struct json_path steps;
    struct key_entry entry;
    const int found = text && split_path(text, &steps) && key_set_at_path(root, &steps, steps.count, &entry);

    free(text);
    return found ? entry.param : NULL;
}

// Replace the string of such a choice by an object, so that further keys of the group can be set.
// @return NULL if memory is exhausted
static json_t *expand_group_choice(json_t *node, const char *key, json_t *choice)
{
    json_t *object = json_object();

    if (json_object_set(object, KIND_KEY, choice) == 0 && json_object_set(node, key, object) == 0) {
        json_decref(object); // `node` owns it
        return object;
    }
    json_decref(object);
    return NULL;
}

// Descend one step; missing objects are created. @return NULL with a diagnostic, or if memory is exhausted
static json_t *enter_child(struct parser *p, json_t *root, json_t *node, const struct override *override,
                           int i)
{
    const struct json_step *step = &override->path.steps[i];
    const char *label = override->label;

    if (step->key) {
        json_t *next = json_object_get(node, step->key);
        if (json_is_string(next) && is_group_choice(root, &override->path, i + 1))
            next = expand_group_choice(node, step->key, next);
        else if (!next && json_object_set_new(node, step->key, json_object()) == 0)
            next = json_object_get(node, step->key);
        if (!next) parser_set_result(p, TARN_NO_MEMORY);
        return next;
    }
    json_t *next = json_array_get(node, step->index);
    if (!next)
        diag_at_label(p, label, "no entry [%zu]; the array has %zu", step->index, json_array_size(node));
    return next;
}

// Is `node` of the type that step i needs? @return 0 with a diagnostic
static int can_enter(struct parser *p, const json_t *node, const struct override *override, int i)
{
    struct json_path prefix = override->path;
    char message[128];

    if (override->path.steps[i].key ? json_is_object(node) : json_is_array(node)) return 1;
    prefix.count = i;
    json_path_format(&prefix, message, sizeof message);
    diag_at_label(p, override->label, "'%s' is not %s", i ? message : "the scene",
                  override->path.steps[i].key ? "an object" : "an array");
    return 0;
}

// Set the last key of the path. A string for a choice with a group replaces the whole group, because the
// other choice has other keys. If an earlier --set has set a key of the group, only the choice is replaced,
// so that the order of options does not matter.
static tarn_result set_last_key(const struct parser *p, json_t *root, json_t *node, json_t *value,
                                const struct override *override)
{
    const char *key = override->path.steps[override->path.count - 1].key;
    json_t *old = json_object_get(node, key);
    int group_was_set = 0;

    for (int i = 0; override->from_cli && i < p->override_count; ++i)
        group_was_set |= p->overrides[i].path.count > override->path.count &&
                         json_path_has_prefix(&p->overrides[i].path, &override->path);
    if (group_was_set && json_is_object(old) && json_is_string(value) &&
        is_group_choice(root, &override->path, override->path.count))
        return json_object_set(old, KIND_KEY, value) == 0 ? TARN_OK : TARN_NO_MEMORY;
    return json_object_set(node, key, value) == 0 ? TARN_OK : TARN_NO_MEMORY;
}

static tarn_result set_value(struct parser *p, json_t *root, json_t *value, struct override *override)
{
    const int last_step = override->path.count - 1;
    json_t *node = root;

    for (int i = 0; i <= last_step; ++i) {
        const struct json_step *step = &override->path.steps[i];
        if (!can_enter(p, node, override, i)) return TARN_BAD_INPUT;
        if (i < last_step && !(node = enter_child(p, root, node, override, i))) return p->result;
        if (i < last_step) continue;
        if (step->key) return set_last_key(p, root, node, value, override);
        if (!enter_child(p, root, node, override, i)) return p->result;
        return json_array_set(node, step->index, value) == 0 ? TARN_OK : TARN_NO_MEMORY;
    }
    return TARN_OK;
}

tarn_result override_set(struct parser *p, json_t *root, const char *path, json_t *value,
                         struct override *out)
{
    tarn_result r = value ? TARN_OK : TARN_NO_MEMORY;
    const size_t length = strlen(path);
    const int from_cli = out->from_cli;

    *out = (struct override){
        .from_cli = from_cli, .path_text = copy_string(path, length), .label = malloc(length + 7)};
    if (!out->path_text || !out->label) r = TARN_NO_MEMORY;
    if (r == TARN_OK) {
        snprintf(out->label, length + 7, "%s%s", from_cli ? "--set " : "", path);
        if (!is_utf8(path) || !split_path(out->path_text, &out->path)) {
            diag_at_label(p, out->label, "expected a path such as fluid.depth or bodies[0].density");
            r = TARN_BAD_INPUT;
        }
    }
    if (r == TARN_OK) r = set_value(p, root, value, out);
    json_decref(value);
    if (r != TARN_OK) override_free(out);
    if (r != TARN_OK) parser_set_result(p, r);
    return r;
}

tarn_result override_parse(struct parser *p, json_t *root, const char *assignment, struct override *out)
{
    const char *equals = strchr(assignment, '=');
    char message[128];

    out->from_cli = 1;
    if (!equals || equals == assignment || !equals[1] || !is_utf8(equals + 1)) {
        snprintf(message, sizeof message, "--set %s", assignment);
        diag_at_label(p, message, "expected PATH=VALUE, for example fluid.depth=2");
        return TARN_BAD_INPUT;
    }
    char *path = copy_string(assignment, (size_t)(equals - assignment));
    if (!path) {
        parser_set_result(p, TARN_NO_MEMORY);
        return TARN_NO_MEMORY;
    }
    const tarn_result r = override_set(p, root, path, parse_value_text(equals + 1), out);
    free(path);
    return r;
}
