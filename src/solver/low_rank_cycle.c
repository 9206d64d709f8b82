// Low-rank terms w J J^T inside the V-cycle. With W = diag(w), J the matrix of the restricted vectors and A
// the grid operator, the coarsest level is solved directly for A + J W J^T by the Woodbury formula
//
//     (A + J W J^T)^-1 r = A^-1 (r - J (W^-1 + J^T A^-1 J)^-1 J^T A^-1 r)
//
// or, where that is cheaper, with the terms added to the matrix: many terms of a few cells each only
// increase its bandwidth.
//
// On the other levels the smoothing sweeps S ignore the terms, but the residuals include a share k of them,
// P the prolongation:
//
//     down: x = S r, coarse r = P^T (r - A x) - (P^T J) k W J^T x
//     up:   r' = r - J k W (J^T x + (P^T J)^T z), sweeps with r' starting from x + P z
//
// So the V-cycle stays symmetric, and it stays positive definite as long as k W^1/2 J^T S J W^1/2 is well
// below 1; k is chosen for each level and term. 100 discs of 1.5 times the fluid's density need 5
// iterations, and 9 with terms on the coarsest level only.
#include "banded_rows.h"
#include "low_rank.h"

#include "base/math/math.h"

#include <string.h>

#define MAX_FACTOR_WORK \
    1e9                    // operations to factor W^-1 + J^T A^-1 J; above this limit the cycle ignores terms
#define MAX_TERM_SHARE 0.6 // see choose_level_weights()

enum { GROUP_TERMS = TERMS_PER_GROUP };

// J of a group's terms in one cell of a level; 0 for a second term that does not exist.
struct term_entry {
    float value[GROUP_TERMS];
    uint32_t cell;
};

struct linear_coarse_terms {
    int count;
    int groups;            // groups of up to GROUP_TERMS terms with the same cells
    bool on_all_levels;    // terms act on all levels, not only on the coarsest
    bool dropped;          // terms were removed from all levels but the coarsest
    bool merged_in_matrix; // the matrix of the coarsest level contains the terms
    const int *order;      // numbers of the terms in the system, borrowed
    int *group_start;      // group g: terms group_start[g] .. group_start[g + 1] - 1 of the order
    int *entry_start; // group g on level n: entries from entry_start[n (groups + 1) + g] to the next start
    struct term_entry *entries;
    int *cell_slot;    // cell -> number of its entry, from 1, while a group is restricted; 0 otherwise
    int *coarse_start; // term t on the coarsest level: coarse_entries[coarse_start[t]] .. the next start
    struct sparse_entry *coarse_entries; // by unknown number
    double *weight, *sqrt_weight;        // w and its square root, GROUP_TERMS per group
    double *level_weight;                // k w per level, GROUP_TERMS per group
    double *coefficient;                 // k w J . x per level, GROUP_TERMS per group
    double *rhs_block;                   // BANDED_RHS interleaved right-hand sides
    struct banded_ldlt capacitance;      // W^-1 + J^T A^-1 J
    int group_start_capacity, entry_start_capacity, entry_capacity, cell_slot_capacity, coarse_start_capacity,
        coarse_capacity, weight_capacity, sqrt_weight_capacity, level_weight_capacity, coefficient_capacity,
        rhs_block_capacity;
};

// Index of a neighbour on a periodic axis, without a division, which would dominate the run time.
static int wrap_index(int i, int n) { return i < 0 ? i + n : i < n ? i : i - n; }

// Bit k is set if term k of the group is nonzero.
static int term_mask(const float value[GROUP_TERMS]) { return (value[0] != 0.0f) | (value[1] != 0.0f) << 1; }

static int *entry_starts(const struct linear_coarse_terms *d, int n)
{
    return d->entry_start + n * (d->groups + 1);
}

// The values of level n.
static double *level_values(const struct linear_coarse_terms *d, double *values, int n)
{
    return values + n * d->groups * GROUP_TERMS;
}

static bool reserve_entries(struct linear_solver *s, double count)
{
    struct linear_coarse_terms *d = s->coarse_terms;
    return count < INT32_MAX &&
           memory_grow(&s->memory, (void **)&d->entries, &d->entry_capacity, (int)count, sizeof *d->entries);
}

// Weights and finest-level entries of all groups. Returns false without memory.
static bool load_finest_entries(struct linear_solver *s)
{
    struct linear_coarse_terms *d = s->coarse_terms;
    int count = 0;
    for (int g = 0; g < d->groups; ++g) {
        const struct low_rank_term *t = &s->terms[d->order[d->group_start[g]]];
        const int terms = d->group_start[g + 1] - d->group_start[g];
        entry_starts(d, 0)[g] = count;
        for (int k = 0; k < GROUP_TERMS; ++k) {
            d->weight[g * GROUP_TERMS + k] = k < terms ? t[k].weight : 0.0;
            d->sqrt_weight[g * GROUP_TERMS + k] = sqrt(d->weight[g * GROUP_TERMS + k]);
        }
        if (!reserve_entries(s, (double)count + t->count)) return false;
        for (int i = 0; i < t->count; ++i) {
            struct term_entry e = {.cell = (uint32_t)t->cells[i]};
            for (int k = 0; k < terms; ++k) e.value[k] = (float)t[k].values[i];
            if (term_mask(e.value) && s->level[0].inv_diagonal[e.cell] > 0.0f) d->entries[count++] = e;
        }
    }
    entry_starts(d, 0)[d->groups] = count;
    return true;
}

// Target of the restriction of one group.
struct restriction {
    const struct linear_level *level;
    int *cell_slot;
    struct term_entry *out;
};

// Adds weight * value to cell c and returns the number of entries. A new entry is written in any case, which
// avoids an unpredictable branch.
static inline int add_entry(const struct restriction *p, int count, size_t c, const float value[GROUP_TERMS],
                            float weight)
{
    const int known = p->cell_slot[c], number = known ? known : count + 1;
    float *sum = p->out[number - 1].value;
    p->out[count] = (struct term_entry){.cell = (uint32_t)c};
    p->cell_slot[c] = number;
    sum[0] += value[0] * weight, sum[1] += value[1] * weight;
    return count + (known == 0);
}

// Transpose of the interpolation (multigrid_rows.c) of the fine cell (i, j). Cells outside the grid receive
// nothing.
static int restrict_entry(const struct restriction *p, int count, int i, int j,
                          const float value[GROUP_TERMS])
{
    const struct linear_level *l = p->level;
    const int nx = l->g.nx, nz = l->g.nz, i_side = i % 2 ? i / 2 + 1 : i / 2 - 1,
              j_side = j % 2 ? j / 2 + 1 : j / 2 - 1;
    const size_t c = grid_at(&l->g, i / 2, j / 2);
    const float share_x = l->interp_x[i % 2 ? c + 1 : c], share_z = l->interp_z[j % 2 ? c + l->g.stride : c];
    count = add_entry(p, count, c, value, 1.0f - share_x - share_z);
    if (l->periodic_x || (0 <= i_side && i_side < nx))
        count = add_entry(p, count, grid_at(&l->g, wrap_index(i_side, nx), j / 2), value, share_x);
    if (l->periodic_z || (0 <= j_side && j_side < nz))
        count = add_entry(p, count, grid_at(&l->g, i / 2, wrap_index(j_side, nz)), value, share_z);
    return count;
}

// Restricts the terms of group g, multiplied by the factors `select` (0 or 1), from level n - 1 to level n.
// Returns the number of entries. Inactive cells are left out.
static int restrict_terms(struct linear_solver *s, int n, int g, const float select[GROUP_TERMS],
                          struct term_entry *out)
{
    const struct linear_coarse_terms *d = s->coarse_terms;
    const struct restriction p = {&s->level[n], d->cell_slot, out};
    const struct grid *from = &s->level[n - 1].g;
    const double inv_stride = 1.0 / (double)from->stride; // a division per entry would dominate the run time
    const int *start = entry_starts(d, n - 1) + g;
    int visited = 0, count = 0;
    for (int i = start[0]; i < start[1]; ++i) {
        const struct term_entry *e = &d->entries[i];
        const int at = (int)(e->cell - (uint32_t)from->origin), j = (int)((at + 0.5) * inv_stride);
        const float value[] = {select[0] * e->value[0], select[1] * e->value[1]};
        if (term_mask(value)) visited = restrict_entry(&p, visited, at - j * (int)from->stride, j, value);
    }
    for (int i = 0; i < visited; ++i) {
        const struct term_entry e = out[i];
        d->cell_slot[e.cell] = 0;
        if (term_mask(e.value) && p.level->inv_diagonal[e.cell] > 0.0f) out[count++] = e;
    }
    return count;
}

// Later sums follow the order of the entries, which is the order in which a term reaches its cells. Terms
// with the same cells, the usual case, have the same order and are restricted together; others are
// restricted one after the other.
static int restrict_group(struct linear_solver *s, int n, int g, struct term_entry *out)
{
    static const float both[] = {1.0f, 1.0f}, single[][GROUP_TERMS] = {{1.0f}, {0.0f, 1.0f}};
    const struct linear_coarse_terms *d = s->coarse_terms;
    const int *start = entry_starts(d, n - 1) + g;
    int i = start[0], count = 0;
    while (i < start[1] && term_mask(d->entries[i].value) == term_mask(d->entries[start[0]].value)) ++i;
    if (i == start[1]) return restrict_terms(s, n, g, both, out);
    for (int k = 0; k < GROUP_TERMS; ++k) count += restrict_terms(s, n, g, single[k], out + count);
    return count;
}

static bool restrict_all_levels(struct linear_solver *s)
{
    struct linear_coarse_terms *d = s->coarse_terms;
    if (!load_finest_entries(s)) return false;
    int count = entry_starts(d, 0)[d->groups];
    for (int n = 1; n <= s->coarsest; ++n) {
        for (int g = 0; g < d->groups; ++g) {
            const int *from = entry_starts(d, n - 1) + g;
            entry_starts(d, n)[g] = count;
            // A value reaches at most three cells, and add_entry writes one entry past the end.
            if (!reserve_entries(s, count + 3.0 * GROUP_TERMS * (from[1] - from[0]) + 1.0)) return false;
            count += restrict_group(s, n, g, d->entries + count);
        }
        entry_starts(d, n)[d->groups] = count;
    }
    return true;
}

// Chooses the share k of each term on level n. With B = D^-1/2 J W^1/2, D the diagonal of A, and K =
// diag(k), Gershgorin's theorem bounds the eigenvalues of K B^T B by the largest row sum of absolute values,
// hence by that of K |B|^T |B|. k is chosen so that no row sum exceeds MAX_TERM_SHARE. The smoother S J is
// up to about twice as large as D^-1 J (many discs at 100^2 .. 512^2 cells: factors 1.3 to 2.0).
static void choose_level_weights(struct linear_solver *s, int n)
{
    const struct linear_coarse_terms *d = s->coarse_terms;
    const struct linear_level *l = &s->level[n];
    const int *start = entry_starts(d, n);
    for (int i = start[0]; i < start[d->groups]; ++i) l->x[d->entries[i].cell] = 0.0f;
    for (int g = 0; g < d->groups; ++g) {
        const double *sqrt_weight = d->sqrt_weight + g * GROUP_TERMS;
        const float sqrt_w0 = (float)sqrt_weight[0], sqrt_w1 = (float)sqrt_weight[1];
        for (int i = start[g]; i < start[g + 1]; ++i) {
            const struct term_entry *e = &d->entries[i];
            float *x = &l->x[e->cell];
            *x = (*x + sqrt_w0 * fabsf(e->value[0])) + sqrt_w1 * fabsf(e->value[1]);
        }
    }
    for (int g = 0; g < d->groups; ++g) {
        double sum[GROUP_TERMS] = {0};
        for (int i = start[g]; i < start[g + 1]; ++i) {
            const struct term_entry *e = &d->entries[i];
            const float x = l->x[e->cell], inv_diagonal = l->inv_diagonal[e->cell];
            sum[0] += (double)(x * fabsf(e->value[0]) * inv_diagonal);
            sum[1] += (double)(x * fabsf(e->value[1]) * inv_diagonal);
        }
        for (int k = 0; k < GROUP_TERMS; ++k) {
            const double weight = d->weight[g * GROUP_TERMS + k],
                         row_sum = sum[k] * d->sqrt_weight[g * GROUP_TERMS + k];
            level_values(d, d->level_weight, n)[g * GROUP_TERMS + k] =
                row_sum > MAX_TERM_SHARE ? weight * (MAX_TERM_SHARE / row_sum) : weight;
        }
    }
}

// The entries of the coarsest level by unknown number. Returns false without memory.
static bool index_coarse_entries(struct linear_solver *s)
{
    struct linear_coarse_terms *d = s->coarse_terms;
    const struct linear_level *l = &s->level[s->coarsest];
    const int *start = entry_starts(d, s->coarsest);
    const double max_entries = (double)GROUP_TERMS * (start[d->groups] - start[0]);
    int count = 0;
    if (max_entries > INT32_MAX || !memory_grow(&s->memory, (void **)&d->coarse_entries, &d->coarse_capacity,
                                                (int)max_entries, sizeof *d->coarse_entries))
        return false;
    for (int g = 0; g < d->groups; ++g)
        for (int t = d->group_start[g]; t < d->group_start[g + 1]; ++t) {
            d->coarse_start[t] = count;
            for (int i = start[g]; i < start[g + 1]; ++i) {
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

// The entries of term t on the coarsest level; returns their number.
static int coarse_entries_of(const struct linear_solver *s, int t, const struct sparse_entry **out)
{
    const struct linear_coarse_terms *d = s->coarse_terms;
    *out = d->coarse_entries + d->coarse_start[t];
    return d->coarse_start[t + 1] - d->coarse_start[t];
}

// Columns t .. t + BANDED_RHS - 1 of W^-1 + J^T A^-1 J, from the diagonal on.
static void capacitance_columns(struct linear_solver *s, int t)
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

// The bandwidth of the coarsest matrix with the terms: the largest distance of two unknowns of a term.
static int required_band(const struct linear_solver *s)
{
    int bandwidth = s->coarse->bandwidth;
    for (int t = 0; t < s->coarse_terms->count; ++t) {
        const struct sparse_entry *e;
        const int n = coarse_entries_of(s, t, &e);
        int low = n > 0 ? e[0].index : 0, high = low;
        for (int i = 1; i < n; ++i) low = imin(low, e[i].index), high = imax(high, e[i].index);
        bandwidth = imax(bandwidth, high - low);
    }
    return bandwidth;
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

// Adds the terms to the matrix of the coarsest level if factoring that costs less than the capacitance
// matrix. Returns false otherwise, or without memory.
static bool merge_into_matrix(struct linear_solver *s)
{
    const struct linear_coarse_terms *d = s->coarse_terms;
    const int bandwidth = required_band(s);
    const double cells = s->coarse->size, count = d->count;
    if (cells * bandwidth * bandwidth > count * count * count / 3.0 || !coarse_widen_band(s, bandwidth))
        return false;
    for (int t = 0; t < d->count; ++t) {
        struct sparse_entry *e = d->coarse_entries + d->coarse_start[t];
        const int n = d->coarse_start[t + 1] - d->coarse_start[t];
        sort_entries(e, n);
        for (int i = 0; i < n; ++i) {
            const double factor = s->terms[d->order[t]].weight * e[i].value;
            double *column = s->coarse->a + (size_t)e[i].index * (size_t)(bandwidth + 1);
            for (int m = i; m < n; ++m) column[e[m].index - e[i].index] += factor * e[m].value;
        }
    }
    KERNELS_SELECT(banded_kernels)->factor(s->coarse);
    return s->coarse->is_factored = true;
}

// Assembles and factors W^-1 + J^T A^-1 J. Returns false without memory.
static bool build_capacitance(struct linear_solver *s)
{
    struct linear_coarse_terms *d = s->coarse_terms;
    const struct memory *m = &s->memory;
    const int rhs_size = s->coarse->size * BANDED_RHS;
    if (!memory_grow(m, (void **)&d->rhs_block, &d->rhs_block_capacity, rhs_size, sizeof *d->rhs_block) ||
        !memory_grow(m, (void **)&d->capacitance.a, &d->capacitance.a_capacity, d->count * d->count,
                     sizeof *d->capacitance.a) ||
        !memory_grow(m, (void **)&d->capacitance.y, &d->capacitance.y_capacity, 2 * d->count,
                     sizeof *d->capacitance.y))
        return false;
    d->capacitance.size = d->count;
    d->capacitance.bandwidth = d->count - 1;
    d->capacitance.pivot_tolerance = 1e-13;
    // Entries past the last row are multiplied by zeros, so they must be finite. They are set to 0 here and
    // remain 0 in the factorisation.
    memset(d->capacitance.a, 0, (size_t)d->count * (size_t)d->count * sizeof *d->capacitance.a);
    coarse_factor(s);
    for (int t = 0; t < d->count; t += BANDED_RHS) capacitance_columns(s, t);
    KERNELS_SELECT(banded_kernels)->factor(&d->capacitance);
    return true;
}

static bool reserve_terms(struct linear_solver *s, struct linear_coarse_terms *d)
{
    const struct memory *m = &s->memory;
    const int levels = s->coarsest + 1, terms = d->count, values = d->groups * GROUP_TERMS;
    return memory_grow(m, (void **)&d->entry_start, &d->entry_start_capacity, levels * (d->groups + 1),
                       sizeof *d->entry_start) &&
           memory_grow(m, (void **)&d->cell_slot, &d->cell_slot_capacity,
                       (int)s->level[s->coarsest > 0].g.size, sizeof *d->cell_slot) &&
           memory_grow(m, (void **)&d->coarse_start, &d->coarse_start_capacity, terms + 1,
                       sizeof *d->coarse_start) &&
           memory_grow(m, (void **)&d->weight, &d->weight_capacity, values, sizeof *d->weight) &&
           memory_grow(m, (void **)&d->sqrt_weight, &d->sqrt_weight_capacity, values,
                       sizeof *d->sqrt_weight) &&
           memory_grow(m, (void **)&d->level_weight, &d->level_weight_capacity, levels * values,
                       sizeof *d->level_weight) &&
           memory_grow(m, (void **)&d->coefficient, &d->coefficient_capacity, levels * values,
                       sizeof *d->coefficient);
}

// The terms of a group are adjacent in the order. Returns false without memory.
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

bool coarse_terms_setup(struct linear_solver *s, int count, bool on_all_levels, const int *order)
{
    if (!s->coarse_terms && count > 0) s->coarse_terms = memory_alloc(&s->memory, 1, sizeof *s->coarse_terms);
    struct linear_coarse_terms *d = s->coarse_terms;
    const double n = count;
    if (!d) return count == 0;
    d->count = n * n * n > MAX_FACTOR_WORK ? 0 : count;
    d->on_all_levels = on_all_levels;
    d->dropped = false;
    d->order = order;
    if (d->count == 0) return true;
    if (!find_groups(s, d) || !reserve_terms(s, d) || !restrict_all_levels(s) || !index_coarse_entries(s)) {
        d->count = 0;
        return false;
    }
    for (int k = 0; k < s->coarsest; ++k) choose_level_weights(s, k);
    d->merged_in_matrix = on_all_levels && merge_into_matrix(s);
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

bool coarse_terms_solve(struct linear_solver *s, const double *solution)
{
    struct linear_coarse_terms *d = s->coarse_terms;
    if (!has_terms(s) || d->merged_in_matrix) return false;
    for (int t = 0; t < d->count; ++t) {
        const struct sparse_entry *e;
        double sum = 0.0;
        for (int i = 0, n = coarse_entries_of(s, t, &e); i < n; ++i) sum += e[i].value * solution[e[i].index];
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

// ---- terms in the V-cycle ----

// J . v for the terms of group g on level n.
static void dot_group(const struct linear_coarse_terms *d, int n, int g, const float *v,
                      double out[GROUP_TERMS])
{
    const int *start = entry_starts(d, n) + g;
    double a = 0.0, b = 0.0;
    for (int i = start[0]; i < start[1]; ++i) {
        const struct term_entry *e = &d->entries[i];
        const float x = v[e->cell];
        a += (double)(e->value[0] * x), b += (double)(e->value[1] * x);
    }
    out[0] = a, out[1] = b;
}

// r -= J y for the terms of group g on level n.
static void subtract_group(const struct linear_coarse_terms *d, int n, int g, const double *y, float *r)
{
    const int *start = entry_starts(d, n) + g;
    const float y0 = (float)y[0], y1 = (float)y[1];
    for (int i = start[0]; i < start[1]; ++i) {
        const struct term_entry *e = &d->entries[i];
        r[e->cell] = (r[e->cell] - y0 * e->value[0]) - y1 * e->value[1];
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
    const double *weight = level_values(d, d->level_weight, n);
    double *coefficient = level_values(d, d->coefficient, n), jx[GROUP_TERMS];
    for (int g = 0; g < d->groups; ++g, weight += GROUP_TERMS, coefficient += GROUP_TERMS) {
        dot_group(d, n, g, s->level[n].x, jx);
        for (int k = 0; k < GROUP_TERMS; ++k) coefficient[k] = weight[k] * jx[k];
        subtract_group(d, n + 1, g, coefficient, s->level[n + 1].r);
    }
}

void cycle_terms_prolong(struct linear_solver *s, int n)
{
    struct linear_coarse_terms *d = s->coarse_terms;
    if (!cycle_has_terms(s)) return;
    const double *weight = level_values(d, d->level_weight, n);
    double *coefficient = level_values(d, d->coefficient, n), jx[GROUP_TERMS];
    for (int g = 0; g < d->groups; ++g, weight += GROUP_TERMS, coefficient += GROUP_TERMS) {
        dot_group(d, n + 1, g, s->level[n + 1].z, jx);
        for (int k = 0; k < GROUP_TERMS; ++k) coefficient[k] += weight[k] * jx[k];
        subtract_group(d, n, g, coefficient, s->level[n].r);
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
