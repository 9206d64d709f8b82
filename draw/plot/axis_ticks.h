// The rounding of ranges and the tick marks that axes and a colour bar need. No GL in here.
#ifndef DRAW_AXIS_TICKS_H
#define DRAW_AXIS_TICKS_H

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
