// Contacts, sleep flags and joints in a checkpoint. Accumulated impulses are state: the solver starts from
// them.
#include "base/error.h"
#include "body/solve/dynamics.h"

#include <string.h>

static void save_contact(struct saver *s, const struct contact *c)
{
    const int part_or_collider = c->b < 0 ? c->collider + 1 : c->part_b;
    const int header[6] = {c->a, c->b + 1, c->part_a, part_or_collider, c->image, c->point_count};
    for (int i = 0; i < 6; ++i) save_u32(s, (uint32_t)header[i]);
    save_u32(s, c->is_touching);
    save_f64s(s, &c->normal.x, 3);
    save_f64s(s, &c->relative_position.x, 3);
    save_f64s(s, &c->relative_rotation.w, 4);
    for (int k = 0; k < c->point_count; ++k) {
        const struct contact_point *point = &c->points[k];
        save_f64s(s, &point->local_a.x, 3);
        save_f64s(s, &point->local_b.x, 3);
        save_f32s(s, &point->normal_impulse, 1);
        save_f32s(s, point->friction_impulse, 3);
    }
}

void dynamics_save(struct saver *s, const struct bodies *b)
{
    const struct dynamics *dyn = b->dynamics;
    const int count = dyn ? dyn->contacts.count : 0;
    save_f64(s, dyn ? dyn->last_dt : 0.0);
    for (int i = 0; i < b->slot_count; ++i)
        save_u32(s, dyn && i < dyn->is_asleep_capacity && dyn->is_asleep[i]);
    save_u32(s, (uint32_t)count);
    for (int k = 0; k < count; ++k) save_contact(s, &dyn->contacts.current[k]);
    joints_save(s, b);
    overlaps_save(s, b);
}

// fill_lane() reads the convex parts of a contact.
static bool has_convex_part(const struct bodies *b, int slot, int part)
{
    return part < b->slots[slot].body->def.shape->data.convex_part_count;
}

static bool load_contact(struct loader *l, const struct bodies *b, struct contact *c)
{
    int header[6];
    for (int i = 0; i < 6; ++i) header[i] = (int)(load_u32(l) & 0x7fffffffu);
    *c = (struct contact){.a = header[0],
                          .b = header[1] - 1,
                          .part_a = header[2],
                          .part_b = header[1] > 0 ? header[3] : 0,
                          .collider = header[1] > 0 ? -1 : header[3] - 1,
                          .image = header[4],
                          .point_count = header[5]};
    c->is_touching = load_u32(l) != 0;
    load_f64s(l, &c->normal.x, 3);
    load_f64s(l, &c->relative_position.x, 3);
    load_f64s(l, &c->relative_rotation.w, 4);
    bool ok = c->point_count <= MANIFOLD_POINTS && c->image < 9 && c->a < b->slot_count &&
              c->b < b->slot_count && body_exists(b, c->a) &&
              (c->b < 0 || (c->b > c->a && body_exists(b, c->b))) && v3_length(c->normal) < 2.0 &&
              v3_is_finite(c->relative_position);
    ok = ok && has_convex_part(b, c->a, c->part_a) && (c->b < 0 || has_convex_part(b, c->b, c->part_b));
    for (int k = 0; ok && k < c->point_count; ++k) {
        struct contact_point *point = &c->points[k];
        load_f64s(l, &point->local_a.x, 3);
        load_f64s(l, &point->local_b.x, 3);
        load_f32s(l, &point->normal_impulse, 1);
        load_f32s(l, point->friction_impulse, 3);
        ok = v3_length(point->local_a) < 1e9 && v3_length(point->local_b) < 1e9 &&
             point->normal_impulse >= 0.0f && point->normal_impulse < 1e30f;
        for (int i = 0; i < 3; ++i) ok = ok && fabsf(point->friction_impulse[i]) < 1e30f;
    }
    return ok && !l->failed;
}

tarn_result dynamics_load(struct loader *l, struct bodies *b, tarn_error *err)
{
    if (!bodies_reserve(b, b->slot_count)) return fail(err, TARN_NO_MEMORY, "", "no memory for contacts");
    struct dynamics *dyn = b->dynamics;
    struct contacts *c = &dyn->contacts;
    dyn->last_dt = load_f64(l);
    for (int i = 0; i < b->slot_count; ++i) dyn->is_asleep[i] = load_u32(l) != 0;
    const uint32_t count = load_u32(l);
    if (l->failed || count > l->size || !(0.0 <= dyn->last_dt && dyn->last_dt <= 1.0))
        return fail(err, TARN_BAD_INPUT, "bodies", "the list of contacts is invalid");
    if (!memory_grow(b->memory, (void **)&c->current, &c->capacity, (int)count, sizeof *c->current))
        return fail(err, TARN_NO_MEMORY, "", "no memory for %u contacts", count);
    for (c->count = 0; c->count < (int)count; ++c->count)
        if (!load_contact(l, b, &c->current[c->count]))
            return fail(err, TARN_BAD_INPUT, "bodies", "contact %d is invalid", c->count);
    const tarn_result r = joints_load(l, b, err);
    return r == TARN_OK ? overlaps_load(l, b, err) : r;
}

// ---- joints ----------------------------------------------------------------------------------------

static int saved_rows(const struct joint *j) { return joint_has_limit(j) ? JOINT_ROWS : SAVED_JOINT_ROWS; }

static void save_joint_definition(struct saver *s, const struct joint *j)
{
    if (s->raw) {
        save_raw(s, &j->def, sizeof j->def);
        return;
    }
    save_text(s, j->def.name);
    param_save(s, &j->kind->kind, &j->def);
}

static bool load_joint_definition(struct loader *l, struct joint *j)
{
    if (l->raw) {
        load_raw(l, &j->def, sizeof j->def);
        return true;
    }
    load_text(l, j->def.name, sizeof j->def.name);
    return param_load(l, &j->kind->kind, &j->def, NULL) == TARN_OK;
}

void joints_save(struct saver *s, const struct bodies *b)
{
    const int count = b->dynamics ? b->dynamics->joints.slot_count : 0;
    save_u32(s, (uint32_t)count);
    for (int i = 0; i < count; ++i) {
        const struct joint_slot *slot = &b->dynamics->joints.slots[i];
        const struct joint *j = slot->joint;
        save_u32(s, slot->generation);
        if (!j) continue;
        save_text(s, j->kind->kind.name);
        save_joint_definition(s, j);
        save_u32(s, (uint32_t)j->a);
        save_u32(s, (uint32_t)(j->b + 1));
        save_f64s(s, &j->local_a.x, 3);
        save_f64s(s, &j->local_b.x, 3);
        save_f64s(s, &j->initial_rotation_a.w, 4);
        save_f64s(s, &j->initial_rotation_b.w, 4);
        save_f64(s, j->initial_length);
        save_f64s(s, j->impulse, (size_t)saved_rows(j));
    }
}

static bool load_joint(struct loader *l, const struct bodies *b, struct joint *j)
{
    char name[TARN_NAME_BYTES];
    load_text(l, name, sizeof name);
    for (int k = 0; joint_kind_at(k); ++k)
        if (strcmp(joint_kind_at(k)->kind.name, name) == 0)
            j->kind = joint_kind_at(k), j->def = tarn_default_joint_def((tarn_joint_type)k);
    if (!j->kind || !load_joint_definition(l, j)) return false;
    j->a = (int)(load_u32(l) & 0x7fffffffu);
    j->b = (int)(load_u32(l) & 0x7fffffffu) - 1;
    load_f64s(l, &j->local_a.x, 3);
    load_f64s(l, &j->local_b.x, 3);
    load_f64s(l, &j->initial_rotation_a.w, 4);
    load_f64s(l, &j->initial_rotation_b.w, 4);
    j->initial_length = load_f64(l);
    load_f64s(l, j->impulse, (size_t)saved_rows(j));
    bool ok = !l->failed && j->a < b->slot_count && body_exists(b, j->a) && j->b < b->slot_count &&
              j->b != j->a && (j->b < 0 || body_exists(b, j->b)) && v3_length(j->local_a) < 1e9 &&
              v3_length(j->local_b) < 1e9 && j->initial_length >= 0.0 && j->initial_length < 1e9 &&
              fabs(j->initial_rotation_a.w) < 2.0 && fabs(j->initial_rotation_b.w) < 2.0;
    for (int i = 0; i < JOINT_ROWS; ++i) ok = ok && fabs(j->impulse[i]) < 1e30;
    return ok;
}

tarn_result joints_load(struct loader *l, struct bodies *b, tarn_error *err)
{
    struct joints *joints = &b->dynamics->joints;
    const uint32_t count = load_u32(l);
    if (l->failed || count > l->size)
        return fail(err, TARN_BAD_INPUT, "joints", "the list of joints is invalid");
    if (!memory_grow(b->memory, (void **)&joints->slots, &joints->slot_capacity, (int)count,
                     sizeof *joints->slots))
        return fail(err, TARN_NO_MEMORY, "", "no memory for %u joints", count);
    joints->slot_count = imax(joints->slot_count, (int)count); // all records are freed after a failure
    for (int i = 0; i < joints->slot_count; ++i) {
        struct joint_slot *slot = &joints->slots[i];
        slot->generation = i < (int)count ? load_u32(l) : 0;
        if (!(slot->generation & 1u)) {
            memory_free(b->memory, slot->joint, 1, sizeof *slot->joint); // of an earlier state
            slot->joint = NULL;
            continue;
        }
        if (!slot->joint) slot->joint = memory_alloc(b->memory, 1, sizeof *slot->joint);
        if (!slot->joint) return fail(err, TARN_NO_MEMORY, "", "no memory for a joint");
        *slot->joint = (struct joint){0};
        if (!load_joint(l, b, slot->joint))
            return fail(err, TARN_BAD_INPUT, "joints", "joint %d is invalid", i);
    }
    joints->slot_count = (int)count;
    return TARN_OK;
}
