// Loads on the wetted surface: every triangle of the hull is clipped at the surface, and the hydrostatic
// pressure is integrated over the wet polygon in closed form. So Archimedes' principle holds exactly for any
// closed mesh.
//
// The integration uses body axes: the depth below a plane is linear in any axes, so that only the sums are
// rotated.
#include "couple/coupling.h"

#include "wetted_rows.h"

// Sum of J^T k J over the wetted surface, J = [1, -r x], in world axes: k r is rotated as a vector, k r r^T
// as a tensor. The drag, sums of -(k u) and -(r x k u) with u = v + w x r, is this matrix times the motion.
static void damping_matrix(const struct wetted_sums *c, const mat3 *rotation, double m[6][6])
{
    const vec3 r = mat3_mul(rotation, v3(c->kr[0], c->kr[1], c->kr[2]));
    const double cross[3][3] = {{0, r.z, -r.y}, {-r.z, 0, r.x}, {r.y, -r.x, 0}};
    static const int at[3][3] = {{0, 1, 2}, {1, 3, 4}, {2, 4, 5}};
    double krr[3][3], trace = 0.0;
    for (int i = 0; i < 3; ++i)
        for (int j = 0; j < 3; ++j) {
            krr[i][j] = 0.0;
            for (int k = 0; k < 3; ++k)
                for (int l = 0; l < 3; ++l)
                    krr[i][j] += rotation->m[i][k] * c->krr[at[k][l]] * rotation->m[j][l];
        }
    for (int i = 0; i < 3; ++i) trace += krr[i][i];
    for (int i = 0; i < 3; ++i)
        for (int j = 0; j < 3; ++j) {
            m[i][j] = i == j ? c->k : 0.0;
            m[i][3 + j] = cross[i][j], m[3 + j][i] = cross[i][j];
            m[3 + i][3 + j] = (i == j ? trace : 0.0) - krr[i][j];
        }
}

static void sums_to_world(const struct wetted_sums *a, const struct hull_flow *s, const mat3 *rotation,
                          double rho_g, struct wetted_forces *out)
{
    const vec3 u = mat3_mul(rotation, s->velocity), w = mat3_mul(rotation, s->angular_velocity);
    const double motion[6] = {u.x, u.y, u.z, w.x, w.y, w.z};
    double drag[6] = {0};
    damping_matrix(a, rotation, out->damping);
    for (int i = 0; i < 6; ++i)
        for (int j = 0; j < 6; ++j) drag[i] -= out->damping[i][j] * motion[j];
    out->drag = v3(drag[0], drag[1], drag[2]);
    out->drag_torque = v3(drag[3], drag[4], drag[5]);
    out->lift = mat3_mul(rotation, v3(a->lift[0], a->lift[1], a->lift[2]));
    out->lift_torque = mat3_mul(rotation, v3(a->lift_torque[0], a->lift_torque[1], a->lift_torque[2]));
    const vec3 pressure = mat3_mul(rotation, a->pressure);
    out->volume = pressure.y; // Archimedes
    out->pressure = v3_scale(pressure, rho_g);
    out->pressure_torque = v3_scale(mat3_mul(rotation, a->pressure_torque), rho_g);
}

void integrate_wetted_surface(const struct trimesh *h, const struct body_state *state,
                              const tarn_body_def *def, const struct hull_motion *motion,
                              const struct plane *surface, const struct fluid *f, struct wetted_forces *out)
{
    const mat3 rotation = quat_to_matrix(state->rotation);
    const vec3 relative_velocity = v3_sub(motion->velocity, motion->water_velocity);
    const struct hull_flow flow = {.velocity = mat3_mul_t(&rotation, relative_velocity),
                                   .angular_velocity = mat3_mul_t(&rotation, motion->angular_velocity),
                                   .drag_factor = 0.5 * f->density * def->drag_coefficient,
                                   .drag_orientation = def->form_drag_fraction,
                                   .lift_factor = 0.5 * f->density * def->lift_coefficient};
    const struct depth_plane depth = {.offset = surface->a - (state->position.y - f->rest_level),
                                      .gradient = mat3_mul_t(&rotation, v3(surface->b, -1.0, surface->c))};
    struct wetted_sums sums;
    KERNELS_SELECT(wetted_kernels)->integrate(h, &depth, &flow, &sums);
    sums_to_world(&sums, &flow, &rotation, f->density * f->gravity, out);
}
