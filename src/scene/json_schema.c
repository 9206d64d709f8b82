// The JSON Schema (2020-12) of scene files, so that editors can complete and check them.
#include "scene_internal.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

// Set a key unless an earlier one failed; takes the value.
static void put(json_t *object, const char *key, json_t *value, int *fine)
{
    if (!*fine)
        json_decref(value);
    else if (json_object_set_new(object, key, value) != 0)
        *fine = 0;
}

static void add(json_t *array, json_t *value, int *fine)
{
    if (!*fine)
        json_decref(value);
    else if (json_array_append_new(array, value) != 0)
        *fine = 0;
}

static void put_range(json_t *object, const tarn_param *p, int *fine)
{
    if (isfinite(p->min)) put(object, "minimum", json_real(p->min), fine);
    if (isfinite(p->max)) put(object, "maximum", json_real(p->max), fine);
}

static json_t *described(const char *help, const char *unit, int *fine)
{
    char words[256];
    json_t *object = json_object();

    if (!object) *fine = 0;
    snprintf(words, sizeof words, unit[0] ? "%s [%s]" : "%s", help ? help : "", unit);
    put(object, "description", json_string(words), fine);
    return object;
}

// One or the other.
static json_t *either(json_t *object, json_t *one, json_t *other, int *fine)
{
    json_t *both = json_array();

    if (!both) *fine = 0;
    add(both, one, fine);
    add(both, other, fine);
    put(object, "anyOf", both, fine);
    return object;
}

// An array of numbers that lie in a parameter's range.
static void put_numbers(json_t *object, const tarn_param *p, int numbers, int *fine)
{
    const int whole = p->type == TARN_INT2 || p->type == TARN_INT3;
    json_t *items = json_object();

    put(object, "type", json_string("array"), fine);
    if (!items) *fine = 0;
    put(items, "type", json_string(whole ? "integer" : "number"), fine);
    put_range(items, p, fine);
    put(object, "items", items, fine);
    put(object, "minItems", json_integer(p->type == TARN_VEC3 ? 2 : numbers), fine); // of a plane: x and y
    put(object, "maxItems", json_integer(numbers), fine);
}

static void put_array(json_t *object, const tarn_param *p, int numbers, int *fine)
{
    json_t *initial;

    put_numbers(object, p, numbers, fine);
    if (p->flags & TARN_OPTIONAL) return;
    initial = json_array();
    if (!initial) *fine = 0;
    for (int i = 0; i < numbers; ++i) add(initial, json_real(p->initial[i]), fine);
    put(object, "default", initial, fine);
}

static void put_table(json_t *object, const tarn_param *p, int *fine)
{
    json_t *row = json_object();

    if (!row) *fine = 0;
    put_numbers(row, p, p->columns, fine);
    put(object, "type", json_string("array"), fine);
    put(object, "items", row, fine);
    put(object, "maxItems", json_integer(p->rows), fine);
}

static void put_level(json_t *properties, const struct level *level, int *fine);
static json_t *closed(json_t *object, json_t *properties, const char *required, int *fine);

// Four numbers, or an axis and an angle.
static json_t *turn_schema(const tarn_param *p, int *fine)
{
    const struct level level = turn_level(NULL);
    json_t *numbers = described("w, x, y, z", "", fine), *properties = json_object();

    if (!properties) *fine = 0;
    put_array(numbers, p, 4, fine);
    put_level(properties, &level, fine);
    json_t *object = closed(described("about an axis", "", fine), properties, NULL, fine);
    return either(described(p->help, "", fine), numbers, object, fine);
}

static json_t *param_schema(const tarn_param *p, int *fine)
{
    static const int numbers[] = {[TARN_VEC2] = 2, [TARN_VEC3] = 3, [TARN_INT2] = 2, [TARN_INT3] = 3};
    const char *unit = p->type == TARN_FILE ? "beneath the scene's folder or one of TARN_PATH" : p->unit;

    if (p->type == TARN_QUAT) return turn_schema(p, fine);
    json_t *object = described(p->help, unit, fine);
    if (numbers[p->type]) {
        put_array(object, p, numbers[p->type], fine);
    } else if (p->type == TARN_TABLE) {
        put_table(object, p, fine);
    } else if (p->type == TARN_CHOICE) {
        json_t *names = json_array();
        if (!names) *fine = 0;
        for (int i = 0; p->choices[i]; ++i) add(names, json_string(p->choices[i]), fine);
        put(object, "enum", names, fine);
        put(object, "default", json_string(p->choices[(int)p->initial[0]]), fine);
    } else if (p->type == TARN_TEXT || p->type == TARN_FILE) {
        const int bytes = p->type == TARN_FILE ? TARN_FILE_BYTES : TARN_NAME_BYTES;
        put(object, "type", json_string("string"), fine);
        put(object, "maxLength", json_integer(bytes - 1), fine);
    } else if (p->type == TARN_FLAG) {
        put(object, "type", json_string("boolean"), fine);
        put(object, "default", json_boolean(p->initial[0] != 0.0), fine);
    } else {
        put(object, "type", json_string(p->type == TARN_INTEGER ? "integer" : "number"), fine);
        put_range(object, p, fine);
        if (!(p->flags & TARN_OPTIONAL)) put(object, "default", json_real(p->initial[0]), fine);
    }
    return object;
}

// An object that holds these properties and no others; `required` may be NULL.
static json_t *closed(json_t *object, json_t *properties, const char *required, int *fine)
{
    put(object, "type", json_string("object"), fine);
    put(object, "properties", properties, fine);
    if (required) {
        json_t *keys = json_array();
        if (!keys) *fine = 0;
        add(keys, json_string(required), fine);
        put(object, "required", keys, fine);
    }
    put(object, "additionalProperties", json_false(), fine);
    return object;
}

static void put_level(json_t *properties, const struct level *level, int *fine)
{
    struct entry e = {0};

    while (*fine && level_next(level, &e)) {
        if (!e.group) {
            put(properties, e.name, param_schema(e.param, fine), fine);
            continue;
        }
        const struct level inside = level_inside(level, &e);
        json_t *group = json_object();
        if (!group) *fine = 0;
        if (e.param) put(group, HEAD_KEY, param_schema(e.param, fine), fine);
        put_level(group, &inside, fine);
        json_t *object = closed(described(e.name, "", fine), group, inside.kind_key, fine);
        if (e.param)
            object = either(described(e.param->help, "", fine), param_schema(e.param, fine), object, fine);
        put(properties, e.name, object, fine);
    }
}

static json_t *section_schema(const struct section *section, int *fine);

// A picture made of lines of text.
static json_t *lines_schema(int *fine)
{
    json_t *object =
        described("lines from the top, equally long: a space or a dot is open, all else is solid", "", fine);
    json_t *line = json_object();

    if (!line) *fine = 0;
    put(line, "type", json_string("string"), fine);
    put(object, "type", json_string("array"), fine);
    put(object, "items", line, fine);
    return object;
}

static json_t *kind_schema(const struct section *section, const tarn_kind *kind, int *fine)
{
    const struct level level = section_level(section, kind);
    const struct section *inner =
        kind && section->inner && strcmp(kind->name, section->inner_kind) == 0 ? section->inner : NULL;
    json_t *properties = json_object(), *name = json_object();

    if (!properties || !name) *fine = 0;
    if (kind) {
        put(name, "const", json_string(kind->name), fine);
        put(properties, section->kind_key, name, fine);
    } else {
        json_decref(name);
    }
    put_level(properties, &level, fine);
    if (level.lines) put(properties, level.lines, lines_schema(fine), fine);
    if (inner) put(properties, inner->key, section_schema(inner, fine), fine); // and then the kind follows
    return closed(described(kind ? kind->help : section->help, "", fine), properties,
                  inner ? inner->key : section->kind_key, fine);
}

static json_t *section_schema(const struct section *section, int *fine)
{
    json_t *one;

    if (section->room) {
        json_t *kinds = json_array();
        one = section->form == SECTION_ONE ? described(section->help, "", fine) : json_object();
        if (!kinds || !one) *fine = 0;
        for (int i = 0; *fine && section_kind_at(section, i); ++i)
            add(kinds, kind_schema(section, section_kind_at(section, i), fine), fine);
        put(one, "oneOf", kinds, fine);
    } else {
        one = kind_schema(section, NULL, fine);
    }
    if (section->form == SECTION_ONE) return one;
    json_t *list = section->form == SECTION_LIST ? described(section->help, "", fine) : json_object();
    if (!list) *fine = 0;
    put(list, "type", json_string("array"), fine);
    if (section->most) put(list, "maxItems", json_integer((json_int_t)section->most), fine);
    if (section->form == SECTION_EITHER) json_incref(one);
    put(list, "items", one, fine);
    return section->form == SECTION_LIST ? list : either(described(section->help, "", fine), one, list, fine);
}

// What stands at the top and in no list.
static json_t *plain_schema(const char *key, int *fine)
{
    json_t *object;

    if (strcmp(key, "version") == 0) {
        object = described("of the format", "", fine);
        put(object, "const", json_integer(1), fine);
        return object;
    }
    object = described(strcmp(key, "about") == 0 ? "a sentence or two" : "where this schema is", "", fine);
    put(object, "type", json_string("string"), fine);
    if (strcmp(key, "about") == 0)
        put(object, "maxLength", json_integer(sizeof((tarn_scene_facts *)NULL)->about - 1), fine);
    return object;
}

static json_t *root_schema(int *fine)
{
    const struct level level = scene_root_level(NULL, NULL);
    json_t *all = json_object(), *properties = json_object(), *object = json_object(),
           *required = json_array();
    struct keys keys = {0};
    const char *key;

    if (!all || !properties || !object || !required) *fine = 0;
    put_level(all, &level, fine);
    while (*fine && (key = keys_next(&keys))) {
        json_t *known = json_object_get(all, key);
        if (section_find(key))
            put(properties, key, section_schema(section_find(key), fine), fine);
        else
            put(properties, key, known ? json_incref(known) : plain_schema(key, fine), fine);
    }
    json_decref(all);
    add(required, json_string("version"), fine);
    add(required, json_string("fluid"), fine);
    put(object, "$schema", json_string("https://json-schema.org/draft/2020-12/schema"), fine);
    put(object, "title", json_string("tarn scene"), fine);
    put(object, "description", json_string("A scene of water and bodies; SI units, y is up."), fine);
    closed(object, properties, NULL, fine);
    put(object, "required", required, fine);
    return object;
}

char *tarn_scene_schema(void)
{
    struct text out = {0};
    int fine = 1;
    json_t *json = root_schema(&fine);

    if (fine) json_to_text(json, &out);
    json_decref(json);
    if (fine && !out.failed) return out.data;
    free(out.data);
    return NULL;
}
