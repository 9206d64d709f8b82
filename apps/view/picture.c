// The picture of a frame in the window: which view of it, how fine.
#include "../cli/look.h"
#include "view.h"

#include <math.h>
#include <string.h>

// The first frame of a new scene chooses the camera; a reset leaves it where it is.
static void meet_scene(struct view *v, const tarn_frame *f)
{
    static char last[4096];
    if (v->world == v->news.world) return;
    v->world = v->news.world;
    if (strcmp(last, v->path) == 0) return;
    snprintf(last, sizeof last, "%s", v->path);
    const tarn_scene_facts *facts = &v->news.scene;
    look_choose(facts, NULL, &v->look);
    eye_begin(&v->eye, f, v->look.camera, v->look.target);
    if (f->flat && strcmp(v->look.name, draw_view_name(0)) == 0) // what is seen of it, see draw.c
        snprintf(v->look.name, sizeof v->look.name, "dye");
    if (strcmp(v->look.name, "top") == 0) { // a camera here
        snprintf(v->look.name, sizeof v->look.name, "%s", draw_view_name(0));
        eye_set_mode(&v->eye, EYE_TOP);
    }
    v->poke_radius = 0.05 * v->eye.size;
    v->shape_size = fmin(0.08 * v->eye.size, 5.0);
    v->show_panel = v->window_size[0] >= 800;
    for (; v->meshes_left > 0; --v->meshes_left) palette_spawn_mesh(v, *v->meshes_wanted++);
}

bool view_has(const struct view *v, const char *name)
{
    if (strcmp(name, "top") == 0) return false; // the viewer has a camera for that
    for (int k = 0; k < VIEW_MAX_VIEWS && draw_view_name(k); ++k)
        if (strcmp(draw_view_name(k), name) == 0) return !v->lacks_view[k];
    return true;
}

bool view_is_sheet(const struct view *v) { return v->flat || strcmp(v->look.name, draw_view_name(0)) != 0; }

void view_show(struct view *v, const char *name)
{
    snprintf(v->look.name, sizeof v->look.name, "%s", name);
    v->look.range_min = v->look.range_max = 0.0;
    v->look.colormap[0] = '\0';
}

// ---- how fine --------------------------------------------------------------------------------------

// Software draws some five million pixels a second and core. Where that is too slow for a hand to follow, every pixel
// stands for several; a picture that stands still, is saved or filmed has all of them.
enum { COARSEST = 3 };
static const double too_slow = 70.0, quick = 22.0; // [ms] a frame, on average
static const double calm = 0.4;                    // [s] after which a paused picture becomes fine

static int choose_coarseness(struct view *v)
{
    const bool moving = !v->news.paused || v->hand != HAND_FREE || v->clock - v->moved_at < calm;
    // A sheet is cheap, and has small letters.
    if (!v->software || v->fine || v->recording || v->want_picture || view_is_sheet(v) || !moving) return 1;
    v->average_ms += 0.2 * (fmin(v->frame_ms, 400.0) - v->average_ms);
    if (v->average_ms > too_slow && v->coarse < COARSEST)
        ++v->coarse, v->average_ms = 0.5 * (too_slow + quick);
    else if (v->average_ms < quick && v->coarse > 1)
        --v->coarse, v->average_ms = 0.5 * (too_slow + quick);
    return v->coarse;
}

// The eye has moved: what stood still does not any more.
static void note_motion(struct view *v)
{
    if (memcmp(&v->look.camera, &v->eye.from, sizeof v->eye.from) != 0 ||
        memcmp(&v->look.target, &v->eye.to, sizeof v->eye.to) != 0)
        v->moved_at = v->clock;
}

bool view_point(const struct view *v, tarn_vec3 p, double *x, double *y)
{
    if (!v->picture[0] || !draw_project(v->draw, p, x, y)) return false;
    *x *= (double)v->width / v->picture[0];
    *y *= (double)v->height / v->picture[1];
    return true;
}

bool view_ray(const struct view *v, double x, double y, tarn_vec3 *from, tarn_vec3 *way)
{
    return draw_unproject(v->draw, x * v->picture[0] / v->width, y * v->picture[1] / v->height, from, way);
}

// A paused world that nobody touches looks as it did: nothing to do but show it.
static bool is_drawn(const struct view *v)
{
    return v->news.paused && v->drawn_state == v->news.states && v->drawn_size[0] == v->picture[0] &&
           v->drawn_size[1] == v->picture[1] && memcmp(&v->drawn_look, &v->look, sizeof v->look) == 0;
}

static bool draw_anew(struct view *v, const tarn_frame *f)
{
    // While it runs, every picture is another blend of the same two states.
    v->drawn_state = v->news.paused ? v->news.states : -1;
    v->drawn_look = v->look;
    memcpy(v->drawn_size, v->picture, sizeof v->picture);
    if (draw_resize(v->draw, v->picture[0], v->picture[1]) == TARN_OK &&
        draw_frame(v->draw, f, &v->look) == TARN_OK)
        return true;
    ++v->gl_errors;
    v->drawn_state = -1;
    return false;
}

void picture_draw(struct view *v, const tarn_frame *f)
{
    v->flat = f->flat;
    for (int k = 0; k < VIEW_MAX_VIEWS && draw_view_name(k); ++k)
        v->lacks_view[k] = !draw_view_is_available(draw_view_name(k), f);
    meet_scene(v, f);
    eye_follow(&v->eye, f);
    note_motion(v);
    v->look.camera = v->eye.from, v->look.target = v->eye.to;
    const int coarse = choose_coarseness(v), w = v->width / coarse, h = v->height / coarse;
    v->picture[0] = w < 16 ? 16 : w, v->picture[1] = h < 16 ? 16 : h;
    if (!is_drawn(v) && !draw_anew(v, f)) return;
    if (v->want_picture) shoot_picture(v);
    v->want_picture = false;
    shoot_frame(v);
    draw_present(v->draw, v->width, v->height);
}
