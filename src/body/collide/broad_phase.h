// Broad phase: pairs of bodies whose AABBs overlap.
#ifndef BODY_COLLIDE_BROAD_PHASE_H
#define BODY_COLLIDE_BROAD_PHASE_H

#include "body/body.h"

struct aabb {
    vec3 lo, hi;
};
struct body_pair {
    int a, b, image; // slots, a < b; periodic image of b, see image_offset()
};
// The fat AABB of a body or of one of its periodic images.
struct proxy {
    int slot, dx, dz;
    struct aabb box;
};
struct broad_phase {
    struct aabb *fat_aabb; // per slot, of the last sweep
    int fat_aabb_capacity;
    bool is_stale;           // the pairs must be found again, whatever moved
    struct body_pair *pairs; // sorted by a, b and image; behind them the output of the counting sort
    int pair_count, pair_capacity;
    // scratch of a sweep
    struct proxy *proxies;
    int proxy_capacity;
    unsigned *keys;
    int *order;
    union {
        int *sort_scratch; // of the radix sort of the proxies
        int *pair_start;   // of the counting sort of the pairs, per slot
    };
    int key_capacity, order_capacity, sort_scratch_capacity;
    float *endpoints; // lower and upper end of each proxy along the sweep axis and the two others
    int endpoint_capacity;
};

// Finds all pairs of bodies whose AABBs overlap. period: [m] along x and z, 0: not periodic. False: out of
// memory.
bool broad_phase_update(struct bodies *b, const struct aabb *aabb, const double period[2]);
bool broad_phase_reserve(struct bodies *b, int slots, int pairs);

// [m] From a body to its periodic image 3 (dx + 1) + dz + 1 with dx, dz in -1, 0, 1.
#define IMAGE_SELF 4 // dx = dz = 0: the body itself
vec3 image_offset(int image, const double period[2]);

#endif
