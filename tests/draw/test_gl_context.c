// GL contexts and cameras of the renderer: borrowed context, change of size, rays through pixels.
#include "check.h"

#include "draw/draw.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { N = 16, WIDTH = 160, HEIGHT = 90, LARGE_W = 240, LARGE_H = 100 };

static float heights[N * N], bed[N * N];

// A pool of 4 m with 1 m of water, or the same 500 m up, over ground.
static tarn_frame make_frame(double up)
{
    for (int c = 0; c < N * N; ++c) {
        heights[c] = (float)(up + 1.0 + 0.05 * (c % 5));
        bed[c] = (float)(up + 0.02 * (c % N));
    }
    return (tarn_frame){.nx = N,
                        .nz = N,
                        .cell_size = 4.0 / N,
                        .x0 = -2.0 + 2.0 / N,
                        .z0 = -2.0 + 2.0 / N,
                        .level = up + 1.0,
                        .height = heights,
                        .bed = up > 0.0 ? bed : NULL};
}

static struct draw *start(enum draw_context place, int width, int height)
{
    char why[256];
    struct draw *d =
        draw_create(&(struct draw_setup){.width = width, .height = height, .context = place}, why);
    if (!d) fail_msg("no picture: %s", why);
    return d;
}

static void paint(struct draw *d, const char *name, unsigned char *rgb)
{
    const tarn_frame f = make_frame(0.0);
    struct draw_view v = {.camera = {3, 4, 5}, .target = {0, 1, 0}};
    snprintf(v.name, sizeof v.name, "%s", name);
    CHECK_OK(draw_frame(d, &f, &v));
    if (rgb) CHECK_OK(draw_read_pixels(d, rgb));
}

// In a context of the application the image is the same.
static void borrowed_contexts_draw_the_same_image(void **state)
{
    (void)state;
    static unsigned char own[WIDTH * HEIGHT * 3], borrowed[WIDTH * HEIGHT * 3];
    struct draw *owner = start(DRAW_HEADLESS, WIDTH, HEIGHT); // its context is current now
    struct draw *guest = start(DRAW_CURRENT_CONTEXT, WIDTH, HEIGHT);
    paint(owner, "perspective", own);
    paint(guest, "perspective", borrowed);
    assert_memory_equal(own, borrowed, sizeof own);
    assert_int_equal(draw_present(owner, WIDTH, HEIGHT), TARN_BAD_ARGUMENT); // it has no window
    draw_destroy(guest);
    paint(owner, "perspective", borrowed); // the renderer restored the state
    assert_memory_equal(own, borrowed, sizeof own);
    draw_destroy(owner);
}

// After a change of size the images are those of a renderer created with that size.
static void resized_renderers_draw_the_same_image(void **state)
{
    (void)state;
    enum { BYTES = LARGE_W * LARGE_H * 3 };
    static unsigned char made[BYTES], changed[BYTES];
    struct draw *d = start(DRAW_HEADLESS, LARGE_W, LARGE_H);
    paint(d, "perspective", made);
    draw_destroy(d);
    d = start(DRAW_HEADLESS, WIDTH, HEIGHT);
    paint(d, "perspective", NULL);
    assert_int_equal(draw_resize(d, 8, 8), TARN_BAD_ARGUMENT);
    CHECK_OK(draw_resize(d, LARGE_W, LARGE_H));
    assert_int_equal(draw_read_pixels(d, changed), TARN_BAD_ARGUMENT); // nothing drawn at this size
    paint(d, "perspective", changed);
    assert_memory_equal(made, changed, BYTES);
    draw_destroy(d);
}

// The ray through the pixel of a point passes through the point, from any height. Matrices are floats: 1e-3
// of the distance is ten times their error.
static void rays_pass_through_their_pixel(void **state)
{
    (void)state;
    static const double ups[2] = {0.0, 500.0};
    struct draw *d = start(DRAW_HEADLESS, WIDTH, HEIGHT);
    tarn_vec3 from, way;
    double x, y;
    assert_false(draw_project(d, (tarn_vec3){0, 1, 0}, &x, &y)); // nothing drawn yet
    for (int k = 0; k < 2; ++k) {
        const double up = ups[k];
        const tarn_frame f = make_frame(up);
        const struct draw_view v = {
            .name = "perspective", .camera = {3, up + 4, 5}, .target = {0, up + 1, 0}};
        CHECK_OK(draw_frame(d, &f, &v));
        assert_true(draw_project(d, v.target, &x, &y)); // the target is at the centre
        CHECK_NEAR(x, 0.5 * WIDTH, 0.5);
        CHECK_NEAR(y, 0.5 * HEIGHT, 0.5);
        for (int n = 0; n < 8; ++n) {
            const tarn_vec3 p = {n & 1 ? 1.5 : -1.0, up + (n & 2 ? 1.4 : 0.2), n & 4 ? 1.0 : -1.7};
            assert_true(draw_project(d, p, &x, &y));
            assert_true(draw_unproject(d, x, y, &from, &way));
            const tarn_vec3 to = {p.x - from.x, p.y - from.y, p.z - from.z};
            const double along = to.x * way.x + to.y * way.y + to.z * way.z;
            const double off = to.x * to.x + to.y * to.y + to.z * to.z - along * along;
            assert_true(along > 0.0);
            CHECK_NEAR(sqrt(fmax(off, 0.0)), 0.0, 1e-3 * along);
        }
        assert_false(draw_project(d, (tarn_vec3){6, up + 7, 10}, &x, &y)); // behind the camera
    }
    tarn_frame f = make_frame(0.0);
    for (int flat = 0; flat < 2; ++flat) { // onto a plane: down on the water, or straight ahead
        f.planar = flat;
        CHECK_OK(draw_frame(d, &f, &(struct draw_view){.name = "speed"}));
        assert_true(
            draw_project(d, (tarn_vec3){f.x0 + f.cell_size, flat ? f.z0 : 0.7, flat ? 0.7 : f.z0}, &x, &y));
        assert_true(draw_unproject(d, x, y, &from, &way));
        CHECK_NEAR(from.x, f.x0 + f.cell_size, 1e-9);
        CHECK_NEAR(flat ? from.y : from.z, f.z0, 1e-9);
        CHECK_NEAR(flat ? way.z : way.y, -1.0, 0.0);
        assert_false(draw_unproject(d, -1, 45, &from, &way)); // beside it
    }
    draw_destroy(d);
}

int main(void)
{
    char why[256];
    struct draw *d = draw_create(&(struct draw_setup){.width = WIDTH, .height = HEIGHT}, why);
    if (!d && strstr(why, "refused a") == NULL) {
        print_message("skipped: %s\n", why);
        return 77;
    }
    draw_destroy(d);
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(borrowed_contexts_draw_the_same_image),
        cmocka_unit_test(resized_renderers_draw_the_same_image),
        cmocka_unit_test(rays_pass_through_their_pixel),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
