// Sample command: prints the number of cells of a scene.
#include "apps/cli/commands.h"
#include "apps/common/app.h"

static int cells_main(int argc, char **argv)
{
    static const struct option options[] = {OPTIONS_END};
    static const struct command_spec spec = {
        "tarn cells SCENE", "Prints the number of cells of a scene.\n", "  tarn cells pond\n", 1, 1, options,
    };
    struct args args;
    tarn_scene *scene = NULL;
    tarn_world *world = NULL;

    const enum parse_result parsed = parse_options(&spec, argc, argv, &args);
    if (parsed != PARSED) return parse_exit_code(parsed);
    const tarn_host host = app_host(1, 1);
    int code = load_scene(args.positional[0], NULL, &scene, NULL, 0);
    if (code == 0) code = create_world(scene, &host, &world);
    if (code == 0) {
        const tarn_world_status status = tarn_world_get_status(world);
        printf("%d\n", status.cells[0] * status.cells[1]);
    }
    tarn_world_destroy(world);
    tarn_scene_destroy(scene);
    return code;
}

const struct command command_cells = {"cells", "print the number of cells of a scene", cells_main};
