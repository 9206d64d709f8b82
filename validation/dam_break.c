// Dam breaks along x and z on several grids; see dam_break.h.
#include "dam_break.h"

#include <stdio.h>

static const double LENGTH = 10.0; // [m]
enum { FINEST = 1000, STEPS = 50 };

static bool compute_dam_break(struct case_run *run, const struct dam *dam, tarn_shallow_advection advection,
                              int cells, char axis, struct profile *p)
{
    const bool x = axis == 'x';
    const double dx = LENGTH / cells, centre = -0.25 * LENGTH, half_length = 0.5 * LENGTH;
    struct case_def def = case_world_def(TARN_FLUID_SHALLOW, x ? cells : 4, x ? 4 : cells, dx);
    def.world.dt = dam->time / STEPS;
    def.fluid.shallow.level = dam->right;
    def.fluid.shallow.advection = advection;
    tarn_world *world = case_world(run, &def);
    if (!world) return false;
    tarn_emitter_def fill = tarn_default_emitter_def(TARN_EMITTER_FILL);
    fill.fill.position = x ? (tarn_vec2){centre, 0} : (tarn_vec2){0, centre};
    fill.fill.size = x ? (tarn_vec2){half_length, 4 * dx} : (tarn_vec2){4 * dx, half_length};
    fill.fill.level = dam->left;
    case_emitter(run, world, &fill);
    case_steps(run, world, def.world.dt, STEPS);
    return case_profile(run, world, axis, p);
}

// [%] Mean error of the depth, relative to the initial step.
static double mean_error(const struct dam *dam, const struct profile *p)
{
    double sum = 0.0;
    for (int i = 0; i < p->n; ++i) sum += fabs(p->h[i] - dam->depth(p->x[i] / dam->time));
    return 100.0 * sum / p->n / (dam->left - dam->right);
}

// [m] The easternmost position with the depth front_depth.
static double front_position(const struct dam *dam, const struct profile *p)
{
    for (int i = p->n - 2; i >= 0; --i)
        if (p->h[i] >= dam->front_depth)
            return p->x[i] + p->dx * (p->h[i] - dam->front_depth) / (p->h[i] - p->h[i + 1]);
    return NAN;
}

static void report_line(struct case_run *run, const struct dam *dam, const struct profile *p, const char *how,
                        bool has_limit)
{
    const double position = front_position(dam, p), exact = dam->front_speed * dam->time;
    char quantity[64];

    snprintf(quantity, sizeof quantity, "depth, mean error, %s", how);
    case_report(run, quantity, NONE, NONE, mean_error(dam, p), has_limit ? 0.2 : NONE, "%");
    snprintf(quantity, sizeof quantity, "%s, %s [m]", dam->front, how);
    case_report(run, quantity, position, exact, fabs(position - exact) / p->dx,
                has_limit ? dam->front_limit : NONE, "cells");
}

bool run_dam_break(struct case_run *run, const struct dam *dam, struct profile *p)
{
    static const tarn_shallow_advection other_schemes[] = {TARN_SHALLOW_MACCORMACK,
                                                           TARN_SHALLOW_SEMI_LAGRANGIAN};
    static const char *const names[] = {"maccormack", "semi-lagrangian"};
    struct profile line;
    double errors[3];

    for (int k = 0; k < 3; ++k) {
        if (!compute_dam_break(run, dam, TARN_SHALLOW_CONSERVATIVE, FINEST >> (2 - k), 'x', p)) return false;
        errors[k] = mean_error(dam, p);
    }
    double *exact = case_alloc(run, p->n);
    if (!exact) return false;
    for (int i = 0; i < p->n; ++i) exact[i] = dam->depth(p->x[i] / dam->time);
    case_axes(run, "x [m]", "depth [m]");
    case_curve(run, "exact", p->n, p->x, exact, CURVE_REFERENCE);
    report_line(run, dam, p, "along x", true);

    if (!compute_dam_break(run, dam, TARN_SHALLOW_CONSERVATIVE, FINEST, 'z', &line)) return false;
    report_line(run, dam, &line, "along z", true);
    report_order(run, "order of the mean error", errors, 3, 1.0, 0.8);
    for (int k = 0; k < 2; ++k) {
        if (!compute_dam_break(run, dam, other_schemes[k], FINEST, 'x', &line)) return false;
        report_line(run, dam, &line, names[k], false);
        case_curve(run, names[k], line.n, line.x, line.h, CURVE_SECONDARY);
    }
    case_curve(run, "tarn, conservative", p->n, p->x, p->h, CURVE_COMPUTED);
    return true;
}
