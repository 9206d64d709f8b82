// Solids of the planar model: outlines, bitmaps and discs, the motion of obstacles, and the table of obstacle
// kinds.
//
// The flow needs the intersections of a solid with horizontal and vertical lines only (obstacle_scan_line()).
#ifndef FLUID_OBSTACLE_H
#define FLUID_OBSTACLE_H

#include "base/id.h"
#include "base/math/math.h"
#include "base/param.h"

#include "fluid/fluid.h"

struct obstacle_kind {
    tarn_kind kind; // its struct is a tarn_obstacle_def
    bool is_bitmap; // a bitmap; it can neither rotate nor move
    tarn_result (*check)(const tarn_obstacle_def *def, tarn_error *err); // may be NULL
    // Writes the corners in order about the origin [m], and returns their number. `points` may be NULL.
    int (*outline)(const tarn_obstacle_def *def, double (*points)[2]);
};

const struct obstacle_kind *obstacle_kind_at(int index);
extern const tarn_kind placement_kind; // what all kinds have: name, boundary and motion of the definition

// Position and velocity of a solid.
struct planar_motion {
    double x, y, angle; // [m], [rad]
    double u, v, spin;  // [m/s], [rad/s]
};

// What the fluid has given to an obstacle in the present world step, per metre of depth.
struct obstacle_impulse {
    double total[3], shear[2]; // [kg m/s], [kg m/s], [kg m^2/s]
    double time;               // [s]
};

// An obstacle (prescribed motion) or a body (moved by the fluid).
struct obstacle {
    const struct obstacle_kind *kind; // NULL: a body
    tarn_obstacle_def def;            // its arrays are the three that follow
    double (*points)[2];              // [m] about the origin
    int point_count;
    unsigned char *map;       // not 0: solid; row by row from below
    tarn_waypoint *waypoints; // of the path
    struct planar_motion motion;
    // [kg m/s], [kg m/s], [kg m^2/s] per metre of depth, in this substep: of viscosity; of advection.
    double shear_impulse[3], flux_impulse[3];
    struct obstacle_impulse from_fluid; // obstacles only
    // Bodies only; all per metre of depth.
    double mass, inertia;      // [kg], [kg m^2] about its origin
    double area;               // [m^2] 0: the slot is empty
    double added_mass;         // [kg] estimate of the added mass, see balance_rows() in body_jacobian.c
    double radius;             // [m] of a disc, which has no corners; 0: it has an outline
    double applied_force[3];   // [N], [N], [N m] of everything but the fluid
    double impulse[3];         // [kg m/s], [kg m/s], [kg m^2/s] pending, of contacts and joints
    double target_velocity[3]; // [m/s], [m/s], [rad/s] after the impulse, by the contact solver
    bool has_impulse;
};

// Solids are numbered from 1: obstacles first, then body slots.
static inline int solid_count(const struct fluid *f) { return f->obstacle_count + f->body_count; }
static inline struct obstacle *solid_at(const struct fluid *f, int solid_id)
{
    return solid_id <= f->obstacle_count ? &f->obstacles[solid_id - 1]
                                         : &f->bodies[solid_id - 1 - f->obstacle_count];
}

// Disjoint intervals of a line in ascending order, and scratch for the crossings of edges with it.
struct spans {
    double (*intervals)[2];
    int count, capacity;
    double *crossings;
    int crossing_count, crossing_capacity;
};
void spans_free(struct spans *s, const struct memory *m);
// Adds an interval, merged with those that it touches; order is not kept. False without memory.
bool spans_insert(struct spans *s, const struct memory *m, double low, double high);

// Obstacles are never removed, so that their slots have no second use.
static inline tarn_obstacle_id obstacle_id(int index)
{
    return (tarn_obstacle_id){id_value((uint32_t)index, 1)};
}

// Append an obstacle; the data that the definition points to are copied.
tarn_result obstacle_add(struct fluid *f, const tarn_obstacle_def *def, tarn_error *err);
void obstacle_remove_last(struct fluid *f);
// Prescribe a motion from f->time on, and rebuild the cut cells. After a failure the old motion remains.
tarn_result obstacle_set_motion(struct fluid *f, struct obstacle *o, const tarn_obstacle_motion *motion,
                                tarn_error *err);
static inline size_t bitmap_cells(const tarn_obstacle_def *def)
{
    return (size_t)def->bitmap.nx * (size_t)def->bitmap.ny;
}

// Set the shape of a body slot, a disc or an outline whose corners are copied (false without memory); and
// empty a slot.
bool flow_body_set(struct fluid *f, int slot, double radius, const double (*points)[2], int count);
void flow_body_remove(struct fluid *f, int slot);
#define MAX_SOLIDS 4096 // obstacles, and bodies
void obstacles_free(struct fluid *f);

// Position at a time, and the velocity that led there in the last dt; with dt = 0 the velocity that leads on.
struct planar_motion obstacle_motion_at(const struct obstacle *o, double time, double dt);
bool obstacle_is_moving(const struct obstacle *o);
// Present velocities of all obstacles and no loads, as after creating or loading them.
void obstacles_reset_motion(struct fluid *f);

// Intervals of the line x = at (axis 0) or y = at (axis 1) [m] inside the solid. False without memory.
bool obstacle_scan_line(const struct obstacle *o, const struct memory *m, int axis, double at,
                        struct spans *out);

// Bounds along x (axis 0) or y [m]; low > high for an empty slot.
void obstacle_extent(const struct obstacle *o, int axis, double *low, double *high);

// Corners at the present position; `points` has space for 2 * point_count values.
void obstacle_world_corners(const struct obstacle *o, float *points);

// obstacle_save.c: the checkpoint.
void obstacles_save(struct saver *s, const struct fluid *f);
tarn_result obstacles_load(struct loader *l, struct fluid *f, tarn_error *err);

#endif
