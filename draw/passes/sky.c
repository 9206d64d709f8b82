// Sky and ground behind everything: at the far end, where nothing else has been drawn.
#include "draw/gl.h"

#include <stdlib.h>

extern const char shader_fullscreen_vert[], shader_sky_frag[], shader_sky_coarse_vert[],
    shader_sky_coarse_frag[];

struct sky {
    GLuint fine, coarse; // by pixels, and by quads for fast pictures
};

static void sky_destroy(void *self)
{
    struct sky *sky = self;
    if (!sky) return;
    glDeleteProgram(sky->fine);
    glDeleteProgram(sky->coarse);
    free(sky);
}

static void *sky_create(const struct draw_setup *setup, char *why)
{
    struct sky *sky = calloc(1, sizeof *sky);
    if (!sky) return NULL;
    sky->fine = gl_program(setup, GROUND_POOL, shader_fullscreen_vert, shader_sky_frag, why);
    if (sky->fine)
        sky->coarse = gl_program(setup, GROUND_POOL, shader_sky_coarse_vert, shader_sky_coarse_frag, why);
    if (sky->coarse) return sky;
    sky_destroy(sky);
    return NULL;
}

static void sky_draw(void *self, const struct scene_gl *s)
{
    const struct sky *sky = self;
    const bool coarse = s->fast && !s->land; // the shadow of a mountain is too sharp for quads
    const GLuint p = coarse ? sky->coarse : sky->fine;
    light_use(p, s);
    gl_set_mat4(p, "unproject", &s->camera.back);
    gl_set1f(p, "ground_at", s->ground);
    glEnable(GL_DEPTH_TEST);
    glDepthFunc(GL_LEQUAL);
    glDrawArrays(GL_TRIANGLES, 0, coarse ? 6 * 32 * 18 : 3);
    glDepthFunc(GL_LESS);
    glDisable(GL_DEPTH_TEST);
}

const struct pass pass_sky = {"sky", sky_create, sky_destroy, sky_draw};
