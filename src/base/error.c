#include "error.h"

#include <stdarg.h>
#include <stdio.h>

tarn_result fail(tarn_error *err, tarn_result code, const char *key, const char *format, ...)
{
    if (err) {
        va_list args;
        err->code = code;
        snprintf(err->key, sizeof err->key, "%s", key);
        va_start(args, format);
        vsnprintf(err->text, sizeof err->text, format, args);
        va_end(args);
    }
    return code;
}
