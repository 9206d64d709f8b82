// Draws opaque bodies with their pose, colour and material, and the interior of open hulls.
#include "bodies.h"

#include <math.h>

extern const char shader_bodies_vert[], shader_bodies_frag[];

static void *bodies_create(const struct draw_setup *setup, char *why)
{
    return gl_program_pair_create(setup, shader_bodies_vert, shader_bodies_frag, why);
}

void bodies_bind(GLuint p, const struct draw_frame_state *s)
{
    lighting_bind(p, s);
    gl_set_mat4(p, "view_projection", &s->camera.view_projection);
    gl_set1i(p, "top_down", s->top_down && !s->terrain);
    gl_set1i(p, "is_interior", 0);
}

// Wood grain runs along the longest side of the bounding box of a mesh.
static void set_grain(GLuint p, const tarn_render_mesh *mesh)
{
    float half[3] = {0};
    int longest = 0;
    for (int v = 0; v < mesh->vertex_count; ++v)
        for (int k = 0; k < 3; ++k) half[k] = fmaxf(half[k], fabsf(mesh->vertices[3 * v + k]));
    for (int k = 1; k < 3; ++k)
        if (half[k] > half[longest]) longest = k;
    gl_set3f(p, "grain_axis", longest == 0, longest == 1, longest == 2);
    gl_set1f(p, "grain_scale", half[longest] > 0.0f ? 1.0f / half[longest] : 1.0f);
}

void bodies_draw_one(GLuint p, const struct draw_frame_state *s, const tarn_frame_body *body,
                     const tarn_render_mesh *mesh)
{
    if (!mesh_is_drawable(mesh)) return;
    const struct mat4 matrix = body_matrix(&body->state, s->terrain ? s->terrain->lowest_bed : 0.0);
    gl_set_mat4(p, "body_matrix", &matrix);
    gl_set3f(p, "base_colour", powf((float)body->colour.x, 2.2f), powf((float)body->colour.y, 2.2f),
             powf((float)body->colour.z, 2.2f));
    gl_set1i(p, "material", body->appearance);
    if (body->appearance == TARN_APPEARANCE_WOOD) set_grain(p, mesh);
    mesh_cache_draw(s->mesh_cache, mesh);
}

// An open hull that is not submerged: its interior is dry down to the floodwater, although it lies below the
// surface around the hull.
static bool shows_interior(const tarn_frame_body *body)
{
    return body->hold && body->load.submerged_fraction < 0.999;
}

// Draw the inner walls again, slightly nearer, with front faces culled.
static void draw_interior(GLuint p, const struct draw_frame_state *s, const tarn_frame_body *body)
{
    const double water = fmax(body->hold_level - (s->terrain ? s->terrain->lowest_bed : 0.0), -1e6);
    gl_set1i(p, "is_interior", 1);
    gl_set1f(p, "floodwater_level", (float)water);
    glEnable(GL_CULL_FACE);
    glCullFace(GL_FRONT);
    glEnable(GL_POLYGON_OFFSET_FILL);
    glPolygonOffset(-1.0f, -1.0f);
    bodies_draw_one(p, s, body, body->hold);
    glDisable(GL_POLYGON_OFFSET_FILL);
    glCullFace(GL_BACK);
    glDisable(GL_CULL_FACE);
    gl_set1i(p, "is_interior", 0);
}

// Draw the capped compartments into the depth buffer only, so that the water surface, which is drawn later,
// is hidden inside a hull.
static void draw_compartment_depths(GLuint p, const struct draw_frame_state *s)
{
    glColorMask(GL_FALSE, GL_FALSE, GL_FALSE, GL_FALSE);
    for (int i = 0; i < s->frame->body_count; ++i)
        if (shows_interior(&s->frame->bodies[i]))
            bodies_draw_one(p, s, &s->frame->bodies[i], s->frame->bodies[i].hold);
    glColorMask(GL_TRUE, GL_TRUE, GL_TRUE, GL_TRUE);
}

static void bodies_draw(void *self, const struct draw_frame_state *s)
{
    const tarn_frame *f = s->frame;
    const GLuint p = gl_program_pair_get(self, s);
    bodies_bind(p, s);
    glEnable(GL_DEPTH_TEST);
    for (int i = 0; i < f->body_count; ++i) {
        const tarn_frame_body *body = &f->bodies[i];
        if (body->appearance == TARN_APPEARANCE_GLASS) continue; // glass.c
        bodies_draw_one(p, s, body, body->mesh);
        if (shows_interior(body)) draw_interior(p, s, body);
    }
    draw_compartment_depths(p, s);
    glDisable(GL_DEPTH_TEST);
    glBindBuffer(GL_ARRAY_BUFFER, 0);
}

const struct pass pass_bodies = {"bodies", bodies_create, gl_program_pair_destroy, bodies_draw};
