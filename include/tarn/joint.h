/// @file joint.h
/// Joints between two bodies, or between a body and the world.
///
/// A joint is a constraint between a body a and a body b, or a and the world. Bodies that a joint connects do
/// not collide with each other. Directions and angles are those of b relative to a.
#ifndef TARN_JOINT_H
#define TARN_JOINT_H

#include "id.h"
#include "vec.h"

#ifdef __cplusplus
extern "C" {
#endif

/// Types of joints, in the order of tarn_kind_at("joint", ...).
typedef enum tarn_joint_type {
    TARN_JOINT_BALL = 0,   ///< the anchors coincide, all rotations are free; no parameters
    TARN_JOINT_HINGE = 1,  ///< the anchors coincide, and b rotates about one axis
    TARN_JOINT_SLIDER = 2, ///< b moves along one axis and does not rotate
    TARN_JOINT_FIXED = 3,  ///< both move as one body; no parameters
    TARN_JOINT_SPRING = 4, ///< a spring and damper between the anchors
    TARN_JOINT_ROPE = 5    ///< the distance of the anchors is limited
} tarn_joint_type;

/// Range of the angle or the displacement of b against a, which is 0 when the joint is created.
typedef struct tarn_joint_limits {
    double lower; ///< NAN, live: least value; NAN: no limit
    double upper; ///< NAN, live: greatest value, not less than `lower`; NAN: no limit
} tarn_joint_limits;

/// Rotation about one axis, with a motor and limits. In the model `flow` the axis is z.
typedef struct tarn_hinge {
    tarn_vec3 axis;           ///< 0 1 0, -1000 .. 1000 each: in the world's axes when the joint is created
    double motor_speed;       ///< [rad/s] 0, -1000 .. 1000, live: target of the motor
    double max_torque;        ///< [N m] 0, 0 .. 1e12, live: of the motor; with motor_speed 0 it is a brake
    tarn_joint_limits limits; ///< [rad] -pi .. pi
} tarn_hinge;

/// Motion along one axis without rotation, with a motor and limits.
typedef struct tarn_slider {
    tarn_vec3 axis;     ///< 1 0 0, -1000 .. 1000 each: in the world's axes when the joint is created; it
                        ///< rotates with a
    double motor_speed; ///< [m/s] 0, -1000 .. 1000, live: target of the motor
    double max_force;   ///< [N] 0, 0 .. 1e12, live: of the motor; with motor_speed 0 it is a brake
    tarn_joint_limits limits; ///< [m] -1e4 .. 1e4
} tarn_slider;

/// A linear spring and damper.
typedef struct tarn_spring {
    double length;    ///< [m] NAN, 0 .. 1e4, live: rest length; NAN: the distance of the anchors at creation
    double stiffness; ///< [N/m] 100, 0 .. 1e12, live
    double damping;   ///< [N s/m] 1, 0 .. 1e12, live
} tarn_spring;

/// A rope, which pulls and does not push.
typedef struct tarn_rope {
    double length; ///< [m] NAN, 0 .. 1e4, live: greatest distance of the anchors; NAN: that at creation
} tarn_rope;

/// Definition of a joint; `type` selects the member that is read. Begin with tarn_default_joint_def():
///
///     tarn_joint_def def = tarn_default_joint_def(TARN_JOINT_HINGE);
///     def.body_a = hull, def.body_b = flap, def.anchor_a = hinge_line;
///     def.hinge.limits = (tarn_joint_limits){-0.5, 0.5};
typedef struct tarn_joint_def {
    tarn_joint_type type;
    char name[TARN_NAME_BYTES]; ///< empty: no name; for tarn_joint_find()
    tarn_body_id body_a;        ///< required
    tarn_body_id body_b;        ///< zero: the world
    tarn_vec3 anchor_a; ///< [m] 0 0 0, up to 1e7 from the origin: point of a, in the world at creation
    /// [m] 0 0 0, up to 1e7 from the origin: point of b or the world; only for springs and ropes, the anchors
    /// of other joints are both at anchor_a
    tarn_vec3 anchor_b;
    double break_force; ///< [N] 0, 0 .. 1e15, live: force at the anchor above which the joint breaks and is
                        ///< removed, with an event; 0: it does not break
    uint64_t user_data; ///< 0, live: a number of the caller's: saved, and no part of the hash
    union {
        tarn_hinge hinge;
        tarn_slider slider;
        tarn_spring spring;
        tarn_rope rope;
        double space[16]; ///< reserves memory for later types
    };
    uint64_t reserved[4]; ///< zero: memory for later members
} tarn_joint_def;

/// @return a definition with the defaults of scene files, without bodies
TARN_API tarn_joint_def tarn_default_joint_def(tarn_joint_type type);

/// Create a joint. It is destroyed with either of its bodies.
/// @param out  its id; may be NULL
/// @return TARN_OK; TARN_BAD_ARGUMENT (a null pointer, an unknown body or type); TARN_BAD_INPUT (a value out
///         of range, a body connected to itself); TARN_NO_MEMORY. *out is zero then
TARN_API tarn_result tarn_joint_create(tarn_world *world, const tarn_joint_def *def, tarn_joint_id *out,
                                       tarn_error *err);

/// Remove a joint. @return TARN_OK or TARN_BAD_ARGUMENT (stale id)
TARN_API tarn_result tarn_joint_destroy(tarn_world *world, tarn_joint_id joint);

/// Move the anchor of a joint to the world, as a winch or a pointing device does. Wakes the body.
/// @param to  [m] up to 1e7 from the origin
/// @return TARN_OK; TARN_BAD_ARGUMENT (stale id, a joint between two bodies, a point out of range)
TARN_API tarn_result tarn_joint_set_anchor(tarn_world *world, tarn_joint_id joint, tarn_vec3 to);

/// Create a critically damped spring from a point of a body to the same point of the world, which follows its
/// anchor with a time constant of 0.1 s. Move the anchor with tarn_joint_set_anchor(), release the body with
/// tarn_joint_destroy().
/// @param at  [m] the point
/// @return as tarn_joint_create()
TARN_API tarn_result tarn_body_grab(tarn_world *world, tarn_body_id body, tarn_vec3 at, tarn_joint_id *out);

/// @return true if there is such a joint
TARN_API bool tarn_joint_is_valid(const tarn_world *world, tarn_joint_id joint);

/// Write the ids of the joints in the order of their slots, at most `capacity` of them.
/// @return the number of joints
TARN_API int tarn_world_get_joints(const tarn_world *world, tarn_joint_id *out, int capacity);

/// Find a joint by its name. @return the one in the first slot; zero: there is none
TARN_API tarn_joint_id tarn_joint_find(const tarn_world *world, const char *name);

/// Get the definition of a joint as it is now, with the present anchors. @return TARN_OK or TARN_BAD_ARGUMENT
TARN_API tarn_result tarn_joint_get_def(const tarn_world *world, tarn_joint_id joint, tarn_joint_def *out);

/// Give a joint the live members of a definition of the same type, and wake its bodies. Name, bodies and
/// anchors are not read.
/// @return TARN_OK; TARN_BAD_ARGUMENT (stale id); TARN_BAD_INPUT (a value out of range, another type, or an
///         axis that differs; err->key names it). The joint is unchanged then
TARN_API tarn_result tarn_joint_set_def(tarn_world *world, tarn_joint_id joint, const tarn_joint_def *def,
                                        tarn_error *err);

/// State of a joint in the last solver step, which is at most 1/240 s.
typedef struct tarn_joint_state {
    double position;  ///< [rad] hinge, -pi .. pi; [m] displacement of a slider, distance of the anchors of a
                      ///< spring or rope; other types: 0
    double velocity;  ///< [rad/s], [m/s] rate of `position`
    double effort;    ///< [N m] of the motor of a hinge, [N] of a slider, on b
    tarn_vec3 force;  ///< [N] on b at the anchor; a receives the opposite
    tarn_vec3 torque; ///< [N m] on b about the anchor
} tarn_joint_state;

/// Get the states of `count` joints. @return TARN_OK or TARN_BAD_ARGUMENT (a stale id; nothing is written)
TARN_API tarn_result tarn_joints_get_states(const tarn_world *world, int count, const tarn_joint_id *joints,
                                            tarn_joint_state *out);

#ifdef __cplusplus
}
#endif
#endif
