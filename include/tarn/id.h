/// @file id.h
/// Ids of what is in a world. Zero is "none"; the id of an object that is gone is refused by every call.
///
/// An id is one number in a struct, so that the compiler tells a body from a joint; bindings may declare it as a
/// uint64_t. Its lower 32 bits number the objects of its kind; a later object may have the same number, but never
/// the same id.
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

#endif
