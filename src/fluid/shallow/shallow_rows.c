// Kernels of the shallow-water model: MUSCL predictor, depth flux with quantisation, continuity with
// positivity limiter, momentum corrector [stelling2003], semi-Lagrangian and MacCormack advection
// [selle2008]. shallow_friction.h has the friction; shallow_step.c calls them over blocks of rows.
//
// Most functions serve both velocity components, see struct velocity_component. Their outputs are restrict
// parameters: without them the compiler would have to check for overlapping arrays.
#include "shallow_friction.h"

// The components of the velocity before the substep.
static inline struct velocity_component component_u(const struct shallow_coefs *k,
                                                    const struct shallow_fields *f, size_t n)
{
    return (struct velocity_component){
        .u = f->u, .v = f->v, .step_along = 1, .step_across = n, .accel_dt = k->accel_dt_x};
}

static inline struct velocity_component component_v(const struct shallow_coefs *k,
                                                    const struct shallow_fields *f, size_t n)
{
    return (struct velocity_component){
        .u = f->v, .v = f->u, .step_along = n, .step_across = 1, .accel_dt = k->accel_dt_z};
}

// Difference of the surface across a face. Where the bed is steeper than 45 degrees, beyond the validity of
// the shallow-water equations, the difference is that of a 45 degree slope.
static inline float surface_step(const float *bed, const float *h, const float *load_head, size_t c, size_t w,
                                 float max_step)
{
    const float west = bed[w] + h[w] + (load_head ? load_head[w] : 0.0f),
                here = bed[c] + h[c] + (load_head ? load_head[c] : 0.0f);
    return max_f(here, bed[w] - max_step) - max_f(west, bed[c] - max_step);
}

// No water flows out of a dry cell. Still water therefore does not climb a shore, and moving water can.
static inline float zero_if_upwind_dry(float u, float west, float here, float dry_depth)
{
    const float source = u > 0.0f ? west : here;
    return source > dry_depth ? u : 0.0f;
}

// ---- conservative: predictor ----
//
//     u_half = u - dt/2 (u u_x + v u_z + g eta_x - a)      h_half = h - dt/2 div(h_upwind u)
//
// with limited differences [vanleer1977], then half of the friction.
static inline __attribute__((always_inline)) void
predict_velocity_row(const struct shallow_coefs *k, const struct shallow_fields *f, bool loaded,
                     const struct velocity_component *q, float *restrict out, size_t row, size_t end)
{
    const float *load_head = loaded ? f->load_head : NULL;
    const size_t step_along = q->step_along, step_across = q->step_across;
    const float *bed = f->bed, *h = f->h, *u = q->u, *v = q->v, accel_dt = 0.5f * q->accel_dt;
    const float half = 0.5f * k->dt_dx, weight = 0.5f * k->g_dt_dx, dry_depth = k->dry_depth,
                max_step = k->max_bed_step;
    for (size_t c = row; c < end; ++c) {
        const float step = surface_step(bed, h, load_head, c, c - step_along, max_step);
        const float along = mc_limiter(u[c] - u[c - step_along], u[c + step_along] - u[c]);
        const float across = mc_limiter(u[c] - u[c - step_across], u[c + step_across] - u[c]);
        const float other = transverse_velocity(v, c, step_along, step_across);
        const float predicted = u[c] - half * (u[c] * along + other * across) - (weight * step - accel_dt);
        out[c] = zero_if_upwind_dry(predicted, h[c - step_along], h[c], dry_depth);
    }
}

// Under a load the reconstructed quantity is the top of the water, h + load_head, and the load head at the
// face is subtracted from it: see depth_flux_row.
static inline float loaded_depth(const float *h, const float *load_head, size_t c)
{
    return load_head ? h[c] + load_head[c] : h[c];
}

static inline float depth_under_load(float top, const float *load_head, const float *head_face, size_t c)
{
    return load_head ? max_f(0.0f, top - head_face[c]) : top;
}

static inline __attribute__((always_inline)) void predict_depth_row(const struct shallow_coefs *k,
                                                                    const struct shallow_fields *f,
                                                                    bool loaded, float *restrict out,
                                                                    size_t row, size_t end, size_t n)
{
    const float *load_head = loaded ? f->load_head : NULL;
    const float *h = f->h, *u = f->u, *v = f->v;
    const float *face_x = f->load_head_face[0], *face_z = f->load_head_face[1];
    const float half = 0.5f * k->dt_dx;
    for (size_t c = row; c < end; ++c) {
        const float here = loaded_depth(h, load_head, c), top_w = loaded_depth(h, load_head, c - 1),
                    top_e = loaded_depth(h, load_head, c + 1);
        const float top_s = loaded_depth(h, load_head, c - n), top_n = loaded_depth(h, load_head, c + n);
        const float west = u[c] * depth_under_load(u[c] > 0.0f ? top_w : here, load_head, face_x, c);
        const float east =
            u[c + 1] * depth_under_load(u[c + 1] > 0.0f ? here : top_e, load_head, face_x, c + 1);
        const float south = v[c] * depth_under_load(v[c] > 0.0f ? top_s : here, load_head, face_z, c);
        const float north =
            v[c + n] * depth_under_load(v[c + n] > 0.0f ? here : top_n, load_head, face_z, c + n);
        out[c] = max_f(0.0f, h[c] - half * ((east - west) + (north - south)));
    }
}

static inline __attribute__((always_inline)) void predict_row(const struct shallow_coefs *k,
                                                              const struct shallow_fields *f, bool loaded,
                                                              size_t row, size_t end, size_t n)
{
    const struct velocity_component u = component_u(k, f, n), v = component_v(k, f, n);
    predict_velocity_row(k, f, loaded, &u, f->u_half, row, end);
    predict_velocity_row(k, f, loaded, &v, f->v_half, row, end);
    predict_depth_row(k, f, loaded, f->h_half, row, end, n);
}

static void predict_friction_row(const struct shallow_coefs *k, const struct shallow_fields *f, bool has_wall,
                                 size_t row, size_t end, size_t n)
{
    const struct velocity_component u = component_u(k, f, n), v = component_v(k, f, n);
    if (has_wall) {
        apply_head_loss_row(k, 0.5f, f->bed, f->h, &u, f->u_half, row, end);
        apply_head_loss_row(k, 0.5f, f->bed, f->h, &v, f->v_half, row, end);
    }
    if (!(k->manning_coef > 0.0f)) return;
    predict_manning_row(k, f->h, &u, f->u_half, f->manning_drag_u, row, end);
    predict_manning_row(k, f->h, &v, f->v_half, f->manning_drag_v, row, end);
}

static void predict_rows(const struct grid *g, const struct shallow_coefs *k, const struct shallow_fields *f,
                         int j0, int j1)
{
    for (int j = j0; j < j1; ++j) {
        FACE_ROW(g, j);
        if (f->load_head && f->row_loaded[j])
            predict_row(k, f, true, row, end, n);
        else
            predict_row(k, f, false, row, end, n);
        f->row_has_wall[j] = has_bed_wall_row(k, f->bed, row, end, n);
        predict_friction_row(k, f, f->row_has_wall[j], row, end, n);
    }
}

// ---- depth flux ----
//
// The flux is the upwind depth, reconstructed at the face with its limited difference, times the velocity at
// half the substep. It is rounded to whole quanta, so that adding and subtracting it is exact and volume is
// conserved exactly. At a wall only the part of the column above the wall flows, and the depth is not
// extrapolated towards the wall. surface_step limits the slope accordingly.
static inline float depth_above_step(const float *bed, const float *h, size_t c, size_t w, bool from_west,
                                     float max_step, float face)
{
    const float east = bed_step_height(bed, w, c, max_step), west = bed_step_height(bed, c, w, max_step);
    const float wall_step = from_west ? east : west, own = from_west ? h[w] : h[c];
    return max_f(0.0f, (wall_step > 0.0f ? min_f(face, own) : face) - wall_step);
}

// A load leaves a hollow in the depth, which numerical diffusion would fill while the body moves. The load
// head at the face is known, so only the top of the water is reconstructed (surface gradient method
// [zhou2001]). head_face is the mean over the substep; where the body moves with the velocity u of the water,
//
//     load_head + dt/dx u (head_face[W] - head_face[E]) = head_next
//
// so a level surface stays level and exerts no force on a body that drifts with the water.
static inline __attribute__((always_inline)) void depth_flux_row(const struct shallow_coefs *k,
                                                                 const struct shallow_fields *f, bool loaded,
                                                                 const float *head_face,
                                                                 const struct velocity_component *q,
                                                                 float *restrict flux, size_t row, size_t end)
{
    const size_t step_along = q->step_along;
    const float *bed = f->bed, *h = f->h, *h_half = f->h_half, *u = q->u;
    const float *load_head = loaded ? f->load_head : NULL, *head_next = loaded ? f->load_head_next : NULL;
    const float max_flux_depth = k->max_flux_depth, bias = k->rounding_bias, max_flux = k->max_flux,
                step = k->dt_dx, max_step = k->max_bed_step;
    for (size_t c = row; c < end; ++c) {
        const size_t d = c - step_along;
        const float top_c = loaded_depth(h, load_head, c), top_d = loaded_depth(h, load_head, d);
        const float before = top_d - loaded_depth(h, load_head, d - step_along),
                    after = loaded_depth(h, load_head, c + step_along) - top_c;
        const float west = load_head ? h_half[d] + 0.5f * (load_head[d] + head_next[d]) : h_half[d],
                    east = load_head ? h_half[c] + 0.5f * (load_head[c] + head_next[c]) : h_half[c];
        const bool from_west = u[c] > 0.0f; // from the cell before
        const float reach = 0.5f * mc_limiter(top_c - top_d, from_west ? before : after);
        const float top = from_west ? west + reach : east - reach;
        const float face =
            depth_above_step(bed, h, c, d, from_west, max_step, load_head ? top - head_face[c] : top);
        const float unrounded = step * min_f(face, max_flux_depth) * u[c];
        flux[c] = (min_f(max_flux, max_f(-max_flux, unrounded)) + bias) - bias;
    }
}

static void depth_flux_rows(const struct grid *g, const struct shallow_coefs *k,
                            const struct shallow_fields *f, int j0, int j1)
{
    for (int j = j0; j < j1; ++j) {
        FACE_ROW(g, j);
        const struct velocity_component u = {.u = f->u_half, .step_along = 1},
                                        v = {.u = f->v_half, .step_along = n};
        if (f->load_head && f->row_loaded[j]) {
            depth_flux_row(k, f, true, f->load_head_face[0], &u, f->flux_x, row, end);
            depth_flux_row(k, f, true, f->load_head_face[1], &v, f->flux_z, row, end);
        } else {
            depth_flux_row(k, f, false, NULL, &u, f->flux_x, row, end);
            depth_flux_row(k, f, false, NULL, &v, f->flux_z, row, end);
        }
    }
}

static inline __attribute__((always_inline)) void
upwind_flux_row(const struct shallow_coefs *k, const float *restrict bed, const float *restrict h,
                const float *restrict u, float *restrict flux, size_t row, size_t end, size_t step_along)
{
    const float max_flux_depth = k->max_flux_depth, bias = k->rounding_bias, max_flux = k->max_flux,
                step = k->dt_dx, max_step = k->max_bed_step;
    for (size_t c = row; c < end; ++c) {
        const bool from_west = u[c] > 0.0f;
        const float face = depth_above_step(bed, h, c, c - step_along, from_west, max_step,
                                            from_west ? h[c - step_along] : h[c]);
        const float unrounded = step * min_f(face, max_flux_depth) * u[c];
        flux[c] = (min_f(max_flux, max_f(-max_flux, unrounded)) + bias) - bias;
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

// ---- depth ----

//     h_next = h + (flux_x[W] - flux_x[E]) + (flux_z[S] - flux_z[N])
static bool update_depth_row(const struct grid *g, const struct shallow_fields *f, int j)
{
    const size_t n = g->stride, row = grid_at(g, 0, j), end = row + (size_t)g->nx;
    const float *restrict h = f->h, *restrict flux_x = f->flux_x, *restrict flux_z = f->flux_z;
    float *restrict h_next = f->h_next;
    int32_t max_deficit = 0; // compared by its bits: a float reduction cannot be vectorised
    for (size_t c = row; c < end; ++c) {
        const float deficit = cell_outflow(flux_x, flux_z, c, n) - h[c];
        int32_t bits;
        memcpy(&bits, &deficit, sizeof bits);
        h_next[c] = h[c] + ((flux_x[c] - flux_x[c + 1]) + (flux_z[c] - flux_z[c + n]));
        max_deficit = bits > max_deficit ? bits : max_deficit;
    }
    return max_deficit > 0;
}

static void outflow_limiter_row(const struct grid *g, const struct shallow_coefs *k,
                                const struct shallow_fields *f, int j)
{
    const size_t n = g->stride, row = grid_at(g, 0, j), end = row + (size_t)g->nx;
    const float *restrict h = f->h, *restrict flux_x = f->flux_x, *restrict flux_z = f->flux_z;
    float *restrict limiter = f->outflow_limiter;
    const float reserve = k->reserve_depth;
    for (size_t c = row; c < end; ++c) {
        const float outflow = cell_outflow(flux_x, flux_z, c, n), available = max_f(0.0f, h[c] - reserve);
        limiter[c] = outflow > h[c] ? available / max_f(outflow, h[c]) : 1.0f;
    }
    limiter[row - 1] = limiter[end] = 1.0f; // inflow through a boundary is not limited
}

static void limit_flux_row(const struct grid *g, const struct shallow_coefs *k,
                           const struct shallow_fields *f, int j, const float *limiter, const float *south)
{
    const size_t count = (size_t)g->nx + 1;
    float *restrict flux_x = f->flux_x + grid_at(g, 0, j), *restrict flux_z = f->flux_z + grid_at(g, 0, j);
    const float bias = k->rounding_bias, *before = limiter - 1;
    for (size_t i = 0; i < count; ++i) {
        const float own = limiter[i], west = before[i], below = south[i];
        const float x = flux_x[i] * (flux_x[i] > 0.0f ? west : own),
                    z = flux_z[i] * (flux_z[i] > 0.0f ? below : own);
        flux_x[i] = (x + bias) - bias;
        flux_z[i] = (z + bias) - bias;
    }
}

// ---- conservative: momentum ----
//
// Momentum is advected with the same limited fluxes as depth [stelling2003],
//
//     hm_next u_next = hm u - sum(flux_mean u_upwind) - dt g hm_mean grad(eta_mean)
//
// where hm is the mean depth of the two cells of a face, u_upwind is reconstructed with its limited
// difference, and eta_mean is the mean of the surface before and after the substep.

#define TILE_COLUMNS 512 // columns of a tile: the rows below fill 16 KiB

// The velocity between the faces c - step_along and c, upwind and reconstructed with its limited difference.
static inline float upwind_velocity(const float *u, size_t c, size_t step_along, bool from_west)
{
    const float west = u[c - step_along], east = u[c];
    const float before = west - u[c - step_along - step_along], after = u[c + step_along] - east;
    const float reach = 0.5f * mc_limiter(east - west, from_west ? before : after);
    return from_west ? west + reach : east - reach;
}

// Momentum flux across the component's axis, at corners: the mean of the fluxes at c - step_across and c
// times the upwind velocity. step_along is the direction in which momentum is carried; out[c - row] belongs
// to the corner between the faces c - step_along and c.
static inline __attribute__((always_inline)) void
corner_momentum_row(const float *restrict flux, const float *restrict u, float *restrict out, size_t row,
                    size_t end, size_t step_along, size_t step_across)
{
    for (size_t c = row; c < end; ++c) {
        const float mean = 0.5f * (flux[c - step_across] + flux[c]);
        out[c - row] = mean * upwind_velocity(u, c, step_along, mean > 0.0f);
    }
}

// Momentum flux along the component's axis, in cells: advection as above and two viscous terms.
//
// Von Neumann-Richtmyer artificial viscosity [vonneumann1950] is a pressure 2 h du^2 where the flow
// converges. It removes oscillations behind bores, is of third order elsewhere, and takes at most a quarter
// of du in one substep.
//
// Quantisation damping: rounding of the fluxes makes noise of the wavelength of a cell. Of the part of du
// that alternates from cell to cell, (2 du - du[W] - du[E])/4, up to a tenth is taken where its momentum
// exchange is below 1/noise_damping, decreasing linearly with the exchange. Smooth flow has no such part,
// however short the substep is.
static inline __attribute__((always_inline)) void
cell_momentum_row(const struct shallow_coefs *k, const float *restrict flux, const float *restrict h,
                  const float *restrict u, float *restrict out, size_t row, size_t end, size_t step_along)
{
    const float dt_dx = k->dt_dx, noise_damping = k->noise_damping;
    for (size_t c = row; c < end; ++c) {
        const size_t cell = c - step_along;
        const float mean = 0.5f * (flux[cell] + flux[c]);
        const float du = u[cell] - u[c], west = u[cell - step_along] - u[cell],
                    east = u[c] - u[c + step_along];
        const float converging = max_f(0.0f, du),
                    damped = (0.1f * h[cell]) * (0.5f * du - 0.25f * (west + east));
        out[c - row] = (mean * upwind_velocity(u, c, step_along, mean > 0.0f) +
                        h[cell] * converging * min_f(2.0f * dt_dx * converging, 0.25f)) +
                       damped * max_f(0.0f, 1.0f - noise_damping * abs_f(damped));
    }
}

// Momentum fluxes into (low) and out of (high) the control volume of a face, along the component's axis and
// across it; element 0 belongs to the first face.
struct momentum_balance {
    const float *low_along, *high_along, *low_across, *high_across;
};

static inline __attribute__((always_inline)) void
update_velocity_row(const struct shallow_coefs *k, const struct shallow_fields *f, bool loaded,
                    const struct velocity_component *q, const struct momentum_balance *flux,
                    float *restrict u_next, size_t row, size_t end)
{
    const float *bed = f->bed, *h = f->h, *h_next = f->h_next, *u = q->u;
    const float *load_head = loaded ? f->load_head : NULL, *head_next = loaded ? f->load_head_next : NULL;
    const float *low_along = flux->low_along, *high_along = flux->high_along, *low_across = flux->low_across,
                *high_across = flux->high_across;
    const size_t step_along = q->step_along;
    const float accel_dt = q->accel_dt, g_dt_dx = k->g_dt_dx, dry_depth = k->dry_depth,
                max_step = k->max_bed_step, max_speed = k->max_speed;
    for (size_t c = row; c < end; ++c) {
        const float before = surface_step(bed, h, load_head, c, c - step_along, max_step),
                    after = surface_step(bed, h_next, head_next, c, c - step_along, max_step);
        const float depth = 0.5f * (h[c - step_along] + h[c]),
                    depth1 = 0.5f * (h_next[c - step_along] + h_next[c]);
        const float mean = 0.5f * (depth + depth1), step = 0.5f * (before + after);
        const float outflow =
            (high_along[c - row] - low_along[c - row]) + (high_across[c - row] - low_across[c - row]);
        const float wet = max_f(depth1, 0.5f * dry_depth);
        const float speed = ((depth * u[c] - outflow) - mean * (g_dt_dx * step - accel_dt)) / wet;
        u_next[c] = zero_if_upwind_dry(min_f(max_speed, max_f(-max_speed, speed)), h_next[c - step_along],
                                       h_next[c], dry_depth);
    }
}

// Momentum fluxes around the faces of one row and tile. A face of u needs those in the cells west and east of
// it and at the corners south and north of it; a face of v those at the corners west and east and in the
// cells south and north. The northern fluxes of a row are the southern ones of the next and computed once.
struct momentum_fluxes {
    float u_cells[TILE_COLUMNS + 1];   // of u in cells, beginning one west of the first face
    float v_corners[TILE_COLUMNS + 1]; // of v at corners, beginning with that of the first face
    float u_south[TILE_COLUMNS], u_north[TILE_COLUMNS];               // of u at corners
    float v_south[TILE_COLUMNS], v_north[TILE_COLUMNS];               // of v in cells
    float manning_drag_u[TILE_COLUMNS], manning_drag_v[TILE_COLUMNS]; // of the predictor
};

static void start_momentum_fluxes(const struct shallow_coefs *k, const struct shallow_fields *f,
                                  struct momentum_fluxes *flux, size_t row, size_t end, size_t n)
{
    corner_momentum_row(f->flux_z, f->u_half, flux->u_north, row, end, n, 1);
    cell_momentum_row(k, f->flux_z, f->h_next, f->v_half, flux->v_north, row, end, n);
}

static inline __attribute__((always_inline)) void
update_momentum_row(const struct shallow_coefs *k, const struct shallow_fields *f, bool loaded,
                    struct momentum_fluxes *flux, size_t row, size_t end, size_t n)
{
    const struct velocity_component u = component_u(k, f, n), v = component_v(k, f, n);
    const struct momentum_balance flux_u = {flux->u_cells, flux->u_cells + 1, flux->u_south, flux->u_north},
                                  flux_v = {flux->v_south, flux->v_north, flux->v_corners,
                                            flux->v_corners + 1};
    memcpy(flux->u_south, flux->u_north, (end - row) * sizeof(float));
    memcpy(flux->v_south, flux->v_north, (end - row) * sizeof(float));
    corner_momentum_row(f->flux_z, f->u_half, flux->u_north, row + n, end + n, n, 1);
    cell_momentum_row(k, f->flux_z, f->h_next, f->v_half, flux->v_north, row + n, end + n, n);
    cell_momentum_row(k, f->flux_x, f->h_next, f->u_half, flux->u_cells, row, end + 1, 1);
    corner_momentum_row(f->flux_x, f->v_half, flux->v_corners, row, end + 1, 1, n);
    update_velocity_row(k, f, loaded, &u, &flux_u, f->u_next, row, end);
    update_velocity_row(k, f, loaded, &v, &flux_v, f->v_next, row, end);
}

// A row with the friction of both components after their momentum.
static inline __attribute__((always_inline)) void correct_row(const struct shallow_coefs *k,
                                                              const struct shallow_fields *f, bool loaded,
                                                              bool has_wall, struct momentum_fluxes *flux,
                                                              size_t row, size_t end, size_t n)
{
    const bool manning = k->manning_coef > 0.0f;
    if (manning) {
        memcpy(flux->manning_drag_u, f->manning_drag_u + row, (end - row) * sizeof(float));
        memcpy(flux->manning_drag_v, f->manning_drag_v + row, (end - row) * sizeof(float));
    }
    update_momentum_row(k, f, loaded, flux, row, end, n);
    if (has_wall) {
        const struct velocity_component u = component_u(k, f, n), v = component_v(k, f, n);
        apply_head_loss_row(k, 1.0f, f->bed, f->h_next, &u, f->u_next, row, end);
        apply_head_loss_row(k, 1.0f, f->bed, f->h_next, &v, f->v_next, row, end);
    }
    if (!manning) return;
    correct_manning_row(k, f->h_next, flux->manning_drag_u, f->u_next, row, end, 1);
    correct_manning_row(k, f->h_next, flux->manning_drag_v, f->v_next, row, end, n);
}

static void update_momentum_rows(const struct grid *g, const struct shallow_coefs *k,
                                 const struct shallow_fields *f, int j0, int j1)
{
    struct momentum_fluxes flux;
    const size_t n = g->stride, columns = (size_t)g->nx + 1;
    for (size_t i = 0; i < columns; i += TILE_COLUMNS) {
        const size_t count = columns - i < TILE_COLUMNS ? columns - i : TILE_COLUMNS,
                     first = grid_at(g, 0, j0) + i;
        start_momentum_fluxes(k, f, &flux, first, first + count, n);
        for (int j = j0; j < j1; ++j) {
            const size_t row = grid_at(g, 0, j) + i;
            if (f->load_head && f->row_loaded[j])
                correct_row(k, f, true, f->row_has_wall[j], &flux, row, row + count, n);
            else
                correct_row(k, f, false, f->row_has_wall[j], &flux, row, row + count, n);
        }
    }
}

// ---- semi-lagrangian and maccormack ----

// Value at the end of a backtrace, bilinear, with the range of the interpolated values. A backtrace is at
// most one cell long, so the signs of the displacement select the four values.
struct interpolated {
    float value, min, max;
};

// The value upwind along one axis.
static inline float pick_upwind(float displacement, float behind, float here, float ahead)
{
    return displacement > 0.0f ? behind : displacement < 0.0f ? ahead : here;
}

static inline struct interpolated backtrace_bilinear(const float *q, size_t c, size_t step_along,
                                                     size_t step_across, float along, float across)
{
    const float x = min_f(1.0f, abs_f(along)), z = min_f(1.0f, abs_f(across));
    const float q0 = q[c], q1 = q[c - step_along], q2 = q[c + step_along], q3 = q[c - step_across],
                q4 = q[c + step_across];
    const float q5 = q[c - step_along - step_across], q6 = q[c - step_along + step_across],
                q7 = q[c + step_along - step_across], q8 = q[c + step_along + step_across];
    const float qa = pick_upwind(along, q1, q0, q2), qb = pick_upwind(across, q3, q0, q4);
    const float low = pick_upwind(across, q5, q1, q6), high = pick_upwind(across, q7, q2, q8),
                qab = pick_upwind(along, low, qb, high);
    const float value = (1.0f - z) * ((1.0f - x) * q0 + x * qa) + z * ((1.0f - x) * qb + x * qab);
    return (struct interpolated){value, min_f(min_f(q0, qa), min_f(qb, qab)),
                                 max_f(max_f(q0, qa), max_f(qb, qab))};
}

static inline __attribute__((always_inline)) void advect_row(float k, const struct velocity_component *q,
                                                             float *restrict out, size_t row, size_t end)
{
    const size_t step_along = q->step_along, step_across = q->step_across;
    const float *u = q->u, *v = q->v;
    for (size_t c = row; c < end; ++c)
        out[c] = backtrace_bilinear(u, c, step_along, step_across, k * u[c],
                                    k * transverse_velocity(v, c, step_along, step_across))
                     .value;
}

// (u_half, v_half) = (u, v) advected along backtraces.
static void advect_rows(const struct grid *g, const struct shallow_coefs *k, const struct shallow_fields *f,
                        int j0, int j1)
{
    for (int j = j0; j < j1; ++j) {
        FACE_ROW(g, j);
        const struct velocity_component u = component_u(k, f, n), v = component_v(k, f, n);
        advect_row(k->dt_dx, &u, f->u_half, row, end);
        advect_row(k->dt_dx, &v, f->v_half, row, end);
    }
}

// MacCormack advection [selle2008]: half of the error of a forward and backward trace is subtracted, and the
// result is clamped to the range of the interpolated values.
static inline __attribute__((always_inline)) void maccormack_row(float k, const struct velocity_component *q,
                                                                 const float *forward, float *restrict out,
                                                                 size_t row, size_t end)
{
    const size_t step_along = q->step_along, step_across = q->step_across;
    const float *u = q->u, *v = q->v;
    for (size_t c = row; c < end; ++c) {
        const float along = k * u[c], across = k * transverse_velocity(v, c, step_along, step_across);
        const struct interpolated from = backtrace_bilinear(u, c, step_along, step_across, along, across);
        const float back = backtrace_bilinear(forward, c, step_along, step_across, -along, -across).value;
        out[c] = min_f(from.max, max_f(from.min, forward[c] + 0.5f * (u[c] - back)));
    }
}

static void maccormack_rows(const struct grid *g, const struct shallow_coefs *k,
                            const struct shallow_fields *f, int j0, int j1)
{
    for (int j = j0; j < j1; ++j) {
        FACE_ROW(g, j);
        const struct velocity_component u = component_u(k, f, n), v = component_v(k, f, n);
        maccormack_row(k->dt_dx, &u, f->u_half, f->u_next, row, end);
        maccormack_row(k->dt_dx, &v, f->v_half, f->v_next, row, end);
    }
}

// u_next -= g dt grad(eta) - a dt, then limited.
static inline __attribute__((always_inline)) void
apply_slope_row(const struct shallow_coefs *k, const struct shallow_fields *f, bool loaded,
                const struct velocity_component *q, float *restrict u_next, size_t row, size_t end)
{
    const float *load_head = loaded ? f->load_head : NULL;
    const size_t step_along = q->step_along;
    const float *bed = f->bed, *h = f->h;
    const float accel_dt = q->accel_dt, g_dt_dx = k->g_dt_dx, dry_depth = k->dry_depth,
                max_step = k->max_bed_step, max_speed = k->max_speed;
    for (size_t c = row; c < end; ++c) {
        const float velocity =
            u_next[c] - (g_dt_dx * surface_step(bed, h, load_head, c, c - step_along, max_step) - accel_dt);
        u_next[c] = zero_if_upwind_dry(min_f(max_speed, max_f(-max_speed, velocity)), h[c - step_along], h[c],
                                       dry_depth);
    }
}

static void apply_slope_rows(const struct grid *g, const struct shallow_coefs *k,
                             const struct shallow_fields *f, int j0, int j1)
{
    for (int j = j0; j < j1; ++j) {
        FACE_ROW(g, j);
        const struct velocity_component u = component_u(k, f, n), v = component_v(k, f, n);
        if (f->load_head) {
            apply_slope_row(k, f, true, &u, f->u_next, row, end);
            apply_slope_row(k, f, true, &v, f->v_next, row, end);
        } else {
            apply_slope_row(k, f, false, &u, f->u_next, row, end);
            apply_slope_row(k, f, false, &v, f->v_next, row, end);
        }
        if (has_bed_wall_row(k, f->bed, row, end, n)) {
            apply_head_loss_row(k, 1.0f, f->bed, f->h, &u, f->u_next, row, end);
            apply_head_loss_row(k, 1.0f, f->bed, f->h, &v, f->v_next, row, end);
        }
        if (!(k->manning_coef > 0.0f)) continue;
        apply_manning_row(k, f->h, &u, f->u_next, row, end);
        apply_manning_row(k, f->h, &v, f->v_next, row, end);
    }
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
};
