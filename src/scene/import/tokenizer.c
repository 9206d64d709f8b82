// Words and numbers of a text file. Numbers are read here and not by strtod, whose decimal point depends on the
// locale.
#include "tokenizer.h"

#include <math.h>
#include <string.h>

int words_next(struct words *w)
{
    for (; w->at < w->end && is_space(*w->at); ++w->at) w->next += *w->at == '\n';
    w->line = w->next;
    w->word = w->at;
    while (w->at < w->end && !is_space(*w->at)) w->at++;
    w->length = (size_t)(w->at - w->word);
    return w->length > 0;
}

// m * 10^e, by the smallest number of roundings: exact operands and one operation for up to 15 digits with an
// exponent of up to 22; a unit or two in the last place beyond.
static double scaled(uint64_t m, int e)
{
    static const double tens[] = {1e0,  1e1,  1e2,  1e3,  1e4,  1e5,  1e6,  1e7,  1e8,  1e9,  1e10, 1e11,
                                  1e12, 1e13, 1e14, 1e15, 1e16, 1e17, 1e18, 1e19, 1e20, 1e21, 1e22};
    double x = (double)m;

    for (; e > 0 && x > 0.0 && x<HUGE_VAL; e -= e> 22 ? 22 : e) x *= tens[e > 22 ? 22 : e];
    for (; e < 0 && x > 0.0; e += e < -22 ? 22 : -e) x /= tens[e < -22 ? 22 : -e];
    return x;
}

int number_read(const char *c, size_t length, double *out)
{
    const char *end = c + length;
    const int minus = length > 0 && *c == '-';
    uint64_t m = 0;
    int digits = 0, e = 0, point = 0;

    if (c < end && (*c == '-' || *c == '+')) c++;
    for (; c < end && (is_digit(*c) || (*c == '.' && !point)); ++c) {
        const int fits = m < 100000000000000000u; // what follows 18 digits is no longer seen
        if (*c == '.') {
            point = 1;
            continue;
        }
        if (fits) m = 10 * m + (uint64_t)(*c - '0');
        if (e > -100000 && e < 100000) e += !fits - point;
        digits = 1;
    }
    if (!digits) return 0;
    if (c < end && (*c == 'e' || *c == 'E')) {
        const int down = ++c < end && *c == '-';
        int power = 0;
        if (c < end && (*c == '-' || *c == '+')) c++;
        if (c == end) return 0;
        for (; c < end && is_digit(*c); ++c)
            if (power < 1000000) power = 10 * power + (*c - '0');
        e += down ? -power : power;
    }
    const double x = scaled(m, e);
    *out = minus ? -x : x;
    return c == end && isfinite(x);
}

tarn_result words_no_number(const struct words *w, struct fault *fault)
{
    if (w->length == 0) return fault_say(fault, TARN_BAD_INPUT, "line %d: the file ends early", w->line);
    return fault_say(fault, TARN_BAD_INPUT, "line %d: '%.*s' is not a number%s", w->line, words_shown(w),
                     w->word, memchr(w->word, ',', w->length) ? "; a decimal number has a point" : "");
}
