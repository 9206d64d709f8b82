// Shallow water: rest, volume, momentum, energy, symmetry, same bits, stabilisers.
#include "memory_stream.h"
#include "shallow_world.h"

#include <stdio.h>

// ---- still water ----------------------------------------------------------------------------------

enum { SMOOTH, JAGGED, ISLAND, BEDS };

// Ground of one kind, from `base` up; water to 0.6 m above that.
static void lay(struct world_setup *d, int kind, double base, double *map)
{
    if (kind == JAGGED) {
        shallow_add_random_bed(d, 48, 32, 1.0, base, map);
    } else {
        tarn_bed_def *part = add_bed(d, kind == SMOOTH ? TARN_BED_BUMP : TARN_BED_ISLAND);
        part->bump.offset = base, part->bump.radius = 1.1; // an island has the same members
        part->bump.height = kind == SMOOTH ? 0.31 : 1.0;
    }
    d->fluid.shallow.level = base + 0.6;
}

static void stays_still(int bed, double base, int advection, const char *side)
{
    double map[48 * 32];
    struct world_setup d = shallow_world_def(48, 32, 0.1);
    lay(&d, bed, base, map);
    d.fluid.shallow.advection = (tarn_shallow_advection)advection;
    shallow_set_boundaries(&d, (const char *[4]){side, side, side, side});
    for (int i = 0; i < 4 && strcmp(side, "level") == 0; ++i) // south: the default is the initial level
        if (i != TARN_SOUTH) d.fluid.shallow.boundary[i].level = base + 0.6;
    tarn_world *w = shallow_world_create(&d);
    const double volume = tarn_world_get_ledger(w).volume;
    for (int n = 0; n < 100; ++n) {
        CHECK_OK(tarn_world_advance(w, w->def.dt));
        CHECK_NEAR(shallow_max_speed(w), 0.0, 0.0);
    }
    const tarn_ledger l = tarn_world_get_ledger(w);
    CHECK_NEAR(l.volume, volume, 0.0);
    CHECK_NEAR(l.volume_outflow, 0.0, 0.0);
    CHECK_NEAR(l.volume_error, 0.0, 0.0);
    assert_true(volume > 0.1);
    tarn_world_destroy(w);
}

// Still water over any bed, at any altitude and with any boundary condition, stays still: not nearly
// but to the bit, because ground and depths are whole quanta.
static void lakes_stay_at_rest(void **state)
{
    (void)state;
    static const char *const sides[] = {"wall", "level", "open", "periodic"};
    for (int bed = 0; bed < BEDS; ++bed)
        for (int high = 0; high < 2; ++high)
            for (int a = 0; a < 3; ++a)
                for (int s = 0; s < COUNT(sides); ++s) stays_still(bed, high ? 2000.0 : 0.0, a, sides[s]);
}

// ---- volume ---------------------------------------------------------------------------------------

// A dam breaks over dry jagged land; a shaking keeps the water going.
static uint64_t flood(int advection, double friction, int workers)
{
    double map[48 * 32];
    struct world_setup d = shallow_world_def(48, 32, 0.1);
    shallow_add_random_bed(&d, 48, 32, 1.0, 0.0, map);
    d.fluid.shallow.depth = 0.0;
    d.fluid.shallow.advection = (tarn_shallow_advection)advection;
    d.fluid.shallow.manning = friction;
    d.fluid.shallow.shake.amplitude.x = 2.0;
    d.fluid.shallow.shake.amplitude.y = 0.5;
    d.fluid.shallow.shake.period = 1.7;
    d.world.host.workers = workers;
    tarn_world *w = shallow_world_create(&d);
    shallow_fill(w, -1.2, 0.3, 1.2, 2.0, 1.0);
    const uint64_t inner = long_mode() ? 100000 : 2000;
    while (tarn_world_get_status(w).substeps < inner) {
        CHECK_OK(tarn_world_advance(w, w->def.dt));
        assert_true(shallow_min_depth(w) >= 0.0);
        CHECK_NEAR(tarn_world_get_ledger(w).volume_error, 0.0, 0.0);
    }
    assert_true(shallow_min_depth(w) <= w->fluid.dry_depth); // there is dry land still
    const uint64_t hash = tarn_world_hash(w);
    tarn_world_destroy(w);
    return hash;
}

// No depth is ever negative, and no water is lost or made: whole quanta add up exactly, so the drift is
// zero, not small.
static void floods_conserve_volume(void **state)
{
    (void)state;
    for (int a = 0; a < 3; ++a)
        for (int rough = 0; rough < 2; ++rough) {
            const uint64_t one = flood(a, rough ? 0.03 : 0.0, 1);
            assert_true(flood(a, rough ? 0.03 : 0.0, 3) == one);
        }
}

// The same from a level floor without a drop of water on it, where only the emitter sets the depth.
static void dam_breaks_on_a_dry_floor_conserve_volume(void **state)
{
    (void)state;
    for (int a = 0; a < 3; ++a) {
        struct world_setup d = shallow_world_def(48, 32, 0.1);
        d.fluid.shallow.depth = 0.0;
        d.fluid.shallow.advection = (tarn_shallow_advection)a;
        tarn_world *w = shallow_world_create(&d);
        shallow_fill(w, -1.2, 0.0, 2.4, 3.2, 0.5);
        CHECK_NEAR(tarn_world_get_ledger(w).volume, 2.4 * 3.2 * 0.5, 1e-5); // rounded to quanta
        for (int n = 0; n < 300; ++n) {
            CHECK_OK(tarn_world_advance(w, w->def.dt));
            assert_true(shallow_min_depth(w) >= 0.0);
            CHECK_NEAR(tarn_world_get_ledger(w).volume_error, 0.0, 0.0);
        }
        tarn_world_destroy(w);
    }
}

// ---- a wild flow ----------------------------------------------------------------------------------

// A random field: uniform in 0 .. 1, the same at every call.
static double random_field(int k, int c) { return random_unit(11, (uint64_t)k, (uint64_t)c); }

// Dyadic numbers, so that neither mirrors nor shifts round anything: depth 1 -+ rough/2, speeds to 1 m/s.
static void stir(tarn_column *columns, int nx, int nz, double rough)
{
    for (int c = 0; c < nx * nz; ++c) {
        const int block =
            c / nx / 4 * ((nx + 3) / 4) + c % nx / 4; // the same over 4 x 4 columns: jumps between
        columns[c] = (tarn_column){1.0 + rough * (floor(random_field(0, block) * 256.0) / 256.0 - 0.5),
                                   floor(random_field(1, block) * 256.0) / 128.0 - 1.0,
                                   floor(random_field(2, block) * 256.0) / 128.0 - 1.0};
    }
}

static double sum_of_momenta(const tarn_world *w)
{
    const struct grid *g = &w->fluid.grid;
    const struct depth_state *s = shallow_state(w);
    double sum = 0.0;
    for (int j = 0; j < g->nz; ++j)
        for (int i = 0; i < g->nx; ++i) {
            const size_t c = grid_at(g, i, j);
            sum += (double)s->h[c] * (fabs((double)s->u[c]) + fabs((double)s->v[c]));
        }
    return 1000.0 * g->dx * g->dx * sum;
}

// Without walls, slopes and friction nothing can take momentum from the water: it stays to the rounding of
// 32-bit speeds, whose signs are random. 2,000 steps x 4,096 faces x 6e-8 of a mean face add up to 2e-4 of
// one: far below 1e-5 of all.
static void momentum_stays_in_periodic_water(void **state)
{
    (void)state;
    tarn_column columns[64 * 64];
    struct world_setup d = shallow_world_def(64, 64, 0.125);
    shallow_set_boundaries(&d, (const char *[4]){"periodic", "periodic", "periodic", "periodic"});
    tarn_world *w = shallow_world_create(&d);
    stir(columns, 64, 64, 1.0);
    CHECK_OK(tarn_water_set_fields(w, columns, NULL));
    CHECK_OK(tarn_world_advance(w, w->def.dt));
    const tarn_vec3 start = tarn_world_get_ledger(w).momentum_water;
    const double all = sum_of_momenta(w);
    double worst = 0.0;
    for (int n = 0; n < 2000; ++n) {
        CHECK_OK(tarn_world_advance(w, w->def.dt));
        const tarn_vec3 now = tarn_world_get_ledger(w).momentum_water;
        worst = fmax(worst, fmax(fabs(now.x - start.x), fabs(now.z - start.z)));
    }
    print_message("momentum off by %.2g of the sum of all\n", worst / all);
    assert_true(worst < 1e-5 * all);
    tarn_world_destroy(w);
}

// The ledger does not depend on earlier queries.
static void ledgers_are_right_before_the_first_step(void **state)
{
    (void)state;
    tarn_column columns[16 * 16];
    struct world_setup d = shallow_world_def(16, 16, 0.125);
    shallow_set_boundaries(&d, (const char *[4]){"periodic", "periodic", "periodic", "periodic"});
    tarn_world *w = shallow_world_create(&d);
    stir(columns, 16, 16, 1.0);
    CHECK_OK(tarn_water_set_fields(w, columns, NULL));
    const tarn_ledger before = tarn_world_get_ledger(w);
    (void)tarn_world_get_status(w); // computes the substep
    const tarn_ledger after = tarn_world_get_ledger(w);
    CHECK_NEAR(before.momentum_water.x, after.momentum_water.x, 0.0);
    CHECK_NEAR(before.energy_water, after.energy_water, 0.0);
    tarn_world_destroy(w);
}

// ---- energy ---------------------------------------------------------------------------------------

// Most that the energy rises above its least so far, in parts of what there was at the start. `rough` 0: a
// smooth hump.
static double rise_of_energy(double rough, double hump, bool uneven)
{
    double map[64 * 64];
    tarn_column columns[64 * 64];
    struct world_setup d = shallow_world_def(64, 64, 0.125);
    if (uneven) shallow_add_random_bed(&d, 64, 64, 0.5, 0.0, map);
    d.fluid.shallow.level = 1.0;
    tarn_world *w = shallow_world_create(&d);
    stir(columns, 64, 64, rough);
    if (rough > 0.0) CHECK_OK(tarn_water_set_fields(w, columns, NULL));
    if (hump > 0.0) add_hump(w, 0.3, -0.7, 1.0, hump);
    const double start = tarn_world_get_ledger(w).energy_water;
    double least = start, most = 0.0;
    for (int n = 0; n < 1200; ++n) {
        CHECK_OK(tarn_world_advance(w, w->def.dt));
        const double now = tarn_world_get_ledger(w).energy_water;
        most = fmax(most, now - least);
        least = fmin(least, now);
    }
    print_message("heights to %.3g m%s: energy rises by %.2g of the start, ends at %.2g\n",
                  fmax(hump, 0.5 * rough), uneven ? ", jagged" : "", most / start, least / start);
    tarn_world_destroy(w);
    return most / start;
}

// The energy in a closed tank does not grow. Rough water loses it all the time. In smooth water, which hardly
// does, the sum of both kinds wobbles while they change into one another: water passes a face with the
// depth upwind of it and weighs with the mean of both sides. That is 0.07 % for a hump in a level tank and
// 0.3 % over jagged ground, measured.
static void energy_never_grows(void **state)
{
    (void)state;
    assert_true(rise_of_energy(1.0, 0.0, false) <= 0.0);
    assert_true(rise_of_energy(1.0, 0.0, true) <= 0.0);
    assert_true(rise_of_energy(0.01, 0.0, false) <= 0.0);
    assert_true(rise_of_energy(0.0, 0.01, false) < 1e-3);
    assert_true(rise_of_energy(0.0, 0.5, false) <= 0.0);
    assert_true(rise_of_energy(0.0, 0.5, true) < 5e-3);
}

// ---- symmetry -------------------------------------------------------------------------------------

// The eight symmetries of a square: bit 0 mirrors x, bit 1 mirrors z, bit 2 swaps the two afterwards.
static void turned(int way, int n, int *i, int *j)
{
    const int x = way & 1 ? n - 1 - *i : *i, z = way & 2 ? n - 1 - *j : *j;
    *i = way & 4 ? z : x, *j = way & 4 ? x : z;
}

// Boundaries in the order west, east, south, north under the same symmetry.
static void turn_sides(int way, const char *const from[4], const char *to[4])
{
    for (int k = 0; k < 4; ++k) {
        int at = k;
        if (at < 2 ? way & 1 : way & 2) at ^= 1;
        if (way & 4) at ^= 2;
        to[at] = from[k];
    }
}

static tarn_world *turned_world(int way, int advection, double friction, const char *const sides[4])
{
    enum { N = 32 };
    double map[N * N];
    tarn_column columns[N * N], given[N * N];
    const char *laid[4];
    struct world_setup d = shallow_world_def(N, N, 0.125);
    stir(given, N, N, 1.0);
    for (int j = 0; j < N; ++j)
        for (int i = 0; i < N; ++i) {
            int x = i, z = j;
            turned(way, N, &x, &z);
            const tarn_column *c = &given[j * N + i];
            const double u = way & 1 ? -c->u : c->u, v = way & 2 ? -c->w : c->w;
            columns[z * N + x] = (tarn_column){c->height, way & 4 ? v : u, way & 4 ? u : v};
            map[z * N + x] = floor(random_field(3, j * N + i) * 256.0) / 256.0;
        }
    add_map(&d, (tarn_bed_map){N, N, map});
    d.fluid.shallow.level = 1.0;
    d.fluid.shallow.manning = friction;
    d.fluid.shallow.advection = (tarn_shallow_advection)advection;
    turn_sides(way, sides, laid);
    shallow_set_boundaries(&d, laid);
    tarn_world *w = shallow_world_create(&d);
    CHECK_OK(tarn_water_set_fields(w, columns, NULL));
    return w;
}

// [m] Largest difference of the depths of a transformed world from those of the first after some steps.
static double unlike(int way, int advection, double friction, const char *const sides[4], int steps)
{
    enum { N = 32 };
    tarn_world *a = turned_world(0, advection, friction, sides),
               *b = turned_world(way, advection, friction, sides);
    double most = 0.0;
    for (int n = 0; n < steps; ++n) {
        CHECK_OK(tarn_world_advance(a, a->def.dt));
        CHECK_OK(tarn_world_advance(b, b->def.dt));
    }
    for (int j = 0; j < N; ++j)
        for (int i = 0; i < N; ++i) {
            int x = i, z = j;
            turned(way, N, &x, &z);
            most = fmax(most, fabs((double)shallow_state(a)->h[grid_at(&a->fluid.grid, i, j)] -
                                   (double)shallow_state(b)->h[grid_at(&b->fluid.grid, x, z)]));
        }
    tarn_world_destroy(a), tarn_world_destroy(b);
    return most;
}

// Nothing prefers a direction: a world that is mirrored or turned behaves mirrored or turned, to the bit,
// because sums are paired so that a mirror or a swap of the axes only swaps the two terms of an addition.
static void mirrored_and_rotated_worlds_stay_mirrored_and_rotated(void **state)
{
    (void)state;
    int broken = 0;
    static const char *const sides[][4] = {
        {"wall", "wall", "wall", "wall"},
        {"open", "level", "wall", "wall"},
        {"level", "level", "level", "open"},
        {"periodic", "periodic", "wall", "open"},
    };
    for (int way = 1; way < 8; ++way)
        for (int a = 0; a < 3; ++a)
            for (int s = 0; s < COUNT(sides); ++s)
                for (int rough = 0; rough < 2; ++rough) {
                    const double off = unlike(way, a, rough ? 0.03 : 0.0, sides[s], 60);
                    if (off == 0.0) continue;
                    print_message("way %d, %s, %s %s %s %s, friction %d: off by %.2g m\n", way,
                                  advection_names[a], sides[s][0], sides[s][1], sides[s][2], sides[s][3],
                                  rough, off);
                    ++broken;
                }
    assert_int_equal(broken, 0);
}

// ---- same bits ------------------------------------------------------------------------------------

// Bed, friction, shaking, bodies, emitters, and every boundary condition: four of them, or with `around` the
// other two.
static tarn_world *busy_lake(int advection, bool around, int workers)
{
    struct world_setup d = shallow_world_def(96, 80, 0.0625);
    tarn_bed_def *bump = add_bed(&d, TARN_BED_BUMP), *beach = add_bed(&d, TARN_BED_BEACH);
    bump->bump.height = 0.4;
    beach->beach.start = 1.5, beach->beach.slope = 1.0;
    d.fluid.shallow.level = 0.5;
    d.fluid.shallow.manning = 0.02;
    d.fluid.shallow.shake.amplitude.x = 0.7, d.fluid.shallow.shake.period = 0.9;
    d.fluid.shallow.advection = (tarn_shallow_advection)advection;
    if (around) {
        shallow_set_boundaries(&d, (const char *[4]){NULL, NULL, "periodic", "periodic"});
    } else {
        shallow_set_boundaries(&d, (const char *[4]){"wavemaker", "open", "discharge", "level"});
        d.fluid.shallow.stabilisation.overshoot = 0.5;
        d.fluid.shallow.boundary[TARN_WEST].amplitude = 0.05,
        d.fluid.shallow.boundary[TARN_WEST].period = 1.3;
        d.fluid.shallow.boundary[TARN_SOUTH].discharge = 0.1, d.fluid.shallow.boundary[TARN_SOUTH].ramp = 0.5;
        d.fluid.shallow.boundary[TARN_NORTH].level = 0.45, d.fluid.shallow.boundary[TARN_NORTH].ramp = 1.0;
        d.fluid.shallow.boundary[TARN_NORTH].amplitude = 0.05,
        d.fluid.shallow.boundary[TARN_NORTH].period = 3.0;
    }
    d.world.host.workers = workers;
    tarn_world *w = shallow_world_create(&d);
    tarn_emitter_def rain = tarn_default_emitter_def(TARN_EMITTER_RAIN);
    CHECK_OK(tarn_emitter_create(w, &rain, NULL, NULL));
    shallow_fill(w, -2.0, -1.0, 1.0, 1.0, 0.9);
    add_hump(w, -0.5, 1.0, 0.4, 0.2);
    add_sphere(w, 0.2, 400, (tarn_vec3){-1.2, 0.9, 0.3});
    add_box(w, (tarn_vec3){0.5, 0.2, 0.4}, 600, (tarn_vec3){0.4, 0.7, -0.9});
    add_sphere(w, 0.15, 2500, (tarn_vec3){2.4, 1.3, 0.2}); // on the beach
    return w;
}

static uint64_t busy_hash(int advection, bool around, int workers, int steps)
{
    tarn_world *w = busy_lake(advection, around, workers);
    for (int n = 0; n < steps; ++n) CHECK_OK(tarn_world_advance(w, w->def.dt));
    const uint64_t hash = tarn_world_hash(w);
    tarn_world_destroy(w);
    return hash;
}

static void results_do_not_depend_on_workers(void **state)
{
    (void)state;
    static const int counts[] = {2, 3, 8};
    for (int a = 0; a < 3; ++a)
        for (int around = 0; around < 2; ++around) {
            const int steps = long_mode() ? 600 : 60;
            const uint64_t one = busy_hash(a, around, 1, steps);
            for (int k = 0; k < COUNT(counts); ++k)
                assert_true(busy_hash(a, around, counts[k], steps) == one);
        }
}

// Save after some steps, load, go on: as if nothing had been.
static void restarts_are_exact(void **state)
{
    (void)state;
    static const int stops[] = {0, 1, 17, 60};
    struct memory_stream *f = malloc(sizeof *f);
    assert_non_null(f);
    for (int a = 0; a < 3; ++a)
        for (int around = 0; around < 2; ++around) {
            const uint64_t straight = busy_hash(a, around, 1, 80);
            for (int k = 0; k < COUNT(stops); ++k) {
                tarn_world *w = busy_lake(a, around, 1), *again = NULL;
                f->size = f->at = 0;
                for (int n = 0; n < stops[k]; ++n) CHECK_OK(tarn_world_advance(w, w->def.dt));
                CHECK_OK(tarn_world_save(w, stream_write, f));
                CHECK_OK(tarn_world_load(stream_read, f, NULL, &again, NULL));
                assert_true(tarn_world_hash(again) == tarn_world_hash(w));
                for (int n = stops[k]; n < 80; ++n) CHECK_OK(tarn_world_advance(again, w->def.dt));
                assert_true(tarn_world_hash(again) == straight);
                tarn_world_destroy(w), tarn_world_destroy(again);
            }
        }
    free(f);
}

// ---- too large steps ------------------------------------------------------------------------------

// One substep where the Courant limit asks for four: with the three stabilisers of the real-time
// literature the water stays finite, and its volume exact.
static void stabilised_water_survives(void **state)
{
    (void)state;
    for (int a = 0; a < 3; ++a)
        for (int held = 1; held >= 0; --held) {
            double map[48 * 48];
            tarn_column columns[48 * 48];
            struct world_setup d = shallow_world_def(48, 48, 0.0625);
            shallow_add_random_bed(&d, 48, 48, 0.8, 0.0, map);
            d.fluid.shallow.level = 1.0;
            d.fluid.shallow.substeps = 1;
            d.fluid.shallow.advection = (tarn_shallow_advection)a;
            if (held) {
                d.fluid.shallow.stabilisation.speed = 0.5;
                d.fluid.shallow.stabilisation.depth = 2.0;
                d.fluid.shallow.stabilisation.overshoot = 0.5;
            }
            d.world.dt = 1.0 / 30.0;
            tarn_world *w = shallow_world_create(&d);
            stir(columns, 48, 48, 1.0);
            CHECK_OK(tarn_water_set_fields(w, columns, NULL));
            tarn_result r = TARN_OK;
            for (int n = 0; n < 600 && r == TARN_OK; ++n) {
                r = tarn_world_advance(w, w->def.dt);
                if (!held) continue;
                CHECK_OK(r);
                assert_true(shallow_min_depth(w) >= 0.0);
                CHECK_NEAR(tarn_world_get_ledger(w).volume_error, 0.0, 0.0);
            }
            print_message("%s, %s: %s, fastest %.3g m/s, drift %g\n", advection_names[a],
                          held ? "stabilised" : "free", r == TARN_OK ? "finite" : "diverged",
                          shallow_max_speed(w), tarn_world_get_ledger(w).volume_error);
            tarn_world_destroy(w);
        }
}

// The stabilising options add no energy; the test is a steep hump of water, for which the overshoot limiter
// exists.
static void stabilisers_add_no_energy(void **state)
{
    (void)state;
    static const char *const names[] = {"speed", "depth", "overshoot"};
    static const double usual[] = {0.5, 2.0, 0.5};
    for (int a = 0; a < 3; ++a)
        for (int k = 0; k < 3; ++k) {
            struct world_setup d = shallow_world_def(32, 32, 1.0 / 32.0);
            d.fluid.shallow.depth = 4.0;
            tarn_stabilisation *options = &d.fluid.shallow.stabilisation;
            *(k == 0 ? &options->speed : k == 1 ? &options->depth : &options->overshoot) = usual[k];
            d.fluid.shallow.advection = (tarn_shallow_advection)a;
            tarn_world *w = shallow_world_create(&d);
            add_hump(w, 0.1, -0.1, 0.1, 4.0);
            const double start = tarn_world_get_ledger(w).energy_water;
            double most = 0.0;
            for (int n = 0; n < 60 && most < 2.0; ++n) {
                CHECK_OK(tarn_world_advance(w, w->def.dt));
                most = fmax(most, tarn_world_get_ledger(w).energy_water / start);
            }
            if (most > 1.0)
                print_message("%s, %s: energy %.3g times the start\n", advection_names[a], names[k], most);
            assert_true(most <= 1.0);
            tarn_world_destroy(w);
        }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(lakes_stay_at_rest),
        cmocka_unit_test(floods_conserve_volume),
        cmocka_unit_test(dam_breaks_on_a_dry_floor_conserve_volume),
        cmocka_unit_test(momentum_stays_in_periodic_water),
        cmocka_unit_test(ledgers_are_right_before_the_first_step),
        cmocka_unit_test(energy_never_grows),
        cmocka_unit_test(mirrored_and_rotated_worlds_stay_mirrored_and_rotated),
        cmocka_unit_test(results_do_not_depend_on_workers),
        cmocka_unit_test(restarts_are_exact),
        cmocka_unit_test(stabilised_water_survives),
        cmocka_unit_test(stabilisers_add_no_energy),
    };
    return cmocka_run_group_tests_name("shallow", tests, NULL, NULL);
}
