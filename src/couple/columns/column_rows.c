// Smoothing, plane fit and displaced depth of the columns of a patch, four columns at a time. Sums are double
// and add lanes in a fixed order.
#include "column_rows.h"

#include "base/parallel/simd.h"

#include <string.h>

static inline f32x4 load(const float *x)
{
    f32x4 v;
    memcpy(&v, x, sizeof v);
    return v;
}
static inline void store(float *x, f32x4 v) { memcpy(x, &v, sizeof v); }
static inline f64x4 to_f64(f32x4 v) { return __builtin_convertvector(v, f64x4); }
static inline f32x4 to_f32(f64x4 v) { return __builtin_convertvector(v, f32x4); }
static inline double sum_lanes(f64x4 a) { return (a[0] + a[1]) + (a[2] + a[3]); }

// Centres of columns i .. i+3.
static inline f64x4 column_x(const struct patch_grid *p, int i)
{
    const f64x4 n = {i, i + 1, i + 2, i + 3};
    return p->x + n * p->s;
}

static void smooth(const struct patch_grid *p, const float *restrict raw, float *restrict half_smooth,
                   float *restrict out)
{
    const int ni = p->ni, cells = ni * p->nj;
    for (int c = 1; c + 1 < cells; ++c) half_smooth[c] = 0.25f * (raw[c - 1] + raw[c + 1]) + 0.5f * raw[c];
    for (int c = 0; c < cells; c += ni) half_smooth[c] = half_smooth[c + ni - 1] = 0.0f;
    for (int c = 0; c < ni; ++c) out[c] = 0.25f * half_smooth[c + ni] + 0.5f * half_smooth[c];
    for (int c = ni; c + ni < cells; ++c)
        out[c] = 0.25f * (half_smooth[c - ni] + half_smooth[c + ni]) + 0.5f * half_smooth[c];
    for (int c = cells - ni; c < cells; ++c) out[c] = 0.25f * half_smooth[c - ni] + 0.5f * half_smooth[c];
}

static void assemble_fit(const struct patch_grid *p, struct columns *c, double normal[3][3])
{
    f64x4 all = {0}, x_all = {0}, z_all = {0}, xx = {0}, xz = {0}, zz = {0};
    float *cover_x = c->cover_x, *cover_z = c->cover_z;
    for (int j = 0, k = 0; j < p->nj; ++j) {
        const double z = p->z + j * p->s;
        f64x4 row = {0}, row_x = {0};
        for (int i = 0; i < p->ni; i += COLUMN_LANES, k += COLUMN_LANES) {
            const f64x4 w = to_f64(load(c->cover + k)), x = column_x(p, i), wx = w * x;
            store(cover_x + k, to_f32(wx));
            store(cover_z + k, to_f32(w * z));
            row += w, row_x += wx, xx += wx * x;
        }
        all += row, x_all += row_x, z_all += row * z, xz += row_x * z, zz += row * (z * z);
    }
    smooth(p, c->cover, c->half_smooth, c->fit_weight[0]);
    smooth(p, cover_x, c->half_smooth, c->fit_weight[1]);
    smooth(p, cover_z, c->half_smooth, c->fit_weight[2]);
    normal[0][0] = sum_lanes(all), normal[1][1] = sum_lanes(xx), normal[2][2] = sum_lanes(zz);
    normal[0][1] = normal[1][0] = sum_lanes(x_all);
    normal[0][2] = normal[2][0] = sum_lanes(z_all);
    normal[1][2] = normal[2][1] = sum_lanes(xz);
}

static int evaluate_plane(const struct patch_grid *p, struct columns *c, const struct plane *eta, int *list)
{
    int count = 0;
    for (int j = 0, k = 0; j < p->nj; ++j) {
        const double row = eta->a + eta->c * (p->z + j * p->s);
        for (int i = 0; i < p->ni; i += COLUMN_LANES, k += COLUMN_LANES) {
            const f32x4 at = to_f32(row + eta->b * column_x(p, i));
            const i32x4 is_valid = (load(c->valid_min + k) < at) & (at <= load(c->valid_max + k));
            store(c->plane_height + k, at);
            if (is_valid[0] & is_valid[1] & is_valid[2] & is_valid[3]) continue;
            for (int n = 0; n < COLUMN_LANES; ++n)
                if (!is_valid[n]) list[count++] = k + n;
        }
    }
    return count;
}

static void evaluate_displaced(const struct patch_grid *p, struct columns *c)
{
    const float *restrict area = c->wet_area, *restrict at = c->plane_height,
                          *restrict height = c->wet_moment;
    float *restrict raw = c->displaced;
    for (int k = 0; k < p->ni * p->nj; ++k) raw[k] = area[k] * at[k] - height[k];
}

static void sum_displaced(const struct patch_grid *p, const struct columns *c, double out[3],
                          double slope[3][3])
{
    f64x4 all[3] = {{0}}, area[3] = {{0}}, area_x[3] = {{0}}, area_z[3] = {{0}};
    for (int j = 0, k = 0; j < p->nj; ++j) {
        const double z = p->z + j * p->s;
        f64x4 row[3] = {{0}};
        for (int i = 0; i < p->ni; i += COLUMN_LANES, k += COLUMN_LANES) {
            const f64x4 wet = to_f64(load(c->wet_area + k)), b = to_f64(load(c->displaced + k)),
                        x = column_x(p, i);
            for (int n = 0; n < 3; ++n) {
                const f64x4 w = to_f64(load(c->fit_weight[n] + k)), wa = w * wet;
                all[n] += w * b;
                row[n] += wa;
                area_x[n] += wa * x;
            }
        }
        for (int n = 0; n < 3; ++n) area[n] += row[n], area_z[n] += row[n] * z;
    }
    for (int n = 0; n < 3; ++n) {
        out[n] = sum_lanes(all[n]);
        slope[n][0] = sum_lanes(area[n]), slope[n][1] = sum_lanes(area_x[n]),
        slope[n][2] = sum_lanes(area_z[n]);
    }
}

static void sum_surface(const struct patch_grid *p, const struct columns *c, double out[3])
{
    f64x4 all = {0}, all_x = {0}, all_z = {0};
    for (int j = 0, k = 0; j < p->nj; ++j) {
        f64x4 row = {0};
        for (int i = 0; i < p->ni; i += COLUMN_LANES, k += COLUMN_LANES) {
            const f64x4 w = to_f64(load(c->cover + k)) * to_f64(load(c->surface_without_body + k));
            row += w, all_x += w * column_x(p, i);
        }
        all += row, all_z += row * (p->z + j * p->s);
    }
    out[0] = sum_lanes(all), out[1] = sum_lanes(all_x), out[2] = sum_lanes(all_z);
}

const struct columns_kernels KERNELS(columns_kernels) = {
    smooth, assemble_fit, evaluate_plane, evaluate_displaced, sum_displaced, sum_surface};
