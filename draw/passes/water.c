// Draws the water: its surface and its sides at the boundaries in one draw call. The fragment shader refracts
// a copy of the opaque scene.
#include "draw/gl.h"

extern const char shader_grid_vert[], shader_water_frag[];

static void *water_create(const struct draw_setup *setup, char *why)
{
    return gl_program_pair_create(setup, shader_grid_vert, shader_water_frag, why);
}

static void water_draw(void *self, const struct draw_frame_state *s)
{
    const GLuint p = gl_program_pair_get(self, s);
    lighting_bind(p, s);
    gl_set_texture(p, "height_texture", 1, s->height_texture);
    if (s->terrain) gl_set_texture(p, "bottom_texture", 2, s->bed_texture);
    gl_set_texture(p, "refraction_colour", 3, s->refraction_colour);
    gl_set_texture(p, "refraction_depth", 4, s->refraction_depth);
    gl_set1i(p, "has_bottom_texture", s->terrain != NULL);
    gl_set1f(p, "bottom_height", 0.0f);
    gl_set_mat4(p, "inverse_view_projection", &s->camera.inverse_view_projection);
    gl_set2f(p, "image_size", (float)s->width, (float)s->height);
    glEnable(GL_DEPTH_TEST);
    if (s->low_quality) {
        glEnable(GL_BLEND);
        glBlendFunc(GL_ONE, GL_ONE_MINUS_SRC_ALPHA);
    }
    gl_draw_grid(p, s, grid_stride(s));
    glDisable(GL_BLEND);
    glDisable(GL_DEPTH_TEST);
}

const struct pass pass_water = {"water", water_create, gl_program_pair_destroy, water_draw};
