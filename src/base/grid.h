// The shape of a field: cells of one size, three rings of ghosts, rows padded to 64 bytes.
//
//        x0                                     row j of a field:
//     z1 +---+---+---+                          [pad .. ghosts | cell 0 .. nx-1 | ghosts .. pad]
//        |   |   |   |  j = nz-1                               ^ 64-byte aligned
//        +---+---+---+
//        |   |   |   |  j = 0      i grows with x, j with z
//     z0 +---+---+---+
//        i=0
//
// A field may be a window of a larger one: (ox, oz) is where its cell (0,0) stands in the whole grid of
// (gx, gz) cells. The origin of the world is the centre of the whole grid.
#ifndef BASE_GRID_H
#define BASE_GRID_H

#include "memory.h"

#include <stdbool.h>

#define GRID_GHOSTS 3

struct grid {
    int nx, nz;    // cells of this window
    int gx, gz;    // cells of the whole
    int ox, oz;    // cell (0,0) of the window in the whole
    size_t stride; // floats from one row to the next
    size_t origin; // index of cell (0,0)
    size_t size;   // floats of one field, ghosts and padding included
    double dx;     // [m] cell size
    double x0, z0; // [m] west and south edge of cell (0,0)
};

// A whole grid of nx * nz cells. False if the product overflows.
bool grid_init(struct grid *g, int nx, int nz, double s);

static inline size_t grid_at(const struct grid *g, int i, int j)
{
    return g->origin + (size_t)((ptrdiff_t)j * (ptrdiff_t)g->stride + i);
}

// Centre of a cell.
static inline double grid_cell_x(const struct grid *g, int i) { return g->x0 + (i + 0.5) * g->dx; }
static inline double grid_cell_z(const struct grid *g, int j) { return g->z0 + (j + 0.5) * g->dx; }

// How many rows make one block of parallel work: by the grid alone, never by the number of threads.
int grid_block_rows(const struct grid *g);

// A zeroed field. Starts are staggered by `slot` so that fields used together do not share cache sets.
float *grid_alloc_field(const struct grid *g, const struct memory *m, int slot);
void grid_free_field(const struct grid *g, const struct memory *m, float *field, int slot);

#endif
