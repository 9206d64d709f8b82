// Sequential impulses [catto2005] for eight contacts at a time, in the small steps of [macklin2019]: for one
// point after the other
//
//     v' = v + M^-1 J^T p,
//
// with accumulated normal impulses p >= 0 and friction within the Coulomb cone. Neither build of this file
// fuses multiply and add, so every machine computes the same bits.
#include "body/solve/contact_rows.h"

// Thresholds of contact_residual for a change of a gap rate, in units of gravity_speed.
#define CHANGE_SMALL  0.1f
#define CHANGE_MEDIUM 0.2f
#define CHANGE_LARGE  1.2f

#define REFRESH_ANGLE    0.02f // [rad] rotation since detection that invalidates the effective masses
#define REFRESH_DISTANCE 0.02f // of the smaller radius: relative displacement that invalidates them

struct vec3x8 {
    f32x8 x, y, z;
};

// Motion and inverse mass of one body per lane.
struct motion_lanes {
    struct vec3x8 v, w;
};
struct mass_lanes {
    f32x8 m;
    struct vec3x8 linear; // the same along x, y, z; 0 where translation is locked
    bool has_locks;
    f32x8 xx, xy, xz, yy, yz, zz;
};

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

static inline struct vec3x8 mul(struct vec3x8 a, struct vec3x8 b)
{
    return (struct vec3x8){a.x * b.x, a.y * b.y, a.z * b.z};
}

static inline struct motion_lanes gather_motion(const struct solver_motion *m, const int *bodies)
{
    f32x8 r[8];
    for (int i = 0; i < BATCH_LANES; ++i) r[i] = *(const f32x8_unaligned *)m[bodies[i]].v;
    f32x8_transpose(r);
    return (struct motion_lanes){{r[0], r[1], r[2]}, {r[3], r[4], r[5]}};
}

static inline void scatter_motion(struct solver_motion *m, const int *bodies, const struct motion_lanes *b)
{
    f32x8 r[8] = {b->v.x, b->v.y, b->v.z, b->w.x, b->w.y, b->w.z};
    f32x8_transpose(r);
    for (int i = 0; i < BATCH_LANES; ++i) *(f32x8_unaligned *)m[bodies[i]].v = r[i];
}

// The bits of LOCKED_TRANSLATION, as numbers 0 .. 7, select the axes.
static void lock_axes(struct mass_lanes *mass, f32x8 code)
{
    const f32x8 zero = f32x8_splat(0.0f), one = f32x8_splat(1.0f);
    mass->has_locks = true;
    mass->linear.z = f32x8_select(code >= 4.0f, zero, mass->m);
    code -= f32x8_select(code >= 4.0f, 4.0f * one, zero);
    mass->linear.y = f32x8_select(code >= 2.0f, zero, mass->m);
    code -= f32x8_select(code >= 2.0f, 2.0f * one, zero);
    mass->linear.x = f32x8_select(code >= 1.0f, zero, mass->m);
}

static inline struct mass_lanes gather_mass(const struct solver_inverse_mass *m, const int *bodies)
{
    f32x8 r[8];
    for (int i = 0; i < BATCH_LANES; ++i) r[i] = *(const f32x8_unaligned *)m[bodies[i]].m;
    f32x8_transpose(r);
    struct mass_lanes out = {r[0], {r[0], r[0], r[0]}, false, r[1], r[2], r[3], r[4], r[5], r[6]};
    if (i32x8_any(r[7] > 0.0f)) lock_axes(&out, r[7]);
    return out;
}

static inline struct vec3x8 apply_inverse_inertia(const struct mass_lanes *m, struct vec3x8 l)
{
    return (struct vec3x8){m->xx * l.x + m->xy * l.y + m->xz * l.z, m->xy * l.x + m->yy * l.y + m->yz * l.z,
                           m->xz * l.x + m->yz * l.y + m->zz * l.z};
}

// Affine function over the contact plane: mean + slope_1 x + slope_2 z with x, z along tangent_1, tangent_2
// from the centroid. Gap rates and sums of impulses are represented this way.
struct affine {
    f32x8 mean, slope_1, slope_2;
};

// Gap rate of the points centroid + x t1 + z t2. With t1 x n = -t2 and t2 x n = t1, a relative angular
// velocity w contributes -(w . t2) x + (w . t1) z.
static inline struct affine gap_rate(const struct contact_batch *batch, const struct motion_lanes *a,
                                     const struct motion_lanes *b)
{
    const struct vec3x8 n = load3(batch->normal), spin = sub(b->w, a->w);
    const f32x8 rotational =
        dot(b->w, cross(load3(batch->arm_b), n)) - dot(a->w, cross(load3(batch->arm_a), n));
    return (struct affine){dot(n, sub(b->v, a->v)) + rotational, -dot(spin, load3(batch->tangent_2)),
                           dot(spin, load3(batch->tangent_1))};
}
static inline f32x8 affine_value(const struct affine *f, const struct batch_point *point)
{
    return f->mean + f->slope_1 * point->offset_1 + f->slope_2 * point->offset_2;
}

// Adds a normal impulse `more` at a point to the sums, and its effect to the gap rate `rate`.
static inline void add_normal_impulse(const struct contact_batch *batch, const struct batch_point *point,
                                      f32x8 more, struct affine *rate, struct affine *sum)
{
    const f32x8 x = point->offset_1 * more, z = point->offset_2 * more, *m = batch->affine_response;
    rate->mean += m[0] * more + m[1] * x + m[2] * z;
    rate->slope_1 += m[1] * more + m[3] * x + m[4] * z;
    rate->slope_2 += m[2] * more + m[4] * x + m[5] * z;
    sum->mean += more, sum->slope_1 += x, sum->slope_2 += z;
}

// Applies the impulse p at the centroid and the angular impulse l to b, and the opposite to a.
static inline void apply_impulse(const struct contact_batch *batch, const struct mass_lanes *ma,
                                 const struct mass_lanes *mb, struct vec3x8 p, struct vec3x8 l,
                                 struct motion_lanes *a, struct motion_lanes *b)
{
    a->v = sub(a->v, mul(p, ma->linear));
    b->v = add(b->v, mul(p, mb->linear));
    a->w = sub(a->w, apply_inverse_inertia(ma, add(cross(load3(batch->arm_a), p), l)));
    b->w = add(b->w, apply_inverse_inertia(mb, add(cross(load3(batch->arm_b), p), l)));
}

static inline struct vec3x8 affine_torque(const struct contact_batch *batch, const struct affine *p)
{
    return sub(scale(load3(batch->tangent_1), p->slope_2), scale(load3(batch->tangent_2), p->slope_1));
}

static inline void apply_normal_impulses(const struct contact_batch *batch, const struct mass_lanes *ma,
                                         const struct mass_lanes *mb, const struct affine *p,
                                         struct motion_lanes *a, struct motion_lanes *b)
{
    apply_impulse(batch, ma, mb, scale(load3(batch->normal), p->mean), affine_torque(batch, p), a, b);
}

static inline struct vec3x8 tangent_vector(const struct contact_batch *batch, f32x8 along_1, f32x8 along_2)
{
    return add(scale(load3(batch->tangent_1), along_1), scale(load3(batch->tangent_2), along_2));
}

static inline i32x8 has_friction(const struct friction_impulse *p)
{
    return (p->tangent_1 != 0.0f) | (p->tangent_2 != 0.0f) | (p->torsion != 0.0f);
}

// ---- effective masses ------------------------------------------------------------------------------

static inline f32x8 safe_inverse(f32x8 k)
{
    return f32x8_select(k > 0.0f, f32x8_splat(1.0f) / f32x8_select(k > 0.0f, k, f32x8_splat(1.0f)),
                        f32x8_splat(0.0f));
}

// [1/kg] Relative velocity along a unit vector by a unit impulse along it at both centres of mass.
static inline f32x8 linear_response(const struct mass_lanes *ma, const struct mass_lanes *mb,
                                    const f32x8 *along)
{
    if (!ma->has_locks && !mb->has_locks) return ma->m + mb->m;
    const struct vec3x8 d = load3(along);
    return dot(mul(d, d), add(ma->linear, mb->linear));
}

static inline f32x8 angular_response(const struct mass_lanes *m, struct vec3x8 k, struct vec3x8 l)
{
    return dot(k, apply_inverse_inertia(m, l));
}

// Friction acts on the contact as a whole: two tangential directions at the centroid, and torsion about the
// normal. 1/m_eff = 1/m_a + 1/m_b + (r_a x t) . I_a^-1 (r_a x t) + (r_b x t) . I_b^-1 (r_b x t).
static void compute_friction_masses(struct contact_batch *batch, const struct mass_lanes *ma,
                                    const struct mass_lanes *mb)
{
    const struct vec3x8 n = load3(batch->normal), ra = load3(batch->arm_a), rb = load3(batch->arm_b);
    const struct vec3x8 a1 = cross(ra, load3(batch->tangent_1)), a2 = cross(ra, load3(batch->tangent_2));
    const struct vec3x8 b1 = cross(rb, load3(batch->tangent_1)), b2 = cross(rb, load3(batch->tangent_2));
    batch->tangent_mass_1 = safe_inverse(linear_response(ma, mb, batch->tangent_1) +
                                         angular_response(ma, a1, a1) + angular_response(mb, b1, b1));
    batch->tangent_mass_2 = safe_inverse(linear_response(ma, mb, batch->tangent_2) +
                                         angular_response(ma, a2, a2) + angular_response(mb, b2, b2));
    batch->torsion_mass = safe_inverse(angular_response(ma, n, n) + angular_response(mb, n, n));
    batch->torsion_per_tangent_1 = angular_response(ma, n, a1) + angular_response(mb, n, b1);
    batch->torsion_per_tangent_2 = angular_response(ma, n, a2) + angular_response(mb, n, b2);
}

// The angular Jacobian of a point is (r x n) - x t2 + z t1 with the arm r of the centroid. 1/m_eff = D^T C D
// with D = (1, x, z).
static void compute_normal_masses(struct contact_batch *batch, const struct mass_lanes *ma,
                                  const struct mass_lanes *mb)
{
    const struct vec3x8 n = load3(batch->normal), t1 = load3(batch->tangent_1), t2 = load3(batch->tangent_2);
    const struct vec3x8 na = cross(load3(batch->arm_a), n), nb = cross(load3(batch->arm_b), n);
    const struct vec3x8 response = add(apply_inverse_inertia(ma, na), apply_inverse_inertia(mb, nb));
    f32x8 *m = batch->affine_response;
    m[0] =
        linear_response(ma, mb, batch->normal) + angular_response(ma, na, na) + angular_response(mb, nb, nb);
    m[1] = -dot(t2, response), m[2] = dot(t1, response);
    m[3] = angular_response(ma, t2, t2) + angular_response(mb, t2, t2);
    m[4] = -(angular_response(ma, t1, t2) + angular_response(mb, t1, t2));
    m[5] = angular_response(ma, t1, t1) + angular_response(mb, t1, t1);
    for (int k = 0; k < batch->point_count; ++k) {
        struct batch_point *point = &batch->points[k];
        const f32x8 inverse =
            m[0] + point->offset_1 * (2.0f * m[1] + point->offset_1 * m[3] + 2.0f * point->offset_2 * m[4]) +
            point->offset_2 * (2.0f * m[2] + point->offset_2 * m[5]);
        point->effective_mass =
            f32x8_select(point->effective_mass > 0.0f, safe_inverse(inverse), f32x8_splat(0.0f));
    }
}

// Block solve of three or more coplanar points: impulses p_k = f + a x_k + b z_k have three degrees of
// freedom, as the gap rate has. The effective mass matrix of (f, a, b) is
//
//     K = S C S,   S = sum over k of D_k D_k^T,   D_k = (1, x_k, z_k),   C = affine_response,
//
// and its inverse brings all points to rest at once, where solving one point after the other tilts the body
// back and forth.
static void compute_block_mass(struct contact_batch *batch)
{
    const f32x8 *c = batch->affine_response, one = f32x8_splat(1.0f), zero = f32x8_splat(0.0f);
    f32x8 n = zero, xx = zero, xz = zero, zz = zero; // entries of S; S_01 = S_02 = 0 about the centroid
    for (int k = 0; k < batch->point_count; ++k) {
        const struct batch_point *point = &batch->points[k];
        n += f32x8_select(point->effective_mass > 0.0f, one, zero);
        xx += point->offset_1 * point->offset_1, xz += point->offset_1 * point->offset_2,
            zz += point->offset_2 * point->offset_2;
    }
    const f32x8 b11 = c[3] * xx + c[4] * xz, b12 = c[3] * xz + c[4] * zz, b21 = c[4] * xx + c[5] * xz,
                b22 = c[4] * xz + c[5] * zz;
    const f32x8 k00 = n * n * c[0], k01 = n * (c[1] * xx + c[2] * xz), k02 = n * (c[1] * xz + c[2] * zz);
    const f32x8 k11 = xx * b11 + xz * b21, k12 = xx * b12 + xz * b22, k22 = xz * b12 + zz * b22;
    const f32x8 c00 = k11 * k22 - k12 * k12, c01 = k02 * k12 - k01 * k22, c02 = k01 * k12 - k02 * k11;
    const f32x8 det = k00 * c00 + k01 * c01 + k02 * c02;
    const i32x8 regular = (n > 2.5f) & (det > 1e-4f * k00 * k11 * k22) & (k00 > 0.0f);
    const f32x8 inv = f32x8_select(regular, one / f32x8_select(regular, det, one), zero);
    batch->has_block_solve = f32x8_select(regular, one, zero);
    batch->block_mass[0] = c00 * inv, batch->block_mass[1] = c01 * inv, batch->block_mass[2] = c02 * inv;
    batch->block_mass[3] = (k00 * k22 - k02 * k02) * inv,
    batch->block_mass[4] = (k01 * k02 - k00 * k12) * inv;
    batch->block_mass[5] = (k00 * k11 - k01 * k01) * inv;
}

// Bodies move between two detections. Both arms are moved to a common point again, so that an impulse pair
// exerts no net torque. A round part that rolls keeps its arm (share 0): its contact point stays below it.
// Returns true if a body has rotated by REFRESH_ANGLE or moved by REFRESH_DISTANCE since detection.
static inline bool update_arms(struct contact_batch *batch, const struct solver_motion *displacement)
{
    const struct motion_lanes da = gather_motion(displacement, batch->body_a),
                              db = gather_motion(displacement, batch->body_b);
    const struct vec3x8 step = sub(sub(db.v, da.v), load3(batch->relative_displacement));
    const struct vec3x8 to_a = scale(step, batch->arm_share_a),
                        to_b = sub(to_a, scale(step, batch->arm_share_sum));
    store3(batch->relative_displacement, add(load3(batch->relative_displacement), step));
    store3(batch->arm_a, add(load3(batch->arm_a), to_a));
    store3(batch->arm_b, add(load3(batch->arm_b), to_b));
    const f32x8 limit = REFRESH_DISTANCE * batch->min_radius;
    return i32x8_any(
        (f32x8_max(dot(da.w, da.w), dot(db.w, db.w)) > REFRESH_ANGLE * REFRESH_ANGLE) |
        (dot(load3(batch->relative_displacement), load3(batch->relative_displacement)) > limit * limit));
}

// Effective masses are recomputed once a body has rotated by REFRESH_ANGLE since detection: for a thin plate
// 1/m + (r x n) . I^-1 (r x n) changes by orders of magnitude, and a stale value makes the iteration
// diverge. The same holds for a relative displacement by REFRESH_DISTANCE, which changes the arms.
static void prepare_masses(struct contact_batch *batch, int count, bool are_new,
                           const struct solver_inverse_mass *mass, const struct solver_motion *displacement)
{
    for (int g = 0; g < count; ++g, ++batch) {
        if (!update_arms(batch, displacement) && !are_new) continue;
        const struct mass_lanes ma = gather_mass(mass, batch->body_a), mb = gather_mass(mass, batch->body_b);
        compute_friction_masses(batch, &ma, &mb);
        compute_normal_masses(batch, &ma, &mb);
        if (batch->point_count > 2) compute_block_mass(batch);
    }
}

// ---- velocities and positions ----------------------------------------------------------------------

#define ROLLING_ARM    1e-3f // of the smaller radius: arm of rolling resistance
#define STICKING_ARM   0.05f // of the smaller radius: arm below STICKING_SPEED
#define STICKING_SPEED 0.03f // [m/s] relative angular speed times the smaller radius

// Rolling resistance: a torque of at most arm * normal impulse / dt against the relative angular velocity
// perpendicular to the normal. Below STICKING_SPEED the arm is longer, otherwise heaps creep without end.
static inline void apply_rolling_resistance(const struct contact_batch *batch, f32x8 normal_impulse,
                                            const struct mass_lanes *ma, const struct mass_lanes *mb,
                                            struct motion_lanes *a, struct motion_lanes *b)
{
    const struct vec3x8 n = load3(batch->normal), spin = sub(b->w, a->w),
                        rolling = sub(spin, scale(n, dot(n, spin)));
    const f32x8 speed = f32x8_sqrt(dot(rolling, rolling)),
                trace = ma->xx + ma->yy + ma->zz + mb->xx + mb->yy + mb->zz;
    const i32x8 is_rolling = (speed > 0.0f) & (trace > 0.0f);
    const f32x8 arm = batch->min_radius * f32x8_select(speed * batch->min_radius < STICKING_SPEED,
                                                       f32x8_splat(STICKING_ARM), f32x8_splat(ROLLING_ARM));
    const f32x8 limit = arm * normal_impulse / f32x8_select(is_rolling, speed, f32x8_splat(1.0f)),
                stop = f32x8_splat(1.0f) / f32x8_select(is_rolling, trace, f32x8_splat(1.0f));
    const struct vec3x8 l =
        scale(rolling, f32x8_select(is_rolling, f32x8_select(limit < stop, limit, stop), f32x8_splat(0.0f)));
    a->w = add(a->w, apply_inverse_inertia(ma, l));
    b->w = sub(b->w, apply_inverse_inertia(mb, l));
}

static void warm_start(struct contact_batch *batch, int count, const struct contact_step *step,
                       const struct solver_inverse_mass *mass, const struct solver_motion *displacement,
                       struct solver_motion *v)
{
    const f32x8 zero = f32x8_splat(0.0f);
    for (int g = 0; g < count; ++g, ++batch) {
        const struct motion_lanes da = gather_motion(displacement, batch->body_a),
                                  db = gather_motion(displacement, batch->body_b);
        const struct affine gap_change = gap_rate(batch, &da, &db);
        struct affine sum = {zero, zero, zero};
        for (int k = 0; k < batch->point_count; ++k) {
            struct batch_point *point = &batch->points[k];
            point->normal_impulse *= step->warm_start_factor;
            point->closing_limit =
                step->dt_inv * f32x8_max(batch->gap[k] + affine_value(&gap_change, point), zero);
            sum.mean += point->normal_impulse, sum.slope_1 += point->offset_1 * point->normal_impulse,
                sum.slope_2 += point->offset_2 * point->normal_impulse;
        }
        struct friction_impulse *r = &batch->friction_impulse;
        const f32x8 factor =
            f32x8_select(batch->has_block_solve > zero, f32x8_splat(step->friction_warm_start_factor),
                         f32x8_splat(step->warm_start_factor));
        r->tangent_1 *= factor, r->tangent_2 *= factor, r->torsion *= factor;
        if (!i32x8_any((sum.mean > zero) | has_friction(r))) continue;
        const struct mass_lanes ma = gather_mass(mass, batch->body_a), mb = gather_mass(mass, batch->body_b);
        struct motion_lanes a = gather_motion(v, batch->body_a), b = gather_motion(v, batch->body_b);
        const struct vec3x8 n = load3(batch->normal);
        const struct vec3x8 p = add(scale(n, sum.mean), tangent_vector(batch, r->tangent_1, r->tangent_2));
        apply_impulse(batch, &ma, &mb, p, add(affine_torque(batch, &sum), scale(n, r->torsion)), &a, &b);
        apply_rolling_resistance(batch, sum.mean, &ma, &mb, &a, &b);
        scatter_motion(v, batch->body_a, &a);
        scatter_motion(v, batch->body_b, &b);
    }
}

// Coulomb friction: the tangential impulse that stops the slip, scaled back to length mu * p_n; and the
// torsional impulse that stops the relative spin, limited to mu * p_n * friction_radius.
static inline void solve_friction(const struct contact_batch *batch, f32x8 normal_impulse,
                                  struct friction_impulse *r, const struct mass_lanes *ma,
                                  const struct mass_lanes *mb, struct motion_lanes *a, struct motion_lanes *b)
{
    const struct vec3x8 n = load3(batch->normal), ra = load3(batch->arm_a), rb = load3(batch->arm_b);
    const struct vec3x8 slip = sub(add(b->v, cross(b->w, rb)), add(a->v, cross(a->w, ra)));
    f32x8 p1 = r->tangent_1 - batch->tangent_mass_1 * dot(slip, load3(batch->tangent_1));
    f32x8 p2 = r->tangent_2 - batch->tangent_mass_2 * dot(slip, load3(batch->tangent_2));
    const f32x8 length = f32x8_sqrt(p1 * p1 + p2 * p2), limit = batch->friction * normal_impulse,
                max_torsion = limit * batch->friction_radius;
    const f32x8 scaling = f32x8_select(
        length > limit, limit / f32x8_select(length > limit, length, f32x8_splat(1.0f)), f32x8_splat(1.0f));
    p1 *= scaling, p2 *= scaling;
    const f32x8 d1 = p1 - r->tangent_1, d2 = p2 - r->tangent_2;
    const f32x8 spin =
        dot(n, sub(b->w, a->w)) + batch->torsion_per_tangent_1 * d1 + batch->torsion_per_tangent_2 * d2;
    f32x8 torsion = r->torsion - batch->torsion_mass * spin;
    torsion = f32x8_select(torsion > max_torsion, max_torsion,
                           f32x8_select(torsion < -max_torsion, -max_torsion, torsion));
    apply_impulse(batch, ma, mb, tangent_vector(batch, d1, d2), scale(n, torsion - r->torsion), a, b);
    *r = (struct friction_impulse){p1, p2, torsion};
}

// Solves all points together in the lanes where all resulting impulses are >= 0. Returns the mask of these
// lanes.
static inline i32x8 solve_block(struct contact_batch *batch, const struct affine *rate, struct affine *sum,
                                f32x8 *change)
{
    const f32x8 zero = f32x8_splat(0.0f), *m = batch->block_mass;
    f32x8 r0 = zero, r1 = zero, r2 = zero, max_rate = zero, impulse[MANIFOLD_POINTS];
    for (int k = 0; k < batch->point_count; ++k) {
        const struct batch_point *point = &batch->points[k];
        const f32x8 u = f32x8_select(point->effective_mass > 0.0f,
                                     affine_value(rate, point) + point->closing_limit, zero);
        r0 += u, r1 += u * point->offset_1, r2 += u * point->offset_2;
        max_rate = f32x8_max(max_rate, f32x8_max(u, -u));
    }
    const f32x8 f = m[0] * r0 + m[1] * r1 + m[2] * r2, s = m[1] * r0 + m[3] * r1 + m[4] * r2,
                t = m[2] * r0 + m[4] * r1 + m[5] * r2;
    i32x8 done = batch->has_block_solve > 0.0f;
    for (int k = 0; k < batch->point_count; ++k) {
        const struct batch_point *point = &batch->points[k];
        impulse[k] = point->normal_impulse - (f + s * point->offset_1 + t * point->offset_2);
        done &= (impulse[k] >= zero) | (point->effective_mass <= 0.0f);
    }
    for (int k = 0; k < batch->point_count; ++k) {
        struct batch_point *point = &batch->points[k];
        const f32x8 more =
            f32x8_select(done & (point->effective_mass > 0.0f), impulse[k] - point->normal_impulse, zero);
        point->normal_impulse += more;
        sum->mean += more, sum->slope_1 += point->offset_1 * more, sum->slope_2 += point->offset_2 * more;
    }
    *change = f32x8_max(*change, f32x8_select(done, max_rate, zero));
    return done;
}

// True if no lane has an impulse and no point closes faster than its limit.
static inline bool is_inactive(const struct contact_batch *batch, f32x8 normal_impulse,
                               const struct motion_lanes *a, const struct motion_lanes *b)
{
    i32x8 active = (normal_impulse > 0.0f) | has_friction(&batch->friction_impulse);
    if (i32x8_any(active)) return false;
    const struct affine rate = gap_rate(batch, a, b);
    for (int k = 0; k < batch->point_count; ++k)
        active |= (affine_value(&rate, &batch->points[k]) + batch->points[k].closing_limit < 0.0f) &
                  (batch->points[k].effective_mass > 0.0f);
    return !i32x8_any(active);
}

// One velocity iteration of a batch: friction, then normal impulses such that gap rate >= -closing_limit.
// Returns the largest change of a gap rate [m/s] per lane.
static f32x8 solve_batch(struct contact_batch *batch, bool backward, const struct solver_inverse_mass *mass,
                         struct solver_motion *v)
{
    struct motion_lanes a = gather_motion(v, batch->body_a), b = gather_motion(v, batch->body_b);
    const f32x8 zero = f32x8_splat(0.0f);
    f32x8 change = zero, normal_impulse = zero;
    for (int k = 0; k < batch->point_count; ++k) normal_impulse += batch->points[k].normal_impulse;
    if (is_inactive(batch, normal_impulse, &a, &b)) return zero;
    const struct mass_lanes ma = gather_mass(mass, batch->body_a), mb = gather_mass(mass, batch->body_b);
    solve_friction(batch, normal_impulse, &batch->friction_impulse, &ma, &mb, &a, &b);
    struct affine rate = gap_rate(batch, &a, &b), sum = {zero, zero, zero};
    i32x8 done = batch->points[0].effective_mass <= 0.0f;
    if (batch->point_count > 2) done |= solve_block(batch, &rate, &sum, &change);
    for (int m = 0; m < batch->point_count && i32x8_any(~done); ++m) {
        struct batch_point *point = &batch->points[backward ? batch->point_count - 1 - m : m];
        const f32x8 approach = affine_value(&rate, point) + point->closing_limit;
        const f32x8 impulse = f32x8_select(
                        done, point->normal_impulse,
                        f32x8_max(point->normal_impulse - point->effective_mass * approach, zero)),
                    more = impulse - point->normal_impulse;
        add_normal_impulse(batch, point, more, &rate, &sum);
        change = f32x8_max(change,
                           f32x8_select((more > zero) | (more < zero), f32x8_max(approach, -approach), zero));
        point->normal_impulse = impulse;
    }
    apply_normal_impulses(batch, &ma, &mb, &sum, &a, &b);
    scatter_motion(v, batch->body_a, &a);
    scatter_motion(v, batch->body_b, &b);
    return change;
}

static struct contact_residual solve_velocities(struct contact_batch *batch, int count,
                                                const struct contact_step *step, bool backward,
                                                const struct solver_inverse_mass *mass,
                                                struct solver_motion *v)
{
    struct contact_residual out = {0};
    for (int g = 0; g < count; ++g) {
        const f32x8 change = solve_batch(&batch[backward ? count - 1 - g : g], backward, mass, v);
        if (!i32x8_any(change > CHANGE_SMALL * step->gravity_speed)) continue;
        out.above_small += 1;
        out.above_medium += i32x8_any(change > CHANGE_MEDIUM * step->gravity_speed);
        out.above_large += i32x8_any(change > CHANGE_LARGE * step->gravity_speed);
    }
    return out;
}

// Position correction: displacements change, velocities do not, so the correction adds no kinetic energy.
// Penetration below the slop is not corrected: raising bodies by small amounts in every step makes towers
// sway until they fall. Also books the normal impulses of points that had an impact, for hit events.
static void correct_positions(struct contact_batch *batch, int count, const struct contact_step *step,
                              const struct solver_inverse_mass *mass, struct solver_motion *displacement)
{
    const f32x8 fraction = f32x8_splat(step->correction_fraction), limit = f32x8_splat(-step->max_correction),
                zero = f32x8_splat(0.0f);
    for (int g = 0; g < count; ++g, ++batch) {
        struct motion_lanes a = gather_motion(displacement, batch->body_a),
                            b = gather_motion(displacement, batch->body_b);
        struct affine gap_change = gap_rate(batch, &a, &b), sum = {zero, zero, zero};
        i32x8 corrected = zero > zero;
        for (int k = 0; k < batch->point_count; ++k) {
            struct batch_point *point = &batch->points[k];
            const f32x8 gap = batch->gap[k] + affine_value(&gap_change, point) + batch->slop;
            const i32x8 penetrating = (gap < zero) & (point->effective_mass > zero);
            batch->step_impulse[k] += point->normal_impulse;
            if (batch->had_impact)
                batch->impacts[k].total_impulse +=
                    f32x8_select(batch->impacts[k].max_speed > zero, point->normal_impulse, zero);
            if (!i32x8_any(penetrating)) continue;
            add_normal_impulse(
                batch, point,
                f32x8_select(penetrating, -point->effective_mass * f32x8_max(fraction * gap, limit), zero),
                &gap_change, &sum);
            corrected |= penetrating;
        }
        if (!i32x8_any(corrected)) continue;
        const struct mass_lanes ma = gather_mass(mass, batch->body_a), mb = gather_mass(mass, batch->body_b);
        apply_normal_impulses(batch, &ma, &mb, &sum, &a, &b);
        scatter_motion(displacement, batch->body_a, &a);
        scatter_motion(displacement, batch->body_b, &b);
    }
}

// ---- impacts ---------------------------------------------------------------------------------------

// Newton restitution at the true time of impact. With closing speed u, gap s and closing acceleration c the
// bodies meet at w = sqrt(u^2 + 2 c s), separate with e w, and reach the gap s again with the speed
//
//     sqrt(e^2 w^2 - 2 c s),
//
// which is applied now. A ball then rebounds to e^2 of its height, whatever the step.
static bool detect_batch_impacts(struct contact_batch *batch, float dt_step, float threshold,
                                 const struct solver_motion *displacement,
                                 const struct solver_motion *acceleration, const struct solver_motion *v)
{
    const struct motion_lanes ca = gather_motion(acceleration, batch->body_a),
                              cb = gather_motion(acceleration, batch->body_b),
                              a = gather_motion(v, batch->body_a), b = gather_motion(v, batch->body_b);
    const struct affine acceleration_rate = gap_rate(batch, &ca, &cb),
                        velocity_rate = gap_rate(batch, &a, &b);
    const f32x8 zero = f32x8_splat(0.0f), dt = f32x8_splat(dt_step), e = batch->restitution;
    f32x8 u[MANIFOLD_POINTS];
    i32x8 is_fast = zero > zero, has_rebound = is_fast;
    for (int k = 0; k < batch->point_count; ++k) { // v already contains the applied impulses of this step
        u[k] = dt * affine_value(&acceleration_rate, &batch->points[k]) -
               affine_value(&velocity_rate, &batch->points[k]);
        is_fast |= (u[k] > f32x8_splat(threshold)) & (batch->points[k].effective_mass > zero);
    }
    if (!i32x8_any(is_fast)) return false;
    const struct motion_lanes da = gather_motion(displacement, batch->body_a),
                              db = gather_motion(displacement, batch->body_b);
    const struct affine gap_change = gap_rate(batch, &da, &db);
    for (int k = 0; k < batch->point_count; ++k) {
        const struct batch_point *point = &batch->points[k];
        struct impact_point *impact = &batch->impacts[k];
        const f32x8 gap = f32x8_max(batch->gap[k] + affine_value(&gap_change, point), zero),
                    c = -affine_value(&acceleration_rate, point);
        const f32x8 impact_square = u[k] * u[k] + 2.0f * c * gap,
                    rebound_square = e * e * impact_square - 2.0f * c * gap;
        const i32x8 closes = (u[k] > f32x8_splat(threshold)) & (gap < 1.001f * dt * (u[k] + c * dt)) &
                             (point->effective_mass > zero);
        const i32x8 rebounds = closes & (rebound_square > zero) & (e > zero);
        impact->is_impact = f32x8_select(rebounds, f32x8_splat(1.0f), zero);
        impact->target_speed = f32x8_sqrt(f32x8_select(rebounds, rebound_square, zero)) - c * dt;
        impact->impulse = zero;
        impact->max_speed = f32x8_select(closes, f32x8_max(impact->max_speed, u[k]), impact->max_speed);
        batch->had_impact |= i32x8_any(closes);
        has_rebound |= rebounds;
    }
    batch->impact_friction = (struct friction_impulse){zero, zero, zero};
    return i32x8_any(has_rebound);
}

static bool detect_impacts(struct contact_batch *batch, int count, const struct contact_step *step,
                           float threshold, const struct solver_motion *displacement,
                           const struct solver_motion *acceleration, const struct solver_motion *v)
{
    bool found = false;
    for (int g = 0; g < count; ++g, ++batch) {
        i32x8 open =
            f32x8_splat(1.0f) < 0.0f; // points with a normal impulse are resting contacts, not impacts
        for (int k = 0; k < batch->point_count; ++k)
            open |= (batch->points[k].normal_impulse <= 0.0f) & (batch->points[k].effective_mass > 0.0f);
        batch->has_impact = i32x8_any(open) &&
                            detect_batch_impacts(batch, step->dt, threshold, displacement, acceleration, v);
        found |= batch->has_impact;
    }
    return found;
}

// Normal impulses and friction are solved in separate iterations: either alone reduces the energy, both
// together could increase it.
static void solve_impacts(struct contact_batch *batch, int count, const struct solver_inverse_mass *mass,
                          bool friction, struct solver_motion *v)
{
    const f32x8 zero = f32x8_splat(0.0f);
    for (int g = 0; g < count; ++g, ++batch) {
        if (!batch->has_impact) continue;
        const struct mass_lanes ma = gather_mass(mass, batch->body_a), mb = gather_mass(mass, batch->body_b);
        struct motion_lanes a = gather_motion(v, batch->body_a), b = gather_motion(v, batch->body_b);
        struct affine rate = gap_rate(batch, &a, &b), sum = {zero, zero, zero};
        f32x8 normal_impulse = zero;
        for (int k = 0; k < batch->point_count && !friction; ++k) {
            const struct batch_point *point = &batch->points[k];
            struct impact_point *impact = &batch->impacts[k];
            const f32x8 impulse =
                f32x8_max(impact->impulse + impact->is_impact * point->effective_mass *
                                                (impact->target_speed - affine_value(&rate, point)),
                          zero);
            add_normal_impulse(batch, point, impulse - impact->impulse, &rate, &sum);
            impact->total_impulse += impulse - impact->impulse;
            batch->step_impulse[k] += impulse - impact->impulse;
            impact->impulse = impulse;
        }
        apply_normal_impulses(batch, &ma, &mb, &sum, &a, &b);
        for (int k = 0; k < batch->point_count; ++k) normal_impulse += batch->impacts[k].impulse;
        if (friction) solve_friction(batch, normal_impulse, &batch->impact_friction, &ma, &mb, &a, &b);
        scatter_motion(v, batch->body_a, &a);
        scatter_motion(v, batch->body_b, &b);
    }
}

const struct contact_kernels KERNELS(contact_kernels) = {prepare_masses,    warm_start,     solve_velocities,
                                                         correct_positions, detect_impacts, solve_impacts};
