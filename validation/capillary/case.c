// Standing waves of gravity and surface tension.
#include "../basin_mode.h"

#include <stdio.h>

enum { CELLS = 64, ROWS = 4, STEPS = 600, PER_PERIOD = 200 };
static const double DEPTH = 0.002, GAMMA = 0.073, RHO = 1000.0; // [m], [N/m], [kg/m^3]
static const struct mode first = {1, 0};

static tarn_column start_field(const void *self, double x, double z)
{
    (void)z;
    return (tarn_column){DEPTH * (1.0 + 1e-3 * cos(PI * (x / *(const double *)self + 0.5))), 0.0, 0.0};
}

static void run_basin(struct case_run *run, double cell, bool draw)
{
    const double length = CELLS * cell, k = PI / length, tension = GAMMA * k * k / (RHO * GRAVITY);
    const double exact = k * sqrt(GRAVITY * DEPTH * (1.0 + tension));
    const double lamb = sqrt(GRAVITY * k * (1.0 + tension) * tanh(k * DEPTH));
    double *time = case_alloc(run, STEPS), *a = case_alloc(run, STEPS), *theory = case_alloc(run, STEPS);
    char quantity[64];
    struct case_def def = case_world_def(TARN_FLUID_IMPLICIT, CELLS, ROWS, cell);
    def.world.dt = 2 * PI / exact / PER_PERIOD;
    def.fluid.implicit.depth = DEPTH;
    def.fluid.implicit.surface_tension = GAMMA;
    tarn_world *world = case_world(run, &def);
    if (!world) return;
    case_set_water(run, world, start_field, &length);
    const double w = fit_mode_frequency(run, world, &first, def.world.dt, STEPS, exact, time, a);
    if (run->error[0]) return;
    snprintf(quantity, sizeof quantity, "period, waves of %.3g mm [ms]", 2e3 * length);
    case_report(run, quantity, 2e3 * PI / w, 2e3 * PI / exact, 100 * fabs(exact / w - 1), 3.0, "%");
    snprintf(quantity, sizeof quantity, "the same, finite depth (Lamb)");
    case_report(run, quantity, 2e3 * PI / w, 2e3 * PI / lamb, 100 * fabs(lamb / w - 1), NONE, "%");
    if (!draw) return;
    for (int n = 0; n < STEPS; ++n) {
        theory[n] = 1e6 * 1e-3 * DEPTH * cos(exact * time[n]);
        a[n] *= 1e6, time[n] *= 1e3;
    }
    case_curve(run, "theory", STEPS, time, theory, CURVE_REFERENCE);
    case_curve(run, "tarn", STEPS, time, a, CURVE_COMPUTED);
    case_axes(run, "time [ms]", "amplitude [micrometres]");
}

static void run_case(struct case_run *run)
{
    static const double cells[] = {1e-3, 2.5e-4, 1e-4};
    for (int i = 0; i < 3 && !run->error[0]; ++i) run_basin(run, cells[i], i == 2);
}

const struct validation_case vcase_capillary = {"capillary", "Standing waves of gravity and surface tension",
                                                true, run_case};
