// What the files of the window share.
#ifndef VIEW_VIEW_H
#define VIEW_VIEW_H

#include "../cli/cli.h"
#include "../cli/film.h"
#include "draw/draw.h"
#include "eye.h"
#include "sim.h"
#include "ui.h"

struct GLFWwindow;

enum hand { HAND_FREE, HAND_HOLDS, HAND_STIRS, HAND_TURNS, HAND_PANS, HAND_SHAPES, HAND_PAINTS, HAND_WARMS };
enum tool {
    TOOL_FINGER,
    TOOL_RAISE,
    TOOL_LOWER,
    TOOLS
}; // what the left button does where nothing is to be held
enum { VIEW_BODIES = 1024, VIEW_PARAMS = 256, VIEW_FRAMES = 240 };

struct scene_card { // of the start page
    char path[4096], name[64], title[TARN_NAME_BYTES], about[TARN_NAME_BYTES * 4], model[32];
    unsigned texture; // 0: none yet
    bool good;
};

enum { VIEW_MAX_VIEWS = 64 }; // of the renderer

struct view {
    // asked for
    char **meshes_wanted; // to be put in when the scene is there
    int meshes_left;
    const char *scene, *journal, *size, *folder;
    int fast, fine, ask, threads, hash_every, keys, full_screen;
    struct option_list sets;

    struct GLFWwindow *window;
    struct ui *ui;
    float scale; // of letters and panels, as the system wishes
    struct draw *draw;
    struct sim *sim;
    struct sim_news news;
    int width, height;     // [pixels] of the picture; the panel stands to its right
    int window_size[2];    // [pixels] of both
    int picture[2];        // [pixels] drawn; fewer than shown if that is too slow
    int coarse;            // how many times fewer each way
    bool software;         // there is no graphics card
    double moved_at;       // [s] clock, when the eye did
    long long drawn_state; // of the news; -1: nothing drawn
    struct draw_view drawn_look;
    int drawn_size[2];
    double clock, frame_ms, average_ms;
    float frame_times[VIEW_FRAMES];
    int frame_count, frame_next;
    long long frames, gl_errors;
    bool quit;

    // what is seen
    int world;                       // of the news: another one means a new scene
    bool flat;                       // the last frame is planar
    bool lacks_view[VIEW_MAX_VIEWS]; // views of the renderer that the last frame has no data for
    struct eye eye;
    struct draw_view look;
    bool start_page, show_keys, show_panel, show_arrows, show_waterlines;
    struct scene_card *cards;
    int card_count;
    struct thumbs *thumbs;
    char path[4096], name[64]; // of the scene

    // the hand
    enum hand hand;
    double mouse[2];   // [pixels]
    double hold_far;   // [m] from the eye's plane
    tarn_vec3 hold_at; // [m] where the hand is
    tarn_vec3 stir_at; // [m] where the water was touched last
    double stir_time;  // [s] clock
    tarn_body chosen;
    enum tool tool;
    double poke_radius; // [m]
    bool less;          // Shift turns it round: lower instead of raise, cool instead of warm
    uint64_t chance;    // of what is sprinkled
    double kept[2];     // confinement and expansion, while they are off

    // the palette
    int shape;
    double shape_size, shape_density;
    bool placing;            // the next click puts it there
    tarn_triangles **meshes; // that were dropped
    int mesh_count;

    // copies for panels
    struct sim_body bodies[VIEW_BODIES];
    struct sim_param params[VIEW_PARAMS];
    int body_count, param_count;
    tarn_frame_body *frame_bodies; // of the frame that is shown; while it is drawn
    int frame_body_count;

    // words over the picture
    char words[SIM_WORDS];
    double words_until;
    int failed; // of the news, already told

    // recording
    bool recording, want_picture;
    struct film film;
    char film_path[4096], shot_path[4096];
    double film_start;
    unsigned char *pixels;
    size_t pixels_size;
};

void view_say(struct view *v, const char *format, ...) CLI_PRINTF(2, 3);
bool view_open(struct view *v, const char *path); // a scene; tells the person if it cannot be
// From a point to the pixel that shows it, and from a pixel to the ray through it; see draw.h.
bool view_point(const struct view *v, tarn_vec3 p, double *x, double *y);
bool view_ray(const struct view *v, double x, double y, tarn_vec3 *from, tarn_vec3 *way);
bool view_has(const struct view *v, const char *name); // the frame has what this view of the renderer shows
void view_list_scenes(struct view *v);
bool view_is_sheet(const struct view *v);         // a field, not a place to stand in
void view_show(struct view *v, const char *name); // this view, with its own range and colours
const struct sim_param *view_param(const struct view *v, const char *path); // NULL: there is none
void view_set(struct view *v, const char *path, tarn_value value);          // a live parameter

// keys.c: the table
struct key {
    const char *name, *help;
    int key, modes;                           // of GLFW; in which modes it counts
    int mods;                                 // GLFW_MOD_CONTROL or 0
    void (*press)(struct view *v, int which); // NULL: it is held down, see fly
    int which;
};
enum { KEYS_SCENE = 1, KEYS_FLY = 2, KEYS_START = 4, KEYS_FLAT = 8, KEYS_ALL = 15 };
const struct key *key_at(int index);                                  // NULL past the last
const char *key_text(const struct key *key, char *text, size_t size); // "Ctrl+S"
int key_modes(const struct view *v);
int key_shown(const struct view *v); // modes whose keys are of use in this scene
void keys_press(struct view *v, int key, int mods);
void keys_fly(struct view *v, double dt);
int keys_print(void); // for tests and docs; the exit code: 1 if two keys clash

// hand.c: the mouse
void hand_button(struct view *v, int button, int action, int mods);
void hand_move(struct view *v, double x, double y);
void hand_wheel(struct view *v, double notches);
void hand_frame(struct view *v, const tarn_frame *frame); // each frame
void hand_let_go(struct view *v);
bool hand_over(const struct view *v, const tarn_frame *frame,
               tarn_vec3 *at);              // where the pointer meets fluid or ground
const char *hand_tool(enum tool tool);      // "finger: poke and stir"
bool hand_has_ground(const struct view *v); // that can be shaped

// flat.c: what keys do in a flat world
void flat_show(struct view *v, int velocity); // or the temperature; again: back
void flat_confinement(struct view *v, int which);
void flat_buoyancy(struct view *v, int which);
void flat_coupling(struct view *v, int which);
void flat_touch(struct view *v, int which); // of any world
void flat_sprinkle(struct view *v, int which);
double flat_warmth(const struct view *v); // [K/s] that a finger brings

// palette.c
int palette_count(void);
const char *palette_name(int index);
bool palette_has(int index, bool flat); // it can be put into such a world
bool palette_command(int index, bool flat, double size, double density, tarn_command *out);
void palette_throw_bottle(struct view *v);
bool palette_spawn(struct view *v, tarn_vec3 at);
bool palette_spawn_mesh(struct view *v, const char *path); // mesh.c
void palette_free_meshes(struct view *v);

// picture.c, panel.c, start.c, overlay.c
void picture_draw(struct view *v, const tarn_frame *frame);
int panel_width(const struct view *v); // [pixels]
void panel_draw(struct view *v);
void start_draw(struct view *v);
void overlay_draw(struct view *v, const tarn_frame *frame);
void overlay_words(struct view *v);

// shoot.c
void shoot_picture(struct view *v); // of what is drawn; set want_picture to have all its pixels
void shoot_toggle(struct view *v);
bool shoot_name(const struct view *v, const char *end, char *path, size_t size); // a free one: pool-001.png
void shoot_frame(struct view *v);                                                // each frame
void shoot_end(struct view *v);

// ask.c: questions of tests on stdin, answers on stdout as JSON lines
void ask_answer(struct view *v, const tarn_frame *frame);

// weather.c
bool weather_on(const struct view *v, const char *emitter);
void weather_toggle(struct view *v, const char *emitter);

#endif
