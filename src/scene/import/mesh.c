// A mesh file, whatever its format.
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

// Room for one more of `each` bytes. What a file holds limits the number, never what it claims.
static int grow(void **list, int *room, int count, int most, size_t each, struct fault *fault)
{
    if (count < *room) return 1;
    if (count >= most)
        return REFUSE(fault, "a mesh has at most %d vertices and %d triangles", MESH_VERTICES,
                      MESH_TRIANGLES);
    int wanted = *room ? 2 * *room : 64;
    if (wanted > most) wanted = most;
    void *grown = realloc(*list, (size_t)wanted * each);
    if (!grown) {
        fault_say(fault, TARN_NO_MEMORY, "there is no memory for the mesh");
        return 0;
    }
    *list = grown;
    *room = wanted;
    return 1;
}

int mesh_add_vertex(struct mesh *mesh, const double at[3], struct fault *fault)
{
    void *list = mesh->vertices;
    if (!grow(&list, &mesh->vertex_room, mesh->vertex_count, MESH_VERTICES, 3 * sizeof(double), fault))
        return 0;
    mesh->vertices = list;
    memcpy(mesh->vertices + 3 * (size_t)mesh->vertex_count++, at, 3 * sizeof(double));
    return 1;
}

int mesh_add_triangle(struct mesh *mesh, int a, int b, int c, struct fault *fault)
{
    const int corners[3] = {a, b, c};
    void *list = mesh->triangles;
    if (!grow(&list, &mesh->triangle_room, mesh->triangle_count, MESH_TRIANGLES, sizeof corners, fault))
        return 0;
    mesh->triangles = list;
    memcpy(mesh->triangles + 3 * (size_t)mesh->triangle_count++, corners, sizeof corners);
    return 1;
}

int mesh_add_corner(struct mesh *mesh, struct fan *fan, int corner, struct fault *fault)
{
    if (fan->count >= 2 && !mesh_add_triangle(mesh, fan->first, fan->last, corner, fault)) return 0;
    if (fan->count++ == 0) fan->first = corner;
    fan->last = corner;
    return 1;
}

uint64_t bytes_whole(const unsigned char *at, int size, int big)
{
    uint64_t whole = 0;
    for (int i = 0; i < size; ++i) whole = whole << 8 | at[big ? i : size - 1 - i];
    return whole;
}

double bytes_float(const unsigned char *at, int size, int big)
{
    const uint64_t bits = bytes_whole(at, size, big);
    if (size == 8) {
        double x;
        memcpy(&x, &bits, sizeof x);
        return x;
    }
    const uint32_t half = (uint32_t)bits;
    float x;
    memcpy(&x, &half, sizeof x);
    return (double)x;
}

// ---- which format -----------------------------------------------------------------------------------

static int begins(const char *data, size_t size, const char *word)
{
    const size_t length = strlen(word);
    return size >= length && memcmp(data, word, length) == 0;
}

static int ends(const char *name, const char *tail)
{
    const size_t n = strlen(name), m = strlen(tail);
    if (n < m) return 0;
    for (size_t i = 0; i < m; ++i) {
        const char c = name[n - m + i];
        if ((c | (is_letter(c) ? 32 : 0)) != tail[i]) return 0;
    }
    return 1;
}

// Does the first line that says something begin with a word of OBJ?
static int looks_like_obj(const char *data, size_t size)
{
    static const char *const keys[] = {"v", "vn", "vt", "f", "o", "g", "s", "mtllib", "usemtl"};
    struct words w = {.at = data, .end = data + size, .next = 1};

    while (words_next(&w) && *w.word == '#')
        while (w.at < w.end && *w.at != '\n') w.at++;
    for (size_t i = 0; i < sizeof keys / sizeof keys[0]; ++i)
        if (w.length == strlen(keys[i]) && memcmp(w.word, keys[i], w.length) == 0) return 1;
    return 0;
}

tarn_result mesh_parse(const char *name, const char *data, size_t size, const struct beside *beside,
                       struct mesh *out, struct fault *fault)
{
    size_t start = 0;

    *out = (struct mesh){0};
    *fault = (struct fault){0};
    // A binary STL may begin with anything; that its size fits its count is proof enough.
    if (size >= 84 && 84 + 50 * bytes_whole((const unsigned char *)data + 80, 4, 0) == size)
        return mesh_stl_read(data, size, out, fault);
    if (begins(data, size, "\xef\xbb\xbf")) { // the mark that some editors put before UTF-8
        data += 3;
        size -= 3;
    }
    while (start < size && is_space(data[start])) start++;
    if (start == size) return fault_say(fault, TARN_BAD_INPUT, "the file is empty");
    if (begins(data, size, "glTF") || data[start] == '{')
        return mesh_gltf_read(data, size, beside, out, fault);
    if (begins(data, size, "ply")) return mesh_ply_read(data, size, out, fault);
    if (ends(name, ".obj")) return mesh_obj_read(data, size, out, fault);
    if (ends(name, ".stl")) return mesh_stl_read(data, size, out, fault);
    if (ends(name, ".ply")) return mesh_ply_read(data, size, out, fault);
    if (ends(name, ".gltf") || ends(name, ".glb")) return mesh_gltf_read(data, size, beside, out, fault);
    if (begins(data + start, size - start, "solid")) return mesh_stl_read(data, size, out, fault);
    if (looks_like_obj(data, size)) return mesh_obj_read(data, size, out, fault);
    return fault_say(fault, TARN_BAD_INPUT, "this is no OBJ, PLY, STL or glTF file");
}

// ---- where from -------------------------------------------------------------------------------------

tarn_result mesh_read(const struct source *source, const char *name, struct mesh *out, struct fault *fault)
{
    struct beside beside = {0};
    char *data = NULL;
    size_t size = 0;

    *out = (struct mesh){0};
    if (resolve_folder(source, name, MESH_BYTES, beside.folder, fault) != TARN_OK ||
        resolve_read_in(beside.folder, name, MESH_BYTES, &data, &size, fault) != TARN_OK)
        return fault->result;
    const char *slash = strrchr(name, '/');
    snprintf(beside.start, sizeof beside.start, "%.*s", slash ? (int)(slash - name) + 1 : 0, name);
    if (mesh_parse(name, data, size, &beside, out, fault) != TARN_OK) {
        char words[sizeof fault->words];
        memcpy(words, fault->words, sizeof words);
        fault_say(fault, fault->result, "%.60s: %.130s", name, words);
    }
    free(data);
    return fault->result;
}

tarn_result mesh_read_path(const char *path, struct mesh *out, tarn_notes *notes)
{
    struct source source = {0};
    struct beside beside = {.folder = "."};
    struct fault fault = {0};
    struct pass pass;

    *out = (struct mesh){0};
    const char *slash = strrchr(path, '/');
    if (slash) snprintf(beside.folder, sizeof beside.folder, "%.*s", (int)(slash - path) + 1, path);
    const tarn_result r = file_read(path, "mesh", MESH_BYTES, &source, notes);
    if (r != TARN_OK) {
        free(source.name);
        free(source.text);
        return r;
    }
    mesh_parse(path, source.text, source.size, &beside, out, &fault);
    if (fault.result != TARN_OK) {
        pass_begin(&pass, &source, notes);
        note_add_plain(&pass, path, "%s", fault.words);
    }
    free(source.name);
    free(source.text);
    return fault.result;
}

tarn_result tarn_mesh_facts_of(const char *path, tarn_mesh_facts *out, tarn_notes *notes)
{
    struct mesh mesh;
    tarn_error err;
    struct source source = {.name = (char *)path};
    struct pass pass;

    if (!path || !out) return TARN_BAD_ARGUMENT;
    *out = (tarn_mesh_facts){0};
    tarn_result r = mesh_read_path(path, &mesh, notes);
    if (r != TARN_OK) return r;
    r = tarn_mesh_look(mesh.vertex_count, mesh.vertices, mesh.triangle_count, mesh.triangles, NULL, out,
                       &err);
    if (r != TARN_OK) {
        pass_begin(&pass, &source, notes);
        note_add_plain(&pass, path, "%s", err.text);
    }
    mesh_free(&mesh);
    return r;
}

tarn_result tarn_triangles_read(const char *path, tarn_triangles *out, tarn_notes *notes)
{
    struct mesh mesh;

    if (!path || !out) return TARN_BAD_ARGUMENT;
    *out = (tarn_triangles){0};
    const tarn_result r = mesh_read_path(path, &mesh, notes);
    if (r == TARN_OK)
        *out = (tarn_triangles){mesh.vertex_count, mesh.triangle_count, mesh.vertices, mesh.triangles};
    return r;
}

void tarn_triangles_free(tarn_triangles *t)
{
    if (!t) return;
    mesh_free(&(struct mesh){.vertices = (double *)t->vertices, .triangles = (int *)t->triangles});
    *t = (tarn_triangles){0};
}
