// Propellers and rudders: they push on the water that they are in, and it pushes back.
#include "coupling.h"

#include "base/math.h"

#define RUDDER_LIFT_SLOPE \
    2.0 // force coefficient of a short rudder per radian (a wing of infinite length: 2 pi)

// Where a point of the body is, about its centre; false above the water.
static bool is_submerged(const struct body_coupling *p, const struct fluid *f, const struct body_state *at,
                         const mat3 *turn, vec3 point, vec3 *arm)
{
    const vec3 r = *arm = mat3_mul(turn, point);
    return p->surface_plane.a + p->surface_plane.b * r.x + p->surface_plane.c * r.z >
           at->position.y - f->rest_level + r.y;
}

// A plate along the keel, turned about the body's y axis. Along itself it slips through the water; across, at the angle
// a, it is pushed by 1/2 rho A C |u|^2 sin(a), taken at the end of the step so that it cannot turn the flow round, however
// light the body is and however long its lever.
static vec3 rudder_force(const struct fluid *f, const struct bodies *b, int i, const mat3 *turn, vec3 arm,
                         vec3 through, double dt)
{
    const tarn_body_def *def = &b->slots[i].body->def;
    const double angle = def->rudder * (PI / 180.0);
    const vec3 across = mat3_mul(turn, v3(m_sin(angle), 0.0, m_cos(angle))), lever = v3_cross(arm, across);
    mat3 inertia, back;
    body_inertia_and_inverse(b, i, &inertia, &back);
    const double yields = 1.0 / def->mass + v3_dot(lever, mat3_mul(&back, lever)); // [1/kg]
    const double k = 0.5 * f->density * RUDDER_LIFT_SLOPE * def->rudder_area * v3_length(through);
    return v3_scale(across, -k * v3_dot(across, through) / (1.0 + dt * k * yields));
}

struct propulsion propulsion_of(const struct body_coupling *p, const struct fluid *f, const struct bodies *b,
                                int i, double dt)
{
    const tarn_body_def *def = &b->slots[i].body->def;
    const mat3 turn = quat_to_matrix(b->state[i].rotation);
    struct propulsion d = {0};
    vec3 arm;
    if (def->thrust != 0.0 && is_submerged(p, f, &b->state[i], &turn, def->thrust_at, &arm)) {
        d.force = mat3_mul(&turn, v3(def->thrust, 0.0, 0.0));
        d.torque = v3_cross(arm, d.force);
    }
    if (def->rudder_area > 0.0 && is_submerged(p, f, &b->state[i], &turn, def->rudder_at, &arm)) {
        const vec3 speed = v3_add(body_velocity(b, i), v3_cross(body_angular_velocity(b, i), arm));
        const vec3 force = rudder_force(f, b, i, &turn, arm, v3_sub(speed, p->water_velocity), dt);
        d.force = v3_add(d.force, force);
        d.torque = v3_add(d.torque, v3_cross(arm, force));
    }
    return d;
}
