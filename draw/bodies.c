// The bodies: meshes with normals that are smooth across shallow creases, in their pose and colour. Water stays
// out of open hulls.
#include "gl.h"

#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

extern const char shader_bodies_vert[], shader_bodies_frag[];

// A mesh on the card. Meshes are told apart by their contents: pointers may be used again for another one.
struct model {
    uint64_t key;
    GLuint array, buffer;
    int corners;
    unsigned used; // number of the last picture it was in
};

struct bodies {
    struct gl_pair programs;
    struct model *models;
    int count, room;
    unsigned picture;
};

static void *bodies_create(const struct draw_setup *setup, char *why)
{
    struct bodies *b = calloc(1, sizeof *b);
    if (!b) {
        snprintf(why, 256, "out of memory");
        return NULL;
    }
    if (gl_pair_make(&b->programs, setup, shader_bodies_vert, shader_bodies_frag, why)) return b;
    free(b);
    return NULL;
}

static void model_free(struct model *m)
{
    glDeleteBuffers(1, &m->buffer);
    glDeleteVertexArrays(1, &m->array);
}

static void bodies_destroy(void *self)
{
    struct bodies *b = self;
    if (!b) return;
    for (int k = 0; k < b->count; ++k) model_free(&b->models[k]);
    gl_pair_free(&b->programs);
    free(b->models);
    free(b);
}

// FNV-1a over words
static uint64_t hash(uint64_t h, const void *data, size_t words)
{
    const char *p = data;
    for (size_t k = 0; k < words; ++k) {
        uint32_t word;
        memcpy(&word, p + 4 * k, sizeof word);
        h = (h ^ word) * UINT64_C(1099511628211);
    }
    return h;
}

static uint64_t mesh_key(const tarn_mesh *mesh)
{
    const uint64_t h = hash(UINT64_C(14695981039346656037), mesh->vertices, 3 * (size_t)mesh->vertex_count);
    return hash(h, mesh->triangles, 3 * (size_t)mesh->triangle_count);
}

bool mesh_good(const tarn_mesh *mesh)
{
    if (!mesh || mesh->vertex_count < 3 || mesh->triangle_count < 1 || !mesh->vertices || !mesh->triangles)
        return false;
    for (int k = 0; k < 3 * mesh->triangle_count; ++k)
        if (mesh->triangles[k] < 0 || mesh->triangles[k] >= mesh->vertex_count) return false;
    return true;
}

// Normal of a triangle, as long as twice its area.
static void face_normal(const tarn_mesh *mesh, int t, float *n)
{
    const float *a = mesh->vertices + 3 * mesh->triangles[3 * t],
                *b = mesh->vertices + 3 * mesh->triangles[3 * t + 1],
                *c = mesh->vertices + 3 * mesh->triangles[3 * t + 2];
    const float u[3] = {b[0] - a[0], b[1] - a[1], b[2] - a[2]},
                v[3] = {c[0] - a[0], c[1] - a[1], c[2] - a[2]};
    n[0] = u[1] * v[2] - u[2] * v[1], n[1] = u[2] * v[0] - u[0] * v[2], n[2] = u[0] * v[1] - u[1] * v[0];
}

static float dot3(const float *a, const float *b) { return a[0] * b[0] + a[1] * b[1] + a[2] * b[2]; }

// The normal of a corner: the faces around its vertex that bend by less than 40 degrees, weighted by area.
// `next` chains the corners of a vertex.
static void corner_normal(const tarn_mesh *mesh, const float *faces, const int *first, const int *next,
                          int corner, float *out)
{
    const float *own = faces + 3 * (corner / 3);
    const float own_length = sqrtf(dot3(own, own));
    float n[3] = {0};
    for (int c = first[mesh->triangles[corner]]; c >= 0; c = next[c]) {
        const float *other = faces + 3 * (c / 3);
        if (dot3(own, other) < 0.766f * own_length * sqrtf(dot3(other, other))) continue;
        for (int k = 0; k < 3; ++k) n[k] += other[k];
    }
    const float length = sqrtf(dot3(n, n));
    for (int k = 0; k < 3; ++k) out[k] = length > 0.0f ? n[k] / length : (k == 1);
}

// Position and normal of every corner of every triangle: 6 floats each. NULL without memory.
static float *expand(const tarn_mesh *mesh)
{
    const int corners = 3 * mesh->triangle_count;
    float *out = malloc((size_t)corners * 6 * sizeof *out);
    float *faces = malloc((size_t)corners * sizeof *faces);
    int *first = malloc((size_t)mesh->vertex_count * sizeof *first);
    int *next = malloc((size_t)corners * sizeof *next);
    if (out && faces && first && next) {
        for (int v = 0; v < mesh->vertex_count; ++v) first[v] = -1;
        for (int c = 0; c < corners; ++c) {
            next[c] = first[mesh->triangles[c]];
            first[mesh->triangles[c]] = c;
        }
        for (int t = 0; t < mesh->triangle_count; ++t) face_normal(mesh, t, faces + 3 * t);
        for (int c = 0; c < corners; ++c) {
            const float *p = mesh->vertices + 3 * mesh->triangles[c];
            for (int k = 0; k < 3; ++k) out[6 * c + k] = p[k];
            corner_normal(mesh, faces, first, next, c, out + 6 * c + 3);
        }
    } else {
        free(out);
        out = NULL;
    }
    free(faces);
    free(first);
    free(next);
    return out;
}

static const struct model *model_of(struct bodies *b, const tarn_mesh *mesh)
{
    const uint64_t key = mesh_key(mesh);
    for (int k = 0; k < b->count; ++k)
        if (b->models[k].key == key) {
            b->models[k].used = b->picture;
            return &b->models[k];
        }
    if (b->count == b->room) {
        const int room = b->room ? 2 * b->room : 8;
        struct model *models = realloc(b->models, (size_t)room * sizeof *models);
        if (!models) return NULL;
        b->models = models, b->room = room;
    }
    float *data = expand(mesh);
    if (!data) return NULL;
    struct model *m = &b->models[b->count++];
    *m = (struct model){.key = key, .corners = 3 * mesh->triangle_count, .used = b->picture};
    glGenVertexArrays(1, &m->array);
    glGenBuffers(1, &m->buffer);
    glBindVertexArray(m->array);
    glBindBuffer(GL_ARRAY_BUFFER, m->buffer);
    glBufferData(GL_ARRAY_BUFFER, (GLsizeiptr)((size_t)m->corners * 6 * sizeof *data), data, GL_STATIC_DRAW);
    for (GLuint k = 0; k < 2; ++k) {
        glVertexAttribPointer(k, 3, GL_FLOAT, GL_FALSE, 6 * sizeof *data, (void *)(k * 3 * sizeof *data));
        glEnableVertexAttribArray(k);
    }
    free(data);
    return m;
}

static struct mat4 pose_of(const tarn_motion *motion, double datum)
{
    const tarn_quat q = motion->rotation;
    const tarn_vec3 p = motion->position;
    const double m[16] = {1 - 2 * (q.y * q.y + q.z * q.z),
                          2 * (q.x * q.y + q.w * q.z),
                          2 * (q.x * q.z - q.w * q.y),
                          0,
                          2 * (q.x * q.y - q.w * q.z),
                          1 - 2 * (q.x * q.x + q.z * q.z),
                          2 * (q.y * q.z + q.w * q.x),
                          0,
                          2 * (q.x * q.z + q.w * q.y),
                          2 * (q.y * q.z - q.w * q.x),
                          1 - 2 * (q.x * q.x + q.y * q.y),
                          0,
                          p.x,
                          p.y - datum,
                          p.z,
                          1};
    struct mat4 r;
    for (int k = 0; k < 16; ++k) r.m[k] = (float)m[k];
    return r;
}

// Meshes that no picture showed for a while make room.
static void forget_old(struct bodies *b)
{
    for (int k = 0; k < b->count;) {
        if (b->picture - b->models[k].used < 240) {
            ++k;
            continue;
        }
        model_free(&b->models[k]);
        b->models[k] = b->models[--b->count];
    }
}

// A mesh as it lies; nothing if it cannot be drawn.
static void draw_mesh(struct bodies *b, GLuint p, const struct scene_gl *s, const tarn_frame_body *body,
                      const tarn_mesh *mesh)
{
    const struct model *m = mesh_good(mesh) ? model_of(b, mesh) : NULL;
    if (!m) return;
    const struct mat4 pose = pose_of(&body->motion, s->land ? s->land->datum : 0.0);
    gl_set_mat4(p, "pose", &pose);
    glBindVertexArray(m->array);
    glDrawArrays(GL_TRIANGLES, 0, m->corners);
}

// Of a hull that is not all under water the inside looks another way than the outside: what is below the surface
// around it is dry down to the water that it holds.
static bool has_inside(const tarn_frame_body *body)
{
    return body->hold && body->load.submerged_fraction < 0.999;
}

// The inner walls once more, a hair nearer, seen from within.
static void draw_inside(struct bodies *b, GLuint p, const struct scene_gl *s, const tarn_frame_body *body)
{
    const double water = fmax(body->inside - (s->land ? s->land->datum : 0.0), -1e6);
    gl_set1i(p, "hold", 1);
    gl_set1f(p, "inside", (float)water);
    glEnable(GL_CULL_FACE);
    glCullFace(GL_FRONT);
    glEnable(GL_POLYGON_OFFSET_FILL);
    glPolygonOffset(-1.0f, -1.0f);
    draw_mesh(b, p, s, body, body->hold);
    glDisable(GL_POLYGON_OFFSET_FILL);
    glCullFace(GL_BACK);
    glDisable(GL_CULL_FACE);
    gl_set1i(p, "hold", 0);
}

// Closed holds, in depth alone: the water, which comes later, is hidden below a rim and seen above it.
static void draw_lids(struct bodies *b, GLuint p, const struct scene_gl *s)
{
    glColorMask(GL_FALSE, GL_FALSE, GL_FALSE, GL_FALSE);
    for (int i = 0; i < s->frame->body_count; ++i)
        if (has_inside(&s->frame->bodies[i]))
            draw_mesh(b, p, s, &s->frame->bodies[i], s->frame->bodies[i].hold);
    glColorMask(GL_TRUE, GL_TRUE, GL_TRUE, GL_TRUE);
}

static void bodies_draw(void *self, const struct scene_gl *s)
{
    struct bodies *b = self;
    const tarn_frame *f = s->frame;
    ++b->picture;
    const GLuint p = gl_pair_for(&b->programs, s);
    light_use(p, s);
    gl_set_mat4(p, "camera", &s->camera.both);
    gl_set1i(p, "from_above", s->from_above && !s->land);
    gl_set1i(p, "hold", 0);
    glEnable(GL_DEPTH_TEST);
    for (int i = 0; i < f->body_count; ++i) {
        const tarn_frame_body *body = &f->bodies[i];
        gl_set3f(p, "paint", powf((float)body->colour.x, 2.2f), powf((float)body->colour.y, 2.2f),
                 powf((float)body->colour.z, 2.2f));
        draw_mesh(b, p, s, body, body->mesh);
        if (has_inside(body)) draw_inside(b, p, s, body);
    }
    draw_lids(b, p, s);
    glDisable(GL_DEPTH_TEST);
    glBindBuffer(GL_ARRAY_BUFFER, 0);
    forget_old(b);
}

const struct pass pass_bodies = {"bodies", bodies_create, bodies_destroy, bodies_draw};
