// Writes the JSON Schema (draft 2020-12) of scene files, with which editors complete and check scenes.
#include "scene/json/json_text.h"
#include "scene/parse/scene_params.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

// Set a key unless an earlier call failed; takes the reference to the value.
static void set_key(json_t *object, const char *key, json_t *value, int *ok)
{
    if (!*ok)
        json_decref(value);
    else if (json_object_set_new(object, key, value) != 0)
        *ok = 0;
}

static void append(json_t *array, json_t *value, int *ok)
{
    if (!*ok)
        json_decref(value);
    else if (json_array_append_new(array, value) != 0)
        *ok = 0;
}

static void set_range(json_t *object, const tarn_param *p, int *ok)
{
    if (isfinite(p->min)) set_key(object, "minimum", json_real(p->min), ok);
    if (isfinite(p->max)) set_key(object, "maximum", json_real(p->max), ok);
}

static json_t *make_described(const char *help, const char *unit, int *ok)
{
    char description[256];
    json_t *object = json_object();

    if (!object) *ok = 0;
    snprintf(description, sizeof description, unit[0] ? "%s [%s]" : "%s", help ? help : "", unit);
    set_key(object, "description", json_string(description), ok);
    return object;
}

// Accept one of two schemas.
static json_t *set_any_of(json_t *object, json_t *first, json_t *second, int *ok)
{
    json_t *alternatives = json_array();

    if (!alternatives) *ok = 0;
    append(alternatives, first, ok);
    append(alternatives, second, ok);
    set_key(object, "anyOf", alternatives, ok);
    return object;
}

// An array of numbers in the range of a parameter.
static void set_number_array(json_t *object, const tarn_param *p, int numbers, int *ok)
{
    const int is_integer = p->type == TARN_PARAM_INT2 || p->type == TARN_PARAM_INT3;
    json_t *items = json_object();

    set_key(object, "type", json_string("array"), ok);
    if (!items) *ok = 0;
    set_key(items, "type", json_string(is_integer ? "integer" : "number"), ok);
    set_range(items, p, ok);
    set_key(object, "items", items, ok);
    // planar scenes may omit z
    set_key(object, "minItems", json_integer(p->type == TARN_PARAM_VEC3 ? 2 : numbers), ok);
    set_key(object, "maxItems", json_integer(numbers), ok);
}

static void set_vector(json_t *object, const tarn_param *p, int numbers, int *ok)
{
    json_t *initial;

    set_number_array(object, p, numbers, ok);
    if (p->flags & TARN_PARAM_NAN) return;
    initial = json_array();
    if (!initial) *ok = 0;
    for (int i = 0; i < numbers; ++i) append(initial, json_real(p->initial[i]), ok);
    set_key(object, "default", initial, ok);
}

static void set_table(json_t *object, const tarn_param *p, int *ok)
{
    json_t *row = json_object();

    if (!row) *ok = 0;
    set_number_array(row, p, p->columns, ok);
    set_key(object, "type", json_string("array"), ok);
    set_key(object, "items", row, ok);
    set_key(object, "maxItems", json_integer(p->rows), ok);
}

static void set_properties(json_t *properties, const struct key_set *keys, int *ok);
static json_t *make_object_schema(json_t *object, json_t *properties, const char *required, int *ok);

// A rotation is a quaternion or an object with axis and angle.
static json_t *rotation_schema(const tarn_param *p, int *ok)
{
    const struct key_set keys = axis_angle_keys(NULL);
    json_t *numbers = make_described("w, x, y, z", "", ok), *properties = json_object();

    if (!properties) *ok = 0;
    set_vector(numbers, p, 4, ok);
    set_properties(properties, &keys, ok);
    json_t *object = make_object_schema(make_described("about an axis", "", ok), properties, NULL, ok);
    return set_any_of(make_described(p->help, "", ok), numbers, object, ok);
}

static json_t *param_schema(const tarn_param *p, int *ok)
{
    static const int numbers[TARN_PARAM_BITS + 1] = {
        [TARN_PARAM_VEC2] = 2, [TARN_PARAM_VEC3] = 3, [TARN_PARAM_INT2] = 2, [TARN_PARAM_INT3] = 3};
    const char *unit =
        p->type == TARN_PARAM_FILE ? "beneath the scene's folder or one of TARN_PATH" : p->unit;

    if (p->type == TARN_PARAM_QUAT) return rotation_schema(p, ok);
    json_t *object = make_described(p->help, unit, ok);
    if (numbers[p->type]) {
        set_vector(object, p, numbers[p->type], ok);
    } else if (p->type == TARN_PARAM_TABLE) {
        set_table(object, p, ok);
    } else if (p->type == TARN_PARAM_CHOICE) {
        json_t *names = json_array();
        if (!names) *ok = 0;
        for (int i = 0; p->choices[i]; ++i) append(names, json_string(p->choices[i]), ok);
        set_key(object, "enum", names, ok);
        set_key(object, "default", json_string(p->choices[(int)p->initial[0]]), ok);
    } else if (p->type == TARN_PARAM_TEXT || p->type == TARN_PARAM_FILE) {
        const int bytes = p->type == TARN_PARAM_FILE ? TARN_FILE_BYTES : TARN_NAME_BYTES;
        set_key(object, "type", json_string("string"), ok);
        set_key(object, "maxLength", json_integer(bytes - 1), ok);
    } else if (p->type == TARN_PARAM_BITS) {
        set_key(object, "type", json_string("string"), ok);
        set_key(object, "pattern", json_string("^0x[0-9a-fA-F]{1,16}$"), ok);
        set_key(object, "default", json_string(p->initial[0] < 0.0 ? "0xffffffffffffffff" : "0x1"), ok);
    } else if (p->type == TARN_PARAM_FLAG) {
        set_key(object, "type", json_string("boolean"), ok);
        set_key(object, "default", json_boolean(p->initial[0] != 0.0), ok);
    } else {
        set_key(object, "type", json_string(p->type == TARN_PARAM_INTEGER ? "integer" : "number"), ok);
        set_range(object, p, ok);
        if (!(p->flags & TARN_PARAM_NAN)) set_key(object, "default", json_real(p->initial[0]), ok);
    }
    return object;
}

// An object with these properties and no others; `required` may be NULL.
static json_t *make_object_schema(json_t *object, json_t *properties, const char *required, int *ok)
{
    set_key(object, "type", json_string("object"), ok);
    set_key(object, "properties", properties, ok);
    if (required) {
        json_t *keys = json_array();
        if (!keys) *ok = 0;
        append(keys, json_string(required), ok);
        set_key(object, "required", keys, ok);
    }
    set_key(object, "additionalProperties", json_false(), ok);
    return object;
}

static void set_properties(json_t *properties, const struct key_set *keys, int *ok)
{
    struct key_entry entry = {0};

    while (*ok && key_set_next(keys, &entry)) {
        if (!entry.has_children) {
            set_key(properties, entry.name, param_schema(entry.param, ok), ok);
            continue;
        }
        const struct key_set group_keys = key_set_group(keys, &entry);
        json_t *group = json_object();
        if (!group) *ok = 0;
        if (entry.param) set_key(group, KIND_KEY, param_schema(entry.param, ok), ok);
        set_properties(group, &group_keys, ok);
        json_t *object =
            make_object_schema(make_described(entry.name, "", ok), group, group_keys.kind_key, ok);
        if (entry.param)
            object = set_any_of(make_described(entry.param->help, "", ok), param_schema(entry.param, ok),
                                object, ok);
        set_key(properties, entry.name, object, ok);
    }
}

static json_t *section_schema(const struct section *section, int *ok);

// A bitmap as rows of text.
static json_t *text_rows_schema(int *ok)
{
    json_t *object = make_described(
        "lines from the top, equally long: a space or a dot is open, all else is solid", "", ok);
    json_t *line = json_object();

    if (!line) *ok = 0;
    set_key(line, "type", json_string("string"), ok);
    set_key(object, "type", json_string("array"), ok);
    set_key(object, "items", line, ok);
    return object;
}

static json_t *kind_schema(const struct section *section, const tarn_kind *kind, int *ok)
{
    const struct key_set keys = section_keys(section, kind);
    const struct section *nested =
        kind && section->nested && strcmp(kind->name, section->nested_kind) == 0 ? section->nested : NULL;
    json_t *properties = json_object(), *name = json_object();

    if (!properties || !name) *ok = 0;
    if (kind) {
        set_key(name, "const", json_string(kind->name), ok);
        set_key(properties, section->kind_key, name, ok);
    } else {
        json_decref(name);
    }
    set_properties(properties, &keys, ok);
    if (keys.text_rows_key) set_key(properties, keys.text_rows_key, text_rows_schema(ok), ok);
    // this key implies the kind
    if (nested) set_key(properties, nested->key, section_schema(nested, ok), ok);
    return make_object_schema(make_described(kind ? kind->help : section->help, "", ok), properties,
                              nested ? nested->key : section->kind_key, ok);
}

static json_t *section_schema(const struct section *section, int *ok)
{
    json_t *item;

    if (section->category) {
        json_t *kinds = json_array();
        item = section->layout == SECTION_OBJECT ? make_described(section->help, "", ok) : json_object();
        if (!kinds || !item) *ok = 0;
        for (int i = 0; *ok && section_kind_at(section, i); ++i)
            append(kinds, kind_schema(section, section_kind_at(section, i), ok), ok);
        set_key(item, "oneOf", kinds, ok);
    } else {
        item = kind_schema(section, NULL, ok);
    }
    if (section->layout == SECTION_OBJECT) return item;
    json_t *array = section->layout == SECTION_ARRAY ? make_described(section->help, "", ok) : json_object();
    if (!array) *ok = 0;
    set_key(array, "type", json_string("array"), ok);
    if (section->max_items) set_key(array, "maxItems", json_integer((json_int_t)section->max_items), ok);
    if (section->layout == SECTION_OBJECT_OR_ARRAY) json_incref(item);
    set_key(array, "items", item, ok);
    return section->layout == SECTION_ARRAY
               ? array
               : set_any_of(make_described(section->help, "", ok), item, array, ok);
}

// Root keys that are neither parameters nor sections.
static json_t *metadata_schema(const char *key, int *ok)
{
    json_t *object;

    if (strcmp(key, "version") == 0) {
        object = make_described("version of the format", "", ok);
        set_key(object, "const", json_integer(SCENE_VERSION), ok);
        return object;
    }
    object = make_described(
        strcmp(key, "description") == 0 ? "description of the scene" : "location of this schema", "", ok);
    set_key(object, "type", json_string("string"), ok);
    if (strcmp(key, "description") == 0)
        set_key(object, "maxLength", json_integer(sizeof((tarn_scene_info *)NULL)->description - 1), ok);
    return object;
}

static json_t *root_schema(int *ok)
{
    const struct key_set keys = scene_root_keys(NULL, NULL);
    json_t *parameters = json_object(), *properties = json_object(), *object = json_object(),
           *required = json_array();
    struct root_keys order = {0};
    const char *key;

    if (!parameters || !properties || !object || !required) *ok = 0;
    set_properties(parameters, &keys, ok);
    while (*ok && (key = root_keys_next(&order))) {
        json_t *known = json_object_get(parameters, key);
        if (section_find(key))
            set_key(properties, key, section_schema(section_find(key), ok), ok);
        else
            set_key(properties, key, known ? json_incref(known) : metadata_schema(key, ok), ok);
    }
    json_decref(parameters);
    append(required, json_string("version"), ok);
    append(required, json_string("fluid"), ok);
    set_key(object, "$schema", json_string("https://json-schema.org/draft/2020-12/schema"), ok);
    set_key(object, "title", json_string("tarn scene"), ok);
    set_key(object, "description", json_string("A scene of water and bodies; SI units, y is up."), ok);
    make_object_schema(object, properties, NULL, ok);
    set_key(object, "required", required, ok);
    return object;
}

char *tarn_scene_schema(void)
{
    struct string_buffer out = {0};
    int ok = 1;
    json_t *json = root_schema(&ok);

    if (ok) json_format(json, &out);
    json_decref(json);
    if (ok && !out.failed) return out.data;
    free(out.data);
    return NULL;
}
