// The real-time literature's boundary: in the layer of cells around an obstacle a speed v that leads inside, seen from the
// obstacle, becomes v - 2 (v . n) n. n leads away from the solid cells among the eight around.
#include "flow.h"

// The obstacle that mirrors at a cell, 0 for none, and the way out of it, of length 1.
static int way_out(const struct fluid *f, size_t c, double n[2])
{
    const struct flow *s = f->self;
    int number = 0;
    n[0] = n[1] = 0.0;
    for (int k = 0; k < 9; ++k) {
        const int dx = k % 3 - 1, dz = k / 3 - 1;
        const size_t o = (size_t)((ptrdiff_t)c + dx + dz * (ptrdiff_t)f->g.stride);
        const int owner = s->owner_u[o] ? s->owner_u[o] : s->owner_v[o];
        if (k == 4 || s->cells[o] || !owner || !obstacle_of(f, owner)->def.boundary) continue;
        number = owner;
        n[0] -= dx, n[1] -= dz;
    }
    const double length = sqrt(n[0] * n[0] + n[1] * n[1]);
    if (!(length > 0.0)) return 0;
    n[0] /= length, n[1] /= length;
    return number;
}

static void mirror_cell(const struct fluid *f, int i, int j, float *u, float *v)
{
    const struct flow *s = f->self;
    const size_t c = grid_at(&f->g, i, j), up = c + f->g.stride;
    double n[2];
    const int number = way_out(f, c, n);
    if (!number) return;
    const struct pose *p = &obstacle_of(f, number)->now;
    const double x = grid_x(&f->g, i) - p->x, y = grid_z(&f->g, j) - p->y;
    const double vx = 0.5 * ((double)u[c] + (double)u[c + 1]) - (p->u - p->spin * y),
                 vy = 0.5 * ((double)v[c] + (double)v[up]) - (p->v + p->spin * x);
    const double inside = vx * n[0] + vy * n[1];
    if (inside >= 0.0) return;
    const size_t faces[2][2] = {{c, c + 1}, {c, up}};
    for (int k = 0; k < 2; ++k) { // a face has two cells, each of which gives it half of its change
        if (s->mass_u[faces[0][k]] > 0.0f) u[faces[0][k]] -= (float)(inside * n[0]);
        if (s->mass_v[faces[1][k]] > 0.0f) v[faces[1][k]] -= (float)(inside * n[1]);
    }
}

// In the order of memory, a cell after the other: neighbours share faces.
void flow_mirror(const struct fluid *f, float *u, float *v)
{
    const struct flow *s = f->self;
    for (int j = 0; s->mirrors && j < f->g.nz; ++j)
        for (int i = 0; i < f->g.nx; ++i) {
            const size_t c = grid_at(&f->g, i, j);
            if (s->far[c] <= 1 && s->cells[c]) mirror_cell(f, i, j, u, v);
        }
}
