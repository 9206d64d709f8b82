// How two convex pieces touch.
//
//   support.c   the farthest point of a piece, and its side that looks a given way
//   gjk.c       distance of two cores that are apart      epa.c  the way out of each other if they are not
//   boxes.c     the same for two boxes, faster            manifold.c  two sides -> up to four points
#ifndef BODY_TOUCH_H
#define BODY_TOUCH_H

#include "shape.h"

// A piece where it is.
struct placed {
    const struct piece *piece;
    vec3 at;   // [m]
    mat3 axes; // columns: the piece's axes in the world
};
struct placed piece_placed(const struct piece *p, vec3 at, const mat3 *axes);

vec3 piece_support(const struct placed *p, vec3 way); // farthest point of the core; `way` need not be unit

// The part of the core's surface that looks most along a way: a side, an edge or a point.
struct patch {
    int count; // 1: a point, 2: an edge, more: a side, counter-clockwise from outside
    vec3 points[SIDE_CORNERS];
    vec3 normal; // unit, of a side
};
void piece_patch(const struct placed *p, vec3 way, struct patch *out);

// ---- two cores --------------------------------------------------------------------------------------

static inline double core_radius(const struct placed *p) { return p->piece->radius - p->piece->round; }

// A point of the difference a - b, and where it comes from.
struct tip {
    vec3 w, a, b;
};
struct simplex {
    int count;
    struct tip tips[4];
    double weights[4]; // of the point nearest to the origin
};

struct tip tip_of(const struct placed *a, const struct placed *b, vec3 way);

// Where two cores are nearest.
struct nearest {
    vec3 normal; // unit, from a to b
    double gap;  // [m] between the cores; negative: how deep they are in each other
    vec3 on_a, on_b;
};

// Distance of two cores. False if they overlap, or are so near that the direction is lost: then the simplex that
// holds the origin is in `s`. Stops early, with a lower bound as the gap, once it is sure to be above `enough`.
bool gjk_distance(const struct placed *a, const struct placed *b, double enough, struct simplex *s,
                  struct nearest *out);

// The shortest way out of each other, from a simplex of gjk_distance.
void epa_depth(const struct placed *a, const struct placed *b, const struct simplex *s, struct nearest *out);

// Both of them: distance or depth, or a gap above `enough`.
void find_nearest(const struct placed *a, const struct placed *b, double enough, struct nearest *out);

// ---- manifolds --------------------------------------------------------------------------------------

#define SPOTS 4

struct spot {
    vec3 on_a, on_b; // [m] on the surfaces, rounding included
};

struct manifold {
    int count;   // 0: they do not come near
    vec3 normal; // unit, from a to b
    struct spot spots[SPOTS];
};

static inline double spot_gap(const struct spot *s, vec3 normal)
{
    return v3_dot(v3_sub(s->on_b, s->on_a), normal);
}

// Where two pieces touch or are nearer than `reach`.
void touch_pieces(const struct placed *a, const struct placed *b, double reach, struct manifold *out);

// The direction and distance of two boxes whose half edges are known. False if farther apart than `reach`. The points
// are filled in only if two edges cross there.
bool touch_boxes(const struct placed *a, const struct placed *b, double reach, struct nearest *out,
                 bool *cross);

// Where a piece touches the plane normal . p = offset or is nearer than `reach`; the normal leads to the piece.
// In the manifold it is the piece that is a, and the normal leads from it to the plane.
void touch_plane(const struct placed *p, vec3 normal, double offset, double reach, struct manifold *out);

// Four spots of many that hold a body as well as all.
struct heap {
    int count;
    struct spot spots[2 * SIDE_CORNERS];
};
void heap_reduce(const struct heap *h, vec3 normal, struct manifold *out);

#endif
