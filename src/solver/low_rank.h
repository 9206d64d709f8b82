// What the parts of the solver that deal with terms share.
#ifndef FLUID_LINEAR_TERMS_H
#define FLUID_LINEAR_TERMS_H

#include "linear_internal.h"

// Terms of one thing mostly have the same cells and are treated together: how many from number n on, two at most.
enum { TERMS_PER_GROUP = 2 };
static inline int term_group_size(const struct linear_solver *s, int n)
{
    const struct low_rank_term *t = &s->terms[n];
    return n + 1 < s->term_count && t[0].cells == t[1].cells && t[0].count == t[1].count ? 2 : 1;
}

// Terms of cycles: count of them, or none (0), on all levels or on the coarsest alone. The order, numbers of terms, is lent.
// Writes the levels' x; false without memory.
bool coarse_terms_setup(struct linear_solver *s, int count, bool all, const int *order);
void coarse_terms_free(struct linear_solver *s);

#endif
