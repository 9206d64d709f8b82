// Null space of the system: connected regions of cells in which nothing determines the constant, and the
// removal of their means.
//
// Connected components by union-find over runs. A run is a maximal set of connected cells in a row and is
// identified by its first cell. During the search region[c] of such a cell points to a run of the same
// region with a smaller index, that of a root to itself. If one region is not the result, all cells then
// point to their run, and finally region[c] becomes the number of the region.
#include "linear_internal.h"

#include "base/math/math.h"

#include <string.h>

static uint32_t find_root(uint32_t *region, uint32_t c)
{
    while (region[c] != c) c = region[c] = region[region[c]];
    return c;
}

// Returns false if both were in one region already.
static bool unite(uint32_t *region, size_t a, size_t b)
{
    const uint32_t ra = find_root(region, (uint32_t)a), rb = find_root(region, (uint32_t)b);
    if (ra < rb)
        region[rb] = ra;
    else
        region[ra] = rb;
    return ra != rb;
}

// The marks of eight cells are read as one word.
enum { MARKS_PER_WORD = 8 };

static uint64_t load_marks(const unsigned char *marks)
{
    uint64_t word;
    memcpy(&word, marks, sizeof word);
    return word;
}

static const uint64_t ALL_WEST = LINEAR_OPEN_WEST * UINT64_C(0x0101010101010101),
                      ALL_BOTH = (LINEAR_OPEN_WEST | LINEAR_OPEN_SOUTH) * UINT64_C(0x0101010101010101);

// All west and south faces of the eight cells from c on are open, and so are the west faces of the cells
// south of them: the cells are connected to their neighbours through cells visited before, and none of them
// starts a run.
static bool is_interior_word(const unsigned char *marks, size_t c, size_t stride)
{
    return load_marks(marks + c) == ALL_BOTH && (load_marks(marks + c - stride) & ALL_WEST) == ALL_WEST &&
           (marks[c - 1] & LINEAR_OPEN_SOUTH);
}

// c is the first cell of its run; row is the first cell of its row.
static bool starts_run(const struct linear_solver *s, size_t row, size_t c)
{
    return c == row || !(s->open_faces[c] & LINEAR_OPEN_WEST);
}

// Finds the runs of row j and unites them with those of row j - 1. Returns the change of the number of
// regions: new runs of active cells minus unions.
static int unite_row(struct linear_solver *s, int j)
{
    int added = 0;
    const struct grid *g = &s->level[0].g;
    const unsigned char *marks = s->open_faces;
    const size_t stride = g->stride, row = grid_at(g, 0, j), end = row + (size_t)g->nx;
    size_t run = row, south_run = row - stride; // runs of this cell and of its south neighbour
    for (size_t c = row; c < end; ++c) {
        if (c > row && j > 0 && c + MARKS_PER_WORD <= end && is_interior_word(marks, c, stride)) {
            c += MARKS_PER_WORD - 1;
            continue;
        }
        const bool first = starts_run(s, row, c);
        if (first) {
            run = c;
            s->region[c] = (uint32_t)c;
            s->region_is_fixed[c] = 0.0; // its constant is not fixed yet
            added += s->level[0].inv_diagonal[c] > 0.0f;
        }
        if (j == 0) continue;
        if (starts_run(s, row - stride, c - stride)) south_run = c - stride;
        if (!(marks[c] & LINEAR_OPEN_SOUTH)) continue;
        // With four open faces around a corner the runs are united already.
        if (!first && (marks[c - 1] & LINEAR_OPEN_SOUTH) && south_run != c - stride) continue;
        added -= unite(s->region, run, south_run);
    }
    return added;
}

// region[c] of every cell becomes the first cell of its run.
static void point_cells_to_runs(struct linear_solver *s)
{
    const struct grid *g = &s->level[0].g;
    for (int j = 0; j < g->nz; ++j) {
        const size_t row = grid_at(g, 0, j), end = row + (size_t)g->nx;
        for (size_t c = row, run = row; c < end; ++c) {
            if (starts_run(s, row, c))
                run = c;
            else
                s->region[c] = (uint32_t)run;
        }
    }
}

static void unite_periodic(struct linear_solver *s)
{
    const struct linear_level *l = &s->level[0];
    const struct grid *g = &l->g;
    for (int j = 0; j < g->nz && l->periodic_x; ++j)
        if (l->coef_x[grid_at(g, 0, j)] > 0.0f) unite(s->region, grid_at(g, 0, j), grid_at(g, g->nx - 1, j));
    for (int i = 0; i < g->nx && l->periodic_z; ++i)
        if (l->coef_z[grid_at(g, i, 0)] > 0.0f) unite(s->region, grid_at(g, i, 0), grid_at(g, i, g->nz - 1));
}

// region_is_fixed[root] = 1 marks a region whose constant is fixed: by a Dirichlet side, alpha > 0 or a low-rank
// term.
static void mark_fixed(struct linear_solver *s, size_t c)
{
    s->region_is_fixed[find_root(s->region, (uint32_t)c)] = 1.0;
}

static void mark_fixed_regions(struct linear_solver *s)
{
    const struct linear_level *l = &s->level[0];
    const struct grid *g = &l->g;
    for (int j = 0; j < g->nz && !l->periodic_x; ++j) {
        if (l->coef_x[grid_at(g, 0, j)] > 0.0f) mark_fixed(s, grid_at(g, 0, j));
        if (l->coef_x[grid_at(g, g->nx, j)] > 0.0f) mark_fixed(s, grid_at(g, g->nx - 1, j));
    }
    for (int i = 0; i < g->nx && !l->periodic_z; ++i) {
        if (l->coef_z[grid_at(g, i, 0)] > 0.0f) mark_fixed(s, grid_at(g, i, 0));
        if (l->coef_z[grid_at(g, i, g->nz)] > 0.0f) mark_fixed(s, grid_at(g, i, g->nz - 1));
    }
    for (int j = 0; j < g->nz && s->has_alpha; ++j)
        for (size_t c = grid_at(g, 0, j), end = c + (size_t)g->nx; c < end; ++c)
            if (l->alpha[c] > 0.0f) mark_fixed(s, c);
}

// Whether a term fixes the constant if all active cells are one region. Criterion: see
// mark_regions_fixed_by_terms.
static bool terms_fix_constant(const struct linear_solver *s)
{
    for (int n = 0; n < s->term_count; ++n) {
        const struct low_rank_term *t = &s->terms[n];
        double sum = 0.0, abs_sum = 0.0, max_inverse = 0.0;
        for (int i = 0; i < t->count; ++i) {
            const double inverse = (double)s->level[0].inv_diagonal[t->cells[i]];
            if (!(inverse > 0.0)) continue;
            sum += t->values[i], abs_sum += fabs(t->values[i]);
            max_inverse = inverse > max_inverse ? inverse : max_inverse;
        }
        if (fabs(sum) > 1e-9 * abs_sum && t->weight * (sum * sum) * max_inverse > 1e-12) return true;
    }
    return false;
}

// A term fixes the constant of a region if the sum of J over the region is not 0. Rounding errors are
// excluded by two thresholds: |sum J| > 1e-9 sum |J|, and w (sum J)^2 > 1e-12 diagonal; the second one
// rejects a J that is rounding noise altogether, such as the rotation of a disc. Sums and sums of absolute
// values are kept in b and z.
static void mark_regions_fixed_by_terms(struct linear_solver *s)
{
    float *abs_sum = s->level[0].z;
    for (int n = 0; n < s->term_count; ++n) {
        const struct low_rank_term *t = &s->terms[n];
        for (int stage = 0; stage < 3; ++stage)
            for (int i = 0; i < t->count; ++i) {
                const double inverse = (double)s->level[0].inv_diagonal[t->cells[i]];
                if (!(inverse > 0.0)) continue;
                const uint32_t root = find_root(s->region, (uint32_t)t->cells[i]);
                double *sum = &s->b[root];
                if (stage == 0) *sum = 0.0, abs_sum[root] = 0.0f;
                if (stage == 1) *sum += t->values[i], abs_sum[root] += (float)fabs(t->values[i]);
                if (stage != 2 || !(fabs(*sum) > 1e-9 * (double)abs_sum[root])) continue;
                if (t->weight * (*sum * *sum) * inverse > 1e-12) s->region_is_fixed[root] = 1.0;
            }
    }
}

// Number of regions, which have at least two cells each, and of those whose constant is fixed.
static size_t count_roots(struct linear_solver *s, size_t *fixed)
{
    const struct linear_level *l = &s->level[0];
    const struct grid *g = &l->g;
    size_t roots = 0;
    *fixed = 0;
    for (int j = 0; j < g->nz; ++j) {
        const size_t row = grid_at(g, 0, j), end = row + (size_t)g->nx;
        for (size_t c = row; c < end; ++c) {
            if (c > row && j > 0 && c + MARKS_PER_WORD <= end &&
                is_interior_word(s->open_faces, c, g->stride)) {
                c += MARKS_PER_WORD - 1;
                continue;
            }
            if (!starts_run(s, row, c) || s->region[c] != c || !(l->inv_diagonal[c] > 0.0f)) continue;
            ++roots;
            *fixed += s->region_is_fixed[c] > 0.0;
        }
    }
    return roots;
}

static void number_regions(struct linear_solver *s)
{
    const struct linear_level *l = &s->level[0];
    const struct grid *g = &l->g;
    for (int j = 0; j < g->nz; ++j)
        for (size_t c = grid_at(g, 0, j), end = c + (size_t)g->nx; c < end; ++c) {
            const uint32_t parent = s->region[c];
            const bool active = l->inv_diagonal[c] > 0.0f;
            if (parent != c)
                s->region[c] = s->region[parent]; // an earlier cell, which has its number already
            else
                s->region[c] = active && !(s->region_is_fixed[c] > 0.0) ? ++s->singular_count : 0;
        }
}

void null_space_find(struct linear_solver *s, size_t alpha_count)
{
    const struct grid *g = &s->level[0].g;
    s->singular_count = 0;
    s->single_singular = false;
    if (s->has_alpha && alpha_count == s->active_count) return; // alpha fixes every constant
    ptrdiff_t regions = 0;
    for (int j = 0; j < g->nz; ++j) regions += unite_row(s, j);
    size_t roots = (size_t)regions, fixed;
    const bool one_region =
        roots == 1 && !s->has_dirichlet_side && !s->has_alpha; // only terms can fix its constant
    s->single_singular = one_region && !terms_fix_constant(s);
    fixed = one_region && !s->single_singular;
    if (!one_region) {
        point_cells_to_runs(s);
        unite_periodic(s);
        mark_fixed_regions(s);
        mark_regions_fixed_by_terms(s);
        roots = count_roots(s, &fixed);
        s->single_singular = roots == 1 && fixed == 0;
    }
    if (s->single_singular)
        s->singular_count = 1; // cells need no numbers
    else if (fixed < roots)
        number_regions(s);
}

// A region has at least two cells, so that region_sums can store a sum and a number of cells for each region.
void null_space_remove_means(struct linear_solver *s, double *v)
{
    const struct grid *g = &s->level[0].g;
    double *sum = s->region_sums, *cells = s->region_sums + s->singular_count + 1;
    for (uint32_t k = 0; k <= s->singular_count; ++k) sum[k] = cells[k] = 0.0;
    for (int j = 0; j < g->nz; ++j)
        for (size_t c = grid_at(g, 0, j), end = c + (size_t)g->nx; c < end; ++c) {
            sum[s->region[c]] += v[c];
            cells[s->region[c]] += 1.0;
        }
    for (uint32_t k = 1; k <= s->singular_count; ++k) sum[k] /= cells[k];
    sum[0] = 0.0;
    for (int j = 0; j < g->nz; ++j)
        for (size_t c = grid_at(g, 0, j), end = c + (size_t)g->nx; c < end; ++c) v[c] -= sum[s->region[c]];
}
