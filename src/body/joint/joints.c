// Pool of joints, rows shared by several kinds, and the joint solver: per joint a Cholesky solve of the
// equality rows, then Gauss-Seidel for motors, springs and inequalities.
#include "body/joint/joint.h"

#include "base/error.h"
#include "body/solve/dynamics.h"

#include <string.h>

#define JOINT_CORRECTION 0.25 // fraction of a position error corrected per solver step

extern const struct joint_kind joint_ball, joint_hinge, joint_spring, joint_line;

static const struct joint_kind *const kinds[] = {
    &joint_ball,
    &joint_hinge,
    &joint_spring,
    &joint_line,
};

const struct joint_kind *joint_kind_at(int index)
{
    return 0 <= index && index < (int)(sizeof kinds / sizeof kinds[0]) ? kinds[index] : NULL;
}

const struct joint_kind *joint_kind_of(const tarn_kind *kind)
{
    for (int i = 0; joint_kind_at(i); ++i)
        if (&kinds[i]->kind == kind) return kinds[i];
    return NULL;
}

// ---- rows ------------------------------------------------------------------------------------------

static struct constraint_row row_along(const struct joint_frame *frame, vec3 direction, double error)
{
    return (struct constraint_row){.linear = direction,
                                   .angular_a = v3_cross(frame->arm_a, direction),
                                   .angular_b = v3_cross(frame->arm_b, direction),
                                   .error = error,
                                   .min_impulse = -INFINITY,
                                   .max_impulse = INFINITY};
}

int rows_coincident(const struct joint_frame *frame, struct constraint_row *out)
{
    const vec3 d = v3_sub(frame->anchor_b, frame->anchor_a);
    out[0] = row_along(frame, v3(1, 0, 0), d.x);
    out[1] = row_along(frame, v3(0, 1, 0), d.y);
    out[2] = row_along(frame, v3(0, 0, 1), d.z);
    return 3;
}

void row_distance(const struct joint_frame *frame, double length, struct constraint_row *out)
{
    const vec3 d = v3_sub(frame->anchor_b, frame->anchor_a);
    const double distance = v3_length(d);
    *out = row_along(frame, distance > 0.0 ? v3_scale(d, 1.0 / distance) : v3(0, 1, 0), distance - length);
}

// ---- pool ------------------------------------------------------------------------------------------

static int body_index_or_world(const struct bodies *b, tarn_body id)
{
    return id.index == 0 && id.generation == 0 ? -1 : body_index(b, id);
}

static vec3 to_local(const struct bodies *b, int i, vec3 p)
{
    return i < 0 ? p : quat_rotate_inverse(b->state[i].rotation, v3_sub(p, b->state[i].position));
}

static tarn_result check_def(const struct bodies *b, const tarn_joint_def *def, tarn_error *err)
{
    if (!joint_kind_of(def->kind.kind)) return fail(err, TARN_BAD_INPUT, "kind", "there is no such joint");
    const bool to_world = def->b.index == 0 && def->b.generation == 0;
    if (body_index(b, def->a) < 0) return fail(err, TARN_BAD_ARGUMENT, "a", "there is no such body");
    if (!to_world && body_index(b, def->b) < 0)
        return fail(err, TARN_BAD_ARGUMENT, "b", "there is no such body");
    if (!to_world && def->a.index == def->b.index)
        return fail(err, TARN_BAD_INPUT, "b", "a body cannot be fastened to itself");
    if (!(v3_length(def->at) <= 1e7))
        return fail(err, TARN_BAD_INPUT, "at", "a point is not a number or too far");
    if (!(v3_length(def->to) <= 1e7))
        return fail(err, TARN_BAD_INPUT, "to", "a point is not a number or too far");
    return tarn_kind_check(def->kind.kind, def->kind.data, err);
}

// Pose of both ends. In periodic directions anchor_b is that of the nearest image.
static struct joint_frame joint_frame_of(const struct bodies *b, const struct joint *j, double dt)
{
    struct joint_frame frame = {
        .rotation_a = b->state[j->a].rotation, .rotation_b = {1, 0, 0, 0}, .anchor_b = j->local_b, .dt = dt};
    frame.arm_a = quat_rotate(frame.rotation_a, j->local_a);
    frame.anchor_a = v3_add(b->state[j->a].position, frame.arm_a);
    if (j->b >= 0) {
        frame.rotation_b = b->state[j->b].rotation;
        frame.arm_b = quat_rotate(frame.rotation_b, j->local_b);
        frame.anchor_b = v3_add(b->state[j->b].position, frame.arm_b);
    }
    const double *period = b->dynamics->period;
    if (period[0] > 0.0)
        frame.anchor_b.x -= period[0] * floor((frame.anchor_b.x - frame.anchor_a.x) / period[0] + 0.5);
    if (period[1] > 0.0)
        frame.anchor_b.z -= period[1] * floor((frame.anchor_b.z - frame.anchor_a.z) / period[1] + 0.5);
    return frame;
}

tarn_result joints_add(struct bodies *b, const tarn_joint_def *def, tarn_joint *out, tarn_error *err)
{
    struct joints *joints = &b->dynamics->joints;
    const tarn_result r = check_def(b, def, err);
    if (r != TARN_OK) return r;
    int i = 0;
    while (i < joints->slot_count && joints->slots[i].joint) ++i;
    struct joint *j = memory_alloc(b->memory, 1, sizeof *j);
    if (!j || !memory_grow(b->memory, (void **)&joints->slots, &joints->slot_capacity, i + 1,
                           sizeof *joints->slots)) {
        memory_free(b->memory, j, 1, sizeof *j);
        return fail(err, TARN_NO_MEMORY, "", "no memory for another joint");
    }
    j->def = *def, j->kind = joint_kind_of(def->kind.kind);
    j->def.name[TARN_NAME_BYTES - 1] = 0;
    j->a = body_index(b, def->a), j->b = body_index_or_world(b, def->b);
    const vec3 anchor_b = j->kind->shares_anchor ? def->at : def->to;
    j->local_a = to_local(b, j->a, def->at), j->local_b = to_local(b, j->b, anchor_b);
    const struct joint_frame frame = joint_frame_of(b, j, 0.0);
    j->initial_length = v3_length(v3_sub(frame.anchor_b, frame.anchor_a));
    j->initial_rotation_a = b->state[j->a].rotation;
    j->initial_rotation_b = j->b >= 0 ? b->state[j->b].rotation : (quat){1, 0, 0, 0};
    joints->slots[i].joint = j;
    joints->slots[i].generation += 1;
    joints->slot_count = imax(joints->slot_count, i + 1);
    body_wake(b, j->a);
    if (j->b >= 0) body_wake(b, j->b);
    *out = (tarn_joint){(uint32_t)i, joints->slots[i].generation};
    return TARN_OK;
}

void joints_remove(struct bodies *b, int i)
{
    struct joint_slot *slot = &b->dynamics->joints.slots[i];
    body_wake(b, slot->joint->a);
    if (slot->joint->b >= 0) body_wake(b, slot->joint->b);
    memory_free(b->memory, slot->joint, 1, sizeof *slot->joint);
    slot->joint = NULL;
    slot->generation += 1;
}

void joints_remove_body(struct bodies *b, int body)
{
    const struct joints *joints = &b->dynamics->joints;
    for (int i = 0; i < joints->slot_count; ++i)
        if (joints->slots[i].joint &&
            (joints->slots[i].joint->a == body || joints->slots[i].joint->b == body))
            joints_remove(b, i);
}

void joints_free(struct bodies *b)
{
    struct joints *joints = &b->dynamics->joints;
    for (int i = 0; i < joints->slot_count; ++i)
        memory_free(b->memory, joints->slots[i].joint, 1, sizeof *joints->slots[i].joint);
    memory_free(b->memory, joints->slots, (size_t)joints->slot_capacity, sizeof *joints->slots);
}

int joint_index(const struct bodies *b, tarn_joint id)
{
    const struct joints *joints = b->dynamics ? &b->dynamics->joints : NULL;
    return joints && id.index < (uint32_t)joints->slot_count && joints->slots[id.index].joint &&
                   joints->slots[id.index].generation == id.generation
               ? (int)id.index
               : -1;
}

void joints_link_islands(const struct bodies *b, int *parent)
{
    const struct joints *joints = &b->dynamics->joints;
    for (int i = 0; i < joints->slot_count; ++i) {
        const struct joint *j = joints->slots[i].joint;
        if (j && j->b >= 0 && body_is_dynamic(b, j->a) && body_is_dynamic(b, j->b))
            island_union(parent, j->a, j->b);
    }
}

bool joints_connect(const struct bodies *b, int x, int y)
{
    const struct joints *joints = &b->dynamics->joints;
    for (int i = 0; i < joints->slot_count; ++i) {
        const struct joint *j = joints->slots[i].joint;
        if (j && ((j->a == x && j->b == y) || (j->a == y && j->b == x))) return true;
    }
    return false;
}

// ---- solver ----------------------------------------------------------------------------------------

static vec3 apply_inverse_inertia(const struct solver_inverse_mass *m, vec3 l)
{
    const float *k = m->m;
    return v3(k[1] * l.x + k[2] * l.y + k[3] * l.z, k[2] * l.x + k[4] * l.y + k[5] * l.z,
              k[3] * l.x + k[5] * l.y + k[6] * l.z);
}

static void apply_row_impulse(struct solver_motion *v, const struct solver_inverse_mass *m, double sign,
                              vec3 linear, vec3 response, double impulse)
{
    const double k = sign * impulse, k_linear = k * m->m[0];
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
    const double inverse_mass = v3_dot(r->linear, r->linear) * (ma->m[0] + mb->m[0]) +
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
            double sum = inverse_mass * v3_dot(j->rows[i].linear, j->rows[k].linear) +
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
        if (!j) continue;
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
        if (!j) continue;
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
        if (!j) continue;
        const struct joint_bodies v = joint_bodies_of(s, j, s->velocity),
                                  predicted = joint_bodies_of(s, j, s->velocity_unwarmed);
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
        if (!j) continue;
        struct joint_bodies c = joint_bodies_of(s, j, s->displacement);
        c.bias = j->position_bias, c.accumulated = j->position_impulse;
        max_residual = fmax(max_residual, solve_equality_rows(j, &c));
        for (int i = j->equality_count; i < j->row_count; ++i)
            if (j->rows[i].is_inequality) solve_row(j, i, &c);
    }
    return max_residual;
}
