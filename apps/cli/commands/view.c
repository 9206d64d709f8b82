// tarn view: starts tarn-view, a separate program, so that tarn does not depend on libraries for windows.
#define _POSIX_C_SOURCE 200809L
#include "apps/cli/commands.h"
#include "apps/common/app.h"

#include <errno.h>
#include <string.h>
#include <unistd.h>

static int view_main(int argc, char **argv)
{
    static const char *const places[] = {"tarn-view", "../libexec/tarn/tarn-view"};
    char folder[4096], path[4200];

    (void)argc;
    executable_dir(folder, sizeof folder);
    for (int i = 0; i < 2; ++i) {
        snprintf(path, sizeof path, "%s/%s", folder, places[i]);
        if (access(path, X_OK) != 0) continue;
        execv(path, argv); // argv[0] is "view"
        return print_error(TARN_IO, "%s: %s", path, strerror(errno));
    }
    return print_error(
        TARN_FAILED,
        "view: there is no tarn-view; it is built where GLFW and Dear ImGui are (scripts/setup view)");
}

const struct command command_view = {"view", "open a scene in an interactive window", view_main};
