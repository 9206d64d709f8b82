/// @file joint.h
/// Joints between two bodies, or a body and the world.
#ifndef TARN_JOINT_H
#define TARN_JOINT_H

#include "id.h"
#include "param.h"
#include "vec.h"

#ifdef __cplusplus
extern "C" {
#endif

/// How to fasten two bodies to each other, or one to the world. Begin with tarn_joint_def_default().
typedef struct tarn_joint_def {
    tarn_spec kind; ///< "ball", "hinge", "slider", "fixed", "spring", "rope", and its parameters
    char name[TARN_NAME_BYTES];
    tarn_body_id body_a; ///< a body
    tarn_body_id body_b; ///< another one; all zero: the world
    tarn_vec3 anchor_a;  ///< [m] where it is fastened to a, as the bodies are now
    tarn_vec3
        anchor_b; ///< [m] where it is fastened to b; read by "spring" and "rope", the others hold both at anchor_a
    uint64_t user_data; ///< 0, the caller's: saved, and no part of the hash
} tarn_joint_def;

/// A kind by name with its defaults. An unknown one leaves kind.kind NULL, and create refuses it.
TARN_API tarn_joint_def tarn_joint_def_default(const char *kind);

/// Bodies that a joint holds together do not touch each other. A joint goes with either of its bodies.
TARN_API tarn_result tarn_joint_create(tarn_world *world, const tarn_joint_def *def, tarn_joint_id *out,
                                       tarn_error *err);
TARN_API tarn_result tarn_joint_destroy(tarn_world *world, tarn_joint_id joint);

/// Move the world's end of a joint: the cursor of a grab, the winch of a line.
TARN_API tarn_result tarn_joint_set_anchor(tarn_world *world, tarn_joint_id joint, tarn_vec3 to);

/// A spring from a point of a body to the same point of the world, soft enough to follow a hand: move its end with
/// tarn_joint_set_anchor(), let go with tarn_joint_destroy().
TARN_API tarn_result tarn_body_grab(tarn_world *world, tarn_body_id body, tarn_vec3 at, tarn_joint_id *out);

/// 1: the joint exists; 0: it is gone, or none.
TARN_API int tarn_joint_is_valid(const tarn_world *world, tarn_joint_id joint);

/// Ids of the joints, oldest slot first: at most `capacity` of them are written. @return how many there are
TARN_API int tarn_world_get_joints(const tarn_world *world, tarn_joint_id *out, int capacity);

/// By name, the oldest. @return all zero if there is none
TARN_API tarn_joint_id tarn_joint_find(const tarn_world *world, const char *name);

/// The definition of a joint as it is now, its ends where they are now.
TARN_API tarn_result tarn_joint_get_def(const tarn_world *world, tarn_joint_id joint, tarn_joint_def *out);

/// Give a joint the live parameters and user_data of a definition of the same kind; wakes its bodies. Other members are
/// not read. @return TARN_OK, TARN_BAD_ARGUMENT or TARN_BAD_INPUT; the joint is unchanged then
TARN_API tarn_result tarn_joint_set_def(tarn_world *world, tarn_joint_id joint, const tarn_joint_def *def,
                                        tarn_error *err);

/// What a joint does, of the last solver step (at most 1/240 s).
typedef struct tarn_joint_state {
    double position;  ///< [rad] hinge, -pi .. pi; [m] slider, spring, line; otherwise 0
    double velocity;  ///< [rad/s], [m/s] its rate
    double effort;    ///< [N m] hinge, [N] slider: of the motor, on b
    tarn_vec3 force;  ///< [N] on b; on a the opposite
    tarn_vec3 torque; ///< [N m] on b about the anchor
} tarn_joint_state;
TARN_API tarn_result tarn_joints_get_states(const tarn_world *world, int count, const tarn_joint_id *joints,
                                            tarn_joint_state *out);

#ifdef __cplusplus
}
#endif
#endif
