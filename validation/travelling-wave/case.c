// A simple wave of finite height that steepens: exact by characteristics until it breaks.
#include "../case_api.h"

#include <stdio.h>

enum { STEPS = 40, GRIDS = 3, COARSEST = 100 };
static const double LENGTH = 10.0, DEPTH = 1.0, HEIGHT = 0.05, TIME = 1.0; // [m], of c, [s]
// The wave breaks at 1/(3 c0 HEIGHT k) = 3.4 s.

struct wave {
    double current; // [m/s]
};

static double start_celerity(double x)
{
    return sqrt(GRAVITY * DEPTH) * (1.0 + HEIGHT * sin(2.0 * PI * x / LENGTH));
}

// Simple wave: u - 2 c is uniform, so c is constant along dx/dt = u + c = current + 3 c - 2 c0.
static double exact_celerity(const struct wave *wave, double x, double t)
{
    const double c0 = sqrt(GRAVITY * DEPTH), k = 2.0 * PI / LENGTH;
    double from = x - (wave->current + c0) * t;

    for (int n = 0; n < 50; ++n) { // Newton's method; the map is monotonic before breaking
        const double residual = from + (wave->current + 3.0 * start_celerity(from) - 2.0 * c0) * t - x;
        from -= residual / (1.0 + 3.0 * c0 * HEIGHT * k * cos(k * from) * t);
    }
    return start_celerity(from);
}

static tarn_column start_field(const void *self, double x, double z)
{
    const struct wave *wave = self;
    const double c = start_celerity(x);
    (void)z;
    return (tarn_column){c * c / GRAVITY, wave->current + 2.0 * (c - sqrt(GRAVITY * DEPTH)), 0.0};
}

static bool compute_wave(struct case_run *run, const struct wave *wave, int cells, struct profile *p,
                         double *exact, double *error)
{
    struct case_def def = case_world_def(TARN_FLUID_SHALLOW, cells, 4, LENGTH / cells);
    double sum = 0.0;

    def.world.dt = TIME / STEPS;
    def.fluid.shallow.depth = DEPTH;
    def.fluid.shallow.boundary[TARN_WEST].type = TARN_BOUNDARY_PERIODIC;
    def.fluid.shallow.boundary[TARN_EAST].type = TARN_BOUNDARY_PERIODIC;
    tarn_world *world = case_world(run, &def);
    if (!world) return false;
    case_set_water(run, world, start_field, wave);
    case_steps(run, world, def.world.dt, STEPS);
    if (!case_profile(run, world, 'x', p)) return false;
    for (int i = 0; i < p->n; ++i) {
        const double c = exact_celerity(wave, p->x[i], TIME);
        exact[i] = c * c / GRAVITY;
        sum += (p->h[i] - exact[i]) * (p->h[i] - exact[i]);
    }
    *error = sqrt(sum / p->n);
    return true;
}

static void run_wave(struct case_run *run, const struct wave *wave, const char *name, bool draw)
{
    double errors[GRIDS], *exact = case_alloc(run, COARSEST << (GRIDS - 1));
    struct profile p;
    char quantity[64];

    if (!exact) return;
    for (int k = 0; k < GRIDS; ++k)
        if (!compute_wave(run, wave, COARSEST << k, &p, exact, &errors[k])) return;
    snprintf(quantity, sizeof quantity, "depth, rms error, %d cells, %s", p.n, name);
    case_report(run, quantity, NONE, NONE, 100.0 * errors[GRIDS - 1] / DEPTH, NONE, "%");
    snprintf(quantity, sizeof quantity, "order of the rms error, %s", name);
    report_order(run, quantity, errors, GRIDS, 2.0, 1.8);
    if (!draw) return;
    case_curve(run, "exact", p.n, p.x, exact, CURVE_REFERENCE);
    case_curve(run, "tarn", p.n, p.x, p.h, CURVE_COMPUTED);
}

static void run_case(struct case_run *run)
{
    const struct wave rest = {0.0}, current = {1.5};

    run_wave(run, &rest, "at rest", true);
    run_wave(run, &current, "on a current", false);
    case_axes(run, "x [m]", "depth [m]");
}

const struct validation_case vcase_travelling_wave = {"travelling-wave", "A smooth wave that steepens", true,
                                                      run_case};
