// The GL context that the caller has made current, for example that of a window. The caller keeps it.
// draw_create() uses it for DRAW_CURRENT_CONTEXT.
#include "gl_context.h"

#include <epoxy/gl.h>

#include <stdio.h>

bool gl_context_too_old(enum draw_api api, char *why)
{
    const bool desktop = epoxy_is_desktop_gl();
    const int version = epoxy_gl_version(), needed = api == DRAW_GLES ? 30 : 33;

    if (version >= needed && desktop == (api == DRAW_GL)) return false;
    snprintf(why, 256, "OpenGL %s%d.%d is there (%.100s), and %s%d.%d is needed: a newer driver may have it",
             desktop ? "" : "ES ", version / 10, version % 10, (const char *)glGetString(GL_RENDERER),
             api == DRAW_GLES ? "ES " : "", needed / 10, needed % 10);
    return true;
}

static void *create(enum draw_api api, char *why)
{
    static char placeholder; // there is no state, but NULL means failure
    return gl_context_too_old(api, why) ? NULL : &placeholder;
}

static void destroy(void *self) { (void)self; }

static bool make_current(void *self)
{
    (void)self;
    return true;
}

const struct gl_context_kind gl_context_current = {create, destroy, make_current};
