// Worlds without water, for tests of bodies.
#ifndef TESTS_BODY_WORLD_H
#define TESTS_BODY_WORLD_H

#include "body_def.h"
#include "body_queries.h"
#include "check.h"
#include "rng.h"
#include "world_setup.h"

#include "world/world.h"

#include <stdbool.h>

struct body_world {
    double dt;      // [s] 0: default
    double gravity; // [m/s^2]
    double size;    // [m] of a square tank; 0: no walls
    bool awake;     // bodies do not sleep
    int workers;
};

static inline bool long_mode(void) { return getenv("TARN_LONG") != NULL; }

static inline tarn_world *body_world_create(const struct body_world *d)
{
    struct world_setup def = world_setup(TARN_FLUID_DRY);
    tarn_world *w = NULL;
    if (d->dt > 0.0) def.world.dt = d->dt;
    def.world.enable_sleep = !d->awake;
    def.world.host.workers = d->workers;
    if (d->size > 0.0) def.fluid.dry.size = (tarn_vec2){d->size, d->size};
    def.fluid.dry.walls = d->size > 0.0;
    CHECK_OK(setup_create(&def, &w, NULL));
    w->fluid.gravity = d->gravity; // scenes do not allow 0
    return w;
}

static inline tarn_body_def ball(double radius, double mass)
{
    tarn_body_def d = body_def("sphere");
    CHECK_OK(set_shape(&d, "radius", tarn_value_number(radius), NULL));
    d.mass = mass;
    return d;
}

static inline tarn_body_def brick(double x, double y, double z, double mass)
{
    tarn_body_def d = body_def("box");
    CHECK_OK(set_shape(&d, "size", tarn_value_vec3(x, y, z), NULL));
    d.mass = mass;
    return d;
}

// A static brick.
static inline tarn_body_def fixture(double x, double y, double z, vec3 at)
{
    tarn_body_def d = brick(x, y, z, 1.0);
    d.type = TARN_BODY_KINEMATIC, d.position = at, d.restitution = 0.0;
    return d;
}

// A body of a size [m]: the n-th of the shapes, in turn.
#define SHAPES 6
static inline tarn_body_def nth_shape(int n, double size)
{
    const tarn_shape_def shapes[SHAPES] = {
        {.type = TARN_SHAPE_SPHERE, .sphere = {0.5 * size}},
        {.type = TARN_SHAPE_BOX, .box = {{size, 0.6 * size, 0.8 * size}, 0}},
        {.type = TARN_SHAPE_CAPSULE, .capsule = {0.3 * size, 0.6 * size}},
        {.type = TARN_SHAPE_CYLINDER, .cylinder = {0.5 * size, size, 0}},
        {.type = TARN_SHAPE_CONE, .cone = {0.5 * size, size}},
        {.type = TARN_SHAPE_TORUS, .torus = {0.4 * size, 0.15 * size}}};
    tarn_body_def d = tarn_default_body_def();
    d.shape = shape_of(shapes[n % SHAPES]);
    return d;
}

static inline tarn_body_info info(const tarn_world *w, tarn_body_id body)
{
    tarn_body_info f;
    CHECK_OK(tarn_body_get_info(w, body, &f));
    return f;
}

static inline void run_steps(tarn_world *w, int count)
{
    for (int n = 0; n < count; ++n) CHECK_OK(tarn_world_advance(w, w->def.dt));
}

static inline void run(tarn_world *w, double time) { run_steps(w, (int)floor(time / w->def.dt + 0.5)); }

static inline vec3 random_vector(double size, uint64_t stream, uint64_t n)
{
    return v3(random_between(-size, size, stream, 3 * n), random_between(-size, size, stream, 3 * n + 1),
              random_between(-size, size, stream, 3 * n + 2));
}

static inline quat random_rotation(uint64_t stream, uint64_t n)
{
    return quat_from_rotation_vector(random_vector(3.0, stream, n));
}

// The complete elliptic integral of the first kind of modulus k, by the arithmetic-geometric mean; its
// argument is the complement sqrt(1 - k^2).
static inline double elliptic_k(double complement)
{
    double a = 1.0, b = complement;
    for (int n = 0; n < 40; ++n) {
        const double mean = 0.5 * (a + b);
        b = sqrt(a * b), a = mean;
    }
    return 0.5 * PI / a;
}

#endif
