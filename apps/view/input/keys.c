// The key table: name, help text, GLFW key, modes and action of every key. The key list (F1), `tarn view
// --keys` and the tests read this table.
#include "../viewer.h"

#define GLFW_INCLUDE_NONE
#include <GLFW/glfw3.h>

#include <string.h>

// ---- actions --------------------------------------------------------------------------------------

static void toggle_pause(struct viewer *v, int argument)
{
    (void)argument;
    sim_pause(v->sim, !v->status.paused);
}

static void step_once(struct viewer *v, int argument)
{
    (void)argument;
    if (!v->status.paused) sim_pause(v->sim, true);
    sim_single_step(v->sim);
}

static void reset_world(struct viewer *v, int argument)
{
    (void)argument;
    char error[SIM_MESSAGE_BYTES];
    mouse_release(v);
    if (sim_reset(v->sim, error))
        viewer_message(v, "reset");
    else
        viewer_message(v, "%s", error);
}

static void change_speed(struct viewer *v, int argument)
{
    sim_set_speed(v->sim, argument > 0 ? v->status.speed * 2.0 : v->status.speed * 0.5);
    sim_get_status(v->sim, &v->status);
    viewer_message(v, "speed %g", v->status.speed);
}

static void open_scene(struct viewer *v, int argument)
{
    if (argument <= v->card_count) viewer_open_scene(v, v->cards[argument - 1].path);
}

static void next_view(struct viewer *v, int argument)
{
    (void)argument;
    int index = 0, count = 0;
    while (draw_view_name(count)) {
        if (strcmp(draw_view_name(count), v->view.name) == 0) index = count;
        ++count;
    }
    do index = (index + 1) % count;
    while (!view_is_available(v, draw_view_name(index)));
    set_view(v, draw_view_name(index));
    viewer_message(v, "view: %s", v->view.name);
}

static void next_camera(struct viewer *v, int argument)
{
    (void)argument;
    camera_set_mode(&v->camera, (enum camera_mode)((v->camera.mode + 1) % CAMERA_MODES));
    viewer_message(v, "camera: %s", camera_mode_name(v->camera.mode));
}

static void select_camera(struct viewer *v, int argument)
{
    if (argument == CAMERA_FOLLOW && v->selected.value) v->camera.followed = v->selected;
    camera_set_mode(&v->camera, (enum camera_mode)argument);
    viewer_message(v, "camera: %s", camera_mode_name(v->camera.mode));
}

static void next_brush(struct viewer *v, int argument)
{
    (void)argument;
    if (!can_sculpt_bed(v)) {
        viewer_message(v, "only the models shallow and implicit have a bed that can be changed");
        return;
    }
    v->brush = (enum brush)((v->brush + 1) % BRUSH_COUNT);
    viewer_message(v, "%s", brush_label(v->brush));
}

static void reset_camera(struct viewer *v, int argument)
{
    (void)argument;
    camera_reset(&v->camera);
}

enum { SHOW_KEYS, SHOW_PANEL, SHOW_ARROWS, SHOW_WATERLINES }; // arguments of toggle_display

static void toggle_display(struct viewer *v, int argument)
{
    bool *const flags[] = {[SHOW_KEYS] = &v->show_keys,
                           [SHOW_PANEL] = &v->show_panel,
                           [SHOW_ARROWS] = &v->show_arrows,
                           [SHOW_WATERLINES] = &v->show_waterlines};
    *flags[argument] = !*flags[argument];
}

static void toggle_full_screen(struct viewer *v, int argument)
{
    int *rect = v->windowed_rect;
    GLFWmonitor *monitor = glfwGetPrimaryMonitor();
    const GLFWvidmode *mode = monitor ? glfwGetVideoMode(monitor) : NULL;
    (void)argument;
    if (glfwGetWindowMonitor(v->window)) {
        glfwSetWindowMonitor(v->window, NULL, rect[0], rect[1], rect[2], rect[3], GLFW_DONT_CARE);
    } else if (mode) {
        glfwGetWindowPos(v->window, &rect[0], &rect[1]);
        glfwGetWindowSize(v->window, &rect[2], &rect[3]);
        glfwSetWindowMonitor(v->window, monitor, 0, 0, mode->width, mode->height, mode->refreshRate);
    }
}

static void request_screenshot(struct viewer *v, int argument)
{
    (void)argument;
    v->screenshot_requested = v->status.has_world;
}

static void toggle_video(struct viewer *v, int argument)
{
    (void)argument;
    capture_toggle_video(v);
}

static void throw_bottle(struct viewer *v, int argument)
{
    (void)argument;
    spawn_thrown_bottle(v);
}

static void remove_selected(struct viewer *v, int argument)
{
    (void)argument;
    if (!v->selected.value) return;
    mouse_release(v);
    sim_queue_command(v->sim, &(tarn_command){.kind = TARN_COMMAND_REMOVE, .body = v->selected});
    v->selected = (tarn_body_id){0};
}

static void toggle_emitter(struct viewer *v, int argument)
{
    emitter_toggle(v, argument ? "wavemaker" : "rain");
}

static void go_back(struct viewer *v, int argument)
{
    (void)argument;
    if (v->show_keys)
        v->show_keys = false;
    else if (v->placing)
        v->placing = false;
    else if (v->status.has_world)
        v->show_gallery = !v->show_gallery;
}

static void quit(struct viewer *v, int argument)
{
    (void)argument;
    v->quit = true;
}

enum { SAVE_SCENE, SAVE_CHECKPOINT, SAVE_RECORDING }; // arguments of save_file

static void save_file(struct viewer *v, int argument)
{
    char path[4096], error[SIM_MESSAGE_BYTES] = "there is no unused file name";
    bool ok = false;
    if (argument == SAVE_CHECKPOINT) {
        snprintf(path, sizeof path, "%.3900s/" CHECKPOINT_NAME, v->output_dir);
        ok = sim_save_checkpoint(v->sim, path, error);
    } else if (capture_free_path(v, argument == SAVE_SCENE ? "json" : "recording", path, sizeof path)) {
        ok = argument == SAVE_SCENE ? sim_save_scene(v->sim, path, error)
                                    : sim_save_recording(v->sim, path, error);
    }
    viewer_message(v, "%s%s", ok ? "saved " : "", ok ? path : error);
}

static void load_checkpoint(struct viewer *v, int argument)
{
    char path[4096], error[SIM_MESSAGE_BYTES];
    (void)argument;
    snprintf(path, sizeof path, "%.3900s/" CHECKPOINT_NAME, v->output_dir);
    mouse_release(v);
    const bool ok = sim_load_checkpoint(v->sim, path, error);
    if (ok) // the checkpoint may contain a grab, but no mouse button is down
        sim_queue_command(v->sim, &(tarn_command){.kind = TARN_COMMAND_RELEASE});
    viewer_message(v, "%s%s", ok ? "loaded " : "", ok ? path : error);
}

// ---- table ----------------------------------------------------------------------------------------

#define SCENE KEYS_SCENE
#define FLY   KEYS_FLY
#define FLOW  KEYS_FLOW
#define BOTH  (KEYS_SCENE | KEYS_FLY)
#define ANY   (KEYS_SCENE | KEYS_FLY | KEYS_FLOW)
#define CTRL  GLFW_MOD_CONTROL

static const struct key table[] = {
    {"pause", "pause or resume", GLFW_KEY_P, ANY, 0, toggle_pause, 0},
    {"pause", "the same", GLFW_KEY_SPACE, SCENE | FLOW, 0, toggle_pause, 0},
    {"step", "take one step, then pause", GLFW_KEY_N, ANY, 0, step_once, 0},
    {"reset", "reset to the start of the scene", GLFW_KEY_BACKSPACE, ANY, 0, reset_world, 0},
    {"faster", "double the speed", GLFW_KEY_EQUAL, ANY, 0, change_speed, 1},
    {"faster", "the same", GLFW_KEY_KP_ADD, ANY, 0, change_speed, 1},
    {"slower", "halve the speed", GLFW_KEY_MINUS, ANY, 0, change_speed, -1},
    {"slower", "the same", GLFW_KEY_KP_SUBTRACT, ANY, 0, change_speed, -1},
    {"view", "next view: perspective or a field", GLFW_KEY_TAB, ANY, 0, next_view, 0},
    {"camera", "next camera", GLFW_KEY_C, BOTH, 0, next_camera, 0},
    {"orbit", "camera: orbit around the scene", GLFW_KEY_O, BOTH, 0, select_camera, CAMERA_ORBIT},
    {"top", "camera: from above", GLFW_KEY_T, BOTH, 0, select_camera, CAMERA_TOP},
    {"side", "camera: from the side", GLFW_KEY_E, BOTH, 0, select_camera, CAMERA_SIDE},
    {"follow", "camera: behind the body clicked last", GLFW_KEY_F, BOTH, 0, select_camera, CAMERA_FOLLOW},
    {"fly", "camera: free flight", GLFW_KEY_G, BOTH, 0, select_camera, CAMERA_FLY},
    {"ahead", "fly forward, left, back, right", GLFW_KEY_W, FLY, 0, NULL, 0},
    {"left", "", GLFW_KEY_A, FLY, 0, NULL, 0},
    {"back", "", GLFW_KEY_S, FLY, 0, NULL, 0},
    {"right", "", GLFW_KEY_D, FLY, 0, NULL, 0},
    {"up", "fly up, down", GLFW_KEY_SPACE, FLY, 0, NULL, 0},
    {"down", "", GLFW_KEY_LEFT_SHIFT, FLY, 0, NULL, 0},
    {"home", "reset the camera", GLFW_KEY_HOME, BOTH, 0, reset_camera, 0},
    {"bottle", "throw a bottle from the camera at 10 m/s", GLFW_KEY_B, BOTH, 0, throw_bottle, 0},
    {"remove", "remove the body clicked last", GLFW_KEY_DELETE, ANY, 0, remove_selected, 0},
    {"rain", "rain on or off", GLFW_KEY_J, BOTH, 0, toggle_emitter, 0},
    {"waves", "wave maker on or off", GLFW_KEY_M, BOTH, 0, toggle_emitter, 1},
    {"bed", "left button: poke, raise the bed, lower the bed", GLFW_KEY_Z, BOTH, 0, next_brush, 0},
    {"velocity", "show velocity or dye", GLFW_KEY_V, FLOW, 0, flow_toggle_view, 1},
    {"temperature", "show temperature or dye", GLFW_KEY_T, FLOW, 0, flow_toggle_view, 0},
    {"confinement", "vorticity confinement on or off", GLFW_KEY_X, FLOW, 0, flow_toggle_confinement, 0},
    {"buoyancy", "thermal buoyancy on or off", GLFW_KEY_H, FLOW, 0, flow_toggle_buoyancy, 0},
    {"coupling", "coupling of fluid and bodies: strong or weak", GLFW_KEY_K, FLOW, 0, flow_toggle_coupling,
     0},
    {"collisions", "collisions between bodies on or off", GLFW_KEY_I, ANY, 0, flow_toggle_collisions, 0},
    {"random dye", "add dye and heat at random places", GLFW_KEY_S, FLOW, 0, flow_add_random_dye, 0},
    {"arrows", "show forces on bodies", GLFW_KEY_V, BOTH, 0, toggle_display, SHOW_ARROWS},
    {"arrows", "show forces on bodies", GLFW_KEY_F, FLOW, 0, toggle_display, SHOW_ARROWS},
    {"waterlines", "show waterlines of bodies", GLFW_KEY_L, BOTH, 0, toggle_display, SHOW_WATERLINES},
    {"record", "start or stop recording a video", GLFW_KEY_R, ANY, 0, toggle_video, 0},
    {"screenshot", "save a screenshot", GLFW_KEY_F12, ANY, 0, request_screenshot, 0},
    {"keys", "show or hide this list", GLFW_KEY_F1, KEYS_ALL, 0, toggle_display, SHOW_KEYS},
    {"panel", "show or hide the panel", GLFW_KEY_F2, ANY, 0, toggle_display, SHOW_PANEL},
    {"full screen", "full screen on or off", GLFW_KEY_F11, KEYS_ALL, 0, toggle_full_screen, 0},
    {"save", "save a checkpoint", GLFW_KEY_F5, ANY, 0, save_file, SAVE_CHECKPOINT},
    {"load", "load the checkpoint", GLFW_KEY_F9, ANY, 0, load_checkpoint, 0},
    {"save scene", "save the scene as JSON", GLFW_KEY_S, ANY, CTRL, save_file, SAVE_SCENE},
    {"save recording", "save a recording for `tarn replay`", GLFW_KEY_R, ANY, CTRL, save_file,
     SAVE_RECORDING},
    {"gallery", "show the gallery, or go back", GLFW_KEY_ESCAPE, KEYS_ALL, 0, go_back, 0},
    {"scene 1", "open a scene of the gallery", GLFW_KEY_1, KEYS_ALL, 0, open_scene, 1},
    {"scene 2", "", GLFW_KEY_2, KEYS_ALL, 0, open_scene, 2},
    {"scene 3", "", GLFW_KEY_3, KEYS_ALL, 0, open_scene, 3},
    {"scene 4", "", GLFW_KEY_4, KEYS_ALL, 0, open_scene, 4},
    {"scene 5", "", GLFW_KEY_5, KEYS_ALL, 0, open_scene, 5},
    {"scene 6", "", GLFW_KEY_6, KEYS_ALL, 0, open_scene, 6},
    {"scene 7", "", GLFW_KEY_7, KEYS_ALL, 0, open_scene, 7},
    {"scene 8", "", GLFW_KEY_8, KEYS_ALL, 0, open_scene, 8},
    {"scene 9", "", GLFW_KEY_9, KEYS_ALL, 0, open_scene, 9},
    {"quit", "quit", GLFW_KEY_Q, KEYS_ALL, CTRL, quit, 0},
};
enum { KEYS = sizeof table / sizeof table[0] };

const struct key *key_at(int index) { return 0 <= index && index < KEYS ? &table[index] : NULL; }

const char *key_text(const struct key *k, char *text, size_t size)
{
    static const struct {
        int key;
        const char *name;
    } special[] = {
        {GLFW_KEY_SPACE, "Space"},       {GLFW_KEY_BACKSPACE, "Backspace"},
        {GLFW_KEY_TAB, "Tab"},           {GLFW_KEY_HOME, "Home"},
        {GLFW_KEY_DELETE, "Delete"},     {GLFW_KEY_ESCAPE, "Esc"},
        {GLFW_KEY_LEFT_SHIFT, "Shift"},  {GLFW_KEY_EQUAL, "+"},
        {GLFW_KEY_MINUS, "-"},           {GLFW_KEY_KP_ADD, "Num +"},
        {GLFW_KEY_KP_SUBTRACT, "Num -"},
    };
    const char *prefix = k->mods & CTRL ? "Ctrl+" : "";
    for (size_t i = 0; i < sizeof special / sizeof special[0]; ++i)
        if (special[i].key == k->key) {
            snprintf(text, size, "%s%s", prefix, special[i].name);
            return text;
        }
    if (k->key >= GLFW_KEY_F1 && k->key <= GLFW_KEY_F12)
        snprintf(text, size, "%sF%d", prefix, k->key - GLFW_KEY_F1 + 1);
    else
        snprintf(text, size, "%s%c", prefix, k->key); // GLFW's codes of letters and digits are ASCII codes
    return text;
}

int key_modes(const struct viewer *v)
{
    if (v->show_gallery) return KEYS_GALLERY;
    return v->planar ? KEYS_FLOW : v->camera.mode == CAMERA_FLY ? KEYS_FLY : KEYS_SCENE;
}

int key_visible_modes(const struct viewer *v)
{
    return v->planar && !v->show_gallery ? KEYS_FLOW : KEYS_SCENE | KEYS_FLY;
}

void keys_press(struct viewer *v, int key, int mods)
{
    for (int k = 0; k < KEYS; ++k) {
        const struct key *e = &table[k];
        if (e->key != key || e->mods != (mods & CTRL) || !(e->modes & key_modes(v)) || !e->action) continue;
        e->action(v, e->argument);
        return;
    }
}

void keys_fly(struct viewer *v, double dt)
{
    double direction[3] = {0}; // ahead, right, up
    if (key_modes(v) != KEYS_FLY || ui_has_keys() || glfwGetKey(v->window, GLFW_KEY_LEFT_CONTROL)) return;
    const int keys[6] = {GLFW_KEY_W, GLFW_KEY_S, GLFW_KEY_D, GLFW_KEY_A, GLFW_KEY_SPACE, GLFW_KEY_LEFT_SHIFT};
    for (int k = 0; k < 6; ++k)
        if (glfwGetKey(v->window, keys[k]) == GLFW_PRESS) direction[k / 2] += k % 2 ? -1.0 : 1.0;
    const double distance = 0.5 * v->camera.extent * dt; // the length of the domain takes two seconds
    camera_fly(&v->camera, distance * direction[0], distance * direction[1], distance * direction[2]);
}

int keys_print(void)
{
    int clashes = 0;
    for (int k = 0; k < KEYS; ++k) {
        char text[32];
        printf("%-10s %-15s %s%s\n", key_text(&table[k], text, sizeof text), table[k].name,
               table[k].modes == FLY    ? "(while flying) "
               : table[k].modes == FLOW ? "(flow) "
                                        : "",
               table[k].help[0] ? table[k].help : table[k].name);
        for (int i = 0; i < k; ++i)
            if (table[i].key == table[k].key && table[i].mods == table[k].mods &&
                (table[i].modes & table[k].modes))
                clashes += printf("clash: %s and %s\n", table[i].name, table[k].name) > 0;
    }
    return clashes ? TARN_FAILED : 0;
}
