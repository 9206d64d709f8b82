// How bodies with contacts move: in short steps, each with kicks, impacts, impulses, motion, and places moved out of each
// other without giving speed. Many short steps with few passes beat few with many. [macklin2019]
#include "body/collide/contact.h"

#include <string.h>

#define MAX_IMPACT_ROUNDS     24    // of impacts handed on in one short step
#define IMPACT_ITERATIONS     10    // over the impacts of a round; the last is for friction
#define RESTITUTION_THRESHOLD 0.1   // [m/s] at which bodies meet without a bounce
#define REDETECT_ANGLE        0.25  // [rad] in a short step
#define SPLITTING_ANGLE       0.02  // [rad]
#define MIN_ITERATIONS        2     // over the contacts of a short step, at least
#define MAX_ITERATIONS        8     // of what moves
#define MAX_COLD_ITERATIONS   40    // of what stands without impulses to begin with
#define MAX_COLD_WORK         20000 // contacts times passes
#define UNSETTLED_RATIO       20    // one octet in so many
#define JOINT_TOLERANCE       0.05  // [pull] speed that joints may be off when their passes end
#define MIN_JOINT_ITERATIONS  6     // hold a chain of ten links to 1 mm
// Of the friction that a short step begins with: what was right for a tower that leaned one way is wrong when it leans the
// other, and would keep it swaying.
#define FRICTION_WARM_START 0.9f
#define CONTACT_CORRECTION  0.2f // part of an overlap that a short step takes back
#define SLEEP_DISTANCE      0.03 // of its radius that a body may move while it counts as still

static const struct contact_kernels *kernels(void) { return KERNELS_SELECT(contact_kernels); }

static void set_motion(struct solver_motion *m, vec3 v, vec3 w)
{
    *m = (struct solver_motion){{(float)v.x, (float)v.y, (float)v.z, (float)w.x, (float)w.y, (float)w.z}};
}

// Kick the bodies and note how they move.
static void apply_impulses_and_load(struct bodies *b, double dt)
{
    struct solver *s = &b->dynamics->solver;
    for (int k = 0; k < s->body_count; ++k) {
        const int i = s->slot_of_body[k];
        struct body_state *h = &b->state[i];
        const float was = s->inverse_mass[k].m[0];
        s->inverse_mass[k] = (struct solver_inverse_mass){{0}};
        if (!body_is_dynamic(b, i)) {
            set_motion(&s->velocity[k], body_velocity(b, i), body_angular_velocity(b, i));
            set_motion(&s->acceleration[k], v3(0, 0, 0), v3(0, 0, 0));
            s->stored_velocity[k] = s->velocity[k];
            continue;
        }
        const struct applied_impulse *kick = &b->applied[i];
        h->momentum = v3_add(h->momentum, kick->linear);
        h->angular_momentum = v3_add(h->angular_momentum, kick->angular);
        const double m = b->slots[i].body->def.mass, light = 1.0 / m,
                     easy = 1.0 / (1.0 + kick->added_inertia);
        mat3 back;
        body_inertia_and_inverse(b, i, &s->inertia[k], &back);
        s->inverse_mass[k] = (struct solver_inverse_mass){
            {(float)(1.0 / (m + kick->added_mass)), (float)(easy * back.m[0][0]),
             (float)(easy * back.m[0][1]), (float)(easy * back.m[0][2]), (float)(easy * back.m[1][1]),
             (float)(easy * back.m[1][2]), (float)(easy * back.m[2][2])}};
        // What moves along has changed: pushes that were weighed for more would throw it, ever further.
        s->batches_are_new |= s->inverse_mass[k].m[0] != was;
        set_motion(&s->velocity[k], v3_scale(h->momentum, light), mat3_mul(&back, h->angular_momentum));
        set_motion(&s->acceleration[k], v3_scale(kick->linear, light / dt),
                   mat3_mul(&back, v3_scale(kick->angular, 1.0 / dt)));
        s->stored_velocity[k] = s->velocity[k];
    }
}

static void load_collider_velocities(const struct dynamics *e)
{
    const struct solver *s = &e->solver;
    for (int k = 0; k < e->collider_count; ++k)
        set_motion(&s->velocity[s->body_count + 1 + k], e->colliders[k].velocity,
                   e->colliders[k].angular_velocity);
}

// A change of speed that contacts and joints made: what they gave, and what of that went to what moves along.
static void account_impulse(struct bodies *b, int i, vec3 dv)
{
    const double along = b->applied[i].added_mass;
    b->added_mass_impulse[i] = v3_madd(b->added_mass_impulse[i], along, dv);
    b->dynamics->environment_impulse =
        v3_madd(b->dynamics->environment_impulse, b->slots[i].body->def.mass + along, dv);
}

// What the solver changed, into the momenta.
static void store_velocities(struct bodies *b)
{
    struct solver *s = &b->dynamics->solver;
    for (int k = 0; k < s->body_count; ++k) {
        const float *now = s->velocity[k].v, *was = s->stored_velocity[k].v;
        const int i = s->slot_of_body[k];
        if (!body_is_dynamic(b, i) || memcmp(now, was, 6 * sizeof *now) == 0) continue;
        const double m = b->slots[i].body->def.mass;
        const vec3 dv = v3((double)now[0] - was[0], (double)now[1] - was[1], (double)now[2] - was[2]);
        const vec3 dw = v3((double)now[3] - was[3], (double)now[4] - was[4], (double)now[5] - was[5]);
        b->state[i].momentum = v3_madd(b->state[i].momentum, m, dv);
        b->state[i].angular_momentum = v3_add(b->state[i].angular_momentum, mat3_mul(&s->inertia[k], dw));
        account_impulse(b, i, dv);
        s->stored_velocity[k] = s->velocity[k];
    }
}

// Move by dt. A body that nothing touched, under a force that does not depend on where it is, flies on a parabola
// and turns freely, both as exactly as can be. One that is held is moved out of what it overlaps as well.
static void integrate_free(struct bodies *b, int i, double dt)
{
    struct body_state *h = &b->state[i];
    vec3 p = h->momentum;
    if (b->applied[i].is_uniform) p = v3_madd(p, -0.5, b->applied[i].linear);
    h->position = v3_madd(h->position, dt / b->slots[i].body->def.mass, p);
    body_rotate(b, i, h->angular_momentum, dt);
}

static void integrate_constrained(struct bodies *b, int i, int mover, double dt)
{
    const struct solver *s = &b->dynamics->solver;
    const float *v = s->velocity[mover].v, *was = s->stored_velocity[mover].v, *to = s->displacement[mover].v,
                *led = s->velocity_unwarmed[mover].v;
    double step[6];
    for (int n = 0; n < 6; ++n) step[n] = dt * v[n] + ((double)to[n] - led[n]);
    b->state[i].position = v3_add(b->state[i].position, v3(step[0], step[1], step[2]));
    vec3 turn = v3(step[3], step[4], step[5]);
    const double fast = dt * dt * ((double)v[3] * v[3] + (double)v[4] * v[4] + (double)v[5] * v[5]);
    if (fast > SPLITTING_ANGLE * SPLITTING_ANGLE) { // one turn about the spin would add energy
        const vec3 dw = v3((double)v[3] - was[3], (double)v[4] - was[4], (double)v[5] - was[5]);
        body_rotate(b, i, v3_add(b->state[i].angular_momentum, mat3_mul(&s->inertia[mover], dw)), dt);
        turn = v3((double)to[3] - led[3], (double)to[4] - led[4], (double)to[5] - led[5]);
    }
    b->state[i].rotation = quat_normalize(quat_mul(quat_from_rotation_vector(turn), b->state[i].rotation));
}

static void integrate_positions(struct bodies *b, double dt)
{
    const struct solver *s = &b->dynamics->solver;
    for (int k = 0; k < s->body_count; ++k) {
        const bool alone = memcmp(&s->velocity[k], &s->stored_velocity[k], 6 * sizeof(float)) == 0 &&
                           memcmp(&s->displacement[k], &s->velocity_unwarmed[k], 6 * sizeof(float)) == 0;
        if (alone)
            integrate_free(b, s->slot_of_body[k], dt);
        else
            integrate_constrained(b, s->slot_of_body[k], k, dt);
    }
}

// Impacts: those who meet part with their restitution, all at once; whom that throws against others are next. A row
// of balls hands a blow on to its last one. [smith2012]
static void solve_impacts(struct bodies *b, const struct contact_step *pace, float slow)
{
    struct solver *s = &b->dynamics->solver;
    for (int n = 0; n < MAX_IMPACT_ROUNDS; ++n) {
        if (!kernels()->detect_impacts(s->batches, s->batch_count, pace, slow, s->displacement,
                                       s->acceleration, s->velocity))
            return;
        for (int k = 0; k < IMPACT_ITERATIONS; ++k)
            kernels()->solve_impacts(s->batches, s->batch_count, s->inverse_mass, k == IMPACT_ITERATIONS - 1,
                                     s->velocity);
    }
}

static float max_gravity_speed(const struct solver *s, double dt)
{
    float most = 0.0f;
    for (int k = 0; k < s->body_count; ++k)
        for (int i = 0; i < 3; ++i) {
            const float pull = fabsf(s->acceleration[k].v[i]);
            most = pull > most ? pull : most;
        }
    return most * (float)dt;
}

// Where the speeds lead, before overlaps are taken back.
static void predict_displacements(struct solver *s, int fixtures, double dt)
{
    for (int k = 0; k < s->body_count + 1 + fixtures; ++k)
        for (int n = 0; n < 6; ++n) {
            s->displacement[k].v[n] += (float)dt * s->velocity[k].v[n];
            s->velocity_unwarmed[k].v[n] = s->displacement[k].v[n];
        }
}

// Two passes do when impulses are known from before; more while one octet in twenty still changes. Many, while that is a
// good part of what gravity adds and yet no more: then something stands that nobody has impulses for, a tower that was
// just put there.
static bool needs_iteration(const struct dynamics *e, int passes, const struct contact_residual *u,
                            double strain)
{
    const int octets = e->solver.batch_count;
    if (passes < (e->joints.slot_count ? MIN_JOINT_ITERATIONS : MIN_ITERATIONS)) return true;
    if (passes < MAX_COLD_ITERATIONS && strain > 1.0) return true;
    if (passes < MAX_ITERATIONS) return UNSETTLED_RATIO * u->above_small > octets;
    const int many = imin(MAX_COLD_ITERATIONS, MAX_COLD_WORK / imax(e->contacts.count, 1));
    return passes < many && !u->above_large && UNSETTLED_RATIO * u->above_medium > octets;
}

static void solver_step(struct bodies *b, double dt)
{
    struct dynamics *e = b->dynamics;
    struct solver *s = &e->solver;
    apply_impulses_and_load(b, dt);
    load_collider_velocities(e);
    kernels()->prepare_masses(s->batches, s->batch_count, s->batches_are_new, s->inverse_mass,
                              s->displacement);
    s->batches_are_new = false;
    const double again = e->last_dt > 0.0 ? dt / e->last_dt : 0.0;
    e->last_dt = dt;
    const float pull = fmaxf(max_gravity_speed(s, dt), 1e-6f);
    const struct contact_step pace = {(float)dt,
                                      (float)(1.0 / dt),
                                      CONTACT_CORRECTION,
                                      (float)(MAX_CORRECTION_SPEED * dt),
                                      pull,
                                      (float)again,
                                      (float)again * FRICTION_WARM_START};
    solve_impacts(b, &pace, fmaxf((float)RESTITUTION_THRESHOLD, 3.0f * pull));
    bodies_warm_start(b, &pace, dt, again);
    struct contact_residual unrest = {0};
    // Joints that do not agree yet, such as light beams that hold heavy logs, get more passes.
    const double calm = JOINT_TOLERANCE * (double)pull;
    double strain = 0.0; // [calm]
    for (int n = 0; needs_iteration(e, n, &unrest, strain); ++n) {
        strain = joints_solve_velocities(b) / calm;
        unrest = kernels()->solve_velocities(s->batches, s->batch_count, &pace, n & 1, s->inverse_mass,
                                             s->velocity);
    }
    predict_displacements(s, e->collider_count, dt);
    kernels()->correct_positions(s->batches, s->batch_count, &pace, s->inverse_mass, s->displacement);
    joints_prepare_positions(b, dt);
    strain = 0.0;
    for (int n = 0;
         e->joints.slot_count && (n < MIN_JOINT_ITERATIONS || (n < MAX_COLD_ITERATIONS && strain > 1.0)); ++n)
        strain = joints_solve_positions(b) / (calm * dt);
    integrate_positions(b, dt);
    store_velocities(b);
}

// Did a body get farther than was looked for, or does one turn so fast that other corners are in front now? Not if that
// has just been looked for: the speeds are those of the last short step since.
static bool has_left_margin(const struct bodies *b, double dt)
{
    const struct dynamics *e = b->dynamics;
    if (!(e->detection_time_left < e->detection_interval)) return false;
    for (int k = 0; k < e->solver.body_count; ++k) {
        const int i = e->solver.slot_of_body[k];
        const vec3 d = v3_sub(b->state[i].position, e->detection_position[i]);
        if (v3_dot(d, d) > e->margin[i] * e->margin[i]) return true;
        const float *w = e->solver.velocity[k].v + 3;
        const double turn = dt * dt * ((double)w[0] * w[0] + (double)w[1] * w[1] + (double)w[2] * w[2]);
        if (e->solver.colours[k] && turn > REDETECT_ANGLE * REDETECT_ANGLE) return true;
    }
    return false;
}

// A sleeper wakes when the force on it changes by a thousandth.
static void wake_on_force_change(struct bodies *b, double dt)
{
    for (int i = 0; i < b->slot_count; ++i) {
        if (!body_exists(b, i) || !body_is_dynamic(b, i)) continue;
        struct body_state *h = &b->state[i];
        const vec3 force = v3_scale(b->applied[i].linear, 1.0 / dt), d = v3_sub(force, h->last_force);
        if (b->dynamics->is_asleep[i])
            account_impulse(b, i,
                            v3_scale(b->applied[i].linear, -1.0 / b->slots[i].body->def.mass)); // it lies
        if (v3_dot(d, d) <= 1e-6 * v3_dot(h->last_force, h->last_force)) continue;
        h->last_force = force;
        if (b->dynamics->is_asleep[i]) body_wake(b, i);
    }
}

vec3 bodies_advance(struct bodies *b, const struct body_domain *w, double dt)
{
    struct dynamics *e = b->dynamics;
    memset(b->added_mass_impulse, 0, (size_t)b->slot_count * sizeof *b->added_mass_impulse);
    wake_on_force_change(b, dt);
    e->colliders = w->colliders; // as many as were looked at
    if (e->detection_time_left < 0.5 * dt || has_left_margin(b, dt))
        e->out_of_memory |= !bodies_detect_contacts(b, w, e->detection_interval);
    solver_step(b, dt);
    e->detection_time_left -= dt;
    memset(b->applied, 0, (size_t)b->slot_count * sizeof *b->applied);
    const vec3 given = e->environment_impulse;
    e->environment_impulse = v3(0, 0, 0);
    return given;
}

void body_wake(struct bodies *b, int i) { b->state[i].sleep_timer = 0.0; }

// So slow that it may be asleep already, or fall asleep.
bool body_is_slow(const struct bodies *b, int i)
{
    const double r = b->slots[i].body->geometry->bounding_radius, most = fmin(RESTITUTION_THRESHOLD, 2.0 * r);
    return v3_length(body_velocity(b, i)) + r * v3_length(body_angular_velocity(b, i)) < most;
}

// Still is who does not get anywhere: a tremble that leads nowhere is no motion, a creep is.
static void update_sleep_timer(struct body_state *h, double radius, double dt)
{
    const vec3 d = v3_sub(h->position, h->sleep_test_position);
    const quat q = quat_mul(quat_conjugate(h->sleep_test_rotation), h->rotation);
    const double turned = 2.0 * sqrt(q.x * q.x + q.y * q.y + q.z * q.z);
    h->sleep_timer = fmin(h->sleep_timer + dt, 1.0);
    if (v3_length(d) + radius * turned < SLEEP_DISTANCE * radius) return;
    h->sleep_timer = 0.0;
    h->sleep_test_position = h->position, h->sleep_test_rotation = h->rotation;
}

bool bodies_begin_step(struct bodies *b, const struct body_domain *w, double within)
{
    return events_begin_step(b) && bodies_detect_contacts(b, w, within);
}

bool bodies_end_step(struct bodies *b, double dt)
{
    struct dynamics *e = b->dynamics;
    memset(b->added_mass_impulse, 0, (size_t)b->slot_count * sizeof *b->added_mass_impulse);
    batches_store_impulses(b);
    e->out_of_memory |= !events_end_step(b);
    e->solver.batch_count = 0; // they are in the contacts now
    for (int k = 0; k < e->contacts.count; ++k)
        e->contacts.current[k].impact_impulse = e->contacts.current[k].impact_speed = 0.0f;
    for (int i = 0; i < b->slot_count; ++i) {
        if (!body_exists(b, i)) continue;
        update_sleep_timer(&b->state[i], b->slots[i].body->geometry->bounding_radius, dt);
    }
    return !e->out_of_memory;
}
