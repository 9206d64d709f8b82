// A force sets the fluid between two walls in motion, and heat spreads from a spot.
#include "../case_api.h"

static const double FORCE = 0.1, NU = 0.01, GAP = 1.0; // [m/s^2], [m^2/s], [m]

// The steady parabola, less modes that decay.
static double channel(double y, double t)
{
    double u = FORCE * y * (GAP - y) / (2.0 * NU);

    for (int n = 1; n < 60; n += 2) {
        const double k = n * PI / GAP;
        u -= 4.0 * FORCE * GAP * GAP / (NU * PI * PI * PI) * sin(k * y) / ((double)n * n * n) *
             exp(-NU * k * k * t);
    }
    return u;
}

// Largest error over the largest speed at two times.
static double channel_error(struct case_run *run, int cells, bool draw)
{
    enum { POINTS = 64 };
    const double times[2] = {2.0, 10.0};
    tarn_world_def def = case_world_def(run, "flow", 4, cells, GAP / cells);
    double worst = 0.0, y[POINTS], exact[POINTS], computed[POINTS];

    def.dt = 0.02;
    case_set(run, &def.fluid, "viscosity", tarn_value_number(NU));
    case_set(run, &def.fluid, "advection", tarn_value_text("conservative"));
    case_set(run, &def.fluid, "acceleration.x", tarn_value_number(FORCE));
    case_set(run, &def.fluid, "boundary.west", tarn_value_text("periodic"));
    case_set(run, &def.fluid, "boundary.east", tarn_value_text("periodic"));
    tarn_world *world = case_world(run, &def);
    for (int k = 0; k < 2 && world; ++k) {
        case_steps(run, world, def.dt, (int)floor((times[k] - (k ? times[0] : 0.0)) / def.dt + 0.5));
        const tarn_frame *f = case_frame(run, world);
        for (int j = 0; f && j < cells; ++j) {
            const double at = (j + 0.5) * f->cell_size, u = (double)f->velocity_x[j * f->nx];
            worst = fmax(worst, fabs(u - channel(at, times[k])) / channel(0.5 * GAP, times[k]));
            if (j < POINTS) y[j] = at, computed[j] = u, exact[j] = channel(at, times[k]);
        }
    }
    if (draw && !run->error[0]) {
        case_curve(run, "exact", cells, y, exact, CURVE_REFERENCE);
        case_curve(run, "tarn", cells, y, computed, CURVE_COMPUTED);
        case_axes(run, "height [m]", "speed after 10 s [m/s]");
    }
    return 100.0 * worst;
}

// ---- a spot of heat -------------------------------------------------------------------------------------

static const double SPOT = 0.05, SPREAD = 1e-3; // [m], [m^2/s]

static double spot_at(double x, double y, double t)
{
    const double s2 = SPOT * SPOT + 2.0 * SPREAD * t, r2 = (x - 0.5) * (x - 0.5) + (y - 0.5) * (y - 0.5);
    return SPOT * SPOT / s2 * exp(-r2 / (2.0 * s2));
}

static tarn_flow_sample spot(void *ctx, double x, double y)
{
    (void)ctx;
    return (tarn_flow_sample){.temperature = spot_at(x, y, 0.0)};
}

static double spot_error(struct case_run *run, int cells)
{
    const double time = 2.0;
    tarn_world_def def = case_world_def(run, "flow", cells, cells, 1.0 / cells);
    double worst = 0.0;

    def.dt = 0.02;
    case_set(run, &def.fluid, "advection", tarn_value_text("conservative"));
    case_set(run, &def.fluid, "temperature.diffusivity", tarn_value_number(SPREAD));
    case_set(run, &def.fluid, "temperature.expansion", tarn_value_number(0.0));
    tarn_world *world = case_world(run, &def);
    if (!world) return NAN;
    case_set_flow(run, world, spot, NULL);
    case_steps(run, world, def.dt, (int)floor(time / def.dt + 0.5));
    const tarn_frame *f = case_frame(run, world);
    for (size_t c = 0; f && c < (size_t)cells * (size_t)cells; ++c)
        worst = fmax(worst, fabs((double)f->temperature[c] - spot_at(frame_x(f, c), frame_z(f, c), time)));
    return 100.0 * worst / spot_at(0.5, 0.5, time);
}

// ---- an eddy that spreads -------------------------------------------------------------------------------

static const double SWIRL = 0.1, EDDY_NU = 1e-3; // [m^2/s] circulation, viscosity

static tarn_flow_sample eddy_at(double x, double y, double t)
{
    const double dx = x - 1.0, dy = y - 1.0, r2 = fmax(dx * dx + dy * dy, 1e-12);
    const double k = SWIRL / (2.0 * PI * r2) * (1.0 - exp(-r2 / (4.0 * EDDY_NU * t)));
    return (tarn_flow_sample){.u = -k * dy, .v = k * dx};
}

static tarn_flow_sample eddy(void *ctx, double x, double y) { return eddy_at(x, y, *(const double *)ctx); }

// Within half of the way to the walls, which the formula does not know.
static double eddy_error(struct case_run *run, int cells)
{
    double begin = 2.0;
    const double time = 2.0;
    static const char *const slip[] = {"boundary.west.slip", "boundary.east.slip", "boundary.south.slip",
                                       "boundary.north.slip"};
    tarn_world_def def = case_world_def(run, "flow", cells, cells, 2.0 / cells);
    double worst = 0.0, most = 0.0;

    def.dt = 0.02;
    for (int i = 0; i < 4; ++i) case_set(run, &def.fluid, slip[i], tarn_value_flag(1));
    case_set(run, &def.fluid, "advection", tarn_value_text("conservative"));
    case_set(run, &def.fluid, "viscosity", tarn_value_number(EDDY_NU));
    tarn_world *world = case_world(run, &def);
    if (!world) return NAN;
    case_set_flow(run, world, eddy, &begin);
    case_steps(run, world, def.dt, (int)floor(time / def.dt + 0.5));
    const tarn_frame *f = case_frame(run, world);
    for (size_t c = 0; f && c < (size_t)cells * (size_t)cells; ++c) {
        const double x = frame_x(f, c), y = frame_z(f, c);
        if (hypot(x - 1.0, y - 1.0) > 0.3) continue;
        const tarn_flow_sample e = eddy_at(x, y, begin + time);
        worst = fmax(worst, hypot((double)f->velocity_x[c] - e.u, (double)f->velocity_z[c] - e.v));
        most = fmax(most, hypot(e.u, e.v));
    }
    return 100.0 * worst / most;
}

static void run_case(struct case_run *run)
{
    const double coarse = channel_error(run, 16, false), fine = channel_error(run, 64, true);
    case_report(run, "start-up of a channel, 16 cells", NONE, NONE, coarse, 3.0, "%");
    case_report(run, "start-up of a channel, 64 cells", NONE, NONE, fine, 0.2, "%");
    case_report(run, "a spot of heat, 64^2", NONE, NONE, spot_error(run, 64), 1.0, "%");
    case_report(run, "a spot of heat, 128^2", NONE, NONE, spot_error(run, 128), 0.3, "%");
    case_report(run, "an eddy that spreads, 128^2", NONE, NONE, eddy_error(run, 128), 3.0, "%");
}

const struct validation_case vcase_channel_startup = {"channel-startup", "Friction and diffusion", true,
                                                      run_case};
