/// @file command.h
/// Interactive commands to a running world, as plain structs: the viewer, `tarn replay` and bindings share
/// this list.
///
/// A command is applied between two steps. A run is then a function of its scene and of its commands with
/// their step numbers, so a recorded session can be repeated with the same bits.
#ifndef TARN_COMMAND_H
#define TARN_COMMAND_H

#include "tarn.h"

#ifdef __cplusplus
extern "C" {
#endif

/// Kinds of commands, each with the members of tarn_command that it reads. A Gaussian is w =
/// exp(-(r/radius)^2) of the distance r to `position`; a radius below two cells counts as two cells.
typedef enum tarn_command_kind {
    /// `body`, `position`: connect the body at this point to a spring. Another grabbed body is released.
    TARN_COMMAND_GRAB = 1,
    /// `position`: move the free end of the spring.
    TARN_COMMAND_MOVE_GRAB,
    /// Remove the spring; the body keeps its velocity.
    TARN_COMMAND_RELEASE,
    /// `position`, `radius`, `amount`: push the water down by a pressure impulse; its surface starts to sink
    /// with `amount` [m/s] in the middle of a Gaussian. Height-field models.
    TARN_COMMAND_POKE,
    /// `position`, `radius`, `velocity`: accelerate the water. In height-field models it gains `velocity` in
    /// the middle of a Gaussian, with a return flow around it; in planar models its velocity is blended to
    /// `velocity`.
    TARN_COMMAND_STIR,
    /// `shape`, `position`, `velocity`, `angular_velocity`, `density`, `colour`, `path` (its name): create a
    /// body.
    TARN_COMMAND_SPAWN,
    /// `body`: destroy the body.
    TARN_COMMAND_REMOVE,
    /// `path`, `value`: set a live parameter, but no table.
    TARN_COMMAND_SET_PARAM,
    /// `emitter`: create an emitter.
    TARN_COMMAND_ADD_EMITTER,
    /// `position`, `radius`, `amount`: add dye, `amount` in the middle of a Gaussian. Planar models.
    TARN_COMMAND_ADD_DYE,
    /// `position`, `radius`, `amount` [K]: add temperature, `amount` in the middle of a Gaussian. Planar
    /// models.
    TARN_COMMAND_ADD_HEAT,
    /// `position`, `radius`, `amount` [m]: raise the bed by `amount`, below 0 lower it, in the middle of a
    /// Gaussian; at most by `radius`. The water moves with the bed and its volume does not change, to the
    /// bit. A column of bed at the limit of what the model can represent does not change. Models `shallow`
    /// and `implicit`.
    TARN_COMMAND_RAISE_BED
} tarn_command_kind;

/// A command. Initialise it with zeros; each kind reads only the members that it names.
typedef struct tarn_command {
    uint64_t
        step; ///< number of steps before the command; for recordings, tarn_world_apply_command() ignores it
    tarn_command_kind kind;
    tarn_body_id body;
    tarn_vec3 position;         ///< [m]
    tarn_vec3 velocity;         ///< [m/s]
    tarn_vec3 angular_velocity; ///< [rad/s] of a body that is spawned
    tarn_vec3 colour;           ///< 0 .. 1 each, of a body that is spawned
    double radius;              ///< [m] 0 .. 1e6, without 0
    double amount;              ///< [m/s], [K] or [m], see the kinds
    double density;             ///< [kg/m^3] of a body that is spawned
    char path[128];             ///< path of a parameter ("fluid.damping"), or name of a body that is spawned
    tarn_value value;           ///< new value of a parameter
    tarn_emitter_def emitter;   ///< an emitter that is created
    const tarn_shape *shape;    ///< of a body that is spawned, which retains it
} tarn_command;

/// Apply a command between two steps. The spring of a grabbed body is a joint of the world
/// (tarn_body_grab()), which is saved and hashed.
/// @return TARN_OK; otherwise the world is unchanged: TARN_BAD_ARGUMENT (a stale id, no body is grabbed);
///         TARN_BAD_INPUT (a value out of range, no water at the position); TARN_NO_MEMORY
TARN_API tarn_result tarn_world_apply_command(tarn_world *world, const tarn_command *command,
                                              tarn_error *err);

/// @return the name of a kind in recordings: "grab", "pull", "release", "poke", "stir", "spawn", "remove",
///         "set", "emit", "dye", "warm", "raise"; NULL: unknown kind
TARN_API const char *tarn_command_name(tarn_command_kind kind);

#ifdef __cplusplus
}
#endif
#endif
