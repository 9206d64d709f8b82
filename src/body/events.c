// What happened in a step: contacts that began and ended, and hard impacts. Pairs that touched are the difference of
// two sorted lists, so nothing has to be remembered but the contacts themselves.
#include "contact.h"

#define HARD 0.5 // [m/s]

bool events_begin(struct bodies *b)
{
    struct engine *e = b->engine;
    e->before_count = 0;
    for (int k = 0; k < e->contacts.count; ++k) {
        const struct contact *c = &e->contacts.now[k];
        const struct pair *last = e->before_count ? &e->before[e->before_count - 1] : NULL;
        if (!c->touching || (last && last->a == c->a && last->b == c->b)) continue;
        if (!memory_grow(b->memory, (void **)&e->before, &e->before_room, e->before_count + 1,
                         sizeof *e->before))
            return false;
        e->before[e->before_count++] = (struct pair){c->a, c->b, c->shift};
    }
    return true;
}

static bool add(struct bodies *b, tarn_event_kind kind, const struct contact *c)
{
    struct engine *e = b->engine;
    if (!memory_grow(b->memory, (void **)&e->events, &e->event_room, e->event_count + 1, sizeof *e->events))
        return false;
    const struct body_hot *h = &b->hot[c->a];
    tarn_event *out = &e->events[e->event_count++];
    *out = (tarn_event){.kind = kind, .a = bodies_id(b, c->a)};
    if (c->b >= 0) out->b = bodies_id(b, c->b);
    if (c->count) {
        out->point = v3_add(h->position, quat_turn(h->rotation, c->holds[0].on_a));
        out->normal = quat_turn(h->rotation, c->normal);
    }
    if (kind == TARN_HIT) out->speed = c->speed, out->impulse = c->strike;
    return true;
}

static int order(const struct pair *x, int a, int b)
{
    if (x->a != a) return x->a < a ? -1 : 1;
    return x->b < b ? -1 : x->b > b;
}

static bool parted(struct bodies *b, const struct pair *p)
{
    const struct contact gone = {.a = p->a, .b = p->b};
    const bool there = bodies_alive(b, p->a) && (p->b < 0 || bodies_alive(b, p->b));
    return !there || add(b, TARN_PART, &gone);
}

bool events_end(struct bodies *b)
{
    struct engine *e = b->engine;
    int at = 0;
    for (int k = 0; k < e->contacts.count;) {
        const struct contact *c = &e->contacts.now[k], *first = NULL, *hardest = NULL;
        for (; k < e->contacts.count && e->contacts.now[k].a == c->a && e->contacts.now[k].b == c->b; ++k) {
            const struct contact *x = &e->contacts.now[k];
            if (x->touching && !first) first = x;
            if (x->speed > HARD && (!hardest || x->strike > hardest->strike)) hardest = x;
        }
        while (at < e->before_count && order(&e->before[at], c->a, c->b) < 0)
            if (!parted(b, &e->before[at++])) return false;
        const bool was = at < e->before_count && order(&e->before[at], c->a, c->b) == 0;
        if (was) ++at;
        if (first && !was && !add(b, TARN_TOUCH, first)) return false;
        if (hardest && !add(b, TARN_HIT, hardest)) return false;
        if (was && !first && !add(b, TARN_PART, c)) return false;
    }
    while (at < e->before_count)
        if (!parted(b, &e->before[at++])) return false;
    return true;
}

void bodies_forget_events(struct bodies *b)
{
    if (b->engine) b->engine->event_count = 0;
}

int bodies_events(const struct bodies *b, const tarn_event **out)
{
    *out = b->engine ? b->engine->events : NULL;
    return b->engine ? b->engine->event_count : 0;
}
