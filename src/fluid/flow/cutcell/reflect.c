// The real-time literature's boundary: in the layer of cells around an obstacle a speed v that leads inside, seen from the
// obstacle, becomes v - 2 (v . n) n. n leads away from the solid cells among the eight around.
#include "fluid/flow/flow.h"

// The obstacle that mirrors at cell (i, j), 0 for none, and the way out of it, of length 1.
static int reflecting_normal(const struct fluid *f, int i, int j, double n[2])
{
    const struct flow *s = f->impl;
    int number = 0;
    n[0] = n[1] = 0.0;
    for (int k = 0; k < 9; ++k) {
        const int dx = k % 3 - 1, dz = k / 3 - 1;
        const int x = f->periodic_x ? fluid_wrap_column(f, i + dx) : i + dx,
                  z = f->periodic_z ? fluid_wrap_row(f, j + dz) : j + dz;
        const size_t o = grid_at(&f->grid, x, z);
        const int owner = s->solid_id_u[o] ? s->solid_id_u[o] : s->solid_id_v[o];
        if (k == 4 || s->is_fluid[o] || !owner || !solid_at(f, owner)->def.boundary) continue;
        number = owner;
        n[0] -= dx, n[1] -= dz;
    }
    const double length = sqrt(n[0] * n[0] + n[1] * n[1]);
    if (!(length > 0.0)) return 0;
    n[0] /= length, n[1] /= length;
    return number;
}

static void reflect_cell(const struct fluid *f, int i, int j, float *u, float *v)
{
    const struct flow *s = f->impl;
    const size_t c = grid_at(&f->grid, i, j), up = c + f->grid.stride;
    double n[2];
    const int number = reflecting_normal(f, i, j, n);
    if (!number) return;
    const struct planar_motion *p = &solid_at(f, number)->motion;
    const double x = flow_periodic_offset(f, 0, grid_cell_x(&f->grid, i), p->x),
                 y = flow_periodic_offset(f, 1, grid_cell_z(&f->grid, j), p->y);
    const double vx = 0.5 * ((double)u[c] + (double)u[c + 1]) - (p->u - p->spin * y),
                 vy = 0.5 * ((double)v[c] + (double)v[up]) - (p->v + p->spin * x);
    const double inside = vx * n[0] + vy * n[1];
    if (inside >= 0.0) return;
    const size_t faces[2][2] = {{c, c + 1}, {c, up}};
    for (int k = 0; k < 2; ++k) { // a face has two cells, each of which gives it half of its change
        if (s->mass_u[faces[0][k]] > 0.0f) u[faces[0][k]] -= (float)(inside * n[0]);
        if (s->mass_v[faces[1][k]] > 0.0f) v[faces[1][k]] -= (float)(inside * n[1]);
    }
    // the first face and the last are one where sides are periodic
    const struct grid *g = &f->grid;
    if (f->periodic_x && i == 0) u[grid_at(g, g->nx, j)] = u[c];
    if (f->periodic_x && i == g->nx - 1) u[grid_at(g, 0, j)] = u[c + 1];
    if (f->periodic_z && j == 0) v[grid_at(g, i, g->nz)] = v[c];
    if (f->periodic_z && j == g->nz - 1) v[grid_at(g, i, 0)] = v[up];
}

// In the order of memory, a cell after the other: neighbours share faces.
void flow_reflect_velocity(const struct fluid *f, float *u, float *v)
{
    const struct flow *s = f->impl;
    if (s->has_reflecting_solid && (f->periodic_x || f->periodic_z))
        flow_fill_velocity_ghosts(f, u, v); // faces that are one begin so
    for (int j = 0; s->has_reflecting_solid && j < f->grid.nz; ++j)
        for (int i = 0; i < f->grid.nx; ++i) {
            const size_t c = grid_at(&f->grid, i, j);
            if (s->wall_distance[c] <= 1 && s->is_fluid[c]) reflect_cell(f, i, j, u, v);
        }
}
