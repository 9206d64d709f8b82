// Terms c J J^T of a system: few cells each.
//
// Mostly a cycle knows them, see linear_terms_coarse.c. Where a term outweighs the grid by far, as that of something light
// afloat does, sweeps that do not know it make it worse, and each would cost iterations of its own. Such terms are deflated
// [tang2009], as A-DEF2: with Z = (z_1 ..), z_t near A^-1 J_t, F the whole operator and E = Z^T F Z, what a cycle makes of r
// becomes
//
//     z + Z E^-1 (Z^T r - (F Z)^T z)
//
// z_t is found by a few sweeps of successive over-relaxation in a patch around the term's cells. E couples terms whose
// patches touch, directly or through a third, and is kept in a band, terms in the order of their patches.
#include "low_rank.h"
#include "banded_rows.h"
#include "linear_rows.h"
#include "patch_rows.h"

#include "base/math.h"

#include <string.h>

enum {
    GROUP_TERMS = TERMS_PER_GROUP,
    PATCH_SWEEPS = 6,
    SMALL_PATCH = 16,
    PATCH_MARGIN = 3,
    TERMS_PER_BLOCK = 8
};
static const float SOR_OMEGA = 1.5f;
#define MAX_FACTOR_WORK     1e9 // of factoring E; beyond it terms are not deflated
#define NEGLIGIBLE_STRENGTH 0.3 // see linear_terms_strength()
#define WEAK_STRENGTH       3.0
#define PIVOT_TOLERANCE     1e-6 // what is left of a diagonal of E by rounding alone

struct linear_deflation {
    int count;     // of terms; 0: nothing is deflated
    int half_band; // terms more than this apart in the order have nothing in common
    // In the order of patches:
    int *order; // number of the term
    struct linear_patch *patch;
    double *jz, *zr; // J_t . z, Z^T r
    float *z, *az;   // values of patches
    double *jz_band; // J_u . z_t at [t (2 reach + 1) + reach + u - t]
    struct banded_ldlt galerkin;
    int order_capacity, patch_capacity, jz_capacity, zr_capacity, z_capacity, az_capacity, jz_band_capacity;
};

static bool is_active(const struct linear_solver *s, size_t c) { return s->level[0].inv_diagonal[c] > 0.0f; }

static double dot_term(const struct linear_solver *s, const struct low_rank_term *t, const float *v)
{
    double sum = 0.0;
    for (int i = 0; i < t->count; ++i)
        if (is_active(s, t->cells[i])) sum += t->values[i] * (double)v[t->cells[i]];
    return sum;
}

// ---- as part of the operator ----

void low_rank_save_rhs(struct linear_solver *s)
{
    for (int n = 0; n < s->term_count; n += term_group_size(s, n))
        for (int i = 0; i < s->terms[n].count; ++i) {
            const size_t c = s->terms[n].cells[i];
            s->workspace[c] = s->b[c];
        }
}

// What a cell of x will be after a move.
static double updated_x_at(const struct linear_update *m, size_t c)
{
    if (!m->p) return m->x[c] - m->shift;
    return m->x_is_zero ? m->step * ((double)m->p[c] - m->shift) : m->x[c] + m->step * (double)m->p[c];
}

// Takes off b what a group of terms makes.
static void subtract_group(struct linear_solver *s, const struct linear_update *m,
                           const struct low_rank_term *t, int count)
{
    const double *const a = t[0].values, *const b = t[count - 1].values;
    double sum[GROUP_TERMS] = {0};
    for (int i = 0; i < t->count; ++i) {
        if (!is_active(s, t->cells[i])) continue;
        const double x = updated_x_at(m, t->cells[i]);
        sum[0] += a[i] * x, sum[1] += b[i] * x;
    }
    const double first = t[0].weight * sum[0], second = count > 1 ? t[1].weight * sum[1] : 0.0;
    for (int i = 0; i < t->count; ++i)
        if (is_active(s, t->cells[i])) s->b[t->cells[i]] = (s->b[t->cells[i]] - first * a[i]) - second * b[i];
}

void low_rank_update_rhs(struct linear_solver *s, const struct linear_update *m)
{
    for (int n = 0; n < s->term_count; n += term_group_size(s, n))
        for (int i = 0; i < s->terms[n].count; ++i) {
            const size_t c = s->terms[n].cells[i];
            s->b[c] = s->workspace[c];
        }
    for (int n = 0, count; n < s->term_count; n += count) {
        count = term_group_size(s, n);
        subtract_group(s, m, &s->terms[n], count);
    }
}

double low_rank_energy(const struct linear_solver *s, const float *p)
{
    double sum = 0.0;
    for (int n = 0, count; n < s->term_count; n += count) {
        const struct low_rank_term *t = &s->terms[n];
        count = term_group_size(s, n);
        const double *const a = t[0].values, *const b = t[count - 1].values;
        double part[GROUP_TERMS] = {0};
        for (int i = 0; i < t->count; ++i) {
            const double x = is_active(s, t->cells[i]) ? (double)p[t->cells[i]] : 0.0;
            part[0] += a[i] * x, part[1] += b[i] * x;
        }
        for (int k = 0; k < count; ++k) sum += t[k].weight * part[k] * part[k];
    }
    return sum;
}

// ---- patches ----

// An interval of cells along an axis of n: from the cells' offsets low .. high to `from`, and as far again on both sides.
static void widen_interval(int from, int low, int high, int more, int n, bool wrap, int *begin, int *length)
{
    *begin = from + low - more;
    *length = high - low + 1 + 2 * more;
    if (*length >= n) {
        *begin = 0;
        *length = n;
    } else if (wrap) {
        *begin = (*begin + n) % n;
    } else {
        const int first = imax(*begin, 0);
        *length = imin(*begin + *length, n) - first;
        *begin = first;
    }
}

// From cell a to cell b of an axis, the short way where it is periodic.
static int periodic_offset(int a, int b, int n, bool wrap)
{
    if (!wrap) return b - a;
    const int d = (b - a + n) % n;
    return d < n - d ? d : d - n;
}

// The cells of terms, from one of them, the short way around.
struct extent {
    int i0, j0, low_x, high_x, low_z, high_z;
};

static struct extent extent_of(const struct linear_level *l, const struct low_rank_term *t)
{
    const struct grid *g = &l->g;
    const uint32_t stride = (uint32_t)g->stride,
                   first = (uint32_t)(t->count > 0 ? t->cells[0] - g->origin : 0);
    struct extent e = {.i0 = (int)(first % stride), .j0 = (int)(first / stride)};
    for (int n = 0; n < t->count; ++n) {
        const uint32_t at = (uint32_t)(t->cells[n] - g->origin);
        const int x = periodic_offset(e.i0, (int)(at % stride), g->nx, l->periodic_x);
        const int z = periodic_offset(e.j0, (int)(at / stride), g->nz, l->periodic_z);
        e.low_x = imin(e.low_x, x), e.high_x = imax(e.high_x, x);
        e.low_z = imin(e.low_z, z), e.high_z = imax(e.high_z, z);
    }
    return e;
}

static int extent_size(const struct extent *e)
{
    return imax(e->high_x - e->low_x, e->high_z - e->low_z) + 1;
}

static void place_patch(const struct linear_level *l, const struct low_rank_term *t, struct linear_patch *p)
{
    const struct extent e = extent_of(l, t);
    const int more = imax(extent_size(&e) / 2, PATCH_MARGIN);
    widen_interval(e.i0, e.low_x, e.high_x, more, l->g.nx, l->periodic_x, &p->i0, &p->w);
    widen_interval(e.j0, e.low_z, e.high_z, more, l->g.nz, l->periodic_z, &p->j0, &p->h);
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

static struct job job_of(const struct linear_solver *s)
{
    return (struct job){s, KERNELS_SELECT(linear_patch_kernels), s->deflation};
}

static const struct low_rank_term *term_at(const struct job *job, int t)
{
    return &job->s->terms[job->d->order[t]];
}

// The cell of patch p on level l that a cell (i, j) of the level is.
static size_t patch_index(const struct linear_level *l, const struct linear_patch *p, int i, int j)
{
    const int k = (i - p->i0 + l->g.nx) % l->g.nx, m = (j - p->j0 + l->g.nz) % l->g.nz;
    return (size_t)(m + 1) * (size_t)(p->w + 2) + (size_t)(k + 1);
}

static struct linear_patch coarse_patch(const struct linear_patch *p)
{
    return (struct linear_patch){p->i0 / 2, p->j0 / 2, (p->i0 % 2 + p->w + 1) / 2, (p->j0 % 2 + p->h + 1) / 2,
                                 0};
}

static bool is_large(const struct linear_level *l, const struct linear_patch *p)
{
    const struct linear_patch q = coarse_patch(p);
    return imax(p->w, p->h) > SMALL_PATCH && q.w <= (l->g.nx + 1) / 2 && q.h <= (l->g.nz + 1) / 2;
}

// Values of a patch and of the coarser ones that it begins from.
static size_t patch_value_count(const struct linear_level *l, int levels, struct linear_patch p)
{
    size_t sum = patch_size(&p);
    for (int n = 1; n < levels && is_large(&l[n - 1], &p); ++n) {
        p = coarse_patch(&p);
        sum += patch_size(&p);
    }
    return sum;
}

// Patches, and their terms, in order.
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

// How far apart in that order those are that meet; how many values they have.
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

// To the next coarser patch (up false) or back, in cells that sweeps change. Beyond an odd periodic side the halves do
// not match; it is only where sweeps begin.
static void transfer_patch(const struct linear_level *l, const struct linear_patch *p,
                           const struct linear_patch *q, bool up, float *fine, float *coarse)
{
    const bool west = p->i0 > 0 || l->periodic_x, east = p->i0 + p->w < l->g.nx || l->periodic_x;
    const bool south = p->j0 > 0 || l->periodic_z, north = p->j0 + p->h < l->g.nz || l->periodic_z;
    for (int m = south; m < p->h - north; ++m) {
        float *f = fine + (m + 1) * (p->w + 2) + 1, *c = coarse + ((p->j0 % 2 + m) / 2 + 1) * (q->w + 2) + 1;
        const float *inverse = l->inv_diagonal + grid_at(&l->g, p->i0, (p->j0 + m) % l->g.nz);
        for (int k = west; k < p->w - east; ++k) {
            const int half = (p->i0 % 2 + k) / 2;
            if (!up)
                c[half] += f[k];
            else if (inverse[p->i0 + k < l->g.nx ? k : k - l->g.nx] > 0.0f)
                f[k] = c[half];
        }
    }
}

// A z = rhs on a patch of level n, roughly: a few sweeps, from what a patch of half the size found.
static void solve_patch(const struct job *job, int n, const struct linear_patch *p, float *rhs, float *z)
{
    const struct linear_level *l = &job->s->level[n];
    memset(z, 0, patch_size(p) * sizeof *z);
    if (n + 1 < job->s->levels && is_large(l, p)) {
        const struct linear_patch q = coarse_patch(p);
        float *coarse = z + patch_size(p), *right = rhs + patch_size(p);
        memset(right, 0, patch_size(&q) * sizeof *right);
        transfer_patch(l, p, &q, false, rhs, right);
        solve_patch(job, n + 1, &q, right, coarse);
        transfer_patch(l, p, &q, true, z, coarse);
    }
    for (int i = 0; i < PATCH_SWEEPS; ++i) job->k->sweep(l, p, SOR_OMEGA, rhs, z);
}

// z_t and A z_t; the latter's place holds J_t until then.
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
            if (is_active(job->s, t->cells[i]))
                az[patch_index(l, p, (int)(at % l->g.stride), (int)(at / l->g.stride))] = (float)t->values[i];
        }
        solve_patch(job, 0, p, az, z);
        job->k->apply(l, p, job->s->has_alpha, z, az);
    }
}

// ---- E ----

static double *jz_at(const struct linear_deflation *d, int u, int t)
{
    return &d->jz_band[(size_t)t * (size_t)(2 * d->half_band + 1) + (size_t)(d->half_band + u - t)];
}

// Column t: F z_t, spread over an empty field, against all others.
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
    job->k->axpy(l, p, -1.0f, d->z + p->offset, field); // back to 0
    for (int u = t; u <= imin(t + d->galerkin.bandwidth, d->count - 1); ++u) {
        const struct linear_patch *q = &d->patch[u];
        const double sum = patches_overlap(l, p, q)
                               ? job->k->dot_overlap(l, p, d->az + p->offset, q, d->z + q->offset)
                               : 0.0;
        d->galerkin.a[(size_t)t * (size_t)(d->galerkin.bandwidth + 1) + (size_t)(u - t)] = sum;
    }
}

// The terms' own part of E: sum over u of c_u W_us W_ut
static void add_term_products(const struct job *job)
{
    struct linear_deflation *d = job->d;
    for (int u = 0; u < d->count; ++u) {
        const int low = imax(u - d->half_band, 0), high = imin(u + d->half_band, d->count - 1);
        for (int t = low; t <= high; ++t) {
            const double k = term_at(job, u)->weight * *jz_at(d, u, t);
            double *column = d->galerkin.a + (size_t)t * (size_t)(d->galerkin.bandwidth + 1);
            for (int s = t; s <= high && k != 0.0; ++s) column[s - t] += k * *jz_at(d, u, s);
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

// c J^T A^-1 J is what a term adds to an eigenvalue of 1. Below WEAK a cycle does well without knowing; below LIGHT it is
// told. It is about three times as large, times the cells across, as c J^T J/d, d a diagonal
// of A that is not that of a sliver.
double low_rank_strength(const struct linear_solver *s)
{
    double most = 0.0;
    for (int n = 0, count; n < s->term_count; n += count) {
        const struct low_rank_term *t = &s->terms[n];
        const struct extent e = extent_of(&s->level[0], t);
        double sum[GROUP_TERMS] = {0}, least = 0.0;
        count = term_group_size(s, n);
        for (int i = 0; i < t->count; ++i) {
            const double inverse = (double)s->level[0].inv_diagonal[t->cells[i]];
            if (!(inverse > 0.0)) continue;
            for (int k = 0; k < count; ++k) sum[k] += t[k].values[i] * t[k].values[i];
            least = least > 0.0 ? fmin(least, inverse) : inverse;
        }
        for (int k = 0; k < count; ++k)
            most = fmax(most, 3.0 * extent_size(&e) * t[k].weight * sum[k] * least);
    }
    return most;
}

bool low_rank_is_weak(const struct linear_solver *s) { return s->max_term_strength <= WEAK_STRENGTH; }

static void assemble_galerkin(const struct linear_solver *s)
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

bool low_rank_setup(struct linear_solver *s)
{
    if (!s->deflation && s->term_count > 0) s->deflation = memory_alloc(&s->memory, 1, sizeof *s->deflation);
    struct linear_deflation *d = s->deflation;
    if (!d) return s->term_count == 0;
    d->count = s->max_term_strength > NEGLIGIBLE_STRENGTH ? s->term_count : 0;
    bool good = reserve_lists(&s->memory, d);
    if (!good) d->count = 0;
    sort_patches(s, d);
    good = coarse_terms_setup(s, d->count, low_rank_is_weak(s), d->order) && good;
    if (cycle_has_terms(s)) d->count = 0;
    if (d->count == 0) return good;
    const size_t values = layout_patches(s, d);
    d->galerkin.size = d->count;
    d->galerkin.bandwidth = imin(2 * d->half_band, d->count - 1);
    d->galerkin.pivot_tolerance = PIVOT_TOLERANCE;
    const bool small = (double)d->count * d->galerkin.bandwidth * d->galerkin.bandwidth < MAX_FACTOR_WORK;
    good = good && (!small || reserve_values(&s->memory, d, values));
    if (good && small)
        assemble_galerkin(s);
    else
        d->count = 0;
    return good;
}

void low_rank_free(struct linear_solver *s)
{
    struct linear_deflation *d = s->deflation;
    const struct memory *m = &s->memory;
    coarse_terms_free(s);
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

// ---- as part of a cycle ----

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

bool low_rank_is_preconditioned(const struct linear_solver *s)
{
    return s->term_count == 0 || cycle_has_terms(s) || (s->deflation && s->deflation->count > 0);
}
