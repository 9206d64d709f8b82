// The flow model: divergence, leaks, budgets, forces, and the promises of tarn.h.
#include "body_def.h"
#include "first_obstacle.h"
#include "flow_world.h"
#include "memory_stream.h"

#include "base/math/math.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static struct world_setup box(int nx, int ny, double h, const char *advection)
{
    struct world_setup def = world_setup(TARN_FLUID_FLOW);
    def.fluid.flow.size = (tarn_vec2){nx * h, ny * h};
    def.fluid.flow.cells[0] = nx, def.fluid.flow.cells[1] = ny;
    def.fluid.flow.advection = flow_advection_of(advection);
    def.world.density = 1.0;
    return def;
}

static tarn_obstacle_def circle(double radius, double x, double y)
{
    tarn_obstacle_def o = tarn_default_obstacle_def(TARN_OBSTACLE_CIRCLE);
    o.circle.radius = radius;
    o.motion.position.x = x, o.motion.position.y = y;
    return o;
}

static tarn_obstacle_def square(double wide, double high, double x, double y, double angle)
{
    tarn_obstacle_def o = tarn_default_obstacle_def(TARN_OBSTACLE_BOX);
    o.box.size = (tarn_vec2){wide, high};
    o.motion.position.x = x, o.motion.position.y = y, o.motion.angle = degrees_to_radians(angle);
    return o;
}

static void run(tarn_world *w, double dt, int steps)
{
    for (int n = 0; n < steps; ++n)
        if (tarn_world_advance(w, dt) != TARN_OK) fail_msg("step %d: %s", n, tarn_world_get_failure(w));
}

static void source(tarn_world *w, double x, double y, double radius, double dye, double heat)
{
    tarn_emitter_def s = tarn_default_emitter_def(TARN_EMITTER_SOURCE);
    tarn_error err = {0};
    s.source.position = (tarn_vec2){x, y};
    s.source.radius = radius;
    s.source.dye = dye;
    s.source.heat = heat;
    if (tarn_emitter_create(w, &s, NULL, &err) != TARN_OK) fail_msg("%s", err.message);
}

// A channel with two obstacles and heat that rises: something of everything.
static tarn_world *crowded(const char *advection, int workers)
{
    struct world_setup def = box(96, 64, 1.0 / 64.0, advection);
    def.world.dt = 0.01;
    def.world.host.workers = workers;
    def.fluid.flow.viscosity = 1e-3;
    def.fluid.flow.temperature.diffusivity = 1e-3;
    def.fluid.flow.boundary[TARN_WEST].type = TARN_FLOW_INFLOW;
    def.fluid.flow.boundary[TARN_WEST].inflow_speed = 0.7;
    def.fluid.flow.boundary[TARN_WEST].dye = 1.0;
    def.fluid.flow.boundary[TARN_WEST].start = 0.2;
    def.fluid.flow.boundary[TARN_WEST].end = 0.6;
    def.fluid.flow.boundary[TARN_EAST].type = TARN_FLOW_OUTFLOW;
    def.fluid.flow.boundary[TARN_SOUTH].temperature = 30.0;
    def.fluid.flow.confinement.strength = 0.2;
    tarn_world *w = make(&def);
    const tarn_obstacle_def ball = circle(0.13, 0.52, 0.413);
    tarn_obstacle_def vane = square(0.3, 0.05, 1.0, 0.6, 17.0);
    vane.motion.angular_velocity = 0.7;
    put(w, &ball);
    put(w, &vane);
    source(w, 0.3, 0.8, 0.05, 1.0, 50.0);
    return w;
}

static const char *const kinds[] = {"maccormack", "semi-lagrangian", "conservative"};

// ---- divergence -----------------------------------------------------------------------------------------

// The divergence of every cell is below 1e-4 of the largest speed, with and without obstacles.
static void divergence_is_small_in_every_cell(void **state)
{
    (void)state;
    for (int k = 0; k < 3; ++k) {
        tarn_world *w = crowded(kinds[k], 1);
        run(w, 0.01, 40);
        CHECK_NEAR(tarn_flow_get_divergence(w), 0.0, 1e-4);
        tarn_world_destroy(w);
    }
}

// ---- leaks ----------------------------------------------------------------------------------------------

static tarn_flow_sample west_is_dyed(void *ctx, double x, double y)
{
    (void)y;
    return (tarn_flow_sample){.dye = x < *(const double *)ctx ? 1.0 : 0.0};
}

static double dye_beyond(tarn_world *w, double x, double slope)
{
    tarn_frame f = {0};
    double sum = 0.0;
    assert_int_equal(tarn_world_get_frame(w, 1.0, &f), TARN_OK);
    for (int j = 0; j < f.nz; ++j)
        for (int i = 0; i < f.nx; ++i) {
            const double at = f.x0 + i * f.cell_size - slope * (f.z0 + j * f.cell_size);
            if (at > x) sum += fabs((double)f.dye[j * f.nx + i]);
        }
    tarn_frame_free(&f);
    return sum;
}

// A wall one cell thick across the whole box keeps dye on its side for ten thousand steps, while both sides
// are stirred.
static void walls_of_one_cell_let_nothing_pass(void **state)
{
    (void)state;
    const double h = 1.0 / 32.0, angles[] = {0.0, 30.0};
    for (int k = 0; k < 3; ++k)
        for (int a = 0; a < 2; ++a) {
            struct world_setup def = box(32, 32, h, kinds[k]);
            def.world.dt = 0.02;
            def.fluid.flow.viscosity = 1e-4;
            def.fluid.flow.boundary[TARN_NORTH].wall_speed = 0.5;
            def.fluid.flow.boundary[TARN_SOUTH].wall_speed = -0.5;
            tarn_world *w = make(&def);
            const double turn = angles[a] * 3.14159265358979 / 180.0;
            const tarn_obstacle_def wall = square(h, 3.0, 16.5 * h, 16.0 * h, -angles[a]);
            put(w, &wall);
            double edge = 16.5 * h;
            // an inclined wall: only fluid well to the west is dyed
            if (a) edge -= 16.0 * h * tan(turn) + h / cos(turn);
            assert_int_equal(tarn_flow_set_fields(w, west_is_dyed, &edge, NULL), TARN_OK);
            run(w, def.world.dt, a ? 2000 : 10000);
            const double beyond =
                dye_beyond(w, 16.5 * h - 16.0 * h * tan(turn) + 1.01 * h / cos(turn), tan(turn));
            CHECK_NEAR(beyond, 0.0, 1e-6);
            tarn_world_destroy(w);
        }
}

// ---- budgets --------------------------------------------------------------------------------------------

// With conservative advection the totals of dye and heat change by what boundaries and sources add.
static void dye_and_heat_budgets_close(void **state)
{
    (void)state;
    struct world_setup def = box(64, 48, 1.0 / 64.0, "conservative");
    def.world.dt = 0.01;
    def.fluid.flow.viscosity = 1e-3;
    def.fluid.flow.temperature.diffusivity = 2e-3;
    def.fluid.flow.dye.diffusivity = 1e-4;
    def.fluid.flow.dye.decay = 0.1;
    def.fluid.flow.boundary[TARN_WEST].type = TARN_FLOW_INFLOW;
    def.fluid.flow.boundary[TARN_WEST].inflow_speed = 0.5;
    def.fluid.flow.boundary[TARN_WEST].dye = 0.5;
    def.fluid.flow.boundary[TARN_EAST].type = TARN_FLOW_OUTFLOW;
    def.fluid.flow.boundary[TARN_SOUTH].temperature = 40.0;
    tarn_world *w = make(&def);
    const tarn_obstacle_def ball = circle(0.1, 0.4, 0.35);
    put(w, &ball);
    source(w, 0.7, 0.2, 0.05, 3.0, 100.0);
    run(w, def.world.dt, 1000);
    const tarn_ledger l = tarn_world_get_ledger(w);
    assert_true(l.dye > 0.01 && l.dye_outflow != 0.0 && l.heat > 0.0);
    CHECK_NEAR((l.dye - l.dye_emitted + l.dye_outflow) / fmax(l.dye, l.dye_emitted), 0.0, 1e-6);
    CHECK_NEAR((l.heat - l.heat_emitted + l.heat_outflow) / fmax(l.heat, l.heat_emitted), 0.0, 1e-6);
    tarn_world_destroy(w);
}

// ---- obstacles ------------------------------------------------------------------------------------------

// An obstacle that moves with the fluid around it does not disturb it.
static tarn_flow_sample drift(void *ctx, double x, double y)
{
    (void)ctx, (void)x, (void)y;
    return (tarn_flow_sample){.u = 0.5, .v = 0.25};
}

static void bodies_drifting_with_the_current_feel_no_force(void **state)
{
    (void)state;
    for (int k = 0; k < 3; ++k) {
        struct world_setup def = box(48, 48, 1.0 / 48.0, kinds[k]);
        def.world.dt = 0.01;
        for (int i = 0; i < 4; ++i) def.fluid.flow.boundary[i].type = TARN_FLOW_PERIODIC;
        def.fluid.flow.divergence_tolerance = 1e-7;
        tarn_world *w = make(&def);
        tarn_obstacle_def ball = circle(0.15, 0.3, 0.4);
        ball.motion.velocity.x = 0.5, ball.motion.velocity.y = 0.25;
        put(w, &ball);
        assert_int_equal(tarn_flow_set_fields(w, drift, NULL, NULL), TARN_OK);
        run(w, def.world.dt, 40);
        tarn_obstacle_load l;
        tarn_frame f = {0};
        assert_int_equal(tarn_obstacle_get_load(w, first_obstacle(w), &l), TARN_OK);
        assert_int_equal(tarn_world_get_frame(w, 1.0, &f), TARN_OK);
        for (int c = 0; c < f.nx * f.nz; ++c)
            CHECK_NEAR(f.velocity_x[c], 0.5,
                       1e-4); // open parts of faces are known to 1e-6, some speeds follow from few of them
        CHECK_NEAR(l.x, 0.3 + 0.4 * 0.5, 1e-9);
        // of rho U^2 D = 0.09 N/m
        CHECK_NEAR(hypot(l.force_x, l.force_y), 0.0, 2e-4);
        tarn_frame_free(&f);
        tarn_world_destroy(w);
    }
}

// Uniform dye stays uniform behind an obstacle that moves several cells per step: fresh cells get the dye of
// their neighbours. (`conservative` keeps the sum instead.)
static tarn_flow_sample dyed(void *ctx, double x, double y)
{
    (void)ctx, (void)x, (void)y;
    return (tarn_flow_sample){.dye = 1.0, .temperature = 2.0};
}

static void wakes_are_filled_with_advected_values(void **state)
{
    (void)state;
    for (int k = 0; k < 3; ++k) {
        if (strcmp(kinds[k], "conservative") == 0) continue;
        struct world_setup def = box(64, 32, 1.0 / 32.0, kinds[k]);
        tarn_frame f = {0};
        def.world.dt = 0.05;
        tarn_world *w = make(&def);
        assert_int_equal(tarn_flow_set_fields(w, dyed, NULL, NULL), TARN_OK);
        tarn_obstacle_def ball = circle(0.2, 0.4, 0.5);
        ball.motion.velocity.x = 2.0; // 3.2 cells a step
        put(w, &ball);
        for (int n = 0; n < 12; ++n) {
            run(w, def.world.dt, 1);
            assert_int_equal(tarn_world_get_frame(w, 1.0, &f), TARN_OK);
            for (int c = 0; c < f.nx * f.nz; ++c) {
                if (f.open[c] == 0.0f) continue;
                CHECK_NEAR(f.dye[c], 1.0, 2e-6); // roundings of means
                CHECK_NEAR(f.temperature[c], 2.0, 4e-6);
            }
        }
        tarn_frame_free(&f);
        tarn_world_destroy(w);
    }
}

// Backtraces of half a cell behind a moving obstacle end at its face and fetch nothing from inside it; 2e-6:
// rounding.
static tarn_flow_sample dyed_drift(void *ctx, double x, double y)
{
    (void)x, (void)y;
    return (tarn_flow_sample){.u = *(const double *)ctx, .dye = 1.0, .temperature = 2.0};
}

static void half_cell_backtraces_stop_at_obstacles(void **state)
{
    (void)state;
    for (int k = 0; k < 24; ++k) {
        struct world_setup def = box(32, 16, 1.0 / 16.0, "maccormack");
        tarn_frame f = {0};
        def.world.dt = 0.01 * (1.0 + 0.13 * k);
        for (int i = 0; i < 4; ++i) def.fluid.flow.boundary[i].type = TARN_FLOW_PERIODIC;
        tarn_world *w = make(&def);
        tarn_obstacle_def bar = square(0.25, 0.5, 0.5 + 0.125 * (k % 3), 0.5, 0.0);
        double speed = bar.motion.velocity.x = 0.5 / 16.0 / def.world.dt;
        put(w, &bar);
        assert_int_equal(tarn_flow_set_fields(w, dyed_drift, &speed, NULL), TARN_OK);
        for (int n = 0; n < 4; ++n) {
            run(w, def.world.dt, 1);
            assert_int_equal(tarn_world_get_frame(w, 1.0, &f), TARN_OK);
            for (int c = 0; c < f.nx * f.nz; ++c)
                if (f.open[c] > 0.0f) CHECK_NEAR(f.dye[c], 1.0, 2e-6);
        }
        tarn_frame_free(&f);
        tarn_world_destroy(w);
    }
}

// An obstacle of whole cells that reflects the velocity lets no dye in and leaves as little divergence.
static void reflecting_obstacles_let_nothing_pass(void **state)
{
    (void)state;
    for (int k = 0; k < 3; ++k) {
        struct world_setup def = box(64, 48, 1.0 / 48.0, kinds[k]);
        def.world.dt = 0.02;
        def.fluid.flow.boundary[TARN_WEST].type = TARN_FLOW_INFLOW;
        def.fluid.flow.boundary[TARN_WEST].inflow_speed = 0.5;
        def.fluid.flow.boundary[TARN_WEST].dye = 1.0;
        def.fluid.flow.boundary[TARN_EAST].type = TARN_FLOW_OUTFLOW;
        tarn_world *w = make(&def);
        tarn_obstacle_def ball = circle(0.15, 0.5, 0.5);
        ball.boundary = 1;
        put(w, &ball);
        run(w, def.world.dt, 60);
        tarn_flow_sample middle, before;
        assert_int_equal(tarn_flow_get_sample(w, 0.5, 0.5, &middle), TARN_OK);
        assert_int_equal(tarn_flow_get_sample(w, 0.3, 0.5, &before), TARN_OK);
        assert_true(middle.open == 0.0 && middle.dye == 0.0 && before.open == 1.0 && before.dye > 0.5);
        CHECK_NEAR(tarn_flow_get_divergence(w), 0.0, 1e-4);
        tarn_obstacle_load l;
        assert_int_equal(tarn_obstacle_get_load(w, first_obstacle(w), &l), TARN_OK);
        assert_true(l.force_x > 0.0); // the flow pushes it along
        tarn_world_destroy(w);
    }
}

// The energy of fluid that nothing drives decreases; a fixed obstacle takes energy from it.
static void energy_never_grows(void **state)
{
    (void)state;
    for (int k = 0; k < 3; ++k) {
        struct world_setup def = box(48, 48, 1.0 / 48.0, kinds[k]);
        def.world.dt = 0.02;
        tarn_world *w = make(&def);
        tarn_emitter_def s = tarn_default_emitter_def(TARN_EMITTER_SOURCE);
        s.source.position = (tarn_vec2){0.3, 0.4};
        s.source.radius = 0.1;
        s.source.set_velocity = true;
        s.source.velocity = (tarn_vec2){1.0, 0.3};
        s.source.end = 0.1;
        assert_int_equal(tarn_emitter_create(w, &s, NULL, NULL), TARN_OK);
        const tarn_obstacle_def ball = circle(0.12, 0.7, 0.5);
        put(w, &ball);
        run(w, def.world.dt, 6);
        double before = tarn_world_get_ledger(w).energy_water;
        for (int n = 0; n < 100; ++n) {
            run(w, def.world.dt, 1);
            const double now = tarn_world_get_ledger(w).energy_water;
            assert_true(now <= before * 1.001);
            before = now;
        }
        tarn_world_destroy(w);
    }
}

// ---- promises -------------------------------------------------------------------------------------------

// A loaded world continues with the same bits.
static void restart_is_exact(void **state)
{
    (void)state;
    for (int k = 0; k < 3; ++k) {
        tarn_world *w = crowded(kinds[k], 1), *again = NULL;
        static struct memory_stream b;
        b.size = b.at = 0;
        run(w, 0.01, 7);
        assert_int_equal(tarn_world_save(w, stream_write, &b), TARN_OK);
        assert_int_equal(tarn_world_load(stream_read, &b, NULL, &again, NULL), TARN_OK);
        assert_true(tarn_world_hash(w) == tarn_world_hash(again));
        run(w, 0.01, 9);
        run(again, 0.01, 9);
        assert_true(tarn_world_hash(w) == tarn_world_hash(again));
        tarn_world_destroy(w);
        tarn_world_destroy(again);
    }
}

// A mirrored world gives the mirrored flow, up to rounding.
static void mirrored_flows_mirror(void **state)
{
    (void)state;
    for (int k = 0; k < 3; ++k) {
        tarn_frame f[2];
        memset(f, 0, sizeof f);
        for (int m = 0; m < 2; ++m) {
            struct world_setup def = box(48, 32, 1.0 / 32.0, kinds[k]);
            def.world.dt = 0.02;
            def.fluid.flow.viscosity = 1e-3;
            def.fluid.flow.divergence_tolerance = 1e-7; // the residual of the solver is not symmetric
            tarn_flow_boundary *sides = def.fluid.flow.boundary;
            sides[m ? TARN_EAST : TARN_WEST].type = TARN_FLOW_INFLOW;
            sides[m ? TARN_EAST : TARN_WEST].inflow_speed = 0.5;
            sides[m ? TARN_WEST : TARN_EAST].type = TARN_FLOW_OUTFLOW;
            tarn_world *w = make(&def);
            const tarn_obstacle_def ball = circle(0.15, m ? 1.5 - 0.5 : 0.5, 0.42);
            put(w, &ball);
            run(w, def.world.dt, 20);
            assert_int_equal(tarn_world_get_frame(w, 1.0, &f[m]), TARN_OK);
            tarn_world_destroy(w);
        }
        for (int j = 0; j < 32; ++j)
            for (int i = 0; i < 48; ++i)
                CHECK_NEAR(f[0].velocity_x[j * 48 + i], -f[1].velocity_x[j * 48 + 47 - i], 1e-4);
        tarn_frame_free(&f[0]);
        tarn_frame_free(&f[1]);
    }
}

// Velocities stay bounded at any time step.
static void velocities_stay_bounded_at_any_time_step(void **state)
{
    (void)state;
    for (int k = 0; k < 3; ++k) {
        struct world_setup def = box(64, 64, 1.0 / 64.0, kinds[k]);
        def.world.dt = 0.1;
        def.fluid.flow.boundary[TARN_NORTH].wall_speed = 20.0; // 128 cells a step
        def.fluid.flow.viscosity = 0.05;
        tarn_world *w = make(&def);
        const tarn_obstacle_def bar = square(0.4, 0.1, 0.5, 0.4, 30.0);
        put(w, &bar);
        run(w, def.world.dt, 30);
        assert_true(tarn_world_get_ledger(w).energy_water < 0.5 * 400.0);
        tarn_world_destroy(w);
    }
}

// Invalid parameters are refused with a message.
static void errors_are_reported(void **state)
{
    (void)state;
    tarn_error err = {0};
    tarn_world *w = NULL;
    struct world_setup def = box(16, 16, 0.1, "conservative");
    def.fluid.flow.boundary[TARN_WEST].type = TARN_FLOW_INFLOW;
    def.fluid.flow.boundary[TARN_WEST].inflow_speed = 1.0;
    assert_int_equal(setup_create(&def, &w, &err), TARN_BAD_INPUT);
    assert_non_null(strstr(err.message, "outflow"));
    def.fluid.flow.boundary[TARN_EAST].type = TARN_FLOW_OUTFLOW;
    w = make(&def);
    tarn_body_def ball = body_def("sphere");
    tarn_body_id body;
    assert_int_equal(tarn_body_create(w, &ball, &body, &err), TARN_BAD_INPUT);
    assert_non_null(strstr(err.message, "use circle, box or polygon"));
    tarn_emitter_def rain = tarn_default_emitter_def(TARN_EMITTER_RAIN);
    assert_int_equal(tarn_emitter_create(w, &rain, NULL, &err), TARN_BAD_INPUT);
    tarn_obstacle_def bad = tarn_default_obstacle_def(TARN_OBSTACLE_POLYGON);
    assert_int_equal(tarn_obstacle_create(w, &bad, NULL, &err), TARN_BAD_INPUT);
    assert_string_equal(err.key, "points");
    tarn_world_destroy(w);
}

// Confinement is a property of the scene, not of the grid: the energy of the eddies is the same on a finer
// one.
static tarn_flow_sample swirls(void *ctx, double x, double y)
{
    (void)ctx;
    const double k = 2.0 * 3.14159265358979, a = 4.0 * k;
    return (tarn_flow_sample){.u = sin(k * x) * cos(k * y) + 0.3 * sin(a * x) * cos(a * y),
                              .v = -cos(k * x) * sin(k * y) - 0.3 * cos(a * x) * sin(a * y)};
}

static void confinement_does_not_depend_on_the_grid(void **state)
{
    (void)state;
    double energy[2];
    for (int m = 0; m < 2; ++m) {
        struct world_setup def = box(128 << m, 128 << m, 1.0 / (128 << m), "maccormack");
        def.world.dt = 0.01;
        for (int i = 0; i < 4; ++i) def.fluid.flow.boundary[i].type = TARN_FLOW_PERIODIC;
        def.fluid.flow.viscosity = 1e-3;
        def.fluid.flow.confinement.strength = 1.0;
        def.fluid.flow.confinement.length = 0.01;
        tarn_world *w = make(&def);
        assert_int_equal(tarn_flow_set_fields(w, swirls, NULL, NULL), TARN_OK);
        run(w, def.world.dt, 50);
        energy[m] = tarn_world_get_ledger(w).energy_water;
        tarn_world_destroy(w);
    }
    CHECK_NEAR(energy[1] / energy[0], 1.0, 0.1);
}

// [N/m] Force of a stream at Re 20 on an obstacle at (x, y), 1.2 s after the start.
static double force_in_stream(const char *advection, int round, double x, double y)
{
    struct world_setup def = box(96, 64, 0.01, advection);
    tarn_obstacle_load l;
    def.world.dt = 0.01;
    def.fluid.flow.viscosity = (round ? 0.12 : 0.25) / 20.0;
    def.fluid.flow.boundary[TARN_WEST].type = TARN_FLOW_INFLOW;
    def.fluid.flow.boundary[TARN_WEST].inflow_speed = 1;
    def.fluid.flow.boundary[TARN_EAST].type = TARN_FLOW_OUTFLOW;
    def.fluid.flow.boundary[TARN_SOUTH].slip = true;
    def.fluid.flow.boundary[TARN_NORTH].slip = true;
    def.fluid.flow.divergence_tolerance = 1e-6; // the residual of the pressure changes the force by 0.1 %
    tarn_world *w = make(&def);
    const tarn_obstacle_def o = round ? circle(0.06, x, y) : square(0.25, 0.25, x, y, 17.0);
    put(w, &o);
    run(w, 0.01, 120);
    assert_int_equal(tarn_obstacle_get_load(w, first_obstacle(w), &l), TARN_OK);
    tarn_world_destroy(w);
    return hypot(l.force_x, l.force_y);
}

// Where an obstacle sits in its cells hardly matters: the force on a circle of 12 cells and on a square of 25
// cells that is turned by 17 degrees changes by less than 2 % of its mean.
static void forces_do_not_depend_on_the_grid(void **state)
{
    enum { PLACES = 6 };
    static const double places[PLACES][2] = {{0, 0.125},   {0.125, 0},    {0.5, 0.625},
                                             {0.625, 0.5}, {0.375, 0.75}, {0.25, 0.875}};
    (void)state;
    for (int kind = 0; kind < 2; ++kind)
        for (int round = 0; round < 2; ++round) {
            double force[PLACES], mean = 0.0;
            for (int k = 0; k < PLACES; ++k) {
                force[k] = force_in_stream(kind ? "conservative" : "maccormack", round,
                                           0.35 + 0.01 * places[k][0], 0.32 + 0.01 * places[k][1]);
                mean += force[k] / PLACES;
            }
            for (int k = 0; k < PLACES; ++k) CHECK_NEAR(force[k] / mean, 1.0, 0.02);
        }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(divergence_is_small_in_every_cell),
        cmocka_unit_test(walls_of_one_cell_let_nothing_pass),
        cmocka_unit_test(dye_and_heat_budgets_close),
        cmocka_unit_test(bodies_drifting_with_the_current_feel_no_force),
        cmocka_unit_test(wakes_are_filled_with_advected_values),
        cmocka_unit_test(half_cell_backtraces_stop_at_obstacles),
        cmocka_unit_test(reflecting_obstacles_let_nothing_pass),
        cmocka_unit_test(energy_never_grows),
        cmocka_unit_test(restart_is_exact),
        cmocka_unit_test(forces_do_not_depend_on_the_grid),
        cmocka_unit_test(mirrored_flows_mirror),
        cmocka_unit_test(velocities_stay_bounded_at_any_time_step),
        cmocka_unit_test(errors_are_reported),
        cmocka_unit_test(confinement_does_not_depend_on_the_grid),
    };
    return cmocka_run_group_tests_name("flow", tests, NULL, NULL);
}
