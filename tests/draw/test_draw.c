// Images: every view of a small frame in GL and GLES against reference images.
#include "body_def.h"
#include "golden_image.h"
#include "world_setup.h"

// Every view shows something, the same in GL and GLES, and equals its reference image.
static void draw_views(void **state)
{
    (void)state;
    const tarn_frame f = make_frame();
    static unsigned char gl[BYTES], gles[BYTES];
    const char *name;
    for (int k = 0; (name = draw_view_name(k)) != NULL; ++k) {
        double mean, deviation;
        paint(DRAW_GL, false, &f, name, gl);
        paint(DRAW_GLES, false, &f, name, gles);
        spread(gl, &mean, &deviation);
        assert_true(mean > 40.0 && mean < 250.0 && deviation > 10.0);
        CHECK_NEAR(mean_difference(gl, gles, BYTES), 0.0, 2.0); // the same driver: rounding at edges
        compare_golden(name, gl);
    }
    assert_null(draw_view_name(-1));
}

// With `fast` the image differs but shows the same scene.
static void draw_fast(void **state)
{
    (void)state;
    const tarn_frame f = make_frame();
    static unsigned char fine[BYTES], fast[BYTES];
    paint(DRAW_GL, false, &f, "perspective", fine);
    paint(DRAW_GL, true, &f, "perspective", fast);
    CHECK_NEAR(mean_difference(fine, fast, BYTES), 8.0, 7.9); // no refraction, aliased edges, yet similar
    compare_golden("fast", fast);
}

// Terrain replaces the basin; dry land shows no water.
static void draw_bed(void **state)
{
    (void)state;
    tarn_frame f = make_frame();
    static unsigned char flat[BYTES], rgb[BYTES];
    const char *const names[2] = {"perspective", "top"};
    for (int k = 0; k < 2; ++k) {
        f.bed = NULL;
        paint(DRAW_GL, false, &f, names[k], flat);
        f.bed = bed;
        paint(DRAW_GL, false, &f, names[k], rgb);
        assert_true(mean_difference(flat, rgb, BYTES) > 5.0);
        compare_golden(k ? "bed_top" : "bed", rgb);
    }
}

// Number of pixels that are blue and green rather than red, as only water is from above
static int water_pixels(const unsigned char *rgb)
{
    int count = 0;
    for (const unsigned char *p = rgb; p < rgb + BYTES; p += 3) count += p[1] > p[0] + 15 && p[2] > p[0] + 15;
    return count;
}

// Dry land shows no water; a higher lake covers more of it.
static void draw_land_and_lake(void **state)
{
    (void)state;
    static unsigned char rgb[BYTES];
    for (int fast = 0; fast < 2; ++fast) {
        int before = 0;
        for (int k = 0; k < 4; ++k) { // the first level is below the lowest ground
            tarn_frame f = make_slope(0.1 + 0.35 * k, 0.0);
            f.body_count = 0;
            paint(DRAW_GL, fast, &f, "top", rgb);
            const int now = water_pixels(rgb);
            if (k == 0) assert_int_equal(now, 0);
            if (k > 0) assert_true(now > before + 200); // 0.35 m of the slope are a third of 6,700 pixels
            before = now;
        }
    }
}

// Ratio of red to blue at the centre of an image
static double redness(const unsigned char *rgb)
{
    double red = 0.0, blue = 0.0;
    for (int y = HEIGHT / 2 - 2; y < HEIGHT / 2 + 2; ++y)
        for (int x = WIDTH / 2 - 2; x < WIDTH / 2 + 2; ++x) {
            const unsigned char *p = rgb + (y * WIDTH + x) * 3;
            red += p[0], blue += p[2];
        }
    return red / blue;
}

static double redness_of(const tarn_frame *f, bool fast, const char *name)
{
    static unsigned char rgb[BYTES];
    struct draw_view v = view_named(name);
    v.camera = (tarn_vec3){0.01, 4, 0.01}, v.target = (tarn_vec3){0, 0.9, 0};
    paint_view(DRAW_GL, fast, f, v, rgb);
    return redness(rgb);
}

// The floor of a boat is below the surface around it, and dry: a red tub stays red inside. Without its
// compartment water would cover it; its floodwater is visible.
static void draw_open_hull(void **state)
{
    (void)state;
    struct world_setup def = world_setup(TARN_FLUID_WAVE);
    tarn_body_def tub = body_def("box");
    tarn_world *w;
    tarn_body_id id;
    tarn_frame f = {0};
    def.fluid.wave.size = (tarn_vec2){4, 4};
    def.fluid.wave.cells[0] = 32, def.fluid.wave.cells[1] = 32;
    CHECK_OK(set_shape(&tub, "size", tarn_value_vec3(1.2, 0.6, 1.2), NULL));
    CHECK_OK(set_shape(&tub, "wall_thickness", tarn_value_number(0.05), NULL));
    tub.type = TARN_BODY_KINEMATIC, tub.colour = (tarn_vec3){0.9, 0.1, 0.1};
    tub.position = (tarn_vec3){0, 0.9, 0}; // the floor 0.25 m under, the rim 0.3 m over the surface
    CHECK_OK(setup_create(&def, &w, NULL));
    CHECK_OK(tarn_body_create(w, &tub, &id, NULL));
    CHECK_OK(tarn_world_get_frame(w, 1.0, &f));
    assert_non_null(f.bodies[0].hold);
    assert_true(f.bodies[0].hold_level < 0.0); // no floodwater
    for (int k = 0; k < 4; ++k) {
        const bool fast = k % 2;
        const char *name = k < 2 ? "perspective" : "top";
        const double dry = redness_of(&f, fast, name);
        tarn_frame_body other = f.bodies[0], *body = &f.bodies[0];
        body->hold_level = 1.1;
        const double full = redness_of(&f, fast, name);
        body->hold = NULL;
        const double wet = redness_of(&f, fast, name);
        f.bodies[0] = other;
        assert_true(dry > 1.15 * wet && dry > 2.0 * full); // 1.9 to 2.7 times and 5.8 times as much
    }
    tarn_frame_free(&f);
    tarn_world_destroy(w);
}

// The shoreline is where the surface meets the bed: with colours between grey hills, the coloured fraction
// of a small image (height x height pixels, no margins) is the fraction of the slope below the level.
static void draw_shore(void **state)
{
    (void)state;
    static unsigned char rgb[BYTES];
    for (int k = 0; k < 8; ++k) {
        const double level = 0.35 + 0.1 * k;
        tarn_frame f = make_slope(level, 0.0);
        struct draw_view v = view_named("height");
        f.body_count = 0;
        v.range_min = 2.0, v.range_max = 3.0; // all of the bed is far below: the darkest blue
        paint_view(DRAW_GL, true, &f, v, rgb);
        int coloured = 0;
        for (const unsigned char *p = rgb; p < rgb + BYTES; p += 3)
            coloured += p[2] > p[0] + 46; // half of it
        // Half a pixel, and a tenth of a cell: dry cells close to the level count as slightly higher
        CHECK_NEAR(coloured / (double)(HEIGHT * HEIGHT), (level - slope_low) / slope_rise,
                   0.5 / HEIGHT + 0.1 / N);
    }
}

// Contours are at their heights up the slope; over a flat floor there are none.
static void draw_contours(void **state)
{
    (void)state;
    static unsigned char plain[BYTES], lines[BYTES];
    tarn_frame f = make_slope(0.0, 0.0);
    struct draw_view v = view_named("height");
    f.body_count = 0;
    paint_view(DRAW_GL, false, &f, v, plain);
    v.contours = 0.25; // at 0.25, 0.5 ... 1.25 m
    paint_view(DRAW_GL, false, &f, v, lines);
    int count = 0, inside = 0;
    for (int x = (WIDTH - HEIGHT) / 2; x < (WIDTH + HEIGHT) / 2; ++x) {
        const int at = (HEIGHT / 2 * WIDTH + x) * 3, dark = plain[at] > lines[at] + 20;
        const double y = slope_low + slope_rise * (x + 0.5 - 0.5 * (WIDTH - HEIGHT)) / HEIGHT;
        if (dark) CHECK_NEAR(fmod(y + 0.125, 0.25), 0.125, 2.0 * slope_rise / HEIGHT); // two pixels
        count += dark && !inside;
        inside = dark;
    }
    assert_int_equal(count, 5);

    const char *const names[2] = {"perspective", "top"};
    for (int k = 0; k < 2; ++k)
        for (int flat = 0; flat < 2; ++flat) {
            f.bed = flat ? NULL : bed;
            v = view_named(names[k]);
            paint_view(DRAW_GL, true, &f, v, plain);
            v.contours = 0.25;
            paint_view(DRAW_GL, true, &f, v, lines);
            if (flat) assert_memory_equal(plain, lines, BYTES);
            if (!flat) assert_true(mean_difference(plain, lines, BYTES) > 0.3);
        }
}

// A lake in the mountains looks like one at sea level, in GL and GLES: heights are relative to the lowest
// bed. At 2,000 m floats are 0.12 mm apart.
static void images_do_not_depend_on_altitude(void **state)
{
    (void)state;
    static unsigned char low[BYTES], high[BYTES];
    const char *const names[4] = {"perspective", "top", "depth", "speed"};
    for (int k = 0; k < 8; ++k) {
        const bool fast = k >= 4;
        struct draw_view v = view_named(names[k % 4]);
        v.contours = 0.25;
        const tarn_frame sea = make_slope(0.8, 0.0);
        paint_view(DRAW_GL, fast, &sea, v, low);
        const tarn_frame lake = make_slope(0.8, 2000.0);
        paint_view(DRAW_GL, fast, &lake, v, high);
        CHECK_NEAR(mean_difference(low, high, BYTES), 0.0, 0.3);
        paint_view(DRAW_GLES, fast, &lake, v, low);
        CHECK_NEAR(mean_difference(low, high, BYTES), 0.0, 2.0); // the same driver: rounding at edges
    }
}

// The same frame gives the same bytes: after other views, from a second renderer, while another one
// exists.
static void repeated_draws_are_identical(void **state)
{
    (void)state;
    const tarn_frame f = make_frame();
    const struct draw_view first = view_named("perspective"), other = view_named("top");
    static unsigned char a[BYTES], b[BYTES];
    struct draw *d = start(DRAW_GL, false), *e = start(DRAW_GLES, true);
    CHECK_OK(draw_frame(d, &f, &first));
    CHECK_OK(draw_frame(e, &f, &other));
    CHECK_OK(draw_read_pixels(d, a));
    CHECK_OK(draw_frame(d, &f, &other));
    draw_destroy(e);
    CHECK_OK(draw_frame(d, &f, &first));
    CHECK_OK(draw_read_pixels(d, b));
    draw_destroy(d);
    assert_memory_equal(a, b, BYTES);
    paint(DRAW_GL, false, &f, "perspective", b);
    assert_memory_equal(a, b, BYTES);
}

// Another camera gives another image; so does a moved body; an invalid mesh is left out.
static void images_follow_camera_and_bodies(void **state)
{
    (void)state;
    const tarn_frame f = make_frame();
    static unsigned char a[BYTES], b[BYTES];
    struct draw_view v = view_named("perspective");
    struct draw *d = start(DRAW_GL, false);
    CHECK_OK(draw_frame(d, &f, &v));
    CHECK_OK(draw_read_pixels(d, a));
    v.camera = (tarn_vec3){-5, 4, -6}, v.target = (tarn_vec3){0, 0.5, 0};
    CHECK_OK(draw_frame(d, &f, &v));
    CHECK_OK(draw_read_pixels(d, b));
    assert_true(mean_difference(a, b, BYTES) > 3.0);

    const int astray[3] = {0, 1, 9999};
    const tarn_render_mesh broken = {8, 1, box_vertices, astray};
    bodies[1].mesh = &broken;
    CHECK_OK(draw_frame(d, &f, &v));
    bodies[1].mesh = NULL;
    CHECK_OK(draw_frame(d, &f, &v));
    draw_destroy(d);
}

// Times are available from the frame after the first query on, and are not negative.
static void draw_reports_times(void **state)
{
    (void)state;
    const tarn_frame f = make_frame();
    const struct draw_view v = view_named("perspective");
    const char *names[16];
    double ms[16];
    struct draw *d = start(DRAW_GL, true);
    CHECK_OK(draw_frame(d, &f, &v));
    assert_int_equal(draw_pass_times(d, names, ms, 16), 0);
    CHECK_OK(draw_frame(d, &f, &v));
    const int count = draw_pass_times(d, names, ms, 16);
    bool water = false;
    for (int k = 0; k < count; ++k) {
        assert_true(ms[k] >= 0.0);
        water = water || strcmp(names[k], "water") == 0;
    }
    assert_true(water);
    assert_int_equal(draw_pass_times(d, names, ms, 1), 1);
    draw_destroy(d);
}

// Promise in draw.h: invalid arguments are rejected without a crash.
static void invalid_arguments_of_draw_are_rejected(void **state)
{
    (void)state;
    tarn_frame f = make_frame();
    struct draw_view v = view_named("sideways");
    static unsigned char rgb[BYTES];
    char why[256];
    assert_null(draw_create(&(struct draw_setup){.width = 15, .height = 90}, why));
    assert_non_null(strstr(why, "8192"));
    assert_null(draw_create(NULL, why));
    draw_destroy(NULL);
    struct draw *d = start(DRAW_GL, true);
    assert_int_equal(draw_read_pixels(d, rgb), TARN_BAD_ARGUMENT); // nothing drawn yet
    assert_int_equal(draw_frame(d, &f, &v), TARN_BAD_ARGUMENT);
    memset(v.name, 'x', sizeof v.name); // no end
    assert_int_equal(draw_frame(d, &f, &v), TARN_BAD_ARGUMENT);
    v = view_named("top");
    assert_int_equal(draw_frame(d, NULL, &v), TARN_BAD_ARGUMENT);
    assert_int_equal(draw_frame(NULL, &f, &v), TARN_BAD_ARGUMENT);
    f.nx = 0;
    assert_int_equal(draw_frame(d, &f, &v), TARN_BAD_ARGUMENT);
    draw_destroy(d);
}

// Values that are not finite give an image, not a crash; a grid of one column is valid, too.
static void invalid_frames_do_not_crash(void **state)
{
    (void)state;
    tarn_frame f = make_frame();
    struct draw *d = start(DRAW_GLES, false);
    heights[5] = NAN, heights[77] = INFINITY;
    bodies[0].state.position.x = NAN;
    for (int k = 0; draw_view_name(k); ++k) {
        const struct draw_view v = view_named(draw_view_name(k));
        f.nx = f.nz = N;
        CHECK_OK(draw_frame(d, &f, &v));
        f.nx = f.nz = 1;
        CHECK_OK(draw_frame(d, &f, &v));
    }
    f.bed = bed;
    bed[6] = NAN, bed[78] = -INFINITY, bed[80] = 1e30f;
    const double steps[5] = {0.25, 1e-300, 1e300, -1.0, NAN};
    for (int k = 0; draw_view_name(k); ++k)
        for (int i = 0; i < 5; ++i) {
            struct draw_view v = view_named(draw_view_name(k));
            v.contours = steps[i];
            f.nx = f.nz = i % 2 ? 1 : N;
            CHECK_OK(draw_frame(d, &f, &v));
        }
    for (int c = 0; c < N * N; ++c) bed[c] = NAN;
    CHECK_OK(draw_frame(d, &f, &(struct draw_view){.name = "perspective"}));
    draw_destroy(d);
}

int main(void)
{
    if (picture_driver() != 0) return 77;
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(draw_views),
        cmocka_unit_test(draw_fast),
        cmocka_unit_test(draw_bed),
        cmocka_unit_test(repeated_draws_are_identical),
        cmocka_unit_test(images_follow_camera_and_bodies),
        cmocka_unit_test(draw_reports_times),
        cmocka_unit_test(invalid_arguments_of_draw_are_rejected),
        cmocka_unit_test(invalid_frames_do_not_crash),
        cmocka_unit_test(draw_land_and_lake),
        cmocka_unit_test(draw_open_hull),
        cmocka_unit_test(draw_shore),
        cmocka_unit_test(draw_contours),
        cmocka_unit_test(images_do_not_depend_on_altitude),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
