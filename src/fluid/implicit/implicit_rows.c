#include "implicit_rows.h"

#include "fluid/shallow/shallow_rows.h"

// Van Leer's monotonised central difference.
static inline float mc_limiter(float a, float b)
{
    const float least = 2.0f * min_f(abs_f(a), abs_f(b)), mean = 0.5f * (a + b);
    const float cut = min_f(least, max_f(-least, mean));
    return a * b > 0.0f ? cut : 0.0f;
}

#define CELL_ROW(g, j) const size_t n = (g)->stride, row = grid_at(g, 0, j), end = row + (size_t)(g)->nx
#define FACE_ROW(g, j) const size_t n = (g)->stride, row = grid_at(g, 0, j), end = row + (size_t)(g)->nx + 1

// ---- faces --------------------------------------------------------------------------------------------
//
// Depth of a face: the mean of its cells. Where one of them is dry it is what stands above the ground of both, so that
// still water does not see the shore above it. Under what stands on the ground water seeps through a film, or nothing
// would say how it presses there.
static inline float face_depth(float h_w, float h, float bed_w, float bed, float dry)
{
    const float over_w = bed_w + h_w - bed, over = bed + h - bed_w;
    const float low_w = min_f(h_w, over_w), low = min_f(h, over);
    return h_w > dry && h > dry ? 0.5f * (h_w + h) : max_f(0.0f, max_f(low_w, low));
}

// The speed that the water brings along, upwind: (hm u + sum in u_in)/(hm + sum in), bounded however fast it is. A guess
// of what `carry` will find once the transfers are known. `a` leads along the speed's axis, `b` across.
static inline float upwind_velocity(float k, const float *restrict h, const float *restrict u,
                                    const float *restrict v, size_t c, size_t a, size_t b)
{
    const float depth = 0.5f * (h[c - a] + h[c]), here = u[c];
    const float west = max_f(0.0f, 0.5f * k * h[c - a] * (u[c - a] + here)),
                east = max_f(0.0f, -0.5f * k * h[c] * (u[c + a] + here));
    const float south = max_f(0.0f, 0.5f * k * depth * (v[c - a] + v[c])),
                north = max_f(0.0f, -0.5f * k * depth * (v[c - a + b] + v[c + b]));
    const float sum = west * (u[c - a] - here) + east * (u[c + a] - here) + south * (u[c - b] - here) +
                      north * (u[c + b] - here);
    const float all = depth + (west + east) + (south + north);
    return all > 0.0f ? here + sum / all : 0.0f;
}

// Friction h/(h + d0), with d0 the rate times dt, acts on all that moves the water.
static inline float drag_factor(float depth, float rough)
{
    return rough > 0.0f ? depth / (depth + rough) : 1.0f; // 1 without friction, even at a depth of 0
}

static inline __attribute__((always_inline)) void
assemble_face_row(const struct implicit_coefs *k, const float *restrict bed, const float *restrict lift,
                  const float *restrict h, const float *restrict u, const float *restrict v,
                  float *restrict free, float *restrict beta, size_t row, size_t end, size_t a, size_t b,
                  float push)
{
    const float step = k->dt_dx, fall = k->dt_dx * k->g_dt_dx, keep = k->damping_factor,
                rough = k->drag_depth, dry = k->dry_depth;
    for (size_t c = row; c < end; ++c) {
        const float film = lift && lift[c - a] > 0.0f && lift[c] > 0.0f ? k->min_film : 0.0f;
        const float depth = face_depth(h[c - a], h[c], bed[c - a], bed[c], dry);
        const float rub = depth > 0.0f ? depth * drag_factor(depth, rough) : 0.0f;
        free[c] = rub * step * (keep * upwind_velocity(step, h, u, v, c, a, b) + push);
        beta[c] = max_f(film, rub) * fall;
    }
}

static void assemble_face_rows(const struct grid *g, const struct implicit_coefs *k,
                               const struct implicit_fields *f, int j0, int j1)
{
    for (int j = j0; j < j1; ++j) {
        FACE_ROW(g, j);
        if (f->load_head) {
            assemble_face_row(k, f->bed, f->load_head, f->h, f->u, f->v, f->explicit_flux_x, f->beta_x, row,
                              end, 1, n, k->accel_dt_x);
            assemble_face_row(k, f->bed, f->load_head, f->h, f->v, f->u, f->explicit_flux_z, f->beta_z, row,
                              end, n, 1, k->accel_dt_z);
        } else {
            assemble_face_row(k, f->bed, NULL, f->h, f->u, f->v, f->explicit_flux_x, f->beta_x, row, end, 1,
                              n, k->accel_dt_x);
            assemble_face_row(k, f->bed, NULL, f->h, f->v, f->u, f->explicit_flux_z, f->beta_z, row, end, n,
                              1, k->accel_dt_z);
        }
    }
}

// ---- the balance --------------------------------------------------------------------------------------

static void start_surface_row(const struct grid *g, const struct implicit_fields *f, int j)
{
    CELL_ROW(g, j);
    (void)n;
    for (size_t c = row; c < end; ++c) f->eta[c] = (double)f->bed[c] + (double)f->h[c];
    for (size_t c = row; f->load_head && c < end; ++c) f->eta[c] += (double)f->load_head[c];
}

// Surface tension pulls at open water only: where one side of a face is dry or covered, the surface meets it at a right
// angle.
static inline __attribute__((always_inline)) void tension_face_row(float tension, const float *restrict h,
                                                                   const float *restrict lift,
                                                                   float *restrict skin, size_t row,
                                                                   size_t end, size_t a)
{
    for (size_t c = row; c < end; ++c) {
        const bool covered = lift && (lift[c - a] > 0.0f || lift[c] > 0.0f);
        skin[c] = h[c - a] > 0.0f && h[c] > 0.0f && !covered ? tension : 0.0f;
    }
}

static void tension_face_rows(const struct grid *g, const struct implicit_coefs *k,
                              const struct implicit_fields *f, int j0, int j1)
{
    for (int j = j0; j < j1; ++j) {
        FACE_ROW(g, j);
        tension_face_row(k->tension_coef, f->h, f->load_head, f->tension_x, row, end, 1);
        tension_face_row(k->tension_coef, f->h, f->load_head, f->tension_z, row, end, n);
    }
}

static void apply_tension_row(const struct grid *g, const struct implicit_fields *f, int j)
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
    float most = 0.0f;
    for (size_t c = row; c < end; ++c) {
        const float here = max_f(f->beta_x[c], f->beta_z[c]);
        most = here > most ? here : most;
    }
    return most;
}

static inline double face_flux(const float *restrict free, const float *restrict beta,
                               const double *restrict head, size_t c, size_t a)
{
    return (double)free[c] - (double)beta[c] * (head[c] - head[c - a]);
}

static double residual_row(const struct grid *g, const struct implicit_fields *f, int j)
{
    CELL_ROW(g, j);
    const float *restrict bed = f->bed, *restrict h = f->h;
    const double *restrict eta = f->eta, *restrict filled = f->displaced, *restrict head = f->head;
    double *restrict lack = f->residual, sum[4] = {0};
    for (size_t c = row; c < end; ++c) {
        const double room = eta[c] - (double)bed[c] - filled[c], holds = room > 0.0 ? room : 0.0;
        const double west = face_flux(f->explicit_flux_x, f->beta_x, head, c, 1),
                     east = face_flux(f->explicit_flux_x, f->beta_x, head, c + 1, 1),
                     south = face_flux(f->explicit_flux_z, f->beta_z, head, c, n),
                     north = face_flux(f->explicit_flux_z, f->beta_z, head, c + n, n);
        lack[c] = ((double)h[c] - holds) + ((west - east) + (south - north));
    }
    for (size_t c = row; c < end; ++c) sum[(c - row) % 4] += lack[c] * lack[c];
    return (sum[0] + sum[1]) + (sum[2] + sum[3]);
}

// A cell without room holds nothing more if its surface rises a little; a small number keeps the system regular.
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

static void update_surface_row(const struct grid *g, const struct implicit_fields *f, double part,
                               const double *step, int j)
{
    CELL_ROW(g, j);
    (void)n;
    for (size_t c = row; c < end; ++c) f->eta[c] += part * step[c];
}

static double dot_row(const struct grid *g, const struct implicit_fields *f, const double *step, int j)
{
    CELL_ROW(g, j);
    (void)n;
    double sum[4] = {0};
    for (size_t c = row; c < end; ++c) sum[(c - row) % 4] += step[c] * f->residual[c];
    return (sum[0] + sum[1]) + (sum[2] + sum[3]);
}

// ---- what passes --------------------------------------------------------------------------------------

static inline __attribute__((always_inline)) void
flux_row(const struct implicit_coefs *k, const float *restrict free, const float *restrict beta,
         const double *restrict head, float *restrict t, size_t row, size_t end, size_t a)
{
    const float magic = k->rounding_bias, most = k->max_flux;
    for (size_t c = row; c < end; ++c) {
        const float flux = (float)face_flux(free, beta, head, c, a);
        t[c] = (min_f(most, max_f(-most, flux)) + magic) - magic;
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
    const float *restrict h = f->h, *restrict tx = f->flux_x, *restrict tz = f->flux_z;
    float *restrict h1 = f->h_next;
    int poor = 0;
    for (size_t c = row; c < end; ++c) {
        h1[c] = h[c] + ((tx[c] - tx[c + 1]) + (tz[c] - tz[c + n]));
        poor |= h1[c] < 0.0f;
    }
    return poor != 0;
}

static void outflow_limiter_row(const struct grid *g, const struct implicit_coefs *k,
                                const struct implicit_fields *f, bool all, int j)
{
    CELL_ROW(g, j);
    for (size_t c = row; c < end; ++c) {
        const float asked = cell_outflow(f->flux_x, f->flux_z, c, n),
                    has = max_f(0.0f, f->h[c] - k->reserve_depth);
        const bool poor = asked > f->h[c] && (all || f->h_next[c] < 0.0f);
        f->outflow_limiter[c] = poor ? has / max_f(asked, f->h[c]) : 1.0f;
    }
}

static void limit_flux_row(const struct grid *g, const struct implicit_coefs *k,
                           const struct implicit_fields *f, int j)
{
    FACE_ROW(g, j);
    const float *part = f->outflow_limiter;
    for (size_t c = row; c < end; ++c) {
        const float x = f->flux_x[c] * (f->flux_x[c] > 0.0f ? part[c - 1] : part[c]),
                    z = f->flux_z[c] * (f->flux_z[c] > 0.0f ? part[c - n] : part[c]);
        f->flux_x[c] = (x + k->rounding_bias) - k->rounding_bias;
        f->flux_z[c] = (z + k->rounding_bias) - k->rounding_bias;
    }
}

// ---- speeds -------------------------------------------------------------------------------------------

// Speeds that leave with the water. A face that gives more than it has gives what came in on the way: all of it mixed.
static inline __attribute__((always_inline)) void
outgoing_velocity_row(const struct implicit_fields *f, const float *restrict u, float *restrict out,
                      const float *restrict ta, const float *restrict tb, size_t row, size_t end, size_t a,
                      size_t b)
{
    const float *restrict h = f->h;
    for (size_t c = row; c < end; ++c) {
        const float depth = 0.5f * (h[c - a] + h[c]), here = u[c];
        const float t_w = 0.5f * (ta[c - a] + ta[c]), t_e = 0.5f * (ta[c] + ta[c + a]),
                    t_s = 0.5f * (tb[c - a] + tb[c]), t_n = 0.5f * (tb[c - a + b] + tb[c + b]);
        const float west = max_f(t_w, 0.0f), east = max_f(-t_e, 0.0f), south = max_f(t_s, 0.0f),
                    north = max_f(-t_n, 0.0f);
        const float gives = (max_f(t_e, 0.0f) + max_f(-t_w, 0.0f)) + (max_f(t_n, 0.0f) + max_f(-t_s, 0.0f));
        const float all = depth + (west + east) + (south + north);
        const float sum = west * (u[c - a] - here) + east * (u[c + a] - here) + south * (u[c - b] - here) +
                          north * (u[c + b] - here);
        out[c] = gives > depth ? here + sum / max_f(all, 1e-30f) : here;
    }
}

static void outgoing_velocity_rows(const struct grid *g, const struct implicit_fields *f, int j0, int j1)
{
    for (int j = j0; j < j1; ++j) {
        FACE_ROW(g, j);
        outgoing_velocity_row(f, f->u, f->explicit_flux_x, f->flux_x, f->flux_z, row, end, 1, n);
        outgoing_velocity_row(f, f->v, f->explicit_flux_z, f->flux_z, f->flux_x, row, end, n, 1);
    }
}

// Momentum that goes from one face to the next with `t` of water, out of a column of depth h: upwind, with its limited
// difference carried half-way.
static inline float momentum_flux(float t, float h, float before, float west, float east, float after)
{
    const bool on = t > 0.0f;
    const float size = abs_f(t), courant = size / max_f(h, size + 1e-30f);
    const float here = east - west, other = on ? west - before : after - east;
    const float reach = 0.5f * (1.0f - courant) * mc_limiter(here, other);
    return t * (on ? west + reach : east - reach);
}

// hm1 u1 = hm u - div(t u): the water that passes takes its momentum along, d its speed when it leaves. Where hardly any
// is left of what came, the speed stays between those around.
static inline __attribute__((always_inline)) void advect_row(const struct implicit_fields *f, float dry,
                                                             const float *restrict u, const float *restrict d,
                                                             float *restrict u1, const float *restrict ta,
                                                             const float *restrict tb, size_t row, size_t end,
                                                             size_t a, size_t b)
{
    const float *restrict h = f->h, *restrict h1 = f->h_next;
    for (size_t c = row; c < end; ++c) {
        const float depth = 0.5f * (h[c - a] + h[c]), depth1 = 0.5f * (h1[c - a] + h1[c]);
        const float t_w = 0.5f * (ta[c - a] + ta[c]), t_e = 0.5f * (ta[c] + ta[c + a]),
                    t_s = 0.5f * (tb[c - a] + tb[c]), t_n = 0.5f * (tb[c - a + b] + tb[c + b]);
        const float corner_s = 0.25f * ((h[c - a] + h[c]) + (h[c - a - b] + h[c - b])),
                    corner_n = 0.25f * ((h[c - a + b] + h[c + b]) + (h[c - a] + h[c]));
        const float west = momentum_flux(t_w, h[c - a], d[c - a - a], d[c - a], d[c], d[c + a]),
                    east = momentum_flux(t_e, h[c], d[c - a], d[c], d[c + a], d[c + a + a]),
                    south = momentum_flux(t_s, corner_s, d[c - b - b], d[c - b], d[c], d[c + b]),
                    north = momentum_flux(t_n, corner_n, d[c - b], d[c], d[c + b], d[c + b + b]);
        const float came = (max_f(t_w, 0.0f) - min_f(t_e, 0.0f)) + (max_f(t_s, 0.0f) - min_f(t_n, 0.0f));
        const float next = (depth * u[c] + ((west - east) + (south - north))) / max_f(depth1, dry);
        const float least = min_f(min_f(min_f(d[c - a], d[c + a]), min_f(d[c - b], d[c + b])), u[c]),
                    most = max_f(max_f(max_f(d[c - a], d[c + a]), max_f(d[c - b], d[c + b])), u[c]);
        const float bounded = min_f(most, max_f(least, next));
        u1[c] = depth1 < 0.25f * came || depth1 < 100.0f * dry ? bounded : next;
    }
}

static void advect_rows(const struct grid *g, const struct implicit_coefs *k, const struct implicit_fields *f,
                        int j0, int j1)
{
    for (int j = j0; j < j1; ++j) {
        FACE_ROW(g, j);
        advect_row(f, k->dry_depth, f->u, f->explicit_flux_x, f->u_next, f->flux_x, f->flux_z, row, end, 1,
                   n);
        advect_row(f, k->dry_depth, f->v, f->explicit_flux_z, f->v_next, f->flux_z, f->flux_x, row, end, n,
                   1);
    }
}

// The surface of a cell that could not give all that was asked for is found below its bed. That held the water back, but
// nothing pulls at what leaves dry ground: there the bed counts.
//
// Momentum is kept, as long as the water goes less than a quarter of a column in the step and the depth changes by no more
// than half, and always under what presses. Otherwise the speed stays near that of the water that has passed, over sloping
// ground it is that: so no energy is gained.
static inline __attribute__((always_inline)) void
apply_slope_row(const struct implicit_coefs *k, const struct implicit_fields *f, const float *restrict t,
                float *restrict u1, const float *restrict beta, size_t row, size_t end, size_t a, float push)
{
    const float *restrict h = f->h, *restrict h1 = f->h_next;
    const double *restrict head = f->head;
    for (size_t c = row; c < end; ++c) {
        const float depth = face_depth(h[c - a], h[c], f->bed[c - a], f->bed[c], k->dry_depth);
        const float rub = beta[c] > 0.0f ? drag_factor(depth, k->drag_depth) : 0.0f;
        const double bed_w = (double)f->bed[c - a], bed_e = (double)f->bed[c];
        const double west = head[c - a] > bed_w ? head[c - a] : bed_w,
                     east = head[c] > bed_e ? head[c] : bed_e;
        const float next = rub * (k->damping_factor * u1[c] + push - k->g_dt_dx * (float)(east - west));
        const float passed = t[c] / (k->dt_dx * max_f(depth, k->dry_depth));
        const float was = h[c - a] + h[c], is = h1[c - a] + h1[c];
        const bool pressed = f->load_head && (f->load_head[c - a] > 0.0f || f->load_head[c] > 0.0f);
        const bool near = pressed || (abs_f(t[c]) < 0.125f * was && is > 0.5f * was && is < 2.0f * was);
        const float reach =
            bed_w == bed_e ? 0.2f * (abs_f(passed) + __builtin_sqrtf(0.5f * k->gravity * is)) : 0.0f;
        const float cut = min_f(passed + reach, max_f(passed - reach, next));
        u1[c] = h1[c - a] > k->dry_depth || h1[c] > k->dry_depth ? (near ? next : cut) : 0.0f;
    }
}

static void apply_slope_rows(const struct grid *g, const struct implicit_coefs *k,
                             const struct implicit_fields *f, int j0, int j1)
{
    for (int j = j0; j < j1; ++j) {
        FACE_ROW(g, j);
        apply_slope_row(k, f, f->flux_x, f->u_next, f->beta_x, row, end, 1, k->accel_dt_x);
        apply_slope_row(k, f, f->flux_z, f->v_next, f->beta_z, row, end, n, k->accel_dt_z);
    }
}

const struct implicit_kernels KERNELS(implicit_kernels) = {
    .assemble_faces = assemble_face_rows,
    .start_surface = start_surface_row,
    .tension_faces = tension_face_rows,
    .apply_tension = apply_tension_row,
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
