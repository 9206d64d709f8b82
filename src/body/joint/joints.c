// Pool of joints, their kinds, and the constraint rows that several kinds share.
#include "base/error.h"
#include "base/kind_list.h"
#include "body/solve/dynamics.h"

#include <string.h>

#define KIND_PREFIX joint
// Every joint kind in the order that users see; X(name) stands for `joint_name`, defined in its own file.
#define JOINT_KINDS(X) \
    X(ball)            \
    X(hinge)           \
    X(slider)          \
    X(fixed)           \
    X(spring)          \
    X(rope)

JOINT_KINDS(DECLARE_KIND)
static const struct joint_kind *const kinds[] = {JOINT_KINDS(KIND_ADDRESS)};

const struct joint_kind *joint_kind_at(int index)
{
    return 0 <= index && index < (int)(sizeof kinds / sizeof kinds[0]) ? kinds[index] : NULL;
}

tarn_joint_def tarn_default_joint_def(tarn_joint_type type)
{
    tarn_joint_def def = {.type = type};
    const struct joint_kind *kind = joint_kind_at((int)type);
    if (kind) tarn_kind_init(&kind->kind, &def);
    return def;
}

tarn_result tarn_joint_def_from_spec(const tarn_spec *spec, tarn_joint_def *out)
{
    int type = 0;
    if (!spec || !out) return TARN_BAD_ARGUMENT;
    while (joint_kind_at(type) && &joint_kind_at(type)->kind != spec->kind) ++type;
    if (!joint_kind_at(type)) return TARN_BAD_ARGUMENT;
    memcpy(out, spec->data, sizeof *out);
    out->type = (tarn_joint_type)type;
    return TARN_OK;
}

tarn_result tarn_joint_def_to_spec(const tarn_joint_def *def, tarn_spec *out)
{
    const struct joint_kind *kind = def ? joint_kind_at((int)def->type) : NULL;
    if (!kind || !out) return TARN_BAD_ARGUMENT;
    *out = (tarn_spec){.kind = &kind->kind};
    tarn_joint_def values = {.break_force = def->break_force};
    memcpy(values.space, def->space, sizeof values.space);
    memcpy(out->data, &values, sizeof values);
    return TARN_OK;
}

// ---- rows ------------------------------------------------------------------------------------------

struct constraint_row row_along(const struct joint_frame *frame, vec3 direction, double error)
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

// With b rotated by R_b from its initial pose and a by R_a, the rotation vector of R_b R_a^-1 is the error.
int rows_same_rotation(const struct joint *j, const struct joint_frame *frame, struct constraint_row *out)
{
    static const vec3 axes[3] = {{1, 0, 0}, {0, 1, 0}, {0, 0, 1}};
    const quat turn_a = quat_mul(frame->rotation_a, quat_conjugate(j->initial_rotation_a)),
               turn_b = quat_mul(frame->rotation_b, quat_conjugate(j->initial_rotation_b));
    const vec3 error = quat_to_rotation_vector(quat_mul(turn_b, quat_conjugate(turn_a)));
    for (int k = 0; k < 3; ++k)
        out[k] = (struct constraint_row){.angular_a = axes[k],
                                         .angular_b = axes[k],
                                         .error = v3_get(error, k),
                                         .min_impulse = -INFINITY,
                                         .max_impulse = INFINITY};
    return 3;
}

// The nearer limit counts: error = position - upper <= 0, or lower - position <= 0.
int row_limit(const struct constraint_row *axis_row, double position, const tarn_joint_limits *limits,
              struct constraint_row *out)
{
    const double lower = limits->lower, upper = limits->upper;
    if (isnan(lower) && isnan(upper)) return 0;
    const double above = isnan(upper) ? -INFINITY : position - upper,
                 below = isnan(lower) ? -INFINITY : lower - position;
    const double sign = above >= below ? 1.0 : -1.0;
    *out = (struct constraint_row){.linear = v3_scale(axis_row->linear, sign),
                                   .angular_a = v3_scale(axis_row->angular_a, sign),
                                   .angular_b = v3_scale(axis_row->angular_b, sign),
                                   .error = fmax(above, below),
                                   .min_impulse = -INFINITY,
                                   .max_impulse = 0.0,
                                   .is_inequality = true};
    return 1;
}

bool joint_has_limit(const struct joint *j)
{
    const tarn_joint_limits *limits = j->def.type == TARN_JOINT_HINGE    ? &j->def.hinge.limits
                                      : j->def.type == TARN_JOINT_SLIDER ? &j->def.slider.limits
                                                                         : NULL;
    return limits && !(isnan(limits->lower) && isnan(limits->upper));
}

// ---- forces ----------------------------------------------------------------------------------------

void joint_reaction(const struct bodies *b, const struct joint *j, vec3 *force, vec3 *torque)
{
    const struct joint_frame frame = joint_frame_of(b, j, b->dynamics->last_dt);
    struct constraint_row rows[JOINT_ROWS];
    const int count = j->kind->build_rows(j, &frame, rows);
    const double rate = frame.dt > 0.0 ? 1.0 / frame.dt : 0.0;
    *force = *torque = v3(0, 0, 0);
    for (int i = 0; i < count; ++i) {
        *force = v3_madd(*force, rate * j->impulse[i], rows[i].linear);
        *torque = v3_madd(*torque, rate * j->impulse[i], rows[i].angular_b);
    }
    *torque = v3_sub(*torque, v3_cross(frame.arm_b, *force)); // about the anchor, not the centre of mass
}

void joints_check_forces(struct bodies *b, double dt)
{
    const struct joints *joints = &b->dynamics->joints;
    for (int n = 0; n < joints->slot_count; ++n) {
        struct joint *j = joints->slots[n].joint;
        if (!j || !(j->def.break_force > 0.0) || j->breaking_force > 0.0) continue;
        vec3 sum = {0, 0, 0};
        for (int i = 0; i < j->row_count; ++i) sum = v3_madd(sum, j->impulse[i], j->rows[i].linear);
        const double force = v3_length(sum) / dt;
        if (force > j->def.break_force) j->breaking_force = force;
    }
}

bool joints_remove_broken(struct bodies *b)
{
    const struct joints *joints = &b->dynamics->joints;
    for (int n = 0; n < joints->slot_count; ++n) {
        const struct joint *j = joints->slots[n].joint;
        if (!j || !(j->breaking_force > 0.0)) continue;
        const tarn_joint_event event = {
            {id_value((uint32_t)n, joints->slots[n].generation)}, j->def.user_data, j->breaking_force};
        joints_remove(b, n);
        if (!events_add(b, EVENT_JOINT_BROKEN, &event)) return false;
    }
    return true;
}

// ---- pool ------------------------------------------------------------------------------------------

static int body_index_or_world(const struct bodies *b, tarn_body_id id)
{
    return id.value == 0 ? -1 : body_index(b, id);
}

static vec3 to_local(const struct bodies *b, int i, vec3 p)
{
    return i < 0 ? p : quat_rotate_inverse(b->state[i].rotation, v3_sub(p, b->state[i].position));
}

static tarn_result check_def(const struct bodies *b, const tarn_joint_def *def, tarn_error *err)
{
    const struct joint_kind *kind = joint_kind_at((int)def->type);
    if (!kind) return fail(err, TARN_BAD_ARGUMENT, "type", "%d is no type of a joint", (int)def->type);
    const bool to_world = def->body_b.value == 0;
    if (body_index(b, def->body_a) < 0) return fail(err, TARN_BAD_ARGUMENT, "body_a", "unknown body");
    if (!to_world && body_index(b, def->body_b) < 0)
        return fail(err, TARN_BAD_ARGUMENT, "body_b", "unknown body");
    if (!to_world && id_slot(def->body_a.value) == id_slot(def->body_b.value))
        return fail(err, TARN_BAD_INPUT, "body_b", "a joint cannot connect a body to itself");
    if (!(v3_length(def->anchor_a) <= 1e7))
        return fail(err, TARN_BAD_INPUT, "anchor_a",
                    "the point must be finite and within 1e7 m of the origin");
    if (!(v3_length(def->anchor_b) <= 1e7))
        return fail(err, TARN_BAD_INPUT, "anchor_b",
                    "the point must be finite and within 1e7 m of the origin");
    return tarn_kind_check(&kind->kind, def, err);
}

struct joint_frame joint_frame_of(const struct bodies *b, const struct joint *j, double dt)
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

tarn_result joints_add(struct bodies *b, const tarn_joint_def *def, tarn_joint_id *out, tarn_error *err)
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
    j->def = *def, j->kind = joint_kind_at((int)def->type);
    j->def.name[TARN_NAME_BYTES - 1] = 0;
    if (b->planar && j->def.type == TARN_JOINT_HINGE) j->def.hinge.axis = v3(0, 0, 1); // the only one
    j->a = body_index(b, def->body_a), j->b = body_index_or_world(b, def->body_b);
    const vec3 anchor_b = j->kind->shares_anchor ? def->anchor_a : def->anchor_b;
    j->local_a = to_local(b, j->a, def->anchor_a), j->local_b = to_local(b, j->b, anchor_b);
    const struct joint_frame frame = joint_frame_of(b, j, 0.0);
    j->initial_length = v3_length(v3_sub(frame.anchor_b, frame.anchor_a));
    j->initial_rotation_a = b->state[j->a].rotation;
    j->initial_rotation_b = j->b >= 0 ? b->state[j->b].rotation : (quat){1, 0, 0, 0};
    joints->slots[i].joint = j;
    joints->slots[i].generation += 1;
    joints->slot_count = imax(joints->slot_count, i + 1);
    body_wake(b, j->a);
    if (j->b >= 0) body_wake(b, j->b);
    if (out) *out = (tarn_joint_id){id_value((uint32_t)i, joints->slots[i].generation)};
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

int joint_index(const struct bodies *b, tarn_joint_id id)
{
    const struct joints *joints = b->dynamics ? &b->dynamics->joints : NULL;
    const uint32_t slot = id_slot(id.value);
    return joints && slot < (uint32_t)joints->slot_count && joints->slots[slot].joint &&
                   joints->slots[slot].generation == id_generation(id.value)
               ? (int)slot
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
