// Terms on the coarsest level, which is solved at once: there A + J C J^T with the rows J of terms restricted, by
//
//     (A + J C J^T)^-1 r = A^-1 (r - J (C^-1 + J^T A^-1 J)^-1 J^T A^-1 r)
//
// What a patch around a term does not reach is smooth, so it is found here: 100 light discs take 9 iterations instead of
// 12, and as many held fixed take 5.
#include "direct_rows.h"
#include "linear_patch_rows.h"
#include "linear_terms.h"

#include "base/math.h"

#include <string.h>

#define MOST_WORK 1e9 // of factoring C^-1 + J^T A^-1 J; beyond it the coarsest level goes without terms

struct entry {
    int at; // in the order of the coarsest level's unknowns
    double value;
};

struct linear_coarse_terms {
    int count;
    int *first; // entries of term t: first[t] .. first[t + 1] - 1
    struct entry *entries;
    double *group; // DIRECT_GROUP right-hand sides, side by side
    struct direct s;
    int first_room, entry_room, group_room;
};

static int around(int i, int n) { return (i % n + n) % n; }

// The part of the next coarser level that what lies in `p` is restricted to, and one cell more: around an odd periodic
// axis halves do not match.
static struct linear_patch coarser(const struct linear_patch *p, const struct grid *g)
{
    struct linear_patch q = {.w = imin((p->i0 + p->w - 1) / 2 - p->i0 / 2 + 4, g->nx),
                             .h = imin((p->j0 + p->h - 1) / 2 - p->j0 / 2 + 4, g->nz)};
    q.i0 = q.w == g->nx ? 0 : around(p->i0 / 2 - 1, g->nx);
    q.j0 = q.h == g->nz ? 0 : around(p->j0 / 2 - 1, g->nz);
    return q;
}

// A cell's part of the transpose of interpolation (multigrid_rows.c). Beyond a side there is nothing to add to.
static void hand_on(const struct linear_level *l, int i, int j, float v)
{
    const int nx = l->g.nx, nz = l->g.nz, x = i % 2 ? i / 2 + 1 : i / 2 - 1,
              z = j % 2 ? j / 2 + 1 : j / 2 - 1;
    const size_t c = grid_at(&l->g, i / 2, j / 2);
    const float along = l->share_west[i % 2 ? c + 1 : c],
                across = l->share_south[j % 2 ? c + l->g.stride : c];
    l->x[c] += v * (1.0f - along - across);
    if (l->wrap_x || (0 <= x && x < nx)) l->x[grid_at(&l->g, around(x, nx), j / 2)] += v * along;
    if (l->wrap_z || (0 <= z && z < nz)) l->x[grid_at(&l->g, i / 2, around(z, nz))] += v * across;
}

// From a field that is 0 outside of a patch to the next level's; it is 0 everywhere then.
static void restrict_patch(const struct linear_level *f, const struct linear_level *l,
                           const struct linear_patch *p)
{
    for (int m = 0; m < p->h; ++m)
        for (int k = 0; k < p->w; ++k) {
            const int i = (p->i0 + k) % f->g.nx, j = (p->j0 + m) % f->g.nz;
            float *v = &f->x[grid_at(&f->g, i, j)];
            if (*v == 0.0f) continue;
            hand_on(l, i, j, *v);
            *v = 0.0f;
        }
}

static struct linear_patch coarsest(const struct linear_solver *s, struct linear_patch p)
{
    for (int n = 1; n <= s->bottom; ++n) p = coarser(&p, &s->level[n].g);
    return p;
}

// The row of term t on the coarsest level; where the next one's entries begin.
static int restrict_term(const struct linear_solver *s, int t, struct linear_patch p, int first)
{
    const struct linear_term *term = &s->terms[t];
    const struct linear_level *l = s->level;
    for (int i = 0; i < term->count; ++i) {
        const size_t at = term->at[i] - l->g.first;
        if (!(l->inverse[term->at[i]] > 0.0f)) continue;
        if (s->bottom > 0)
            hand_on(&l[1], (int)(at % l->g.stride), (int)(at / l->g.stride), (float)term->row[i]);
        else
            l->x[term->at[i]] = (float)term->row[i];
    }
    for (int n = 1; n <= s->bottom; ++n) {
        if (n > 1) restrict_patch(&l[n - 1], &l[n], &p);
        p = coarser(&p, &l[n].g);
    }
    l += s->bottom;
    for (int m = 0; m < p.h; ++m)
        for (int k = 0; k < p.w; ++k) {
            const int i = (p.i0 + k) % l->g.nx, j = (p.j0 + m) % l->g.nz;
            float *v = &l->x[grid_at(&l->g, i, j)];
            if (*v != 0.0f)
                s->coarse_terms->entries[first++] = (struct entry){multigrid_number(l, j) + i, (double)*v};
            *v = 0.0f;
        }
    return first;
}

// Columns t .. t + DIRECT_GROUP - 1 of C^-1 + J^T A^-1 J, from the diagonal on.
static void fill_columns(const struct linear_solver *s, const int *order, int t)
{
    struct linear_coarse_terms *d = s->coarse_terms;
    const struct direct *a = s->direct;
    const int end = imin(t + DIRECT_GROUP, d->count);
    int first = a->cells - 1, last = first;
    memset(d->group, 0, (size_t)a->cells * DIRECT_GROUP * sizeof *d->group);
    for (int n = t; n < end; ++n)
        for (int i = d->first[n]; i < d->first[n + 1]; ++i) {
            d->group[d->entries[i].at * DIRECT_GROUP + n - t] = d->entries[i].value;
            first = imin(first, d->entries[i].at);
        }
    for (int i = d->first[t]; i < d->first[d->count]; ++i) last = imin(last, d->entries[i].at);
    KERNELS_PICK(direct_kernels)->solve_group(a, first, last, d->group);
    for (int n = t; n < end; ++n)
        for (int u = n; u < d->count; ++u) {
            double sum = u == n ? 1.0 / s->terms[order[n]].c : 0.0;
            for (int i = d->first[u]; i < d->first[u + 1]; ++i)
                sum += d->entries[i].value * d->group[d->entries[i].at * DIRECT_GROUP + n - t];
            d->s.a[(size_t)n * (size_t)d->count + (size_t)(u - n)] = sum;
        }
}

static bool make_room(struct linear_solver *s, struct linear_coarse_terms *d, double entries)
{
    const struct memory *m = &s->memory;
    const int group = s->direct->cells * DIRECT_GROUP;
    return entries < INT32_MAX &&
           memory_grow(m, (void **)&d->first, &d->first_room, d->count + 1, sizeof *d->first) &&
           memory_grow(m, (void **)&d->entries, &d->entry_room, (int)entries, sizeof *d->entries) &&
           memory_grow(m, (void **)&d->group, &d->group_room, group, sizeof *d->group) &&
           memory_grow(m, (void **)&d->s.a, &d->s.a_room, d->count * d->count, sizeof *d->s.a) &&
           memory_grow(m, (void **)&d->s.y, &d->s.y_room, 2 * d->count, sizeof *d->s.y);
}

bool linear_coarse_terms_prepare(struct linear_solver *s, int count, const struct linear_patch *patches,
                                 const int *order)
{
    if (!s->coarse_terms && count > 0) s->coarse_terms = memory_alloc(&s->memory, 1, sizeof *s->coarse_terms);
    struct linear_coarse_terms *d = s->coarse_terms;
    const double n = count;
    double entries = 0.0;
    if (!d) return count == 0;
    d->count = n * n * n > MOST_WORK ? 0 : count;
    if (d->count == 0) return true;
    for (int t = 0; t < d->count; ++t) {
        const struct linear_patch p = coarsest(s, patches[t]);
        entries += (double)p.w * p.h;
    }
    if (!make_room(s, d, entries)) {
        d->count = 0;
        return false;
    }
    for (int k = 0; k <= s->bottom; ++k)
        memset(s->level[k].x, 0, s->level[k].g.count * sizeof *s->level[k].x);
    d->first[0] = 0;
    for (int t = 0; t < d->count; ++t) // in the order of patches
        d->first[t + 1] = restrict_term(s, order[t], patches[t], d->first[t]);
    d->s.cells = d->count;
    d->s.band = d->count - 1;
    d->s.nothing = 1e-13;
    // What stands beyond the last row is multiplied by zeros, and by its pivot whenever it is factored: from 0 on it stays 0.
    memset(d->s.a, 0, (size_t)d->count * (size_t)d->count * sizeof *d->s.a);
    for (int t = 0; t < d->count; t += DIRECT_GROUP) fill_columns(s, order, t);
    KERNELS_PICK(direct_kernels)->factor(&d->s);
    return true;
}

void linear_coarse_terms_free(struct linear_solver *s)
{
    struct linear_coarse_terms *d = s->coarse_terms;
    const struct memory *m = &s->memory;
    if (!d) return;
    memory_free(m, d->first, (size_t)d->first_room, sizeof *d->first);
    memory_free(m, d->entries, (size_t)d->entry_room, sizeof *d->entries);
    memory_free(m, d->group, (size_t)d->group_room, sizeof *d->group);
    direct_free(&d->s, m);
    memory_free(m, d, 1, sizeof *d);
}

bool linear_coarse_terms_ask(struct linear_solver *s, const double *found)
{
    struct linear_coarse_terms *d = s->coarse_terms;
    if (!d || d->count == 0 || s->term_count == 0) return false;
    for (int t = 0; t < d->count; ++t) {
        double sum = 0.0;
        for (int i = d->first[t]; i < d->first[t + 1]; ++i)
            sum += d->entries[i].value * found[d->entries[i].at];
        d->s.y[t] = sum;
    }
    KERNELS_PICK(direct_kernels)->solve(&d->s);
    return true;
}

void linear_coarse_terms_take(const struct linear_solver *s, double *r)
{
    const struct linear_coarse_terms *d = s->coarse_terms;
    for (int t = 0; t < d->count; ++t)
        for (int i = d->first[t]; i < d->first[t + 1]; ++i)
            r[d->entries[i].at] -= d->entries[i].value * d->s.y[t];
}
