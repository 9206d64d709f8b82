// Warm starting limited by an energy test per island.
//
// Without friction each iteration of the solver lowers
//
//     E(p) = 1/2 v . M v + p . bias + 1/2 p . softness p,   v = v0 + M^-1 J^T p,
//
// so an iteration that starts from p = 0 ends with no more energy than v0 has. Warm-start impulses p
// normally lower E. Between wedged bodies large opposing impulses cancel only for the old geometry; after a
// small rotation they accelerate the bodies. Along p, E(t p) = E(0) + t slope + t^2/2 curvature, a sum over
// bodies and joint rows. If the energy of an island would more than double, each of its bodies whose own
// energy would more than double takes the minimising fraction t = max(0, -slope/curvature) < 1/2 of its
// impulses. The test is repeated, because the neighbours may gain energy without these impulses. After
// MAX_ROUNDS, or if only a joint causes the gain, the whole island takes its fraction. (Reducing whole
// islands at once, or wherever t < 1/2, makes heaps sink because of a single wedged body.)
#include "body/solve/dynamics.h"

#include <string.h>

#define MIN_SPEED  0.1 // [m/s] its kinetic energy is added to the initial one: smaller gains are accepted
#define MAX_ROUNDS 8   // of reducing single bodies

static const struct contact_kernels *kernels(void) { return KERNELS_SELECT(contact_kernels); }

static struct warm_start_energy *island_energy(struct bodies *b, int slot)
{
    return &b->dynamics->solver.warm_start[island_root(b->dynamics->island_parent, slot)];
}

static vec3 v3_of_floats(const float *v) { return v3(v[0], v[1], v[2]); }

// Energy change of solver body k by the warm start, from velocity_unwarmed to velocity.
static struct warm_start_energy body_energy_change(const struct bodies *b, int k)
{
    const struct solver *s = &b->dynamics->solver;
    const struct solver_motion *warmed = &s->velocity[k], *unwarmed = &s->velocity_unwarmed[k];
    const int i = s->slot_of_body[k];
    if (!body_is_dynamic(b, i) || memcmp(warmed, unwarmed, 6 * sizeof(float)) == 0)
        return (struct warm_start_energy){0};
    const vec3 v = v3_of_floats(unwarmed->v), w = v3_of_floats(unwarmed->v + 3);
    const vec3 dv = v3_sub(v3_of_floats(warmed->v), v), dw = v3_sub(v3_of_floats(warmed->v + 3), w);
    const double m = b->slots[i].body->def.mass + b->applied[i].added_mass,
                 inertia_factor = 1.0 + b->applied[i].added_inertia;
    const vec3 dl = v3_scale(mat3_mul(&s->inertia[k], dw), inertia_factor);
    return (struct warm_start_energy){
        .slope = m * v3_dot(v, dv) + v3_dot(w, dl),
        .curvature = m * v3_dot(dv, dv) + v3_dot(dw, dl),
        .initial = 0.5 * m * (v3_dot(v, v) + MIN_SPEED * MIN_SPEED) +
                   0.5 * inertia_factor * v3_dot(w, mat3_mul(&s->inertia[k], w)),
    };
}

static bool gains_energy(const struct warm_start_energy *energy)
{
    return energy->slope + 0.5 * energy->curvature > energy->initial;
}

static void sum_body_energy(struct bodies *b)
{
    const struct solver *s = &b->dynamics->solver;
    for (int k = 0; k < s->body_count; ++k) {
        if (!body_is_dynamic(b, s->slot_of_body[k])) continue;
        const struct warm_start_energy change = body_energy_change(b, k);
        struct warm_start_energy *island = island_energy(b, s->slot_of_body[k]);
        island->slope += change.slope, island->curvature += change.curvature,
            island->initial += change.initial;
        island->has_gaining_body |= gains_energy(&change);
    }
}

static void sum_joint_energy(struct bodies *b)
{
    const struct joints *joints = &b->dynamics->joints;
    for (int n = 0; n < joints->slot_count; ++n) {
        const struct joint *j = joints->slots[n].joint;
        if (!j || !body_is_dynamic(b, j->a)) continue;
        struct warm_start_energy *island = island_energy(b, j->a);
        for (int i = 0; i < j->row_count; ++i) {
            island->slope += j->impulse[i] * j->bias[i];
            island->curvature += j->impulse[i] * j->impulse[i] * j->softness[i];
        }
    }
}

// Islands in contact with a moving kinematic body or a collider, or joined to a kinematic body, receive
// energy from outside: their warm start is not limited.
static void exempt_driven_islands(struct bodies *b)
{
    const struct dynamics *dyn = b->dynamics;
    for (int k = 0; k < dyn->contacts.count; ++k) {
        const struct contact *c = &dyn->contacts.current[k];
        const int dynamic_body = body_is_dynamic(b, c->a) ? c->a : c->b,
                  other_body = dynamic_body == c->a ? c->b : c->a;
        const bool is_driven = other_body >= 0
                                   ? !body_is_dynamic(b, other_body) && body_is_moving(b, other_body)
                                   : contact_collider(b, c) != NULL;
        if (is_driven && dynamic_body >= 0 && body_is_dynamic(b, dynamic_body))
            island_energy(b, dynamic_body)->slope = -INFINITY;
    }
    for (int n = 0; n < dyn->joints.slot_count; ++n) {
        const struct joint *j = dyn->joints.slots[n].joint;
        if (!j || j->b < 0) continue;
        if (!body_is_dynamic(b, j->a) && body_is_dynamic(b, j->b)) island_energy(b, j->b)->slope = -INFINITY;
        if (!body_is_dynamic(b, j->b) && body_is_dynamic(b, j->a)) island_energy(b, j->a)->slope = -INFINITY;
    }
}

static float minimizing_fraction(const struct warm_start_energy *energy)
{
    return (float)fmax(0.0, -energy->slope / energy->curvature);
}

// Computes the fraction for each body. Returns false if all fractions are 1.
static bool find_fractions(struct bodies *b, bool whole_islands)
{
    struct solver *s = &b->dynamics->solver;
    struct warm_start_energy *energy = s->warm_start;
    bool any = false;
    memset(energy, 0, (size_t)b->slot_count * sizeof *energy);
    sum_body_energy(b);
    sum_joint_energy(b);
    for (int i = 0; i < b->slot_count; ++i) any |= gains_energy(&energy[i]);
    if (!any) return false;
    exempt_driven_islands(b);
    any = false;
    for (int i = 0; i < b->slot_count; ++i) energy[i].fraction = 1.0f;
    for (int k = 0; k < s->body_count; ++k) {
        const int i = s->slot_of_body[k];
        const struct warm_start_energy *island = island_energy(b, i), change = body_energy_change(b, k);
        if (!body_is_dynamic(b, i) || !gains_energy(island)) continue;
        if (whole_islands || !island->has_gaining_body)
            energy[i].fraction = minimizing_fraction(island);
        else if (gains_energy(&change))
            energy[i].fraction = minimizing_fraction(&change);
        any |= energy[i].fraction < 1.0f;
    }
    return any;
}

static float body_fraction(const struct bodies *b, int k)
{
    const struct solver *s = &b->dynamics->solver;
    return k < s->body_count && body_is_dynamic(b, s->slot_of_body[k])
               ? s->warm_start[s->slot_of_body[k]].fraction
               : 1.0f;
}

static void scale_impulses(struct bodies *b)
{
    struct solver *s = &b->dynamics->solver;
    for (int g = 0; g < s->batch_count; ++g) {
        struct contact_batch *batch = &s->batches[g];
        f32x8 fraction;
        for (int lane = 0; lane < BATCH_LANES; ++lane)
            fraction[lane] =
                fminf(body_fraction(b, batch->body_a[lane]), body_fraction(b, batch->body_b[lane]));
        for (int k = 0; k < batch->point_count; ++k) batch->points[k].normal_impulse *= fraction;
        batch->friction_impulse.tangent_1 *= fraction, batch->friction_impulse.tangent_2 *= fraction,
            batch->friction_impulse.torsion *= fraction;
    }
    for (int n = 0; n < b->dynamics->joints.slot_count; ++n) {
        struct joint *j = b->dynamics->joints.slots[n].joint;
        if (!j) continue;
        const float fraction =
            fminf(body_fraction(b, solver_body(s, j->a)), body_fraction(b, solver_body(s, j->b)));
        for (int i = 0; i < j->row_count; ++i) j->impulse[i] *= (double)fraction;
    }
}

void bodies_warm_start(struct bodies *b, const struct contact_step *step, double dt, double factor)
{
    struct solver *s = &b->dynamics->solver;
    const size_t bytes = (size_t)(s->body_count + 1 + b->dynamics->collider_count) * sizeof *s->velocity;
    memcpy(s->velocity_unwarmed, s->velocity, bytes);
    joints_prepare(b, dt, factor);
    kernels()->warm_start(s->batches, s->batch_count, step, s->inverse_mass, s->displacement, s->velocity);
    struct contact_step repeat_step = *step;
    repeat_step.warm_start_factor = repeat_step.friction_warm_start_factor = 1.0f;
    for (int n = 0; n <= MAX_ROUNDS && find_fractions(b, n == MAX_ROUNDS); ++n) {
        scale_impulses(b);
        memcpy(s->velocity, s->velocity_unwarmed, bytes);
        joints_prepare(b, dt, 1.0);
        kernels()->warm_start(s->batches, s->batch_count, &repeat_step, s->inverse_mass, s->displacement,
                              s->velocity);
    }
}
