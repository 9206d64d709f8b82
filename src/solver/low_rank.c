// Low-rank terms w J J^T: their part of the operator, an estimate of their strength, and the choice of their
// place in the preconditioner. The V-cycle contains weak terms (low_rank_cycle.c); strong terms are deflated
// (deflation.c).
#include "low_rank.h"
#include "linear_rows.h"

#include "base/math/math.h"

enum { GROUP_TERMS = TERMS_PER_GROUP };
#define NEGLIGIBLE_STRENGTH 0.3 // see low_rank_strength()
#define WEAK_STRENGTH       3.0 // see low_rank_strength()

// ---- terms in the operator ----

void low_rank_save_rhs(struct linear_solver *s)
{
    for (int n = 0; n < s->term_count; n += term_group_size(s, n))
        for (int i = 0; i < s->terms[n].count; ++i) {
            const size_t c = s->terms[n].cells[i];
            s->b_of_terms[c] = s->b[c];
        }
}

// x in cell c after the pending update.
static double updated_x_at(const struct linear_update *m, size_t c)
{
    if (!m->p) return m->x[c] - m->shift;
    return m->x_is_zero ? m->step * ((double)m->p[c] - m->shift) : m->x[c] + m->step * (double)m->p[c];
}

// b -= w J (J . x) for a group of `count` terms, x after the pending update.
static void subtract_group(struct linear_solver *s, const struct linear_update *m,
                           const struct low_rank_term *t, int count)
{
    const double *const j0 = t[0].values, *const j1 = t[count - 1].values;
    double jx[GROUP_TERMS] = {0};
    for (int i = 0; i < t->count; ++i) {
        if (!linear_is_active(s, t->cells[i])) continue;
        const double x = updated_x_at(m, t->cells[i]);
        jx[0] += j0[i] * x, jx[1] += j1[i] * x;
    }
    const double wjx0 = t[0].weight * jx[0], wjx1 = count > 1 ? t[1].weight * jx[1] : 0.0;
    for (int i = 0; i < t->count; ++i)
        if (linear_is_active(s, t->cells[i]))
            s->b[t->cells[i]] = (s->b[t->cells[i]] - wjx0 * j0[i]) - wjx1 * j1[i];
}

void low_rank_update_rhs(struct linear_solver *s, const struct linear_update *m)
{
    for (int n = 0; n < s->term_count; n += term_group_size(s, n))
        for (int i = 0; i < s->terms[n].count; ++i) {
            const size_t c = s->terms[n].cells[i];
            s->b[c] = s->b_of_terms[c];
        }
    for (int n = 0, count; n < s->term_count; n += count) {
        count = term_group_size(s, n);
        subtract_group(s, m, &s->terms[n], count);
    }
}

double low_rank_energy(const struct linear_solver *s, const float *p)
{
    double sum = 0.0;
    for (int n = 0, count; n < s->term_count; n += count) {
        const struct low_rank_term *t = &s->terms[n];
        count = term_group_size(s, n);
        const double *const j0 = t[0].values, *const j1 = t[count - 1].values;
        double jp[GROUP_TERMS] = {0};
        for (int i = 0; i < t->count; ++i) {
            const double p_cell = linear_is_active(s, t->cells[i]) ? (double)p[t->cells[i]] : 0.0;
            jp[0] += j0[i] * p_cell, jp[1] += j1[i] * p_cell;
        }
        for (int k = 0; k < count; ++k) sum += t[k].weight * jp[k] * jp[k];
    }
    return sum;
}

// ---- strength ----

// Offset from cell a to cell b along an axis; the shorter one where it is periodic.
static int periodic_offset(int a, int b, int n, bool periodic)
{
    if (!periodic) return b - a;
    const int d = (b - a + n) % n;
    return d < n - d ? d : d - n;
}

struct term_extent term_extent_of(const struct linear_level *l, const struct low_rank_term *t)
{
    const struct grid *g = &l->g;
    const uint32_t stride = (uint32_t)g->stride,
                   first = (uint32_t)(t->count > 0 ? t->cells[0] - g->origin : 0);
    struct term_extent e = {.i0 = (int)(first % stride), .j0 = (int)(first / stride)};
    for (int n = 0; n < t->count; ++n) {
        const uint32_t at = (uint32_t)(t->cells[n] - g->origin);
        const int x = periodic_offset(e.i0, (int)(at % stride), g->nx, l->periodic_x);
        const int z = periodic_offset(e.j0, (int)(at / stride), g->nz, l->periodic_z);
        e.low_x = imin(e.low_x, x), e.high_x = imax(e.high_x, x);
        e.low_z = imin(e.low_z, z), e.high_z = imax(e.high_z, z);
    }
    return e;
}

// Estimate of the largest w J^T A^-1 J, which is what a term adds to an eigenvalue 1 of the preconditioned
// operator. Up to NEGLIGIBLE_STRENGTH the preconditioner ignores terms; up to WEAK_STRENGTH the V-cycle
// contains them; stronger ones are deflated. The estimate is 3 n w J^T J/d: n the extent of the term in
// cells, d the largest diagonal of A in its cells, so that cut cells with small coefficients do not matter.
double low_rank_strength(const struct linear_solver *s)
{
    double max_strength = 0.0;
    for (int n = 0, count; n < s->term_count; n += count) {
        const struct low_rank_term *t = &s->terms[n];
        const struct term_extent e = term_extent_of(&s->level[0], t);
        double norm2[GROUP_TERMS] = {0}, min_inverse = 0.0;
        count = term_group_size(s, n);
        for (int i = 0; i < t->count; ++i) {
            const double inverse = (double)s->level[0].inv_diagonal[t->cells[i]];
            if (!(inverse > 0.0)) continue;
            for (int k = 0; k < count; ++k) norm2[k] += t[k].values[i] * t[k].values[i];
            min_inverse = min_inverse > 0.0 ? fmin(min_inverse, inverse) : inverse;
        }
        for (int k = 0; k < count; ++k)
            max_strength =
                fmax(max_strength, 3.0 * term_extent_size(&e) * t[k].weight * norm2[k] * min_inverse);
    }
    return max_strength;
}

bool low_rank_is_weak(const struct linear_solver *s) { return s->max_term_strength <= WEAK_STRENGTH; }

// ---- terms in the preconditioner ----

bool low_rank_setup(struct linear_solver *s)
{
    const int count = s->max_term_strength > NEGLIGIBLE_STRENGTH ? s->term_count : 0;
    const int *order = NULL;
    const bool sorted = deflation_sort_terms(s, count, &order);
    const bool restricted = coarse_terms_setup(s, sorted ? count : 0, low_rank_is_weak(s), order);
    const bool deflate = sorted && restricted && !cycle_has_terms(s);
    return deflation_setup(s, deflate ? count : 0) && sorted && restricted;
}

void low_rank_free(struct linear_solver *s)
{
    coarse_terms_free(s);
    deflation_free(s);
}

bool low_rank_is_preconditioned(const struct linear_solver *s)
{
    return s->term_count == 0 || cycle_has_terms(s) || deflation_is_active(s);
}
