// Solution of a prepared system: preconditioned conjugate gradients [hestenes1952], or stationary
// iterations. The vectors b and x are double; the preconditioner and the search directions are float.
#include "linear_rows.h"

#include "base/math/math.h"

#include <string.h>

// Arguments of the row callbacks.
struct job {
    struct linear_solver *s;
    const double *b;
    double *x;
    double factor; // beta of a new direction, or the mean to subtract
    struct linear_update update;
};

static void for_finest_rows(struct job *job, row_range_fn fn)
{
    const struct linear_level *l = &job->s->level[0];
    parallel_for_rows(job->s->pool, l->g.nz, l->block_rows, fn, job);
}

// The scratch rows of a block as doubles.
static double *double_scratch(const struct linear_solver *s, int j0)
{
    return (double *)(void *)linear_block_scratch(s, &s->level[0], j0); // rows are 64-byte aligned
}

// ---- operations of an iteration ----

static void update_x_pass(void *ctx, int j0, int j1)
{
    const struct job *job = ctx;
    job->s->kernels->update_x(&job->update, double_scratch(job->s, j0), j0, j1);
}

// Blocks need the rows of their neighbours before the update.
static void save_block_edges(struct linear_solver *s, const double *x)
{
    const struct linear_level *l = &s->level[0];
    const size_t bytes = (size_t)l->g.nx * sizeof *x;
    for (int j0 = 0; j0 < l->g.nz; j0 += l->block_rows) {
        const int last = imin(j0 + l->block_rows, l->g.nz) - 1;
        memcpy(s->block_edges + linear_block_edge(l, j0), x + grid_at(&l->g, 0, j0), bytes);
        memcpy(s->block_edges + linear_block_edge(l, last), x + grid_at(&l->g, 0, last), bytes);
    }
}

double linear_update_x(struct linear_solver *s, const float *p, double step, double *x)
{
    struct job job = {.s = s};
    job.update = (struct linear_update){.level = &s->level[0],
                                        .has_alpha = s->has_alpha,
                                        .b = s->b,
                                        .x = x,
                                        .block_edges = s->block_edges,
                                        .p = p,
                                        .step = step,
                                        .shift = p ? s->z_mean : step,
                                        .scale = s->scale,
                                        .x_is_zero = s->x_is_zero,
                                        .sums = s->row_sums};
    if (s->term_count > 0) low_rank_update_rhs(s, &job.update);
    if (!s->x_is_zero) save_block_edges(s, x);
    for_finest_rows(&job, update_x_pass);
    s->x_is_zero = false;
    s->z_mean = 0.0;
    s->x_sum = linear_add_rows(s, 1);
    s->x_norm2 = linear_add_rows(s, 2);
    s->max_residual = 0.0;
    for (int j = 0; j < s->level[0].g.nz; ++j)
        s->max_residual = fmax(s->max_residual, s->row_sums[(size_t)j * LINEAR_SUMS + 3]);
    s->max_residual /= s->scale;
    return sqrt(linear_add_rows(s, 0));
}

static void direction_pass(void *ctx, int j0, int j1)
{
    const struct job *job = ctx;
    const struct linear_solver *s = job->s;
    const struct linear_level *l = &s->level[0];
    const struct linear_direction direction = {.level = l,
                                               .has_alpha = s->has_alpha,
                                               .beta = (float)job->factor,
                                               .p = s->p[s->p_current],
                                               .p1 = s->p[!s->p_current],
                                               .sums = s->row_sums};
    s->kernels->direction(&direction, linear_block_scratch(s, l, j0), j0, j1);
}

double linear_update_direction(struct linear_solver *s, double beta)
{
    struct job job = {.s = s, .factor = beta};
    for_finest_rows(&job, direction_pass);
    s->p_current = !s->p_current;
    return linear_add_rows(s, 0) + low_rank_energy(s, s->p[s->p_current]);
}

static void jacobi_pass(void *ctx, int j0, int j1)
{
    const struct job *job = ctx;
    job->s->kernels->jacobi_precondition(&job->s->level[0], job->s->row_sums, j0, j1);
}

double linear_jacobi_precondition(struct linear_solver *s)
{
    struct job job = {.s = s};
    for_finest_rows(&job, jacobi_pass);
    return linear_add_rows(s, 0);
}

// ---- solving ----

static void measure_pass(void *ctx, int j0, int j1)
{
    const struct job *job = ctx;
    struct linear_solver *s = job->s;
    s->kernels->measure(&s->level[0], job->b, job->x, double_scratch(s, j0), s->row_sums, j0, j1);
}

static void load_rhs_pass(void *ctx, int j0, int j1)
{
    const struct job *job = ctx;
    struct linear_solver *s = job->s;
    s->kernels->load_rhs(&s->level[0], job->b, job->factor, s->scale, s->b, s->row_sums, j0, j1);
}

static void subtract_mean_pass(void *ctx, int j0, int j1)
{
    const struct job *job = ctx;
    job->s->kernels->subtract(&job->s->level[0], job->factor, job->x, j0, j1);
}

// Stores b without its means in s->b, and scaled in level[0].r. The scale need only be approximate: the sums
// of b suffice unless b is almost constant or there are several singular regions.
static void load_rhs(struct linear_solver *s, const double *b)
{
    struct job job = {.s = s, .b = b};
    const double sum = linear_add_rows(s, 0), sum_squares = linear_add_rows(s, 1),
                 cells = (double)s->active_count;
    if (s->single_singular) job.factor = sum / cells;
    const double norm2 = sum_squares - job.factor * sum;
    const bool scale_known = (s->single_singular || s->singular_count == 0) && norm2 > 1e-6 * sum_squares;
    s->scale = scale_known ? sqrt(cells / norm2) : 0.0;
    for_finest_rows(&job, load_rhs_pass);
    if (!scale_known) {
        if (!s->single_singular && s->singular_count > 0) null_space_remove_means(s, s->b);
        job.b = s->b;
        for_finest_rows(&job, load_rhs_pass);
        s->scale = sqrt(cells / linear_add_rows(s, 0));
        for_finest_rows(&job, load_rhs_pass);
    }
    s->b_norm = sqrt(linear_add_rows(s, 0));
}

static void subtract_mean(struct linear_solver *s, double *x)
{
    struct job job = {.s = s, .x = x, .factor = s->x_sum / (double)s->active_count};
    if (s->single_singular && s->x_sum * s->x_sum > 1e-28 * s->x_norm2)
        for_finest_rows(&job, subtract_mean_pass);
    else if (!s->single_singular && s->singular_count > 0)
        null_space_remove_means(s, x);
}

// The residual norm of the initial x, whose means are removed. sums: of x and of |x|.
static double initial_residual(struct linear_solver *s, const double sums[2], double *x)
{
    const double mean = s->single_singular ? sums[0] / (double)s->active_count : 0.0;
    s->x_is_zero = sums[1] == 0.0;
    s->max_residual = INFINITY;
    if (s->x_is_zero) return s->b_norm; // no product is needed for x = 0
    double residual = linear_update_x(s, NULL, mean, x);
    if (!s->single_singular && s->singular_count > 0) {
        null_space_remove_means(s, x);
        residual = linear_update_x(s, NULL, 0.0, x);
    }
    return residual;
}

// A V-cycle with one pre-smoothing sweep reduces the residual of noise to this fraction.
static const double SINGLE_PRESWEEP_FACTOR = 0.045;
// Iterations without a smaller residual before a restart.
enum { STAGNATION_LIMIT = 5 };

static bool is_converged(const struct linear_solver *s, double residual,
                         const struct linear_tolerance *tolerance)
{
    return residual <= tolerance->relative * s->b_norm &&
           (!(tolerance->max_residual > 0.0) || s->max_residual <= tolerance->max_residual);
}

// Preconditioned conjugate gradients [hestenes1952]. If the preconditioner is close to A^-1, the first
// iteration takes its correction with unit length: that lowers the residual, while the CG step would
// minimise the energy norm of the error. If the tolerance is above 4.5 % of the residual, one pre-smoothing
// sweep is enough for it.
static double pcg_iterate(struct linear_solver *s, double *x, const struct linear_tolerance *tolerance,
                          double residual, int *count)
{
    double rz_old = 0.0, min_residual = residual; // rz_old 0: no direction yet
    int stagnant = 0;                             // iterations since min_residual
    if (s->kind->is_near_inverse && low_rank_is_preconditioned(s) && tolerance->max_iterations > 0 &&
        !is_converged(s, residual, tolerance)) {
        const double residual_before = residual, step = 1.0 / s->scale;
        s->single_presweep = tolerance->relative * s->b_norm > SINGLE_PRESWEEP_FACTOR * residual;
        s->kind->precondition(s);
        s->single_presweep = false;
        deflation_correct(s);
        residual = linear_update_x(s, s->level[0].z, step, x);
        if (!(residual < residual_before)) { // the residual grew: undo, and only start the deflation
            residual = linear_update_x(s, s->level[0].z, -step, x);
            if (deflation_start(s)) residual = linear_update_x(s, s->level[0].z, step, x);
        }
        ++*count;
    }
    while (*count < tolerance->max_iterations && !is_converged(s, residual, tolerance)) {
        const double rz = s->kind->precondition(s) + deflation_correct(s);
        const double pq = linear_update_direction(s, rz_old > 0.0 ? rz / rz_old : 0.0);
        if (!(rz > 0.0 && pq > 0.0)) { // converged to rounding, an indefinite preconditioner, or NaN
            if (!cycle_drop_terms(s)) break;
            rz_old = 0.0;
            continue;
        }
        residual = linear_update_x(s, s->p[s->p_current], rz / pq / s->scale, x);
        rz_old = rz;
        ++*count;
        stagnant = residual < min_residual ? 0 : stagnant + 1;
        min_residual = fmin(min_residual, residual);
        if (stagnant == STAGNATION_LIMIT)
            rz_old = 0.0, stagnant = 0; // rounding has destroyed conjugacy: restart
    }
    return residual;
}

enum { SWEEPS_PER_CHECK = 48 };

// Iterative refinement: sweeps on the residual equation in float, the solution accumulates in double.
static double stationary_iterate(struct linear_solver *s, double *x, const struct linear_tolerance *tolerance,
                                 double residual, int *count)
{
    while (*count < tolerance->max_iterations && !is_converged(s, residual, tolerance)) {
        *count += s->kind->relax(s, imin(SWEEPS_PER_CHECK, tolerance->max_iterations - *count));
        residual = linear_update_x(s, s->level[0].z, 1.0 / s->scale, x);
    }
    return residual;
}

static void clear_solution(const struct linear_solver *s, double *x)
{
    for (int j = 0; j < s->level[0].g.nz; ++j)
        memset(x + grid_at(&s->level[0].g, 0, j), 0, (size_t)s->level[0].g.nx * sizeof *x);
}

void linear_solve(struct linear_solver *s, const double *b, double *x, struct linear_tolerance tolerance,
                  struct linear_report *report)
{
    struct job job = {.s = s, .b = b, .x = x};
    for_finest_rows(&job, measure_pass);
    const double sums[2] = {linear_add_rows(s, 2), linear_add_rows(s, 3)};
    load_rhs(s, b);
    *report = (struct linear_report){.residual = s->b_norm};
    if (!(s->b_norm > 0.0)) { // b = 0, no active cell, or NaN
        clear_solution(s, x);
        return;
    }
    low_rank_save_rhs(s);
    const double residual = initial_residual(s, sums, x);
    if (tolerance.max_iterations <= 0) tolerance.max_iterations = s->kind->max_iterations;
    report->start_residual = residual / s->b_norm;
    report->residual = (s->kind->precondition ? pcg_iterate : stationary_iterate)(s, x, &tolerance, residual,
                                                                                  &report->iterations) /
                       s->b_norm;
    if (s->x_is_zero) {
        clear_solution(s, x); // x = 0 satisfies the tolerance
        return;
    }
    report->solution_norm = sqrt(s->x_norm2);
    subtract_mean(s, x);
}
