// Obstacle kind: a circle, as a regular polygon of equal area; its corners are 1/5000 of the radius outside.
#include "obstacle.h"

enum { CORNERS = 128 };

static const tarn_param params[] = {
    PARAM_NUMBER(tarn_obstacle_def, circle.radius, "radius", 0.1, 1e-6, 1e6, "m", "radius of the circle"),
};

static int circle_outline(const tarn_obstacle_def *def, double (*points)[2])
{
    const double step = 2.0 * PI / CORNERS;
    const double circumradius = def->circle.radius * sqrt(step / m_sin(step));
    for (int i = 0; points && i < CORNERS; ++i)
        points[i][0] = circumradius * m_cos((i + 0.5) * step),
        points[i][1] = circumradius * m_sin((i + 0.5) * step);
    return CORNERS;
}

const struct obstacle_kind obstacle_circle = {
    .kind = {.category = "obstacle", .name = "circle", .help = "a circle", PARAMS(params)},
    .outline = circle_outline,
};
