// The pressure that makes the speeds of the flow free of divergence.
#include "flow.h"

#include <string.h>

enum { MAX_ROUNDS = 4 };      // of solving
#define RMS_TARGET        0.5 // of `tolerance` that the root mean square of what leaves cells is aimed at
#define SQRT2             1.41421356237309505 // of |u| + |v| over the length of a velocity
#define MAX_FACTOR        (9.9 / SQRT2) // times `tolerance` that may be left of a cell: ten by the length
#define IMPULSE_TOLERANCE 0.2           // of a blow's divergence that may be left

struct projection_state {
    struct fluid *f;
    float *u, *v;
    double k;
};

static void divergence_pass(void *ctx, int j0, int j1)
{
    const struct projection_state *p = ctx;
    struct flow *s = p->f->impl;
    for (int j = j0; j < imin(j1, p->f->grid.nz); ++j)
        s->row_divergence[j].squares = s->kernels->divergence(
            &p->f->grid, s->aperture_x, s->aperture_z, p->u, p->v, s->has_moving_solids ? s->wall_flux : NULL,
            s->divergence, &s->row_divergence[j].max, j);
}

static void subtract_gradient_pass(void *ctx, int j0, int j1)
{
    const struct projection_state *p = ctx;
    struct flow *s = p->f->impl;
    s->kernels->subtract_gradient(&p->f->grid, p->k, s->aperture_x, s->aperture_z, s->potential, p->u, p->v,
                                  s->p, j0, j1);
}

static void max_speed_pass(void *ctx, int j0, int j1)
{
    const struct projection_state *p = ctx;
    struct flow *s = p->f->impl;
    for (int j = j0; j < imin(j1, p->f->grid.nz); ++j)
        s->row_max_speed[j] = s->kernels->max_speed(&p->f->grid, p->u, p->v, j);
}

// A row that is infinite or not a number makes the whole so.
static double compute_max_speed(struct projection_state *p)
{
    struct flow *s = p->f->impl;
    float best = 0.0f;
    flow_for_face_rows(p->f, max_speed_pass, p);
    for (int j = 0; j < p->f->grid.nz; ++j)
        if (!(s->row_max_speed[j] <= best))
            best = s->row_max_speed[j] < INFINITY ? s->row_max_speed[j] : INFINITY;
    for (int side = 0; side < 4; ++side)
        for (int k = 0; k < flow_side_length(p->f, side); ++k)
            best = fmaxf(best, fabsf(s->boundary[side].tangential_velocity[k]));
    return best;
}

// With nodes that move as what closes them does. A pressure beyond all measure is no pressure, even where its
// differences look well.
static double impose_and_max_speed(struct projection_state *p)
{
    const struct flow *s = p->f->impl;
    if (p->f->body_count) flow_impose_closed_velocity(p->f, p->u, p->v);
    return p->k * s->report.solution_norm < 1e30 ? compute_max_speed(p) : INFINITY;
}

// What leaves cells: the sum of squares, and the largest.
static double measure_divergence(struct projection_state *p, double *most)
{
    const struct flow *s = p->f->impl;
    double sum = 0.0;
    *most = 0.0;
    flow_for_face_rows(p->f, divergence_pass, p);
    for (int j = 0; j < p->f->grid.nz; ++j) {
        sum += s->row_divergence[j].squares;
        *most = fmax(*most, s->row_divergence[j].max);
    }
    return sum;
}

// [m/s] The fastest speed that is to be expected after the pressure, `most` leaving a cell before it: that of
// the last step will do, if there was any.
static double expected_max_speed(const struct fluid *f, double most)
{
    return fmax(fmax(f->max_signal_speed, flow_bodies_max_speed(f)), 2e-3 * most);
}

// From 0, to a part of what leaves cells now and no more than `peak` of one.
static void solve_potential(struct projection_state *p, double part, double peak)
{
    struct flow *s = p->f->impl;
    memset(s->potential, 0, p->f->grid.size * sizeof *s->potential);
    linear_solve(s->solver, s->divergence, s->potential,
                 (struct linear_tolerance){.relative = part, .max_residual = peak}, &s->report);
}

// Until the root mean square of what leaves a cell is `tolerance` of the fastest speed that is there then,
// and nowhere ten times that. That speed: [m/s]
static double project_to_tolerance(struct projection_state *p)
{
    struct fluid *f = p->f;
    struct flow *s = f->impl;
    const double cells = sqrt((double)s->fluid_cell_count);
    double speed = 0.0, part = 1.0, most;
    s->report = (struct linear_report){0};
    for (int round = 0;; ++round, part *= 0.25) {
        const double left = sqrt(measure_divergence(p, &most));
        const double enough =
            flow_def_of(f)->divergence_tolerance * (round == 0 ? expected_max_speed(f, most) : speed);
        const bool good = left <= enough * cells && most <= MAX_FACTOR * enough;
        s->max_divergence = enough > 0.0 ? SQRT2 * most * flow_def_of(f)->divergence_tolerance / enough : 0.0;
        if (good || round == MAX_ROUNDS || !(left < INFINITY))
            return round == 0 ? impose_and_max_speed(p) : speed;
        solve_potential(p, fmin(part * RMS_TARGET * enough * cells / left, 0.5), part * MAX_FACTOR * enough);
        flow_fill_potential_ghosts(f, s->potential);
        flow_for_face_rows(f, subtract_gradient_pass, p);
        if (f->body_count) flow_bodies_apply_pressure(f);
        speed = impose_and_max_speed(p);
    }
}

bool flow_solve_impulses(struct fluid *f)
{
    struct flow *s = f->impl;
    struct projection_state p = {.f = f};
    const double left = sqrt(fmax(flow_impulse_divergence(f), 0.0)),
                 aim = RMS_TARGET * flow_def_of(f)->divergence_tolerance * f->max_signal_speed *
                       sqrt((double)s->fluid_cell_count);
    if (!(left > aim && left < INFINITY)) return false;
    // What is left of a blow's divergence is a part of what the next step's pressure takes away.
    solve_potential(&p, fmin(fmax(aim / left, IMPULSE_TOLERANCE), 0.5), 0.0);
    return true;
}

void flow_apply_impulse_pressure(struct fluid *f, double dt, double part)
{
    struct flow *s = f->impl;
    struct projection_state p = {.f = f, .u = s->u, .v = s->v, .k = f->grid.dx / dt};
    for (size_t c = 0; c < f->grid.size; ++c) s->potential[c] *= part;
    flow_fill_potential_ghosts(f, s->potential);
    flow_for_face_rows(f, subtract_gradient_pass, &p);
    f->max_signal_speed = impose_and_max_speed(&p);
    flow_fill_velocity_ghosts(f, s->u, s->v);
    flow_fill_pressure_ghosts(f, s->p);
}

void flow_project(struct fluid *f, double dt)
{
    struct flow *s = f->impl;
    struct projection_state p = {.f = f, .u = s->u, .v = s->v, .k = dt > 0.0 ? f->grid.dx / dt : 0.0};
    flow_fill_velocity_ghosts(f, s->u, s->v);
    f->max_signal_speed = project_to_tolerance(&p);
    flow_fill_velocity_ghosts(f, s->u, s->v);
    flow_fill_pressure_ghosts(f, s->p);
}

double flow_max_speed(struct fluid *f)
{
    struct flow *s = f->impl;
    return compute_max_speed(&(struct projection_state){.f = f, .u = s->u, .v = s->v});
}
