// tarn check: report all errors of scene files with their location; nothing is simulated.
#include "apps/cli/commands.h"
#include "apps/common/app.h"

enum { PATH_BYTES = 4096 };

// Read the scene and create its world: some errors are found only then.
static tarn_result try_scene(const char *path, tarn_diagnostics *diagnostics)
{
    const tarn_host host = {0};
    tarn_scene *scene = NULL;
    tarn_world *world = NULL;

    tarn_result r = tarn_scene_read(path, &scene, diagnostics);
    if (r == TARN_OK) r = tarn_scene_create_world(scene, &host, &world, diagnostics);
    tarn_world_destroy(world);
    tarn_scene_destroy(scene);
    return r;
}

static int check_one(const char *word, struct json_writer *json)
{
    char path[PATH_BYTES];
    tarn_diagnostics diagnostics = {0};
    int code = find_scene(word, path, sizeof path);

    if (code == 0) {
        const tarn_result r = try_scene(path, &diagnostics);
        code = (int)r;
    } else {
        snprintf(path, sizeof path, "%s", word);
    }
    if (json) {
        json_open(json, NULL, '{');
        json_text(json, "file", path);
        json_write_bool(json, "ok", code == 0);
        json_text(json, "result", result_message((tarn_result)code));
        json_diagnostics(json, "diagnostics", &diagnostics);
        json_close(json);
    } else {
        print_diagnostics(stdout, &diagnostics);
        if (code == 0 || diagnostics.count == 0) {
            print_sanitized(stdout, path);
            printf(": %s\n", result_message((tarn_result)code));
        }
    }
    tarn_diagnostics_free(&diagnostics);
    return code;
}

static int check_main(int argc, char **argv)
{
    int as_json = 0;
    const struct option options[] = {
        JSON_OPTION(&as_json, "print an array of {file, ok, result, diagnostics}"),
        OPTIONS_END,
    };
    const struct command_spec spec = {
        "tarn check SCENE... [--json]",
        "Reads each scene, creates its world and prints all errors with file, line and a caret under\n"
        "the column; nothing is simulated. SCENE is a file, or a name from `tarn scenes`. Exit code 3\n"
        "if a scene has an error, 4 if a file cannot be read.\n",
        "  tarn check my_scene.json\n"
        "  tarn check scenes/*.json --json\n",
        1,
        -1,
        options,
    };
    struct args args;

    const enum parse_result parsed = parse_options(&spec, argc, argv, &args);
    if (parsed != PARSED) return parse_exit_code(parsed);
    return for_each_argument(&args, as_json, check_one);
}

const struct command command_check = {"check", "report all errors of scene files", check_main};
