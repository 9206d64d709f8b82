// Lid-driven cavity: velocities on the centre lines and the centre of the vortex.
#include "../case_api.h"

#include <stdio.h>

extern const double table_lid_driven_cavity[][7];
extern const int table_lid_driven_cavity_rows;

enum { AXIS, AT, RE100, RE1000, BOTELLA, GHIA100, GHIA1000 };
enum { CELLS = 128, POINTS = 129 };

struct flow_case {
    double re;
    int column, ghia;
    double centre[2]; // of the vortex
    double limit;
};

static tarn_world *make_world(struct case_run *run, double re, tarn_flow_advection advection, double *dt)
{
    struct case_def def = case_world_def(TARN_FLUID_FLOW, CELLS, CELLS, 1.0 / CELLS);

    def.world.density = 1.0;
    def.world.dt = *dt = 0.8 / CELLS;
    def.fluid.flow.viscosity = 1.0 / re;
    def.fluid.flow.advection = advection;
    def.fluid.flow.boundary[TARN_NORTH].wall_speed = 1.0;
    def.fluid.flow.divergence_tolerance = 1e-6;
    return case_world(run, &def);
}

// Largest difference from the table on one of the centre lines.
static double max_error(struct case_run *run, const tarn_world *world, int column, int axis)
{
    double largest = 0.0;

    for (int i = 0; i < table_lid_driven_cavity_rows; ++i) {
        const double *row = table_lid_driven_cavity[i];
        if ((int)row[AXIS] != axis || row[AT] <= 0.0 || row[AT] >= 1.0) continue;
        const tarn_flow_sample at = case_flow_at(run, world, axis ? row[AT] : 0.5, axis ? 0.5 : row[AT]);
        largest = fmax(largest, fabs((axis ? at.v : at.u) - row[column]));
    }
    return largest;
}

// Position of the minimum of the parabola through three values around x.
static double parabola_minimum(double x, double h, double before, double here, double after)
{
    return x + 0.5 * h * (before - after) / (before - 2.0 * here + after);
}

// The stream function is the integral of u over y; the centre of the vortex is its minimum.
static void find_vortex_centre(struct case_run *run, const tarn_world *world, double centre[2])
{
    double(*psi)[CELLS] = (double(*)[CELLS])case_alloc(run, (CELLS + 1) * CELLS);
    const tarn_frame *f = case_frame(run, world);
    int bi = 1, bj = 1;

    if (!f || !psi) return;
    for (int i = 0; i < CELLS; ++i)
        for (int j = 0; j < CELLS; ++j)
            psi[j + 1][i] = psi[j][i] + f->cell_size * (double)f->velocity_x[j * CELLS + i];
    for (int j = 1; j < CELLS; ++j)
        for (int i = 1; i < CELLS - 1; ++i)
            if (psi[j][i] < psi[bj][bi]) bi = i, bj = j;
    centre[0] = parabola_minimum((bi + 0.5) * f->cell_size, f->cell_size, psi[bj][bi - 1], psi[bj][bi],
                                 psi[bj][bi + 1]);
    centre[1] =
        parabola_minimum(bj * f->cell_size, f->cell_size, psi[bj - 1][bi], psi[bj][bi], psi[bj + 1][bi]);
}

static void draw(struct case_run *run, const tarn_world *world, const struct flow_case *c)
{
    double y[POINTS], u[POINTS], ty[64], tu[64], gu[64];
    int n = 0;

    for (int i = 0; i < POINTS; ++i) {
        y[i] = i / (double)(POINTS - 1);
        u[i] = case_flow_at(run, world, 0.5, y[i]).u;
    }
    for (int i = 0; i < table_lid_driven_cavity_rows; ++i) {
        const double *row = table_lid_driven_cavity[i];
        if (row[AXIS] > 0.0) continue;
        ty[n] = row[AT], tu[n] = row[c->column], gu[n++] = row[c->ghia];
    }
    case_curve(run, "table", n, ty, tu, CURVE_REFERENCE);
    case_curve(run, "Ghia et al. 1982", n, ty, gu, CURVE_SECONDARY);
    case_curve(run, "tarn", POINTS, y, u, CURVE_COMPUTED);
    case_axes(run, "height", "velocity on the vertical centre line, Re 1000");
}

static void run_one(struct case_run *run, const struct flow_case *c, tarn_flow_advection advection,
                    bool has_limit)
{
    double dt, centre[2] = {NAN, NAN};
    char quantity[64];
    tarn_world *world = make_world(run, c->re, advection, &dt);

    if (!world) return;
    run_to_steady_state(run, world, dt, c->re < 500.0 ? 30.0 : 90.0, 1e-6);
    for (int axis = 0; axis < 2; ++axis) {
        snprintf(quantity, sizeof quantity, "Re %g, %s%s", c->re,
                 axis ? "v on the horizontal centre line" : "u on the vertical centre line",
                 has_limit ? "" : ", maccormack");
        case_report(run, quantity, NONE, NONE, max_error(run, world, c->column, axis),
                    has_limit ? c->limit : NONE, "");
    }
    if (!has_limit) return;
    find_vortex_centre(run, world, centre);
    snprintf(quantity, sizeof quantity, "Re %g, x of the vortex centre", c->re);
    case_report(run, quantity, centre[0], c->centre[0], fabs(centre[0] - c->centre[0]), 0.005, "");
    snprintf(quantity, sizeof quantity, "Re %g, y of the vortex centre", c->re);
    case_report(run, quantity, centre[1], c->centre[1], fabs(centre[1] - c->centre[1]), 0.005, "");
    if (c->re > 500.0) draw(run, world, c);
}

static void run_case(struct case_run *run)
{
    static const struct flow_case cases[] = {
        {100.0, RE100, GHIA100, {0.6158, 0.7373}, 0.005},
        {1000.0, RE1000, GHIA1000, {0.5308, 0.5652}, 0.01},
    };

    for (int i = 0; i < 2; ++i) run_one(run, &cases[i], TARN_FLOW_CONSERVATIVE, true);
    for (int i = 0; run->long_run && i < 2; ++i) run_one(run, &cases[i], TARN_FLOW_MACCORMACK, false);
}

const struct validation_case vcase_lid_driven_cavity = {"lid-driven-cavity", "Lid-driven cavity", true,
                                                        run_case};
