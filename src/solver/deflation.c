// Deflation of strong low-rank terms by A-DEF2 [tang2009].
//
// A strong term dominates the grid operator, for example that of a light floating body: smoothing sweeps
// without it increase the error, and each term would cost several iterations. With Z = (z_1, z_2, ...), z_t
// an approximation of A^-1 J_t, F = A + sum w J J^T the whole operator and E = Z^T F Z, the preconditioned
// residual z becomes
//
//     z + Z E^-1 (Z^T r - (F Z)^T z)
//
// z_t is computed by a few SOR sweeps on a patch around the cells of the term. E couples terms whose patches
// overlap, directly or through a third patch; it is stored as a banded matrix, with the terms in the order
// of their patches.
#include "banded_rows.h"
#include "low_rank.h"
#include "patch_rows.h"

#include "base/math/math.h"

#include <string.h>

enum { PATCH_SWEEPS = 6, SMALL_PATCH = 16, PATCH_MARGIN = 3, TERMS_PER_BLOCK = 8 };
static const float SOR_OMEGA = 1.5f;
#define MAX_FACTOR_WORK 1e9  // operations to factor E; above this limit terms are not deflated
#define PIVOT_TOLERANCE 1e-6 // smaller pivots of E, relative to its diagonal, are rounding errors

struct linear_deflation {
    int count;     // deflated terms; 0: nothing is deflated
    int half_band; // patches of terms t and u with |t - u| > half_band do not overlap
    // Per term t, in the order of patches:
    int *order; // number of the term in the system
    struct linear_patch *patch;
    double *jz, *zr;             // J_t . z, z_t . r
    float *z, *az;               // z_t and A z_t on the patches
    double *jz_band;             // J_u . z_t at [t (2 half_band + 1) + half_band + u - t]
    struct banded_ldlt galerkin; // E
    int order_capacity, patch_capacity, jz_capacity, zr_capacity, z_capacity, az_capacity, jz_band_capacity;
};

// J . v
static double dot_term(const struct linear_solver *s, const struct low_rank_term *t, const float *v)
{
    double sum = 0.0;
    for (int i = 0; i < t->count; ++i)
        if (linear_is_active(s, t->cells[i])) sum += t->values[i] * (double)v[t->cells[i]];
    return sum;
}

// ---- patches ----

// The interval from + low .. from + high of cells along an axis of n cells, extended by `margin` cells on
// both sides.
static void widen_interval(int from, int low, int high, int margin, int n, bool periodic, int *begin,
                           int *length)
{
    *begin = from + low - margin;
    *length = high - low + 1 + 2 * margin;
    if (*length >= n) {
        *begin = 0;
        *length = n;
    } else if (periodic) {
        *begin = (*begin + n) % n;
    } else {
        const int first = imax(*begin, 0);
        *length = imin(*begin + *length, n) - first;
        *begin = first;
    }
}

static void place_patch(const struct linear_level *l, const struct low_rank_term *t, struct linear_patch *p)
{
    const struct term_extent e = term_extent_of(l, t);
    const int margin = imax(term_extent_size(&e) / 2, PATCH_MARGIN);
    widen_interval(e.i0, e.low_x, e.high_x, margin, l->g.nx, l->periodic_x, &p->i0, &p->w);
    widen_interval(e.j0, e.low_z, e.high_z, margin, l->g.nz, l->periodic_z, &p->j0, &p->h);
}

static bool intervals_overlap(int a, int a_length, int b, int b_length, int n)
{
    const int d = (b - a + n) % n;
    return d < a_length || d + b_length > n;
}

static bool patches_overlap(const struct linear_level *l, const struct linear_patch *a,
                            const struct linear_patch *b)
{
    return intervals_overlap(a->i0, a->w, b->i0, b->w, l->g.nx) &&
           intervals_overlap(a->j0, a->h, b->j0, b->h, l->g.nz);
}

static bool patch_precedes(const struct linear_patch *a, const struct linear_patch *b)
{
    return a->j0 < b->j0 || (a->j0 == b->j0 && a->i0 < b->i0);
}

struct job {
    const struct linear_solver *s;
    const struct linear_patch_kernels *k;
    struct linear_deflation *d;
};

static struct job job_of(struct linear_solver *s)
{
    return (struct job){s, KERNELS_SELECT(linear_patch_kernels), s->deflation};
}

static const struct low_rank_term *term_at(const struct job *job, int t)
{
    return &job->s->terms[job->d->order[t]];
}

// Index in patch p of cell (i, j) of level l.
static size_t patch_index(const struct linear_level *l, const struct linear_patch *p, int i, int j)
{
    const int k = (i - p->i0 + l->g.nx) % l->g.nx, m = (j - p->j0 + l->g.nz) % l->g.nz;
    return (size_t)(m + 1) * (size_t)(p->w + 2) + (size_t)(k + 1);
}

// The patch of the next coarser level that covers p.
static struct linear_patch coarse_patch(const struct linear_patch *p)
{
    return (struct linear_patch){p->i0 / 2, p->j0 / 2, (p->i0 % 2 + p->w + 1) / 2, (p->j0 % 2 + p->h + 1) / 2,
                                 0};
}

// The patch is solved on the coarser level first.
static bool is_large(const struct linear_level *l, const struct linear_patch *p)
{
    const struct linear_patch q = coarse_patch(p);
    return imax(p->w, p->h) > SMALL_PATCH && q.w <= (l->g.nx + 1) / 2 && q.h <= (l->g.nz + 1) / 2;
}

// Numbers stored for a patch and the coarser patches of its initial guess.
static size_t patch_value_count(const struct linear_level *l, int levels, struct linear_patch p)
{
    size_t sum = patch_size(&p);
    for (int n = 1; n < levels && is_large(&l[n - 1], &p); ++n) {
        p = coarse_patch(&p);
        sum += patch_size(&p);
    }
    return sum;
}

// Places the patches of all terms and sorts them by position (insertion sort).
static void sort_patches(const struct linear_solver *s, struct linear_deflation *d)
{
    for (int n = 0, count; n < d->count; n += count) {
        struct linear_patch p;
        int k = n;
        count = term_group_size(s, n);
        place_patch(&s->level[0], &s->terms[n], &p);
        for (; k > 0 && patch_precedes(&p, &d->patch[k - 1]); --k) {
            d->patch[k + count - 1] = d->patch[k - 1];
            d->order[k + count - 1] = d->order[k - 1];
        }
        for (int i = 0; i < count; ++i) {
            d->patch[k + i] = p;
            d->order[k + i] = n + i;
        }
    }
}

// Sets half_band and the offsets of the patches. Returns the total number of values.
static size_t layout_patches(const struct linear_solver *s, struct linear_deflation *d)
{
    const struct linear_level *l = &s->level[0];
    size_t values = 0;
    d->half_band = 0;
    for (int t = 0; t < d->count; ++t) {
        d->patch[t].offset = values;
        values += patch_value_count(l, s->levels, d->patch[t]);
        for (int u = t + d->half_band + 1; u < d->count; ++u)
            if (patches_overlap(l, &d->patch[t], &d->patch[u])) d->half_band = u - t;
    }
    return values;
}

// Adds the fine values to the next coarser patch (prolong false), or copies them back, in the cells that
// sweeps change. Behind a periodic side with an odd number of cells the pairs do not match; that only
// affects the initial guess.
static void transfer_patch(const struct linear_level *l, const struct linear_patch *p,
                           const struct linear_patch *q, bool prolong, float *fine, float *coarse)
{
    const bool skip_west = p->i0 > 0 || l->periodic_x, skip_east = p->i0 + p->w < l->g.nx || l->periodic_x;
    const bool skip_south = p->j0 > 0 || l->periodic_z, skip_north = p->j0 + p->h < l->g.nz || l->periodic_z;
    for (int m = skip_south; m < p->h - skip_north; ++m) {
        float *fine_row = fine + (m + 1) * (p->w + 2) + 1,
              *coarse_row = coarse + ((p->j0 % 2 + m) / 2 + 1) * (q->w + 2) + 1;
        const float *inv_diagonal = l->inv_diagonal + grid_at(&l->g, p->i0, (p->j0 + m) % l->g.nz);
        for (int k = skip_west; k < p->w - skip_east; ++k) {
            const int pair = (p->i0 % 2 + k) / 2;
            if (!prolong)
                coarse_row[pair] += fine_row[k];
            else if (inv_diagonal[p->i0 + k < l->g.nx ? k : k - l->g.nx] > 0.0f)
                fine_row[k] = coarse_row[pair];
        }
    }
}

// Approximate solution of A z = rhs on a patch of level n: a few SOR sweeps; a large patch starts from the
// solution of the next coarser level.
static void solve_patch(const struct job *job, int n, const struct linear_patch *p, float *rhs, float *z)
{
    const struct linear_level *l = &job->s->level[n];
    memset(z, 0, patch_size(p) * sizeof *z);
    if (n + 1 < job->s->levels && is_large(l, p)) {
        const struct linear_patch q = coarse_patch(p);
        float *coarse_z = z + patch_size(p), *coarse_rhs = rhs + patch_size(p);
        memset(coarse_rhs, 0, patch_size(&q) * sizeof *coarse_rhs);
        transfer_patch(l, p, &q, false, rhs, coarse_rhs);
        solve_patch(job, n + 1, &q, coarse_rhs, coarse_z);
        transfer_patch(l, p, &q, true, z, coarse_z);
    }
    for (int i = 0; i < PATCH_SWEEPS; ++i) job->k->sweep(l, p, SOR_OMEGA, rhs, z);
}

// Computes z_t and A z_t. The array of A z_t first contains J_t, the right-hand side.
static void solve_patches_block(void *ctx, int t0, int t1)
{
    const struct job *job = ctx;
    const struct linear_level *l = &job->s->level[0];
    for (int n = t0; n < t1; ++n) {
        const struct linear_patch *p = &job->d->patch[n];
        const struct low_rank_term *t = term_at(job, n);
        float *z = job->d->z + p->offset, *az = job->d->az + p->offset;
        memset(az, 0, patch_size(p) * sizeof *az);
        for (int i = 0; i < t->count; ++i) {
            const size_t at = t->cells[i] - l->g.origin;
            if (linear_is_active(job->s, t->cells[i]))
                az[patch_index(l, p, (int)(at % l->g.stride), (int)(at / l->g.stride))] = (float)t->values[i];
        }
        solve_patch(job, 0, p, az, z);
        job->k->apply(l, p, job->s->has_alpha, z, az);
    }
}

// ---- Galerkin matrix E = Z^T F Z ----

static double *jz_at(const struct linear_deflation *d, int u, int t)
{
    return &d->jz_band[(size_t)t * (size_t)(2 * d->half_band + 1) + (size_t)(d->half_band + u - t)];
}

// Column t of J_u . z_t, with z_t in a field that is otherwise 0, and column t of Z^T A Z.
static void assemble_column(const struct job *job, int t, float *field)
{
    struct linear_deflation *d = job->d;
    const struct linear_level *l = &job->s->level[0];
    const struct linear_patch *p = &d->patch[t];
    const int low = imax(t - d->half_band, 0), high = imin(t + d->half_band, d->count - 1);
    job->k->axpy(l, p, 1.0f, d->z + p->offset, field);
    for (int u = low; u <= high; ++u)
        *jz_at(d, u, t) =
            patches_overlap(l, p, &d->patch[u]) ? dot_term(job->s, term_at(job, u), field) : 0.0;
    job->k->axpy(l, p, -1.0f, d->z + p->offset, field); // the field is 0 again
    for (int u = t; u <= imin(t + d->galerkin.bandwidth, d->count - 1); ++u) {
        const struct linear_patch *q = &d->patch[u];
        const double sum = patches_overlap(l, p, q)
                               ? job->k->dot_overlap(l, p, d->az + p->offset, q, d->z + q->offset)
                               : 0.0;
        d->galerkin.a[(size_t)t * (size_t)(d->galerkin.bandwidth + 1) + (size_t)(u - t)] = sum;
    }
}

// Adds the terms' part of E: sum over u of w_u (J_u . z_s)(J_u . z_t).
static void add_term_products(const struct job *job)
{
    struct linear_deflation *d = job->d;
    for (int u = 0; u < d->count; ++u) {
        const int low = imax(u - d->half_band, 0), high = imin(u + d->half_band, d->count - 1);
        for (int t = low; t <= high; ++t) {
            const double factor = term_at(job, u)->weight * *jz_at(d, u, t);
            double *column = d->galerkin.a + (size_t)t * (size_t)(d->galerkin.bandwidth + 1);
            for (int s = t; s <= high && factor != 0.0; ++s) column[s - t] += factor * *jz_at(d, u, s);
        }
    }
}

static bool reserve_values(const struct memory *m, struct linear_deflation *d, size_t values)
{
    const double need = (double)d->count * (double)(2 * d->half_band + 1);
    if (values > INT32_MAX || need > INT32_MAX) return false;
    return memory_grow(m, (void **)&d->z, &d->z_capacity, (int)values, sizeof *d->z) &&
           memory_grow(m, (void **)&d->az, &d->az_capacity, (int)values, sizeof *d->az) &&
           memory_grow(m, (void **)&d->jz_band, &d->jz_band_capacity, (int)need, sizeof *d->jz_band) &&
           memory_grow(m, (void **)&d->galerkin.a, &d->galerkin.a_capacity,
                       d->count * (d->galerkin.bandwidth + 1), sizeof *d->galerkin.a) &&
           memory_grow(m, (void **)&d->galerkin.y, &d->galerkin.y_capacity, d->count + d->galerkin.bandwidth,
                       sizeof *d->galerkin.y);
}

static bool reserve_lists(const struct memory *m, struct linear_deflation *d)
{
    return memory_grow(m, (void **)&d->order, &d->order_capacity, d->count, sizeof *d->order) &&
           memory_grow(m, (void **)&d->patch, &d->patch_capacity, d->count, sizeof *d->patch) &&
           memory_grow(m, (void **)&d->jz, &d->jz_capacity, d->count, sizeof *d->jz) &&
           memory_grow(m, (void **)&d->zr, &d->zr_capacity, d->count, sizeof *d->zr);
}

static void assemble_galerkin(struct linear_solver *s)
{
    struct job job = job_of(s);
    struct linear_deflation *d = s->deflation;
    float *field = s->level[0].x;
    memset(d->galerkin.a, 0, (size_t)d->count * (size_t)(d->galerkin.bandwidth + 1) * sizeof *d->galerkin.a);
    memset(field, 0, s->level[0].g.size * sizeof *field);
    parallel_for_rows(s->pool, d->count, TERMS_PER_BLOCK, solve_patches_block, &job);
    for (int t = 0; t < d->count; ++t) assemble_column(&job, t, field);
    add_term_products(&job);
    KERNELS_SELECT(banded_kernels)->factor(&d->galerkin);
}

bool deflation_sort_terms(struct linear_solver *s, int count, const int **order)
{
    if (!s->deflation && s->term_count > 0) s->deflation = memory_alloc(&s->memory, 1, sizeof *s->deflation);
    struct linear_deflation *d = s->deflation;
    if (!d) return s->term_count == 0;
    d->count = count;
    const bool ok = reserve_lists(&s->memory, d);
    if (!ok) d->count = 0;
    sort_patches(s, d);
    *order = d->order;
    return ok;
}

bool deflation_setup(struct linear_solver *s, int count)
{
    struct linear_deflation *d = s->deflation;
    if (!d) return true;
    d->count = count;
    if (count == 0) return true;
    const size_t values = layout_patches(s, d);
    d->galerkin.size = d->count;
    d->galerkin.bandwidth = imin(2 * d->half_band, d->count - 1);
    d->galerkin.pivot_tolerance = PIVOT_TOLERANCE;
    const bool affordable =
        (double)d->count * d->galerkin.bandwidth * d->galerkin.bandwidth < MAX_FACTOR_WORK;
    const bool ok = !affordable || reserve_values(&s->memory, d, values);
    if (ok && affordable)
        assemble_galerkin(s);
    else
        d->count = 0;
    return ok;
}

void deflation_free(struct linear_solver *s)
{
    struct linear_deflation *d = s->deflation;
    const struct memory *m = &s->memory;
    if (!d) return;
    memory_free(m, d->order, (size_t)d->order_capacity, sizeof *d->order);
    memory_free(m, d->patch, (size_t)d->patch_capacity, sizeof *d->patch);
    memory_free(m, d->jz, (size_t)d->jz_capacity, sizeof *d->jz);
    memory_free(m, d->zr, (size_t)d->zr_capacity, sizeof *d->zr);
    memory_free(m, d->z, (size_t)d->z_capacity, sizeof *d->z);
    memory_free(m, d->az, (size_t)d->az_capacity, sizeof *d->az);
    memory_free(m, d->jz_band, (size_t)d->jz_band_capacity, sizeof *d->jz_band);
    banded_free(&d->galerkin, m);
    memory_free(m, d, 1, sizeof *d);
}

// ---- deflation in the preconditioner ----

// Z^T r and the first part of Z^T r - (F Z)^T z, that of A.
static void project_residual_block(void *ctx, int t0, int t1)
{
    const struct job *job = ctx;
    struct linear_deflation *d = job->d;
    const struct linear_level *l = &job->s->level[0];
    for (int t = t0; t < t1; ++t) {
        const struct linear_patch *p = &d->patch[t];
        double sums[2];
        job->k->dot(l, p, d->z + p->offset, d->az + p->offset, l->r, l->z, sums);
        d->zr[t] = sums[0];
        d->jz[t] = dot_term(job->s, term_at(job, t), l->z);
        d->galerkin.y[t] = sums[0] - sums[1];
    }
}

double deflation_correct(struct linear_solver *s)
{
    struct linear_deflation *d = s->deflation;
    double sum = 0.0;
    if (!d || d->count == 0) return 0.0;
    struct job job = job_of(s);
    parallel_for_rows(s->pool, d->count, TERMS_PER_BLOCK, project_residual_block, &job);
    for (int t = 0; t < d->count; ++t)
        for (int u = imax(t - d->half_band, 0); u <= imin(t + d->half_band, d->count - 1); ++u)
            d->galerkin.y[t] -= *jz_at(d, u, t) * (term_at(&job, u)->weight * d->jz[u]);
    KERNELS_SELECT(banded_kernels)->solve(&d->galerkin);
    for (int t = 0; t < d->count; ++t) {
        const struct linear_patch *p = &d->patch[t];
        job.k->axpy(&s->level[0], p, (float)d->galerkin.y[t], d->z + p->offset, s->level[0].z);
        sum += d->zr[t] * d->galerkin.y[t];
    }
    return sum;
}

bool deflation_start(struct linear_solver *s)
{
    struct linear_deflation *d = s->deflation;
    const struct linear_level *l = &s->level[0];
    if (!d || d->count == 0) return false;
    struct job job = job_of(s);
    memset(l->z, 0, l->g.size * sizeof *l->z);
    parallel_for_rows(s->pool, d->count, TERMS_PER_BLOCK, project_residual_block, &job);
    KERNELS_SELECT(banded_kernels)->solve(&d->galerkin);
    for (int t = 0; t < d->count; ++t)
        job.k->axpy(l, &d->patch[t], (float)d->galerkin.y[t], d->z + d->patch[t].offset, l->z);
    return true;
}

bool deflation_is_active(const struct linear_solver *s) { return s->deflation && s->deflation->count > 0; }
