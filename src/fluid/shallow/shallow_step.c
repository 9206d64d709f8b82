// How the shallow water moves: the passes of one step, in order. Each hands rows to kernels and then fills the ghosts of
// what it wrote, west and east ends along with the rows, south and north once all rows are there.
#include "base/error.h"
#include "base/math.h"
#include "shallow.h"

#include <string.h>

#define NOISE_QUANTA 0.3f // [quanta] a step that are too few to be a wave

// What the passes of one step work on.
struct shallow_substep {
    struct fluid *f;
    struct shallow *self;
    struct shallow_coefs coefs;
    struct shallow_fields fields;
    double time, dt; // [s] at the start
};

static struct shallow_substep begin_substep(struct fluid *f, double dt)
{
    const struct shallow_def *d = shallow_def_of(f);
    struct shallow *s = f->impl;
    const double dx = f->grid.dx, shake = m_sin_turns((f->time + 0.5 * dt) / d->shake_period);
    for (int i = 0; i < 2; ++i)
        f->external_acceleration[i] = d->acceleration[i] + shake * d->shake_amplitude[i];
    return (struct shallow_substep){
        .f = f,
        .self = s,
        .time = f->time,
        .dt = dt,
        .coefs = {.dt_dx = (float)(dt / dx),
                  .g_dt_dx = (float)(f->gravity * dt / dx),
                  .accel_dt_x = (float)(dt * f->external_acceleration[0]),
                  .accel_dt_z = (float)(dt * f->external_acceleration[1]),
                  .dry_depth = (float)f->dry_depth,
                  .max_bed_step = (float)dx,
                  .rounding_bias = (float)(1.5 * DEPTH_QUANTA) * s->quantum,
                  .max_flux = (float)(0.5 * DEPTH_QUANTA) * s->quantum,
                  .reserve_depth = 4.0f * s->quantum,
                  .noise_damping = (float)(dt / dx) / (NOISE_QUANTA * s->quantum),
                  .max_speed = d->limit_speed > 0.0 ? (float)(d->limit_speed * dx / dt) : INFINITY,
                  .max_flux_depth = d->limit_depth > 0.0
                                        ? (float)(d->limit_depth * dx * dx / (f->gravity * dt * dt))
                                        : INFINITY,
                  .manning_coef = (float)(f->gravity * d->manning * d->manning * dt)},
        .fields = {.bed = f->bed,
                   .load_head = f->loaded_count ? f->load_head : NULL,
                   .row_loaded = s->row_loaded,
                   .load_head_next = f->load_head_next,
                   .load_head_face = {f->load_head_face[0], f->load_head_face[1]},
                   .h = s->h,
                   .u = s->u,
                   .v = s->v,
                   .h_next = s->h_next,
                   .u_next = s->u_next,
                   .v_next = s->v_next,
                   .h_half = s->h_half,
                   .u_half = s->u_half,
                   .v_half = s->v_half,
                   .flux_x = s->flux_x,
                   .flux_z = s->flux_z},
    };
}

// Rows 0 .. nz: the last one holds the northern faces.
static void for_face_rows(struct shallow_substep *p, row_range_fn fn)
{
    const int rows = p->f->grid.nz + 1, block = grid_block_rows(&p->f->grid);
    parallel_for_rows(p->f->parallel, rows, block < p->f->grid.nz ? block : rows, fn, p);
}

static void fill_columns(const struct shallow_substep *p, float *q, enum location stand, int j0, int j1)
{
    for (int j = j0; j < j1; ++j) depth_fill_ghost_columns(p->f, q, stand, j);
}

// Speeds after a pass: the sides that are told, then ghosts.
static void fill_velocity_columns(const struct shallow_substep *p, const float *h, float *u, float *v,
                                  double t, int j0, int j1)
{
    for (int j = j0; j < j1; ++j)
        if (j < p->f->grid.nz) shallow_apply_open_boundary_x(p->f, h, u, t, j, NULL, 0.0f);
    fill_columns(p, u, WEST_FACE, j0, j1);
    fill_columns(p, v, SOUTH_FACE, j0, j1);
}

static void fill_velocity_rows(const struct shallow_substep *p, const float *h, float *u, float *v, double t)
{
    shallow_apply_open_boundary_z(p->f, h, v, t, NULL, 0.0f);
    depth_fill_ghost_columns(p->f, v, SOUTH_FACE, 0); // these rows have changed
    depth_fill_ghost_columns(p->f, v, SOUTH_FACE, p->f->grid.nz);
    depth_fill_ghost_rows(p->f, u, WEST_FACE);
    depth_fill_ghost_rows(p->f, v, SOUTH_FACE);
}

static void predict_pass(void *ctx, int j0, int j1)
{
    const struct shallow_substep *p = ctx;
    p->self->kernels->predict(&p->f->grid, &p->coefs, &p->fields, j0, j1);
    fill_columns(p, p->self->h_half, CELL_CENTRE, j0, j1);
    fill_velocity_columns(p, p->self->h_half, p->self->u_half, p->self->v_half, p->time + 0.5 * p->dt, j0,
                          j1);
}

static void boundary_flux_columns(const struct shallow_substep *p, const float *h, float *u, double t, int j0,
                                  int j1)
{
    for (int j = j0; j < j1; ++j)
        if (j < p->f->grid.nz)
            shallow_apply_open_boundary_x(p->f, h, u, t, j, p->self->flux_x, p->coefs.dt_dx);
}

static void depth_flux_pass(void *ctx, int j0, int j1)
{
    const struct shallow_substep *p = ctx;
    p->self->kernels->depth_flux(&p->f->grid, &p->coefs, &p->fields, j0, j1);
    boundary_flux_columns(p, p->self->h_half, p->self->u_half, p->time + 0.5 * p->dt, j0, j1);
}

static void update_depth_pass(void *ctx, int j0, int j1)
{
    const struct shallow_substep *p = ctx;
    for (int j = j0; j < j1; ++j) {
        if (j == p->f->grid.nz) return;
        p->self->row_overdrawn[j] = p->self->kernels->update_depth(&p->f->grid, &p->fields, j);
        depth_fill_ghost_columns(p->f, p->self->h_next, CELL_CENTRE, j);
    }
}

static void outflow_limiter_pass(void *ctx, int j0, int j1)
{
    const struct shallow_substep *p = ctx;
    for (int j = j0; j < j1; ++j) {
        if (j == p->f->grid.nz || !p->self->row_overdrawn[j]) continue;
        p->self->kernels->outflow_limiter(&p->f->grid, &p->coefs, &p->fields, j);
        if (p->f->periodic_x) depth_fill_ghost_columns(p->f, p->self->h_half, CELL_CENTRE, j);
    }
}

// Whether a row has rations; beyond a side that is not periodic there are none.
static bool is_overdrawn(const struct shallow_substep *p, int j)
{
    if (p->f->periodic_z) j = (j + p->f->grid.nz) % p->f->grid.nz;
    return 0 <= j && j < p->f->grid.nz && p->self->row_overdrawn[j];
}

static const float *limiter_row(const struct shallow_substep *p, int j)
{
    if (!is_overdrawn(p, j)) return p->self->unit_row + 1;
    return p->self->h_half + grid_at(&p->f->grid, 0, (j + p->f->grid.nz) % p->f->grid.nz);
}

static void limit_flux_pass(void *ctx, int j0, int j1)
{
    const struct shallow_substep *p = ctx;
    for (int j = j0; j < j1; ++j)
        if (is_overdrawn(p, j) || is_overdrawn(p, j - 1))
            p->self->kernels->limit_flux(&p->f->grid, &p->coefs, &p->fields, j, limiter_row(p, j),
                                         limiter_row(p, j - 1));
}

static void redo_depth_pass(void *ctx, int j0, int j1)
{
    const struct shallow_substep *p = ctx;
    for (int j = j0; j < j1; ++j) {
        if (j == p->f->grid.nz || !(is_overdrawn(p, j) || is_overdrawn(p, j - 1) || is_overdrawn(p, j + 1)))
            continue;
        p->self->kernels->update_depth(&p->f->grid, &p->fields, j);
        depth_fill_ghost_columns(p->f, p->self->h_next, CELL_CENTRE, j);
    }
}

static void flux_ghost_pass(void *ctx, int j0, int j1)
{
    const struct shallow_substep *p = ctx;
    fill_columns(p, p->self->flux_x, WEST_FACE, j0, j1);
    fill_columns(p, p->self->flux_z, SOUTH_FACE, j0, j1);
}

static void momentum_pass(void *ctx, int j0, int j1)
{
    const struct shallow_substep *p = ctx;
    p->self->kernels->update_momentum(&p->f->grid, &p->coefs, &p->fields, j0, j1);
    fill_velocity_columns(p, p->self->h_next, p->self->u_next, p->self->v_next, p->time + p->dt, j0, j1);
}

// Depth from the transfers, which moved with u and v. A cell that would give more than it has gives each neighbour its part of what there is.
static void advance_depth(struct shallow_substep *p, const float *u, const float *v)
{
    struct shallow *self = p->self;
    bool any = false;
    for_face_rows(p, update_depth_pass);
    for (int j = 0; j < p->f->grid.nz; ++j) any = any || self->row_overdrawn[j];
    if (any) {
        for_face_rows(p, outflow_limiter_pass);
        for_face_rows(p, limit_flux_pass);
        for_face_rows(p, redo_depth_pass);
    }
    p->f->outflow_depth += depth_boundary_outflow(p->f);
    depth_fill_ghost_rows(p->f, self->h_next, CELL_CENTRE);
    shallow_apply_level_boundary(p->f, self->h_next, u, v, p->time + p->dt);
}

static void conservative_step(struct shallow_substep *p)
{
    struct shallow *self = p->self;
    const double middle = p->time + 0.5 * p->dt;
    for_face_rows(p, predict_pass);
    depth_fill_ghost_rows(p->f, self->h_half, CELL_CENTRE);
    fill_velocity_rows(p, self->h_half, self->u_half, self->v_half, middle);
    shallow_apply_level_boundary(p->f, self->h_half, self->u_half, self->v_half, middle);
    for_face_rows(p, depth_flux_pass);
    shallow_apply_open_boundary_z(p->f, self->h_half, self->v_half, middle, self->flux_z, p->coefs.dt_dx);
    advance_depth(p, self->u_half, self->v_half);
    for_face_rows(p, flux_ghost_pass);
    depth_fill_ghost_rows(p->f, self->flux_x, WEST_FACE);
    depth_fill_ghost_rows(p->f, self->flux_z, SOUTH_FACE);
    for_face_rows(p, momentum_pass);
    fill_velocity_rows(p, self->h_next, self->u_next, self->v_next, p->time + p->dt);
}

// ---- the real-time literature's step --------------------------------------------------------------

static void advect_pass(void *ctx, int j0, int j1)
{
    const struct shallow_substep *p = ctx;
    p->self->kernels->advect(&p->f->grid, &p->coefs, &p->fields, j0, j1);
    fill_columns(p, p->fields.u_half, WEST_FACE, j0, j1);
    fill_columns(p, p->fields.v_half, SOUTH_FACE, j0, j1);
}

static void slope_pass(void *ctx, int j0, int j1)
{
    const struct shallow_substep *p = ctx;
    p->self->kernels->apply_slope(&p->f->grid, &p->coefs, &p->fields, j0, j1);
    fill_velocity_columns(p, p->self->h, p->self->u_next, p->self->v_next, p->time + p->dt, j0, j1);
}

static void upwind_flux_pass(void *ctx, int j0, int j1)
{
    const struct shallow_substep *p = ctx;
    p->self->kernels->upwind_flux(&p->f->grid, &p->coefs, &p->fields, j0, j1);
    boundary_flux_columns(p, p->self->h, p->self->u_next, p->time + p->dt, j0, j1);
}

// A row falls right after it was carried, while it is in cache.
static void maccormack_slope_pass(void *ctx, int j0, int j1)
{
    const struct shallow_substep *p = ctx;
    p->self->kernels->maccormack(&p->f->grid, &p->coefs, &p->fields, j0, j1);
    slope_pass(ctx, j0, j1);
}

static void advect_slope_pass(void *ctx, int j0, int j1)
{
    const struct shallow_substep *p = ctx;
    p->self->kernels->advect(&p->f->grid, &p->coefs, &p->fields, j0, j1);
    slope_pass(ctx, j0, j1);
}

static void semi_lagrangian_step(struct shallow_substep *p)
{
    struct shallow *self = p->self;
    if (shallow_def_of(p->f)->advection == SHALLOW_MACCORMACK) {
        for_face_rows(p, advect_pass);
        depth_fill_ghost_rows(p->f, self->u_half, WEST_FACE);
        depth_fill_ghost_rows(p->f, self->v_half, SOUTH_FACE);
        for_face_rows(p, maccormack_slope_pass);
    } else {
        p->fields.u_half = self->u_next, p->fields.v_half = self->v_next;
        for_face_rows(p, advect_slope_pass);
    }
    fill_velocity_rows(p, self->h, self->u_next, self->v_next, p->time + p->dt);
    for_face_rows(p, upwind_flux_pass);
    shallow_apply_open_boundary_z(p->f, self->h, self->v_next, p->time + p->dt, self->flux_z, p->coefs.dt_dx);
    advance_depth(p, self->u_next, self->v_next);
}

// ---- overshoots -----------------------------------------------------------------------------------

// Chentanez & Mueller (2010), 2.5: a cell that stands out at the edge of a wave, more than two cells' width above the
// one behind and above the one ahead, gives a part of what it stands out to the one ahead.
static float overshoot_flux(const struct shallow_substep *p, size_t behind, size_t c, size_t ahead)
{
    const float *h = p->fields.h, *bed = p->fields.bed;
    // A quarter of the difference: a peak may give to four neighbours at once and must not become a pit.
    const float part = 0.25f * (float)shallow_def_of(p->f)->limit_overshoot;
    const bool edge = bed[c] + h[c] - (bed[behind] + h[behind]) > 2.0f * (float)p->f->grid.dx &&
                      bed[c] + h[c] > bed[ahead] + h[ahead] && h[c] > h[ahead];
    const double quantum = p->self->quantum; // rounded down: four neighbours must not get more than there is
    return edge ? (float)(floor((double)(part * (h[c] - h[ahead])) / quantum) * quantum) : 0.0f;
}

static void overshoot_flux_pass(void *ctx, int j0, int j1)
{
    const struct shallow_substep *p = ctx;
    const struct grid *g = &p->f->grid;
    const size_t n = g->stride;
    for (int j = j0; j < j1; ++j)
        for (int i = 0; i <= g->nx; ++i) {
            const size_t c = grid_at(g, i, j);
            const bool x = p->f->periodic_x || (0 < i && i < g->nx),
                       z = p->f->periodic_z || (0 < j && j < g->nz);
            p->self->flux_x[c] =
                x ? overshoot_flux(p, c - 2, c - 1, c) - overshoot_flux(p, c + 1, c, c - 1) : 0.0f;
            p->self->flux_z[c] =
                z ? overshoot_flux(p, c - 2 * n, c - n, c) - overshoot_flux(p, c + n, c, c - n) : 0.0f;
        }
}

static void swap_fields(float **a, float **b)
{
    float *const kept = *a;
    *a = *b;
    *b = kept;
}

// Water that is moved comes at rest and leaves with its speed: so this takes energy and never gives any.
static void dilute_momentum_pass(void *ctx, int j0, int j1)
{
    const struct shallow_substep *p = ctx;
    const float *h = p->self->h, *h1 = p->self->h_next;
    const size_t n = p->f->grid.stride;
    for (int j = j0; j < j1; ++j)
        for (int i = 0; i <= p->f->grid.nx; ++i) {
            const size_t c = grid_at(&p->f->grid, i, j);
            const float x = h[c - 1] + h[c], x1 = h1[c - 1] + h1[c], z = h[c - n] + h[c],
                        z1 = h1[c - n] + h1[c];
            if (x1 > x) p->self->u[c] *= x / x1;
            if (z1 > z) p->self->v[c] *= z / z1;
        }
}

static void reduce_overshoots(struct shallow_substep *p)
{
    struct shallow *self = p->self;
    p->fields.h = self->h, p->fields.h_next = self->h_next;
    for_face_rows(p, overshoot_flux_pass);
    for_face_rows(p, update_depth_pass);
    depth_fill_ghost_rows(p->f, self->h_next, CELL_CENTRE);
    for_face_rows(p, dilute_momentum_pass);
    swap_fields(&self->h, &self->h_next);
    p->f->derived_stale = true;
}

// ---- calm under cover -----------------------------------------------------------------------------

// Under what presses from above the grid would carry ripples: speeds are evened out there, as an exchange of momentum
// between neighbouring faces, so that none is lost. The shallower of the two faces says how much: the other way round
// thin water would be thrown about. `a` leads along the speed's axis, `b` across.
static float momentum_exchange(const struct shallow_substep *p, float cover, const float *u, size_t from,
                               size_t to, size_t a)
{
    const float *h = p->self->h;
    const float one = 0.5f * (h[from] + h[from - a]), other = 0.5f * (h[to] + h[to - a]);
    const float depth = one < other ? one : other;
    return depth > p->coefs.dry_depth ? cover * depth * (u[from] - u[to]) : 0.0f;
}

static void smooth_covered_rect(const struct shallow_substep *p, const struct cell_rect *r, float part,
                                const float *u, float *out, size_t a, size_t b)
{
    const float *h = p->self->h, *cover = p->f->covered_fraction;
#define CORNER(c) (0.25f * ((cover[c] + cover[(c)-a]) + (cover[(c)-b] + cover[(c)-a - b])))
    for (int j = r->j0; j <= r->j1; ++j) // the faces beyond the last cells too
        for (int i = r->i0; i <= r->i1; ++i) {
            const size_t c = grid_at(&p->f->grid, i, j);
            const float along = momentum_exchange(p, cover[c], u, c + a, c, a) -
                                momentum_exchange(p, cover[c - a], u, c, c - a, a);
            const float across = momentum_exchange(p, CORNER(c + b), u, c + b, c, a) -
                                 momentum_exchange(p, CORNER(c), u, c, c - b, a);
            const float depth = 0.5f * (h[c] + h[c - a]);
            out[c] = u[c];
            if (depth > p->coefs.dry_depth) out[c] += part * (along + across) / depth;
        }
#undef CORNER
}

static void copy_rect(const struct shallow_substep *p, const struct cell_rect *r, const float *from, float *u)
{
    for (int j = r->j0; j <= r->j1; ++j) {
        const size_t c = grid_at(&p->f->grid, r->i0, j);
        memcpy(u + c, from + c, (size_t)(r->i1 - r->i0 + 1) * sizeof *u);
    }
}

static void smooth_covered_velocity(const struct shallow_substep *p)
{
    struct shallow *self = p->self;
    if (!p->f->loaded_count) return;
    depth_fill_ghosts(p->f, p->f->covered_fraction, CELL_CENTRE);
    const float part = (float)(0.075 * p->f->max_signal_speed * p->dt / p->f->grid.dx);
    for (int k = 0; k < p->f->loaded_count; ++k) {
        smooth_covered_rect(p, &p->f->loaded_rects[k], part, self->u, self->u_half, 1, p->f->grid.stride);
        smooth_covered_rect(p, &p->f->loaded_rects[k], part, self->v, self->v_half, p->f->grid.stride, 1);
    }
    for (int k = 0; k < p->f->loaded_count; ++k) {
        copy_rect(p, &p->f->loaded_rects[k], self->u_half, self->u);
        copy_rect(p, &p->f->loaded_rects[k], self->v_half, self->v);
    }
    p->f->derived_stale = true;
}

// ---- the story of a step --------------------------------------------------------------------------

struct max_signal_job {
    const struct fluid *f;
    float *row;
};

static void max_signal_pass(void *ctx, int j0, int j1)
{
    const struct max_signal_job *s = ctx;
    const struct shallow *self = s->f->impl;
    for (int j = j0; j < j1; ++j)
        s->row[j] =
            self->kernels->max_signal(&s->f->grid, (float)s->f->gravity, self->h, self->u, self->v, j, j + 1);
}

// A row that is infinite or not a number makes the sum so.
static void update_max_signal(struct fluid *f)
{
    struct shallow *self = f->impl;
    struct max_signal_job s = {f, self->row_max_signal};
    float best = 0.0f;
    parallel_for_rows(f->parallel, f->grid.nz, grid_block_rows(&f->grid), max_signal_pass, &s);
    for (int j = 0; j < f->grid.nz; ++j)
        if (!(self->row_max_signal[j] <= best))
            best = self->row_max_signal[j] < INFINITY ? self->row_max_signal[j] : INFINITY;
    f->max_signal_speed = best;
}

void depth_update_derived(struct fluid *f)
{
    struct shallow *self = f->impl;
    depth_fill_ghosts(f, self->h, CELL_CENTRE);
    depth_fill_ghosts(f, self->u, WEST_FACE);
    depth_fill_ghosts(f, self->v, SOUTH_FACE);
    shallow_apply_level_boundary(f, self->h, self->u, self->v, f->time);
    update_max_signal(f);
    f->derived_stale = false;
}

// More than a hundred thousand cells in a world step are no way to go on.
bool depth_is_valid(const struct fluid *f)
{
    ASSERT(!f->derived_stale); // max_signal_speed
    return f->max_signal_speed * f->world_dt / f->grid.dx < 1e5;
}

double shallow_substep_dt(const struct fluid *f, double left)
{
    const struct shallow_def *d = shallow_def_of(f);
    if (!depth_is_valid(f)) return left;
    const double limit =
        d->substeps ? f->world_dt / d->substeps : d->courant * f->grid.dx / f->max_signal_speed;
    const double steps = ceil(left / limit - 1e-6);
    return steps > 1.0 ? left / steps : left;
}

// Rows that kernels have to look for a lift in: they read two rows to both sides. Elsewhere it would be zero to the bit.
static void mark_loaded_rows(struct fluid *f)
{
    struct shallow *self = f->impl;
    const int rows = f->grid.nz + 1; // the last one holds the northern faces
    memset(self->row_loaded, 0, (size_t)rows);
    for (int k = 0; k < f->loaded_count; ++k)
        for (int j = f->loaded_rects[k].j0 - GRID_GHOSTS; j < f->loaded_rects[k].j1 + GRID_GHOSTS; ++j) {
            const int row = fluid_wrap_row(f, j);
            if (row >= 0) self->row_loaded[row] = 1;
        }
    self->row_loaded[rows - 1] = self->row_loaded[0] || self->row_loaded[rows - 2];
}

static void fill_load_ghosts(struct fluid *f)
{
    mark_loaded_rows(f);
    depth_fill_ghosts(f, f->load_head, CELL_CENTRE);
    if (!f->load_head_next) return;
    depth_fill_ghosts(f, f->load_head_next, CELL_CENTRE);
    depth_fill_ghosts(f, f->load_head_face[0], WEST_FACE);
    depth_fill_ghosts(f, f->load_head_face[1], SOUTH_FACE);
}

static void advance_one(struct fluid *f, double dt)
{
    struct shallow *self = f->impl;
    // No water is deeper than its waves are fast.
    if (f->derived_stale) depth_update_derived(f);
    if (depth_is_valid(f) &&
        f->max_signal_speed * f->max_signal_speed > f->gravity * DEPTH_QUANTA * (double)self->quantum)
        depth_coarsen_quantum(f);
    if (f->derived_stale) depth_update_derived(f);
    shallow_apply_level_boundary(f, self->h, self->u, self->v,
                                 f->time); // from the state alone, and as it is told now
    struct shallow_substep p = begin_substep(f, dt);
    if (p.fields.load_head) fill_load_ghosts(f);
    if (shallow_def_of(f)->advection == SHALLOW_CONSERVATIVE)
        conservative_step(&p);
    else
        semi_lagrangian_step(&p);
    swap_fields(&self->h, &self->h_next);
    swap_fields(&self->u, &self->u_next);
    swap_fields(&self->v, &self->v_next);
    if (shallow_def_of(f)->limit_overshoot > 0.0) reduce_overshoots(&p);
    smooth_covered_velocity(&p);
    f->time += dt;
    if (!f->derived_stale) update_max_signal(f); // otherwise depth_update_derived() computes it
}

void shallow_advance(struct fluid *f, double dt, int count)
{
    for (int i = 0; i < count; ++i) advance_one(f, dt);
}
