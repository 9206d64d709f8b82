// Obstacle kind: a bitmap, stretched over a rectangle whose lower left corner is the position.
#include "base/error.h"
#include "obstacle.h"

// Scene files may name a file instead of cells.
struct bitmap_params {
    tarn_obstacle_def def;
    char file[TARN_FILE_BYTES];
};

static const tarn_param params[] = {
    PARAM_VEC2(tarn_obstacle_def, bitmap.size, "size", 1, 1, 1e-6, 1e6, "m",
               "size of the bitmap along x and y"),
    PARAM_FILE(struct bitmap_params, file, "file", "a PNG whose dark pixels are solid, instead of `bitmap`"),
};

static tarn_result check_bitmap(const tarn_obstacle_def *def, tarn_error *err)
{
    const tarn_obstacle_bitmap *m = &def->bitmap;
    const tarn_obstacle_motion *motion = &def->motion;
    if (!m->cells || m->nx < 1 || m->ny < 1 || m->nx > TARN_MAX_BITMAP_SIDE || m->ny > TARN_MAX_BITMAP_SIDE)
        return fail(err, TARN_BAD_INPUT, "bitmap", "expected 1 to %d cells along x and along y",
                    TARN_MAX_BITMAP_SIDE);
    if (motion->angle != 0.0 || motion->angular_velocity != 0.0 || motion->velocity.x != 0.0 ||
        motion->velocity.y != 0.0 || motion->path.point_count > 0)
        return fail(err, TARN_BAD_INPUT, "", "a bitmap cannot rotate or move");
    return TARN_OK;
}

static int bitmap_outline(const tarn_obstacle_def *def, double (*points)[2])
{
    (void)def, (void)points;
    return 0;
}

const struct obstacle_kind obstacle_bitmap = {
    .kind = {.category = "obstacle",
             .name = "bitmap",
             .help = "solid cells of a bitmap, for example a maze",
             PARAMS(params)},
    .is_bitmap = true,
    .check = check_bitmap,
    .outline = bitmap_outline,
};
