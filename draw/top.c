// The pool from above, water and all, computed pixel by pixel; the bodies come after it.
#include "gl.h"

extern const char shader_screen_vert[], shader_top_frag[];

static void *top_create(const struct draw_setup *setup, char *why)
{
    return gl_simple_create(setup, shader_screen_vert, shader_top_frag, why);
}

static void top_draw(void *self, const struct scene_gl *s)
{
    const GLuint p = ((struct gl_simple *)self)->program;
    light_use(p, s);
    gl_set_mat4(p, "unproject", &s->camera.back);
    gl_set_texture(p, "bed_map", 1, s->bed_map ? s->bed_map : s->height_map);
    gl_set1i(p, "has_bed", s->bed_map != 0);
    gl_set1f(p, "dx", (float)s->frame->dx);
    glDrawArrays(GL_TRIANGLES, 0, 3);
}

const struct pass pass_top = {"top", top_create, gl_simple_destroy, top_draw};
