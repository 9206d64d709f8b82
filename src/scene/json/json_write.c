// Writes a scene as JSON text: canonical key order, shortest round-trip numbers, one line for what fits on
// one.
#include "scene/scene_internal.h"

#include <stdlib.h>
#include <string.h>

#define LINE_WIDTH 100

static void write_json(const json_t *json, struct string_buffer *out, int indent);

static void write_string(const char *string, struct string_buffer *out)
{
    json_t *json = json_string(string);
    char *quoted = json ? json_dumps(json, JSON_ENCODE_ANY) : NULL;
    json_free_t free_fn;

    json_decref(json);
    if (!quoted) {
        out->failed = 1;
        return;
    }
    buffer_append_string(out, quoted);
    json_get_alloc_funcs(NULL, &free_fn);
    free_fn(quoted);
}

// Start a new line; in one-line mode (indent -1) add a space after a separator.
static void write_break(struct string_buffer *out, int indent, int is_separator)
{
    if (indent < 0 && !is_separator) return;
    buffer_append_string(out, indent < 0 ? " " : "\n");
    for (int i = 0; i < indent; ++i) buffer_append_string(out, "  ");
}

static void write_object(const json_t *json, struct string_buffer *out, int indent)
{
    const int inner_indent = indent < 0 ? -1 : indent + 1;
    const char *key;
    json_t *value;
    int first = 1;

    buffer_append_string(out, "{");
    json_object_foreach((json_t *)json, key, value)
    {
        if (!first) buffer_append_string(out, ",");
        write_break(out, inner_indent, !first);
        first = 0;
        write_string(key, out);
        buffer_append_string(out, ": ");
        write_json(value, out, inner_indent);
    }
    if (!first) write_break(out, indent, 0);
    buffer_append_string(out, "}");
}

static void write_array(const json_t *json, struct string_buffer *out, int indent)
{
    const int inner_indent = indent < 0 ? -1 : indent + 1;
    json_t *value;
    size_t i;

    buffer_append_string(out, "[");
    json_array_foreach(json, i, value)
    {
        if (i > 0) buffer_append_string(out, ",");
        write_break(out, inner_indent, i > 0);
        write_json(value, out, inner_indent);
    }
    if (i > 0) write_break(out, indent, 0);
    buffer_append_string(out, "]");
}

// Write an object or array on the rest of the current line. @return 0, with nothing written, if it is too
// long
static int write_on_line(const json_t *json, struct string_buffer *out)
{
    size_t line_start = out->size;

    while (line_start > 0 && out->data[line_start - 1] != '\n') line_start--;
    const size_t size = out->size;
    if (json_is_object(json))
        write_object(json, out, -1);
    else
        write_array(json, out, -1);
    if (out->failed || out->size - line_start <= LINE_WIDTH) return 1;
    out->size = size;
    out->data[size] = '\0';
    return 0;
}

// indent -1: everything on one line
static void write_json(const json_t *json, struct string_buffer *out, int indent)
{
    char number[32];

    if (out->failed) return;
    if (json_is_object(json) || json_is_array(json)) {
        // The outermost level always has one key per line.
        if (indent > 0 && write_on_line(json, out)) return;
        if (json_is_object(json))
            write_object(json, out, indent);
        else
            write_array(json, out, indent);
    } else if (json_is_string(json)) {
        write_string(json_string_value(json), out);
    } else if (json_is_number(json)) {
        format_number(json_number_value(json), number);
        buffer_append_string(out, number);
    } else {
        buffer_append_string(out, json_is_true(json) ? "true" : json_is_false(json) ? "false" : "null");
    }
}

void json_format(const json_t *json, struct string_buffer *out)
{
    write_json(json, out, 0);
    buffer_append_string(out, "\n");
}

// ---- canonical key order ----------------------------------------------------------------------------

static int copy_key(const json_t *from, const char *key, json_t *to)
{
    json_t *value = json_object_get(from, key);
    return !value || json_object_set(to, key, value) == 0;
}

// A valid axis-angle rotation as quaternion [w, x, y, z]. The numbers equal those of the parsed scene, so
// that writing and reading it again gives the same rotation bit for bit.
static json_t *json_from_axis_angle(json_t *object)
{
    struct parser p;
    tarn_value value;

    parser_init(&p, NULL, NULL);
    return parse_axis_angle(&p, object, &value) ? json_from_numbers(value.number, 4) : NULL;
}

static json_t *sort_section(const json_t *json, const struct section *section);

// The same object with its keys in the order of the parameter lists. @return NULL if memory is exhausted
static json_t *sort_object(const json_t *object, const struct key_set *keys)
{
    json_t *result = json_object();
    struct key_entry entry = {0};
    int ok = result && (!keys->kind_key || copy_key(object, keys->kind_key, result));

    while (ok && key_set_next(keys, &entry)) {
        json_t *value = json_object_get(object, entry.name);
        if (json_is_object(value) && entry.param && entry.param->type == TARN_PARAM_QUAT) {
            ok = json_object_set_new(result, entry.name, json_from_axis_angle(value)) == 0;
        } else if (json_is_object(value)) {
            const struct key_set group_keys = key_set_group(keys, &entry);
            ok = json_object_set_new(result, entry.name, sort_object(value, &group_keys)) == 0;
        } else {
            ok = copy_key(object, entry.name, result);
        }
    }
    if (ok && keys->text_rows_key) ok = copy_key(object, keys->text_rows_key, result);
    json_t *array = keys->nested ? json_object_get(object, keys->nested->key) : NULL;
    if (ok && array)
        ok = json_object_set_new(result, keys->nested->key, sort_section(array, keys->nested)) == 0;
    if (ok) return result;
    json_decref(result);
    return NULL;
}

static json_t *sort_section_object(const json_t *object, const struct section *section)
{
    const struct key_set keys = section_keys(section, section_kind(section, object));
    return sort_object(object, &keys);
}

static json_t *sort_section(const json_t *json, const struct section *section)
{
    if (json_is_object(json)) return sort_section_object(json, section);
    json_t *result = json_array(), *item;
    size_t i;
    json_array_foreach(json, i, item)
    {
        if (json_array_append_new(result, sort_section_object(item, section)) == 0) continue;
        json_decref(result);
        return NULL;
    }
    return result;
}

static json_t *sort_scene(const json_t *root)
{
    const struct key_set root_keys = scene_root_keys(NULL, NULL);
    json_t *result = json_object();
    struct root_keys order = {0};
    const char *key;
    int ok = result != NULL;

    while (ok && (key = root_keys_next(&order))) {
        json_t *value = json_object_get(root, key);
        struct key_entry entry;
        if (!value) continue;
        if (section_find(key)) {
            ok = json_object_set_new(result, key, sort_section(value, section_find(key))) == 0;
        } else if (key_set_find(&root_keys, key, &entry) && !entry.param) {
            const struct key_set group_keys = key_set_group(&root_keys, &entry);
            ok = json_object_set_new(result, key, sort_object(value, &group_keys)) == 0;
        } else {
            ok = copy_key(root, key, result);
        }
    }
    if (ok) return result;
    json_decref(result);
    return NULL;
}

char *tarn_scene_write(const tarn_scene *scene)
{
    struct string_buffer out = {0};
    json_t *json = scene ? sort_scene(scene->root) : NULL;

    if (!json) return NULL;
    json_format(json, &out);
    json_decref(json);
    if (!out.failed) return out.data;
    free(out.data);
    return NULL;
}
