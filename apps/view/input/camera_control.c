// Camera control of the viewer: orbit, pan, zoom, free flight and following a body. Position and target are
// converted to spherical coordinates about the target for rotations. Called by mouse.c, keys.c and
// viewport.c.
#include "camera_control.h"

#include <math.h>

static const double max_elevation =
    1.55;                             // [rad] below pi/2, so that the image's upward direction stays defined
static const double half_fov = 0.349; // [rad] 20 degrees, as in draw/camera.c

static tarn_vec3 add(tarn_vec3 a, double k, tarn_vec3 b)
{
    return (tarn_vec3){a.x + k * b.x, a.y + k * b.y, a.z + k * b.z};
}

static double length(tarn_vec3 a) { return sqrt(a.x * a.x + a.y * a.y + a.z * a.z); }

// Distance, azimuth about y (0 along z) and elevation above the horizon.
static void to_spherical(tarn_vec3 d, double *distance, double *azimuth, double *elevation)
{
    *distance = fmax(length(d), 1e-9);
    *azimuth = atan2(d.x, d.z);
    *elevation = asin(fmin(fmax(d.y / *distance, -1.0), 1.0));
}

static tarn_vec3 from_spherical(double distance, double azimuth, double elevation)
{
    return (tarn_vec3){distance * cos(elevation) * sin(azimuth), distance * sin(elevation),
                       distance * cos(elevation) * cos(azimuth)};
}

static void camera_axes(const struct camera_control *c, tarn_vec3 *ahead, tarn_vec3 *right, tarn_vec3 *up)
{
    double distance, azimuth, elevation;
    to_spherical(add(c->position, -1.0, c->target), &distance, &azimuth, &elevation);
    *ahead = from_spherical(-1.0, azimuth, elevation);
    *right = (tarn_vec3){cos(azimuth), 0.0, -sin(azimuth)};
    *up = (tarn_vec3){-sin(elevation) * sin(azimuth), cos(elevation), -sin(elevation) * cos(azimuth)};
}

const char *camera_mode_name(enum camera_mode mode)
{
    static const char *const names[CAMERA_MODES] = {"orbit", "top", "side", "follow", "fly"};
    return names[mode];
}

void camera_init(struct camera_control *c, const tarn_frame *f, tarn_vec3 position, tarn_vec3 target)
{
    const double size_x = f->nx * f->cell_size, size_z = f->nz * f->cell_size;
    // The planar model may be a long channel: its length scale is the geometric mean.
    *c = (struct camera_control){.extent = f->planar ? sqrt(size_x * size_z) : fmax(size_x, size_z)};
    c->centre = (tarn_vec3){f->x0 + 0.5 * (f->nx - 1) * f->cell_size, f->level,
                            f->z0 + 0.5 * (f->nz - 1) * f->cell_size};
    const bool is_given = length(add(position, -1.0, target)) > 0.0;
    c->home_target = is_given ? target : c->centre;
    c->home_position =
        is_given ? position
                 : add(c->centre, 1.55 * c->extent, from_spherical(1.0, size_x >= size_z ? 0.5 : 1.1, 0.5));
    camera_reset(c);
}

void camera_reset(struct camera_control *c)
{
    double distance, azimuth, elevation;
    to_spherical(add(c->home_position, -1.0, c->home_target), &distance, &azimuth, &elevation);
    // Top and side views show the whole domain, not the target of the scene's view.
    c->target = c->mode == CAMERA_TOP || c->mode == CAMERA_SIDE ? c->centre : c->home_target;
    switch (c->mode) {
    case CAMERA_TOP:
        c->position = add(c->target, 1.0, from_spherical(1.6 * c->extent, 0.0, max_elevation));
        break;
    case CAMERA_SIDE: c->position = add(c->target, 1.0, from_spherical(1.7 * c->extent, 0.0, 0.06)); break;
    case CAMERA_FOLLOW:
        c->target = c->followed_position;
        c->position = add(c->target, 1.0,
                          from_spherical(fmin(distance, 0.6 * c->extent), azimuth, fmax(elevation, 0.25)));
        break;
    default: c->position = c->home_position;
    }
}

void camera_set_mode(struct camera_control *c, enum camera_mode mode)
{
    c->mode = mode;
    if (mode != CAMERA_FLY) camera_reset(c); // free flight starts from the present position
}

void camera_orbit(struct camera_control *c, double right, double up)
{
    double distance, azimuth, elevation;
    to_spherical(add(c->position, -1.0, c->target), &distance, &azimuth, &elevation);
    if (c->mode == CAMERA_TOP) up = 0.0;
    azimuth -= right;
    elevation = fmin(fmax(elevation + up, -max_elevation), max_elevation);
    if (c->mode == CAMERA_FLY) // the camera turns in place
        c->target = add(c->position, -1.0, from_spherical(distance, azimuth, elevation));
    else
        c->position = add(c->target, 1.0, from_spherical(distance, azimuth, elevation));
}

static void translate(struct camera_control *c, tarn_vec3 offset)
{
    c->position = add(c->position, 1.0, offset);
    c->target = add(c->target, 1.0, offset);
}

void camera_pan(struct camera_control *c, double right, double up)
{
    tarn_vec3 ahead, x, y;
    camera_axes(c, &ahead, &x, &y);
    const double height = 2.0 * tan(half_fov) * length(add(c->position, -1.0, c->target));
    translate(c, add((tarn_vec3){-right * height * x.x, -right * height * x.y, -right * height * x.z},
                     -up * height, y));
}

void camera_zoom(struct camera_control *c, double factor)
{
    const tarn_vec3 d = add(c->position, -1.0, c->target);
    const double distance = length(d),
                 new_distance = fmin(fmax(distance * factor, 0.05 * c->extent), 20.0 * c->extent);
    if (c->mode == CAMERA_FLY)
        camera_fly(c, (1.0 - factor) * 0.5 * c->extent, 0.0, 0.0);
    else
        c->position = add(c->target, new_distance / distance, d);
}

void camera_fly(struct camera_control *c, double ahead, double right, double up)
{
    tarn_vec3 z, x, y;
    camera_axes(c, &z, &x, &y);
    translate(
        c, (tarn_vec3){ahead * z.x + right * x.x, ahead * z.y + right * x.y + up, ahead * z.z + right * x.z});
}

void camera_follow(struct camera_control *c, const tarn_frame *f)
{
    const tarn_frame_body *body = NULL;
    for (int k = 0; k < f->body_count; ++k)
        if (f->bodies[k].id.value == c->followed.value) body = &f->bodies[k];
    if (!body && f->body_count > 0) body = &f->bodies[0], c->followed = body->id;
    if (!body) return;
    const tarn_vec3 motion = add(body->state.position, -1.0, c->followed_position);
    c->followed_position = body->state.position;
    if (c->mode == CAMERA_FOLLOW) translate(c, motion);
}
