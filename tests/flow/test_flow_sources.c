// Sources of the planar model: each pattern follows its formula, noise repeats with its seed, and results
// do not depend on the frame rate.
#include "check.h"
#include "world_setup.h"

#include "base/math/math.h"
#include "emit/emitter.h"

#include <string.h>

static struct emitter source_of(const char *pattern, double parameter)
{
    struct emitter e = {0};
    tarn_spec spec;
    CHECK_OK(tarn_spec_init(&spec, "emitter", "source", NULL));
    CHECK_OK(tarn_spec_set(&spec, "pattern", tarn_value_text(pattern), NULL));
    CHECK_OK(tarn_emitter_def_from_spec(&spec, &e.def));
    e.def.source.pattern_parameter = parameter, e.def.source.velocity = (tarn_vec2){3, 2};
    e.kind = emitter_kind_of(spec.kind);
    return e;
}

#define DEGREE (PI / 180.0)

// The documented formulas, with the functions of the C library.
static void formula(const char *name, double p, double t, double v[2])
{
    const double i = 30.0 * t, turn = 7.3 * p * i * DEGREE;
    v[0] = 3.0, v[1] = 2.0;
    if (!strcmp(name, "zigzag-vertical")) v[0] *= sin(p * i * DEGREE);
    if (!strcmp(name, "zigzag-horizontal")) v[1] *= sin(p * i * DEGREE);
    if (!strcmp(name, "vortex")) v[0] *= sin(0.2 * p * i * DEGREE), v[1] *= cos(0.2 * p * i * DEGREE);
    if (!strcmp(name, "fourier")) {
        double sum = 0.0;
        for (int n = 1; n < 2 * (int)p; n += 2) sum += sin(n * 6.0 * i * DEGREE) / n;
        v[0] *= 4.0 / PI * sum;
    }
    if (!strcmp(name, "motor")) {
        v[0] *= -sin(turn) * cos(cos(2.4 * i * DEGREE));
        v[1] *= pow(cos(turn), 4.0) * sin(sin(2.4 * i * DEGREE));
    }
}

static void source_patterns_follow_their_formulas(void **state)
{
    static const char *const names[] = {"steady", "zigzag-vertical", "zigzag-horizontal",
                                        "vortex", "fourier",         "motor"};
    (void)state;
    for (int k = 0; k < 6; ++k) {
        struct emitter e = source_of(names[k], 4.0);
        for (int n = 0; n < 10; ++n) {
            const struct time_interval now = {.time = 0.37 * n, .dt = 0.01, .seed = 1};
            double v[2], w[2];
            source_velocity(&e, &now, v);
            formula(names[k], 4.0, now.time, w);
            CHECK_NEAR(v[0], w[0], 1e-12); // sums of a few sines, in double
            CHECK_NEAR(v[1], w[1], 1e-12);
        }
    }
}

// The angle of noise at a time, seen in steps of dt.
static double angle_at(uint64_t seed, double time, double dt)
{
    struct emitter e = source_of("noise", 5.0);
    double v[2] = {0, 0};
    for (int n = 0; n * dt < time + 0.5 * dt; ++n) {
        const struct time_interval now = {.time = n * dt, .dt = dt, .seed = seed};
        source_velocity(&e, &now, v);
    }
    // the direction changes, the speed does not
    CHECK_NEAR(sqrt(v[0] * v[0] + v[1] * v[1]), sqrt(13.0), 1e-12);
    return atan2(v[1], v[0]);
}

static void noise_is_continuous_and_reproducible(void **state)
{
    (void)state;
    int differs = 0;
    double before = angle_at(7, 0.0, 1.0 / 60.0);
    for (int n = 1; n <= 60; ++n) {
        const double t = n / 30.0, now = angle_at(7, t, 1.0 / 60.0);
        CHECK_NEAR(now, angle_at(7, t, 1.0 / 240.0), 1e-9); // it does not depend on earlier queries
        const double turn = (now - before) / DEGREE, step = turn - 360.0 * floor(turn / 360.0 + 0.5);
        CHECK_NEAR(fabs(step) < 1.0 ? 0.0 : 5.0, fabs(step), 1e-6); // -5, 0 or 5 degrees a frame
        differs += fabs(now - angle_at(8, t, 1.0 / 60.0)) > 1e-6;
        before = now;
    }
    assert_true(differs > 30);
}

// Dye is emitted at the given rate at any frame rate.
static uint64_t run(double frame, double *dye)
{
    struct world_setup def = world_setup(TARN_FLUID_FLOW);
    tarn_world *w;
    tarn_error err;
    def.fluid.flow.cells[0] = 32, def.fluid.flow.cells[1] = 32;
    assert_int_equal(setup_create(&def, &w, &err), TARN_OK);
    struct emitter e = source_of("noise", 9.0);
    tarn_source *source = &e.def.source;
    source->position = (tarn_vec2){0.5, 0.5}, source->radius = 0.125;
    source->velocity = (tarn_vec2){0.5, 0}, source->set_velocity = true, source->dye = 2;
    assert_int_equal(tarn_emitter_create(w, &e.def, NULL, &err), TARN_OK);
    for (int n = 0; n < (int)(1.0 / frame + 0.5); ++n)
        assert_int_equal(tarn_world_advance(w, frame), TARN_OK);
    *dye = tarn_world_get_ledger(w).dye_emitted;
    const uint64_t hash = tarn_world_hash(w);
    tarn_world_destroy(w);
    return hash;
}

static void frame_rate_does_not_change_results(void **state)
{
    double a, b;
    (void)state;
    const uint64_t slow = run(1.0 / 30.0, &a), fast = run(1.0 / 144.0, &b);
    assert_int_equal(slow, fast);
    CHECK_NEAR(a, 2.0 * PI * 0.125 * 0.125, 0.02); // the disc by 16 points of each cell
    CHECK_NEAR(a, b, 0.0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(source_patterns_follow_their_formulas),
        cmocka_unit_test(noise_is_continuous_and_reproducible),
        cmocka_unit_test(frame_rate_does_not_change_results),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
