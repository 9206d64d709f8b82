// Creates the world of a scene and calls the builders of its objects.
#include "scene/scene_internal.h"

#include <stdlib.h>
#include <string.h>

static void read_fluid(const tarn_scene *scene, tarn_fluid_def *out)
{
    tarn_spec spec;

    spec_unpack(&scene->entries.fluid, &spec);
    tarn_fluid_def_from_spec(&spec, out); // cannot fail: it is the spec of a fluid
}

static void create_world(struct parser *p, const tarn_scene *scene, const tarn_host *host, tarn_world **world)
{
    const tarn_kind *world_kind = tarn_kind_find("world", "world");
    tarn_fluid_def fluid;
    tarn_bed_def beds[TARN_MAX_BEDS];
    tarn_world_def def = scene->def;
    tarn_error err = {0};
    double *heights = NULL;

    if (host) def.host = *host;
    read_fluid(scene, &fluid);
    def.fluid = &fluid, def.beds = beds, def.bed_count = scene->entries.bed_count;
    if (!read_beds(p, scene, &def.host.log, beds, &heights)) return;
    const tarn_result r = tarn_world_create(&def, world, &err);
    free(heights);
    if (r == TARN_OK) return;
    *world = NULL;
    if (strncmp(err.key, "bed.", 4) == 0) {
        parser_push_bed(p, scene);
        memmove(err.key, err.key + 4, strlen(err.key + 4) + 1);
    } else if (strcmp(err.key, "bed") != 0 && !tarn_param_find(world_kind, err.key)) {
        parser_push(p, "fluid", 0); // all other keys are parameters of the fluid model
    }
    diag_from_error(p, r, &err);
    p->path.count = 0;
}

int parser_push_entry(struct parser *p, const char *key, int index)
{
    const int fatal = p->result != TARN_OK && p->result != TARN_BAD_INPUT && p->result != TARN_IO;
    return !p->too_many && !fatal && parser_push(p, key, 0) && parser_push(p, NULL, (size_t)index);
}

void parser_pop_entry(struct parser *p) { p->path.count -= 2; }

static void build_emitters(struct parser *p, const tarn_scene *scene, tarn_world *world)
{
    const struct scene_entries *entries = &scene->entries;

    for (int i = 0; i < entries->emitter_count && parser_push_entry(p, "emitters", i); ++i) {
        tarn_spec emitter;
        tarn_emitter_def def;
        tarn_error err = {0};
        spec_unpack(&entries->emitters[i], &emitter);
        tarn_result r = tarn_emitter_def_from_spec(&emitter, &def);
        if (r == TARN_OK) r = tarn_emitter_create(world, &def, NULL, &err);
        if (r != TARN_OK) diag_from_error(p, r, &err);
        parser_pop_entry(p);
    }
}

static void build_objects(struct parser *p, const tarn_scene *scene, tarn_world *world)
{
    const int has_joints = scene->entries.joint_count > 0;
    json_t *names = has_joints ? json_object() : NULL;

    if (has_joints && !names) parser_set_result(p, TARN_NO_MEMORY);
    build_emitters(p, scene, world);
    build_obstacles(p, scene, world);
    build_bodies(p, scene, world, names);
    if (p->result == TARN_OK) build_joints(p, scene, world, names); // otherwise a named body may be missing
    json_decref(names);
}

tarn_world *build_world(struct parser *p, const tarn_scene *scene, const tarn_host *host)
{
    tarn_world *world = NULL;

    create_world(p, scene, host, &world);
    if (world) build_objects(p, scene, world);
    if (p->result == TARN_OK) return world;
    tarn_world_destroy(world);
    return NULL;
}
