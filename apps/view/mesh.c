// A mesh file that is dropped on the window becomes a body.
#include "view.h"

bool palette_spawn_mesh(struct view *v, const char *path)
{
    view_say(v, "%s: only scene files can be opened here", path);
    return false;
}
