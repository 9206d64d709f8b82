// Sky and ground behind everything: one triangle at the far end, where nothing else has been drawn.
#include "gl.h"

extern const char shader_screen_vert[], shader_sky_frag[];

static void *sky_create(bool gles, char *why)
{
    return gl_simple_create(gles, shader_screen_vert, shader_sky_frag, why);
}

static void sky_draw(void *self, const struct scene_gl *s)
{
    const GLuint p = ((struct gl_simple *)self)->program;
    light_use(p, s);
    gl_set_mat4(p, "unproject", &s->camera.back);
    gl_set1f(p, "ground_at", s->ground);
    glEnable(GL_DEPTH_TEST);
    glDepthFunc(GL_LEQUAL);
    glDrawArrays(GL_TRIANGLES, 0, 3);
    glDepthFunc(GL_LESS);
    glDisable(GL_DEPTH_TEST);
}

const struct pass pass_sky = {"sky", sky_create, gl_simple_destroy, sky_draw};
