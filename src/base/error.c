// Formats error and log messages the same way in every locale.
#include "error.h"

#include <ctype.h>
#include <locale.h>
#include <stdarg.h>
#include <stdio.h>

// printf uses the decimal separator of the host's locale. Messages always use a point.
static void force_decimal_point(char *text)
{
    const char point = localeconv()->decimal_point[0];
    if (point == '.') return;
    for (char *c = text; *c; ++c)
        if (c > text && *c == point && isdigit((unsigned char)c[-1]) && isdigit((unsigned char)c[1]))
            *c = '.';
}

tarn_result fail(tarn_error *err, tarn_result code, const char *key, const char *format, ...)
{
    if (err) {
        va_list args;
        err->code = code;
        snprintf(err->key, sizeof err->key, "%s", key);
        va_start(args, format);
        vsnprintf(err->message, sizeof err->message, format, args);
        va_end(args);
        force_decimal_point(err->message);
    }
    return code;
}

void log_message(const tarn_log *log, tarn_log_level level, const char *format, ...)
{
    if (!log || !log->write) return;
    char text[256];
    va_list args;
    va_start(args, format);
    vsnprintf(text, sizeof text, format, args);
    va_end(args);
    force_decimal_point(text);
    log->write(log->context, level, text);
}

tarn_result check_reserved(const void *reserved, size_t size, tarn_error *err)
{
    const unsigned char *bytes = reserved;
    for (size_t i = 0; i < size; ++i)
        if (bytes[i])
            return fail(err, TARN_BAD_INPUT, "reserved",
                        "is not zero: begin with the function that returns the defaults");
    return TARN_OK;
}
