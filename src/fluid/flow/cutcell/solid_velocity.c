// Obstacles that move: nodes that they hold, and what cells hand over that they cover or set free.
#include "fluid/flow/flow.h"

#include <string.h>

// Nodes from (i, j) on that are held.
static bool add_prescribed_run(struct fluid *f, int net, int i, int j, int count)
{
    struct flow *s = f->impl;
    const size_t c = grid_at(&f->grid, i, j);
    const int number = (net ? s->solid_id_v : s->solid_id_u)[c];
    const bool closed = (net ? s->aperture_z : s->aperture_x)[c] == 0.0f;
    if (!closed && (number == 0 || number > f->obstacle_count)) return true;
    const struct planar_motion *p = number ? &solid_at(f, number)->motion : NULL;
    const double at = ((net ? i : j) + 0.5) * f->grid.dx,
                 arm = p ? flow_periodic_offset(f, !net, at, net ? p->x : p->y) : 0.0;
    if (!memory_grow(f->memory, (void **)&s->prescribed_runs, &s->prescribed_run_capacity,
                     s->prescribed_run_count + 1, sizeof *s->prescribed_runs))
        return false;
    s->prescribed_runs[s->prescribed_run_count++] =
        (struct prescribed_run){(uint32_t)c, (uint16_t)number, (unsigned char)net, closed, count, arm};
    return true;
}

// How many nodes of the first `most` are held alike. Around a periodic domain arms may not go on, so no run
// does.
static int run_length(const struct fluid *f, const uint16_t *owner, const float *open, int most)
{
    int count = 1;
    while (count < most && !f->periodic_x && owner[count] == owner[0] &&
           (open[count] == 0.0f) == (open[0] == 0.0f))
        ++count;
    return count;
}

bool flow_find_prescribed_nodes(struct fluid *f)
{
    struct flow *s = f->impl;
    const struct grid *g = &f->grid;
    s->prescribed_run_count = 0;
    for (int net = FLOW_U; net <= FLOW_V; ++net) {
        const uint16_t *owner = net ? s->solid_id_v : s->solid_id_u;
        const float *open = net ? s->aperture_z : s->aperture_x;
        FOR_EACH_SOLID_RUN(s, g, 1, j, begin, end)
        {
            const size_t c = grid_at(g, begin, j);
            unsigned char *marks = s->prescribed_marks + grid_at(g, 0, j);
            s->cutcell_kernels->mark_prescribed_nodes(owner + c, open + c, marks + begin,
                                                      (size_t)(end - begin));
            for (int i = begin, count; (i = next_nonzero(marks, i, end)) < end; i += count) {
                const size_t at = grid_at(g, i, j);
                count = run_length(f, owner + at, open + at, end - i);
                if (!add_prescribed_run(f, net, i, j, count)) return false;
            }
        }
    }
    return true;
}

// In a loose obstacle only those whose faces are closed: the others have fluid of their own, and rub on the
// obstacle. To make them one with it would make light obstacles heavier.
static void impose_velocity(const struct fluid *f, float *u, float *v, bool closed)
{
    const struct flow *s = f->impl;
    for (int k = 0; k < s->prescribed_run_count; ++k) {
        const struct prescribed_run *h = &s->prescribed_runs[k];
        if (closed && !h->faces_closed) continue;
        const struct planar_motion *p = h->solid_id ? &solid_at(f, h->solid_id)->motion : NULL;
        float *const at = (h->component == FLOW_V ? v : u) + h->first_node,
                     along = p ? (float)(p->u - p->spin * h->lever) : 0.0f;
        if (h->component == FLOW_U || !p)
            for (int i = 0; i < h->count; ++i) at[i] = along;
        else
            for (int i = 0; i < h->count; ++i) at[i] = (float)(p->v + p->spin * (h->lever + i * f->grid.dx));
    }
}

void flow_impose_solid_velocity(const struct fluid *f, float *u, float *v)
{
    impose_velocity(f, u, v, false);
}
void flow_impose_closed_velocity(const struct fluid *f, float *u, float *v)
{
    impose_velocity(f, u, v, true);
}

// The open cells beside one that were so, or came free in a layer before this one, in a fixed order, across
// periodic sides too; how many.
static int fluid_neighbours(const struct fluid *f, size_t c, int layer, size_t out[4])
{
    static const int way[4][2] = {{-1, 0}, {1, 0}, {0, -1}, {0, 1}};
    const struct flow *s = f->impl;
    const struct grid *g = &f->grid;
    const uint32_t at = (uint32_t)(c - g->origin), stride = (uint32_t)g->stride;
    const int i = (int)(at % stride), j = (int)(at / stride);
    int count = 0;
    for (int k = 0; k < 4; ++k) {
        int x = i + way[k][0], z = j + way[k][1];
        const bool inside = 0 <= x && x < g->nx && 0 <= z && z < g->nz;
        if (!inside) x = fluid_wrap_column(f, x), z = fluid_wrap_row(f, z);
        if (x < 0 || z < 0) continue;
        const size_t to = grid_at(g, x, z);
        if (s->is_fluid[to] && s->was_fluid[to] && s->was_fluid[to] <= layer) out[count++] = to;
    }
    return count;
}

// A cell that is covered gives its dye and heat to its neighbours; one that comes free takes its part of
// theirs.
static void redistribute_scalar(struct flow *s, size_t c, float *q, double *out, const size_t *to, int count)
{
    const float each = q[c] / (float)imax(count, 1);
    float taken = 0.0f;
    for (int k = 0; k < count; ++k) {
        const float part = s->is_fluid[c] ? q[to[k]] / (float)(count + 1) : -each;
        q[to[k]] -= part;
        taken += part;
    }
    if (!s->is_fluid[c] && !count) *out += (double)q[c]; // nowhere to go
    q[c] = s->is_fluid[c] ? taken : 0.0f;
}

// Where values are carried along and sums are not kept, that would pile them up before whatever moves: there
// a cell that comes free looks like its neighbours, and what one that is covered had is gone.
static void refill_scalar(struct flow *s, size_t c, float *q, double *out, const size_t *to, int count)
{
    float mean = 0.0f;
    for (int k = 0; k < count && s->is_fluid[c]; ++k) mean += q[to[k]] / (float)count;
    *out += (double)q[c] - (double)mean;
    q[c] = mean;
}

static void change_phase(const struct fluid *f, size_t c, const size_t *to, int count)
{
    struct flow *s = f->impl;
    const bool sums = flow_def_of(f)->advection == FLOW_CONSERVATIVE;
    float pressure = 0.0f;
    for (int k = 0; k < count; ++k) pressure += s->p[to[k]];
    s->p[c] = s->is_fluid[c] && count ? pressure / (float)count : 0.0f;
    for (int q = 0; q < FLOW_SCALARS; ++q)
        (sums ? redistribute_scalar : refill_scalar)(s, c, s->scalar[q], &s->scalar_out[q], to, count);
}

// Cells that are covered or come free, row by row; how many.
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

// Behind what moves by more than a cell the free ones lie deep: layer by layer, each from those before it.
// Cells that nothing leads to begin with nothing.
static void update_fresh_cells(const struct fluid *f)
{
    struct flow *s = f->impl;
    int *const list = s->changed_cells, changed = list_changed_cells(s, &f->grid, list);
    size_t to[4];
    int left = 0;
    for (int k = 0; k < changed; ++k) {
        const size_t c = (size_t)list[k];
        if (s->is_fluid[c])
            list[left++] = (int)c;
        else
            change_phase(f, c, to, fluid_neighbours(f, c, 1, to));
    }
    for (int layer = 1, before = 0; left > 0; layer = imin(layer + 1, 254)) {
        const bool last = left == before;
        before = left, left = 0;
        for (int k = 0; k < before; ++k) {
            const size_t c = (size_t)list[k];
            const int count = fluid_neighbours(f, c, layer, to);
            if (count > 0 || last) {
                change_phase(f, c, to, count);
                s->was_fluid[c] = (unsigned char)(layer + 1);
            } else {
                list[left++] = (int)c;
            }
        }
    }
    memset(list, 0, (size_t)changed * sizeof *list);
}

void flow_update_cut_cells(struct fluid *f)
{
    struct flow *s = f->impl;
    if (!f->out_of_memory)
        memcpy(s->was_fluid, s->is_fluid, f->grid.size); // else it is what the last good room was
    if (flow_build_cut_cells(f)) update_fresh_cells(f);
}

void flow_move_obstacles(struct fluid *f, double dt)
{
    if (!((struct flow *)f->impl)->has_prescribed_motion) return;
    for (int i = 0; i < f->obstacle_count; ++i)
        f->obstacles[i].motion = obstacle_motion_at(&f->obstacles[i], f->time + dt, dt);
    flow_update_cut_cells(f);
}
