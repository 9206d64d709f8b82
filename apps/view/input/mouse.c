// The mouse: hold a body, poke and stir water, shape the ground, paint and warm a plane, move the eye.
#include "../viewer.h"
#include "raycast.h"

#define GLFW_INCLUDE_NONE
#include <GLFW/glfw3.h>

#include <math.h>
#include <string.h>

static const double poke_speed = 1.2; // [m/s] at which the water starts to go down

static tarn_vec3 along(tarn_vec3 from, double far, tarn_vec3 way)
{
    return (tarn_vec3){from.x + far * way.x, from.y + far * way.y, from.z + far * way.z};
}

void mouse_release(struct viewer *v)
{
    if (v->mouse_mode == MOUSE_GRAB) sim_queue_command(v->sim, &(tarn_command){.kind = TARN_RELEASE});
    v->mouse_mode = MOUSE_IDLE;
}

// The pointer is over something else than the picture. ImGui knows only where it was one frame ago, which is long ago on
// a slow machine: it is asked only when it covers the picture.
static bool elsewhere(const struct viewer *v)
{
    return v->show_gallery || v->mouse[0] >= v->width ||
           ((v->show_keys || ui_has_open_list()) && ui_has_mouse());
}

// How far [m] a point is in front of the eye, along the middle of the picture.
static double ahead(const struct viewer *v, tarn_vec3 p)
{
    const tarn_vec3 d = {v->camera.target.x - v->camera.position.x, v->camera.target.y - v->camera.position.y,
                         v->camera.target.z - v->camera.position.z};
    const double n = sqrt(d.x * d.x + d.y * d.y + d.z * d.z);
    return ((p.x - v->camera.position.x) * d.x + (p.y - v->camera.position.y) * d.y +
            (p.z - v->camera.position.z) * d.z) /
           n;
}

const char *brush_label(enum brush tool)
{
    static const char *const names[BRUSH_COUNT] = {"finger: poke and stir", "finger: raise the ground",
                                                   "finger: lower the ground"};
    return names[tool];
}

bool can_sculpt_bed(const struct viewer *v)
{
    return v->status.has_world &&
           (strcmp(v->status.scene.model, "shallow") == 0 || strcmp(v->status.scene.model, "implicit") == 0);
}

// Where a ray meets the fluid: its surface or the ground, or the plane that it fills.
static bool meet_fluid(const tarn_frame *f, tarn_vec3 from, tarn_vec3 way, double *far, bool *wet)
{
    if (!f->flat) return raycast_surface(f, from, way, far, wet);
    *far = -from.z / way.z, *wet = true;
    return true;
}

bool mouse_point_on_fluid(const struct viewer *v, const tarn_frame *f, tarn_vec3 *at)
{
    tarn_vec3 from, way;
    double far;
    bool wet;
    if (elsewhere(v) || !viewer_unproject(v, v->mouse[0], v->mouse[1], &from, &way) ||
        !meet_fluid(f, from, way, &far, &wet))
        return false;
    *at = along(from, far, way);
    return true;
}

// Put what the palette has chosen where the pointer is: over the water, or in the plane.
static void put_in(struct viewer *v, tarn_vec3 at)
{
    if (v->planar)
        at.z = 0.0;
    else
        at.y += v->spawn_size;
    spawn_shape_at(v, at);
    v->mouse_mode = MOUSE_IDLE;
}

// The left button: a body, else water or ground, else the camera.
static void take(struct viewer *v, const tarn_frame *f)
{
    tarn_vec3 from, way;
    double far = INFINITY, wet_far = INFINITY;
    bool wet = false;
    v->mouse_mode = MOUSE_ORBIT;
    if (!viewer_unproject(v, v->mouse[0], v->mouse[1], &from, &way)) return;
    const int body = raycast_bodies(f, from, way, &far);
    const bool ground = meet_fluid(f, from, way, &wet_far, &wet);
    if (v->placing && (ground || body >= 0)) {
        put_in(v, along(from, fmin(far, wet_far), way));
        return;
    }
    // What is under water is seen and can be taken, too: the water is clear.
    if (body >= 0) {
        v->mouse_mode = MOUSE_GRAB;
        v->selected = f->bodies[body].id;
        v->grab_point = along(from, far, way);
        if (f->flat) v->grab_point.z = 0.0;
        v->grab_depth = ahead(v, v->grab_point);
        sim_queue_command(v->sim,
                          &(tarn_command){.kind = TARN_GRAB, .body = v->selected, .at = v->grab_point});
        return;
    }
    if (!ground) return;
    v->stroke_point = along(from, wet_far, way);
    v->stroke_time = v->clock;
    if (v->brush != BRUSH_POKE && can_sculpt_bed(v)) {
        v->mouse_mode = MOUSE_SCULPT;
    } else if (wet) {
        v->mouse_mode = MOUSE_STIR;
        if (!f->flat)
            sim_queue_command(v->sim, &(tarn_command){.kind = TARN_POKE,
                                                      .at = v->stroke_point,
                                                      .radius = v->brush_radius,
                                                      .strength = poke_speed});
    }
}

// A plane has no camera to turn: the other buttons paint and warm.
static enum mouse_mode other_button(const struct viewer *v, int button, int mods)
{
    const bool middle = button == GLFW_MOUSE_BUTTON_MIDDLE;
    if (v->planar) return middle ? MOUSE_HEAT : MOUSE_PAINT;
    return middle || mods & GLFW_MOD_SHIFT ? MOUSE_PAN : MOUSE_ORBIT;
}

void mouse_button(struct viewer *v, int button, int action, int mods)
{
    if (action == GLFW_RELEASE) {
        mouse_release(v);
        return;
    }
    if (elsewhere(v) || v->mouse_mode != MOUSE_IDLE) return;
    v->inverted = mods & GLFW_MOD_SHIFT;
    if (button == GLFW_MOUSE_BUTTON_RIGHT || button == GLFW_MOUSE_BUTTON_MIDDLE) {
        v->mouse_mode = other_button(v, button, mods);
        v->stroke_time = v->clock;
    } else if (button == GLFW_MOUSE_BUTTON_LEFT) {
        const tarn_frame *f = sim_acquire_frame(v->sim);
        if (f) take(v, f);
        sim_release_frame(v->sim);
    }
}

void mouse_move(struct viewer *v, double x, double y)
{
    const double dx = x - v->mouse[0], dy = y - v->mouse[1];
    v->mouse[0] = x, v->mouse[1] = y;
    if (v->mouse_mode == MOUSE_ORBIT) camera_orbit(&v->camera, 0.006 * dx, 0.006 * dy);
    if (v->mouse_mode == MOUSE_PAN) camera_pan(&v->camera, dx / v->height, -dy / v->height);
}

void mouse_wheel(struct viewer *v, double notches)
{
    if (elsewhere(v)) return;
    if (v->mouse_mode == MOUSE_GRAB)
        v->grab_depth =
            fmin(fmax(v->grab_depth * pow(1.08, notches), 0.05 * v->camera.extent), 4.0 * v->camera.extent);
    else if (is_field_view(v)) { // there is nothing to come nearer to: a finger grows
        v->brush_radius =
            fmin(fmax(v->brush_radius * pow(1.12, notches), 0.01 * v->camera.extent), 0.2 * v->camera.extent);
        viewer_message(v, "finger: %.3g m", v->brush_radius);
    } else
        camera_zoom(&v->camera, pow(0.88, notches));
}

// ---- while a button is down ------------------------------------------------------------------------

// The hand moves in a plane across the view, as far away as where it took hold; over a sheet, in the sheet.
static bool grab_target(const struct viewer *v, tarn_vec3 *at)
{
    tarn_vec3 from, way;
    if (!viewer_unproject(v, v->mouse[0], v->mouse[1], &from, &way)) return false;
    if (is_field_view(v)) {
        *at = v->planar ? (tarn_vec3){from.x, from.y, 0.0} : (tarn_vec3){from.x, v->grab_point.y, from.z};
        return true;
    }
    const double rate = ahead(v, along(from, 1.0, way)) - ahead(v, from);
    if (!(rate > 1e-6)) return false;
    *at = along(from, (v->grab_depth - ahead(v, from)) / rate, way);
    return true;
}

static void pull(struct viewer *v)
{
    tarn_vec3 at;
    if (!grab_target(v, &at) ||
        (at.x == v->grab_point.x && at.y == v->grab_point.y && at.z == v->grab_point.z))
        return;
    v->grab_point = at;
    sim_queue_command(v->sim, &(tarn_command){.kind = TARN_PULL, .at = at});
}

// The fluid under the pointer, and how long [s] the finger has been on its way there; false: none, or too soon.
static bool finger(struct viewer *v, const tarn_frame *f, bool ground, tarn_vec3 *at, double *dt)
{
    tarn_vec3 from, way;
    double far;
    bool wet;
    *dt = v->clock - v->stroke_time;
    if (*dt < 0.02 || !viewer_unproject(v, v->mouse[0], v->mouse[1], &from, &way) ||
        !meet_fluid(f, from, way, &far, &wet) || !(wet || ground))
        return false;
    v->stroke_time = v->clock;
    *dt = fmin(*dt, 0.25); // a picture that took long is no long touch
    *at = along(from, far, way);
    return true;
}

// Water follows the hand, at half its speed, and no faster than 2 m/s: it is a hand, not a paddle. In a plane, which may
// be of any size, it is taken along, no faster than three times across in a second.
static void stir(struct viewer *v, const tarn_frame *f)
{
    const double began = v->stroke_time;
    tarn_vec3 at;
    double dt;
    if (!finger(v, f, false, &at, &dt)) return;
    const double part = f->flat ? 1.0 : 0.5, took = v->clock - began;
    tarn_vec3 go = {part * (at.x - v->stroke_point.x) / took, part * (at.y - v->stroke_point.y) / took,
                    part * (at.z - v->stroke_point.z) / took};
    if (f->flat)
        go.z = 0.0;
    else
        go.y = 0.0;
    const double fast = sqrt(go.x * go.x + go.y * go.y + go.z * go.z);
    if (fast < 0.02 * v->brush_radius / took) return;
    // Each time a part: the water keeps what it has.
    const double most = f->flat ? 3.0 * v->camera.extent : 2.0;
    const double keep = fmin(1.0, most / fast) * (f->flat ? 1.0 : 0.35);
    go.x *= keep, go.y *= keep, go.z *= keep;
    v->stroke_point = at;
    sim_queue_command(v->sim,
                      &(tarn_command){.kind = TARN_STIR, .at = at, .way = go, .radius = v->brush_radius});
}

// In a second: ground by half the radius of the finger, dye by 3, warmth by what makes the fluid rise.
static void press(struct viewer *v, const tarn_frame *f)
{
    tarn_command c = {.radius = v->brush_radius};
    double dt;
    if (!finger(v, f, true, &c.at, &dt)) return;
    switch (v->mouse_mode) {
    case MOUSE_SCULPT:
        c.kind = TARN_RAISE;
        c.strength = (v->inverted != (v->brush == BRUSH_LOWER) ? -0.5 : 0.5) * v->brush_radius * dt;
        break;
    case MOUSE_PAINT: c.kind = TARN_DYE, c.strength = 3.0 * dt; break;
    default: c.kind = TARN_WARM, c.strength = (v->inverted ? -1.0 : 1.0) * flow_heat_rate(v) * dt;
    }
    sim_queue_command(v->sim, &c);
}

void mouse_update(struct viewer *v, const tarn_frame *f)
{
    if (v->mouse_mode == MOUSE_GRAB) pull(v);
    if (v->mouse_mode == MOUSE_STIR) stir(v, f);
    if (v->mouse_mode == MOUSE_SCULPT || v->mouse_mode == MOUSE_PAINT || v->mouse_mode == MOUSE_HEAT)
        press(v, f);
}
