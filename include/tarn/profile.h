/// @file profile.h
/// What the steps of a world cost: seconds per phase, and numbers of pairs, contacts, iterations, cells and
/// bytes. Nothing here is part of the state: it is neither saved nor hashed, and changes no result.
#ifndef TARN_PROFILE_H
#define TARN_PROFILE_H

#include "base.h"

#ifdef __cplusplus
extern "C" {
#endif

/// Wall-clock seconds of the last call that took steps, added up over them; zero unless enabled.
typedef struct tarn_profile {
    double step;           ///< [s] the whole call; more than the sum of the phases
    double emitters;       ///< [s]
    double broad_phase;    ///< [s] pairs of bodies whose bounding boxes overlap
    double narrow_phase;   ///< [s] contacts of these pairs, and with ground, walls and obstacles
    double contact_solver; ///< [s] contacts, joints, motion of the bodies
    double fluid;          ///< [s] advection, pressure, boundaries
    double linear_solver;  ///< [s] part of `fluid`, in the model "flow" also of `coupling`
    double coupling;       ///< [s] forces of the water on bodies, their displacement, cut cells
    int32_t steps;         ///< taken by the call; 0: none was due
    int32_t reserved0;     ///< zero
    double reserved[7];    ///< zero
} tarn_profile;

/// Measure the seconds of tarn_profile from now on, or stop: off in a new world. A measured step reads the
/// clock some 20 times for each substep. @return TARN_OK or TARN_BAD_ARGUMENT
TARN_API tarn_result tarn_world_enable_profile(tarn_world *world, bool enable);

/// All zero if `world` is NULL or nothing was measured.
TARN_API tarn_profile tarn_world_get_profile(const tarn_world *world);

/// Numbers of a world, always counted. Those "of the last step" are 0 in a world that was just made or
/// loaded.
typedef struct tarn_counters {
    uint64_t bytes; ///< that the world has from its allocator now; without its shapes, which worlds share
    uint64_t peak_bytes;     ///< most that it had at a time
    uint64_t allocations;    ///< since creation; does not grow in steps once all arrays have their size
    int32_t bodies;          ///< in the world
    int32_t awake_bodies;    ///< of these
    int32_t joints;          ///< in the world
    int32_t pairs;           ///< of the broad phase, at the last detection of contacts
    int32_t contacts;        ///< now; a pair of compounds may have several
    int32_t contact_points;  ///< now, those about to touch included
    int32_t islands;         ///< groups of dynamic bodies that contacts and joints connect; single ones too
    int32_t detections;      ///< of contacts in the last step: more than 1 if a body moved fast
    int32_t contact_passes;  ///< of the last step: most passes over contacts and joints in a solver step
    int32_t linear_solves;   ///< of the last step: systems that the fluid solved
    int32_t linear_passes;   ///< of the last step: iterations of all of them
    int32_t wet_cells;       ///< now; "flow": cells that are not solid
    int32_t covered_columns; ///< now: columns of water under bodies; "flow": 0
    int32_t reserved0;       ///< zero
    double linear_residual;  ///< [-] of the last step: largest |b - A x| / |b| at the end of a solve
    uint64_t reserved[4];    ///< zero
} tarn_counters;

/// Counts what is not counted already: takes a pass over all cells and bodies. All zero if `world` is NULL.
TARN_API tarn_counters tarn_world_get_counters(const tarn_world *world);

#ifdef __cplusplus
}
#endif
#endif
