#include "implicit_rows.h"

#include "shallow_rows.h"

// Van Leer's monotonised central difference.
static inline float limited(float a, float b)
{
    const float least = 2.0f * smaller(size_of(a), size_of(b)), mean = 0.5f * (a + b);
    const float cut = smaller(least, larger(-least, mean));
    return a * b > 0.0f ? cut : 0.0f;
}

#define ROW(g, j)   const size_t n = (g)->stride, row = grid_at(g, 0, j), end = row + (size_t)(g)->nx
#define FACES(g, j) const size_t n = (g)->stride, row = grid_at(g, 0, j), end = row + (size_t)(g)->nx + 1

// ---- faces --------------------------------------------------------------------------------------------
//
// Depth of a face: the mean of its cells. Where one of them is dry it is what stands above the ground of both, so that
// still water does not see the shore above it. Under what stands on the ground water seeps through a film, or nothing
// would say how it presses there.
static inline float face_depth(float h_w, float h, float bed_w, float bed, float dry)
{
    const float over_w = bed_w + h_w - bed, over = bed + h - bed_w;
    const float low_w = smaller(h_w, over_w), low = smaller(h, over);
    return h_w > dry && h > dry ? 0.5f * (h_w + h) : larger(0.0f, larger(low_w, low));
}

// The speed that the water brings along, upwind: (hm u + sum in u_in)/(hm + sum in), bounded however fast it is. A guess
// of what `carry` will find once the transfers are known. `a` leads along the speed's axis, `b` across.
static inline float brought(float k, const float *restrict h, const float *restrict u,
                            const float *restrict v, size_t c, size_t a, size_t b)
{
    const float depth = 0.5f * (h[c - a] + h[c]), here = u[c];
    const float west = larger(0.0f, 0.5f * k * h[c - a] * (u[c - a] + here)),
                east = larger(0.0f, -0.5f * k * h[c] * (u[c + a] + here));
    const float south = larger(0.0f, 0.5f * k * depth * (v[c - a] + v[c])),
                north = larger(0.0f, -0.5f * k * depth * (v[c - a + b] + v[c + b]));
    const float sum = west * (u[c - a] - here) + east * (u[c + a] - here) + south * (u[c - b] - here) +
                      north * (u[c + b] - here);
    const float all = depth + (west + east) + (south + north);
    return all > 0.0f ? here + sum / all : 0.0f;
}

// Friction h/(h + d0), with d0 the rate times dt, acts on all that moves the water.
static inline float left_by_friction(float depth, float rough)
{
    return rough > 0.0f ? depth / (depth + rough) : 1.0f; // 1 without friction, even at a depth of 0
}

static inline __attribute__((always_inline)) void
faces_row(const struct implicit_factors *k, const float *restrict bed, const float *restrict lift,
          const float *restrict h, const float *restrict u, const float *restrict v, float *restrict free,
          float *restrict beta, size_t row, size_t end, size_t a, size_t b, float push)
{
    const float step = k->k, fall = k->k * k->gk, keep = k->keep, rough = k->rough, dry = k->dry;
    for (size_t c = row; c < end; ++c) {
        const float film = lift && lift[c - a] > 0.0f && lift[c] > 0.0f ? k->film : 0.0f;
        const float depth = face_depth(h[c - a], h[c], bed[c - a], bed[c], dry);
        const float rub = depth > 0.0f ? depth * left_by_friction(depth, rough) : 0.0f;
        free[c] = rub * step * (keep * brought(step, h, u, v, c, a, b) + push);
        beta[c] = larger(film, rub) * fall;
    }
}

static void faces_rows(const struct grid *g, const struct implicit_factors *k,
                       const struct implicit_fields *f, int j0, int j1)
{
    for (int j = j0; j < j1; ++j) {
        FACES(g, j);
        if (f->lift) {
            faces_row(k, f->bed, f->lift, f->h, f->u, f->v, f->free_x, f->beta_x, row, end, 1, n, k->ax);
            faces_row(k, f->bed, f->lift, f->h, f->v, f->u, f->free_z, f->beta_z, row, end, n, 1, k->az);
        } else {
            faces_row(k, f->bed, NULL, f->h, f->u, f->v, f->free_x, f->beta_x, row, end, 1, n, k->ax);
            faces_row(k, f->bed, NULL, f->h, f->v, f->u, f->free_z, f->beta_z, row, end, n, 1, k->az);
        }
    }
}

// ---- the balance --------------------------------------------------------------------------------------

static void begin_row(const struct grid *g, const struct implicit_fields *f, int j)
{
    ROW(g, j);
    (void)n;
    for (size_t c = row; c < end; ++c) f->eta[c] = (double)f->bed[c] + (double)f->h[c];
    for (size_t c = row; f->lift && c < end; ++c) f->eta[c] += (double)f->lift[c];
}

// Surface tension pulls at open water only: where one side of a face is dry or covered, the surface meets it at a right
// angle.
static inline __attribute__((always_inline)) void skin_row(float tension, const float *restrict h,
                                                           const float *restrict lift, float *restrict skin,
                                                           size_t row, size_t end, size_t a)
{
    for (size_t c = row; c < end; ++c) {
        const bool covered = lift && (lift[c - a] > 0.0f || lift[c] > 0.0f);
        skin[c] = h[c - a] > 0.0f && h[c] > 0.0f && !covered ? tension : 0.0f;
    }
}

static void skin_rows(const struct grid *g, const struct implicit_factors *k, const struct implicit_fields *f,
                      int j0, int j1)
{
    for (int j = j0; j < j1; ++j) {
        FACES(g, j);
        skin_row(k->bend, f->h, f->lift, f->skin_x, row, end, 1);
        skin_row(k->bend, f->h, f->lift, f->skin_z, row, end, n);
    }
}

static void bend_row(const struct grid *g, const struct implicit_fields *f, int j)
{
    ROW(g, j);
    const double *restrict eta = f->eta;
    const float *restrict x = f->skin_x, *restrict z = f->skin_z;
    for (size_t c = row; c < end; ++c)
        f->head[c] =
            eta[c] - (((double)x[c + 1] * (eta[c + 1] - eta[c]) - (double)x[c] * (eta[c] - eta[c - 1])) +
                      ((double)z[c + n] * (eta[c + n] - eta[c]) - (double)z[c] * (eta[c] - eta[c - n])));
}

static float deepest_row(const struct grid *g, const struct implicit_fields *f, int j)
{
    FACES(g, j);
    (void)n;
    float most = 0.0f;
    for (size_t c = row; c < end; ++c) {
        const float here = larger(f->beta_x[c], f->beta_z[c]);
        most = here > most ? here : most;
    }
    return most;
}

static inline double passing(const float *restrict free, const float *restrict beta,
                             const double *restrict head, size_t c, size_t a)
{
    return (double)free[c] - (double)beta[c] * (head[c] - head[c - a]);
}

static double lack_row(const struct grid *g, const struct implicit_fields *f, int j)
{
    ROW(g, j);
    const float *restrict bed = f->bed, *restrict h = f->h;
    const double *restrict eta = f->eta, *restrict filled = f->filled, *restrict head = f->head;
    double *restrict lack = f->lack, sum[4] = {0};
    for (size_t c = row; c < end; ++c) {
        const double room = eta[c] - (double)bed[c] - filled[c], holds = room > 0.0 ? room : 0.0;
        const double west = passing(f->free_x, f->beta_x, head, c, 1),
                     east = passing(f->free_x, f->beta_x, head, c + 1, 1),
                     south = passing(f->free_z, f->beta_z, head, c, n),
                     north = passing(f->free_z, f->beta_z, head, c + n, n);
        lack[c] = ((double)h[c] - holds) + ((west - east) + (south - north));
    }
    for (size_t c = row; c < end; ++c) sum[(c - row) % 4] += lack[c] * lack[c];
    return (sum[0] + sum[1]) + (sum[2] + sum[3]);
}

// A cell without room holds nothing more if its surface rises a little; a small number keeps the system regular.
static void slope_row(const struct grid *g, const struct implicit_fields *f, double scale, int j)
{
    ROW(g, j);
    (void)n;
    for (size_t c = row; c < end; ++c) {
        const double open = 1.0 - f->filling[c];
        const bool wet = f->eta[c] - (double)f->bed[c] - f->filled[c] > 0.0;
        f->alpha[c] = (float)(scale * (wet && open > 1e-7 ? open : 1e-7));
    }
}

static void advance_row(const struct grid *g, const struct implicit_fields *f, double part,
                        const double *step, int j)
{
    ROW(g, j);
    (void)n;
    for (size_t c = row; c < end; ++c) f->eta[c] += part * step[c];
}

static double along_row(const struct grid *g, const struct implicit_fields *f, const double *step, int j)
{
    ROW(g, j);
    (void)n;
    double sum[4] = {0};
    for (size_t c = row; c < end; ++c) sum[(c - row) % 4] += step[c] * f->lack[c];
    return (sum[0] + sum[1]) + (sum[2] + sum[3]);
}

// ---- what passes --------------------------------------------------------------------------------------

static inline __attribute__((always_inline)) void
transfer_row(const struct implicit_factors *k, const float *restrict free, const float *restrict beta,
             const double *restrict head, float *restrict t, size_t row, size_t end, size_t a)
{
    const float magic = k->magic, most = k->most;
    for (size_t c = row; c < end; ++c) {
        const float flux = (float)passing(free, beta, head, c, a);
        t[c] = (smaller(most, larger(-most, flux)) + magic) - magic;
    }
}

static void transfer_rows(const struct grid *g, const struct implicit_factors *k,
                          const struct implicit_fields *f, int j0, int j1)
{
    for (int j = j0; j < j1; ++j) {
        FACES(g, j);
        transfer_row(k, f->free_x, f->beta_x, f->head, f->tx, row, end, 1);
        transfer_row(k, f->free_z, f->beta_z, f->head, f->tz, row, end, n);
    }
}

static bool depth_row(const struct grid *g, const struct implicit_fields *f, int j)
{
    ROW(g, j);
    const float *restrict h = f->h, *restrict tx = f->tx, *restrict tz = f->tz;
    float *restrict h1 = f->h1;
    int poor = 0;
    for (size_t c = row; c < end; ++c) {
        h1[c] = h[c] + ((tx[c] - tx[c + 1]) + (tz[c] - tz[c + n]));
        poor |= h1[c] < 0.0f;
    }
    return poor != 0;
}

static void ration_row(const struct grid *g, const struct implicit_factors *k,
                       const struct implicit_fields *f, bool all, int j)
{
    ROW(g, j);
    for (size_t c = row; c < end; ++c) {
        const float asked = shallow_given(f->tx, f->tz, c, n), has = larger(0.0f, f->h[c] - k->spare);
        const bool poor = asked > f->h[c] && (all || f->h1[c] < 0.0f);
        f->part[c] = poor ? has / larger(asked, f->h[c]) : 1.0f;
    }
}

static void cut_row(const struct grid *g, const struct implicit_factors *k, const struct implicit_fields *f,
                    int j)
{
    FACES(g, j);
    const float *part = f->part;
    for (size_t c = row; c < end; ++c) {
        const float x = f->tx[c] * (f->tx[c] > 0.0f ? part[c - 1] : part[c]),
                    z = f->tz[c] * (f->tz[c] > 0.0f ? part[c - n] : part[c]);
        f->tx[c] = (x + k->magic) - k->magic;
        f->tz[c] = (z + k->magic) - k->magic;
    }
}

// ---- speeds -------------------------------------------------------------------------------------------

// Speeds that leave with the water. A face that gives more than it has gives what came in on the way: all of it mixed.
static inline __attribute__((always_inline)) void mix_row(const struct implicit_fields *f,
                                                          const float *restrict u, float *restrict out,
                                                          const float *restrict ta, const float *restrict tb,
                                                          size_t row, size_t end, size_t a, size_t b)
{
    const float *restrict h = f->h;
    for (size_t c = row; c < end; ++c) {
        const float depth = 0.5f * (h[c - a] + h[c]), here = u[c];
        const float t_w = 0.5f * (ta[c - a] + ta[c]), t_e = 0.5f * (ta[c] + ta[c + a]),
                    t_s = 0.5f * (tb[c - a] + tb[c]), t_n = 0.5f * (tb[c - a + b] + tb[c + b]);
        const float west = larger(t_w, 0.0f), east = larger(-t_e, 0.0f), south = larger(t_s, 0.0f),
                    north = larger(-t_n, 0.0f);
        const float gives =
            (larger(t_e, 0.0f) + larger(-t_w, 0.0f)) + (larger(t_n, 0.0f) + larger(-t_s, 0.0f));
        const float all = depth + (west + east) + (south + north);
        const float sum = west * (u[c - a] - here) + east * (u[c + a] - here) + south * (u[c - b] - here) +
                          north * (u[c + b] - here);
        out[c] = gives > depth ? here + sum / larger(all, 1e-30f) : here;
    }
}

static void mix_rows(const struct grid *g, const struct implicit_fields *f, int j0, int j1)
{
    for (int j = j0; j < j1; ++j) {
        FACES(g, j);
        mix_row(f, f->u, f->free_x, f->tx, f->tz, row, end, 1, n);
        mix_row(f, f->v, f->free_z, f->tz, f->tx, row, end, n, 1);
    }
}

// Momentum that goes from one face to the next with `t` of water, out of a column of depth h: upwind, with its limited
// difference carried half-way.
static inline float carried(float t, float h, float before, float west, float east, float after)
{
    const bool on = t > 0.0f;
    const float size = size_of(t), courant = size / larger(h, size + 1e-30f);
    const float here = east - west, other = on ? west - before : after - east;
    const float reach = 0.5f * (1.0f - courant) * limited(here, other);
    return t * (on ? west + reach : east - reach);
}

// hm1 u1 = hm u - div(t u): the water that passes takes its momentum along, d its speed when it leaves. Where hardly any
// is left of what came, the speed stays between those around.
static inline __attribute__((always_inline)) void carry_row(const struct implicit_fields *f, float dry,
                                                            const float *restrict u, const float *restrict d,
                                                            float *restrict u1, const float *restrict ta,
                                                            const float *restrict tb, size_t row, size_t end,
                                                            size_t a, size_t b)
{
    const float *restrict h = f->h, *restrict h1 = f->h1;
    for (size_t c = row; c < end; ++c) {
        const float depth = 0.5f * (h[c - a] + h[c]), depth1 = 0.5f * (h1[c - a] + h1[c]);
        const float t_w = 0.5f * (ta[c - a] + ta[c]), t_e = 0.5f * (ta[c] + ta[c + a]),
                    t_s = 0.5f * (tb[c - a] + tb[c]), t_n = 0.5f * (tb[c - a + b] + tb[c + b]);
        const float corner_s = 0.25f * ((h[c - a] + h[c]) + (h[c - a - b] + h[c - b])),
                    corner_n = 0.25f * ((h[c - a + b] + h[c + b]) + (h[c - a] + h[c]));
        const float west = carried(t_w, h[c - a], d[c - a - a], d[c - a], d[c], d[c + a]),
                    east = carried(t_e, h[c], d[c - a], d[c], d[c + a], d[c + a + a]),
                    south = carried(t_s, corner_s, d[c - b - b], d[c - b], d[c], d[c + b]),
                    north = carried(t_n, corner_n, d[c - b], d[c], d[c + b], d[c + b + b]);
        const float came =
            (larger(t_w, 0.0f) - smaller(t_e, 0.0f)) + (larger(t_s, 0.0f) - smaller(t_n, 0.0f));
        const float next = (depth * u[c] + ((west - east) + (south - north))) / larger(depth1, dry);
        const float least = smaller(smaller(smaller(d[c - a], d[c + a]), smaller(d[c - b], d[c + b])), u[c]),
                    most = larger(larger(larger(d[c - a], d[c + a]), larger(d[c - b], d[c + b])), u[c]);
        const float bounded = smaller(most, larger(least, next));
        u1[c] = depth1 < 0.25f * came || depth1 < 100.0f * dry ? bounded : next;
    }
}

static void carry_rows(const struct grid *g, const struct implicit_factors *k,
                       const struct implicit_fields *f, int j0, int j1)
{
    for (int j = j0; j < j1; ++j) {
        FACES(g, j);
        carry_row(f, k->dry, f->u, f->free_x, f->u1, f->tx, f->tz, row, end, 1, n);
        carry_row(f, k->dry, f->v, f->free_z, f->v1, f->tz, f->tx, row, end, n, 1);
    }
}

// The surface of a cell that could not give all that was asked for is found below its bed. That held the water back, but
// nothing pulls at what leaves dry ground: there the bed counts.
//
// Momentum is kept, as long as the water goes less than a quarter of a column in the step and the depth changes by no more
// than half, and always under what presses. Otherwise the speed stays near that of the water that has passed, over sloping
// ground it is that: so no energy is gained.
static inline __attribute__((always_inline)) void
fall_row(const struct implicit_factors *k, const struct implicit_fields *f, const float *restrict t,
         float *restrict u1, const float *restrict beta, size_t row, size_t end, size_t a, float push)
{
    const float *restrict h = f->h, *restrict h1 = f->h1;
    const double *restrict head = f->head;
    for (size_t c = row; c < end; ++c) {
        const float depth = face_depth(h[c - a], h[c], f->bed[c - a], f->bed[c], k->dry);
        const float rub = beta[c] > 0.0f ? left_by_friction(depth, k->rough) : 0.0f;
        const double bed_w = (double)f->bed[c - a], bed_e = (double)f->bed[c];
        const double west = head[c - a] > bed_w ? head[c - a] : bed_w,
                     east = head[c] > bed_e ? head[c] : bed_e;
        const float next = rub * (k->keep * u1[c] + push - k->gk * (float)(east - west));
        const float passed = t[c] / (k->k * larger(depth, k->dry));
        const float was = h[c - a] + h[c], is = h1[c - a] + h1[c];
        const bool pressed = f->lift && (f->lift[c - a] > 0.0f || f->lift[c] > 0.0f);
        const bool near = pressed || (size_of(t[c]) < 0.125f * was && is > 0.5f * was && is < 2.0f * was);
        const float reach =
            bed_w == bed_e ? 0.2f * (size_of(passed) + __builtin_sqrtf(0.5f * k->gravity * is)) : 0.0f;
        const float cut = smaller(passed + reach, larger(passed - reach, next));
        u1[c] = h1[c - a] > k->dry || h1[c] > k->dry ? (near ? next : cut) : 0.0f;
    }
}

static void fall_rows(const struct grid *g, const struct implicit_factors *k, const struct implicit_fields *f,
                      int j0, int j1)
{
    for (int j = j0; j < j1; ++j) {
        FACES(g, j);
        fall_row(k, f, f->tx, f->u1, f->beta_x, row, end, 1, k->ax);
        fall_row(k, f, f->tz, f->v1, f->beta_z, row, end, n, k->az);
    }
}

const struct implicit_kernels KERNELS(implicit_kernels) = {
    .faces = faces_rows,
    .begin = begin_row,
    .skin = skin_rows,
    .bend = bend_row,
    .deepest = deepest_row,
    .lack = lack_row,
    .slope = slope_row,
    .advance = advance_row,
    .along = along_row,
    .transfer = transfer_rows,
    .depth = depth_row,
    .ration = ration_row,
    .cut = cut_row,
    .mix = mix_rows,
    .carry = carry_rows,
    .fall = fall_rows,
};
