// Mouse input: grab a body, poke and stir water, sculpt the bed, paint dye and heat in the planar model, move
// the camera. GLFW callbacks in main.c call mouse_button/move/wheel; the frame loop calls mouse_update.
// Everything that changes the world is sent as a command (sim_queue_command).
#include "../viewer.h"
#include "raycast.h"

#define GLFW_INCLUDE_NONE
#include <GLFW/glfw3.h>

#include <math.h>
#include <string.h>

static const double poke_speed = 1.2; // [m/s] initial downward speed of poked water at the centre

static tarn_vec3 point_on_ray(tarn_vec3 origin, double distance, tarn_vec3 direction)
{
    return (tarn_vec3){origin.x + distance * direction.x, origin.y + distance * direction.y,
                       origin.z + distance * direction.z};
}

void mouse_release(struct viewer *v)
{
    if (v->mouse_mode == MOUSE_GRAB) sim_queue_command(v->sim, &(tarn_command){.kind = TARN_COMMAND_RELEASE});
    v->mouse_mode = MOUSE_IDLE;
}

// The pointer is over the gallery, the panel, the key list or a drop-down list. ui_has_mouse() is one frame
// late, which matters on a slow machine, so it is used only where something may cover the viewport.
static bool is_outside_viewport(const struct viewer *v)
{
    return v->show_gallery || v->mouse[0] >= v->width ||
           ((v->show_keys || ui_has_open_list()) && ui_has_mouse());
}

// [m] Distance of a point from the camera along the view axis.
static double view_depth(const struct viewer *v, tarn_vec3 p)
{
    const tarn_vec3 axis = {v->camera.target.x - v->camera.position.x,
                            v->camera.target.y - v->camera.position.y,
                            v->camera.target.z - v->camera.position.z};
    const double length = sqrt(axis.x * axis.x + axis.y * axis.y + axis.z * axis.z);
    return ((p.x - v->camera.position.x) * axis.x + (p.y - v->camera.position.y) * axis.y +
            (p.z - v->camera.position.z) * axis.z) /
           length;
}

const char *brush_label(enum brush brush)
{
    static const char *const labels[BRUSH_COUNT] = {"brush: poke and stir", "brush: raise the bed",
                                                    "brush: lower the bed"};
    return labels[brush];
}

bool can_sculpt_bed(const struct viewer *v) { return viewer_model_flags(v) & TARN_MODEL_TERRAIN; }

// Intersection of a ray with the water surface or the dry bed; in the planar model with the plane z = 0.
static bool raycast_fluid(const tarn_frame *f, tarn_vec3 origin, tarn_vec3 direction, double *distance,
                          bool *wet)
{
    if (!f->planar) return raycast_surface(f, origin, direction, distance, wet);
    *distance = -origin.z / direction.z, *wet = true;
    return true;
}

bool mouse_point_on_fluid(const struct viewer *v, const tarn_frame *f, tarn_vec3 *point)
{
    tarn_vec3 origin, direction;
    double distance;
    bool wet;
    if (is_outside_viewport(v) || !viewer_unproject(v, v->mouse[0], v->mouse[1], &origin, &direction) ||
        !raycast_fluid(f, origin, direction, &distance, &wet))
        return false;
    *point = point_on_ray(origin, distance, direction);
    return true;
}

// ---- a button is pressed ---------------------------------------------------------------------------

// Add a body of the chosen shape: above the surface, or in the plane of the planar model.
static void place_body(struct viewer *v, tarn_vec3 position)
{
    if (v->planar)
        position.z = 0.0;
    else
        position.y += v->spawn_size;
    spawn_shape_at(v, position);
    v->mouse_mode = MOUSE_IDLE;
}

static void grab_body(struct viewer *v, const tarn_frame *f, tarn_body_id body, tarn_vec3 point)
{
    v->mouse_mode = MOUSE_GRAB;
    v->selected = body;
    v->grab_point = point;
    if (f->planar) v->grab_point.z = 0.0;
    v->grab_depth = view_depth(v, v->grab_point);
    sim_queue_command(v->sim,
                      &(tarn_command){.kind = TARN_COMMAND_GRAB, .body = body, .position = v->grab_point});
}

static void start_brush(struct viewer *v, const tarn_frame *f, tarn_vec3 point, bool wet)
{
    v->stroke_point = point;
    v->stroke_time = v->clock;
    if (v->brush != BRUSH_POKE && can_sculpt_bed(v)) {
        v->mouse_mode = MOUSE_SCULPT;
    } else if (wet) {
        v->mouse_mode = MOUSE_STIR;
        if (!f->planar)
            sim_queue_command(v->sim, &(tarn_command){.kind = TARN_COMMAND_POKE,
                                                      .position = point,
                                                      .radius = v->brush_radius,
                                                      .amount = poke_speed});
    }
}

// The left button acts on a body (also one under water), else on water or bed, else on the camera.
static void press_left_button(struct viewer *v, const tarn_frame *f)
{
    tarn_vec3 origin, direction;
    double body_distance = INFINITY, fluid_distance = INFINITY;
    bool wet = false;
    v->mouse_mode = MOUSE_ORBIT;
    if (!viewer_unproject(v, v->mouse[0], v->mouse[1], &origin, &direction)) return;
    const int body = raycast_bodies(f, origin, direction, &body_distance);
    const bool hits_fluid = raycast_fluid(f, origin, direction, &fluid_distance, &wet);
    if (v->placing && (hits_fluid || body >= 0))
        place_body(v, point_on_ray(origin, fmin(body_distance, fluid_distance), direction));
    else if (body >= 0)
        grab_body(v, f, f->bodies[body].id, point_on_ray(origin, body_distance, direction));
    else if (hits_fluid)
        start_brush(v, f, point_on_ray(origin, fluid_distance, direction), wet);
}

// The planar model has no camera to move: right and middle button paint and heat.
static enum mouse_mode mode_of_other_button(const struct viewer *v, int button, int mods)
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
    if (is_outside_viewport(v) || v->mouse_mode != MOUSE_IDLE) return;
    v->inverted = mods & GLFW_MOD_SHIFT;
    if (button == GLFW_MOUSE_BUTTON_RIGHT || button == GLFW_MOUSE_BUTTON_MIDDLE) {
        v->mouse_mode = mode_of_other_button(v, button, mods);
        v->stroke_time = v->clock;
    } else if (button == GLFW_MOUSE_BUTTON_LEFT) {
        const tarn_frame *f = sim_acquire_frame(v->sim);
        if (f) press_left_button(v, f);
        sim_release_frame(v->sim);
    }
}

void mouse_move(struct viewer *v, double x, double y)
{
    const double radians_per_pixel = 0.006;
    const double dx = x - v->mouse[0], dy = y - v->mouse[1];
    v->mouse[0] = x, v->mouse[1] = y;
    if (v->mouse_mode == MOUSE_ORBIT)
        camera_orbit(&v->camera, radians_per_pixel * dx, radians_per_pixel * dy);
    if (v->mouse_mode == MOUSE_PAN) camera_pan(&v->camera, dx / v->height, -dy / v->height);
}

static double clamp(double x, double min, double max) { return fmin(fmax(x, min), max); }

// The wheel moves a grabbed body nearer or farther, changes the brush radius over a plot, and zooms
// otherwise.
void mouse_wheel(struct viewer *v, double notches)
{
    const double extent = v->camera.extent;
    if (is_outside_viewport(v)) return;
    if (v->mouse_mode == MOUSE_GRAB) {
        v->grab_depth = clamp(v->grab_depth * pow(1.08, notches), 0.05 * extent, 4.0 * extent);
    } else if (is_field_view(v)) {
        v->brush_radius = clamp(v->brush_radius * pow(1.12, notches), 0.01 * extent, 0.2 * extent);
        viewer_message(v, "brush radius: %.3g m", v->brush_radius);
    } else {
        camera_zoom(&v->camera, pow(0.88, notches));
    }
}

// ---- while a button is down ------------------------------------------------------------------------

// The grabbed point moves in a plane perpendicular to the view axis at the depth of the grab; over a plot, in
// its plane.
static bool grab_target(const struct viewer *v, tarn_vec3 *target)
{
    tarn_vec3 origin, direction;
    if (!viewer_unproject(v, v->mouse[0], v->mouse[1], &origin, &direction)) return false;
    if (is_field_view(v)) {
        *target = v->planar ? (tarn_vec3){origin.x, origin.y, 0.0}
                            : (tarn_vec3){origin.x, v->grab_point.y, origin.z};
        return true;
    }
    const double depth_per_metre =
        view_depth(v, point_on_ray(origin, 1.0, direction)) - view_depth(v, origin);
    if (!(depth_per_metre > 1e-6)) return false;
    *target = point_on_ray(origin, (v->grab_depth - view_depth(v, origin)) / depth_per_metre, direction);
    return true;
}

static void move_grab(struct viewer *v)
{
    tarn_vec3 target;
    if (!grab_target(v, &target) ||
        (target.x == v->grab_point.x && target.y == v->grab_point.y && target.z == v->grab_point.z))
        return;
    v->grab_point = target;
    sim_queue_command(v->sim, &(tarn_command){.kind = TARN_COMMAND_MOVE_GRAB, .position = target});
}

// The point of the fluid under the pointer and the time [s] since the brush was applied last. False if less
// than 20 ms have passed, or there is nothing to act on.
static bool sample_brush(struct viewer *v, const tarn_frame *f, bool allow_dry, tarn_vec3 *point, double *dt)
{
    tarn_vec3 origin, direction;
    double distance;
    bool wet;
    *dt = v->clock - v->stroke_time;
    if (*dt < 0.02 || !viewer_unproject(v, v->mouse[0], v->mouse[1], &origin, &direction) ||
        !raycast_fluid(f, origin, direction, &distance, &wet) || !(wet || allow_dry))
        return false;
    v->stroke_time = v->clock;
    *dt = fmin(*dt, 0.25); // a slow frame must not act as one strong stroke
    *point = point_on_ray(origin, distance, direction);
    return true;
}

// A height field gains 0.35 of half the pointer's velocity per sample, at most 0.35 times 2 m/s. The planar
// model, whose domain may have any size, is set to the pointer's velocity, at most three domain lengths per
// second.
static void stir(struct viewer *v, const tarn_frame *f)
{
    const double start = v->stroke_time;
    tarn_vec3 point;
    double dt;
    if (!sample_brush(v, f, false, &point, &dt)) return;
    const double fraction = f->planar ? 1.0 : 0.5, elapsed = v->clock - start;
    tarn_vec3 velocity = {fraction * (point.x - v->stroke_point.x) / elapsed,
                          fraction * (point.y - v->stroke_point.y) / elapsed,
                          fraction * (point.z - v->stroke_point.z) / elapsed};
    if (f->planar)
        velocity.z = 0.0;
    else
        velocity.y = 0.0;
    const double speed = sqrt(velocity.x * velocity.x + velocity.y * velocity.y + velocity.z * velocity.z);
    if (speed < 0.02 * v->brush_radius / elapsed) return;
    const double max_speed = f->planar ? 3.0 * v->camera.extent : 2.0;
    const double scale = fmin(1.0, max_speed / speed) * (f->planar ? 1.0 : 0.35);
    velocity.x *= scale, velocity.y *= scale, velocity.z *= scale;
    v->stroke_point = point;
    sim_queue_command(v->sim, &(tarn_command){.kind = TARN_COMMAND_STIR,
                                              .position = point,
                                              .velocity = velocity,
                                              .radius = v->brush_radius});
}

// Per second: the bed changes by half the brush radius, the dye by 3, the temperature by flow_heat_rate().
static void apply_brush(struct viewer *v, const tarn_frame *f)
{
    tarn_command c = {.radius = v->brush_radius};
    double dt;
    if (!sample_brush(v, f, true, &c.position, &dt)) return;
    switch (v->mouse_mode) {
    case MOUSE_SCULPT:
        c.kind = TARN_COMMAND_RAISE_BED;
        c.amount = (v->inverted != (v->brush == BRUSH_LOWER) ? -0.5 : 0.5) * v->brush_radius * dt;
        break;
    case MOUSE_PAINT: c.kind = TARN_COMMAND_ADD_DYE, c.amount = 3.0 * dt; break;
    default: c.kind = TARN_COMMAND_ADD_HEAT, c.amount = (v->inverted ? -1.0 : 1.0) * flow_heat_rate(v) * dt;
    }
    sim_queue_command(v->sim, &c);
}

void mouse_update(struct viewer *v, const tarn_frame *f)
{
    if (v->mouse_mode == MOUSE_GRAB) move_grab(v);
    if (v->mouse_mode == MOUSE_STIR) stir(v, f);
    if (v->mouse_mode == MOUSE_SCULPT || v->mouse_mode == MOUSE_PAINT || v->mouse_mode == MOUSE_HEAT)
        apply_brush(v, f);
}
