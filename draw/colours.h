// Colour maps by name, and the rounding of ranges that a colour bar needs. No GL in here.
#ifndef DRAW_COLOURS_H
#define DRAW_COLOURS_H

#include <stdbool.h>

// The names of the maps, in a fixed order. NULL past the last. "_r" behind a name turns a map round.
const char *colours_name(int index);

// 256 colours from the low to the high end (sRGB). False if there is no such map.
bool colours_table(const char *name, unsigned char rgb[256][3]);

// The smallest of ... 0.1 0.2 0.5 1 2 5 10 ... that is not below `value` (> 0). A range rounded so stays the
// same over many frames.
double scale_up(double value);

// The distance from `centre` that the part `share` (0 .. 1) of the values does not exceed, rounded up by 1 %
// at most. Values that are not finite do not count; 0 if there are no others.
double scale_share(const float *values, int count, double centre, double share);

// Where to put numbers in lo .. hi (lo < hi): multiples of a 1-2-5 step, about `wanted` of them, at most
// SCALE_TICKS. Fills `ticks` and, unless NULL, the step; gives back how many.
#define SCALE_TICKS 32
int scale_ticks(double lo, double hi, int wanted, double ticks[SCALE_TICKS], double *step);

// A tick as text: as many decimals as its step needs, exponents beyond 1e-4 .. 1e6.
void scale_text(double tick, double step, char text[32]);

#endif
