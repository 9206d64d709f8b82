// tarn-view, the interactive window: command line, window creation and the frame loop. It draws at the
// display's rate; the simulation runs in a thread of its own (sim_thread.c). `tarn view` starts this program.
#define _POSIX_C_SOURCE 200809L
#include "ui/thumbnails.h"
#include "viewer.h"

#include <epoxy/gl.h>
#define GLFW_INCLUDE_NONE
#include <GLFW/glfw3.h>

#include <math.h>
#include <stdlib.h>
#include <string.h>

static enum parse_result parse_view_options(struct viewer *v, int argc, char **argv, struct args *args)
{
    const struct option options[] = {
        {OPTION_SIZE, "size", 0, "WxH", v->initial_size, 240, 8192, "size of the window (1280x720)"},
        {OPTION_FLAG, "full-screen", 0, NULL, &v->full_screen, 0, 0, "start in full screen"},
        {OPTION_FLAG, "low-quality", 0, NULL, &v->low_quality, 0, 0,
         "lower image quality (default with software OpenGL)"},
        {OPTION_FLAG, "full-quality", 0, NULL, &v->full_quality, 0, 0,
         "full image quality, also with software OpenGL"},
        SET_OPTION(&v->overrides),
        {OPTION_TEXT, "record", 0, "FILE", &v->recording_path, 0, 0,
         "write a recording for `tarn replay` on exit"},
        {OPTION_INTEGER, "hash-interval", 0, "N", &v->hash_every, 1, 1000000,
         "steps between hashes in the recording (60)"},
        {OPTION_TEXT, "output", 'o', "DIR", &v->output_dir, 0, 0, "folder for saved files (.)"},
        THREADS_OPTION(&v->threads),
        {OPTION_FLAG, "keys", 0, NULL, &v->print_keys, 0, 0, "print the keys and exit"},
        {OPTION_FLAG, "test-server", 0, NULL, &v->test_server, 0, 0, NULL},
        OPTIONS_END,
    };
    const struct command_spec spec = {
        "tarn view [SCENE [MESH...]] [options]",
        "Opens a scene in an interactive window: move the camera, grab and throw bodies, poke and stir the\n"
        "water, change parameters, record a video. Without SCENE it shows the gallery. F1 lists the keys.\n"
        "Each MESH (OBJ, PLY, STL, glTF) is added as a body, like a file that is dropped on the window.\n",
        "  tarn view\n  tarn view pool\n  tarn view pond --set fluid.depth=2 --record pond.recording\n",
        0,
        -1,
        options,
    };
    return parse_options(&spec, argc, argv, args);
}

// ---- window ---------------------------------------------------------------------------------------

static const char *glfw_error(void)
{
    const char *description = NULL;
    glfwGetError(&description);
    return description ? description : "unknown error of GLFW";
}

static struct viewer *viewer_of(GLFWwindow *w) { return glfwGetWindowUserPointer(w); }

static void on_key(GLFWwindow *w, int key, int scancode, int action, int mods)
{
    (void)scancode;
    if (action == GLFW_PRESS && !ui_has_keys()) keys_press(viewer_of(w), key, mods);
}

static void on_button(GLFWwindow *w, int button, int action, int mods)
{
    mouse_button(viewer_of(w), button, action, mods);
}

// GLFW gives window coordinates; the viewer uses pixels of the framebuffer.
static void on_move(GLFWwindow *w, double x, double y)
{
    int window_w, window_h, pixels_w, pixels_h;
    glfwGetWindowSize(w, &window_w, &window_h);
    glfwGetFramebufferSize(w, &pixels_w, &pixels_h);
    mouse_move(viewer_of(w), window_w ? x * pixels_w / window_w : x, window_h ? y * pixels_h / window_h : y);
}

static void on_wheel(GLFWwindow *w, double dx, double dy)
{
    (void)dx;
    mouse_wheel(viewer_of(w), dy);
}

static void on_drop(GLFWwindow *w, int count, const char **paths)
{
    struct viewer *v = viewer_of(w);
    if (count < 1) return;
    const char *dot = strrchr(paths[0], '.');
    if (dot && strcmp(dot, ".json") == 0)
        viewer_open_scene(v, paths[0]);
    else
        spawn_mesh(v, paths[0]);
}

static int report_no_display(void)
{
    const char *display = getenv("DISPLAY"), *wayland = getenv("WAYLAND_DISPLAY");
    if (!(display && *display) && !(wayland && *wayland))
        return print_error(TARN_FAILED,
                           "there is no display: neither DISPLAY nor WAYLAND_DISPLAY is set. Run it on a "
                           "desktop, through `ssh -X`, or under `xvfb-run -a`; `tarn render` draws images "
                           "without a display");
    return print_error(TARN_FAILED,
                       "the display '%s' cannot be opened: %s. `tarn render` draws images without a display",
                       display && *display ? display : wayland, glfw_error());
}

// OpenGL 3.3 is not available: create a context of any version to report which one is.
static int report_no_gl(void)
{
    char found[256] = "";
    snprintf(found, sizeof found, "%s", glfw_error());
    glfwDefaultWindowHints();
    glfwWindowHint(GLFW_VISIBLE, GLFW_FALSE);
    GLFWwindow *w = glfwCreateWindow(64, 64, "tarn", NULL, NULL);
    if (w) {
        glfwMakeContextCurrent(w);
        const char *version = (const char *)glGetString(GL_VERSION),
                   *renderer = (const char *)glGetString(GL_RENDERER);
        snprintf(found, sizeof found, "OpenGL 3.3 is needed, found %.60s (%.80s)",
                 version ? version : "no version", renderer ? renderer : "unknown renderer");
        glfwDestroyWindow(w);
    }
    return print_error(TARN_FAILED, "%s; update the graphics driver, or use Mesa (LIBGL_ALWAYS_SOFTWARE=1)",
                       found);
}

static int open_window(struct viewer *v)
{
    if (!glfwInit()) return report_no_display();
    glfwWindowHint(GLFW_CONTEXT_VERSION_MAJOR, 3);
    glfwWindowHint(GLFW_CONTEXT_VERSION_MINOR, 3);
    glfwWindowHint(GLFW_OPENGL_PROFILE, GLFW_OPENGL_CORE_PROFILE);
    glfwWindowHint(GLFW_OPENGL_FORWARD_COMPAT, GLFW_TRUE);
    glfwWindowHint(GLFW_DEPTH_BITS, 0); // the renderer uses framebuffers of its own
    glfwWindowHint(GLFW_STENCIL_BITS, 0);
    v->window = glfwCreateWindow(v->initial_size[0], v->initial_size[1], "tarn", NULL, NULL);
    if (!v->window) return report_no_gl();
    glfwSetWindowSizeLimits(v->window, 320, 240, GLFW_DONT_CARE, GLFW_DONT_CARE);
    glfwMakeContextCurrent(v->window);
    glfwSwapInterval(1);
    glfwSetWindowUserPointer(v->window, v);
    glfwSetKeyCallback(v->window, on_key);
    glfwSetMouseButtonCallback(v->window, on_button);
    glfwSetCursorPosCallback(v->window, on_move);
    glfwSetScrollCallback(v->window, on_wheel);
    glfwSetDropCallback(v->window, on_drop);
    return 0;
}

static bool is_software_renderer(void)
{
    const char *name = (const char *)glGetString(GL_RENDERER);
    return name && (strstr(name, "llvmpipe") || strstr(name, "softpipe") || strstr(name, "SwiftShader"));
}

// The viewport is what the panel leaves free. Width and height are even, as video encoders require.
static void update_viewport_size(struct viewer *v)
{
    glfwGetFramebufferSize(v->window, &v->window_size[0], &v->window_size[1]);
    const int w = v->window_size[0] - (v->show_panel && !v->show_gallery ? panel_width(v) : 0),
              h = v->window_size[1];
    v->width = w < 16 ? 16 : w & ~1;
    v->height = h < 16 ? 16 : h & ~1;
}

static int create_renderer(struct viewer *v)
{
    char error[256];
    float scale_y;
    glfwGetWindowContentScale(v->window, &v->ui_scale, &scale_y);
    v->software = is_software_renderer();
    update_viewport_size(v);
    const struct draw_setup setup = {.api = DRAW_GL,
                                     .width = v->width,
                                     .height = v->height,
                                     .low_quality = v->low_quality || (v->software && !v->full_quality),
                                     .context = DRAW_CURRENT_CONTEXT};
    v->draw = draw_create(&setup, error);
    if (!v->draw) return print_error(TARN_FAILED, "%s", error);
    v->ui = ui_create(v->window, v->ui_scale);
    return v->ui ? 0 : print_error(TARN_NO_MEMORY, "%s", result_message(TARN_NO_MEMORY));
}

// ---- scenes ---------------------------------------------------------------------------------------

bool viewer_open_scene(struct viewer *v, const char *path)
{
    char error[SIM_MESSAGE_BYTES], title[200];
    mouse_release(v);
    capture_end_video(v);
    const bool from_cli = v->scene && strcmp(path, v->scene) == 0; // --set applies to this scene only
    if (!sim_open_scene(v->sim, path, v->overrides.items, from_cli ? v->overrides.count : 0, error)) {
        viewer_message(v, "%s", error);
        return false;
    }
    snprintf(v->path, sizeof v->path, "%s", path);
    scene_name_of(path, v->name, sizeof v->name);
    snprintf(title, sizeof title, "%s - tarn", v->name);
    glfwSetWindowTitle(v->window, title);
    v->show_gallery = false;
    v->placing = false;
    v->brush = BRUSH_POKE;
    v->saved_values[0] = v->saved_values[1] = 0.0;
    v->selected = (tarn_body_id){0};
    return true;
}

const struct sim_param *viewer_find_param(const struct viewer *v, const char *path)
{
    for (int k = 0; k < v->param_count; ++k)
        if (strcmp(v->params[k].path, path) == 0) return &v->params[k];
    return NULL;
}

void viewer_set_param(struct viewer *v, const char *path, tarn_value value)
{
    tarn_command c = {.kind = TARN_COMMAND_SET_PARAM, .value = value};
    snprintf(c.path, sizeof c.path, "%s", path);
    sim_queue_command(v->sim, &c);
}

// ---- frames ---------------------------------------------------------------------------------------

static void update_frame_time(struct viewer *v)
{
    const double now = monotonic_seconds();
    v->frame_ms = 1e3 * (now - v->clock);
    v->clock = now;
    v->frame_times[v->frame_next] = (float)v->frame_ms;
    v->frame_next = (v->frame_next + 1) % VIEWER_FRAME_TIMES;
    if (v->frame_count < VIEWER_FRAME_TIMES) ++v->frame_count;
    ++v->frames;
}

static void update_status(struct viewer *v)
{
    sim_get_status(v->sim, &v->status);
    v->body_count = sim_get_bodies(v->sim, v->bodies, VIEWER_MAX_BODIES);
    v->param_count = sim_get_params(v->sim, v->params, VIEWER_MAX_PARAMS);
    if (v->status.failed_commands != v->reported_failures) {
        v->reported_failures = v->status.failed_commands;
        viewer_message(v, "%s", v->status.error);
    }
}

// Limit the frame rate to 100 per second, or 20 while the world is paused. Events end the wait.
static void wait_events(const struct viewer *v)
{
    const double min_frame_time =
        v->status.paused && !v->test_server && v->clock > v->message_until ? 0.05 : 0.01; // [s]
    const double remaining = min_frame_time - (monotonic_seconds() - v->clock);
    if (remaining > 0.0)
        glfwWaitEventsTimeout(remaining);
    else
        glfwPollEvents();
}

static void draw_one_frame(struct viewer *v)
{
    wait_events(v);
    const double previous = v->clock;
    update_frame_time(v);
    update_viewport_size(v);
    update_status(v);
    keys_fly(v, fmin(v->clock - previous, 0.1));
    glBindFramebuffer(GL_FRAMEBUFFER, 0);
    glClearColor(0.05f, 0.07f, 0.09f, 1.0f);
    glClear(GL_COLOR_BUFFER_BIT);
    const bool show_world = !v->show_gallery;
    const tarn_frame *f = show_world ? sim_acquire_frame(v->sim) : NULL;
    if (f) viewport_draw(v, f);
    ui_begin(v->ui);
    if (f) {
        mouse_update(v, f);
        v->frame_bodies = f->bodies, v->frame_body_count = f->body_count;
        overlay_draw(v, f);
    }
    if (show_world) sim_release_frame(v->sim);
    if (v->show_gallery)
        gallery_page_draw(v);
    else
        panel_draw(v);
    overlay_message(v);
    ui_end(v->ui);
    while (glGetError() != GL_NO_ERROR) ++v->gl_errors;
    glfwSwapBuffers(v->window);
    test_server_poll(v, f);
}

static int run_frame_loop(struct viewer *v)
{
    char error[SIM_MESSAGE_BYTES];
    while (!glfwWindowShouldClose(v->window) && !v->quit && !pending_signal()) draw_one_frame(v);
    mouse_release(v);
    capture_end_video(v);
    if (v->recording_path && v->status.has_world && !sim_save_recording(v->sim, v->recording_path, error))
        return print_error(TARN_IO, "%s", error);
    if (v->gl_errors) return print_error(TARN_FAILED, "OpenGL reported %lld errors", v->gl_errors);
    return pending_signal() ? 128 + pending_signal() : 0;
}

static int start(struct viewer *v, const struct args *args)
{
    static char path[4096]; // v->scene keeps the pointer
    int code = args->count > 0 ? find_scene(args->positional[0], path, sizeof path) : 0;
    if (code == 0) code = open_window(v);
    if (code == 0) code = create_renderer(v);
    if (code != 0) return code;
    // Software rendering needs a processor: leave one to the window.
    if (!v->threads && v->software && processor_count() <= 8)
        v->threads = processor_count() > 1 ? processor_count() - 1 : 1;
    const tarn_host host = app_host(v->threads, 1);
    v->sim = sim_create(&host, v->hash_every);
    if (!v->sim) return print_error(TARN_NO_MEMORY, "%s", result_message(TARN_NO_MEMORY));
    viewer_list_scenes(v);
    v->clock = monotonic_seconds();
    v->show_gallery = true;
    if (args->count > 0) {
        v->scene = path;
        v->initial_meshes = args->positional + 1, v->initial_mesh_count = args->count - 1;
        if (!viewer_open_scene(v, path)) return print_error(TARN_BAD_INPUT, "%s", v->message);
    }
    if (v->full_screen) keys_press(v, GLFW_KEY_F11, 0);
    return run_frame_loop(v);
}

int main(int argc, char **argv)
{
    static struct viewer v = {.output_dir = ".",
                              .downscale = 1,
                              .hash_every = 60,
                              .spawn_density = 400.0,
                              .initial_size = {1280, 720},
                              .spawn_size = 0.4,
                              .brush_radius = 0.3};
    struct args args;

    reserve_standard_fds();
    ignore_write_signals();
    const enum parse_result parsed = parse_view_options(&v, argc, argv, &args);
    if (parsed != PARSED) return parse_exit_code(parsed);
    if (v.print_keys) return keys_print();
    install_signal_handlers(1);
    int code = start(&v, &args);
    for (int k = 0; k < v.card_count; ++k) thumbnails_free_texture(v.cards[k].texture);
    thumbnails_destroy(v.thumbnails);
    sim_destroy(v.sim);
    ui_destroy(v.ui);
    draw_destroy(v.draw);
    if (v.window) glfwDestroyWindow(v.window);
    glfwTerminate();
    free(v.cards);
    free(v.pixels);
    return code;
}
