// Terrain: the height field of a frame with a bed, prepared for drawing with smooth shorelines.
#ifndef DRAW_TERRAIN_H
#define DRAW_TERRAIN_H

#include <tarn/tarn.h>

#include <stdbool.h>
#include <stddef.h>

// Heights count from the lowest bed, so that float keeps its precision for a lake in the mountains. The water
// surface is continued below the dry bed and the grid is refined, so that surface and bed intersect in a
// smooth shoreline.
struct terrain {
    double lowest_bed;  // [m] in world coordinates
    float mean_depth;   // [m] mean over the water volume (sum h^2 / sum h); never 0
    float highest_bed;  // [m]
    float rest_level;   // [m] not below the lowest bed
    int nx, nz;         // cells of the frame
    float *bed;         // [m] nx * nz
    float *surface;     // [m] nx * nz; below the bed where the cell is dry
    tarn_frame refined; // height and bed on the refined grid; nothing else is set
    float *memory;      // holds all arrays and the scratch of terrain_build
    size_t capacity;    // floats
};

// Fill the terrain from a frame that has a bed. False without memory.
bool terrain_build(struct terrain *t, const tarn_frame *f, bool low_quality);
void terrain_free(struct terrain *t);

// Whether a cell of the frame holds water.
bool terrain_is_wet(const struct terrain *t, int cell);

#endif
