// Draws the top view of a pool with its water in one fragment shader; bodies are drawn after it. With terrain
// it draws only the ground around the block.
#include "draw/gl.h"

extern const char shader_fullscreen_vert[], shader_top_view_frag[];

static void *top_view_create(const struct draw_setup *setup, char *why)
{
    return gl_program_pair_create(setup, shader_fullscreen_vert, shader_top_view_frag, why);
}

static void top_view_draw(void *self, const struct draw_frame_state *s)
{
    const GLuint p = gl_program_pair_get(self, s);
    lighting_bind(p, s);
    gl_set_mat4(p, "inverse_view_projection", &s->camera.inverse_view_projection);
    glDrawArrays(GL_TRIANGLES, 0, 3);
}

const struct pass pass_top_view = {"top", top_view_create, gl_program_pair_destroy, top_view_draw};
