// Parses a JSON tree into a scene, section by section.
#include "parse.h"

#include <stdlib.h>
#include <string.h>

// ---- arrays -----------------------------------------------------------------------------------------

// @return 0 with a diagnostic if `json` is no array, or a too long one
static int check_array(struct parser *p, const struct section *section, const json_t *json)
{
    if (!json_is_array(json)) {
        diag_wrong_type(p, section->layout == SECTION_OBJECT_OR_ARRAY ? "an object or an array" : "an array",
                        json);
        return 0;
    }
    if (section->max_items && json_array_size(json) > section->max_items) {
        diag_at_path(p, DIAG_VALUE, "too many entries: %zu, limit %zu", json_array_size(json),
                     section->max_items);
        return 0;
    }
    return 1;
}

// Push the index of an array's item. @return 0 if parsing stops here
static int push_item(struct parser *p, size_t index)
{
    return !p->too_many && p->result != TARN_NO_MEMORY && parser_push(p, NULL, index);
}

// Make space for one more element of an array; the capacity is the next power of two.
// @return the array, NULL if memory is exhausted
static void *grow(struct parser *p, void *list, int count, size_t element_size)
{
    if (count & (count - 1)) return list;
    void *grown = realloc(list, (count ? 2 * (size_t)count : 1) * element_size);
    if (!grown) parser_set_result(p, TARN_NO_MEMORY);
    return grown;
}

static void pack(struct parser *p, struct packed_params *out, const tarn_kind *kind, const void *data)
{
    if (!params_pack(out, kind, data)) parser_set_result(p, TARN_NO_MEMORY);
}

// ---- bodies -----------------------------------------------------------------------------------------

static void parse_part(struct parser *p, const struct section *section, json_t *json, struct part_list *parts)
{
    const tarn_kind *common_kind = section_common_kind(section);
    tarn_compound_child part = {0};
    tarn_spec shape = {0};
    struct key_set keys;

    tarn_kind_init(common_kind, &part);
    if (!object_keys(p, section, json, &shape, &keys)) return;
    keys.bindings[1].data = &part;
    parse_object(p, &keys, json);
    if (p->result != TARN_OK) return;
    struct part_entry *list = grow(p, parts->list, parts->count, sizeof *list), *entry;
    if (!list) return;
    parts->list = list;
    entry = &list[parts->count++];
    pack(p, &entry->shape, shape.kind, shape.data);
    pack(p, &entry->common, common_kind, &part);
}

void parse_parts(struct parser *p, const struct key_set *keys, json_t *json)
{
    const tarn_kind *kind = keys->bindings[0].kind;
    json_t *item;
    size_t i;

    if (kind && strcmp(kind->name, keys->nested->nested_kind) != 0) {
        diag_at_path(p, DIAG_KEY, "only a %s has %s; remove \"%s\"", keys->nested->nested_kind,
                     keys->nested->key, keys->kind_key);
        return;
    }
    if (!check_array(p, keys->nested, json)) return;
    json_array_foreach(json, i, item)
    {
        if (!push_item(p, i)) return;
        parse_part(p, keys->nested, item, keys->parts);
        parser_pop(p);
    }
}

// Count the copies of all entries and report once if there are too many.
static void count_bodies(struct parser *p, tarn_scene *scene, const struct body_array *array)
{
    if (scene->body_count > SCENE_MAX_BODIES) return;
    scene->body_count += (int64_t)array->count[0] * array->count[1] * array->count[2];
    if (scene->body_count <= SCENE_MAX_BODIES || !parser_push(p, "array", 0)) return;
    if (parser_push(p, "count", 0)) {
        diag_at_path(p, DIAG_VALUE, "too many bodies in all: %lld, limit %d", (long long)scene->body_count,
                     SCENE_MAX_BODIES);
        parser_pop(p);
    }
    parser_pop(p);
}

static void parse_body(struct parser *p, tarn_scene *scene, const struct section *section, json_t *json)
{
    const tarn_kind *common_kind = section_common_kind(section);
    tarn_body_def body = {0};
    tarn_spec shape = {0};
    struct body_entry entry = {0}, *list = NULL;
    struct key_set keys;

    tarn_kind_init(common_kind, &body);
    tarn_kind_init(section->scene_kind, &entry.array);
    if (object_keys(p, section, json, &shape, &keys)) {
        keys.bindings[1].data = &body;
        keys.bindings[2].data = &entry.array;
        keys.parts = &entry.parts;
        parse_object(p, &keys, json);
        const tarn_kind *kind = keys.bindings[0].kind;
        if (kind && strcmp(kind->name, section->nested_kind) == 0 &&
            !json_object_get(json, section->nested->key))
            diag_at_path(p, DIAG_VALUE, "\"%s\" is missing", section->nested->key);
    }
    count_bodies(p, scene, &entry.array);
    if (p->result == TARN_OK) list = grow(p, scene->entries.bodies, scene->entries.body_count, sizeof *list);
    if (!list) {
        part_list_free(&entry.parts);
        return;
    }
    pack(p, &entry.shape, shape.kind, shape.data);
    pack(p, &entry.common, common_kind, &body);
    list[scene->entries.body_count++] = entry;
    scene->entries.bodies = list;
}

// ---- other sections ---------------------------------------------------------------------------------

static void parse_fluid(struct parser *p, tarn_scene *scene, const struct section *section, json_t *json)
{
    tarn_spec fluid = {0};
    struct key_set keys;

    if (!object_keys(p, section, json, &fluid, &keys)) return;
    keys.bindings[1].data = &scene->def;
    parse_object(p, &keys, json);
    if (p->result == TARN_OK) pack(p, &scene->entries.fluid, fluid.kind, fluid.data);
}

static void parse_bed(struct parser *p, tarn_scene *scene, const struct section *section, json_t *json)
{
    tarn_spec bed = {0};
    struct key_set keys;

    if (!object_keys(p, section, json, &bed, &keys)) return;
    parse_object(p, &keys, json);
    if (p->result == TARN_OK) pack(p, &scene->entries.beds[scene->entries.bed_count++], bed.kind, bed.data);
}

static void parse_joint(struct parser *p, tarn_scene *scene, const struct section *section, json_t *json)
{
    struct scene_entries *entries = &scene->entries;
    struct joint_entry entry = {0}, *list;
    tarn_spec joint = {0};
    struct key_set keys;

    tarn_kind_init(section->scene_kind, &entry.ends);
    if (!object_keys(p, section, json, &joint, &keys)) return;
    keys.bindings[2].data = &entry.ends;
    parse_object(p, &keys, json);
    if (p->result != TARN_OK || !(list = grow(p, entries->joints, entries->joint_count, sizeof *list)))
        return;
    pack(p, &entry.kind, joint.kind, joint.data);
    list[entries->joint_count++] = entry;
    entries->joints = list;
}

static void parse_emitter(struct parser *p, tarn_scene *scene, const struct section *section, json_t *json)
{
    struct scene_entries *entries = &scene->entries;
    struct packed_params *list;
    tarn_spec emitter = {0};
    struct key_set keys;

    if (!object_keys(p, section, json, &emitter, &keys)) return;
    parse_object(p, &keys, json);
    if (p->result != TARN_OK || !(list = grow(p, entries->emitters, entries->emitter_count, sizeof *list)))
        return;
    pack(p, &list[entries->emitter_count++], emitter.kind, emitter.data);
    entries->emitters = list;
}

static void parse_obstacle(struct parser *p, tarn_scene *scene, const struct section *section, json_t *json)
{
    const tarn_kind *common_kind = section_common_kind(section);
    struct scene_entries *entries = &scene->entries;
    struct obstacle_entry entry = {0}, *list = NULL;
    tarn_spec obstacle = {0}; // over a tarn_obstacle_def, with what is common to all kinds
    struct key_set keys;

    if (!object_keys(p, section, json, &obstacle, &keys)) return;
    tarn_kind_init(common_kind, obstacle.data);
    keys.bindings[1].data = obstacle.data;
    keys.bitmap = &entry.bitmap;
    parse_object(p, &keys, json);
    if (p->result == TARN_OK) list = grow(p, entries->obstacles, entries->obstacle_count, sizeof *list);
    if (!list) {
        free(entry.bitmap.cells);
        return;
    }
    pack(p, &entry.shape, obstacle.kind, obstacle.data);
    pack(p, &entry.common, common_kind, obstacle.data);
    list[entries->obstacle_count++] = entry;
    entries->obstacles = list;
}

static void parse_gauge(struct parser *p, tarn_scene *scene, const struct section *section, json_t *json)
{
    struct scene_entries *entries = &scene->entries;
    tarn_gauge gauge = {0}, *list;
    struct key_set keys;

    tarn_kind_init(section->scene_kind, &gauge);
    if (!object_keys(p, section, json, NULL, &keys)) return;
    keys.bindings[2].data = &gauge;
    parse_object(p, &keys, json);
    if (p->result != TARN_OK || !(list = grow(p, entries->gauges, entries->gauge_count, sizeof *list)))
        return;
    list[entries->gauge_count++] = gauge;
    entries->gauges = list;
}

// ---- the scene --------------------------------------------------------------------------------------

static const struct section_parser {
    const char *key;
    void (*parse)(struct parser *p, tarn_scene *scene, const struct section *section, json_t *json);
} section_parsers[] = {
    {"fluid", parse_fluid},  {"bed", parse_bed},          {"bodies", parse_body},
    {"joints", parse_joint}, {"emitters", parse_emitter}, {"obstacles", parse_obstacle},
    {"gauges", parse_gauge},
};

static void parse_section(struct parser *p, tarn_scene *scene, const struct section *section, json_t *json)
{
    const struct section_parser *parser = section_parsers;
    json_t *item;
    size_t i;

    while (strcmp(parser->key, section->key) != 0) ++parser;
    if (section->layout == SECTION_OBJECT ||
        (section->layout == SECTION_OBJECT_OR_ARRAY && json_is_object(json))) {
        parser->parse(p, scene, section, json);
        return;
    }
    if (!check_array(p, section, json)) return;
    json_array_foreach(json, i, item)
    {
        if (!push_item(p, i)) return;
        parser->parse(p, scene, section, item);
        parser_pop(p);
    }
}

static void parse_version(struct parser *p, const json_t *json)
{
    char text[32];

    if (!json_is_number(json)) {
        diag_wrong_type(p, "the number " SCENE_VERSION_TEXT, json);
        return;
    }
    format_number(json_number_value(json), text);
    if (strcmp(text, SCENE_VERSION_TEXT) != 0)
        diag_at_path(p, DIAG_VALUE, "version %s is not known; this reads version " SCENE_VERSION_TEXT, text);
}

// Keys and units of format 1 differ, so nothing else in such a file is checked. @return 0 with a diagnostic
static int check_format(struct parser *p, const tarn_scene *scene)
{
    const json_t *version = json_object_get(scene->root, "version");

    if (!json_is_number(version) || json_number_value(version) != 1.0) return 1;
    if (!parser_push(p, "version", 0)) return 0;
    diag_at_path(p, DIAG_KEY, "this is scene format 1; run scripts/convert-scene %.120s", scene->source.name);
    parser_pop(p);
    return 0;
}

// The times of camera keys must increase.
static void check_camera_keys(struct parser *p, const tarn_scene *scene)
{
    const double(*rows)[7] = scene->settings.view_keys.rows;
    if (scene->settings.view_keys.count < 2 || !parser_push(p, "view", 0)) return;
    if (parser_push(p, "camera_path", 0)) {
        for (int k = 1; k < scene->settings.view_keys.count; ++k)
            if (!(rows[k][0] > rows[k - 1][0]) && parser_push(p, NULL, (size_t)k)) {
                diag_at_path(p, DIAG_VALUE, "times must increase: %g s is not later than the row before",
                             rows[k][0]);
                parser_pop(p);
            }
        parser_pop(p);
    }
    parser_pop(p);
}

static void parse_root_key(struct parser *p, tarn_scene *scene, const struct key_set *keys, const char *key,
                           json_t *json)
{
    struct key_entry entry;

    if (strcmp(key, "version") == 0)
        parse_version(p, json);
    else if (strcmp(key, "description") == 0)
        parse_string(p, json, scene->about, sizeof scene->about);
    else if (strcmp(key, "$schema") == 0 && !json_is_string(json))
        diag_wrong_type(p, "a string", json);
    else if (strcmp(key, "$schema") == 0)
        return;
    else if (key_set_find(keys, key, &entry))
        parse_value(p, keys, &entry, json);
    else
        diag_unknown_key(p, keys, key, 1);
}

static void parse_sections(struct parser *p, tarn_scene *scene)
{
    const json_t *model = json_object_get(json_object_get(scene->root, "fluid"), "model");
    const char *key, *model_name = json_is_string(model) ? json_string_value(model) : "";
    json_t *json;

    if (!json_is_object(scene->root)) {
        diag_at_path(p, DIAG_VALUE, "expected an object, { ... }, found %s", json_type_name(scene->root));
        return;
    }
    if (!check_format(p, scene)) return;
    const tarn_kind *kind = tarn_kind_find("fluid", model_name);
    p->planar = scene->planar = kind && (kind->flags & TARN_MODEL_PLANAR);
    scene->def = tarn_default_world_def();
    tarn_kind_init(&scene_settings_kind, &scene->settings);
    const struct key_set keys = scene_root_keys(&scene->def, &scene->settings);
    if (!json_object_get(scene->root, "version"))
        diag_at_path(p, DIAG_VALUE, "\"version\": " SCENE_VERSION_TEXT " is missing");
    if (!json_object_get(scene->root, "fluid"))
        diag_at_path(p, DIAG_VALUE, "\"fluid\" is missing; a minimum is \"fluid\": {\"model\": ...}");
    json_object_foreach(scene->root, key, json)
    {
        if (p->too_many || !parser_push(p, key, 0)) return;
        const struct section *section = section_find(key);
        if (section)
            parse_section(p, scene, section, json);
        else
            parse_root_key(p, scene, &keys, key, json);
        parser_pop(p);
    }
    check_camera_keys(p, scene);
}

void parse_scene(struct parser *p, tarn_scene *scene)
{
    parse_sections(p, scene);
    parser_free_tables(p);
}
