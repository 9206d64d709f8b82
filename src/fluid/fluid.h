// What every fluid model gives to the rest of the house, and the table of models. All but `flow` are height fields.
//
// Heights are deviations from `level`, the height of the flat surface at the start, so that floats keep
// their precision, on a mountain too. Something may press on the surface from above: `lift` is the height it adds to a
// column, `cover` the part of the column it covers. Both are zero outside the pressed rectangles, and so is what a model
// that carries water along is told besides: the lift that is to be expected at the end of the present inner step, and what
// of it passes the faces.
#ifndef FLUID_FLUID_H
#define FLUID_FLUID_H

#include "base/grid.h"
#include "base/parallel.h"
#include "base/param.h"
#include "base/save.h"

#include <tarn/tarn.h>

struct fluid;
struct obstacle;

// Cells i0 <= i < i1, j0 <= j < j1.
struct rect {
    int i0, i1, j0, j1;
};

// Something that presses on the surface from above and gives way to it: up and down and by tilting, as a stiff thing
// does. Below a surface at eta it fills  b = sum a (eta - y)+  of a column, over its pieces there.
struct presser {
    // given
    bool still;           // water does not run along under it: it begins to move anew in every step
    int count;            // columns under it
    const size_t *at;     // their cells
    const double *x, *z;  // [m] their middles, from its own
    const int *first;     // pieces of column k: first[k] .. first[k + 1] - 1
    const float *area;    // of a piece, as part of a column; undersides count positive
    const float *height;  // [m] of a piece above level, at the start of the step
    struct presser_tilt { // [m] how far the pieces have risen since they were told: a + b x + c z
        double a, b, c;
    } risen;
    double rate[3]; // [m/s], [rad/s] up, about x and about z at the end of the step, if nothing pressed back
    double yields[3][3]; // what an impulse [kg m/s], [kg m^2/s] adds to that: symmetric, not negative
    // found by a step
    double impulse[3];    // that the water gave it
    double *fill, *slope; // [m] b of every column, and its derivative by eta
    double *row;          // scratch, 3 for every column
};

// b of column k below a surface at eta [m above level], and its derivative.
static inline double presser_fill(const struct presser *p, int k, double eta, double *slope)
{
    double area = 0.0, moment = 0.0;
    for (int n = p->first[k]; n < p->first[k + 1]; ++n) {
        const double wet = (double)p->height[n] < eta ? (double)p->area[n] : 0.0;
        area += wet, moment += wet * (double)p->height[n];
    }
    *slope = area;
    return area * eta - moment;
}

// Totals of the moment.
struct fluid_totals {
    double depth;       // [m] of all columns together: the volume is this times the area of one
    double energy;      // [J] above the flat surface
    tarn_vec3 momentum; // [kg m/s]
    // flat: dye and heat above rest, integrated over the area [m^2, K m^2]; since the start, put in and gone
    double dye, dye_in, dye_out, heat, heat_in, heat_out;
};

// A cell of a flat fluid as it looks in the middle: m/s, K, Pa, 1/s.
struct fluid_cell {
    float u, v, dye, heat, pressure, vorticity, open;
};

// What is put into one cell of a flat fluid.
struct fluid_source {
    double dye, heat; // added; heat [K]
    double pull;      // 0 .. 1, part of the way to the given speed that the fluid is taken
    double u, v;      // [m/s]
};

struct fluid_kind {
    tarn_kind kind;
    bool terrain; // it knows beds that are not flat
    bool empty;   // there is no water, nor will be
    bool flat; // a plane seen from the front: no surface, no columns, and what is asked of those is not there
    bool varying; // its inner step follows from the state: ask before every one
    bool linear;  // and always within its limit: no step goes wrong by itself
    bool solves;  // it finds what pressers do to it and it to them in one
    double late;  // pushes live this part of an inner step behind the heights
    // Whether currents carry its depth along, under what presses on it too: then it wants to know how that moves. NULL: no.
    bool (*carries)(const struct fluid *f);
    // Whether the parameters fit together; also asked when a live one has changed.
    tarn_result (*check)(const struct fluid *f, tarn_error *err);
    // The grid and everything that belongs to it, from f->spec; the bed from `def`. Frees nothing on failure: destroy does.
    tarn_result (*create)(struct fluid *f, const tarn_world_def *def, tarn_error *err);
    void (*destroy)(struct fluid *f);
    // The next inner step, at most `left`.
    double (*inner)(const struct fluid *f, double left);
    // Take `count` inner steps of length dt.
    void (*step)(struct fluid *f, double dt, int count);
    // False: a value is not finite any more.
    bool (*sound)(const struct fluid *f);
    // Surface of cells i0 .. i1-1 of row j above level, whatever presses on it included.
    void (*surface)(const struct fluid *f, int j, int i0, int i1, float *out);
    // Speed of the water in the middle of the same cells; u along x, v along z.
    void (*speed)(const struct fluid *f, int j, int i0, int i1, float *u, float *v);
    // Whether there is water in a cell. NULL: everywhere.
    bool (*wet)(const struct fluid *f, int i, int j);
    // A depth as the model can hold it. NULL: any.
    float (*whole)(const struct fluid *f, double depth);
    // Water that can be pushed along. NULL: the model has no momentum of its own.
    // Depth of one cell now, and on average over the last inner step.
    float (*depth)(const struct fluid *f, int i, int j, float *mean);
    // Add to the speed at the west (axis 0) or south (axis 1) face of one cell, not beyond `most`. No side of the domain
    // unless periodic. Gives back what was added.
    float (*shove)(struct fluid *f, int i, int j, int axis, float speed, float most);
    // Rate of rise of the surface of cells i0 .. i1-1 of row j.
    void (*rising)(const struct fluid *f, int j, int i0, int i1, double *out);
    // Add depth [m] and the time integral of a pressure head [m s] to the same cells. Either may be NULL.
    // Gives back the depth really added to all of them together, after rounding.
    double (*add)(struct fluid *f, int j, int i0, int i1, const float *depth, const float *push);
    // The ground of the same cells goes up [m] and takes its water along, as far as the model can count heights.
    // Gives back whether any of it moved. NULL: the ground is what it is.
    bool (*raise)(struct fluid *f, int j, int i0, int i1, const float *height);
    void (*totals)(const struct fluid *f, struct fluid_totals *out);
    // flat: how a cell looks
    struct fluid_cell (*cell)(const struct fluid *f, int i, int j);
    // flat: obstacles have changed; false without memory
    bool (*build)(struct fluid *f);
    // flat: loose obstacles have moved; without memory it is `starved`
    void (*follow)(struct fluid *f);
    // flat: give loose obstacles that are `struck` their blow, and the fluid around them what belongs to it. Blows are
    // made larger or smaller, all alike, so that speeds come out as near as can be to what is aimed at: gives back by how
    // much. dt [s]: of the step that they belong to.
    double (*strike)(struct fluid *f, double dt);
    // flat: what the fluid does to an obstacle
    void (*load_of)(const struct fluid *f, int obstacle, tarn_obstacle_load *out);
    // flat: largest divergence, times the cell size over the fastest speed
    double (*divergence)(const struct fluid *f);
    // flat: everything anew
    void (*fill)(struct fluid *f, tarn_flow_field field, void *ctx);
    // flat: for one cell, see struct fluid_source
    void (*source)(struct fluid *f, int i, int j, const struct fluid_source *s);
    // Surface above level and speed of every cell anew, row by row. NULL: it cannot.
    void (*set)(struct fluid *f, const tarn_column *columns);
    // The model's own state. False: what was loaded is not finite.
    void (*save)(struct saver *s, const struct fluid *f);
    bool (*load)(struct loader *l, struct fluid *f);
};

struct fluid {
    const struct fluid_kind *kind;
    tarn_spec spec; // parameters; live ones are state
    struct memory *memory;
    struct parallel *parallel;
    double gravity; // [m/s^2]
    double density; // [kg/m^3]
    double dt;      // [s] the world's step
    struct grid g;
    double level;        // [m] flat surface at the start
    double speed;        // [m/s] of long waves at rest
    double fastest;      // [m/s] signal now
    bool wrap_x, wrap_z; // periodic
    bool wall[4];        // west, east, south, north: nothing passes
    bool endless;        // nothing at the sides: the floor goes on
    bool closed;         // no water can leave: no open side
    void *self;          // the model's own
    float *bed;          // [m] cell, above level; NULL: flat at y = 0
    double base;         // [m] y of the lowest point of the bed
    double dry;          // [m] water that is no deeper does not count as wet
    double pull[2];      // [m/s^2] along x and z, what acts besides gravity in this inner step

    // state
    double time; // [s] of the last inner step
    double rise; // [m] evenly, beyond what the columns say
    // depths of all columns together, so that whole quanta add up exactly [m]
    double emitted; // since the start
    double out;     // through open sides
    double placed;  // taken by what was put in
    double start;   // at the start

    // what presses from above; NULL until something does
    float *lift;    // [m] cell       couple
    float *cover;   // 0 .. 1, cell   couple
    float *next;    // [m] cell, lift at the end of the present inner step      couple, if the model carries
    float *pass[2]; // [m] west and south face, lift there, mean over its way   couple, likewise
    struct rect *pressed; // disjoint      couple
    int pressed_count, pressed_capacity;
    double lifted; // [m] sum of lift

    // what stands or moves in a flat fluid
    struct obstacle *obstacles, *loose;
    int obstacle_count, obstacle_room;
    int loose_count, loose_room; // some but the last may have no area: they are not there
    bool starved;                // there was no memory to find the room that they leave: no step is taken
    // for a model that solves for them
    struct presser *const *pressers; // lent for a step         couple
    int presser_count;
    float *head;               // [m] cell, surface as it was found last: state; NULL until something presses
    struct linear_term *terms; // scratch, three for each
    int term_room;
};

const struct fluid_kind *fluid_kind_at(int index);

// Columns must be square.
tarn_result fluid_check_grid(const double size[2], const int cells[2], tarn_error *err);

tarn_result fluid_create(struct fluid *f, const tarn_world_def *def, tarn_error *err);
void fluid_free(struct fluid *f);

// Whether it wants to know how what presses on it moves.
static inline bool fluid_carries(const struct fluid *f) { return f->kind->carries && f->kind->carries(f); }

// Room for lift and cover and so many that press. False without memory.
bool fluid_allow_press(struct fluid *f, int pressers);

// Add a Gaussian hump: depth [m] and push [m s] in the middle, falling as exp(-(r/radius)^2), and book it as
// emitted.
void fluid_pour(struct fluid *f, double x, double z, double radius, double depth, double push);

// A column or row number inside the grid, wrapped on periodic sides; -1 outside.
int fluid_column(const struct fluid *f, int i);
int fluid_row(const struct fluid *f, int j);

// Surface above level and speed at a point, bilinear between cell centres.
struct fluid_point {
    double height; // [m] above level
    double ground; // [m] of the bed above level
    double slope_x, slope_z;
    double u, v, rising; // [m/s]
};
double fluid_ground(const struct fluid *f, double x, double z, double slope[2]); // [m] above level
struct fluid_point fluid_sample(const struct fluid *f, double x, double z);
bool fluid_inside(const struct fluid *f, double x, double z);

void fluid_save(struct saver *s, const void *f);
tarn_result fluid_load(struct loader *l, struct fluid *f, tarn_error *err);

#endif
