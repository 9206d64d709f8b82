// Contacts by sequential impulses, eight at a time: v' = v + M^-1 J^T lambda for one point after the other, the sum
// of what was given never pulling and never rubbing more than friction allows. [catto2005], with the
// short steps of [macklin2019].
//
// Plain vectors of eight floats: gcc and clang make of them what the machine has, and neither fuses multiply and add,
// so that every machine gives the same bits.
#include "contact_rows.h"

typedef int iwide __attribute__((vector_size(4 * WIDE)));

// Changes of speed, of what gravity adds in a short step.
#define FINE  0.1f
#define ROUGH 0.2f
#define WILD  1.2f

#define TURNED 0.02f // [rad]
#define MOVED  0.02f // of the smaller radius, one along the other

struct vec3w {
    wide x, y, z;
};

// One body of each lane.
struct bodyw {
    struct vec3w v, w;
};
struct massw {
    wide m;
    wide xx, xy, xz, yy, yz, zz;
};

typedef long long lwide __attribute__((vector_size(4 * WIDE)));

static inline bool any(iwide where)
{
    const lwide w = (lwide)where;
    return (w[0] | w[1] | w[2] | w[3]) != 0;
}

static inline wide fill(float x) { return (wide){x, x, x, x, x, x, x, x}; }
static inline wide pick(iwide where, wide a, wide b)
{
    return (wide)((where & (iwide)a) | (~where & (iwide)b));
}
static inline wide most(wide a, wide b) { return pick(a > b, a, b); }

static inline struct vec3w get3(const wide *p) { return (struct vec3w){p[0], p[1], p[2]}; }
static inline void put3(wide *p, struct vec3w a) { p[0] = a.x, p[1] = a.y, p[2] = a.z; }
static inline wide dot(struct vec3w a, struct vec3w b) { return a.x * b.x + a.y * b.y + a.z * b.z; }
static inline struct vec3w cross(struct vec3w a, struct vec3w b)
{
    return (struct vec3w){a.y * b.z - a.z * b.y, a.z * b.x - a.x * b.z, a.x * b.y - a.y * b.x};
}
static inline struct vec3w sub(struct vec3w a, struct vec3w b)
{
    return (struct vec3w){a.x - b.x, a.y - b.y, a.z - b.z};
}
static inline struct vec3w add(struct vec3w a, struct vec3w b)
{
    return (struct vec3w){a.x + b.x, a.y + b.y, a.z + b.z};
}
static inline struct vec3w scale(struct vec3w a, wide k) { return (struct vec3w){a.x * k, a.y * k, a.z * k}; }
static inline wide root(wide x)
{
    wide out;
    for (int i = 0; i < WIDE; ++i) out[i] = sqrtf(x[i]);
    return out;
}

// Rows to columns.
static inline void turn(wide r[8])
{
#define MIX(a, b, ...) __builtin_shufflevector(a, b, __VA_ARGS__)
    wide t[8], u[8];
    for (int i = 0; i < 8; i += 2) {
        t[i] = MIX(r[i], r[i + 1], 0, 8, 1, 9, 4, 12, 5, 13);
        t[i + 1] = MIX(r[i], r[i + 1], 2, 10, 3, 11, 6, 14, 7, 15);
    }
    for (int i = 0; i < 8; i += 4)
        for (int k = 0; k < 2; ++k) {
            u[i + 2 * k] = MIX(t[i + k], t[i + 2 + k], 0, 1, 8, 9, 4, 5, 12, 13);
            u[i + 2 * k + 1] = MIX(t[i + k], t[i + 2 + k], 2, 3, 10, 11, 6, 7, 14, 15);
        }
    for (int i = 0; i < 4; ++i) {
        r[i] = MIX(u[i], u[i + 4], 0, 1, 2, 3, 8, 9, 10, 11);
        r[i + 4] = MIX(u[i], u[i + 4], 4, 5, 6, 7, 12, 13, 14, 15);
    }
#undef MIX
}

// Eight floats of one body. Copied with memcpy they went in halves through the stack, and waited there.
typedef float row __attribute__((vector_size(4 * WIDE), aligned(4), may_alias));

static inline struct bodyw load(const struct mover *m, const int *who)
{
    wide r[8];
    for (int i = 0; i < WIDE; ++i) r[i] = *(const row *)m[who[i]].v;
    turn(r);
    return (struct bodyw){{r[0], r[1], r[2]}, {r[3], r[4], r[5]}};
}

static inline void store(struct mover *m, const int *who, const struct bodyw *b)
{
    wide r[8] = {b->v.x, b->v.y, b->v.z, b->w.x, b->w.y, b->w.z};
    turn(r);
    for (int i = 0; i < WIDE; ++i) *(row *)m[who[i]].v = r[i];
}

static inline struct massw load_mass(const struct mover_mass *m, const int *who)
{
    wide r[8];
    for (int i = 0; i < WIDE; ++i) r[i] = *(const row *)m[who[i]].m;
    turn(r);
    return (struct massw){r[0], r[1], r[2], r[3], r[4], r[5], r[6]};
}

static inline struct vec3w turned_by(const struct massw *m, struct vec3w l)
{
    return (struct vec3w){m->xx * l.x + m->xy * l.y + m->xz * l.z, m->xy * l.x + m->yy * l.y + m->yz * l.z,
                          m->xz * l.x + m->yz * l.y + m->zz * l.z};
}

// How the gaps of the points change: at their middle, and how that grows along x and z.
struct lean {
    wide u, x, z;
};

// Points lie at middle + x across_1 + z across_2, and across_1 x normal = -across_2, across_2 x normal = across_1.
static inline struct lean closing(const struct octet *o, const struct bodyw *a, const struct bodyw *b)
{
    const struct vec3w n = get3(o->normal), turn = sub(b->w, a->w);
    const wide turned = dot(b->w, cross(get3(o->mid_b), n)) - dot(a->w, cross(get3(o->mid_a), n));
    return (struct lean){dot(n, sub(b->v, a->v)) + turned, -dot(turn, get3(o->across_2)),
                         dot(turn, get3(o->across_1))};
}
static inline wide lean_at(const struct lean *l, const struct held *h)
{
    return l->u + l->x * h->x + l->z * h->z;
}

// One more push at a point, what it changes, and the sum of all of them.
static inline void push_at(const struct octet *o, const struct held *h, wide more, struct lean *now,
                           struct lean *sum)
{
    const wide x = h->x * more, z = h->z * more, *m = o->answer;
    now->u += m[0] * more + m[1] * x + m[2] * z;
    now->x += m[1] * more + m[3] * x + m[4] * z;
    now->z += m[2] * more + m[4] * x + m[5] * z;
    sum->u += more, sum->x += x, sum->z += z;
}

// An impulse at the middle and a turning one on b, and the opposite on a.
static inline void give(const struct octet *o, const struct massw *ma, const struct massw *mb, struct vec3w p,
                        struct vec3w l, struct bodyw *a, struct bodyw *b)
{
    a->v = sub(a->v, scale(p, ma->m));
    b->v = add(b->v, scale(p, mb->m));
    a->w = sub(a->w, turned_by(ma, add(cross(get3(o->mid_a), p), l)));
    b->w = add(b->w, turned_by(mb, add(cross(get3(o->mid_b), p), l)));
}

static inline struct vec3w couple_of(const struct octet *o, const struct lean *p)
{
    return sub(scale(get3(o->across_1), p->z), scale(get3(o->across_2), p->x));
}

static inline void give_pushes(const struct octet *o, const struct massw *ma, const struct massw *mb,
                               const struct lean *p, struct bodyw *a, struct bodyw *b)
{
    give(o, ma, mb, scale(get3(o->normal), p->u), couple_of(o, p), a, b);
}

static inline struct vec3w across(const struct octet *o, wide s, wide t)
{
    return add(scale(get3(o->across_1), s), scale(get3(o->across_2), t));
}

static inline iwide rubs(const struct rubbing *r)
{
    return (r->slid_1 != 0.0f) | (r->slid_2 != 0.0f) | (r->twisted != 0.0f);
}

// ---- what has to be moved -----------------------------------------------------------------------------

static inline wide inverse(wide k)
{
    return pick(k > 0.0f, fill(1.0f) / pick(k > 0.0f, k, fill(1.0f)), fill(0.0f));
}

static inline wide turns(const struct massw *m, struct vec3w k, struct vec3w l)
{
    return dot(k, turned_by(m, l));
}

// Friction: it slides as a whole and twists about its middle.
static void weigh_friction(struct octet *o, const struct massw *ma, const struct massw *mb)
{
    const struct vec3w n = get3(o->normal), ra = get3(o->mid_a), rb = get3(o->mid_b);
    const struct vec3w a1 = cross(ra, get3(o->across_1)), a2 = cross(ra, get3(o->across_2));
    const struct vec3w b1 = cross(rb, get3(o->across_1)), b2 = cross(rb, get3(o->across_2));
    const wide light = ma->m + mb->m;
    o->slide_1 = inverse(light + turns(ma, a1, a1) + turns(mb, b1, b1));
    o->slide_2 = inverse(light + turns(ma, a2, a2) + turns(mb, b2, b2));
    o->twist = inverse(turns(ma, n, n) + turns(mb, n, n));
    o->drag_1 = turns(ma, n, a1) + turns(mb, n, b1);
    o->drag_2 = turns(ma, n, a2) + turns(mb, n, b2);
}

// A push at a point turns by (middle x n) - x across_2 + z across_1.
static void weigh_pushes(struct octet *o, const struct massw *ma, const struct massw *mb)
{
    const struct vec3w n = get3(o->normal), t1 = get3(o->across_1), t2 = get3(o->across_2);
    const struct vec3w na = cross(get3(o->mid_a), n), nb = cross(get3(o->mid_b), n);
    const struct vec3w even = add(turned_by(ma, na), turned_by(mb, nb));
    wide *m = o->answer;
    m[0] = ma->m + mb->m + turns(ma, na, na) + turns(mb, nb, nb);
    m[1] = -dot(t2, even), m[2] = dot(t1, even);
    m[3] = turns(ma, t2, t2) + turns(mb, t2, t2);
    m[4] = -(turns(ma, t1, t2) + turns(mb, t1, t2));
    m[5] = turns(ma, t1, t1) + turns(mb, t1, t1);
    for (int k = 0; k < o->count; ++k) {
        struct held *h = &o->held[k];
        const wide all = m[0] + h->x * (2.0f * m[1] + h->x * m[3] + 2.0f * h->z * m[4]) +
                         h->z * (2.0f * m[2] + h->z * m[5]);
        h->mass = pick(h->mass > 0.0f, inverse(all), fill(0.0f));
    }
}

// Three points or more of a flat contact can only be pushed in three ways that matter: evenly, and growing along
// either direction of the side: push_k = f + a x_k + b z_k. What such a push has to move is a matrix of three rows,
//
//     K = S C S,   S = sum of D_k D_k^T,   D_k = (1, x_k, z_k),   C = answer,
//
// and its inverse brings all points to rest at once, where one after the other would tilt the body to and fro.
static void weigh_whole(struct octet *o)
{
    const wide *c = o->answer, one = fill(1.0f), none = fill(0.0f);
    wide n = none, xx = none, xz = none, zz = none; // S; the sums of x and of z are 0
    for (int k = 0; k < o->count; ++k) {
        const struct held *h = &o->held[k];
        n += pick(h->mass > 0.0f, one, none);
        xx += h->x * h->x, xz += h->x * h->z, zz += h->z * h->z;
    }
    const wide b11 = c[3] * xx + c[4] * xz, b12 = c[3] * xz + c[4] * zz, b21 = c[4] * xx + c[5] * xz,
               b22 = c[4] * xz + c[5] * zz;
    const wide k00 = n * n * c[0], k01 = n * (c[1] * xx + c[2] * xz), k02 = n * (c[1] * xz + c[2] * zz);
    const wide k11 = xx * b11 + xz * b21, k12 = xx * b12 + xz * b22, k22 = xz * b12 + zz * b22;
    const wide c00 = k11 * k22 - k12 * k12, c01 = k02 * k12 - k01 * k22, c02 = k01 * k12 - k02 * k11;
    const wide det = k00 * c00 + k01 * c01 + k02 * c02;
    const iwide good = (n > 2.5f) & (det > 1e-4f * k00 * k11 * k22) & (k00 > 0.0f);
    const wide inv = pick(good, one / pick(good, det, one), none);
    o->whole = pick(good, one, none);
    o->back[0] = c00 * inv, o->back[1] = c01 * inv, o->back[2] = c02 * inv;
    o->back[3] = (k00 * k22 - k02 * k02) * inv, o->back[4] = (k01 * k02 - k00 * k12) * inv;
    o->back[5] = (k00 * k11 - k01 * k01) * inv;
}

// Bodies move while contacts are not looked for: the arms are led to one point again, so that a push does not turn the
// two as a whole. What is round keeps its arm, because it rolls: its point is always below it. True if a body
// has turned since, or the arms are others.
static inline bool follow(struct octet *o, const struct mover *moved)
{
    const struct bodyw da = load(moved, o->a), db = load(moved, o->b);
    const struct vec3w step = sub(sub(db.v, da.v), get3(o->seen));
    const struct vec3w to_a = scale(step, o->part), to_b = sub(to_a, scale(step, o->both));
    put3(o->seen, add(get3(o->seen), step));
    put3(o->mid_a, add(get3(o->mid_a), to_a));
    put3(o->mid_b, add(get3(o->mid_b), to_b));
    const wide far = MOVED * o->size;
    return any((most(dot(da.w, da.w), dot(db.w, db.w)) > TURNED * TURNED) |
               (dot(get3(o->seen), get3(o->seen)) > far * far));
}

// A thin plate that turns fast is soon light where it was heavy, and an old mass would make it explode: what turned since
// contacts were looked for is weighed again. So is what was pushed out of others so far that its arms are different.
static void masses(struct octet *o, int count, bool fresh, const struct mover_mass *mass,
                   const struct mover *moved)
{
    for (int g = 0; g < count; ++g, ++o) {
        if (!follow(o, moved) && !fresh) continue;
        const struct massw ma = load_mass(mass, o->a), mb = load_mass(mass, o->b);
        weigh_friction(o, &ma, &mb);
        weigh_pushes(o, &ma, &mb);
        if (o->count > 2) weigh_whole(o);
    }
}

// ---- a short step -------------------------------------------------------------------------------------

#define ROLLING  1e-3f // of the smaller radius: arm of the rolling resistance
#define STICKING 0.05f // likewise, of what hardly rolls
#define STICKS   0.03f // [m/s]

// Rolling resistance: a side, an edge or a ball that rolls is held back by a torque of a small arm times the push. What
// hardly rolls sticks: its arm is longer, or a heap would creep for ever.
static inline void resist(const struct octet *o, wide push, const struct massw *ma, const struct massw *mb,
                          struct bodyw *a, struct bodyw *b)
{
    const struct vec3w n = get3(o->normal), turn = sub(b->w, a->w), tilt = sub(turn, scale(n, dot(n, turn)));
    const wide fast = root(dot(tilt, tilt)), trace = ma->xx + ma->yy + ma->zz + mb->xx + mb->yy + mb->zz;
    const iwide rolls = (fast > 0.0f) & (trace > 0.0f);
    const wide arm = o->size * pick(fast * o->size < STICKS, fill(STICKING), fill(ROLLING));
    const wide limit = arm * push / pick(rolls, fast, fill(1.0f)),
               whole = fill(1.0f) / pick(rolls, trace, fill(1.0f));
    const struct vec3w l = scale(tilt, pick(rolls, pick(limit < whole, limit, whole), fill(0.0f)));
    a->w = add(a->w, turned_by(ma, l));
    b->w = sub(b->w, turned_by(mb, l));
}

static void warm(struct octet *o, int count, const struct contact_pace *pace, const struct mover_mass *mass,
                 const struct mover *moved, struct mover *v)
{
    const wide none = fill(0.0f);
    for (int g = 0; g < count; ++g, ++o) {
        const struct bodyw da = load(moved, o->a), db = load(moved, o->b);
        const struct lean gone = closing(o, &da, &db);
        struct lean sum = {none, none, none};
        for (int k = 0; k < o->count; ++k) {
            struct held *h = &o->held[k];
            h->push *= pace->again;
            h->open = pace->dt_inv * most(o->gap[k] + lean_at(&gone, h), none);
            sum.u += h->push, sum.x += h->x * h->push, sum.z += h->z * h->push;
        }
        struct rubbing *r = &o->rubbed;
        const wide again = pick(o->whole > none, fill(pace->rub_again), fill(pace->again));
        r->slid_1 *= again, r->slid_2 *= again, r->twisted *= again;
        if (!any((sum.u > none) | rubs(r))) continue;
        const struct massw ma = load_mass(mass, o->a), mb = load_mass(mass, o->b);
        struct bodyw a = load(v, o->a), b = load(v, o->b);
        const struct vec3w n = get3(o->normal);
        const struct vec3w p = add(scale(n, sum.u), across(o, r->slid_1, r->slid_2));
        give(o, &ma, &mb, p, add(couple_of(o, &sum), scale(n, r->twisted)), &a, &b);
        resist(o, sum.u, &ma, &mb, &a, &b);
        store(v, o->a, &a);
        store(v, o->b, &b);
    }
}

// Friction: stop the sliding, but with no more than friction times the push, whatever its direction; and the twisting,
// which may reach as far as the points do.
static inline void rub(const struct octet *o, wide push, struct rubbing *r, const struct massw *ma,
                       const struct massw *mb, struct bodyw *a, struct bodyw *b)
{
    const struct vec3w n = get3(o->normal), ra = get3(o->mid_a), rb = get3(o->mid_b);
    const struct vec3w slip = sub(add(b->v, cross(b->w, rb)), add(a->v, cross(a->w, ra)));
    wide s = r->slid_1 - o->slide_1 * dot(slip, get3(o->across_1));
    wide t = r->slid_2 - o->slide_2 * dot(slip, get3(o->across_2));
    const wide length = root(s * s + t * t), limit = o->friction * push, most_twist = limit * o->reach;
    const wide part = pick(length > limit, limit / pick(length > limit, length, fill(1.0f)), fill(1.0f));
    s *= part, t *= part;
    const wide ds = s - r->slid_1, dt = t - r->slid_2;
    const wide turn = dot(n, sub(b->w, a->w)) + o->drag_1 * ds + o->drag_2 * dt;
    wide twist = r->twisted - o->twist * turn;
    twist = pick(twist > most_twist, most_twist, pick(twist < -most_twist, -most_twist, twist));
    give(o, ma, mb, across(o, ds, dt), scale(n, twist - r->twisted), a, b);
    *r = (struct rubbing){s, t, twist};
}

// All points together, where that leaves every one of them pushing. Gives back where it was done.
static inline iwide push_whole(struct octet *o, const struct lean *now, struct lean *sum, wide *change)
{
    const wide none = fill(0.0f), *m = o->back;
    wide r0 = none, r1 = none, r2 = none, worst = none, push[SPOTS];
    for (int k = 0; k < o->count; ++k) {
        const struct held *h = &o->held[k];
        const wide u = pick(h->mass > 0.0f, lean_at(now, h) + h->open, none);
        r0 += u, r1 += u * h->x, r2 += u * h->z;
        worst = most(worst, most(u, -u));
    }
    const wide f = m[0] * r0 + m[1] * r1 + m[2] * r2, s = m[1] * r0 + m[3] * r1 + m[4] * r2,
               t = m[2] * r0 + m[4] * r1 + m[5] * r2;
    iwide done = o->whole > 0.0f;
    for (int k = 0; k < o->count; ++k) {
        const struct held *h = &o->held[k];
        push[k] = h->push - (f + s * h->x + t * h->z);
        done &= (push[k] >= none) | (h->mass <= 0.0f);
    }
    for (int k = 0; k < o->count; ++k) {
        struct held *h = &o->held[k];
        const wide more = pick(done & (h->mass > 0.0f), push[k] - h->push, none);
        h->push += more;
        sum->u += more, sum->x += h->x * more, sum->z += h->z * more;
    }
    *change = most(*change, pick(done, worst, none));
    return done;
}

// Nothing presses or rubs, and nothing approaches: nothing to do.
static inline bool idle(const struct octet *o, wide push, const struct bodyw *a, const struct bodyw *b)
{
    iwide busy = (push > 0.0f) | rubs(&o->rubbed);
    if (any(busy)) return false;
    const struct lean now = closing(o, a, b);
    for (int k = 0; k < o->count; ++k)
        busy |= (lean_at(&now, &o->held[k]) + o->held[k].open < 0.0f) & (o->held[k].mass > 0.0f);
    return !any(busy);
}

// Stop what approaches; what is still apart may close its gap. Gives back the largest change of a speed.
static wide solve_one(struct octet *o, bool backward, const struct mover_mass *mass, struct mover *v)
{
    struct bodyw a = load(v, o->a), b = load(v, o->b);
    const wide none = fill(0.0f);
    wide change = none, push = none;
    for (int k = 0; k < o->count; ++k) push += o->held[k].push;
    if (idle(o, push, &a, &b)) return none;
    const struct massw ma = load_mass(mass, o->a), mb = load_mass(mass, o->b);
    rub(o, push, &o->rubbed, &ma, &mb, &a, &b);
    struct lean now = closing(o, &a, &b), sum = {none, none, none};
    iwide done = o->held[0].mass <= 0.0f;
    if (o->count > 2) done |= push_whole(o, &now, &sum, &change);
    for (int m = 0; m < o->count && any(~done); ++m) {
        struct held *h = &o->held[backward ? o->count - 1 - m : m];
        const wide approach = lean_at(&now, h) + h->open;
        const wide to = pick(done, h->push, most(h->push - h->mass * approach, none)), more = to - h->push;
        push_at(o, h, more, &now, &sum);
        change = most(change, pick((more > none) | (more < none), most(approach, -approach), none));
        h->push = to;
    }
    give_pushes(o, &ma, &mb, &sum, &a, &b);
    store(v, o->a, &a);
    store(v, o->b, &b);
    return change;
}

static struct contact_unrest solve(struct octet *o, int count, const struct contact_pace *pace, bool backward,
                                   const struct mover_mass *mass, struct mover *v)
{
    struct contact_unrest out = {0};
    for (int g = 0; g < count; ++g) {
        const wide change = solve_one(&o[backward ? count - 1 - g : g], backward, mass, v);
        if (!any(change > FINE * pace->pull)) continue;
        out.fine += 1;
        out.rough += any(change > ROUGH * pace->pull);
        out.wild += any(change > WILD * pace->pull);
    }
    return out;
}

// Move apart what overlaps: places change, speeds do not, so nothing is launched. A little overlap is left alone:
// lifting what sinks by a hair in every step would shake a tower until it falls.
static void part(struct octet *o, int count, const struct contact_pace *pace, const struct mover_mass *mass,
                 struct mover *moved)
{
    const wide some = fill(pace->part), deepest = fill(-pace->most), none = fill(0.0f);
    for (int g = 0; g < count; ++g, ++o) {
        struct bodyw a = load(moved, o->a), b = load(moved, o->b);
        struct lean now = closing(o, &a, &b), sum = {none, none, none};
        iwide lifts = none > none;
        for (int k = 0; k < o->count; ++k) {
            struct held *h = &o->held[k];
            const wide gap = o->gap[k] + lean_at(&now, h) + o->slop;
            const iwide deep = (gap < none) & (h->mass > none);
            if (o->met) o->blows[k].strike += pick(o->blows[k].speed > none, h->push, none);
            if (!any(deep)) continue;
            push_at(o, h, pick(deep, -h->mass * most(some * gap, deepest), none), &now, &sum);
            lifts |= deep;
        }
        if (!any(lifts)) continue;
        const struct massw ma = load_mass(mass, o->a), mb = load_mass(mass, o->b);
        give_pushes(o, &ma, &mb, &sum, &a, &b);
        store(moved, o->a, &a);
        store(moved, o->b, &b);
    }
}

// ---- impacts ------------------------------------------------------------------------------------------

// With the speed u at which they close in, the gap s still open and the acceleration c that closes it, they would meet
// at sqrt(u^2 + 2 c s), part with e times that, and have sqrt(e^2 (u^2 + 2 c s) - 2 c s) when the gap is s again:
// the speed to give them now. A ball then comes back to e^2 of its height, whatever the step.
static bool hits_one(struct octet *o, float within, float slow, const struct mover *moved,
                     const struct mover *pull, const struct mover *v)
{
    const struct bodyw ca = load(pull, o->a), cb = load(pull, o->b), a = load(v, o->a), b = load(v, o->b);
    const struct lean pulled = closing(o, &ca, &cb), closes = closing(o, &a, &b);
    const wide none = fill(0.0f), dt = fill(within), e = o->restitution;
    wide u[SPOTS];
    iwide fast = none > none, hit = fast;
    for (int k = 0; k < o->count; ++k) { // v has felt the pull of this step already
        u[k] = dt * lean_at(&pulled, &o->held[k]) - lean_at(&closes, &o->held[k]);
        fast |= (u[k] > fill(slow)) & (o->held[k].mass > none);
    }
    if (!any(fast)) return false;
    const struct bodyw da = load(moved, o->a), db = load(moved, o->b);
    const struct lean gone = closing(o, &da, &db);
    for (int k = 0; k < o->count; ++k) {
        const struct held *h = &o->held[k];
        struct blow *w = &o->blows[k];
        const wide gap = most(o->gap[k] + lean_at(&gone, h), none), c = -lean_at(&pulled, h);
        const wide met = u[k] * u[k] + 2.0f * c * gap, back = e * e * met - 2.0f * c * gap;
        const iwide now = (u[k] > fill(slow)) & (gap < 1.001f * dt * (u[k] + c * dt)) & (h->mass > none);
        const iwide here = now & (back > none) & (e > none);
        w->hit = pick(here, fill(1.0f), none);
        w->aim = root(pick(here, back, none)) - c * dt;
        w->struck = none;
        w->speed = pick(now, most(w->speed, u[k]), w->speed);
        o->met |= any(now);
        hit |= here;
    }
    o->scraped = (struct rubbing){none, none, none};
    return any(hit);
}

static bool hits(struct octet *o, int count, const struct contact_pace *pace, float slow,
                 const struct mover *moved, const struct mover *pull, const struct mover *v)
{
    bool found = false;
    for (int g = 0; g < count; ++g, ++o) {
        iwide free = fill(1.0f) < 0.0f; // what presses already does not meet any more
        for (int k = 0; k < o->count; ++k) free |= (o->held[k].push <= 0.0f) & (o->held[k].mass > 0.0f);
        o->hit = any(free) && hits_one(o, pace->dt, slow, moved, pull, v);
        found |= o->hit;
    }
    return found;
}

// Pushes and friction one after the other: either alone takes energy away, both at once could add some.
static void strike(struct octet *o, int count, const struct mover_mass *mass, bool rubbing, struct mover *v)
{
    const wide none = fill(0.0f);
    for (int g = 0; g < count; ++g, ++o) {
        if (!o->hit) continue;
        const struct massw ma = load_mass(mass, o->a), mb = load_mass(mass, o->b);
        struct bodyw a = load(v, o->a), b = load(v, o->b);
        struct lean now = closing(o, &a, &b), sum = {none, none, none};
        wide struck = none;
        for (int k = 0; k < o->count && !rubbing; ++k) {
            const struct held *h = &o->held[k];
            struct blow *w = &o->blows[k];
            const wide to = most(w->struck + w->hit * h->mass * (w->aim - lean_at(&now, h)), none);
            push_at(o, h, to - w->struck, &now, &sum);
            w->strike += to - w->struck;
            w->struck = to;
        }
        give_pushes(o, &ma, &mb, &sum, &a, &b);
        for (int k = 0; k < o->count; ++k) struck += o->blows[k].struck;
        if (rubbing) rub(o, struck, &o->scraped, &ma, &mb, &a, &b);
        store(v, o->a, &a);
        store(v, o->b, &b);
    }
}

const struct contact_kernels KERNELS(contact_kernels) = {masses, warm, solve, part, hits, strike};
