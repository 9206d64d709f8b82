/// @file body.h
/// Rigid bodies: how to make them; forces, impulses, velocities and targets, for one body or for many at once.
///
/// Positions, velocities, forces and impulses are in the world's axes unless a function says otherwise. A
/// function that takes several bodies changes all of them or, if an argument is wrong, none.
#ifndef TARN_BODY_H
#define TARN_BODY_H

#include "id.h"
#include "param.h"
#include "shape.h"

#ifdef __cplusplus
extern "C" {
#endif

/// What a body looks like, in its colour.
typedef enum tarn_appearance {
    TARN_APPEARANCE_PAINT,
    TARN_APPEARANCE_WOOD,
    TARN_APPEARANCE_GLASS,
    TARN_APPEARANCE_METAL,
    TARN_APPEARANCE_RUBBER
} tarn_appearance;

/// How a body moves.
typedef enum tarn_body_type {
    TARN_BODY_DYNAMIC,   ///< by forces
    TARN_BODY_KINEMATIC, ///< by the caller through tarn_body_set_state()
    TARN_BODY_STATIC     ///< not at all: its velocity is 0, but tarn_body_set_state() may place it elsewhere
} tarn_body_type;

/// Axes of the world along and about which a body does not move: 1 locks x, y, z.
typedef struct tarn_locks {
    int translation[3], rotation[3];
} tarn_locks;

/// Who collides with whom: bodies of the same group above 0 always do, of the same group below 0 never; else both masks
/// must contain a bit of the other's category. Walls and ground hold all.
typedef struct tarn_filter {
    uint64_t category; ///< 1, bits of what a body is
    uint64_t mask;     ///< all bits, of what it collides with
    int group;         ///< 0: none
} tarn_filter;

/// How to make a body. Begin with tarn_default_body_def().
typedef struct tarn_body_def {
    const tarn_shape *shape; ///< required; retained
    char name[TARN_NAME_BYTES];
    double density;             ///< [kg/m^3] 500; used if mass is 0 and the shape has none of its own
    double mass;                ///< [kg] 0: from density
    tarn_vec3 position;         ///< [m] of the centre of mass
    tarn_quat rotation;         ///< 1 0 0 0
    tarn_vec3 velocity;         ///< [m/s]
    tarn_vec3 angular_velocity; ///< [rad/s], about the world's axes
    double restitution;         ///< 0.3, 0 .. 1
    double friction;            ///< 0.5, Coulomb, 0 .. 10
    double drag_coefficient;    ///< C_D of the wetted area; NAN (default): as fits the shape
    double
        form_drag_fraction; ///< 0 .. 1, part of it that depends on which way a face looks; NAN (default): likewise
    double lift_coefficient; ///< 0.007, C_L
    struct {
        double force;       ///< [N] 0, of a propeller, along the body's x axis, while it is under water
        tarn_vec3 position; ///< [m] where it is, in the body's axes from the centre of mass
    } thruster;
    struct {
        double angle;       ///< [degrees] 0, turned about the body's y axis; above 0 the bow goes towards +z
        double area;        ///< [m^2] 0: no rudder
        tarn_vec3 position; ///< [m] where it is, likewise
    } rudder;
    int external;      ///< a tarn_body_type
    tarn_vec3 colour;  ///< 0 .. 1 each
    int appearance;    ///< a tarn_appearance: what it looks like; moves nothing, and is no part of the hash
    tarn_vec3 inertia; ///< [kg m^2] 0, principal moments; all zero: those of the shape, as the mass demands
    tarn_quat inertia_axes; ///< 1 0 0 0, turns the body's axes into the principal ones, if `inertia` is given
    bool enabled;           ///< true; false: it rests where it is, and neither bodies nor water meet it
    bool
        sensor; ///< false; true: overlaps with other bodies are events and nothing else; not for dynamic bodies
    double gravity_scale;   ///< 1, multiplies the weight, -100 .. 100
    double linear_damping;  ///< [1/s] 0, rate at which velocity decays besides what the water does, 0 .. 1000
    double angular_damping; ///< [1/s] 0, likewise angular velocity
    tarn_locks locks;       ///< none
    tarn_filter filter;     ///< category 1, mask all, group 0
    uint64_t user_data;     ///< 0, the caller's: saved, and no part of the hash
} tarn_body_def;

/// A body definition with the defaults of every field; the shape is up to the caller.
TARN_API tarn_body_def tarn_default_body_def(void);

/// A body put into water takes the place of that water: no wave starts, and the volume it took is booked.
/// In the model "flow" bodies are circles, boxes and convex polygons, 1 m deep, at z = 0; they turn about z alone (the inertia
/// about x and y is as good as infinite). Obstacles hold and push them.
TARN_API tarn_result tarn_body_create(tarn_world *world, const tarn_body_def *def, tarn_body_id *out,
                                      tarn_error *err);

/// Make a body with a shape of its own: tarn_shape_create(), tarn_body_create(), tarn_shape_release(). def->shape is
/// not read. For many equal bodies make one shape and share it.
TARN_API tarn_result tarn_body_create_with_shape(tarn_world *world, const tarn_body_def *def,
                                                 const tarn_shape_def *shape, tarn_body_id *out,
                                                 tarn_error *err);

/// The water closes the hole it leaves. @return TARN_OK or TARN_BAD_ARGUMENT (stale id)
TARN_API tarn_result tarn_body_destroy(tarn_world *world, tarn_body_id body);

/// Where a body is and how it moves.
typedef struct tarn_body_state {
    tarn_vec3 position; ///< [m] of the centre of mass
    tarn_quat rotation;
    tarn_vec3 velocity;         ///< [m/s]
    tarn_vec3 angular_velocity; ///< [rad/s], about the world's axes
} tarn_body_state;
TARN_API tarn_result tarn_body_get_state(const tarn_world *world, tarn_body_id body, tarn_body_state *out);

/// Give a body a new pose and velocity: each step for external bodies, or to teleport.
TARN_API tarn_result tarn_body_set_state(tarn_world *world, tarn_body_id body, const tarn_body_state *motion);

/// What the water did to a body in the last inner step; gravity is not in it.
typedef struct tarn_load {
    tarn_vec3 buoyancy;      ///< [N] pressure, slopes included
    tarn_vec3 drag;          ///< [N]
    tarn_vec3 lift;          ///< [N]
    tarn_vec3 force;         ///< [N] what it came to over the step: slamming and the drag of the way included
    tarn_vec3 torque;        ///< [N m] about the centre of mass, likewise
    double submerged_volume; ///< [m^3]
    double submerged_fraction; ///< 0 .. 1
    double surface_height;     ///< [m] height of the surface at the body
    double hold_volume;        ///< [m^3] water in the hold of an open hull
    /// [N], [N m] What another engine adds to gravity for a step as long, to move a body of this mass as tarn would. That
    /// water has to come along, damping and stiffness are in it, so that bodies of any lightness stay calm. The same as
    /// force and torque but for external bodies, where those are what the water does to something that does not yield.
    tarn_vec3 effective_force, effective_torque;
} tarn_load;
TARN_API tarn_result tarn_body_get_load(const tarn_world *world, tarn_body_id body, tarn_load *out);

/// What does not change.
typedef struct tarn_body_info {
    char name[TARN_NAME_BYTES];
    double mass;       ///< [kg]
    double volume;     ///< [m^3]
    tarn_vec3 inertia; ///< [kg m^2] principal
    tarn_quat axes;    ///< turns the body's own axes into the principal ones
    double radius;     ///< [m] of the bounding sphere about the centre of mass
    tarn_vec3 colour;
    int external;   ///< a tarn_body_type
    int appearance; ///< a tarn_appearance
} tarn_body_info;
TARN_API tarn_result tarn_body_get_info(const tarn_world *world, tarn_body_id body, tarn_body_info *out);

/// The living bodies, oldest slot first. @return all zero past the last
TARN_API tarn_body_id tarn_body_at(const tarn_world *world, int index);

/// By name. @return all zero if there is none
TARN_API tarn_body_id tarn_body_find(const tarn_world *world, const char *name);

// ---- motion ---------------------------------------------------------------------------------------

/// Velocity [m/s] of the point of the body that is at `point` [m]; zero for a stale id.
TARN_API tarn_vec3 tarn_body_get_point_velocity(const tarn_world *world, tarn_body_id body, tarn_vec3 point);

/// Set the velocities [m/s], [rad/s] of a body, the latter about the world's axes, at most 1e4 each; wakes it.
TARN_API tarn_result tarn_body_set_velocity(tarn_world *world, tarn_body_id body, tarn_vec3 velocity,
                                            tarn_vec3 angular_velocity);

/// Give a kinematic body the velocities that bring it to a pose within the next world step, at most 1e4 m/s and
/// 1e4 rad/s. It continues with them until it is told otherwise.
TARN_API tarn_result tarn_body_set_target(tarn_world *world, tarn_body_id body, const tarn_pose *target);

/// Pose and velocities of `count` bodies.
TARN_API tarn_result tarn_bodies_get_states(const tarn_world *world, int count, const tarn_body_id *bodies,
                                            tarn_body_state *out);

/// Set them: the same as tarn_body_set_state() for each, but the water is updated once.
TARN_API tarn_result tarn_bodies_set_states(tarn_world *world, int count, const tarn_body_id *bodies,
                                            const tarn_body_state *states, tarn_error *err);

/// Vectors of doubles in memory of the caller: that of body k begins `k * stride` bytes after `data`.
typedef struct tarn_strided {
    double *data;  ///< NULL: this quantity is left out
    size_t stride; ///< [bytes] 0: one vector follows the other
} tarn_strided;

/// Where the quantities of many bodies are in the caller's own structures or arrays.
typedef struct tarn_body_arrays {
    tarn_strided position;         ///< x y z [m] of the centre of mass
    tarn_strided rotation;         ///< w x y z
    tarn_strided velocity;         ///< x y z [m/s]
    tarn_strided angular_velocity; ///< x y z [rad/s] about the world's axes
} tarn_body_arrays;

/// The same as tarn_bodies_get_states() and tarn_bodies_set_states() with arrays of any layout. Quantities that
/// are left out are not written, or keep their values.
TARN_API tarn_result tarn_bodies_get_arrays(const tarn_world *world, int count, const tarn_body_id *bodies,
                                            const tarn_body_arrays *out);
TARN_API tarn_result tarn_bodies_set_arrays(tarn_world *world, int count, const tarn_body_id *bodies,
                                            const tarn_body_arrays *arrays, tarn_error *err);

/// What the water did to `count` bodies in the last substep.
TARN_API tarn_result tarn_bodies_get_loads(const tarn_world *world, int count, const tarn_body_id *bodies,
                                           tarn_load *out);

// ---- properties -----------------------------------------------------------------------------------

/// The definition of a body as it is now, motion included. Its pointers are valid until the world changes.
TARN_API tarn_result tarn_body_get_def(const tarn_world *world, tarn_body_id body, tarn_body_def *out);

/// Give a body the live parameters, colour, material and user_data of a definition; wakes it and what it touches.
/// Other members are not read. @return TARN_OK, TARN_BAD_ARGUMENT or TARN_BAD_INPUT; the body is unchanged then
TARN_API tarn_result tarn_body_set_def(tarn_world *world, tarn_body_id body, const tarn_body_def *def,
                                       tarn_error *err);

/// Mass and inertia about the centre of mass, which stays where it is in the shape.
typedef struct tarn_mass {
    double mass; ///< [kg] 1e-9 .. 1e12
    tarn_vec3
        inertia;    ///< [kg m^2] principal moments; all zero: those of the shape, in proportion to the mass
    tarn_quat axes; ///< rotates the body's axes into the principal ones; used if `inertia` is given
} tarn_mass;

/// Mass, inertia and principal axes of a body as they are now.
TARN_API tarn_result tarn_body_get_mass(const tarn_world *world, tarn_body_id body, tarn_mass *out);

/// Ballast, cargo, fuel: a new mass at the same velocities. NULL: that of shape and density.
TARN_API tarn_result tarn_body_set_mass(tarn_world *world, tarn_body_id body, const tarn_mass *mass,
                                        tarn_error *err);

/// Make a body dynamic, kinematic or static. A kinematic one continues with its velocity, a static one stops.
/// @return TARN_OK, TARN_BAD_ARGUMENT or TARN_BAD_INPUT (a dynamic sensor)
TARN_API tarn_result tarn_body_set_type(tarn_world *world, tarn_body_id body, tarn_body_type type,
                                        tarn_error *err);

/// A body that is not enabled rests where it is; neither bodies nor water meet it, and forces on it have no effect.
/// The water closes the hole it leaves, and is displaced when it is enabled again.
TARN_API tarn_result tarn_body_set_enabled(tarn_world *world, tarn_body_id body, int enabled,
                                           tarn_error *err);
TARN_API int tarn_body_is_enabled(const tarn_world *world, tarn_body_id body);

/// A number of the caller's: saved in checkpoints, no part of the hash. 0 for a stale id.
TARN_API uint64_t tarn_body_get_user_data(const tarn_world *world, tarn_body_id body);
TARN_API tarn_result tarn_body_set_user_data(tarn_world *world, tarn_body_id body, uint64_t user_data);

/// 0 for a body that sleeps, and for a stale id.
TARN_API int tarn_body_is_awake(const tarn_world *world, tarn_body_id body);
TARN_API tarn_result tarn_body_wake(tarn_world *world, tarn_body_id body);

/// The smallest box [m] along the world's axes around what others collide with.
TARN_API tarn_result tarn_body_get_bounds(const tarn_world *world, tarn_body_id body, tarn_vec3 *low,
                                          tarn_vec3 *high);

// ---- forces ---------------------------------------------------------------------------------------

/// Apply a force [N] at a point [m], through the centre of mass, or a torque [N m] during the next world step.
/// Forces add up, at most to 1e15 N and N m, wake the body, and are gone after the step. Under water they
/// accelerate the added mass as well.
TARN_API tarn_result tarn_body_apply_force(tarn_world *world, tarn_body_id body, tarn_vec3 force,
                                           tarn_vec3 point);
TARN_API tarn_result tarn_body_apply_central_force(tarn_world *world, tarn_body_id body, tarn_vec3 force);
TARN_API tarn_result tarn_body_apply_torque(tarn_world *world, tarn_body_id body, tarn_vec3 torque);

/// Force and point in the body's axes, the point from the centre of mass.
TARN_API tarn_result tarn_body_apply_local_force(tarn_world *world, tarn_body_id body, tarn_vec3 force,
                                                 tarn_vec3 point);

/// Change the momentum [N s] and angular momentum [N m s] of a dynamic body at once, and wake it: by an impulse at a
/// point [m], through the centre of mass, or an angular impulse. The change is exactly the impulse, under water
/// too. In the model "flow" the fluid around the body is accelerated with it at the start of the next step.
TARN_API tarn_result tarn_body_apply_impulse(tarn_world *world, tarn_body_id body, tarn_vec3 impulse,
                                             tarn_vec3 point);
TARN_API tarn_result tarn_body_apply_central_impulse(tarn_world *world, tarn_body_id body, tarn_vec3 impulse);
TARN_API tarn_result tarn_body_apply_angular_impulse(tarn_world *world, tarn_body_id body, tarn_vec3 impulse);

/// Force through the centre of mass and torque about it.
typedef struct tarn_wrench {
    tarn_vec3 force;  ///< [N]
    tarn_vec3 torque; ///< [N m]
} tarn_wrench;
TARN_API tarn_result tarn_bodies_apply_wrenches(tarn_world *world, int count, const tarn_body_id *bodies,
                                                const tarn_wrench *wrenches, tarn_error *err);

#ifdef __cplusplus
}
#endif
#endif
