// Drawing of a frame into the window: choice of view and camera for a new scene, and adaptive resolution.
// Called by the frame loop in main.c.
#include "apps/common/scene_camera.h"
#include "viewer.h"

#include <math.h>
#include <string.h>

// The first frame of a new scene sets view, camera and brush; a reset of the same scene keeps them.
static void init_for_scene(struct viewer *v, const tarn_frame *f)
{
    if (v->world_id == v->status.world_id) return;
    v->world_id = v->status.world_id;
    if (strcmp(v->initialised_path, v->path) == 0) return;
    snprintf(v->initialised_path, sizeof v->initialised_path, "%s", v->path);
    const tarn_scene_info *info = &v->status.scene;
    scene_default_view(info, NULL, &v->view);
    camera_init(&v->camera, f, v->view.camera, v->view.target);
    if (f->planar && strcmp(v->view.name, draw_view_name(0)) == 0) // the planar model has no perspective view
        snprintf(v->view.name, sizeof v->view.name, "dye");
    if (strcmp(v->view.name, "top") == 0) { // in the viewer this is a camera mode
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
    if (strcmp(name, "top") == 0) return false; // a camera mode replaces it
    for (int k = 0; k < MAX_VIEWS && draw_view_name(k); ++k)
        if (strcmp(draw_view_name(k), name) == 0) return !v->lacks_view[k];
    return true;
}

bool is_field_view(const struct viewer *v)
{
    return v->planar || strcmp(v->view.name, draw_view_name(0)) != 0;
}

void set_view(struct viewer *v, const char *name)
{
    snprintf(v->view.name, sizeof v->view.name, "%s", name);
    v->view.range_min = v->view.range_max = 0.0;
    v->view.colormap[0] = '\0';
}

// ---- adaptive resolution ---------------------------------------------------------------------------

// A software rasterizer draws about five million pixels per second and core. If that is too slow for
// interaction, the image is rendered at a lower resolution; images that are still, saved or recorded have the
// full resolution.
enum { MAX_DOWNSCALE = 3 };
static const double slow_frame = 70.0, fast_frame = 22.0; // [ms] on average
static const double still_time = 0.4; // [s] without motion after which a paused image gets full resolution

static int choose_downscale(struct viewer *v)
{
    const bool moving =
        !v->status.paused || v->mouse_mode != MOUSE_IDLE || v->clock - v->camera_moved_time < still_time;
    // Plots of fields are fast to draw and have small text.
    if (!v->software || v->full_quality || v->recording_video || v->screenshot_requested ||
        is_field_view(v) || !moving)
        return 1;
    v->average_ms += 0.2 * (fmin(v->frame_ms, 400.0) - v->average_ms);
    if (v->average_ms > slow_frame && v->downscale < MAX_DOWNSCALE)
        ++v->downscale, v->average_ms = 0.5 * (slow_frame + fast_frame);
    else if (v->average_ms < fast_frame && v->downscale > 1)
        --v->downscale, v->average_ms = 0.5 * (slow_frame + fast_frame);
    return v->downscale;
}

static void record_camera_motion(struct viewer *v)
{
    if (memcmp(&v->view.camera, &v->camera.position, sizeof v->camera.position) != 0 ||
        memcmp(&v->view.target, &v->camera.target, sizeof v->camera.target) != 0)
        v->camera_moved_time = v->clock;
}

bool viewer_project(const struct viewer *v, tarn_vec3 p, double *x, double *y)
{
    if (!v->render_size[0] || !draw_project(v->draw, p, x, y)) return false;
    *x *= (double)v->width / v->render_size[0];
    *y *= (double)v->height / v->render_size[1];
    return true;
}

bool viewer_unproject(const struct viewer *v, double x, double y, tarn_vec3 *origin, tarn_vec3 *direction)
{
    return draw_unproject(v->draw, x * v->render_size[0] / v->width, y * v->render_size[1] / v->height,
                          origin, direction);
}

// ---- drawing ---------------------------------------------------------------------------------------

// Whether the last rendered image is still valid: the world is paused and neither frame, view nor size
// changed.
static bool is_image_valid(const struct viewer *v)
{
    return v->status.paused && v->drawn_frame_id == v->status.frame_id &&
           v->drawn_size[0] == v->render_size[0] && v->drawn_size[1] == v->render_size[1] &&
           memcmp(&v->drawn_view, &v->view, sizeof v->view) == 0;
}

static bool render_image(struct viewer *v, const tarn_frame *f)
{
    // While the world runs, every image shows another interpolation of the last two states.
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
    v->planar = f->planar;
    for (int k = 0; k < MAX_VIEWS && draw_view_name(k); ++k)
        v->lacks_view[k] = !draw_view_is_available(draw_view_name(k), f);
    init_for_scene(v, f);
    camera_follow(&v->camera, f);
    record_camera_motion(v);
    v->view.camera = v->camera.position, v->view.target = v->camera.target;
    const int downscale = choose_downscale(v), w = v->width / downscale, h = v->height / downscale;
    v->render_size[0] = w < 16 ? 16 : w, v->render_size[1] = h < 16 ? 16 : h;
    if (!is_image_valid(v) && !render_image(v, f)) return;
    if (v->screenshot_requested) capture_screenshot(v);
    v->screenshot_requested = false;
    capture_video_frame(v);
    draw_present(v->draw, v->width, v->height);
}
