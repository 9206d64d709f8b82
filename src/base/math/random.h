// Counter-based random numbers: the n-th number of a stream is a pure function of (seed, stream, n). There
// is no state to save, and the order of calls does not matter.
#ifndef BASE_RANDOM_H
#define BASE_RANDOM_H

#include <stdint.h>

uint64_t random_bits(uint64_t seed, uint64_t stream, uint64_t n);

// Uniform, 0 <= x < 1, a multiple of 2^-53.
double random_unit(uint64_t seed, uint64_t stream, uint64_t n);

#endif
