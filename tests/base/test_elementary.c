// Elementary functions: accurate, symmetric, and the same bits everywhere.
#include "check.h"
#include "rng.h"

#include "base/hash.h"
#include "base/math/math.h"
#include "base/math/random.h"

#include <float.h>

// Distance in units of the last place of `want`.
static double ulps(double got, long double want)
{
    int e;
    if ((long double)got == want) return 0.0;
    frexpl(fabsl(want), &e);
    return (double)(fabsl((long double)got - want) / ldexpl(1.0L, imax(e - 53, -1074)));
}

// A range of arguments of one function against long double. log_x: the exponent is random, not the number.
struct range {
    const char *name;
    double (*one)(double);
    long double (*one_true)(long double);
    double (*two)(double, double); // of (x, y)
    long double (*two_true)(long double, long double);
    double x0, x1, y0, y1;
    bool log_x, log_y;
};

static const struct range ranges[] = {
    {"sin, all", .one = m_sin, .one_true = sinl, .x0 = -1e6, .x1 = 1e6},
    {"sin, few turns", .one = m_sin, .one_true = sinl, .x0 = -10.0, .x1 = 10.0},
    {"sin, tiny", .one = m_sin, .one_true = sinl, .x0 = -1070.0, .x1 = 0.0, .log_x = true},
    {"cos, all", .one = m_cos, .one_true = cosl, .x0 = -1e6, .x1 = 1e6},
    {"cos, few turns", .one = m_cos, .one_true = cosl, .x0 = -10.0, .x1 = 10.0},
    {"exp, all", .one = m_exp, .one_true = expl, .x0 = -745.1, .x1 = 709.7},
    {"exp, small", .one = m_exp, .one_true = expl, .x0 = -2.0, .x1 = 2.0},
    {"log, all", .one = m_log, .one_true = logl, .x0 = -1074.0, .x1 = 1023.0, .log_x = true},
    {"log, near one", .one = m_log, .one_true = logl, .x0 = 0.5, .x1 = 2.0},
    {"log, very near one", .one = m_log, .one_true = logl, .x0 = 0.99999, .x1 = 1.00001},
    {"atan2, all round", .two = m_atan2, .two_true = atan2l, -1.0, 1.0, -1.0, 1.0},
    {"atan2, small", .two = m_atan2, .two_true = atan2l, .x0 = -0.1, .x1 = 0.1, .y0 = 0.9, .y1 = 1.0},
    {"atan2, wide", .two = m_atan2, .two_true = atan2l, -1000.0, 1000.0, -1000.0, 1000.0, true, true},
    {"pow, medium", .two = m_pow, .two_true = powl, -15.0, 15.0, -47.0, 47.0, .log_x = true},
    {"pow, near one", .two = m_pow, .two_true = powl, 0.5, 1.5, -1000.0, 1000.0},
    {"pow, very near one", .two = m_pow, .two_true = powl, 0.999, 1.001, -7e5, 7e5},
    {"pow, wide", .two = m_pow, .two_true = powl, -1020.0, 1020.0, -1.0, 1.0, .log_x = true},
};

static double draw(double lo, double hi, bool logarithmic, uint64_t stream, uint64_t n)
{
    if (!logarithmic) return random_between(lo, hi, stream, n);
    return ldexp(random_between(1.0, 2.0, stream + 100, n), (int)floor(random_between(lo, hi, stream, n)));
}

// Promise in math.h: within 2 ulp. Measured: 0.81 and less.
static void elementary_is_accurate(void **state)
{
    (void)state;
    if (LDBL_MANT_DIG < 64) {
        print_message(
            "skipped: long double is no wider than double here, there is nothing to compare with\n");
        skip();
    }
    for (int k = 0; k < COUNT(ranges); ++k) {
        const struct range *r = &ranges[k];
        double worst = 0.0, worst_x = 0.0, worst_y = 0.0;
        for (uint64_t n = 0; n < 100000; ++n) {
            const double x = draw(r->x0, r->x1, r->log_x, 2 * (uint64_t)k, n);
            const double y = draw(r->y0, r->y1, r->log_y, 2 * (uint64_t)k + 1, n);
            const long double want = r->one ? r->one_true(x) : r->two_true(x, y);
            const double got = r->one ? r->one(x) : r->two(x, y);
            if (isinf((double)want) ? got == (double)want : ulps(got, want) <= worst) continue;
            worst = ulps(got, want), worst_x = x, worst_y = y;
        }
        if (!(worst <= 2.0)) print_message("%s: at %.17g, %.17g\n", r->name, worst_x, worst_y);
        CHECK_NEAR(worst, 0.0, 2.0);
    }
}

// Where almost all of x cancels: the doubles nearest to multiples of pi/2.
static void sin_is_accurate_beside_its_zeros(void **state)
{
    (void)state;
    if (LDBL_MANT_DIG < 64) skip();
    double worst = 0.0;
    for (int n = 1; n < 636000; n += 7) {
        const double x = (double)(n * (3.14159265358979323846264L / 2.0L));
        worst = fmax(worst, fmax(ulps(m_sin(x), sinl(x)), ulps(m_cos(x), cosl(x))));
    }
    CHECK_NEAR(worst, 0.0, 2.0);
}

// sin is odd and cos is even to the bit: a scene and its mirror image stay mirror images.
static void sin_and_cos_are_symmetric(void **state)
{
    (void)state;
    for (uint64_t n = 0; n < 100000; ++n) {
        const double x = random_between(0.0, n % 2 ? 1e6 : 10.0, 1, n);
        assert_true(m_sin(-x) == -m_sin(x) && m_cos(-x) == m_cos(x));
    }
    assert_true(signbit(m_sin(-0.0)) && !signbit(m_sin(0.0)) && m_cos(0.0) == 1.0);
    assert_true(isnan(m_sin((double)INFINITY)) && isnan(m_cos((double)NAN)));
    assert_true(fabs(m_sin(1e300)) <= 1.0);
}

static void exp_log_pow_have_exact_points(void **state)
{
    const double inf = (double)INFINITY;

    (void)state;
    assert_true(m_exp(0.0) == 1.0 && m_exp(-inf) == 0.0 && m_exp(inf) == inf && isnan(m_exp((double)NAN)));
    assert_true(m_exp(709.8) == inf && m_exp(709.78) < inf && m_exp(1e300) == inf);
    assert_true(m_exp(-745.2) == 0.0 && m_exp(-745.1) > 0.0 && m_exp(-1e300) == 0.0);
    assert_true(m_log(1.0) == 0.0 && m_log(0.0) == -inf && m_log(inf) == inf);
    assert_true(isnan(m_log(-1.0)) && isnan(m_log((double)NAN)));

    for (int n = -1074; n < 1024; ++n) assert_true(m_pow(2.0, n) == ldexp(1.0, n));
    assert_true(m_pow(3.0, 0.0) == 1.0 && m_pow(1.0, 1e300) == 1.0 && m_pow(0.0, 0.0) == 1.0);
    assert_true(m_pow(0.0, 2.5) == 0.0 && m_pow(0.0, -1.0) == inf);
    assert_true(m_pow(inf, 2.0) == inf && m_pow(inf, -2.0) == 0.0);
    assert_true(m_pow(10.0, 309.0) == inf && m_pow(10.0, -324.0) == 0.0);
    assert_true(m_pow(1.5, 1e300) == inf && m_pow(1.5, -inf) == 0.0 && m_pow(0.5, 1e300) == 0.0);
    assert_true(isnan(m_pow(-1.0, 0.5)) && isnan(m_pow(2.0, (double)NAN)));
}

// The axes and signs of zero are those of C's atan2, to the bit.
static void atan2_is_exact_on_the_axes(void **state)
{
    static const double points[] = {0.0, 1.0, 2.5, 1e-300, 1e300, DBL_MIN, 0x1p-1074, DBL_MAX};

    (void)state;
    for (int i = 0; i < COUNT(points) * COUNT(points) * 4; ++i) {
        const double x = (i & 1 ? -1.0 : 1.0) * points[i / 4 % COUNT(points)];
        const double y = (i & 2 ? -1.0 : 1.0) * points[i / 4 / COUNT(points)];
        const double got = m_atan2(y, x), want = atan2(y, x);
        assert_true(signbit(got) == signbit(want));
        CHECK_NEAR(got, want, 2.3e-16 * fabs(want)); // libm's own last place
    }
    assert_true(isnan(m_atan2((double)NAN, 1.0)) && isnan(m_atan2(1.0, (double)NAN)));
}

// The same bits from every compiler and machine: the number was computed once and must never change.
static void elementary_is_the_same_everywhere(void **state)
{
    struct hash h;

    (void)state;
    hash_init(&h);
    for (uint64_t n = 0; n < 20000; ++n) {
        const double x = random_between(-700.0, 700.0, 1, n), y = random_between(-1.0, 1.0, 2, n),
                     z = random_between(0.1, 30.0, 3, n);
        const double all[] = {m_sin(x), m_cos(x * 1e3), m_exp(x),
                              m_log(z), m_atan2(y, x),  m_pow(z, 100.0 * y)};
        for (int k = 0; k < COUNT(all); ++k) {
            uint64_t bits;
            unsigned char b[8];
            memcpy(&bits, &all[k], sizeof bits);
            for (int i = 0; i < 8; ++i) b[i] = (unsigned char)(bits >> 8 * i);
            hash_bytes(&h, b, sizeof b);
        }
    }
    assert_int_equal(hash_result(&h), UINT64_C(0x149F9A645D8F1EDC));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(elementary_is_accurate),     cmocka_unit_test(sin_is_accurate_beside_its_zeros),
        cmocka_unit_test(sin_and_cos_are_symmetric),  cmocka_unit_test(exp_log_pow_have_exact_points),
        cmocka_unit_test(atan2_is_exact_on_the_axes), cmocka_unit_test(elementary_is_the_same_everywhere),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
