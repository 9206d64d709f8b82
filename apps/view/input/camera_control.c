#include "camera_control.h"

#include <math.h>

static const double steepest = 1.55;  // [rad] almost straight down, so that up stays up
static const double half_fov = 0.349; // [rad] 20 degrees: that of draw/camera.c

static tarn_vec3 add(tarn_vec3 a, double k, tarn_vec3 b)
{
    return (tarn_vec3){a.x + k * b.x, a.y + k * b.y, a.z + k * b.z};
}

static double length(tarn_vec3 a) { return sqrt(a.x * a.x + a.y * a.y + a.z * a.z); }

// From `to` towards the eye: distance, turn about y, height above the horizon.
static void polar(tarn_vec3 d, double *far, double *turn, double *rise)
{
    *far = fmax(length(d), 1e-9);
    *turn = atan2(d.x, d.z);
    *rise = asin(fmin(fmax(d.y / *far, -1.0), 1.0));
}

static tarn_vec3 from_polar(double far, double turn, double rise)
{
    return (tarn_vec3){far * cos(rise) * sin(turn), far * sin(rise), far * cos(rise) * cos(turn)};
}

static void axes(const struct eye *e, tarn_vec3 *ahead, tarn_vec3 *right, tarn_vec3 *up)
{
    double far, turn, rise;
    polar(add(e->from, -1.0, e->to), &far, &turn, &rise);
    *ahead = from_polar(-1.0, turn, rise);
    *right = (tarn_vec3){cos(turn), 0.0, -sin(turn)};
    *up = (tarn_vec3){-sin(rise) * sin(turn), cos(rise), -sin(rise) * cos(turn)};
}

const char *eye_name(enum eye_mode mode)
{
    static const char *const names[EYE_MODES] = {"orbit", "top", "side", "follow", "fly"};
    return names[mode];
}

void eye_begin(struct eye *e, const tarn_frame *f, tarn_vec3 from, tarn_vec3 to)
{
    const double wide = f->nx * f->dx, deep = f->nz * f->dx;
    *e =
        (struct eye){.size = f->flat ? sqrt(wide * deep) : fmax(wide, deep)}; // a plane may be a long channel
    const tarn_vec3 middle = {f->x0 + 0.5 * (f->nx - 1) * f->dx, f->level, f->z0 + 0.5 * (f->nz - 1) * f->dx};
    const tarn_vec3 wish = add(from, -1.0, to);
    e->middle = middle;
    e->home_to = length(wish) > 0.0 ? to : middle;
    e->home_from = length(wish) > 0.0
                       ? from
                       : add(middle, 1.55 * e->size, from_polar(1.0, wide >= deep ? 0.5 : 1.1, 0.5));
    eye_home(e);
}

void eye_home(struct eye *e)
{
    const tarn_vec3 d = add(e->home_from, -1.0, e->home_to);
    double far, turn, rise;
    polar(d, &far, &turn, &rise);
    e->to = e->mode == EYE_TOP || e->mode == EYE_SIDE ? e->middle
                                                      : e->home_to; // all of it, not what the scene is about
    switch (e->mode) {
    case EYE_TOP: e->from = add(e->to, 1.0, from_polar(1.6 * e->size, 0.0, steepest)); break;
    case EYE_SIDE: e->from = add(e->to, 1.0, from_polar(1.7 * e->size, 0.0, 0.06)); break;
    case EYE_FOLLOW:
        e->to = e->followed_at;
        e->from = add(e->to, 1.0, from_polar(fmin(far, 0.6 * e->size), turn, fmax(rise, 0.25)));
        break;
    default: e->from = e->home_from;
    }
}

void eye_set_mode(struct eye *e, enum eye_mode mode)
{
    const bool stay = mode == EYE_FLY; // fly on from here
    e->mode = mode;
    if (!stay) eye_home(e);
}

void eye_turn(struct eye *e, double right, double up)
{
    const bool fly = e->mode == EYE_FLY; // the head turns, the eye stays
    double far, turn, rise;
    polar(add(e->from, -1.0, e->to), &far, &turn, &rise);
    if (e->mode == EYE_TOP) up = 0.0;
    turn -= right;
    rise = fmin(fmax(rise + up, -steepest), steepest);
    if (fly)
        e->to = add(e->from, -1.0, from_polar(far, turn, rise));
    else
        e->from = add(e->to, 1.0, from_polar(far, turn, rise));
}

static void shift(struct eye *e, tarn_vec3 by)
{
    e->from = add(e->from, 1.0, by);
    e->to = add(e->to, 1.0, by);
}

void eye_pan(struct eye *e, double right, double up)
{
    tarn_vec3 a, r, u;
    axes(e, &a, &r, &u);
    const double tall = 2.0 * tan(half_fov) * length(add(e->from, -1.0, e->to));
    shift(e, add((tarn_vec3){-right * tall * r.x, -right * tall * r.y, -right * tall * r.z}, -up * tall, u));
}

void eye_zoom(struct eye *e, double factor)
{
    const tarn_vec3 d = add(e->from, -1.0, e->to);
    const double far = length(d), to = fmin(fmax(far * factor, 0.05 * e->size), 20.0 * e->size);
    if (e->mode == EYE_FLY)
        eye_fly(e, (1.0 - factor) * 0.5 * e->size, 0.0, 0.0);
    else
        e->from = add(e->to, to / far, d);
}

void eye_fly(struct eye *e, double ahead, double right, double up)
{
    tarn_vec3 a, r, u;
    axes(e, &a, &r, &u);
    shift(e,
          (tarn_vec3){ahead * a.x + right * r.x, ahead * a.y + right * r.y + up, ahead * a.z + right * r.z});
}

void eye_follow(struct eye *e, const tarn_frame *f)
{
    const tarn_frame_body *body = NULL;
    for (int k = 0; k < f->body_count; ++k)
        if (f->bodies[k].id.index == e->followed.index &&
            f->bodies[k].id.generation == e->followed.generation)
            body = &f->bodies[k];
    if (!body && f->body_count > 0) body = &f->bodies[0], e->followed = body->id;
    if (!body) return;
    const tarn_vec3 by = add(body->motion.position, -1.0, e->followed_at);
    e->followed_at = body->motion.position;
    if (e->mode == EYE_FOLLOW) shift(e, by);
}
