// Propeller and rudder: forces of the water on them, while they are submerged.
#include "coupling.h"

#include "base/math/math.h"

// Force coefficient of a rudder of small aspect ratio per radian (2 pi for an infinite wing).
#define RUDDER_LIFT_SLOPE 2.0

// Whether a point of the body is below the surface; *arm: its position from the centre, in world axes.
static bool is_submerged(const struct body_coupling *p, const struct fluid *f, const struct body_state *at,
                         const mat3 *rotation, vec3 point, vec3 *arm)
{
    const vec3 r = *arm = mat3_mul(rotation, point);
    return p->surface_plane.a + p->surface_plane.b * r.x + p->surface_plane.c * r.z >
           at->position.y - f->rest_level + r.y;
}

// A plate along the keel, rotated about the body's y axis. At an angle of attack a the force normal to the
// plate is 1/2 rho A C |u|^2 sin(a). It is implicit in the normal velocity, so it cannot reverse that
// velocity for any mass and lever arm.
static vec3 rudder_force(const struct fluid *f, const struct bodies *b, int i, const mat3 *rotation, vec3 arm,
                         vec3 relative_velocity, double dt)
{
    const tarn_body_def *def = &b->slots[i].body->def;
    const double angle = def->rudder.angle;
    const vec3 normal = mat3_mul(rotation, v3(m_sin(angle), 0.0, m_cos(angle))),
               lever = v3_cross(arm, normal);
    mat3 inertia, inverse;
    body_inertia_and_inverse(b, i, &inertia, &inverse);
    const double mobility = 1.0 / def->mass + v3_dot(lever, mat3_mul(&inverse, lever)); // [1/kg]
    const double k = 0.5 * f->density * RUDDER_LIFT_SLOPE * def->rudder.area * v3_length(relative_velocity);
    return v3_scale(normal, -k * v3_dot(normal, relative_velocity) / (1.0 + dt * k * mobility));
}

struct propulsion propulsion_of(const struct body_coupling *p, const struct fluid *f, const struct bodies *b,
                                int i, double dt)
{
    const tarn_body_def *def = &b->slots[i].body->def;
    const mat3 rotation = quat_to_matrix(b->state[i].rotation);
    struct propulsion d = {0};
    vec3 arm;
    if (def->thruster.force != 0.0 &&
        is_submerged(p, f, &b->state[i], &rotation, def->thruster.position, &arm)) {
        d.thruster = mat3_mul(&rotation, v3(def->thruster.force, 0.0, 0.0));
        d.torque = v3_cross(arm, d.thruster);
    }
    if (def->rudder.area > 0.0 && is_submerged(p, f, &b->state[i], &rotation, def->rudder.position, &arm)) {
        const vec3 speed = v3_add(body_velocity(b, i), v3_cross(body_angular_velocity(b, i), arm));
        d.rudder = rudder_force(f, b, i, &rotation, arm, v3_sub(speed, p->water_velocity), dt);
        d.torque = v3_add(d.torque, v3_cross(arm, d.rudder));
    }
    return d;
}
