// Public functions for joints.
#include "base/error.h"
#include "base/id.h"
#include "base/parallel/fpmode.h"
#include "body/solve/dynamics.h"
#include "world/world.h"

#include <string.h>

#define GRAB_RESPONSE_TIME 0.1 // [s] time constant with which a grabbed body follows its target

tarn_result tarn_joint_create(tarn_world *w, const tarn_joint_def *def, tarn_joint_id *out, tarn_error *err)
{
    if (out) *out = (tarn_joint_id){0};
    if (!w || !def) return fail(err, TARN_BAD_ARGUMENT, "", "null pointer");
    if (check_reserved(def->reserved, sizeof def->reserved, err) != TARN_OK) return TARN_BAD_INPUT;
    if (!w->bodies.dynamics) return fail(err, TARN_BAD_ARGUMENT, "body_a", "unknown body");
    const struct fpmode host = fpmode_enter();
    const struct body_domain walls = world_body_domain(w); // a joint spans the nearest periodic images
    memcpy(w->bodies.dynamics->period, walls.period, sizeof walls.period);
    const tarn_result r = joints_add(&w->bodies, def, out, err);
    fpmode_leave(host);
    return r;
}

tarn_result tarn_joint_destroy(tarn_world *w, tarn_joint_id joint)
{
    const int i = w ? joint_index(&w->bodies, joint) : -1;
    if (i < 0) return TARN_BAD_ARGUMENT;
    joints_remove(&w->bodies, i);
    return TARN_OK;
}

tarn_result tarn_joint_set_anchor(tarn_world *w, tarn_joint_id joint, tarn_vec3 to)
{
    const int i = w ? joint_index(&w->bodies, joint) : -1;
    if (i < 0 || !(v3_length(to) <= 1e7)) return TARN_BAD_ARGUMENT;
    struct joint *j = w->bodies.dynamics->joints.slots[i].joint;
    if (j->b >= 0) return TARN_BAD_ARGUMENT;
    j->local_b = to;
    body_wake(&w->bodies, j->a);
    return TARN_OK;
}

// Critically damped: stiffness m/t^2, damping 2 m/t.
tarn_result tarn_body_grab(tarn_world *w, tarn_body_id body, tarn_vec3 at, tarn_joint_id *out)
{
    tarn_body_info info;
    tarn_result r = out ? tarn_body_get_info(w, body, &info) : TARN_BAD_ARGUMENT;
    if (r != TARN_OK) return r;
    tarn_joint_def def = tarn_default_joint_def(TARN_JOINT_SPRING);
    def.body_a = body, def.anchor_a = def.anchor_b = at;
    def.spring.length = 0.0;
    def.spring.stiffness = info.mass / (GRAB_RESPONSE_TIME * GRAB_RESPONSE_TIME);
    def.spring.damping = 2.0 * info.mass / GRAB_RESPONSE_TIME;
    return tarn_joint_create(w, &def, out, NULL);
}

// ---- enumeration ----------------------------------------------------------------------------------

static const struct joint *joint_of(const tarn_world *w, int i)
{
    return w->bodies.dynamics->joints.slots[i].joint;
}

static tarn_joint_id id_of(const tarn_world *w, int i)
{
    return (tarn_joint_id){id_value((uint32_t)i, w->bodies.dynamics->joints.slots[i].generation)};
}

static int slot_count(const tarn_world *w)
{
    return w && w->bodies.dynamics ? w->bodies.dynamics->joints.slot_count : 0;
}

bool tarn_joint_is_valid(const tarn_world *w, tarn_joint_id joint)
{
    return w && joint_index(&w->bodies, joint) >= 0;
}

int tarn_world_get_joints(const tarn_world *w, tarn_joint_id *out, int capacity)
{
    int count = 0;
    for (int i = 0; i < slot_count(w); ++i) {
        if (!joint_of(w, i)) continue;
        if (out && count < capacity) out[count] = id_of(w, i);
        ++count;
    }
    return count;
}

tarn_joint_id tarn_joint_find(const tarn_world *w, const char *name)
{
    for (int i = 0; name && name[0] && i < slot_count(w); ++i)
        if (joint_of(w, i) && strcmp(joint_of(w, i)->def.name, name) == 0) return id_of(w, i);
    return (tarn_joint_id){0};
}

// ---- definition and state -------------------------------------------------------------------------

tarn_result tarn_joint_get_def(const tarn_world *w, tarn_joint_id joint, tarn_joint_def *out)
{
    const int i = w && out ? joint_index(&w->bodies, joint) : -1;
    if (i < 0) return TARN_BAD_ARGUMENT;
    const struct joint *j = joint_of(w, i);
    const struct joint_frame frame = joint_frame_of(&w->bodies, j, 0.0);
    *out = j->def;
    out->body_a = body_id(&w->bodies, j->a);
    out->body_b = j->b >= 0 ? body_id(&w->bodies, j->b) : (tarn_body_id){0};
    out->anchor_a = frame.anchor_a, out->anchor_b = frame.anchor_b;
    return TARN_OK;
}

tarn_result tarn_joint_set_def(tarn_world *w, tarn_joint_id joint, const tarn_joint_def *def, tarn_error *err)
{
    const int i = w && def ? joint_index(&w->bodies, joint) : -1;
    if (i < 0) return fail(err, TARN_BAD_ARGUMENT, "", "there is no such joint, or no definition");
    struct joint *j = w->bodies.dynamics->joints.slots[i].joint;
    const tarn_kind *kind = &j->kind->kind;
    if (def->type != j->def.type)
        return fail(err, TARN_BAD_INPUT, "type", "the joint is of the kind '%s'", kind->name);
    tarn_joint_def changed = j->def;
    const bool had_limit = joint_has_limit(j);
    tarn_result r = tarn_kind_check(kind, def, err);
    if (r == TARN_OK) r = param_check_fixed(kind, &j->def, def, err);
    if (r == TARN_OK) r = param_copy_live(kind, &changed, def, err);
    if (r != TARN_OK) return r;
    j->def = changed, j->def.user_data = def->user_data;
    if (had_limit && !joint_has_limit(j)) j->impulse[JOINT_ROWS - 1] = 0.0;
    body_wake(&w->bodies, j->a);
    if (j->b >= 0) body_wake(&w->bodies, j->b);
    return TARN_OK;
}

static tarn_joint_state state_of(const struct bodies *b, const struct joint *j)
{
    const double dt = b->dynamics->last_dt;
    const struct joint_frame frame = joint_frame_of(b, j, dt);
    struct constraint_row rows[JOINT_ROWS];
    tarn_joint_state out = {0};
    joint_reaction(b, j, &out.force, &out.torque);
    if (!j->kind->position) return out;
    j->kind->build_rows(j, &frame, rows);
    const struct constraint_row *row = &rows[j->kind->position_row];
    const vec3 still = v3(0, 0, 0), velocity_b = j->b >= 0 ? body_velocity(b, j->b) : still,
               spin_b = j->b >= 0 ? body_angular_velocity(b, j->b) : still;
    out.position = j->kind->position(j, &frame);
    out.velocity = v3_dot(row->linear, v3_sub(velocity_b, body_velocity(b, j->a))) +
                   v3_dot(row->angular_b, spin_b) - v3_dot(row->angular_a, body_angular_velocity(b, j->a));
    if (j->kind->has_motor && dt > 0.0) out.effort = j->impulse[j->kind->position_row] / dt;
    return out;
}

tarn_result tarn_joints_get_states(const tarn_world *w, int count, const tarn_joint_id *joints,
                                   tarn_joint_state *out)
{
    if (!w || count < 0 || (count && (!joints || !out))) return TARN_BAD_ARGUMENT;
    for (int k = 0; k < count; ++k)
        if (joint_index(&w->bodies, joints[k]) < 0) return TARN_BAD_ARGUMENT;
    const struct fpmode host = fpmode_enter();
    for (int k = 0; k < count; ++k) out[k] = state_of(&w->bodies, joint_of(w, (int)id_slot(joints[k].value)));
    fpmode_leave(host);
    return TARN_OK;
}
