// What the fluid does to an obstacle: pressure on closed faces, friction along its surface.
#include "flow.h"

struct pushes {
    double fx, fy, rx, ry, torque; // pressure and friction; friction alone
};

static void push(struct pushes *p, double fx, double fy, double x, double y, bool rubs)
{
    p->fx += fx, p->fy += fy;
    p->torque += x * fy - y * fx;
    if (rubs) p->rx += fx, p->ry += fy;
}

// Friction of a node: what its links that end at the surface carry. `a` is the way to a neighbour that is held.
static double rubbing(const float *u, const uint16_t *owner, const float *mass, int number, size_t c,
                      ptrdiff_t a, const float *link, size_t at)
{
    const size_t o = (size_t)((ptrdiff_t)c + a);
    return mass[c] > 0.0f && owner[o] == number ? (double)(link[at] * (u[c] - u[o])) : 0.0;
}

// What pressure pushes on a face that is held, it pushes on what holds it.
static double free_part(const float *open, const uint16_t *owner, size_t c)
{
    return owner[c] ? 0.0 : (double)open[c];
}

void flow_load_of(const struct fluid *f, int obstacle, tarn_obstacle_load *out)
{
    const struct flow *s = f->self;
    const struct grid *g = &f->g;
    const int number = obstacle + 1;
    const struct pose *o = &obstacle_of(f, number)->now;
    const ptrdiff_t n = (ptrdiff_t)g->stride;
    const double rho = f->density, h = g->s, nu = flow_def_of(f)->viscosity;
    struct pushes p = {0};
    for (int j = 0; j < g->nz; ++j)
        for (int i = 0; i < g->nx; ++i) {
            const size_t c = grid_at(g, i, j);
            if (s->far[c] > 1) continue;
            const double x = flow_arm(f, 0, (i + 0.5) * h, o->x), y = flow_arm(f, 1, (j + 0.5) * h, o->y);
            if (s->owner[c] == number) {
                const double k = rho * h * (double)s->p[c];
                push(&p, k * (free_part(s->ax, s->owner_u, c) - free_part(s->ax, s->owner_u, c + 1)),
                     k * (free_part(s->az, s->owner_v, c) - free_part(s->az, s->owner_v, c + g->stride)), x,
                     y, false);
            }
            const double u = rubbing(s->u, s->owner_u, s->mass_u, number, c, -1, s->ux, c) +
                             rubbing(s->u, s->owner_u, s->mass_u, number, c, 1, s->ux, c + 1) +
                             rubbing(s->u, s->owner_u, s->mass_u, number, c, -n, s->uz, c) +
                             rubbing(s->u, s->owner_u, s->mass_u, number, c, n, s->uz, c + g->stride);
            const double v = rubbing(s->v, s->owner_v, s->mass_v, number, c, -1, s->vx, c) +
                             rubbing(s->v, s->owner_v, s->mass_v, number, c, 1, s->vx, c + 1) +
                             rubbing(s->v, s->owner_v, s->mass_v, number, c, -n, s->vz, c) +
                             rubbing(s->v, s->owner_v, s->mass_v, number, c, n, s->vz, c + g->stride);
            if (u != 0.0) push(&p, rho * nu * u, 0.0, x - 0.5 * h, y, true);
            if (v != 0.0) push(&p, 0.0, rho * nu * v, x, y - 0.5 * h, true);
        }
    *out = (tarn_obstacle_load){o->x, o->y, o->angle, o->u, o->v, o->spin, p.fx, p.fy, p.rx, p.ry, p.torque};
}
