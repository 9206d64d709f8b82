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

enum { FIELDS = 9, SLOT = FIELDS };

static void level_fields(struct linear_level *l, float **list[FIELDS])
{
    float **all[FIELDS] = {&l->coef_x, &l->coef_z, &l->alpha, &l->inv_diagonal, &l->interp_x, &l->interp_z,
                           &l->r,      &l->x,      &l->z};
    memcpy(list, all, sizeof all);
}

// Blocks do a few rows of their neighbours' work again, so they should not be thin; pairs of rows stay together.
static int block_rows(const struct grid *g)
{
    const int rows = imax(grid_block_rows(g), 96);
    return imin(rows + rows % 2, g->nz + g->nz % 2);
}

bool linear_add_level(struct linear_solver *s, int nx, int nz)
{
    struct linear_level *l = &s->level[s->levels++];
    float **fields[FIELDS];
    bool is_converged = grid_init(&l->g, nx, nz, 1.0);
    level_fields(l, fields);
    for (int i = 0; i < FIELDS && is_converged; ++i)
        is_converged = (*fields[i] = grid_alloc_field(&l->g, &s->memory, i)) != NULL;
    if (!is_converged) return false;
    l->block_rows = block_rows(&l->g);
    const size_t blocks = (size_t)((nz - 1) / l->block_rows + 1),
                 need = blocks * LINEAR_SCRATCH_ROWS * l->g.stride;
    if (need > s->scratch_count) s->scratch_count = need;
    return true;
}

// Rows of x that are kept while it is moved.
static size_t edge_count(const struct linear_level *l)
{
    return 2 * (size_t)((l->g.nz - 1) / l->block_rows + 1) * (size_t)l->g.nx;
}

static bool alloc_vectors(struct linear_solver *s)
{
    const struct memory *m = &s->memory;
    const struct grid *g = &s->level[0].g;
    if (g->size > UINT32_MAX) return false; // regions are numbered by cells
    s->b = linear_alloc_vector(g, m);
    s->workspace = linear_alloc_vector(g, m);
    for (int i = 0; i < 2; ++i) s->p[i] = grid_alloc_field(g, m, SLOT + i);
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
    const bool levels = linear_add_level(s, g->nx, g->nz) && (!kind->create || kind->create(s));
    if (levels && alloc_vectors(s)) return s;
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
    for (int i = 0; i < 2; ++i) grid_free_field(g, &m, s->p[i], SLOT + i);
    if (s->block_edges) memory_free(&m, s->block_edges, edge_count(&s->level[0]), sizeof *s->block_edges);
    memory_free(&m, s->scratch, s->scratch_count, sizeof *s->scratch);
    memory_free(&m, s->row_sums, (size_t)g->nz * LINEAR_SUMS, sizeof *s->row_sums);
    memory_free(&m, s->checkerboard, g->stride, sizeof *s->checkerboard);
    memory_free(&m, s->open_faces, g->size, sizeof *s->open_faces);
    memory_free(&m, s->region, g->size, sizeof *s->region);
    for (int n = 0; n < s->levels; ++n) {
        float **fields[FIELDS];
        level_fields(&s->level[n], fields);
        for (int i = 0; i < FIELDS; ++i) grid_free_field(&s->level[n].g, &m, *fields[i], i);
    }
    memory_free(&m, s, 1, sizeof *s);
}

// ---- taking over a system ----

struct job {
    struct linear_solver *s;
    const struct linear_system *system;
    const double *b;
    double *x;
    double a;
    struct linear_update move;
};

static void for_finest_rows(struct job *job, row_range_fn fn)
{
    const struct linear_level *l = &job->s->level[0];
    parallel_for_rows(job->s->pool, l->g.nz, l->block_rows, fn, job);
}

static double *double_scratch(const struct linear_solver *s, int j0)
{
    return (double *)(void *)linear_block_scratch(s, &s->level[0], j0); // blocks begin with whole lines
}

double linear_add_rows(const struct linear_solver *s, int which)
{
    double sum = 0.0;
    for (int j = 0; j < s->level[0].g.nz; ++j) sum += s->row_sums[(size_t)j * LINEAR_SUMS + (size_t)which];
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

// ---- the steps of solvers ----

static void update_x_pass(void *ctx, int j0, int j1)
{
    const struct job *job = ctx;
    job->s->kernels->update_x(&job->move, double_scratch(job->s, j0), j0, j1);
}

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

double linear_update_x(struct linear_solver *s, const float *p, double a, double *x)
{
    struct job job = {.s = s};
    job.move = (struct linear_update){.l = &s->level[0],
                                      .has_alpha = s->has_alpha,
                                      .b = s->b,
                                      .x = x,
                                      .edge = s->block_edges,
                                      .p = p,
                                      .a = a,
                                      .shift = p ? s->z_mean : a,
                                      .scale = s->scale,
                                      .fresh = s->x_is_zero,
                                      .sums = s->row_sums};
    if (s->term_count > 0) low_rank_update_rhs(s, &job.move);
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
    s->kernels->direction(l, s->has_alpha, l->z, (float)job->a, s->p[s->p_current], s->p[!s->p_current],
                          linear_block_scratch(s, l, j0), s->row_sums, j0, j1);
}

double linear_update_direction(struct linear_solver *s, double beta)
{
    struct job job = {.s = s, .a = beta};
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
    s->kernels->load_rhs(&s->level[0], job->b, job->a, s->scale, s->b, s->row_sums, j0, j1);
}

static void subtract_mean_pass(void *ctx, int j0, int j1)
{
    const struct job *job = ctx;
    job->s->kernels->subtract(&job->s->level[0], job->a, job->x, j0, j1);
}

// b less its means into s->b and scaled into level[0].r. The scale needs to be roughly right only, so what a first look
// at b says will do unless most of it is the mean.
static void load_rhs(struct linear_solver *s, const double *b)
{
    struct job job = {.s = s, .b = b};
    const double sum = linear_add_rows(s, 0), squares = linear_add_rows(s, 1),
                 cells = (double)s->active_count;
    if (s->single_singular) job.a = sum / cells;
    const double left = squares - job.a * sum;
    const bool known = (s->single_singular || s->singular_count == 0) && left > 1e-6 * squares;
    s->scale = known ? sqrt(cells / left) : 0.0;
    for_finest_rows(&job, load_rhs_pass);
    if (!known) {
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
    struct job job = {.s = s, .x = x, .a = s->x_sum / (double)s->active_count};
    if (s->single_singular && s->x_sum * s->x_sum > 1e-28 * s->x_norm2)
        for_finest_rows(&job, subtract_mean_pass);
    else if (!s->single_singular && s->singular_count > 0)
        null_space_remove_means(s, x);
}

// What the x that came in leaves.
static double initial_residual(struct linear_solver *s, const double sums[2], double *x)
{
    const double mean = s->single_singular ? sums[0] / (double)s->active_count : 0.0;
    s->x_is_zero = sums[1] == 0.0;
    s->max_residual = INFINITY;
    if (s->x_is_zero) return s->b_norm; // many begin from 0
    double left = linear_update_x(s, NULL, mean, x);
    if (!s->single_singular && s->singular_count > 0) {
        null_space_remove_means(s, x);
        left = linear_update_x(s, NULL, 0.0, x);
    }
    return left;
}

static const double SINGLE_PRESWEEP_FACTOR = 0.045;
enum { STAGNATION_LIMIT = 5 };

static bool is_converged(const struct linear_solver *s, double left, const struct linear_tolerance *goal)
{
    return left <= goal->relative * s->b_norm &&
           (!(goal->max_residual > 0.0) || s->max_residual <= goal->max_residual);
}

// Conjugate gradients, [hestenes1952] with a preconditioner. The first step of a kind that knows how long it should be is
// taken as it is: conjugate gradients would make the energy of the error least, this makes the residual smaller. Where a
// step that leaves ROUGH of noise will do it is cheaper.
static double pcg_iterate(struct linear_solver *s, double *x, const struct linear_tolerance *goal,
                          double left, int *count)
{
    double old = 0.0, least = left; // old 0: no direction yet
    int since = 0;                  // the least residual
    if (s->kind->is_near_inverse && low_rank_is_preconditioned(s) && goal->max_iterations > 0 &&
        !is_converged(s, left, goal)) {
        const double before = left, a = 1.0 / s->scale;
        s->single_presweep = goal->relative * s->b_norm > SINGLE_PRESWEEP_FACTOR * left;
        s->kind->precondition(s);
        s->single_presweep = false;
        deflation_correct(s);
        left = linear_update_x(s, s->level[0].z, a, x);
        if (!(left < before)) { // not so; then only what deflation asks for
            left = linear_update_x(s, s->level[0].z, -a, x);
            if (deflation_start(s)) left = linear_update_x(s, s->level[0].z, a, x);
        }
        ++*count;
    }
    while (*count < goal->max_iterations && !is_converged(s, left, goal)) {
        const double rz = s->kind->precondition(s) + deflation_correct(s);
        const double pq = linear_update_direction(s, old > 0.0 ? rz / old : 0.0);
        if (!(rz > 0.0 && pq > 0.0)) { // no way to go: solved to rounding, or not finite
            if (!cycle_drop_terms(s)) break;
            old = 0.0;
            continue;
        }
        left = linear_update_x(s, s->p[s->p_current], rz / pq / s->scale, x);
        old = rz;
        ++*count;
        since = left < least ? 0 : since + 1;
        least = fmin(least, left);
        if (since == STAGNATION_LIMIT)
            old = 0.0, since = 0; // rounding has turned the directions: anew from here
    }
    return left;
}

enum { SWEEPS_PER_CHECK = 48 }; // sweeps between looks

// Sweeps on the residual in float, added up in double.
static double stationary_iterate(struct linear_solver *s, double *x, const struct linear_tolerance *goal,
                                 double left, int *count)
{
    while (*count < goal->max_iterations && !is_converged(s, left, goal)) {
        *count += s->kind->relax(s, imin(SWEEPS_PER_CHECK, goal->max_iterations - *count));
        left = linear_update_x(s, s->level[0].z, 1.0 / s->scale, x);
    }
    return left;
}

static void clear_solution(const struct linear_solver *s, double *x)
{
    for (int j = 0; j < s->level[0].g.nz; ++j)
        memset(x + grid_at(&s->level[0].g, 0, j), 0, (size_t)s->level[0].g.nx * sizeof *x);
}

void linear_solve(struct linear_solver *s, const double *b, double *x, struct linear_tolerance goal,
                  struct linear_report *report)
{
    struct job job = {.s = s, .b = b, .x = x};
    for_finest_rows(&job, measure_pass);
    const double sums[2] = {linear_add_rows(s, 2), linear_add_rows(s, 3)};
    load_rhs(s, b);
    *report = (struct linear_report){.residual = s->b_norm};
    if (!(s->b_norm > 0.0)) { // no right-hand side, or no open cell, or NaN
        clear_solution(s, x);
        return;
    }
    low_rank_save_rhs(s);
    const double left = initial_residual(s, sums, x);
    if (goal.max_iterations <= 0) goal.max_iterations = s->kind->max_iterations;
    report->start_residual = left / s->b_norm;
    report->residual =
        (s->kind->precondition ? pcg_iterate : stationary_iterate)(s, x, &goal, left, &report->iterations) /
        s->b_norm;
    if (s->x_is_zero) {
        clear_solution(s, x); // 0 was good enough
        return;
    }
    report->solution_norm = sqrt(s->x_norm2);
    subtract_mean(s, x);
}
