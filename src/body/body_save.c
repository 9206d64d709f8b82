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

static tarn_result load_body_record(struct loader *l, struct bodies *b, const struct shape_set *shapes,
                                    struct body **out, tarn_error *err)
{
    tarn_body_def def = {.shape = shape_set_find(shapes, load_u64(l))};
    tarn_kind_init(&body_kind, &def);
    if (!def.shape) return fail(err, TARN_BAD_INPUT, "shape", "the checkpoint has no such shape");
    tarn_result r = param_load(l, &body_kind, &def, err);
    if (r == TARN_OK) r = body_create(b, &def, out, err);
    if (r == TARN_OK) (*out)->def.rotation = def.rotation;
    return r;
}

static tarn_result load_body(struct loader *l, struct bodies *b, const struct shape_set *shapes, int i,
                             tarn_error *err)
{
    struct body *body = NULL;
    const tarn_result r = load_body_record(l, b, shapes, &body, err);
    if (r != TARN_OK) return r;
    b->slots[i].body = body;
    b->body_count += 1;
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
    for (b->slot_count = 0; b->slot_count < (int)count;) {
        const int i = b->slot_count++;
        b->slots[i].generation = load_u32(l);
        const tarn_result r = b->slots[i].generation & 1u ? load_body(l, b, shapes, i, err) : TARN_OK;
        if (r != TARN_OK) return r;
    }
    const tarn_result r = dynamics_load(l, b, err);
    if (r != TARN_OK) return r;
    body_tree_update(b);
    return load_is_complete(l) ? TARN_OK
                               : fail(err, TARN_BAD_INPUT, "bodies", "section 'bodies' has a wrong length");
}
