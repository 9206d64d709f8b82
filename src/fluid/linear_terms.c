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
#include "linear_terms.h"
#include "direct_rows.h"
#include "linear_patch_rows.h"
#include "linear_rows.h"

#include "base/math.h"

#include <string.h>

enum { ROWS = LINEAR_TOGETHER, SWEEPS = 6, SMALL = 16, MARGIN = 3, BLOCK = 8 };
static const float OMEGA = 1.5f;
#define MOST_WORK 1e9 // of factoring E; beyond it terms are not deflated
#define WEAK      0.3 // see linear_terms_strength()
#define LIGHT     3.0
#define NOTHING   1e-6 // what is left of a diagonal of E by rounding alone

struct linear_deflation {
    int count; // of terms; 0: nothing is deflated
    int reach; // terms more than this apart in the order have nothing in common
    // In the order of patches:
    int *order; // number of the term
    struct linear_patch *patch;
    double *along, *left; // J_t . z, Z^T r
    float *z, *az;        // values of patches
    double *w;            // J_u . z_t at [t (2 reach + 1) + reach + u - t]
    struct direct e;
    int order_room, patch_room, along_room, left_room, z_room, az_room, w_room;
};

static bool has(const struct linear_solver *s, size_t c) { return s->level[0].inverse[c] > 0.0f; }

static double along(const struct linear_solver *s, const struct linear_term *t, const float *v)
{
    double sum = 0.0;
    for (int i = 0; i < t->count; ++i)
        if (has(s, t->at[i])) sum += t->row[i] * (double)v[t->at[i]];
    return sum;
}

// ---- as part of the operator ----

void linear_terms_begin(struct linear_solver *s)
{
    for (int n = 0; n < s->term_count; n += linear_terms_together(s, n))
        for (int i = 0; i < s->terms[n].count; ++i) {
            const size_t c = s->terms[n].at[i];
            s->work[c] = s->b[c];
        }
}

// What a cell of x will be after a move.
static double moved(const struct linear_move *m, size_t c)
{
    if (!m->p) return m->x[c] - m->shift;
    return m->fresh ? m->a * ((double)m->p[c] - m->shift) : m->x[c] + m->a * (double)m->p[c];
}

// Takes off b what a group of terms makes.
static void take_off(struct linear_solver *s, const struct linear_move *m, const struct linear_term *t,
                     int count)
{
    const double *const a = t[0].row, *const b = t[count - 1].row;
    double sum[ROWS] = {0};
    for (int i = 0; i < t->count; ++i) {
        if (!has(s, t->at[i])) continue;
        const double x = moved(m, t->at[i]);
        sum[0] += a[i] * x, sum[1] += b[i] * x;
    }
    const double first = t[0].c * sum[0], second = count > 1 ? t[1].c * sum[1] : 0.0;
    for (int i = 0; i < t->count; ++i)
        if (has(s, t->at[i])) s->b[t->at[i]] = (s->b[t->at[i]] - first * a[i]) - second * b[i];
}

void linear_terms_move(struct linear_solver *s, const struct linear_move *m)
{
    for (int n = 0; n < s->term_count; n += linear_terms_together(s, n))
        for (int i = 0; i < s->terms[n].count; ++i) {
            const size_t c = s->terms[n].at[i];
            s->b[c] = s->work[c];
        }
    for (int n = 0, count; n < s->term_count; n += count) {
        count = linear_terms_together(s, n);
        take_off(s, m, &s->terms[n], count);
    }
}

double linear_terms_energy(const struct linear_solver *s, const float *p)
{
    double sum = 0.0;
    for (int n = 0, count; n < s->term_count; n += count) {
        const struct linear_term *t = &s->terms[n];
        count = linear_terms_together(s, n);
        const double *const a = t[0].row, *const b = t[count - 1].row;
        double part[ROWS] = {0};
        for (int i = 0; i < t->count; ++i) {
            const double x = has(s, t->at[i]) ? (double)p[t->at[i]] : 0.0;
            part[0] += a[i] * x, part[1] += b[i] * x;
        }
        for (int k = 0; k < count; ++k) sum += t[k].c * part[k] * part[k];
    }
    return sum;
}

// ---- patches ----

// An interval of cells along an axis of n: from the cells' offsets low .. high to `from`, and as far again on both sides.
static void widen(int from, int low, int high, int more, int n, bool wrap, int *begin, int *length)
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
static int way(int a, int b, int n, bool wrap)
{
    if (!wrap) return b - a;
    const int d = (b - a + n) % n;
    return d < n - d ? d : d - n;
}

// The cells of terms, from one of them, the short way around.
struct extent {
    int i0, j0, low_x, high_x, low_z, high_z;
};

static struct extent extent_of(const struct linear_level *l, const struct linear_term *t)
{
    const struct grid *g = &l->g;
    const uint32_t stride = (uint32_t)g->stride, first = (uint32_t)(t->count > 0 ? t->at[0] - g->first : 0);
    struct extent e = {.i0 = (int)(first % stride), .j0 = (int)(first / stride)};
    for (int n = 0; n < t->count; ++n) {
        const uint32_t at = (uint32_t)(t->at[n] - g->first);
        const int x = way(e.i0, (int)(at % stride), g->nx, l->wrap_x);
        const int z = way(e.j0, (int)(at / stride), g->nz, l->wrap_z);
        e.low_x = imin(e.low_x, x), e.high_x = imax(e.high_x, x);
        e.low_z = imin(e.low_z, z), e.high_z = imax(e.high_z, z);
    }
    return e;
}

static int across(const struct extent *e) { return imax(e->high_x - e->low_x, e->high_z - e->low_z) + 1; }

static void place(const struct linear_level *l, const struct linear_term *t, struct linear_patch *p)
{
    const struct extent e = extent_of(l, t);
    const int more = imax(across(&e) / 2, MARGIN);
    widen(e.i0, e.low_x, e.high_x, more, l->g.nx, l->wrap_x, &p->i0, &p->w);
    widen(e.j0, e.low_z, e.high_z, more, l->g.nz, l->wrap_z, &p->j0, &p->h);
}

static bool meet(int a, int a_length, int b, int b_length, int n)
{
    const int d = (b - a + n) % n;
    return d < a_length || d + b_length > n;
}

static bool near(const struct linear_level *l, const struct linear_patch *a, const struct linear_patch *b)
{
    return meet(a->i0, a->w, b->i0, b->w, l->g.nx) && meet(a->j0, a->h, b->j0, b->h, l->g.nz);
}

static bool before(const struct linear_patch *a, const struct linear_patch *b)
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
    return (struct job){s, KERNELS_PICK(linear_patch_kernels), s->deflation};
}

static const struct linear_term *term_at(const struct job *job, int t)
{
    return &job->s->terms[job->d->order[t]];
}

// The cell of patch p on level l that a cell (i, j) of the level is.
static size_t cell_of(const struct linear_level *l, const struct linear_patch *p, int i, int j)
{
    const int k = (i - p->i0 + l->g.nx) % l->g.nx, m = (j - p->j0 + l->g.nz) % l->g.nz;
    return (size_t)(m + 1) * (size_t)(p->w + 2) + (size_t)(k + 1);
}

static struct linear_patch half_of(const struct linear_patch *p)
{
    return (struct linear_patch){p->i0 / 2, p->j0 / 2, (p->i0 % 2 + p->w + 1) / 2, (p->j0 % 2 + p->h + 1) / 2,
                                 0};
}

static bool is_large(const struct linear_level *l, const struct linear_patch *p)
{
    const struct linear_patch q = half_of(p);
    return imax(p->w, p->h) > SMALL && q.w <= (l->g.nx + 1) / 2 && q.h <= (l->g.nz + 1) / 2;
}

// Values of a patch and of the coarser ones that it begins from.
static size_t values_of(const struct linear_level *l, int levels, struct linear_patch p)
{
    size_t sum = patch_size(&p);
    for (int n = 1; n < levels && is_large(&l[n - 1], &p); ++n) {
        p = half_of(&p);
        sum += patch_size(&p);
    }
    return sum;
}

// Patches, and their terms, in order.
static void arrange(const struct linear_solver *s, struct linear_deflation *d)
{
    for (int n = 0, count; n < d->count; n += count) {
        struct linear_patch p;
        int k = n;
        count = linear_terms_together(s, n);
        place(&s->level[0], &s->terms[n], &p);
        for (; k > 0 && before(&p, &d->patch[k - 1]); --k) {
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
static size_t survey(const struct linear_solver *s, struct linear_deflation *d)
{
    const struct linear_level *l = &s->level[0];
    size_t values = 0;
    d->reach = 0;
    for (int t = 0; t < d->count; ++t) {
        d->patch[t].at = values;
        values += values_of(l, s->levels, d->patch[t]);
        for (int u = t + d->reach + 1; u < d->count; ++u)
            if (near(l, &d->patch[t], &d->patch[u])) d->reach = u - t;
    }
    return values;
}

// To the next coarser patch (up false) or back, in cells that sweeps change. Beyond an odd periodic side the halves do
// not match; it is only where sweeps begin.
static void pass(const struct linear_level *l, const struct linear_patch *p, const struct linear_patch *q,
                 bool up, float *fine, float *coarse)
{
    const bool west = p->i0 > 0 || l->wrap_x, east = p->i0 + p->w < l->g.nx || l->wrap_x;
    const bool south = p->j0 > 0 || l->wrap_z, north = p->j0 + p->h < l->g.nz || l->wrap_z;
    for (int m = south; m < p->h - north; ++m) {
        float *f = fine + (m + 1) * (p->w + 2) + 1, *c = coarse + ((p->j0 % 2 + m) / 2 + 1) * (q->w + 2) + 1;
        const float *inverse = l->inverse + grid_at(&l->g, p->i0, (p->j0 + m) % l->g.nz);
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
static void relax_patch(const struct job *job, int n, const struct linear_patch *p, float *rhs, float *z)
{
    const struct linear_level *l = &job->s->level[n];
    memset(z, 0, patch_size(p) * sizeof *z);
    if (n + 1 < job->s->levels && is_large(l, p)) {
        const struct linear_patch q = half_of(p);
        float *coarse = z + patch_size(p), *right = rhs + patch_size(p);
        memset(right, 0, patch_size(&q) * sizeof *right);
        pass(l, p, &q, false, rhs, right);
        relax_patch(job, n + 1, &q, right, coarse);
        pass(l, p, &q, true, z, coarse);
    }
    for (int i = 0; i < SWEEPS; ++i) job->k->sweep(l, p, OMEGA, rhs, z);
}

// z_t and A z_t; the latter's place holds J_t until then.
static void relax(void *ctx, int t0, int t1)
{
    const struct job *job = ctx;
    const struct linear_level *l = &job->s->level[0];
    for (int n = t0; n < t1; ++n) {
        const struct linear_patch *p = &job->d->patch[n];
        const struct linear_term *t = term_at(job, n);
        float *z = job->d->z + p->at, *az = job->d->az + p->at;
        memset(az, 0, patch_size(p) * sizeof *az);
        for (int i = 0; i < t->count; ++i) {
            const size_t at = t->at[i] - l->g.first;
            if (has(job->s, t->at[i]))
                az[cell_of(l, p, (int)(at % l->g.stride), (int)(at / l->g.stride))] = (float)t->row[i];
        }
        relax_patch(job, 0, p, az, z);
        job->k->apply(l, p, job->s->has_alpha, z, az);
    }
}

// ---- E ----

static double *w_at(const struct linear_deflation *d, int u, int t)
{
    return &d->w[(size_t)t * (size_t)(2 * d->reach + 1) + (size_t)(d->reach + u - t)];
}

// Column t: F z_t, spread over an empty field, against all others.
static void fill_column(const struct job *job, int t, float *field)
{
    struct linear_deflation *d = job->d;
    const struct linear_level *l = &job->s->level[0];
    const struct linear_patch *p = &d->patch[t];
    const int low = imax(t - d->reach, 0), high = imin(t + d->reach, d->count - 1);
    job->k->add(l, p, 1.0f, d->z + p->at, field);
    for (int u = low; u <= high; ++u)
        *w_at(d, u, t) = near(l, p, &d->patch[u]) ? along(job->s, term_at(job, u), field) : 0.0;
    job->k->add(l, p, -1.0f, d->z + p->at, field); // back to 0
    for (int u = t; u <= imin(t + d->e.band, d->count - 1); ++u) {
        const struct linear_patch *q = &d->patch[u];
        const double sum = near(l, p, q) ? job->k->dot_two(l, p, d->az + p->at, q, d->z + q->at) : 0.0;
        d->e.a[(size_t)t * (size_t)(d->e.band + 1) + (size_t)(u - t)] = sum;
    }
}

// The terms' own part of E: sum over u of c_u W_us W_ut
static void add_own(const struct job *job)
{
    struct linear_deflation *d = job->d;
    for (int u = 0; u < d->count; ++u) {
        const int low = imax(u - d->reach, 0), high = imin(u + d->reach, d->count - 1);
        for (int t = low; t <= high; ++t) {
            const double k = term_at(job, u)->c * *w_at(d, u, t);
            double *column = d->e.a + (size_t)t * (size_t)(d->e.band + 1);
            for (int s = t; s <= high && k != 0.0; ++s) column[s - t] += k * *w_at(d, u, s);
        }
    }
}

static bool make_room(const struct memory *m, struct linear_deflation *d, size_t values)
{
    const double need = (double)d->count * (double)(2 * d->reach + 1);
    if (values > INT32_MAX || need > INT32_MAX) return false;
    return memory_grow(m, (void **)&d->z, &d->z_room, (int)values, sizeof *d->z) &&
           memory_grow(m, (void **)&d->az, &d->az_room, (int)values, sizeof *d->az) &&
           memory_grow(m, (void **)&d->w, &d->w_room, (int)need, sizeof *d->w) &&
           memory_grow(m, (void **)&d->e.a, &d->e.a_room, d->count * (d->e.band + 1), sizeof *d->e.a) &&
           memory_grow(m, (void **)&d->e.y, &d->e.y_room, d->count + d->e.band, sizeof *d->e.y);
}

static bool make_lists(const struct memory *m, struct linear_deflation *d)
{
    return memory_grow(m, (void **)&d->order, &d->order_room, d->count, sizeof *d->order) &&
           memory_grow(m, (void **)&d->patch, &d->patch_room, d->count, sizeof *d->patch) &&
           memory_grow(m, (void **)&d->along, &d->along_room, d->count, sizeof *d->along) &&
           memory_grow(m, (void **)&d->left, &d->left_room, d->count, sizeof *d->left);
}

// c J^T A^-1 J is what a term adds to an eigenvalue of 1. Below WEAK a cycle does well without knowing; below LIGHT it is
// told. It is about three times as large, times the cells across, as c J^T J/d, d a diagonal
// of A that is not that of a sliver.
double linear_terms_strength(const struct linear_solver *s)
{
    double most = 0.0;
    for (int n = 0, count; n < s->term_count; n += count) {
        const struct linear_term *t = &s->terms[n];
        const struct extent e = extent_of(&s->level[0], t);
        double sum[ROWS] = {0}, least = 0.0;
        count = linear_terms_together(s, n);
        for (int i = 0; i < t->count; ++i) {
            const double inverse = (double)s->level[0].inverse[t->at[i]];
            if (!(inverse > 0.0)) continue;
            for (int k = 0; k < count; ++k) sum[k] += t[k].row[i] * t[k].row[i];
            least = least > 0.0 ? fmin(least, inverse) : inverse;
        }
        for (int k = 0; k < count; ++k) most = fmax(most, 3.0 * across(&e) * t[k].c * sum[k] * least);
    }
    return most;
}

bool linear_terms_light(const struct linear_solver *s) { return s->strength <= LIGHT; }

static void fill(const struct linear_solver *s)
{
    struct job job = job_of(s);
    struct linear_deflation *d = s->deflation;
    float *field = s->level[0].x;
    memset(d->e.a, 0, (size_t)d->count * (size_t)(d->e.band + 1) * sizeof *d->e.a);
    memset(field, 0, s->level[0].g.count * sizeof *field);
    parallel_rows(s->pool, d->count, BLOCK, relax, &job);
    for (int t = 0; t < d->count; ++t) fill_column(&job, t, field);
    add_own(&job);
    KERNELS_PICK(direct_kernels)->factor(&d->e);
}

bool linear_terms_prepare(struct linear_solver *s)
{
    if (!s->deflation && s->term_count > 0) s->deflation = memory_alloc(&s->memory, 1, sizeof *s->deflation);
    struct linear_deflation *d = s->deflation;
    if (!d) return s->term_count == 0;
    d->count = s->strength > WEAK ? s->term_count : 0;
    bool good = make_lists(&s->memory, d);
    if (!good) d->count = 0;
    arrange(s, d);
    good = linear_coarse_terms_prepare(s, d->count, linear_terms_light(s), d->order) && good;
    if (linear_cycle_terms(s)) d->count = 0;
    if (d->count == 0) return good;
    const size_t values = survey(s, d);
    d->e.cells = d->count;
    d->e.band = imin(2 * d->reach, d->count - 1);
    d->e.nothing = NOTHING;
    const bool small = (double)d->count * d->e.band * d->e.band < MOST_WORK;
    good = good && (!small || make_room(&s->memory, d, values));
    if (good && small)
        fill(s);
    else
        d->count = 0;
    return good;
}

void linear_terms_free(struct linear_solver *s)
{
    struct linear_deflation *d = s->deflation;
    const struct memory *m = &s->memory;
    linear_coarse_terms_free(s);
    if (!d) return;
    memory_free(m, d->order, (size_t)d->order_room, sizeof *d->order);
    memory_free(m, d->patch, (size_t)d->patch_room, sizeof *d->patch);
    memory_free(m, d->along, (size_t)d->along_room, sizeof *d->along);
    memory_free(m, d->left, (size_t)d->left_room, sizeof *d->left);
    memory_free(m, d->z, (size_t)d->z_room, sizeof *d->z);
    memory_free(m, d->az, (size_t)d->az_room, sizeof *d->az);
    memory_free(m, d->w, (size_t)d->w_room, sizeof *d->w);
    direct_free(&d->e, m);
    memory_free(m, d, 1, sizeof *d);
}

// ---- as part of a cycle ----

static void measure(void *ctx, int t0, int t1)
{
    const struct job *job = ctx;
    struct linear_deflation *d = job->d;
    const struct linear_level *l = &job->s->level[0];
    for (int t = t0; t < t1; ++t) {
        const struct linear_patch *p = &d->patch[t];
        double sums[2];
        job->k->dot(l, p, d->z + p->at, d->az + p->at, l->r, l->z, sums);
        d->left[t] = sums[0];
        d->along[t] = along(job->s, term_at(job, t), l->z);
        d->e.y[t] = sums[0] - sums[1];
    }
}

double linear_terms_deflate(struct linear_solver *s)
{
    struct linear_deflation *d = s->deflation;
    double sum = 0.0;
    if (!d || d->count == 0) return 0.0;
    struct job job = job_of(s);
    parallel_rows(s->pool, d->count, BLOCK, measure, &job);
    for (int t = 0; t < d->count; ++t)
        for (int u = imax(t - d->reach, 0); u <= imin(t + d->reach, d->count - 1); ++u)
            d->e.y[t] -= *w_at(d, u, t) * (term_at(&job, u)->c * d->along[u]);
    KERNELS_PICK(direct_kernels)->solve(&d->e);
    for (int t = 0; t < d->count; ++t) {
        const struct linear_patch *p = &d->patch[t];
        job.k->add(&s->level[0], p, (float)d->e.y[t], d->z + p->at, s->level[0].z);
        sum += d->left[t] * d->e.y[t];
    }
    return sum;
}

bool linear_terms_lead(struct linear_solver *s)
{
    struct linear_deflation *d = s->deflation;
    const struct linear_level *l = &s->level[0];
    if (!d || d->count == 0) return false;
    struct job job = job_of(s);
    memset(l->z, 0, l->g.count * sizeof *l->z);
    parallel_rows(s->pool, d->count, BLOCK, measure, &job);
    KERNELS_PICK(direct_kernels)->solve(&d->e);
    for (int t = 0; t < d->count; ++t)
        job.k->add(l, &d->patch[t], (float)d->e.y[t], d->z + d->patch[t].at, l->z);
    return true;
}

bool linear_terms_deflated(const struct linear_solver *s)
{
    return s->term_count == 0 || linear_cycle_terms(s) || (s->deflation && s->deflation->count > 0);
}
