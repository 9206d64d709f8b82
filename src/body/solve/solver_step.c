// One solver step: applied impulses, impacts, warm start, velocity iterations, position correction,
// integration. Many small steps with few iterations converge faster than few steps with many iterations
// [macklin2019].
#include "body/solve/dynamics.h"

#include <string.h>

#define MAX_IMPACT_ROUNDS     24   // rounds of impact propagation in a solver step
#define IMPACT_ITERATIONS     10   // per round; the last one is for friction
#define RESTITUTION_THRESHOLD 0.1  // [m/s] closing speed below which restitution is 0
#define REDETECT_ANGLE        0.25 // [rad] rotation per solver step that triggers a new detection
#define SPLITTING_ANGLE       0.02 // [rad] rotation per solver step above which it is integrated by splitting
#define MIN_ITERATIONS        2    // velocity iterations, at least
#define MAX_ITERATIONS        8    // velocity iterations of moving contacts
#define MAX_COLD_ITERATIONS   40   // velocity iterations of resting contacts without warm-start impulses
#define MAX_COLD_WORK         20000 // limit of contacts times iterations
#define UNSETTLED_RATIO       20    // iterate while more than one batch in so many changes
#define JOINT_TOLERANCE       0.05  // of gravity_speed: residual joint velocity that ends the iteration
#define MIN_JOINT_ITERATIONS  6     // keep a chain of ten links within 1 mm
// Fraction of the friction impulses used for warm starting. Full friction of the last step is wrong for a
// tower that has reversed its sway, and sustains the oscillation.
#define FRICTION_WARM_START 0.9f
#define CONTACT_CORRECTION  0.2f // fraction of a penetration corrected per solver step
#define SLEEP_DISTANCE      0.03 // of the bounding radius: motion that restarts the sleep timer

static const struct contact_kernels *kernels(void) { return KERNELS_SELECT(contact_kernels); }

static void set_motion(struct solver_motion *m, vec3 v, vec3 w)
{
    *m = (struct solver_motion){{(float)v.x, (float)v.y, (float)v.z, (float)w.x, (float)w.y, (float)w.z}};
}

// Damping besides that of the water: v' = -c v, solved exactly.
static void apply_damping(struct bodies *b, int i, double dt)
{
    const tarn_body_def *def = &b->slots[i].body->def;
    struct body_state *state = &b->state[i];
    const double linear = m_exp(-dt * def->linear_damping), angular = m_exp(-dt * def->angular_damping);
    b->dynamics->environment_impulse =
        v3_madd(b->dynamics->environment_impulse, linear - 1.0, state->momentum);
    state->momentum = v3_scale(state->momentum, linear);
    state->angular_momentum = v3_scale(state->angular_momentum, angular);
}

// Removes the locked part of the applied impulse; the reaction of the locks is an impulse of the environment.
static void restrict_applied_impulse(struct bodies *b, int i)
{
    struct applied_impulse *applied = &b->applied[i];
    const vec3 whole = applied->linear;
    body_restrict_impulse(b, i, &applied->linear, &applied->angular);
    b->dynamics->environment_impulse =
        v3_add(b->dynamics->environment_impulse, v3_sub(applied->linear, whole));
}

// Adds the applied impulses to the momenta.
static void apply_impulses(struct bodies *b, double dt)
{
    const struct solver *s = &b->dynamics->solver;
    for (int k = 0; k < s->body_count; ++k) {
        const int i = s->slot_of_body[k];
        if (!body_is_dynamic(b, i)) continue;
        const tarn_body_def *def = &b->slots[i].body->def;
        if (def->linear_damping > 0.0 || def->angular_damping > 0.0) apply_damping(b, i, dt);
        if (body_has_locks(b, i)) restrict_applied_impulse(b, i);
        b->state[i].momentum = v3_add(b->state[i].momentum, b->applied[i].linear);
        b->state[i].angular_momentum = v3_add(b->state[i].angular_momentum, b->applied[i].angular);
    }
}

// Loads velocities, accelerations and inverse masses, added mass included.
static void load_solver_bodies(struct bodies *b, double dt)
{
    struct solver *s = &b->dynamics->solver;
    for (int k = 0; k < s->body_count; ++k) {
        const int i = s->slot_of_body[k];
        const struct body_state *state = &b->state[i];
        const float previous_mass = s->inverse_mass[k].m[0];
        s->inverse_mass[k] = (struct solver_inverse_mass){{0}};
        if (!body_is_dynamic(b, i)) {
            set_motion(&s->velocity[k], body_velocity(b, i), body_angular_velocity(b, i));
            set_motion(&s->acceleration[k], v3(0, 0, 0), v3(0, 0, 0));
            s->stored_velocity[k] = s->velocity[k];
            continue;
        }
        const struct applied_impulse *impulse = &b->applied[i];
        const double m = b->slots[i].body->def.mass, inverse_mass = 1.0 / m,
                     inertia_factor = 1.0 / (1.0 + impulse->added_inertia);
        mat3 inverse;
        body_inertia_and_inverse(b, i, &s->inertia[k], &inverse);
        if (body_has_locks(b, i)) inverse = body_restricted_inverse_inertia(b, i);
        s->inverse_mass[k] = (struct solver_inverse_mass){
            {(float)(1.0 / (m + impulse->added_mass)), (float)(inertia_factor * inverse.m[0][0]),
             (float)(inertia_factor * inverse.m[0][1]), (float)(inertia_factor * inverse.m[0][2]),
             (float)(inertia_factor * inverse.m[1][1]), (float)(inertia_factor * inverse.m[1][2]),
             (float)(inertia_factor * inverse.m[2][2]),
             (float)(b->slots[i].body->lock_code & LOCKED_TRANSLATION)}};
        // The added mass has changed: effective masses computed for a larger one would overestimate the
        // impulses.
        s->batches_are_new |= s->inverse_mass[k].m[0] != previous_mass;
        set_motion(&s->velocity[k], v3_scale(state->momentum, inverse_mass),
                   mat3_mul(&inverse, state->angular_momentum));
        set_motion(&s->acceleration[k], v3_scale(impulse->linear, inverse_mass / dt),
                   mat3_mul(&inverse, v3_scale(impulse->angular, 1.0 / dt)));
        s->stored_velocity[k] = s->velocity[k];
    }
}

static void load_collider_velocities(struct dynamics *dyn)
{
    struct solver *s = &dyn->solver;
    for (int k = 0; k < dyn->collider_count; ++k)
        set_motion(&s->velocity[s->body_count + 1 + k], dyn->colliders[k].velocity,
                   dyn->colliders[k].angular_velocity);
}

// Books the impulse of contacts and joints for a velocity change dv: (m + m_a) dv in total, m_a dv on the
// added mass.
static void account_impulse(struct bodies *b, int i, vec3 dv)
{
    const double added_mass = b->applied[i].added_mass;
    b->added_mass_impulse[i] = v3_madd(b->added_mass_impulse[i], added_mass, dv);
    b->dynamics->environment_impulse =
        v3_madd(b->dynamics->environment_impulse, b->slots[i].body->def.mass + added_mass, dv);
}

// Adds the velocity changes of the solver to the momenta.
static void store_velocities(struct bodies *b)
{
    struct solver *s = &b->dynamics->solver;
    for (int k = 0; k < s->body_count; ++k) {
        const float *v = s->velocity[k].v, *stored = s->stored_velocity[k].v;
        const int i = s->slot_of_body[k];
        if (!body_is_dynamic(b, i) || memcmp(v, stored, 6 * sizeof *v) == 0) continue;
        const double m = b->slots[i].body->def.mass;
        const vec3 dv = v3((double)v[0] - stored[0], (double)v[1] - stored[1], (double)v[2] - stored[2]);
        const vec3 dw = v3((double)v[3] - stored[3], (double)v[4] - stored[4], (double)v[5] - stored[5]);
        b->state[i].momentum = v3_madd(b->state[i].momentum, m, dv);
        b->state[i].angular_momentum = v3_add(b->state[i].angular_momentum, mat3_mul(&s->inertia[k], dw));
        account_impulse(b, i, dv);
        s->stored_velocity[k] = s->velocity[k];
    }
}

// Free motion for dt. Under a uniform force the momentum at half step gives the exact parabola; the rotation
// is that of a free rigid body.
static void integrate_free(struct bodies *b, int i, double dt)
{
    struct body_state *state = &b->state[i];
    vec3 p = state->momentum;
    if (b->applied[i].is_uniform) p = v3_madd(p, -0.5, b->applied[i].linear);
    state->position = v3_madd(state->position, dt / b->slots[i].body->def.mass, p);
    if (body_has_locks(b, i))
        body_rotate_restricted(b, i, dt);
    else if (body_is_dynamic(b, i))
        body_rotate(b, i, state->angular_momentum, dt);
    else
        body_rotate_steadily(b, i, dt);
}

// Motion with contacts or joints: velocity times dt plus the position correction.
static void integrate_constrained(struct bodies *b, int i, int k, double dt)
{
    const struct solver *s = &b->dynamics->solver;
    const float *v = s->velocity[k].v, *stored = s->stored_velocity[k].v, *corrected = s->displacement[k].v,
                *predicted = s->displacement_predicted[k].v;
    double motion[6];
    for (int n = 0; n < 6; ++n) motion[n] = dt * v[n] + ((double)corrected[n] - predicted[n]);
    b->state[i].position = v3_add(b->state[i].position, v3(motion[0], motion[1], motion[2]));
    vec3 rotation = v3(motion[3], motion[4], motion[5]);
    const double angle_squared = dt * dt * ((double)v[3] * v[3] + (double)v[4] * v[4] + (double)v[5] * v[5]);
    // A rotation about a constant axis would add energy to a fast rotation.
    if (angle_squared > SPLITTING_ANGLE * SPLITTING_ANGLE && !body_has_locks(b, i)) {
        const vec3 dw = v3((double)v[3] - stored[3], (double)v[4] - stored[4], (double)v[5] - stored[5]);
        body_rotate(b, i, v3_add(b->state[i].angular_momentum, mat3_mul(&s->inertia[k], dw)), dt);
        rotation = v3((double)corrected[3] - predicted[3], (double)corrected[4] - predicted[4],
                      (double)corrected[5] - predicted[5]);
    }
    b->state[i].rotation =
        quat_normalize(quat_mul(quat_from_rotation_vector(rotation), b->state[i].rotation));
}

static void integrate_positions(struct bodies *b, double dt)
{
    const struct solver *s = &b->dynamics->solver;
    for (int k = 0; k < s->body_count; ++k) {
        const bool is_free =
            memcmp(&s->velocity[k], &s->stored_velocity[k], 6 * sizeof(float)) == 0 &&
            memcmp(&s->displacement[k], &s->displacement_predicted[k], 6 * sizeof(float)) == 0;
        if (is_free)
            integrate_free(b, s->slot_of_body[k], dt);
        else
            integrate_constrained(b, s->slot_of_body[k], k, dt);
    }
}

// Impact propagation [smith2012]: all present impacts are resolved together, then those that they cause,
// round by round. A row of balls transmits an impulse to the last one.
static void solve_impacts(struct bodies *b, const struct contact_step *step, float threshold)
{
    struct solver *s = &b->dynamics->solver;
    for (int n = 0; n < MAX_IMPACT_ROUNDS; ++n) {
        if (!kernels()->detect_impacts(s->batches, s->batch_count, step, threshold, s->displacement,
                                       s->acceleration, s->velocity))
            return;
        for (int k = 0; k < IMPACT_ITERATIONS; ++k)
            kernels()->solve_impacts(s->batches, s->batch_count, s->inverse_mass, k == IMPACT_ITERATIONS - 1,
                                     s->velocity);
    }
}

static float max_gravity_speed(const struct solver *s, double dt)
{
    float max_acceleration = 0.0f;
    for (int k = 0; k < s->body_count; ++k)
        for (int i = 0; i < 3; ++i) {
            const float a = fabsf(s->acceleration[k].v[i]);
            max_acceleration = a > max_acceleration ? a : max_acceleration;
        }
    return max_acceleration * (float)dt;
}

// Displacement by the velocities, before position correction.
static void predict_displacements(struct solver *s, int colliders, double dt)
{
    for (int k = 0; k < s->body_count + 1 + colliders; ++k)
        for (int n = 0; n < 6; ++n) {
            s->displacement[k].v[n] += (float)dt * s->velocity[k].v[n];
            s->displacement_predicted[k].v[n] = s->displacement[k].v[n];
        }
}

// Two iterations suffice with warm-start impulses; up to MAX_ITERATIONS while one batch in UNSETTLED_RATIO
// changes. More are needed while the changes are comparable to gravity_speed but none is larger: bodies at
// rest without warm-start impulses, such as a tower that was just created. Joints iterate until their
// residual is small.
static bool needs_iteration(const struct dynamics *dyn, int iterations,
                            const struct contact_residual *residual, double joint_residual)
{
    const int batches = dyn->solver.batch_count;
    if (iterations < (dyn->joints.slot_count ? MIN_JOINT_ITERATIONS : MIN_ITERATIONS)) return true;
    if (iterations < MAX_COLD_ITERATIONS && joint_residual > 1.0) return true;
    if (iterations < MAX_ITERATIONS) return UNSETTLED_RATIO * residual->above_small > batches;
    const int max_cold = imin(MAX_COLD_ITERATIONS, MAX_COLD_WORK / imax(dyn->contacts.count, 1));
    return iterations < max_cold && !residual->above_large &&
           UNSETTLED_RATIO * residual->above_medium > batches;
}

static void record_iterations(struct profile *p, int iterations)
{
    if (p && iterations > p->contact_iterations) p->contact_iterations = iterations;
}

static void solver_step(struct bodies *b, double dt)
{
    struct dynamics *dyn = b->dynamics;
    struct solver *s = &dyn->solver;
    apply_impulses(b, dt);
    load_solver_bodies(b, dt);
    load_collider_velocities(dyn);
    kernels()->prepare_masses(s->batches, s->batch_count, s->batches_are_new, s->inverse_mass,
                              s->displacement);
    s->batches_are_new = false;
    const double factor = dyn->last_dt > 0.0 ? dt / dyn->last_dt : 0.0;
    dyn->last_dt = dt;
    const float gravity_speed = fmaxf(max_gravity_speed(s, dt), 1e-6f);
    const struct contact_step step = {(float)dt,
                                      (float)(1.0 / dt),
                                      CONTACT_CORRECTION,
                                      (float)(MAX_CORRECTION_SPEED * dt),
                                      gravity_speed,
                                      (float)factor,
                                      (float)factor * FRICTION_WARM_START};
    solve_impacts(b, &step, fmaxf((float)RESTITUTION_THRESHOLD, 3.0f * gravity_speed));
    bodies_warm_start(b, &step, dt, factor);
    struct contact_residual residual = {0};
    // Joints with large mass ratios, such as light beams that carry heavy logs, need more iterations.
    const double joint_tolerance = JOINT_TOLERANCE * (double)gravity_speed;
    double joint_residual = 0.0; // in units of the tolerance
    int iterations = 0;
    for (; needs_iteration(dyn, iterations, &residual, joint_residual); ++iterations) {
        joint_residual = joints_solve_velocities(b) / joint_tolerance;
        residual = kernels()->solve_velocities(s->batches, s->batch_count, &step, iterations & 1,
                                               s->inverse_mass, s->velocity);
    }
    record_iterations(b->profile, iterations);
    predict_displacements(s, dyn->collider_count, dt);
    kernels()->correct_positions(s->batches, s->batch_count, &step, s->inverse_mass, s->displacement);
    joints_prepare_positions(b, dt);
    joint_residual = 0.0;
    for (int n = 0; dyn->joints.slot_count &&
                    (n < MIN_JOINT_ITERATIONS || (n < MAX_COLD_ITERATIONS && joint_residual > 1.0));
         ++n)
        joint_residual = joints_solve_positions(b) / (joint_tolerance * dt);
    integrate_positions(b, dt);
    store_velocities(b);
    joints_check_forces(b, dt);
    for (int k = 0; b->any_locks && k < s->body_count; ++k) body_restrict_momenta(b, s->slot_of_body[k]);
}

// True if a body has left the margin of the last detection, or a body with contacts rotates so fast that
// other vertices come into contact. Never right after a detection, because the velocities are those of the
// last solver step.
static bool has_left_margin(const struct bodies *b, double dt)
{
    const struct dynamics *dyn = b->dynamics;
    if (!(dyn->detection_time_left < dyn->detection_interval)) return false;
    for (int k = 0; k < dyn->solver.body_count; ++k) {
        const int i = dyn->solver.slot_of_body[k];
        const vec3 d = v3_sub(b->state[i].position, dyn->detection_position[i]);
        if (v3_dot(d, d) > dyn->margin[i] * dyn->margin[i]) return true;
        const float *spin = dyn->solver.velocity[k].v + 3;
        const double angle_squared =
            dt * dt * ((double)spin[0] * spin[0] + (double)spin[1] * spin[1] + (double)spin[2] * spin[2]);
        if (solver_body_has_contacts(&dyn->solver, k) && angle_squared > REDETECT_ANGLE * REDETECT_ANGLE)
            return true;
    }
    return false;
}

// A sleeping body wakes when the applied force changes by one part in a thousand.
static void wake_on_force_change(struct bodies *b, double dt)
{
    for (int i = 0; i < b->slot_count; ++i) {
        if (!body_exists(b, i) || !body_is_dynamic(b, i)) continue;
        struct body_state *state = &b->state[i];
        const vec3 force = v3_scale(b->applied[i].linear, 1.0 / dt), d = v3_sub(force, state->last_force);
        if (b->dynamics->is_asleep[i])
            account_impulse(
                b, i,
                v3_scale(b->applied[i].linear, -1.0 / b->slots[i].body->def.mass)); // its contacts balance it
        if (v3_dot(d, d) <= 1e-6 * v3_dot(state->last_force, state->last_force)) continue;
        state->last_force = force;
        if (b->dynamics->is_asleep[i]) body_wake(b, i);
    }
}

vec3 bodies_advance(struct bodies *b, const struct body_domain *domain, double dt)
{
    struct dynamics *dyn = b->dynamics;
    memset(b->added_mass_impulse, 0, (size_t)b->slot_count * sizeof *b->added_mass_impulse);
    wake_on_force_change(b, dt);
    dyn->colliders = domain->colliders; // their number is that of the last detection
    if (dyn->detection_time_left < 0.5 * dt || has_left_margin(b, dt))
        dyn->out_of_memory |= !bodies_detect_contacts(b, domain, dyn->detection_interval);
    const double start = profile_start(b->profile);
    solver_step(b, dt);
    profile_stop(b->profile, PHASE_CONTACT_SOLVER, start);
    dyn->detection_time_left -= dt;
    memset(b->applied, 0, (size_t)b->slot_count * sizeof *b->applied);
    const vec3 impulse = dyn->environment_impulse;
    dyn->environment_impulse = v3(0, 0, 0);
    return impulse;
}

void body_wake(struct bodies *b, int i) { b->state[i].sleep_timer = 0.0; }

bool body_is_asleep(const struct bodies *b, int i)
{
    return b->dynamics->is_asleep[i] && b->state[i].sleep_timer > 0.0;
}

// True if the body may be asleep or fall asleep.
bool body_is_slow(const struct bodies *b, int i)
{
    const double r = b->slots[i].body->def.shape->bounding_radius,
                 max_speed = fmin(RESTITUTION_THRESHOLD, 2.0 * r);
    return v3_length(body_velocity(b, i)) + r * v3_length(body_angular_velocity(b, i)) < max_speed;
}

// The sleep timer restarts when the pose differs by more than SLEEP_DISTANCE (of the radius) from the test
// pose: jitter about a fixed pose does not restart it, slow creep does.
static void update_sleep_timer(struct body_state *state, double radius, double dt)
{
    const vec3 d = v3_sub(state->position, state->sleep_test_position);
    const quat q = quat_mul(quat_conjugate(state->sleep_test_rotation), state->rotation);
    const double angle = 2.0 * sqrt(q.x * q.x + q.y * q.y + q.z * q.z);
    state->sleep_timer = fmin(state->sleep_timer + dt, 1.0);
    if (v3_length(d) + radius * angle < SLEEP_DISTANCE * radius) return;
    state->sleep_timer = 0.0;
    state->sleep_test_position = state->position, state->sleep_test_rotation = state->rotation;
}

bool bodies_begin_step(struct bodies *b, const struct body_domain *domain, double interval)
{
    return events_begin_step(b) && bodies_detect_contacts(b, domain, interval);
}

bool bodies_end_step(struct bodies *b, double dt)
{
    struct dynamics *dyn = b->dynamics;
    memset(b->added_mass_impulse, 0, (size_t)b->slot_count * sizeof *b->added_mass_impulse);
    batches_store_impulses(b);
    dyn->out_of_memory |= !events_end_step(b) || !overlaps_update(b) || !joints_remove_broken(b);
    dyn->solver.batch_count = 0; // their impulses are in the contacts now
    for (int k = 0; k < dyn->contacts.count; ++k)
        dyn->contacts.current[k].impact_impulse = dyn->contacts.current[k].impact_speed = 0.0f;
    for (int i = 0; i < b->slot_count; ++i) {
        if (!body_exists(b, i)) continue;
        update_sleep_timer(&b->state[i], b->slots[i].body->def.shape->bounding_radius, dt);
    }
    return !dyn->out_of_memory;
}
