// Draws the sky and the ground around the pool at the far plane, where nothing else has been drawn.
#include "draw/gl.h"

#include <stdlib.h>

extern const char shader_fullscreen_vert[], shader_sky_frag[], shader_sky_coarse_vert[],
    shader_sky_coarse_frag[];

struct sky {
    GLuint per_pixel, per_quad; // per_quad: at low quality
};

static void sky_destroy(void *self)
{
    struct sky *sky = self;
    if (!sky) return;
    glDeleteProgram(sky->per_pixel);
    glDeleteProgram(sky->per_quad);
    free(sky);
}

static void *sky_create(const struct draw_setup *setup, char *why)
{
    struct sky *sky = calloc(1, sizeof *sky);
    if (!sky) return NULL;
    sky->per_pixel = gl_program(setup, TERRAIN_OFF, shader_fullscreen_vert, shader_sky_frag, why);
    if (sky->per_pixel)
        sky->per_quad = gl_program(setup, TERRAIN_OFF, shader_sky_coarse_vert, shader_sky_coarse_frag, why);
    if (sky->per_quad) return sky;
    sky_destroy(sky);
    return NULL;
}

static void sky_draw(void *self, const struct draw_frame_state *s)
{
    const struct sky *sky = self;
    const bool coarse =
        s->low_quality &&
        !s->terrain; // the shadow of a terrain block is too sharp to be interpolated over quads
    const GLuint p = coarse ? sky->per_quad : sky->per_pixel;
    lighting_bind(p, s);
    gl_set_mat4(p, "inverse_view_projection", &s->camera.inverse_view_projection);
    gl_set1f(p, "ground_height", s->ground);
    glEnable(GL_DEPTH_TEST);
    glDepthFunc(GL_LEQUAL);
    glDrawArrays(GL_TRIANGLES, 0, coarse ? 6 * 32 * 18 : 3);
    glDepthFunc(GL_LESS);
    glDisable(GL_DEPTH_TEST);
}

const struct pass pass_sky = {"sky", sky_create, sky_destroy, sky_draw};
