// Decaying Taylor-Green vortices: order of convergence, with periodic boundaries and between free-slip walls.
#include "../case_api.h"

#include <stdio.h>

static const double NU = 0.01, TIME = 1.0; // [m^2/s], [s]
#define WAVE (2.0 * PI)

static tarn_flow_sample start(void *ctx, double x, double y)
{
    (void)ctx;
    return (tarn_flow_sample){.u = sin(WAVE * x) * cos(WAVE * y), .v = -cos(WAVE * x) * sin(WAVE * y)};
}

struct result {
    double error; // root mean square of the difference, over the largest speed
    double rate;  // [1/s] decay rate of the velocity
};

// A frame has the mean velocity of two faces, so the formula is averaged in the same way.
static double error_of(const tarn_frame *f, double remaining)
{
    const size_t cells = (size_t)f->nx * (size_t)f->nz;
    const double seen = remaining * cos(0.5 * WAVE * f->cell_size);
    double sum = 0.0;

    for (size_t c = 0; c < cells; ++c) {
        const double x = WAVE * frame_x(f, c), y = WAVE * frame_z(f, c);
        const double du = (double)f->velocity_x[c] - seen * sin(x) * cos(y),
                     dv = (double)f->velocity_z[c] + seen * cos(x) * sin(y);
        sum += du * du + dv * dv;
    }
    return sqrt(sum / (double)cells) / remaining;
}

// Draws u in the lowest row of cells, and the exact solution.
static void draw(struct case_run *run, const tarn_frame *f, double remaining)
{
    const int n = f->nx;
    double *x = case_alloc(run, n), *computed = case_alloc(run, n), *exact = case_alloc(run, n);
    if (!x || !computed || !exact) return;
    for (int i = 0; i < n; ++i) {
        const size_t c = (size_t)i; // the lowest row
        x[i] = frame_x(f, c), computed[i] = (double)f->velocity_x[c];
        exact[i] = remaining * cos(0.5 * WAVE * f->cell_size) * sin(WAVE * x[i]) * cos(WAVE * frame_z(f, c));
    }
    case_curve(run, "exact", n, x, exact, CURVE_REFERENCE);
    case_curve(run, "tarn, 128^2, periodic", n, x, computed, CURVE_COMPUTED);
    case_axes(run, "x [m]", "velocity after 1 s [m/s]");
}

static struct result run_one(struct case_run *run, int cells, bool walls, tarn_flow_advection advection)
{
    const double size = walls ? 0.5 : 1.0, h = size / cells;
    const int steps = (int)ceil(TIME / (0.4 * h));
    struct case_def def = case_world_def(TARN_FLUID_FLOW, cells, cells, h);

    def.world.density = 1.0;
    def.world.dt = TIME / steps;
    for (int i = 0; i < 4; ++i) {
        def.fluid.flow.boundary[i].type = walls ? TARN_FLOW_WALL : TARN_FLOW_PERIODIC;
        def.fluid.flow.boundary[i].slip = walls;
    }
    def.fluid.flow.viscosity = NU;
    def.fluid.flow.advection = advection;
    def.fluid.flow.divergence_tolerance = 1e-7;
    tarn_world *world = case_world(run, &def);
    if (!world) return (struct result){NAN, NAN};
    case_set_flow(run, world, start, NULL);
    const double before = tarn_world_get_ledger(world).energy_water;
    case_steps(run, world, def.world.dt, steps);
    const double after = tarn_world_get_ledger(world).energy_water;
    const tarn_frame *f = case_frame(run, world);
    if (!f) return (struct result){NAN, NAN};
    const double remaining = exp(-2.0 * NU * WAVE * WAVE * TIME);
    if (cells == 128 && !walls) draw(run, f, remaining);
    return (struct result){error_of(f, remaining), 0.5 * log(before / after) / TIME};
}

static void run_kind(struct case_run *run, bool walls)
{
    static const int cells[] = {32, 64, 128};
    double errors[3], rate = 0.0;
    char quantity[64];
    const char *where = walls ? "between walls" : "periodic";

    for (int i = 0; i < 3; ++i) {
        const struct result r = run_one(run, cells[i], walls, TARN_FLOW_CONSERVATIVE);
        errors[i] = r.error;
        rate = r.rate;
    }
    const double exact = 2.0 * NU * WAVE * WAVE;
    snprintf(quantity, sizeof quantity, "order of the velocity, %s", where);
    report_order(run, quantity, errors, 3, 2.0, 1.9);
    snprintf(quantity, sizeof quantity, "velocity on 128^2, %s", where);
    case_report(run, quantity, NONE, NONE, 100 * errors[2], 0.1, "%");
    snprintf(quantity, sizeof quantity, "rate of decay, %s [1/s]", where);
    case_report(run, quantity, rate, exact, 100 * fabs(rate / exact - 1), 0.5, "%");
}

static void run_case(struct case_run *run)
{
    run_kind(run, false);
    run_kind(run, true);
    const struct result maccormack = run_one(run, 64, false, TARN_FLOW_MACCORMACK);
    case_report(run, "velocity on 64^2, maccormack", NONE, NONE, 100 * maccormack.error, NONE, "%");
}

const struct validation_case vcase_taylor_green = {"taylor-green", "Decaying vortices", true, run_case};
