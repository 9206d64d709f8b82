// Obstacle kind: a rectangle about its centre.
#include "obstacle.h"

struct box_def {
    double size[2];
};

static const tarn_param params[] = {
    PARAM_VEC2(struct box_def, size, "size", 0.2, 0.2, 1e-6, 1e6, "m",
               "lengths along x and y, before rotation"),
};

static int outline(const void *def, double (*points)[2])
{
    const double *size = ((const struct box_def *)def)->size, x = 0.5 * size[0], y = 0.5 * size[1];
    const double corners[4][2] = {{-x, -y}, {x, -y}, {x, y}, {-x, y}};
    for (int i = 0; points && i < 4; ++i) points[i][0] = corners[i][0], points[i][1] = corners[i][1];
    return 4;
}

const struct obstacle_kind obstacle_box = {
    .kind = {.category = "obstacle", .name = "box", .help = "a rectangle", PARAMS(params)},
    .outline = outline,
};
