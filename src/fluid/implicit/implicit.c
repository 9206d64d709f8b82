// The implicit height field: shallow water whose surface at the end of a step is found together with what moves it.
//
//     V(eta1) = h - dt div(H u1),     u1 = u* - dt g grad(eta1),     V(eta) = max(eta - bed - b(eta), 0)
//
// u* is the speed that the water brings along, H the depth of a face at the start of the step, b what is filled of a
// column by what presses on it. With the second put into the first that is one system for eta1: symmetric, positive, and
// linear but for columns that fall dry, get wet or are pressed on; Newton's method finds those (Casulli & Stelling 2011).
// So steps may be of any length. Depth then follows from what passes the faces, in whole quanta, never from the
// solver's iterate: volume is exact whatever the solver left undone. Waves shorter than the steps are damped, by
// 1/sqrt(1 + W^2) a step, W = 2 (c dt/dx) |sin(k dx/2)|.
//
// Fields, bed, quanta and all that is no step are those of `shallow`.
#include "implicit.h"

#include "base/error.h"

static const char *const boundary_names[] = {"wall", "open", "periodic", NULL};
static const char *const solver_names[] = {"multigrid", "cg", "gauss-seidel", "jacobi", NULL};

#define BOUNDARY_PARAMS(i, name_)                                                                            \
    PARAM_CHOICE(struct implicit_def, depth.boundary[i].kind, "sides." name_, BOUNDARY_WALL, boundary_names, \
                 "what the water meets there; open: waves go out")

static const tarn_param params[] = {
    PARAM_VEC2(struct implicit_def, depth.size, "size", 4, 4, 1e-4, 1e6, "m", "length along x and z"),
    PARAM_INT2(struct implicit_def, depth.cells, "cells", 128, 128, 4, 32768,
               "columns along x and z; they must be square"),
    PARAM_OPTIONAL(struct implicit_def, depth.depth, "depth", 0, 1e4, "m",
                   "of the water at rest over the lowest point of the bed; neither this nor level: 1"),
    PARAM_OPTIONAL(struct implicit_def, depth.level, "level", -1e5, 1e5, "m",
                   "y of the surface at rest, instead of depth"),
    PARAM_INTEGER(struct implicit_def, depth.substeps, "steps", 1, 1, 10000,
                  "inner steps in a world step; what floats may ask for more"),
    PARAM_LIVE(struct implicit_def, drag_velocity, "d0", 0, 0, 1e3, "m/s",
               "friction: in a second the water loses d0/depth of its speed"),
    PARAM_LIVE(struct implicit_def, damping_fraction, "tau", 0, 0, 1, "",
               "part of its speed that the water loses in a world step"),
    PARAM_NUMBER(struct implicit_def, tension, "gamma", 0, 0, 1e3, "N/m",
                 "surface tension; of clean water 0.073"),
    PARAM_LIVE(struct implicit_def, depth.acceleration[0], "acceleration.x", 0, -1e3, 1e3, "m/s^2",
               "that the water feels besides gravity"),
    PARAM_LIVE(struct implicit_def, depth.acceleration[1], "acceleration.z", 0, -1e3, 1e3, "m/s^2",
               "likewise"),
    PARAM_LIVE(struct implicit_def, depth.shake_amplitude[0], "shake.x", 0, -1e3, 1e3, "m/s^2",
               "a sine in time added to acceleration.x"),
    PARAM_LIVE(struct implicit_def, depth.shake_amplitude[1], "shake.z", 0, -1e3, 1e3, "m/s^2", "likewise"),
    PARAM_NUMBER(struct implicit_def, depth.shake_period, "shake.period", 1, 1e-3, 1e6, "s", "of that sine"),
    PARAM_CHOICE(struct implicit_def, solver, "solver", 0, solver_names,
                 "of the linear systems; jacobi and gauss-seidel make `iterations` sweeps, for comparison"),
    PARAM_NUMBER(struct implicit_def, tolerance, "solver.tolerance", 1e-6, 1e-12, 0.5, "",
                 "of what a step changes, what may be left undone"),
    PARAM_INTEGER(struct implicit_def, max_iterations, "solver.iterations", 0, 0, 100000,
                  "at most; 0: as many as the kind thinks right"),
    BOUNDARY_PARAMS(0, "west"),
    BOUNDARY_PARAMS(1, "east"),
    BOUNDARY_PARAMS(2, "south"),
    BOUNDARY_PARAMS(3, "north"),
};

static tarn_result implicit_create(struct fluid *f, const tarn_world_def *def, tarn_error *err)
{
    tarn_result r = depth_check(f, err);
    if (r == TARN_OK) r = depth_create(f, def, sizeof(struct implicit), err);
    if (r != TARN_OK) return r;
    struct implicit *self = f->impl;
    bool all = true;
    self->kernels = KERNELS_SELECT(implicit_kernels);
    const bool tense = implicit_def_of(f)->tension > 0.0;
    for (int i = 0; i < (tense ? IMPLICIT_FIELDS : 3); ++i)
        all = (self->own[i] = grid_alloc_field(&f->grid, f->memory, i + 6 + SHALLOW_BUFFERS)) && all;
    for (int i = 0; i < IMPLICIT_VECTORS - !tense; ++i)
        all = (self->vector[i] = linear_alloc_vector(&f->grid, f->memory)) && all;
    self->row_reduction = memory_alloc(f->memory, (size_t)f->grid.nz + 1, sizeof *self->row_reduction);
    self->solver_kind = linear_kind_find(solver_names[implicit_def_of(f)->solver]);
    self->surface_solver = all ? linear_create(f->memory, f->parallel, self->solver_kind, &f->grid) : NULL;
    if (self->surface_solver && tense)
        self->tension_solver = linear_create(f->memory, f->parallel, self->solver_kind, &f->grid);
    if (self->surface_solver && self->row_reduction && !tense == !self->tension_solver) return TARN_OK;
    return fail(err, TARN_NO_MEMORY, "cells", "no memory for %d x %d columns", f->grid.nx, f->grid.nz);
}

static void implicit_destroy(struct fluid *f)
{
    struct implicit *self = f->impl;
    if (!self) return;
    linear_destroy(self->surface_solver);
    linear_destroy(self->tension_solver);
    memory_free(f->memory, self->row_reduction, (size_t)f->grid.nz + 1, sizeof *self->row_reduction);
    for (int i = 0; i < IMPLICIT_VECTORS; ++i) linear_free_vector(&f->grid, f->memory, self->vector[i]);
    for (int i = 0; i < IMPLICIT_FIELDS; ++i)
        grid_free_field(&f->grid, f->memory, self->own[i], i + 6 + SHALLOW_BUFFERS);
    depth_destroy(f);
}

// Pressures act with the depths at the end of a step.
static float implicit_read_depth(const struct fluid *f, int i, int j, float *mean)
{
    return *mean = ((const struct shallow *)f->impl)->h[grid_at(&f->grid, i, j)];
}

static void implicit_save(struct saver *s, const struct fluid *f)
{
    depth_save(s, f);
    save_u32(s, f->solved_surface != NULL);
    for (int j = 0; f->solved_surface && j < f->grid.nz; ++j)
        save_f32s(s, f->solved_surface + grid_at(&f->grid, 0, j), (size_t)f->grid.nx);
}

static bool implicit_load(struct loader *l, struct fluid *f)
{
    if (!depth_load(l, f)) return false;
    const uint32_t pressed = load_u32(l);
    if (pressed == 0) return true;
    if (pressed != 1) return false;
    l->out_of_memory = !fluid_reserve_loads(f, 0);
    return !l->out_of_memory && depth_load_rows(l, &f->grid, f->solved_surface, f->grid.nx, f->grid.nz);
}

static const struct height_field_momentum implicit_momentum = {
    .read_depth = implicit_read_depth,
    .add_face_velocity = depth_add_face_velocity,
};

static const struct height_field_edit implicit_edit = {
    .raise_bed = depth_raise_bed,
    .set_columns = depth_set_columns,
};

static const struct height_field_model implicit_height_field = {
    .supports_bed = true,
    .can_fall_dry = true,
    .solves_loads = true,
    .advects_depth = height_field_never_advects,
    .is_wet = depth_is_wet,
    .round_depth = depth_round,
    .read_surface = depth_read_surface,
    .read_velocity = depth_read_velocity,
    .read_surface_rate = depth_read_surface_rate,
    .add_water = depth_add_water,
    .momentum = &implicit_momentum,
    .edit = &implicit_edit,
};

const struct fluid_model fluid_implicit = {
    .kind = {.room = "fluid",
             .name = "implicit",
             .help = "shallow water with steps of any length, thin water, surface tension",
             PARAMS(params)},
    .height_field = &implicit_height_field,
    .adaptive_substep = true,
    .check = depth_check,
    .create = implicit_create,
    .destroy = implicit_destroy,
    .substep_dt = implicit_substep_dt,
    .advance = implicit_advance,
    .update_derived = depth_update_derived,
    .is_valid = depth_is_valid,
    .compute_totals = depth_compute_totals,
    .save = implicit_save,
    .load = implicit_load,
};
