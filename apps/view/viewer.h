// State of the interactive window (tarn-view) and the functions that its files call in each other.
//
// The simulation runs in a thread of its own (sim.h); everything declared here belongs to the window's
// thread.
#ifndef VIEW_VIEWER_H
#define VIEW_VIEWER_H

#include "apps/common/app.h"
#include "apps/common/images/video.h"
#include "draw/draw.h"
#include "input/camera_control.h"
#include "sim.h"
#include "ui/ui.h"

struct GLFWwindow;

// What the pressed mouse button does.
enum mouse_mode {
    MOUSE_IDLE,   // no button is down
    MOUSE_GRAB,   // pulls a body by a spring
    MOUSE_STIR,   // accelerates water
    MOUSE_ORBIT,  // turns the camera
    MOUSE_PAN,    // moves the camera
    MOUSE_SCULPT, // raises or lowers the bed
    MOUSE_PAINT,  // adds dye (planar model)
    MOUSE_HEAT    // heats or cools (planar model)
};

// What the left button does on water or bed.
enum brush { BRUSH_POKE, BRUSH_RAISE, BRUSH_LOWER, BRUSH_COUNT };

enum { VIEWER_MAX_BODIES = 1024, VIEWER_MAX_PARAMS = 256, VIEWER_FRAME_TIMES = 240 };

// A scene on the gallery page.
struct scene_card {
    char path[4096], name[64], title[TARN_NAME_BYTES], description[TARN_NAME_BYTES * 4], model[32];
    unsigned texture; // GL texture of the thumbnail; 0: none yet
    bool valid;       // the scene file has no errors
};

enum { MAX_VIEWS = 64 }; // of the renderer

struct viewer {
    // command line
    const char *const *initial_meshes; // mesh files to add when the scene is open
    int initial_mesh_count;
    const char *scene, *recording_path, *output_dir;
    int initial_size[2]; // [pixels] of the window
    int low_quality, full_quality, test_server, threads, hash_every, print_keys, full_screen;
    struct option_list overrides; // --set

    // window and renderer
    struct GLFWwindow *window;
    struct ui *ui;
    float ui_scale; // scale factor of text and panels, from the system's settings
    struct draw *draw;
    struct sim *sim;
    struct sim_status status; // copied from the simulation thread once per frame
    int width, height;        // [pixels] of the viewport, which is to the left of the panel
    int window_size[2];       // [pixels] of the whole window
    int render_size[2];       // [pixels] that are rendered: viewport size divided by the downscale factor
    int downscale;            // 1 .. 3, adapted to the frame time
    bool software;            // OpenGL is a software rasterizer
    double camera_moved_time; // [s] clock time of the last camera motion
    long long drawn_frame_id; // status.frame_id of the rendered image; -1: it must be rendered again
    struct draw_view drawn_view;
    int drawn_size[2];
    double clock; // [s] monotonic time at the start of this frame
    double frame_ms, average_ms;
    float frame_times[VIEWER_FRAME_TIMES]; // [ms] ring buffer
    int frame_count, frame_next;
    long long frames, gl_errors;
    bool quit;
    int windowed_rect[4]; // position and size of the window before full screen

    // what is shown
    int world_id;               // status.world_id of the last frame
    bool planar;                // the last frame is planar
    bool lacks_view[MAX_VIEWS]; // views of the renderer that the last frame has no data for
    struct camera_control camera;
    struct draw_view view;
    bool show_gallery, show_keys, show_panel, show_arrows, show_waterlines;
    struct scene_card *cards;
    int card_count;
    struct thumbnails *thumbnails;
    char path[4096], name[64];   // of the scene
    char initialised_path[4096]; // of the scene that view, camera and brush were set for

    // mouse
    enum mouse_mode mouse_mode;
    double mouse[2];        // [pixels]
    double grab_depth;      // [m] distance of the grabbed point from the camera along the view axis
    tarn_vec3 grab_point;   // [m] target of the grab spring
    tarn_vec3 stroke_point; // [m] where the brush was applied last
    double stroke_time;     // [s] clock time of that
    tarn_body_id selected;  // the body clicked last
    enum brush brush;
    double brush_radius;    // [m]
    bool inverted;          // Shift is held: lower instead of raise, cool instead of heat
    uint64_t rng;           // state of the generator for random dye
    double saved_values[2]; // confinement strength and thermal expansion while they are switched off

    // bodies to add
    int spawn_shape;
    double spawn_size, spawn_density; // [m], [kg/m^3]
    bool placing;                     // the next click places a body of this shape

    // copies for the panel
    struct sim_body bodies[VIEWER_MAX_BODIES];
    struct sim_param params[VIEWER_MAX_PARAMS];
    int body_count, param_count;
    tarn_frame_body *frame_bodies; // of the shown frame; their meshes are invalid after sim_release_frame()
    int frame_body_count;

    // message over the viewport
    char message[SIM_MESSAGE_BYTES];
    double message_until;  // [s] clock time
    int reported_failures; // status.failed_commands that a message has reported

    // screenshots and videos
    bool recording_video, screenshot_requested;
    struct video video;
    char video_path[4096], screenshot_path[4096];
    double video_start; // [s] clock time
    unsigned char *pixels;
    size_t pixels_size;

    // test server
    char query[512]; // the part of the line that has arrived
    size_t query_length;
};

// Show a message over the viewport for four seconds.
void viewer_message(struct viewer *v, const char *format, ...) APP_PRINTF(2, 3);
// Open a scene. On failure a message says why, and the old scene stays.
bool viewer_open_scene(struct viewer *v, const char *path);
// The pixel that shows a point, and the ray through a pixel; see draw.h.
bool viewer_project(const struct viewer *v, tarn_vec3 p, double *x, double *y);
bool viewer_unproject(const struct viewer *v, double x, double y, tarn_vec3 *origin, tarn_vec3 *direction);
void viewer_list_scenes(struct viewer *v);
// TARN_MODEL_* of the scene's fluid model; 0 without a world.
unsigned viewer_model_flags(const struct viewer *v);
// A parameter by its path; NULL: there is none.
const struct sim_param *viewer_find_param(const struct viewer *v, const char *path);
void viewer_set_param(struct viewer *v, const char *path, tarn_value value); // a live parameter

// viewport.c
void viewport_draw(struct viewer *v, const tarn_frame *frame);
bool view_is_available(const struct viewer *v,
                       const char *name);          // the frame has the field that this view shows
bool is_field_view(const struct viewer *v);        // a plot of a field, not a perspective image
void set_view(struct viewer *v, const char *name); // with its default range and colour map

// input/keys.c
struct key {
    const char *name, *help;
    int key, modes;                                 // GLFW key code; modes in which the key is active
    int mods;                                       // GLFW_MOD_CONTROL or 0
    void (*action)(struct viewer *v, int argument); // NULL: polled while held down, see keys_fly
    int argument;
};
enum { KEYS_SCENE = 1, KEYS_FLY = 2, KEYS_GALLERY = 4, KEYS_FLOW = 8, KEYS_ALL = 15 };
const struct key *key_at(int index);                                  // NULL past the last
const char *key_text(const struct key *key, char *text, size_t size); // "Ctrl+S"
int key_modes(const struct viewer *v);                                // the current mode
int key_visible_modes(const struct viewer *v);                        // modes whose keys the help lists
void keys_press(struct viewer *v, int key, int mods);
void keys_fly(struct viewer *v, double dt);
int keys_print(void); // prints the table for tests and docs; exit code 1 if two keys clash

// input/mouse.c
void mouse_button(struct viewer *v, int button, int action, int mods);
void mouse_move(struct viewer *v, double x, double y);
void mouse_wheel(struct viewer *v, double notches);
void mouse_update(struct viewer *v, const tarn_frame *frame); // once per frame
void mouse_release(struct viewer *v);
// The point of the surface, of the dry bed or of the plane under the pointer.
bool mouse_point_on_fluid(const struct viewer *v, const tarn_frame *frame, tarn_vec3 *point);
const char *brush_label(enum brush brush);   // "brush: poke and stir"
bool can_sculpt_bed(const struct viewer *v); // the model has a bed that TARN_COMMAND_RAISE_BED changes

// input/flow_actions.c
void flow_toggle_view(struct viewer *v, int velocity); // velocity or temperature; again: dye
void flow_toggle_confinement(struct viewer *v, int argument);
void flow_toggle_buoyancy(struct viewer *v, int argument);
void flow_toggle_coupling(struct viewer *v, int argument);
void flow_toggle_collisions(struct viewer *v, int argument); // for all models
void flow_add_random_dye(struct viewer *v, int argument);
double flow_heat_rate(const struct viewer *v); // [K/s] at the centre of the heating brush

// input/emitter_actions.c
bool emitter_is_on(const struct viewer *v, const char *emitter);
void emitter_toggle(struct viewer *v, const char *emitter);

// input/spawn.c, input/spawn_mesh.c
const char *spawn_shape_name(int index); // NULL past the last
bool spawn_shape_is_available(int index, bool planar);
// The caller releases the shape of the command.
bool spawn_make_command(int index, bool planar, double size, double density, tarn_command *out);
bool spawn_shape_at(struct viewer *v, tarn_vec3 position); // the shape chosen in the panel
void spawn_thrown_bottle(struct viewer *v);
bool spawn_mesh(struct viewer *v, const char *path);

// ui/panel.c, ui/gallery_page.c, ui/overlay.c
int panel_width(const struct viewer *v); // [pixels]
void panel_draw(struct viewer *v);
void gallery_page_draw(struct viewer *v);
void overlay_draw(struct viewer *v, const tarn_frame *frame);
void overlay_message(struct viewer *v);

// capture.c
void capture_screenshot(
    struct viewer *v); // of the rendered image; set screenshot_requested for full resolution
void capture_toggle_video(struct viewer *v);
void capture_video_frame(struct viewer *v); // once per frame
void capture_end_video(struct viewer *v);
// The first unused file name with this extension: "pool-001.png".
bool capture_free_path(const struct viewer *v, const char *extension, char *path, size_t size);

// test_server.c: queries of tests on stdin, answers on stdout as JSON lines
void test_server_poll(struct viewer *v, const tarn_frame *frame);

#endif
