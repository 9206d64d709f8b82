// Two pieces -> the points where they hold each other. The nearest points give the direction; where a side looks
// along it, what lies over that side is cut out of the other piece's side and each corner is a point.
#include "narrow_phase.h"

#define FACE_ALIGNED_COS \
    0.9962 // cosine of 5 degrees: a side that looks along the normal as good as this is touched as a side
#define MAX_EDGE_OFFSET \
    0.05 // of their radii: so far aside two cylinders are 1.25e-3 of them farther apart than where they cross
#define MAX_DEPTH_LOSS \
    5e-4 // of the smaller radius: depth that may be lost for the sake of spots that stay where they are
#define MAX_BOX_DEPTH_LOSS 1e-2 // likewise, of two boxes

// ---- cutting --------------------------------------------------------------------------------------

// Cut a polygon (or an edge, or a point) by the plane n . p <= offset.
static int clip_polygon(const vec3 *in, int count, vec3 n, double offset, vec3 *out)
{
    int kept = 0;
    if (count == 1) {
        out[0] = in[0];
        return v3_dot(n, in[0]) <= offset;
    }
    const int edges = count == 2 ? 1 : count;
    for (int i = 0; i < edges; ++i) {
        const vec3 a = in[i], b = in[(i + 1) % count];
        const double da = v3_dot(n, a) - offset, db = v3_dot(n, b) - offset;
        if (da <= 0.0) out[kept++] = a;
        if ((da < 0.0 && db > 0.0) || (da > 0.0 && db < 0.0))
            out[kept++] = v3_madd(a, da / (da - db), v3_sub(b, a));
        if (count == 2 && db <= 0.0) out[kept++] = b;
        if (kept >= 2 * MAX_FACE_VERTICES - 2) break;
    }
    return kept;
}

// What of `other` lies over `side`, seen along a way.
static int clip_to_face(const struct support_feature *side, const struct support_feature *other, vec3 way,
                        vec3 *out)
{
    vec3 spare[2 * MAX_FACE_VERTICES];
    vec3 *from = spare, *to = out;
    int count = other->count;
    for (int i = 0; i < count; ++i) out[i] = other->points[i];
    for (int i = 0; i < side->count && count > 0; ++i) {
        const vec3 a = side->points[i], b = side->points[(i + 1) % side->count];
        const vec3 n = v3_cross(v3_sub(b, a), way);
        vec3 *swap = from;
        from = to, to = swap;
        count = clip_polygon(from, count, n, v3_dot(n, a), to);
    }
    for (int i = 0; to != out && i < count; ++i) out[i] = to[i];
    return count;
}

// ---- choosing -------------------------------------------------------------------------------------

// The deepest; the one farthest from it; the one that makes the largest triangle with both; the one that adds most
// on the other side of an edge.
void manifold_reduce(const struct candidate_points *h, vec3 normal, struct manifold *out)
{
    int pick[MANIFOLD_POINTS] = {0};
    double best = INFINITY;
    out->count = imin(h->count, MANIFOLD_POINTS);
    out->normal = normal;
    if (h->count <= MANIFOLD_POINTS) {
        for (int i = 0; i < h->count; ++i) out->points[i] = h->points[i];
        return;
    }
    for (int i = 0; i < h->count; ++i) {
        const double gap = manifold_point_gap(&h->points[i], normal);
        if (gap < best) best = gap, pick[0] = i;
    }
    const vec3 a = h->points[pick[0]].on_a;
    best = -1.0;
    for (int i = 0; i < h->count; ++i) {
        const vec3 d = v3_sub(h->points[i].on_a, a);
        if (v3_dot(d, d) > best) best = v3_dot(d, d), pick[1] = i;
    }
    const vec3 b = h->points[pick[1]].on_a;
    double most = 0.0, least = 0.0;
    pick[2] = pick[3] = pick[0];
    for (int i = 0; i < h->count; ++i) { // the largest triangle on either side of the line from a to b
        const vec3 c = h->points[i].on_a;
        const double area = v3_dot(v3_cross(v3_sub(b, a), v3_sub(c, a)), normal);
        if (area > most) most = area, pick[2] = i;
        if (area < least) least = area, pick[3] = i;
    }
    int count = 2;
    if (pick[2] != pick[0]) pick[count++] = pick[2];
    if (pick[3] != pick[0]) pick[count++] = pick[3];
    out->count = count;
    for (int i = 0; i < count; ++i) out->points[i] = h->points[pick[i]];
}

// ---- two pieces -----------------------------------------------------------------------------------

// Points where `other` lies over the side of one of them. `flip`: the side is b's.
static void clip_face_contact(const struct support_feature *side, const struct support_feature *other,
                              vec3 normal, bool flip, double reach, struct candidate_points *h)
{
    vec3 points[2 * MAX_FACE_VERTICES];
    const int count = clip_to_face(side, other, flip ? v3_scale(normal, -1.0) : normal, points);
    const double steep = v3_dot(side->normal, normal), offset = v3_dot(side->normal, side->points[0]);
    for (int i = 0; i < count && h->count < 2 * MAX_FACE_VERTICES; ++i) {
        const double gap = (v3_dot(side->normal, points[i]) - offset) / steep; // along the normal
        const vec3 foot = v3_madd(points[i], -gap, normal);
        const double real = flip ? -gap : gap;
        if (real > reach) continue;
        h->points[h->count++] =
            flip ? (struct manifold_point){points[i], foot} : (struct manifold_point){foot, points[i]};
    }
}

static double max_ring_radius(const struct convex_part *p)
{
    double widest = 0.0;
    for (int i = 0; i < p->profile_count; ++i) widest = fmax(widest, p->profile[i].radius);
    return widest + p->rounding;
}

// Two edges that run along each other: the ends of the stretch that both have, as far as they are not more than
// `aside` from each other across the normal.
static void clip_edge_contact(const struct support_feature *a, const struct support_feature *b, vec3 normal,
                              double aside, double reach, struct candidate_points *h)
{
    const vec3 da = v3_sub(a->points[1], a->points[0]), db = v3_sub(b->points[1], b->points[0]);
    const double la = v3_length(da), lb = v3_length(db);
    if (!(la > 0.0 && lb > 0.0) || fabs(v3_dot(da, db)) < FACE_ALIGNED_COS * la * lb) return;
    const vec3 u = v3_scale(da, 1.0 / la), w = v3_cross(normal, u), to = v3_sub(b->points[0], a->points[0]);
    const double start = v3_dot(to, u), span = v3_dot(db, u), off = v3_dot(to, w), drift = v3_dot(db, w);
    double lo = fmax(0.0, fmin(start, start + span)), hi = fmin(la, fmax(start, start + span));
    if (fabs(drift) > 1e-9 * lb) {
        const double k = span / drift, s0 = start + k * (-aside - off), s1 = start + k * (aside - off);
        lo = fmax(lo, fmin(s0, s1)), hi = fmin(hi, fmax(s0, s1));
    } else if (fabs(off) > aside) {
        return;
    }
    for (int k = 0; k < 2 && lo < hi; ++k) {
        const double s = k ? hi : lo;
        const vec3 on_a = v3_madd(a->points[0], s, u), on_b = v3_madd(b->points[0], (s - start) / span, db);
        if (v3_dot(v3_sub(on_b, on_a), normal) <= reach)
            h->points[h->count++] = (struct manifold_point){on_a, on_b};
    }
}

static bool is_sphere(const struct convex_part *p)
{
    return p->profile_count == 1 && p->profile[0].radius == 0.0;
}

// Seen from a, so that far from the origin no digits are lost.
void find_closest_points(const struct convex_instance *a, const struct convex_instance *b, double enough,
                         struct closest_points *out)
{
    struct simplex s;
    struct convex_instance here = *a, there = *b;
    here.position = v3(0, 0, 0), there.position = v3_sub(b->position, a->position);
    if (!gjk_distance(&here, &there, enough, &s, out)) epa_penetration(&here, &there, &s, out);
    out->on_a = v3_add(out->on_a, a->position);
    out->on_b = v3_add(out->on_b, a->position);
}

// The sides and edges of both that look along the normal.
static void collide_features(const struct convex_instance *a, const struct convex_instance *b, vec3 n,
                             double reach, struct candidate_points *h)
{
    struct support_feature pa, pb;
    if (is_sphere(a->part) || is_sphere(b->part)) return;
    convex_support_feature(a, n, &pa);
    convex_support_feature(b, v3_scale(n, -1.0), &pb);
    const double flat_a = pa.count > 2 ? v3_dot(pa.normal, n) : 0.0;
    const double flat_b = pb.count > 2 ? -v3_dot(pb.normal, n) : 0.0;
    if (flat_a >= FACE_ALIGNED_COS && flat_a >= flat_b - 1e-3)
        clip_face_contact(&pa, &pb, n, false, reach, h);
    else if (flat_b >= FACE_ALIGNED_COS)
        clip_face_contact(&pb, &pa, n, true, reach, h);
    else if (pa.count == 2 && pb.count == 2)
        clip_edge_contact(&pa, &pb, n,
                          MAX_EDGE_OFFSET * (max_ring_radius(a->part) + max_ring_radius(b->part)), reach, h);
}

// Are the nearest points deeper than all spots? A side that is a few degrees off, or a circle that stands as eight
// corners, can lose them.
static bool misses_deepest_point(const struct candidate_points *h, const struct closest_points *near,
                                 double most)
{
    double least = INFINITY;
    for (int i = 0; i < h->count; ++i) least = fmin(least, manifold_point_gap(&h->points[i], near->normal));
    return least > near->gap + most;
}

void collide_convex(const struct convex_instance *a, const struct convex_instance *b, double reach,
                    struct manifold *out)
{
    struct closest_points near;
    struct candidate_points h = {0};
    const double ra = a->part->rounding, rb = b->part->rounding, most = reach + ra + rb;
    const bool boxes = a->part->box_half.x > 0.0 && b->part->box_half.x > 0.0;
    bool known = false; // where they are nearest
    out->count = 0;
    if (boxes) {
        if (!sat_boxes(a, b, reach, &near, &known)) return;
        collide_features(a, b, near.normal, most, &h);
    }
    const double size = fmin(a->part->bounding_radius, b->part->bounding_radius);
    // Beside a side and corner to corner, sides and edges of boxes do not tell how far they are apart.
    if (!boxes || (h.count == 0 && !known) ||
        (h.count > 0 && misses_deepest_point(&h, &near, MAX_BOX_DEPTH_LOSS * size))) {
        find_closest_points(a, b, most, &near);
        if (near.gap > most) return;
        h.count = 0, known = true;
        collide_features(a, b, near.normal, most, &h);
    }
    if (known && misses_deepest_point(&h, &near, MAX_DEPTH_LOSS * size))
        h.points[h.count < 2 * MAX_FACE_VERTICES ? h.count++ : 0] =
            (struct manifold_point){near.on_a, near.on_b};
    for (int i = 0; i < h.count; ++i) {
        h.points[i].on_a = v3_madd(h.points[i].on_a, ra, near.normal);
        h.points[i].on_b = v3_madd(h.points[i].on_b, -rb, near.normal);
    }
    manifold_reduce(&h, near.normal, out);
}

void collide_plane(const struct convex_instance *p, vec3 normal, double offset, double reach,
                   struct manifold *out)
{
    const vec3 down = v3_scale(normal, -1.0);
    const double round = p->part->rounding;
    struct candidate_points h = {0};
    struct support_feature patch;
    out->count = 0;
    const vec3 lowest = convex_support(p, down);
    if (v3_dot(lowest, normal) - offset - round > reach) return;
    convex_support_feature(p, down, &patch);
    bool has_lowest = false;
    for (int i = 0; i < patch.count; ++i) {
        const vec3 q = patch.points[i];
        const double gap = v3_dot(q, normal) - offset - round;
        if (gap > reach) continue;
        h.points[h.count++] =
            (struct manifold_point){v3_madd(q, -round, normal), v3_madd(q, -round - gap, normal)};
        has_lowest |= v3_dot(v3_sub(q, lowest), normal) <= 1e-9 * p->part->bounding_radius;
    }
    if (!has_lowest) {
        const double gap = v3_dot(lowest, normal) - offset - round;
        h.points[h.count++] =
            (struct manifold_point){v3_madd(lowest, -round, normal), v3_madd(lowest, -round - gap, normal)};
    }
    manifold_reduce(&h, down, out);
}
