// Functions that the passes for opaque bodies and for glass share.
#ifndef DRAW_BODIES_H
#define DRAW_BODIES_H

#include "draw/mesh_cache.h"

// Use a program and set the uniforms that all bodies share.
void bodies_bind(GLuint program, const struct draw_frame_state *s);

// Draw a mesh with the pose, colour and material of a body; meshes that are not drawable are skipped.
void bodies_draw_one(GLuint program, const struct draw_frame_state *s, const tarn_frame_body *body,
                     const tarn_render_mesh *mesh);

#endif
