// Fluid that bodies of the flow model cut off: small parts of it count as solid, the largest one never does,
// however small the tank is.
#include "body_def.h"
#include "flow_world.h"

#include "base/math/random.h"

#include <math.h>
#include <stdbool.h>

static struct world_setup tank(double x, double y, int nx, int ny)
{
    struct world_setup def = world_setup(TARN_FLUID_FLOW);
    def.fluid.flow.size = (tarn_vec2){x, y};
    def.fluid.flow.cells[0] = nx, def.fluid.flow.cells[1] = ny;
    return def;
}

static tarn_body_id box(tarn_world *w, tarn_vec3 size, double density, double x, double y)
{
    tarn_body_def def = body_def("box");
    tarn_body_id id;
    CHECK_OK(set_shape(&def, "size", tarn_value_vec3(size.x, size.y, size.z), NULL));
    def.density = density;
    def.position = (tarn_vec3){x, y, 0.0};
    CHECK_OK(tarn_body_create(w, &def, &id, NULL));
    return id;
}

static tarn_body_id disc(tarn_world *w, double radius, double density, double x, double y)
{
    tarn_body_def def = body_def("circle");
    tarn_body_id id;
    CHECK_OK(set_shape(&def, "radius", tarn_value_number(radius), NULL));
    def.density = density;
    def.position = (tarn_vec3){x, y, 0.0};
    CHECK_OK(tarn_body_create(w, &def, &id, NULL));
    return id;
}

static void run(tarn_world *w, int steps)
{
    for (int n = 0; n < steps; ++n) {
        if (tarn_world_advance(w, 1.0 / 60.0) != TARN_OK)
            fail_msg("step %d: %s", n, tarn_world_get_failure(w));
        CHECK_NEAR(tarn_flow_get_divergence(w), 0.0, 1e-4);
    }
}

static tarn_body_state motion_of(const tarn_world *w, tarn_body_id id)
{
    tarn_body_state m;
    CHECK_OK(tarn_body_get_state(w, id, &m));
    return m;
}

// Part of the cell around a place that is open.
static double open_at(const tarn_world *w, double x, double y)
{
    tarn_frame f = {0};
    CHECK_OK(tarn_world_get_frame(w, 1.0, &f));
    const double open = f.open[(int)(y / f.cell_size) * f.nx + (int)(x / f.cell_size)];
    tarn_frame_free(&f);
    return open;
}

static void lose_energy(tarn_world *w, int seconds)
{
    double before = INFINITY;
    for (int n = 0; n < seconds; ++n) {
        run(w, 60);
        const tarn_ledger l = tarn_world_get_ledger(w);
        const double energy = l.energy_water + l.energy_bodies;
        if (!(energy < before)) fail_msg("second %d: %g J, before it %g", n, energy, before);
        before = energy;
    }
}

static void check_rest(const tarn_world *w, tarn_body_id id, double y)
{
    const tarn_body_state m = motion_of(w, id);
    CHECK_NEAR(m.position.y, y, 0.01);
    CHECK_NEAR(m.velocity.x, 0.0, 0.1);
    CHECK_NEAR(m.velocity.y, 0.0, 0.1);
}

// ---- small tanks ----------------------------------------------------------------------------------------

static void small_domains_stay_fluid(void **state)
{
    (void)state;
    for (int n = 4; n <= 18; n += 2) {
        const struct world_setup def = tank(n / 16.0, n / 16.0, n, n);
        tarn_world *w = make(&def);
        const double middle = 0.5 * n / 16.0;
        disc(w, 0.3 * middle, 1000.0, middle, middle);
        run(w, 2);
        assert_true(open_at(w, 0.01, 0.01) == 1.0 && open_at(w, middle, middle) < 1.0);
        tarn_world_destroy(w);
    }
}

// Two boxes of 2 to 8 cells in a small tank: the light one rises, the heavy one sinks, they touch the walls
// face to face and come to rest. Energy decreases over every second. (Within a second it may grow for a
// moment where a gap closes.)
static void two_boxes_come_to_rest_in_a_small_tank(void **state)
{
    static const struct {
        double size, density[2], x[2], y[2];
    } cases[] = {
        {0.5, {500, 500}, {2.0, 2.1}, {1.1, 2.0}},
        {0.5, {500, 2000}, {1.2, 2.8}, {1.3, 2.6}},
        {1.0, {500, 2000}, {1.2, 2.8}, {1.3, 2.6}},
    };
    static const char *const ways[] = {"maccormack", "semi-lagrangian", "conservative"};
    (void)state;
    for (int k = 0; k < COUNT(cases) * COUNT(ways) * 2; ++k) {
        const int c = k % COUNT(cases), way = k / COUNT(cases) % COUNT(ways);
        const int n = k < COUNT(cases) * COUNT(ways) ? 16 : 32;
        struct world_setup def = tank(4.0, 4.0, n, n);
        def.fluid.flow.advection = flow_advection_of(ways[way]);
        tarn_world *w = make(&def);
        tarn_body_id id[2];
        for (int b = 0; b < 2; ++b)
            id[b] = box(w, (tarn_vec3){cases[c].size, cases[c].size, 1.0}, cases[c].density[b], cases[c].x[b],
                        cases[c].y[b]);
        lose_energy(w, 5);
        for (int b = 0; b < 2; ++b) {
            const double half = 0.5 * cases[c].size, end = cases[c].density[b] < 1000 ? 4.0 - half : half;
            const bool light = cases[c].density[0] < 1000 && cases[c].density[1] < 1000;
            const bool under = // two light ones may make a stack
                light && motion_of(w, id[b]).position.y < motion_of(w, id[1 - b]).position.y - half;
            check_rest(w, id[b], under ? end - cases[c].size : end);
        }
        tarn_world_destroy(w);
    }
}

// A light box and a heavy one, of 2 to 8 cells, at random positions and angles: whichever corner touches a
// wall first, energy decreases over every second, and after ten seconds both are at rest.
static tarn_body_id any_box(tarn_world *w, uint64_t seed, bool heavy)
{
    double dice[6];
    for (int i = 0; i < COUNT(dice); ++i) dice[i] = random_unit(seed, heavy, (uint64_t)i);
    const double size = 0.5 + 0.5 * dice[0], density = heavy ? 1500 + 1500 * dice[1] : 20 + 680 * dice[1];
    const double angle = dice[2] - 0.5;
    tarn_body_def def = body_def("box");
    tarn_body_id id;
    CHECK_OK(set_shape(&def, "size", tarn_value_vec3(size, size * (0.6 + 0.4 * dice[3]), 1.0), NULL));
    def.density = density;
    def.position = (tarn_vec3){(heavy ? 2.7 : 0.8) + 0.5 * dice[4], 0.8 + 2.4 * dice[5], 0.0};
    def.rotation = (tarn_quat){cos(0.5 * angle), 0.0, 0.0, sin(0.5 * angle)};
    CHECK_OK(tarn_body_create(w, &def, &id, NULL));
    return id;
}

static void any_boxes_come_to_rest(void **state)
{
    static const char *const ways[] = {"maccormack", "semi-lagrangian", "conservative"};
    const uint64_t worlds = getenv("TARN_LONG") ? 100 : 6;
    (void)state;
    for (uint64_t k = 0; k < worlds * COUNT(ways); ++k) {
        const int n = k / COUNT(ways) % 2 ? 32 : 16;
        struct world_setup def = tank(4.0, 4.0, n, n);
        def.fluid.flow.advection = flow_advection_of(ways[k % COUNT(ways)]);
        tarn_world *w = make(&def);
        const tarn_body_id id[2] = {any_box(w, k / COUNT(ways), false), any_box(w, k / COUNT(ways), true)};
        lose_energy(w, 10);
        for (int b = 0; b < 2; ++b) { // they moved at some m/s before; contacts may leave some cm/s
            const tarn_body_state m = motion_of(w, id[b]);
            CHECK_NEAR(hypot(m.velocity.x, m.velocity.y), 0.0, 0.1);
        }
        tarn_world_destroy(w);
    }
}

// ---- enclosed regions -----------------------------------------------------------------------------------

// Two chambers of 100 cells with a wall between them and a disc in each: both stay fluid, and both discs sink
// equally, slowed by the fluid.
static void large_enclosed_regions_stay_fluid(void **state)
{
    const struct world_setup def = tank(22 / 16.0, 10 / 16.0, 22, 10);
    tarn_obstacle_def wall = tarn_default_obstacle_def(TARN_OBSTACLE_BOX);
    tarn_world *w = make(&def);
    (void)state;
    wall.box.size = (tarn_vec2){2 / 16.0, 12 / 16.0};
    wall.motion.position.x = 11 / 16.0, wall.motion.position.y = 5 / 16.0;
    put(w, &wall);
    const tarn_body_id a = disc(w, 0.1, 2000.0, 5 / 16.0, 0.35), b = disc(w, 0.1, 2000.0, 17 / 16.0, 0.35);
    run(w, 6);
    assert_true(open_at(w, 0.01, 0.01) == 1.0 && open_at(w, 1.36, 0.01) == 1.0);
    const double fall = 0.35 - motion_of(w, a).position.y, other = 0.35 - motion_of(w, b).position.y;
    CHECK_NEAR(fall, other, 1e-6);
    // 6 semi-implicit steps without fluid: g/2 t^2 (1 + 1/6) = 0.0286 m. With the added mass of a disc, its
    // own area, two thirds of that, and less between walls.
    assert_true(0.4 * 0.0286 < fall && fall < 0.67 * 0.0286);
    tarn_world_destroy(w);
}

// Two boxes on the floor and a third across them, in a small tank and in a large one: the region that they
// enclose is solid, all else is not.
static void gaps_between_bodies_are_enclosed_regions(void **state)
{
    (void)state;
    for (int n = 15; n <= 40; n += 25) {
        const struct world_setup def = tank(n / 16.0, n / 16.0, n, n);
        tarn_world *w = make(&def);
        box(w, (tarn_vec3){0.2, 0.3, 1.0}, 1000.0, 0.2, 0.15);
        box(w, (tarn_vec3){0.2, 0.3, 1.0}, 1000.0, 0.6, 0.15);
        box(w, (tarn_vec3){0.6, 0.2, 1.0}, 1000.0, 0.4, 0.4);
        run(w, 1);
        assert_true(open_at(w, 0.4, 0.01) == 0.0 && open_at(w, 0.4, 0.2) == 0.0);
        assert_true(open_at(w, 0.01, 0.01) == 1.0 && open_at(w, 0.9, 0.9) == 1.0);
        tarn_world_destroy(w);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(small_domains_stay_fluid),
        cmocka_unit_test(two_boxes_come_to_rest_in_a_small_tank),
        cmocka_unit_test(any_boxes_come_to_rest),
        cmocka_unit_test(large_enclosed_regions_stay_fluid),
        cmocka_unit_test(gaps_between_bodies_are_enclosed_regions),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
