// Which cells hang together, and in which of these regions the constant is left open.
//
// Union-find over the cells in the order of their indices: `region` first points to a cell with a smaller index of the
// same region, a root to itself. Then it is the region's number.
#include "linear_level.h"

#include "base/math.h"

static uint32_t root_of(uint32_t *region, uint32_t c)
{
    while (region[c] != c) c = region[c] = region[region[c]];
    return c;
}

static void join(uint32_t *region, size_t a, size_t b)
{
    const uint32_t ra = root_of(region, (uint32_t)a), rb = root_of(region, (uint32_t)b);
    if (ra < rb)
        region[rb] = ra;
    else
        region[ra] = rb;
}

static void join_row(struct linear_solver *s, int j)
{
    const struct linear_level *l = &s->level[0];
    const struct grid *g = &l->g;
    const size_t n = g->stride, row = grid_at(g, 0, j);
    uint32_t begin = 0; // of cells that hang together along the row
    for (size_t c = row; c < row + (size_t)g->nx; ++c) {
        const bool west = c > row && l->west[c] > 0.0f;
        if (!west) {
            begin = (uint32_t)c;
            s->q[c] = 0.0; // nothing holds it yet
        }
        s->region[c] = begin;
        if (j == 0 || !(l->south[c] > 0.0f)) continue;
        // Around a corner with four open faces they are joined already.
        if (west && l->south[c - 1] > 0.0f && l->west[c - n] > 0.0f) continue;
        join(s->region, c, c - n);
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

// Roots of regions in which something holds the constant are marked in q.
static void hold(struct linear_solver *s, size_t c) { s->q[root_of(s->region, (uint32_t)c)] = 1.0; }

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

// A term holds the constant of a region over which its row does not add up to 0. Sums and sizes are kept in b and r.
static void find_term_holds(struct linear_solver *s)
{
    for (int n = 0; n < s->term_count; ++n) {
        const struct linear_term *t = &s->terms[n];
        if (!(t->c > 0.0)) continue;
        for (int pass = 0; pass < 3; ++pass)
            for (int i = 0; i < t->count; ++i) {
                if (!(s->level[0].inverse[t->at[i]] > 0.0f)) continue;
                const uint32_t root = root_of(s->region, (uint32_t)t->at[i]);
                if (pass == 0) s->b[root] = s->r[root] = 0.0;
                if (pass == 1) s->b[root] += t->row[i], s->r[root] += fabs(t->row[i]);
                if (pass == 2 && fabs(s->b[root]) > 1e-9 * s->r[root]) s->q[root] = 1.0;
            }
    }
}

// Regions of two cells at least, and open cells.
static size_t count_roots(struct linear_solver *s, size_t *held)
{
    const struct linear_level *l = &s->level[0];
    const struct grid *g = &l->g;
    size_t roots = 0, open = 0;
    *held = 0;
    for (int j = 0; j < g->nz; ++j)
        for (size_t c = grid_at(g, 0, j), end = c + (size_t)g->nx; c < end; ++c) {
            const bool in = l->inverse[c] > 0.0f;
            open += in;
            if (!in || s->region[c] != c) continue;
            ++roots;
            *held += s->q[c] > 0.0;
        }
    s->open = open;
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
                s->region[c] = open && !(s->q[c] > 0.0) ? ++s->regions : 0;
        }
}

// Every open cell has an alpha: nothing is left open.
static bool all_held(struct linear_solver *s)
{
    const struct linear_level *l = &s->level[0];
    const struct grid *g = &l->g;
    size_t open = 0, held = 0;
    for (int j = 0; j < g->nz; ++j)
        for (size_t c = grid_at(g, 0, j), end = c + (size_t)g->nx; c < end; ++c) {
            open += l->inverse[c] > 0.0f;
            held += l->alpha[c] > 0.0f;
        }
    s->open = open;
    return held == open;
}

void linear_find_regions(struct linear_solver *s)
{
    const struct grid *g = &s->level[0].g;
    s->regions = 0;
    s->whole = false;
    if (s->has_alpha && all_held(s)) return;
    for (int j = 0; j < g->nz; ++j) join_row(s, j);
    join_around(s);
    find_holds(s);
    find_term_holds(s);
    size_t held;
    const size_t roots = count_roots(s, &held);
    s->whole = roots == 1 && held == 0;
    if (s->whole)
        s->regions = 1; // no need to tell cells apart
    else if (held < roots)
        number_regions(s);
}

// A region has two cells at least, so q has room for its sum and its number of cells.
void linear_centre_regions(struct linear_solver *s, double *v)
{
    const struct grid *g = &s->level[0].g;
    double *sum = s->q, *cells = s->q + s->regions + 1;
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
