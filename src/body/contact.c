// Simple contacts: edges of one shape against the signed distance of another, and against the walls.
//
// The distance from a convex shape is a convex function along a line, so the point of an edge that lies
// deepest in the other shape is found by a search that cannot miss it; the ends are looked at as well, so
// that a box lies flat on four corners. Contacts are found and solved anew in every inner step.
#include "body.h"

#define MAX_CONTACTS  64 // of one pair
#define SOLVER_PASSES 8
#define SLOP          1e-4 // [m] overlap that is left alone, so that resting contacts do not flicker
#define PUSH_OUT      0.2  // part of the rest that is taken back in one go

struct contact {
    vec3 point, normal; // normal leads from b to a
    double depth;
};

struct pair {
    int a, b; // b < 0: a wall
    int count;
    struct contact contacts[MAX_CONTACTS];
};

struct placed {
    vec3 position;
    quat rotation;
};

static void note(struct pair *p, vec3 point, vec3 normal, double depth)
{
    if (depth > 0.0 && p->count < MAX_CONTACTS)
        p->contacts[p->count++] = (struct contact){point, normal, depth};
}

static vec3 to_world(const struct placed *at, vec3 v)
{
    return v3_add(at->position, quat_turn(at->rotation, v));
}
static vec3 to_local(const struct placed *at, vec3 v)
{
    return quat_turn_back(at->rotation, v3_sub(v, at->position));
}

// Where along a..b (0 .. 1) the point nearest to the shape lies: golden section, 1e-6 of the edge.
static double deepest(const struct body_cold *shape, vec3 a, vec3 b)
{
    const double ratio = 0.6180339887498949;
    const vec3 along = v3_sub(b, a);
    double lo = 0.0, hi = 1.0;
    vec3 n;
    for (int k = 0; k < 29; ++k) {
        const double left = hi - ratio * (hi - lo), right = lo + ratio * (hi - lo);
        const double at_left = shape->shape->distance(shape->def.shape.data, v3_madd(a, left, along), &n);
        const double at_right = shape->shape->distance(shape->def.shape.data, v3_madd(a, right, along), &n);
        if (at_left <= at_right)
            hi = right;
        else
            lo = left;
    }
    return 0.5 * (lo + hi);
}

// Edges of one body against the other's solid; `sign` turns the normal so that it leads to body a.
static void probe_pair(struct pair *p, const struct body_cold *edges, const struct placed *edges_at,
                       const struct body_cold *solid, const struct placed *solid_at, double sign)
{
    struct probe probes[MAX_PROBES];
    double round;
    const int count = edges->shape->probes(edges->def.shape.data, probes, &round);
    for (int k = 0; k < count; ++k) {
        const vec3 a = to_local(solid_at, to_world(edges_at, probes[k].a));
        const vec3 b = to_local(solid_at, to_world(edges_at, probes[k].b));
        const vec3 edge = v3_sub(b, a);
        const bool point = v3_dot(edge, edge) == 0.0;
        const double places[3] = {0.0, 1.0, point ? 0.0 : deepest(solid, a, b)};
        for (int m = 0; m < (point ? 1 : 3); ++m) {
            if (m == 2 && (places[2] < 1e-3 || places[2] > 1.0 - 1e-3)) continue; // an end, seen already
            const vec3 q = v3_madd(a, places[m], edge);
            vec3 n;
            const double depth = round - solid->shape->distance(solid->def.shape.data, q, &n);
            const vec3 normal = quat_turn(solid_at->rotation, n);
            note(p, v3_madd(to_world(solid_at, q), -round, normal), v3_scale(normal, sign), depth);
        }
    }
}

static void probe_walls(struct pair *p, const struct body_cold *c, const struct placed *at,
                        const struct walls *w)
{
    struct probe probes[MAX_PROBES];
    double round;
    const int count = c->shape->probes(c->def.shape.data, probes, &round);
    for (int k = 0; k < 2 * count; ++k) {
        const vec3 end = k & 1 ? probes[k / 2].b : probes[k / 2].a;
        const vec3 q = to_world(at, end);
        note(p, v3(q.x, w->floor, q.z), v3(0, 1, 0), w->floor + round - q.y);
        note(p, v3(w->x0, q.y, q.z), v3(1, 0, 0), w->x0 + round - q.x);
        note(p, v3(w->x1, q.y, q.z), v3(-1, 0, 0), q.x + round - w->x1);
        note(p, v3(q.x, q.y, w->z0), v3(0, 0, 1), w->z0 + round - q.z);
        note(p, v3(q.x, q.y, w->z1), v3(0, 0, -1), q.z + round - w->z1);
    }
}

static struct placed place_of(const struct bodies *b, int i)
{
    return (struct placed){b->hot[i].position, b->hot[i].rotation};
}

// Two balls say the same from either side.
static bool round_all_over(const struct body_cold *c)
{
    struct probe probes[MAX_PROBES];
    double round;
    return c->shape->probes(c->def.shape.data, probes, &round) == 1;
}

static bool movable(const struct bodies *b, int i) { return i >= 0 && !b->slots[i].cold->def.external; }

// How much a unit impulse along n at arm r changes the speed there: 1/m + n . (I^-1 (r x n)) x r
static double looseness(const struct bodies *b, int i, vec3 r, vec3 n)
{
    if (!movable(b, i)) return 0.0;
    const vec3 d = b->slots[i].cold->inertia;
    const vec3 t = quat_turn_back(b->hot[i].rotation, v3_cross(r, n));
    return 1.0 / b->slots[i].cold->def.mass + t.x * t.x / d.x + t.y * t.y / d.y + t.z * t.z / d.z;
}

static vec3 speed_at(const struct bodies *b, int i, vec3 r)
{
    return i < 0 ? v3(0, 0, 0) : v3_add(body_velocity(b, i), v3_cross(body_spin(b, i), r));
}

static void apply(struct bodies *b, const struct pair *p, vec3 ra, vec3 rb, vec3 impulse, vec3 *from_walls)
{
    if (movable(b, p->a)) body_impulse(b, p->a, impulse, ra);
    if (movable(b, p->b)) body_impulse(b, p->b, v3_scale(impulse, -1.0), rb);
    if (p->b < 0) *from_walls = v3_add(*from_walls, impulse);
}

// What a contact has given so far.
struct given {
    double bounce; // [m/s] speed to leave with
    double push;   // [kg m/s] along the normal, never negative
    vec3 rub;      // [kg m/s] across it, at most friction * push
};

// One contact, once: stop the approach (j = -(1+e) v_n / looseness at first), then rub. Both may take back what
// earlier passes gave too much.
static void solve_contact(struct bodies *b, const struct pair *p, const struct contact *c, double friction,
                          struct given *g, vec3 *from_walls)
{
    const vec3 ra = v3_sub(c->point, b->hot[p->a].position);
    const vec3 rb = p->b < 0 ? v3(0, 0, 0) : v3_sub(c->point, b->hot[p->b].position);
    const double k = looseness(b, p->a, ra, c->normal) + looseness(b, p->b, rb, c->normal);
    if (!(k > 0.0)) return;
    const double closing = v3_dot(v3_sub(speed_at(b, p->a, ra), speed_at(b, p->b, rb)), c->normal);
    const double push = fmax(0.0, g->push - (closing - g->bounce) / k);
    apply(b, p, ra, rb, v3_scale(c->normal, push - g->push), from_walls);
    g->push = push;

    const vec3 v = v3_sub(speed_at(b, p->a, ra), speed_at(b, p->b, rb));
    const vec3 slip = v3_madd(v, -v3_dot(v, c->normal), c->normal);
    const double fast = v3_length(slip);
    vec3 rub = g->rub;
    if (fast > 1e-12) {
        const vec3 t = v3_scale(slip, 1.0 / fast);
        rub = v3_madd(rub, -fast / (looseness(b, p->a, ra, t) + looseness(b, p->b, rb, t)), t);
    }
    const double most = friction * g->push, length = v3_length(rub);
    if (length > most) rub = v3_scale(rub, most / length);
    apply(b, p, ra, rb, v3_sub(rub, g->rub), from_walls);
    g->rub = rub;
}

// Bounce only where the approach is faster than what gravity gives in a few steps: things at rest stay so.
static void solve_pair(struct bodies *b, const struct pair *p, double slow, vec3 *from_walls)
{
    const tarn_body_def *da = &b->slots[p->a].cold->def, *db = p->b < 0 ? da : &b->slots[p->b].cold->def;
    const double e = fmax(da->restitution, db->restitution), mu = sqrt(da->friction * db->friction);
    struct given given[MAX_CONTACTS] = {{0}};
    for (int i = 0; i < p->count; ++i) {
        const struct contact *c = &p->contacts[i];
        const vec3 ra = v3_sub(c->point, b->hot[p->a].position);
        const vec3 rb = p->b < 0 ? v3(0, 0, 0) : v3_sub(c->point, b->hot[p->b].position);
        const double vn = v3_dot(v3_sub(speed_at(b, p->a, ra), speed_at(b, p->b, rb)), c->normal);
        given[i].bounce = vn < -slow ? -e * vn : 0.0;
    }
    for (int pass = 0; pass < SOLVER_PASSES; ++pass)
        for (int i = 0; i < p->count; ++i) solve_contact(b, p, &p->contacts[i], mu, &given[i], from_walls);
}

// Take back a part of the deepest overlap, shared by mass.
static void push_out(struct bodies *b, const struct pair *p)
{
    const struct contact *worst = &p->contacts[0];
    for (int i = 1; i < p->count; ++i)
        if (p->contacts[i].depth > worst->depth) worst = &p->contacts[i];
    const double a = movable(b, p->a) ? 1.0 / b->slots[p->a].cold->def.mass : 0.0;
    const double o = movable(b, p->b) ? 1.0 / b->slots[p->b].cold->def.mass : 0.0;
    const double move = PUSH_OUT * (worst->depth - SLOP);
    if (move <= 0.0 || !(a + o > 0.0)) return;
    b->hot[p->a].position = v3_madd(b->hot[p->a].position, move * a / (a + o), worst->normal);
    if (p->b >= 0) b->hot[p->b].position = v3_madd(b->hot[p->b].position, -move * o / (a + o), worst->normal);
}

static void settle(struct bodies *b, const struct pair *p, double slow, vec3 *from_walls)
{
    if (!p->count) return;
    solve_pair(b, p, slow, from_walls);
    push_out(b, p);
}

vec3 bodies_collide(struct bodies *b, const struct walls *w, double gravity, double dt)
{
    const double slow = fmax(0.02, 4.0 * gravity * dt); // [m/s]
    vec3 from_walls = {0, 0, 0};
    for (int i = 0; i < b->count; ++i) {
        if (!bodies_alive(b, i)) continue;
        const struct body_cold *ci = b->slots[i].cold;
        for (int j = i + 1; j < b->count; ++j) {
            if (!bodies_alive(b, j) || (!movable(b, i) && !movable(b, j))) continue;
            const struct body_cold *cj = b->slots[j].cold;
            const vec3 apart = v3_sub(b->hot[i].position, b->hot[j].position);
            const double reach = ci->radius + cj->radius;
            if (v3_dot(apart, apart) > reach * reach) continue;
            struct pair p = {.a = i, .b = j};
            const struct placed at_i = place_of(b, i), at_j = place_of(b, j);
            probe_pair(&p, ci, &at_i, cj, &at_j, 1.0);
            if (!round_all_over(ci) || !round_all_over(cj)) probe_pair(&p, cj, &at_j, ci, &at_i, -1.0);
            settle(b, &p, slow, &from_walls);
        }
        if (!movable(b, i)) continue;
        struct pair p = {.a = i, .b = -1};
        const struct placed at = place_of(b, i);
        probe_walls(&p, ci, &at, w);
        settle(b, &p, slow, &from_walls);
    }
    return from_walls;
}
