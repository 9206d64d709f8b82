// A scene back to text: canonical order, the shortest numbers, one line for what fits on one.
#include "scene_internal.h"

#include <stdlib.h>
#include <string.h>

#define LINE 100

static void add_json(const json_t *json, struct text *out, int indent);

static void add_string(const char *string, struct text *out)
{
    json_t *json = json_string(string);
    char *quoted = json ? json_dumps(json, JSON_ENCODE_ANY) : NULL;
    json_free_t release;

    json_decref(json);
    if (!quoted) {
        out->failed = 1;
        return;
    }
    text_add_word(out, quoted);
    json_get_alloc_funcs(NULL, &release);
    release(quoted);
}

// A new line, or on one line a space.
static void add_break(struct text *out, int indent, int inside)
{
    if (indent < 0 && !inside) return;
    text_add_word(out, indent < 0 ? " " : "\n");
    for (int i = 0; i < indent; ++i) text_add_word(out, "  ");
}

static void add_object(const json_t *json, struct text *out, int indent)
{
    const int deeper = indent < 0 ? -1 : indent + 1;
    const char *key;
    json_t *value;
    int first = 1;

    text_add_word(out, "{");
    json_object_foreach((json_t *)json, key, value)
    {
        if (!first) text_add_word(out, ",");
        add_break(out, deeper, !first);
        first = 0;
        add_string(key, out);
        text_add_word(out, ": ");
        add_json(value, out, deeper);
    }
    if (!first) add_break(out, indent, 0);
    text_add_word(out, "}");
}

static void add_array(const json_t *json, struct text *out, int indent)
{
    const int deeper = indent < 0 ? -1 : indent + 1;
    json_t *value;
    size_t i;

    text_add_word(out, "[");
    json_array_foreach(json, i, value)
    {
        if (i > 0) text_add_word(out, ",");
        add_break(out, deeper, i > 0);
        add_json(value, out, deeper);
    }
    if (i > 0) add_break(out, indent, 0);
    text_add_word(out, "]");
}

// Try a whole object or array on the rest of this line. @return 0 if it is too long
static int add_on_line(const json_t *json, struct text *out)
{
    size_t start = out->size;

    while (start > 0 && out->data[start - 1] != '\n') start--;
    const size_t size = out->size;
    if (json_is_object(json))
        add_object(json, out, -1);
    else
        add_array(json, out, -1);
    if (out->failed || out->size - start <= LINE) return 1;
    out->size = size;
    out->data[size] = '\0';
    return 0;
}

// indent -1: all on one line
static void add_json(const json_t *json, struct text *out, int indent)
{
    char number[32];

    if (out->failed) return;
    if (json_is_object(json) || json_is_array(json)) {
        // The outermost levels read better one key a line.
        if (indent > 0 && add_on_line(json, out)) return;
        if (json_is_object(json))
            add_object(json, out, indent);
        else
            add_array(json, out, indent);
    } else if (json_is_string(json)) {
        add_string(json_string_value(json), out);
    } else if (json_is_number(json)) {
        number_text(json_number_value(json), number);
        text_add_word(out, number);
    } else {
        text_add_word(out, json_is_true(json) ? "true" : json_is_false(json) ? "false" : "null");
    }
}

void json_to_text(const json_t *json, struct text *out)
{
    add_json(json, out, 0);
    text_add_word(out, "\n");
}

// ---- canonical order ------------------------------------------------------------------------------

static int copy_key(const json_t *from, const char *key, json_t *to)
{
    json_t *value = json_object_get(from, key);
    return !value || json_object_set(to, key, value) == 0;
}

// A rotation about an axis as [w, x, y, z]; it was checked. The numbers are those that were made unit length when
// it was read, so they become the same ones again.
static json_t *turn_json(json_t *object)
{
    struct pass p;
    tarn_value value;

    pass_begin(&p, NULL, NULL);
    return turn_read(&p, object, &value) ? numbers_json(value.number, 4) : NULL;
}

static json_t *ordered_section(const json_t *json, const struct section *section);

// The same object with its keys in the order of the lists. @return NULL without memory
static json_t *ordered(const json_t *object, const struct level *level)
{
    json_t *result = json_object();
    struct entry e = {0};
    int fine = result && (!level->kind_key || copy_key(object, level->kind_key, result));

    while (fine && level_next(level, &e)) {
        json_t *value = json_object_get(object, e.name);
        if (json_is_object(value) && e.param && e.param->type == TARN_QUAT) {
            fine = json_object_set_new(result, e.name, turn_json(value)) == 0;
        } else if (json_is_object(value)) {
            const struct level inside = level_inside(level, &e);
            fine = json_object_set_new(result, e.name, ordered(value, &inside)) == 0;
        } else {
            fine = copy_key(object, e.name, result);
        }
    }
    if (fine && level->lines) fine = copy_key(object, level->lines, result);
    json_t *list = level->inner ? json_object_get(object, level->inner->key) : NULL;
    if (fine && list)
        fine = json_object_set_new(result, level->inner->key, ordered_section(list, level->inner)) == 0;
    if (fine) return result;
    json_decref(result);
    return NULL;
}

static json_t *ordered_thing(const json_t *object, const struct section *section)
{
    const struct level level = section_level(section, section_kind(section, object));
    return ordered(object, &level);
}

static json_t *ordered_section(const json_t *json, const struct section *section)
{
    if (json_is_object(json)) return ordered_thing(json, section);
    json_t *result = json_array(), *one;
    size_t i;
    json_array_foreach(json, i, one)
    {
        if (json_array_append_new(result, ordered_thing(one, section)) == 0) continue;
        json_decref(result);
        return NULL;
    }
    return result;
}

static json_t *ordered_scene(const json_t *root)
{
    const struct level level = scene_root_level(NULL, NULL);
    json_t *result = json_object();
    struct keys keys = {0};
    const char *key;
    int fine = result != NULL;

    while (fine && (key = keys_next(&keys))) {
        json_t *value = json_object_get(root, key);
        struct entry e;
        if (!value) continue;
        if (section_find(key)) {
            fine = json_object_set_new(result, key, ordered_section(value, section_find(key))) == 0;
        } else if (level_find(&level, key, &e) && !e.param) {
            const struct level inside = level_inside(&level, &e);
            fine = json_object_set_new(result, key, ordered(value, &inside)) == 0;
        } else {
            fine = copy_key(root, key, result);
        }
    }
    if (fine) return result;
    json_decref(result);
    return NULL;
}

char *tarn_scene_write(const tarn_scene *scene)
{
    struct text out = {0};
    json_t *json = scene ? ordered_scene(scene->root) : NULL;

    if (!json) return NULL;
    json_to_text(json, &out);
    json_decref(json);
    if (!out.failed) return out.data;
    free(out.data);
    return NULL;
}
