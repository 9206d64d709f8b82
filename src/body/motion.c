// Rigid-body kinematics: the state is momentum and angular momentum, velocities follow from them; inertia in
// world axes; free rotation by symmetric splitting [mclachlan1993].
#include "body/body.h"

vec3 body_velocity(const struct bodies *b, int i)
{
    return v3_scale(b->state[i].momentum, 1.0 / b->slots[i].body->def.mass);
}

// Rotation from principal to world axes.
static quat principal_rotation(const struct bodies *b, int i)
{
    return quat_mul(b->state[i].rotation, b->slots[i].body->principal_axes);
}

vec3 body_angular_velocity(const struct bodies *b, int i)
{
    const vec3 inertia = b->slots[i].body->principal_inertia;
    const quat q = principal_rotation(b, i);
    const vec3 l = quat_rotate_inverse(q, b->state[i].angular_momentum);
    return quat_rotate(q, v3(l.x / inertia.x, l.y / inertia.y, l.z / inertia.z));
}

vec3 body_angular_momentum(const struct bodies *b, int i, vec3 angular_velocity)
{
    const vec3 inertia = b->slots[i].body->principal_inertia;
    const quat q = principal_rotation(b, i);
    const vec3 w = quat_rotate_inverse(q, angular_velocity);
    return quat_rotate(q, v3(w.x * inertia.x, w.y * inertia.y, w.z * inertia.z));
}

// R diag(d) R^T
static mat3 rotate_diagonal(const mat3 *r, vec3 d)
{
    mat3 out;
    for (int k = 0; k < 3; ++k)
        for (int m = 0; m <= k; ++m)
            out.m[k][m] = out.m[m][k] =
                r->m[k][0] * d.x * r->m[m][0] + r->m[k][1] * d.y * r->m[m][1] + r->m[k][2] * d.z * r->m[m][2];
    return out;
}

mat3 body_inertia(const struct bodies *b, int i)
{
    const mat3 r = quat_to_matrix(principal_rotation(b, i));
    return rotate_diagonal(&r, b->slots[i].body->principal_inertia);
}

void body_inertia_and_inverse(const struct bodies *b, int i, mat3 *inertia, mat3 *inverse)
{
    const mat3 r = quat_to_matrix(principal_rotation(b, i));
    const vec3 d = b->slots[i].body->principal_inertia;
    *inertia = rotate_diagonal(&r, d);
    *inverse = rotate_diagonal(&r, v3(1.0 / d.x, 1.0 / d.y, 1.0 / d.z));
}

// The comparisons are false for a NaN.
bool body_is_valid(const struct bodies *b, int i)
{
    const struct body_state *state = &b->state[i];
    const struct body *body = b->slots[i].body;
    const double max_momentum = 1e6 * body->def.mass,
                 max_angular_momentum =
                     1e6 * fmin(body->principal_inertia.x,
                                fmin(body->principal_inertia.y, body->principal_inertia.z));
    return v3_dot(state->position, state->position) <= 1e14 &&
           v3_dot(state->momentum, state->momentum) <= max_momentum * max_momentum &&
           (v3_dot(state->angular_momentum, state->angular_momentum) <=
                max_angular_momentum * max_angular_momentum ||
            v3_length(body_angular_velocity(b, i)) <= 1e6) &&
           fabs(state->rotation.w) <= 2.0;
}

void body_project_to_plane(struct bodies *b, int i)
{
    struct body_state *state = &b->state[i];
    state->position.z = state->momentum.z = state->angular_momentum.x = state->angular_momentum.y = 0.0;
    state->rotation = quat_normalize((quat){state->rotation.w, 0.0, 0.0, state->rotation.z});
}

void bodies_project_to_plane(struct bodies *b)
{
    for (int i = 0; i < b->slot_count; ++i) body_project_to_plane(b, i);
}

// False for a NaN too.
static bool is_within(vec3 v, double limit)
{
    return fabs(v.x) <= limit && fabs(v.y) <= limit && fabs(v.z) <= limit;
}

bool motion_is_valid(const tarn_body_state *m)
{
    const quat q = m->rotation;
    const bool is_rotation = is_within(v3(q.x, q.y, q.z), 10.0) && fabs(q.w) <= 10.0 && // as PARAM_QUAT
                             q.w * q.w + q.x * q.x + q.y * q.y + q.z * q.z > 1e-12;
    return is_rotation && is_within(m->position, MAX_BODY_COORDINATE) &&
           is_within(m->velocity, MAX_BODY_SPEED) && is_within(m->angular_velocity, MAX_BODY_SPEED);
}

double body_energy(const struct bodies *b, int i, double gravity)
{
    const struct body_state *state = &b->state[i];
    return 0.5 * v3_dot(state->momentum, body_velocity(b, i)) +
           0.5 * v3_dot(state->angular_momentum, body_angular_velocity(b, i)) +
           b->slots[i].body->def.mass * b->slots[i].body->def.gravity_scale * gravity * state->position.y;
}

// Rotation about one principal axis at the rate L_k/I_k, with the angular momentum constant in world axes.
static quat rotate_about_axis(quat q, vec3 angular_momentum, vec3 inertia, int axis, double dt)
{
    const vec3 body_momentum = quat_rotate_inverse(q, angular_momentum);
    const double rate[3] = {body_momentum.x / inertia.x, body_momentum.y / inertia.y,
                            body_momentum.z / inertia.z};
    const double half_angle = 0.5 * dt * rate[axis];
    if (half_angle == 0.0) return q; // planar worlds: two of the three axes
    const double sine = m_sin(half_angle);
    return quat_mul(
        q, (quat){m_cos(half_angle), axis == 0 ? sine : 0.0, axis == 1 ? sine : 0.0, axis == 2 ? sine : 0.0});
}

// Free rotation by symmetric splitting about the principal axes (x/2 y/2 z y/2 x/2) [mclachlan1993]. Angular
// momentum is conserved exactly and the energy error stays bounded; explicit schemes gain energy without
// limit.
static quat rotate_split(quat q, vec3 angular_momentum, vec3 inertia, double dt)
{
    static const int order[5] = {0, 1, 2, 1, 0};
    for (int k = 0; k < 5; ++k)
        q = rotate_about_axis(q, angular_momentum, inertia, order[k], order[k] == 2 ? dt : 0.5 * dt);
    return quat_normalize(q);
}

// The energy error of the splitting is bounded for rotations of at most half a radian per substep. The limit
// of 1000 substeps bounds the cost of a diverging body.
static int rotation_substeps(vec3 angular_momentum, vec3 inertia, double dt)
{
    const double min_inertia = fmin(inertia.x, fmin(inertia.y, inertia.z)),
                 max_inertia = fmax(inertia.x, fmax(inertia.y, inertia.z));
    if (max_inertia - min_inertia < 1e-12 * max_inertia) return 1; // isotropic inertia: one rotation is exact
    const double n = ceil(v3_length(angular_momentum) / min_inertia * dt / 0.5);
    return n >= 1.0 ? (int)fmin(n, 1000.0) : 1; // NaN gives 1; body_is_valid() reports it after the step
}

void body_rotate(struct bodies *b, int i, vec3 angular_momentum, double dt)
{
    const struct body *body = b->slots[i].body;
    const int n = rotation_substeps(angular_momentum, body->principal_inertia, dt);
    quat q = principal_rotation(b, i);
    for (int k = 0; k < n; ++k) q = rotate_split(q, angular_momentum, body->principal_inertia, dt / n);
    b->state[i].rotation = quat_normalize(quat_mul(q, quat_conjugate(body->principal_axes)));
}

void body_rotate_steadily(struct bodies *b, int i, double dt)
{
    if (v3_dot(b->state[i].angular_momentum, b->state[i].angular_momentum) == 0.0) return;
    const vec3 spin = body_angular_velocity(b, i);
    const quat turn = quat_from_rotation_vector(v3_scale(spin, dt));
    b->state[i].rotation = quat_normalize(quat_mul(turn, b->state[i].rotation));
    b->state[i].angular_momentum = body_angular_momentum(b, i, spin);
}
