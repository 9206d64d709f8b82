// Terms as a part of a cycle. On the coarsest level, which is solved at once, A + J C J^T with the rows J of terms
// restricted, by
//
//     (A + J C J^T)^-1 r = A^-1 (r - J (C^-1 + J^T A^-1 J)^-1 J^T A^-1 r)
//
// or, where that is cheaper, as one matrix: many terms of a few cells each only make its band wider.
//
// On the others sweeps do without terms; but what is left after them and goes to the next level, or comes back from it, is
// that of the whole operator, or of a part k of its terms:
//
//     down: x = S r, coarse r = P^T (r - A x) - (P^T J) k C J^T x
//     up:   r' = r - J k C (J^T x + (P^T J)^T z), sweeps with r' from x + P z on
//
// A cycle stays symmetric so, and positive as long as k C^1/2 J^T S J C^1/2 is well below 1: k is chosen by level. 100 discs
// of 1.5 times the fluid's density take 5 iterations, with terms on the coarsest level alone 9.
#include "direct_rows.h"
#include "linear_terms.h"

#include "base/math.h"

#include <string.h>

#define MOST_WORK 1e9 // of factoring C^-1 + J^T A^-1 J; beyond it the coarsest level goes without terms
#define PART      0.6 // see choose_parts()

// J of a term in a cell of a level.
struct entry {
    uint32_t at;
    float value;
};

struct linear_coarse_terms {
    int count;
    bool all;       // levels have them, not only the coarsest
    bool forgotten; // again but the coarsest
    bool merged;    // they are part of the coarsest level's own matrix
    int *first;     // entries of term t on level n: first[n (count + 1) + t] .. the next one
    struct entry *entries;
    struct direct_entry *last; // those of the coarsest level, in the order of its unknowns
    const int *order;
    double *part;  // c_t times how much of term t a level knows, level by level
    double *y;     // of each level: what terms take off, c_t J_t . x
    double *group; // DIRECT_GROUP right-hand sides, side by side
    struct direct s;
    int first_room, last_room, entry_room, part_room, y_room, group_room;
};

// A neighbour's number around a periodic axis; without divisions, which would take most of the time.
static int around(int i, int n) { return i < 0 ? i + n : i < n ? i : i - n; }

static int *first_of(const struct linear_coarse_terms *d, int n) { return d->first + n * (d->count + 1); }

static bool make_entries(const struct linear_solver *s, double count)
{
    struct linear_coarse_terms *d = s->coarse_terms;
    return count < INT32_MAX &&
           memory_grow(&s->memory, (void **)&d->entries, &d->entry_room, (int)count, sizeof *d->entries);
}

// Rows of the finest level. False without memory.
static bool take_rows(const struct linear_solver *s)
{
    struct linear_coarse_terms *d = s->coarse_terms;
    int count = 0;
    for (int t = 0; t < d->count; ++t) {
        const struct linear_term *term = &s->terms[d->order[t]];
        first_of(d, 0)[t] = count;
        if (!make_entries(s, (double)count + term->count)) return false;
        for (int i = 0; i < term->count; ++i)
            if (term->row[i] != 0.0 && s->level[0].inverse[term->at[i]] > 0.0f)
                d->entries[count++] = (struct entry){(uint32_t)term->at[i], (float)term->row[i]};
    }
    first_of(d, 0)[d->count] = count;
    return true;
}

// A value of a row of level l, which has `count` entries; how many then. Cells that it comes to are 0 in the level's x before.
static int add(const struct linear_level *l, struct entry *row, int count, int i, int j, float v)
{
    const size_t c = grid_at(&l->g, i, j);
    if (l->x[c] == 0.0f) row[count++].at = (uint32_t)c;
    l->x[c] += v;
    return count;
}

// A cell's part of the transpose of interpolation (multigrid_rows.c). Beyond a side there is nothing to add to.
static int hand_on(const struct linear_level *l, struct entry *row, int count, int i, int j, float v)
{
    const int nx = l->g.nx, nz = l->g.nz, x = i % 2 ? i / 2 + 1 : i / 2 - 1,
              z = j % 2 ? j / 2 + 1 : j / 2 - 1;
    const size_t c = grid_at(&l->g, i / 2, j / 2);
    const float along = l->share_west[i % 2 ? c + 1 : c],
                across = l->share_south[j % 2 ? c + l->g.stride : c];
    count = add(l, row, count, i / 2, j / 2, v * (1.0f - along - across));
    if (l->wrap_x || (0 <= x && x < nx)) count = add(l, row, count, around(x, nx), j / 2, v * along);
    if (l->wrap_z || (0 <= z && z < nz)) count = add(l, row, count, i / 2, around(z, nz), v * across);
    return count;
}

// The row of term t from level n - 1 to level n, whose x is 0 before and after; how many entries. A cell that came back to 0
// on the way is met twice. Cells without an open face are not part of the level.
static int restrict_row(const struct linear_solver *s, int n, int t, struct entry *row)
{
    const struct linear_coarse_terms *d = s->coarse_terms;
    const struct linear_level *l = &s->level[n];
    const uint32_t first = (uint32_t)s->level[n - 1].g.first;
    const int stride = (int)s->level[n - 1].g.stride;
    const double rows = 1.0 / stride; // a division for each entry would take longer than the rest
    const int *from = first_of(d, n - 1) + t;
    int met = 0, count = 0;
    for (int i = from[0]; i < from[1]; ++i) {
        const int at = (int)(d->entries[i].at - first), j = (int)((at + 0.5) * rows);
        met = hand_on(l, row, met, at - j * stride, j, d->entries[i].value);
    }
    for (int i = 0; i < met; ++i) {
        float *v = &l->x[row[i].at];
        if (*v != 0.0f && l->inverse[row[i].at] > 0.0f) row[count++] = (struct entry){row[i].at, *v};
        *v = 0.0f;
    }
    return count;
}

static bool restrict_rows(const struct linear_solver *s)
{
    struct linear_coarse_terms *d = s->coarse_terms;
    if (!take_rows(s)) return false;
    memset(s->level[0].x, 0, s->level[0].g.count * sizeof *s->level[0].x);
    int count = first_of(d, 0)[d->count];
    for (int n = 1; n <= s->bottom; ++n) {
        memset(s->level[n].x, 0, s->level[n].g.count * sizeof *s->level[n].x);
        for (int t = 0; t < d->count; ++t) {
            const int *from = first_of(d, n - 1) + t;
            first_of(d, n)[t] = count;
            if (!make_entries(s, count + 3.0 * (from[1] - from[0])))
                return false; // a value goes to three cells at most
            count += restrict_row(s, n, t, d->entries + count);
        }
        first_of(d, n)[d->count] = count;
    }
    return true;
}

// How much of each term level n should know. With B = D^-1/2 J C^1/2, D the diagonal of A, no eigenvalue of K B^T B is larger
// than the largest sum of sizes of a row of it, nor than what this gives without signs: a diagonal K that makes none of them
// larger than PART will do. Sweeps make up to about twice as much of J as D^-1 does (crowds of discs at 100^2 .. 512^2: 1.3
// to 2.0 times).
static void choose_parts(const struct linear_solver *s, int n)
{
    const struct linear_coarse_terms *d = s->coarse_terms;
    const struct linear_level *l = &s->level[n];
    const int *first = first_of(d, n);
    for (int t = 0; t < d->count; ++t) {
        const float k = (float)sqrt(s->terms[d->order[t]].c);
        for (int i = first[t]; i < first[t + 1]; ++i)
            l->x[d->entries[i].at] += k * fabsf(d->entries[i].value);
    }
    for (int t = 0; t < d->count; ++t) {
        const double c = s->terms[d->order[t]].c;
        double sum = 0.0;
        for (int i = first[t]; i < first[t + 1]; ++i) {
            const size_t at = d->entries[i].at;
            sum += (double)(l->x[at] * fabsf(d->entries[i].value) * l->inverse[at]);
        }
        sum *= sqrt(c);
        d->part[n * d->count + t] = sum > PART ? c * (PART / sum) : c;
    }
    for (int i = first[0]; i < first[d->count]; ++i) l->x[d->entries[i].at] = 0.0f;
}

// Those of the coarsest level by its unknowns.
static bool number_entries(const struct linear_solver *s)
{
    struct linear_coarse_terms *d = s->coarse_terms;
    const struct linear_level *l = &s->level[s->bottom];
    const int begin = first_of(d, s->bottom)[0], count = first_of(d, s->bottom)[d->count] - begin;
    if (!memory_grow(&s->memory, (void **)&d->last, &d->last_room, count, sizeof *d->last)) return false;
    for (int i = 0; i < count; ++i) {
        const size_t at = d->entries[begin + i].at - l->g.first;
        d->last[i].at = multigrid_number(l, (int)(at / l->g.stride)) + (int)(at % l->g.stride);
        d->last[i].value = (double)d->entries[begin + i].value;
    }
    return true;
}

// The coarsest level's entries of term t; how many.
static int last_of(const struct linear_solver *s, int t, const struct direct_entry **out)
{
    const struct linear_coarse_terms *d = s->coarse_terms;
    const int *from = first_of(d, s->bottom);
    *out = d->last + (from[t] - from[0]);
    return from[t + 1] - from[t];
}

// Columns t .. t + DIRECT_GROUP - 1 of C^-1 + J^T A^-1 J, from the diagonal on.
static void fill_columns(const struct linear_solver *s, int t)
{
    struct linear_coarse_terms *d = s->coarse_terms;
    const struct direct_kernels *k = KERNELS_PICK(direct_kernels);
    const int end = imin(t + DIRECT_GROUP, d->count);
    const struct direct_entry *e;
    int first = s->direct->cells - 1, last = first;
    memset(d->group, 0, (size_t)s->direct->cells * DIRECT_GROUP * sizeof *d->group);
    for (int u = t; u < d->count; ++u)
        for (int i = 0, n = last_of(s, u, &e); i < n; ++i) {
            last = imin(last, e[i].at);
            if (u >= end) continue;
            first = imin(first, e[i].at);
            d->group[e[i].at * DIRECT_GROUP + u - t] = e[i].value;
        }
    k->solve_group(s->direct, first, last, d->group);
    for (int u = t; u < d->count; ++u) {
        double sum[DIRECT_GROUP] = {0};
        const int n = last_of(s, u, &e);
        if (u < end) sum[u - t] = 1.0 / s->terms[d->order[u]].c;
        k->along_group(e, n, d->group, sum);
        for (int q = t; q < end && q <= u; ++q)
            d->s.a[(size_t)q * (size_t)d->count + (size_t)(u - q)] = sum[q - t];
    }
}

// How far apart unknowns of a term are at most.
static int widest(const struct linear_solver *s)
{
    int most = s->direct->band;
    for (int t = 0; t < s->coarse_terms->count; ++t) {
        const struct direct_entry *e;
        const int n = last_of(s, t, &e);
        int low = n > 0 ? e[0].at : 0, high = low;
        for (int i = 1; i < n; ++i) low = imin(low, e[i].at), high = imax(high, e[i].at);
        most = imax(most, high - low);
    }
    return most;
}

// Terms into the matrix of the coarsest level, where that takes less than to solve for each of them. False if not.
static bool merge(struct linear_solver *s)
{
    const struct linear_coarse_terms *d = s->coarse_terms;
    const int band = widest(s);
    const double cells = s->direct->cells, count = d->count;
    if (cells * band * band > count * count * count / 3.0 || !multigrid_widen(s, band)) return false;
    for (int t = 0; t < d->count; ++t) {
        const struct direct_entry *e;
        const int n = last_of(s, t, &e);
        for (int i = 0; i < n; ++i) {
            const double k = s->terms[d->order[t]].c * e[i].value;
            double *column = s->direct->a + (size_t)e[i].at * (size_t)(band + 1);
            for (int m = 0; m < n; ++m)
                if (e[m].at >= e[i].at) column[e[m].at - e[i].at] += k * e[m].value;
        }
    }
    KERNELS_PICK(direct_kernels)->factor(s->direct);
    return true;
}

// C^-1 + J^T A^-1 J. False without memory.
static bool fill_own(struct linear_solver *s)
{
    struct linear_coarse_terms *d = s->coarse_terms;
    const struct memory *m = &s->memory;
    const int group = s->direct->cells * DIRECT_GROUP;
    if (!memory_grow(m, (void **)&d->group, &d->group_room, group, sizeof *d->group) ||
        !memory_grow(m, (void **)&d->s.a, &d->s.a_room, d->count * d->count, sizeof *d->s.a) ||
        !memory_grow(m, (void **)&d->s.y, &d->s.y_room, 2 * d->count, sizeof *d->s.y))
        return false;
    d->s.cells = d->count;
    d->s.band = d->count - 1;
    d->s.nothing = 1e-13;
    // What stands beyond the last row is multiplied by zeros, and by its pivot whenever it is factored: from 0 on it stays 0.
    memset(d->s.a, 0, (size_t)d->count * (size_t)d->count * sizeof *d->s.a);
    for (int t = 0; t < d->count; t += DIRECT_GROUP) fill_columns(s, t);
    KERNELS_PICK(direct_kernels)->factor(&d->s);
    return true;
}

static bool make_room(struct linear_solver *s, struct linear_coarse_terms *d)
{
    const struct memory *m = &s->memory;
    const int levels = s->bottom + 1;
    return memory_grow(m, (void **)&d->first, &d->first_room, levels * (d->count + 1), sizeof *d->first) &&
           memory_grow(m, (void **)&d->part, &d->part_room, levels * d->count, sizeof *d->part) &&
           memory_grow(m, (void **)&d->y, &d->y_room, levels * d->count, sizeof *d->y);
}

bool linear_coarse_terms_prepare(struct linear_solver *s, int count, bool all, const int *order)
{
    if (!s->coarse_terms && count > 0) s->coarse_terms = memory_alloc(&s->memory, 1, sizeof *s->coarse_terms);
    struct linear_coarse_terms *d = s->coarse_terms;
    const double n = count;
    if (!d) return count == 0;
    d->count = n * n * n > MOST_WORK ? 0 : count;
    d->all = all;
    d->forgotten = false;
    d->order = order;
    if (d->count == 0) return true;
    if (!make_room(s, d) || !restrict_rows(s) || !number_entries(s)) {
        d->count = 0;
        return false;
    }
    for (int k = 0; k < s->bottom; ++k) choose_parts(s, k);
    d->merged = all && merge(s);
    if (d->merged || fill_own(s)) return true;
    d->count = 0;
    return false;
}

void linear_coarse_terms_free(struct linear_solver *s)
{
    struct linear_coarse_terms *d = s->coarse_terms;
    const struct memory *m = &s->memory;
    if (!d) return;
    memory_free(m, d->first, (size_t)d->first_room, sizeof *d->first);
    memory_free(m, d->last, (size_t)d->last_room, sizeof *d->last);
    memory_free(m, d->entries, (size_t)d->entry_room, sizeof *d->entries);
    memory_free(m, d->part, (size_t)d->part_room, sizeof *d->part);
    memory_free(m, d->y, (size_t)d->y_room, sizeof *d->y);
    memory_free(m, d->group, (size_t)d->group_room, sizeof *d->group);
    direct_free(&d->s, m);
    memory_free(m, d, 1, sizeof *d);
}

static bool known(const struct linear_solver *s)
{
    return s->coarse_terms && s->coarse_terms->count > 0 && s->term_count > 0;
}

bool linear_coarse_terms_ask(struct linear_solver *s, const double *found)
{
    struct linear_coarse_terms *d = s->coarse_terms;
    if (!known(s) || d->merged) return false;
    for (int t = 0; t < d->count; ++t) {
        const struct direct_entry *e;
        double sum = 0.0;
        for (int i = 0, n = last_of(s, t, &e); i < n; ++i) sum += e[i].value * found[e[i].at];
        d->s.y[t] = sum;
    }
    KERNELS_PICK(direct_kernels)->solve(&d->s);
    return true;
}

void linear_coarse_terms_take(const struct linear_solver *s, double *r)
{
    const struct linear_coarse_terms *d = s->coarse_terms;
    for (int t = 0; t < d->count; ++t) {
        const struct direct_entry *e;
        for (int i = 0, n = last_of(s, t, &e); i < n; ++i) r[e[i].at] -= e[i].value * d->s.y[t];
    }
}

// ---- as part of a cycle ----

static double dot(const struct linear_coarse_terms *d, int n, int t, const float *v)
{
    const int *from = first_of(d, n) + t;
    double sum = 0.0;
    for (int i = from[0]; i < from[1]; ++i) sum += (double)(d->entries[i].value * v[d->entries[i].at]);
    return sum;
}

static void less(const struct linear_coarse_terms *d, int n, int t, float y, float *r)
{
    const int *from = first_of(d, n) + t;
    for (int i = from[0]; i < from[1]; ++i) r[d->entries[i].at] -= y * d->entries[i].value;
}

bool linear_cycle_terms(const struct linear_solver *s) { return known(s) && s->coarse_terms->all; }

bool linear_cycle_terms_forget(struct linear_solver *s)
{
    struct linear_coarse_terms *d = s->coarse_terms;
    if (!linear_cycle_terms(s) || d->forgotten) return false;
    memset(d->part, 0, (size_t)(s->bottom * d->count) * sizeof *d->part);
    return d->forgotten = true;
}

void linear_cycle_terms_down(struct linear_solver *s, int n)
{
    struct linear_coarse_terms *d = s->coarse_terms;
    if (!linear_cycle_terms(s)) return;
    const double *part = d->part + n * d->count;
    double *y = d->y + n * d->count;
    for (int t = 0; t < d->count; ++t) {
        y[t] = part[t] * dot(d, n, t, s->level[n].x);
        less(d, n + 1, t, (float)y[t], s->level[n + 1].r);
    }
}

void linear_cycle_terms_up(struct linear_solver *s, int n)
{
    struct linear_coarse_terms *d = s->coarse_terms;
    if (!linear_cycle_terms(s)) return;
    const double *part = d->part + n * d->count;
    double *y = d->y + n * d->count;
    for (int t = 0; t < d->count; ++t) {
        y[t] += part[t] * dot(d, n + 1, t, s->level[n + 1].z);
        less(d, n, t, (float)y[t], s->level[n].r);
    }
}

double linear_cycle_terms_sum(const struct linear_solver *s)
{
    const struct linear_coarse_terms *d = s->coarse_terms;
    double sum = 0.0;
    if (!linear_cycle_terms(s)) return 0.0;
    for (int t = 0; t < d->count; ++t) sum += d->y[t] * dot(d, 0, t, s->level[0].z);
    return sum;
}
