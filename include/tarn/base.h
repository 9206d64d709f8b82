/// @file base.h
/// Version, results, errors, and what a program lends to a world.
///
/// SI units, y up. There is no global state. One thread at a time per world; different worlds may step together.
/// Every function checks its arguments and ids in every build.
#ifndef TARN_BASE_H
#define TARN_BASE_H

#ifndef TARN_CFFI // cffi knows these types and reads no system headers
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#endif

#if defined(TARN_CFFI)
#define TARN_API
#elif defined(_WIN32)
#define TARN_API
#else
#define TARN_API __attribute__((visibility("default")))
#endif

#ifdef __cplusplus
extern "C" {
#endif

/// The version that these headers belong to.
#define TARN_VERSION_MAJOR  0
#define TARN_VERSION_MINOR  1
#define TARN_VERSION_PATCH  0
#define TARN_VERSION_NUMBER (TARN_VERSION_MAJOR * 1000000 + TARN_VERSION_MINOR * 1000 + TARN_VERSION_PATCH)

/// The version of the library at run time, as TARN_VERSION_NUMBER.
TARN_API uint32_t tarn_version_number(void);

/// The same as text, "0.1.0". It lives as long as the program.
TARN_API const char *tarn_version_string(void);

/// Whether a program compiled with headers of the version `header_version` may use this library: call
/// tarn_version_matches(TARN_VERSION_NUMBER). While the major version is 0 the minor versions must be the same; later
/// the major ones, and the library must not be older.
TARN_API bool tarn_version_matches(uint32_t header_version);

/// A world of water and bodies: see world.h.
typedef struct tarn_world tarn_world;

/// How a call ended. The numbers are the exit codes of the program as well.
typedef enum tarn_result {
    TARN_OK = 0,
    TARN_FAILED = 1,       ///< anything that fits no other name
    TARN_BAD_ARGUMENT = 2, ///< a null pointer, a stale id, a value out of range from the caller
    TARN_BAD_INPUT = 3,    ///< a scene, mesh or checkpoint that says something impossible
    TARN_IO = 4,           ///< a file could not be opened, read or written
    TARN_NO_MEMORY = 5,    ///< the allocator said no
    TARN_DIVERGED = 6      ///< a value stopped being finite
} tarn_result;

/// Why a call failed: place, value and remedy in words.
typedef struct tarn_error {
    tarn_result code;
    char key[64];      ///< the parameter at fault ("radius"), empty if none
    char message[256]; ///< "-0.3 m is outside 0.001 .. 100"
} tarn_error;

/// Where memory comes from. Both functions or neither; zero: the C library.
typedef struct tarn_allocator {
    void *(*alloc)(void *context, size_t size, size_t align); ///< NULL when there is none
    void (*free)(void *context, void *memory, size_t size);
    void *context;
} tarn_allocator;

/// How serious a remark is.
typedef enum tarn_log_level { TARN_LOG_INFO = 0, TARN_LOG_WARNING = 1 } tarn_log_level;

/// Where remarks go; the library itself never prints.
typedef struct tarn_log {
    void (*write)(void *context, tarn_log_level level, const char *text);
    void *context;
} tarn_log;

/// One piece of parallel work; pieces may run in any order and at the same time.
typedef void (*tarn_task_fn)(void *arg, int index);

/// The host's task system: run(ctx, task, arg, count) calls task(arg, 0 .. count-1), each once, and
/// returns when all are done. Results do not depend on who runs what.
typedef struct tarn_task_system {
    void (*run)(void *context, tarn_task_fn task, void *arg, int count);
    void *context;
} tarn_task_system;

/// What a program lends to a world. All zero works: C library, silence, one thread.
typedef struct tarn_host {
    tarn_allocator allocator;
    tarn_log log;
    tarn_task_system tasks; ///< zero: own threads, `workers` of them
    int workers;            ///< 0 or 1: the caller's thread alone; at most 64
    /// 0 .. 8: how often a step that goes wrong is retaken from the state before it, each time in inner steps half as long.
    /// If none helps the world is left in that state. Costs a copy of the state with each step.
    int retries;
} tarn_host;

/// The n-th number of a stream that belongs to a seed: 0 <= x < 1, the same everywhere, with no state behind it.
TARN_API double tarn_random(uint64_t seed, uint64_t stream, uint64_t n);

#ifdef __cplusplus
}
#endif
#endif
