// The shadow map: depths of bodies and terrain as seen from the sun, in the coordinates of _sun.glsl.
#include "draw/mesh_cache.h"

#include <stdio.h>
#include <stdlib.h>

extern const char shader_shadows_vert[], shader_shadows_frag[], shader_shadow_terrain_vert[];

enum { FULL_RESOLUTION = 1024, LOW_RESOLUTION = 512 }; // texels along a side

struct shadows {
    struct gl_program_pair bodies; // without and with terrain
    GLuint terrain;
    GLuint texture, framebuffer;
    GLuint samplers[2]; // with and without depth comparison
    int resolution;
};

static void shadows_destroy(void *self)
{
    struct shadows *m = self;
    if (!m) return;
    gl_program_pair_free(&m->bodies);
    glDeleteProgram(m->terrain);
    glDeleteTextures(1, &m->texture);
    glDeleteFramebuffers(1, &m->framebuffer);
    glDeleteSamplers(2, m->samplers);
    free(m);
}

static void init_sampler(GLuint id, bool compares)
{
    const GLint filter = compares ? GL_LINEAR : GL_NEAREST;
    glSamplerParameteri(id, GL_TEXTURE_MIN_FILTER, filter);
    glSamplerParameteri(id, GL_TEXTURE_MAG_FILTER, filter);
    glSamplerParameteri(id, GL_TEXTURE_WRAP_S, GL_CLAMP_TO_EDGE);
    glSamplerParameteri(id, GL_TEXTURE_WRAP_T, GL_CLAMP_TO_EDGE);
    if (!compares) return;
    glSamplerParameteri(id, GL_TEXTURE_COMPARE_MODE, GL_COMPARE_REF_TO_TEXTURE);
    glSamplerParameteri(id, GL_TEXTURE_COMPARE_FUNC, GL_LEQUAL);
}

static bool create_shadow_map(struct shadows *m, char *why)
{
    glGenTextures(1, &m->texture);
    glBindTexture(GL_TEXTURE_2D, m->texture);
    glTexImage2D(GL_TEXTURE_2D, 0, GL_DEPTH_COMPONENT24, m->resolution, m->resolution, 0, GL_DEPTH_COMPONENT,
                 GL_UNSIGNED_INT, NULL);
    glTexParameteri(GL_TEXTURE_2D, GL_TEXTURE_MIN_FILTER, GL_NEAREST);
    glTexParameteri(GL_TEXTURE_2D, GL_TEXTURE_MAG_FILTER, GL_NEAREST);
    glGenSamplers(2, m->samplers);
    init_sampler(m->samplers[0], true);
    init_sampler(m->samplers[1], false);
    glGenFramebuffers(1, &m->framebuffer);
    glBindFramebuffer(GL_FRAMEBUFFER, m->framebuffer);
    glFramebufferTexture2D(GL_FRAMEBUFFER, GL_DEPTH_ATTACHMENT, GL_TEXTURE_2D, m->texture, 0);
    glDrawBuffers(1, (const GLenum[]){GL_NONE});
    glReadBuffer(GL_NONE);
    if (glCheckFramebufferStatus(GL_FRAMEBUFFER) == GL_FRAMEBUFFER_COMPLETE) return true;
    snprintf(why, 256, "the driver cannot allocate the shadow map");
    return false;
}

static void *shadows_create(const struct draw_setup *setup, char *why)
{
    struct shadows *m = calloc(1, sizeof *m);
    if (!m) return NULL;
    m->resolution = setup->low_quality ? LOW_RESOLUTION : FULL_RESOLUTION;
    if (gl_program_pair_init(&m->bodies, setup, shader_shadows_vert, shader_shadows_frag, why) &&
        (m->terrain = gl_program(setup, TERRAIN_ON, shader_shadow_terrain_vert, shader_shadows_frag, why)) !=
            0 &&
        create_shadow_map(m, why))
        return m;
    shadows_destroy(m);
    return NULL;
}

// Coarser than the visible terrain, because the edges of shadows are soft.
static void draw_terrain(GLuint p, const struct draw_frame_state *s)
{
    const tarn_frame *f = s->height_frame;
    const int longest = f->nx > f->nz ? f->nx : f->nz, stride = 1 + longest / 200;
    const int nx = (f->nx - 2) / stride + 2, nz = (f->nz - 2) / stride + 2;
    if (f->nx < 2 || f->nz < 2) return;
    lighting_bind(p, s);
    gl_set_texture(p, "height_texture", 1, s->bed_texture);
    gl_set4f(p, "grid_origin", (const float[]){(float)f->x0, (float)f->z0, (float)f->cell_size, 0.0f});
    glUniform4i(glGetUniformLocation(p, "grid"), f->nx, f->nz, nx, nz);
    gl_set1i(p, "stride", stride);
    glDrawArrays(GL_TRIANGLES, 0, 6 * (nx - 1) * (nz - 1));
}

static void shadows_draw(void *self, struct draw_frame_state *s)
{
    struct shadows *m = self;
    const tarn_frame *f = s->frame;
    s->shadow_map = 0; // not bound as a texture while it is drawn
    glBindFramebuffer(GL_FRAMEBUFFER, m->framebuffer);
    glViewport(0, 0, m->resolution, m->resolution);
    glClear(GL_DEPTH_BUFFER_BIT);
    glEnable(GL_DEPTH_TEST);
    glEnable(GL_POLYGON_OFFSET_FILL);
    glPolygonOffset(2.0f, 4.0f);
    if (s->terrain && !s->low_quality) draw_terrain(m->terrain, s);
    const GLuint p = gl_program_pair_get(&m->bodies, s);
    lighting_bind(p, s);
    for (int i = 0; i < f->body_count; ++i) {
        const struct mat4 matrix =
            body_matrix(&f->bodies[i].state, s->terrain ? s->terrain->lowest_bed : 0.0);
        gl_set_mat4(p, "body_matrix", &matrix);
        mesh_cache_draw(s->mesh_cache, f->bodies[i].mesh);
    }
    glDisable(GL_POLYGON_OFFSET_FILL);
    glDisable(GL_DEPTH_TEST);
    s->shadow_map = m->texture;
    s->shadow_samplers[0] = m->samplers[0], s->shadow_samplers[1] = m->samplers[1];
}

const struct prepass prepass_shadows = {"shadows", shadows_create, shadows_destroy, shadows_draw};
