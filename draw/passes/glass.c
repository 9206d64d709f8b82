// Draws glass bodies by blending. The submerged parts are drawn before the water, so that the water refracts
// them; the dry parts after it, so that the water is visible through them.
#include "bodies.h"

extern const char shader_bodies_vert[], shader_glass_frag[];

enum { ALL_GLASS, SUBMERGED_GLASS, DRY_GLASS }; // glass_frag.glsl repeats the numbers

static void *glass_create(const struct draw_setup *setup, char *why)
{
    return gl_program_pair_create(setup, shader_bodies_vert, shader_glass_frag, why);
}

static void draw_glass(void *self, const struct draw_frame_state *s, int element)
{
    const tarn_frame *f = s->frame;
    const GLuint p = gl_program_pair_get(self, s);
    bool is_bound = false;
    for (int i = 0; i < f->body_count; ++i) {
        if (f->bodies[i].appearance != TARN_APPEARANCE_GLASS) continue;
        if (!is_bound) {
            bodies_bind(p, s);
            gl_set1i(p, "element", element);
            glEnable(GL_DEPTH_TEST);
            glDepthMask(GL_FALSE);
            glEnable(GL_BLEND);
            glBlendFunc(GL_ONE, GL_ONE_MINUS_SRC_ALPHA);
            glEnable(GL_CULL_FACE);
            is_bound = true;
        }
        for (int side = 0; side < 2; ++side) { // the far wall, then the near one
            glCullFace(side ? GL_BACK : GL_FRONT);
            bodies_draw_one(p, s, &f->bodies[i], f->bodies[i].mesh);
        }
    }
    if (!is_bound) return;
    glDisable(GL_CULL_FACE);
    glDisable(GL_BLEND);
    glDepthMask(GL_TRUE);
    glDisable(GL_DEPTH_TEST);
    glBindBuffer(GL_ARRAY_BUFFER, 0);
}

static void submerged_draw(void *self, const struct draw_frame_state *s)
{
    draw_glass(self, s,
               s->top_down && !s->terrain ? ALL_GLASS
                                          : SUBMERGED_GLASS); // seen from above, a pool has no water pass
}

static void dry_draw(void *self, const struct draw_frame_state *s) { draw_glass(self, s, DRY_GLASS); }

const struct pass pass_glass_submerged = {"glass under", glass_create, gl_program_pair_destroy,
                                          submerged_draw};
const struct pass pass_glass_dry = {"glass above", glass_create, gl_program_pair_destroy, dry_draw};
