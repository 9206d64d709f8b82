// Following the flow, and lines of the implicit friction.
#include "flow_rows.h"

static inline float larger(float a, float b) { return a > b ? a : b; }
static inline float smaller(float a, float b) { return a < b ? a : b; }
static inline float within(float x, float low, float high) { return smaller(high, larger(low, x)); }

// ---- following the flow -----------------------------------------------------------------------------

// The value between four nodes, x and z being counted from node c in cells, and the least and most of the four.
struct around {
    float value, least, most;
};

static inline int whole_below(float x)
{
    const int t = (int)x;
    return t - ((float)t > x);
}

static inline __attribute__((always_inline)) struct around sampled(const float *restrict q, int c, int n,
                                                                   float x, float z)
{
    const int i = whole_below(x), j = whole_below(z), at = c + i + j * n;
    const float a = x - (float)i, b = z - (float)j;
    const float q0 = q[at], q1 = q[at + 1], q2 = q[at + n], q3 = q[at + n + 1];
    const float low = q0 + a * (q1 - q0), high = q2 + a * (q3 - q2);
    return (struct around){low + b * (high - low), smaller(smaller(q0, q1), smaller(q2, q3)),
                           larger(larger(q0, q1), larger(q2, q3))};
}

// A place from the node, kept inside, or brought back in across periodic sides. low and high: the ends as seen from there.
static inline float kept(float x, float low, float high, float around, bool wrap)
{
    const float held = within(x, low, high);
    const float once = x < low ? x + around : x >= high ? x - around : x;
    return wrap ? within(once, low, high) : held;
}

struct place {
    float x, z;
};

// A step back along the flow by the midpoint rule, in cells from the node: speeds there, then half-way.
static inline __attribute__((always_inline)) struct place followed(const struct flow_trace *t,
                                                                   const float *restrict u,
                                                                   const float *restrict v, int c, int n,
                                                                   float i, float j, float wide, float high)
{
    const float west = t->low_x - (i + t->x), east = t->high_x - (i + t->x);
    const float south = t->low_z - (j + t->z), north = t->high_z - (j + t->z);
    const float half = 0.5f * t->k;
    // u stands at (0, 1/2) of its cell, v at (1/2, 0)
    const float u0 = sampled(u, c, n, t->x, t->z - 0.5f).value,
                v0 = sampled(v, c, n, t->x - 0.5f, t->z).value;
    const float mx = kept(-half * u0, west, east, wide, t->wrap_x),
                mz = kept(-half * v0, south, north, high, t->wrap_z);
    const float um = sampled(u, c, n, mx + t->x, mz + (t->z - 0.5f)).value;
    const float vm = sampled(v, c, n, mx + (t->x - 0.5f), mz + t->z).value;
    return (struct place){kept(-t->k * um, west, east, wide, t->wrap_x),
                          kept(-t->k * vm, south, north, high, t->wrap_z)};
}

static void trace_rows(const struct grid *g, const struct flow_trace *t, const float *restrict mass,
                       const float *restrict q, float *restrict out, int j0, int j1)
{
    const float *restrict u = t->u, *restrict v = t->v;
    const int n = (int)g->stride;
    for (int j = j0; j < j1; ++j) {
        const int row = (int)grid_at(g, 0, j);
        for (int i = 0; i <= g->nx; ++i) {
            const int c = row + i;
            const struct place at = followed(t, u, v, c, n, (float)i, (float)j, (float)g->nx, (float)g->nz);
            const float value = sampled(q, c, n, at.x, at.z).value;
            out[c] = mass[c] > 0.0f ? value : q[c];
        }
    }
}

// MacCormack (Selle et al. 2008): what going there and back gets wrong is corrected by half, and what that would
// make larger or smaller than its surroundings is clamped.
static void back_rows(const struct grid *g, const struct flow_trace *t, const float *restrict mass,
                      const float *restrict q, const float *restrict there, float *restrict out, int j0,
                      int j1)
{
    const float *restrict u = t->u, *restrict v = t->v;
    const int n = (int)g->stride;
    struct flow_trace forth = *t;
    forth.k = -t->k;
    for (int j = j0; j < j1; ++j) {
        const int row = (int)grid_at(g, 0, j);
        for (int i = 0; i <= g->nx; ++i) {
            const int c = row + i;
            const struct place from = followed(t, u, v, c, n, (float)i, (float)j, (float)g->nx, (float)g->nz);
            const struct place to =
                followed(&forth, u, v, c, n, (float)i, (float)j, (float)g->nx, (float)g->nz);
            const struct around was = sampled(q, c, n, from.x, from.z);
            const float again = sampled(there, c, n, to.x, to.z).value;
            const float value = within(there[c] + 0.5f * (q[c] - again), was.least, was.most);
            out[c] = mass[c] > 0.0f ? value : q[c];
        }
    }
}

// ---- lines --------------------------------------------------------------------------------------------

#define EACH_LANE for (int k = 0; k < FLOW_LANES; ++k)

// Rows of a tile: node by node, FLOW_LANES lines side by side.
struct tile {
    float *below, *diagonal, *above, *d, *extra, *mass;
};

static struct tile tile_of(float *scratch, int nodes)
{
    const size_t size = (size_t)nodes * FLOW_LANES;
    return (struct tile){
        scratch,           scratch + size, scratch + 2 * size, scratch + 3 * size, scratch + 4 * size,
        scratch + 5 * size};
}

// Coefficients of (mass - k L); nodes without mass stay as they are.
static void fill_tile(const struct flow_lines *l, const struct tile *t, int first)
{
    for (int i = 0; i < l->nodes; ++i) {
        const size_t row = (size_t)i * FLOW_LANES;
        EACH_LANE
        {
            const int line = first + k < l->lines ? first + k : l->lines - 1;
            const size_t c = l->start + (size_t)i * l->step + (size_t)line * l->across;
            const float mass = l->mass[c], free = mass > 0.0f ? l->k : 0.0f;
            float west = free * l->west[c], east = free * l->west[c + l->step];
            if (i == 0 && !l->cyclic) west *= l->low[line];
            if (i == l->nodes - 1 && !l->cyclic) east *= l->high[line];
            t->below[row + (size_t)k] = -west;
            t->above[row + (size_t)k] = -east;
            t->diagonal[row + (size_t)k] = (mass > 0.0f ? mass : 1.0f) + (west + east);
            t->d[row + (size_t)k] = mass > 0.0f ? l->d[c] : 0.0f;
        }
    }
}

// Thomas' elimination; `above` becomes what eliminates. Two right-hand sides where the line is closed.
static void eliminate(const struct tile *t, int nodes, bool both)
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
static void eliminate_closed(const struct tile *t, int nodes)
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
    eliminate(t, nodes, true);
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

static void solve_lines(const struct flow_lines *l, int first, float *scratch)
{
    const struct tile t = tile_of(scratch, l->nodes);
    fill_tile(l, &t, first);
    if (l->cyclic)
        eliminate_closed(&t, l->nodes);
    else
        eliminate(&t, l->nodes, false);
    const int count = l->lines - first < FLOW_LANES ? l->lines - first : FLOW_LANES;
    for (int i = 0; i < l->nodes; ++i)
        for (int k = 0; k < count; ++k)
            l->d[l->start + (size_t)i * l->step + (size_t)(first + k) * l->across] =
                t.d[(size_t)i * FLOW_LANES + (size_t)k];
}

const struct flow_carry_kernels KERNELS(flow_carry_kernels) = {
    .trace = trace_rows,
    .back = back_rows,
    .lines = solve_lines,
};
