// What the passes share: the frame on its way to pixels. One file per pass, one line in draw.c's table.
#ifndef DRAW_PASS_H
#define DRAW_PASS_H

#include "draw/camera.h"
#include "draw/draw.h"
#include "draw/terrain.h"

#include <epoxy/gl.h>

enum { DRAW_BALLS = 16 }; // bodies that the water mirrors; the same number stands in _light.glsl

// Everything about the picture being drawn that more than one pass needs.
struct scene_gl {
    const tarn_frame *frame;
    const tarn_frame *shown; // the height field that is drawn: the frame, or what land.c made of it
    const struct land *land; // NULL: a flat pool. With it heights count from land->datum, in all that follows
    const struct draw_view *view;
    struct camera camera;
    int width, height;
    bool fast, gles;
    bool from_above;       // orthographic, straight down; no water will be drawn over bodies in a flat pool
    float light[3];        // towards the sun, unit
    float pool[4];         // [m] x0 z0 x1 z1: the inner walls
    float level, rim;      // [m] surface at rest, top of the walls
    float ground, peak;    // [m] under the pool; highest solid thing: rim or bed
    float thickness, size; // [m] of the walls; the longer side of the pool
    int ball_count;        // bodies as spheres of their volume, the largest first
    float balls[DRAW_BALLS][4], tints[DRAW_BALLS][4];
    GLuint height_map;     // R32F, nx * nz: surface [m], nearest, fetched by texel
    GLuint bed_map;        // R32F, nx * nz: ground [m]; 0 without land, as the next
    GLuint land_map;       // RGBA16F, nx * nz, linear: depth (dry: below 0), slopes, Laplacian of the ground
    GLuint surface_map;    // RGBA16F, nx * nz, linear: deviation from the level, slopes along x, z, Laplacian
    struct models *models; // meshes on the card
    float sun_box[4];      // [m, 1/m] the map of the sun's rays: corner and size, see _sun.glsl
    float sun_tall[2];     // its depth from height [m]: factor, offset
    GLuint shadow_map, shadow_samplers[2]; // depths; how they are looked up: compared, plain
    GLuint caustic_map;  // a quarter of the light that waves gather on the ground; 0: not drawn yet
    GLuint foam_map;     // R16F, nx * nz of the frame, linear: 0 .. 1 of a cell is white
    GLuint below_colour; // the opaque scene as a texture, for what is seen through the water; 0 if fast
    GLuint below_depth;
};

// `create` gives NULL on failure and says why. A pass finds a vertex array bound, viewport and target set,
// depth test, blending and culling off, and leaves these three so; the depth function is GL_LESS.
struct pass {
    const char *name;
    void *(*create)(const struct draw_setup *setup, char *why);
    void (*destroy)(void *self);
    void (*draw)(void *self, const struct scene_gl *s);
};

// What is drawn into a texture of its own before the picture, and left in the scene for the passes. It sets target and
// viewport itself; all else as above.
struct early {
    const char *name;
    void *(*create)(const struct draw_setup *setup, char *why);
    void (*destroy)(void *self);
    void (*draw)(void *self, struct scene_gl *s);
};

extern const struct early early_shadows, early_caustics, early_foam;
extern const struct pass pass_sky, pass_pool, pass_bodies, pass_glass_under, pass_glass_above, pass_water,
    pass_top, pass_field;

// gl.c: a program from two embedded shader sources; the version line, precisions, FAST and LAND are put in
// front. 0 on failure, and `why` (256 bytes) has the compiler's words. What looks different on land is a
// program of its own, so that a flat pool never pays for it.
enum gl_ground { GROUND_POOL, GROUND_LAND };
GLuint gl_program(const struct draw_setup *setup, enum gl_ground ground, const char *vertex,
                  const char *fragment, char *why);

// field.c: the pixels that the field takes in the last picture, from the upper left corner.
void field_where(const void *self, int at[2], int size[2]);

// models.c: a mesh that can be drawn: there is one, and its triangles name vertices it has.
bool mesh_good(const tarn_mesh *mesh);

// light.c: the sun, the pool's walls and the bodies as spheres, from the frame.
void light_place(struct scene_gl *s);
// Give a program what _light.glsl asks for; the surface goes to texture unit 0, other maps to 5 .. 9.
void light_use(GLuint program, const struct scene_gl *s);

#endif
