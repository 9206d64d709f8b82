// Small text in pixels, with a bitmap font of our own: ASCII and a few signs of units (see text.c).
#ifndef DRAW_TEXT_H
#define DRAW_TEXT_H

#include "draw/passes/pass.h"

struct text;

// Rows of a capital letter, and from one line to the next, at scale 1
#define TEXT_CAPITAL 7
#define TEXT_LINE    11

struct text *text_create(const struct draw_setup *setup, char *why); // NULL on failure
void text_destroy(struct text *t);

// [pixels] of a string (UTF-8) at a scale
int text_width(const char *string, int scale);

// Draw a string into the picture of `s`; x, y is the upper left corner of its first capital, in pixels from
// the upper left corner of the picture. Unknown signs are drawn as a box. Leaves blending on.
void text_draw(struct text *t, const struct scene_gl *s, int x, int y, int scale, const float rgb[3],
               const char *string);

#endif
