// Meshes on the card, with normals that are smooth across shallow creases.
#include "mesh_cache.h"

#include <math.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

struct model {
    uint64_t key;
    GLuint array, buffer;
    int corners;
    unsigned used; // number of the last picture it was in
};

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

static const struct model *model_of(struct models *all, const tarn_mesh *mesh)
{
    const uint64_t key = mesh_key(mesh);
    for (int k = 0; k < all->count; ++k)
        if (all->list[k].key == key) {
            all->list[k].used = all->picture;
            return &all->list[k];
        }
    if (all->count == all->room) {
        const int room = all->room ? 2 * all->room : 8;
        struct model *list = realloc(all->list, (size_t)room * sizeof *list);
        if (!list) return NULL;
        all->list = list, all->room = room;
    }
    float *data = expand(mesh);
    if (!data) return NULL;
    struct model *m = &all->list[all->count++];
    *m = (struct model){.key = key, .corners = 3 * mesh->triangle_count, .used = all->picture};
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

struct mat4 models_pose(const tarn_motion *motion, double datum)
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

static void model_free(struct model *m)
{
    glDeleteBuffers(1, &m->buffer);
    glDeleteVertexArrays(1, &m->array);
}

void models_begin(struct models *m)
{
    ++m->picture;
    for (int k = 0; k < m->count;) {
        if (m->picture - m->list[k].used < 240) {
            ++k;
            continue;
        }
        model_free(&m->list[k]);
        m->list[k] = m->list[--m->count];
    }
}

void models_draw(struct models *m, const tarn_mesh *mesh)
{
    const struct model *model = mesh_good(mesh) ? model_of(m, mesh) : NULL;
    if (!model) return;
    glBindVertexArray(model->array);
    glDrawArrays(GL_TRIANGLES, 0, model->corners);
}

void models_free(struct models *m)
{
    for (int k = 0; k < m->count; ++k) model_free(&m->list[k]);
    free(m->list);
    *m = (struct models){0};
}
