// tarn scenes: the gallery.
#include "apps/cli/commands.h"
#include "apps/common/app.h"

struct line {
    tarn_scene_facts facts;
    tarn_status status;
};

// Facts of a scene and the size of its world. The facts point into the scene, which the caller destroys.
static tarn_result look_at(const char *path, tarn_scene **scene, struct line *line)
{
    const tarn_host host = {0};
    tarn_notes notes = {0};
    tarn_world *world = NULL;

    tarn_result r = tarn_scene_read(path, scene, &notes);
    if (r == TARN_OK) r = tarn_scene_world(*scene, &host, &world, &notes);
    if (r == TARN_OK) {
        line->facts = tarn_scene_facts_of(*scene);
        line->status = tarn_world_status(world);
    }
    tarn_world_destroy(world);
    tarn_notes_free(&notes);
    return r;
}

static void print_text(const char *name, const char *path, tarn_result r, const struct line *line)
{
    print_clean(stdout, name);
    if (r != TARN_OK) {
        printf(": cannot be used (%s); `tarn check ", result_text(r));
        print_clean(stdout, path);
        printf("` tells more\n");
        return;
    }
    const tarn_scene_facts *f = &line->facts;
    const int n = line->status.bodies;
    printf(": ");
    print_clean(stdout, f->name);
    printf("\n    %s, %d x %d cells, %d %s, %g s\n", f->model, line->status.cells[0], line->status.cells[1],
           n, n == 1 ? "body" : "bodies", f->time);
    if (f->about[0]) {
        printf("    ");
        print_clean(stdout, f->about);
        printf("\n");
    }
    printf("    ");
    print_clean(stdout, path);
    printf("\n");
}

static void print_json(struct json *json, const char *name, const char *path, tarn_result r,
                       const struct line *line)
{
    json_open(json, NULL, '{');
    json_text(json, "scene", name);
    json_text(json, "file", path);
    json_flag(json, "ok", r == TARN_OK);
    if (r == TARN_OK) {
        json_text(json, "name", line->facts.name);
        json_text(json, "about", line->facts.about);
        json_text(json, "model", line->facts.model);
        json_open(json, "cells", '[');
        json_integer(json, NULL, line->status.cells[0]);
        json_integer(json, NULL, line->status.cells[1]);
        json_close(json);
        json_integer(json, "bodies", line->status.bodies);
        json_integer(json, "emitters", line->status.emitters);
        json_integer(json, "gauges", line->facts.gauge_count);
        json_number(json, "time", line->facts.time);
        json_number(json, "dt", line->facts.dt);
    }
    json_close(json);
}

static void print_scene(const char *path, struct json *json)
{
    tarn_scene *scene = NULL;
    struct line line = {0};
    char name[256];

    scene_short_name(path, name, sizeof name);
    const tarn_result r = look_at(path, &scene, &line);
    if (json)
        print_json(json, name, path, r, &line);
    else
        print_text(name, path, r, &line);
    tarn_scene_destroy(scene);
}

int command_scenes(int argc, char **argv)
{
    static const struct usage usage = {
        "tarn scenes [--json]",
        "Lists the gallery: the *.json files of the folders in $TARN_PATH, of ./scenes, of scenes beside "
        "the\n"
        "folder of the program and of the installed share/tarn/scenes. Where two have the same name the "
        "first\n"
        "is taken. `tarn run NAME` runs one by the name it is listed under.\n",
        "  tarn scenes\n"
        "  tarn scenes --json\n",
        0,
        0,
    };
    int as_json = 0, words;
    const struct option options[] = {
        {OPTION_FLAG, "json", 0, NULL, &as_json, 0, 0, "an array of objects on stdout"},
        {OPTION_END, NULL, 0, NULL, NULL, 0, 0, NULL},
    };
    struct gallery gallery;

    const int code = options_read(&usage, options, argc, argv, &words);
    if (code >= 0) return code;
    if (gallery_list(&gallery) != 0) return complain(TARN_NO_MEMORY, "%s", result_text(TARN_NO_MEMORY));
    if (gallery.count == 0) remark("no scenes found; TARN_PATH may name a folder that has some");
    struct json json = json_begin(stdout);
    if (as_json) json_open(&json, NULL, '[');
    for (int i = 0; i < gallery.count; ++i) print_scene(gallery.paths[i], as_json ? &json : NULL);
    if (as_json) json_close(&json);
    gallery_free(&gallery);
    return 0;
}
