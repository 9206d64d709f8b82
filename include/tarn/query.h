/// @file query.h
/// Questions that change nothing: rays, overlaps, nearest points, water at many points. Any number of threads
/// may ask at once between steps, with the same answers for any number of threads; in a world with a task
/// system of the host, that system must accept calls from several threads for tarn_world_cast_rays() to do so.
#ifndef TARN_QUERY_H
#define TARN_QUERY_H

#include "fluid.h"
#include "id.h"
#include "vec.h"

#ifdef __cplusplus
extern "C" {
#endif

// ---- rays ------------------------------------------------------------------------------------------

/// What was hit; also bits of tarn_query_filter.kinds.
typedef enum tarn_hit_kind {
    TARN_HIT_NONE = 0,
    TARN_HIT_BODY = 1,
    TARN_HIT_BED = 2, ///< the ground, from above
    TARN_HIT_WALL =
        4, ///< a wall at the edge of the domain, from inside; in a planar world floor and ceiling too
    TARN_HIT_WATER = 8 ///< the surface of wet cells, from either side
} tarn_hit_kind;

/// What counts. Zero: bodies, ground and walls.
typedef struct tarn_query_filter {
    uint32_t kinds;      ///< tarn_hit_kind bits; 0: body, bed and wall
    tarn_body_id ignore; ///< a body that does not count; zero: none
} tarn_query_filter;

/// A straight line from a point, and what it may hit.
typedef struct tarn_ray {
    tarn_vec3 origin;      ///< [m] each coordinate within 1e7
    tarn_vec3 translation; ///< [m] from the origin to the end, likewise
    tarn_query_filter filter;
} tarn_ray;

/// What a ray or a search found.
typedef struct tarn_hit {
    tarn_hit_kind kind; ///< TARN_HIT_NONE: nothing was hit, and the rest is 0
    int part;           ///< convex part of the body: shapes that are not convex have several
    tarn_body_id body;  ///< zero unless a body was hit
    tarn_vec3 point;    ///< [m]
    tarn_vec3 normal;   ///< unit, out of what was hit, of water upwards; zero if the ray starts inside
    double fraction;    ///< [-] 0 .. 1 of the translation
} tarn_hit;

/// The nearest hit of a ray. Bodies are the convex parts that they collide with: an open hull can be entered,
/// a mesh is its convex parts. Of periodic domains the images of bodies one period away count too.
/// @return TARN_OK, whether something was hit or not; TARN_BAD_ARGUMENT (a coordinate beyond 1e7 m or not finite)
TARN_API tarn_result tarn_world_cast_ray(const tarn_world *world, const tarn_ray *ray, tarn_hit *out);

/// The nearest hit of each ray: lidar, sonar, bullets. Runs on the threads of the world, or on those of the
/// caller if they are busy.
/// @return TARN_OK; TARN_BAD_ARGUMENT (the first bad ray ends nothing else: its hit is zero)
TARN_API tarn_result tarn_world_cast_rays(const tarn_world *world, int count, const tarn_ray *rays,
                                          tarn_hit *out);

/// All hits of a ray, nearest first, at most one for each body (and each of its periodic images), for ground,
/// walls and water the first. @return how many there are, whatever the capacity; 0 for a bad argument
TARN_API int tarn_world_cast_ray_all(const tarn_world *world, const tarn_ray *ray, tarn_hit *out,
                                     int capacity);

// ---- overlaps and nearest points ---------------------------------------------------------------------

/// Bodies that overlap a box, or contain a point, lowest slot first. Touching counts. `filter` NULL: all.
/// @return how many there are, whatever the capacity; 0 for a bad argument
TARN_API int tarn_world_overlap_box(const tarn_world *world, const tarn_aabb *box,
                                    const tarn_query_filter *filter, tarn_body_id *out, int capacity);
TARN_API int tarn_world_overlap_point(const tarn_world *world, tarn_vec3 point,
                                      const tarn_query_filter *filter, tarn_body_id *out, int capacity);

/// The nearest point of any body within `distance` [m]; hit.fraction is the part of `distance`. A point inside a
/// body is its own nearest point, with a normal of zero.
/// @param distance  [m] above 0, at most 1e7
/// @return TARN_OK, whether there is one or not; TARN_BAD_ARGUMENT
TARN_API tarn_result tarn_world_find_nearest(const tarn_world *world, tarn_vec3 point, double distance,
                                             const tarn_query_filter *filter, tarn_hit *out);

// ---- water and fluid -------------------------------------------------------------------------------------

/// Points and what is wanted there. Begin with zero, set count, x and z and the outputs that are wanted; NULL ones
/// are not written.
///     tarn_water_query q = {.count = n, .x = x, .z = z, .height = h};
typedef struct tarn_water_query {
    int count;       ///< of points
    int stride;      ///< in x, y and z, from one point to the next, in doubles; 0: 1. Arrays of tarn_vec3: 3
    const double *x; ///< [m]
    const double *z; ///< [m]
    const double *y; ///< [m] of the points, for pressure and velocity; NULL: at the surface
    double *height;  ///< [m] out: y of the surface; of dry land, of the ground; 0 outside the domain
    double *depth;   ///< [m] out: of the column; 0 where it is dry
    double
        *pressure; ///< [Pa] out: hydrostatic, beyond that of the air; 0 above the surface and where it is dry
    tarn_vec3 *normal; ///< out: of the surface, unit, up; 0 outside the domain
    tarn_vec3
        *velocity; ///< [m/s] out: of the water. The vertical component falls linearly from the surface to
                   ///< the bed, along which the water flows; above the surface that of the surface
    uint8_t *wet;  ///< out: 1; 0 on dry land and outside the domain
} tarn_water_query;

/// @return TARN_OK; TARN_BAD_ARGUMENT, also in a planar world: nothing is written
TARN_API tarn_result tarn_world_query_water(const tarn_world *world, const tarn_water_query *query);

/// tarn_flow_get_sample() at many points. @return TARN_OK; TARN_BAD_ARGUMENT, also in a world of height fields
TARN_API tarn_result tarn_world_query_flow(const tarn_world *world, int count, const double *x,
                                           const double *y, tarn_flow_sample *out);

#ifdef __cplusplus
}
#endif
#endif
