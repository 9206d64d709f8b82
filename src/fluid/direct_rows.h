// The coarsest level, solved at once: L D L^T of its matrix, which has a narrow band.
#ifndef FLUID_DIRECT_ROWS_H
#define FLUID_DIRECT_ROWS_H

#include "base/kernels.h"
#include "linear_level.h"

struct direct {
    int cells, band; // A(k + m, k) = 0 for m > band
    double *a;       // A(k + m, k) at [k (band + 1) + m], then L, and 1/D at m = 0
    bool
        sums; // at m = 0 stands what a row of A adds up to, at least 0, and nothing beside the diagonal is above 0
    bool ready; // factored
    double *y;  // cells + band
    int a_room, y_room;
    double nothing; // what is left of a diagonal by cancellation alone, relative to it
};

static inline void direct_free(struct direct *d, const struct memory *m)
{
    memory_free(m, d->a, (size_t)d->a_room, sizeof *d->a);
    memory_free(m, d->y, (size_t)d->y_room, sizeof *d->y);
}

enum { DIRECT_GROUP = 16 };

// A number of a vector that is 0 but for a few.
struct direct_entry {
    int at;
    double value;
};

struct direct_kernels {
    void (*factor)(struct direct *d);
    // y = A^-1 y
    void (*solve)(struct direct *d);
    // The same for DIRECT_GROUP right-hand sides, side by side, all of them 0 before row `first`; found from row `last` on. Writes
    // d->y.
    void (*solve_group)(const struct direct *d, int first, int last, double *y);
    // out += what `count` entries are along each of DIRECT_GROUP vectors, side by side.
    void (*along_group)(const struct direct_entry *e, int count, const double *y, double *out);
};
KERNELS_DECLARE(struct direct_kernels, direct_kernels);

#endif
