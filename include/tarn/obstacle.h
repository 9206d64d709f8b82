/// @file obstacle.h
/// Obstacles of the model flow.
#ifndef TARN_OBSTACLE_H
#define TARN_OBSTACLE_H

#include "param.h"
#include "vec.h"

#ifdef __cplusplus
extern "C" {
#endif

#define TARN_MAX_PATH_POINTS 16   ///< most places of a path
#define TARN_MAX_BITMAP_SIDE 4096 ///< most cells of a bitmap each way

/// Where something is at given times, straight in between.
typedef struct tarn_path {
    int count;
    double rows[TARN_MAX_PATH_POINTS][4]; ///< time [s], x, y [m], angle [degrees]
} tarn_path;

/// Solid cells of a map, lent.
typedef struct tarn_bitmap {
    int nx, ny;
    const unsigned char *cells; ///< nx * ny, row by row along x from below; not 0: solid
} tarn_bitmap;

/// What stands or moves in a fluid of the model "flow", come what may. Begin with tarn_obstacle_def_default().
typedef struct tarn_obstacle_def {
    char name[TARN_NAME_BYTES];
    double
        position[2]; ///< [m] of its origin: the middle of circle and box, the lower left corner of a bitmap
    double angle;    ///< [degrees] counter-clockwise
    double velocity[2];      ///< [m/s] with which it moves on
    double angular_velocity; ///< [rad/s] counter-clockwise
    tarn_path path;          ///< where it is instead; no rows: none
    bool repeat;             ///< false; true: the path begins again when it has ended
    int boundary; ///< 0 "cut_cells": faces are open in part; 1 "staircase": whole cells, velocities near them are reflected
    tarn_bitmap map; ///< of the shape "bitmap"
    tarn_spec shape; ///< "circle", "box", "polygon", "bitmap", and its parameters
} tarn_obstacle_def;

/// A shape by name and the defaults of an obstacle. An unknown shape leaves shape.kind NULL, and create refuses it.
TARN_API tarn_obstacle_def tarn_obstacle_def_default(const char *kind);

/// Obstacles are counted from 0 in the order in which they were made.
TARN_API tarn_result tarn_obstacle_create(tarn_world *world, const tarn_obstacle_def *def, tarn_error *err);

/// How an obstacle moves and what the fluid does to it, per metre of depth.
typedef struct tarn_obstacle_load {
    double x, y, angle;            ///< [m], [rad] where its origin is
    double u, v, angular_velocity; ///< [m/s], [rad/s]
    double force_x, force_y;       ///< [N/m] of pressure and friction together
    double friction_x, friction_y; ///< [N/m] of friction alone
    double torque;                 ///< [N] about the origin, counter-clockwise
} tarn_obstacle_load;
TARN_API tarn_result tarn_obstacle_get_load(const tarn_world *world, int index, tarn_obstacle_load *out);

#ifdef __cplusplus
}
#endif
#endif
