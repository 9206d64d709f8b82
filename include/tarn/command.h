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

typedef enum tarn_command_kind {
    TARN_GRAB = 1, ///< take hold of `body` at `at`; a hand that holds another one lets go of it
    TARN_PULL,     ///< move the hand to `at`
    TARN_RELEASE,  ///< let go; the body keeps its speed
    TARN_POKE, ///< press the water down at `at`: the middle of a dent of `radius` starts with `strength` m/s
    TARN_STIR, ///< carry the water along at `at`: within `radius` it gains up to `way`; in a flat world it is taken to it
    TARN_SPAWN, ///< a body of the shape `spec` at `at`, thrown with `way`, of `density`, `colour`, named `path`
    TARN_REMOVE, ///< take `body` away
    TARN_SET,    ///< the parameter `path` becomes `value` (no tables)
    TARN_EMIT,   ///< add the emitter `spec`
    TARN_DYE,    ///< flat worlds: add dye at `at`, `strength` in the middle, falling as exp(-(r/radius)^2)
    TARN_WARM,   ///< likewise heat, `strength` [K]
    TARN_RAISE ///< "shallow", "implicit": the ground at `at` goes up by `strength` [m], likewise, `radius` at most; below
    ///< 0 down. Water goes with it: its volume stays what it is, to the bit. Ground that is as high or deep as the
    ///< model can count stays
} tarn_command_kind;

/// Begin with zero; each kind reads the fields that it names.
typedef struct tarn_command {
    uint64_t step; ///< how many steps the world has taken when it is applied; for records, not looked at here
    tarn_command_kind kind;
    tarn_body body;
    tarn_vec3 at;        ///< [m]
    tarn_vec3 way;       ///< [m/s]
    tarn_vec3 spin;      ///< [rad/s] of a body that is spawned
    tarn_vec3 colour;    ///< likewise, 0 .. 1 each
    double radius;       ///< [m]
    double strength;     ///< [m/s], or what the kind says
    double density;      ///< [kg/m^3]
    char path[128];      ///< "fluid.damping"
    tarn_value value;    ///< of a parameter
    tarn_spec spec;      ///< a shape or an emitter
    tarn_triangles mesh; ///< of the shape "mesh", lent
} tarn_command;

/// Apply a command. A hand is a spring of the world (tarn_body_grab()), saved and hashed like any other.
/// @return TARN_OK; TARN_BAD_ARGUMENT (a stale id, nothing held); TARN_BAD_INPUT (a value out of range, no water
///         there); TARN_NO_MEMORY; the world is unchanged then
TARN_API tarn_result tarn_world_command(tarn_world *world, const tarn_command *command, tarn_error *err);

/// "grab" and so on. @return NULL if there is no such kind
TARN_API const char *tarn_command_name(tarn_command_kind kind);

#ifdef __cplusplus
}
#endif
#endif
