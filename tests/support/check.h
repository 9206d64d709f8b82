// What the tests add to cmocka.
#ifndef TESTS_CHECK_H
#define TESTS_CHECK_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include <tarn/base.h>

// cmocka's macro has the name of a function in base/error.h.
#undef fail
#undef fail_msg
#define fail_msg(...)              \
    do {                           \
        print_error(__VA_ARGS__);  \
        print_error("\n");         \
        _fail(__FILE__, __LINE__); \
    } while (0)

// Elements of an array
#define COUNT(list) ((int)(sizeof(list) / sizeof((list)[0])))

// |got - want| <= tol; a NaN fails. A failure prints both numbers and the tolerance, with TARN_TOL=0 in the
// environment every comparison does.
#define CHECK_NEAR(got, want, tol) check_near(got, want, tol, #got, __FILE__, __LINE__)

// A result must be TARN_OK; a failure prints its name.
#define CHECK_OK(result) check_ok(result, #result, __FILE__, __LINE__)

static inline void check_near(double got, double want, double tol, const char *what, const char *file,
                              int line)
{
    const char *all = getenv("TARN_TOL");
    const int good = got == want || fabs(got - want) <= tol;

    if (!good || (all && strcmp(all, "0") == 0))
        print_message("%s:%d: %s: got %.17g, want %.17g, off by %.3g, tolerance %.3g\n", file, line, what,
                      got, want, fabs(got - want), tol);
    if (!good) _fail(file, line);
}

static inline void check_ok(tarn_result result, const char *what, const char *file, int line)
{
    static const char *const names[] = {"TARN_OK", "TARN_FAILED",    "TARN_BAD_ARGUMENT", "TARN_BAD_INPUT",
                                        "TARN_IO", "TARN_NO_MEMORY", "TARN_DIVERGED"};
    const int n = (int)result;

    if (result == TARN_OK) return;
    print_message("%s:%d: %s: %s (%d)\n", file, line, what, n > 0 && n < 7 ? names[n] : "no result", n);
    _fail(file, line);
}

#endif
