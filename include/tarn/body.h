/// @file body.h
/// Rigid bodies: creation, motion, properties, forces, and the loads of the water on them.
///
/// Positions, velocities, forces and impulses are in the world's axes unless a function says otherwise. A
/// function that takes several bodies changes all of them or, if an argument is wrong, none. A stale id is
/// TARN_BAD_ARGUMENT everywhere.
#ifndef TARN_BODY_H
#define TARN_BODY_H

#include "id.h"
#include "param.h"
#include "shape.h"

#ifdef __cplusplus
extern "C" {
#endif

/// Appearance of a body, besides its colour.
typedef enum tarn_appearance {
    TARN_APPEARANCE_PAINT = 0,
    TARN_APPEARANCE_WOOD = 1,
    TARN_APPEARANCE_GLASS = 2,
    TARN_APPEARANCE_METAL = 3,
    TARN_APPEARANCE_RUBBER = 4
} tarn_appearance;

/// Types of bodies.
typedef enum tarn_body_type {
    TARN_BODY_DYNAMIC = 0,   ///< moved by forces
    TARN_BODY_KINEMATIC = 1, ///< moved by the caller, through its velocity, its target or its state
    TARN_BODY_STATIC = 2 ///< does not move: its velocity is 0; tarn_body_set_state() may place it elsewhere
} tarn_body_type;

/// Axes of the world along which a body does not move and about which it does not rotate.
typedef struct tarn_locks {
    int translation[3]; ///< 0 0 0, 0 .. 1 each, live: x, y, z; 1: locked
    int rotation[3];    ///< 0 0 0, 0 .. 1 each, live: about x, y, z; 1: locked
} tarn_locks;

/// Which bodies collide with each other. Two bodies of the same group collide always if the group is above 0
/// and never if it is below 0. Otherwise both masks must have a bit of the category of the other body. Walls
/// and ground collide with all bodies.
typedef struct tarn_filter {
    uint64_t category; ///< 1, live: bits of what the body is
    uint64_t mask;     ///< all bits, live: categories of the bodies with which it collides
    int group;         ///< 0, -1e9 .. 1e9, live; 0: no group
} tarn_filter;

/// A propeller. Its force acts while it is under water.
typedef struct tarn_thruster {
    double force;       ///< [N] 0, -1e9 .. 1e9, live: along the x axis of the body
    tarn_vec3 position; ///< [m] 0 0 0, -100 .. 100 each: in the body's axes from the centre of mass
} tarn_thruster;

/// A rudder: a plate along the x and y axes of the body.
typedef struct tarn_rudder {
    double angle;       ///< [rad] 0, -pi/2 .. pi/2, live: about the y axis; above 0 the bow turns to +z
    double area;        ///< [m^2] 0, 0 .. 1e4; 0: no rudder
    tarn_vec3 position; ///< [m] 0 0 0, -100 .. 100 each: in the body's axes from the centre of mass
} tarn_rudder;

/// Definition of a body. Begin with tarn_default_body_def().
typedef struct tarn_body_def {
    tarn_body_type type;        ///< TARN_BODY_DYNAMIC
    const tarn_shape *shape;    ///< required; retained
    char name[TARN_NAME_BYTES]; ///< empty: no name; for results and tarn_body_find()
    uint64_t user_data;         ///< 0, live: a number of the caller's: saved, and no part of the hash
    // state at the start
    tarn_vec3 position;         ///< [m] 0 2 0, -1e6 .. 1e6 each: of the centre of mass
    tarn_quat rotation;         ///< 1 0 0 0: orientation
    tarn_vec3 velocity;         ///< [m/s] 0 0 0, -1e4 .. 1e4 each: of the centre of mass
    tarn_vec3 angular_velocity; ///< [rad/s] 0 0 0, -1e4 .. 1e4 each: about the world's axes
    // mass
    double density;    ///< [kg/m^3] 500, 0.1 .. 1e5: used if mass is 0 and the shape has no mass of its own
    double mass;       ///< [kg] 0, 0 .. 1e12; 0: from the density
    tarn_vec3 inertia; ///< [kg m^2] 0 0 0, 0 .. 1e15 each: principal moments; all zero: those of the shape,
                       ///< in proportion to the mass
    tarn_quat inertia_axes; ///< 1 0 0 0: rotates the body's axes into the principal ones, if `inertia` is
                            ///< given
    // motion and contacts
    double gravity_scale;   ///< 1, -100 .. 100, live: multiplies the weight
    double linear_damping;  ///< [1/s] 0, 0 .. 1000, live: decay rate of the velocity, besides the drag of the
                            ///< water
    double angular_damping; ///< [1/s] 0, 0 .. 1000, live: decay rate of the angular velocity
    tarn_locks locks;       ///< none
    double friction;        ///< 0.5, 0 .. 10, live: Coulomb coefficient; a contact has the geometric mean
    double restitution;     ///< 0.3, 0 .. 1, live: rebound speed over impact speed; a contact has the larger
    tarn_filter filter;     ///< collides with all bodies
    bool sensor;  ///< false; true: overlaps with other bodies are events and have no effect; not for dynamic
                  ///< bodies
    bool enabled; ///< true; false: the body rests where it is, and neither bodies nor water are affected by
                  ///< it
    // hydrodynamics
    double drag_coefficient;   ///< NAN, 0 .. 100, live: C_D of the wetted area; NAN: default of the shape
    double form_drag_fraction; ///< NAN, 0 .. 1, live: fraction of the drag that depends on the angle between
                               ///< a face and the flow; NAN: default of the shape
    double lift_coefficient;   ///< 0.007, 0 .. 10, live: C_L of the wetted area
    tarn_thruster thruster;    ///< none
    tarn_rudder rudder;        ///< none
    // pictures
    tarn_vec3 colour;           ///< 0.85 0.35 0.2, 0 .. 1 each, live: red, green, blue
    tarn_appearance appearance; ///< TARN_APPEARANCE_PAINT, live: saved, and no part of the hash
    uint64_t reserved[3];       ///< 0: for later members
} tarn_body_def;

/// @return a definition with the defaults of scene files, without a shape
TARN_API tarn_body_def tarn_default_body_def(void);

/// Create a body. In water it replaces the water in its place without a wave, and the ledger counts the
/// volume as displaced. In the model `flow` bodies are circles, boxes and convex polygons, 1 m deep, at z =
/// 0; they rotate about z only, and obstacles hold and push them.
/// @param out  its id; may be NULL
/// @return TARN_OK; TARN_BAD_ARGUMENT (a null pointer, no shape); TARN_BAD_INPUT (a value out of range, a
///         shape that the model does not have); TARN_NO_MEMORY. *out is zero then
TARN_API tarn_result tarn_body_create(tarn_world *world, const tarn_body_def *def, tarn_body_id *out,
                                      tarn_error *err);

/// Create a body with a shape of its own: tarn_shape_create(), tarn_body_create(), tarn_shape_release().
/// def->shape is not read. Bodies of equal shapes should share one shape.
/// @param out  its id; may be NULL
TARN_API tarn_result tarn_body_create_with_shape(tarn_world *world, const tarn_body_def *def,
                                                 const tarn_shape_def *shape, tarn_body_id *out,
                                                 tarn_error *err);

/// Remove a body and its joints; the water fills its place. @return TARN_OK or TARN_BAD_ARGUMENT
TARN_API tarn_result tarn_body_destroy(tarn_world *world, tarn_body_id body);

/// @return true if there is such a body
TARN_API bool tarn_body_is_valid(const tarn_world *world, tarn_body_id body);

/// State of a body.
typedef struct tarn_body_state {
    tarn_vec3 position;         ///< [m] of the centre of mass
    tarn_quat rotation;         ///< orientation
    tarn_vec3 velocity;         ///< [m/s] of the centre of mass
    tarn_vec3 angular_velocity; ///< [rad/s] about the world's axes
} tarn_body_state;

/// Get the state of a body. @return TARN_OK or TARN_BAD_ARGUMENT
TARN_API tarn_result tarn_body_get_state(const tarn_world *world, tarn_body_id body, tarn_body_state *out);

/// Set the state of a body: each step for kinematic bodies that another engine moves, or to place a body
/// elsewhere.
/// @return TARN_OK or TARN_BAD_ARGUMENT (also for a value out of range, or a static body with a velocity)
TARN_API tarn_result tarn_body_set_state(tarn_world *world, tarn_body_id body, const tarn_body_state *motion);

/// Properties of a body that rarely change.
typedef struct tarn_body_info {
    char name[TARN_NAME_BYTES];
    double mass;       ///< [kg]
    double volume;     ///< [m^3]
    tarn_vec3 inertia; ///< [kg m^2] principal moments
    tarn_quat axes;    ///< rotates the body's axes into the principal ones
    double radius;     ///< [m] of the bounding sphere about the centre of mass
    tarn_vec3 colour;  ///< 0 .. 1 each
    tarn_body_type type;
    tarn_appearance appearance;
} tarn_body_info;

/// Get the properties of a body. @return TARN_OK or TARN_BAD_ARGUMENT
TARN_API tarn_result tarn_body_get_info(const tarn_world *world, tarn_body_id body, tarn_body_info *out);

/// @return the body with this index, in the order of slots; zero: there are no more
TARN_API tarn_body_id tarn_body_at(const tarn_world *world, int index);

/// Find a body by its name. @return the one in the first slot; zero: there is none
TARN_API tarn_body_id tarn_body_find(const tarn_world *world, const char *name);

// ---- motion ---------------------------------------------------------------------------------------

/// Velocity [m/s] of the point of the body that is at `point` [m]; zero for a stale id.
TARN_API tarn_vec3 tarn_body_get_point_velocity(const tarn_world *world, tarn_body_id body, tarn_vec3 point);

/// Set the velocities [m/s], [rad/s] of a body, the latter about the world's axes, at most 1e4 each; wakes
/// it.
TARN_API tarn_result tarn_body_set_velocity(tarn_world *world, tarn_body_id body, tarn_vec3 velocity,
                                            tarn_vec3 angular_velocity);

/// Give a kinematic body the velocities that bring it to a pose within the next world step, at most 1e4 m/s
/// and 1e4 rad/s. It keeps them until they are changed.
TARN_API tarn_result tarn_body_set_target(tarn_world *world, tarn_body_id body, const tarn_pose *target);

/// Pose and velocities of `count` bodies.
TARN_API tarn_result tarn_bodies_get_states(const tarn_world *world, int count, const tarn_body_id *bodies,
                                            tarn_body_state *out);

/// Set them: the same as tarn_body_set_state() for each, but the water is updated once.
TARN_API tarn_result tarn_bodies_set_states(tarn_world *world, int count, const tarn_body_id *bodies,
                                            const tarn_body_state *states, tarn_error *err);

/// Vectors of doubles in memory of the caller: the vector of body k begins `k * stride` bytes after `data`.
/// Neither has to be a multiple of 8 bytes.
typedef struct tarn_strided {
    double *data;  ///< NULL: this quantity is not read or written
    size_t stride; ///< [bytes] distance of two vectors; 0: they are contiguous
} tarn_strided;

/// Arrays or structures of the caller with the state of many bodies.
typedef struct tarn_body_arrays {
    tarn_strided position;         ///< x y z [m] of the centre of mass
    tarn_strided rotation;         ///< w x y z
    tarn_strided velocity;         ///< x y z [m/s]
    tarn_strided angular_velocity; ///< x y z [rad/s] about the world's axes
} tarn_body_arrays;

/// The same as tarn_bodies_get_states() and tarn_bodies_set_states() with arrays of any layout. Quantities
/// without data are not written, or keep their values.
TARN_API tarn_result tarn_bodies_get_arrays(const tarn_world *world, int count, const tarn_body_id *bodies,
                                            const tarn_body_arrays *out);
TARN_API tarn_result tarn_bodies_set_arrays(tarn_world *world, int count, const tarn_body_id *bodies,
                                            const tarn_body_arrays *arrays, tarn_error *err);

// ---- loads of the water ---------------------------------------------------------------------------

/// Load of the water on a body in the last substep; gravity is not included. In height-field models `force`
/// is the sum of buoyancy, drag, lift, slamming, thruster, rudder and floodwater for a kinematic body. Of a
/// dynamic body it is the mean over the substep, in which these forces change with its motion.
typedef struct tarn_load {
    tarn_vec3 buoyancy;        ///< [N] pressure, also that of an inclined surface
    tarn_vec3 drag;            ///< [N] opposite to the velocity through the water
    tarn_vec3 lift;            ///< [N] normal to it
    tarn_vec3 force;           ///< [N] all forces of the water, through the centre of mass
    tarn_vec3 torque;          ///< [N m] of all, about the centre of mass
    double submerged_volume;   ///< [m^3]
    double submerged_fraction; ///< 0 .. 1
    double surface_height;     ///< [m] height of the surface at the body
    double hold_volume;        ///< [m^3] floodwater in the compartment of an open hull
    /// [N], [N m] Force and torque that another engine applies besides gravity during a step of the same
    /// length, to move a body of this mass as tarn does. Added mass, damping and stiffness are included, so
    /// bodies of any density are stable. For dynamic bodies these are `force` and `torque`.
    tarn_vec3 effective_force, effective_torque;
    tarn_vec3 slamming;   ///< [N] acceleration of the growing added mass of a body that enters the water
    tarn_vec3 thruster;   ///< [N]
    tarn_vec3 rudder;     ///< [N]
    tarn_vec3 floodwater; ///< [N] weight of the floodwater and momentum of its inflow
    uint64_t reserved[4]; ///< zero
} tarn_load;

/// Get the load on a body. @return TARN_OK or TARN_BAD_ARGUMENT
TARN_API tarn_result tarn_body_get_load(const tarn_world *world, tarn_body_id body, tarn_load *out);

/// Get the loads on `count` bodies. @return TARN_OK or TARN_BAD_ARGUMENT (nothing is written)
TARN_API tarn_result tarn_bodies_get_loads(const tarn_world *world, int count, const tarn_body_id *bodies,
                                           tarn_load *out);

// ---- properties -----------------------------------------------------------------------------------

/// Get the definition of a body as it is now, with its present state. Its shape is valid as long as the body.
TARN_API tarn_result tarn_body_get_def(const tarn_world *world, tarn_body_id body, tarn_body_def *out);

/// Give a body the live members of a definition; wakes it and the bodies in contact with it. Other members
/// are not read. @return TARN_OK, TARN_BAD_ARGUMENT or TARN_BAD_INPUT (a value out of range); the body is
/// unchanged then
TARN_API tarn_result tarn_body_set_def(tarn_world *world, tarn_body_id body, const tarn_body_def *def,
                                       tarn_error *err);

/// Mass and inertia about the centre of mass, which stays where it is in the shape.
typedef struct tarn_mass {
    double mass;       ///< [kg] 1e-9 .. 1e12
    tarn_vec3 inertia; ///< [kg m^2] principal moments; all zero: those of the shape, in proportion to the
                       ///< mass
    tarn_quat axes;    ///< rotates the body's axes into the principal ones; used if `inertia` is given
} tarn_mass;

/// Mass, inertia and principal axes of a body as they are now.
TARN_API tarn_result tarn_body_get_mass(const tarn_world *world, tarn_body_id body, tarn_mass *out);

/// Set a new mass at the same velocities, for ballast, cargo or fuel. NULL: that of shape and density.
TARN_API tarn_result tarn_body_set_mass(tarn_world *world, tarn_body_id body, const tarn_mass *mass,
                                        tarn_error *err);

/// Make a body dynamic, kinematic or static. A kinematic one continues with its velocity, a static one stops.
/// @return TARN_OK, TARN_BAD_ARGUMENT or TARN_BAD_INPUT (a dynamic sensor)
TARN_API tarn_result tarn_body_set_type(tarn_world *world, tarn_body_id body, tarn_body_type type,
                                        tarn_error *err);

/// Enable or disable a body. A disabled body rests where it is; neither bodies nor water are affected by it,
/// and forces on it have no effect. Water fills its place, and is displaced when it is enabled again.
TARN_API tarn_result tarn_body_set_enabled(tarn_world *world, tarn_body_id body, bool enabled,
                                           tarn_error *err);

/// @return false also for a stale id
TARN_API bool tarn_body_is_enabled(const tarn_world *world, tarn_body_id body);

/// Get or set a number of the caller's, which is saved in checkpoints and no part of the hash. 0 for a stale
/// id.
TARN_API uint64_t tarn_body_get_user_data(const tarn_world *world, tarn_body_id body);
TARN_API tarn_result tarn_body_set_user_data(tarn_world *world, tarn_body_id body, uint64_t user_data);

/// @return false for a body that sleeps, and for a stale id
TARN_API bool tarn_body_is_awake(const tarn_world *world, tarn_body_id body);

/// Wake a body and its island. @return TARN_OK or TARN_BAD_ARGUMENT
TARN_API tarn_result tarn_body_wake(tarn_world *world, tarn_body_id body);

/// Get the smallest box [m] along the world's axes around the convex parts of a body.
TARN_API tarn_result tarn_body_get_bounds(const tarn_world *world, tarn_body_id body, tarn_vec3 *low,
                                          tarn_vec3 *high);

// ---- forces ---------------------------------------------------------------------------------------

/// Apply a force [N] at a point [m], through the centre of mass, or a torque [N m] during the next world
/// step. Forces add up, at most to 1e15 N and N m, wake the body, and are gone after the step. Under water
/// they accelerate the added mass as well. On bodies that are not dynamic, or disabled, they have no effect.
TARN_API tarn_result tarn_body_apply_force(tarn_world *world, tarn_body_id body, tarn_vec3 force,
                                           tarn_vec3 point);
TARN_API tarn_result tarn_body_apply_central_force(tarn_world *world, tarn_body_id body, tarn_vec3 force);
TARN_API tarn_result tarn_body_apply_torque(tarn_world *world, tarn_body_id body, tarn_vec3 torque);

/// Force and point in the body's axes, the point from the centre of mass.
TARN_API tarn_result tarn_body_apply_local_force(tarn_world *world, tarn_body_id body, tarn_vec3 force,
                                                 tarn_vec3 point);

/// Change the momentum [N s] and angular momentum [N m s] of a dynamic body at once, and wake it: by an
/// impulse at a point [m], through the centre of mass, or an angular impulse. The change is exactly the
/// impulse, under water too. In the model "flow" the fluid around the body is accelerated with it at the
/// start of the next step.
TARN_API tarn_result tarn_body_apply_impulse(tarn_world *world, tarn_body_id body, tarn_vec3 impulse,
                                             tarn_vec3 point);
TARN_API tarn_result tarn_body_apply_central_impulse(tarn_world *world, tarn_body_id body, tarn_vec3 impulse);
TARN_API tarn_result tarn_body_apply_angular_impulse(tarn_world *world, tarn_body_id body, tarn_vec3 impulse);

/// A force through the centre of mass and a torque about it.
typedef struct tarn_wrench {
    tarn_vec3 force;  ///< [N]
    tarn_vec3 torque; ///< [N m]
} tarn_wrench;

/// Apply a wrench to each of `count` bodies during the next world step.
TARN_API tarn_result tarn_bodies_apply_wrenches(tarn_world *world, int count, const tarn_body_id *bodies,
                                                const tarn_wrench *wrenches, tarn_error *err);

#ifdef __cplusplus
}
#endif
#endif
