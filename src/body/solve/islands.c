// Who may rest. Bodies that touch, or are about to, are one island. An island that lies on something immovable (what only
// hangs swings on), where nobody is fast and at most one in ten has got anywhere for a while, sleeps: it is left out of
// everything until a newcomer touches it, a force on one of it changes, or the caller does something. There is nothing
// to remember but how long each has been still.
#include "body/collide/contact.h"

#include <string.h>

#define ISLAND_GAP     0.02 // of the smaller radius
#define CREEPING_RATIO 10   // one in so many that still creeps does not keep a heap awake
#define TIME_TO_SLEEP  0.5  // [s]

int island_root(const int *parent, int i)
{
    while (parent[i] != i) i = parent[i];
    return i;
}

// The lower slot leads; paths stay short because both ends are hung to the root.
void island_union(int *parent, int x, int y)
{
    const int rx = island_root(parent, x), ry = island_root(parent, y), low = imin(rx, ry);
    parent[rx] = parent[ry] = low;
    parent[x] = parent[y] = low;
}

// Does a contact bind: do they touch, or will they soon?
static bool links_island(const struct bodies *b, const struct contact *c, double within)
{
    if (c->is_touching) return true;
    const vec3 n = quat_rotate(b->state[c->a].rotation, c->normal);
    vec3 apart = v3_scale(body_velocity(b, c->a), -1.0);
    double turning =
        v3_length(body_angular_velocity(b, c->a)) * b->slots[c->a].body->geometry->bounding_radius;
    if (c->b >= 0) {
        apart = v3_add(apart, body_velocity(b, c->b));
        turning += v3_length(body_angular_velocity(b, c->b)) * b->slots[c->b].body->geometry->bounding_radius;
    }
    const double ra = b->slots[c->a].body->geometry->bounding_radius,
                 rb = c->b >= 0 ? b->slots[c->b].body->geometry->bounding_radius : ra;
    // A hair between two sleepers does not keep a blow from being handed on.
    const double closing = turning - v3_dot(apart, n), near = ISLAND_GAP * fmin(ra, rb);
    for (int k = 0; k < c->point_count; ++k)
        if (contact_point_gap(b, c, k) <= fmax(near, closing * within)) return true;
    return false;
}

bool body_is_moving(const struct bodies *b, int i)
{
    const struct body_state *h = &b->state[i];
    return v3_dot(h->momentum, h->momentum) > 0.0 || v3_dot(h->angular_momentum, h->angular_momentum) > 0.0;
}

static void build_islands(struct bodies *b, double within)
{
    struct dynamics *e = b->dynamics;
    for (int i = 0; i < b->slot_count; ++i) e->island_parent[i] = i;
    for (int k = 0; k < e->contacts.count; ++k) {
        const struct contact *c = &e->contacts.current[k];
        if (c->b < 0 || !body_is_dynamic(b, c->a) || !body_is_dynamic(b, c->b) || !links_island(b, c, within))
            continue;
        island_union(e->island_parent, c->a, c->b);
    }
    joints_link_islands(b, e->island_parent);
}

void update_islands_and_sleep(struct bodies *b, double within)
{
    struct dynamics *e = b->dynamics;
    enum { ISLAND_ANCHORED = 1, ISLAND_AWAKE = 2 };
    unsigned char *mark = e->island_flags;
    build_islands(b, within);
    if (b->never_sleep) {
        memset(e->is_asleep, 0, (size_t)b->slot_count * sizeof *e->is_asleep);
        return;
    }
    for (int i = 0; i < b->slot_count; ++i) mark[i] = 0, e->island_size[i] = e->island_awake_count[i] = 0;
    for (int i = 0; i < b->slot_count; ++i) {
        if (!body_exists(b, i) || !body_is_dynamic(b, i)) continue;
        const int root = island_root(e->island_parent, i);
        e->island_size[root] += 1;
        e->island_awake_count[root] += b->state[i].sleep_timer < TIME_TO_SLEEP;
        if (!body_is_slow(b, i)) mark[root] |= ISLAND_AWAKE;
    }
    for (int k = 0; k < e->contacts.count; ++k) {
        const struct contact *c = &e->contacts.current[k];
        const int mine = body_is_dynamic(b, c->a) ? c->a : c->b, other = mine == c->a ? c->b : c->a;
        if (other >= 0 && body_is_dynamic(b, other)) continue;
        if (!links_island(b, c, within)) continue;
        mark[island_root(e->island_parent, mine)] |=
            other >= 0 && (body_is_moving(b, other) || b->state[other].sleep_timer == 0.0) ? ISLAND_AWAKE
                                                                                           : ISLAND_ANCHORED;
    }
    for (int i = 0; i < b->slot_count; ++i) {
        e->is_asleep[i] = false;
        if (!body_exists(b, i) || !body_is_dynamic(b, i)) continue;
        const int root = island_root(e->island_parent, i);
        e->is_asleep[i] = mark[root] == ISLAND_ANCHORED &&
                          CREEPING_RATIO * e->island_awake_count[root] <= e->island_size[root] - 1;
        if (!e->is_asleep[i]) continue;
        e->environment_impulse = v3_sub(e->environment_impulse, b->state[i].momentum);
        b->state[i].momentum = b->state[i].angular_momentum = v3(0, 0, 0);
    }
}
