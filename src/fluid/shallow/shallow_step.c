// Substep of the shallow-water model: the order of its passes. Each pass runs a kernel over blocks of rows
// and fills the ghost columns of what it wrote; ghost rows follow when all rows are complete. shallow.c has
// the equations; world/step.c calls shallow_advance().
#include "base/error.h"
#include "base/math/math.h"
#include "shallow.h"

#include <string.h>

#define NOISE_QUANTA 0.3f // momentum exchanged per substep below which a difference is rounding noise

struct shallow_substep {
    struct fluid *f;
    struct shallow *self;
    struct shallow_coefs coefs;
    struct shallow_fields fields;
    double time, dt; // [s] start and length
};

// [s/m] dt/dx for the quantisation damping. Noise is as large in short substeps, where it exchanges less
// momentum: there it is judged as in a substep of Courant number 0.45, but of at most a thousand times dt.
static double noise_step(const struct fluid *f, double dt_dx)
{
    return clamp(0.45 / f->max_signal_speed, dt_dx, 1e3 * dt_dx);
}

static struct shallow_substep begin_substep(struct fluid *f, double dt)
{
    const tarn_shallow_def *d = shallow_def_of(f);
    struct shallow *s = f->impl;
    const double dx = f->grid.dx;
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
                  .rounding_bias = (float)(1.5 * DEPTH_QUANTA) * s->depth.quantum,
                  .max_flux = (float)(0.5 * DEPTH_QUANTA) * s->depth.quantum,
                  .reserve_depth = 4.0f * s->depth.quantum,
                  .noise_damping = (float)noise_step(f, dt / dx) / (NOISE_QUANTA * s->depth.quantum),
                  .max_speed =
                      d->stabilisation.speed > 0.0 ? (float)(d->stabilisation.speed * dx / dt) : INFINITY,
                  .max_flux_depth = d->stabilisation.depth > 0.0
                                        ? (float)(d->stabilisation.depth * dx * dx / (f->gravity * dt * dt))
                                        : INFINITY,
                  .manning_coef = (float)(f->gravity * d->manning * d->manning * dt)},
        .fields = {.bed = f->bed,
                   .load_head = f->loaded_count ? f->load_head : NULL,
                   .row_loaded = s->row_loaded,
                   .row_has_wall = s->row_has_wall,
                   .load_head_next = f->load_head_next,
                   .load_head_face = {f->load_head_face[0], f->load_head_face[1]},
                   .h = s->depth.h,
                   .u = s->depth.u,
                   .v = s->depth.v,
                   .h_next = s->depth.h_next,
                   .u_next = s->depth.u_next,
                   .v_next = s->depth.v_next,
                   .manning_drag_u = s->depth.u_next,
                   .manning_drag_v = s->depth.v_next,
                   .h_half = s->h_half,
                   .outflow_limiter = s->outflow_limiter,
                   .u_half = s->u_half,
                   .v_half = s->v_half,
                   .flux_x = s->depth.flux_x,
                   .flux_z = s->depth.flux_z},
    };
}

static void for_face_rows(struct shallow_substep *p, row_range_fn fn) { depth_for_face_rows(p->f, fn, p); }

static void fill_columns(const struct shallow_substep *p, float *q, enum location stand, int j0, int j1)
{
    for (int j = j0; j < j1; ++j) depth_fill_ghost_columns(p->f, q, stand, j);
}

// Velocities at open boundaries, then ghost columns.
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
    depth_fill_ghost_columns(p->f, v, SOUTH_FACE, 0); // the boundary condition changed these rows
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
            shallow_apply_open_boundary_x(p->f, h, u, t, j, p->self->depth.flux_x, p->coefs.dt_dx);
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
        p->self->depth.row_overdrawn[j] = p->self->kernels->update_depth(&p->f->grid, &p->fields, j);
        depth_fill_ghost_columns(p->f, p->self->depth.h_next, CELL_CENTRE, j);
    }
}

static void outflow_limiter_pass(void *ctx, int j0, int j1)
{
    const struct shallow_substep *p = ctx;
    for (int j = j0; j < j1; ++j) {
        if (j == p->f->grid.nz || !p->self->depth.row_overdrawn[j]) continue;
        p->self->kernels->outflow_limiter(&p->f->grid, &p->coefs, &p->fields, j);
        if (p->f->periodic_x) depth_fill_ghost_columns(p->f, p->self->h_half, CELL_CENTRE, j);
    }
}

// Whether the outflow of a row is limited.
static bool is_overdrawn(const struct shallow_substep *p, int j)
{
    if (p->f->periodic_z) j = (j + p->f->grid.nz) % p->f->grid.nz;
    return 0 <= j && j < p->f->grid.nz && p->self->depth.row_overdrawn[j];
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
        depth_fill_ghost_columns(p->f, p->self->depth.h_next, CELL_CENTRE, j);
    }
}

static void flux_ghost_pass(void *ctx, int j0, int j1)
{
    const struct shallow_substep *p = ctx;
    fill_columns(p, p->self->depth.flux_x, WEST_FACE, j0, j1);
    fill_columns(p, p->self->depth.flux_z, SOUTH_FACE, j0, j1);
}

static void momentum_pass(void *ctx, int j0, int j1)
{
    const struct shallow_substep *p = ctx;
    p->self->kernels->update_momentum(&p->f->grid, &p->coefs, &p->fields, j0, j1);
    fill_velocity_columns(p, p->self->depth.h_next, p->self->depth.u_next, p->self->depth.v_next,
                          p->time + p->dt, j0, j1);
}

// Continuity. Where the outflow of a cell exceeds its depth, its fluxes are scaled down (positivity limiter).
// u, v: the velocities of the fluxes, for boundaries with a level.
static void advance_depth(struct shallow_substep *p, const float *u, const float *v)
{
    struct shallow *self = p->self;
    bool any_overdrawn = false;
    for_face_rows(p, update_depth_pass);
    for (int j = 0; j < p->f->grid.nz; ++j) any_overdrawn = any_overdrawn || self->depth.row_overdrawn[j];
    if (any_overdrawn) {
        for_face_rows(p, outflow_limiter_pass);
        for_face_rows(p, limit_flux_pass);
        for_face_rows(p, redo_depth_pass);
    }
    p->f->outflow_depth += depth_boundary_outflow(p->f);
    depth_fill_ghost_rows(p->f, self->depth.h_next, CELL_CENTRE);
    shallow_apply_level_boundary(p->f, self->depth.h_next, u, v, p->time + p->dt);
}

static void conservative_step(struct shallow_substep *p)
{
    struct shallow *self = p->self;
    const double mid_time = p->time + 0.5 * p->dt;
    for_face_rows(p, predict_pass);
    depth_fill_ghost_rows(p->f, self->h_half, CELL_CENTRE);
    fill_velocity_rows(p, self->h_half, self->u_half, self->v_half, mid_time);
    shallow_apply_level_boundary(p->f, self->h_half, self->u_half, self->v_half, mid_time);
    for_face_rows(p, depth_flux_pass);
    shallow_apply_open_boundary_z(p->f, self->h_half, self->v_half, mid_time, self->depth.flux_z,
                                  p->coefs.dt_dx);
    advance_depth(p, self->u_half, self->v_half);
    for_face_rows(p, flux_ghost_pass);
    depth_fill_ghost_rows(p->f, self->depth.flux_x, WEST_FACE);
    depth_fill_ghost_rows(p->f, self->depth.flux_z, SOUTH_FACE);
    for_face_rows(p, momentum_pass);
    fill_velocity_rows(p, self->depth.h_next, self->depth.u_next, self->depth.v_next, p->time + p->dt);
}

// ---- semi-Lagrangian schemes ----

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
    fill_velocity_columns(p, p->self->depth.h, p->self->depth.u_next, p->self->depth.v_next, p->time + p->dt,
                          j0, j1);
}

static void upwind_flux_pass(void *ctx, int j0, int j1)
{
    const struct shallow_substep *p = ctx;
    p->self->kernels->upwind_flux(&p->f->grid, &p->coefs, &p->fields, j0, j1);
    boundary_flux_columns(p, p->self->depth.h, p->self->depth.u_next, p->time + p->dt, j0, j1);
}

// The pressure gradient is applied to a row right after its advection, while it is in the cache.
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
    if (shallow_def_of(p->f)->advection == TARN_SHALLOW_MACCORMACK) {
        for_face_rows(p, advect_pass);
        depth_fill_ghost_rows(p->f, self->u_half, WEST_FACE);
        depth_fill_ghost_rows(p->f, self->v_half, SOUTH_FACE);
        for_face_rows(p, maccormack_slope_pass);
    } else {
        p->fields.u_half = self->depth.u_next, p->fields.v_half = self->depth.v_next;
        for_face_rows(p, advect_slope_pass);
    }
    fill_velocity_rows(p, self->depth.h, self->depth.u_next, self->depth.v_next, p->time + p->dt);
    for_face_rows(p, upwind_flux_pass);
    shallow_apply_open_boundary_z(p->f, self->depth.h, self->depth.v_next, p->time + p->dt,
                                  self->depth.flux_z, p->coefs.dt_dx);
    advance_depth(p, self->depth.u_next, self->depth.v_next);
}

// ---- overshoot reduction ----

// [chentanez2010], 2.5: at the edge of a wave a cell that is more than two cell widths above the one behind,
// and above the one ahead, gives a fraction of its excess to the one ahead.
static float overshoot_flux(const struct shallow_substep *p, size_t behind, size_t c, size_t ahead)
{
    const float *h = p->fields.h, *bed = p->fields.bed;
    // At most a quarter of the difference, because a peak may give to four neighbours.
    const float fraction = 0.25f * (float)shallow_def_of(p->f)->stabilisation.overshoot;
    const bool edge = bed[c] + h[c] - (bed[behind] + h[behind]) > 2.0f * (float)p->f->grid.dx &&
                      bed[c] + h[c] > bed[ahead] + h[ahead] && h[c] > h[ahead];
    const double quantum = p->self->depth.quantum; // rounded down, so that the four do not exceed the excess
    return edge ? (float)(floor((double)(fraction * (h[c] - h[ahead])) / quantum) * quantum) : 0.0f;
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
            p->self->depth.flux_x[c] =
                x ? overshoot_flux(p, c - 2, c - 1, c) - overshoot_flux(p, c + 1, c, c - 1) : 0.0f;
            p->self->depth.flux_z[c] =
                z ? overshoot_flux(p, c - 2 * n, c - n, c) - overshoot_flux(p, c + n, c, c - n) : 0.0f;
        }
}

// The moved water arrives without momentum and takes its own away, so kinetic energy never grows.
static void dilute_momentum_pass(void *ctx, int j0, int j1)
{
    const struct shallow_substep *p = ctx;
    const float *h = p->self->depth.h, *h1 = p->self->depth.h_next;
    const size_t n = p->f->grid.stride;
    for (int j = j0; j < j1; ++j)
        for (int i = 0; i <= p->f->grid.nx; ++i) {
            const size_t c = grid_at(&p->f->grid, i, j);
            const float x = h[c - 1] + h[c], x1 = h1[c - 1] + h1[c], z = h[c - n] + h[c],
                        z1 = h1[c - n] + h1[c];
            if (x1 > x) p->self->depth.u[c] *= x / x1;
            if (z1 > z) p->self->depth.v[c] *= z / z1;
        }
}

static void reduce_overshoots(struct shallow_substep *p)
{
    struct shallow *self = p->self;
    p->fields.h = self->depth.h, p->fields.h_next = self->depth.h_next;
    for_face_rows(p, overshoot_flux_pass);
    for_face_rows(p, update_depth_pass);
    depth_fill_ghost_rows(p->f, self->depth.h_next, CELL_CENTRE);
    for_face_rows(p, dilute_momentum_pass);
    swap_fields(&self->depth.h, &self->depth.h_next);
    p->f->derived_stale = true;
}

// ---- smoothing under loads ----

// Under bodies the grid would support ripples of the velocity. They are smoothed by an exchange of momentum
// between neighbouring faces, which conserves it. The shallower face determines the amount, so that thin
// water keeps a bounded velocity.
static float momentum_exchange(const struct shallow_substep *p, float covered, const float *u, size_t from,
                               size_t to, size_t step_along)
{
    const float *h = p->self->depth.h;
    const float depth_from = 0.5f * (h[from] + h[from - step_along]),
                depth_to = 0.5f * (h[to] + h[to - step_along]);
    const float depth = depth_from < depth_to ? depth_from : depth_to;
    return depth > p->coefs.dry_depth ? covered * depth * (u[from] - u[to]) : 0.0f;
}

// Smooths one component in a rectangle, its last faces included. `a` is one step along the axis of the
// component, `b` one across.
static void smooth_covered_rect(const struct shallow_substep *p, const struct cell_rect *r, float weight,
                                const float *u, float *out, size_t a, size_t b)
{
    const float *h = p->self->depth.h, *covered = p->f->covered_fraction;
#define AT_CORNER(c) (0.25f * ((covered[c] + covered[(c)-a]) + (covered[(c)-b] + covered[(c)-a - b])))
    for (int j = r->j0; j <= r->j1; ++j)
        for (int i = r->i0; i <= r->i1; ++i) {
            const size_t c = grid_at(&p->f->grid, i, j);
            const float along = momentum_exchange(p, covered[c], u, c + a, c, a) -
                                momentum_exchange(p, covered[c - a], u, c, c - a, a);
            const float across = momentum_exchange(p, AT_CORNER(c + b), u, c + b, c, a) -
                                 momentum_exchange(p, AT_CORNER(c), u, c, c - b, a);
            const float depth = 0.5f * (h[c] + h[c - a]);
            out[c] = u[c];
            if (depth > p->coefs.dry_depth) out[c] += weight * (along + across) / depth;
        }
#undef AT_CORNER
}

static void copy_rect(const struct shallow_substep *p, const struct cell_rect *r, const float *from,
                      float *to)
{
    for (int j = r->j0; j <= r->j1; ++j) {
        const size_t c = grid_at(&p->f->grid, r->i0, j);
        memcpy(to + c, from + c, (size_t)(r->i1 - r->i0 + 1) * sizeof *to);
    }
}

static void smooth_covered_velocity(const struct shallow_substep *p)
{
    struct shallow *self = p->self;
    if (!p->f->loaded_count) return;
    depth_fill_ghosts(p->f, p->f->covered_fraction, CELL_CENTRE);
    const float weight = (float)(0.075 * p->f->max_signal_speed * p->dt / p->f->grid.dx);
    for (int k = 0; k < p->f->loaded_count; ++k) {
        smooth_covered_rect(p, &p->f->loaded_rects[k], weight, self->depth.u, self->u_smooth, 1,
                            p->f->grid.stride);
        smooth_covered_rect(p, &p->f->loaded_rects[k], weight, self->depth.v, self->v_smooth,
                            p->f->grid.stride, 1);
    }
    for (int k = 0; k < p->f->loaded_count; ++k) {
        copy_rect(p, &p->f->loaded_rects[k], self->u_smooth, self->depth.u);
        copy_rect(p, &p->f->loaded_rects[k], self->v_smooth, self->depth.v);
    }
    p->f->derived_stale = true;
}

// ---- order of a substep ----

void shallow_update_derived(struct fluid *f)
{
    const struct depth_state *s = f->impl;
    depth_update_derived(f);
    shallow_apply_level_boundary(f, s->h, s->u, s->v, f->time);
}

double shallow_substep_dt(const struct fluid *f, double time_left)
{
    const tarn_shallow_def *d = shallow_def_of(f);
    if (!depth_is_valid(f)) return time_left;
    const double limit =
        d->substeps ? f->world_dt / d->substeps : d->max_courant * f->grid.dx / f->max_signal_speed;
    const double steps = ceil(time_left / limit - 1e-6);
    return steps > 1.0 ? time_left / steps : time_left;
}

// Rows with a load within the two rows on both sides that kernels read. The load head of other rows is 0.
static void mark_loaded_rows(struct fluid *f)
{
    struct shallow *self = f->impl;
    const int rows = f->grid.nz + 1; // the last one has the north faces
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
    depth_begin_substep(f, dt);
    shallow_apply_level_boundary(f, self->depth.h, self->depth.u, self->depth.v, f->time);
    struct shallow_substep p = begin_substep(f, dt);
    if (p.fields.load_head) fill_load_ghosts(f);
    if (shallow_def_of(f)->advection == TARN_SHALLOW_CONSERVATIVE)
        conservative_step(&p);
    else
        semi_lagrangian_step(&p);
    swap_fields(&self->depth.h, &self->depth.h_next);
    swap_fields(&self->depth.u, &self->depth.u_next);
    swap_fields(&self->depth.v, &self->depth.v_next);
    if (shallow_def_of(f)->stabilisation.overshoot > 0.0) reduce_overshoots(&p);
    smooth_covered_velocity(&p);
    f->time += dt;
    if (!f->derived_stale) depth_update_max_signal(f); // otherwise depth_update_derived() computes it
}

void shallow_advance(struct fluid *f, double dt, int count)
{
    for (int i = 0; i < count; ++i) advance_one(f, dt);
}
