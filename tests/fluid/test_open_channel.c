// Shallow water in channels of any size, along both axes and in both directions: uniform flow, backwater,
// jumps and currents that leave, reversals, and lakes at rest at every kind of side.
#include "shallow_world.h"

#include <stdio.h>

#define G 9.81

enum { CELLS = 32, ACROSS = 10 };

static const double sizes[] = {1e-3, 0.1, 10.0, 1000.0}; // [m] of a cell

// A channel on a uniform slope that begins at side `start` and ends at the opposite side.
struct channel {
    double dx, slope;
    int start; // west, east, south, north
};

static bool along_z(const struct channel *c) { return c->start >= 2; }

// Index of the cell that is i cells from the start, in row j.
static size_t cell_index(const struct channel *c, int i, int j)
{
    const int k = c->start & 1 ? CELLS - 1 - i : i;
    return along_z(c) ? (size_t)(k * ACROSS + j) : (size_t)(j * CELLS + k);
}

static double bed_at(const struct channel *c, int i) { return c->slope * c->dx * (CELLS - 0.5 - i); }

// [m] Bed at the side where the channel starts; it is 0 where it ends.
static double start_bed(const struct channel *c) { return c->slope * c->dx * CELLS; }

static struct world_setup channel_def(const struct channel *c, double *map)
{
    struct world_setup d = shallow_world_def(along_z(c) ? ACROSS : CELLS, along_z(c) ? CELLS : ACROSS, c->dx);
    for (int i = 0; i < CELLS; ++i)
        for (int j = 0; j < ACROSS; ++j) map[cell_index(c, i, j)] = bed_at(c, i);
    add_map(&d, (tarn_bed_map){along_z(c) ? ACROSS : CELLS, along_z(c) ? CELLS : ACROSS, map});
    return d;
}

// Depth and velocity towards the end, everywhere.
static void fill_channel(tarn_world *w, const struct channel *c, double depth, double velocity)
{
    tarn_column columns[CELLS * ACROSS];
    const double v = c->start & 1 ? -velocity : velocity;
    for (int i = 0; i < CELLS; ++i)
        for (int j = 0; j < ACROSS; ++j)
            columns[cell_index(c, i, j)] =
                (tarn_column){bed_at(c, i) + depth, along_z(c) ? 0.0 : v, along_z(c) ? v : 0.0};
    CHECK_OK(tarn_water_set_fields(w, columns, NULL));
}

static double depth_at(const tarn_world *w, const struct channel *c, int i)
{
    const size_t k = cell_index(c, i, 1);
    const int nx = w->fluid.grid.nx;
    return (double)shallow_state(w)->h[grid_at(&w->fluid.grid, (int)k % nx, (int)k / nx)];
}

// Largest difference from a depth, relative to it.
static double depth_error(const tarn_world *w, const struct channel *c, double depth)
{
    double most = 0.0;
    for (int i = 0; i < CELLS; ++i) most = fmax(most, fabs(depth_at(w, c, i) / depth - 1.0));
    return most;
}

static void set_inflow(struct world_setup *d, const struct channel *c, double discharge, double level)
{
    tarn_boundary *start = &d->fluid.shallow.boundary[c->start];
    start->type = TARN_BOUNDARY_DISCHARGE, start->discharge = discharge, start->level = level;
}

// The boundary where the channel ends.
static tarn_boundary *end_of(struct world_setup *d, const struct channel *c)
{
    return &d->fluid.shallow.boundary[c->start ^ 1];
}

static void set_level_end(struct world_setup *d, const struct channel *c, double level)
{
    end_of(d, c)->type = TARN_BOUNDARY_LEVEL, end_of(d, c)->level = level;
}

// A step in which the fastest signal passes a fraction of a cell.
static double step_of(double dx, double depth, double velocity, double courant)
{
    return clamp(courant * dx / (velocity + sqrt(G * depth)), 1e-5, 0.1);
}

// ---- uniform flow ---------------------------------------------------------------------------------

// Normal depth of a slope stays normal depth in every cell, whatever the size of the cells, the Froude
// number, the direction and the step, until waves have crossed the channel three times. Manning's n is chosen
// so that n^2 g h^(-1/3) = 0.0088 at every size. 1e-3, because quanta are 2^-22 of a bed that is up to 2.5
// cell sizes and depths high, 1e-3 of what a step of Courant number 0.04 moves at Froude 0.05; 5e-3 in cells
// of 1 km, where steps of at most 0.1 s have a Courant number of 0.002.
static void uniform_flow(double dx, double froude, int start, double courant)
{
    const double depth = fmin(dx, 10.0), friction = 0.0088, n = sqrt(friction / G * cbrt(depth)),
                 velocity = froude * sqrt(G * depth);
    const struct channel c = {dx, froude * froude * friction, start};
    double map[CELLS * ACROSS];
    struct world_setup d = channel_def(&c, map);
    const bool fast = froude > 1.0;
    d.world.dt = step_of(dx, depth, velocity, courant);
    d.fluid.shallow.manning = n;
    d.fluid.shallow.level = fast ? 0.5 * depth : depth;
    set_inflow(&d, &c, depth * velocity, fast ? start_bed(&c) + depth : NAN);
    if (fast)
        end_of(&d, &c)->type = TARN_BOUNDARY_OPEN;
    else
        set_level_end(&d, &c, depth);
    tarn_world *w = shallow_world_create(&d);
    fill_channel(w, &c, depth, velocity);
    run_for(w, 3.0 * CELLS * dx / sqrt(G * depth));
    const double error = depth_error(w, &c, depth), limit = dx > 100.0 ? 5e-3 : 1e-3;
    if (!(error < limit))
        print_message("cells of %g m, Froude %g, side %d, Courant %g: off by %.2g of the depth\n", dx, froude,
                      start, courant, error);
    assert_true(error < limit);
    tarn_world_destroy(w);
}

static void uniform_flow_stays_uniform(void **state)
{
    (void)state;
    static const double froudes[] = {0.05, 0.3, 0.8, 1.2, 2.0, 3.0}, courants[] = {0.4, 0.04};
    for (int s = 0; s < COUNT(sizes); ++s)
        for (int k = 0; k < COUNT(froudes); ++k)
            for (int start = 0; start < 4; ++start)
                for (int n = 0; n < COUNT(courants); ++n) {
                    const bool slow = sizes[s] > 100.0; // dt is 0.1 s for both Courant numbers
                    if (start == k % 4 ? n == 0 || !slow : n == 0 && !slow)
                        uniform_flow(sizes[s], froudes[k], start, courants[n]);
                }
}

// With every scheme of advection: water that enters at the top with the normal discharge flows at the normal
// depth throughout.
static void rivers_flow_at_normal_depth(void **state)
{
    (void)state;
    enum { NX = 100, NZ = 4 };
    const double h = 0.2, slope = 0.005, n = 0.03, speed = pow(h, 2.0 / 3.0) * sqrt(slope) / n;
    for (int a = 0; a < 3; ++a) {
        tarn_column columns[NX * NZ];
        struct world_setup d = shallow_world_def(NX, NZ, 0.2);
        tarn_bed_def *down = add_bed(&d, TARN_BED_BEACH);
        down->beach.start = -10.0, down->beach.slope = -slope, down->beach.offset = 0.1;
        d.fluid.shallow.level = 0.2;
        d.fluid.shallow.manning = n;
        d.fluid.shallow.advection = (tarn_shallow_advection)a;
        shallow_set_boundaries(
            &d, (const char *[4]){"discharge", "level", NULL, NULL}); // the level is that of the normal depth
        d.fluid.shallow.boundary[TARN_WEST].discharge = h * speed;
        tarn_world *w = shallow_world_create(&d);
        for (int c = 0; c < NX * NZ; ++c)
            columns[c] = (tarn_column){0.1 - slope * (c % NX + 0.5) * 0.2 + h, 0.9 * speed, 0.0};
        CHECK_OK(tarn_water_set_fields(w, columns, NULL));
        run_for(w, 120);
        // the ends, where a prescribed depth meets a level ghost cell, are not checked
        for (int k = -4; k <= 4; ++k) {
            const tarn_surface s = tarn_world_get_surface(w, 2.0 * k, 0.0);
            CHECK_NEAR(s.velocity.x, pow(s.depth, 2.0 / 3.0) * sqrt(slope) / n, 0.01 * speed);
            CHECK_NEAR(s.velocity.x, speed, 0.01 * speed);
        }
        tarn_world_destroy(w);
    }
}

// ---- backwater ------------------------------------------------------------------------------------

// The depths of a channel whose end is held above normal depth, after many passes of its waves.
static void backwater(double dx, double froude, double courant, double *depths)
{
    const double depth = fmin(dx, 10.0), friction = 0.0088, n = sqrt(friction / G * cbrt(depth)),
                 velocity = froude * sqrt(G * depth);
    const struct channel c = {dx, froude * froude * friction, 0};
    double map[CELLS * ACROSS];
    struct world_setup d = channel_def(&c, map);
    d.world.dt = step_of(dx, depth, velocity, courant);
    d.fluid.shallow.manning = n;
    d.fluid.shallow.level = 1.1 * depth;
    set_inflow(&d, &c, depth * velocity, NAN);
    set_level_end(&d, &c, 1.1 * depth);
    tarn_world *w = shallow_world_create(&d);
    fill_channel(w, &c, depth, velocity);
    run_for(w, 1500.0 * CELLS * dx / sqrt(G * depth) / CELLS);
    for (int i = 0; i < CELLS; ++i) depths[i] = depth_at(w, &c, i);
    tarn_world_destroy(w);
}

// The depth of a backwater does not depend on the step: friction, slope and advection cancel in the predictor
// as in the corrector. 1e-3 of the depth is 2 % of the lift; without friction in the predictor it is 2 to 10
// times that at Froude numbers of 0.5 and 0.8.
static void steady_depths_do_not_depend_on_the_step(void **state)
{
    (void)state;
    static const double froudes[] = {0.2, 0.5, 0.8}, some[] = {0.01, 1.0, 10.0};
    for (int s = 0; s < COUNT(some); ++s)
        for (int k = 0; k < COUNT(froudes); ++k) {
            double a[CELLS], b[CELLS], most = 0.0;
            backwater(some[s], froudes[k], 0.4, a);
            backwater(some[s], froudes[k], 0.05, b);
            for (int i = 0; i < CELLS; ++i) most = fmax(most, fabs(a[i] / b[i] - 1.0));
            print_message("cells of %g m, Froude %g: %.2g of the depth\n", some[s], froudes[k], most);
            assert_true(most < 1e-3);
        }
}

// ---- jumps and currents that leave ----------------------------------------------------------------

// Supercritical flow enters a level channel of slow water. Its front is a jump, which leaves through an open
// end and through a level that has less momentum: afterwards depth and discharge are those of the inflow in
// every cell. 1e-3 for the rounding in cells of 1 km, as above; others are within 1e-4.
static void jump_leaves(double dx, double froude, int start, bool level)
{
    const double depth = fmin(dx, 100.0), velocity = froude * sqrt(G * depth);
    const struct channel c = {dx, 0.0, start};
    double map[CELLS * ACROSS];
    struct world_setup d = channel_def(&c, map);
    d.world.dt = step_of(dx, depth, velocity, 0.4);
    d.fluid.shallow.level = 0.5 * depth;
    set_inflow(&d, &c, depth * velocity, depth);
    if (level)
        set_level_end(&d, &c, 0.8 * depth);
    else
        end_of(&d, &c)->type = TARN_BOUNDARY_OPEN;
    tarn_world *w = shallow_world_create(&d);
    run_for(w, 20.0 * CELLS * dx / velocity);
    const double error = depth_error(w, &c, depth);
    if (!(error < 1e-3))
        print_message("cells of %g m, Froude %g, side %d, level %d: off by %.2g\n", dx, froude, start, level,
                      error);
    assert_true(error < 1e-3);
    tarn_world_destroy(w);
}

static void jumps_leave(void **state)
{
    (void)state;
    static const double froudes[] = {1.3, 2.0, 3.0};
    for (int s = 0; s < COUNT(sizes); ++s)
        for (int k = 0; k < COUNT(froudes); ++k)
            for (int start = 0; start < 4; ++start)
                for (int level = 0; level < 2; ++level)
                    if (sizes[s] < 100.0 || start == k) jump_leaves(sizes[s], froudes[k], start, level);
}

// A current in any direction, slow or supercritical, leaves a square with four open sides, corners included:
// still water of the rest level remains, but for slow eddies, which nothing but the grid damps. Their surface
// is lower by v^2/g; of the waves 1e-3 of the depth are allowed.
static void currents_leave_through_open_sides(void **state)
{
    (void)state;
    enum { N = 24 };
    static const double froudes[] = {0.3, 1.0, 2.5}, turns[] = {0.0, 30.0, 45.0, 100.0, 200.0};
    for (int k = 0; k < COUNT(froudes); ++k)
        for (int n = 0; n < COUNT(turns); ++n) {
            tarn_column columns[N * N];
            const double u = froudes[k] * sqrt(G), angle = turns[n] * PI / 180.0;
            struct world_setup d = shallow_world_def(N, N, 0.5);
            shallow_set_boundaries(&d, (const char *[4]){"open", "open", "open", "open"});
            tarn_world *w = shallow_world_create(&d);
            for (int c = 0; c < N * N; ++c) columns[c] = (tarn_column){1.0, u * cos(angle), u * sin(angle)};
            CHECK_OK(tarn_water_set_fields(w, columns, NULL));
            run_for(w, 100.0);
            const double off = max_surface_deviation(w, 1.0);
            const double v = shallow_max_speed(w);
            if (!(off < 1e-3 + v * v / G && v < 0.15 * u))
                print_message("Froude %g at %g degrees: %.2g m, %.2g m/s\n", froudes[k], turns[n], off, v);
            assert_true(off < 1e-3 + v * v / G && v < 0.15 * u);
            CHECK_NEAR(tarn_world_get_ledger(w).volume_error, 0.0, 0.0);
            tarn_world_destroy(w);
        }
}

// Oblique flow that is supercritical along both axes enters through two sides, with its depth, and washes a
// hump out through the two open ones and the corner between them: depth and velocity of the inflow remain
// everywhere. 1e-4 of both is ten times what rounding leaves.
static void oblique_supercritical_flow_washes_a_hump_out(void **state)
{
    (void)state;
    enum { N = 48 };
    static const double froudes[][2] = {{2.0, 2.0}, {1.2, 2.5}, {-1.5, 1.5}, {-2.0, -1.3}};
    for (int k = 0; k < COUNT(froudes); ++k) {
        const double depth = 0.5, c = sqrt(G * depth), v[2] = {froudes[k][0] * c, froudes[k][1] * c};
        tarn_column columns[N * N];
        struct world_setup d = shallow_world_def(N, N, 0.1);
        d.fluid.shallow.level = 0.5 * depth;
        for (int side = 0; side < 4; ++side) {
            const double inflow = side & 1 ? -v[side / 2] : v[side / 2];
            tarn_boundary *b = &d.fluid.shallow.boundary[side];
            b->type = inflow > 0.0 ? TARN_BOUNDARY_DISCHARGE : TARN_BOUNDARY_OPEN;
            if (inflow > 0.0) b->discharge = inflow * depth, b->level = depth;
        }
        tarn_world *w = shallow_world_create(&d);
        for (int i = 0; i < N * N; ++i) {
            const double x = grid_cell_x(&w->fluid.grid, i % N), z = grid_cell_z(&w->fluid.grid, i / N);
            columns[i] = (tarn_column){depth + 0.1 * exp(-4.0 * (x * x + z * z)), v[0], v[1]};
        }
        CHECK_OK(tarn_water_set_fields(w, columns, NULL));
        run_for(w, 10.0);
        CHECK_NEAR(max_surface_deviation(w, depth), 0.0, 1e-4 * depth);
        for (int i = -2; i <= 2; ++i) {
            const tarn_surface s = tarn_world_get_surface(w, i, -0.7 * i);
            CHECK_NEAR(s.velocity.x, v[0], 1e-4 * fabs(v[0]));
            CHECK_NEAR(s.velocity.z, v[1], 1e-4 * fabs(v[1]));
        }
        tarn_world_destroy(w);
    }
}

// ---- reversals ------------------------------------------------------------------------------------

// A tide of nearly the whole depth at one side and an open one opposite: the flow reverses in every period.
// Nothing is faster than water that has fallen from the highest tide into the deepest ebb and run on to a dry
// bed, sqrt(2 g H) + 2 sqrt(g H).
static void tides_reverse_the_flow(void **state)
{
    (void)state;
    for (int start = 0; start < 4; ++start)
        for (int open = 0; open < 2; ++open) {
            const struct channel c = {0.25, 0.0, start};
            double map[CELLS * ACROSS], most[2] = {0.0, 0.0};
            struct world_setup d = channel_def(&c, map);
            d.fluid.shallow.level = 0.5;
            set_level_end(&d, &c, 0.5);
            end_of(&d, &c)->amplitude = 0.45;
            end_of(&d, &c)->period = 6.0;
            if (open) d.fluid.shallow.boundary[start].type = TARN_BOUNDARY_OPEN;
            tarn_world *w = shallow_world_create(&d);
            for (int n = 0; n < 3600; ++n) {
                CHECK_OK(tarn_world_advance(w, d.world.dt));
                const tarn_surface s = tarn_world_get_surface(w, 0.0, 0.0);
                const double v = along_z(&c) ? s.velocity.z : s.velocity.x;
                most[v > 0.0] = fmax(most[v > 0.0], fabs(v));
                assert_true(shallow_max_speed(w) < (sqrt(2.0) + 2.0) * sqrt(G * 0.95));
            }
            assert_true(most[0] > 0.1 && most[1] > 0.1);
            CHECK_NEAR(tarn_world_get_ledger(w).volume_error, 0.0, 0.0);
            tarn_world_destroy(w);
        }
}

// ---- rest -----------------------------------------------------------------------------------------

// Still water stays still to the bit at every kind of side that asks for rest, over rough ground of any
// relief that rises above the water in places.
static void lakes_stay_at_rest_at_every_kind_of_side(void **state)
{
    (void)state;
    enum { N = 16 };
    static const tarn_boundary_type types[] = {TARN_BOUNDARY_OPEN, TARN_BOUNDARY_LEVEL,
                                               TARN_BOUNDARY_DISCHARGE, TARN_BOUNDARY_WAVEMAKER};
    static const double reliefs[] = {1e-3, 1.0, 100.0, 3000.0};
    for (int r = 0; r < COUNT(reliefs); ++r)
        for (int k = 0; k < COUNT(types); ++k)
            for (int steep = 0; steep < 2; ++steep) {
                double map[N * N];
                struct world_setup d = shallow_world_def(N, N, reliefs[r] * (steep ? 0.2 : 5.0) + 1e-3);
                shallow_add_random_bed(&d, N, N, reliefs[r], 0.0, map);
                d.fluid.shallow.level = 0.7 * reliefs[r];
                for (int side = 0; side < 4; ++side) {
                    tarn_boundary *b = &d.fluid.shallow.boundary[side];
                    b->type = types[k];
                    if (b->type == TARN_BOUNDARY_DISCHARGE) b->discharge = 0.0;
                    if (b->type == TARN_BOUNDARY_WAVEMAKER) b->amplitude = 0.0, b->period = 1.0;
                }
                tarn_world *w = shallow_world_create(&d);
                for (int n = 0; n < 50; ++n) CHECK_OK(tarn_world_advance(w, d.world.dt));
                if (shallow_max_speed(w) > 0.0)
                    print_message("type %d, relief %g m: %g m/s\n", (int)types[k], reliefs[r],
                                  shallow_max_speed(w));
                CHECK_NEAR(shallow_max_speed(w), 0.0, 0.0);
                tarn_world_destroy(w);
            }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(uniform_flow_stays_uniform),
        cmocka_unit_test(rivers_flow_at_normal_depth),
        cmocka_unit_test(steady_depths_do_not_depend_on_the_step),
        cmocka_unit_test(jumps_leave),
        cmocka_unit_test(currents_leave_through_open_sides),
        cmocka_unit_test(oblique_supercritical_flow_washes_a_hump_out),
        cmocka_unit_test(tides_reverse_the_flow),
        cmocka_unit_test(lakes_stay_at_rest_at_every_kind_of_side),
    };
    return cmocka_run_group_tests_name("open_channel", tests, NULL, NULL);
}
