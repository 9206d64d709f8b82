// The letters: a bitmap font of our own, ASCII and a few signs of units.
#ifndef DRAW_FONT_H
#define DRAW_FONT_H

// 5 columns, 7 rows for capitals and 2 more below the line. The last glyph stands for every unknown sign.
enum { FONT_COLUMNS = 5, FONT_ROWS = 9, FONT_CAPITAL = 7, FONT_COUNT = 102 };

// The glyph of the first sign of a string (UTF-8, not empty); the string is moved behind it.
int font_next(const char **string);

// One byte a row from the top, bit 4 is the left column.
const unsigned char *font_rows(int glyph);

// First inked column and number of columns: letters stand as close as their ink allows, digits take all 5.
void font_extent(int glyph, int *first, int *columns);

#endif
