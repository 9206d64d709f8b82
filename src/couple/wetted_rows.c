// The wet part of a hull: pressure, drag and lift, four triangles at a time.
//
// Only tiles that the surface cuts are looked at triangle by triangle. A dry one counts for nothing, and the
// pressure on a wet one is linear in the plane, with factors that were summed when the hull was made. Pressure
// on a triangle with depths d at its corners: with p = rho g d linear,
//
//     F = -rho g n A (d0+d1+d2)/3,   int d r dA = A/12 [(sum d)(sum r) + sum d_i r_i]
//
// Across the surface one corner is alone on its side. With the parts t, u of its edges up to the surface, the
// triangle there has the part t u of the area, and the depths d, 0, 0. Either that is the wet part, or the whole
// without it is.
//
// Drag and lift on wet facets, u the speed of the hull through the water:
//
//     drag -1/2 rho C_D A_eff |u| u,   lift -1/2 rho C_L A_eff |u| (u x (n x u)/|n x u|),
//     A_eff = A max(0, omega n.u/|u| + 1 - omega)
//
// after [chentanez2010], without its cut at n.u = 0, which makes side faces flicker. Since u = v + w x r,
// all of the drag follows from sums of k, k r and k r r^T; so does what it does to the six motions.
//
// Deep tiles that are nearly flat, turn slowly and look wholly into the stream, or wholly away from it, are one facet
// each: A_eff is linear in the normal then.
//
// In double: the forces on a body with a mirror have to cancel. Lanes are added in one order.
#include "wetted_rows.h"

#define STILL 1e-9 // [m/s]
#define FLAT  0.5 // sine of the angle between a tile's normals and their mean, up to which lift is near enough
#define TURN  0.05 // of the speed by which the points of a tile may differ

typedef double four __attribute__((vector_size(32)));
typedef long long ifour __attribute__((vector_size(32)));

struct vec3w {
    four x, y, z;
};

static inline four only(ifour where, four a) { return (four)(where & (ifour)a); }
static inline four pick(ifour where, four a, four b)
{
    return (four)((where & (ifour)a) | (~where & (ifour)b));
}
static inline struct vec3w pick3(ifour where, struct vec3w a, struct vec3w b)
{
    return (struct vec3w){pick(where, a.x, b.x), pick(where, a.y, b.y), pick(where, a.z, b.z)};
}
static inline struct vec3w plus(struct vec3w a, struct vec3w b)
{
    return (struct vec3w){a.x + b.x, a.y + b.y, a.z + b.z};
}
static inline struct vec3w minus(struct vec3w a, struct vec3w b)
{
    return (struct vec3w){a.x - b.x, a.y - b.y, a.z - b.z};
}
static inline struct vec3w scaled(struct vec3w a, four k)
{
    return (struct vec3w){k * a.x, k * a.y, k * a.z};
}
static inline struct vec3w cross(struct vec3w a, struct vec3w b)
{
    return (struct vec3w){a.y * b.z - a.z * b.y, a.z * b.x - a.x * b.z, a.x * b.y - a.y * b.x};
}
static inline four dot(struct vec3w a, struct vec3w b) { return a.x * b.x + a.y * b.y + a.z * b.z; }
static inline four root(four a) { return (four){sqrt(a[0]), sqrt(a[1]), sqrt(a[2]), sqrt(a[3])}; }
static inline bool any(ifour where) { return (where[0] | where[1] | where[2] | where[3]) != 0; }
static inline double sum(four a) { return (a[0] + a[1]) + (a[2] + a[3]); }

// Four wet facets.
struct facets {
    struct vec3w normal, centre;
    four area;
};

struct sums {
    struct facets tiles; // that count as one facet each, until there are four
    int tile_count;
    four k, kr[3], krr[6], lift[3], lift_at[3];
    struct vec3w pressure, torque; // of triangles that were looked at one by one, without the factor -1/12
};

static inline void rub(const struct stream *s, const struct facets *f, struct sums *to)
{
    const struct vec3w n = f->normal, r = f->centre;
    const struct vec3w u = {s->velocity.x + s->spin.y * r.z - s->spin.z * r.y,
                            s->velocity.y + s->spin.z * r.x - s->spin.x * r.z,
                            s->velocity.z + s->spin.x * r.y - s->spin.y * r.x};
    const four fast = root(dot(u, u));
    const four facing = s->facing * dot(n, u) + (1.0 - s->facing) * fast;
    const four swept = only((fast > STILL) & (facing > 0.0), f->area * facing); // A_eff |u|
    const four k = s->drag * swept;
    const four kx = k * r.x, ky = k * r.y, kz = k * r.z;
    to->k += k;
    to->kr[0] += kx, to->kr[1] += ky, to->kr[2] += kz;
    to->krr[0] += kx * r.x, to->krr[1] += kx * r.y, to->krr[2] += kx * r.z;
    to->krr[3] += ky * r.y, to->krr[4] += ky * r.z, to->krr[5] += kz * r.z;
    if (!(s->lift > 0.0)) return;

    const struct vec3w side = cross(n, u), way = cross(u, side);
    const four length = root(dot(side, side));
    const four part = only(length > STILL * fast, -s->lift * swept / length);
    const struct vec3w force = {part * way.x, part * way.y, part * way.z}, at = cross(r, force);
    to->lift[0] += force.x, to->lift[1] += force.y, to->lift[2] += force.z;
    to->lift_at[0] += at.x, to->lift_at[1] += at.y, to->lift_at[2] += at.z;
}

// ---- gathering ------------------------------------------------------------------------------------

#define GATHER(p, member)  ((four){p[0]->member, p[1]->member, p[2]->member, p[3]->member})
#define GATHER3(p, member) ((struct vec3w){GATHER(p, member.x), GATHER(p, member.y), GATHER(p, member.z)})

// Triangles from `first` on, four or what there is before `end`; lanes beyond have no area.
static inline struct facets load(const struct hull *h, int first, int end, const struct facet *f[4])
{
    static const struct facet none;
    for (int l = 0; l < 4; ++l) f[l] = first + l < end ? &h->facets[first + l] : &none;
    return (struct facets){GATHER3(f, normal), {{0}, {0}, {0}}, GATHER(f, area)};
}

static inline struct vec3w corner(const struct hull *h, int first, int end, int k)
{
    const vec3 *v[4];
    for (int l = 0; l < 4; ++l) v[l] = &h->vertices[h->triangles[first + l < end ? first + l : first][k]];
    return (struct vec3w){GATHER(v, x), GATHER(v, y), GATHER(v, z)};
}

// ---- cutting --------------------------------------------------------------------------------------

// Pressure on triangles with depths d at corners r, and what of them is wet. `f` comes whole.
static inline void press(const struct vec3w r[3], const four d[3], struct facets *f, struct sums *to)
{
    const ifour w0 = d[0] >= 0.0, w1 = d[1] >= 0.0, w2 = d[2] >= 0.0;
    const ifour mixed = (w0 ^ w1) | (w0 ^ w2), first = (w0 ^ w1) & (w0 ^ w2), second = (w1 ^ w0) & (w1 ^ w2);
    const struct vec3w corners = plus(r[0], plus(r[1], r[2]));
    const four depth = d[0] + d[1] + d[2], full = f->area;
    struct vec3w moment = scaled(corners, depth);
    for (int k = 0; k < 3; ++k) moment = plus(moment, scaled(r[k], d[k]));
    f->centre = scaled(corners, (four){0} + 1.0 / 3.0);
    if (!any(mixed)) {
        f->area = only(w0, full);
        to->pressure = plus(to->pressure, scaled(f->normal, 4.0 * f->area * depth));
        to->torque = plus(to->torque, scaled(cross(moment, f->normal), f->area));
        return;
    }
    // The corner that is alone, k, and the next ones.
    const four dk = pick(first, d[0], pick(second, d[1], d[2])),
               dl = pick(first, d[1], pick(second, d[2], d[0])),
               dm = pick(first, d[2], pick(second, d[0], d[1]));
    const struct vec3w rk = pick3(first, r[0], pick3(second, r[1], r[2])),
                       rl = pick3(first, r[1], pick3(second, r[2], r[0])),
                       rm = pick3(first, r[2], pick3(second, r[0], r[1]));
    const four to_l = dk - dl, to_m = dk - dm, per = dk / (to_l * to_m);
    const four t = only(mixed, per * to_m), u = only(mixed, per * to_l); // dk/(dk - dl), dk/(dk - dm)
    const ifour little = dk >= 0.0;                                      // it is the wet one
    const four part = full * t * u, off = pick(little, part, -part),
               whole = only(~(mixed & little) & (mixed | w0), full);
    const struct vec3w edges = plus(scaled(minus(rl, rk), t), scaled(minus(rm, rk), u));
    const struct vec3w there = plus(rk, scaled(edges, (four){0} + 1.0 / 3.0));
    const struct vec3w moment_off = scaled(plus(edges, scaled(rk, (four){0} + 4.0)), off * dk);
    const four area = whole + off;
    const ifour some = area > 1e-12 * full; // else rounding
    to->pressure = plus(to->pressure, scaled(f->normal, 4.0 * (whole * depth + off * dk)));
    to->torque = plus(to->torque, cross(plus(scaled(moment, whole), moment_off), f->normal));
    const struct vec3w sum_at = plus(scaled(f->centre, whole), scaled(there, off));
    f->centre = pick3(some, scaled(sum_at, 1.0 / area), f->centre);
    f->area = only(some, area);
}

static void cut_tile(const struct hull *h, const struct tile *tile, const struct dip *dip,
                     const struct stream *s, struct sums *to)
{
    const int end = tile->first + tile->count;
    for (int t = tile->first; t < end; t += 4) {
        const struct vec3w r[3] = {corner(h, t, end, 0), corner(h, t, end, 1), corner(h, t, end, 2)};
        four d[3];
        for (int k = 0; k < 3; ++k)
            d[k] = dip->start + (dip->slope.x * r[k].x + dip->slope.y * r[k].y + dip->slope.z * r[k].z);
        if (!any((d[0] >= 0.0) | (d[1] >= 0.0) | (d[2] >= 0.0))) continue;
        const struct facet *list[4];
        struct facets f = load(h, t, end, list);
        press(r, d, &f, to);
        rub(s, &f, to);
    }
}

static vec3 times(const double m[3][3], vec3 v)
{
    return v3(m[0][0] * v.x + m[0][1] * v.y + m[0][2] * v.z, m[1][0] * v.x + m[1][1] * v.y + m[1][2] * v.z,
              m[2][0] * v.x + m[2][1] * v.y + m[2][2] * v.z);
}

// How a deep tile meets the stream: 1 with all of it, -1 with nothing of it, 0 it takes a closer look.
static int meets(const struct tile *tile, const struct stream *s)
{
    const vec3 u = v3_add(s->velocity, v3_cross(s->spin, tile->middle));
    const double fast = v3_length(u), turned = v3_length(s->spin) * v3_length(tile->half);
    if (tile->open > FLAT || !(fast > STILL) || turned > TURN * fast) return 0;
    // The angles from the stream to the normals lie within those of the mean, the open one more or less; TURN beside.
    const double open = fmin(1.0, tile->open + TURN), narrow = sqrt(1.0 - open * open);
    const double along = v3_dot(tile->axis, u) / fast, across = sqrt(fmax(0.0, 1.0 - along * along));
    const double least = along > -narrow ? along * narrow - across * open : -1.0;
    const double most = along < narrow ? along * narrow + across * open : 1.0;
    if (s->facing * least + (1.0 - s->facing) > 0.0) return 1;
    return s->facing * most + (1.0 - s->facing) < 0.0 ? -1 : 0;
}

static void rub_tiles(const struct stream *s, struct sums *to)
{
    rub(s, &to->tiles, to);
    to->tiles = (struct facets){0};
    to->tile_count = 0;
}

static void add_tile(const struct tile *tile, const struct stream *s, struct sums *to)
{
    struct facets *f = &to->tiles;
    const int l = to->tile_count++;
    const double per = 1.0 / tile->surface; // shorter than 1, which is what makes the sum exact
    f->normal.x[l] = per * tile->area.x, f->normal.y[l] = per * tile->area.y,
    f->normal.z[l] = per * tile->area.z;
    f->centre.x[l] = tile->middle.x, f->centre.y[l] = tile->middle.y, f->centre.z[l] = tile->middle.z;
    f->area[l] = tile->surface;
    if (to->tile_count == 4) rub_tiles(s, to);
}

// A tile under water: with d = start + slope . r,  F = -int n d dA,  T = -int (r x n) d dA.
static void sink_tile(const struct hull *h, const struct tile *tile, const struct dip *dip,
                      const struct stream *s, struct sums *to, struct rubbed *out)
{
    const int end = tile->first + tile->count;
    out->pressure =
        v3_sub(out->pressure, v3_add(v3_scale(tile->area, dip->start), times(tile->arm, dip->slope)));
    out->pressure_torque = v3_sub(out->pressure_torque,
                                  v3_add(v3_scale(tile->lever, dip->start), times(tile->twist, dip->slope)));
    const int meet = meets(tile, s);
    if (meet > 0) add_tile(tile, s, to);
    for (int t = tile->first; meet == 0 && t < end; t += 4) {
        const struct facet *list[4];
        struct facets f = load(h, t, end, list);
        f.centre = GATHER3(list, centre);
        rub(s, &f, to);
    }
}

static vec3 sum3(struct vec3w a) { return v3(sum(a.x), sum(a.y), sum(a.z)); }

static void cut(const struct hull *h, const struct dip *dip, const struct stream *s, struct rubbed *out)
{
    struct sums t = {0};
    *out = (struct rubbed){0};
    for (int k = 0; k < h->tile_count; ++k) {
        const struct tile *tile = &h->tiles[k];
        const vec3 half = tile->half, slope = dip->slope;
        const double depth = dip->start + v3_dot(slope, tile->centre);
        const double range = fabs(slope.x) * half.x + fabs(slope.y) * half.y + fabs(slope.z) * half.z;
        if (depth > range)
            sink_tile(h, tile, dip, s, &t, out);
        else if (depth >= -range)
            cut_tile(h, tile, dip, s, &t);
    }
    if (t.tile_count) rub_tiles(s, &t);
    out->pressure = v3_madd(out->pressure, -1.0 / 12.0, sum3(t.pressure));
    out->pressure_torque = v3_madd(out->pressure_torque, -1.0 / 12.0, sum3(t.torque));
    out->k = sum(t.k);
    for (int n = 0; n < 6; ++n) out->krr[n] = sum(t.krr[n]);
    for (int n = 0; n < 3; ++n)
        out->kr[n] = sum(t.kr[n]), out->lift[n] = sum(t.lift[n]), out->lift_at[n] = sum(t.lift_at[n]);
}

const struct wetted_kernels KERNELS(wetted_kernels) = {cut};
