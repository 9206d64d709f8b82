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

double *linear_vector(const struct grid *g, const struct memory *m)
{
    return memory_alloc(m, g->count, sizeof(double));
}

void linear_vector_free(const struct grid *g, const struct memory *m, double *v)
{
    memory_free(m, v, g->count, sizeof *v);
}

enum { FIELDS = 9, SLOT = FIELDS };

static void list_fields(struct linear_level *l, float **list[FIELDS])
{
    float **all[FIELDS] = {&l->west,        &l->south, &l->alpha, &l->inverse, &l->share_west,
                           &l->share_south, &l->r,     &l->x,     &l->z};
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
    bool good = grid_init(&l->g, nx, nz, 1.0);
    list_fields(l, fields);
    for (int i = 0; i < FIELDS && good; ++i) good = (*fields[i] = grid_field(&l->g, &s->memory, i)) != NULL;
    if (!good) return false;
    l->block = block_rows(&l->g);
    const size_t blocks = (size_t)((nz - 1) / l->block + 1),
                 need = blocks * LINEAR_SCRATCH_ROWS * l->g.stride;
    if (need > s->scratch_count) s->scratch_count = need;
    return true;
}

// Rows of x that are kept while it is moved.
static size_t edge_count(const struct linear_level *l)
{
    return 2 * (size_t)((l->g.nz - 1) / l->block + 1) * (size_t)l->g.nx;
}

static bool add_vectors(struct linear_solver *s)
{
    const struct memory *m = &s->memory;
    const struct grid *g = &s->level[0].g;
    if (g->count > UINT32_MAX) return false; // regions are numbered by cells
    s->b = linear_vector(g, m);
    s->work = linear_vector(g, m);
    for (int i = 0; i < 2; ++i) s->p[i] = grid_field(g, m, SLOT + i);
    s->edge = memory_alloc(m, edge_count(&s->level[0]), sizeof *s->edge);
    s->scratch = memory_alloc(m, s->scratch_count, sizeof *s->scratch);
    s->sums = memory_alloc(m, (size_t)g->nz * LINEAR_SUMS, sizeof *s->sums);
    s->tick = memory_alloc(m, g->stride, sizeof *s->tick);
    s->marks = memory_alloc(m, g->count, sizeof *s->marks);
    s->region = memory_alloc(m, g->count, sizeof *s->region);
    if (!s->b || !s->work || !s->p[0] || !s->p[1] || !s->edge || !s->scratch) return false;
    if (!s->sums || !s->tick || !s->marks || !s->region) return false;
    for (size_t i = 0; i < g->stride; i += 2) s->tick[i] = 1.0f;
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
    s->k = KERNELS_PICK(linear_rows_kernels);
    s->cycle = KERNELS_PICK(multigrid_kernels);
    const bool levels = linear_add_level(s, g->nx, g->nz) && (!kind->create || kind->create(s));
    if (levels && add_vectors(s)) return s;
    linear_destroy(s);
    return NULL;
}

void linear_destroy(struct linear_solver *s)
{
    if (!s) return;
    const struct memory m = s->memory;
    const struct grid *g = &s->level[0].g;
    if (s->kind->destroy) s->kind->destroy(s);
    linear_terms_free(s);
    linear_vector_free(g, &m, s->b);
    linear_vector_free(g, &m, s->work);
    for (int i = 0; i < 2; ++i) grid_field_free(g, &m, s->p[i], SLOT + i);
    if (s->edge) memory_free(&m, s->edge, edge_count(&s->level[0]), sizeof *s->edge);
    memory_free(&m, s->scratch, s->scratch_count, sizeof *s->scratch);
    memory_free(&m, s->sums, (size_t)g->nz * LINEAR_SUMS, sizeof *s->sums);
    memory_free(&m, s->tick, g->stride, sizeof *s->tick);
    memory_free(&m, s->marks, g->count, sizeof *s->marks);
    memory_free(&m, s->region, g->count, sizeof *s->region);
    for (int n = 0; n < s->levels; ++n) {
        float **fields[FIELDS];
        list_fields(&s->level[n], fields);
        for (int i = 0; i < FIELDS; ++i) grid_field_free(&s->level[n].g, &m, *fields[i], i);
    }
    memory_free(&m, s, 1, sizeof *s);
}

// ---- taking over a system ----

struct job {
    struct linear_solver *s;
    const struct linear *system;
    const double *b;
    double *x;
    double a;
    struct linear_move move;
};

static void run(struct job *job, rows_fn fn)
{
    const struct linear_level *l = &job->s->level[0];
    parallel_rows(job->s->pool, l->g.nz, l->block, fn, job);
}

static double *scratch_of(const struct linear_solver *s, int j0)
{
    return (double *)(void *)linear_scratch(s, &s->level[0], j0); // blocks begin with whole lines
}

double linear_sum(const struct linear_solver *s, int which)
{
    double sum = 0.0;
    for (int j = 0; j < s->level[0].g.nz; ++j) sum += s->sums[(size_t)j * LINEAR_SUMS + (size_t)which];
    return sum;
}

static void weigh(void *ctx, int j0, int j1)
{
    const struct job *job = ctx;
    struct linear_solver *s = job->s;
    struct linear_level *l = &s->level[0];
    s->k->weigh(job->system, l, s->marks, linear_scratch(s, l, j0), s->sums, j0, j1);
}

tarn_result linear_prepare(struct linear_solver *s, const struct linear *system)
{
    struct job job = {.s = s, .system = system};
    if (system->term_count > 0 && !s->kind->terms) return TARN_BAD_ARGUMENT;
    s->has_alpha = system->alpha != NULL;
    s->leads_out = false;
    for (int k = 0; k < LINEAR_SIDES; ++k) s->leads_out |= system->side[k] > 0.0f;
    memcpy(s->level[0].side, system->side, sizeof system->side);
    s->terms = system->terms;
    s->term_count = system->term_count;
    for (int n = 0; n < s->levels; ++n) {
        s->level[n].wrap_x = system->wrap_x;
        s->level[n].wrap_z = system->wrap_z;
    }
    run(&job, weigh);
    s->open = (size_t)linear_sum(s, 0);
    linear_find_regions(s, (size_t)linear_sum(s, 1));
    s->strength = s->kind->close ? linear_terms_strength(s) : 0.0;
    if (s->kind->prepare) s->kind->prepare(s);
    return !s->kind->close || linear_terms_prepare(s) ? TARN_OK : TARN_NO_MEMORY;
}

// ---- the steps of solvers ----

static void move(void *ctx, int j0, int j1)
{
    const struct job *job = ctx;
    job->s->k->move(&job->move, scratch_of(job->s, j0), j0, j1);
}

static void keep_edges(const struct linear_solver *s, const double *x)
{
    const struct linear_level *l = &s->level[0];
    const size_t bytes = (size_t)l->g.nx * sizeof *x;
    for (int j0 = 0; j0 < l->g.nz; j0 += l->block) {
        const int last = imin(j0 + l->block, l->g.nz) - 1;
        memcpy(linear_edge(l, s->edge, j0), x + grid_at(&l->g, 0, j0), bytes);
        memcpy(linear_edge(l, s->edge, last), x + grid_at(&l->g, 0, last), bytes);
    }
}

double linear_move(struct linear_solver *s, const float *p, double a, double *x)
{
    struct job job = {.s = s};
    job.move = (struct linear_move){.l = &s->level[0],
                                    .has_alpha = s->has_alpha,
                                    .b = s->b,
                                    .x = x,
                                    .edge = s->edge,
                                    .p = p,
                                    .a = a,
                                    .shift = p ? s->mean : a,
                                    .scale = s->scale,
                                    .fresh = s->fresh,
                                    .sums = s->sums};
    if (s->term_count > 0) linear_terms_move(s, &job.move);
    if (!s->fresh) keep_edges(s, x);
    run(&job, move);
    s->fresh = false;
    s->mean = 0.0;
    s->total = linear_sum(s, 1);
    s->squares = linear_sum(s, 2);
    s->peak = 0.0;
    for (int j = 0; j < s->level[0].g.nz; ++j) s->peak = fmax(s->peak, s->sums[(size_t)j * LINEAR_SUMS + 3]);
    s->peak /= s->scale;
    return sqrt(linear_sum(s, 0));
}

static void direct_search(void *ctx, int j0, int j1)
{
    const struct job *job = ctx;
    const struct linear_solver *s = job->s;
    const struct linear_level *l = &s->level[0];
    s->k->direction(l, s->has_alpha, l->z, (float)job->a, s->p[s->last], s->p[!s->last],
                    linear_scratch(s, l, j0), s->sums, j0, j1);
}

double linear_direction(struct linear_solver *s, double beta)
{
    struct job job = {.s = s, .a = beta};
    run(&job, direct_search);
    s->last = !s->last;
    return linear_sum(s, 0) + linear_terms_energy(s, s->p[s->last]);
}

static void scale(void *ctx, int j0, int j1)
{
    const struct job *job = ctx;
    job->s->k->scale(&job->s->level[0], job->s->sums, j0, j1);
}

double linear_diagonal(struct linear_solver *s)
{
    struct job job = {.s = s};
    run(&job, scale);
    return linear_sum(s, 0);
}

// ---- solving ----

static void survey(void *ctx, int j0, int j1)
{
    const struct job *job = ctx;
    struct linear_solver *s = job->s;
    s->k->survey(&s->level[0], job->b, job->x, scratch_of(s, j0), s->sums, j0, j1);
}

static void take(void *ctx, int j0, int j1)
{
    const struct job *job = ctx;
    struct linear_solver *s = job->s;
    s->k->take(&s->level[0], job->b, job->a, s->scale, s->b, s->sums, j0, j1);
}

static void shift(void *ctx, int j0, int j1)
{
    const struct job *job = ctx;
    job->s->k->shift(&job->s->level[0], job->a, job->x, j0, j1);
}

// b less its means into s->b and scaled into level[0].r. The scale needs to be roughly right only, so what a first look
// at b says will do unless most of it is the mean.
static void take_b(struct linear_solver *s, const double *b)
{
    struct job job = {.s = s, .b = b};
    const double sum = linear_sum(s, 0), squares = linear_sum(s, 1), cells = (double)s->open;
    if (s->whole) job.a = sum / cells;
    const double left = squares - job.a * sum;
    const bool known = (s->whole || s->regions == 0) && left > 1e-6 * squares;
    s->scale = known ? sqrt(cells / left) : 0.0;
    run(&job, take);
    if (!known) {
        if (!s->whole && s->regions > 0) linear_centre_regions(s, s->b);
        job.b = s->b;
        run(&job, take);
        s->scale = sqrt(cells / linear_sum(s, 0));
        run(&job, take);
    }
    s->norm = sqrt(linear_sum(s, 0));
}

static void centre(struct linear_solver *s, double *x)
{
    struct job job = {.s = s, .x = x, .a = s->total / (double)s->open};
    if (s->whole && s->total * s->total > 1e-28 * s->squares)
        run(&job, shift);
    else if (!s->whole && s->regions > 0)
        linear_centre_regions(s, x);
}

// What the x that came in leaves.
static double start(struct linear_solver *s, const double sums[2], double *x)
{
    const double mean = s->whole ? sums[0] / (double)s->open : 0.0;
    s->fresh = sums[1] == 0.0;
    s->peak = INFINITY;
    if (s->fresh) return s->norm; // many begin from 0
    double left = linear_move(s, NULL, mean, x);
    if (!s->whole && s->regions > 0) {
        linear_centre_regions(s, x);
        left = linear_move(s, NULL, 0.0, x);
    }
    return left;
}

static const double ROUGH = 0.045;
enum { PATIENCE = 5 };

static bool good(const struct linear_solver *s, double left, const struct linear_goal *goal)
{
    return left <= goal->part * s->norm && (!(goal->peak > 0.0) || s->peak <= goal->peak);
}

// Conjugate gradients, [hestenes1952] with a preconditioner. The first step of a kind that knows how long it should be is
// taken as it is: conjugate gradients would make the energy of the error least, this makes the residual smaller. Where a
// step that leaves ROUGH of noise will do it is cheaper.
static double search(struct linear_solver *s, double *x, const struct linear_goal *goal, double left,
                     int *count)
{
    double old = 0.0, least = left; // old 0: no direction yet
    int since = 0;                  // the least residual
    if (s->kind->close && linear_terms_deflated(s) && goal->most > 0 && !good(s, left, goal)) {
        const double before = left, a = 1.0 / s->scale;
        s->rough = goal->part * s->norm > ROUGH * left;
        s->kind->precondition(s);
        s->rough = false;
        linear_terms_deflate(s);
        left = linear_move(s, s->level[0].z, a, x);
        if (!(left < before)) { // not so; then only what deflation asks for
            left = linear_move(s, s->level[0].z, -a, x);
            if (linear_terms_lead(s)) left = linear_move(s, s->level[0].z, a, x);
        }
        ++*count;
    }
    while (*count < goal->most && !good(s, left, goal)) {
        const double rz = s->kind->precondition(s) + linear_terms_deflate(s);
        const double pq = linear_direction(s, old > 0.0 ? rz / old : 0.0);
        if (!(rz > 0.0 && pq > 0.0)) { // no way to go: solved to rounding, or not finite
            if (!linear_cycle_terms_forget(s)) break;
            old = 0.0;
            continue;
        }
        left = linear_move(s, s->p[s->last], rz / pq / s->scale, x);
        old = rz;
        ++*count;
        since = left < least ? 0 : since + 1;
        least = fmin(least, left);
        if (since == PATIENCE) old = 0.0, since = 0; // rounding has turned the directions: anew from here
    }
    return left;
}

enum { GROUP = 48 }; // sweeps between looks

// Sweeps on the residual in float, added up in double.
static double sweep(struct linear_solver *s, double *x, const struct linear_goal *goal, double left,
                    int *count)
{
    while (*count < goal->most && !good(s, left, goal)) {
        *count += s->kind->sweep(s, imin(GROUP, goal->most - *count));
        left = linear_move(s, s->level[0].z, 1.0 / s->scale, x);
    }
    return left;
}

static void clear(const struct linear_solver *s, double *x)
{
    for (int j = 0; j < s->level[0].g.nz; ++j)
        memset(x + grid_at(&s->level[0].g, 0, j), 0, (size_t)s->level[0].g.nx * sizeof *x);
}

void linear_solve(struct linear_solver *s, const double *b, double *x, struct linear_goal goal,
                  struct linear_report *report)
{
    struct job job = {.s = s, .b = b, .x = x};
    run(&job, survey);
    const double sums[2] = {linear_sum(s, 2), linear_sum(s, 3)};
    take_b(s, b);
    *report = (struct linear_report){.residual = s->norm};
    if (!(s->norm > 0.0)) { // no right-hand side, or no open cell, or NaN
        clear(s, x);
        return;
    }
    linear_terms_begin(s);
    const double left = start(s, sums, x);
    if (goal.most <= 0) goal.most = s->kind->most;
    report->start = left / s->norm;
    report->residual =
        (s->kind->precondition ? search : sweep)(s, x, &goal, left, &report->iterations) / s->norm;
    if (s->fresh) {
        clear(s, x); // 0 was good enough
        return;
    }
    report->size = sqrt(s->squares);
    centre(s, x);
}
