// Coupling method `pressure`: bodies and implicit height field in one system (fluid.h: struct surface_load).
//
// The model receives the pieces of a body over every column, the velocities of heave, roll and pitch without
// its pressure, and their mobility. It solves for the surface, the impulse and the displaced depths together.
// So the full displaced depth acts on the water, bodies of any mass are stable, and the water that heave
// accelerates is part of the system: only the submerged part of a body has an added mass in heave.
#include "couple/coupling.h"

#define MAX_SUPPORT 2.0  // [g] limit of the acceleration that contacts are expected to give again
#define MIN_SUPPORT 0.05 // [g] a body with more is supported
#define REST_SPEED  0.1  // [m/s] a slower body is at rest

static const int heave_roll_pitch[3] = {1, 3, 5}; // among the six degrees of freedom

bool load_arrays_reserve(struct body_coupling *p, const struct memory *m)
{
    struct load_arrays *s = &p->load_arrays;
    const int columns = p->column_hull_capacity, pieces = p->piece_capacity;
    if (s->column_capacity >= columns && s->piece_capacity >= pieces) return true;
    load_arrays_free(p, m);
    s->column_capacity = columns, s->piece_capacity = pieces;
    s->first_piece = memory_alloc(m, (size_t)columns + 1, sizeof *s->first_piece);
    s->cell = memory_alloc(m, (size_t)columns, sizeof *s->cell);
    s->grid_index = memory_alloc(m, (size_t)columns, sizeof *s->grid_index);
    s->column_values = memory_alloc(m, 7 * (size_t)columns, sizeof *s->column_values);
    s->area = memory_alloc(m, (size_t)pieces, sizeof *s->area);
    s->height = memory_alloc(m, (size_t)pieces, sizeof *s->height);
    s->penalty_height = memory_alloc(m, (size_t)columns, sizeof *s->penalty_height);
    s->penalty_weight = memory_alloc(m, (size_t)columns, sizeof *s->penalty_weight);
    return s->first_piece && s->cell && s->grid_index && s->column_values && s->area && s->height &&
           s->penalty_height && s->penalty_weight;
}

void load_arrays_free(struct body_coupling *p, const struct memory *m)
{
    struct load_arrays *s = &p->load_arrays;
    const size_t columns = (size_t)s->column_capacity, pieces = (size_t)s->piece_capacity;
    memory_free(m, s->first_piece, columns + 1, sizeof *s->first_piece);
    memory_free(m, s->cell, columns, sizeof *s->cell);
    memory_free(m, s->grid_index, columns, sizeof *s->grid_index);
    memory_free(m, s->column_values, 7 * columns, sizeof *s->column_values);
    memory_free(m, s->area, pieces, sizeof *s->area);
    memory_free(m, s->height, pieces, sizeof *s->height);
    memory_free(m, s->penalty_height, columns, sizeof *s->penalty_height);
    memory_free(m, s->penalty_weight, columns, sizeof *s->penalty_weight);
    *s = (struct load_arrays){0};
}

// The pieces column by column. Columns outside the grid are left out.
void load_arrays_build(struct body_coupling *p, const struct fluid *f)
{
    struct load_arrays *s = &p->load_arrays;
    struct surface_load *q = &p->surface_load;
    int count = 0, pieces = 0;
    for (int j = 0; j < p->nj; ++j) {
        const int row = fluid_wrap_row(f, p->j0 + j);
        for (int i = 0; row >= 0 && i < p->ni; ++i) {
            const int cell = j * p->ni + i, column = fluid_wrap_column(f, p->i0 + i);
            if (column < 0 || !p->column_hulls[cell].first_piece) continue;
            s->cell[count] = cell, s->grid_index[count] = grid_at(&f->grid, column, row),
            s->first_piece[count++] = pieces;
            for (int k = p->column_hulls[cell].first_piece; k > 0; k = p->pieces[k - 1].next) {
                s->area[pieces] = p->pieces[k - 1].area;
                s->height[pieces++] = p->pieces[k - 1].height;
            }
        }
    }
    s->first_piece[count] = pieces;
    *q = (struct surface_load){.column_count = count,
                               .cells = s->grid_index,
                               .x = s->column_values,
                               .z = s->column_values + count,
                               .piece_start = s->first_piece,
                               .piece_area = s->area,
                               .piece_height = s->height,
                               .displaced = s->column_values + 2 * count,
                               .displaced_slope = s->column_values + 3 * count,
                               .term_values = s->column_values + 4 * count};
}

// Positions of the columns from the present centre of the body, and the rise of the pieces since the hull was
// clipped.
static void update_piece_rise(struct body_coupling *p, const struct fluid *f)
{
    struct load_arrays *s = &p->load_arrays;
    for (int k = 0; k < p->surface_load.column_count; ++k) {
        s->column_values[k] = grid_cell_x(&f->grid, p->i0 + s->cell[k] % p->ni) - p->build_x - p->offset_x;
        s->column_values[p->surface_load.column_count + k] =
            grid_cell_z(&f->grid, p->j0 + s->cell[k] / p->ni) - p->build_z - p->offset_z;
    }
    const struct plane m = p->rise_plane;
    p->surface_load.displacement =
        (struct plane_displacement){m.a + m.b * p->offset_x + m.c * p->offset_z, m.b, m.c};
}

static double piece_rise(const struct surface_load *q, int k)
{
    return q->displacement.a + q->displacement.b * q->x[k] + q->displacement.c * q->z[k];
}

// The displaced depth of a column is at least 0 and at most its depth: a part of the hull in the bed does not
// count.
static void store_displaced(struct body_coupling *p, const struct fluid *f)
{
    float *displaced = p->columns.displaced_smooth;
    for (int k = 0; k < p->ni * p->nj; ++k) displaced[k] = 0.0f;
    p->is_wet = false;
    for (int k = 0; k < p->surface_load.column_count && !p->has_no_water; ++k) {
        const size_t at = p->surface_load.cells[k];
        const double b =
            fmax(0.0, fmin(p->surface_load.displaced[k], (double)f->solved_surface[at] - (double)f->bed[at]));
        displaced[p->load_arrays.cell[k]] = (float)b;
        p->is_wet = p->is_wet || b > 0.0;
    }
}

void pressure_evaluate_displaced(struct body_coupling *p, const struct fluid *f)
{
    struct surface_load *q = &p->surface_load;
    update_piece_rise(p, f);
    for (int k = 0; k < q->column_count; ++k)
        q->displaced[k] = surface_load_displaced(
            q, k, (double)f->solved_surface[q->cells[k]] - piece_rise(q, k), &q->displaced_slope[k]);
    store_displaced(p, f);
}

void pressure_init_surface(struct body_coupling *p, struct fluid *f)
{
    for (int k = 0; k < p->surface_load.column_count; ++k) {
        const int cell = p->load_arrays.cell[k], i = fluid_wrap_column(f, p->i0 + cell % p->ni),
                  j = fluid_wrap_row(f, p->j0 + cell / p->ni);
        f->model->height_field->read_surface(f, j, i, i + 1, &f->solved_surface[p->surface_load.cells[k]]);
    }
}

double uncut_cover_fraction(const struct body_coupling *p)
{
    double cut = 0.0, cover = 0.0;
    for (int n = 0; n < p->surface_load.column_count; ++n) {
        cut += p->surface_load.displaced_slope[n];
        cover += fmin(1.0, (double)p->column_hulls[p->load_arrays.cell[n]].downward_area);
    }
    return cover > 0.0 ? 1.0 - clamp(cut / cover, 0.0, 1.0) : 1.0;
}

// Heave force, roll and pitch torque of the columns for a surface at the plane. The difference to the clipped
// hull is applied as an explicit force (predict_body_loads).
struct column_estimate estimate_column_forces(struct body_coupling *p, const struct fluid *f)
{
    struct surface_load *q = &p->surface_load;
    const double k = f->density * f->gravity * f->grid.dx * f->grid.dx;
    struct column_estimate estimate = {0};
    update_piece_rise(p, f);
    for (int n = 0; n < q->column_count; ++n) {
        const double eta = p->surface_plane.a + p->surface_plane.b * q->x[n] + p->surface_plane.c * q->z[n];
        const double b = k * surface_load_displaced(q, n, eta - piece_rise(q, n), &q->displaced_slope[n]);
        estimate.force[0] += b, estimate.force[1] -= q->z[n] * b, estimate.force[2] += q->x[n] * b;
    }
    estimate.uncut_cover = uncut_cover_fraction(p);
    return estimate;
}

static void heave_roll_pitch_rate(const struct bodies *b, int i, double rates[3])
{
    const vec3 angular_velocity = body_angular_velocity(b, i);
    rates[0] = body_velocity(b, i).y, rates[1] = angular_velocity.x, rates[2] = angular_velocity.z;
}

// Contacts and joints change what water and weight alone would do to a body. Their change in the last substep
// is expected again, limited to what support against gravity needs, since impacts do not repeat. True: the
// body is supported at rest.
static bool predict_support(struct body_coupling *p, const struct fluid *f, const struct bodies *b, int i,
                            double dt, const double rates[3])
{
    const double fall_speed = f->gravity * dt, radius = b->slots[i].body->def.shape->bounding_radius;
    for (int k = 0; k < 3; ++k) {
        const double limit = k ? MAX_SUPPORT * fall_speed / radius : MAX_SUPPORT * fall_speed;
        p->support_rate[k] = p->has_prediction ? clamp(rates[k] - p->predicted_rate[k], -limit, limit) : 0.0;
    }
    return fabs(p->support_rate[0]) > MIN_SUPPORT * fall_speed &&
           fabs(rates[0]) + radius * (fabs(rates[1]) + fabs(rates[2])) < REST_SPEED;
}

void pressure_set_load(struct body_coupling *p, const struct fluid *f, const struct bodies *b, int i,
                       double dt)
{
    struct surface_load *q = &p->surface_load;
    const struct pending_load *d = &p->pending;
    double rates[3];
    heave_roll_pitch_rate(b, i, rates);
    const double free = predict_support(p, f, b, i, dt, rates) ? 0.0 : 1.0;
    for (int k = 0; k < 3; ++k) {
        p->predicted_rate[k] = rates[k] + d->free_motion[heave_roll_pitch[k]];
        q->free_velocity[k] = free * (p->predicted_rate[k] + p->support_rate[k]);
        q->impulse[k] = 0.0;
        for (int n = 0; n < 3; ++n)
            q->mobility[k][n] =
                0.5 * free * (d->mobility[n][heave_roll_pitch[k]] + d->mobility[k][heave_roll_pitch[n]]);
    }
}

void pressure_read_solution(struct body_coupling *p, const struct fluid *f)
{
    for (int k = 0; k < 3; ++k)
        for (int n = 0; n < 3; ++n)
            p->predicted_rate[k] += p->pending.mobility[n][heave_roll_pitch[k]] * p->surface_load.impulse[n];
    p->has_prediction = true;
    store_displaced(p, f);
}
