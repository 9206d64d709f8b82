/// @file base.h
/// Version, results, errors, and the services that a program gives to worlds: memory, log, threads.
///
/// Units are SI, y points up. There is no global state. A function that takes a `const tarn_world *` only
/// reads, and any number of threads may call such functions at once. A function that takes a `tarn_world *`
/// changes the world, and no other call on that world may run at the same time. Different worlds are
/// independent: threads may create, step and destroy them at the same time. Every function checks its
/// arguments and ids in every build. A stack of 64 kB is enough for every call. Enums have 4 bytes.
#ifndef TARN_BASE_H
#define TARN_BASE_H

#ifndef TARN_CFFI // cffi knows these types and reads no system headers
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#endif

#if defined(TARN_CFFI)
#define TARN_API
#elif defined(_WIN32) && defined(TARN_SHARED) && defined(TARN_BUILD) // the DLL itself
#define TARN_API __declspec(dllexport)
#elif defined(_WIN32) && defined(TARN_SHARED) // a program that uses the DLL
#define TARN_API __declspec(dllimport)
#elif defined(_WIN32)
#define TARN_API
#else
#define TARN_API __attribute__((visibility("default")))
#endif

#ifdef __cplusplus
extern "C" {
#endif

#define TARN_NAME_BYTES 64 ///< size of a name or a text value, the closing zero included

/// The version that these headers belong to.
#define TARN_VERSION_MAJOR  0
#define TARN_VERSION_MINOR  1
#define TARN_VERSION_PATCH  0
#define TARN_VERSION_NUMBER (TARN_VERSION_MAJOR * 1000000 + TARN_VERSION_MINOR * 1000 + TARN_VERSION_PATCH)

/// Get the version of the library at run time, as a number like TARN_VERSION_NUMBER.
TARN_API uint32_t tarn_version_number(void);

/// Get the version of the library as text, "0.1.0". It is valid as long as the program runs.
TARN_API const char *tarn_version_string(void);

/// Check whether a program that was compiled with headers of the version `header_version` may use this
/// library: call tarn_version_matches(TARN_VERSION_NUMBER). While the major version is 0 the minor versions
/// must be equal; later the major versions must be equal, and the library must not be older than the headers.
TARN_API bool tarn_version_matches(uint32_t header_version);

/// A world of water and bodies: see world.h.
typedef struct tarn_world tarn_world;

/// Result of a call. The numbers are also the exit codes of the program `tarn`.
typedef enum tarn_result {
    TARN_OK = 0,
    TARN_FAILED = 1,       ///< any other error
    TARN_BAD_ARGUMENT = 2, ///< a null pointer, a stale id, an argument out of range
    TARN_BAD_INPUT = 3,    ///< a definition, scene, mesh or checkpoint is not valid
    TARN_IO = 4,           ///< a file could not be opened, read or written
    TARN_NO_MEMORY = 5,    ///< the allocator returned NULL
    TARN_DIVERGED = 6      ///< a value stopped being finite
} tarn_result;

/// Reason why a call failed: place, value and remedy.
typedef struct tarn_error {
    tarn_result code;
    char key[64];      ///< the parameter at fault ("radius"); empty if there is none
    char message[256]; ///< "-0.3 m is outside 0.001 .. 100"
} tarn_error;

/// Allocator: both functions or neither; without them the C library allocates. It is called from the thread
/// that calls tarn, and in tarn_worlds_step() and tarn_worlds_advance() from the threads that step the
/// worlds: an allocator that worlds share must be safe for that. Neither it, nor the log, nor any other
/// callback may call a function that changes the world.
typedef struct tarn_allocator {
    void *(*alloc)(void *context, size_t size, size_t align); ///< NULL if there is no memory
    void (*free)(void *context, void *memory, size_t size);
    void *context;
} tarn_allocator;

/// Level of a message.
typedef enum tarn_log_level { TARN_LOG_INFO = 0, TARN_LOG_WARNING = 1 } tarn_log_level;

/// Receiver of messages, called from the threads that call the allocator. The library itself never prints.
typedef struct tarn_log {
    void (*write)(void *context, tarn_log_level level, const char *text); ///< NULL: no messages
    void *context;
} tarn_log;

/// One piece of parallel work; pieces may run in any order and at the same time.
typedef void (*tarn_task_fn)(void *arg, int index);

/// A parallel loop of the host: run() calls task(arg, i) once for each i in 0 .. count-1, on any threads and
/// in any order, and returns when all calls have returned. Results do not depend on the order. Worlds that
/// several threads step or query at the same time call run() from these threads.
typedef struct tarn_task_system {
    void (*run)(void *context, tarn_task_fn task, void *arg, int count);
    void *context;
} tarn_task_system;

/// A thread pool, which any number of worlds can share. Its threads have stacks of 256 kB and block all
/// signals.
typedef struct tarn_thread_pool tarn_thread_pool;

/// Create a pool. If some threads cannot be started it works with fewer.
/// @param thread_count  1 .. 64, the thread that calls run() included: thread_count - 1 are started
/// @param allocator     of the pool's own memory; NULL: the C library
/// @return TARN_OK, TARN_BAD_ARGUMENT or TARN_NO_MEMORY; *out is NULL on failure
TARN_API tarn_result tarn_thread_pool_create(int thread_count, const tarn_allocator *allocator,
                                             tarn_thread_pool **out, tarn_error *err);

/// Destroy a pool, after the last world that uses it was destroyed. NULL is allowed.
TARN_API void tarn_thread_pool_destroy(tarn_thread_pool *pool);

/// Get the task system of a pool, for tarn_host.tasks and tarn_worlds_advance(). Only one loop at a time uses
/// the threads: run() works on the caller's thread while they are busy, or if a task calls it. NULL gives a
/// task system of zeros, which uses the caller's thread alone.
TARN_API tarn_task_system tarn_thread_pool_tasks(tarn_thread_pool *pool);

/// Water at one point of an ocean: fluid.h has its members.
typedef struct tarn_ocean_point tarn_ocean_point;

/// Fill in `out` for `count` points at a time [s], x and z [m]. It is called for batches of points in every
/// substep, by several threads at once unless `one_thread` is set. It must change nothing, and the same
/// arguments must give the same bits: otherwise a world that is restored or resumed continues in another way.
typedef void (*tarn_ocean_fn)(void *context, double time, int count, const double *x, const double *z,
                              tarn_ocean_point *out);

/// The water of worlds of the model `ocean` whose definition has `from_host`: Gerstner waves, an FFT ocean, a
/// texture that was read back.
typedef struct tarn_ocean_source {
    tarn_ocean_fn sample; ///< NULL: none
    void *context;        ///< passed to `sample`
    bool one_thread;      ///< false; true: `sample` is called only by the thread that steps the world
} tarn_ocean_source;

/// Services of a program for a world; no part of the state. All members may be zero: the C library allocates,
/// there are no messages, and the caller's thread does all work.
typedef struct tarn_host {
    tarn_allocator allocator;
    tarn_log log;
    tarn_task_system tasks; ///< zero: the world creates `workers` threads of its own
    int workers;            ///< 0 .. 64; 0 and 1: the caller's thread alone; not read if there are `tasks`
    /// 0 .. 8: limit of the repetitions of a step that diverges, from the state before it, each with substeps
    /// of half the length. If none succeeds the world stays in that state. Every step then copies the state.
    int retries;
    tarn_ocean_source ocean; ///< zero: none; a world that was loaded from a checkpoint needs it again
    uint64_t reserved[4];    ///< zero: memory for later members
} tarn_host;

/// Compute the n-th random number of a stream that belongs to a seed: 0 <= x < 1. It is the same on every
/// machine and does not depend on earlier calls.
TARN_API double tarn_random(uint64_t seed, uint64_t stream, uint64_t n);

#ifdef __cplusplus
}
#endif
#endif
