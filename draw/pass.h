// What the passes share: the frame on its way to pixels. One file per pass, one line in draw.c's table.
#ifndef DRAW_PASS_H
#define DRAW_PASS_H

#include "draw.h"

#include <epoxy/gl.h>

// Column-major 4 x 4 matrices, as GL wants them.
struct mat4 {
    float m[16];
};

struct camera {
    struct mat4 view, projection, both;
    float eye[3];
};

// Everything about the picture being drawn that more than one pass needs.
struct scene_gl {
    const tarn_frame *frame;
    const struct draw_view *view;
    struct camera camera;
    int width, height;
    bool fast, gles;
    float light[3];      // towards the sun, unit
    GLuint height_map;   // R32F, nx * nz: surface [m], nearest, fetched by texel
    GLuint below_colour; // the opaque scene as a texture, for what is seen through the water
    GLuint below_depth;
};

struct pass {
    const char *name;
    void *(*create)(bool gles, char *why); // NULL on failure
    void (*destroy)(void *self);
    void (*draw)(void *self, const struct scene_gl *s);
};

// gl.c: a program from two embedded shader sources; the version line and precisions are put in front.
GLuint gl_program(bool gles, const char *vertex, const char *fragment, char *why);

#endif
