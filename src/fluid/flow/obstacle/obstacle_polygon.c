// Obstacle kind: a simple polygon.
#include "base/error.h"
#include "obstacle.h"

enum { CORNERS = 64 };

static const tarn_param params[] = {
    PARAM_POINTS(tarn_obstacle_def, polygon.points, polygon.point_count, "points", 2, CORNERS, -1e6, 1e6, "m",
                 "corners x, y relative to the position, in order around the polygon"),
};

static tarn_result check(const tarn_obstacle_def *def, tarn_error *err)
{
    const int count = def->polygon.point_count;
    if (count >= 3) return TARN_OK;
    return fail(err, TARN_BAD_INPUT, "points", "expected at least 3 corners, found %d", count);
}

static int outline(const tarn_obstacle_def *def, double (*points)[2])
{
    const tarn_obstacle_polygon *d = &def->polygon;
    for (int i = 0; points && i < d->point_count; ++i)
        points[i][0] = d->points[i].x, points[i][1] = d->points[i].y;
    return d->point_count;
}

const struct obstacle_kind obstacle_polygon = {
    .kind = {.category = "obstacle", .name = "polygon", .help = "a polygon", PARAMS(params)},
    .check = check,
    .outline = outline,
};
