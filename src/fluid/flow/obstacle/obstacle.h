// What stands or moves in a flat fluid: outlines or maps of cells, where they are at a time, and the table of kinds.
//
// The fluid asks along which parts of a straight line, level or upright, an obstacle is in its way; nothing else of its
// shape matters to it.
#ifndef FLUID_OBSTACLE_H
#define FLUID_OBSTACLE_H

#include "base/math.h"
#include "base/param.h"

#include "fluid/fluid.h"

struct obstacle_kind {
    tarn_kind kind;
    bool is_bitmap; // cells of a map, which cannot be turned
    tarn_result (*check)(const tarn_obstacle_def *def, tarn_error *err); // may be NULL
    // Corners counter-clockwise about the origin [m]; how many. With `points` NULL only that.
    int (*outline)(const void *def, double (*points)[2]);
};

const struct obstacle_kind *obstacle_kind_at(int index);
extern const tarn_kind placement_kind;

// Where an obstacle is, and how it moves.
struct planar_motion {
    double x, y, angle; // [m], [rad]
    double u, v, spin;  // [m/s], [rad/s]
};

struct obstacle {
    const struct obstacle_kind *kind; // NULL: a loose one
    tarn_obstacle_def def;            // its map is `map`
    double (*points)[2];              // [m] about the origin
    int point_count;
    unsigned char *map; // 1: solid; row by row from below
    struct planar_motion motion;
    // A loose one is where it is put, and the fluid carries it. All per metre of depth.
    double mass, inertia;      // [kg], [kg m^2] about its origin
    double area;               // [m^2] 0: there is none
    double added_mass;         // [kg] of fluid that it takes along, about, as far from walls a disc does
    double radius;             // [m] of a circle, which needs no corners; 0: it is none
    double applied_force[3];   // [N], [N], [N m] that act on it besides the fluid
    double impulse[3];         // [kg m/s], [kg m/s], [kg m^2/s] of a blow, see fluid_kind.strike
    double target_velocity[3]; // [m/s], [m/s], [rad/s] that it should have after that
    bool has_impulse;
};

// All obstacles are numbered from 1: first those that go their own way, then the loose ones.
static inline int solid_count(const struct fluid *f) { return f->obstacle_count + f->body_count; }
static inline struct obstacle *solid_at(const struct fluid *f, int number)
{
    return number <= f->obstacle_count ? &f->obstacles[number - 1]
                                       : &f->bodies[number - 1 - f->obstacle_count];
}

// Parts of a line, each from low to high, in order and apart; and where sides cross it.
struct spans {
    double (*intervals)[2];
    int count, capacity;
    double *crossings;
    int crossing_count, crossing_capacity;
};
void spans_free(struct spans *s, const struct memory *m);
// One more, wherever it lies; those that meet become one. False without memory.
bool spans_insert(struct spans *s, const struct memory *m, double low, double high);

// An obstacle to the end of the fluid's list. What the definition lends is copied.
tarn_result obstacle_add(struct fluid *f, const tarn_obstacle_def *def, tarn_error *err);
void obstacle_remove_last(struct fluid *f); // the last one

// A loose one, in the slot of the caller's choice, and away with it: a circle, or corners, which are copied. False
// without memory.
bool flow_body_set(struct fluid *f, int slot, double radius, const double (*points)[2], int count);
void flow_body_remove(struct fluid *f, int slot);
#define MAX_SOLIDS 4096
void obstacles_free(struct fluid *f);

// Where it is at a time; speeds are those that lead there in the last dt, or on from there where dt is 0.
struct planar_motion obstacle_motion_at(const struct obstacle *o, double time, double dt);
bool obstacle_is_moving(const struct obstacle *o);
// Speeds that lead on from here, as those of obstacles that have just been made or loaded.
void obstacles_reset_motion(struct fluid *f);

// What the obstacle takes of the line x = at (axis 0) or y = at (axis 1) [m]; false without memory.
bool obstacle_scan_line(const struct obstacle *o, const struct memory *m, int axis, double at,
                        struct spans *out);

// Lowest and highest x (axis 0) or y [m].
void obstacle_extent(const struct obstacle *o, int axis, double *low, double *high);

// Corners where they are now; `points` has room for point_count of them.
void obstacle_world_corners(const struct obstacle *o, float *points);

void obstacles_save(struct saver *s, const struct fluid *f);
tarn_result obstacles_load(struct loader *l, struct fluid *f, tarn_error *err);

#endif
