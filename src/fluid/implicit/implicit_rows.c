// Kernels of the implicit height-field model: face coefficients, residual of the continuity equation, fluxes
// in whole quanta with positivity limiter, conservative momentum advection after [stelling2003] with the
// limiter of [vanleer1977], and the implicit pressure gradient. implicit_step.c calls them over blocks of
// rows.
//
// Most functions serve both velocity components, see struct velocity_component.
#include "implicit_rows.h"

// The components of the velocity before the substep, with the fluxes of the continuity equation.
static inline struct velocity_component component_u(const struct implicit_coefs *k,
                                                    const struct implicit_fields *f, size_t n)
{
    return (struct velocity_component){.u = f->u,
                                       .v = f->v,
                                       .flux = f->flux_x,
                                       .flux_other = f->flux_z,
                                       .step_along = 1,
                                       .step_across = n,
                                       .accel_dt = k->accel_dt_x};
}

static inline struct velocity_component component_v(const struct implicit_coefs *k,
                                                    const struct implicit_fields *f, size_t n)
{
    return (struct velocity_component){.u = f->v,
                                       .v = f->u,
                                       .flux = f->flux_z,
                                       .flux_other = f->flux_x,
                                       .step_along = n,
                                       .step_across = 1,
                                       .accel_dt = k->accel_dt_z};
}

// ---- coefficients of the faces ----
//
// Depth of a face: the mean of its cells. Where one of them is dry, only the water above the beds of both
// cells counts, so that still water does not climb a shore.
static inline float face_depth(float h_w, float h, float bed_w, float bed, float dry_depth)
{
    const float above_w = bed_w + h_w - bed, above = bed + h - bed_w;
    const float flowing_w = min_f(h_w, above_w), flowing = min_f(h, above);
    return h_w > dry_depth && h > dry_depth ? 0.5f * (h_w + h) : max_f(0.0f, max_f(flowing_w, flowing));
}

// Velocity advected by the first-order upwind scheme, implicit in the outflow so that it is bounded at any
// Courant number:  (hm u + sum flux_in u_in)/(hm + sum flux_in). It predicts what advect_row computes once
// the fluxes are known.
static inline float upwind_velocity(float dt_dx, const float *h, const struct velocity_component *q, size_t c)
{
    const size_t a = q->step_along, b = q->step_across;
    const float *u = q->u, *v = q->v;
    const float depth = 0.5f * (h[c - a] + h[c]), here = u[c];
    const float west = max_f(0.0f, 0.5f * dt_dx * h[c - a] * (u[c - a] + here)),
                east = max_f(0.0f, -0.5f * dt_dx * h[c] * (u[c + a] + here));
    const float south = max_f(0.0f, 0.5f * dt_dx * depth * (v[c - a] + v[c])),
                north = max_f(0.0f, -0.5f * dt_dx * depth * (v[c - a + b] + v[c + b]));
    const float sum = west * (u[c - a] - here) + east * (u[c + a] - here) + south * (u[c - b] - here) +
                      north * (u[c + b] - here);
    const float total = depth + (west + east) + (south + north);
    return total > 0.0f ? here + sum / total : 0.0f;
}

// Linear friction, implicit: the fraction h/(h + d0 dt) of the velocity remains.
static inline float drag_factor(float depth, float drag_depth)
{
    return drag_depth > 0.0f ? depth / (depth + drag_depth)
                             : 1.0f; // 1 without friction, even at a depth of 0
}

// Under a body that stands on the bed a film of water remains: without it the pressure there would be
// undetermined.
static inline __attribute__((always_inline)) void
assemble_face_row(const struct implicit_coefs *k, const struct implicit_fields *f, bool loaded,
                  const struct velocity_component *q, float *restrict explicit_flux, float *restrict beta,
                  size_t row, size_t end)
{
    const size_t a = q->step_along;
    const float *bed = f->bed, *h = f->h, *load_head = loaded ? f->load_head : NULL;
    const float dt_dx = k->dt_dx, g_dt_dx2 = k->dt_dx * k->g_dt_dx, damping = k->damping_factor,
                drag_depth = k->drag_depth, dry_depth = k->dry_depth, accel_dt = q->accel_dt;
    for (size_t c = row; c < end; ++c) {
        const float film = load_head && load_head[c - a] > 0.0f && load_head[c] > 0.0f ? k->min_film : 0.0f;
        const float depth = face_depth(h[c - a], h[c], bed[c - a], bed[c], dry_depth);
        const float dragged = depth > 0.0f ? depth * drag_factor(depth, drag_depth) : 0.0f;
        explicit_flux[c] = dragged * dt_dx * (damping * upwind_velocity(dt_dx, h, q, c) + accel_dt);
        beta[c] = max_f(film, dragged) * g_dt_dx2;
    }
}

static inline __attribute__((always_inline)) void assemble_faces_row(const struct implicit_coefs *k,
                                                                     const struct implicit_fields *f,
                                                                     bool loaded, size_t row, size_t end,
                                                                     size_t n)
{
    const struct velocity_component u = component_u(k, f, n), v = component_v(k, f, n);
    assemble_face_row(k, f, loaded, &u, f->explicit_flux_x, f->beta_x, row, end);
    assemble_face_row(k, f, loaded, &v, f->explicit_flux_z, f->beta_z, row, end);
}

static void assemble_faces_rows(const struct grid *g, const struct implicit_coefs *k,
                                const struct implicit_fields *f, int j0, int j1)
{
    for (int j = j0; j < j1; ++j) {
        FACE_ROW(g, j);
        if (f->load_head)
            assemble_faces_row(k, f, true, row, end, n);
        else
            assemble_faces_row(k, f, false, row, end, n);
    }
}

// ---- continuity equation ----

static void start_surface_row(const struct grid *g, const struct implicit_fields *f, int j)
{
    CELL_ROW(g, j);
    (void)n;
    for (size_t c = row; c < end; ++c) f->eta[c] = (double)f->bed[c] + (double)f->h[c];
    for (size_t c = row; f->load_head && c < end; ++c) f->eta[c] += (double)f->load_head[c];
}

// Surface tension acts at open water only. Where one side of a face is dry or under a body, the contact angle
// is 90 degrees.
static inline __attribute__((always_inline)) void set_tension_row(float tension_coef, const float *h,
                                                                  const float *load_head,
                                                                  float *restrict tension, size_t row,
                                                                  size_t end, size_t step_along)
{
    for (size_t c = row; c < end; ++c) {
        const bool covered = load_head && (load_head[c - step_along] > 0.0f || load_head[c] > 0.0f);
        tension[c] = h[c - step_along] > 0.0f && h[c] > 0.0f && !covered ? tension_coef : 0.0f;
    }
}

static void set_tension_rows(const struct grid *g, const struct implicit_coefs *k,
                             const struct implicit_fields *f, int j0, int j1)
{
    for (int j = j0; j < j1; ++j) {
        FACE_ROW(g, j);
        set_tension_row(k->tension_coef, f->h, f->load_head, f->tension_x, row, end, 1);
        set_tension_row(k->tension_coef, f->h, f->load_head, f->tension_z, row, end, n);
    }
}

static void compute_head_row(const struct grid *g, const struct implicit_fields *f, int j)
{
    CELL_ROW(g, j);
    const double *restrict eta = f->eta;
    const float *restrict x = f->tension_x, *restrict z = f->tension_z;
    for (size_t c = row; c < end; ++c)
        f->head[c] =
            eta[c] - (((double)x[c + 1] * (eta[c + 1] - eta[c]) - (double)x[c] * (eta[c] - eta[c - 1])) +
                      ((double)z[c + n] * (eta[c + n] - eta[c]) - (double)z[c] * (eta[c] - eta[c - n])));
}

static float max_beta_row(const struct grid *g, const struct implicit_fields *f, int j)
{
    FACE_ROW(g, j);
    (void)n;
    float max_beta = 0.0f;
    for (size_t c = row; c < end; ++c) {
        const float here = max_f(f->beta_x[c], f->beta_z[c]);
        max_beta = here > max_beta ? here : max_beta;
    }
    return max_beta;
}

static inline double face_flux(const float *restrict explicit_flux, const float *restrict beta,
                               const double *restrict head, size_t c, size_t step_along)
{
    return (double)explicit_flux[c] - (double)beta[c] * (head[c] - head[c - step_along]);
}

static double residual_row(const struct grid *g, const struct implicit_fields *f, int j)
{
    CELL_ROW(g, j);
    const float *restrict bed = f->bed, *restrict h = f->h;
    const double *restrict eta = f->eta, *restrict displaced = f->displaced, *restrict head = f->head;
    double *restrict residual = f->residual, sum[4] = {0};
    for (size_t c = row; c < end; ++c) {
        const double height = eta[c] - (double)bed[c] - displaced[c], depth = height > 0.0 ? height : 0.0;
        const double west = face_flux(f->explicit_flux_x, f->beta_x, head, c, 1),
                     east = face_flux(f->explicit_flux_x, f->beta_x, head, c + 1, 1),
                     south = face_flux(f->explicit_flux_z, f->beta_z, head, c, n),
                     north = face_flux(f->explicit_flux_z, f->beta_z, head, c + n, n);
        residual[c] = ((double)h[c] - depth) + ((west - east) + (south - north));
    }
    for (size_t c = row; c < end; ++c) sum[(c - row) % 4] += residual[c] * residual[c];
    return (sum[0] + sum[1]) + (sum[2] + sum[3]);
}

// dV/d eta is 0 in a dry cell and where bodies fill the whole column; a small number keeps the system
// regular.
static void diagonal_row(const struct grid *g, const struct implicit_fields *f, double scale, int j)
{
    CELL_ROW(g, j);
    (void)n;
    for (size_t c = row; c < end; ++c) {
        const double open = 1.0 - f->displaced_slope[c];
        const bool wet = f->eta[c] - (double)f->bed[c] - f->displaced[c] > 0.0;
        f->alpha[c] = (float)(scale * (wet && open > 1e-7 ? open : 1e-7));
    }
}

static void update_surface_row(const struct grid *g, const struct implicit_fields *f, double length,
                               const double *step, int j)
{
    CELL_ROW(g, j);
    (void)n;
    for (size_t c = row; c < end; ++c) f->eta[c] += length * step[c];
}

static double dot_row(const struct grid *g, const struct implicit_fields *f, const double *step, int j)
{
    CELL_ROW(g, j);
    (void)n;
    double sum[4] = {0};
    for (size_t c = row; c < end; ++c) sum[(c - row) % 4] += step[c] * f->residual[c];
    return (sum[0] + sum[1]) + (sum[2] + sum[3]);
}

// ---- fluxes and depth ----

static inline __attribute__((always_inline)) void
flux_row(const struct implicit_coefs *k, const float *restrict explicit_flux, const float *restrict beta,
         const double *restrict head, float *restrict flux, size_t row, size_t end, size_t step_along)
{
    const float bias = k->rounding_bias, max_flux = k->max_flux;
    for (size_t c = row; c < end; ++c) {
        const float unrounded = (float)face_flux(explicit_flux, beta, head, c, step_along);
        flux[c] = (min_f(max_flux, max_f(-max_flux, unrounded)) + bias) - bias;
    }
}

static void flux_rows(const struct grid *g, const struct implicit_coefs *k, const struct implicit_fields *f,
                      int j0, int j1)
{
    for (int j = j0; j < j1; ++j) {
        FACE_ROW(g, j);
        flux_row(k, f->explicit_flux_x, f->beta_x, f->head, f->flux_x, row, end, 1);
        flux_row(k, f->explicit_flux_z, f->beta_z, f->head, f->flux_z, row, end, n);
    }
}

static bool update_depth_row(const struct grid *g, const struct implicit_fields *f, int j)
{
    CELL_ROW(g, j);
    const float *restrict h = f->h, *restrict flux_x = f->flux_x, *restrict flux_z = f->flux_z;
    float *restrict h_next = f->h_next;
    int overdrawn = 0;
    for (size_t c = row; c < end; ++c) {
        h_next[c] = h[c] + ((flux_x[c] - flux_x[c + 1]) + (flux_z[c] - flux_z[c + n]));
        overdrawn |= h_next[c] < 0.0f;
    }
    return overdrawn != 0;
}

static void outflow_limiter_row(const struct grid *g, const struct implicit_coefs *k,
                                const struct implicit_fields *f, bool limit_all, int j)
{
    CELL_ROW(g, j);
    for (size_t c = row; c < end; ++c) {
        const float outflow = cell_outflow(f->flux_x, f->flux_z, c, n),
                    available = max_f(0.0f, f->h[c] - k->reserve_depth);
        const bool limited = outflow > f->h[c] && (limit_all || f->h_next[c] < 0.0f);
        f->outflow_limiter[c] = limited ? available / max_f(outflow, f->h[c]) : 1.0f;
    }
}

static void limit_flux_row(const struct grid *g, const struct implicit_coefs *k,
                           const struct implicit_fields *f, int j)
{
    FACE_ROW(g, j);
    const float *limiter = f->outflow_limiter;
    for (size_t c = row; c < end; ++c) {
        const float x = f->flux_x[c] * (f->flux_x[c] > 0.0f ? limiter[c - 1] : limiter[c]),
                    z = f->flux_z[c] * (f->flux_z[c] > 0.0f ? limiter[c - n] : limiter[c]);
        f->flux_x[c] = (x + k->rounding_bias) - k->rounding_bias;
        f->flux_z[c] = (z + k->rounding_bias) - k->rounding_bias;
    }
}

// ---- momentum ----

// Fluxes through the sides of the control volume of a face, means of two fluxes of the continuity equation.
struct control_volume_fluxes {
    float west, east, south, north;
};

static inline struct control_volume_fluxes fluxes_around(const struct velocity_component *q, size_t c)
{
    const size_t a = q->step_along, b = q->step_across;
    const float *flux = q->flux, *other = q->flux_other;
    return (struct control_volume_fluxes){
        .west = 0.5f * (flux[c - a] + flux[c]),
        .east = 0.5f * (flux[c] + flux[c + a]),
        .south = 0.5f * (other[c - a] + other[c]),
        .north = 0.5f * (other[c - a + b] + other[c + b]),
    };
}

// Velocity of the outflow. Where a control volume gives more than it contains, it also gives what flowed in
// during the substep: the velocity is that of the mixture.
static inline __attribute__((always_inline)) void outgoing_velocity_row(const float *h,
                                                                        const struct velocity_component *q,
                                                                        float *restrict outgoing, size_t row,
                                                                        size_t end)
{
    const size_t a = q->step_along, b = q->step_across;
    const float *u = q->u;
    for (size_t c = row; c < end; ++c) {
        const float depth = 0.5f * (h[c - a] + h[c]), here = u[c];
        const struct control_volume_fluxes t = fluxes_around(q, c);
        const float west = max_f(t.west, 0.0f), east = max_f(-t.east, 0.0f), south = max_f(t.south, 0.0f),
                    north = max_f(-t.north, 0.0f);
        const float outflow =
            (max_f(t.east, 0.0f) + max_f(-t.west, 0.0f)) + (max_f(t.north, 0.0f) + max_f(-t.south, 0.0f));
        const float total = depth + (west + east) + (south + north);
        const float sum = west * (u[c - a] - here) + east * (u[c + a] - here) + south * (u[c - b] - here) +
                          north * (u[c + b] - here);
        outgoing[c] = outflow > depth ? here + sum / max_f(total, 1e-30f) : here;
    }
}

static void outgoing_velocity_rows(const struct grid *g, const struct implicit_coefs *k,
                                   const struct implicit_fields *f, int j0, int j1)
{
    for (int j = j0; j < j1; ++j) {
        FACE_ROW(g, j);
        const struct velocity_component u = component_u(k, f, n), v = component_v(k, f, n);
        outgoing_velocity_row(f->h, &u, f->outgoing_u, row, end);
        outgoing_velocity_row(f->h, &v, f->outgoing_v, row, end);
    }
}

// Momentum advected between two faces by a flux from a column of depth h: the upwind velocity, reconstructed
// at the middle of the water that passes (MUSCL) with its limited difference.
static inline float momentum_flux(float flux, float h, float before, float west, float east, float after)
{
    const bool from_west = flux > 0.0f;
    const float size = abs_f(flux), courant = size / max_f(h, size + 1e-30f);
    const float here = east - west, other = from_west ? west - before : after - east;
    const float reach = 0.5f * (1.0f - courant) * mc_limiter(here, other);
    return flux * (from_west ? west + reach : east - reach);
}

// hm_next u_next = hm u - div(flux u_out), u_out being the velocity of the outflow. Where hardly any of the
// inflow remains, the velocity stays within the range of its neighbours.
static inline __attribute__((always_inline)) void advect_row(const struct implicit_coefs *k,
                                                             const struct implicit_fields *f,
                                                             const struct velocity_component *q,
                                                             const float *outgoing, float *restrict u_next,
                                                             size_t row, size_t end)
{
    const size_t a = q->step_along, b = q->step_across;
    const float *h = f->h, *h_next = f->h_next, *u = q->u, *w = outgoing;
    const float dry_depth = k->dry_depth;
    for (size_t c = row; c < end; ++c) {
        const float depth = 0.5f * (h[c - a] + h[c]), depth_next = 0.5f * (h_next[c - a] + h_next[c]);
        const struct control_volume_fluxes t = fluxes_around(q, c);
        const float corner_s = 0.25f * ((h[c - a] + h[c]) + (h[c - a - b] + h[c - b])),
                    corner_n = 0.25f * ((h[c - a + b] + h[c + b]) + (h[c - a] + h[c]));
        const float west = momentum_flux(t.west, h[c - a], w[c - a - a], w[c - a], w[c], w[c + a]),
                    east = momentum_flux(t.east, h[c], w[c - a], w[c], w[c + a], w[c + a + a]),
                    south = momentum_flux(t.south, corner_s, w[c - b - b], w[c - b], w[c], w[c + b]),
                    north = momentum_flux(t.north, corner_n, w[c - b], w[c], w[c + b], w[c + b + b]);
        const float inflow =
            (max_f(t.west, 0.0f) - min_f(t.east, 0.0f)) + (max_f(t.south, 0.0f) - min_f(t.north, 0.0f));
        const float next = (depth * u[c] + ((west - east) + (south - north))) / max_f(depth_next, dry_depth);
        const float least = min_f(min_f(min_f(w[c - a], w[c + a]), min_f(w[c - b], w[c + b])), u[c]),
                    most = max_f(max_f(max_f(w[c - a], w[c + a]), max_f(w[c - b], w[c + b])), u[c]);
        const float bounded = min_f(most, max_f(least, next));
        u_next[c] = depth_next < 0.25f * inflow || depth_next < 100.0f * dry_depth ? bounded : next;
    }
}

static void advect_rows(const struct grid *g, const struct implicit_coefs *k, const struct implicit_fields *f,
                        int j0, int j1)
{
    for (int j = j0; j < j1; ++j) {
        FACE_ROW(g, j);
        const struct velocity_component u = component_u(k, f, n), v = component_v(k, f, n);
        advect_row(k, f, &u, f->outgoing_u, f->u_next, row, end);
        advect_row(k, f, &v, f->outgoing_v, f->v_next, row, end);
    }
}

// The solution for the surface of an overdrawn cell lies below its bed. That limited the flux, but it exerts
// no force on water that leaves dry ground: there the height of the bed is used.
//
// The momentum equation determines the velocity while less than a quarter of a column flows through a face in
// the substep and the depth changes by less than a factor of two, and always under a load. Elsewhere the
// velocity stays near the flux divided by the depth, and is equal to it over a sloping bed, so that wetting
// and drying add no energy.
static inline __attribute__((always_inline)) void apply_slope_row(const struct implicit_coefs *k,
                                                                  const struct implicit_fields *f,
                                                                  const struct velocity_component *q,
                                                                  const float *beta, float *restrict u_next,
                                                                  size_t row, size_t end)
{
    const size_t a = q->step_along;
    const float *h = f->h, *h_next = f->h_next, *flux = q->flux, accel_dt = q->accel_dt;
    const double *head = f->head;
    for (size_t c = row; c < end; ++c) {
        const float depth = face_depth(h[c - a], h[c], f->bed[c - a], f->bed[c], k->dry_depth);
        const float drag = beta[c] > 0.0f ? drag_factor(depth, k->drag_depth) : 0.0f;
        const double bed_w = (double)f->bed[c - a], bed_e = (double)f->bed[c];
        const double west = head[c - a] > bed_w ? head[c - a] : bed_w,
                     east = head[c] > bed_e ? head[c] : bed_e;
        const float next =
            drag * (k->damping_factor * u_next[c] + accel_dt - k->g_dt_dx * (float)(east - west));
        const float flux_velocity = flux[c] / (k->dt_dx * max_f(depth, k->dry_depth));
        const float before = h[c - a] + h[c], after = h_next[c - a] + h_next[c];
        const bool loaded = f->load_head && (f->load_head[c - a] > 0.0f || f->load_head[c] > 0.0f);
        const bool smooth =
            loaded || (abs_f(flux[c]) < 0.125f * before && after > 0.5f * before && after < 2.0f * before);
        const float margin = bed_w == bed_e
                                 ? 0.2f * (abs_f(flux_velocity) + __builtin_sqrtf(0.5f * k->gravity * after))
                                 : 0.0f;
        const float bounded = min_f(flux_velocity + margin, max_f(flux_velocity - margin, next));
        const bool wet = h_next[c - a] > k->dry_depth || h_next[c] > k->dry_depth;
        u_next[c] = wet ? (smooth ? next : bounded) : 0.0f;
    }
}

static void apply_slope_rows(const struct grid *g, const struct implicit_coefs *k,
                             const struct implicit_fields *f, int j0, int j1)
{
    for (int j = j0; j < j1; ++j) {
        FACE_ROW(g, j);
        const struct velocity_component u = component_u(k, f, n), v = component_v(k, f, n);
        apply_slope_row(k, f, &u, f->beta_x, f->u_next, row, end);
        apply_slope_row(k, f, &v, f->beta_z, f->v_next, row, end);
    }
}

const struct implicit_kernels KERNELS(implicit_kernels) = {
    .assemble_faces = assemble_faces_rows,
    .start_surface = start_surface_row,
    .set_tension = set_tension_rows,
    .compute_head = compute_head_row,
    .max_beta = max_beta_row,
    .compute_residual = residual_row,
    .assemble_diagonal = diagonal_row,
    .update_surface = update_surface_row,
    .dot_step_residual = dot_row,
    .compute_flux = flux_rows,
    .update_depth = update_depth_row,
    .outflow_limiter = outflow_limiter_row,
    .limit_flux = limit_flux_row,
    .outgoing_velocity = outgoing_velocity_rows,
    .advect_momentum = advect_rows,
    .apply_slope = apply_slope_rows,
};
