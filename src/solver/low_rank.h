// Calls between the files that handle low-rank terms.
#ifndef SOLVER_LOW_RANK_H
#define SOLVER_LOW_RANK_H

#include "linear_internal.h"

// The terms of one body mostly have the same cells; pairs of them are processed together. Number of terms in
// the group that starts at term n: 1 or 2.
enum { TERMS_PER_GROUP = 2 };
static inline int term_group_size(const struct linear_solver *s, int n)
{
    const struct low_rank_term *t = &s->terms[n];
    return n + 1 < s->term_count && t[0].cells == t[1].cells && t[0].count == t[1].count ? 2 : 1;
}

// Restricts `count` terms (0: none) to the levels of the V-cycle and prepares the coarsest level for them;
// on_all_levels: they act on all levels, not only on the coarsest. order lists their numbers and is
// borrowed. Overwrites x of the levels. Returns false without memory.
bool coarse_terms_setup(struct linear_solver *s, int count, bool on_all_levels, const int *order);
void coarse_terms_free(struct linear_solver *s);

#endif
