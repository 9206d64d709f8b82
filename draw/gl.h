// Thin helpers over GL that work in both dialects.
#ifndef DRAW_GL_H
#define DRAW_GL_H

#include "draw/passes/pass.h"

// Uniforms by name; a name that the compiler dropped is no mistake.
void gl_set1i(GLuint program, const char *name, int x);
void gl_set1f(GLuint program, const char *name, float x);
void gl_set2f(GLuint program, const char *name, float x, float y);
void gl_set3f(GLuint program, const char *name, float x, float y, float z);
void gl_set4f(GLuint program, const char *name, const float *x);
void gl_set_mat4(GLuint program, const char *name, const struct mat4 *m);

// Bind a texture to a unit and tell the program's sampler.
void gl_set_texture(GLuint program, const char *name, int unit, GLuint texture);

// A texture of floats that grows with its contents: kind is GL_R32F (1 float a texel, fetched),
// GL_R16F (1, linear) or GL_RGBA16F (4, linear).
struct gl_map {
    GLuint texture;
    int width, height;
};
void gl_map_fill(struct gl_map *map, GLenum kind, int width, int height, const float *data);
void gl_map_free(struct gl_map *map);

// A height field as gl_VertexID counts it in grid_vert.glsl.
int gl_stride(const struct scene_gl *s); // columns a vertex
void gl_draw_grid(GLuint program, const struct scene_gl *s, int stride);

// One shader as two programs. False on failure, and then there is neither.
struct gl_pair {
    GLuint program[2]; // by enum gl_ground
};
bool gl_pair_make(struct gl_pair *pair, const struct draw_setup *setup, const char *vertex,
                  const char *fragment, char *why);
void gl_pair_free(struct gl_pair *pair);
GLuint gl_pair_for(const struct gl_pair *pair, const struct scene_gl *s); // the one that draws this scene

// What some passes are: such a pair and nothing else. For create and destroy.
void *gl_pair_create(const struct draw_setup *setup, const char *vertex, const char *fragment, char *why);
void gl_pair_destroy(void *self);

#endif
