// Bodies section of a checkpoint.
#include "base/error.h"
#include "body/collide/body_tree.h"
#include "body/solve/dynamics.h"

#include <string.h>

void bodies_save(struct saver *s, const void *data)
{
    const struct bodies *b = data;
    save_u32(s, (uint32_t)b->slot_count);
    for (int i = 0; i < b->slot_count; ++i) {
        const struct body *body = b->slots[i].body;
        save_u32(s, b->slots[i].generation);
        if (!body) continue;
        save_u64(s, body->def.shape->content);
        if (s->raw)
            save_raw(s, &body->def, sizeof body->def);
        else
            param_save(s, &body_kind, &body->def);
        save_f64s(s, (const double *)&b->state[i], sizeof b->state[i] / sizeof(double));
        save_f64s(s, &body->user_force.x, 3);
        save_f64s(s, &body->user_torque.x, 3);
    }
    dynamics_save(s, b);
}

bool bodies_collect_shapes(const struct bodies *b, struct shape_set *out, const struct memory *m)
{
    for (int i = 0; i < b->slot_count; ++i)
        if (body_exists(b, i) && !shape_set_add_with_children(out, b->slots[i].body->def.shape, m))
            return false;
    return true;
}

static void free_record(struct bodies *b, int i)
{
    body_free(b->slots[i].body, b->memory);
    b->slots[i].body = NULL;
}

// Slots from `first` on become as in a world that never had a body in them.
static void clear_slots(struct bodies *b, int first)
{
    for (int i = first; i < b->slot_count; ++i) {
        free_record(b, i);
        b->slots[i] = (struct body_slot){0};
        b->state[i] = (struct body_state){0};
    }
}

// Whether a record would be made from `def` as it is. Bytes between members may differ without a meaning;
// the record is then made again.
static bool has_definition(const struct body *body, const tarn_body_def *def)
{
    tarn_body_def other = *def;
    if (!body || body->def.shape->content != def->shape->content) return false;
    other.shape = body->def.shape, other.user_data = body->def.user_data;
    other.appearance = body->def.appearance;
    return memcmp(&other, &body->def, sizeof other) == 0;
}

// The record of slot i. One that was there before is kept if it has the same definition.
static tarn_result load_body_record(struct loader *l, struct bodies *b, const struct shape_set *shapes, int i,
                                    tarn_error *err)
{
    tarn_body_def def;
    memset(&def, 0, sizeof def); // it is compared by bytes
    def.shape = shape_set_find(shapes, load_u64(l));
    tarn_kind_init(&body_kind, &def);
    if (!def.shape) return fail(err, TARN_BAD_INPUT, "shape", "the checkpoint has no such shape");
    tarn_result r = TARN_OK;
    if (l->raw) {
        const tarn_shape *shape = def.shape;
        load_raw(l, &def, sizeof def);
        def.shape = shape;
    } else {
        r = param_load(l, &body_kind, &def, err);
    }
    if (r != TARN_OK || has_definition(b->slots[i].body, &def)) return r;
    free_record(b, i);
    r = body_create(b, &def, &b->slots[i].body, err);
    if (r == TARN_OK) b->slots[i].body->def.rotation = def.rotation;
    return r;
}

static tarn_result load_body(struct loader *l, struct bodies *b, const struct shape_set *shapes, int i,
                             tarn_error *err)
{
    const tarn_result r = load_body_record(l, b, shapes, i, err);
    if (r != TARN_OK) return r;
    struct body *body = b->slots[i].body;
    b->body_count += 1;
    b->any_locks |= body->lock_code != 0;
    struct body_state *state = &b->state[i];
    load_f64s(l, (double *)state, sizeof *state / sizeof(double));
    load_f64s(l, &body->user_force.x, 3);
    load_f64s(l, &body->user_torque.x, 3);
    const quat q = state->rotation;
    const double norm2 = q.w * q.w + q.x * q.x + q.y * q.y + q.z * q.z;
    const bool ok = body_is_valid(b, i) && v3_length(body->user_force) <= MAX_USER_FORCE &&
                    v3_length(body->user_torque) <= MAX_USER_FORCE && fabs(norm2 - 1.0) < 1e-6 &&
                    v3_is_finite(state->last_force) && 0.0 <= state->sleep_timer &&
                    state->sleep_timer <= 2.0 && v3_is_finite(state->sleep_test_position) &&
                    fabs(state->sleep_test_rotation.w) <= 2.0;
    const bool moves = v3_length(state->momentum) > 0.0 || v3_length(state->angular_momentum) > 0.0;
    return ok && !(moves && body->def.type == TARN_BODY_STATIC)
               ? TARN_OK
               : fail(err, TARN_BAD_INPUT, "bodies", "body %d: state is not finite or out of range", i);
}

tarn_result bodies_load(struct loader *l, struct bodies *b, const struct shape_set *shapes, tarn_error *err)
{
    const uint32_t count = load_u32(l);
    if (l->failed || count > MAX_BODIES || count > l->size)
        return fail(err, TARN_BAD_INPUT, "bodies", "invalid number of bodies in the checkpoint: %u", count);
    if (!bodies_reserve(b, (int)count))
        return fail(err, TARN_NO_MEMORY, "", "no memory for %u bodies", count);
    clear_slots(b, (int)count); // records of earlier bodies, if the world had another state before
    bodies_reset(b);
    b->slot_count = imax(b->slot_count, (int)count); // all records are freed after a failure
    for (int i = 0; i < (int)count; ++i) {
        b->slots[i].generation = load_u32(l);
        if (!(b->slots[i].generation & 1u)) free_record(b, i), b->state[i] = (struct body_state){0};
        const tarn_result r = b->slots[i].generation & 1u ? load_body(l, b, shapes, i, err) : TARN_OK;
        if (r != TARN_OK) return r;
    }
    b->slot_count = (int)count;
    const tarn_result r = dynamics_load(l, b, err);
    if (r != TARN_OK) return r;
    body_tree_update(b);
    return load_is_complete(l) ? TARN_OK
                               : fail(err, TARN_BAD_INPUT, "bodies", "section 'bodies' has a wrong length");
}
