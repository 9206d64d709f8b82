/// @file world.h
/// A world: how to make it, step it and ask about it.
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
    TARN_COUPLING_AUTOMATIC, ///< "columns"; in the model "implicit" "pressure"; in the model "flow" "strong"
    TARN_COUPLING_COLUMNS,   ///< height fields: conserves volume and momentum
    TARN_COUPLING_TRIANGLES, ///< height fields: of the real-time literature, for comparison
    TARN_COUPLING_PRESSURE,  ///< implicit: bodies and surface in one system; conserves volume and momentum
    TARN_COUPLING_PENALTY,   ///< implicit: of the literature, for comparison
    TARN_COUPLING_STRONG,    ///< flow: velocities of bodies and pressure in one system; any density
    TARN_COUPLING_WEAK       ///< flow: pressure applied afterwards; unstable for light bodies, for comparison
} tarn_coupling_method;

/// How to make a world. Begin with tarn_world_def_default().
typedef struct tarn_world_def {
    double dt;      ///< [s] 1/60, the world's own step, in 1e-5 .. 0.1; frame rates do not change it
    double gravity; ///< [m/s^2] 9.81, downwards
    double density; ///< [kg/m^3] 1000, of the fluid
    int coupling;   ///< a tarn_coupling_method; automatic
    double
        coupling_strength; ///< NAN; columns: fraction of the displaced volume that lifts the surface at once, 0 .. 0.95
    ///< (NAN: 0.9; 0: bodies do not move the water); weak: factor of the forces of the fluid,
    ///< 0 .. 10 (NAN: 1)
    double penalty_weight; ///< penalty: 10, how hard the surface is drawn to a body's underside in a step
    double
        splash; ///< 0, part of its speed at which a body that breaks the surface throws water up around itself
    double hit_speed;             ///< [m/s] 0.5, 0 .. 1e4, live: a contact that closes faster is a hit event
    bool enable_sleep;            ///< true: bodies at rest are left alone until something wakes them
    bool enable_contacts;         ///< true: bodies touch each other; false: only ground and walls
    int seed;                     ///< 1; everything random follows from it
    tarn_spec fluid;              ///< the model and its parameters: tarn_spec_set(&def.fluid, "depth", ...)
    tarn_spec bed[TARN_MAX_BEDS]; ///< parts of the ground, whose heights add up
    int bed_count;                ///< 0: flat at y = 0
    tarn_bed_map map;             ///< for the part that is a height map ("heightmap", "esri")
    tarn_host host;               ///< what the program lends; no part of the state
} tarn_world_def;

/// Defaults for a fluid model ("wave", "shallow", "implicit", "flow", "none": no water). An unknown model leaves fluid.kind NULL and create refuses it.
TARN_API tarn_world_def tarn_world_def_default(const char *model);

/// @return TARN_OK, TARN_BAD_INPUT (a parameter is impossible), TARN_BAD_ARGUMENT or TARN_NO_MEMORY;
///         on failure *out is NULL and err says why
TARN_API tarn_result tarn_world_create(const tarn_world_def *def, tarn_world **out, tarn_error *err);

/// Destroying NULL is fine.
TARN_API void tarn_world_destroy(tarn_world *world);

/// Take one step of def.dt. Forces that were applied since the last one act during it and are then gone. The
/// pending time of the other functions does not change.
/// @return TARN_OK; TARN_BAD_ARGUMENT (NULL); TARN_NO_MEMORY; TARN_DIVERGED if a value stopped being finite: the
///         world stays readable, takes no further step, and tarn_world_get_failure() says where. With
///         host.retries it is in its last good state
TARN_API tarn_result tarn_world_step(tarn_world *world);

/// Add the time of a frame to the pending time without stepping, and take from it the steps that are due:
///
///     for (int n = tarn_world_add_time(world, frame_seconds); n > 0; --n) {
///         control(world); // forces of this step
///         tarn_world_step(world);
///     }
///
/// The remainder is kept, so that frame rates change when steps are taken and not what they compute.
/// @param seconds  [s] 0 .. 10
/// @return how many steps to take; 0 for a bad argument
TARN_API int tarn_world_add_time(tarn_world *world, double seconds);

/// The part of a step that is pending after tarn_world_add_time() or tarn_world_advance(), 0 .. 1: the `blend` of
/// tarn_world_get_frame() for pictures that move evenly at any frame rate. 0 if `world` is NULL.
TARN_API double tarn_world_get_remainder(const tarn_world *world);

/// Both at once, for programs that apply no forces: add dt to the pending time and take the steps that are due. Their
/// number and size follow from the world alone, so frame rate and number of threads do not change a bit.
/// @param dt  [s] 0 < dt <= 10
/// @return    as tarn_world_step(), of the first step that fails
TARN_API tarn_result tarn_world_advance(tarn_world *world, double dt);

/// Why the world stopped; empty while all is well.
TARN_API const char *tarn_world_get_failure(const tarn_world *world);

/// Numbers about a run, for progress and summaries.
typedef struct tarn_world_status {
    double time;       ///< [s] of the last step
    uint64_t steps;    ///< world steps taken
    uint64_t substeps; ///< substeps of the fluid taken
    int retaken;       ///< steps that had to be retaken since this world was made or loaded
    int substeps_next; ///< substeps that the next world step would take as things are now
    double courant;    ///< largest c dt sqrt(2) / dx so far; above 1 nothing would be stable
    int cells[2];      ///< cells along x and z (flow: y)
    double size[2];    ///< [m]
    int body_count, emitter_count;
    int awake_count;   ///< dynamic bodies that do not sleep
    int joint_count;   ///< joints
    int contact_count; ///< pairs of bodies, or of a body and its surroundings, that were close in the last step
    int obstacle_count;    ///< flow: obstacles
    tarn_fluid_type fluid; ///< model of the fluid
    bool failed;           ///< the world takes no further step: tarn_world_get_failure() says why
    double dt;             ///< [s] length of a world step
    double cell_size;      ///< [m] width of a cell
    uint64_t reserved[4];  ///< zero
} tarn_world_status;
TARN_API tarn_world_status tarn_world_get_status(const tarn_world *world);

/// What may change between steps. All but `retries` is part of the state.
typedef struct tarn_world_settings {
    double gravity; ///< [m/s^2] 9.81, 1e-3 .. 1e3: downwards; may change in worlds without fluid alone
    /// 0, 0 .. 100: fraction of its speed with which a body that breaks the surface throws up water around itself
    double splash;
    double hit_speed;     ///< [m/s] 0.5, 0 .. 1e4: a contact that closes faster is a hit event
    bool enable_sleep;    ///< true: bodies at rest sleep until something wakes them (flow: never)
    bool enable_contacts; ///< true: bodies collide with each other; false: with ground and walls only
    int retries;          ///< 0, 0 .. 8: as tarn_host.retries
    uint64_t reserved[4]; ///< zero
} tarn_world_settings;

/// @return the settings of a world as they are now; zeros if `world` is NULL
TARN_API tarn_world_settings tarn_world_get_settings(const tarn_world *world);

/// Change settings from the next step on. Bodies wake if they may collide or sleep otherwise, or fall otherwise.
/// @return TARN_OK; TARN_BAD_ARGUMENT (a null pointer); TARN_BAD_INPUT (a value out of range, or another gravity
///         in a world with fluid; err->key names it). Nothing changes then
TARN_API tarn_result tarn_world_set_settings(tarn_world *world, const tarn_world_settings *settings,
                                             tarn_error *err);

/// A number of the caller's, 0 at first. It is no part of the state: restores keep it, checkpoints and clones do not
/// have it.
TARN_API uint64_t tarn_world_get_user_data(const tarn_world *world);
TARN_API void tarn_world_set_user_data(tarn_world *world, uint64_t user_data);

/// Replace the threads of a world. Its own threads (tarn_host.workers) end. Results stay the same.
/// @param tasks  NULL or zeros: the caller's thread alone
/// @return TARN_OK or TARN_BAD_ARGUMENT
TARN_API tarn_result tarn_world_set_tasks(tarn_world *world, const tarn_task_system *tasks);

/// Conserved quantities, summed when asked for. Volume and its sources in m^3.
typedef struct tarn_ledger {
    double time;              ///< [s]
    double volume;            ///< water there is
    double volume_emitted;    ///< what emitters added (drains count negative)
    double volume_out;        ///< what left through open sides
    double volume_displaced;  ///< taken by bodies put into the water (removed: negative), and by `triangles`
    double volume_in_hulls;   ///< in the holds of open hulls, besides `volume`
    double volume_error;      ///< volume + held - (start + emitted - out - placed): rounding and nothing else
    double volume_submerged;  ///< volume of bodies under water
    double energy_water;      ///< [J] kinetic and potential, with what bodies displace and take along
    double energy_bodies;     ///< [J] kinetic, and potential above y = 0
    tarn_vec3 momentum_water; ///< [kg m/s]
    tarn_vec3 momentum_bodies;     ///< [kg m/s] water in their holds included
    tarn_vec3 momentum_unresolved; ///< [kg m/s] given to the water that it cannot carry (wave: all of it)
    tarn_vec3 momentum_walls;      ///< [kg m/s] that walls and floor gave the bodies
    // flow: integrals over the area; sources count as emitted, sides and decay as out
    double dye, dye_emitted, dye_out;    ///< [m^2]
    double heat, heat_emitted, heat_out; ///< [K m^2] above the rest temperature
} tarn_ledger;
TARN_API tarn_ledger tarn_world_get_ledger(const tarn_world *world);

/// A parameter of the running world by path ("fluid.damping", "emitters[0].rate", "bodies[2].thruster.force", bodies being
/// counted as tarn_body_at() does).
TARN_API tarn_result tarn_world_get_param(const tarn_world *world, const char *path, tarn_value *value);

/// Only parameters marked TARN_PARAM_LIVE may change. @return TARN_OK, TARN_BAD_ARGUMENT or TARN_BAD_INPUT
TARN_API tarn_result tarn_world_set_param(tarn_world *world, const char *path, tarn_value value,
                                          tarn_error *err);

#ifdef __cplusplus
}
#endif
#endif
