// Stack of temporary memory blocks: allocations live until a mark is released.
#ifndef BASE_ARENA_H
#define BASE_ARENA_H

#include "base/memory.h"

#define ARENA_BLOCKS 24 // largest number of live blocks

// Start with {.memory = m}; end with arena_release(arena, 0).
struct arena {
    const struct memory *memory;
    struct {
        void *p;
        size_t count, size;
    } blocks[ARENA_BLOCKS];
    int block_count;
};

// Returns count * size zeroed bytes that live until arena_release() with an earlier mark. NULL without
// memory.
void *arena_alloc(struct arena *arena, size_t count, size_t size);
static inline int arena_mark(const struct arena *arena) { return arena->block_count; }
void arena_release(struct arena *arena, int mark);

#endif
