// Contact manifold of two convex parts. The closest points give the normal. If a face is aligned with the
// normal, the other part's supporting feature is clipped to it (Sutherland-Hodgman [sutherland1974]) and the
// vertices of the result are the contact points; at most four are kept.
#include "body/collide/narrow_phase.h"

#define FACE_ALIGNED_COS 0.9962 // cos 5 deg: largest angle between face normal and contact normal
// Lateral offset, in units of the sum of both radii, up to which two nearly parallel cylinders touch along a
// line: the gap there exceeds the smallest one by 0.05^2 / 2 = 1.25e-3 of the radii.
#define MAX_EDGE_OFFSET 0.05
// Of the smaller radius: the clipped points, which persist between steps, are used alone as long as they
// miss the deepest point by no more than this.
#define MAX_DEPTH_LOSS     5e-4
#define MAX_BOX_DEPTH_LOSS 1e-2 // the same limit for two boxes

// ---- clipping --------------------------------------------------------------------------------------

// Clips a polygon, an edge or a point to the half-space n . x <= offset.
static int clip_polygon(const vec3 *in, int count, vec3 n, double offset, vec3 *out)
{
    int kept_count = 0;
    if (count == 1) {
        out[0] = in[0];
        return v3_dot(n, in[0]) <= offset;
    }
    const int edges = count == 2 ? 1 : count;
    for (int i = 0; i < edges; ++i) {
        const vec3 a = in[i], b = in[(i + 1) % count];
        const double da = v3_dot(n, a) - offset, db = v3_dot(n, b) - offset;
        if (da <= 0.0) out[kept_count++] = a;
        if ((da < 0.0 && db > 0.0) || (da > 0.0 && db < 0.0))
            out[kept_count++] = v3_madd(a, da / (da - db), v3_sub(b, a));
        if (count == 2 && db <= 0.0) out[kept_count++] = b;
        if (kept_count >= 2 * MAX_FACE_VERTICES - 2) break;
    }
    return kept_count;
}

// Clips `other` to the prism over `face` along a direction.
static int clip_to_face(const struct support_feature *face, const struct support_feature *other,
                        vec3 direction, vec3 *out)
{
    vec3 buffer[2 * MAX_FACE_VERTICES];
    vec3 *from = buffer, *to = out;
    int count = other->count;
    for (int i = 0; i < count; ++i) out[i] = other->points[i];
    for (int i = 0; i < face->count && count > 0; ++i) {
        const vec3 a = face->points[i], b = face->points[(i + 1) % face->count];
        const vec3 n = v3_cross(v3_sub(b, a), direction);
        vec3 *swap = from;
        from = to, to = swap;
        count = clip_polygon(from, count, n, v3_dot(n, a), to);
    }
    for (int i = 0; to != out && i < count; ++i) out[i] = to[i];
    return count;
}

// ---- reduction -------------------------------------------------------------------------------------

// Keeps the deepest point a, the point b farthest from a, and on either side of the line a-b the point that
// spans the largest triangle with a and b.
void manifold_reduce(const struct candidate_points *candidates, vec3 normal, struct manifold *out)
{
    int pick[MANIFOLD_POINTS] = {0};
    double best = INFINITY;
    out->count = imin(candidates->count, MANIFOLD_POINTS);
    out->normal = normal;
    if (candidates->count <= MANIFOLD_POINTS) {
        for (int i = 0; i < candidates->count; ++i) out->points[i] = candidates->points[i];
        return;
    }
    for (int i = 0; i < candidates->count; ++i) {
        const double gap = manifold_point_gap(&candidates->points[i], normal);
        if (gap < best) best = gap, pick[0] = i;
    }
    const vec3 a = candidates->points[pick[0]].on_a;
    best = -1.0;
    for (int i = 0; i < candidates->count; ++i) {
        const vec3 d = v3_sub(candidates->points[i].on_a, a);
        if (v3_dot(d, d) > best) best = v3_dot(d, d), pick[1] = i;
    }
    const vec3 b = candidates->points[pick[1]].on_a;
    double max_area = 0.0, min_area = 0.0;
    pick[2] = pick[3] = pick[0];
    for (int i = 0; i < candidates->count; ++i) {
        const vec3 c = candidates->points[i].on_a;
        const double area = v3_dot(v3_cross(v3_sub(b, a), v3_sub(c, a)), normal);
        if (area > max_area) max_area = area, pick[2] = i;
        if (area < min_area) min_area = area, pick[3] = i;
    }
    int count = 2;
    if (pick[2] != pick[0]) pick[count++] = pick[2];
    if (pick[3] != pick[0]) pick[count++] = pick[3];
    out->count = count;
    for (int i = 0; i < count; ++i) out->points[i] = candidates->points[pick[i]];
}

// ---- two parts -------------------------------------------------------------------------------------

// Contact points where `other` overlaps the face along the normal. `flip`: the face belongs to b.
static void clip_face_contact(const struct support_feature *face, const struct support_feature *other,
                              vec3 normal, bool flip, double margin, struct candidate_points *candidates)
{
    vec3 points[2 * MAX_FACE_VERTICES];
    const int count = clip_to_face(face, other, flip ? v3_scale(normal, -1.0) : normal, points);
    const double cosine = v3_dot(face->normal, normal), offset = v3_dot(face->normal, face->points[0]);
    for (int i = 0; i < count && candidates->count < 2 * MAX_FACE_VERTICES; ++i) {
        const double gap =
            (v3_dot(face->normal, points[i]) - offset) / cosine; // [m] along the contact normal
        const vec3 foot = v3_madd(points[i], -gap, normal);
        const double gap_ab = flip ? -gap : gap;
        if (gap_ab > margin) continue;
        candidates->points[candidates->count++] =
            flip ? (struct manifold_point){points[i], foot} : (struct manifold_point){foot, points[i]};
    }
}

static double max_ring_radius(const struct convex_part *p)
{
    double max_radius = 0.0;
    for (int i = 0; i < p->profile_count; ++i) max_radius = fmax(max_radius, p->profile[i].radius);
    return max_radius + p->rounding;
}

// Two nearly parallel edges: the two ends of their overlap, restricted to where their lateral offset,
// perpendicular to edge and normal, is at most `max_offset`.
static void clip_edge_contact(const struct support_feature *a, const struct support_feature *b, vec3 normal,
                              double max_offset, double margin, struct candidate_points *candidates)
{
    const vec3 edge_a = v3_sub(a->points[1], a->points[0]), edge_b = v3_sub(b->points[1], b->points[0]);
    const double length_a = v3_length(edge_a), length_b = v3_length(edge_b);
    if (!(length_a > 0.0 && length_b > 0.0) ||
        fabs(v3_dot(edge_a, edge_b)) < FACE_ALIGNED_COS * length_a * length_b)
        return;
    const vec3 u = v3_scale(edge_a, 1.0 / length_a), lateral = v3_cross(normal, u),
               delta = v3_sub(b->points[0], a->points[0]);
    const double start = v3_dot(delta, u), span = v3_dot(edge_b, u), offset = v3_dot(delta, lateral),
                 drift = v3_dot(edge_b, lateral);
    double lo = fmax(0.0, fmin(start, start + span)), hi = fmin(length_a, fmax(start, start + span));
    if (fabs(drift) > 1e-9 * length_b) {
        const double k = span / drift, s0 = start + k * (-max_offset - offset),
                     s1 = start + k * (max_offset - offset);
        lo = fmax(lo, fmin(s0, s1)), hi = fmin(hi, fmax(s0, s1));
    } else if (fabs(offset) > max_offset) {
        return;
    }
    for (int k = 0; k < 2 && lo < hi; ++k) {
        const double s = k ? hi : lo;
        const vec3 on_a = v3_madd(a->points[0], s, u),
                   on_b = v3_madd(b->points[0], (s - start) / span, edge_b);
        if (v3_dot(v3_sub(on_b, on_a), normal) <= margin)
            candidates->points[candidates->count++] = (struct manifold_point){on_a, on_b};
    }
}

static bool is_sphere(const struct convex_part *p)
{
    return p->profile_count == 1 && p->profile[0].radius == 0.0;
}

// Coordinates are relative to a's centre, so that no digits are lost far from the origin.
void find_closest_points(const struct convex_instance *a, const struct convex_instance *b, double max_gap,
                         struct closest_points *out)
{
    struct simplex s;
    struct convex_instance local_a = *a, local_b = *b;
    local_a.position = v3(0, 0, 0), local_b.position = v3_sub(b->position, a->position);
    if (!gjk_distance(&local_a, &local_b, max_gap, &s, out)) epa_penetration(&local_a, &local_b, &s, out);
    out->on_a = v3_add(out->on_a, a->position);
    out->on_b = v3_add(out->on_b, a->position);
}

// Clips the supporting features of both parts along the normal n.
static void collide_features(const struct convex_instance *a, const struct convex_instance *b, vec3 n,
                             double margin, struct candidate_points *candidates)
{
    struct support_feature feature_a, feature_b;
    if (is_sphere(a->part) || is_sphere(b->part)) return;
    convex_support_feature(a, n, &feature_a);
    convex_support_feature(b, v3_scale(n, -1.0), &feature_b);
    const double cos_a = feature_a.count > 2 ? v3_dot(feature_a.normal, n) : 0.0;
    const double cos_b = feature_b.count > 2 ? -v3_dot(feature_b.normal, n) : 0.0;
    if (cos_a >= FACE_ALIGNED_COS && cos_a >= cos_b - 1e-3)
        clip_face_contact(&feature_a, &feature_b, n, false, margin, candidates);
    else if (cos_b >= FACE_ALIGNED_COS)
        clip_face_contact(&feature_b, &feature_a, n, true, margin, candidates);
    else if (feature_a.count == 2 && feature_b.count == 2)
        clip_edge_contact(&feature_a, &feature_b, n,
                          MAX_EDGE_OFFSET * (max_ring_radius(a->part) + max_ring_radius(b->part)), margin,
                          candidates);
}

// True if the closest points are deeper than all candidates by more than `tolerance`. A face tilted by a few
// degrees, or a disc approximated by eight vertices, can miss the deepest point.
static bool misses_deepest_point(const struct candidate_points *candidates,
                                 const struct closest_points *closest, double tolerance)
{
    double min_gap = INFINITY;
    for (int i = 0; i < candidates->count; ++i)
        min_gap = fmin(min_gap, manifold_point_gap(&candidates->points[i], closest->normal));
    return min_gap > closest->gap + tolerance;
}

void collide_convex(const struct convex_instance *a, const struct convex_instance *b, double margin,
                    struct manifold *out)
{
    struct closest_points closest;
    struct candidate_points candidates = {0};
    const double ra = a->part->rounding, rb = b->part->rounding, core_margin = margin + ra + rb;
    const bool boxes = a->part->box_half.x > 0.0 && b->part->box_half.x > 0.0;
    bool has_points = false; // closest.on_a and closest.on_b are valid
    out->count = 0;
    if (boxes) {
        if (!sat_boxes(a, b, margin, &closest, &has_points)) return;
        collide_features(a, b, closest.normal, core_margin, &candidates);
    }
    const double min_radius = fmin(a->part->bounding_radius, b->part->bounding_radius);
    // Two boxes vertex to vertex or vertex beside face: the separating axes underestimate the distance.
    if (!boxes || (candidates.count == 0 && !has_points) ||
        (candidates.count > 0 &&
         misses_deepest_point(&candidates, &closest, MAX_BOX_DEPTH_LOSS * min_radius))) {
        find_closest_points(a, b, core_margin, &closest);
        if (closest.gap > core_margin) return;
        candidates.count = 0, has_points = true;
        collide_features(a, b, closest.normal, core_margin, &candidates);
    }
    if (has_points && misses_deepest_point(&candidates, &closest, MAX_DEPTH_LOSS * min_radius))
        candidates.points[candidates.count < 2 * MAX_FACE_VERTICES ? candidates.count++ : 0] =
            (struct manifold_point){closest.on_a, closest.on_b};
    for (int i = 0; i < candidates.count; ++i) {
        candidates.points[i].on_a = v3_madd(candidates.points[i].on_a, ra, closest.normal);
        candidates.points[i].on_b = v3_madd(candidates.points[i].on_b, -rb, closest.normal);
    }
    manifold_reduce(&candidates, closest.normal, out);
}

void collide_plane(const struct convex_instance *p, vec3 normal, double offset, double margin,
                   struct manifold *out)
{
    const vec3 down = v3_scale(normal, -1.0);
    const double rounding = p->part->rounding;
    struct candidate_points candidates = {0};
    struct support_feature feature;
    out->count = 0;
    const vec3 lowest = convex_support(p, down);
    if (v3_dot(lowest, normal) - offset - rounding > margin) return;
    convex_support_feature(p, down, &feature);
    bool has_lowest = false;
    for (int i = 0; i < feature.count; ++i) {
        const vec3 q = feature.points[i];
        const double gap = v3_dot(q, normal) - offset - rounding;
        if (gap > margin) continue;
        candidates.points[candidates.count++] =
            (struct manifold_point){v3_madd(q, -rounding, normal), v3_madd(q, -rounding - gap, normal)};
        has_lowest |= v3_dot(v3_sub(q, lowest), normal) <= 1e-9 * p->part->bounding_radius;
    }
    if (!has_lowest) {
        const double gap = v3_dot(lowest, normal) - offset - rounding;
        candidates.points[candidates.count++] = (struct manifold_point){
            v3_madd(lowest, -rounding, normal), v3_madd(lowest, -rounding - gap, normal)};
    }
    manifold_reduce(&candidates, down, out);
}
