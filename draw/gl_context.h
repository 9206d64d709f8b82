// Where pictures go: all that differs between hosts. A kind is one file and one line of the table in surface.c.
#ifndef DRAW_GL_CONTEXT_H
#define DRAW_GL_CONTEXT_H

#include "draw.h"

struct surface_kind {
    // The context, made current. NULL on failure, and `why` (256 bytes) says what is missing.
    void *(*create)(enum draw_api api, char *why);
    void (*destroy)(void *self);
    bool (*use)(void *self); // make it the one that GL calls go to in this thread
};

// True if the context in use is not what an api needs; `why` (256 bytes) then says what is there and what is needed.
bool surface_too_old(enum draw_api api, char *why);

const struct surface_kind *surface_kind_of(enum draw_place place); // NULL: no such place

#endif
