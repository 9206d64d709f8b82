// tarn check: every mistake of scene files, with its place; nothing is run.
#include "apps/cli/commands.h"
#include "apps/common/app.h"

enum { PATH_BYTES = 4096 };

// Read the scene and put its world together: some mistakes only show then.
static tarn_result try_scene(const char *path, tarn_notes *notes)
{
    const tarn_host host = {0};
    tarn_scene *scene = NULL;
    tarn_world *world = NULL;

    tarn_result r = tarn_scene_read(path, &scene, notes);
    if (r == TARN_OK) r = tarn_scene_world(scene, &host, &world, notes);
    tarn_world_destroy(world);
    tarn_scene_destroy(scene);
    return r;
}

static int check_one(const char *word, struct json *json)
{
    char path[PATH_BYTES];
    tarn_notes notes = {0};
    int code = gallery_find(word, path, sizeof path);

    if (code == 0) {
        const tarn_result r = try_scene(path, &notes);
        code = (int)r;
    } else {
        snprintf(path, sizeof path, "%s", word);
    }
    if (json) {
        json_open(json, NULL, '{');
        json_text(json, "file", path);
        json_flag(json, "ok", code == 0);
        json_text(json, "result", result_text((tarn_result)code));
        json_notes(json, "notes", &notes);
        json_close(json);
    } else {
        print_notes(stdout, &notes);
        if (code == 0 || notes.count == 0) {
            print_clean(stdout, path);
            printf(": %s\n", result_text((tarn_result)code));
        }
    }
    tarn_notes_free(&notes);
    return code;
}

int command_check(int argc, char **argv)
{
    static const struct usage usage = {
        "tarn check SCENE... [--json]",
        "Reads each scene, puts its world together and prints every mistake with its place, its line and a\n"
        "caret; nothing is run. SCENE is a file, or a name from `tarn scenes`. Exit code 3 if a scene has a\n"
        "mistake, 4 if a file cannot be read.\n",
        "  tarn check my_scene.json\n"
        "  tarn check scenes/*.json --json\n",
        1,
        -1,
    };
    int as_json = 0, words;
    const struct option options[] = {
        {OPTION_FLAG, "json", 0, NULL, &as_json, 0, 0, "an array of {file, ok, result, notes} on stdout"},
        {OPTION_END, NULL, 0, NULL, NULL, 0, 0, NULL},
    };

    const int code = options_read(&usage, options, argc, argv, &words);
    if (code >= 0) return code;
    return json_each(argv + 1, words, as_json, check_one);
}
