// Four columns at a time, sums in double. Lanes are added in one order, so every machine gives the same bits.
#include "columns_rows.h"

#include <string.h>

typedef float four_f __attribute__((vector_size(16)));
typedef int four_i __attribute__((vector_size(16)));
typedef double four __attribute__((vector_size(32)));

static inline four_f load(const float *x)
{
    four_f v;
    memcpy(&v, x, sizeof v);
    return v;
}
static inline void store(float *x, four_f v) { memcpy(x, &v, sizeof v); }
static inline four wide(four_f v) { return __builtin_convertvector(v, four); }
static inline four_f narrow(four v) { return __builtin_convertvector(v, four_f); }
static inline double sum(four a) { return (a[0] + a[1]) + (a[2] + a[3]); }

// Middles of columns i .. i+3.
static inline four across(const struct plot *p, int i)
{
    const four n = {i, i + 1, i + 2, i + 3};
    return p->x + n * p->s;
}

static void spread(const struct plot *p, const float *restrict raw, float *restrict scratch,
                   float *restrict out)
{
    const int ni = p->ni, cells = ni * p->nj;
    for (int c = 1; c + 1 < cells; ++c) scratch[c] = 0.25f * (raw[c - 1] + raw[c + 1]) + 0.5f * raw[c];
    for (int c = 0; c < cells; c += ni) scratch[c] = scratch[c + ni - 1] = 0.0f;
    for (int c = 0; c < ni; ++c) out[c] = 0.25f * scratch[c + ni] + 0.5f * scratch[c];
    for (int c = ni; c + ni < cells; ++c)
        out[c] = 0.25f * (scratch[c - ni] + scratch[c + ni]) + 0.5f * scratch[c];
    for (int c = cells - ni; c < cells; ++c) out[c] = 0.25f * scratch[c - ni] + 0.5f * scratch[c];
}

static void weigh(const struct plot *p, struct columns *c, double normal[3][3])
{
    four all = {0}, x_all = {0}, z_all = {0}, xx = {0}, xz = {0}, zz = {0};
    float *by_x = c->level, *by_z = c->raw;
    for (int j = 0, k = 0; j < p->nj; ++j) {
        const double z = p->z + j * p->s;
        four row = {0}, row_x = {0};
        for (int i = 0; i < p->ni; i += FOUR, k += FOUR) {
            const four w = wide(load(c->cover + k)), x = across(p, i), wx = w * x;
            store(by_x + k, narrow(wx));
            store(by_z + k, narrow(w * z));
            row += w, row_x += wx, xx += wx * x;
        }
        all += row, x_all += row_x, z_all += row * z, xz += row_x * z, zz += row * (z * z);
    }
    spread(p, c->cover, c->scratch, c->weight[0]);
    spread(p, by_x, c->scratch, c->weight[1]);
    spread(p, by_z, c->scratch, c->weight[2]);
    normal[0][0] = sum(all), normal[1][1] = sum(xx), normal[2][2] = sum(zz);
    normal[0][1] = normal[1][0] = sum(x_all);
    normal[0][2] = normal[2][0] = sum(z_all);
    normal[1][2] = normal[2][1] = sum(xz);
}

static int level(const struct plot *p, struct columns *c, const struct plane *eta, int *list)
{
    int count = 0;
    for (int j = 0, k = 0; j < p->nj; ++j) {
        const double row = eta->a + eta->c * (p->z + j * p->s);
        for (int i = 0; i < p->ni; i += FOUR, k += FOUR) {
            const four_f at = narrow(row + eta->b * across(p, i));
            const four_i known = (load(c->lo + k) < at) & (at <= load(c->hi + k));
            store(c->level + k, at);
            if (known[0] & known[1] & known[2] & known[3]) continue;
            for (int n = 0; n < FOUR; ++n)
                if (!known[n]) list[count++] = k + n;
        }
    }
    return count;
}

static void fill(const struct plot *p, struct columns *c)
{
    const float *restrict area = c->area, *restrict at = c->level, *restrict height = c->height;
    float *restrict raw = c->raw;
    for (int k = 0; k < p->ni * p->nj; ++k) raw[k] = area[k] * at[k] - height[k];
}

static void sum_filled(const struct plot *p, const struct columns *c, double out[3], double slope[3][3])
{
    four all[3] = {{0}}, area[3] = {{0}}, area_x[3] = {{0}}, area_z[3] = {{0}};
    for (int j = 0, k = 0; j < p->nj; ++j) {
        const double z = p->z + j * p->s;
        four row[3] = {{0}};
        for (int i = 0; i < p->ni; i += FOUR, k += FOUR) {
            const four wet = wide(load(c->area + k)), b = wide(load(c->raw + k)), x = across(p, i);
            for (int n = 0; n < 3; ++n) {
                const four w = wide(load(c->weight[n] + k)), wa = w * wet;
                all[n] += w * b;
                row[n] += wa;
                area_x[n] += wa * x;
            }
        }
        for (int n = 0; n < 3; ++n) area[n] += row[n], area_z[n] += row[n] * z;
    }
    for (int n = 0; n < 3; ++n) {
        out[n] = sum(all[n]);
        slope[n][0] = sum(area[n]), slope[n][1] = sum(area_x[n]), slope[n][2] = sum(area_z[n]);
    }
}

static void sum_base(const struct plot *p, const struct columns *c, double out[3])
{
    four all = {0}, all_x = {0}, all_z = {0};
    for (int j = 0, k = 0; j < p->nj; ++j) {
        four row = {0};
        for (int i = 0; i < p->ni; i += FOUR, k += FOUR) {
            const four w = wide(load(c->cover + k)) * wide(load(c->base + k));
            row += w, all_x += w * across(p, i);
        }
        all += row, all_z += row * (p->z + j * p->s);
    }
    out[0] = sum(all), out[1] = sum(all_x), out[2] = sum(all_z);
}

const struct columns_kernels KERNELS(columns_kernels) = {spread, weigh, level, fill, sum_filled, sum_base};
