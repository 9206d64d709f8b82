// Slot map of bodies with generations.
#include "body/body.h"

#include "base/error.h"
#include "body/solve/dynamics.h"

void bodies_free(struct bodies *b)
{
    for (int i = 0; i < b->slot_count; ++i) body_free(b->slots[i].body, b->memory);
    memory_free(b->memory, b->slots, (size_t)b->slot_capacity, sizeof *b->slots);
    memory_free(b->memory, b->state, (size_t)b->state_capacity, sizeof *b->state);
    memory_free(b->memory, b->applied, (size_t)b->applied_capacity, sizeof *b->applied);
    memory_free(b->memory, b->added_mass_impulse, (size_t)b->added_mass_impulse_capacity,
                sizeof *b->added_mass_impulse);
    dynamics_free(b);
}

bool bodies_reserve(struct bodies *b, int count)
{
    return memory_grow(b->memory, (void **)&b->slots, &b->slot_capacity, count, sizeof *b->slots) &&
           memory_grow(b->memory, (void **)&b->state, &b->state_capacity, count, sizeof *b->state) &&
           memory_grow(b->memory, (void **)&b->applied, &b->applied_capacity, count, sizeof *b->applied) &&
           memory_grow(b->memory, (void **)&b->added_mass_impulse, &b->added_mass_impulse_capacity, count,
                       sizeof *b->added_mass_impulse) &&
           dynamics_create(b, count);
}

tarn_result bodies_add(struct bodies *b, const tarn_body_def *def, tarn_body *out, tarn_error *err)
{
    struct body *body;
    int i = 0;
    while (i < b->slot_count && body_exists(b, i)) ++i;
    if (i >= MAX_BODIES) return fail(err, TARN_BAD_INPUT, "", "too many bodies (limit %d)", MAX_BODIES);
    if (!bodies_reserve(b, i + 1)) return fail(err, TARN_NO_MEMORY, "", "no memory for another body");
    const tarn_result r = body_create(b, def, &body, err);
    if (r != TARN_OK) return r;

    b->slots[i].body = body;
    b->slots[i].generation += 1;
    b->slot_count = imax(b->slot_count, i + 1);
    b->body_count += 1;
    b->state[i] = (struct body_state){.position = def->position, .rotation = body->def.rotation};
    b->state[i].momentum = v3_scale(def->velocity, body->def.mass);
    b->state[i].angular_momentum = body_angular_momentum(b, i, def->spin);
    *out = body_id(b, i);
    return TARN_OK;
}

void bodies_remove(struct bodies *b, int i)
{
    dynamics_remove_body(b, i);
    body_free(b->slots[i].body, b->memory);
    b->slots[i].body = NULL;
    b->slots[i].generation += 1;
    b->state[i] = (struct body_state){0};
    b->body_count -= 1;
}

int body_index(const struct bodies *b, tarn_body id)
{
    const int i = (int)id.index;
    return id.index < (uint32_t)b->slot_count && body_exists(b, i) && b->slots[i].generation == id.generation
               ? i
               : -1;
}

tarn_body body_id(const struct bodies *b, int i) { return (tarn_body){(uint32_t)i, b->slots[i].generation}; }
