// Prescribed motion of obstacles: constant velocity, or a path of positions at given times. fresh_cells.c
// calls it.
#include "obstacle.h"

// x, y [m] and angle [degrees] at a time.
static void path_position(const struct obstacle *o, double time, double out[3])
{
    const tarn_obstacle_def *d = &o->def;
    const int n = d->path.count;
    if (n == 0) {
        out[0] = d->position[0] + time * d->velocity[0];
        out[1] = d->position[1] + time * d->velocity[1];
        out[2] = d->angle + time * (d->angular_velocity * (180.0 / PI));
        return;
    }
    const double(*rows)[4] = d->path.rows, first = rows[0][0], length = rows[n - 1][0] - first;
    if (d->repeat && length > 0.0 && time > first)
        time = first + (time - first) - length * floor((time - first) / length);
    int i = 0;
    while (i < n - 2 && time > rows[i + 1][0]) ++i;
    const int j = imin(i + 1, n - 1);
    const double fraction = j > i ? clamp((time - rows[i][0]) / (rows[j][0] - rows[i][0]), 0.0, 1.0) : 0.0;
    for (int k = 0; k < 3; ++k) out[k] = rows[i][k + 1] + fraction * (rows[j][k + 1] - rows[i][k + 1]);
}

bool obstacle_is_moving(const struct obstacle *o)
{
    const tarn_obstacle_def *d = &o->def;
    return d->path.count > 1 || d->velocity[0] != 0.0 || d->velocity[1] != 0.0 || d->angular_velocity != 0.0;
}

struct planar_motion obstacle_motion_at(const struct obstacle *o, double time, double dt)
{
    const double degree = PI / 180.0, step = dt > 0.0 ? dt : 1e-3;
    double at[3], other[3];
    path_position(o, time, at);
    path_position(o, dt > 0.0 ? time - dt : time + step, other);
    const double inverse_step = dt > 0.0 ? 1.0 / step : -1.0 / step;
    struct planar_motion p = {.x = at[0], .y = at[1], .angle = degree * fmod(at[2], 360.0)};
    if (!obstacle_is_moving(o)) return p;
    p.u = inverse_step * (at[0] - other[0]), p.v = inverse_step * (at[1] - other[1]),
    p.spin = inverse_step * degree * (at[2] - other[2]);
    return p;
}

void obstacles_reset_motion(struct fluid *f)
{
    for (int i = 0; i < f->obstacle_count; ++i)
        f->obstacles[i].motion = obstacle_motion_at(&f->obstacles[i], f->time, 0.0);
}

void obstacle_world_corners(const struct obstacle *o, float *points)
{
    const double c = m_cos(o->motion.angle), s = m_sin(o->motion.angle);
    for (int i = 0; i < o->point_count; ++i) {
        const double *p = o->points[i];
        points[2 * i] = (float)(o->motion.x + c * p[0] - s * p[1]);
        points[2 * i + 1] = (float)(o->motion.y + s * p[0] + c * p[1]);
    }
}
