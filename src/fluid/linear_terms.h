// What the parts of the solver that deal with terms share.
#ifndef FLUID_LINEAR_TERMS_H
#define FLUID_LINEAR_TERMS_H

#include "linear_level.h"

// Terms of one thing mostly have the same cells and are treated together: how many from number n on, two at most.
enum { LINEAR_TOGETHER = 2 };
static inline int linear_terms_together(const struct linear_solver *s, int n)
{
    const struct linear_term *t = &s->terms[n];
    return n + 1 < s->term_count && t[0].at == t[1].at && t[0].count == t[1].count ? 2 : 1;
}

// Terms of cycles: count of them, or none (0), on all levels or on the coarsest alone. The order, numbers of terms, is lent.
// Writes the levels' x; false without memory.
bool linear_coarse_terms_prepare(struct linear_solver *s, int count, bool all, const int *order);
void linear_coarse_terms_free(struct linear_solver *s);

#endif
