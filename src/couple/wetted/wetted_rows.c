// Integrals over the wetted surface of a hull: pressure, drag and lift, four triangles at a time.
//
// Only clusters that the surface cuts are processed triangle by triangle. A dry cluster contributes nothing,
// and the pressure on a submerged one is linear in the plane, with coefficients summed when the hull was
// made. Pressure on a triangle with depths d at its corners, p = rho g d being linear:
//
//     F = -rho g n A (d0+d1+d2)/3,   int d r dA = A/12 [(sum d)(sum r) + sum d_i r_i]
//
// In a triangle that the surface cuts, one corner is alone on its side. With the fractions t, u of its edges
// up to the surface, the triangle at that corner has the fraction t u of the area and the depths d, 0, 0.
// Either it is the wet part, or the rest of the triangle is.
//
// Drag and lift on wet facets, u the velocity of the hull through the water:
//
//     drag -1/2 rho C_D A_eff |u| u,   lift -1/2 rho C_L A_eff |u| (u x (n x u)/|n x u|),
//     A_eff = A max(0, omega n.u/|u| + 1 - omega)
//
// after [chentanez2010], without its cut at n.u = 0, which is discontinuous for faces parallel to the flow.
// Since u = v + w x r, the drag and its damping matrix follow from sums of k, k r and k r r^T.
//
// Submerged clusters that are nearly flat, rotate slowly and face the flow, or the wake, with all of their
// triangles count as one facet each, since A_eff is linear in the normal there.
//
// In double, so that forces on symmetric bodies cancel. Lanes are added in a fixed order.
#include "wetted_rows.h"

#include "base/parallel/simd.h"

#define MIN_SPEED 1e-9 // [m/s]
// A cluster counts as one facet up to these limits, for which the lift is accurate enough:
#define MAX_CONE_SINE  0.5  // sine of the largest angle between a normal and the mean normal
#define MAX_SPIN_RATIO 0.05 // differences of the velocity within the cluster over its speed

struct vec3x4 {
    f64x4 x, y, z;
};

static inline f64x4 mask_lanes(i64x4 where, f64x4 a) { return (f64x4)(where & (i64x4)a); }
static inline f64x4 select(i64x4 where, f64x4 a, f64x4 b)
{
    return (f64x4)((where & (i64x4)a) | (~where & (i64x4)b));
}
static inline struct vec3x4 select3(i64x4 where, struct vec3x4 a, struct vec3x4 b)
{
    return (struct vec3x4){select(where, a.x, b.x), select(where, a.y, b.y), select(where, a.z, b.z)};
}
static inline struct vec3x4 add(struct vec3x4 a, struct vec3x4 b)
{
    return (struct vec3x4){a.x + b.x, a.y + b.y, a.z + b.z};
}
static inline struct vec3x4 subtract(struct vec3x4 a, struct vec3x4 b)
{
    return (struct vec3x4){a.x - b.x, a.y - b.y, a.z - b.z};
}
static inline struct vec3x4 scale(struct vec3x4 a, f64x4 k)
{
    return (struct vec3x4){k * a.x, k * a.y, k * a.z};
}
static inline struct vec3x4 cross(struct vec3x4 a, struct vec3x4 b)
{
    return (struct vec3x4){a.y * b.z - a.z * b.y, a.z * b.x - a.x * b.z, a.x * b.y - a.y * b.x};
}
static inline f64x4 dot(struct vec3x4 a, struct vec3x4 b) { return a.x * b.x + a.y * b.y + a.z * b.z; }
static inline f64x4 sqrt_lanes(f64x4 a) { return (f64x4){sqrt(a[0]), sqrt(a[1]), sqrt(a[2]), sqrt(a[3])}; }
static inline bool any_lane(i64x4 where) { return (where[0] | where[1] | where[2] | where[3]) != 0; }
static inline double sum_lanes(f64x4 a) { return (a[0] + a[1]) + (a[2] + a[3]); }

// Four wet facets.
struct facet_lanes {
    struct vec3x4 normal, centroid;
    f64x4 area;
};

struct wetted_lanes {
    struct facet_lanes clusters; // that count as one facet each, collected until there are four
    int cluster_count;
    f64x4 k, kr[3], krr[6], lift[3], lift_torque[3];
    struct vec3x4 pressure, torque; // of triangles in cut clusters, without the factor -1/12
};

static inline void add_drag_and_lift(const struct hull_flow *s, const struct facet_lanes *f,
                                     struct wetted_lanes *to)
{
    const struct vec3x4 n = f->normal, r = f->centroid;
    const struct vec3x4 u = {s->velocity.x + s->angular_velocity.y * r.z - s->angular_velocity.z * r.y,
                             s->velocity.y + s->angular_velocity.z * r.x - s->angular_velocity.x * r.z,
                             s->velocity.z + s->angular_velocity.x * r.y - s->angular_velocity.y * r.x};
    const f64x4 speed = sqrt_lanes(dot(u, u));
    const f64x4 facing = s->drag_orientation * dot(n, u) + (1.0 - s->drag_orientation) * speed;
    const f64x4 swept_area = mask_lanes((speed > MIN_SPEED) & (facing > 0.0), f->area * facing); // A_eff |u|
    const f64x4 k = s->drag_factor * swept_area;
    const f64x4 kx = k * r.x, ky = k * r.y, kz = k * r.z;
    to->k += k;
    to->kr[0] += kx, to->kr[1] += ky, to->kr[2] += kz;
    to->krr[0] += kx * r.x, to->krr[1] += kx * r.y, to->krr[2] += kx * r.z;
    to->krr[3] += ky * r.y, to->krr[4] += ky * r.z, to->krr[5] += kz * r.z;
    if (!(s->lift_factor > 0.0)) return;

    const struct vec3x4 side = cross(n, u), lift_direction = cross(u, side);
    const f64x4 length = sqrt_lanes(dot(side, side));
    const f64x4 factor = mask_lanes(length > MIN_SPEED * speed, -s->lift_factor * swept_area / length);
    const struct vec3x4 force = {factor * lift_direction.x, factor * lift_direction.y,
                                 factor * lift_direction.z},
                        at = cross(r, force);
    to->lift[0] += force.x, to->lift[1] += force.y, to->lift[2] += force.z;
    to->lift_torque[0] += at.x, to->lift_torque[1] += at.y, to->lift_torque[2] += at.z;
}

// ---- gathering ------------------------------------------------------------------------------------

#define GATHER(p, member)  ((f64x4){p[0]->member, p[1]->member, p[2]->member, p[3]->member})
#define GATHER3(p, member) ((struct vec3x4){GATHER(p, member.x), GATHER(p, member.y), GATHER(p, member.z)})

// Four triangles from `first` on, or fewer before `end`; the other lanes have no area.
static inline struct facet_lanes load_facets(const struct trimesh *h, int first, int end,
                                             const struct facet *f[4])
{
    static const struct facet none;
    for (int l = 0; l < 4; ++l) f[l] = first + l < end ? &h->facets[first + l] : &none;
    return (struct facet_lanes){GATHER3(f, normal), {{0}, {0}, {0}}, GATHER(f, area)};
}

static inline struct vec3x4 load_vertices(const struct trimesh *h, int first, int end, int k)
{
    const vec3 *v[4];
    for (int l = 0; l < 4; ++l) v[l] = &h->vertices[h->triangles[first + l < end ? first + l : first][k]];
    return (struct vec3x4){GATHER(v, x), GATHER(v, y), GATHER(v, z)};
}

// ---- clipping -------------------------------------------------------------------------------------

// Pressure on triangles with depths d at corners r; reduces the facets `f` to their wet parts.
static inline void add_clipped_pressure(const struct vec3x4 r[3], const f64x4 d[3], struct facet_lanes *f,
                                        struct wetted_lanes *to)
{
    const i64x4 w0 = d[0] >= 0.0, w1 = d[1] >= 0.0, w2 = d[2] >= 0.0;
    const i64x4 mixed = (w0 ^ w1) | (w0 ^ w2), first = (w0 ^ w1) & (w0 ^ w2), second = (w1 ^ w0) & (w1 ^ w2);
    const struct vec3x4 corners = add(r[0], add(r[1], r[2]));
    const f64x4 depth = d[0] + d[1] + d[2], full = f->area;
    struct vec3x4 moment = scale(corners, depth);
    for (int k = 0; k < 3; ++k) moment = add(moment, scale(r[k], d[k]));
    f->centroid = scale(corners, (f64x4){0} + 1.0 / 3.0);
    if (!any_lane(mixed)) {
        f->area = mask_lanes(w0, full);
        to->pressure = add(to->pressure, scale(f->normal, 4.0 * f->area * depth));
        to->torque = add(to->torque, scale(cross(moment, f->normal), f->area));
        return;
    }
    // The lone corner k and the next ones, l and m.
    const f64x4 dk = select(first, d[0], select(second, d[1], d[2])),
                dl = select(first, d[1], select(second, d[2], d[0])),
                dm = select(first, d[2], select(second, d[0], d[1]));
    const struct vec3x4 rk = select3(first, r[0], select3(second, r[1], r[2])),
                        rl = select3(first, r[1], select3(second, r[2], r[0])),
                        rm = select3(first, r[2], select3(second, r[0], r[1]));
    const f64x4 to_l = dk - dl, to_m = dk - dm, per = dk / (to_l * to_m);
    const f64x4 t = mask_lanes(mixed, per * to_m),
                u = mask_lanes(mixed, per * to_l); // dk/(dk - dl), dk/(dk - dm)
    const i64x4 little = dk >= 0.0;                // it is the wet one
    const f64x4 factor = full * t * u, off = select(little, factor, -factor),
                whole = mask_lanes(~(mixed & little) & (mixed | w0), full);
    const struct vec3x4 edges = add(scale(subtract(rl, rk), t), scale(subtract(rm, rk), u));
    const struct vec3x4 there = add(rk, scale(edges, (f64x4){0} + 1.0 / 3.0));
    const struct vec3x4 moment_off = scale(add(edges, scale(rk, (f64x4){0} + 4.0)), off * dk);
    const f64x4 area = whole + off;
    const i64x4 some = area > 1e-12 * full; // else rounding
    to->pressure = add(to->pressure, scale(f->normal, 4.0 * (whole * depth + off * dk)));
    to->torque = add(to->torque, cross(add(scale(moment, whole), moment_off), f->normal));
    const struct vec3x4 sum_at = add(scale(f->centroid, whole), scale(there, off));
    f->centroid = select3(some, scale(sum_at, 1.0 / area), f->centroid);
    f->area = mask_lanes(some, area);
}

static void add_cut_cluster(const struct trimesh *h, const struct triangle_cluster *cluster,
                            const struct depth_plane *plane, const struct hull_flow *s,
                            struct wetted_lanes *to)
{
    const int end = cluster->first + cluster->count;
    for (int t = cluster->first; t < end; t += 4) {
        const struct vec3x4 r[3] = {load_vertices(h, t, end, 0), load_vertices(h, t, end, 1),
                                    load_vertices(h, t, end, 2)};
        f64x4 d[3];
        for (int k = 0; k < 3; ++k)
            d[k] = plane->offset +
                   (plane->gradient.x * r[k].x + plane->gradient.y * r[k].y + plane->gradient.z * r[k].z);
        if (!any_lane((d[0] >= 0.0) | (d[1] >= 0.0) | (d[2] >= 0.0))) continue;
        const struct facet *list[4];
        struct facet_lanes f = load_facets(h, t, end, list);
        add_clipped_pressure(r, d, &f, to);
        add_drag_and_lift(s, &f, to);
    }
}

static vec3 mat3_apply(const double m[3][3], vec3 v)
{
    return v3(m[0][0] * v.x + m[0][1] * v.y + m[0][2] * v.z, m[1][0] * v.x + m[1][1] * v.y + m[1][2] * v.z,
              m[2][0] * v.x + m[2][1] * v.y + m[2][2] * v.z);
}

// Whether all triangles of a submerged cluster have A_eff > 0 (1), all have none (-1), or neither is certain
// (0).
static int flow_facing(const struct triangle_cluster *cluster, const struct hull_flow *s)
{
    const vec3 u = v3_add(s->velocity, v3_cross(s->angular_velocity, cluster->centroid));
    const double speed = v3_length(u), turned = v3_length(s->angular_velocity) * v3_length(cluster->box_half);
    if (cluster->cone_sine > MAX_CONE_SINE || !(speed > MIN_SPEED) || turned > MAX_SPIN_RATIO * speed)
        return 0;
    // The angles between flow and normals differ from that of the mean normal by at most the half-angle of
    // the cone, widened for the rotation.
    const double cone_sine = fmin(1.0, cluster->cone_sine + MAX_SPIN_RATIO),
                 cone_cosine = sqrt(1.0 - cone_sine * cone_sine);
    const double cosine = v3_dot(cluster->cone_axis, u) / speed,
                 sine = sqrt(fmax(0.0, 1.0 - cosine * cosine));
    const double min_cosine = cosine > -cone_cosine ? cosine * cone_cosine - sine * cone_sine : -1.0;
    const double max_cosine = cosine < cone_cosine ? cosine * cone_cosine + sine * cone_sine : 1.0;
    if (s->drag_orientation * min_cosine + (1.0 - s->drag_orientation) > 0.0) return 1;
    return s->drag_orientation * max_cosine + (1.0 - s->drag_orientation) < 0.0 ? -1 : 0;
}

static void flush_clusters(const struct hull_flow *s, struct wetted_lanes *to)
{
    add_drag_and_lift(s, &to->clusters, to);
    to->clusters = (struct facet_lanes){0};
    to->cluster_count = 0;
}

static void queue_cluster(const struct triangle_cluster *cluster, const struct hull_flow *s,
                          struct wetted_lanes *to)
{
    struct facet_lanes *f = &to->clusters;
    const int l = to->cluster_count++;
    const double per = 1.0 / cluster->area; // shorter than 1, which is what makes the sum exact
    f->normal.x[l] = per * cluster->area_vector.x, f->normal.y[l] = per * cluster->area_vector.y,
    f->normal.z[l] = per * cluster->area_vector.z;
    f->centroid.x[l] = cluster->centroid.x, f->centroid.y[l] = cluster->centroid.y,
    f->centroid.z[l] = cluster->centroid.z;
    f->area[l] = cluster->area;
    if (to->cluster_count == 4) flush_clusters(s, to);
}

// A submerged cluster: with d = start + slope . r,  F = -int n d dA,  T = -int (r x n) d dA.
static void add_submerged_cluster(const struct trimesh *h, const struct triangle_cluster *cluster,
                                  const struct depth_plane *plane, const struct hull_flow *s,
                                  struct wetted_lanes *to, struct wetted_sums *out)
{
    const int end = cluster->first + cluster->count;
    out->pressure = v3_sub(out->pressure, v3_add(v3_scale(cluster->area_vector, plane->offset),
                                                 mat3_apply(cluster->normal_moment, plane->gradient)));
    out->pressure_torque =
        v3_sub(out->pressure_torque, v3_add(v3_scale(cluster->torque_vector, plane->offset),
                                            mat3_apply(cluster->torque_moment, plane->gradient)));
    const int facing = flow_facing(cluster, s);
    if (facing > 0) queue_cluster(cluster, s, to);
    for (int t = cluster->first; facing == 0 && t < end; t += 4) {
        const struct facet *list[4];
        struct facet_lanes f = load_facets(h, t, end, list);
        f.centroid = GATHER3(list, centroid);
        add_drag_and_lift(s, &f, to);
    }
}

static vec3 sum_lanes3(struct vec3x4 a) { return v3(sum_lanes(a.x), sum_lanes(a.y), sum_lanes(a.z)); }

static void integrate(const struct trimesh *h, const struct depth_plane *plane, const struct hull_flow *s,
                      struct wetted_sums *out)
{
    struct wetted_lanes t = {0};
    *out = (struct wetted_sums){0};
    for (int k = 0; k < h->cluster_count; ++k) {
        const struct triangle_cluster *cluster = &h->clusters[k];
        const vec3 half = cluster->box_half, slope = plane->gradient;
        const double depth = plane->offset + v3_dot(slope, cluster->box_centre);
        const double range = fabs(slope.x) * half.x + fabs(slope.y) * half.y + fabs(slope.z) * half.z;
        if (depth > range)
            add_submerged_cluster(h, cluster, plane, s, &t, out);
        else if (depth >= -range)
            add_cut_cluster(h, cluster, plane, s, &t);
    }
    if (t.cluster_count) flush_clusters(s, &t);
    out->pressure = v3_madd(out->pressure, -1.0 / 12.0, sum_lanes3(t.pressure));
    out->pressure_torque = v3_madd(out->pressure_torque, -1.0 / 12.0, sum_lanes3(t.torque));
    out->k = sum_lanes(t.k);
    for (int n = 0; n < 6; ++n) out->krr[n] = sum_lanes(t.krr[n]);
    for (int n = 0; n < 3; ++n)
        out->kr[n] = sum_lanes(t.kr[n]), out->lift[n] = sum_lanes(t.lift[n]),
        out->lift_torque[n] = sum_lanes(t.lift_torque[n]);
}

const struct wetted_kernels KERNELS(wetted_kernels) = {integrate};
