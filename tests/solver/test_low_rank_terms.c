// Linear systems with the low-rank terms of dynamic bodies.
#include "counting_allocator.h"
#include "poisson_systems.h"

// Iterations to 1e-6 around a crowd of discs, fixed (density 0) or dynamic.
static int crowd_count(int n, double density, int form)
{
    struct problem p;
    struct crowd crowd;
    make(&p, n, n + (form == 2));
    make_crowd(&p, &crowd, fmax(density, 1.0));
    for (int t = 0; t < 3 * CROWD && density > 0.0; ++t)
        crowd.terms[t].weight *= fmax(density, 1.0) / density;
    if (density == 0.0) p.a.term_count = 0;
    p.a.periodic_x = form == 1;
    p.a.periodic_z = form == 1;
    p.a.boundary_factor[LINEAR_EAST] = form == 2 ? 2.0f : 0.0f;
    make_noise(&p);
    solve(&p, "multigrid", 1e-6, 0);
    if (!(p.report.residual <= 1e-6))
        fail_msg("%d^2, density %g: residual %.3g", n, density, p.report.residual);
    drop_crowd(&crowd);
    drop(&p);
    return p.report.iterations;
}

// Dynamic bodies need at most five iterations more than fixed ones, down to a density of 0.01, and hardly
// more below.
static void light_bodies_cost_few_iterations(void **state)
{
    static const double densities[] = {10.0, 1.0, 0.01, 1e-4};
    (void)state;
    for (int n = 128; n <= (getenv("TARN_LONG") ? 1024 : 256); n *= 2)
        for (int form = 0; form < (n > 256 ? 2 : 3); ++form) { // closed, periodic, one side open and odd
            const int held = crowd_count(n, 0.0, form);
            for (int k = 0; k < COUNT(densities); ++k) {
                const int count = crowd_count(n, densities[k], form);
                if (getenv("TARN_TOL"))
                    print_message("crowd, %d^2, form %d, density %g: %d, held %d\n", n, form, densities[k],
                                  count, held);
                assert_true(count <= held + 5 + (densities[k] < 0.01));
            }
        }
}

// Without memory for terms a system is refused, and the solver lives on.
static void allocation_of_low_rank_terms_may_fail(void **state)
{
    struct problem p;
    struct crowd crowd;
    (void)state;
    make(&p, 128, 128);
    make_crowd(&p, &crowd, 0.1);
    make_noise(&p);
    for (int left = 0;; ++left) {
        struct counting_allocator ledger = {.left = 1000000};
        const struct memory m = counting_memory(&ledger);
        struct linear_solver *s = linear_create(&m, p.pool, linear_kind_find("multigrid"), &p.g);
        ledger.left = left;
        const tarn_result made = linear_setup(s, &p.a);
        if (made == TARN_OK) {
            const long calls = ledger.calls;
            CHECK_OK(linear_setup(s, &p.a));
            linear_solve(s, p.b, p.x, (struct linear_tolerance){.relative = 1e-6, .max_iterations = 50},
                         &p.report);
            assert_int_equal(ledger.calls, calls); // arrays are reused
        } else {
            assert_int_equal(made, TARN_NO_MEMORY);
        }
        linear_destroy(s);
        assert_int_equal(ledger.blocks, 0);
        if (made == TARN_OK) break;
    }
    drop_crowd(&crowd);
    drop(&p);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(light_bodies_cost_few_iterations),
        cmocka_unit_test(allocation_of_low_rank_terms_may_fail),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
