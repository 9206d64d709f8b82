// Uniform flow on slopes by Manning's formula.
#include "../case_api.h"

#include <stdio.h>

struct slope {
    double slope, manning, discharge, length; // [-], [s/m^(1/3)], [m^2/s], [m]
    double time;                              // [s] until the flow is steady
};

enum { CELLS = 100 };

static double normal_depth(const struct slope *s)
{
    return pow(s->manning * s->discharge / sqrt(s->slope), 0.6);
}

static double froude(const struct slope *s)
{
    return s->discharge / sqrt(GRAVITY * pow(normal_depth(s), 3.0));
}

static double bed_at(const struct slope *s, double x) { return s->slope * (0.5 * s->length - x); }

// At rest, half as deep as the flow will be.
static tarn_column start_field(const void *self, double x, double z)
{
    const struct slope *s = self;
    (void)z;
    return (tarn_column){bed_at(s, x) + 0.5 * normal_depth(s), 0.0, 0.0};
}

static tarn_world *make_world(struct case_run *run, const struct slope *s, double dt)
{
    struct case_def def = case_world_def(TARN_FLUID_SHALLOW, CELLS, 4, s->length / CELLS);
    const double depth = normal_depth(s);
    const bool fast = froude(s) > 1.0;
    tarn_beach_bed *bed = &case_bed(&def, TARN_BED_BEACH)->beach;
    tarn_shallow_def *fluid = &def.fluid.shallow;
    tarn_boundary *west = &fluid->boundary[TARN_WEST], *east = &fluid->boundary[TARN_EAST];

    def.world.dt = dt;
    bed->start = -0.5 * s->length;
    bed->slope = -s->slope;
    bed->height = 2.0 * s->slope * s->length;
    bed->offset = s->slope * s->length;
    fluid->manning = s->manning;
    fluid->level = fast ? 0.5 * depth : depth;
    west->type = TARN_BOUNDARY_DISCHARGE, west->discharge = s->discharge;
    if (fast) west->level = s->slope * s->length + depth;
    east->type = fast ? TARN_BOUNDARY_OPEN : TARN_BOUNDARY_LEVEL;
    if (!fast) east->level = depth;
    return case_world(run, &def);
}

// Largest difference from normal depth, relative to it.
static double depth_error(struct case_run *run, const struct slope *s, double dt)
{
    tarn_world *world = make_world(run, s, dt);
    struct profile p;
    double error = 0.0;

    if (!world) return NAN;
    case_set_water(run, world, start_field, s);
    case_steps(run, world, dt, (int)(s->time / dt));
    if (!case_profile(run, world, 'x', &p)) return NAN;
    for (int i = 0; i < p.n; ++i) error = fmax(error, fabs(p.h[i] / normal_depth(s) - 1.0));
    return error;
}

static void run_case(struct case_run *run)
{
    static const struct slope slopes[] = {
        // by Froude number
        {1e-4, 0.03, 0.05, 100.0, 2000.0}, {1e-3, 0.03, 1.0, 1000.0, 2000.0}, {0.01, 0.02, 0.5, 100.0, 300.0},
        {0.2, 0.03, 0.001, 10.0, 300.0},   {0.05, 0.012, 0.01, 20.0, 300.0},  {0.05, 0.02, 1.0, 200.0, 300.0},
        {0.2, 0.02, 0.5, 100.0, 200.0},
    };
    enum { COUNT = sizeof slopes / sizeof slopes[0] };
    double x[COUNT], error[COUNT], short_error[COUNT];

    for (int k = 0; k < COUNT; ++k) {
        char name[64];
        x[k] = froude(&slopes[k]);
        error[k] = 100.0 * depth_error(run, &slopes[k], 0.1);
        short_error[k] = 100.0 * depth_error(run, &slopes[k], 0.025);
        snprintf(name, sizeof name, "slope %g, Froude %.2f, dt 0.1 s", slopes[k].slope, x[k]);
        case_report(run, name, NONE, NONE, error[k], 0.1, "%");
        snprintf(name, sizeof name, "slope %g, Froude %.2f, dt 0.025 s", slopes[k].slope, x[k]);
        case_report(run, name, NONE, NONE, short_error[k], 0.1, "%");
    }
    case_axes(run, "Froude number", "largest error of the depth [%]");
    case_curve(run, "dt 0.1 s", COUNT, x, error, CURVE_COMPUTED);
    case_curve(run, "dt 0.025 s", COUNT, x, short_error, CURVE_SECONDARY);
}

const struct validation_case vcase_uniform_flow = {"uniform-flow", "Uniform flow on slopes", true, run_case};
