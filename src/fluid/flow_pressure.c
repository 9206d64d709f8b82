// The pressure that makes the speeds of the flow free of divergence.
#include "flow.h"

#include <string.h>

enum { ROUNDS = 4 }; // of solving
#define MEAN     0.5 // of `tolerance` that the root mean square of what leaves cells is aimed at
#define DIAGONAL 1.41421356237309505 // of |u| + |v| over the length of a velocity
#define PEAK     (9.9 / DIAGONAL)    // times `tolerance` that may be left of a cell: ten by the length
#define BLOW     0.2                 // of a blow's divergence that may be left

struct pressure {
    struct fluid *f;
    float *u, *v;
    double k;
};

static void divergence_pass(void *ctx, int j0, int j1)
{
    const struct pressure *p = ctx;
    struct flow *s = p->f->self;
    for (int j = j0; j < imin(j1, p->f->g.nz); ++j)
        s->row_sums[j].squares = s->kernels->divergence(
            &p->f->g, s->ax, s->az, p->u, p->v, s->moving ? s->pump : NULL, s->b, &s->row_sums[j].most, j);
}

static void correct_pass(void *ctx, int j0, int j1)
{
    const struct pressure *p = ctx;
    struct flow *s = p->f->self;
    s->kernels->correct(&p->f->g, p->k, s->ax, s->az, s->x, p->u, p->v, s->p, j0, j1);
}

static void fastest_pass(void *ctx, int j0, int j1)
{
    const struct pressure *p = ctx;
    struct flow *s = p->f->self;
    for (int j = j0; j < imin(j1, p->f->g.nz); ++j)
        s->row_speed[j] = s->kernels->fastest(&p->f->g, p->u, p->v, j);
}

// A row that is infinite or not a number makes the whole so.
static double fastest(struct pressure *p)
{
    struct flow *s = p->f->self;
    float best = 0.0f;
    flow_rows(p->f, fastest_pass, p);
    for (int j = 0; j < p->f->g.nz; ++j)
        if (!(s->row_speed[j] <= best)) best = s->row_speed[j] < INFINITY ? s->row_speed[j] : INFINITY;
    for (int side = 0; side < 4; ++side)
        for (int k = 0; k < flow_along(p->f, side); ++k) best = fmaxf(best, fabsf(s->edge[side].along[k]));
    return best;
}

// With nodes that move as what closes them does. A pressure beyond all measure is no pressure, even where its differences look
// well.
static double fastest_held(struct pressure *p)
{
    const struct flow *s = p->f->self;
    if (p->f->loose_count) flow_hold_closed(p->f, p->u, p->v);
    return p->k * s->report.size < 1e30 ? fastest(p) : INFINITY;
}

// What leaves cells: the sum of squares, and the largest.
static double look(struct pressure *p, double *most)
{
    const struct flow *s = p->f->self;
    double sum = 0.0;
    *most = 0.0;
    flow_rows(p->f, divergence_pass, p);
    for (int j = 0; j < p->f->g.nz; ++j) {
        sum += s->row_sums[j].squares;
        *most = fmax(*most, s->row_sums[j].most);
    }
    return sum;
}

// [m/s] The fastest speed that is to be expected after the pressure, `most` leaving a cell before it: that of the last step
// will do, if there was any.
static double expected(const struct fluid *f, double most)
{
    return fmax(fmax(f->fastest, flow_loose_fastest(f)), 2e-3 * most);
}

// From 0, to a part of what leaves cells now and no more than `peak` of one.
static void solve(struct pressure *p, double part, double peak)
{
    struct flow *s = p->f->self;
    memset(s->x, 0, p->f->g.count * sizeof *s->x);
    linear_solve(s->solver, s->b, s->x, (struct linear_goal){.part = part, .peak = peak}, &s->report);
}

// Until the root mean square of what leaves a cell is `tolerance` of the fastest speed that is there then, and nowhere ten
// times that. That speed: [m/s]
static double project(struct pressure *p)
{
    struct fluid *f = p->f;
    struct flow *s = f->self;
    const double cells = sqrt((double)s->cell_count);
    double speed = 0.0, part = 1.0, most;
    s->report = (struct linear_report){0};
    for (int round = 0;; ++round, part *= 0.25) {
        const double left = sqrt(look(p, &most));
        const double enough = flow_def_of(f)->tolerance * (round == 0 ? expected(f, most) : speed);
        const bool good = left <= enough * cells && most <= PEAK * enough;
        s->squeezed = enough > 0.0 ? DIAGONAL * most * flow_def_of(f)->tolerance / enough : 0.0;
        if (good || round == ROUNDS || !(left < INFINITY)) return round == 0 ? fastest_held(p) : speed;
        solve(p, fmin(part * MEAN * enough * cells / left, 0.5), part * PEAK * enough);
        flow_solution_ghosts(f, s->x);
        flow_rows(f, correct_pass, p);
        if (f->loose_count) flow_yield_loose(f);
        speed = fastest_held(p);
    }
}

bool flow_solve_blows(struct fluid *f)
{
    struct flow *s = f->self;
    struct pressure p = {.f = f};
    const double left = sqrt(fmax(flow_pump_blows(f), 0.0)),
                 aim = MEAN * flow_def_of(f)->tolerance * f->fastest * sqrt((double)s->cell_count);
    if (!(left > aim && left < INFINITY)) return false;
    // What is left of a blow's divergence is a part of what the next step's pressure takes away.
    solve(&p, fmin(fmax(aim / left, BLOW), 0.5), 0.0);
    return true;
}

void flow_correct(struct fluid *f, double dt, double part)
{
    struct flow *s = f->self;
    struct pressure p = {.f = f, .u = s->u, .v = s->v, .k = f->g.s / dt};
    for (size_t c = 0; c < f->g.count; ++c) s->x[c] *= part;
    flow_solution_ghosts(f, s->x);
    flow_rows(f, correct_pass, &p);
    f->fastest = fastest_held(&p);
    flow_speed_ghosts(f, s->u, s->v);
    flow_pressure_ghosts(f, s->p);
}

void flow_project(struct fluid *f, double dt)
{
    struct flow *s = f->self;
    struct pressure p = {.f = f, .u = s->u, .v = s->v, .k = dt > 0.0 ? f->g.s / dt : 0.0};
    flow_speed_ghosts(f, s->u, s->v);
    f->fastest = project(&p);
    flow_speed_ghosts(f, s->u, s->v);
    flow_pressure_ghosts(f, s->p);
}

double flow_fastest(struct fluid *f)
{
    struct flow *s = f->self;
    return fastest(&(struct pressure){.f = f, .u = s->u, .v = s->v});
}
