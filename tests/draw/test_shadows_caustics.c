// Sunlight: caustics on the floor and shadows of bodies and hills.
#include "golden_image.h"

#include "draw/frame_textures.h"

// ---- caustics: the map itself, read back ----

enum { MAP = 768, LOOK = 192 }; // texels of the map; of the part that is evaluated

// Light on the floor of a square pool over that of still water, from 0.25 to 0.75 of its sides.
static void gather(const tarn_frame *f, float *light)
{
    static unsigned char rgba[MAP * MAP * 4];
    char why[256];
    const struct draw_setup setup = {.width = WIDTH, .height = HEIGHT};
    const struct draw_view v = view_named("perspective");
    struct draw *d = start(DRAW_GL, false); // a context
    struct frame_textures maps = {0};
    struct draw_frame_state s = {.frame = f, .height_frame = f, .view = &v, .width = WIDTH, .height = HEIGHT};
    void *caustics = prepass_caustics.create(&setup, why);
    assert_non_null(caustics);
    lighting_setup(&s);
    assert_true(frame_textures_upload(&maps, &s));
    prepass_caustics.draw(caustics, &s); // leaves its framebuffer bound
    glReadPixels(0, 0, MAP, MAP, GL_RGBA, GL_UNSIGNED_INT_2_10_10_10_REV, rgba);
    assert_int_equal(glGetError(), GL_NO_ERROR);
    // Images average over four texels, see _caustic.glsl.
    for (int y = 0; y < LOOK; ++y)
        for (int x = 0; x < LOOK; ++x) {
            float sum = 0.0f;
            for (int k = 0; k < 4; ++k) {
                const size_t at = (size_t)(MAP / 4 + 2 * y + k / 2) * MAP + (size_t)(MAP / 4 + 2 * x + k % 2);
                uint32_t word;
                memcpy(&word, rgba + 4 * at, sizeof word);
                sum += (float)(word & 1023u) / 1023.0f;
            }
            light[y * LOOK + x] = sum;
        }
    prepass_caustics.destroy(caustics);
    frame_textures_free(&maps);
    draw_destroy(d);
}

static float lights[LOOK * LOOK], other[LOOK * LOOK];

static double mean_of(const float *x)
{
    double sum = 0.0;
    for (int k = 0; k < LOOK * LOOK; ++k) sum += (double)x[k];
    return sum / (LOOK * LOOK);
}

// Crests along x and z, `tall` [m], with a wavelength of 1 m
static void make_waves(double tall, double phase)
{
    for (int c = 0; c < N * N; ++c) {
        const double x = 4.0 * (c % N + 0.5) / N, z = 4.0 * (c / N + 0.5) / N;
        heights[c] = (float)(1.0 + 0.5 * tall * (sin(6.2831853 * x + phase) + sin(6.2831853 * z)));
    }
}

// Still water lights its floor uniformly at any surface height.
static void still_water_has_uniform_caustics(void **state)
{
    (void)state;
    tarn_frame f = make_frame();
    for (int k = 0; k < 2; ++k) {
        for (int c = 0; c < N * N; ++c) heights[c] = k ? 1.3f : 1.0f;
        gather(&f, lights);
        for (int c = 0; c < LOOK * LOOK; ++c)
            CHECK_NEAR((double)lights[c], 1.0, 0.004); // one of 1,023 steps of the map, in units of a quarter
    }
}

// Waves redistribute light and conserve it: the mean over whole waves is constant. A slightly higher wave
// gives slightly more contrast, and a wave shifted by a hundredth of its length looks nearly the same:
// nothing flickers.
static void caustics_conserve_light(void **state)
{
    (void)state;
    tarn_frame f = make_frame();
    double before = 0.0;
    for (int k = 1; k <= 3; ++k) {
        make_waves(0.02 * k, 0.0);
        gather(&f, lights);
        CHECK_NEAR(mean_of(lights), 1.0,
                   0.003); // 0.001: steps of the map, whose maximum is four
        make_waves(0.02 * k, 0.0628);
        gather(&f, other);
        double contrast = 0.0, change = 0.0;
        for (int c = 0; c < LOOK * LOOK; ++c) {
            contrast += fabs((double)lights[c] - 1.0) / (LOOK * LOOK);
            change += fabs((double)lights[c] - (double)other[c]) / (LOOK * LOOK);
        }
        assert_true(contrast > before + 0.05);
        assert_true(change < 0.35 * contrast);
        before = contrast;
    }
}

// A round hump is a lens: with radius of curvature R it focuses vertical light 4 R below it (n = 4/3), and
// above the focus the light at its centre grows as 1 / (1 - depth / (4 R))^2.
static void caustics_focus_like_a_lens(void **state)
{
    (void)state;
    tarn_frame f = make_frame();
    const double radius = 2.0, focus = 4.0 * radius;
    for (int c = 0; c < N * N; ++c) {
        const double x = 4.0 * (c % N + 0.5) / N - 2.0, z = 4.0 * (c / N + 0.5) / N - 2.0;
        heights[c] = (float)(1.0 - 0.5 * (x * x + z * z) / radius);
    }
    f.level = 1.0;
    gather(&f, lights);
    double middle = 0.0;
    for (int y = LOOK / 2 - 4; y < LOOK / 2 + 4; ++y)
        for (int x = LOOK / 2 - 4; x < LOOK / 2 + 4; ++x) middle += (double)lights[y * LOOK + x] / 64.0;
    // The sun is 44 degrees off the axis: the focus is nearer by some 1.2 and 1.5 times, along and across.
    const double straight = 1.0 / ((1.0 - 1.0 / focus) * (1.0 - 1.0 / focus));
    assert_true(middle > straight && middle < 1.5 * straight);
}

// Caustics of the waves of the frame on the floor.
static void caustics_match_the_reference_image(void **state)
{
    (void)state;
    static unsigned char rgb[BYTES];
    tarn_frame f = make_frame();
    make_waves(0.04, 0.0);
    f.body_count = 0;
    paint(DRAW_GL, false, &f, "perspective", rgb);
    compare_golden("caustics", rgb);
    paint(DRAW_GL, true, &f, "perspective", rgb);
    compare_golden("caustics_fast", rgb);
}

// ---- shadows ----

static void look_from(struct draw_view *v, double x, double y, double z)
{
    *v = view_named("perspective");
    v->camera = (tarn_vec3){x, y, z}, v->target = (tarn_vec3){0, 0.5, 0};
}

// Relative darkening of 5 x 5 pixels around a point by bodies.
static double darker(struct draw *d, tarn_vec3 p, const unsigned char *without, const unsigned char *with)
{
    double x, y, was = 0.0, is = 0.0;
    assert_true(draw_project(d, p, &x, &y));
    assert_true(x > 3.0 && y > 3.0 && x < WIDTH - 3.0 && y < HEIGHT - 3.0);
    for (int j = (int)y - 2; j <= (int)y + 2; ++j)
        for (int i = (int)x - 2; i <= (int)x + 2; ++i)
            for (int k = 0; k < 3; ++k)
                was += without[(j * WIDTH + i) * 3 + k], is += with[(j * WIDTH + i) * 3 + k];
    return 1.0 - is / was;
}

static void paint_pair(struct draw *d, tarn_frame *f, const struct draw_view *v, int less,
                       unsigned char *without, unsigned char *with)
{
    const int count = f->body_count;
    f->body_count = less;
    CHECK_OK(draw_frame(d, f, v));
    CHECK_OK(draw_read_pixels(d, without));
    f->body_count = count;
    CHECK_OK(draw_frame(d, f, v));
    CHECK_OK(draw_read_pixels(d, with));
}

static const tarn_vec3 sun = {-0.62, 0.72, -0.31}; // see lighting.c

// Position of the shadow of a point: straight to the surface, then refracted by Snell's law.
static tarn_vec3 shadow_of(tarn_vec3 p, double level, double floor)
{
    const double aside = 0.75 / sqrt(1.0 - 0.5625 * (1.0 - sun.y * sun.y)),
                 wet = fmax(fmin(p.y, level) - floor, 0.0);
    const double dry = p.y - floor - wet;
    return (tarn_vec3){p.x - sun.x * (dry / sun.y + aside * wet), floor,
                       p.z - sun.z * (dry / sun.y + aside * wet)};
}

// A ball in the air darkens the floor of a pool where the refracted ray of the sun through it ends, and
// nothing beside it.
static void shadows_fall_through_water(void **state)
{
    (void)state;
    static unsigned char without[BYTES], with[BYTES];
    struct draw_view v;
    look_from(&v, 0.1, 7.0, 0.1); // from above: hardly any refraction of the view
    for (int fast = 0; fast < 2; ++fast) {
        struct draw *d = start(DRAW_GL, fast);
        tarn_frame f = make_frame();
        for (int c = 0; c < N * N; ++c) heights[c] = 1.0f;
        f.body_count = 1;
        bodies[0].state.position = (tarn_vec3){-1.2, 1.5, -0.6};
        paint_pair(d, &f, &v, 0, without, with);
        const tarn_vec3 at = shadow_of(bodies[0].state.position, 1.0, 0.0);
        assert_true(darker(d, at, without, with) > 0.12);
        const tarn_vec3 beside = {at.x + 0.9, 0.0, at.z - 0.9}, there = {1.4, 0.0, 1.4};
        CHECK_NEAR(darker(d, beside, without, with), 0.0, 0.02);
        CHECK_NEAR(darker(d, there, without, with), 0.0, 0.02);
        draw_destroy(d);
    }
}

// Shadows on dry land, and on another body: a ball over a crate darkens its top.
static void shadows_fall_on_land_and_bodies(void **state)
{
    (void)state;
    static unsigned char without[BYTES], with[BYTES];
    struct draw_view v;
    look_from(&v, 3.0, 5.0, 3.0);
    for (int fast = 0; fast < 2; ++fast) {
        struct draw *d = start(DRAW_GL, fast);
        tarn_frame f = make_slope(0.0, 0.0);
        for (int c = 0; c < N * N; ++c) bed[c] = 0.0f, heights[c] = 0.0f;
        bodies[1].state.position = (tarn_vec3){-1.0, 1.2, -0.6}, bodies[1].mesh = &ball;
        const tarn_vec3 lid = shadow_of(bodies[1].state.position, -1.0, 0.4);
        bodies[0].state.position = (tarn_vec3){lid.x, lid.y - 0.2, lid.z}, bodies[0].mesh = &crate;
        paint_pair(d, &f, &v, 1, without, with);
        assert_true(darker(d, lid, without, with) > 0.12);
        f.body_count = 1, bodies[0] = bodies[1];
        paint_pair(d, &f, &v, 0, without, with);
        assert_true(darker(d, shadow_of(bodies[0].state.position, -1.0, 0.0), without, with) > 0.12);
        draw_destroy(d);
    }
}

// On deep water: it scatters less light where a ball blocks the sun, above the shadow on the bed.
static void shadows_fall_on_water(void **state)
{
    (void)state;
    static unsigned char without[BYTES], with[BYTES];
    struct draw_view v;
    look_from(&v, 3.0, 8.0, 3.0);
    v.target.y = 3.0;
    struct draw *d = start(DRAW_GL, false);
    tarn_frame f = make_slope(3.0, 0.0);
    for (int c = 0; c < N * N; ++c) bed[c] = 0.0f, heights[c] = 3.0f;
    f.body_count = 1, bodies[0].state.position = (tarn_vec3){-1.0, 4.0, -0.6};
    paint_pair(d, &f, &v, 0, without, with);
    // 0.047: most of the light comes from the ground
    assert_true(darker(d, shadow_of(bodies[0].state.position, -1.0, 3.0), without, with) > 0.02);
    CHECK_NEAR(darker(d, (tarn_vec3){-0.8, 3.0, 1.0}, without, with), 0.0, 0.002);
    draw_destroy(d);
}

// A hill casts a shadow into the valley behind it, but not with `fast`.
static void hills_cast_shadows(void **state)
{
    (void)state;
    static unsigned char rgb[BYTES];
    tarn_frame f = make_slope(0.0, 0.0);
    for (int c = 0; c < N * N; ++c) {
        const double x = 4.0 * (c % N + 0.5) / N - 2.0;
        bed[c] = heights[c] = (float)(1.2 * exp(-6.0 * (x + 0.6) * (x + 0.6)));
    }
    paint(DRAW_GL, false, &f, "perspective", rgb);
    compare_golden("hill", rgb);
}

// ---- foam ----

// Number of pixels that are bright and hardly blue
static int white_pixels(const unsigned char *rgb)
{
    int count = 0;
    for (const unsigned char *p = rgb; p < rgb + BYTES; p += 3) count += p[0] > 175 && p[2] < p[0] + 26;
    return count;
}

static int white_from_above(const tarn_frame *f, bool fast)
{
    static unsigned char rgb[BYTES];
    struct draw_view v;
    look_from(&v, 0.1, 3.0, 0.1); // water and nothing else
    v.target = (tarn_vec3){0, 1, 0};
    paint_view(DRAW_GL, fast, f, v, rgb);
    return white_pixels(rgb);
}

// Still water and long waves have no foam. A step of the surface is white, and so is converging flow; a
// body at rest has a thin line of foam around it, a moving one has more.
static void foam_where_water_breaks(void **state)
{
    (void)state;
    for (int fast = 0; fast < 2; ++fast) {
        tarn_frame f = make_frame();
        f.body_count = 0;
        for (int c = 0; c < N * N; ++c) heights[c] = 1.0f, speed_x[c] = speed_z[c] = 0.0f;
        const int still = white_from_above(&f, fast); // the sun in a corner
        assert_true(still < 40);
        for (int c = 0; c < N * N; ++c) heights[c] = c % N < N / 2 ? 1.4f : 1.0f;
        assert_true(white_from_above(&f, fast) > still + 80);
        for (int c = 0; c < N * N; ++c) heights[c] = 1.0f, speed_x[c] = c % N < N / 2 ? 1.5f : -1.5f;
        assert_true(white_from_above(&f, fast) > still + 80);
        for (int c = 0; c < N * N; ++c) speed_x[c] = c % N < N / 2 ? -1.5f : 1.5f; // diverging flow
        assert_int_equal(white_from_above(&f, fast), still);

        for (int c = 0; c < N * N; ++c) speed_x[c] = 0.0f;
        f.body_count = 1, bodies[0].state.position = (tarn_vec3){0, 1, 0};
        const int rest = white_from_above(&f, fast);
        bodies[0].state.velocity.x = 1.5;
        assert_true(white_from_above(&f, fast) > rest + 60);
        bodies[0].state.velocity.x = 0.0;
    }
}

static void foam_picture(void **state)
{
    (void)state;
    static unsigned char rgb[BYTES];
    tarn_frame f = make_frame();
    for (int c = 0; c < N * N; ++c)
        heights[c] = c % N > 3 * N / 4 ? 1.4f : 1.0f, speed_x[c] = speed_z[c] = 0.0f;
    bodies[0].state.velocity.x = 1.5;
    paint(DRAW_GL, false, &f, "perspective", rgb);
    bodies[0].state.velocity.x = 0.0;
    compare_golden("foam", rgb);
}

// ---- materials ----

// Every material looks different, equal in GL and GLES; glass is transparent.
static void materials_differ(void **state)
{
    (void)state;
    static unsigned char rgb[TARN_APPEARANCE_RUBBER + 1][BYTES], gles[BYTES], none[BYTES];
    struct draw_view v;
    look_from(&v, 2.0, 3.0, 3.0);
    for (int fast = 0; fast < 2; ++fast) {
        tarn_frame f = make_frame();
        bodies[0].state.position = (tarn_vec3){-0.5, 1.3, 0.4};
        f.body_count = 0;
        paint_view(DRAW_GL, fast, &f, v, none);
        f.body_count = 2;
        double least = 1e9, most = 0.0;
        for (int k = 0; k <= TARN_APPEARANCE_RUBBER; ++k) {
            bodies[0].appearance = bodies[1].appearance = k;
            paint_view(DRAW_GL, fast, &f, v, rgb[k]);
            paint_view(DRAW_GLES, fast, &f, v, gles);
            CHECK_NEAR(mean_difference(rgb[k], gles, BYTES), 0.0, 2.0); // the same driver: rounding at edges
            for (int n = 0; n < k; ++n) assert_true(mean_difference(rgb[k], rgb[n], BYTES) > 0.3);
            const double seen = mean_difference(rgb[k], none, BYTES);
            if (k == TARN_APPEARANCE_GLASS) least = seen;
            if (k != TARN_APPEARANCE_GLASS) most = fmax(most, seen);
            if (!fast) {
                char name[32];
                snprintf(name, sizeof name, "material_%d", k);
                compare_golden(name, rgb[k]);
            }
        }
        assert_true(least < 0.8 * most);
        bodies[0].appearance = bodies[1].appearance = TARN_APPEARANCE_PAINT;
    }
}

int main(void)
{
    if (picture_driver() != 0) return 77;
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(still_water_has_uniform_caustics),
        cmocka_unit_test(caustics_conserve_light),
        cmocka_unit_test(caustics_focus_like_a_lens),
        cmocka_unit_test(caustics_match_the_reference_image),
        cmocka_unit_test(shadows_fall_through_water),
        cmocka_unit_test(shadows_fall_on_land_and_bodies),
        cmocka_unit_test(shadows_fall_on_water),
        cmocka_unit_test(hills_cast_shadows),
        cmocka_unit_test(foam_where_water_breaks),
        cmocka_unit_test(foam_picture),
        cmocka_unit_test(materials_differ),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
