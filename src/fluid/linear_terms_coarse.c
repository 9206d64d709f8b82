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

enum { ROWS = LINEAR_TOGETHER };

// J of a group's terms in a cell of a level, 0 beyond the last of them.
struct entry {
    float value[ROWS];
    uint32_t at;
};

struct linear_coarse_terms {
    int count;
    int groups;     // of terms with the same cells, ROWS of them at most
    bool all;       // levels have them, not only the coarsest
    bool forgotten; // again but the coarsest
    bool merged;    // they are part of the coarsest level's own matrix
    const int *order;
    int *begin; // first term of a group in the order, and the end
    int *first; // entries of group g on level n: first[n (groups + 1) + g] .. the next one
    struct entry *entries;
    int *places;               // of cells: number of the entry in the making, from 1 on; 0 in between
    int *last_first;           // those of term t on the coarsest level: last_first[t] .. the next one
    struct direct_entry *last; // in the order of its unknowns
    double *c, *root;          // of terms, ROWS a group, and their square roots
    double *part;              // c times how much of a term a level knows, level by level, ROWS a group
    double *y;                 // of each level: what terms take off, c J . x, likewise
    double *group;             // DIRECT_GROUP right-hand sides, side by side
    struct direct s;
    int begin_room, first_room, entry_room, place_room, last_first_room, last_room, c_room, root_room,
        part_room, y_room, group_room;
};

// A neighbour's number around a periodic axis; without divisions, which would take most of the time.
static int around(int i, int n) { return i < 0 ? i + n : i < n ? i : i - n; }

// Rows that an entry is of, a bit each.
static int rows_of(const float value[ROWS]) { return (value[0] != 0.0f) | (value[1] != 0.0f) << 1; }

static int *first_of(const struct linear_coarse_terms *d, int n) { return d->first + n * (d->groups + 1); }

// Its values of a level.
static double *level_of(const struct linear_coarse_terms *d, double *values, int n)
{
    return values + n * d->groups * ROWS;
}

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
    for (int g = 0; g < d->groups; ++g) {
        const struct linear_term *t = &s->terms[d->order[d->begin[g]]];
        const int rows = d->begin[g + 1] - d->begin[g];
        first_of(d, 0)[g] = count;
        for (int k = 0; k < ROWS; ++k) {
            d->c[g * ROWS + k] = k < rows ? t[k].c : 0.0;
            d->root[g * ROWS + k] = sqrt(d->c[g * ROWS + k]);
        }
        if (!make_entries(s, (double)count + t->count)) return false;
        for (int i = 0; i < t->count; ++i) {
            struct entry e = {.at = (uint32_t)t->at[i]};
            for (int k = 0; k < rows; ++k) e.value[k] = (float)t[k].row[i];
            if (rows_of(e.value) && s->level[0].inverse[e.at] > 0.0f) d->entries[count++] = e;
        }
    }
    first_of(d, 0)[d->groups] = count;
    return true;
}

// Entries of a group on their way to a coarser level.
struct passage {
    const struct linear_level *to;
    int *places;
    struct entry *out;
};

// `weight` of values to a cell; how many entries there are then. One is written whether the cell is new or not, which does
// without a branch that follows no pattern.
static inline int add(const struct passage *p, int count, size_t c, const float value[ROWS], float weight)
{
    const int old = p->places[c], number = old ? old : count + 1;
    float *sum = p->out[number - 1].value;
    p->out[count] = (struct entry){.at = (uint32_t)c};
    p->places[c] = number;
    sum[0] += value[0] * weight, sum[1] += value[1] * weight;
    return count + (old == 0);
}

// The transpose of interpolation (multigrid_rows.c) from cell (i, j). Beyond a side there is nothing to add to.
static int hand_on(const struct passage *p, int count, int i, int j, const float value[ROWS])
{
    const struct linear_level *l = p->to;
    const int nx = l->g.nx, nz = l->g.nz, x = i % 2 ? i / 2 + 1 : i / 2 - 1,
              z = j % 2 ? j / 2 + 1 : j / 2 - 1;
    const size_t c = grid_at(&l->g, i / 2, j / 2);
    const float along = l->share_west[i % 2 ? c + 1 : c],
                across = l->share_south[j % 2 ? c + l->g.stride : c];
    count = add(p, count, c, value, 1.0f - along - across);
    if (l->wrap_x || (0 <= x && x < nx))
        count = add(p, count, grid_at(&l->g, around(x, nx), j / 2), value, along);
    if (l->wrap_z || (0 <= z && z < nz))
        count = add(p, count, grid_at(&l->g, i / 2, around(z, nz)), value, across);
    return count;
}

// Rows of group g times `which`, 0 or 1, from level n - 1 to level n; how many entries. Cells without an open face are not part
// of the level.
static int restrict_some(const struct linear_solver *s, int n, int g, const float which[ROWS],
                         struct entry *out)
{
    const struct linear_coarse_terms *d = s->coarse_terms;
    const struct passage p = {&s->level[n], d->places, out};
    const struct grid *from = &s->level[n - 1].g;
    const double up = 1.0 / (double)from->stride; // a division for each entry would take longer than the rest
    const int *first = first_of(d, n - 1) + g;
    int met = 0, count = 0;
    for (int i = first[0]; i < first[1]; ++i) {
        const struct entry *e = &d->entries[i];
        const int at = (int)(e->at - (uint32_t)from->first), j = (int)((at + 0.5) * up);
        const float value[] = {which[0] * e->value[0], which[1] * e->value[1]};
        if (rows_of(value)) met = hand_on(&p, met, at - j * (int)from->stride, j, value);
    }
    for (int i = 0; i < met; ++i) {
        const struct entry e = out[i];
        d->places[e.at] = 0;
        if (rows_of(e.value) && p.to->inverse[e.at] > 0.0f) out[count++] = e;
    }
    return count;
}

// Sums are taken over entries in their order, which is that in which a row comes to its cells. It is the same for rows that
// have the same cells, as most have; others go one after the other.
static int restrict_group(const struct linear_solver *s, int n, int g, struct entry *out)
{
    static const float all[] = {1.0f, 1.0f}, one[][ROWS] = {{1.0f}, {0.0f, 1.0f}};
    const struct linear_coarse_terms *d = s->coarse_terms;
    const int *first = first_of(d, n - 1) + g;
    int i = first[0], count = 0;
    while (i < first[1] && rows_of(d->entries[i].value) == rows_of(d->entries[first[0]].value)) ++i;
    if (i == first[1]) return restrict_some(s, n, g, all, out);
    for (int k = 0; k < ROWS; ++k) count += restrict_some(s, n, g, one[k], out + count);
    return count;
}

static bool restrict_rows(const struct linear_solver *s)
{
    struct linear_coarse_terms *d = s->coarse_terms;
    if (!take_rows(s)) return false;
    int count = first_of(d, 0)[d->groups];
    for (int n = 1; n <= s->bottom; ++n) {
        for (int g = 0; g < d->groups; ++g) {
            const int *from = first_of(d, n - 1) + g;
            first_of(d, n)[g] = count;
            // a value goes to three cells at most; and one in vain
            if (!make_entries(s, count + 3.0 * ROWS * (from[1] - from[0]) + 1.0)) return false;
            count += restrict_group(s, n, g, d->entries + count);
        }
        first_of(d, n)[d->groups] = count;
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
    for (int i = first[0]; i < first[d->groups]; ++i) l->x[d->entries[i].at] = 0.0f;
    for (int g = 0; g < d->groups; ++g) {
        const double *root = d->root + g * ROWS;
        const float a = (float)root[0], b = (float)root[1];
        for (int i = first[g]; i < first[g + 1]; ++i) {
            const struct entry *e = &d->entries[i];
            float *x = &l->x[e->at];
            *x = (*x + a * fabsf(e->value[0])) + b * fabsf(e->value[1]);
        }
    }
    for (int g = 0; g < d->groups; ++g) {
        double sum[ROWS] = {0};
        for (int i = first[g]; i < first[g + 1]; ++i) {
            const struct entry *e = &d->entries[i];
            const float x = l->x[e->at], inverse = l->inverse[e->at];
            sum[0] += (double)(x * fabsf(e->value[0]) * inverse);
            sum[1] += (double)(x * fabsf(e->value[1]) * inverse);
        }
        for (int k = 0; k < ROWS; ++k) {
            const double c = d->c[g * ROWS + k], size = sum[k] * d->root[g * ROWS + k];
            level_of(d, d->part, n)[g * ROWS + k] = size > PART ? c * (PART / size) : c;
        }
    }
}

// Those of the coarsest level by its unknowns.
static bool number_entries(const struct linear_solver *s)
{
    struct linear_coarse_terms *d = s->coarse_terms;
    const struct linear_level *l = &s->level[s->bottom];
    const int *first = first_of(d, s->bottom);
    const double most = (double)ROWS * (first[d->groups] - first[0]);
    int count = 0;
    if (most > INT32_MAX ||
        !memory_grow(&s->memory, (void **)&d->last, &d->last_room, (int)most, sizeof *d->last))
        return false;
    for (int g = 0; g < d->groups; ++g)
        for (int t = d->begin[g]; t < d->begin[g + 1]; ++t) {
            d->last_first[t] = count;
            for (int i = first[g]; i < first[g + 1]; ++i) {
                const float value = d->entries[i].value[t - d->begin[g]];
                const uint32_t at = d->entries[i].at - (uint32_t)l->g.first, stride = (uint32_t)l->g.stride;
                if (value == 0.0f) continue;
                d->last[count++] = (struct direct_entry){
                    multigrid_number(l, (int)(at / stride)) + (int)(at % stride), (double)value};
            }
        }
    d->last_first[d->count] = count;
    return true;
}

// The coarsest level's entries of term t; how many.
static int last_of(const struct linear_solver *s, int t, const struct direct_entry **out)
{
    const struct linear_coarse_terms *d = s->coarse_terms;
    *out = d->last + d->last_first[t];
    return d->last_first[t + 1] - d->last_first[t];
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

static void sort(struct direct_entry *e, int n)
{
    for (int i = 1; i < n; ++i) {
        const struct direct_entry next = e[i];
        int k = i;
        for (; k > 0 && e[k - 1].at > next.at; --k) e[k] = e[k - 1];
        e[k] = next;
    }
}

// Terms into the matrix of the coarsest level, where that takes less than to solve for each of them. False if not.
static bool merge(struct linear_solver *s)
{
    const struct linear_coarse_terms *d = s->coarse_terms;
    const int band = widest(s);
    const double cells = s->direct->cells, count = d->count;
    if (cells * band * band > count * count * count / 3.0 || !multigrid_widen(s, band)) return false;
    for (int t = 0; t < d->count; ++t) {
        struct direct_entry *e = d->last + d->last_first[t];
        const int n = d->last_first[t + 1] - d->last_first[t];
        sort(e, n);
        for (int i = 0; i < n; ++i) {
            const double k = s->terms[d->order[t]].c * e[i].value;
            double *column = s->direct->a + (size_t)e[i].at * (size_t)(band + 1);
            for (int m = i; m < n; ++m) column[e[m].at - e[i].at] += k * e[m].value;
        }
    }
    KERNELS_PICK(direct_kernels)->factor(s->direct);
    return s->direct->ready = true;
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
    multigrid_factor(s);
    for (int t = 0; t < d->count; t += DIRECT_GROUP) fill_columns(s, t);
    KERNELS_PICK(direct_kernels)->factor(&d->s);
    return true;
}

static bool make_room(struct linear_solver *s, struct linear_coarse_terms *d)
{
    const struct memory *m = &s->memory;
    const int levels = s->bottom + 1, terms = d->count, rows = d->groups * ROWS;
    return memory_grow(m, (void **)&d->first, &d->first_room, levels * (d->groups + 1), sizeof *d->first) &&
           memory_grow(m, (void **)&d->places, &d->place_room, (int)s->level[s->bottom > 0].g.count,
                       sizeof *d->places) &&
           memory_grow(m, (void **)&d->last_first, &d->last_first_room, terms + 1, sizeof *d->last_first) &&
           memory_grow(m, (void **)&d->c, &d->c_room, rows, sizeof *d->c) &&
           memory_grow(m, (void **)&d->root, &d->root_room, rows, sizeof *d->root) &&
           memory_grow(m, (void **)&d->part, &d->part_room, levels * rows, sizeof *d->part) &&
           memory_grow(m, (void **)&d->y, &d->y_room, levels * rows, sizeof *d->y);
}

// Terms of a group follow each other in the order. False without memory.
static bool find_groups(const struct linear_solver *s, struct linear_coarse_terms *d)
{
    d->groups = 0;
    if (!memory_grow(&s->memory, (void **)&d->begin, &d->begin_room, d->count + 1, sizeof *d->begin))
        return false;
    for (int t = 0; t < d->count; t += linear_terms_together(s, d->order[t])) d->begin[d->groups++] = t;
    d->begin[d->groups] = d->count;
    return true;
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
    if (!find_groups(s, d) || !make_room(s, d) || !restrict_rows(s) || !number_entries(s)) {
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
    memory_free(m, d->begin, (size_t)d->begin_room, sizeof *d->begin);
    memory_free(m, d->first, (size_t)d->first_room, sizeof *d->first);
    memory_free(m, d->entries, (size_t)d->entry_room, sizeof *d->entries);
    memory_free(m, d->places, (size_t)d->place_room, sizeof *d->places);
    memory_free(m, d->last_first, (size_t)d->last_first_room, sizeof *d->last_first);
    memory_free(m, d->last, (size_t)d->last_room, sizeof *d->last);
    memory_free(m, d->c, (size_t)d->c_room, sizeof *d->c);
    memory_free(m, d->root, (size_t)d->root_room, sizeof *d->root);
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

// J . v of a group's terms on level n
static void along(const struct linear_coarse_terms *d, int n, int g, const float *v, double out[ROWS])
{
    const int *from = first_of(d, n) + g;
    double a = 0.0, b = 0.0;
    for (int i = from[0]; i < from[1]; ++i) {
        const struct entry *e = &d->entries[i];
        const float x = v[e->at];
        a += (double)(e->value[0] * x), b += (double)(e->value[1] * x);
    }
    out[0] = a, out[1] = b;
}

// r -= J y
static void less(const struct linear_coarse_terms *d, int n, int g, const double *y, float *r)
{
    const int *from = first_of(d, n) + g;
    const float a = (float)y[0], b = (float)y[1];
    for (int i = from[0]; i < from[1]; ++i) {
        const struct entry *e = &d->entries[i];
        r[e->at] = (r[e->at] - a * e->value[0]) - b * e->value[1];
    }
}

bool linear_cycle_terms(const struct linear_solver *s) { return known(s) && s->coarse_terms->all; }

bool linear_cycle_terms_forget(struct linear_solver *s)
{
    struct linear_coarse_terms *d = s->coarse_terms;
    if (!linear_cycle_terms(s) || d->forgotten) return false;
    memset(d->part, 0, (size_t)(s->bottom * d->groups * ROWS) * sizeof *d->part);
    return d->forgotten = true;
}

void linear_cycle_terms_down(struct linear_solver *s, int n)
{
    struct linear_coarse_terms *d = s->coarse_terms;
    if (!linear_cycle_terms(s)) return;
    const double *part = level_of(d, d->part, n);
    double *y = level_of(d, d->y, n), sum[ROWS];
    for (int g = 0; g < d->groups; ++g, part += ROWS, y += ROWS) {
        along(d, n, g, s->level[n].x, sum);
        for (int k = 0; k < ROWS; ++k) y[k] = part[k] * sum[k];
        less(d, n + 1, g, y, s->level[n + 1].r);
    }
}

void linear_cycle_terms_up(struct linear_solver *s, int n)
{
    struct linear_coarse_terms *d = s->coarse_terms;
    if (!linear_cycle_terms(s)) return;
    const double *part = level_of(d, d->part, n);
    double *y = level_of(d, d->y, n), sum[ROWS];
    for (int g = 0; g < d->groups; ++g, part += ROWS, y += ROWS) {
        along(d, n + 1, g, s->level[n + 1].z, sum);
        for (int k = 0; k < ROWS; ++k) y[k] += part[k] * sum[k];
        less(d, n, g, y, s->level[n].r);
    }
}

double linear_cycle_terms_sum(const struct linear_solver *s)
{
    const struct linear_coarse_terms *d = s->coarse_terms;
    double total = 0.0, sum[ROWS];
    if (!linear_cycle_terms(s)) return 0.0;
    for (int g = 0; g < d->groups; ++g) {
        along(d, 0, g, s->level[0].z, sum);
        for (int k = 0; k < ROWS; ++k) total += d->y[g * ROWS + k] * sum[k];
    }
    return total;
}
