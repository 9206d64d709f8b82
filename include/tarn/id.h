/// @file id.h
/// Ids of bodies, joints, emitters and obstacles. Zero means "none". The id of a destroyed object is stale:
/// every call rejects it.
///
/// An id is one number in a struct, so that the compiler distinguishes bodies from joints; bindings may
/// declare it as a uint64_t. Its lower 32 bits are the slot of the object. A slot is used again by later
/// objects, an id never is.
#ifndef TARN_ID_H
#define TARN_ID_H

#ifndef TARN_CFFI
#include <stdint.h>
#endif

/// A body of one world.
typedef struct tarn_body_id {
    uint64_t value;
} tarn_body_id;

/// A joint of one world.
typedef struct tarn_joint_id {
    uint64_t value;
} tarn_joint_id;

/// An emitter of one world.
typedef struct tarn_emitter_id {
    uint64_t value;
} tarn_emitter_id;

/// An obstacle of one world of the model `flow`.
typedef struct tarn_obstacle_id {
    uint64_t value;
} tarn_obstacle_id;

#endif
