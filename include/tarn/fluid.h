/// @file fluid.h
/// The water of a height field and the fluid of a flow.
#ifndef TARN_FLUID_H
#define TARN_FLUID_H

#include "vec.h"

#ifdef __cplusplus
extern "C" {
#endif

/// A side of the domain. In the model "flow" south is the lower and north the upper one.
typedef enum tarn_side { TARN_WEST = 0, TARN_EAST = 1, TARN_SOUTH = 2, TARN_NORTH = 3 } tarn_side;

// ---- water ---

/// The surface over a point.
typedef struct tarn_surface {
    double height;      ///< [m] of the surface
    double depth;       ///< [m]
    tarn_vec3 normal;   ///< unit, up
    tarn_vec3 velocity; ///< [m/s] of the water there
    bool wet; ///< false outside the domain, where the rest is 0, and on dry land, whose height it then is
} tarn_surface;
TARN_API tarn_surface tarn_world_get_surface(const tarn_world *world, double x, double z);
TARN_API tarn_result tarn_water_at_n(const tarn_world *world, int count, const double *x, const double *z,
                                     tarn_surface *out);

/// One column of water.
typedef struct tarn_column {
    double height; ///< [m] of the surface; at or below the bed: dry
    double u, w;   ///< [m/s] along x and z, in the middle of the cell
} tarn_column;

/// Set the water of every column, row by row along x: a start that no emitter describes. What it adds counts as
/// emitted. Only for models with terrain ("shallow", "implicit"). @return TARN_OK, TARN_BAD_ARGUMENT or TARN_BAD_INPUT
TARN_API tarn_result tarn_water_set_fields(tarn_world *world, const tarn_column *columns, tarn_error *err);

// ---- flow ---

/// The fluid of the model "flow" at a point: x to the right, y up, the origin in the lower left corner.
typedef struct tarn_flow_sample {
    double u, v;        ///< [m/s] along x and y
    double pressure;    ///< [Pa] beyond that of fluid at rest
    double dye;         ///< 1 is full
    double temperature; ///< [K] temperature
    double vorticity;   ///< [1/s] dv/dx - du/dy
    double open;        ///< 0 .. 1 of the cell that is fluid; 0 outside the domain, where the rest is 0
} tarn_flow_sample;

/// Between the middles of cells. Only for the model "flow". @return TARN_OK or TARN_BAD_ARGUMENT
TARN_API tarn_result tarn_flow_get_sample(const tarn_world *world, double x, double y, tarn_flow_sample *out);

/// What the pressure leaves of the divergence: its largest value times the cell size over the fastest speed; with bodies that of the
/// last step's pressure, before they met and moved on, with (|u| + |v|)/sqrt(2) for the speed. 0 for other models.
TARN_API double tarn_flow_get_divergence(const tarn_world *world);

/// What there is at a point; of the result u, v, dye and heat count.
typedef tarn_flow_sample (*tarn_flow_fn)(void *ctx, double x, double y);

/// Set the whole fluid: a start that no source describes. Speeds are asked for where they stand, on the faces of cells,
/// and then made free of divergence. Only for the model "flow". @return TARN_OK or TARN_BAD_ARGUMENT
TARN_API tarn_result tarn_flow_set_fields(tarn_world *world, tarn_flow_fn field, void *ctx, tarn_error *err);

#ifdef __cplusplus
}
#endif
#endif
