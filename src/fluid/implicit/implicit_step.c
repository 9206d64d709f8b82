// Substep of the implicit height-field model. The surface at the end of the substep is found by Newton's
// method [casulli2011] with a linear system per iteration; fluxes, depth and velocity follow from it.
// implicit.c has the equations; world/step.c calls implicit_advance().
#include "fluid/measured_solve.h"
#include "implicit.h"

#include <string.h>

#define MAX_NEWTON_STEPS  20
#define FILM_CELLS        0.1   // [cells] depth of the film under a body that stands on the bed
#define INEXACT_TOLERANCE 0.003 // of the linear systems of a Newton step that another one follows
#define RESIDUAL_QUANTA   0.01  // [quanta] residual (root mean square) that no depth can show

struct implicit_substep {
    struct fluid *f;
    struct implicit *self;
    struct implicit_coefs coefs;
    struct implicit_fields fields;
    double *newton_step; // [m] change of the surface by a Newton step
    double dt;
    double step_length;     // fraction of newton_step that update_surface adds
    double splitting_ratio; // r, see setup_tension_solver(); 1 without surface tension
    double trial_length;    // first step length of the line search
    bool limit_all;
};

static struct implicit_substep begin_substep(struct fluid *f, double dt)
{
    const tarn_implicit_def *d = implicit_def_of(f);
    struct implicit *self = f->impl;
    struct depth_state *s = &self->depth;
    const double dx = f->grid.dx;
    const bool has_tension = self->tension_solver != NULL;
    return (struct implicit_substep){
        .f = f,
        .self = self,
        .dt = dt,
        .splitting_ratio = 1.0,
        .trial_length = 1.0,
        .newton_step = self->newton_step,
        .coefs = {.dt_dx = (float)(dt / dx),
                  .g_dt_dx = (float)(f->gravity * dt / dx),
                  .gravity = (float)f->gravity,
                  .accel_dt_x = (float)(dt * f->external_acceleration[0]),
                  .accel_dt_z = (float)(dt * f->external_acceleration[1]),
                  .damping_factor = d->damping_per_step > 0.0
                                        ? (float)m_pow(1.0 - d->damping_per_step, dt / f->world_dt)
                                        : 1.0f,
                  .drag_depth = (float)(d->linear_friction * dt),
                  .dry_depth = (float)f->dry_depth,
                  .min_film = (float)(FILM_CELLS * dx),
                  .rounding_bias = (float)(1.5 * DEPTH_QUANTA) * s->quantum,
                  .max_flux = (float)(0.5 * DEPTH_QUANTA) * s->quantum,
                  .reserve_depth = 4.0f * s->quantum,
                  .tension_coef = (float)(d->surface_tension / (f->density * f->gravity * dx * dx))},
        .fields = {.bed = f->bed,
                   .h = s->h,
                   .u = s->u,
                   .v = s->v,
                   .h_next = s->h_next,
                   .u_next = s->u_next,
                   .v_next = s->v_next,
                   .explicit_flux_x = self->explicit_flux_x,
                   .explicit_flux_z = self->explicit_flux_z,
                   .outgoing_u = self->outgoing_u,
                   .outgoing_v = self->outgoing_v,
                   .alpha = self->alpha,
                   .beta_x = self->beta_x,
                   .beta_z = self->beta_z,
                   .tension_x = self->tension_x,
                   .tension_z = self->tension_z,
                   .flux_x = s->flux_x,
                   .flux_z = s->flux_z,
                   .eta = self->eta,
                   .head = has_tension ? self->head : self->eta,
                   .load_head = f->loaded_count ? f->load_head : NULL,
                   .displaced = self->displaced,
                   .displaced_slope = self->displaced_slope,
                   .residual = self->residual,
                   .outflow_limiter = self->outflow_limiter},
    };
}

static void for_face_rows(struct implicit_substep *p, row_range_fn fn) { depth_for_face_rows(p->f, fn, p); }

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

// ---- faces and boundaries ----

static void assemble_faces_pass(void *ctx, int j0, int j1)
{
    const struct implicit_substep *p = ctx;
    p->self->kernels->assemble_faces(&p->f->grid, &p->coefs, &p->fields, j0, j1);
}

// A face at a boundary. No flux at a wall. At an open boundary the outflow is sqrt(g h) eta, the flux of a
// wave that leaves into still water (Flather's condition), with eta at the end of the substep so that it is
// stable at any step.
static void set_boundary_face(const struct implicit_substep *p, int kind, size_t face, size_t cell,
                              float *explicit_flux, float *beta, float *tension)
{
    if (kind == TARN_WAVE_PERIODIC) return;
    explicit_flux[face] = 0.0f;
    if (tension) tension[face] = 0.0f;
    beta[face] = kind == TARN_WAVE_OPEN
                     ? p->coefs.dt_dx * (float)sqrt(p->f->gravity * (double)p->fields.h[cell])
                     : 0.0f;
}

static void set_boundary_faces(const struct implicit_substep *p)
{
    const tarn_wave_boundary *boundary = implicit_def_of(p->f)->boundary;
    const struct grid *g = &p->f->grid;
    const struct implicit_fields *q = &p->fields;
    for (int j = 0; j < g->nz; ++j) {
        const size_t west = grid_at(g, 0, j), east = grid_at(g, g->nx - 1, j);
        set_boundary_face(p, boundary[0], west, west, q->explicit_flux_x, q->beta_x, q->tension_x);
        set_boundary_face(p, boundary[1], east + 1, east, q->explicit_flux_x, q->beta_x, q->tension_x);
    }
    for (int i = 0; i < g->nx; ++i) {
        const size_t south = grid_at(g, i, 0), north = grid_at(g, i, g->nz - 1);
        set_boundary_face(p, boundary[2], south, south, q->explicit_flux_z, q->beta_z, q->tension_z);
        set_boundary_face(p, boundary[3], north + g->stride, north, q->explicit_flux_z, q->beta_z,
                          q->tension_z);
    }
}

// Ghost cells across periodic boundaries. The others stay 0, the rest level.
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

// ---- residual ----

static void start_surface_pass(void *ctx, int j0, int j1)
{
    const struct implicit_substep *p = ctx;
    for (int j = j0; j < j1; ++j) p->self->kernels->start_surface(&p->f->grid, &p->fields, j);
}

static void compute_head_pass(void *ctx, int j0, int j1)
{
    const struct implicit_substep *p = ctx;
    for (int j = j0; j < j1; ++j) p->self->kernels->compute_head(&p->f->grid, &p->fields, j);
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

// [m] Root mean square of the residual of the continuity equation.
static double residual_norm(struct implicit_substep *p)
{
    implicit_update_displaced(p->f, p->dt);
    fill_periodic(p->f, p->fields.eta);
    if (p->fields.head != p->fields.eta) {
        for_cell_rows(p, compute_head_pass);
        fill_periodic(p->f, p->fields.head);
    }
    for_cell_rows(p, residual_pass);
    return sqrt(add_row_reductions(p) / ((double)p->f->grid.nx * p->f->grid.nz));
}

// ---- surface tension ----
//
// With surface tension the Jacobian is  V' + L (1 + K), of fourth order: L the operator of the gravity waves,
// K that of the curvature. A Newton step uses the product  (V'/r + L) (r + K)  instead, two systems of second
// order. Where the depth is uniform, L = A and K = B times the Laplacian (A, B constants), the product is
// exact if  r A + B/r = A. Without a solution, for A < 4 B, r = sqrt(B/A): the product is at most twice too
// large, and a step length of 4/3 leaves at most a third of the error.

static void set_tension_pass(void *ctx, int j0, int j1)
{
    const struct implicit_substep *p = ctx;
    p->self->kernels->set_tension(&p->f->grid, &p->coefs, &p->fields, j0, j1);
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
            p->self->tension_alpha[grid_at(&p->f->grid, i, j)] = (float)p->splitting_ratio;
}

static void setup_tension_solver(struct implicit_substep *p)
{
    const double tension_coef = (double)p->coefs.tension_coef;
    double max_beta = 1e-20;
    for_face_rows(p, max_beta_pass);
    for (int j = 0; j <= p->f->grid.nz; ++j) max_beta = fmax(max_beta, p->self->row_reduction[j]);
    p->trial_length = max_beta > 4.0 * tension_coef ? 1.0 : 4.0 / 3.0;
    p->splitting_ratio = max_beta > 4.0 * tension_coef
                             ? 0.5 * (1.0 + sqrt(1.0 - 4.0 * tension_coef / max_beta))
                             : sqrt(tension_coef / max_beta);
    for_cell_rows(p, set_tension_diagonal_pass);
    const struct linear_system system = {
        .alpha = p->self->tension_alpha,
        .beta_x = p->fields.tension_x,
        .beta_z = p->fields.tension_z,
        .periodic_x = p->f->periodic_x,
        .periodic_z = p->f->periodic_z,
    };
    measured_setup(p->f, p->self->tension_solver, &system);
}

// ---- Newton's method ----

static void setup_surface_solver(struct implicit_substep *p)
{
    const tarn_wave_boundary *boundary = implicit_def_of(p->f)->boundary;
    struct linear_system system = {
        .alpha = p->fields.alpha,
        .beta_x = p->fields.beta_x,
        .beta_z = p->fields.beta_z,
        .periodic_x = p->f->periodic_x,
        .periodic_z = p->f->periodic_z,
    };
    for (int i = 0; i < 4; ++i) system.boundary_factor[i] = boundary[i] == TARN_WAVE_OPEN ? 1.0f : 0.0f;
    for_cell_rows(p, diagonal_pass);
    system.terms = p->f->load_terms;
    system.term_count = implicit_load_terms(p->f, p->dt, 1.0 / p->splitting_ratio,
                                            p->self->solver_kind->supports_terms, p->fields.alpha);
    measured_setup(p->f, p->self->surface_solver, &system);
}

static void dot_pass(void *ctx, int j0, int j1)
{
    const struct implicit_substep *p = ctx;
    for (int j = j0; j < j1; ++j)
        p->self->row_reduction[j] =
            p->self->kernels->dot_step_residual(&p->f->grid, &p->fields, p->newton_step, j);
}

// Minus the derivative, along the Newton step, of the convex function that the surface minimises.
static double directional_derivative(struct implicit_substep *p)
{
    for_cell_rows(p, dot_pass);
    return add_row_reductions(p);
}

static double move_and_evaluate(struct implicit_substep *p, double length)
{
    p->step_length = length;
    for_cell_rows(p, update_surface_pass);
    return residual_norm(p);
}

// The solution minimises a convex function whose gradient is minus the residual. A step that is too long is
// shortened until the derivative along it is about zero (safeguarded regula falsi). Returns the norm of the
// residual.
static double line_search(struct implicit_substep *p)
{
    enum { MAX_CUTBACKS = 8 };
    const double start = directional_derivative(p);
    const double full = p->trial_length;
    double norm = move_and_evaluate(p, full), lo = 0.0, hi = full, length = full, at_lo = start, at_hi = 0.0;
    for (int n = 0; n < MAX_CUTBACKS; ++n) {
        const double now = directional_derivative(p);
        if (now >= (full > 1.0 ? -0.35 : -0.1) * start && (length == full || now <= 0.5 * start)) break;
        if (now < 0.0)
            hi = length, at_hi = now;
        else
            lo = length, at_lo = now;
        const double next = lo + (hi - lo) * clamp(at_lo / (at_lo - at_hi), 0.1, 0.9);
        norm = move_and_evaluate(p, next - length);
        length = next;
    }
    return norm;
}

static void solve_newton_step(struct implicit_substep *p, double tolerance)
{
    const tarn_implicit_def *d = implicit_def_of(p->f);
    const size_t bytes = p->f->grid.size * sizeof *p->newton_step;
    const struct linear_tolerance limits = {.relative = tolerance, .max_iterations = d->solver.iterations};
    struct linear_report report;
    setup_surface_solver(p);
    memset(p->newton_step, 0, bytes);
    measured_solve(p->f, p->self->surface_solver, p->fields.residual, p->newton_step, limits, &report);
    if (!p->self->tension_solver) return;
    double *const first_factor = p->self->first_factor; // solution of the first factor
    memcpy(first_factor, p->newton_step, bytes);
    memset(p->newton_step, 0, bytes);
    measured_solve(p->f, p->self->tension_solver, first_factor, p->newton_step, limits, &report);
}

// Newton's method for V(eta) = h - div(flux). Once the wet columns are known the next step is exact.
//
// With surface tension the factored Jacobian needs several steps, so they are inexact: each linear system is
// solved as far as the target of the residual requires. Without it they are exact, or floating bodies jitter.
static void newton_solve(struct implicit_substep *p)
{
    const tarn_implicit_def *d = implicit_def_of(p->f);
    const double rounding = RESIDUAL_QUANTA * (double)p->self->depth.quantum;
    for_cell_rows(p, start_surface_pass);
    if (p->self->tension_solver) setup_tension_solver(p);
    double norm = residual_norm(p);
    const double target = fmax(rounding, 2.0 * d->solver.tolerance * norm);
    for (int n = 0; n < MAX_NEWTON_STEPS && norm > target; ++n) {
        solve_newton_step(p, p->self->tension_solver
                                 ? fmax(d->solver.tolerance, fmin(INEXACT_TOLERANCE, 0.5 * target / norm))
                                 : d->solver.tolerance);
        norm = line_search(p);
    }
}

// ---- depth ----

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

// A depth can become negative by rounding and by the error of the solution. The outflow of such a cell is
// then limited to what it has. Its neighbours receive less and may become negative in turn, so this is
// repeated; the last round limits every cell whose outflow exceeds its depth.
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

// ---- velocity ----

static void outgoing_velocity_pass(void *ctx, int j0, int j1)
{
    const struct implicit_substep *p = ctx;
    p->self->kernels->outgoing_velocity(&p->f->grid, &p->coefs, &p->fields, j0, j1);
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

// The velocity at an open boundary is the flux divided by the depth.
static void set_boundary_velocity(const struct implicit_substep *p, int kind, size_t face, size_t cell,
                                  const float *flux, float *u)
{
    if (kind != TARN_WAVE_OPEN) return;
    const float depth = p->fields.h_next[cell];
    u[face] = depth > p->coefs.dry_depth ? flux[face] / (p->coefs.dt_dx * depth) : 0.0f;
}

static void set_boundary_velocities(const struct implicit_substep *p)
{
    const tarn_wave_boundary *boundary = implicit_def_of(p->f)->boundary;
    const struct grid *g = &p->f->grid;
    const struct implicit_fields *q = &p->fields;
    for (int j = 0; j < g->nz; ++j) {
        const size_t west = grid_at(g, 0, j), east = grid_at(g, g->nx - 1, j);
        set_boundary_velocity(p, boundary[0], west, west, q->flux_x, q->u_next);
        set_boundary_velocity(p, boundary[1], east + 1, east, q->flux_x, q->u_next);
    }
    for (int i = 0; i < g->nx; ++i) {
        const size_t south = grid_at(g, i, 0), north = grid_at(g, i, g->nz - 1);
        set_boundary_velocity(p, boundary[2], south, south, q->flux_z, q->v_next);
        set_boundary_velocity(p, boundary[3], north + g->stride, north, q->flux_z, q->v_next);
    }
}

static void advance_velocity(struct implicit_substep *p)
{
    struct depth_state *s = &p->self->depth;
    depth_fill_ghosts(p->f, s->flux_x, WEST_FACE);
    depth_fill_ghosts(p->f, s->flux_z, SOUTH_FACE);
    for_face_rows(p, outgoing_velocity_pass);
    depth_fill_ghosts(p->f, p->fields.outgoing_u, WEST_FACE);
    depth_fill_ghosts(p->f, p->fields.outgoing_v, SOUTH_FACE);
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

// ---- order of a substep ----

static void advance_one(struct fluid *f, double dt)
{
    struct depth_state *s = f->impl;
    depth_begin_substep(f, dt);
    struct implicit_substep p = begin_substep(f, dt);
    if (p.fields.load_head) depth_fill_ghosts(f, f->load_head, CELL_CENTRE);
    for_face_rows(&p, assemble_faces_pass);
    if (p.fields.tension_x) for_face_rows(&p, set_tension_pass);
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

double implicit_substep_dt(const struct fluid *f, double time_left)
{
    if (!depth_is_valid(f)) return time_left;
    const double steps = ceil(time_left * implicit_def_of(f)->substeps / f->world_dt - 1e-6);
    return steps > 1.0 ? time_left / steps : time_left;
}

void implicit_advance(struct fluid *f, double dt, int count)
{
    for (int i = 0; i < count; ++i) advance_one(f, dt);
}
