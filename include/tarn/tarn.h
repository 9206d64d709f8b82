/// @file tarn.h
/// A world of water and bodies: create, step, query, save, destroy.
///
/// There is no global state. One thread at a time per world; different worlds may step together.
/// Every function checks its arguments and ids in every build.
#ifndef TARN_TARN_H
#define TARN_TARN_H

#include "param.h"
#include "types.h"

#ifdef __cplusplus
extern "C" {
#endif

#define TARN_VERSION "0.1.0"
#define TARN_MAX_DT  0.1 ///< [s] longest step of a world

/// The version of the library at run time.
TARN_API const char *tarn_version(void);

// ---- worlds ---------------------------------------------------------------------------------------

typedef struct tarn_world tarn_world;

#define TARN_BEDS 8 ///< most parts of a bed

/// Heights on a lattice that is stretched over the whole domain, its outermost points being the middles of the
/// outermost of nx x nz equal tiles. Lent to tarn_world_create(), which keeps no pointer to it.
typedef struct tarn_map {
    int nx, nz;
    const double *values; ///< nx * nz, row by row along x, the first row at the lowest z; NULL: none
} tarn_map;

/// How to make a world. Begin with tarn_world_def_default().
typedef struct tarn_world_def {
    double dt;      ///< [s] 1/60, the world's own step, in 1e-5 .. 0.1; frame rates do not change it
    double gravity; ///< [m/s^2] 9.81, downwards
    double density; ///< [kg/m^3] 1000, of the fluid
    int coupling; ///< how bodies move the water: 0 "columns", 1 "triangles" (the real-time literature's), and in the
                  ///< model "implicit" 2 "pressure" (its default) or 3 "penalty" (the literature's)
    double strength; ///< columns: 0.9, part of what a body displaces that lifts them; 0: none is lifted
    double weight;   ///< penalty: 10, how hard the surface is drawn to a body's underside in a step
    double
        splash; ///< 0, part of its speed at which a body that breaks the surface throws water up around itself
    int sleep;  ///< 1: bodies at rest are left alone until something wakes them
    int touch;  ///< 1: bodies touch each other; 0: only ground and walls
    int seed;   ///< 1; everything random follows from it
    tarn_spec fluid;          ///< the model and its parameters: tarn_spec_set(&def.fluid, "depth", ...)
    tarn_spec bed[TARN_BEDS]; ///< parts of the ground, whose heights add up
    int bed_count;            ///< 0: flat at y = 0
    tarn_map map;             ///< for the part that is a height map ("heightmap", "esri")
    tarn_host host;           ///< what the program lends; no part of the state
} tarn_world_def;

/// Defaults for a fluid model ("wave", "shallow", "implicit", "flow", "none": no water). An unknown model leaves fluid.kind NULL and create refuses it.
TARN_API tarn_world_def tarn_world_def_default(const char *model);

/// @return TARN_OK, TARN_BAD_INPUT (a parameter is impossible), TARN_BAD_ARGUMENT or TARN_NO_MEMORY;
///         on failure *out is NULL and err says why
TARN_API tarn_result tarn_world_create(const tarn_world_def *def, tarn_world **out, tarn_error *err);

/// Destroying NULL is fine.
TARN_API void tarn_world_destroy(tarn_world *world);

/// Let dt pass: take the steps that are due. Their number and size follow from the world alone, so frame
/// rate and worker count do not change a bit; what is left over is owed to the next call.
/// @param dt  [s] 0 < dt <= 10
/// @return    TARN_OK; TARN_DIVERGED if a value stopped being finite: the world stays readable, takes no
///            further step, and tarn_world_trouble() says where. With host.retries it is in its last good state
TARN_API tarn_result tarn_world_step(tarn_world *world, double dt);

/// Why the world stopped; empty while all is well.
TARN_API const char *tarn_world_trouble(const tarn_world *world);

/// Numbers about a run, for progress and summaries.
typedef struct tarn_status {
    double time;        ///< [s] of the last step
    uint64_t steps;     ///< world steps taken
    uint64_t inner;     ///< inner steps of the fluid taken
    int retaken;        ///< steps that had to be retaken since this world was made or loaded
    int inner_per_step; ///< inner steps that the next world step would take as things are now
    double courant;     ///< largest c dt sqrt(2) / dx so far; above 1 nothing would be stable
    int cells[2];       ///< columns along x and z
    double size[2];     ///< [m]
    int bodies, emitters;
} tarn_status;
TARN_API tarn_status tarn_world_status(const tarn_world *world);

/// Conserved quantities, summed when asked for. Volume and its sources in m^3.
typedef struct tarn_ledger {
    double time;              ///< [s]
    double volume;            ///< water there is
    double volume_emitted;    ///< what emitters added (drains count negative)
    double volume_out;        ///< what left through open sides
    double volume_placed;     ///< taken by bodies put into the water (removed: negative), and by `triangles`
    double volume_held;       ///< in the holds of open hulls, besides `volume`
    double volume_drift;      ///< volume + held - (start + emitted - out - placed): rounding and nothing else
    double submerged;         ///< volume of bodies under water
    double energy_water;      ///< [J] kinetic and potential, with what bodies displace and take along
    double energy_bodies;     ///< [J] kinetic, and potential above y = 0
    tarn_vec3 momentum_water; ///< [kg m/s]
    tarn_vec3 momentum_bodies; ///< [kg m/s] water in their holds included
    tarn_vec3 momentum_sink;   ///< [kg m/s] given to the water that it cannot carry (wave: all of it)
    tarn_vec3 momentum_walls;  ///< [kg m/s] that walls and floor gave the bodies
    // flow: integrals over the area; sources count as emitted, sides and decay as out
    double dye, dye_emitted, dye_out;    ///< [m^2]
    double heat, heat_emitted, heat_out; ///< [K m^2] above the rest temperature
} tarn_ledger;
TARN_API tarn_ledger tarn_world_ledger(const tarn_world *world);

/// A parameter of the running world by path ("fluid.damping", "emitters[0].rate", "bodies[2].thruster.force", bodies being
/// counted as tarn_body_at() does).
TARN_API tarn_result tarn_world_get(const tarn_world *world, const char *path, tarn_value *value);

/// Only parameters marked TARN_LIVE may change. @return TARN_OK, TARN_BAD_ARGUMENT or TARN_BAD_INPUT
TARN_API tarn_result tarn_world_set(tarn_world *world, const char *path, tarn_value value, tarn_error *err);

// ---- emitters -------------------------------------------------------------------------------------

/// Add an emitter ("hump", "fill", "drops", "rain", "wavemaker"; for "flow" "source"). They act in the order they were added.
TARN_API tarn_result tarn_emitter_create(tarn_world *world, const tarn_spec *spec, tarn_error *err);

// ---- obstacles ------------------------------------------------------------------------------------

#define TARN_PATH_ROWS 16   ///< most places of a path
#define TARN_MAP_SIDE  4096 ///< most cells of a bitmap each way

/// Where something is at given times, straight in between.
typedef struct tarn_path {
    int count;
    double rows[TARN_PATH_ROWS][4]; ///< time [s], x, y [m], angle [degrees]
} tarn_path;

/// Solid cells of a map, lent.
typedef struct tarn_bitmap {
    int nx, ny;
    const unsigned char *cells; ///< nx * ny, row by row along x from below; not 0: solid
} tarn_bitmap;

/// What stands or moves in a fluid of the model "flow", come what may. Begin with tarn_obstacle_def_default().
typedef struct tarn_obstacle_def {
    char name[TARN_NAME_BYTES];
    double
        position[2]; ///< [m] of its origin: the middle of circle and box, the lower left corner of a bitmap
    double angle;    ///< [degrees] counter-clockwise
    double velocity[2]; ///< [m/s] with which it moves on
    double spin;        ///< [degrees/s]
    tarn_path path;     ///< where it is instead; no rows: none
    int repeat;         ///< 1: the path begins again when it has ended
    int boundary;    ///< 0 "cut": faces are open in part; 1 "reflect": whole cells, that throw the fluid back
    tarn_bitmap map; ///< of the shape "bitmap"
    tarn_spec shape; ///< "circle", "box", "polygon", "bitmap", and its parameters
} tarn_obstacle_def;

TARN_API tarn_obstacle_def tarn_obstacle_def_default(const char *kind);

/// Obstacles are counted from 0 in the order in which they were made.
TARN_API tarn_result tarn_obstacle_create(tarn_world *world, const tarn_obstacle_def *def, tarn_error *err);

/// How an obstacle moves and what the fluid does to it, per metre of depth.
typedef struct tarn_obstacle_load {
    double x, y, angle;            ///< [m], [rad] where its origin is
    double u, v, spin;             ///< [m/s], [rad/s]
    double force_x, force_y;       ///< [N/m] of pressure and friction together
    double friction_x, friction_y; ///< [N/m] of friction alone
    double torque;                 ///< [N] about the origin, counter-clockwise
} tarn_obstacle_load;
TARN_API tarn_result tarn_obstacle_load_of(const tarn_world *world, int index, tarn_obstacle_load *out);

// ---- bodies ---------------------------------------------------------------------------------------

/// Triangles lent to a call, which keeps no pointer to them.
typedef struct tarn_triangles {
    int vertex_count, triangle_count;
    const double *vertices; ///< [m] x y z each
    const int *triangles;   ///< three vertex numbers each
} tarn_triangles;

/// One part of a body of several.
typedef struct tarn_part {
    tarn_spec shape;
    tarn_triangles mesh; ///< of the shape "mesh"
    double density;      ///< [kg/m^3] 0: the body's
    tarn_vec3 position;  ///< [m] of its centre of mass; only how the parts lie to each other matters
    tarn_quat rotation;
} tarn_part;

#define TARN_PARTS 256 ///< most parts of a body

/// What a body looks like, in its colour.
typedef enum tarn_material { TARN_PAINT, TARN_WOOD, TARN_GLASS, TARN_METAL, TARN_RUBBER } tarn_material;

/// How to make a body. Begin with tarn_body_def_default().
typedef struct tarn_body_def {
    tarn_spec shape;        ///< tarn_spec_set(&def.shape, "radius", ...)
    tarn_triangles mesh;    ///< of the shape "mesh", lent
    const tarn_part *parts; ///< of the shape "compound", lent; where they overlap, both count
    int part_count;
    char name[TARN_NAME_BYTES];
    double density;     ///< [kg/m^3] 500; used if mass is 0
    double mass;        ///< [kg] 0: from density
    tarn_vec3 position; ///< [m] of the centre of mass
    tarn_quat rotation; ///< 1 0 0 0
    tarn_vec3 velocity; ///< [m/s]
    tarn_vec3 spin;     ///< [rad/s], about the world's axes
    double restitution; ///< 0.3, 0 .. 1
    double friction;    ///< 0.5, Coulomb, 0 .. 10
    double drag;        ///< C_D of the wetted area; NAN (default): as fits the shape
    double facing; ///< 0 .. 1, part of it that depends on which way a face looks; NAN (default): likewise
    double lift;   ///< 0.007, C_L
    double thrust; ///< [N] 0, of a propeller, along the body's x axis, while it is under water
    tarn_vec3 thrust_at; ///< [m] where it is, in the body's axes from the centre of mass
    double rudder;       ///< [degrees] 0, turned about the body's y axis; above 0 the bow goes towards +z
    double rudder_area;  ///< [m^2] 0: no rudder
    tarn_vec3 rudder_at; ///< [m] where it is, likewise
    int external;        ///< 1: moved by the caller through tarn_body_move()
    tarn_vec3 colour;    ///< 0 .. 1 each
    int material;        ///< a tarn_material: what it looks like; moves nothing, and is no part of the hash
} tarn_body_def;

TARN_API tarn_body_def tarn_body_def_default(const char *shape);

/// A body put into water takes the place of that water: no wave starts, and the volume it took is booked.
/// In the model "flow" bodies are circles, boxes and convex polygons, 1 m deep, at z = 0; they turn about z alone (the inertia
/// about x and y is as good as infinite). Obstacles hold and push them.
TARN_API tarn_result tarn_body_create(tarn_world *world, const tarn_body_def *def, tarn_body *out,
                                      tarn_error *err);

/// The water closes the hole it leaves. @return TARN_OK or TARN_BAD_ARGUMENT (stale id)
TARN_API tarn_result tarn_body_remove(tarn_world *world, tarn_body body);

/// Where a body is and how it moves.
typedef struct tarn_motion {
    tarn_vec3 position; ///< [m] of the centre of mass
    tarn_quat rotation;
    tarn_vec3 velocity; ///< [m/s]
    tarn_vec3 spin;     ///< [rad/s], about the world's axes
} tarn_motion;
TARN_API tarn_result tarn_body_motion(const tarn_world *world, tarn_body body, tarn_motion *out);

/// Give a body a new pose and velocity: each step for external bodies, or to teleport.
TARN_API tarn_result tarn_body_move(tarn_world *world, tarn_body body, const tarn_motion *motion);

/// Push at a point [m] with a force [N] for the next world step. Forces add up, to 1e15 N at most.
TARN_API tarn_result tarn_body_push(tarn_world *world, tarn_body body, tarn_vec3 force, tarn_vec3 at);

/// What the water did to a body in the last inner step; gravity is not in it.
typedef struct tarn_load {
    tarn_vec3 buoyancy;      ///< [N] pressure, slopes included
    tarn_vec3 drag;          ///< [N]
    tarn_vec3 lift;          ///< [N]
    tarn_vec3 force;         ///< [N] what it came to over the step: slamming and the drag of the way included
    tarn_vec3 torque;        ///< [N m] about the centre of mass, likewise
    double submerged_volume; ///< [m^3]
    double submerged_fraction; ///< 0 .. 1
    double waterline;          ///< [m] height of the surface at the body
    double held;               ///< [m^3] water in the hold of an open hull
    /// [N], [N m] What another engine adds to gravity for a step as long, to move a body of this mass as tarn would. That
    /// water has to come along, damping and stiffness are in it, so that bodies of any lightness stay calm. The same as
    /// force and torque but for external bodies, where those are what the water does to something that does not yield.
    tarn_vec3 free_force, free_torque;
} tarn_load;
TARN_API tarn_result tarn_body_load(const tarn_world *world, tarn_body body, tarn_load *out);

/// What does not change.
typedef struct tarn_body_facts {
    char name[TARN_NAME_BYTES];
    double mass;       ///< [kg]
    double volume;     ///< [m^3]
    tarn_vec3 inertia; ///< [kg m^2] principal
    tarn_quat axes;    ///< turns the body's own axes into the principal ones
    double radius;     ///< [m] of the bounding sphere about the centre of mass
    tarn_vec3 colour;
    int external;
    int material; ///< a tarn_material
} tarn_body_facts;
TARN_API tarn_result tarn_body_facts_of(const tarn_world *world, tarn_body body, tarn_body_facts *out);

/// The living bodies, oldest slot first. @return all zero past the last
TARN_API tarn_body tarn_body_at(const tarn_world *world, int index);

/// By name. @return all zero if there is none
TARN_API tarn_body tarn_body_find(const tarn_world *world, const char *name);

// ---- joints ---------------------------------------------------------------------------------------

/// How to fasten two bodies to each other, or one to the world. Begin with tarn_joint_def_default().
typedef struct tarn_joint_def {
    tarn_spec kind; ///< "ball", "hinge", "spring", "line", and its parameters
    char name[TARN_NAME_BYTES];
    tarn_body a;  ///< a body
    tarn_body b;  ///< another one; all zero: the world
    tarn_vec3 at; ///< [m] where it is fastened to a, as the bodies are now
    tarn_vec3
        to; ///< [m] where it is fastened to b; "ball" and "hinge" hold both at `at` and do not look here
} tarn_joint_def;

TARN_API tarn_joint_def tarn_joint_def_default(const char *kind);

/// Bodies that a joint holds together do not touch each other. A joint goes with either of its bodies.
TARN_API tarn_result tarn_joint_create(tarn_world *world, const tarn_joint_def *def, tarn_joint *out,
                                       tarn_error *err);
TARN_API tarn_result tarn_joint_remove(tarn_world *world, tarn_joint joint);

/// Move the world's end of a joint: the cursor of a grab, the winch of a line.
TARN_API tarn_result tarn_joint_move(tarn_world *world, tarn_joint joint, tarn_vec3 to);

/// A spring from a point of a body to the same point of the world, soft enough to follow a hand: move its end with
/// tarn_joint_move(), let go with tarn_joint_remove().
TARN_API tarn_result tarn_body_grab(tarn_world *world, tarn_body body, tarn_vec3 at, tarn_joint *out);

// ---- events ---------------------------------------------------------------------------------------

typedef enum tarn_event_kind {
    TARN_TOUCH = 1, ///< two bodies, or a body and the world, began to touch
    TARN_PART,      ///< they ceased to
    TARN_HIT        ///< they met at more than 0.5 m/s
} tarn_event_kind;

typedef struct tarn_event {
    tarn_event_kind kind;
    tarn_body a, b;   ///< b all zero: walls, floor or ground
    tarn_vec3 point;  ///< [m]; all zero for a TARN_PART of bodies that are far from each other already
    tarn_vec3 normal; ///< from a to b; likewise
    double speed;     ///< [m/s] at which they met; hits only
    double impulse;   ///< [N s] along the normal; hits only
} tarn_event;

/// What happened during the last tarn_world_step(), in a fixed order. @return how many; *out lives until the next
/// call that changes the world
TARN_API int tarn_world_events(const tarn_world *world, const tarn_event **out);

// ---- water ----------------------------------------------------------------------------------------

/// The surface over a point.
typedef struct tarn_surface {
    double height;      ///< [m] of the surface
    double depth;       ///< [m]
    tarn_vec3 normal;   ///< unit, up
    tarn_vec3 velocity; ///< [m/s] of the water there
    int wet; ///< 0 outside the domain, where the rest is 0, and on dry land, whose height it then is
} tarn_surface;
TARN_API tarn_surface tarn_water_at(const tarn_world *world, double x, double z);
TARN_API tarn_result tarn_water_at_n(const tarn_world *world, int count, const double *x, const double *z,
                                     tarn_surface *out);

/// One column of water.
typedef struct tarn_column {
    double height; ///< [m] of the surface; at or below the bed: dry
    double u, w;   ///< [m/s] along x and z, in the middle of the cell
} tarn_column;

/// Set the water of every column, row by row along x: a start that no emitter describes. What it adds counts as
/// emitted. Only for models with terrain ("shallow", "implicit"). @return TARN_OK, TARN_BAD_ARGUMENT or TARN_BAD_INPUT
TARN_API tarn_result tarn_water_fill(tarn_world *world, const tarn_column *columns, tarn_error *err);

// ---- flow -----------------------------------------------------------------------------------------

/// The fluid of the model "flow" at a point: x to the right, y up, the origin in the lower left corner.
typedef struct tarn_flow {
    double u, v;      ///< [m/s] along x and y
    double pressure;  ///< [Pa] beyond that of fluid at rest
    double dye;       ///< 1 is full
    double heat;      ///< [K] temperature
    double vorticity; ///< [1/s] dv/dx - du/dy
    double open;      ///< 0 .. 1 of the cell that is fluid; 0 outside the domain, where the rest is 0
} tarn_flow;

/// Between the middles of cells. Only for the model "flow". @return TARN_OK or TARN_BAD_ARGUMENT
TARN_API tarn_result tarn_flow_at(const tarn_world *world, double x, double y, tarn_flow *out);

/// What the pressure leaves of the divergence: its largest value times the cell size over the fastest speed; with bodies that of the
/// last step's pressure, before they met and moved on, with (|u| + |v|)/sqrt(2) for the speed. 0 for other models.
TARN_API double tarn_flow_divergence(const tarn_world *world);

/// What there is at a point; of the result u, v, dye and heat count.
typedef tarn_flow (*tarn_flow_field)(void *ctx, double x, double y);

/// Set the whole fluid: a start that no source describes. Speeds are asked for where they stand, on the faces of cells,
/// and then made free of divergence. Only for the model "flow". @return TARN_OK or TARN_BAD_ARGUMENT
TARN_API tarn_result tarn_flow_fill(tarn_world *world, tarn_flow_field field, void *ctx, tarn_error *err);

// ---- frames ---------------------------------------------------------------------------------------

/// A closed triangle mesh in a body's own frame (origin: centre of mass).
typedef struct tarn_mesh {
    int vertex_count, triangle_count;
    const float *vertices; ///< x y z each, m
    const int *triangles;  ///< three vertex numbers each, counter-clockwise from outside
} tarn_mesh;

typedef struct tarn_frame_body {
    tarn_body id;
    tarn_motion motion;
    tarn_load load;
    tarn_vec3 colour;
    int material;          ///< a tarn_material
    const tarn_mesh *mesh; ///< lives as long as the body
    const tarn_mesh *hold; ///< likewise: the space inside an open hull, closed at the rim; NULL: none
    double inside;         ///< [m] height of the water's surface in the hold; without any, below all of it
} tarn_frame_body;

typedef struct tarn_frame_obstacle {
    char name[TARN_NAME_BYTES];
    tarn_obstacle_load load;
    int first, count; ///< corners of its outline among the frame's; none: it is seen by `open` alone
} tarn_frame_obstacle;

/// A picture of the world in plain arrays, owned by the caller: begin with zero, end with
/// tarn_frame_free(). All that drawing and exporters ever see.
typedef struct tarn_frame {
    double time; ///< [s] what it shows
    int flat;    ///< 1: a plane seen from the front, x right, y up: what is called z is y, and `height` is 0
    int nx, nz;
    double dx;                ///< [m] cell size
    double x0, z0;            ///< [m] centre of cell (0, 0)
    double level;             ///< [m] of the surface at rest
    float *height;            ///< [m] nx * nz, surface, row by row along x
    float *speed_x, *speed_z; ///< [m/s] nx * nz, of the water
    float *bed;               ///< [m] nx * nz, height of the ground; NULL: flat at 0. Dry: height == bed
    float *dye, *heat;        ///< flat, else NULL: nx * nz; heat in K
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
/// (needs tarn_world_keep(world, 1) before the step; without it every frame shows now).
TARN_API tarn_result tarn_world_frame(const tarn_world *world, double blend, tarn_frame *frame);
TARN_API void tarn_frame_free(tarn_frame *frame);

/// Keep the state before each step for blending: costs a copy per step.
TARN_API tarn_result tarn_world_keep(tarn_world *world, int on);

// ---- meshes ---------------------------------------------------------------------------------------

/// What a mesh is like as a solid: corners at the same place welded, faces turned outwards, small holes capped.
typedef struct tarn_mesh_facts {
    int triangles;     ///< given
    int vertices;      ///< given
    int welded;        ///< vertices left when those closer than 1e-6 of the box are one, and unused ones gone
    int dropped;       ///< faces without area, or there twice
    int turned;        ///< faces that were turned round to agree with their neighbours and look outwards
    int parts;         ///< connected pieces of the surface
    int cavities;      ///< of these, hollows inside another one: they look inwards and count negative
    int holes;         ///< loops of 3 .. 64 open edges that were closed by a fan of faces
    int open_edges;    ///< edges with a face on one side only, that no such loop goes through
    int crowded_edges; ///< edges with more than two faces
    int closed;        ///< 1: it is a solid, and what follows holds; 0: it is none, and `trouble` says why
    char trouble[96];  ///< "12 open edges"; empty if closed
    double volume;     ///< [m^3]
    tarn_vec3 centre;  ///< [m] of mass
    tarn_vec3 inertia; ///< [m^5] principal, about the centre, for a density of 1; the smallest first
    tarn_vec3 box_min; ///< [m] of all faces, closed or not
    tarn_vec3 box_max; ///< [m]
} tarn_mesh_facts;

/// Look at triangles as a solid. Arrays are lent: x y z of each vertex [m], three vertex numbers of each triangle.
/// @param allocator  NULL: the C library
/// @return TARN_OK, for open meshes too; TARN_BAD_INPUT if a number is not finite, beyond 1e9 m or out of range;
///         TARN_BAD_ARGUMENT or TARN_NO_MEMORY
TARN_API tarn_result tarn_mesh_look(int vertex_count, const double *vertices, int triangle_count,
                                    const int *triangles, const tarn_allocator *allocator,
                                    tarn_mesh_facts *out, tarn_error *err);

// ---- random numbers -------------------------------------------------------------------------------

/// The n-th number of a stream that belongs to a seed: 0 <= x < 1, the same everywhere, with no state behind it.
TARN_API double tarn_random(uint64_t seed, uint64_t stream, uint64_t n);

// ---- save, restore, hash --------------------------------------------------------------------------

/// Called with pieces of a checkpoint, in order. Anything but TARN_OK ends the save with that result.
typedef tarn_result (*tarn_writer)(void *ctx, const void *data, size_t size);

/// Fill `data` with exactly `size` bytes. TARN_IO if there are fewer.
typedef tarn_result (*tarn_reader)(void *ctx, void *data, size_t size);

TARN_API tarn_result tarn_world_save(const tarn_world *world, tarn_writer write, void *ctx);

/// Make the world that was saved; it goes on to the bit. A checkpoint is untrusted: anything impossible in
/// it is TARN_BAD_INPUT, never a crash.
TARN_API tarn_result tarn_world_load(tarn_reader read, void *ctx, const tarn_host *host, tarn_world **out,
                                     tarn_error *err);

/// One number for the whole state: equal states, equal numbers, on every machine.
TARN_API uint64_t tarn_world_hash(const tarn_world *world);

#ifdef __cplusplus
}
#endif
#endif
