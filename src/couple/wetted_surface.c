// Water to body: every triangle of the hull is cut at the surface and hydrostatic pressure is integrated
// over the wet polygon in closed form. So Archimedes holds for any closed mesh, fine or coarse.
//
// All of it happens in the body's own axes: the depth below a plane is linear in any axes, so no vertex
// has to be turned, only the few sums at the end.
#include "coupling.h"

#include "wetted_rows.h"

// J^T k J summed over the wet part, J = [1, -r x], in the world's axes: k r turns as a vector, k r r^T as
// a tensor. The drag itself is -(k u) and -(r x k u) summed, u = v + w x r: the same matrix times the
// motion.
static void damping_matrix(const struct wetted_sums *c, const mat3 *turn, double m[6][6])
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

static void sums_to_world(const struct wetted_sums *a, const struct hull_flow *s, const mat3 *turn,
                          double rho_g, struct wetted_forces *out)
{
    const vec3 u = mat3_mul(turn, s->velocity), w = mat3_mul(turn, s->angular_velocity);
    const double motion[6] = {u.x, u.y, u.z, w.x, w.y, w.z};
    double drag[6] = {0};
    damping_matrix(a, turn, out->damping);
    for (int i = 0; i < 6; ++i)
        for (int j = 0; j < 6; ++j) drag[i] -= out->damping[i][j] * motion[j];
    out->drag = v3(drag[0], drag[1], drag[2]);
    out->drag_torque = v3(drag[3], drag[4], drag[5]);
    out->lift = mat3_mul(turn, v3(a->lift[0], a->lift[1], a->lift[2]));
    out->lift_torque = mat3_mul(turn, v3(a->lift_torque[0], a->lift_torque[1], a->lift_torque[2]));
    const vec3 pressure = mat3_mul(turn, a->pressure);
    out->volume = pressure.y; // Archimedes
    out->pressure = v3_scale(pressure, rho_g);
    out->pressure_torque = v3_scale(mat3_mul(turn, a->pressure_torque), rho_g);
}

void integrate_wetted_surface(const struct trimesh *h, const struct body_state *at, const tarn_body_def *def,
                              vec3 velocity, vec3 spin, const struct plane *surface, vec3 drift,
                              const struct fluid *f, struct wetted_forces *out)
{
    const mat3 turn = quat_to_matrix(at->rotation);
    const struct hull_flow stream = {.velocity = mat3_mul_t(&turn, v3_sub(velocity, drift)),
                                     .angular_velocity = mat3_mul_t(&turn, spin),
                                     .drag_factor = 0.5 * f->density * def->drag,
                                     .drag_orientation = def->facing,
                                     .lift_factor = 0.5 * f->density * def->lift};
    const struct depth_plane dip = {.offset = surface->a - (at->position.y - f->rest_level),
                                    .gradient = mat3_mul_t(&turn, v3(surface->b, -1.0, surface->c))};
    struct wetted_sums sums;
    KERNELS_SELECT(wetted_kernels)->integrate(h, &dip, &stream, &sums);
    sums_to_world(&sums, &stream, &turn, f->density * f->gravity, out);
}
