// Simple contacts between convex shapes and with the walls.
//
// Two shapes with flat sides touch along the side through which the way out is shortest; the corners of each that
// lie in the other are the contacts. Where no corner does, and for round shapes, edges are held against the signed
// distance of the other: it is convex along a line, so the deepest point of an edge is found by a search that
// cannot miss it. Contacts are found anew in every inner step and solved together by sequential impulses.
#include "body.h"

#define MAX_CONTACTS  64 // of one pair
#define SOLVER_PASSES 24
#define SLOP          1e-4 // [m] overlap that is left alone, so that resting contacts do not flicker
#define MARGIN        1e-3 // [m] gap across which slow bodies are held already, for the same reason
#define PUSH_OUT      0.2  // part of the rest that is taken back in one go

// The pair that is looked at; its contacts go to the end of the list.
struct pair {
    int a, b;
    struct bodies *bodies;
    int first, count;
};

struct placed {
    vec3 position;
    quat rotation;
};

static void note(struct pair *p, vec3 point, vec3 normal, double depth)
{
    struct bodies *b = p->bodies;
    if (!(depth > -MARGIN) || p->first + p->count >= b->contact_room) return;
    for (int i = p->first; i < p->first + p->count; ++i) { // a corner ends several edges
        const vec3 apart = v3_sub(b->contacts[i].point, point);
        if (v3_dot(apart, apart) < SLOP * SLOP && v3_dot(b->contacts[i].normal, normal) > 0.5) return;
    }
    b->contacts[p->first + p->count++] =
        (struct contact){.a = p->a, .b = p->b, .point = point, .normal = normal, .depth = depth};
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
        const double at_left = shape_kind_of(shape->def.shape.kind)
                                   ->distance(shape->def.shape.data, v3_madd(a, left, along), &n);
        const double at_right = shape_kind_of(shape->def.shape.kind)
                                    ->distance(shape->def.shape.data, v3_madd(a, right, along), &n);
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
    const int count = shape_kind_of(edges->def.shape.kind)->probes(edges->def.shape.data, probes, &round);
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
            const double depth =
                round - shape_kind_of(solid->def.shape.kind)->distance(solid->def.shape.data, q, &n);
            const vec3 normal = quat_turn(solid_at->rotation, n);
            note(p, v3_madd(to_world(solid_at, q), -round, normal), v3_scale(normal, sign), depth);
        }
    }
}

// How far a body reaches below a plane given in the world: the least of normal . p over its corners.
static double lowest(const struct body_cold *c, const struct placed *at, vec3 normal)
{
    struct probe probes[MAX_PROBES];
    double round, low = INFINITY;
    const int count = shape_kind_of(c->def.shape.kind)->probes(c->def.shape.data, probes, &round);
    for (int k = 0; k < count; ++k) {
        low = fmin(low, v3_dot(normal, to_world(at, probes[k].a)));
        low = fmin(low, v3_dot(normal, to_world(at, probes[k].b)));
    }
    return low;
}

// The side of `solid` through which `other` has the shortest way out: largest gap, all of them negative when the
// two overlap. Gives back the gap.
static double best_side(const struct body_cold *solid, const struct placed *solid_at,
                        const struct body_cold *other, const struct placed *other_at, vec3 *normal)
{
    struct face faces[MAX_FACES];
    const int count = shape_kind_of(solid->def.shape.kind)->faces(solid->def.shape.data, faces);
    double best = -INFINITY;
    for (int k = 0; k < count; ++k) {
        const vec3 n = quat_turn(solid_at->rotation, faces[k].normal);
        const double gap = lowest(other, other_at, n) - v3_dot(n, solid_at->position) - faces[k].offset;
        if (gap <= best) continue;
        best = gap;
        *normal = n;
    }
    return best;
}

// The side of a body that looks most in a direction.
static struct face side_towards(const struct body_cold *c, const struct placed *at, vec3 direction)
{
    struct face faces[MAX_FACES];
    const int count = shape_kind_of(c->def.shape.kind)->faces(c->def.shape.data, faces);
    const vec3 local = quat_turn_back(at->rotation, direction);
    int best = 0;
    for (int k = 1; k < count; ++k)
        if (v3_dot(faces[k].normal, local) > v3_dot(faces[best].normal, local)) best = k;
    return faces[best];
}

// Corners of `edges` that lie in `solid`, as deep as they are below the side that looks towards `way_out`. `sign` turns
// that way into the contact's normal.
static void corners_inside(struct pair *p, const struct body_cold *edges, const struct placed *edges_at,
                           const struct body_cold *solid, const struct placed *solid_at, vec3 way_out,
                           double sign)
{
    struct probe probes[MAX_PROBES];
    double round;
    const int count = shape_kind_of(edges->def.shape.kind)->probes(edges->def.shape.data, probes, &round);
    const struct face side = side_towards(solid, solid_at, way_out);
    for (int k = 0; k < 2 * count; ++k) {
        const vec3 q = to_world(edges_at, k & 1 ? probes[k / 2].b : probes[k / 2].a),
                   local = to_local(solid_at, q);
        vec3 n;
        if (shape_kind_of(solid->def.shape.kind)->distance(solid->def.shape.data, local, &n) > MARGIN)
            continue;
        note(p, q, v3_scale(way_out, sign), side.offset - v3_dot(side.normal, local));
    }
}

// Two shapes with flat sides. False if neither has a corner in the other.
static bool touch_flat(struct pair *p, const struct body_cold *a, const struct placed *at_a,
                       const struct body_cold *b, const struct placed *at_b)
{
    vec3 out_of_b = {0, 0, 0}, out_of_a = {0, 0, 0};
    const double gap_b = best_side(b, at_b, a, at_a, &out_of_b),
                 gap_a = best_side(a, at_a, b, at_b, &out_of_a);
    if (gap_a > MARGIN || gap_b > MARGIN) return true; // apart, and nothing to look for
    // The normal leads from b to a. Sides of b win a tie, so that the choice does not flicker.
    const vec3 normal = gap_b >= gap_a - SLOP ? out_of_b : v3_scale(out_of_a, -1.0);
    corners_inside(p, a, at_a, b, at_b, normal, 1.0);
    corners_inside(p, b, at_b, a, at_a, v3_scale(normal, -1.0), -1.0);
    return p->count > 0;
}

static double ground_at(const struct walls *w, double x, double z, vec3 *normal)
{
    *normal = v3(0, 1, 0);
    return w->ground ? w->ground(w->place, x, z, normal) : w->floor;
}

static void probe_walls(struct pair *p, const struct body_cold *c, const struct placed *at,
                        const struct walls *w)
{
    struct probe probes[MAX_PROBES];
    double round;
    const int count = shape_kind_of(c->def.shape.kind)->probes(c->def.shape.data, probes, &round);
    for (int k = 0; k < 2 * count; ++k) {
        const vec3 end = k & 1 ? probes[k / 2].b : probes[k / 2].a;
        const vec3 q = to_world(at, end);
        vec3 up;
        const double ground = ground_at(w, q.x, q.z, &up);
        note(p, v3_madd(q, (ground - q.y) * up.y, up), up, (ground - q.y) * up.y + round);
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
    return shape_kind_of(c->def.shape.kind)->probes(c->def.shape.data, probes, &round) == 1;
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

static void arms(const struct bodies *b, const struct contact *c, vec3 *ra, vec3 *rb)
{
    *ra = v3_sub(c->point, b->hot[c->a].position);
    *rb = c->b < 0 ? v3(0, 0, 0) : v3_sub(c->point, b->hot[c->b].position);
}

// Speed of a against b at a contact.
static vec3 meeting(const struct bodies *b, const struct contact *c)
{
    vec3 ra, rb;
    arms(b, c, &ra, &rb);
    return v3_sub(speed_at(b, c->a, ra), speed_at(b, c->b, rb));
}

static void apply(struct bodies *b, const struct contact *c, vec3 impulse, vec3 *from_walls)
{
    vec3 ra, rb;
    arms(b, c, &ra, &rb);
    if (movable(b, c->a)) body_impulse(b, c->a, impulse, ra);
    if (movable(b, c->b)) body_impulse(b, c->b, v3_scale(impulse, -1.0), rb);
    if (c->b < 0) *from_walls = v3_add(*from_walls, impulse);
}

static double looseness_along(const struct bodies *b, const struct contact *c, vec3 n)
{
    vec3 ra, rb;
    arms(b, c, &ra, &rb);
    return looseness(b, c->a, ra, n) + looseness(b, c->b, rb, n);
}

static const tarn_body_def *partner(const struct bodies *b, const struct contact *c)
{
    return &b->slots[c->b < 0 ? c->a : c->b].cold->def;
}

// Stop the approach at one contact. May take back what earlier passes gave too much.
static void solve_push(struct bodies *b, struct contact *c, vec3 *from_walls)
{
    const double k = looseness_along(b, c, c->normal);
    if (!(k > 0.0)) return;
    const double push = fmax(0.0, c->push - (v3_dot(meeting(b, c), c->normal) + c->allowed) / k);
    apply(b, c, v3_scale(c->normal, push - c->push), from_walls);
    c->push = push;
}

// Rub at one contact, within what its push allows.
static void solve_rub(struct bodies *b, struct contact *c, vec3 *from_walls)
{
    const double most = sqrt(b->slots[c->a].cold->def.friction * partner(b, c)->friction) * c->push;
    const vec3 v = meeting(b, c), slip = v3_madd(v, -v3_dot(v, c->normal), c->normal);
    const double fast = v3_length(slip);
    vec3 rub = c->rub;
    if (fast > 1e-12) {
        const vec3 t = v3_scale(slip, 1.0 / fast);
        const double k = looseness_along(b, c, t);
        if (k > 0.0) rub = v3_madd(rub, -fast / k, t);
    }
    const double length = v3_length(rub);
    if (length > most) rub = v3_scale(rub, most / length);
    apply(b, c, v3_sub(rub, c->rub), from_walls);
    c->rub = rub;
}

static double motion_energy(const struct bodies *b)
{
    double sum = 0.0;
    for (int i = 0; i < b->count; ++i)
        if (bodies_alive(b, i)) sum += body_energy(b, i, 0.0);
    return sum;
}

// Each fast contact bounces with `part` of e times the impulse that stopped it. Gives back the work of a small
// part of that, for the energy below.
static double bounce(struct bodies *b, int count, double part, vec3 *from_walls)
{
    double work = 0.0;
    for (int i = 0; i < count; ++i) {
        const struct contact *c = &b->contacts[i];
        const double e = fmax(b->slots[c->a].cold->def.restitution, partner(b, c)->restitution);
        if (c->fast) work += e * c->push * v3_dot(meeting(b, c), c->normal);
    }
    for (int i = 0; i < count; ++i) {
        const struct contact *c = &b->contacts[i];
        const double e = fmax(b->slots[c->a].cold->def.restitution, partner(b, c)->restitution);
        if (c->fast) apply(b, c, v3_scale(c->normal, part * e * c->push), from_walls);
    }
    return work;
}

// Stop, then bounce by Poisson's rule: e times the impulses that stopped the approach. For one contact that is
// j = -(1+e) v_n / looseness. With friction and several contacts the rule could add energy; then the bounce is cut to
// the part that does not: the energy is a quadratic in it.
static void solve(struct bodies *b, int count, double slow, double dt, vec3 *from_walls)
{
    const double before = motion_energy(b);
    for (int i = 0; i < count; ++i) {
        struct contact *c = &b->contacts[i];
        c->fast = v3_dot(meeting(b, c), c->normal) < -slow;
        c->allowed = c->depth > 0.0 ? 0.0 : c->fast ? INFINITY : -c->depth / dt;
    }
    // Pushes have the last word in every pass: nothing may sink, a little slip does no harm.
    for (int pass = 0; pass < SOLVER_PASSES; ++pass) {
        for (int i = 0; i < count; ++i) solve_rub(b, &b->contacts[i], from_walls);
        for (int i = 0; i < count; ++i) solve_push(b, &b->contacts[i], from_walls);
    }
    const double stopped = motion_energy(b), work = bounce(b, count, 1.0, from_walls);
    const double after = motion_energy(b), square = after - stopped - work;
    if (after <= before || !(square > 0.0)) return;
    const double room = fmax(0.0, before - stopped);
    const double part = (sqrt(work * work + 4.0 * square * room) - work) / (2.0 * square);
    bounce(b, count, clamp(part, 0.0, 1.0) - 1.0, from_walls);
}

// Take back a part of the deepest overlap of a pair, shared by mass.
static void push_out(struct bodies *b, const struct pair *p)
{
    if (p->count == 0) return;
    const struct contact *worst = &b->contacts[p->first];
    for (int i = 1; i < p->count; ++i)
        if (b->contacts[p->first + i].depth > worst->depth) worst = &b->contacts[p->first + i];
    const double a = movable(b, p->a) ? 1.0 / b->slots[p->a].cold->def.mass : 0.0;
    const double o = movable(b, p->b) ? 1.0 / b->slots[p->b].cold->def.mass : 0.0;
    const double move = PUSH_OUT * (worst->depth - SLOP);
    if (move <= 0.0 || !(a + o > 0.0)) return;
    b->hot[p->a].position = v3_madd(b->hot[p->a].position, move * a / (a + o), worst->normal);
    if (p->b >= 0) b->hot[p->b].position = v3_madd(b->hot[p->b].position, -move * o / (a + o), worst->normal);
}

static void touch(struct pair *p, const struct body_cold *a, const struct body_cold *b)
{
    const struct placed at_a = place_of(p->bodies, p->a), at_b = place_of(p->bodies, p->b);
    const vec3 apart = v3_sub(at_a.position, at_b.position);
    const double reach = a->figure->radius + b->figure->radius;
    if (v3_dot(apart, apart) > reach * reach) return;
    if (shape_kind_of(a->def.shape.kind)->faces && shape_kind_of(b->def.shape.kind)->faces &&
        touch_flat(p, a, &at_a, b, &at_b))
        return;
    probe_pair(p, a, &at_a, b, &at_b, 1.0);
    if (!round_all_over(a) || !round_all_over(b)) probe_pair(p, b, &at_b, a, &at_a, -1.0);
}

vec3 bodies_collide(struct bodies *b, const struct walls *w, double gravity, double dt)
{
    // Nothing bounces that comes no faster than gravity makes it in a few steps: things at rest stay so.
    const double slow = fmax(0.02, 4.0 * gravity * dt); // [m/s]
    vec3 from_walls = {0, 0, 0};
    int count = 0;
    for (int i = 0; i < b->count; ++i) {
        if (!bodies_alive(b, i)) continue;
        for (int j = i + 1; j <= b->count; ++j) { // the last one stands for the walls
            struct pair p = {.a = i, .b = j < b->count ? j : -1, .bodies = b, .first = count};
            if (p.b < 0 && movable(b, i)) {
                const struct placed at = place_of(b, i);
                probe_walls(&p, b->slots[i].cold, &at, w);
            } else if (p.b >= 0 && bodies_alive(b, j) && (movable(b, i) || movable(b, j))) {
                touch(&p, b->slots[i].cold, b->slots[j].cold);
            }
            push_out(b, &p);
            count += p.count;
        }
    }
    if (count) solve(b, count, slow, dt, &from_walls);
    return from_walls;
}

// One coordinate of a body against the two walls across it.
static double keep_between(double *x, double *momentum, double lo, double hi, double restitution)
{
    if (lo <= *x && *x <= hi) return 0.0;
    const double before = *momentum;
    if ((*x > hi) == (before > 0.0)) *momentum = -restitution * before;
    *x = *x > hi ? hi : lo;
    return *momentum - before;
}

vec3 bodies_keep_in(struct bodies *b, const struct walls *w)
{
    vec3 given = {0, 0, 0};
    for (int i = 0; i < b->count; ++i) {
        if (!bodies_alive(b, i) || !movable(b, i) || !body_sound(b, i)) continue;
        vec3 *x = &b->hot[i].position, *p = &b->hot[i].momentum;
        const double e = b->slots[i].cold->def.restitution;
        given.x += keep_between(&x->x, &p->x, w->x0, w->x1, e);
        vec3 up;
        given.y += keep_between(&x->y, &p->y, ground_at(w, x->x, x->z, &up), INFINITY, e);
        given.z += keep_between(&x->z, &p->z, w->z0, w->z1, e);
    }
    return given;
}
