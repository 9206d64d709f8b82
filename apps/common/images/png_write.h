// Writes images as PNG files with libpng.
#ifndef APP_PNG_WRITE_H
#define APP_PNG_WRITE_H

#include <stdio.h>

// Write rows from the top, 3 bytes per pixel, and `comment` as metadata. Returns 0, or -1 without memory or
// if the stream failed (see ferror).
int png_write_rgb(FILE *out, int width, int height, const unsigned char *rgb, const char *comment);

#endif
