// Coupling of bodies with `wave` and `shallow`: drafts, stability, volume, ledger.
#include "body_def.h"
#include "wave_world.h"

#include "world/world.h"

static const char *const OPEN = "open";
#define OPEN_SIDES             \
    {                          \
        OPEN, OPEN, OPEN, OPEN \
    }

// A pond of 4 x 4 m, 1 m deep, with open boundaries.
static tarn_world *open_pond(int n)
{
    return wave_world_create(&(struct wave_world){
        .wide = 4, .deep = 4, .nx = n, .nz = n, .depth = 1, .diffusion = -1, .side = OPEN_SIDES});
}

static double height_of(const tarn_world *w, tarn_body_id id)
{
    tarn_body_state m;
    CHECK_OK(tarn_body_get_state(w, id, &m));
    return m.position.y;
}

static double fraction_of(const tarn_world *w, tarn_body_id id)
{
    tarn_load l;
    CHECK_OK(tarn_body_get_load(w, id, &l));
    return l.submerged_fraction;
}

// A sphere, or a flat box (a cube of this density would not float upright).
static tarn_body_id float_body(tarn_world *w, int box, double density, double y)
{
    const tarn_vec3 at = {0.013, y, 0.007}; // nothing lines up with the grid
    return box ? add_box(w, (tarn_vec3){0.6, 0.3, 0.6}, density, at) : add_sphere(w, 0.25, density, at);
}

// ---- floating -------------------------------------------------------------------------------------

// Archimedes after a drop: the submerged fraction is the density ratio on any grid.
static void half_as_dense_floats_half_under(void **state)
{
    (void)state;
    for (int box = 0; box < 2; ++box)
        for (int n = 32; n <= 128; n *= 2) {
            tarn_world *w = open_pond(n);
            const tarn_body_id id = float_body(w, box, 500, 1.2);
            run_for(w, 25);
            CHECK_NEAR(fraction_of(w, id), 0.5, 0.0025); // 0.5 %
            CHECK_NEAR(height_of(w, id), 1.0, 0.001);
            tarn_world_destroy(w);
        }
}

// Draft of a ball against its submerged fraction, d^2 (3R - d) = 4 s R^3, in many poses: the hull has 1,280
// flat faces.
static void balls_float_at_their_draft(void **state)
{
    (void)state;
    tarn_world *w = open_pond(16);
    for (int k = 0; k < 5 * 29; ++k) {
        const double d = 0.3 + 0.05 * (k / 5), turn = 0.3 * (k % 5); // draft in radii
        tarn_body_def def = body_def("sphere");
        tarn_body_id id;
        def.type = TARN_BODY_KINEMATIC, def.position = (tarn_vec3){0, 1.0 + 0.25 * (1.0 - d), 0};
        def.rotation = quat_normalize((quat){1, turn, 0.4 * turn * turn, -turn});
        CHECK_OK(tarn_body_create(w, &def, &id, NULL));
        const double off = fraction_of(w, id) - d * d * (3.0 - d) / 4.0;
        CHECK_NEAR(off / (0.25 * (6.0 * d - 3.0 * d * d)), 0.0, 1e-4); // as a draft, in radii
        CHECK_OK(tarn_body_destroy(w, id));
    }
    tarn_world_destroy(w);
}

// Decay of an oscillation: the mean time of its envelope, int |y - 1| dt / amplitude, and the last time at
// which it is larger than a tenth.
static void swing(int n, int box, double *mean, double *last)
{
    const double amplitude = 0.1;
    tarn_world *w = open_pond(n);
    const tarn_body_id id = float_body(w, box, 500, 1.0 + amplitude);
    *mean = *last = 0.0;
    for (int k = 0; k < 900; ++k) {
        CHECK_OK(tarn_world_advance(w, 1.0 / 60.0));
        const double off = fabs(height_of(w, id) - 1.0);
        *mean += off / amplitude / 60.0;
        if (off > 0.1 * amplitude) *last = tarn_world_get_status(w).time;
    }
    tarn_world_destroy(w);
}

// The motion does not depend on the cell size.
static void settling_does_not_depend_on_the_grid(void **state)
{
    (void)state;
    for (int box = 0; box < 2; ++box) {
        double mean[2], last[2];
        for (int k = 0; k < 2; ++k) swing(64 << k, box, &mean[k], &last[k]);
        print_message("%s: settles in %.3f and %.3f s, mean swing %.4f and %.4f s\n", box ? "box" : "sphere",
                      last[0], last[1], mean[0], mean[1]);
        CHECK_NEAR(last[1] / last[0], 1.0, 0.05);
        CHECK_NEAR(mean[1] / mean[0], 1.0, 0.05);
    }
}

// A body a hundredth as dense as water comes to rest and stays there.
static void very_light_bodies_do_not_jitter(void **state)
{
    (void)state;
    for (int box = 0; box < 2; ++box)
        for (int n = 32; n <= 128; n *= 2) {
            tarn_world *w = open_pond(n);
            const tarn_body_id id = float_body(w, box, 10, 1.5);
            double fastest = 0.0, low = 1e9, high = -1e9;
            run_for(w, 8);
            for (int k = 0; k < 240; ++k) {
                tarn_body_state m;
                CHECK_OK(tarn_world_advance(w, 1.0 / 60.0));
                CHECK_OK(tarn_body_get_state(w, id, &m));
                fastest = fmax(fastest, fabs(m.velocity.y));
                low = fmin(low, m.position.y), high = fmax(high, m.position.y);
            }
            print_message("%s, %d^2: |v_y| < %.2g m/s, y within %.2g m\n", box ? "box" : "sphere", n, fastest,
                          high - low);
            assert_true(fastest < 5e-3);
            assert_true(high - low < 2e-4);
            CHECK_NEAR(fraction_of(w, id), 0.01, 0.001);
            tarn_world_destroy(w);
        }
}

// A body inserted in equilibrium into still water makes no wave.
static void bodies_at_rest_make_no_waves(void **state)
{
    (void)state;
    for (int box = 0; box < 2; ++box)
        for (int n = 32; n <= 128; n *= 2) {
            tarn_world *w = wave_world_create(&(struct wave_world){
                .wide = 4, .deep = 4, .nx = n, .nz = n, .depth = 1, .damping = 0.1, .diffusion = -1});
            const tarn_body_id id = float_body(w, box, 500, 1.0);
            for (int k = 0; k < 600; ++k) {
                CHECK_OK(tarn_world_advance(w, 1.0 / 60.0));
                assert_true(max_surface_deviation(w, 1.0) < 1e-5);
            }
            CHECK_NEAR(height_of(w, id), 1.0, 1e-6);
            tarn_world_destroy(w);
        }
}

// Bodies inserted under water rise without exploding. With an added mass of one half the water accelerates
// a weightless body with at most 2 g from its start 0.6 m deep until it has left the surface, so none can
// fly higher than twice that distance; and all settle at their draft.
static void submerged_bodies_rise_without_oscillation(void **state)
{
    (void)state;
    static const double densities[] = {10, 100, 500, 900};
    for (int box = 0; box < 2; ++box)
        for (int k = 0; k < COUNT(densities); ++k) {
            tarn_world *w = open_pond(64);
            const tarn_body_id id = float_body(w, box, densities[k], 0.4);
            double highest = 0.0;
            for (int n = 0; n < 1200; ++n) {
                CHECK_OK(tarn_world_advance(w, 1.0 / 60.0));
                highest = fmax(highest, height_of(w, id));
            }
            print_message("%s of density %g: at most %.3f m high\n", box ? "box" : "sphere", densities[k],
                          highest);
            assert_true(highest < 1.25 + 2.0 * (0.6 + 0.25));
            CHECK_NEAR(fraction_of(w, id), densities[k] / 1000.0, 0.02);
            tarn_world_destroy(w);
        }
}

// Terminal speed of a sinking ball: sqrt(2 (rho_b - rho) V g / (rho C_D sum A_eff)). Over a sphere
// A_eff = A max(0, 0.9 cos + 0.1) sums to 2 pi R^2 (0.45 c^2 + 0.1 c) from c = -1/9 to 1 = 3.4907 R^2.
static void sinking_balls_reach_terminal_speed(void **state)
{
    (void)state;
    tarn_world *w = wave_world_create(&(struct wave_world){
        .wide = 8, .deep = 8, .nx = 64, .nz = 64, .depth = 40, .diffusion = -1, .side = OPEN_SIDES});
    const double r = 0.25, density = 1500;
    const tarn_body_id id = add_sphere(w, r, density, (tarn_vec3){0.1, 39, 0.2});
    run_for(w, 6);
    tarn_body_state m;
    CHECK_OK(tarn_body_get_state(w, id, &m));
    const double volume = 4.0 / 3.0 * PI * r * r * r;
    const double speed = sqrt(2.0 * (density - 1000.0) * volume * 9.81 / (1000.0 * 0.82 * 3.4907 * r * r));
    CHECK_NEAR(-m.velocity.y, speed, 0.02 * speed); // the hull has flat faces, and waves pass
    tarn_world_destroy(w);
}

// ---- ledger ---------------------------------------------------------------------------------------

// The volume of the water stays constant while three bodies move in it for thousands of steps.
static void volume_is_conserved_with_bodies(void **state)
{
    (void)state;
    tarn_world *w = wave_world_create(
        &(struct wave_world){.wide = 4, .deep = 4, .nx = 64, .nz = 64, .depth = 1, .diffusion = -1});
    const tarn_body_id ball = add_sphere(w, 0.25, 300, (tarn_vec3){-0.8, 1.8, 0.5});
    add_box(w, (tarn_vec3){0.5, 0.3, 0.4}, 600, (tarn_vec3){0.8, 1.5, -0.6});
    add_sphere(w, 0.2, 900, (tarn_vec3){0.2, 0.9, 0.9});
    const int steps = long_mode() ? 100000 : 5000;
    double worst = 0.0;
    for (int n = 0; n < steps; ++n) {
        // Impulses from time to time keep them moving.
        if (n % 300 == 0) {
            tarn_body_state m;
            CHECK_OK(tarn_body_get_state(w, ball, &m));
            CHECK_OK(
                tarn_body_apply_force(w, ball, (tarn_vec3){n % 600 ? 4000 : -4000, 3000, 1500}, m.position));
        }
        CHECK_OK(tarn_world_advance(w, 1.0 / 60.0));
        if (n % 50 == 0) worst = fmax(worst, fabs(tarn_world_get_ledger(w).volume_error));
    }
    print_message("%d steps, worst drift %.2g of the volume\n", steps, worst / 16.0);
    assert_true(worst < 1e-6 * 16.0);
    tarn_world_destroy(w);
}

// Inserting and removing a body makes no wave, and the ledger closes.
static void inserting_and_removing_bodies_makes_no_waves(void **state)
{
    (void)state;
    tarn_world *w = wave_world_create(
        &(struct wave_world){.wide = 4, .deep = 4, .nx = 64, .nz = 64, .depth = 1, .diffusion = -1});
    const tarn_body_id id = float_body(w, 0, 500, 1.0);
    const double volume = 4.0 / 3.0 * PI * 0.25 * 0.25 * 0.25;
    CHECK_NEAR(tarn_world_get_ledger(w).volume_displaced, 0.5 * volume, 1e-3 * volume);
    run_for(w, 1);
    CHECK_OK(tarn_body_destroy(w, id));
    run_for(w, 1);
    const tarn_ledger l = tarn_world_get_ledger(w);
    assert_true(max_surface_deviation(w, 1.0) < 1e-5);
    CHECK_NEAR(l.volume, 16.0, 1e-6);
    CHECK_NEAR(l.volume_displaced, 0.0, 1e-6);
    CHECK_NEAR(l.volume_error, 0.0, 1e-8);
    tarn_world_destroy(w);
}

// In a closed tank the level rises by V/A of the floating bodies.
static void bodies_raise_the_level(void **state)
{
    (void)state;
    tarn_world *w = wave_world_create(&(struct wave_world){
        .wide = 2, .deep = 2, .nx = 64, .nz = 64, .depth = 1, .damping = 1, .diffusion = -1});
    const tarn_body_id id = add_sphere(w, 0.4, 500, (tarn_vec3){0, 1.5, 0});
    run_for(w, 60);
    const double volume = 0.5 * 4.0 / 3.0 * PI * 0.4 * 0.4 * 0.4;
    CHECK_NEAR(fraction_of(w, id), 0.5, 0.001);
    CHECK_NEAR(tarn_world_get_surface(w, 0.8, 0.8).height - 1.0, volume / 4.0, 0.02 * volume / 4.0);
    tarn_world_destroy(w);
}

// The impulses of water and walls on a body are in the ledger: with gravity they account for all momentum.
static void ledger_counts_momentum(void **state)
{
    (void)state;
    tarn_world *w =
        wave_world_create(&(struct wave_world){.wide = 4,
                                               .deep = 4,
                                               .nx = 64,
                                               .nz = 64,
                                               .depth = 3,
                                               .diffusion = -1,
                                               .side = {"periodic", "periodic", "periodic", "periodic"}});
    const tarn_body_id id = add_sphere(w, 0.25, 500, (tarn_vec3){0.1, 3.3, 0.2});
    tarn_body_info info;
    CHECK_OK(tarn_body_get_info(w, id, &info));
    run_for(w, 2);
    const tarn_ledger l = tarn_world_get_ledger(w);
    CHECK_NEAR(l.momentum_bodies.y + l.momentum_unresolved.y, -info.mass * 9.81 * l.time, 1e-6);
    CHECK_NEAR(l.momentum_bodies.x + l.momentum_unresolved.x, 0.0, 1e-9);
    tarn_world_destroy(w);

    // A stone that hits a wall and sinks to the floor.
    w = wave_world_create(
        &(struct wave_world){.wide = 2, .deep = 2, .nx = 32, .nz = 32, .depth = 0.5, .diffusion = -1});
    tarn_body_def stone = body_def("box");
    tarn_body_id thrown;
    stone.density = 2500, stone.position = (tarn_vec3){0, 1, 0}, stone.velocity = (tarn_vec3){8, 0, 1};
    CHECK_OK(tarn_body_create(w, &stone, &thrown, NULL));
    CHECK_OK(tarn_body_get_info(w, thrown, &info));
    run_for(w, 5);
    const tarn_ledger s = tarn_world_get_ledger(w);
    assert_true(fabs(s.momentum_walls.x) > info.mass * 1.0);
    CHECK_NEAR(s.momentum_bodies.x + s.momentum_unresolved.x - s.momentum_walls.x, info.mass * 8,
               1e-9 * info.mass);
    CHECK_NEAR(s.momentum_bodies.y + s.momentum_unresolved.y - s.momentum_walls.y, -info.mass * 9.81 * s.time,
               1e-6 * info.mass);
    tarn_world_destroy(w);
}

// ---- kinematic bodies, symmetry ------------------------------------------------------------------

// A kinematic body keeps its pose, and its load is that of Archimedes.
static void external_bodies_report_their_load(void **state)
{
    (void)state;
    tarn_world *w = open_pond(64);
    tarn_body_def def = body_def("sphere");
    tarn_body_id id;
    def.type = TARN_BODY_KINEMATIC, def.position = (tarn_vec3){0.1, 0.6, 0.2};
    CHECK_OK(tarn_body_create(w, &def, &id, NULL));
    run_for(w, 1);
    tarn_load l;
    CHECK_OK(tarn_body_get_load(w, id, &l));
    const double volume = 4.0 / 3.0 * PI * 0.25 * 0.25 * 0.25;
    CHECK_NEAR(l.force.y, 1000 * 9.81 * volume, 1e-4 * 9810 * volume);
    CHECK_NEAR(height_of(w, id), 0.6, 0.0);
    // Moved out of the water by the application it has no load.
    for (int k = 0; k < 120; ++k) {
        const tarn_body_state m = {{0.1, 0.6 + 0.01 * k, 0.2}, {1, 0, 0, 0}, {0, 0.6, 0}, {0, 0, 0}};
        CHECK_OK(tarn_body_set_state(w, id, &m));
        CHECK_OK(tarn_world_advance(w, 1.0 / 60.0));
    }
    CHECK_OK(tarn_body_get_load(w, id, &l));
    CHECK_NEAR(l.force.y, 0.0, 0.0);
    assert_true(max_surface_deviation(w, 1.0) > 1e-3); // waves of the body
    CHECK_NEAR(tarn_world_get_ledger(w).volume_error, 0.0, 1e-7);
    tarn_world_destroy(w);
}

// A mirrored throw gives the mirrored motion. The hull of a sphere is not exactly mirrored, hence a box.
static void mirrored_throws_mirror(void **state)
{
    (void)state;
    double x[2], y[2], wave[2];
    for (int k = 0; k < 2; ++k) {
        tarn_world *w = wave_world_create(
            &(struct wave_world){.wide = 4, .deep = 4, .nx = 64, .nz = 64, .depth = 1, .diffusion = -1});
        const double sign = k ? -1 : 1;
        tarn_body_def def = body_def("box");
        tarn_body_id id;
        def.position = (tarn_vec3){sign * 0.5, 1.4, 0};
        def.velocity = (tarn_vec3){sign * -1.0, 0, 0};
        def.rotation = (tarn_quat){0.9689124217106447, 0, 0, sign * 0.24740395925452294}; // 0.5 rad about z
        CHECK_OK(tarn_body_create(w, &def, &id, NULL));
        run_for(w, 1.5);
        tarn_body_state m;
        CHECK_OK(tarn_body_get_state(w, id, &m));
        x[k] = sign * m.position.x, y[k] = m.position.y;
        wave[k] = tarn_world_get_surface(w, sign * 1.2, 0.3).height;
        tarn_world_destroy(w);
    }
    // Pieces of triangles are summed in another order, so one body may become wet a world step before the
    // other; free flight and motion in water differ by g dt^2/2 per substep, of which a step has four.
    const double apart = 4.0 * 9.81 / 2.0 / (240.0 * 240.0) + 1e-4;
    CHECK_NEAR(x[1], x[0], apart);
    CHECK_NEAR(y[1], y[0], apart);
    CHECK_NEAR(wave[1], wave[0], 1e-4);
}

// A body dropped in the centre stays there: the grid has no preferred direction.
static void central_drops_make_symmetric_waves(void **state)
{
    (void)state;
    tarn_world *w = wave_world_create(
        &(struct wave_world){.wide = 4, .deep = 4, .nx = 64, .nz = 64, .depth = 1, .diffusion = -1});
    const tarn_body_id id = add_box(w, (tarn_vec3){0.5, 0.25, 0.5}, 400, (tarn_vec3){0, 1.5, 0});
    tarn_body_state m;
    run_for(w, 10);
    CHECK_OK(tarn_body_get_state(w, id, &m));
    CHECK_NEAR(m.position.x, 0.0, 1e-4); // rounding of floats, amplified by a light body in waves
    CHECK_NEAR(m.position.z, 0.0, 1e-4);
    tarn_world_destroy(w);
}

// Bodies much larger than a column, and bodies that the application moves far away.
static void large_and_far_bodies_are_safe(void **state)
{
    (void)state;
    tarn_world *w = wave_world_create(
        &(struct wave_world){.wide = 4, .deep = 4, .nx = 512, .nz = 512, .depth = 3, .diffusion = -1});
    tarn_body_def def = body_def("sphere");
    tarn_body_id ball;
    CHECK_OK(set_shape(&def, "radius", tarn_value_number(1.5), NULL));
    def.position = (tarn_vec3){0.004, 1.6, 0}, def.type = TARN_BODY_KINEMATIC;
    CHECK_OK(tarn_body_create(w, &def, &ball, NULL));
    CHECK_OK(tarn_world_advance(w, 1.0 / 60.0));
    static const tarn_vec3 places[] = {{1e6, 1, 0},  {-1e6, 1, 1e6}, {0, 1e6, 0},
                                       {0, -1e6, 0}, {2.1, 3, 2.1},  {0, 3, 0}};
    for (int k = 0; k < COUNT(places); ++k) {
        const tarn_body_state m = {places[k], {1, 0, 0, 0}, {0, 0, 0}, {0, 0, 0}};
        tarn_load l;
        CHECK_OK(tarn_body_set_state(w, ball, &m));
        CHECK_OK(tarn_world_advance(w, 1.0 / 60.0));
        CHECK_OK(tarn_body_get_load(w, ball, &l));
        if (fabs(places[k].x) > 1e3) CHECK_NEAR(l.submerged_volume, 0.0, 0.0); // no water there
    }
    tarn_world_destroy(w);
}

// Eight bodies dropped onto each other end up floating side by side, none inside another.
static void overlapping_bodies_float_apart(void **state)
{
    (void)state;
    tarn_world *w = wave_world_create(&(struct wave_world){
        .wide = 3, .deep = 3, .nx = 64, .nz = 64, .depth = 1, .damping = 0.3, .diffusion = -1});
    tarn_body_id id[8];
    for (int k = 0; k < 8; ++k) {
        const tarn_vec3 at = {0.05 * (k % 3), 1.3 + 0.5 * k, 0.04 * (k % 2)};
        id[k] = k % 2 ? add_sphere(w, 0.22, 300, at) : add_box(w, (tarn_vec3){0.5, 0.25, 0.4}, 400, at);
    }
    run_for(w, 30);
    for (int k = 0; k < 8; ++k) {
        CHECK_NEAR(fraction_of(w, id[k]), k % 2 ? 0.3 : 0.4, 0.15); // still moving, some lean on others
        for (int m = k + 1; m < 8; ++m) {
            tarn_body_state a, b;
            CHECK_OK(tarn_body_get_state(w, id[k], &a));
            CHECK_OK(tarn_body_get_state(w, id[m], &b));
            assert_true(v3_length(v3_sub(a.position, b.position)) > 0.25); // a box is 0.25 m at its thinnest
        }
    }
    CHECK_NEAR(tarn_world_get_ledger(w).volume_error, 0.0, 1e-6);
    tarn_world_destroy(w);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(half_as_dense_floats_half_under),
        cmocka_unit_test(balls_float_at_their_draft),
        cmocka_unit_test(settling_does_not_depend_on_the_grid),
        cmocka_unit_test(very_light_bodies_do_not_jitter),
        cmocka_unit_test(bodies_at_rest_make_no_waves),
        cmocka_unit_test(submerged_bodies_rise_without_oscillation),
        cmocka_unit_test(sinking_balls_reach_terminal_speed),
        cmocka_unit_test(volume_is_conserved_with_bodies),
        cmocka_unit_test(inserting_and_removing_bodies_makes_no_waves),
        cmocka_unit_test(bodies_raise_the_level),
        cmocka_unit_test(ledger_counts_momentum),
        cmocka_unit_test(external_bodies_report_their_load),
        cmocka_unit_test(mirrored_throws_mirror),
        cmocka_unit_test(central_drops_make_symmetric_waves),
        cmocka_unit_test(large_and_far_bodies_are_safe),
        cmocka_unit_test(overlapping_bodies_float_apart),
    };
    return cmocka_run_group_tests_name("couple", tests, NULL, NULL);
}
