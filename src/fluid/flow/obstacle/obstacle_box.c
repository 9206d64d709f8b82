// Obstacle kind: a rectangle about its centre.
#include "obstacle.h"

static const tarn_param params[] = {
    PARAM_VEC2(tarn_obstacle_def, box.size, "size", 0.2, 0.2, 1e-6, 1e6, "m",
               "lengths along x and y, before rotation"),
};

static int outline(const tarn_obstacle_def *def, double (*points)[2])
{
    const double x = 0.5 * def->box.size.x, y = 0.5 * def->box.size.y;
    const double corners[4][2] = {{-x, -y}, {x, -y}, {x, y}, {-x, y}};
    for (int i = 0; points && i < 4; ++i) points[i][0] = corners[i][0], points[i][1] = corners[i][1];
    return 4;
}

const struct obstacle_kind obstacle_box = {
    .kind = {.category = "obstacle", .name = "box", .help = "a rectangle", PARAMS(params)},
    .outline = outline,
};
