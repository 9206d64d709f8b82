// Declarations shared by the glTF 2.0 reader.
//
//   gltf.c        container, JSON, buffers
//   gltf_nodes.c  node transforms and the node hierarchy
//   mesh_gltf.c   accessors and primitives to triangles
#ifndef SCENE_IMPORT_GLTF_H
#define SCENE_IMPORT_GLTF_H

#include "mesh.h"

#include <jansson.h>

struct gltf_buffer {
    const unsigned char *bytes; // NULL: not read yet
    size_t size;
    char *owned;
};

// The upper three rows of a 4x4 matrix; it transforms column vectors.
struct affine {
    double m[3][4];
};

#define GLTF_REQUIRED   ((size_t)-1)
#define GLTF_ROOT       ((size_t)-1) // parent of a node that has none
#define GLTF_SCENE_ROOT ((size_t)-2) // the same for a node that the scene lists

struct gltf {
    json_t *root;
    const unsigned char *bin_chunk; // binary chunk of a .glb file
    size_t bin_chunk_size;
    struct gltf_buffer *buffers;
    size_t buffer_count, buffer_bytes; // buffer_bytes: total size of the buffers that were read
    const struct mesh_dir *dir;
    size_t *parents;           // of each node
    struct affine *transforms; // node to scene coordinates
    int primitive_count;       // primitives added so far
    struct mesh *out;
    struct load_error *error;
};

// All functions return 0 with an error.
int gltf_open(struct gltf *g, const char *data, size_t size);
void gltf_close(struct gltf *g);

// Read object[key], an integer in 0 .. 2^31 - 1. A missing key gives `fallback`, or an error if that is
// GLTF_REQUIRED. `list` and `index` name the object in error messages.
int gltf_get_index(struct gltf *g, const json_t *object, const char *key, const char *list, size_t index,
                   size_t fallback, size_t *out);

// @return the bytes of a buffer, which are read at the first call; NULL with an error
const struct gltf_buffer *gltf_buffer(struct gltf *g, size_t index);

int affine_read(struct gltf *g, const json_t *node, size_t index, struct affine *out);
// the transform b followed by a
struct affine affine_multiply(const struct affine *a, const struct affine *b);
int affine_is_mirrored(const struct affine *p); // negative determinant

// Fill in g->parents. Rejects nodes with two parents and cycles.
int gltf_find_parents(struct gltf *g, size_t count);
// List the roots of the default scene in reverse order.
int gltf_find_roots(struct gltf *g, size_t count, size_t *out, size_t *out_count);

#endif
