// The implicit height-field model: shallow water with the surface at the end of a substep as unknown
// [casulli1990]. Parameters, memory and checkpoint.
//
//     V(eta1) = h - dt div(H u1)      u1 = u* - dt g grad(eta1)      V(eta) = max(eta - bed - b(eta), 0)
//
// u* is the advected velocity, H the depth of a face at the start of the substep, b the displacement of a
// column by bodies. Inserting the second equation into the first gives one symmetric positive definite system
// for eta1, linear except for columns that become dry or wet or touch a body: Newton's method [casulli2011].
// A substep may have any length. The depth follows from the fluxes in whole quanta, not from the solution of
// the system, so volume is conserved exactly whatever the error of the solution. Waves shorter than the
// substep are damped by 1/sqrt(1 + W^2) per substep, W = 2 (c dt/dx) |sin(k dx/2)|.
//
// State, bed, quanta and queries are those of `shallow`.
#include "implicit.h"

#include "base/error.h"

static const char *const boundary_names[] = {"wall", "open", "periodic", NULL};
static const char *const solver_names[] = {"multigrid", "cg", "gauss-seidel", "jacobi", NULL};

#define BOUNDARY_PARAMS(i, name_)                                                                   \
    PARAM_CHOICE(tarn_implicit_def, boundary[i], "boundary." name_, TARN_WAVE_WALL, boundary_names, \
                 "boundary condition; open: waves leave")

static const tarn_param params[] = {
    PARAM_VEC2(tarn_implicit_def, size, "size", 4, 4, 1e-4, 1e6, "m", "length along x and z"),
    PARAM_INT2(tarn_implicit_def, cells, "cells", 128, 128, 4, 32768,
               "number of cells along x and z; cells must be square"),
    PARAM_OPTIONAL(
        tarn_implicit_def, depth, "depth", 0, 1e4, "m",
        "water depth at rest above the lowest point of the bed; 1 if neither depth nor level is given"),
    PARAM_OPTIONAL(tarn_implicit_def, level, "level", -1e5, 1e5, "m",
                   "y of the surface at rest, instead of depth"),
    PARAM_INTEGER(tarn_implicit_def, substeps, "substeps", 1, 1, 10000,
                  "substeps of a world step; floating bodies may need more"),
    PARAM_LIVE(tarn_implicit_def, linear_friction, "linear_friction", 0, 0, 1e3, "m/s",
               "linear friction d0: velocity decays at the rate d0/depth"),
    PARAM_LIVE(tarn_implicit_def, damping_per_step, "damping_per_step", 0, 0, 1, "",
               "fraction of velocity removed per world step"),
    PARAM_NUMBER(tarn_implicit_def, surface_tension, "surface_tension", 0, 0, 1e3, "N/m",
                 "surface tension; clean water has 0.073"),
    PARAM_LIVE(tarn_implicit_def, acceleration.x, "acceleration.x", 0, -1e3, 1e3, "m/s^2",
               "acceleration of the water along x, besides gravity"),
    PARAM_LIVE(tarn_implicit_def, acceleration.y, "acceleration.z", 0, -1e3, 1e3, "m/s^2",
               "acceleration of the water along z, besides gravity"),
    PARAM_LIVE(tarn_implicit_def, shake.amplitude.x, "shake.x", 0, -1e3, 1e3, "m/s^2",
               "amplitude of a sinusoidal acceleration along x, added to acceleration.x"),
    PARAM_LIVE(tarn_implicit_def, shake.amplitude.y, "shake.z", 0, -1e3, 1e3, "m/s^2",
               "amplitude of a sinusoidal acceleration along z, added to acceleration.z"),
    PARAM_NUMBER(tarn_implicit_def, shake.period, "shake.period", 1, 1e-3, 1e6, "s",
                 "period of the sinusoidal acceleration"),
    PARAM_CHOICE(tarn_implicit_def, solver.type, "solver", 0, solver_names,
                 "linear solver; jacobi and gauss-seidel make `iterations` sweeps, for comparison"),
    PARAM_NUMBER(tarn_implicit_def, solver.tolerance, "solver.tolerance", 1e-6, 1e-12, 0.5, "",
                 "relative residual tolerance"),
    PARAM_INTEGER(tarn_implicit_def, solver.iterations, "solver.iterations", 0, 0, 100000,
                  "maximum number of iterations; 0: default of the solver"),
    BOUNDARY_PARAMS(0, "west"),
    BOUNDARY_PARAMS(1, "east"),
    BOUNDARY_PARAMS(2, "south"),
    BOUNDARY_PARAMS(3, "north"),
};

enum { CACHE_SLOT = 6 + DEPTH_BUFFERS }; // of the first of the following fields

static bool alloc_fields(const struct fluid *f, struct implicit *self, bool has_tension)
{
    float **const fields[] = {&self->alpha,     &self->beta_x,    &self->beta_z,
                              &self->tension_x, &self->tension_z, &self->tension_alpha};
    double **const vectors[] = {&self->eta,         &self->displaced, &self->displaced_slope, &self->residual,
                                &self->newton_step, &self->head,      &self->first_factor};
    bool ok = true;
    for (int i = 0; i < (has_tension ? 6 : 3); ++i)
        ok = (*fields[i] = grid_alloc_field(&f->grid, f->memory, CACHE_SLOT + i)) && ok;
    for (int i = 0; i < (has_tension ? 7 : 5); ++i)
        ok = (*vectors[i] = linear_alloc_vector(&f->grid, f->memory)) && ok;
    self->row_reduction = memory_alloc(f->memory, (size_t)f->grid.nz + 1, sizeof *self->row_reduction);
    self->explicit_flux_x = self->depth.scratch[1];
    self->explicit_flux_z = self->depth.scratch[2];
    self->outflow_limiter = self->depth.scratch[0];
    return ok && self->row_reduction;
}

static void free_fields(const struct fluid *f, struct implicit *self)
{
    float *const fields[] = {self->alpha,     self->beta_x,    self->beta_z,
                             self->tension_x, self->tension_z, self->tension_alpha};
    double *const vectors[] = {self->eta,         self->displaced, self->displaced_slope, self->residual,
                               self->newton_step, self->head,      self->first_factor};
    for (int i = 0; i < 6; ++i) grid_free_field(&f->grid, f->memory, fields[i], CACHE_SLOT + i);
    for (int i = 0; i < 7; ++i) linear_free_vector(&f->grid, f->memory, vectors[i]);
    memory_free(f->memory, self->row_reduction, (size_t)f->grid.nz + 1, sizeof *self->row_reduction);
}

static bool create_solvers(const struct fluid *f, struct implicit *self, bool has_tension)
{
    self->solver_kind = linear_kind_find(solver_names[implicit_def_of(f)->solver.type]);
    self->surface_solver = linear_create(f->memory, f->parallel, self->solver_kind, &f->grid);
    if (!self->surface_solver || !has_tension) return self->surface_solver;
    self->tension_solver = linear_create(f->memory, f->parallel, self->solver_kind, &f->grid);
    return self->tension_solver;
}

static tarn_result implicit_create(struct fluid *f, const tarn_world_def *def, tarn_error *err)
{
    tarn_result r = depth_check(f, err);
    if (r == TARN_OK) r = depth_create(f, def, sizeof(struct implicit), err);
    if (r != TARN_OK) return r;
    struct implicit *self = f->impl;
    const bool has_tension = implicit_def_of(f)->surface_tension > 0.0;
    self->kernels = KERNELS_SELECT(implicit_kernels);
    if (alloc_fields(f, self, has_tension) && create_solvers(f, self, has_tension)) return TARN_OK;
    return fail(err, TARN_NO_MEMORY, "cells", "no memory for %d x %d columns", f->grid.nx, f->grid.nz);
}

static void implicit_destroy(struct fluid *f)
{
    struct implicit *self = f->impl;
    if (!self) return;
    linear_destroy(self->surface_solver);
    linear_destroy(self->tension_solver);
    free_fields(f, self);
    depth_destroy(f);
}

// Bodies exchange momentum with the depths at the end of a substep, like the pressure gradient.
static struct depth_fields implicit_depth_fields(const struct fluid *f)
{
    const struct depth_state *s = f->impl;
    return (struct depth_fields){s->h, s->h};
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
    const uint32_t has_surface = load_u32(l);
    if (has_surface == 0) { // of an earlier state
        grid_free_field(&f->grid, f->memory, f->solved_surface, 3);
        f->solved_surface = NULL;
        return true;
    }
    if (has_surface != 1) return false;
    l->out_of_memory = !fluid_reserve_loads(f, 0);
    return !l->out_of_memory && depth_load_rows(l, &f->grid, f->solved_surface, f->grid.nx, f->grid.nz);
}

static const struct height_field_momentum implicit_momentum = {
    .depth_fields = implicit_depth_fields,
    .add_face_velocity = depth_add_face_velocity,
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
    .edit = &depth_edit,
};

const struct fluid_model fluid_implicit = {
    .kind = {.category = "fluid",
             .name = "implicit",
             .help = "shallow water with steps of any length, thin water, surface tension",
             .flags = TARN_MODEL_TERRAIN,
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
    .stored_field = depth_stored_field,
    .set_face_velocity = depth_set_face_velocity,
    .save = implicit_save,
    .load = implicit_load,
};
