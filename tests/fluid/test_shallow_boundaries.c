// Shallow water: boundary conditions, driving accelerations, bed friction, and rejected parameters.
#include "shallow_world.h"

#include <stdio.h>

#define G 9.81

static double volume_of(const tarn_world *w) { return tarn_world_get_ledger(w).volume; }

// volume = start + emitted - out, exactly.
static void check_volume_ledger(const tarn_world *w)
{
    CHECK_NEAR(tarn_world_get_ledger(w).volume_error, 0.0, 0.0);
    assert_true(shallow_min_depth(w) >= 0.0);
}

// ---- sides ----------------------------------------------------------------------------------------

// A boundary with a prescribed level fills or drains the tank to it, over a bump as well. The ramp of 20 s
// leaves a sloshing of a few millimetres that friction damps only as 1/t; the mean over half a minute, ten
// swings of it, is what must fit.
static void level_boundaries_hold_their_level(void **state)
{
    (void)state;
    static const double levels[] = {0.35, 0.7};
    for (int a = 0; a < 3; ++a)
        for (int k = 0; k < COUNT(levels); ++k)
            for (int side = 0; side < 4; ++side) {
                struct world_setup d = shallow_world_def(16, 16, 0.125);
                add_bed(&d, TARN_BED_BUMP)->bump.height = 0.2;
                d.fluid.shallow.level = 0.5;
                d.fluid.shallow.manning = 0.1;
                d.fluid.shallow.advection = (tarn_shallow_advection)a;
                d.fluid.shallow.boundary[side].type = TARN_BOUNDARY_LEVEL;
                d.fluid.shallow.boundary[side].level = levels[k];
                d.fluid.shallow.boundary[side].ramp = 20.0;
                tarn_world *w = shallow_world_create(&d);
                double sum = 0.0;
                run_for(w, 30);
                for (int n = 0; n < 1800; ++n) {
                    CHECK_OK(tarn_world_advance(w, d.world.dt));
                    sum += tarn_world_get_surface(w, side == 0 ? 0.9 : -0.9, side == 2 ? 0.9 : -0.9).height;
                }
                CHECK_NEAR(sum / 1800, levels[k], 5e-4);
                check_volume_ledger(w);
                tarn_world_destroy(w);
            }
}

// A discharge brings discharge x width x time: the total at every face is rounded to whole quanta, so it is
// wrong by a quantum at most after any number of substeps. Over wet ground, over dry ground, and with a level
// of its own.
static void discharge_boundaries_deliver_their_discharge(void **state)
{
    (void)state;
    for (int a = 0; a < 3; ++a)
        for (int side = 0; side < 4; ++side)
            for (int how = 0; how < 3; ++how) {
                struct world_setup d = shallow_world_def(32, 16, 0.0625);
                d.fluid.shallow.depth = how == 1 ? 0.0 : 0.3;
                d.fluid.shallow.advection = (tarn_shallow_advection)a;
                d.fluid.shallow.boundary[side].type = TARN_BOUNDARY_DISCHARGE;
                d.fluid.shallow.boundary[side].discharge = 0.05;
                if (how == 2) d.fluid.shallow.boundary[side].level = 0.4;
                tarn_world *w = shallow_world_create(&d);
                run_for(w, 3);
                const double wide = side < 2 ? 1.0 : 2.0, cells = wide / 0.0625, area = 0.0625 * 0.0625;
                // 1e-6: dt/dx of a substep is a float, and so is the time of the steps
                const double off = (double)shallow_state(w)->quantum * cells * area;
                CHECK_NEAR(tarn_world_get_ledger(w).volume_outflow, -0.05 * wide * 3.0,
                           off + 1e-6 * 0.15 * wide);
                check_volume_ledger(w);
                tarn_world_destroy(w);
            }
}

// A ramp brings half as much while it lasts. A discharge below 0 takes water out, and never more than there
// is. A level where inflow would have to be faster than ten times its waves is refused: 0.05 m^2/s is
// critical 6.3 cm deep, and 1.36 cm is that.
static void discharge_boundaries_ramp_and_drain(void **state)
{
    (void)state;
    struct world_setup d = shallow_world_def(32, 16, 0.0625);
    d.fluid.shallow.depth = 0.3;
    d.fluid.shallow.boundary[TARN_WEST].type = TARN_BOUNDARY_DISCHARGE;
    d.fluid.shallow.boundary[TARN_WEST].discharge = 0.05;
    d.fluid.shallow.boundary[TARN_WEST].ramp = 4.0;
    tarn_world *w = shallow_world_create(&d);
    run_for(w, 4);
    CHECK_NEAR(tarn_world_get_ledger(w).volume_outflow, -0.5 * 0.05 * 4.0,
               1e-4); // a sum over steps, not an integral
    tarn_world_destroy(w);

    d.fluid.shallow.boundary[TARN_WEST].discharge = -0.5;
    w = shallow_world_create(&d);
    const double start = volume_of(w);
    for (int n = 0; n < 1200; ++n) {
        CHECK_OK(tarn_world_advance(w, w->def.dt));
        check_volume_ledger(w);
    }
    assert_true(tarn_world_get_ledger(w).volume_outflow <= start);
    assert_true(volume_of(w) < 0.05 * start);
    tarn_world_destroy(w);

    d = shallow_world_def(32, 16, 0.0625);
    tarn_boundary *west = &d.fluid.shallow.boundary[TARN_WEST];
    d.fluid.shallow.depth = 0.0;
    west->type = TARN_BOUNDARY_DISCHARGE, west->discharge = 0.05, west->level = 0.0138;
    w = shallow_world_create(&d);
    run_for(w, 1);
    CHECK_NEAR(tarn_world_get_ledger(w).volume_outflow, -0.05, 1e-6); // a quantum per face
    tarn_world_destroy(w);
    static const double low[] = {0.0134, 0.0, -1.0};
    for (int k = 0; k < COUNT(low); ++k) {
        tarn_error err = {0};
        west->level = low[k];
        assert_int_equal(setup_create(&d, &w, &err), TARN_BAD_INPUT);
        assert_string_equal(err.key, "boundary.west");
        assert_non_null(strstr(err.message, "no water enters"));
    }
}

// Highest and lowest surface at x within some time.
static void range_at(tarn_world *w, double x, double time, double *low, double *high)
{
    const double until = tarn_world_get_status(w).time + time;
    *low = 1e9, *high = -1e9;
    while (tarn_world_get_status(w).time < until) {
        CHECK_OK(tarn_world_advance(w, w->def.dt));
        const double y = tarn_world_get_surface(w, x, 0.0).height;
        *low = fmin(*low, y), *high = fmax(*high, y);
    }
}

// A channel of 8 m, 0.5 m deep, with a wavemaker in the west whose waves are metres long.
static tarn_world *channel(const char *east, double period)
{
    struct world_setup d = shallow_world_def(160, 4, 0.05);
    d.fluid.shallow.depth = 0.5;
    shallow_set_boundaries(&d, (const char *[4]){"wavemaker", east, NULL, NULL});
    d.fluid.shallow.boundary[TARN_WEST].amplitude = 0.01;
    d.fluid.shallow.boundary[TARN_WEST].period = period;
    d.fluid.shallow.boundary[TARN_WEST].ramp = period;
    return shallow_world_create(&d);
}

// A wavemaker sends waves of the given amplitude into open water. 3 %: a wave of 0.01 m over 0.5 m steepens
// (its crest runs 3 % faster than its trough) and the scheme dissipates a little.
static void wavemakers_produce_their_amplitude(void **state)
{
    (void)state;
    const double period = 2.0;
    double low, high;
    tarn_world *w = channel("open", period);
    run_for(w, 12);
    range_at(w, 0.0, 2.0 * period, &low, &high);
    CHECK_NEAR(0.5 * (high - low), 0.01, 3e-4);
    check_volume_ledger(w);
    tarn_world_destroy(w);
}

// And it absorbs reflected waves: before a wall stands a wave of twice the amplitude, after a minute as
// after ten seconds, although the channel is in tune (its length three half waves), which would let trapped
// waves grow at every turn.
static void wavemakers_absorb_returning_waves(void **state)
{
    (void)state;
    const double period = 2.0 * 8.0 / 3.0 / sqrt(G * 0.5);
    double low, high;
    tarn_world *w = channel("wall", period);
    run_for(w, 15);
    for (int k = 0; k < 2; ++k) {
        range_at(w, 3.99, 2.0 * period, &low, &high);
        print_message("at the wall %.4g .. %.4g m\n", low - 0.5, high - 0.5);
        CHECK_NEAR(0.5 * (high - low), 0.02, 0.001); // 5 %: as above, twice the height
        run_for(w, 45);
    }
    tarn_world_destroy(w);
}

// Open boundaries drain water above the rest level; with rest level 0 nothing remains.
static void open_boundaries_drain_the_domain(void **state)
{
    (void)state;
    for (int a = 0; a < 3; ++a) {
        struct world_setup d = shallow_world_def(32, 32, 0.0625);
        add_bed(&d, TARN_BED_BUMP)->bump.height = 0.2; // the water runs off it
        d.fluid.shallow.level = 0.0;
        d.fluid.shallow.advection = (tarn_shallow_advection)a;
        shallow_set_boundaries(&d, (const char *[4]){"open", "open", "open", "open"});
        tarn_world *w = shallow_world_create(&d);
        shallow_fill(w, 0.0, 0.0, 2.0, 2.0, 0.1);
        const double start = volume_of(w);
        assert_true(start > 0.1);
        for (int n = 0; n < 1200; ++n) {
            CHECK_OK(tarn_world_advance(w, w->def.dt));
            check_volume_ledger(w);
        }
        print_message("%s: %.2g of the water is left after 20 s\n", advection_names[a], volume_of(w) / start);
        assert_true(volume_of(w) < 0.02 * start); // thin water drains as 1/t^2 and slower
        tarn_world_destroy(w);
    }
}

// Waves leave through open boundaries: less than 1 % of the energy of a plane wave is reflected.
static void open_boundaries_absorb_waves(void **state)
{
    (void)state;
    struct world_setup d = shallow_world_def(256, 4, 0.0625);
    shallow_set_boundaries(&d, (const char *[4]){"open", "open", NULL, NULL});
    tarn_world *w = shallow_world_create(&d);
    tarn_column columns[256 * 4];
    for (int c = 0; c < 256 * 4; ++c) {
        const double x = grid_cell_x(&w->fluid.grid, c % 256);
        columns[c] = (tarn_column){1.0 + 0.05 * exp(-x * x), 0.0, 0.0};
    }
    CHECK_OK(tarn_water_set_fields(w, columns, NULL));
    const double start = tarn_world_get_ledger(w).energy_water;
    run_for(w, 5.0); // 16 m at 3.1 m/s: out and, if anything, back in the middle
    print_message("energy that comes back: %.2g\n", tarn_world_get_ledger(w).energy_water / start);
    assert_true(tarn_world_get_ledger(w).energy_water < 0.01 * start);
    check_volume_ledger(w);
    tarn_world_destroy(w);
}

// With periodic boundaries a shifted start gives the shifted result to the bit, also with one pair of
// boundaries periodic and any other pair.
static void periodic_boundaries_are_translation_invariant(void **state)
{
    (void)state;
    enum { N = 32, SHIFT = 13 };
    static const char *const across[] = {"periodic", "wall", "open", "level"};
    int broken = 0;
    for (int a = 0; a < 3; ++a)
        for (int s = 0; s < COUNT(across); ++s) {
            tarn_world *w[2];
            for (int k = 0; k < 2; ++k) {
                double map[N * N];
                tarn_column columns[N * N];
                struct world_setup d = shallow_world_def(N, N, 0.125);
                for (int c = 0; c < N * N; ++c) {
                    const int to = c / N * N + (c % N + (k ? SHIFT : 0)) % N;
                    map[to] = floor(random_unit(3, 0, (uint64_t)c) * 128.0) / 128.0;
                    columns[to] =
                        (tarn_column){1.0 + floor(random_unit(3, 1, (uint64_t)c) * 64.0) / 128.0,
                                      random_unit(3, 2, (uint64_t)c), random_unit(3, 3, (uint64_t)c)};
                }
                add_map(&d, (tarn_bed_map){N, N, map});
                d.fluid.shallow.level = 1.0;
                d.fluid.shallow.advection = (tarn_shallow_advection)a;
                shallow_set_boundaries(&d, (const char *[4]){"periodic", "periodic", across[s], across[s]});
                w[k] = shallow_world_create(&d);
                CHECK_OK(tarn_water_set_fields(w[k], columns, NULL));
                for (int n = 0; n < 60; ++n) CHECK_OK(tarn_world_advance(w[k], d.world.dt));
            }
            double most = 0.0;
            for (int j = 0; j < N; ++j)
                for (int i = 0; i < N; ++i)
                    most = fmax(
                        most,
                        fabs((double)shallow_state(w[0])->h[grid_at(&w[0]->fluid.grid, i, j)] -
                             (double)shallow_state(w[1])->h[grid_at(&w[1]->fluid.grid, (i + SHIFT) % N, j)]));
            if (most > 0.0) {
                print_message("%s, %s across: off by %.2g m\n", advection_names[a], across[s], most);
                ++broken;
            }
            tarn_world_destroy(w[0]), tarn_world_destroy(w[1]);
        }
    assert_int_equal(broken, 0);
}

// The level at a boundary follows its prescribed tide. The tank, crossed by waves in 0.5 s, follows a tide of
// 20 s: after the ramp it is L/c times the rate of 0.03 m/s late at most, that is 15 mm.
static void tidal_levels_follow_their_period(void **state)
{
    (void)state;
    struct world_setup d = shallow_world_def(16, 16, 0.0625);
    d.fluid.shallow.depth = 0.5;
    d.fluid.shallow.boundary[TARN_EAST].type = TARN_BOUNDARY_LEVEL;
    d.fluid.shallow.boundary[TARN_EAST].amplitude = 0.1;
    d.fluid.shallow.boundary[TARN_EAST].period = 20.0;
    d.fluid.shallow.boundary[TARN_EAST].ramp = 10.0;
    tarn_world *w = shallow_world_create(&d);
    for (int n = 0; n < 2400; ++n) {
        CHECK_OK(tarn_world_advance(w, w->def.dt));
        const double t = tarn_world_get_status(w).time, tide = 0.1 * sin(2.0 * PI * t / 20.0);
        CHECK_NEAR(tarn_world_get_surface(w, 0.4, 0.0).height, 0.5 + fmin(1.0, 0.1 * t) * tide, 0.015);
    }
    tarn_world_destroy(w);
}

// A boundary that prescribes rest adds no energy: the ripples of a small hump do not grow at it.
static void boundaries_feed_no_waves(void **state)
{
    (void)state;
    static const char *const kinds[] = {"level", "open", "discharge", "wavemaker"};
    int broken = 0;
    for (int a = 0; a < 3; ++a)
        for (int k = 0; k < COUNT(kinds); ++k)
            for (int side = 0; side < 4; side += 3) {
                struct world_setup d = shallow_world_def(16, 16, 0.0625);
                d.fluid.shallow.depth = 0.5;
                d.fluid.shallow.advection = (tarn_shallow_advection)a;
                d.fluid.shallow.boundary[side].type = boundary_of(kinds[k]);
                if (k == 2) d.fluid.shallow.boundary[side].discharge = 0.0;
                if (k == 3) d.fluid.shallow.boundary[side].amplitude = 0.0;
                if (k == 3) d.fluid.shallow.boundary[side].period = 1.0;
                tarn_world *w = shallow_world_create(&d);
                add_hump(w, 0.1, 0.05, 0.2, 0.001);
                double most = 0.0;
                for (int n = 0; n < 30; ++n) {
                    run_for(w, 1);
                    most = fmax(most, max_surface_deviation(w, 0.5));
                }
                // A corner may add its reflections: twice the hump, which spreads at once, is never reached.
                if (most > 0.002) {
                    print_message("%s, %s: a hump of 0.001 m became %.2g m\n", kinds[k], advection_names[a],
                                  most);
                    ++broken;
                }
                tarn_world_destroy(w);
            }
    assert_int_equal(broken, 0);
}

// ---- forces ---------------------------------------------------------------------------------------

// In a tank that is pulled, water with the slope a/g is at rest. It starts half a quantum of 6e-8 m wrong in
// every column, and rounding adds to that without friction: 2e-5 m/s after 10 s. 1e-4 is a ten thousandth of
// the waves' speed.
static void accelerated_water_comes_to_rest_tilted(void **state)
{
    (void)state;
    enum { NX = 32, NZ = 16 };
    for (int a = 0; a < 3; ++a) {
        tarn_column columns[NX * NZ];
        struct world_setup d = shallow_world_def(NX, NZ, 0.05);
        d.fluid.shallow.depth = 0.1;
        d.fluid.shallow.advection = (tarn_shallow_advection)a;
        tarn_world *w = shallow_world_create(&d);
        CHECK_OK(tarn_world_set_param(w, "fluid.acceleration.x", tarn_value_number(0.5), NULL));
        CHECK_OK(tarn_world_set_param(w, "fluid.acceleration.z", tarn_value_number(-0.25), NULL));
        for (int c = 0; c < NX * NZ; ++c) {
            const double x = grid_cell_x(&w->fluid.grid, c % NX), z = grid_cell_z(&w->fluid.grid, c / NX);
            columns[c] = (tarn_column){0.1 + (0.5 * x - 0.25 * z) / 9.81, 0.0, 0.0};
        }
        CHECK_OK(tarn_water_set_fields(w, columns, NULL));
        for (int n = 0; n < 300; ++n) {
            CHECK_OK(tarn_world_advance(w, w->def.dt));
            assert_true(shallow_max_speed(w) < 1e-4);
        }
        tarn_world_destroy(w);
    }
}

// Pulled from level, it swings about that slope: the mean over five whole swings of 2 L/sqrt(g h) is a/g.
// The swing is small, 1 % of the depth, so its period is that of small waves; 1 % is what the ends of the
// sum may leave.
static void accelerated_water_oscillates_about_the_tilted_surface(void **state)
{
    (void)state;
    for (int a = 0; a < 3; ++a) {
        const double pull = 0.01, period = 2.0 * 1.6 / sqrt(9.81 * 0.1);
        struct world_setup d = shallow_world_def(32, 4, 0.05);
        d.fluid.shallow.depth = 0.1;
        d.fluid.shallow.acceleration.x = pull;
        d.fluid.shallow.advection = (tarn_shallow_advection)a;
        tarn_world *w = shallow_world_create(&d);
        double sum = 0.0;
        int count = 0;
        for (; tarn_world_get_status(w).time < 5.0 * period; ++count) {
            CHECK_OK(tarn_world_advance(w, w->def.dt));
            sum += (tarn_world_get_surface(w, 0.775, 0.0).height -
                    tarn_world_get_surface(w, -0.775, 0.0).height) /
                   1.55;
        }
        CHECK_NEAR(sum / count, pull / 9.81, 0.01 * pull / 9.81);
        tarn_world_destroy(w);
    }
}

// Amplitude of the surface at the wall in the eleventh period of shaking, relative to the first.
static double growth(double period)
{
    struct world_setup d = shallow_world_def(64, 4, 1.0 / 64.0);
    d.fluid.shallow.depth = 0.1;
    d.fluid.shallow.shake.amplitude.x = 0.01;
    d.fluid.shallow.shake.period = period;
    tarn_world *w = shallow_world_create(&d);
    double most[2] = {0.0, 0.0};
    for (int k = 0; k < 11; ++k)
        for (const double until = (k + 1) * period; tarn_world_get_status(w).time < until;) {
            CHECK_OK(tarn_world_advance(w, w->def.dt));
            const double off = fabs(tarn_world_get_surface(w, 0.49, 0.0).height - 0.1);
            if (k == 0 || k == 10) most[k / 10] = fmax(most[k / 10], off);
        }
    tarn_world_destroy(w);
    return most[1] / most[0];
}

// Shaken with its own period 2 L/sqrt(g h) a tank builds up its waves, steadily at first: eleven shakes
// make more than five times the wave of one (nonlinearity and dissipation reduce it). With another
// period it does not.
static void tanks_resonate_at_their_natural_frequency(void **state)
{
    (void)state;
    const double own = 2.0 / sqrt(9.81 * 0.1), in = growth(own), out = growth(1.7 * own);
    print_message("sloshing grows %.2f times in tune, %.2f times out of it\n", in, out);
    assert_true(in > 5.0);
    assert_true(out < 2.0);
}

// Speed of the steady flow in a channel of depth 0.2 m on a slope of 1 in 200: Manning's h^(2/3) sqrt(S)/n.
// The channel is periodic and level, and the pull along it is the slope's g S.
static void friction_follows_mannings_formula(void **state)
{
    (void)state;
    const double h = 0.2, slope = 0.005, n = 0.03, speed = pow(h, 2.0 / 3.0) * sqrt(slope) / n;
    for (int a = 0; a < 3; ++a)
        for (int along_z = 0; along_z < 2; ++along_z) {
            struct world_setup d = shallow_world_def(16, 16, 0.1);
            d.fluid.shallow.depth = h;
            d.fluid.shallow.manning = n;
            *(along_z ? &d.fluid.shallow.acceleration.y : &d.fluid.shallow.acceleration.x) = 9.81 * slope;
            d.fluid.shallow.advection = (tarn_shallow_advection)a;
            shallow_set_boundaries(&d, (const char *[4]){"periodic", "periodic", "periodic", "periodic"});
            tarn_world *w = shallow_world_create(&d);
            run_for(w, 120); // the time scale is u/(2 g S) = 8 s
            const tarn_vec3 v = tarn_world_get_surface(w, 0.1, 0.1).velocity;
            CHECK_NEAR(along_z ? v.z : v.x, speed, 1e-4 * speed); // nothing but rounding is left
            tarn_world_destroy(w);
        }
}

// ---- bad input ------------------------------------------------------------------------------------

static void refused(const struct world_setup *d, const char *key, const char *word)
{
    tarn_world *w = NULL;
    tarn_error err = {0};
    assert_int_equal(setup_create(d, &w, &err), TARN_BAD_INPUT);
    assert_null(w);
    if (strcmp(err.key, key) != 0 || !strstr(err.message, word))
        print_message("got %s: %s\nwant %s: ... %s\n", err.key, err.message, key, word);
    assert_string_equal(err.key, key);
    assert_non_null(strstr(err.message, word));
}

static void contradictory_keys_are_rejected(void **state)
{
    (void)state;
    static const struct {
        const char *kind, *name;
        double value;
        const char *word;
    } sides[] = {
        {"periodic", NULL, 0, "needs a periodic opposite side"},
        {"discharge", NULL, 0, "needs `discharge`"},
        {"discharge", "level", 1.0, "needs `discharge`"},
        {"wavemaker", NULL, 0, "needs `amplitude` and `period`"},
        {"wavemaker", "amplitude", 0.1, "needs `amplitude` and `period`"},
        {"wavemaker", "period", 1.0, "needs `amplitude` and `period`"},
        {"level", "amplitude", 0.1, "`amplitude` needs `period`"},
        {"wall", "amplitude", 0.1, "only `wavemaker` and `level`"},
        {"open", "period", 1.0, "only `wavemaker` and `level`"},
        {"wall", "discharge", 0.1, "only a `discharge` boundary has `discharge`"},
        {"level", "discharge", 0.1, "only a `discharge` boundary has `discharge`"},
        {"wall", "level", 1.0, "only `level` and `discharge` boundaries have `level`"},
        {"open", "level", 1.0, "only `level` and `discharge` boundaries have `level`"},
        {"wall", "ramp", 1.0, "boundaries have `ramp`"},
        {"open", "ramp", 1.0, "boundaries have `ramp`"},
    };
    for (int side = 0; side < 4; ++side)
        for (int k = 0; k < COUNT(sides); ++k) {
            char name[48];
            struct world_setup d = shallow_world_def(16, 16, 0.1);
            d.fluid.shallow.boundary[side].type = boundary_of(sides[k].kind);
            snprintf(name, sizeof name, "%s.%s", boundary_keys[side], sides[k].name ? sides[k].name : "");
            if (sides[k].name)
                CHECK_OK(set_fluid_param(&d.fluid, name, tarn_value_number(sides[k].value), NULL));
            refused(&d, boundary_keys[side], sides[k].word);
        }
    struct world_setup d = shallow_world_def(16, 16, 0.1);
    d.fluid.shallow.depth = 1.0, d.fluid.shallow.level = 1.0;
    refused(&d, "level", "remove one");
    d = shallow_world_def(16, 16, 0.1);
    d.fluid.shallow.size = (tarn_vec2){1.6, 1.7};
    refused(&d, "cells", "not square; 16 x 17 cells would be");
    // A bowl without a rim, 1,000 km wide: higher than a million metres.
    d = shallow_world_def(16, 16, 62500.0);
    tarn_bed_def *cone = add_bed(&d, TARN_BED_BOWL);
    cone->bowl.radius = 100.0, cone->bowl.height = 1e4;
    refused(&d, "bed", "out of range");
}

static void invalid_beds_are_rejected(void **state)
{
    (void)state;
    double values[4] = {0.0, 1.0, NAN, 2.0};
    tarn_world *w = NULL;
    tarn_error err = {0};
    struct world_setup d = world_setup(TARN_FLUID_WAVE);
    add_bed(&d, TARN_BED_BUMP);
    refused(&d, "bed", "'wave' has a flat bed");
    d = shallow_world_def(16, 16, 0.1);
    add_bed(&d, TARN_BED_HEIGHTMAP);
    refused(&d, "bed.file", "the height map is missing");
    d.beds[0].heightmap.map = (tarn_bed_map){2, 2, values};
    refused(&d, "bed.file", "row 1, column 0 of the map is outside");
    values[2] = 1.0;
    add_bed(&d, TARN_BED_ESRI)->esri.map = (tarn_bed_map){2, 2, values};
    refused(&d, "bed", "at most one height map");
    d.world.bed_count = 1;
    add_bed(&d, TARN_BED_BUMP)->bump.radius = 1.0;
    d.beds[1].type = (tarn_bed_type)(TARN_BED_ESRI + 1);
    refused(&d, "bed", "is no type of a bed");
    d.world.bed_count = TARN_MAX_BEDS + 1;
    assert_int_equal(setup_create(&d, &w, &err), TARN_BAD_ARGUMENT);
    d.world.bed_count = -1;
    assert_int_equal(setup_create(&d, &w, &err), TARN_BAD_ARGUMENT);
    assert_null(w);
}

// tarn_water_set_fields() refuses columns that are not finite.
static void invalid_water_is_rejected(void **state)
{
    (void)state;
    static const tarn_column bad[] = {{NAN, 0, 0},      {1, NAN, 0}, {1, 0, NAN},
                                      {INFINITY, 0, 0}, {1e7, 0, 0}, {1, 1e5, 0}};
    tarn_column columns[16 * 16];
    tarn_error err;
    struct world_setup d = shallow_world_def(16, 16, 0.1);
    tarn_world *w = shallow_world_create(&d), *wave = wave_world_create(&(struct wave_world){
                                                  .wide = 1.6, .deep = 1.6, .nx = 16, .nz = 16, .depth = 1});
    const uint64_t before = tarn_world_hash(w);
    for (int k = 0; k < COUNT(bad); ++k) {
        for (int c = 0; c < 256; ++c) columns[c] = (tarn_column){0.7, 0.0, 0.0};
        columns[77] = bad[k];
        assert_int_equal(tarn_water_set_fields(w, columns, &err), TARN_BAD_INPUT);
        assert_non_null(strstr(err.message, "column 77"));
        assert_true(tarn_world_hash(w) == before);
    }
    columns[77].height = 0.7, columns[77].u = 0.0;
    assert_int_equal(tarn_water_set_fields(NULL, columns, &err), TARN_BAD_ARGUMENT);
    assert_int_equal(tarn_water_set_fields(w, NULL, &err), TARN_BAD_ARGUMENT);
    assert_int_equal(tarn_water_set_fields(wave, columns, &err), TARN_BAD_ARGUMENT);
    CHECK_OK(tarn_water_set_fields(w, columns, &err));
    CHECK_NEAR(volume_of(w), 0.7 * 1.6 * 1.6, 1e-6);
    CHECK_NEAR(tarn_world_get_ledger(w).volume_emitted, -0.3 * 1.6 * 1.6, 1e-6);
    tarn_world_destroy(w), tarn_world_destroy(wave);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(accelerated_water_comes_to_rest_tilted),
        cmocka_unit_test(accelerated_water_oscillates_about_the_tilted_surface),
        cmocka_unit_test(tanks_resonate_at_their_natural_frequency),
        cmocka_unit_test(friction_follows_mannings_formula),
        cmocka_unit_test(level_boundaries_hold_their_level),
        cmocka_unit_test(discharge_boundaries_deliver_their_discharge),
        cmocka_unit_test(discharge_boundaries_ramp_and_drain),
        cmocka_unit_test(wavemakers_produce_their_amplitude),
        cmocka_unit_test(wavemakers_absorb_returning_waves),
        cmocka_unit_test(open_boundaries_drain_the_domain),
        cmocka_unit_test(open_boundaries_absorb_waves),
        cmocka_unit_test(periodic_boundaries_are_translation_invariant),
        cmocka_unit_test(tidal_levels_follow_their_period),
        cmocka_unit_test(boundaries_feed_no_waves),
        cmocka_unit_test(contradictory_keys_are_rejected),
        cmocka_unit_test(invalid_beds_are_rejected),
        cmocka_unit_test(invalid_water_is_rejected),
    };
    return cmocka_run_group_tests_name("boundary", tests, NULL, NULL);
}
