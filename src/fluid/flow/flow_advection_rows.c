// Kernels of semi-Lagrangian advection (midpoint backtrace, bilinear and bicubic interpolation, MacCormack
// correction [selle2008]) and of implicit diffusion along lines (Thomas algorithm). flow_rows.h describes
// them.
#include "flow_rows.h"

static inline float clamp_f(float x, float low, float high) { return min_f(high, max_f(low, x)); }

// ---- backtraces and interpolation ----
//
// Rows are worked on in segments, with loops that either compute or load, so that the computing loops
// vectorise on every machine. Pieces of PIECE nodes without mass are skipped.

enum { PIECE = 8, SEGMENT = 33 * PIECE }; // 256 cells have 257 nodes

// A segment of a row of nodes. Points are displacements from their nodes [cells].
struct trace_row {
    int first, column, count;     // index and column of the first node; number of nodes
    int n, j, end;                // stride of rows; row; nodes of the row
    float x[SEGMENT], z[SEGMENT]; // points
    int at[SEGMENT];              // index of the south-west value of the interpolation stencil
    float a[SEGMENT], b[SEGMENT]; // interpolation weights along x and z, 0 .. 1
    float u[SEGMENT], v[SEGMENT]; // velocity at the points
};

// Stencils and weights at points (px, pz), of values that lie at (-off_x, -off_z) from the nodes.
static inline void locate(struct trace_row *r, const float *restrict px, const float *restrict pz,
                          float off_x, float off_z)
{
    for (int i = 0; i < r->count; ++i) {
        const float x = px[i] + off_x, z = pz[i] + off_z;
        const int wx = (int)x, wz = (int)z;
        const int ix = wx - ((float)wx > x), iz = wz - ((float)wz > z);
        r->a[i] = x - (float)ix;
        r->b[i] = z - (float)iz;
        r->at[i] = r->first + i + ix + iz * r->n;
    }
}

static inline float bilinear(float a, float b, float q0, float q1, float q2, float q3)
{
    const float low = q0 + a * (q1 - q0), high = q2 + a * (q3 - q2);
    return low + b * (high - low);
}

static inline void interpolate_linear(const struct trace_row *r, const float *restrict q, float *restrict out)
{
    for (int i = 0; i < r->count; ++i) {
        const float *p = q + r->at[i];
        out[i] = bilinear(r->a[i], r->b[i], p[0], p[1], p[r->n], p[r->n + 1]);
    }
}

static inline void stencil_range(const struct trace_row *r, const float *restrict q, float *restrict min,
                                 float *restrict max)
{
    for (int i = 0; i < r->count; ++i) {
        const float *p = q + r->at[i];
        const float q0 = p[0], q1 = p[1], q2 = p[r->n], q3 = p[r->n + 1];
        min[i] = min_f(min_f(q0, q1), min_f(q2, q3));
        max[i] = max_f(max_f(q0, q1), max_f(q2, q3));
    }
}

// A point clamped to [low, high), or wrapped by `period` across periodic sides (0: not periodic). low and
// high are relative to the node.
static inline float wrap_or_clamp(float x, float low, float high, float period)
{
    const float add = x < low ? period : 0.0f, subtract = x >= high ? period : 0.0f;
    const float wrapped = (x + add) - subtract;
    return min_f(high, wrapped >= low ? wrapped : low); // low if x is not a number: an index follows from it
}

// Points (px, pz) a step dt_dx back along the velocity of the segment.
static inline void step_back(const struct trace_row *r, const struct flow_trace *t, float dt_dx,
                             float *restrict px, float *restrict pz)
{
    const float south = t->min_z - ((float)r->j + t->node_z), north = t->max_z - ((float)r->j + t->node_z);
    const float west = t->min_x - t->node_x, east = t->max_x - t->node_x, period_x = t->period_x,
                period_z = t->period_z;
    for (int i = 0; i < r->count; ++i) {
        const float column = (float)(r->column + i);
        px[i] = wrap_or_clamp(-dt_dx * r->u[i], west - column, east - column, period_x);
        pz[i] = wrap_or_clamp(-dt_dx * r->v[i], south, north, period_z);
    }
}

// Velocity at the nodes themselves: u lies at (0, 1/2) of its cell, v at (1/2, 0).
static inline void velocity_at_nodes(struct trace_row *r, const struct flow_trace *t, const float *restrict u,
                                     const float *restrict v)
{
    const size_t n = (size_t)r->n, c0 = (size_t)r->first;
    if (t->node_x < 0.25f) {
        for (int i = 0; i < r->count; ++i) {
            const size_t c = c0 + (size_t)i;
            r->u[i] = u[c];
            r->v[i] = 0.25f * ((v[c - 1] + v[c]) + (v[c - 1 + n] + v[c + n]));
        }
    } else if (t->node_z < 0.25f) {
        for (int i = 0; i < r->count; ++i) {
            const size_t c = c0 + (size_t)i;
            r->u[i] = 0.25f * ((u[c - n] + u[c - n + 1]) + (u[c] + u[c + 1]));
            r->v[i] = v[c];
        }
    } else {
        for (int i = 0; i < r->count; ++i) {
            const size_t c = c0 + (size_t)i;
            r->u[i] = 0.5f * (u[c] + u[c + 1]);
            r->v[i] = 0.5f * (v[c] + v[c + n]);
        }
    }
}

// Points a step dt_dx back along the flow, by the midpoint rule.
static void midpoint_backtrace(struct trace_row *r, const struct flow_trace *t, float dt_dx,
                               float *restrict x, float *restrict z)
{
    velocity_at_nodes(r, t, t->u, t->v);
    step_back(r, t, 0.5f * dt_dx, r->x, r->z);
    locate(r, r->x, r->z, t->node_x, t->node_z - 0.5f);
    interpolate_linear(r, t->u, r->u);
    locate(r, r->x, r->z, t->node_x - 0.5f, t->node_z);
    interpolate_linear(r, t->v, r->v);
    step_back(r, t, dt_dx, x, z);
}

static void start_row(struct trace_row *r, const struct grid *g, int j)
{
    r->n = (int)g->stride, r->j = j, r->end = g->nx + 1;
    r->first = (int)grid_at(g, 0, j), r->column = r->count = 0;
}

static inline bool is_prescribed_piece(const float *mass)
{
    static const float none[PIECE];
    return memcmp(mass, none, sizeof none) == 0;
}

// The next segment, up to a piece without mass; false at the end of the row. The last piece may read past the
// row, into ghosts or the next row.
static bool next_segment(struct trace_row *r, const float *mass)
{
    const float *const row = mass + (r->first - r->column);
    int i = r->column + r->count;
    while (i < r->end && is_prescribed_piece(row + i)) i += PIECE;
    r->first += i - r->column, r->column = i;
    if (i >= r->end) return false;
    const int max_count = r->end - i < SEGMENT ? r->end - i : SEGMENT;
    int count = PIECE;
    while (count < max_count && !is_prescribed_piece(row + i + count)) count += PIECE;
    r->count = count < max_count ? count : max_count;
    return true;
}

static void backtrace_rows(const struct grid *g, const struct flow_trace *t, float dt_dx, const float *mass,
                           float *x, float *z, int j0, int j1)
{
    struct trace_row r;
    for (int j = j0; j < j1; ++j)
        for (start_row(&r, g, j); next_segment(&r, mass);)
            midpoint_backtrace(&r, t, dt_dx, x + r.first, z + r.first);
}

// The same; skipped nodes are copied from `from`.
static bool next_segment_copy(struct trace_row *r, const float *mass, const float *from, float *to)
{
    const int before = r->first + r->count;
    const bool more = next_segment(r, mass);
    const int after = more ? r->first : r->first - r->column + r->end;
    if (after > before) memcpy(to + before, from + before, (size_t)(after - before) * sizeof *to);
    return more;
}

// Flush below 1e-30 to zero: denormal arithmetic is about 100 times slower.
static inline float flush_tiny(float x) { return x < 1e-30f && x > -1e-30f ? 0.0f : x; }

static void interpolate_rows(const struct grid *g, const float *restrict mass, const float *x, const float *z,
                             const float *restrict q, float *restrict out, int j0, int j1)
{
    struct trace_row r;
    float value[SEGMENT];
    for (int j = j0; j < j1; ++j) {
        start_row(&r, g, j);
        while (next_segment_copy(&r, mass, q, out)) {
            locate(&r, x + r.first, z + r.first, 0.0f, 0.0f);
            interpolate_linear(&r, q, value);
            for (int i = 0; i < r.count; ++i) {
                const size_t c = (size_t)r.first + (size_t)i;
                out[c] = mass[c] > 0.0f ? flush_tiny(value[i]) : q[c];
            }
        }
    }
}

// Lagrange weights of four values at -1, 0, 1 and 2 for a point between 0 and 1.
static inline void cubic_weights(const float *restrict a, int n, float w[4][SEGMENT])
{
    for (int i = 0; i < n; ++i) {
        const float x = a[i], up = x + 1.0f, down = x - 1.0f, down2 = x - 2.0f;
        w[0][i] = (-1.0f / 6.0f) * (x * down * down2);
        w[1][i] = 0.5f * (up * down * down2);
        w[2][i] = -0.5f * (up * x * down2);
        w[3][i] = (1.0f / 6.0f) * (up * x * down);
    }
}

// Bicubic interpolation from sixteen values, clamped to the range of the nearest four.
static inline float clamped_cubic(const float *restrict p, int n, const float weights_x[4][SEGMENT],
                                  const float weights_z[4][SEGMENT], int i)
{
    float sum[4];
    for (int m = 0; m < 4; ++m) {
        const float *q = p + (m - 1) * n;
        sum[m] = (weights_x[0][i] * q[-1] + weights_x[1][i] * q[0]) +
                 (weights_x[2][i] * q[1] + weights_x[3][i] * q[2]);
    }
    const float q0 = p[0], q1 = p[1], q2 = p[n], q3 = p[n + 1];
    const float min = min_f(min_f(q0, q1), min_f(q2, q3)), max = max_f(max_f(q0, q1), max_f(q2, q3));
    return clamp_f((weights_z[0][i] * sum[0] + weights_z[1][i] * sum[1]) +
                       (weights_z[2][i] * sum[2] + weights_z[3][i] * sum[3]),
                   min, max);
}

// Only two ghosts are filled: a point beyond the last cell centre uses the stencil further inside.
static inline void locate_cubic(struct trace_row *r, const struct grid *g, const float *restrict px,
                                const float *restrict pz)
{
    for (int i = 0; i < r->count; ++i) {
        const float x = px[i], z = pz[i];
        const int wx = (int)x, wz = (int)z;
        int ix = wx - ((float)wx > x), iz = wz - ((float)wz > z);
        ix -= r->column + i + ix >= g->nx;
        iz -= r->j + iz >= g->nz;
        r->a[i] = x - (float)ix;
        r->b[i] = z - (float)iz;
        r->at[i] = r->first + i + ix + iz * r->n;
    }
}

static void interpolate_cubic_rows(const struct grid *g, const float *restrict mass, const float *x,
                                   const float *z, const float *restrict q, float *restrict out, int j0,
                                   int j1)
{
    struct trace_row r;
    float weights_x[4][SEGMENT], weights_z[4][SEGMENT];
    for (int j = j0; j < j1; ++j) {
        start_row(&r, g, j);
        while (next_segment_copy(&r, mass, q, out)) {
            locate_cubic(&r, g, x + r.first, z + r.first);
            cubic_weights(r.a, r.count, weights_x);
            cubic_weights(r.b, r.count, weights_z);
            for (int i = 0; i < r.count; ++i) {
                const size_t c = (size_t)r.first + (size_t)i;
                out[c] = mass[c] > 0.0f ? flush_tiny(clamped_cubic(q + r.at[i], r.n, weights_x, weights_z, i))
                                        : q[c];
            }
        }
    }
}

// MacCormack correction [selle2008]: half the error of advecting forward and back is subtracted; the result
// is clamped to the values of the backtrace stencil.
static void maccormack_rows(const struct grid *g, const float *restrict mass,
                            const struct flow_trajectories *paths, const float *restrict q,
                            const float *restrict forward, float *restrict out, int j0, int j1)
{
    struct trace_row r;
    float min[SEGMENT], max[SEGMENT], back[SEGMENT];
    for (int j = j0; j < j1; ++j) {
        start_row(&r, g, j);
        while (next_segment_copy(&r, mass, forward, out)) {
            locate(&r, paths->departure_x + r.first, paths->departure_z + r.first, 0.0f, 0.0f);
            stencil_range(&r, q, min, max);
            locate(&r, paths->arrival_x + r.first, paths->arrival_z + r.first, 0.0f, 0.0f);
            interpolate_linear(&r, forward, back);
            for (int i = 0; i < r.count; ++i) {
                const size_t c = (size_t)r.first + (size_t)i;
                const float value = clamp_f(forward[c] + 0.5f * (q[c] - back[i]), min[i], max[i]);
                out[c] = mass[c] > 0.0f ? flush_tiny(value) : forward[c];
            }
        }
    }
}

// ---- tridiagonal solves ----

#define EACH_LANE for (int k = 0; k < FLOW_LANES; ++k)

// FLOW_LANES lines side by side, node by node.
struct line_tile {
    float *below, *diagonal, *above, *d, *extra, *mass;
};

static struct line_tile make_tile(float *scratch, int nodes)
{
    const size_t size = (size_t)nodes * FLOW_LANES;
    return (struct line_tile){
        scratch,           scratch + size, scratch + 2 * size, scratch + 3 * size, scratch + 4 * size,
        scratch + 5 * size};
}

// Coefficients of (mass - diffusion_number L); rows of nodes without mass are the identity.
static void assemble_tile(const struct tridiagonal_lines *l, const struct line_tile *t, int first)
{
    for (int i = 0; i < l->nodes; ++i) {
        const size_t row = (size_t)i * FLOW_LANES;
        EACH_LANE
        {
            const int line = first + k < l->lines ? first + k : l->lines - 1;
            const size_t c = l->start + (size_t)i * l->node_stride + (size_t)line * l->line_stride;
            const float mass = l->mass[c], number = mass > 0.0f ? l->diffusion_number : 0.0f;
            float west = number * l->coef[c], east = number * l->coef[c + l->node_stride];
            if (i == 0 && !l->cyclic) west *= l->low_boundary_coef[line];
            if (i == l->nodes - 1 && !l->cyclic) east *= l->high_boundary_coef[line];
            t->below[row + (size_t)k] = -west;
            t->above[row + (size_t)k] = -east;
            t->diagonal[row + (size_t)k] = (mass > 0.0f ? mass : 1.0f) + (west + east);
            t->d[row + (size_t)k] = mass > 0.0f ? l->d[c] : 0.0f;
        }
    }
}

// Thomas algorithm; `above` becomes the elimination factors. `both`: a second right-hand side in `extra`, for
// cyclic lines.
static void thomas_solve(const struct line_tile *t, int nodes, bool both)
{
    float *restrict below = t->below, *restrict diagonal = t->diagonal, *restrict above = t->above,
                    *restrict d = t->d, *restrict extra = t->extra;
    for (int i = 0; i < nodes; ++i) {
        const size_t row = (size_t)i * FLOW_LANES;
        EACH_LANE
        {
            const size_t c = row + (size_t)k, prev = i ? c - FLOW_LANES : c;
            const float low = i ? below[c] : 0.0f;
            const float inverse = 1.0f / (diagonal[c] - low * above[prev]);
            d[c] = (d[c] - low * d[prev]) * inverse;
            if (both) extra[c] = (extra[c] - low * extra[prev]) * inverse;
            above[c] *= inverse;
        }
    }
    for (int i = nodes - 2; i >= 0; --i) {
        const size_t row = (size_t)i * FLOW_LANES;
        EACH_LANE
        {
            const size_t c = row + (size_t)k;
            d[c] -= above[c] * d[c + FLOW_LANES];
            if (both) extra[c] -= above[c] * extra[c + FLOW_LANES];
        }
    }
}

// A cyclic line is an open line plus a rank-one term (Sherman-Morrison formula).
static void thomas_solve_cyclic(const struct line_tile *t, int nodes)
{
    const size_t last = (size_t)(nodes - 1) * FLOW_LANES;
    float corner[FLOW_LANES], gamma[FLOW_LANES];
    for (size_t c = 0; c < (size_t)nodes * FLOW_LANES; ++c) t->extra[c] = 0.0f;
    EACH_LANE
    {
        corner[k] = t->below[k];
        gamma[k] = -t->diagonal[k];
        t->diagonal[k] -= gamma[k];
        t->extra[k] = gamma[k];
        t->extra[last + (size_t)k] = t->above[last + (size_t)k];
        t->diagonal[last + (size_t)k] -= corner[k] * t->above[last + (size_t)k] / gamma[k];
    }
    thomas_solve(t, nodes, true);
    EACH_LANE
    {
        const float r = corner[k] / gamma[k];
        gamma[k] =
            (t->d[k] + r * t->d[last + (size_t)k]) / (1.0f + t->extra[k] + r * t->extra[last + (size_t)k]);
    }
    for (int i = 0; i < nodes; ++i) EACH_LANE
        {
            t->d[(size_t)i * FLOW_LANES + (size_t)k] -=
                gamma[k] * t->extra[(size_t)i * FLOW_LANES + (size_t)k];
        }
}

static void solve_lines(const struct tridiagonal_lines *l, int first, float *scratch)
{
    const struct line_tile t = make_tile(scratch, l->nodes);
    assemble_tile(l, &t, first);
    if (l->cyclic)
        thomas_solve_cyclic(&t, l->nodes);
    else
        thomas_solve(&t, l->nodes, false);
    const int count = l->lines - first < FLOW_LANES ? l->lines - first : FLOW_LANES;
    for (int i = 0; i < l->nodes; ++i)
        for (int k = 0; k < count; ++k)
            l->d[l->start + (size_t)i * l->node_stride + (size_t)(first + k) * l->line_stride] =
                t.d[(size_t)i * FLOW_LANES + (size_t)k];
}

const struct advection_kernels KERNELS(advection_kernels) = {
    .backtrace = backtrace_rows,
    .interpolate = interpolate_rows,
    .interpolate_cubic = interpolate_cubic_rows,
    .maccormack = maccormack_rows,
    .solve_lines = solve_lines,
};
