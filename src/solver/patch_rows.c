#include "patch_rows.h"

#include "base/math.h"

enum { CHUNK = 256 };

// A row of a patch on the level: one stretch of cells, or two where it crosses a periodic side.
struct patch_run {
    size_t cell, at; // first cell on the level, in the patch
    int n;
};

static struct patch_run run_of(const struct linear_level *l, const struct linear_patch *p, int m, int k,
                               int end)
{
    int i = p->i0 + k, j = p->j0 + m;
    if (i >= l->g.nx) i -= l->g.nx; // cheaper than a division, and rows are short
    if (j >= l->g.nz) j -= l->g.nz;
    return (struct patch_run){grid_at(&l->g, i, j), (size_t)(m + 1) * (size_t)(p->w + 2) + (size_t)(k + 1),
                              imin(imin(end - k, l->g.nx - i), CHUNK)};
}

__attribute__((noinline)) static void sor_run(const float *west, const float *east, const float *south,
                                              const float *north, const float *inverse, const float *rhs,
                                              const float *z, size_t n, float omega, float *restrict out,
                                              size_t count)
{
    const float *left = z - 1, *right = z + 1, *below = z - n, *above = z + n;
    for (size_t i = 0; i < count; ++i) {
        const float sum =
            (west[i] * left[i] + east[i] * right[i]) + (south[i] * below[i] + north[i] * above[i]);
        out[i] = z[i] + omega * (inverse[i] * (rhs[i] + sum) - z[i]);
    }
}

// Cells of one colour only.
static void half_sweep(const struct linear_level *l, const struct linear_patch *p, float omega, int colour,
                       const float *rhs, float *z)
{
    const bool west = p->i0 > 0 || l->periodic_x, east = p->i0 + p->w < l->g.nx || l->periodic_x;
    const bool south = p->j0 > 0 || l->periodic_z, north = p->j0 + p->h < l->g.nz || l->periodic_z;
    const size_t n = l->g.stride, pitch = (size_t)p->w + 2;
    const int end = p->w - east;
    float found[CHUNK];
    for (int m = south; m < p->h - north; ++m)
        for (int k = west; k < end;) {
            const struct patch_run s = run_of(l, p, m, k, end);
            sor_run(l->coef_x + s.cell, l->coef_x + s.cell + 1, l->coef_z + s.cell, l->coef_z + s.cell + n,
                    l->inv_diagonal + s.cell, rhs + s.at, z + s.at, pitch, omega, found, (size_t)s.n);
            for (int i = (k + m + colour) % 2; i < s.n; i += 2) z[s.at + (size_t)i] = found[i];
            k += s.n;
        }
}

static void sweep_patch(const struct linear_level *l, const struct linear_patch *p, float omega,
                        const float *rhs, float *z)
{
    half_sweep(l, p, omega, 0, rhs, z);
    half_sweep(l, p, omega, 1, rhs, z);
}

__attribute__((noinline)) static void apply_run(const float *west, const float *east, const float *south,
                                                const float *north, const float *z, size_t n,
                                                float *restrict out, size_t count)
{
    const float *left = z - 1, *right = z + 1, *below = z - n, *above = z + n;
    for (size_t i = 0; i < count; ++i) {
        const float along = west[i] * (z[i] - left[i]) + east[i] * (z[i] - right[i]);
        const float across = south[i] * (z[i] - below[i]) + north[i] * (z[i] - above[i]);
        out[i] = along + across;
    }
}

static void apply_patch(const struct linear_level *l, const struct linear_patch *p, bool has_alpha,
                        const float *z, float *out)
{
    const size_t n = l->g.stride, pitch = (size_t)p->w + 2;
    for (int m = 0; m < p->h; ++m)
        for (int k = 0; k < p->w;) {
            const struct patch_run s = run_of(l, p, m, k, p->w);
            apply_run(l->coef_x + s.cell, l->coef_x + s.cell + 1, l->coef_z + s.cell, l->coef_z + s.cell + n,
                      z + s.at, pitch, out + s.at, (size_t)s.n);
            for (int i = 0; i < s.n && has_alpha; ++i)
                out[s.at + (size_t)i] += l->alpha[s.cell + (size_t)i] * z[s.at + (size_t)i];
            k += s.n;
        }
}

// Eight lanes, joined at the end.
static void dot_run(const float *restrict a, const float *restrict b, int n, double *restrict lane)
{
    int i = 0;
    for (; i + 8 <= n; i += 8)
        for (int q = 0; q < 8; ++q) lane[q] += (double)a[i + q] * (double)b[i + q];
    for (int q = 0; i + q < n; ++q) lane[q] += (double)a[i + q] * (double)b[i + q];
}

static void dot_patch(const struct linear_level *l, const struct linear_patch *p, const float *z,
                      const float *az, const float *r, const float *v, double out[2])
{
    double lane[2][8] = {{0}};
    for (int m = 0; m < p->h; ++m)
        for (int k = 0; k < p->w;) {
            const struct patch_run s = run_of(l, p, m, k, p->w);
            dot_run(z + s.at, r + s.cell, s.n, lane[0]);
            dot_run(az + s.at, v + s.cell, s.n, lane[1]);
            k += s.n;
        }
    out[0] = add_lanes(lane[0]), out[1] = add_lanes(lane[1]);
}

// Where two patches overlap; around a periodic axis there may be two stretches of a row.
static double dot_patches(const struct linear_level *l, const struct linear_patch *p, const float *a,
                          const struct linear_patch *q, const float *b)
{
    const int nx = l->g.nx, nz = l->g.nz, off = (p->i0 - q->i0 + nx) % nx, down = (p->j0 - q->j0 + nz) % nz;
    double lane[8] = {0};
    for (int m = 0; m < p->h; ++m) {
        const int row = down + m < nz ? down + m : down + m - nz; // of q
        if (row >= q->h) continue;
        const float *from = a + (size_t)(m + 1) * (size_t)(p->w + 2) + 1,
                    *with = b + (size_t)(row + 1) * (size_t)(q->w + 2) + 1;
        const int first = imin(p->w, q->w - off), second = imin(p->w, nx - off + q->w) - (nx - off);
        if (first > 0) dot_run(from, with + off, first, lane);
        if (second > 0) dot_run(from + (nx - off), with, second, lane);
    }
    return add_lanes(lane);
}

static void axpy_run(float y, const float *restrict z, float *restrict v, int n)
{
    for (int i = 0; i < n; ++i) v[i] += y * z[i];
}

static void axpy_patch(const struct linear_level *l, const struct linear_patch *p, float y, const float *z,
                       float *v)
{
    for (int m = 0; m < p->h; ++m)
        for (int k = 0; k < p->w;) {
            const struct patch_run s = run_of(l, p, m, k, p->w);
            axpy_run(y, z + s.at, v + s.cell, s.n);
            k += s.n;
        }
}

const struct linear_patch_kernels KERNELS(linear_patch_kernels) = {sweep_patch, apply_patch, dot_patch,
                                                                   dot_patches, axpy_patch};
