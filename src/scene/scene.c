#include "scene_internal.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static void source_free(struct source *s)
{
    free(s->name);
    free(s->text);
    *s = (struct source){0};
}

void tarn_scene_destroy(tarn_scene *scene)
{
    if (!scene) return;
    for (int i = 0; i < scene->change_count; ++i) change_free(&scene->changes[i]);
    free(scene->changes);
    free(scene->gauges);
    json_decref(scene->root);
    source_free(&scene->source);
    free(scene);
}

static void scene_pass(struct pass *p, const tarn_scene *scene, tarn_notes *notes)
{
    pass_begin(p, &scene->source, notes);
    p->changes = scene->changes;
    p->change_count = scene->change_count;
    p->flat = scene_is_flat(scene);
}

// All changes are tried, so that all mistakes among them are told.
static void apply_changes(struct pass *p, tarn_scene *scene, const char *const *sets, int count)
{
    if (count == 0) return;
    scene->changes = calloc((size_t)count, sizeof *scene->changes);
    if (!scene->changes) {
        pass_fail(p, TARN_NO_MEMORY);
        return;
    }
    p->changes = scene->changes;
    for (int i = 0; i < count; ++i) {
        if (change_apply(p, scene->root, sets[i], &scene->changes[scene->change_count]) == TARN_OK)
            p->change_count = ++scene->change_count;
    }
}

// Takes the source. A byte order mark says nothing about UTF-8 and is dropped.
static tarn_result scene_make(struct source *source, const char *const *sets, int count, tarn_scene **out,
                              tarn_notes *notes)
{
    struct pass p;
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
    scene_pass(&p, scene, notes);
    scene->root = syntax_parse(&p);
    if (scene->root) apply_changes(&p, scene, sets, count);
    if (scene->root && p.result != TARN_NO_MEMORY) check_scene(&p, scene);
    if (p.result == TARN_OK)
        *out = scene;
    else
        tarn_scene_destroy(scene);
    return p.result;
}

tarn_result tarn_scene_parse(const char *name, const char *text, size_t size, tarn_scene **out,
                             tarn_notes *notes)
{
    if (!out) return TARN_BAD_ARGUMENT;
    *out = NULL;
    if (!name || (!text && size)) return TARN_BAD_ARGUMENT;
    struct source source = {.name = text_copy(name, strlen(name)), .size = size};
    if (size > SCENE_BYTES) {
        struct pass p;
        source_free(&source);
        pass_begin(&p, &source, notes);
        note_add_plain(&p, name, "the scene has %zu bytes; it may have at most %u", size, SCENE_BYTES);
        return p.result;
    }
    source.text = text_copy(text, size);
    if (source.name && source.text) return scene_make(&source, NULL, 0, out, notes);
    source_free(&source);
    return TARN_NO_MEMORY;
}

tarn_result tarn_scene_read_with(const char *path, const char *const *sets, int set_count, tarn_scene **out,
                                 tarn_notes *notes)
{
    struct source source = {0};

    if (!out) return TARN_BAD_ARGUMENT;
    *out = NULL;
    if (!path || set_count < 0 || (set_count > 0 && !sets)) return TARN_BAD_ARGUMENT;
    const tarn_result r = file_read(path, "scene", SCENE_BYTES, &source, notes);
    if (r == TARN_OK) return scene_make(&source, sets, set_count, out, notes);
    source_free(&source);
    return r;
}

tarn_result tarn_scene_read(const char *path, tarn_scene **out, tarn_notes *notes)
{
    return tarn_scene_read_with(path, NULL, 0, out, notes);
}

json_t *numbers_json(const double *number, int count)
{
    json_t *array = json_array();
    for (int i = 0; i < count && array; ++i)
        if (json_array_append_new(array, json_real(number[i])) != 0) {
            json_decref(array);
            return NULL;
        }
    return array;
}

static json_t *table_json(const tarn_value *v, int columns)
{
    json_t *array = json_array();
    for (int i = 0; i < v->row_count; ++i)
        if (json_array_append_new(array, numbers_json(v->rows + (size_t)i * (size_t)columns, columns)) != 0) {
            json_decref(array);
            return NULL;
        }
    return array;
}

// A value from C as JSON; a table has so many columns. @return NULL without memory
static json_t *value_json(const tarn_value *v, int columns)
{
    static const int counts[] = {
        [TARN_VEC2] = 2, [TARN_VEC3] = 3, [TARN_QUAT] = 4, [TARN_INT2] = 2, [TARN_INT3] = 3};

    if (v->type == TARN_NUMBER || v->type == TARN_INTEGER) return json_real(v->number[0]);
    if (v->type == TARN_FLAG) return json_boolean(v->number[0] != 0.0);
    if (v->type == TARN_CHOICE || v->type == TARN_TEXT || v->type == TARN_FILE) return json_string(v->text);
    if (v->type == TARN_TABLE) return table_json(v, columns);
    return numbers_json(v->number, counts[v->type]);
}

// JSON holds neither infinite numbers nor broken UTF-8. A table has a row for each that the path's parameter
// may have, or fewer.
static int can_be_json(const tarn_value *v, const tarn_param *param)
{
    if (v->type < TARN_NUMBER || v->type > TARN_INT3 || !memchr(v->text, 0, sizeof v->text)) return 0;
    if (v->type == TARN_TABLE) {
        if (!param || v->row_count < 0 || v->row_count > param->rows || (v->row_count && !v->rows)) return 0;
        for (int i = 0; i < v->row_count * param->columns; ++i)
            if (!isfinite(v->rows[i])) return 0;
    }
    for (int i = 0; i < 4; ++i)
        if (!isfinite(v->number[i])) return 0;
    for (const char *c = v->text; *c;) {
        const int length = utf8_length(c, strlen(c));
        if (length == 0) return 0;
        c += length;
    }
    return 1;
}

// The scene's changes with room for one more, or the place of an older one with the same path.
static struct change *change_room(tarn_scene *scene, const char *path, int *older)
{
    for (*older = 0; *older < scene->change_count; ++*older)
        if (!scene->changes[*older].option && strcmp(scene->changes[*older].shown, path) == 0)
            return &scene->changes[*older];
    struct change *grown = realloc(scene->changes, ((size_t)scene->change_count + 1) * sizeof *grown);
    if (!grown) return NULL;
    scene->changes = grown;
    grown[scene->change_count] = (struct change){0};
    return &grown[scene->change_count];
}

tarn_result tarn_scene_set(tarn_scene *scene, const char *path, tarn_value value, tarn_notes *notes)
{
    struct pass p;
    struct change made = {0};
    int older;

    if (!scene || !path) return TARN_BAD_ARGUMENT;
    scene_pass(&p, scene, notes);
    const tarn_param *param = value.type == TARN_TABLE ? change_param(scene->root, path) : NULL;
    if (!can_be_json(&value, param)) {
        note_add_plain(&p, path, "this is no value that a scene can hold");
        return p.result;
    }
    struct change *place = change_room(scene, path, &older);
    p.changes = scene->changes;
    tarn_scene next = {
        .source = scene->source, .root = json_deep_copy(scene->root), .changes = scene->changes};
    if (!place || !next.root)
        pass_fail(&p, TARN_NO_MEMORY);
    else
        change_put(&p, next.root, path, value_json(&value, param ? param->columns : 0), &made);
    if (p.result == TARN_OK) {
        struct change kept = *place;
        *place = made; // what is wrong now came from it
        p.change_count = next.change_count = older < scene->change_count ? scene->change_count : older + 1;
        check_scene(&p, &next);
        if (p.result != TARN_OK) *place = kept;
        made = p.result == TARN_OK ? kept : made;
    }
    change_free(&made);
    if (p.result != TARN_OK) {
        free(next.gauges);
        json_decref(next.root);
        return p.result;
    }
    free(scene->gauges);
    json_decref(scene->root);
    *scene = next;
    return TARN_OK;
}

static void make_world(struct pass *p, const tarn_scene *scene, const tarn_host *host, tarn_world **world)
{
    const tarn_kind *own = tarn_kind_find("world", "world");
    tarn_world_def def = scene->def;
    tarn_error err = {0};
    double *heights = NULL;

    if (host) def.host = *host;
    if (!bed_read_map(p, scene, &def, &heights)) return;
    const tarn_result r = tarn_world_create(&def, world, &err);
    free(heights);
    if (r == TARN_OK) return;
    *world = NULL;
    if (strncmp(err.key, "bed.", 4) == 0) {
        bed_push(p, scene);
        memmove(err.key, err.key + 4, strlen(err.key + 4) + 1);
    } else if (strcmp(err.key, "bed") != 0 && !tarn_param_find(own, err.key)) {
        pass_push(p, "fluid", 0); // then it is the fluid's own
    }
    note_error(p, r, &err);
    p->path.count = 0;
}

void things_each(struct pass *p, const tarn_scene *scene, const char *key, thing_fn fn, void *ctx)
{
    json_t *list = json_object_get(scene->root, key), *json;
    size_t i;

    if (!pass_push(p, key, 0)) return;
    json_array_foreach(list, i, json)
    {
        const int hopeless = p->result != TARN_OK && p->result != TARN_BAD_INPUT && p->result != TARN_IO;
        if (p->full || hopeless || !pass_push(p, NULL, i)) break;
        fn(p, json, i, ctx);
        pass_pop(p);
    }
    pass_pop(p);
}

static void add_emitter(struct pass *p, json_t *json, size_t number, void *ctx)
{
    struct item item;
    tarn_error err = {0};

    (void)number;
    item_read(p, section_find("emitters"), json, &item);
    const tarn_result r = tarn_emitter_create(ctx, &item.spec, &err);
    if (r != TARN_OK) note_error(p, r, &err);
}

static void add_things(struct pass *p, const tarn_scene *scene, tarn_world *world)
{
    const int joints = json_array_size(json_object_get(scene->root, "joints")) > 0;
    json_t *names = joints ? json_object() : NULL;

    if (joints && !names) pass_fail(p, TARN_NO_MEMORY);
    things_each(p, scene, "emitters", add_emitter, world);
    scene_add_obstacles(p, scene, world);
    scene_add_bodies(p, scene, world, names);
    if (p->result == TARN_OK) scene_add_joints(p, scene, world, names); // a body may be missing otherwise
    json_decref(names);
}

tarn_result tarn_scene_world(const tarn_scene *scene, const tarn_host *host, tarn_world **out,
                             tarn_notes *notes)
{
    struct pass p;
    tarn_world *world = NULL;

    if (!out) return TARN_BAD_ARGUMENT;
    *out = NULL;
    if (!scene) return TARN_BAD_ARGUMENT;
    scene_pass(&p, scene, notes);
    make_world(&p, scene, host, &world);
    if (world) add_things(&p, scene, world);
    if (p.result == TARN_OK)
        *out = world;
    else
        tarn_world_destroy(world);
    return p.result;
}

tarn_scene_facts tarn_scene_facts_of(const tarn_scene *scene)
{
    tarn_scene_facts facts = {0};
    if (!scene) return facts;

    const json_t *about = json_object_get(scene->root, "about");
    if (about) snprintf(facts.about, sizeof facts.about, "%s", json_string_value(about));
    memcpy(facts.name, scene->own.name, sizeof facts.name);
    facts.time = scene->own.time;
    facts.dt = scene->def.dt;
    memcpy(facts.view, scene->own.view, sizeof facts.view);
    facts.view_from = scene->own.view_from;
    facts.view_to = scene->own.view_to;
    memcpy(facts.view_map, scene->own.view_map, sizeof facts.view_map);
    memcpy(facts.view_range, scene->own.view_range, sizeof facts.view_range);
    facts.view_arrows = scene->own.view_arrows, facts.view_streamlines = scene->own.view_streamlines;
    facts.view_moment = scene->own.view_moment;
    facts.view_key_count = scene->own.view_keys.count, facts.view_keys = scene->own.view_keys.rows;
    facts.model = scene->def.fluid.kind->name;
    facts.gauge_count = scene->gauge_count;
    facts.body_count = (int)scene->body_count;
    facts.emitter_count = (int)json_array_size(json_object_get(scene->root, "emitters"));
    facts.gauges = scene->gauges;
    return facts;
}

void tarn_text_free(char *text) { free(text); }
