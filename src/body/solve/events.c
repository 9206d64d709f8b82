// Lists of events by kind, and the list of bodies that moved.
#include "body/solve/dynamics.h"

#include <string.h>

#define CONTACT_EVENTS_PER_BODY 2 // initial capacity

static const size_t event_bytes[EVENT_KINDS] = {
    [EVENT_CONTACT_BEGUN] = sizeof(tarn_contact_event), [EVENT_CONTACT_ENDED] = sizeof(tarn_contact_event),
    [EVENT_HIT] = sizeof(tarn_contact_event),           [EVENT_SENSOR_ENTERED] = sizeof(tarn_sensor_event),
    [EVENT_SENSOR_LEFT] = sizeof(tarn_sensor_event),    [EVENT_WATER_ENTERED] = sizeof(tarn_water_event),
    [EVENT_WATER_LEFT] = sizeof(tarn_water_event),      [EVENT_MOVED] = sizeof(tarn_move_event),
    [EVENT_JOINT_BROKEN] = sizeof(tarn_joint_event),
};

static bool reserve(struct bodies *b, enum event_kind kind, int count)
{
    struct event_list *list = &b->dynamics->events.of[kind];
    return memory_grow(b->memory, &list->items, &list->capacity, count, event_bytes[kind]);
}

bool events_reserve(struct bodies *b, int slots)
{
    return reserve(b, EVENT_CONTACT_BEGUN, CONTACT_EVENTS_PER_BODY * slots) &&
           reserve(b, EVENT_CONTACT_ENDED, CONTACT_EVENTS_PER_BODY * slots) &&
           reserve(b, EVENT_HIT, CONTACT_EVENTS_PER_BODY * slots) && reserve(b, EVENT_MOVED, slots) &&
           reserve(b, EVENT_WATER_ENTERED, slots) && reserve(b, EVENT_WATER_LEFT, slots);
}

bool events_add(struct bodies *b, enum event_kind kind, const void *event)
{
    struct event_list *list = &b->dynamics->events.of[kind];
    if (!reserve(b, kind, list->count + 1)) return false;
    memcpy((char *)list->items + (size_t)list->count++ * event_bytes[kind], event, event_bytes[kind]);
    return true;
}

void events_free(struct event_lists *events, const struct memory *m)
{
    for (int k = 0; k < EVENT_KINDS; ++k)
        memory_free(m, events->of[k].items, (size_t)events->of[k].capacity, event_bytes[k]);
    *events = (struct event_lists){0};
}

void events_begin(struct bodies *b)
{
    struct dynamics *dyn = b->dynamics;
    if (!dyn) return;
    for (int k = 0; k < EVENT_KINDS; ++k) dyn->events.of[k].count = 0;
    for (int i = 0; i < b->slot_count; ++i) dyn->was_asleep[i] = body_exists(b, i) && body_is_asleep(b, i);
}

bool events_add_moves(struct bodies *b)
{
    for (int i = 0; i < b->slot_count; ++i) {
        if (!body_exists(b, i) || !body_is_enabled(b, i)) continue;
        const bool is_asleep = body_is_asleep(b, i), fell_asleep = is_asleep && !b->dynamics->was_asleep[i];
        if (!fell_asleep && (is_asleep || !body_is_moving(b, i))) continue;
        const tarn_move_event event = {.body = body_id(b, i),
                                       .user_data = b->slots[i].body->def.user_data,
                                       .pose = {b->state[i].position, b->state[i].rotation},
                                       .fell_asleep = fell_asleep};
        if (!events_add(b, EVENT_MOVED, &event)) return false;
    }
    return true;
}

void bodies_count_events(const struct bodies *b, int counts[EVENT_KINDS])
{
    for (int k = 0; k < EVENT_KINDS; ++k) counts[k] = b->dynamics ? b->dynamics->events.of[k].count : 0;
}

void bodies_take_events(struct bodies *b, struct bodies *from, const int counts[EVENT_KINDS])
{
    if (!b->dynamics || !from->dynamics) return;
    const struct event_lists own = b->dynamics->events;
    b->dynamics->events = from->dynamics->events, from->dynamics->events = own;
    for (int k = 0; k < EVENT_KINDS; ++k) b->dynamics->events.of[k].count = counts[k];
    for (int i = 0; i < b->slot_count; ++i) b->dynamics->was_asleep[i] = from->dynamics->was_asleep[i];
}
