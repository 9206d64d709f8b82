#include "banded_rows.h"

static void subtract_scaled(double k, const double *restrict from, double *restrict to, size_t n)
{
    for (size_t i = 0; i < n; ++i) to[i] -= k * from[i];
}

static double dot_lanes(const double *a, const double *b, int n)
{
    double lane[8] = {0};
    int i = 0;
    for (; i + 8 <= n; i += 8)
        for (int k = 0; k < 8; ++k) lane[k] += a[i + k] * b[i + k];
    for (int k = 0; i + k < n; ++k) lane[k] += a[i + k] * b[i + k];
    return add_lanes(lane);
}

// Where rows are known by their sums every number is made by adding, and is right to its last bits however small the weights
// are through which a region hangs together: the last row of one that knows its solution up to a constant is exactly 0.
// [grassmann1985]
static void factor_row_sums(struct banded_ldlt *d)
{
    const int n = d->size, w = d->bandwidth + 1;
    for (int k = 0; k < n; ++k) {
        double *column = d->a + (size_t)k * (size_t)w;
        const double sum = column[0], diagonal = sum - sum_doubles(column + 1, (size_t)d->bandwidth),
                     inverse = diagonal > 0.0 ? 1.0 / diagonal : 0.0;
        for (int m = 1; m < w && k + m < n; ++m) {
            if (column[m] == 0.0) continue;
            double *to = column + (size_t)m * (size_t)w;
            const double part = inverse * column[m];
            to[0] -= part * sum;
            subtract_scaled(part, column + m + 1, to + 1, (size_t)(w - m - 1));
        }
        for (int m = 1; m < w; ++m) column[m] *= inverse;
        column[0] = inverse;
    }
}

// A row of which nothing is left belongs to a region that knows its solution up to a constant, or to a closed cell: its
// unknown is 0, and the rest follows.
static void banded_factor(struct banded_ldlt *d)
{
    if (d->row_sum_form) {
        factor_row_sums(d);
        return;
    }
    const int n = d->size, w = d->bandwidth + 1;
    for (int k = 0; k < n; ++k) d->y[k] = d->a[(size_t)k * (size_t)w];
    for (int k = 0; k < n; ++k) {
        double *column = d->a + (size_t)k * (size_t)w;
        const double inverse = column[0] > d->pivot_tolerance * d->y[k] ? 1.0 / column[0] : 0.0;
        for (int m = 1; m < w && k + m < n; ++m) {
            if (column[m] == 0.0) continue;
            subtract_scaled(inverse * column[m], column + m, column + (size_t)m * (size_t)w, (size_t)(w - m));
        }
        for (int m = 1; m < w; ++m) column[m] *= inverse;
        column[0] = inverse;
    }
}

static void banded_solve(struct banded_ldlt *d)
{
    const int n = d->size, w = d->bandwidth + 1;
    double *y = d->y;
    for (int m = n; m < n + d->bandwidth; ++m) y[m] = 0.0; // L is 0 there
    for (int k = 0; k < n; ++k)
        subtract_scaled(y[k], d->a + (size_t)k * (size_t)w + 1, y + k + 1, (size_t)d->bandwidth);
    for (int m = n; m < n + d->bandwidth; ++m) y[m] = 0.0;
    for (int k = n - 1; k >= 0; --k) {
        const double *column = d->a + (size_t)k * (size_t)w;
        y[k] = column[0] * y[k] - dot_lanes(column + 1, y + k + 1, d->bandwidth);
    }
}

// to -= sum over m of part[m] from[m], eight at a time, so that little is stored.
static void subtract_block(const double *restrict part, const double *restrict from, int count,
                           double *restrict to)
{
    enum { N = BANDED_RHS };
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

static void banded_solve_block(const struct banded_ldlt *d, int first, int last, double *y)
{
    const int n = d->size, w = d->bandwidth + 1;
    double *row = d->y; // scratch: a row of L
    for (int k = first + 1; k < n; ++k) {
        const int count = k - first < d->bandwidth ? k - first : d->bandwidth;
        for (int m = 0; m < count; ++m)
            row[m] = d->a[(size_t)(k - count + m) * (size_t)w + (size_t)(count - m)];
        subtract_block(row, y + (size_t)(k - count) * BANDED_RHS, count, y + (size_t)k * BANDED_RHS);
    }
    for (int k = n - 1; k >= last; --k) {
        const double *column = d->a + (size_t)k * (size_t)w;
        double *to = y + (size_t)k * BANDED_RHS;
        for (int q = 0; q < BANDED_RHS; ++q) to[q] *= column[0];
        subtract_block(column + 1, to + BANDED_RHS, n - 1 - k < d->bandwidth ? n - 1 - k : d->bandwidth, to);
    }
}

static void banded_dot_block(const struct sparse_entry *e, int count, const double *restrict y,
                             double *restrict out)
{
    for (int i = 0; i < count; ++i)
        for (int q = 0; q < BANDED_RHS; ++q) out[q] += e[i].value * y[e[i].index * BANDED_RHS + q];
}

const struct banded_kernels KERNELS(banded_kernels) = {banded_factor, banded_solve, banded_solve_block,
                                                       banded_dot_block};
