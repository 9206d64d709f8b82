// State, parameters and internal interface of the planar model (flow): incompressible flow with dye and
// temperature on a staggered (MAC) grid [harlow1965], with cut cells for solids. flow.c has the equations,
// flow_step.c the order of a substep. All files below src/fluid/flow include this header.
//
// Words: a node is the location of a value, so a u node is the centre of a west face, a v node the centre of
// a south face and a scalar node the centre of a cell. Solids are obstacles (prescribed motion) and bodies
// (moved by the fluid); solid_id counts them from 1, obstacles first, and is 0 where there is none. The mass
// of a node is the open fraction of its face, at least MIN_NODE_MASS; nodes with mass 0 are prescribed.
#ifndef FLUID_FLOW_H
#define FLUID_FLOW_H

#include "base/math/math.h"
#include "flow_rows.h"
#include "fluid/flow/obstacle/obstacle.h"
#include "fluid/fluid.h"
#include "solver/linear.h"

#include <string.h>

enum { FLOW_MAX_SPOTS = 6 };
// Aperture from which on conservative advection treats faces as fully open if there are bodies.
#define STAGE_MIN_APERTURE  0.75f
#define FLOW_EXPLICIT_LIMIT 0.2 // nu dt/dx^2 up to which diffusion is explicit

// Advected scalars, in the order of the arrays below.
enum { FLOW_DYE, FLOW_TEMPERATURE, FLOW_SCALARS };

// Boundary data of one side of the domain, cell by cell along it. Written by flow_update_boundary().
struct flow_boundary {
    unsigned char
        *kind; // TARN_FLOW_WALL ...; an inflow or outflow may take a section of a side, the rest is wall
    float *normal_velocity;     // [m/s] along the axis, of walls and inflows
    float *tangential_velocity; // [m/s] of the wall
    unsigned char *slip;        // the wall exerts no shear
    float *value
        [FLOW_SCALARS]; // of an inflow, or of a wall with a prescribed value; NaN: no flux through the wall
};

// A component (u, v or a scalar): the mass of its nodes (0: prescribed), the diffusion coefficients of the
// links to the west and south node, relative to those of an undisturbed link, and for the links through each
// side of the domain the factor of the coefficient in an implicit solve for changes (0: no value is
// prescribed outside).
struct flow_component {
    const float *mass, *coef_x, *coef_z;
    float *boundary_coef[4];
};

// The fraction of a face that a moving solid covers; or, with count > 1, a run of fully covered faces along a
// grid line. flow_build_body_rows() uses the whole list and then keeps only partly open faces.
struct cut_face {
    uint32_t face;
    uint16_t solid_id;
    unsigned char axis;     // 0: west face, 1: south face
    bool is_first;          // the first entry in the list for this face
    int count;              // of faces
    double closed_fraction; // of the face, by this scan
    double lever;           // [m] from the solid's origin to the centre of the covered part, along the face
    double solid_fraction;  // of the face that belongs to this solid if several share it
    float saved_mass,
        saved_velocity; // of the node, between flow_blend_cut_faces() and flow_unblend_cut_faces()
};

// The Jacobian rows of a moving solid: entries first .. first + count - 1 of flow.jacobian and
// flow.jacobian_cell.
struct body_rows {
    int solid_id, first, count;
};

// A viscous link from a fluid node to the surface of a solid; or, with axis -1, from a node inside a body
// whose face is partly open to that body.
struct wall_link {
    uint32_t node, solid_node;   // solid_node is the end of the link inside the solid
    uint16_t solid_id;           // of that solid
    signed char component, axis; // axis of the link, 0: along x
    float coef;                  // relative diffusion coefficient, 1/(distance to the surface in cells)
    double lever; // [m] lever arm of a force along the component where the link meets the surface
};

// A connected region of fluid of at most MAX_REGION_CELLS cells beside bodies, a candidate for closing.
struct small_region {
    size_t seed_cell;      // one of its cells
    int cell_count;        // number of its cells
    int largest_reachable; // cells of the largest region that bodies connect with it
    bool has_narrow_cell;  // the apertures of one of its cells sum up to less than 2
};

// A velocity node that exchanges momentum with solids: a free node whose face is partly covered or that has
// a neighbour in a solid, a node in a solid beside fluid, or a partly covered face on a side of the domain.
// What its fluid loses beyond what its neighbours and the domain receive acts on the owner. Values of a
// substep are in m/s.
struct solid_face {
    uint32_t node, cell_before; // cell_before: to the west or south of the face, across periodic sides too
    uint16_t owner;             // solid that covers the face, 0: it is open
    uint16_t neighbours[FLOW_LINKS]; // solids that the neighbouring nodes lie in, 0: none
    unsigned char component;         // FLOW_U, FLOW_V
    bool is_free, is_boundary;
    bool needs_flux;      // its fluid does not keep all of the advective fluxes
    float aperture, mass; // mass: of the node in an implicit solve
    float start;          // velocity at the start
    float force;          // change by the pressure of the last substep and by forces
    float advected;       // change by advection
    double flux;          // change by the advective fluxes through all sides of its control volume
};

// Consecutive nodes of a row with a velocity prescribed by one solid, or by a wall (solid_id 0).
struct prescribed_run {
    uint32_t first_node;
    uint16_t solid_id;
    unsigned char component; // FLOW_U, FLOW_V
    bool faces_closed;       // the faces are closed; otherwise they are partly open
    int count;
    double
        lever; // [m] from the solid's origin, normal to the component; for v it grows by dx from node to node
};

enum { FLOW_U, FLOW_V, FLOW_COMPONENTS = 2 + FLOW_SCALARS };
enum { FLOW_FIELDS = 30, FLOW_LINE_GROUPS = 16, FLOW_BLOCK = 8 };

// Buffers with several uses are unions with one name for each use. A use is over before the next begins.
struct flow {
    const struct flow_kernels *kernels;
    const struct advection_kernels *advection_kernels;
    const struct cutcell_kernels *cutcell_kernels;
    float *buffers[FLOW_FIELDS]; // allocations of the fields below
    // state
    float *u, *v;                    // [m/s] west and south face; ghosts are valid unless derived_stale
    float *p;                        // [m^2/s^2] pressure over density
    float *scalar[FLOW_SCALARS];     // dye; temperature minus rest temperature [K]
    double scalar_out[FLOW_SCALARS]; // [cells] sum that has left through the boundary
    double scalar_in[FLOW_SCALARS];  // [cells] sum that was added
    bool scalar_used[FLOW_SCALARS];  // some value or boundary value is not 0
    // scratch of a substep, and of flow_build_cut_cells() between substeps
    // Velocity after advection; velocity before it, once they are swapped; covered fraction of west faces.
    union {
        float *u_next, *u_old, *closed_x;
    };
    // The same for v and south faces.
    union {
        float *v_next, *v_old, *closed_z;
    };
    float *u_stage,
        *v_stage; // second Runge-Kutta stage, forward result of MacCormack, mean velocity for scalars
    float *u_change, *v_change; // [m/s] change by forces, and by diffusion if that is implicit
    // Next scalar; open fraction of the line x = const through a cell centre; confinement force along x.
    union {
        float *scalar_next, *centre_open_x, *confinement_x;
    };
    // Second stage; open fraction of the line z = const through a cell centre; confinement force along z.
    union {
        float *scalar_stage, *centre_open_z, *confinement_z;
    };
    // Change by diffusion; vorticity times dx; mass of nodes whose backtrace stays away from closed faces.
    union {
        float *scalar_change, *vorticity, *mass_away;
    };
    const float *zero_field;
    struct flow_trajectories trajectories;
    // cut cells, written by flow_build_cut_cells()
    float *aperture_x, *aperture_z;       // open fraction of west and south faces
    float *volume_fraction;               // open fraction of a cell
    float *mass_u, *mass_v, *mass_scalar; // of nodes, 0: prescribed
    float *coef_ux, *coef_uz, *coef_vx,
        *coef_vz;            // diffusion coefficients of the links between velocity nodes
    unsigned char *is_fluid; // 1: the cell has an open face
    size_t fluid_cell_count;
    double implicit_from;              // nu dt/dx^2 from which diffusion of velocity is implicit
    uint16_t *solid_id_u, *solid_id_v; // solid that a node lies in, 0: none
    uint16_t *covered_by_x,
        *covered_by_z; // solid that covers some of a west or south face, the last of several
    unsigned char
        *solid_blocks; // per row, blocks of FLOW_BLOCK cells near a solid; all faces of others are open
    int blocks_per_row;
    // Chebyshev distance [cells] to a cell with a closed face, valid up to distance_limit; codes CELL_PIERCED
    // ...
    union {
        unsigned char *wall_distance, *split_codes;
    };
    unsigned char *row_wall_distance; // minimum over a row, not limited by distance_limit
    unsigned char *open_faces;        // FACE_WEST ...: faces of a cell that advection may pass
    int distance_limit;
    float *wall_flux; // [m/s] net outflow of a cell through faces covered by moving solids, over dx
    union {           // scratch, one byte for each cell or node
        unsigned char *corner_marks, *closed_marks, *narrow_marks, *prescribed_marks, *link_marks;
        unsigned char *near_marks, *row_min_distance;
    };
    // is_fluid before the cut cells were rebuilt, then the layer in which a fresh cell was filled.
    union {
        unsigned char *was_fluid, *fill_layer;
    };
    bool has_moving_solids, has_prescribed_motion; // bodies or moving obstacles; moving obstacles
    // moving solids, see bodies/; the Jacobian rows of a solid are contiguous
    struct cut_face *cut_faces;
    struct body_rows *body_rows;
    struct wall_link *wall_links;
    struct body_step *body_steps; // by body slot
    struct low_rank_term *body_terms;
    size_t *jacobian_cell;
    double *jacobian[3];
    // Scratch, 0 between uses: 1 + Jacobian entry of a cell; axis bits of cut faces; region number; list of
    // cells.
    union {
        int *cell_slot, *cut_axes, *region_of_cell, *changed_cells;
    };
    struct small_region *small_regions;
    int *largest_region; // scratch by body slot: cells of the largest region that the body touches
    int small_region_count, small_region_capacity, largest_region_capacity;
    int cut_closed_start; // index of the first cut face that assign_closed_faces() added
    int cut_face_count, cut_face_capacity, body_rows_count, body_rows_capacity, wall_link_count,
        wall_link_capacity, body_step_capacity, body_term_count, body_term_capacity;
    int jacobian_cell_capacity, jacobian_capacity[3];
    struct prescribed_run *prescribed_runs;
    int prescribed_run_count, prescribed_run_capacity;
    struct solid_face *solid_faces; // empty without obstacles
    int solid_face_count, solid_face_capacity;
    bool has_reflecting_solid; // an obstacle has `boundary` reflect
    struct spans *spans;       // scratch of the scan, two of them
    struct flow_boundary boundary[4];
    struct flow_component component[FLOW_COMPONENTS];
    // projection
    struct linear_solver *solver;
    double *divergence, *potential; // right-hand side and solution
    struct linear_report report;
    double max_divergence; // largest net outflow of a cell after the last projection, over the largest speed
    union {                // line_scratch_stride floats for each of FLOW_LINE_GROUPS groups of lines
        float *line_scratch, *saved_apertures;
    };
    size_t line_scratch_stride;
    struct {
        double squares, max;
    } * row_divergence; // scratch, per row
    float *row_max_speed;
};

static inline const tarn_flow_def *flow_def_of(const struct fluid *f) { return &f->def.flow; }

static inline bool flow_is_weakly_coupled(const struct fluid *f) { return f->weakly_coupled; }

// The next run of cells [*begin, *end) of row j, at or after the given *end and before `last`, that is near a
// solid. False: there is none.
static inline bool next_solid_run(const struct flow *s, int j, int last, int *begin, int *end)
{
    const unsigned char *is_solid = s->solid_blocks + j * s->blocks_per_row;
    int b = (*end + FLOW_BLOCK - 1) / FLOW_BLOCK;
    while (b < s->blocks_per_row && !is_solid[b]) ++b;
    *begin = b * FLOW_BLOCK;
    while (b < s->blocks_per_row && is_solid[b]) ++b;
    *end = imin(b * FLOW_BLOCK, last);
    return *begin < *end;
}

// Loop over all such runs, row by row. With `more` = 1 the nodes on the east and north side of the domain are
// included.
#define FOR_EACH_SOLID_RUN(s, g, more, j, begin, end) \
    for (int j = 0; j < (g)->nz + (more); ++j)        \
        for (int begin, end = 0; next_solid_run((s), j, (g)->nx + (more), &begin, &end);)

// Index of the next mark that is not 0, from i on, or `end`. Reads eight marks at a time.
static inline int next_nonzero(const unsigned char *marks, int i, int end)
{
    for (uint64_t word; i + 8 <= end; i += 8) {
        memcpy(&word, marks + i, sizeof word);
#if __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__
        if (word) return i + (__builtin_ctzll(word) >> 3);
#else
        if (word) break;
#endif
    }
    while (i < end && !marks[i]) ++i;
    return i;
}

static inline int flow_side_length(const struct fluid *f, int side)
{
    return side < 2 ? f->grid.nz : f->grid.nx;
}

// ---- flow_boundary.c: boundary conditions of the domain ----

// Boundary data from the parameters; masses of boundary nodes and boundary coefficients.
void flow_update_boundary(struct fluid *f);

// Fill ghost cells, and the boundary faces with a prescribed normal velocity.
void flow_fill_velocity_ghosts(const struct fluid *f, float *u, float *v);
void flow_fill_u_ghosts(const struct fluid *f, float *u);
void flow_fill_v_ghosts(const struct fluid *f, float *v);
void flow_fill_scalar_ghosts(const struct fluid *f, int which, float *q);
void flow_fill_pressure_ghosts(const struct fluid *f, float *p);
void flow_fill_potential_ghosts(const struct fluid *f, double *x);

// Set up the linear solver of the projection after the cut cells have changed. False without memory.
bool flow_setup_pressure_solver(struct fluid *f);

// ---- cutcell/cut_cells.c: geometry of solids on the grid ----

// All faces open, before the first build.
void flow_init_cut_cells(struct fluid *f);

// Apertures, masses, coefficients and everything derived from them, from the present positions of all solids.
// False without memory.
bool flow_build_cut_cells(struct fluid *f);

// ---- cutcell/solid_faces.c, obstacle_load.c: momentum that the fluid gives to obstacles ----

// While cut cells are built: list the faces that exchange momentum with solids. False without memory.
bool flow_find_solid_faces(struct fluid *f);

// The parts of a substep, in order: after the forces are known; for each evaluation of the advective fluxes,
// with its share of the substep times dt/dx; after advection, or for schemes without fluxes; after diffusion,
// which is implicit or not; after the projection.
void flow_loads_begin(struct fluid *f, float dt_dx);
void flow_loads_add_fluxes(struct fluid *f, const float *u, const float *v, double dt_dx);
void flow_loads_note_advection(struct fluid *f, bool has_fluxes);
void flow_loads_finish(struct fluid *f, bool implicit);
void flow_loads_add_pressure(struct fluid *f, double dt);

// Velocity changes (x, y) [m/s] of whole faces act on an obstacle at a point (x, y) [m] from its origin.
void flow_loads_add_impulse(const struct fluid *f, struct obstacle *o, const double change[2], double x,
                            double y);

// Force and torque of the fluid on an obstacle, mean over the last world step.
void flow_obstacle_load(const struct fluid *f, int obstacle, tarn_obstacle_load *out);

// ---- cutcell/wall_distance.c ----

// Compute open_faces and start wall_distance anew; extend wall_distance up to `reach` [cells].
void flow_init_wall_distance(struct fluid *f);
void flow_extend_wall_distance(struct fluid *f, int reach);

// ---- cutcell/fresh_cells.c, cutcell/solid_velocity.c ----

// Move obstacles to their positions after dt, rebuild the cut cells, and treat fresh and covered cells.
void flow_move_obstacles(struct fluid *f, double dt);

// Rebuild the cut cells after bodies have moved, and treat fresh and covered cells.
void flow_update_cut_cells(struct fluid *f);

// [m] Distance from a solid's origin to a point along an axis, by the shorter way across periodic sides.
static inline double flow_periodic_offset(const struct fluid *f, int axis, double point, double origin)
{
    const double length = (axis ? f->grid.nz : f->grid.nx) * f->grid.dx, offset = point - origin;
    return (axis ? f->periodic_z : f->periodic_x) ? offset - length * floor(offset / length + 0.5) : offset;
}

// While cut cells are built: list the prescribed nodes. False without memory.
bool flow_find_prescribed_nodes(struct fluid *f);

// Set the velocity of prescribed nodes to that of their solids: of all of them, or only of those on closed
// faces.
void flow_impose_solid_velocity(const struct fluid *f, float *u, float *v);
void flow_impose_closed_velocity(const struct fluid *f, float *u, float *v);

// ---- cutcell/enclosed_regions.c ----

// While cut cells are built: close small regions that bodies enclose. False without memory.
bool flow_close_enclosed_regions(const struct fluid *f);

// ---- bodies/body_jacobian.c, cut_face_velocity.c: moving solids in the projection ----

// While cut cells are built: add an entry to the list of cut faces; then the Jacobian rows and low-rank terms
// from that list. False without memory.
bool flow_add_cut_face(struct fluid *f, const struct cut_face *cut);
bool flow_build_body_rows(struct fluid *f);

// wall_flux = J V for the present velocities V of moving solids.
void flow_update_wall_flux(const struct fluid *f);

// The right-hand side of the projection for the pending impulses on bodies alone. Returns the sum of its
// squares.
double flow_impulse_divergence(const struct fluid *f);

// Replace the velocity of partly covered faces by the mean of fluid and solid, weighted with the covered
// fractions, which is the velocity with which cells keep their volume; and recover the fluid velocity after
// advection, from (u, v) to (u_next, v_next), in a substep of dt_dx = dt/dx [s/m].
void flow_blend_cut_faces(const struct fluid *f);
void flow_unblend_cut_faces(const struct fluid *f, float dt_dx);
// Velocity of a node after first-order upwind mixing with inflow from its neighbours.
float flow_mixed_velocity(const struct fluid *f, const float *old_u, const float *old_v, int component,
                          size_t c, float dt_dx);

// The node to the west (link 0), east, south or north of node c, across periodic sides too.
static inline size_t flow_neighbour_node(const struct fluid *f, size_t c, int link)
{
    const struct grid *g = &f->grid;
    const size_t width = (size_t)g->nx, n = g->stride, height = n * (size_t)g->nz;
    const bool periodic = link < 2 ? f->periodic_x : f->periodic_z;
    const uint32_t offset = (uint32_t)(c - g->origin), row = periodic ? offset / (uint32_t)n : 0;
    const int index = link < 2 ? (int)(offset - row * (uint32_t)n) : (int)row;
    switch (link) {
    case 0: return periodic && index == 0 ? c + width - 1 : c - 1;
    case 1: return periodic && index >= g->nx - 1 ? c + 1 - width : c + 1;
    case 2: return periodic && index == 0 ? c + height - n : c - n;
    default: return periodic && index >= g->nz - 1 ? c + n - height : c + n;
    }
}

// ---- bodies/wall_shear.c, body_step.c, body_impulse.c: bodies that the fluid moves ----

struct body_step;

// While cut cells are built: list the viscous links to solids. False without memory.
bool flow_find_wall_links(struct fluid *f);
void flow_bodies_free(struct fluid *f);

// The parts of a substep that concern bodies, in order: drag on free nodes inside bodies; prediction of body
// velocities with viscous drag; all forces but the pressure of this substep; velocities from the potential,
// once per solve; explicit forces of weak coupling.
void flow_bodies_couple_inner_nodes(struct fluid *f, double dt);
void flow_bodies_predict(struct fluid *f, double dt);
void flow_bodies_apply_forces(struct fluid *f, double dt);
void flow_bodies_apply_pressure(struct fluid *f);
void flow_bodies_finish_weak(struct fluid *f, double dt);

// [m/s], [m/s], [rad/s] Velocity of a solid at the start of the substep. The fluid velocity was projected
// with this.
void flow_start_velocity(const struct fluid *f, int solid_id, double velocity[3]);

// Viscous impulse on solids of one velocity component, diffusion_number = nu dt/dx^2: explicit, from velocity
// q, with a correction of its change; implicit, from the solution of the lines along one axis.
void flow_wall_shear_explicit(const struct fluid *f, int component, float diffusion_number, const float *q,
                              float *change);
void flow_wall_shear_implicit(const struct fluid *f, int component, int axis, float diffusion_number,
                              const float *change);

// Apply the pending impulses to bodies and to the fluid around them; returns their scale factor.
double flow_apply_impulses(struct fluid *f, double dt);

// [m/s] Estimate of the largest speed of a body after the projection.
double flow_bodies_max_speed(const struct fluid *f);

// ---- cutcell/reflect.c ----

// Reflect velocities that point into an obstacle with `boundary` reflect.
void flow_reflect_velocity(const struct fluid *f, float *u, float *v);

// ---- flow_clipped_backtrace.c ----

// Advect nodes near closed faces again, along backtraces that end at the first closed face: a velocity
// component (FLOW_U, FLOW_V) or `count` scalars with the same trajectories, from q to out. Returns the masses
// of the remaining nodes, in mass_away.
const float *flow_advect_near_walls(const struct fluid *f, int component, int count, const float *const *q,
                                    float *const *out);

// ---- flow_diffusion.c: viscosity and diffusion ----

// change += diffusion_number L q for one component; ghosts of q are filled.
void flow_add_diffusion(struct fluid *f, int component, float diffusion_number, const float *q,
                        float *change);

// Solve (mass - diffusion_number L) x = change along x, then along z, in place. Returns the inflow through
// the sides of the domain [cells].
double flow_solve_diffusion(struct fluid *f, int component, float diffusion_number, float *change);

// ---- flow_step.c ----

// Functions of the model table, see fluid.h.
double flow_substep_dt(const struct fluid *f, double time_left);
void flow_advance(struct fluid *f, double dt, int count);
bool flow_is_valid(const struct fluid *f);
// Boundary data, ghosts and max_signal_speed from the state.
void flow_update_derived(struct fluid *f);

// Run fn over rows 0 .. nz in blocks.
void flow_for_face_rows(const struct fluid *f, row_range_fn fn, void *ctx);

// ---- flow_projection.c ----

// [m/s] Largest |u| + |v| of a cell and largest wall velocity; infinite if a value is not finite.
double flow_max_speed(struct fluid *f);

// Make the velocity free of divergence. dt [s] converts the potential to pressure; 0: the pressure stays.
void flow_project(struct fluid *f, double dt);

// The same for the pending impulses on bodies, in two halves: solve for the potential (false if the impulses
// are below the tolerance of the next projection); subtract its gradient times `scale` from the velocity.
bool flow_solve_impulses(struct fluid *f);
void flow_apply_impulse_pressure(struct fluid *f, double dt, double scale);

#endif
