// Velocities of nodes that solids and walls prescribe. flow_step.c, body_step.c and flow_build_cut_cells()
// call it.
#include "fluid/flow/flow.h"

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
