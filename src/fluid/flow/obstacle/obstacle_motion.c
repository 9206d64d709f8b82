// Prescribed motion of obstacles: constant velocity, or a path of positions at given times. fresh_cells.c
// calls it.
#include "obstacle.h"

static void waypoint_position(const tarn_waypoint *p, double out[3])
{
    out[0] = p->position.x, out[1] = p->position.y, out[2] = radians_to_degrees(p->angle);
}

// Position on a path, `time` [s] after the start of the motion.
static void path_position(const tarn_path *path, double time, double out[3])
{
    const tarn_waypoint *p = path->points;
    const int n = path->point_count;
    const double first = p[0].time, length = p[n - 1].time - first;
    if (path->repeat && length > 0.0 && time > first)
        time = first + (time - first) - length * floor((time - first) / length);
    int i = 0;
    while (i < n - 2 && time > p[i + 1].time) ++i;
    const int j = imin(i + 1, n - 1);
    const double fraction = j > i ? clamp((time - p[i].time) / (p[j].time - p[i].time), 0.0, 1.0) : 0.0;
    double from[3], to[3];
    waypoint_position(&p[i], from);
    waypoint_position(&p[j], to);
    for (int k = 0; k < 3; ++k) out[k] = from[k] + fraction * (to[k] - from[k]);
}

// x, y [m] and angle [degrees] at a time of the world. Degrees, because multiples of 90 degrees are exact.
static void position_at(const tarn_obstacle_motion *m, double time, double out[3])
{
    time = fmax(time - m->start, 0.0);
    if (m->path.point_count > 0) {
        path_position(&m->path, time, out);
        return;
    }
    out[0] = m->position.x + time * m->velocity.x;
    out[1] = m->position.y + time * m->velocity.y;
    out[2] = radians_to_degrees(m->angle) + time * (m->angular_velocity * (180.0 / PI));
}

bool obstacle_is_moving(const struct obstacle *o)
{
    const tarn_obstacle_motion *m = &o->def.motion;
    return m->path.point_count > 1 || m->velocity.x != 0.0 || m->velocity.y != 0.0 ||
           m->angular_velocity != 0.0;
}

struct planar_motion obstacle_motion_at(const struct obstacle *o, double time, double dt)
{
    const double degree = PI / 180.0, step = dt > 0.0 ? dt : 1e-3;
    double at[3], other[3];
    position_at(&o->def.motion, time, at);
    position_at(&o->def.motion, dt > 0.0 ? time - dt : time + step, other);
    const double inverse_step = dt > 0.0 ? 1.0 / step : -1.0 / step;
    struct planar_motion p = {.x = at[0], .y = at[1], .angle = degree * fmod(at[2], 360.0)};
    if (!obstacle_is_moving(o)) return p;
    p.u = inverse_step * (at[0] - other[0]), p.v = inverse_step * (at[1] - other[1]),
    p.spin = inverse_step * degree * (at[2] - other[2]);
    return p;
}

void obstacles_reset_motion(struct fluid *f)
{
    for (int i = 0; i < f->obstacle_count; ++i) {
        f->obstacles[i].motion = obstacle_motion_at(&f->obstacles[i], f->time, 0.0);
        f->obstacles[i].from_fluid = (struct obstacle_impulse){0};
    }
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
