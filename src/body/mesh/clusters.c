// Clusters of neighbouring triangles with bounding boxes, normal cones and surface integrals. Code that
// integrates over a mesh skips whole clusters, or uses their integrals, where the integrand is zero or
// linear.
//
// Triangles are sorted in Morton order of their centroids, which keeps neighbours together at all scales;
// each CLUSTER_SIZE successive ones form a cluster. Vertices are renumbered in the order of their first use.
#include "body/shape/shape.h"

#include <string.h>

#define MORTON_BITS 10 // per coordinate

struct morton_order {
    uint32_t *keys, *keys_scratch;    // Morton codes
    int *triangle, *triangle_scratch; // triangle indices
};

// Inserts two zero bits between neighbouring bits of a 10-bit number.
static uint32_t spread_bits(uint32_t x)
{
    x = (x | x << 16) & 0x030000FFu;
    x = (x | x << 8) & 0x0300F00Fu;
    x = (x | x << 4) & 0x030C30C3u;
    return (x | x << 2) & 0x09249249u;
}

static uint32_t morton_code(vec3 p, vec3 low, double per)
{
    const double most = (1 << MORTON_BITS) - 1;
    return spread_bits((uint32_t)clamp((p.x - low.x) * per, 0.0, most)) |
           spread_bits((uint32_t)clamp((p.y - low.y) * per, 0.0, most)) << 1 |
           spread_bits((uint32_t)clamp((p.z - low.z) * per, 0.0, most)) << 2;
}

static void compute_codes(const struct trimesh *h, struct morton_order *o)
{
    vec3 low = h->facets[0].centroid, high = low;
    for (int t = 1; t < h->triangle_count; ++t) {
        const vec3 c = h->facets[t].centroid;
        low = v3(fmin(low.x, c.x), fmin(low.y, c.y), fmin(low.z, c.z));
        high = v3(fmax(high.x, c.x), fmax(high.y, c.y), fmax(high.z, c.z));
    }
    const double size = fmax(high.x - low.x, fmax(high.y - low.y, high.z - low.z));
    const double per = size > 0.0 ? (1 << MORTON_BITS) / size : 0.0;
    for (int t = 0; t < h->triangle_count; ++t) {
        o->keys[t] = morton_code(h->facets[t].centroid, low, per);
        o->triangle[t] = t;
    }
}

// Stable least-significant-digit radix sort by key, MORTON_BITS bits a pass.
static void radix_sort(struct morton_order *o, int count)
{
    for (int shift = 0; shift < 3 * MORTON_BITS; shift += MORTON_BITS) {
        int start[(1 << MORTON_BITS) + 1] = {0};
        for (int k = 0; k < count; ++k) start[(o->keys[k] >> shift & ((1 << MORTON_BITS) - 1)) + 1] += 1;
        for (int b = 0; b < 1 << MORTON_BITS; ++b) start[b + 1] += start[b];
        for (int k = 0; k < count; ++k) {
            const int to = start[o->keys[k] >> shift & ((1 << MORTON_BITS) - 1)]++;
            o->keys_scratch[to] = o->keys[k], o->triangle_scratch[to] = o->triangle[k];
        }
        uint32_t *keys = o->keys;
        int *at = o->triangle;
        o->keys = o->keys_scratch, o->keys_scratch = keys;
        o->triangle = o->triangle_scratch, o->triangle_scratch = at;
    }
}

// Writes the triangles in Morton order and the vertices in the order of their first use. `new_index`,
// `vertices` and `triangles` are scratch.
static void reorder_mesh(struct trimesh *h, const struct morton_order *o, int *moved, vec3 *vertices,
                         int (*triangles)[3])
{
    int used = 0;
    memcpy(triangles, h->triangles, (size_t)h->triangle_count * sizeof *triangles);
    memcpy(vertices, h->vertices, (size_t)h->vertex_count * sizeof *vertices);
    for (int v = 0; v < h->vertex_count; ++v) moved[v] = -1;
    for (int t = 0; t < h->triangle_count; ++t)
        for (int k = 0; k < 3; ++k) {
            const int v = triangles[o->triangle[t]][k];
            if (moved[v] < 0) moved[v] = used++;
            h->triangles[t][k] = moved[v];
        }
    for (int v = 0; v < h->vertex_count; ++v) {
        if (moved[v] < 0) moved[v] = used++;
        h->vertices[moved[v]] = vertices[v];
    }
    trimesh_compute_facets(h);
}

static bool sort_triangles(struct trimesh *h, const struct memory *m)
{
    const size_t n = (size_t)h->triangle_count, vertex_count = (size_t)h->vertex_count;
    struct morton_order o = {memory_alloc(m, n, sizeof(uint32_t)), memory_alloc(m, n, sizeof(uint32_t)),
                             memory_alloc(m, n, sizeof(int)), memory_alloc(m, n, sizeof(int))};
    int *moved = memory_alloc(m, vertex_count, sizeof *moved);
    vec3 *vertices = memory_alloc(m, vertex_count, sizeof *vertices);
    int(*triangles)[3] = memory_alloc(m, n, sizeof *triangles);
    const bool fine =
        o.keys && o.keys_scratch && o.triangle && o.triangle_scratch && moved && vertices && triangles;
    if (fine) {
        compute_codes(h, &o);
        radix_sort(&o, h->triangle_count);
        reorder_mesh(h, &o, moved, vertices, triangles);
    }
    memory_free(m, o.keys, n, sizeof(uint32_t));
    memory_free(m, o.keys_scratch, n, sizeof(uint32_t));
    memory_free(m, o.triangle, n, sizeof(int));
    memory_free(m, o.triangle_scratch, n, sizeof(int));
    memory_free(m, moved, vertex_count, sizeof *moved);
    memory_free(m, vertices, vertex_count, sizeof *vertices);
    memory_free(m, triangles, n, sizeof *triangles);
    return fine;
}

// ---- clusters -------------------------------------------------------------------------------------

static void compute_box(struct triangle_cluster *t, const struct trimesh *h)
{
    vec3 low = h->vertices[h->triangles[t->first][0]], high = low;
    for (int k = t->first; k < t->first + t->count; ++k)
        for (int n = 0; n < 3; ++n) {
            const vec3 p = h->vertices[h->triangles[k][n]];
            low = v3(fmin(low.x, p.x), fmin(low.y, p.y), fmin(low.z, p.z));
            high = v3(fmax(high.x, p.x), fmax(high.y, p.y), fmax(high.z, p.z));
        }
    t->box_centre = v3_scale(v3_add(low, high), 0.5);
    t->box_half = v3_scale(v3_sub(high, low), 0.5);
}

static void compute_normal_cone(struct triangle_cluster *t, const struct trimesh *h)
{
    const double length = v3_length(t->area_vector);
    double least = 1.0;
    if (length > 0.0) t->cone_axis = v3_scale(t->area_vector, 1.0 / length);
    for (int k = t->first; k < t->first + t->count; ++k)
        if (h->facets[k].area > 0.0) least = fmin(least, v3_dot(h->facets[k].normal, t->cone_axis));
    t->cone_sine = least > 0.0 ? sqrt(fmax(0.0, 1.0 - least * least)) : 2.0;
}

// With the centroid c of a triangle of area A and its vertices r_k: int r dA = A c,
//     int r r^T dA = A/12 (9 c c^T + sum r_k r_k^T)
static void add_integrals(struct triangle_cluster *t, const struct trimesh *h, int k)
{
    const struct facet *f = &h->facets[k];
    const vec3 n = v3_scale(f->normal, f->area), c = f->centroid;
    const double normal[3] = {n.x, n.y, n.z}, centre[3] = {c.x, c.y, c.z};
    t->area += f->area;
    t->centroid = v3_madd(t->centroid, f->area, c); // int r dA here; the caller divides by the area
    t->area_vector = v3_add(t->area_vector, n);
    t->torque_vector = v3_add(t->torque_vector, v3_cross(c, n));
    for (int j = 0; j < 3; ++j) {
        vec3 row = v3_scale(c, 9.0 * centre[j]); // (12/A) int r r_j dA
        for (int a = 0; a < 3; ++a) {
            const vec3 r = h->vertices[h->triangles[k][a]];
            row = v3_madd(row, j == 0 ? r.x : j == 1 ? r.y : r.z, r);
        }
        const vec3 twist = v3_cross(v3_scale(row, 1.0 / 12.0), n);
        t->torque_moment[0][j] += twist.x, t->torque_moment[1][j] += twist.y,
            t->torque_moment[2][j] += twist.z;
        for (int i = 0; i < 3; ++i) t->normal_moment[i][j] += normal[i] * centre[j];
    }
}

bool trimesh_build_clusters(struct trimesh *h, const struct memory *m)
{
    if (h->triangle_count > CLUSTER_SIZE && !sort_triangles(h, m)) return false;
    const int count = (h->triangle_count + CLUSTER_SIZE - 1) / CLUSTER_SIZE;
    h->clusters = memory_alloc(m, (size_t)count, sizeof *h->clusters);
    if (!h->clusters) return false;
    h->cluster_count = count;
    for (int k = 0; k < count; ++k) {
        struct triangle_cluster *t = &h->clusters[k];
        t->first = CLUSTER_SIZE * k, t->count = imin(CLUSTER_SIZE, h->triangle_count - t->first);
        for (int n = t->first; n < t->first + t->count; ++n) add_integrals(t, h, n);
        if (t->area > 0.0) t->centroid = v3_scale(t->centroid, 1.0 / t->area);
        compute_box(t, h);
        compute_normal_cone(t, h);
    }
    return true;
}
