// A circle, as a polygon of the same area: its corners are a three-thousandth of the radius outside.
#include "obstacle.h"

enum { CORNERS = 128 };

struct circle_def {
    double radius;
};

static const tarn_param params[] = {
    PARAM_NUMBER(struct circle_def, radius, "radius", 0.1, 1e-6, 1e6, "m", "of the circle"),
};

static int circle_outline(const void *def, double (*points)[2])
{
    const double turn = 2.0 * PI / CORNERS;
    const double r = ((const struct circle_def *)def)->radius * sqrt(turn / m_sin(turn));
    for (int i = 0; points && i < CORNERS; ++i)
        points[i][0] = r * m_cos((i + 0.5) * turn), points[i][1] = r * m_sin((i + 0.5) * turn);
    return CORNERS;
}

const struct obstacle_kind obstacle_circle = {
    .kind = {.room = "obstacle", .name = "circle", .help = "a circle", PARAMS(params)},
    .outline = circle_outline,
};
