#include "body.h"

#include "base/error.h"
#include "contact.h"

void bodies_free(struct bodies *b)
{
    for (int i = 0; i < b->count; ++i) cold_free(b->slots[i].cold, b->memory);
    memory_free(b->memory, b->slots, (size_t)b->slot_room, sizeof *b->slots);
    memory_free(b->memory, b->hot, (size_t)b->hot_room, sizeof *b->hot);
    memory_free(b->memory, b->kicks, (size_t)b->kick_room, sizeof *b->kicks);
    memory_free(b->memory, b->passed, (size_t)b->passed_room, sizeof *b->passed);
    engine_free(b);
}

bool bodies_room(struct bodies *b, int count)
{
    return memory_grow(b->memory, (void **)&b->slots, &b->slot_room, count, sizeof *b->slots) &&
           memory_grow(b->memory, (void **)&b->hot, &b->hot_room, count, sizeof *b->hot) &&
           memory_grow(b->memory, (void **)&b->kicks, &b->kick_room, count, sizeof *b->kicks) &&
           memory_grow(b->memory, (void **)&b->passed, &b->passed_room, count, sizeof *b->passed) &&
           engine_create(b, count);
}

tarn_result bodies_add(struct bodies *b, const tarn_body_def *def, tarn_body *out, tarn_error *err)
{
    struct body_cold *c;
    int i = 0;
    while (i < b->count && bodies_alive(b, i)) ++i;
    if (i >= MAX_BODIES) return fail(err, TARN_BAD_INPUT, "", "more than %d bodies", MAX_BODIES);
    if (!bodies_room(b, i + 1)) return fail(err, TARN_NO_MEMORY, "", "no memory for another body");
    const tarn_result r = cold_create(b, def, &c, err);
    if (r != TARN_OK) return r;

    b->slots[i].cold = c;
    b->slots[i].generation += 1;
    b->count = imax(b->count, i + 1);
    b->alive_count += 1;
    b->hot[i] = (struct body_hot){.position = def->position, .rotation = c->def.rotation};
    b->hot[i].momentum = v3_scale(def->velocity, c->def.mass);
    b->hot[i].angular = body_angular(b, i, def->spin);
    *out = bodies_id(b, i);
    return TARN_OK;
}

void bodies_remove(struct bodies *b, int i)
{
    engine_forget(b, i);
    cold_free(b->slots[i].cold, b->memory);
    b->slots[i].cold = NULL;
    b->slots[i].generation += 1;
    b->hot[i] = (struct body_hot){0};
    b->alive_count -= 1;
}

int bodies_slot(const struct bodies *b, tarn_body id)
{
    const int i = (int)id.index;
    return id.index < (uint32_t)b->count && bodies_alive(b, i) && b->slots[i].generation == id.generation
               ? i
               : -1;
}

tarn_body bodies_id(const struct bodies *b, int i)
{
    return (tarn_body){(uint32_t)i, b->slots[i].generation};
}
