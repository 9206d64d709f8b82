// Parses a JSON tree into typed structs by means of parameter lists. This file knows sections and parameter
// types, but no particular kind of fluid, shape or emitter.
#include "scene_internal.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static void parse_keys(struct parser *p, const struct key_set *keys, json_t *object);

static void parse_value(struct parser *p, const struct key_entry *entry, json_t *json)
{
    const tarn_param *param = entry->param;
    tarn_value value = {.type = param->type};
    tarn_error err = {0};
    double rows[TARN_SPEC_BYTES / sizeof(double)]; // larger than the table of any kind
    const int ok = param->type == TARN_QUAT && json_is_object(json)
                       ? parse_axis_angle(p, json, &value)
                       : parse_param_value(p, param, json, rows, &value);
    if (!ok || !entry->binding->data) return;
    if (tarn_kind_set(entry->binding->kind, entry->binding->data, param->name, &value, &err) != TARN_OK)
        diag_at_path(p, DIAG_VALUE, "%s", err.text);
}

int parse_axis_angle(struct parser *p, json_t *object, tarn_value *out)
{
    struct axis_angle axis_angle;
    const struct key_set keys = axis_angle_keys(&axis_angle);

    parse_keys(p, &keys, object);
    *out =
        tarn_rotation_about(axis_angle.axis[0], axis_angle.axis[1], axis_angle.axis[2], axis_angle.degrees);
    if (axis_angle.axis[0] != 0.0 || axis_angle.axis[1] != 0.0 || axis_angle.axis[2] != 0.0) return 1;
    if (parser_push(p, "axis", 0)) {
        diag_at_path(p, DIAG_VALUE, "an axis must not be all zero; up is [0, 1, 0]");
        parser_pop(p);
    }
    return 0;
}

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
            suggest_try_exact(suggestion, name, name, strchr(name, '.') ? "" : " at the top");
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

static void diag_unknown_key(struct parser *p, const struct key_set *keys, const char *key, int is_root)
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
        diag_at_path(p, DIAG_KEY, "unknown key; a group is an object: \"%.*s\": {\"%.60s\": ...}",
                     dot - key < 60 ? (int)(dot - key) : 60, key, dot + 1);
    else if (suggestion.cost)
        diag_at_path(p, DIAG_KEY, "unknown key; did you mean '%s'%s?", suggestion.best, suggestion.suffix);
    else
        diag_at_path(p, DIAG_KEY, "unknown key; known here: %s", known);
}

// Parse the choice of a group, given as key "kind" of the group's object.
static void parse_group_choice(struct parser *p, const struct key_entry *entry, const json_t *object)
{
    json_t *json = json_object_get(object, KIND_KEY);
    char known[120] = "";

    if (!json) {
        for (int i = 0; entry->param->choices[i]; ++i)
            list_append(known, sizeof known, entry->param->choices[i]);
        diag_at_path(p, DIAG_VALUE, "\"" KIND_KEY "\" is missing; known: %s", known);
    } else if (parser_push(p, KIND_KEY, 0)) {
        parse_value(p, entry, json);
        parser_pop(p);
    }
}

static void parse_entry(struct parser *p, const struct key_entry *entry, const struct key_set *keys,
                        json_t *json)
{
    if (entry->param && (!entry->has_children || json_is_string(json))) {
        parse_value(p, entry, json);
    } else if (!json_is_object(json)) {
        diag_wrong_type(p, entry->param ? "a string or an object" : "an object", json);
    } else {
        const struct key_set group_keys = key_set_group(keys, entry);
        if (entry->param) parse_group_choice(p, entry, json);
        parse_keys(p, &group_keys, json);
    }
}

static void parse_array(struct parser *p, struct tarn_scene *scene, const struct section *section,
                        json_t *json);

// Parse an array inside an object; only one kind of object has it.
static void parse_nested_array(struct parser *p, const struct key_set *keys, json_t *json)
{
    const tarn_kind *kind = keys->bindings[0].kind;

    if (kind && strcmp(kind->name, keys->nested->nested_kind) != 0)
        diag_at_path(p, DIAG_KEY, "only a %s has %s; it needs no \"%s\"", keys->nested->nested_kind,
                     keys->nested->key, keys->kind_key);
    else
        parse_array(p, NULL, keys->nested, json);
}

static void parse_keys(struct parser *p, const struct key_set *keys, json_t *object)
{
    const char *key;
    json_t *json;
    struct key_entry entry;

    json_object_foreach(object, key, json)
    {
        if (p->too_many || !parser_push(p, key, 0)) return;
        if (key_set_find(keys, key, &entry))
            parse_entry(p, &entry, keys, json);
        else if (keys->nested && strcmp(key, keys->nested->key) == 0)
            parse_nested_array(p, keys, json);
        else if (keys->text_rows_key && strcmp(key, keys->text_rows_key) == 0)
            check_text_rows(p, json, TARN_MAP_SIDE);
        else if (!keys->unknown_kind && !(keys->kind_key && strcmp(key, keys->kind_key) == 0))
            diag_unknown_key(p, keys, key, 0);
        parser_pop(p);
    }
}

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
        diag_at_path(p, DIAG_VALUE, "\"%s\" is missing; known: %s", section->kind_key, known);
        return NULL;
    }
    if (!parser_push(p, section->kind_key, 0)) return NULL;
    if (!json_is_string(json))
        diag_wrong_type(p, "a string", json);
    else if (suggestion.cost)
        diag_at_path(p, DIAG_VALUE, "there is no %s '%.60s'; did you mean '%s'?", section->noun, name,
                     suggestion.best);
    else
        diag_at_path(p, DIAG_VALUE, "there is no %s '%.60s'; known: %s", section->noun, name, known);
    parser_pop(p);
    return NULL;
}

// Parse an object of a section into a spec, the struct common to all its kinds and the scene's own struct.
static void parse_kind_and_keys(struct parser *p, const struct section *section, json_t *json,
                                tarn_spec *spec, void *common_data, void *scene_data)
{
    if (!json_is_object(json)) {
        diag_wrong_type(p, "an object", json);
        return;
    }
    const tarn_kind *kind = section->category ? parse_kind(p, section, json) : NULL;
    struct key_set keys = section_keys(section, kind);
    if (kind) tarn_spec_init(spec, section->category, kind->name, NULL);
    keys.bindings[0].data = spec->data;
    keys.bindings[1].data = common_data;
    keys.bindings[2].data = scene_data;
    keys.unknown_kind = section->category && !kind;
    parse_keys(p, &keys, json);
    const struct section *nested = section->nested;
    if (kind && nested && strcmp(kind->name, section->nested_kind) == 0 &&
        !json_object_get(json, nested->key))
        diag_at_path(p, DIAG_VALUE, "\"%s\" is missing", nested->key);
}

void parse_object(struct parser *p, const struct section *section, json_t *json, struct parsed_object *item)
{
    const int is_part = section->common_kind && strcmp(section->common_kind, "part") == 0;
    const int is_placement = section->common_kind && strcmp(section->common_kind, "placement") == 0;
    void *common_data = is_part        ? (void *)&item->part
                        : is_placement ? (void *)&item->obstacle
                                       : (void *)&item->body;

    memset(item, 0, sizeof *item);
    tarn_kind_defaults(section_common_kind(section), common_data);
    tarn_kind_defaults(section->scene_kind, &item->scene_data);
    parse_kind_and_keys(p, section, json, &item->spec, common_data, &item->scene_data);
    item->body.shape = item->part.shape = item->obstacle.shape = item->spec;
}

static void store_gauge(struct parser *p, struct tarn_scene *scene, const tarn_gauge *gauge, size_t total)
{
    if (!scene->gauges && !(scene->gauges = calloc(total, sizeof *gauge))) {
        parser_set_result(p, TARN_NO_MEMORY);
        return;
    }
    scene->gauges[scene->gauge_count++] = *gauge;
}

// Count the copies of all entries and report once if there are too many.
static void count_bodies(struct parser *p, struct tarn_scene *scene, const struct body_array *array)
{
    if (scene->body_count > SCENE_MAX_BODIES) return;
    scene->body_count += (int64_t)array->count[0] * array->count[1] * array->count[2];
    if (scene->body_count <= SCENE_MAX_BODIES || !parser_push(p, "copies", 0)) return;
    diag_at_path(p, DIAG_VALUE, "this makes %lld bodies in all; a scene may have %d",
                 (long long)scene->body_count, SCENE_MAX_BODIES);
    parser_pop(p);
}

// Parse one of `total` objects. Beds and gauges are kept; other objects are parsed again when the world is
// built.
static void parse_array_item(struct parser *p, struct tarn_scene *scene, const struct section *section,
                             json_t *json, size_t total)
{
    struct parsed_object item;

    parse_object(p, section, json, &item);
    if (!scene) return;
    if (section->scene_kind == &gauge_kind) store_gauge(p, scene, &item.scene_data.gauge, total);
    if (section->scene_kind == &body_array_kind) count_bodies(p, scene, &item.scene_data.array);
    if (strcmp(section->key, "bed") == 0) scene->def.bed[scene->def.bed_count++] = item.spec;
}

static void parse_array(struct parser *p, struct tarn_scene *scene, const struct section *section,
                        json_t *json)
{
    json_t *item;
    size_t i;

    if (!json_is_array(json)) {
        diag_wrong_type(p, section->layout == SECTION_OBJECT_OR_ARRAY ? "an object or an array" : "an array",
                        json);
        return;
    }
    if (section->max_items && json_array_size(json) > section->max_items) {
        diag_at_path(p, DIAG_VALUE, "%zu parts are too many; there may be %zu", json_array_size(json),
                     section->max_items);
        return;
    }
    json_array_foreach(json, i, item)
    {
        if (p->too_many || p->result == TARN_NO_MEMORY || !parser_push(p, NULL, i)) return;
        parse_array_item(p, scene, section, item, json_array_size(json));
        parser_pop(p);
    }
}

static void parse_section(struct parser *p, struct tarn_scene *scene, const struct section *section,
                          json_t *json)
{
    if (section->layout == SECTION_OBJECT)
        parse_kind_and_keys(p, section, json, &scene->def.fluid, &scene->def, NULL);
    else if (section->layout == SECTION_OBJECT_OR_ARRAY && json_is_object(json))
        parse_array_item(p, scene, section, json, 1);
    else
        parse_array(p, scene, section, json);
}

static void parse_version(struct parser *p, const json_t *json)
{
    char text[32];

    if (!json_is_number(json)) {
        diag_wrong_type(p, "the number 1", json);
        return;
    }
    format_number(json_number_value(json), text);
    if (strcmp(text, "1") != 0)
        diag_at_path(p, DIAG_VALUE, "version %s is not known; this reads version 1", text);
}

static void parse_root_key(struct parser *p, struct tarn_scene *scene, const struct key_set *keys,
                           const char *key, json_t *json)
{
    char about[sizeof((tarn_scene_facts *)NULL)->about];
    struct key_entry entry;

    if (section_find(key))
        parse_section(p, scene, section_find(key), json);
    else if (strcmp(key, "version") == 0)
        parse_version(p, json);
    else if (strcmp(key, "about") == 0)
        parse_string(p, json, about, sizeof about);
    else if (strcmp(key, "$schema") == 0 && !json_is_string(json))
        diag_wrong_type(p, "a string", json);
    else if (strcmp(key, "$schema") == 0)
        return;
    else if (key_set_find(keys, key, &entry))
        parse_entry(p, &entry, keys, json);
    else
        diag_unknown_key(p, keys, key, 1);
}

int scene_is_planar(const struct tarn_scene *scene)
{
    const json_t *model = json_object_get(json_object_get(scene->root, "fluid"), "model");
    return json_is_string(model) && strcmp(json_string_value(model), "flow") == 0;
}

// The times of camera keys must increase.
static void check_camera_keys(struct parser *p, const struct tarn_scene *scene)
{
    const double(*rows)[7] = scene->settings.view_keys.rows;
    if (scene->settings.view_keys.count < 2 || !parser_push(p, "view", 0)) return;
    if (parser_push(p, "keys", 0)) {
        for (int k = 1; k < scene->settings.view_keys.count; ++k)
            if (!(rows[k][0] > rows[k - 1][0]) && parser_push(p, NULL, (size_t)k)) {
                diag_at_path(p, DIAG_VALUE, "%g s is not later than the row before it", rows[k][0]);
                parser_pop(p);
            }
        parser_pop(p);
    }
    parser_pop(p);
}

void parse_scene(struct parser *p, struct tarn_scene *scene)
{
    const json_t *model = json_object_get(json_object_get(scene->root, "fluid"), "model");
    const char *key;
    json_t *json;

    if (!json_is_object(scene->root)) {
        diag_at_path(p, DIAG_VALUE, "a scene is an object, { ... }; this is %s", json_type_name(scene->root));
        return;
    }
    p->planar = scene_is_planar(scene);
    scene->def = tarn_world_def_default(json_is_string(model) ? json_string_value(model) : "");
    tarn_kind_defaults(&scene_settings_kind, &scene->settings);
    const struct key_set keys = scene_root_keys(&scene->def, &scene->settings);
    if (!json_object_get(scene->root, "version")) diag_at_path(p, DIAG_VALUE, "\"version\": 1 is missing");
    if (!json_object_get(scene->root, "fluid"))
        diag_at_path(p, DIAG_VALUE, "\"fluid\" is missing; the least is \"fluid\": {\"model\": ...}");
    json_object_foreach(scene->root, key, json)
    {
        if (p->too_many || !parser_push(p, key, 0)) return;
        parse_root_key(p, scene, &keys, key, json);
        parser_pop(p);
    }
    check_camera_keys(p, scene);
}
