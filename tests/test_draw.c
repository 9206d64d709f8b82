// Pictures: every view of one small frame made by hand, in both dialects, against stored pictures.
// TARN_GOLDEN=1 in the environment writes tests/data/draw_*.ppm instead of comparing; look at them before you
// keep them.
#include "check.h"

#include "../draw/draw.h"

#include <stdio.h>

enum { N = 32, RINGS = 8, SLICES = 16, WIDTH = 160, HEIGHT = 90, SMALL_W = 80, SMALL_H = 45 };
enum { BYTES = WIDTH * HEIGHT * 3, SMALL_BYTES = SMALL_W * SMALL_H * 3 };

// ---- a frame ----

static float heights[N * N], speed_x[N * N], speed_z[N * N], bed[N * N];
static float ball_vertices[(RINGS - 1) * SLICES * 3 + 6];
static int ball_triangles[2 * (RINGS - 1) * SLICES * 3];
static tarn_mesh ball = {(RINGS - 1) * SLICES + 2, 2 * (RINGS - 1) * SLICES, ball_vertices, ball_triangles};

static const float box_vertices[24] = {-0.4f, -0.2f, -0.3f, 0.4f,  -0.2f, -0.3f, -0.4f, 0.2f,
                                       -0.3f, 0.4f,  0.2f,  -0.3f, -0.4f, -0.2f, 0.3f,  0.4f,
                                       -0.2f, 0.3f,  -0.4f, 0.2f,  0.3f,  0.4f,  0.2f,  0.3f};
static const int box_triangles[36] = {0, 2, 1, 1, 2, 3, 4, 5, 6, 5, 7, 6, 0, 4, 2, 2, 4, 6,
                                      1, 3, 5, 3, 7, 5, 0, 1, 4, 1, 5, 4, 2, 6, 3, 3, 6, 7};
static const tarn_mesh crate = {8, 12, box_vertices, box_triangles};

static void triangle(int *at, int a, int b, int c)
{
    int *t = ball_triangles + 3 * (*at)++;
    t[0] = a, t[1] = b, t[2] = c;
}

// A sphere of radius 0.4 in rings about y; the poles come last.
static void make_ball(void)
{
    const double pi = 3.14159265358979;
    const int south = (RINGS - 1) * SLICES, north = south + 1;
    int count = 0;
    for (int r = 1; r < RINGS; ++r)
        for (int k = 0; k < SLICES; ++k) {
            float *v = ball_vertices + 3 * ((r - 1) * SLICES + k);
            const double tilt = pi * r / RINGS, turn = 2.0 * pi * k / SLICES;
            v[0] = (float)(0.4 * sin(tilt) * cos(turn));
            v[1] = (float)(-0.4 * cos(tilt));
            v[2] = (float)(0.4 * sin(tilt) * sin(turn));
        }
    ball_vertices[3 * south + 1] = -0.4f, ball_vertices[3 * north + 1] = 0.4f;
    for (int k = 0; k < SLICES; ++k) {
        const int next = (k + 1) % SLICES, top = (RINGS - 2) * SLICES;
        triangle(&count, south, k, next);
        triangle(&count, north, top + next, top + k);
        for (int r = 0; r < RINGS - 2; ++r) {
            const int a = r * SLICES, b = a + SLICES;
            triangle(&count, a + k, b + k, a + next);
            triangle(&count, a + next, b + k, b + next);
        }
    }
    assert_int_equal(count, ball.triangle_count);
}

static tarn_frame_body bodies[2];

static tarn_frame make_frame(void)
{
    make_ball();
    for (int j = 0; j < N; ++j)
        for (int i = 0; i < N; ++i) {
            const double x = (i + 0.5) / N, z = (j + 0.5) / N,
                         r = sqrt((x - 0.3) * (x - 0.3) + (z - 0.4) * (z - 0.4));
            const int c = j * N + i;
            heights[c] = (float)(1.0 + 0.08 * cos(30.0 * r) * exp(-2.0 * r));
            speed_x[c] = (float)(0.3 * x), speed_z[c] = (float)(0.2 * sin(6.0 * z));
            bed[c] = (float)(0.2 + 1.1 * x);
        }
    bodies[0].motion.position = (tarn_vec3){-0.8, 1.1, 0.4};
    bodies[0].motion.rotation = (tarn_quat){1, 0, 0, 0};
    bodies[0].colour = (tarn_vec3){0.85, 0.15, 0.1};
    bodies[0].mesh = &ball;
    bodies[1].motion.position = (tarn_vec3){0.7, 1.05, -0.5};
    bodies[1].motion.rotation = (tarn_quat){0.96, 0.0, 0.28, 0.0};
    bodies[1].colour = (tarn_vec3){0.8, 0.6, 0.2};
    bodies[1].mesh = &crate;
    return (tarn_frame){.nx = N,
                        .nz = N,
                        .dx = 4.0 / N,
                        .x0 = -2.0 + 2.0 / N,
                        .z0 = -2.0 + 2.0 / N,
                        .level = 1.0,
                        .height = heights,
                        .speed_x = speed_x,
                        .speed_z = speed_z,
                        .body_count = 2,
                        .bodies = bodies};
}

// A slope along x, 0.2 m at the west side, 1.3 m at the east side, with water up to a level; all of it `lift`
// higher. Flat water, so that the shore is a straight line across the picture.
static const double slope_low = 0.2, slope_rise = 1.1;

static tarn_frame make_slope(double level, double lift)
{
    tarn_frame f = make_frame();
    for (int c = 0; c < N * N; ++c) {
        const double x = (c % N + 0.5) / N, ground = slope_low + slope_rise * x + lift;
        bed[c] = (float)ground;
        heights[c] = ground < level + lift ? (float)(level + lift) : bed[c];
    }
    bodies[0].motion.position.y += lift, bodies[1].motion.position.y += lift;
    f.bed = bed, f.level = level + lift;
    return f;
}

// ---- pictures ----

static struct draw *start(enum draw_api api, bool fast)
{
    char why[256];
    struct draw *d =
        draw_create(&(struct draw_setup){.api = api, .width = WIDTH, .height = HEIGHT, .fast = fast}, why);
    if (!d) fail_msg("no picture: %s", why);
    return d;
}

static struct draw_view view_named(const char *name)
{
    struct draw_view v = {0};
    snprintf(v.name, sizeof v.name, "%s", name);
    return v;
}

static void paint_view(enum draw_api api, bool fast, const tarn_frame *f, struct draw_view v,
                       unsigned char *rgb)
{
    struct draw *d = start(api, fast);
    CHECK_OK(draw_frame(d, f, &v));
    CHECK_OK(draw_read(d, rgb));
    draw_destroy(d);
}

static void paint(enum draw_api api, bool fast, const tarn_frame *f, const char *name, unsigned char *rgb)
{
    paint_view(api, fast, f, view_named(name), rgb);
}

static double mean_difference(const unsigned char *a, const unsigned char *b, int count)
{
    double sum = 0.0;
    for (int k = 0; k < count; ++k) sum += abs(a[k] - b[k]);
    return sum / count;
}

// Mean and standard deviation of all bytes
static void spread(const unsigned char *rgb, double *mean, double *deviation)
{
    double sum = 0.0, squares = 0.0;
    for (int k = 0; k < BYTES; ++k) sum += rgb[k], squares += (double)rgb[k] * rgb[k];
    *mean = sum / BYTES;
    *deviation = sqrt(fmax(squares / BYTES - *mean * *mean, 0.0));
}

// Half as wide and high: the mean of four pixels
static void shrink(const unsigned char *rgb, unsigned char *small)
{
    for (int y = 0; y < SMALL_H; ++y)
        for (int x = 0; x < SMALL_W; ++x)
            for (int k = 0; k < 3; ++k) {
                const unsigned char *p = rgb + (2 * y * WIDTH + 2 * x) * 3 + k;
                small[(y * SMALL_W + x) * 3 + k] =
                    (unsigned char)((p[0] + p[3] + p[WIDTH * 3] + p[WIDTH * 3 + 3] + 2) / 4);
            }
}

// The worst mean difference of a patch of 5 x 5 pixels: a lost body is little on average, much in its place.
static double worst_patch(const unsigned char *a, const unsigned char *b)
{
    double worst = 0.0;
    for (int y = 0; y < SMALL_H; y += 5)
        for (int x = 0; x < SMALL_W; x += 5) {
            double sum = 0.0;
            for (int row = y; row < y + 5; ++row)
                sum += mean_difference(a + (row * SMALL_W + x) * 3, b + (row * SMALL_W + x) * 3, 15);
            worst = fmax(worst, sum / 5.0);
        }
    return worst;
}

// Other versions of a driver round edges and filters differently: 6 of 255 on average, 30 in the worst patch.
// Without its bodies a picture differs by 59 and more there.
static void compare_golden(const char *name, const unsigned char *rgb)
{
    char path[512];
    unsigned char got[SMALL_BYTES], want[SMALL_BYTES];
    int w = 0, h = 0;
    shrink(rgb, got);
    snprintf(path, sizeof path, "%s/tests/data/draw_%s.ppm", TARN_SOURCE_DIR, name);
    const bool write = getenv("TARN_GOLDEN") != NULL;
    FILE *file = fopen(path, write ? "wb" : "rb");
    if (!file) fail_msg("%s is missing: TARN_GOLDEN=1 writes it", path);
    if (write) {
        fprintf(file, "P6\n%d %d\n255\n", SMALL_W, SMALL_H);
        assert_int_equal(fwrite(got, 1, sizeof got, file), sizeof got);
    } else {
        assert_int_equal(fscanf(file, "P6 %d %d 255", &w, &h), 2);
        assert_int_equal(fgetc(file), '\n');
        assert_true(w == SMALL_W && h == SMALL_H);
        assert_int_equal(fread(want, 1, sizeof want, file), sizeof want);
        CHECK_NEAR(mean_difference(got, want, SMALL_BYTES), 0.0, 6.0);
        CHECK_NEAR(worst_patch(got, want), 0.0, 30.0);
    }
    assert_int_equal(fclose(file), 0);
}

// ---- the tests ----

// Every view shows something, the same in GL and GLES, and what it showed when it was last looked at.
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

// The fast way is another picture of the same thing.
static void draw_fast(void **state)
{
    (void)state;
    const tarn_frame f = make_frame();
    static unsigned char fine[BYTES], fast[BYTES];
    paint(DRAW_GL, false, &f, "perspective", fine);
    paint(DRAW_GL, true, &f, "perspective", fast);
    CHECK_NEAR(mean_difference(fine, fast, BYTES), 8.0, 7.9); // no refraction, hard edges, yet alike
    compare_golden("fast", fast);
}

// Ground given as heights replaces the basin; dry land shows no water.
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

// How many pixels are blue and green rather than red, as only water is from above
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

// Red over blue in the middle of a picture
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
    v.from = (tarn_vec3){0.01, 4, 0.01}, v.to = (tarn_vec3){0, 0.9, 0};
    paint_view(DRAW_GL, fast, f, v, rgb);
    return redness(rgb);
}

// The floor of a boat is below the surface around it, and dry: a red tub stays red inside. Without its hold there would
// be water over it; the water that it does hold is seen.
static void draw_open_hull(void **state)
{
    (void)state;
    tarn_world_def def = tarn_world_def_default("wave");
    tarn_body_def tub = tarn_body_def_default("box");
    tarn_world *w;
    tarn_body id;
    tarn_frame f = {0};
    CHECK_OK(tarn_spec_set(&def.fluid, "size", tarn_pair(4, 4), NULL));
    CHECK_OK(tarn_spec_set(&def.fluid, "cells", tarn_pair(32, 32), NULL));
    CHECK_OK(tarn_spec_set(&tub.shape, "size", tarn_triple(1.2, 0.6, 1.2), NULL));
    CHECK_OK(tarn_spec_set(&tub.shape, "wall", tarn_number(0.05), NULL));
    tub.external = 1, tub.colour = (tarn_vec3){0.9, 0.1, 0.1};
    tub.position = (tarn_vec3){0, 0.9, 0}; // the floor 0.25 m under, the rim 0.3 m over the surface
    CHECK_OK(tarn_world_create(&def, &w, NULL));
    CHECK_OK(tarn_body_create(w, &tub, &id, NULL));
    CHECK_OK(tarn_world_frame(w, 1.0, &f));
    assert_non_null(f.bodies[0].hold);
    assert_true(f.bodies[0].inside < 0.0); // nothing in it
    for (int k = 0; k < 4; ++k) {
        const bool fast = k % 2;
        const char *name = k < 2 ? "perspective" : "top";
        const double dry = redness_of(&f, fast, name);
        tarn_frame_body other = f.bodies[0], *body = &f.bodies[0];
        body->inside = 1.1;
        const double full = redness_of(&f, fast, name);
        body->hold = NULL;
        const double wet = redness_of(&f, fast, name);
        f.bodies[0] = other;
        assert_true(dry > 1.15 * wet && dry > 2.0 * full); // 1.29 to 1.67 times and 2.9 to 3.3 times as much
    }
    tarn_frame_free(&f);
    tarn_world_destroy(w);
}

// The shore is where the surface meets the ground: in colours between grey hills, the part of a small picture
// (height x height pixels, no margins) that is coloured is the part of the slope below the level.
static void draw_shore(void **state)
{
    (void)state;
    static unsigned char rgb[BYTES];
    for (int k = 0; k < 8; ++k) {
        const double level = 0.35 + 0.1 * k;
        tarn_frame f = make_slope(level, 0.0);
        struct draw_view v = view_named("height");
        f.body_count = 0;
        v.lo = 2.0, v.hi = 3.0; // all water is far below: the darkest blue
        paint_view(DRAW_GL, true, &f, v, rgb);
        int coloured = 0;
        for (const unsigned char *p = rgb; p < rgb + BYTES; p += 3)
            coloured += p[2] > p[0] + 46; // half of it
        // Half a pixel, and a tenth of a cell: dry ground close to the level counts as a little higher
        CHECK_NEAR(coloured / (double)(HEIGHT * HEIGHT), (level - slope_low) / slope_rise,
                   0.5 / HEIGHT + 0.1 / N);
    }
}

// Contours are where they should be, one after the other up the slope; over a flat floor there are none.
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

// A lake in the mountains looks like one by the sea, in both dialects: heights count from the lowest ground.
// At 2,000 m floats are 0.12 mm apart.
static void draw_high_up(void **state)
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

// The same frame gives the same bytes: after other views, from a second renderer, while another one lives.
static void draw_repeats(void **state)
{
    (void)state;
    const tarn_frame f = make_frame();
    const struct draw_view first = view_named("perspective"), other = view_named("top");
    static unsigned char a[BYTES], b[BYTES];
    struct draw *d = start(DRAW_GL, false), *e = start(DRAW_GLES, true);
    CHECK_OK(draw_frame(d, &f, &first));
    CHECK_OK(draw_frame(e, &f, &other));
    CHECK_OK(draw_read(d, a));
    CHECK_OK(draw_frame(d, &f, &other));
    draw_destroy(e);
    CHECK_OK(draw_frame(d, &f, &first));
    CHECK_OK(draw_read(d, b));
    draw_destroy(d);
    assert_memory_equal(a, b, BYTES);
    paint(DRAW_GL, false, &f, "perspective", b);
    assert_memory_equal(a, b, BYTES);
}

// A view from elsewhere is another picture; a body that moves changes it; a broken mesh is left out.
static void draw_follows(void **state)
{
    (void)state;
    const tarn_frame f = make_frame();
    static unsigned char a[BYTES], b[BYTES];
    struct draw_view v = view_named("perspective");
    struct draw *d = start(DRAW_GL, false);
    CHECK_OK(draw_frame(d, &f, &v));
    CHECK_OK(draw_read(d, a));
    v.from = (tarn_vec3){-5, 4, -6}, v.to = (tarn_vec3){0, 0.5, 0};
    CHECK_OK(draw_frame(d, &f, &v));
    CHECK_OK(draw_read(d, b));
    assert_true(mean_difference(a, b, BYTES) > 3.0);

    const int astray[3] = {0, 1, 9999};
    const tarn_mesh broken = {8, 1, box_vertices, astray};
    bodies[1].mesh = &broken;
    CHECK_OK(draw_frame(d, &f, &v));
    bodies[1].mesh = NULL;
    CHECK_OK(draw_frame(d, &f, &v));
    draw_destroy(d);
}

// Times are there from the frame after the first question on, and no pass takes less than nothing.
static void draw_tells_times(void **state)
{
    (void)state;
    const tarn_frame f = make_frame();
    const struct draw_view v = view_named("perspective");
    const char *names[16];
    double ms[16];
    struct draw *d = start(DRAW_GL, true);
    CHECK_OK(draw_frame(d, &f, &v));
    assert_int_equal(draw_times(d, names, ms, 16), 0);
    CHECK_OK(draw_frame(d, &f, &v));
    const int count = draw_times(d, names, ms, 16);
    bool water = false;
    for (int k = 0; k < count; ++k) {
        assert_true(ms[k] >= 0.0);
        water = water || strcmp(names[k], "water") == 0;
    }
    assert_true(water);
    assert_int_equal(draw_times(d, names, ms, 1), 1);
    draw_destroy(d);
}

// Promise in draw.h: what cannot be drawn is refused, and nothing breaks.
static void draw_refuses(void **state)
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
    assert_int_equal(draw_read(d, rgb), TARN_BAD_ARGUMENT); // nothing drawn yet
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

// Numbers that are not numbers give a picture, not a crash; one column is a pool, too.
static void draw_survives(void **state)
{
    (void)state;
    tarn_frame f = make_frame();
    struct draw *d = start(DRAW_GLES, false);
    heights[5] = NAN, heights[77] = INFINITY;
    bodies[0].motion.position.x = NAN;
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
    // A machine without any driver cannot take part; one with a driver must.
    char why[256];
    struct draw *d = draw_create(&(struct draw_setup){.width = WIDTH, .height = HEIGHT, .fast = true}, why);
    if (!d && strstr(why, "refused a") == NULL) {
        print_message("skipped: %s\n", why);
        return 77;
    }
    draw_destroy(d);
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(draw_views),         cmocka_unit_test(draw_fast),
        cmocka_unit_test(draw_bed),           cmocka_unit_test(draw_repeats),
        cmocka_unit_test(draw_follows),       cmocka_unit_test(draw_tells_times),
        cmocka_unit_test(draw_refuses),       cmocka_unit_test(draw_survives),
        cmocka_unit_test(draw_land_and_lake), cmocka_unit_test(draw_open_hull),
        cmocka_unit_test(draw_shore),         cmocka_unit_test(draw_contours),
        cmocka_unit_test(draw_high_up),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
