// What the queries of a world share: arguments, bodies that count, lists of hits.
#ifndef WORLD_QUERY_H
#define WORLD_QUERY_H

#include "body/collide/body_query.h"
#include "fluid/height_cast.h"
#include "world.h"

#define MAX_QUERY_COORDINATE 1e7 // [m]

static inline bool is_query_vector(tarn_vec3 p) // a NaN is not
{
    return fabs(p.x) <= MAX_QUERY_COORDINATE && fabs(p.y) <= MAX_QUERY_COORDINATE &&
           fabs(p.z) <= MAX_QUERY_COORDINATE;
}
bool is_query_pose(const tarn_pose *pose);

// The convex parts of a shape at a pose; a rotation of zero is none.
struct query_parts query_parts_of(const tarn_shape *shape, const tarn_pose *pose);

// `filter` NULL: all bodies that are no sensors.
struct body_query world_body_query(const tarn_world *w, const struct body_domain *domain,
                                   const tarn_query_filter *filter);

// Bits of the kinds that a cast looks for.
static inline uint32_t query_kinds(const tarn_query_filter *filter)
{
    return filter->kinds ? filter->kinds : TARN_HIT_BODY | TARN_HIT_BED | TARN_HIT_WALL;
}

// The nearest `capacity` hits in ascending order, and how many there are.
struct hit_list {
    const tarn_world *world;
    tarn_hit *hits;
    int capacity, count;
    bool nearest_only; // capacity 1: what lies farther need not be found
};

tarn_hit query_body_hit(const tarn_world *w, const struct body_hit *hit);
// Add a hit. Both return the fraction beyond which hits are of no interest.
double hit_list_add(struct hit_list *list, const tarn_hit *hit);
double hit_list_add_body(void *list, const struct body_hit *hit);
void hit_list_add_height(struct hit_list *list, tarn_hit_kind kind, const struct height_hit *hit);

// Several queries on the threads of the world: block() does first .. end-1 of them.
void query_in_blocks(const tarn_world *w, int count, void (*block)(void *context, int first, int end),
                     void *context);

#endif
