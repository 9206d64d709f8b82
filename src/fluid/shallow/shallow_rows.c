#include "shallow_rows.h"

#include <stdint.h>
#include <string.h>

// The monotonised central difference (van Leer 1977): the mean of two differences, no more than twice the smaller, and
// none where they have different signs.
static inline float mc_limiter(float a, float b)
{
    const float least = 2.0f * min_f(abs_f(a), abs_f(b)), mean = 0.5f * (a + b);
    const float cut = min_f(least, max_f(-least, mean));
    return a * b > 0.0f ? cut : 0.0f;
}

// Difference of the surface across a face. Ground steeper than 45 degrees, where shallow water means nothing, pulls
// no harder than that.
static inline float surface_step(const float *bed, const float *h, const float *lift, size_t c, size_t w,
                                 float lip)
{
    const float west = bed[w] + h[w] + (lift ? lift[w] : 0.0f),
                here = bed[c] + h[c] + (lift ? lift[c] : 0.0f);
    return max_f(here, bed[w] - lip) - max_f(west, bed[c] - lip);
}

// Nothing comes out of a dry cell. So still water does not climb the shore, and moving water can.
static inline float zero_if_upwind_dry(float u, float west, float here, float dry)
{
    const float source = u > 0.0f ? west : here;
    return source > dry ? u : 0.0f;
}

// The other speed at a face.
static inline float transverse_velocity(const float *v, size_t c, size_t a, size_t b)
{
    return 0.25f * ((v[c - a] + v[c]) + (v[c - a + b] + v[c + b]));
}

// x^(-4/3) to 1e-6 by Newton's method on x^(-1/3), begun from the exponent's bits; x > 0.
static inline float power_minus_four_thirds(float x)
{
    int32_t bits;
    float y;
    memcpy(&bits, &x, sizeof bits);
    bits = 0x54a2fa8c - (int32_t)((float)bits * (1.0f / 3.0f));
    memcpy(&y, &bits, sizeof y);
    for (int i = 0; i < 3; ++i) y = y * (4.0f / 3.0f - (1.0f / 3.0f) * x * (y * y * y));
    return (y * y) * (y * y);
}

// Manning's friction, implicit: u1 / (1 + g n^2 dt |v| h^(-4/3)), |v| from before the step.
static inline __attribute__((always_inline)) void
apply_manning_row(const struct shallow_coefs *k, const float *restrict h, const float *restrict u,
                  const float *restrict v, float *restrict u1, size_t row, size_t end, size_t a, size_t b)
{
    const float drag = k->manning_coef, least = 0.5f * k->dry_depth;
    for (size_t c = row; c < end; ++c) {
        const float other = transverse_velocity(v, c, a, b), depth = max_f(0.5f * (h[c - a] + h[c]), least);
        const float speed = __builtin_sqrtf(u[c] * u[c] + other * other);
        u1[c] /= 1.0f + drag * speed * power_minus_four_thirds(depth);
    }
}

// Does the ground rise or fall by more than so much anywhere along a row of faces?
static inline __attribute__((always_inline)) bool has_bed_wall_row(const float *restrict bed, size_t row,
                                                                   size_t end, size_t a, float wall)
{
    int steep = 0;
    for (size_t c = row; c < end; ++c) steep |= abs_f(bed[c] - bed[c - a]) > wall;
    return steep;
}

#define WALL_BED_STEPS 4.0f // lips: steeper than that is no slope

// At walls water turns corners and loses what Borda and Carnot say of a sudden change of depth, (1 - h/H)^2 u^2/(2 g) of head
// within a cell, implicit: u1 / (1 + dt/(2 dx) (1 - h/H)^2 |u|). Without it speeds at a cliff of hundreds of cells grow.
static inline __attribute__((always_inline)) void
apply_head_loss_row(const struct shallow_coefs *k, const float *restrict bed, const float *restrict h,
                    const float *restrict u, float *restrict u1, size_t row, size_t end, size_t a)
{
    const float half = 0.5f * k->dt_dx, wall = WALL_BED_STEPS * k->max_bed_step, least = k->dry_depth;
    if (!has_bed_wall_row(bed, row, end, a, wall)) return;
    for (size_t c = row; c < end; ++c) {
        const float less = min_f(h[c - a], h[c]), more = max_f(max_f(h[c - a], h[c]), least);
        const float part = 1.0f - less / more, loss = half * (part * part) * abs_f(u[c]);
        u1[c] /= 1.0f + (abs_f(bed[c] - bed[c - a]) > wall ? loss : 0.0f);
    }
}

#define FACE_ROW(g, j) const size_t n = (g)->stride, row = grid_at(g, 0, j), end = row + (size_t)(g)->nx + 1

// ---- conservative: predictor --------------------------------------------------------------------------
//
//     u* = u - dt/2 (u u_x + v u_z + g eta_x - a)      h* = h - dt/2 div(h_up u)
//
// with limited differences. One function for both directions: `a` is one step along the velocity's own
// axis, `b` along the other.
static inline __attribute__((always_inline)) void
predict_velocity_row(const struct shallow_coefs *k, const float *restrict bed, const float *restrict lift,
                     const float *restrict h, const float *restrict u, const float *restrict v,
                     float *restrict out, size_t row, size_t end, size_t a, size_t b, float push)
{
    const float half = 0.5f * k->dt_dx, weight = 0.5f * k->g_dt_dx, dry = k->dry_depth, lip = k->max_bed_step;
    for (size_t c = row; c < end; ++c) {
        const float step = surface_step(bed, h, lift, c, c - a, lip);
        const float along = mc_limiter(u[c] - u[c - a], u[c + a] - u[c]);
        const float across = mc_limiter(u[c] - u[c - b], u[c + b] - u[c]);
        const float other = transverse_velocity(v, c, a, b);
        const float next = u[c] - half * (u[c] * along + other * across) - (weight * step - push);
        out[c] = zero_if_upwind_dry(next, h[c - a], h[c], dry);
    }
}

// In rows under what presses from above the top of the water is what goes on smoothly, h + lift, and what is filled at a
// face is told: see transfer_row.
static inline float loaded_depth(const float *h, const float *lift, size_t c)
{
    return lift ? h[c] + lift[c] : h[c];
}

static inline float depth_under_load(float top, const float *lift, const float *pass, size_t c)
{
    return lift ? max_f(0.0f, top - pass[c]) : top;
}

static inline __attribute__((always_inline)) void
predict_depth_row(const struct shallow_coefs *k, const float *restrict h, const float *restrict lift,
                  const float *restrict px, const float *restrict pz, const float *restrict u,
                  const float *restrict v, float *restrict out, size_t row, size_t end, size_t n)
{
    const float half = 0.5f * k->dt_dx;
    for (size_t c = row; c < end; ++c) {
        const float here = loaded_depth(h, lift, c), t_w = loaded_depth(h, lift, c - 1),
                    t_e = loaded_depth(h, lift, c + 1);
        const float t_s = loaded_depth(h, lift, c - n), t_n = loaded_depth(h, lift, c + n);
        const float west = u[c] * depth_under_load(u[c] > 0.0f ? t_w : here, lift, px, c);
        const float east = u[c + 1] * depth_under_load(u[c + 1] > 0.0f ? here : t_e, lift, px, c + 1);
        const float south = v[c] * depth_under_load(v[c] > 0.0f ? t_s : here, lift, pz, c);
        const float north = v[c + n] * depth_under_load(v[c + n] > 0.0f ? here : t_n, lift, pz, c + n);
        out[c] = max_f(0.0f, h[c] - half * ((east - west) + (north - south)));
    }
}

static void predict_rows(const struct grid *g, const struct shallow_coefs *k, const struct shallow_fields *f,
                         int j0, int j1)
{
    for (int j = j0; j < j1; ++j) {
        FACE_ROW(g, j);
        if (f->load_head && f->row_loaded[j]) {
            predict_velocity_row(k, f->bed, f->load_head, f->h, f->u, f->v, f->u_half, row, end, 1, n,
                                 0.5f * k->accel_dt_x);
            predict_velocity_row(k, f->bed, f->load_head, f->h, f->v, f->u, f->v_half, row, end, n, 1,
                                 0.5f * k->accel_dt_z);
            predict_depth_row(k, f->h, f->load_head, f->load_head_face[0], f->load_head_face[1], f->u, f->v,
                              f->h_half, row, end, n);
        } else {
            predict_velocity_row(k, f->bed, NULL, f->h, f->u, f->v, f->u_half, row, end, 1, n,
                                 0.5f * k->accel_dt_x);
            predict_velocity_row(k, f->bed, NULL, f->h, f->v, f->u, f->v_half, row, end, n, 1,
                                 0.5f * k->accel_dt_z);
            predict_depth_row(k, f->h, NULL, NULL, NULL, f->u, f->v, f->h_half, row, end, n);
        }
    }
}

// ---- what passes the faces ----------------------------------------------------------------------------
//
// Upwind depth, carried half a cell by its limited difference, times the speed half-way; rounded to whole quanta, so
// that adding and subtracting it is exact and no water is ever lost or made. Of a column behind a wall only what stands above
// it passes: `drop` would ask no more of it than 45 degrees do. How the depth goes on beyond a wall says nothing.
static inline float depth_above_step(const float *bed, const float *h, size_t c, size_t w, bool on, float lip,
                                     float face)
{
    const float east = bed_step_height(bed, w, c, lip), west = bed_step_height(bed, c, w, lip);
    const float wall = on ? east : west, own = on ? h[w] : h[c];
    return max_f(0.0f, (wall > 0.0f ? min_f(face, own) : face) - wall);
}

// Under what presses from above the depth has a hole, which the grid would wear while it carries it along. But what is
// filled at a face is told, so only the top of the water is carried half a cell (the surface gradient method, Zhou et al.
// 2001). `pass` is the mean over the step, and where the presser has the speed u of the water
//
//     lift + k u (pass[W] - pass[E]) = next
//
// so a level surface stays level, and pushes nothing that drifts along.
static inline __attribute__((always_inline)) void
depth_flux_row(const struct shallow_coefs *k, const float *restrict bed, const float *restrict h,
               const float *restrict half_h, const float *restrict lift, const float *restrict next,
               const float *restrict pass, const float *restrict u, float *restrict t, size_t row, size_t end,
               size_t a)
{
    const float deep = k->max_flux_depth, magic = k->rounding_bias, most = k->max_flux, step = k->dt_dx,
                lip = k->max_bed_step;
    for (size_t c = row; c < end; ++c) {
        const size_t d = c - a;
        const float t_c = loaded_depth(h, lift, c), t_d = loaded_depth(h, lift, d);
        const float before = t_d - loaded_depth(h, lift, d - a), after = loaded_depth(h, lift, c + a) - t_c;
        const float west = lift ? half_h[d] + 0.5f * (lift[d] + next[d]) : half_h[d],
                    east = lift ? half_h[c] + 0.5f * (lift[c] + next[c]) : half_h[c];
        const bool on = u[c] > 0.0f; // from the cell before
        const float reach = 0.5f * mc_limiter(t_c - t_d, on ? before : after);
        const float top = on ? west + reach : east - reach;
        const float face = depth_above_step(bed, h, c, d, on, lip, lift ? top - pass[c] : top);
        const float flux = step * min_f(face, deep) * u[c];
        t[c] = (min_f(most, max_f(-most, flux)) + magic) - magic;
    }
}

static void depth_flux_rows(const struct grid *g, const struct shallow_coefs *k,
                            const struct shallow_fields *f, int j0, int j1)
{
    for (int j = j0; j < j1; ++j) {
        FACE_ROW(g, j);
        if (f->load_head && f->row_loaded[j]) {
            depth_flux_row(k, f->bed, f->h, f->h_half, f->load_head, f->load_head_next, f->load_head_face[0],
                           f->u_half, f->flux_x, row, end, 1);
            depth_flux_row(k, f->bed, f->h, f->h_half, f->load_head, f->load_head_next, f->load_head_face[1],
                           f->v_half, f->flux_z, row, end, n);
        } else {
            depth_flux_row(k, f->bed, f->h, f->h_half, NULL, NULL, NULL, f->u_half, f->flux_x, row, end, 1);
            depth_flux_row(k, f->bed, f->h, f->h_half, NULL, NULL, NULL, f->v_half, f->flux_z, row, end, n);
        }
    }
}

static inline __attribute__((always_inline)) void
upwind_flux_row(const struct shallow_coefs *k, const float *restrict bed, const float *restrict h,
                const float *restrict u, float *restrict t, size_t row, size_t end, size_t a)
{
    const float deep = k->max_flux_depth, magic = k->rounding_bias, most = k->max_flux, step = k->dt_dx,
                lip = k->max_bed_step;
    for (size_t c = row; c < end; ++c) {
        const bool on = u[c] > 0.0f;
        const float face = depth_above_step(bed, h, c, c - a, on, lip, on ? h[c - a] : h[c]);
        const float flux = step * min_f(face, deep) * u[c];
        t[c] = (min_f(most, max_f(-most, flux)) + magic) - magic;
    }
}

static void upwind_flux_rows(const struct grid *g, const struct shallow_coefs *k,
                             const struct shallow_fields *f, int j0, int j1)
{
    for (int j = j0; j < j1; ++j) {
        FACE_ROW(g, j);
        upwind_flux_row(k, f->bed, f->h, f->u_next, f->flux_x, row, end, 1);
        upwind_flux_row(k, f->bed, f->h, f->v_next, f->flux_z, row, end, n);
    }
}

// ---- depth --------------------------------------------------------------------------------------------

//     h1 = h + (tx[W] - tx[E]) + (tz[S] - tz[N])
static bool update_depth_row(const struct grid *g, const struct shallow_fields *f, int j)
{
    const size_t n = g->stride, row = grid_at(g, 0, j), end = row + (size_t)g->nx;
    const float *restrict h = f->h, *restrict tx = f->flux_x, *restrict tz = f->flux_z;
    float *restrict h1 = f->h_next;
    int32_t most = 0; // of what is missing, compared by its bits: a float reduction could not be vectorised
    for (size_t c = row; c < end; ++c) {
        const float missing = cell_outflow(tx, tz, c, n) - h[c];
        int32_t bits;
        memcpy(&bits, &missing, sizeof bits);
        h1[c] = h[c] + ((tx[c] - tx[c + 1]) + (tz[c] - tz[c + n]));
        most = bits > most ? bits : most;
    }
    return most > 0;
}

static void outflow_limiter_row(const struct grid *g, const struct shallow_coefs *k,
                                const struct shallow_fields *f, int j)
{
    const size_t n = g->stride, row = grid_at(g, 0, j), end = row + (size_t)g->nx;
    const float *restrict h = f->h, *restrict tx = f->flux_x, *restrict tz = f->flux_z;
    float *restrict part = f->h_half;
    const float spare = k->reserve_depth;
    for (size_t c = row; c < end; ++c) {
        const float asked = cell_outflow(tx, tz, c, n), has = max_f(0.0f, h[c] - spare);
        part[c] = asked > h[c] ? has / max_f(asked, h[c]) : 1.0f;
    }
    part[row - 1] = part[end] = 1.0f; // what comes from beyond a side is not rationed
}

static void limit_flux_row(const struct grid *g, const struct shallow_coefs *k,
                           const struct shallow_fields *f, int j, const float *part, const float *south)
{
    const size_t count = (size_t)g->nx + 1;
    float *restrict tx = f->flux_x + grid_at(g, 0, j), *restrict tz = f->flux_z + grid_at(g, 0, j);
    const float magic = k->rounding_bias, *before = part - 1;
    for (size_t i = 0; i < count; ++i) {
        const float own = part[i], west = before[i], depth_under_load = south[i];
        const float x = tx[i] * (tx[i] > 0.0f ? west : own),
                    z = tz[i] * (tz[i] > 0.0f ? depth_under_load : own);
        tx[i] = (x + magic) - magic;
        tz[i] = (z + magic) - magic;
    }
}

// ---- conservative: momentum ---------------------------------------------------------------------------
//
// Stelling & Duinmeijer (2003): the water that passes carries momentum with it, with the same, already rationed
// transfers t as the depth,
//
//     hm1 u1 = hm u - sum(t_mean u*) - dt g hm_mean grad(eta_mean),    hm = mean depth of the face's two cells
//
// where u* is taken upwind with its limited difference, and eta_mean is the mean of both ends of the step.

#define TILE_COLUMNS 512 // columns at once: the rows of fluxes below fill 12 KiB

// Flux of u through the middles between faces c-a .. c and c: mean of the transfers at p and q, times u*.
// out[c] stands between faces c - a and c.
static inline __attribute__((always_inline)) void momentum_flux_row(const float *restrict t,
                                                                    const float *restrict u,
                                                                    float *restrict out, size_t row,
                                                                    size_t end, size_t a, size_t p, size_t q)
{
    for (size_t c = row; c < end; ++c) {
        const float mean = 0.5f * (t[c - p] + t[c - q]);
        const float west = u[c - a], east = u[c];
        const float here = east - west, before = west - u[c - a - a], after = u[c + a] - east;
        const bool on = mean > 0.0f;
        const float reach = 0.5f * mc_limiter(here, on ? before : after);
        out[c - row] = mean * (on ? west + reach : east - reach);
    }
}

// Where water is squeezed together a bore would ring. Von Neumann & Richtmyer's (1950) pressure 2 h (du)^2 stills it; it
// is of third order elsewhere. It may not take more than a quarter of du in one step. And transfers in whole quanta make
// noise of the width of a cell, which nothing else would still. Where du moves less than some quanta it loses a tenth, the
// less the more it moves; waves that are waves do not feel it.
static inline __attribute__((always_inline)) void
add_artificial_viscosity_row(const struct shallow_coefs *f, const float *restrict h, const float *restrict u,
                             float *restrict out, size_t row, size_t end, size_t a)
{
    const float k = f->dt_dx, hush = f->noise_damping;
    for (size_t c = row; c < end; ++c) {
        const float apart = u[c - a] - u[c], closer = max_f(0.0f, apart), tenth = 0.1f * h[c - a] * apart;
        out[c - row] += h[c - a] * closer * min_f(2.0f * k * closer, 0.25f);
        out[c - row] += tenth * max_f(0.0f, 1.0f - hush * abs_f(tenth));
    }
}

static inline __attribute__((always_inline)) void
update_velocity_row(const struct shallow_coefs *k, const struct shallow_fields *f, const float *restrict u,
                    const float *restrict lift, const float *restrict next, const float *restrict low_a,
                    const float *restrict high_a, const float *restrict low_b, const float *restrict high_b,
                    float *restrict u1, size_t row, size_t end, size_t a, float push)
{
    const float *restrict bed = f->bed, *restrict h = f->h, *restrict h1 = f->h_next;
    const float gk = k->g_dt_dx, dry = k->dry_depth, lip = k->max_bed_step, cap = k->max_speed;
    for (size_t c = row; c < end; ++c) {
        const float before = surface_step(bed, h, lift, c, c - a, lip),
                    after = surface_step(bed, h1, next, c, c - a, lip);
        const float depth = 0.5f * (h[c - a] + h[c]), depth1 = 0.5f * (h1[c - a] + h1[c]);
        const float mean = 0.5f * (depth + depth1), step = 0.5f * (before + after);
        const float carried = (high_a[c - row] - low_a[c - row]) + (high_b[c - row] - low_b[c - row]);
        const float wet = max_f(depth1, 0.5f * dry);
        const float speed = ((depth * u[c] - carried) - mean * (gk * step - push)) / wet;
        u1[c] = zero_if_upwind_dry(min_f(cap, max_f(-cap, speed)), h1[c - a], h1[c], dry);
    }
}

// For the faces of one row and tile: u needs the fluxes in the cells west and east of it and at the corners south
// and north, v those at the corners west and east and in the cells south and north. Corners north of this row are
// south of the next, so they are computed once.
struct momentum_fluxes {
    float u_cells[TILE_COLUMNS + 1];                    // of u in the cells from one west of the first face
    float v_corners[TILE_COLUMNS + 1];                  // of v at the corners from the first face's own
    float u_south[TILE_COLUMNS], u_north[TILE_COLUMNS]; // of u at the corners
    float v_south[TILE_COLUMNS], v_north[TILE_COLUMNS]; // of v in the cells
};

static void start_momentum_fluxes(const struct shallow_coefs *k, const struct shallow_fields *f,
                                  struct momentum_fluxes *t, size_t row, size_t end, size_t n)
{
    momentum_flux_row(f->flux_z, f->u_half, t->u_north, row, end, n, 1, 0);
    momentum_flux_row(f->flux_z, f->v_half, t->v_north, row, end, n, n, 0);
    add_artificial_viscosity_row(k, f->h_next, f->v_half, t->v_north, row, end, n);
}

static inline __attribute__((always_inline)) void
update_momentum_row(const struct shallow_coefs *k, const struct shallow_fields *f, const float *lift,
                    const float *next, struct momentum_fluxes *t, size_t row, size_t end, size_t n)
{
    memcpy(t->u_south, t->u_north, (end - row) * sizeof(float));
    memcpy(t->v_south, t->v_north, (end - row) * sizeof(float));
    momentum_flux_row(f->flux_z, f->u_half, t->u_north, row + n, end + n, n, 1, 0);
    momentum_flux_row(f->flux_z, f->v_half, t->v_north, row + n, end + n, n, n, 0);
    add_artificial_viscosity_row(k, f->h_next, f->v_half, t->v_north, row + n, end + n, n);
    momentum_flux_row(f->flux_x, f->u_half, t->u_cells, row, end + 1, 1, 1, 0);
    add_artificial_viscosity_row(k, f->h_next, f->u_half, t->u_cells, row, end + 1, 1);
    momentum_flux_row(f->flux_x, f->v_half, t->v_corners, row, end + 1, 1, n, 0);
    update_velocity_row(k, f, f->u, lift, next, t->u_cells, t->u_cells + 1, t->u_south, t->u_north, f->u_next,
                        row, end, 1, k->accel_dt_x);
    update_velocity_row(k, f, f->v, lift, next, t->v_south, t->v_north, t->v_corners, t->v_corners + 1,
                        f->v_next, row, end, n, k->accel_dt_z);
    apply_head_loss_row(k, f->bed, f->h_next, f->u, f->u_next, row, end, 1);
    apply_head_loss_row(k, f->bed, f->h_next, f->v, f->v_next, row, end, n);
    if (!(k->manning_coef > 0.0f)) return;
    apply_manning_row(k, f->h_next, f->u, f->v, f->u_next, row, end, 1, n);
    apply_manning_row(k, f->h_next, f->v, f->u, f->v_next, row, end, n, 1);
}

static void update_momentum_rows(const struct grid *g, const struct shallow_coefs *k,
                                 const struct shallow_fields *f, int j0, int j1)
{
    struct momentum_fluxes t;
    const size_t n = g->stride, columns = (size_t)g->nx + 1;
    for (size_t i = 0; i < columns; i += TILE_COLUMNS) {
        const size_t count = columns - i < TILE_COLUMNS ? columns - i : TILE_COLUMNS,
                     first = grid_at(g, 0, j0) + i;
        start_momentum_fluxes(k, f, &t, first, first + count, n);
        for (int j = j0; j < j1; ++j) {
            const size_t row = grid_at(g, 0, j) + i;
            if (f->load_head && f->row_loaded[j])
                update_momentum_row(k, f, f->load_head, f->load_head_next, &t, row, row + count, n);
            else
                update_momentum_row(k, f, NULL, NULL, &t, row, row + count, n);
        }
    }
}

// ---- semi-lagrangian and maccormack -------------------------------------------------------------------

// The value a step back along the flow, bilinear. A step is at most a cell long, so the four values around the
// place it comes from are found by comparing signs.
struct interpolated {
    float value, min, max;
};

// Where it comes from: from behind, here or ahead.
static inline float pick_upwind(float way, float behind, float here, float ahead)
{
    return way > 0.0f ? behind : way < 0.0f ? ahead : here;
}

static inline struct interpolated backtrace_bilinear(const float *q, size_t c, size_t a, size_t b,
                                                     float along, float across)
{
    const float x = min_f(1.0f, abs_f(along)), z = min_f(1.0f, abs_f(across));
    const float q0 = q[c], q1 = q[c - a], q2 = q[c + a], q3 = q[c - b], q4 = q[c + b];
    const float q5 = q[c - a - b], q6 = q[c - a + b], q7 = q[c + a - b], q8 = q[c + a + b];
    const float qa = pick_upwind(along, q1, q0, q2), qb = pick_upwind(across, q3, q0, q4);
    const float low = pick_upwind(across, q5, q1, q6), high = pick_upwind(across, q7, q2, q8),
                qab = pick_upwind(along, low, qb, high);
    const float value = (1.0f - z) * ((1.0f - x) * q0 + x * qa) + z * ((1.0f - x) * qb + x * qab);
    return (struct interpolated){value, min_f(min_f(q0, qa), min_f(qb, qab)),
                                 max_f(max_f(q0, qa), max_f(qb, qab))};
}

static inline __attribute__((always_inline)) void advect_row(float k, const float *restrict u,
                                                             const float *restrict v, float *restrict out,
                                                             size_t row, size_t end, size_t a, size_t b)
{
    for (size_t c = row; c < end; ++c)
        out[c] = backtrace_bilinear(u, c, a, b, k * u[c], k * transverse_velocity(v, c, a, b)).value;
}

// (half_u, half_v) = (u, v) carried by themselves.
static void advect_rows(const struct grid *g, const struct shallow_coefs *k, const struct shallow_fields *f,
                        int j0, int j1)
{
    for (int j = j0; j < j1; ++j) {
        FACE_ROW(g, j);
        advect_row(k->dt_dx, f->u, f->v, f->u_half, row, end, 1, n);
        advect_row(k->dt_dx, f->v, f->u, f->v_half, row, end, n, 1);
    }
}

// MacCormack (Selle et al. 2008): what going there and back gets wrong is corrected by half, and what that would
// make larger or smaller than its surroundings is clamped.
static inline __attribute__((always_inline)) void
maccormack_row(float k, const float *restrict u, const float *restrict v, const float *restrict there,
               float *restrict out, size_t row, size_t end, size_t a, size_t b)
{
    for (size_t c = row; c < end; ++c) {
        const float along = k * u[c], across = k * transverse_velocity(v, c, a, b);
        const struct interpolated from = backtrace_bilinear(u, c, a, b, along, across);
        const float back = backtrace_bilinear(there, c, a, b, -along, -across).value;
        out[c] = min_f(from.max, max_f(from.min, there[c] + 0.5f * (u[c] - back)));
    }
}

static void maccormack_rows(const struct grid *g, const struct shallow_coefs *k,
                            const struct shallow_fields *f, int j0, int j1)
{
    for (int j = j0; j < j1; ++j) {
        FACE_ROW(g, j);
        maccormack_row(k->dt_dx, f->u, f->v, f->u_half, f->u_next, row, end, 1, n);
        maccormack_row(k->dt_dx, f->v, f->u, f->v_half, f->v_next, row, end, n, 1);
    }
}

// u1 -= g dt grad(eta) - a dt, limits.
static inline __attribute__((always_inline)) void
apply_slope_row(const struct shallow_coefs *k, const float *restrict bed, const float *restrict h,
                const float *restrict lift, float *restrict u1, size_t row, size_t end, size_t a, float push)
{
    const float gk = k->g_dt_dx, dry = k->dry_depth, lip = k->max_bed_step, cap = k->max_speed;
    for (size_t c = row; c < end; ++c) {
        const float next = u1[c] - (gk * surface_step(bed, h, lift, c, c - a, lip) - push);
        u1[c] = zero_if_upwind_dry(min_f(cap, max_f(-cap, next)), h[c - a], h[c], dry);
    }
}

static void apply_slope_rows(const struct grid *g, const struct shallow_coefs *k,
                             const struct shallow_fields *f, int j0, int j1)
{
    for (int j = j0; j < j1; ++j) {
        FACE_ROW(g, j);
        if (f->load_head) {
            apply_slope_row(k, f->bed, f->h, f->load_head, f->u_next, row, end, 1, k->accel_dt_x);
            apply_slope_row(k, f->bed, f->h, f->load_head, f->v_next, row, end, n, k->accel_dt_z);
        } else {
            apply_slope_row(k, f->bed, f->h, NULL, f->u_next, row, end, 1, k->accel_dt_x);
            apply_slope_row(k, f->bed, f->h, NULL, f->v_next, row, end, n, k->accel_dt_z);
        }
        apply_head_loss_row(k, f->bed, f->h, f->u, f->u_next, row, end, 1);
        apply_head_loss_row(k, f->bed, f->h, f->v, f->v_next, row, end, n);
        if (!(k->manning_coef > 0.0f)) continue;
        apply_manning_row(k, f->h, f->u, f->v, f->u_next, row, end, 1, n);
        apply_manning_row(k, f->h, f->v, f->u, f->v_next, row, end, n, 1);
    }
}

// ---- the fastest signal -------------------------------------------------------------------------------

static float max_signal_rows(const struct grid *g, float gravity, const float *restrict h,
                             const float *restrict u, const float *restrict v, int j0, int j1)
{
    int32_t best = 0;
    for (int j = j0; j < j1; ++j) {
        const size_t n = g->stride, row = grid_at(g, 0, j), end = row + (size_t)g->nx;
        for (size_t c = row; c < end; ++c) {
            const int32_t x = max_i32(abs_bits(u[c]), abs_bits(u[c + 1])),
                          z = max_i32(abs_bits(v[c]), abs_bits(v[c + n]));
            const float speed = float_of_bits(max_i32(x, z));
            best = max_i32(best, abs_bits(speed + __builtin_sqrtf(gravity * h[c])));
        }
    }
    return float_of_bits(best);
}

const struct shallow_kernels KERNELS(shallow_kernels) = {
    .predict = predict_rows,
    .depth_flux = depth_flux_rows,
    .update_momentum = update_momentum_rows,
    .advect = advect_rows,
    .maccormack = maccormack_rows,
    .apply_slope = apply_slope_rows,
    .upwind_flux = upwind_flux_rows,
    .update_depth = update_depth_row,
    .outflow_limiter = outflow_limiter_row,
    .limit_flux = limit_flux_row,
    .max_signal = max_signal_rows,
};
