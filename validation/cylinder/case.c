// Flow past a cylinder in a channel: drag, lift, pressure difference, recirculation length, Strouhal number,
// and how much the lift fluctuates from step to step.
#include "../case_api.h"

#include <stdio.h>

extern const double table_cylinder[][6];
enum { UM, DRAG, LIFT, LENGTH, STROUHAL, PRESSURE };

static const double CHANNEL_LENGTH = 2.2, CHANNEL_HEIGHT = 0.41, RADIUS = 0.05, CENTRE = 0.2,
                    NU = 1e-3; // [m], [m^2/s]

static tarn_world *make_world(struct case_run *run, double um, int cells, double *dt)
{
    const double h = 2.0 * RADIUS / cells;
    struct case_def def = case_world_def(TARN_FLUID_FLOW, (int)floor(CHANNEL_LENGTH / h + 0.5),
                                         (int)floor(CHANNEL_HEIGHT / h + 0.5), h);
    tarn_obstacle_def circle = tarn_default_obstacle_def(TARN_OBSTACLE_CIRCLE);

    def.world.density = 1.0;
    def.world.dt = *dt = 0.5 * h / um;
    def.world.host.workers = 2;
    def.fluid.flow.viscosity = NU;
    def.fluid.flow.advection = TARN_FLOW_CONSERVATIVE;
    def.fluid.flow.boundary[TARN_WEST].type = TARN_FLOW_INFLOW;
    def.fluid.flow.boundary[TARN_WEST].inflow_speed = um;
    def.fluid.flow.boundary[TARN_WEST].profile = TARN_FLOW_PARABOLIC;
    def.fluid.flow.boundary[TARN_EAST].type = TARN_FLOW_OUTFLOW;
    tarn_world *world = case_world(run, &def);
    circle.circle.radius = RADIUS;
    circle.motion.position.x = circle.motion.position.y = CENTRE;
    if (world) case_obstacle(run, world, &circle);
    return world;
}

// Present drag and lift coefficients.
static void force_coefficients(const tarn_world *world, double um, double *drag, double *lift)
{
    const double mean = 2.0 * um / 3.0, k = 2.0 / (mean * mean * 2.0 * RADIUS);
    tarn_obstacle_load l = {0};
    tarn_obstacle_id cylinder = {0};

    tarn_world_get_obstacles(world, &cylinder, 1);
    tarn_obstacle_get_load(world, cylinder, &l);
    *drag = k * l.force_x, *lift = k * l.force_y;
}

// Recirculation length: distance behind the cylinder at which u changes sign on the centre line [m].
static double recirculation(struct case_run *run, const tarn_world *world)
{
    const double step = 2.5e-4, end = CENTRE + RADIUS;
    double before = -1.0;

    for (double x = end + 0.02; x < 0.6; x += step) {
        const double u = case_flow_at(run, world, x, CENTRE).u;
        if (before < 0.0 && u >= 0.0 && x > end + 0.02) return x - step * u / (u - before) - end;
        before = u;
    }
    return NAN;
}

static double percent_error(double computed, double reference)
{
    return 100.0 * fabs(computed / reference - 1.0);
}

// Limits of the errors in per cent.
struct steady_limits {
    double drag, lift, pressure;
};

// Re 20: steady flow.
static void run_steady(struct case_run *run, int cells, struct steady_limits limit)
{
    const double *t = table_cylinder[0];
    double dt, drag, lift;
    char quantity[64];
    tarn_world *world = make_world(run, t[UM], cells, &dt);

    if (!world) return;
    case_steps(run, world, dt, (int)ceil(6.0 / dt));
    force_coefficients(world, t[UM], &drag, &lift);
    const double length = recirculation(run, world);
    snprintf(quantity, sizeof quantity, "Re 20, %d cells across: drag", cells);
    case_report(run, quantity, drag, t[DRAG], percent_error(drag, t[DRAG]), limit.drag, "%");
    snprintf(quantity, sizeof quantity, "Re 20, %d cells across: lift", cells);
    case_report(run, quantity, lift, t[LIFT], percent_error(lift, t[LIFT]), limit.lift, "%");
    const double pressure = case_flow_at(run, world, CENTRE - RADIUS, CENTRE).pressure -
                            case_flow_at(run, world, CENTRE + RADIUS, CENTRE).pressure;
    snprintf(quantity, sizeof quantity, "Re 20, %d cells across: pressure [Pa]", cells);
    case_report(run, quantity, pressure, t[PRESSURE], percent_error(pressure, t[PRESSURE]), limit.pressure,
                "%");
    snprintf(quantity, sizeof quantity, "Re 20, %d cells across: recirculation [m]", cells);
    case_report(run, quantity, length, t[LENGTH], percent_error(length, t[LENGTH]), 5.0, "%");
}

struct shedding {
    double drag, lift, period, noise;
};

// Root mean square of what is not smooth in a series: fourth differences leave noise of size 1 as sqrt(70), and
// of a wave of 50 steps or more less than 3e-4.
static double noise_of(const double *x, int count)
{
    double sum = 0.0;
    for (int i = 4; i < count; ++i) {
        const double d = ((x[i] + x[i - 4]) - 4.0 * (x[i - 1] + x[i - 3])) + 6.0 * x[i - 2];
        sum += d * d / 70.0;
    }
    return count > 4 ? sqrt(sum / (count - 4)) : NAN;
}

// Draws the lift over time, and plus and minus the largest lift of the source.
static void draw_lift(struct case_run *run, double from, double to, int sample_count, const double *times,
                      const double *lifts)
{
    double *ends = case_alloc(run, 2), *high = case_alloc(run, 2), *low = case_alloc(run, 2);
    if (!ends || !high || !low) return;
    ends[0] = from, ends[1] = to;
    for (int k = 0; k < 2; ++k) high[k] = table_cylinder[1][LIFT], low[k] = -high[k];
    case_curve(run, "largest value of the source", 2, ends, high, CURVE_REFERENCE);
    case_curve(run, "", 2, ends, low, CURVE_REFERENCE);
    case_curve(run, "tarn, Re 100", sample_count, times, lifts, CURVE_COMPUTED);
    case_axes(run, "time [s]", "lift coefficient");
}

// Re 100, vortex shedding: largest drag and lift, and the period, the mean time between upward zero crossings
// of the lift. A crossing counts only after the lift was well below 0.
static struct shedding measure_shedding(struct case_run *run, tarn_world *world, double um, double dt,
                                        double from, double to)
{
    struct shedding s = {0};
    const int capacity = (int)((to - from) / dt) + 1;
    double *times = case_alloc(run, capacity), *lifts = case_alloc(run, capacity);
    int sample_count = 0;
    if (!times || !lifts) return s;
    double drag, lift, before = 0.0, first = 0.0, last = 0.0;
    int crossings = 0;
    bool below = false;

    for (int n = 1; n * dt < to && !run->error[0]; ++n) {
        case_steps(run, world, dt, 1);
        force_coefficients(world, um, &drag, &lift);
        if (n * dt > from) {
            const double at = n * dt - dt * lift / (lift - before);
            s.drag = fmax(s.drag, drag), s.lift = fmax(s.lift, lift);
            if (sample_count < capacity) times[sample_count] = n * dt, lifts[sample_count++] = lift;
            if (below && before < 0.0 && lift >= 0.0) {
                if (crossings++ == 0) first = at;
                last = at;
                below = false;
            }
            below = below || lift < -0.2 * table_cylinder[1][LIFT];
        }
        before = lift;
    }
    s.period = crossings > 1 ? (last - first) / (crossings - 1) : NAN;
    s.noise = noise_of(lifts, sample_count);
    draw_lift(run, from, to, sample_count, times, lifts);
    return s;
}

static void run_vortex_shedding(struct case_run *run, int cells, double drag, double lift, double strouhal)
{
    const double *t = table_cylinder[1];
    double dt;
    char quantity[64];
    tarn_world *world = make_world(run, t[UM], cells, &dt);

    if (!world) return;
    const struct shedding s = measure_shedding(run, world, t[UM], dt, 4.5, 6.5);
    const double number = 2.0 * RADIUS / (2.0 / 3.0 * t[UM] * s.period);
    snprintf(quantity, sizeof quantity, "Re 100, %d cells across: largest drag", cells);
    case_report(run, quantity, s.drag, t[DRAG], percent_error(s.drag, t[DRAG]), drag, "%");
    snprintf(quantity, sizeof quantity, "Re 100, %d cells across: largest lift", cells);
    case_report(run, quantity, s.lift, t[LIFT], percent_error(s.lift, t[LIFT]), lift, "%");
    snprintf(quantity, sizeof quantity, "Re 100, %d cells across: Strouhal number", cells);
    case_report(run, quantity, number, t[STROUHAL], percent_error(number, t[STROUHAL]), strouhal, "%");
    snprintf(quantity, sizeof quantity, "Re 100, %d cells across: noise of the lift", cells);
    case_report(run, quantity, 100.0 * s.noise / s.lift, 0.0, 100.0 * s.noise / s.lift, 0.2, "%");
}

static void run_case(struct case_run *run)
{
    run_steady(run, 10, (struct steady_limits){0.5, 30.0, 6.0});
    if (run->long_run) run_steady(run, 20, (struct steady_limits){0.3, 8.0, 4.0});
    if (run->long_run)
        run_vortex_shedding(run, 40, 1.0, 3.0, 2.0);
    else
        run_vortex_shedding(run, 10, 15.0, 30.0, 6.0);
}

const struct validation_case vcase_cylinder = {"cylinder", "Cylinder in a channel", true, run_case};
