// Messages on the terminal, diagnostics with a caret, suggestions for misspelt names.
#define _POSIX_C_SOURCE 200809L
#include "app.h"

#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

// Characters of the status line on stderr. It is global state, like stderr.
static int bar_width;

void status_line_draw(const char *text, int width)
{
    fprintf(stderr, "\r%s%*s", text, bar_width > width ? bar_width - width : 0, "");
    fflush(stderr);
    bar_width = width;
}

void status_line_clear(void)
{
    if (bar_width > 0) {
        fprintf(stderr, "\r%*s\r", bar_width, "");
        fflush(stderr);
    }
    bar_width = 0;
}

static void print_message(const char *format, va_list args)
{
    fflush(stdout); // so that results and messages keep their order in a common stream
    status_line_clear();
    fputs("tarn: ", stderr);
    vfprintf(stderr, format, args);
    fputc('\n', stderr);
}

int print_error(int code, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    print_message(format, args);
    va_end(args);
    return code;
}

void print_status(const char *format, ...)
{
    va_list args;
    va_start(args, format);
    print_message(format, args);
    va_end(args);
}

void print_sanitized(FILE *out, const char *text)
{
    for (const unsigned char *p = (const unsigned char *)text; *p; ++p) {
        // C1 controls (U+0080 .. U+009F) are the bytes C2 80 .. C2 9F; some terminals interpret them.
        if (*p == 0xC2 && p[1] >= 0x80 && p[1] <= 0x9F) {
            fputc('?', out);
            ++p;
        } else {
            fputc(*p == '\t' ? ' ' : *p < 0x20 || *p == 0x7F ? '?' : *p, out);
        }
    }
}

void print_diagnostics(FILE *out, const tarn_diagnostics *diagnostics)
{
    for (int i = 0; i < diagnostics->count; ++i) {
        const tarn_diagnostic *n = &diagnostics->list[i];
        print_sanitized(out, n->where);
        fputs(": ", out);
        if (n->path[0]) {
            print_sanitized(out, n->path);
            fputs(": ", out);
        }
        print_sanitized(out, n->message);
        fputc('\n', out);
        if (!n->excerpt[0]) continue;
        fputs("  ", out);
        print_sanitized(out, n->excerpt);
        fputc('\n', out);
        if (n->caret >= 0) fprintf(out, "  %*s^\n", n->caret, "");
    }
}

static int smaller(int a, int b) { return a < b ? a : b; }

// Optimal string alignment distance: insertions, deletions, substitutions and transpositions; 99 for words of
// more than 31 letters.
static int edit_distance(const char *a, const char *b)
{
    enum { LONGEST = 32 };
    int d[LONGEST][LONGEST];
    const int n = (int)strnlen(a, LONGEST), m = (int)strnlen(b, LONGEST);

    if (n >= LONGEST || m >= LONGEST) return 99;
    for (int i = 0; i <= n; ++i) d[i][0] = i;
    for (int j = 0; j <= m; ++j) d[0][j] = j;
    for (int i = 1; i <= n; ++i) {
        for (int j = 1; j <= m; ++j) {
            const int change = d[i - 1][j - 1] + (a[i - 1] != b[j - 1]);
            d[i][j] = smaller(change, smaller(d[i - 1][j], d[i][j - 1]) + 1);
            if (i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1])
                d[i][j] = smaller(d[i][j], d[i - 2][j - 2] + 1);
        }
    }
    return d[n][m];
}

const char *closest_name(const char *word, const char *const *names)
{
    const char *best = NULL;
    int max_distance = 1 + (int)strlen(word) / 3; // one error per three letters

    if (max_distance > 4) max_distance = 4;
    for (; *names; ++names) {
        const int d = edit_distance(word, *names);
        if (d <= max_distance && (!best || d < max_distance)) {
            max_distance = d;
            best = *names;
        }
    }
    return best;
}

int use_colour(FILE *out)
{
    const char *no = getenv("NO_COLOR"), *term = getenv("TERM");
    return isatty(fileno(out)) && !(no && *no) && term && strcmp(term, "dumb") != 0;
}

const char *result_message(tarn_result result)
{
    switch (result) {
    case TARN_OK: return "ok";
    case TARN_FAILED: return "failed";
    case TARN_BAD_ARGUMENT: return "internal error: invalid argument";
    case TARN_BAD_INPUT: return "invalid input";
    case TARN_IO: return "a file could not be read or written";
    case TARN_NO_MEMORY: return "out of memory";
    case TARN_DIVERGED: return "the simulation diverged (a value is not finite)";
    }
    return "unknown result";
}
