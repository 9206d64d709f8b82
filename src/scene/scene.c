// Implements the public functions of tarn/scene.h.
#include "scene_internal.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static void source_free(struct source_text *s)
{
    free(s->name);
    free(s->text);
    *s = (struct source_text){0};
}

void tarn_scene_destroy(tarn_scene *scene)
{
    if (!scene) return;
    for (int i = 0; i < scene->override_count; ++i) override_free(&scene->overrides[i]);
    free(scene->overrides);
    scene_entries_free(&scene->entries);
    json_decref(scene->root);
    source_free(&scene->source);
    free(scene);
}

static void init_parser(struct parser *p, const tarn_scene *scene, tarn_diagnostics *diagnostics)
{
    parser_init(p, &scene->source, diagnostics);
    p->overrides = scene->overrides;
    p->override_count = scene->override_count;
    p->planar = scene->planar;
}

// Apply all overrides even if one of them fails, so that all errors are reported.
static void apply_overrides(struct parser *p, tarn_scene *scene, const char *const *overrides,
                            int override_count)
{
    if (override_count == 0) return;
    scene->overrides = calloc((size_t)override_count, sizeof *scene->overrides);
    if (!scene->overrides) {
        parser_set_result(p, TARN_NO_MEMORY);
        return;
    }
    p->overrides = scene->overrides;
    for (int i = 0; i < override_count; ++i) {
        if (override_parse(p, scene->root, overrides[i], &scene->overrides[scene->override_count]) == TARN_OK)
            p->override_count = ++scene->override_count;
    }
}

// Create a scene from its text; takes ownership of the source. A UTF-8 byte order mark is dropped.
static tarn_result create_scene(struct source_text *source, const char *const *overrides, int override_count,
                                tarn_scene **out, tarn_diagnostics *diagnostics)
{
    struct parser p;
    tarn_scene *scene = calloc(1, sizeof *scene);

    if (!scene) {
        source_free(source);
        return TARN_NO_MEMORY;
    }
    if (source->size >= 3 && memcmp(source->text, "\xef\xbb\xbf", 3) == 0) {
        source->size -= 3;
        memmove(source->text, source->text + 3, source->size + 1);
    }
    scene->source = *source;
    init_parser(&p, scene, diagnostics);
    scene->root = json_parse(&p);
    if (scene->root) apply_overrides(&p, scene, overrides, override_count);
    if (scene->root && p.result != TARN_NO_MEMORY) parse_scene(&p, scene);
    if (p.result == TARN_OK)
        *out = scene;
    else
        tarn_scene_destroy(scene);
    return p.result;
}

tarn_result tarn_scene_parse(const char *name, const char *text, size_t size, tarn_scene **out,
                             tarn_diagnostics *diagnostics)
{
    if (!out) return TARN_BAD_ARGUMENT;
    *out = NULL;
    if (!name || (!text && size)) return TARN_BAD_ARGUMENT;
    struct source_text source = {.name = copy_string(name, strlen(name)), .size = size};
    if (size > SCENE_MAX_BYTES) {
        struct parser p;
        source_free(&source);
        parser_init(&p, &source, diagnostics);
        diag_at_label(&p, name, "scene too large: %zu bytes, limit %u", size, SCENE_MAX_BYTES);
        return p.result;
    }
    source.text = copy_string(text, size);
    if (source.name && source.text) return create_scene(&source, NULL, 0, out, diagnostics);
    source_free(&source);
    return TARN_NO_MEMORY;
}

tarn_result tarn_scene_read_with_overrides(const char *path, const char *const *sets, int set_count,
                                           tarn_scene **out, tarn_diagnostics *diagnostics)
{
    struct source_text source = {0};

    if (!out) return TARN_BAD_ARGUMENT;
    *out = NULL;
    if (!path || set_count < 0 || (set_count > 0 && !sets)) return TARN_BAD_ARGUMENT;
    const tarn_result r = read_user_file(path, "scene", SCENE_MAX_BYTES, &source, diagnostics);
    if (r == TARN_OK) return create_scene(&source, sets, set_count, out, diagnostics);
    source_free(&source);
    return r;
}

tarn_result tarn_scene_read(const char *path, tarn_scene **out, tarn_diagnostics *diagnostics)
{
    return tarn_scene_read_with_overrides(path, NULL, 0, out, diagnostics);
}

json_t *json_from_numbers(const double *number, int count)
{
    json_t *array = json_array();
    for (int i = 0; i < count && array; ++i)
        if (json_array_append_new(array, json_real(number[i])) != 0) {
            json_decref(array);
            return NULL;
        }
    return array;
}

static json_t *table_json(const tarn_value *value, int columns)
{
    json_t *array = json_array();
    for (int i = 0; i < value->row_count; ++i)
        if (json_array_append_new(
                array, json_from_numbers(value->rows + (size_t)i * (size_t)columns, columns)) != 0) {
            json_decref(array);
            return NULL;
        }
    return array;
}

// A value as JSON; `columns` is the row length of a table. @return NULL if memory is exhausted
static json_t *value_json(const tarn_value *value, int columns)
{
    static const int counts[] = {[TARN_PARAM_VEC2] = 2,
                                 [TARN_PARAM_VEC3] = 3,
                                 [TARN_PARAM_QUAT] = 4,
                                 [TARN_PARAM_INT2] = 2,
                                 [TARN_PARAM_INT3] = 3};

    if (value->type == TARN_PARAM_NUMBER || value->type == TARN_PARAM_INTEGER)
        return json_real(value->number[0]);
    if (value->type == TARN_PARAM_FLAG) return json_boolean(value->number[0] != 0.0);
    if (value->type == TARN_PARAM_CHOICE || value->type == TARN_PARAM_TEXT ||
        value->type == TARN_PARAM_FILE || value->type == TARN_PARAM_BITS)
        return json_string(value->text);
    if (value->type == TARN_PARAM_TABLE) return table_json(value, columns);
    return json_from_numbers(value->number, counts[value->type]);
}

// Can the value be stored as JSON? Numbers must be finite, text must be valid UTF-8, a table must have at
// most the rows of its parameter.
static int is_valid_value(const tarn_value *value, const tarn_param *param)
{
    if (value->type < TARN_PARAM_NUMBER || value->type > TARN_PARAM_BITS ||
        !memchr(value->text, 0, sizeof value->text))
        return 0;
    if (value->type == TARN_PARAM_TABLE) {
        if (!param || value->row_count < 0 || value->row_count > param->rows ||
            (value->row_count && !value->rows))
            return 0;
        for (int i = 0; i < value->row_count * param->columns; ++i)
            if (!isfinite(value->rows[i])) return 0;
    }
    for (int i = 0; i < 4; ++i)
        if (!isfinite(value->number[i])) return 0;
    for (const char *c = value->text; *c;) {
        const int length = utf8_length(c, strlen(c));
        if (length == 0) return 0;
        c += length;
    }
    return 1;
}

// @return the override with this path, or a new one at the end; NULL if memory is exhausted
static struct override *find_or_add_override(tarn_scene *scene, const char *path, int *index)
{
    for (*index = 0; *index < scene->override_count; ++*index)
        if (!scene->overrides[*index].from_cli && strcmp(scene->overrides[*index].label, path) == 0)
            return &scene->overrides[*index];
    struct override *grown = realloc(scene->overrides, ((size_t)scene->override_count + 1) * sizeof *grown);
    if (!grown) return NULL;
    scene->overrides = grown;
    grown[scene->override_count] = (struct override){0};
    return &grown[scene->override_count];
}

tarn_result tarn_scene_set(tarn_scene *scene, const char *path, tarn_value value,
                           tarn_diagnostics *diagnostics)
{
    struct parser p;
    struct override override = {0};
    int index;

    if (!scene || !path) return TARN_BAD_ARGUMENT;
    init_parser(&p, scene, diagnostics);
    const tarn_param *param = value.type == TARN_PARAM_TABLE ? override_param(scene->root, path) : NULL;
    if (!is_valid_value(&value, param)) {
        diag_at_label(&p, path, "invalid value: it cannot be written to a scene");
        return p.result;
    }
    struct override *slot = find_or_add_override(scene, path, &index);
    p.overrides = scene->overrides;
    tarn_scene updated = {
        .source = scene->source, .root = json_deep_copy(scene->root), .overrides = scene->overrides};
    if (!slot || !updated.root)
        parser_set_result(&p, TARN_NO_MEMORY);
    else
        override_set(&p, updated.root, path, value_json(&value, param ? param->columns : 0), &override);
    if (p.result == TARN_OK) {
        struct override previous = *slot;
        *slot = override; // diagnostics refer to it
        p.override_count = updated.override_count =
            index < scene->override_count ? scene->override_count : index + 1;
        parse_scene(&p, &updated);
        if (p.result != TARN_OK) *slot = previous;
        override = p.result == TARN_OK ? previous : override;
    }
    override_free(&override);
    if (p.result != TARN_OK) {
        scene_entries_free(&updated.entries);
        json_decref(updated.root);
        return p.result;
    }
    scene_entries_free(&scene->entries);
    json_decref(scene->root);
    *scene = updated;
    return TARN_OK;
}

tarn_result tarn_scene_create_world(const tarn_scene *scene, const tarn_host *host, tarn_world **out,
                                    tarn_diagnostics *diagnostics)
{
    struct parser p;

    if (!out) return TARN_BAD_ARGUMENT;
    *out = NULL;
    if (!scene) return TARN_BAD_ARGUMENT;
    init_parser(&p, scene, diagnostics);
    *out = build_world(&p, scene, host);
    return p.result;
}

tarn_result tarn_scene_get_info(const tarn_scene *scene, tarn_scene_info *out)
{
    tarn_scene_info info = {0};

    if (!scene || !out) return TARN_BAD_ARGUMENT;

    memcpy(info.description, scene->about, sizeof info.description);
    memcpy(info.name, scene->settings.name, sizeof info.name);
    info.duration = scene->settings.time;
    info.dt = scene->def.dt;
    memcpy(info.view, scene->settings.view, sizeof info.view);
    info.view_from = scene->settings.view_from;
    info.view_to = scene->settings.view_to;
    memcpy(info.view_map, scene->settings.view_map, sizeof info.view_map);
    memcpy(info.view_range, scene->settings.view_range, sizeof info.view_range);
    info.view_arrows = scene->settings.view_arrows, info.view_streamlines = scene->settings.view_streamlines;
    info.view_moment = scene->settings.view_moment;
    info.view_key_count = scene->settings.view_keys.count, info.view_keys = scene->settings.view_keys.rows;
    info.model = scene->entries.fluid.kind->name;
    info.gauge_count = scene->entries.gauge_count;
    info.body_count = (int)scene->body_count;
    info.emitter_count = scene->entries.emitter_count;
    info.gauges = scene->entries.gauges;
    *out = info;
    return TARN_OK;
}

void tarn_text_free(char *text) { free(text); }
