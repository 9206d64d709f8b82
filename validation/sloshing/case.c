// Small standing waves of a rectangular basin: periods of the lowest modes.
#include "../basin_mode.h"

#include <stdio.h>

enum { NX = 64, NZ = 32, PER_PERIOD = 64, PERIODS = 10, COUNT = PER_PERIOD * PERIODS };
static const double WIDTH = 2.0, DEPTH = 0.5, HEIGHT = 0.001; // [m]; a wave of HEIGHT/DEPTH << 1 is linear

struct start {
    struct mode mode;
};

static tarn_column start_field(const void *self, double x, double z)
{
    const struct mode *mode = &((const struct start *)self)->mode;
    const double a = WIDTH, b = WIDTH * NZ / NX;
    const double shape = cos(mode->m * PI * (x / a + 0.5)) * cos(mode->n * PI * (z / b + 0.5));
    return (tarn_column){DEPTH + HEIGHT * shape, 0.0, 0.0};
}

// omega = pi sqrt(g h ((m/a)^2 + (n/b)^2))
static double exact_frequency(const struct mode *mode)
{
    const double x = mode->m / WIDTH, z = mode->n / (WIDTH * NZ / NX);
    return PI * sqrt(GRAVITY * DEPTH * (x * x + z * z));
}

static void run_mode(struct case_run *run, const struct mode *mode, bool draw)
{
    const double exact = exact_frequency(mode), period = 2 * PI / exact;
    const struct start start = {*mode};
    double *time = case_alloc(run, COUNT), *a = case_alloc(run, COUNT), *theory = case_alloc(run, COUNT);
    char quantity[64];

    struct case_def def = case_world_def(TARN_FLUID_SHALLOW, NX, NZ, WIDTH / NX);
    def.world.dt = period / PER_PERIOD;
    def.fluid.shallow.depth = DEPTH;
    tarn_world *world = case_world(run, &def);
    if (!world) return;
    case_set_water(run, world, start_field, &start);
    const double w = fit_mode_frequency(run, world, mode, def.world.dt, COUNT, exact, time, a);
    if (run->error[0]) return;
    snprintf(quantity, sizeof quantity, "period of mode %d %d [s]", mode->m, mode->n);
    case_report(run, quantity, 2 * PI / w, period, 100 * fabs(exact / w - 1), 0.5, "%");
    if (!draw) return;
    for (int k = 0; k < COUNT; ++k) {
        a[k] *= 1e3;
        theory[k] = 1e3 * HEIGHT * cos(exact * time[k]);
    }
    case_curve(run, "exact", COUNT, time, theory, CURVE_REFERENCE);
    case_curve(run, "tarn", COUNT, time, a, CURVE_COMPUTED);
}

static void run_case(struct case_run *run)
{
    static const struct mode modes[] = {{1, 0}, {0, 1}, {1, 1}, {3, 2}};

    for (int i = 0; i < (int)(sizeof modes / sizeof modes[0]); ++i) run_mode(run, &modes[i], i == 0);
    case_axes(run, "time [s]", "amplitude of the first mode [mm]");
}

const struct validation_case vcase_sloshing = {"sloshing", "Small standing waves of a basin", true, run_case};
