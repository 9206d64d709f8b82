// Following the flow, and lines of the implicit friction.
#include "flow_rows.h"

static inline float clamp_f(float x, float low, float high) { return min_f(high, max_f(low, x)); }

// ---- following the flow ----
//
// In short rows, and loops that either compute or fetch: what computes becomes vectors on every machine. Pieces of rows without
// any mass are left out.

enum { PIECE = 8, CLUSTER_SIZE = 33 * PIECE }; // 256 cells have 257 nodes

// Nodes of a row: places that are counted from each of them in cells, and the four values around a place.
struct trace_row {
    int first, column, count;               // index and column of the first
    int n, j, end;                          // one row up; the row; its nodes
    float x[CLUSTER_SIZE], z[CLUSTER_SIZE]; // places
    int at[CLUSTER_SIZE];                   // the value below and left of a place
    float a[CLUSTER_SIZE], b[CLUSTER_SIZE]; // how far it is from there to the next ones
    float u[CLUSTER_SIZE], v[CLUSTER_SIZE]; // speeds there
};

// The values around places (px, pz); they stand (off_x, off_z) from the nodes' own.
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

static inline void stencil_range(const struct trace_row *r, const float *restrict q, float *restrict least,
                                 float *restrict most)
{
    for (int i = 0; i < r->count; ++i) {
        const float *p = q + r->at[i];
        const float q0 = p[0], q1 = p[1], q2 = p[r->n], q3 = p[r->n + 1];
        least[i] = min_f(min_f(q0, q1), min_f(q2, q3));
        most[i] = max_f(max_f(q0, q1), max_f(q2, q3));
    }
}

// A place, kept inside, or brought back in across periodic sides, `around` cells apart (0: there are none).
// low and high: the ends as seen from the node.
static inline float wrap_or_clamp(float x, float low, float high, float around)
{
    const float more = x < low ? around : 0.0f, less = x >= high ? around : 0.0f;
    return clamp_f((x + more) - less, low, high);
}

// Places (px, pz) a step of k back along the speeds of the row.
static inline void step_back(const struct trace_row *r, const struct flow_trace *t, float k,
                             float *restrict px, float *restrict pz)
{
    const float south = t->min_z - ((float)r->j + t->node_z), north = t->max_z - ((float)r->j + t->node_z);
    const float low = t->min_x - t->node_x, high = t->max_x - t->node_x, ax = t->period_x, az = t->period_z;
    for (int i = 0; i < r->count; ++i) {
        const float here = (float)(r->column + i);
        px[i] = wrap_or_clamp(-k * r->u[i], low - here, high - here, ax);
        pz[i] = wrap_or_clamp(-k * r->v[i], south, north, az);
    }
}

// Speeds at the nodes themselves: u stands at (0, 1/2) of its cell, v at (1/2, 0).
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

// Places a step of k back along the flow, by the midpoint rule.
static void midpoint_backtrace(struct trace_row *r, const struct flow_trace *t, float k, float *restrict x,
                               float *restrict z)
{
    velocity_at_nodes(r, t, t->u, t->v);
    step_back(r, t, 0.5f * k, r->x, r->z);
    locate(r, r->x, r->z, t->node_x, t->node_z - 0.5f);
    interpolate_linear(r, t->u, r->u);
    locate(r, r->x, r->z, t->node_x - 0.5f, t->node_z);
    interpolate_linear(r, t->v, r->v);
    step_back(r, t, k, x, z);
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

// The next nodes up to a piece without mass; false at the end of the row. The last piece may look beyond the row, where there are
// ghosts, or the next row's.
static bool next_piece(struct trace_row *r, const float *mass)
{
    const float *const row = mass + (r->first - r->column);
    int i = r->column + r->count;
    while (i < r->end && is_prescribed_piece(row + i)) i += PIECE;
    r->first += i - r->column, r->column = i;
    if (i >= r->end) return false;
    const int most = r->end - i < CLUSTER_SIZE ? r->end - i : CLUSTER_SIZE;
    int last = PIECE;
    while (last < most && !is_prescribed_piece(row + i + last)) last += PIECE;
    r->count = last < most ? last : most;
    return true;
}

static void backtrace_rows(const struct grid *g, const struct flow_trace *t, float k, const float *mass,
                           float *x, float *z, int j0, int j1)
{
    struct trace_row r;
    for (int j = j0; j < j1; ++j)
        for (start_row(&r, g, j); next_piece(&r, mass);)
            midpoint_backtrace(&r, t, k, x + r.first, z + r.first);
}

// The same; nodes that were left out become what they are in `from`.
static bool next_piece_copy(struct trace_row *r, const float *mass, const float *from, float *to)
{
    const int before = r->first + r->count;
    const bool more = next_piece(r, mass);
    const int after = more ? r->first : r->first - r->column + r->end;
    if (after > before) memcpy(to + before, from + before, (size_t)(after - before) * sizeof *to);
    return more;
}

// Numbers that only grow smaller for ever cost a hundred times as much in the end.
static inline float flush_tiny(float x) { return x < 1e-30f && x > -1e-30f ? 0.0f : x; }

static void interpolate_rows(const struct grid *g, const float *restrict mass, const float *x, const float *z,
                             const float *restrict q, float *restrict out, int j0, int j1)
{
    struct trace_row r;
    float value[CLUSTER_SIZE];
    for (int j = j0; j < j1; ++j) {
        start_row(&r, g, j);
        while (next_piece_copy(&r, mass, q, out)) {
            locate(&r, x + r.first, z + r.first, 0.0f, 0.0f);
            interpolate_linear(&r, q, value);
            for (int i = 0; i < r.count; ++i) {
                const size_t c = (size_t)r.first + (size_t)i;
                out[c] = mass[c] > 0.0f ? flush_tiny(value[i]) : q[c];
            }
        }
    }
}

// Weights of four values at -1, 0, 1 and 2 for a place between the middle two: exact for cubics.
static inline void cubic_weights(const float *restrict a, int n, float w[4][CLUSTER_SIZE])
{
    for (int i = 0; i < n; ++i) {
        const float x = a[i], up = x + 1.0f, down = x - 1.0f, far = x - 2.0f;
        w[0][i] = (-1.0f / 6.0f) * (x * down * far);
        w[1][i] = 0.5f * (up * down * far);
        w[2][i] = -0.5f * (up * x * far);
        w[3][i] = (1.0f / 6.0f) * (up * x * down);
    }
}

// Sixteen values around a place, and no more or less than the nearest four.
static inline float clamped_cubic(const float *restrict p, int n, const float w[4][CLUSTER_SIZE],
                                  const float v[4][CLUSTER_SIZE], int i)
{
    float sum[4];
    for (int m = 0; m < 4; ++m) {
        const float *q = p + (m - 1) * n;
        sum[m] = (w[0][i] * q[-1] + w[1][i] * q[0]) + (w[2][i] * q[1] + w[3][i] * q[2]);
    }
    const float q0 = p[0], q1 = p[1], q2 = p[n], q3 = p[n + 1];
    const float least = min_f(min_f(q0, q1), min_f(q2, q3)), most = max_f(max_f(q0, q1), max_f(q2, q3));
    return clamp_f((v[0][i] * sum[0] + v[1][i] * sum[1]) + (v[2][i] * sum[2] + v[3][i] * sum[3]), least,
                   most);
}

// There are two values beyond the sides: what lies on the first of them is reached from inside.
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
    float along[4][CLUSTER_SIZE], across[4][CLUSTER_SIZE];
    for (int j = j0; j < j1; ++j) {
        start_row(&r, g, j);
        while (next_piece_copy(&r, mass, q, out)) {
            locate_cubic(&r, g, x + r.first, z + r.first);
            cubic_weights(r.a, r.count, along);
            cubic_weights(r.b, r.count, across);
            for (int i = 0; i < r.count; ++i) {
                const size_t c = (size_t)r.first + (size_t)i;
                out[c] =
                    mass[c] > 0.0f ? flush_tiny(clamped_cubic(q + r.at[i], r.n, along, across, i)) : q[c];
            }
        }
    }
}

// MacCormack (Selle et al. 2008): what going there and back gets wrong is corrected by half, and what that would
// make larger or smaller than its surroundings is clamped.
static void maccormack_rows(const struct grid *g, const float *restrict mass,
                            const struct flow_trajectories *w, const float *restrict q,
                            const float *restrict there, float *restrict out, int j0, int j1)
{
    struct trace_row r;
    float least[CLUSTER_SIZE], most[CLUSTER_SIZE], again[CLUSTER_SIZE];
    for (int j = j0; j < j1; ++j) {
        start_row(&r, g, j);
        while (next_piece_copy(&r, mass, there, out)) {
            locate(&r, w->departure_x + r.first, w->departure_z + r.first, 0.0f, 0.0f);
            stencil_range(&r, q, least, most);
            locate(&r, w->arrival_x + r.first, w->arrival_z + r.first, 0.0f, 0.0f);
            interpolate_linear(&r, there, again);
            for (int i = 0; i < r.count; ++i) {
                const size_t c = (size_t)r.first + (size_t)i;
                const float value = clamp_f(there[c] + 0.5f * (q[c] - again[i]), least[i], most[i]);
                out[c] = mass[c] > 0.0f ? flush_tiny(value) : there[c];
            }
        }
    }
}

// ---- lines ----

#define EACH_LANE for (int k = 0; k < FLOW_LANES; ++k)

// Rows of a tile: node by node, FLOW_LANES lines side by side.
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

// Coefficients of (mass - k L); nodes without mass stay as they are.
static void assemble_tile(const struct tridiagonal_lines *l, const struct line_tile *t, int first)
{
    for (int i = 0; i < l->nodes; ++i) {
        const size_t row = (size_t)i * FLOW_LANES;
        EACH_LANE
        {
            const int line = first + k < l->lines ? first + k : l->lines - 1;
            const size_t c = l->start + (size_t)i * l->node_stride + (size_t)line * l->line_stride;
            const float mass = l->mass[c], free = mass > 0.0f ? l->k : 0.0f;
            float west = free * l->coef[c], east = free * l->coef[c + l->node_stride];
            if (i == 0 && !l->cyclic) west *= l->low_boundary_coef[line];
            if (i == l->nodes - 1 && !l->cyclic) east *= l->high_boundary_coef[line];
            t->below[row + (size_t)k] = -west;
            t->above[row + (size_t)k] = -east;
            t->diagonal[row + (size_t)k] = (mass > 0.0f ? mass : 1.0f) + (west + east);
            t->d[row + (size_t)k] = mass > 0.0f ? l->d[c] : 0.0f;
        }
    }
}

// Thomas' elimination; `above` becomes what eliminates. Two right-hand sides where the line is closed.
static void thomas_solve(const struct line_tile *t, int nodes, bool both)
{
    float *restrict below = t->below, *restrict diagonal = t->diagonal, *restrict above = t->above,
                    *restrict d = t->d, *restrict extra = t->extra;
    for (int i = 0; i < nodes; ++i) {
        const size_t row = (size_t)i * FLOW_LANES;
        EACH_LANE
        {
            const size_t c = row + (size_t)k, b = i ? c - FLOW_LANES : c;
            const float low = i ? below[c] : 0.0f;
            const float inverse = 1.0f / (diagonal[c] - low * above[b]);
            d[c] = (d[c] - low * d[b]) * inverse;
            if (both) extra[c] = (extra[c] - low * extra[b]) * inverse;
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

// A closed line is an open one with a term of rank one, by Sherman and Morrison's formula.
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
