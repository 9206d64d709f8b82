/// @file world.h
/// A world: creation, steps, conserved quantities, parameters at run time.
#ifndef TARN_WORLD_H
#define TARN_WORLD_H

#include "bed.h"
#include "fluid.h"
#include "param.h"

#ifdef __cplusplus
extern "C" {
#endif

#define TARN_MAX_DT 0.1 ///< [s] longest step of a world

/// How bodies and fluid act on each other.
typedef enum tarn_coupling_method {
    TARN_COUPLING_AUTOMATIC = 0, ///< columns; in the model `implicit` pressure; in the model `flow` strong
    TARN_COUPLING_COLUMNS = 1,   ///< height fields: conserves volume and momentum
    TARN_COUPLING_TRIANGLES = 2, ///< height fields: of the real-time literature, for comparison
    TARN_COUPLING_PRESSURE = 3, ///< implicit: bodies and surface in one system; conserves volume and momentum
    TARN_COUPLING_PENALTY = 4,  ///< implicit: of the literature, for comparison
    TARN_COUPLING_STRONG = 5,   ///< flow: velocities of bodies and pressure in one system; any density
    TARN_COUPLING_WEAK = 6      ///< flow: explicit pressure; unstable for light bodies, for comparison
} tarn_coupling_method;

/// Definition of a world. The caller owns the fluid, the beds and their arrays; tarn_world_create() copies
/// what it needs and keeps no pointer to them.
///
///     tarn_fluid_def pond = tarn_default_fluid_def(TARN_FLUID_WAVE);
///     tarn_world_def def = tarn_default_world_def();
///     def.fluid = &pond;
typedef struct tarn_world_def {
    double dt;                     ///< [s] 1/60, 1e-5 .. 0.1: length of a step, whatever the frame rate
    double gravity;                ///< [m/s^2] 9.81, 1e-3 .. 1e3: gravity, downwards
    double density;                ///< [kg/m^3] 1000, 1e-3 .. 1e5: of the fluid
    tarn_coupling_method coupling; ///< TARN_COUPLING_AUTOMATIC, live: in the model `flow` alone
    int seed;                      ///< 1, 0 .. 2147483647: of all random numbers
    /// NAN, 0 .. 10: columns: fraction of the displaced volume that lifts the surface at once, 0 .. 0.95;
    /// NAN: 0.9; 0: bodies do not move the water. weak: factor of the forces of the fluid; NAN: 1
    double coupling_strength;
    double penalty_weight; ///< 10, 0 .. 1e6: penalty: weight of the underside of a body against the surface
    /// 0, 0 .. 100, live: fraction of its speed with which a body that breaks the surface throws up water
    /// around itself
    double splash;
    double hit_speed;     ///< [m/s] 0.5, 0 .. 1e4, live: a contact that closes faster is a hit event
    bool enable_sleep;    ///< true, live: bodies at rest sleep until something wakes them
    bool enable_contacts; ///< true, live: bodies collide with each other; false: with ground and walls only
    const tarn_fluid_def *fluid; ///< NULL: no fluid, as the defaults of TARN_FLUID_DRY
    const tarn_bed_def *beds;    ///< 0 .. TARN_MAX_BEDS terms of the bed; their heights are added
    int bed_count;               ///< number of terms; 0: a flat bed at y = 0
    tarn_host host;              ///< services of the program; no part of the state
    double reserved[8];          ///< memory for later members: zero
} tarn_world_def;

/// @return a definition with the defaults of scene files and without a fluid
TARN_API tarn_world_def tarn_default_world_def(void);

/// Create a world.
/// @return TARN_OK; TARN_BAD_INPUT (a parameter is impossible, `reserved` is not zero); TARN_BAD_ARGUMENT
///         (a null pointer, workers or retries out of range); TARN_NO_MEMORY. On failure *out is NULL and err
///         has the reason
TARN_API tarn_result tarn_world_create(const tarn_world_def *def, tarn_world **out, tarn_error *err);

/// Destroy a world. NULL is allowed.
TARN_API void tarn_world_destroy(tarn_world *world);

/// Take one step of def.dt. Forces that were applied since the last step act during it and are then removed.
/// The pending time of tarn_world_add_time() does not change.
/// @return TARN_OK; TARN_BAD_ARGUMENT (NULL); TARN_NO_MEMORY; TARN_DIVERGED if a value is not finite: the
///         world can still be read but takes no further step, and tarn_world_get_failure() says where. With
///         host.retries it is in its last valid state. A world that failed returns TARN_DIVERGED
TARN_API tarn_result tarn_world_step(tarn_world *world);

/// Add the time of a frame to the pending time without stepping, and take from it the steps that are due:
///
///     for (int n = tarn_world_add_time(world, frame_seconds); n > 0; --n) {
///         control(world); // forces of this step
///         tarn_world_step(world);
///     }
///
/// The remainder is kept, so the frame rate changes when steps are taken but not their results.
/// @param seconds  [s] 0 .. 10
/// @return how many steps to take; 0 for a bad argument
TARN_API int tarn_world_add_time(tarn_world *world, double seconds);

/// The part of a step that is pending after tarn_world_add_time() or tarn_world_advance(), 0 .. 1: the
/// `blend` of tarn_world_get_frame() for pictures that move evenly at any frame rate. 0 if `world` is NULL.
TARN_API double tarn_world_get_remainder(const tarn_world *world);

/// Add dt to the pending time and take the steps that are due, for programs that apply no forces. Results do
/// not depend on the frame rate or the number of threads.
/// @param dt  [s] 0 < dt <= 10
/// @return    as tarn_world_step(), of the first step that fails
TARN_API tarn_result tarn_world_advance(tarn_world *world, double dt);

/// Get the reason why the world diverged. @return an empty text if it did not, or if `world` is NULL
TARN_API const char *tarn_world_get_failure(const tarn_world *world);

/// Progress of a world.
typedef struct tarn_world_status {
    double time;       ///< [s] at the end of the last step
    uint64_t steps;    ///< steps taken
    uint64_t substeps; ///< substeps of the fluid taken
    int retaken;       ///< steps that were repeated since the world was created or loaded
    int substeps_next; ///< substeps that the next step would take in the present state
    double courant;    ///< largest c dt sqrt(2)/dx of a substep so far; above 1 explicit models are unstable
    int cells[2];      ///< number of columns along x and z, or of cells along x and y
    double size[2];    ///< [m] length of the domain along the same axes
    int body_count, emitter_count;
    int awake_count;       ///< dynamic bodies that do not sleep
    int joint_count;       ///< joints
    int contact_count;     ///< pairs of bodies, or of a body and its surroundings, close in the last step
    int obstacle_count;    ///< flow: obstacles
    tarn_fluid_type fluid; ///< model of the fluid
    bool failed;           ///< the world takes no further step: tarn_world_get_failure() says why
    double dt;             ///< [s] length of a world step
    double cell_size;      ///< [m] width of a cell
    uint64_t reserved[4];  ///< zero
} tarn_world_status;

/// Get the progress of a world. @return zeros if `world` is NULL
TARN_API tarn_world_status tarn_world_get_status(const tarn_world *world);

/// What may change between steps. All but `retries` is part of the state.
typedef struct tarn_world_settings {
    double gravity; ///< [m/s^2] 9.81, 1e-3 .. 1e3: downwards; may change in worlds without fluid alone
    /// 0, 0 .. 100, live: fraction of its speed with which a body that breaks the surface throws up water
    /// around itself
    double splash;
    double hit_speed;     ///< [m/s] 0.5, 0 .. 1e4: a contact that closes faster is a hit event
    bool enable_sleep;    ///< true, live: bodies at rest sleep until something wakes them (flow: never)
    bool enable_contacts; ///< true: bodies collide with each other; false: with ground and walls only
    int retries;          ///< 0, 0 .. 8: as tarn_host.retries
    uint64_t reserved[4]; ///< zero
} tarn_world_settings;

/// @return the settings of a world as they are now; zeros if `world` is NULL
TARN_API tarn_world_settings tarn_world_get_settings(const tarn_world *world);

/// Change settings from the next step on. Bodies wake if they may collide or sleep otherwise, or fall
/// otherwise.
/// @return TARN_OK; TARN_BAD_ARGUMENT (a null pointer, `retries` out of range); TARN_BAD_INPUT (another value
///         out of range, or another gravity in a world with fluid; err->key names it). Nothing changes then
TARN_API tarn_result tarn_world_set_settings(tarn_world *world, const tarn_world_settings *settings,
                                             tarn_error *err);

/// A number of the caller's, 0 at first. It is no part of the state: restores keep it, checkpoints and clones
/// do not have it.
TARN_API uint64_t tarn_world_get_user_data(const tarn_world *world);
TARN_API void tarn_world_set_user_data(tarn_world *world, uint64_t user_data);

/// Replace the threads of a world. Its own threads (tarn_host.workers) end. Results stay the same.
/// @param tasks  NULL or zeros: the caller's thread alone
/// @return TARN_OK or TARN_BAD_ARGUMENT
TARN_API tarn_result tarn_world_set_tasks(tarn_world *world, const tarn_task_system *tasks);

/// Conserved quantities and what added or removed them, [m^3] for volumes. Momentum is [kg m/s].
typedef struct tarn_ledger {
    double time;             ///< [s]
    double volume;           ///< water in the domain
    double volume_emitted;   ///< added by emitters and edits; drains count negative
    double volume_outflow;   ///< left through open boundaries
    double volume_displaced; ///< displaced by bodies that were inserted (removed: negative), and by triangles
    double volume_in_hulls;  ///< floodwater in open hulls, which `volume` does not contain
    /// volume + volume_in_hulls - (initial volume + emitted - outflow - displaced): rounding errors
    double volume_error;
    double volume_submerged;       ///< of bodies, below the surface
    double energy_water;           ///< [J] kinetic and potential, with that of displaced and entrained water
    double energy_bodies;          ///< [J] kinetic, and potential above y = 0
    tarn_vec3 momentum_water;      ///< of the water
    tarn_vec3 momentum_bodies;     ///< of bodies and the floodwater in them
    tarn_vec3 momentum_unresolved; ///< given to the water, which the model cannot represent (wave: all of it)
    tarn_vec3 momentum_walls;      ///< given to bodies by walls and floor
    // the model `flow`: integrals over the area; sources count as emitted, open boundaries and decay as
    // outflow
    double dye, dye_emitted, dye_outflow;    ///< [m^2]
    double heat, heat_emitted, heat_outflow; ///< [K m^2] above the reference temperature
    uint64_t reserved[8];                    ///< zero
} tarn_ledger;

/// Compute the conserved quantities of the present state. @return zeros if `world` is NULL
TARN_API tarn_ledger tarn_world_get_ledger(const tarn_world *world);

/// Get a parameter by its path, "fluid.damping", "emitters[0].rate", "bodies[2].thruster.force"; bodies count
/// in the order of tarn_body_at(). For tools; in C tarn_world_get_fluid_def() and others return typed
/// structs.
/// @return TARN_OK or TARN_BAD_ARGUMENT (no such parameter)
TARN_API tarn_result tarn_world_get_param(const tarn_world *world, const char *path, tarn_value *value);

/// Set a parameter that is marked TARN_PARAM_LIVE.
/// @return TARN_OK; TARN_BAD_ARGUMENT (no such parameter, or one that is fixed after creation);
///         TARN_BAD_INPUT (a value out of range, or one that does not fit the other parameters)
TARN_API tarn_result tarn_world_set_param(tarn_world *world, const char *path, tarn_value value,
                                          tarn_error *err);

#ifdef __cplusplus
}
#endif
#endif
