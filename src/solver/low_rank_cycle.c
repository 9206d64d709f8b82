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
#include "banded_rows.h"
#include "low_rank.h"

#include "base/math.h"

#include <string.h>

#define MAX_FACTOR_WORK 1e9 // of factoring C^-1 + J^T A^-1 J; beyond it the coarsest level goes without terms
#define MAX_TERM_SHARE  0.6 // see choose_parts()

enum { GROUP_TERMS = TERMS_PER_GROUP };

// J of a group's terms in a cell of a level, 0 beyond the last of them.
struct term_entry {
    float value[GROUP_TERMS];
    uint32_t cell;
};

struct linear_coarse_terms {
    int count;
    int groups;            // of terms with the same cells, ROWS of them at most
    bool on_all_levels;    // levels have them, not only the coarsest
    bool dropped;          // again but the coarsest
    bool merged_in_matrix; // they are part of the coarsest level's own matrix
    const int *order;
    int *group_start; // first term of a group in the order, and the end
    int *entry_start; // entries of group g on level n: first[n (groups + 1) + g] .. the next one
    struct term_entry *entries;
    int *cell_slot;    // of cells: number of the entry in the making, from 1 on; 0 in between
    int *coarse_start; // those of term t on the coarsest level: last_first[t] .. the next one
    struct sparse_entry *coarse_entries; // in the order of its unknowns
    double *weight, *sqrt_weight;        // of terms, ROWS a group, and their square roots
    double *level_weight; // c times how much of a term a level knows, level by level, ROWS a group
    double *coefficient;  // of each level: what terms take off, c J . x, likewise
    double *rhs_block;    // DIRECT_GROUP right-hand sides, side by side
    struct banded_ldlt capacitance;
    int group_start_capacity, entry_start_capacity, entry_capacity, cell_slot_capacity, coarse_start_capacity,
        coarse_capacity, weight_capacity, sqrt_weight_capacity, level_weight_capacity, coefficient_capacity,
        rhs_block_capacity;
};

// A neighbour's number around a periodic axis; without divisions, which would take most of the time.
static int wrap_index(int i, int n) { return i < 0 ? i + n : i < n ? i : i - n; }

// Rows that an entry is of, a bit each.
static int term_mask(const float value[GROUP_TERMS]) { return (value[0] != 0.0f) | (value[1] != 0.0f) << 1; }

static int *entry_starts(const struct linear_coarse_terms *d, int n)
{
    return d->entry_start + n * (d->groups + 1);
}

// Its values of a level.
static double *level_values(const struct linear_coarse_terms *d, double *values, int n)
{
    return values + n * d->groups * GROUP_TERMS;
}

static bool reserve_entries(const struct linear_solver *s, double count)
{
    struct linear_coarse_terms *d = s->coarse_terms;
    return count < INT32_MAX &&
           memory_grow(&s->memory, (void **)&d->entries, &d->entry_capacity, (int)count, sizeof *d->entries);
}

// Rows of the finest level. False without memory.
static bool load_finest_entries(const struct linear_solver *s)
{
    struct linear_coarse_terms *d = s->coarse_terms;
    int count = 0;
    for (int g = 0; g < d->groups; ++g) {
        const struct low_rank_term *t = &s->terms[d->order[d->group_start[g]]];
        const int rows = d->group_start[g + 1] - d->group_start[g];
        entry_starts(d, 0)[g] = count;
        for (int k = 0; k < GROUP_TERMS; ++k) {
            d->weight[g * GROUP_TERMS + k] = k < rows ? t[k].weight : 0.0;
            d->sqrt_weight[g * GROUP_TERMS + k] = sqrt(d->weight[g * GROUP_TERMS + k]);
        }
        if (!reserve_entries(s, (double)count + t->count)) return false;
        for (int i = 0; i < t->count; ++i) {
            struct term_entry e = {.cell = (uint32_t)t->cells[i]};
            for (int k = 0; k < rows; ++k) e.value[k] = (float)t[k].values[i];
            if (term_mask(e.value) && s->level[0].inv_diagonal[e.cell] > 0.0f) d->entries[count++] = e;
        }
    }
    entry_starts(d, 0)[d->groups] = count;
    return true;
}

// Entries of a group on their way to a coarser level.
struct restriction {
    const struct linear_level *to;
    int *cell_slot;
    struct term_entry *out;
};

// `weight` of values to a cell; how many entries there are then. One is written whether the cell is new or not, which does
// without a branch that follows no pattern.
static inline int add_entry(const struct restriction *p, int count, size_t c, const float value[GROUP_TERMS],
                            float weight)
{
    const int old = p->cell_slot[c], number = old ? old : count + 1;
    float *sum = p->out[number - 1].value;
    p->out[count] = (struct term_entry){.cell = (uint32_t)c};
    p->cell_slot[c] = number;
    sum[0] += value[0] * weight, sum[1] += value[1] * weight;
    return count + (old == 0);
}

// The transpose of interpolation (multigrid_rows.c) from cell (i, j). Beyond a side there is nothing to add to.
static int restrict_entry(const struct restriction *p, int count, int i, int j,
                          const float value[GROUP_TERMS])
{
    const struct linear_level *l = p->to;
    const int nx = l->g.nx, nz = l->g.nz, x = i % 2 ? i / 2 + 1 : i / 2 - 1,
              z = j % 2 ? j / 2 + 1 : j / 2 - 1;
    const size_t c = grid_at(&l->g, i / 2, j / 2);
    const float dot_group = l->interp_x[i % 2 ? c + 1 : c], across = l->interp_z[j % 2 ? c + l->g.stride : c];
    count = add_entry(p, count, c, value, 1.0f - dot_group - across);
    if (l->periodic_x || (0 <= x && x < nx))
        count = add_entry(p, count, grid_at(&l->g, wrap_index(x, nx), j / 2), value, dot_group);
    if (l->periodic_z || (0 <= z && z < nz))
        count = add_entry(p, count, grid_at(&l->g, i / 2, wrap_index(z, nz)), value, across);
    return count;
}

// Rows of group g times `which`, 0 or 1, from level n - 1 to level n; how many entries. Cells without an open face are not part
// of the level.
static int restrict_terms(const struct linear_solver *s, int n, int g, const float which[GROUP_TERMS],
                          struct term_entry *out)
{
    const struct linear_coarse_terms *d = s->coarse_terms;
    const struct restriction p = {&s->level[n], d->cell_slot, out};
    const struct grid *from = &s->level[n - 1].g;
    const double up = 1.0 / (double)from->stride; // a division for each entry would take longer than the rest
    const int *first = entry_starts(d, n - 1) + g;
    int met = 0, count = 0;
    for (int i = first[0]; i < first[1]; ++i) {
        const struct term_entry *e = &d->entries[i];
        const int at = (int)(e->cell - (uint32_t)from->origin), j = (int)((at + 0.5) * up);
        const float value[] = {which[0] * e->value[0], which[1] * e->value[1]};
        if (term_mask(value)) met = restrict_entry(&p, met, at - j * (int)from->stride, j, value);
    }
    for (int i = 0; i < met; ++i) {
        const struct term_entry e = out[i];
        d->cell_slot[e.cell] = 0;
        if (term_mask(e.value) && p.to->inv_diagonal[e.cell] > 0.0f) out[count++] = e;
    }
    return count;
}

// Sums are taken over entries in their order, which is that in which a row comes to its cells. It is the same for rows that
// have the same cells, as most have; others go one after the other.
static int restrict_group(const struct linear_solver *s, int n, int g, struct term_entry *out)
{
    static const float all[] = {1.0f, 1.0f}, one[][GROUP_TERMS] = {{1.0f}, {0.0f, 1.0f}};
    const struct linear_coarse_terms *d = s->coarse_terms;
    const int *first = entry_starts(d, n - 1) + g;
    int i = first[0], count = 0;
    while (i < first[1] && term_mask(d->entries[i].value) == term_mask(d->entries[first[0]].value)) ++i;
    if (i == first[1]) return restrict_terms(s, n, g, all, out);
    for (int k = 0; k < GROUP_TERMS; ++k) count += restrict_terms(s, n, g, one[k], out + count);
    return count;
}

static bool restrict_all_levels(const struct linear_solver *s)
{
    struct linear_coarse_terms *d = s->coarse_terms;
    if (!load_finest_entries(s)) return false;
    int count = entry_starts(d, 0)[d->groups];
    for (int n = 1; n <= s->coarsest; ++n) {
        for (int g = 0; g < d->groups; ++g) {
            const int *from = entry_starts(d, n - 1) + g;
            entry_starts(d, n)[g] = count;
            // a value goes to three cells at most; and one in vain
            if (!reserve_entries(s, count + 3.0 * GROUP_TERMS * (from[1] - from[0]) + 1.0)) return false;
            count += restrict_group(s, n, g, d->entries + count);
        }
        entry_starts(d, n)[d->groups] = count;
    }
    return true;
}

// How much of each term level n should know. With B = D^-1/2 J C^1/2, D the diagonal of A, no eigenvalue of K B^T B is larger
// than the largest sum of sizes of a row of it, nor than what this gives without signs: a diagonal K that makes none of them
// larger than PART will do. Sweeps make up to about twice as much of J as D^-1 does (crowds of discs at 100^2 .. 512^2: 1.3
// to 2.0 times).
static void choose_level_weights(const struct linear_solver *s, int n)
{
    const struct linear_coarse_terms *d = s->coarse_terms;
    const struct linear_level *l = &s->level[n];
    const int *first = entry_starts(d, n);
    for (int i = first[0]; i < first[d->groups]; ++i) l->x[d->entries[i].cell] = 0.0f;
    for (int g = 0; g < d->groups; ++g) {
        const double *root = d->sqrt_weight + g * GROUP_TERMS;
        const float a = (float)root[0], b = (float)root[1];
        for (int i = first[g]; i < first[g + 1]; ++i) {
            const struct term_entry *e = &d->entries[i];
            float *x = &l->x[e->cell];
            *x = (*x + a * fabsf(e->value[0])) + b * fabsf(e->value[1]);
        }
    }
    for (int g = 0; g < d->groups; ++g) {
        double sum[GROUP_TERMS] = {0};
        for (int i = first[g]; i < first[g + 1]; ++i) {
            const struct term_entry *e = &d->entries[i];
            const float x = l->x[e->cell], inverse = l->inv_diagonal[e->cell];
            sum[0] += (double)(x * fabsf(e->value[0]) * inverse);
            sum[1] += (double)(x * fabsf(e->value[1]) * inverse);
        }
        for (int k = 0; k < GROUP_TERMS; ++k) {
            const double c = d->weight[g * GROUP_TERMS + k],
                         size = sum[k] * d->sqrt_weight[g * GROUP_TERMS + k];
            level_values(d, d->level_weight, n)[g * GROUP_TERMS + k] =
                size > MAX_TERM_SHARE ? c * (MAX_TERM_SHARE / size) : c;
        }
    }
}

// Those of the coarsest level by its unknowns.
static bool index_coarse_entries(const struct linear_solver *s)
{
    struct linear_coarse_terms *d = s->coarse_terms;
    const struct linear_level *l = &s->level[s->coarsest];
    const int *first = entry_starts(d, s->coarsest);
    const double most = (double)GROUP_TERMS * (first[d->groups] - first[0]);
    int count = 0;
    if (most > INT32_MAX || !memory_grow(&s->memory, (void **)&d->coarse_entries, &d->coarse_capacity,
                                         (int)most, sizeof *d->coarse_entries))
        return false;
    for (int g = 0; g < d->groups; ++g)
        for (int t = d->group_start[g]; t < d->group_start[g + 1]; ++t) {
            d->coarse_start[t] = count;
            for (int i = first[g]; i < first[g + 1]; ++i) {
                const float value = d->entries[i].value[t - d->group_start[g]];
                const uint32_t at = d->entries[i].cell - (uint32_t)l->g.origin,
                               stride = (uint32_t)l->g.stride;
                if (value == 0.0f) continue;
                d->coarse_entries[count++] = (struct sparse_entry){
                    coarse_row_start(l, (int)(at / stride)) + (int)(at % stride), (double)value};
            }
        }
    d->coarse_start[d->count] = count;
    return true;
}

// The coarsest level's entries of term t; how many.
static int coarse_entries_of(const struct linear_solver *s, int t, const struct sparse_entry **out)
{
    const struct linear_coarse_terms *d = s->coarse_terms;
    *out = d->coarse_entries + d->coarse_start[t];
    return d->coarse_start[t + 1] - d->coarse_start[t];
}

// Columns t .. t + DIRECT_GROUP - 1 of C^-1 + J^T A^-1 J, from the diagonal on.
static void capacitance_columns(const struct linear_solver *s, int t)
{
    struct linear_coarse_terms *d = s->coarse_terms;
    const struct banded_kernels *k = KERNELS_SELECT(banded_kernels);
    const int end = imin(t + BANDED_RHS, d->count);
    const struct sparse_entry *e;
    int first = s->coarse->size - 1, last = first;
    memset(d->rhs_block, 0, (size_t)s->coarse->size * BANDED_RHS * sizeof *d->rhs_block);
    for (int u = t; u < d->count; ++u)
        for (int i = 0, n = coarse_entries_of(s, u, &e); i < n; ++i) {
            last = imin(last, e[i].index);
            if (u >= end) continue;
            first = imin(first, e[i].index);
            d->rhs_block[e[i].index * BANDED_RHS + u - t] = e[i].value;
        }
    k->solve_block(s->coarse, first, last, d->rhs_block);
    for (int u = t; u < d->count; ++u) {
        double sum[BANDED_RHS] = {0};
        const int n = coarse_entries_of(s, u, &e);
        if (u < end) sum[u - t] = 1.0 / s->terms[d->order[u]].weight;
        k->dot_block(e, n, d->rhs_block, sum);
        for (int q = t; q < end && q <= u; ++q)
            d->capacitance.a[(size_t)q * (size_t)d->count + (size_t)(u - q)] = sum[q - t];
    }
}

// How far apart unknowns of a term are at most.
static int required_band(const struct linear_solver *s)
{
    int most = s->coarse->bandwidth;
    for (int t = 0; t < s->coarse_terms->count; ++t) {
        const struct sparse_entry *e;
        const int n = coarse_entries_of(s, t, &e);
        int low = n > 0 ? e[0].index : 0, high = low;
        for (int i = 1; i < n; ++i) low = imin(low, e[i].index), high = imax(high, e[i].index);
        most = imax(most, high - low);
    }
    return most;
}

static void sort_entries(struct sparse_entry *e, int n)
{
    for (int i = 1; i < n; ++i) {
        const struct sparse_entry next = e[i];
        int k = i;
        for (; k > 0 && e[k - 1].index > next.index; --k) e[k] = e[k - 1];
        e[k] = next;
    }
}

// Terms into the matrix of the coarsest level, where that takes less than to solve for each of them. False if not.
static bool merge_into_matrix(struct linear_solver *s)
{
    const struct linear_coarse_terms *d = s->coarse_terms;
    const int band = required_band(s);
    const double cells = s->coarse->size, count = d->count;
    if (cells * band * band > count * count * count / 3.0 || !coarse_widen_band(s, band)) return false;
    for (int t = 0; t < d->count; ++t) {
        struct sparse_entry *e = d->coarse_entries + d->coarse_start[t];
        const int n = d->coarse_start[t + 1] - d->coarse_start[t];
        sort_entries(e, n);
        for (int i = 0; i < n; ++i) {
            const double k = s->terms[d->order[t]].weight * e[i].value;
            double *column = s->coarse->a + (size_t)e[i].index * (size_t)(band + 1);
            for (int m = i; m < n; ++m) column[e[m].index - e[i].index] += k * e[m].value;
        }
    }
    KERNELS_SELECT(banded_kernels)->factor(s->coarse);
    return s->coarse->is_factored = true;
}

// C^-1 + J^T A^-1 J. False without memory.
static bool build_capacitance(struct linear_solver *s)
{
    struct linear_coarse_terms *d = s->coarse_terms;
    const struct memory *m = &s->memory;
    const int group = s->coarse->size * BANDED_RHS;
    if (!memory_grow(m, (void **)&d->rhs_block, &d->rhs_block_capacity, group, sizeof *d->rhs_block) ||
        !memory_grow(m, (void **)&d->capacitance.a, &d->capacitance.a_capacity, d->count * d->count,
                     sizeof *d->capacitance.a) ||
        !memory_grow(m, (void **)&d->capacitance.y, &d->capacitance.y_capacity, 2 * d->count,
                     sizeof *d->capacitance.y))
        return false;
    d->capacitance.size = d->count;
    d->capacitance.bandwidth = d->count - 1;
    d->capacitance.pivot_tolerance = 1e-13;
    // What stands beyond the last row is multiplied by zeros, and by its pivot whenever it is factored: from 0 on it stays 0.
    memset(d->capacitance.a, 0, (size_t)d->count * (size_t)d->count * sizeof *d->capacitance.a);
    coarse_factor(s);
    for (int t = 0; t < d->count; t += BANDED_RHS) capacitance_columns(s, t);
    KERNELS_SELECT(banded_kernels)->factor(&d->capacitance);
    return true;
}

static bool reserve_terms(struct linear_solver *s, struct linear_coarse_terms *d)
{
    const struct memory *m = &s->memory;
    const int levels = s->coarsest + 1, terms = d->count, rows = d->groups * GROUP_TERMS;
    return memory_grow(m, (void **)&d->entry_start, &d->entry_start_capacity, levels * (d->groups + 1),
                       sizeof *d->entry_start) &&
           memory_grow(m, (void **)&d->cell_slot, &d->cell_slot_capacity,
                       (int)s->level[s->coarsest > 0].g.size, sizeof *d->cell_slot) &&
           memory_grow(m, (void **)&d->coarse_start, &d->coarse_start_capacity, terms + 1,
                       sizeof *d->coarse_start) &&
           memory_grow(m, (void **)&d->weight, &d->weight_capacity, rows, sizeof *d->weight) &&
           memory_grow(m, (void **)&d->sqrt_weight, &d->sqrt_weight_capacity, rows, sizeof *d->sqrt_weight) &&
           memory_grow(m, (void **)&d->level_weight, &d->level_weight_capacity, levels * rows,
                       sizeof *d->level_weight) &&
           memory_grow(m, (void **)&d->coefficient, &d->coefficient_capacity, levels * rows,
                       sizeof *d->coefficient);
}

// Terms of a group follow each other in the order. False without memory.
static bool find_groups(const struct linear_solver *s, struct linear_coarse_terms *d)
{
    d->groups = 0;
    if (!memory_grow(&s->memory, (void **)&d->group_start, &d->group_start_capacity, d->count + 1,
                     sizeof *d->group_start))
        return false;
    for (int t = 0; t < d->count; t += term_group_size(s, d->order[t])) d->group_start[d->groups++] = t;
    d->group_start[d->groups] = d->count;
    return true;
}

bool coarse_terms_setup(struct linear_solver *s, int count, bool all, const int *order)
{
    if (!s->coarse_terms && count > 0) s->coarse_terms = memory_alloc(&s->memory, 1, sizeof *s->coarse_terms);
    struct linear_coarse_terms *d = s->coarse_terms;
    const double n = count;
    if (!d) return count == 0;
    d->count = n * n * n > MAX_FACTOR_WORK ? 0 : count;
    d->on_all_levels = all;
    d->dropped = false;
    d->order = order;
    if (d->count == 0) return true;
    if (!find_groups(s, d) || !reserve_terms(s, d) || !restrict_all_levels(s) || !index_coarse_entries(s)) {
        d->count = 0;
        return false;
    }
    for (int k = 0; k < s->coarsest; ++k) choose_level_weights(s, k);
    d->merged_in_matrix = all && merge_into_matrix(s);
    if (d->merged_in_matrix || build_capacitance(s)) return true;
    d->count = 0;
    return false;
}

void coarse_terms_free(struct linear_solver *s)
{
    struct linear_coarse_terms *d = s->coarse_terms;
    const struct memory *m = &s->memory;
    if (!d) return;
    memory_free(m, d->group_start, (size_t)d->group_start_capacity, sizeof *d->group_start);
    memory_free(m, d->entry_start, (size_t)d->entry_start_capacity, sizeof *d->entry_start);
    memory_free(m, d->entries, (size_t)d->entry_capacity, sizeof *d->entries);
    memory_free(m, d->cell_slot, (size_t)d->cell_slot_capacity, sizeof *d->cell_slot);
    memory_free(m, d->coarse_start, (size_t)d->coarse_start_capacity, sizeof *d->coarse_start);
    memory_free(m, d->coarse_entries, (size_t)d->coarse_capacity, sizeof *d->coarse_entries);
    memory_free(m, d->weight, (size_t)d->weight_capacity, sizeof *d->weight);
    memory_free(m, d->sqrt_weight, (size_t)d->sqrt_weight_capacity, sizeof *d->sqrt_weight);
    memory_free(m, d->level_weight, (size_t)d->level_weight_capacity, sizeof *d->level_weight);
    memory_free(m, d->coefficient, (size_t)d->coefficient_capacity, sizeof *d->coefficient);
    memory_free(m, d->rhs_block, (size_t)d->rhs_block_capacity, sizeof *d->rhs_block);
    banded_free(&d->capacitance, m);
    memory_free(m, d, 1, sizeof *d);
}

static bool has_terms(const struct linear_solver *s)
{
    return s->coarse_terms && s->coarse_terms->count > 0 && s->term_count > 0;
}

bool coarse_terms_solve(struct linear_solver *s, const double *found)
{
    struct linear_coarse_terms *d = s->coarse_terms;
    if (!has_terms(s) || d->merged_in_matrix) return false;
    for (int t = 0; t < d->count; ++t) {
        const struct sparse_entry *e;
        double sum = 0.0;
        for (int i = 0, n = coarse_entries_of(s, t, &e); i < n; ++i) sum += e[i].value * found[e[i].index];
        d->capacitance.y[t] = sum;
    }
    KERNELS_SELECT(banded_kernels)->solve(&d->capacitance);
    return true;
}

void coarse_terms_subtract(const struct linear_solver *s, double *r)
{
    const struct linear_coarse_terms *d = s->coarse_terms;
    for (int t = 0; t < d->count; ++t) {
        const struct sparse_entry *e;
        for (int i = 0, n = coarse_entries_of(s, t, &e); i < n; ++i)
            r[e[i].index] -= e[i].value * d->capacitance.y[t];
    }
}

// ---- as part of a cycle ----

// J . v of a group's terms on level n
static void dot_group(const struct linear_coarse_terms *d, int n, int g, const float *v,
                      double out[GROUP_TERMS])
{
    const int *from = entry_starts(d, n) + g;
    double a = 0.0, b = 0.0;
    for (int i = from[0]; i < from[1]; ++i) {
        const struct term_entry *e = &d->entries[i];
        const float x = v[e->cell];
        a += (double)(e->value[0] * x), b += (double)(e->value[1] * x);
    }
    out[0] = a, out[1] = b;
}

// r -= J y
static void subtract_group(const struct linear_coarse_terms *d, int n, int g, const double *y, float *r)
{
    const int *from = entry_starts(d, n) + g;
    const float a = (float)y[0], b = (float)y[1];
    for (int i = from[0]; i < from[1]; ++i) {
        const struct term_entry *e = &d->entries[i];
        r[e->cell] = (r[e->cell] - a * e->value[0]) - b * e->value[1];
    }
}

bool cycle_has_terms(const struct linear_solver *s) { return has_terms(s) && s->coarse_terms->on_all_levels; }

bool cycle_drop_terms(struct linear_solver *s)
{
    struct linear_coarse_terms *d = s->coarse_terms;
    if (!cycle_has_terms(s) || d->dropped) return false;
    memset(d->level_weight, 0, (size_t)(s->coarsest * d->groups * GROUP_TERMS) * sizeof *d->level_weight);
    return d->dropped = true;
}

void cycle_terms_restrict(struct linear_solver *s, int n)
{
    struct linear_coarse_terms *d = s->coarse_terms;
    if (!cycle_has_terms(s)) return;
    const double *part = level_values(d, d->level_weight, n);
    double *y = level_values(d, d->coefficient, n), sum[GROUP_TERMS];
    for (int g = 0; g < d->groups; ++g, part += GROUP_TERMS, y += GROUP_TERMS) {
        dot_group(d, n, g, s->level[n].x, sum);
        for (int k = 0; k < GROUP_TERMS; ++k) y[k] = part[k] * sum[k];
        subtract_group(d, n + 1, g, y, s->level[n + 1].r);
    }
}

void cycle_terms_prolong(struct linear_solver *s, int n)
{
    struct linear_coarse_terms *d = s->coarse_terms;
    if (!cycle_has_terms(s)) return;
    const double *part = level_values(d, d->level_weight, n);
    double *y = level_values(d, d->coefficient, n), sum[GROUP_TERMS];
    for (int g = 0; g < d->groups; ++g, part += GROUP_TERMS, y += GROUP_TERMS) {
        dot_group(d, n + 1, g, s->level[n + 1].z, sum);
        for (int k = 0; k < GROUP_TERMS; ++k) y[k] += part[k] * sum[k];
        subtract_group(d, n, g, y, s->level[n].r);
    }
}

double cycle_terms_dot(const struct linear_solver *s)
{
    const struct linear_coarse_terms *d = s->coarse_terms;
    double total = 0.0, sum[GROUP_TERMS];
    if (!cycle_has_terms(s)) return 0.0;
    for (int g = 0; g < d->groups; ++g) {
        dot_group(d, 0, g, s->level[0].z, sum);
        for (int k = 0; k < GROUP_TERMS; ++k) total += d->coefficient[g * GROUP_TERMS + k] * sum[k];
    }
    return total;
}
