/// @file types.h
/// Plain types shared by all of tarn: results, vectors, ids, hooks. SI units, y up.
#ifndef TARN_TYPES_H
#define TARN_TYPES_H

#include <stddef.h>
#include <stdint.h>

#if defined(_WIN32)
#define TARN_API
#else
#define TARN_API __attribute__((visibility("default")))
#endif

#ifdef __cplusplus
extern "C" {
#endif

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
    char key[64];   ///< the parameter at fault ("radius"), empty if none
    char text[256]; ///< "-0.3 m is outside 0.001 .. 100"
} tarn_error;

typedef struct tarn_vec3 {
    double x, y, z;
} tarn_vec3;

/// A rotation; unit length, w is the scalar part.
typedef struct tarn_quat {
    double w, x, y, z;
} tarn_quat;

/// A body of one world. All zero is "none"; an id of a removed body is stale and refused.
typedef struct tarn_body {
    uint32_t index;
    uint32_t generation;
} tarn_body;

/// A joint of one world, likewise.
typedef struct tarn_joint {
    uint32_t index;
    uint32_t generation;
} tarn_joint;

/// Where memory comes from. Both functions or neither; zero: the C library.
typedef struct tarn_allocator {
    void *(*alloc)(void *ctx, size_t size, size_t align); ///< NULL when there is none
    void (*free)(void *ctx, void *memory, size_t size);
    void *ctx;
} tarn_allocator;

typedef enum tarn_log_level { TARN_LOG_INFO = 0, TARN_LOG_WARNING = 1 } tarn_log_level;

/// Where remarks go; the library itself never prints.
typedef struct tarn_log {
    void (*write)(void *ctx, tarn_log_level level, const char *text);
    void *ctx;
} tarn_log;

/// One piece of parallel work; pieces may run in any order and at the same time.
typedef void (*tarn_task)(void *arg, int index);

/// The host's task system: run(ctx, task, arg, count) calls task(arg, 0 .. count-1), each once, and
/// returns when all are done. Results do not depend on who runs what.
typedef struct tarn_tasks {
    void (*run)(void *ctx, tarn_task task, void *arg, int count);
    void *ctx;
} tarn_tasks;

/// What a program lends to a world. All zero works: C library, silence, one thread.
typedef struct tarn_host {
    tarn_allocator allocator;
    tarn_log log;
    tarn_tasks tasks; ///< zero: own threads, `workers` of them
    int workers;      ///< 0 or 1: the caller's thread alone; at most 64
    /// 0 .. 8: how often a step that goes wrong is retaken from the state before it, each time in inner steps half as long.
    /// If none helps the world is left in that state. Costs a copy of the state with each step.
    int retries;
} tarn_host;

#ifdef __cplusplus
}
#endif
#endif
