// The letters of plots: 5 columns, 7 rows for capitals and 2 more below the line.
#ifndef CLI_PLOT_FONT_H
#define CLI_PLOT_FONT_H

enum { FONT_COLUMNS = 5, FONT_ROWS = 9, FONT_CAPITAL = 7 };

// One byte a row from the top, bit 4 is the left column. Signs that are not ASCII are drawn as a box.
const unsigned char *font_rows(unsigned char sign);

// First inked column and number of columns: letters stand as close as their ink allows, digits take all 5.
void font_extent(unsigned char sign, int *first, int *columns);

#endif
