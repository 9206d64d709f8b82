// The wave model: periods, order of convergence, volume, symmetry, boundaries, emitters.
#include "wave_world.h"

#include "world/world.h"

#define PI_ 3.14159265358979323846

// ---- standing waves -------------------------------------------------------------------------------

static void set_mode(tarn_world *w, int m, int n, double height)
{
    struct fluid *f = &w->fluid;
    for (int j = 0; j < f->grid.nz; ++j)
        for (int i = 0; i < f->grid.nx; ++i) {
            const float d = (float)(height * cos(m * PI_ * (i + 0.5) / f->grid.nx) *
                                    cos(n * PI_ * (j + 0.5) / f->grid.nz));
            f->model->height_field->add_water(f, j, i, i + 1, &d, NULL);
        }
}

static double mode_height(const tarn_world *w, int m, int n)
{
    const struct fluid *f = &w->fluid;
    double sum = 0.0;
    float row[512];
    for (int j = 0; j < f->grid.nz; ++j) {
        f->model->height_field->read_surface(f, j, 0, f->grid.nx, row);
        for (int i = 0; i < f->grid.nx; ++i)
            sum += (double)row[i] * cos(m * PI_ * (i + 0.5) / f->grid.nx) *
                   cos(n * PI_ * (j + 0.5) / f->grid.nz);
    }
    return sum / (f->grid.nx * f->grid.nz);
}

// Period of mode (m, n) in a tank of 2 x 1.5 m, depth 0.5 m, from its zero crossings.
static double period(int nx, int nz, int m, int n, double dt)
{
    tarn_world *w = wave_world_create(&(struct wave_world){
        .wide = 2.0, .deep = 1.5, .nx = nx, .nz = nz, .depth = 0.5, .dt = dt, .diffusion = 0.0});
    set_mode(w, m, n, 0.01);
    double before = mode_height(w, m, n), first = -1.0, last = -1.0;
    int crossings = 0;
    while (crossings < 21) {
        CHECK_OK(tarn_world_advance(w, dt));
        const double now = mode_height(w, m, n), t = tarn_world_get_status(w).time;
        if ((before < 0.0) != (now < 0.0)) {
            last = t - dt * now / (now - before); // the sine is straight where it crosses
            if (first < 0.0) first = last;
            ++crossings;
        }
        before = now;
    }
    tarn_world_destroy(w);
    return 2.0 * (last - first) / (crossings - 1);
}

static double theory(int m, int n)
{
    return 2.0 / sqrt(9.81 * 0.5 * (m * m / (2.0 * 2.0) + n * n / (1.5 * 1.5)));
}

// T = 2 pi / (c k). A mode (2, 0) on 64 columns has 64 columns a wavelength.
static void periods_match_theory(void **state)
{
    (void)state;
    CHECK_NEAR(period(64, 48, 2, 0, 0.005), theory(2, 0), 0.005 * theory(2, 0));
    CHECK_NEAR(period(64, 48, 0, 1, 0.005), theory(0, 1), 0.005 * theory(0, 1));
    CHECK_NEAR(period(64, 48, 2, 1, 0.005), theory(2, 1), 0.005 * theory(2, 1));
}

// The scheme is second order: half the cell, a quarter of the error. 1.9 allows for the last digits of
// the zero crossings.
static void periods_converge_with_second_order(void **state)
{
    (void)state;
    double error[3];
    for (int k = 0; k < 3; ++k)
        error[k] = fabs(period(16 << k, 12 << k, 2, 1, 0.02 / (1 << k)) / theory(2, 1) - 1.0);
    print_message("relative errors of the period: %.3g %.3g %.3g\n", error[0], error[1], error[2]);
    assert_true(log2(error[0] / error[1]) > 1.9);
    assert_true(log2(error[1] / error[2]) > 1.9);
}

// The leapfrog's own dispersion relation, sin^2(w dt/2) = l^2 (sin^2(kx s/2) + sin^2(kz s/2)), gives the
// period on the grid: the code solves exactly the documented equations.
static void periods_follow_discrete_dispersion(void **state)
{
    (void)state;
    const double s = 2.0 / 16, c = sqrt(9.81 * 0.5), dt = 0.02;
    const double sub = dt / ceil(dt * c * sqrt(2.0) / (0.7 * s)), l = c * sub / s;
    const double sx = sin(2 * PI_ / 2.0 * s / 2), sz = sin(PI_ / 1.5 * s / 2);
    const double omega = 2.0 / sub * asin(l * sqrt(sx * sx + sz * sz));
    CHECK_NEAR(period(16, 12, 2, 1, dt), 2.0 * PI_ / omega, 2e-5); // zero crossings of a sine cut at 0.02 s
}

// ---- volume, energy, symmetry ---------------------------------------------------------------------

// What leaves one column enters the next: only rounding changes the volume.
static void volume_is_conserved(void **state)
{
    (void)state;
    tarn_world *w = wave_world_create(
        &(struct wave_world){.wide = 4, .deep = 3, .nx = 64, .nz = 48, .depth = 1, .diffusion = -1});
    add_hump(w, 0.7, -0.4, 0.4, 0.2);
    const int steps = long_mode() ? 100000 : 5000;
    double worst = 0.0;
    for (int n = 0; n < steps; ++n) {
        CHECK_OK(tarn_world_advance(w, 1.0 / 60.0));
        if (n % 100 == 0) worst = fmax(worst, fabs(tarn_world_get_ledger(w).volume_error));
    }
    print_message("%d steps, worst drift %.2g of the volume\n", steps, worst / 12.0);
    assert_true(worst < 1e-8 * 12.0);
    tarn_world_destroy(w);
}

// Closed, unforced and undamped, the energy stays: the ledger's is the one that the leapfrog keeps exactly,
// so only float rounding is left, 1e-4 over 20 s.
static void energy_is_conserved(void **state)
{
    (void)state;
    tarn_world *w = wave_world_create(
        &(struct wave_world){.wide = 4, .deep = 4, .nx = 64, .nz = 64, .depth = 1, .diffusion = 0});
    add_hump(w, 0.3, 0.2, 0.5, 0.2);
    const double start = tarn_world_get_ledger(w).energy_water;
    for (int n = 0; n < 1200; ++n) {
        CHECK_OK(tarn_world_advance(w, 1.0 / 60.0));
        CHECK_NEAR(tarn_world_get_ledger(w).energy_water, start, 1e-4 * start);
    }
    tarn_world_destroy(w);
}

// Damping is a rate: the energy of a mode falls as exp(-damping t) whatever dt and cell size are.
static void damping_is_a_rate(void **state)
{
    (void)state;
    for (int k = 0; k < 2; ++k) {
        tarn_world *w = wave_world_create(&(struct wave_world){.wide = 2,
                                                               .deep = 1.5,
                                                               .nx = 32 << k,
                                                               .nz = 24 << k,
                                                               .depth = 0.5,
                                                               .dt = 0.02 / (1 << k),
                                                               .damping = 0.5,
                                                               .diffusion = 0});
        set_mode(w, 1, 0, 0.01);
        const double start = tarn_world_get_ledger(w).energy_water;
        for (int n = 0; n < (200 << k); ++n) CHECK_OK(tarn_world_advance(w, 0.02 / (1 << k)));
        CHECK_NEAR(log(tarn_world_get_ledger(w).energy_water / start) / 4.0, -0.5,
                   0.02); // energy wobbles within a period
        tarn_world_destroy(w);
    }
}

// A mirrored start gives the mirrored result, to the bit.
static void mirrored_ponds_mirror(void **state)
{
    (void)state;
    const struct wave_world p = {.wide = 4, .deep = 4, .nx = 64, .nz = 64, .depth = 1, .diffusion = -1};
    tarn_world *a = wave_world_create(&p), *b = wave_world_create(&p), *t = wave_world_create(&p);
    add_hump(a, 0.75, -0.5, 0.4, 0.2);
    add_hump(b, -0.75, -0.5, 0.4, 0.2);
    add_hump(t, -0.5, 0.75, 0.4, 0.2);
    run_for(a, 3), run_for(b, 3), run_for(t, 3);
    tarn_frame fa = {0}, fb = {0}, ft = {0};
    CHECK_OK(tarn_world_get_frame(a, 1, &fa));
    CHECK_OK(tarn_world_get_frame(b, 1, &fb));
    CHECK_OK(tarn_world_get_frame(t, 1, &ft));
    int differ = 0;
    for (int j = 0; j < 64; ++j)
        for (int i = 0; i < 64; ++i) {
            differ += fa.height[j * 64 + i] != fb.height[j * 64 + 63 - i];
            differ += fa.height[j * 64 + i] != ft.height[i * 64 + j];
        }
    assert_int_equal(differ, 0);
    tarn_frame_free(&fa), tarn_frame_free(&fb), tarn_frame_free(&ft);
    tarn_world_destroy(a), tarn_world_destroy(b), tarn_world_destroy(t);
}

// 30, 60 and 144 frames a second give the same bits, with and without bodies in the water.
static void frame_rate_changes_nothing(void **state)
{
    (void)state;
    static const int rates[3] = {30, 60, 144};
    for (int bodies = 0; bodies < 2; ++bodies) {
        uint64_t hash[3];
        for (int k = 0; k < 3; ++k) {
            tarn_world *w = wave_world_create(
                &(struct wave_world){.wide = 4, .deep = 4, .nx = 64, .nz = 64, .depth = 1, .diffusion = -1});
            add_hump(w, 0.7, -0.5, 0.4, 0.2);
            if (bodies) add_sphere(w, 0.25, 400, (tarn_vec3){0.2, 1.5, 0.1});
            for (int n = 0; n < 10 * rates[k]; ++n) CHECK_OK(tarn_world_advance(w, 1.0 / rates[k]));
            assert_int_equal(tarn_world_get_status(w).steps, 600);
            hash[k] = tarn_world_hash(w);
            tarn_world_destroy(w);
        }
        assert_true(hash[0] == hash[1] && hash[1] == hash[2]);
    }
}

// Several steps in one call equal single steps, to the bit: around strips, blocks, walls and periodic sides.
static void several_steps_equal_single_steps(void **state)
{
    (void)state;
    static const int sizes[][2] = {{17, 9}, {256, 70}, {300, 300}, {531, 64}};
    for (int k = 0; k < COUNT(sizes); ++k)
        for (int wrap = 0; wrap < 4; ++wrap) {
            const char *x = wrap & 1 ? "periodic" : "wall", *z = wrap & 2 ? "periodic" : "wall";
            const struct wave_world p = {.wide = 0.05 * sizes[k][0],
                                         .deep = 0.05 * sizes[k][1],
                                         .nx = sizes[k][0],
                                         .nz = sizes[k][1],
                                         .depth = 1,
                                         .damping = 0.2,
                                         .diffusion = -1,
                                         .side = {x, x, z, z}};
            tarn_world *a = wave_world_create(&p), *b = wave_world_create(&p);
            add_hump(a, 0.31 * p.wide, -0.2 * p.deep, 0.2, 0.2);
            add_hump(b, 0.31 * p.wide, -0.2 * p.deep, 0.2, 0.2);
            b->fluid.is_closed = false; // one by one, through the ghosts
            for (int n = 1; n < 8; ++n) {
                a->fluid.model->advance(&a->fluid, 0.005, n);
                b->fluid.model->advance(&b->fluid, 0.005, n);
                assert_true(tarn_world_hash(a) == tarn_world_hash(b));
            }
            tarn_world_destroy(a), tarn_world_destroy(b);
        }
}

// ---- sides ----------------------------------------------------------------------------------------

// A plane pulse leaves through an open boundary: less than 1 % of its energy is reflected.
static void open_boundaries_absorb_plane_waves(void **state)
{
    (void)state;
    tarn_world *w = wave_world_create(&(struct wave_world){
        .wide = 16, .deep = 0.5, .nx = 512, .nz = 16, .depth = 1, .diffusion = 0, .side = {"open", "open"}});
    struct fluid *f = &w->fluid;
    for (int j = 0; j < 16; ++j)
        for (int i = 0; i < 512; ++i) {
            const double x = grid_cell_x(&f->grid, i);
            const float d = (float)(0.1 * exp(-x * x / 0.25));
            f->emitted_depth += f->model->height_field->add_water(f, j, i, i + 1, &d, NULL);
        }
    const double start = tarn_world_get_ledger(w).energy_water;
    run_for(w, 6.0); // 19 m at 3.1 m/s: out and, if anything, back in the middle
    const double back = tarn_world_get_ledger(w).energy_water / start;
    print_message("energy that comes back, normal incidence: %.2g\n", back);
    assert_true(back < 0.01);
    CHECK_NEAR(tarn_world_get_ledger(w).volume_error, 0.0, 1e-7); // the ledger counts the outflow
    tarn_world_destroy(w);
}

// A circular wave meets the boundaries at all angles: less than 3 % of its energy is reflected.
static void open_boundaries_absorb_circular_waves(void **state)
{
    (void)state;
    tarn_world *w = wave_world_create(&(struct wave_world){.wide = 8,
                                                           .deep = 8,
                                                           .nx = 128,
                                                           .nz = 128,
                                                           .depth = 1,
                                                           .diffusion = 0,
                                                           .side = {"open", "open", "open", "open"}});
    add_hump(w, 0, 0, 0.5, 0.1);
    const double start = tarn_world_get_ledger(w).energy_water;
    run_for(w, 2.6); // the corner's waves have just left, reflections are all still inside
    const double back = tarn_world_get_ledger(w).energy_water / start;
    print_message("energy that comes back, all angles: %.2g\n", back);
    assert_true(back < 0.03);
    run_for(w, 20.0);
    assert_true(max_surface_deviation(w, 1.0) < 1e-3 * 0.1); // and in the end the pond is flat at its level
    tarn_world_destroy(w);
}

// With periodic boundaries a travelling wave is the same everywhere.
static void periodic_boundaries_are_translation_invariant(void **state)
{
    (void)state;
    const struct wave_world p = {.wide = 4,
                                 .deep = 4,
                                 .nx = 64,
                                 .nz = 64,
                                 .depth = 1,
                                 .diffusion = -1,
                                 .side = {"periodic", "periodic", "periodic", "periodic"}};
    tarn_world *a = wave_world_create(&p), *b = wave_world_create(&p);
    add_hump(a, 0.0, 0.0, 0.3, 0.2);
    add_hump(b, 1.5, -1.75, 0.3, 0.2); // across both edges; 24 and 28 columns away
    run_for(a, 3), run_for(b, 3);
    tarn_frame fa = {0}, fb = {0};
    CHECK_OK(tarn_world_get_frame(a, 1, &fa));
    CHECK_OK(tarn_world_get_frame(b, 1, &fb));
    double most = 0.0;
    for (int j = 0; j < 64; ++j)
        for (int i = 0; i < 64; ++i)
            most = fmax(most, fabs((double)fa.height[j * 64 + i] -
                                   (double)fb.height[((j + 64 - 28) % 64) * 64 + (i + 24) % 64]));
    assert_true(most < 1e-6); // the two humps were rounded at different places
    tarn_frame_free(&fa), tarn_frame_free(&fb);
    tarn_world_destroy(a), tarn_world_destroy(b);
}

// ---- emitters -------------------------------------------------------------------------------------

// A wavemaker makes waves of the given height.
static void wavemakers_produce_their_wave_height(void **state)
{
    (void)state;
    for (int k = 0; k < 2; ++k) {
        tarn_world *w = wave_world_create(&(struct wave_world){.wide = 12,
                                                               .deep = 0.5,
                                                               .nx = 192 << k,
                                                               .nz = 8 << k,
                                                               .depth = 1,
                                                               .diffusion = 0,
                                                               .side = {"wall", "open"}});
        tarn_emitter_def maker = tarn_default_emitter_def(TARN_EMITTER_WAVEMAKER);
        maker.wavemaker.height = 0.1;
        maker.wavemaker.period = 1.5;
        CHECK_OK(tarn_emitter_create(w, &maker, NULL, NULL));
        run_for(w, 12);
        double low = 1e9, high = -1e9;
        for (int n = 0; n < 180; ++n) {
            CHECK_OK(tarn_world_advance(w, 1.0 / 60.0));
            const double h = tarn_world_get_surface(w, 1.0, 0.0).height;
            low = fmin(low, h), high = fmax(high, h);
        }
        CHECK_NEAR(high - low, 0.1, 0.003); // dispersion of the grid and the strip's width
        tarn_world_destroy(w);
    }
}

// Rain raises the level by its rate, and the ledger counts every drop.
static void rain_adds_its_rate(void **state)
{
    (void)state;
    tarn_world *w = wave_world_create(
        &(struct wave_world){.wide = 4, .deep = 4, .nx = 64, .nz = 64, .depth = 1, .diffusion = -1});
    tarn_emitter_def rain = tarn_default_emitter_def(TARN_EMITTER_RAIN);
    rain.rain.rate = 1e-4;
    rain.rain.radius = 0.01;
    CHECK_OK(tarn_emitter_create(w, &rain, NULL, NULL));
    run_for(w, 20);
    const tarn_ledger l = tarn_world_get_ledger(w);
    // Gaussians summed over cells, cut at the walls; the part beyond a wall is missing.
    CHECK_NEAR(l.volume_emitted, 20 * 1e-4 * 16, 0.05 * 20 * 1e-4 * 16);
    CHECK_NEAR(l.volume_error, 0.0, 1e-8 * l.volume);
    tarn_world_destroy(w);
}

// A drop brings its volume, and its momentum makes the ring: faster drops make larger ones.
static void drops_add_volume_and_momentum(void **state)
{
    (void)state;
    double wave[2];
    for (int k = 0; k < 2; ++k) {
        tarn_world *w = wave_world_create(
            &(struct wave_world){.wide = 4, .deep = 4, .nx = 128, .nz = 128, .depth = 1, .diffusion = -1});
        tarn_emitter_def drops = tarn_default_emitter_def(TARN_EMITTER_DROPS);
        drops.drops.radius = 0.05;
        drops.drops.speed = k ? 8.0 : 0.0;
        drops.drops.interval = 100.0;
        CHECK_OK(tarn_emitter_create(w, &drops, NULL, NULL));
        run_for(w, 0.3);
        const double volume = 4.0 / 3.0 * PI_ * 0.05 * 0.05 * 0.05;
        CHECK_NEAR(tarn_world_get_ledger(w).volume_emitted, volume, 1e-4 * volume);
        wave[k] = max_surface_deviation(w, 1.0);
        tarn_world_destroy(w);
    }
    assert_true(wave[1] > 3.0 * wave[0]);
}

// A falling drop pushes water down and outwards: just afterwards there is a hollow with a raised rim.
static void drops_push_downwards(void **state)
{
    (void)state;
    tarn_world *w = wave_world_create(
        &(struct wave_world){.wide = 4, .deep = 4, .nx = 128, .nz = 128, .depth = 1, .diffusion = -1});
    tarn_emitter_def drops = tarn_default_emitter_def(TARN_EMITTER_DROPS);
    drops.drops.radius = 0.05;
    drops.drops.speed = 10.0;
    drops.drops.interval = 100.0;
    CHECK_OK(tarn_emitter_create(w, &drops, NULL, NULL));
    run_for(w, 2.0 / 60.0);
    assert_true(tarn_world_get_surface(w, 0, 0).height < 1.0);
    assert_true(tarn_world_get_surface(w, 0.15, 0).velocity.x > 0.0);
    assert_true(tarn_world_get_surface(w, 0.15, 0).height > 1.0);
    tarn_world_destroy(w);
}

// Any diffusion and any cell size: the substep follows the stricter of the two limits.
static void diffusion_is_stable(void **state)
{
    (void)state;
    for (int k = 0; k < 3; ++k) {
        tarn_world *w = wave_world_create(&(struct wave_world){.wide = 0.4,
                                                               .deep = 0.4,
                                                               .nx = 16 << k,
                                                               .nz = 16 << k,
                                                               .depth = 0.1,
                                                               .diffusion = k == 2 ? 0.01 : 0.1});
        add_hump(w, 0.01, 0.02, 0.03, 0.01);
        const double start = tarn_world_get_ledger(w).energy_water;
        run_for(w, 1);
        assert_true(tarn_world_get_ledger(w).energy_water < start);
        tarn_world_destroy(w);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(periods_match_theory),
        cmocka_unit_test(periods_converge_with_second_order),
        cmocka_unit_test(periods_follow_discrete_dispersion),
        cmocka_unit_test(volume_is_conserved),
        cmocka_unit_test(energy_is_conserved),
        cmocka_unit_test(damping_is_a_rate),
        cmocka_unit_test(mirrored_ponds_mirror),
        cmocka_unit_test(frame_rate_changes_nothing),
        cmocka_unit_test(several_steps_equal_single_steps),
        cmocka_unit_test(open_boundaries_absorb_plane_waves),
        cmocka_unit_test(open_boundaries_absorb_circular_waves),
        cmocka_unit_test(periodic_boundaries_are_translation_invariant),
        cmocka_unit_test(wavemakers_produce_their_wave_height),
        cmocka_unit_test(rain_adds_its_rate),
        cmocka_unit_test(drops_add_volume_and_momentum),
        cmocka_unit_test(drops_push_downwards),
        cmocka_unit_test(diffusion_is_stable),
    };
    return cmocka_run_group_tests_name("wave", tests, NULL, NULL);
}
