// Terms c J J^T of a system: few cells each.
#include "linear_rows.h"

static bool has(const struct linear_solver *s, size_t c) { return s->level[0].inverse[c] > 0.0f; }

void linear_terms_begin(struct linear_solver *s)
{
    for (int n = 0; n < s->term_count; ++n)
        for (int i = 0; i < s->terms[n].count; ++i) {
            const size_t c = s->terms[n].at[i];
            s->work[c] = s->b[c];
        }
}

// What a cell of x will be after a move.
static double moved(const struct linear_move *m, size_t c)
{
    if (!m->p) return m->x[c] - m->shift;
    return m->fresh ? m->a * ((double)m->p[c] - m->shift) : m->x[c] + m->a * (double)m->p[c];
}

void linear_terms_move(struct linear_solver *s, const struct linear_move *m)
{
    for (int n = 0; n < s->term_count; ++n)
        for (int i = 0; i < s->terms[n].count; ++i) {
            const size_t c = s->terms[n].at[i];
            s->b[c] = s->work[c];
        }
    for (int n = 0; n < s->term_count; ++n) {
        const struct linear_term *t = &s->terms[n];
        double along = 0.0;
        for (int i = 0; i < t->count; ++i)
            if (has(s, t->at[i])) along += t->row[i] * moved(m, t->at[i]);
        for (int i = 0; i < t->count; ++i)
            if (has(s, t->at[i])) s->b[t->at[i]] -= t->c * along * t->row[i];
    }
}

double linear_terms_energy(const struct linear_solver *s, const float *p)
{
    double sum = 0.0;
    for (int n = 0; n < s->term_count; ++n) {
        const struct linear_term *t = &s->terms[n];
        double along = 0.0;
        for (int i = 0; i < t->count; ++i)
            if (has(s, t->at[i])) along += t->row[i] * (double)p[t->at[i]];
        sum += t->c * along * along;
    }
    return sum;
}
