// The wave model: linear long waves with one wave speed c, in the velocity-potential form.
//
// State per column: water content w, the deviation of the depth from rest, and the potential phi,
//
//     phi_t = h - level - damping phi,   w_t = c^2 lap(phi) + D lap(w)
//     h = level + mean_rise + w + load_head
//
// The time scheme is a leapfrog: phi first, then w with the new phi (wave_step.c). This is the usual
// "acceleration from the differences of heights" written so that volume is conserved by construction. The
// velocity of the water is -(c^2/level) grad(phi). The substep is a fixed fraction of the world step.
//
// This file has the parameters, creation, queries, edits and the checkpoint.
#include "wave.h"

#include "base/error.h"
#include "base/math/math.h"
#include "base/parallel/sum.h"

#include <string.h>

static const char *const boundary_names[] = {"wall", "open", "periodic", NULL};

#define BOUNDARY_PARAMS(index, name_)                                                               \
    PARAM_CHOICE(tarn_wave_def, boundary[index], "boundary." name_, TARN_WAVE_WALL, boundary_names, \
                 "boundary condition")
static const tarn_param params[] = {
    PARAM_VEC2(tarn_wave_def, size, "size", 4, 4, 0.01, 1e6, "m", "length along x and z"),
    PARAM_INT2(tarn_wave_def, cells, "cells", 128, 128, 4, 32768,
               "number of cells along x and z; cells must be square"),
    PARAM_NUMBER(tarn_wave_def, depth, "depth", 1, 1e-3, 1e4, "m", "water depth at rest"),
    PARAM_NUMBER(tarn_wave_def, wave_speed, "wave_speed", 0, 0, 1e4, "m/s",
                 "speed of long waves; 0: sqrt(gravity depth)"),
    PARAM_LIVE(tarn_wave_def, damping, "damping", 0, 0, 100, "1/s", "damping rate of velocities"),
    PARAM_LIVE(tarn_wave_def, diffusion, "diffusion", 1e-4, 0, 1, "m^2/s",
               "diffusion coefficient of the surface"),
    BOUNDARY_PARAMS(0, "west"),
    BOUNDARY_PARAMS(1, "east"),
    BOUNDARY_PARAMS(2, "south"),
    BOUNDARY_PARAMS(3, "north"),
};

static tarn_result wave_check(const struct fluid *f, tarn_error *err)
{
    const tarn_wave_def *d = wave_def_of(f);
    const tarn_result r = fluid_check_square_cells(d->size, d->cells, err);
    if (r != TARN_OK) return r;
    for (int i = 0; i < 4; i += 2)
        if ((d->boundary[i] == TARN_WAVE_PERIODIC) != (d->boundary[i + 1] == TARN_WAVE_PERIODIC))
            return fail(err, TARN_BAD_INPUT, i ? "boundary.south" : "boundary.west",
                        "a periodic side needs a periodic opposite side");
    return TARN_OK;
}

static tarn_result wave_create(struct fluid *f, const tarn_world_def *def, tarn_error *err)
{
    (void)def; // the bed is flat
    const tarn_wave_def *d = wave_def_of(f);
    const tarn_result r = wave_check(f, err);
    if (r != TARN_OK) return r;
    if (!grid_init(&f->grid, d->cells[0], d->cells[1], d->size.x / d->cells[0]))
        return fail(err, TARN_BAD_INPUT, "cells", "a grid of %d x %d cells is too large", d->cells[0],
                    d->cells[1]);
    f->rest_level = d->depth;
    f->rest_wave_speed = d->wave_speed > 0.0 ? d->wave_speed : sqrt(f->gravity * d->depth);
    f->max_signal_speed = f->rest_wave_speed;
    if (f->rest_wave_speed < 1e-4)
        return fail(err, TARN_BAD_INPUT, "speed", "%.3g m/s is below 1e-4", f->rest_wave_speed);
    f->periodic_x = d->boundary[0] == TARN_WAVE_PERIODIC;
    f->periodic_z = d->boundary[2] == TARN_WAVE_PERIODIC;
    f->is_closed = true;
    for (int i = 0; i < 4; ++i) {
        f->is_wall[i] = d->boundary[i] == TARN_WAVE_WALL;
        f->is_closed = f->is_closed && d->boundary[i] != TARN_WAVE_OPEN;
    }
    // More than a million substeps are taken for a wrong unit.
    if (f->world_dt / wave_max_stable_dt(f) > 1e6)
        return fail(err, TARN_BAD_INPUT, "speed",
                    "%.6g m/s needs more than a million substeps of %.3g s per world step",
                    f->rest_wave_speed, wave_max_stable_dt(f));

    struct wave *self = f->impl = memory_alloc(f->memory, 1, sizeof *self);
    if (!self) return fail(err, TARN_NO_MEMORY, "", "no memory for the wave model");
    self->kernels = KERNELS_SELECT(wave_kernels);
    self->row_outflow = memory_alloc(f->memory, 2 * (size_t)f->grid.nz, sizeof(double));
    bool ok = self->row_outflow != NULL;
    for (int i = 0; i < WAVE_BUFFERS; ++i)
        ok = (self->buffers[i] = grid_alloc_field(&f->grid, f->memory, i)) != NULL && ok;
    if (!ok)
        return fail(err, TARN_NO_MEMORY, "cells", "no memory for %d x %d cells", d->cells[0], d->cells[1]);
    self->row_invalid = self->row_outflow + f->grid.nz;
    self->phi = self->buffers[0], self->w = self->buffers[1];
    self->phi_next = self->buffers[2], self->w_next = self->buffers[3];
    return TARN_OK;
}

static void wave_destroy(struct fluid *f)
{
    struct wave *self = f->impl;
    if (!self) return;
    for (int i = 0; i < WAVE_BUFFERS; ++i) grid_free_field(&f->grid, f->memory, self->buffers[i], i);
    memory_free(f->memory, self->row_outflow, 2 * (size_t)f->grid.nz, sizeof(double));
    memory_free(f->memory, self, 1, sizeof *self);
    f->impl = NULL;
}

static void check_finite_pass(void *ctx, int j0, int j1)
{
    const struct fluid *f = ctx;
    const struct wave *self = f->impl;
    for (int j = j0; j < j1; ++j)
        self->row_invalid[j] = self->kernels->has_nonfinite(&f->grid, self->w, j, j + 1);
}

// Only w is checked: a value of phi that is not finite makes w so in the same substep.
static bool wave_is_valid(const struct fluid *f)
{
    const struct wave *self = f->impl;
    double invalid = 0.0;
    parallel_for_rows(f->parallel, f->grid.nz, grid_block_rows(&f->grid), check_finite_pass, (void *)f);
    for (int j = 0; j < f->grid.nz; ++j) invalid += self->row_invalid[j];
    return invalid == 0.0;
}

static void wave_read_surface(const struct fluid *f, int j, int i0, int i1, float *out)
{
    const struct wave *self = f->impl;
    const size_t c = grid_at(&f->grid, i0, j);
    const float rise = (float)f->mean_rise;
    for (int i = 0; i < i1 - i0; ++i) out[i] = rise + self->w[c + (size_t)i];
    if (!f->load_head) return;
    for (int i = 0; i < i1 - i0; ++i) out[i] += f->load_head[c + (size_t)i];
}

// phi of a cell. Indices outside the domain wrap at periodic boundaries and otherwise mean the nearest cell.
static double phi_at(const struct fluid *f, int i, int j)
{
    const struct wave *self = f->impl;
    const int ci = f->periodic_x ? fluid_wrap_column(f, i) : imax(0, imin(f->grid.nx - 1, i));
    const int cj = f->periodic_z ? fluid_wrap_row(f, j) : imax(0, imin(f->grid.nz - 1, j));
    return self->phi[grid_at(&f->grid, ci, cj)];
}

// phi of the neighbours of a cell.
struct neighbours {
    double west, east, south, north;
};

static inline struct neighbours read_neighbours(const struct fluid *f, int i, int j, bool interior)
{
    if (interior) {
        const float *p = ((const struct wave *)f->impl)->phi + grid_at(&f->grid, i, j);
        return (struct neighbours){p[-1], p[1], *(p - f->grid.stride), p[f->grid.stride]};
    }
    return (struct neighbours){phi_at(f, i - 1, j), phi_at(f, i + 1, j), phi_at(f, i, j - 1),
                               phi_at(f, i, j + 1)};
}

// Whether no cell i0 .. i1-1 of row j is next to a boundary.
static bool is_interior_run(const struct fluid *f, int j, int i0, int i1)
{
    return 0 < i0 && i1 < f->grid.nx && 0 < j && j + 1 < f->grid.nz;
}

static void wave_read_velocity(const struct fluid *f, int j, int i0, int i1, float *u, float *v)
{
    const double scale = -f->rest_wave_speed * f->rest_wave_speed / (f->rest_level * 2.0 * f->grid.dx);
    const bool interior = is_interior_run(f, j, i0, i1);
    for (int i = i0; i < i1; ++i) {
        const struct neighbours p = read_neighbours(f, i, j, interior);
        u[i - i0] = (float)(scale * (p.east - p.west));
        v[i - i0] = (float)(scale * (p.north - p.south));
    }
}

static void wave_read_surface_rate(const struct fluid *f, int j, int i0, int i1, double *out)
{
    const double scale = f->rest_wave_speed * f->rest_wave_speed / (f->grid.dx * f->grid.dx);
    const float *phi = ((const struct wave *)f->impl)->phi + grid_at(&f->grid, i0, j);
    const bool interior = is_interior_run(f, j, i0, i1);
    for (int i = i0; i < i1; ++i) {
        const struct neighbours p = read_neighbours(f, i, j, interior);
        out[i - i0] = scale * (p.east + p.west + p.north + p.south - 4.0 * (double)phi[i - i0]);
    }
}

static double wave_add_water(struct fluid *f, int j, int i0, int i1, const float *depth,
                             const float *head_impulse)
{
    struct wave *self = f->impl;
    const size_t c = grid_at(&f->grid, i0, j);
    double sum = 0.0;
    for (int i = 0; depth && i < i1 - i0; ++i) {
        const float before = self->w[c + (size_t)i];
        self->w[c + (size_t)i] = before + depth[i];
        sum += (double)self->w[c + (size_t)i] - (double)before;
    }
    for (int i = 0; head_impulse && i < i1 - i0; ++i) self->phi[c + (size_t)i] += head_impulse[i];
    return sum;
}

// [m] Surface elevation of a cell above the rest level, load head included.
static double surface_at(const struct fluid *f, size_t c)
{
    const struct wave *self = f->impl;
    return (double)self->w[c] + (f->load_head ? (double)f->load_head[c] : 0.0);
}

// The potential half a substep before and after the time of the heights.
struct leapfrog_phi {
    double before, after;
};

static struct leapfrog_phi read_leapfrog_phi(const struct fluid *f, int i, int j, double dt)
{
    const int ci = f->periodic_x ? fluid_wrap_column(f, i) : imin(f->grid.nx - 1, i);
    const int cj = f->periodic_z ? fluid_wrap_row(f, j) : imin(f->grid.nz - 1, j);
    const size_t c = grid_at(&f->grid, ci, cj);
    const double before = ((const struct wave *)f->impl)->phi[c];
    return (struct leapfrog_phi){before, before + dt * surface_at(f, c)};
}

// The energy per area is rho g/2 (w^2 + c^2 grad(phi before) . grad(phi after)), which the leapfrog conserves
// to rounding without damping. It contains no energy of the load head.
static void wave_compute_totals(const struct fluid *f, struct fluid_totals *out)
{
    const struct grid *g = &f->grid;
    const double area = g->dx * g->dx, c2 = f->rest_wave_speed * f->rest_wave_speed / area,
                 dt = wave_substep_dt(f, f->world_dt);
    double potential = 0.0, kinetic = 0.0, px = 0.0, pz = 0.0;
    for (int j = 0; j < g->nz; ++j)
        for (int i = 0; i < g->nx; ++i) {
            const double w = ((const struct wave *)f->impl)->w[grid_at(g, i, j)];
            const struct leapfrog_phi p = read_leapfrog_phi(f, i, j, dt),
                                      e = read_leapfrog_phi(f, i + 1, j, dt),
                                      n = read_leapfrog_phi(f, i, j + 1, dt);
            potential += w * w;
            kinetic += c2 * ((e.before - p.before) * (e.after - p.after) +
                             (n.before - p.before) * (n.after - p.after));
            px += e.before - p.before, pz += n.before - p.before;
        }
    // [kg/s^2] momentum of a column per difference of phi
    const double mass = -f->density * f->rest_wave_speed * f->rest_wave_speed * g->dx;
    out->depth_sum = f->rest_level * g->nx * g->nz + sum_field(f->parallel, g, ((struct wave *)f->impl)->w);
    out->energy = 0.5 * f->density * f->gravity * area * (potential + kinetic);
    out->momentum = v3(mass * px, 0.0, mass * pz);
}

// The water content is the depth, and the surface too while no body has lifted it.
static struct stored_field wave_stored_field(const struct fluid *f, tarn_field field)
{
    const float *w = ((const struct wave *)f->impl)->w + grid_at(&f->grid, 0, 0);
    const bool is_surface = field == TARN_FIELD_HEIGHT && !f->load_head && f->mean_rise == 0.0;
    return (struct stored_field){is_surface || field == TARN_FIELD_DEPTH ? w : NULL, 1.0, f->rest_level};
}

static void save_rows(struct saver *s, const struct grid *g, const float *field)
{
    for (int j = 0; j < g->nz; ++j) save_f32s(s, field + grid_at(g, 0, j), (size_t)g->nx);
}

static void wave_save(struct saver *s, const struct fluid *f)
{
    const struct wave *self = f->impl;
    save_rows(s, &f->grid, self->phi);
    save_rows(s, &f->grid, self->w);
}

static void load_rows(struct loader *l, const struct grid *g, float *field)
{
    for (int j = 0; j < g->nz; ++j) load_f32s(l, field + grid_at(g, 0, j), (size_t)g->nx);
}

static bool wave_load(struct loader *l, struct fluid *f)
{
    struct wave *self = f->impl;
    load_rows(l, &f->grid, self->phi);
    load_rows(l, &f->grid, self->w);
    return !self->kernels->has_nonfinite(&f->grid, self->phi, 0, f->grid.nz) &&
           !self->kernels->has_nonfinite(&f->grid, self->w, 0, f->grid.nz);
}

static const struct height_field_model wave_height_field = {
    .potential_lag = 0.5,
    .advects_depth = height_field_never_advects,
    .is_wet = height_field_always_wet,
    .round_depth = height_field_exact_depth,
    .read_surface = wave_read_surface,
    .read_velocity = wave_read_velocity,
    .read_surface_rate = wave_read_surface_rate,
    .add_water = wave_add_water,
};

const struct fluid_model fluid_wave = {
    .cannot_diverge = true,
    .kind = {.category = "fluid", .name = "wave", .help = "linear waves", PARAMS(params)},
    .height_field = &wave_height_field,
    .check = wave_check,
    .create = wave_create,
    .destroy = wave_destroy,
    .substep_dt = wave_substep_dt,
    .advance = wave_advance,
    .is_valid = wave_is_valid,
    .compute_totals = wave_compute_totals,
    .stored_field = wave_stored_field,
    .save = wave_save,
    .load = wave_load,
};
