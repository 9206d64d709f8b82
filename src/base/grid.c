// Row padding, block size and allocation of fields.
#include "grid.h"

#define LINE_FLOATS 16             // floats in 64 bytes
#define SLOT_STRIDE ((size_t)80)   // floats from the start of one slot to the next: 5 cache lines
#define SLOT_PERIOD ((size_t)1024) // floats after which starts repeat: one page

bool grid_init(struct grid *g, int nx, int nz, double dx)
{
    if (nx < 1 || nz < 1) return false;
    // One cache line before cell 0 contains the western ghost cells and keeps cell 0 aligned. The eastern
    // ghost cells follow cell nx-1 and end before the western ghost cells of the next row.
    const uint64_t stride = ((uint64_t)nx + LINE_FLOATS + 1 + (LINE_FLOATS - 1)) / LINE_FLOATS * LINE_FLOATS;
    const uint64_t rows = (uint64_t)nz + 2 * GRID_GHOSTS;
    if (stride > ((uint64_t)PTRDIFF_MAX / sizeof(float) - SLOT_PERIOD) / rows) return false;

    *g = (struct grid){.nx = nx, .nz = nz, .dx = dx};
    g->stride = (size_t)stride;
    g->origin = GRID_GHOSTS * g->stride + LINE_FLOATS;
    g->size = (size_t)(stride * rows);
    g->x0 = -0.5 * nx * dx;
    g->z0 = -0.5 * nz * dx;
    return true;
}

int grid_block_rows(const struct grid *g)
{
    // Below 256 x 256 cells waking threads costs more time than they save. Three fields of a block of 32k
    // cells fit into a second-level cache, and large grids still have more blocks than threads.
    const int min_parallel_cells = 256 * 256, block_cells = 32 * 1024;
    if ((int64_t)g->nx * g->nz < min_parallel_cells) return g->nz;
    return g->nx < block_cells ? block_cells / g->nx : 1;
}

static size_t slot_offset(int cache_slot) { return (size_t)cache_slot * SLOT_STRIDE % SLOT_PERIOD; }

float *grid_alloc_field(const struct grid *g, const struct memory *m, int cache_slot)
{
    float *block = memory_alloc(m, g->size + SLOT_PERIOD, sizeof(float));
    return block ? block + slot_offset(cache_slot) : NULL;
}

void grid_free_field(const struct grid *g, const struct memory *m, float *field, int cache_slot)
{
    if (field) memory_free(m, field - slot_offset(cache_slot), g->size + SLOT_PERIOD, sizeof(float));
}
