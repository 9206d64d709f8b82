// Clusters of neighbouring triangles with bounding boxes, normal cones and surface integrals. Code that
// integrates over a mesh skips whole clusters, or uses their integrals, where the integrand is zero or
// linear.
//
// Triangles are sorted in Morton order of their centroids, which keeps neighbours together at all scales;
// each CLUSTER_SIZE successive ones form a cluster. Vertices are renumbered in the order of their first use.
#include "body/mesh/trimesh.h"

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

static uint32_t morton_code(vec3 p, vec3 box_min, double steps_per_metre)
{
    const double max_step = (1 << MORTON_BITS) - 1;
    return spread_bits((uint32_t)clamp((p.x - box_min.x) * steps_per_metre, 0.0, max_step)) |
           spread_bits((uint32_t)clamp((p.y - box_min.y) * steps_per_metre, 0.0, max_step)) << 1 |
           spread_bits((uint32_t)clamp((p.z - box_min.z) * steps_per_metre, 0.0, max_step)) << 2;
}

static void compute_codes(const struct trimesh *mesh, struct morton_order *order)
{
    vec3 box_min = mesh->facets[0].centroid, box_max = box_min;
    for (int t = 1; t < mesh->triangle_count; ++t) {
        const vec3 centroid = mesh->facets[t].centroid;
        box_min = v3(fmin(box_min.x, centroid.x), fmin(box_min.y, centroid.y), fmin(box_min.z, centroid.z));
        box_max = v3(fmax(box_max.x, centroid.x), fmax(box_max.y, centroid.y), fmax(box_max.z, centroid.z));
    }
    const double size = fmax(box_max.x - box_min.x, fmax(box_max.y - box_min.y, box_max.z - box_min.z));
    const double steps_per_metre = size > 0.0 ? (1 << MORTON_BITS) / size : 0.0;
    for (int t = 0; t < mesh->triangle_count; ++t) {
        order->keys[t] = morton_code(mesh->facets[t].centroid, box_min, steps_per_metre);
        order->triangle[t] = t;
    }
}

// Stable least-significant-digit radix sort by key, MORTON_BITS bits a pass.
static void radix_sort(struct morton_order *order, int count)
{
    for (int shift = 0; shift < 3 * MORTON_BITS; shift += MORTON_BITS) {
        int start[(1 << MORTON_BITS) + 1] = {0};
        for (int k = 0; k < count; ++k) start[(order->keys[k] >> shift & ((1 << MORTON_BITS) - 1)) + 1] += 1;
        for (int digit = 0; digit < 1 << MORTON_BITS; ++digit) start[digit + 1] += start[digit];
        for (int k = 0; k < count; ++k) {
            const int destination = start[order->keys[k] >> shift & ((1 << MORTON_BITS) - 1)]++;
            order->keys_scratch[destination] = order->keys[k],
            order->triangle_scratch[destination] = order->triangle[k];
        }
        uint32_t *keys = order->keys;
        int *triangle = order->triangle;
        order->keys = order->keys_scratch, order->keys_scratch = keys;
        order->triangle = order->triangle_scratch, order->triangle_scratch = triangle;
    }
}

// Writes the triangles in Morton order and the vertices in the order of their first use. `new_index`,
// `vertices` and `triangles` are scratch.
static void reorder_mesh(struct trimesh *mesh, const struct morton_order *order, int *new_index,
                         vec3 *vertices, int (*triangles)[3])
{
    int used = 0;
    memcpy(triangles, mesh->triangles, (size_t)mesh->triangle_count * sizeof *triangles);
    memcpy(vertices, mesh->vertices, (size_t)mesh->vertex_count * sizeof *vertices);
    for (int v = 0; v < mesh->vertex_count; ++v) new_index[v] = -1;
    for (int t = 0; t < mesh->triangle_count; ++t)
        for (int k = 0; k < 3; ++k) {
            const int v = triangles[order->triangle[t]][k];
            if (new_index[v] < 0) new_index[v] = used++;
            mesh->triangles[t][k] = new_index[v];
        }
    for (int v = 0; v < mesh->vertex_count; ++v) {
        if (new_index[v] < 0) new_index[v] = used++;
        mesh->vertices[new_index[v]] = vertices[v];
    }
    trimesh_compute_facets(mesh);
}

static bool sort_triangles(struct trimesh *mesh, const struct memory *m)
{
    const size_t n = (size_t)mesh->triangle_count, vertex_count = (size_t)mesh->vertex_count;
    struct morton_order order = {memory_alloc(m, n, sizeof(uint32_t)), memory_alloc(m, n, sizeof(uint32_t)),
                                 memory_alloc(m, n, sizeof(int)), memory_alloc(m, n, sizeof(int))};
    int *new_index = memory_alloc(m, vertex_count, sizeof *new_index);
    vec3 *vertices = memory_alloc(m, vertex_count, sizeof *vertices);
    int(*triangles)[3] = memory_alloc(m, n, sizeof *triangles);
    const bool ok = order.keys && order.keys_scratch && order.triangle && order.triangle_scratch &&
                    new_index && vertices && triangles;
    if (ok) {
        compute_codes(mesh, &order);
        radix_sort(&order, mesh->triangle_count);
        reorder_mesh(mesh, &order, new_index, vertices, triangles);
    }
    memory_free(m, order.keys, n, sizeof(uint32_t));
    memory_free(m, order.keys_scratch, n, sizeof(uint32_t));
    memory_free(m, order.triangle, n, sizeof(int));
    memory_free(m, order.triangle_scratch, n, sizeof(int));
    memory_free(m, new_index, vertex_count, sizeof *new_index);
    memory_free(m, vertices, vertex_count, sizeof *vertices);
    memory_free(m, triangles, n, sizeof *triangles);
    return ok;
}

// ---- clusters -------------------------------------------------------------------------------------

static void compute_box(struct triangle_cluster *cluster, const struct trimesh *mesh)
{
    vec3 box_min = mesh->vertices[mesh->triangles[cluster->first][0]], box_max = box_min;
    for (int k = cluster->first; k < cluster->first + cluster->count; ++k)
        for (int n = 0; n < 3; ++n) {
            const vec3 p = mesh->vertices[mesh->triangles[k][n]];
            box_min = v3(fmin(box_min.x, p.x), fmin(box_min.y, p.y), fmin(box_min.z, p.z));
            box_max = v3(fmax(box_max.x, p.x), fmax(box_max.y, p.y), fmax(box_max.z, p.z));
        }
    cluster->box_centre = v3_scale(v3_add(box_min, box_max), 0.5);
    cluster->box_half = v3_scale(v3_sub(box_max, box_min), 0.5);
}

static void compute_normal_cone(struct triangle_cluster *cluster, const struct trimesh *mesh)
{
    const double length = v3_length(cluster->area_vector);
    double min_cos = 1.0;
    if (length > 0.0) cluster->cone_axis = v3_scale(cluster->area_vector, 1.0 / length);
    for (int k = cluster->first; k < cluster->first + cluster->count; ++k)
        if (mesh->facets[k].area > 0.0)
            min_cos = fmin(min_cos, v3_dot(mesh->facets[k].normal, cluster->cone_axis));
    cluster->cone_sine = min_cos > 0.0 ? sqrt(fmax(0.0, 1.0 - min_cos * min_cos)) : 2.0;
}

// With the centroid c of a triangle of area A and its vertices r_k: int r dA = A c,
//     int r r^T dA = A/12 (9 c c^T + sum r_k r_k^T)
static void add_integrals(struct triangle_cluster *cluster, const struct trimesh *mesh, int k)
{
    const struct facet *facet = &mesh->facets[k];
    const vec3 n = v3_scale(facet->normal, facet->area), c = facet->centroid;
    const double normal[3] = {n.x, n.y, n.z}, centroid[3] = {c.x, c.y, c.z};
    cluster->area += facet->area;
    cluster->centroid =
        v3_madd(cluster->centroid, facet->area, c); // int r dA here; the caller divides by the area
    cluster->area_vector = v3_add(cluster->area_vector, n);
    cluster->torque_vector = v3_add(cluster->torque_vector, v3_cross(c, n));
    for (int j = 0; j < 3; ++j) {
        vec3 row = v3_scale(c, 9.0 * centroid[j]); // (12/A) int r r_j dA
        for (int a = 0; a < 3; ++a) {
            const vec3 r = mesh->vertices[mesh->triangles[k][a]];
            row = v3_madd(row, j == 0 ? r.x : j == 1 ? r.y : r.z, r);
        }
        const vec3 twist = v3_cross(v3_scale(row, 1.0 / 12.0), n);
        cluster->torque_moment[0][j] += twist.x, cluster->torque_moment[1][j] += twist.y,
            cluster->torque_moment[2][j] += twist.z;
        for (int i = 0; i < 3; ++i) cluster->normal_moment[i][j] += normal[i] * centroid[j];
    }
}

bool trimesh_build_clusters(struct trimesh *mesh, const struct memory *m)
{
    if (mesh->triangle_count > CLUSTER_SIZE && !sort_triangles(mesh, m)) return false;
    const int count = (mesh->triangle_count + CLUSTER_SIZE - 1) / CLUSTER_SIZE;
    mesh->clusters = memory_alloc(m, (size_t)count, sizeof *mesh->clusters);
    if (!mesh->clusters) return false;
    mesh->cluster_count = count;
    for (int k = 0; k < count; ++k) {
        struct triangle_cluster *cluster = &mesh->clusters[k];
        cluster->first = CLUSTER_SIZE * k,
        cluster->count = imin(CLUSTER_SIZE, mesh->triangle_count - cluster->first);
        for (int triangle = cluster->first; triangle < cluster->first + cluster->count; ++triangle)
            add_integrals(cluster, mesh, triangle);
        if (cluster->area > 0.0) cluster->centroid = v3_scale(cluster->centroid, 1.0 / cluster->area);
        compute_box(cluster, mesh);
        compute_normal_cone(cluster, mesh);
    }
    return true;
}
