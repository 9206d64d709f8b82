// Direct solution of symmetric banded systems by L D L^T: the coarsest multigrid level and the small dense
// systems of low-rank terms.
#ifndef SOLVER_BANDED_ROWS_H
#define SOLVER_BANDED_ROWS_H

#include "base/parallel/kernels.h"
#include "linear_internal.h"

struct banded_ldlt {
    int size, bandwidth; // A(k + m, k) = 0 for m > bandwidth
    double *a;           // A(k + m, k) at [k (bandwidth + 1) + m]; after factoring L, with 1/D at m = 0
    // A is an M-matrix, all off-diagonal entries <= 0, and m = 0 contains the sum of row k, >= 0, instead of
    // the diagonal.
    bool row_sum_form;
    bool is_factored;
    double *y; // right-hand side and solution; size + bandwidth numbers
    int a_capacity, y_capacity;
    double pivot_tolerance; // pivots below this fraction of the diagonal are rounding errors and count as 0
};

static inline void banded_free(struct banded_ldlt *d, const struct memory *m)
{
    memory_free(m, d->a, (size_t)d->a_capacity, sizeof *d->a);
    memory_free(m, d->y, (size_t)d->y_capacity, sizeof *d->y);
}

enum { BANDED_RHS = 16 }; // right-hand sides of solve_block

// A nonzero of a sparse vector.
struct sparse_entry {
    int index;
    double value;
};

struct banded_kernels {
    void (*factor)(struct banded_ldlt *d);
    // y = A^-1 y
    void (*solve)(struct banded_ldlt *d);
    // The same for BANDED_RHS right-hand sides, interleaved: y[row BANDED_RHS + rhs]. All are 0 before row
    // `first`; the solution is computed from row `last` on. Overwrites d->y.
    void (*solve_block)(const struct banded_ldlt *d, int first, int last, double *y);
    // out += dot products of a sparse vector with BANDED_RHS interleaved vectors.
    void (*dot_block)(const struct sparse_entry *e, int count, const double *y, double *out);
};
KERNELS_DECLARE(struct banded_kernels, banded_kernels);

#endif
