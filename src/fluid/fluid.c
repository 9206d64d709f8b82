// Table of fluid models; creation, checkpoint section and point samples of the fluid; fields for surface
// loads. Called by src/world, src/couple and src/emit.
#include "fluid.h"

#include "base/error.h"
#include "base/math/math.h"
#include "fluid/flow/obstacle/obstacle.h"
#include "solver/linear.h"

#include <string.h>

extern const struct fluid_model fluid_wave, fluid_shallow, fluid_implicit, fluid_flow, fluid_none,
    fluid_ocean;

static const struct fluid_model *const kinds[] = {
    &fluid_wave, &fluid_shallow, &fluid_implicit, &fluid_flow, &fluid_none, &fluid_ocean,
};

const struct fluid_model *fluid_kind_at(int index)
{
    return 0 <= index && index < (int)(sizeof kinds / sizeof kinds[0]) ? kinds[index] : NULL;
}

bool height_field_never_advects(const struct fluid *f)
{
    (void)f;
    return false;
}

bool height_field_always_wet(const struct fluid *f, int i, int j)
{
    (void)f, (void)i, (void)j;
    return true;
}

float height_field_exact_depth(const struct fluid *f, double depth)
{
    (void)f;
    return (float)depth;
}

tarn_result fluid_check_square_cells(tarn_vec2 size, const int cells[2], tarn_error *err)
{
    const double sx = size.x / cells[0], sz = size.y / cells[1];
    if (fabs(sx - sz) <= 1e-6 * sx) return TARN_OK;
    return fail(err, TARN_BAD_INPUT, "cells",
                "columns of %.6g x %.6g m are not square; %d x %.0f cells would be", sx, sz, cells[0],
                floor(size.y / sx + 0.5));
}

tarn_fluid_def tarn_default_fluid_def(tarn_fluid_type type)
{
    tarn_fluid_def def = {.type = type};
    const struct fluid_model *model = fluid_kind_at((int)type);
    if (model) tarn_kind_init(&model->kind, def.space);
    return def;
}

tarn_result tarn_fluid_def_from_spec(const tarn_spec *spec, tarn_fluid_def *out)
{
    int type = 0;
    if (!spec || !out) return TARN_BAD_ARGUMENT;
    while (fluid_kind_at(type) && &fluid_kind_at(type)->kind != spec->kind) ++type;
    if (!fluid_kind_at(type)) return TARN_BAD_ARGUMENT;
    *out = (tarn_fluid_def){.type = (tarn_fluid_type)type};
    memcpy(out->space, spec->data, sizeof out->space);
    return TARN_OK;
}

tarn_result tarn_fluid_def_to_spec(const tarn_fluid_def *def, tarn_spec *out)
{
    const struct fluid_model *model = def ? fluid_kind_at((int)def->type) : NULL;
    if (!model || !out) return TARN_BAD_ARGUMENT;
    *out = (tarn_spec){.kind = &model->kind};
    memcpy(out->data, def->space, sizeof def->space);
    return TARN_OK;
}

// Replaces the arrays that the definition borrows by copies. False without memory.
static bool copy_tables(struct fluid *f)
{
    f->row_numbers = param_table_numbers(&f->model->kind, f->def.space);
    if (f->row_numbers == 0) return true;
    f->rows = memory_alloc(f->memory, f->row_numbers, sizeof *f->rows);
    if (f->rows) param_copy_tables(&f->model->kind, f->def.space, f->rows);
    return f->rows != NULL;
}

tarn_result fluid_create(struct fluid *f, const tarn_world_def *def, tarn_error *err)
{
    if (!copy_tables(f)) return fail(err, TARN_NO_MEMORY, "", "no memory for the fluid");
    const tarn_result r = f->model->create(f, def, err);
    if (r != TARN_OK) return r;
    fluid_update_derived(f);
    struct fluid_totals t;
    f->model->compute_totals(f, &t);
    f->initial_depth = t.depth_sum;
    return TARN_OK;
}

void fluid_free(struct fluid *f)
{
    grid_free_field(&f->grid, f->memory, f->load_head, 4);
    grid_free_field(&f->grid, f->memory, f->load_head_next, 0);
    for (int axis = 0; axis < 2; ++axis)
        grid_free_field(&f->grid, f->memory, f->load_head_face[axis], 1 + axis);
    grid_free_field(&f->grid, f->memory, f->covered_fraction, 5);
    memory_free(f->memory, f->loaded_rects, (size_t)f->loaded_capacity, sizeof *f->loaded_rects);
    obstacles_free(f);
    grid_free_field(&f->grid, f->memory, f->solved_surface, 3);
    memory_free(f->memory, f->rows, f->row_numbers, sizeof *f->rows);
    memory_free(f->memory, f->load_terms, (size_t)f->load_term_capacity, sizeof *f->load_terms);
    if (f->model) f->model->destroy(f);
}

static bool reserve_load_faces(struct fluid *f)
{
    if (!f->load_head_next) f->load_head_next = grid_alloc_field(&f->grid, f->memory, 0);
    for (int axis = 0; axis < 2; ++axis)
        if (!f->load_head_face[axis])
            f->load_head_face[axis] = grid_alloc_field(&f->grid, f->memory, 1 + axis);
    return f->load_head_next && f->load_head_face[0] && f->load_head_face[1];
}

bool fluid_reserve_loads(struct fluid *f, int body_count)
{
    if (f->model->height_field->can_advect_depth && !reserve_load_faces(f)) return false;
    if (!f->load_head) f->load_head = grid_alloc_field(&f->grid, f->memory, 4);
    if (!f->covered_fraction) f->covered_fraction = grid_alloc_field(&f->grid, f->memory, 5);
    if (!f->load_head || !f->covered_fraction || !f->model->height_field->solves_loads)
        return f->load_head && f->covered_fraction;
    if (!memory_grow(f->memory, (void **)&f->load_terms, &f->load_term_capacity, 3 * body_count,
                     sizeof *f->load_terms))
        return false;
    if (f->solved_surface) return true;
    f->solved_surface = grid_alloc_field(&f->grid, f->memory, 3);
    for (int j = 0; f->solved_surface && j < f->grid.nz; ++j)
        f->model->height_field->read_surface(f, j, 0, f->grid.nx,
                                             f->solved_surface + grid_at(&f->grid, 0, j));
    return f->solved_surface != NULL;
}

static int wrap_index(int i, int n, bool wrap)
{
    if (wrap) i = ((i % n) + n) % n;
    return 0 <= i && i < n ? i : -1;
}

int fluid_wrap_column(const struct fluid *f, int i) { return wrap_index(i, f->grid.nx, f->periodic_x); }
int fluid_wrap_row(const struct fluid *f, int j) { return wrap_index(j, f->grid.nz, f->periodic_z); }

// [radii] A Gaussian is cut off where it is exp(-16) = 1e-7 of its height.
#define GAUSSIAN_REACH 4.0

// Range of columns or rows within `reach` of a coordinate; across a periodic boundary up to one period.
static void cell_range_around(double at, double reach, double start, double s, int n, bool wrap, int *first,
                              int *last)
{
    const double period = wrap ? n : 0.0, lo = (at - reach - start) / s, hi = (at + reach - start) / s;
    *first = (int)floor(clamp(lo, -period, n));
    *last = (int)ceil(clamp(hi, -period, n + period));
}

void fluid_add_gaussian(struct fluid *f, double x, double z, double radius, double depth, double head_impulse)
{
    const struct grid *g = &f->grid;
    const double lag = f->model->height_field->potential_lag > 0.0
                           ? f->model->height_field->potential_lag * f->model->substep_dt(f, f->world_dt)
                           : 0.0;
    int i0, i1, j0, j1;
    cell_range_around(x, GAUSSIAN_REACH * radius, g->x0, g->dx, g->nx, f->periodic_x, &i0, &i1);
    cell_range_around(z, GAUSSIAN_REACH * radius, g->z0, g->dx, g->nz, f->periodic_z, &j0, &j1);
    for (int j = j0; j < j1; ++j) {
        const int row = fluid_wrap_row(f, j);
        const double dz = grid_cell_z(g, j) - z;
        for (int i = i0; row >= 0 && i < i1; ++i) {
            const int column = fluid_wrap_column(f, i);
            const double dx = grid_cell_x(g, i) - x, r2 = (dx * dx + dz * dz) / (radius * radius);
            if (column < 0 || r2 > GAUSSIAN_REACH * GAUSSIAN_REACH) continue;
            const double shape = m_exp(-r2);
            const float d = (float)(depth * shape), p = (float)((head_impulse - lag * depth) * shape);
            f->emitted_depth += f->model->height_field->add_water(f, row, column, column + 1, &d, &p);
        }
    }
}

bool fluid_contains(const struct fluid *f, double x, double z)
{
    const struct grid *g = &f->grid;
    return g->x0 <= x && x <= g->x0 + g->nx * g->dx && g->z0 <= z && z <= g->z0 + g->nz * g->dx;
}

// The two cells around a coordinate and the fraction of the way from the first to the second. Outside the
// centres of the outermost cells: across a periodic boundary, else the outermost cell itself.
static double bilinear_weights(double at, double x0, double s, int n, bool wrap, int cell[2])
{
    double place = (at - x0) / s - 0.5;
    place = wrap ? place - n * floor(place / n) : clamp(place, 0.0, n - 1.0);
    const double below = floor(place);
    for (int k = 0; k < 2; ++k) cell[k] = wrap ? ((int)below + k + n) % n : imin((int)below + k, n - 1);
    return place - below;
}

double fluid_bed_at(const struct fluid *f, double x, double z, double slope[2])
{
    const struct grid *g = &f->grid;
    int i[2], j[2];
    slope[0] = slope[1] = 0.0;
    if (!f->bed) return -f->rest_level;
    const double a = bilinear_weights(x, g->x0, g->dx, g->nx, f->periodic_x, i);
    const double b = bilinear_weights(z, g->z0, g->dx, g->nz, f->periodic_z, j);
#define BED(k, m) ((double)f->bed[grid_at(g, i[m], j[k])])
    slope[0] = ((1.0 - b) * (BED(0, 1) - BED(0, 0)) + b * (BED(1, 1) - BED(1, 0))) / g->dx;
    slope[1] = ((1.0 - a) * (BED(1, 0) - BED(0, 0)) + a * (BED(1, 1) - BED(0, 1))) / g->dx;
    return (1.0 - b) * ((1.0 - a) * BED(0, 0) + a * BED(0, 1)) + b * ((1.0 - a) * BED(1, 0) + a * BED(1, 1));
#undef BED
}

struct surface_sample fluid_sample_surface(const struct fluid *f, double x, double z)
{
    const struct grid *g = &f->grid;
    int i[2], j[2];
    const double a = bilinear_weights(x, g->x0, g->dx, g->nx, f->periodic_x, i);
    const double b = bilinear_weights(z, g->z0, g->dx, g->nz, f->periodic_z, j);
    float h[2][2], u[2][2], v[2][2];
    double rate[2][2];
    for (int k = 0; k < 2; ++k)
        for (int m = 0; m < 2; ++m) {
            f->model->height_field->read_surface(f, j[k], i[m], i[m] + 1, &h[k][m]);
            f->model->height_field->read_velocity(f, j[k], i[m], i[m] + 1, &u[k][m], &v[k][m]);
            f->model->height_field->read_surface_rate(f, j[k], i[m], i[m] + 1, &rate[k][m]);
        }
#define BILINEAR(q) \
    ((1.0 - b) * ((1.0 - a) * q[0][0] + a * q[0][1]) + b * ((1.0 - a) * q[1][0] + a * q[1][1]))
    double slope[2];
    return (struct surface_sample){
        .surface = BILINEAR(h),
        .bed = fluid_bed_at(f, x, z, slope),
        .slope_x = ((1.0 - b) * (h[0][1] - h[0][0]) + b * (h[1][1] - h[1][0])) / g->dx,
        .slope_z = ((1.0 - a) * (h[1][0] - h[0][0]) + a * (h[1][1] - h[0][1])) / g->dx,
        .u = BILINEAR(u),
        .v = BILINEAR(v),
        .surface_rate = BILINEAR(rate),
    };
#undef BILINEAR
}

void fluid_save(struct saver *s, const void *what)
{
    const struct fluid *f = what;
    const double totals[] = {f->time,
                             f->mean_rise,
                             f->emitted_depth,
                             f->outflow_depth,
                             f->displaced_depth,
                             f->initial_depth,
                             f->load_head_sum,
                             f->external_acceleration[0],
                             f->external_acceleration[1]};
    save_f64s(s, totals, 9);
    f->model->save(s, f);
}

tarn_result fluid_load(struct loader *l, struct fluid *f, tarn_error *err)
{
    double t[9];
    load_f64s(l, t, 9);
    f->time = t[0], f->mean_rise = t[1], f->emitted_depth = t[2], f->outflow_depth = t[3],
    f->displaced_depth = t[4], f->initial_depth = t[5];
    f->load_head_sum = t[6], f->external_acceleration[0] = t[7], f->external_acceleration[1] = t[8];
    bool ok = f->model->load(l, f) && load_is_complete(l);
    if (l->out_of_memory) return fail(err, TARN_NO_MEMORY, "", "no memory for surface loads");
    for (int i = 0; i < 9; ++i) ok = ok && fabs(t[i]) < 1e15;
    ok = ok && fabs(f->mean_rise) < 1e6;
    return ok ? TARN_OK : fail(err, TARN_BAD_INPUT, "", "section 'fluid' does not fit its grid");
}
