// Slider (prismatic joint): b moves along an axis fixed in a and does not rotate against it, 5 rows; a motor
// along the axis is the sixth, a limit of the displacement the seventh.
#include "body/joint/joint.h"

#include "base/param.h"

static const tarn_param params[] = {
    PARAM_VEC3(tarn_joint_def, slider.axis, "axis", 1, 0, 0, -1e3, 1e3, "",
               "direction of motion in world axes when the joint is created; it turns with a"),
    PARAM_LIVE(tarn_joint_def, slider.motor_speed, "motor_speed", 0, -1e3, 1e3, "m/s",
               "target velocity of the motor, of b relative to a"),
    PARAM_LIVE(tarn_joint_def, slider.max_force, "max_force", 0, 0, 1e12, "N",
               "maximum motor force; with motor_speed 0 the motor is a brake"),
    PARAM_LIMIT(slider.limits.lower, "limits.lower", -1e4, 1e4, "m", 0,
                "least displacement of b against a, from the pose at the start; not given: none"),
    PARAM_LIMIT(slider.limits.upper, "limits.upper", -1e4, 1e4, "m", 0,
                "greatest displacement of b against a; not given: none"),
    PARAM_BREAK_FORCE,
};

static vec3 present_axis(const struct joint *j, const struct joint_frame *frame)
{
    const tarn_slider *def = &j->def.slider;
    const double length = v3_length(def->axis);
    const vec3 axis = length > 0.0 ? v3_scale(def->axis, 1.0 / length) : v3(1, 0, 0);
    return quat_rotate(frame->rotation_a, quat_rotate_inverse(j->initial_rotation_a, axis));
}

static double position(const struct joint *j, const struct joint_frame *frame)
{
    return v3_dot(present_axis(j, frame), v3_sub(frame->anchor_b, frame->anchor_a));
}

// The direction t turns with a, so that d/dt (t . d) = t . (v_b - v_a) + (r_b x t) . w_b - ((r_a + d) x t) .
// w_a with the distance d of the anchors.
static struct constraint_row row_fixed_in_a(const struct joint_frame *frame, vec3 direction)
{
    const vec3 d = v3_sub(frame->anchor_b, frame->anchor_a);
    struct constraint_row row = row_along(frame, direction, v3_dot(direction, d));
    row.angular_a = v3_cross(v3_add(frame->arm_a, d), direction);
    return row;
}

static int build_rows(const struct joint *j, const struct joint_frame *frame, struct constraint_row *out)
{
    const tarn_slider *def = &j->def.slider;
    const vec3 axis = present_axis(j, frame);
    vec3 perpendicular_1, perpendicular_2;
    v3_orthonormal_basis(axis, &perpendicular_1, &perpendicular_2);
    const int n = rows_same_rotation(j, frame, out);
    out[n] = row_fixed_in_a(frame, perpendicular_1);
    out[n + 1] = row_fixed_in_a(frame, perpendicular_2);
    struct constraint_row *motor = &out[n + 2];
    *motor = row_fixed_in_a(frame, axis);
    motor->error = 0.0;
    motor->target_speed = def->motor_speed;
    motor->max_impulse = def->max_force * frame->dt, motor->min_impulse = -motor->max_impulse;
    return n + 3 + row_limit(motor, position(j, frame), &def->limits, &out[n + 3]);
}

const struct joint_kind joint_slider = {
    .kind = {.category = "joint",
             .name = "slider",
             .help = "prismatic joint: motion along one axis, no rotation, with an optional motor and limits",
             PARAMS(params)},
    .shares_anchor = true,
    .build_rows = build_rows,
    .position = position,
    .position_row = 5,
    .has_motor = true,
};
