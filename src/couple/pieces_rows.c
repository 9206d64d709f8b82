// A triangle that lies within two by two columns is shared out among them without clipping polygons.
//
// A line that cuts a triangle leaves one corner L alone on its side. With the parts t, t' of the two edges
// from L up to the line, the triangle on that side has the part t t' of the whole area and the mean height
// of its corners. So three such cuts are enough: the whole by the line z = 1, the whole by x = 1, and what
// the latter cuts off by z = 1 again. The rest is differences.
//
//      z = 2 +-----+-----+
//            |     |     |     whole:     south + north
//      z = 1 +-----+-----+     cut off:   south + north
//            |     |     |     rest:      whole - cut off
//      z = 0 +-----+-----+
//          x = 0   1     2
//
// No lane takes another way than the others. Plain vectors: gcc and clang make of them what the machine has.
#include "pieces_rows.h"

#include <string.h>

typedef float wide __attribute__((vector_size(4 * LANES)));
typedef int iwide __attribute__((vector_size(4 * LANES)));
typedef double four __attribute__((vector_size(32)));
typedef float four_f __attribute__((vector_size(16)));
typedef int four_i __attribute__((vector_size(16)));

static inline wide load(const float *x)
{
    wide v;
    memcpy(&v, x, sizeof v);
    return v;
}
static inline void store(float *x, wide v) { memcpy(x, &v, sizeof v); }
static inline wide pick(iwide where, wide a, wide b)
{
    return (wide)((where & (iwide)a) | (~where & (iwide)b));
}
static inline wide only(iwide where, wide a) { return (wide)(where & (iwide)a); }

// How a line at 0 cuts a triangle with corners at d.
struct alone {
    iwide first, second; // which corner is alone: the first, the second, or else the third
    iwide high;          // ... on the far side; where the line misses, the near side has all but nothing
    wide t, u; // parts of the edges to the next corner and to the one after; 0 where the line misses
};

static inline void turn(const struct alone *a, const wide c[3], wide out[3])
{
    out[0] = pick(a->first, c[0], pick(a->second, c[1], c[2]));
    out[1] = pick(a->first, c[1], pick(a->second, c[2], c[0]));
    out[2] = pick(a->first, c[2], pick(a->second, c[0], c[1]));
}

static inline struct alone find_alone(const wide d[3])
{
    const iwide b0 = d[0] <= 0.0f, b1 = d[1] <= 0.0f, b2 = d[2] <= 0.0f;
    struct alone a = {.first = (b0 ^ b1) & (b0 ^ b2), .second = (b1 ^ b0) & (b1 ^ b2)};
    const iwide cut = (b0 ^ b1) | (b0 ^ b2);
    wide c[3];
    turn(&a, d, c);
    a.high = (c[0] > 0.0f) ^ ~cut;
    a.t = only(cut, c[0] / (c[0] - c[1]));
    a.u = only(cut, c[0] / (c[0] - c[2]));
    return a;
}

// Area and integral of the height of a part.
struct part {
    wide area, height;
};

static inline struct part minus(struct part a, struct part b)
{
    return (struct part){a.area - b.area, a.height - b.height};
}
static inline struct part choose(iwide where, struct part a, struct part b)
{
    return (struct part){pick(where, a.area, b.area), pick(where, a.height, b.height)};
}

// The part of a triangle below z = 1.
static inline struct part south_of(const wide z[3], const wide y[3], struct part whole)
{
    const wide d[3] = {z[0] - 1.0f, z[1] - 1.0f, z[2] - 1.0f};
    const struct alone a = find_alone(d);
    wide h[3];
    turn(&a, y, h);
    const wide area = whole.area * a.t * a.u;
    const wide mean = h[0] + (a.t * (h[1] - h[0]) + a.u * (h[2] - h[0])) * (1.0f / 3.0f);
    const struct part off = {area, area * mean};
    return choose(a.high, minus(whole, off), off);
}

static inline void put(struct shares *out, int at, struct part p)
{
    store(out->area[at], p.area);
    store(out->height[at], p.height);
}

// Parts of triangles over two by two columns.
static inline void share_wide(const wide x[3], const wide z[3], const wide y[3], struct part out[4])
{
    const wide area = 0.5f * ((x[1] - x[0]) * (z[2] - z[0]) - (x[2] - x[0]) * (z[1] - z[0]));
    const struct part whole = {area, area * (y[0] + y[1] + y[2]) * (1.0f / 3.0f)};
    const struct part south = south_of(z, y, whole);

    const wide d[3] = {x[0] - 1.0f, x[1] - 1.0f, x[2] - 1.0f};
    const struct alone a = find_alone(d);
    wide w[3], h[3];
    turn(&a, z, w);
    turn(&a, y, h);
    w[1] = w[0] + a.t * (w[1] - w[0]), w[2] = w[0] + a.u * (w[2] - w[0]);
    h[1] = h[0] + a.t * (h[1] - h[0]), h[2] = h[0] + a.u * (h[2] - h[0]);
    const wide off_area = area * a.t * a.u;
    const struct part off = {off_area, off_area * (h[0] + h[1] + h[2]) * (1.0f / 3.0f)};
    const struct part off_south = south_of(w, h, off);

    const struct part rest_south = minus(south, off_south);
    const struct part off_north = minus(off, off_south), rest_north = minus(minus(whole, south), off_north);
    out[0] = choose(a.high, rest_south, off_south);
    out[1] = choose(a.high, off_south, rest_south);
    out[2] = choose(a.high, rest_north, off_north);
    out[3] = choose(a.high, off_north, rest_north);
}

static void share(const struct eight *in, struct shares *out)
{
    const wide x[3] = {load(in->x[0]), load(in->x[1]), load(in->x[2])};
    const wide z[3] = {load(in->z[0]), load(in->z[1]), load(in->z[2])};
    const wide y[3] = {load(in->y[0]), load(in->y[1]), load(in->y[2])};
    struct part parts[4];
    share_wide(x, z, y, parts);
    for (int k = 0; k < 4; ++k) put(out, k, parts[k]);
}

// ---- triangles of a hull -------------------------------------------------------------------------

static inline wide least(wide a, wide b) { return pick(a < b, a, b); }
static inline wide most(wide a, wide b) { return pick(a > b, a, b); }
static inline wide whole_part(wide a) // of numbers that are not negative
{
    return __builtin_convertvector(__builtin_convertvector(a, iwide), wide);
}

// One corner of eight triangles.
static inline void gather(const struct corner *const at[LANES], wide *x, wide *z, wide *y)
{
    four_f half[3][2];
    for (int k = 0; k < 2; ++k) {
        four_f r[4];
        for (int l = 0; l < 4; ++l) memcpy(&r[l], at[4 * k + l], sizeof r[l]);
        const four_f xz0 = __builtin_shufflevector(r[0], r[1], 0, 4, 1, 5);
        const four_f xz1 = __builtin_shufflevector(r[2], r[3], 0, 4, 1, 5);
        const four_f y0 = __builtin_shufflevector(r[0], r[1], 2, 6, 3, 7);
        const four_f y1 = __builtin_shufflevector(r[2], r[3], 2, 6, 3, 7);
        half[0][k] = __builtin_shufflevector(xz0, xz1, 0, 1, 4, 5);
        half[1][k] = __builtin_shufflevector(xz0, xz1, 2, 3, 6, 7);
        half[2][k] = __builtin_shufflevector(y0, y1, 0, 1, 4, 5);
    }
    *x = __builtin_shufflevector(half[0][0], half[0][1], 0, 1, 2, 3, 4, 5, 6, 7);
    *z = __builtin_shufflevector(half[1][0], half[1][1], 0, 1, 2, 3, 4, 5, 6, 7);
    *y = __builtin_shufflevector(half[2][0], half[2][1], 0, 1, 2, 3, 4, 5, 6, 7);
}

// Eight triangles: which of them fit, their first columns, and their parts with heights from `base`.
struct octet {
    iwide fits, cell;
    wide base;
    struct part parts[4];
};

static inline void share_eight(const struct footprint *p, const struct corner *c, const int *const t[LANES],
                               struct octet *out)
{
    wide x[3], z[3], y[3];
    for (int k = 0; k < 3; ++k) {
        const struct corner *const at[LANES] = {c + t[0][k], c + t[1][k], c + t[2][k], c + t[3][k],
                                                c + t[4][k], c + t[5][k], c + t[6][k], c + t[7][k]};
        gather(at, &x[k], &z[k], &y[k]);
    }
    const wide i = whole_part(least(least(x[0], x[1]), x[2])), j = whole_part(least(least(z[0], z[1]), z[2]));
    const wide x1 = most(most(x[0], x[1]), x[2]) - i, z1 = most(most(z[0], z[1]), z[2]) - j;
    out->base = y[0];
    for (int k = 0; k < 3; ++k) x[k] -= i, z[k] -= j, y[k] -= out->base;
    share_wide(x, z, y, out->parts);
    out->cell = (__builtin_convertvector(j, iwide) - p->skip_j) * p->ni +
                (__builtin_convertvector(i, iwide) - p->skip_i);
    out->fits = (x1 <= 2.0f) & (z1 <= 2.0f);
}

// What one triangle gives to its four columns.
struct gift {
    float area[4][LANES], height[4][LANES]; // height: integral for a deep one, mean for one near the surface
    float down[4][LANES];
};

static inline void wrap_up(const struct octet *o, enum where where, struct gift *g)
{
    const struct part *p = o->parts;
    const iwide down = p[0].area + p[1].area + p[2].area + p[3].area > 0.0f;
    for (int k = 0; k < 4; ++k) {
        store(g->area[k], p[k].area);
        store(g->down[k], only(down, p[k].area));
        if (where == IS_DEEP) store(g->height[k], p[k].height + p[k].area * o->base);
        if (where == IS_NEAR) store(g->height[k], p[k].height / p[k].area + o->base);
    }
}

static inline void give_deep(const struct gift *g, int lane, const int to[4], struct shadow *at)
{
    for (int k = 0; k < 4; ++k) {
        struct shadow *s = at + to[k];
        s->deep[0] += (double)g->area[k][lane];
        s->deep[1] += (double)g->height[k][lane];
        s->down += g->down[k][lane];
    }
}

static inline void give_near(struct footprint *p, const struct gift *g, int lane, const int to[4],
                             struct shadow *at)
{
    for (int k = 0; k < 4; ++k) {
        struct shadow *s = at + to[k];
        const float area = g->area[k][lane];
        if (fabsf(area) < LEAST_SHARE) continue;
        p->pieces[p->piece_count++] = (struct scrap){area, g->height[k][lane], s->first};
        s->first = p->piece_count;
        s->down += g->down[k][lane];
    }
}

static int pour(struct footprint *p, const struct corner *c, const int (*triangles)[3], const int *list,
                int count, enum where where, int *left)
{
    const int to[4] = {0, 1, p->ni, p->ni + 1};
    int left_count = 0;
    for (int n = 0; n < count; n += LANES) {
        const int *t[LANES];
        struct octet o;
        struct gift g;
        for (int l = 0; l < LANES; ++l) t[l] = triangles[list[n + l < count ? n + l : n]];
        share_eight(p, c, t, &o);
        wrap_up(&o, where, &g);
        for (int l = 0; l < LANES && n + l < count; ++l) {
            struct shadow *at = &p->shadows[o.cell[l]];
            if (!o.fits[l])
                left[left_count++] = list[n + l];
            else if (where == IS_DEEP)
                give_deep(&g, l, to, at);
            else if (where == IS_NEAR)
                give_near(p, &g, l, to, at);
            else
                for (int k = 0; k < 4; ++k) at[to[k]].down += g.down[k][l];
        }
    }
    return left_count;
}

static void place(const vec3 *v, int count, const double map[4][4], float edge, struct corner *out,
                  float low[4], float high[4])
{
    const four x = {map[0][0], map[1][0], map[2][0], map[3][0]};
    const four y = {map[0][1], map[1][1], map[2][1], map[3][1]};
    const four z = {map[0][2], map[1][2], map[2][2], map[3][2]};
    const four one = {map[0][3], map[1][3], map[2][3], map[3][3]};
    four_f least = {INFINITY, INFINITY, INFINITY, INFINITY}, most = -least;
    for (int k = 0; k < count; ++k) {
        const four at = one + x * v[k].x + y * v[k].y + z * v[k].z;
        const four_f c = __builtin_convertvector(at, four_f);
        const four_i less = c<least, more = c> most;
        least = (four_f)((less & (four_i)c) | (~less & (four_i)least));
        most = (four_f)((more & (four_i)c) | (~more & (four_i)most));
        memcpy(&out[k], &c, sizeof c);
        out[k].where = (c[3] > edge) * IS_DRY + (c[3] < -edge) * IS_DEEP;
    }
    memcpy(low, &least, sizeof least);
    memcpy(high, &most, sizeof most);
}

const struct pieces_kernels KERNELS(pieces_kernels) = {place, share, pour};
