// The default kind: conjugate gradients with a V-cycle in float as preconditioner.
//
// Every level has half the cells of the finer one along each axis, down to 48 x 48 at most, which are solved at once.
// Four sweeps before and four after the coarse correction, together one polynomial of the matrix; restriction is the
// transpose of interpolation. So a cycle is a symmetric positive operator, whatever is closed, and conjugate gradients
// mend what it cannot do: around obstacles that the coarse grids do not see well only a few directions are left over.
// [tatebe1993] [mcadams2010]
//
// Coarser would be cheaper still, but rooms behind walls with narrow gaps then end up in one cell; in mazes the levels
// end even earlier.
//
// Interpolation takes three coarse values, exact for planes [kwak1999]; values of cells behind closed faces are
// replaced by the own one, so no mask is needed.
#include "direct_rows.h"
#include "linear_rows.h"
#include "multigrid_rows.h"

#include <math.h>
#include <string.h>

struct job {
    struct linear_solver *s;
    struct linear_level *l, *finer;
    struct linear_smooth smooth;
};

static void coarsen(void *ctx, int j0, int j1)
{
    const struct job *job = ctx;
    job->s->cycle->coarsen(job->finer, job->l, job->s->has_alpha, j0, j1);
}

static void invert(void *ctx, int j0, int j1)
{
    const struct job *job = ctx;
    job->s->cycle->share(job->finer, job->l, linear_scratch(job->s, job->l, j0), j0, j1);
    job->s->k->invert(job->l, job->s->has_alpha, job->s->sums, j0, j1);
}

// ---- the coarsest level ----

static bool direct_fit(struct linear_solver *s, const struct linear_level *l)
{
    struct direct *d = s->direct;
    d->cells = l->g.nx * l->g.nz;
    d->band = l->wrap_z ? 2 * l->g.nx : l->g.nx;
    return memory_grow(&s->memory, (void **)&d->a, &d->a_room, d->cells * (d->band + 1), sizeof *d->a) &&
           memory_grow(&s->memory, (void **)&d->y, &d->y_room, d->cells + d->band, sizeof *d->y);
}

static bool within(const struct linear_level *l, int most) { return l->g.nx <= most && l->g.nz <= most; }

// The coarsest level in use. A diagonal of their own makes systems kind, and those that have one change from step to
// step: then no more is solved at once than pays. So it is with many terms.
static int last_level(const struct linear_solver *s, bool has_alpha)
{
    const bool crowded = s->term_count > LINEAR_CROWD && linear_terms_light(s);
    const int most = crowded ? LINEAR_COARSEST_CROWDED : LINEAR_COARSEST_LASTING;
    int n = s->levels - 1;
    while (!has_alpha && n > 0 && within(&s->level[n - 1], most)) --n;
    return n;
}

// With room for the last level however its sides are.
static bool direct_create(struct linear_solver *s)
{
    struct linear_level *l = &s->level[last_level(s, false)];
    s->direct = memory_alloc(&s->memory, 1, sizeof *s->direct);
    if (!s->direct) return false;
    s->direct->nothing = 1e-11; // rounding of thousands of cells
    l->wrap_z = true;
    return direct_fit(s, l);
}

static void direct_destroy(struct linear_solver *s)
{
    struct direct *d = s->direct;
    if (!d) return;
    direct_free(d, &s->memory);
    memory_free(&s->memory, d, 1, sizeof *d);
}

// Number of the first cell of a row. Around a periodic axis rows are taken from both ends in turn, 0 n-1 1 n-2 ..., so
// that neighbours stay within two rows.
int multigrid_number(const struct linear_level *l, int j)
{
    const int n = l->g.nz;
    if (!l->wrap_z) return j * l->g.nx;
    return (2 * j < n ? 2 * j : 2 * (n - 1 - j) + 1) * l->g.nx;
}

// The entry of two neighbours. Two cells of a periodic axis are neighbours twice, one is its own.
static void couple_cells(struct direct *d, int a, int b, double weight)
{
    if (a == b) return;
    const int low = a < b ? a : b, high = a < b ? b : a;
    d->a[(size_t)low * (size_t)(d->band + 1) + (size_t)(high - low)] -= weight;
    if (d->sums) return;
    d->a[(size_t)a * (size_t)(d->band + 1)] += weight;
    d->a[(size_t)b * (size_t)(d->band + 1)] += weight;
}

static void direct_fill(struct direct *d, const struct linear_level *l, bool has_alpha)
{
    const struct grid *g = &l->g;
    for (int j = 0; j < g->nz; ++j)
        for (int i = 0; i < g->nx; ++i) {
            const size_t c = grid_at(g, i, j);
            const int at = multigrid_number(l, j) + i;
            double own = has_alpha ? (double)l->alpha[c] : 0.0;
            if (i > 0 || l->wrap_x)
                couple_cells(d, at, multigrid_number(l, j) + (i > 0 ? i : g->nx) - 1, (double)l->west[c]);
            else
                own += (double)l->west[c];
            if (j > 0 || l->wrap_z)
                couple_cells(d, at, multigrid_number(l, (j > 0 ? j : g->nz) - 1) + i, (double)l->south[c]);
            else
                own += (double)l->south[c];
            if (i == g->nx - 1 && !l->wrap_x) own += (double)l->west[c + 1];
            if (j == g->nz - 1 && !l->wrap_z) own += (double)l->south[c + g->stride];
            d->a[(size_t)at * (size_t)(d->band + 1)] += own;
        }
}

void multigrid_factor(struct linear_solver *s)
{
    struct direct *d = s->direct;
    if (d->ready) return;
    memset(d->a, 0, (size_t)d->cells * (size_t)(d->band + 1) * sizeof *d->a);
    d->sums = true;
    direct_fill(d, &s->level[s->bottom], s->has_alpha);
    KERNELS_PICK(direct_kernels)->factor(d);
    d->ready = true;
}

// The coarsest level once more, not factored, with room for entries of unknowns up to `band` apart. False without memory, and
// then as it was.
bool multigrid_widen(struct linear_solver *s, int band)
{
    struct direct *d = s->direct;
    if (!memory_grow(&s->memory, (void **)&d->a, &d->a_room, d->cells * (band + 1), sizeof *d->a) ||
        !memory_grow(&s->memory, (void **)&d->y, &d->y_room, d->cells + band, sizeof *d->y))
        return false;
    d->band = band;
    d->sums = false; // terms will be added
    memset(d->a, 0, (size_t)d->cells * (size_t)(band + 1) * sizeof *d->a);
    direct_fill(d, &s->level[s->bottom], s->has_alpha);
    return true;
}

static void direct_load(const struct linear_level *l, double *y)
{
    for (int j = 0; j < l->g.nz; ++j)
        for (int i = 0; i < l->g.nx; ++i) y[multigrid_number(l, j) + i] = (double)l->r[grid_at(&l->g, i, j)];
}

// The sum of r z
static double direct_solve(struct linear_solver *s)
{
    double sum = 0.0;
    const struct linear_level *l = &s->level[s->bottom];
    const struct grid *g = &l->g;
    struct direct *d = s->direct;
    multigrid_factor(s);
    direct_load(l, d->y);
    KERNELS_PICK(direct_kernels)->solve(d);
    if (linear_coarse_terms_ask(s, d->y)) {
        direct_load(l, d->y);
        linear_coarse_terms_take(s, d->y);
        KERNELS_PICK(direct_kernels)->solve(d);
    }
    for (int j = 0; j < g->nz; ++j) {
        float *z = l->z + grid_at(g, 0, j);
        for (int i = 0; i < g->nx; ++i) z[i] = (float)d->y[multigrid_number(l, j) + i];
        for (int i = 0; i < g->nx; ++i) sum += (double)l->r[grid_at(g, i, j)] * (double)z[i];
        z[-1] = l->wrap_x ? z[g->nx - 1] : 0.0f;
        z[g->nx] = l->wrap_x ? z[0] : 0.0f;
    }
    return sum;
}

// ---- the levels ----

static bool multigrid_create(struct linear_solver *s)
{
    int nx = s->level[0].g.nx, nz = s->level[0].g.nz;
    while (nx > LINEAR_COARSEST || nz > LINEAR_COARSEST) {
        nx = (nx + 1) / 2;
        nz = (nz + 1) / 2;
        if (!linear_add_level(s, nx, nz)) return false;
    }
    return direct_create(s);
}

// Chebyshev's polynomial of degree 4 in D^-1 A [adams2003] is small between two eigenvalues. All of them lie within
// a .. 2 - a, a the smallest part that alpha has in the diagonal; those below 0.2 are left to the coarser levels. Four
// such sweeps leave less than two of red-black Gauss-Seidel, which cost as much: in an empty box of 1024^2 cells 4
// iterations take noise to 3e-7, where 5 did.
static void choose_sweeps(const struct linear_solver *s, struct linear_level *l)
{
    // cos(pi (2 k + 1)/8); the largest step comes early, while there is little to lift
    static const double roots[LINEAR_SMOOTHS] = {-0.38268343236508977, 0.92387953251128674,
                                                 -0.92387953251128674, 0.38268343236508977};
    double least = s->has_alpha ? 1.0 : 0.0;
    for (int j = 0; j < l->g.nz && s->has_alpha; ++j)
        least = fmin(least, s->sums[(size_t)j * LINEAR_SUMS + 2]);
    const double low = fmax(least, 0.2), high = 2.0 - least;
    l->middle = (float)(2.0 / (high + low));
    for (int k = 0; k < LINEAR_SMOOTHS; ++k)
        l->omega[k] = (float)(2.0 / ((high + low) - (high - low) * roots[k]));
}

// A side whose faces have k times their weight leads to a 0 that is 1/k cells from the middle of the last one. In cells
// twice as large that is 1/(2 k) + 1/4.
static void widen_sides(const struct linear_level *f, struct linear_level *l)
{
    for (int k = 0; k < LINEAR_SIDES; ++k) l->side[k] = 4.0f * f->side[k] / (2.0f + f->side[k]);
}

// Do the open ones of the cells c, c + 1 and those north of them hang together?
static bool hang_together(const struct linear_level *l, size_t c)
{
    const size_t n = l->g.stride;
    const bool south = l->west[c + 1] > 0.0f, north = l->west[c + n + 1] > 0.0f;
    const bool west = l->south[c + n] > 0.0f, east = l->south[c + n + 1] > 0.0f;
    const int open = (l->inverse[c] > 0.0f) + (l->inverse[c + 1] > 0.0f) + (l->inverse[c + n] > 0.0f) +
                     (l->inverse[c + n + 1] > 0.0f);
    return south + north + west + east >= open - 1;
}

// More than every eighth cell of the next coarser level would have parts that hang together elsewhere only: rooms.
static bool is_maze(const struct linear_level *l)
{
    int split = 0;
    for (int j = 0; j + 1 < l->g.nz; j += 2)
        for (int i = 0; i + 1 < l->g.nx; i += 2) split += !hang_together(l, grid_at(&l->g, i, j));
    return split > l->g.nx * l->g.nz / 32;
}

// The level that is solved at once: the last one, or a finer one of up to 128 x 128 cells, slow as that is, before rooms
// of a maze would be joined through their walls. 64 rooms in a row at 1024^2, each open to the next by one cell, take 12
// iterations so, 186 otherwise.
static void choose_bottom(struct linear_solver *s)
{
    const int last = s->bottom = last_level(s, s->has_alpha);
    for (int n = last - 1; n >= 0 && within(&s->level[n], LINEAR_FINEST_BOTTOM); --n)
        if (is_maze(&s->level[n])) s->bottom = n;
    // Without memory for that, as it was: there is always room for the last level.
    if (!direct_fit(s, &s->level[s->bottom])) s->bottom = last;
    direct_fit(s, &s->level[s->bottom]);
}

static void multigrid_prepare(struct linear_solver *s)
{
    choose_sweeps(s, &s->level[0]);
    for (int n = 1; n <= last_level(s, s->has_alpha); ++n) {
        struct job job = {.s = s, .l = &s->level[n], .finer = &s->level[n - 1]};
        widen_sides(job.finer, job.l);
        parallel_rows(s->pool, job.l->g.nz, job.l->block, coarsen, &job);
        parallel_rows(s->pool, job.l->g.nz, job.l->block, invert, &job);
        choose_sweeps(s, job.l);
    }
    choose_bottom(s);
    s->direct->ready = false; // terms may become a part of it
}

static void smooth_block(void *ctx, int j0, int j1)
{
    const struct job *job = ctx;
    job->s->cycle->smooth(&job->smooth, linear_scratch(job->s, job->l, j0), j0, j1);
}

static void smooth(struct linear_solver *s, int n, const float *x, float *out, struct linear_smooth with)
{
    struct job job = {.s = s, .l = &s->level[n], .smooth = with};
    job.smooth.l = job.l;
    job.smooth.coarse = n < s->bottom ? job.l + 1 : NULL;
    job.smooth.has_alpha = s->has_alpha;
    job.smooth.count = s->rough && with.pass_on ? 1 : LINEAR_SMOOTHS;
    memcpy(job.smooth.omega, job.l->omega, sizeof job.l->omega);
    if (job.smooth.count == 1) job.smooth.omega[0] = job.l->middle;
    job.smooth.x = x;
    job.smooth.out = out;
    if (n == 0 && with.add) job.smooth.sums = s->sums;
    parallel_rows(s->pool, job.l->g.nz, job.l->block, smooth_block, &job);
}

void multigrid_sweeps(struct linear_solver *s, const float *x, float *out)
{
    struct job job = {.s = s, .l = &s->level[0]};
    job.smooth = (struct linear_smooth){.l = job.l,
                                        .has_alpha = s->has_alpha,
                                        .x = x,
                                        .count = LINEAR_SMOOTHS,
                                        .omega = {1.0f, 1.0f, 1.0f, 1.0f},
                                        .tick = s->tick,
                                        .out = out};
    parallel_rows(s->pool, job.l->g.nz, job.l->block, smooth_block, &job);
}

static double cycle(struct linear_solver *s)
{
    const int last = s->bottom;
    const struct linear_smooth down = {.pass_on = true}, up = {.add = true};
    struct linear_level *l = s->level;
    for (int n = 0; n < last; ++n) {
        smooth(s, n, NULL, l[n].x, down);
        linear_cycle_terms_down(s, n);
    }
    const double sum = direct_solve(s);
    for (int n = last - 1; n >= 0; --n) {
        linear_cycle_terms_up(s, n);
        smooth(s, n, l[n].x, l[n].z, up);
    }
    if (last == 0) return sum;
    if (s->fresh && s->whole) s->mean = linear_sum(s, 1) / (double)s->open;
    return linear_sum(s, 0) + linear_cycle_terms_sum(s);
}

const struct linear_kind linear_multigrid = {
    .name = "multigrid",
    .help = "conjugate gradients after a V-cycle with Chebyshev sweeps",
    .most = 200,
    .terms = true,
    .create = multigrid_create,
    .destroy = direct_destroy,
    .prepare = multigrid_prepare,
    .precondition = cycle,
    .close = true,
};
