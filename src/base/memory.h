// Memory from the host's hook or the C library; always zeroed, 64-byte aligned.
#ifndef BASE_MEMORY_H
#define BASE_MEMORY_H

#include <tarn/types.h>

#include <stdbool.h>

struct memory {
    tarn_allocator allocator; // both functions set: memory_init fills in the C library's
};

void memory_init(struct memory *m, const tarn_allocator *hook);

// count * size zeroed bytes, NULL without memory or when the product overflows. count 0 gives one element.
void *memory_alloc(const struct memory *m, size_t count, size_t size);

// The same count and size as at memory_alloc. Freeing NULL is fine.
void memory_free(const struct memory *m, void *p, size_t count, size_t size);

// Room for `need` elements, old ones kept: *p moves, *capacity grows by half at least.
bool memory_grow(const struct memory *m, void **p, int *capacity, int need, size_t size);

#endif
