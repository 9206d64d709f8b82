// Rounded ranges, quantiles and tick marks for axes and colour bars. No GL in here.
#ifndef DRAW_AXIS_TICKS_H
#define DRAW_AXIS_TICKS_H

// The smallest of ... 0.1 0.2 0.5 1 2 5 10 ... that is not below `value` (> 0). A range rounded in this way
// stays the same over many frames.
double round_up_1_2_5(double value);

// The quantile of |value - centre| at `fraction` (0 .. 1), rounded up by at most 1 %. Values that are not
// finite are ignored; 0 if there are no others.
double abs_quantile(const float *values, int count, double centre, double fraction);

// Tick positions in min .. max (min < max): multiples of a 1-2-5 step, about `wanted` of them, at most
// MAX_TICKS. Fills `ticks` and, unless NULL, the step; returns the count.
#define MAX_TICKS 32
int axis_ticks(double min, double max, int wanted, double ticks[MAX_TICKS], double *step);

// A tick as text with the decimals that its step needs; an exponent outside 1e-4 .. 1e6.
void format_tick(double tick, double step, char text[32]);

#endif
