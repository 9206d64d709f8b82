// Linear solvers: table of kinds, memory and setup. The iterations are in pcg.c.
#include "linear_rows.h"
#include "multigrid_rows.h"

#include "base/error.h"
#include "base/kind_list.h"
#include "base/math/math.h"

#include <string.h>

#define KIND_PREFIX linear
// Every linear solver in the order that users see; X(name) stands for `linear_name`, defined in multigrid.c
// or basic_kinds.c.
#define LINEAR_KINDS(X) \
    X(multigrid)        \
    X(cg)               \
    X(gauss_seidel)     \
    X(jacobi)

LINEAR_KINDS(DECLARE_KIND)
static const struct linear_kind *const kinds[] = {LINEAR_KINDS(KIND_ADDRESS)};

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
    s->region_sums = linear_alloc_vector(g, m);
    for (int i = 0; i < 2; ++i) s->p[i] = grid_alloc_field(g, m, DIRECTION_SLOT + i);
    s->block_edges = memory_alloc(m, edge_count(&s->level[0]), sizeof *s->block_edges);
    s->scratch = memory_alloc(m, s->scratch_count, sizeof *s->scratch);
    s->row_sums = memory_alloc(m, (size_t)g->nz * LINEAR_SUMS, sizeof *s->row_sums);
    s->checkerboard = memory_alloc(m, g->stride, sizeof *s->checkerboard);
    s->open_faces = memory_alloc(m, g->size, sizeof *s->open_faces);
    s->region = memory_alloc(m, g->size, sizeof *s->region);
    if (!s->b || !s->region_sums || !s->p[0] || !s->p[1] || !s->block_edges || !s->scratch) return false;
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
    linear_free_vector(g, &m, s->region_sums);
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

struct job {
    struct linear_solver *s;
    const struct linear_system *system;
};

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
    parallel_for_rows(s->pool, s->level[0].g.nz, s->level[0].block_rows, assemble_pass, &job);
    s->active_count = (size_t)linear_add_rows(s, 0);
    null_space_find(s, (size_t)linear_add_rows(s, 1));
    s->max_term_strength = s->kind->is_near_inverse ? low_rank_strength(s) : 0.0;
    if (s->kind->setup) s->kind->setup(s);
    return !s->kind->is_near_inverse || low_rank_setup(s) ? TARN_OK : TARN_NO_MEMORY;
}
