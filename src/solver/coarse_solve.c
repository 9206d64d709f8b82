// Direct solution of the coarsest multigrid level: assembly of its banded matrix, factorisation, solve with
// the low-rank terms.
#include "banded_rows.h"

#include <string.h>

bool coarse_reserve(struct linear_solver *s, const struct linear_level *l)
{
    struct banded_ldlt *d = s->coarse;
    d->size = l->g.nx * l->g.nz;
    d->bandwidth = l->periodic_z ? 2 * l->g.nx : l->g.nx;
    return memory_grow(&s->memory, (void **)&d->a, &d->a_capacity, d->size * (d->bandwidth + 1),
                       sizeof *d->a) &&
           memory_grow(&s->memory, (void **)&d->y, &d->y_capacity, d->size + d->bandwidth, sizeof *d->y);
}

bool coarse_create(struct linear_solver *s, struct linear_level *l)
{
    s->coarse = memory_alloc(&s->memory, 1, sizeof *s->coarse);
    if (!s->coarse) return false;
    s->coarse->pivot_tolerance = 1e-11; // rounding errors of thousands of cells
    l->periodic_z = true;               // doubles the bandwidth
    return coarse_reserve(s, l);
}

void coarse_destroy(struct linear_solver *s)
{
    struct banded_ldlt *d = s->coarse;
    if (!d) return;
    banded_free(d, &s->memory);
    memory_free(&s->memory, d, 1, sizeof *d);
}

// With a periodic z axis the rows are numbered from both ends in turn, 0, n-1, 1, n-2, ..., so that the
// numbers of neighbouring rows differ by at most two.
int coarse_row_start(const struct linear_level *l, int j)
{
    const int n = l->g.nz;
    if (!l->periodic_z) return j * l->g.nx;
    return (2 * j < n ? 2 * j : 2 * (n - 1 - j) + 1) * l->g.nx;
}

// Adds the coupling of unknowns a and b. On a periodic axis of two cells they are coupled twice; on one of a
// single cell a == b, which couples nothing.
static void add_coupling(struct banded_ldlt *d, int a, int b, double coef)
{
    if (a == b) return;
    const int low = a < b ? a : b, high = a < b ? b : a;
    d->a[(size_t)low * (size_t)(d->bandwidth + 1) + (size_t)(high - low)] -= coef;
    if (d->row_sum_form) return;
    d->a[(size_t)a * (size_t)(d->bandwidth + 1)] += coef;
    d->a[(size_t)b * (size_t)(d->bandwidth + 1)] += coef;
}

static void assemble_coarse(struct banded_ldlt *d, const struct linear_level *l, bool has_alpha)
{
    const struct grid *g = &l->g;
    for (int j = 0; j < g->nz; ++j)
        for (int i = 0; i < g->nx; ++i) {
            const size_t c = grid_at(g, i, j);
            const int unknown = coarse_row_start(l, j) + i;
            double diagonal = has_alpha ? (double)l->alpha[c] : 0.0;
            if (i > 0 || l->periodic_x)
                add_coupling(d, unknown, coarse_row_start(l, j) + (i > 0 ? i : g->nx) - 1,
                             (double)l->coef_x[c]);
            else
                diagonal += (double)l->coef_x[c];
            if (j > 0 || l->periodic_z)
                add_coupling(d, unknown, coarse_row_start(l, (j > 0 ? j : g->nz) - 1) + i,
                             (double)l->coef_z[c]);
            else
                diagonal += (double)l->coef_z[c];
            if (i == g->nx - 1 && !l->periodic_x) diagonal += (double)l->coef_x[c + 1];
            if (j == g->nz - 1 && !l->periodic_z) diagonal += (double)l->coef_z[c + g->stride];
            d->a[(size_t)unknown * (size_t)(d->bandwidth + 1)] += diagonal;
        }
}

void coarse_factor(struct linear_solver *s)
{
    struct banded_ldlt *d = s->coarse;
    if (d->is_factored) return;
    memset(d->a, 0, (size_t)d->size * (size_t)(d->bandwidth + 1) * sizeof *d->a);
    d->row_sum_form = true;
    assemble_coarse(d, &s->level[s->coarsest], s->has_alpha);
    KERNELS_SELECT(banded_kernels)->factor(d);
    d->is_factored = true;
}

bool coarse_widen_band(struct linear_solver *s, int bandwidth)
{
    struct banded_ldlt *d = s->coarse;
    if (!memory_grow(&s->memory, (void **)&d->a, &d->a_capacity, d->size * (bandwidth + 1), sizeof *d->a) ||
        !memory_grow(&s->memory, (void **)&d->y, &d->y_capacity, d->size + bandwidth, sizeof *d->y))
        return false;
    d->bandwidth = bandwidth;
    d->row_sum_form = false; // terms will be added
    memset(d->a, 0, (size_t)d->size * (size_t)(bandwidth + 1) * sizeof *d->a);
    assemble_coarse(d, &s->level[s->coarsest], s->has_alpha);
    return true;
}

static void load_coarse_rhs(const struct linear_level *l, double *y)
{
    for (int j = 0; j < l->g.nz; ++j)
        for (int i = 0; i < l->g.nx; ++i) y[coarse_row_start(l, j) + i] = (double)l->r[grid_at(&l->g, i, j)];
}

double coarse_solve(struct linear_solver *s)
{
    double sum = 0.0;
    const struct linear_level *l = &s->level[s->coarsest];
    const struct grid *g = &l->g;
    struct banded_ldlt *d = s->coarse;
    coarse_factor(s);
    load_coarse_rhs(l, d->y);
    KERNELS_SELECT(banded_kernels)->solve(d);
    if (coarse_terms_solve(s, d->y)) {
        load_coarse_rhs(l, d->y);
        coarse_terms_subtract(s, d->y);
        KERNELS_SELECT(banded_kernels)->solve(d);
    }
    for (int j = 0; j < g->nz; ++j) {
        float *z = l->z + grid_at(g, 0, j);
        for (int i = 0; i < g->nx; ++i) z[i] = (float)d->y[coarse_row_start(l, j) + i];
        for (int i = 0; i < g->nx; ++i) sum += (double)l->r[grid_at(g, i, j)] * (double)z[i];
        z[-1] = l->periodic_x ? z[g->nx - 1] : 0.0f;
        z[g->nx] = l->periodic_x ? z[0] : 0.0f;
    }
    return sum;
}
