// The default kind: conjugate gradients preconditioned by a multigrid V-cycle in single precision
// [tatebe1993, mcadams2010], with a Chebyshev smoother [adams2003].
//
// Every level has half the cells of the finer one along each axis. The coarsest level, of up to 48 x 48
// cells, is solved directly. Four smoothing sweeps before and four after the coarse correction form one
// polynomial of the matrix, and restriction is the transpose of interpolation. The V-cycle is therefore
// symmetric and positive definite for any geometry. Near obstacles that the coarse grids resolve badly a few
// error modes remain, and conjugate gradients remove them.
//
// A smaller coarsest level would cost less, but regions behind walls with narrow gaps would then share a
// cell; where separate regions would merge, coarsening stops even earlier.
//
// Interpolation uses three coarse values and is exact for linear functions [kwak1999]. The value of a cell
// behind a closed face is replaced by that of the cell itself, so that no mask is needed.
#include "banded_rows.h"
#include "linear_rows.h"
#include "multigrid_rows.h"

#include <math.h>
#include <string.h>

struct job {
    struct linear_solver *s;
    struct linear_level *l, *finer;
    struct smooth_args smooth;
};

static void coarsen_pass(void *ctx, int j0, int j1)
{
    const struct job *job = ctx;
    job->s->mg_kernels->coarsen(job->finer, job->l, job->s->has_alpha, j0, j1);
}

static void interp_and_invert_pass(void *ctx, int j0, int j1)
{
    const struct job *job = ctx;
    job->s->mg_kernels->interpolation(job->finer, job->l, linear_block_scratch(job->s, job->l, j0), j0, j1);
    job->s->kernels->invert_diagonal(job->l, job->s->has_alpha, job->s->row_sums, j0, j1);
}

// ---- levels ----

static bool fits_within(const struct linear_level *l, int max_side)
{
    return l->g.nx <= max_side && l->g.nz <= max_side;
}

// The coarsest level, unless the geometry requires a finer one. Systems with alpha are better conditioned
// and change in every step, so that each factorisation serves one solve only: their coarsest level is the
// last one. The direct solve is also smaller with many terms.
static int default_coarsest(const struct linear_solver *s, bool has_alpha)
{
    const bool many_terms = s->term_count > LINEAR_MANY_TERMS && low_rank_is_weak(s);
    const int max_side = many_terms ? LINEAR_COARSEST_SIDE_TERMS : LINEAR_COARSEST_SIDE_FIXED;
    int n = s->levels - 1;
    while (!has_alpha && n > 0 && fits_within(&s->level[n - 1], max_side)) --n;
    return n;
}

static bool multigrid_create(struct linear_solver *s)
{
    int nx = s->level[0].g.nx, nz = s->level[0].g.nz;
    while (nx > LINEAR_COARSEST_SIDE || nz > LINEAR_COARSEST_SIDE) {
        nx = (nx + 1) / 2;
        nz = (nz + 1) / 2;
        if (!linear_add_level(s, nx, nz)) return false;
    }
    return coarse_create(s, &s->level[default_coarsest(s, false)]);
}

// Relaxation factors of the smoother, a Chebyshev polynomial of degree 4 in D^-1 A [adams2003]. The
// eigenvalues of D^-1 A lie within a .. 2 - a, a the minimum of alpha/diagonal; the polynomial is small on
// max(a, 0.2) .. 2 - a, and smaller eigenvalues are left to the coarser levels. The four sweeps smooth
// better than two sweeps of red-black Gauss-Seidel at the same cost: in an empty box of 1024^2 cells the
// residual of random noise falls to 3e-7 in 4 iterations instead of 5.
static void choose_chebyshev(const struct linear_solver *s, struct linear_level *l)
{
    // cos(pi (2 k + 1)/8), in an order that has the largest factor early, while there is little for it to
    // amplify
    static const double roots[LINEAR_SWEEPS] = {-0.38268343236508977, 0.92387953251128674,
                                                -0.92387953251128674, 0.38268343236508977};
    double min_share = s->has_alpha ? 1.0 : 0.0;
    for (int j = 0; j < l->g.nz && s->has_alpha; ++j)
        min_share = fmin(min_share, s->row_sums[(size_t)j * LINEAR_SUMS + 2]);
    const double low = fmax(min_share, 0.2), high = 2.0 - min_share;
    l->omega_single = (float)(2.0 / (high + low));
    for (int k = 0; k < LINEAR_SWEEPS; ++k)
        l->omega[k] = (float)(2.0 / ((high + low) - (high - low) * roots[k]));
}

// With boundary factor k the Dirichlet point is 1/k cells from the centre of the last cell. In cells of
// twice the size the distance is 1/(2 k) + 1/4, so the coarse factor is 4 k/(2 + k).
static void coarsen_boundary_factors(const struct linear_level *fine, struct linear_level *l)
{
    for (int k = 0; k < LINEAR_SIDES; ++k)
        l->boundary_factor[k] = 4.0f * fine->boundary_factor[k] / (2.0f + fine->boundary_factor[k]);
}

// Whether the active ones of the cells c, c + 1 and the two cells north of them are connected with each
// other.
static bool is_connected_2x2(const struct linear_level *l, size_t c)
{
    const size_t stride = l->g.stride;
    const bool south = l->coef_x[c + 1] > 0.0f, north = l->coef_x[c + stride + 1] > 0.0f;
    const bool west = l->coef_z[c + stride] > 0.0f, east = l->coef_z[c + stride + 1] > 0.0f;
    const int active = (l->inv_diagonal[c] > 0.0f) + (l->inv_diagonal[c + 1] > 0.0f) +
                       (l->inv_diagonal[c + stride] > 0.0f) + (l->inv_diagonal[c + stride + 1] > 0.0f);
    return south + north + west + east >= active - 1;
}

// Coarsening would join cells that are connected elsewhere only, in more than one eighth of the coarse
// cells.
static bool would_merge_regions(const struct linear_level *l)
{
    int split = 0;
    for (int j = 0; j + 1 < l->g.nz; j += 2)
        for (int i = 0; i + 1 < l->g.nx; i += 2) split += !is_connected_2x2(l, grid_at(&l->g, i, j));
    return split > l->g.nx * l->g.nz / 32;
}

// The level that is solved directly: the default, or a finer one of up to 128 x 128 cells, although that is
// slow, if coarsening would merge regions through the walls between them, as in a maze. 64 chambers in a row
// at 1024^2, each connected to the next by one cell, need 12 iterations; without this rule 186.
static void choose_coarsest(struct linear_solver *s)
{
    const int default_level = s->coarsest = default_coarsest(s, s->has_alpha);
    for (int n = default_level - 1; n >= 0 && fits_within(&s->level[n], LINEAR_MAX_DIRECT_SIDE); --n)
        if (would_merge_regions(&s->level[n])) s->coarsest = n;
    // Without memory the default is used, for which coarse_create has reserved memory.
    if (!coarse_reserve(s, &s->level[s->coarsest])) s->coarsest = default_level;
    coarse_reserve(s, &s->level[s->coarsest]);
}

static void multigrid_setup(struct linear_solver *s)
{
    choose_chebyshev(s, &s->level[0]);
    for (int n = 1; n <= default_coarsest(s, s->has_alpha); ++n) {
        struct job job = {.s = s, .l = &s->level[n], .finer = &s->level[n - 1]};
        coarsen_boundary_factors(job.finer, job.l);
        parallel_for_rows(s->pool, job.l->g.nz, job.l->block_rows, coarsen_pass, &job);
        parallel_for_rows(s->pool, job.l->g.nz, job.l->block_rows, interp_and_invert_pass, &job);
        choose_chebyshev(s, job.l);
    }
    choose_coarsest(s);
    s->coarse->is_factored = false; // low_rank_setup may add terms to the matrix
}

static void smooth_pass(void *ctx, int j0, int j1)
{
    const struct job *job = ctx;
    job->s->mg_kernels->smooth(&job->smooth, linear_block_scratch(job->s, job->l, j0), j0, j1);
}

// Smooths on level n from x (NULL: 0) to out; `args` contains what differs between down and up.
static void smooth(struct linear_solver *s, int n, const float *x, float *out, struct smooth_args args)
{
    struct job job = {.s = s, .l = &s->level[n], .smooth = args};
    job.smooth.level = job.l;
    job.smooth.coarse = n < s->coarsest ? job.l + 1 : NULL;
    job.smooth.has_alpha = s->has_alpha;
    job.smooth.count = s->single_presweep && args.restrict_residual ? 1 : LINEAR_SWEEPS;
    memcpy(job.smooth.omega, job.l->omega, sizeof job.l->omega);
    if (job.smooth.count == 1) job.smooth.omega[0] = job.l->omega_single;
    job.smooth.x = x;
    job.smooth.out = out;
    if (n == 0 && args.prolongate) job.smooth.sums = s->row_sums;
    parallel_for_rows(s->pool, job.l->g.nz, job.l->block_rows, smooth_pass, &job);
}

void multigrid_red_black(struct linear_solver *s, const float *x, float *out)
{
    struct job job = {.s = s, .l = &s->level[0]};
    job.smooth = (struct smooth_args){.level = job.l,
                                      .has_alpha = s->has_alpha,
                                      .x = x,
                                      .count = LINEAR_SWEEPS,
                                      .omega = {1.0f, 1.0f, 1.0f, 1.0f},
                                      .checkerboard = s->checkerboard,
                                      .out = out};
    parallel_for_rows(s->pool, job.l->g.nz, job.l->block_rows, smooth_pass, &job);
}

// One V-cycle: level[0].z = M^-1 level[0].r. Returns r . z.
static double v_cycle(struct linear_solver *s)
{
    const int coarsest = s->coarsest;
    const struct smooth_args down = {.restrict_residual = true}, up = {.prolongate = true};
    struct linear_level *l = s->level;
    for (int n = 0; n < coarsest; ++n) {
        smooth(s, n, NULL, l[n].x, down);
        cycle_terms_restrict(s, n);
    }
    const double sum = coarse_solve(s);
    for (int n = coarsest - 1; n >= 0; --n) {
        cycle_terms_prolong(s, n);
        smooth(s, n, l[n].x, l[n].z, up);
    }
    if (coarsest == 0) return sum;
    if (s->x_is_zero && s->single_singular) s->z_mean = linear_add_rows(s, 1) / (double)s->active_count;
    return linear_add_rows(s, 0) + cycle_terms_dot(s);
}

const struct linear_kind linear_multigrid = {
    .name = "multigrid",
    .help = "conjugate gradients preconditioned by a V-cycle with Chebyshev smoother",
    .max_iterations = 200,
    .supports_terms = true,
    .create = multigrid_create,
    .destroy = coarse_destroy,
    .setup = multigrid_setup,
    .precondition = v_cycle,
    .is_near_inverse = true,
};
