// Allocation through the host's allocator or the C library. Memory is always zeroed and 64-byte aligned.
#ifndef BASE_MEMORY_H
#define BASE_MEMORY_H

#include <tarn/base.h>

#include <stdbool.h>

struct memory {
    tarn_allocator allocator; // both functions are set: the host's, or those of the C library
};

// allocator may be NULL, or lack a function: then the C library is used.
void memory_init(struct memory *m, const tarn_allocator *allocator);

// Returns count * size zeroed bytes, or NULL without memory or if the product overflows. count 0 is treated
// as 1.
void *memory_alloc(const struct memory *m, size_t count, size_t size);

// count and size must be those of memory_alloc. p may be NULL.
void memory_free(const struct memory *m, void *p, size_t count, size_t size);

// Makes sure that *p has a capacity of at least `need` elements and keeps its contents. If it must grow,
// *capacity grows by at least half and *p changes. Returns false without memory.
bool memory_grow(const struct memory *m, void **p, int *capacity, int need, size_t size);

#endif
