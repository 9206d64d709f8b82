// Public functions for the motion of bodies at run time, for one body and for many.
#include "base/error.h"
#include "base/id.h"
#include "base/parallel/fpmode.h"
#include "body/collide/body_tree.h"
#include "world/world.h"

#include <string.h>

// ---- motion ---------------------------------------------------------------------------------------

static tarn_body_state motion_of(const struct bodies *b, int i)
{
    return (tarn_body_state){b->state[i].position, b->state[i].rotation, body_velocity(b, i),
                             body_angular_velocity(b, i)};
}

// False for values beyond the limits, and for a static body that is to have a velocity.
static bool accepts_motion(const struct bodies *b, int i, const tarn_body_state *m)
{
    const bool is_moving =
        v3_dot(m->velocity, m->velocity) > 0.0 || v3_dot(m->angular_velocity, m->angular_velocity) > 0.0;
    return motion_is_valid(m) && !(is_moving && b->slots[i].body->def.type == TARN_BODY_STATIC);
}

static void set_velocities(struct bodies *b, int i, vec3 velocity, vec3 angular_velocity)
{
    body_remove_locked(b, i, &velocity, &angular_velocity);
    b->state[i].momentum = v3_scale(velocity, b->slots[i].body->def.mass);
    if (b->planar) body_project_to_plane(b, i); // rotation first: inertia across the plane is nearly infinite
    b->state[i].angular_momentum = body_angular_momentum(b, i, angular_velocity);
    if (b->planar) body_project_to_plane(b, i);
    body_wake(b, i);
}

static void set_motion(tarn_world *w, int i, const tarn_body_state *motion)
{
    w->bodies.state[i].position = motion->position;
    w->bodies.state[i].rotation = quat_normalize(motion->rotation);
    set_velocities(&w->bodies, i, motion->velocity, motion->angular_velocity);
    body_tree_move(&w->bodies, i);
}

// The water under body i, or under all (i < 0), after poses were set.
static void update_water(tarn_world *w, int i)
{
    if (w->fluid.model->planar)
        w->planar.poses_are_stale = true;
    else
        couple_build_columns(&w->coupling, &w->fluid, &w->bodies, i);
    world_end_edit(w);
}

tarn_result tarn_body_get_state(const tarn_world *w, tarn_body_id body, tarn_body_state *out)
{
    const int i = w && out ? body_index(&w->bodies, body) : -1;
    if (i < 0) return TARN_BAD_ARGUMENT;
    *out = motion_of(&w->bodies, i);
    return TARN_OK;
}

tarn_result tarn_body_set_state(tarn_world *w, tarn_body_id body, const tarn_body_state *motion)
{
    const int i = w && motion ? body_index(&w->bodies, body) : -1;
    if (i < 0 || !accepts_motion(&w->bodies, i, motion)) return TARN_BAD_ARGUMENT;
    const struct fpmode host = fpmode_enter();
    set_motion(w, i, motion);
    update_water(w, i);
    fpmode_leave(host);
    return TARN_OK;
}

tarn_vec3 tarn_body_get_point_velocity(const tarn_world *w, tarn_body_id body, tarn_vec3 point)
{
    const int i = w ? body_index(&w->bodies, body) : -1;
    if (i < 0) return v3(0, 0, 0);
    const vec3 arm = v3_sub(point, w->bodies.state[i].position);
    return v3_add(body_velocity(&w->bodies, i), v3_cross(body_angular_velocity(&w->bodies, i), arm));
}

tarn_result tarn_body_set_velocity(tarn_world *w, tarn_body_id body, tarn_vec3 velocity,
                                   tarn_vec3 angular_velocity)
{
    const int i = w ? body_index(&w->bodies, body) : -1;
    if (i < 0) return TARN_BAD_ARGUMENT;
    const struct body_state *state = &w->bodies.state[i];
    const tarn_body_state motion = {state->position, state->rotation, velocity, angular_velocity};
    if (!accepts_motion(&w->bodies, i, &motion)) return TARN_BAD_ARGUMENT;
    const struct fpmode host = fpmode_enter();
    set_velocities(&w->bodies, i, velocity, angular_velocity);
    fpmode_leave(host);
    return TARN_OK;
}

// [m] The shortest way to a place, across periodic sides too.
static vec3 shortest_way(const tarn_world *w, vec3 from, vec3 to)
{
    const struct body_domain domain = world_body_domain(w);
    vec3 d = v3_sub(to, from);
    if (domain.period[0] > 0.0) d.x -= domain.period[0] * floor(d.x / domain.period[0] + 0.5);
    if (domain.period[1] > 0.0) d.z -= domain.period[1] * floor(d.z / domain.period[1] + 0.5);
    return d;
}

tarn_result tarn_body_set_target(tarn_world *w, tarn_body_id body, const tarn_pose *target)
{
    const int i = w && target ? body_index(&w->bodies, body) : -1;
    if (i < 0 || w->bodies.slots[i].body->def.type != TARN_BODY_KINEMATIC) return TARN_BAD_ARGUMENT;
    const struct body_state *state = &w->bodies.state[i];
    const tarn_body_state motion = {target->position, target->rotation, {0, 0, 0}, {0, 0, 0}};
    if (!motion_is_valid(&motion)) return TARN_BAD_ARGUMENT;
    const struct fpmode host = fpmode_enter();
    const quat turn = quat_mul(quat_normalize(target->rotation), quat_conjugate(state->rotation));
    const vec3 velocity = v3_scale(shortest_way(w, state->position, target->position), 1.0 / w->def.dt),
               spin = v3_scale(quat_to_rotation_vector(turn), 1.0 / w->def.dt);
    const bool good = v3_length(velocity) <= MAX_BODY_SPEED && v3_length(spin) <= MAX_BODY_SPEED;
    if (good) set_velocities(&w->bodies, i, velocity, spin);
    fpmode_leave(host);
    return good ? TARN_OK : TARN_BAD_ARGUMENT;
}

// ---- batches --------------------------------------------------------------------------------------

static int slot_of(tarn_body_id id) { return (int)id_slot(id.value); } // of a valid id

// TARN_OK if all ids are those of bodies.
static tarn_result check_bodies(const tarn_world *w, int count, const tarn_body_id *bodies, tarn_error *err)
{
    if (!w || count < 0 || (count && !bodies)) return fail(err, TARN_BAD_ARGUMENT, "", "a null pointer");
    for (int k = 0; k < count; ++k)
        if (body_index(&w->bodies, bodies[k]) < 0)
            return fail(err, TARN_BAD_ARGUMENT, "bodies", "number %d of the list is no body", k);
    return TARN_OK;
}

static tarn_result refuse_state(int k, tarn_error *err)
{
    return fail(
        err, TARN_BAD_ARGUMENT, "states",
        "number %d: positions are within %g m, speeds within %g m/s and rad/s, a rotation is not zero, "
        "and a static body has no velocity",
        k, MAX_BODY_COORDINATE, MAX_BODY_SPEED);
}

tarn_result tarn_bodies_get_states(const tarn_world *w, int count, const tarn_body_id *bodies,
                                   tarn_body_state *out)
{
    const tarn_result r = check_bodies(w, count, bodies, NULL);
    if (r != TARN_OK || (count && !out)) return TARN_BAD_ARGUMENT;
    for (int k = 0; k < count; ++k) out[k] = motion_of(&w->bodies, slot_of(bodies[k]));
    return TARN_OK;
}

tarn_result tarn_bodies_set_states(tarn_world *w, int count, const tarn_body_id *bodies,
                                   const tarn_body_state *states, tarn_error *err)
{
    const tarn_result r = check_bodies(w, count, bodies, err);
    if (r != TARN_OK || !count) return r;
    if (!states) return fail(err, TARN_BAD_ARGUMENT, "", "a null pointer");
    for (int k = 0; k < count; ++k)
        if (!accepts_motion(&w->bodies, slot_of(bodies[k]), &states[k])) return refuse_state(k, err);
    const struct fpmode host = fpmode_enter();
    for (int k = 0; k < count; ++k) set_motion(w, slot_of(bodies[k]), &states[k]);
    update_water(w, count == 1 ? slot_of(bodies[0]) : -1);
    fpmode_leave(host);
    return TARN_OK;
}

// The vector k of n doubles; strides need not be multiples of a double, so that it may be misaligned.
static void write_vector(const tarn_strided *to, int k, size_t n, const double *values)
{
    const size_t bytes = n * sizeof *values;
    if (to->data) memcpy((char *)to->data + (size_t)k * (to->stride ? to->stride : bytes), values, bytes);
}

static void read_vector(const tarn_strided *from, int k, size_t n, double *values)
{
    const size_t bytes = n * sizeof *values;
    if (from->data)
        memcpy(values, (const char *)from->data + (size_t)k * (from->stride ? from->stride : bytes), bytes);
}

tarn_result tarn_bodies_get_arrays(const tarn_world *w, int count, const tarn_body_id *bodies,
                                   const tarn_body_arrays *out)
{
    if (check_bodies(w, count, bodies, NULL) != TARN_OK || !out) return TARN_BAD_ARGUMENT;
    for (int k = 0; k < count; ++k) {
        const tarn_body_state m = motion_of(&w->bodies, slot_of(bodies[k]));
        write_vector(&out->position, k, 3, &m.position.x);
        write_vector(&out->rotation, k, 4, &m.rotation.w);
        write_vector(&out->velocity, k, 3, &m.velocity.x);
        write_vector(&out->angular_velocity, k, 3, &m.angular_velocity.x);
    }
    return TARN_OK;
}

static tarn_body_state motion_from_arrays(const struct bodies *b, int i, const tarn_body_arrays *arrays,
                                          int k)
{
    tarn_body_state m = motion_of(b, i);
    read_vector(&arrays->position, k, 3, &m.position.x);
    read_vector(&arrays->rotation, k, 4, &m.rotation.w);
    read_vector(&arrays->velocity, k, 3, &m.velocity.x);
    read_vector(&arrays->angular_velocity, k, 3, &m.angular_velocity.x);
    return m;
}

tarn_result tarn_bodies_set_arrays(tarn_world *w, int count, const tarn_body_id *bodies,
                                   const tarn_body_arrays *arrays, tarn_error *err)
{
    const tarn_result r = check_bodies(w, count, bodies, err);
    if (r != TARN_OK || !count) return r;
    if (!arrays) return fail(err, TARN_BAD_ARGUMENT, "", "a null pointer");
    for (int k = 0; k < count; ++k) {
        const int i = slot_of(bodies[k]);
        const tarn_body_state motion = motion_from_arrays(&w->bodies, i, arrays, k);
        if (!accepts_motion(&w->bodies, i, &motion)) return refuse_state(k, err);
    }
    const struct fpmode host = fpmode_enter();
    for (int k = 0; k < count; ++k) {
        const int i = slot_of(bodies[k]);
        const tarn_body_state motion = motion_from_arrays(&w->bodies, i, arrays, k);
        set_motion(w, i, &motion);
    }
    if (arrays->position.data || arrays->rotation.data) update_water(w, count == 1 ? slot_of(bodies[0]) : -1);
    fpmode_leave(host);
    return TARN_OK;
}

tarn_result tarn_bodies_get_loads(const tarn_world *w, int count, const tarn_body_id *bodies, tarn_load *out)
{
    if (check_bodies(w, count, bodies, NULL) != TARN_OK || (count && !out)) return TARN_BAD_ARGUMENT;
    for (int k = 0; k < count; ++k) out[k] = w->coupling.per_body[slot_of(bodies[k])].load;
    return TARN_OK;
}

// ---- forces ---------------------------------------------------------------------------------------

// The forces of a body after `more` was added; false beyond MAX_USER_FORCE, or not a number.
static bool sum_forces(const struct body *body, const tarn_wrench *more, tarn_wrench *sum)
{
    *sum = (tarn_wrench){v3_add(body->user_force, more->force), v3_add(body->user_torque, more->torque)};
    return v3_length(sum->force) <= MAX_USER_FORCE && v3_length(sum->torque) <= MAX_USER_FORCE;
}

static tarn_result apply_wrench(tarn_world *w, int i, vec3 force, vec3 torque)
{
    if (i < 0) return TARN_BAD_ARGUMENT;
    const struct fpmode host = fpmode_enter();
    struct body *body = w->bodies.slots[i].body;
    tarn_wrench sum;
    const bool good = sum_forces(body, &(tarn_wrench){force, torque}, &sum);
    if (good) {
        body->user_force = sum.force, body->user_torque = sum.torque;
        body_wake(&w->bodies, i);
    }
    fpmode_leave(host);
    return good ? TARN_OK : TARN_BAD_ARGUMENT;
}

tarn_result tarn_body_apply_force(tarn_world *w, tarn_body_id body, tarn_vec3 force, tarn_vec3 point)
{
    const int i = w ? body_index(&w->bodies, body) : -1;
    if (i < 0) return TARN_BAD_ARGUMENT;
    return apply_wrench(w, i, force, v3_cross(v3_sub(point, w->bodies.state[i].position), force));
}

tarn_result tarn_body_apply_central_force(tarn_world *w, tarn_body_id body, tarn_vec3 force)
{
    return apply_wrench(w, w ? body_index(&w->bodies, body) : -1, force, v3(0, 0, 0));
}

tarn_result tarn_body_apply_torque(tarn_world *w, tarn_body_id body, tarn_vec3 torque)
{
    return apply_wrench(w, w ? body_index(&w->bodies, body) : -1, v3(0, 0, 0), torque);
}

tarn_result tarn_body_apply_local_force(tarn_world *w, tarn_body_id body, tarn_vec3 force, tarn_vec3 point)
{
    const int i = w ? body_index(&w->bodies, body) : -1;
    if (i < 0) return TARN_BAD_ARGUMENT;
    const quat q = w->bodies.state[i].rotation;
    return apply_wrench(w, i, quat_rotate(q, force), quat_rotate(q, v3_cross(point, force)));
}

tarn_result tarn_bodies_apply_wrenches(tarn_world *w, int count, const tarn_body_id *bodies,
                                       const tarn_wrench *wrenches, tarn_error *err)
{
    const tarn_result r = check_bodies(w, count, bodies, err);
    if (r != TARN_OK || !count) return r;
    if (!wrenches) return fail(err, TARN_BAD_ARGUMENT, "", "a null pointer");
    tarn_wrench sum;
    for (int k = 0; k < count; ++k)
        if (!sum_forces(w->bodies.slots[slot_of(bodies[k])].body, &wrenches[k], &sum))
            return fail(err, TARN_BAD_ARGUMENT, "wrenches",
                        "number %d: the sum of forces or torques is above %g", k, MAX_USER_FORCE);
    for (int k = 0; k < count; ++k)
        apply_wrench(w, slot_of(bodies[k]), wrenches[k].force, wrenches[k].torque);
    return TARN_OK;
}

// ---- impulses -------------------------------------------------------------------------------------

static tarn_result apply_impulse(tarn_world *w, int i, vec3 impulse, vec3 angular_impulse)
{
    if (i < 0 || !body_is_dynamic(&w->bodies, i)) return TARN_BAD_ARGUMENT;
    // Also along axes that are locked, and those that a planar model does not have.
    if (!isfinite(v3_length(impulse) + v3_length(angular_impulse))) return TARN_BAD_ARGUMENT;
    const struct fpmode host = fpmode_enter();
    struct body_state *state = &w->bodies.state[i];
    const struct body_state before = *state;
    body_restrict_impulse(&w->bodies, i, &impulse, &angular_impulse);
    state->momentum = v3_add(state->momentum, impulse);
    state->angular_momentum = v3_add(state->angular_momentum, angular_impulse);
    if (w->bodies.planar) body_project_to_plane(&w->bodies, i);
    const bool good = body_is_valid(&w->bodies, i);
    if (good)
        body_wake(&w->bodies, i);
    else
        *state = before;
    fpmode_leave(host);
    return good ? TARN_OK : TARN_BAD_ARGUMENT;
}

tarn_result tarn_body_apply_impulse(tarn_world *w, tarn_body_id body, tarn_vec3 impulse, tarn_vec3 point)
{
    const int i = w ? body_index(&w->bodies, body) : -1;
    if (i < 0) return TARN_BAD_ARGUMENT;
    return apply_impulse(w, i, impulse, v3_cross(v3_sub(point, w->bodies.state[i].position), impulse));
}

tarn_result tarn_body_apply_central_impulse(tarn_world *w, tarn_body_id body, tarn_vec3 impulse)
{
    return apply_impulse(w, w ? body_index(&w->bodies, body) : -1, impulse, v3(0, 0, 0));
}

tarn_result tarn_body_apply_angular_impulse(tarn_world *w, tarn_body_id body, tarn_vec3 impulse)
{
    return apply_impulse(w, w ? body_index(&w->bodies, body) : -1, v3(0, 0, 0), impulse);
}
