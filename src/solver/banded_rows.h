// The coarsest level, solved at once: L D L^T of its matrix, which has a narrow band.
#ifndef FLUID_DIRECT_ROWS_H
#define FLUID_DIRECT_ROWS_H

#include "base/kernels.h"
#include "linear_internal.h"

struct banded_ldlt {
    int size, bandwidth; // A(k + m, k) = 0 for m > band
    double *a;           // A(k + m, k) at [k (band + 1) + m], then L, and 1/D at m = 0
    bool
        row_sum_form; // at m = 0 stands what a row of A adds up to, at least 0, and nothing beside the diagonal is above 0
    bool is_factored; // factored
    double *y;        // cells + band
    int a_capacity, y_capacity;
    double pivot_tolerance; // what is left of a diagonal by cancellation alone, relative to it
};

static inline void banded_free(struct banded_ldlt *d, const struct memory *m)
{
    memory_free(m, d->a, (size_t)d->a_capacity, sizeof *d->a);
    memory_free(m, d->y, (size_t)d->y_capacity, sizeof *d->y);
}

enum { BANDED_RHS = 16 };

// A number of a vector that is 0 but for a few.
struct sparse_entry {
    int index;
    double value;
};

struct banded_kernels {
    void (*factor)(struct banded_ldlt *d);
    // y = A^-1 y
    void (*solve)(struct banded_ldlt *d);
    // The same for DIRECT_GROUP right-hand sides, side by side, all of them 0 before row `first`; found from row `last` on. Writes
    // d->y.
    void (*solve_block)(const struct banded_ldlt *d, int first, int last, double *y);
    // out += what `count` entries are along each of DIRECT_GROUP vectors, side by side.
    void (*dot_block)(const struct sparse_entry *e, int count, const double *y, double *out);
};
KERNELS_DECLARE(struct banded_kernels, banded_kernels);

#endif
