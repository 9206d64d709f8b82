// The GL context that the renderer uses. A kind of context is one file and one line of the table in
// gl_context.c.
#ifndef DRAW_GL_CONTEXT_H
#define DRAW_GL_CONTEXT_H

#include "draw.h"

struct gl_context_kind {
    // Create the context and make it current. NULL on failure, and `why` (256 bytes) says what is missing.
    void *(*create)(enum draw_api api, char *why);
    void (*destroy)(void *self);
    bool (*make_current)(void *self); // in this thread
};

// True if the current context is older than an API needs; `why` (256 bytes) then has both versions.
bool gl_context_too_old(enum draw_api api, char *why);

const struct gl_context_kind *gl_context_kind_of(enum draw_context context); // NULL: invalid value

#endif
