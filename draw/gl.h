// Helpers for OpenGL programs, uniforms and textures that work with GL 3.3 core and GLES 3.0. Used by all
// passes.
#ifndef DRAW_GL_H
#define DRAW_GL_H

#include "passes/pass.h"

// Set a uniform by name; names that the compiler has removed are ignored.
void gl_set1i(GLuint program, const char *name, int x);
void gl_set1f(GLuint program, const char *name, float x);
void gl_set2f(GLuint program, const char *name, float x, float y);
void gl_set3f(GLuint program, const char *name, float x, float y, float z);
void gl_set4f(GLuint program, const char *name, const float *x);
void gl_set_mat4(GLuint program, const char *name, const struct mat4 *m);

// Bind a texture to a unit and set the program's sampler to it.
void gl_set_texture(GLuint program, const char *name, int unit, GLuint texture);

// A texture of floats that is reallocated when its size changes. The format is GL_R32F (1 float per texel,
// nearest), GL_R16F (1 float, linear) or GL_RGBA16F (4 floats, linear).
struct gl_texture {
    GLuint id;
    int width, height;
};
void gl_texture_upload(struct gl_texture *texture, GLenum format, int width, int height, const float *data);
void gl_texture_free(struct gl_texture *texture);

// Draw a height field with grid_vert.glsl, which makes its vertices from gl_VertexID.
int grid_stride(const struct draw_frame_state *s); // columns per vertex
void gl_draw_grid(GLuint program, const struct draw_frame_state *s, int stride);

// One pair of shaders compiled without and with terrain. False on failure, and then there is neither program.
struct gl_program_pair {
    GLuint program[2]; // by enum gl_terrain
};
bool gl_program_pair_init(struct gl_program_pair *pair, const struct draw_setup *setup, const char *vertex,
                          const char *fragment, char *why);
void gl_program_pair_free(struct gl_program_pair *pair);
// The program for this frame.
GLuint gl_program_pair_get(const struct gl_program_pair *pair, const struct draw_frame_state *s);

// create and destroy of passes that own a program pair and nothing else.
void *gl_program_pair_create(const struct draw_setup *setup, const char *vertex, const char *fragment,
                             char *why);
void gl_program_pair_destroy(void *self);

#endif
