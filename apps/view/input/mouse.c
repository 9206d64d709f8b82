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

void hand_let_go(struct view *v)
{
    if (v->hand == HAND_HOLDS) sim_command(v->sim, &(tarn_command){.kind = TARN_RELEASE});
    v->hand = HAND_FREE;
}

// The pointer is over something else than the picture. ImGui knows only where it was one frame ago, which is long ago on
// a slow machine: it is asked only when it covers the picture.
static bool elsewhere(const struct view *v)
{
    return v->start_page || v->mouse[0] >= v->width || ((v->show_keys || ui_has_list()) && ui_has_mouse());
}

// How far [m] a point is in front of the eye, along the middle of the picture.
static double ahead(const struct view *v, tarn_vec3 p)
{
    const tarn_vec3 d = {v->eye.to.x - v->eye.from.x, v->eye.to.y - v->eye.from.y,
                         v->eye.to.z - v->eye.from.z};
    const double n = sqrt(d.x * d.x + d.y * d.y + d.z * d.z);
    return ((p.x - v->eye.from.x) * d.x + (p.y - v->eye.from.y) * d.y + (p.z - v->eye.from.z) * d.z) / n;
}

const char *hand_tool(enum tool tool)
{
    static const char *const names[TOOLS] = {"finger: poke and stir", "finger: raise the ground",
                                             "finger: lower the ground"};
    return names[tool];
}

bool hand_has_ground(const struct view *v)
{
    return v->news.there &&
           (strcmp(v->news.scene.model, "shallow") == 0 || strcmp(v->news.scene.model, "implicit") == 0);
}

// Where a ray meets the fluid: its surface or the ground, or the plane that it fills.
static bool meet_fluid(const tarn_frame *f, tarn_vec3 from, tarn_vec3 way, double *far, bool *wet)
{
    if (!f->flat) return pick_water(f, from, way, far, wet);
    *far = -from.z / way.z, *wet = true;
    return true;
}

bool hand_over(const struct view *v, const tarn_frame *f, tarn_vec3 *at)
{
    tarn_vec3 from, way;
    double far;
    bool wet;
    if (elsewhere(v) || !view_ray(v, v->mouse[0], v->mouse[1], &from, &way) ||
        !meet_fluid(f, from, way, &far, &wet))
        return false;
    *at = along(from, far, way);
    return true;
}

// Put what the palette has chosen where the pointer is: over the water, or in the plane.
static void put_in(struct view *v, tarn_vec3 at)
{
    if (v->flat)
        at.z = 0.0;
    else
        at.y += v->shape_size;
    palette_spawn(v, at);
    v->hand = HAND_FREE;
}

// The left button: a body, else water or ground, else the camera.
static void take(struct view *v, const tarn_frame *f)
{
    tarn_vec3 from, way;
    double far = INFINITY, wet_far = INFINITY;
    bool wet = false;
    v->hand = HAND_TURNS;
    if (!view_ray(v, v->mouse[0], v->mouse[1], &from, &way)) return;
    const int body = pick_body(f, from, way, &far);
    const bool ground = meet_fluid(f, from, way, &wet_far, &wet);
    if (v->placing && (ground || body >= 0)) {
        put_in(v, along(from, fmin(far, wet_far), way));
        return;
    }
    // What is under water is seen and can be taken, too: the water is clear.
    if (body >= 0) {
        v->hand = HAND_HOLDS;
        v->chosen = f->bodies[body].id;
        v->hold_at = along(from, far, way);
        if (f->flat) v->hold_at.z = 0.0;
        v->hold_far = ahead(v, v->hold_at);
        sim_command(v->sim, &(tarn_command){.kind = TARN_GRAB, .body = v->chosen, .at = v->hold_at});
        return;
    }
    if (!ground) return;
    v->stir_at = along(from, wet_far, way);
    v->stir_time = v->clock;
    if (v->tool != TOOL_FINGER && hand_has_ground(v)) {
        v->hand = HAND_SHAPES;
    } else if (wet) {
        v->hand = HAND_STIRS;
        if (!f->flat)
            sim_command(v->sim, &(tarn_command){.kind = TARN_POKE,
                                                .at = v->stir_at,
                                                .radius = v->poke_radius,
                                                .strength = poke_speed});
    }
}

// A plane has no camera to turn: the other buttons paint and warm.
static enum hand other_button(const struct view *v, int button, int mods)
{
    const bool middle = button == GLFW_MOUSE_BUTTON_MIDDLE;
    if (v->flat) return middle ? HAND_WARMS : HAND_PAINTS;
    return middle || mods & GLFW_MOD_SHIFT ? HAND_PANS : HAND_TURNS;
}

void hand_button(struct view *v, int button, int action, int mods)
{
    if (action == GLFW_RELEASE) {
        hand_let_go(v);
        return;
    }
    if (elsewhere(v) || v->hand != HAND_FREE) return;
    v->less = mods & GLFW_MOD_SHIFT;
    if (button == GLFW_MOUSE_BUTTON_RIGHT || button == GLFW_MOUSE_BUTTON_MIDDLE) {
        v->hand = other_button(v, button, mods);
        v->stir_time = v->clock;
    } else if (button == GLFW_MOUSE_BUTTON_LEFT) {
        const tarn_frame *f = sim_look(v->sim);
        if (f) take(v, f);
        sim_looked(v->sim);
    }
}

void hand_move(struct view *v, double x, double y)
{
    const double dx = x - v->mouse[0], dy = y - v->mouse[1];
    v->mouse[0] = x, v->mouse[1] = y;
    if (v->hand == HAND_TURNS) eye_turn(&v->eye, 0.006 * dx, 0.006 * dy);
    if (v->hand == HAND_PANS) eye_pan(&v->eye, dx / v->height, -dy / v->height);
}

void hand_wheel(struct view *v, double notches)
{
    if (elsewhere(v)) return;
    if (v->hand == HAND_HOLDS)
        v->hold_far = fmin(fmax(v->hold_far * pow(1.08, notches), 0.05 * v->eye.size), 4.0 * v->eye.size);
    else if (view_is_sheet(v)) { // there is nothing to come nearer to: a finger grows
        v->poke_radius =
            fmin(fmax(v->poke_radius * pow(1.12, notches), 0.01 * v->eye.size), 0.2 * v->eye.size);
        view_say(v, "finger: %.3g m", v->poke_radius);
    } else
        eye_zoom(&v->eye, pow(0.88, notches));
}

// ---- while a button is down ------------------------------------------------------------------------

// The hand moves in a plane across the view, as far away as where it took hold; over a sheet, in the sheet.
static bool hand_place(const struct view *v, tarn_vec3 *at)
{
    tarn_vec3 from, way;
    if (!view_ray(v, v->mouse[0], v->mouse[1], &from, &way)) return false;
    if (view_is_sheet(v)) {
        *at = v->flat ? (tarn_vec3){from.x, from.y, 0.0} : (tarn_vec3){from.x, v->hold_at.y, from.z};
        return true;
    }
    const double rate = ahead(v, along(from, 1.0, way)) - ahead(v, from);
    if (!(rate > 1e-6)) return false;
    *at = along(from, (v->hold_far - ahead(v, from)) / rate, way);
    return true;
}

static void pull(struct view *v)
{
    tarn_vec3 at;
    if (!hand_place(v, &at) || (at.x == v->hold_at.x && at.y == v->hold_at.y && at.z == v->hold_at.z)) return;
    v->hold_at = at;
    sim_command(v->sim, &(tarn_command){.kind = TARN_PULL, .at = at});
}

// The fluid under the pointer, and how long [s] the finger has been on its way there; false: none, or too soon.
static bool finger(struct view *v, const tarn_frame *f, bool ground, tarn_vec3 *at, double *dt)
{
    tarn_vec3 from, way;
    double far;
    bool wet;
    *dt = v->clock - v->stir_time;
    if (*dt < 0.02 || !view_ray(v, v->mouse[0], v->mouse[1], &from, &way) ||
        !meet_fluid(f, from, way, &far, &wet) || !(wet || ground))
        return false;
    v->stir_time = v->clock;
    *dt = fmin(*dt, 0.25); // a picture that took long is no long touch
    *at = along(from, far, way);
    return true;
}

// Water follows the hand, at half its speed, and no faster than 2 m/s: it is a hand, not a paddle. In a plane, which may
// be of any size, it is taken along, no faster than three times across in a second.
static void stir(struct view *v, const tarn_frame *f)
{
    const double began = v->stir_time;
    tarn_vec3 at;
    double dt;
    if (!finger(v, f, false, &at, &dt)) return;
    const double part = f->flat ? 1.0 : 0.5, took = v->clock - began;
    tarn_vec3 go = {part * (at.x - v->stir_at.x) / took, part * (at.y - v->stir_at.y) / took,
                    part * (at.z - v->stir_at.z) / took};
    if (f->flat)
        go.z = 0.0;
    else
        go.y = 0.0;
    const double fast = sqrt(go.x * go.x + go.y * go.y + go.z * go.z);
    if (fast < 0.02 * v->poke_radius / took) return;
    // Each time a part: the water keeps what it has.
    const double most = f->flat ? 3.0 * v->eye.size : 2.0;
    const double keep = fmin(1.0, most / fast) * (f->flat ? 1.0 : 0.35);
    go.x *= keep, go.y *= keep, go.z *= keep;
    v->stir_at = at;
    sim_command(v->sim, &(tarn_command){.kind = TARN_STIR, .at = at, .way = go, .radius = v->poke_radius});
}

// In a second: ground by half the radius of the finger, dye by 3, warmth by what makes the fluid rise.
static void press(struct view *v, const tarn_frame *f)
{
    tarn_command c = {.radius = v->poke_radius};
    double dt;
    if (!finger(v, f, true, &c.at, &dt)) return;
    switch (v->hand) {
    case HAND_SHAPES:
        c.kind = TARN_RAISE;
        c.strength = (v->less != (v->tool == TOOL_LOWER) ? -0.5 : 0.5) * v->poke_radius * dt;
        break;
    case HAND_PAINTS: c.kind = TARN_DYE, c.strength = 3.0 * dt; break;
    default: c.kind = TARN_WARM, c.strength = (v->less ? -1.0 : 1.0) * flat_warmth(v) * dt;
    }
    sim_command(v->sim, &c);
}

void hand_frame(struct view *v, const tarn_frame *f)
{
    if (v->hand == HAND_HOLDS) pull(v);
    if (v->hand == HAND_STIRS) stir(v, f);
    if (v->hand == HAND_SHAPES || v->hand == HAND_PAINTS || v->hand == HAND_WARMS) press(v, f);
}
