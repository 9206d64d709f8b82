// Pictures as PNG, through libpng.
#ifndef CLI_PNG_H
#define CLI_PNG_H

#include <stdio.h>

// Write rows from the top, 3 bytes a pixel, with `comment` in the file. 0, or -1 without memory or if the
// stream failed (see ferror).
int png_write_rgb(FILE *out, int width, int height, const unsigned char *rgb, const char *comment);

#endif
