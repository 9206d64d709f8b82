// Body meshes in vertex buffers, with normals that are smooth across edges of less than 40 degrees. The
// passes for bodies, glass and shadows draw from this cache.
#include "mesh_cache.h"

#include <math.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

struct cached_mesh {
    uint64_t key;
    GLuint array, buffer;
    int corners;
    unsigned last_frame; // number of the last frame that drew it
};

// FNV-1a over 32-bit words
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

static uint64_t mesh_key(const tarn_render_mesh *mesh)
{
    const uint64_t h = hash(UINT64_C(14695981039346656037), mesh->vertices, 3 * (size_t)mesh->vertex_count);
    return hash(h, mesh->triangles, 3 * (size_t)mesh->triangle_count);
}

bool mesh_is_drawable(const tarn_render_mesh *mesh)
{
    if (!mesh || mesh->vertex_count < 3 || mesh->triangle_count < 1 || !mesh->vertices || !mesh->triangles)
        return false;
    for (int k = 0; k < 3 * mesh->triangle_count; ++k)
        if (mesh->triangles[k] < 0 || mesh->triangles[k] >= mesh->vertex_count) return false;
    return true;
}

// Normal of a triangle; its length is twice the area.
static void face_normal(const tarn_render_mesh *mesh, int t, float *n)
{
    const float *a = mesh->vertices + 3 * mesh->triangles[3 * t],
                *b = mesh->vertices + 3 * mesh->triangles[3 * t + 1],
                *c = mesh->vertices + 3 * mesh->triangles[3 * t + 2];
    const float u[3] = {b[0] - a[0], b[1] - a[1], b[2] - a[2]},
                v[3] = {c[0] - a[0], c[1] - a[1], c[2] - a[2]};
    n[0] = u[1] * v[2] - u[2] * v[1], n[1] = u[2] * v[0] - u[0] * v[2], n[2] = u[0] * v[1] - u[1] * v[0];
}

static float dot3(const float *a, const float *b) { return a[0] * b[0] + a[1] * b[1] + a[2] * b[2]; }

// The normal of a corner: the area-weighted mean over the faces around its vertex whose normals differ by
// less than 40 degrees (cos = 0.766). `first` and `next` are linked lists of the corners of each vertex.
static void corner_normal(const tarn_render_mesh *mesh, const float *faces, const int *first, const int *next,
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
static float *expand_vertices(const tarn_render_mesh *mesh)
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

static const struct cached_mesh *find_or_upload(struct mesh_cache *cache, const tarn_render_mesh *mesh)
{
    const uint64_t key = mesh_key(mesh);
    for (int k = 0; k < cache->count; ++k)
        if (cache->list[k].key == key) {
            cache->list[k].last_frame = cache->frame;
            return &cache->list[k];
        }
    if (cache->count == cache->capacity) {
        const int capacity = cache->capacity ? 2 * cache->capacity : 8;
        struct cached_mesh *list = realloc(cache->list, (size_t)capacity * sizeof *list);
        if (!list) return NULL;
        cache->list = list, cache->capacity = capacity;
    }
    float *data = expand_vertices(mesh);
    if (!data) return NULL;
    struct cached_mesh *m = &cache->list[cache->count++];
    *m = (struct cached_mesh){.key = key, .corners = 3 * mesh->triangle_count, .last_frame = cache->frame};
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

struct mat4 body_matrix(const tarn_body_state *motion, double lowest_bed)
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
                          p.y - lowest_bed,
                          p.z,
                          1};
    struct mat4 r;
    for (int k = 0; k < 16; ++k) r.m[k] = (float)m[k];
    return r;
}

static void free_buffers(struct cached_mesh *m)
{
    glDeleteBuffers(1, &m->buffer);
    glDeleteVertexArrays(1, &m->array);
}

void mesh_cache_begin_frame(struct mesh_cache *cache)
{
    ++cache->frame;
    for (int k = 0; k < cache->count;) {
        if (cache->frame - cache->list[k].last_frame < 240) {
            ++k;
            continue;
        }
        free_buffers(&cache->list[k]);
        cache->list[k] = cache->list[--cache->count];
    }
}

void mesh_cache_draw(struct mesh_cache *cache, const tarn_render_mesh *mesh)
{
    const struct cached_mesh *found = mesh_is_drawable(mesh) ? find_or_upload(cache, mesh) : NULL;
    if (!found) return;
    glBindVertexArray(found->array);
    glDrawArrays(GL_TRIANGLES, 0, found->corners);
}

void mesh_cache_free(struct mesh_cache *cache)
{
    for (int k = 0; k < cache->count; ++k) free_buffers(&cache->list[k]);
    free(cache->list);
    *cache = (struct mesh_cache){0};
}
