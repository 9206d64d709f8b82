// A small frame, and comparison of its images with reference images.
// TARN_GOLDEN=1 in the environment writes tests/data/draw_*.ppm instead of comparing; look at them before
// keeping them.
#ifndef TESTS_GOLDEN_IMAGE_H
#define TESTS_GOLDEN_IMAGE_H

#include "check.h"

#include "draw/draw.h"

#include <stdio.h>

enum { N = 32, RINGS = 8, SLICES = 16, WIDTH = 160, HEIGHT = 90, SMALL_W = 80, SMALL_H = 45 };
enum { BYTES = WIDTH * HEIGHT * 3, SMALL_BYTES = SMALL_W * SMALL_H * 3 };

// ---- a frame ----

static float heights[N * N], speed_x[N * N], speed_z[N * N], bed[N * N];
static float ball_vertices[(RINGS - 1) * SLICES * 3 + 6];
static int ball_triangles[2 * (RINGS - 1) * SLICES * 3];
static tarn_render_mesh ball = {(RINGS - 1) * SLICES + 2, 2 * (RINGS - 1) * SLICES, ball_vertices,
                                ball_triangles};

static const float box_vertices[24] = {-0.4f, -0.2f, -0.3f, 0.4f,  -0.2f, -0.3f, -0.4f, 0.2f,
                                       -0.3f, 0.4f,  0.2f,  -0.3f, -0.4f, -0.2f, 0.3f,  0.4f,
                                       -0.2f, 0.3f,  -0.4f, 0.2f,  0.3f,  0.4f,  0.2f,  0.3f};
static const int box_triangles[36] = {0, 2, 1, 1, 2, 3, 4, 5, 6, 5, 7, 6, 0, 4, 2, 2, 4, 6,
                                      1, 3, 5, 3, 7, 5, 0, 1, 4, 1, 5, 4, 2, 6, 3, 3, 6, 7};
static const tarn_render_mesh crate = {8, 12, box_vertices, box_triangles};

static inline void triangle(int *at, int a, int b, int c)
{
    int *t = ball_triangles + 3 * (*at)++;
    t[0] = a, t[1] = b, t[2] = c;
}

// A sphere of radius 0.4 as rings about y; the poles are last.
static inline void make_ball(void)
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

static inline tarn_frame make_frame(void)
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
    bodies[0].state.position = (tarn_vec3){-0.8, 1.1, 0.4};
    bodies[0].state.rotation = (tarn_quat){1, 0, 0, 0};
    bodies[0].colour = (tarn_vec3){0.85, 0.15, 0.1};
    bodies[0].mesh = &ball;
    bodies[1].state.position = (tarn_vec3){0.7, 1.05, -0.5};
    bodies[1].state.rotation = (tarn_quat){0.96, 0.0, 0.28, 0.0};
    bodies[1].colour = (tarn_vec3){0.8, 0.6, 0.2};
    bodies[1].mesh = &crate;
    return (tarn_frame){.nx = N,
                        .nz = N,
                        .cell_size = 4.0 / N,
                        .x0 = -2.0 + 2.0 / N,
                        .z0 = -2.0 + 2.0 / N,
                        .level = 1.0,
                        .height = heights,
                        .velocity_x = speed_x,
                        .velocity_z = speed_z,
                        .body_count = 2,
                        .bodies = bodies};
}

// A slope along x, 0.2 m at the west side, 1.3 m at the east side, with water up to a level; all of it `lift`
// higher. Flat water, so that the shore is a straight line across the image.
static const double slope_low = 0.2, slope_rise = 1.1;

static inline tarn_frame make_slope(double level, double lift)
{
    tarn_frame f = make_frame();
    for (int c = 0; c < N * N; ++c) {
        const double x = (c % N + 0.5) / N, ground = slope_low + slope_rise * x + lift;
        bed[c] = (float)ground;
        heights[c] = ground < level + lift ? (float)(level + lift) : bed[c];
    }
    bodies[0].state.position.y += lift, bodies[1].state.position.y += lift;
    f.bed = bed, f.level = level + lift;
    return f;
}

// ---- images ----

static inline struct draw *start(enum draw_api api, bool fast)
{
    char why[256];
    struct draw *d = draw_create(
        &(struct draw_setup){.api = api, .width = WIDTH, .height = HEIGHT, .low_quality = fast}, why);
    if (!d) fail_msg("no picture: %s", why);
    return d;
}

static inline struct draw_view view_named(const char *name)
{
    struct draw_view v = {0};
    snprintf(v.name, sizeof v.name, "%s", name);
    return v;
}

static inline void paint_view(enum draw_api api, bool fast, const tarn_frame *f, struct draw_view v,
                              unsigned char *rgb)
{
    struct draw *d = start(api, fast);
    CHECK_OK(draw_frame(d, f, &v));
    CHECK_OK(draw_read_pixels(d, rgb));
    draw_destroy(d);
}

static inline void paint(enum draw_api api, bool fast, const tarn_frame *f, const char *name,
                         unsigned char *rgb)
{
    paint_view(api, fast, f, view_named(name), rgb);
}

static inline double mean_difference(const unsigned char *a, const unsigned char *b, int count)
{
    double sum = 0.0;
    for (int k = 0; k < count; ++k) sum += abs(a[k] - b[k]);
    return sum / count;
}

// Mean and standard deviation of all bytes
static inline void spread(const unsigned char *rgb, double *mean, double *deviation)
{
    double sum = 0.0, squares = 0.0;
    for (int k = 0; k < BYTES; ++k) sum += rgb[k], squares += (double)rgb[k] * rgb[k];
    *mean = sum / BYTES;
    *deviation = sqrt(fmax(squares / BYTES - *mean * *mean, 0.0));
}

// Half the resolution: the mean of four pixels
static inline void shrink(const unsigned char *rgb, unsigned char *small)
{
    for (int y = 0; y < SMALL_H; ++y)
        for (int x = 0; x < SMALL_W; ++x)
            for (int k = 0; k < 3; ++k) {
                const unsigned char *p = rgb + (2 * y * WIDTH + 2 * x) * 3 + k;
                small[(y * SMALL_W + x) * 3 + k] =
                    (unsigned char)((p[0] + p[3] + p[WIDTH * 3] + p[WIDTH * 3 + 3] + 2) / 4);
            }
}

// The largest mean difference of a patch of 5 x 5 pixels: a missing body changes little on average, and
// much at its place.
static inline double worst_patch(const unsigned char *a, const unsigned char *b)
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

// Other versions of a driver rasterise edges and filter differently: 6 of 255 on average, 30 in the worst
// patch. Without its bodies an image differs by 59 and more there.
static inline void compare_golden(const char *name, const unsigned char *rgb)
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

// A machine without a driver skips the test (77); one with a driver must pass (0).
static inline int picture_driver(void)
{
    char why[256];
    struct draw *d =
        draw_create(&(struct draw_setup){.width = WIDTH, .height = HEIGHT, .low_quality = true}, why);
    if (!d && strstr(why, "refused a") == NULL) {
        print_message("skipped: %s\n", why);
        return 77;
    }
    draw_destroy(d);
    return 0;
}

#endif
