// A hinge: a ball joint that turns about one axis only, with a motor if wanted.
#include "joint.h"

#include "base/param.h"

struct hinge_def {
    vec3 axis;
    double speed, torque;
};

static const tarn_param params[] = {
    PARAM_VEC3(struct hinge_def, axis, "axis", 0, 1, 0, -1e3, 1e3, "",
               "it turns about, in the world at the start"),
    PARAM_NUMBER(struct hinge_def, speed, "speed", 0, -1e3, 1e3, "rad/s",
                 "at which a motor wants to turn b against a"),
    PARAM_NUMBER(struct hinge_def, torque, "torque", 0, 0, 1e12, "N m",
                 "of the motor at most; also brakes at speed 0"),
};

// With the axis u in both bodies, u_a x u_b is the turn of b against a across it.
static int build_rows(const struct joint *j, const struct joint_frame *e, struct constraint_row *out)
{
    const struct hinge_def *d = (const void *)j->def.kind.data;
    const double length = v3_length(d->axis);
    const vec3 axis = length > 0.0 ? v3_scale(d->axis, 1.0 / length) : v3(0, 1, 0);
    const vec3 ua = quat_rotate(e->rotation_a, quat_rotate_inverse(j->initial_rotation_a, axis));
    const vec3 ub = quat_rotate(e->rotation_b, quat_rotate_inverse(j->initial_rotation_b, axis));
    vec3 s, t;
    v3_orthonormal_basis(ua, &s, &t);
    const vec3 off = v3_cross(ua, ub);
    const int n = rows_coincident(e, out);
    out[n] = (struct constraint_row){.angular_a = s,
                                     .angular_b = s,
                                     .error = v3_dot(s, off),
                                     .min_impulse = -INFINITY,
                                     .max_impulse = INFINITY};
    out[n + 1] = (struct constraint_row){.angular_a = t,
                                         .angular_b = t,
                                         .error = v3_dot(t, off),
                                         .min_impulse = -INFINITY,
                                         .max_impulse = INFINITY};
    const double most = d->torque * e->dt;
    out[n + 2] = (struct constraint_row){.angular_a = ua,
                                         .angular_b = ua,
                                         .target_speed = d->speed,
                                         .min_impulse = -most,
                                         .max_impulse = most};
    return n + 3;
}

const struct joint_kind joint_hinge = {
    .kind = {.room = "joint",
             .name = "hinge",
             .help = "both turn about one axis, as a door does",
             PARAMS(params)},
    .shares_anchor = true,
    .build_rows = build_rows,
};
