// Rounded ranges, quantiles and tick marks for axes and colour bars; field_list.c and field_plot.c use them.
#include "axis_ticks.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

double round_up_1_2_5(double value)
{
    const double power = pow(10.0, floor(log10(value))), lead = value / power;
    const double slack = 1.0 + 1e-9; // 0.2 / 0.1 may be computed as slightly more than 2

    return power * (lead <= slack ? 1.0 : lead <= 2.0 * slack ? 2.0 : lead <= 5.0 * slack ? 5.0 : 10.0);
}

// Quantile by a histogram, refined while it lies in the lowest eighth, because single values may be very
// large.
double abs_quantile(const float *values, int count, double centre, double share)
{
    enum { BINS = 1024, ROUNDS = 12 };
    int bins[BINS], finite = 0;
    double most = 0.0;

    for (int c = 0; c < count; ++c) {
        const double away = fabs(values[c] - centre);
        if (!isfinite(away)) continue;
        ++finite;
        most = fmax(most, away);
    }
    for (int round = 0; most > 0.0 && round < ROUNDS; ++round) {
        int below = 0, k = 0;
        memset(bins, 0, sizeof bins);
        for (int c = 0; c < count; ++c) {
            const double at = fabs(values[c] - centre) / most * BINS;
            if (at <= BINS) ++bins[at < BINS ? (int)at : BINS - 1]; // false for NaN
        }
        while (k < BINS - 1 && (below += bins[k]) < share * finite) ++k;
        most *= (k + 1.0) / BINS;
        if (k >= BINS / 8) break;
    }
    return most;
}

int axis_ticks(double lo, double hi, int wanted, double ticks[MAX_TICKS], double *step)
{
    const double size = round_up_1_2_5((hi - lo) / (wanted > 2 ? wanted : 2)), slack = 1e-6 * size;
    const double first = ceil((lo - slack) / size);
    int count = 0;

    while (count < MAX_TICKS && (first + count) * size <= hi + slack) {
        const double tick = (first + count) * size;
        ticks[count++] = fmin(hi, fmax(lo, tick)) + 0.0; // + 0.0 turns -0 into 0
    }
    if (step) *step = size;
    return count;
}

void format_tick(double tick, double step, char text[32])
{
    const int digits = (int)ceil(-log10(step) - 1e-9);
    const double value = fabs(tick) < 1e-6 * step ? 0.0 : tick;

    if (digits > 5 || fabs(value) >= 1e6)
        snprintf(text, 32, "%.3g", value);
    else
        snprintf(text, 32, "%.*f", digits > 0 ? digits : 0, value);
}
