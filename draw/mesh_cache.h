// Meshes on the card, and where they lie.
#ifndef DRAW_MESH_CACHE_H
#define DRAW_MESH_CACHE_H

#include "gl.h"

// Meshes are told apart by their contents: pointers may be used again for another one.
struct models {
    struct model *list;
    int count, room;
    unsigned picture;
};

void models_begin(struct models *m); // a new picture; meshes that none showed for a while make room
void models_free(struct models *m);

// Bind a mesh and draw it; nothing if it cannot be drawn. Attributes: 0 position, 1 normal.
void models_draw(struct models *m, const tarn_mesh *mesh);

// From the frame of a body to the world's, heights counted from `datum`.
struct mat4 models_pose(const tarn_motion *motion, double datum);

#endif
