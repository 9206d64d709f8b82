// Result codes with an error message, and messages to the host's log.
#ifndef BASE_ERROR_H
#define BASE_ERROR_H

#include <tarn/base.h>

#include <assert.h>

// For errors in this library only. An error of the caller or in a file is reported as a result, in every
// build. A program may choose at build time that failed assertions call a function of its own.
#ifdef TARN_ASSERT_HANDLER
void TARN_ASSERT_HANDLER(const char *condition, const char *file, int line);
#define ASSERT(x) ((x) ? (void)0 : TARN_ASSERT_HANDLER(#x, __FILE__, __LINE__))
#else
#define ASSERT(x) assert(x)
#endif

// Lets the compiler check the arguments of a function like printf(). On Windows the plain name would mean the
// format of Microsoft's library; MinGW's own functions, which the build selects, follow the C standard.
#ifdef __MINGW32__
#define PRINTF_LIKE(format_index, first) __attribute__((format(gnu_printf, format_index, first)))
#else
#define PRINTF_LIKE(format_index, first) __attribute__((format(printf, format_index, first)))
#endif

// Fills in err (may be NULL) and returns code, so that callers can write `return fail(...)`.
// key names the parameter at fault; "" for none. The message should name place, value and remedy.
tarn_result fail(tarn_error *err, tarn_result code, const char *key, const char *format, ...)
    PRINTF_LIKE(4, 5);

// TARN_BAD_INPUT unless all reserved bytes of a definition are zero: a later version may give them a meaning.
tarn_result check_reserved(const void *reserved, size_t size, tarn_error *err);

// Writes one line to the host's log, if the host has set one.
void log_message(const tarn_log *log, tarn_log_level level, const char *format, ...) PRINTF_LIKE(3, 4);

#endif
