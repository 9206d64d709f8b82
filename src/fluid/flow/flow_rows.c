#include "flow_rows.h"

#include <stdint.h>
#include <string.h>

#define FACE_ROW(g, j) const size_t n = (g)->stride, row = grid_at(g, 0, j), end = row + (size_t)(g)->nx + 1

// ---- momentum ----

// What passes with speed s between c and d, the value there from six nodes: central, less what makes it the fifth-order
// upwind one. That damps what is as short as the grid, and nothing that is much longer.
static inline float upwind5_flux(float s, float a, float b, float c, float d, float e, float f)
{
    const float central = (37.0f * (c + d) - 8.0f * (b + e)) + (a + f);
    const float bend = (10.0f * (c - d) - 5.0f * (b - e)) + (a - f);
    return s * central + abs_f(s) * bend;
}

// The same from four nodes, of third order, where there are no more.
static inline float upwind3_flux(float s, float b, float c, float d, float e)
{
    const float central = 7.0f * (c + d) - (b + e), bend = 3.0f * (c - d) + (e - b);
    return 5.0f * (s * central + abs_f(s) * bend);
}

// One function for both speeds: `a` is one step along the speed's own axis, `b` along the other.
static inline __attribute__((always_inline)) void
momentum_row(const struct flow_stage *s, bool brief, const float *restrict mass, const float *restrict old,
             const float *restrict u, const float *restrict v, const float *restrict du, float *restrict out,
             size_t row, size_t end, size_t a, size_t b)
{
    const float k = (0.5f / 60.0f) * s->dt_dx, part = s->weight, spread = s->diffusion_number;
    for (size_t c = row; c < end; ++c) {
        const float here = u[c], west = u[c - a], east = u[c + a], south = u[c - b], north = u[c + b];
        const float w2 = u[c - 2 * a], e2 = u[c + 2 * a], s2 = u[c - 2 * b], n2 = u[c + 2 * b];
        const float to_w = west + here, to_e = here + east, to_s = v[c - a] + v[c],
                    to_n = v[c - a + b] + v[c + b];
        float sum;
        if (brief) {
            const float in = upwind3_flux(to_w, w2, west, here, east),
                        on = upwind3_flux(to_e, west, here, east, e2);
            const float low = upwind3_flux(to_s, s2, south, here, north),
                        high = upwind3_flux(to_n, south, here, north, n2);
            sum = (in - on) + (low - high);
        } else {
            const float in = upwind5_flux(to_w, u[c - 3 * a], w2, west, here, east, e2);
            const float on = upwind5_flux(to_e, w2, west, here, east, e2, u[c + 3 * a]);
            const float low = upwind5_flux(to_s, u[c - 3 * b], s2, south, here, north, n2);
            const float high = upwind5_flux(to_n, s2, south, here, north, n2, u[c + 3 * b]);
            sum = (in - on) + (low - high);
        }
        const float around = ((west - here) + (east - here)) + ((south - here) + (north - here));
        const float next = here + (k * sum + du[c] + spread * around);
        const float mixed = old[c] + part * (next - old[c]); // weights that add up to 1 to the bit
        out[c] = mass[c] > 0.0f ? mixed : old[c];
    }
}

static void momentum_rows(const struct grid *g, const struct flow_stage *s, const float *mass_u,
                          const float *mass_v, const float *old_u, const float *old_v, const float *u,
                          const float *v, const float *du, const float *dv, float *out_u, float *out_v,
                          int j0, int j1)
{
    for (int j = j0; j < j1; ++j) {
        FACE_ROW(g, j);
        if (j == g->nz) { // the faces of the north side: three ghosts beyond them would be too many
            momentum_row(s, true, mass_v, old_v, v, u, dv, out_v, row, end, n, 1);
            continue;
        }
        momentum_row(s, false, mass_u, old_u, u, v, du, out_u, row, end, 1, n);
        momentum_row(s, false, mass_v, old_v, v, u, dv, out_v, row, end, n, 1);
    }
}

// ---- dye and heat ----

static void scalar_row(const struct flow_stage *s, const float *restrict mass, const float *restrict ax,
                       const float *restrict az, const float *restrict u, const float *restrict v,
                       const float *restrict old, const float *restrict q, const float *restrict change,
                       float *restrict out, size_t row, size_t end, size_t n)
{
    const float k = s->dt_dx, part = s->weight, spread = s->diffusion_number;
    for (size_t c = row; c < end; ++c) {
        const float here = q[c], west = q[c - 1], east = q[c + 1], south = q[c - n], north = q[c + n];
        const float in = koren_flux(ax[c] * u[c], q[c - 2], west, here, east);
        const float on = koren_flux(ax[c + 1] * u[c + 1], west, here, east, q[c + 2]);
        const float low = koren_flux(az[c] * v[c], q[c - n - n], south, here, north);
        const float high = koren_flux(az[c + n] * v[c + n], south, here, north, q[c + n + n]);
        const float around = (ax[c] * (west - here) + ax[c + 1] * (east - here)) +
                             (az[c] * (south - here) + az[c + n] * (north - here));
        const float next = here + (k * ((in - on) + (low - high)) + change[c] + spread * around);
        const float mixed = old[c] + part * (next - old[c]); // weights that add up to 1 to the bit
        out[c] = mass[c] > 0.0f ? mixed : old[c];
    }
}

static void scalar_rows(const struct grid *g, const struct flow_stage *s, const float *mass, const float *ax,
                        const float *az, const float *u, const float *v, const float *old, const float *q,
                        const float *change, float *out, int j0, int j1)
{
    for (int j = j0; j < j1; ++j) {
        FACE_ROW(g, j);
        scalar_row(s, mass, ax, az, u, v, old, q, change, out, row, end, n);
    }
}

// ---- forces and friction ----

static void forces_rows(const struct grid *g, float k, float ax, float az, float rise,
                        const float *restrict p, const float *restrict q, float *restrict du,
                        float *restrict dv, int j0, int j1)
{
    for (int j = j0; j < j1; ++j) {
        FACE_ROW(g, j);
        for (size_t c = row; c < end; ++c) {
            du[c] = ax - k * (p[c] - p[c - 1]);
            dv[c] = az - k * (p[c] - p[c - n]);
        }
        if (!q) continue;
        for (size_t c = row; c < end; ++c) dv[c] += rise * (q[c] + q[c - n]);
    }
}

static void add_diffusion_rows(const struct grid *g, float k, const float *restrict west,
                               const float *restrict south, const float *restrict q, float *restrict d,
                               int j0, int j1)
{
    for (int j = j0; j < j1; ++j) {
        FACE_ROW(g, j);
        for (size_t c = row; c < end; ++c)
            d[c] += k * ((west[c] * (q[c - 1] - q[c]) + west[c + 1] * (q[c + 1] - q[c])) +
                         (south[c] * (q[c - n] - q[c]) + south[c + n] * (q[c + n] - q[c])));
    }
}

// ---- confinement ----

static void vorticity_rows(const struct grid *g, const float *restrict u, const float *restrict v,
                           float *restrict w, int j0, int j1)
{
    for (int j = j0; j < j1; ++j) {
        FACE_ROW(g, j);
        for (size_t c = row - 1; c < end; ++c) {
            const float along = (v[c + 1] + v[c + 1 + n]) - (v[c - 1] + v[c - 1 + n]);
            const float across = (u[c + n] + u[c + 1 + n]) - (u[c - n] + u[c + 1 - n]);
            w[c] = 0.25f * (along - across);
        }
    }
}

static void confinement_force_rows(const struct grid *g, float least, const float *restrict w,
                                   float *restrict fx, float *restrict fz, int j0, int j1)
{
    for (int j = j0; j < j1; ++j) {
        FACE_ROW(g, j);
        for (size_t c = row; c < end; ++c) {
            const float x = 0.5f * (abs_f(w[c + 1]) - abs_f(w[c - 1])),
                        z = 0.5f * (abs_f(w[c + n]) - abs_f(w[c - n]));
            const float steep = __builtin_sqrtf(x * x + z * z) + (least * abs_f(w[c]) + 1e-30f);
            fx[c] = w[c] * (z / steep);
            fz[c] = -w[c] * (x / steep);
        }
    }
}

static void add_confinement_rows(const struct grid *g, float k, const float *restrict ax,
                                 const float *restrict az, const float *restrict fx, const float *restrict fz,
                                 float *restrict du, float *restrict dv, int j0, int j1)
{
    for (int j = j0; j < j1; ++j) {
        FACE_ROW(g, j);
        for (size_t c = row; c < end; ++c) {
            du[c] += k * ax[c] * (fx[c] + fx[c - 1]);
            dv[c] += k * az[c] * (fz[c] + fz[c - n]);
        }
    }
}

// ---- pressure ----

static double divergence_row(const struct grid *g, const float *restrict ax, const float *restrict az,
                             const float *restrict u, const float *restrict v, const float *restrict pump,
                             double *restrict b, double *most, int j)
{
    const size_t n = g->stride, row = grid_at(g, 0, j), end = row + (size_t)g->nx;
    double lane[4] = {0.0};
    for (size_t c = row; c < end; ++c) {
        const float x = ax[c + 1] * u[c + 1] - ax[c] * u[c], z = az[c + n] * v[c + n] - az[c] * v[c];
        b[c] = -(double)(x + z);
    }
    for (size_t c = row; pump && c < end; ++c) b[c] -= (double)pump[c];
    double largest = 0.0;
    for (size_t c = row; c < end; ++c) {
        const double size = b[c] < 0.0 ? -b[c] : b[c];
        largest = size > largest ? size : largest;
    }
    *most = largest;
    size_t at = row;
    for (; at + 4 <= end; at += 4)
        for (size_t k = 0; k < 4; ++k) lane[k] += b[at + k] * b[at + k];
    for (; at < end; ++at) lane[0] += b[at] * b[at];
    return (lane[0] + lane[1]) + (lane[2] + lane[3]);
}

static void add_where_free_rows(const struct grid *g, const float *mass, const float *a, const float *b,
                                float *out, int j0, int j1)
{
    for (int j = j0; j < j1; ++j) {
        const size_t row = grid_at(g, 0, j), end = row + (size_t)g->nx + 1;
        for (size_t c = row; c < end; ++c) {
            const float sum = a[c] + b[c];
            out[c] = mass[c] > 0.0f ? sum : a[c];
        }
    }
}

static void mass_times_difference_rows(const struct grid *g, const float *mass, const float *a,
                                       const float *b, const float *d, float *out, int j0, int j1)
{
    for (int j = j0; j < j1; ++j) {
        const size_t row = grid_at(g, 0, j), end = row + (size_t)g->nx + 1;
        for (size_t c = row; c < end; ++c) out[c] = mass[c] * ((a[c] - b[c]) - d[c]);
    }
}

static void mean_rows(const struct grid *g, const float *restrict a, const float *restrict b,
                      float *restrict out, int j0, int j1)
{
    for (int j = j0; j < j1; ++j) {
        const size_t row = grid_at(g, 0, j), end = row + (size_t)g->nx + 1;
        for (size_t c = row; c < end; ++c) out[c] = 0.5f * (a[c] + b[c]);
    }
}

static void subtract_gradient_rows(const struct grid *g, double k, const float *restrict ax,
                                   const float *restrict az, const double *restrict x, float *restrict u,
                                   float *restrict v, float *restrict p, int j0, int j1)
{
    for (int j = j0; j < j1; ++j) {
        FACE_ROW(g, j);
        for (size_t c = row; c < end; ++c) {
            const float along = (float)(x[c] - x[c - 1]), up = (float)(x[c] - x[c - n]);
            u[c] -= ax[c] > 0.0f ? along : 0.0f;
            v[c] -= az[c] > 0.0f ? up : 0.0f;
            p[c] += (float)(k * x[c]);
        }
    }
}

static float max_speed_row(const struct grid *g, const float *restrict u, const float *restrict v, int j)
{
    const size_t n = g->stride, row = grid_at(g, 0, j), end = row + (size_t)g->nx;
    int32_t best = 0;
    for (size_t c = row; c < end; ++c) {
        const float x = max_f(abs_f(u[c]), abs_f(u[c + 1])), z = max_f(abs_f(v[c]), abs_f(v[c + n]));
        const float sum = (x + z) + 0.0f * ((u[c] + u[c + 1]) + (v[c] + v[c + n]));
        best = max_i32(best, abs_bits(sum));
    }
    return float_of_bits(best);
}

static inline unsigned char min_u8(unsigned char a, unsigned char b) { return a < b ? a : b; }

static void min3_row(const unsigned char *from, ptrdiff_t step, int n, unsigned char *restrict out)
{
    const unsigned char *before = from - step, *after = from + step;
    for (int i = 0; i < n; ++i) out[i] = min_u8(from[i], min_u8(before[i], after[i]));
}

// 255 is beyond all.
static void dilate_distance_row(const unsigned char *from, ptrdiff_t step, int n, unsigned char *restrict far)
{
    const unsigned char *before = from - step, *after = from + step;
    for (int i = 0; i < n; ++i) {
        const unsigned char m = min_u8(from[i], min_u8(before[i], after[i]));
        far[i] = min_u8(far[i], (unsigned char)(m < 255 ? m + 1 : m));
    }
}

// A way without what brought it back in across periodic sides.
static inline float unwrapped_length(float way, float around)
{
    const float there = abs_f(way), back = abs_f(around - there);
    return back < there ? back : there;
}

// From the middle of a cell half of it lies before the next one. Nothing is in a way that ends in its own cell.
static inline unsigned char near_mark(unsigned char far, float way, int inside, float mass, float margin)
{
    const int near = (far < 255) & ((float)far <= way + margin) & (mass > 0.0f);
    return (unsigned char)(near + (near & ((float)far <= way + 0.5f) & !inside));
}

static void mark_near_row(const struct near_wall_row *r, const float *restrict x, const float *restrict z,
                          const float *restrict mass, int n, unsigned char *restrict out,
                          float *restrict others)
{
    const unsigned char *a = r->distance_a, *b = r->distance_b;
    const int back = r->include_west ? 1 : 0;
    const float wide = r->period[0], high = r->period[1], margin = r->margin;
    const float room_x = r->face_gap[0], room_z = r->face_gap[1];
    for (int i = 0; i <= n; ++i) {
        const unsigned char far = min_u8(min_u8(a[i], b[i]), min_u8(a[i - back], b[i - back]));
        const float along = unwrapped_length(x[i], wide), across = unwrapped_length(z[i], high);
        const int inside = (along < room_x) & (across < room_z);
        out[i] = near_mark(far, max_f(along, across), inside, mass[i], margin);
    }
    for (int i = 0; i <= n; ++i) others[i] = out[i] ? 0.0f : mass[i];
    for (int i = 0; i <= n; ++i) out[i] = out[i] >= r->min_mark ? out[i] : 0;
}

const struct flow_kernels KERNELS(flow_kernels) = {
    .momentum = momentum_rows,
    .scalar = scalar_rows,
    .forces = forces_rows,
    .add_diffusion = add_diffusion_rows,
    .vorticity = vorticity_rows,
    .confinement_force = confinement_force_rows,
    .add_confinement = add_confinement_rows,
    .divergence = divergence_row,
    .add_where_free = add_where_free_rows,
    .mass_times_difference = mass_times_difference_rows,
    .mean = mean_rows,
    .subtract_gradient = subtract_gradient_rows,
    .min3 = min3_row,
    .dilate_distance = dilate_distance_row,
    .mark_near = mark_near_row,
    .max_speed = max_speed_row,
};
