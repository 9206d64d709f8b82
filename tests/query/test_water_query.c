// Water at many points: what tarn_world_get_surface() says, hydrostatic below the surface, the same bits from
// several threads.
#include "query_world.h"

#ifndef _WIN32
#include <pthread.h>
#endif

enum { POINTS = 4000 };

struct answers {
    double height[POINTS], depth[POINTS], pressure[POINTS];
    tarn_vec3 normal[POINTS], velocity[POINTS];
    uint8_t wet[POINTS];
};

static void make_points(tarn_vec3 *points)
{
    struct rng d = {8, 1, 0};
    for (int i = 0; i < POINTS; ++i) {
        points[i].x = rng_between(&d, -16, 16); // some are outside
        points[i].y = rng_between(&d, -0.5, 2);
        points[i].z = rng_between(&d, -16, 16);
    }
}

static void ask_all(const tarn_world *w, const tarn_vec3 *points, struct answers *out)
{
    const tarn_water_query q = {.count = POINTS,
                                .stride = 3,
                                .x = &points->x,
                                .y = &points->y,
                                .z = &points->z,
                                .height = out->height,
                                .depth = out->depth,
                                .pressure = out->pressure,
                                .normal = out->normal,
                                .velocity = out->velocity,
                                .wet = out->wet};
    memset(out, 0xff, sizeof *out);
    CHECK_OK(tarn_world_query_water(w, &q));
}

// In every height-field model.
static void many_points_are_as_one_by_one(void **state)
{
    (void)state;
    static tarn_vec3 points[POINTS];
    static struct answers got;
    static const char *const with_bed[] = {"shallow", "implicit"};
    make_points(points);
    for (int m = 0; m < 4; ++m) {
        tarn_world *w = m < 2 ? create_hills(0, with_bed[m]) : create(m == 2 ? "wave" : "none", 0, NULL);
        int wet = 0, dry = 0;
        ask_all(w, points, &got);
        for (int i = 0; i < POINTS; ++i) {
            const tarn_surface s = tarn_world_get_surface(w, points[i].x, points[i].z);
            assert_true(got.height[i] == s.height && got.depth[i] == s.depth && got.wet[i] == s.wet);
            assert_memory_equal(&got.normal[i], &s.normal, sizeof s.normal);
            assert_true(got.velocity[i].x == s.velocity.x && got.velocity[i].z == s.velocity.z);
            const double under = s.wet ? fmax(0.0, s.height - points[i].y) : 0.0;
            CHECK_NEAR(got.pressure[i], w->fluid.density * w->fluid.gravity * under, 1e-9);
            if (under == 0.0) assert_true(got.velocity[i].y == s.velocity.y);
            wet += s.wet, dry += !s.wet;
        }
        assert_true(dry > 100 && (m == 3 || wet > 1000));
        tarn_world_destroy(w);
    }
}

// At the bed the water flows along it, half-way down the vertical velocity is the mean of both.
static void water_at_the_bed_flows_along_it(void **state)
{
    (void)state;
    struct rng d = {8, 2, 0};
    tarn_world *w = create_hills(0, "shallow");
    int moving = 0;
    for (int k = 0; k < 500; ++k) {
        const double x = rng_between(&d, -14, 14), z = rng_between(&d, -14, 14);
        double slope[2];
        const tarn_surface s = tarn_world_get_surface(w, x, z);
        if (!s.wet) continue;
        fluid_bed_at(&w->fluid, x, z, slope);
        const double along = slope[0] * s.velocity.x + slope[1] * s.velocity.z;
        for (int half = 0; half < 2; ++half) {
            const double y = s.height - (half ? 0.5 : 1.0) * s.depth;
            tarn_vec3 v;
            const tarn_water_query q = {.count = 1, .x = &x, .y = &y, .z = &z, .velocity = &v};
            CHECK_OK(tarn_world_query_water(w, &q));
            CHECK_NEAR(v.y, half ? 0.5 * (along + s.velocity.y) : along, 1e-9);
        }
        moving += fabs(along) > 1e-6;
    }
    assert_true(moving > 20);
    tarn_world_destroy(w);
}

static void a_planar_world_answers_like_single_calls(void **state)
{
    (void)state;
    struct world_setup def = world_setup(TARN_FLUID_FLOW);
    tarn_world *w = NULL;
    double x[200], y[200];
    tarn_flow_sample got[200], one;
    def.fluid.flow.size = (tarn_vec2){2, 2}, def.fluid.flow.cells[0] = 16, def.fluid.flow.cells[1] = 16;
    CHECK_OK(setup_create(&def, &w, NULL));
    const tarn_command dye = {
        .kind = TARN_COMMAND_ADD_DYE, .position = {1, 1, 0}, .radius = 0.5, .amount = 1.0};
    CHECK_OK(tarn_world_apply_command(w, &dye, NULL));
    struct rng d = {8, 3, 0};
    for (int i = 0; i < COUNT(x); ++i) {
        x[i] = rng_between(&d, -0.2, 2.2);
        y[i] = rng_between(&d, -0.2, 2.2);
    }
    CHECK_OK(tarn_world_query_flow(w, COUNT(x), x, y, got));
    double sum = 0.0;
    for (int i = 0; i < COUNT(x); ++i) {
        CHECK_OK(tarn_flow_get_sample(w, x[i], y[i], &one));
        assert_memory_equal(&one, &got[i], sizeof one);
        sum += one.dye;
    }
    assert_true(sum > 1.0);
    const tarn_water_query water = {.count = 1, .x = x, .z = y};
    assert_int_equal(tarn_world_query_water(w, &water), TARN_BAD_ARGUMENT);
    assert_int_equal(tarn_world_query_flow(w, -1, x, y, got), TARN_BAD_ARGUMENT);
    assert_int_equal(tarn_world_query_flow(w, 1, NULL, y, got), TARN_BAD_ARGUMENT);
    tarn_world_destroy(w);
}

static void bad_queries_of_water_are_refused(void **state)
{
    (void)state;
    tarn_world *w = create("wave", 0, NULL);
    const double x = 0.0;
    double height = -7.0;
    const tarn_water_query none = {.count = 0}, no_x = {.count = 1, .z = &x, .height = &height},
                           negative = {.count = -1, .x = &x, .z = &x, .height = &height},
                           backwards = {.count = 1, .stride = -1, .x = &x, .z = &x, .height = &height};
    CHECK_OK(tarn_world_query_water(w, &none));
    assert_int_equal(tarn_world_query_water(w, &no_x), TARN_BAD_ARGUMENT);
    assert_int_equal(tarn_world_query_water(w, &negative), TARN_BAD_ARGUMENT);
    assert_int_equal(tarn_world_query_water(w, &backwards), TARN_BAD_ARGUMENT);
    assert_int_equal(tarn_world_query_water(NULL, &none), TARN_BAD_ARGUMENT);
    assert_int_equal(tarn_world_query_water(w, NULL), TARN_BAD_ARGUMENT);
    assert_true(height == -7.0);
    tarn_world_destroy(w);
}

#ifndef _WIN32
struct asker {
    const tarn_world *world;
    const tarn_vec3 *points;
    struct answers answers;
    pthread_t thread;
};

static void *ask(void *context)
{
    struct asker *a = context;
    for (int n = 0; n < 5; ++n) ask_all(a->world, a->points, &a->answers);
    return a;
}

static void threads_get_the_same_bits(void **state)
{
    (void)state;
    static tarn_vec3 points[POINTS];
    static struct answers single;
    static struct asker askers[4];
    make_points(points);
    tarn_world *w = create_hills(2, "shallow");
    ask_all(w, points, &single);
    for (int i = 0; i < COUNT(askers); ++i) {
        askers[i].world = w, askers[i].points = points;
        assert_int_equal(pthread_create(&askers[i].thread, NULL, ask, &askers[i]), 0);
    }
    for (int i = 0; i < COUNT(askers); ++i) {
        assert_int_equal(pthread_join(askers[i].thread, NULL), 0);
        assert_memory_equal(&askers[i].answers, &single, sizeof single);
    }
    tarn_world_destroy(w);
}
#endif

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(many_points_are_as_one_by_one),
        cmocka_unit_test(water_at_the_bed_flows_along_it),
        cmocka_unit_test(a_planar_world_answers_like_single_calls),
        cmocka_unit_test(bad_queries_of_water_are_refused),
#ifndef _WIN32
        cmocka_unit_test(threads_get_the_same_bits),
#endif
    };
    return cmocka_run_group_tests_name("water_query", tests, NULL, NULL);
}
