// What happened in a step: contacts that began and ended, and hard impacts. Pairs that touched are the difference of
// two sorted lists, so nothing has to be remembered but the contacts themselves.
#include "contact.h"

#define MIN_HIT_SPEED 0.5 // [m/s]

bool events_begin_step(struct bodies *b)
{
    struct dynamics *e = b->dynamics;
    e->touching_before_count = 0;
    for (int k = 0; k < e->contacts.count; ++k) {
        const struct contact *c = &e->contacts.current[k];
        const struct body_pair *last =
            e->touching_before_count ? &e->touching_before[e->touching_before_count - 1] : NULL;
        if (!c->is_touching || (last && last->a == c->a && last->b == c->b)) continue;
        if (!memory_grow(b->memory, (void **)&e->touching_before, &e->touching_before_capacity,
                         e->touching_before_count + 1, sizeof *e->touching_before))
            return false;
        e->touching_before[e->touching_before_count++] = (struct body_pair){c->a, c->b, c->image};
    }
    return true;
}

static bool add_event(struct bodies *b, tarn_event_kind kind, const struct contact *c)
{
    struct dynamics *e = b->dynamics;
    if (!memory_grow(b->memory, (void **)&e->events, &e->event_capacity, e->event_count + 1,
                     sizeof *e->events))
        return false;
    const struct body_state *h = &b->state[c->a];
    tarn_event *out = &e->events[e->event_count++];
    *out = (tarn_event){.kind = kind, .a = body_id(b, c->a)};
    if (c->b >= 0) out->b = body_id(b, c->b);
    if (c->point_count) {
        out->point = v3_add(h->position, quat_rotate(h->rotation, c->points[0].local_a));
        out->normal = quat_rotate(h->rotation, c->normal);
    }
    if (kind == TARN_HIT) out->speed = c->impact_speed, out->impulse = c->impact_impulse;
    return true;
}

static int compare_pair(const struct body_pair *x, int a, int b)
{
    if (x->a != a) return x->a < a ? -1 : 1;
    return x->b < b ? -1 : x->b > b;
}

static bool add_end_event(struct bodies *b, const struct body_pair *p)
{
    const struct contact gone = {.a = p->a, .b = p->b};
    const bool there = body_exists(b, p->a) && (p->b < 0 || body_exists(b, p->b));
    return !there || add_event(b, TARN_PART, &gone);
}

bool events_end_step(struct bodies *b)
{
    struct dynamics *e = b->dynamics;
    int at = 0;
    for (int k = 0; k < e->contacts.count;) {
        const struct contact *c = &e->contacts.current[k], *first = NULL, *hardest = NULL;
        for (; k < e->contacts.count && e->contacts.current[k].a == c->a && e->contacts.current[k].b == c->b;
             ++k) {
            const struct contact *x = &e->contacts.current[k];
            if (x->is_touching && !first) first = x;
            if (x->impact_speed > MIN_HIT_SPEED && (!hardest || x->impact_impulse > hardest->impact_impulse))
                hardest = x;
        }
        while (at < e->touching_before_count && compare_pair(&e->touching_before[at], c->a, c->b) < 0)
            if (!add_end_event(b, &e->touching_before[at++])) return false;
        const bool was =
            at < e->touching_before_count && compare_pair(&e->touching_before[at], c->a, c->b) == 0;
        if (was) ++at;
        if (first && !was && !add_event(b, TARN_TOUCH, first)) return false;
        if (hardest && !add_event(b, TARN_HIT, hardest)) return false;
        if (was && !first && !add_event(b, TARN_PART, c)) return false;
    }
    while (at < e->touching_before_count)
        if (!add_end_event(b, &e->touching_before[at++])) return false;
    return true;
}

void bodies_clear_events(struct bodies *b)
{
    if (b->dynamics) b->dynamics->event_count = 0;
}

int bodies_events(const struct bodies *b, const tarn_event **out)
{
    *out = b->dynamics ? b->dynamics->events : NULL;
    return b->dynamics ? b->dynamics->event_count : 0;
}
