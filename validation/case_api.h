// Published cases: what a case is given and what it hands back.
//
// A case is a folder: README.md (source, claim, why each limit is what it is), maybe table.csv (numbers of the
// source), case.c. One line in cases.c registers it. Cases see the public headers and nothing else of tarn, so
// what they show holds for every program that uses it.
#ifndef VALIDATION_H
#define VALIDATION_H

#include <math.h>
#include <stdbool.h>
#include <tarn/tarn.h>

#define PI      3.14159265358979323846
#define GRAVITY 9.81 // [m/s^2] of all cases and their sources
#define NONE    NAN  // in a report: there is no such number

enum { VROWS = 32, VCURVES = 8, VKEPT = 64 };

enum verdict { SHOWN, PASSED, FAILED };

// One line of the report.
struct vrow {
    char quantity[64];   // what it is, with the unit of `ours` and `theirs` in brackets
    double ours, theirs; // NONE where the quantity is an error already
    double error, limit; // NONE: only shown
    char unit[16];       // of error and limit
    enum verdict verdict;
};

enum vstyle { STYLE_GROUND, STYLE_REFERENCE, STYLE_OURS, STYLE_OTHER };

// One curve of the picture.
struct vcurve {
    char name[48];
    int n;
    double *x, *y;
    enum vstyle style;
};

// A case at work. Worlds and numbers that it made live until the end of the case.
struct vrun {
    bool thorough; // finer grids, longer times
    struct vrow rows[VROWS];
    int row_count;
    struct vcurve curves[VCURVES];
    int curve_count;
    const char *x_label, *y_label;
    char trouble[400]; // the first thing that went wrong; empty: nothing has
    tarn_world *worlds[VKEPT];
    double *numbers[VKEPT * 4];
    int world_count, number_count;
    tarn_frame frame;
};

struct vcase {
    const char *name;
    const char *title;
    bool quick; // belongs to a run without --long
    void (*run)(struct vrun *run);
};

// The table (cases.c). NULL past the last.
const struct vcase *vcase_at(int index);

// Run a case into `run`, which needs vrun_free() afterwards.
void vrun_case(struct vrun *run, const struct vcase *vcase, bool thorough);
void vrun_free(struct vrun *run);

// ---- what a case calls ----------------------------------------------------------------------------
// A failure is kept in `trouble` and fails the case. Functions that give a pointer give NULL then, and the
// case returns; the others do nothing once there is trouble.

// A tank of the model with nx x nz square cells of size dx [m]: walls, no bed, all else default.
tarn_world_def case_tank(struct vrun *run, const char *model, int nx, int nz, double dx);

// A kind with its defaults, its parameters by name, and parts of the bed.
tarn_spec case_spec(struct vrun *run, const char *room, const char *kind);
void case_set(struct vrun *run, tarn_spec *spec, const char *name, tarn_value value);
tarn_spec *case_bed(struct vrun *run, tarn_world_def *def, const char *kind);

tarn_world *case_world(struct vrun *run, const tarn_world_def *def);
void case_emitter(struct vrun *run, tarn_world *world, const tarn_spec *spec);
tarn_body case_body(struct vrun *run, tarn_world *world, const tarn_body_def *def);

// The model flow: everything from a formula of x and y, and obstacles.
void case_flow(struct vrun *run, tarn_world *world, tarn_flow_field field, void *ctx);
void case_obstacle(struct vrun *run, tarn_world *world, const tarn_obstacle_def *def);
// The fluid at a point.
tarn_flow case_flow_at(struct vrun *run, const tarn_world *world, double x, double y);
// Steps until the energy changes by less than `rate` of itself in a second, or until `time` [s]. How long it took.
double case_settle(struct vrun *run, tarn_world *world, double dt, double time, double rate);

// Height of the surface and velocity in the middle of each cell, from a formula of x and z. A surface below the
// bed is a dry cell.
typedef tarn_column (*case_field)(const void *self, double x, double z);
void case_fill(struct vrun *run, tarn_world *world, case_field field, const void *self);

// Take `count` steps of dt, the world's own.
void case_steps(struct vrun *run, tarn_world *world, double dt, int count);

// The water now. Overwritten by the next call.
const tarn_frame *case_frame(struct vrun *run, const tarn_world *world);
double frame_depth(const tarn_frame *frame, size_t cell); // [m]
double frame_x(const tarn_frame *frame, size_t cell);     // [m]
double frame_z(const tarn_frame *frame, size_t cell);     // [m]

// A line of cells through the middle, along x or z.
struct profile {
    int n;
    double dx;               // [m]
    double *x, *h, *bed, *u; // place, depth, height of the ground, velocity along the line
};
bool case_profile(struct vrun *run, const tarn_world *world, char axis, struct profile *profile);

double *case_numbers(struct vrun *run, int count); // zero

// error <= limit passes, a NaN fails. Without a limit the line is only shown.
void case_report(struct vrun *run, const char *quantity, double ours, double theirs, double error,
                 double limit, const char *unit);

// Observed order from errors on grids that are each twice as fine as the one before.
void case_order(struct vrun *run, const char *quantity, const double *errors, int count, double theirs,
                double least);

void case_axes(struct vrun *run, const char *x_label, const char *y_label);
void case_curve(struct vrun *run, const char *name, int n, const double *x, const double *y,
                enum vstyle style);

#endif
