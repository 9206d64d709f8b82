// Rays at ground and water, and rays from several threads.
#include "query_world.h"

#ifndef _WIN32
#include <pthread.h>
#endif

// ---- ground and water -------------------------------------------------------------------------------

static double ground_at(const tarn_world *w, vec3 p)
{
    double slope[2];
    return w->fluid.rest_level + fluid_bed_at(&w->fluid, p.x, p.z, slope);
}

// The hit lies on the ground, the way to it is above the ground, and a ray without a hit ends above it.
static void rays_at_the_ground_stop_there(void **state)
{
    (void)state;
    struct rng d = {7, 4, 0};
    static const char *const bedded[] = {"shallow", "implicit"};
    for (int m = 0; m < COUNT(bedded); ++m) {
        tarn_world *w = create_hills(0, bedded[m]);
        int hits = 0;
        for (int k = 0; k < 500; ++k) {
            const vec3 from = rng_point(&d, v3(-14, 3, -14), v3(14, 6, 14));
            const vec3 to = rng_point(&d, v3(-14, -3, -14), v3(14, 2, 14));
            const vec3 way = v3_sub(to, from);
            const tarn_hit hit = cast(w, from, way, TARN_HIT_BED);
            const double end = hit.kind ? hit.fraction : 1.0;
            hits += hit.kind != TARN_HIT_NONE;
            for (int n = 0; n < 200; ++n) {
                const vec3 p = v3_madd(from, end * n / 200, way);
                if (p.y < ground_at(w, p) - 1e-9) fail_msg("%s: ray %d is under ground", bedded[m], k);
            }
            if (hit.kind) CHECK_NEAR(hit.point.y, ground_at(w, hit.point), 1e-9);
        }
        assert_true(hits > 200);
        tarn_world_destroy(w);
    }
}

// Rays from above and from below meet the surface where tarn_world_get_surface() says it is.
static void rays_at_the_water_meet_its_surface(void **state)
{
    (void)state;
    struct rng d = {7, 5, 0};
    tarn_world *w = create_hills(0, "shallow");
    int wet = 0, dry = 0;
    for (int k = 0; k < 500; ++k) {
        const double x = rng_between(&d, -14, 14), z = rng_between(&d, -14, 14);
        const tarn_surface water = tarn_world_get_surface(w, x, z);
        for (int down = 0; down < 2; ++down) {
            const vec3 from = v3(x, down ? 5 : ground_at(w, v3(x, 0, z)), z);
            const tarn_hit hit = cast(w, from, v3(0, down ? -6 : 6, 0), TARN_HIT_WATER);
            assert_int_equal(hit.kind == TARN_HIT_WATER, water.wet);
            if (!water.wet) continue;
            CHECK_NEAR(hit.point.y, water.height, 1e-12);
            check_vector(hit.normal, water.normal, 1e-12);
        }
        wet += water.wet, dry += !water.wet;
        const tarn_hit slanted =
            cast(w, v3(x, 4, z), rng_point(&d, v3(-6, -5, -6), v3(6, -5, 6)), TARN_HIT_WATER);
        if (slanted.kind)
            CHECK_NEAR(slanted.point.y, tarn_world_get_surface(w, slanted.point.x, slanted.point.z).height,
                       1e-9);
    }
    assert_true(wet > 100 && dry > 10);
    tarn_world_destroy(w);
}

// ---- threads ------------------------------------------------------------------------------------------

enum { RAYS = 3000 };

static void make_rays(tarn_ray *rays)
{
    struct rng d = {7, 10, 0};
    for (int i = 0; i < RAYS; ++i) {
        rays[i] = random_ray(&d);
        rays[i].filter.kinds = i % 2 ? 0 : TARN_HIT_BODY | TARN_HIT_WATER;
    }
}

static tarn_world *create_crowd(int workers)
{
    struct rng d = {7, 11, 0};
    tarn_world *w = create_hills(workers, "shallow");
    for (int i = 0; i < 60; ++i) {
        tarn_body_def def = ball(rng_between(&d, 0.2, 0.8));
        put_at(w, def, rng_point(&d, v3(-13, 5, -13), v3(13, 9, 13)));
    }
    return w;
}

static void a_batch_gives_the_bits_of_single_rays(void **state)
{
    (void)state;
    static tarn_ray rays[RAYS];
    static tarn_hit single[RAYS], batch[RAYS];
    make_rays(rays);
    for (int workers = 0; workers < 4; ++workers) {
        tarn_world *w = create_crowd(workers);
        for (int i = 0; i < RAYS && workers == 0; ++i) CHECK_OK(tarn_world_cast_ray(w, &rays[i], &single[i]));
        memset(batch, 1, sizeof batch);
        CHECK_OK(tarn_world_cast_rays(w, RAYS, rays, batch));
        assert_memory_equal(batch, single, sizeof batch);
        tarn_world_destroy(w);
    }
}

#ifndef _WIN32
struct asker {
    const tarn_world *world;
    const tarn_ray *rays;
    tarn_hit hits[RAYS];
    pthread_t thread;
};

static void *ask(void *context)
{
    struct asker *a = context;
    for (int n = 0; n < 3; ++n)
        if (tarn_world_cast_rays(a->world, RAYS, a->rays, a->hits) != TARN_OK) return NULL;
    return a;
}

// Four threads ask a world whose own threads also take part.
static void several_threads_may_ask_at_once(void **state)
{
    (void)state;
    static tarn_ray rays[RAYS];
    static tarn_hit single[RAYS];
    static struct asker askers[4];
    make_rays(rays);
    tarn_world *w = create_crowd(3);
    for (int i = 0; i < RAYS; ++i) CHECK_OK(tarn_world_cast_ray(w, &rays[i], &single[i]));
    for (int i = 0; i < 4; ++i) {
        askers[i].world = w, askers[i].rays = rays;
        assert_int_equal(pthread_create(&askers[i].thread, NULL, ask, &askers[i]), 0);
    }
    for (int i = 0; i < 4; ++i) {
        void *good;
        assert_int_equal(pthread_join(askers[i].thread, &good), 0);
        assert_non_null(good);
        assert_memory_equal(askers[i].hits, single, sizeof single);
    }
    tarn_world_destroy(w);
}
#endif

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(rays_at_the_ground_stop_there),
        cmocka_unit_test(rays_at_the_water_meet_its_surface),
        cmocka_unit_test(a_batch_gives_the_bits_of_single_rays),
#ifndef _WIN32
        cmocka_unit_test(several_threads_may_ask_at_once),
#endif
    };
    return cmocka_run_group_tests_name("height_rays", tests, NULL, NULL);
}
