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

static inline struct bodyw load(const struct mover *m, const int *who)
{
    wide r[8];
    for (int i = 0; i < WIDE; ++i) __builtin_memcpy(&r[i], m[who[i]].v, sizeof r[i]);
    turn(r);
    return (struct bodyw){{r[0], r[1], r[2]}, {r[3], r[4], r[5]}};
}

static inline void store(struct mover *m, const int *who, const struct bodyw *b)
{
    wide r[8] = {b->v.x, b->v.y, b->v.z, b->w.x, b->w.y, b->w.z};
    turn(r);
    for (int i = 0; i < WIDE; ++i) __builtin_memcpy(m[who[i]].v, &r[i], sizeof r[i]);
}

static inline struct massw load_mass(const struct mover_mass *m, const int *who)
{
    wide r[8];
    for (int i = 0; i < WIDE; ++i) __builtin_memcpy(&r[i], m[who[i]].m, sizeof r[i]);
    turn(r);
    return (struct massw){r[0], r[1], r[2], r[3], r[4], r[5], r[6]};
}

static inline struct vec3w turned_by(const struct massw *m, struct vec3w l)
{
    return (struct vec3w){m->xx * l.x + m->xy * l.y + m->xz * l.z, m->xy * l.x + m->yy * l.y + m->yz * l.z,
                          m->xz * l.x + m->yz * l.y + m->zz * l.z};
}

// An impulse p on b, and the opposite on a.
static inline void give(struct bodyw *a, struct bodyw *b, const struct massw *ma, const struct massw *mb,
                        struct vec3w ra, struct vec3w rb, struct vec3w p)
{
    a->v = sub(a->v, scale(p, ma->m));
    a->w = sub(a->w, turned_by(ma, cross(ra, p)));
    b->v = add(b->v, scale(p, mb->m));
    b->w = add(b->w, turned_by(mb, cross(rb, p)));
}

// Velocity of b's point seen from a's.
static inline struct vec3w parting(const struct bodyw *a, const struct bodyw *b, struct vec3w ra,
                                   struct vec3w rb)
{
    return sub(add(b->v, cross(b->w, rb)), add(a->v, cross(a->w, ra)));
}

static inline wide mass_along(const struct massw *ma, const struct massw *mb, struct vec3w ra,
                              struct vec3w rb, struct vec3w n)
{
    const struct vec3w ta = cross(ra, n), tb = cross(rb, n);
    const wide k = ma->m + mb->m + dot(ta, turned_by(ma, ta)) + dot(tb, turned_by(mb, tb));
    return pick(k > 0.0f, fill(1.0f) / pick(k > 0.0f, k, fill(1.0f)), fill(0.0f));
}

// Friction of a flat contact: it slides as a whole and twists about its middle.
static void whole_friction(struct octet *o, const struct massw *ma, const struct massw *mb, const wide *there,
                           wide count)
{
    const struct vec3w n = get3(o->normal);
    const wide none = fill(0.0f), part = fill(1.0f) / pick(count > 0.0f, count, fill(1.0f));
    struct vec3w a = {none, none, none}, b = a;
    wide reach = none;
    for (int k = 0; k < o->count; ++k) {
        a = add(a, scale(get3(o->held[k].arm_a), there[k])),
        b = add(b, scale(get3(o->held[k].arm_b), there[k]));
        reach += root(o->x[k] * o->x[k] + o->z[k] * o->z[k]);
    }
    a = scale(a, part), b = scale(b, part);
    o->mid_a[0] = a.x, o->mid_a[1] = a.y, o->mid_a[2] = a.z;
    o->mid_b[0] = b.x, o->mid_b[1] = b.y, o->mid_b[2] = b.z;
    o->reach = reach * part;
    o->slide_1 = mass_along(ma, mb, a, b, get3(o->across_1));
    o->slide_2 = mass_along(ma, mb, a, b, get3(o->across_2));
    const wide turn = dot(n, turned_by(ma, n)) + dot(n, turned_by(mb, n));
    o->twist = pick(turn > 0.0f, fill(1.0f) / pick(turn > 0.0f, turn, fill(1.0f)), none);
    for (int k = 0; k < o->count; ++k) { // what the points gave before is the whole's now
        struct held *h = &o->held[k];
        o->slid_1 += o->whole * h->rub_1, o->slid_2 += o->whole * h->rub_2;
        o->twisted += o->whole * (o->x[k] * h->rub_2 - o->z[k] * h->rub_1);
        h->rub_1 = pick(o->whole > 0.0f, none, h->rub_1), h->rub_2 = pick(o->whole > 0.0f, none, h->rub_2);
    }
}

// Three points or more of a flat contact can only be pushed in three ways that matter: evenly, and growing along
// either direction of the side: push_k = f + a x_k + b z_k. What such a push has to move is a matrix of three rows,
//
//     K = D^T A D,   D_k = (1, x_k, z_k),   A_kl = n . (change of speed at k by a unit push at l),
//
// and its inverse brings all points to rest at once, where one after the other would tilt the body to and fro.
static void whole_mass(struct octet *o, const struct massw *ma, const struct massw *mb)
{
    const struct vec3w n = get3(o->normal);
    const wide none = fill(0.0f), one = fill(1.0f);
    struct vec3w at[SPOTS], middle = {none, none, none}, ta[SPOTS], tb[SPOTS], sa[SPOTS], sb[SPOTS];
    wide count = none, there[SPOTS];
    for (int k = 0; k < o->count; ++k) {
        const struct held *h = &o->held[k];
        there[k] = pick(h->mass > 0.0f, one, none);
        at[k] = get3(h->arm_a);
        ta[k] = cross(at[k], n), tb[k] = cross(get3(h->arm_b), n);
        sa[k] = turned_by(ma, ta[k]), sb[k] = turned_by(mb, tb[k]);
        middle = add(middle, scale(at[k], there[k]));
        count += there[k];
    }
    middle = scale(middle, one / pick(count > 0.0f, count, one));
    wide k00 = none, k01 = none, k02 = none, k11 = none, k12 = none, k22 = none;
    for (int k = 0; k < o->count; ++k) {
        const struct vec3w d = sub(at[k], middle);
        o->x[k] = there[k] * dot(d, get3(o->across_1)), o->z[k] = there[k] * dot(d, get3(o->across_2));
    }
    for (int k = 0; k < o->count; ++k)
        for (int l = 0; l < o->count; ++l) {
            const wide m = there[k] * there[l] * (ma->m + mb->m + dot(ta[k], sa[l]) + dot(tb[k], sb[l]));
            k00 += m, k01 += m * o->x[l], k02 += m * o->z[l];
            k11 += o->x[k] * m * o->x[l], k12 += o->x[k] * m * o->z[l], k22 += o->z[k] * m * o->z[l];
        }
    const wide c00 = k11 * k22 - k12 * k12, c01 = k02 * k12 - k01 * k22, c02 = k01 * k12 - k02 * k11;
    const wide det = k00 * c00 + k01 * c01 + k02 * c02;
    const iwide good = (count > 2.5f) & (det > 1e-4f * k00 * k11 * k22) & (k00 > 0.0f);
    const wide inv = pick(good, one / pick(good, det, one), none);
    o->whole = pick(good, one, none);
    o->back[0] = c00 * inv, o->back[1] = c01 * inv, o->back[2] = c02 * inv;
    o->back[3] = (k00 * k22 - k02 * k02) * inv, o->back[4] = (k01 * k02 - k00 * k12) * inv;
    o->back[5] = (k00 * k11 - k01 * k01) * inv;
    whole_friction(o, ma, mb, there, count);
}

// Bodies move while contacts are not looked for: the arms are led to one point again, so that a push does not turn the
// two as a whole. What is round keeps its arm, because it rolls: its point is always below it. True if a body
// has turned since.
static inline bool follow(struct octet *o, const struct mover *moved)
{
    const struct bodyw da = load(moved, o->a), db = load(moved, o->b);
    const struct vec3w step = sub(sub(db.v, da.v), get3(o->seen));
    const struct vec3w to_a = scale(step, o->part), to_b = sub(to_a, scale(step, o->both));
    o->seen[0] += step.x, o->seen[1] += step.y, o->seen[2] += step.z;
    for (int k = 0; k < o->count; ++k) {
        struct held *h = &o->held[k];
        h->arm_a[0] += to_a.x, h->arm_a[1] += to_a.y, h->arm_a[2] += to_a.z;
        h->arm_b[0] += to_b.x, h->arm_b[1] += to_b.y, h->arm_b[2] += to_b.z;
    }
    return any(most(dot(da.w, da.w), dot(db.w, db.w)) > TURNED * TURNED);
}

// A thin plate that turns fast is soon light where it was heavy, and an old mass would make it explode: what turned since
// contacts were looked for is weighed again.
static void masses(struct octet *o, int count, bool fresh, const struct mover_mass *mass,
                   const struct mover *moved)
{
    for (int g = 0; g < count; ++g, ++o) {
        if (!follow(o, moved) && !fresh) continue;
        const struct massw ma = load_mass(mass, o->a), mb = load_mass(mass, o->b);
        for (int k = 0; k < o->count; ++k) {
            struct held *h = &o->held[k];
            const struct vec3w ra = get3(h->arm_a), rb = get3(h->arm_b);
            const wide there = pick(h->mass > 0.0f, fill(1.0f), fill(0.0f));
            h->mass = there * mass_along(&ma, &mb, ra, rb, get3(o->normal));
            h->mass_1 = there * mass_along(&ma, &mb, ra, rb, get3(o->across_1));
            h->mass_2 = there * mass_along(&ma, &mb, ra, rb, get3(o->across_2));
        }
        o->whole = fill(0.0f);
        if (o->count > 2) whole_mass(o, &ma, &mb);
    }
}

static inline struct vec3w impulse(const struct octet *o, wide n, wide s, wide t)
{
    return add(scale(get3(o->normal), n), add(scale(get3(o->across_1), s), scale(get3(o->across_2), t)));
}

static inline void give_patch(const struct octet *o, const struct massw *ma, const struct massw *mb, wide s,
                              wide t, wide twist, struct bodyw *a, struct bodyw *b)
{
    const struct vec3w l = scale(get3(o->normal), twist);
    give(a, b, ma, mb, get3(o->mid_a), get3(o->mid_b), impulse(o, fill(0.0f), s, t));
    a->w = sub(a->w, turned_by(ma, l));
    b->w = add(b->w, turned_by(mb, l));
}

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
        const struct massw ma = load_mass(mass, o->a), mb = load_mass(mass, o->b);
        const struct bodyw da = load(moved, o->a), db = load(moved, o->b);
        const struct vec3w n = get3(o->normal);
        struct bodyw a = load(v, o->a), b = load(v, o->b);
        wide sum = fill(0.0f);
        for (int k = 0; k < o->count; ++k) {
            struct held *h = &o->held[k];
            const struct vec3w ra = get3(h->arm_a), rb = get3(h->arm_b);
            give(&a, &b, &ma, &mb, ra, rb, impulse(o, h->push, h->rub_1, h->rub_2));
            h->open = pace->dt_inv * most(h->gap + dot(n, parting(&da, &db, ra, rb)), none);
            sum += h->push;
        }
        if (o->count > 2) give_patch(o, &ma, &mb, o->slid_1, o->slid_2, o->twisted, &a, &b);
        resist(o, sum, &ma, &mb, &a, &b);
        store(v, o->a, &a);
        store(v, o->b, &b);
    }
}

// Friction: stop the sliding, but with no more than friction times the push, whatever its direction.
static inline void rub(const struct octet *o, const struct held *h, wide push, wide *rub_1, wide *rub_2,
                       const struct massw *ma, const struct massw *mb, struct bodyw *a, struct bodyw *b)
{
    const struct vec3w ra = get3(h->arm_a), rb = get3(h->arm_b), slip = parting(a, b, ra, rb);
    wide s = *rub_1 - h->mass_1 * dot(slip, get3(o->across_1));
    wide t = *rub_2 - h->mass_2 * dot(slip, get3(o->across_2));
    const wide length = root(s * s + t * t), limit = o->friction * push;
    const wide part = pick(length > limit, limit / pick(length > limit, length, fill(1.0f)), fill(1.0f));
    s *= part, t *= part;
    give(a, b, ma, mb, ra, rb, impulse(o, fill(0.0f), s - *rub_1, t - *rub_2));
    *rub_1 = s, *rub_2 = t;
}

// As rub() does for a point; the twisting may reach as far as the points do.
static inline void rub_whole(struct octet *o, const struct massw *ma, const struct massw *mb, struct bodyw *a,
                             struct bodyw *b)
{
    wide push = fill(0.0f);
    for (int k = 0; k < o->count; ++k) push += o->held[k].push;
    const struct vec3w slip = parting(a, b, get3(o->mid_a), get3(o->mid_b));
    wide s = o->slid_1 - o->slide_1 * dot(slip, get3(o->across_1));
    wide t = o->slid_2 - o->slide_2 * dot(slip, get3(o->across_2));
    wide twist = o->twisted - o->twist * dot(get3(o->normal), sub(b->w, a->w));
    const wide limit = o->friction * push, length = root(s * s + t * t), most_twist = limit * o->reach;
    const wide part = pick(length > limit, limit / pick(length > limit, length, fill(1.0f)), fill(1.0f));
    s *= part * o->whole, t *= part * o->whole;
    twist = o->whole * pick(twist > most_twist, most_twist, pick(twist < -most_twist, -most_twist, twist));
    give_patch(o, ma, mb, s - o->slid_1, t - o->slid_2, twist - o->twisted, a, b);
    o->slid_1 = s, o->slid_2 = t, o->twisted = twist;
}

// All points together, where that leaves every one of them pushing. Gives back where it was done.
static inline iwide solve_whole(struct octet *o, const struct massw *ma, const struct massw *mb,
                                struct bodyw *a, struct bodyw *b, wide *change)
{
    const struct vec3w n = get3(o->normal);
    const wide none = fill(0.0f), *m = o->back;
    wide r0 = none, r1 = none, r2 = none, worst = none, sum[SPOTS];
    for (int k = 0; k < o->count; ++k) {
        const struct held *h = &o->held[k];
        const wide u =
            pick(h->mass > 0.0f, dot(n, parting(a, b, get3(h->arm_a), get3(h->arm_b))) + h->open, none);
        r0 += u, r1 += u * o->x[k], r2 += u * o->z[k];
        worst = most(worst, most(u, -u));
    }
    const wide f = m[0] * r0 + m[1] * r1 + m[2] * r2, s = m[1] * r0 + m[3] * r1 + m[4] * r2,
               t = m[2] * r0 + m[4] * r1 + m[5] * r2;
    iwide done = o->whole > 0.0f;
    for (int k = 0; k < o->count; ++k) {
        sum[k] = o->held[k].push - (f + s * o->x[k] + t * o->z[k]);
        done &= (sum[k] >= none) | (o->held[k].mass <= 0.0f);
    }
    if (!any(done)) return done;
    struct vec3w turn_a = {none, none, none}, turn_b = turn_a;
    wide all = none;
    for (int k = 0; k < o->count; ++k) {
        struct held *h = &o->held[k];
        const wide more = pick(done & (h->mass > 0.0f), sum[k] - h->push, none);
        h->push += more;
        all += more;
        turn_a = add(turn_a, scale(get3(h->arm_a), more)), turn_b = add(turn_b, scale(get3(h->arm_b), more));
    }
    const struct vec3w p = scale(n, all);
    a->v = sub(a->v, scale(p, ma->m)), b->v = add(b->v, scale(p, mb->m));
    a->w = sub(a->w, turned_by(ma, cross(turn_a, n))), b->w = add(b->w, turned_by(mb, cross(turn_b, n)));
    *change = most(*change, pick(done, worst, none));
    return done;
}

// Stop what approaches; what is still apart may close its gap. Gives back the largest change of a speed.
// Nothing presses or rubs, and nothing approaches: nothing to do.
static bool idle(const struct octet *o, const struct bodyw *a, const struct bodyw *b)
{
    const struct vec3w n = get3(o->normal);
    const wide none = fill(0.0f);
    iwide busy = (o->slid_1 != none) | (o->slid_2 != none) | (o->twisted != none);
    for (int k = 0; k < o->count; ++k) {
        const struct held *h = &o->held[k];
        busy |= (h->push > none) | (h->rub_1 != none) | (h->rub_2 != none);
    }
    for (int k = 0; k < o->count && !any(busy); ++k) {
        const struct held *h = &o->held[k];
        const wide u = dot(n, parting(a, b, get3(h->arm_a), get3(h->arm_b))) + h->open;
        busy |= (u < none) & (h->mass > none);
    }
    return !any(busy);
}

static wide solve_one(struct octet *o, bool backward, const struct mover_mass *mass, struct mover *v)
{
    struct bodyw a = load(v, o->a), b = load(v, o->b);
    if (idle(o, &a, &b)) return fill(0.0f);
    const struct massw ma = load_mass(mass, o->a), mb = load_mass(mass, o->b);
    const struct vec3w n = get3(o->normal);
    const wide none = fill(0.0f);
    wide change = none;
    const iwide single = (o->whole <= 0.0f) & (o->held[0].mass > 0.0f);
    if (o->count > 2) rub_whole(o, &ma, &mb, &a, &b);
    for (int m = 0; m < o->count && any(single); ++m) {
        struct held *h = &o->held[backward ? o->count - 1 - m : m];
        rub(o, h, pick(single, h->push, none), &h->rub_1, &h->rub_2, &ma, &mb, &a, &b);
    }
    iwide done = o->held[0].mass <= 0.0f;
    if (o->count > 2) done |= solve_whole(o, &ma, &mb, &a, &b, &change);
    for (int m = 0; m < o->count && any(~done); ++m) {
        const int k = backward ? o->count - 1 - m : m;
        struct held *h = &o->held[k];
        const struct vec3w ra = get3(h->arm_a), rb = get3(h->arm_b);
        const wide approach = dot(n, parting(&a, &b, ra, rb)) + h->open;
        const wide sum = pick(done, h->push, most(h->push - h->mass * approach, none)), more = sum - h->push;
        give(&a, &b, &ma, &mb, ra, rb, scale(n, more));
        change = most(change, pick((more > none) | (more < none), most(approach, -approach), none));
        h->push = sum;
    }
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
        const struct massw ma = load_mass(mass, o->a), mb = load_mass(mass, o->b);
        struct bodyw a = load(moved, o->a), b = load(moved, o->b);
        const struct vec3w n = get3(o->normal);
        for (int k = 0; k < o->count; ++k) {
            struct held *h = &o->held[k];
            const struct vec3w ra = get3(h->arm_a), rb = get3(h->arm_b);
            const wide gap = h->gap + dot(n, parting(&a, &b, ra, rb)) + o->slop;
            h->strike += pick(h->speed > 0.0f, h->push, none);
            const wide over = most(some * pick(gap < 0.0f, gap, none), deepest);
            give(&a, &b, &ma, &mb, ra, rb, scale(n, -h->mass * over));
        }
        store(moved, o->a, &a);
        store(moved, o->b, &b);
    }
}

// With the speed u at which they close in, the gap s still open and the acceleration c that closes it, they would meet
// at sqrt(u^2 + 2 c s), part with e times that, and have sqrt(e^2 (u^2 + 2 c s) - 2 c s) when the gap is s again:
// the speed to give them now. A ball then comes back to e^2 of its height, whatever the step.
static bool hits(struct octet *o, int count, const struct contact_pace *pace, float slow,
                 const struct mover *moved, const struct mover *pull, const struct mover *v)
{
    iwide found = {0};
    const wide dt = fill(pace->dt);
    for (int g = 0; g < count; ++g, ++o) {
        iwide free = fill(1.0f) < 0.0f; // what presses already does not meet any more
        for (int k = 0; k < o->count; ++k) {
            struct held *h = &o->held[k];
            h->hit = fill(0.0f);
            free |= (h->push <= 0.0f) & (h->mass > 0.0f);
        }
        if (!any(free)) continue;
        const struct bodyw da = load(moved, o->a), db = load(moved, o->b);
        const struct bodyw ca = load(pull, o->a), cb = load(pull, o->b);
        const struct bodyw a = load(v, o->a), b = load(v, o->b);
        const struct vec3w n = get3(o->normal);
        for (int k = 0; k < o->count; ++k) {
            struct held *h = &o->held[k];
            const struct vec3w ra = get3(h->arm_a), rb = get3(h->arm_b);
            const wide gap = most(h->gap + dot(n, parting(&da, &db, ra, rb)), fill(0.0f));
            const wide c = -dot(n, parting(&ca, &cb, ra, rb));
            const wide u =
                -dot(n, parting(&a, &b, ra, rb)) - c * dt; // v has felt the pull of this step already
            const wide e = o->restitution, met = u * u + 2.0f * c * gap, back = e * e * met - 2.0f * c * gap;
            const iwide met_now = (u > fill(slow)) & (gap < 1.001f * dt * (u + c * dt)) & (h->mass > 0.0f);
            const iwide hit = met_now & (back > 0.0f) & (e > 0.0f);
            h->hit = pick(hit, fill(1.0f), fill(0.0f));
            h->aim = root(pick(hit, back, fill(0.0f))) - c * dt;
            h->struck = h->rubbed_1 = h->rubbed_2 = fill(0.0f);
            h->speed = pick(met_now, most(h->speed, u), h->speed);
            found |= hit;
        }
    }
    return any(found);
}

// Pushes and friction one after the other: either alone takes energy away, both at once could add some.
static void strike(struct octet *o, int count, const struct mover_mass *mass, bool rubbing, struct mover *v)
{
    for (int g = 0; g < count; ++g, ++o) {
        wide here = {0};
        for (int k = 0; k < o->count; ++k) here = most(here, o->held[k].hit);
        bool some = false;
        for (int i = 0; i < WIDE; ++i) some |= here[i] > 0.0f;
        if (!some) continue;
        const struct massw ma = load_mass(mass, o->a), mb = load_mass(mass, o->b);
        struct bodyw a = load(v, o->a), b = load(v, o->b);
        const struct vec3w n = get3(o->normal);
        for (int k = 0; k < o->count; ++k) {
            struct held *h = &o->held[k];
            if (rubbing) {
                rub(o, h, h->struck, &h->rubbed_1, &h->rubbed_2, &ma, &mb, &a, &b);
                continue;
            }
            const struct vec3w ra = get3(h->arm_a), rb = get3(h->arm_b);
            const wide short_of = h->aim - dot(n, parting(&a, &b, ra, rb));
            const wide sum = most(h->struck + h->hit * h->mass * short_of, fill(0.0f));
            give(&a, &b, &ma, &mb, ra, rb, scale(n, sum - h->struck));
            h->strike += sum - h->struck;
            h->struck = sum;
        }
        store(v, o->a, &a);
        store(v, o->b, &b);
    }
}

const struct contact_kernels KERNELS(contact_kernels) = {masses, warm, solve, part, hits, strike};
