// Worlds without water, for tests of bodies.
#ifndef TESTS_BODY_WORLD_H
#define TESTS_BODY_WORLD_H

#include "body_queries.h"
#include "check.h"
#include "rng.h"

#include "world/world.h"

#include <stdbool.h>

struct body_world {
    double dt;      // [s] 0: default
    double gravity; // [m/s^2]
    double size;    // [m] of a square tank; 0: no walls
    bool awake;     // nobody sleeps
    int workers;
};

static inline bool long_mode(void) { return getenv("TARN_LONG") != NULL; }

static inline tarn_world *body_world_create(const struct body_world *d)
{
    tarn_world_def def = tarn_world_def_default("none");
    tarn_world *w = NULL;
    if (d->dt > 0.0) def.dt = d->dt;
    def.sleep = !d->awake;
    def.host.workers = d->workers;
    if (d->size > 0.0) CHECK_OK(tarn_spec_set(&def.fluid, "size", tarn_pair(d->size, d->size), NULL));
    CHECK_OK(tarn_spec_set(&def.fluid, "walls", tarn_flag(d->size > 0.0), NULL));
    CHECK_OK(tarn_world_create(&def, &w, NULL));
    w->fluid.gravity = d->gravity; // none at all is not for scenes
    return w;
}

static inline tarn_body_def ball(double radius, double mass)
{
    tarn_body_def d = tarn_body_def_default("sphere");
    CHECK_OK(tarn_spec_set(&d.shape, "radius", tarn_number(radius), NULL));
    d.mass = mass;
    return d;
}

static inline tarn_body_def brick(double x, double y, double z, double mass)
{
    tarn_body_def d = tarn_body_def_default("box");
    CHECK_OK(tarn_spec_set(&d.shape, "size", tarn_triple(x, y, z), NULL));
    d.mass = mass;
    return d;
}

// A brick that stays where it is.
static inline tarn_body_def fixture(double x, double y, double z, vec3 at)
{
    tarn_body_def d = brick(x, y, z, 1.0);
    d.external = 1, d.position = at, d.restitution = 0.0;
    return d;
}

// Something of a size [m]: the n-th of the shapes, in turn.
#define SHAPES 6
static inline tarn_body_def nth_shape(int n, double size)
{
    static const char *const names[SHAPES] = {"sphere", "box", "capsule", "cylinder", "cone", "torus"};
    tarn_body_def d = tarn_body_def_default(names[n % SHAPES]);
    const tarn_value half = tarn_number(0.5 * size), whole = tarn_number(size);
    switch (n % SHAPES) {
    case 0: CHECK_OK(tarn_spec_set(&d.shape, "radius", half, NULL)); break;
    case 1: CHECK_OK(tarn_spec_set(&d.shape, "size", tarn_triple(size, 0.6 * size, 0.8 * size), NULL)); break;
    case 2:
        CHECK_OK(tarn_spec_set(&d.shape, "radius", tarn_number(0.3 * size), NULL));
        CHECK_OK(tarn_spec_set(&d.shape, "length", tarn_number(0.6 * size), NULL));
        break;
    case 5:
        CHECK_OK(tarn_spec_set(&d.shape, "radius", tarn_number(0.4 * size), NULL));
        CHECK_OK(tarn_spec_set(&d.shape, "tube", tarn_number(0.15 * size), NULL));
        break;
    default:
        CHECK_OK(tarn_spec_set(&d.shape, "radius", half, NULL));
        CHECK_OK(tarn_spec_set(&d.shape, "height", whole, NULL));
    }
    return d;
}

static inline tarn_body_facts facts(const tarn_world *w, tarn_body body)
{
    tarn_body_facts f;
    CHECK_OK(tarn_body_facts_of(w, body, &f));
    return f;
}

static inline void run_steps(tarn_world *w, int count)
{
    for (int n = 0; n < count; ++n) CHECK_OK(tarn_world_step(w, w->def.dt));
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
