// The interface of render passes and the state that they share while one frame is drawn.
// A pass is one file in draw/passes/ (or draw/plot/) and one line in the table of draw.c.
#ifndef DRAW_PASS_H
#define DRAW_PASS_H

#include "draw/camera.h"
#include "draw/draw.h"
#include "draw/terrain.h"

#include <epoxy/gl.h>

enum { MAX_REFLECTED_SPHERES = 16 }; // bodies that the water reflects; _light.glsl repeats the number

// The inputs of all passes for the frame being drawn. draw.c fills it, prepasses add their textures.
// With terrain, all heights count from terrain->lowest_bed; without, from y = 0, the floor of the pool.
struct draw_frame_state {
    const tarn_frame *frame;
    const tarn_frame *height_frame; // the height field that is drawn: the frame, or terrain->refined
    const struct terrain *terrain;  // NULL: a pool with a level floor
    const struct draw_view *view;
    struct camera camera;
    int width, height; // [pixels]
    bool low_quality, gles;
    bool top_down;            // orthographic, straight down; a pool's water is then drawn below the bodies
    float sun_direction[3];   // towards the sun, unit
    float pool[4];            // [m] x0 z0 x1 z1: the inner walls
    float rest_level, rim;    // [m] height of the still surface, of the top of the walls
    float ground, max_height; // [m] height below the pool, of the highest solid (rim or bed)
    float wall_thickness, pool_length; // [m] pool_length: the longer side
    int sphere_count;                  // bodies as spheres of their volume, the largest first
    float spheres[MAX_REFLECTED_SPHERES][4], sphere_colours[MAX_REFLECTED_SPHERES][4]; // centre, radius; RGB
    GLuint height_texture;  // R32F, nx * nz, nearest: water surface [m]
    GLuint bed_texture;     // R32F, nx * nz, nearest: bed [m]; 0 without terrain
    GLuint terrain_texture; // RGBA16F, nx * nz, linear: depth (dry: below 0), slopes and Laplacian of the bed
    GLuint surface_texture; // RGBA16F, nx * nz, linear: height above rest, slopes along x and z, Laplacian
    struct mesh_cache *mesh_cache;
    float sun_map_rect[4];                 // [m, 1/m] corner and 1 / size of the shadow map, see _sun.glsl
    float sun_map_depth[2];                // factor and offset from height [m] to depth in the shadow map
    GLuint shadow_map, shadow_samplers[2]; // depth texture; samplers with and without comparison
    GLuint caustic_texture; // a quarter of the light that waves focus on the bed; 0: not drawn yet
    GLuint foam_texture;    // R16F, nx * nz of the frame, linear: foam cover of a cell, 0 .. 1
    GLuint refraction_colour, refraction_depth; // copy of the opaque scene for refraction; 0 at low quality
};

// `create` returns NULL on failure and writes the reason to `why` (256 bytes). A pass finds a vertex array
// bound, viewport and target set, depth test, blending and culling off; it leaves these three off. The depth
// function is GL_LESS.
struct pass {
    const char *name;
    void *(*create)(const struct draw_setup *setup, char *why);
    void (*destroy)(void *self);
    void (*draw)(void *self, const struct draw_frame_state *s);
};

// A prepass draws into a texture of its own before the image and stores the texture in the frame state. It
// sets target and viewport itself; the rest is as above.
struct prepass {
    const char *name;
    void *(*create)(const struct draw_setup *setup, char *why);
    void (*destroy)(void *self);
    void (*draw)(void *self, struct draw_frame_state *s);
};

extern const struct prepass prepass_shadows, prepass_caustics, prepass_foam;
extern const struct pass pass_sky, pass_pool, pass_bodies, pass_glass_submerged, pass_glass_dry, pass_water,
    pass_top_view, pass_field_plot;

// gl.c: a program from two embedded shader sources; the version line, precisions, LOW_QUALITY and TERRAIN are
// put in front. 0 on failure, and `why` (256 bytes) has the message of the compiler. Terrain is a
// compile-time variant, so that a pool does not pay for it.
enum gl_terrain { TERRAIN_OFF, TERRAIN_ON };
GLuint gl_program(const struct draw_setup *setup, enum gl_terrain terrain, const char *vertex,
                  const char *fragment, char *why);

// plot/field_plot.c: the rectangle of the field in the last image [pixels], from the upper left corner.
void field_plot_rect(const void *self, int origin[2], int size[2]);

// mesh_cache.c: whether the mesh is not empty and its triangles refer to existing vertices.
bool mesh_is_drawable(const tarn_render_mesh *mesh);

// lighting.c: compute sun, pool walls and spheres of the bodies from the frame.
void lighting_setup(struct draw_frame_state *s);
// Use a program and set the uniforms of _light.glsl. The water surface is texture unit 0, other textures 5 ..
// 9.
void lighting_bind(GLuint program, const struct draw_frame_state *s);

#endif
