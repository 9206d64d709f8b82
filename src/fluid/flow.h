// What the files of the flow model share. See flow.c for the equations.
#ifndef FLUID_FLOW_H
#define FLUID_FLOW_H

#include "base/math.h"
#include "flow_rows.h"
#include "fluid.h"
#include "linear.h"
#include "obstacle.h"

#include <string.h>

enum { FLOW_WALL, FLOW_INFLOW, FLOW_OUTFLOW, FLOW_PERIODIC };
enum { FLOW_MACCORMACK, FLOW_SEMI_LAGRANGIAN, FLOW_CONSERVATIVE };
enum { FLOW_UNIFORM, FLOW_PARABOLA };
enum { FLOW_STRONG, FLOW_WEAK };
enum { FLOW_SPOTS = 6 };
#define FLOW_STIFF 0.2 // nu dt/dx^2 up to which friction is part of the stages

struct flow_side {
    double speed, from, to, dye, heat; // NaN: not given
    struct {
        int count;
        double rows[FLOW_SPOTS][3]; // from, to [m], temperature
    } spots;
    int kind, slip, profile;
};

struct flow_def {
    double size[2];
    double viscosity, dye_diffusion, dye_decay;
    double heat_diffusion, heat_expansion, heat_rest;
    double confinement, confinement_length, confinement_from;
    double force[2];
    double tolerance, courant, strength;
    struct flow_side side[4]; // west, east, south, north
    int cells[2];
    int advection, steps, frozen, coupling;
};

// What moves with the fluid. The order of the arrays below.
enum { FLOW_DYE, FLOW_HEAT, FLOW_SCALARS };

// One side, place by place along it: what the fluid meets there.
struct flow_edge {
    unsigned char *kind;        // FLOW_WALL ...; inflow and outflow may take a part of a side
    float *normal;              // [m/s] along the axis, of walls and inflows
    float *along;               // [m/s] of the wall
    unsigned char *slip;        // the wall does not hold the fluid
    float *value[FLOW_SCALARS]; // of an inflow or a wall that holds it; NaN: nothing passes a wall
};

// A quantity that spreads: mass of its nodes (0: held), weights of the links to the west and south node. The ends of
// lines meet a side: `end` is what its link counts in a solve for changes, 0 where nothing is held beyond.
struct flow_net {
    const float *mass, *west, *south;
    float *end[4];
};

// What an obstacle takes of one face, or (count above 1) of faces that follow each other along a line, all of each. Once rows are
// known, only those are kept that leave something open.
struct flow_cut {
    uint32_t face;
    uint16_t number;    // of the obstacle
    unsigned char axis; // 0: a west face
    bool first;         // of those that share a face
    int count;
    double part, arm; // of the face; [m] of its middle, along the face from the obstacle's origin
    double solid;     // what is the obstacle's of a face that several may share
    float mass, was;  // while faces are whole: mass and speed of the node
};

// The rows of an obstacle that moves.
struct flow_grip {
    int number, first, count;
};

// A free node beside one in a loose obstacle, or (axis -1) one in it that has fluid of its own.
struct flow_rub {
    uint32_t c, other;     // the node in the obstacle
    uint16_t number;       // of that
    signed char net, axis; // axis of the link: 0 along x
    float link;            // its weight
    double arm;            // [m] lever of a push, where the link meets the obstacle
};

// A small part of the fluid beside loose obstacles.
struct flow_part {
    size_t at;   // a cell of it
    int count;   // its cells
    int most;    // cells of the largest one that obstacles lead to from here
    bool narrow; // it has a cell less than half of whose sides are open
};

// Nodes of a row that an obstacle, or a wall (number 0), holds.
struct flow_held {
    uint32_t c; // the first
    uint16_t number;
    unsigned char net; // FLOW_U, FLOW_V
    bool closed;       // their faces are; else they have fluid of their own
    int count;
    double arm; // [m] from the obstacle's origin, across the speed; of v it grows by a cell from node to node
};

enum { FLOW_U, FLOW_V, FLOW_NETS = 2 + FLOW_SCALARS };
enum { FLOW_FIELDS = 30, FLOW_GROUPS = 16, FLOW_BLOCK = 8 };

struct flow {
    const struct flow_kernels *kernels;
    const struct flow_carry_kernels *carry;
    const struct flow_room_kernels *room;
    float *own[FLOW_FIELDS]; // the buffers, by the slot they were made with
    // state
    float *u, *v;             // [m/s] west and south face, ghosts filled unless stale
    float *p;                 // [m^2/s^2] pressure over density
    float *q[FLOW_SCALARS];   // dye; temperature above rest
    double out[FLOW_SCALARS]; // [cells] what has left through the sides
    double in[FLOW_SCALARS];  // [cells] what was put in
    bool used[FLOW_SCALARS];  // there is any, or a side brings it
    // scratch of one step
    float *u1, *v1, *u2, *v2; // stages
    float *du, *dv;           // [m/s] change by all but advection
    float *q1, *q2, *dq;
    const float *zero;
    struct flow_ways ways;
    // the room for the fluid
    float *ax, *az;                  // open part of west and south faces
    float *open;                     // open part of a cell
    float *mass_u, *mass_v, *mass_q; // of nodes, 0: held
    float *ux, *uz, *vx, *vz;        // weights of links between speeds
    unsigned char *cells;            // 1: part of the fluid
    size_t cell_count;               // of those
    double stiff_from;               // nu dt/dx^2 beyond which friction is solved for
    uint16_t *owner_u, *owner_v;     // obstacle that holds a node, from 1; 0: none
    uint16_t *owner;                 // whose surface is in a cell
    unsigned char
        *busy;          // blocks of cells, row by row, that an obstacle may change; in the others all is open
    int blocks;         // of a row
    unsigned char *far; // cells to the next one that has a closed door, as far as measured; 255: farther
    unsigned char *row_far; // the least of a row, up to 255
    unsigned char *doors;   // FLOW_TO_WEST ...: faces of a cell that something can be carried through
    int measured;
    float *pump;                // [m/s] what moving obstacles push out of a cell
    unsigned char *marks, *was; // scratch of flow_room.c
    bool moving, on_paths;      // an obstacle moves; of its own
    // what moves, see flow_loose.c; entries of rows stand beside each other
    struct flow_cut *cuts;
    struct flow_grip *grips;
    struct flow_rub *rubs;
    struct flow_ward *wards; // by number of the loose obstacle
    struct linear_term *terms;
    size_t *row_at;
    double *row[3];
    int *slot; // scratch: 1 + entry of a cell
    struct flow_part *parts;
    int *widest; // scratch, by number of the loose obstacle: cells of the largest part that it leads to
    int part_count, part_room, widest_room;
    int cut_first, cut_count, cut_room, grip_count, grip_room, rub_count, rub_count_room, ward_room,
        term_count, term_room;
    int row_at_room, row_room[3];
    struct flow_held *held;
    int held_count, held_room;
    bool mirrors; // an obstacle throws the fluid back
    struct spans *spans;
    struct flow_edge edge[4];
    struct flow_net net[FLOW_NETS];
    bool stale; // ghosts, edges and fastest are to be found anew
    // the solver
    struct linear_solver *solver;
    double *b, *x;
    struct linear_report report;
    double squeezed; // most that leaves a cell after the pressure of a step, over the fastest speed then
    float *lines;    // scratch of line solves, FLOW_GROUPS of them
    size_t lines_each;
    struct {
        double squares, most;
    } * row_sums; // scratch, per row
    float *row_speed;
};

static inline const struct flow_def *flow_def_of(const struct fluid *f)
{
    return (const struct flow_def *)f->spec.data;
}

static inline bool flow_is_weak(const struct fluid *f) { return flow_def_of(f)->coupling == FLOW_WEAK; }

// The next run of cells of row j, from *end on, that obstacles may change: from *end, which becomes its end, on.
static inline bool flow_run(const struct flow *s, int j, int last, int *begin, int *end)
{
    const unsigned char *busy = s->busy + j * s->blocks;
    int b = (*end + FLOW_BLOCK - 1) / FLOW_BLOCK;
    while (b < s->blocks && !busy[b]) ++b;
    *begin = b * FLOW_BLOCK;
    while (b < s->blocks && busy[b]) ++b;
    *end = imin(b * FLOW_BLOCK, last);
    return *begin < *end;
}

// All of them, row by row; with `more` the nodes at the last sides too.
#define FLOW_EACH_RUN(s, g, more, j, begin, end) \
    for (int j = 0; j < (g)->nz + (more); ++j)   \
        for (int begin, end = 0; flow_run((s), j, (g)->nx + (more), &begin, &end);)

// The next of these marks that is not 0, from i on, or `end`: eight at a time.
static inline int flow_marked(const unsigned char *marks, int i, int end)
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

static inline int flow_along(const struct fluid *f, int side) { return side < 2 ? f->g.nz : f->g.nx; }

// ---- flow_sides.c: what is at the sides ----

// Edges from the parameters, and what follows from them and the room: masses and ends.
void flow_edges(struct fluid *f);

// Side faces that are told, and ghosts of speeds, scalars and pressure.
void flow_speed_ghosts(const struct fluid *f, float *u, float *v);
void flow_ghosts_of_u(const struct fluid *f, float *u);
void flow_ghosts_of_v(const struct fluid *f, float *v);
void flow_scalar_ghosts(const struct fluid *f, int which, float *q);
void flow_pressure_ghosts(const struct fluid *f, float *p);
void flow_solution_ghosts(const struct fluid *f, double *x);

// The system of the pressure, whenever the room has changed. False without memory.
bool flow_prepare(struct fluid *f);

// ---- flow_room.c: obstacles ----

// A room without anything in it, at the very start.
void flow_empty_room(struct fluid *f);

// The room from the obstacles where they are now. False without memory.
bool flow_build_room(struct fluid *f);

// ---- flow_load.c ----

void flow_load_of(const struct fluid *f, int obstacle, tarn_obstacle_load *out);

// ---- flow_far.c ----

// Distances anew from the room, and doors; and as far as `reach` [cells].
void flow_seed_far(struct fluid *f);
void flow_measure(struct fluid *f, int reach);

// ---- flow_motion.c ----

// Obstacles to where they are after the next dt; what they leave and what they take.
void flow_move_obstacles(struct fluid *f, double dt);

// Loose obstacles have been moved.
void flow_follow(struct fluid *f);

// [m] From an obstacle's origin to a place, the shorter way where sides are periodic.
static inline double flow_arm(const struct fluid *f, int axis, double at, double centre)
{
    const double length = (axis ? f->g.nz : f->g.nx) * f->g.s, arm = at - centre;
    return (axis ? f->wrap_z : f->wrap_x) ? arm - length * floor(arm / length + 0.5) : arm;
}

// While the room is built: the nodes that are held. False without memory.
bool flow_find_held(struct fluid *f);

// Speeds of nodes that are held by obstacles.
void flow_hold(const struct fluid *f, float *u, float *v);
void flow_hold_closed(const struct fluid *f, float *u, float *v); // only those without fluid of their own

// ---- flow_pockets.c ----

// While the room is built: what loose obstacles cut off from the rest counts as solid. False without memory.
bool flow_close_pockets(const struct fluid *f);

// ---- flow_grip.c: what obstacles that move take of faces ----

// While the room is built: cuts, then rows and terms from them. False without memory.
bool flow_note_cut(struct fluid *f, const struct flow_cut *cut);
bool flow_grip(struct fluid *f);

// What obstacles push out of cells with their present speeds.
void flow_pump(const struct fluid *f);

// The right-hand side for the pressure of blows alone, and the sum of its squares.
double flow_pump_blows(const struct fluid *f);

// Whole faces where obstacles take a part: their speed is the mean of fluid and obstacle, of which cells keep their volume.
// Then back: from u, v to u1, v1 in a step of k = dt/h [s/m].
void flow_mix_faces(const struct fluid *f);
void flow_part_faces(const struct fluid *f, float k);
// The speed of a node whose fluid mingles with what comes in.
float flow_mingled(const struct fluid *f, const float *old_u, const float *old_v, int net, size_t c, float k);

// The node to the west (link 0), east, south or north of one, across periodic sides too.
static inline size_t flow_beside(const struct fluid *f, size_t c, int link)
{
    const struct grid *g = &f->g;
    const size_t wide = (size_t)g->nx, n = g->stride, high = n * (size_t)g->nz;
    const bool wrap = link < 2 ? f->wrap_x : f->wrap_z;
    const uint32_t at = (uint32_t)(c - g->first), row = wrap ? at / (uint32_t)n : 0;
    const int place = link < 2 ? (int)(at - row * (uint32_t)n) : (int)row;
    switch (link) {
    case 0: return wrap && place == 0 ? c + wide - 1 : c - 1;
    case 1: return wrap && place >= g->nx - 1 ? c + 1 - wide : c + 1;
    case 2: return wrap && place == 0 ? c + high - n : c - n;
    default: return wrap && place >= g->nz - 1 ? c + n - high : c + n;
    }
}

// ---- flow_loose.c: obstacles that the fluid carries ----

struct flow_ward;

// While the room is built: nodes at surfaces. False without memory.
bool flow_find_rubs(struct fluid *f);
void flow_free_loose(struct fluid *f);

// Where there are any: a step begins, with nodes that they hold; they are pushed for dt; friction has been at work; the
// pressure was found; it is over.
void flow_gather_loose(struct fluid *f, double dt);
void flow_begin_loose(struct fluid *f, double dt);
void flow_push_loose(struct fluid *f, double dt);
void flow_yield_loose(struct fluid *f);
void flow_end_loose(struct fluid *f, double dt);

// [m/s], [m/s], [rad/s] of an obstacle when the step began: the fluid's speeds are free of divergence with those.
void flow_began_with(const struct fluid *f, int number, double v[3]);

// Friction of speed `net`, k = nu dt/h^2: by differences of q, which changes d; by lines along an axis, solved to d.
void flow_rub_ahead(const struct fluid *f, int net, float k, const float *q, float *d);
void flow_rub_after(const struct fluid *f, int net, int axis, float k, const float *d);

double flow_strike(struct fluid *f, double dt);

// [m/s] About what the fastest of them will have after the pressure.
double flow_loose_fastest(const struct fluid *f);

// Speeds of cells beside obstacles that throw the fluid back, mirrored where they lead inside.
void flow_mirror(const struct fluid *f, float *u, float *v);

// ---- flow_near.c ----

// Carry what is near obstacles once more, by the ways that the flow has come, which end at solid faces: a speed (net FLOW_U,
// FLOW_V) or `count` scalars that go the same ways, from q to out. Gives back the mass of all others, which may stand in dq.
const float *flow_carry_near(const struct fluid *f, int net, int count, const float *const *q,
                             float *const *out);

// ---- flow_spread.c: viscosity and diffusion ----

// d += k (links to neighbours) of q, ghosts filled.
void flow_spread(struct fluid *f, int net, float k, const float *q, float *d);

// Solve (mass - k L) x = d along x, then along z, in place. The sum of what ends of lines gave: [cells].
double flow_solve_lines(struct fluid *f, int net, float k, float *d);

// ---- flow_step.c ----

double flow_inner(const struct fluid *f, double left);
void flow_step(struct fluid *f, double dt, int count);
bool flow_sound(const struct fluid *f);
void flow_refresh(struct fluid *f);

// Hand rows 0 .. nz to fn.
void flow_rows(const struct fluid *f, rows_fn fn, void *ctx);

// ---- flow_pressure.c ----

// [m/s] The fastest speed now, of fluid and walls; infinite if one is not a number.
double flow_fastest(struct fluid *f);

// Make the speeds free of divergence; `dt` [s] turns what that takes into pressure, 0: it is not kept.
void flow_project(struct fluid *f, double dt);

// The same for blows on loose obstacles, in two halves: find their pressure, false if they move less than
// the next step's may leave; give the speeds a part of it.
bool flow_solve_blows(struct fluid *f);
void flow_correct(struct fluid *f, double dt, double part);

#endif
