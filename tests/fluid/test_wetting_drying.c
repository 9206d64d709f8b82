// Shallow water with dry land and bodies: queries, beds, floating and rolling bodies.
#include "body_def.h"
#include "shallow_world.h"

#define G 9.81

static double volume_of(const tarn_world *w) { return tarn_world_get_ledger(w).volume; }

// volume = start + emitted - out, exactly.
static void check_books(const tarn_world *w)
{
    CHECK_NEAR(tarn_world_get_ledger(w).volume_error, 0.0, 0.0);
    assert_true(shallow_min_depth(w) >= 0.0);
}

// ---- asking ---------------------------------------------------------------------------------------

// An island of 1 m in water of 0.6 m: wet and dry columns are distinguished, and on dry land the reported
// height is the bed's.
static void land_and_water_are_distinguished(void **state)
{
    (void)state;
    struct world_setup d = shallow_world_def(64, 64, 0.0625);
    add_bed(&d, TARN_BED_ISLAND)->island.offset = 100.0;
    d.fluid.shallow.level = 100.6;
    tarn_world *w = shallow_world_create(&d);
    for (int n = 0; n < 10; ++n) CHECK_OK(tarn_world_advance(w, d.world.dt));
    const tarn_surface top = tarn_world_get_surface(w, 0.03125, 0.03125),
                       sea = tarn_world_get_surface(w, 1.84375, 1.84375);
    const double ground = 100.0 + exp(-2.0 * 1.84375 * 1.84375);
    assert_int_equal(top.wet, 0);
    CHECK_NEAR(top.depth, 0.0, 0.0);
    CHECK_NEAR(top.height, 100.0 + exp(-2.0 * 0.03125 * 0.03125),
               1e-6); // a cell's middle: rounded to quanta only
    CHECK_NEAR(v3_length(top.velocity), 0.0, 0.0);
    assert_int_equal(sea.wet, 1);
    CHECK_NEAR(sea.height, 100.6, 1e-9);
    CHECK_NEAR(sea.depth, 100.6 - ground, 1e-6);
    assert_int_equal(tarn_world_get_surface(w, 2.5, 0.0).wet, 0);

    tarn_frame f = {0};
    CHECK_OK(tarn_world_get_frame(w, 1.0, &f));
    assert_non_null(f.bed);
    int dry = 0;
    for (int c = 0; c < f.nx * f.nz; ++c) {
        const double x = f.x0 + c % f.nx * f.cell_size, z = f.z0 + c / f.nx * f.cell_size,
                     y = 100.0 + exp(-x * x - z * z);
        CHECK_NEAR((double)f.bed[c], y, 1e-5); // a float at 100 m has steps of 8e-6
        if (y > 100.6 + 1e-5) {
            assert_true(f.height[c] == f.bed[c]);
            ++dry;
        } else if (y < 100.6 - 1e-5)
            assert_true(f.height[c] > f.bed[c]);
    }
    assert_true(dry > 100);
    CHECK_NEAR(f.level, 100.6, 1e-9);
    tarn_frame_free(&f);
    tarn_world_destroy(w);

    d = shallow_world_def(16, 16, 0.1); // level ground at 0: no bed, or a flat one
    w = shallow_world_create(&d);
    CHECK_OK(tarn_world_get_frame(w, 1.0, &f));
    for (int c = 0; f.bed && c < 256; ++c) CHECK_NEAR((double)f.bed[c], 0.0, 0.0);
    tarn_frame_free(&f);
    tarn_world_destroy(w);
}

// ---- beds -----------------------------------------------------------------------------------------

// The ground under a point that is the middle of a cell, from a world of 32 x 32 cells of 0.125 m without
// water.
static double ground(const struct world_setup *d, double x, double z)
{
    tarn_world *w = shallow_world_create(d);
    const double y = tarn_world_get_surface(w, x, z).height;
    tarn_world_destroy(w);
    return y;
}

static void beds_follow_their_formulas(void **state)
{
    (void)state;
    const double x = 0.5625, z = -0.3125, r2 = x * x + z * z, tol = 1e-6; // rounded to quanta, 1e-7 m here
    static const tarn_bed_type kinds[] = {TARN_BED_FLAT, TARN_BED_BUMP, TARN_BED_BOWL, TARN_BED_ISLAND,
                                          TARN_BED_BEACH};
    double want[5] = {0.25, 0.25 + 0.5 * (1.0 - r2 / 2.25), 0.25 + 0.5 * r2 / 2.25,
                      0.25 + 0.5 * exp(-r2 / 2.25), 0};
    const double way = 0.8660254037844386 * x + 0.5 * z + 1.0;
    want[4] = 0.25 + 0.3 * way;
    double sum = 0.0;
    struct world_setup all = shallow_world_def(32, 32, 0.125);
    all.fluid.shallow.level = -50.0; // dry
    for (int k = 0; k < 5; ++k) {
        struct world_setup d = shallow_world_def(32, 32, 0.125);
        d.fluid.shallow.level = -50.0;
        tarn_bed_def *part = add_bed(&d, kinds[k]);
        part->bump.offset = 0.25;                                             // every type begins with it
        if (k > 0 && k < 4) part->bump.radius = 1.5, part->bump.height = 0.5; // so do these three
        if (k == 4) part->beach.angle = PI / 6.0, part->beach.start = -1.0, part->beach.slope = 0.3;
        CHECK_NEAR(ground(&d, x, z), want[k], 50 * tol);
        all.beds[all.world.bed_count++] = *part;
        sum += want[k];
    }
    CHECK_NEAR(ground(&all, x, z), sum, 50 * tol);

    // A ridge along z, a beach that ends, ground beyond a bump.
    struct world_setup d = shallow_world_def(32, 32, 0.125);
    d.fluid.shallow.level = -50.0;
    tarn_bed_def *part = add_bed(&d, TARN_BED_BUMP);
    part->bump.axis = TARN_BED_ALONG_X;
    CHECK_NEAR(ground(&d, x, z), 0.2 * (1.0 - x * x), 50 * tol);
    CHECK_NEAR(ground(&d, 1.5625, z), 0.0, 50 * tol);
    *part = tarn_default_bed_def(TARN_BED_BEACH);
    part->beach.height = 0.05;
    CHECK_NEAR(ground(&d, -x, z), 0.0, 50 * tol);
    CHECK_NEAR(ground(&d, 0.4375, z), 0.04375, 50 * tol);
    CHECK_NEAR(ground(&d, 1.5625, z), 0.05, 50 * tol);
}

// Between the middles of a map's tiles heights are bilinear, beyond the outermost they stay.
static void maps_are_bilinear(void **state)
{
    (void)state;
    const double values[6] = {1.0, 2.0, 4.0, 3.0, 5.0, 9.0}; // 3 x 2 tiles over 6 x 4 m
    struct world_setup d = shallow_world_def(48, 32, 0.125);
    d.fluid.shallow.level = -50.0;
    add_map(&d, (tarn_bed_map){3, 2, values})->height = 2.0;
    const double x = 0.4375, z = 0.1875, a = x / 2.0, b = (z + 1.0) / 2.0; // middles: x -2, 0, 2, z -1, 1
    CHECK_NEAR(ground(&d, x, z), 2.0 * ((1 - b) * (2 + 2 * a) + b * (5 + 4 * a)), 5e-5);
    CHECK_NEAR(ground(&d, -2.9375, -1.9375), 2.0, 5e-5);
    CHECK_NEAR(ground(&d, 2.9375, 1.9375), 18.0, 5e-5);
    d.beds[0] = tarn_default_bed_def(TARN_BED_ESRI);
    d.beds[0].esri.map = (tarn_bed_map){3, 2, values};
    CHECK_NEAR(ground(&d, x, z), (1 - b) * (2 + 2 * a) + b * (5 + 4 * a), 5e-5);
}

// ---- bodies ---------------------------------------------------------------------------------------

static tarn_body_state motion_of(const tarn_world *w, tarn_body_id id)
{
    tarn_body_state m;
    CHECK_OK(tarn_body_get_state(w, id, &m));
    return m;
}

static double fraction_of(const tarn_world *w, tarn_body_id id)
{
    tarn_load l;
    CHECK_OK(tarn_body_get_load(w, id, &l));
    return l.submerged_fraction;
}

// A lake of 4 x 4 m over hollows and humps, 0.6 to 1 m deep.
static struct world_setup uneven(int n)
{
    struct world_setup d = shallow_world_def(n, n, 4.0 / n);
    tarn_bed_def *hump = add_bed(&d, TARN_BED_ISLAND), *hollow = add_bed(&d, TARN_BED_BUMP);
    hump->island.position = (tarn_vec2){0.4, 0.3};
    hump->island.height = 0.4, hump->island.offset = 0.2;
    hollow->bump.position = (tarn_vec2){-0.6, -0.2};
    hollow->bump.height = -0.2;
    d.fluid.shallow.level = 1.0;
    return d;
}

static tarn_body_id float_body(tarn_world *w, int box, double density, double y)
{
    const tarn_vec3 at = {0.013, y, 0.007}; // nothing lines up with the grid
    return box ? add_box(w, (tarn_vec3){0.6, 0.3, 0.6}, density, at) : add_sphere(w, 0.25, density, at);
}

// Archimedes, after a drop into still water over uneven ground: 0.5 % of the body.
static void bodies_float_at_their_draft(void **state)
{
    (void)state;
    for (int a = 0; a < 3; ++a)
        for (int box = 0; box < 2; ++box)
            for (int n = 32; n <= 64; n *= 2) {
                struct world_setup d = uneven(n);
                d.fluid.shallow.advection = (tarn_shallow_advection)a;
                shallow_set_boundaries(&d,
                                       (const char *[4]){"open", "open", "open", "open"}); // the waves leave
                tarn_world *w = shallow_world_create(&d);
                const tarn_body_id id = float_body(w, box, 500, 1.1);
                run_for(w, 20);
                CHECK_NEAR(fraction_of(w, id), 0.5, 0.0025);
                assert_true(fabs(motion_of(w, id).position.y - 1.0) < 0.002);
                check_books(w);
                tarn_world_destroy(w);
            }
}

// A body put at equilibrium into still water makes no wave, over any bed. Displaced depths are not whole
// quanta, so there are ripples of rounding: the flux of a face is wrong by half a quantum of 2.4e-7 m in
// every substep, and nothing damps that, so that it grows as the square root of time, to 1e-5 m in about 5 s.
static void bodies_at_rest_make_no_waves(void **state)
{
    (void)state;
    for (int a = 0; a < 3; ++a)
        for (int box = 0; box < 2; ++box)
            for (int n = 32; n <= 64; n *= 2) {
                struct world_setup d = uneven(n);
                d.fluid.shallow.advection = (tarn_shallow_advection)a;
                tarn_world *w = shallow_world_create(&d);
                const tarn_body_id id = float_body(w, box, 500, 1.0);
                double most = 0.0;
                for (int k = 0; k < 200; ++k) {
                    CHECK_OK(tarn_world_advance(w, d.world.dt));
                    most = fmax(most, max_surface_deviation(w, 1.0));
                }
                print_message("%s, %s, %d^2: waves of %.2g m\n", advection_names[a], box ? "box" : "sphere",
                              n, most);
                assert_true(most < 1e-5);
                CHECK_NEAR(motion_of(w, id).position.y, 1.0, 1e-5);
                tarn_world_destroy(w);
            }
}

// On a dry slope a ball rolls down; without friction it slides with g sin, with enough of it rolls with 5/7
// of that. A box on a slope that friction holds stays where it is.
static void bodies_on_land_obey_the_slope(void **state)
{
    (void)state;
    const double slope = 0.2, along = G * slope / sqrt(1 + slope * slope);
    for (int rough = 0; rough < 2; ++rough) {
        struct world_setup d = shallow_world_def(64, 16, 0.25);
        tarn_bed_def *beach = add_bed(&d, TARN_BED_BEACH);
        beach->beach.start = -8.0, beach->beach.slope = slope;
        d.fluid.shallow.depth = 0.0;
        tarn_world *w = shallow_world_create(&d);
        tarn_body_def def = body_def("sphere");
        tarn_body_id id;
        CHECK_OK(set_shape(&def, "radius", tarn_value_number(0.3), NULL));
        def.position = (tarn_vec3){5.0, slope * 13.0 + 0.3 * sqrt(1 + slope * slope) + 1e-4, 0.0};
        def.friction = rough ? 1.0 : 0.0, def.restitution = 0.0;
        CHECK_OK(tarn_body_create(w, &def, &id, NULL));
        run_for(w, 1.5);
        const tarn_body_state m = motion_of(w, id);
        const double speed = along * 1.5 * (rough ? 5.0 / 7.0 : 1.0);
        print_message("%s: %.4g m/s, %.4g by the book\n", rough ? "rolls" : "slides", v3_length(m.velocity),
                      speed);
        assert_true(m.velocity.x < 0.0);
        CHECK_NEAR(v3_length(m.velocity), speed, 0.05 * speed);
        // It stays on the ground: the hull of flat faces and the contact's slop make a little of its
        // radius.
        CHECK_NEAR((m.position.y - slope * (m.position.x + 8.0)) / sqrt(1 + slope * slope), 0.3, 0.015);
        CHECK_NEAR(fraction_of(w, id), 0.0, 0.0);
        tarn_world_destroy(w);
    }
}

// A box that friction keeps on a slope stays there, and the bed carries its weight.
static void boxes_rest_on_slopes(void **state)
{
    (void)state;
    struct world_setup d = shallow_world_def(32, 32, 0.25);
    add_bed(&d, TARN_BED_BEACH)->beach.start = -4.0;
    d.fluid.shallow.depth = 0.0;
    tarn_world *w = shallow_world_create(&d);
    tarn_body_def def = body_def("box");
    tarn_body_id id;
    CHECK_OK(set_shape(&def, "size", tarn_value_vec3(0.8, 0.2, 0.8), NULL));
    def.position = (tarn_vec3){0.0, 0.55, 0.0}, def.friction = 0.8, def.restitution = 0.0;
    CHECK_OK(tarn_body_create(w, &def, &id, NULL));
    run_for(w, 2);
    const tarn_body_state before = motion_of(w, id);
    run_for(w, 5);
    const tarn_body_state after = motion_of(w, id);
    CHECK_NEAR(v3_length(v3_sub(after.position, before.position)), 0.0, 0.01);
    CHECK_NEAR(after.position.y, 0.4 + 0.1, 0.02);
    tarn_world_destroy(w);
}

// The ledger counts bodies that fall into the water and bodies that are placed and removed.
static void ledger_counts_bodies(void **state)
{
    (void)state;
    for (int a = 0; a < 3; ++a) {
        struct world_setup d = uneven(48);
        d.fluid.shallow.advection = (tarn_shallow_advection)a;
        tarn_world *w = shallow_world_create(&d);
        const double start = volume_of(w);
        const tarn_body_id in = float_body(w, 0, 500, 1.0);
        add_sphere(w, 0.2, 900, (tarn_vec3){-1.0, 1.8, 0.5});
        add_box(w, (tarn_vec3){0.5, 0.3, 0.4}, 600, (tarn_vec3){1.0, 1.5, -0.6});
        for (int n = 0; n < 600; ++n) {
            CHECK_OK(tarn_world_advance(w, d.world.dt));
            check_books(w);
        }
        CHECK_OK(tarn_body_destroy(w, in));
        run_for(w, 1);
        check_books(w);
        CHECK_NEAR(volume_of(w) + tarn_world_get_ledger(w).volume_displaced, start, 1e-9);
        tarn_world_destroy(w);
    }
}

// A ball falls into a pond at the foot of a cliff and reaches over both: the water that it meets is that of
// the pond, not as high as the cliff.
static void cliffs_do_not_create_water(void **state)
{
    (void)state;
    double heights[16 * 16];
    for (int c = 0; c < 16 * 16; ++c) heights[c] = c % 16 < 8 ? 1.0 : 0.0;
    struct world_setup d = shallow_world_def(16, 16, 0.25);
    add_map(&d, (tarn_bed_map){16, 16, heights})->height = 3.0;
    d.fluid.shallow.level = 1.0;
    tarn_world *w = shallow_world_create(&d);
    tarn_body_def ball = body_def("sphere");
    tarn_body_id id;
    CHECK_OK(set_shape(&ball, "radius", tarn_value_number(0.3), NULL));
    ball.density = 20, ball.position = (tarn_vec3){0.32, 3.2, 0.1}, ball.velocity = (tarn_vec3){0, -5, 0};
    CHECK_OK(tarn_body_create(w, &ball, &id, NULL));
    double highest = 0.0;
    for (int n = 0; n < 120; ++n) {
        CHECK_OK(tarn_world_advance(w, d.world.dt));
        tarn_load l;
        CHECK_OK(tarn_body_get_load(w, id, &l));
        if (l.submerged_volume > 0.0) highest = fmax(highest, l.surface_height);
    }
    print_message("the highest water that the ball met: %.3f m\n", highest);
    assert_true(highest > 0.9 && highest < 1.1); // a third of its radius for its own splash
    tarn_world_destroy(w);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(land_and_water_are_distinguished),
        cmocka_unit_test(beds_follow_their_formulas),
        cmocka_unit_test(maps_are_bilinear),
        cmocka_unit_test(bodies_float_at_their_draft),
        cmocka_unit_test(bodies_at_rest_make_no_waves),
        cmocka_unit_test(bodies_on_land_obey_the_slope),
        cmocka_unit_test(boxes_rest_on_slopes),
        cmocka_unit_test(cliffs_do_not_create_water),
        cmocka_unit_test(ledger_counts_bodies),
    };
    return cmocka_run_group_tests_name("shore", tests, NULL, NULL);
}
