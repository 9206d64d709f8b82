// Which cells hang together, and in which of these regions the constant is left open.
//
// Union-find over runs of cells that hang together along a row, told by their first cell, in the order of their indices:
// `region` first points to a run with a smaller index of the same region, a root to itself. Only where that is not the
// end of it all cells point to their run; then it is the region's number.
#include "linear_level.h"

#include "base/math.h"

#include <string.h>

static uint32_t root_of(uint32_t *region, uint32_t c)
{
    while (region[c] != c) c = region[c] = region[region[c]];
    return c;
}

// False if they were one already.
static bool join(uint32_t *region, size_t a, size_t b)
{
    const uint32_t ra = root_of(region, (uint32_t)a), rb = root_of(region, (uint32_t)b);
    if (ra < rb)
        region[rb] = ra;
    else
        region[ra] = rb;
    return ra != rb;
}

// Eight cells at a time: their marks as one number.
enum { GROUP = 8 };

static uint64_t marks_of(const unsigned char *marks)
{
    uint64_t all;
    memcpy(&all, marks, sizeof all);
    return all;
}

static const uint64_t WEST = LINEAR_TO_WEST * UINT64_C(0x0101010101010101),
                      BOTH = (LINEAR_TO_WEST | LINEAR_TO_SOUTH) * UINT64_C(0x0101010101010101);

// All faces around the eight cells that begin at c, south and west of them, are open, so they hang together with their
// neighbours already: nothing to do, and none of them is a root.
static bool plain(const unsigned char *marks, size_t c, size_t n)
{
    return marks_of(marks + c) == BOTH && (marks_of(marks + c - n) & WEST) == WEST &&
           (marks[c - 1] & LINEAR_TO_SOUTH);
}

static bool begins(const struct linear_solver *s, size_t row, size_t c)
{
    return c == row || !(s->marks[c] & LINEAR_TO_WEST);
}

// How many more regions there are then: runs of open cells less those that are joined.
static int join_row(struct linear_solver *s, int j)
{
    int more = 0;
    const struct grid *g = &s->level[0].g;
    const unsigned char *marks = s->marks;
    const size_t n = g->stride, row = grid_at(g, 0, j), end = row + (size_t)g->nx;
    size_t here = row, below = row - n; // runs of this cell and of the one south of it
    for (size_t c = row; c < end; ++c) {
        if (c > row && j > 0 && c + GROUP <= end && plain(marks, c, n)) {
            c += GROUP - 1;
            continue;
        }
        const bool first = begins(s, row, c);
        if (first) {
            here = c;
            s->region[c] = (uint32_t)c;
            s->work[c] = 0.0; // nothing holds it yet
            more += s->level[0].inverse[c] > 0.0f;
        }
        if (j == 0) continue;
        if (begins(s, row - n, c - n)) below = c - n;
        if (!(marks[c] & LINEAR_TO_SOUTH)) continue;
        // Around a corner with four open faces they are joined already.
        if (!first && (marks[c - 1] & LINEAR_TO_SOUTH) && below != c - n) continue;
        more -= join(s->region, here, below);
    }
    return more;
}

// All cells point to their run.
static void spread(struct linear_solver *s)
{
    const struct grid *g = &s->level[0].g;
    for (int j = 0; j < g->nz; ++j) {
        const size_t row = grid_at(g, 0, j), end = row + (size_t)g->nx;
        for (size_t c = row, here = row; c < end; ++c) {
            if (begins(s, row, c))
                here = c;
            else
                s->region[c] = (uint32_t)here;
        }
    }
}

static void join_around(struct linear_solver *s)
{
    const struct linear_level *l = &s->level[0];
    const struct grid *g = &l->g;
    for (int j = 0; j < g->nz && l->wrap_x; ++j)
        if (l->west[grid_at(g, 0, j)] > 0.0f) join(s->region, grid_at(g, 0, j), grid_at(g, g->nx - 1, j));
    for (int i = 0; i < g->nx && l->wrap_z; ++i)
        if (l->south[grid_at(g, i, 0)] > 0.0f) join(s->region, grid_at(g, i, 0), grid_at(g, i, g->nz - 1));
}

// Roots of regions in which something holds the constant are marked in work.
static void hold(struct linear_solver *s, size_t c) { s->work[root_of(s->region, (uint32_t)c)] = 1.0; }

static void find_holds(struct linear_solver *s)
{
    const struct linear_level *l = &s->level[0];
    const struct grid *g = &l->g;
    for (int j = 0; j < g->nz && !l->wrap_x; ++j) {
        if (l->west[grid_at(g, 0, j)] > 0.0f) hold(s, grid_at(g, 0, j));
        if (l->west[grid_at(g, g->nx, j)] > 0.0f) hold(s, grid_at(g, g->nx - 1, j));
    }
    for (int i = 0; i < g->nx && !l->wrap_z; ++i) {
        if (l->south[grid_at(g, i, 0)] > 0.0f) hold(s, grid_at(g, i, 0));
        if (l->south[grid_at(g, i, g->nz)] > 0.0f) hold(s, grid_at(g, i, g->nz - 1));
    }
    for (int j = 0; j < g->nz && s->has_alpha; ++j)
        for (size_t c = grid_at(g, 0, j), end = c + (size_t)g->nx; c < end; ++c)
            if (l->alpha[c] > 0.0f) hold(s, c);
}

// Does a term hold the constant, all open cells being one region? As below.
static bool terms_hold(const struct linear_solver *s)
{
    for (int n = 0; n < s->term_count; ++n) {
        const struct linear_term *t = &s->terms[n];
        double sum = 0.0, size = 0.0, most = 0.0;
        for (int i = 0; i < t->count; ++i) {
            const double inverse = (double)s->level[0].inverse[t->at[i]];
            if (!(inverse > 0.0)) continue;
            sum += t->row[i], size += fabs(t->row[i]);
            most = inverse > most ? inverse : most;
        }
        if (fabs(sum) > 1e-9 * size && t->c * (sum * sum) * most > 1e-12) return true;
    }
    return false;
}

// A term holds the constant of a region over which its row does not add up to 0, to rounding: neither beside its own
// entries nor, all of it being rounding, as that of a disc's turning is, beside the weights of the grid. Sums and sizes
// are kept in b and z.
static void find_term_holds(struct linear_solver *s)
{
    float *size = s->level[0].z;
    for (int n = 0; n < s->term_count; ++n) {
        const struct linear_term *t = &s->terms[n];
        for (int pass = 0; pass < 3; ++pass)
            for (int i = 0; i < t->count; ++i) {
                const double inverse = (double)s->level[0].inverse[t->at[i]];
                if (!(inverse > 0.0)) continue;
                const uint32_t root = root_of(s->region, (uint32_t)t->at[i]);
                double *sum = &s->b[root];
                if (pass == 0) *sum = 0.0, size[root] = 0.0f;
                if (pass == 1) *sum += t->row[i], size[root] += (float)fabs(t->row[i]);
                if (pass != 2 || !(fabs(*sum) > 1e-9 * (double)size[root])) continue;
                if (t->c * (*sum * *sum) * inverse > 1e-12) s->work[root] = 1.0;
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
            if (c > row && j > 0 && c + GROUP <= end && plain(s->marks, c, g->stride)) {
                c += GROUP - 1;
                continue;
            }
            if (!begins(s, row, c) || s->region[c] != c || !(l->inverse[c] > 0.0f)) continue;
            ++roots;
            *held += s->work[c] > 0.0;
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
            const bool open = l->inverse[c] > 0.0f;
            if (to != c)
                s->region[c] = s->region[to]; // a cell before this one, which has its number
            else
                s->region[c] = open && !(s->work[c] > 0.0) ? ++s->regions : 0;
        }
}

void linear_find_regions(struct linear_solver *s, size_t with_alpha)
{
    const struct grid *g = &s->level[0].g;
    s->regions = 0;
    s->whole = false;
    if (s->has_alpha && with_alpha == s->open) return; // nothing is left open
    ptrdiff_t regions = 0;
    for (int j = 0; j < g->nz; ++j) regions += join_row(s, j);
    size_t roots = (size_t)regions, held;
    const bool one = roots == 1 && !s->leads_out && !s->has_alpha; // only terms may hold it
    s->whole = one && !terms_hold(s);
    held = one && !s->whole;
    if (!one) {
        spread(s);
        join_around(s);
        find_holds(s);
        find_term_holds(s);
        roots = count_roots(s, &held);
        s->whole = roots == 1 && held == 0;
    }
    if (s->whole)
        s->regions = 1; // no need to tell cells apart
    else if (held < roots)
        number_regions(s);
}

// A region has two cells at least, so work has room for its sum and its number of cells.
void linear_centre_regions(struct linear_solver *s, double *v)
{
    const struct grid *g = &s->level[0].g;
    double *sum = s->work, *cells = s->work + s->regions + 1;
    for (uint32_t k = 0; k <= s->regions; ++k) sum[k] = cells[k] = 0.0;
    for (int j = 0; j < g->nz; ++j)
        for (size_t c = grid_at(g, 0, j), end = c + (size_t)g->nx; c < end; ++c) {
            sum[s->region[c]] += v[c];
            cells[s->region[c]] += 1.0;
        }
    for (uint32_t k = 1; k <= s->regions; ++k) sum[k] /= cells[k];
    sum[0] = 0.0;
    for (int j = 0; j < g->nz; ++j)
        for (size_t c = grid_at(g, 0, j), end = c + (size_t)g->nx; c < end; ++c) v[c] -= sum[s->region[c]];
}
