// Splits a text file into tokens and parses numbers. strtod() is not used, because its decimal separator
// depends on the locale.
#include "tokenizer.h"

#include <math.h>
#include <string.h>

int next_token(struct tokenizer *tokens)
{
    for (; tokens->cursor < tokens->end && is_space(*tokens->cursor); ++tokens->cursor)
        tokens->cursor_line += *tokens->cursor == '\n';
    tokens->line = tokens->cursor_line;
    tokens->token = tokens->cursor;
    while (tokens->cursor < tokens->end && !is_space(*tokens->cursor)) tokens->cursor++;
    tokens->length = (size_t)(tokens->cursor - tokens->token);
    return tokens->length > 0;
}

// mantissa * 10^exponent with as few roundings as possible: correctly rounded for up to 15 digits and
// exponents up to 22, otherwise within 2 ulp.
static double scale_by_power_of_ten(uint64_t mantissa, int exponent)
{
    static const double powers[] = {1e0,  1e1,  1e2,  1e3,  1e4,  1e5,  1e6,  1e7,  1e8,  1e9,  1e10, 1e11,
                                    1e12, 1e13, 1e14, 1e15, 1e16, 1e17, 1e18, 1e19, 1e20, 1e21, 1e22};
    double x = (double)mantissa;

    for (; exponent > 0 && x > 0.0 && x<HUGE_VAL; exponent -= exponent> 22 ? 22 : exponent)
        x *= powers[exponent > 22 ? 22 : exponent];
    for (; exponent < 0 && x > 0.0; exponent += exponent < -22 ? 22 : -exponent)
        x /= powers[exponent < -22 ? 22 : -exponent];
    return x;
}

int parse_number(const char *cursor, size_t length, double *out)
{
    const char *end = cursor + length;
    const int negative = length > 0 && *cursor == '-';
    uint64_t mantissa = 0;
    int has_digits = 0, exponent = 0, has_point = 0;

    if (cursor < end && (*cursor == '-' || *cursor == '+')) cursor++;
    for (; cursor < end && (is_digit(*cursor) || (*cursor == '.' && !has_point)); ++cursor) {
        const int mantissa_fits = mantissa < 100000000000000000u; // digits after the 18th are ignored
        if (*cursor == '.') {
            has_point = 1;
            continue;
        }
        if (mantissa_fits) mantissa = 10 * mantissa + (uint64_t)(*cursor - '0');
        if (exponent > -100000 && exponent < 100000) exponent += !mantissa_fits - has_point;
        has_digits = 1;
    }
    if (!has_digits) return 0;
    if (cursor < end && (*cursor == 'e' || *cursor == 'E')) {
        const int negative_exponent = ++cursor < end && *cursor == '-';
        int power = 0;
        if (cursor < end && (*cursor == '-' || *cursor == '+')) cursor++;
        if (cursor == end) return 0;
        for (; cursor < end && is_digit(*cursor); ++cursor)
            if (power < 1000000) power = 10 * power + (*cursor - '0');
        exponent += negative_exponent ? -power : power;
    }
    const double x = scale_by_power_of_ten(mantissa, exponent);
    *out = negative ? -x : x;
    return cursor == end && isfinite(x);
}

tarn_result fail_not_a_number(const struct tokenizer *tokens, struct load_error *error)
{
    if (tokens->length == 0)
        return load_fail(error, TARN_BAD_INPUT, "line %d: the file ends early", tokens->line);
    return load_fail(error, TARN_BAD_INPUT, "line %d: '%.*s' is not a number%s", tokens->line,
                     token_shown_length(tokens), tokens->token,
                     memchr(tokens->token, ',', tokens->length) ? "; a decimal number has a point" : "");
}
