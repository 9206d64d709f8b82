// Steady flow over a bump: exact solution by Bernoulli's equation, computed flow, and the report.
#include "bump_flow.h"

static const double LENGTH = 25.0, CREST = 10.0, HEIGHT = 0.2, RADIUS = 2.0; // [m]; x from the inflow
enum { CELLS = 200 };
static const double DT = 0.1; // [s]

static double bed_at(double x)
{
    const double r = (x - CREST) / RADIUS;
    return HEIGHT * fmax(0.0, 1.0 - r * r);
}

static double head(double q, double h) { return h + q * q / (2.0 * GRAVITY * h * h); }

// Depth of a given specific energy: the larger (subcritical) or the smaller (supercritical) solution, by
// bisection between a bound and the critical depth.
static double depth_of(double q, double specific_energy, bool subcritical)
{
    const double critical = cbrt(q * q / GRAVITY);
    double bound = subcritical ? fmax(specific_energy, critical) : 1e-3 * critical, near_critical = critical;

    for (int k = 0; k < 100; ++k) {
        const double middle = 0.5 * (bound + near_critical);
        if (head(q, middle) > specific_energy)
            bound = middle;
        else
            near_critical = middle;
    }
    return 0.5 * (bound + near_critical);
}

// Without a jump, and downstream of it, the head is that of the outflow; upstream of the jump it is that of
// critical flow over the crest.
static double exact_depth(const struct bump *b, double x)
{
    const double q = b->discharge;

    if (isnan(b->jump) || x > b->jump) return depth_of(q, head(q, b->outflow) - bed_at(x), true);
    return depth_of(q, head(q, cbrt(q * q / GRAVITY)) + HEIGHT - bed_at(x), x < CREST);
}

static tarn_world *make_world(struct case_run *run, const struct bump *b)
{
    struct case_def def = case_world_def(TARN_FLUID_SHALLOW, CELLS, 4, LENGTH / CELLS);
    tarn_bed_def *bed = case_bed(&def, TARN_BED_BUMP);

    def.world.dt = DT;
    bed->bump.axis = TARN_BED_ALONG_X;
    bed->bump.position = (tarn_vec2){CREST - 0.5 * LENGTH, 0.0};
    bed->bump.radius = RADIUS;
    bed->bump.height = HEIGHT;
    def.fluid.shallow.level = b->outflow;
    def.fluid.shallow.boundary[TARN_WEST].type = TARN_BOUNDARY_DISCHARGE;
    def.fluid.shallow.boundary[TARN_WEST].discharge = b->discharge;
    def.fluid.shallow.boundary[TARN_EAST].type = b->open_end ? TARN_BOUNDARY_OPEN : TARN_BOUNDARY_LEVEL;
    if (!b->open_end) def.fluid.shallow.boundary[TARN_EAST].level = b->outflow;
    return case_world(run, &def);
}

// Compares the formula with the numbers of the source.
static void check_formula(struct case_run *run, const struct bump *b)
{
    double max_error = 0.0;
    for (int i = 0; i < b->rows; ++i)
        max_error = fmax(max_error, fabs(exact_depth(b, b->table[i][0]) - b->table[i][2]));
    case_report(run, "formula against the table, largest error", NONE, NONE, max_error, 1e-7, "m");
}

static void report_jump(struct case_run *run, const struct bump *b, const struct profile *p)
{
    const double before = exact_depth(b, b->jump), after = exact_depth(b, b->jump + 1e-9);
    const double middle = 0.5 * (before + after);
    double position = NAN;

    for (int i = 0; i + 1 < p->n && isnan(position); ++i)
        if (p->x[i] > CREST && p->h[i] <= middle && p->h[i + 1] > middle)
            position = p->x[i] + p->dx * (middle - p->h[i]) / (p->h[i + 1] - p->h[i]);
    case_report(run, "position of the jump [m]", position, b->jump, fabs(position - b->jump) / p->dx, 1.0,
                "cells");
}

static void draw(struct case_run *run, const struct bump *b, const struct profile *p)
{
    double *exact = case_alloc(run, p->n), *computed = case_alloc(run, p->n);
    if (run->error[0]) return;

    for (int i = 0; i < p->n; ++i) {
        exact[i] = p->bed[i] + exact_depth(b, p->x[i]);
        computed[i] = p->bed[i] + p->h[i];
    }
    case_axes(run, "x [m]", "height [m]");
    case_curve(run, "bed", p->n, p->x, p->bed, CURVE_FILLED);
    case_curve(run, "exact", p->n, p->x, exact, CURVE_REFERENCE);
    case_curve(run, "tarn", p->n, p->x, computed, CURVE_COMPUTED);
}

void run_bump_flow(struct case_run *run, const struct bump *b)
{
    tarn_world *world = make_world(run, b);
    struct profile p;
    double depth = 0.0, discharge = 0.0;

    if (!world) return;
    case_steps(run, world, DT, 4000); // 400 s: steady
    if (!case_profile(run, world, 'x', &p)) return;
    for (int i = 0; i < p.n; ++i) {
        p.x[i] += 0.5 * LENGTH;
        if (fabs(p.x[i] - b->jump) <= 3.0 * p.dx) continue; // the computed jump extends over a few cells
        const double error = fabs(p.h[i] * p.u[i] / b->discharge - 1.0);
        depth = fmax(depth, fabs(p.h[i] / exact_depth(b, p.x[i]) - 1.0));
        discharge = fmax(discharge, error);
    }
    if (b->table) check_formula(run, b);
    case_report(run, b->open_end ? "depth, largest error, open end" : "depth, largest error", NONE, NONE,
                100.0 * depth, 0.5, "%");
    case_report(run, b->open_end ? "discharge, largest error, open end" : "discharge, largest error", NONE,
                NONE, 100.0 * discharge, 1.0, "%");
    if (isfinite(b->jump)) report_jump(run, b, &p);
    if (run->curve_count == 0) draw(run, b, &p);
}
