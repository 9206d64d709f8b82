/// @file frame.h
/// Frames: the fields and bodies of a world in plain arrays, for drawing and export; lines for debugging.
#ifndef TARN_FRAME_H
#define TARN_FRAME_H

#include "body.h"
#include "obstacle.h"

#ifdef __cplusplus
extern "C" {
#endif

/// A body of a frame.
typedef struct tarn_frame_body {
    tarn_body_id id;
    tarn_body_state state;
    tarn_load load;
    tarn_vec3 colour;
    tarn_appearance appearance;
    const tarn_render_mesh *mesh; ///< surface of the shape; valid as long as the body exists
    const tarn_render_mesh *hold; ///< space inside an open hull, closed at the rim; NULL: the hull is closed
    double hold_level;            ///< [m] height of the floodwater; below the whole hold if there is none
} tarn_frame_body;

/// An obstacle of a frame.
typedef struct tarn_frame_obstacle {
    tarn_obstacle_id id;
    char name[TARN_NAME_BYTES];
    tarn_obstacle_load load;
    int first, count; ///< its corners in `outlines`; count 0: a bitmap, which only `open` shows
} tarn_frame_obstacle;

/// What a world looks like at one time. The caller owns it: initialise it with zeros, free it with
/// tarn_frame_free(). Fields have nx * nz values, row by row along x.
typedef struct tarn_frame {
    double time;      ///< [s] time of the shown state
    bool planar;      ///< the model is planar, x right, y up: read z as y everywhere; `height` is 0
    int nx, nz;       ///< cells along x and z
    double cell_size; ///< [m]
    double x0, z0;    ///< [m] centre of cell (0, 0)
    double level;     ///< [m] height of the surface at rest
    float *height;    ///< [m] height of the surface; equal to `bed` in a dry cell
    float *velocity_x, *velocity_z; ///< [m/s] of the water, at cell centres
    float *bed;                     ///< [m] height of the bed; NULL: the bed is level at 0
    float *dye, *temperature;       ///< [-], [K] planar models; otherwise NULL
    float *pressure;                ///< [Pa] planar models; otherwise NULL
    float *vorticity;               ///< [1/s] planar models; otherwise NULL
    float *open; ///< 0 .. 1, fraction of the cell that is fluid; planar models; otherwise NULL
    int body_count;
    tarn_frame_body *bodies;
    int obstacle_count;
    tarn_frame_obstacle *obstacles;
    float *outlines; ///< [m] x y of the corners of all obstacles
    /// Allocated cells, bodies, cells of the bed, cells of planar fields, obstacles, corners. Do not change.
    int capacity[6];
    tarn_allocator allocator; ///< of the world that filled the frame last. Do not change.
} tarn_frame;

/// Fill a frame; its arrays grow if needed.
/// @param blend  0 .. 1: interpolates between the states before (0) and after (1) the last step. This needs
///               tarn_world_keep_previous(world, true) before that step; without it, and in planar models,
///               every frame shows the state after the step.
/// @return TARN_OK; TARN_BAD_ARGUMENT; TARN_NO_MEMORY
TARN_API tarn_result tarn_world_get_frame(const tarn_world *world, double blend, tarn_frame *frame);

/// Free the arrays of a frame and set it to zeros. Its arrays may outlive the world, but not the allocator of
/// the world; the meshes of its bodies may not. NULL is allowed.
TARN_API void tarn_frame_free(tarn_frame *frame);

/// Store the state before each step, which tarn_world_get_frame() interpolates from, or stop: off in a new
/// world. It costs a copy of the surface and the poses per step and does not change results.
/// @return TARN_OK or TARN_BAD_ARGUMENT
TARN_API tarn_result tarn_world_keep_previous(tarn_world *world, bool on);

// ---- lines for debugging ------------------------------------------------------------------------------

/// What a line shows; bits of the argument `kinds`.
typedef enum tarn_debug_kind {
    TARN_DEBUG_SHAPES = 1,   ///< edges of the surfaces of bodies
    TARN_DEBUG_BOUNDS = 2,   ///< boxes along the axes of the world around the convex parts of bodies
    TARN_DEBUG_CONTACTS = 4, ///< from a contact point along its normal, a quarter of a bounding radius long
    TARN_DEBUG_JOINTS = 8,   ///< from centre to anchor, between the anchors, and from anchor to centre
    TARN_DEBUG_VELOCITIES = 16, ///< from the centre of mass, the way in 0.1 s
    TARN_DEBUG_FORCES = 32, ///< force of the water; the weight of a body is as long as its bounding radius
    TARN_DEBUG_ALL = 63
} tarn_debug_kind;

/// A line segment.
typedef struct tarn_debug_line {
    tarn_vec3 from, to;   ///< [m] ends
    tarn_debug_kind kind; ///< one of them
    tarn_body_id body;    ///< the body, or that at whose end a contact or joint line begins
} tarn_debug_line;

/// Write what there is as line segments, for a renderer of your own: one list, in a fixed order.
/// @param kinds  bits of tarn_debug_kind
/// @param out    receives at most `capacity` lines; NULL: none
/// @return the number of lines that there are, also if it exceeds `capacity`; 0 if `world` is NULL
TARN_API int tarn_world_get_debug_lines(const tarn_world *world, uint32_t kinds, tarn_debug_line *out,
                                        int capacity);

#ifdef __cplusplus
}
#endif
#endif
