// A thread pool for callers, which any number of worlds share: a parallel loop with blocks of one task.
#include "base/error.h"
#include "parallel.h"

struct tarn_thread_pool {
    struct memory memory;
    struct parallel *parallel;
};

// One call of run().
struct task_loop {
    tarn_task_fn task;
    void *arg;
};

static void run_task(void *ctx, int begin, int end)
{
    const struct task_loop *loop = ctx;
    for (int i = begin; i < end; ++i) loop->task(loop->arg, i);
}

static void run_loop(void *pool, tarn_task_fn task, void *arg, int count)
{
    struct task_loop loop = {task, arg};
    parallel_for_rows(((tarn_thread_pool *)pool)->parallel, count, 1, run_task, &loop);
}

tarn_result tarn_thread_pool_create(int thread_count, const tarn_allocator *allocator, tarn_thread_pool **out,
                                    tarn_error *err)
{
    if (!out) return fail(err, TARN_BAD_ARGUMENT, "", "null pointer");
    *out = NULL;
    if (thread_count < 1 || thread_count > MAX_WORKERS)
        return fail(err, TARN_BAD_ARGUMENT, "thread_count", "%d is outside 1 .. %d", thread_count,
                    MAX_WORKERS);
    struct memory memory;
    memory_init(&memory, allocator);
    tarn_thread_pool *pool = memory_alloc(&memory, 1, sizeof *pool);
    if (!pool) return fail(err, TARN_NO_MEMORY, "", "no memory for a thread pool");
    pool->memory = memory;
    pool->parallel = parallel_create(&memory, NULL, thread_count);
    if (!pool->parallel) {
        memory_free(&memory, pool, 1, sizeof *pool);
        return fail(err, TARN_NO_MEMORY, "", "no memory for threads");
    }
    *out = pool;
    return TARN_OK;
}

void tarn_thread_pool_destroy(tarn_thread_pool *pool)
{
    if (!pool) return;
    const struct memory memory = pool->memory;
    parallel_destroy(pool->parallel);
    memory_free(&memory, pool, 1, sizeof *pool);
}

tarn_task_system tarn_thread_pool_tasks(tarn_thread_pool *pool)
{
    return pool ? (tarn_task_system){run_loop, pool} : (tarn_task_system){0};
}
