// Sums in a fixed order, whatever the number of threads: eight lanes within a row, rows added in order.
#ifndef BASE_SUM_H
#define BASE_SUM_H

#include "grid.h"
#include "parallel.h"

// Sum over a row of n floats in double.
double sum_row(const float *x, int n);

// Sum over all cells of a field.
double sum_field(struct parallel *p, const struct grid *g, const float *field);

#endif
