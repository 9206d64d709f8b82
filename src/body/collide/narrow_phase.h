// Narrow phase: contact manifolds of two convex parts.
//
//   support.c   support function and supporting feature of a convex part
//   gjk.c       distance of two disjoint cores        epa.c       penetration depth of two overlapping cores
//   box_box.c   separating-axis test of two boxes     manifold.c  clipping and reduction to four points
//
// The core of a part is its polytope or solid of revolution without the rounding radius. GJK and EPA work on
// the cores; the rounding is added afterwards, so that spheres and capsules rarely need EPA.
#ifndef BODY_COLLIDE_NARROW_PHASE_H
#define BODY_COLLIDE_NARROW_PHASE_H

#include "body/shape/shape.h"

// A convex part at its place in the world.
struct convex_instance {
    const struct convex_part *part;
    vec3 position; // [m]
    mat3 axes;     // columns: the part's axes in world coordinates
};
struct convex_instance convex_place(const struct convex_part *part, vec3 body_position,
                                    const mat3 *body_axes);

// Support function of the core: the point x that maximises direction . x. The direction need not be unit.
vec3 convex_support(const struct convex_instance *p, vec3 direction);

// Supporting feature of the core: the face, edge or vertex whose normal is nearest to a direction.
struct support_feature {
    int count; // 1: vertex, 2: edge, more: face, counter-clockwise seen from outside
    vec3 points[MAX_FACE_VERTICES];
    vec3 normal; // unit; defined for faces only
};
void convex_support_feature(const struct convex_instance *p, vec3 direction, struct support_feature *out);

// ---- two cores -------------------------------------------------------------------------------------

static inline double core_radius(const struct convex_instance *p)
{
    return p->part->bounding_radius - p->part->rounding;
}

// A vertex of the Minkowski difference A - B: w = a - b with a point a of A and a point b of B.
struct simplex_vertex {
    vec3 w, a, b;
};
struct simplex {
    int count;
    struct simplex_vertex vertices[4];
    double weights[4]; // barycentric coordinates of the point closest to the origin
};

struct simplex_vertex minkowski_support(const struct convex_instance *a, const struct convex_instance *b,
                                        vec3 direction);

// Closest points of two cores, or the points of deepest penetration.
struct closest_points {
    vec3 normal; // unit, from a to b
    double gap;  // [m] distance of the cores; negative: minus the penetration depth
    vec3 on_a, on_b;
};

// Distance of two cores. Returns false if they overlap, or are so close that rounding decides the direction;
// `s` is then the simplex that contains the origin. Stops early once the gap exceeds `max_gap`; out->gap is
// then a lower bound.
bool gjk_distance(const struct convex_instance *a, const struct convex_instance *b, double max_gap,
                  struct simplex *s, struct closest_points *out);

// Penetration depth and direction, starting from the simplex that gjk_distance() left.
void epa_penetration(const struct convex_instance *a, const struct convex_instance *b,
                     const struct simplex *s, struct closest_points *out);

// GJK, then EPA if the cores overlap. A gap above `max_gap` is a lower bound.
void find_closest_points(const struct convex_instance *a, const struct convex_instance *b, double max_gap,
                         struct closest_points *out);

// ---- manifolds -------------------------------------------------------------------------------------

#define MANIFOLD_POINTS 4

struct manifold_point {
    vec3 on_a, on_b; // [m] on the surfaces of the rounded parts
};

struct manifold {
    int count;   // 0: farther apart than the margin
    vec3 normal; // unit, from a to b
    struct manifold_point points[MANIFOLD_POINTS];
};

static inline double manifold_point_gap(const struct manifold_point *p, vec3 normal)
{
    return v3_dot(v3_sub(p->on_b, p->on_a), normal);
}

// Manifold of two convex parts whose gap is below `margin`.
void collide_convex(const struct convex_instance *a, const struct convex_instance *b, double margin,
                    struct manifold *out);

// Normal and gap of two boxes by the separating-axis test. Returns false if the gap exceeds `margin`. Sets
// `edges_cross` and fills in the closest points only if the normal is perpendicular to two edges that cross.
bool sat_boxes(const struct convex_instance *a, const struct convex_instance *b, double margin,
               struct closest_points *out, bool *edges_cross);

// Manifold of a convex part and the half-space normal . x <= offset, whose normal points to the part. In the
// manifold the part is a, so the manifold's normal points from the part into the half-space.
void collide_plane(const struct convex_instance *p, vec3 normal, double offset, double margin,
                   struct manifold *out);

// Selects at most MANIFOLD_POINTS of the candidates, such that they span a large area and contain the
// deepest one.
struct candidate_points {
    int count;
    struct manifold_point points[2 * MAX_FACE_VERTICES];
};
void manifold_reduce(const struct candidate_points *candidates, vec3 normal, struct manifold *out);

#endif
