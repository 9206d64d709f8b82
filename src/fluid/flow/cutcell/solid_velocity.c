// Moving solids: velocities of prescribed nodes, and treatment of cells that solids uncover (fresh cells) or
// cover. flow_step.c and flow_build_cut_cells() call it.
#include "fluid/flow/flow.h"

#include <string.h>

// Add `count` prescribed nodes from (i, j) on. False without memory.
static bool add_prescribed_run(struct fluid *f, int component, int i, int j, int count)
{
    struct flow *s = f->impl;
    const size_t c = grid_at(&f->grid, i, j);
    const int solid_id = (component ? s->solid_id_v : s->solid_id_u)[c];
    const bool closed = (component ? s->aperture_z : s->aperture_x)[c] == 0.0f;
    if (!closed && (solid_id == 0 || solid_id > f->obstacle_count)) return true;
    const struct planar_motion *p = solid_id ? &solid_at(f, solid_id)->motion : NULL;
    const double position = ((component ? i : j) + 0.5) * f->grid.dx,
                 lever = p ? flow_periodic_offset(f, !component, position, component ? p->x : p->y) : 0.0;
    if (!memory_grow(f->memory, (void **)&s->prescribed_runs, &s->prescribed_run_capacity,
                     s->prescribed_run_count + 1, sizeof *s->prescribed_runs))
        return false;
    s->prescribed_runs[s->prescribed_run_count++] = (struct prescribed_run){
        (uint32_t)c, (uint16_t)solid_id, (unsigned char)component, closed, count, lever};
    return true;
}

// Number of nodes among the first max_count with the same solid and state. One on a periodic axis, where the
// lever arm may jump.
static int run_length(const struct fluid *f, const uint16_t *solid_id, const float *aperture, int max_count)
{
    int count = 1;
    while (count < max_count && !f->periodic_x && solid_id[count] == solid_id[0] &&
           (aperture[count] == 0.0f) == (aperture[0] == 0.0f))
        ++count;
    return count;
}

bool flow_find_prescribed_nodes(struct fluid *f)
{
    struct flow *s = f->impl;
    const struct grid *g = &f->grid;
    s->prescribed_run_count = 0;
    for (int component = FLOW_U; component <= FLOW_V; ++component) {
        const uint16_t *solid_id = component ? s->solid_id_v : s->solid_id_u;
        const float *aperture = component ? s->aperture_z : s->aperture_x;
        FOR_EACH_SOLID_RUN(s, g, 1, j, begin, end)
        {
            const size_t c = grid_at(g, begin, j);
            unsigned char *marks = s->prescribed_marks + grid_at(g, 0, j);
            s->cutcell_kernels->mark_prescribed_nodes(solid_id + c, aperture + c, marks + begin,
                                                      (size_t)(end - begin));
            for (int i = begin, count; (i = next_nonzero(marks, i, end)) < end; i += count) {
                const size_t node = grid_at(g, i, j);
                count = run_length(f, solid_id + node, aperture + node, end - i);
                if (!add_prescribed_run(f, component, i, j, count)) return false;
            }
        }
    }
    return true;
}

// In bodies only nodes on closed faces are prescribed. Nodes on partly open faces are coupled by drag
// (couple_inner_nodes() in bodies/body_step.c); moving them with a light body would increase its mass.
static void impose_velocity(const struct fluid *f, float *u, float *v, bool only_closed)
{
    const struct flow *s = f->impl;
    for (int k = 0; k < s->prescribed_run_count; ++k) {
        const struct prescribed_run *run = &s->prescribed_runs[k];
        if (only_closed && !run->faces_closed) continue;
        const struct planar_motion *p = run->solid_id ? &solid_at(f, run->solid_id)->motion : NULL;
        float *const out = (run->component == FLOW_V ? v : u) + run->first_node,
                     u_surface = p ? (float)(p->u - p->spin * run->lever) : 0.0f;
        if (run->component == FLOW_U || !p)
            for (int i = 0; i < run->count; ++i) out[i] = u_surface;
        else
            for (int i = 0; i < run->count; ++i)
                out[i] = (float)(p->v + p->spin * (run->lever + i * f->grid.dx));
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

// Semi-Lagrangian schemes do not conserve sums, and redistribution would pile up scalars in front of a moving
// solid. A fresh cell gets the mean of its neighbours; the content of a covered cell is lost.
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
    const bool conservative = flow_def_of(f)->advection == FLOW_CONSERVATIVE;
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
