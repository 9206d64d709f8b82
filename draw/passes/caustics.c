// The light that waves gather on the ground: a net of sunrays through the surface, drawn where they arrive, each
// mesh as bright as it has shrunk. The map has ten bits a value, which every dialect can blend; all light that goes in
// comes out.
#include "draw/frame_textures.h"

#include <stdio.h>
#include <stdlib.h>

extern const char shader_caustics_vert[], shader_caustics_frag[];

struct caustics {
    struct gl_pair programs;
    GLuint texture, frame, array, indices;
    struct gl_map coarse; // the surface where it is finer than the net: rays must not miss whole waves
    float *heights, *smooth;
    size_t room;          // cells
    int width, height;    // of the map
    int cells_x, cells_z; // of the net
};

static void caustics_destroy(void *self)
{
    struct caustics *c = self;
    if (!c) return;
    gl_pair_free(&c->programs);
    glDeleteTextures(1, &c->texture);
    glDeleteFramebuffers(1, &c->frame);
    glDeleteVertexArrays(1, &c->array);
    glDeleteBuffers(1, &c->indices);
    gl_map_free(&c->coarse);
    free(c->heights);
    free(c->smooth);
    free(c);
}

static void *caustics_create(const struct draw_setup *setup, char *why)
{
    struct caustics *c = calloc(1, sizeof *c);
    if (!c) {
        snprintf(why, 256, "out of memory");
        return NULL;
    }
    if (!gl_pair_make(&c->programs, setup, shader_caustics_vert, shader_caustics_frag, why)) {
        free(c);
        return NULL;
    }
    glGenTextures(1, &c->texture);
    glGenFramebuffers(1, &c->frame);
    glGenVertexArrays(1, &c->array);
    glGenBuffers(1, &c->indices);
    return c;
}

// Two triangles a cell of the net. False without memory.
static bool net_make(struct caustics *c)
{
    const size_t count = 6 * (size_t)c->cells_x * (size_t)c->cells_z;
    GLuint *all = malloc(count * sizeof *all), *at = all;
    if (!all) return false;
    for (int j = 0; j < c->cells_z; ++j)
        for (int i = 0; i < c->cells_x; ++i) {
            const GLuint a = (GLuint)(j * (c->cells_x + 1) + i), b = a + (GLuint)c->cells_x + 1;
            *at++ = a, *at++ = a + 1, *at++ = b;
            *at++ = b, *at++ = a + 1, *at++ = b + 1;
        }
    glBindVertexArray(c->array);
    glBindBuffer(GL_ELEMENT_ARRAY_BUFFER, c->indices);
    glBufferData(GL_ELEMENT_ARRAY_BUFFER, (GLsizeiptr)(count * sizeof *all), all, GL_STATIC_DRAW);
    glBindVertexArray(0);
    free(all);
    return true;
}

// A part of the longer side, in whole sixteenths of it.
static int share(double side, double longest, int most)
{
    const int sixteenths = (int)(16.0 * side / longest + 0.999);
    return most / 16 * (sixteenths < 1 ? 1 : sixteenths);
}

// Map and net as long and wide as the pool. False without memory.
static bool fit(struct caustics *c, const struct scene_gl *s)
{
    const double x = s->pool[2] - s->pool[0], z = s->pool[3] - s->pool[1], most = x > z ? x : z;
    const int map = s->fast ? 256 : 768, net = s->fast ? 96 : 224;
    const int width = share(x, most, map), height = share(z, most, map);
    if (width == c->width && height == c->height) return true;
    c->cells_x = share(x, most, net), c->cells_z = share(z, most, net);
    if (!net_make(c)) return false;
    glBindTexture(GL_TEXTURE_2D, c->texture);
    glTexImage2D(GL_TEXTURE_2D, 0, GL_RGB10_A2, width, height, 0, GL_RGBA, GL_UNSIGNED_INT_2_10_10_10_REV,
                 NULL);
    glTexParameteri(GL_TEXTURE_2D, GL_TEXTURE_MIN_FILTER, s->fast ? GL_LINEAR : GL_LINEAR_MIPMAP_LINEAR);
    glTexParameteri(GL_TEXTURE_2D, GL_TEXTURE_MAG_FILTER, GL_LINEAR);
    glTexParameteri(GL_TEXTURE_2D, GL_TEXTURE_MAX_LEVEL, s->fast ? 0 : 1);
    glTexParameteri(GL_TEXTURE_2D, GL_TEXTURE_WRAP_S, GL_CLAMP_TO_EDGE);
    glTexParameteri(GL_TEXTURE_2D, GL_TEXTURE_WRAP_T, GL_CLAMP_TO_EDGE);
    glBindFramebuffer(GL_FRAMEBUFFER, c->frame);
    glFramebufferTexture2D(GL_FRAMEBUFFER, GL_COLOR_ATTACHMENT0, GL_TEXTURE_2D, c->texture, 0);
    if (glCheckFramebufferStatus(GL_FRAMEBUFFER) != GL_FRAMEBUFFER_COMPLETE) return false;
    c->width = width, c->height = height;
    return true;
}

// Mean height of by x by cells
static float mean_height(const tarn_frame *f, int i, int j, int by)
{
    float sum = 0.0f;
    int count = 0;
    for (int b = j * by; b < (j + 1) * by && b < f->nz; ++b)
        for (int a = i * by; a < (i + 1) * by && a < f->nx; ++a, ++count)
            sum += f->height[(size_t)b * (size_t)f->nx + (size_t)a];
    return sum / (float)count;
}

// The surface that rays pass, and how much of the map it fills; no finer than the net. Without memory the fine one.
static GLuint surface_for_net(struct caustics *c, const struct scene_gl *s, float fills[2])
{
    const tarn_frame *f = s->shown;
    const int most = f->nx > f->nz ? f->nx : f->nz, net = c->cells_x > c->cells_z ? c->cells_x : c->cells_z;
    const int by = (most * 6 + net * 5 - 1) / (net * 5); // the net goes a tenth beyond each wall
    tarn_frame g = {.nx = (f->nx + by - 1) / by, .nz = (f->nz + by - 1) / by, .dx = f->dx * by};
    const size_t cells = (size_t)g.nx * (size_t)g.nz;
    fills[0] = fills[1] = 1.0f;
    if (by < 2) return s->surface_map;
    if (c->room < cells) {
        free(c->heights);
        free(c->smooth);
        c->heights = malloc(cells * sizeof *c->heights);
        c->smooth = malloc(cells * 4 * sizeof *c->smooth);
        c->room = c->heights && c->smooth ? cells : 0;
        if (!c->room) return s->surface_map;
    }
    for (int j = 0; j < g.nz; ++j)
        for (int i = 0; i < g.nx; ++i) c->heights[j * g.nx + i] = mean_height(f, i, j, by);
    maps_smooth(&g, c->heights, (float)f->level, c->smooth);
    gl_map_fill(&c->coarse, GL_RGBA16F, g.nx, g.nz, c->smooth);
    fills[0] = (float)f->nx / (float)(g.nx * by), fills[1] = (float)f->nz / (float)(g.nz * by);
    return c->coarse.texture;
}

static void caustics_draw(void *self, struct scene_gl *s)
{
    struct caustics *c = self;
    const GLuint p = gl_pair_for(&c->programs, s);
    s->caustic_map = 0;
    if (!fit(c, s)) return; // without a map there is no light on the ground: a missing texture is black
    glBindFramebuffer(GL_FRAMEBUFFER, c->frame);
    glViewport(0, 0, c->width, c->height);
    glClearColor(0.0f, 0.0f, 0.0f, 1.0f);
    glClear(GL_COLOR_BUFFER_BIT);
    light_use(p, s);
    float fills[2];
    const GLuint surface = surface_for_net(c, s, fills);
    gl_set_texture(p, "rays_map", 1, surface);
    gl_set2f(p, "fills", fills[0], fills[1]);
    glUniform2i(glGetUniformLocation(p, "cells"), c->cells_x, c->cells_z);
    gl_set1f(p, "area", (float)c->width * (float)c->height);
    glEnable(GL_BLEND);
    glBlendFunc(GL_ONE, GL_ONE);
    glBindVertexArray(c->array);
    glDrawElements(GL_TRIANGLES, 6 * c->cells_x * c->cells_z, GL_UNSIGNED_INT, NULL);
    glDisable(GL_BLEND);
    glBindTexture(GL_TEXTURE_2D, c->texture);
    if (!s->fast) glGenerateMipmap(GL_TEXTURE_2D);
    s->caustic_map = c->texture;
}

const struct early early_caustics = {"caustics", caustics_create, caustics_destroy, caustics_draw};
