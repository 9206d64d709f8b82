// Ball joint (spherical joint): the anchors coincide; 3 rows.
#include "body/joint/joint.h"

#include "base/param.h"

static const tarn_param params[] = {PARAM_BREAK_FORCE};

static int build_rows(const struct joint *j, const struct joint_frame *frame, struct constraint_row *out)
{
    (void)j;
    return rows_coincident(frame, out);
}

const struct joint_kind joint_ball = {
    .kind = {.category = "joint",
             .name = "ball",
             .help = "spherical joint: the anchors coincide, all rotations are free",
             PARAMS(params)},
    .shares_anchor = true,
    .build_rows = build_rows,
};
