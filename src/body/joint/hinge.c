// Hinge (revolute joint): the anchors and the axes coincide, 5 rows; a motor about the axis is the sixth, a
// limit of the angle the seventh.
#include "body/joint/joint.h"

#include "base/param.h"

static const tarn_param params[] = {
    PARAM_VEC3(tarn_joint_def, hinge.axis, "axis", 0, 1, 0, -1e3, 1e3, "",
               "rotation axis in world axes when the joint is created"),
    PARAM_LIVE(tarn_joint_def, hinge.motor_speed, "motor_speed", 0, -1e3, 1e3, "rad/s",
               "target angular velocity of the motor, of b relative to a"),
    PARAM_LIVE(tarn_joint_def, hinge.max_torque, "max_torque", 0, 0, 1e12, "N m",
               "maximum motor torque; with motor_speed 0 the motor is a brake"),
    PARAM_LIMIT(hinge.limits.lower, "limits.lower", -180, 180, "degrees", TARN_PARAM_DEGREES,
                "least angle of b against a, from the pose at the start; not given: none"),
    PARAM_LIMIT(hinge.limits.upper, "limits.upper", -180, 180, "degrees", TARN_PARAM_DEGREES,
                "greatest angle of b against a; not given: none"),
    PARAM_BREAK_FORCE,
};

static vec3 initial_axis(const struct joint *j)
{
    const tarn_hinge *def = &j->def.hinge;
    const double length = v3_length(def->axis);
    return length > 0.0 ? v3_scale(def->axis, 1.0 / length) : v3(0, 1, 0);
}

static vec3 rotate_with_body(vec3 v, quat initial_rotation, quat rotation)
{
    return quat_rotate(rotation, quat_rotate_inverse(initial_rotation, v));
}

// Angle of b against a about the axis since the joint was created, -pi .. pi.
static double position(const struct joint *j, const struct joint_frame *frame)
{
    vec3 reference, other;
    v3_orthonormal_basis(initial_axis(j), &reference, &other);
    const vec3 axis = rotate_with_body(initial_axis(j), j->initial_rotation_a, frame->rotation_a),
               in_a = rotate_with_body(reference, j->initial_rotation_a, frame->rotation_a),
               in_b = rotate_with_body(reference, j->initial_rotation_b, frame->rotation_b);
    return m_atan2(v3_dot(v3_cross(in_a, in_b), axis), v3_dot(in_a, in_b));
}

// With the axis u fixed in both bodies, u_a x u_b is the misalignment of b against a for small angles.
static int build_rows(const struct joint *j, const struct joint_frame *frame, struct constraint_row *out)
{
    const tarn_hinge *def = &j->def.hinge;
    const vec3 axis = initial_axis(j);
    const vec3 ua = rotate_with_body(axis, j->initial_rotation_a, frame->rotation_a);
    const vec3 ub = rotate_with_body(axis, j->initial_rotation_b, frame->rotation_b);
    vec3 perpendicular_1, perpendicular_2;
    v3_orthonormal_basis(ua, &perpendicular_1, &perpendicular_2);
    const vec3 misalignment = v3_cross(ua, ub);
    const int n = rows_coincident(frame, out);
    out[n] = (struct constraint_row){.angular_a = perpendicular_1,
                                     .angular_b = perpendicular_1,
                                     .error = v3_dot(perpendicular_1, misalignment),
                                     .min_impulse = -INFINITY,
                                     .max_impulse = INFINITY};
    out[n + 1] = (struct constraint_row){.angular_a = perpendicular_2,
                                         .angular_b = perpendicular_2,
                                         .error = v3_dot(perpendicular_2, misalignment),
                                         .min_impulse = -INFINITY,
                                         .max_impulse = INFINITY};
    const double max_impulse = def->max_torque * frame->dt;
    out[n + 2] = (struct constraint_row){.angular_a = ua,
                                         .angular_b = ua,
                                         .target_speed = def->motor_speed,
                                         .min_impulse = -max_impulse,
                                         .max_impulse = max_impulse};
    return n + 3 + row_limit(&out[n + 2], position(j, frame), &def->limits, &out[n + 3]);
}

const struct joint_kind joint_hinge = {
    .kind = {.category = "joint",
             .name = "hinge",
             .help = "revolute joint: rotation about one axis, with an optional motor and limits",
             PARAMS(params)},
    .shares_anchor = true,
    .build_rows = build_rows,
    .position = position,
    .position_row = 5,
    .has_motor = true,
};
