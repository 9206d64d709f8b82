// Published cases: what a case is given and what it hands back.
//
// A case is a folder: README.md (source, claim, why each limit is what it is), maybe table.csv (numbers of
// the source), case.c. One line in cases.c registers it. Cases see the public headers and nothing else of
// tarn, so what they show holds for every program that uses it.
#ifndef VALIDATION_H
#define VALIDATION_H

#include <math.h>
#include <stdbool.h>
#include <tarn/tarn.h>

#define PI      3.14159265358979323846
#define GRAVITY 9.81 // [m/s^2] of all cases and their sources
#define NONE    NAN  // in a report: there is no such number

enum { MAX_ROWS = 32, MAX_CURVES = 8, MAX_WORLDS = 64 };

enum verdict { INFO, PASSED, FAILED };

// One line of the report.
struct report_row {
    char quantity[64];          // what it is, with the unit of `computed` and `reference` in brackets
    double computed, reference; // NONE where the quantity is an error already
    double error, limit;        // NONE: only shown
    char unit[16];              // of error and limit
    enum verdict verdict;
};

enum curve_style { CURVE_FILLED, CURVE_REFERENCE, CURVE_COMPUTED, CURVE_SECONDARY };

// One curve of the picture.
struct report_curve {
    char name[48];
    int n;
    double *x, *y;
    enum curve_style style;
};

// A case at work. Worlds and numbers that it made live until the end of the case.
struct case_run {
    bool long_run; // finer grids, longer times
    struct report_row rows[MAX_ROWS];
    int row_count;
    struct report_curve curves[MAX_CURVES];
    int curve_count;
    const char *x_label, *y_label;
    char error[400]; // the first thing that went wrong; empty: nothing has
    tarn_world *worlds[MAX_WORLDS];
    double *numbers[MAX_WORLDS * 4];
    int world_count, number_count;
    tarn_frame frame;
};

struct validation_case {
    const char *name;
    const char *title;
    bool quick; // belongs to a run without --long
    void (*run)(struct case_run *run);
};

// The table (cases.c). NULL past the last.
const struct validation_case *validation_case_at(int index);

// Run a case into `run`, which needs free_case_run() afterwards.
void run_validation_case(struct case_run *run, const struct validation_case *vcase, bool long_run);
void free_case_run(struct case_run *run);

// ---- what a case calls ----------------------------------------------------------------------------
// A failure is kept in `error` and fails the case. Functions that give a pointer give NULL then, and the
// case returns; the others do nothing once there is trouble.

// A tank of the model with nx x nz square cells of size dx [m]: walls, no bed, all else default.
tarn_world_def case_world_def(struct case_run *run, const char *model, int nx, int nz, double dx);

// A kind with its defaults, its parameters by name, and parts of the bed.
tarn_spec case_spec(struct case_run *run, const char *room, const char *kind);
void case_set(struct case_run *run, tarn_spec *spec, const char *name, tarn_value value);
tarn_spec *case_bed(struct case_run *run, tarn_world_def *def, const char *kind);

tarn_world *case_world(struct case_run *run, const tarn_world_def *def);
void case_emitter(struct case_run *run, tarn_world *world, const tarn_emitter_def *def);
tarn_body_id case_body(struct case_run *run, tarn_world *world, const tarn_body_def *def,
                       const tarn_shape_def *shape);

// The model flow: everything from a formula of x and y, and obstacles.
void case_set_flow(struct case_run *run, tarn_world *world, tarn_flow_fn field, void *ctx);
void case_obstacle(struct case_run *run, tarn_world *world, const tarn_obstacle_def *def);
// The fluid at a point.
tarn_flow_sample case_flow_at(struct case_run *run, const tarn_world *world, double x, double y);
// Steps until the energy changes by less than `rate` of itself in a second, or until `time` [s]. How long it
// took.
double run_to_steady_state(struct case_run *run, tarn_world *world, double dt, double time, double rate);

// Height of the surface and velocity in the middle of each cell, from a formula of x and z. A surface below
// the bed is a dry cell.
typedef tarn_column (*case_field)(const void *self, double x, double z);
void case_set_water(struct case_run *run, tarn_world *world, case_field field, const void *self);

// Take `count` steps of dt, the world's own.
void case_steps(struct case_run *run, tarn_world *world, double dt, int count);

// The water now. Overwritten by the next call.
const tarn_frame *case_frame(struct case_run *run, const tarn_world *world);
double frame_depth(const tarn_frame *frame, size_t cell); // [m]
double frame_x(const tarn_frame *frame, size_t cell);     // [m]
double frame_z(const tarn_frame *frame, size_t cell);     // [m]

// A line of cells through the middle, along x or z.
struct profile {
    int n;
    double dx;               // [m]
    double *x, *h, *bed, *u; // place, depth, height of the ground, velocity along the line
};
bool case_profile(struct case_run *run, const tarn_world *world, char axis, struct profile *profile);

double *case_alloc(struct case_run *run, int count); // zero

// error <= limit passes, a NaN fails. Without a limit the line is only shown.
void case_report(struct case_run *run, const char *quantity, double computed, double reference, double error,
                 double limit, const char *unit);

// Observed order from errors on grids that are each twice as fine as the one before.
void report_order(struct case_run *run, const char *quantity, const double *errors, int count,
                  double reference, double least);

void case_axes(struct case_run *run, const char *x_label, const char *y_label);
void case_curve(struct case_run *run, const char *name, int n, const double *x, const double *y,
                enum curve_style style);

#endif
