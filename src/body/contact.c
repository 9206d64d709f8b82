// Who touches whom. Contacts are looked for once a step, as far as bodies may get in it, and keep their points and
// impulses as long as they last.
#include "contact.h"

#include <string.h>

#define SPARE_REACH \
    0.005              // of a body's radius: looked for beyond what it moves, so that contacts at rest last
#define FALL      10.0 // [m/s^2] that may come on top of a body's speed
#define CONTACTS  8    // of a body: room from the start
#define HEIR      0.3  // of the radius: how near an old point must be for a new one to take its impulse
#define SAME_SIDE 0.9  // cosine between the normals of the two, at least
#define ELDERS    16   // old contacts of a pair that are looked through: their points fit into 64 bits
#define LAY_AT    2e-3 // of the smaller radius: so little moved, points stay those that were chosen
#define LAY_TURN  2e-3 // [rad] likewise

// ---- the list -------------------------------------------------------------------------------------

// Contacts are sorted by the two bodies; those of one pair stay as they were found.
static int order(const struct contact *x, const struct contact *y)
{
    if (x->a != y->a) return x->a < y->a ? -1 : 1;
    if (x->b != y->b) return x->b < y->b ? -1 : 1;
    return x->shift < y->shift ? -1 : x->shift > y->shift;
}

// The old contacts of the same two bodies. Asked for in rising order.
static const struct contact *old_of(struct contacts *c, const struct contact *like, int *count)
{
    while (c->at < c->old_count && order(&c->old[c->at], like) < 0) ++c->at;
    *count = 0;
    while (c->at + *count < c->old_count && order(&c->old[c->at + *count], like) == 0) ++*count;
    return &c->old[c->at];
}

// Each point takes over the impulse of the old one next to it, if that was near and looked the same way.
static void inherit(struct contact *c, const struct contact *old, int count, double near)
{
    uint64_t taken = 0;
    for (int k = 0; k < c->count; ++k) {
        int best = -1;
        double least = near * near;
        for (int m = 0; m < imin(count, ELDERS) * SPOTS; ++m) {
            const struct contact *o = &old[m / SPOTS];
            if (m % SPOTS >= o->count || taken >> m & 1u || v3_dot(o->normal, c->normal) < SAME_SIDE)
                continue;
            const vec3 d = v3_sub(c->holds[k].on_a, o->holds[m % SPOTS].on_a);
            if (v3_dot(d, d) < least) least = v3_dot(d, d), best = m;
        }
        if (best < 0) continue;
        const struct contact *o = &old[best / SPOTS];
        taken |= (uint64_t)1 << best;
        c->holds[k].push = o->holds[best % SPOTS].push;
        memcpy(c->holds[k].rub, o->holds[best % SPOTS].rub, sizeof c->holds[k].rub);
        c->touching |= o->touching;
        c->strike = fmaxf(c->strike, o->strike), c->speed = fmaxf(c->speed, o->speed);
    }
}

struct contact *contact_add(struct bodies *b, const struct contact *like)
{
    struct contacts *c = &b->engine->contacts;
    int count;
    if (!memory_grow(b->memory, (void **)&c->now, &c->room, c->count + 1, sizeof *c->now)) return NULL;
    struct contact *out = &c->now[c->count++];
    *out = *like;
    const struct contact *old = old_of(c, like, &count);
    inherit(out, old, count, HEIR * b->slots[like->a].cold->figure->radius);
    return out;
}

// All old contacts of two bodies, as they are.
static bool keep_old(struct bodies *b, int a, int other, int shift)
{
    struct contacts *c = &b->engine->contacts;
    const struct contact like = {.a = a, .b = other, .shift = shift};
    int count;
    const struct contact *old = old_of(c, &like, &count);
    if (!memory_grow(b->memory, (void **)&c->now, &c->room, c->count + count, sizeof *c->now)) return false;
    if (count) memcpy(c->now + c->count, old, (size_t)count * sizeof *old);
    c->count += count;
    return true;
}

double hold_gap(const struct bodies *b, const struct contact *c, int k)
{
    const struct hold *h = &c->holds[k];
    const struct body_hot *a = &b->hot[c->a];
    vec3 there = h->on_b;
    if (c->b >= 0) {
        const struct body_hot *o = &b->hot[c->b];
        there =
            v3_add(v3_add(o->position, shift_of(c->shift, b->engine->wrap)), quat_turn(o->rotation, there));
    }
    const vec3 here = v3_add(a->position, quat_turn(a->rotation, h->on_a));
    return v3_dot(v3_sub(there, here), quat_turn(a->rotation, c->normal));
}

// ---- two bodies -----------------------------------------------------------------------------------

// Two bodies while their pieces are held against each other.
struct meeting {
    int a, b, shift;
    vec3 at_b; // where b is seen
    const mat3 *axes_a, *axes_b;
    quat turn; // b's axes in a's
    vec3 lay;  // b's place in a's axes
    double reach;
};

static bool lies_as_before(const struct contact *old, const struct meeting *m, double size)
{
    const vec3 d = v3_sub(old->lay_at, m->lay);
    if (v3_dot(d, d) > LAY_AT * LAY_AT * size * size) return false;
    const quat q = quat_mul(quat_back(old->lay_turn), m->turn);
    return q.x * q.x + q.y * q.y + q.z * q.z < 0.25 * LAY_TURN * LAY_TURN;
}

// Spots of pieces that push the same way are one contact, however many pieces a body has.
#define SIDES_MET 24    // directions in which two bodies may touch
#define SAME_WAY  0.999 // cosine: within 2.6 degrees
struct side_met {
    vec3 normal;
    double gap; // [m] the least of its spots
    int piece_a, piece_b;
    struct heap heap;
};

static double least_gap(const struct manifold *f)
{
    double gap = INFINITY;
    for (int n = 0; n < f->count; ++n) gap = fmin(gap, spot_gap(&f->spots[n], f->normal));
    return gap;
}

// The place of a direction that is not known yet. If there are too many it is that of the widest gap: two rings come near
// each other in fifty directions, and one that is left out may be the one in which they overlap. NULL: all are
// nearer than this one.
static struct side_met *side_for(struct side_met *sides, int *count, double gap)
{
    if (*count < SIDES_MET) return &sides[(*count)++];
    struct side_met *widest = sides;
    for (int k = 1; k < SIDES_MET; ++k)
        if (sides[k].gap > widest->gap) widest = &sides[k];
    return gap < widest->gap ? widest : NULL;
}

static void note_spots(struct side_met *sides, int *count, int pa, int pb, const struct manifold *f)
{
    const double gap = least_gap(f);
    int k = 0;
    while (k < *count && v3_dot(sides[k].normal, f->normal) < SAME_WAY) ++k;
    struct side_met *s = &sides[k];
    if (k == *count) {
        s = side_for(sides, count, gap);
        if (!s) return;
        s->normal = f->normal, s->gap = gap, s->piece_a = pa, s->piece_b = pb, s->heap.count = 0;
    }
    s->gap = fmin(s->gap, gap);
    for (int n = 0; n < f->count && s->heap.count < 2 * SIDE_CORNERS; ++n)
        s->heap.spots[s->heap.count++] = f->spots[n];
}

static bool add_side(struct bodies *b, const struct meeting *m, const struct side_met *s)
{
    struct contact like = {
        .a = m->a, .b = m->b, .piece_a = s->piece_a, .piece_b = s->piece_b, .shift = m->shift};
    struct manifold f;
    heap_reduce(&s->heap, s->normal, &f);
    like.count = f.count;
    like.normal = mat3_mul_t(m->axes_a, f.normal);
    like.lay_at = m->lay, like.lay_turn = m->turn;
    for (int k = 0; k < f.count; ++k) {
        like.holds[k].on_a = mat3_mul_t(m->axes_a, v3_sub(f.spots[k].on_a, b->hot[m->a].position));
        like.holds[k].on_b = mat3_mul_t(m->axes_b, v3_sub(f.spots[k].on_b, m->at_b));
    }
    return contact_add(b, &like) != NULL;
}

static bool meet_pieces(struct bodies *b, const struct meeting *m)
{
    const struct form *fa = &b->slots[m->a].cold->figure->form, *fb = &b->slots[m->b].cold->figure->form;
    const double far_b = b->slots[m->b].cold->figure->radius;
    struct side_met sides[SIDES_MET];
    int count = 0;
    for (int i = 0; i < fa->piece_count; ++i) {
        const struct placed a = piece_placed(&fa->pieces[i], b->hot[m->a].position, m->axes_a);
        const vec3 to_b = v3_sub(m->at_b, a.at);
        double far = a.piece->radius + far_b + m->reach;
        if (fa->piece_count > 1 && v3_dot(to_b, to_b) > far * far) continue;
        for (int j = 0; j < fb->piece_count; ++j) {
            const struct placed o = piece_placed(&fb->pieces[j], m->at_b, m->axes_b);
            const vec3 apart = v3_sub(o.at, a.at);
            struct manifold f;
            far = a.piece->radius + o.piece->radius + m->reach;
            if (v3_dot(apart, apart) > far * far) continue;
            touch_pieces(&a, &o, m->reach, &f);
            if (f.count) note_spots(sides, &count, i, j, &f);
        }
    }
    for (int k = 0; k < count; ++k)
        if (!add_side(b, m, &sides[k])) return false;
    return true;
}

static bool meet(struct bodies *b, const struct pair *p)
{
    const struct engine *e = b->engine;
    const struct body_hot *ha = &b->hot[p->a], *hb = &b->hot[p->b];
    const struct figure *fa = b->slots[p->a].cold->figure, *fb = b->slots[p->b].cold->figure;
    struct meeting m = {.a = p->a, .b = p->b, .shift = p->shift, .reach = e->reach[p->a] + e->reach[p->b]};
    m.at_b = v3_add(hb->position, shift_of(p->shift, e->wrap));
    const vec3 apart = v3_sub(m.at_b, ha->position);
    const double far = fa->radius + fb->radius + m.reach;
    if (v3_dot(apart, apart) > far * far || joints_bind_pair(b, p->a, p->b)) return true;
    m.axes_a = &e->axes[p->a], m.axes_b = &e->axes[p->b];
    m.turn = quat_mul(quat_back(ha->rotation), hb->rotation);
    m.lay = mat3_mul_t(m.axes_a, apart);
    const struct contact like = {.a = p->a, .b = p->b, .shift = p->shift};
    int count;
    const struct contact *old = old_of(&b->engine->contacts, &like, &count);
    if (count && lies_as_before(old, &m, fmin(fa->radius, fb->radius)))
        return keep_old(b, p->a, p->b, p->shift);
    return meet_pieces(b, &m);
}

// ---- looking --------------------------------------------------------------------------------------

static vec3 v3_abs(vec3 v) { return v3(fabs(v.x), fabs(v.y), fabs(v.z)); }

// How far a piece reaches from its middle along the world's axes.
static vec3 extent(const struct placed *p)
{
    const vec3 h = p->piece->half;
    if (!(h.x > 0.0)) return v3(p->piece->radius, p->piece->radius, p->piece->radius);
    const mat3 *m = &p->axes;
    return v3(fabs(m->m[0][0]) * h.x + fabs(m->m[0][1]) * h.y + fabs(m->m[0][2]) * h.z,
              fabs(m->m[1][0]) * h.x + fabs(m->m[1][1]) * h.y + fabs(m->m[1][2]) * h.z,
              fabs(m->m[2][0]) * h.x + fabs(m->m[2][1]) * h.y + fabs(m->m[2][2]) * h.z);
}

static void measure(struct bodies *b, int i, double within)
{
    struct engine *e = b->engine;
    const struct figure *f = b->slots[i].cold->figure;
    const bool rests = e->asleep[i] && b->hot[i].still > 0.0;
    const double speed = v3_length(body_velocity(b, i)) + v3_length(body_spin(b, i)) * f->radius;
    e->reach[i] = SPARE_REACH * f->radius + (rests ? 0.0 : within * (speed + FALL * within));
    e->from[i] = b->hot[i].position;
    e->axes[i] = quat_matrix(b->hot[i].rotation);
    const vec3 more = v3(e->reach[i], e->reach[i], e->reach[i]);
    for (int k = 0; k < f->form.piece_count; ++k) {
        const struct placed p = piece_placed(&f->form.pieces[k], b->hot[i].position, &e->axes[i]);
        const vec3 d = v3_add(v3_abs(extent(&p)), more), lo = v3_sub(p.at, d), hi = v3_add(p.at, d);
        struct bounds *out = &e->bounds[i];
        if (k == 0) *out = (struct bounds){lo, hi};
        out->lo = v3(fmin(out->lo.x, lo.x), fmin(out->lo.y, lo.y), fmin(out->lo.z, lo.z));
        out->hi = v3(fmax(out->hi.x, hi.x), fmax(out->hi.y, hi.y), fmax(out->hi.z, hi.z));
    }
}

static bool engine_room(struct bodies *b, int n)
{
    struct engine *e = b->engine;
    const struct memory *m = b->memory;
    return memory_grow(m, (void **)&e->bounds, &e->bounds_room, n, sizeof *e->bounds) &&
           memory_grow(m, (void **)&e->reach, &e->reach_room, n, sizeof *e->reach) &&
           memory_grow(m, (void **)&e->axes, &e->axes_room, n, sizeof *e->axes) &&
           memory_grow(m, (void **)&e->from, &e->from_room, n, sizeof *e->from) &&
           memory_grow(m, (void **)&e->island, &e->island_room, n, sizeof *e->island) &&
           memory_grow(m, (void **)&e->members, &e->members_room, n, sizeof *e->members) &&
           memory_grow(m, (void **)&e->restless, &e->restless_room, n, sizeof *e->restless) &&
           memory_grow(m, (void **)&e->asleep, &e->asleep_room, n, sizeof *e->asleep) &&
           memory_grow(m, (void **)&e->mark, &e->mark_room, n, sizeof *e->mark) &&
           memory_grow(m, (void **)&e->contacts.now, &e->contacts.room, CONTACTS * n,
                       sizeof *e->contacts.now) &&
           memory_grow(m, (void **)&e->contacts.old, &e->contacts.old_room, CONTACTS * n,
                       sizeof *e->contacts.old) &&
           memory_grow(m, (void **)&e->before, &e->before_room, CONTACTS * n, sizeof *e->before) &&
           memory_grow(m, (void **)&e->events, &e->event_room, CONTACTS * n, sizeof *e->events);
}

// Nothing about this body can have changed.
static bool at_rest(const struct bodies *b, int i)
{
    return b->hot[i].still > 0.0 && (b->engine->asleep[i] || (!body_movable(b, i) && !body_moving(b, i)));
}

static bool find(struct bodies *b, const struct walls *w)
{
    struct engine *e = b->engine;
    struct contacts *c = &e->contacts;
    struct contact *swap = c->old;
    const int room = c->old_room;
    c->old = c->now, c->old_count = c->count, c->old_room = c->room;
    c->now = swap, c->count = 0, c->room = room, c->at = 0;
    const int pairs = b->apart ? 0 : e->broad.pair_count;
    int p = 0;
    for (int i = 0; i < b->count; ++i) {
        if (!bodies_alive(b, i)) continue;
        const bool calm = at_rest(b, i);
        if (body_movable(b, i) &&
            !(calm ? keep_old(b, i, -1, 4) : ground_contacts(b, w, i) && fixture_contacts(b, w, i)))
            return false;
        while (p < pairs && e->broad.pairs[p].a < i) ++p;
        for (; p < pairs && e->broad.pairs[p].a == i; ++p) {
            const struct pair *q = &e->broad.pairs[p];
            if (!bodies_alive(b, q->b)) continue;
            if (!(calm && at_rest(b, q->b) ? keep_old(b, i, q->b, q->shift) : meet(b, q))) return false;
        }
    }
    return true;
}

bool bodies_look(struct bodies *b, const struct walls *w, double within)
{
    struct engine *e = b->engine;
    e->within = e->left = within;
    memcpy(e->wrap, w->wrap, sizeof e->wrap);
    e->fixtures = w->fixtures, e->fixture_count = w->fixture_count;
    octets_keep(b);
    for (int i = 0; i < b->count; ++i)
        if (bodies_alive(b, i)) measure(b, i, within);
    if (!broad_pairs(b, e->bounds, w->wrap) || !find(b, w)) return false;
    sleep_sort(b, within);
    return octets_make(b);
}

// Room from the start for what most worlds need, so that steps need none.
bool engine_create(struct bodies *b, int count)
{
    if (!b->engine) b->engine = memory_alloc(b->memory, 1, sizeof *b->engine);
    if (!b->engine) return false;
    b->engine->broad.stale = true;
    return engine_room(b, count) && broad_room(b, count, CONTACTS * count) &&
           octets_room(b, count, CONTACTS * count, CONTACTS * count / WIDE + COLOURS);
}

// Take away the contacts of a body, and wake whom it touched.
void engine_forget(struct bodies *b, int i)
{
    struct engine *e = b->engine;
    int kept = 0;
    e->broad.stale = true;
    e->solver.octet_count = 0; // its places are gone
    e->contacts.old_count = 0;
    joints_remove_of(b, i);
    e->before_count = 0;
    for (int k = 0; k < e->contacts.count; ++k) {
        const struct contact *c = &e->contacts.now[k];
        if (c->a != i && c->b != i)
            e->contacts.now[kept++] = *c;
        else if (c->b >= 0)
            body_wake(b, c->a == i ? c->b : c->a);
    }
    e->contacts.count = kept;
    if (i < e->asleep_room) e->asleep[i] = false;
}

void engine_free(struct bodies *b)
{
    struct engine *e = b->engine;
    if (!e) return;
    struct {
        void *p;
        int room;
        size_t size;
    } all[] = {
        {e->contacts.now, e->contacts.room, sizeof *e->contacts.now},
        {e->contacts.old, e->contacts.old_room, sizeof *e->contacts.old},
        {e->broad.fat, e->broad.fat_room, sizeof *e->broad.fat},
        {e->broad.pairs, e->broad.pair_room, sizeof *e->broad.pairs},
        {e->broad.proxies, e->broad.proxy_room, sizeof *e->broad.proxies},
        {e->broad.keys, e->broad.key_room, sizeof *e->broad.keys},
        {e->broad.order, e->broad.order_room, sizeof *e->broad.order},
        {e->broad.spare, e->broad.spare_room, sizeof *e->broad.spare},
        {e->broad.edges, e->broad.edge_room, sizeof *e->broad.edges},
        {e->solver.v, e->solver.v_room, sizeof *e->solver.v},
        {e->solver.moved, e->solver.moved_room, sizeof *e->solver.moved},
        {e->solver.pull, e->solver.pull_room, sizeof *e->solver.pull},
        {e->solver.start, e->solver.start_room, sizeof *e->solver.start},
        {e->solver.led, e->solver.led_room, sizeof *e->solver.led},
        {e->solver.mass, e->solver.mass_room, sizeof *e->solver.mass},
        {e->solver.inertia, e->solver.inertia_room, sizeof *e->solver.inertia},
        {e->solver.used, e->solver.used_room, sizeof *e->solver.used},
        {e->solver.mover_of, e->solver.slot_room, sizeof *e->solver.mover_of},
        {e->solver.slot_of, e->solver.mover_room, sizeof *e->solver.slot_of},
        {e->solver.octets, e->solver.octet_room, sizeof *e->solver.octets},
        {e->solver.place, e->solver.place_room, sizeof *e->solver.place},
        {e->solver.guesses, e->solver.guess_room, sizeof *e->solver.guesses},
        {e->bounds, e->bounds_room, sizeof *e->bounds},
        {e->reach, e->reach_room, sizeof *e->reach},
        {e->axes, e->axes_room, sizeof *e->axes},
        {e->from, e->from_room, sizeof *e->from},
        {e->island, e->island_room, sizeof *e->island},
        {e->members, e->members_room, sizeof *e->members},
        {e->restless, e->restless_room, sizeof *e->restless},
        {e->asleep, e->asleep_room, sizeof *e->asleep},
        {e->mark, e->mark_room, sizeof *e->mark},
        {e->before, e->before_room, sizeof *e->before},
        {e->events, e->event_room, sizeof *e->events},
    };
    joints_free(b);
    for (size_t k = 0; k < sizeof all / sizeof all[0]; ++k)
        memory_free(b->memory, all[k].p, (size_t)all[k].room, all[k].size);
    memory_free(b->memory, e, 1, sizeof *e);
    b->engine = NULL;
}
