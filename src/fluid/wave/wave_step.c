// A substep of the wave model: the stability limit, ghost cells of walls, periodic and radiating boundaries,
// surface loads, and the leapfrog itself, single or fused. The world's step calls wave_substep_dt() and
// wave_advance() through the table of fluid models.
#include "wave.h"

#include "base/math/math.h"

#include <string.h>

// The largest Courant number c dt sqrt(2)/dx of a substep. Surface loads need this margin.
#define MAX_COURANT 0.7

// The leapfrog with diffusion is stable while 2 (c dt/dx)^2 + 4 D dt/dx^2 < 1; the Courant number leaves half
// of that.
double wave_max_stable_dt(const struct fluid *f)
{
    const double dx = f->grid.dx, wave_limit = MAX_COURANT * dx / (f->rest_wave_speed * sqrt(2.0)),
                 diffusion = wave_def_of(f)->diffusion;
    return diffusion > 0.0 ? fmin(wave_limit, 0.1 * dx * dx / diffusion) : wave_limit;
}

double wave_substep_dt(const struct fluid *f, double time_left)
{
    const double steps = ceil(time_left / wave_max_stable_dt(f) - 1e-6);
    return steps > 1.0 ? time_left / steps : time_left;
}

static struct wave_coefs make_coefs(const struct fluid *f, double dt)
{
    const tarn_wave_def *d = wave_def_of(f);
    const double dx = f->grid.dx, c = f->rest_wave_speed;
    const double damping_factor = 1.0 / (1.0 + dt * d->damping), diffusion_time = d->diffusion / (c * c);
    const double mean = (f->emitted_depth - f->outflow_depth - f->displaced_depth + f->load_head_sum) /
                        ((double)f->grid.nx * f->grid.nz);
    return (struct wave_coefs){
        .damping_factor = (float)damping_factor,
        .dt = (float)dt,
        .mean_height = (float)mean,
        .psi_weight = (float)(dt + diffusion_time),
        .laplace_coef = (float)(dt * c * c / (dx * dx)),
        .load_weight = (float)((dt + diffusion_time) / damping_factor),
        .diffusion_time = (float)diffusion_time,
        .cover_damping = (float)(0.075 * c * dt / dx),
    };
}

// Arguments of the row passes, over rows of the grid or of one loaded rectangle.
struct wave_pass {
    struct fluid *f;
    const struct wave_coefs *coefs;
    const struct cell_rect *rect; // loaded rectangle
    int fused_steps;
    float face_extrapolation; // (1 - Co)/2
    float ghost_scale;        // [s] dx/(c damping_factor)
};

static struct wave_pass make_pass(struct fluid *f, const struct wave_coefs *coefs)
{
    const double dx = f->grid.dx, c = f->rest_wave_speed, courant = c * (double)coefs->dt / dx;
    return (struct wave_pass){
        .f = f,
        .coefs = coefs,
        .face_extrapolation = (float)(0.5 * (1.0 - courant)),
        .ghost_scale = (float)(dx / (c * (double)coefs->damping_factor)),
    };
}

static struct wave_state state_of(const struct wave *self)
{
    return (struct wave_state){self->phi, self->w, self->phi_next, self->w_next};
}

// ---- ghost cells ----

// The ghost cell next to cell c at a boundary of this kind. The inner neighbour of c is c + inward, and
// c + opposite is the cell at the opposite boundary. A wall copies c, a periodic boundary the opposite cell.
// An open boundary is a radiation condition: the ghost gives the flux c w of an outgoing wave, whose w on the
// face, half a cell outwards and half a substep later, follows from inside along the characteristic,
// w_c + (1 - Co)/2 (w_c - w_inner), Co = c dt/dx. Returns that w after rounding, 0 for other boundaries.
static inline float fill_ghost_cell(const struct wave_pass *t, int boundary, size_t c, ptrdiff_t inward,
                                    ptrdiff_t opposite)
{
    const struct wave *self = t->f->impl;
    float *phi = self->phi, *w = self->w;
    const size_t ghost = (size_t)((ptrdiff_t)c - inward);
    const size_t from = boundary == TARN_WAVE_PERIODIC ? (size_t)((ptrdiff_t)c + opposite) : c;
    phi[ghost] = phi[from];
    w[ghost] = w[from];
    if (boundary != TARN_WAVE_OPEN) return 0.0f;
    const float outgoing = w[c] + t->face_extrapolation * (w[c] - w[(size_t)((ptrdiff_t)c + inward)]);
    phi[ghost] = phi[c] - t->ghost_scale * outgoing;
    return (phi[c] - phi[ghost]) / t->ghost_scale;
}

// West and east ghost cells of rows j0 .. j1-1, and their outflow.
static void fill_ghost_columns(const struct wave_pass *t, int j0, int j1)
{
    const struct wave *self = t->f->impl;
    const tarn_wave_def *d = wave_def_of(t->f);
    const struct grid *g = &t->f->grid;
    for (int j = j0; j < j1; ++j) {
        const double west = fill_ghost_cell(t, d->boundary[0], grid_at(g, 0, j), 1, g->nx - 1);
        self->row_outflow[j] =
            west + fill_ghost_cell(t, d->boundary[1], grid_at(g, g->nx - 1, j), -1, -(g->nx - 1));
    }
}

// South and north ghost rows. Returns their outflow [m].
static double fill_ghost_rows(const struct wave_pass *t)
{
    const tarn_wave_def *d = wave_def_of(t->f);
    const struct grid *g = &t->f->grid;
    const ptrdiff_t stride = (ptrdiff_t)g->stride, opposite = stride * (g->nz - 1);
    double out = 0.0;
    for (int i = 0; i < g->nx; ++i)
        out += fill_ghost_cell(t, d->boundary[2], grid_at(g, i, 0), stride, opposite);
    for (int i = 0; i < g->nx; ++i)
        out += fill_ghost_cell(t, d->boundary[3], grid_at(g, i, g->nz - 1), -stride, -opposite);
    return out;
}

// ---- surface loads ----

// phi_next of a loaded rectangle.
static void load_pass(void *ctx, int j0, int j1)
{
    const struct wave_pass *t = ctx;
    const struct wave *self = t->f->impl;
    const struct cell_rect *r = t->rect;
    const struct wave_state state = state_of(self);
    const struct wave_load load = {t->f->load_head, t->f->covered_fraction, r->i0, r->i1};
    fill_ghost_columns(t, r->j0 + j0, r->j0 + j1);
    self->kernels->add_load(&t->f->grid, t->coefs, &state, &load, r->j0 + j0, r->j0 + j1);
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

// Only w diffuses, not the load head: the term D/c^2 load_head, part of load_weight, is subtracted after the
// substep.
static void remove_load_diffusion_pass(void *ctx, int j0, int j1)
{
    const struct wave_pass *t = ctx;
    const struct wave *self = t->f->impl;
    for (int j = t->rect->j0 + j0; j < t->rect->j0 + j1; ++j) {
        const size_t c = grid_at(&t->f->grid, t->rect->i0, j), end = c + (size_t)(t->rect->i1 - t->rect->i0);
        for (size_t k = c; k < end; ++k) self->phi_next[k] -= t->coefs->diffusion_time * t->f->load_head[k];
    }
}

// Loaded rectangles are disjoint, so their rows are independent.
static void for_each_loaded_rect(struct wave_pass *t, row_range_fn fn)
{
    for (int i = 0; i < t->f->loaded_count; ++i) {
        t->rect = &t->f->loaded_rects[i];
        parallel_for_rows(t->f->parallel, t->rect->j1 - t->rect->j0, grid_block_rows(&t->f->grid), fn, t);
    }
}

// ---- substeps ----

static void swap_states(struct wave *self)
{
    float *phi = self->phi, *w = self->w;
    self->phi = self->phi_next, self->w = self->w_next;
    self->phi_next = phi, self->w_next = w;
}

// Ghost columns are filled here because a row needs no others, and the row is in the cache.
static void step_pass(void *ctx, int j0, int j1)
{
    const struct wave_pass *t = ctx;
    const struct wave *self = t->f->impl;
    const struct wave_state state = state_of(self);
    fill_ghost_columns(t, j0, j1);
    self->kernels->step(&t->f->grid, t->coefs, &state, j0, j1);
}

static void advance_one(struct fluid *f, double dt)
{
    struct wave *self = f->impl;
    const struct wave_coefs coefs = make_coefs(f, dt);
    struct wave_pass t = make_pass(f, &coefs);
    if (f->loaded_count) fill_ghost_rows(&t);
    for_each_loaded_rect(&t, load_pass); // reads phi of all rectangles before any is overwritten
    for_each_loaded_rect(&t, copy_loaded_pass);
    double outflow = fill_ghost_rows(&t);
    parallel_for_rows(f->parallel, f->grid.nz, grid_block_rows(&f->grid), step_pass, &t);
    for_each_loaded_rect(&t, remove_load_diffusion_pass);
    for (int j = 0; j < f->grid.nz; ++j) outflow += self->row_outflow[j];
    f->outflow_depth += outflow * f->rest_wave_speed * dt / f->grid.dx;
    swap_states(self);
}

static void fused_pass(void *ctx, int j0, int j1)
{
    const struct wave_pass *t = ctx;
    const struct wave *self = t->f->impl;
    const struct wave_periodicity periodicity = {t->f->periodic_x, t->f->periodic_z};
    const struct wave_state state = state_of(self);
    self->kernels->step_fused(&t->f->grid, t->coefs, &periodicity, t->fused_steps, &state, j0, j1);
}

// Without open boundaries and loads several substeps are fused: faster, with the same bits.
void wave_advance(struct fluid *f, double dt, int count)
{
    const int block = imax(64, grid_block_rows(&f->grid)); // large, because blocks repeat rows of neighbours
    while (count > 0) {
        if (!f->is_closed || f->loaded_count) {
            advance_one(f, dt);
            count -= 1;
            continue;
        }
        const struct wave_coefs coefs = make_coefs(f, dt);
        struct wave_pass t = make_pass(f, &coefs);
        t.fused_steps = imin(count, WAVE_MAX_FUSED);
        parallel_for_rows(f->parallel, f->grid.nz, block, fused_pass, &t);
        swap_states(f->impl);
        count -= t.fused_steps;
    }
}
