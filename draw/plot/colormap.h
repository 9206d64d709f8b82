// Colour maps by name. No GL in here.
#ifndef DRAW_COLORMAP_H
#define DRAW_COLORMAP_H

#include <stdbool.h>

// The names of the colour maps, in a fixed order. NULL past the last. The suffix "_r" reverses a map.
const char *colormap_name(int index);

// 256 colours from the low to the high end (sRGB). False if there is no such map.
bool colormap_table(const char *name, unsigned char rgb[256][3]);

#endif
