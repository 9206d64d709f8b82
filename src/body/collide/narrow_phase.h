// How two convex pieces touch.
//
//   support.c   the farthest point of a piece, and its side that looks a given way
//   gjk.c       distance of two cores that are apart      epa.c  the way out of each other if they are not
//   boxes.c     the same for two boxes, faster            manifold.c  two sides -> up to four points
#ifndef BODY_TOUCH_H
#define BODY_TOUCH_H

#include "body/shape/shape.h"

// A piece where it is.
struct convex_instance {
    const struct convex_part *part;
    vec3 position; // [m]
    mat3 axes;     // columns: the piece's axes in the world
};
struct convex_instance convex_place(const struct convex_part *p, vec3 at, const mat3 *axes);

vec3 convex_support(const struct convex_instance *p,
                    vec3 way); // farthest point of the core; `way` need not be unit

// The part of the core's surface that looks most along a way: a side, an edge or a point.
struct support_feature {
    int count; // 1: a point, 2: an edge, more: a side, counter-clockwise from outside
    vec3 points[MAX_FACE_VERTICES];
    vec3 normal; // unit, of a side
};
void convex_support_feature(const struct convex_instance *p, vec3 way, struct support_feature *out);

// ---- two cores --------------------------------------------------------------------------------------

static inline double core_radius(const struct convex_instance *p)
{
    return p->part->bounding_radius - p->part->rounding;
}

// A point of the difference a - b, and where it comes from.
struct simplex_vertex {
    vec3 w, a, b;
};
struct simplex {
    int count;
    struct simplex_vertex vertices[4];
    double weights[4]; // of the point nearest to the origin
};

struct simplex_vertex minkowski_support(const struct convex_instance *a, const struct convex_instance *b,
                                        vec3 way);

// Where two cores are nearest.
struct closest_points {
    vec3 normal; // unit, from a to b
    double gap;  // [m] between the cores; negative: how deep they are in each other
    vec3 on_a, on_b;
};

// Distance of two cores. False if they overlap, or are so near that the direction is lost: then the simplex that
// holds the origin is in `s`. Stops early, with a lower bound as the gap, once it is sure to be above `enough`.
bool gjk_distance(const struct convex_instance *a, const struct convex_instance *b, double enough,
                  struct simplex *s, struct closest_points *out);

// The shortest way out of each other, from a simplex of gjk_distance.
void epa_penetration(const struct convex_instance *a, const struct convex_instance *b,
                     const struct simplex *s, struct closest_points *out);

// Both of them: distance or depth, or a gap above `enough`.
void find_closest_points(const struct convex_instance *a, const struct convex_instance *b, double enough,
                         struct closest_points *out);

// ---- manifolds --------------------------------------------------------------------------------------

#define MANIFOLD_POINTS 4

struct manifold_point {
    vec3 on_a, on_b; // [m] on the surfaces, rounding included
};

struct manifold {
    int count;   // 0: they do not come near
    vec3 normal; // unit, from a to b
    struct manifold_point points[MANIFOLD_POINTS];
};

static inline double manifold_point_gap(const struct manifold_point *p, vec3 normal)
{
    return v3_dot(v3_sub(p->on_b, p->on_a), normal);
}

// Where two pieces touch or are nearer than `reach`.
void collide_convex(const struct convex_instance *a, const struct convex_instance *b, double reach,
                    struct manifold *out);

// The direction and distance of two boxes whose half edges are known. False if farther apart than `reach`. The points
// are filled in only if two edges cross there.
bool sat_boxes(const struct convex_instance *a, const struct convex_instance *b, double reach,
               struct closest_points *out, bool *cross);

// Where a piece touches the plane normal . p = offset or is nearer than `reach`; the normal leads to the piece.
// In the manifold it is the piece that is a, and the normal leads from it to the plane.
void collide_plane(const struct convex_instance *p, vec3 normal, double offset, double reach,
                   struct manifold *out);

// Four spots of many that hold a body as well as all.
struct candidate_points {
    int count;
    struct manifold_point points[2 * MAX_FACE_VERTICES];
};
void manifold_reduce(const struct candidate_points *h, vec3 normal, struct manifold *out);

#endif
