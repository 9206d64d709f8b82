// What the files of the flow model share. See flow.c for the equations.
#ifndef FLUID_FLOW_H
#define FLUID_FLOW_H

#include "base/math.h"
#include "flow_rows.h"
#include "fluid/flow/obstacle/obstacle.h"
#include "fluid/fluid.h"
#include "solver/linear.h"

#include <string.h>

enum { FLOW_WALL, FLOW_INFLOW, FLOW_OUTFLOW, FLOW_PERIODIC };
enum { FLOW_MACCORMACK, FLOW_SEMI_LAGRANGIAN, FLOW_CONSERVATIVE };
enum { FLOW_UNIFORM, FLOW_PARABOLA };
enum { FLOW_STRONG, FLOW_WEAK };
enum { FLOW_MAX_SPOTS = 6 };
#define FLOW_EXPLICIT_LIMIT 0.2 // nu dt/dx^2 up to which friction is part of the stages

struct flow_boundary_def {
    double speed, from, to, dye, temperature; // NaN: not given
    struct {
        int count;
        double rows[FLOW_MAX_SPOTS][3]; // from, to [m], temperature
    } spots;
    int kind, slip, profile;
};

struct flow_def {
    double size[2];
    double viscosity, dye_diffusion, dye_decay;
    double heat_diffusion, heat_expansion, heat_rest;
    double confinement, confinement_length, confinement_x_min;
    double body_force[2];
    double divergence_tolerance, courant, weak_force_factor;
    struct flow_boundary_def boundary[4]; // west, east, south, north
    int cells[2];
    int advection, min_substeps, frozen_velocity, coupling;
};

// What moves with the fluid. The order of the arrays below.
enum { FLOW_DYE, FLOW_TEMPERATURE, FLOW_SCALARS };

// One side, place by place along it: what the fluid meets there.
struct flow_boundary {
    unsigned char *kind;        // FLOW_WALL ...; inflow and outflow may take a part of a side
    float *normal_velocity;     // [m/s] along the axis, of walls and inflows
    float *tangential_velocity; // [m/s] of the wall
    unsigned char *slip;        // the wall does not hold the fluid
    float *value[FLOW_SCALARS]; // of an inflow or a wall that holds it; NaN: nothing passes a wall
};

// A quantity that spreads: mass of its nodes (0: held), weights of the links to the west and south node. The ends of
// lines meet a side: `end` is what its link counts in a solve for changes, 0 where nothing is held beyond.
struct flow_component {
    const float *mass, *coef_x, *coef_z;
    float *boundary_coef[4];
};

// What an obstacle takes of one face, or (count above 1) of faces that follow each other along a line, all of each. Once rows are
// known, only those are kept that leave something open.
struct cut_face {
    uint32_t face;
    uint16_t solid_id;  // of the obstacle
    unsigned char axis; // 0: a west face
    bool is_first;      // of those that share a face
    int count;
    double closed_fraction,
        lever;             // of the face; [m] of its middle, along the face from the obstacle's origin
    double solid_fraction; // what is the obstacle's of a face that several may share
    float saved_mass, saved_velocity; // while faces are whole: mass and speed of the node
};

// The rows of an obstacle that moves.
struct body_rows {
    int solid_id, first, count;
};

// A free node beside one in a loose obstacle, or (axis -1) one in it that has fluid of its own.
struct wall_link {
    uint32_t node, solid_node;   // the node in the obstacle
    uint16_t solid_id;           // of that
    signed char component, axis; // axis of the link: 0 along x
    float coef;                  // its weight
    double lever;                // [m] lever of a push, where the link meets the obstacle
};

// A small part of the fluid beside loose obstacles.
struct small_region {
    size_t seed_cell;      // a cell of it
    int cell_count;        // its cells
    int largest_reachable; // cells of the largest one that obstacles lead to from here
    bool has_narrow_cell;  // it has a cell less than half of whose sides are open
};

// Nodes of a row that an obstacle, or a wall (number 0), holds.
struct prescribed_run {
    uint32_t first_node; // the first
    uint16_t solid_id;
    unsigned char component; // FLOW_U, FLOW_V
    bool faces_closed;       // their faces are; else they have fluid of their own
    int count;
    double
        lever; // [m] from the obstacle's origin, across the speed; of v it grows by a cell from node to node
};

enum { FLOW_U, FLOW_V, FLOW_COMPONENTS = 2 + FLOW_SCALARS };
enum { FLOW_FIELDS = 30, FLOW_LINE_GROUPS = 16, FLOW_BLOCK = 8 };

struct flow {
    const struct flow_kernels *kernels;
    const struct advection_kernels *advection_kernels;
    const struct cutcell_kernels *cutcell_kernels;
    float *buffers[FLOW_FIELDS]; // the buffers, by the slot they were made with
    // state
    float *u, *v;                    // [m/s] west and south face, ghosts filled unless stale
    float *p;                        // [m^2/s^2] pressure over density
    float *scalar[FLOW_SCALARS];     // dye; temperature above rest
    double scalar_out[FLOW_SCALARS]; // [cells] what has left through the sides
    double scalar_in[FLOW_SCALARS];  // [cells] what was put in
    bool scalar_used[FLOW_SCALARS];  // there is any, or a side brings it
    // scratch of one step
    float *u_next, *v_next, *u_stage, *v_stage; // stages
    float *u_change, *v_change;                 // [m/s] change by all but advection
    float *scalar_next, *scalar_stage, *scalar_change;
    const float *zero_field;
    struct flow_trajectories trajectories;
    // the room for the fluid
    float *aperture_x, *aperture_z;               // open part of west and south faces
    float *volume_fraction;                       // open part of a cell
    float *mass_u, *mass_v, *mass_scalar;         // of nodes, 0: held
    float *coef_ux, *coef_uz, *coef_vx, *coef_vz; // weights of links between speeds
    unsigned char *is_fluid;                      // 1: part of the fluid
    size_t fluid_cell_count;                      // of those
    double implicit_from;                         // nu dt/dx^2 beyond which friction is solved for
    uint16_t *solid_id_u, *solid_id_v;            // obstacle that holds a node, from 1; 0: none
    uint16_t *solid_id_cell;                      // whose surface is in a cell
    unsigned char
        *solid_blocks;  // blocks of cells, row by row, that an obstacle may change; in the others all is open
    int blocks_per_row; // of a row
    unsigned char
        *wall_distance; // cells to the next one that has a closed door, as far as measured; 255: farther
    unsigned char *row_wall_distance; // the least of a row, up to 255
    unsigned char *open_faces; // FLOW_TO_WEST ...: faces of a cell that something can be carried through
    int distance_limit;
    float *wall_flux;                              // [m/s] what moving obstacles push out of a cell
    unsigned char *cell_marks, *was_fluid;         // scratch of flow_room.c
    bool has_moving_solids, has_prescribed_motion; // an obstacle moves; of its own
    // what moves, see flow_loose.c; entries of rows stand beside each other
    struct cut_face *cut_faces;
    struct body_rows *body_rows;
    struct wall_link *wall_links;
    struct body_step *body_steps; // by number of the loose obstacle
    struct low_rank_term *body_terms;
    size_t *jacobian_cell;
    double *jacobian[3];
    int *cell_slot; // scratch: 1 + entry of a cell
    struct small_region *small_regions;
    int *
        largest_region; // scratch, by number of the loose obstacle: cells of the largest part that it leads to
    int small_region_count, small_region_capacity, largest_region_capacity;
    int cut_closed_start, cut_face_count, cut_face_capacity, body_rows_count, body_rows_capacity,
        wall_link_count, wall_link_capacity, body_step_capacity, body_term_count, body_term_capacity;
    int jacobian_cell_capacity, jacobian_capacity[3];
    struct prescribed_run *prescribed_runs;
    int prescribed_run_count, prescribed_run_capacity;
    bool has_reflecting_solid; // an obstacle throws the fluid back
    struct spans *spans;
    struct flow_boundary boundary[4];
    struct flow_component component[FLOW_COMPONENTS];
    // the solver
    struct linear_solver *solver;
    double *divergence, *potential;
    struct linear_report report;
    double
        max_divergence;  // most that leaves a cell after the pressure of a step, over the fastest speed then
    float *line_scratch; // scratch of line solves, FLOW_GROUPS of them
    size_t line_scratch_stride;
    struct {
        double squares, most;
    } * row_divergence; // scratch, per row
    float *row_max_speed;
};

static inline const struct flow_def *flow_def_of(const struct fluid *f)
{
    return (const struct flow_def *)f->params.data;
}

static inline bool flow_is_weakly_coupled(const struct fluid *f)
{
    return flow_def_of(f)->coupling == FLOW_WEAK;
}

// The next run of cells of row j, from *end on, that obstacles may change: from *end, which becomes its end, on.
static inline bool next_solid_run(const struct flow *s, int j, int last, int *begin, int *end)
{
    const unsigned char *busy = s->solid_blocks + j * s->blocks_per_row;
    int b = (*end + FLOW_BLOCK - 1) / FLOW_BLOCK;
    while (b < s->blocks_per_row && !busy[b]) ++b;
    *begin = b * FLOW_BLOCK;
    while (b < s->blocks_per_row && busy[b]) ++b;
    *end = imin(b * FLOW_BLOCK, last);
    return *begin < *end;
}

// All of them, row by row; with `more` the nodes at the last sides too.
#define FOR_EACH_SOLID_RUN(s, g, more, j, begin, end) \
    for (int j = 0; j < (g)->nz + (more); ++j)        \
        for (int begin, end = 0; next_solid_run((s), j, (g)->nx + (more), &begin, &end);)

// The next of these marks that is not 0, from i on, or `end`: eight at a time.
static inline int next_nonzero(const unsigned char *marks, int i, int end)
{
    for (uint64_t eight; i + 8 <= end; i += 8) {
        memcpy(&eight, marks + i, sizeof eight);
#if __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__
        if (eight) return i + (__builtin_ctzll(eight) >> 3);
#else
        if (eight) break;
#endif
    }
    while (i < end && !marks[i]) ++i;
    return i;
}

static inline int flow_side_length(const struct fluid *f, int side)
{
    return side < 2 ? f->grid.nz : f->grid.nx;
}

// ---- flow_sides.c: what is at the sides ----

// Edges from the parameters, and what follows from them and the room: masses and ends.
void flow_update_boundary(struct fluid *f);

// Side faces that are told, and ghosts of speeds, scalars and pressure.
void flow_fill_velocity_ghosts(const struct fluid *f, float *u, float *v);
void flow_fill_u_ghosts(const struct fluid *f, float *u);
void flow_fill_v_ghosts(const struct fluid *f, float *v);
void flow_fill_scalar_ghosts(const struct fluid *f, int which, float *q);
void flow_fill_pressure_ghosts(const struct fluid *f, float *p);
void flow_fill_potential_ghosts(const struct fluid *f, double *x);

// The system of the pressure, whenever the room has changed. False without memory.
bool flow_setup_pressure_solver(struct fluid *f);

// ---- flow_room.c: obstacles ----

// A room without anything in it, at the very start.
void flow_init_cut_cells(struct fluid *f);

// The room from the obstacles where they are now. False without memory.
bool flow_build_cut_cells(struct fluid *f);

// ---- flow_load.c ----

void flow_obstacle_load(const struct fluid *f, int obstacle, tarn_obstacle_load *out);

// ---- flow_far.c ----

// Distances anew from the room, and doors; and as far as `reach` [cells].
void flow_init_wall_distance(struct fluid *f);
void flow_extend_wall_distance(struct fluid *f, int reach);

// ---- flow_motion.c ----

// Obstacles to where they are after the next dt; what they leave and what they take.
void flow_move_obstacles(struct fluid *f, double dt);

// Loose obstacles have been moved.
void flow_update_cut_cells(struct fluid *f);

// [m] From an obstacle's origin to a place, the shorter way where sides are periodic.
static inline double flow_periodic_offset(const struct fluid *f, int axis, double at, double centre)
{
    const double length = (axis ? f->grid.nz : f->grid.nx) * f->grid.dx, arm = at - centre;
    return (axis ? f->periodic_z : f->periodic_x) ? arm - length * floor(arm / length + 0.5) : arm;
}

// While the room is built: the nodes that are held. False without memory.
bool flow_find_prescribed_nodes(struct fluid *f);

// Speeds of nodes that are held by obstacles.
void flow_impose_solid_velocity(const struct fluid *f, float *u, float *v);
void flow_impose_closed_velocity(const struct fluid *f, float *u,
                                 float *v); // only those without fluid of their own

// ---- flow_pockets.c ----

// While the room is built: what loose obstacles cut off from the rest counts as solid. False without memory.
bool flow_close_enclosed_regions(const struct fluid *f);

// ---- flow_grip.c: what obstacles that move take of faces ----

// While the room is built: cuts, then rows and terms from them. False without memory.
bool flow_add_cut_face(struct fluid *f, const struct cut_face *cut);
bool flow_build_body_rows(struct fluid *f);

// What obstacles push out of cells with their present speeds.
void flow_update_wall_flux(const struct fluid *f);

// The right-hand side for the pressure of blows alone, and the sum of its squares.
double flow_impulse_divergence(const struct fluid *f);

// Whole faces where obstacles take a part: their speed is the mean of fluid and obstacle, of which cells keep their volume.
// Then back: from u, v to u1, v1 in a step of k = dt/h [s/m].
void flow_blend_cut_faces(const struct fluid *f);
void flow_unblend_cut_faces(const struct fluid *f, float k);
// The speed of a node whose fluid mingles with what comes in.
float flow_mixed_velocity(const struct fluid *f, const float *old_u, const float *old_v, int net, size_t c,
                          float k);

// The node to the west (link 0), east, south or north of one, across periodic sides too.
static inline size_t flow_neighbour_node(const struct fluid *f, size_t c, int link)
{
    const struct grid *g = &f->grid;
    const size_t wide = (size_t)g->nx, n = g->stride, high = n * (size_t)g->nz;
    const bool wrap = link < 2 ? f->periodic_x : f->periodic_z;
    const uint32_t at = (uint32_t)(c - g->origin), row = wrap ? at / (uint32_t)n : 0;
    const int place = link < 2 ? (int)(at - row * (uint32_t)n) : (int)row;
    switch (link) {
    case 0: return wrap && place == 0 ? c + wide - 1 : c - 1;
    case 1: return wrap && place >= g->nx - 1 ? c + 1 - wide : c + 1;
    case 2: return wrap && place == 0 ? c + high - n : c - n;
    default: return wrap && place >= g->nz - 1 ? c + n - high : c + n;
    }
}

// ---- flow_loose.c: obstacles that the fluid carries ----

struct body_step;

// While the room is built: nodes at surfaces. False without memory.
bool flow_find_wall_links(struct fluid *f);
void flow_bodies_free(struct fluid *f);

// Where there are any: a step begins, with nodes that they hold; they are pushed for dt; friction has been at work; the
// pressure was found; it is over.
void flow_bodies_couple_inner_nodes(struct fluid *f, double dt);
void flow_bodies_predict(struct fluid *f, double dt);
void flow_bodies_apply_forces(struct fluid *f, double dt);
void flow_bodies_apply_pressure(struct fluid *f);
void flow_bodies_finish_weak(struct fluid *f, double dt);

// [m/s], [m/s], [rad/s] of an obstacle when the step began: the fluid's speeds are free of divergence with those.
void flow_start_velocity(const struct fluid *f, int number, double v[3]);

// Friction of speed `net`, k = nu dt/h^2: by differences of q, which changes d; by lines along an axis, solved to d.
void flow_wall_shear_explicit(const struct fluid *f, int net, float k, const float *q, float *d);
void flow_wall_shear_implicit(const struct fluid *f, int net, int axis, float k, const float *d);

double flow_apply_impulses(struct fluid *f, double dt);

// [m/s] About what the fastest of them will have after the pressure.
double flow_bodies_max_speed(const struct fluid *f);

// Speeds of cells beside obstacles that throw the fluid back, mirrored where they lead inside.
void flow_reflect_velocity(const struct fluid *f, float *u, float *v);

// ---- flow_near.c ----

// Carry what is near obstacles once more, by the ways that the flow has come, which end at solid faces: a speed (net FLOW_U,
// FLOW_V) or `count` scalars that go the same ways, from q to out. Gives back the mass of all others, which may stand in dq.
const float *flow_advect_near_walls(const struct fluid *f, int net, int count, const float *const *q,
                                    float *const *out);

// ---- flow_spread.c: viscosity and diffusion ----

// d += k (links to neighbours) of q, ghosts filled.
void flow_add_diffusion(struct fluid *f, int net, float k, const float *q, float *d);

// Solve (mass - k L) x = d along x, then along z, in place. The sum of what ends of lines gave: [cells].
double flow_solve_diffusion(struct fluid *f, int net, float k, float *d);

// ---- flow_step.c ----

double flow_substep_dt(const struct fluid *f, double left);
void flow_advance(struct fluid *f, double dt, int count);
bool flow_is_valid(const struct fluid *f);
void flow_update_derived(struct fluid *f);

// Hand rows 0 .. nz to fn.
void flow_for_face_rows(const struct fluid *f, row_range_fn fn, void *ctx);

// ---- flow_pressure.c ----

// [m/s] The fastest speed now, of fluid and walls; infinite if one is not a number.
double flow_max_speed(struct fluid *f);

// Make the speeds free of divergence; `dt` [s] turns what that takes into pressure, 0: it is not kept.
void flow_project(struct fluid *f, double dt);

// The same for blows on loose obstacles, in two halves: find their pressure, false if they move less than
// the next step's may leave; give the speeds a part of it.
bool flow_solve_impulses(struct fluid *f);
void flow_apply_impulse_pressure(struct fluid *f, double dt, double part);

#endif
