// Mesh files -> triangles. Every file is hostile: counts are compared with what the file can hold before anything
// is allocated for them, and a fault names the line (text) or the byte (binary) where it was found.
#ifndef SCENE_IMPORT_MESH_H
#define SCENE_IMPORT_MESH_H

#include "scene/scene_internal.h"

#define MESH_MAX_VERTICES  10000000 // 240 MB as numbers
#define MESH_MAX_TRIANGLES 20000000 // a closed mesh has about twice as many triangles as vertices
#define MESH_MAX_BYTES     (512u << 20)

// What a file says, nothing welded or turned. Begin with zero, end with mesh_free().
struct mesh {
    int vertex_count, triangle_count;
    double *vertices; // x y z each
    int *triangles;   // three vertex numbers each, from 0, all of them there
    int vertex_capacity, triangle_capacity;
};
void mesh_free(struct mesh *mesh);

// A mistake of the file in words, for functions that then give back 0.
#define REJECT(error, ...) (load_fail(error, TARN_BAD_INPUT, __VA_ARGS__) == TARN_OK)

// They give back 0 with a fault: no memory, or more than a mesh may have.
int mesh_add_vertex(struct mesh *mesh, const double position[3], struct load_error *error);
int mesh_add_triangle(struct mesh *mesh, int a, int b, int c, struct load_error *error);

// A polygon, corner by corner, as the triangles that its first corner sees.
struct polygon_fan {
    int count, first, last;
};
int mesh_add_polygon_vertex(struct mesh *mesh, struct polygon_fan *fan, int vertex, struct load_error *error);

// Bytes in a given order.
uint64_t read_uint(const unsigned char *position, int size,
                   int big_endian);                                         // unsigned, of 1, 2, 4 or 8 bytes
double read_float(const unsigned char *position, int size, int big_endian); // IEEE 754, of 4 or 8 bytes

// Where the files beside a mesh file are found.
struct mesh_dir {
    char folder[ASSET_FOLDER_BYTES]; // they must lie beneath it
    char prefix[TARN_FILE_BYTES];    // from there to the mesh: "models/" or nothing
};

// One format each. On failure the mesh holds nothing.
tarn_result mesh_obj_read(const char *data, size_t size, struct mesh *out, struct load_error *error);
tarn_result mesh_ply_read(const char *data, size_t size, struct mesh *out, struct load_error *error);
tarn_result mesh_stl_read(const char *data, size_t size, struct mesh *out, struct load_error *error);
// .gltf and .glb; `beside` may be NULL: then there are no other files.
tarn_result mesh_gltf_read(const char *data, size_t size, const struct mesh_dir *dir, struct mesh *out,
                           struct load_error *error);

// Whichever it is: what the bytes look like decides, then how the name ends.
tarn_result mesh_parse(const char *name, const char *data, size_t size, const struct mesh_dir *dir,
                       struct mesh *out, struct load_error *error);

// The mesh file `name` of a scene, found as resolve_read() finds files.
tarn_result mesh_read(const struct source_text *source, const char *name, struct mesh *out,
                      struct load_error *error);

// The mesh file at a path that the user gave: any regular file. Mistakes are notes.
tarn_result mesh_read_path(const char *path, struct mesh *out, tarn_notes *notes);

#endif
