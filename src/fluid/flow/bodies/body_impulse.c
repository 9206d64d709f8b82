// Impulses of contacts and joints on bodies, applied together with the impulsive pressure of the fluid: a
// second projection. The model table calls flow_apply_impulses().
#include "body_step.h"

// An impulse j that changes the velocity v by d does the work j . (v + d/2). The impulses are scaled such
// that j . d is what it would be if the bodies got the target velocities of the contact solver. Then the work
// is that of the contact solver times the scale: contacts that dissipate energy there dissipate it here.
// Impulses too weak for a projection act on the body alone, and the same scale gives it the target velocity.
double flow_apply_impulses(struct fluid *f, double dt)
{
    struct flow *s = f->impl;
    double work = 0.0, target_work = 0.0;
    for (int i = 0; i < f->body_count; ++i) {
        struct obstacle *o = body_at(f, i);
        if (!is_present(o)) continue;
        get_velocity(o, s->body_steps[i].start_velocity);
        if (!o->has_impulse) continue;
        o->motion.u += o->impulse[0] / o->mass, o->motion.v += o->impulse[1] / o->mass,
            o->motion.spin += o->impulse[2] / o->inertia;
        if (flow_is_weakly_coupled(f)) set_velocity(o, o->target_velocity);
    }
    if (flow_is_weakly_coupled(f)) return 1.0;
    const bool is_projected = flow_solve_impulses(f);
    if (is_projected) body_step_apply_potential(f, 1.0);
    for (int i = 0; i < f->body_count; ++i) {
        const struct obstacle *o = body_at(f, i);
        double velocity[3];
        get_velocity(o, velocity);
        for (int k = 0; k < 3 && o->has_impulse && is_present(o); ++k) {
            work += o->impulse[k] * (velocity[k] - s->body_steps[i].start_velocity[k]);
            target_work += o->impulse[k] * (o->target_velocity[k] - s->body_steps[i].start_velocity[k]);
        }
    }
    const double scale = work > 0.0 ? clamp(target_work / work, 0.0, 1e3) : 0.0;
    for (int i = 0; i < f->body_count; ++i) {
        struct obstacle *o = body_at(f, i);
        double velocity[3];
        if (!is_present(o)) continue;
        get_velocity(o, velocity);
        for (int k = 0; k < 3; ++k)
            velocity[k] = s->body_steps[i].start_velocity[k] +
                          scale * (velocity[k] - s->body_steps[i].start_velocity[k]);
        set_velocity(o, velocity);
    }
    flow_update_wall_flux(f);
    if (is_projected) flow_apply_impulse_pressure(f, dt, scale);
    return scale;
}
