/// @file query.h
/// Questions that change nothing: rays, casts of shapes, overlaps, nearest points, water at many points.
/// Any number of threads may ask at once between steps, with the same answers for any number of threads; in
/// a world with a task system of the host, that system must accept calls from several threads for
/// tarn_world_cast_rays() and tarn_world_cast_shapes() to do so.
#ifndef TARN_QUERY_H
#define TARN_QUERY_H

#include "fluid.h"
#include "id.h"
#include "shape.h"

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
        4, ///< a wall of the domain, from inside; in a planar world floor and ceiling too, but not
           ///< its obstacles, which no query meets
    TARN_HIT_WATER = 8 ///< the surface of wet cells, from either side
} tarn_hit_kind;

/// What counts. Zero: bodies that are no sensors, ground and walls. Bodies that are not enabled never count.
typedef struct tarn_query_filter {
    uint32_t kinds;      ///< tarn_hit_kind bits; 0: body, bed and wall
    tarn_body_id ignore; ///< a body that does not count; zero: none
    uint64_t mask;       ///< 0, or bits of which the filter.category of a body must have one
    uint64_t category;   ///< 0, or bits of which the filter.mask of a body must have one: what the caller is
    bool sensors;        ///< false; true: sensors count as well
} tarn_query_filter;

/// A straight line from a point, and what it may hit.
typedef struct tarn_ray {
    tarn_vec3 origin;      ///< [m] each coordinate within 1e7
    tarn_vec3 translation; ///< [m] from the origin to the end, each coordinate within 1e7
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
    uint64_t user_data; ///< of the body; 0 unless a body was hit
} tarn_hit;

/// The nearest hit of a ray. Bodies are the convex parts that they collide with: an open hull is closed at its
/// rim, a mesh is its convex hull. Of periodic domains the images of bodies one period away count too.
/// @return TARN_OK, whether something was hit or not; TARN_BAD_ARGUMENT (a coordinate beyond 1e7 m or not
///         finite)
TARN_API tarn_result tarn_world_cast_ray(const tarn_world *world, const tarn_ray *ray, tarn_hit *out);

/// The nearest hit of each ray: lidar, sonar, bullets. Runs on the threads of the world, or on those of the
/// caller if they are busy.
/// @return TARN_OK; TARN_BAD_ARGUMENT if a ray is not valid: its hit is zero, the others are answered
TARN_API tarn_result tarn_world_cast_rays(const tarn_world *world, int count, const tarn_ray *rays,
                                          tarn_hit *out);

/// All hits of a ray, nearest first, at most one for each body (and each of its periodic images), for ground,
/// walls and water the first. @return how many there are, whatever the capacity; 0 for a bad argument
TARN_API int tarn_world_cast_ray_all(const tarn_world *world, const tarn_ray *ray, tarn_hit *out,
                                     int capacity);

// ---- casts of shapes -------------------------------------------------------------------------------

/// A shape that moves along a line without turning, and what it may hit.
typedef struct tarn_shape_cast {
    const tarn_shape *shape; ///< required; borrowed for the call
    tarn_pose pose;          ///< of its centre of mass at the start; a rotation of zero is none
    tarn_vec3 translation;   ///< [m] from the start to the end, each component within 1e7; zero: at rest
    tarn_query_filter filter;
} tarn_shape_cast;

/// The first hit of a shape: the camera behind a boat, the place where a crate comes to rest. Both shapes
/// are the convex parts that they collide with. A shape that touches something at the start hits it at
/// fraction 0 with a normal of zero. Walls are solid: a shape beyond one touches it. The ground is a
/// triangle mesh between the cell centres, which differs from the surface that rays meet by at most a
/// quarter of the twist of a cell; level ground has no end. The water surface (TARN_HIT_WATER) is never
/// hit.
/// @return TARN_OK, whether something was hit or not; TARN_BAD_ARGUMENT (no shape, a number out of range)
TARN_API tarn_result tarn_world_cast_shape(const tarn_world *world, const tarn_shape_cast *cast,
                                           tarn_hit *out);

/// The first hit of each shape. Runs on the threads of the world, or on those of the caller if they are busy.
/// @return TARN_OK; TARN_BAD_ARGUMENT if a cast is not valid: its hit is zero, the others are answered
TARN_API tarn_result tarn_world_cast_shapes(const tarn_world *world, int count, const tarn_shape_cast *casts,
                                            tarn_hit *out);

/// All hits of a shape, nearest first: at most one for each body (and each of its periodic images), one for
/// the ground, one for the walls. @return how many there are, whatever the capacity; 0 for a bad argument
TARN_API int tarn_world_cast_shape_all(const tarn_world *world, const tarn_shape_cast *cast, tarn_hit *out,
                                       int capacity);

// ---- overlaps and nearest points ---------------------------------------------------------------------

/// Bodies that overlap a box or a shape, or contain a point, lowest slot first. Touching counts.
/// filter->kinds is not read. `filter` NULL: all bodies that are no sensors.
/// @return how many there are, whatever the capacity; 0 for a bad argument
TARN_API int tarn_world_overlap_box(const tarn_world *world, const tarn_aabb *box,
                                    const tarn_query_filter *filter, tarn_body_id *out, int capacity);
TARN_API int tarn_world_overlap_shape(const tarn_world *world, const tarn_shape *shape, const tarn_pose *pose,
                                      const tarn_query_filter *filter, tarn_body_id *out, int capacity);
TARN_API int tarn_world_overlap_point(const tarn_world *world, tarn_vec3 point,
                                      const tarn_query_filter *filter, tarn_body_id *out, int capacity);

/// The nearest point within `distance` [m]; hit.fraction is the part of `distance`. Kinds of 0 or a
/// `filter` of NULL mean bodies alone. A point inside a body or under the ground is its own nearest point,
/// with a normal of zero. Walls count for points between them. Of the water surface the part over wet cells
/// counts, from either side.
/// @param distance  [m] above 0, at most 1e7; ground and water take a time that grows with its square
/// @return TARN_OK, whether there is one or not; TARN_BAD_ARGUMENT
TARN_API tarn_result tarn_world_find_nearest(const tarn_world *world, tarn_vec3 point, double distance,
                                             const tarn_query_filter *filter, tarn_hit *out);

// ---- water and fluid -------------------------------------------------------------------------------------

/// Points and what is wanted there. Begin with zero, set count, x and z and the outputs that are wanted;
/// NULL ones are not written.
///     tarn_water_query q = {.count = n, .x = x, .z = z, .height = h};
typedef struct tarn_water_query {
    int count;        ///< of points
    int stride;       ///< in x, y and z, from one point to the next, in doubles; 0: 1. Arrays of tarn_vec3: 3
    const double *x;  ///< [m]
    const double *z;  ///< [m]
    const double *y;  ///< [m] of the points, for pressure and velocity; NULL: at the surface
    double *height;   ///< [m] out: y of the surface; of dry land, of the ground; 0 outside the domain
    double *depth;    ///< [m] out: of the column; 0 where it is dry
    double *pressure; ///< [Pa] out: hydrostatic, beyond that of the air; 0 above the surface and on land
    tarn_vec3 *normal;    ///< out: of the surface, unit, up; 0 outside the domain
    tarn_vec3 *velocity;  ///< [m/s] out: of the water. The vertical component falls linearly from the surface
                          ///< to the bed, along which the water flows; above the surface that of the surface
    uint8_t *wet;         ///< out: 1; 0 on dry land and outside the domain
    uint64_t reserved[4]; ///< zero: memory for later members
} tarn_water_query;

/// @return TARN_OK; TARN_BAD_ARGUMENT, also in a planar world: nothing is written
TARN_API tarn_result tarn_world_query_water(const tarn_world *world, const tarn_water_query *query);

/// What still water of the same surface would do to a shape: for placing, buoyancy of one's own, tests. The
/// surface is the plane that fits it over the shape; level where a part of it is dry.
typedef struct tarn_submersion {
    double volume;         ///< [m^3] below the surface, the hold of an open shape included
    double fraction;       ///< 0 .. 1 of the volume of the shape with its hold
    double wetted_area;    ///< [m^2] of the outer surface below it, the opening of an open shape included
    tarn_vec3 centre;      ///< [m] centre of buoyancy in the world; zero if the shape is dry
    double buoyancy;       ///< [N] upwards, through the centre of buoyancy
    double surface_height; ///< [m] y of the surface at the centre of mass; 0 if there is no water
} tarn_submersion;

/// Measure a shape at `count` poses of its centre of mass; a rotation of zero is none.
/// @return TARN_OK; TARN_BAD_ARGUMENT, also in a planar world: nothing is written
TARN_API tarn_result tarn_world_measure_submersion(const tarn_world *world, const tarn_shape *shape,
                                                   int count, const tarn_pose *poses, tarn_submersion *out);

/// tarn_flow_get_sample() at many points. @return TARN_OK; TARN_BAD_ARGUMENT, also in a world of height
/// fields
TARN_API tarn_result tarn_world_query_flow(const tarn_world *world, int count, const double *x,
                                           const double *y, tarn_flow_sample *out);

#ifdef __cplusplus
}
#endif
#endif
