// Moving solids: rebuild of the cut cells, and treatment of cells that solids uncover (fresh cells) or cover.
// flow_step.c and the model table call it.
#include "fluid/flow/flow.h"

#include <string.h>

// Fluid neighbours of a cell, in a fixed order and across periodic sides, that were fluid before or were
// filled in an earlier layer. Returns their number.
static int fluid_neighbours(const struct fluid *f, size_t c, int layer, size_t out[4])
{
    static const int directions[4][2] = {{-1, 0}, {1, 0}, {0, -1}, {0, 1}};
    const struct flow *s = f->impl;
    const struct grid *g = &f->grid;
    const uint32_t offset = (uint32_t)(c - g->origin), stride = (uint32_t)g->stride;
    const int i = (int)(offset % stride), j = (int)(offset / stride);
    int count = 0;
    for (int k = 0; k < 4; ++k) {
        int x = i + directions[k][0], z = j + directions[k][1];
        const bool inside = 0 <= x && x < g->nx && 0 <= z && z < g->nz;
        if (!inside) x = fluid_wrap_column(f, x), z = fluid_wrap_row(f, z);
        if (x < 0 || z < 0) continue;
        const size_t neighbour = grid_at(g, x, z);
        if (s->is_fluid[neighbour] && s->fill_layer[neighbour] && s->fill_layer[neighbour] <= layer)
            out[count++] = neighbour;
    }
    return count;
}

// Conservative: a covered cell gives its content to its neighbours; a fresh cell takes an equal share of
// theirs.
static void redistribute_scalar(struct flow *s, size_t c, float *q, double *out, const size_t *neighbours,
                                int count)
{
    const float each = q[c] / (float)imax(count, 1);
    float taken = 0.0f;
    for (int k = 0; k < count; ++k) {
        const float share = s->is_fluid[c] ? q[neighbours[k]] / (float)(count + 1) : -each;
        q[neighbours[k]] -= share;
        taken += share;
    }
    if (!s->is_fluid[c] && !count) *out += (double)q[c]; // no neighbour: counted as outflow
    q[c] = s->is_fluid[c] ? taken : 0.0f;
}

// Semi-Lagrangian schemes do not conserve sums, and redistribution would accumulate scalars in front of a
// moving solid. A fresh cell gets the mean of its neighbours; the content of a covered cell is lost.
static void refill_scalar(struct flow *s, size_t c, float *q, double *out, const size_t *neighbours,
                          int count)
{
    float mean = 0.0f;
    for (int k = 0; k < count && s->is_fluid[c]; ++k) mean += q[neighbours[k]] / (float)count;
    *out += (double)q[c] - (double)mean;
    q[c] = mean;
}

// Pressure and scalars of a fresh or covered cell from its `count` neighbours.
static void change_phase(const struct fluid *f, size_t c, const size_t *neighbours, int count)
{
    struct flow *s = f->impl;
    const bool conservative = flow_def_of(f)->advection == TARN_FLOW_CONSERVATIVE;
    float pressure = 0.0f;
    for (int k = 0; k < count; ++k) pressure += s->p[neighbours[k]];
    s->p[c] = s->is_fluid[c] && count ? pressure / (float)count : 0.0f;
    for (int q = 0; q < FLOW_SCALARS; ++q)
        (conservative ? redistribute_scalar : refill_scalar)(s, c, s->scalar[q], &s->scalar_out[q],
                                                             neighbours, count);
}

// Indices of fresh and covered cells, row by row. Returns their number.
static int list_changed_cells(const struct flow *s, const struct grid *g, int *list)
{
    int count = 0;
    for (int j = 0; j < g->nz; ++j) {
        const size_t row = grid_at(g, 0, j);
        if (memcmp(s->is_fluid + row, s->was_fluid + row, (size_t)g->nx) == 0) continue;
        for (int i = 0; i < g->nx; ++i) {
            const size_t c = row + (size_t)i;
            if (i + 8 <= g->nx && memcmp(s->is_fluid + c, s->was_fluid + c, 8) == 0)
                i += 7;
            else if (s->is_fluid[c] != s->was_fluid[c])
                list[count++] = (int)c;
        }
    }
    return count;
}

// A solid that moves by more than a cell leaves several layers of fresh cells: each layer is filled from the
// previous one. Cells without a filled neighbour start with 0.
static void update_fresh_cells(const struct fluid *f)
{
    struct flow *s = f->impl;
    int *const list = s->changed_cells, changed = list_changed_cells(s, &f->grid, list);
    size_t neighbours[4];
    int remaining = 0;
    for (int k = 0; k < changed; ++k) {
        const size_t c = (size_t)list[k];
        if (s->is_fluid[c])
            list[remaining++] = (int)c;
        else
            change_phase(f, c, neighbours, fluid_neighbours(f, c, 1, neighbours));
    }
    for (int layer = 1, before = 0; remaining > 0; layer = imin(layer + 1, 254)) {
        const bool last = remaining == before;
        before = remaining, remaining = 0;
        for (int k = 0; k < before; ++k) {
            const size_t c = (size_t)list[k];
            const int count = fluid_neighbours(f, c, layer, neighbours);
            if (count > 0 || last) {
                change_phase(f, c, neighbours, count);
                s->fill_layer[c] = (unsigned char)(layer + 1);
            } else {
                list[remaining++] = (int)c;
            }
        }
    }
    memset(list, 0, (size_t)changed * sizeof *list);
}

void flow_update_cut_cells(struct fluid *f)
{
    struct flow *s = f->impl;
    if (!f->out_of_memory)
        memcpy(s->was_fluid, s->is_fluid, f->grid.size); // otherwise it is that of the last complete build
    if (flow_build_cut_cells(f)) update_fresh_cells(f);
}

void flow_move_obstacles(struct fluid *f, double dt)
{
    if (!((struct flow *)f->impl)->has_prescribed_motion) return;
    for (int i = 0; i < f->obstacle_count; ++i)
        f->obstacles[i].motion = obstacle_motion_at(&f->obstacles[i], f->time + dt, dt);
    flow_update_cut_cells(f);
}
