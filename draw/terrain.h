// A frame with ground under it, made ready for drawing.
#ifndef DRAW_TERRAIN_H
#define DRAW_TERRAIN_H

#include <tarn/tarn.h>

#include <stdbool.h>
#include <stddef.h>

// Heights count from the lowest ground, so that a lake in the mountains keeps its digits. The surface goes on
// under dry land, where the water stands near it, and the cells are divided: where surface and ground meet is
// then a smooth shore.
struct land {
    double datum;     // [m] the lowest ground
    float deep;       // [m] depth of the water, a mean that counts every cell by its water; never 0
    float peak;       // [m] the highest ground
    float shore;      // [m] level at rest, at least the lowest ground
    int nx, nz;       // cells of the frame
    float *bed;       // [m] nx * nz
    float *top;       // [m] nx * nz, surface; dry: below the bed
    tarn_frame shown; // height and bed of what is drawn, with more and smaller cells; bodies are not in it
    // its memory, and scratch
    float *memory;
    size_t room; // floats
};

// False without memory. The frame has a bed.
bool land_fill(struct land *l, const tarn_frame *f, bool fast);
void land_free(struct land *l);

// Is there water in a cell of the frame?
bool land_wet(const struct land *l, int cell);

#endif
