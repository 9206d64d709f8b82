// How the shallow water moves: the passes of one step, in order. Each hands rows to kernels and then fills the ghosts of
// what it wrote, west and east ends along with the rows, south and north once all rows are there.
#include "base/math.h"
#include "shallow.h"

#include <string.h>

#define HUSH 0.3f // [quanta] a step that are too few to be a wave

// What the passes of one step work on.
struct pass {
    struct fluid *f;
    struct shallow *self;
    struct shallow_factors k;
    struct shallow_fields fields;
    double time, dt; // [s] at the start
};

static struct pass pass_of(struct fluid *f, double dt)
{
    const struct shallow_def *d = shallow_def_of(f);
    struct shallow *s = f->self;
    const double dx = f->g.s, shake = m_sin_turns((f->time + 0.5 * dt) / d->shake_period);
    for (int i = 0; i < 2; ++i) f->pull[i] = d->acceleration[i] + shake * d->shake[i];
    return (struct pass){
        .f = f,
        .self = s,
        .time = f->time,
        .dt = dt,
        .k = {.k = (float)(dt / dx),
              .gk = (float)(f->gravity * dt / dx),
              .ax = (float)(dt * f->pull[0]),
              .az = (float)(dt * f->pull[1]),
              .dry = (float)f->dry,
              .lip = (float)dx,
              .magic = (float)(1.5 * SHALLOW_SCALE) * s->quantum,
              .most = (float)(0.5 * SHALLOW_SCALE) * s->quantum,
              .spare = 4.0f * s->quantum,
              .hush = (float)(dt / dx) / (HUSH * s->quantum),
              .cap = d->limit_speed > 0.0 ? (float)(d->limit_speed * dx / dt) : INFINITY,
              .deep = d->limit_depth > 0.0 ? (float)(d->limit_depth * dx * dx / (f->gravity * dt * dt))
                                           : INFINITY,
              .drag = (float)(f->gravity * d->friction * d->friction * dt)},
        .fields = {.bed = f->bed,
                   .lift = f->pressed_count ? f->lift : NULL,
                   .pressed = s->row_pressed,
                   .next = f->next,
                   .pass = {f->pass[0], f->pass[1]},
                   .h = s->h,
                   .u = s->u,
                   .v = s->v,
                   .h1 = s->h1,
                   .u1 = s->u1,
                   .v1 = s->v1,
                   .half_h = s->half_h,
                   .half_u = s->half_u,
                   .half_v = s->half_v,
                   .tx = s->tx,
                   .tz = s->tz},
    };
}

// Rows 0 .. nz: the last one holds the northern faces.
static void over_rows(struct pass *p, rows_fn fn)
{
    const int rows = p->f->g.nz + 1, block = grid_block_rows(&p->f->g);
    parallel_rows(p->f->parallel, rows, block < p->f->g.nz ? block : rows, fn, p);
}

static void ends_of(const struct pass *p, float *q, enum stand stand, int j0, int j1)
{
    for (int j = j0; j < j1; ++j) shallow_ends(p->f, q, stand, j);
}

// Speeds after a pass: the sides that are told, then ghosts.
static void speed_ends(const struct pass *p, const float *h, float *u, float *v, double t, int j0, int j1)
{
    for (int j = j0; j < j1; ++j)
        if (j < p->f->g.nz) shallow_ends_flow(p->f, h, u, t, j, NULL, 0.0f);
    ends_of(p, u, WEST_FACE, j0, j1);
    ends_of(p, v, SOUTH_FACE, j0, j1);
}

static void speed_rims(const struct pass *p, const float *h, float *u, float *v, double t)
{
    shallow_rims_flow(p->f, h, v, t, NULL, 0.0f);
    shallow_ends(p->f, v, SOUTH_FACE, 0); // these rows have changed
    shallow_ends(p->f, v, SOUTH_FACE, p->f->g.nz);
    shallow_rims(p->f, u, WEST_FACE);
    shallow_rims(p->f, v, SOUTH_FACE);
}

static void predict(void *ctx, int j0, int j1)
{
    const struct pass *p = ctx;
    p->self->kernels->predict(&p->f->g, &p->k, &p->fields, j0, j1);
    ends_of(p, p->self->half_h, MIDDLE, j0, j1);
    speed_ends(p, p->self->half_h, p->self->half_u, p->self->half_v, p->time + 0.5 * p->dt, j0, j1);
}

static void transfer_ends(const struct pass *p, const float *h, float *u, double t, int j0, int j1)
{
    for (int j = j0; j < j1; ++j)
        if (j < p->f->g.nz) shallow_ends_flow(p->f, h, u, t, j, p->self->tx, p->k.k);
}

static void transfer(void *ctx, int j0, int j1)
{
    const struct pass *p = ctx;
    p->self->kernels->transfer(&p->f->g, &p->k, &p->fields, j0, j1);
    transfer_ends(p, p->self->half_h, p->self->half_u, p->time + 0.5 * p->dt, j0, j1);
}

static void deepen(void *ctx, int j0, int j1)
{
    const struct pass *p = ctx;
    for (int j = j0; j < j1; ++j) {
        if (j == p->f->g.nz) return;
        p->self->row_poor[j] = p->self->kernels->depth(&p->f->g, &p->fields, j);
        shallow_ends(p->f, p->self->h1, MIDDLE, j);
    }
}

static void ration(void *ctx, int j0, int j1)
{
    const struct pass *p = ctx;
    for (int j = j0; j < j1; ++j) {
        if (j == p->f->g.nz || !p->self->row_poor[j]) continue;
        p->self->kernels->ration(&p->f->g, &p->k, &p->fields, j);
        if (p->f->wrap_x) shallow_ends(p->f, p->self->half_h, MIDDLE, j);
    }
}

// Whether a row has rations; beyond a side that is not periodic there are none.
static bool poor(const struct pass *p, int j)
{
    if (p->f->wrap_z) j = (j + p->f->g.nz) % p->f->g.nz;
    return 0 <= j && j < p->f->g.nz && p->self->row_poor[j];
}

static const float *rations(const struct pass *p, int j)
{
    if (!poor(p, j)) return p->self->ones + 1;
    return p->self->half_h + grid_at(&p->f->g, 0, (j + p->f->g.nz) % p->f->g.nz);
}

static void cut(void *ctx, int j0, int j1)
{
    const struct pass *p = ctx;
    for (int j = j0; j < j1; ++j)
        if (poor(p, j) || poor(p, j - 1))
            p->self->kernels->cut(&p->f->g, &p->k, &p->fields, j, rations(p, j), rations(p, j - 1));
}

static void deepen_again(void *ctx, int j0, int j1)
{
    const struct pass *p = ctx;
    for (int j = j0; j < j1; ++j) {
        if (j == p->f->g.nz || !(poor(p, j) || poor(p, j - 1) || poor(p, j + 1))) continue;
        p->self->kernels->depth(&p->f->g, &p->fields, j);
        shallow_ends(p->f, p->self->h1, MIDDLE, j);
    }
}

static void transfer_ghosts(void *ctx, int j0, int j1)
{
    const struct pass *p = ctx;
    ends_of(p, p->self->tx, WEST_FACE, j0, j1);
    ends_of(p, p->self->tz, SOUTH_FACE, j0, j1);
}

static void momentum(void *ctx, int j0, int j1)
{
    const struct pass *p = ctx;
    p->self->kernels->momentum(&p->f->g, &p->k, &p->fields, j0, j1);
    speed_ends(p, p->self->h1, p->self->u1, p->self->v1, p->time + p->dt, j0, j1);
}

// Depth from the transfers, which moved with u and v. A cell that would give more than it has gives each neighbour its part of what there is.
static void move_water(struct pass *p, const float *u, const float *v)
{
    struct shallow *self = p->self;
    bool any = false;
    over_rows(p, deepen);
    for (int j = 0; j < p->f->g.nz; ++j) any = any || self->row_poor[j];
    if (any) {
        over_rows(p, ration);
        over_rows(p, cut);
        over_rows(p, deepen_again);
    }
    p->f->out += shallow_left(p->f);
    shallow_rims(p->f, self->h1, MIDDLE);
    shallow_hold_levels(p->f, self->h1, u, v, p->time + p->dt);
}

static void conservative_step(struct pass *p)
{
    struct shallow *self = p->self;
    const double middle = p->time + 0.5 * p->dt;
    over_rows(p, predict);
    shallow_rims(p->f, self->half_h, MIDDLE);
    speed_rims(p, self->half_h, self->half_u, self->half_v, middle);
    shallow_hold_levels(p->f, self->half_h, self->half_u, self->half_v, middle);
    over_rows(p, transfer);
    shallow_rims_flow(p->f, self->half_h, self->half_v, middle, self->tz, p->k.k);
    move_water(p, self->half_u, self->half_v);
    over_rows(p, transfer_ghosts);
    shallow_rims(p->f, self->tx, WEST_FACE);
    shallow_rims(p->f, self->tz, SOUTH_FACE);
    over_rows(p, momentum);
    speed_rims(p, self->h1, self->u1, self->v1, p->time + p->dt);
}

// ---- the real-time literature's step --------------------------------------------------------------

static void carry(void *ctx, int j0, int j1)
{
    const struct pass *p = ctx;
    p->self->kernels->carry(&p->f->g, &p->k, &p->fields, j0, j1);
    ends_of(p, p->fields.half_u, WEST_FACE, j0, j1);
    ends_of(p, p->fields.half_v, SOUTH_FACE, j0, j1);
}

static void fall(void *ctx, int j0, int j1)
{
    const struct pass *p = ctx;
    p->self->kernels->fall(&p->f->g, &p->k, &p->fields, j0, j1);
    speed_ends(p, p->self->h, p->self->u1, p->self->v1, p->time + p->dt, j0, j1);
}

static void upwind(void *ctx, int j0, int j1)
{
    const struct pass *p = ctx;
    p->self->kernels->upwind(&p->f->g, &p->k, &p->fields, j0, j1);
    transfer_ends(p, p->self->h, p->self->u1, p->time + p->dt, j0, j1);
}

// A row falls right after it was carried, while it is in cache.
static void carry_back_and_fall(void *ctx, int j0, int j1)
{
    const struct pass *p = ctx;
    p->self->kernels->carry_back(&p->f->g, &p->k, &p->fields, j0, j1);
    fall(ctx, j0, j1);
}

static void carry_and_fall(void *ctx, int j0, int j1)
{
    const struct pass *p = ctx;
    p->self->kernels->carry(&p->f->g, &p->k, &p->fields, j0, j1);
    fall(ctx, j0, j1);
}

static void carried_step(struct pass *p)
{
    struct shallow *self = p->self;
    if (shallow_def_of(p->f)->advection == MACCORMACK) {
        over_rows(p, carry);
        shallow_rims(p->f, self->half_u, WEST_FACE);
        shallow_rims(p->f, self->half_v, SOUTH_FACE);
        over_rows(p, carry_back_and_fall);
    } else {
        p->fields.half_u = self->u1, p->fields.half_v = self->v1;
        over_rows(p, carry_and_fall);
    }
    speed_rims(p, self->h, self->u1, self->v1, p->time + p->dt);
    over_rows(p, upwind);
    shallow_rims_flow(p->f, self->h, self->v1, p->time + p->dt, self->tz, p->k.k);
    move_water(p, self->u1, self->v1);
}

// ---- overshoots -----------------------------------------------------------------------------------

// Chentanez & Mueller (2010), 2.5: a cell that stands out at the edge of a wave, more than two cells' width above the
// one behind and above the one ahead, gives a part of what it stands out to the one ahead.
static float overshoot(const struct pass *p, size_t behind, size_t c, size_t ahead)
{
    const float *h = p->fields.h, *bed = p->fields.bed;
    // A quarter of the difference: a peak may give to four neighbours at once and must not become a pit.
    const float part = 0.25f * (float)shallow_def_of(p->f)->limit_overshoot;
    const bool edge = bed[c] + h[c] - (bed[behind] + h[behind]) > 2.0f * (float)p->f->g.s &&
                      bed[c] + h[c] > bed[ahead] + h[ahead] && h[c] > h[ahead];
    const double quantum = p->self->quantum; // rounded down: four neighbours must not get more than there is
    return edge ? (float)(floor((double)(part * (h[c] - h[ahead])) / quantum) * quantum) : 0.0f;
}

static void level_out(void *ctx, int j0, int j1)
{
    const struct pass *p = ctx;
    const struct grid *g = &p->f->g;
    const size_t n = g->stride;
    for (int j = j0; j < j1; ++j)
        for (int i = 0; i <= g->nx; ++i) {
            const size_t c = grid_at(g, i, j);
            const bool x = p->f->wrap_x || (0 < i && i < g->nx), z = p->f->wrap_z || (0 < j && j < g->nz);
            p->self->tx[c] = x ? overshoot(p, c - 2, c - 1, c) - overshoot(p, c + 1, c, c - 1) : 0.0f;
            p->self->tz[c] = z ? overshoot(p, c - 2 * n, c - n, c) - overshoot(p, c + n, c, c - n) : 0.0f;
        }
}

static void swap(float **a, float **b)
{
    float *const kept = *a;
    *a = *b;
    *b = kept;
}

// Water that is moved comes at rest and leaves with its speed: so this takes energy and never gives any.
static void slow_down(void *ctx, int j0, int j1)
{
    const struct pass *p = ctx;
    const float *h = p->self->h, *h1 = p->self->h1;
    const size_t n = p->f->g.stride;
    for (int j = j0; j < j1; ++j)
        for (int i = 0; i <= p->f->g.nx; ++i) {
            const size_t c = grid_at(&p->f->g, i, j);
            const float x = h[c - 1] + h[c], x1 = h1[c - 1] + h1[c], z = h[c - n] + h[c],
                        z1 = h1[c - n] + h1[c];
            if (x1 > x) p->self->u[c] *= x / x1;
            if (z1 > z) p->self->v[c] *= z / z1;
        }
}

static void reduce_overshoots(struct pass *p)
{
    struct shallow *self = p->self;
    p->fields.h = self->h, p->fields.h1 = self->h1;
    over_rows(p, level_out);
    over_rows(p, deepen);
    shallow_rims(p->f, self->h1, MIDDLE);
    over_rows(p, slow_down);
    swap(&self->h, &self->h1);
    self->stale = true;
}

// ---- calm under cover -----------------------------------------------------------------------------

// Under what presses from above the grid would carry ripples: speeds are evened out there, as an exchange of momentum
// between neighbouring faces, so that none is lost. The shallower of the two faces says how much: the other way round
// thin water would be thrown about. `a` leads along the speed's axis, `b` across.
static float exchanged(const struct pass *p, float cover, const float *u, size_t from, size_t to, size_t a)
{
    const float *h = p->self->h;
    const float one = 0.5f * (h[from] + h[from - a]), other = 0.5f * (h[to] + h[to - a]);
    const float depth = one < other ? one : other;
    return depth > p->k.dry ? cover * depth * (u[from] - u[to]) : 0.0f;
}

static void calm_rect(const struct pass *p, const struct rect *r, float part, const float *u, float *out,
                      size_t a, size_t b)
{
    const float *h = p->self->h, *cover = p->f->cover;
#define CORNER(c) (0.25f * ((cover[c] + cover[(c)-a]) + (cover[(c)-b] + cover[(c)-a - b])))
    for (int j = r->j0; j <= r->j1; ++j) // the faces beyond the last cells too
        for (int i = r->i0; i <= r->i1; ++i) {
            const size_t c = grid_at(&p->f->g, i, j);
            const float along =
                exchanged(p, cover[c], u, c + a, c, a) - exchanged(p, cover[c - a], u, c, c - a, a);
            const float across =
                exchanged(p, CORNER(c + b), u, c + b, c, a) - exchanged(p, CORNER(c), u, c, c - b, a);
            const float depth = 0.5f * (h[c] + h[c - a]);
            out[c] = u[c];
            if (depth > p->k.dry) out[c] += part * (along + across) / depth;
        }
#undef CORNER
}

static void put_back(const struct pass *p, const struct rect *r, const float *from, float *u)
{
    for (int j = r->j0; j <= r->j1; ++j) {
        const size_t c = grid_at(&p->f->g, r->i0, j);
        memcpy(u + c, from + c, (size_t)(r->i1 - r->i0 + 1) * sizeof *u);
    }
}

static void calm(const struct pass *p)
{
    struct shallow *self = p->self;
    if (!p->f->pressed_count) return;
    shallow_ghosts(p->f, p->f->cover, MIDDLE);
    const float part = (float)(0.075 * p->f->fastest * p->dt / p->f->g.s);
    for (int k = 0; k < p->f->pressed_count; ++k) {
        calm_rect(p, &p->f->pressed[k], part, self->u, self->half_u, 1, p->f->g.stride);
        calm_rect(p, &p->f->pressed[k], part, self->v, self->half_v, p->f->g.stride, 1);
    }
    for (int k = 0; k < p->f->pressed_count; ++k) {
        put_back(p, &p->f->pressed[k], self->half_u, self->u);
        put_back(p, &p->f->pressed[k], self->half_v, self->v);
    }
    self->stale = true;
}

// ---- the story of a step --------------------------------------------------------------------------

struct survey {
    const struct fluid *f;
    float *row;
};

static void fastest_rows(void *ctx, int j0, int j1)
{
    const struct survey *s = ctx;
    const struct shallow *self = s->f->self;
    for (int j = j0; j < j1; ++j)
        s->row[j] =
            self->kernels->fastest(&s->f->g, (float)s->f->gravity, self->h, self->u, self->v, j, j + 1);
}

// A row that is infinite or not a number makes the sum so.
static void find_fastest(struct fluid *f)
{
    struct shallow *self = f->self;
    struct survey s = {f, self->row_speed};
    float best = 0.0f;
    parallel_rows(f->parallel, f->g.nz, grid_block_rows(&f->g), fastest_rows, &s);
    for (int j = 0; j < f->g.nz; ++j)
        if (!(self->row_speed[j] <= best))
            best = self->row_speed[j] < INFINITY ? self->row_speed[j] : INFINITY;
    f->fastest = best;
}

void shallow_refresh(struct fluid *f)
{
    struct shallow *self = f->self;
    shallow_ghosts(f, self->h, MIDDLE);
    shallow_ghosts(f, self->u, WEST_FACE);
    shallow_ghosts(f, self->v, SOUTH_FACE);
    shallow_hold_levels(f, self->h, self->u, self->v, f->time);
    find_fastest(f);
    self->stale = false;
}

// More than a hundred thousand cells in a world step are no way to go on.
bool shallow_sound(const struct fluid *f)
{
    if (((const struct shallow *)f->self)->stale)
        shallow_refresh((struct fluid *)f); // ghosts and the fastest signal follow from the state
    return f->fastest * f->dt / f->g.s < 1e5;
}

double shallow_inner(const struct fluid *f, double left)
{
    const struct shallow_def *d = shallow_def_of(f);
    if (!shallow_sound(f)) return left;
    const double limit = d->steps ? f->dt / d->steps : d->courant * f->g.s / f->fastest;
    const double steps = ceil(left / limit - 1e-6);
    return steps > 1.0 ? left / steps : left;
}

// Rows that kernels have to look for a lift in: they read two rows to both sides. Elsewhere it would be zero to the bit.
static void mark_pressed(struct fluid *f)
{
    struct shallow *self = f->self;
    const int rows = f->g.nz + 1; // the last one holds the northern faces
    memset(self->row_pressed, 0, (size_t)rows);
    for (int k = 0; k < f->pressed_count; ++k)
        for (int j = f->pressed[k].j0 - GRID_GHOSTS; j < f->pressed[k].j1 + GRID_GHOSTS; ++j) {
            const int row = fluid_row(f, j);
            if (row >= 0) self->row_pressed[row] = 1;
        }
    self->row_pressed[rows - 1] = self->row_pressed[0] || self->row_pressed[rows - 2];
}

static void lift_ghosts(struct fluid *f)
{
    mark_pressed(f);
    shallow_ghosts(f, f->lift, MIDDLE);
    if (!f->next) return;
    shallow_ghosts(f, f->next, MIDDLE);
    shallow_ghosts(f, f->pass[0], WEST_FACE);
    shallow_ghosts(f, f->pass[1], SOUTH_FACE);
}

static void single_step(struct fluid *f, double dt)
{
    struct shallow *self = f->self;
    // No water is deeper than its waves are fast.
    if (shallow_sound(f) && f->fastest * f->fastest > f->gravity * SHALLOW_SCALE * (double)self->quantum)
        shallow_make_room(f);
    if (self->stale) shallow_refresh(f);
    shallow_hold_levels(f, self->h, self->u, self->v, f->time); // from the state alone, and as it is told now
    struct pass p = pass_of(f, dt);
    if (p.fields.lift) lift_ghosts(f);
    if (shallow_def_of(f)->advection == CONSERVATIVE)
        conservative_step(&p);
    else
        carried_step(&p);
    swap(&self->h, &self->h1);
    swap(&self->u, &self->u1);
    swap(&self->v, &self->v1);
    if (shallow_def_of(f)->limit_overshoot > 0.0) reduce_overshoots(&p);
    calm(&p);
    f->time += dt;
    if (!self->stale) find_fastest(f); // else when it is asked for
}

void shallow_step(struct fluid *f, double dt, int count)
{
    for (int i = 0; i < count; ++i) single_step(f, dt);
}
