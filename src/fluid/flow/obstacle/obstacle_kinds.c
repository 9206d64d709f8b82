// Table of obstacle kinds, the parameters that all of them have, and definitions as specs.
#include "obstacle.h"

#include "base/kind_list.h"

#include <string.h>

#define KIND_PREFIX obstacle
// Every obstacle kind in the order of tarn_obstacle_type; X(name) stands for `obstacle_name`, defined in its
// own file.
#define OBSTACLE_KINDS(X) \
    X(circle)             \
    X(box)                \
    X(polygon)            \
    X(bitmap)

OBSTACLE_KINDS(DECLARE_KIND)
static const struct obstacle_kind *const kinds[] = {OBSTACLE_KINDS(KIND_ADDRESS)};

const struct obstacle_kind *obstacle_kind_at(int index)
{
    return 0 <= index && index < (int)(sizeof kinds / sizeof kinds[0]) ? kinds[index] : NULL;
}

#define MAX_WAYPOINTS 16

_Static_assert(sizeof(tarn_waypoint) == 4 * sizeof(double), "a waypoint is a row of four numbers");
_Static_assert(sizeof(tarn_obstacle_def) <= 512, "definitions are small");

static const char *const boundary_names[] = {"cut_cells", "staircase", NULL};

static const tarn_param params[] = {
    PARAM_TEXT(tarn_obstacle_def, name, "name", "name of the obstacle"),
    PARAM_VEC2(tarn_obstacle_def, motion.position, "position", 0, 0, -1e6, 1e6, "m", "x and y of the origin"),
    PARAM_ANGLE(tarn_obstacle_def, motion.angle, "angle", 0, -36000, 36000,
                "angle at the start, counter-clockwise"),
    PARAM_VEC2(tarn_obstacle_def, motion.velocity, "velocity", 0, 0, -1e4, 1e4, "m/s", "constant velocity"),
    PARAM_NUMBER(tarn_obstacle_def, motion.angular_velocity, "angular_velocity", 0, -1e4, 1e4, "rad/s",
                 "constant angular velocity, counter-clockwise"),
    {.name = "path",
     .type = TARN_PARAM_TABLE,
     .unit = "",
     .min = -1e6,
     .max = 1e6,
     .help = "positions at given times, instead of `position` and `velocity`: time [s], x, y [m], angle "
             "[degrees]; linear in between",
     .flags = TARN_PARAM_DEGREES,
     .offset = offsetof(tarn_obstacle_def, motion.path.points),
     .columns = 4,
     .rows = MAX_WAYPOINTS,
     .count_offset = offsetof(tarn_obstacle_def, motion.path.point_count)},
    PARAM_CHOICE(tarn_obstacle_def, boundary, "boundary", TARN_OBSTACLE_CUT_CELLS, boundary_names,
                 "cut_cells: cut cells; staircase: whole cells with reflected velocities, for visual use"),
    PARAM_FLAG(tarn_obstacle_def, motion.path.repeat, "repeat", 0, "repeat the path from its start"),
    {.name = "start",
     .type = TARN_PARAM_NUMBER,
     .unit = "s",
     .min = 0,
     .max = 1e9,
     .help = "time from which velocities and the times of the path count",
     .flags = TARN_PARAM_RARE,
     .offset = offsetof(tarn_obstacle_def, motion.start)},
};

const tarn_kind placement_kind = {
    .category = "placement", .name = "placement", .help = "parameters of every obstacle", PARAMS(params)};

tarn_obstacle_def tarn_default_obstacle_def(tarn_obstacle_type type)
{
    const struct obstacle_kind *kind = obstacle_kind_at((int)type);
    tarn_obstacle_def def = {.type = type};
    tarn_spec spec = {.kind = kind ? &kind->kind : NULL};
    tarn_kind_init(&placement_kind, spec.data);
    tarn_kind_init(spec.kind, spec.data);
    if (kind) tarn_obstacle_def_from_spec(&spec, &def);
    return def;
}

tarn_result tarn_obstacle_def_from_spec(const tarn_spec *spec, tarn_obstacle_def *out)
{
    int type = 0;
    if (!spec || !out) return TARN_BAD_ARGUMENT;
    while (obstacle_kind_at(type) && &kinds[type]->kind != spec->kind) ++type;
    if (!obstacle_kind_at(type)) return TARN_BAD_ARGUMENT;
    memcpy(out, spec->data, sizeof *out);
    out->type = (tarn_obstacle_type)type;
    return TARN_OK;
}

tarn_result tarn_obstacle_def_to_spec(const tarn_obstacle_def *def, tarn_spec *out)
{
    const struct obstacle_kind *kind = def ? obstacle_kind_at((int)def->type) : NULL;
    if (!kind || !out) return TARN_BAD_ARGUMENT;
    *out = (tarn_spec){.kind = &kind->kind};
    memcpy(out->data, def, sizeof *def);
    return TARN_OK;
}
