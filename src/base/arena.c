// Stack of temporary memory blocks.
#include "base/arena.h"

void *arena_alloc(struct arena *arena, size_t count, size_t size)
{
    if (arena->block_count == ARENA_BLOCKS) return NULL;
    void *block = memory_alloc(arena->memory, count, size);
    if (!block) return NULL;
    arena->blocks[arena->block_count].p = block;
    arena->blocks[arena->block_count].count = count;
    arena->blocks[arena->block_count++].size = size;
    return block;
}

void arena_release(struct arena *arena, int mark)
{
    while (arena->block_count > mark) {
        arena->block_count--;
        memory_free(arena->memory, arena->blocks[arena->block_count].p,
                    arena->blocks[arena->block_count].count, arena->blocks[arena->block_count].size);
    }
}
