/// @file state.h
/// Saving, loading and hashing the state of a world; snapshots in memory, clones and comparison of states.
///
/// |            | can be restored                                       |
/// |------------|-------------------------------------------------------|
/// | checkpoint | on any machine; it has checksums                      |
/// | snapshot   | by the same world and its clones, in the same build   |
/// | copy       | by a clone                                            |
///
/// A restored world continues with the same bits. Ids of bodies and joints stay valid.
#ifndef TARN_STATE_H
#define TARN_STATE_H

#include "base.h"

#ifdef __cplusplus
extern "C" {
#endif

// ---- files and hashes ----------------------------------------------------------------------------------

/// Receives consecutive pieces of a checkpoint. Any result but TARN_OK ends the save, which returns that
/// result.
typedef tarn_result (*tarn_write_fn)(void *ctx, const void *data, size_t size);

/// Fills `data` with exactly `size` bytes; returns TARN_IO if there are fewer.
typedef tarn_result (*tarn_read_fn)(void *ctx, void *data, size_t size);

/// Write the whole state of a world as a checkpoint.
/// @return TARN_OK; TARN_BAD_ARGUMENT; TARN_NO_MEMORY; the result of `write`
TARN_API tarn_result tarn_world_save(const tarn_world *world, tarn_write_fn write, void *ctx);

/// Create the world that was saved. A checkpoint is untrusted input: every value is checked, and one that is
/// not possible gives TARN_BAD_INPUT.
/// @param host  NULL: the default services
/// @return TARN_OK; TARN_BAD_INPUT; TARN_BAD_ARGUMENT; TARN_NO_MEMORY; the result of `read`
TARN_API tarn_result tarn_world_load(tarn_read_fn read, void *ctx, const tarn_host *host, tarn_world **out,
                                     tarn_error *err);

/// @return a hash of the whole state. Equal states have equal hashes on every machine. 0 if `world` is NULL
TARN_API uint64_t tarn_world_hash(const tarn_world *world);

// ---- snapshots ---------------------------------------------------------------------------------------

/// Write the state to `buffer`. The call allocates a list of the shapes and frees it before it returns.
/// @param buffer  NULL: write nothing, only return the size
/// @return the size of the state in bytes; if it exceeds `capacity`, the content of the buffer is not usable.
///         0: `world` is NULL, or there is no memory
TARN_API size_t tarn_world_snapshot(const tarn_world *world, void *buffer, size_t capacity);

/// Return to the state of a snapshot. Bodies, joints and emitters created since are removed and their ids are
/// stale; destroyed ones exist again with their old ids. The events are empty; the host services do not
/// change. A snapshot of a world with other fixed parameters (model, grid, step ...), or of another build, is
/// rejected and changes nothing. The bytes are otherwise trusted: read untrusted data with tarn_world_load().
/// Mesh pointers in frames stay valid for bodies that are in the snapshot with the same id. The first restore
/// doubles the memory of the world (not in the model "flow"): the copy makes later ones fast.
/// @return TARN_OK; TARN_BAD_ARGUMENT; TARN_BAD_INPUT; TARN_NO_MEMORY (the world is unchanged)
TARN_API tarn_result tarn_world_restore(tarn_world *world, const void *buffer, size_t size, tarn_error *err);

/// Create a second world in the same state and with the same ids. Its bodies share the shapes.
/// @param host  NULL: that of `world`
/// @return TARN_OK; TARN_BAD_ARGUMENT; TARN_NO_MEMORY
TARN_API tarn_result tarn_world_clone(const tarn_world *world, const tarn_host *host, tarn_world **out,
                                      tarn_error *err);

/// Copy the state of `source` to `world`: a clone of it, or a clone of the same world. For resetting
/// environments.
/// @return TARN_OK; TARN_BAD_ARGUMENT; TARN_BAD_INPUT (another model, grid, step, seed, coupling or fixed
///         parameter of the fluid); TARN_NO_MEMORY
TARN_API tarn_result tarn_world_copy_state(tarn_world *world, const tarn_world *source, tarn_error *err);

// ---- comparing ---------------------------------------------------------------------------------------

/// Hashes of the parts of a state. A part that a world does not have has the hash of zero bytes.
typedef struct tarn_hash_parts {
    uint64_t world;     ///< time and parameters
    uint64_t fluid;     ///< fields and bed
    uint64_t emitters;  ///< all emitters
    uint64_t bodies;    ///< bodies, contacts and joints
    uint64_t coupling;  ///< coupling of bodies and fluid: displaced columns, loads
    uint64_t obstacles; ///< obstacles of planar models
    uint64_t planar;    ///< bodies of planar models as solids of the flow
} tarn_hash_parts;

/// @return the hashes of the parts of a state, by which a difference of two tarn_world_hash() can be located
TARN_API tarn_hash_parts tarn_world_hash_parts(const tarn_world *world);

/// The first difference between two states.
typedef struct tarn_difference {
    /// "height", "velocity x", "bed", "body", "joint", a part of tarn_hash_parts and the like; empty: equal
    char part[32];
    int index[2];     ///< cell along x and z (planar: y), or slot of a body or joint and -1; otherwise -1, -1
    double values[2]; ///< [m], [m/s] ... in the first and the second world: of a cell or a body; otherwise 0
} tarn_difference;

/// Find the first difference between the states of two worlds.
/// @return TARN_OK, also if the states differ; TARN_BAD_ARGUMENT; TARN_BAD_INPUT (another model or grid)
TARN_API tarn_result tarn_world_diff(const tarn_world *a, const tarn_world *b, tarn_difference *out);

// ---- many worlds -------------------------------------------------------------------------------------

/// Take `step_count` steps of each of many worlds, each world in a task of its own: batches of
/// environments. No world may be listed twice. A world that has threads of its own (host.workers above 1)
/// uses them besides those of `tasks`; one whose host.tasks are of the same thread pool does not. A world
/// stops at its first step that fails; the others continue. The events of a world are those of all its
/// steps of the call.
/// @param step_count  0 or more
/// @param tasks       tarn_thread_pool_tasks() or a task system of the host; NULL or zeros: all worlds
///                    step on the calling thread
/// @param results     [count] the result of each world; with `tasks` it is required
/// @return the first result that is not TARN_OK; TARN_BAD_ARGUMENT (a null pointer, a count below 0)
TARN_API tarn_result tarn_worlds_step(tarn_world *const *worlds, int count, int step_count,
                                      const tarn_task_system *tasks, tarn_result *results);

/// The same with tarn_world_advance(): each world takes the steps that are due after dt [s].
TARN_API tarn_result tarn_worlds_advance(tarn_world *const *worlds, int count, double dt,
                                         const tarn_task_system *tasks, tarn_result *results);

#ifdef __cplusplus
}
#endif
#endif
