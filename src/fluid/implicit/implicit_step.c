// How the implicit height field moves: the passes of one step, in order.
#include "implicit.h"

#include <string.h>

#define MAX_NEWTON_STEPS  20
#define FILM_CELLS        0.1   // [cells]
#define INEXACT_TOLERANCE 0.003 // how exact a step is that others follow
#define RESIDUAL_QUANTA \
    0.01 // [quanta] root mean square of what a balance may lack: far below what depths show

struct implicit_substep {
    struct fluid *f;
    struct implicit *self;
    struct implicit_coefs coefs;
    struct implicit_fields fields;
    double *newton_step;
    double dt;
    double step_length;     // of the step to take
    double splitting_ratio; // r, see below; 1 without surface tension
    double trial_length;    // how much of a step is best
    bool limit_all;
};

static struct implicit_substep begin_substep(struct fluid *f, double dt)
{
    const struct implicit_def *d = implicit_def_of(f);
    struct implicit *self = f->impl;
    struct shallow *s = &self->depth;
    const double dx = f->grid.dx, shake = m_sin_turns((f->time + 0.5 * dt) / d->depth.shake_period);
    for (int i = 0; i < 2; ++i)
        f->external_acceleration[i] = d->depth.acceleration[i] + shake * d->depth.shake_amplitude[i];
    const bool bends = self->tension_solver != NULL;
    return (struct implicit_substep){
        .f = f,
        .self = self,
        .dt = dt,
        .splitting_ratio = 1.0,
        .trial_length = 1.0,
        .newton_step = self->vector[5],
        .coefs = {.dt_dx = (float)(dt / dx),
                  .g_dt_dx = (float)(f->gravity * dt / dx),
                  .gravity = (float)f->gravity,
                  .accel_dt_x = (float)(dt * f->external_acceleration[0]),
                  .accel_dt_z = (float)(dt * f->external_acceleration[1]),
                  .damping_factor = d->damping_fraction > 0.0
                                        ? (float)m_pow(1.0 - d->damping_fraction, dt / f->world_dt)
                                        : 1.0f,
                  .drag_depth = (float)(d->drag_velocity * dt),
                  .dry_depth = (float)f->dry_depth,
                  .min_film = (float)(FILM_CELLS * dx),
                  .rounding_bias = (float)(1.5 * DEPTH_QUANTA) * s->quantum,
                  .max_flux = (float)(0.5 * DEPTH_QUANTA) * s->quantum,
                  .reserve_depth = 4.0f * s->quantum,
                  .tension_coef = (float)(d->tension / (f->density * f->gravity * dx * dx))},
        .fields = {.bed = f->bed,
                   .h = s->h,
                   .u = s->u,
                   .v = s->v,
                   .h_next = s->h_next,
                   .u_next = s->u_next,
                   .v_next = s->v_next,
                   .explicit_flux_x = s->u_half,
                   .explicit_flux_z = s->v_half,
                   .alpha = self->own[0],
                   .beta_x = self->own[1],
                   .beta_z = self->own[2],
                   .tension_x = bends ? self->own[3] : NULL,
                   .tension_z = bends ? self->own[4] : NULL,
                   .flux_x = s->flux_x,
                   .flux_z = s->flux_z,
                   .eta = self->vector[0],
                   .head = self->vector[bends ? 1 : 0],
                   .load_head = f->loaded_count ? f->load_head : NULL,
                   .displaced = self->vector[2],
                   .displaced_slope = self->vector[3],
                   .residual = self->vector[4],
                   .outflow_limiter = s->h_half},
    };
}

// Rows 0 .. nz: the last one holds the northern faces.
static void for_face_rows(struct implicit_substep *p, row_range_fn fn)
{
    const int rows = p->f->grid.nz + 1, block = grid_block_rows(&p->f->grid);
    parallel_for_rows(p->f->parallel, rows, block < p->f->grid.nz ? block : rows, fn, p);
}

static void for_cell_rows(struct implicit_substep *p, row_range_fn fn)
{
    parallel_for_rows(p->f->parallel, p->f->grid.nz, grid_block_rows(&p->f->grid), fn, p);
}

static double add_row_reductions(const struct implicit_substep *p)
{
    double sum = 0.0;
    for (int j = 0; j < p->f->grid.nz; ++j) sum += p->self->row_reduction[j];
    return sum;
}

// ---- faces and sides ------------------------------------------------------------------------------

static void assemble_faces_pass(void *ctx, int j0, int j1)
{
    const struct implicit_substep *p = ctx;
    p->self->kernels->assemble_faces(&p->f->grid, &p->coefs, &p->fields, j0, j1);
}

// A side face. Nothing passes a wall; an open one lets go what a wave brings that leaves, c eta a second, taken at the
// end of the step so that it is calm for any (Flather's condition with still water outside).
static void set_boundary_face(const struct implicit_substep *p, int kind, size_t face, size_t edge,
                              float *free, float *beta, float *tension)
{
    if (kind == BOUNDARY_PERIODIC) return;
    free[face] = 0.0f;
    if (tension) tension[face] = 0.0f;
    beta[face] = kind == BOUNDARY_OPEN
                     ? p->coefs.dt_dx * (float)sqrt(p->f->gravity * (double)p->fields.h[edge])
                     : 0.0f;
}

static void set_boundary_faces(const struct implicit_substep *p)
{
    const struct shallow_boundary *side = implicit_def_of(p->f)->depth.boundary;
    const struct grid *g = &p->f->grid;
    const struct implicit_fields *q = &p->fields;
    for (int j = 0; j < g->nz; ++j) {
        const size_t west = grid_at(g, 0, j), east = grid_at(g, g->nx - 1, j);
        set_boundary_face(p, side[0].kind, west, west, q->explicit_flux_x, q->beta_x, q->tension_x);
        set_boundary_face(p, side[1].kind, east + 1, east, q->explicit_flux_x, q->beta_x, q->tension_x);
    }
    for (int i = 0; i < g->nx; ++i) {
        const size_t south = grid_at(g, i, 0), north = grid_at(g, i, g->nz - 1);
        set_boundary_face(p, side[2].kind, south, south, q->explicit_flux_z, q->beta_z, q->tension_z);
        set_boundary_face(p, side[3].kind, north + g->stride, north, q->explicit_flux_z, q->beta_z,
                          q->tension_z);
    }
}

// Beyond periodic sides is the other end; beyond others there is 0, the level at rest.
static void fill_periodic(const struct fluid *f, double *x)
{
    const struct grid *g = &f->grid;
    for (int j = 0; f->periodic_x && j < g->nz; ++j) {
        const size_t west = grid_at(g, 0, j), east = grid_at(g, g->nx - 1, j);
        x[west - 1] = x[east], x[east + 1] = x[west];
    }
    if (!f->periodic_z) return;
    const size_t row = (size_t)g->nx * sizeof *x;
    memcpy(x + grid_at(g, 0, -1), x + grid_at(g, 0, g->nz - 1), row);
    memcpy(x + grid_at(g, 0, g->nz), x + grid_at(g, 0, 0), row);
}

// ---- the surface ----------------------------------------------------------------------------------

static void start_surface_pass(void *ctx, int j0, int j1)
{
    const struct implicit_substep *p = ctx;
    for (int j = j0; j < j1; ++j) p->self->kernels->start_surface(&p->f->grid, &p->fields, j);
}

static void apply_tension_pass(void *ctx, int j0, int j1)
{
    const struct implicit_substep *p = ctx;
    for (int j = j0; j < j1; ++j) p->self->kernels->apply_tension(&p->f->grid, &p->fields, j);
}

static void residual_pass(void *ctx, int j0, int j1)
{
    const struct implicit_substep *p = ctx;
    for (int j = j0; j < j1; ++j)
        p->self->row_reduction[j] = p->self->kernels->compute_residual(&p->f->grid, &p->fields, j);
}

static void diagonal_pass(void *ctx, int j0, int j1)
{
    const struct implicit_substep *p = ctx;
    for (int j = j0; j < j1; ++j)
        p->self->kernels->assemble_diagonal(&p->f->grid, &p->fields, 1.0 / p->splitting_ratio, j);
}

static void update_surface_pass(void *ctx, int j0, int j1)
{
    const struct implicit_substep *p = ctx;
    for (int j = j0; j < j1; ++j)
        p->self->kernels->update_surface(&p->f->grid, &p->fields, p->step_length, p->newton_step, j);
}

// Root mean square of what the balances lack [m].
static double residual_norm(struct implicit_substep *p)
{
    implicit_update_displaced(p->f, p->dt);
    fill_periodic(p->f, p->fields.eta);
    if (p->fields.head != p->fields.eta) {
        for_cell_rows(p, apply_tension_pass);
        fill_periodic(p->f, p->fields.head);
    }
    for_cell_rows(p, residual_pass);
    return sqrt(add_row_reductions(p) / ((double)p->f->grid.nx * p->f->grid.nz));
}

// ---- surface tension ------------------------------------------------------------------------------
//
// With it the system is V' + L (1 + K), L the water and K the skin: of fourth order. A step of Newton's method takes the
// product (V'/r + L) (r + K) instead, two systems of second order. For water as deep as the deepest, where L is A times
// and K bend times the Laplacian, that is exact if  r A + bend/r = A. Where that has no solution, r = sqrt(bend/A): the product
// is up to twice too large, and a stride of 4/3 leaves a third at most.

static void tension_faces_pass(void *ctx, int j0, int j1)
{
    const struct implicit_substep *p = ctx;
    p->self->kernels->tension_faces(&p->f->grid, &p->coefs, &p->fields, j0, j1);
}

static void max_beta_pass(void *ctx, int j0, int j1)
{
    const struct implicit_substep *p = ctx;
    for (int j = j0; j < j1; ++j)
        p->self->row_reduction[j] = p->self->kernels->max_beta(&p->f->grid, &p->fields, j);
}

static void set_tension_diagonal_pass(void *ctx, int j0, int j1)
{
    const struct implicit_substep *p = ctx;
    for (int j = j0; j < j1; ++j)
        for (int i = 0; i < p->f->grid.nx; ++i)
            p->self->own[5][grid_at(&p->f->grid, i, j)] = (float)p->splitting_ratio;
}

static void setup_tension_solver(struct implicit_substep *p)
{
    const double tension_coef = (double)p->coefs.tension_coef;
    double most = 1e-20;
    for_face_rows(p, max_beta_pass);
    for (int j = 0; j <= p->f->grid.nz; ++j) most = fmax(most, p->self->row_reduction[j]);
    p->trial_length = most > 4.0 * tension_coef ? 1.0 : 4.0 / 3.0;
    p->splitting_ratio = most > 4.0 * tension_coef ? 0.5 * (1.0 + sqrt(1.0 - 4.0 * tension_coef / most))
                                                   : sqrt(tension_coef / most);
    for_cell_rows(p, set_tension_diagonal_pass);
    const struct linear_system system = {
        .alpha = p->self->own[5],
        .beta_x = p->fields.tension_x,
        .beta_z = p->fields.tension_z,
        .periodic_x = p->f->periodic_x,
        .periodic_z = p->f->periodic_z,
    };
    linear_setup(p->self->tension_solver, &system);
}

static void setup_surface_solver(struct implicit_substep *p)
{
    const struct shallow_boundary *side = implicit_def_of(p->f)->depth.boundary;
    struct linear_system system = {
        .alpha = p->fields.alpha,
        .beta_x = p->fields.beta_x,
        .beta_z = p->fields.beta_z,
        .periodic_x = p->f->periodic_x,
        .periodic_z = p->f->periodic_z,
    };
    for (int i = 0; i < 4; ++i) system.boundary_factor[i] = side[i].kind == BOUNDARY_OPEN ? 1.0f : 0.0f;
    for_cell_rows(p, diagonal_pass);
    system.terms = p->f->load_terms;
    system.term_count = implicit_load_terms(p->f, p->dt, 1.0 / p->splitting_ratio,
                                            p->self->solver_kind->supports_terms, p->fields.alpha);
    linear_setup(p->self->surface_solver, &system);
}

static void dot_pass(void *ctx, int j0, int j1)
{
    const struct implicit_substep *p = ctx;
    for (int j = j0; j < j1; ++j)
        p->self->row_reduction[j] =
            p->self->kernels->dot_step_residual(&p->f->grid, &p->fields, p->newton_step, j);
}

// How far the balance still wants to go along the step.
static double directional_derivative(struct implicit_substep *p)
{
    for_cell_rows(p, dot_pass);
    return add_row_reductions(p);
}

static double move_and_evaluate(struct implicit_substep *p, double part)
{
    p->step_length = part;
    for_cell_rows(p, update_surface_pass);
    return residual_norm(p);
}

// The surface makes a convex function least, whose slope is minus what the balances lack. So a step that goes too far is
// cut to about where the slope along it changes its sign. Gives back what the balances lack then.
static double line_search(struct implicit_substep *p)
{
    enum { MAX_CUTBACKS = 8 };
    const double start = directional_derivative(p);
    const double whole = p->trial_length;
    double left = move_and_evaluate(p, whole), lo = 0.0, hi = whole, at = whole, at_lo = start, at_hi = 0.0;
    for (int n = 0; n < MAX_CUTBACKS; ++n) {
        const double now = directional_derivative(p);
        if (now >= (whole > 1.0 ? -0.35 : -0.1) * start && (at == whole || now <= 0.5 * start)) break;
        if (now < 0.0)
            hi = at, at_hi = now;
        else
            lo = at, at_lo = now;
        const double next = lo + (hi - lo) * clamp(at_lo / (at_lo - at_hi), 0.1, 0.9);
        left = move_and_evaluate(p, next - at);
        at = next;
    }
    return left;
}

// Where to go from here: one step of Newton's method.
static void solve_newton_step(struct implicit_substep *p, double tolerance)
{
    const struct implicit_def *d = implicit_def_of(p->f);
    const size_t bytes = p->f->grid.size * sizeof *p->newton_step;
    const struct linear_tolerance goal = {.relative = tolerance, .max_iterations = d->max_iterations};
    struct linear_report report;
    setup_surface_solver(p);
    memset(p->newton_step, 0, bytes);
    linear_solve(p->self->surface_solver, p->fields.residual, p->newton_step, goal, &report);
    if (!p->self->tension_solver) return;
    double *const first = p->self->vector[6];
    memcpy(first, p->newton_step, bytes);
    memset(p->newton_step, 0, bytes);
    linear_solve(p->self->tension_solver, first, p->newton_step, goal, &report);
}

// Newton's method on V(eta) = h - div(t). Once it is known which columns are wet, the next step is exact.
static void newton_solve(struct implicit_substep *p)
{
    const struct implicit_def *d = implicit_def_of(p->f);
    const double hush = RESIDUAL_QUANTA * (double)p->self->depth.quantum;
    for_cell_rows(p, start_surface_pass);
    if (p->self->tension_solver) setup_tension_solver(p);
    double left = residual_norm(p);
    const double enough = fmax(hush, 2.0 * d->tolerance * left);
    for (int n = 0; n < MAX_NEWTON_STEPS && left > enough; ++n) {
        // With surface tension one step will not do anyway, and none has to be exact. (With what presses it would tremble.)
        solve_newton_step(p, p->self->tension_solver
                                 ? fmax(d->tolerance, fmin(INEXACT_TOLERANCE, 0.5 * enough / left))
                                 : d->tolerance);
        left = line_search(p);
    }
}

// ---- depth ----------------------------------------------------------------------------------------

static void flux_pass(void *ctx, int j0, int j1)
{
    const struct implicit_substep *p = ctx;
    p->self->kernels->compute_flux(&p->f->grid, &p->coefs, &p->fields, j0, j1);
}

static void update_depth_pass(void *ctx, int j0, int j1)
{
    const struct implicit_substep *p = ctx;
    for (int j = j0; j < j1; ++j)
        p->self->depth.row_overdrawn[j] = p->self->kernels->update_depth(&p->f->grid, &p->fields, j);
}

static void outflow_limiter_pass(void *ctx, int j0, int j1)
{
    const struct implicit_substep *p = ctx;
    for (int j = j0; j < j1; ++j)
        p->self->kernels->outflow_limiter(&p->f->grid, &p->coefs, &p->fields, p->limit_all, j);
}

static void limit_flux_pass(void *ctx, int j0, int j1)
{
    const struct implicit_substep *p = ctx;
    for (int j = j0; j < j1; ++j) p->self->kernels->limit_flux(&p->f->grid, &p->coefs, &p->fields, j);
}

static bool has_overdrawn(struct implicit_substep *p)
{
    for_cell_rows(p, update_depth_pass);
    for (int j = 0; j < p->f->grid.nz; ++j)
        if (p->self->depth.row_overdrawn[j]) return true;
    return false;
}

// A cell that would end below 0, by rounding or because the surface is not quite found, gives no more than it has. Then
// others may get too little: so again, and in the end nobody gives more than it has.
static void advance_depth(struct implicit_substep *p)
{
    enum { MAX_LIMITER_ROUNDS = 24 };
    for_face_rows(p, flux_pass);
    for (int n = 0; n <= MAX_LIMITER_ROUNDS && has_overdrawn(p); ++n) {
        p->limit_all = n == MAX_LIMITER_ROUNDS;
        for_cell_rows(p, outflow_limiter_pass);
        depth_fill_ghosts(p->f, p->fields.outflow_limiter, CELL_CENTRE);
        for_face_rows(p, limit_flux_pass);
        if (n == MAX_LIMITER_ROUNDS) for_cell_rows(p, update_depth_pass);
    }
    p->f->outflow_depth += depth_boundary_outflow(p->f);
    depth_fill_ghosts(p->f, p->fields.h_next, CELL_CENTRE);
}

// ---- speeds ---------------------------------------------------------------------------------------

static void outgoing_velocity_pass(void *ctx, int j0, int j1)
{
    const struct implicit_substep *p = ctx;
    p->self->kernels->outgoing_velocity(&p->f->grid, &p->fields, j0, j1);
}

static void advect_pass(void *ctx, int j0, int j1)
{
    const struct implicit_substep *p = ctx;
    p->self->kernels->advect_momentum(&p->f->grid, &p->coefs, &p->fields, j0, j1);
}

static void slope_pass(void *ctx, int j0, int j1)
{
    const struct implicit_substep *p = ctx;
    p->self->kernels->apply_slope(&p->f->grid, &p->coefs, &p->fields, j0, j1);
}

// The speed on an open side face is that of the water that passed it.
static void set_boundary_velocity(const struct implicit_substep *p, int kind, size_t face, size_t edge,
                                  const float *t, float *u)
{
    if (kind != BOUNDARY_OPEN) return;
    const float depth = p->fields.h_next[edge];
    u[face] = depth > p->coefs.dry_depth ? t[face] / (p->coefs.dt_dx * depth) : 0.0f;
}

static void set_boundary_velocities(const struct implicit_substep *p)
{
    const struct shallow_boundary *side = implicit_def_of(p->f)->depth.boundary;
    const struct grid *g = &p->f->grid;
    const struct implicit_fields *q = &p->fields;
    for (int j = 0; j < g->nz; ++j) {
        const size_t west = grid_at(g, 0, j), east = grid_at(g, g->nx - 1, j);
        set_boundary_velocity(p, side[0].kind, west, west, q->flux_x, q->u_next);
        set_boundary_velocity(p, side[1].kind, east + 1, east, q->flux_x, q->u_next);
    }
    for (int i = 0; i < g->nx; ++i) {
        const size_t south = grid_at(g, i, 0), north = grid_at(g, i, g->nz - 1);
        set_boundary_velocity(p, side[2].kind, south, south, q->flux_z, q->v_next);
        set_boundary_velocity(p, side[3].kind, north + g->stride, north, q->flux_z, q->v_next);
    }
}

static void advance_velocity(struct implicit_substep *p)
{
    struct shallow *s = &p->self->depth;
    depth_fill_ghosts(p->f, s->flux_x, WEST_FACE);
    depth_fill_ghosts(p->f, s->flux_z, SOUTH_FACE);
    for_face_rows(p, outgoing_velocity_pass);
    depth_fill_ghosts(p->f, p->fields.explicit_flux_x, WEST_FACE);
    depth_fill_ghosts(p->f, p->fields.explicit_flux_z, SOUTH_FACE);
    for_face_rows(p, advect_pass);
    for_face_rows(p, slope_pass);
    set_boundary_velocities(p);
    implicit_set_stagnant_velocity(p->f, &p->fields, p->coefs.dt_dx);
}

static void store_surface_pass(void *ctx, int j0, int j1)
{
    const struct implicit_substep *p = ctx;
    for (int j = j0; j < j1; ++j) {
        const size_t row = grid_at(&p->f->grid, 0, j);
        for (size_t c = row; c < row + (size_t)p->f->grid.nx; ++c)
            p->f->solved_surface[c] = fmaxf(p->f->bed[c], (float)p->fields.eta[c]);
    }
}

// ---- the story of a step --------------------------------------------------------------------------

static void swap_fields(float **a, float **b)
{
    float *const kept = *a;
    *a = *b;
    *b = kept;
}

static void advance_one(struct fluid *f, double dt)
{
    struct shallow *s = f->impl;
    if (f->derived_stale) depth_update_derived(f);
    if (depth_is_valid(f) &&
        f->max_signal_speed * f->max_signal_speed > f->gravity * DEPTH_QUANTA * (double)s->quantum)
        depth_coarsen_quantum(f);
    if (f->derived_stale) depth_update_derived(f);
    struct implicit_substep p = begin_substep(f, dt);
    if (p.fields.load_head) depth_fill_ghosts(f, f->load_head, CELL_CENTRE);
    for_face_rows(&p, assemble_faces_pass);
    if (p.fields.tension_x) for_face_rows(&p, tension_faces_pass);
    set_boundary_faces(&p);
    implicit_zero_stagnant_flux(f, &p.fields);
    newton_solve(&p);
    advance_depth(&p);
    advance_velocity(&p);
    if (f->solved_surface) for_cell_rows(&p, store_surface_pass);
    implicit_clear_displaced(f);
    swap_fields(&s->h, &s->h_next);
    swap_fields(&s->u, &s->u_next);
    swap_fields(&s->v, &s->v_next);
    f->time += dt;
    depth_update_derived(f);
}

double implicit_substep_dt(const struct fluid *f, double left)
{
    if (!depth_is_valid(f)) return left; // and the fastest signal is that of the state, in a loaded world too
    const double steps = ceil(left * implicit_def_of(f)->depth.substeps / f->world_dt - 1e-6);
    return steps > 1.0 ? left / steps : left;
}

void implicit_advance(struct fluid *f, double dt, int count)
{
    for (int i = 0; i < count; ++i) advance_one(f, dt);
}
