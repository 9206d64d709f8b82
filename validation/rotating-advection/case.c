// Advection by one revolution of a rigidly rotating flow: a Gaussian hill, and Zalesak's slotted disc.
#include "../case_api.h"

#include <stdio.h>
#include <string.h>

struct rotation {
    double size; // [m] of the box; one revolution per second about its centre
    double (*dye)(double x, double y, double h);
    double h; // [m] cell size
};

static tarn_flow_sample field(void *ctx, double x, double y)
{
    const struct rotation *t = ctx;
    const double c = 0.5 * t->size;
    return (tarn_flow_sample){.u = -2.0 * PI * (y - c), .v = 2.0 * PI * (x - c), .dye = t->dye(x, y, t->h)};
}

static double hill(double x, double y, double h)
{
    (void)h;
    const double dx = x - 0.5, dy = y - 0.7;
    return exp(-100.0 * (dx * dx + dy * dy));
}

// Zalesak's disc: radius 15 about (50, 75) in a box of 100, with a slot of width 5 up to y = 85.
static double disc(double x, double y)
{
    const double dx = x - 50.0, dy = y - 75.0;
    if (dx * dx + dy * dy > 225.0) return 0.0;
    return fabs(dx) < 2.5 && y < 85.0 ? 0.0 : 1.0;
}

// Fraction of a cell that the disc covers, by 8 x 8 samples.
static double disc_coverage(double x, double y, double h)
{
    double sum = 0.0;

    for (int k = 0; k < 64; ++k)
        sum += disc(x + ((k % 8 + 0.5) / 8.0 - 0.5) * h, y + ((k / 8 + 0.5) / 8.0 - 0.5) * h);
    return sum / 64.0;
}

static const tarn_frame *advect_once_round(struct case_run *run, struct rotation *t, int cells,
                                           tarn_flow_advection advection, double courant)
{
    const double h = t->size / cells;
    const int steps = (int)ceil(PI * t->size / (courant * h)); // Courant number at the middle of a side
    struct case_def def = case_world_def(TARN_FLUID_FLOW, cells, cells, h);

    def.world.dt = 1.0 / steps;
    def.fluid.flow.freeze_velocity = true;
    def.fluid.flow.advection = advection;
    tarn_world *world = case_world(run, &def);
    if (!world) return NULL;
    case_set_flow(run, world, field, t);
    case_steps(run, world, def.world.dt, steps);
    return case_frame(run, world);
}

static double hill_error(struct case_run *run, int cells, tarn_flow_advection advection)
{
    struct rotation t = {1.0, hill, 1.0 / cells};
    const tarn_frame *f = advect_once_round(run, &t, cells, advection, 0.5);
    double sum = 0.0;

    for (size_t c = 0; f && c < (size_t)cells * (size_t)cells; ++c)
        sum += fabs((double)f->dye[c] - hill(frame_x(f, c), frame_z(f, c), f->cell_size));
    return f ? sum / ((double)cells * cells) : NAN;
}

// Draws dye on a line through disc and slot, at the end and at the start.
static void draw(struct case_run *run, const tarn_frame *f)
{
    const int n = f->nx, j = (int)(72.0 / f->cell_size);
    double *x = case_alloc(run, n), *computed = case_alloc(run, n), *initial = case_alloc(run, n);
    if (!x || !computed || !initial) return;
    for (int i = 0; i < n; ++i) {
        const size_t c = (size_t)j * (size_t)n + (size_t)i;
        x[i] = frame_x(f, c), computed[i] = (double)f->dye[c];
        initial[i] = disc_coverage(x[i], frame_z(f, c), f->cell_size);
    }
    case_curve(run, "at the start", n, x, initial, CURVE_REFERENCE);
    case_curve(run, "tarn, after one revolution, conservative, 200^2", n, x, computed, CURVE_COMPUTED);
    case_axes(run, "x", "dye at y = 72");
}

// [%] Error of the area in which the dye exceeds one half; *shape: area of the difference to the start.
static double disc_error(struct case_run *run, int cells, tarn_flow_advection advection, double *shape)
{
    const double exact = 582.207;
    struct rotation t = {100.0, disc_coverage, 100.0 / cells};
    const tarn_frame *f = advect_once_round(run, &t, cells, advection, 0.5);
    double area = 0.0, difference = 0.0;

    for (size_t c = 0; f && c < (size_t)cells * (size_t)cells; ++c) {
        const double is_inside = (double)f->dye[c] > 0.5,
                     initial = disc_coverage(frame_x(f, c), frame_z(f, c), f->cell_size) > 0.5;
        area += is_inside * f->cell_size * f->cell_size;
        difference += fabs(is_inside - initial) * f->cell_size * f->cell_size;
    }
    if (f && cells == 200 && advection == TARN_FLOW_CONSERVATIVE) draw(run, f);
    *shape = 100.0 * difference / exact;
    return f ? 100.0 * fabs(area / exact - 1.0) : NAN;
}

static void run_case(struct case_run *run)
{
    static const char *const kinds[] = {"maccormack", "conservative", "semi-lagrangian"};
    static const tarn_flow_advection advections[] = {TARN_FLOW_MACCORMACK, TARN_FLOW_CONSERVATIVE,
                                                     TARN_FLOW_SEMI_LAGRANGIAN};
    static const int cells[] = {64, 128, 256};
    const double min_order[] = {run->long_run ? 1.9 : 1.8, 1.9, NAN},
                 area[2][3] = {{10.0, 10.0, NAN}, {2.0, 2.0, NAN}};
    const int grids = run->long_run ? 3 : 2;
    char quantity[64];

    for (int k = 0; k < (run->long_run ? 3 : 2); ++k) {
        double errors[3] = {0}, shape;
        for (int i = 0; i < grids; ++i) errors[i] = hill_error(run, cells[i], advections[k]);
        snprintf(quantity, sizeof quantity, "order of a hill, %s", kinds[k]);
        if (isnan(min_order[k]))
            case_report(run, quantity, log2(errors[0] / errors[1]), 1.0, NONE, NONE, "");
        else
            report_order(run, quantity, errors, grids, 2.0, min_order[k]);
        snprintf(quantity, sizeof quantity, "mean error of a hill on 128^2, %s", kinds[k]);
        case_report(run, quantity, NONE, NONE, errors[1], NONE, "");
        for (int i = 0; i < 2; ++i) {
            const double error = disc_error(run, i ? 200 : 100, advections[k], &shape);
            snprintf(quantity, sizeof quantity, "area of the disc on %d^2, %s", i ? 200 : 100, kinds[k]);
            case_report(run, quantity, NONE, NONE, error, area[i][k], "%");
            snprintf(quantity, sizeof quantity, "shape of the disc on %d^2, %s", i ? 200 : 100, kinds[k]);
            case_report(run, quantity, NONE, NONE, shape, NONE, "%");
        }
    }
}

const struct validation_case vcase_rotating_advection = {"rotating-advection",
                                                         "A hill and a disc, rotated once", true, run_case};
