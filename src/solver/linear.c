// Linear solvers: table of kinds, memory, setup, and the iterations: preconditioned conjugate gradients
// [hestenes1952] or stationary sweeps.
#include "linear_rows.h"
#include "multigrid_rows.h"

#include "base/error.h"
#include "base/math.h"

#include <string.h>

extern const struct linear_kind linear_multigrid, linear_cg, linear_gauss_seidel, linear_jacobi;

static const struct linear_kind *const kinds[] = {
    &linear_multigrid,
    &linear_cg,
    &linear_gauss_seidel,
    &linear_jacobi,
};

const struct linear_kind *linear_kind_at(int index)
{
    return 0 <= index && index < (int)(sizeof kinds / sizeof kinds[0]) ? kinds[index] : NULL;
}

const struct linear_kind *linear_kind_find(const char *name)
{
    for (int i = 0; linear_kind_at(i); ++i)
        if (strcmp(kinds[i]->name, name) == 0) return kinds[i];
    return NULL;
}

// ---- memory ----

double *linear_alloc_vector(const struct grid *g, const struct memory *m)
{
    return memory_alloc(m, g->size, sizeof(double));
}

void linear_free_vector(const struct grid *g, const struct memory *m, double *v)
{
    memory_free(m, v, g->size, sizeof *v);
}

enum { LEVEL_FIELDS = 9, DIRECTION_SLOT = LEVEL_FIELDS };

static void level_fields(struct linear_level *l, float **out[LEVEL_FIELDS])
{
    float **fields[LEVEL_FIELDS] = {
        &l->coef_x, &l->coef_z, &l->alpha, &l->inv_diagonal, &l->interp_x, &l->interp_z, &l->r, &l->x, &l->z};
    memcpy(out, fields, sizeof fields);
}

// Fused sweeps repeat a few rows of the neighbouring blocks, so that blocks have at least 96 rows. Their
// number is even, because two rows form one row of the coarser level.
static int block_rows(const struct grid *g)
{
    const int rows = imax(grid_block_rows(g), 96);
    return imin(rows + rows % 2, g->nz + g->nz % 2);
}

bool linear_add_level(struct linear_solver *s, int nx, int nz)
{
    struct linear_level *l = &s->level[s->levels++];
    float **fields[LEVEL_FIELDS];
    bool ok = grid_init(&l->g, nx, nz, 1.0);
    level_fields(l, fields);
    for (int i = 0; i < LEVEL_FIELDS && ok; ++i)
        ok = (*fields[i] = grid_alloc_field(&l->g, &s->memory, i)) != NULL;
    if (!ok) return false;
    l->block_rows = block_rows(&l->g);
    const size_t blocks = (size_t)((nz - 1) / l->block_rows + 1),
                 need = blocks * LINEAR_SCRATCH_ROWS * l->g.stride;
    if (need > s->scratch_count) s->scratch_count = need;
    return true;
}

// Numbers in block_edges.
static size_t edge_count(const struct linear_level *l)
{
    return 2 * (size_t)((l->g.nz - 1) / l->block_rows + 1) * (size_t)l->g.nx;
}

static bool alloc_vectors(struct linear_solver *s)
{
    const struct memory *m = &s->memory;
    const struct grid *g = &s->level[0].g;
    if (g->size > UINT32_MAX) return false; // region numbers are 32-bit cell indices
    s->b = linear_alloc_vector(g, m);
    s->workspace = linear_alloc_vector(g, m);
    for (int i = 0; i < 2; ++i) s->p[i] = grid_alloc_field(g, m, DIRECTION_SLOT + i);
    s->block_edges = memory_alloc(m, edge_count(&s->level[0]), sizeof *s->block_edges);
    s->scratch = memory_alloc(m, s->scratch_count, sizeof *s->scratch);
    s->row_sums = memory_alloc(m, (size_t)g->nz * LINEAR_SUMS, sizeof *s->row_sums);
    s->checkerboard = memory_alloc(m, g->stride, sizeof *s->checkerboard);
    s->open_faces = memory_alloc(m, g->size, sizeof *s->open_faces);
    s->region = memory_alloc(m, g->size, sizeof *s->region);
    if (!s->b || !s->workspace || !s->p[0] || !s->p[1] || !s->block_edges || !s->scratch) return false;
    if (!s->row_sums || !s->checkerboard || !s->open_faces || !s->region) return false;
    for (size_t i = 0; i < g->stride; i += 2) s->checkerboard[i] = 1.0f;
    return true;
}

struct linear_solver *linear_create(const struct memory *m, struct parallel *pool,
                                    const struct linear_kind *kind, const struct grid *g)
{
    struct linear_solver *s = memory_alloc(m, 1, sizeof *s);
    if (!s) return NULL;
    s->kind = kind;
    s->memory = *m;
    s->pool = pool;
    s->kernels = KERNELS_SELECT(linear_rows_kernels);
    s->mg_kernels = KERNELS_SELECT(multigrid_kernels);
    const bool has_levels = linear_add_level(s, g->nx, g->nz) && (!kind->create || kind->create(s));
    if (has_levels && alloc_vectors(s)) return s;
    linear_destroy(s);
    return NULL;
}

void linear_destroy(struct linear_solver *s)
{
    if (!s) return;
    const struct memory m = s->memory;
    const struct grid *g = &s->level[0].g;
    if (s->kind->destroy) s->kind->destroy(s);
    low_rank_free(s);
    linear_free_vector(g, &m, s->b);
    linear_free_vector(g, &m, s->workspace);
    for (int i = 0; i < 2; ++i) grid_free_field(g, &m, s->p[i], DIRECTION_SLOT + i);
    if (s->block_edges) memory_free(&m, s->block_edges, edge_count(&s->level[0]), sizeof *s->block_edges);
    memory_free(&m, s->scratch, s->scratch_count, sizeof *s->scratch);
    memory_free(&m, s->row_sums, (size_t)g->nz * LINEAR_SUMS, sizeof *s->row_sums);
    memory_free(&m, s->checkerboard, g->stride, sizeof *s->checkerboard);
    memory_free(&m, s->open_faces, g->size, sizeof *s->open_faces);
    memory_free(&m, s->region, g->size, sizeof *s->region);
    for (int n = 0; n < s->levels; ++n) {
        float **fields[LEVEL_FIELDS];
        level_fields(&s->level[n], fields);
        for (int i = 0; i < LEVEL_FIELDS; ++i) grid_free_field(&s->level[n].g, &m, *fields[i], i);
    }
    memory_free(&m, s, 1, sizeof *s);
}

// ---- setup ----

// Arguments of the row callbacks.
struct job {
    struct linear_solver *s;
    const struct linear_system *system;
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

double linear_add_rows(const struct linear_solver *s, int slot)
{
    double sum = 0.0;
    for (int j = 0; j < s->level[0].g.nz; ++j) sum += s->row_sums[(size_t)j * LINEAR_SUMS + (size_t)slot];
    return sum;
}

static void assemble_pass(void *ctx, int j0, int j1)
{
    const struct job *job = ctx;
    struct linear_solver *s = job->s;
    struct linear_level *l = &s->level[0];
    s->kernels->assemble(job->system, l, s->open_faces, linear_block_scratch(s, l, j0), s->row_sums, j0, j1);
}

tarn_result linear_setup(struct linear_solver *s, const struct linear_system *system)
{
    struct job job = {.s = s, .system = system};
    if (system->term_count > 0 && !s->kind->supports_terms) return TARN_BAD_ARGUMENT;
    s->has_alpha = system->alpha != NULL;
    s->has_dirichlet_side = false;
    for (int k = 0; k < LINEAR_SIDES; ++k) s->has_dirichlet_side |= system->boundary_factor[k] > 0.0f;
    memcpy(s->level[0].boundary_factor, system->boundary_factor, sizeof system->boundary_factor);
    s->terms = system->terms;
    s->term_count = system->term_count;
    for (int n = 0; n < s->levels; ++n) {
        s->level[n].periodic_x = system->periodic_x;
        s->level[n].periodic_z = system->periodic_z;
    }
    for_finest_rows(&job, assemble_pass);
    s->active_count = (size_t)linear_add_rows(s, 0);
    null_space_find(s, (size_t)linear_add_rows(s, 1));
    s->max_term_strength = s->kind->is_near_inverse ? low_rank_strength(s) : 0.0;
    if (s->kind->setup) s->kind->setup(s);
    return !s->kind->is_near_inverse || low_rank_setup(s) ? TARN_OK : TARN_NO_MEMORY;
}

// ---- operations of an iteration ----

static void update_x_pass(void *ctx, int j0, int j1)
{
    const struct job *job = ctx;
    job->s->kernels->update_x(&job->update, double_scratch(job->s, j0), j0, j1);
}

// Blocks need the rows of their neighbours before the update.
static void save_block_edges(const struct linear_solver *s, const double *x)
{
    const struct linear_level *l = &s->level[0];
    const size_t bytes = (size_t)l->g.nx * sizeof *x;
    for (int j0 = 0; j0 < l->g.nz; j0 += l->block_rows) {
        const int last = imin(j0 + l->block_rows, l->g.nz) - 1;
        memcpy(linear_block_edge(l, s->block_edges, j0), x + grid_at(&l->g, 0, j0), bytes);
        memcpy(linear_block_edge(l, s->block_edges, last), x + grid_at(&l->g, 0, last), bytes);
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
    s->kernels->direction(l, s->has_alpha, l->z, (float)job->factor, s->p[s->p_current], s->p[!s->p_current],
                          linear_block_scratch(s, l, j0), s->row_sums, j0, j1);
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
