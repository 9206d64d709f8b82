// Programs, textures and uniforms. GL and GLES differ only in the lines that are put in front of a shader.
#include "gl.h"

#include <stdio.h>
#include <stdlib.h>

static const char *version_lines(bool gles)
{
    return gles ? "#version 300 es\n"
                  "precision highp float;\nprecision highp int;\nprecision highp sampler2D;\nprecision highp "
                  "sampler2DShadow;\n"
                : "#version 330 core\n";
}

// Write the message of the shader compiler to `why`, shortened and on one line.
static void write_reason(char *why, const char *what, const char *log)
{
    snprintf(why, 256, "the driver rejected a %s: %.200s", what, log);
    for (char *p = why; *p; ++p)
        if (*p == '\n') *p = ' ';
}

static GLuint compile(GLenum kind, const struct draw_setup *setup, enum gl_terrain terrain,
                      const char *source, char *why)
{
    const char *parts[4] = {version_lines(setup->api == DRAW_GLES),
                            setup->low_quality ? "#define LOW_QUALITY 1\n" : "#define LOW_QUALITY 0\n",
                            terrain == TERRAIN_ON ? "#define TERRAIN 1\n" : "#define TERRAIN 0\n", source};
    const GLuint shader = glCreateShader(kind);
    GLint ok = GL_FALSE;
    glShaderSource(shader, 4, parts, NULL);
    glCompileShader(shader);
    glGetShaderiv(shader, GL_COMPILE_STATUS, &ok);
    if (ok) return shader;
    char log[512] = "";
    glGetShaderInfoLog(shader, sizeof log, NULL, log);
    write_reason(why, kind == GL_VERTEX_SHADER ? "vertex shader" : "fragment shader", log);
    glDeleteShader(shader);
    return 0;
}

GLuint gl_program(const struct draw_setup *setup, enum gl_terrain terrain, const char *vertex,
                  const char *fragment, char *why)
{
    const GLuint v = compile(GL_VERTEX_SHADER, setup, terrain, vertex, why);
    const GLuint f = v ? compile(GL_FRAGMENT_SHADER, setup, terrain, fragment, why) : 0;
    GLuint program = 0;
    if (v && f) {
        GLint ok = GL_FALSE;
        program = glCreateProgram();
        glAttachShader(program, v);
        glAttachShader(program, f);
        glLinkProgram(program);
        glGetProgramiv(program, GL_LINK_STATUS, &ok);
        if (!ok) {
            char log[512] = "";
            glGetProgramInfoLog(program, sizeof log, NULL, log);
            write_reason(why, "program", log);
            glDeleteProgram(program);
            program = 0;
        }
    }
    glDeleteShader(v); // a program keeps its shaders; 0 is ignored
    glDeleteShader(f);
    return program;
}

void gl_set1i(GLuint p, const char *name, int x) { glUniform1i(glGetUniformLocation(p, name), x); }
void gl_set1f(GLuint p, const char *name, float x) { glUniform1f(glGetUniformLocation(p, name), x); }
void gl_set2f(GLuint p, const char *name, float x, float y)
{
    glUniform2f(glGetUniformLocation(p, name), x, y);
}
void gl_set3f(GLuint p, const char *name, float x, float y, float z)
{
    glUniform3f(glGetUniformLocation(p, name), x, y, z);
}
void gl_set4f(GLuint p, const char *name, const float *x)
{
    glUniform4fv(glGetUniformLocation(p, name), 1, x);
}
void gl_set_mat4(GLuint p, const char *name, const struct mat4 *m)
{
    glUniformMatrix4fv(glGetUniformLocation(p, name), 1, GL_FALSE, m->m);
}

void gl_set_texture(GLuint p, const char *name, int unit, GLuint texture)
{
    glActiveTexture(GL_TEXTURE0 + (GLenum)unit);
    glBindTexture(GL_TEXTURE_2D, texture);
    gl_set1i(p, name, unit);
}

void gl_texture_upload(struct gl_texture *texture, GLenum format, int width, int height, const float *data)
{
    const GLenum components = format == GL_RGBA16F ? GL_RGBA : GL_RED;
    if (!texture->id) {
        glGenTextures(1, &texture->id);
        glBindTexture(GL_TEXTURE_2D, texture->id);
        const GLint filter = format == GL_R32F ? GL_NEAREST : GL_LINEAR; // GLES cannot filter 32-bit floats
        glTexParameteri(GL_TEXTURE_2D, GL_TEXTURE_MIN_FILTER, filter);
        glTexParameteri(GL_TEXTURE_2D, GL_TEXTURE_MAG_FILTER, filter);
        glTexParameteri(GL_TEXTURE_2D, GL_TEXTURE_WRAP_S, GL_CLAMP_TO_EDGE);
        glTexParameteri(GL_TEXTURE_2D, GL_TEXTURE_WRAP_T, GL_CLAMP_TO_EDGE);
    }
    glBindTexture(GL_TEXTURE_2D, texture->id);
    if (texture->width == width && texture->height == height)
        glTexSubImage2D(GL_TEXTURE_2D, 0, 0, 0, width, height, components, GL_FLOAT, data);
    else
        glTexImage2D(GL_TEXTURE_2D, 0, (GLint)format, width, height, 0, components, GL_FLOAT, data);
    texture->width = width, texture->height = height;
}

void gl_texture_free(struct gl_texture *texture)
{
    glDeleteTextures(1, &texture->id);
    *texture = (struct gl_texture){0};
}

// Slopes come from a texture for every pixel, so quads of a few pixels would cost time without a visible
// gain.
int grid_stride(const struct draw_frame_state *s)
{
    const int longest = s->height_frame->nx > s->height_frame->nz ? s->height_frame->nx : s->height_frame->nz;
    if (s->terrain) return 1 + 7 * longest / s->width; // shorelines come from a texture too
    return (s->low_quality && s->height_frame->nx > 192) || (longest > 64 && s->width < 6 * longest) ? 2 : 1;
}

void gl_draw_grid(GLuint p, const struct draw_frame_state *s, int stride)
{
    const tarn_frame *f = s->height_frame;
    const int nx = (f->nx + stride - 1) / stride + 2, nz = (f->nz + stride - 1) / stride + 2;
    const float origin[4] = {(float)f->x0, (float)f->z0, (float)f->cell_size, 0.0f};
    glUniform4i(glGetUniformLocation(p, "grid"), f->nx, f->nz, nx, nz);
    gl_set1i(p, "stride", stride);
    gl_set4f(p, "grid_origin", origin);
    gl_set4f(p, "walls", s->pool);
    gl_set_mat4(p, "view_projection", &s->camera.view_projection);
    glDrawArrays(GL_TRIANGLES, 0, 6 * ((nx - 1) * (nz - 1) + 2 * (nx - 1) + 2 * (nz - 1)));
}

bool gl_program_pair_init(struct gl_program_pair *pair, const struct draw_setup *setup, const char *vertex,
                          const char *fragment, char *why)
{
    *pair = (struct gl_program_pair){{gl_program(setup, TERRAIN_OFF, vertex, fragment, why)}};
    if (!pair->program[TERRAIN_OFF]) return false;
    pair->program[TERRAIN_ON] = gl_program(setup, TERRAIN_ON, vertex, fragment, why);
    if (pair->program[TERRAIN_ON]) return true;
    gl_program_pair_free(pair);
    return false;
}

void gl_program_pair_free(struct gl_program_pair *pair)
{
    for (int k = 0; k < 2; ++k) glDeleteProgram(pair->program[k]);
    *pair = (struct gl_program_pair){{0}};
}

GLuint gl_program_pair_get(const struct gl_program_pair *pair, const struct draw_frame_state *s)
{
    return pair->program[s->terrain ? TERRAIN_ON : TERRAIN_OFF];
}

void *gl_program_pair_create(const struct draw_setup *setup, const char *vertex, const char *fragment,
                             char *why)
{
    struct gl_program_pair *self = malloc(sizeof *self);
    if (!self) {
        snprintf(why, 256, "out of memory");
        return NULL;
    }
    if (gl_program_pair_init(self, setup, vertex, fragment, why)) return self;
    free(self);
    return NULL;
}

void gl_program_pair_destroy(void *self)
{
    if (!self) return;
    gl_program_pair_free(self);
    free(self);
}
