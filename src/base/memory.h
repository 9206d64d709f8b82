// Allocation through the host's allocator or the C library. Memory is always zeroed and 64-byte aligned.
#ifndef BASE_MEMORY_H
#define BASE_MEMORY_H

#include <tarn/base.h>

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

// What was allocated through all copies of a struct memory. Queries on several threads may allocate.
struct memory_use {
    atomic_size_t bytes, peak_bytes;
    _Atomic uint64_t allocations; // calls of the allocator that gave memory
};

struct memory {
    tarn_allocator allocator; // both functions are set: the host's, or those of the C library
    struct memory_use *use;   // NULL: nothing is counted
};

// allocator may be NULL, or lack a function: then the C library is used.
void memory_init(struct memory *m, const tarn_allocator *allocator);

// Adds an allocation of so many bytes to the counters; use may be NULL.
void memory_use_add(struct memory_use *use, size_t bytes);

// Returns count * size zeroed bytes, or NULL without memory or if the product overflows. count 0 is treated
// as 1.
void *memory_alloc(const struct memory *m, size_t count, size_t size);

// count and size must be those of memory_alloc. p may be NULL.
void memory_free(const struct memory *m, void *p, size_t count, size_t size);

// Makes sure that *p has a capacity of at least `need` elements and keeps its contents. If it must grow,
// *capacity grows by at least half and *p changes. Returns false without memory.
bool memory_grow(const struct memory *m, void **p, int *capacity, int need, size_t size);

// Zeroes `count` elements. p may be NULL if there are none.
void memory_clear(void *p, int count, size_t size);

#endif
