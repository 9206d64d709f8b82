// tarn scenes: list the scenes that commands find by name.
#include "apps/cli/commands.h"
#include "apps/common/app.h"

struct line {
    tarn_scene_info info;
    tarn_world_status status;
};

// Information on a scene and the size of its world. The strings belong to the scene, which the caller
// destroys.
static tarn_result read_scene(const char *path, tarn_scene **scene, struct line *line)
{
    const tarn_host host = {0};
    tarn_diagnostics diagnostics = {0};
    tarn_world *world = NULL;

    tarn_result r = tarn_scene_read(path, scene, &diagnostics);
    if (r == TARN_OK) r = tarn_scene_create_world(*scene, &host, &world, &diagnostics);
    if (r == TARN_OK) {
        tarn_scene_get_info(*scene, &line->info);
        line->status = tarn_world_get_status(world);
    }
    tarn_world_destroy(world);
    tarn_diagnostics_free(&diagnostics);
    return r;
}

static void print_text(const char *name, const char *path, tarn_result r, const struct line *line)
{
    print_sanitized(stdout, name);
    if (r != TARN_OK) {
        printf(": not usable (%s); see `tarn check ", result_message(r));
        print_sanitized(stdout, path);
        printf("`\n");
        return;
    }
    const tarn_scene_info *f = &line->info;
    const int n = line->status.body_count;
    printf(": ");
    print_sanitized(stdout, f->name);
    printf("\n    %s, %d x %d cells, %d %s, %g s\n", f->model, line->status.cells[0], line->status.cells[1],
           n, n == 1 ? "body" : "bodies", f->duration);
    if (f->description[0]) {
        printf("    ");
        print_sanitized(stdout, f->description);
        printf("\n");
    }
    printf("    ");
    print_sanitized(stdout, path);
    printf("\n");
}

static int is_planar(const char *model)
{
    const tarn_kind *kind = tarn_kind_find("fluid", model);
    return kind && (kind->flags & TARN_MODEL_PLANAR);
}

static void print_json(struct json_writer *json, const char *name, const char *path, tarn_result r,
                       const struct line *line)
{
    json_open(json, NULL, '{');
    json_text(json, "scene", name);
    json_text(json, "file", path);
    json_write_bool(json, "ok", r == TARN_OK);
    if (r == TARN_OK) {
        json_text(json, "name", line->info.name);
        json_text(json, "description", line->info.description);
        json_text(json, "model", line->info.model);
        json_write_bool(json, "planar", is_planar(line->info.model));
        json_open(json, "cells", '[');
        json_integer(json, NULL, line->status.cells[0]);
        json_integer(json, NULL, line->status.cells[1]);
        json_close(json);
        json_integer(json, "bodies", line->status.body_count);
        json_integer(json, "emitters", line->status.emitter_count);
        json_integer(json, "gauges", line->info.gauge_count);
        json_number(json, "time", line->info.duration);
        json_number(json, "dt", line->info.dt);
    }
    json_close(json);
}

static void print_scene(const char *path, struct json_writer *json)
{
    tarn_scene *scene = NULL;
    struct line line = {0};
    char name[256];

    scene_name_of(path, name, sizeof name);
    const tarn_result r = read_scene(path, &scene, &line);
    if (json)
        print_json(json, name, path, r, &line);
    else
        print_text(name, path, r, &line);
    tarn_scene_destroy(scene);
}

static int scenes_main(int argc, char **argv)
{
    int as_json = 0;
    const struct option options[] = {
        JSON_OPTION(&as_json, "print an array of objects"),
        OPTIONS_END,
    };
    const struct command_spec spec = {
        "tarn scenes [--json]",
        "Lists the scenes that `tarn run NAME` and the other commands find by name: the *.json files in the\n"
        "folders of $TARN_PATH, in ./scenes, in ../scenes of the program's folder and in the installed\n"
        "share/tarn/scenes. If two have the same name, the first is used.\n",
        "  tarn scenes\n"
        "  tarn scenes --json\n",
        0,
        0,
        options,
    };
    struct args args;
    struct scene_list gallery;

    const enum parse_result parsed = parse_options(&spec, argc, argv, &args);
    if (parsed != PARSED) return parse_exit_code(parsed);
    if (list_scenes(&gallery) != 0) return print_error(TARN_NO_MEMORY, "%s", result_message(TARN_NO_MEMORY));
    if (gallery.count == 0) print_status("no scenes found; set TARN_PATH to a folder with scenes");
    struct json_writer json = json_begin(stdout);
    if (as_json) json_open(&json, NULL, '[');
    for (int i = 0; i < gallery.count; ++i) print_scene(gallery.paths[i], as_json ? &json : NULL);
    if (as_json) json_close(&json);
    free_scene_list(&gallery);
    return 0;
}

const struct command command_scenes = {"scenes", "list the scenes that can be run by name", scenes_main};
