// What the parts of the linear solver share: the grid of a level with its weights, and the solver itself.
#ifndef FLUID_LINEAR_LEVEL_H
#define FLUID_LINEAR_LEVEL_H

#include "linear.h"

enum { LINEAR_LEVELS = 32, LINEAR_SCRATCH_ROWS = 26, LINEAR_COARSEST = 32 };

// One level, the finest one first. Weights of closed faces and of faces at closed cells are 0. Whoever writes a row of x
// or z sets the cells before and after it: to the other end of the row where x is periodic, else they stay 0. That is
// also the value beyond a side that leads out.
struct linear_level {
    struct grid g;
    bool wrap_x, wrap_z;
    int block;           // rows of one block of parallel work, even
    float *west, *south; // weights of faces, sides included          weigh_rows, coarsen_rows
    float *alpha;        // sum over the cells of a coarse one        weigh_rows, coarsen_rows
    float *inverse;      // 1/(alpha + weights), 0 where not open     invert_rows
    float *share_west,
        *share_south; // how far cells beyond a face join in interpolation: 0 .. 1/4   share_rows
    float *r, *x, *z; // right-hand side, pre-smoothed, result     smooth_rows
};

struct linear_rows_kernels;
struct multigrid_kernels;
struct direct;

struct linear_solver {
    const struct linear_kind *kind;
    struct memory memory;
    struct parallel *pool;
    const struct linear_rows_kernels *k;
    const struct multigrid_kernels *cycle;
    int levels;
    struct linear_level level[LINEAR_LEVELS];
    struct direct *direct; // of the coarsest level; NULL for kinds without levels
    bool has_alpha;
    const struct linear_term *terms;
    int term_count;
    float *tick;    // 1 0 1 0 ...: the colours of a row
    float *scratch; // rows of blocks that run at the same time, LINEAR_SCRATCH_ROWS each
    size_t scratch_count;
    double *sums; // one a row
    uint32_t *
        region; // cell -> its region unless `whole`, 0 for cells that are not open or whose region is not singular
    uint32_t regions; // singular ones, numbered from 1
    bool whole;       // one region, and all open cells are in it
    size_t open;      // cells
    // CG and corrections, in the layout of the finest level. b is less its means, norm is |b|.
    double *b, *r, *p[2], *q;
    double norm;
};

// What makes numbers of any size fit for float: the right-hand sides of the cycle have a mean square of 1.
double linear_scale(const struct linear_solver *s);

// r = b - A x into s->r, and into level[0].r scaled; |r|. Writes p[0] and q.
double linear_residual(struct linear_solver *s, const double *x);

// p[1] = z + beta p[0] with the finest level's z, q = A p[1], then p[0] and p[1] change places; the sum of p q.
double linear_direction(struct linear_solver *s, double beta);

// x += a p and r -= a q; |r|.
double linear_advance(struct linear_solver *s, double a, double *x);

// x += z, scaled back
void linear_correct(struct linear_solver *s, double *x);

// Regions of a prepared finest level.
void linear_find_regions(struct linear_solver *s);

// Take the mean off in every singular region, where there are several. Writes q.
void linear_centre_regions(struct linear_solver *s, double *v);

// The sum of s->sums, rows in order.
double linear_sum(const struct linear_solver *s);

// z = r/diagonal on the finest level; the sum of r z.
double linear_diagonal(struct linear_solver *s);

// One more level; false without memory.
bool linear_add_level(struct linear_solver *s, int nx, int nz);

// Two red-black sweeps on the finest level from `x` (NULL: 0) to `out`, both its fields.
void multigrid_sweeps(struct linear_solver *s, const float *x, float *out);

// A V-cycle needs rows for its blocks.
static inline float *linear_scratch(const struct linear_solver *s, const struct linear_level *l, int j0)
{
    return s->scratch + (size_t)(j0 / l->block) * LINEAR_SCRATCH_ROWS * l->g.stride;
}

#endif
