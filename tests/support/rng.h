// Random numbers for tests: a sequence that depends on nothing but its seed and stream, and single numbers by
// index. Results are the same on all machines, so a failure can be repeated.
#ifndef TESTS_RNG_H
#define TESTS_RNG_H

#include "base/math/math.h"
#include "base/math/random.h"

#include <stdbool.h>
#include <stdint.h>

// A position in a sequence. Draw numbers in separate statements: C does not fix the order in which arguments
// of one call are evaluated.
struct rng {
    uint64_t seed, stream, n;
};

// Uniform in 0 .. 1.
static inline double rng_unit(struct rng *r) { return random_unit(r->seed, r->stream, r->n++); }

// Uniform in min .. max.
static inline double rng_between(struct rng *r, double min, double max)
{
    return min + (max - min) * rng_unit(r);
}

// The logarithm is uniform: every order of magnitude is equally likely.
static inline double rng_log_uniform(struct rng *r, double min, double max)
{
    return min * m_exp(rng_unit(r) * m_log(max / min));
}

// One of 0 .. count - 1.
static inline int rng_index(struct rng *r, int count) { return (int)(rng_unit(r) * count); }

// True with this probability.
static inline bool rng_chance(struct rng *r, double probability) { return rng_unit(r) < probability; }

// A vector of this length in a uniformly distributed direction, by rejection.
static inline vec3 rng_vector(struct rng *r, double length)
{
    for (;;) {
        const double x = rng_between(r, -1, 1), y = rng_between(r, -1, 1), z = rng_between(r, -1, 1);
        const vec3 v = v3(x, y, z);
        const double l = v3_length(v);
        if (0.01 < l && l < 1.0) return v3_scale(v, length / l);
    }
}

// Uniform in the box between two corners.
static inline vec3 rng_point(struct rng *r, vec3 min, vec3 max)
{
    const double x = rng_between(r, min.x, max.x), y = rng_between(r, min.y, max.y),
                 z = rng_between(r, min.z, max.z);
    return v3(x, y, z);
}

// The n-th number of a stream, uniform in min .. max.
static inline double random_between(double min, double max, uint64_t stream, uint64_t n)
{
    return min + (max - min) * random_unit(7, stream, n);
}

// The next number of the sequence SplitMix64.
static inline uint64_t splitmix64(uint64_t *state)
{
    uint64_t z = *state += 0x9e3779b97f4a7c15u;
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
    z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
    return z ^ (z >> 31);
}

#endif
