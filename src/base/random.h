// Random numbers without memory: the n-th number of stream k of a seed, the same everywhere. Nothing to
// save, and any order of asking gives the same answers.
#ifndef BASE_RANDOM_H
#define BASE_RANDOM_H

#include <stdint.h>

uint64_t random_bits(uint64_t seed, uint64_t stream, uint64_t n);

// 0 <= x < 1 in steps of 2^-53
double random_unit(uint64_t seed, uint64_t stream, uint64_t n);

#endif
