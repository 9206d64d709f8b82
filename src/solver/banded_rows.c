// Kernels of the banded L D L^T factorisation. The row-sum form is exact for singular M-matrices
// [grassmann1985].
#include "banded_rows.h"

// to -= k from
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

// GTH elimination [grassmann1985]: with the row sums instead of the diagonal no subtraction occurs, so that
// every number has a small relative error however small the coefficients are that connect a region. The last
// pivot of a singular region is exactly 0.
static void factor_row_sums(struct banded_ldlt *d)
{
    const int n = d->size, w = d->bandwidth + 1;
    for (int k = 0; k < n; ++k) {
        double *column = d->a + (size_t)k * (size_t)w;
        const double row_sum = column[0], diagonal = row_sum - sum_doubles(column + 1, (size_t)d->bandwidth),
                     inverse = diagonal > 0.0 ? 1.0 / diagonal : 0.0;
        for (int m = 1; m < w && k + m < n; ++m) {
            if (column[m] == 0.0) continue;
            double *target = column + (size_t)m * (size_t)w;
            const double factor = inverse * column[m];
            target[0] -= factor * row_sum;
            subtract_scaled(factor, column + m + 1, target + 1, (size_t)(w - m - 1));
        }
        for (int m = 1; m < w; ++m) column[m] *= inverse;
        column[0] = inverse;
    }
}

// A zero pivot belongs to a singular region or to an inactive cell. Its unknown is set to 0, which fixes the
// constant of the region.
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
    for (int m = n; m < n + d->bandwidth; ++m) y[m] = 0.0; // L is 0 in these columns
    for (int k = 0; k < n; ++k)
        subtract_scaled(y[k], d->a + (size_t)k * (size_t)w + 1, y + k + 1, (size_t)d->bandwidth);
    for (int m = n; m < n + d->bandwidth; ++m) y[m] = 0.0;
    for (int k = n - 1; k >= 0; --k) {
        const double *column = d->a + (size_t)k * (size_t)w;
        y[k] = column[0] * y[k] - dot_lanes(column + 1, y + k + 1, d->bandwidth);
    }
}

// to -= sum over m of factor[m] from[m], eight terms at a time to save stores.
static void subtract_block(const double *restrict factor, const double *restrict from, int count,
                           double *restrict to)
{
    enum { N = BANDED_RHS };
    int m = 0;
    for (; m + 8 <= count; m += 8) {
        const double *p = factor + m, *f = from + m * N;
        for (int q = 0; q < N; ++q) {
            const double a = p[0] * f[q] + p[1] * f[N + q], b = p[2] * f[2 * N + q] + p[3] * f[3 * N + q];
            const double c = p[4] * f[4 * N + q] + p[5] * f[5 * N + q],
                         d = p[6] * f[6 * N + q] + p[7] * f[7 * N + q];
            to[q] -= (a + b) + (c + d);
        }
    }
    for (; m < count; ++m)
        for (int q = 0; q < N; ++q) to[q] -= factor[m] * from[m * N + q];
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
        double *target = y + (size_t)k * BANDED_RHS;
        for (int q = 0; q < BANDED_RHS; ++q) target[q] *= column[0];
        subtract_block(column + 1, target + BANDED_RHS, n - 1 - k < d->bandwidth ? n - 1 - k : d->bandwidth,
                       target);
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
