// Who may rest. Bodies that touch, or are about to, are one island. An island that lies on something immovable (what only
// hangs swings on), where nobody is fast and at most one in ten has got anywhere for a while, sleeps: it is left out of
// everything until a newcomer touches it, a force on one of it changes, or the caller does something. There is nothing
// to remember but how long each has been still.
#include "contact.h"

#include <string.h>

#define NEAR   0.02 // of the smaller radius
#define FEW    10   // one in so many that still creeps does not keep a heap awake
#define DROWSY 0.5  // [s]

int island_of(const int *parent, int i)
{
    while (parent[i] != i) i = parent[i];
    return i;
}

// The lower slot leads; paths stay short because both ends are hung to the root.
void island_join(int *parent, int x, int y)
{
    const int rx = island_of(parent, x), ry = island_of(parent, y), low = imin(rx, ry);
    parent[rx] = parent[ry] = low;
    parent[x] = parent[y] = low;
}

// Does a contact bind: do they touch, or will they soon?
static bool binds(const struct bodies *b, const struct contact *c, double within)
{
    if (c->touching) return true;
    const vec3 n = quat_turn(b->hot[c->a].rotation, c->normal);
    vec3 apart = v3_scale(body_velocity(b, c->a), -1.0);
    double turning = v3_length(body_spin(b, c->a)) * b->slots[c->a].cold->figure->radius;
    if (c->b >= 0) {
        apart = v3_add(apart, body_velocity(b, c->b));
        turning += v3_length(body_spin(b, c->b)) * b->slots[c->b].cold->figure->radius;
    }
    const double ra = b->slots[c->a].cold->figure->radius,
                 rb = c->b >= 0 ? b->slots[c->b].cold->figure->radius : ra;
    // A hair between two sleepers does not keep a blow from being handed on.
    const double closing = turning - v3_dot(apart, n), near = NEAR * fmin(ra, rb);
    for (int k = 0; k < c->count; ++k)
        if (hold_gap(b, c, k) <= fmax(near, closing * within)) return true;
    return false;
}

bool body_moving(const struct bodies *b, int i)
{
    const struct body_hot *h = &b->hot[i];
    return v3_dot(h->momentum, h->momentum) > 0.0 || v3_dot(h->angular, h->angular) > 0.0;
}

static void find_islands(struct bodies *b, double within)
{
    struct engine *e = b->engine;
    for (int i = 0; i < b->count; ++i) e->island[i] = i;
    for (int k = 0; k < e->contacts.count; ++k) {
        const struct contact *c = &e->contacts.now[k];
        if (c->b < 0 || !body_movable(b, c->a) || !body_movable(b, c->b) || !binds(b, c, within)) continue;
        island_join(e->island, c->a, c->b);
    }
    joints_bind(b, e->island);
}

void sleep_sort(struct bodies *b, double within)
{
    struct engine *e = b->engine;
    enum { ANCHORED = 1, AWAKE = 2 };
    unsigned char *mark = e->mark;
    find_islands(b, within);
    if (b->never_sleep) {
        memset(e->asleep, 0, (size_t)b->count * sizeof *e->asleep);
        return;
    }
    for (int i = 0; i < b->count; ++i) mark[i] = 0, e->members[i] = e->restless[i] = 0;
    for (int i = 0; i < b->count; ++i) {
        if (!bodies_alive(b, i) || !body_movable(b, i)) continue;
        const int root = island_of(e->island, i);
        e->members[root] += 1;
        e->restless[root] += b->hot[i].still < DROWSY;
        if (!body_slow(b, i)) mark[root] |= AWAKE;
    }
    for (int k = 0; k < e->contacts.count; ++k) {
        const struct contact *c = &e->contacts.now[k];
        const int mine = body_movable(b, c->a) ? c->a : c->b, other = mine == c->a ? c->b : c->a;
        if (other >= 0 && body_movable(b, other)) continue;
        if (!binds(b, c, within)) continue;
        mark[island_of(e->island, mine)] |=
            other >= 0 && (body_moving(b, other) || b->hot[other].still == 0.0) ? AWAKE : ANCHORED;
    }
    for (int i = 0; i < b->count; ++i) {
        e->asleep[i] = false;
        if (!bodies_alive(b, i) || !body_movable(b, i)) continue;
        const int root = island_of(e->island, i);
        e->asleep[i] = mark[root] == ANCHORED && FEW * e->restless[root] <= e->members[root] - 1;
        if (!e->asleep[i]) continue;
        e->given = v3_sub(e->given, b->hot[i].momentum);
        b->hot[i].momentum = b->hot[i].angular = v3(0, 0, 0);
    }
}
