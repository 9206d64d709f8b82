// What the parts of the solver that deal with terms share.
#ifndef FLUID_LINEAR_TERMS_H
#define FLUID_LINEAR_TERMS_H

#include "linear_level.h"

// Terms of cycles: count of them, or none (0), on all levels or on the coarsest alone. The order, numbers of terms, is lent.
// Writes the levels' x; false without memory.
bool linear_coarse_terms_prepare(struct linear_solver *s, int count, bool all, const int *order);
void linear_coarse_terms_free(struct linear_solver *s);

#endif
