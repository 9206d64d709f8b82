// Water and bodies in one system: what presses on a model that solves for it (fluid.h: presser).
//
// The model is told which pieces of a body stand over which column, how fast the body would rise and tilt without its
// pressure, and how it yields to an impulse. It finds the surface, the impulse and what the body fills of every column
// together. So the water feels all that a body displaces, no body is too light, and water that has to be moved for a body to
// heave is in the system: there is no added mass for that but where a body is under water altogether.
#include "coupling.h"

#define MAX_SUPPORT 2.0  // [g] that contacts may be expected to give again
#define MIN_SUPPORT 0.05 // [g] from which on something is held
#define REST_SPEED  0.1  // [m/s] slower is at rest

static const int heave_roll_pitch[3] = {1, 3, 5}; // heave, roll and pitch among all six

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

// The pieces column by column. Beyond the grid there is no column to press on.
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

// How far each point has risen since the pieces were made, about the body's centre of now.
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

// A column holds no less than nothing: what is in the ground does not count.
static void store_displaced(struct body_coupling *p, const struct fluid *f)
{
    float *filled = p->columns.displaced_smooth;
    for (int k = 0; k < p->ni * p->nj; ++k) filled[k] = 0.0f;
    p->is_wet = false;
    for (int k = 0; k < p->surface_load.column_count && !p->has_no_water; ++k) {
        const size_t at = p->surface_load.cells[k];
        const double b =
            fmax(0.0, fmin(p->surface_load.displaced[k], (double)f->solved_surface[at] - (double)f->bed[at]));
        filled[p->load_arrays.cell[k]] = (float)b;
        p->is_wet = p->is_wet || b > 0.0;
    }
}

// What the body fills of every column, the surface being as it was found last.
void pressure_evaluate_displaced(struct body_coupling *p, const struct fluid *f)
{
    struct surface_load *q = &p->surface_load;
    update_piece_rise(p, f);
    for (int k = 0; k < q->column_count; ++k)
        q->displaced[k] = surface_load_displaced(
            q, k, (double)f->solved_surface[q->cells[k]] - piece_rise(q, k), &q->displaced_slope[k]);
    store_displaced(p, f);
}

// Under a body that is put in the surface is where it was without it.
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

// What the columns would give at the plane of the surface: force up and torques about x and z. The hull that is cut there
// knows better; what it says more is added.
struct column_estimate estimate_column_forces(struct body_coupling *p, const struct fluid *f)
{
    struct surface_load *q = &p->surface_load;
    const double k = f->density * f->gravity * f->grid.dx * f->grid.dx;
    struct column_estimate say = {0};
    update_piece_rise(p, f);
    for (int n = 0; n < q->column_count; ++n) {
        const double eta = p->surface_plane.a + p->surface_plane.b * q->x[n] + p->surface_plane.c * q->z[n];
        const double b = k * surface_load_displaced(q, n, eta - piece_rise(q, n), &q->displaced_slope[n]);
        say.force[0] += b, say.force[1] -= q->z[n] * b, say.force[2] += q->x[n] * b;
    }
    say.uncut_cover = uncut_cover_fraction(p);
    return say;
}

static void heave_roll_pitch_rate(const struct bodies *b, int i, double w[3])
{
    const vec3 spin = body_angular_velocity(b, i);
    w[0] = body_velocity(b, i).y, w[1] = spin.x, w[2] = spin.z;
}

// A body that stands on the ground, or hangs on something, does not do what the water and its weight alone would make it
// do. What held it last is expected to hold it again, as far as that is no more than rest needs: a blow is not. True: it
// is held at rest.
static bool predict_support(struct body_coupling *p, const struct fluid *f, const struct bodies *b, int i,
                            double dt, const double w[3])
{
    const double most = f->gravity * dt, radius = b->slots[i].body->geometry->bounding_radius;
    for (int k = 0; k < 3; ++k) {
        const double limit = k ? MAX_SUPPORT * most / radius : MAX_SUPPORT * most;
        p->support_rate[k] = p->has_prediction ? clamp(w[k] - p->predicted_rate[k], -limit, limit) : 0.0;
    }
    return fabs(p->support_rate[0]) > MIN_SUPPORT * most &&
           fabs(w[0]) + radius * (fabs(w[1]) + fabs(w[2])) < REST_SPEED;
}

void pressure_set_load(struct body_coupling *p, const struct fluid *f, const struct bodies *b, int i,
                       double dt)
{
    struct surface_load *q = &p->surface_load;
    const struct pending_load *d = &p->pending;
    double w[3];
    heave_roll_pitch_rate(b, i, w);
    const double free = predict_support(p, f, b, i, dt, w) ? 0.0 : 1.0;
    for (int k = 0; k < 3; ++k) {
        p->predicted_rate[k] = w[k] + d->free_motion[heave_roll_pitch[k]];
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
