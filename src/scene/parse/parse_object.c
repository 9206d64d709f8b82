// Parses an object key by key into the structs of its parameter lists. Keys and values are checked against
// the lists, so nothing here depends on a particular kind of fluid, shape or emitter.
#include "parse.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

// ---- unknown keys -----------------------------------------------------------------------------------

// Suggest keys that are valid elsewhere: in a group of this object, at the root, in "run" or in "fluid".
static void suggest_from_other_objects(struct suggestion *suggestion, const struct key_set *keys, int is_root)
{
    const struct key_set root = scene_root_keys(NULL, NULL);
    char text[128];

    for (int s = 0; s < MAX_BINDINGS; ++s) {
        const struct param_binding *binding = &keys->bindings[s];
        const size_t prefix_length = binding->name_prefix ? strlen(binding->name_prefix) : 0;
        for (int i = 0; binding->kind && i < binding->kind->param_count; ++i) {
            const char *name = binding->kind->params[i].name;
            if (strncmp(name, binding->name_prefix, prefix_length) == 0)
                suggest_try_exact(suggestion, name + prefix_length, name + prefix_length, "");
        }
        const tarn_kind *kind = root.bindings[s].kind;
        for (int i = 0; kind && i < kind->param_count; ++i) {
            const char *name = kind->params[i].name;
            suggest_try_exact(suggestion, name, name, strchr(name, '.') ? "" : " at the top level");
        }
    }
    for (int k = 0; is_root && tarn_kind_at("fluid", k); ++k) {
        const tarn_kind *kind = tarn_kind_at("fluid", k);
        for (int i = 0; i < kind->param_count; ++i) {
            snprintf(text, sizeof text, "fluid.%.100s", kind->params[i].name);
            suggest_try_exact(suggestion, kind->params[i].name, text, "");
        }
    }
}

void diag_unknown_key(struct parser *p, const struct key_set *keys, const char *key, int is_root)
{
    struct suggestion suggestion = {.input = key, .suffix = ""};
    struct key_entry entry = {0};
    struct root_keys order = {0};
    const char *name;
    char known[190] = "";

    while (is_root && (name = root_keys_next(&order))) {
        suggest_try(&suggestion, name, name);
        list_append(known, sizeof known, name);
    }
    if (keys->kind_key) {
        suggest_try(&suggestion, keys->kind_key, keys->kind_key);
        list_append(known, sizeof known, keys->kind_key);
    }
    while (!is_root && key_set_next(keys, &entry)) {
        suggest_try(&suggestion, entry.name, entry.name);
        list_append(known, sizeof known, entry.name);
    }
    if (keys->nested) suggest_try(&suggestion, keys->nested->key, keys->nested->key);
    if (keys->text_rows_key) suggest_try(&suggestion, keys->text_rows_key, keys->text_rows_key);
    suggest_from_other_objects(&suggestion, keys, is_root || keys->bindings[0].kind == &scene_settings_kind);
    const char *dot = strchr(key, '.');
    if (dot) // --set and diagnostics write groups with a dot
        diag_at_path(p, DIAG_KEY, "unknown key; groups are nested objects: \"%.*s\": {\"%.60s\": ...}",
                     dot - key < 60 ? (int)(dot - key) : 60, key, dot + 1);
    else if (suggestion.cost)
        diag_at_path(p, DIAG_KEY, "unknown key; did you mean '%s'%s?", suggestion.best, suggestion.suffix);
    else
        diag_at_path(p, DIAG_KEY, "unknown key; expected one of: %s", known);
}

// ---- values -----------------------------------------------------------------------------------------

// Parse the group of an entry. If the entry is also a choice, the object names it with the key "kind".
static void parse_group(struct parser *p, const struct key_set *keys, const struct key_entry *entry,
                        json_t *json)
{
    const struct key_set group_keys = key_set_group(keys, entry);
    struct key_entry choice = *entry;
    json_t *kind = json_object_get(json, KIND_KEY);
    char known[120] = "";

    if (!json_is_object(json)) {
        diag_wrong_type(p, entry->param ? "a string or an object" : "an object", json);
        return;
    }
    choice.has_children = 0;
    if (entry->param && !kind) {
        for (int i = 0; entry->param->choices[i]; ++i)
            list_append(known, sizeof known, entry->param->choices[i]);
        diag_at_path(p, DIAG_VALUE, "\"" KIND_KEY "\" is missing; expected one of: %s", known);
    } else if (entry->param && parser_push(p, KIND_KEY, 0)) {
        parse_value(p, keys, &choice, kind);
        parser_pop(p);
    }
    parse_object(p, &group_keys, json);
}

struct table_rows {
    struct table_rows *next;
    double rows[];
};

// Space for a table that a struct borrows. @return NULL if memory is exhausted
static double *alloc_table_rows(struct parser *p, const tarn_param *param)
{
    const size_t numbers = (size_t)param->rows * (size_t)param->columns;
    struct table_rows *table = malloc(sizeof *table + numbers * sizeof(double));

    if (!table) {
        parser_set_result(p, TARN_NO_MEMORY);
        return NULL;
    }
    table->next = p->tables;
    p->tables = table;
    return table->rows;
}

void parser_free_tables(struct parser *p)
{
    while (p->tables) {
        struct table_rows *table = p->tables;
        p->tables = table->next;
        free(table);
    }
}

enum { MAX_COPIED_NUMBERS = 256 }; // in a table that is a member of a struct

void parse_value(struct parser *p, const struct key_set *keys, const struct key_entry *entry, json_t *json)
{
    const tarn_param *param = entry->param;
    tarn_error err = {0};
    double copied_rows[MAX_COPIED_NUMBERS];

    if (entry->has_children && !(param && json_is_string(json))) {
        parse_group(p, keys, entry, json);
        return;
    }
    tarn_value value = {.type = param->type};
    double *rows = param->count_offset ? alloc_table_rows(p, param) : copied_rows;
    if (!rows) return;
    const int ok = param->type == TARN_PARAM_QUAT && json_is_object(json)
                       ? parse_axis_angle(p, json, &value)
                       : parse_param_value(p, param, json, rows, &value);
    if (!ok || !entry->binding->data) return;
    if (tarn_kind_set(entry->binding->kind, entry->binding->data, param->name, &value, &err) != TARN_OK)
        diag_at_path(p, DIAG_VALUE, "%s", err.message);
}

int parse_axis_angle(struct parser *p, json_t *object, tarn_value *out)
{
    struct axis_angle axis_angle;
    const struct key_set keys = axis_angle_keys(&axis_angle);

    parse_object(p, &keys, object);
    *out =
        tarn_value_axis_angle(axis_angle.axis[0], axis_angle.axis[1], axis_angle.axis[2], axis_angle.degrees);
    if (axis_angle.axis[0] != 0.0 || axis_angle.axis[1] != 0.0 || axis_angle.axis[2] != 0.0) return 1;
    if (parser_push(p, "axis", 0)) {
        diag_at_path(p, DIAG_VALUE, "the axis must not be zero; up is [0, 1, 0]");
        parser_pop(p);
    }
    return 0;
}

// ---- objects ----------------------------------------------------------------------------------------

// @return the kind that an object names, NULL with a diagnostic
static const tarn_kind *parse_kind(struct parser *p, const struct section *section, const json_t *object)
{
    const json_t *json = json_object_get(object, section->kind_key);
    const char *name = json_is_string(json) ? json_string_value(json) : "";
    const tarn_kind *kind = section_kind(section, object);
    struct suggestion suggestion = {.input = name};
    char known[160] = "";

    if (kind) return kind;
    for (int i = 0; (kind = section_kind_at(section, i)); ++i) {
        suggest_try(&suggestion, kind->name, kind->name);
        list_append(known, sizeof known, kind->name);
    }
    if (!json) {
        diag_at_path(p, DIAG_VALUE, "\"%s\" is missing; expected one of: %s", section->kind_key, known);
        return NULL;
    }
    if (!parser_push(p, section->kind_key, 0)) return NULL;
    if (!json_is_string(json))
        diag_wrong_type(p, "a string", json);
    else if (suggestion.cost)
        diag_at_path(p, DIAG_VALUE, "unknown %s '%.60s'; did you mean '%s'?", section->noun, name,
                     suggestion.best);
    else
        diag_at_path(p, DIAG_VALUE, "unknown %s '%.60s'; expected one of: %s", section->noun, name, known);
    parser_pop(p);
    return NULL;
}

int object_keys(struct parser *p, const struct section *section, json_t *json, tarn_spec *spec,
                struct key_set *out)
{
    if (!json_is_object(json)) {
        diag_wrong_type(p, "an object", json);
        return 0;
    }
    const tarn_kind *kind = section->category ? parse_kind(p, section, json) : NULL;
    *out = section_keys(section, kind);
    if (kind) tarn_spec_init(spec, section->category, kind->name, NULL);
    if (kind) out->bindings[0].data = spec->data;
    out->unknown_kind = section->category && !kind;
    return 1;
}

void parse_object(struct parser *p, const struct key_set *keys, json_t *object)
{
    const char *key;
    json_t *json;
    struct key_entry entry;

    json_object_foreach(object, key, json)
    {
        if (p->too_many || !parser_push(p, key, 0)) return;
        if (key_set_find(keys, key, &entry))
            parse_value(p, keys, &entry, json);
        else if (keys->nested && strcmp(key, keys->nested->key) == 0)
            parse_parts(p, keys, json);
        else if (keys->text_rows_key && strcmp(key, keys->text_rows_key) == 0)
            parse_text_rows(p, json, keys->bitmap);
        else if (!keys->unknown_kind && !(keys->kind_key && strcmp(key, keys->kind_key) == 0))
            diag_unknown_key(p, keys, key, 0);
        parser_pop(p);
    }
}
