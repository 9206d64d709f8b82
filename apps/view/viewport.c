// The picture of a frame in the window: which view of it, how fine.
#include "../cli/look.h"
#include "viewer.h"

#include <math.h>
#include <string.h>

// The first frame of a new scene chooses the camera; a reset leaves it where it is.
static void meet_scene(struct viewer *v, const tarn_frame *f)
{
    static char last[4096];
    if (v->world_id == v->status.world_id) return;
    v->world_id = v->status.world_id;
    if (strcmp(last, v->path) == 0) return;
    snprintf(last, sizeof last, "%s", v->path);
    const tarn_scene_facts *facts = &v->status.scene;
    look_choose(facts, NULL, &v->view);
    camera_init(&v->camera, f, v->view.from, v->view.to);
    if (f->flat && strcmp(v->view.name, draw_view_name(0)) == 0) // what is seen of it, see draw.c
        snprintf(v->view.name, sizeof v->view.name, "dye");
    if (strcmp(v->view.name, "top") == 0) { // a camera here
        snprintf(v->view.name, sizeof v->view.name, "%s", draw_view_name(0));
        camera_set_mode(&v->camera, CAMERA_TOP);
    }
    v->brush_radius = 0.05 * v->camera.extent;
    v->spawn_size = fmin(0.08 * v->camera.extent, 5.0);
    v->show_panel = v->window_size[0] >= 800;
    for (; v->initial_mesh_count > 0; --v->initial_mesh_count) spawn_mesh(v, *v->initial_meshes++);
}

bool view_is_available(const struct viewer *v, const char *name)
{
    const struct {
        const char *name;
        bool there;
    } rules[] = {{"perspective", !v->planar},
                 {"top", false}, // there is a camera for that
                 {"height", !v->planar},
                 {"depth", !v->planar},
                 {"dye", v->has_dye},
                 {"temperature", v->has_temperature},
                 {"smoke", v->has_temperature && v->has_dye},
                 {"pressure", v->has_pressure}};
    for (size_t k = 0; k < sizeof rules / sizeof rules[0]; ++k)
        if (strcmp(rules[k].name, name) == 0) return rules[k].there;
    return true;
}

bool is_field_view(const struct viewer *v)
{
    return v->planar || strcmp(v->view.name, draw_view_name(0)) != 0;
}

void set_view(struct viewer *v, const char *name)
{
    snprintf(v->view.name, sizeof v->view.name, "%s", name);
    v->view.lo = v->view.hi = 0.0;
    v->view.map[0] = '\0';
}

// ---- how fine --------------------------------------------------------------------------------------

// Software draws some five million pixels a second and core. Where that is too slow for a hand to follow, every pixel
// stands for several; a picture that stands still, is saved or filmed has all of them.
enum { COARSEST = 3 };
static const double too_slow = 70.0, quick = 22.0; // [ms] a frame, on average
static const double calm = 0.4;                    // [s] after which a paused picture becomes fine

static int choose_coarseness(struct viewer *v)
{
    const bool moving =
        !v->status.paused || v->mouse_mode != MOUSE_IDLE || v->clock - v->camera_moved_time < calm;
    // A sheet is cheap, and has small letters.
    if (!v->software || v->full_quality || v->recording_video || v->screenshot_requested ||
        is_field_view(v) || !moving)
        return 1;
    v->average_ms += 0.2 * (fmin(v->frame_ms, 400.0) - v->average_ms);
    if (v->average_ms > too_slow && v->downscale < COARSEST)
        ++v->downscale, v->average_ms = 0.5 * (too_slow + quick);
    else if (v->average_ms < quick && v->downscale > 1)
        --v->downscale, v->average_ms = 0.5 * (too_slow + quick);
    return v->downscale;
}

// The eye has moved: what stood still does not any more.
static void note_motion(struct viewer *v)
{
    if (memcmp(&v->view.from, &v->camera.position, sizeof v->camera.position) != 0 ||
        memcmp(&v->view.to, &v->camera.target, sizeof v->camera.target) != 0)
        v->camera_moved_time = v->clock;
}

bool viewer_project(const struct viewer *v, tarn_vec3 p, double *x, double *y)
{
    if (!v->render_size[0] || !draw_point(v->draw, p, x, y)) return false;
    *x *= (double)v->width / v->render_size[0];
    *y *= (double)v->height / v->render_size[1];
    return true;
}

bool viewer_unproject(const struct viewer *v, double x, double y, tarn_vec3 *from, tarn_vec3 *way)
{
    return draw_ray(v->draw, x * v->render_size[0] / v->width, y * v->render_size[1] / v->height, from, way);
}

// A paused world that nobody touches looks as it did: nothing to do but show it.
static bool is_drawn(const struct viewer *v)
{
    return v->status.paused && v->drawn_frame_id == v->status.frame_id &&
           v->drawn_size[0] == v->render_size[0] && v->drawn_size[1] == v->render_size[1] &&
           memcmp(&v->drawn_view, &v->view, sizeof v->view) == 0;
}

static bool draw_anew(struct viewer *v, const tarn_frame *f)
{
    // While it runs, every picture is another blend of the same two states.
    v->drawn_frame_id = v->status.paused ? v->status.frame_id : -1;
    v->drawn_view = v->view;
    memcpy(v->drawn_size, v->render_size, sizeof v->render_size);
    if (draw_resize(v->draw, v->render_size[0], v->render_size[1]) == TARN_OK &&
        draw_frame(v->draw, f, &v->view) == TARN_OK)
        return true;
    ++v->gl_errors;
    v->drawn_frame_id = -1;
    return false;
}

void viewport_draw(struct viewer *v, const tarn_frame *f)
{
    v->planar = f->flat, v->has_dye = f->dye, v->has_temperature = f->heat, v->has_pressure = f->pressure;
    meet_scene(v, f);
    camera_follow(&v->camera, f);
    note_motion(v);
    v->view.from = v->camera.position, v->view.to = v->camera.target;
    const int coarse = choose_coarseness(v), w = v->width / coarse, h = v->height / coarse;
    v->render_size[0] = w < 16 ? 16 : w, v->render_size[1] = h < 16 ? 16 : h;
    if (!is_drawn(v) && !draw_anew(v, f)) return;
    if (v->screenshot_requested) capture_screenshot(v);
    v->screenshot_requested = false;
    capture_video_frame(v);
    draw_show(v->draw, v->width, v->height);
}
