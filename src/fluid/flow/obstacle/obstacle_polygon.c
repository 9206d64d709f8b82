// Obstacle kind: a simple polygon.
#include "base/error.h"
#include "obstacle.h"

enum { CORNERS = 64 };

struct polygon_def {
    struct {
        int count;
        double rows[CORNERS][2];
    } points;
};

static const tarn_param params[] = {
    PARAM_TABLE(struct polygon_def, points, "points", 2, CORNERS, -1e6, 1e6, "m",
                "corners x, y relative to the position, in order around the polygon"),
};

static tarn_result check(const tarn_obstacle_def *def, tarn_error *err)
{
    const struct polygon_def *d = (const struct polygon_def *)def->shape.data;
    if (d->points.count >= 3) return TARN_OK;
    return fail(err, TARN_BAD_INPUT, "points", "expected at least 3 corners, found %d", d->points.count);
}

static int outline(const void *def, double (*points)[2])
{
    const struct polygon_def *d = def;
    for (int i = 0; points && i < d->points.count; ++i)
        points[i][0] = d->points.rows[i][0], points[i][1] = d->points.rows[i][1];
    return d->points.count;
}

const struct obstacle_kind obstacle_polygon = {
    .kind = {.category = "obstacle", .name = "polygon", .help = "a polygon", PARAMS(params)},
    .check = check,
    .outline = outline,
};
