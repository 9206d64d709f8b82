// Readers of mesh files (OBJ, PLY, STL, glTF). Files are untrusted: counts are compared with the size of the
// file before memory is allocated, and an error names the line (text) or the byte (binary) where it was
// found.
#ifndef SCENE_IMPORT_MESH_H
#define SCENE_IMPORT_MESH_H

#include "scene/create/assets.h"

#define MESH_MAX_VERTICES  10000000 // 240 MB of coordinates
#define MESH_MAX_TRIANGLES 20000000 // a closed mesh has about twice as many triangles as vertices
#define MESH_MAX_BYTES     (512u << 20)

// The mesh as it is in the file; vertices are not merged and orientation is not corrected. Initialise with
// zero, release with mesh_free().
struct mesh {
    int vertex_count, triangle_count;
    double *vertices; // x y z of each vertex
    int *triangles;   // three valid vertex indices each, from 0
    int vertex_capacity, triangle_capacity;
};
void mesh_free(struct mesh *mesh);

// Set an error of the file's content; evaluates to 0.
#define REJECT(error, ...) (load_fail(error, TARN_BAD_INPUT, __VA_ARGS__) == TARN_OK)

// Both return 0 with an error if memory is exhausted or the mesh is larger than the limits.
int mesh_add_vertex(struct mesh *mesh, const double position[3], struct load_error *error);
int mesh_add_triangle(struct mesh *mesh, int a, int b, int c, struct load_error *error);

// Triangulates a polygon as a fan around its first vertex.
struct polygon_fan {
    int count, first, last;
};
int mesh_add_polygon_vertex(struct mesh *mesh, struct polygon_fan *fan, int vertex, struct load_error *error);

// Numbers in little- or big-endian byte order.
uint64_t read_uint(const unsigned char *bytes, int size,
                   int big_endian);                                      // unsigned, 1, 2, 4 or 8 bytes
double read_float(const unsigned char *bytes, int size, int big_endian); // IEEE 754, 4 or 8 bytes

// Where the files that a mesh file refers to are found.
struct mesh_dir {
    char folder[ASSET_FOLDER_BYTES]; // they must lie beneath this folder
    char prefix[TARN_FILE_BYTES];    // path from the folder to the mesh file: "models/" or empty
};

// A mesh file format. Each is defined in a file mesh_NAME.c and listed in MESH_FORMATS (mesh.c).
struct mesh_format {
    const char *name;          // for messages: "OBJ"
    const char *extensions[3]; // lower case, with the dot; NULL after the last
    // Whether the content can only be of this format; NULL: the format has no signature.
    int (*has_signature)(const char *data, size_t size);
    // Whether the content may be of this format, asked if neither a signature nor the extension decides;
    // may be NULL.
    int (*looks_like)(const char *data, size_t size);
    // Reads the file into `out`; on failure `out` is empty. `dir` is NULL if the file may not refer to
    // others.
    tarn_result (*read)(const char *data, size_t size, const struct mesh_dir *dir, struct mesh *out,
                        struct load_error *error);
};
const struct mesh_format *mesh_format_at(int index); // NULL past the last

// For has_signature and looks_like: whether the content starts with `prefix`.
int has_prefix(const char *data, size_t size, const char *prefix);
size_t skip_spaces(const char *data, size_t size); // @return the offset of the first byte that is no space

// Read a mesh of any format, recognised by its content, otherwise by the extension of its name.
tarn_result mesh_parse(const char *name, const char *data, size_t size, const struct mesh_dir *dir,
                       struct mesh *out, struct load_error *error);

// Read the mesh file `name` of a scene, found with the search path of asset_read().
tarn_result mesh_read(const struct source_text *source, const char *name, struct mesh *out,
                      struct load_error *error);

// Read a mesh file at any path that the user gave. Errors are added as diagnostics.
tarn_result mesh_read_path(const char *path, struct mesh *out, tarn_diagnostics *diagnostics);

#endif
