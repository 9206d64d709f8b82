// Stable counting sorts of indices: linear in the number of keys and equal on every machine.
#ifndef BASE_SORT_H
#define BASE_SORT_H

#include "base/arena.h"

// Sorts order[0 .. n) by keys[order[i]], each in 0 .. range-1; equal keys keep their order. `count` is
// scratch of range + 1 elements, `scratch` of n elements.
void counting_sort(const int *keys, int n, int range, int *order, int *scratch, int *count);

// Sorts the indices 0 .. n-1 by `lists` arrays of keys in 0 .. range-1; the last array is the most
// significant. The result belongs to the arena. NULL without memory.
int *sort_indices(struct arena *arena, int n, int range, const int *const *keys, int lists);

#endif
