#include "direct_rows.h"

static void less_column(double k, const double *restrict from, double *restrict to, size_t n)
{
    for (size_t i = 0; i < n; ++i) to[i] -= k * from[i];
}

static double along(const double *a, const double *b, int n)
{
    double lane[8] = {0};
    int i = 0;
    for (; i + 8 <= n; i += 8)
        for (int k = 0; k < 8; ++k) lane[k] += a[i + k] * b[i + k];
    for (int k = 0; i + k < n; ++k) lane[k] += a[i + k] * b[i + k];
    return join_lanes(lane);
}

// Where rows are known by their sums every number is made by adding, and is right to its last bits however small the weights
// are through which a region hangs together: the last row of one that knows its solution up to a constant is exactly 0.
// [grassmann1985]
static void factor_sums(struct direct *d)
{
    const int n = d->cells, w = d->band + 1;
    for (int k = 0; k < n; ++k) {
        double *column = d->a + (size_t)k * (size_t)w;
        const double sum = column[0], diagonal = sum - sum_of(column + 1, (size_t)d->band),
                     inverse = diagonal > 0.0 ? 1.0 / diagonal : 0.0;
        for (int m = 1; m < w && k + m < n; ++m) {
            if (column[m] == 0.0) continue;
            double *to = column + (size_t)m * (size_t)w;
            const double part = inverse * column[m];
            to[0] -= part * sum;
            less_column(part, column + m + 1, to + 1, (size_t)(w - m - 1));
        }
        for (int m = 1; m < w; ++m) column[m] *= inverse;
        column[0] = inverse;
    }
}

// A row of which nothing is left belongs to a region that knows its solution up to a constant, or to a closed cell: its
// unknown is 0, and the rest follows.
static void factor_rows(struct direct *d)
{
    if (d->sums) {
        factor_sums(d);
        return;
    }
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

// to -= sum over m of part[m] from[m], eight at a time, so that little is stored.
static void less_group(const double *restrict part, const double *restrict from, int count,
                       double *restrict to)
{
    enum { N = DIRECT_GROUP };
    int m = 0;
    for (; m + 8 <= count; m += 8) {
        const double *p = part + m, *f = from + m * N;
        for (int q = 0; q < N; ++q) {
            const double a = p[0] * f[q] + p[1] * f[N + q], b = p[2] * f[2 * N + q] + p[3] * f[3 * N + q];
            const double c = p[4] * f[4 * N + q] + p[5] * f[5 * N + q],
                         d = p[6] * f[6 * N + q] + p[7] * f[7 * N + q];
            to[q] -= (a + b) + (c + d);
        }
    }
    for (; m < count; ++m)
        for (int q = 0; q < N; ++q) to[q] -= part[m] * from[m * N + q];
}

static void solve_group_rows(const struct direct *d, int first, int last, double *y)
{
    const int n = d->cells, w = d->band + 1;
    double *row = d->y; // scratch: a row of L
    for (int k = first + 1; k < n; ++k) {
        const int count = k - first < d->band ? k - first : d->band;
        for (int m = 0; m < count; ++m)
            row[m] = d->a[(size_t)(k - count + m) * (size_t)w + (size_t)(count - m)];
        less_group(row, y + (size_t)(k - count) * DIRECT_GROUP, count, y + (size_t)k * DIRECT_GROUP);
    }
    for (int k = n - 1; k >= last; --k) {
        const double *column = d->a + (size_t)k * (size_t)w;
        double *to = y + (size_t)k * DIRECT_GROUP;
        for (int q = 0; q < DIRECT_GROUP; ++q) to[q] *= column[0];
        less_group(column + 1, to + DIRECT_GROUP, n - 1 - k < d->band ? n - 1 - k : d->band, to);
    }
}

static void along_group_rows(const struct direct_entry *e, int count, const double *restrict y,
                             double *restrict out)
{
    for (int i = 0; i < count; ++i)
        for (int q = 0; q < DIRECT_GROUP; ++q) out[q] += e[i].value * y[e[i].at * DIRECT_GROUP + q];
}

const struct direct_kernels KERNELS(direct_kernels) = {factor_rows, solve_rows, solve_group_rows,
                                                       along_group_rows};
