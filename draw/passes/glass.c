// Bodies of glass, laid over what is behind them: what is under water before the water is drawn, so that one sees it
// through the surface, and what is above after it, so that one sees the surface through it.
#include "bodies.h"

extern const char shader_bodies_vert[], shader_glass_frag[];

enum { ALL, UNDER, ABOVE }; // as in glass_frag.glsl

static void *glass_create(const struct draw_setup *setup, char *why)
{
    return gl_pair_create(setup, shader_bodies_vert, shader_glass_frag, why);
}

static void draw_part(void *self, const struct scene_gl *s, int part)
{
    const tarn_frame *f = s->frame;
    const GLuint p = gl_pair_for(self, s);
    bool used = false;
    for (int i = 0; i < f->body_count; ++i) {
        if (f->bodies[i].material != TARN_GLASS) continue;
        if (!used) {
            bodies_use(p, s);
            gl_set1i(p, "part", part);
            glEnable(GL_DEPTH_TEST);
            glDepthMask(GL_FALSE);
            glEnable(GL_BLEND);
            glBlendFunc(GL_ONE, GL_ONE_MINUS_SRC_ALPHA);
            glEnable(GL_CULL_FACE);
            used = true;
        }
        for (int side = 0; side < 2; ++side) { // the far wall, then the near one
            glCullFace(side ? GL_BACK : GL_FRONT);
            bodies_draw_one(p, s, &f->bodies[i], f->bodies[i].mesh);
        }
    }
    if (!used) return;
    glDisable(GL_CULL_FACE);
    glDisable(GL_BLEND);
    glDepthMask(GL_TRUE);
    glDisable(GL_DEPTH_TEST);
    glBindBuffer(GL_ARRAY_BUFFER, 0);
}

static void under_draw(void *self, const struct scene_gl *s)
{
    draw_part(self, s, s->from_above && !s->land ? ALL : UNDER); // no water is drawn over a pool from above
}

static void above_draw(void *self, const struct scene_gl *s) { draw_part(self, s, ABOVE); }

const struct pass pass_glass_under = {"glass under", glass_create, gl_pair_destroy, under_draw};
const struct pass pass_glass_above = {"glass above", glass_create, gl_pair_destroy, above_draw};
