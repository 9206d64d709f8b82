// The default kind: conjugate gradients with a V-cycle in float as preconditioner.
//
// Every level has half the cells of the finer one along each axis, down to 32 x 32, which are solved at once. Four
// sweeps before and four after the coarse correction, together one polynomial of the matrix; restriction is the
// transpose of interpolation. So a cycle is a symmetric positive operator, whatever is closed, and conjugate gradients mend what it
// cannot do: around obstacles that the coarse grids do not see well only a few directions are left over.
// [tatebe1993] [mcadams2010]
//
// Coarser than 32 x 32 would be cheaper still, but rooms behind walls with narrow gaps then end up in one cell: with 32
// of them on 512^2 cells 111 iterations became 11.
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

static size_t direct_size(const struct direct *d) { return (size_t)d->cells * (size_t)(d->band + 1); }

static bool direct_create(struct linear_solver *s)
{
    const struct grid *g = &s->level[s->levels - 1].g;
    struct direct *d = s->direct = memory_alloc(&s->memory, 1, sizeof *d);
    if (!d) return false;
    d->cells = g->nx * g->nz;
    d->band = 2 * g->nx; // as much as a periodic one needs
    d->nothing = 1e-13;
    d->a = memory_alloc(&s->memory, direct_size(d), sizeof *d->a);
    d->y = memory_alloc(&s->memory, (size_t)(d->cells + d->band), sizeof *d->y);
    return d->a && d->y;
}

static void direct_destroy(struct linear_solver *s)
{
    struct direct *d = s->direct;
    const struct grid *g = &s->level[s->levels - 1].g;
    if (!d) return;
    d->band = 2 * g->nx;
    memory_free(&s->memory, d->a, direct_size(d), sizeof *d->a);
    memory_free(&s->memory, d->y, (size_t)(d->cells + d->band), sizeof *d->y);
    memory_free(&s->memory, d, 1, sizeof *d);
}

// Number of the first cell of a row. Around a periodic axis rows are taken from both ends in turn, 0 n-1 1 n-2 ..., so
// that neighbours stay within two rows.
static int number(const struct linear_level *l, int j)
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
    d->a[(size_t)a * (size_t)(d->band + 1)] += weight;
    d->a[(size_t)b * (size_t)(d->band + 1)] += weight;
}

static void direct_fill(struct direct *d, const struct linear_level *l, bool has_alpha)
{
    const struct grid *g = &l->g;
    for (int j = 0; j < g->nz; ++j)
        for (int i = 0; i < g->nx; ++i) {
            const size_t c = grid_at(g, i, j);
            const int at = number(l, j) + i;
            double own = has_alpha ? (double)l->alpha[c] : 0.0;
            if (i > 0 || l->wrap_x)
                couple_cells(d, at, number(l, j) + (i > 0 ? i : g->nx) - 1, (double)l->west[c]);
            else
                own += (double)l->west[c];
            if (j > 0 || l->wrap_z)
                couple_cells(d, at, number(l, (j > 0 ? j : g->nz) - 1) + i, (double)l->south[c]);
            else
                own += (double)l->south[c];
            if (i == g->nx - 1 && !l->wrap_x) own += (double)l->west[c + 1];
            if (j == g->nz - 1 && !l->wrap_z) own += (double)l->south[c + g->stride];
            d->a[(size_t)at * (size_t)(d->band + 1)] += own;
        }
}

static void direct_prepare(struct linear_solver *s)
{
    const struct linear_level *l = &s->level[s->levels - 1];
    struct direct *d = s->direct;
    d->band = l->wrap_z ? 2 * l->g.nx : l->g.nx;
    memset(d->a, 0, direct_size(d) * sizeof *d->a);
    direct_fill(d, l, s->has_alpha);
    KERNELS_PICK(direct_kernels)->factor(d);
}

// The sum of r z
static double direct_solve(struct linear_solver *s)
{
    double sum = 0.0;
    const struct linear_level *l = &s->level[s->levels - 1];
    const struct grid *g = &l->g;
    struct direct *d = s->direct;
    for (int j = 0; j < g->nz; ++j)
        for (int i = 0; i < g->nx; ++i) d->y[number(l, j) + i] = (double)l->r[grid_at(g, i, j)];
    KERNELS_PICK(direct_kernels)->solve(d);
    for (int j = 0; j < g->nz; ++j) {
        float *z = l->z + grid_at(g, 0, j);
        for (int i = 0; i < g->nx; ++i) z[i] = (float)d->y[number(l, j) + i];
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
    for (int k = 0; k < LINEAR_SMOOTHS; ++k)
        l->omega[k] = (float)(2.0 / ((high + low) - (high - low) * roots[k]));
}

static void multigrid_prepare(struct linear_solver *s)
{
    choose_sweeps(s, &s->level[0]);
    for (int n = 1; n < s->levels; ++n) {
        struct job job = {.s = s, .l = &s->level[n], .finer = &s->level[n - 1]};
        parallel_rows(s->pool, job.l->g.nz, job.l->block, coarsen, &job);
        parallel_rows(s->pool, job.l->g.nz, job.l->block, invert, &job);
        choose_sweeps(s, job.l);
    }
    direct_prepare(s);
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
    job.smooth.coarse = n + 1 < s->levels ? job.l + 1 : NULL;
    job.smooth.has_alpha = s->has_alpha;
    memcpy(job.smooth.omega, job.l->omega, sizeof job.l->omega);
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
                                        .omega = {1.0f, 1.0f, 1.0f, 1.0f},
                                        .tick = s->tick,
                                        .out = out};
    parallel_rows(s->pool, job.l->g.nz, job.l->block, smooth_block, &job);
}

static double cycle(struct linear_solver *s)
{
    const int last = s->levels - 1;
    const struct linear_smooth down = {.pass_on = true}, up = {.add = true};
    struct linear_level *l = s->level;
    for (int n = 0; n < last; ++n) smooth(s, n, NULL, l[n].x, down);
    const double sum = direct_solve(s);
    for (int n = last - 1; n >= 0; --n) smooth(s, n, l[n].x, l[n].z, up);
    if (last == 0) return sum;
    if (s->fresh && s->whole) s->mean = linear_sum(s, 1) / (double)s->open;
    return linear_sum(s, 0);
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
