// Reflecting boundary of obstacles with `boundary` reflect, a simple condition used in real-time simulation:
// in the layer of cells around the obstacle a velocity v that points into it, relative to the surface,
// becomes v - 2 (v . n) n. The normal n points away from the solid cells among the eight neighbours.
// flow_step.c calls it.
#include "fluid/flow/flow.h"

// Id of the reflecting obstacle at cell (i, j), 0 for none, and its unit normal.
static int reflecting_normal(const struct fluid *f, int i, int j, double n[2])
{
    const struct flow *s = f->impl;
    int solid_id = 0;
    n[0] = n[1] = 0.0;
    for (int k = 0; k < 9; ++k) {
        const int dx = k % 3 - 1, dz = k / 3 - 1;
        const int x = f->periodic_x ? fluid_wrap_column(f, i + dx) : i + dx,
                  z = f->periodic_z ? fluid_wrap_row(f, j + dz) : j + dz;
        const size_t neighbour = grid_at(&f->grid, x, z);
        const int id = s->solid_id_u[neighbour] ? s->solid_id_u[neighbour] : s->solid_id_v[neighbour];
        if (k == 4 || s->is_fluid[neighbour] || !id || !solid_at(f, id)->def.boundary) continue;
        solid_id = id;
        n[0] -= dx, n[1] -= dz;
    }
    const double length = sqrt(n[0] * n[0] + n[1] * n[1]);
    if (!(length > 0.0)) return 0;
    n[0] /= length, n[1] /= length;
    return solid_id;
}

static void reflect_cell(const struct fluid *f, int i, int j, float *u, float *v)
{
    const struct flow *s = f->impl;
    const size_t c = grid_at(&f->grid, i, j), up = c + f->grid.stride;
    double n[2];
    const int solid_id = reflecting_normal(f, i, j, n);
    if (!solid_id) return;
    struct obstacle *o = solid_at(f, solid_id);
    const struct planar_motion *p = &o->motion;
    const double x = flow_periodic_offset(f, 0, grid_cell_x(&f->grid, i), p->x),
                 y = flow_periodic_offset(f, 1, grid_cell_z(&f->grid, j), p->y);
    const double vx = 0.5 * ((double)u[c] + (double)u[c + 1]) - (p->u - p->spin * y),
                 vy = 0.5 * ((double)v[c] + (double)v[up]) - (p->v + p->spin * x);
    const double normal_velocity = vx * n[0] + vy * n[1];
    if (normal_velocity >= 0.0) return;
    const size_t faces[2][2] = {{c, c + 1}, {c, up}};
    double given[2] = {0.0, 0.0}; // [m/s] to the obstacle
    for (int k = 0; k < 2; ++k) { // each of the two cells of a face contributes half of its change
        const float open_x = s->mass_u[faces[0][k]] > 0.0f ? s->aperture_x[faces[0][k]] : 0.0f,
                    open_z = s->mass_v[faces[1][k]] > 0.0f ? s->aperture_z[faces[1][k]] : 0.0f;
        if (open_x > 0.0f) u[faces[0][k]] -= (float)(normal_velocity * n[0]);
        if (open_z > 0.0f) v[faces[1][k]] -= (float)(normal_velocity * n[1]);
        given[0] += (double)open_x * normal_velocity * n[0],
            given[1] += (double)open_z * normal_velocity * n[1];
    }
    if (solid_id <= f->obstacle_count) flow_loads_add_impulse(f, &f->obstacles[solid_id - 1], given, x, y);
    // the first and the last face of a periodic axis are the same face
    const struct grid *g = &f->grid;
    if (f->periodic_x && i == 0) u[grid_at(g, g->nx, j)] = u[c];
    if (f->periodic_x && i == g->nx - 1) u[grid_at(g, 0, j)] = u[c + 1];
    if (f->periodic_z && j == 0) v[grid_at(g, i, g->nz)] = v[c];
    if (f->periodic_z && j == g->nz - 1) v[grid_at(g, i, 0)] = v[up];
}

// Sequential, since neighbouring cells share faces.
void flow_reflect_velocity(const struct fluid *f, float *u, float *v)
{
    const struct flow *s = f->impl;
    if (s->has_reflecting_solid && (f->periodic_x || f->periodic_z))
        flow_fill_velocity_ghosts(f, u, v); // equal values on faces that are the same
    for (int j = 0; s->has_reflecting_solid && j < f->grid.nz; ++j)
        for (int i = 0; i < f->grid.nx; ++i) {
            const size_t c = grid_at(&f->grid, i, j);
            if (s->wall_distance[c] <= 1 && s->is_fluid[c]) reflect_cell(f, i, j, u, v);
        }
}
