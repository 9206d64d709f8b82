// Rows in fixed blocks over own threads or the host's tasks. Results never depend on how many there are,
// because blocks are numbered by the grid and every block writes only its own rows.
#ifndef BASE_PARALLEL_H
#define BASE_PARALLEL_H

#include "memory.h"

struct parallel;

// workers 0 or 1 with no host tasks: everything runs on the caller's thread. NULL without memory.
// Threads that cannot be started are done without.
struct parallel *parallel_create(const struct memory *m, const tarn_tasks *tasks, int workers);
void parallel_destroy(struct parallel *p);

typedef void (*row_range_fn)(void *ctx, int j0, int j1);

// fn(ctx, j0, j1) for rows 0 .. rows-1 in blocks of `block` rows. fn must not read what another block
// writes. Floating-point modes of all threads are the library's own (fpmode.h).
void parallel_for_rows(struct parallel *p, int rows, int block, row_range_fn fn, void *ctx);

#endif
