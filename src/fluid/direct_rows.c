#include "direct_rows.h"

static void less_column(double k, const double *restrict from, double *restrict to, size_t n)
{
    for (size_t i = 0; i < n; ++i) to[i] -= k * from[i];
}

// A row of which nothing is left belongs to a region that knows its solution up to a constant, or to a closed cell: its
// unknown is 0, and the rest follows.
static void factor_rows(struct direct *d)
{
    const int n = d->cells, w = d->band + 1;
    for (int k = 0; k < n; ++k) d->y[k] = d->a[(size_t)k * (size_t)w];
    for (int k = 0; k < n; ++k) {
        double *column = d->a + (size_t)k * (size_t)w;
        const double inverse = column[0] > d->nothing * d->y[k] ? 1.0 / column[0] : 0.0;
        for (int m = 1; m < w && k + m < n; ++m) {
            if (column[m] == 0.0) continue;
            less_column(inverse * column[m], column + m, column + (size_t)m * (size_t)w, (size_t)(w - m));
        }
        for (int m = 1; m < w; ++m) column[m] *= inverse;
        column[0] = inverse;
    }
}

static double along(const double *a, const double *b, int n)
{
    double lane[8] = {0};
    int i = 0;
    for (; i + 8 <= n; i += 8)
        for (int k = 0; k < 8; ++k) lane[k] += a[i + k] * b[i + k];
    for (int k = 0; i + k < n; ++k) lane[k] += a[i + k] * b[i + k];
    return ((lane[0] + lane[1]) + (lane[2] + lane[3])) + ((lane[4] + lane[5]) + (lane[6] + lane[7]));
}

static void solve_rows(struct direct *d)
{
    const int n = d->cells, w = d->band + 1;
    double *y = d->y;
    for (int m = n; m < n + d->band; ++m) y[m] = 0.0; // L is 0 there
    for (int k = 0; k < n; ++k)
        less_column(y[k], d->a + (size_t)k * (size_t)w + 1, y + k + 1, (size_t)d->band);
    for (int m = n; m < n + d->band; ++m) y[m] = 0.0;
    for (int k = n - 1; k >= 0; --k) {
        const double *column = d->a + (size_t)k * (size_t)w;
        y[k] = column[0] * y[k] - along(column + 1, y + k + 1, d->band);
    }
}

static void less_group(double k, const double *restrict from, double *restrict to)
{
    for (int q = 0; q < DIRECT_GROUP; ++q) to[q] -= k * from[q];
}

static void solve_group_rows(const struct direct *d, double *y)
{
    const int n = d->cells, w = d->band + 1;
    for (int k = 0; k < n; ++k) {
        const double *column = d->a + (size_t)k * (size_t)w;
        double *from = y + (size_t)k * DIRECT_GROUP;
        for (int m = 1; m < w && k + m < n; ++m) less_group(column[m], from, from + m * DIRECT_GROUP);
    }
    for (int k = n - 1; k >= 0; --k) {
        const double *column = d->a + (size_t)k * (size_t)w;
        double *to = y + (size_t)k * DIRECT_GROUP;
        for (int q = 0; q < DIRECT_GROUP; ++q) to[q] *= column[0];
        for (int m = 1; m < w && k + m < n; ++m) less_group(column[m], to + m * DIRECT_GROUP, to);
    }
}

const struct direct_kernels KERNELS(direct_kernels) = {factor_rows, solve_rows, solve_group_rows};
