// Hinge (revolute joint): the anchors and the axes coincide, 5 rows; a motor about the axis is the sixth.
#include "body/joint/joint.h"

#include "base/param.h"

struct hinge_def {
    vec3 axis;
    double speed, torque;
};

static const tarn_param params[] = {
    PARAM_VEC3(struct hinge_def, axis, "axis", 0, 1, 0, -1e3, 1e3, "",
               "rotation axis in world axes when the joint is created"),
    PARAM_NUMBER(struct hinge_def, speed, "speed", 0, -1e3, 1e3, "rad/s",
                 "target angular velocity of the motor, of b relative to a"),
    PARAM_NUMBER(struct hinge_def, torque, "torque", 0, 0, 1e12, "N m",
                 "maximum motor torque; with speed 0 the motor is a brake"),
};

// With the axis u fixed in both bodies, u_a x u_b is the misalignment of b against a for small angles.
static int build_rows(const struct joint *j, const struct joint_frame *frame, struct constraint_row *out)
{
    const struct hinge_def *def = (const void *)j->def.kind.data;
    const double length = v3_length(def->axis);
    const vec3 axis = length > 0.0 ? v3_scale(def->axis, 1.0 / length) : v3(0, 1, 0);
    const vec3 ua = quat_rotate(frame->rotation_a, quat_rotate_inverse(j->initial_rotation_a, axis));
    const vec3 ub = quat_rotate(frame->rotation_b, quat_rotate_inverse(j->initial_rotation_b, axis));
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
    const double max_impulse = def->torque * frame->dt;
    out[n + 2] = (struct constraint_row){.angular_a = ua,
                                         .angular_b = ua,
                                         .target_speed = def->speed,
                                         .min_impulse = -max_impulse,
                                         .max_impulse = max_impulse};
    return n + 3;
}

const struct joint_kind joint_hinge = {
    .kind = {.room = "joint",
             .name = "hinge",
             .help = "revolute joint: rotation about one axis, with an optional motor",
             PARAMS(params)},
    .shares_anchor = true,
    .build_rows = build_rows,
};
