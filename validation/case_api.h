// Published cases: the functions that a case calls and the report that it fills in.
//
// A case is a folder with README.md (source, claim, reasons of the limits), case.c and possibly table.csv
// (numbers of the source). One line in cases.c registers it. Cases include the public headers only, so their
// results hold for every program that uses the library.
#ifndef VALIDATION_CASE_API_H
#define VALIDATION_CASE_API_H

#include <math.h>
#include <stdbool.h>
#include <tarn/tarn.h>

#define PI      3.14159265358979323846
#define GRAVITY 9.81 // [m/s^2] of all cases and their sources
#define NONE    NAN  // in a report: no value

enum { MAX_ROWS = 32, MAX_CURVES = 8, MAX_WORLDS = 64 };

enum verdict { INFO, PASSED, FAILED };

// One row of the report.
struct report_row {
    char quantity[64];          // its name, with the unit of `computed` and `reference` in brackets
    double computed, reference; // NONE if the quantity is itself an error
    double error, limit;        // NONE: for comparison only
    char unit[16];              // of error and limit
    enum verdict verdict;
};

enum curve_style { CURVE_FILLED, CURVE_REFERENCE, CURVE_COMPUTED, CURVE_SECONDARY };

// One curve of the plot.
struct report_curve {
    char name[48];
    int n;
    double *x, *y;
    enum curve_style style;
};

// A run of a case. It owns the worlds and arrays that it creates until free_case_run().
struct case_run {
    bool long_run; // finer grids, longer times
    struct report_row rows[MAX_ROWS];
    int row_count;
    struct report_curve curves[MAX_CURVES];
    int curve_count;
    const char *x_label, *y_label;
    char error[400]; // message of the first failure; empty: none
    tarn_world *worlds[MAX_WORLDS];
    double *numbers[MAX_WORLDS * 4];
    int world_count, number_count;
    tarn_frame frame;
};

struct validation_case {
    const char *name;
    const char *title;
    bool quick; // also runs without --long
    void (*run)(struct case_run *run);
};

// The table (cases.c). NULL past the last.
const struct validation_case *validation_case_at(int index);

// Run a case into `run`, which needs free_case_run() afterwards.
void run_validation_case(struct case_run *run, const struct validation_case *vcase, bool long_run);
void free_case_run(struct case_run *run);

// ---- functions for cases ---------------------------------------------------------------------------
// The first failure is stored in `error` and fails the case. After it functions that return a pointer return
// NULL, and the case returns; the other functions do nothing.

// A world with the fluid and the bed that it points to.
struct case_def {
    tarn_world_def world; // without these pointers
    tarn_fluid_def fluid;
    tarn_bed_def beds[TARN_MAX_BEDS];
};

// A tank of a model with cells, nx x nz squares of size dx [m]: walls, no bed, otherwise defaults.
struct case_def case_world_def(tarn_fluid_type model, int nx, int nz, double dx);
// The same for the models wave and shallow with a depth [m] and open sides.
struct case_def case_pool_def(tarn_fluid_type model, int nx, int nz, double dx, double depth);
// Add a term with its defaults to the bed.
tarn_bed_def *case_bed(struct case_def *def, tarn_bed_type type);

tarn_world *case_world(struct case_run *run, const struct case_def *def);
void case_emitter(struct case_run *run, tarn_world *world, const tarn_emitter_def *def);
tarn_body_id case_body(struct case_run *run, tarn_world *world, const tarn_body_def *def,
                       const tarn_shape_def *shape);

// The model flow: set all fields from a function of x and y; add an obstacle.
void case_set_flow(struct case_run *run, tarn_world *world, tarn_flow_fn field, void *ctx);
void case_obstacle(struct case_run *run, tarn_world *world, const tarn_obstacle_def *def);
// The fluid at a point.
tarn_flow_sample case_flow_at(struct case_run *run, const tarn_world *world, double x, double y);
// Take steps until the relative change of the energy per second is below `rate`, or until `time` [s]. Returns
// the simulated time [s].
double run_to_steady_state(struct case_run *run, tarn_world *world, double dt, double time, double rate);

// Set height of the surface and velocity of every cell from a function of x and z, at cell centres. A surface
// below the bed makes the cell dry.
typedef tarn_column (*case_field)(const void *self, double x, double z);
void case_set_water(struct case_run *run, tarn_world *world, case_field field, const void *self);

// Take `count` steps of dt, which must be that of the world.
void case_steps(struct case_run *run, tarn_world *world, double dt, int count);

// The present frame. The next call overwrites it.
const tarn_frame *case_frame(struct case_run *run, const tarn_world *world);
double frame_depth(const tarn_frame *frame, size_t cell); // [m]
double frame_x(const tarn_frame *frame, size_t cell);     // [m]
double frame_z(const tarn_frame *frame, size_t cell);     // [m]

// A row of cells through the centre of the domain, along x or z.
struct profile {
    int n;
    double dx;               // [m]
    double *x, *h, *bed, *u; // position, depth, height of the bed, velocity along the row
};
bool case_profile(struct case_run *run, const tarn_world *world, char axis, struct profile *profile);

double *case_alloc(struct case_run *run, int count); // zeroed

// Add a row. It passes if error <= limit and fails for a NaN; without a limit it is for comparison only.
void case_report(struct case_run *run, const char *quantity, double computed, double reference, double error,
                 double limit, const char *unit);

// Add a row for the observed order of convergence. Each grid is twice as fine as the one before it.
void report_order(struct case_run *run, const char *quantity, const double *errors, int count,
                  double reference, double least);

void case_axes(struct case_run *run, const char *x_label, const char *y_label);
void case_curve(struct case_run *run, const char *name, int n, const double *x, const double *y,
                enum curve_style style);

#endif
