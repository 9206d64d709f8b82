// The fields of a frame that can be shown in colours: what they are made of, in which colours, over which range.
#ifndef DRAW_FIELD_LIST_H
#define DRAW_FIELD_LIST_H

#include "draw/draw.h"

enum base {
    FROM_ZERO,
    ABOUT_ZERO,
    ABOUT_LEVEL,
    SPAN
}; // where the colours start or have their middle; SPAN: low to high

// How two numbers of a cell become a colour. The numbers stand in field_frag.glsl too.
enum shade {
    SHADE_MAP,       // the first one on a colour map
    SHADE_DIRECTION, // the way of a vector: N red, E yellow, S green, W blue; the brighter the longer
    SHADE_GLOW       // the first one on a colour map, as bright as the second says
};

struct field {
    const char *name, *unit, *map;
    enum base base;
    enum shade shade;
    double least; // the smallest range [unit], so that rounding errors do not fill a picture of still water
    // One or two numbers of every cell. False: the frame has not got them.
    bool (*get)(const tarn_frame *f, int cells, float (*out)[2]);
};

const struct field *field_at(int index); // NULL past the last
const struct field *field_find(const char *name);

// The range of a field: the view's, or what 0.995 of the cells have, rounded up. `values`: one of each cell, the lengths
// of vectors; those that are no numbers do not count.
void field_range(const struct field *field, const tarn_frame *f, const struct draw_view *view,
                 const float *values, int count, double *lo, double *hi);

#endif
