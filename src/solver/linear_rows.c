// Kernels of the linear solvers: coefficients of the operator, solution update with the true residual,
// search direction, reductions, and Jacobi sweeps.
#include "linear_rows.h"

#include <math.h>
#include <string.h>

// ---- coefficients ----

// Coefficients k beta of n faces between cells a and b, 0 where one of the cells is inactive. a NULL: all
// are active; beta NULL: 1.
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
    const size_t n = (size_t)g->nx, west_cell = grid_at(g, 0, j), east_cell = west_cell + n - 1;
    const unsigned char *active = s->active;
    face_coefs(mask_at(s, west_cell), mask_at(s, west_cell + 1), coef_at(s->beta_x, west_cell + 1), 1.0f,
               l->coef_x + west_cell + 1, n - 1);
    if (s->periodic_x) {
        face_coefs(mask_at(s, east_cell), mask_at(s, west_cell), coef_at(s->beta_x, west_cell), 1.0f,
                   l->coef_x + west_cell, 1);
        l->coef_x[east_cell + 1] = l->coef_x[west_cell];
    } else {
        face_coefs(mask_at(s, west_cell), mask_at(s, west_cell), coef_at(s->beta_x, west_cell),
                   s->boundary_factor[LINEAR_WEST], l->coef_x + west_cell, 1);
        face_coefs(mask_at(s, east_cell), mask_at(s, east_cell), coef_at(s->beta_x, east_cell + 1),
                   s->boundary_factor[LINEAR_EAST], l->coef_x + east_cell + 1, 1);
    }
    if (s->alpha)
        for (size_t c = west_cell; c <= east_cell; ++c)
            l->alpha[c] = !active || active[c] ? s->alpha[c] : 0.0f;
}

// Coefficients of the south faces of row j, 0 <= j <= nz.
static void assemble_south_faces(const struct linear_system *s, const struct grid *g, int j, float *out)
{
    const bool on_side = j == 0 || j == g->nz;
    const int south_row = j > 0           ? j - 1
                          : s->periodic_z ? g->nz - 1
                                          : 0,
              north_row = j < g->nz       ? j
                          : s->periodic_z ? 0
                                          : j - 1;
    const float factor =
        !on_side || s->periodic_z ? 1.0f : s->boundary_factor[j == 0 ? LINEAR_SOUTH : LINEAR_NORTH];
    const size_t face = grid_at(g, 0, s->periodic_z && j == g->nz ? 0 : j);
    face_coefs(mask_at(s, grid_at(g, 0, south_row)), mask_at(s, grid_at(g, 0, north_row)),
               coef_at(s->beta_z, face), factor, out, (size_t)g->nx);
}

static void invert_diagonal_row(const float *restrict west, const float *restrict south,
                                const float *restrict north, const float *restrict alpha,
                                float *restrict inv_diagonal, size_t n)
{
    for (size_t i = 0; i < n; ++i) {
        const float sum = (west[i] + west[i + 1]) + (south[i] + north[i]);
        inv_diagonal[i] = alpha ? alpha[i] + sum : sum;
    }
    for (size_t i = 0; i < n; ++i) inv_diagonal[i] = inv_diagonal[i] > 0.0f ? 1.0f / inv_diagonal[i] : 0.0f;
}

static double count_positive(const float *a, size_t n)
{
    int32_t count = 0;
    for (size_t i = 0; i < n; ++i) count += a[i] > 0.0f;
    return count;
}

// Minimum of alpha/diagonal over active cells; at most 1.
static double min_alpha_share_row(const float *restrict alpha, const float *restrict inv_diagonal, size_t n)
{
    float lane[8] = {1.0f, 1.0f, 1.0f, 1.0f, 1.0f, 1.0f, 1.0f, 1.0f};
    for (size_t i = 0; i < n; ++i) {
        const float share = inv_diagonal[i] > 0.0f ? alpha[i] * inv_diagonal[i] : 1.0f;
        lane[i % 8] = share < lane[i % 8] ? share : lane[i % 8];
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
        // The north faces of the last row belong to the next block, which writes them; this block uses a
        // copy.
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

static void mask_row(const float *restrict inv_diagonal, const double *restrict v, double shift,
                     double *restrict out, size_t n)
{
    for (size_t i = 0; i < n; ++i) out[i] = inv_diagonal[i] > 0.0f ? v[i] - shift : 0.0;
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
        memcpy(out, z + c, n * sizeof *out); // p is not defined yet
    else
        for (size_t i = 0; i < n; ++i) out[i] = z[c + i] + beta * p[c + i];
    out[-1] = l->periodic_x ? out[n - 1] : 0.0f;
    out[n] = l->periodic_x ? out[0] : 0.0f;
}

// p . A p is a sum of squares over faces; a row contributes the west and south faces of its cells.
__attribute__((noinline)) static double energy_row(const float *restrict west, const float *restrict south,
                                                   const float *p, const float *p_west,
                                                   const float *restrict p_south, size_t n)
{
    double lane[8] = {0};
    size_t i = 0;
    for (; i + 8 <= n; i += 8)
        for (size_t k = i; k < i + 8; ++k) {
            const double diff_x = (double)(p[k] - p_west[k]), diff_z = (double)(p[k] - p_south[k]);
            lane[k - i] += (double)west[k] * (diff_x * diff_x) + (double)south[k] * (diff_z * diff_z);
        }
    for (size_t k = i; k < n; ++k) {
        const double diff_x = (double)(p[k] - p_west[k]), diff_z = (double)(p[k] - p_south[k]);
        lane[k - i] += (double)west[k] * (diff_x * diff_x) + (double)south[k] * (diff_z * diff_z);
    }
    return add_lanes(lane);
}

// Sum of weight p^2 over a row: alpha, or the faces of a Dirichlet side.
static double weighted_square_row(const float *restrict weight, const float *restrict p, size_t n)
{
    double lane[8] = {0};
    for (size_t i = 0; i < n; ++i) lane[i % 8] += (double)weight[i] * ((double)p[i] * (double)p[i]);
    return add_lanes(lane);
}

// The row south of a block's first row belongs to another block; it is computed again in scratch.
static void direction_rows(const struct linear_direction *d, float *scratch, int j0, int j1)
{
    const struct linear_level *l = d->level;
    const struct grid *g = &l->g;
    const float *z = l->z, *p = d->p, beta = d->beta;
    float *p1 = d->p1;
    const size_t n = (size_t)g->nx;
    float *p_south = scratch + 16;
    if (j0 > 0 || l->periodic_z)
        direction_row(l, z, beta, p, j0 > 0 ? j0 - 1 : g->nz - 1, p_south);
    else
        memset(p_south, 0, n * sizeof *p_south);
    for (int j = j0; j < j1; ++j) {
        const size_t c = grid_at(g, 0, j);
        direction_row(l, z, beta, p, j, p1 + c);
        double sum = energy_row(l->coef_x + c, l->coef_z + c, p1 + c, p1 + c - 1, p_south, n);
        if (!l->periodic_x) sum += weighted_square_row(l->coef_x + c + n, p1 + c + n - 1, 1);
        if (j == g->nz - 1 && !l->periodic_z)
            sum += weighted_square_row(l->coef_z + c + g->stride, p1 + c, n);
        if (d->has_alpha) sum += weighted_square_row(l->alpha + c, p1 + c, n);
        d->sums[(size_t)j * LINEAR_SUMS] = sum;
        p_south = p1 + c;
    }
}

struct stencil5 {
    const double *mid, *west, *east, *south, *north;
};

// r = b - sum of beta (x - x_n). With differences across faces a constant x gives exactly 0. Not inlined:
// see wave_rows.c.
__attribute__((noinline)) static void residual_row(const struct stencil5 *stencil,
                                                   const struct stencil_coefs *coefs,
                                                   const double *restrict b, double *restrict r, size_t n)
{
    const struct stencil5 x = *stencil;
    const struct stencil_coefs w = *coefs;
    for (size_t i = 0; i < n; ++i) {
        const double flux_x =
            (double)w.west[i] * (x.mid[i] - x.west[i]) + (double)w.east[i] * (x.mid[i] - x.east[i]);
        const double flux_z =
            (double)w.south[i] * (x.mid[i] - x.south[i]) + (double)w.north[i] * (x.mid[i] - x.north[i]);
        r[i] = b[i] - (flux_x + flux_z);
    }
}

static void subtract_alpha_row(const float *restrict alpha, const double *restrict x, double *restrict r,
                               size_t n)
{
    for (size_t i = 0; i < n; ++i) r[i] -= (double)alpha[i] * x[i];
}

static void initial_x_row(const float *restrict inv_diagonal, const float *restrict p, double a, double shift,
                          double *restrict out, size_t n)
{
    for (size_t i = 0; i < n; ++i) out[i] = inv_diagonal[i] > 0.0f ? a * ((double)p[i] - shift) : 0.0;
}

// Row j of the updated x, with its ghost cells, into out.
static void updated_x_row(const struct linear_update *m, int j, const double *x, double *restrict out)
{
    const struct linear_level *l = m->level;
    const size_t c = grid_at(&l->g, 0, j), n = (size_t)l->g.nx;
    const float *restrict p = m->p ? m->p + c : NULL;
    const double step = m->step;
    if (!m->p)
        mask_row(l->inv_diagonal + c, x, m->shift, out, n);
    else if (m->x_is_zero)
        initial_x_row(l->inv_diagonal + c, p, step, m->shift, out, n);
    else
        for (size_t i = 0; i < n; ++i) out[i] = x[i] + step * (double)p[i];
    out[-1] = l->periodic_x ? out[n - 1] : 0.0;
    out[n] = l->periodic_x ? out[0] : 0.0;
}

// Updates row j of the block itself, in place and into out.
static void update_block_row(const struct linear_update *m, int j, double *out)
{
    double *x = m->x + grid_at(&m->level->g, 0, j);
    updated_x_row(m, j, x, out);
    memcpy(x, out, (size_t)m->level->g.nx * sizeof *x);
}

// Row j next to the block. Its own block may have updated it already, so the copy in block_edges is used.
static void neighbour_block_row(const struct linear_update *m, int j, double *out)
{
    const struct grid *g = &m->level->g;
    if (!m->level->periodic_z && (j < 0 || j >= g->nz)) {
        memset(out, 0, (size_t)g->nx * sizeof *out);
        return;
    }
    const int row = (j + g->nz) % g->nz;
    updated_x_row(m, row, m->block_edges + linear_block_edge(m->level, row), out);
}

static float max_abs(const float *a, size_t n)
{
    int32_t max_bits = 0;
    for (size_t i = 0; i < n; ++i) max_bits = max_i32(max_bits, abs_bits(a[i]));
    return float_of_bits(max_bits);
}

static void update_x_rows(const struct linear_update *m, double *scratch, int j0, int j1)
{
    const struct linear_level *l = m->level;
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
        const struct stencil_coefs w = stencil_coefs_at(l, c);
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

// ---- Jacobi ----

static void jacobi_precondition_rows(const struct linear_level *l, double *sums, int j0, int j1)
{
    const size_t n = (size_t)l->g.nx;
    for (int j = j0; j < j1; ++j) {
        const size_t c = grid_at(&l->g, 0, j);
        const float *restrict r = l->r + c, *restrict inv_diagonal = l->inv_diagonal + c;
        float *restrict z = l->z + c;
        double lane[8] = {0};
        for (size_t i = 0; i < n; ++i) z[i] = inv_diagonal[i] * r[i];
        for (size_t i = 0; i < n; ++i) lane[i % 8] += (double)r[i] * (double)z[i];
        sums[(size_t)j * LINEAR_SUMS] = add_lanes(lane);
    }
}

struct float_stencil5 {
    const float *mid, *west, *east, *south, *north;
};

__attribute__((noinline)) static void jacobi_row(const struct float_stencil5 *stencil,
                                                 const struct stencil_coefs *coefs, float omega,
                                                 const float *restrict r, const float *restrict inv_diagonal,
                                                 float *restrict out, size_t n)
{
    const struct float_stencil5 z = *stencil;
    const struct stencil_coefs b = *coefs;
    for (size_t i = 0; i < n; ++i) {
        const float sum_x = b.west[i] * z.west[i] + b.east[i] * z.east[i];
        const float sum_z = b.south[i] * z.south[i] + b.north[i] * z.north[i];
        out[i] = z.mid[i] + omega * (inv_diagonal[i] * (r[i] + (sum_x + sum_z)) - z.mid[i]);
    }
}

static void jacobi_rows(const struct linear_level *l, float omega, const float *z, float *z1, int j0, int j1)
{
    const struct grid *g = &l->g;
    const size_t n = (size_t)g->nx;
    for (int j = j0; j < j1; ++j) {
        const size_t c = grid_at(g, 0, j);
        // The ghost cells of a side that is not periodic are 0.
        const size_t south = l->periodic_z && j == 0 ? grid_at(g, 0, g->nz - 1) : c - g->stride;
        const size_t north = l->periodic_z && j == g->nz - 1 ? grid_at(g, 0, 0) : c + g->stride;
        const struct float_stencil5 stencil = {z + c, z + c - 1, z + c + 1, z + south, z + north};
        const struct stencil_coefs b = stencil_coefs_at(l, c);
        jacobi_row(&stencil, &b, omega, l->r + c, l->inv_diagonal + c, z1 + c, n);
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
