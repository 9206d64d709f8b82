// Sample joint: a rod between two anchors, which keeps its length in both directions; 1 row.
#include "body/joint/joint.h"

#include "base/param.h"

static const tarn_param params[] = {PARAM_BREAK_FORCE};

static double position(const struct joint *j, const struct joint_frame *frame)
{
    (void)j;
    return v3_length(v3_sub(frame->anchor_b, frame->anchor_a));
}

static int build_rows(const struct joint *j, const struct joint_frame *frame, struct constraint_row *out)
{
    row_distance(frame, j->initial_length, out);
    return 1;
}

const struct joint_kind joint_rod = {
    .kind = {.category = "joint", .name = "rod", .help = "keeps the distance of the anchors", PARAMS(params)},
    .build_rows = build_rows,
    .position = position,
};
