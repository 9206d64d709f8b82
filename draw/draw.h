// Pictures of frames: one renderer for headless frames, for a window and for the browser later.
// It sees a tarn_frame, never a world, and draws with what GL 3.3 core and GLES 3.0 have in common.
#ifndef DRAW_DRAW_H
#define DRAW_DRAW_H

#include <tarn/tarn.h>

#include <stdbool.h>

struct draw;

// Which dialect to ask the driver for. Shaders are the same.
enum draw_api { DRAW_GL, DRAW_GLES };

// Whose context is drawn with: surface.h has the table.
enum draw_place {
    DRAW_ALONE, // one of its own without a window, through EGL (surfaceless, then a device)
    DRAW_HERE   // the one that the caller has made current, now and before each call: a window's
};

struct draw_setup {
    enum draw_api api;
    int width, height; // [pixels] 16 .. 8192
    bool fast;         // no refraction, no multisampling, coarser water: for software GL
    enum draw_place place;
};

// What to look at and from where.
struct draw_view {
    char name[32];            // "perspective", "top", or a field: "height", "speed", "dye" ...
    tarn_vec3 from, to;       // [m] eye and what it looks at; equal: chosen from the frame
    double lo, hi;            // range of a field's colours; equal: chosen from the frame
    char map[32];             // colour map of a field; empty: its default
    bool arrows, streamlines; // of the velocity, over a field
    char title[100];          // over a field, before its name
    double contours;          // [m] of height from one contour line of the ground to the next; 0: none
};

// The names of the views, in a fixed order. NULL past the last.
const char *draw_view_name(int index);

// A renderer. On failure NULL, and `why` (256 bytes) says what is missing and what to install.
struct draw *draw_create(const struct draw_setup *setup, char *why);
void draw_destroy(struct draw *d);

// From now on pictures have another size. TARN_FAILED: the driver has no room, and nothing can be drawn any more.
tarn_result draw_resize(struct draw *d, int width, int height);

// Draw one frame. TARN_BAD_ARGUMENT for an unknown view, TARN_NO_MEMORY, TARN_FAILED (the driver complained).
tarn_result draw_frame(struct draw *d, const tarn_frame *frame, const struct draw_view *view);

// Copy the picture into the window of the context (DRAW_HERE), which is `width` x `height` pixels.
tarn_result draw_show(struct draw *d, int width, int height);

// Where the last picture shows a point, in pixels from its upper left corner; and the ray [m] from the eye through a
// pixel, `way` being of unit length. Rays of fields lead straight into the sheet: along -z in a flat frame, downwards
// otherwise. False behind the eye and, of pixels, beside a field.
bool draw_point(const struct draw *d, tarn_vec3 point, double *x, double *y);
bool draw_ray(const struct draw *d, double x, double y, tarn_vec3 *from, tarn_vec3 *way);

// The picture as rows from the top, 3 bytes a pixel, width * height * 3 in all.
tarn_result draw_read(struct draw *d, unsigned char *rgb);

// Time of each pass of the last frame, for benchmarks: fills up to `most` names and milliseconds, gives back how many.
// Costs a wait for the driver after every pass, so it is off until asked for once.
int draw_times(struct draw *d, const char **names, double *ms, int most);

#endif
