#define _POSIX_C_SOURCE 200809L // clock_gettime
#include "poisson_problem.h"

#include <math.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

// The n-th number of a pseudo-random sequence in 0 .. 1 (splitmix64 [steele2014]).
static double noise(uint64_t n)
{
    uint64_t z = (n + 1) * 0x9e3779b97f4a7c15u;
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
    z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
    return (double)((z ^ (z >> 31)) >> 11) * 0x1p-53;
}

int poisson_make(struct poisson_problem *c, const char *kind, int n)
{
    const int disc = strcmp(kind, "disc") == 0;
    const size_t all = (size_t)n * (size_t)n;
    double sum = 0.0;

    *c = (struct poisson_problem){.n = n};
    if (n < 4 || n > 16384 || (!disc && strcmp(kind, "empty") != 0)) return -1;
    c->is_open = malloc(all);
    c->b = malloc(all * sizeof *c->b);
    if (!c->is_open || !c->b) return -1;
    for (size_t k = 0; k < all; ++k) {
        const double x = (double)(k % (size_t)n) / n - 0.4, z = (double)(k / (size_t)n) / n - 0.55;
        c->is_open[k] = !(disc && x * x + z * z < 0.04);
        c->b[k] = c->is_open[k] ? noise(k) - 0.5 : 0.0;
        c->count += c->is_open[k];
        sum += c->b[k];
    }
    for (size_t k = 0; k < all; ++k)
        if (c->is_open[k]) c->b[k] -= sum / (double)c->count;
    return 0;
}

void poisson_free(struct poisson_problem *c)
{
    free(c->is_open);
    free(c->b);
    *c = (struct poisson_problem){0};
}

double poisson_residual(const struct poisson_problem *c, const double *x)
{
    const int n = c->n;
    double left = 0.0, all = 0.0;

    for (int j = 0; j < n; ++j)
        for (int i = 0; i < n; ++i) {
            const size_t k = (size_t)j * (size_t)n + (size_t)i;
            const size_t neighbour[4] = {k - 1, k + 1, k - (size_t)n, k + (size_t)n};
            const int exists[4] = {i > 0, i<n - 1, j> 0, j < n - 1};
            double r = c->b[k];
            if (!c->is_open[k]) continue;
            for (int m = 0; m < 4; ++m)
                if (exists[m] && c->is_open[neighbour[m]]) r -= x[k] - x[neighbour[m]];
            left += r * r;
            all += c->b[k] * c->b[k];
        }
    return sqrt(left / all);
}

double poisson_seconds(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

void poisson_write(FILE *out, const struct poisson_result *r)
{
    fprintf(out, "%.9g %.9g %.9g %.9g\n", r->seconds, r->setup, r->iterations, r->residual);
}

int poisson_read(const char *text, struct poisson_result *r)
{
    double *const to[] = {&r->seconds, &r->setup, &r->iterations, &r->residual};
    for (int i = 0; i < 4; ++i) {
        char *end;
        *to[i] = strtod(text, &end);
        if (end == text) return -1;
        text = end;
    }
    return 0;
}
