// The renderer: draws a tarn_frame (never a world) into an image, for files and for a window.
// It uses only what OpenGL 3.3 core and OpenGL ES 3.0 have in common. The programs in apps/ call it.
#ifndef DRAW_DRAW_H
#define DRAW_DRAW_H

#include <tarn/tarn.h>

#include <stdbool.h>

struct draw;

// The API that is requested from the driver. The shaders are the same.
enum draw_api { DRAW_GL, DRAW_GLES };

// The GL context that is used; gl_context.c has the table.
enum draw_context {
    DRAW_HEADLESS,       // a context of the renderer's own without a window, through EGL
    DRAW_CURRENT_CONTEXT // the context that is current in each call, such as that of a window
};

struct draw_setup {
    enum draw_api api;
    int width, height; // [pixels] 16 .. 8192
    bool low_quality;  // no refraction, no multisampling, coarser water: for software rendering
    enum draw_context context;
};

// What to draw and from where.
struct draw_view {
    char name[32];            // "perspective", "top", or a field: "height", "speed", "dye" ...
    tarn_vec3 camera, target; // [m] camera position and the point it looks at; equal: chosen from the frame
    double range_min, range_max; // range of a field's colours; equal: chosen from the frame
    char colormap[32];           // of a field; empty: its default
    bool arrows, streamlines;    // of the velocity, drawn over a field
    char title[100];             // of a field plot, before the name of the field
    double contours;             // [m] height between two contour lines of the terrain; 0: none
};

// The names of the views, in a fixed order. NULL past the last.
const char *draw_view_name(int index);

// Whether a frame has what a view shows; false for an unknown name.
bool draw_view_is_available(const char *name, const tarn_frame *frame);

// A renderer. On failure NULL, and `why` (256 bytes) says what is missing and what to install.
struct draw *draw_create(const struct draw_setup *setup, char *why);
void draw_destroy(struct draw *d);

// Change the size of the images. TARN_FAILED: the driver is out of memory, and nothing can be drawn any more.
tarn_result draw_resize(struct draw *d, int width, int height);

// Draw one frame. TARN_BAD_ARGUMENT for an unknown view, TARN_NO_MEMORY, TARN_FAILED (OpenGL error).
tarn_result draw_frame(struct draw *d, const tarn_frame *frame, const struct draw_view *view);

// Copy the image to the window of the context (DRAW_CURRENT_CONTEXT), which has `width` x `height` pixels.
tarn_result draw_present(struct draw *d, int width, int height);

// draw_project: the pixel of a point in the last image, counted from the upper left corner. draw_unproject:
// the ray [m] from the camera through a pixel; `direction` has unit length. Rays of field plots are
// perpendicular to the plot: along -z for a planar frame, downwards otherwise. False for points behind the
// camera and for pixels outside a field plot.
bool draw_project(const struct draw *d, tarn_vec3 point, double *x, double *y);
bool draw_unproject(const struct draw *d, double x, double y, tarn_vec3 *from, tarn_vec3 *direction);

// The image as rows from the top, 3 bytes per pixel, width * height * 3 in all.
tarn_result draw_read_pixels(struct draw *d, unsigned char *rgb);

// Times of the passes of the last frame, for benchmarks: fills up to `capacity` names and milliseconds,
// returns the count. Timing waits for the driver after every pass; it starts with the first call.
int draw_pass_times(struct draw *d, const char **names, double *ms, int capacity);

#endif
