// Field views, arrows and streamlines show the values of the frame.
#include "check.h"

#include "draw/draw.h"
#include "draw/plot/field_list.h"
#include "draw/plot/velocity_lines.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

enum { N = 32, SIZE = 128 }; // cells; pixels, so few that the image has no margins
#define PI 3.14159265358979

static float zero[N * N], u[N * N], v[N * N], dye[N * N], heat[N * N], open[N * N];

static tarn_frame make_frame(void)
{
    for (int c = 0; c < N * N; ++c) zero[c] = u[c] = v[c] = dye[c] = heat[c] = 0.0f, open[c] = 1.0f;
    return (tarn_frame){.planar = 1,
                        .nx = N,
                        .nz = N,
                        .cell_size = 1.0 / N,
                        .x0 = 0.5 / N,
                        .z0 = 0.5 / N,
                        .height = zero,
                        .velocity_x = u,
                        .velocity_z = v,
                        .dye = dye,
                        .temperature = heat,
                        .pressure = zero,
                        .vorticity = zero,
                        .open = open};
}

// The pixel at a position, 0 .. 1 from the left and from below.
static void look(const tarn_frame *f, struct draw_view view, double x, double y, int rgb[3])
{
    static unsigned char picture[3 * SIZE * SIZE];
    char why[256];
    struct draw *d =
        draw_create(&(struct draw_setup){.width = SIZE, .height = SIZE, .low_quality = true}, why);
    if (!d) fail_msg("no picture: %s", why);
    CHECK_OK(draw_frame(d, f, &view));
    CHECK_OK(draw_read_pixels(d, picture));
    draw_destroy(d);
    const unsigned char *p = picture + 3 * (SIZE * (int)((1.0 - y) * SIZE) + (int)(x * SIZE));
    for (int k = 0; k < 3; ++k) rgb[k] = p[k];
}

static struct draw_view view_of(const char *name, double lo, double hi)
{
    struct draw_view view = {.range_min = lo, .range_max = hi};
    snprintf(view.name, sizeof view.name, "%s", name);
    return view;
}

// N red, E yellow, S green, W blue.
static void velocity_directions_have_their_colours(void **state)
{
    (void)state;
    static const struct {
        float u, v;
        bool bright[3];
    } ways[4] = {{0, 1, {1, 0, 0}}, {1, 0, {1, 1, 0}}, {0, -1, {0, 1, 0}}, {-1, 0, {0, 0, 1}}};
    tarn_frame f = make_frame();
    for (int k = 0; k < 4; ++k) {
        int rgb[3];
        for (int c = 0; c < N * N; ++c) u[c] = ways[k].u, v[c] = ways[k].v;
        look(&f, view_of("velocity", 0, 1), 0.5, 0.5, rgb);
        for (int n = 0; n < 3; ++n) assert_true(ways[k].bright[n] ? rgb[n] > 180 : rgb[n] < 100);
    }
}

// Hue shows the temperature, brightness the dye.
static void smoke_glows_by_temperature(void **state)
{
    (void)state;
    tarn_frame f = make_frame();
    int cold[3], hot[3], clear[3];
    for (int c = 0; c < N * N; ++c)
        dye[c] = c / N < N / 2 ? 1.0f : 0.0f, heat[c] = c % N < N / 2 ? 0.1f : 0.9f;
    look(&f, view_of("smoke", 0, 1), 0.25, 0.25, cold);
    look(&f, view_of("smoke", 0, 1), 0.75, 0.25, hot);
    look(&f, view_of("smoke", 0, 1), 0.75, 0.75, clear);
    assert_true(cold[2] > 2 * cold[0] && hot[0] > 2 * hot[2]);
    for (int k = 0; k < 3; ++k) assert_int_equal(clear[k], 0);
}

// Solids are grey for any value of the field; the default field is dye.
static void walls_are_drawn_grey(void **state)
{
    (void)state;
    tarn_frame f = make_frame();
    int wall[3], fluid[3], asked[3];
    for (int c = 0; c < N * N; ++c) dye[c] = 0.5f, open[c] = c % N < N / 4 ? 0.0f : 1.0f;
    look(&f, view_of("perspective", 0, 1), 0.1, 0.5, wall);
    look(&f, view_of("perspective", 0, 1), 0.6, 0.5, fluid);
    look(&f, view_of("dye", 0, 1), 0.6, 0.5, asked);
    for (int k = 0; k < 3; ++k) {
        CHECK_NEAR(wall[k], 160, 10);
        assert_int_equal(fluid[k], asked[k]);
    }
    assert_true(abs(fluid[0] - fluid[2]) > 20);
}

static void value_ranges_contain_all_values(void **state)
{
    (void)state;
    const tarn_frame f = make_frame();
    const struct draw_view own = {0}, told = {.range_min = 3, .range_max = 1};
    float values[100];
    double lo, hi;
    for (int c = 0; c < 100; ++c) values[c] = 20.0f + 0.01f * (float)c;
    values[7] = NAN;
    field_range(field_find("temperature"), &f, &own, values, 100, &lo, &hi);
    assert_true(lo <= 20.0 && lo > 19.9 && hi >= 20.99 && hi < 21.1);
    field_range(field_find("temperature"), &f, &told, values, 100, &lo, &hi);
    assert_true(lo == 1.0 && hi == 3.0);
    field_range(field_find("vorticity"), &f, &own, values, 100, &lo, &hi);
    assert_true(lo == -50.0 && hi == 50.0);
    for (int c = 0; c < 100; ++c) values[c] = 20.0f; // constant field: the range is not empty
    field_range(field_find("temperature"), &f, &own, values, 100, &lo, &hi);
    assert_true(lo < 20.0 && hi > 20.0);
}

// Rigid rotation has circular streamlines: each keeps its distance from the centre, within the error of
// linear cells and steps of 0.15 gaps, and no two are closer than half a gap.
static void streamlines_of_a_wheel_are_circles(void **state)
{
    (void)state;
    tarn_frame f = make_frame();
    struct triangle_list s = {0};
    const double gap = 0.08, wide = 1e-4;
    int rings[100] = {0};
    for (int j = 0; j < N; ++j)
        for (int i = 0; i < N; ++i)
            u[j * N + i] = -(float)((j + 0.5) / N - 0.5), v[j * N + i] = (float)((i + 0.5) / N - 0.5);
    assert_true(build_streamlines(&s, &f, gap, wide, 0.5));
    assert_true(s.count > 3000);
    for (int k = 0; k < s.count; ++k) {
        const double r = hypot(s.vertices[k][0] - 0.5, s.vertices[k][1] - 0.5);
        if (r < 0.45) rings[(int)(200.0 * r)] = 1; // whole circles; bins of 5 mm
    }
    int filled = 0;
    for (int k = 0; k < 90; ++k) filled += rings[k];
    assert_in_range(filled, 5,
                    20); // of about six circles, each in one bin or two or with its arrowheads three
    triangle_list_free(&s);
}

// Arrows are drawn where fluid moves, along its velocity.
static void arrows_point_along_the_flow(void **state)
{
    (void)state;
    tarn_frame f = make_frame();
    struct triangle_list s = {0};
    for (int c = 0; c < N * N; ++c) u[c] = 2.0f, v[c] = 1.0f, open[c] = c % N < N / 2 ? 0.0f : 1.0f;
    assert_true(build_arrows(&s, &f, 0.1, 0.01, sqrt(5.0)));
    assert_int_equal(s.count % 9, 0); // two triangles of a line, one of a head
    assert_in_range(s.count / 9, 40, 60);
    for (int k = 0; k < s.count; k += 9) {
        const float *tail = s.vertices[k], *tip = s.vertices[k + 6];
        CHECK_NEAR(atan2(tip[1] - tail[1], tip[0] - tail[0]), atan2(1.0, 2.0),
                   0.1); // the tail is half a line width aside
        assert_true(tip[0] > 0.45f);
    }
    for (int c = 0; c < N * N; ++c) u[c] = v[c] = 0.0f;
    assert_true(build_arrows(&s, &f, 0.1, 0.01, 1.0));
    assert_int_equal(s.count, 0);
    triangle_list_free(&s);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(velocity_directions_have_their_colours),
        cmocka_unit_test(smoke_glows_by_temperature),
        cmocka_unit_test(walls_are_drawn_grey),
        cmocka_unit_test(value_ranges_contain_all_values),
        cmocka_unit_test(streamlines_of_a_wheel_are_circles),
        cmocka_unit_test(arrows_point_along_the_flow),
    };
    return cmocka_run_group_tests_name("fields", tests, NULL, NULL);
}
