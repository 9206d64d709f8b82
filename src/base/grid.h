// Memory layout of a field on a uniform grid of square cells: three layers of ghost cells, rows padded to 64
// bytes.
//
//        x0                                     row j of a field:
//     z1 +---+---+---+                          [pad .. ghosts | cell 0 .. nx-1 | ghosts .. pad]
//        |   |   |   |  j = nz-1                               ^ 64-byte aligned
//        +---+---+---+
//        |   |   |   |  j = 0      i grows with x, j with z
//     z0 +---+---+---+
//        i=0
//
// The origin of the world coordinates is the centre of the grid.
#ifndef BASE_GRID_H
#define BASE_GRID_H

#include "memory.h"

#include <stdbool.h>

#define GRID_GHOSTS 3

struct grid {
    int nx, nz;    // cells along x and z
    size_t stride; // floats from one row to the next
    size_t origin; // index of cell (0,0)
    size_t size;   // floats of one field, ghost cells and padding included
    double dx;     // [m] cell size
    double x0, z0; // [m] west and south edge of cell (0,0)
};

// A grid of nx x nz cells of size dx [m]. Returns false if the size of a field overflows.
bool grid_init(struct grid *g, int nx, int nz, double dx);

// Index of cell (i, j) in a field. Ghost cells have i or j below 0, or i >= nx, j >= nz.
static inline size_t grid_at(const struct grid *g, int i, int j)
{
    return g->origin + (size_t)((ptrdiff_t)j * (ptrdiff_t)g->stride + i);
}

// [m] Coordinates of a cell centre.
static inline double grid_cell_x(const struct grid *g, int i) { return g->x0 + (i + 0.5) * g->dx; }
static inline double grid_cell_z(const struct grid *g, int j) { return g->z0 + (j + 0.5) * g->dx; }

// Rows of one block of parallel work. They depend on the grid only, never on the number of threads, so that
// sums over blocks are always taken in the same order.
int grid_block_rows(const struct grid *g);

// Allocates a zeroed field; NULL without memory. Fields that are used together need different cache slots:
// their start addresses are then staggered and do not compete for the same cache sets. grid_free_field needs
// the same slot.
float *grid_alloc_field(const struct grid *g, const struct memory *m, int cache_slot);
void grid_free_field(const struct grid *g, const struct memory *m, float *field, int cache_slot);

// Exchanges two fields, such as the present and the next value of a quantity.
static inline void swap_fields(float **a, float **b)
{
    float *const first = *a;
    *a = *b;
    *b = first;
}

#endif
