// The pool from above, water and all, computed pixel by pixel; the bodies come after it. Of land only
// the table around it: block and water follow.
#include "draw/gl.h"

extern const char shader_fullscreen_vert[], shader_top_view_frag[];

static void *top_create(const struct draw_setup *setup, char *why)
{
    return gl_pair_create(setup, shader_fullscreen_vert, shader_top_view_frag, why);
}

static void top_draw(void *self, const struct scene_gl *s)
{
    const GLuint p = gl_pair_for(self, s);
    light_use(p, s);
    gl_set_mat4(p, "unproject", &s->camera.back);
    glDrawArrays(GL_TRIANGLES, 0, 3);
}

const struct pass pass_top = {"top", top_create, gl_pair_destroy, top_draw};
