// Start-up of Poiseuille flow, diffusion of a Gaussian spot of heat, and decay of a Lamb-Oseen vortex.
#include "../case_api.h"

static const double FORCE = 0.1, NU = 0.01, GAP = 1.0; // [m/s^2], [m^2/s], [m]

// Start-up of Poiseuille flow: the steady parabola minus a series of decaying modes.
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

// [%] Largest error over the largest speed, at two times.
static double channel_error(struct case_run *run, int cells, bool draw)
{
    enum { POINTS = 64 };
    const double times[2] = {2.0, 10.0};
    struct case_def def = case_world_def(TARN_FLUID_FLOW, 4, cells, GAP / cells);
    double max_error = 0.0, y[POINTS], exact[POINTS], computed[POINTS];

    def.world.dt = 0.02;
    def.fluid.flow.viscosity = NU;
    def.fluid.flow.advection = TARN_FLOW_CONSERVATIVE;
    def.fluid.flow.acceleration.x = FORCE;
    def.fluid.flow.boundary[TARN_WEST].type = TARN_FLOW_PERIODIC;
    def.fluid.flow.boundary[TARN_EAST].type = TARN_FLOW_PERIODIC;
    tarn_world *world = case_world(run, &def);
    for (int k = 0; k < 2 && world; ++k) {
        case_steps(run, world, def.world.dt,
                   (int)floor((times[k] - (k ? times[0] : 0.0)) / def.world.dt + 0.5));
        const tarn_frame *f = case_frame(run, world);
        for (int j = 0; f && j < cells; ++j) {
            const double at = (j + 0.5) * f->cell_size, u = (double)f->velocity_x[j * f->nx];
            max_error = fmax(max_error, fabs(u - channel(at, times[k])) / channel(0.5 * GAP, times[k]));
            if (j < POINTS) y[j] = at, computed[j] = u, exact[j] = channel(at, times[k]);
        }
    }
    if (draw && !run->error[0]) {
        case_curve(run, "exact", cells, y, exact, CURVE_REFERENCE);
        case_curve(run, "tarn", cells, y, computed, CURVE_COMPUTED);
        case_axes(run, "height [m]", "speed after 10 s [m/s]");
    }
    return 100.0 * max_error;
}

// ---- diffusion of heat -----------------------------------------------------------------------------

static const double HEAT_RADIUS = 0.05, DIFFUSIVITY = 1e-3; // [m], [m^2/s]

static double heat_at(double x, double y, double t)
{
    const double s2 = HEAT_RADIUS * HEAT_RADIUS + 2.0 * DIFFUSIVITY * t,
                 r2 = (x - 0.5) * (x - 0.5) + (y - 0.5) * (y - 0.5);
    return HEAT_RADIUS * HEAT_RADIUS / s2 * exp(-r2 / (2.0 * s2));
}

static tarn_flow_sample heat_field(void *ctx, double x, double y)
{
    (void)ctx;
    return (tarn_flow_sample){.temperature = heat_at(x, y, 0.0)};
}

static double heat_error(struct case_run *run, int cells)
{
    const double time = 2.0;
    struct case_def def = case_world_def(TARN_FLUID_FLOW, cells, cells, 1.0 / cells);
    double max_error = 0.0;

    def.world.dt = 0.02;
    def.fluid.flow.advection = TARN_FLOW_CONSERVATIVE;
    def.fluid.flow.temperature.diffusivity = DIFFUSIVITY;
    def.fluid.flow.temperature.expansion = 0.0;
    tarn_world *world = case_world(run, &def);
    if (!world) return NAN;
    case_set_flow(run, world, heat_field, NULL);
    case_steps(run, world, def.world.dt, (int)floor(time / def.world.dt + 0.5));
    const tarn_frame *f = case_frame(run, world);
    for (size_t c = 0; f && c < (size_t)cells * (size_t)cells; ++c)
        max_error =
            fmax(max_error, fabs((double)f->temperature[c] - heat_at(frame_x(f, c), frame_z(f, c), time)));
    return 100.0 * max_error / heat_at(0.5, 0.5, time);
}

// ---- Lamb-Oseen vortex -----------------------------------------------------------------------------

static const double CIRCULATION = 0.1, VORTEX_NU = 1e-3; // [m^2/s] circulation, viscosity

static tarn_flow_sample vortex_at(double x, double y, double t)
{
    const double dx = x - 1.0, dy = y - 1.0, r2 = fmax(dx * dx + dy * dy, 1e-12);
    const double k = CIRCULATION / (2.0 * PI * r2) * (1.0 - exp(-r2 / (4.0 * VORTEX_NU * t)));
    return (tarn_flow_sample){.u = -k * dy, .v = k * dx};
}

static tarn_flow_sample vortex_field(void *ctx, double x, double y)
{
    return vortex_at(x, y, *(const double *)ctx);
}

// [%] Largest error over the largest speed, near the vortex: the formula does not include the walls.
static double vortex_error(struct case_run *run, int cells)
{
    double begin = 2.0;
    const double time = 2.0;
    struct case_def def = case_world_def(TARN_FLUID_FLOW, cells, cells, 2.0 / cells);
    double max_error = 0.0, max_speed = 0.0;

    def.world.dt = 0.02;
    for (int i = 0; i < 4; ++i) def.fluid.flow.boundary[i].slip = true;
    def.fluid.flow.advection = TARN_FLOW_CONSERVATIVE;
    def.fluid.flow.viscosity = VORTEX_NU;
    tarn_world *world = case_world(run, &def);
    if (!world) return NAN;
    case_set_flow(run, world, vortex_field, &begin);
    case_steps(run, world, def.world.dt, (int)floor(time / def.world.dt + 0.5));
    const tarn_frame *f = case_frame(run, world);
    for (size_t c = 0; f && c < (size_t)cells * (size_t)cells; ++c) {
        const double x = frame_x(f, c), y = frame_z(f, c);
        if (hypot(x - 1.0, y - 1.0) > 0.3) continue;
        const tarn_flow_sample e = vortex_at(x, y, begin + time);
        max_error = fmax(max_error, hypot((double)f->velocity_x[c] - e.u, (double)f->velocity_z[c] - e.v));
        max_speed = fmax(max_speed, hypot(e.u, e.v));
    }
    return 100.0 * max_error / max_speed;
}

static void run_case(struct case_run *run)
{
    const double coarse = channel_error(run, 16, false), fine = channel_error(run, 64, true);
    case_report(run, "start-up of a channel, 16 cells", NONE, NONE, coarse, 3.0, "%");
    case_report(run, "start-up of a channel, 64 cells", NONE, NONE, fine, 0.2, "%");
    case_report(run, "diffusion of heat, 64^2", NONE, NONE, heat_error(run, 64), 1.0, "%");
    case_report(run, "diffusion of heat, 128^2", NONE, NONE, heat_error(run, 128), 0.3, "%");
    case_report(run, "Lamb-Oseen vortex, 128^2", NONE, NONE, vortex_error(run, 128), 3.0, "%");
}

const struct validation_case vcase_channel_startup = {"channel-startup", "Viscosity and diffusion", true,
                                                      run_case};
