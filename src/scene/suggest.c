// "Did you mean": the nearest of the names that would have been right.
#include "scene_internal.h"

#include <stdio.h>
#include <string.h>

static int lower(char c) { return c >= 'A' && c <= 'Z' ? c + 32 : c; }
static int least(int a, int b) { return a < b ? a : b; }

// How many letters to add, drop, change or swap; capitals do not count.
static int distance(const char *a, const char *b)
{
    enum { LONGEST = 40 };
    const int m = (int)strlen(a), n = (int)strlen(b);
    int d[LONGEST + 1][LONGEST + 1];

    if (m > LONGEST || n > LONGEST) return 2 * LONGEST;
    for (int i = 0; i <= m; ++i) {
        for (int j = 0; j <= n; ++j) {
            if (i == 0 || j == 0) {
                d[i][j] = i + j;
                continue;
            }
            const int change = lower(a[i - 1]) != lower(b[j - 1]);
            d[i][j] = least(d[i - 1][j - 1] + change, least(d[i - 1][j], d[i][j - 1]) + 1);
            if (i > 1 && j > 1 && lower(a[i - 1]) == lower(b[j - 2]) && lower(a[i - 2]) == lower(b[j - 1]))
                d[i][j] = least(d[i][j], d[i - 2][j - 2] + 1);
        }
    }
    return d[m][n];
}

static void offer(struct guess *g, int cost, const char *shown, const char *tail)
{
    if (g->cost && g->cost <= cost) return;
    g->cost = cost;
    g->tail = tail;
    snprintf(g->best, sizeof g->best, "%s", shown);
}

void guess_offer(struct guess *g, const char *name, const char *shown)
{
    const size_t length = strlen(g->word);
    const int start = length >= 3 && strncmp(g->word, name, length) == 0; // "pos" for "position"
    const int d = start ? 1 : distance(g->word, name);

    if (length >= 2 && d <= 1 + (int)length / 4) offer(g, 2 + 2 * d, shown, "");
}

void guess_offer_elsewhere(struct guess *g, const char *name, const char *shown, const char *tail)
{
    const char *dot = strrchr(name, '.');

    if (strcmp(g->word, dot ? dot + 1 : name) == 0) offer(g, 1, shown, tail);
}

void list_add(char *out, size_t size, const char *name)
{
    const size_t used = strlen(out), more = strlen(name);

    if (used + more + 7 < size)
        snprintf(out + used, size - used, "%s%s", used ? ", " : "", name);
    else if (used > 3 && strcmp(out + used - 3, "...") != 0)
        snprintf(out + used, size - used, ", ...");
}
