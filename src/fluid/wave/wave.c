// The wave model: linear waves on columns of water, one speed for all.
//
// State per column: water content w (deviation from level) and the potential phi of its motion,
//
//     phi_t = h - level - damping phi,   w_t = c^2 lap(phi) + D lap(w),   h = level + rise + w + lift
//
// advanced like a leapfrog: phi first, then w with the new phi. This is the textbook "acceleration from
// the neighbours' heights" written so that volume is kept by construction. The water moves with
// -(c^2/level) grad phi. The step is a fixed share of the world's step, so nothing depends on the frame rate.
#include "base/error.h"
#include "base/math.h"
#include "base/sum.h"
#include "fluid/fluid.h"
#include "wave_rows.h"

#include <string.h>

enum { BOUNDARY_WALL, BOUNDARY_OPEN, BOUNDARY_PERIODIC };
static const char *const boundary_names[] = {"wall", "open", "periodic", NULL};

struct wave_def {
    double size[2];
    int cells[2];
    double depth;
    double speed;
    double damping;
    double diffusion;
    int boundary[4]; // west, east, south, north
};

#define BOUNDARY_PARAMS(index, name_)                                                             \
    PARAM_CHOICE(struct wave_def, boundary[index], "sides." name_, BOUNDARY_WALL, boundary_names, \
                 "what the water meets there")
static const tarn_param params[] = {
    PARAM_VEC2(struct wave_def, size, "size", 4, 4, 0.01, 1e6, "m", "length along x and z"),
    PARAM_INT2(struct wave_def, cells, "cells", 128, 128, 4, 32768,
               "columns along x and z; they must be square"),
    PARAM_NUMBER(struct wave_def, depth, "depth", 1, 1e-3, 1e4, "m", "of the water at rest"),
    PARAM_NUMBER(struct wave_def, speed, "speed", 0, 0, 1e4, "m/s", "of waves; 0: sqrt(gravity depth)"),
    PARAM_LIVE(struct wave_def, damping, "damping", 0, 0, 100, "1/s", "rate at which motion dies"),
    PARAM_LIVE(struct wave_def, diffusion, "diffusion", 1e-4, 0, 1, "m^2/s", "smoothing of the surface"),
    BOUNDARY_PARAMS(0, "west"),
    BOUNDARY_PARAMS(1, "east"),
    BOUNDARY_PARAMS(2, "south"),
    BOUNDARY_PARAMS(3, "north"),
};

struct wave {
    const struct wave_kernels *kernels;
    float *buffers[4];        // the buffers, by the slot they were made with
    float *phi, *w;           // state: [m s], [m]; cell
    float *phi_next, *w_next; // the other pair, written by the next step
    double *row_outflow;      // scratch, per row: flux through open west and east sides [m]
};

static const struct wave_def *wave_def_of(const struct fluid *f)
{
    return (const struct wave_def *)f->params.data;
}

// The largest Courant number c dt sqrt(2)/s of an inner step: what presses on the water needs this margin.
#define MAX_COURANT 0.7

// The leapfrog with diffusion is stable while 2 (c dt/s)^2 + 4 D dt/s^2 < 1; the Courant number leaves half of that.
static double max_stable_dt(const struct fluid *f)
{
    const double s = f->grid.dx, waves = MAX_COURANT * s / (f->rest_wave_speed * sqrt(2.0)),
                 diffusion = wave_def_of(f)->diffusion;
    return diffusion > 0.0 ? fmin(waves, 0.1 * s * s / diffusion) : waves;
}

static tarn_result wave_check(const struct fluid *f, tarn_error *err)
{
    const struct wave_def *d = wave_def_of(f);
    const tarn_result r = fluid_check_square_cells(d->size, d->cells, err);
    if (r != TARN_OK) return r;
    for (int i = 0; i < 4; i += 2)
        if ((d->boundary[i] == BOUNDARY_PERIODIC) != (d->boundary[i + 1] == BOUNDARY_PERIODIC))
            return fail(err, TARN_BAD_INPUT, i ? "sides.south" : "sides.west",
                        "a side is periodic only together with the one across");
    return TARN_OK;
}

static tarn_result wave_create(struct fluid *f, const tarn_world_def *def, tarn_error *err)
{
    (void)def; // its bed is flat
    const struct wave_def *d = wave_def_of(f);
    const tarn_result r = wave_check(f, err);
    if (r != TARN_OK) return r;
    if (!grid_init(&f->grid, d->cells[0], d->cells[1], d->size[0] / d->cells[0]))
        return fail(err, TARN_BAD_INPUT, "cells", "%d x %d columns are too many", d->cells[0], d->cells[1]);
    f->rest_level = d->depth;
    f->rest_wave_speed = d->speed > 0.0 ? d->speed : sqrt(f->gravity * d->depth);
    f->max_signal_speed = f->rest_wave_speed;
    if (f->rest_wave_speed < 1e-4)
        return fail(err, TARN_BAD_INPUT, "speed", "%.3g m/s is slower than 1e-4", f->rest_wave_speed);
    f->periodic_x = d->boundary[0] == BOUNDARY_PERIODIC;
    f->periodic_z = d->boundary[2] == BOUNDARY_PERIODIC;
    f->is_closed = true;
    for (int i = 0; i < 4; ++i) {
        f->is_wall[i] = d->boundary[i] == BOUNDARY_WALL;
        f->is_closed = f->is_closed && d->boundary[i] != BOUNDARY_OPEN;
    }
    // An inner step per world step is the least there is; a million is a mistake.
    if (f->world_dt / max_stable_dt(f) > 1e6)
        return fail(err, TARN_BAD_INPUT, "speed",
                    "%.6g m/s needs more than a million inner steps of %.3g s a step", f->rest_wave_speed,
                    max_stable_dt(f));

    struct wave *self = f->impl = memory_alloc(f->memory, 1, sizeof *self);
    if (!self) return fail(err, TARN_NO_MEMORY, "", "no memory for the water");
    self->kernels = KERNELS_SELECT(wave_kernels);
    self->row_outflow = memory_alloc(f->memory, (size_t)f->grid.nz, sizeof(double));
    bool all = self->row_outflow != NULL;
    for (int i = 0; i < 4; ++i)
        all = (self->buffers[i] = grid_alloc_field(&f->grid, f->memory, i)) != NULL && all;
    if (!all)
        return fail(err, TARN_NO_MEMORY, "cells", "no memory for %d x %d columns", d->cells[0], d->cells[1]);
    self->phi = self->buffers[0], self->w = self->buffers[1];
    self->phi_next = self->buffers[2], self->w_next = self->buffers[3];
    return TARN_OK;
}

static void wave_destroy(struct fluid *f)
{
    struct wave *self = f->impl;
    if (!self) return;
    for (int i = 0; i < 4; ++i) grid_free_field(&f->grid, f->memory, self->buffers[i], i);
    memory_free(f->memory, self->row_outflow, (size_t)f->grid.nz, sizeof(double));
    memory_free(f->memory, self, 1, sizeof *self);
    f->impl = NULL;
}

static double wave_substep_dt(const struct fluid *f, double left)
{
    const double steps = ceil(left / max_stable_dt(f) - 1e-6);
    return steps > 1.0 ? left / steps : left;
}

static struct wave_coefs make_coefs(const struct fluid *f, double dt)
{
    const struct wave_def *d = wave_def_of(f);
    const double s = f->grid.dx, c = f->rest_wave_speed;
    const double keep = 1.0 / (1.0 + dt * d->damping), relax = d->diffusion / (c * c);
    const double mean = (f->emitted_depth - f->outflow_depth - f->displaced_depth + f->load_head_sum) /
                        ((double)f->grid.nx * f->grid.nz);
    return (struct wave_coefs){
        .damping_factor = (float)keep,
        .dt = (float)dt,
        .mean_height = (float)mean,
        .psi_weight = (float)(dt + relax),
        .laplace_coef = (float)(dt * c * c / (s * s)),
        .load_weight = (float)((dt + relax) / keep),
        .diffusion_time = (float)relax,
        .cover_damping = (float)(0.075 * c * dt / s),
    };
}

// Work on rows of the grid, or of one pressed rectangle.
struct wave_pass {
    struct fluid *f;
    const struct wave_coefs *coefs;
    const struct cell_rect *rect;
    int fused_steps;          // steps at once
    float face_extrapolation; // (1 - Co)/2
    float ghost_scale;        // [s] s/(c keep)
};

static struct wave_pass make_pass(struct fluid *f, const struct wave_coefs *k)
{
    const double co = f->rest_wave_speed * (double)k->dt / f->grid.dx;
    return (struct wave_pass){.f = f,
                              .coefs = k,
                              .face_extrapolation = (float)(0.5 * (1.0 - co)),
                              .ghost_scale =
                                  (float)(f->grid.dx / (f->rest_wave_speed * (double)k->damping_factor))};
}

// The ghost beyond edge cell c, whose inner neighbour is c + in and which a periodic side takes from
// c + across. A wall's ghost is the cell itself. The ghost of an open side carries the flux c w of a wave
// that leaves: w on the face, half a cell out and half a step on, comes from inside along the
// characteristic, w_e + (1 - Co)/2 (w_e - w_in). Gives back that w, 0 for other sides.
static inline float fill_ghost_cell(const struct wave_pass *t, int side, size_t c, ptrdiff_t in,
                                    ptrdiff_t across)
{
    const struct wave *self = t->f->impl;
    float *phi = self->phi, *w = self->w;
    const size_t ghost = (size_t)((ptrdiff_t)c - in);
    const size_t from = side == BOUNDARY_PERIODIC ? (size_t)((ptrdiff_t)c + across) : c;
    phi[ghost] = phi[from];
    w[ghost] = w[from];
    if (side != BOUNDARY_OPEN) return 0.0f;
    const float leaving = w[c] + t->face_extrapolation * (w[c] - w[(size_t)((ptrdiff_t)c + in)]);
    phi[ghost] = phi[c] - t->ghost_scale * leaving;
    return (phi[c] - phi[ghost]) / t->ghost_scale; // what will really leave, after rounding
}

// West and east ghosts of rows j0 .. j1-1.
static void fill_ghost_columns(const struct wave_pass *t, int j0, int j1)
{
    const struct wave *self = t->f->impl;
    const struct wave_def *d = wave_def_of(t->f);
    const struct grid *g = &t->f->grid;
    for (int j = j0; j < j1; ++j) {
        const double west = fill_ghost_cell(t, d->boundary[0], grid_at(g, 0, j), 1, g->nx - 1);
        self->row_outflow[j] =
            west + fill_ghost_cell(t, d->boundary[1], grid_at(g, g->nx - 1, j), -1, -(g->nx - 1));
    }
}

// South and north ghost rows. Gives back the sum of what leaves there [m].
static double fill_ghost_rows(const struct wave_pass *t)
{
    const struct wave_def *d = wave_def_of(t->f);
    const struct grid *g = &t->f->grid;
    const ptrdiff_t n = (ptrdiff_t)g->stride, across = n * (g->nz - 1);
    double out = 0.0;
    for (int i = 0; i < g->nx; ++i) out += fill_ghost_cell(t, d->boundary[2], grid_at(g, i, 0), n, across);
    for (int i = 0; i < g->nx; ++i)
        out += fill_ghost_cell(t, d->boundary[3], grid_at(g, i, g->nz - 1), -n, -across);
    return out;
}

static void step_rows(void *ctx, int j0, int j1)
{
    const struct wave_pass *t = ctx;
    const struct wave *self = t->f->impl;
    fill_ghost_columns(t, j0, j1); // a row needs only its own ends, and has them in cache now
    self->kernels->step(&t->f->grid, t->coefs, self->phi, self->w, self->phi_next, self->w_next, j0, j1);
}

static void load_pass(void *ctx, int j0, int j1)
{
    const struct wave_pass *t = ctx;
    const struct wave *self = t->f->impl;
    const struct cell_rect *r = t->rect;
    fill_ghost_columns(t, r->j0 + j0, r->j0 + j1);
    self->kernels->add_load(&t->f->grid, t->coefs, self->phi, t->f->load_head, t->f->covered_fraction,
                            self->phi_next, r->i0, r->i1, r->j0 + j0, r->j0 + j1);
}

static void copy_loaded_pass(void *ctx, int j0, int j1)
{
    const struct wave_pass *t = ctx;
    const struct wave *self = t->f->impl;
    for (int j = t->rect->j0 + j0; j < t->rect->j0 + j1; ++j) {
        const size_t c = grid_at(&t->f->grid, t->rect->i0, j);
        memcpy(self->phi + c, self->phi_next + c, (size_t)(t->rect->i1 - t->rect->i0) * sizeof(float));
    }
}

// The surface diffuses, the press does not: after the step its share of D/c^2 w is taken off again.
static void remove_load_diffusion_pass(void *ctx, int j0, int j1)
{
    const struct wave_pass *t = ctx;
    const struct wave *self = t->f->impl;
    for (int j = t->rect->j0 + j0; j < t->rect->j0 + j1; ++j) {
        const size_t c = grid_at(&t->f->grid, t->rect->i0, j), end = c + (size_t)(t->rect->i1 - t->rect->i0);
        for (size_t k = c; k < end; ++k) self->phi_next[k] -= t->coefs->diffusion_time * t->f->load_head[k];
    }
}

// The rectangles are disjoint, so their rows are independent.
static void for_each_loaded_rect(struct wave_pass *t, row_range_fn fn)
{
    for (int i = 0; i < t->f->loaded_count; ++i) {
        t->rect = &t->f->loaded_rects[i];
        parallel_for_rows(t->f->parallel, t->rect->j1 - t->rect->j0, grid_block_rows(&t->f->grid), fn, t);
    }
}

static void swap_states(struct wave *self)
{
    float *phi = self->phi, *w = self->w;
    self->phi = self->phi_next, self->w = self->w_next;
    self->phi_next = phi, self->w_next = w;
}

static void advance_one(struct fluid *f, double dt)
{
    struct wave *self = f->impl;
    const struct wave_coefs k = make_coefs(f, dt);
    struct wave_pass t = make_pass(f, &k);
    if (f->loaded_count) fill_ghost_rows(&t);
    for_each_loaded_rect(&t, load_pass); // all read phi before any is written back
    for_each_loaded_rect(&t, copy_loaded_pass);
    double out = fill_ghost_rows(&t);
    parallel_for_rows(f->parallel, f->grid.nz, grid_block_rows(&f->grid), step_rows, &t);
    for_each_loaded_rect(&t, remove_load_diffusion_pass);
    for (int j = 0; j < f->grid.nz; ++j) out += self->row_outflow[j];
    f->outflow_depth += out * f->rest_wave_speed * dt / f->grid.dx;
    swap_states(self);
}

static void fused_pass(void *ctx, int j0, int j1)
{
    const struct wave_pass *t = ctx;
    const struct wave *self = t->f->impl;
    const struct wave_periodicity sides = {t->f->periodic_x, t->f->periodic_z};
    self->kernels->step_fused(&t->f->grid, t->coefs, &sides, t->fused_steps, self->phi, self->w,
                              self->phi_next, self->w_next, j0, j1);
}

// With closed sides and nothing pressing, several steps go through the cache at once: the same bits, faster.
static void wave_advance(struct fluid *f, double dt, int count)
{
    const int block = imax(64, grid_block_rows(&f->grid)); // blocks repeat some rows of their neighbours
    while (count > 0) {
        if (!f->is_closed || f->loaded_count) {
            advance_one(f, dt);
            count -= 1;
            continue;
        }
        const struct wave_coefs k = make_coefs(f, dt);
        struct wave_pass t = make_pass(f, &k);
        t.fused_steps = imin(count, WAVE_MAX_FUSED);
        parallel_for_rows(f->parallel, f->grid.nz, block, fused_pass, &t);
        swap_states(f->impl);
        count -= t.fused_steps;
    }
}

struct check_finite_job {
    const struct fluid *f;
};

static void check_finite_pass(void *ctx, int j0, int j1)
{
    const struct check_finite_job *t = ctx;
    const struct wave *self = t->f->impl;
    for (int j = j0; j < j1; ++j)
        self->row_outflow[j] = self->kernels->has_nonfinite(&t->f->grid, self->w, j, j + 1);
}

// A broken phi breaks w in the same step, so w tells for both.
static bool wave_is_valid(const struct fluid *f)
{
    const struct wave *self = f->impl;
    double broken = 0.0;
    parallel_for_rows(f->parallel, f->grid.nz, grid_block_rows(&f->grid), check_finite_pass,
                      &(struct check_finite_job){f});
    for (int j = 0; j < f->grid.nz; ++j) broken += self->row_outflow[j];
    return broken == 0.0;
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

// phi of a neighbour; beyond a side that is not periodic, of the edge itself.
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

static inline struct neighbours read_neighbours(const struct fluid *f, int i, int j, bool inside)
{
    if (inside) {
        const float *p = ((const struct wave *)f->impl)->phi + grid_at(&f->grid, i, j);
        return (struct neighbours){p[-1], p[1], *(p - f->grid.stride), p[f->grid.stride]};
    }
    return (struct neighbours){phi_at(f, i - 1, j), phi_at(f, i + 1, j), phi_at(f, i, j - 1),
                               phi_at(f, i, j + 1)};
}

// Whether cells i0 .. i1-1 of a row have neighbours all around.
static bool is_interior_run(const struct fluid *f, int j, int i0, int i1)
{
    return 0 < i0 && i1 < f->grid.nx && 0 < j && j + 1 < f->grid.nz;
}

static void wave_read_velocity(const struct fluid *f, int j, int i0, int i1, float *u, float *v)
{
    const double k = -f->rest_wave_speed * f->rest_wave_speed / (f->rest_level * 2.0 * f->grid.dx);
    const bool inside = is_interior_run(f, j, i0, i1);
    for (int i = i0; i < i1; ++i) {
        const struct neighbours p = read_neighbours(f, i, j, inside);
        u[i - i0] = (float)(k * (p.east - p.west));
        v[i - i0] = (float)(k * (p.north - p.south));
    }
}

static void wave_read_surface_rate(const struct fluid *f, int j, int i0, int i1, double *out)
{
    const double k = f->rest_wave_speed * f->rest_wave_speed / (f->grid.dx * f->grid.dx);
    const float *phi = ((const struct wave *)f->impl)->phi + grid_at(&f->grid, i0, j);
    const bool inside = is_interior_run(f, j, i0, i1);
    for (int i = i0; i < i1; ++i) {
        const struct neighbours p = read_neighbours(f, i, j, inside);
        out[i - i0] = k * (p.east + p.west + p.north + p.south - 4.0 * (double)phi[i - i0]);
    }
}

static double wave_add_water(struct fluid *f, int j, int i0, int i1, const float *depth, const float *push)
{
    struct wave *self = f->impl;
    const size_t c = grid_at(&f->grid, i0, j);
    double sum = 0.0;
    for (int i = 0; depth && i < i1 - i0; ++i) {
        const float before = self->w[c + (size_t)i];
        self->w[c + (size_t)i] = before + depth[i];
        sum += (double)self->w[c + (size_t)i] - (double)before;
    }
    for (int i = 0; push && i < i1 - i0; ++i) self->phi[c + (size_t)i] += push[i];
    return sum;
}

// Height above the flat surface; what presses on it included.
static double surface_at(const struct fluid *f, size_t c)
{
    const struct wave *self = f->impl;
    return (double)self->w[c] + (f->load_head ? (double)f->load_head[c] : 0.0);
}

// The potential half a step behind and half a step ahead of the heights.
struct leapfrog_phi {
    double behind, ahead;
};

static struct leapfrog_phi read_leapfrog_phi(const struct fluid *f, int i, int j, double dt)
{
    const int ci = f->periodic_x ? fluid_wrap_column(f, i) : imin(f->grid.nx - 1, i);
    const int cj = f->periodic_z ? fluid_wrap_row(f, j) : imin(f->grid.nz - 1, j);
    const size_t c = grid_at(&f->grid, ci, cj);
    const double behind = ((const struct wave *)f->impl)->phi[c];
    return (struct leapfrog_phi){behind, behind + dt * surface_at(f, c)};
}

// Energy of the linear waves, rho g/2 (w^2 + c^2 grad(phi behind) . grad(phi ahead)) per area: what the leapfrog keeps
// to rounding when nothing damps.
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
            potential += w * w; // what presses on it is not the water's own
            kinetic += c2 * ((e.behind - p.behind) * (e.ahead - p.ahead) +
                             (n.behind - p.behind) * (n.ahead - p.ahead));
            px += e.behind - p.behind, pz += n.behind - p.behind;
        }
    const double mass = -f->density * f->rest_wave_speed * f->rest_wave_speed *
                        g->dx; // of a column, times the speed of unit slope
    out->depth_sum = f->rest_level * g->nx * g->nz + sum_field(f->parallel, g, ((struct wave *)f->impl)->w);
    out->energy = 0.5 * f->density * f->gravity * area * (potential + kinetic);
    out->momentum = v3(mass * px, 0.0, mass * pz);
}

static void wave_save(struct saver *s, const struct fluid *f)
{
    const struct wave *self = f->impl;
    for (int j = 0; j < f->grid.nz; ++j)
        save_f32s(s, self->phi + grid_at(&f->grid, 0, j), (size_t)f->grid.nx);
    for (int j = 0; j < f->grid.nz; ++j) save_f32s(s, self->w + grid_at(&f->grid, 0, j), (size_t)f->grid.nx);
}

static bool wave_load(struct loader *l, struct fluid *f)
{
    struct wave *self = f->impl;
    for (int j = 0; j < f->grid.nz; ++j)
        load_f32s(l, self->phi + grid_at(&f->grid, 0, j), (size_t)f->grid.nx);
    for (int j = 0; j < f->grid.nz; ++j) load_f32s(l, self->w + grid_at(&f->grid, 0, j), (size_t)f->grid.nx);
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
    .kind = {.room = "fluid", .name = "wave", .help = "linear waves on columns of water", PARAMS(params)},
    .height_field = &wave_height_field,
    .check = wave_check,
    .create = wave_create,
    .destroy = wave_destroy,
    .substep_dt = wave_substep_dt,
    .advance = wave_advance,
    .is_valid = wave_is_valid,
    .compute_totals = wave_compute_totals,
    .save = wave_save,
    .load = wave_load,
};
