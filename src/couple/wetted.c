// Water to body: every triangle of the hull is cut at the surface and hydrostatic pressure is integrated
// over the wet polygon in closed form. So Archimedes holds for any closed mesh, fine or coarse.
#include "couple.h"

#include <string.h>

#define FACING 0.9 // omega: how much of the drag depends on which way a face looks

struct cut {
    const struct body_hot *at;
    const tarn_body_def *def;
    vec3 velocity, spin, drift;
    double rho, rho_g;
    struct wetted *out;
};

// Pressure on a wet triangle with depths d at its corners (from the body's centre): with p = rho g d linear,
//     F = -rho g n A (d0+d1+d2)/3,   int d r dA = A/12 [(sum d)(sum r) + sum d_i r_i]
// `normal` has the length of twice the area.
static void press_triangle(const struct cut *c, const vec3 r[3], const double d[3], vec3 normal)
{
    const double depth = d[0] + d[1] + d[2];
    const vec3 sum = v3_add(r[0], v3_add(r[1], r[2]));
    vec3 moment = v3_scale(sum, depth);
    for (int k = 0; k < 3; ++k) moment = v3_madd(moment, d[k], r[k]);
    const vec3 force = v3_scale(normal, -c->rho_g * depth / 6.0);
    c->out->pressure = v3_add(c->out->pressure, force);
    c->out->pressure_torque =
        v3_add(c->out->pressure_torque, v3_cross(v3_scale(moment, -c->rho_g / 24.0), normal));
    c->out->volume -= normal.y * depth / 6.0;
}

// J^T k J for a point at arm r, J = [1, -r x]: what a force -k v there does to the six motions.
static void add_damping(double m[6][6], vec3 r, double k)
{
    const double x[3][3] = {{0, r.z, -r.y}, {-r.z, 0, r.x}, {r.y, -r.x, 0}};
    for (int i = 0; i < 3; ++i) {
        m[i][i] += k;
        for (int j = 0; j < 3; ++j) {
            m[i][3 + j] += k * x[i][j];
            m[3 + j][i] += k * x[i][j];
            for (int n = 0; n < 3; ++n) m[3 + i][3 + j] += k * x[n][i] * x[n][j];
        }
    }
}

// Drag and lift on a wet polygon of the given area, u the speed of the hull through the water:
//     drag -1/2 rho C_D A_eff |u| u,   lift -1/2 rho C_L A_eff |u| (u x (n x u)/|n x u|),
//     A_eff = A max(0, omega n.u/|u| + 1 - omega)
// after [chentanez2010], without its cut at n.u = 0, which makes side faces flicker.
static void rub(const struct cut *c, vec3 r, vec3 normal, double area)
{
    const vec3 u = v3_sub(v3_add(c->velocity, v3_cross(c->spin, r)), c->drift);
    const double fast = v3_length(u);
    if (!(fast > 1e-9) || !(area > 0.0)) return;
    const double facing = v3_dot(normal, u) / fast;
    const double effective = area * fmax(0.0, FACING * facing + 1.0 - FACING);
    const double k = 0.5 * c->rho * c->def->drag * effective * fast;
    const vec3 drag = v3_scale(u, -k);
    c->out->drag = v3_add(c->out->drag, drag);
    c->out->drag_torque = v3_add(c->out->drag_torque, v3_cross(r, drag));
    add_damping(c->out->damping, r, k);

    const vec3 side = v3_cross(normal, u);
    const double length = v3_length(side);
    if (!(length > 1e-9 * fast)) return;
    const vec3 lift = v3_scale(v3_cross(u, side), -0.5 * c->rho * c->def->lift * effective * fast / length);
    c->out->lift = v3_add(c->out->lift, lift);
    c->out->lift_torque = v3_add(c->out->lift_torque, v3_cross(r, lift));
}

// The part of a triangle where the depth is not negative: three or four corners, or none.
static int clip(const vec3 r[3], const double d[3], vec3 *out, double *depth)
{
    int count = 0;
    for (int k = 0; k < 3; ++k) {
        const int next = (k + 1) % 3;
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

static void cut_triangle(const struct cut *c, const vec3 r[3], const double d[3])
{
    vec3 p[4];
    double depth[4];
    const int count = clip(r, d, p, depth);
    if (count < 3) return;
    const vec3 normal = v3_cross(v3_sub(r[1], r[0]), v3_sub(r[2], r[0]));
    const double length = v3_length(normal);
    if (!(length > 0.0)) return;
    const vec3 unit = v3_scale(normal, 1.0 / length);
    vec3 middle = {0, 0, 0};
    double area = 0.0;
    for (int k = 1; k + 1 < count; ++k) {
        const vec3 fan[3] = {p[0], p[k], p[k + 1]};
        const double depths[3] = {depth[0], depth[k], depth[k + 1]};
        const double twice = v3_dot(v3_cross(v3_sub(fan[1], fan[0]), v3_sub(fan[2], fan[0])), unit);
        press_triangle(c, fan, depths, v3_scale(unit, twice));
        middle = v3_madd(middle, twice / 6.0, v3_add(fan[0], v3_add(fan[1], fan[2])));
        area += 0.5 * twice;
    }
    if (area > 0.0) rub(c, v3_scale(middle, 1.0 / area), unit, area);
}

void wetted_cut(const struct hull *h, const struct body_hot *at, const tarn_body_def *def, vec3 velocity,
                vec3 spin, const struct plane *surface, vec3 drift, const struct fluid *f, struct wetted *out)
{
    const struct cut c = {at, def, velocity, spin, drift, f->density, f->density * f->gravity, out};
    const mat3 turn = quat_matrix(at->rotation);
    const double centre = at->position.y - f->level;
    memset(out, 0, sizeof *out);
    for (int t = 0; t < h->triangle_count; ++t) {
        vec3 r[3];
        double d[3];
        for (int k = 0; k < 3; ++k) {
            r[k] = mat3_mul(&turn, h->vertices[h->triangles[t][k]]);
            d[k] = surface->a + surface->b * r[k].x + surface->c * r[k].z - centre - r[k].y;
        }
        if (d[0] >= 0.0 || d[1] >= 0.0 || d[2] >= 0.0) cut_triangle(&c, r, d);
    }
}
