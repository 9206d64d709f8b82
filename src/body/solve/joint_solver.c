// Joint solver: per joint a Cholesky solve of the equality rows, then Gauss-Seidel for motors, springs and
// inequalities; for velocities, and for displacements (position correction).
#include "body/solve/dynamics.h"

#define JOINT_CORRECTION 0.25 // fraction of a position error corrected per solver step

// False for a free slot, a joint that broke in this world step, and one of a body that is not enabled.
static bool is_active(const struct bodies *b, const struct joint *j)
{
    return j && j->breaking_force == 0.0 && body_is_enabled(b, j->a) &&
           (j->b < 0 || body_is_enabled(b, j->b));
}

static vec3 apply_inverse_inertia(const struct solver_inverse_mass *m, vec3 l)
{
    const float *k = m->m;
    return v3(k[1] * l.x + k[2] * l.y + k[3] * l.z, k[2] * l.x + k[4] * l.y + k[5] * l.z,
              k[3] * l.x + k[5] * l.y + k[6] * l.z);
}

// The vector without its components along locked axes.
static vec3 free_components(const struct solver_inverse_mass *m, vec3 v)
{
    const int locked = (int)m->m[7];
    return locked ? v3(locked & 1 ? 0.0 : v.x, locked & 2 ? 0.0 : v.y, locked & 4 ? 0.0 : v.z) : v;
}

// u . (M_a^-1 + M_b^-1) v for translation; `inverse_mass` is the sum of both where nothing is locked.
static double linear_response(const struct solver_inverse_mass *ma, const struct solver_inverse_mass *mb,
                              double inverse_mass, vec3 u, vec3 v)
{
    if (ma->m[7] == 0.0f && mb->m[7] == 0.0f) return v3_dot(u, v) * inverse_mass;
    return ma->m[0] * v3_dot(u, free_components(ma, v)) + mb->m[0] * v3_dot(u, free_components(mb, v));
}

static void apply_row_impulse(struct solver_motion *v, const struct solver_inverse_mass *m, double sign,
                              vec3 linear, vec3 response, double impulse)
{
    const double k = sign * impulse, k_linear = k * m->m[0];
    linear = free_components(m, linear);
    v->v[0] += (float)(k_linear * linear.x), v->v[1] += (float)(k_linear * linear.y),
        v->v[2] += (float)(k_linear * linear.z);
    v->v[3] += (float)(k * response.x), v->v[4] += (float)(k * response.y),
        v->v[5] += (float)(k * response.z);
}

static double row_speed(const struct constraint_row *r, const struct solver_motion *a,
                        const struct solver_motion *b)
{
    const vec3 v = v3(b->v[0] - a->v[0], b->v[1] - a->v[1], b->v[2] - a->v[2]);
    return v3_dot(r->linear, v) + v3_dot(r->angular_b, v3(b->v[3], b->v[4], b->v[5])) -
           v3_dot(r->angular_a, v3(a->v[3], a->v[4], a->v[5]));
}

// An inequality whose limit is not reached. Its bias error/dt lets the error grow to 0 within the step.
static bool is_row_inactive(const struct constraint_row *r) { return r->is_inequality && r->error < 0.0; }

// A spring-damper of stiffness k and damping c, integrated implicitly, is a soft row, stable for any
// stiffness: softness gamma = 1/(dt (c + dt k)), bias = gamma dt k error, 1/m_eff = J M^-1 J^T + gamma
// [catto2005].
static void prepare_row(struct joint *j, int i, const struct solver_inverse_mass *ma,
                        const struct solver_inverse_mass *mb, double dt)
{
    const struct constraint_row *r = &j->rows[i];
    j->response_a[i] = apply_inverse_inertia(ma, r->angular_a),
    j->response_b[i] = apply_inverse_inertia(mb, r->angular_b);
    const double inverse_mass = linear_response(ma, mb, ma->m[0] + mb->m[0], r->linear, r->linear) +
                                v3_dot(r->angular_a, j->response_a[i]) +
                                v3_dot(r->angular_b, j->response_b[i]);
    const double softness_inverse = dt * (r->damping + dt * r->stiffness);
    const bool is_soft = r->stiffness > 0.0 || r->damping > 0.0;
    j->softness[i] = is_soft ? 1.0 / softness_inverse : 0.0;
    j->bias[i] = is_soft              ? r->error * dt * r->stiffness / softness_inverse
                 : is_row_inactive(r) ? r->error / dt
                                      : -r->target_speed;
    const double softened = inverse_mass + j->softness[i];
    j->effective_mass[i] = softened > 0.0 ? 1.0 / softened : 0.0;
}

// Equality rows of a joint are strongly coupled if the arms are long: a small ball on a long rod needs
// hundreds of Gauss-Seidel iterations. They are solved directly: K_ij = J_i M^-1 J_j^T, K = L L^T.
static void factorise(struct joint *j, const struct solver_inverse_mass *ma,
                      const struct solver_inverse_mass *mb)
{
    j->equality_count = 0;
    // effective_mass = 0: both ends are immovable, such as a kinematic body and the world.
    while (j->equality_count < j->row_count && j->softness[j->equality_count] == 0.0 &&
           j->effective_mass[j->equality_count] > 0.0 && isinf(j->rows[j->equality_count].min_impulse) &&
           isinf(j->rows[j->equality_count].max_impulse))
        ++j->equality_count;
    const double inverse_mass = (double)ma->m[0] + mb->m[0];
    for (int i = 0; i < j->equality_count; ++i)
        for (int k = 0; k <= i; ++k) {
            double sum = linear_response(ma, mb, inverse_mass, j->rows[i].linear, j->rows[k].linear) +
                         v3_dot(j->rows[i].angular_a, j->response_a[k]) +
                         v3_dot(j->rows[i].angular_b, j->response_b[k]);
            if (i == k) sum *= 1.0 + 1e-9;
            for (int m = 0; m < k; ++m) sum -= j->cholesky[i][m] * j->cholesky[k][m];
            j->cholesky[i][k] = i == k ? sqrt(fmax(sum, 1e-30)) : sum / j->cholesky[k][k];
        }
}

// The two solver bodies of a joint with what its rows act on: velocities or displacements.
struct joint_bodies {
    struct solver_motion *a, *b;
    const struct solver_inverse_mass *mass_a, *mass_b;
    const double *bias;
    double *accumulated;
};

static void add_row_impulse(struct joint *j, int i, const struct joint_bodies *c, double impulse)
{
    c->accumulated[i] += impulse;
    apply_row_impulse(c->a, c->mass_a, -1.0, j->rows[i].linear, j->response_a[i], impulse);
    apply_row_impulse(c->b, c->mass_b, 1.0, j->rows[i].linear, j->response_b[i], impulse);
}

static double solve_equality_rows(struct joint *j, const struct joint_bodies *c)
{
    double x[JOINT_ROWS], max_residual = 0.0;
    for (int i = 0; i < j->equality_count; ++i) {
        x[i] = -(row_speed(&j->rows[i], c->a, c->b) + c->bias[i]);
        max_residual = fmax(max_residual, fabs(x[i]));
        for (int m = 0; m < i; ++m) x[i] -= j->cholesky[i][m] * x[m];
        x[i] /= j->cholesky[i][i];
    }
    for (int i = j->equality_count - 1; i >= 0; --i) {
        for (int m = i + 1; m < j->equality_count; ++m) x[i] -= j->cholesky[m][i] * x[m];
        x[i] /= j->cholesky[i][i];
    }
    for (int i = 0; i < j->equality_count; ++i) add_row_impulse(j, i, c, x[i]);
    return max_residual;
}

static void solve_row(struct joint *j, int i, const struct joint_bodies *c)
{
    const struct constraint_row *r = &j->rows[i];
    const double residual = row_speed(r, c->a, c->b) + c->bias[i] + j->softness[i] * c->accumulated[i];
    const double sum =
        clamp(c->accumulated[i] - j->effective_mass[i] * residual, r->min_impulse, r->max_impulse);
    add_row_impulse(j, i, c, sum - c->accumulated[i]);
}

static struct joint_bodies joint_bodies_of(const struct solver *s, const struct joint *j,
                                           struct solver_motion *motion)
{
    const int a = solver_body(s, j->a), b = solver_body(s, j->b);
    return (struct joint_bodies){
        .a = &motion[a], .b = &motion[b], .mass_a = &s->inverse_mass[a], .mass_b = &s->inverse_mass[b]};
}

void joints_prepare(struct bodies *b, double dt, double factor)
{
    struct solver *s = &b->dynamics->solver;
    for (int n = 0; n < b->dynamics->joints.slot_count; ++n) {
        struct joint *j = b->dynamics->joints.slots[n].joint;
        if (j) j->row_count = 0;
        if (!is_active(b, j)) continue;
        const struct joint_frame frame = joint_frame_of(b, j, dt);
        struct joint_bodies c = joint_bodies_of(s, j, s->velocity);
        c.accumulated = j->impulse;
        j->row_count = j->kind->build_rows(j, &frame, j->rows);
        for (int i = 0; i < j->row_count; ++i) {
            const struct constraint_row *r = &j->rows[i];
            prepare_row(j, i, c.mass_a, c.mass_b, dt);
            const bool is_idle = is_row_inactive(r) && row_speed(r, c.a, c.b) + j->bias[i] < 0.0;
            const double impulse =
                is_idle ? 0.0 : clamp(factor * j->impulse[i], r->min_impulse, r->max_impulse);
            j->impulse[i] = 0.0;
            add_row_impulse(j, i, &c, impulse);
        }
        factorise(j, c.mass_a, c.mass_b);
    }
}

double joints_solve_velocities(struct bodies *b)
{
    struct solver *s = &b->dynamics->solver;
    double max_residual = 0.0;
    for (int n = 0; n < b->dynamics->joints.slot_count; ++n) {
        struct joint *j = b->dynamics->joints.slots[n].joint;
        if (!is_active(b, j)) continue;
        struct joint_bodies c = joint_bodies_of(s, j, s->velocity);
        c.bias = j->bias, c.accumulated = j->impulse;
        max_residual = fmax(max_residual, solve_equality_rows(j, &c));
        for (int i = j->equality_count; i < j->row_count; ++i) solve_row(j, i, &c);
    }
    return max_residual;
}

// Position correction: JOINT_CORRECTION of the error predicted by the velocities is removed from the
// displacements, as for penetrations. A velocity bias would remain as kinetic energy where contacts act
// against the joint.
void joints_prepare_positions(struct bodies *b, double dt)
{
    struct solver *s = &b->dynamics->solver;
    for (int n = 0; n < b->dynamics->joints.slot_count; ++n) {
        struct joint *j = b->dynamics->joints.slots[n].joint;
        if (!is_active(b, j)) continue;
        const struct joint_bodies v = joint_bodies_of(s, j, s->velocity),
                                  predicted = joint_bodies_of(s, j, s->displacement_predicted);
        for (int i = 0; i < j->row_count; ++i) {
            const struct constraint_row *r = &j->rows[i];
            const double error = r->error + dt * row_speed(r, v.a, v.b),
                         max_correction = MAX_CORRECTION_SPEED * dt;
            j->position_bias[i] = clamp(JOINT_CORRECTION * error, -max_correction, max_correction) -
                                  row_speed(r, predicted.a, predicted.b);
            j->position_impulse[i] = 0.0;
        }
    }
}

double joints_solve_positions(struct bodies *b)
{
    struct solver *s = &b->dynamics->solver;
    double max_residual = 0.0;
    for (int n = 0; n < b->dynamics->joints.slot_count; ++n) {
        struct joint *j = b->dynamics->joints.slots[n].joint;
        if (!is_active(b, j)) continue;
        struct joint_bodies c = joint_bodies_of(s, j, s->displacement);
        c.bias = j->position_bias, c.accumulated = j->position_impulse;
        max_residual = fmax(max_residual, solve_equality_rows(j, &c));
        for (int i = j->equality_count; i < j->row_count; ++i)
            if (j->rows[i].is_inequality) solve_row(j, i, &c);
    }
    return max_residual;
}
