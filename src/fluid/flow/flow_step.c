// The substep of the planar model: forces, advection, diffusion, projection and scalars, in order. flow.c has
// the equations; the model table calls flow_advance().
//
// With `advection` conservative the velocity is advanced by the three-stage Runge-Kutta method of Shu and
// Osher [shu1988] with fifth-order upwind momentum fluxes; forces and explicit diffusion are part of each
// stage. The other schemes are semi-Lagrangian, with or without MacCormack correction [selle2008], followed
// by forces and diffusion. The projection comes last. Diffusion above the explicit limit is solved along
// lines (flow_diffusion.c). In the conservative scheme its change over the substep then is a constant source
// of the stages, so a steady solution does not depend on the substep.
#include "flow.h"

#include "base/error.h"

#include <string.h>

struct flow_substep {
    struct fluid *f;
    struct flow *flow;
    double dt;
    float dt_dx;             // [s/m]
    double diffusion_number; // nu dt/dx^2 of the present component
    int component;
    struct flow_stage stage;
    struct flow_trace trace;
    struct momentum_stage momentum[2];
    struct scalar_stage scalar;
    const float *mass, *a, *b, *d, *forward; // operands of the present pass
    float *out;
};

void flow_for_face_rows(const struct fluid *f, row_range_fn fn, void *ctx)
{
    const int rows = f->grid.nz + 1, block = grid_block_rows(&f->grid);
    parallel_for_rows(f->parallel, rows, block < f->grid.nz ? block : rows, fn, ctx);
}

// ---- passes over rows ----

static void add_where_free_pass(void *ctx, int j0, int j1)
{
    const struct flow_substep *p = ctx;
    p->flow->kernels->add_where_free(&p->f->grid, p->mass, p->a, p->b, p->out, j0, j1);
}

static void mass_times_difference_pass(void *ctx, int j0, int j1)
{
    const struct flow_substep *p = ctx;
    p->flow->kernels->mass_times_difference(&p->f->grid, p->mass, p->a, p->b, p->d, p->out, j0, j1);
}

static void mean_pass(void *ctx, int j0, int j1)
{
    const struct flow_substep *p = ctx;
    p->flow->kernels->mean(&p->f->grid, p->a, p->b, p->out, j0, j1);
}

static void add_where_free(struct flow_substep *p, const float *a, const float *b, float *out)
{
    p->mass = p->flow->component[p->component].mass;
    p->a = a, p->b = b, p->out = out;
    flow_for_face_rows(p->f, add_where_free_pass, p);
}

static void mass_times_difference(struct flow_substep *p, const float *a, const float *b, const float *d,
                                  float *out)
{
    p->mass = p->flow->component[p->component].mass;
    p->a = a, p->b = b, p->d = d, p->out = out;
    flow_for_face_rows(p->f, mass_times_difference_pass, p);
}

// ---- diffusion ----

static bool needs_implicit_diffusion(const struct flow_substep *p)
{
    return p->diffusion_number > (p->component <= FLOW_V ? p->flow->implicit_from : FLOW_EXPLICIT_LIMIT);
}

// theta times the diffusion number. Crank-Nicolson (theta = 1/2) where that does not make short waves
// oscillate, more implicit where it would.
static float theta_diffusion(double diffusion_number)
{
    return (float)(diffusion_number * fmax(0.5, 1.0 - 1.0 / diffusion_number));
}

// change := the change over the substep by the source `change` and by diffusion of q. Returns the inflow
// through the boundary [cells].
static double diffuse_change(struct flow_substep *p, const float *q, float *change)
{
    const float *zero = p->flow->zero_field;
    mass_times_difference(p, change, zero, zero, change);
    flow_add_diffusion(p->f, p->component, (float)p->diffusion_number, q, change);
    return flow_solve_diffusion(p->f, p->component, theta_diffusion(p->diffusion_number), change);
}

// next := old + change + the implicitly diffused remainder of next - old - change. Returns the inflow through
// the boundary [cells].
static double diffuse_remainder(struct flow_substep *p, const float *old, const float *change, float *next,
                                float *scratch)
{
    mass_times_difference(p, next, old, change, scratch);
    const double inflow =
        flow_solve_diffusion(p->f, p->component, theta_diffusion(p->diffusion_number), scratch);
    add_where_free(p, old, change, next);
    add_where_free(p, next, scratch, next);
    return inflow;
}

// ---- velocity ----

// Pressure gradient of the last substep, body force and Boussinesq buoyancy.
static void forces_pass(void *ctx, int j0, int j1)
{
    const struct flow_substep *p = ctx;
    const tarn_flow_def *d = flow_def_of(p->f);
    const struct flow *s = p->flow;
    const double buoyancy = 0.5 * p->dt * p->f->gravity * d->temperature.expansion;
    const bool is_buoyant = s->scalar_used[FLOW_TEMPERATURE] && buoyancy != 0.0;
    const struct force_terms terms = {.dt_dx = p->dt_dx,
                                      .accel_x = (float)(p->dt * d->acceleration.x),
                                      .accel_z = (float)(p->dt * d->acceleration.y),
                                      .buoyancy = (float)buoyancy,
                                      .pressure = s->p,
                                      .temperature = is_buoyant ? s->scalar[FLOW_TEMPERATURE] : NULL};
    s->kernels->forces(&p->f->grid, &terms, s->u_change, s->v_change, j0, j1);
}

// Vorticity confinement [fedkiw2001], with a length given in the scene in place of the cell size.
static void vorticity_pass(void *ctx, int j0, int j1)
{
    const struct flow_substep *p = ctx;
    p->flow->kernels->vorticity(&p->f->grid, p->flow->u, p->flow->v, p->flow->vorticity, j0, j1);
}

static void confinement_force_pass(void *ctx, int j0, int j1)
{
    const struct flow_substep *p = ctx;
    const double min_gradient = 0.01 * p->f->grid.dx / flow_def_of(p->f)->confinement.length;
    p->flow->kernels->confinement_force(&p->f->grid, (float)min_gradient, p->flow->vorticity,
                                        p->flow->confinement_x, p->flow->confinement_z, j0, j1);
}

static void add_confinement_pass(void *ctx, int j0, int j1)
{
    const struct flow_substep *p = ctx;
    const tarn_flow_def *d = flow_def_of(p->f);
    const struct flow *s = p->flow;
    const double scale = 0.5 * p->dt * d->confinement.strength * d->confinement.length / p->f->grid.dx;
    const struct confinement_terms terms = {(float)scale, s->aperture_x, s->aperture_z, s->confinement_x,
                                            s->confinement_z};
    s->kernels->add_confinement(&p->f->grid, &terms, s->u_change, s->v_change, j0, j1);
}

static void add_vorticity_confinement(struct flow_substep *p)
{
    struct flow *s = p->flow;
    const struct grid *g = &p->f->grid;
    flow_for_face_rows(p->f, vorticity_pass, p);
    for (int i = -1; i <= g->nx; ++i)
        s->vorticity[grid_at(g, i, -1)] = s->vorticity[grid_at(g, i, p->f->periodic_z ? g->nz - 1 : 0)];
    flow_for_face_rows(p->f, confinement_force_pass, p);
    const int first_column = (int)fmin(ceil(flow_def_of(p->f)->confinement.x_min / g->dx), g->nx);
    for (int j = 0; first_column > 0 && j < g->nz; ++j) {
        memset(s->confinement_x + grid_at(g, 0, j), 0, (size_t)first_column * sizeof *s->confinement_x);
        memset(s->confinement_z + grid_at(g, 0, j), 0, (size_t)first_column * sizeof *s->confinement_z);
    }
    // no confinement force outside the domain, except across periodic sides
    for (int j = 0; j < g->nz; ++j) {
        s->confinement_x[grid_at(g, -1, j)] =
            p->f->periodic_x ? s->confinement_x[grid_at(g, g->nx - 1, j)] : 0.0f;
        s->confinement_x[grid_at(g, g->nx, j)] = p->f->periodic_x ? s->confinement_x[grid_at(g, 0, j)] : 0.0f;
    }
    for (int i = 0; i < g->nx; ++i) {
        s->confinement_z[grid_at(g, i, -1)] =
            p->f->periodic_z ? s->confinement_z[grid_at(g, i, g->nz - 1)] : 0.0f;
        s->confinement_z[grid_at(g, i, g->nz)] = p->f->periodic_z ? s->confinement_z[grid_at(g, i, 0)] : 0.0f;
    }
    flow_for_face_rows(p->f, add_confinement_pass, p);
}

static void momentum_pass(void *ctx, int j0, int j1)
{
    const struct flow_substep *p = ctx;
    p->flow->kernels->momentum(&p->f->grid, &p->stage, p->momentum, j0, j1);
}

// Shu-Osher form: next = old + weight (stage + dt rate(stage) - old).
static const struct {
    float weight;
    double rate_weight; // of the stage's rates of change in the whole substep
} rk3_stages[3] = {{1.0f, 1.0 / 6.0}, {0.25f, 1.0 / 6.0}, {2.0f / 3.0f, 2.0 / 3.0}};

static void rk3_velocity(struct flow_substep *p, float diffusion_number)
{
    struct flow *s = p->flow;
    float *const u[4] = {s->u, s->u_next, s->u_stage, s->u_next}, *const v[4] = {s->v, s->v_next, s->v_stage,
                                                                                 s->v_next};
    for (int i = 0; i < 3; ++i) {
        p->stage = (struct flow_stage){p->dt_dx, rk3_stages[i].weight, diffusion_number};
        p->momentum[0] = (struct momentum_stage){s->mass_u, s->u, u[i], v[i], s->u_change, u[i + 1]};
        p->momentum[1] = (struct momentum_stage){s->mass_v, s->v, v[i], u[i], s->v_change, v[i + 1]};
        flow_loads_add_fluxes(p->f, u[i], v[i], rk3_stages[i].rate_weight * (double)p->dt_dx);
        flow_for_face_rows(p->f, momentum_pass, p);
        flow_fill_velocity_ghosts(p->f, u[i + 1], v[i + 1]);
    }
}

// From (u, v) to (u_next, v_next).
static void advance_velocity_conservative(struct flow_substep *p)
{
    struct flow *s = p->flow;
    const bool implicit = needs_implicit_diffusion(p);
    for (p->component = FLOW_U; implicit && p->component <= FLOW_V; ++p->component)
        diffuse_change(p, p->component ? s->v : s->u, p->component ? s->v_change : s->u_change);
    if (p->f->body_count) flow_blend_cut_faces(p->f);
    rk3_velocity(p, implicit ? 0.0f : (float)p->diffusion_number);
    if (p->f->body_count) flow_unblend_cut_faces(p->f, p->dt_dx);
    flow_loads_note_advection(p->f, true);
    for (p->component = FLOW_U; implicit && p->component <= FLOW_V; ++p->component)
        diffuse_remainder(p, p->component ? s->v : s->u, p->component ? s->v_change : s->u_change,
                          p->component ? s->v_next : s->u_next, p->component ? s->v_stage : s->u_stage);
    flow_loads_finish(p->f, implicit);
}

static void departure_pass(void *ctx, int j0, int j1)
{
    const struct flow_substep *p = ctx;
    const struct flow_trajectories *paths = &p->flow->trajectories;
    p->flow->advection_kernels->backtrace(&p->f->grid, &p->trace, p->dt_dx, p->mass, paths->departure_x,
                                          paths->departure_z, j0, j1);
}

static void arrival_pass(void *ctx, int j0, int j1)
{
    const struct flow_substep *p = ctx;
    const struct flow_trajectories *paths = &p->flow->trajectories;
    p->flow->advection_kernels->backtrace(&p->f->grid, &p->trace, -p->dt_dx, p->mass, paths->arrival_x,
                                          paths->arrival_z, j0, j1);
}

static void interpolate_pass(void *ctx, int j0, int j1)
{
    const struct flow_substep *p = ctx;
    const struct flow_trajectories *paths = &p->flow->trajectories;
    p->flow->advection_kernels->interpolate(&p->f->grid, p->mass, paths->departure_x, paths->departure_z,
                                            p->a, p->out, j0, j1);
}

static void interpolate_cubic_pass(void *ctx, int j0, int j1)
{
    const struct flow_substep *p = ctx;
    const struct flow_trajectories *paths = &p->flow->trajectories;
    p->flow->advection_kernels->interpolate_cubic(&p->f->grid, p->mass, paths->departure_x,
                                                  paths->departure_z, p->a, p->out, j0, j1);
}

static void maccormack_pass(void *ctx, int j0, int j1)
{
    const struct flow_substep *p = ctx;
    p->flow->advection_kernels->maccormack(&p->f->grid, p->mass, &p->flow->trajectories, p->a, p->forward,
                                           p->out, j0, j1);
}

static struct flow_trace make_trace(const struct flow_substep *p, const float *u, const float *v,
                                    float node_x, float node_z)
{
    const tarn_flow_def *d = flow_def_of(p->f);
    const struct grid *g = &p->f->grid;
    float margin[4];
    for (int i = 0; i < 4; ++i) // the value at an inflow or outflow is known half a cell outside
        margin[i] =
            d->boundary[i].type == TARN_FLOW_INFLOW || d->boundary[i].type == TARN_FLOW_OUTFLOW ? 0.5f : 0.0f;
    return (struct flow_trace){.u = u,
                               .v = v,
                               .node_x = node_x,
                               .node_z = node_z,
                               .min_x = -margin[0],
                               .max_x = (float)g->nx + margin[1],
                               .min_z = -margin[2],
                               .max_z = (float)g->nz + margin[3],
                               .period_x = p->f->periodic_x ? (float)g->nx : 0.0f,
                               .period_z = p->f->periodic_z ? (float)g->nz : 0.0f};
}

static bool uses_maccormack(const struct flow_substep *p)
{
    return flow_def_of(p->f)->advection == TARN_FLOW_MACCORMACK;
}

// Wall distances up to the longest backtrace: nodes farther from solids need no clipped backtrace.
static void extend_distance(const struct flow_substep *p)
{
    if (solid_count(p->f) > 0)
        flow_extend_wall_distance(p->f,
                                  (int)fmin(254.0, ceil(p->f->max_signal_speed * (double)p->dt_dx) + 3.0));
}

// Semi-Lagrangian advection of one velocity component, clipped near solids; MacCormack correction elsewhere.
// `forward` receives the uncorrected result.
static void advect_component(struct flow_substep *p, const float *q, float *forward, float *out)
{
    struct flow *s = p->flow;
    p->mass = s->component[p->component].mass;
    p->a = q, p->out = forward;
    flow_for_face_rows(p->f, departure_pass, p);
    extend_distance(p);
    flow_for_face_rows(p->f, interpolate_pass, p);
    p->mass = flow_advect_near_walls(p->f, p->component, 1, &q, &forward);
    if (!uses_maccormack(p)) return;
    flow_for_face_rows(p->f, arrival_pass, p);
    (p->component == FLOW_U ? flow_fill_u_ghosts : flow_fill_v_ghosts)(p->f, forward);
    p->forward = forward, p->out = out;
    flow_for_face_rows(p->f, maccormack_pass, p);
}

// From (u, v) to (u_next, v_next).
static void advance_velocity_semi_lagrangian(struct flow_substep *p)
{
    struct flow *s = p->flow;
    float *forward[2] = {uses_maccormack(p) ? s->u_stage : s->u_next,
                         uses_maccormack(p) ? s->v_stage : s->v_next};
    const bool implicit = needs_implicit_diffusion(p); // of both components
    if (p->f->body_count) flow_blend_cut_faces(p->f);
    for (p->component = FLOW_U; p->component <= FLOW_V; ++p->component) {
        p->trace = make_trace(p, s->u, s->v, p->component ? 0.5f : 0.0f, p->component ? 0.0f : 0.5f);
        advect_component(p, p->component ? s->v : s->u, forward[p->component],
                         p->component ? s->v_next : s->u_next);
    }
    if (p->f->body_count) flow_unblend_cut_faces(p->f, p->dt_dx);
    flow_loads_note_advection(p->f, false);
    if (p->diffusion_number > 0.0) flow_fill_velocity_ghosts(p->f, s->u_next, s->v_next);
    for (p->component = FLOW_U; p->component <= FLOW_V; ++p->component) {
        float *next = p->component ? s->v_next : s->u_next,
              *change = p->component ? s->v_change : s->u_change;
        if (implicit)
            diffuse_change(p, next, change);
        else if (p->diffusion_number > 0.0)
            flow_add_diffusion(p->f, p->component, (float)p->diffusion_number, next, change);
        add_where_free(p, next, change, next);
    }
    flow_loads_finish(p->f, implicit);
}

// ---- dye and temperature ----

static void scalar_pass(void *ctx, int j0, int j1)
{
    const struct flow_substep *p = ctx;
    p->flow->kernels->scalar(&p->f->grid, &p->stage, &p->scalar, p->out, j0, j1);
}

// Inflow of a scalar through the boundary in one evaluation of the rates [cells].
static double boundary_scalar_inflow(const struct flow_substep *p, const float *q, float dt_dx,
                                     float diffusion_number)
{
    const struct flow *s = p->flow;
    const struct grid *g = &p->f->grid;
    const size_t n = g->stride;
    double sum = 0.0;
#define FACE_INFLOW(a, u, c, step)                                                                          \
    ((double)(dt_dx * koren_flux(a[c] * u[c], q[(c)-2 * (step)], q[(c) - (step)], q[c], q[(c) + (step)])) - \
     (double)(diffusion_number * a[c] * (q[c] - q[(c) - (step)])))
    for (int j = 0; !p->f->periodic_x && j < g->nz; ++j)
        sum += FACE_INFLOW(s->aperture_x, s->u_stage, grid_at(g, 0, j), 1) -
               FACE_INFLOW(s->aperture_x, s->u_stage, grid_at(g, g->nx, j), 1);
    for (int i = 0; !p->f->periodic_z && i < g->nx; ++i)
        sum += FACE_INFLOW(s->aperture_z, s->v_stage, grid_at(g, i, 0), n) -
               FACE_INFLOW(s->aperture_z, s->v_stage, grid_at(g, i, g->nz), n);
#undef FACE_INFLOW
    return sum;
}

static void advance_scalar_conservative(struct flow_substep *p, int which)
{
    struct flow *s = p->flow;
    float *const q[4] = {s->scalar[which], s->scalar_next, s->scalar_stage, s->scalar_next};
    const bool implicit = needs_implicit_diffusion(p);
    const float explicit_number = implicit ? 0.0f : (float)p->diffusion_number;
    double inflow = 0.0;
    mass_times_difference(p, s->zero_field, s->zero_field, s->zero_field, s->scalar_change);
    if (implicit)
        inflow += boundary_scalar_inflow(p, q[0], 0.0f, (float)p->diffusion_number) +
                  diffuse_change(p, q[0], s->scalar_change);
    for (int i = 0; i < 3; ++i) {
        p->stage = (struct flow_stage){p->dt_dx, rk3_stages[i].weight, explicit_number};
        p->scalar = (struct scalar_stage){.faces = {s->aperture_x, s->aperture_z, s->u_stage, s->v_stage},
                                          .mass = s->mass_scalar,
                                          .old = q[0],
                                          .q = q[i],
                                          .change = s->scalar_change};
        p->out = q[i + 1];
        inflow += rk3_stages[i].rate_weight * boundary_scalar_inflow(p, q[i], p->dt_dx, explicit_number);
        flow_for_face_rows(p->f, scalar_pass, p);
        flow_fill_scalar_ghosts(p->f, which, q[i + 1]);
    }
    if (implicit) inflow += diffuse_remainder(p, q[0], s->scalar_change, s->scalar_next, s->scalar_stage);
    s->scalar_out[which] -= inflow;
}

// The backtraces are the same for all scalars. MacCormack smears sharp edges of scalars, so that scheme uses
// cubic interpolation for them.
static void advect_scalars(struct flow_substep *p, int count, const int *which, float *const *out)
{
    struct flow *s = p->flow;
    const float *sources[FLOW_SCALARS];
    p->trace = make_trace(p, s->u_stage, s->v_stage, 0.5f, 0.5f);
    p->mass = s->mass_scalar;
    flow_for_face_rows(p->f, departure_pass, p);
    extend_distance(p);
    for (int k = 0; k < count; ++k) {
        sources[k] = p->a = s->scalar[which[k]], p->out = out[k];
        flow_for_face_rows(p->f, uses_maccormack(p) ? interpolate_cubic_pass : interpolate_pass, p);
    }
    flow_advect_near_walls(p->f, 2 + FLOW_DYE, count, sources, out);
}

static void diffuse_scalar(struct flow_substep *p, int which, float *q)
{
    struct flow *s = p->flow;
    if (!(p->diffusion_number > 0.0)) return;
    flow_fill_scalar_ghosts(p->f, which, q);
    mass_times_difference(p, s->zero_field, s->zero_field, s->zero_field, s->scalar_change);
    flow_add_diffusion(p->f, p->component, (float)p->diffusion_number, q, s->scalar_change);
    if (needs_implicit_diffusion(p))
        flow_solve_diffusion(p->f, p->component, theta_diffusion(p->diffusion_number), s->scalar_change);
    add_where_free(p, q, s->scalar_change, q);
}

static void decay_dye(struct flow_substep *p, int which)
{
    struct flow *s = p->flow;
    const struct grid *g = &p->f->grid;
    const float factor = (float)m_exp(-p->dt * flow_def_of(p->f)->dye.decay);
    double lost = 0.0;
    if (which != FLOW_DYE || factor == 1.0f) return;
    for (int j = 0; j < g->nz; ++j)
        for (int i = 0; i < g->nx; ++i) {
            float *q = &s->scalar[which][grid_at(g, i, j)];
            lost += (double)*q - (double)(factor * *q);
            *q *= factor;
        }
    s->scalar_out[which] += lost;
}

static void average_velocity(struct flow_substep *p)
{
    struct flow *s = p->flow;
    p->a = s->u, p->b = s->u_next, p->out = s->u_stage;
    flow_for_face_rows(p->f, mean_pass, p);
    p->a = s->v, p->b = s->v_next, p->out = s->v_stage;
    flow_for_face_rows(p->f, mean_pass, p);
    flow_fill_velocity_ghosts(p->f, s->u_stage, s->v_stage);
}

// Advected by the mean velocity of the start and the end of the substep, both free of divergence.
static void advance_scalars(struct flow_substep *p)
{
    struct flow *s = p->flow;
    const tarn_flow_def *d = flow_def_of(p->f);
    const double diffusion[FLOW_SCALARS] = {
        [FLOW_DYE] = d->dye.diffusivity, [FLOW_TEMPERATURE] = d->temperature.diffusivity};
    float **const next[FLOW_SCALARS] = {&s->scalar_next, &s->scalar_stage},
                  *out[FLOW_SCALARS] = {s->scalar_next, s->scalar_stage};
    const bool semi_lagrangian = d->advection != TARN_FLOW_CONSERVATIVE;
    int which[FLOW_SCALARS], count = 0;
    for (int q = 0; q < FLOW_SCALARS; ++q)
        if (s->scalar_used[q]) which[count++] = q;
    if (count == 0) return;
    average_velocity(p);
    for (int k = 0; k < count; ++k) flow_fill_scalar_ghosts(p->f, which[k], s->scalar[which[k]]);
    if (semi_lagrangian) advect_scalars(p, count, which, out);
    for (int k = 0; k < count; ++k) {
        const int q = which[k];
        p->component = 2 + q;
        p->diffusion_number = diffusion[q] * p->dt / (p->f->grid.dx * p->f->grid.dx);
        if (semi_lagrangian)
            diffuse_scalar(p, q, out[k]);
        else
            advance_scalar_conservative(p, q);
        swap_fields(&s->scalar[q], semi_lagrangian ? next[k] : &s->scalar_next);
        decay_dye(p, q);
        flow_fill_scalar_ghosts(p->f, q, s->scalar[q]);
    }
}

// ---- order of a substep ----

// Boundary data from the present parameters, then all ghosts.
static void update_boundary_and_ghosts(struct fluid *f)
{
    struct flow *s = f->impl;
    flow_update_boundary(f);
    flow_fill_velocity_ghosts(f, s->u, s->v);
    flow_fill_pressure_ghosts(f, s->p);
    for (int q = 0; q < FLOW_SCALARS; ++q) flow_fill_scalar_ghosts(f, q, s->scalar[q]);
}

void flow_update_derived(struct fluid *f)
{
    update_boundary_and_ghosts(f);
    f->max_signal_speed = flow_max_speed(f);
    f->derived_stale = false;
}

// Less than 1e5 cells per world step; false also if a velocity is not finite.
bool flow_is_valid(const struct fluid *f)
{
    ASSERT(!f->derived_stale); // max_signal_speed
    return f->max_signal_speed * f->world_dt / f->grid.dx < 1e5;
}

double flow_substep_dt(const struct fluid *f, double time_left)
{
    const tarn_flow_def *d = flow_def_of(f);
    if (!flow_is_valid(f)) return time_left;
    double limit = d->substeps ? f->world_dt / d->substeps : f->world_dt;
    if (d->advection == TARN_FLOW_CONSERVATIVE && f->max_signal_speed > 0.0)
        limit = fmin(limit, d->max_courant * f->grid.dx / f->max_signal_speed);
    const double count = ceil(time_left / limit - 1e-6);
    return count > 1.0 ? time_left / count : time_left;
}

static void advance_one(struct fluid *f, double dt)
{
    struct flow *s = f->impl;
    const tarn_flow_def *d = flow_def_of(f);
    struct flow_substep p = {.f = f, .flow = s, .dt = dt, .dt_dx = (float)(dt / f->grid.dx)};
    flow_move_obstacles(f, dt);
    if (f->out_of_memory) return; // the world reports it
    if (f->body_count && !d->freeze_velocity) flow_bodies_couple_inner_nodes(f, dt);
    flow_impose_solid_velocity(f, s->u, s->v);
    update_boundary_and_ghosts(f); // parameters may have changed
    if (!d->freeze_velocity) {
        if (f->body_count) flow_bodies_predict(f, dt);
        p.diffusion_number = d->viscosity * dt / (f->grid.dx * f->grid.dx);
        flow_for_face_rows(f, forces_pass, &p);
        if (d->confinement.strength > 0.0) add_vorticity_confinement(&p);
        flow_loads_begin(f, p.dt_dx);
        if (d->advection == TARN_FLOW_CONSERVATIVE)
            advance_velocity_conservative(&p);
        else
            advance_velocity_semi_lagrangian(&p);
        flow_reflect_velocity(f, s->u_next, s->v_next);
        swap_fields(&s->u, &s->u_next);
        swap_fields(&s->v, &s->v_next);
        if (f->body_count) flow_bodies_apply_forces(f, dt);
        flow_project(f, dt);
        flow_loads_add_pressure(f, dt);
        if (f->body_count) flow_bodies_finish_weak(f, dt);
    } else {
        p.a = s->u, p.b = s->u, p.out = s->u_next;
        flow_for_face_rows(f, mean_pass, &p);
        p.a = s->v, p.b = s->v, p.out = s->v_next;
        flow_for_face_rows(f, mean_pass, &p);
    }
    advance_scalars(&p);
    f->time += dt;
}

void flow_advance(struct fluid *f, double dt, int count)
{
    for (int i = 0; i < count; ++i) advance_one(f, dt);
}
