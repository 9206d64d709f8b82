// The table of GL context kinds; draw_create() looks them up.
#include "gl_context.h"

extern const struct gl_context_kind gl_context_egl, gl_context_current;

static const struct gl_context_kind *const kinds[] = {
    [DRAW_HEADLESS] = &gl_context_egl, [DRAW_CURRENT_CONTEXT] = &gl_context_current};

const struct gl_context_kind *gl_context_kind_of(enum draw_context context)
{
    return (unsigned)context < sizeof kinds / sizeof kinds[0] ? kinds[context] : NULL;
}
