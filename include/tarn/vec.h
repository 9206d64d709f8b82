/// @file vec.h
/// Vectors and rotations.
#ifndef TARN_VEC_H
#define TARN_VEC_H

#include "base.h"

#ifdef __cplusplus
extern "C" {
#endif

/// A point or a vector of a plane.
typedef struct tarn_vec2 {
    double x, y;
} tarn_vec2;

/// A point or a vector.
typedef struct tarn_vec3 {
    double x, y, z;
} tarn_vec3;

/// A rotation; unit length, w is the scalar part.
typedef struct tarn_quat {
    double w, x, y, z;
} tarn_quat;

/// A position and an orientation.
typedef struct tarn_pose {
    tarn_vec3 position; ///< [m]
    tarn_quat rotation;
} tarn_pose;

/// An axis-aligned bounding box, in the axes of the world or of a shape.
typedef struct tarn_aabb {
    tarn_vec3 min; ///< [m]
    tarn_vec3 max; ///< [m]
} tarn_aabb;

#ifdef __cplusplus
}
#endif
#endif
