// Simple methods for comparison: conjugate gradients with Jacobi preconditioner, red-black Gauss-Seidel,
// damped Jacobi.
#include "linear_rows.h"

#include <string.h>

const struct linear_kind linear_cg = {
    .name = "cg",
    .help = "conjugate gradients with Jacobi preconditioner",
    .max_iterations = 10000,
    .supports_terms = true,
    .precondition = linear_jacobi_precondition,
};

// ---- gauss-seidel ----

// Sweeps are made in pairs, alternately into x and z; the last pair must write z.
static int gauss_seidel(struct linear_solver *s, int sweeps)
{
    struct linear_level *l = &s->level[0];
    const int pairs = (sweeps + 1) / 2;
    const float *from = NULL;
    for (int i = 0; i < pairs; ++i) {
        float *to = (pairs - i) % 2 ? l->z : l->x;
        multigrid_red_black(s, from, to);
        from = to;
    }
    return 2 * pairs;
}

const struct linear_kind linear_gauss_seidel = {
    .name = "gauss-seidel",
    .help = "red-black Gauss-Seidel sweeps",
    .max_iterations = 48,
    .relax = gauss_seidel,
};

// ---- jacobi ----

// Undamped sweeps do not reduce the checkerboard mode of a singular system. With 0.8 all modes that a
// coarser grid cannot represent are reduced by at least 0.6 in a sweep, which is the optimum.
static const float JACOBI_OMEGA = 0.8f;

struct job {
    const struct linear_solver *s;
    const float *from;
    float *to;
};

static void jacobi_block(void *ctx, int j0, int j1)
{
    const struct job *job = ctx;
    job->s->kernels->jacobi(&job->s->level[0], JACOBI_OMEGA, job->from, job->to, j0, j1);
}

static int jacobi(struct linear_solver *s, int sweeps)
{
    struct linear_level *l = &s->level[0];
    float *first = sweeps % 2 ? l->x : l->z;
    memset(first, 0, l->g.size * sizeof *first);
    for (int i = 0; i < sweeps; ++i) {
        struct job job = {s, (sweeps - i) % 2 ? l->x : l->z, (sweeps - i) % 2 ? l->z : l->x};
        parallel_for_rows(s->pool, l->g.nz, l->block_rows, jacobi_block, &job);
    }
    return sweeps;
}

const struct linear_kind linear_jacobi = {
    .name = "jacobi",
    .help = "damped Jacobi sweeps, factor 0.8",
    .max_iterations = 48,
    .relax = jacobi,
};
