// Differentially heated cavity, hot on the left and cold on the right: Nusselt numbers and largest
// velocities.
#include "../case_api.h"

#include <stdio.h>

extern const double table_heated_cavity[][9];
extern const int table_heated_cavity_rows;
enum { RA, U_MAX, Y_U_MAX, V_MAX, X_V_MAX, NU_MEAN };

static const double PR = 0.71;

// Length of the box 1, thermal diffusivity 1: velocities are in units of diffusivity over length.
static tarn_world *make_world(struct case_run *run, double ra, int cells, double dt)
{
    struct case_def def = case_world_def(TARN_FLUID_FLOW, cells, cells, 1.0 / cells);

    def.world.density = 1.0;
    def.world.gravity = 1.0;
    def.world.dt = dt;
    def.fluid.flow.advection = TARN_FLOW_CONSERVATIVE;
    def.fluid.flow.viscosity = PR;
    def.fluid.flow.temperature.diffusivity = 1.0;
    def.fluid.flow.temperature.expansion = ra * PR;
    def.fluid.flow.temperature.reference = 0.5;
    def.fluid.flow.boundary[TARN_WEST].temperature = 1.0;
    def.fluid.flow.boundary[TARN_EAST].temperature = 0.0;
    def.fluid.flow.divergence_tolerance = 1e-6;
    return case_world(run, &def);
}

// Maximum of the parabola through the largest value and its neighbours.
static double parabola_maximum(const double *q, int n)
{
    int b = 1;

    for (int i = 1; i < n - 1; ++i)
        if (q[i] > q[b]) b = i;
    const double left = q[b - 1], right = q[b + 1], curvature = left - 2.0 * q[b] + right;
    return q[b] - (right - left) * (right - left) / (8.0 * curvature);
}

struct heat {
    double wall, middle, volume; // Nusselt numbers
    double u, v;                 // largest velocities on the centre lines
};

static struct heat measure(const tarn_frame *f)
{
    enum { MAX_CELLS = 512 };
    const int n = f->nx, m = n / 2;
    const double h = f->cell_size;
    double u[MAX_CELLS], v[MAX_CELLS];
    struct heat out = {.volume = 1.0};

    for (int j = 0; j < n; ++j) {
        const float *t = f->temperature + (size_t)j * (size_t)n, *s = f->velocity_x + (size_t)j * (size_t)n;
        out.wall += 2.0 * (1.0 - (double)t[0]);
        const double u_middle = 0.5 * (double)(s[m - 1] + s[m]);
        out.middle += h * u_middle * 0.5 * (double)(t[m - 1] + t[m]) - (double)(t[m] - t[m - 1]);
        for (int i = 0; i < n; ++i) out.volume += h * h * (double)(s[i] * t[i]);
        u[j] = u_middle;
        v[j] = 0.5 * (double)(f->velocity_z[(size_t)(m - 1) * (size_t)n + (size_t)j] +
                              f->velocity_z[(size_t)m * (size_t)n + (size_t)j]);
    }
    out.u = parabola_maximum(u, n), out.v = parabola_maximum(v, n);
    return out;
}

// Draws v on the horizontal centre line, and the largest value of the source.
static void draw(struct case_run *run, const tarn_frame *f, double reference)
{
    const int n = f->nx, m = n / 2;
    double *x = case_alloc(run, n), *v = case_alloc(run, n), *limit = case_alloc(run, n);
    if (!x || !v || !limit) return;
    for (int i = 0; i < n; ++i) {
        x[i] = (i + 0.5) * f->cell_size, limit[i] = reference;
        v[i] = 0.5 * (double)(f->velocity_z[(size_t)(m - 1) * (size_t)n + (size_t)i] +
                              f->velocity_z[(size_t)m * (size_t)n + (size_t)i]);
    }
    case_curve(run, "largest value of the source, Ra 1e5", n, x, limit, CURVE_REFERENCE);
    case_curve(run, "tarn", n, x, v, CURVE_COMPUTED);
    case_axes(run, "x", "vertical velocity at half the height");
}

static double percent_error(double computed, double reference)
{
    return 100.0 * fabs(computed / reference - 1.0);
}

static void run_one(struct case_run *run, const double *row, int cells, double dt, double time)
{
    const double ra = row[RA];
    tarn_world *world = make_world(run, ra, cells, dt);
    char quantity[64];

    if (!world) return;
    run_to_steady_state(run, world, dt, time, 1e-3);
    const tarn_frame *f = case_frame(run, world);
    if (!f) return;
    const struct heat h = measure(f);
    if (ra == 1e5) draw(run, f, row[V_MAX]);
    const double computed[] = {h.wall, h.middle, h.volume, h.u, h.v};
    static const char *const names[] = {"Nusselt number, wall", "Nusselt number, middle",
                                        "Nusselt number, volume", "largest u", "largest v"};
    for (int i = 0; i < 5; ++i) {
        const double reference = row[i < 3 ? NU_MEAN : i == 3 ? U_MAX : V_MAX];
        snprintf(quantity, sizeof quantity, "Ra %g, %d^2: %s", ra, cells, names[i]);
        case_report(run, quantity, computed[i], reference, percent_error(computed[i], reference),
                    i < 3 ? 1.0 : 2.0, "%");
    }
    const tarn_ledger l = tarn_world_get_ledger(world);
    snprintf(quantity, sizeof quantity, "Ra %g: unaccounted heat", ra);
    case_report(run, quantity, NONE, NONE, fabs(l.heat + l.heat_outflow), 1e-6, "");
}

static void run_case(struct case_run *run)
{
    const double(*rows)[9] = table_heated_cavity;
    run_one(run, rows[0], 64, 5e-4, 1.0);
    run_one(run, rows[2], run->long_run ? 128 : 96, 2e-4, 0.6);
    if (run->long_run) run_one(run, rows[1], 96, 5e-4, 0.8);
    if (run->long_run) run_one(run, rows[3], 192, 5e-5, 0.3);
}

const struct validation_case vcase_heated_cavity = {"heated-cavity", "Differentially heated cavity", true,
                                                    run_case};
