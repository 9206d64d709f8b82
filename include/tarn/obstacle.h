/// @file obstacle.h
/// Obstacles of the model `flow`: solids whose motion is prescribed.
///
/// The fluid flows around an obstacle, and bodies collide with it; neither changes its motion, which follows
/// from velocities, from a path, or from calls of tarn_obstacle_set_motion() while the world runs. Forces are
/// per metre of depth.
#ifndef TARN_OBSTACLE_H
#define TARN_OBSTACLE_H

#include "id.h"
#include "vec.h"

#ifdef __cplusplus
extern "C" {
#endif

/// Types of obstacles, in the order of tarn_kind_at("obstacle", ...).
typedef enum tarn_obstacle_type {
    TARN_OBSTACLE_CIRCLE = 0,
    TARN_OBSTACLE_BOX = 1,
    TARN_OBSTACLE_POLYGON = 2,
    TARN_OBSTACLE_BITMAP = 3
} tarn_obstacle_type;

/// A circle about its position.
typedef struct tarn_obstacle_circle {
    double radius; ///< [m] 0.1, 1e-6 .. 1e6: radius of the circle
} tarn_obstacle_circle;

/// A rectangle about its position.
typedef struct tarn_obstacle_box {
    tarn_vec2 size; ///< [m] 0.2 0.2, 1e-6 .. 1e6 each: lengths along x and y, before rotation
} tarn_obstacle_box;

/// A polygon that does not intersect itself.
typedef struct tarn_obstacle_polygon {
    const tarn_vec2 *points; ///< [m] 3 .. 64 corners in order around it, -1e6 .. 1e6 each, relative to the
                             ///< position; copied
    int point_count;         ///< number of corners
} tarn_obstacle_polygon;

/// Limit of the cells of a bitmap along x and along y.
#define TARN_MAX_BITMAP_SIDE 4096

/// Solid cells of a map, for example a maze, stretched over a rectangle whose lower left corner is the
/// position. It neither moves nor rotates.
typedef struct tarn_obstacle_bitmap {
    tarn_vec2 size;             ///< [m] 1 1, 1e-6 .. 1e6 each: lengths along x and y
    const unsigned char *cells; ///< nx * ny, row by row along x from below; not 0: solid; copied
    int nx;                     ///< 1 .. 4096: cells along x
    int ny;                     ///< 1 .. 4096: cells along y
} tarn_obstacle_bitmap;

/// Treatment of the surface by the fluid.
typedef enum tarn_obstacle_boundary {
    TARN_OBSTACLE_CUT_CELLS = 0, ///< cells that the surface crosses are open in part
    TARN_OBSTACLE_STAIRCASE = 1  ///< whole cells with reflected velocities, for visual use
} tarn_obstacle_boundary;

/// A point of a path.
typedef struct tarn_waypoint {
    double time;        ///< [s] from the start of the motion
    tarn_vec2 position; ///< [m]
    double angle;       ///< [rad] counter-clockwise
} tarn_waypoint;

/// Positions and angles at given times, linear in between; constant before the first and after the last.
typedef struct tarn_path {
    const tarn_waypoint *points; ///< 0 .. 16 waypoints in the order of time, numbers of -1e6 .. 1e6; copied
    int point_count;             ///< number of waypoints; 0: no path
    bool repeat;                 ///< false; true: the path repeats from its start
} tarn_path;

/// Prescribed motion of an obstacle.
typedef struct tarn_obstacle_motion {
    tarn_vec2 position;      ///< [m] 0 0, -1e6 .. 1e6 each: x and y of the origin at the start
    double angle;            ///< [rad] 0, -200 pi .. 200 pi: at the start, counter-clockwise
    tarn_vec2 velocity;      ///< [m/s] 0 0, -1e4 .. 1e4 each: constant velocity
    double angular_velocity; ///< [rad/s] 0, -1e4 .. 1e4: constant angular velocity, counter-clockwise
    tarn_path path;          ///< used instead of positions and velocities if it has waypoints
    double start; ///< [s] 0, 0 .. 1e9: world time from which velocities and the times of the path count
} tarn_obstacle_motion;

/// Definition of an obstacle; `type` selects the member that is read. Begin with tarn_default_obstacle_def():
///
///     tarn_obstacle_def def = tarn_default_obstacle_def(TARN_OBSTACLE_CIRCLE);
///     def.motion.position = (tarn_vec2){0.4, 0.5};
///     def.circle.radius = 0.05;
typedef struct tarn_obstacle_def {
    tarn_obstacle_type type;
    tarn_obstacle_boundary boundary; ///< TARN_OBSTACLE_CUT_CELLS: treatment of the surface
    char name[TARN_NAME_BYTES];      ///< empty: no name; for tarn_obstacle_find()
    tarn_obstacle_motion motion;     ///< at rest
    union {
        tarn_obstacle_circle circle;
        tarn_obstacle_box box;
        tarn_obstacle_polygon polygon;
        tarn_obstacle_bitmap bitmap;
        double space[16]; ///< reserves memory for later types
    };
    uint64_t reserved[4]; ///< zero: memory for later members
} tarn_obstacle_def;

/// @return a definition with the defaults of scene files; polygons and bitmaps are empty
TARN_API tarn_obstacle_def tarn_default_obstacle_def(tarn_obstacle_type type);

/// Create an obstacle. It stays as long as the world.
/// @param out  its id; may be NULL
/// @return TARN_OK; TARN_BAD_ARGUMENT (a null pointer, an unknown type); TARN_BAD_INPUT (a value out of
///         range, waypoints that are not in the order of time, a model other than `flow`, more than 4096
///         obstacles); TARN_NO_MEMORY. *out is zero then
TARN_API tarn_result tarn_obstacle_create(tarn_world *world, const tarn_obstacle_def *def,
                                          tarn_obstacle_id *out, tarn_error *err);

/// Prescribe the motion of an obstacle from now on, for example in every step by a controller. The fluid and
/// the bodies meet the surface at the new velocity; an obstacle at another position than before is there at
/// once. `start` becomes the present time, whatever is given.
/// @return TARN_OK; TARN_BAD_ARGUMENT (a null pointer, stale id); TARN_BAD_INPUT (as of
///         tarn_obstacle_create()); TARN_NO_MEMORY. The motion is unchanged then
TARN_API tarn_result tarn_obstacle_set_motion(tarn_world *world, tarn_obstacle_id obstacle,
                                              const tarn_obstacle_motion *motion, tarn_error *err);

/// @return true if there is such an obstacle
TARN_API bool tarn_obstacle_is_valid(const tarn_world *world, tarn_obstacle_id obstacle);

/// Write the ids of the obstacles in the order of their creation, at most `capacity` of them.
/// @return the number of obstacles
TARN_API int tarn_world_get_obstacles(const tarn_world *world, tarn_obstacle_id *out, int capacity);

/// Find an obstacle by its name. @return the first of this name; zero: there is none
TARN_API tarn_obstacle_id tarn_obstacle_find(const tarn_world *world, const char *name);

/// Get the definition of an obstacle with its present motion. Arrays are valid until the motion is set again
/// or the world is restored or destroyed. @return TARN_OK or TARN_BAD_ARGUMENT
TARN_API tarn_result tarn_obstacle_get_def(const tarn_world *world, tarn_obstacle_id obstacle,
                                           tarn_obstacle_def *out);

/// Present motion of an obstacle, and the load of the fluid on it per metre of depth: the mean over the last
/// world step, 0 before the first one and with `freeze_velocity`.
typedef struct tarn_obstacle_load {
    double x, y, angle;            ///< [m], [rad] position and angle of its origin
    double u, v, angular_velocity; ///< [m/s], [rad/s]
    double force_x, force_y;       ///< [N/m] of pressure and friction together
    double friction_x, friction_y; ///< [N/m] of friction alone
    double torque;                 ///< [N] about the origin, counter-clockwise
} tarn_obstacle_load;

/// Get motion and load of an obstacle. @return TARN_OK or TARN_BAD_ARGUMENT
TARN_API tarn_result tarn_obstacle_get_load(const tarn_world *world, tarn_obstacle_id obstacle,
                                            tarn_obstacle_load *out);

#ifdef __cplusplus
}
#endif
#endif
