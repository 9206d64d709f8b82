// A ball joint: a point of each stays where the other's is.
#include "joint.h"

static int rows(const struct joint *j, const struct ends *e, struct row *out)
{
    (void)j;
    return rows_point(e, out);
}

const struct joint_kind joint_ball = {
    .kind = {.room = "joint",
             .name = "ball",
             .help = "a point of both stays together, they turn as they like"},
    .pinned = true,
    .rows = rows,
};
