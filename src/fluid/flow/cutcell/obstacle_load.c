// What the fluid does to an obstacle: pressure on closed faces, friction along its surface.
#include "fluid/flow/flow.h"

struct load_sum {
    double fx, fy, shear_x, shear_y, torque; // pressure and friction; friction alone
};

static void add_force(struct load_sum *p, double fx, double fy, double x, double y, bool rubs)
{
    p->fx += fx, p->fy += fy;
    p->torque += x * fy - y * fx;
    if (rubs) p->shear_x += fx, p->shear_y += fy;
}

// Friction of a node: what its links that end at the surface carry. `a` is the way to a neighbour that is held.
static double link_shear(const float *u, const uint16_t *owner, const float *mass, int number, size_t c,
                         ptrdiff_t a, const float *link, size_t at)
{
    const size_t o = (size_t)((ptrdiff_t)c + a);
    return mass[c] > 0.0f && owner[o] == number ? (double)(link[at] * (u[c] - u[o])) : 0.0;
}

// What pressure pushes on a face that is held, it pushes on what holds it.
static double fluid_aperture(const float *open, const uint16_t *owner, size_t c)
{
    return owner[c] ? 0.0 : (double)open[c];
}

void flow_obstacle_load(const struct fluid *f, int obstacle, tarn_obstacle_load *out)
{
    const struct flow *s = f->impl;
    const struct grid *g = &f->grid;
    const int number = obstacle + 1;
    const struct planar_motion *o = &solid_at(f, number)->motion;
    const ptrdiff_t n = (ptrdiff_t)g->stride;
    const double rho = f->density, h = g->dx, nu = flow_def_of(f)->viscosity;
    struct load_sum p = {0};
    for (int j = 0; j < g->nz; ++j)
        for (int i = 0; i < g->nx; ++i) {
            const size_t c = grid_at(g, i, j);
            if (s->wall_distance[c] > 1) continue;
            const double x = flow_periodic_offset(f, 0, (i + 0.5) * h, o->x),
                         y = flow_periodic_offset(f, 1, (j + 0.5) * h, o->y);
            if (s->solid_id_cell[c] == number) {
                const double k = rho * h * (double)s->p[c];
                add_force(&p,
                          k * (fluid_aperture(s->aperture_x, s->solid_id_u, c) -
                               fluid_aperture(s->aperture_x, s->solid_id_u, c + 1)),
                          k * (fluid_aperture(s->aperture_z, s->solid_id_v, c) -
                               fluid_aperture(s->aperture_z, s->solid_id_v, c + g->stride)),
                          x, y, false);
            }
            const double u =
                link_shear(s->u, s->solid_id_u, s->mass_u, number, c, -1, s->coef_ux, c) +
                link_shear(s->u, s->solid_id_u, s->mass_u, number, c, 1, s->coef_ux, c + 1) +
                link_shear(s->u, s->solid_id_u, s->mass_u, number, c, -n, s->coef_uz, c) +
                link_shear(s->u, s->solid_id_u, s->mass_u, number, c, n, s->coef_uz, c + g->stride);
            const double v =
                link_shear(s->v, s->solid_id_v, s->mass_v, number, c, -1, s->coef_vx, c) +
                link_shear(s->v, s->solid_id_v, s->mass_v, number, c, 1, s->coef_vx, c + 1) +
                link_shear(s->v, s->solid_id_v, s->mass_v, number, c, -n, s->coef_vz, c) +
                link_shear(s->v, s->solid_id_v, s->mass_v, number, c, n, s->coef_vz, c + g->stride);
            if (u != 0.0) add_force(&p, rho * nu * u, 0.0, x - 0.5 * h, y, true);
            if (v != 0.0) add_force(&p, 0.0, rho * nu * v, x, y - 0.5 * h, true);
        }
    *out = (tarn_obstacle_load){o->x, o->y, o->angle,  o->u,      o->v,    o->spin,
                                p.fx, p.fy, p.shear_x, p.shear_y, p.torque};
}
