// The simple kinds: what others use, to compare with.
#include "linear_rows.h"

#include <string.h>

const struct linear_kind linear_cg = {
    .name = "cg",
    .help = "conjugate gradients, scaled by the diagonal",
    .most = 10000,
    .terms = true,
    .precondition = linear_diagonal,
};

// ---- gauss-seidel ----

// Two sweeps at a time; the last of them must end in z.
static int gauss_seidel(struct linear_solver *s, int sweeps)
{
    struct linear_level *l = &s->level[0];
    const int pairs = (sweeps + 1) / 2;
    const float *from = NULL;
    for (int i = 0; i < pairs; ++i) {
        float *to = (pairs - i) % 2 ? l->z : l->x;
        multigrid_sweeps(s, from, to);
        from = to;
    }
    return 2 * pairs;
}

const struct linear_kind linear_gauss_seidel = {
    .name = "gauss-seidel",
    .help = "red-black sweeps, in pairs",
    .most = 48,
    .sweep = gauss_seidel,
};

// ---- jacobi ----

// Undamped sweeps leave the chequerboard of a singular system as it is; this much damps all that a grid cannot
// carry to a coarser one by 0.6 in a sweep, the best there is.
static const float OMEGA = 0.8f;

struct job {
    const struct linear_solver *s;
    const float *from;
    float *to;
};

static void jacobi_block(void *ctx, int j0, int j1)
{
    const struct job *job = ctx;
    job->s->k->jacobi(&job->s->level[0], OMEGA, job->from, job->to, j0, j1);
}

static int jacobi(struct linear_solver *s, int sweeps)
{
    struct linear_level *l = &s->level[0];
    float *first = sweeps % 2 ? l->x : l->z;
    memset(first, 0, l->g.count * sizeof *first);
    for (int i = 0; i < sweeps; ++i) {
        struct job job = {s, (sweeps - i) % 2 ? l->x : l->z, (sweeps - i) % 2 ? l->z : l->x};
        parallel_rows(s->pool, l->g.nz, l->block, jacobi_block, &job);
    }
    return sweeps;
}

const struct linear_kind linear_jacobi = {
    .name = "jacobi",
    .help = "sweeps damped by 0.8",
    .most = 48,
    .sweep = jacobi,
};
