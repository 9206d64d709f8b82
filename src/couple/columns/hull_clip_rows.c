// Clips triangles that lie within 2 x 2 columns without building polygons.
//
// A line that cuts a triangle leaves one vertex L alone on its side. With the fractions t, u of the two edges
// from L up to the line, the triangle on that side has the fraction t u of the whole area and the mean height
// of its vertices. So three cuts are enough: the whole by the line z = 1, the whole by x = 1, and the
// triangle cut off by the latter by z = 1 again. The other areas are differences.
//
//      z = 2 +-----+-----+
//            |     |     |     whole:     south + north
//      z = 1 +-----+-----+     cut off:   south + north
//            |     |     |     rest:      whole - cut off
//      z = 0 +-----+-----+
//          x = 0   1     2
//
// All lanes execute the same operations. Vector extensions of gcc and clang, for any instruction set.
#include "hull_clip_rows.h"

#include "base/parallel/simd.h"

#include <string.h>

static inline f32x8 load(const float *x)
{
    f32x8 v;
    memcpy(&v, x, sizeof v);
    return v;
}
static inline void store(float *x, f32x8 v) { memcpy(x, &v, sizeof v); }
static inline f32x8 select(i32x8 mask, f32x8 a, f32x8 b)
{
    return (f32x8)((mask & (i32x8)a) | (~mask & (i32x8)b));
}
static inline f32x8 mask_lanes(i32x8 mask, f32x8 a) { return (f32x8)(mask & (i32x8)a); }

// Cut of a triangle with signed distances d of its vertices from a line.
struct line_cut {
    i32x8 is_first, is_second; // the lone vertex: the first, the second, or else the third
    i32x8 is_above; // the lone vertex is above the line; where the line misses, one side has zero area
    f32x8 t, u;     // fractions of its edges to the next vertex and the one after; 0 where the line misses
};

static inline void rotate_to_lone(const struct line_cut *a, const f32x8 c[3], f32x8 out[3])
{
    out[0] = select(a->is_first, c[0], select(a->is_second, c[1], c[2]));
    out[1] = select(a->is_first, c[1], select(a->is_second, c[2], c[0]));
    out[2] = select(a->is_first, c[2], select(a->is_second, c[0], c[1]));
}

static inline struct line_cut cut_by_line(const f32x8 d[3])
{
    const i32x8 b0 = d[0] <= 0.0f, b1 = d[1] <= 0.0f, b2 = d[2] <= 0.0f;
    struct line_cut a = {.is_first = (b0 ^ b1) & (b0 ^ b2), .is_second = (b1 ^ b0) & (b1 ^ b2)};
    const i32x8 cut = (b0 ^ b1) | (b0 ^ b2);
    f32x8 c[3];
    rotate_to_lone(&a, d, c);
    a.is_above = (c[0] > 0.0f) ^ ~cut;
    a.t = mask_lanes(cut, c[0] / (c[0] - c[1]));
    a.u = mask_lanes(cut, c[0] / (c[0] - c[2]));
    return a;
}

// Area and integral of the height of a part.
struct area_moment {
    f32x8 area, moment;
};

static inline struct area_moment subtract(struct area_moment a, struct area_moment b)
{
    return (struct area_moment){a.area - b.area, a.moment - b.moment};
}
static inline struct area_moment select_moment(i32x8 mask, struct area_moment a, struct area_moment b)
{
    return (struct area_moment){select(mask, a.area, b.area), select(mask, a.moment, b.moment)};
}

// The part of a triangle below z = 1.
static inline struct area_moment below_line(const f32x8 z[3], const f32x8 y[3], struct area_moment whole)
{
    const f32x8 d[3] = {z[0] - 1.0f, z[1] - 1.0f, z[2] - 1.0f};
    const struct line_cut a = cut_by_line(d);
    f32x8 h[3];
    rotate_to_lone(&a, y, h);
    const f32x8 area = whole.area * a.t * a.u;
    const f32x8 mean = h[0] + (a.t * (h[1] - h[0]) + a.u * (h[2] - h[0])) * (1.0f / 3.0f);
    const struct area_moment off = {area, area * mean};
    return select_moment(a.is_above, subtract(whole, off), off);
}

static inline void store_moment(struct cell_shares *out, int at, struct area_moment p)
{
    store(out->area[at], p.area);
    store(out->height[at], p.moment);
}

// Parts of triangles over two by two columns.
static inline void split_lanes_2x2(const f32x8 x[3], const f32x8 z[3], const f32x8 y[3],
                                   struct area_moment out[4])
{
    const f32x8 area = 0.5f * ((x[1] - x[0]) * (z[2] - z[0]) - (x[2] - x[0]) * (z[1] - z[0]));
    const struct area_moment whole = {area, area * (y[0] + y[1] + y[2]) * (1.0f / 3.0f)};
    const struct area_moment south = below_line(z, y, whole);

    const f32x8 d[3] = {x[0] - 1.0f, x[1] - 1.0f, x[2] - 1.0f};
    const struct line_cut a = cut_by_line(d);
    f32x8 w[3], h[3];
    rotate_to_lone(&a, z, w);
    rotate_to_lone(&a, y, h);
    w[1] = w[0] + a.t * (w[1] - w[0]), w[2] = w[0] + a.u * (w[2] - w[0]);
    h[1] = h[0] + a.t * (h[1] - h[0]), h[2] = h[0] + a.u * (h[2] - h[0]);
    const f32x8 off_area = area * a.t * a.u;
    const struct area_moment off = {off_area, off_area * (h[0] + h[1] + h[2]) * (1.0f / 3.0f)};
    const struct area_moment off_south = below_line(w, h, off);

    const struct area_moment rest_south = subtract(south, off_south);
    const struct area_moment off_north = subtract(off, off_south),
                             rest_north = subtract(subtract(whole, south), off_north);
    out[0] = select_moment(a.is_above, rest_south, off_south);
    out[1] = select_moment(a.is_above, off_south, rest_south);
    out[2] = select_moment(a.is_above, rest_north, off_north);
    out[3] = select_moment(a.is_above, off_north, rest_north);
}

static void split_2x2(const struct triangle_lanes *in, struct cell_shares *out)
{
    const f32x8 x[3] = {load(in->x[0]), load(in->x[1]), load(in->x[2])};
    const f32x8 z[3] = {load(in->z[0]), load(in->z[1]), load(in->z[2])};
    const f32x8 y[3] = {load(in->y[0]), load(in->y[1]), load(in->y[2])};
    struct area_moment parts[4];
    split_lanes_2x2(x, z, y, parts);
    for (int k = 0; k < 4; ++k) store_moment(out, k, parts[k]);
}

// ---- triangles of a hull -------------------------------------------------------------------------

static inline f32x8 min_lanes(f32x8 a, f32x8 b) { return select(a < b, a, b); }
static inline f32x8 max_lanes(f32x8 a, f32x8 b) { return select(a > b, a, b); }
static inline f32x8 floor_lanes(f32x8 a) // of numbers that are not negative
{
    return __builtin_convertvector(__builtin_convertvector(a, i32x8), f32x8);
}

// One vertex of eight triangles.
static inline void gather_vertices(const struct column_vertex *const at[CLIP_LANES], f32x8 *x, f32x8 *z,
                                   f32x8 *y)
{
    f32x4 half[3][2];
    for (int k = 0; k < 2; ++k) {
        f32x4 r[4];
        for (int l = 0; l < 4; ++l) memcpy(&r[l], at[4 * k + l], sizeof r[l]);
        const f32x4 xz0 = __builtin_shufflevector(r[0], r[1], 0, 4, 1, 5);
        const f32x4 xz1 = __builtin_shufflevector(r[2], r[3], 0, 4, 1, 5);
        const f32x4 y0 = __builtin_shufflevector(r[0], r[1], 2, 6, 3, 7);
        const f32x4 y1 = __builtin_shufflevector(r[2], r[3], 2, 6, 3, 7);
        half[0][k] = __builtin_shufflevector(xz0, xz1, 0, 1, 4, 5);
        half[1][k] = __builtin_shufflevector(xz0, xz1, 2, 3, 6, 7);
        half[2][k] = __builtin_shufflevector(y0, y1, 0, 1, 4, 5);
    }
    *x = __builtin_shufflevector(half[0][0], half[0][1], 0, 1, 2, 3, 4, 5, 6, 7);
    *z = __builtin_shufflevector(half[1][0], half[1][1], 0, 1, 2, 3, 4, 5, 6, 7);
    *y = __builtin_shufflevector(half[2][0], half[2][1], 0, 1, 2, 3, 4, 5, 6, 7);
}

// Eight triangles: whether they fit into 2 x 2 columns, their first columns, and their parts with heights
// from `base`.
struct split_lanes {
    i32x8 fits, cell;
    f32x8 base;
    struct area_moment parts[4];
};

static inline void split_triangles(const struct clip_target *p, const struct column_vertex *c,
                                   const int *const t[CLIP_LANES], struct split_lanes *out)
{
    f32x8 x[3], z[3], y[3];
    for (int k = 0; k < 3; ++k) {
        const struct column_vertex *const at[CLIP_LANES] = {c + t[0][k], c + t[1][k], c + t[2][k],
                                                            c + t[3][k], c + t[4][k], c + t[5][k],
                                                            c + t[6][k], c + t[7][k]};
        gather_vertices(at, &x[k], &z[k], &y[k]);
    }
    const f32x8 i = floor_lanes(min_lanes(min_lanes(x[0], x[1]), x[2])),
                j = floor_lanes(min_lanes(min_lanes(z[0], z[1]), z[2]));
    const f32x8 x1 = max_lanes(max_lanes(x[0], x[1]), x[2]) - i,
                z1 = max_lanes(max_lanes(z[0], z[1]), z[2]) - j;
    out->base = y[0];
    for (int k = 0; k < 3; ++k) x[k] -= i, z[k] -= j, y[k] -= out->base;
    split_lanes_2x2(x, z, y, out->parts);
    out->cell = (__builtin_convertvector(j, i32x8) - p->origin_j) * p->ni +
                (__builtin_convertvector(i, i32x8) - p->origin_i);
    out->fits = (x1 <= 2.0f) & (z1 <= 2.0f);
}

// Contributions of triangles to their four columns.
struct column_contribution {
    float area[4][CLIP_LANES];
    float height[4][CLIP_LANES]; // below the band its integral, in the band its mean
    float downward_area[4][CLIP_LANES];
};

static inline void pack_contribution(const struct split_lanes *o, enum band_side side,
                                     struct column_contribution *g)
{
    const struct area_moment *p = o->parts;
    const i32x8 down = p[0].area + p[1].area + p[2].area + p[3].area > 0.0f;
    for (int k = 0; k < 4; ++k) {
        store(g->area[k], p[k].area);
        store(g->downward_area[k], mask_lanes(down, p[k].area));
        if (side == BELOW_BAND) store(g->height[k], p[k].moment + p[k].area * o->base);
        if (side == IN_BAND) store(g->height[k], p[k].moment / p[k].area + o->base);
    }
}

static inline void add_submerged(const struct column_contribution *g, int lane, const int to[4],
                                 struct column_hull *at)
{
    for (int k = 0; k < 4; ++k) {
        struct column_hull *s = at + to[k];
        s->submerged[0] += (double)g->area[k][lane];
        s->submerged[1] += (double)g->height[k][lane];
        s->downward_area += g->downward_area[k][lane];
    }
}

static inline void add_pieces(struct clip_target *p, const struct column_contribution *g, int lane,
                              const int to[4], struct column_hull *at)
{
    for (int k = 0; k < 4; ++k) {
        struct column_hull *s = at + to[k];
        const float area = g->area[k][lane];
        if (fabsf(area) < MIN_SHARE) continue;
        p->pieces[p->piece_count++] = (struct hull_piece){area, g->height[k][lane], s->first_piece};
        s->first_piece = p->piece_count;
        s->downward_area += g->downward_area[k][lane];
    }
}

static int clip_triangles(struct clip_target *p, const struct column_vertex *c, const int (*triangles)[3],
                          const int *list, int count, enum band_side side, int *left)
{
    const int to[4] = {0, 1, p->ni, p->ni + 1};
    int left_count = 0;
    for (int n = 0; n < count; n += CLIP_LANES) {
        const int *t[CLIP_LANES];
        struct split_lanes o;
        struct column_contribution g;
        for (int l = 0; l < CLIP_LANES; ++l) t[l] = triangles[list[n + l < count ? n + l : n]];
        split_triangles(p, c, t, &o);
        pack_contribution(&o, side, &g);
        for (int l = 0; l < CLIP_LANES && n + l < count; ++l) {
            struct column_hull *at = &p->column_hulls[o.cell[l]];
            if (!o.fits[l])
                left[left_count++] = list[n + l];
            else if (side == BELOW_BAND)
                add_submerged(&g, l, to, at);
            else if (side == IN_BAND)
                add_pieces(p, &g, l, to, at);
            else
                for (int k = 0; k < 4; ++k) at[to[k]].downward_area += g.downward_area[k][l];
        }
    }
    return left_count;
}

static void transform_vertices(const vec3 *v, int count, const double map[4][4], float edge,
                               struct column_vertex *out, float low[4], float high[4])
{
    const f64x4 x = {map[0][0], map[1][0], map[2][0], map[3][0]};
    const f64x4 y = {map[0][1], map[1][1], map[2][1], map[3][1]};
    const f64x4 z = {map[0][2], map[1][2], map[2][2], map[3][2]};
    const f64x4 one = {map[0][3], map[1][3], map[2][3], map[3][3]};
    f32x4 min_lanes = {INFINITY, INFINITY, INFINITY, INFINITY}, max_lanes = -min_lanes;
    for (int k = 0; k < count; ++k) {
        const f64x4 at = one + x * v[k].x + y * v[k].y + z * v[k].z;
        const f32x4 c = __builtin_convertvector(at, f32x4);
        const i32x4 less = c<min_lanes, more = c> max_lanes;
        min_lanes = (f32x4)((less & (i32x4)c) | (~less & (i32x4)min_lanes));
        max_lanes = (f32x4)((more & (i32x4)c) | (~more & (i32x4)max_lanes));
        memcpy(&out[k], &c, sizeof c);
        out[k].band = (c[3] > edge) * ABOVE_BAND + (c[3] < -edge) * BELOW_BAND;
    }
    memcpy(low, &min_lanes, sizeof min_lanes);
    memcpy(high, &max_lanes, sizeof max_lanes);
}

const struct hull_clip_kernels KERNELS(hull_clip_kernels) = {transform_vertices, split_2x2, clip_triangles};
