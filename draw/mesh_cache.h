// A cache of body meshes in vertex buffers.
#ifndef DRAW_MESH_CACHE_H
#define DRAW_MESH_CACHE_H

#include "gl.h"

// Meshes are identified by a hash of their contents, because a pointer may be reused for another mesh.
struct mesh_cache {
    struct cached_mesh *list;
    int count, capacity;
    unsigned frame; // number of the current frame
};

void mesh_cache_begin_frame(struct mesh_cache *cache); // frees meshes that were not drawn for 240 frames
void mesh_cache_free(struct mesh_cache *cache);

// Bind a mesh and draw it; meshes that are not drawable are skipped. Attributes: 0 position, 1 normal.
void mesh_cache_draw(struct mesh_cache *cache, const tarn_render_mesh *mesh);

// The matrix from body to world coordinates, with heights above `lowest_bed`.
struct mat4 body_matrix(const tarn_body_state *motion, double lowest_bed);

#endif
