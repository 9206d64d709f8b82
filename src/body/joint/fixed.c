// Fixed joint (weld): both ends move as one body; 6 rows.
#include "body/joint/joint.h"

#include "base/param.h"

static const tarn_param params[] = {PARAM_BREAK_FORCE};

static int build_rows(const struct joint *j, const struct joint_frame *frame, struct constraint_row *out)
{
    const int n = rows_coincident(frame, out);
    return n + rows_same_rotation(j, frame, out + n);
}

const struct joint_kind joint_fixed = {
    .kind = {.category = "joint",
             .name = "fixed",
             .help = "weld: both ends move as one body, until it breaks",
             PARAMS(params)},
    .shares_anchor = true,
    .build_rows = build_rows,
};
