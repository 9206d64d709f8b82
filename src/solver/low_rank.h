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

static inline bool linear_is_active(const struct linear_solver *s, size_t c)
{
    return s->level[0].inv_diagonal[c] > 0.0f;
}

// Bounding box of the cells of a term, as offsets from its first cell (i0, j0), across periodic sides.
struct term_extent {
    int i0, j0, low_x, high_x, low_z, high_z;
};

struct term_extent term_extent_of(const struct linear_level *l, const struct low_rank_term *t);

// [cells] The longer side of the box.
static inline int term_extent_size(const struct term_extent *e)
{
    const int x = e->high_x - e->low_x, z = e->high_z - e->low_z;
    return (x > z ? x : z) + 1;
}

// Deflation (deflation.c) in two steps. deflation_sort_terms sorts the first `count` terms by position;
// *order lists their numbers and stays valid until the next setup. deflation_setup prepares the deflation of
// `count` terms, all sorted ones or 0: none; if that is too expensive nothing is deflated. Both return false
// without memory.
bool deflation_sort_terms(struct linear_solver *s, int count, const int **order);
bool deflation_setup(struct linear_solver *s, int count);
void deflation_free(struct linear_solver *s);
bool deflation_is_active(const struct linear_solver *s);

// Restricts `count` terms (0: none) to the levels of the V-cycle and prepares the coarsest level for them;
// on_all_levels: they act on all levels, not only on the coarsest. order lists their numbers and is
// borrowed. Overwrites x of the levels. Returns false without memory.
bool coarse_terms_setup(struct linear_solver *s, int count, bool on_all_levels, const int *order);
void coarse_terms_free(struct linear_solver *s);

#endif
