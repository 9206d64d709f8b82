// Elementary functions from + - * /, floor and fmod only. IEEE 754 prescribes the results of these
// operations, so that all machines give the same bits.
//
// Method: the argument is reduced to a small interval, exactly or with a known remainder [cody1980], with a
// short table for log and atan [tang1990]; then follows a Taylor series, truncated where its next term is
// below 2^-57 of the result. Where the precision of one double is not enough, a value is the unevaluated sum
// of two doubles, computed with the error-free sums and products of [dekker1971]. The split constants and
// the tables were computed with 400 bits and rounded.
//
// Error-free operations require that every operation is rounded to double: no fused multiply-add, no x87
// arithmetic.
#include "math.h"

#include <float.h>
#include <stdint.h>
#include <string.h>

#if FLT_EVAL_METHOD != 0
#error "double arithmetic must not be carried out in a wider format"
#endif

// The value hi + lo, |lo| much smaller than |hi|.
struct double_double {
    double hi, lo;
};

// a + b without error.
static struct double_double two_sum(double a, double b)
{
    const double s = a + b, t = s - a;
    return (struct double_double){s, (a - (s - t)) + (b - t)};
}

// The upper 26 bits of a (Dekker's split); |a| must be below 2^996.
static double split_high(double a)
{
    const double t = 134217729.0 * a; // 2^27 + 1
    return t - (t - a);
}

// a * b without error, if nothing overflows or becomes denormal.
static struct double_double two_product(double a, double b)
{
    const double p = a * b, a1 = split_high(a), a2 = a - a1, b1 = split_high(b), b2 = b - b1;
    return (struct double_double){p, ((a1 * b1 - p) + a1 * b2 + a2 * b1) + a2 * b2};
}

// a / (b.hi + b.lo)
static struct double_double dd_quotient(double a, struct double_double b)
{
    const double q = a / b.hi;
    const struct double_double p = two_product(q, b.hi);
    return (struct double_double){q, (((a - p.hi) - p.lo) - q * b.lo) / b.hi};
}

// 2^k as a double, -1022 <= k <= 1023
static double power_of_two(int k)
{
    const uint64_t bits = (uint64_t)(k + 1023) << 52;
    double x;
    memcpy(&x, &bits, sizeof x);
    return x;
}

// c[0] + c[1] x + c[2] x^2 + ...
static double horner(double x, const double *c, int n)
{
    double y = c[n - 1];
    for (int i = n - 2; i >= 0; --i) y = c[i] + x * y;
    return y;
}
#define HORNER(x, c) horner(x, c, (int)(sizeof(c) / sizeof((c)[0])))

// ---- sine and cosine ------------------------------------------------------------------------------

// x = n pi/2 + r, |r| <= pi/4; returns n modulo 4. Cody-Waite reduction: pi/2 is split into four parts. The
// first three have 33 bits, so that their products with n are exact for |x| <= 1e6 (n below 2^20); the
// fourth is the remainder. r therefore keeps its full precision near multiples of pi/2, where almost all of
// x cancels.
static int reduce_half_pi(double x, struct double_double *r)
{
    if (fabs(x) <= 0.25 * PI) {
        *r = (struct double_double){x, 0.0};
        return 0;
    }
    if (fabs(x) > 1e6) x = fmod(x, 2.0 * PI); // outside the stated range: the error is of the order of ulp(x)
    const double n = floor(x * 0x1.45f306dc9c883p-1 + 0.5);
    const struct double_double a = two_sum(x - n * 0x1.921fb544p+0, -n * 0x1.0b4611a6p-34);
    const struct double_double b = two_sum(a.hi, -n * 0x1.3198a2ep-69);
    *r = two_sum(b.hi, (a.lo + b.lo) - n * 0x1.b839a252049c1p-104);
    return (int)(n - 4.0 * floor(0.25 * n));
}

// |r| <= pi/4: the first omitted term, r^19/19!, is below 2^-62 of the result.
static double sin_reduced(struct double_double r)
{
    const double x = r.hi, q = x * x;
    static const double series[] = {
        -1.0 / 6.0,        1.0 / 120.0,        -1.0 / 5040.0,          1.0 / 362880.0,
        -1.0 / 39916800.0, 1.0 / 6227020800.0, -1.0 / 1307674368000.0, 1.0 / 355687428096000.0};
    const double p = HORNER(q, series);
    return x + (r.lo * (1.0 - 0.5 * q) + x * (q * p));
}

// |r| <= pi/4: the first omitted term, r^18/18!, is below 2^-58 of the result.
static double cos_reduced(struct double_double r)
{
    const double x = r.hi, q = x * x, h = 0.5 * q, w = 1.0 - h;
    static const double series[] = {
        1.0 / 24.0,        -1.0 / 720.0,         1.0 / 40320.0,         -1.0 / 3628800.0,
        1.0 / 479001600.0, -1.0 / 87178291200.0, 1.0 / 20922789888000.0};
    const double p = HORNER(q, series);
    return w + (((1.0 - w) - h) + (q * (q * p) - x * r.lo)); // (1 - w) - h is the rounding error of w
}

static double sin_of_quadrant(int n, struct double_double r)
{
    const double y = n & 1 ? cos_reduced(r) : sin_reduced(r);
    return n & 2 ? -y : y;
}

double m_sin(double x)
{
    struct double_double r;
    if (!isfinite(x)) return x - x;
    if (fabs(x) < 0x1p-27) return x; // keeps the sign of zero
    const int n = reduce_half_pi(x, &r);
    return sin_of_quadrant(n, r);
}

double m_cos(double x)
{
    struct double_double r;
    if (!isfinite(x)) return x - x;
    const int n = reduce_half_pi(x, &r);
    return sin_of_quadrant(n + 1, r);
}

// ---- exponential ----------------------------------------------------------------------------------

// ln 2 in two parts. The first has 42 bits, so that its product with any exponent k is exact.
#define LN2_HI 0x1.62e42fefa38p-1
#define LN2_LO 0x1.ef35793c7673p-45

// exp(hi + lo) = 2^k exp(r), |r| <= ln(2)/2: the first omitted term, r^14/14!, is below 2^-57 of the result.
static double exp_dd(struct double_double x)
{
    if (x.hi > 710.0) return (double)INFINITY;
    if (x.hi < -746.0) return 0.0;
    const double k = floor(x.hi * 0x1.71547652b82fep+0 + 0.5);
    const struct double_double a = two_sum(x.hi - k * LN2_HI, x.lo - k * LN2_LO);
    const double r = a.hi;
    static const double series[] = {1.0 / 6.0,        1.0 / 24.0,        1.0 / 120.0,       1.0 / 720.0,
                                    1.0 / 5040.0,     1.0 / 40320.0,     1.0 / 362880.0,    1.0 / 3628800.0,
                                    1.0 / 39916800.0, 1.0 / 479001600.0, 1.0 / 6227020800.0};
    const double p = HORNER(r, series);
    const struct double_double b = two_sum(1.0, r);
    const double y = b.hi + (b.lo + (r * r * (0.5 + r * p) + a.lo));
    const int n = (int)k;
    // 2^n may overflow although y 2^n does not. Two factors avoid that, and only the last product rounds.
    if (n > 1000) return y * 0x1p+1000 * power_of_two(n - 1000);
    if (n < -1000) return y * 0x1p-1000 * power_of_two(n + 1000);
    return y * power_of_two(n);
}

double m_exp(double x) { return isnan(x) ? x : exp_dd((struct double_double){x, 0.0}); }

// ---- logarithm ------------------------------------------------------------------------------------

#define LOG_FIRST 23
// log(i/32), i = LOG_FIRST .. 45, as double-double
static const struct double_double log_table[] = {
    {-0x1.522ae0738a3d8p-2, 0x1.8f7e9b38a6979p-57},  {-0x1.269621134db92p-2, -0x1.e0efadd9db02bp-56},
    {-0x1.f991c6cb3b379p-3, -0x1.f665066f980a2p-57}, {-0x1.a93ed3c8ad9e3p-3, -0x1.bcafa9de97203p-57},
    {-0x1.5bf406b543db2p-3, 0x1.1f5b44c0df7e7p-61},  {-0x1.1178e8227e47cp-3, 0x1.0e63a5f01c691p-58},
    {-0x1.9335e5d594989p-4, 0x1.478a85704ccb7p-58},  {-0x1.08598b59e3a07p-4, 0x1.dd7009902bf32p-58},
    {-0x1.0415d89e74444p-5, -0x1.c05cf1d753622p-59}, {0.0, 0.0},
    {0x1.f829b0e783300p-6, 0x1.33e3f04f1ef23p-60},   {0x1.f0a30c01162a6p-5, 0x1.85f325c5bbacdp-59},
    {0x1.6f0d28ae56b4cp-4, -0x1.906d99184b992p-58},  {0x1.e27076e2af2e6p-4, -0x1.61578001e0162p-60},
    {0x1.29552f81ff523p-3, 0x1.301771c407dbfp-57},   {0x1.5ff3070a793d4p-3, -0x1.bc60efafc6f6ep-58},
    {0x1.9525a9cf456b4p-3, 0x1.d904c1d4e2e26p-57},   {0x1.c8ff7c79a9a22p-3, -0x1.4f689f8434012p-57},
    {0x1.fb9186d5e3e2bp-3, -0x1.caaae64f21acbp-57},  {0x1.1675cababa60ep-2, 0x1.ce63eab883717p-61},
    {0x1.2e8e2bae11d31p-2, -0x1.8f4cdb95ebdf9p-56},  {0x1.4618bc21c5ec2p-2, 0x1.f42decdeccf1dp-56},
    {0x1.5d1bdbf5809cap-2, 0x1.4236383dc7fe1p-56},
};

// log x = k ln 2 + log c + 2 artanh s with x = 2^k m, c = i/32 nearest to m, s = (m - c)/(m + c), |s| <
// 1/90. The relative error is about 2^-65. m_pow needs that precision, because the absolute error of y log
// x, which is up to 745, is the relative error of the power. x must be positive and finite.
static struct double_double log_dd(double x)
{
    int k = 0;
    uint64_t bits;

    if (x < DBL_MIN) {
        x *= 0x1p54;
        k = -54;
    }
    memcpy(&bits, &x, sizeof bits);
    k += (int)(bits >> 52) - 1023;
    bits = (bits & UINT64_C(0xFFFFFFFFFFFFF)) | UINT64_C(1023) << 52;
    double m;
    memcpy(&m, &bits, sizeof m); // 1 <= m < 2
    if (m > 1.41421356237309505) {
        m *= 0.5;
        ++k;
    }

    const int i = (int)(m * 32.0 + 0.5);
    const double c = (double)i / 32.0;
    const struct double_double s = dd_quotient(m - c, two_sum(m, c)); // m - c is exact (Sterbenz)
    const double q = s.hi * s.hi;
    static const double series[] = {2.0 / 3.0, 2.0 / 5.0, 2.0 / 7.0, 2.0 / 9.0, 2.0 / 11.0, 2.0 / 13.0};
    const double p = HORNER(q, series);
    const struct double_double a = two_sum(k * LN2_HI, log_table[i - LOG_FIRST].hi);
    const struct double_double b = two_sum(a.hi, 2.0 * s.hi);
    const double low_terms = k * LN2_LO + log_table[i - LOG_FIRST].lo + 2.0 * s.lo;
    return two_sum(b.hi, b.lo + (a.lo + (s.hi * q * p + low_terms)));
}

double m_log(double x)
{
    if (x == 0.0) return (double)-INFINITY;
    if (!(x > 0.0)) return (double)NAN;
    return isinf(x) ? x : log_dd(x).hi;
}

// ---- power ----------------------------------------------------------------------------------------

double m_pow(double x, double y)
{
    if (y == 0.0 || x == 1.0) return 1.0;
    if (!(x >= 0.0) || isnan(y)) return (double)NAN;
    if (x == 0.0 || isinf(x)) return (x == 0.0) == (y < 0.0) ? (double)INFINITY : 0.0;
    // |log x| >= 2^-53, so the power overflows or underflows.
    if (fabs(y) > 0x1p70) return (x > 1.0) == (y > 0.0) ? (double)INFINITY : 0.0;

    const struct double_double log_x = log_dd(x);
    const struct double_double p = two_product(y, log_x.hi);
    return exp_dd(two_sum(p.hi, p.lo + y * log_x.lo));
}

// ---- arc tangent ----------------------------------------------------------------------------------

// atan(i/16), i = 0 .. 16, as double-double
static const struct double_double atan_table[] = {
    {0.0, 0.0},
    {0x1.ff55bb72cfdeap-5, -0x1.c934d86d23f1dp-60},
    {0x1.fd5ba9aac2f6ep-4, -0x1.cd37686760c17p-59},
    {0x1.7b97b4bce5b02p-3, 0x1.347b0b4f881cap-58},
    {0x1.f5b75f92c80ddp-3, 0x1.8ab6e3cf7afbdp-57},
    {0x1.362773707ebccp-2, -0x1.963a544b672d8p-57},
    {0x1.6f61941e4def1p-2, -0x1.c63aae6f6e918p-56},
    {0x1.a64eec3cc23fdp-2, -0x1.24dec1b50b7ffp-56},
    {0x1.dac670561bb4fp-2, 0x1.a2b7f222f65e2p-56},
    {0x1.0657e94db30d0p-1, -0x1.d5b495f6349e6p-56},
    {0x1.1e00babdefeb4p-1, -0x1.928df287a668fp-58},
    {0x1.345f01cce37bbp-1, 0x1.1021137c71102p-55},
    {0x1.4978fa3269ee1p-1, 0x1.2419a87f2a458p-56},
    {0x1.5d58987169b18p-1, 0x1.0028e4bc5e7cap-57},
    {0x1.700a7c5784634p-1, -0x1.8c34d25aadef6p-56},
    {0x1.819d0b7158a4dp-1, -0x1.bf76229d3b917p-56},
    {0x1.921fb54442d18p-1, 0x1.1a62633145c07p-55},
};

// atan(y/x) for 0 <= y <= x, 0 < x: atan(c) + atan(z), z = (y - c x)/(x + c y), with c = i/16 nearest to
// y/x, so that |z| <= 1/32. The first omitted term, z^15/15, is below 2^-73 of z.
static struct double_double atan_dd(double y, double x)
{
    if (y < x * 0x1p-30) return (struct double_double){y / x, 0.0};
    if (x > 0x1p500 || x < 0x1p-500) { // keeps the error-free products in range
        const double power = x > 1.0 ? 0x1p-600 : 0x1p600;
        x *= power;
        y *= power;
    }
    const int i = (int)(y / x * 16.0 + 0.5);
    const double c = (double)i / 16.0;
    const struct double_double cx = two_product(c, x), cy = two_product(c, y);
    const struct double_double numerator = two_sum(y - cx.hi, -cx.lo); // y - cx.hi is exact (Sterbenz)
    struct double_double denominator = two_sum(x, cy.hi);
    denominator.lo += cy.lo;
    const struct double_double z = dd_quotient(numerator.hi, denominator);
    const double q = z.hi * z.hi;
    static const double series[] = {-1.0 / 3.0, 1.0 / 5.0, -1.0 / 7.0, 1.0 / 9.0, -1.0 / 11.0, 1.0 / 13.0};
    const double p = HORNER(q, series);
    const struct double_double a = two_sum(atan_table[i].hi, z.hi);
    return (struct double_double){
        a.hi, a.lo + (z.hi * q * p + (atan_table[i].lo + (z.lo + numerator.lo / denominator.hi)))};
}

// b - a; b is pi or pi/2.
static struct double_double subtract_angle(struct double_double b, struct double_double a)
{
    const struct double_double d = two_sum(b.hi, -a.hi);
    return (struct double_double){d.hi, d.lo + (b.lo - a.lo)};
}

double m_atan2(double y, double x)
{
    const struct double_double pi = {0x1.921fb54442d18p+1, 0x1.1a62633145c07p-53};
    const struct double_double half_pi = {0x1.921fb54442d18p+0, 0x1.1a62633145c07p-54};
    const double ax = fabs(x), ay = fabs(y);
    struct double_double a = {0.0, 0.0};

    if (isnan(x) || isnan(y)) return (double)NAN;
    if (ay > ax)
        a = subtract_angle(half_pi, atan_dd(ax, ay));
    else if (ax > 0.0)
        a = atan_dd(ay, ax);
    if (signbit(x)) a = subtract_angle(pi, a);
    return copysign(a.hi + a.lo, y);
}
