// Viscous links between fluid nodes and solids: the list of links, and the impulse that they exchange in
// explicit and implicit diffusion. flow_build_cut_cells() and flow_diffusion.c call it.
#include "body_step.h"

#define INNER_LINK_COEF 20.0f // link coefficient of a node inside a body, as for a very near surface

static bool add_wall_link(struct fluid *f, const struct wall_link *link)
{
    struct flow *s = f->impl;
    if (s->wall_link_count == s->wall_link_capacity &&
        !memory_grow(f->memory, (void **)&s->wall_links, &s->wall_link_capacity, s->wall_link_count + 1,
                     sizeof *s->wall_links))
        return false;
    s->wall_links[s->wall_link_count++] = *link;
    return true;
}

// Add the link number `link` of node (i, j) to a solid; FLOW_LINKS: the node itself lies in one, which counts
// for bodies only.
// False without memory.
static bool add_link_of_node(struct fluid *f, int component, int i, int j, int link)
{
    const struct flow *s = f->impl;
    const struct grid *g = &f->grid;
    const size_t c = grid_at(g, i, j), solid_node = link == FLOW_LINKS ? c : flow_neighbour_node(f, c, link);
    const int solid_id = (component ? s->solid_id_v : s->solid_id_u)[solid_node],
              axis = link == FLOW_LINKS ? -1 : link / 2;
    if (link == FLOW_LINKS && solid_id <= f->obstacle_count) return true;
    const float coef = axis < 0 ? INNER_LINK_COEF
                       : axis == 0
                           ? (component ? s->coef_vx : s->coef_ux)[c + (size_t)(link % 2)]
                           : (component ? s->coef_vz : s->coef_uz)[c + (size_t)(link % 2) * g->stride];
    const struct planar_motion *motion = &solid_at(f, solid_id)->motion;
    const bool is_transverse =
        axis == !component; // then the surface is displaced from the node along the lever arm
    const double gap = is_transverse ? (link % 2 ? 1.0 : -1.0) * (g->dx / (double)coef) : 0.0;
    const double lever = component ? flow_periodic_offset(f, 0, (i + 0.5) * g->dx + gap, motion->x)
                                   : -flow_periodic_offset(f, 1, (j + 0.5) * g->dx + gap, motion->y);
    return add_wall_link(f, &(struct wall_link){(uint32_t)c, (uint32_t)solid_node, (uint16_t)solid_id,
                                                (signed char)component, (signed char)axis, coef, lever});
}

static bool find_links_of_component(struct fluid *f, int component)
{
    static const unsigned char lowest[(1 << FLOW_LINKS) + 1] = {
        0, 0, 1, 0, 2, 0, 1, 0, 3, 0, 1, 0, 2, 0, 1, 0, FLOW_LINKS}; // number of the lowest bit
    struct flow *s = f->impl;
    const struct grid *g = &f->grid;
    const float *coef_x = component ? s->coef_vx : s->coef_ux, *coef_z = component ? s->coef_vz : s->coef_uz,
                *aperture = component ? s->aperture_z : s->aperture_x;
    const uint16_t *solid_id = component ? s->solid_id_v : s->solid_id_u;
    const int first_i = component == FLOW_U && !f->periodic_x,
              first_j = component == FLOW_V && !f->periodic_z; // nodes on the boundary have no links
    FOR_EACH_SOLID_RUN(s, g, 0, j, begin, end)
    {
        const size_t c = grid_at(g, begin, j);
        unsigned char *marks = s->link_marks + grid_at(g, 0, j);
        if (j < first_j) continue;
        s->cutcell_kernels->mark_wall_links(solid_id + c, aperture + c, coef_x + c, coef_z + c, g->stride,
                                            marks + begin, (size_t)(end - begin));
        for (int i = imax(begin, first_i); (i = next_nonzero(marks, i, end)) < end; ++i)
            for (int bits = marks[i]; bits; bits &= bits - 1)
                if (!add_link_of_node(f, component, i, j, lowest[bits])) return false;
    }
    return true;
}

bool flow_find_wall_links(struct fluid *f)
{
    struct flow *s = f->impl;
    s->wall_link_count = 0;
    if (solid_count(f) == 0) return true;
    return find_links_of_component(f, FLOW_U) && find_links_of_component(f, FLOW_V) &&
           memory_grow(f->memory, (void **)&s->body_steps, &s->body_step_capacity, f->body_count,
                       sizeof *s->body_steps);
}

// The change of the fluid is corrected to the velocity of the surface where the link meets it, which differs
// from that of the node inside.
void flow_wall_shear_explicit(const struct fluid *f, int component, float diffusion_number, const float *q,
                              float *change)
{
    struct flow *s = f->impl;
    const double weight = f->density * f->grid.dx * f->grid.dx * (double)diffusion_number;
    for (int i = 0; i < s->wall_link_count; ++i) {
        const struct wall_link *link = &s->wall_links[i];
        if (link->axis < 0 || link->component != component) continue;
        double velocity[3];
        get_velocity(solid_at(f, link->solid_id), velocity);
        const double u_surface = surface_velocity(link, velocity);
        change[link->node] +=
            (float)((double)(diffusion_number * link->coef) * (u_surface - (double)q[link->solid_node]));
        add_impulse(link, weight * (double)link->coef * ((double)q[link->node] - u_surface),
                    solid_at(f, link->solid_id)->shear_impulse);
    }
}

void flow_wall_shear_implicit(const struct fluid *f, int component, int axis, float diffusion_number,
                              const float *change)
{
    const struct flow *s = f->impl;
    const double weight = f->density * f->grid.dx * f->grid.dx * (double)diffusion_number;
    for (int i = 0; i < s->wall_link_count; ++i) {
        const struct wall_link *link = &s->wall_links[i];
        if (link->axis == axis && link->component == component)
            add_impulse(link, weight * (double)link->coef * (double)change[link->node],
                        solid_at(f, link->solid_id)->shear_impulse);
    }
}
