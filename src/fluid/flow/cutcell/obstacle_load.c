// Force and torque of the fluid on an obstacle: pressure on covered faces and viscous shear along links to
// its surface. The model table calls flow_obstacle_load().
#include "fluid/flow/flow.h"

struct load_sum {
    double fx, fy, shear_x, shear_y, torque; // shear_x, shear_y: viscous share of the force
};

static void add_force(struct load_sum *p, double fx, double fy, double x, double y, bool is_shear)
{
    p->fx += fx, p->fy += fy;
    p->torque += x * fy - y * fx;
    if (is_shear) p->shear_x += fx, p->shear_y += fy;
}

// Velocity difference times coefficient of the link from node c to its neighbour at `step` in the solid.
static double link_shear(const float *u, const uint16_t *solid_ids, const float *mass, int solid_id, size_t c,
                         ptrdiff_t step, const float *coef, size_t link)
{
    const size_t other = (size_t)((ptrdiff_t)c + step);
    return mass[c] > 0.0f && solid_ids[other] == solid_id ? (double)(coef[link] * (u[c] - u[other])) : 0.0;
}

// Aperture for the pressure force: a face with a node in the solid counts as covered.
static double fluid_aperture(const float *aperture, const uint16_t *solid_id, size_t c)
{
    return solid_id[c] ? 0.0 : (double)aperture[c];
}

void flow_obstacle_load(const struct fluid *f, int obstacle, tarn_obstacle_load *out)
{
    const struct flow *s = f->impl;
    const struct grid *g = &f->grid;
    const int solid_id = obstacle + 1;
    const struct planar_motion *motion = &solid_at(f, solid_id)->motion;
    const ptrdiff_t n = (ptrdiff_t)g->stride;
    const double rho = f->density, dx = g->dx, nu = flow_def_of(f)->viscosity;
    struct load_sum p = {0};
    for (int j = 0; j < g->nz; ++j)
        for (int i = 0; i < g->nx; ++i) {
            const size_t c = grid_at(g, i, j);
            if (s->wall_distance[c] > 1) continue;
            const double x = flow_periodic_offset(f, 0, (i + 0.5) * dx, motion->x),
                         y = flow_periodic_offset(f, 1, (j + 0.5) * dx, motion->y);
            if (s->solid_id_cell[c] == solid_id) {
                const double pressure_force = rho * dx * (double)s->p[c];
                add_force(&p,
                          pressure_force * (fluid_aperture(s->aperture_x, s->solid_id_u, c) -
                                            fluid_aperture(s->aperture_x, s->solid_id_u, c + 1)),
                          pressure_force * (fluid_aperture(s->aperture_z, s->solid_id_v, c) -
                                            fluid_aperture(s->aperture_z, s->solid_id_v, c + g->stride)),
                          x, y, false);
            }
            const double shear_u =
                link_shear(s->u, s->solid_id_u, s->mass_u, solid_id, c, -1, s->coef_ux, c) +
                link_shear(s->u, s->solid_id_u, s->mass_u, solid_id, c, 1, s->coef_ux, c + 1) +
                link_shear(s->u, s->solid_id_u, s->mass_u, solid_id, c, -n, s->coef_uz, c) +
                link_shear(s->u, s->solid_id_u, s->mass_u, solid_id, c, n, s->coef_uz, c + g->stride);
            const double shear_v =
                link_shear(s->v, s->solid_id_v, s->mass_v, solid_id, c, -1, s->coef_vx, c) +
                link_shear(s->v, s->solid_id_v, s->mass_v, solid_id, c, 1, s->coef_vx, c + 1) +
                link_shear(s->v, s->solid_id_v, s->mass_v, solid_id, c, -n, s->coef_vz, c) +
                link_shear(s->v, s->solid_id_v, s->mass_v, solid_id, c, n, s->coef_vz, c + g->stride);
            if (shear_u != 0.0) add_force(&p, rho * nu * shear_u, 0.0, x - 0.5 * dx, y, true);
            if (shear_v != 0.0) add_force(&p, 0.0, rho * nu * shear_v, x, y - 0.5 * dx, true);
        }
    *out = (tarn_obstacle_load){motion->x, motion->y, motion->angle, motion->u, motion->v, motion->spin,
                                p.fx,      p.fy,      p.shear_x,     p.shear_y, p.torque};
}
