// Results with words: place, value, remedy.
#ifndef BASE_ERROR_H
#define BASE_ERROR_H

#include <tarn/types.h>

#include <assert.h>

// Our own mistakes; a caller's or a file's mistake is a result instead.
#define ASSERT(x) assert(x)

// Fill in err (may be NULL) and give back code, so that callers can `return fail(...)`.
// key names the parameter at fault, "" for none.
tarn_result fail(tarn_error *err, tarn_result code, const char *key, const char *format, ...)
    __attribute__((format(printf, 4, 5)));

// A remark to the host's log, if it has one.
void log_message(const tarn_log *log, tarn_log_level level, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

#endif
