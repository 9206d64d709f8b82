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

enum { FIELDS = 9, VECTORS = 5 };

static void list_fields(struct linear_level *l, float **list[FIELDS])
{
    float **all[FIELDS] = {&l->west,        &l->south, &l->alpha, &l->inverse, &l->share_west,
                           &l->share_south, &l->r,     &l->x,     &l->z};
    memcpy(list, all, sizeof all);
}

static void list_vectors(struct linear_solver *s, double **list[VECTORS])
{
    double **all[VECTORS] = {&s->b, &s->r, &s->p[0], &s->p[1], &s->q};
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

static bool add_vectors(struct linear_solver *s)
{
    const struct grid *g = &s->level[0].g;
    double **vectors[VECTORS];
    if (g->count > UINT32_MAX) return false; // regions are numbered by cells
    list_vectors(s, vectors);
    for (int i = 0; i < VECTORS; ++i)
        if (!(*vectors[i] = linear_vector(g, &s->memory))) return false;
    s->scratch = memory_alloc(&s->memory, s->scratch_count, sizeof *s->scratch);
    s->sums = memory_alloc(&s->memory, (size_t)g->nz, sizeof *s->sums);
    s->tick = memory_alloc(&s->memory, g->stride, sizeof *s->tick);
    s->region = memory_alloc(&s->memory, g->count, sizeof *s->region);
    if (!s->scratch || !s->sums || !s->tick || !s->region) return false;
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
    double **vectors[VECTORS];
    if (s->kind->destroy) s->kind->destroy(s);
    list_vectors(s, vectors);
    for (int i = 0; i < VECTORS; ++i) linear_vector_free(g, &m, *vectors[i]);
    memory_free(&m, s->scratch, s->scratch_count, sizeof *s->scratch);
    memory_free(&m, s->sums, (size_t)g->nz, sizeof *s->sums);
    memory_free(&m, s->tick, g->stride, sizeof *s->tick);
    memory_free(&m, s->region, g->count, sizeof *s->region);
    for (int n = 0; n < s->levels; ++n) {
        float **fields[FIELDS];
        list_fields(&s->level[n], fields);
        for (int i = 0; i < FIELDS; ++i) grid_field_free(&s->level[n].g, &m, *fields[i], i);
    }
    memory_free(&m, s, 1, sizeof *s);
}

// ---- the operator ----

struct job {
    struct linear_solver *s;
    const struct linear *system;
    const double *b;
    double *x;
    double a;
};

static void weigh(void *ctx, int j0, int j1)
{
    const struct job *job = ctx;
    job->s->k->weigh(job->system, &job->s->level[0], j0, j1);
}

static void invert(void *ctx, int j0, int j1)
{
    const struct job *job = ctx;
    job->s->k->invert(&job->s->level[0], job->s->has_alpha, j0, j1);
}

static void run(struct job *job, rows_fn fn)
{
    const struct linear_level *l = &job->s->level[0];
    parallel_rows(job->s->pool, l->g.nz, l->block, fn, job);
}

double linear_sum(const struct linear_solver *s)
{
    double sum = 0.0;
    for (int j = 0; j < s->level[0].g.nz; ++j) sum += s->sums[j];
    return sum;
}

tarn_result linear_prepare(struct linear_solver *s, const struct linear *system)
{
    struct job job = {.s = s, .system = system};
    if (system->term_count > 0 && !s->kind->terms) return TARN_BAD_ARGUMENT;
    s->has_alpha = system->alpha != NULL;
    s->terms = system->terms;
    s->term_count = system->term_count;
    for (int n = 0; n < s->levels; ++n) {
        s->level[n].wrap_x = system->wrap_x;
        s->level[n].wrap_z = system->wrap_z;
    }
    run(&job, weigh);
    run(&job, invert);
    linear_find_regions(s);
    if (s->kind->prepare) s->kind->prepare(s);
    return TARN_OK;
}

double linear_scale(const struct linear_solver *s) { return sqrt((double)s->open) / s->norm; }

static bool term_has(const struct linear_solver *s, size_t c) { return s->level[0].inverse[c] > 0.0f; }

// q += c J (J . p); the part of p A p that they make.
static double add_terms(struct linear_solver *s, const double *p)
{
    double sum = 0.0;
    for (int n = 0; n < s->term_count; ++n) {
        const struct linear_term *t = &s->terms[n];
        double along = 0.0;
        for (int i = 0; i < t->count; ++i)
            if (term_has(s, t->at[i])) along += t->row[i] * p[t->at[i]];
        for (int i = 0; i < t->count; ++i)
            if (term_has(s, t->at[i])) s->q[t->at[i]] += t->c * along * t->row[i];
        sum += t->c * along * along;
    }
    return sum;
}

static void apply(void *ctx, int j0, int j1)
{
    const struct job *job = ctx;
    struct linear_solver *s = job->s;
    const struct linear_level *l = &s->level[0];
    double *scratch = (double *)(void *)linear_scratch(s, l, j0);
    if (job->x)
        s->k->direction(l, s->has_alpha, NULL, 0.0, job->x, s->p[0], s->q, scratch, s->sums, j0, j1);
    else
        s->k->direction(l, s->has_alpha, l->z, job->a, s->p[0], s->p[1], s->q, scratch, s->sums, j0, j1);
}

static void take_residual(void *ctx, int j0, int j1)
{
    const struct job *job = ctx;
    const struct linear_solver *s = job->s;
    s->k->residual(&s->level[0], s->b, job->b, job->a, s->r, s->sums, j0, j1);
}

static void size(void *ctx, int j0, int j1)
{
    const struct job *job = ctx;
    job->s->k->size(&job->s->level[0], job->x, job->s->sums, j0, j1);
}

double linear_residual(struct linear_solver *s, const double *x)
{
    struct job job = {.s = s, .x = (double *)x, .a = linear_scale(s)}; // not written
    run(&job, size);
    if (linear_sum(s) != 0.0) { // many begin from 0, where A x is known
        run(&job, apply);
        add_terms(s, s->p[0]);
        job.b = s->q;
    }
    run(&job, take_residual);
    return sqrt(linear_sum(s));
}

double linear_direction(struct linear_solver *s, double beta)
{
    struct job job = {.s = s, .a = beta};
    run(&job, apply);
    const double sum = linear_sum(s) + add_terms(s, s->p[1]);
    double *const p = s->p[0];
    s->p[0] = s->p[1];
    s->p[1] = p;
    return sum;
}

static void advance(void *ctx, int j0, int j1)
{
    const struct job *job = ctx;
    const struct linear_solver *s = job->s;
    s->k->advance(&s->level[0], job->a, linear_scale(s), s->p[0], s->q, job->x, s->r, s->sums, j0, j1);
}

double linear_advance(struct linear_solver *s, double a, double *x)
{
    struct job job = {.s = s, .x = x, .a = a / linear_scale(s)};
    run(&job, advance);
    return sqrt(linear_sum(s));
}

static void correct(void *ctx, int j0, int j1)
{
    const struct job *job = ctx;
    job->s->k->add(&job->s->level[0], 1.0 / linear_scale(job->s), job->x, j0, j1);
}

void linear_correct(struct linear_solver *s, double *x)
{
    struct job job = {.s = s, .x = x};
    run(&job, correct);
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
    return linear_sum(s);
}

// ---- solving ----

static void load(void *ctx, int j0, int j1)
{
    const struct job *job = ctx;
    job->s->k->load(&job->s->level[0], job->b, job->x, job->s->sums, j0, j1);
}

static void shift(void *ctx, int j0, int j1)
{
    const struct job *job = ctx;
    job->s->k->shift(&job->s->level[0], job->a, job->x, job->s->sums, j0, j1);
}

// v without its means, 0 where not open; |v|. From b to v, which may be the same.
static double centre(struct linear_solver *s, const double *b, double *v)
{
    struct job job = {.s = s, .b = b, .x = v};
    run(&job, load);
    if (s->whole)
        job.a = linear_sum(s) / (double)s->open;
    else if (s->regions > 0)
        linear_centre_regions(s, v);
    run(&job, shift);
    return sqrt(linear_sum(s));
}

// Centre x and look at what is really left.
static double look(struct linear_solver *s, double *x)
{
    centre(s, x, x);
    return linear_residual(s, x);
}

// Conjugate gradients, [hestenes1952] with a preconditioner. When the residual that is carried along is small enough the
// true one decides, and the search begins anew if it is not.
static double search(struct linear_solver *s, double *x, double enough, int most, double left, int *count)
{
    double old = 0.0; // 0: no direction yet
    bool looked = false;
    for (*count = 0; *count < most && !(left <= enough);) {
        const double rz = s->kind->precondition(s);
        const double pq = linear_direction(s, old > 0.0 ? rz / old : 0.0);
        if (!(rz > 0.0 && pq > 0.0)) break; // no way to go: solved to rounding, or not finite
        left = linear_advance(s, rz / pq, x);
        old = rz;
        ++*count;
        looked = left <= enough;
        if (!looked) continue;
        left = look(s, x);
        old = 0.0;
    }
    return looked ? left : look(s, x);
}

enum { GROUP = 48 }; // sweeps between looks

// Sweeps on the residual in float, added up in double.
static double sweep(struct linear_solver *s, double *x, double enough, int most, double left, int *count)
{
    for (*count = 0; *count < most && !(left <= enough);) {
        *count += s->kind->sweep(s, imin(GROUP, most - *count));
        linear_correct(s, x);
        left = look(s, x);
    }
    return *count > 0 ? left : look(s, x);
}

void linear_solve(struct linear_solver *s, const double *b, double *x, double tolerance, int most,
                  struct linear_report *report)
{
    s->norm = centre(s, b, s->b);
    *report = (struct linear_report){.residual = s->norm};
    if (!(s->norm > 0.0)) { // no right-hand side, or no open cell, or NaN
        for (int j = 0; j < s->level[0].g.nz; ++j)
            memset(x + grid_at(&s->level[0].g, 0, j), 0, (size_t)s->level[0].g.nx * sizeof *x);
        return;
    }
    const double left = linear_residual(s, x), enough = tolerance * s->norm;
    if (most <= 0) most = s->kind->most;
    report->start = left / s->norm;
    report->residual =
        (s->kind->precondition ? search : sweep)(s, x, enough, most, left, &report->iterations) / s->norm;
}
