// Caustics: the light that waves focus on the bed. A grid of sun rays is refracted at the surface and drawn
// where it arrives; the brightness of a triangle is the ratio of its areas before and after, so light is
// conserved. The texture has ten bits per channel, which GL and GLES can both blend.
#include "draw/frame_textures.h"

#include <stdio.h>
#include <stdlib.h>

extern const char shader_caustics_vert[], shader_caustics_frag[];

struct caustics {
    struct gl_program_pair programs;
    GLuint texture, framebuffer, array, indices;
    struct gl_texture coarse; // the surface, averaged where its cells are finer than the ray grid
    float *heights, *slopes;
    size_t capacity;      // cells
    int width, height;    // [texels] of the caustic texture
    int cells_x, cells_z; // of the ray grid
};

static void caustics_destroy(void *self)
{
    struct caustics *c = self;
    if (!c) return;
    gl_program_pair_free(&c->programs);
    glDeleteTextures(1, &c->texture);
    glDeleteFramebuffers(1, &c->framebuffer);
    glDeleteVertexArrays(1, &c->array);
    glDeleteBuffers(1, &c->indices);
    gl_texture_free(&c->coarse);
    free(c->heights);
    free(c->slopes);
    free(c);
}

static void *caustics_create(const struct draw_setup *setup, char *why)
{
    struct caustics *c = calloc(1, sizeof *c);
    if (!c) {
        snprintf(why, 256, "out of memory");
        return NULL;
    }
    if (!gl_program_pair_init(&c->programs, setup, shader_caustics_vert, shader_caustics_frag, why)) {
        free(c);
        return NULL;
    }
    glGenTextures(1, &c->texture);
    glGenFramebuffers(1, &c->framebuffer);
    glGenVertexArrays(1, &c->array);
    glGenBuffers(1, &c->indices);
    return c;
}

// Two triangles per cell of the ray grid. False without memory.
static bool create_ray_grid(struct caustics *c)
{
    const size_t count = 6 * (size_t)c->cells_x * (size_t)c->cells_z;
    GLuint *all = malloc(count * sizeof *all), *next = all;
    if (!all) return false;
    for (int j = 0; j < c->cells_z; ++j)
        for (int i = 0; i < c->cells_x; ++i) {
            const GLuint a = (GLuint)(j * (c->cells_x + 1) + i), b = a + (GLuint)c->cells_x + 1;
            *next++ = a, *next++ = a + 1, *next++ = b;
            *next++ = b, *next++ = a + 1, *next++ = b + 1;
        }
    glBindVertexArray(c->array);
    glBindBuffer(GL_ELEMENT_ARRAY_BUFFER, c->indices);
    glBufferData(GL_ELEMENT_ARRAY_BUFFER, (GLsizeiptr)(count * sizeof *all), all, GL_STATIC_DRAW);
    glBindVertexArray(0);
    free(all);
    return true;
}

// `max` for the longest side and proportionally less for a shorter one, in sixteenths.
static int proportional_size(double side, double longest, int max)
{
    const int sixteenths = (int)(16.0 * side / longest + 0.999);
    return max / 16 * (sixteenths < 1 ? 1 : sixteenths);
}

// Give texture and ray grid the proportions of the pool. False without memory.
static bool resize(struct caustics *c, const struct draw_frame_state *s)
{
    const double x = s->pool[2] - s->pool[0], z = s->pool[3] - s->pool[1], longest = x > z ? x : z;
    const int texels = s->low_quality ? 256 : 768, ray_grid = s->low_quality ? 96 : 224;
    const int width = proportional_size(x, longest, texels), height = proportional_size(z, longest, texels);
    if (width == c->width && height == c->height) return true;
    c->cells_x = proportional_size(x, longest, ray_grid),
    c->cells_z = proportional_size(z, longest, ray_grid);
    if (!create_ray_grid(c)) return false;
    glBindTexture(GL_TEXTURE_2D, c->texture);
    glTexImage2D(GL_TEXTURE_2D, 0, GL_RGB10_A2, width, height, 0, GL_RGBA, GL_UNSIGNED_INT_2_10_10_10_REV,
                 NULL);
    glTexParameteri(GL_TEXTURE_2D, GL_TEXTURE_MIN_FILTER,
                    s->low_quality ? GL_LINEAR : GL_LINEAR_MIPMAP_LINEAR);
    glTexParameteri(GL_TEXTURE_2D, GL_TEXTURE_MAG_FILTER, GL_LINEAR);
    glTexParameteri(GL_TEXTURE_2D, GL_TEXTURE_MAX_LEVEL, s->low_quality ? 0 : 1);
    glTexParameteri(GL_TEXTURE_2D, GL_TEXTURE_WRAP_S, GL_CLAMP_TO_EDGE);
    glTexParameteri(GL_TEXTURE_2D, GL_TEXTURE_WRAP_T, GL_CLAMP_TO_EDGE);
    glBindFramebuffer(GL_FRAMEBUFFER, c->framebuffer);
    glFramebufferTexture2D(GL_FRAMEBUFFER, GL_COLOR_ATTACHMENT0, GL_TEXTURE_2D, c->texture, 0);
    if (glCheckFramebufferStatus(GL_FRAMEBUFFER) != GL_FRAMEBUFFER_COMPLETE) return false;
    c->width = width, c->height = height;
    return true;
}

// Mean height of factor x factor cells
static float mean_height(const tarn_frame *f, int i, int j, int factor)
{
    float sum = 0.0f;
    int count = 0;
    for (int b = j * factor; b < (j + 1) * factor && b < f->nz; ++b)
        for (int a = i * factor; a < (i + 1) * factor && a < f->nx; ++a, ++count)
            sum += f->height[(size_t)b * (size_t)f->nx + (size_t)a];
    return sum / (float)count;
}

// The surface that the rays pass, not finer than the ray grid, and the fraction of the texture that the pool
// fills. Without memory it is the surface at full resolution.
static GLuint surface_for_rays(struct caustics *c, const struct draw_frame_state *s, float used_fraction[2])
{
    const tarn_frame *f = s->height_frame;
    const int longest = f->nx > f->nz ? f->nx : f->nz,
              ray_grid = c->cells_x > c->cells_z ? c->cells_x : c->cells_z;
    const int factor = (longest * 6 + ray_grid * 5 - 1) /
                       (ray_grid * 5); // the ray grid extends a tenth of the pool beyond each wall
    tarn_frame g = {.nx = (f->nx + factor - 1) / factor,
                    .nz = (f->nz + factor - 1) / factor,
                    .cell_size = f->cell_size * factor};
    const size_t cells = (size_t)g.nx * (size_t)g.nz;
    used_fraction[0] = used_fraction[1] = 1.0f;
    if (factor < 2) return s->surface_texture;
    if (c->capacity < cells) {
        free(c->heights);
        free(c->slopes);
        c->heights = malloc(cells * sizeof *c->heights);
        c->slopes = malloc(cells * 4 * sizeof *c->slopes);
        c->capacity = c->heights && c->slopes ? cells : 0;
        if (!c->capacity) return s->surface_texture;
    }
    for (int j = 0; j < g.nz; ++j)
        for (int i = 0; i < g.nx; ++i) c->heights[j * g.nx + i] = mean_height(f, i, j, factor);
    compute_slopes(&g, c->heights, (float)f->level, c->slopes);
    gl_texture_upload(&c->coarse, GL_RGBA16F, g.nx, g.nz, c->slopes);
    used_fraction[0] = (float)f->nx / (float)(g.nx * factor),
    used_fraction[1] = (float)f->nz / (float)(g.nz * factor);
    return c->coarse.id;
}

static void caustics_draw(void *self, struct draw_frame_state *s)
{
    struct caustics *c = self;
    const GLuint p = gl_program_pair_get(&c->programs, s);
    s->caustic_texture = 0;
    if (!resize(c, s)) return; // without the texture the sampler reads black: no sunlight on the bed
    glBindFramebuffer(GL_FRAMEBUFFER, c->framebuffer);
    glViewport(0, 0, c->width, c->height);
    glClearColor(0.0f, 0.0f, 0.0f, 1.0f);
    glClear(GL_COLOR_BUFFER_BIT);
    lighting_bind(p, s);
    float used_fraction[2];
    const GLuint surface = surface_for_rays(c, s, used_fraction);
    gl_set_texture(p, "surface_texture", 1, surface);
    gl_set2f(p, "used_fraction", used_fraction[0], used_fraction[1]);
    glUniform2i(glGetUniformLocation(p, "cells"), c->cells_x, c->cells_z);
    gl_set1f(p, "area", (float)c->width * (float)c->height);
    glEnable(GL_BLEND);
    glBlendFunc(GL_ONE, GL_ONE);
    glBindVertexArray(c->array);
    glDrawElements(GL_TRIANGLES, 6 * c->cells_x * c->cells_z, GL_UNSIGNED_INT, NULL);
    glDisable(GL_BLEND);
    glBindTexture(GL_TEXTURE_2D, c->texture);
    if (!s->low_quality) glGenerateMipmap(GL_TEXTURE_2D);
    s->caustic_texture = c->texture;
}

const struct prepass prepass_caustics = {"caustics", caustics_create, caustics_destroy, caustics_draw};
