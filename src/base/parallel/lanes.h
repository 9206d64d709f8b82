// Helpers for loops that the compiler vectorises: minimum, maximum and absolute value of floats, and sums in
// a fixed order.
#ifndef BASE_LANES_H
#define BASE_LANES_H

#include <stddef.h>
#include <stdint.h>
#include <string.h>

// Plain comparisons vectorise; fmaxf and fminf do not, because they treat NaN separately.
static inline float max_f(float a, float b) { return a > b ? a : b; }
static inline float min_f(float a, float b) { return a < b ? a : b; }
static inline float abs_f(float a) { return a < 0.0f ? -a : a; }

// The bits of |a| as an integer. Integers compare in the order of the absolute values, with infinity and NaN
// above all numbers, so a maximum over them vectorises and detects NaN.
static inline int32_t abs_bits(float a)
{
    int32_t bits;
    memcpy(&bits, &a, sizeof bits);
    return bits & 0x7fffffff;
}

static inline int32_t max_i32(int32_t a, int32_t b) { return a > b ? a : b; }

// Inverse of abs_bits.
static inline float float_of_bits(int32_t bits)
{
    float a;
    memcpy(&a, &bits, sizeof a);
    return a;
}

// Sums are accumulated in eight lanes on every CPU, and the lanes are added in one fixed order, so that all
// machines give the same bits.
static inline double add_lanes(const double lane[8])
{
    return ((lane[0] + lane[1]) + (lane[2] + lane[3])) + ((lane[4] + lane[5]) + (lane[6] + lane[7]));
}

static inline double sum_doubles(const double *a, size_t n)
{
    double lane[8] = {0};
    size_t i = 0;
    for (; i + 8 <= n; i += 8)
        for (size_t k = 0; k < 8; ++k) lane[k] += a[i + k];
    for (size_t k = 0; i + k < n; ++k) lane[k] += a[i + k];
    return add_lanes(lane);
}

#endif
