/// @file state.h
/// Save, restore, hash; snapshots in memory, clones, and what differs between two states.
///
/// |            | holds              | goes to                                     |
/// |------------|--------------------|---------------------------------------------|
/// | snapshot   | the state          | the same world and its clones, same build   |
/// | copy       | the state          | a clone                                     |
/// | save       | the state          | any machine, with checksums                 |
///
/// None of them changes what the next step computes, to the bit. Ids of bodies and joints stay valid through all.
#ifndef TARN_STATE_H
#define TARN_STATE_H

#include "base.h"

#ifdef __cplusplus
extern "C" {
#endif

// ---- files and hashes ----------------------------------------------------------------------------------

/// Called with pieces of a checkpoint, in order. Anything but TARN_OK ends the save with that result.
typedef tarn_result (*tarn_write_fn)(void *ctx, const void *data, size_t size);

/// Fill `data` with exactly `size` bytes. TARN_IO if there are fewer.
typedef tarn_result (*tarn_read_fn)(void *ctx, void *data, size_t size);

/// Write the whole state. The world does not change.
TARN_API tarn_result tarn_world_save(const tarn_world *world, tarn_write_fn write, void *ctx);

/// Make the world that was saved; it goes on to the bit. A checkpoint is untrusted: anything impossible in
/// it is TARN_BAD_INPUT, never a crash.
TARN_API tarn_result tarn_world_load(tarn_read_fn read, void *ctx, const tarn_host *host, tarn_world **out,
                                     tarn_error *err);

/// One number for the whole state: equal states, equal numbers, on every machine.
TARN_API uint64_t tarn_world_hash(const tarn_world *world);

// ---- snapshots ---------------------------------------------------------------------------------------

/// Write the state into memory of the caller. Memory is needed for a list of the shapes, until the call returns.
/// @return the bytes that the state takes; if that is more than `capacity`, what was written is of no use.
/// `buffer` NULL asks for the size. 0: `world` is NULL, or no memory
TARN_API size_t tarn_world_snapshot(const tarn_world *world, void *buffer, size_t capacity);

/// Go back to a snapshot. Bodies, joints and emitters made since are gone and their ids stale; destroyed ones are
/// back with their old ids. Events are empty; host services stay. A snapshot of a world with another model, grid,
/// step or seed, or of another build, is refused and changes nothing. Its bytes are otherwise trusted: what comes
/// from outside is for tarn_world_load(). Pointers of frames to meshes of bodies that are in the snapshot under
/// the same id stay valid.
/// @return TARN_OK; TARN_BAD_INPUT; TARN_NO_MEMORY (nothing changed)
TARN_API tarn_result tarn_world_restore(tarn_world *world, const void *buffer, size_t size, tarn_error *err);

/// A second world in the same state, with the same ids; its bodies share the shapes. @param host  NULL: that of `world`
TARN_API tarn_result tarn_world_clone(const tarn_world *world, const tarn_host *host, tarn_world **out,
                                      tarn_error *err);

/// Give `world` the state of `source`, of which it is a clone, or the other way round: resets of environments.
TARN_API tarn_result tarn_world_copy_state(tarn_world *world, const tarn_world *source, tarn_error *err);

// ---- comparing ---------------------------------------------------------------------------------------

/// tarn_world_hash() in parts. A part that a world does not have has the hash of nothing.
typedef struct tarn_hash_parts {
    uint64_t world; ///< time and parameters
    uint64_t fluid; ///< fields and bed
    uint64_t emitters;
    uint64_t bodies;    ///< with contacts and joints
    uint64_t coupling;  ///< what bodies and water know of each other
    uint64_t obstacles; ///< of planar worlds
    uint64_t planar;    ///< bodies of planar worlds
} tarn_hash_parts;
TARN_API tarn_hash_parts tarn_world_hash_parts(const tarn_world *world);

/// The first thing that differs between two states.
typedef struct tarn_difference {
    char part[32]; ///< "height", "velocity x", "bed", "body", a part of tarn_hash_parts; empty: equal states
    int index[2];  ///< of a cell along x and z (flow: y); of a body its slot, and -1; otherwise -1
    double values[2]; ///< of the first and the second world; a body's position or velocity; otherwise 0
} tarn_difference;

/// @return TARN_OK, whether they differ or not; TARN_BAD_ARGUMENT; TARN_BAD_INPUT (another model or grid)
TARN_API tarn_result tarn_world_diff(const tarn_world *a, const tarn_world *b, tarn_difference *out);

// ---- many worlds -------------------------------------------------------------------------------------

/// tarn_world_advance() for many worlds, one task for each: batches of environments. The worlds differ from each
/// other; with a task system of the caller each should have no threads of its own (host.workers 0 or 1).
/// @param tasks    NULL: the caller's thread
/// @param results  how each world ended; may be NULL
/// @return the first result that is not TARN_OK
TARN_API tarn_result tarn_worlds_advance(tarn_world *const *worlds, int count, double dt,
                                         const tarn_task_system *tasks, tarn_result *results);

#ifdef __cplusplus
}
#endif
#endif
