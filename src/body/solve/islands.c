// Islands and sleeping. Bodies that touch or are about to touch form an island (union-find). An island
// sleeps if it has a contact with something immovable (a suspended body keeps swinging), no body of it is
// fast, and at most one in CREEPING_RATIO has moved noticeably within TIME_TO_SLEEP. A sleeping island is
// not solved until another body touches it, an applied force changes, or the caller acts on it. The only
// state is the sleep timer of each body.
#include "body/solve/dynamics.h"

#include <string.h>

#define ISLAND_GAP     0.02 // of the smaller radius: gap up to which two bodies are linked
#define CREEPING_RATIO 10   // bodies of an island per body that may still creep
#define TIME_TO_SLEEP  0.5  // [s] without noticeable motion

int island_root(const int *parent, int i)
{
    while (parent[i] != i) i = parent[i];
    return i;
}

// The lower root becomes the parent; both nodes are attached to the root, which keeps paths short.
void island_union(int *parent, int x, int y)
{
    const int rx = island_root(parent, x), ry = island_root(parent, y), root = imin(rx, ry);
    parent[rx] = parent[ry] = root;
    parent[x] = parent[y] = root;
}

// True if the bodies of a contact touch, or may touch within the interval.
static bool links_island(const struct bodies *b, const struct contact *c, double interval)
{
    if (c->is_touching) return true;
    const vec3 n = quat_rotate(b->state[c->a].rotation, c->normal);
    vec3 relative_velocity = v3_scale(body_velocity(b, c->a), -1.0);
    double rotation_speed =
        v3_length(body_angular_velocity(b, c->a)) * b->slots[c->a].body->def.shape->bounding_radius;
    if (c->b >= 0) {
        relative_velocity = v3_add(relative_velocity, body_velocity(b, c->b));
        rotation_speed +=
            v3_length(body_angular_velocity(b, c->b)) * b->slots[c->b].body->def.shape->bounding_radius;
    }
    const double radius_a = b->slots[c->a].body->def.shape->bounding_radius,
                 radius_b = c->b >= 0 ? b->slots[c->b].body->def.shape->bounding_radius : radius_a;
    // Bodies closer than ISLAND_GAP times the smaller radius are linked even if their contact carries no
    // impulse, so that an impact on one wakes the other.
    const double closing = rotation_speed - v3_dot(relative_velocity, n),
                 min_gap = ISLAND_GAP * fmin(radius_a, radius_b);
    for (int k = 0; k < c->point_count; ++k)
        if (contact_point_gap(b, c, k) <= fmax(min_gap, closing * interval)) return true;
    return false;
}

bool body_is_moving(const struct bodies *b, int i)
{
    const struct body_state *state = &b->state[i];
    return v3_dot(state->momentum, state->momentum) > 0.0 ||
           v3_dot(state->angular_momentum, state->angular_momentum) > 0.0;
}

static void build_islands(struct bodies *b, double interval)
{
    struct dynamics *dyn = b->dynamics;
    for (int i = 0; i < b->slot_count; ++i) dyn->island_parent[i] = i;
    for (int k = 0; k < dyn->contacts.count; ++k) {
        const struct contact *c = &dyn->contacts.current[k];
        if (c->b < 0 || !body_is_dynamic(b, c->a) || !body_is_dynamic(b, c->b) ||
            !links_island(b, c, interval))
            continue;
        island_union(dyn->island_parent, c->a, c->b);
    }
    joints_link_islands(b, dyn->island_parent);
    dyn->island_count = 0;
    for (int i = 0; i < b->slot_count; ++i)
        dyn->island_count += dyn->island_parent[i] == i && body_exists(b, i) && body_is_dynamic(b, i);
}

enum { ISLAND_ANCHORED = 1, ISLAND_AWAKE = 2 };

// Counts the bodies of each island and those whose sleep timer is short, and marks islands with a fast body.
static void count_island_bodies(struct bodies *b)
{
    struct dynamics *dyn = b->dynamics;
    for (int i = 0; i < b->slot_count; ++i)
        dyn->island_flags[i] = 0, dyn->island_size[i] = dyn->island_awake_count[i] = 0;
    for (int i = 0; i < b->slot_count; ++i) {
        if (!body_exists(b, i) || !body_is_dynamic(b, i)) continue;
        const int root = island_root(dyn->island_parent, i);
        dyn->island_size[root] += 1;
        dyn->island_awake_count[root] += b->state[i].sleep_timer < TIME_TO_SLEEP;
        if (!body_is_slow(b, i)) dyn->island_flags[root] |= ISLAND_AWAKE;
    }
}

// Marks islands that touch something immovable, and those that touch a moving kinematic body.
static void mark_anchored_islands(struct bodies *b, double interval)
{
    struct dynamics *dyn = b->dynamics;
    for (int k = 0; k < dyn->contacts.count; ++k) {
        const struct contact *c = &dyn->contacts.current[k];
        const int dynamic_body = body_is_dynamic(b, c->a) ? c->a : c->b,
                  other_body = dynamic_body == c->a ? c->b : c->a;
        if (other_body >= 0 && body_is_dynamic(b, other_body)) continue;
        if (!links_island(b, c, interval)) continue;
        const bool is_driven =
            other_body >= 0 && (body_is_moving(b, other_body) || b->state[other_body].sleep_timer == 0.0);
        dyn->island_flags[island_root(dyn->island_parent, dynamic_body)] |=
            is_driven ? ISLAND_AWAKE : ISLAND_ANCHORED;
    }
}

// Zeroes the momentum of a body that sleeps and books it as an impulse of the environment.
static void stop_body(struct bodies *b, int i)
{
    struct dynamics *dyn = b->dynamics;
    dyn->environment_impulse = v3_sub(dyn->environment_impulse, b->state[i].momentum);
    b->state[i].momentum = b->state[i].angular_momentum = v3(0, 0, 0);
}

void update_islands_and_sleep(struct bodies *b, double interval)
{
    struct dynamics *dyn = b->dynamics;
    build_islands(b, interval);
    if (b->never_sleep) {
        memset(dyn->is_asleep, 0, (size_t)b->slot_count * sizeof *dyn->is_asleep);
        return;
    }
    count_island_bodies(b);
    mark_anchored_islands(b, interval);
    for (int i = 0; i < b->slot_count; ++i) {
        dyn->is_asleep[i] = false;
        if (!body_exists(b, i) || !body_is_dynamic(b, i)) continue;
        const int root = island_root(dyn->island_parent, i);
        dyn->is_asleep[i] = dyn->island_flags[root] == ISLAND_ANCHORED &&
                            CREEPING_RATIO * dyn->island_awake_count[root] <= dyn->island_size[root] - 1;
        if (dyn->is_asleep[i]) stop_body(b, i);
    }
}
