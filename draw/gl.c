// Programs, textures, uniforms. The two dialects differ in the lines put in front of a shader, nowhere else.
#include "gl.h"

#include <stdio.h>
#include <stdlib.h>

static const char *prelude(bool gles)
{
    return gles ? "#version 300 es\n"
                  "precision highp float;\nprecision highp int;\nprecision highp sampler2D;\nprecision highp "
                  "sampler2DShadow;\n"
                : "#version 330 core\n";
}

// The log of a driver, cut to what `why` holds, without its last line end.
static void explain(char *why, const char *what, const char *log)
{
    snprintf(why, 256, "the driver refused a %s: %.200s", what, log);
    for (char *p = why; *p; ++p)
        if (*p == '\n') *p = ' ';
}

static GLuint compile(GLenum kind, const struct draw_setup *setup, enum gl_ground ground, const char *source,
                      char *why)
{
    const char *parts[4] = {prelude(setup->api == DRAW_GLES),
                            setup->fast ? "#define FAST 1\n" : "#define FAST 0\n",
                            ground == GROUND_LAND ? "#define LAND 1\n" : "#define LAND 0\n", source};
    const GLuint shader = glCreateShader(kind);
    GLint ok = GL_FALSE;
    glShaderSource(shader, 4, parts, NULL);
    glCompileShader(shader);
    glGetShaderiv(shader, GL_COMPILE_STATUS, &ok);
    if (ok) return shader;
    char log[512] = "";
    glGetShaderInfoLog(shader, sizeof log, NULL, log);
    explain(why, kind == GL_VERTEX_SHADER ? "vertex shader" : "fragment shader", log);
    glDeleteShader(shader);
    return 0;
}

GLuint gl_program(const struct draw_setup *setup, enum gl_ground ground, const char *vertex,
                  const char *fragment, char *why)
{
    const GLuint v = compile(GL_VERTEX_SHADER, setup, ground, vertex, why);
    const GLuint f = v ? compile(GL_FRAGMENT_SHADER, setup, ground, fragment, why) : 0;
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
            explain(why, "program", log);
            glDeleteProgram(program);
            program = 0;
        }
    }
    glDeleteShader(v); // lives on in the program; 0 is ignored
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

void gl_map_fill(struct gl_map *map, GLenum kind, int width, int height, const float *data)
{
    const GLenum format = kind == GL_RGBA16F ? GL_RGBA : GL_RED;
    if (!map->texture) {
        glGenTextures(1, &map->texture);
        glBindTexture(GL_TEXTURE_2D, map->texture);
        const GLint filter = kind == GL_R32F ? GL_NEAREST : GL_LINEAR; // GLES cannot filter 32-bit floats
        glTexParameteri(GL_TEXTURE_2D, GL_TEXTURE_MIN_FILTER, filter);
        glTexParameteri(GL_TEXTURE_2D, GL_TEXTURE_MAG_FILTER, filter);
        glTexParameteri(GL_TEXTURE_2D, GL_TEXTURE_WRAP_S, GL_CLAMP_TO_EDGE);
        glTexParameteri(GL_TEXTURE_2D, GL_TEXTURE_WRAP_T, GL_CLAMP_TO_EDGE);
    }
    glBindTexture(GL_TEXTURE_2D, map->texture);
    if (map->width == width && map->height == height)
        glTexSubImage2D(GL_TEXTURE_2D, 0, 0, 0, width, height, format, GL_FLOAT, data);
    else
        glTexImage2D(GL_TEXTURE_2D, 0, (GLint)kind, width, height, 0, format, GL_FLOAT, data);
    map->width = width, map->height = height;
}

void gl_map_free(struct gl_map *map)
{
    glDeleteTextures(1, &map->texture);
    *map = (struct gl_map){0};
}

// Slopes come from a map, pixel by pixel, so quads of a few pixels cost much and show nothing.
int gl_stride(const struct scene_gl *s)
{
    const int most = s->shown->nx > s->shown->nz ? s->shown->nx : s->shown->nz;
    if (s->land) return 1 + 7 * most / s->width; // shores come from a map as well
    return (s->fast && s->shown->nx > 192) || (most > 64 && s->width < 6 * most) ? 2 : 1;
}

void gl_draw_grid(GLuint p, const struct scene_gl *s, int stride)
{
    const tarn_frame *f = s->shown;
    const int nx = (f->nx + stride - 1) / stride + 2, nz = (f->nz + stride - 1) / stride + 2;
    const float place[4] = {(float)f->x0, (float)f->z0, (float)f->dx, 0.0f};
    glUniform4i(glGetUniformLocation(p, "grid"), f->nx, f->nz, nx, nz);
    gl_set1i(p, "stride", stride);
    gl_set4f(p, "place", place);
    gl_set4f(p, "walls", s->pool);
    gl_set_mat4(p, "camera", &s->camera.both);
    glDrawArrays(GL_TRIANGLES, 0, 6 * ((nx - 1) * (nz - 1) + 2 * (nx - 1) + 2 * (nz - 1)));
}

bool gl_pair_make(struct gl_pair *pair, const struct draw_setup *setup, const char *vertex,
                  const char *fragment, char *why)
{
    *pair = (struct gl_pair){{gl_program(setup, GROUND_POOL, vertex, fragment, why)}};
    if (!pair->program[GROUND_POOL]) return false;
    pair->program[GROUND_LAND] = gl_program(setup, GROUND_LAND, vertex, fragment, why);
    if (pair->program[GROUND_LAND]) return true;
    gl_pair_free(pair);
    return false;
}

void gl_pair_free(struct gl_pair *pair)
{
    for (int k = 0; k < 2; ++k) glDeleteProgram(pair->program[k]);
    *pair = (struct gl_pair){{0}};
}

GLuint gl_pair_for(const struct gl_pair *pair, const struct scene_gl *s)
{
    return pair->program[s->land ? GROUND_LAND : GROUND_POOL];
}

void *gl_pair_create(const struct draw_setup *setup, const char *vertex, const char *fragment, char *why)
{
    struct gl_pair *self = malloc(sizeof *self);
    if (!self) {
        snprintf(why, 256, "out of memory");
        return NULL;
    }
    if (gl_pair_make(self, setup, vertex, fragment, why)) return self;
    free(self);
    return NULL;
}

void gl_pair_destroy(void *self)
{
    if (!self) return;
    gl_pair_free(self);
    free(self);
}
