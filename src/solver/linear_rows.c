#include "linear_rows.h"

#include <math.h>
#include <string.h>

// ---- weights ----

// Weights of n faces between cells a and b, 0 where one of them is not open.
static void face_coefs(const unsigned char *a, const unsigned char *b, const float *restrict beta, float k,
                       float *restrict out, size_t n)
{
    if (a && beta)
        for (size_t i = 0; i < n; ++i) out[i] = ((a[i] != 0) & (b[i] != 0)) ? k * beta[i] : 0.0f;
    else if (a)
        for (size_t i = 0; i < n; ++i) out[i] = ((a[i] != 0) & (b[i] != 0)) ? k : 0.0f;
    else if (beta)
        for (size_t i = 0; i < n; ++i) out[i] = k * beta[i];
    else
        for (size_t i = 0; i < n; ++i) out[i] = k;
}

static const unsigned char *mask_at(const struct linear_system *s, size_t c)
{
    return s->active ? s->active + c : NULL;
}

static const float *coef_at(const float *beta, size_t c) { return beta ? beta + c : NULL; }

static void assemble_row(const struct linear_system *s, struct linear_level *l, int j)
{
    const struct grid *g = &l->g;
    const size_t n = (size_t)g->nx, first = grid_at(g, 0, j), last = first + n - 1;
    const unsigned char *open = s->active;
    face_coefs(mask_at(s, first), mask_at(s, first + 1), coef_at(s->beta_x, first + 1), 1.0f,
               l->coef_x + first + 1, n - 1);
    if (s->periodic_x) {
        face_coefs(mask_at(s, last), mask_at(s, first), coef_at(s->beta_x, first), 1.0f, l->coef_x + first,
                   1);
        l->coef_x[last + 1] = l->coef_x[first];
    } else {
        face_coefs(mask_at(s, first), mask_at(s, first), coef_at(s->beta_x, first),
                   s->boundary_factor[LINEAR_WEST], l->coef_x + first, 1);
        face_coefs(mask_at(s, last), mask_at(s, last), coef_at(s->beta_x, last + 1),
                   s->boundary_factor[LINEAR_EAST], l->coef_x + last + 1, 1);
    }
    if (s->alpha)
        for (size_t c = first; c <= last; ++c) l->alpha[c] = !open || open[c] ? s->alpha[c] : 0.0f;
}

// South faces of row j, 0 .. nz.
static void assemble_south_faces(const struct linear_system *s, const struct grid *g, int j, float *out)
{
    const bool side = j == 0 || j == g->nz;
    const int below = j > 0           ? j - 1
                      : s->periodic_z ? g->nz - 1
                                      : 0,
              above = j < g->nz       ? j
                      : s->periodic_z ? 0
                                      : j - 1;
    const float k = !side || s->periodic_z ? 1.0f : s->boundary_factor[j == 0 ? LINEAR_SOUTH : LINEAR_NORTH];
    const size_t face = grid_at(g, 0, s->periodic_z && j == g->nz ? 0 : j);
    face_coefs(mask_at(s, grid_at(g, 0, below)), mask_at(s, grid_at(g, 0, above)), coef_at(s->beta_z, face),
               k, out, (size_t)g->nx);
}

static void invert_diagonal_row(const float *restrict west, const float *restrict south,
                                const float *restrict north, const float *restrict alpha,
                                float *restrict inverse, size_t n)
{
    for (size_t i = 0; i < n; ++i) {
        const float sum = (west[i] + west[i + 1]) + (south[i] + north[i]);
        inverse[i] = alpha ? alpha[i] + sum : sum;
    }
    for (size_t i = 0; i < n; ++i) inverse[i] = inverse[i] > 0.0f ? 1.0f / inverse[i] : 0.0f;
}

static double count_positive(const float *a, size_t n)
{
    int32_t count = 0;
    for (size_t i = 0; i < n; ++i) count += a[i] > 0.0f;
    return count;
}

// The smallest part that alpha has in the diagonal.
static double min_alpha_share_row(const float *restrict alpha, const float *restrict inverse, size_t n)
{
    float lane[8] = {1.0f, 1.0f, 1.0f, 1.0f, 1.0f, 1.0f, 1.0f, 1.0f};
    for (size_t i = 0; i < n; ++i) {
        const float part = inverse[i] > 0.0f ? alpha[i] * inverse[i] : 1.0f;
        lane[i % 8] = part < lane[i % 8] ? part : lane[i % 8];
    }
    for (int k = 1; k < 8; ++k) lane[0] = lane[k] < lane[0] ? lane[k] : lane[0];
    return (double)lane[0];
}

static void mark_open_faces_row(const float *restrict west, const float *restrict south,
                                unsigned char *restrict marks, size_t n)
{
    for (size_t i = 0; i < n; ++i)
        marks[i] = (unsigned char)((west[i] > 0.0f ? LINEAR_OPEN_WEST : 0) |
                                   (south[i] > 0.0f ? LINEAR_OPEN_SOUTH : 0));
}

static void assemble_rows(const struct linear_system *s, struct linear_level *l, unsigned char *marks,
                          float *scratch, double *sums, int j0, int j1)
{
    const size_t n = (size_t)l->g.nx;
    assemble_south_faces(s, &l->g, j0, l->coef_z + grid_at(&l->g, 0, j0));
    for (int j = j0; j < j1; ++j) {
        const size_t c = grid_at(&l->g, 0, j);
        // The next block's faces are its own to write.
        float *north = j + 1 < j1 || j1 == l->g.nz ? l->coef_z + c + l->g.stride : scratch;
        assemble_row(s, l, j);
        assemble_south_faces(s, &l->g, j + 1, north);
        invert_diagonal_row(l->coef_x + c, l->coef_z + c, north, s->alpha ? l->alpha + c : NULL,
                            l->inv_diagonal + c, n);
        mark_open_faces_row(l->coef_x + c, l->coef_z + c, marks + c, n);
        double *sum = sums + (size_t)j * LINEAR_SUMS;
        sum[0] = count_positive(l->inv_diagonal + c, n);
        sum[1] = s->alpha ? count_positive(l->alpha + c, n) : 0.0;
        sum[2] = s->alpha ? min_alpha_share_row(l->alpha + c, l->inv_diagonal + c, n) : 0.0;
    }
}

static void invert_diagonal_rows(struct linear_level *l, bool has_alpha, double *sums, int j0, int j1)
{
    for (int j = j0; j < j1; ++j) {
        const size_t c = grid_at(&l->g, 0, j);
        invert_diagonal_row(l->coef_x + c, l->coef_z + c, l->coef_z + c + l->g.stride,
                            has_alpha ? l->alpha + c : NULL, l->inv_diagonal + c, (size_t)l->g.nx);
        if (has_alpha)
            sums[(size_t)j * LINEAR_SUMS + 2] =
                min_alpha_share_row(l->alpha + c, l->inv_diagonal + c, (size_t)l->g.nx);
    }
}

// ---- sums ----

static double sum_squares(const double *a, size_t n)
{
    double lane[8] = {0};
    size_t i = 0;
    for (; i + 8 <= n; i += 8)
        for (size_t k = 0; k < 8; ++k) lane[k] += a[i + k] * a[i + k];
    for (size_t k = 0; i + k < n; ++k) lane[k] += a[i + k] * a[i + k];
    return add_lanes(lane);
}

static void mask_row(const float *restrict inverse, const double *restrict v, double shift,
                     double *restrict out, size_t n)
{
    for (size_t i = 0; i < n; ++i) out[i] = inverse[i] > 0.0f ? v[i] - shift : 0.0;
}

static void measure_rows(const struct linear_level *l, const double *b, const double *x, double *scratch,
                         double *sums, int j0, int j1)
{
    const size_t n = (size_t)l->g.nx;
    for (int j = j0; j < j1; ++j) {
        const size_t c = grid_at(&l->g, 0, j);
        double *sum = sums + (size_t)j * LINEAR_SUMS;
        mask_row(l->inv_diagonal + c, b + c, 0.0, scratch, n);
        sum[0] = sum_doubles(scratch, n);
        sum[1] = sum_squares(scratch, n);
        mask_row(l->inv_diagonal + c, x + c, 0.0, scratch, n);
        sum[2] = sum_doubles(scratch, n);
        for (size_t i = 0; i < n; ++i) scratch[i] = fabs(scratch[i]);
        sum[3] = sum_doubles(scratch, n);
    }
}

static void scale_row(double scale, const double *restrict v, float *restrict out, size_t n)
{
    for (size_t i = 0; i < n; ++i) out[i] = (float)(scale * v[i]);
}

static void load_rhs_rows(const struct linear_level *l, const double *b, double shift, double scale,
                          double *v, double *sums, int j0, int j1)
{
    const size_t n = (size_t)l->g.nx;
    for (int j = j0; j < j1; ++j) {
        const size_t c = grid_at(&l->g, 0, j);
        if (b != v) mask_row(l->inv_diagonal + c, b + c, shift, v + c, n);
        scale_row(scale, v + c, l->r + c, n);
        sums[(size_t)j * LINEAR_SUMS] = sum_squares(v + c, n);
    }
}

static void subtract_rows(const struct linear_level *l, double shift, double *v, int j0, int j1)
{
    const size_t n = (size_t)l->g.nx;
    for (int j = j0; j < j1; ++j) {
        const size_t c = grid_at(&l->g, 0, j);
        for (size_t i = c; i < c + n; ++i) v[i] -= l->inv_diagonal[i] > 0.0f ? shift : 0.0;
    }
}

// ---- conjugate gradients ----

static void direction_row(const struct linear_level *l, const float *restrict z, float beta,
                          const float *restrict p, int j, float *restrict out)
{
    const size_t c = grid_at(&l->g, 0, j), n = (size_t)l->g.nx;
    if (beta == 0.0f)
        memcpy(out, z + c, n * sizeof *out); // p may be anything
    else
        for (size_t i = 0; i < n; ++i) out[i] = z[c + i] + beta * p[c + i];
    out[-1] = l->periodic_x ? out[n - 1] : 0.0f;
    out[n] = l->periodic_x ? out[0] : 0.0f;
}

// p A p is a sum of squares over faces: every cell counts its west and its south one.
__attribute__((noinline)) static double energy_row(const float *restrict west, const float *restrict south,
                                                   const float *p, const float *before,
                                                   const float *restrict below, size_t n)
{
    double lane[8] = {0};
    size_t i = 0;
    for (; i + 8 <= n; i += 8)
        for (size_t k = i; k < i + 8; ++k) {
            const double along = (double)(p[k] - before[k]), across = (double)(p[k] - below[k]);
            lane[k - i] += (double)west[k] * (along * along) + (double)south[k] * (across * across);
        }
    for (size_t k = i; k < n; ++k) {
        const double along = (double)(p[k] - before[k]), across = (double)(p[k] - below[k]);
        lane[k - i] += (double)west[k] * (along * along) + (double)south[k] * (across * across);
    }
    return add_lanes(lane);
}

// weight p^2 over a row: alpha, or a side that leads out
static double weighted_square_row(const float *restrict weight, const float *restrict p, size_t n)
{
    double lane[8] = {0};
    for (size_t i = 0; i < n; ++i) lane[i % 8] += (double)weight[i] * ((double)p[i] * (double)p[i]);
    return add_lanes(lane);
}

// The row below a block's first is its neighbour's; it is made again in scratch.
static void direction_rows(const struct linear_level *l, bool has_alpha, const float *z, float beta,
                           const float *p, float *p1, float *scratch, double *sums, int j0, int j1)
{
    const struct grid *g = &l->g;
    const size_t n = (size_t)g->nx;
    float *below = scratch + 16;
    if (j0 > 0 || l->periodic_z)
        direction_row(l, z, beta, p, j0 > 0 ? j0 - 1 : g->nz - 1, below);
    else
        memset(below, 0, n * sizeof *below);
    for (int j = j0; j < j1; ++j) {
        const size_t c = grid_at(g, 0, j);
        direction_row(l, z, beta, p, j, p1 + c);
        double sum = energy_row(l->coef_x + c, l->coef_z + c, p1 + c, p1 + c - 1, below, n);
        if (!l->periodic_x) sum += weighted_square_row(l->coef_x + c + n, p1 + c + n - 1, 1);
        if (j == g->nz - 1 && !l->periodic_z)
            sum += weighted_square_row(l->coef_z + c + g->stride, p1 + c, n);
        if (has_alpha) sum += weighted_square_row(l->alpha + c, p1 + c, n);
        sums[(size_t)j * LINEAR_SUMS] = sum;
        below = p1 + c;
    }
}

struct stencil5 {
    const double *mid, *west, *east, *south, *north;
};

struct stencil_coefs {
    const float *west, *east, *south, *north;
};

// Differences across faces, so that a constant gives exactly 0. Not inlined: see wave_rows.c.
__attribute__((noinline)) static void residual_row(const struct stencil5 *star,
                                                   const struct stencil_coefs *faces,
                                                   const double *restrict b, double *restrict r, size_t n)
{
    const struct stencil5 x = *star;
    const struct stencil_coefs w = *faces;
    for (size_t i = 0; i < n; ++i) {
        const double along =
            (double)w.west[i] * (x.mid[i] - x.west[i]) + (double)w.east[i] * (x.mid[i] - x.east[i]);
        const double across =
            (double)w.south[i] * (x.mid[i] - x.south[i]) + (double)w.north[i] * (x.mid[i] - x.north[i]);
        r[i] = b[i] - (along + across);
    }
}

static void subtract_alpha_row(const float *restrict alpha, const double *restrict x, double *restrict r,
                               size_t n)
{
    for (size_t i = 0; i < n; ++i) r[i] -= (double)alpha[i] * x[i];
}

static void initial_x_row(const float *restrict inverse, const float *restrict p, double a, double shift,
                          double *restrict out, size_t n)
{
    for (size_t i = 0; i < n; ++i) out[i] = inverse[i] > 0.0f ? a * ((double)p[i] - shift) : 0.0;
}

// Row j of the new x, in a row of its own with ends.
static void updated_x_row(const struct linear_update *m, int j, const double *old, double *restrict out)
{
    const struct linear_level *l = m->l;
    const size_t c = grid_at(&l->g, 0, j), n = (size_t)l->g.nx;
    const float *restrict p = m->p ? m->p + c : NULL;
    const double a = m->a;
    if (!m->p)
        mask_row(l->inv_diagonal + c, old, m->shift, out, n);
    else if (m->fresh)
        initial_x_row(l->inv_diagonal + c, p, a, m->shift, out, n);
    else
        for (size_t i = 0; i < n; ++i) out[i] = old[i] + a * (double)p[i];
    out[-1] = l->periodic_x ? out[n - 1] : 0.0;
    out[n] = l->periodic_x ? out[0] : 0.0;
}

static void update_block_row(const struct linear_update *m, int j, double *out)
{
    double *x = m->x + grid_at(&m->l->g, 0, j);
    updated_x_row(m, j, x, out);
    memcpy(x, out, (size_t)m->l->g.nx * sizeof *x);
}

// A row next to the block, which its own block may have moved already.
static void neighbour_block_row(const struct linear_update *m, int j, double *out)
{
    const struct grid *g = &m->l->g;
    if (!m->l->periodic_z && (j < 0 || j >= g->nz)) {
        memset(out, 0, (size_t)g->nx * sizeof *out);
        return;
    }
    const int row = (j + g->nz) % g->nz;
    updated_x_row(m, row, linear_block_edge(m->l, m->edge, row), out);
}

static float max_abs(const float *a, size_t n)
{
    int32_t best = 0;
    for (size_t i = 0; i < n; ++i) best = max_i32(best, abs_bits(a[i]));
    return float_of_bits(best);
}

static void update_x_rows(const struct linear_update *m, double *scratch, int j0, int j1)
{
    const struct linear_level *l = m->l;
    const struct grid *g = &l->g;
    const size_t n = (size_t)g->nx;
    double *row[3], *r = scratch + 3 * g->stride + 16;
    for (size_t k = 0; k < 3; ++k) row[k] = scratch + k * g->stride + 16;
    neighbour_block_row(m, j0 - 1, row[0]);
    update_block_row(m, j0, row[1]);
    for (int j = j0; j < j1; ++j) {
        const size_t c = grid_at(g, 0, j);
        double *sum = m->sums + (size_t)j * LINEAR_SUMS;
        (j + 1 < j1 ? update_block_row : neighbour_block_row)(m, j + 1, row[2]);
        const struct stencil5 x = {row[1], row[1] - 1, row[1] + 1, row[0], row[2]};
        const struct stencil_coefs w = {l->coef_x + c, l->coef_x + c + 1, l->coef_z + c,
                                        l->coef_z + c + g->stride};
        residual_row(&x, &w, m->b + c, r, n);
        if (m->has_alpha) subtract_alpha_row(l->alpha + c, row[1], r, n);
        scale_row(m->scale, r, l->r + c, n);
        sum[0] = sum_squares(r, n);
        sum[1] = sum_doubles(row[1], n);
        sum[2] = sum_squares(row[1], n);
        sum[3] = (double)max_abs(l->r + c, n);
        double *const south = row[0];
        row[0] = row[1];
        row[1] = row[2];
        row[2] = south;
    }
}

// ---- the simple kinds ----

static void jacobi_precondition_rows(const struct linear_level *l, double *sums, int j0, int j1)
{
    const size_t n = (size_t)l->g.nx;
    for (int j = j0; j < j1; ++j) {
        const size_t c = grid_at(&l->g, 0, j);
        const float *restrict r = l->r + c, *restrict inverse = l->inv_diagonal + c;
        float *restrict z = l->z + c;
        double lane[8] = {0};
        for (size_t i = 0; i < n; ++i) z[i] = inverse[i] * r[i];
        for (size_t i = 0; i < n; ++i) lane[i % 8] += (double)r[i] * (double)z[i];
        sums[(size_t)j * LINEAR_SUMS] = add_lanes(lane);
    }
}

struct float_stencil5 {
    const float *mid, *west, *east, *south, *north;
};

__attribute__((noinline)) static void jacobi_row(const struct float_stencil5 *star,
                                                 const struct stencil_coefs *faces, float omega,
                                                 const float *restrict r, const float *restrict inverse,
                                                 float *restrict out, size_t n)
{
    const struct float_stencil5 z = *star;
    const struct stencil_coefs b = *faces;
    for (size_t i = 0; i < n; ++i) {
        const float along = b.west[i] * z.west[i] + b.east[i] * z.east[i];
        const float across = b.south[i] * z.south[i] + b.north[i] * z.north[i];
        out[i] = z.mid[i] + omega * (inverse[i] * (r[i] + (along + across)) - z.mid[i]);
    }
}

static void jacobi_rows(const struct linear_level *l, float omega, const float *z, float *z1, int j0, int j1)
{
    const struct grid *g = &l->g;
    const size_t n = (size_t)g->nx;
    for (int j = j0; j < j1; ++j) {
        const size_t c = grid_at(g, 0, j);
        // Beyond a side that is not periodic are ghosts of value 0.
        const size_t south = l->periodic_z && j == 0 ? grid_at(g, 0, g->nz - 1) : c - g->stride;
        const size_t north = l->periodic_z && j == g->nz - 1 ? grid_at(g, 0, 0) : c + g->stride;
        const struct float_stencil5 star = {z + c, z + c - 1, z + c + 1, z + south, z + north};
        const struct stencil_coefs b = {l->coef_x + c, l->coef_x + c + 1, l->coef_z + c,
                                        l->coef_z + c + g->stride};
        jacobi_row(&star, &b, omega, l->r + c, l->inv_diagonal + c, z1 + c, n);
        z1[c - 1] = l->periodic_x ? z1[c + n - 1] : 0.0f;
        z1[c + n] = l->periodic_x ? z1[c] : 0.0f;
    }
}

const struct linear_rows_kernels KERNELS(linear_rows_kernels) = {
    .assemble = assemble_rows,
    .invert_diagonal = invert_diagonal_rows,
    .jacobi = jacobi_rows,
    .measure = measure_rows,
    .load_rhs = load_rhs_rows,
    .subtract = subtract_rows,
    .direction = direction_rows,
    .update_x = update_x_rows,
    .jacobi_precondition = jacobi_precondition_rows,
};
