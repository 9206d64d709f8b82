// What the passes of bodies share.
#ifndef DRAW_BODIES_H
#define DRAW_BODIES_H

#include "draw/mesh_cache.h"

// Begin to draw bodies with a program.
void bodies_use(GLuint program, const struct scene_gl *s);

// A mesh of a body in its pose, colour and material; nothing if it cannot be drawn.
void bodies_draw_one(GLuint program, const struct scene_gl *s, const tarn_frame_body *body,
                     const tarn_mesh *mesh);

#endif
