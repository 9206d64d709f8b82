// Water to body: every triangle of the hull is cut at the surface and hydrostatic pressure is integrated
// over the wet polygon in closed form. So Archimedes holds for any closed mesh, fine or coarse.
//
// All of it happens in the body's own axes: the depth below a plane is linear in any axes, so no vertex has to
// be turned, only the few sums at the end.
#include "couple.h"

#include <string.h>

#define FACING 0.9 // omega: how much of the drag depends on which way a face looks

// Everything in the body's axes, about its centre.
struct cut {
    vec3 up;
    vec3 velocity, spin; // of the body through the water [m/s], and its turning [rad/s]
    double drag, lift;   // 1/2 rho C_D, 1/2 rho C_L
    // sums over the wet part
    vec3 pressure, pressure_torque; // per rho g
    vec3 drag_force, drag_torque, lift_force, lift_torque;
    double volume;
    double k;         // sum of 1/2 rho C_D A_eff |u|
    vec3 kr;          // ... times r
    double krr[3][3]; // ... times r r^T
};

// Pressure on a wet triangle with depths d at its corners: with p = rho g d linear,
//     F = -rho g n A (d0+d1+d2)/3,   int d r dA = A/12 [(sum d)(sum r) + sum d_i r_i]
// `normal` has the length of twice the area.
static void press_triangle(struct cut *c, const vec3 r[3], const double d[3], vec3 normal)
{
    const double depth = d[0] + d[1] + d[2];
    vec3 moment = v3_scale(v3_add(r[0], v3_add(r[1], r[2])), depth);
    for (int k = 0; k < 3; ++k) moment = v3_madd(moment, d[k], r[k]);
    c->pressure = v3_madd(c->pressure, -depth / 6.0, normal);
    c->pressure_torque = v3_madd(c->pressure_torque, -1.0 / 24.0, v3_cross(moment, normal));
    c->volume -= v3_dot(normal, c->up) * depth / 6.0;
}

// What a force -k v at r does to the six motions comes from k, k r and k r r^T.
static void add_damping(struct cut *c, vec3 r, double k)
{
    const double x[3] = {r.x, r.y, r.z};
    c->k += k;
    c->kr = v3_madd(c->kr, k, r);
    for (int i = 0; i < 3; ++i)
        for (int j = 0; j <= i; ++j) c->krr[i][j] += k * x[i] * x[j];
}

// Drag and lift on a wet polygon of the given area, u the speed of the hull through the water:
//     drag -1/2 rho C_D A_eff |u| u,   lift -1/2 rho C_L A_eff |u| (u x (n x u)/|n x u|),
//     A_eff = A max(0, omega n.u/|u| + 1 - omega)
// after [chentanez2010], without its cut at n.u = 0, which makes side faces flicker.
static void rub(struct cut *c, vec3 r, vec3 normal, double area)
{
    const vec3 u = v3_add(c->velocity, v3_cross(c->spin, r));
    const double fast = v3_length(u);
    if (!(fast > 1e-9) || !(area > 0.0)) return;
    const double effective = area * fmax(0.0, FACING * v3_dot(normal, u) / fast + 1.0 - FACING);
    const double k = c->drag * effective * fast;
    const vec3 drag = v3_scale(u, -k);
    c->drag_force = v3_add(c->drag_force, drag);
    c->drag_torque = v3_add(c->drag_torque, v3_cross(r, drag));
    add_damping(c, r, k);

    const vec3 side = v3_cross(normal, u);
    const double length = v3_length(side);
    if (c->lift <= 0.0 || !(length > 1e-9 * fast)) return;
    const vec3 lift = v3_scale(v3_cross(u, side), -c->lift * effective * fast / length);
    c->lift_force = v3_add(c->lift_force, lift);
    c->lift_torque = v3_add(c->lift_torque, v3_cross(r, lift));
}

// The part of a triangle where the depth is not negative: three or four corners, or none.
static int clip(const vec3 r[3], const double d[3], vec3 *out, double *depth)
{
    int count = 0;
    for (int k = 0; k < 3; ++k) {
        const int next = k == 2 ? 0 : k + 1;
        if (d[k] >= 0.0) {
            out[count] = r[k];
            depth[count++] = d[k];
        }
        if ((d[k] >= 0.0) != (d[next] >= 0.0)) {
            const double t = d[k] / (d[k] - d[next]);
            out[count] = v3_add(v3_scale(r[k], 1.0 - t), v3_scale(r[next], t));
            depth[count++] = 0.0;
        }
    }
    return count;
}

// A triangle across the surface: the wet polygon, as a fan.
static void cut_triangle(struct cut *c, const vec3 r[3], const double d[3], vec3 normal)
{
    vec3 p[4];
    double depth[4];
    const int count = clip(r, d, p, depth);
    vec3 middle = {0, 0, 0};
    double area = 0.0;
    for (int k = 1; k + 1 < count; ++k) {
        const vec3 fan[3] = {p[0], p[k], p[k + 1]};
        const double depths[3] = {depth[0], depth[k], depth[k + 1]};
        const double twice = v3_dot(v3_cross(v3_sub(fan[1], fan[0]), v3_sub(fan[2], fan[0])), normal);
        press_triangle(c, fan, depths, v3_scale(normal, twice));
        middle = v3_madd(middle, twice / 6.0, v3_add(fan[0], v3_add(fan[1], fan[2])));
        area += 0.5 * twice;
    }
    if (area > 0.0) rub(c, v3_scale(middle, 1.0 / area), normal, area);
}

// J^T k J summed over the wet part, J = [1, -r x], in the world's axes: k r turns as a vector, k r r^T as a tensor.
static void make_damping(const struct cut *c, const mat3 *turn, double m[6][6])
{
    const vec3 r = mat3_mul(turn, c->kr);
    const double cross[3][3] = {{0, r.z, -r.y}, {-r.z, 0, r.x}, {r.y, -r.x, 0}};
    double krr[3][3], trace = 0.0;
    for (int i = 0; i < 3; ++i)
        for (int j = 0; j < 3; ++j) {
            krr[i][j] = 0.0;
            for (int k = 0; k < 3; ++k)
                for (int l = 0; l < 3; ++l)
                    krr[i][j] += turn->m[i][k] * (k >= l ? c->krr[k][l] : c->krr[l][k]) * turn->m[j][l];
        }
    for (int i = 0; i < 3; ++i) trace += krr[i][i];
    for (int i = 0; i < 3; ++i)
        for (int j = 0; j < 3; ++j) {
            m[i][j] = i == j ? c->k : 0.0;
            m[i][3 + j] = m[3 + j][i] = cross[i][j];
            m[3 + i][3 + j] = (i == j ? trace : 0.0) - krr[i][j];
        }
}

static void to_world(const struct cut *c, const mat3 *turn, double rho_g, struct wetted *out)
{
    out->pressure = v3_scale(mat3_mul(turn, c->pressure), rho_g);
    out->pressure_torque = v3_scale(mat3_mul(turn, c->pressure_torque), rho_g);
    out->drag = mat3_mul(turn, c->drag_force);
    out->drag_torque = mat3_mul(turn, c->drag_torque);
    out->lift = mat3_mul(turn, c->lift_force);
    out->lift_torque = mat3_mul(turn, c->lift_torque);
    out->volume = c->volume;
    make_damping(c, turn, out->damping);
}

void wetted_cut(const struct hull *h, const struct body_hot *at, const tarn_body_def *def, vec3 velocity,
                vec3 spin, const struct plane *surface, vec3 drift, const struct fluid *f, double *depth,
                struct wetted *out)
{
    const mat3 turn = quat_matrix(at->rotation);
    struct cut c = {.up = mat3_mul_t(&turn, v3(0, 1, 0)),
                    .velocity = mat3_mul_t(&turn, v3_sub(velocity, drift)),
                    .spin = mat3_mul_t(&turn, spin),
                    .drag = 0.5 * f->density * def->drag,
                    .lift = 0.5 * f->density * def->lift};
    // depth = surface - y = start + slope . r
    const vec3 slope = mat3_mul_t(&turn, v3(surface->b, -1.0, surface->c));
    const double start = surface->a - (at->position.y - f->level);
    for (int k = 0; k < h->vertex_count; ++k) depth[k] = start + v3_dot(slope, h->vertices[k]);
    for (int t = 0; t < h->triangle_count; ++t) {
        const int *v = h->triangles[t];
        const double d[3] = {depth[v[0]], depth[v[1]], depth[v[2]]};
        if (d[0] < 0.0 && d[1] < 0.0 && d[2] < 0.0) continue;
        const vec3 r[3] = {h->vertices[v[0]], h->vertices[v[1]], h->vertices[v[2]]};
        const struct facet *facet = &h->facets[t];
        if (d[0] >= 0.0 && d[1] >= 0.0 && d[2] >= 0.0) { // all of it is under water
            press_triangle(&c, r, d, v3_scale(facet->normal, 2.0 * facet->area));
            rub(&c, facet->centre, facet->normal, facet->area);
        } else {
            cut_triangle(&c, r, d, facet->normal);
        }
    }
    to_world(&c, &turn, f->density * f->gravity, out);
}
