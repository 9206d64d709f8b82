// Conservation of momentum, energy and volume of water and bodies together.
#include "body_def.h"
#include "conservation.h"

// In a periodic lake nothing takes momentum from bodies that move through it, collide and sink, except the
// ground, whose impulse is in the ledger. In deep water, in water as deep as the bodies, and in water in
// which some of them lie on the ground.
static void momentum_is_conserved(void **state)
{
    (void)state;
    static const struct moving_bodies cases[] = {
        {3, 50, 4, 1e-5}, {2, 300, 30, 1e-5}, {1, 500, 2, 1e-5}, {0.4, 900, 6, 1e-5}};
    for (int c = 0; c < COUNT(cases); ++c) {
        struct world_setup def = shallow_world_def(48, 48, 8.0 / 48.0);
        def.fluid.shallow.depth = cases[c].depth;
        shallow_set_boundaries(&def, periodic);
        check_momentum(&def, &cases[c]);
    }
}

// The energy of water and a body without input never exceeds its value at the start by more than 3 % of
// the energy that can be lost. (Without any drag the energy of a cube that rolls at 3 rad/s oscillated by
// 10 % of it and did not grow.)
static void energy_never_grows(void **state)
{
    (void)state;
    const int n = long_mode() ? 64 : 32;
    double worst = 0.0;
    for (int k = 0; k < 2 * 4 * 4 * COUNT(kinds); ++k) {
        if (!long_mode() && k % 3) continue;
        struct world_setup def = world_setup_of(k % 2 ? "shallow" : "wave");
        set_size(&def.fluid, 6, 6);
        set_cells(&def.fluid, n, n);
        set_depth(&def.fluid, 3);
        if (k % 2 == 0) def.fluid.wave.diffusion = 0;
        const tarn_body_def body = body_to_drop(kinds[k / 32], k / 8 % 4, k / 2 % 4, k);
        worst = fmax(worst, energy_rise(&def, &body));
    }
    print_message("energy grows by %.2g of the disturbance\n", worst);
    assert_true(worst < 0.03);
}

// A body that enters the water has to accelerate its added mass to its own velocity and rotation: a light
// one that is thrown in rotating can only do so with its own energy.
static void bodies_entering_water_gain_no_energy(void **state)
{
    (void)state;
    for (int k = 0; k < 2 * 2 * COUNT(kinds); ++k) {
        struct world_setup def = world_setup_of(k % 2 ? "shallow" : "wave");
        set_size(&def.fluid, 4, 4);
        set_cells(&def.fluid, 32, 32);
        set_depth(&def.fluid, 3);
        if (k % 2 == 0) def.fluid.wave.diffusion = 0;
        tarn_body_def body = body_def(kinds[k / 4]);
        body.density = k / 2 % 2 ? 2 : 10;
        body.position = (tarn_vec3){0.03, 4, 0.02}, body.velocity = (tarn_vec3){3, -15, 1};
        body.angular_velocity = (tarn_vec3){60, 0, 80};
        assert_true(energy_rise(&def, &body) < 0.03);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(momentum_is_conserved),
        cmocka_unit_test(energy_never_grows),
        cmocka_unit_test(bodies_entering_water_gain_no_energy),
    };
    return cmocka_run_group_tests_name("balance", tests, NULL, NULL);
}
