#include "dam_break.h"

#include <stdio.h>

static const double LENGTH = 10.0; // [m]
enum { FINEST = 1000, STEPS = 50 };

static bool break_dam(struct case_run *run, const struct dam *dam, const char *advection, int cells,
                      char axis, struct profile *p)
{
    const bool x = axis == 'x';
    const double dx = LENGTH / cells, far = -0.25 * LENGTH, half = 0.5 * LENGTH;
    tarn_world_def def = case_world_def(run, "shallow", x ? cells : 4, x ? 4 : cells, dx);
    def.dt = dam->time / STEPS;
    case_set(run, &def.fluid, "level", tarn_value_number(dam->right));
    case_set(run, &def.fluid, "advection", tarn_value_text(advection));
    tarn_world *world = case_world(run, &def);
    if (!world) return false;
    tarn_emitter_def fill = tarn_default_emitter_def(TARN_EMITTER_FILL);
    fill.fill.position = x ? (tarn_vec2){far, 0} : (tarn_vec2){0, far};
    fill.fill.size = x ? (tarn_vec2){half, 4 * dx} : (tarn_vec2){4 * dx, half};
    fill.fill.level = dam->left;
    case_emitter(run, world, &fill);
    case_steps(run, world, def.dt, STEPS);
    return case_profile(run, world, axis, p);
}

// Mean error of the depth, in per cent of the dam's step.
static double mean_error(const struct dam *dam, const struct profile *p)
{
    double sum = 0.0;
    for (int i = 0; i < p->n; ++i) sum += fabs(p->h[i] - dam->depth(p->x[i] / dam->time));
    return 100.0 * sum / p->n / (dam->left - dam->right);
}

// The easternmost place where the water is as deep as the mark.
static double front_place(const struct dam *dam, const struct profile *p)
{
    for (int i = p->n - 2; i >= 0; --i)
        if (p->h[i] >= dam->front_depth)
            return p->x[i] + p->dx * (p->h[i] - dam->front_depth) / (p->h[i] - p->h[i + 1]);
    return NAN;
}

static void report_line(struct case_run *run, const struct dam *dam, const struct profile *p, const char *how,
                        bool judged)
{
    const double place = front_place(dam, p), exact = dam->front_speed * dam->time;
    char quantity[64];

    snprintf(quantity, sizeof quantity, "depth, mean error, %s", how);
    case_report(run, quantity, NONE, NONE, mean_error(dam, p), judged ? 0.2 : NONE, "%");
    snprintf(quantity, sizeof quantity, "%s, %s [m]", dam->front, how);
    case_report(run, quantity, place, exact, fabs(place - exact) / p->dx, judged ? dam->front_limit : NONE,
                "cells");
}

bool run_dam_break(struct case_run *run, const struct dam *dam, struct profile *p)
{
    static const char *const others[] = {"maccormack", "semi-lagrangian"};
    struct profile line;
    double errors[3];

    for (int k = 0; k < 3; ++k) {
        if (!break_dam(run, dam, "conservative", FINEST >> (2 - k), 'x', p)) return false;
        errors[k] = mean_error(dam, p);
    }
    double *exact = case_alloc(run, p->n);
    if (!exact) return false;
    for (int i = 0; i < p->n; ++i) exact[i] = dam->depth(p->x[i] / dam->time);
    case_axes(run, "x [m]", "depth [m]");
    case_curve(run, "exact", p->n, p->x, exact, CURVE_REFERENCE);
    report_line(run, dam, p, "along x", true);

    if (!break_dam(run, dam, "conservative", FINEST, 'z', &line)) return false;
    report_line(run, dam, &line, "along z", true);
    report_order(run, "order of the mean error", errors, 3, 1.0, 0.8);
    for (int k = 0; k < 2; ++k) {
        if (!break_dam(run, dam, others[k], FINEST, 'x', &line)) return false;
        report_line(run, dam, &line, others[k], false);
        case_curve(run, others[k], line.n, line.x, line.h, CURVE_SECONDARY);
    }
    case_curve(run, "tarn, conservative", p->n, p->x, p->h, CURVE_COMPUTED);
    return true;
}
