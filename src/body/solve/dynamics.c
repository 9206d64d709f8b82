// Allocation of the arrays for detection and solver, and removal of a body from them.
#include "body/solve/dynamics.h"

#define CONTACTS_PER_BODY 8 // initial capacity

static bool dynamics_reserve(struct bodies *b, int n)
{
    struct dynamics *dyn = b->dynamics;
    const struct memory *m = b->memory;
    return memory_grow(m, (void **)&dyn->aabb, &dyn->aabb_capacity, n, sizeof *dyn->aabb) &&
           memory_grow(m, (void **)&dyn->margin, &dyn->margin_capacity, n, sizeof *dyn->margin) &&
           memory_grow(m, (void **)&dyn->rotation, &dyn->rotation_capacity, n, sizeof *dyn->rotation) &&
           memory_grow(m, (void **)&dyn->detection_position, &dyn->detection_position_capacity, n,
                       sizeof *dyn->detection_position) &&
           memory_grow(m, (void **)&dyn->island_parent, &dyn->island_parent_capacity, n,
                       sizeof *dyn->island_parent) &&
           memory_grow(m, (void **)&dyn->island_size, &dyn->island_size_capacity, n,
                       sizeof *dyn->island_size) &&
           memory_grow(m, (void **)&dyn->island_awake_count, &dyn->island_awake_capacity, n,
                       sizeof *dyn->island_awake_count) &&
           memory_grow(m, (void **)&dyn->is_asleep, &dyn->is_asleep_capacity, n, sizeof *dyn->is_asleep) &&
           memory_grow(m, (void **)&dyn->island_flags, &dyn->island_flag_capacity, n,
                       sizeof *dyn->island_flags) &&
           memory_grow(m, (void **)&dyn->contacts.current, &dyn->contacts.capacity, CONTACTS_PER_BODY * n,
                       sizeof *dyn->contacts.current) &&
           memory_grow(m, (void **)&dyn->contacts.previous, &dyn->contacts.previous_capacity,
                       CONTACTS_PER_BODY * n, sizeof *dyn->contacts.previous) &&
           memory_grow(m, (void **)&dyn->contacts.groups, &dyn->contacts.group_capacity, MAX_NORMALS,
                       sizeof *dyn->contacts.groups) &&
           memory_grow(m, (void **)&dyn->touching_before, &dyn->touching_before_capacity,
                       CONTACTS_PER_BODY * n, sizeof *dyn->touching_before) &&
           memory_grow(m, (void **)&dyn->was_asleep, &dyn->was_asleep_capacity, n, sizeof *dyn->was_asleep) &&
           events_reserve(b, n);
}

// Reserves what most worlds need, so that steps rarely allocate.
bool dynamics_create(struct bodies *b, int count)
{
    if (!b->dynamics) b->dynamics = memory_alloc(b->memory, 1, sizeof *b->dynamics);
    if (!b->dynamics) return false;
    b->dynamics->broad_phase.is_stale = true;
    const int contacts = CONTACTS_PER_BODY * count; // every batch has one at least
    return dynamics_reserve(b, count) && broad_phase_reserve(b, count, contacts) &&
           batches_reserve(b, count, contacts, imin(contacts, contacts / BATCH_LANES + MAX_COLOURS));
}

void dynamics_reset(struct bodies *b)
{
    struct dynamics *dyn = b->dynamics;
    dyn->contacts.count = dyn->contacts.previous_count = 0;
    dyn->broad_phase.is_stale = true;
    dyn->solver.body_count = dyn->solver.batch_count = 0;
    dyn->colliders = NULL, dyn->collider_count = 0;
    dyn->environment_impulse = v3(0, 0, 0);
    dyn->out_of_memory = false;
    dyn->touching_before_count = dyn->overlap_count = dyn->island_count = 0;
    dyn->last_dt = dyn->detection_interval = dyn->detection_time_left = 0.0;
    memory_clear(dyn->margin, dyn->margin_capacity, sizeof *dyn->margin);
    memory_clear(dyn->is_asleep, dyn->is_asleep_capacity, sizeof *dyn->is_asleep);
    memory_clear(dyn->was_asleep, dyn->was_asleep_capacity, sizeof *dyn->was_asleep);
    for (int k = 0; k < EVENT_KINDS; ++k) dyn->events.of[k].count = 0;
}

// Removes the contacts and joints of a body and wakes the bodies it touched.
void dynamics_remove_body(struct bodies *b, int i)
{
    struct dynamics *dyn = b->dynamics;
    int kept_count = 0;
    dyn->broad_phase.is_stale = true;
    dyn->solver.batch_count = 0; // the batches refer to contacts by index
    dyn->contacts.previous_count = 0;
    joints_remove_body(b, i);
    dyn->touching_before_count = 0;
    overlaps_remove_body(b, i);
    for (int k = 0; k < dyn->contacts.count; ++k) {
        const struct contact *c = &dyn->contacts.current[k];
        if (c->a != i && c->b != i)
            dyn->contacts.current[kept_count++] = *c;
        else if (c->b >= 0)
            body_wake(b, c->a == i ? c->b : c->a);
    }
    dyn->contacts.count = kept_count;
    if (i < dyn->is_asleep_capacity) dyn->is_asleep[i] = false;
}

void dynamics_wake_neighbours(struct bodies *b, int i)
{
    body_wake(b, i);
    for (int k = 0; k < b->dynamics->contacts.count; ++k) {
        const struct contact *c = &b->dynamics->contacts.current[k];
        if (c->b >= 0 && (c->a == i || c->b == i)) body_wake(b, c->a == i ? c->b : c->a);
    }
}

void dynamics_free(struct bodies *b)
{
    struct dynamics *dyn = b->dynamics;
    if (!dyn) return;
    struct {
        void *p;
        int capacity;
        size_t size;
    } arrays[] = {
        {dyn->contacts.current, dyn->contacts.capacity, sizeof *dyn->contacts.current},
        {dyn->contacts.previous, dyn->contacts.previous_capacity, sizeof *dyn->contacts.previous},
        {dyn->contacts.groups, dyn->contacts.group_capacity, sizeof *dyn->contacts.groups},
        {dyn->broad_phase.fat_aabb, dyn->broad_phase.fat_aabb_capacity, sizeof *dyn->broad_phase.fat_aabb},
        {dyn->broad_phase.pairs, dyn->broad_phase.pair_capacity, sizeof *dyn->broad_phase.pairs},
        {dyn->broad_phase.proxies, dyn->broad_phase.proxy_capacity, sizeof *dyn->broad_phase.proxies},
        {dyn->broad_phase.keys, dyn->broad_phase.key_capacity, sizeof *dyn->broad_phase.keys},
        {dyn->broad_phase.order, dyn->broad_phase.order_capacity, sizeof *dyn->broad_phase.order},
        {dyn->broad_phase.sort_scratch, dyn->broad_phase.sort_scratch_capacity,
         sizeof *dyn->broad_phase.sort_scratch},
        {dyn->broad_phase.endpoints, dyn->broad_phase.endpoint_capacity, sizeof *dyn->broad_phase.endpoints},
        {dyn->solver.velocity, dyn->solver.velocity_capacity, sizeof *dyn->solver.velocity},
        {dyn->solver.displacement, dyn->solver.displacement_capacity, sizeof *dyn->solver.displacement},
        {dyn->solver.acceleration, dyn->solver.acceleration_capacity, sizeof *dyn->solver.acceleration},
        {dyn->solver.stored_velocity, dyn->solver.stored_velocity_capacity,
         sizeof *dyn->solver.stored_velocity},
        {dyn->solver.velocity_unwarmed, dyn->solver.velocity_unwarmed_capacity,
         sizeof *dyn->solver.velocity_unwarmed},
        {dyn->solver.inverse_mass, dyn->solver.inverse_mass_capacity, sizeof *dyn->solver.inverse_mass},
        {dyn->solver.inertia, dyn->solver.inertia_capacity, sizeof *dyn->solver.inertia},
        {dyn->solver.colours, dyn->solver.colour_capacity, sizeof *dyn->solver.colours},
        {dyn->solver.body_of_slot, dyn->solver.slot_capacity, sizeof *dyn->solver.body_of_slot},
        {dyn->solver.slot_of_body, dyn->solver.body_capacity, sizeof *dyn->solver.slot_of_body},
        {dyn->solver.batches, dyn->solver.batch_capacity, sizeof *dyn->solver.batches},
        {dyn->solver.batch_lane, dyn->solver.batch_lane_capacity, sizeof *dyn->solver.batch_lane},
        {dyn->solver.warm_start, dyn->solver.warm_start_capacity, sizeof *dyn->solver.warm_start},
        {dyn->aabb, dyn->aabb_capacity, sizeof *dyn->aabb},
        {dyn->margin, dyn->margin_capacity, sizeof *dyn->margin},
        {dyn->rotation, dyn->rotation_capacity, sizeof *dyn->rotation},
        {dyn->detection_position, dyn->detection_position_capacity, sizeof *dyn->detection_position},
        {dyn->island_parent, dyn->island_parent_capacity, sizeof *dyn->island_parent},
        {dyn->island_size, dyn->island_size_capacity, sizeof *dyn->island_size},
        {dyn->island_awake_count, dyn->island_awake_capacity, sizeof *dyn->island_awake_count},
        {dyn->is_asleep, dyn->is_asleep_capacity, sizeof *dyn->is_asleep},
        {dyn->island_flags, dyn->island_flag_capacity, sizeof *dyn->island_flags},
        {dyn->touching_before, dyn->touching_before_capacity, sizeof *dyn->touching_before},
        {dyn->was_asleep, dyn->was_asleep_capacity, sizeof *dyn->was_asleep},
        {dyn->overlaps, dyn->overlap_capacity, sizeof *dyn->overlaps},
    };
    events_free(&dyn->events, b->memory);
    joints_free(b);
    for (size_t k = 0; k < sizeof arrays / sizeof arrays[0]; ++k)
        memory_free(b->memory, arrays[k].p, (size_t)arrays[k].capacity, arrays[k].size);
    memory_free(b->memory, dyn, 1, sizeof *dyn);
    b->dynamics = NULL;
}
