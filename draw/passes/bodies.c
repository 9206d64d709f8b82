// The bodies: meshes in their pose, colour and material, but for glass. Water stays out of open hulls.
#include "bodies.h"

#include <math.h>

extern const char shader_bodies_vert[], shader_bodies_frag[];

static void *bodies_create(const struct draw_setup *setup, char *why)
{
    return gl_pair_create(setup, shader_bodies_vert, shader_bodies_frag, why);
}

void bodies_use(GLuint p, const struct scene_gl *s)
{
    light_use(p, s);
    gl_set_mat4(p, "camera", &s->camera.both);
    gl_set1i(p, "from_above", s->from_above && !s->land);
    gl_set1i(p, "hold", 0);
}

// Grain runs along the longest side of the box around a mesh.
static void use_grain(GLuint p, const tarn_mesh *mesh)
{
    float half[3] = {0};
    int longest = 0;
    for (int v = 0; v < mesh->vertex_count; ++v)
        for (int k = 0; k < 3; ++k) half[k] = fmaxf(half[k], fabsf(mesh->vertices[3 * v + k]));
    for (int k = 1; k < 3; ++k)
        if (half[k] > half[longest]) longest = k;
    gl_set3f(p, "along", longest == 0, longest == 1, longest == 2);
    gl_set1f(p, "grain", half[longest] > 0.0f ? 1.0f / half[longest] : 1.0f);
}

void bodies_draw_one(GLuint p, const struct scene_gl *s, const tarn_frame_body *body, const tarn_mesh *mesh)
{
    if (!mesh_good(mesh)) return;
    const struct mat4 pose = models_pose(&body->motion, s->land ? s->land->datum : 0.0);
    gl_set_mat4(p, "pose", &pose);
    gl_set3f(p, "paint", powf((float)body->colour.x, 2.2f), powf((float)body->colour.y, 2.2f),
             powf((float)body->colour.z, 2.2f));
    gl_set1i(p, "material", body->material);
    if (body->material == TARN_WOOD) use_grain(p, mesh);
    models_draw(s->models, mesh);
}

// Of a hull that is not all under water the inside looks another way than the outside: what is below the surface
// around it is dry down to the water that it holds.
static bool has_inside(const tarn_frame_body *body)
{
    return body->hold && body->load.submerged_fraction < 0.999;
}

// The inner walls once more, a hair nearer, seen from within.
static void draw_inside(GLuint p, const struct scene_gl *s, const tarn_frame_body *body)
{
    const double water = fmax(body->inside - (s->land ? s->land->datum : 0.0), -1e6);
    gl_set1i(p, "hold", 1);
    gl_set1f(p, "inside", (float)water);
    glEnable(GL_CULL_FACE);
    glCullFace(GL_FRONT);
    glEnable(GL_POLYGON_OFFSET_FILL);
    glPolygonOffset(-1.0f, -1.0f);
    bodies_draw_one(p, s, body, body->hold);
    glDisable(GL_POLYGON_OFFSET_FILL);
    glCullFace(GL_BACK);
    glDisable(GL_CULL_FACE);
    gl_set1i(p, "hold", 0);
}

// Closed holds, in depth alone: the water, which comes later, is hidden below a rim and seen above it.
static void draw_lids(GLuint p, const struct scene_gl *s)
{
    glColorMask(GL_FALSE, GL_FALSE, GL_FALSE, GL_FALSE);
    for (int i = 0; i < s->frame->body_count; ++i)
        if (has_inside(&s->frame->bodies[i]))
            bodies_draw_one(p, s, &s->frame->bodies[i], s->frame->bodies[i].hold);
    glColorMask(GL_TRUE, GL_TRUE, GL_TRUE, GL_TRUE);
}

static void bodies_draw(void *self, const struct scene_gl *s)
{
    const tarn_frame *f = s->frame;
    const GLuint p = gl_pair_for(self, s);
    bodies_use(p, s);
    glEnable(GL_DEPTH_TEST);
    for (int i = 0; i < f->body_count; ++i) {
        const tarn_frame_body *body = &f->bodies[i];
        if (body->material == TARN_GLASS) continue; // glass.c
        bodies_draw_one(p, s, body, body->mesh);
        if (has_inside(body)) draw_inside(p, s, body);
    }
    draw_lids(p, s);
    glDisable(GL_DEPTH_TEST);
    glBindBuffer(GL_ARRAY_BUFFER, 0);
}

const struct pass pass_bodies = {"bodies", bodies_create, gl_pair_destroy, bodies_draw};
