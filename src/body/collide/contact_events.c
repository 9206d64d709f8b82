// Contact events of a world step: begin, end and hit. Begin and end are the difference of the sorted lists
// of touching pairs before and after the step, so no state is needed beside the contacts.
#include "body/solve/dynamics.h"

bool events_begin_step(struct bodies *b)
{
    struct dynamics *dyn = b->dynamics;
    dyn->touching_before_count = 0;
    for (int k = 0; k < dyn->contacts.count; ++k) {
        struct contact *c = &dyn->contacts.current[k];
        for (int m = 0; m < c->point_count; ++m) c->points[m].step_impulse = 0.0f;
        const struct body_pair *last =
            dyn->touching_before_count ? &dyn->touching_before[dyn->touching_before_count - 1] : NULL;
        if (!c->is_touching || (last && last->a == c->a && last->b == c->b)) continue;
        if (!memory_grow(b->memory, (void **)&dyn->touching_before, &dyn->touching_before_capacity,
                         dyn->touching_before_count + 1, sizeof *dyn->touching_before))
            return false;
        dyn->touching_before[dyn->touching_before_count++] = (struct body_pair){c->a, c->b, c->image};
    }
    return true;
}

static bool add_event(struct bodies *b, enum event_kind kind, const struct contact *c)
{
    const struct body_state *state = &b->state[c->a];
    tarn_contact_event event = {.a = body_id(b, c->a), .user_a = b->slots[c->a].body->def.user_data};
    if (c->b >= 0) event.b = body_id(b, c->b), event.user_b = b->slots[c->b].body->def.user_data;
    if (c->point_count) {
        event.point = v3_add(state->position, quat_rotate(state->rotation, c->points[0].local_a));
        event.normal = quat_rotate(state->rotation, c->normal);
    }
    if (kind == EVENT_HIT) event.speed = c->impact_speed, event.impulse = c->impact_impulse;
    return events_add(b, kind, &event);
}

static int compare_pair(const struct body_pair *x, int a, int b)
{
    if (x->a != a) return x->a < a ? -1 : 1;
    return x->b < b ? -1 : x->b > b;
}

static bool add_end_event(struct bodies *b, const struct body_pair *p)
{
    const struct contact ended = {.a = p->a, .b = p->b};
    const bool exist = body_exists(b, p->a) && (p->b < 0 || body_exists(b, p->b));
    return !exist || add_event(b, EVENT_CONTACT_ENDED, &ended);
}

bool events_end_step(struct bodies *b)
{
    struct dynamics *dyn = b->dynamics;
    int cursor = 0;
    for (int k = 0; k < dyn->contacts.count;) {
        const struct contact *c = &dyn->contacts.current[k], *first = NULL, *hardest = NULL;
        for (; k < dyn->contacts.count && dyn->contacts.current[k].a == c->a &&
               dyn->contacts.current[k].b == c->b;
             ++k) {
            const struct contact *contact = &dyn->contacts.current[k];
            if (contact->is_touching && !first) first = contact;
            if (contact->impact_speed > b->hit_speed &&
                (!hardest || contact->impact_impulse > hardest->impact_impulse))
                hardest = contact;
        }
        while (cursor < dyn->touching_before_count &&
               compare_pair(&dyn->touching_before[cursor], c->a, c->b) < 0)
            if (!add_end_event(b, &dyn->touching_before[cursor++])) return false;
        const bool was_touching = cursor < dyn->touching_before_count &&
                                  compare_pair(&dyn->touching_before[cursor], c->a, c->b) == 0;
        if (was_touching) ++cursor;
        if (first && !was_touching && !add_event(b, EVENT_CONTACT_BEGUN, first)) return false;
        if (hardest && !add_event(b, EVENT_HIT, hardest)) return false;
        if (was_touching && !first && !add_event(b, EVENT_CONTACT_ENDED, c)) return false;
    }
    while (cursor < dyn->touching_before_count)
        if (!add_end_event(b, &dyn->touching_before[cursor++])) return false;
    return true;
}
