// glTF 2.0 -> triangles: every mesh of the default scene, moved by its nodes. Geometry only: no materials, skins,
// morph targets or cameras. A .glb file is 12 bytes of head and chunks (length, type, bytes): JSON, then bytes.
// Buffers are the second chunk, base64 in a data: URI, or a file beside this one; nothing else is opened.
#include "gltf.h"
#include "tokenizer.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define PRIMITIVES_MOST 1000000 // drawn in all: a mesh may be drawn by many nodes

// ---- accessors --------------------------------------------------------------------------------------

// Numbers in a buffer.
struct accessor {
    const unsigned char *bytes;
    size_t stride;
    int count, type; // type: 5121 ... 5126 as OpenGL numbers them
};

static size_t size_of(int type)
{
    return type == 5121 ? 1 : type == 5123 ? 2 : type == 5125 || type == 5126 ? 4 : 0;
}

static int find_accessor(struct gltf *g, size_t index, int width, struct accessor *out)
{
    const json_t *list = json_object_get(g->root, "accessors"), *a = json_array_get(list, index);
    const json_t *views = json_object_get(g->root, "bufferViews");
    size_t view, offset, count, type, from, length, buffer, stride;

    if (!json_is_object(a)) return REFUSE(g->fault, "accessors[%zu] is not there", index);
    if (json_object_get(a, "sparse"))
        return REFUSE(g->fault, "accessors[%zu]: sparse ones are not read", index);
    if (!gltf_whole(g, a, "bufferView", "accessors", index, GLTF_NEEDED, &view) ||
        !gltf_whole(g, a, "byteOffset", "accessors", index, 0, &offset) ||
        !gltf_whole(g, a, "count", "accessors", index, GLTF_NEEDED, &count) ||
        !gltf_whole(g, a, "componentType", "accessors", index, GLTF_NEEDED, &type))
        return 0;
    const char *shape = json_string_value(json_object_get(a, "type"));
    if (!shape || strcmp(shape, width == 3 ? "VEC3" : "SCALAR") != 0 || type > 5126 ||
        size_of((int)type) == 0 || (width == 3) != (type == 5126))
        return REFUSE(g->fault, "accessors[%zu]: %s", index,
                      width == 3 ? "positions are VEC3 of floats"
                                 : "indices are SCALAR of unsigned integers");
    const json_t *v = json_array_get(views, view);
    if (!json_is_object(v))
        return REFUSE(g->fault, "accessors[%zu]: bufferViews[%zu] is not there", index, view);
    const size_t each = (size_t)width * size_of((int)type);
    if (!gltf_whole(g, v, "buffer", "bufferViews", view, GLTF_NEEDED, &buffer) ||
        !gltf_whole(g, v, "byteOffset", "bufferViews", view, 0, &from) ||
        !gltf_whole(g, v, "byteLength", "bufferViews", view, GLTF_NEEDED, &length) ||
        !gltf_whole(g, v, "byteStride", "bufferViews", view, each, &stride))
        return 0;
    const struct gltf_buffer *b = gltf_buffer(g, buffer);
    if (!b) return 0;
    if (from > b->size || length > b->size - from)
        return REFUSE(g->fault, "bufferViews[%zu] ends beyond byte %zu of its buffer", view, b->size);
    // Every element must fit. All numbers are below 2^31 and divided, not multiplied: nothing overflows.
    if (count == 0 || count > 3 * (size_t)MESH_TRIANGLES || stride < each || offset > length ||
        each > length - offset || (count - 1) > (length - offset - each) / stride)
        return REFUSE(g->fault, "accessors[%zu]: %zu elements do not fit into %zu bytes", index, count,
                      length);
    *out = (struct accessor){b->bytes + from + offset, stride, (int)count, (int)type};
    return 1;
}

// ---- primitives -------------------------------------------------------------------------------------

static int add_vertices(struct gltf *g, const struct accessor *a, const struct pose *pose, size_t mesh)
{
    for (int i = 0; i < a->count; ++i) {
        const unsigned char *at = a->bytes + (size_t)i * a->stride;
        double p[3], q[3];
        for (int k = 0; k < 3; ++k) p[k] = bytes_float(at + 4 * k, 4, 0);
        for (int k = 0; k < 3; ++k) {
            q[k] = pose->m[k][0] * p[0] + pose->m[k][1] * p[1] + pose->m[k][2] * p[2] + pose->m[k][3];
            if (!isfinite(q[k]))
                return REFUSE(g->fault, "meshes[%zu]: vertex %d is not finite (byte %zu of its buffer view)",
                              mesh, i, (size_t)i * a->stride);
        }
        if (!mesh_add_vertex(g->out, q, g->fault)) return 0;
    }
    return 1;
}

// Corner k of a primitive: a vertex number, or -1 if it is out of range.
static long long corner(const struct accessor *indices, int vertices, int k)
{
    if (indices->count == 0) return k;
    const uint64_t n =
        bytes_whole(indices->bytes + (size_t)k * indices->stride, (int)size_of(indices->type), 0);
    return n < (uint64_t)vertices ? (long long)n : -1;
}

// mode 4: triangles, 5: a strip, 6: a fan.
static int add_triangles(struct gltf *g, size_t mode, const struct accessor *indices, int vertices,
                         int mirrored, size_t mesh)
{
    const int base = g->out->vertex_count - vertices, corners = indices->count ? indices->count : vertices;
    const int step = mode == 4 ? 3 : 1;

    for (int k = 0; k + 2 < corners; k += step) {
        const int odd = mode == 5 && k % 2;
        const int places[3] = {mode == 6 ? 0 : k + odd, mode == 5 ? k + 1 - odd : k + 1, k + 2};
        long long n[3];
        for (int i = 0; i < 3; ++i) {
            n[i] = corner(indices, vertices, places[i]);
            if (n[i] < 0)
                return REFUSE(g->fault, "meshes[%zu]: index %d is none of its %d vertices", mesh, places[i],
                              vertices);
        }
        if (!mesh_add_triangle(g->out, base + (int)n[0], base + (int)n[mirrored ? 2 : 1],
                               base + (int)n[mirrored ? 1 : 2], g->fault))
            return 0;
    }
    if (mode == 4 && corners % 3 != 0)
        return REFUSE(g->fault, "meshes[%zu]: %d corners do not make triangles", mesh, corners);
    return 1;
}

static int add_primitive(struct gltf *g, const json_t *primitive, const struct pose *pose, size_t mesh)
{
    struct accessor positions, indices = {0};
    size_t mode, at;

    if (++g->drawn > PRIMITIVES_MOST)
        return REFUSE(g->fault, "more than %d primitives are drawn", PRIMITIVES_MOST);
    if (!json_is_object(primitive)) return REFUSE(g->fault, "meshes[%zu]: a primitive is no object", mesh);
    if (!gltf_whole(g, primitive, "mode", "meshes", mesh, 4, &mode)) return 0;
    if (mode > 6) return REFUSE(g->fault, "meshes[%zu]: mode is %zu, not 0 .. 6", mesh, mode);
    if (mode < 4) return 1; // points and lines
    const json_t *attributes = json_object_get(primitive, "attributes");
    if (!gltf_whole(g, attributes, "POSITION", "meshes", mesh, GLTF_NEEDED, &at) ||
        !find_accessor(g, at, 3, &positions))
        return 0;
    if (json_object_get(primitive, "indices") &&
        (!gltf_whole(g, primitive, "indices", "meshes", mesh, 0, &at) || !find_accessor(g, at, 1, &indices)))
        return 0;
    return add_vertices(g, &positions, pose, mesh) &&
           add_triangles(g, mode, &indices, positions.count, pose_mirrors(pose), mesh);
}

// ---- nodes ------------------------------------------------------------------------------------------

static int draw_node(struct gltf *g, size_t node)
{
    const json_t *n = json_array_get(json_object_get(g->root, "nodes"), node), *primitive;
    size_t mesh, i;

    if (!json_object_get(n, "mesh")) return 1;
    if (!gltf_whole(g, n, "mesh", "nodes", node, GLTF_NEEDED, &mesh)) return 0;
    const json_t *m = json_array_get(json_object_get(g->root, "meshes"), mesh);
    const json_t *primitives = json_object_get(m, "primitives");
    if (!json_is_array(primitives) || json_array_size(primitives) == 0)
        return REFUSE(g->fault, "nodes[%zu]: meshes[%zu] has no primitives", node, mesh);
    json_array_foreach(primitives, i, primitive)
    {
        if (!add_primitive(g, primitive, &g->poses[node], mesh)) return 0;
    }
    return 1;
}

// Nodes are drawn parents first, without recursion: a chain may be as long as the file.
static int draw_all(struct gltf *g, size_t *stack, size_t top)
{
    const json_t *nodes = json_object_get(g->root, "nodes");

    while (top > 0) {
        const size_t node = stack[--top];
        const json_t *n = json_array_get(nodes, node), *children = json_object_get(n, "children");
        struct pose own;
        if (!pose_read(g, n, node, &own)) return 0;
        const size_t parent = g->parents[node];
        g->poses[node] = parent >= GLTF_NAMED ? own : pose_after(&g->poses[parent], &own);
        if (!draw_node(g, node)) return 0;
        for (size_t i = json_array_size(children); i-- > 0;)
            stack[top++] = (size_t)json_number_value(json_array_get(children, i));
    }
    return 1;
}

static int check_extensions(struct gltf *g)
{
    // These change how things look, not where they are.
    static const char *const harmless[] = {"KHR_materials_", "KHR_texture_", "KHR_lights_", "EXT_texture_"};
    const json_t *list = json_object_get(g->root, "extensionsRequired"), *item;
    size_t i;

    json_array_foreach(list, i, item)
    {
        const char *name = json_is_string(item) ? json_string_value(item) : "?";
        int known = 0;
        for (size_t k = 0; k < sizeof harmless / sizeof harmless[0]; ++k)
            known |= strncmp(name, harmless[k], strlen(harmless[k])) == 0;
        if (!known) return REFUSE(g->fault, "the file needs the extension '%.60s', which is not read", name);
    }
    const char *version = json_string_value(json_object_get(json_object_get(g->root, "asset"), "version"));
    if (!version || strncmp(version, "2.", 2) != 0)
        return REFUSE(g->fault, "asset.version is '%.20s', not 2.0", version ? version : "");
    return 1;
}

static int read_scene(struct gltf *g)
{
    const size_t count = json_array_size(json_object_get(g->root, "nodes"));
    size_t top = 0;

    if (!check_extensions(g)) return 0;
    if (count == 0) return REFUSE(g->fault, "the file has no nodes");
    g->parents = malloc(count * sizeof *g->parents);
    g->poses = malloc(count * sizeof *g->poses);
    size_t *stack = malloc(count * sizeof *stack);
    int fine = g->parents && g->poses && stack;
    if (!fine) fault_say(g->fault, TARN_NO_MEMORY, "there is no memory for the nodes");
    fine = fine && nodes_parents(g, count) && nodes_roots(g, count, stack, &top) && draw_all(g, stack, top);
    free(stack);
    free(g->parents);
    free(g->poses);
    if (fine && g->out->triangle_count == 0) return REFUSE(g->fault, "the default scene has no triangles");
    return fine;
}

tarn_result mesh_gltf_read(const char *data, size_t size, const struct beside *beside, struct mesh *out,
                           struct fault *fault)
{
    struct gltf g = {.beside = beside, .out = out, .fault = fault};

    *out = (struct mesh){0};
    *fault = (struct fault){0};
    if (gltf_open(&g, data, size)) read_scene(&g);
    gltf_close(&g);
    if (fault->result != TARN_OK) mesh_free(out);
    return fault->result;
}
