// What the files of bodies in a substep share.
#ifndef FLUID_FLOW_BODY_STEP_H
#define FLUID_FLOW_BODY_STEP_H

#include "fluid/flow/flow.h"

// A body during one substep.
struct body_step {
    // [kg m/s], [kg m/s], [kg m^2/s] momentum with that of inner nodes; then, solved for in place, the
    // velocity at the start of the substep [m/s], [m/s], [rad/s].
    union {
        double momentum[3], start_velocity[3];
    };
    double load_impulse[3]; // [kg m/s], [kg m/s], [kg m^2/s] of the last pressure and of applied forces
    double rotational_drag; // [kg m^2] rotational drag times dt, see predict_velocity()
    double system[3][3], predicted_velocity[3]; // matrix and solution of the prediction
};

static inline struct obstacle *body_at(const struct fluid *f, int i) { return &f->bodies[i]; }

static inline bool is_present(const struct obstacle *o) { return o->area > 0.0; }

static inline double generalised_mass(const struct obstacle *o, int k)
{
    return k < 2 ? o->mass : o->inertia;
}

static inline void get_velocity(const struct obstacle *o, double v[3])
{
    v[0] = o->motion.u, v[1] = o->motion.v, v[2] = o->motion.spin;
}

static inline void set_velocity(struct obstacle *o, const double v[3])
{
    o->motion.u = v[0], o->motion.v = v[1], o->motion.spin = v[2];
}

// [m/s] Velocity of a body where a link meets its surface.
static inline double surface_velocity(const struct wall_link *link, const double velocity[3])
{
    return velocity[link->component] + velocity[2] * link->lever;
}

static inline void add_impulse(const struct wall_link *link, double impulse, double out[3])
{
    out[link->component] += impulse;
    out[2] += link->lever * impulse;
}

static inline struct body_step *body_step_of(const struct fluid *f, const struct wall_link *link)
{
    return &((struct flow *)f->impl)->body_steps[link->solid_id - 1 - f->obstacle_count];
}

// Adds `scale` times the potential's change to the body velocities: V += scale rho dx^2 M^-1 J^T phi.
void body_step_apply_potential(const struct fluid *f, double scale);

#endif
