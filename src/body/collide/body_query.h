// Queries of all bodies: casts, overlaps, nearest points. They change nothing and may run on several threads.
#ifndef BODY_COLLIDE_BODY_QUERY_H
#define BODY_COLLIDE_BODY_QUERY_H

#include "body/collide/convex_cast.h"

struct bodies;

// Which bodies count: enabled ones that pass the filter.
struct body_query {
    const struct bodies *bodies;
    double period[2];  // [m] of the domain along x and z, 0: not periodic; images one period away count too
    int ignored_slot;  // -1: none
    uint64_t category; // 0, or bits of which a body's filter.mask must have one
    uint64_t mask;     // 0, or bits of which a body's filter.category must have one
    bool sensors;      // sensors count too
};

// Convex parts that are cast or tested, all of them within `radius` of `position`.
struct query_parts {
    const struct convex_part *parts; // relative to `position`
    int count;
    vec3 position; // [m]
    mat3 axes;
    double radius; // [m]
};

struct body_hit {
    int slot;
    int part; // convex part of the body
    struct convex_hit contact;
};

// Reports the first contact of each body, in no particular order, at most once for each periodic image.
// report() returns the fraction beyond which contacts are of no interest: 1 for all of them.
typedef double (*body_hit_fn)(void *context, const struct body_hit *hit);
void bodies_cast(const struct body_query *query, const struct query_parts *moving, vec3 translation,
                 body_hit_fn report, void *context);
void bodies_cast_point(const struct body_query *query, vec3 origin, vec3 translation, body_hit_fn report,
                       void *context);

// Calls report(context, slot) once for each body that overlaps the parts, in no particular order.
void bodies_overlap(const struct body_query *query, const struct query_parts *parts,
                    void (*report)(void *context, int slot), void *context);

// The body nearest to a point, at most `distance` [m] away; contact.fraction is the part of `distance`.
bool bodies_find_nearest(const struct body_query *query, vec3 point, double distance, struct body_hit *out);

// True if `hit` comes before `best`: it is nearer, or as near and of a lower slot or part.
bool body_hit_is_before(const struct body_hit *hit, const struct body_hit *best);

#endif
