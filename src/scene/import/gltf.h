// What reading a glTF file shares.
//
//   gltf.c       the container, JSON and its whole numbers, buffers
//   gltf_node.c  poses, and who is whose parent
//   mesh_gltf.c  accessors and primitives -> triangles
#ifndef SCENE_IMPORT_GLTF_H
#define SCENE_IMPORT_GLTF_H

#include "mesh.h"

struct gltf_buffer {
    const unsigned char *bytes; // NULL: not read yet
    size_t size;
    char *owned;
};

// The upper three rows of a matrix that acts on columns.
struct affine {
    double m[3][4];
};

#define GLTF_REQUIRED   ((size_t)-1)
#define GLTF_ROOT       ((size_t)-1) // the parent of a node that has none
#define GLTF_SCENE_ROOT ((size_t)-2) // the same, and the scene names it

struct gltf {
    json_t *root;
    const unsigned char *bin_chunk; // the bytes of a .glb
    size_t bin_chunk_size;
    struct gltf_buffer *buffers;
    size_t buffer_count, buffer_bytes; // bytes: of all that were read
    const struct mesh_dir *dir;
    size_t *parents;           // of each node
    struct affine *transforms; // of each node, in the scene
    int primitive_count;       // primitives
    struct mesh *out;
    struct load_error *error;
};

// All of these give back 0 with a fault.
int gltf_open(struct gltf *g, const char *data, size_t size);
void gltf_close(struct gltf *g);

// object[key], a whole number below 2^31; `other` if it is not there, unless that is GLTF_NEEDED. `list` and `index`
// say whose it is, for the message.
int gltf_get_index(struct gltf *g, const json_t *object, const char *key, const char *list, size_t index,
                   size_t fallback, size_t *out);

// The bytes of a buffer, read when first asked for.
const struct gltf_buffer *gltf_buffer(struct gltf *g, size_t index);

int affine_read(struct gltf *g, const json_t *node, size_t index, struct affine *out);
struct affine affine_multiply(const struct affine *a, const struct affine *b); // first b, then a
int affine_is_mirrored(const struct affine *p); // it turns left hands into right ones

// Fill g->parents, each number checked: nobody has two parents, nobody is an ancestor of itself.
int gltf_find_parents(struct gltf *g, size_t count);
// The roots of the default scene, last first.
int gltf_find_roots(struct gltf *g, size_t count, size_t *out, size_t *out_count);

#endif
