// The mouse: hold a body, poke and stir water, move the eye.
#include "pick.h"
#include "view.h"

#define GLFW_INCLUDE_NONE
#include <GLFW/glfw3.h>

#include <math.h>

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

// Take what is under the pointer: a body, else water, else the camera.
static void take(struct view *v, const tarn_frame *f)
{
    tarn_vec3 from, way;
    double far = INFINITY, wet_far = INFINITY;
    bool wet = false;
    v->hand = HAND_TURNS;
    if (!view_ray(v, v->mouse[0], v->mouse[1], &from, &way)) return;
    const int body = pick_body(f, from, way, &far);
    const bool ground = pick_water(f, from, way, &wet_far, &wet);
    if (v->placing && (ground || body >= 0)) {
        tarn_vec3 at = along(from, fmin(far, wet_far), way);
        at.y += v->shape_size;
        palette_spawn(v, at);
        v->hand = HAND_FREE;
        return;
    }
    // What is under water is seen and can be taken, too: the water is clear.
    if (body >= 0) {
        v->hand = HAND_HOLDS;
        v->chosen = f->bodies[body].id;
        v->hold_at = along(from, far, way);
        v->hold_far = ahead(v, v->hold_at);
        sim_command(v->sim, &(tarn_command){.kind = TARN_GRAB, .body = v->chosen, .at = v->hold_at});
    } else if (ground && wet) {
        v->hand = HAND_STIRS;
        v->stir_at = along(from, wet_far, way);
        v->stir_time = v->clock;
        sim_command(v->sim, &(tarn_command){.kind = TARN_POKE,
                                            .at = v->stir_at,
                                            .radius = v->poke_radius,
                                            .strength = poke_speed});
    }
}

void hand_button(struct view *v, int button, int action, int mods)
{
    if (action == GLFW_RELEASE) {
        hand_let_go(v);
        return;
    }
    if (elsewhere(v) || v->hand != HAND_FREE) return;
    if (button == GLFW_MOUSE_BUTTON_MIDDLE || (button == GLFW_MOUSE_BUTTON_RIGHT && mods & GLFW_MOD_SHIFT))
        v->hand = HAND_PANS;
    else if (button == GLFW_MOUSE_BUTTON_RIGHT)
        v->hand = HAND_TURNS;
    else if (button == GLFW_MOUSE_BUTTON_LEFT) {
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
    else
        eye_zoom(&v->eye, pow(0.88, notches));
}

// The hand moves in a plane across the view, as far away as where it took hold.
static void pull(struct view *v)
{
    tarn_vec3 from, way;
    if (!view_ray(v, v->mouse[0], v->mouse[1], &from, &way)) return;
    const tarn_vec3 next = along(from, 1.0, way);
    const double rate = ahead(v, next) - ahead(v, from);
    if (!(rate > 1e-6)) return;
    const tarn_vec3 at = along(from, (v->hold_far - ahead(v, from)) / rate, way);
    if (at.x == v->hold_at.x && at.y == v->hold_at.y && at.z == v->hold_at.z) return;
    v->hold_at = at;
    sim_command(v->sim, &(tarn_command){.kind = TARN_PULL, .at = at});
}

// Water follows the hand, at half its speed, and no faster than 2 m/s: it is a hand, not a paddle.
static void stir(struct view *v, const tarn_frame *f)
{
    tarn_vec3 from, way;
    double far;
    bool wet;
    const double dt = v->clock - v->stir_time;
    if (dt < 0.02 || !view_ray(v, v->mouse[0], v->mouse[1], &from, &way) ||
        !pick_water(f, from, way, &far, &wet) || !wet)
        return;
    const tarn_vec3 at = along(from, far, way);
    tarn_vec3 go = {0.5 * (at.x - v->stir_at.x) / dt, 0.0, 0.5 * (at.z - v->stir_at.z) / dt};
    const double fast = sqrt(go.x * go.x + go.z * go.z), least = 0.02 * v->poke_radius / dt;
    v->stir_time = v->clock;
    if (fast < least) return;
    const double keep = fmin(1.0, 2.0 / fast) * 0.35; // each time a part: the water keeps what it has
    go.x *= keep, go.z *= keep;
    v->stir_at = at;
    sim_command(v->sim, &(tarn_command){.kind = TARN_STIR, .at = at, .way = go, .radius = v->poke_radius});
}

void hand_frame(struct view *v, const tarn_frame *f)
{
    if (v->hand == HAND_HOLDS) pull(v);
    if (v->hand == HAND_STIRS) stir(v, f);
}
