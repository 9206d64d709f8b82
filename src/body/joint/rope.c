// Rope: the distance of the anchors is at most its length; 1 inequality row.
#include "body/joint/joint.h"

#include "base/param.h"

static const tarn_param params[] = {
    PARAM_OPTIONAL_LIVE(tarn_joint_def, rope.length, "length", 0, 1e4, "m",
                        "maximum distance of the anchors; default: their initial distance"),
    PARAM_BREAK_FORCE,
};

static double position(const struct joint *j, const struct joint_frame *frame)
{
    (void)j;
    return v3_length(v3_sub(frame->anchor_b, frame->anchor_a));
}

static int build_rows(const struct joint *j, const struct joint_frame *frame, struct constraint_row *out)
{
    const tarn_rope *def = &j->def.rope;
    row_distance(frame, isnan(def->length) ? j->initial_length : def->length, out);
    out->is_inequality = true;
    out->max_impulse = 0.0; // a rope cannot push
    return 1;
}

const struct joint_kind joint_rope = {
    .kind = {.category = "joint",
             .name = "rope",
             .help = "rope: limits the distance of the anchors",
             PARAMS(params)},
    .build_rows = build_rows,
    .position = position,
};
