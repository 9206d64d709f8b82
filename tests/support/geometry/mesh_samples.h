// A box in every mesh format, and the expected results of reading it.
#ifndef TESTS_MESH_SAMPLES_H
#define TESTS_MESH_SAMPLES_H

#include "check.h"
#include "scene/import/mesh.h"
#include "scene/json/string_buffer.h"

#include <stdio.h>

// ---- a box of 1 x 2 x 3 m in every format -----------------------------------------------------------

static const double corners[8][3] = {{0, 0, 0}, {1, 0, 0}, {0, 2, 0}, {1, 2, 0},
                                     {0, 0, 3}, {1, 0, 3}, {0, 2, 3}, {1, 2, 3}};
static const int sides[6][4] = {{0, 4, 6, 2}, {1, 3, 7, 5}, {0, 1, 5, 4},
                                {2, 6, 7, 3}, {0, 2, 3, 1}, {4, 5, 7, 6}};

static inline void __attribute__((format(printf, 2, 3))) add(struct string_buffer *t, const char *format, ...)
{
    char line[1024];
    va_list args;
    va_start(args, format);
    vsnprintf(line, sizeof line, format, args);
    va_end(args);
    buffer_append_string(t, line);
}

static inline void add_whole(struct string_buffer *t, uint64_t n, int size, int big)
{
    for (int i = 0; i < size; ++i) {
        const char c = (char)(unsigned char)(n >> 8 * (big ? size - 1 - i : i));
        buffer_append(t, &c, 1);
    }
}

static inline void add_float(struct string_buffer *t, double x, int size, int big)
{
    const float f = (float)x;
    uint64_t bits = 0;
    uint32_t half;
    memcpy(&half, &f, 4);
    memcpy(&bits, &x, 8);
    add_whole(t, size == 8 ? bits : half, size, big);
}

static inline struct string_buffer obj_box(void)
{
    struct string_buffer t = {0};
    add(&t, "# a box\nmtllib none.mtl\no box\n");
    for (int i = 0; i < 8; ++i) add(&t, "v %g %g %g 1.0\n", corners[i][0], corners[i][1], corners[i][2]);
    add(&t, "vt 0 0\nvn 0 0 1\ns off\n");
    for (int f = 0; f < 6; ++f) {
        buffer_append_string(&t, "f");
        for (int k = 0; k < 4; ++k) {
            const int n = f == 5 ? sides[f][k] - 8 : sides[f][k] + 1; // the last from the end
            buffer_append_string(&t, f == 4 && k == 2 ? " \\\r\n" : " ");
            switch (f) {
            case 1: add(&t, "%d/1", n); break;
            case 2: add(&t, "%d//1", n); break;
            case 3: add(&t, "%d/1/1", n); break;
            default: add(&t, "%d", n); break;
            }
        }
        buffer_append_string(&t, f % 2 ? "\r\n" : "\n");
    }
    return t;
}

static inline struct string_buffer stl_box(int binary)
{
    struct string_buffer t = {0};
    if (binary) {
        char head[80] = "solid, but binary all the same";
        buffer_append(&t, head, sizeof head);
        add_whole(&t, 12, 4, 0);
    } else {
        add(&t, "solid my box\n");
    }
    for (int f = 0; f < 12; ++f) {
        const int c[3] = {sides[f / 2][0], sides[f / 2][1 + f % 2], sides[f / 2][2 + f % 2]};
        if (binary)
            for (int i = 0; i < 3; ++i) add_float(&t, NAN, 4, 0); // normals are ignored
        else
            add(&t, " facet normal nan 0 0\n  OUTER loop\n");
        for (int k = 0; k < 3; ++k) {
            const double *p = corners[c[k]];
            for (int i = 0; binary && i < 3; ++i) add_float(&t, p[i], 4, 0);
            if (!binary) add(&t, "   vertex %g %ge0 %g\n", p[0], p[1], p[2]);
        }
        if (binary)
            add_whole(&t, 0, 2, 0);
        else
            add(&t, "  endloop\n endfacet\n");
    }
    if (!binary) add(&t, "endsolid my box\n");
    return t;
}

enum { ASCII, LITTLE, BIG };

static inline struct string_buffer ply_box(int form)
{
    static const char *const names[] = {"ascii", "binary_little_endian", "binary_big_endian"};
    const int big = form == BIG;
    struct string_buffer t = {0};
    add(&t, "ply\nformat %s 1.0\ncomment property float x\nelement vertex 8\nproperty uchar red\n",
        names[form]);
    add(&t, "property float x\nproperty double y\nproperty float32 z\nelement face 6\n");
    add(&t, "property list uchar float weights\nproperty list uint8 int vertex_indices\n");
    add(&t, "element edge 1\nproperty short a\nend_header\n");
    for (int i = 0; i < 8; ++i) {
        if (form == ASCII) {
            add(&t, "255 %g %g %g\n", corners[i][0], corners[i][1], corners[i][2]);
            continue;
        }
        add_whole(&t, 255, 1, big);
        add_float(&t, corners[i][0], 4, big);
        add_float(&t, corners[i][1], 8, big);
        add_float(&t, corners[i][2], 4, big);
    }
    for (int f = 0; f < 6; ++f) {
        const int *c = sides[f];
        if (form == ASCII) {
            add(&t, "2 0.5 7 4 %d %d %d %d\n", c[0], c[1], c[2], c[3]);
            continue;
        }
        add_whole(&t, 1, 1, big);
        add_float(&t, 0.5, 4, big);
        add_whole(&t, 4, 1, big);
        for (int k = 0; k < 4; ++k) add_whole(&t, (uint64_t)c[k], 4, big);
    }
    if (form == ASCII)
        add(&t, "-7\n");
    else
        add_whole(&t, 0xfff9, 2, big);
    return t;
}

// Positions and indices of the unit box with stride and padding, which the nodes scale to 1 x 2 x 3.
static inline struct string_buffer gltf_bytes(void)
{
    struct string_buffer t = {0};
    for (int i = 0; i < 8; ++i) {
        for (int k = 0; k < 3; ++k) add_float(&t, corners[i][k] > 0, 4, 0);
        add_whole(&t, 0x7fc00000, 4, 0); // a NaN that must not be read
    }
    for (int f = 0; f < 12; ++f) {
        add_whole(&t, (uint64_t)sides[f / 2][0], 2, 0);
        add_whole(&t, (uint64_t)sides[f / 2][1 + f % 2], 2, 0);
        add_whole(&t, (uint64_t)sides[f / 2][2 + f % 2], 2, 0);
    }
    return t;
}

static inline struct string_buffer base64(const struct string_buffer *bytes)
{
    static const char digits[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    struct string_buffer t = {0};
    for (size_t i = 0; i < bytes->size; i += 3) {
        unsigned n = 0;
        for (size_t k = 0; k < 3; ++k)
            n = n << 8 | (i + k < bytes->size ? (unsigned char)bytes->data[i + k] : 0);
        for (size_t k = 0; k < 4; ++k)
            buffer_append(&t, i + k <= bytes->size ? &digits[n >> (18 - 6 * k) & 63] : "=", 1);
    }
    return t;
}

// The JSON. The parent rotates by 90 degrees about z and translates; the child scales and rotates back.
// `nodes` may be NULL.
static inline struct string_buffer gltf_json(const char *buffer, const char *nodes, const char *scenes)
{
    struct string_buffer t = {0};
    add(&t, "{\"asset\": {\"version\": \"2.0\"}, \"scene\": 1,\n \"scenes\": %s,\n \"nodes\": ",
        scenes ? scenes : "[{\"nodes\": [2]}, {\"nodes\": [0]}]");
    buffer_append_string(
        &t, nodes ? nodes
                  : "[{\"children\": [1], \"rotation\": [0, 0, 0.70710678118654752, 0.70710678118654752], "
                    "\"translation\": [5, 6, 7]}, {\"mesh\": 0, \"matrix\": [0,-1,0,0, 2,0,0,0, 0,0,3,0, "
                    "0,0,0,1]}, {\"mesh\": 0}]");
    buffer_append_string(
        &t, ",\n \"meshes\": [{\"primitives\": [{\"mode\": 1, \"attributes\": {\"POSITION\": 0}}, "
            "{\"attributes\": {\"POSITION\": 0, \"NORMAL\": 9}, \"indices\": 1}]}],\n"
            " \"accessors\": [{\"bufferView\": 0, \"componentType\": 5126, \"count\": 8, \"type\": \"VEC3\"},"
            " {\"bufferView\": 1, \"byteOffset\": 2, \"componentType\": 5123, \"count\": 36, \"type\": "
            "\"SCALAR\"}],\n"
            " \"bufferViews\": [{\"buffer\": 0, \"byteLength\": 128, \"byteStride\": 16},"
            " {\"buffer\": 0, \"byteOffset\": 126, \"byteLength\": 74}],\n"
            " \"buffers\": [{\"byteLength\": 200");
    buffer_append_string(&t, buffer);
    buffer_append_string(&t, "}]}\n");
    return t;
}

static inline struct string_buffer gltf_box(void)
{
    struct string_buffer bytes = gltf_bytes(), code = base64(&bytes), uri = {0};
    buffer_append_string(&uri, ", \"uri\": \"data:application/octet-stream;base64,");
    buffer_append(&uri, code.data, code.size);
    buffer_append_string(&uri, "\"");
    struct string_buffer t = gltf_json(uri.data, NULL, NULL);
    free(bytes.data), free(code.data), free(uri.data);
    return t;
}

static inline struct string_buffer glb_of(const struct string_buffer *json, const struct string_buffer *bytes)
{
    struct string_buffer t = {0};
    buffer_append_string(&t, "glTF");
    add_whole(&t, 2, 4, 0);
    add_whole(&t, 12 + 8 + json->size + 8 + bytes->size, 4, 0);
    add_whole(&t, json->size, 4, 0);
    buffer_append_string(&t, "JSON");
    buffer_append(&t, json->data, json->size);
    add_whole(&t, bytes->size, 4, 0);
    buffer_append(&t, "BIN", 4);
    buffer_append(&t, bytes->data, bytes->size);
    return t;
}

static inline struct string_buffer glb_box(void)
{
    struct string_buffer json = gltf_json("", NULL, NULL), bytes = gltf_bytes(), t = glb_of(&json, &bytes);
    free(json.data), free(bytes.data);
    return t;
}

enum { OBJ, STL_TEXT, STL_BINARY, PLY_TEXT, PLY_LITTLE, PLY_BIG, GLTF, GLB, FORMATS };
static const char *const names[FORMATS] = {"a.obj", "a.stl", "b.stl",  "a.ply",
                                           "b.ply", "c.ply", "a.gltf", "a.glb"};

static inline struct string_buffer box_as(int format)
{
    switch (format) {
    case OBJ: return obj_box();
    case STL_TEXT: return stl_box(0);
    case STL_BINARY: return stl_box(1);
    case PLY_TEXT: return ply_box(ASCII);
    case PLY_LITTLE: return ply_box(LITTLE);
    case PLY_BIG: return ply_box(BIG);
    case GLTF: return gltf_box();
    default: return glb_box();
    }
}

// ---- reading ----------------------------------------------------------------------------------------

static inline tarn_mesh_report report_of(const struct mesh *m)
{
    tarn_mesh_report f;
    tarn_error err;
    if (tarn_mesh_inspect(m->vertex_count, m->vertices, m->triangle_count, m->triangles, NULL, &f, &err) !=
        TARN_OK)
        fail_msg("%s", err.message);
    return f;
}

// For any result mesh and error must be consistent, and every number valid.
static inline void check_whole(tarn_result r, const struct mesh *m, const struct load_error *f)
{
    assert_int_equal(r, f->result);
    assert_true((r == TARN_OK) == (m->triangles != NULL) && (r != TARN_OK) == (f->message[0] != '\0'));
    for (int i = 0; i < 3 * m->triangle_count; ++i)
        assert_true(m->triangles[i] >= 0 && m->triangles[i] < m->vertex_count);
    for (int i = 0; i < 3 * m->vertex_count; ++i) assert_true(isfinite(m->vertices[i]));
}

// Read and rejected with this message.
static inline void refused(const char *name, const char *data, size_t size, const char *words)
{
    struct mesh m;
    struct load_error f;
    const tarn_result r = mesh_parse(name, data, size, NULL, &m, &f);
    check_whole(r, &m, &f);
    if (r != TARN_BAD_INPUT || !strstr(f.message, words))
        fail_msg("expected '%s', got %d '%s'", words, (int)r, f.message);
}

static inline void refused_text(const char *name, const char *text, const char *words)
{
    refused(name, text, strlen(text), words);
}

#endif
