// Parallel loops over blocks of rows, on a thread pool or as tasks of the host. Results do not depend on the
// number of threads: the grid determines the blocks, and every block writes its own rows only.
#ifndef BASE_PARALLEL_H
#define BASE_PARALLEL_H

#include "base/memory.h"

#define MAX_WORKERS 64

struct parallel;

// Without host tasks, workers - 1 threads are started; with workers 0 or 1 everything runs on the caller's
// thread. If some threads cannot be started, the pool works with fewer. Returns NULL without memory.
struct parallel *parallel_create(const struct memory *m, const tarn_task_system *tasks, int workers);
void parallel_destroy(struct parallel *p);
void parallel_set_tasks(struct parallel *p, const tarn_task_system *tasks); // its own threads end

// Processes rows j0 .. j1-1.
typedef void (*row_range_fn)(void *ctx, int j0, int j1);

// Calls fn(ctx, j0, j1) for rows 0 .. rows-1 in blocks of block_rows rows and returns when all are done. fn
// must not read what another block writes. All threads use the library's floating-point modes (fpmode.h).
void parallel_for_rows(struct parallel *p, int rows, int block_rows, row_range_fn fn, void *ctx);

#endif
