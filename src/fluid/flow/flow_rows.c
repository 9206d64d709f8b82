// Kernels of the planar model: momentum and scalar fluxes, forces, diffusion, vorticity confinement,
// divergence, pressure gradient, and distances to walls. flow_rows.h describes them.
#include "flow_rows.h"

#include <stdint.h>
#include <string.h>

#define FACE_ROW(g, j) const size_t n = (g)->stride, row = grid_at(g, 0, j), end = row + (size_t)(g)->nx + 1

// ---- momentum ----

// The same from four nodes, third order, where the outer ghosts are missing.
static inline float upwind3_flux(float s, float b, float c, float d, float e)
{
    const float central = 7.0f * (c + d) - (b + e), damping = 3.0f * (c - d) + (e - b);
    return 5.0f * (s * central + abs_f(s) * damping);
}

// Both components: step_own is one step along the axis of the component, step_other along the other axis.
static inline __attribute__((always_inline)) void momentum_row(const struct flow_stage *s, bool short_stencil,
                                                               const struct momentum_stage *q,
                                                               float *restrict out, size_t row, size_t end,
                                                               size_t step_own, size_t step_other)
{
    const float *mass = q->mass, *old = q->old, *u = q->u, *v = q->v, *change = q->change;
    const float flux_scale = (0.5f / 60.0f) * s->dt_dx, weight = s->weight,
                diffusion_number = s->diffusion_number;
    for (size_t c = row; c < end; ++c) {
        const float here = u[c], west = u[c - step_own], east = u[c + step_own], south = u[c - step_other],
                    north = u[c + step_other];
        const float w2 = u[c - 2 * step_own], e2 = u[c + 2 * step_own], s2 = u[c - 2 * step_other],
                    n2 = u[c + 2 * step_other];
        const float u_w = west + here, u_e = here + east, v_s = v[c - step_own] + v[c],
                    v_n = v[c - step_own + step_other] + v[c + step_other];
        float sum;
        if (short_stencil) {
            const float flux_w = upwind3_flux(u_w, w2, west, here, east),
                        flux_e = upwind3_flux(u_e, west, here, east, e2);
            const float flux_s = upwind3_flux(v_s, s2, south, here, north),
                        flux_n = upwind3_flux(v_n, south, here, north, n2);
            sum = (flux_w - flux_e) + (flux_s - flux_n);
        } else {
            const float flux_w = upwind5_flux(u_w, u[c - 3 * step_own], w2, west, here, east, e2);
            const float flux_e = upwind5_flux(u_e, w2, west, here, east, e2, u[c + 3 * step_own]);
            const float flux_s = upwind5_flux(v_s, u[c - 3 * step_other], s2, south, here, north, n2);
            const float flux_n = upwind5_flux(v_n, s2, south, here, north, n2, u[c + 3 * step_other]);
            sum = (flux_w - flux_e) + (flux_s - flux_n);
        }
        const float laplacian = ((west - here) + (east - here)) + ((south - here) + (north - here));
        const float next = here + (flux_scale * sum + change[c] + diffusion_number * laplacian);
        const float blended = old[c] + weight * (next - old[c]); // exact if next equals old
        out[c] = mass[c] > 0.0f ? blended : old[c];
    }
}

static void momentum_rows(const struct grid *g, const struct flow_stage *s, const struct momentum_stage q[2],
                          int j0, int j1)
{
    for (int j = j0; j < j1; ++j) {
        FACE_ROW(g, j);
        if (j == g->nz) { // faces of the north side: a third ghost is not allocated
            momentum_row(s, true, &q[1], q[1].out, row, end, n, 1);
            continue;
        }
        momentum_row(s, false, &q[0], q[0].out, row, end, 1, n);
        momentum_row(s, false, &q[1], q[1].out, row, end, n, 1);
    }
}

// ---- scalars ----

static void scalar_row(const struct flow_stage *s, const struct scalar_stage *scalar, float *restrict out,
                       size_t row, size_t end, size_t n)
{
    const float *ax = scalar->faces.aperture_x, *az = scalar->faces.aperture_z, *u = scalar->faces.u,
                *v = scalar->faces.v;
    const float *mass = scalar->mass, *old = scalar->old, *q = scalar->q, *change = scalar->change;
    const float dt_dx = s->dt_dx, weight = s->weight, diffusion_number = s->diffusion_number;
    for (size_t c = row; c < end; ++c) {
        const float here = q[c], west = q[c - 1], east = q[c + 1], south = q[c - n], north = q[c + n];
        const float flux_w = koren_flux(ax[c] * u[c], q[c - 2], west, here, east);
        const float flux_e = koren_flux(ax[c + 1] * u[c + 1], west, here, east, q[c + 2]);
        const float flux_s = koren_flux(az[c] * v[c], q[c - n - n], south, here, north);
        const float flux_n = koren_flux(az[c + n] * v[c + n], south, here, north, q[c + n + n]);
        const float laplacian = (ax[c] * (west - here) + ax[c + 1] * (east - here)) +
                                (az[c] * (south - here) + az[c + n] * (north - here));
        const float next = here + (dt_dx * ((flux_w - flux_e) + (flux_s - flux_n)) + change[c] +
                                   diffusion_number * laplacian);
        const float blended = old[c] + weight * (next - old[c]); // exact if next equals old
        out[c] = mass[c] > 0.0f ? blended : old[c];
    }
}

static void scalar_rows(const struct grid *g, const struct flow_stage *s, const struct scalar_stage *scalar,
                        float *out, int j0, int j1)
{
    for (int j = j0; j < j1; ++j) {
        FACE_ROW(g, j);
        scalar_row(s, scalar, out, row, end, n);
    }
}

// ---- forces and diffusion ----

static void forces_rows(const struct grid *g, const struct force_terms *terms, float *restrict du,
                        float *restrict dv, int j0, int j1)
{
    const float dt_dx = terms->dt_dx, accel_x = terms->accel_x, accel_z = terms->accel_z,
                buoyancy = terms->buoyancy;
    const float *p = terms->pressure, *q = terms->temperature;
    for (int j = j0; j < j1; ++j) {
        FACE_ROW(g, j);
        for (size_t c = row; c < end; ++c) {
            du[c] = accel_x - dt_dx * (p[c] - p[c - 1]);
            dv[c] = accel_z - dt_dx * (p[c] - p[c - n]);
        }
        if (!q) continue;
        for (size_t c = row; c < end; ++c) dv[c] += buoyancy * (q[c] + q[c - n]);
    }
}

static void add_diffusion_rows(const struct grid *g, float diffusion_number, const float *restrict coef_x,
                               const float *restrict coef_z, const float *restrict q, float *restrict change,
                               int j0, int j1)
{
    for (int j = j0; j < j1; ++j) {
        FACE_ROW(g, j);
        for (size_t c = row; c < end; ++c)
            change[c] +=
                diffusion_number * ((coef_x[c] * (q[c - 1] - q[c]) + coef_x[c + 1] * (q[c + 1] - q[c])) +
                                    (coef_z[c] * (q[c - n] - q[c]) + coef_z[c + n] * (q[c + n] - q[c])));
    }
}

// ---- vorticity confinement ----

static void vorticity_rows(const struct grid *g, const float *restrict u, const float *restrict v,
                           float *restrict w, int j0, int j1)
{
    for (int j = j0; j < j1; ++j) {
        FACE_ROW(g, j);
        for (size_t c = row - 1; c < end; ++c) {
            const float dv_dx = (v[c + 1] + v[c + 1 + n]) - (v[c - 1] + v[c - 1 + n]);
            const float du_dz = (u[c + n] + u[c + 1 + n]) - (u[c - n] + u[c + 1 - n]);
            w[c] = 0.25f * (dv_dx - du_dz);
        }
    }
}

static void confinement_force_rows(const struct grid *g, float min_gradient, const float *restrict w,
                                   float *restrict fx, float *restrict fz, int j0, int j1)
{
    for (int j = j0; j < j1; ++j) {
        FACE_ROW(g, j);
        for (size_t c = row; c < end; ++c) {
            const float grad_x = 0.5f * (abs_f(w[c + 1]) - abs_f(w[c - 1])),
                        grad_z = 0.5f * (abs_f(w[c + n]) - abs_f(w[c - n]));
            const float length =
                __builtin_sqrtf(grad_x * grad_x + grad_z * grad_z) + (min_gradient * abs_f(w[c]) + 1e-30f);
            fx[c] = w[c] * (grad_z / length);
            fz[c] = -w[c] * (grad_x / length);
        }
    }
}

static void add_confinement_rows(const struct grid *g, const struct confinement_terms *terms,
                                 float *restrict du, float *restrict dv, int j0, int j1)
{
    const float *ax = terms->aperture_x, *az = terms->aperture_z, *fx = terms->force_x, *fz = terms->force_z,
                scale = terms->scale;
    for (int j = j0; j < j1; ++j) {
        FACE_ROW(g, j);
        for (size_t c = row; c < end; ++c) {
            du[c] += scale * ax[c] * (fx[c] + fx[c - 1]);
            dv[c] += scale * az[c] * (fz[c] + fz[c - n]);
        }
    }
}

// ---- projection ----

static double divergence_row(const struct grid *g, const struct flow_faces *faces,
                             const float *restrict wall_flux, double *restrict b, double *max, int j)
{
    const float *ax = faces->aperture_x, *az = faces->aperture_z, *u = faces->u, *v = faces->v;
    const size_t n = g->stride, row = grid_at(g, 0, j), end = row + (size_t)g->nx;
    double lane[4] = {0.0};
    for (size_t c = row; c < end; ++c) {
        const float outflow_x = ax[c + 1] * u[c + 1] - ax[c] * u[c],
                    outflow_z = az[c + n] * v[c + n] - az[c] * v[c];
        b[c] = -(double)(outflow_x + outflow_z);
    }
    for (size_t c = row; wall_flux && c < end; ++c) b[c] -= (double)wall_flux[c];
    double largest = 0.0;
    for (size_t c = row; c < end; ++c) {
        const double size = b[c] < 0.0 ? -b[c] : b[c];
        largest = size > largest ? size : largest;
    }
    *max = largest;
    size_t c0 = row;
    for (; c0 + 4 <= end; c0 += 4)
        for (size_t k = 0; k < 4; ++k) lane[k] += b[c0 + k] * b[c0 + k];
    for (; c0 < end; ++c0) lane[0] += b[c0] * b[c0];
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

static void subtract_gradient_rows(const struct grid *g, const struct potential_step *step, float *restrict u,
                                   float *restrict v, float *restrict p, int j0, int j1)
{
    const float *ax = step->aperture_x, *az = step->aperture_z;
    const double *x = step->x, pressure_scale = step->pressure_scale;
    for (int j = j0; j < j1; ++j) {
        FACE_ROW(g, j);
        for (size_t c = row; c < end; ++c) {
            const float grad_x = (float)(x[c] - x[c - 1]), grad_z = (float)(x[c] - x[c - n]);
            u[c] -= ax[c] > 0.0f ? grad_x : 0.0f;
            v[c] -= az[c] > 0.0f ? grad_z : 0.0f;
            p[c] += (float)(pressure_scale * x[c]);
        }
    }
}

static float max_speed_row(const struct grid *g, const float *restrict u, const float *restrict v, int j)
{
    const size_t n = g->stride, row = grid_at(g, 0, j), end = row + (size_t)g->nx;
    int32_t max_bits = 0;
    for (size_t c = row; c < end; ++c) {
        const float max_u = max_f(abs_f(u[c]), abs_f(u[c + 1])), max_v = max_f(abs_f(v[c]), abs_f(v[c + n]));
        const float speed = (max_u + max_v) + 0.0f * ((u[c] + u[c + 1]) + (v[c] + v[c + n]));
        max_bits = max_i32(max_bits, abs_bits(speed));
    }
    return float_of_bits(max_bits);
}

// ---- distances to walls ----
static inline unsigned char min_u8(unsigned char a, unsigned char b) { return a < b ? a : b; }

static void min3_row(const unsigned char *from, ptrdiff_t step, int n, unsigned char *restrict out)
{
    const unsigned char *before = from - step, *after = from + step;
    for (int i = 0; i < n; ++i) out[i] = min_u8(from[i], min_u8(before[i], after[i]));
}

// A distance of 255 stands for infinity.
static void dilate_distance_row(const unsigned char *from, ptrdiff_t step, int n,
                                unsigned char *restrict distance)
{
    const unsigned char *before = from - step, *after = from + step;
    for (int i = 0; i < n; ++i) {
        const unsigned char nearest = min_u8(from[i], min_u8(before[i], after[i]));
        distance[i] = min_u8(distance[i], (unsigned char)(nearest < 255 ? nearest + 1 : nearest));
    }
}

// Length of a displacement without a wrap around the period.
static inline float unwrapped_length(float displacement, float period)
{
    const float direct = abs_f(displacement), wrapped = abs_f(period - direct);
    return wrapped < direct ? wrapped : direct;
}

// The edge of the next cell is half a cell from a cell centre. A displacement within the node's own cell
// (`inside`) crosses no face.
static inline unsigned char near_mark(unsigned char distance, float length, int inside, float mass,
                                      float margin)
{
    const int near = (distance < 255) & ((float)distance <= length + margin) & (mass > 0.0f);
    return (unsigned char)(near + (near & ((float)distance <= length + 0.5f) & !inside));
}

static void mark_near_row(const struct near_wall_row *r, const float *restrict x, const float *restrict z,
                          const float *restrict mass, int n, unsigned char *restrict out,
                          float *restrict mass_away)
{
    const unsigned char *a = r->distance_a, *b = r->distance_b;
    const int west = r->include_west ? 1 : 0;
    const float period_x = r->period[0], period_z = r->period[1], margin = r->margin;
    const float gap_x = r->face_gap[0], gap_z = r->face_gap[1];
    for (int i = 0; i <= n; ++i) {
        const unsigned char distance = min_u8(min_u8(a[i], b[i]), min_u8(a[i - west], b[i - west]));
        const float length_x = unwrapped_length(x[i], period_x), length_z = unwrapped_length(z[i], period_z);
        const int inside = (length_x < gap_x) & (length_z < gap_z);
        out[i] = near_mark(distance, max_f(length_x, length_z), inside, mass[i], margin);
    }
    for (int i = 0; i <= n; ++i) mass_away[i] = out[i] ? 0.0f : mass[i];
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
