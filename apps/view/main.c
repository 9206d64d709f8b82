// tarn-view: the window. Draws at the display's rate; the water runs in sim.c.
#define _POSIX_C_SOURCE 200809L
#include "thumbs.h"
#include "view.h"

#include <epoxy/gl.h>
#define GLFW_INCLUDE_NONE
#include <GLFW/glfw3.h>

#include <math.h>
#include <stdlib.h>
#include <string.h>

static int read_options(struct view *v, int argc, char **argv, int *words)
{
    static const struct usage usage = {
        "tarn view [SCENE [MESH...]] [options]",
        "Opens a window on a scene: turn, move and zoom the camera, take bodies and throw them, poke and "
        "stir the water,\n"
        "change parameters, record a video. Without SCENE it begins with the gallery. F1 shows the keys.\n"
        "A MESH (OBJ, PLY, STL, glTF) falls into the scene, as one that is dropped on the window does.\n",
        "  tarn view\n  tarn view pool\n  tarn view pond --set fluid.depth=2 --journal pond.tarn\n",
        0,
        -1,
    };
    const struct option options[] = {
        {OPTION_TEXT, "size", 0, "WxH", &v->size, 0, 0, "of the window (1280x720)"},
        {OPTION_FLAG, "full-screen", 0, NULL, &v->full_screen, 0, 0, "the whole screen"},
        {OPTION_FLAG, "fast", 0, NULL, &v->fast, 0, 0, "plainer and quicker (by itself on software GL)"},
        {OPTION_FLAG, "fine", 0, NULL, &v->fine, 0, 0, "the full picture, on software GL too"},
        {OPTION_LIST, "set", 0, "KEY=VALUE", &v->sets, 0, 0, "change a value of the scene; may be repeated"},
        {OPTION_TEXT, "journal", 0, "FILE", &v->journal, 0, 0,
         "at the end write what was done, for `tarn replay`"},
        {OPTION_INTEGER, "hash-every", 0, "N", &v->hash_every, 1, 1000000, "a hash in it every N steps (60)"},
        {OPTION_TEXT, "output", 'o', "DIR", &v->folder, 0, 0, "where pictures and files go (.)"},
        {OPTION_INTEGER, "threads", 0, "N", &v->threads, 1, MOST_THREADS,
         "as many threads (one per processor, at most 8); the same results"},
        {OPTION_FLAG, "keys", 0, NULL, &v->keys, 0, 0, "print the keys and leave"},
        {OPTION_FLAG, "ask", 0, NULL, &v->ask, 0, 0, "answer questions on stdin with JSON lines (for tests)"},
        {OPTION_END, NULL, 0, NULL, NULL, 0, 0, NULL},
    };
    return options_read(&usage, options, argc, argv, words);
}

// ---- the window -----------------------------------------------------------------------------------

static char glfw_words[256]; // GLFW has one callback for errors, without a place to write to

static void on_error(int code, const char *words)
{
    (void)code;
    snprintf(glfw_words, sizeof glfw_words, "%s", words);
}

static struct view *of(GLFWwindow *w) { return glfwGetWindowUserPointer(w); }

static void on_key(GLFWwindow *w, int key, int scancode, int action, int mods)
{
    (void)scancode;
    if (action == GLFW_PRESS && !ui_has_keys()) keys_press(of(w), key, mods);
}

static void on_button(GLFWwindow *w, int button, int action, int mods)
{
    hand_button(of(w), button, action, mods);
}

static void on_move(GLFWwindow *w, double x, double y)
{
    int ww, wh, fw, fh;
    glfwGetWindowSize(w, &ww, &wh);
    glfwGetFramebufferSize(w, &fw, &fh);
    hand_move(of(w), ww ? x * fw / ww : x, wh ? y * fh / wh : y);
}

static void on_wheel(GLFWwindow *w, double dx, double dy)
{
    (void)dx;
    hand_wheel(of(w), dy);
}

static void on_drop(GLFWwindow *w, int count, const char **paths)
{
    struct view *v = of(w);
    if (count < 1) return;
    const char *dot = strrchr(paths[0], '.');
    if (dot && strcmp(dot, ".json") == 0)
        view_open(v, paths[0]);
    else
        palette_spawn_mesh(v, paths[0]);
}

static int no_window(void)
{
    const char *display = getenv("DISPLAY"), *wayland = getenv("WAYLAND_DISPLAY");
    if (!(display && *display) && !(wayland && *wayland))
        return complain(TARN_FAILED,
                        "there is no display: neither DISPLAY nor WAYLAND_DISPLAY is set. Run it on a "
                        "desktop, through `ssh -X`, or under `xvfb-run -a`; `tarn render` makes pictures "
                        "without one");
    return complain(TARN_FAILED,
                    "the display '%s' cannot be opened: %s. `tarn render` makes pictures without one",
                    display && *display ? display : wayland, glfw_words);
}

// Why there is no 3.3: ask for any version and tell which one is there.
static int no_gl(void)
{
    char why[256] = "";
    glfwDefaultWindowHints();
    glfwWindowHint(GLFW_VISIBLE, GLFW_FALSE);
    GLFWwindow *w = glfwCreateWindow(64, 64, "tarn", NULL, NULL);
    if (w) {
        glfwMakeContextCurrent(w);
        const char *version = (const char *)glGetString(GL_VERSION),
                   *renderer = (const char *)glGetString(GL_RENDERER);
        snprintf(why, sizeof why, "OpenGL %.60s is there (%.80s), and 3.3 is needed",
                 version ? version : "without a version", renderer ? renderer : "unknown");
        glfwDestroyWindow(w);
    }
    return complain(TARN_FAILED,
                    "%s: a newer graphics driver may have it, or Mesa's own (LIBGL_ALWAYS_SOFTWARE=1)",
                    why[0] ? why : glfw_words);
}

static int read_size(const struct view *v, int *w, int *h)
{
    *w = 1280, *h = 720;
    if (!v->size ||
        (sscanf(v->size, "%5dx%5d", w, h) == 2 && *w >= 320 && *h >= 240 && *w <= 8192 && *h <= 8192))
        return 0;
    return complain(TARN_BAD_ARGUMENT,
                    "--size %s: width and height are wanted, as in 1280x720, 320x240 at least", v->size);
}

static int open_window(struct view *v)
{
    int w, h;
    const int code = read_size(v, &w, &h);
    if (code != 0) return code;
    glfwSetErrorCallback(on_error);
    if (!glfwInit()) return no_window();
    glfwWindowHint(GLFW_CONTEXT_VERSION_MAJOR, 3);
    glfwWindowHint(GLFW_CONTEXT_VERSION_MINOR, 3);
    glfwWindowHint(GLFW_OPENGL_PROFILE, GLFW_OPENGL_CORE_PROFILE);
    glfwWindowHint(GLFW_OPENGL_FORWARD_COMPAT, GLFW_TRUE);
    glfwWindowHint(GLFW_DEPTH_BITS, 0); // the renderer has buffers of its own
    glfwWindowHint(GLFW_STENCIL_BITS, 0);
    v->window = glfwCreateWindow(w, h, "tarn", NULL, NULL);
    if (!v->window) return no_gl();
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

// Software GL gets the quick picture by itself.
static bool is_software(void)
{
    const char *name = (const char *)glGetString(GL_RENDERER);
    return name && (strstr(name, "llvmpipe") || strstr(name, "softpipe") || strstr(name, "SwiftShader"));
}

// The picture, beside the panel if there is one. Even numbers of pixels, for videos.
static void measure(struct view *v)
{
    glfwGetFramebufferSize(v->window, &v->window_size[0], &v->window_size[1]);
    const int w = v->window_size[0] - (v->show_panel && !v->start_page ? panel_width(v) : 0),
              h = v->window_size[1];
    v->width = w < 16 ? 16 : w & ~1;
    v->height = h < 16 ? 16 : h & ~1;
}

static int open_draw(struct view *v)
{
    char why[256];
    float scale_y;
    glfwGetWindowContentScale(v->window, &v->scale, &scale_y);
    v->software = is_software();
    measure(v);
    const struct draw_setup setup = {.api = DRAW_GL,
                                     .width = v->width,
                                     .height = v->height,
                                     .low_quality = v->fast || (v->software && !v->fine),
                                     .context = DRAW_CURRENT_CONTEXT};
    v->draw = draw_create(&setup, why);
    if (!v->draw) return complain(TARN_FAILED, "%s", why);
    v->ui = ui_create(v->window, v->scale);
    return v->ui ? 0 : complain(TARN_NO_MEMORY, "%s", result_text(TARN_NO_MEMORY));
}

// ---- scenes ---------------------------------------------------------------------------------------

bool view_open(struct view *v, const char *path)
{
    char why[SIM_WORDS], title[200];
    hand_let_go(v);
    shoot_end(v);
    const bool own = v->scene && strcmp(path, v->scene) == 0; // --set is for the scene of the command line
    if (!sim_open(v->sim, path, v->sets.items, own ? v->sets.count : 0, why)) {
        view_say(v, "%s", why);
        return false;
    }
    snprintf(v->path, sizeof v->path, "%s", path);
    scene_short_name(path, v->name, sizeof v->name);
    snprintf(title, sizeof title, "%s - tarn", v->name);
    glfwSetWindowTitle(v->window, title);
    v->start_page = false;
    v->placing = false;
    v->tool = TOOL_FINGER;
    v->kept[0] = v->kept[1] = 0.0;
    v->chosen = (tarn_body){0};
    return true;
}

const struct sim_param *view_param(const struct view *v, const char *path)
{
    for (int k = 0; k < v->param_count; ++k)
        if (strcmp(v->params[k].path, path) == 0) return &v->params[k];
    return NULL;
}

void view_set(struct view *v, const char *path, tarn_value value)
{
    tarn_command c = {.kind = TARN_SET, .value = value};
    snprintf(c.path, sizeof c.path, "%s", path);
    sim_command(v->sim, &c);
}

// ---- frames ---------------------------------------------------------------------------------------

static void note_time(struct view *v)
{
    const double now = clock_seconds();
    v->frame_ms = 1e3 * (now - v->clock);
    v->clock = now;
    v->frame_times[v->frame_next] = (float)v->frame_ms;
    v->frame_next = (v->frame_next + 1) % VIEW_FRAMES;
    if (v->frame_count < VIEW_FRAMES) ++v->frame_count;
    ++v->frames;
}

static void gather_news(struct view *v)
{
    sim_news(v->sim, &v->news);
    v->body_count = sim_bodies(v->sim, v->bodies, VIEW_BODIES);
    v->param_count = sim_params(v->sim, v->params, VIEW_PARAMS);
    if (v->news.failed != v->failed) {
        v->failed = v->news.failed;
        view_say(v, "%s", v->news.trouble);
    }
}

// Not more than 100 pictures a second where nobody waits for a display, and 20 of a world that stands still; events end
// the wait.
static void wait_events(const struct view *v)
{
    const double least = v->news.paused && !v->ask && v->clock > v->words_until ? 0.05 : 0.01;
    const double left = least - (clock_seconds() - v->clock);
    if (left > 0.0)
        glfwWaitEventsTimeout(left);
    else
        glfwPollEvents();
}

static void one_frame(struct view *v)
{
    wait_events(v);
    const double before = v->clock;
    note_time(v);
    measure(v);
    gather_news(v);
    keys_fly(v, fmin(v->clock - before, 0.1));
    glBindFramebuffer(GL_FRAMEBUFFER, 0);
    glClearColor(0.05f, 0.07f, 0.09f, 1.0f);
    glClear(GL_COLOR_BUFFER_BIT);
    const bool looks = !v->start_page;
    const tarn_frame *f = looks ? sim_look(v->sim) : NULL;
    if (f) picture_draw(v, f);
    ui_begin(v->ui);
    if (f) {
        hand_frame(v, f);
        v->frame_bodies = f->bodies, v->frame_body_count = f->body_count;
        overlay_draw(v, f);
    }
    if (looks) sim_looked(v->sim);
    if (v->start_page)
        start_draw(v);
    else
        panel_draw(v);
    overlay_words(v);
    ui_end(v->ui);
    while (glGetError() != GL_NO_ERROR) ++v->gl_errors;
    glfwSwapBuffers(v->window);
    ask_answer(v, f);
}

static int run(struct view *v)
{
    char why[SIM_WORDS];
    while (!glfwWindowShouldClose(v->window) && !v->quit && !signal_caught()) one_frame(v);
    hand_let_go(v);
    shoot_end(v);
    if (v->journal && v->news.there && !sim_save_journal(v->sim, v->journal, why))
        return complain(TARN_IO, "%s", why);
    if (v->gl_errors) return complain(TARN_FAILED, "the graphics driver complained %lld times", v->gl_errors);
    return signal_caught() ? 128 + signal_caught() : 0;
}

static int start(struct view *v, int words, char **argv)
{
    static char path[4096]; // v->scene keeps the pointer
    int code = words > 0 ? gallery_find(argv[1], path, sizeof path) : 0;
    if (code == 0) code = open_window(v);
    if (code == 0) code = open_draw(v);
    if (code != 0) return code;
    // A processor is left to the window where it draws by itself.
    if (!v->threads && v->software && processor_count() <= 8)
        v->threads = processor_count() > 1 ? processor_count() - 1 : 1;
    const tarn_host host = program_host(v->threads, 1);
    v->sim = sim_create(&host, v->hash_every);
    if (!v->sim) return complain(TARN_NO_MEMORY, "%s", result_text(TARN_NO_MEMORY));
    view_list_scenes(v);
    v->clock = clock_seconds();
    v->start_page = true;
    if (words > 0) {
        v->scene = path;
        v->meshes_wanted = argv + 2, v->meshes_left = words - 1;
        if (!view_open(v, path)) return complain(TARN_BAD_INPUT, "%s", v->words);
    }
    if (v->full_screen) keys_press(v, GLFW_KEY_F11, 0);
    return run(v);
}

int main(int argc, char **argv)
{
    static struct view v = {.folder = ".",
                            .coarse = 1,
                            .hash_every = 60,
                            .shape_density = 400.0,
                            .shape_size = 0.4,
                            .poke_radius = 0.3};
    int words;

    streams_guard();
    signals_ignore();
    int code = read_options(&v, argc, argv, &words);
    if (code >= 0) return code;
    if (v.keys) return keys_print();
    signals_catch(1);
    code = start(&v, words, argv);
    for (int k = 0; k < v.card_count; ++k) thumbs_forget(v.cards[k].texture);
    thumbs_destroy(v.thumbs);
    sim_destroy(v.sim);
    ui_destroy(v.ui);
    draw_destroy(v.draw);
    if (v.window) glfwDestroyWindow(v.window);
    glfwTerminate();
    palette_free_meshes(&v);
    free(v.cards);
    free(v.pixels);
    return code;
}
