// How the flow moves: the passes of one step, in order.
//
// `conservative`: three stages of Runge and Kutta (Shu & Osher 1988) for advection, everything else being part of each
// stage, then the pressure. The others carry speeds along, push them, and then the pressure. Friction that is too stiff for
// that is solved for along lines; the stages then feel what it comes to over the step, so that nothing is too stiff for
// them, and a steady flow does not depend on the step.
#include "flow.h"

#include "base/error.h"

#include <string.h>

struct flow_substep {
    struct fluid *f;
    struct flow *self;
    double dt;
    float dt_dx;             // [s/m] dt/dx
    double diffusion_number; // nu dt/dx^2 of the quantity at hand
    int component;
    struct flow_stage stage;
    struct flow_trace trace;
    const float *mass, *a, *b, *d, *forward; // what the rows work on
    float *out;
    const float *stage_u, *stage_v;
    float *next_u, *next_v;
};

void flow_for_face_rows(const struct fluid *f, row_range_fn fn, void *ctx)
{
    const int rows = f->grid.nz + 1, block = grid_block_rows(&f->grid);
    parallel_for_rows(f->parallel, rows, block < f->grid.nz ? block : rows, fn, ctx);
}

static void swap_fields(float **a, float **b)
{
    float *const kept = *a;
    *a = *b;
    *b = kept;
}

// ---- small passes -----------------------------------------------------------------------------------

static void add_where_free_pass(void *ctx, int j0, int j1)
{
    const struct flow_substep *p = ctx;
    p->self->kernels->add_where_free(&p->f->grid, p->mass, p->a, p->b, p->out, j0, j1);
}

static void mass_times_difference_pass(void *ctx, int j0, int j1)
{
    const struct flow_substep *p = ctx;
    p->self->kernels->mass_times_difference(&p->f->grid, p->mass, p->a, p->b, p->d, p->out, j0, j1);
}

static void mean_pass(void *ctx, int j0, int j1)
{
    const struct flow_substep *p = ctx;
    p->self->kernels->mean(&p->f->grid, p->a, p->b, p->out, j0, j1);
}

static void add_where_free(struct flow_substep *p, const float *a, const float *b, float *out)
{
    p->mass = p->self->component[p->component].mass;
    p->a = a, p->b = b, p->out = out;
    flow_for_face_rows(p->f, add_where_free_pass, p);
}

static void mass_times_difference(struct flow_substep *p, const float *a, const float *b, const float *d,
                                  float *out)
{
    p->mass = p->self->component[p->component].mass;
    p->a = a, p->b = b, p->d = d, p->out = out;
    flow_for_face_rows(p->f, mass_times_difference_pass, p);
}

// ---- friction ---------------------------------------------------------------------------------------

static bool needs_implicit_diffusion(const struct flow_substep *p)
{
    return p->diffusion_number > (p->component <= FLOW_V ? p->self->implicit_from : FLOW_EXPLICIT_LIMIT);
}

// Half of the step's end counts where that does not make short waves swing, more where it would.
static float theta_diffusion(double spread) { return (float)(spread * fmax(0.5, 1.0 - 1.0 / spread)); }

// change := what change and friction of q come to over the step. What came in through ends of lines.
static double diffuse_change(struct flow_substep *p, const float *q, float *change)
{
    const float *zero = p->self->zero_field;
    mass_times_difference(p, change, zero, zero, change);
    flow_add_diffusion(p->f, p->component, (float)p->diffusion_number, q, change);
    return flow_solve_diffusion(p->f, p->component, theta_diffusion(p->diffusion_number), change);
}

// next := old + change + what the rest of next - old comes to
static double diffuse_remainder(struct flow_substep *p, const float *old, const float *change, float *next,
                                float *scratch)
{
    mass_times_difference(p, next, old, change, scratch);
    const double in = flow_solve_diffusion(p->f, p->component, theta_diffusion(p->diffusion_number), scratch);
    add_where_free(p, old, change, next);
    add_where_free(p, next, scratch, next);
    return in;
}

// ---- speeds -----------------------------------------------------------------------------------------

static void forces_pass(void *ctx, int j0, int j1)
{
    const struct flow_substep *p = ctx;
    const struct flow_def *d = flow_def_of(p->f);
    const struct flow *s = p->self;
    const double rise = 0.5 * p->dt * p->f->gravity * d->heat_expansion;
    s->kernels->forces(&p->f->grid, p->dt_dx, (float)(p->dt * d->body_force[0]),
                       (float)(p->dt * d->body_force[1]), (float)rise, s->p,
                       s->scalar_used[FLOW_TEMPERATURE] && rise != 0.0 ? s->scalar[FLOW_TEMPERATURE] : NULL,
                       s->u_change, s->v_change, j0, j1);
}

// Fedkiw, Stam & Jensen (2001), with a length of the scene in place of the cell size.
static void vorticity_pass(void *ctx, int j0, int j1)
{
    const struct flow_substep *p = ctx;
    p->self->kernels->vorticity(&p->f->grid, p->self->u, p->self->v, p->self->scalar_change, j0, j1);
}

static void confinement_force_pass(void *ctx, int j0, int j1)
{
    const struct flow_substep *p = ctx;
    const double least = 0.01 * p->f->grid.dx / flow_def_of(p->f)->confinement_length;
    p->self->kernels->confinement_force(&p->f->grid, (float)least, p->self->scalar_change,
                                        p->self->scalar_next, p->self->scalar_stage, j0, j1);
}

static void add_confinement_pass(void *ctx, int j0, int j1)
{
    const struct flow_substep *p = ctx;
    const struct flow_def *d = flow_def_of(p->f);
    const struct flow *s = p->self;
    const double k = 0.5 * p->dt * d->confinement * d->confinement_length / p->f->grid.dx;
    s->kernels->add_confinement(&p->f->grid, (float)k, s->aperture_x, s->aperture_z, s->scalar_next,
                                s->scalar_stage, s->u_change, s->v_change, j0, j1);
}

static void add_vorticity_confinement(struct flow_substep *p)
{
    struct flow *s = p->self;
    const struct grid *g = &p->f->grid;
    flow_for_face_rows(p->f, vorticity_pass, p);
    for (int i = -1; i <= g->nx; ++i)
        s->scalar_change[grid_at(g, i, -1)] =
            s->scalar_change[grid_at(g, i, p->f->periodic_z ? g->nz - 1 : 0)];
    flow_for_face_rows(p->f, confinement_force_pass, p);
    const int from = (int)fmin(ceil(flow_def_of(p->f)->confinement_x_min / g->dx), g->nx);
    for (int j = 0; from > 0 && j < g->nz; ++j) {
        memset(s->scalar_next + grid_at(g, 0, j), 0, (size_t)from * sizeof *s->scalar_next);
        memset(s->scalar_stage + grid_at(g, 0, j), 0, (size_t)from * sizeof *s->scalar_stage);
    }
    // none at the sides, where half of it would be unknown, but across periodic ones
    for (int j = 0; j < g->nz; ++j) {
        s->scalar_next[grid_at(g, -1, j)] =
            p->f->periodic_x ? s->scalar_next[grid_at(g, g->nx - 1, j)] : 0.0f;
        s->scalar_next[grid_at(g, g->nx, j)] = p->f->periodic_x ? s->scalar_next[grid_at(g, 0, j)] : 0.0f;
    }
    for (int i = 0; i < g->nx; ++i) {
        s->scalar_stage[grid_at(g, i, -1)] =
            p->f->periodic_z ? s->scalar_stage[grid_at(g, i, g->nz - 1)] : 0.0f;
        s->scalar_stage[grid_at(g, i, g->nz)] = p->f->periodic_z ? s->scalar_stage[grid_at(g, i, 0)] : 0.0f;
    }
    flow_for_face_rows(p->f, add_confinement_pass, p);
}

static void momentum_pass(void *ctx, int j0, int j1)
{
    const struct flow_substep *p = ctx;
    const struct flow *s = p->self;
    s->kernels->momentum(&p->f->grid, &p->stage, s->mass_u, s->mass_v, s->u, s->v, p->stage_u, p->stage_v,
                         s->u_change, s->v_change, p->next_u, p->next_v, j0, j1);
}

static const struct {
    float part;
    double weight; // of the stage's rates in the whole step
} rk3_stages[3] = {{1.0f, 1.0 / 6.0}, {0.25f, 1.0 / 6.0}, {2.0f / 3.0f, 2.0 / 3.0}};

static void rk3_velocity(struct flow_substep *p, float spread)
{
    struct flow *s = p->self;
    float *const u[4] = {s->u, s->u_next, s->u_stage, s->u_next}, *const v[4] = {s->v, s->v_next, s->v_stage,
                                                                                 s->v_next};
    for (int i = 0; i < 3; ++i) {
        p->stage = (struct flow_stage){p->dt_dx, rk3_stages[i].part, spread};
        p->stage_u = u[i], p->stage_v = v[i], p->next_u = u[i + 1], p->next_v = v[i + 1];
        flow_for_face_rows(p->f, momentum_pass, p);
        flow_fill_velocity_ghosts(p->f, p->next_u, p->next_v);
    }
}

// From u, v to u1, v1.
static void advance_velocity_conservative(struct flow_substep *p)
{
    struct flow *s = p->self;
    const bool lines = needs_implicit_diffusion(p);
    for (p->component = FLOW_U; lines && p->component <= FLOW_V; ++p->component)
        diffuse_change(p, p->component ? s->v : s->u, p->component ? s->v_change : s->u_change);
    if (p->f->body_count) flow_blend_cut_faces(p->f);
    rk3_velocity(p, lines ? 0.0f : (float)p->diffusion_number);
    if (p->f->body_count) flow_unblend_cut_faces(p->f, p->dt_dx);
    for (p->component = FLOW_U; lines && p->component <= FLOW_V; ++p->component)
        diffuse_remainder(p, p->component ? s->v : s->u, p->component ? s->v_change : s->u_change,
                          p->component ? s->v_next : s->u_next, p->component ? s->v_stage : s->u_stage);
}

static void departure_pass(void *ctx, int j0, int j1)
{
    const struct flow_substep *p = ctx;
    const struct flow_trajectories *w = &p->self->trajectories;
    p->self->advection_kernels->backtrace(&p->f->grid, &p->trace, p->dt_dx, p->mass, w->departure_x,
                                          w->departure_z, j0, j1);
}

static void arrival_pass(void *ctx, int j0, int j1)
{
    const struct flow_substep *p = ctx;
    const struct flow_trajectories *w = &p->self->trajectories;
    p->self->advection_kernels->backtrace(&p->f->grid, &p->trace, -p->dt_dx, p->mass, w->arrival_x,
                                          w->arrival_z, j0, j1);
}

static void interpolate_pass(void *ctx, int j0, int j1)
{
    const struct flow_substep *p = ctx;
    const struct flow_trajectories *w = &p->self->trajectories;
    p->self->advection_kernels->interpolate(&p->f->grid, p->mass, w->departure_x, w->departure_z, p->a,
                                            p->out, j0, j1);
}

static void interpolate_cubic_pass(void *ctx, int j0, int j1)
{
    const struct flow_substep *p = ctx;
    const struct flow_trajectories *w = &p->self->trajectories;
    p->self->advection_kernels->interpolate_cubic(&p->f->grid, p->mass, w->departure_x, w->departure_z, p->a,
                                                  p->out, j0, j1);
}

static void maccormack_pass(void *ctx, int j0, int j1)
{
    const struct flow_substep *p = ctx;
    p->self->advection_kernels->maccormack(&p->f->grid, p->mass, &p->self->trajectories, p->a, p->forward,
                                           p->out, j0, j1);
}

static struct flow_trace make_trace(const struct flow_substep *p, const float *u, const float *v, float x,
                                    float z)
{
    const struct flow_def *d = flow_def_of(p->f);
    const struct grid *g = &p->f->grid;
    float low[4];
    for (int i = 0; i < 4; ++i) // what comes in is known half a cell outside
        low[i] = d->boundary[i].kind == FLOW_INFLOW || d->boundary[i].kind == FLOW_OUTFLOW ? 0.5f : 0.0f;
    return (struct flow_trace){.u = u,
                               .v = v,
                               .node_x = x,
                               .node_z = z,
                               .min_x = -low[0],
                               .max_x = (float)g->nx + low[1],
                               .min_z = -low[2],
                               .max_z = (float)g->nz + low[3],
                               .period_x = p->f->periodic_x ? (float)g->nx : 0.0f,
                               .period_z = p->f->periodic_z ? (float)g->nz : 0.0f};
}

static bool uses_maccormack(const struct flow_substep *p)
{
    return flow_def_of(p->f)->advection == FLOW_MACCORMACK;
}

// Most nodes are farther from obstacles than anything moves.
static void extend_distance(const struct flow_substep *p)
{
    if (solid_count(p->f) > 0)
        flow_extend_wall_distance(p->f,
                                  (int)fmin(254.0, ceil(p->f->max_signal_speed * (double)p->dt_dx) + 3.0));
}

// Near obstacles it is not worth going back.
static void advect_component(struct flow_substep *p, const float *q, float *there, float *out)
{
    struct flow *s = p->self;
    p->mass = s->component[p->component].mass;
    p->a = q, p->out = there;
    flow_for_face_rows(p->f, departure_pass, p);
    extend_distance(p);
    flow_for_face_rows(p->f, interpolate_pass, p);
    p->mass = flow_advect_near_walls(p->f, p->component, 1, &q, &there);
    if (!uses_maccormack(p)) return;
    flow_for_face_rows(p->f, arrival_pass, p);
    (p->component == FLOW_U ? flow_fill_u_ghosts : flow_fill_v_ghosts)(p->f, there);
    p->forward = there, p->out = out;
    flow_for_face_rows(p->f, maccormack_pass, p);
}

// From u, v to u1, v1.
static void advance_velocity_semi_lagrangian(struct flow_substep *p)
{
    struct flow *s = p->self;
    float *there[2] = {uses_maccormack(p) ? s->u_stage : s->u_next,
                       uses_maccormack(p) ? s->v_stage : s->v_next};
    if (p->f->body_count) flow_blend_cut_faces(p->f);
    for (p->component = FLOW_U; p->component <= FLOW_V; ++p->component) {
        p->trace = make_trace(p, s->u, s->v, p->component ? 0.5f : 0.0f, p->component ? 0.0f : 0.5f);
        advect_component(p, p->component ? s->v : s->u, there[p->component],
                         p->component ? s->v_next : s->u_next);
    }
    if (p->f->body_count) flow_unblend_cut_faces(p->f, p->dt_dx);
    if (p->diffusion_number > 0.0) flow_fill_velocity_ghosts(p->f, s->u_next, s->v_next);
    for (p->component = FLOW_U; p->component <= FLOW_V; ++p->component) {
        float *u = p->component ? s->v_next : s->u_next, *d = p->component ? s->v_change : s->u_change;
        if (needs_implicit_diffusion(p))
            diffuse_change(p, u, d);
        else if (p->diffusion_number > 0.0)
            flow_add_diffusion(p->f, p->component, (float)p->diffusion_number, u, d);
        add_where_free(p, u, d, u);
    }
}

// ---- dye and heat -------------------------------------------------------------------------------------

static void scalar_pass(void *ctx, int j0, int j1)
{
    const struct flow_substep *p = ctx;
    const struct flow *s = p->self;
    s->kernels->scalar(&p->f->grid, &p->stage, s->mass_scalar, s->aperture_x, s->aperture_z, s->u_stage,
                       s->v_stage, p->a, p->b, p->d, p->out, j0, j1);
}

// What comes in through the sides in one evaluation, [cells].
static double boundary_scalar_inflow(const struct flow_substep *p, const float *q, float k, float spread)
{
    const struct flow *s = p->self;
    const struct grid *g = &p->f->grid;
    const size_t n = g->stride;
    double sum = 0.0;
#define FACE_INFLOW(a, u, c, m)                                                                \
    ((double)(k * koren_flux(a[c] * u[c], q[(c)-2 * (m)], q[(c) - (m)], q[c], q[(c) + (m)])) - \
     (double)(spread * a[c] * (q[c] - q[(c) - (m)])))
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
    struct flow *s = p->self;
    float *const q[4] = {s->scalar[which], s->scalar_next, s->scalar_stage, s->scalar_next};
    const bool lines = needs_implicit_diffusion(p);
    const float spread = lines ? 0.0f : (float)p->diffusion_number;
    double in = 0.0;
    mass_times_difference(p, s->zero_field, s->zero_field, s->zero_field, s->scalar_change);
    if (lines)
        in += boundary_scalar_inflow(p, q[0], 0.0f, (float)p->diffusion_number) +
              diffuse_change(p, q[0], s->scalar_change);
    for (int i = 0; i < 3; ++i) {
        p->stage = (struct flow_stage){p->dt_dx, rk3_stages[i].part, spread};
        p->a = q[0], p->b = q[i], p->d = s->scalar_change, p->out = q[i + 1];
        in += rk3_stages[i].weight * boundary_scalar_inflow(p, q[i], p->dt_dx, spread);
        flow_for_face_rows(p->f, scalar_pass, p);
        flow_fill_scalar_ghosts(p->f, which, q[i + 1]);
    }
    if (lines) in += diffuse_remainder(p, q[0], s->scalar_change, s->scalar_next, s->scalar_stage);
    s->scalar_out[which] -= in;
}

// Where the flow comes from is found once: dye and heat go the same ways. They have edges, which going there and back leaves
// behind: they are found by cubics instead.
static void advect_scalars(struct flow_substep *p, int count, const int *which, float *const *out)
{
    struct flow *s = p->self;
    const float *from[FLOW_SCALARS];
    p->trace = make_trace(p, s->u_stage, s->v_stage, 0.5f, 0.5f);
    p->mass = s->mass_scalar;
    flow_for_face_rows(p->f, departure_pass, p);
    extend_distance(p);
    for (int k = 0; k < count; ++k) {
        from[k] = p->a = s->scalar[which[k]], p->out = out[k];
        flow_for_face_rows(p->f, uses_maccormack(p) ? interpolate_cubic_pass : interpolate_pass, p);
    }
    flow_advect_near_walls(p->f, 2 + FLOW_DYE, count, from, out);
}

static void diffuse_scalar(struct flow_substep *p, int which, float *q)
{
    struct flow *s = p->self;
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
    struct flow *s = p->self;
    const struct grid *g = &p->f->grid;
    const float left = (float)m_exp(-p->dt * flow_def_of(p->f)->dye_decay);
    double lost = 0.0;
    if (which != FLOW_DYE || left == 1.0f) return;
    for (int j = 0; j < g->nz; ++j)
        for (int i = 0; i < g->nx; ++i) {
            float *q = &s->scalar[which][grid_at(g, i, j)];
            lost += (double)*q - (double)(left * *q);
            *q *= left;
        }
    s->scalar_out[which] += lost;
}

static void average_velocity(struct flow_substep *p)
{
    struct flow *s = p->self;
    p->a = s->u, p->b = s->u_next, p->out = s->u_stage;
    flow_for_face_rows(p->f, mean_pass, p);
    p->a = s->v, p->b = s->v_next, p->out = s->v_stage;
    flow_for_face_rows(p->f, mean_pass, p);
    flow_fill_velocity_ghosts(p->f, s->u_stage, s->v_stage);
}

// With the mean of the speeds before and after the step, both free of divergence.
static void advance_scalars(struct flow_substep *p)
{
    struct flow *s = p->self;
    const struct flow_def *d = flow_def_of(p->f);
    const double diffusion[FLOW_SCALARS] = {
        [FLOW_DYE] = d->dye_diffusion, [FLOW_TEMPERATURE] = d->heat_diffusion};
    float **const next[FLOW_SCALARS] = {&s->scalar_next, &s->scalar_stage},
                  *out[FLOW_SCALARS] = {s->scalar_next, s->scalar_stage};
    const bool carried = d->advection != FLOW_CONSERVATIVE;
    int which[FLOW_SCALARS], count = 0;
    for (int q = 0; q < FLOW_SCALARS; ++q)
        if (s->scalar_used[q]) which[count++] = q;
    if (count == 0) return;
    average_velocity(p);
    for (int k = 0; k < count; ++k) flow_fill_scalar_ghosts(p->f, which[k], s->scalar[which[k]]);
    if (carried) advect_scalars(p, count, which, out);
    for (int k = 0; k < count; ++k) {
        const int q = which[k];
        p->component = 2 + q;
        p->diffusion_number = diffusion[q] * p->dt / (p->f->grid.dx * p->f->grid.dx);
        if (carried)
            diffuse_scalar(p, q, out[k]);
        else
            advance_scalar_conservative(p, q);
        swap_fields(&s->scalar[q], carried ? next[k] : &s->scalar_next);
        decay_dye(p, q);
        flow_fill_scalar_ghosts(p->f, q, s->scalar[q]);
    }
}

// ---- the story of a step --------------------------------------------------------------------------------

// Sides as they are told now, and all ghosts.
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

// More than a hundred thousand cells in a world step are no way to go on.
bool flow_is_valid(const struct fluid *f)
{
    ASSERT(!f->derived_stale); // max_signal_speed
    return f->max_signal_speed * f->world_dt / f->grid.dx < 1e5;
}

double flow_substep_dt(const struct fluid *f, double left)
{
    const struct flow_def *d = flow_def_of(f);
    if (!flow_is_valid(f)) return left;
    double limit = d->min_substeps ? f->world_dt / d->min_substeps : f->world_dt;
    if (d->advection == FLOW_CONSERVATIVE && f->max_signal_speed > 0.0)
        limit = fmin(limit, d->courant * f->grid.dx / f->max_signal_speed);
    const double steps = ceil(left / limit - 1e-6);
    return steps > 1.0 ? left / steps : left;
}

static void advance_one(struct fluid *f, double dt)
{
    struct flow *s = f->impl;
    const struct flow_def *d = flow_def_of(f);
    struct flow_substep p = {.f = f, .self = s, .dt = dt, .dt_dx = (float)(dt / f->grid.dx)};
    flow_move_obstacles(f, dt);
    if (f->out_of_memory) return; // the world will say so
    if (f->body_count && !d->frozen_velocity) flow_bodies_couple_inner_nodes(f, dt);
    flow_impose_solid_velocity(f, s->u, s->v);
    update_boundary_and_ghosts(f); // what is told may have changed
    if (!d->frozen_velocity) {
        if (f->body_count) flow_bodies_predict(f, dt);
        p.diffusion_number = d->viscosity * dt / (f->grid.dx * f->grid.dx);
        flow_for_face_rows(f, forces_pass, &p);
        if (d->confinement > 0.0) add_vorticity_confinement(&p);
        if (d->advection == FLOW_CONSERVATIVE)
            advance_velocity_conservative(&p);
        else
            advance_velocity_semi_lagrangian(&p);
        flow_reflect_velocity(f, s->u_next, s->v_next);
        swap_fields(&s->u, &s->u_next);
        swap_fields(&s->v, &s->v_next);
        if (f->body_count) flow_bodies_apply_forces(f, dt);
        flow_project(f, dt);
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
