// Stable counting sorts of indices.
#include "base/sort.h"

#include <string.h>

void counting_sort(const int *keys, int n, int range, int *order, int *scratch, int *count)
{
    memset(count, 0, ((size_t)range + 1) * sizeof *count);
    for (int i = 0; i < n; ++i) count[keys[order[i]] + 1]++;
    for (int k = 0; k < range; ++k) count[k + 1] += count[k];
    for (int i = 0; i < n; ++i) scratch[count[keys[order[i]]]++] = order[i];
    memcpy(order, scratch, (size_t)n * sizeof *order);
}

int *sort_indices(struct arena *arena, int n, int range, const int *const *keys, int lists)
{
    int *order = arena_alloc(arena, (size_t)n, sizeof *order);
    const int mark = arena_mark(arena);
    int *scratch = arena_alloc(arena, (size_t)n, sizeof *scratch);
    int *count = arena_alloc(arena, (size_t)range + 1, sizeof *count);

    if (!order || !scratch || !count) return NULL;
    for (int i = 0; i < n; ++i) order[i] = i;
    for (int k = 0; k < lists; ++k) counting_sort(keys[k], n, range, order, scratch, count);
    arena_release(arena, mark);
    return order;
}
