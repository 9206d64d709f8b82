// Pressure projection: the incremental method in which a potential phi with div(a grad phi) = div(a u) makes
// the velocity free of divergence and is added to the pressure of the last substep. Bodies are unknowns of
// the same system through low-rank terms (bodies/body_jacobian.c). flow_step.c and bodies/body_impulse.c call
// it.
#include "flow.h"
#include "fluid/measured_solve.h"

#include <string.h>

enum { MAX_ROUNDS = 4 };                      // of solves
#define RMS_TARGET        0.5                 // target of the root mean square, in units of `tolerance`
#define QUIET             1e-3                // rounding, in units of the same
#define SQRT2             1.41421356237309505 // bound of (|u| + |v|)/|velocity|
#define MAX_FACTOR        (9.9 / SQRT2) // largest value of a cell, in units of `tolerance`: ten by |velocity|
#define IMPULSE_TOLERANCE 0.2           // fraction of the divergence of impulses that may remain

struct projection_state {
    struct fluid *f;
    float *u, *v;
    double pressure_scale; // [m/s] dx/dt, 0: the pressure stays
};

static void divergence_pass(void *ctx, int j0, int j1)
{
    const struct projection_state *p = ctx;
    struct flow *s = p->f->impl;
    const struct flow_faces faces = {s->aperture_x, s->aperture_z, p->u, p->v};
    const float *wall_flux = s->has_moving_solids ? s->wall_flux : NULL;
    for (int j = j0; j < imin(j1, p->f->grid.nz); ++j)
        s->row_divergence[j].squares = s->kernels->divergence(&p->f->grid, &faces, wall_flux, s->divergence,
                                                              &s->row_divergence[j].max, j);
}

static void subtract_gradient_pass(void *ctx, int j0, int j1)
{
    const struct projection_state *p = ctx;
    struct flow *s = p->f->impl;
    const struct potential_step step = {s->aperture_x, s->aperture_z, s->potential, p->pressure_scale};
    s->kernels->subtract_gradient(&p->f->grid, &step, p->u, p->v, s->p, j0, j1);
}

static void max_speed_pass(void *ctx, int j0, int j1)
{
    const struct projection_state *p = ctx;
    struct flow *s = p->f->impl;
    for (int j = j0; j < imin(j1, p->f->grid.nz); ++j)
        s->row_max_speed[j] = s->kernels->max_speed(&p->f->grid, p->u, p->v, j);
}

// Infinite if a value of a row is infinite or not a number.
static double compute_max_speed(struct projection_state *p)
{
    struct flow *s = p->f->impl;
    float max_speed = 0.0f;
    flow_for_face_rows(p->f, max_speed_pass, p);
    for (int j = 0; j < p->f->grid.nz; ++j)
        if (!(s->row_max_speed[j] <= max_speed))
            max_speed = s->row_max_speed[j] < INFINITY ? s->row_max_speed[j] : INFINITY;
    for (int side = 0; side < 4; ++side)
        for (int k = 0; k < flow_side_length(p->f, side); ++k)
            max_speed = fmaxf(max_speed, fabsf(s->boundary[side].tangential_velocity[k]));
    return max_speed;
}

// Imposes the velocity of closed faces first. Infinite if the pressure overflows, even where its differences
// are finite.
static double impose_and_max_speed(struct projection_state *p)
{
    const struct flow *s = p->f->impl;
    if (p->f->body_count) flow_impose_closed_velocity(p->f, p->u, p->v);
    return p->pressure_scale * s->report.solution_norm < 1e30 ? compute_max_speed(p) : INFINITY;
}

// Sum of squares of the net outflow of cells; *max is the largest absolute value.
static double measure_divergence(struct projection_state *p, double *max)
{
    const struct flow *s = p->f->impl;
    double sum = 0.0;
    *max = 0.0;
    flow_for_face_rows(p->f, divergence_pass, p);
    for (int j = 0; j < p->f->grid.nz; ++j) {
        sum += s->row_divergence[j].squares;
        *max = fmax(*max, s->row_divergence[j].max);
    }
    return sum;
}

// [m/s] Speed expected after the projection, max_outflow being the largest net outflow of a cell before it:
// that of the last substep, if there was any.
static double expected_max_speed(const struct fluid *f, double max_outflow)
{
    return fmax(fmax(f->max_signal_speed, flow_bodies_max_speed(f)), 2e-3 * max_outflow);
}

// Solve from a zero start to `relative` times the present residual and to at most max_residual in a cell.
static void solve_potential(struct projection_state *p, double relative, double max_residual)
{
    struct flow *s = p->f->impl;
    memset(s->potential, 0, p->f->grid.size * sizeof *s->potential);
    measured_solve(p->f, s->solver, s->divergence, s->potential,
                   (struct linear_tolerance){.relative = relative, .max_residual = max_residual}, &s->report);
}

// Where a substep's divergence is below the tolerance the pressure could stay and be corrected some substeps
// later. Forces on obstacles would then fluctuate from step to step, so at least one iteration is made.
static bool needs_smooth_pressure(const struct fluid *f)
{
    return f->obstacle_count > 0 && flow_def_of(f)->advection == TARN_FLOW_CONSERVATIVE;
}

// Repeat until the root mean square of the net outflow of cells is `projection` times the largest speed and
// no cell has ten times that. Returns that speed [m/s].
static double project_to_tolerance(struct projection_state *p)
{
    struct fluid *f = p->f;
    struct flow *s = f->impl;
    const double cells = sqrt((double)s->fluid_cell_count);
    double speed = 0.0, tightening = 1.0, max_outflow;
    s->report = (struct linear_report){0};
    for (int round = 0;; ++round, tightening *= 0.25) {
        const double residual = sqrt(measure_divergence(p, &max_outflow));
        const double target =
            flow_def_of(f)->divergence_tolerance * (round == 0 ? expected_max_speed(f, max_outflow) : speed);
        const bool converged = residual <= target * cells && max_outflow <= MAX_FACTOR * target;
        s->max_divergence =
            target > 0.0 ? SQRT2 * max_outflow * flow_def_of(f)->divergence_tolerance / target : 0.0;
        const bool skip = round > 0 || !needs_smooth_pressure(f) || residual <= QUIET * target * cells;
        if ((converged && skip) || round == MAX_ROUNDS || !(residual < INFINITY))
            return round == 0 ? impose_and_max_speed(p) : speed;
        solve_potential(p, fmin(tightening * RMS_TARGET * target * cells / residual, 0.5),
                        tightening * MAX_FACTOR * target);
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
    const double residual = sqrt(fmax(flow_impulse_divergence(f), 0.0)),
                 target = RMS_TARGET * flow_def_of(f)->divergence_tolerance * f->max_signal_speed *
                          sqrt((double)s->fluid_cell_count);
    if (!(residual > target && residual < INFINITY)) return false;
    // the next projection removes the rest
    solve_potential(&p, fmin(fmax(target / residual, IMPULSE_TOLERANCE), 0.5), 0.0);
    return true;
}

void flow_apply_impulse_pressure(struct fluid *f, double dt, double scale)
{
    struct flow *s = f->impl;
    struct projection_state p = {.f = f, .u = s->u, .v = s->v, .pressure_scale = f->grid.dx / dt};
    for (size_t c = 0; c < f->grid.size; ++c) s->potential[c] *= scale;
    flow_fill_potential_ghosts(f, s->potential);
    flow_for_face_rows(f, subtract_gradient_pass, &p);
    f->max_signal_speed = impose_and_max_speed(&p);
    flow_fill_velocity_ghosts(f, s->u, s->v);
    flow_fill_pressure_ghosts(f, s->p);
}

void flow_project(struct fluid *f, double dt)
{
    struct flow *s = f->impl;
    struct projection_state p = {
        .f = f, .u = s->u, .v = s->v, .pressure_scale = dt > 0.0 ? f->grid.dx / dt : 0.0};
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
