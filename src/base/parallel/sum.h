// Sums in a fixed order for any number of threads: eight lanes within a row, rows added in order.
#ifndef BASE_SUM_H
#define BASE_SUM_H

#include "base/grid.h"
#include "parallel.h"

// Sum of n floats in double precision.
double sum_row(const float *x, int n);

// Sum over all cells of a field, ghost cells excluded.
double sum_field(struct parallel *p, const struct grid *g, const float *field);

#endif
