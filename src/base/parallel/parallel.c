// A thread pool for blocks of rows. One atomic word, the ticket, publishes a job:
//
//     ticket = number of the job << 32 | blocks not yet claimed
//
// A thread claims a block by decrementing the ticket. It reads the job's other fields only while it owns a
// block, and the caller changes them only when all blocks are finished. A thread that wakes late therefore
// finds either no block or a block of the next job, and no thread waits for it.
//
// Threads wait by spinning for a few microseconds and then sleep: on cores shared with other programs long
// spinning would take time from threads that have work to do.
#define _POSIX_C_SOURCE 200809L
#include "parallel.h"

#include "base/error.h"
#include "base/math/math.h"
#include "fpmode.h"

#ifdef TARN_THREADS
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <time.h>
#endif

#define SPIN_NS 3000
// A task needs less than 64 kB; sanitizers and thread-local variables of the host need more.
#define STACK_BYTES ((size_t)256 << 10)

struct job {
    row_range_fn fn;
    void *ctx;
    int rows, block_rows, block_count;
};

static void run_block(const struct job *job, int index)
{
    const int j0 = index * job->block_rows; // less than rows: no overflow
    const struct fpmode saved_mode = fpmode_enter();
    job->fn(job->ctx, j0, j0 + imin(job->block_rows, job->rows - j0));
    fpmode_leave(saved_mode);
}

static void run_host_task(void *arg, int index) { run_block(arg, index); }

static void run_here(const struct job *job)
{
    for (int i = 0; i < job->block_count; ++i) run_block(job, i);
}

#ifdef TARN_THREADS

struct parallel {
    struct memory memory;
    tarn_task_system tasks;
    struct job job;
    _Alignas(64) _Atomic uint64_t ticket;
    _Alignas(64) atomic_int unfinished; // blocks of the job not yet finished
    atomic_int stop;
    atomic_flag busy; // a thread has a job in the pool
    _Alignas(64) pthread_mutex_t lock;
    pthread_cond_t work_ready, all_done;
    int sleeping_threads; // guarded by lock
    int caller_sleeping;  // guarded by lock
    int thread_count;     // threads started, without the caller's
    pthread_t thread[MAX_WORKERS - 1];
};

static void cpu_pause(void)
{
#if defined(__x86_64__) || defined(__i386__)
    __builtin_ia32_pause();
#elif defined(__aarch64__)
    __asm__ volatile("yield");
#endif
}

static int64_t now_ns(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (int64_t)t.tv_sec * 1000000000 + t.tv_nsec;
}

static bool has_work(struct parallel *p)
{
    return (uint32_t)atomic_load_explicit(&p->ticket, memory_order_acquire) != 0 || atomic_load(&p->stop);
}

static bool is_done(struct parallel *p)
{
    return atomic_load_explicit(&p->unfinished, memory_order_acquire) == 0;
}

// Waits actively for at most SPIN_NS; returns whether the condition holds.
static bool spin_until(struct parallel *p, bool (*condition)(struct parallel *))
{
    const int64_t end = now_ns() + SPIN_NS;
    do {
        for (int i = 0; i < 8; ++i) {
            if (condition(p)) return true;
            cpu_pause();
        }
    } while (now_ns() < end);
    return false;
}

// Claims and runs blocks until none is left. The thread that finishes the last block wakes the caller.
static void run_blocks(struct parallel *p)
{
    uint64_t ticket = atomic_load_explicit(&p->ticket, memory_order_acquire);

    while ((uint32_t)ticket != 0) {
        if (!atomic_compare_exchange_weak_explicit(&p->ticket, &ticket, ticket - 1, memory_order_acq_rel,
                                                   memory_order_acquire))
            continue;
        run_block(&p->job, p->job.block_count - (int)(uint32_t)ticket);
        if (atomic_fetch_sub_explicit(&p->unfinished, 1, memory_order_acq_rel) == 1) {
            pthread_mutex_lock(&p->lock);
            if (p->caller_sleeping) pthread_cond_signal(&p->all_done);
            pthread_mutex_unlock(&p->lock);
        }
        ticket = atomic_load_explicit(&p->ticket, memory_order_acquire);
    }
}

static void *thread_main(void *arg)
{
    struct parallel *p = arg;

    while (!atomic_load(&p->stop)) {
        run_blocks(p);
        if (spin_until(p, has_work)) continue;
        pthread_mutex_lock(&p->lock);
        ++p->sleeping_threads;
        while (!has_work(p)) pthread_cond_wait(&p->work_ready, &p->lock);
        --p->sleeping_threads;
        pthread_mutex_unlock(&p->lock);
    }
    return NULL;
}

// A second thread that calls while the pool is busy runs all blocks of its job itself.
static void run_on_pool(struct parallel *p, const struct job *job)
{
    if (atomic_flag_test_and_set_explicit(&p->busy, memory_order_acquire)) {
        run_here(job);
        return;
    }
    const uint64_t job_number = (atomic_load_explicit(&p->ticket, memory_order_relaxed) >> 32) + 1;

    p->job = *job;
    atomic_store_explicit(&p->unfinished, job->block_count, memory_order_relaxed);
    atomic_store_explicit(&p->ticket, job_number << 32 | (uint32_t)job->block_count, memory_order_release);
    pthread_mutex_lock(&p->lock);
    for (int n = imin(p->sleeping_threads, job->block_count - 1); n > 0; --n)
        pthread_cond_signal(&p->work_ready);
    pthread_mutex_unlock(&p->lock);

    run_blocks(p);
    if (!spin_until(p, is_done)) {
        pthread_mutex_lock(&p->lock);
        p->caller_sleeping = 1;
        while (!is_done(p)) pthread_cond_wait(&p->all_done, &p->lock);
        p->caller_sleeping = 0;
        pthread_mutex_unlock(&p->lock);
    }
    atomic_flag_clear_explicit(&p->busy, memory_order_release);
}

// The pool's threads start with all signals blocked, so that only the host's threads receive signals.
static void start_threads(struct parallel *p, int count)
{
#ifndef _WIN32 // Windows has no signals for threads
    sigset_t all, old;

    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, &old);
#endif
    pthread_attr_t attributes;
    if (pthread_attr_init(&attributes) == 0) {
        // Fails below the smallest stack of the system: the default is used then.
        (void)pthread_attr_setstacksize(&attributes, STACK_BYTES);
        while (p->thread_count < count &&
               pthread_create(&p->thread[p->thread_count], &attributes, thread_main, p) == 0)
            ++p->thread_count;
        pthread_attr_destroy(&attributes);
    }
#ifndef _WIN32
    pthread_sigmask(SIG_SETMASK, &old, NULL);
#endif
}

static void join_threads(struct parallel *p)
{
    pthread_mutex_lock(&p->lock);
    atomic_store(&p->stop, 1);
    pthread_cond_broadcast(&p->work_ready);
    pthread_mutex_unlock(&p->lock);
    for (int i = 0; i < p->thread_count; ++i) pthread_join(p->thread[i], NULL);
    p->thread_count = 0;
}

static void free_pool(struct parallel *p)
{
    join_threads(p);
    pthread_cond_destroy(&p->all_done);
    pthread_cond_destroy(&p->work_ready);
    pthread_mutex_destroy(&p->lock);
}

static bool start_pool(struct parallel *p, int workers)
{
    if (pthread_mutex_init(&p->lock, NULL) != 0) return false;
    if (pthread_cond_init(&p->work_ready, NULL) == 0) {
        if (pthread_cond_init(&p->all_done, NULL) == 0) {
            start_threads(p, workers - 1);
            return true;
        }
        pthread_cond_destroy(&p->work_ready);
    }
    pthread_mutex_destroy(&p->lock);
    return false;
}

#else // no threads: every block runs on the caller's thread

struct parallel {
    struct memory memory;
    tarn_task_system tasks;
    int thread_count;
};

static void run_on_pool(struct parallel *p, const struct job *job)
{
    (void)p;
    run_here(job);
}

static void join_threads(struct parallel *p) { (void)p; }
static void free_pool(struct parallel *p) { (void)p; }

static bool start_pool(struct parallel *p, int workers)
{
    (void)p;
    (void)workers;
    return true;
}

#endif

struct parallel *parallel_create(const struct memory *m, const tarn_task_system *tasks, int workers)
{
    struct parallel *p = memory_alloc(m, 1, sizeof *p);
    if (!p) return NULL;
    p->memory = *m;
    if (tasks) p->tasks = *tasks;
    if (!start_pool(p, p->tasks.run ? 1 : imin(workers, MAX_WORKERS))) {
        memory_free(m, p, 1, sizeof *p);
        return NULL;
    }
    return p;
}

void parallel_destroy(struct parallel *p)
{
    if (!p) return;
    const struct memory m = p->memory;
    free_pool(p);
    memory_free(&m, p, 1, sizeof *p);
}

void parallel_set_tasks(struct parallel *p, const tarn_task_system *tasks)
{
    join_threads(p);
    p->tasks = *tasks;
}

void parallel_for_rows(struct parallel *p, int rows, int block_rows, row_range_fn fn, void *ctx)
{
    ASSERT(block_rows > 0);
    if (rows <= 0) return;
    struct job job = {fn, ctx, rows, block_rows, (rows - 1) / block_rows + 1};

    if (job.block_count > 1 && p->tasks.run)
        p->tasks.run(p->tasks.context, run_host_task, &job, job.block_count);
    else if (job.block_count > 1 && p->thread_count > 0)
        run_on_pool(p, &job);
    else
        run_here(&job);
}
