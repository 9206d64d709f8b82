// Reads node transforms and the node hierarchy of a glTF file, which must be a forest.
#include "gltf.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

// Read `count` numbers of node[key]. @return 0 if the key is missing or, with an error, wrong
static int read_numbers(struct gltf *g, const json_t *node, const char *key, size_t index, size_t count,
                        double *out)
{
    const json_t *list = json_object_get(node, key);

    if (!list) return 0;
    if (!json_is_array(list) || json_array_size(list) != count)
        return REJECT(g->error, "nodes[%zu].%s: %zu numbers are expected", index, key, count);
    for (size_t i = 0; i < count; ++i) {
        const json_t *x = json_array_get(list, i);
        if (!json_is_number(x))
            return REJECT(g->error, "nodes[%zu].%s: %zu numbers are expected", index, key, count);
        out[i] = json_number_value(x);
    }
    return 1;
}

int affine_read(struct gltf *g, const json_t *node, size_t index, struct affine *out)
{
    double matrix[16];
    double translation[3] = {0}, rotation[4] = {0, 0, 0, 1}, scale[3] = {1, 1, 1}; // rotation: x y z w

    if (read_numbers(g, node, "matrix", index, 16, matrix)) { // column-major
        for (int i = 0; i < 3; ++i)
            for (int j = 0; j < 4; ++j) out->m[i][j] = matrix[4 * j + i];
        return 1;
    }
    read_numbers(g, node, "translation", index, 3, translation);
    read_numbers(g, node, "rotation", index, 4, rotation);
    read_numbers(g, node, "scale", index, 3, scale);
    if (g->error->result != TARN_OK) return 0;
    const double n = sqrt(rotation[0] * rotation[0] + rotation[1] * rotation[1] + rotation[2] * rotation[2] +
                          rotation[3] * rotation[3]);
    if (!(fabs(n - 1.0) < 0.01)) return REJECT(g->error, "nodes[%zu].rotation is not of length 1", index);
    const double x = rotation[0] / n, y = rotation[1] / n, z = rotation[2] / n, w = rotation[3] / n;
    const double m[3][3] = {{1 - 2 * (y * y + z * z), 2 * (x * y - w * z), 2 * (x * z + w * y)},
                            {2 * (x * y + w * z), 1 - 2 * (x * x + z * z), 2 * (y * z - w * x)},
                            {2 * (x * z - w * y), 2 * (y * z + w * x), 1 - 2 * (x * x + y * y)}};
    for (int i = 0; i < 3; ++i) {
        for (int j = 0; j < 3; ++j) out->m[i][j] = m[i][j] * scale[j];
        out->m[i][3] = translation[i];
    }
    return 1;
}

struct affine affine_multiply(const struct affine *a, const struct affine *b)
{
    struct affine out;

    for (int i = 0; i < 3; ++i)
        for (int j = 0; j < 4; ++j) {
            out.m[i][j] = j == 3 ? a->m[i][3] : 0.0;
            for (int k = 0; k < 3; ++k) out.m[i][j] += a->m[i][k] * b->m[k][j];
        }
    return out;
}

int affine_is_mirrored(const struct affine *p)
{
    const double(*m)[4] = p->m;
    return m[0][0] * (m[1][1] * m[2][2] - m[1][2] * m[2][1]) -
               m[0][1] * (m[1][0] * m[2][2] - m[1][2] * m[2][0]) +
               m[0][2] * (m[1][0] * m[2][1] - m[1][1] * m[2][0]) <
           0.0;
}

// Read item i of a list of node indices. @return 0 with an error
static int get_node_index(struct gltf *g, const json_t *list, size_t i, size_t count, size_t *out)
{
    const json_t *item = json_array_get(list, i);
    const double n = json_is_number(item) ? json_number_value(item) : -1.0;

    if (!(0.0 <= n && n < (double)count && n == floor(n)))
        return REJECT(g->error, "a list of nodes names something that is none of the %zu nodes", count);
    *out = (size_t)n;
    return 1;
}

// Follow the parents of every node up to a visited node. state: 0 not visited, 1 on the current path, 2
// known to end at a root. Reaching a node of the current path is a cycle.
static int check_acyclic(struct gltf *g, size_t count)
{
    char *state = calloc(count, 1);

    if (!state) {
        load_fail(g->error, TARN_NO_MEMORY, "no memory for the nodes");
        return 0;
    }
    for (size_t i = 0; i < count && g->error->result == TARN_OK; ++i) {
        size_t n = i;
        for (; n != GLTF_ROOT && state[n] == 0; n = g->parents[n]) state[n] = 1;
        if (n != GLTF_ROOT && state[n] == 1)
            load_fail(g->error, TARN_BAD_INPUT, "nodes[%zu] is an ancestor of itself", n);
        for (n = i; n != GLTF_ROOT && state[n] == 1; n = g->parents[n]) state[n] = 2;
    }
    free(state);
    return g->error->result == TARN_OK;
}

int gltf_find_parents(struct gltf *g, size_t count)
{
    const json_t *nodes = json_object_get(g->root, "nodes");

    for (size_t i = 0; i < count; ++i) g->parents[i] = GLTF_ROOT;
    for (size_t i = 0; i < count; ++i) {
        const json_t *children = json_object_get(json_array_get(nodes, i), "children");
        for (size_t k = 0, child = 0; k < json_array_size(children); ++k) {
            if (!get_node_index(g, children, k, count, &child)) return 0;
            if (g->parents[child] != GLTF_ROOT) return REJECT(g->error, "nodes[%zu] has two parents", child);
            g->parents[child] = i;
        }
    }
    return check_acyclic(g, count);
}

int gltf_find_roots(struct gltf *g, size_t count, size_t *out, size_t *out_count)
{
    const json_t *scenes = json_object_get(g->root, "scenes");
    size_t scene;

    *out_count = 0;
    if (json_array_size(scenes) == 0) { // without scenes all nodes are used
        for (size_t i = count; i-- > 0;)
            if (g->parents[i] == GLTF_ROOT) out[(*out_count)++] = i;
        return 1;
    }
    if (!gltf_get_index(g, g->root, "scene", "the file", 0, 0, &scene)) return 0;
    const json_t *list = json_object_get(json_array_get(scenes, scene), "nodes");
    if (json_array_size(list) == 0) return REJECT(g->error, "scenes[%zu] has no nodes", scene);
    for (size_t i = json_array_size(list), node = 0; i-- > 0;) {
        if (!get_node_index(g, list, i, count, &node)) return 0;
        if (g->parents[node] == GLTF_SCENE_ROOT)
            return REJECT(g->error, "scenes[%zu] names nodes[%zu] twice", scene, node);
        if (g->parents[node] != GLTF_ROOT)
            return REJECT(g->error, "scenes[%zu]: nodes[%zu] is a child; a scene names roots", scene, node);
        g->parents[node] = GLTF_SCENE_ROOT;
        out[(*out_count)++] = node;
    }
    return 1;
}
