// Standing waves of the implicit height-field model: period, numerical damping, and ten thousand large steps.
#include "../basin_mode.h"

#include <stdio.h>

enum { CELLS = 64, ROWS = 4, STEPS = 600 };
static const double CELL = 0.005, DEPTH = 1.0, HEIGHT = 0.001; // [m]
static const struct mode first = {1, 0};

static tarn_column start_field(const void *self, double x, double z)
{
    (void)self, (void)z;
    return (tarn_column){DEPTH + HEIGHT * cos(PI * (x / (CELLS * CELL) + 0.5)), 0.0, 0.0};
}

static tarn_world *basin(struct case_run *run, double courant, double *dt)
{
    struct case_def def = case_world_def(TARN_FLUID_IMPLICIT, CELLS, ROWS, CELL);
    *dt = def.world.dt = courant * CELL / sqrt(GRAVITY * DEPTH);
    def.fluid.implicit.depth = DEPTH;
    tarn_world *world = case_world(run, &def);
    if (world) case_set_water(run, world, start_field, NULL);
    return world;
}

// Damping per step, -ln of the remaining fraction of the amplitude. Starting from rest,
// a_n = (1 + W^2)^(-n/2) (cos n phi + W sin n phi), phi = atan W.
static void run_decay(struct case_run *run, double courant)
{
    const double w = 2.0 * courant * sin(PI / (2 * CELLS)), phase = atan(w),
                 reference = 0.5 * log(1.0 + w * w);
    double *time = case_alloc(run, STEPS), *a = case_alloc(run, STEPS), dt;
    char quantity[64];
    tarn_world *world = basin(run, courant, &dt);
    if (!world) return;
    const int count = (int)fmin(STEPS, fmax(8.0, floor(4.0 / reference)));
    fit_mode_frequency(run, world, &first, dt, count, phase / dt, time, a);
    if (run->error[0]) return;
    // The amplitude from two successive values, independent of the phase: a_n+1 = r (c a_n - s b_n) gives
    // b_n, the other component.
    double computed = 0.0, amplitude[2];
    const int samples[2] = {0, count - 2};
    for (int k = 0; k < 2; ++k) {
        const double now = a[samples[k]], next = a[samples[k] + 1] * exp(reference);
        const double other = (now * cos(phase) - next) / sin(phase);
        amplitude[k] = sqrt(now * now + other * other);
    }
    computed = log(amplitude[0] / amplitude[1]) / (samples[1] - samples[0]);
    snprintf(quantity, sizeof quantity, "decay per step at Courant %g", courant);
    case_report(run, quantity, computed, reference, 100 * fabs(computed / reference - 1), 2.0, "%");
}

static void run_period(struct case_run *run)
{
    const double exact = PI * sqrt(GRAVITY * DEPTH) / (CELLS * CELL);
    const double w = sin(PI / (2 * CELLS)); // W at Courant 0.5
    double *time = case_alloc(run, STEPS), *a = case_alloc(run, STEPS), *theory = case_alloc(run, STEPS), dt;
    tarn_world *world = basin(run, 0.5, &dt);
    if (!world) return;
    const double computed = fit_mode_frequency(run, world, &first, dt, STEPS, exact, time, a);
    if (run->error[0]) return;
    case_report(run, "period at Courant 0.5 [s]", 2 * PI / computed, 2 * PI / exact,
                100 * fabs(exact / computed - 1), 1.0, "%");
    for (int k = 0; k < STEPS; ++k) {
        const double n = k + 1.0;
        theory[k] =
            1e3 * HEIGHT * exp(-0.5 * n * log(1.0 + w * w)) * (cos(n * atan(w)) + w * sin(n * atan(w)));
        a[k] *= 1e3;
    }
    case_curve(run, "backward Euler", STEPS, time, theory, CURVE_REFERENCE);
    case_curve(run, "tarn", STEPS, time, a, CURVE_COMPUTED);
    case_axes(run, "time [s]", "amplitude of the first mode [mm]");
}

static void run_large_steps(struct case_run *run)
{
    double dt, max_speed = 0.0;
    tarn_world *world = basin(run, 50.0, &dt);
    if (!world) return;
    const double volume = tarn_world_get_ledger(world).volume;
    case_steps(run, world, dt, 10000);
    const tarn_frame *f = case_frame(run, world);
    if (!f) return;
    for (int c = 0; c < CELLS * ROWS; ++c)
        max_speed = fmax(max_speed, hypot((double)f->velocity_x[c], (double)f->velocity_z[c]));
    const double now = tarn_world_get_ledger(world).volume;
    case_report(run, "volume after 10000 steps, Courant 50 [m^3]", now, volume, fabs(now - volume), 0.0,
                "m^3");
    case_report(run, "largest speed after them [m/s]", max_speed, 0.0, max_speed, 1e-6, "m/s");
}

static void run_case(struct case_run *run)
{
    static const double courants[] = {0.5, 2.0, 10.0, 50.0};
    run_period(run);
    for (int i = 0; i < 4 && !run->error[0]; ++i) run_decay(run, courants[i]);
    if (!run->error[0]) run_large_steps(run);
}

const struct validation_case vcase_implicit_wave = {
    "implicit-wave", "Standing waves of the implicit height field", true, run_case};
