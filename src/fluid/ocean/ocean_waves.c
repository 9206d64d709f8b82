// The water of the ocean model: the sum of linear (Airy) waves over a level bed [dean1991], or what
// tarn_host.ocean gives. ocean.c calls it.
//
//     eta = sum a cos(theta),   theta = k . x - omega t + phase,   omega^2 = g k tanh(k depth)
//
// and at the surface the velocity is a omega / tanh(k depth) cos(theta) along k and a omega sin(theta) upwards.
#include "ocean.h"

#include "base/math/math.h"

#include <string.h>

enum { CHUNK = 128 }; // columns that are evaluated at once

static double hyperbolic_tangent(double x)
{
    const double e = m_exp(-2.0 * x);
    return (1.0 - e) / (1.0 + e);
}

double ocean_frequency(double gravity, double depth, double k)
{
    return sqrt(gravity * k * hyperbolic_tangent(k * depth));
}

static double cos_turns(double turns) { return m_sin_turns(turns + 0.25); }

static struct airy_wave make_wave(const struct fluid *f, const tarn_ocean_wave *w)
{
    const tarn_ocean_def *d = ocean_def_of(f);
    const double k = 2.0 * PI / w->wavelength, omega = ocean_frequency(f->gravity, d->depth, k),
                 along_x = m_cos(w->direction), along_z = m_sin(w->direction),
                 speed = w->amplitude * omega / hyperbolic_tangent(k * d->depth);
    return (struct airy_wave){.amplitude = w->amplitude,
                              .turns_x = along_x / w->wavelength,
                              .turns_z = along_z / w->wavelength,
                              .frequency = omega / (2.0 * PI),
                              .phase = w->phase,
                              .rate = w->amplitude * omega,
                              .u = speed * along_x,
                              .v = speed * along_z};
}

bool ocean_init_waves(struct fluid *f)
{
    struct ocean *self = f->impl;
    const tarn_ocean_def *d = ocean_def_of(f);
    const size_t columns = (size_t)f->grid.nx;
    double energy = 0.0, wavenumber = 0.0;
    self->table_count = 2 * columns * (size_t)d->wave_count;
    if (d->wave_count > 0 &&
        !(self->tables = memory_alloc(f->memory, self->table_count, sizeof *self->tables)))
        return false;
    for (int n = 0; n < d->wave_count; ++n) {
        struct airy_wave *w = &self->waves[n];
        const double a = d->waves[n].amplitude;
        *w = make_wave(f, &d->waves[n]);
        w->cosine = self->tables + 2 * columns * (size_t)n, w->sine = w->cosine + columns;
        for (int i = 0; i < f->grid.nx; ++i) {
            const double turns = w->turns_x * grid_cell_x(&f->grid, i);
            w->cosine[i] = cos_turns(turns), w->sine[i] = m_sin_turns(turns);
        }
        energy += a * a, wavenumber += a * a * (2.0 * PI / d->waves[n].wavelength);
    }
    self->wave_count = d->wave_count;
    if (energy > 0.0) f->wavenumber = wavenumber / energy;
    if (d->from_host && d->decay > 0.0) f->wavenumber = 1.0 / d->decay;
    return true;
}

// ---- the table --------------------------------------------------------------------------------------------

// Sums over the waves in CHUNK columns of a row.
struct wave_sums {
    double eta[CHUNK], u[CHUNK], v[CHUNK], rate[CHUNK];
};

// cos(a + b) = cos a cos b - sin a sin b, where a is the part of the phase along x.
static void add_wave(const struct airy_wave *w, double row_cosine, double row_sine, int i0, int count,
                     struct wave_sums *out)
{
    const double *restrict ca = w->cosine + i0, *restrict sa = w->sine + i0;
    for (int i = 0; i < count; ++i) {
        const double c = ca[i] * row_cosine - sa[i] * row_sine, s = sa[i] * row_cosine + ca[i] * row_sine;
        out->eta[i] += w->amplitude * c;
        out->rate[i] += w->rate * s;
        out->u[i] += w->u * c;
        out->v[i] += w->v * c;
    }
}

static void evaluate_waves(const struct ocean *self, const struct grid *g, double time, int j, int i0,
                           int count)
{
    struct wave_sums sums;
    const size_t at = grid_at(g, i0, j);
    memset(&sums, 0, sizeof sums);
    for (int n = 0; n < self->wave_count; ++n) {
        const struct airy_wave *w = &self->waves[n];
        const double turns = w->turns_z * grid_cell_z(g, j) - w->frequency * time + w->phase;
        add_wave(w, cos_turns(turns), m_sin_turns(turns), i0, count, &sums);
    }
    for (int i = 0; i < count; ++i) {
        self->eta[at + (size_t)i] = (float)sums.eta[i], self->rate[at + (size_t)i] = (float)sums.rate[i];
        self->u[at + (size_t)i] = (float)sums.u[i], self->v[at + (size_t)i] = (float)sums.v[i];
    }
}

// ---- tarn_host.ocean ----------------------------------------------------------------------------------------

static void sample_host(const struct fluid *f, int j, int i0, int count, tarn_ocean_point *out)
{
    double x[CHUNK], z[CHUNK];
    for (int i = 0; i < count; ++i) x[i] = grid_cell_x(&f->grid, i0 + i), z[i] = grid_cell_z(&f->grid, j);
    memset(out, 0, (size_t)count * sizeof *out);
    for (int i = 0; i < count; ++i) out[i].bed = -INFINITY;
    f->host_ocean.sample(f->host_ocean.context, f->time, count, x, z, out);
}

static void evaluate_host(const struct fluid *f, int j, int i0, int count)
{
    const struct ocean *self = f->impl;
    tarn_ocean_point points[CHUNK];
    const size_t at = grid_at(&f->grid, i0, j);
    sample_host(f, j, i0, count, points);
    for (int i = 0; i < count; ++i) {
        self->eta[at + (size_t)i] = (float)points[i].height;
        self->rate[at + (size_t)i] = (float)points[i].velocity.y;
        self->u[at + (size_t)i] = (float)points[i].velocity.x;
        self->v[at + (size_t)i] = (float)points[i].velocity.z;
    }
}

// ---- the grid -----------------------------------------------------------------------------------------------

struct evaluation {
    struct fluid *f;
    double elapsed; // [s]
};

// The acceleration from the change of the vertical velocity: first the old velocity with a minus sign.
static void begin_acceleration(const struct ocean *self, size_t at, int count)
{
    for (size_t c = at; c < at + (size_t)count; ++c) self->acceleration[c] = -self->rate[c];
}

static void end_acceleration(const struct ocean *self, size_t at, int count, double elapsed)
{
    const float inverse = elapsed > 0.0 ? (float)(1.0 / elapsed) : 0.0f;
    for (size_t c = at; c < at + (size_t)count; ++c)
        self->acceleration[c] = inverse * (self->acceleration[c] + self->rate[c]);
}

static void evaluate_rows(void *ctx, int j0, int j1)
{
    const struct evaluation *e = ctx;
    const struct grid *g = &e->f->grid;
    const struct ocean *self = e->f->impl;
    for (int j = j0; j < j1; ++j) {
        double depth = 0.0;
        for (int i0 = 0; i0 < g->nx; i0 += CHUNK) {
            const int count = imin(CHUNK, g->nx - i0);
            begin_acceleration(self, grid_at(g, i0, j), count);
            if (ocean_def_of(e->f)->from_host)
                evaluate_host(e->f, j, i0, count);
            else
                evaluate_waves(self, g, e->f->time, j, i0, count);
            end_acceleration(self, grid_at(g, i0, j), count, e->elapsed);
        }
        const float *eta = self->eta + grid_at(g, 0, j), *bed = e->f->bed + grid_at(g, 0, j);
        for (int i = 0; i < g->nx; ++i) depth += fmax(0.0, (double)eta[i] - (double)bed[i]);
        self->row_depth[j] = depth;
    }
}

void ocean_evaluate(struct fluid *f, double elapsed)
{
    struct evaluation e = {f, elapsed};
    struct ocean *self = f->impl;
    if (ocean_def_of(f)->from_host && f->host_ocean.one_thread)
        evaluate_rows(&e, 0, f->grid.nz);
    else
        parallel_for_rows(f->parallel, f->grid.nz, grid_block_rows(&f->grid), evaluate_rows, &e);
    self->depth_sum = 0.0;
    for (int j = 0; j < f->grid.nz; ++j) self->depth_sum += self->row_depth[j];
}

void ocean_evaluate_bed(struct fluid *f)
{
    const struct grid *g = &f->grid;
    const tarn_ocean_def *d = ocean_def_of(f);
    tarn_ocean_point points[CHUNK];
    f->bed_min = -d->depth;
    for (int j = 0; j < g->nz; ++j)
        for (int i0 = 0; i0 < g->nx; i0 += CHUNK) {
            const int count = imin(CHUNK, g->nx - i0);
            if (d->from_host) sample_host(f, j, i0, count, points);
            for (int i = 0; i < count; ++i) {
                const double bed = d->from_host ? fmax(points[i].bed, -d->depth) : -d->depth;
                f->bed[grid_at(g, i0 + i, j)] = (float)bed;
            }
        }
}
