/// @file command.h
/// What a person does to a running world, as plain structs: viewer, replay and bindings share this one list.
///
/// A command is applied between two steps. A run is then a function of its scene and its commands with their step
/// numbers, so what was done by hand can be written down and done again, bit for bit.
#ifndef TARN_COMMAND_H
#define TARN_COMMAND_H

#include "tarn.h"

#ifdef __cplusplus
extern "C" {
#endif

/// What is done.
typedef enum tarn_command_kind {
    TARN_COMMAND_GRAB = 1,  ///< take hold of `body` at `at`; a hand that holds another one lets go of it
    TARN_COMMAND_MOVE_GRAB, ///< move the hand to `at`
    TARN_COMMAND_RELEASE,   ///< let go; the body keeps its speed
    TARN_COMMAND_POKE, ///< press the water down at `at`: the middle of a dent of `radius` starts with `strength` m/s
    TARN_COMMAND_STIR, ///< carry the water along at `at`: within `radius` it gains up to `way`; in a flat world it is taken to it
    TARN_COMMAND_SPAWN, ///< a body of the shape `shape` at `at`, thrown with `way`, of `density`, `colour`, named `path`
    TARN_COMMAND_REMOVE,      ///< take `body` away
    TARN_COMMAND_SET_PARAM,   ///< the parameter `path` becomes `value` (no tables)
    TARN_COMMAND_ADD_EMITTER, ///< add the emitter `spec`
    TARN_COMMAND_ADD_DYE, ///< flat worlds: add dye at `at`, `strength` in the middle, falling as exp(-(r/radius)^2)
    TARN_COMMAND_ADD_HEAT, ///< likewise heat, `strength` [K]
    TARN_COMMAND_RAISE_BED ///< "shallow", "implicit": the ground at `at` goes up by `strength` [m], likewise, `radius` at most; below
    ///< 0 down. Water goes with it: its volume stays what it is, to the bit. Ground that is as high or deep as the
    ///< model can count stays
} tarn_command_kind;

/// Begin with zero; each kind reads the fields that it names.
typedef struct tarn_command {
    uint64_t step; ///< how many steps the world has taken when it is applied; for records, not looked at here
    tarn_command_kind kind;
    tarn_body_id body;
    tarn_vec3 position;         ///< [m]
    tarn_vec3 velocity;         ///< [m/s]
    tarn_vec3 angular_velocity; ///< [rad/s] of a body that is spawned
    tarn_vec3 colour;           ///< likewise, 0 .. 1 each
    double radius;              ///< [m]
    double amount;              ///< [m/s], or what the kind says
    double density;             ///< [kg/m^3]
    char path[128];             ///< "fluid.damping"
    tarn_value value;           ///< of a parameter
    tarn_spec spec;             ///< an emitter
    const tarn_shape *shape;    ///< of a body that is spawned; borrowed for the call
} tarn_command;

/// Apply a command. A hand is a spring of the world (tarn_body_grab()), saved and hashed like any other.
/// @return TARN_OK; TARN_BAD_ARGUMENT (a stale id, nothing held); TARN_BAD_INPUT (a value out of range, no water
///         there); TARN_NO_MEMORY; the world is unchanged then
TARN_API tarn_result tarn_world_apply_command(tarn_world *world, const tarn_command *command,
                                              tarn_error *err);

/// "grab" and so on. @return NULL if there is no such kind
TARN_API const char *tarn_command_name(tarn_command_kind kind);

#ifdef __cplusplus
}
#endif
#endif
