// Colour maps, and the rounding of value ranges for axis labels.
#include "check.h"

#include "draw/plot/axis_ticks.h"
#include "draw/plot/colormap.h"

#include <stdio.h>

// CIE lightness L* of an sRGB colour, 0 .. 100
static double lightness(const unsigned char rgb[3])
{
    static const double weight[3] = {0.2126, 0.7152, 0.0722};
    double y = 0.0;

    for (int i = 0; i < 3; ++i) {
        const double c = rgb[i] / 255.0;
        y += weight[i] * (c <= 0.04045 ? c / 12.92 : pow((c + 0.055) / 1.055, 2.4));
    }
    return y > 0.008856 ? 116.0 * cbrt(y) - 16.0 : 903.3 * y;
}

static void check_colour(const char *name, int at, int r, int g, int b, double tol)
{
    unsigned char rgb[256][3];

    assert_true(colormap_table(name, rgb));
    CHECK_NEAR(rgb[at][0], r, tol);
    CHECK_NEAR(rgb[at][1], g, tol);
    CHECK_NEAR(rgb[at][2], b, tol);
}

// Every listed name gives a colour map without jumps, and its reverse.
static void every_colormap_name_is_known(void **state)
{
    unsigned char rgb[256][3], back[256][3];
    char turned[64];
    int count = 0;

    (void)state;
    for (const char *name; (name = colormap_name(count)) != NULL; ++count) {
        assert_true(colormap_table(name, rgb));
        snprintf(turned, sizeof turned, "%s_r", name);
        assert_true(colormap_table(turned, back));
        for (int i = 0; i < 256; ++i) assert_memory_equal(rgb[i], back[255 - i], 3);
        for (int i = 1; i < 256; ++i)
            for (int k = 0; k < 3; ++k)
                CHECK_NEAR(rgb[i][k], rgb[i - 1][k], 20); // ocean and pink are the steepest
        for (int other = 0; other < count; ++other) assert_string_not_equal(name, colormap_name(other));
    }
    assert_true(count >= 24);
    assert_null(colormap_name(-1));
}

static void unknown_names_are_rejected(void **state)
{
    static const char *const wrong[] = {"", "virid", "viridis ", "viridis_", "viridis_r_r", "_r", "Viridis"};
    unsigned char rgb[256][3];

    (void)state;
    for (int k = 0; k < COUNT(wrong); ++k) assert_false(colormap_table(wrong[k], rgb));
}

// The published colours at the ends and in the middle. Between its points a map may be off by some levels.
static void colormap_matches_reference_colours(void **state)
{
    (void)state;
    check_colour("viridis", 0, 68, 1, 84, 1);
    check_colour("viridis", 128, 33, 145, 140, 4);
    check_colour("viridis", 255, 253, 231, 37, 1);
    check_colour("inferno", 0, 0, 0, 4, 1);
    check_colour("coolwarm", 0, 59, 76, 192, 1);
    check_colour("coolwarm", 255, 180, 4, 38, 1);
    check_colour("cubehelix", 0, 0, 0, 0, 0);
    check_colour("cubehelix", 255, 255, 255, 255, 0);
    check_colour("jet", 0, 0, 0, 128, 1);
    check_colour("jet", 255, 128, 0, 0, 1);
    check_colour("hot", 0, 11, 0, 0, 1);
    check_colour("hot", 255, 255, 255, 255, 0);
    check_colour("hsv", 0, 255, 0, 0, 0);
    check_colour("hsv", 85, 0, 255, 0, 0);
    check_colour("hsv", 170, 0, 0, 255, 0);
    check_colour("RdBu", 0, 103, 0, 31, 0);
    check_colour("RdBu_r", 0, 5, 48, 97, 0);
}

// Lightness increases along these maps, so that larger values look brighter.
static void colormap_lightness_increases(void **state)
{
    static const char *const maps[] = {"viridis",   "plasma", "inferno", "magma", "cividis",
                                       "cubehelix", "gray",   "bone",    "hot",   "Blues_r"};
    unsigned char rgb[256][3];

    (void)state;
    for (int m = 0; m < COUNT(maps); ++m) {
        assert_true(colormap_table(maps[m], rgb));
        for (int i = 1; i < 256; ++i)
            if (!(lightness(rgb[i]) >= lightness(rgb[i - 1]) - 0.25)) // one level of one channel
                fail_msg("%s grows darker at %d", maps[m], i);
        assert_true(lightness(rgb[255]) > lightness(rgb[0]) + 50.0);
    }
}

static void ranges_are_rounded_up(void **state)
{
    static const double pairs[][2] = {
        {1.0, 1.0},  {1.01, 2.0}, {2.0, 2.0},     {0.3, 0.5},   {0.5, 0.5},    {0.051, 0.1}, {1e-3, 1e-3},
        {70.0, 100}, {0.2, 0.2},  {2.1e-7, 5e-7}, {3e12, 5e12}, {0.0999, 0.1}, {999.0, 1e3}, {1e-30, 1e-30}};

    (void)state;
    for (int k = 0; k < COUNT(pairs); ++k)
        CHECK_NEAR(round_up_1_2_5(pairs[k][0]), pairs[k][1], 1e-9 * pairs[k][1]); // pow(10, n) is not exact
}

// Ticks are in the range, ordered, spaced by 1, 2 or 5 times a power of ten, and zero is written as 0.
static void ticks_are_round_and_inside(void **state)
{
    static const double ranges[][2] = {{-0.1, 0.1},    {0.0, 1.0},       {0.9, 1.1},    {-0.5, 0.5},
                                       {0.0, 2.0},     {0.0, 5.0},       {-3.7, 12.34}, {1e-7, 3e-7},
                                       {-1e6, 2e7},    {0.9999, 1.0001}, {0.0, 1e-3},   {99.0, 101.0},
                                       {-8.25, -8.15}, {0.013, 0.077}};

    (void)state;
    for (int k = 0; k < COUNT(ranges); ++k) {
        double ticks[MAX_TICKS], step;
        const double lo = ranges[k][0], hi = ranges[k][1];
        const int count = axis_ticks(lo, hi, 5, ticks, &step);

        assert_in_range(count, 2, 7);
        CHECK_NEAR(round_up_1_2_5(step), step, 1e-9 * step);
        for (int i = 0; i < count; ++i) {
            assert_true(ticks[i] >= lo && ticks[i] <= hi);
            CHECK_NEAR(ticks[i] / step, nearbyint(ticks[i] / step), 1e-5); // clamped to the range at its ends
            if (i) CHECK_NEAR(ticks[i] - ticks[i - 1], step, 1e-5 * step);
            if (ticks[i] == 0.0) assert_false(signbit(ticks[i]));
        }
    }
}

// The ranges that are chosen for a frame have 5 to 7 ticks.
static void rounded_ranges_have_enough_ticks(void **state)
{
    (void)state;
    for (double half = 1e-3; half < 1e3; half = round_up_1_2_5(1.5 * half)) {
        double ticks[MAX_TICKS];
        assert_in_range(axis_ticks(0.0, half, 5, ticks, NULL), 5, 7);
        assert_in_range(axis_ticks(-half, half, 5, ticks, NULL), 5, 7);
    }
}

static void tick_labels_are_short(void **state)
{
    static const struct {
        double tick, step;
        const char *want;
    } cases[] = {{0.0, 0.1, "0.0"},     {0.3, 0.1, "0.3"},   {-0.05, 0.05, "-0.05"}, {4.0, 1.0, "4"},
                 {20.0, 5.0, "20"},     {1e-18, 0.2, "0.0"}, {1.5, 0.5, "1.5"},      {2e7, 1e6, "2e+07"},
                 {3e-7, 1e-7, "3e-07"}, {-0.0, 1.0, "0"},    {2000.0, 500.0, "2000"}};
    char text[32];

    (void)state;
    for (int k = 0; k < COUNT(cases); ++k) {
        format_tick(cases[k].tick, cases[k].step, text);
        assert_string_equal(text, cases[k].want);
    }
}

// A quantile of the absolute values: a few outliers do not change it.
static void value_ranges_ignore_outliers(void **state)
{
    enum { N = 1000 };
    float values[N];

    (void)state;
    for (int c = 0; c < N; ++c) values[c] = 2.0f + (float)((c * 7) % N - N / 2) / N; // 1.5 .. 2.5, any order
    CHECK_NEAR(abs_quantile(values, N, 2.0, 1.0), 0.5, 1e-6);
    CHECK_NEAR(abs_quantile(values, N, 2.0, 0.5), 0.25, 2e-3); // one bin and one value
    values[3] = 1e20f;
    values[5] = NAN;
    values[7] = INFINITY;
    CHECK_NEAR(abs_quantile(values, N, 2.0, 0.99), 0.495, 0.01); // rounded up by 1 %, two values of 1000
    for (int c = 0; c < N; ++c) values[c] = 2.0f;
    CHECK_NEAR(abs_quantile(values, N, 2.0, 0.995), 0.0, 0.0);
    for (int c = 0; c < N; ++c) values[c] = NAN;
    CHECK_NEAR(abs_quantile(values, N, 2.0, 0.995), 0.0, 0.0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_colormap_name_is_known),
        cmocka_unit_test(unknown_names_are_rejected),
        cmocka_unit_test(colormap_matches_reference_colours),
        cmocka_unit_test(colormap_lightness_increases),
        cmocka_unit_test(ranges_are_rounded_up),
        cmocka_unit_test(ticks_are_round_and_inside),
        cmocka_unit_test(rounded_ranges_have_enough_ticks),
        cmocka_unit_test(tick_labels_are_short),
        cmocka_unit_test(value_ranges_ignore_outliers),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
