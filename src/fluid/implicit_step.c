// How the implicit height field moves: the passes of one step, in order.
#include "implicit.h"

#include <string.h>

#define NEWTON_STEPS 20
#define FILM         0.1   // [cells]
#define LOOSE        0.003 // how exact a step is that others follow
#define HUSH         0.01  // [quanta] root mean square of what a balance may lack: far below what depths show

struct pass {
    struct fluid *f;
    struct implicit *self;
    struct implicit_factors k;
    struct implicit_fields fields;
    double *step;
    double dt;
    double part;   // of the step to take
    double ratio;  // r, see below; 1 without surface tension
    double stride; // how much of a step is best
    bool all;
};

static struct pass pass_of(struct fluid *f, double dt)
{
    const struct implicit_def *d = implicit_def_of(f);
    struct implicit *self = f->self;
    struct shallow *s = &self->base;
    const double dx = f->g.s, shake = m_sin_turns((f->time + 0.5 * dt) / d->base.shake_period);
    for (int i = 0; i < 2; ++i) f->pull[i] = d->base.acceleration[i] + shake * d->base.shake[i];
    const bool bends = self->tense != NULL;
    return (struct pass){
        .f = f,
        .self = self,
        .dt = dt,
        .ratio = 1.0,
        .stride = 1.0,
        .step = self->vector[5],
        .k = {.k = (float)(dt / dx),
              .gk = (float)(f->gravity * dt / dx),
              .gravity = (float)f->gravity,
              .ax = (float)(dt * f->pull[0]),
              .az = (float)(dt * f->pull[1]),
              .keep = d->tau > 0.0 ? (float)m_pow(1.0 - d->tau, dt / f->dt) : 1.0f,
              .rough = (float)(d->friction * dt),
              .dry = (float)f->dry,
              .film = (float)(FILM * dx),
              .magic = (float)(1.5 * SHALLOW_SCALE) * s->quantum,
              .most = (float)(0.5 * SHALLOW_SCALE) * s->quantum,
              .spare = 4.0f * s->quantum,
              .bend = (float)(d->tension / (f->density * f->gravity * dx * dx))},
        .fields = {.bed = f->bed,
                   .h = s->h,
                   .u = s->u,
                   .v = s->v,
                   .h1 = s->h1,
                   .u1 = s->u1,
                   .v1 = s->v1,
                   .free_x = s->half_u,
                   .free_z = s->half_v,
                   .alpha = self->own[0],
                   .beta_x = self->own[1],
                   .beta_z = self->own[2],
                   .skin_x = bends ? self->own[3] : NULL,
                   .skin_z = bends ? self->own[4] : NULL,
                   .tx = s->tx,
                   .tz = s->tz,
                   .eta = self->vector[0],
                   .head = self->vector[bends ? 1 : 0],
                   .lift = f->pressed_count ? f->lift : NULL,
                   .filled = self->vector[2],
                   .filling = self->vector[3],
                   .lack = self->vector[4],
                   .part = s->half_h},
    };
}

// Rows 0 .. nz: the last one holds the northern faces.
static void over_faces(struct pass *p, rows_fn fn)
{
    const int rows = p->f->g.nz + 1, block = grid_block_rows(&p->f->g);
    parallel_rows(p->f->parallel, rows, block < p->f->g.nz ? block : rows, fn, p);
}

static void over_cells(struct pass *p, rows_fn fn)
{
    parallel_rows(p->f->parallel, p->f->g.nz, grid_block_rows(&p->f->g), fn, p);
}

static double sum_rows(const struct pass *p)
{
    double sum = 0.0;
    for (int j = 0; j < p->f->g.nz; ++j) sum += p->self->row_sum[j];
    return sum;
}

// ---- faces and sides ------------------------------------------------------------------------------

static void faces(void *ctx, int j0, int j1)
{
    const struct pass *p = ctx;
    p->self->kernels->faces(&p->f->g, &p->k, &p->fields, j0, j1);
}

// A side face. Nothing passes a wall; an open one lets go what a wave brings that leaves, c eta a second, taken at the
// end of the step so that it is calm for any (Flather's condition with still water outside).
static void close_face(const struct pass *p, int kind, size_t face, size_t edge, float *free, float *beta,
                       float *skin)
{
    if (kind == SIDE_PERIODIC) return;
    free[face] = 0.0f;
    if (skin) skin[face] = 0.0f;
    beta[face] = kind == SIDE_OPEN ? p->k.k * (float)sqrt(p->f->gravity * (double)p->fields.h[edge]) : 0.0f;
}

static void close_sides(const struct pass *p)
{
    const struct shallow_side *side = implicit_def_of(p->f)->base.side;
    const struct grid *g = &p->f->g;
    const struct implicit_fields *q = &p->fields;
    for (int j = 0; j < g->nz; ++j) {
        const size_t west = grid_at(g, 0, j), east = grid_at(g, g->nx - 1, j);
        close_face(p, side[0].kind, west, west, q->free_x, q->beta_x, q->skin_x);
        close_face(p, side[1].kind, east + 1, east, q->free_x, q->beta_x, q->skin_x);
    }
    for (int i = 0; i < g->nx; ++i) {
        const size_t south = grid_at(g, i, 0), north = grid_at(g, i, g->nz - 1);
        close_face(p, side[2].kind, south, south, q->free_z, q->beta_z, q->skin_z);
        close_face(p, side[3].kind, north + g->stride, north, q->free_z, q->beta_z, q->skin_z);
    }
}

// Beyond periodic sides is the other end; beyond others there is 0, the level at rest.
static void wrap(const struct fluid *f, double *x)
{
    const struct grid *g = &f->g;
    for (int j = 0; f->wrap_x && j < g->nz; ++j) {
        const size_t west = grid_at(g, 0, j), east = grid_at(g, g->nx - 1, j);
        x[west - 1] = x[east], x[east + 1] = x[west];
    }
    if (!f->wrap_z) return;
    const size_t row = (size_t)g->nx * sizeof *x;
    memcpy(x + grid_at(g, 0, -1), x + grid_at(g, 0, g->nz - 1), row);
    memcpy(x + grid_at(g, 0, g->nz), x + grid_at(g, 0, 0), row);
}

// ---- the surface ----------------------------------------------------------------------------------

static void begin(void *ctx, int j0, int j1)
{
    const struct pass *p = ctx;
    for (int j = j0; j < j1; ++j) p->self->kernels->begin(&p->f->g, &p->fields, j);
}

static void bend(void *ctx, int j0, int j1)
{
    const struct pass *p = ctx;
    for (int j = j0; j < j1; ++j) p->self->kernels->bend(&p->f->g, &p->fields, j);
}

static void lack(void *ctx, int j0, int j1)
{
    const struct pass *p = ctx;
    for (int j = j0; j < j1; ++j) p->self->row_sum[j] = p->self->kernels->lack(&p->f->g, &p->fields, j);
}

static void slope(void *ctx, int j0, int j1)
{
    const struct pass *p = ctx;
    for (int j = j0; j < j1; ++j) p->self->kernels->slope(&p->f->g, &p->fields, 1.0 / p->ratio, j);
}

static void advance(void *ctx, int j0, int j1)
{
    const struct pass *p = ctx;
    for (int j = j0; j < j1; ++j) p->self->kernels->advance(&p->f->g, &p->fields, p->part, p->step, j);
}

// Root mean square of what the balances lack [m].
static double balance(struct pass *p)
{
    implicit_press_fill(p->f, p->dt);
    wrap(p->f, p->fields.eta);
    if (p->fields.head != p->fields.eta) {
        over_cells(p, bend);
        wrap(p->f, p->fields.head);
    }
    over_cells(p, lack);
    return sqrt(sum_rows(p) / ((double)p->f->g.nx * p->f->g.nz));
}

// ---- surface tension ------------------------------------------------------------------------------
//
// With it the system is V' + L (1 + K), L the water and K the skin: of fourth order. A step of Newton's method takes the
// product (V'/r + L) (r + K) instead, two systems of second order. For water as deep as the deepest, where L is A times
// and K bend times the Laplacian, that is exact if  r A + bend/r = A. Where that has no solution, r = sqrt(bend/A): the product
// is up to twice too large, and a stride of 4/3 leaves a third at most.

static void skin(void *ctx, int j0, int j1)
{
    const struct pass *p = ctx;
    p->self->kernels->skin(&p->f->g, &p->k, &p->fields, j0, j1);
}

static void deepest(void *ctx, int j0, int j1)
{
    const struct pass *p = ctx;
    for (int j = j0; j < j1; ++j) p->self->row_sum[j] = p->self->kernels->deepest(&p->f->g, &p->fields, j);
}

static void even(void *ctx, int j0, int j1)
{
    const struct pass *p = ctx;
    for (int j = j0; j < j1; ++j)
        for (int i = 0; i < p->f->g.nx; ++i) p->self->own[5][grid_at(&p->f->g, i, j)] = (float)p->ratio;
}

static void prepare_skin(struct pass *p)
{
    const double bend = (double)p->k.bend;
    double most = 1e-20;
    over_faces(p, deepest);
    for (int j = 0; j <= p->f->g.nz; ++j) most = fmax(most, p->self->row_sum[j]);
    p->stride = most > 4.0 * bend ? 1.0 : 4.0 / 3.0;
    p->ratio = most > 4.0 * bend ? 0.5 * (1.0 + sqrt(1.0 - 4.0 * bend / most)) : sqrt(bend / most);
    over_cells(p, even);
    const struct linear system = {
        .alpha = p->self->own[5],
        .beta_x = p->fields.skin_x,
        .beta_z = p->fields.skin_z,
        .wrap_x = p->f->wrap_x,
        .wrap_z = p->f->wrap_z,
    };
    linear_prepare(p->self->tense, &system);
}

static void prepare(struct pass *p)
{
    const struct shallow_side *side = implicit_def_of(p->f)->base.side;
    struct linear system = {
        .alpha = p->fields.alpha,
        .beta_x = p->fields.beta_x,
        .beta_z = p->fields.beta_z,
        .wrap_x = p->f->wrap_x,
        .wrap_z = p->f->wrap_z,
    };
    for (int i = 0; i < 4; ++i) system.side[i] = side[i].kind == SIDE_OPEN ? 1.0f : 0.0f;
    over_cells(p, slope);
    system.terms = p->f->terms;
    system.term_count =
        implicit_press_terms(p->f, p->dt, 1.0 / p->ratio, p->self->kind->terms, p->fields.alpha);
    linear_prepare(p->self->solver, &system);
}

static void along(void *ctx, int j0, int j1)
{
    const struct pass *p = ctx;
    for (int j = j0; j < j1; ++j)
        p->self->row_sum[j] = p->self->kernels->along(&p->f->g, &p->fields, p->step, j);
}

// How far the balance still wants to go along the step.
static double wants(struct pass *p)
{
    over_cells(p, along);
    return sum_rows(p);
}

static double go(struct pass *p, double part)
{
    p->part = part;
    over_cells(p, advance);
    return balance(p);
}

// The surface makes a convex function least, whose slope is minus what the balances lack. So a step that goes too far is
// cut to about where the slope along it changes its sign. Gives back what the balances lack then.
static double take_step(struct pass *p)
{
    enum { CUTS = 8 };
    const double start = wants(p);
    const double whole = p->stride;
    double left = go(p, whole), lo = 0.0, hi = whole, at = whole, at_lo = start, at_hi = 0.0;
    for (int n = 0; n < CUTS; ++n) {
        const double now = wants(p);
        if (now >= (whole > 1.0 ? -0.35 : -0.1) * start && (at == whole || now <= 0.5 * start)) break;
        if (now < 0.0)
            hi = at, at_hi = now;
        else
            lo = at, at_lo = now;
        const double next = lo + (hi - lo) * clamp(at_lo / (at_lo - at_hi), 0.1, 0.9);
        left = go(p, next - at);
        at = next;
    }
    return left;
}

// Where to go from here: one step of Newton's method.
static void find_step(struct pass *p, double tolerance)
{
    const struct implicit_def *d = implicit_def_of(p->f);
    const size_t bytes = p->f->g.count * sizeof *p->step;
    const struct linear_goal goal = {.part = tolerance, .most = d->iterations};
    struct linear_report report;
    prepare(p);
    memset(p->step, 0, bytes);
    linear_solve(p->self->solver, p->fields.lack, p->step, goal, &report);
    if (!p->self->tense) return;
    double *const first = p->self->vector[6];
    memcpy(first, p->step, bytes);
    memset(p->step, 0, bytes);
    linear_solve(p->self->tense, first, p->step, goal, &report);
}

// Newton's method on V(eta) = h - div(t). Once it is known which columns are wet, the next step is exact.
static void find_surface(struct pass *p)
{
    const struct implicit_def *d = implicit_def_of(p->f);
    const double hush = HUSH * (double)p->self->base.quantum;
    over_cells(p, begin);
    if (p->self->tense) prepare_skin(p);
    double left = balance(p);
    const double enough = fmax(hush, 2.0 * d->tolerance * left);
    for (int n = 0; n < NEWTON_STEPS && left > enough; ++n) {
        // With surface tension one step will not do anyway, and none has to be exact. (With what presses it would tremble.)
        find_step(p, p->self->tense ? fmax(d->tolerance, fmin(LOOSE, 0.5 * enough / left)) : d->tolerance);
        left = take_step(p);
    }
}

// ---- depth ----------------------------------------------------------------------------------------

static void transfer(void *ctx, int j0, int j1)
{
    const struct pass *p = ctx;
    p->self->kernels->transfer(&p->f->g, &p->k, &p->fields, j0, j1);
}

static void deepen(void *ctx, int j0, int j1)
{
    const struct pass *p = ctx;
    for (int j = j0; j < j1; ++j)
        p->self->base.row_poor[j] = p->self->kernels->depth(&p->f->g, &p->fields, j);
}

static void ration(void *ctx, int j0, int j1)
{
    const struct pass *p = ctx;
    for (int j = j0; j < j1; ++j) p->self->kernels->ration(&p->f->g, &p->k, &p->fields, p->all, j);
}

static void cut(void *ctx, int j0, int j1)
{
    const struct pass *p = ctx;
    for (int j = j0; j < j1; ++j) p->self->kernels->cut(&p->f->g, &p->k, &p->fields, j);
}

static bool any_poor(struct pass *p)
{
    over_cells(p, deepen);
    for (int j = 0; j < p->f->g.nz; ++j)
        if (p->self->base.row_poor[j]) return true;
    return false;
}

// A cell that would end below 0, by rounding or because the surface is not quite found, gives no more than it has. Then
// others may get too little: so again, and in the end nobody gives more than it has.
static void move_water(struct pass *p)
{
    enum { TRIES = 24 };
    over_faces(p, transfer);
    for (int n = 0; n <= TRIES && any_poor(p); ++n) {
        p->all = n == TRIES;
        over_cells(p, ration);
        shallow_ghosts(p->f, p->fields.part, MIDDLE);
        over_faces(p, cut);
        if (n == TRIES) over_cells(p, deepen);
    }
    p->f->out += shallow_left(p->f);
    shallow_ghosts(p->f, p->fields.h1, MIDDLE);
}

// ---- speeds ---------------------------------------------------------------------------------------

static void mix(void *ctx, int j0, int j1)
{
    const struct pass *p = ctx;
    p->self->kernels->mix(&p->f->g, &p->fields, j0, j1);
}

static void carry(void *ctx, int j0, int j1)
{
    const struct pass *p = ctx;
    p->self->kernels->carry(&p->f->g, &p->k, &p->fields, j0, j1);
}

static void fall(void *ctx, int j0, int j1)
{
    const struct pass *p = ctx;
    p->self->kernels->fall(&p->f->g, &p->k, &p->fields, j0, j1);
}

// The speed on an open side face is that of the water that passed it.
static void side_speed(const struct pass *p, int kind, size_t face, size_t edge, const float *t, float *u)
{
    if (kind != SIDE_OPEN) return;
    const float depth = p->fields.h1[edge];
    u[face] = depth > p->k.dry ? t[face] / (p->k.k * depth) : 0.0f;
}

static void side_speeds(const struct pass *p)
{
    const struct shallow_side *side = implicit_def_of(p->f)->base.side;
    const struct grid *g = &p->f->g;
    const struct implicit_fields *q = &p->fields;
    for (int j = 0; j < g->nz; ++j) {
        const size_t west = grid_at(g, 0, j), east = grid_at(g, g->nx - 1, j);
        side_speed(p, side[0].kind, west, west, q->tx, q->u1);
        side_speed(p, side[1].kind, east + 1, east, q->tx, q->u1);
    }
    for (int i = 0; i < g->nx; ++i) {
        const size_t south = grid_at(g, i, 0), north = grid_at(g, i, g->nz - 1);
        side_speed(p, side[2].kind, south, south, q->tz, q->v1);
        side_speed(p, side[3].kind, north + g->stride, north, q->tz, q->v1);
    }
}

static void move_speeds(struct pass *p)
{
    struct shallow *s = &p->self->base;
    shallow_ghosts(p->f, s->tx, WEST_FACE);
    shallow_ghosts(p->f, s->tz, SOUTH_FACE);
    over_faces(p, mix);
    shallow_ghosts(p->f, p->fields.free_x, WEST_FACE);
    shallow_ghosts(p->f, p->fields.free_z, SOUTH_FACE);
    over_faces(p, carry);
    over_faces(p, fall);
    side_speeds(p);
    implicit_press_slow(p->f, &p->fields, p->k.k);
}

static void keep_head(void *ctx, int j0, int j1)
{
    const struct pass *p = ctx;
    for (int j = j0; j < j1; ++j) {
        const size_t row = grid_at(&p->f->g, 0, j);
        for (size_t c = row; c < row + (size_t)p->f->g.nx; ++c)
            p->f->head[c] = fmaxf(p->f->bed[c], (float)p->fields.eta[c]);
    }
}

// ---- the story of a step --------------------------------------------------------------------------

static void swap(float **a, float **b)
{
    float *const kept = *a;
    *a = *b;
    *b = kept;
}

static void single_step(struct fluid *f, double dt)
{
    struct shallow *s = f->self;
    if (shallow_sound(f) && f->fastest * f->fastest > f->gravity * SHALLOW_SCALE * (double)s->quantum)
        shallow_make_room(f);
    if (s->stale) shallow_refresh(f);
    struct pass p = pass_of(f, dt);
    if (p.fields.lift) shallow_ghosts(f, f->lift, MIDDLE);
    over_faces(&p, faces);
    if (p.fields.skin_x) over_faces(&p, skin);
    close_sides(&p);
    implicit_press_still(f, &p.fields);
    find_surface(&p);
    move_water(&p);
    move_speeds(&p);
    if (f->head) over_cells(&p, keep_head);
    implicit_press_clear(f);
    swap(&s->h, &s->h1);
    swap(&s->u, &s->u1);
    swap(&s->v, &s->v1);
    f->time += dt;
    shallow_refresh(f);
}

double implicit_inner(const struct fluid *f, double left)
{
    if (!shallow_sound(f)) return left; // and the fastest signal is that of the state, in a loaded world too
    const double steps = ceil(left * implicit_def_of(f)->base.steps / f->dt - 1e-6);
    return steps > 1.0 ? left / steps : left;
}

void implicit_step(struct fluid *f, double dt, int count)
{
    for (int i = 0; i < count; ++i) single_step(f, dt);
}
