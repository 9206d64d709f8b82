// A hash of (seed, stream, n). The n-th number is mix(mix(key + n GOLDEN) ^ key), a bijection of n, so that
// no number occurs twice in a stream. The mixer (shift, multiply, shift, multiply, shift) is that of
// [steele2014], with the multipliers of David Stafford's "mix 13" given there.
#include "random.h"

#include <tarn/tarn.h>

#define GOLDEN UINT64_C(0x9E3779B97F4A7C15)

static uint64_t mix(uint64_t x)
{
    x = (x ^ x >> 30) * UINT64_C(0xBF58476D1CE4E5B9);
    x = (x ^ x >> 27) * UINT64_C(0x94D049BB133111EB);
    return x ^ x >> 31;
}

uint64_t random_bits(uint64_t seed, uint64_t stream, uint64_t n)
{
    const uint64_t key = mix(mix(seed + GOLDEN) + stream * GOLDEN);
    return mix(mix(key + n * GOLDEN) ^ key);
}

double random_unit(uint64_t seed, uint64_t stream, uint64_t n)
{
    return (double)(random_bits(seed, stream, n) >> 11) * 0x1p-53;
}

double tarn_random(uint64_t seed, uint64_t stream, uint64_t n) { return random_unit(seed, stream, n); }
