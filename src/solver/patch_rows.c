// Kernels on patches around low-rank terms: SOR sweeps, matrix products, dot products.
#include "patch_rows.h"

#include "base/math/math.h"

enum { MAX_RUN = 256 }; // cells of one run

// Consecutive cells of a row of a patch. A row is one run, or two where it crosses a periodic side.
struct patch_run {
    size_t cell, at; // index of the first cell in a field of the level, in the patch
    int n;           // cells
};

// The run of row m that starts at column k and ends before column `end`.
static struct patch_run run_of(const struct linear_level *l, const struct linear_patch *p, int m, int k,
                               int end)
{
    int i = p->i0 + k, j = p->j0 + m;
    if (i >= l->g.nx) i -= l->g.nx; // cheaper than a division; rows are short
    if (j >= l->g.nz) j -= l->g.nz;
    return (struct patch_run){grid_at(&l->g, i, j), (size_t)(m + 1) * (size_t)(p->w + 2) + (size_t)(k + 1),
                              imin(imin(end - k, l->g.nx - i), MAX_RUN)};
}

__attribute__((noinline)) static void sor_run(const struct stencil_coefs *coefs, const float *inv_diagonal,
                                              const float *rhs, const float *z, size_t pitch, float omega,
                                              float *restrict out, size_t count)
{
    const float *west = coefs->west, *east = coefs->east, *south = coefs->south, *north = coefs->north;
    const float *z_west = z - 1, *z_east = z + 1, *z_south = z - pitch, *z_north = z + pitch;
    for (size_t i = 0; i < count; ++i) {
        const float sum =
            (west[i] * z_west[i] + east[i] * z_east[i]) + (south[i] * z_south[i] + north[i] * z_north[i]);
        out[i] = z[i] + omega * (inv_diagonal[i] * (rhs[i] + sum) - z[i]);
    }
}

// Relaxes the cells of one colour.
static void half_sweep(const struct linear_level *l, const struct linear_patch *p, float omega, int colour,
                       const float *rhs, float *z)
{
    const bool skip_west = p->i0 > 0 || l->periodic_x, skip_east = p->i0 + p->w < l->g.nx || l->periodic_x;
    const bool skip_south = p->j0 > 0 || l->periodic_z, skip_north = p->j0 + p->h < l->g.nz || l->periodic_z;
    const size_t pitch = (size_t)p->w + 2;
    const int end = p->w - skip_east;
    float relaxed[MAX_RUN];
    for (int m = skip_south; m < p->h - skip_north; ++m)
        for (int k = skip_west; k < end;) {
            const struct patch_run run = run_of(l, p, m, k, end);
            const struct stencil_coefs coefs = stencil_coefs_at(l, run.cell);
            sor_run(&coefs, l->inv_diagonal + run.cell, rhs + run.at, z + run.at, pitch, omega, relaxed,
                    (size_t)run.n);
            for (int i = (k + m + colour) % 2; i < run.n; i += 2) z[run.at + (size_t)i] = relaxed[i];
            k += run.n;
        }
}

static void sweep_patch(const struct linear_level *l, const struct linear_patch *p, float omega,
                        const float *rhs, float *z)
{
    half_sweep(l, p, omega, 0, rhs, z);
    half_sweep(l, p, omega, 1, rhs, z);
}

__attribute__((noinline)) static void apply_run(const struct stencil_coefs *coefs, const float *z,
                                                size_t pitch, float *restrict out, size_t count)
{
    const float *west = coefs->west, *east = coefs->east, *south = coefs->south, *north = coefs->north;
    const float *z_west = z - 1, *z_east = z + 1, *z_south = z - pitch, *z_north = z + pitch;
    for (size_t i = 0; i < count; ++i) {
        const float flux_x = west[i] * (z[i] - z_west[i]) + east[i] * (z[i] - z_east[i]);
        const float flux_z = south[i] * (z[i] - z_south[i]) + north[i] * (z[i] - z_north[i]);
        out[i] = flux_x + flux_z;
    }
}

static void apply_patch(const struct linear_level *l, const struct linear_patch *p, bool has_alpha,
                        const float *z, float *out)
{
    const size_t pitch = (size_t)p->w + 2;
    for (int m = 0; m < p->h; ++m)
        for (int k = 0; k < p->w;) {
            const struct patch_run run = run_of(l, p, m, k, p->w);
            const struct stencil_coefs coefs = stencil_coefs_at(l, run.cell);
            apply_run(&coefs, z + run.at, pitch, out + run.at, (size_t)run.n);
            for (int i = 0; i < run.n && has_alpha; ++i)
                out[run.at + (size_t)i] += l->alpha[run.cell + (size_t)i] * z[run.at + (size_t)i];
            k += run.n;
        }
}

// Adds a . b to eight lanes.
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
            const struct patch_run run = run_of(l, p, m, k, p->w);
            dot_run(z + run.at, r + run.cell, run.n, lane[0]);
            dot_run(az + run.at, v + run.cell, run.n, lane[1]);
            k += run.n;
        }
    out[0] = add_lanes(lane[0]), out[1] = add_lanes(lane[1]);
}

// On a periodic axis the overlap of two rows may consist of two runs.
static double dot_patches(const struct linear_level *l, const struct linear_patch *p, const float *a,
                          const struct linear_patch *q, const float *b)
{
    const int nx = l->g.nx, nz = l->g.nz, offset_x = (p->i0 - q->i0 + nx) % nx,
              offset_z = (p->j0 - q->j0 + nz) % nz;
    double lane[8] = {0};
    for (int m = 0; m < p->h; ++m) {
        const int row = offset_z + m < nz ? offset_z + m : offset_z + m - nz; // of q
        if (row >= q->h) continue;
        const float *row_a = a + (size_t)(m + 1) * (size_t)(p->w + 2) + 1,
                    *row_b = b + (size_t)(row + 1) * (size_t)(q->w + 2) + 1;
        const int length = imin(p->w, q->w - offset_x),
                  wrapped_length = imin(p->w, nx - offset_x + q->w) - (nx - offset_x);
        if (length > 0) dot_run(row_a, row_b + offset_x, length, lane);
        if (wrapped_length > 0) dot_run(row_a + (nx - offset_x), row_b, wrapped_length, lane);
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
            const struct patch_run run = run_of(l, p, m, k, p->w);
            axpy_run(y, z + run.at, v + run.cell, run.n);
            k += run.n;
        }
}

const struct linear_patch_kernels KERNELS(linear_patch_kernels) = {sweep_patch, apply_patch, dot_patch,
                                                                   dot_patches, axpy_patch};
