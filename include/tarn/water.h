/// @file water.h
/// Fields of the fluid and of the ground: where they lie in memory, copies of them, and changes in a
/// rectangle of cells.
///
/// A field has one value per cell, or per face between cells. Value (i, j) is the i-th along x and the j-th
/// along z (in the model "flow" along y), counted from the lowest coordinates. The centre of cell (i, j) is
/// at x = (i + 0.5) cell - size[0]/2, z = (j + 0.5) cell - size[1]/2 with cell = size[0]/cells[0] of
/// tarn_world_get_status(); in the model "flow" at x = (i + 0.5) cell, y = (j + 0.5) cell.
#ifndef TARN_WATER_H
#define TARN_WATER_H

#include "fluid.h"

#ifdef __cplusplus
extern "C" {
#endif

/// A field. In brackets: the models that have it; those in capitals let tarn_world_write_field() change it.
typedef enum tarn_field {
    /// [m] y of the surface, lifted by floating bodies; in a dry cell y of the ground (WAVE, SHALLOW,
    /// IMPLICIT, ocean)
    TARN_FIELD_HEIGHT = 0,
    /// [m] depth of the water of a cell, without what bodies displace there (WAVE, SHALLOW, IMPLICIT, ocean)
    TARN_FIELD_DEPTH = 1,
    /// [m] y of the ground (all but flow); tarn_bed_edit() changes it
    TARN_FIELD_BED = 2,
    /// [m/s] velocity along x at the centre of a cell (wave, SHALLOW, IMPLICIT, FLOW, ocean)
    TARN_FIELD_VELOCITY_X = 3,
    /// [m/s] velocity along z, in the model "flow" along y, at the centre of a cell (wave, SHALLOW, IMPLICIT,
    /// FLOW, ocean)
    TARN_FIELD_VELOCITY_Z = 4,
    /// [m/s] velocity along x at the face west of each cell and east of the last: cells[0] + 1 values along x
    /// (SHALLOW, IMPLICIT, FLOW)
    TARN_FIELD_FACE_VELOCITY_X = 5,
    /// [m/s] velocity along z, in the model "flow" along y, at the face south of each cell and north of the
    /// last: cells[1] + 1 values along z (SHALLOW, IMPLICIT, FLOW)
    TARN_FIELD_FACE_VELOCITY_Z = 6,
    TARN_FIELD_DYE = 7,         ///< [-] dye, 1 is full; 0 in solids (FLOW)
    TARN_FIELD_TEMPERATURE = 8, ///< [K] temperature; that of rest in solids (FLOW)
    TARN_FIELD_PRESSURE = 9,    ///< [Pa] beyond that of fluid at rest; 0 in solids (flow)
    TARN_FIELD_VORTICITY = 10,  ///< [1/s] dv/dx - du/dy; 0 in solids (flow)
    TARN_FIELD_OPEN = 11        ///< [-] 0 .. 1 of the cell that is fluid (flow)
} tarn_field;

// ---- without a copy --------------------------------------------------------------------------------

/// A field where it lies in memory. Value (i, j) is
///
///     const char *at = (const char *)view.values + i * view.stride_x + j * view.stride_z;
///     const double value = view.offset + view.scale * *(const float *)at;
typedef struct tarn_field_view {
    const float *values; ///< value (0, 0)
    int count_x;         ///< values along x
    int count_z;         ///< values along z
    ptrdiff_t stride_x;  ///< [bytes] from a value to the next along x
    ptrdiff_t stride_z;  ///< [bytes] from a value to the next along z
    double scale;        ///< factor of the stored number
    double offset;       ///< added to it: heights are stored as deviations from the surface at rest
} tarn_field_view;

/// A field without a copy: height (wave, as long as it has had no bodies), depth (wave, shallow, implicit),
/// bed (shallow, implicit, ocean), velocities at centres (ocean) and at faces (shallow, implicit, flow), dye, temperature, pressure and
/// open (flow; cells without fluid hold any finite number). The view is valid until the world changes: every
/// call with a world that is not const, a step above all, may move the values. tarn_world_read_field() has
/// the fields that are computed.
/// @return TARN_OK; TARN_BAD_ARGUMENT (the model has no such field, or does not store it). *out is zero then
TARN_API tarn_result tarn_world_get_field(const tarn_world *world, tarn_field field, tarn_field_view *out);

// ---- copies and changes ----------------------------------------------------------------------------

/// Values i0 .. i0 + ni - 1 along x and j0 .. j0 + nj - 1 along z of a field.
typedef struct tarn_cell_rect {
    int i0; ///< 0 or more
    int j0; ///< 0 or more
    int ni; ///< values along x; 0: none
    int nj; ///< values along z; 0: none
} tarn_cell_rect;

/// Type of the numbers of an array.
typedef enum tarn_number { TARN_FLOAT = 0, TARN_DOUBLE = 1 } tarn_number;

/// How the values of a rectangle lie in an array of the caller: value (i, j) of the rectangle is i * stride_x
/// + j * stride_z bytes after the first, as in NumPy. Strides may be negative and need not be multiples of a
/// number; a stride of 0 repeats a value when it is read by tarn, so that two of them are one number for all
/// cells.
typedef struct tarn_array_layout {
    tarn_number number;
    ptrdiff_t stride_x; ///< [bytes]
    ptrdiff_t stride_z; ///< [bytes]
} tarn_array_layout;

/// Copy a rectangle of a field into an array.
/// @param rect    NULL: the whole field
/// @param layout  NULL: doubles, row by row along x without gaps
/// @return TARN_OK; TARN_BAD_ARGUMENT (the model has no such field, the rectangle leaves it)
TARN_API tarn_result tarn_world_read_field(const tarn_world *world, tarn_field field,
                                           const tarn_cell_rect *rect, const tarn_array_layout *layout,
                                           void *out);

/// Change a rectangle of a field. What this adds to the water, the dye or the heat counts as emitted in the
/// ledger, to the bit. Either all values are taken or none.
///
/// Heights at or below the ground, and depths of 0, leave no water. Depths are rounded as those of the
/// model; water deeper than any before makes this coarser, in all cells.
/// Under bodies the height is that of the surface that they lift; the bodies displace what there is from then
/// on. Velocities are stored at faces: a velocity for the centres of cells gives each face of them the mean
/// of the cells on its two sides, walls and solids keep theirs. In the model "flow" the next step makes them
/// free of divergence.
/// @param rect    NULL: the whole field
/// @param layout  NULL: doubles, row by row along x without gaps
/// @param values  heights within 1e6, depths 0 .. 1e6 [m]; velocities within 1e4 [m/s]; dye 0 .. 1e6;
///                temperatures within 1e6 [K]
/// @return TARN_OK; TARN_BAD_ARGUMENT (the model cannot change this field, the rectangle leaves it);
///         TARN_BAD_INPUT (a value is out of range or not finite: err->message says which); TARN_NO_MEMORY
///         (flow: bodies that were created since the last step find no memory)
TARN_API tarn_result tarn_world_write_field(tarn_world *world, tarn_field field, const tarn_cell_rect *rect,
                                            const tarn_array_layout *layout, const void *values,
                                            tarn_error *err);

// ---- the ground ------------------------------------------------------------------------------------

/// How the heights of tarn_bed_edit() are meant and what the water does; bits.
typedef enum tarn_bed_edit_mode {
    TARN_BED_SET = 0, ///< heights are y of the ground; the water moves with it, its volume stays
    TARN_BED_ADD = 1, ///< heights are added to the ground
    /// The surface stays where it is: ground that rises takes the place of water, which counts as emitted
    /// with a negative sign, and ground that sinks under water is covered by more of it. Dry cells stay dry;
    /// a film of water on land is water, so digging there is for TARN_BED_SET.
    TARN_BED_KEEP_SURFACE = 2
} tarn_bed_edit_mode;

/// Heights of the ground at points, bilinear between the centres of cells. tarn_world_read_field() with
/// TARN_FIELD_BED has those of a rectangle of cells.
/// @param out  [m] y; NAN outside the domain
/// @return TARN_OK; TARN_BAD_ARGUMENT (the model "flow", a null pointer)
TARN_API tarn_result tarn_bed_get_heights(const tarn_world *world, int count, const double *x,
                                          const double *z, double *out);

/// Change the ground of a rectangle of cells in the models "shallow" and "implicit": a dam that breaks, a
/// landslide, an excavator. The volume of the water follows the ledger to the bit. Bodies wake. Heights are
/// rounded to the quantum of depth of the world, which becomes coarser in all cells if a new height needs
/// that. Either all heights are taken or none.
/// @param rect     NULL: the whole domain
/// @param mode     tarn_bed_edit_mode bits
/// @param layout   NULL: doubles, row by row along x without gaps
/// @param heights  [m] the resulting ground lies within 1e6
/// @return TARN_OK; TARN_BAD_ARGUMENT (another model, the rectangle leaves the domain, an unknown bit);
///         TARN_BAD_INPUT (a height is out of range or not finite: err->message says which)
TARN_API tarn_result tarn_bed_edit(tarn_world *world, const tarn_cell_rect *rect, uint32_t mode,
                                   const tarn_array_layout *layout, const void *heights, tarn_error *err);

#ifdef __cplusplus
}
#endif
#endif
