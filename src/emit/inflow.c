// An inflow or a drain: a volume of water per second in a disc or a box of a height field.
//
// The volume of a step is divided among the cells of the region by the area that it covers of each. What
// rounding to the depths of the model adds or leaves out is carried to the next cell, and from the last cell
// to the next step, so that the volume after any time is rate times time, up to the rounding of one cell. A
// drain takes from wet cells only, and from each at most what is there.
#include "base/error.h"
#include "base/math/math.h"
#include "emitter.h"
#include "region.h"

static const tarn_param params[] = {
    PARAM_CHOICE(tarn_inflow, shape, "shape", TARN_SOURCE_DISC, emitter_shape_names, "shape of the region"),
    PARAM_VEC2(tarn_inflow, position, "position", 0, 0, -1e6, 1e6, "m", "x and z of the centre"),
    PARAM_NUMBER(tarn_inflow, radius, "radius", 0.5, 1e-6, 1e6, "m", "radius of a disc"),
    PARAM_VEC2(tarn_inflow, size, "size", 1, 1, 1e-6, 1e6, "m", "lengths of a box along x and z"),
    PARAM_LIVE(tarn_inflow, rate, "rate", 0.1, -1e6, 1e6, "m^3/s",
               "volume of water per second; negative: a drain, which takes at most what is there"),
    PARAM_FLAG(tarn_inflow, set_velocity, "set_velocity", 0,
               "shallow, implicit: the water comes with `velocity`; otherwise with that of the water there"),
    PARAM_LIVE_VEC2(tarn_inflow, velocity, "velocity", 0, 0, -1e3, 1e3, "m/s",
                    "velocity of the inflow along x and z"),
    PARAM_NUMBER(tarn_inflow, start, "start", 0, 0, 1e9, "s", "start time"),
    PARAM_NUMBER(tarn_inflow, end, "end", 1e9, 0, 1e9, "s", "end time"),
};

static tarn_result check_inflow(const void *def, const struct fluid *f, tarn_error *err)
{
    const tarn_inflow *d = def;
    if (d->set_velocity && !f->model->height_field->momentum)
        return fail(err, TARN_BAD_INPUT, "set_velocity", "water of the model '%s' arrives without a velocity",
                    f->model->kind.name);
    if (fluid_contains(f, d->position.x, d->position.y)) return TARN_OK;
    return fail(err, TARN_BAD_INPUT, "position", "(%.6g, %.6g) m is outside the domain", d->position.x,
                d->position.y);
}

// ---- the region -----------------------------------------------------------------------------------------

// A cell of the region.
struct inflow_cell {
    int i, j;      // column and row in the grid
    double weight; // covered fraction
};

// What all cells of a step share.
struct inflow {
    struct fluid *f;
    struct emitter *emitter;
    const tarn_inflow *def;
    double weight_sum, depth; // [m] depth that all cells together receive, without the carried part
};

typedef void (*cell_fn)(struct inflow *in, const struct inflow_cell *cell);

// [m] Water of a cell, without what bodies displace.
static double water_depth(const struct fluid *f, int i, int j)
{
    const struct stored_field s = f->model->stored_field(f, TARN_FIELD_DEPTH);
    return s.offset + s.scale * (double)s.values[grid_at(&f->grid, i, j) - f->grid.origin];
}

static void visit_cells(struct inflow *in, cell_fn visit)
{
    const tarn_inflow *d = in->def;
    const struct fluid *f = in->f;
    const struct emitter_region region = {d->shape, d->position, d->radius, d->size};
    const struct cell_rect r = emitter_region_cells(&region, f, true);
    for (int j = r.j0; j < r.j1; ++j)
        for (int i = r.i0; i < r.i1; ++i) {
            const struct inflow_cell cell = {fluid_wrap_column(f, i), fluid_wrap_row(f, j),
                                             emitter_region_coverage(&region, grid_cell_x(&f->grid, i),
                                                                     grid_cell_z(&f->grid, j), f->grid.dx)};
            const bool takes_part = d->rate > 0.0 || f->model->height_field->is_wet(f, cell.i, cell.j);
            if (cell.weight > 0.0 && takes_part) visit(in, &cell);
        }
}

static void add_weight(struct inflow *in, const struct inflow_cell *cell) { in->weight_sum += cell->weight; }

// ---- water ----------------------------------------------------------------------------------------------

// The water between this cell and its neighbour on the west (axis 0) or south (axis 1) side has gained half
// of the depth `added`, which moves with the velocity of the inflow.
static void mix_velocity(const struct inflow *in, int i, int j, int axis, double added)
{
    struct fluid *f = in->f;
    const struct height_field_momentum *momentum = f->model->height_field->momentum;
    i = fluid_wrap_column(f, i), j = fluid_wrap_row(f, j);
    const int before_i = fluid_wrap_column(f, i - (axis == 0)), before_j = fluid_wrap_row(f, j - (axis == 1));
    if (i < 0 || j < 0 || before_i < 0 || before_j < 0) return; // a face at a boundary follows its condition
    const double depth = 0.5 * ((double)fluid_depth(f, before_i, before_j) + (double)fluid_depth(f, i, j));
    const struct stored_field faces =
        f->model->stored_field(f, axis ? TARN_FIELD_FACE_VELOCITY_Z : TARN_FIELD_FACE_VELOCITY_X);
    const double u = faces.values[grid_at(&f->grid, i, j) - f->grid.origin],
                 wanted = axis ? in->def->velocity.y : in->def->velocity.x;
    if (depth > f->dry_depth)
        momentum->add_face_velocity(f, i, j, axis, (float)(0.5 * added / depth * (wanted - u)), INFINITY);
}

static void add_to_cell(struct inflow *in, const struct inflow_cell *cell)
{
    struct fluid *f = in->f;
    double *carried = &in->emitter->pending_drops;
    const double wanted = in->depth * cell->weight / in->weight_sum + *carried,
                 present = water_depth(f, cell->i, cell->j);
    const bool is_emptied = wanted < -fmax(present, 0.0);
    const float depth = (float)(is_emptied ? -fmax(present, 0.0) : wanted);
    const double added = f->model->height_field->add_water(f, cell->j, cell->i, cell->i + 1, &depth, NULL);
    f->emitted_depth += added;
    *carried = is_emptied ? 0.0 : wanted - added; // a cell that is empty owes nothing
    if (!in->def->set_velocity || !(added > 0.0)) return;
    for (int axis = 0; axis < 2; ++axis)
        for (int side = 0; side < 2; ++side)
            mix_velocity(in, cell->i + (axis == 0 ? side : 0), cell->j + (axis == 1 ? side : 0), axis, added);
}

static void emit_inflow(struct emitter *e, const struct time_interval *now, struct fluid *f)
{
    const tarn_inflow *d = &e->def.inflow;
    const double active = fmin(now->time + now->dt, d->end) - fmax(now->time, d->start);
    struct inflow in = {.f = f, .emitter = e, .def = d};
    if (!(active > 0.0) || d->rate == 0.0) return;
    in.depth = d->rate * active / (f->grid.dx * f->grid.dx);
    visit_cells(&in, add_weight);
    if (in.weight_sum > 0.0) {
        visit_cells(&in, add_to_cell);
        return;
    }
    // The region lies between the points of a cell: all water goes to the cell at its centre.
    const int i = (int)clamp(floor((d->position.x - f->grid.x0) / f->grid.dx), 0, f->grid.nx - 1),
              j = (int)clamp(floor((d->position.y - f->grid.z0) / f->grid.dx), 0, f->grid.nz - 1);
    in.weight_sum = 1.0;
    if (d->rate > 0.0 || f->model->height_field->is_wet(f, i, j))
        add_to_cell(&in, &(struct inflow_cell){i, j, 1.0});
}

const struct emitter_kind emitter_inflow = {
    .kind = {.category = "emitter",
             .name = "inflow",
             .help = "water that flows in, or out through a drain, at a constant rate",
             PARAMS(params)},
    .carries_rounding = true,
    .check = check_inflow,
    .emit = emit_inflow,
};
