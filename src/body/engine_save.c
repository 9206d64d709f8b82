// Contacts, sleep and joints into a checkpoint and back: the impulses that the solver begins with are state.
#include "base/error.h"
#include "contact.h"

#include <string.h>

static void save_contact(struct saver *s, const struct contact *c)
{
    const int ints[6] = {c->a, c->b + 1, c->piece_a, c->piece_b, c->shift, c->count};
    for (int i = 0; i < 6; ++i) save_u32(s, (uint32_t)ints[i]);
    save_u32(s, c->touching);
    save_f64s(s, &c->normal.x, 3);
    save_f64s(s, &c->lay_at.x, 3);
    save_f64s(s, &c->lay_turn.w, 4);
    for (int k = 0; k < c->count; ++k) {
        const struct hold *h = &c->holds[k];
        save_f64s(s, &h->on_a.x, 3);
        save_f64s(s, &h->on_b.x, 3);
        save_f32s(s, &h->push, 1);
        save_f32s(s, h->rub, 3);
    }
}

void engine_save(struct saver *s, const struct bodies *b)
{
    const struct engine *e = b->engine;
    const int count = e ? e->contacts.count : 0;
    save_f64(s, e ? e->pace : 0.0);
    for (int i = 0; i < b->count; ++i) save_u32(s, e && i < e->asleep_room && e->asleep[i]);
    save_u32(s, (uint32_t)count);
    for (int k = 0; k < count; ++k) save_contact(s, &e->contacts.now[k]);
    joints_save(s, b);
}

// The solver asks a contact's pieces whether they are round.
static bool has_piece(const struct bodies *b, int slot, int piece)
{
    return piece < b->slots[slot].cold->figure->form.piece_count;
}

static bool load_contact(struct loader *l, const struct bodies *b, struct contact *c)
{
    int ints[6];
    for (int i = 0; i < 6; ++i) ints[i] = (int)(load_u32(l) & 0x7fffffffu);
    *c = (struct contact){.a = ints[0],
                          .b = ints[1] - 1,
                          .piece_a = ints[2],
                          .piece_b = ints[3],
                          .shift = ints[4],
                          .count = ints[5]};
    c->touching = load_u32(l) != 0;
    load_f64s(l, &c->normal.x, 3);
    load_f64s(l, &c->lay_at.x, 3);
    load_f64s(l, &c->lay_turn.w, 4);
    bool good = c->count <= SPOTS && c->shift < 9 && c->a < b->count && c->b < b->count &&
                bodies_alive(b, c->a) && (c->b < 0 || (c->b > c->a && bodies_alive(b, c->b))) &&
                v3_length(c->normal) < 2.0 && v3_finite(c->lay_at);
    good = good && has_piece(b, c->a, c->piece_a) && (c->b < 0 || has_piece(b, c->b, c->piece_b));
    for (int k = 0; good && k < c->count; ++k) {
        struct hold *h = &c->holds[k];
        load_f64s(l, &h->on_a.x, 3);
        load_f64s(l, &h->on_b.x, 3);
        load_f32s(l, &h->push, 1);
        load_f32s(l, h->rub, 3);
        good = v3_length(h->on_a) < 1e9 && v3_length(h->on_b) < 1e9 && h->push >= 0.0f && h->push < 1e30f;
        for (int i = 0; i < 3; ++i) good = good && fabsf(h->rub[i]) < 1e30f;
    }
    return good && !l->bad;
}

tarn_result engine_load(struct loader *l, struct bodies *b, tarn_error *err)
{
    if (!bodies_room(b, b->count)) return fail(err, TARN_NO_MEMORY, "", "no memory for contacts");
    struct engine *e = b->engine;
    struct contacts *c = &e->contacts;
    e->pace = load_f64(l);
    for (int i = 0; i < b->count; ++i) e->asleep[i] = load_u32(l) != 0;
    const uint32_t count = load_u32(l);
    if (l->bad || count > l->size || !(0.0 <= e->pace && e->pace <= 1.0))
        return fail(err, TARN_BAD_INPUT, "bodies", "the contacts are impossible");
    if (!memory_grow(b->memory, (void **)&c->now, &c->room, (int)count, sizeof *c->now))
        return fail(err, TARN_NO_MEMORY, "", "no memory for %u contacts", count);
    for (c->count = 0; c->count < (int)count; ++c->count)
        if (!load_contact(l, b, &c->now[c->count]))
            return fail(err, TARN_BAD_INPUT, "bodies", "contact %d is impossible", c->count);
    return joints_load(l, b, err);
}

// ---- joints -----------------------------------------------------------------------------------------

void joints_save(struct saver *s, const struct bodies *b)
{
    const int count = b->engine ? b->engine->joints.count : 0;
    save_u32(s, (uint32_t)count);
    for (int i = 0; i < count; ++i) {
        const struct joint_slot *slot = &b->engine->joints.slots[i];
        const struct joint *j = slot->joint;
        save_u32(s, slot->generation);
        if (!j) continue;
        save_text(s, j->kind->kind.name);
        save_text(s, j->def.name);
        param_save(s, &j->kind->kind, j->def.kind.data);
        save_u32(s, (uint32_t)j->a);
        save_u32(s, (uint32_t)(j->b + 1));
        save_f64s(s, &j->on_a.x, 3);
        save_f64s(s, &j->on_b.x, 3);
        save_f64s(s, &j->start_a.w, 4);
        save_f64s(s, &j->start_b.w, 4);
        save_f64(s, j->length);
        save_f64s(s, j->impulse, JOINT_ROWS);
    }
}

static bool load_joint(struct loader *l, const struct bodies *b, struct joint *j)
{
    char name[TARN_NAME_BYTES];
    load_text(l, name, sizeof name);
    load_text(l, j->def.name, sizeof j->def.name);
    for (int k = 0; joint_kind_at(k); ++k)
        if (strcmp(joint_kind_at(k)->kind.name, name) == 0) j->kind = joint_kind_at(k);
    if (!j->kind) return false;
    j->def.kind.kind = &j->kind->kind;
    tarn_kind_defaults(j->def.kind.kind, j->def.kind.data);
    if (param_load(l, j->def.kind.kind, j->def.kind.data, NULL) != TARN_OK) return false;
    j->a = (int)(load_u32(l) & 0x7fffffffu);
    j->b = (int)(load_u32(l) & 0x7fffffffu) - 1;
    load_f64s(l, &j->on_a.x, 3);
    load_f64s(l, &j->on_b.x, 3);
    load_f64s(l, &j->start_a.w, 4);
    load_f64s(l, &j->start_b.w, 4);
    j->length = load_f64(l);
    load_f64s(l, j->impulse, JOINT_ROWS);
    bool good = !l->bad && j->a < b->count && bodies_alive(b, j->a) && j->b < b->count && j->b != j->a &&
                (j->b < 0 || bodies_alive(b, j->b)) && v3_length(j->on_a) < 1e9 && v3_length(j->on_b) < 1e9 &&
                j->length >= 0.0 && j->length < 1e9 && fabs(j->start_a.w) < 2.0 && fabs(j->start_b.w) < 2.0;
    for (int i = 0; i < JOINT_ROWS; ++i) good = good && fabs(j->impulse[i]) < 1e30;
    return good;
}

tarn_result joints_load(struct loader *l, struct bodies *b, tarn_error *err)
{
    struct joints *js = &b->engine->joints;
    const uint32_t count = load_u32(l);
    if (l->bad || count > l->size) return fail(err, TARN_BAD_INPUT, "joints", "the joints are impossible");
    if (!memory_grow(b->memory, (void **)&js->slots, &js->room, (int)count, sizeof *js->slots))
        return fail(err, TARN_NO_MEMORY, "", "no memory for %u joints", count);
    for (js->count = 0; js->count < (int)count;) {
        struct joint_slot *slot = &js->slots[js->count++];
        slot->generation = load_u32(l);
        if (!(slot->generation & 1u)) continue;
        slot->joint = memory_alloc(b->memory, 1, sizeof *slot->joint);
        if (!slot->joint) return fail(err, TARN_NO_MEMORY, "", "no memory for a joint");
        if (!load_joint(l, b, slot->joint))
            return fail(err, TARN_BAD_INPUT, "joints", "joint %d is impossible", js->count - 1);
    }
    return TARN_OK;
}
