// Coupling method `penalty`: a penalty term in the implicit height field, for comparison with the real-time
// literature.
//
// Where a body cuts the surface, the surface of its columns is drawn to the height c_t of its underside with
// weight c_w,
//
//     (1 + c_w) eta - ... = h - ... + c_w c_t
//
// which removes the water above. As in the literature, where velocities follow from the last two heights,
// fluxes below the body start from zero in every substep. Volume is not conserved: water that flows in from
// around is removed in every substep and counted as displaced in the ledger. Momentum is not conserved
// either. The body floats in the mean level of the water around it.
#include "couple/coupling.h"

void penalty_find_level(struct body_coupling *p, const struct fluid *f)
{
    double sum = 0.0;
    int count = 0;
    for (int j = 0; j < p->nj; ++j) {
        const int row = fluid_wrap_row(f, p->j0 + j);
        for (int i = 0; row >= 0 && i < p->ni; ++i) {
            const int column = fluid_wrap_column(f, p->i0 + i);
            float eta;
            if (column < 0 || p->columns.cover[j * p->ni + i] > 0.0f ||
                !f->model->height_field->is_wet(f, column, row))
                continue;
            f->model->height_field->read_surface(f, row, column, column + 1, &eta);
            sum += (double)eta, ++count;
        }
    }
    if (count) p->surface_plane = (struct plane){sum / count, 0.0, 0.0};
}

// One piece per column with the negative displaced depth -c_w (eta - c_t).
void penalty_set_load(struct body_coupling *p, const struct fluid *f, double weight)
{
    struct load_arrays *s = &p->load_arrays;
    int count = 0;
    load_arrays_build(p, f);
    for (int k = 0; k < p->surface_load.column_count; ++k) {
        const int cell = s->cell[k];
        const double x = grid_cell_x(&f->grid, p->i0 + cell % p->ni) - p->build_x,
                     z = grid_cell_z(&f->grid, p->j0 + cell / p->ni) - p->build_z;
        const double rise = p->rise_plane.a + p->rise_plane.b * x + p->rise_plane.c * z,
                     eta = p->surface_plane.a - rise;
        double area = 0.0, underside = 0.0, height = 0.0;
        for (int n = s->first_piece[k]; n < s->first_piece[k + 1]; ++n) {
            if (!((double)s->height[n] < eta)) continue;
            area += (double)s->area[n];
            if (s->area[n] > 0.0f)
                underside += (double)s->area[n], height += (double)(s->area[n] * s->height[n]);
        }
        if (!(area > 1e-3)) continue; // above the surface, or submerged
        // Compacts the lists in place: count <= k, and every column has a piece at least.
        s->grid_index[count] = s->grid_index[k], s->cell[count] = cell;
        s->penalty_height[count] = (float)(height / underside + rise),
        s->penalty_weight[count] = (float)(-weight * fmin(area, 1.0));
        ++count;
    }
    for (int k = 0; k <= count; ++k) s->first_piece[k] = k;
    for (int k = 0; k < 2 * count; ++k) s->column_values[k] = 0.0;
    p->surface_load = (struct surface_load){.stagnant_below = true,
                                            .column_count = count,
                                            .cells = s->grid_index,
                                            .x = s->column_values,
                                            .z = s->column_values + count,
                                            .piece_start = s->first_piece,
                                            .piece_area = s->penalty_weight,
                                            .piece_height = s->penalty_height,
                                            .displaced = s->column_values + 2 * count,
                                            .displaced_slope = s->column_values + 3 * count,
                                            .term_values = s->column_values + 4 * count};
}

void penalty_remove_water(struct body_coupling *p, struct fluid *f)
{
    for (int k = 0; k < p->surface_load.column_count; ++k) {
        const int cell = p->load_arrays.cell[k], i = fluid_wrap_column(f, p->i0 + cell % p->ni),
                  j = fluid_wrap_row(f, p->j0 + cell / p->ni);
        const float depth = (float)p->surface_load.displaced[k];
        f->displaced_depth -= f->model->height_field->add_water(f, j, i, i + 1, &depth, NULL);
    }
}

static vec3 return_momentum(const struct coupling *c, struct fluid *f, const struct bodies *b, int i,
                            vec3 owed, double dt)
{
    (void)c, (void)f, (void)b, (void)i, (void)owed, (void)dt;
    return v3(0, 0, 0);
}

const struct coupling_kind coupling_penalty = {.is_penalty = true, .return_momentum = return_momentum};
