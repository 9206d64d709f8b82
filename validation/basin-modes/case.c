// Standing waves of the linear model: the period of the basin, and the dispersion relation of the leapfrog.
#include "../basin_mode.h"

#include <stdio.h>

enum { CELLS = 32, STEPS = 600 };
static const double LENGTH = 4.0, DEPTH = 1.0, DT = 1.0 / 64.0; // [m], [m], [s]

// sin^2(w dt/2) = l^2 (sin^2(kx dx/2) + sin^2(kz dx/2)), l = c dt/dx
static double leapfrog_frequency(const struct mode *mode, double dt)
{
    const double courant = sqrt(GRAVITY * DEPTH) * dt * CELLS / LENGTH;
    const double x = sin(mode->m * PI / (2 * CELLS)), z = sin(mode->n * PI / (2 * CELLS));
    return 2.0 / dt * asin(courant * sqrt(x * x + z * z));
}

// Frequency of a mode. The hump in a corner contains all modes.
static double measure(struct case_run *run, const struct mode *mode, double *substep, double *time, double *a)
{
    struct case_def def = case_world_def(TARN_FLUID_WAVE, CELLS, CELLS, LENGTH / CELLS);
    def.world.dt = DT;
    def.fluid.wave.depth = DEPTH;
    def.fluid.wave.diffusion = 0.0;
    tarn_world *world = case_world(run, &def);
    if (!world) return NAN;
    tarn_emitter_def hump = tarn_default_emitter_def(TARN_EMITTER_HUMP);
    hump.hump.position = (tarn_vec2){-0.45 * LENGTH, -0.45 * LENGTH};
    hump.hump.radius = 0.06 * LENGTH;
    case_emitter(run, world, &hump);
    *substep = DT / tarn_world_get_status(world).substeps_next;
    return fit_mode_frequency(run, world, mode, DT, STEPS, leapfrog_frequency(mode, *substep), time, a);
}

static void run_case(struct case_run *run)
{
    static const struct mode modes[] = {{1, 0}, {0, 2}, {4, 4}, {8, 0}, {8, 8}};
    double *time = case_alloc(run, STEPS), *a = case_alloc(run, STEPS), *exact = case_alloc(run, STEPS);
    if (run->error[0]) return;

    for (int i = 0; i < (int)(sizeof modes / sizeof modes[0]); ++i) {
        const struct mode *mode = &modes[i];
        double substep;
        char quantity[64];
        const double w = measure(run, mode, &substep, time, a), reference = leapfrog_frequency(mode, substep);
        if (run->error[0]) return;
        if (i == 0) {
            const double basin = PI * sqrt(GRAVITY * DEPTH) / LENGTH;
            for (int k = 0; k < STEPS; ++k) exact[k] = a[0] * cos(basin * time[k]) / cos(basin * time[0]);
            case_report(run, "period of the basin [s]", 2 * PI / w, 2 * PI / basin, 100 * fabs(basin / w - 1),
                        0.1, "%");
            case_curve(run, "exact", STEPS / 2, time, exact, CURVE_REFERENCE);
            case_curve(run, "tarn", STEPS / 2, time, a, CURVE_COMPUTED);
        }
        snprintf(quantity, sizeof quantity, "leapfrog frequency, mode %d %d [rad/s]", mode->m, mode->n);
        case_report(run, quantity, w, reference, 100 * fabs(w / reference - 1), 2e-4, "%");
    }
    case_axes(run, "time [s]", "amplitude of the first mode [m]");
}

const struct validation_case vcase_basin_modes = {"basin-modes", "Standing waves of the linear model", true,
                                                  run_case};
