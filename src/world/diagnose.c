// Divergence: which body or cell of a world is not finite or too fast. Called at the end of every step.
#include "base/math/math.h"
#include "world.h"

#include <stdio.h>

int bodies_find_invalid(const struct bodies *b)
{
    for (int i = 0; i < b->slot_count; ++i)
        if (body_exists(b, i) && !body_is_valid(b, i)) return i;
    return -1;
}

// Finds the first cell with a value that is not finite and returns false; if there is none, the fastest cell.
static bool find_worst_cell(const struct fluid *f, int *worst_i, int *worst_j)
{
    enum { CHUNK = 64 };
    float h[CHUNK], u[CHUNK], v[CHUNK], max_speed = -1.0f;
    *worst_i = *worst_j = 0;
    for (int j = 0; j < f->grid.nz; ++j)
        for (int i0 = 0; i0 < f->grid.nx; i0 += CHUNK) {
            const int i1 = i0 + CHUNK < f->grid.nx ? i0 + CHUNK : f->grid.nx;
            f->model->height_field->read_surface(f, j, i0, i1, h);
            f->model->height_field->read_velocity(f, j, i0, i1, u, v);
            for (int i = 0; i < i1 - i0; ++i) {
                const float speed = fabsf(u[i]) + fabsf(v[i]);
                const bool finite = isfinite(h[i] + speed);
                if (finite && speed <= max_speed) continue;
                *worst_i = i0 + i, *worst_j = j, max_speed = speed;
                if (!finite) return false;
            }
        }
    return true;
}

tarn_result world_check_divergence(tarn_world *w)
{
    const unsigned long long step = w->steps;
    const int body = bodies_find_invalid(&w->bodies);
    if (body >= 0) {
        const char *name = w->bodies.slots[body].body->def.name;
        snprintf(w->failure, sizeof w->failure,
                 "step %llu: body %d%s%s: position or velocity is not finite or out of range", step, body,
                 name[0] ? " " : "", name);
        return TARN_DIVERGED;
    }
    if (w->fluid.model->is_valid(&w->fluid)) return TARN_OK;
    int i = 0, j = 0;
    const bool has_cells = w->fluid.model->height_field != NULL;
    const bool finite = has_cells && find_worst_cell(&w->fluid, &i, &j);
    const int n = snprintf(w->failure, sizeof w->failure, "step %llu: the water %s", step,
                           finite ? "exceeds the velocity limit" : "is not finite");
    if (has_cells)
        snprintf(w->failure + n, sizeof w->failure - (size_t)n, " in cell (%d, %d), at x = %.4g, z = %.4g m",
                 i, j, grid_cell_x(&w->fluid.grid, i), grid_cell_z(&w->fluid.grid, j));
    return TARN_DIVERGED;
}
