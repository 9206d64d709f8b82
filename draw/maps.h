// A frame's fields as textures.
#ifndef DRAW_MAPS_H
#define DRAW_MAPS_H

#include "gl.h"

struct maps {
    struct gl_map height, bed, surface, land;
    float *smooth; // 4 floats a cell
    size_t room;   // cells
};

// Put height, bed and surface of what is shown where the scene points to. False without memory.
bool maps_fill(struct maps *m, struct scene_gl *s);
void maps_free(struct maps *m);

#endif
