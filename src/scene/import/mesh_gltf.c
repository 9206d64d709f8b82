// Reads the triangles of the default scene of a glTF 2.0 file, transformed by their nodes. Materials, skins,
// morph targets and cameras are ignored. Buffers are the binary chunk of a .glb file, base64 in a data: URI
// or files beside this one; nothing else is opened.
#include "gltf.h"
#include "tokenizer.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define MAX_PRIMITIVES 1000000 // in total: many nodes may instantiate one mesh

// ---- accessors --------------------------------------------------------------------------------------

// Elements in a buffer.
struct accessor {
    const unsigned char *bytes;
    size_t stride;
    int count, type; // type: component type, 5121 (uint8) to 5126 (float) as in OpenGL
};

static size_t component_size(int type)
{
    return type == 5121 ? 1 : type == 5123 ? 2 : type == 5125 || type == 5126 ? 4 : 0;
}

static int find_accessor(struct gltf *g, size_t index, int components, struct accessor *out)
{
    const json_t *list = json_object_get(g->root, "accessors"), *a = json_array_get(list, index);
    const json_t *views = json_object_get(g->root, "bufferViews");
    size_t view, offset, count, type, view_offset, length, buffer, stride;

    if (!json_is_object(a)) return REJECT(g->error, "accessors[%zu] is not there", index);
    if (json_object_get(a, "sparse"))
        return REJECT(g->error, "accessors[%zu]: sparse ones are not read", index);
    if (!gltf_get_index(g, a, "bufferView", "accessors", index, GLTF_REQUIRED, &view) ||
        !gltf_get_index(g, a, "byteOffset", "accessors", index, 0, &offset) ||
        !gltf_get_index(g, a, "count", "accessors", index, GLTF_REQUIRED, &count) ||
        !gltf_get_index(g, a, "componentType", "accessors", index, GLTF_REQUIRED, &type))
        return 0;
    const char *type_name = json_string_value(json_object_get(a, "type"));
    if (!type_name || strcmp(type_name, components == 3 ? "VEC3" : "SCALAR") != 0 || type > 5126 ||
        component_size((int)type) == 0 || (components == 3) != (type == 5126))
        return REJECT(g->error, "accessors[%zu]: %s", index,
                      components == 3 ? "positions are VEC3 of floats"
                                      : "indices are SCALAR of unsigned integers");
    const json_t *v = json_array_get(views, view);
    if (!json_is_object(v))
        return REJECT(g->error, "accessors[%zu]: bufferViews[%zu] is not there", index, view);
    const size_t element_size = (size_t)components * component_size((int)type);
    if (!gltf_get_index(g, v, "buffer", "bufferViews", view, GLTF_REQUIRED, &buffer) ||
        !gltf_get_index(g, v, "byteOffset", "bufferViews", view, 0, &view_offset) ||
        !gltf_get_index(g, v, "byteLength", "bufferViews", view, GLTF_REQUIRED, &length) ||
        !gltf_get_index(g, v, "byteStride", "bufferViews", view, element_size, &stride))
        return 0;
    const struct gltf_buffer *b = gltf_buffer(g, buffer);
    if (!b) return 0;
    if (view_offset > b->size || length > b->size - view_offset)
        return REJECT(g->error, "bufferViews[%zu] ends beyond byte %zu of its buffer", view, b->size);
    // Every element must lie inside the buffer view. All numbers are below 2^31, and the check divides
    // instead of multiplying, so nothing overflows.
    if (count == 0 || count > 3 * (size_t)MESH_MAX_TRIANGLES || stride < element_size || offset > length ||
        element_size > length - offset || (count - 1) > (length - offset - element_size) / stride)
        return REJECT(g->error, "accessors[%zu]: %zu elements do not fit into %zu bytes", index, count,
                      length);
    *out = (struct accessor){b->bytes + view_offset + offset, stride, (int)count, (int)type};
    return 1;
}

// ---- primitives -------------------------------------------------------------------------------------

static int add_vertices(struct gltf *g, const struct accessor *a, const struct affine *transform, size_t mesh)
{
    for (int i = 0; i < a->count; ++i) {
        const unsigned char *element = a->bytes + (size_t)i * a->stride;
        double local[3], world[3];
        for (int k = 0; k < 3; ++k) local[k] = read_float(element + 4 * k, 4, 0);
        for (int k = 0; k < 3; ++k) {
            world[k] = transform->m[k][0] * local[0] + transform->m[k][1] * local[1] +
                       transform->m[k][2] * local[2] + transform->m[k][3];
            if (!isfinite(world[k]))
                return REJECT(g->error, "meshes[%zu]: vertex %d is not finite (byte %zu of its buffer view)",
                              mesh, i, (size_t)i * a->stride);
        }
        if (!mesh_add_vertex(g->out, world, g->error)) return 0;
    }
    return 1;
}

// The vertex index of corner k of a primitive, or -1 if it is out of range.
static long long vertex_index(const struct accessor *indices, int vertices, int k)
{
    if (indices->count == 0) return k;
    const uint64_t n =
        read_uint(indices->bytes + (size_t)k * indices->stride, (int)component_size(indices->type), 0);
    return n < (uint64_t)vertices ? (long long)n : -1;
}

// mode 4: triangles, 5: triangle strip, 6: triangle fan.
static int add_triangles(struct gltf *g, size_t mode, const struct accessor *indices, int vertices,
                         int mirrored, size_t mesh)
{
    const int base = g->out->vertex_count - vertices,
              corner_count = indices->count ? indices->count : vertices;
    const int stride = mode == 4 ? 3 : 1;

    for (int k = 0; k + 2 < corner_count; k += stride) {
        const int odd = mode == 5 && k % 2;
        const int corner[3] = {mode == 6 ? 0 : k + odd, mode == 5 ? k + 1 - odd : k + 1, k + 2};
        long long n[3];
        for (int i = 0; i < 3; ++i) {
            n[i] = vertex_index(indices, vertices, corner[i]);
            if (n[i] < 0)
                return REJECT(g->error, "meshes[%zu]: index %d is none of its %d vertices", mesh, corner[i],
                              vertices);
        }
        if (!mesh_add_triangle(g->out, base + (int)n[0], base + (int)n[mirrored ? 2 : 1],
                               base + (int)n[mirrored ? 1 : 2], g->error))
            return 0;
    }
    if (mode == 4 && corner_count % 3 != 0)
        return REJECT(g->error, "meshes[%zu]: %d corners do not make triangles", mesh, corner_count);
    return 1;
}

static int add_primitive(struct gltf *g, const json_t *primitive, const struct affine *transform, size_t mesh)
{
    struct accessor positions, indices = {0};
    size_t mode, index;

    if (++g->primitive_count > MAX_PRIMITIVES)
        return REJECT(g->error, "more than %d primitives are drawn", MAX_PRIMITIVES);
    if (!json_is_object(primitive))
        return REJECT(g->error, "meshes[%zu]: a primitive is not an object", mesh);
    if (!gltf_get_index(g, primitive, "mode", "meshes", mesh, 4, &mode)) return 0;
    if (mode > 6) return REJECT(g->error, "meshes[%zu]: mode is %zu, not 0 .. 6", mesh, mode);
    if (mode < 4) return 1; // points and lines
    const json_t *attributes = json_object_get(primitive, "attributes");
    if (!gltf_get_index(g, attributes, "POSITION", "meshes", mesh, GLTF_REQUIRED, &index) ||
        !find_accessor(g, index, 3, &positions))
        return 0;
    if (json_object_get(primitive, "indices") &&
        (!gltf_get_index(g, primitive, "indices", "meshes", mesh, 0, &index) ||
         !find_accessor(g, index, 1, &indices)))
        return 0;
    return add_vertices(g, &positions, transform, mesh) &&
           add_triangles(g, mode, &indices, positions.count, affine_is_mirrored(transform), mesh);
}

// ---- nodes ------------------------------------------------------------------------------------------

static int add_node(struct gltf *g, size_t node)
{
    const json_t *n = json_array_get(json_object_get(g->root, "nodes"), node), *primitive;
    size_t mesh, i;

    if (!json_object_get(n, "mesh")) return 1;
    if (!gltf_get_index(g, n, "mesh", "nodes", node, GLTF_REQUIRED, &mesh)) return 0;
    const json_t *m = json_array_get(json_object_get(g->root, "meshes"), mesh);
    const json_t *primitives = json_object_get(m, "primitives");
    if (!json_is_array(primitives) || json_array_size(primitives) == 0)
        return REJECT(g->error, "nodes[%zu]: meshes[%zu] has no primitives", node, mesh);
    json_array_foreach(primitives, i, primitive)
    {
        if (!add_primitive(g, primitive, &g->transforms[node], mesh)) return 0;
    }
    return 1;
}

// Add nodes depth first, parents before children, with an explicit stack, because a chain of nodes may be as
// long as the file.
static int add_nodes(struct gltf *g, size_t *stack, size_t top)
{
    const json_t *nodes = json_object_get(g->root, "nodes");

    while (top > 0) {
        const size_t node = stack[--top];
        const json_t *n = json_array_get(nodes, node), *children = json_object_get(n, "children");
        struct affine node_transform;
        if (!affine_read(g, n, node, &node_transform)) return 0;
        const size_t parent = g->parents[node];
        g->transforms[node] = parent >= GLTF_SCENE_ROOT
                                  ? node_transform
                                  : affine_multiply(&g->transforms[parent], &node_transform);
        if (!add_node(g, node)) return 0;
        for (size_t i = json_array_size(children); i-- > 0;)
            stack[top++] = (size_t)json_number_value(json_array_get(children, i));
    }
    return 1;
}

static int check_extensions(struct gltf *g)
{
    // Required extensions that change the appearance, not the geometry.
    static const char *const allowed[] = {"KHR_materials_", "KHR_texture_", "KHR_lights_", "EXT_texture_"};
    const json_t *list = json_object_get(g->root, "extensionsRequired"), *item;
    size_t i;

    json_array_foreach(list, i, item)
    {
        const char *name = json_is_string(item) ? json_string_value(item) : "?";
        int known = 0;
        for (size_t k = 0; k < sizeof allowed / sizeof allowed[0]; ++k)
            known |= strncmp(name, allowed[k], strlen(allowed[k])) == 0;
        if (!known) return REJECT(g->error, "the file needs the extension '%.60s', which is not read", name);
    }
    const char *version = json_string_value(json_object_get(json_object_get(g->root, "asset"), "version"));
    if (!version || strncmp(version, "2.", 2) != 0)
        return REJECT(g->error, "asset.version is '%.20s', not 2.0", version ? version : "");
    return 1;
}

static int read_default_scene(struct gltf *g)
{
    const size_t count = json_array_size(json_object_get(g->root, "nodes"));
    size_t top = 0;

    if (!check_extensions(g)) return 0;
    if (count == 0) return REJECT(g->error, "the file has no nodes");
    g->parents = malloc(count * sizeof *g->parents);
    g->transforms = malloc(count * sizeof *g->transforms);
    size_t *stack = malloc(count * sizeof *stack);
    int ok = g->parents && g->transforms && stack;
    if (!ok) load_fail(g->error, TARN_NO_MEMORY, "no memory for the nodes");
    ok = ok && gltf_find_parents(g, count) && gltf_find_roots(g, count, stack, &top) &&
         add_nodes(g, stack, top);
    free(stack);
    free(g->parents);
    free(g->transforms);
    if (ok && g->out->triangle_count == 0) return REJECT(g->error, "the default scene has no triangles");
    return ok;
}

static tarn_result read_gltf(const char *data, size_t size, const struct mesh_dir *dir, struct mesh *out,
                             struct load_error *error)
{
    struct gltf g = {.dir = dir, .out = out, .error = error};

    *out = (struct mesh){0};
    *error = (struct load_error){0};
    if (gltf_open(&g, data, size)) read_default_scene(&g);
    gltf_close(&g);
    if (error->result != TARN_OK) mesh_free(out);
    return error->result;
}

static int has_gltf_signature(const char *data, size_t size)
{
    const size_t start = skip_spaces(data, size);
    return has_prefix(data, size, "glTF") || (start < size && data[start] == '{');
}

const struct mesh_format mesh_format_gltf = {
    .name = "glTF", .extensions = {".gltf", ".glb"}, .has_signature = has_gltf_signature, .read = read_gltf};
