// How far cells are from the next one that is not quite open, in steps of a king: as far as anyone has asked.
#include "flow.h"

#include <string.h>

// Rows: how far to the next one that has such a cell.
static void measure_rows(struct flow *s, int rows)
{
    for (int j = 1; j < rows; ++j)
        if (s->row_far[j - 1] < 254)
            s->row_far[j] = (unsigned char)imin(s->row_far[j], s->row_far[j - 1] + 1);
    for (int j = rows - 2; j >= 0; --j)
        if (s->row_far[j + 1] < 254)
            s->row_far[j] = (unsigned char)imin(s->row_far[j], s->row_far[j + 1] + 1);
}

static unsigned char open_doors(const struct flow *s, size_t c, size_t n)
{
    const int x = (s->ax[c] > 0.0f ? FLOW_TO_WEST : 0) | (s->ax[c + 1] > 0.0f ? FLOW_TO_EAST : 0);
    const int z = (s->az[c] > 0.0f ? FLOW_TO_SOUTH : 0) | (s->az[c + n] > 0.0f ? FLOW_TO_NORTH : 0);
    return (unsigned char)(x | z);
}

// Nothing is carried out through a side.
static void close_sides(const struct fluid *f)
{
    const struct flow *s = f->self;
    const struct grid *g = &f->g;
    for (int j = 0; j < g->nz && !f->wrap_x; ++j) {
        s->doors[grid_at(g, 0, j)] &= FLOW_ALL_DOORS - FLOW_TO_WEST;
        s->doors[grid_at(g, g->nx - 1, j)] &= FLOW_ALL_DOORS - FLOW_TO_EAST;
    }
    for (int i = 0; i < g->nx && !f->wrap_z; ++i) {
        s->doors[grid_at(g, i, 0)] &= FLOW_ALL_DOORS - FLOW_TO_SOUTH;
        s->doors[grid_at(g, i, g->nz - 1)] &= FLOW_ALL_DOORS - FLOW_TO_NORTH;
    }
}

void flow_seed_far(struct fluid *f)
{
    struct flow *s = f->self;
    const struct grid *g = &f->g;
    memset(s->far, 255, g->count);
    memset(s->row_far, 255, (size_t)g->nz);
    s->measured = 0;
    FLOW_RUNS(s, g, 0, j, i)
    {
        const size_t c = grid_at(g, i, j);
        const float open = (s->ax[c] + s->ax[c + 1]) + (s->az[c] + s->az[c + g->stride]);
        if (!(open < 4.0f)) continue;
        s->far[c] = s->row_far[j] = 0;
        s->doors[c] = open_doors(s, c, g->stride);
    }
    close_sides(f);
    measure_rows(s, g->nz);
    flow_measure(f, 1);
}

// Each pass goes one step farther: the least of three along rows, then of three rows.
void flow_measure(struct fluid *f, int reach)
{
    struct flow *s = f->self;
    const struct grid *g = &f->g;
    const ptrdiff_t n = (ptrdiff_t)g->stride;
    unsigned char *least = s->marks;
    if (s->measured >= reach) return;
    memset(least, 255, g->count);
    for (; s->measured < reach; ++s->measured) {
        for (int j = 0; j < g->nz; ++j)
            if (s->row_far[j] <= s->measured)
                s->kernels->least(s->far + grid_at(g, 0, j), 1, g->nx, least + grid_at(g, 0, j));
        for (int j = 0; j < g->nz; ++j)
            if (s->row_far[j] <= s->measured + 1)
                s->kernels->farther(least + grid_at(g, 0, j), n, g->nx, s->far + grid_at(g, 0, j));
    }
}
