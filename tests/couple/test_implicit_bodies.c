// Bodies in the implicit height field: drafts, rest, momentum, energy, large steps, restarts.
#include "body_def.h"
#include "conservation.h"
#include "counting_allocator.h"
#include "memory_stream.h"

static struct world_setup pool_def(int n, double wide, double depth)
{
    struct world_setup d = world_setup(TARN_FLUID_IMPLICIT);
    d.fluid.implicit.size = (tarn_vec2){wide, wide};
    d.fluid.implicit.cells[0] = n, d.fluid.implicit.cells[1] = n;
    d.fluid.implicit.depth = depth;
    return d;
}

// ---- rest -----------------------------------------------------------------------------------------

// Draft d of a floating ball of radius 1: d^2 (3 - d) = 4 s.
static double cap_draft(double s)
{
    double lo = 0.0, hi = 2.0;
    for (int n = 0; n < 60; ++n) {
        const double d = 0.5 * (lo + hi);
        if (d * d * (3.0 - d) < 4.0 * s)
            lo = d;
        else
            hi = d;
    }
    return lo;
}

// Four balls of 0.72 kg each on columns of 1 cm as in scenes/eight.json. They are dropped and come to rest
// at the draft of a spherical cap of their density.
static void check_drafts(const double radii[4])
{
    struct world_setup def = pool_def(100, 1.0, 0.18);
    def.fluid.implicit.linear_friction = 0.2;
    shallow_set_boundaries(&def, (const char *[4]){"open", "open", "open", "open"});
    def.world.dt = 1.0 / 120.0;
    tarn_world *w = shallow_world_create(&def);
    tarn_body_id id[4];
    for (int i = 0; i < 4; ++i) {
        const double r = radii[i], density = 0.72 / (4.0 / 3.0 * PI * r * r * r);
        id[i] = add_sphere(w, r, density, (tarn_vec3){0.5 * (i % 2) - 0.25, 0.2 + r, 0.5 * (i / 2) - 0.25});
    }
    run_for(w, long_mode() ? 20.0 : 8.0);
    for (int i = 0; i < 4; ++i) {
        tarn_body_state m;
        tarn_load load;
        const double r = radii[i], s = 0.72 / (4.0 / 3.0 * PI * r * r * r) / RHO;
        CHECK_OK(tarn_body_get_state(w, id[i], &m));
        CHECK_OK(tarn_body_get_load(w, id[i], &load));
        const double draft = load.surface_height - (m.position.y - r);
        CHECK_NEAR(draft / r, cap_draft(s), 0.005 * cap_draft(s));
        CHECK_NEAR(load.submerged_fraction, s, 0.005 * s);
    }
    tarn_world_destroy(w);
}

// All the balls of scenes/eight.json, half of them in the quick run.
static void balls_float_at_their_exact_draft(void **state)
{
    (void)state;
    check_drafts((const double[4]){0.060, 0.085, 0.130, 0.105});
    if (long_mode()) check_drafts((const double[4]){0.075, 0.090, 0.070, 0.115});
}

// Bodies inserted afloat and submerged bodies on the ground make no wave; the surface has no dent above
// the latter.
static void bodies_at_rest_make_no_wave(void **state)
{
    (void)state;
    for (int k = 0; k < 3; ++k) {
        struct world_setup def = pool_def(64, 4.0, 1.0);
        tarn_world *w = shallow_world_create(&def);
        if (k == 0) add_box(w, (tarn_vec3){0.5, 0.4, 0.7}, 500.0, (tarn_vec3){0.1, 1.0, 0.2});
        if (k == 1) add_sphere(w, 0.3, 2000.0, (tarn_vec3){0.1, 0.3, 0.2});
        if (k == 2) add_box(w, (tarn_vec3){0.5, 0.4, 0.7}, 2000.0, (tarn_vec3){0.1, 0.2, 0.2});
        const double volume = tarn_world_get_ledger(w).volume;
        run_for(w, 5.0);
        CHECK_NEAR(max_surface_deviation(w, 1.0), 0.0, 1e-5);
        CHECK_NEAR(tarn_world_get_ledger(w).volume, volume, 0.0);
        tarn_world_destroy(w);
    }
}

// A body that stands on the ground and pierces the surface leaves the water nearly still; contacts cause
// small vibrations.
static void standing_bodies_make_no_waves(void **state)
{
    (void)state;
    struct world_setup def = pool_def(64, 4.0, 0.3);
    tarn_world *w = shallow_world_create(&def);
    add_box(w, (tarn_vec3){0.6, 0.6, 0.6}, 2000.0, (tarn_vec3){0.1, 0.3, 0.2});
    run_for(w, 5.0);
    for (int c = 0; c < 64 * 64; ++c) {
        float eta;
        w->fluid.model->height_field->read_surface(&w->fluid, c / 64, c % 64, c % 64 + 1, &eta);
        CHECK_NEAR((double)eta, 0.0, 1e-3); // under it too: 1 cm of head would be 1 % of its weight
    }
    tarn_world_destroy(w);
}

// Bodies far lighter than water with the longest step: none is thrown away.
static void light_bodies_are_stable(void **state)
{
    (void)state;
    static const double steps[] = {1.0 / 240.0, 1.0 / 60.0, 0.1};
    for (int k = 0; k < COUNT(steps) * COUNT(kinds); ++k) {
        struct world_setup def = pool_def(48, 4.0, 0.5);
        def.fluid.implicit.linear_friction = 0.05;
        def.world.dt = steps[k % COUNT(steps)];
        tarn_world *w = shallow_world_create(&def);
        tarn_body_def body = body_def(kinds[k / COUNT(steps)]);
        tarn_body_id id;
        body.density = 10.0, body.position = (tarn_vec3){0.1, 0.9, 0.2};
        body.angular_velocity = (tarn_vec3){1.0, 0.5, 2.0};
        CHECK_OK(tarn_body_create(w, &body, &id, NULL));
        for (int n = 0; n * def.world.dt < 6.0; ++n) {
            tarn_body_state m;
            CHECK_OK(tarn_world_advance(w, def.world.dt));
            CHECK_OK(tarn_body_get_state(w, id, &m));
            if (!(m.position.y < 1.6))
                print_message("%s at %g s: y %g\n", kinds[k / COUNT(steps)], n * def.world.dt, m.position.y);
            assert_true(m.position.y < 1.6);
        }
        tarn_body_state m;
        CHECK_OK(tarn_body_get_state(w, id, &m));
        CHECK_NEAR(m.velocity.y, 0.0, 0.02);
        tarn_world_destroy(w);
    }
}

// ---- balance --------------------------------------------------------------------------------------

// The law of test_conservation for `implicit`.
static void momentum_is_conserved(void **state)
{
    (void)state;
    static const struct {
        struct moving_bodies moving_bodies;
        double dt;
    } cases[] = {
        {{3, 50, 4, 1e-5}, 1.0 / 60.0},
        {{2, 300, 30, 1e-5}, 1.0 / 60.0},
        {{1, 500, 2, 1e-5}, 0.1},
        // They lie on the ground and dry it, where the load on the water is less than their displaced
        // depth: 1e-4 to 3e-4 were seen.
        {{0.4, 900, 6, 5e-4}, 1.0 / 60.0}};
    for (int c = 0; c < COUNT(cases); ++c) {
        struct world_setup def = pool_def(48, 8.0, cases[c].moving_bodies.depth);
        shallow_set_boundaries(&def, periodic);
        def.world.dt = cases[c].dt;
        check_momentum(&def, &cases[c].moving_bodies);
    }
}

// The energy of water and a body without input never exceeds that at the start, except for 3 % of the
// energy that can be lost.
static void energy_never_grows(void **state)
{
    (void)state;
    const struct world_setup def = pool_def(32, 6.0, 3.0);
    double worst = 0.0;
    for (int k = 0; k < 4 * 4 * COUNT(kinds); ++k) {
        if (!long_mode() && k % 3) continue;
        const tarn_body_def body = body_to_drop(kinds[k / 16], k / 4 % 4, k % 4, k);
        worst = fmax(worst, energy_rise(&def, &body));
    }
    print_message("energy grows by %.2g of the disturbance\n", worst);
    assert_true(worst < 0.03);
}

// ---- the literature's ways ------------------------------------------------------------------------

// The penalty draws the surface to the underside of a floating body. It removes water, and the ledger
// knows how much.
static void penalty_counts_displaced_volume(void **state)
{
    (void)state;
    struct world_setup def = pool_def(64, 4.0, 0.5);
    def.world.coupling = TARN_COUPLING_PENALTY;
    tarn_world *w = shallow_world_create(&def);
    const tarn_body_id id = add_sphere(w, 0.3, 400.0, (tarn_vec3){0.1, 0.9, 0.2});
    run_for(w, 2.0);
    const tarn_ledger l = tarn_world_get_ledger(w);
    tarn_body_state m;
    CHECK_OK(tarn_body_get_state(w, id, &m));
    assert_true(0.35 < m.position.y && m.position.y < 0.7);
    assert_true(tarn_world_get_surface(w, m.position.x, m.position.z).height < m.position.y - 0.3 + 0.03);
    assert_true(l.volume_displaced > 0.04); // at least the displaced volume
    CHECK_NEAR(l.volume + l.volume_displaced, 8.0, 1e-6);
    CHECK_NEAR(l.volume_error, 0.0, 0.0);
    tarn_world_destroy(w);
}

// The water of a splash comes from around the body: the volume is constant.
static void splash_conserves_volume(void **state)
{
    (void)state;
    double high[2];
    for (int k = 0; k < 2; ++k) {
        struct world_setup def = pool_def(64, 4.0, 0.5);
        def.world.splash = 0.5 * k;
        tarn_world *w = shallow_world_create(&def);
        const double volume = tarn_world_get_ledger(w).volume;
        add_sphere(w, 0.2, 400.0, (tarn_vec3){0.1, 1.0, 0.2});
        high[k] = 0.0;
        for (int n = 0; n < 60; ++n) {
            CHECK_OK(tarn_world_advance(w, w->def.dt));
            high[k] = fmax(high[k], tarn_world_get_surface(w, 0.55, 0.2).height - 0.5);
            CHECK_NEAR(tarn_world_get_ledger(w).volume, volume, 0.0);
        }
        tarn_world_destroy(w);
    }
    assert_true(high[1] > 1.2 * high[0]);
}

// ---- promises -------------------------------------------------------------------------------------

static tarn_world *busy(int coupling, const tarn_allocator *allocator)
{
    struct world_setup def = pool_def(48, 4.0, 0.5);
    def.world.coupling = coupling;
    if (allocator) def.world.host.allocator = *allocator;
    tarn_world *w = shallow_world_create(&def);
    for (int i = 0; i < COUNT(kinds); ++i) {
        tarn_body_def body = body_def(kinds[i]);
        tarn_body_id id;
        body.density = 200.0 + 200.0 * i, body.position = (tarn_vec3){0.6 * i - 1.2, 0.8, 0.3 * (i % 3)};
        body.angular_velocity = (tarn_vec3){1.0, 0.5, i};
        CHECK_OK(tarn_body_create(w, &body, &id, NULL));
    }
    return w;
}

// A loaded world continues with the same bits.
static void restarts_are_exact(void **state)
{
    (void)state;
    static struct memory_stream b;
    for (int coupling = TARN_COUPLING_PRESSURE; coupling <= TARN_COUPLING_PENALTY; ++coupling) {
        tarn_world *one = busy(coupling, NULL), *two = NULL;
        for (int n = 0; n < 40; ++n) {
            CHECK_OK(tarn_world_advance(one, one->def.dt));
            if (n % 10 != 5) continue;
            b.size = b.at = 0;
            tarn_world_destroy(two);
            CHECK_OK(tarn_world_save(one, stream_write, &b));
            CHECK_OK(tarn_world_load(stream_read, &b, NULL, &two, NULL));
            assert_true(tarn_world_hash(one) == tarn_world_hash(two));
            for (int m = 0; m < 4; ++m) {
                CHECK_OK(tarn_world_advance(one, one->def.dt));
                CHECK_OK(tarn_world_advance(two, two->def.dt));
                assert_true(tarn_world_hash(one) == tarn_world_hash(two));
            }
        }
        tarn_world_destroy(one);
        tarn_world_destroy(two);
    }
}

// No step after the first ones allocates.
static void steps_do_not_allocate(void **state)
{
    (void)state;
    struct counting_allocator l = {.left = -1};
    const tarn_allocator a = {.alloc = counting_alloc, .free = counting_free, .context = &l};
    tarn_world *w = busy(TARN_COUPLING_PRESSURE, &a);
    for (int n = 0; n < 30; ++n) CHECK_OK(tarn_world_advance(w, w->def.dt));
    const long calls = l.calls;
    for (int n = 0; n < 60; ++n) CHECK_OK(tarn_world_advance(w, w->def.dt));
    assert_true(l.calls == calls);
    tarn_world_destroy(w);
    assert_true(l.blocks == 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(balls_float_at_their_exact_draft),
        cmocka_unit_test(bodies_at_rest_make_no_wave),
        cmocka_unit_test(standing_bodies_make_no_waves),
        cmocka_unit_test(light_bodies_are_stable),
        cmocka_unit_test(momentum_is_conserved),
        cmocka_unit_test(energy_never_grows),
        cmocka_unit_test(penalty_counts_displaced_volume),
        cmocka_unit_test(splash_conserves_volume),
        cmocka_unit_test(restarts_are_exact),
        cmocka_unit_test(steps_do_not_allocate),
    };
    return cmocka_run_group_tests_name("pressure", tests, NULL, NULL);
}
