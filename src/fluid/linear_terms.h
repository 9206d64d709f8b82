// What the parts of the solver that deal with terms share.
#ifndef FLUID_LINEAR_TERMS_H
#define FLUID_LINEAR_TERMS_H

#include "linear_patch_rows.h"

// Terms of the coarsest level. prepare: all terms, or none (count 0), with patches that hold all of their cells, in an
// order of theirs; writes the levels' x, false without memory.
bool linear_coarse_terms_prepare(struct linear_solver *s, int count, const struct linear_patch *patches,
                                 const int *order);
void linear_coarse_terms_free(struct linear_solver *s);

#endif
