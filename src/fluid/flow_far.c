// How far cells are from the next one that has a closed door, in steps of a king: as far as anyone has asked.
#include "flow.h"

#include <string.h>

static void step_on(unsigned char *row_far, int from, int to)
{
    if (row_far[from] < 254) row_far[to] = (unsigned char)imin(row_far[to], row_far[from] + 1);
}

// Rows: how far to the next one that has such a cell; twice around where sides are periodic.
static void measure_rows(const struct fluid *f)
{
    const struct flow *s = f->self;
    const int rows = f->g.nz;
    for (int round = 0; round < (f->wrap_z ? 2 : 1); ++round) {
        for (int j = 1; j < rows; ++j) step_on(s->row_far, j - 1, j);
        if (f->wrap_z) step_on(s->row_far, rows - 1, 0);
        for (int j = rows - 2; j >= 0; --j) step_on(s->row_far, j + 1, j);
        if (f->wrap_z) step_on(s->row_far, 0, rows - 1);
    }
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
    FLOW_EACH_RUN(s, g, 0, j, begin, end)
    {
        const size_t c = grid_at(g, begin, j);
        if (s->room->doors(s->ax + c, s->az + c, s->az + c + g->stride, s->doors + c, s->far + c,
                           (size_t)(end - begin)))
            s->row_far[j] = 0;
    }
    close_sides(f);
    measure_rows(f);
    flow_measure(f, 1);
}

// Beyond periodic sides it goes on; beyond others there is nothing: 255.
static void join_columns(const struct fluid *f, unsigned char *far)
{
    const struct grid *g = &f->g;
    for (int j = 0; f->wrap_x && j < g->nz; ++j) {
        far[grid_at(g, -1, j)] = far[grid_at(g, g->nx - 1, j)];
        far[grid_at(g, g->nx, j)] = far[grid_at(g, 0, j)];
    }
}

static void join_rows(const struct fluid *f, unsigned char *far)
{
    const struct grid *g = &f->g;
    if (!f->wrap_z) return;
    memcpy(far + grid_at(g, 0, -1), far + grid_at(g, 0, g->nz - 1), (size_t)g->nx);
    memcpy(far + grid_at(g, 0, g->nz), far + grid_at(g, 0, 0), (size_t)g->nx);
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
        join_columns(f, s->far);
        for (int j = 0; j < g->nz; ++j)
            if (s->row_far[j] <= s->measured)
                s->kernels->least(s->far + grid_at(g, 0, j), 1, g->nx, least + grid_at(g, 0, j));
        join_rows(f, least);
        for (int j = 0; j < g->nz; ++j)
            if (s->row_far[j] <= s->measured + 1)
                s->kernels->farther(least + grid_at(g, 0, j), n, g->nx, s->far + grid_at(g, 0, j));
    }
    join_columns(f, s->far);
}
