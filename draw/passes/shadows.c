// What the sun sees first along each ray, as a map of depths: bodies, and hills.
#include "draw/mesh_cache.h"

#include <stdio.h>
#include <stdlib.h>

extern const char shader_shadows_vert[], shader_shadows_frag[], shader_shadow_terrain_vert[];

enum { FINE = 1024, COARSE = 512 }; // texels along a side

struct shadows {
    struct gl_pair bodies; // by what the ground is
    GLuint hills;
    GLuint texture, frame;
    GLuint samplers[2]; // compared and plain
    int size;
};

static void shadows_destroy(void *self)
{
    struct shadows *s = self;
    if (!s) return;
    gl_pair_free(&s->bodies);
    glDeleteProgram(s->hills);
    glDeleteTextures(1, &s->texture);
    glDeleteFramebuffers(1, &s->frame);
    glDeleteSamplers(2, s->samplers);
    free(s);
}

static void sampler_make(GLuint id, bool compared)
{
    const GLint filter = compared ? GL_LINEAR : GL_NEAREST;
    glSamplerParameteri(id, GL_TEXTURE_MIN_FILTER, filter);
    glSamplerParameteri(id, GL_TEXTURE_MAG_FILTER, filter);
    glSamplerParameteri(id, GL_TEXTURE_WRAP_S, GL_CLAMP_TO_EDGE);
    glSamplerParameteri(id, GL_TEXTURE_WRAP_T, GL_CLAMP_TO_EDGE);
    if (!compared) return;
    glSamplerParameteri(id, GL_TEXTURE_COMPARE_MODE, GL_COMPARE_REF_TO_TEXTURE);
    glSamplerParameteri(id, GL_TEXTURE_COMPARE_FUNC, GL_LEQUAL);
}

static bool map_make(struct shadows *s, char *why)
{
    glGenTextures(1, &s->texture);
    glBindTexture(GL_TEXTURE_2D, s->texture);
    glTexImage2D(GL_TEXTURE_2D, 0, GL_DEPTH_COMPONENT24, s->size, s->size, 0, GL_DEPTH_COMPONENT,
                 GL_UNSIGNED_INT, NULL);
    glTexParameteri(GL_TEXTURE_2D, GL_TEXTURE_MIN_FILTER, GL_NEAREST);
    glTexParameteri(GL_TEXTURE_2D, GL_TEXTURE_MAG_FILTER, GL_NEAREST);
    glGenSamplers(2, s->samplers);
    sampler_make(s->samplers[0], true);
    sampler_make(s->samplers[1], false);
    glGenFramebuffers(1, &s->frame);
    glBindFramebuffer(GL_FRAMEBUFFER, s->frame);
    glFramebufferTexture2D(GL_FRAMEBUFFER, GL_DEPTH_ATTACHMENT, GL_TEXTURE_2D, s->texture, 0);
    glDrawBuffers(1, (const GLenum[]){GL_NONE});
    glReadBuffer(GL_NONE);
    if (glCheckFramebufferStatus(GL_FRAMEBUFFER) == GL_FRAMEBUFFER_COMPLETE) return true;
    snprintf(why, 256, "the driver has no room for a map of shadows");
    return false;
}

static void *shadows_create(const struct draw_setup *setup, char *why)
{
    struct shadows *s = calloc(1, sizeof *s);
    if (!s) return NULL;
    s->size = setup->fast ? COARSE : FINE;
    if (gl_pair_make(&s->bodies, setup, shader_shadows_vert, shader_shadows_frag, why) &&
        (s->hills = gl_program(setup, GROUND_LAND, shader_shadow_terrain_vert, shader_shadows_frag, why)) !=
            0 &&
        map_make(s, why))
        return s;
    shadows_destroy(s);
    return NULL;
}

// Coarser than the ground is drawn: an edge of a shadow is soft.
static void draw_hills(GLuint p, const struct scene_gl *s)
{
    const tarn_frame *f = s->shown;
    const int most = f->nx > f->nz ? f->nx : f->nz, stride = 1 + most / 200;
    const int nx = (f->nx - 2) / stride + 2, nz = (f->nz - 2) / stride + 2;
    if (f->nx < 2 || f->nz < 2) return;
    light_use(p, s);
    gl_set_texture(p, "top_map", 1, s->bed_map);
    gl_set4f(p, "place", (const float[]){(float)f->x0, (float)f->z0, (float)f->dx, 0.0f});
    glUniform4i(glGetUniformLocation(p, "grid"), f->nx, f->nz, nx, nz);
    gl_set1i(p, "stride", stride);
    glDrawArrays(GL_TRIANGLES, 0, 6 * (nx - 1) * (nz - 1));
}

static void shadows_draw(void *self, struct scene_gl *s)
{
    struct shadows *m = self;
    const tarn_frame *f = s->frame;
    s->shadow_map = 0; // nobody reads it while it is drawn
    glBindFramebuffer(GL_FRAMEBUFFER, m->frame);
    glViewport(0, 0, m->size, m->size);
    glClear(GL_DEPTH_BUFFER_BIT);
    glEnable(GL_DEPTH_TEST);
    glEnable(GL_POLYGON_OFFSET_FILL);
    glPolygonOffset(2.0f, 4.0f);
    if (s->land && !s->fast) draw_hills(m->hills, s);
    const GLuint p = gl_pair_for(&m->bodies, s);
    light_use(p, s);
    for (int i = 0; i < f->body_count; ++i) {
        const struct mat4 pose = models_pose(&f->bodies[i].motion, s->land ? s->land->datum : 0.0);
        gl_set_mat4(p, "pose", &pose);
        models_draw(s->models, f->bodies[i].mesh);
    }
    glDisable(GL_POLYGON_OFFSET_FILL);
    glDisable(GL_DEPTH_TEST);
    s->shadow_map = m->texture;
    s->shadow_samplers[0] = m->samplers[0], s->shadow_samplers[1] = m->samplers[1];
}

const struct early early_shadows = {"shadows", shadows_create, shadows_destroy, shadows_draw};
