// Water to body: every triangle of the hull is cut at the surface and hydrostatic pressure is integrated
// over the wet polygon in closed form. So Archimedes holds for any closed mesh, fine or coarse.
//
// All of it happens in the body's own axes: the depth below a plane is linear in any axes, so no vertex
// has to be turned, only the few sums at the end. Only tiles that the surface cuts are looked at triangle
// by triangle. A dry one counts for nothing, and the pressure on a wet one is linear in the plane, with
// factors that were summed when the hull was made.
#include "couple.h"

#include "wetted_rows.h"

#include <string.h>

static const struct wetted_kernels *kernels(void) { return KERNELS_PICK(wetted_kernels); }

// Everything in the body's axes, about its centre.
struct cut {
    double start; // depth of a point r: start + slope . r
    vec3 slope;
    // sums over the wet part
    vec3 pressure, pressure_torque; // per rho g
    struct rubbed rubbed;
};

// Pressure on a triangle with depths d at its corners: with p = rho g d linear,
//     F = -rho g n A (d0+d1+d2)/3,   int d r dA = A/12 [(sum d)(sum r) + sum d_i r_i]
// `depth` is sum d, `moment` what stands in brackets, `normal` has the length of the area.
static void press(struct cut *c, double depth, vec3 moment, vec3 normal)
{
    c->pressure = v3_madd(c->pressure, -depth / 3.0, normal);
    c->pressure_torque = v3_madd(c->pressure_torque, -1.0 / 12.0, v3_cross(moment, normal));
}

static void press_triangle(struct cut *c, const vec3 r[3], const double d[3], vec3 normal)
{
    const double depth = d[0] + d[1] + d[2];
    vec3 moment = v3_scale(v3_add(r[0], v3_add(r[1], r[2])), depth);
    for (int k = 0; k < 3; ++k) moment = v3_madd(moment, d[k], r[k]);
    press(c, depth, moment, normal);
}

// A triangle across the surface. One corner is alone on its side; with the parts t, u of its edges up to
// the surface, the triangle there has the part t u of the area, and the depths d, 0, 0. Either that is the
// wet part, or the whole without it is. Gives back what of the facet is wet.
static struct facet cut_triangle(struct cut *c, const vec3 r[3], const double d[3], const struct facet *whole)
{
    const bool wet[3] = {d[0] >= 0.0, d[1] >= 0.0, d[2] >= 0.0};
    const int k = wet[1] == wet[2] ? 0 : wet[2] == wet[0] ? 1 : 2, l = (k + 1) % 3, m = (k + 2) % 3;
    const double t = d[k] / (d[k] - d[l]), u = d[k] / (d[k] - d[m]), off = whole->area * t * u;
    const vec3 edges = v3_add(v3_scale(v3_sub(r[l], r[k]), t), v3_scale(v3_sub(r[m], r[k]), u));
    const vec3 centre = v3_madd(r[k], 1.0 / 3.0, edges);
    const vec3 moment = v3_scale(v3_madd(edges, 4.0, r[k]), d[k]);
    if (wet[k]) {
        press(c, d[k], moment, v3_scale(whole->normal, off));
        return (struct facet){whole->normal, centre, off};
    }
    press_triangle(c, r, d, v3_scale(whole->normal, whole->area));
    press(c, d[k], moment, v3_scale(whole->normal, -off));
    const double area = whole->area - off;
    if (!(area > 1e-12 * whole->area)) return (struct facet){0}; // rounding
    return (struct facet){
        whole->normal,
        v3_scale(v3_sub(v3_scale(whole->centre, whole->area), v3_scale(centre, off)), 1.0 / area), area};
}

static vec3 times(const double m[3][3], vec3 v)
{
    return v3(m[0][0] * v.x + m[0][1] * v.y + m[0][2] * v.z, m[1][0] * v.x + m[1][1] * v.y + m[1][2] * v.z,
              m[2][0] * v.x + m[2][1] * v.y + m[2][2] * v.z);
}

// A tile under water: with d = start + slope . r,  F = -int n d dA,  T = -int (r x n) d dA.
static void press_tile(struct cut *c, const struct tile *t)
{
    c->pressure = v3_sub(c->pressure, v3_add(v3_scale(t->area, c->start), times(t->arm, c->slope)));
    c->pressure_torque =
        v3_sub(c->pressure_torque, v3_add(v3_scale(t->lever, c->start), times(t->twist, c->slope)));
}

// A tile across the surface. Gives back how many of its triangles are wet, and what of them.
static int cut_tile(struct cut *c, const struct hull *h, const struct tile *tile, struct facet *wet)
{
    int count = 0;
    for (int t = tile->first; t < tile->first + tile->count; ++t) {
        const int *v = h->triangles[t];
        const vec3 r[3] = {h->vertices[v[0]], h->vertices[v[1]], h->vertices[v[2]]};
        double d[3];
        for (int k = 0; k < 3; ++k) d[k] = c->start + v3_dot(c->slope, r[k]);
        if (d[0] < 0.0 && d[1] < 0.0 && d[2] < 0.0) continue;
        const struct facet *facet = &h->facets[t];
        if (d[0] >= 0.0 && d[1] >= 0.0 && d[2] >= 0.0) { // all of it is under water
            press_triangle(c, r, d, v3_scale(facet->normal, facet->area));
            wet[count++] = *facet;
        } else {
            wet[count++] = cut_triangle(c, r, d, facet);
        }
    }
    return count;
}

// J^T k J summed over the wet part, J = [1, -r x], in the world's axes: k r turns as a vector, k r r^T as
// a tensor. The drag itself is -(k u) and -(r x k u) summed, u = v + w x r: the same matrix times the
// motion.
static void make_damping(const struct rubbed *c, const mat3 *turn, double m[6][6])
{
    const vec3 r = mat3_mul(turn, v3(c->kr[0], c->kr[1], c->kr[2]));
    const double cross[3][3] = {{0, r.z, -r.y}, {-r.z, 0, r.x}, {r.y, -r.x, 0}};
    static const int at[3][3] = {{0, 1, 2}, {1, 3, 4}, {2, 4, 5}};
    double krr[3][3], trace = 0.0;
    for (int i = 0; i < 3; ++i)
        for (int j = 0; j < 3; ++j) {
            krr[i][j] = 0.0;
            for (int k = 0; k < 3; ++k)
                for (int l = 0; l < 3; ++l) krr[i][j] += turn->m[i][k] * c->krr[at[k][l]] * turn->m[j][l];
        }
    for (int i = 0; i < 3; ++i) trace += krr[i][i];
    for (int i = 0; i < 3; ++i)
        for (int j = 0; j < 3; ++j) {
            m[i][j] = i == j ? c->k : 0.0;
            m[i][3 + j] = cross[i][j], m[3 + j][i] = cross[i][j];
            m[3 + i][3 + j] = (i == j ? trace : 0.0) - krr[i][j];
        }
}

static void to_world(const struct cut *c, const struct stream *s, const mat3 *turn, double rho_g,
                     struct wetted *out)
{
    const struct rubbed *a = &c->rubbed;
    const vec3 u = mat3_mul(turn, s->velocity), w = mat3_mul(turn, s->spin);
    const double motion[6] = {u.x, u.y, u.z, w.x, w.y, w.z};
    double drag[6] = {0};
    make_damping(a, turn, out->damping);
    for (int i = 0; i < 6; ++i)
        for (int j = 0; j < 6; ++j) drag[i] -= out->damping[i][j] * motion[j];
    out->drag = v3(drag[0], drag[1], drag[2]);
    out->drag_torque = v3(drag[3], drag[4], drag[5]);
    out->lift = mat3_mul(turn, v3(a->lift[0], a->lift[1], a->lift[2]));
    out->lift_torque = mat3_mul(turn, v3(a->lift_at[0], a->lift_at[1], a->lift_at[2]));
    const vec3 pressure = mat3_mul(turn, c->pressure);
    out->volume = pressure.y; // Archimedes
    out->pressure = v3_scale(pressure, rho_g);
    out->pressure_torque = v3_scale(mat3_mul(turn, c->pressure_torque), rho_g);
}

void wetted_cut(const struct hull *h, const struct body_hot *at, const tarn_body_def *def, vec3 velocity,
                vec3 spin, const struct plane *surface, vec3 drift, const struct fluid *f, struct wetted *out)
{
    const mat3 turn = quat_matrix(at->rotation);
    const struct stream stream = {.velocity = mat3_mul_t(&turn, v3_sub(velocity, drift)),
                                  .spin = mat3_mul_t(&turn, spin),
                                  .drag = 0.5 * f->density * def->drag,
                                  .facing = def->facing,
                                  .lift = 0.5 * f->density * def->lift};
    struct cut c = {.start = surface->a - (at->position.y - f->level),
                    .slope = mat3_mul_t(&turn, v3(surface->b, -1.0, surface->c))};
    const struct wetted_kernels *kernel = kernels();
    for (int k = 0; k < h->tile_count; ++k) {
        const struct tile *t = &h->tiles[k];
        const double depth = c.start + v3_dot(c.slope, t->centre), range = fabs(c.slope.x) * t->half.x +
                                                                           fabs(c.slope.y) * t->half.y +
                                                                           fabs(c.slope.z) * t->half.z;
        struct facet wet[TILE];
        if (depth < -range) continue;
        if (depth > range) {
            press_tile(&c, t);
            kernel->rub(&stream, &h->facets[t->first], t->count, &c.rubbed);
        } else {
            kernel->rub(&stream, wet, cut_tile(&c, h, t, wet), &c.rubbed);
        }
    }
    to_world(&c, &stream, &turn, f->density * f->gravity, out);
}
