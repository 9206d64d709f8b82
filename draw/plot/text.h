// Text in an image with the bitmap font of font.c.
#ifndef DRAW_TEXT_H
#define DRAW_TEXT_H

#include "draw/passes/pass.h"

struct text;

// [pixels] height of a capital letter and distance of two lines, at scale 1
#define TEXT_CAP_HEIGHT 7
#define TEXT_LINE       11

struct text *text_create(const struct draw_setup *setup, char *why); // NULL on failure
void text_destroy(struct text *t);

// [pixels] width of a UTF-8 string at a scale
int text_width(const char *string, int scale);

// Draw a string into the image of `s`; x, y is the upper left corner of its first capital letter, in pixels
// from the upper left corner of the image. Unknown characters are drawn as a box. Leaves blending enabled.
void text_draw(struct text *t, const struct draw_frame_state *s, int x, int y, int scale, const float rgb[3],
               const char *string);

#endif
