// Which cells hang together, and in which of these regions the constant is left open.
//
// Union-find over runs of cells that hang together along a row, told by their first cell, in the order of their indices:
// `region` first points to a run with a smaller index of the same region, a root to itself. Only where that is not the
// end of it all cells point to their run; then it is the region's number.
#include "linear_internal.h"

#include "base/math.h"

#include <string.h>

static uint32_t find_root(uint32_t *region, uint32_t c)
{
    while (region[c] != c) c = region[c] = region[region[c]];
    return c;
}

// False if they were one already.
static bool unite(uint32_t *region, size_t a, size_t b)
{
    const uint32_t ra = find_root(region, (uint32_t)a), rb = find_root(region, (uint32_t)b);
    if (ra < rb)
        region[rb] = ra;
    else
        region[ra] = rb;
    return ra != rb;
}

// Eight cells at a time: their marks as one number.
enum { MARKS_PER_WORD = 8 };

static uint64_t load_marks(const unsigned char *marks)
{
    uint64_t all;
    memcpy(&all, marks, sizeof all);
    return all;
}

static const uint64_t WEST = LINEAR_OPEN_WEST * UINT64_C(0x0101010101010101),
                      BOTH = (LINEAR_OPEN_WEST | LINEAR_OPEN_SOUTH) * UINT64_C(0x0101010101010101);

// All faces around the eight cells that begin at c, south and west of them, are open, so they hang together with their
// neighbours already: nothing to do, and none of them is a root.
static bool is_interior_word(const unsigned char *marks, size_t c, size_t n)
{
    return load_marks(marks + c) == BOTH && (load_marks(marks + c - n) & WEST) == WEST &&
           (marks[c - 1] & LINEAR_OPEN_SOUTH);
}

static bool starts_run(const struct linear_solver *s, size_t row, size_t c)
{
    return c == row || !(s->open_faces[c] & LINEAR_OPEN_WEST);
}

// How many more regions there are then: runs of open cells less those that are joined.
static int unite_row(struct linear_solver *s, int j)
{
    int more = 0;
    const struct grid *g = &s->level[0].g;
    const unsigned char *marks = s->open_faces;
    const size_t n = g->stride, row = grid_at(g, 0, j), end = row + (size_t)g->nx;
    size_t here = row, below = row - n; // runs of this cell and of the one south of it
    for (size_t c = row; c < end; ++c) {
        if (c > row && j > 0 && c + MARKS_PER_WORD <= end && is_interior_word(marks, c, n)) {
            c += MARKS_PER_WORD - 1;
            continue;
        }
        const bool first = starts_run(s, row, c);
        if (first) {
            here = c;
            s->region[c] = (uint32_t)c;
            s->workspace[c] = 0.0; // nothing holds it yet
            more += s->level[0].inv_diagonal[c] > 0.0f;
        }
        if (j == 0) continue;
        if (starts_run(s, row - n, c - n)) below = c - n;
        if (!(marks[c] & LINEAR_OPEN_SOUTH)) continue;
        // Around a corner with four open faces they are joined already.
        if (!first && (marks[c - 1] & LINEAR_OPEN_SOUTH) && below != c - n) continue;
        more -= unite(s->region, here, below);
    }
    return more;
}

// All cells point to their run.
static void point_cells_to_runs(struct linear_solver *s)
{
    const struct grid *g = &s->level[0].g;
    for (int j = 0; j < g->nz; ++j) {
        const size_t row = grid_at(g, 0, j), end = row + (size_t)g->nx;
        for (size_t c = row, here = row; c < end; ++c) {
            if (starts_run(s, row, c))
                here = c;
            else
                s->region[c] = (uint32_t)here;
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

// Roots of regions in which something holds the constant are marked in work.
static void mark_fixed(struct linear_solver *s, size_t c)
{
    s->workspace[find_root(s->region, (uint32_t)c)] = 1.0;
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

// Does a term hold the constant, all open cells being one region? As below.
static bool terms_fix_constant(const struct linear_solver *s)
{
    for (int n = 0; n < s->term_count; ++n) {
        const struct low_rank_term *t = &s->terms[n];
        double sum = 0.0, size = 0.0, most = 0.0;
        for (int i = 0; i < t->count; ++i) {
            const double inverse = (double)s->level[0].inv_diagonal[t->cells[i]];
            if (!(inverse > 0.0)) continue;
            sum += t->values[i], size += fabs(t->values[i]);
            most = inverse > most ? inverse : most;
        }
        if (fabs(sum) > 1e-9 * size && t->weight * (sum * sum) * most > 1e-12) return true;
    }
    return false;
}

// A term holds the constant of a region over which its row does not add up to 0, to rounding: neither beside its own
// entries nor, all of it being rounding, as that of a disc's turning is, beside the weights of the grid. Sums and sizes
// are kept in b and z.
static void mark_regions_fixed_by_terms(struct linear_solver *s)
{
    float *size = s->level[0].z;
    for (int n = 0; n < s->term_count; ++n) {
        const struct low_rank_term *t = &s->terms[n];
        for (int pass = 0; pass < 3; ++pass)
            for (int i = 0; i < t->count; ++i) {
                const double inverse = (double)s->level[0].inv_diagonal[t->cells[i]];
                if (!(inverse > 0.0)) continue;
                const uint32_t root = find_root(s->region, (uint32_t)t->cells[i]);
                double *sum = &s->b[root];
                if (pass == 0) *sum = 0.0, size[root] = 0.0f;
                if (pass == 1) *sum += t->values[i], size[root] += (float)fabs(t->values[i]);
                if (pass != 2 || !(fabs(*sum) > 1e-9 * (double)size[root])) continue;
                if (t->weight * (*sum * *sum) * inverse > 1e-12) s->workspace[root] = 1.0;
            }
    }
}

// Regions of two cells at least.
static size_t count_roots(struct linear_solver *s, size_t *held)
{
    const struct linear_level *l = &s->level[0];
    const struct grid *g = &l->g;
    size_t roots = 0;
    *held = 0;
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
            *held += s->workspace[c] > 0.0;
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
            const uint32_t to = s->region[c];
            const bool open = l->inv_diagonal[c] > 0.0f;
            if (to != c)
                s->region[c] = s->region[to]; // a cell before this one, which has its number
            else
                s->region[c] = open && !(s->workspace[c] > 0.0) ? ++s->singular_count : 0;
        }
}

void null_space_find(struct linear_solver *s, size_t with_alpha)
{
    const struct grid *g = &s->level[0].g;
    s->singular_count = 0;
    s->single_singular = false;
    if (s->has_alpha && with_alpha == s->active_count) return; // nothing is left open
    ptrdiff_t regions = 0;
    for (int j = 0; j < g->nz; ++j) regions += unite_row(s, j);
    size_t roots = (size_t)regions, held;
    const bool one = roots == 1 && !s->has_dirichlet_side && !s->has_alpha; // only terms may hold it
    s->single_singular = one && !terms_fix_constant(s);
    held = one && !s->single_singular;
    if (!one) {
        point_cells_to_runs(s);
        unite_periodic(s);
        mark_fixed_regions(s);
        mark_regions_fixed_by_terms(s);
        roots = count_roots(s, &held);
        s->single_singular = roots == 1 && held == 0;
    }
    if (s->single_singular)
        s->singular_count = 1; // no need to tell cells apart
    else if (held < roots)
        number_regions(s);
}

// A region has two cells at least, so work has room for its sum and its number of cells.
void null_space_remove_means(struct linear_solver *s, double *v)
{
    const struct grid *g = &s->level[0].g;
    double *sum = s->workspace, *cells = s->workspace + s->singular_count + 1;
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
