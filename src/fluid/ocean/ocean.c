// The ocean model: water whose motion is given, by a table of linear waves or by tarn_host.ocean. Bodies float in
// it and do not change it.
//
// The water at the centres of the cells is evaluated anew in every substep (ocean_waves.c); between them it is
// interpolated as in the other height fields. The still surface is at y = 0. What enters or leaves the domain
// with the waves, and what open hulls take, counts as outflow.
#include "ocean.h"

#include "base/error.h"
#include "base/math/math.h"

#include <string.h>

static const tarn_param params[] = {
    PARAM_VEC2(tarn_ocean_def, size, "size", 100, 100, 0.01, 1e6, "m", "length along x and z"),
    PARAM_INT2(tarn_ocean_def, cells, "cells", 128, 128, 4, 32768,
               "number of cells along x and z; cells must be square"),
    PARAM_NUMBER(tarn_ocean_def, depth, "depth", 100, 1e-3, 1e4, "m",
                 "depth of the bed below the still surface, which is at y = 0"),
    {.name = "waves",
     .type = TARN_PARAM_TABLE,
     .unit = "",
     .min = -1e5,
     .max = 1e5,
     .help =
         "linear waves: amplitude [m], wavelength [m], phase [fraction of a wavelength; 0: a crest at x = "
         "z = 0 at time 0], direction of travel [degrees, from x towards z]",
     .flags = TARN_PARAM_DEGREES,
     .offset = offsetof(tarn_ocean_def, waves),
     .columns = 4,
     .rows = OCEAN_MAX_WAVES,
     .count_offset = offsetof(tarn_ocean_def, wave_count)},
    PARAM_FLAG(tarn_ocean_def, from_host, "from_host", 0,
               "the water is that of the program that runs the world (tarn_host.ocean), without `waves`"),
    PARAM_NUMBER(tarn_ocean_def, decay, "decay", 0, 0, 1e5, "m",
                 "from_host: depth at which the motion of waves has decayed to 1/e; 0: as of long waves"),
};

#define MIN_CELLS_PER_WAVE 4.0
#define MAX_STEEPNESS      0.142 // [michell1893] height over length of the steepest wave in deep water

static tarn_result check_wave(const tarn_ocean_def *d, int n, tarn_error *err)
{
    const tarn_ocean_wave *w = &d->waves[n];
    const double dx = d->size.x / d->cells[0];
    if (!(w->amplitude >= 0.0 && w->wavelength > 0.0))
        return fail(err, TARN_BAD_INPUT, "waves",
                    "row %d: amplitude and wavelength must not be negative, nor the wavelength 0", n + 1);
    if (w->wavelength < MIN_CELLS_PER_WAVE * dx)
        return fail(err, TARN_BAD_INPUT, "waves",
                    "row %d: a wavelength of %.6g m is less than %g cells of %.6g m; use more cells", n + 1,
                    w->wavelength, MIN_CELLS_PER_WAVE, dx);
    if (2.0 * w->amplitude > MAX_STEEPNESS * w->wavelength)
        return fail(err, TARN_BAD_INPUT, "waves",
                    "row %d: a wave of %.6g m of length breaks if its amplitude exceeds %.4g m", n + 1,
                    w->wavelength, 0.5 * MAX_STEEPNESS * w->wavelength);
    return TARN_OK;
}

static tarn_result ocean_check(const struct fluid *f, tarn_error *err)
{
    const tarn_ocean_def *d = ocean_def_of(f);
    tarn_result r = fluid_check_square_cells(d->size, d->cells, err);
    for (int n = 0; n < d->wave_count && r == TARN_OK; ++n) r = check_wave(d, n, err);
    if (r != TARN_OK) return r;
    if (d->from_host && d->wave_count > 0)
        return fail(err, TARN_BAD_INPUT, "waves", "the water comes from the program; remove the waves");
    if (d->from_host && !f->host_ocean.sample)
        return fail(err, TARN_BAD_INPUT, "from_host",
                    "the water of this world is given by a function of the program; set tarn_host.ocean");
    return TARN_OK;
}

static tarn_result ocean_create(struct fluid *f, const tarn_world_def *def, tarn_error *err)
{
    (void)def; // no beds of scene files
    const tarn_ocean_def *d = ocean_def_of(f);
    const tarn_result r = ocean_check(f, err);
    if (r != TARN_OK) return r;
    if (!grid_init(&f->grid, d->cells[0], d->cells[1], d->size.x / d->cells[0]))
        return fail(err, TARN_BAD_INPUT, "cells", "a grid of %d x %d cells is too large", d->cells[0],
                    d->cells[1]);
    f->rest_wave_speed = sqrt(f->gravity * d->depth); // no wave is faster
    struct ocean *self = f->impl = memory_alloc(f->memory, 1, sizeof *self);
    if (!self) return fail(err, TARN_NO_MEMORY, "", "no memory for the ocean model");
    float **const fields[OCEAN_FIELDS + 1] = {&self->eta,          &self->u, &self->v, &self->rate,
                                              &self->acceleration, &f->bed};
    bool ok = true;
    for (int k = 0; k <= OCEAN_FIELDS; ++k)
        ok = (*fields[k] = grid_alloc_field(&f->grid, f->memory, k)) != NULL && ok;
    self->row_depth = memory_alloc(f->memory, (size_t)f->grid.nz, sizeof *self->row_depth);
    if (!ok || !self->row_depth || !ocean_init_waves(f))
        return fail(err, TARN_NO_MEMORY, "cells", "no memory for %d x %d cells", d->cells[0], d->cells[1]);
    ocean_evaluate_bed(f);
    ocean_evaluate(f, 0.0);
    return TARN_OK;
}

static void ocean_destroy(struct fluid *f)
{
    struct ocean *self = f->impl;
    if (!self) return;
    float *const fields[OCEAN_FIELDS + 1] = {self->eta,          self->u, self->v, self->rate,
                                             self->acceleration, f->bed};
    for (int k = 0; k <= OCEAN_FIELDS; ++k) grid_free_field(&f->grid, f->memory, fields[k], k);
    memory_free(f->memory, self->row_depth, (size_t)f->grid.nz, sizeof *self->row_depth);
    memory_free(f->memory, self->tables, self->table_count, sizeof *self->tables);
    memory_free(f->memory, self, 1, sizeof *self);
    f->impl = NULL, f->bed = NULL;
}

static double ocean_substep_dt(const struct fluid *f, double time_left)
{
    (void)f;
    return time_left;
}

static void ocean_advance(struct fluid *f, double dt, int count)
{
    struct ocean *self = f->impl;
    const double before = self->depth_sum;
    for (int n = 0; n < count; ++n) f->time += dt;
    ocean_evaluate(f, count * dt);
    f->outflow_depth += before - self->depth_sum;
}

#define MAX_HEIGHT 1e5 // [m]

// Also the sums over a row are not finite if a value is not.
static bool ocean_is_valid(const struct fluid *f)
{
    const struct ocean *self = f->impl;
    const struct grid *g = &f->grid;
    for (int j = 0; j < g->nz; ++j) {
        const size_t row = grid_at(g, 0, j);
        float sum = 0.0f;
        bool in_range = true;
        for (size_t c = row; c < row + (size_t)g->nx; ++c) {
            sum += self->u[c] + self->v[c] + self->rate[c] + self->acceleration[c];
            in_range &= fabsf(self->eta[c]) <= (float)MAX_HEIGHT;
        }
        if (!in_range || !isfinite(sum)) return false;
    }
    return true;
}

static void copy_row(const struct fluid *f, const float *field, int j, int i0, int i1, float *out)
{
    memcpy(out, field + grid_at(&f->grid, i0, j), (size_t)(i1 - i0) * sizeof *out);
}

// On dry land the surface is the ground.
static void ocean_read_surface(const struct fluid *f, int j, int i0, int i1, float *out)
{
    const float *bed = f->bed + grid_at(&f->grid, i0, j);
    copy_row(f, ((const struct ocean *)f->impl)->eta, j, i0, i1, out);
    for (int i = 0; i < i1 - i0; ++i) out[i] = out[i] > bed[i] ? out[i] : bed[i];
}

static void ocean_read_velocity(const struct fluid *f, int j, int i0, int i1, float *u, float *v)
{
    copy_row(f, ((const struct ocean *)f->impl)->u, j, i0, i1, u);
    copy_row(f, ((const struct ocean *)f->impl)->v, j, i0, i1, v);
}

static void ocean_read_surface_rate(const struct fluid *f, int j, int i0, int i1, double *out)
{
    const float *rate = ((const struct ocean *)f->impl)->rate + grid_at(&f->grid, i0, j);
    for (int i = 0; i < i1 - i0; ++i) out[i] = (double)rate[i];
}

static double ocean_read_acceleration(const struct fluid *f, int i, int j)
{
    return (double)((const struct ocean *)f->impl)->acceleration[grid_at(&f->grid, i, j)];
}

static bool ocean_is_wet(const struct fluid *f, int i, int j)
{
    const size_t c = grid_at(&f->grid, i, j);
    return ((const struct ocean *)f->impl)->eta[c] > f->bed[c];
}

// Water that a hull gives or takes spreads over the ocean: it leaves the domain at once.
static double ocean_add_water(struct fluid *f, int j, int i0, int i1, const float *depth,
                              const float *head_impulse)
{
    double sum = 0.0;
    (void)head_impulse;
    for (int i = i0; depth && i < i1; ++i)
        if (ocean_is_wet(f, i, j)) sum += (double)depth[i - i0];
    f->outflow_depth += sum;
    return sum;
}

// The energy is that of the surface, rho g/2 eta^2. In a progressive wave the kinetic energy of the whole column
// is equal to it on average.
static void ocean_compute_totals(const struct fluid *f, struct fluid_totals *out)
{
    const struct ocean *self = f->impl;
    const struct grid *g = &f->grid;
    double squares = 0.0;
    for (int j = 0; j < g->nz; ++j)
        for (int i = 0; i < g->nx; ++i) {
            const double eta = self->eta[grid_at(g, i, j)];
            if (ocean_is_wet(f, i, j)) squares += eta * eta;
        }
    *out = (struct fluid_totals){.depth_sum = self->depth_sum,
                                 .energy = 0.5 * f->density * f->gravity * g->dx * g->dx * squares};
}

static struct stored_field ocean_stored_field(const struct fluid *f, tarn_field field)
{
    const struct ocean *self = f->impl;
    const float *values = field == TARN_FIELD_VELOCITY_X   ? self->u
                          : field == TARN_FIELD_VELOCITY_Z ? self->v
                                                           : NULL;
    return (struct stored_field){values ? values + grid_at(&f->grid, 0, 0) : NULL, 1.0, 0.0};
}

static void ocean_save(struct saver *s, const struct fluid *f)
{
    const struct ocean *self = f->impl;
    const float *const fields[OCEAN_FIELDS] = {self->eta, self->u, self->v, self->rate, self->acceleration};
    for (int k = 0; k < OCEAN_FIELDS; ++k)
        for (int j = 0; j < f->grid.nz; ++j)
            save_f32s(s, fields[k] + grid_at(&f->grid, 0, j), (size_t)f->grid.nx);
    save_f64(s, self->depth_sum);
}

static bool ocean_load(struct loader *l, struct fluid *f)
{
    struct ocean *self = f->impl;
    float *const fields[OCEAN_FIELDS] = {self->eta, self->u, self->v, self->rate, self->acceleration};
    for (int k = 0; k < OCEAN_FIELDS; ++k)
        for (int j = 0; j < f->grid.nz; ++j)
            load_f32s(l, fields[k] + grid_at(&f->grid, 0, j), (size_t)f->grid.nx);
    self->depth_sum = load_f64(l);
    return ocean_is_valid(f) && fabs(self->depth_sum) < 1e15;
}

static const struct height_field_model ocean_height_field = {
    .is_prescribed = true,
    .can_fall_dry = true,
    .advects_depth = height_field_never_advects,
    .is_wet = ocean_is_wet,
    .round_depth = height_field_exact_depth,
    .read_surface = ocean_read_surface,
    .read_velocity = ocean_read_velocity,
    .read_surface_rate = ocean_read_surface_rate,
    .read_acceleration = ocean_read_acceleration,
    .add_water = ocean_add_water,
};

const struct fluid_model fluid_ocean = {
    .kind = {.category = "fluid",
             .name = "ocean",
             .help = "water whose motion is given: linear waves, or a function of the program",
             PARAMS(params)},
    .height_field = &ocean_height_field,
    .check = ocean_check,
    .create = ocean_create,
    .destroy = ocean_destroy,
    .substep_dt = ocean_substep_dt,
    .advance = ocean_advance,
    .is_valid = ocean_is_valid,
    .compute_totals = ocean_compute_totals,
    .stored_field = ocean_stored_field,
    .save = ocean_save,
    .load = ocean_load,
};
