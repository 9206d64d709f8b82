// Finds the valid name nearest to an unknown one by edit distance ("did you mean").
#include "suggest.h"

#include <stdio.h>
#include <string.h>

static int to_lower(char c) { return c >= 'A' && c <= 'Z' ? c + 32 : c; }
static int min_int(int a, int b) { return a < b ? a : b; }

// Optimal string alignment distance: insertions, deletions, substitutions and transpositions; case is
// ignored.
static int edit_distance(const char *a, const char *b)
{
    enum { MAX_LENGTH = 40 };
    const int m = (int)strlen(a), n = (int)strlen(b);
    int d[MAX_LENGTH + 1][MAX_LENGTH + 1];

    if (m > MAX_LENGTH || n > MAX_LENGTH) return 2 * MAX_LENGTH;
    for (int i = 0; i <= m; ++i) {
        for (int j = 0; j <= n; ++j) {
            if (i == 0 || j == 0) {
                d[i][j] = i + j;
                continue;
            }
            const int substitution = to_lower(a[i - 1]) != to_lower(b[j - 1]);
            d[i][j] = min_int(d[i - 1][j - 1] + substitution, min_int(d[i - 1][j], d[i][j - 1]) + 1);
            if (i > 1 && j > 1 && to_lower(a[i - 1]) == to_lower(b[j - 2]) &&
                to_lower(a[i - 2]) == to_lower(b[j - 1]))
                d[i][j] = min_int(d[i][j], d[i - 2][j - 2] + 1);
        }
    }
    return d[m][n];
}

static void keep_if_better(struct suggestion *suggestion, int cost, const char *shown, const char *suffix)
{
    if (suggestion->cost && suggestion->cost <= cost) return;
    suggestion->cost = cost;
    suggestion->suffix = suffix;
    snprintf(suggestion->best, sizeof suggestion->best, "%s", shown);
}

void suggest_try(struct suggestion *suggestion, const char *name, const char *shown)
{
    const size_t length = strlen(suggestion->input);
    const int is_prefix =
        length >= 3 && strncmp(suggestion->input, name, length) == 0; // "pos" matches "position"
    const int distance = is_prefix ? 1 : edit_distance(suggestion->input, name);

    if (length >= 2 && distance <= 1 + (int)length / 4)
        keep_if_better(suggestion, 2 + 2 * distance, shown, "");
}

void suggest_try_exact(struct suggestion *suggestion, const char *name, const char *shown, const char *suffix)
{
    const char *dot = strrchr(name, '.');

    if (strcmp(suggestion->input, dot ? dot + 1 : name) == 0) keep_if_better(suggestion, 1, shown, suffix);
}

void list_append(char *out, size_t size, const char *name)
{
    const size_t used = strlen(out), length = strlen(name);

    if (used + length + 7 < size)
        snprintf(out + used, size - used, "%s%s", used ? ", " : "", name);
    else if (used > 3 && strcmp(out + used - 3, "...") != 0)
        snprintf(out + used, size - used, ", ...");
}
