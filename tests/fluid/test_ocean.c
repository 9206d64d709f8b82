// The model ocean: linear waves from a table or from the program, and bodies that float in them.
#include "check.h"
#include "memory_stream.h"
#include "world_setup.h"

#include "base/math/math.h"

#include <tarn/command.h>
#include <tarn/tarn.h>

#include <stdio.h>
#include <string.h>

#define GRAVITY 9.81

// A sea of 0.5 m cells.
static struct world_setup sea(double length, double width, double depth, const tarn_ocean_wave *waves,
                              int count)
{
    struct world_setup def = world_setup(TARN_FLUID_OCEAN);
    tarn_ocean_def *ocean = &def.fluid.ocean;
    ocean->size = (tarn_vec2){length, width};
    ocean->cells[0] = (int)(2.0 * length), ocean->cells[1] = (int)(2.0 * width);
    ocean->depth = depth;
    ocean->waves = waves, ocean->wave_count = count;
    return def;
}

static tarn_world *create(const struct world_setup *def)
{
    tarn_world *w = NULL;
    tarn_error err = {0};
    if (setup_create(def, &w, &err) != TARN_OK) fail_msg("%s: %s", err.key, err.message);
    return w;
}

static tarn_body_id sphere(tarn_world *w, double radius, double density, tarn_vec3 at)
{
    tarn_body_def body = tarn_default_body_def();
    const tarn_shape_def shape = {.type = TARN_SHAPE_SPHERE, .sphere = {.radius = radius}};
    tarn_body_id id;
    body.density = density, body.position = at;
    CHECK_OK(tarn_body_create_with_shape(w, &body, &shape, &id, NULL));
    return id;
}

static tarn_body_state state_of(const tarn_world *w, tarn_body_id id)
{
    tarn_body_state s;
    CHECK_OK(tarn_body_get_state(w, id, &s));
    return s;
}

static void run(tarn_world *w, int steps)
{
    for (int n = 0; n < steps; ++n) CHECK_OK(tarn_world_step(w));
}

// ---- waves ------------------------------------------------------------------------------------------------

// Surface, velocity and gauges are those of the theory at the centres of cells: to the rounding of floats.
static void the_surface_is_that_of_linear_theory(void **state)
{
    const tarn_ocean_wave waves[] = {{0.3, 20, 0.25, 0.5}, {0.1, 7, 0.6, -2.0}};
    const double depth = 4.0; // finite for the first wave, nearly deep for the second
    const struct world_setup def = sea(24, 16, depth, waves, 2);
    tarn_world *w = create(&def);
    (void)state;
    for (int n = 0; n < 3; ++n) {
        run(w, 37);
        const double t = tarn_world_get_status(w).time;
        for (int k = 0; k < 5; ++k) {
            const double x = -6.25 + 3.0 * k, z = 2.75 - 1.5 * k;
            double height = 0, rate = 0, u = 0, v = 0;
            for (int m = 0; m < 2; ++m) {
                const double wavenumber = 2 * PI / waves[m].wavelength, a = waves[m].amplitude,
                             omega = sqrt(GRAVITY * wavenumber * tanh(wavenumber * depth)),
                             cosine = cos(waves[m].direction), sine = sin(waves[m].direction),
                             phase =
                                 wavenumber * (x * cosine + z * sine) - omega * t + 2 * PI * waves[m].phase,
                             speed = a * omega / tanh(wavenumber * depth) * cos(phase);
                height += a * cos(phase), rate += a * omega * sin(phase);
                u += speed * cosine, v += speed * sine;
            }
            const tarn_surface s = tarn_world_get_surface(w, x, z);
            CHECK_NEAR(s.height, height, 1e-6);
            CHECK_NEAR(s.depth, height + depth, 1e-6);
            CHECK_NEAR(s.velocity.x, u, 1e-6);
            CHECK_NEAR(s.velocity.y, rate, 1e-6);
            CHECK_NEAR(s.velocity.z, v, 1e-6);
        }
        CHECK_NEAR(tarn_world_get_ledger(w).volume_error, 0.0, 1e-6 * tarn_world_get_ledger(w).volume);
    }
    tarn_world_destroy(w);
}

static void still_water_has_no_energy(void **state)
{
    const struct world_setup def = sea(8, 8, 3, NULL, 0);
    tarn_world *w = create(&def);
    (void)state;
    run(w, 10);
    const tarn_ledger l = tarn_world_get_ledger(w);
    CHECK_NEAR(l.energy_water, 0.0, 0.0);
    CHECK_NEAR(l.volume, 8 * 8 * 3, 1e-9);
    CHECK_NEAR(tarn_world_get_surface(w, 1, 1).height, 0.0, 0.0);
    tarn_world_destroy(w);
}

// The potential energy of a progressive wave is rho g a^2/4 per area, here over whole wavelengths.
static void waves_have_their_energy(void **state)
{
    const tarn_ocean_wave wave = {0.2, 8, 0, 0};
    const struct world_setup def = sea(16, 4, 50, &wave, 1);
    tarn_world *w = create(&def);
    (void)state;
    run(w, 25);
    const double expected = 1000 * GRAVITY * 0.2 * 0.2 / 4 * 16 * 4;
    CHECK_NEAR(tarn_world_get_ledger(w).energy_water, expected, 1e-5 * expected); // rounding of float heights
    tarn_world_destroy(w);
}

// ---- bodies -----------------------------------------------------------------------------------------------

// Draught in radii at which a sphere displaces a fraction of its volume, (3 t^2 - t^3)/4.
static double draught_of(double fraction)
{
    double low = 0.0, high = 2.0;
    for (int n = 0; n < 60; ++n) {
        const double t = 0.5 * (low + high);
        *((3.0 - t) * t * t / 4.0 < fraction ? &low : &high) = t;
    }
    return low;
}

// Spheres stay where they displace their mass, and the water does not notice. 2e-3 of the radius: the sphere
// is a polyhedron.
static void spheres_float_at_their_draught(void **state)
{
    (void)state;
    for (int k = 1; k < 4; ++k) {
        const struct world_setup def = sea(8, 8, 20, NULL, 0);
        tarn_world *w = create(&def);
        const double y = 0.5 * (1.0 - draught_of(0.25 * k));
        const tarn_body_id id = sphere(w, 0.5, 250 * k, (tarn_vec3){0.3, y, 0.1});
        run(w, 600);
        CHECK_NEAR(state_of(w, id).position.y, y, 1e-3);
        tarn_load load;
        CHECK_OK(tarn_body_get_load(w, id, &load));
        CHECK_NEAR(load.submerged_fraction, 0.25 * k, 1e-3);
        CHECK_NEAR(tarn_world_get_surface(w, 0.3, 0.1).height, 0.0, 0.0);
        CHECK_NEAR(tarn_world_get_ledger(w).volume_error, 0.0, 1e-6);
        tarn_world_destroy(w);
    }
}

// A small buoy in a wave of 100 times its size moves as the water does: its heave has the amplitude of the
// wave, its surge that of the orbit, a/tanh(k depth). 3 %: the buoy drifts, and meets waves at another
// frequency.
static void small_bodies_follow_the_orbits_of_the_water(void **state)
{
    static const double depths[] = {100.0, 5.0}; // deep; k depth = 0.79
    (void)state;
    for (int k = 0; k < COUNT(depths); ++k) {
        const tarn_ocean_wave wave = {0.4, 40, 0, 0};
        const struct world_setup def = sea(80, 8, depths[k], &wave, 1);
        const double wavenumber = 2 * PI / 40, shallow = tanh(wavenumber * depths[k]),
                     period = 2 * PI / sqrt(GRAVITY * wavenumber * shallow);
        tarn_world *w = create(&def);
        const tarn_body_id id = sphere(w, 0.2, 500, (tarn_vec3){-20, 0, 0});
        run(w, (int)(60 * 4 * period));
        double low = 1e9, high = -1e9, slow = 1e9, fast = -1e9;
        for (int n = 0; n < (int)(60 * 2 * period); ++n) {
            run(w, 1);
            const tarn_body_state s = state_of(w, id);
            low = fmin(low, s.position.y), high = fmax(high, s.position.y);
            slow = fmin(slow, s.velocity.x), fast = fmax(fast, s.velocity.x);
        }
        const double orbit = 0.4 / shallow * 2 * PI / period;
        CHECK_NEAR(0.5 * (high - low), 0.4, 0.03 * 0.4);
        CHECK_NEAR(0.5 * (fast - slow), orbit, 0.03 * orbit);
        tarn_world_destroy(w);
    }
}

// Below the surface the motion decays with cosh(k (y + depth))/sinh(k depth): a body as dense as water moves
// with the water there. 5 %: the motion varies along its orbit.
static void motion_decays_with_depth(void **state)
{
    static const double depths[] = {1.0, 4.0, 8.0};
    const tarn_ocean_wave wave = {0.3, 30, 0, 0};
    const struct world_setup def = sea(60, 8, 12, &wave, 1);
    const double wavenumber = 2 * PI / 30, omega = sqrt(GRAVITY * wavenumber * tanh(wavenumber * 12.0));
    (void)state;
    for (int k = 0; k < COUNT(depths); ++k) {
        tarn_world *w = create(&def);
        const tarn_body_id id = sphere(w, 0.25, 1000, (tarn_vec3){0, -depths[k], 0});
        run(w, (int)(60 * 3 * 2 * PI / omega));
        double low = 1e9, high = -1e9, slow = 1e9, fast = -1e9, middle = 0.0;
        const int count = (int)(60 * 2 * PI / omega);
        for (int n = 0; n < count; ++n) {
            run(w, 1);
            const tarn_body_state s = state_of(w, id);
            low = fmin(low, s.velocity.y), high = fmax(high, s.velocity.y), middle += s.position.y / count;
            slow = fmin(slow, s.velocity.x), fast = fmax(fast, s.velocity.x);
        }
        const double kh = wavenumber * 12.0, ky = wavenumber * (middle + 12.0),
                     u = 0.3 * omega * cosh(ky) / sinh(kh), v = 0.3 * omega * sinh(ky) / sinh(kh);
        CHECK_NEAR(0.5 * (fast - slow), u, 0.05 * u);
        CHECK_NEAR(0.5 * (high - low), v, 0.05 * v);
        tarn_world_destroy(w);
    }
}

static void bodies_enter_the_water_with_an_event(void **state)
{
    const struct world_setup def = sea(8, 8, 20, NULL, 0);
    tarn_world *w = create(&def);
    int entered = 0;
    (void)state;
    sphere(w, 0.3, 600, (tarn_vec3){0, 2, 0});
    for (int n = 0; n < 120; ++n) {
        run(w, 1);
        entered += tarn_world_get_events(w).water_entered_count;
    }
    assert_true(entered > 0);
    tarn_world_destroy(w);
}

// ---- water of the program ---------------------------------------------------------------------------------

// One deep wave along x over a shoal.
static void swell(void *context, double time, int count, const double *x, const double *z,
                  tarn_ocean_point *out)
{
    const tarn_ocean_wave *s = context;
    const double k = 2 * PI / s->wavelength, omega = sqrt(GRAVITY * k * tanh(k * 100.0));
    for (int i = 0; i < count; ++i) {
        const double phase = k * x[i] - omega * time + 2 * PI * s->phase;
        out[i].height = s->amplitude * cos(phase);
        out[i].velocity.x = s->amplitude * omega / tanh(k * 100.0) * cos(phase);
        out[i].velocity.y = s->amplitude * omega * sin(phase);
        out[i].bed = z[i] > 5.0 ? 1.0 : -INFINITY;
    }
}

static struct world_setup sea_of_program(tarn_ocean_wave *wave)
{
    struct world_setup def = sea(40, 16, 100, NULL, 0);
    def.fluid.ocean.from_host = true;
    def.fluid.ocean.decay = wave->wavelength / (2 * PI);
    def.world.host.ocean = (tarn_ocean_source){swell, wave, false};
    return def;
}

// A function that gives the same wave as the table leads to the same motion; 1e-4 m: rounding of float
// heights, grown over 10 s.
static void functions_and_tables_agree(void **state)
{
    tarn_ocean_wave wave = {0.3, 20, 0.1, 0};
    struct world_setup defs[2] = {sea(40, 16, 100, &wave, 1), sea_of_program(&wave)};
    tarn_vec3 at[2];
    (void)state;
    for (int k = 0; k < 2; ++k) {
        tarn_world *w = create(&defs[k]);
        const tarn_body_id id = sphere(w, 0.3, 600, (tarn_vec3){0, 0.2, -2});
        run(w, 600);
        at[k] = state_of(w, id).position;
        assert_true(tarn_world_get_surface(w, 0, 6).wet == (k == 0)); // the shoal of the program is dry
        tarn_world_destroy(w);
    }
    CHECK_NEAR(at[0].x, at[1].x, 1e-4);
    CHECK_NEAR(at[0].y, at[1].y, 1e-4);
    CHECK_NEAR(at[0].z, at[1].z, 1e-4);
}

// Any number of threads, and a function that only one thread may call, lead to the same bits.
static void threads_do_not_matter(void **state)
{
    tarn_ocean_wave wave = {0.3, 20, 0.1, 0};
    uint64_t hash[3];
    (void)state;
    for (int k = 0; k < 3; ++k) {
        struct world_setup def = sea_of_program(&wave);
        def.world.host.workers = k ? 2 : 0, def.world.host.ocean.one_thread = k == 2;
        tarn_world *w = create(&def);
        sphere(w, 0.3, 600, (tarn_vec3){0, 0.2, -2});
        run(w, 60);
        hash[k] = tarn_world_hash(w);
        tarn_world_destroy(w);
    }
    assert_true(hash[0] == hash[1] && hash[0] == hash[2]);
}

static void checkpoints_need_the_function_again(void **state)
{
    static struct memory_stream file;
    tarn_ocean_wave wave = {0.3, 20, 0.1, 0};
    const struct world_setup def = sea_of_program(&wave);
    tarn_world *w = create(&def), *again = NULL;
    tarn_error err = {0};
    (void)state;
    sphere(w, 0.3, 600, (tarn_vec3){0, 0.2, -2});
    run(w, 60);
    file.size = file.at = 0;
    CHECK_OK(tarn_world_save(w, stream_write, &file));
    assert_int_equal(tarn_world_load(stream_read, &file, NULL, &again, &err), TARN_BAD_INPUT);
    assert_string_equal(err.key, "from_host");
    assert_non_null(strstr(err.message, "set tarn_host.ocean"));
    file.at = 0;
    const tarn_host host = {.ocean = def.world.host.ocean};
    CHECK_OK(tarn_world_load(stream_read, &file, &host, &again, &err));
    assert_true(tarn_world_hash(w) == tarn_world_hash(again));
    run(w, 60);
    run(again, 60);
    assert_true(tarn_world_hash(w) == tarn_world_hash(again));
    tarn_world_destroy(again);
    tarn_world_destroy(w);
}

// ---- what cannot be --------------------------------------------------------------------------------------

static void refuse(const struct world_setup *def, const char *key, const char *words)
{
    tarn_world *w = NULL;
    tarn_error err = {0};
    assert_int_equal(setup_create(def, &w, &err), TARN_BAD_INPUT);
    assert_string_equal(err.key, key);
    if (!strstr(err.message, words)) fail_msg("expected '%s', got '%s'", words, err.message);
}

static void impossible_seas_are_refused(void **state)
{
    const tarn_ocean_wave wrong[] = {{-1, 20, 0, 0}, {1, 0, 0, 0}, {0.01, 1.9, 0, 0}, {1.5, 20, 0, 0}};
    static const char *const words[] = {"must not be negative", "nor the wavelength 0", "less than 4 cells",
                                        "breaks if its amplitude exceeds 1.42 m"};
    (void)state;
    for (int k = 0; k < COUNT(wrong); ++k) {
        const struct world_setup def = sea(40, 16, 100, &wrong[k], 1);
        refuse(&def, "waves", words[k]);
    }
    tarn_ocean_wave wave = {0.3, 20, 0.1, 0};
    struct world_setup def = sea_of_program(&wave);
    def.world.host.ocean.sample = NULL;
    refuse(&def, "from_host", "set tarn_host.ocean");
    def = sea(40, 16, 100, &wave, 1);
    def.world.coupling = TARN_COUPLING_COLUMNS;
    refuse(&def, "coupling.method", "'columns' is not available in the model 'ocean'");
}

// Nothing changes the water: emitters, commands and fields are refused.
static void the_water_cannot_be_changed(void **state)
{
    const struct world_setup def = sea(8, 8, 20, NULL, 0);
    tarn_world *w = create(&def);
    const tarn_emitter_def rain = tarn_default_emitter_def(TARN_EMITTER_RAIN);
    const tarn_command poke = {.kind = TARN_COMMAND_POKE, .radius = 0.5, .amount = 1};
    const double height = 1.0;
    const tarn_cell_rect one = {0, 0, 1, 1};
    tarn_error err = {0};
    (void)state;
    assert_int_equal(tarn_emitter_create(w, &rain, NULL, &err), TARN_BAD_INPUT);
    assert_non_null(strstr(err.message, "cannot be changed"));
    assert_int_equal(tarn_world_apply_command(w, &poke, &err), TARN_BAD_INPUT);
    assert_non_null(strstr(err.message, "cannot be changed"));
    assert_int_equal(tarn_world_write_field(w, TARN_FIELD_HEIGHT, &one, NULL, &height, &err),
                     TARN_BAD_ARGUMENT);
    tarn_world_destroy(w);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_surface_is_that_of_linear_theory),
        cmocka_unit_test(still_water_has_no_energy),
        cmocka_unit_test(waves_have_their_energy),
        cmocka_unit_test(spheres_float_at_their_draught),
        cmocka_unit_test(small_bodies_follow_the_orbits_of_the_water),
        cmocka_unit_test(motion_decays_with_depth),
        cmocka_unit_test(bodies_enter_the_water_with_an_event),
        cmocka_unit_test(functions_and_tables_agree),
        cmocka_unit_test(threads_do_not_matter),
        cmocka_unit_test(checkpoints_need_the_function_again),
        cmocka_unit_test(impossible_seas_are_refused),
        cmocka_unit_test(the_water_cannot_be_changed),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
