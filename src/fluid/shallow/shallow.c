// The shallow-water model: depth and velocity on a staggered grid, over any bed, wet and dry. Parameters and
// table of the model; fluid/depth has its state, shallow_step.c the substep.
//
//     h_t + div(h v) = 0,     v_t + v . grad(v) = -g grad(eta) + a - friction,     eta = bed + h
//
// `conservative` is a predictor-corrector of second order after [stelling2003]. The other two schemes of
// advection are semi-Lagrangian, with or without MacCormack correction [selle2008], for visual use:
// advection, then the pressure gradient, then the depth, first order in time. Depths and fluxes are whole
// multiples of a quantum, so volume is conserved exactly (fluid/depth/depth_quantum.c).
#include "shallow.h"

#include "base/error.h"

static const char *const boundary_names[] = {"wall",      "open",      "periodic", "level",
                                             "discharge", "wavemaker", NULL};
static const char *const advection_names[] = {"conservative", "maccormack", "semi-lagrangian", NULL};

#define BOUNDARY_PARAMS(i, name_)                                                                            \
    PARAM_CHOICE(tarn_shallow_def, boundary[i].type, "boundary." name_, TARN_BOUNDARY_WALL, boundary_names,  \
                 "boundary condition"),                                                                      \
        PARAM_OPTIONAL_LIVE(tarn_shallow_def, boundary[i].level, "boundary." name_ ".level", -1e5, 1e5, "m", \
                            "level: y of the surface; discharge: the same, for supercritical inflow"),       \
        PARAM_OPTIONAL_LIVE(tarn_shallow_def, boundary[i].discharge, "boundary." name_ ".discharge", -1e4,   \
                            1e4, "m^2/s", "discharge: inflow per metre of the side; negative: outflow"),     \
        PARAM_OPTIONAL_LIVE(tarn_shallow_def, boundary[i].amplitude, "boundary." name_ ".amplitude", 0, 1e3, \
                            "m", "wavemaker, level: amplitude of waves or tide, half their height"),         \
        PARAM_OPTIONAL_LIVE(tarn_shallow_def, boundary[i].period, "boundary." name_ ".period", 1e-3, 1e6,    \
                            "s", "wavemaker, level: period of waves or tide"),                               \
        PARAM_OPTIONAL_LIVE(tarn_shallow_def, boundary[i].ramp, "boundary." name_ ".ramp", 0, 1e6, "s",      \
                            "level, discharge, wavemaker: time in which the values are reached from rest")

static const tarn_param params[] = {
    PARAM_VEC2(tarn_shallow_def, size, "size", 4, 4, 0.01, 1e6, "m", "length along x and z"),
    PARAM_INT2(tarn_shallow_def, cells, "cells", 128, 128, 4, 32768,
               "number of cells along x and z; cells must be square"),
    PARAM_OPTIONAL(
        tarn_shallow_def, depth, "depth", 0, 1e4, "m",
        "water depth at rest above the lowest point of the bed; 1 if neither depth nor level is given"),
    PARAM_OPTIONAL(tarn_shallow_def, level, "level", -1e5, 1e5, "m",
                   "y of the surface at rest, instead of depth"),
    PARAM_CHOICE(tarn_shallow_def, advection, "advection", TARN_SHALLOW_CONSERVATIVE, advection_names,
                 "advection of momentum: conservative is second order; the others are for visual use"),
    PARAM_LIVE(tarn_shallow_def, manning, "manning", 0, 0, 1, "s/m^(1/3)",
               "Manning's n of the bed: concrete 0.012, sand 0.025, weeds 0.05"),
    PARAM_NUMBER(tarn_shallow_def, max_courant, "max_courant", 0.45, 0.05, 0.65, "",
                 "Courant number of a substep: cells that the fastest signal passes"),
    PARAM_INTEGER(tarn_shallow_def, substeps, "substeps", 0, 0, 100000,
                  "substeps of a world step; 0: as many as `max_courant` requires"),
    PARAM_LIVE(tarn_shallow_def, acceleration.x, "acceleration.x", 0, -1e3, 1e3, "m/s^2",
               "acceleration of the water along x, besides gravity"),
    PARAM_LIVE(tarn_shallow_def, acceleration.y, "acceleration.z", 0, -1e3, 1e3, "m/s^2",
               "acceleration of the water along z, besides gravity"),
    PARAM_LIVE(tarn_shallow_def, shake.amplitude.x, "shake.x", 0, -1e3, 1e3, "m/s^2",
               "amplitude of a sinusoidal acceleration along x, added to acceleration.x"),
    PARAM_LIVE(tarn_shallow_def, shake.amplitude.y, "shake.z", 0, -1e3, 1e3, "m/s^2",
               "amplitude of a sinusoidal acceleration along z, added to acceleration.z"),
    PARAM_NUMBER(tarn_shallow_def, shake.period, "shake.period", 1, 1e-3, 1e6, "s",
                 "period of the sinusoidal acceleration"),
    PARAM_LIVE(tarn_shallow_def, stabilisation.speed, "stabilise.speed", 0, 0, 1, "",
               "limit of the velocity in cells per substep (usual: 0.5); 0: off"),
    PARAM_LIVE(tarn_shallow_def, stabilisation.depth, "stabilise.depth", 0, 0, 100, "",
               "limit of the depth in a flux, in dx^2/(g dt^2) (usual: 2); 0: off"),
    PARAM_LIVE(tarn_shallow_def, stabilisation.overshoot, "stabilise.overshoot", 0, 0, 1, "",
               "fraction of an overshoot at a wave front that is moved ahead (usual: 0.5); 0: off"),
    BOUNDARY_PARAMS(0, "west"),
    BOUNDARY_PARAMS(1, "east"),
    BOUNDARY_PARAMS(2, "south"),
    BOUNDARY_PARAMS(3, "north"),
};

static tarn_result check_boundary(const tarn_shallow_def *d, int i, tarn_error *err)
{
    const tarn_boundary *s = &d->boundary[i];
    const bool wavemaker = s->type == TARN_BOUNDARY_WAVEMAKER,
               oscillates = wavemaker || s->type == TARN_BOUNDARY_LEVEL;
    if (s->type == TARN_BOUNDARY_DISCHARGE && isnan(s->discharge))
        return fail(err, TARN_BAD_INPUT, depth_boundary_keys[i], "a `discharge` boundary needs `discharge`");
    if (wavemaker && (isnan(s->amplitude) || isnan(s->period)))
        return fail(err, TARN_BAD_INPUT, depth_boundary_keys[i],
                    "a `wavemaker` boundary needs `amplitude` and `period`");
    if (oscillates && !isnan(s->amplitude) && isnan(s->period))
        return fail(err, TARN_BAD_INPUT, depth_boundary_keys[i], "`amplitude` needs `period`");
    if (!oscillates && (!isnan(s->amplitude) || !isnan(s->period)))
        return fail(err, TARN_BAD_INPUT, depth_boundary_keys[i],
                    "only `wavemaker` and `level` boundaries have `amplitude` and `period`");
    if (s->type != TARN_BOUNDARY_DISCHARGE && !isnan(s->discharge))
        return fail(err, TARN_BAD_INPUT, depth_boundary_keys[i],
                    "only a `discharge` boundary has `discharge`");
    if (s->type != TARN_BOUNDARY_DISCHARGE && s->type != TARN_BOUNDARY_LEVEL && !isnan(s->level))
        return fail(err, TARN_BAD_INPUT, depth_boundary_keys[i],
                    "only `level` and `discharge` boundaries have `level`");
    if (!oscillates && s->type != TARN_BOUNDARY_DISCHARGE && !isnan(s->ramp))
        return fail(err, TARN_BAD_INPUT, depth_boundary_keys[i],
                    "only `level`, `discharge` and `wavemaker` boundaries have `ramp`");
    return TARN_OK;
}

static tarn_result shallow_check_params(const struct fluid *f, tarn_error *err)
{
    tarn_result r = depth_check(f, err);
    for (int i = 0; i < 4 && r == TARN_OK; ++i) r = check_boundary(shallow_def_of(f), i, err);
    return r;
}

static tarn_result shallow_create(struct fluid *f, const tarn_world_def *def, tarn_error *err)
{
    tarn_result r = shallow_check_params(f, err);
    if (r == TARN_OK) r = depth_create(f, def, sizeof(struct shallow), err);
    if (r != TARN_OK) return r;
    struct shallow *self = f->impl;
    self->kernels = KERNELS_SELECT(shallow_kernels);
    self->h_half = self->depth.scratch[0], self->u_half = self->depth.scratch[1];
    self->v_half = self->depth.scratch[2];
    self->unit_row = memory_alloc(f->memory, (size_t)f->grid.nx + 2, sizeof(float));
    self->row_loaded = memory_alloc(f->memory, (size_t)f->grid.nz + 1, 1);
    self->row_has_wall = memory_alloc(f->memory, (size_t)f->grid.nz + 1, 1);
    if (!self->unit_row || !self->row_loaded || !self->row_has_wall)
        return fail(err, TARN_NO_MEMORY, "cells", "no memory for %d x %d columns", f->grid.nx, f->grid.nz);
    for (int i = 0; i < f->grid.nx + 2; ++i) self->unit_row[i] = 1.0f;
    return shallow_check_discharges(f, err);
}

static void shallow_destroy(struct fluid *f)
{
    struct shallow *self = f->impl;
    if (!self) return;
    memory_free(f->memory, self->unit_row, (size_t)f->grid.nx + 2, sizeof(float));
    memory_free(f->memory, self->row_loaded, (size_t)f->grid.nz + 1, 1);
    memory_free(f->memory, self->row_has_wall, (size_t)f->grid.nz + 1, 1);
    depth_destroy(f);
}

// Between substeps h_next contains the previous depth.
static struct depth_fields shallow_depth_fields(const struct fluid *f)
{
    const struct depth_state *s = f->impl;
    return (struct depth_fields){s->h, s->h_next};
}

// Only the conservative scheme has fluxes, so only it can advect the load head.
static bool advects_depth(const struct fluid *f)
{
    return shallow_def_of(f)->advection == TARN_SHALLOW_CONSERVATIVE;
}

static const struct height_field_momentum shallow_momentum = {
    .depth_fields = shallow_depth_fields,
    .add_face_velocity = depth_add_face_velocity,
};

static const struct height_field_model shallow_height_field = {
    .supports_bed = true,
    .can_fall_dry = true,
    .can_advect_depth = true,
    .advects_depth = advects_depth,
    .is_wet = depth_is_wet,
    .round_depth = depth_round,
    .read_surface = depth_read_surface,
    .read_velocity = depth_read_velocity,
    .read_surface_rate = depth_read_surface_rate,
    .add_water = depth_add_water,
    .momentum = &shallow_momentum,
    .edit = &depth_edit,
};

const struct fluid_model fluid_shallow = {
    .kind = {.category = "fluid",
             .name = "shallow",
             .help = "shallow water over any ground, wet and dry",
             .flags = TARN_MODEL_TERRAIN,
             PARAMS(params)},
    .height_field = &shallow_height_field,
    .adaptive_substep = true,
    .check = shallow_check_params,
    .create = shallow_create,
    .destroy = shallow_destroy,
    .substep_dt = shallow_substep_dt,
    .advance = shallow_advance,
    .update_derived = shallow_update_derived,
    .is_valid = depth_is_valid,
    .compute_totals = depth_compute_totals,
    .stored_field = depth_stored_field,
    .set_face_velocity = depth_set_face_velocity,
    .save = depth_save,
    .load = depth_load,
};
