// Two boxes: of the three and three directions of their sides and the nine across two edges, the one along which they
// are farthest apart, or least deep in each other. [gottschalk1996]
#include "touch.h"

#define SIDES_FIRST \
    1e-3 // of the size: how much better an edge must be than a side, so that contacts do not flicker

struct fit {
    const struct placed *a, *b;
    mat3 turn;  // b's axes in a's
    vec3 apart; // b's middle in a's axes
    double ha[3], hb[3];
};

static double at(vec3 v, int i) { return i == 0 ? v.x : i == 1 ? v.y : v.z; }
static vec3 column(const mat3 *m, int i) { return v3(m->m[0][i], m->m[1][i], m->m[2][i]); }

// The nearest points of the two edges that look at each other across the normal. False if they do not cross there.
static bool between_edges(const struct fit *f, int i, int j, vec3 normal, struct nearest *out)
{
    vec3 p = f->a->at, q = f->b->at;
    for (int k = 0; k < 3; ++k) {
        const vec3 ua = column(&f->a->axes, k), ub = column(&f->b->axes, k);
        if (k != i) p = v3_madd(p, v3_dot(ua, normal) > 0.0 ? f->ha[k] : -f->ha[k], ua);
        if (k != j) q = v3_madd(q, v3_dot(ub, normal) < 0.0 ? f->hb[k] : -f->hb[k], ub);
    }
    const vec3 u = column(&f->a->axes, i), v = column(&f->b->axes, j), d = v3_sub(q, p);
    const double uv = v3_dot(u, v), ud = v3_dot(u, d), vd = v3_dot(v, d), det = 1.0 - uv * uv;
    const double s = (ud - uv * vd) / det, t = (uv * ud - vd) / det;
    out->on_a = v3_madd(p, s, u);
    out->on_b = v3_madd(q, t, v);
    return fabs(s) <= f->ha[i] && fabs(t) <= f->hb[j];
}

// Gap along side k of one of them; for b's sides everything is seen from b.
static void try_sides(const struct fit *f, double *best, int *which)
{
    for (int k = 0; k < 6; ++k) {
        double far, reach;
        if (k < 3) {
            far = at(f->apart, k);
            reach = f->ha[k] + f->hb[0] * fabs(f->turn.m[k][0]) + f->hb[1] * fabs(f->turn.m[k][1]) +
                    f->hb[2] * fabs(f->turn.m[k][2]);
        } else {
            const int j = k - 3;
            far = f->apart.x * f->turn.m[0][j] + f->apart.y * f->turn.m[1][j] + f->apart.z * f->turn.m[2][j];
            reach = f->hb[j] + f->ha[0] * fabs(f->turn.m[0][j]) + f->ha[1] * fabs(f->turn.m[1][j]) +
                    f->ha[2] * fabs(f->turn.m[2][j]);
        }
        const double gap = fabs(far) - reach;
        if (gap > *best) *best = gap, *which = k;
    }
}

static void try_edges(const struct fit *f, double *best, int *which)
{
    for (int i = 0; i < 3; ++i)
        for (int j = 0; j < 3; ++j) {
            const int i1 = (i + 1) % 3, i2 = (i + 2) % 3, j1 = (j + 1) % 3, j2 = (j + 2) % 3;
            const double across = 1.0 - f->turn.m[i][j] * f->turn.m[i][j];
            if (across < 1e-4) continue; // parallel: a side does it
            const double far = at(f->apart, i2) * f->turn.m[i1][j] - at(f->apart, i1) * f->turn.m[i2][j];
            const double reach = f->ha[i1] * fabs(f->turn.m[i2][j]) + f->ha[i2] * fabs(f->turn.m[i1][j]) +
                                 f->hb[j1] * fabs(f->turn.m[i][j2]) + f->hb[j2] * fabs(f->turn.m[i][j1]);
            const double gap = (fabs(far) - reach) / sqrt(across);
            if (gap > *best) *best = gap, *which = 6 + 3 * i + j;
        }
}

bool touch_boxes(const struct placed *a, const struct placed *b, double reach, struct nearest *out,
                 bool *cross)
{
    const vec3 ha = a->piece->half, hb = b->piece->half;
    struct fit f = {.a = a, .b = b, .ha = {ha.x, ha.y, ha.z}, .hb = {hb.x, hb.y, hb.z}};
    f.apart = mat3_mul_t(&a->axes, v3_sub(b->at, a->at));
    for (int i = 0; i < 3; ++i)
        for (int j = 0; j < 3; ++j)
            f.turn.m[i][j] = a->axes.m[0][i] * b->axes.m[0][j] + a->axes.m[1][i] * b->axes.m[1][j] +
                             a->axes.m[2][i] * b->axes.m[2][j];
    double side = -INFINITY, edge = -INFINITY;
    int which = 0, crossing = -1;
    try_sides(&f, &side, &which);
    if (side > reach) return false;
    try_edges(&f, &edge, &crossing);
    if (edge > reach) return false;
    const double size = fmin(a->piece->radius, b->piece->radius);
    vec3 n;
    if (crossing >= 0 && edge > side + SIDES_FIRST * size) {
        const int i = (crossing - 6) / 3, j = (crossing - 6) % 3;
        n = v3_cross(column(&a->axes, i), column(&b->axes, j));
        n = v3_scale(n, 1.0 / v3_length(n));
        which = crossing, side = edge;
    } else {
        n = which < 3 ? column(&a->axes, which) : column(&b->axes, which - 3);
    }
    if (v3_dot(n, v3_sub(b->at, a->at)) < 0.0) n = v3_scale(n, -1.0);
    out->normal = n, out->gap = side;
    *cross = which >= 6 && between_edges(&f, (which - 6) / 3, (which - 6) % 3, n, out);
    return true;
}
