// Detects the format of a mesh file and reads it; implements the public functions for mesh files.
#include "mesh.h"
#include "tokenizer.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

void mesh_free(struct mesh *mesh)
{
    free(mesh->vertices);
    free(mesh->triangles);
    *mesh = (struct mesh){0};
}

// Make space for one more element. The capacity grows with the elements read, never with the count that a
// file claims.
static int grow(void **list, int *capacity, int count, int max_count, size_t element_size,
                struct load_error *error)
{
    if (count < *capacity) return 1;
    if (count >= max_count)
        return REJECT(error, "a mesh has at most %d vertices and %d triangles", MESH_MAX_VERTICES,
                      MESH_MAX_TRIANGLES);
    int new_capacity = *capacity ? 2 * *capacity : 64;
    if (new_capacity > max_count) new_capacity = max_count;
    void *grown = realloc(*list, (size_t)new_capacity * element_size);
    if (!grown) {
        load_fail(error, TARN_NO_MEMORY, "no memory for the mesh");
        return 0;
    }
    *list = grown;
    *capacity = new_capacity;
    return 1;
}

int mesh_add_vertex(struct mesh *mesh, const double position[3], struct load_error *error)
{
    void *list = mesh->vertices;
    if (!grow(&list, &mesh->vertex_capacity, mesh->vertex_count, MESH_MAX_VERTICES, 3 * sizeof(double),
              error))
        return 0;
    mesh->vertices = list;
    memcpy(mesh->vertices + 3 * (size_t)mesh->vertex_count++, position, 3 * sizeof(double));
    return 1;
}

int mesh_add_triangle(struct mesh *mesh, int a, int b, int c, struct load_error *error)
{
    const int triangle[3] = {a, b, c};
    void *list = mesh->triangles;
    if (!grow(&list, &mesh->triangle_capacity, mesh->triangle_count, MESH_MAX_TRIANGLES, sizeof triangle,
              error))
        return 0;
    mesh->triangles = list;
    memcpy(mesh->triangles + 3 * (size_t)mesh->triangle_count++, triangle, sizeof triangle);
    return 1;
}

int mesh_add_polygon_vertex(struct mesh *mesh, struct polygon_fan *fan, int vertex, struct load_error *error)
{
    if (fan->count >= 2 && !mesh_add_triangle(mesh, fan->first, fan->last, vertex, error)) return 0;
    if (fan->count++ == 0) fan->first = vertex;
    fan->last = vertex;
    return 1;
}

uint64_t read_uint(const unsigned char *bytes, int size, int big_endian)
{
    uint64_t value = 0;
    for (int i = 0; i < size; ++i) value = value << 8 | bytes[big_endian ? i : size - 1 - i];
    return value;
}

double read_float(const unsigned char *bytes, int size, int big_endian)
{
    const uint64_t bits = read_uint(bytes, size, big_endian);
    if (size == 8) {
        double x;
        memcpy(&x, &bits, sizeof x);
        return x;
    }
    const uint32_t word = (uint32_t)bits;
    float x;
    memcpy(&x, &word, sizeof x);
    return (double)x;
}

// ---- format detection -------------------------------------------------------------------------------

#define DECLARE_FORMAT(name) extern const struct mesh_format mesh_format_##name;
#define FORMAT_ADDRESS(name) &mesh_format_##name,
// Every mesh format in the order in which signatures are compared; X(name) stands for `mesh_format_name`.
#define MESH_FORMATS(X) \
    X(stl)              \
    X(gltf)             \
    X(ply)              \
    X(obj)

MESH_FORMATS(DECLARE_FORMAT)
static const struct mesh_format *const formats[] = {MESH_FORMATS(FORMAT_ADDRESS)};
#define FORMAT_COUNT ((int)(sizeof formats / sizeof formats[0]))

const struct mesh_format *mesh_format_at(int index)
{
    return 0 <= index && index < FORMAT_COUNT ? formats[index] : NULL;
}

int has_prefix(const char *data, size_t size, const char *prefix)
{
    const size_t length = strlen(prefix);
    return size >= length && memcmp(data, prefix, length) == 0;
}

size_t skip_spaces(const char *data, size_t size)
{
    size_t start = 0;
    while (start < size && is_space(data[start])) start++;
    return start;
}

static int has_suffix(const char *name, const char *suffix)
{
    const size_t n = strlen(name), m = strlen(suffix);
    if (n < m) return 0;
    for (size_t i = 0; i < m; ++i) {
        const char c = name[n - m + i];
        if ((c | (is_letter(c) ? 32 : 0)) != suffix[i]) return 0;
    }
    return 1;
}

static int has_extension(const struct mesh_format *format, const char *name)
{
    for (int i = 0; i < 3 && format->extensions[i]; ++i)
        if (has_suffix(name, format->extensions[i])) return 1;
    return 0;
}

static const struct mesh_format *find_signature(const char *data, size_t size)
{
    for (int i = 0; i < FORMAT_COUNT; ++i)
        if (formats[i]->has_signature && formats[i]->has_signature(data, size)) return formats[i];
    return NULL;
}

// The format by signature, otherwise by extension, otherwise by a guess from the content.
static const struct mesh_format *detect_format(const char *name, const char *data, size_t size)
{
    const struct mesh_format *format = find_signature(data, size);
    for (int i = 0; !format && i < FORMAT_COUNT; ++i)
        if (has_extension(formats[i], name)) format = formats[i];
    for (int i = 0; !format && i < FORMAT_COUNT; ++i)
        if (formats[i]->looks_like && formats[i]->looks_like(data, size)) format = formats[i];
    return format;
}

static tarn_result fail_unknown_format(struct load_error *error)
{
    char names[128] = "";
    for (int i = 0; i < FORMAT_COUNT; ++i) {
        const size_t length = strlen(names);
        snprintf(names + length, sizeof names - length, "%s%s", i ? ", " : "", formats[i]->name);
    }
    return load_fail(error, TARN_BAD_INPUT, "unknown mesh format; known: %s", names);
}

tarn_result mesh_parse(const char *name, const char *data, size_t size, const struct mesh_dir *dir,
                       struct mesh *out, struct load_error *error)
{
    *out = (struct mesh){0};
    *error = (struct load_error){0};
    // A byte order mark may be the start of a binary header, so signatures are compared before it is removed.
    const struct mesh_format *format = find_signature(data, size);
    if (!format && has_prefix(data, size, "\xef\xbb\xbf")) { // UTF-8 byte order mark
        data += 3;
        size -= 3;
    }
    if (!format && skip_spaces(data, size) == size)
        return load_fail(error, TARN_BAD_INPUT, "the file is empty");
    if (!format) format = detect_format(name, data, size);
    return format ? format->read(data, size, dir, out, error) : fail_unknown_format(error);
}

// ---- reading files ----------------------------------------------------------------------------------

tarn_result mesh_read(const struct source_text *source, const char *name, struct mesh *out,
                      struct load_error *error)
{
    struct mesh_dir dir = {0};
    char *data = NULL;
    size_t size = 0;

    *out = (struct mesh){0};
    if (asset_find_folder(source, name, MESH_MAX_BYTES, dir.folder, error) != TARN_OK ||
        asset_read_in(dir.folder, name, MESH_MAX_BYTES, &data, &size, error) != TARN_OK)
        return error->result;
    const char *slash = strrchr(name, '/');
    snprintf(dir.prefix, sizeof dir.prefix, "%.*s", slash ? (int)(slash - name) + 1 : 0, name);
    if (mesh_parse(name, data, size, &dir, out, error) != TARN_OK) {
        char message[sizeof error->message];
        memcpy(message, error->message, sizeof message);
        load_fail(error, error->result, "%.60s: %.130s", name, message);
    }
    free(data);
    return error->result;
}

tarn_result mesh_read_path(const char *path, struct mesh *out, tarn_diagnostics *diagnostics)
{
    struct source_text source = {0};
    struct mesh_dir dir = {.folder = "."};
    struct load_error error = {0};
    struct parser parser;

    *out = (struct mesh){0};
    const char *slash = strrchr(path, '/');
    if (slash) snprintf(dir.folder, sizeof dir.folder, "%.*s", (int)(slash - path) + 1, path);
    const tarn_result r = read_user_file(path, "mesh", MESH_MAX_BYTES, &source, diagnostics);
    if (r != TARN_OK) {
        free(source.name);
        free(source.text);
        return r;
    }
    mesh_parse(path, source.text, source.size, &dir, out, &error);
    if (error.result != TARN_OK) {
        parser_init(&parser, &source, diagnostics);
        diag_at_label(&parser, path, "%s", error.message);
    }
    free(source.name);
    free(source.text);
    return error.result;
}

tarn_result tarn_mesh_file_inspect(const char *path, tarn_mesh_report *out, tarn_diagnostics *diagnostics)
{
    struct mesh mesh;
    tarn_error err;
    struct source_text source = {.name = (char *)path};
    struct parser parser;

    if (!path || !out) return TARN_BAD_ARGUMENT;
    *out = (tarn_mesh_report){0};
    tarn_result r = mesh_read_path(path, &mesh, diagnostics);
    if (r != TARN_OK) return r;
    r = tarn_mesh_inspect(mesh.vertex_count, mesh.vertices, mesh.triangle_count, mesh.triangles, NULL, out,
                          &err);
    if (r != TARN_OK) {
        parser_init(&parser, &source, diagnostics);
        diag_at_label(&parser, path, "%s", err.message);
    }
    mesh_free(&mesh);
    return r;
}

tarn_result tarn_mesh_file_read(const char *path, tarn_mesh *out, tarn_diagnostics *diagnostics)
{
    struct mesh mesh;

    if (!path || !out) return TARN_BAD_ARGUMENT;
    *out = (tarn_mesh){0};
    const tarn_result r = mesh_read_path(path, &mesh, diagnostics);
    if (r == TARN_OK)
        *out = (tarn_mesh){mesh.vertex_count, mesh.triangle_count, mesh.vertices, mesh.triangles};
    return r;
}

void tarn_mesh_file_free(tarn_mesh *t)
{
    if (!t) return;
    mesh_free(&(struct mesh){.vertices = (double *)t->vertices, .triangles = (int *)t->triangles});
    *t = (tarn_mesh){0};
}
