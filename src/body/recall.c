// What the solver begins with: the impulses of the last short step, where they are of use.
//
// Without friction its passes lower  E(p) = 1/2 (v, v) + p . bias + 1/2 p . soft p,  v = v0 + M^-1 J^T p, with
// (v, w) = v . M w, from pass to pass: whoever begins with nothing ends with no more energy than there was. Impulses of last
// time begin lower, mostly. But where things are wedged, large ones hold each other, and when the things have turned a little
// they throw them. Along them E is a parabola, E(t p) = E(0) + t slope + t^2/2 curve, with a part of every body. Where they
// would more than double the energy of an island they do so to some of its bodies: those take the part t = -slope/curve
// of them, at most a half, or nothing. That is weighed again, because their neighbours may be thrown without them; after a
// few rounds, or if it is a joint that throws, the island as a whole takes its part. (To do so at once, or wherever
// t < 1/2, lets heaps sink together for the sake of one wedged thing.)
#include "contact.h"

#include <string.h>

#define STILL  0.1 // [m/s] that is not worth a doubt
#define ROUNDS 8   // in which single bodies take less

static const struct contact_kernels *kernels(void) { return KERNELS_PICK(contact_kernels); }

static struct guess *guess_of(const struct bodies *b, int slot)
{
    return &b->engine->solver.guesses[island_of(b->engine->island, slot)];
}

static vec3 first3(const float *v) { return v3(v[0], v[1], v[2]); }

// What the impulses that brought mover k from led[] to v[] do to its energy.
static struct guess weigh_mover(const struct bodies *b, int k)
{
    const struct solver *s = &b->engine->solver;
    const struct mover *now = &s->v[k], *was = &s->led[k];
    const int i = s->slot_of[k];
    if (!body_movable(b, i) || memcmp(now, was, 6 * sizeof(float)) == 0) return (struct guess){0};
    const vec3 v = first3(was->v), w = first3(was->v + 3);
    const vec3 dv = v3_sub(first3(now->v), v), dw = v3_sub(first3(now->v + 3), w);
    const double m = b->slots[i].cold->def.mass + b->kicks[i].along, turning = 1.0 + b->kicks[i].turning;
    const vec3 dl = v3_scale(mat3_mul(&s->inertia[k], dw), turning);
    return (struct guess){
        .slope = m * v3_dot(v, dv) + v3_dot(w, dl),
        .curve = m * v3_dot(dv, dv) + v3_dot(dw, dl),
        .there =
            0.5 * m * (v3_dot(v, v) + STILL * STILL) + 0.5 * turning * v3_dot(w, mat3_mul(&s->inertia[k], w)),
    };
}

static bool throws(const struct guess *g) { return g->slope + 0.5 * g->curve > g->there; }

static void weigh_movers(const struct bodies *b)
{
    const struct solver *s = &b->engine->solver;
    for (int k = 0; k < s->count; ++k) {
        if (!body_movable(b, s->slot_of[k])) continue;
        const struct guess one = weigh_mover(b, k);
        struct guess *g = guess_of(b, s->slot_of[k]);
        g->slope += one.slope, g->curve += one.curve, g->there += one.there;
        g->thrown |= throws(&one);
    }
}

static void weigh_joints(const struct bodies *b)
{
    const struct joints *js = &b->engine->joints;
    for (int n = 0; n < js->count; ++n) {
        const struct joint *j = js->slots[n].joint;
        if (!j || !body_movable(b, j->a)) continue;
        struct guess *g = guess_of(b, j->a);
        for (int i = 0; i < j->count; ++i) {
            g->slope += j->impulse[i] * j->bias[i];
            g->curve += j->impulse[i] * j->impulse[i] * j->soft[i];
        }
    }
}

// Who is moved from outside, by an external body or a fixture, is given energy: its guess is believed.
static void trust(const struct bodies *b)
{
    const struct engine *e = b->engine;
    for (int k = 0; k < e->contacts.count; ++k) {
        const struct contact *c = &e->contacts.now[k];
        const int mine = body_movable(b, c->a) ? c->a : c->b, other = mine == c->a ? c->b : c->a;
        const bool outside =
            other >= 0 ? !body_movable(b, other) && body_moving(b, other) : fixture_of(b, c) != NULL;
        if (outside && mine >= 0 && body_movable(b, mine)) guess_of(b, mine)->slope = -INFINITY;
    }
    for (int n = 0; n < e->joints.count; ++n) {
        const struct joint *j = e->joints.slots[n].joint;
        if (!j || j->b < 0) continue;
        if (!body_movable(b, j->a) && body_movable(b, j->b)) guess_of(b, j->b)->slope = -INFINITY;
        if (!body_movable(b, j->b) && body_movable(b, j->a)) guess_of(b, j->a)->slope = -INFINITY;
    }
}

static float best_part(const struct guess *g) { return (float)fmax(0.0, -g->slope / g->curve); }

// The part that each body takes. False: all of it, everywhere.
static bool doubt(const struct bodies *b, bool whole)
{
    const struct solver *s = &b->engine->solver;
    struct guess *g = s->guesses;
    bool any = false;
    memset(g, 0, (size_t)b->count * sizeof *g);
    weigh_movers(b);
    weigh_joints(b);
    for (int i = 0; i < b->count; ++i) any |= throws(&g[i]);
    if (!any) return false;
    trust(b);
    any = false;
    for (int i = 0; i < b->count; ++i) g[i].part = 1.0f;
    for (int k = 0; k < s->count; ++k) {
        const int i = s->slot_of[k];
        const struct guess *island = guess_of(b, i), one = weigh_mover(b, k);
        if (!body_movable(b, i) || !throws(island)) continue;
        if (whole || !island->thrown)
            g[i].part = best_part(island);
        else if (throws(&one))
            g[i].part = best_part(&one);
        any |= g[i].part < 1.0f;
    }
    return any;
}

static float part_of(const struct bodies *b, int mover)
{
    const struct solver *s = &b->engine->solver;
    return mover < s->count && body_movable(b, s->slot_of[mover]) ? s->guesses[s->slot_of[mover]].part : 1.0f;
}

static void shrink(struct bodies *b)
{
    struct solver *s = &b->engine->solver;
    for (int g = 0; g < s->octet_count; ++g) {
        struct octet *o = &s->octets[g];
        wide part;
        for (int lane = 0; lane < WIDE; ++lane)
            part[lane] = fminf(part_of(b, o->a[lane]), part_of(b, o->b[lane]));
        for (int k = 0; k < o->count; ++k) o->held[k].push *= part;
        o->rubbed.slid_1 *= part, o->rubbed.slid_2 *= part, o->rubbed.twisted *= part;
    }
    for (int n = 0; n < b->engine->joints.count; ++n) {
        struct joint *j = b->engine->joints.slots[n].joint;
        if (!j) continue;
        const float part = fminf(part_of(b, mover_of(s, j->a)), part_of(b, mover_of(s, j->b)));
        for (int i = 0; i < j->count; ++i) j->impulse[i] *= (double)part;
    }
}

void bodies_recall(struct bodies *b, const struct contact_pace *pace, double dt, double again)
{
    struct solver *s = &b->engine->solver;
    const size_t bytes = (size_t)(s->count + 1 + b->engine->fixture_count) * sizeof *s->v;
    memcpy(s->led, s->v, bytes);
    joints_begin(b, dt, again);
    kernels()->warm(s->octets, s->octet_count, pace, s->mass, s->moved, s->v);
    struct contact_pace as_is = *pace;
    as_is.again = as_is.rub_again = 1.0f;
    for (int n = 0; n <= ROUNDS && doubt(b, n == ROUNDS); ++n) {
        shrink(b);
        memcpy(s->v, s->led, bytes);
        joints_begin(b, dt, 1.0);
        kernels()->warm(s->octets, s->octet_count, &as_is, s->mass, s->moved, s->v);
    }
}
