// What the solver begins with: the impulses of the last short step, where they are of use.
//
// Without friction its passes lower  E(p) = 1/2 (v, v) + p . bias + 1/2 p . soft p,  v = v0 + M^-1 J^T p, with
// (v, w) = v . M w, from pass to pass: whoever begins with nothing ends with no more energy than there was. Impulses of last
// time begin lower, mostly. But where things are wedged, large ones hold each other, and when the things have turned a little
// they throw them. Along them E is a parabola, E(t p) = E(0) + t slope + t^2/2 curve, with a part of every body. Where they
// would more than double the energy of an island they do so to some of its bodies: those take the part t = -slope/curve
// of them, at most a half, or nothing. That is weighed again, because their neighbours may be thrown without them; after a
// few rounds, or if it is a joint that throws, the island as a whole takes its part. (To do so at once, or wherever
// t < 1/2, lets heaps sink together for the sake of one wedged thing.)
#include "body/collide/contact.h"

#include <string.h>

#define MIN_SPEED  0.1 // [m/s] that is not worth a doubt
#define MAX_ROUNDS 8   // in which single bodies take less

static const struct contact_kernels *kernels(void) { return KERNELS_SELECT(contact_kernels); }

static struct warm_start_energy *island_energy(const struct bodies *b, int slot)
{
    return &b->dynamics->solver.warm_start[island_root(b->dynamics->island_parent, slot)];
}

static vec3 v3_of_floats(const float *v) { return v3(v[0], v[1], v[2]); }

// What the impulses that brought mover k from led[] to v[] do to its energy.
static struct warm_start_energy body_energy_change(const struct bodies *b, int k)
{
    const struct solver *s = &b->dynamics->solver;
    const struct solver_motion *now = &s->velocity[k], *was = &s->velocity_unwarmed[k];
    const int i = s->slot_of_body[k];
    if (!body_is_dynamic(b, i) || memcmp(now, was, 6 * sizeof(float)) == 0)
        return (struct warm_start_energy){0};
    const vec3 v = v3_of_floats(was->v), w = v3_of_floats(was->v + 3);
    const vec3 dv = v3_sub(v3_of_floats(now->v), v), dw = v3_sub(v3_of_floats(now->v + 3), w);
    const double m = b->slots[i].body->def.mass + b->applied[i].added_mass,
                 turning = 1.0 + b->applied[i].added_inertia;
    const vec3 dl = v3_scale(mat3_mul(&s->inertia[k], dw), turning);
    return (struct warm_start_energy){
        .slope = m * v3_dot(v, dv) + v3_dot(w, dl),
        .curvature = m * v3_dot(dv, dv) + v3_dot(dw, dl),
        .initial = 0.5 * m * (v3_dot(v, v) + MIN_SPEED * MIN_SPEED) +
                   0.5 * turning * v3_dot(w, mat3_mul(&s->inertia[k], w)),
    };
}

static bool gains_energy(const struct warm_start_energy *g)
{
    return g->slope + 0.5 * g->curvature > g->initial;
}

static void sum_body_energy(const struct bodies *b)
{
    const struct solver *s = &b->dynamics->solver;
    for (int k = 0; k < s->body_count; ++k) {
        if (!body_is_dynamic(b, s->slot_of_body[k])) continue;
        const struct warm_start_energy one = body_energy_change(b, k);
        struct warm_start_energy *g = island_energy(b, s->slot_of_body[k]);
        g->slope += one.slope, g->curvature += one.curvature, g->initial += one.initial;
        g->has_gaining_body |= gains_energy(&one);
    }
}

static void sum_joint_energy(const struct bodies *b)
{
    const struct joints *js = &b->dynamics->joints;
    for (int n = 0; n < js->slot_count; ++n) {
        const struct joint *j = js->slots[n].joint;
        if (!j || !body_is_dynamic(b, j->a)) continue;
        struct warm_start_energy *g = island_energy(b, j->a);
        for (int i = 0; i < j->row_count; ++i) {
            g->slope += j->impulse[i] * j->bias[i];
            g->curvature += j->impulse[i] * j->impulse[i] * j->softness[i];
        }
    }
}

// Who is moved from outside, by an external body or a fixture, is given energy: its guess is believed.
static void exempt_driven_islands(const struct bodies *b)
{
    const struct dynamics *e = b->dynamics;
    for (int k = 0; k < e->contacts.count; ++k) {
        const struct contact *c = &e->contacts.current[k];
        const int mine = body_is_dynamic(b, c->a) ? c->a : c->b, other = mine == c->a ? c->b : c->a;
        const bool outside = other >= 0 ? !body_is_dynamic(b, other) && body_is_moving(b, other)
                                        : contact_collider(b, c) != NULL;
        if (outside && mine >= 0 && body_is_dynamic(b, mine)) island_energy(b, mine)->slope = -INFINITY;
    }
    for (int n = 0; n < e->joints.slot_count; ++n) {
        const struct joint *j = e->joints.slots[n].joint;
        if (!j || j->b < 0) continue;
        if (!body_is_dynamic(b, j->a) && body_is_dynamic(b, j->b)) island_energy(b, j->b)->slope = -INFINITY;
        if (!body_is_dynamic(b, j->b) && body_is_dynamic(b, j->a)) island_energy(b, j->a)->slope = -INFINITY;
    }
}

static float minimizing_fraction(const struct warm_start_energy *g)
{
    return (float)fmax(0.0, -g->slope / g->curvature);
}

// The part that each body takes. False: all of it, everywhere.
static bool find_fractions(const struct bodies *b, bool whole)
{
    const struct solver *s = &b->dynamics->solver;
    struct warm_start_energy *g = s->warm_start;
    bool any = false;
    memset(g, 0, (size_t)b->slot_count * sizeof *g);
    sum_body_energy(b);
    sum_joint_energy(b);
    for (int i = 0; i < b->slot_count; ++i) any |= gains_energy(&g[i]);
    if (!any) return false;
    exempt_driven_islands(b);
    any = false;
    for (int i = 0; i < b->slot_count; ++i) g[i].fraction = 1.0f;
    for (int k = 0; k < s->body_count; ++k) {
        const int i = s->slot_of_body[k];
        const struct warm_start_energy *island = island_energy(b, i), one = body_energy_change(b, k);
        if (!body_is_dynamic(b, i) || !gains_energy(island)) continue;
        if (whole || !island->has_gaining_body)
            g[i].fraction = minimizing_fraction(island);
        else if (gains_energy(&one))
            g[i].fraction = minimizing_fraction(&one);
        any |= g[i].fraction < 1.0f;
    }
    return any;
}

static float body_fraction(const struct bodies *b, int mover)
{
    const struct solver *s = &b->dynamics->solver;
    return mover < s->body_count && body_is_dynamic(b, s->slot_of_body[mover])
               ? s->warm_start[s->slot_of_body[mover]].fraction
               : 1.0f;
}

static void scale_impulses(struct bodies *b)
{
    struct solver *s = &b->dynamics->solver;
    for (int g = 0; g < s->batch_count; ++g) {
        struct contact_batch *o = &s->batches[g];
        f32x8 part;
        for (int lane = 0; lane < BATCH_LANES; ++lane)
            part[lane] = fminf(body_fraction(b, o->body_a[lane]), body_fraction(b, o->body_b[lane]));
        for (int k = 0; k < o->point_count; ++k) o->points[k].normal_impulse *= part;
        o->friction_impulse.tangent_1 *= part, o->friction_impulse.tangent_2 *= part,
            o->friction_impulse.torsion *= part;
    }
    for (int n = 0; n < b->dynamics->joints.slot_count; ++n) {
        struct joint *j = b->dynamics->joints.slots[n].joint;
        if (!j) continue;
        const float part =
            fminf(body_fraction(b, solver_body(s, j->a)), body_fraction(b, solver_body(s, j->b)));
        for (int i = 0; i < j->row_count; ++i) j->impulse[i] *= (double)part;
    }
}

void bodies_warm_start(struct bodies *b, const struct contact_step *pace, double dt, double again)
{
    struct solver *s = &b->dynamics->solver;
    const size_t bytes = (size_t)(s->body_count + 1 + b->dynamics->collider_count) * sizeof *s->velocity;
    memcpy(s->velocity_unwarmed, s->velocity, bytes);
    joints_prepare(b, dt, again);
    kernels()->warm_start(s->batches, s->batch_count, pace, s->inverse_mass, s->displacement, s->velocity);
    struct contact_step as_is = *pace;
    as_is.warm_start_factor = as_is.friction_warm_start_factor = 1.0f;
    for (int n = 0; n <= MAX_ROUNDS && find_fractions(b, n == MAX_ROUNDS); ++n) {
        scale_impulses(b);
        memcpy(s->velocity, s->velocity_unwarmed, bytes);
        joints_prepare(b, dt, 1.0);
        kernels()->warm_start(s->batches, s->batch_count, &as_is, s->inverse_mass, s->displacement,
                              s->velocity);
    }
}
