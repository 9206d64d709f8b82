// Contacts by sequential impulses, eight at a time: v' = v + M^-1 J^T lambda for one point after the other, the sum
// of what was given never pulling and never rubbing more than friction allows. [catto2005], with the
// short steps of [macklin2019].
//
// Plain vectors of eight floats: gcc and clang make of them what the machine has, and neither fuses multiply and add,
// so that every machine gives the same bits.
#include "contact_rows.h"

typedef int i32x8 __attribute__((vector_size(4 * BATCH_LANES)));

// Changes of speed, of what gravity adds in a short step.
#define CHANGE_SMALL  0.1f
#define CHANGE_MEDIUM 0.2f
#define CHANGE_LARGE  1.2f

#define REFRESH_ANGLE    0.02f // [rad]
#define REFRESH_DISTANCE 0.02f // of the smaller radius, one along the other

struct vec3x8 {
    f32x8 x, y, z;
};

// One body of each lane.
struct motion_lanes {
    struct vec3x8 v, w;
};
struct mass_lanes {
    f32x8 m;
    f32x8 xx, xy, xz, yy, yz, zz;
};

typedef long long i64x4 __attribute__((vector_size(4 * BATCH_LANES)));

static inline bool any_lane(i32x8 where)
{
    const i64x4 w = (i64x4)where;
    return (w[0] | w[1] | w[2] | w[3]) != 0;
}

static inline f32x8 splat(float x) { return (f32x8){x, x, x, x, x, x, x, x}; }
static inline f32x8 select(i32x8 where, f32x8 a, f32x8 b)
{
    return (f32x8)((where & (i32x8)a) | (~where & (i32x8)b));
}
static inline f32x8 max_lanes(f32x8 a, f32x8 b) { return select(a > b, a, b); }

static inline struct vec3x8 load3(const f32x8 *p) { return (struct vec3x8){p[0], p[1], p[2]}; }
static inline void store3(f32x8 *p, struct vec3x8 a) { p[0] = a.x, p[1] = a.y, p[2] = a.z; }
static inline f32x8 dot(struct vec3x8 a, struct vec3x8 b) { return a.x * b.x + a.y * b.y + a.z * b.z; }
static inline struct vec3x8 cross(struct vec3x8 a, struct vec3x8 b)
{
    return (struct vec3x8){a.y * b.z - a.z * b.y, a.z * b.x - a.x * b.z, a.x * b.y - a.y * b.x};
}
static inline struct vec3x8 sub(struct vec3x8 a, struct vec3x8 b)
{
    return (struct vec3x8){a.x - b.x, a.y - b.y, a.z - b.z};
}
static inline struct vec3x8 add(struct vec3x8 a, struct vec3x8 b)
{
    return (struct vec3x8){a.x + b.x, a.y + b.y, a.z + b.z};
}
static inline struct vec3x8 scale(struct vec3x8 a, f32x8 k)
{
    return (struct vec3x8){a.x * k, a.y * k, a.z * k};
}
static inline f32x8 sqrt_lanes(f32x8 x)
{
    f32x8 out;
    for (int i = 0; i < BATCH_LANES; ++i) out[i] = sqrtf(x[i]);
    return out;
}

// Rows to columns.
static inline void transpose8(f32x8 r[8])
{
#define SHUFFLE(a, b, ...) __builtin_shufflevector(a, b, __VA_ARGS__)
    f32x8 t[8], u[8];
    for (int i = 0; i < 8; i += 2) {
        t[i] = SHUFFLE(r[i], r[i + 1], 0, 8, 1, 9, 4, 12, 5, 13);
        t[i + 1] = SHUFFLE(r[i], r[i + 1], 2, 10, 3, 11, 6, 14, 7, 15);
    }
    for (int i = 0; i < 8; i += 4)
        for (int k = 0; k < 2; ++k) {
            u[i + 2 * k] = SHUFFLE(t[i + k], t[i + 2 + k], 0, 1, 8, 9, 4, 5, 12, 13);
            u[i + 2 * k + 1] = SHUFFLE(t[i + k], t[i + 2 + k], 2, 3, 10, 11, 6, 7, 14, 15);
        }
    for (int i = 0; i < 4; ++i) {
        r[i] = SHUFFLE(u[i], u[i + 4], 0, 1, 2, 3, 8, 9, 10, 11);
        r[i + 4] = SHUFFLE(u[i], u[i + 4], 4, 5, 6, 7, 12, 13, 14, 15);
    }
#undef SHUFFLE
}

// Eight floats of one body. Copied with memcpy they went in halves through the stack, and waited there.
typedef float f32x8_unaligned __attribute__((vector_size(4 * BATCH_LANES), aligned(4), may_alias));

static inline struct motion_lanes gather_motion(const struct solver_motion *m, const int *who)
{
    f32x8 r[8];
    for (int i = 0; i < BATCH_LANES; ++i) r[i] = *(const f32x8_unaligned *)m[who[i]].v;
    transpose8(r);
    return (struct motion_lanes){{r[0], r[1], r[2]}, {r[3], r[4], r[5]}};
}

static inline void scatter_motion(struct solver_motion *m, const int *who, const struct motion_lanes *b)
{
    f32x8 r[8] = {b->v.x, b->v.y, b->v.z, b->w.x, b->w.y, b->w.z};
    transpose8(r);
    for (int i = 0; i < BATCH_LANES; ++i) *(f32x8_unaligned *)m[who[i]].v = r[i];
}

static inline struct mass_lanes gather_mass(const struct solver_inverse_mass *m, const int *who)
{
    f32x8 r[8];
    for (int i = 0; i < BATCH_LANES; ++i) r[i] = *(const f32x8_unaligned *)m[who[i]].m;
    transpose8(r);
    return (struct mass_lanes){r[0], r[1], r[2], r[3], r[4], r[5], r[6]};
}

static inline struct vec3x8 apply_inverse_inertia(const struct mass_lanes *m, struct vec3x8 l)
{
    return (struct vec3x8){m->xx * l.x + m->xy * l.y + m->xz * l.z, m->xy * l.x + m->yy * l.y + m->yz * l.z,
                           m->xz * l.x + m->yz * l.y + m->zz * l.z};
}

// How the gaps of the points change: at their middle, and how that grows along x and z.
struct affine {
    f32x8 mean, slope_1, slope_2;
};

// Points lie at middle + x across_1 + z across_2, and across_1 x normal = -across_2, across_2 x normal = across_1.
static inline struct affine gap_rate(const struct contact_batch *o, const struct motion_lanes *a,
                                     const struct motion_lanes *b)
{
    const struct vec3x8 n = load3(o->normal), transpose8 = sub(b->w, a->w);
    const f32x8 turned = dot(b->w, cross(load3(o->arm_b), n)) - dot(a->w, cross(load3(o->arm_a), n));
    return (struct affine){dot(n, sub(b->v, a->v)) + turned, -dot(transpose8, load3(o->tangent_2)),
                           dot(transpose8, load3(o->tangent_1))};
}
static inline f32x8 affine_value(const struct affine *l, const struct batch_point *h)
{
    return l->mean + l->slope_1 * h->offset_1 + l->slope_2 * h->offset_2;
}

// One more push at a point, what it changes, and the sum of all of them.
static inline void add_normal_impulse(const struct contact_batch *o, const struct batch_point *h, f32x8 more,
                                      struct affine *now, struct affine *sum)
{
    const f32x8 x = h->offset_1 * more, z = h->offset_2 * more, *m = o->affine_response;
    now->mean += m[0] * more + m[1] * x + m[2] * z;
    now->slope_1 += m[1] * more + m[3] * x + m[4] * z;
    now->slope_2 += m[2] * more + m[4] * x + m[5] * z;
    sum->mean += more, sum->slope_1 += x, sum->slope_2 += z;
}

// An impulse at the middle and a turning one on b, and the opposite on a.
static inline void apply_impulse(const struct contact_batch *o, const struct mass_lanes *ma,
                                 const struct mass_lanes *mb, struct vec3x8 p, struct vec3x8 l,
                                 struct motion_lanes *a, struct motion_lanes *b)
{
    a->v = sub(a->v, scale(p, ma->m));
    b->v = add(b->v, scale(p, mb->m));
    a->w = sub(a->w, apply_inverse_inertia(ma, add(cross(load3(o->arm_a), p), l)));
    b->w = add(b->w, apply_inverse_inertia(mb, add(cross(load3(o->arm_b), p), l)));
}

static inline struct vec3x8 affine_torque(const struct contact_batch *o, const struct affine *p)
{
    return sub(scale(load3(o->tangent_1), p->slope_2), scale(load3(o->tangent_2), p->slope_1));
}

static inline void apply_normal_impulses(const struct contact_batch *o, const struct mass_lanes *ma,
                                         const struct mass_lanes *mb, const struct affine *p,
                                         struct motion_lanes *a, struct motion_lanes *b)
{
    apply_impulse(o, ma, mb, scale(load3(o->normal), p->mean), affine_torque(o, p), a, b);
}

static inline struct vec3x8 tangent_vector(const struct contact_batch *o, f32x8 s, f32x8 t)
{
    return add(scale(load3(o->tangent_1), s), scale(load3(o->tangent_2), t));
}

static inline i32x8 has_friction(const struct friction_impulse *r)
{
    return (r->tangent_1 != 0.0f) | (r->tangent_2 != 0.0f) | (r->torsion != 0.0f);
}

// ---- what has to be moved -----------------------------------------------------------------------------

static inline f32x8 safe_inverse(f32x8 k)
{
    return select(k > 0.0f, splat(1.0f) / select(k > 0.0f, k, splat(1.0f)), splat(0.0f));
}

static inline f32x8 angular_response(const struct mass_lanes *m, struct vec3x8 k, struct vec3x8 l)
{
    return dot(k, apply_inverse_inertia(m, l));
}

// Friction: it slides as a whole and twists about its middle.
static void compute_friction_masses(struct contact_batch *o, const struct mass_lanes *ma,
                                    const struct mass_lanes *mb)
{
    const struct vec3x8 n = load3(o->normal), ra = load3(o->arm_a), rb = load3(o->arm_b);
    const struct vec3x8 a1 = cross(ra, load3(o->tangent_1)), a2 = cross(ra, load3(o->tangent_2));
    const struct vec3x8 b1 = cross(rb, load3(o->tangent_1)), b2 = cross(rb, load3(o->tangent_2));
    const f32x8 light = ma->m + mb->m;
    o->tangent_mass_1 = safe_inverse(light + angular_response(ma, a1, a1) + angular_response(mb, b1, b1));
    o->tangent_mass_2 = safe_inverse(light + angular_response(ma, a2, a2) + angular_response(mb, b2, b2));
    o->torsion_mass = safe_inverse(angular_response(ma, n, n) + angular_response(mb, n, n));
    o->torsion_per_tangent_1 = angular_response(ma, n, a1) + angular_response(mb, n, b1);
    o->torsion_per_tangent_2 = angular_response(ma, n, a2) + angular_response(mb, n, b2);
}

// A push at a point turns by (middle x n) - x across_2 + z across_1.
static void compute_normal_masses(struct contact_batch *o, const struct mass_lanes *ma,
                                  const struct mass_lanes *mb)
{
    const struct vec3x8 n = load3(o->normal), t1 = load3(o->tangent_1), t2 = load3(o->tangent_2);
    const struct vec3x8 na = cross(load3(o->arm_a), n), nb = cross(load3(o->arm_b), n);
    const struct vec3x8 even = add(apply_inverse_inertia(ma, na), apply_inverse_inertia(mb, nb));
    f32x8 *m = o->affine_response;
    m[0] = ma->m + mb->m + angular_response(ma, na, na) + angular_response(mb, nb, nb);
    m[1] = -dot(t2, even), m[2] = dot(t1, even);
    m[3] = angular_response(ma, t2, t2) + angular_response(mb, t2, t2);
    m[4] = -(angular_response(ma, t1, t2) + angular_response(mb, t1, t2));
    m[5] = angular_response(ma, t1, t1) + angular_response(mb, t1, t1);
    for (int k = 0; k < o->point_count; ++k) {
        struct batch_point *h = &o->points[k];
        const f32x8 all = m[0] +
                          h->offset_1 * (2.0f * m[1] + h->offset_1 * m[3] + 2.0f * h->offset_2 * m[4]) +
                          h->offset_2 * (2.0f * m[2] + h->offset_2 * m[5]);
        h->effective_mass = select(h->effective_mass > 0.0f, safe_inverse(all), splat(0.0f));
    }
}

// Three points or more of a flat contact can only be pushed in three ways that matter: evenly, and growing along
// either direction of the side: push_k = f + a x_k + b z_k. What such a push has to move is a matrix of three rows,
//
//     K = S C S,   S = sum of D_k D_k^T,   D_k = (1, x_k, z_k),   C = answer,
//
// and its inverse brings all points to rest at once, where one after the other would tilt the body to and fro.
static void compute_block_mass(struct contact_batch *o)
{
    const f32x8 *c = o->affine_response, one = splat(1.0f), none = splat(0.0f);
    f32x8 n = none, xx = none, xz = none, zz = none; // S; the sums of x and of z are 0
    for (int k = 0; k < o->point_count; ++k) {
        const struct batch_point *h = &o->points[k];
        n += select(h->effective_mass > 0.0f, one, none);
        xx += h->offset_1 * h->offset_1, xz += h->offset_1 * h->offset_2, zz += h->offset_2 * h->offset_2;
    }
    const f32x8 b11 = c[3] * xx + c[4] * xz, b12 = c[3] * xz + c[4] * zz, b21 = c[4] * xx + c[5] * xz,
                b22 = c[4] * xz + c[5] * zz;
    const f32x8 k00 = n * n * c[0], k01 = n * (c[1] * xx + c[2] * xz), k02 = n * (c[1] * xz + c[2] * zz);
    const f32x8 k11 = xx * b11 + xz * b21, k12 = xx * b12 + xz * b22, k22 = xz * b12 + zz * b22;
    const f32x8 c00 = k11 * k22 - k12 * k12, c01 = k02 * k12 - k01 * k22, c02 = k01 * k12 - k02 * k11;
    const f32x8 det = k00 * c00 + k01 * c01 + k02 * c02;
    const i32x8 good = (n > 2.5f) & (det > 1e-4f * k00 * k11 * k22) & (k00 > 0.0f);
    const f32x8 inv = select(good, one / select(good, det, one), none);
    o->has_block_solve = select(good, one, none);
    o->block_mass[0] = c00 * inv, o->block_mass[1] = c01 * inv, o->block_mass[2] = c02 * inv;
    o->block_mass[3] = (k00 * k22 - k02 * k02) * inv, o->block_mass[4] = (k01 * k02 - k00 * k12) * inv;
    o->block_mass[5] = (k00 * k11 - k01 * k01) * inv;
}

// Bodies move while contacts are not looked for: the arms are led to one point again, so that a push does not turn the
// two as a whole. What is round keeps its arm, because it rolls: its point is always below it. True if a body
// has turned since, or the arms are others.
static inline bool update_arms(struct contact_batch *o, const struct solver_motion *moved)
{
    const struct motion_lanes da = gather_motion(moved, o->body_a), db = gather_motion(moved, o->body_b);
    const struct vec3x8 step = sub(sub(db.v, da.v), load3(o->relative_displacement));
    const struct vec3x8 to_a = scale(step, o->arm_share_a), to_b = sub(to_a, scale(step, o->arm_share_sum));
    store3(o->relative_displacement, add(load3(o->relative_displacement), step));
    store3(o->arm_a, add(load3(o->arm_a), to_a));
    store3(o->arm_b, add(load3(o->arm_b), to_b));
    const f32x8 far = REFRESH_DISTANCE * o->min_radius;
    return any_lane((max_lanes(dot(da.w, da.w), dot(db.w, db.w)) > REFRESH_ANGLE * REFRESH_ANGLE) |
                    (dot(load3(o->relative_displacement), load3(o->relative_displacement)) > far * far));
}

// A thin plate that turns fast is soon light where it was heavy, and an old mass would make it explode: what turned since
// contacts were looked for is weighed again. So is what was pushed out of others so far that its arms are different.
static void prepare_masses(struct contact_batch *o, int count, bool fresh,
                           const struct solver_inverse_mass *mass, const struct solver_motion *moved)
{
    for (int g = 0; g < count; ++g, ++o) {
        if (!update_arms(o, moved) && !fresh) continue;
        const struct mass_lanes ma = gather_mass(mass, o->body_a), mb = gather_mass(mass, o->body_b);
        compute_friction_masses(o, &ma, &mb);
        compute_normal_masses(o, &ma, &mb);
        if (o->point_count > 2) compute_block_mass(o);
    }
}

// ---- a short step -------------------------------------------------------------------------------------

#define ROLLING_ARM    1e-3f // of the smaller radius: arm of the rolling resistance
#define STICKING_ARM   0.05f // likewise, of what hardly rolls
#define STICKING_SPEED 0.03f // [m/s]

// Rolling resistance: a side, an edge or a ball that rolls is held back by a torque of a small arm times the push. What
// hardly rolls sticks: its arm is longer, or a heap would creep for ever.
static inline void apply_rolling_resistance(const struct contact_batch *o, f32x8 push,
                                            const struct mass_lanes *ma, const struct mass_lanes *mb,
                                            struct motion_lanes *a, struct motion_lanes *b)
{
    const struct vec3x8 n = load3(o->normal), transpose8 = sub(b->w, a->w),
                        tilt = sub(transpose8, scale(n, dot(n, transpose8)));
    const f32x8 fast = sqrt_lanes(dot(tilt, tilt)),
                trace = ma->xx + ma->yy + ma->zz + mb->xx + mb->yy + mb->zz;
    const i32x8 rolls = (fast > 0.0f) & (trace > 0.0f);
    const f32x8 arm = o->min_radius *
                      select(fast * o->min_radius < STICKING_SPEED, splat(STICKING_ARM), splat(ROLLING_ARM));
    const f32x8 limit = arm * push / select(rolls, fast, splat(1.0f)),
                whole = splat(1.0f) / select(rolls, trace, splat(1.0f));
    const struct vec3x8 l = scale(tilt, select(rolls, select(limit < whole, limit, whole), splat(0.0f)));
    a->w = add(a->w, apply_inverse_inertia(ma, l));
    b->w = sub(b->w, apply_inverse_inertia(mb, l));
}

static void warm_start(struct contact_batch *o, int count, const struct contact_step *pace,
                       const struct solver_inverse_mass *mass, const struct solver_motion *moved,
                       struct solver_motion *v)
{
    const f32x8 none = splat(0.0f);
    for (int g = 0; g < count; ++g, ++o) {
        const struct motion_lanes da = gather_motion(moved, o->body_a), db = gather_motion(moved, o->body_b);
        const struct affine gone = gap_rate(o, &da, &db);
        struct affine sum = {none, none, none};
        for (int k = 0; k < o->point_count; ++k) {
            struct batch_point *h = &o->points[k];
            h->normal_impulse *= pace->warm_start_factor;
            h->closing_limit = pace->dt_inv * max_lanes(o->gap[k] + affine_value(&gone, h), none);
            sum.mean += h->normal_impulse, sum.slope_1 += h->offset_1 * h->normal_impulse,
                sum.slope_2 += h->offset_2 * h->normal_impulse;
        }
        struct friction_impulse *r = &o->friction_impulse;
        const f32x8 again = select(o->has_block_solve > none, splat(pace->friction_warm_start_factor),
                                   splat(pace->warm_start_factor));
        r->tangent_1 *= again, r->tangent_2 *= again, r->torsion *= again;
        if (!any_lane((sum.mean > none) | has_friction(r))) continue;
        const struct mass_lanes ma = gather_mass(mass, o->body_a), mb = gather_mass(mass, o->body_b);
        struct motion_lanes a = gather_motion(v, o->body_a), b = gather_motion(v, o->body_b);
        const struct vec3x8 n = load3(o->normal);
        const struct vec3x8 p = add(scale(n, sum.mean), tangent_vector(o, r->tangent_1, r->tangent_2));
        apply_impulse(o, &ma, &mb, p, add(affine_torque(o, &sum), scale(n, r->torsion)), &a, &b);
        apply_rolling_resistance(o, sum.mean, &ma, &mb, &a, &b);
        scatter_motion(v, o->body_a, &a);
        scatter_motion(v, o->body_b, &b);
    }
}

// Friction: stop the sliding, but with no more than friction times the push, whatever its direction; and the twisting,
// which may reach as far as the points do.
static inline void solve_friction(const struct contact_batch *o, f32x8 push, struct friction_impulse *r,
                                  const struct mass_lanes *ma, const struct mass_lanes *mb,
                                  struct motion_lanes *a, struct motion_lanes *b)
{
    const struct vec3x8 n = load3(o->normal), ra = load3(o->arm_a), rb = load3(o->arm_b);
    const struct vec3x8 slip = sub(add(b->v, cross(b->w, rb)), add(a->v, cross(a->w, ra)));
    f32x8 s = r->tangent_1 - o->tangent_mass_1 * dot(slip, load3(o->tangent_1));
    f32x8 t = r->tangent_2 - o->tangent_mass_2 * dot(slip, load3(o->tangent_2));
    const f32x8 length = sqrt_lanes(s * s + t * t), limit = o->friction * push,
                most_twist = limit * o->friction_radius;
    const f32x8 correct_positions =
        select(length > limit, limit / select(length > limit, length, splat(1.0f)), splat(1.0f));
    s *= correct_positions, t *= correct_positions;
    const f32x8 ds = s - r->tangent_1, dt = t - r->tangent_2;
    const f32x8 transpose8 =
        dot(n, sub(b->w, a->w)) + o->torsion_per_tangent_1 * ds + o->torsion_per_tangent_2 * dt;
    f32x8 twist = r->torsion - o->torsion_mass * transpose8;
    twist = select(twist > most_twist, most_twist, select(twist < -most_twist, -most_twist, twist));
    apply_impulse(o, ma, mb, tangent_vector(o, ds, dt), scale(n, twist - r->torsion), a, b);
    *r = (struct friction_impulse){s, t, twist};
}

// All points together, where that leaves every one of them pushing. Gives back where it was done.
static inline i32x8 solve_block(struct contact_batch *o, const struct affine *now, struct affine *sum,
                                f32x8 *change)
{
    const f32x8 none = splat(0.0f), *m = o->block_mass;
    f32x8 r0 = none, r1 = none, r2 = none, worst = none, push[MANIFOLD_POINTS];
    for (int k = 0; k < o->point_count; ++k) {
        const struct batch_point *h = &o->points[k];
        const f32x8 u = select(h->effective_mass > 0.0f, affine_value(now, h) + h->closing_limit, none);
        r0 += u, r1 += u * h->offset_1, r2 += u * h->offset_2;
        worst = max_lanes(worst, max_lanes(u, -u));
    }
    const f32x8 f = m[0] * r0 + m[1] * r1 + m[2] * r2, s = m[1] * r0 + m[3] * r1 + m[4] * r2,
                t = m[2] * r0 + m[4] * r1 + m[5] * r2;
    i32x8 done = o->has_block_solve > 0.0f;
    for (int k = 0; k < o->point_count; ++k) {
        const struct batch_point *h = &o->points[k];
        push[k] = h->normal_impulse - (f + s * h->offset_1 + t * h->offset_2);
        done &= (push[k] >= none) | (h->effective_mass <= 0.0f);
    }
    for (int k = 0; k < o->point_count; ++k) {
        struct batch_point *h = &o->points[k];
        const f32x8 more = select(done & (h->effective_mass > 0.0f), push[k] - h->normal_impulse, none);
        h->normal_impulse += more;
        sum->mean += more, sum->slope_1 += h->offset_1 * more, sum->slope_2 += h->offset_2 * more;
    }
    *change = max_lanes(*change, select(done, worst, none));
    return done;
}

// Nothing presses or rubs, and nothing approaches: nothing to do.
static inline bool is_inactive(const struct contact_batch *o, f32x8 push, const struct motion_lanes *a,
                               const struct motion_lanes *b)
{
    i32x8 busy = (push > 0.0f) | has_friction(&o->friction_impulse);
    if (any_lane(busy)) return false;
    const struct affine now = gap_rate(o, a, b);
    for (int k = 0; k < o->point_count; ++k)
        busy |= (affine_value(&now, &o->points[k]) + o->points[k].closing_limit < 0.0f) &
                (o->points[k].effective_mass > 0.0f);
    return !any_lane(busy);
}

// Stop what approaches; what is still apart may close its gap. Gives back the largest change of a speed.
static f32x8 solve_batch(struct contact_batch *o, bool backward, const struct solver_inverse_mass *mass,
                         struct solver_motion *v)
{
    struct motion_lanes a = gather_motion(v, o->body_a), b = gather_motion(v, o->body_b);
    const f32x8 none = splat(0.0f);
    f32x8 change = none, push = none;
    for (int k = 0; k < o->point_count; ++k) push += o->points[k].normal_impulse;
    if (is_inactive(o, push, &a, &b)) return none;
    const struct mass_lanes ma = gather_mass(mass, o->body_a), mb = gather_mass(mass, o->body_b);
    solve_friction(o, push, &o->friction_impulse, &ma, &mb, &a, &b);
    struct affine now = gap_rate(o, &a, &b), sum = {none, none, none};
    i32x8 done = o->points[0].effective_mass <= 0.0f;
    if (o->point_count > 2) done |= solve_block(o, &now, &sum, &change);
    for (int m = 0; m < o->point_count && any_lane(~done); ++m) {
        struct batch_point *h = &o->points[backward ? o->point_count - 1 - m : m];
        const f32x8 approach = affine_value(&now, h) + h->closing_limit;
        const f32x8 to = select(done, h->normal_impulse,
                                max_lanes(h->normal_impulse - h->effective_mass * approach, none)),
                    more = to - h->normal_impulse;
        add_normal_impulse(o, h, more, &now, &sum);
        change =
            max_lanes(change, select((more > none) | (more < none), max_lanes(approach, -approach), none));
        h->normal_impulse = to;
    }
    apply_normal_impulses(o, &ma, &mb, &sum, &a, &b);
    scatter_motion(v, o->body_a, &a);
    scatter_motion(v, o->body_b, &b);
    return change;
}

static struct contact_residual solve_velocities(struct contact_batch *o, int count,
                                                const struct contact_step *pace, bool backward,
                                                const struct solver_inverse_mass *mass,
                                                struct solver_motion *v)
{
    struct contact_residual out = {0};
    for (int g = 0; g < count; ++g) {
        const f32x8 change = solve_batch(&o[backward ? count - 1 - g : g], backward, mass, v);
        if (!any_lane(change > CHANGE_SMALL * pace->gravity_speed)) continue;
        out.above_small += 1;
        out.above_medium += any_lane(change > CHANGE_MEDIUM * pace->gravity_speed);
        out.above_large += any_lane(change > CHANGE_LARGE * pace->gravity_speed);
    }
    return out;
}

// Move apart what overlaps: places change, speeds do not, so nothing is launched. A little overlap is left alone:
// lifting what sinks by a hair in every step would shake a tower until it falls.
static void correct_positions(struct contact_batch *o, int count, const struct contact_step *pace,
                              const struct solver_inverse_mass *mass, struct solver_motion *moved)
{
    const f32x8 some = splat(pace->correction_fraction), deepest = splat(-pace->max_correction),
                none = splat(0.0f);
    for (int g = 0; g < count; ++g, ++o) {
        struct motion_lanes a = gather_motion(moved, o->body_a), b = gather_motion(moved, o->body_b);
        struct affine now = gap_rate(o, &a, &b), sum = {none, none, none};
        i32x8 lifts = none > none;
        for (int k = 0; k < o->point_count; ++k) {
            struct batch_point *h = &o->points[k];
            const f32x8 gap = o->gap[k] + affine_value(&now, h) + o->slop;
            const i32x8 deep = (gap < none) & (h->effective_mass > none);
            if (o->had_impact)
                o->impacts[k].total_impulse +=
                    select(o->impacts[k].max_speed > none, h->normal_impulse, none);
            if (!any_lane(deep)) continue;
            add_normal_impulse(o, h, select(deep, -h->effective_mass * max_lanes(some * gap, deepest), none),
                               &now, &sum);
            lifts |= deep;
        }
        if (!any_lane(lifts)) continue;
        const struct mass_lanes ma = gather_mass(mass, o->body_a), mb = gather_mass(mass, o->body_b);
        apply_normal_impulses(o, &ma, &mb, &sum, &a, &b);
        scatter_motion(moved, o->body_a, &a);
        scatter_motion(moved, o->body_b, &b);
    }
}

// ---- impacts ------------------------------------------------------------------------------------------

// With the speed u at which they close in, the gap s still open and the acceleration c that closes it, they would meet
// at sqrt(u^2 + 2 c s), part with e times that, and have sqrt(e^2 (u^2 + 2 c s) - 2 c s) when the gap is s again:
// the speed to give them now. A ball then comes back to e^2 of its height, whatever the step.
static bool detect_batch_impacts(struct contact_batch *o, float within, float slow,
                                 const struct solver_motion *moved, const struct solver_motion *pull,
                                 const struct solver_motion *v)
{
    const struct motion_lanes ca = gather_motion(pull, o->body_a), cb = gather_motion(pull, o->body_b),
                              a = gather_motion(v, o->body_a), b = gather_motion(v, o->body_b);
    const struct affine pulled = gap_rate(o, &ca, &cb), closes = gap_rate(o, &a, &b);
    const f32x8 none = splat(0.0f), dt = splat(within), e = o->restitution;
    f32x8 u[MANIFOLD_POINTS];
    i32x8 fast = none > none, hit = fast;
    for (int k = 0; k < o->point_count; ++k) { // v has felt the pull of this step already
        u[k] = dt * affine_value(&pulled, &o->points[k]) - affine_value(&closes, &o->points[k]);
        fast |= (u[k] > splat(slow)) & (o->points[k].effective_mass > none);
    }
    if (!any_lane(fast)) return false;
    const struct motion_lanes da = gather_motion(moved, o->body_a), db = gather_motion(moved, o->body_b);
    const struct affine gone = gap_rate(o, &da, &db);
    for (int k = 0; k < o->point_count; ++k) {
        const struct batch_point *h = &o->points[k];
        struct impact_point *w = &o->impacts[k];
        const f32x8 gap = max_lanes(o->gap[k] + affine_value(&gone, h), none), c = -affine_value(&pulled, h);
        const f32x8 met = u[k] * u[k] + 2.0f * c * gap, back = e * e * met - 2.0f * c * gap;
        const i32x8 now =
            (u[k] > splat(slow)) & (gap < 1.001f * dt * (u[k] + c * dt)) & (h->effective_mass > none);
        const i32x8 here = now & (back > none) & (e > none);
        w->is_impact = select(here, splat(1.0f), none);
        w->target_speed = sqrt_lanes(select(here, back, none)) - c * dt;
        w->impulse = none;
        w->max_speed = select(now, max_lanes(w->max_speed, u[k]), w->max_speed);
        o->had_impact |= any_lane(now);
        hit |= here;
    }
    o->impact_friction = (struct friction_impulse){none, none, none};
    return any_lane(hit);
}

static bool detect_impacts(struct contact_batch *o, int count, const struct contact_step *pace, float slow,
                           const struct solver_motion *moved, const struct solver_motion *pull,
                           const struct solver_motion *v)
{
    bool found = false;
    for (int g = 0; g < count; ++g, ++o) {
        i32x8 free = splat(1.0f) < 0.0f; // what presses already does not meet any more
        for (int k = 0; k < o->point_count; ++k)
            free |= (o->points[k].normal_impulse <= 0.0f) & (o->points[k].effective_mass > 0.0f);
        o->has_impact = any_lane(free) && detect_batch_impacts(o, pace->dt, slow, moved, pull, v);
        found |= o->has_impact;
    }
    return found;
}

// Pushes and friction one after the other: either alone takes energy away, both at once could add some.
static void solve_impacts(struct contact_batch *o, int count, const struct solver_inverse_mass *mass,
                          bool rubbing, struct solver_motion *v)
{
    const f32x8 none = splat(0.0f);
    for (int g = 0; g < count; ++g, ++o) {
        if (!o->has_impact) continue;
        const struct mass_lanes ma = gather_mass(mass, o->body_a), mb = gather_mass(mass, o->body_b);
        struct motion_lanes a = gather_motion(v, o->body_a), b = gather_motion(v, o->body_b);
        struct affine now = gap_rate(o, &a, &b), sum = {none, none, none};
        f32x8 struck = none;
        for (int k = 0; k < o->point_count && !rubbing; ++k) {
            const struct batch_point *h = &o->points[k];
            struct impact_point *w = &o->impacts[k];
            const f32x8 to = max_lanes(w->impulse + w->is_impact * h->effective_mass *
                                                        (w->target_speed - affine_value(&now, h)),
                                       none);
            add_normal_impulse(o, h, to - w->impulse, &now, &sum);
            w->total_impulse += to - w->impulse;
            w->impulse = to;
        }
        apply_normal_impulses(o, &ma, &mb, &sum, &a, &b);
        for (int k = 0; k < o->point_count; ++k) struck += o->impacts[k].impulse;
        if (rubbing) solve_friction(o, struck, &o->impact_friction, &ma, &mb, &a, &b);
        scatter_motion(v, o->body_a, &a);
        scatter_motion(v, o->body_b, &b);
    }
}

const struct contact_kernels KERNELS(contact_kernels) = {prepare_masses,    warm_start,     solve_velocities,
                                                         correct_positions, detect_impacts, solve_impacts};
