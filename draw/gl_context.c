#include "gl_context.h"

extern const struct surface_kind surface_egl, surface_window;

static const struct surface_kind *const kinds[] = {
    [DRAW_ALONE] = &surface_egl, [DRAW_HERE] = &surface_window};

const struct surface_kind *surface_kind_of(enum draw_place place)
{
    return (unsigned)place < sizeof kinds / sizeof kinds[0] ? kinds[place] : NULL;
}
