// How the flow moves: the passes of one step, in order.
//
// `conservative`: three stages of Runge and Kutta (Shu & Osher 1988) for advection, everything else being part of each
// stage, then the pressure. The others carry speeds along, push them, and then the pressure. Friction that is too stiff for
// that is solved for along lines; the stages then feel what it comes to over the step, so that nothing is too stiff for
// them, and a steady flow does not depend on the step.
#include "flow.h"

#include <string.h>

struct pass {
    struct fluid *f;
    struct flow *self;
    double dt;
    float k;       // [s/m] dt/dx
    double spread; // nu dt/dx^2 of the quantity at hand
    int net;
    struct flow_stage stage;
    struct flow_trace trace;
    const float *mass, *a, *b, *d, *there; // what the rows work on
    float *out;
    const float *stage_u, *stage_v;
    float *next_u, *next_v;
};

void flow_rows(const struct fluid *f, rows_fn fn, void *ctx)
{
    const int rows = f->g.nz + 1, block = grid_block_rows(&f->g);
    parallel_rows(f->parallel, rows, block < f->g.nz ? block : rows, fn, ctx);
}

static void swap(float **a, float **b)
{
    float *const kept = *a;
    *a = *b;
    *b = kept;
}

// ---- small passes -----------------------------------------------------------------------------------

static void add_pass(void *ctx, int j0, int j1)
{
    const struct pass *p = ctx;
    p->self->kernels->add(&p->f->g, p->mass, p->a, p->b, p->out, j0, j1);
}

static void rest_pass(void *ctx, int j0, int j1)
{
    const struct pass *p = ctx;
    p->self->kernels->rest(&p->f->g, p->mass, p->a, p->b, p->d, p->out, j0, j1);
}

static void mean_pass(void *ctx, int j0, int j1)
{
    const struct pass *p = ctx;
    p->self->kernels->mean(&p->f->g, p->a, p->b, p->out, j0, j1);
}

static void add(struct pass *p, const float *a, const float *b, float *out)
{
    p->mass = p->self->net[p->net].mass;
    p->a = a, p->b = b, p->out = out;
    flow_rows(p->f, add_pass, p);
}

static void rest(struct pass *p, const float *a, const float *b, const float *d, float *out)
{
    p->mass = p->self->net[p->net].mass;
    p->a = a, p->b = b, p->d = d, p->out = out;
    flow_rows(p->f, rest_pass, p);
}

// ---- friction ---------------------------------------------------------------------------------------

static bool stiff(const struct pass *p)
{
    return p->spread > (p->net <= FLOW_V ? p->self->stiff_from : FLOW_STIFF);
}

// Half of the step's end counts where that does not make short waves swing, more where it would.
static float ahead(double spread) { return (float)(spread * fmax(0.5, 1.0 - 1.0 / spread)); }

// change := what change and friction of q come to over the step. What came in through ends of lines.
static double settle(struct pass *p, const float *q, float *change)
{
    const float *zero = p->self->zero;
    rest(p, change, zero, zero, change);
    flow_spread(p->f, p->net, (float)p->spread, q, change);
    return flow_solve_lines(p->f, p->net, ahead(p->spread), change);
}

// next := old + change + what the rest of next - old comes to
static double settle_rest(struct pass *p, const float *old, const float *change, float *next, float *scratch)
{
    rest(p, next, old, change, scratch);
    const double in = flow_solve_lines(p->f, p->net, ahead(p->spread), scratch);
    add(p, old, change, next);
    add(p, next, scratch, next);
    return in;
}

// ---- speeds -----------------------------------------------------------------------------------------

static void push_pass(void *ctx, int j0, int j1)
{
    const struct pass *p = ctx;
    const struct flow_def *d = flow_def_of(p->f);
    const struct flow *s = p->self;
    const double rise = 0.5 * p->dt * p->f->gravity * d->heat_expansion;
    s->kernels->push(&p->f->g, p->k, (float)(p->dt * d->force[0]), (float)(p->dt * d->force[1]), (float)rise,
                     s->p, s->used[FLOW_HEAT] && rise != 0.0 ? s->q[FLOW_HEAT] : NULL, s->du, s->dv, j0, j1);
}

// Fedkiw, Stam & Jensen (2001), with a length of the scene in place of the cell size.
static void turning_pass(void *ctx, int j0, int j1)
{
    const struct pass *p = ctx;
    p->self->kernels->turning(&p->f->g, p->self->u, p->self->v, p->self->dq, j0, j1);
}

static void confine_pass(void *ctx, int j0, int j1)
{
    const struct pass *p = ctx;
    const double least = 0.01 * p->f->g.s / flow_def_of(p->f)->confinement_length;
    p->self->kernels->confine(&p->f->g, (float)least, p->self->dq, p->self->q1, p->self->q2, j0, j1);
}

static void turn_pass(void *ctx, int j0, int j1)
{
    const struct pass *p = ctx;
    const struct flow_def *d = flow_def_of(p->f);
    const struct flow *s = p->self;
    const double k = 0.5 * p->dt * d->confinement * d->confinement_length / p->f->g.s;
    s->kernels->turn(&p->f->g, (float)k, s->ax, s->az, s->q1, s->q2, s->du, s->dv, j0, j1);
}

static void confine(struct pass *p)
{
    struct flow *s = p->self;
    const struct grid *g = &p->f->g;
    flow_rows(p->f, turning_pass, p);
    for (int i = -1; i <= g->nx; ++i)
        s->dq[grid_at(g, i, -1)] = s->dq[grid_at(g, i, p->f->wrap_z ? g->nz - 1 : 0)];
    flow_rows(p->f, confine_pass, p);
    const int from = (int)fmin(ceil(flow_def_of(p->f)->confinement_from / g->s), g->nx);
    for (int j = 0; from > 0 && j < g->nz; ++j) {
        memset(s->q1 + grid_at(g, 0, j), 0, (size_t)from * sizeof *s->q1);
        memset(s->q2 + grid_at(g, 0, j), 0, (size_t)from * sizeof *s->q2);
    }
    // none at the sides, where half of it would be unknown, but across periodic ones
    for (int j = 0; j < g->nz; ++j) {
        s->q1[grid_at(g, -1, j)] = p->f->wrap_x ? s->q1[grid_at(g, g->nx - 1, j)] : 0.0f;
        s->q1[grid_at(g, g->nx, j)] = p->f->wrap_x ? s->q1[grid_at(g, 0, j)] : 0.0f;
    }
    for (int i = 0; i < g->nx; ++i) {
        s->q2[grid_at(g, i, -1)] = p->f->wrap_z ? s->q2[grid_at(g, i, g->nz - 1)] : 0.0f;
        s->q2[grid_at(g, i, g->nz)] = p->f->wrap_z ? s->q2[grid_at(g, i, 0)] : 0.0f;
    }
    flow_rows(p->f, turn_pass, p);
}

static void momentum_pass(void *ctx, int j0, int j1)
{
    const struct pass *p = ctx;
    const struct flow *s = p->self;
    s->kernels->momentum(&p->f->g, &p->stage, s->mass_u, s->mass_v, s->u, s->v, p->stage_u, p->stage_v, s->du,
                         s->dv, p->next_u, p->next_v, j0, j1);
}

static const struct {
    float part;
    double weight; // of the stage's rates in the whole step
} stages[3] = {{1.0f, 1.0 / 6.0}, {0.25f, 1.0 / 6.0}, {2.0f / 3.0f, 2.0 / 3.0}};

static void speed_stages(struct pass *p, float spread)
{
    struct flow *s = p->self;
    float *const u[4] = {s->u, s->u1, s->u2, s->u1}, *const v[4] = {s->v, s->v1, s->v2, s->v1};
    for (int i = 0; i < 3; ++i) {
        p->stage = (struct flow_stage){p->k, stages[i].part, spread};
        p->stage_u = u[i], p->stage_v = v[i], p->next_u = u[i + 1], p->next_v = v[i + 1];
        flow_rows(p->f, momentum_pass, p);
        flow_speed_ghosts(p->f, p->next_u, p->next_v);
    }
}

// From u, v to u1, v1.
static void conservative_speeds(struct pass *p)
{
    struct flow *s = p->self;
    const bool lines = stiff(p);
    for (p->net = FLOW_U; lines && p->net <= FLOW_V; ++p->net)
        settle(p, p->net ? s->v : s->u, p->net ? s->dv : s->du);
    if (p->f->loose_count) flow_mix_faces(p->f);
    speed_stages(p, lines ? 0.0f : (float)p->spread);
    if (p->f->loose_count) flow_part_faces(p->f, p->k);
    for (p->net = FLOW_U; lines && p->net <= FLOW_V; ++p->net)
        settle_rest(p, p->net ? s->v : s->u, p->net ? s->dv : s->du, p->net ? s->v1 : s->u1,
                    p->net ? s->v2 : s->u2);
}

static void from_pass(void *ctx, int j0, int j1)
{
    const struct pass *p = ctx;
    const struct flow_ways *w = &p->self->ways;
    p->self->carry->follow(&p->f->g, &p->trace, p->k, p->mass, w->from_x, w->from_z, j0, j1);
}

static void to_pass(void *ctx, int j0, int j1)
{
    const struct pass *p = ctx;
    const struct flow_ways *w = &p->self->ways;
    p->self->carry->follow(&p->f->g, &p->trace, -p->k, p->mass, w->to_x, w->to_z, j0, j1);
}

static void trace_pass(void *ctx, int j0, int j1)
{
    const struct pass *p = ctx;
    const struct flow_ways *w = &p->self->ways;
    p->self->carry->trace(&p->f->g, p->mass, w->from_x, w->from_z, p->a, p->out, j0, j1);
}

static void curve_pass(void *ctx, int j0, int j1)
{
    const struct pass *p = ctx;
    const struct flow_ways *w = &p->self->ways;
    p->self->carry->curve(&p->f->g, p->mass, w->from_x, w->from_z, p->a, p->out, j0, j1);
}

static void back_pass(void *ctx, int j0, int j1)
{
    const struct pass *p = ctx;
    p->self->carry->back(&p->f->g, p->mass, &p->self->ways, p->a, p->there, p->out, j0, j1);
}

static struct flow_trace trace_of(const struct pass *p, const float *u, const float *v, float x, float z)
{
    const struct flow_def *d = flow_def_of(p->f);
    const struct grid *g = &p->f->g;
    float low[4];
    for (int i = 0; i < 4; ++i) // what comes in is known half a cell outside
        low[i] = d->side[i].kind == FLOW_INFLOW || d->side[i].kind == FLOW_OUTFLOW ? 0.5f : 0.0f;
    return (struct flow_trace){.u = u,
                               .v = v,
                               .x = x,
                               .z = z,
                               .low_x = -low[0],
                               .high_x = (float)g->nx + low[1],
                               .low_z = -low[2],
                               .high_z = (float)g->nz + low[3],
                               .around_x = p->f->wrap_x ? (float)g->nx : 0.0f,
                               .around_z = p->f->wrap_z ? (float)g->nz : 0.0f};
}

static bool twice(const struct pass *p) { return flow_def_of(p->f)->advection == FLOW_MACCORMACK; }

// Most nodes are farther from obstacles than anything moves.
static void measure(const struct pass *p)
{
    if (obstacle_last(p->f) > 0)
        flow_measure(p->f, (int)fmin(254.0, ceil(p->f->fastest * (double)p->k) + 3.0));
}

// Near obstacles it is not worth going back.
static void carry_speed(struct pass *p, const float *q, float *there, float *out)
{
    struct flow *s = p->self;
    p->mass = s->net[p->net].mass;
    p->a = q, p->out = there;
    flow_rows(p->f, from_pass, p);
    measure(p);
    flow_rows(p->f, trace_pass, p);
    p->mass = flow_carry_near(p->f, p->net, 1, &q, &there);
    if (!twice(p)) return;
    flow_rows(p->f, to_pass, p);
    (p->net == FLOW_U ? flow_ghosts_of_u : flow_ghosts_of_v)(p->f, there);
    p->there = there, p->out = out;
    flow_rows(p->f, back_pass, p);
}

// From u, v to u1, v1.
static void carried_speeds(struct pass *p)
{
    struct flow *s = p->self;
    float *there[2] = {twice(p) ? s->u2 : s->u1, twice(p) ? s->v2 : s->v1};
    if (p->f->loose_count) flow_mix_faces(p->f);
    for (p->net = FLOW_U; p->net <= FLOW_V; ++p->net) {
        p->trace = trace_of(p, s->u, s->v, p->net ? 0.5f : 0.0f, p->net ? 0.0f : 0.5f);
        carry_speed(p, p->net ? s->v : s->u, there[p->net], p->net ? s->v1 : s->u1);
    }
    if (p->f->loose_count) flow_part_faces(p->f, p->k);
    if (p->spread > 0.0) flow_speed_ghosts(p->f, s->u1, s->v1);
    for (p->net = FLOW_U; p->net <= FLOW_V; ++p->net) {
        float *u = p->net ? s->v1 : s->u1, *d = p->net ? s->dv : s->du;
        if (stiff(p))
            settle(p, u, d);
        else if (p->spread > 0.0)
            flow_spread(p->f, p->net, (float)p->spread, u, d);
        add(p, u, d, u);
    }
}

// ---- dye and heat -------------------------------------------------------------------------------------

static void scalar_pass(void *ctx, int j0, int j1)
{
    const struct pass *p = ctx;
    const struct flow *s = p->self;
    s->kernels->scalar(&p->f->g, &p->stage, s->mass_q, s->ax, s->az, s->u2, s->v2, p->a, p->b, p->d, p->out,
                       j0, j1);
}

// What comes in through the sides in one evaluation, [cells].
static double from_sides(const struct pass *p, const float *q, float k, float spread)
{
    const struct flow *s = p->self;
    const struct grid *g = &p->f->g;
    const size_t n = g->stride;
    double sum = 0.0;
#define COMES(a, u, c, m)                                                                        \
    ((double)(k * flow_carried(a[c] * u[c], q[(c)-2 * (m)], q[(c) - (m)], q[c], q[(c) + (m)])) - \
     (double)(spread * a[c] * (q[c] - q[(c) - (m)])))
    for (int j = 0; !p->f->wrap_x && j < g->nz; ++j)
        sum += COMES(s->ax, s->u2, grid_at(g, 0, j), 1) - COMES(s->ax, s->u2, grid_at(g, g->nx, j), 1);
    for (int i = 0; !p->f->wrap_z && i < g->nx; ++i)
        sum += COMES(s->az, s->v2, grid_at(g, i, 0), n) - COMES(s->az, s->v2, grid_at(g, i, g->nz), n);
#undef COMES
    return sum;
}

static void conservative_scalar(struct pass *p, int which)
{
    struct flow *s = p->self;
    float *const q[4] = {s->q[which], s->q1, s->q2, s->q1};
    const bool lines = stiff(p);
    const float spread = lines ? 0.0f : (float)p->spread;
    double in = 0.0;
    rest(p, s->zero, s->zero, s->zero, s->dq);
    if (lines) in += from_sides(p, q[0], 0.0f, (float)p->spread) + settle(p, q[0], s->dq);
    for (int i = 0; i < 3; ++i) {
        p->stage = (struct flow_stage){p->k, stages[i].part, spread};
        p->a = q[0], p->b = q[i], p->d = s->dq, p->out = q[i + 1];
        in += stages[i].weight * from_sides(p, q[i], p->k, spread);
        flow_rows(p->f, scalar_pass, p);
        flow_scalar_ghosts(p->f, which, q[i + 1]);
    }
    if (lines) in += settle_rest(p, q[0], s->dq, s->q1, s->q2);
    s->out[which] -= in;
}

// Where the flow comes from is found once: dye and heat go the same ways. They have edges, which going there and back leaves
// behind: they are found by cubics instead.
static void carry_scalars(struct pass *p, int count, const int *which, float *const *out)
{
    struct flow *s = p->self;
    const float *from[FLOW_SCALARS];
    p->trace = trace_of(p, s->u2, s->v2, 0.5f, 0.5f);
    p->mass = s->mass_q;
    flow_rows(p->f, from_pass, p);
    measure(p);
    for (int k = 0; k < count; ++k) {
        from[k] = p->a = s->q[which[k]], p->out = out[k];
        flow_rows(p->f, twice(p) ? curve_pass : trace_pass, p);
    }
    flow_carry_near(p->f, 2 + FLOW_DYE, count, from, out);
}

static void spread_scalar(struct pass *p, int which, float *q)
{
    struct flow *s = p->self;
    if (!(p->spread > 0.0)) return;
    flow_scalar_ghosts(p->f, which, q);
    rest(p, s->zero, s->zero, s->zero, s->dq);
    flow_spread(p->f, p->net, (float)p->spread, q, s->dq);
    if (stiff(p)) flow_solve_lines(p->f, p->net, ahead(p->spread), s->dq);
    add(p, q, s->dq, q);
}

static void decay(struct pass *p, int which)
{
    struct flow *s = p->self;
    const struct grid *g = &p->f->g;
    const float left = (float)m_exp(-p->dt * flow_def_of(p->f)->dye_decay);
    double lost = 0.0;
    if (which != FLOW_DYE || left == 1.0f) return;
    for (int j = 0; j < g->nz; ++j)
        for (int i = 0; i < g->nx; ++i) {
            float *q = &s->q[which][grid_at(g, i, j)];
            lost += (double)*q - (double)(left * *q);
            *q *= left;
        }
    s->out[which] += lost;
}

static void mean_speeds(struct pass *p)
{
    struct flow *s = p->self;
    p->a = s->u, p->b = s->u1, p->out = s->u2;
    flow_rows(p->f, mean_pass, p);
    p->a = s->v, p->b = s->v1, p->out = s->v2;
    flow_rows(p->f, mean_pass, p);
    flow_speed_ghosts(p->f, s->u2, s->v2);
}

// With the mean of the speeds before and after the step, both free of divergence.
static void move_scalars(struct pass *p)
{
    struct flow *s = p->self;
    const struct flow_def *d = flow_def_of(p->f);
    const double diffusion[FLOW_SCALARS] = {[FLOW_DYE] = d->dye_diffusion, [FLOW_HEAT] = d->heat_diffusion};
    float **const next[FLOW_SCALARS] = {&s->q1, &s->q2}, *out[FLOW_SCALARS] = {s->q1, s->q2};
    const bool carried = d->advection != FLOW_CONSERVATIVE;
    int which[FLOW_SCALARS], count = 0;
    for (int q = 0; q < FLOW_SCALARS; ++q)
        if (s->used[q]) which[count++] = q;
    if (count == 0) return;
    mean_speeds(p);
    for (int k = 0; k < count; ++k) flow_scalar_ghosts(p->f, which[k], s->q[which[k]]);
    if (carried) carry_scalars(p, count, which, out);
    for (int k = 0; k < count; ++k) {
        const int q = which[k];
        p->net = 2 + q;
        p->spread = diffusion[q] * p->dt / (p->f->g.s * p->f->g.s);
        if (carried)
            spread_scalar(p, q, out[k]);
        else
            conservative_scalar(p, q);
        swap(&s->q[q], carried ? next[k] : &s->q1);
        decay(p, q);
        flow_scalar_ghosts(p->f, q, s->q[q]);
    }
}

// ---- the story of a step --------------------------------------------------------------------------------

// Sides as they are told now, and all ghosts.
static void look_at_sides(struct fluid *f)
{
    struct flow *s = f->self;
    flow_edges(f);
    flow_speed_ghosts(f, s->u, s->v);
    flow_pressure_ghosts(f, s->p);
    for (int q = 0; q < FLOW_SCALARS; ++q) flow_scalar_ghosts(f, q, s->q[q]);
}

void flow_refresh(struct fluid *f)
{
    struct flow *s = f->self;
    look_at_sides(f);
    f->fastest = flow_fastest(f);
    s->stale = false;
}

// More than a hundred thousand cells in a world step are no way to go on.
bool flow_sound(const struct fluid *f)
{
    if (((const struct flow *)f->self)->stale) flow_refresh((struct fluid *)f); // it follows from the state
    return f->fastest * f->dt / f->g.s < 1e5;
}

double flow_inner(const struct fluid *f, double left)
{
    const struct flow_def *d = flow_def_of(f);
    if (!flow_sound(f)) return left;
    double limit = d->steps ? f->dt / d->steps : f->dt;
    if (d->advection == FLOW_CONSERVATIVE && f->fastest > 0.0)
        limit = fmin(limit, d->courant * f->g.s / f->fastest);
    const double steps = ceil(left / limit - 1e-6);
    return steps > 1.0 ? left / steps : left;
}

static void single_step(struct fluid *f, double dt)
{
    struct flow *s = f->self;
    const struct flow_def *d = flow_def_of(f);
    struct pass p = {.f = f, .self = s, .dt = dt, .k = (float)(dt / f->g.s)};
    flow_move_obstacles(f, dt);
    if (f->starved) return; // the world will say so
    if (f->loose_count && !d->frozen) flow_gather_loose(f, dt);
    flow_hold(f, s->u, s->v);
    look_at_sides(f); // what is told may have changed
    if (!d->frozen) {
        if (f->loose_count) flow_begin_loose(f, dt);
        p.spread = d->viscosity * dt / (f->g.s * f->g.s);
        flow_rows(f, push_pass, &p);
        if (d->confinement > 0.0) confine(&p);
        if (d->advection == FLOW_CONSERVATIVE)
            conservative_speeds(&p);
        else
            carried_speeds(&p);
        flow_mirror(f, s->u1, s->v1);
        swap(&s->u, &s->u1);
        swap(&s->v, &s->v1);
        if (f->loose_count) flow_push_loose(f, dt);
        flow_project(f, dt);
        if (f->loose_count) flow_end_loose(f, dt);
    } else {
        p.a = s->u, p.b = s->u, p.out = s->u1;
        flow_rows(f, mean_pass, &p);
        p.a = s->v, p.b = s->v, p.out = s->v1;
        flow_rows(f, mean_pass, &p);
    }
    move_scalars(&p);
    f->time += dt;
}

void flow_step(struct fluid *f, double dt, int count)
{
    for (int i = 0; i < count; ++i) single_step(f, dt);
}
