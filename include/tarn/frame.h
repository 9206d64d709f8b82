/// @file frame.h
/// A picture of a world in plain arrays.
#ifndef TARN_FRAME_H
#define TARN_FRAME_H

#include "body.h"
#include "obstacle.h"

#ifdef __cplusplus
extern "C" {
#endif

/// A body as it is drawn.
typedef struct tarn_frame_body {
    tarn_body_id id;
    tarn_body_state state;
    tarn_load load;
    tarn_vec3 colour;
    int appearance;               ///< a tarn_appearance
    const tarn_render_mesh *mesh; ///< of the shape; lives as long as the body
    const tarn_render_mesh *hold; ///< likewise: the space inside an open hull, closed at the rim; NULL: none
    double hold_level; ///< [m] height of the water's surface in the hold; without any, below all of it
} tarn_frame_body;

/// An obstacle of a flow as it is drawn.
typedef struct tarn_frame_obstacle {
    char name[TARN_NAME_BYTES];
    tarn_obstacle_load load;
    int first, count; ///< corners of its outline among the frame's; none: it is seen by `open` alone
} tarn_frame_obstacle;

/// A picture of the world in plain arrays, owned by the caller: begin with zero, end with
/// tarn_frame_free(). All that drawing and exporters ever see.
typedef struct tarn_frame {
    double time; ///< [s] what it shows
    int planar;  ///< 1: a plane seen from the front, x right, y up: what is called z is y, and `height` is 0
    int nx, nz;
    double cell_size;               ///< [m] cell size
    double x0, z0;                  ///< [m] centre of cell (0, 0)
    double level;                   ///< [m] of the surface at rest
    float *height;                  ///< [m] nx * nz, surface, row by row along x
    float *velocity_x, *velocity_z; ///< [m/s] nx * nz, of the water
    float *bed;               ///< [m] nx * nz, height of the ground; NULL: flat at 0. Dry: height == bed
    float *dye, *temperature; ///< flat, else NULL: nx * nz; heat in K
    float *pressure;          ///< likewise [Pa]
    float *vorticity;         ///< likewise [1/s]
    float *open;              ///< likewise, 0 .. 1 of the cell that is fluid
    int body_count;
    tarn_frame_body *bodies;
    int obstacle_count;
    tarn_frame_obstacle *obstacles;
    float *outlines; ///< [m] x y of the corners of all obstacles
    int capacity
        [6]; ///< cells, bodies, cells of a bed, cells of a flat frame, obstacles and corners there is room for
    tarn_allocator allocator; ///< of the world that filled it last
} tarn_frame;

/// Fill a frame, growing it if needed. `blend` 0 .. 1 mixes the last two states: 1 is now, 0 one step ago
/// (needs tarn_world_keep_previous(world, 1) before the step; without it every frame shows now).
TARN_API tarn_result tarn_world_get_frame(const tarn_world *world, double blend, tarn_frame *frame);
TARN_API void tarn_frame_free(tarn_frame *frame);

/// Keep the state before each step for blending: costs a copy per step.
TARN_API tarn_result tarn_world_keep_previous(tarn_world *world, int on);

#ifdef __cplusplus
}
#endif
#endif
