// The water: surface and cut sides in one draw call, over a copy of the scene below.
#include "draw/gl.h"

extern const char shader_grid_vert[], shader_water_frag[];

static void *water_create(const struct draw_setup *setup, char *why)
{
    return gl_pair_create(setup, shader_grid_vert, shader_water_frag, why);
}

static void water_draw(void *self, const struct scene_gl *s)
{
    const GLuint p = gl_pair_for(self, s);
    light_use(p, s);
    gl_set_texture(p, "top_map", 1, s->height_map);
    if (s->land) gl_set_texture(p, "bottom_map", 2, s->bed_map);
    gl_set_texture(p, "below_colour", 3, s->below_colour);
    gl_set_texture(p, "below_depth", 4, s->below_depth);
    gl_set1i(p, "has_bottom", s->land != NULL);
    gl_set1f(p, "bottom_flat", 0.0f);
    gl_set_mat4(p, "unproject", &s->camera.back);
    gl_set2f(p, "size", (float)s->width, (float)s->height);
    glEnable(GL_DEPTH_TEST);
    if (s->fast) {
        glEnable(GL_BLEND);
        glBlendFunc(GL_ONE, GL_ONE_MINUS_SRC_ALPHA);
    }
    gl_draw_grid(p, s, gl_stride(s));
    glDisable(GL_BLEND);
    glDisable(GL_DEPTH_TEST);
}

const struct pass pass_water = {"water", water_create, gl_pair_destroy, water_draw};
