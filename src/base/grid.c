#include "grid.h"

#define LINE_FLOATS 16             // floats in 64 bytes
#define SLOT_STRIDE ((size_t)80)   // floats from the start of one slot to the next: 5 lines
#define SLOT_PERIOD ((size_t)1024) // floats after which starts repeat: one page

bool grid_init(struct grid *g, int nx, int nz, double s)
{
    if (nx < 1 || nz < 1) return false;
    // One line before cell 0 holds the western ghosts and keeps cell 0 aligned; the eastern ghosts follow and end
    // before the next row's western ones.
    const uint64_t stride = ((uint64_t)nx + LINE_FLOATS + 1 + (LINE_FLOATS - 1)) / LINE_FLOATS * LINE_FLOATS;
    const uint64_t rows = (uint64_t)nz + 2 * GRID_GHOSTS;
    if (stride > ((uint64_t)PTRDIFF_MAX / sizeof(float) - SLOT_PERIOD) / rows) return false;

    *g = (struct grid){.nx = nx, .nz = nz, .gx = nx, .gz = nz, .dx = s};
    g->stride = (size_t)stride;
    g->origin = GRID_GHOSTS * g->stride + LINE_FLOATS;
    g->size = (size_t)(stride * rows);
    g->x0 = -0.5 * nx * s;
    g->z0 = -0.5 * nz * s;
    return true;
}

int grid_block_rows(const struct grid *g)
{
    // Waking threads costs more than a small grid; a block of 32k cells keeps three fields in a second-level
    // cache and leaves enough blocks to share out.
    const int small = 256 * 256, block = 32 * 1024;
    if ((int64_t)g->nx * g->nz < small) return g->nz;
    return g->nx < block ? block / g->nx : 1;
}

static size_t slot_offset(int slot) { return (size_t)slot * SLOT_STRIDE % SLOT_PERIOD; }

float *grid_alloc_field(const struct grid *g, const struct memory *m, int slot)
{
    float *all = memory_alloc(m, g->size + SLOT_PERIOD, sizeof(float));
    return all ? all + slot_offset(slot) : NULL;
}

void grid_free_field(const struct grid *g, const struct memory *m, float *field, int slot)
{
    if (field) memory_free(m, field - slot_offset(slot), g->size + SLOT_PERIOD, sizeof(float));
}
