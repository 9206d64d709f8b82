// Every key once: name, key, help, function. Help overlay, docs and tests read this table.
#include "../viewer.h"

#define GLFW_INCLUDE_NONE
#include <GLFW/glfw3.h>

#include <string.h>

static void pause(struct viewer *v, int which)
{
    (void)which;
    sim_pause(v->sim, !v->status.paused);
}

static void single(struct viewer *v, int which)
{
    (void)which;
    if (!v->status.paused) sim_pause(v->sim, true);
    sim_single_step(v->sim);
}

static void reset(struct viewer *v, int which)
{
    (void)which;
    char error[SIM_MESSAGE_BYTES];
    mouse_release(v);
    if (sim_reset(v->sim, error))
        viewer_message(v, "back to the beginning");
    else
        viewer_message(v, "%s", error);
}

static void faster(struct viewer *v, int which)
{
    sim_set_speed(v->sim, which > 0 ? v->status.speed * 2.0 : v->status.speed * 0.5);
    sim_get_status(v->sim, &v->status);
    viewer_message(v, "speed %g", v->status.speed);
}

static void open_scene(struct viewer *v, int which)
{
    if (which <= v->card_count) viewer_open_scene(v, v->cards[which - 1].path);
}

static void next_view(struct viewer *v, int which)
{
    (void)which;
    int at = 0, count = 0;
    while (draw_view_name(count)) {
        if (strcmp(draw_view_name(count), v->view.name) == 0) at = count;
        ++count;
    }
    do at = (at + 1) % count;
    while (!view_is_available(v, draw_view_name(at)));
    set_view(v, draw_view_name(at));
    viewer_message(v, "view: %s", v->view.name);
}

static void camera(struct viewer *v, int which)
{
    (void)which;
    camera_set_mode(&v->camera, (enum camera_mode)((v->camera.mode + 1) % CAMERA_MODES));
    viewer_message(v, "camera: %s", camera_mode_name(v->camera.mode));
}

static void camera_is(struct viewer *v, int which)
{
    if (which == CAMERA_FOLLOW && v->selected.generation) v->camera.followed = v->selected;
    camera_set_mode(&v->camera, (enum camera_mode)which);
    viewer_message(v, "camera: %s", camera_mode_name(v->camera.mode));
}

static void next_tool(struct viewer *v, int which)
{
    (void)which;
    if (!can_sculpt_bed(v)) {
        viewer_message(v, "only the ground of shallow and implicit water can be shaped");
        return;
    }
    v->brush = (enum brush)((v->brush + 1) % BRUSH_COUNT);
    viewer_message(v, "%s", brush_label(v->brush));
}

static void home(struct viewer *v, int which)
{
    (void)which;
    camera_reset(&v->camera);
}

static void toggle(struct viewer *v, int which)
{
    bool *const flags[] = {&v->show_keys, &v->show_panel, &v->show_arrows, &v->show_waterlines};
    *flags[which] = !*flags[which];
}

static void full_screen(struct viewer *v, int which)
{
    static int was[4]; // where the window goes back to; there is one
    GLFWmonitor *monitor = glfwGetPrimaryMonitor();
    const GLFWvidmode *mode = monitor ? glfwGetVideoMode(monitor) : NULL;
    (void)which;
    if (glfwGetWindowMonitor(v->window)) {
        glfwSetWindowMonitor(v->window, NULL, was[0], was[1], was[2], was[3], GLFW_DONT_CARE);
    } else if (mode) {
        glfwGetWindowPos(v->window, &was[0], &was[1]);
        glfwGetWindowSize(v->window, &was[2], &was[3]);
        glfwSetWindowMonitor(v->window, monitor, 0, 0, mode->width, mode->height, mode->refreshRate);
    }
}

static void picture(struct viewer *v, int which)
{
    (void)which;
    v->screenshot_requested = v->status.has_world;
}

static void record(struct viewer *v, int which)
{
    (void)which;
    capture_toggle_video(v);
}

static void bottle(struct viewer *v, int which)
{
    (void)which;
    spawn_thrown_bottle(v);
}

static void remove_chosen(struct viewer *v, int which)
{
    (void)which;
    if (!v->selected.generation) return;
    mouse_release(v);
    sim_queue_command(v->sim, &(tarn_command){.kind = TARN_REMOVE, .body = v->selected});
    v->selected = (tarn_body){0};
}

static void weather(struct viewer *v, int which) { emitter_toggle(v, which ? "wavemaker" : "rain"); }

static void start_page(struct viewer *v, int which)
{
    (void)which;
    if (v->show_keys)
        v->show_keys = false;
    else if (v->placing)
        v->placing = false;
    else if (v->status.has_world)
        v->show_gallery = !v->show_gallery;
}

static void leave(struct viewer *v, int which)
{
    (void)which;
    v->quit = true;
}

static void save(struct viewer *v, int which)
{
    char path[4096], error[SIM_MESSAGE_BYTES] = "there is no free name";
    bool good = false;
    if (which == 1) {
        snprintf(path, sizeof path, "%.3900s/%s.checkpoint", v->output_dir, v->name);
        good = sim_save_checkpoint(v->sim, path, error);
    } else if (capture_free_path(v, which == 0 ? "json" : "recording", path, sizeof path)) {
        good = which == 0 ? sim_save_scene(v->sim, path, error) : sim_save_recording(v->sim, path, error);
    }
    viewer_message(v, "%s%s", good ? "saved " : "", good ? path : error);
}

static void load(struct viewer *v, int which)
{
    char path[4096], error[SIM_MESSAGE_BYTES];
    (void)which;
    snprintf(path, sizeof path, "%.3900s/%s.checkpoint", v->output_dir, v->name);
    mouse_release(v);
    const bool good = sim_load_checkpoint(v->sim, path, error);
    if (good)
        sim_queue_command(v->sim,
                          &(tarn_command){.kind = TARN_RELEASE}); // a hand that was saved holds nothing now
    viewer_message(v, "%s%s", good ? "loaded " : "", good ? path : error);
}

#define SCENE KEYS_SCENE
#define FLY   KEYS_FLY
#define FLAT  KEYS_FLOW
#define BOTH  (KEYS_SCENE | KEYS_FLY)
#define ANY   (KEYS_SCENE | KEYS_FLY | KEYS_FLOW)
#define CTRL  GLFW_MOD_CONTROL

static const struct key table[] = {
    {"pause", "pause or go on", GLFW_KEY_P, ANY, 0, pause, 0},
    {"pause", "the same", GLFW_KEY_SPACE, SCENE | FLAT, 0, pause, 0},
    {"step", "one step, then pause", GLFW_KEY_N, ANY, 0, single, 0},
    {"reset", "back to the beginning", GLFW_KEY_BACKSPACE, ANY, 0, reset, 0},
    {"faster", "twice the speed", GLFW_KEY_EQUAL, ANY, 0, faster, 1},
    {"faster", "the same", GLFW_KEY_KP_ADD, ANY, 0, faster, 1},
    {"slower", "half the speed", GLFW_KEY_MINUS, ANY, 0, faster, -1},
    {"slower", "the same", GLFW_KEY_KP_SUBTRACT, ANY, 0, faster, -1},
    {"view", "show the next field, or the water as it looks", GLFW_KEY_TAB, ANY, 0, next_view, 0},
    {"camera", "the next camera", GLFW_KEY_C, BOTH, 0, camera, 0},
    {"orbit", "camera: around the scene", GLFW_KEY_O, BOTH, 0, camera_is, CAMERA_ORBIT},
    {"top", "camera: from above", GLFW_KEY_T, BOTH, 0, camera_is, CAMERA_TOP},
    {"side", "camera: from the side", GLFW_KEY_E, BOTH, 0, camera_is, CAMERA_SIDE},
    {"follow", "camera: behind the body clicked last", GLFW_KEY_F, BOTH, 0, camera_is, CAMERA_FOLLOW},
    {"fly", "camera: free flight", GLFW_KEY_G, BOTH, 0, camera_is, CAMERA_FLY},
    {"ahead", "fly ahead, left, back, right", GLFW_KEY_W, FLY, 0, NULL, 0},
    {"left", "", GLFW_KEY_A, FLY, 0, NULL, 0},
    {"back", "", GLFW_KEY_S, FLY, 0, NULL, 0},
    {"right", "", GLFW_KEY_D, FLY, 0, NULL, 0},
    {"up", "fly up, down", GLFW_KEY_SPACE, FLY, 0, NULL, 0},
    {"down", "", GLFW_KEY_LEFT_SHIFT, FLY, 0, NULL, 0},
    {"home", "the camera where it began", GLFW_KEY_HOME, BOTH, 0, home, 0},
    {"bottle", "throw a bottle from the camera, at 10 m/s", GLFW_KEY_B, BOTH, 0, bottle, 0},
    {"remove", "take away the body clicked last", GLFW_KEY_DELETE, ANY, 0, remove_chosen, 0},
    {"rain", "rain on or off", GLFW_KEY_J, BOTH, 0, weather, 0},
    {"waves", "wave maker on or off", GLFW_KEY_M, BOTH, 0, weather, 1},
    {"ground", "left button: poke, raise the ground, lower it", GLFW_KEY_Z, BOTH, 0, next_tool, 0},
    {"velocity", "the velocity, or the dye", GLFW_KEY_V, FLAT, 0, flow_toggle_view, 1},
    {"temperature", "the temperature, or the dye", GLFW_KEY_T, FLAT, 0, flow_toggle_view, 0},
    {"confinement", "vorticity confinement on or off", GLFW_KEY_X, FLAT, 0, flow_toggle_confinement, 0},
    {"buoyancy", "what is warm rises: on or off", GLFW_KEY_H, FLAT, 0, flow_toggle_buoyancy, 0},
    {"coupling", "coupling of bodies: strong or weak", GLFW_KEY_K, FLAT, 0, flow_toggle_coupling, 0},
    {"collisions", "collisions of bodies on or off", GLFW_KEY_I, ANY, 0, flow_toggle_collisions, 0},
    {"sprinkle", "sprinkle dye and warmth", GLFW_KEY_S, FLAT, 0, flow_add_random_dye, 0},
    {"arrows", "forces of the water on bodies", GLFW_KEY_V, BOTH, 0, toggle, 2},
    {"arrows", "forces of the fluid on bodies", GLFW_KEY_F, FLAT, 0, toggle, 2},
    {"waterlines", "waterlines of bodies", GLFW_KEY_L, BOTH, 0, toggle, 3},
    {"record", "record a video, or end it", GLFW_KEY_R, ANY, 0, record, 0},
    {"picture", "a screenshot", GLFW_KEY_F12, ANY, 0, picture, 0},
    {"keys", "this list", GLFW_KEY_F1, KEYS_ALL, 0, toggle, 0},
    {"panel", "the panel", GLFW_KEY_F2, ANY, 0, toggle, 1},
    {"full screen", "the whole screen, or a window", GLFW_KEY_F11, KEYS_ALL, 0, full_screen, 0},
    {"save", "save a checkpoint", GLFW_KEY_F5, ANY, 0, save, 1},
    {"load", "load it again", GLFW_KEY_F9, ANY, 0, load, 0},
    {"save scene", "save the scene as JSON", GLFW_KEY_S, ANY, CTRL, save, 0},
    {"save recording", "save what was done, for `tarn replay`", GLFW_KEY_R, ANY, CTRL, save, 2},
    {"gallery", "the start page, or back", GLFW_KEY_ESCAPE, KEYS_ALL, 0, start_page, 0},
    {"scene 1", "scenes of the gallery", GLFW_KEY_1, KEYS_ALL, 0, open_scene, 1},
    {"scene 2", "", GLFW_KEY_2, KEYS_ALL, 0, open_scene, 2},
    {"scene 3", "", GLFW_KEY_3, KEYS_ALL, 0, open_scene, 3},
    {"scene 4", "", GLFW_KEY_4, KEYS_ALL, 0, open_scene, 4},
    {"scene 5", "", GLFW_KEY_5, KEYS_ALL, 0, open_scene, 5},
    {"scene 6", "", GLFW_KEY_6, KEYS_ALL, 0, open_scene, 6},
    {"scene 7", "", GLFW_KEY_7, KEYS_ALL, 0, open_scene, 7},
    {"scene 8", "", GLFW_KEY_8, KEYS_ALL, 0, open_scene, 8},
    {"scene 9", "", GLFW_KEY_9, KEYS_ALL, 0, open_scene, 9},
    {"quit", "leave", GLFW_KEY_Q, KEYS_ALL, CTRL, leave, 0},
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
    const char *lead = k->mods & CTRL ? "Ctrl+" : "";
    for (size_t i = 0; i < sizeof special / sizeof special[0]; ++i)
        if (special[i].key == k->key) {
            snprintf(text, size, "%s%s", lead, special[i].name);
            return text;
        }
    if (k->key >= GLFW_KEY_F1 && k->key <= GLFW_KEY_F12)
        snprintf(text, size, "%sF%d", lead, k->key - GLFW_KEY_F1 + 1);
    else
        snprintf(text, size, "%s%c", lead, k->key); // GLFW's numbers of letters and digits are ASCII's
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
    double go[3] = {0};
    if (key_modes(v) != KEYS_FLY || ui_has_keys() || glfwGetKey(v->window, GLFW_KEY_LEFT_CONTROL)) return;
    const int keys[6] = {GLFW_KEY_W, GLFW_KEY_S, GLFW_KEY_D, GLFW_KEY_A, GLFW_KEY_SPACE, GLFW_KEY_LEFT_SHIFT};
    for (int k = 0; k < 6; ++k)
        if (glfwGetKey(v->window, keys[k]) == GLFW_PRESS) go[k / 2] += k % 2 ? -1.0 : 1.0;
    const double pace = 0.5 * v->camera.extent * dt; // across the scene in two seconds
    camera_fly(&v->camera, pace * go[0], pace * go[1], pace * go[2]);
}

int keys_print(void)
{
    int clashes = 0;
    for (int k = 0; k < KEYS; ++k) {
        char text[32];
        printf("%-10s %-15s %s%s\n", key_text(&table[k], text, sizeof text), table[k].name,
               table[k].modes == FLY    ? "(flying) "
               : table[k].modes == FLAT ? "(flow) "
                                        : "",
               table[k].help[0] ? table[k].help : table[k].name);
        for (int i = 0; i < k; ++i)
            if (table[i].key == table[k].key && table[i].mods == table[k].mods &&
                (table[i].modes & table[k].modes))
                clashes += printf("clash: %s and %s\n", table[i].name, table[k].name) > 0;
    }
    return clashes ? TARN_FAILED : 0;
}
