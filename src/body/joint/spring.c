// Spring-damper between the anchors, integrated implicitly; 1 soft row.
#include "body/joint/joint.h"

#include "base/param.h"

static const tarn_param params[] = {
    PARAM_OPTIONAL_LIVE(tarn_joint_def, spring.length, "length", 0, 1e4, "m",
                        "rest length; default: the initial distance of the anchors"),
    PARAM_LIVE(tarn_joint_def, spring.stiffness, "stiffness", 100, 0, 1e12, "N/m", "force per elongation"),
    PARAM_LIVE(tarn_joint_def, spring.damping, "damping", 1, 0, 1e12, "N s/m",
               "force per rate of elongation"),
    PARAM_BREAK_FORCE,
};

static double position(const struct joint *j, const struct joint_frame *frame)
{
    (void)j;
    return v3_length(v3_sub(frame->anchor_b, frame->anchor_a));
}

static int build_rows(const struct joint *j, const struct joint_frame *frame, struct constraint_row *out)
{
    const tarn_spring *def = &j->def.spring;
    row_distance(frame, isnan(def->length) ? j->initial_length : def->length, out);
    out->stiffness = def->stiffness, out->damping = def->damping;
    if (!(def->stiffness > 0.0 || def->damping > 0.0)) out->min_impulse = out->max_impulse = 0.0;
    return 1;
}

const struct joint_kind joint_spring = {
    .kind = {.category = "joint",
             .name = "spring",
             .help = "linear spring and damper between the anchors",
             PARAMS(params)},
    .build_rows = build_rows,
    .position = position,
};
