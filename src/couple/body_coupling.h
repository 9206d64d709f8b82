// State of the coupling of one body with a height field: its column patch, the plane of the surface at the
// body, and the loads of a substep.
//
// A *column patch* is the rectangle of grid columns under a hull and a few rings around it. A *hull piece* is
// the part of the hull's surface over one column.
#ifndef COUPLE_BODY_COUPLING_H
#define COUPLE_BODY_COUPLING_H

#include "body/body.h"
#include "couple/columns/column_rows.h"
#include "couple/columns/hull_clip_rows.h"
#include "fluid/fluid.h"

#define ADDED_MASS_COEFFICIENT    0.5 // added mass of a body in units of the mass of water that it displaces
#define ADDED_INERTIA_COEFFICIENT 0.1 // added inertia in units of rho V/m times the inertia of the body

// [kg] Added mass of a body that displaces `volume`. A mesh that crosses itself may have a negative volume.
static inline double added_mass_of(const struct fluid *f, double volume)
{
    return volume > 0.0 ? ADDED_MASS_COEFFICIENT * f->density * volume : 0.0;
}

// [kg] Added mass for horizontal motion, and for heave, roll and pitch.
struct added_mass {
    double horizontal, vertical;
};

// Arrays behind a struct surface_load, for the models that solve for the loads (`implicit`).
struct load_arrays {
    int *first_piece;      // of every column, and the number of all pieces at the end
    int *cell;             // index of the column in the patch
    size_t *grid_index;    // and in the grid
    double *column_values; // seven numbers per column: x, z, displaced depth, its slope, three for the model
    float *area, *height;  // of the pieces
    float *penalty_height, *penalty_weight; // penalty: height and weight that replace them, one per column
    int column_capacity, piece_capacity;
};

// `pressure`: the load on a body in the present substep before the vertical pressure is solved for.
struct pending_load {
    double free_motion[6];  // [m/s], [rad/s] change of the velocities by everything else
    double mobility[3][6];  // change per unit impulse in heave, roll and pitch
    vec3 force, torque;     // [N], [N m] all loads, gravity included
    vec3 non_fluid_force;   // [N] gravity, user force and inertial force
    vec3 inflow_force;      // [N] that accelerates the water flowing into the hull
    double floodwater_mass; // [kg]
    double added_mass;      // [kg] that contacts and joints have to accelerate as well
    double added_inertia;   // in units of the inertia of the body
    bool is_dry;
};

struct body_coupling {
    // state
    struct plane surface_plane;   // [m] above the rest level, (x, z) from the body's centre
    struct added_mass added_mass; // of the last substep
    double floodwater_depth;      // [m] volume of the floodwater over the area of one column
    tarn_load load;               // of the last substep
    bool has_prediction;          // pressure: predicted_rate is valid
    double
        predicted_rate[3];  // pressure: heave [m/s], roll and pitch rate [rad/s] that water and weight led to
    double support_rate[3]; // pressure: expected change of these by contacts and joints

    // of the present substep
    vec3 water_velocity;     // [m/s] at the body
    vec3 momentum_to_return; // [kg m/s] that the water has yet to receive

    // derived: rebuilt at the end of a world step, and when the body has moved sideways
    bool is_wet;        // a part of the hull is below the surface
    bool has_no_water;  // no column of the patch has water
    int i0, j0, ni, nj; // the patch: first column and row, may lie outside the grid; ni 0: no patch
    double build_x, build_y, build_z; // [m] centre of the body when the hull was clipped
    quat build_rotation;              // and its rotation
    double offset_x, offset_z;        // [m] horizontal displacement since then
    struct plane rise_plane;          // [m] vertical displacement since then, (x, z) from that centre
    double fit_matrix[3][3];          // of the plane fit: sum cover (1, x, z)(1, x, z)^T, with ridge
    const struct trimesh *hull;
    struct plane band_plane;        // the hull was clipped for a surface near this plane:
    double band_half_width;         // [m] pieces farther below count as wet, farther above as dry
    int radius_columns;             // [columns] upper bound of the radius of the hull, with rings
    int origin_i, origin_j;         // first column and row of the patch in the coordinates of `vertices`
    struct column_vertex *vertices; // of the hull, in columns
    struct hull_piece *pieces;
    int piece_count;
    struct column_hull *column_hulls; // one per column
    struct columns columns;
    float *column_storage; // memory of `columns`
    int *stale_columns;    // scratch: columns whose set of wet pieces has changed
    int piece_capacity, column_hull_capacity, column_storage_capacity, stale_capacity, vertex_capacity;
    const unsigned char *stored;     // the clipped hull in a snapshot while that is restored; NULL: none
    struct body_coupling *predicted; // the patch at the end of the substep; NULL: the model needs none

    // models that solve for the loads
    bool keeps_all_pieces; // the band is unbounded
    struct surface_load surface_load;
    struct load_arrays load_arrays;
    struct pending_load pending; // of the present substep
};

#endif
