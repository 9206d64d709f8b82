// Bodies into a checkpoint and back.
#include "base/error.h"
#include "body.h"

#include <string.h>

void bodies_save(struct saver *s, const void *what)
{
    const struct bodies *b = what;
    save_u32(s, (uint32_t)b->count);
    for (int i = 0; i < b->count; ++i) {
        const struct body_cold *c = b->slots[i].cold;
        save_u32(s, b->slots[i].generation);
        if (!c) continue;
        save_text(s, c->def.shape.kind->name);
        param_save(s, c->def.shape.kind, c->def.shape.data);
        param_save(s, &body_kind, &c->def);
        save_f64s(s, (const double *)&b->hot[i], sizeof b->hot[i] / sizeof(double));
        save_f64s(s, &c->force.x, 3);
        save_f64s(s, &c->torque.x, 3);
    }
}

static tarn_result load_body(struct loader *l, struct bodies *b, int i, tarn_error *err)
{
    char name[TARN_NAME_BYTES];
    tarn_body_def def = {0};
    tarn_kind_defaults(&body_kind, &def);
    load_text(l, name, sizeof name);
    for (int k = 0; shape_kind_at(k); ++k)
        if (strcmp(shape_kind_at(k)->kind.name, name) == 0) def.shape.kind = &shape_kind_at(k)->kind;
    if (!def.shape.kind) return fail(err, TARN_BAD_INPUT, "shape", "there is no such shape");
    tarn_kind_defaults(def.shape.kind, def.shape.data);
    tarn_result r = param_load(l, def.shape.kind, def.shape.data, err);
    if (r == TARN_OK) r = param_load(l, &body_kind, &def, err);
    struct body_cold *c = NULL;
    if (r == TARN_OK) r = cold_create(b, &def, &c, err);
    if (r != TARN_OK) return r;
    b->slots[i].cold = c;
    c->def.rotation = def.rotation;
    b->alive_count += 1;
    struct body_hot *hot = &b->hot[i];
    load_f64s(l, (double *)hot, sizeof *hot / sizeof(double));
    load_f64s(l, &c->force.x, 3);
    load_f64s(l, &c->torque.x, 3);
    const quat q = hot->rotation;
    const double turn = q.w * q.w + q.x * q.x + q.y * q.y + q.z * q.z;
    const bool good = body_sound(b, i) && v3_length(c->force) <= PUSH_MOST &&
                      v3_length(c->torque) <= PUSH_MOST && fabs(turn - 1.0) < 1e-6;
    return good ? TARN_OK : fail(err, TARN_BAD_INPUT, "bodies", "body %d has an impossible state", i);
}

tarn_result bodies_load(struct loader *l, struct bodies *b, tarn_error *err)
{
    const uint32_t count = load_u32(l);
    if (l->bad || count > MAX_BODIES || count > l->size)
        return fail(err, TARN_BAD_INPUT, "bodies", "a checkpoint cannot hold %u bodies", count);
    if (!bodies_room(b, (int)count)) return fail(err, TARN_NO_MEMORY, "", "no memory for %u bodies", count);
    for (b->count = 0; b->count < (int)count;) {
        const int i = b->count++;
        b->slots[i].generation = load_u32(l);
        const tarn_result r = b->slots[i].generation & 1u ? load_body(l, b, i, err) : TARN_OK;
        if (r != TARN_OK) return r;
    }
    return load_done(l) ? TARN_OK
                        : fail(err, TARN_BAD_INPUT, "bodies", "the section 'bodies' has a wrong length");
}
