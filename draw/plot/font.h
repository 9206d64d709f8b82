// A bitmap font: ASCII and a few characters for units. text.c and apps/cli/plot.c draw with it.
#ifndef DRAW_FONT_H
#define DRAW_FONT_H

// 5 columns, 7 rows for capitals and 2 more below the base line. The last glyph stands for every unknown
// character.
enum { FONT_COLUMNS = 5, FONT_ROWS = 9, FONT_CAP_HEIGHT = 7, FONT_COUNT = 102 };

// The glyph of the first character of a UTF-8 string, which must not be empty; advances the string past it.
int font_next_glyph(const char **string);

// One byte per row from the top; bit 4 is the left column.
const unsigned char *font_rows(int glyph);

// First inked column and number of inked columns. Digits always take all 5 columns.
void font_ink_columns(int glyph, int *first, int *columns);

#endif
