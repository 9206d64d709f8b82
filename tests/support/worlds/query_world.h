// Worlds and rays for the tests of queries.
#ifndef TESTS_QUERY_WORLD_H
#define TESTS_QUERY_WORLD_H

#include "body_def.h"
#include "random_bodies.h"
#include "world_setup.h"

#include <tarn/command.h>

#define WIDTH 30.0 // [m] of the domain along x and z

static inline tarn_world *create(const char *model, int workers, const char *sides)
{
    struct world_setup def = world_setup_of(model);
    tarn_world *w = NULL;
    tarn_error err = {0};
    def.world.host.workers = workers;
    set_size(&def.fluid, WIDTH, WIDTH);
    set_cells(&def.fluid, 48, 48); // `none` has no grid
    for (int k = 0; sides && k < 4; ++k) set_boundary(&def.fluid, (tarn_side)k, sides);
    if (setup_create(&def, &w, &err) != TARN_OK) fail_msg("%s: %s", err.key, err.message);
    return w;
}

// Hills of 1 m with water between them, stirred.
static inline tarn_world *create_hills(int workers, const char *model)
{
    struct world_setup def = world_setup_of(model);
    tarn_world *w = NULL;
    def.world.host.workers = workers;
    set_size(&def.fluid, WIDTH, WIDTH), set_cells(&def.fluid, 48, 48);
    set_depth(&def.fluid, 1.0);
    def.world.bed_count = 2;
    for (int k = 0; k < 2; ++k) {
        def.beds[k] = tarn_default_bed_def(TARN_BED_ISLAND);
        def.beds[k].island.position = k ? (tarn_vec2){6, -4} : (tarn_vec2){-5, 3};
        def.beds[k].island.radius = def.beds[k].island.height = 3;
    }
    CHECK_OK(setup_create(&def, &w, NULL));
    const tarn_command stir = {.kind = TARN_COMMAND_STIR,
                               .position = {-1, 1, -2},
                               .velocity = {3, 0, 2},
                               .radius = 3.0,
                               .amount = 1.0};
    CHECK_OK(tarn_world_apply_command(w, &stir, NULL));
    CHECK_OK(tarn_world_advance(w, 1.0));
    return w;
}

static inline tarn_ray random_ray(struct rng *d)
{
    tarn_ray ray = {.origin = {rng_between(d, -16, 16), 0, 0}};
    ray.origin.y = rng_between(d, 1, 15);
    ray.origin.z = rng_between(d, -16, 16);
    ray.translation = rng_vector(d, rng_log_uniform(d, 0.5, 60));
    ray.filter.kinds = TARN_HIT_BODY;
    return ray;
}

static inline tarn_body_id put_at(tarn_world *w, tarn_body_def def, vec3 at)
{
    tarn_body_id body;
    def.position = at;
    CHECK_OK(tarn_body_create(w, &def, &body, NULL));
    return body;
}

static inline tarn_body_def ball(double radius)
{
    tarn_body_def def = tarn_default_body_def();
    def.shape = shape_of((tarn_shape_def){.type = TARN_SHAPE_SPHERE, .sphere = {radius}});
    return def;
}

static inline tarn_hit cast(const tarn_world *w, vec3 from, vec3 translation, uint32_t kinds)
{
    const tarn_ray ray = {.origin = from, .translation = translation, .filter = {.kinds = kinds}};
    tarn_hit hit;
    CHECK_OK(tarn_world_cast_ray(w, &ray, &hit));
    return hit;
}

static inline void check_vector(vec3 got, vec3 want, double tolerance)
{
    CHECK_NEAR(got.x, want.x, tolerance);
    CHECK_NEAR(got.y, want.y, tolerance);
    CHECK_NEAR(got.z, want.z, tolerance);
}

#endif
