// Where pictures go: all that differs between hosts.
#ifndef DRAW_SURFACE_H
#define DRAW_SURFACE_H

#include "draw.h"

struct surface;

// A context without a window. NULL on failure, and `why` (256 bytes) says what is missing.
struct surface *surface_create(enum draw_api api, char *why);
void surface_destroy(struct surface *s);

// Make it the one that GL calls go to in this thread.
bool surface_use(struct surface *s);

#endif
