// An allocator for tests that counts, and fails on request.
#ifndef TESTS_COUNTING_ALLOCATOR_H
#define TESTS_COUNTING_ALLOCATOR_H

#include "base/memory.h"

#include <stdlib.h>
#include <string.h>

// An allocator that gives dirty memory, counts, and notices when freed sizes differ.
struct counting_allocator {
    size_t now, peak;
    long blocks;
    int left;    // allocations until it says no; negative: never
    int once;    // it says no a single time
    long calls;  // allocations asked for
    int refused; // how often it said no
};

static inline void *counting_alloc(void *ctx, size_t size, size_t align)
{
    struct counting_allocator *l = ctx;
    void *p = NULL;

    ++l->calls;
    if (l->left == 0) {
        ++l->refused;
        if (l->once) l->left = -1;
        return NULL;
    }
    if (l->left > 0) --l->left;
    p = aligned_alloc(align, (size + align - 1) / align * align);
    if (!p) return NULL;
    memset(p, 0xAA, size);
    l->now += size;
    if (l->now > l->peak) l->peak = l->now;
    ++l->blocks;
    return p;
}

static inline void counting_free(void *ctx, void *p, size_t size)
{
    struct counting_allocator *l = ctx;
    l->now -= size;
    --l->blocks;
    free(p);
}

static inline tarn_allocator counting_hook(struct counting_allocator *l)
{
    return (tarn_allocator){counting_alloc, counting_free, l};
}

static inline struct memory counting_memory(struct counting_allocator *l)
{
    struct memory m;
    const tarn_allocator hook = counting_hook(l);
    memory_init(&m, &hook);
    return m;
}

#endif
