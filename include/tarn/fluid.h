/// @file fluid.h
/// Fluid models: their definitions, and the fluid at a point.
///
/// A definition is a tagged union: `type` says which member is read. tarn_default_fluid_def() fills in the
/// defaults, those of scene files.
///
///     tarn_fluid_def fluid = tarn_default_fluid_def(TARN_FLUID_SHALLOW);
///     fluid.shallow.depth = 2;
///     fluid.shallow.boundary[TARN_EAST].type = TARN_BOUNDARY_OPEN;
#ifndef TARN_FLUID_H
#define TARN_FLUID_H

#include "vec.h"

#ifdef __cplusplus
extern "C" {
#endif

// ---- definitions ------------------------------------------------------------------------------------

/// A side of the domain. In the model `flow` south is the lower side and north the upper one.
typedef enum tarn_side { TARN_WEST = 0, TARN_EAST = 1, TARN_SOUTH = 2, TARN_NORTH = 3 } tarn_side;

/// Types of fluids, in the order of tarn_kind_at("fluid", ...).
typedef enum tarn_fluid_type {
    TARN_FLUID_WAVE = 0,
    TARN_FLUID_SHALLOW = 1,
    TARN_FLUID_IMPLICIT = 2,
    TARN_FLUID_FLOW = 3,
    TARN_FLUID_DRY = 4,  ///< no fluid: the model `none` of scene files
    TARN_FLUID_OCEAN = 5 ///< water whose motion is given
} tarn_fluid_type;

/// Boundary conditions of waves and of the model `implicit`. A periodic side needs a periodic opposite side.
typedef enum tarn_wave_boundary {
    TARN_WAVE_WALL = 0,
    TARN_WAVE_OPEN = 1, ///< waves leave
    TARN_WAVE_PERIODIC = 2
} tarn_wave_boundary;

/// Linear long waves over a flat bed, the fastest model.
typedef struct tarn_wave_def {
    tarn_vec2 size;    ///< [m] 4 4, 0.01 .. 1e6 each: length along x and z
    int cells[2];      ///< 128 128, 4 .. 32768 each: number of cells along x and z; cells must be square
    double depth;      ///< [m] 1, 1e-3 .. 1e4: water depth at rest
    double wave_speed; ///< [m/s] 0, 0 .. 1e4: speed of long waves; 0: sqrt(gravity depth)
    double damping;    ///< [1/s] 0, 0 .. 100, live: damping rate of velocities
    double diffusion;  ///< [m^2/s] 1e-4, 0 .. 1, live: diffusion coefficient of the surface
    tarn_wave_boundary boundary[4]; ///< TARN_WAVE_WALL: boundary condition of each tarn_side
} tarn_wave_def;

/// A sinusoidal acceleration of the water along x and z.
typedef struct tarn_shake {
    tarn_vec2 amplitude; ///< [m/s^2] 0 0, -1e3 .. 1e3 each, live: amplitude along x and z
    double period;       ///< [s] 1, 1e-3 .. 1e6: period
} tarn_shake;

/// Boundary conditions of the model `shallow`. A periodic side needs a periodic opposite side.
typedef enum tarn_boundary_type {
    TARN_BOUNDARY_WALL = 0,
    TARN_BOUNDARY_OPEN = 1, ///< waves leave
    TARN_BOUNDARY_PERIODIC = 2,
    TARN_BOUNDARY_LEVEL = 3,     ///< a level of the surface, which may follow a tide
    TARN_BOUNDARY_DISCHARGE = 4, ///< an inflow; a negative one is an outflow
    TARN_BOUNDARY_WAVEMAKER = 5  ///< waves enter, and others leave
} tarn_boundary_type;

/// A side of the model `shallow`. Members that its type does not name must be NAN.
typedef struct tarn_boundary {
    tarn_boundary_type type; ///< TARN_BOUNDARY_WALL: boundary condition
    double
        level; ///< [m] NAN, -1e5 .. 1e5, live: level: y of the surface; discharge: for supercritical inflow
    double discharge; ///< [m^2/s] NAN, -1e4 .. 1e4, live: discharge: inflow per metre of the side
    double amplitude; ///< [m] NAN, 0 .. 1e3, live: wavemaker, level: half the height of waves or tide
    double period;    ///< [s] NAN, 1e-3 .. 1e6, live: wavemaker, level: period of waves or tide
    /// [s] NAN, 0 .. 1e6, live: level, discharge, wavemaker: time in which the values are reached from rest
    double ramp;
} tarn_boundary;

/// Advection of momentum in the model `shallow`.
typedef enum tarn_shallow_advection {
    TARN_SHALLOW_CONSERVATIVE = 0,   ///< second order
    TARN_SHALLOW_MACCORMACK = 1,     ///< for visual use
    TARN_SHALLOW_SEMI_LAGRANGIAN = 2 ///< for visual use
} tarn_shallow_advection;

/// Limits that keep breaking waves stable in steps that are long for them, at the cost of accuracy.
typedef struct tarn_stabilisation {
    double speed; ///< 0, 0 .. 1, live: limit of the velocity in cells per substep (usual: 0.5); 0: off
    double depth; ///< 0, 0 .. 100, live: limit of the depth in a flux, in dx^2/(g dt^2) (usual: 2); 0: off
    double overshoot; ///< 0, 0 .. 1, live: fraction of an overshoot that is moved ahead (usual: 0.5); 0: off
} tarn_stabilisation;

/// Shallow water over any bed, wet and dry. Its first six members are those of tarn_implicit_def.
typedef struct tarn_shallow_def {
    tarn_vec2 size; ///< [m] 4 4, 0.01 .. 1e6 each: length along x and z
    int cells[2];   ///< 128 128, 4 .. 32768 each: number of cells along x and z; cells must be square
    /// [m] NAN, 0 .. 1e4: water depth at rest above the lowest point of the bed; NAN: 1 if `level` is NAN
    double depth;
    double level;                     ///< [m] NAN, -1e5 .. 1e5: y of the surface at rest, instead of `depth`
    tarn_vec2 acceleration;           ///< [m/s^2] 0 0, -1e3 .. 1e3 each, live: of the water along x and z
    tarn_shake shake;                 ///< added to `acceleration`
    tarn_shallow_advection advection; ///< TARN_SHALLOW_CONSERVATIVE: advection of momentum
    int substeps;                     ///< 0, 0 .. 100000: of a step; 0: as many as `max_courant` requires
    double manning;     ///< [s/m^(1/3)] 0, 0 .. 1, live: Manning's n: concrete 0.012, sand 0.025, weeds 0.05
    double max_courant; ///< 0.45, 0.05 .. 0.65: cells that the fastest signal passes in a substep
    tarn_stabilisation stabilisation; ///< limits for visual use
    tarn_boundary boundary[4];        ///< boundary condition of each tarn_side
} tarn_shallow_def;

/// Linear solvers. Jacobi and Gauss-Seidel make `iterations` sweeps and are there for comparison.
typedef enum tarn_solver_type {
    TARN_SOLVER_MULTIGRID = 0,
    TARN_SOLVER_CG = 1, ///< conjugate gradients
    TARN_SOLVER_GAUSS_SEIDEL = 2,
    TARN_SOLVER_JACOBI = 3
} tarn_solver_type;

/// The solver of the surface.
typedef struct tarn_solver {
    tarn_solver_type type; ///< TARN_SOLVER_MULTIGRID: linear solver
    double tolerance;      ///< 1e-6, 1e-12 .. 0.5: relative residual
    int iterations;        ///< 0, 0 .. 100000: largest number of iterations; 0: the default of the solver
} tarn_solver;

/// Shallow water with the surface at the end of a substep as unknown: steps of any length, thin water,
/// surface tension. Its first six members are those of tarn_shallow_def.
typedef struct tarn_implicit_def {
    tarn_vec2 size; ///< [m] 4 4, 1e-4 .. 1e6 each: length along x and z
    int cells[2];   ///< 128 128, 4 .. 32768 each: number of cells along x and z; cells must be square
    /// [m] NAN, 0 .. 1e4: water depth at rest above the lowest point of the bed; NAN: 1 if `level` is NAN
    double depth;
    double level;                   ///< [m] NAN, -1e5 .. 1e5: y of the surface at rest, instead of `depth`
    tarn_vec2 acceleration;         ///< [m/s^2] 0 0, -1e3 .. 1e3 each, live: of the water along x and z
    tarn_shake shake;               ///< added to `acceleration`
    int substeps;                   ///< 1, 1 .. 10000: of a step; floating bodies may need more than one
    double linear_friction;         ///< [m/s] 0, 0 .. 1e3, live: d0; the velocity decays at the rate d0/depth
    double damping_per_step;        ///< 0, 0 .. 1, live: fraction of the velocity removed in a step
    double surface_tension;         ///< [N/m] 0, 0 .. 1e3: surface tension; clean water has 0.073
    tarn_solver solver;             ///< of the surface
    tarn_wave_boundary boundary[4]; ///< TARN_WAVE_WALL: boundary condition of each tarn_side
} tarn_implicit_def;

/// Boundary conditions of the model `flow`. A periodic side needs a periodic opposite side.
typedef enum tarn_flow_boundary_type {
    TARN_FLOW_WALL = 0,
    TARN_FLOW_INFLOW = 1,  ///< needs an outflow somewhere
    TARN_FLOW_OUTFLOW = 2, ///< pressure 0
    TARN_FLOW_PERIODIC = 3
} tarn_flow_boundary_type;

/// Velocity profile of an inflow.
typedef enum tarn_flow_profile {
    TARN_FLOW_UNIFORM = 0,
    TARN_FLOW_PARABOLIC = 1 ///< `inflow_speed` at its centre and 0 at its ends
} tarn_flow_profile;

/// A section of a wall with a temperature of its own.
typedef struct tarn_hot_spot {
    double start, end;  ///< [m] along the side
    double temperature; ///< [K]
} tarn_hot_spot;

/// A side of the model `flow`. Members that its type does not name must be NAN or 0.
typedef struct tarn_flow_boundary {
    tarn_flow_boundary_type type; ///< TARN_FLOW_WALL: boundary condition
    tarn_flow_profile profile;    ///< TARN_FLOW_UNIFORM: inflow: velocity profile
    double wall_speed;            ///< [m/s] NAN, -1e4 .. 1e4, live: wall: velocity along the side; NAN: 0
    double inflow_speed; ///< [m/s] NAN, -1e4 .. 1e4, live: inflow: normal velocity, positive into the domain
    double start; ///< [m] NAN, 0 .. 1e6: inflow, outflow: start along the side; NAN: 0; the rest is wall
    double end;   ///< [m] NAN, 0 .. 1e6: inflow, outflow: end along the side; NAN: its length
    double dye;   ///< NAN, 0 .. 1e6, live: inflow: concentration of dye; NAN: 0
    double temperature; ///< [K] NAN, -1e6 .. 1e6, live: of an inflow or a wall; NAN: an insulated wall
    /// [m] 0 .. 6 spots: wall: sections with their own temperature, -1e6 .. 1e6 each number. The caller owns
    /// them; tarn_world_create() copies them.
    const tarn_hot_spot *hot_spots;
    int hot_spot_count; ///< number of spots
    bool slip;          ///< false; true: a wall exerts no shear
} tarn_flow_boundary;

/// Advection in the model `flow`.
typedef enum tarn_flow_advection {
    TARN_FLOW_MACCORMACK = 0,      ///< fast, for visual use
    TARN_FLOW_SEMI_LAGRANGIAN = 1, ///< fast, for visual use
    TARN_FLOW_CONSERVATIVE = 2     ///< accurate and conserving
} tarn_flow_advection;

/// Dye in the model `flow`.
typedef struct tarn_dye {
    double diffusivity; ///< [m^2/s] 0, 0 .. 1e4, live: diffusivity
    double decay;       ///< [1/s] 0, 0 .. 1e4, live: decay rate
} tarn_dye;

/// Temperature in the model `flow`.
typedef struct tarn_heat {
    double diffusivity; ///< [m^2/s] 0, 0 .. 1e4, live: thermal diffusivity
    double expansion;   ///< [1/K] 0.0034, -1e6 .. 1e6, live: beta; buoyancy is beta g (T - reference)
    double reference;   ///< [K] 0, -1e6 .. 1e6: temperature without buoyancy; initial temperature
} tarn_heat;

/// Vorticity confinement in the model `flow`.
typedef struct tarn_confinement {
    double strength; ///< 0, 0 .. 100, live: strength; 0: off
    double length;   ///< [m] 0.01, 1e-6 .. 1e4, live: length scale
    double x_min;    ///< [m] 0, 0 .. 1e6, live: smallest x with confinement, for comparison side by side
} tarn_confinement;

/// Incompressible flow with dye and heat in a vertical plane.
typedef struct tarn_flow_def {
    tarn_vec2 size; ///< [m] 1 1, 1e-6 .. 1e6 each: length along x and y
    int cells[2];   ///< 128 128, 4 .. 32768 each: number of cells along x and y; cells must be square
    tarn_flow_advection advection; ///< TARN_FLOW_MACCORMACK: advection
    int substeps;          ///< 0, 0 .. 100000: least number of a step; 0: as many as `max_courant` requires
    double viscosity;      ///< [m^2/s] 1e-5, 0 .. 1e4, live: kinematic viscosity; air 1.5e-5
    tarn_dye dye;          ///< dye
    tarn_heat temperature; ///< heat
    tarn_confinement confinement; ///< vorticity confinement
    tarn_vec2 acceleration;       ///< [m/s^2] 0 0, -1e6 .. 1e6 each, live: body force per mass along x and y
    /// 1e-5, 1e-9 .. 1e-1, live: tolerance of the projection: root mean square of the divergence times the
    /// cell size over the largest speed
    double divergence_tolerance;
    double max_courant;             ///< 0.8, 0.05 .. 1: conservative: Courant number of a substep
    bool freeze_velocity;           ///< false; true: the velocity is constant and only dye and heat change
    tarn_flow_boundary boundary[4]; ///< boundary condition of each tarn_side
} tarn_flow_def;

/// No fluid: a horizontal floor at y = 0.
typedef struct tarn_dry_def {
    tarn_vec2 size; ///< [m] 4 4, 0.01 .. 1e6 each: length along x and z
    bool walls;     ///< true: walls at the edges of the floor; false: it is unbounded
} tarn_dry_def;

/// A linear wave over a level bed: omega^2 = g k tanh(k depth).
typedef struct tarn_ocean_wave {
    double amplitude;  ///< [m] half the height from trough to crest
    double wavelength; ///< [m] at least 4 cells and 14 amplitudes
    double phase;      ///< fraction of a wavelength; 0: a crest is at x = z = 0 at time 0
    double direction;  ///< [rad] in which the wave travels: 0 along x, pi/2 along z
} tarn_ocean_wave;

/// Water whose motion is given: bodies float in it and do not change it. The still surface is at y = 0.
typedef struct tarn_ocean_def {
    tarn_vec2 size; ///< [m] 100 100, 0.01 .. 1e6 each: length along x and z
    int cells[2];   ///< 128 128, 4 .. 32768 each: number of cells along x and z; cells must be square
    double depth;   ///< [m] 100, 1e-3 .. 1e4: depth of the bed below the still surface
    const tarn_ocean_wave *waves; ///< 0 .. 64 waves, whose sum is the surface, numbers of -1e5 .. 1e5; copied
    int wave_count;               ///< number of waves
    bool from_host;               ///< false; true: the water is that of tarn_host.ocean, without `waves`
    double decay; ///< [m] 0, 0 .. 1e5: from_host: depth at which the motion of waves has decayed to 1/e; 0:
        ///< the horizontal motion is that of the surface, the vertical one falls linearly to the bed
} tarn_ocean_def;

/// Water at one point of tarn_host.ocean.
struct tarn_ocean_point {
    double height;      ///< [m] y of the surface
    double bed;         ///< [m] y of the ground, read when the world is created; -INFINITY: at `depth`
    tarn_vec3 velocity; ///< [m/s] of the water at the surface
};

/// Definition of a fluid. `type` selects the member that is read.
typedef struct tarn_fluid_def {
    tarn_fluid_type type;
    union {
        tarn_wave_def wave;
        tarn_shallow_def shallow;
        tarn_implicit_def implicit;
        tarn_flow_def flow;
        tarn_dry_def dry;
        tarn_ocean_def ocean;
        double space[62]; ///< reserves memory for later types
    };
} tarn_fluid_def;

/// @return a definition with the defaults of scene files
TARN_API tarn_fluid_def tarn_default_fluid_def(tarn_fluid_type type);

/// Get the definition of a world's fluid as it is now. Its arrays are valid as long as the world.
/// @return TARN_OK or TARN_BAD_ARGUMENT
TARN_API tarn_result tarn_world_get_fluid_def(const tarn_world *world, tarn_fluid_def *out);

/// Give the fluid the live parameters of a definition of the same type, from the next step on: the same as
/// tarn_world_set_param() for each.
/// @return TARN_OK; TARN_BAD_ARGUMENT (a null pointer); TARN_BAD_INPUT (a value out of range, or a parameter
///         that is fixed after creation and differs; err->key names it). The fluid is unchanged then
TARN_API tarn_result tarn_world_set_fluid_def(tarn_world *world, const tarn_fluid_def *def, tarn_error *err);

// ---- water ------------------------------------------------------------------------------------------

/// The surface over a point.
typedef struct tarn_surface {
    double height;      ///< [m] y of the surface; of the ground on dry land; 0 outside the domain
    double depth;       ///< [m] depth of the water; 0 on dry land and outside the domain
    tarn_vec3 normal;   ///< unit normal, upwards; zero outside the domain
    tarn_vec3 velocity; ///< [m/s] of the water at the surface
    bool wet;           ///< false: dry land, or a point outside the domain
} tarn_surface;

/// Get the surface over a point. @return zeros for NULL, the model `flow`, or a point outside the domain
TARN_API tarn_surface tarn_world_get_surface(const tarn_world *world, double x, double z);

/// One column of water.
typedef struct tarn_column {
    double height; ///< [m] y of the surface; at or below the bed: dry
    double u, w;   ///< [m/s] velocity along x and z at the centre of the cell
} tarn_column;

/// Set the water of every column, row by row along x: an initial state that no emitter describes. The volume
/// that it adds counts as emitted. Only in the models `shallow` and `implicit`.
/// @return TARN_OK, TARN_BAD_ARGUMENT or TARN_BAD_INPUT (a value out of range)
TARN_API tarn_result tarn_water_set_fields(tarn_world *world, const tarn_column *columns, tarn_error *err);

// ---- flow -------------------------------------------------------------------------------------------

/// The fluid of the model `flow` at a point: x to the right, y up, the origin in the lower left corner.
typedef struct tarn_flow_sample {
    double u, v;        ///< [m/s] velocity along x and y
    double pressure;    ///< [Pa] beyond that of the fluid at rest
    double dye;         ///< concentration
    double temperature; ///< [K] temperature
    double vorticity;   ///< [1/s] dv/dx - du/dy
    double open;        ///< 0 .. 1: fraction of the cell that is fluid; 0 outside the domain, like the rest
} tarn_flow_sample;

/// Get the fluid at a point, interpolated between the centres of cells. Only in the model `flow`.
/// @return TARN_OK or TARN_BAD_ARGUMENT
TARN_API tarn_result tarn_flow_get_sample(const tarn_world *world, double x, double y, tarn_flow_sample *out);

/// Get the divergence that the last projection left: its largest value times the cell size over the largest
/// speed. With bodies that is the projection before they collided and moved. @return 0 in other models
TARN_API double tarn_flow_get_divergence(const tarn_world *world);

/// The state at a point, of which u, v, dye and temperature are read.
typedef tarn_flow_sample (*tarn_flow_fn)(void *ctx, double x, double y);

/// Set the whole fluid: an initial state that no source describes. Velocities are read at the faces of cells,
/// where they are stored, and then projected. Only in the model `flow`. @return TARN_OK or TARN_BAD_ARGUMENT
TARN_API tarn_result tarn_flow_set_fields(tarn_world *world, tarn_flow_fn field, void *ctx, tarn_error *err);

#ifdef __cplusplus
}
#endif
#endif
