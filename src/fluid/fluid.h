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
struct cell_rect {
    int i0, i1, j0, j1;
};

// Something that presses on the surface from above and gives way to it: up and down and by tilting, as a stiff thing
// does. Below a surface at eta it fills  b = sum a (eta - y)+  of a column, over its pieces there.
struct surface_load {
    // given
    bool stagnant_below;        // water does not run along under it: it begins to move anew in every step
    int column_count;           // columns under it
    const size_t *cells;        // their cells
    const double *x, *z;        // [m] their middles, from its own
    const int *piece_start;     // pieces of column k: first[k] .. first[k + 1] - 1
    const float *piece_area;    // of a piece, as part of a column; undersides count positive
    const float *piece_height;  // [m] of a piece above level, at the start of the step
    struct plane_displacement { // [m] how far the pieces have risen since they were told: a + b x + c z
        double a, b, c;
    } displacement;
    double free_velocity
        [3]; // [m/s], [rad/s] up, about x and about z at the end of the step, if nothing pressed back
    double mobility[3][3]; // what an impulse [kg m/s], [kg m^2/s] adds to that: symmetric, not negative
    // found by a step
    double impulse[3];                   // that the water gave it
    double *displaced, *displaced_slope; // [m] b of every column, and its derivative by eta
    double *term_values;                 // scratch, 3 for every column
};

// b of column k below a surface at eta [m above level], and its derivative.
static inline double surface_load_displaced(const struct surface_load *p, int k, double eta, double *slope)
{
    double area = 0.0, moment = 0.0;
    for (int n = p->piece_start[k]; n < p->piece_start[k + 1]; ++n) {
        const double wet = (double)p->piece_height[n] < eta ? (double)p->piece_area[n] : 0.0;
        area += wet, moment += wet * (double)p->piece_height[n];
    }
    *slope = area;
    return area * eta - moment;
}

// Totals of the moment.
struct fluid_totals {
    double depth_sum;   // [m] of all columns together: the volume is this times the area of one
    double energy;      // [J] above the flat surface
    tarn_vec3 momentum; // [kg m/s]
    // flat: dye and heat above rest, integrated over the area [m^2, K m^2]; since the start, put in and gone
    double dye, dye_added, dye_out, heat, heat_added, heat_out;
};

// A cell of a flat fluid as it looks in the middle: m/s, K, Pa, 1/s.
struct fluid_cell {
    float u, v, dye, temperature, pressure, vorticity, volume_fraction;
};

// What is put into one cell of a flat fluid.
struct fluid_source {
    double dye, temperature; // added; heat [K]
    double velocity_blend;   // 0 .. 1, part of the way to the given speed that the fluid is taken
    double u, v;             // [m/s]
};

struct fluid_model {
    tarn_kind kind;
    bool supports_bed; // it knows beds that are not flat
    bool no_fluid;     // there is no water, nor will be
    bool
        planar; // a plane seen from the front: no surface, no columns, and what is asked of those is not there
    bool adaptive_substep; // its inner step follows from the state: ask before every one
    bool cannot_diverge;   // and always within its limit: no step goes wrong by itself
    bool solves_loads;     // it finds what pressers do to it and it to them in one
    double potential_lag;  // pushes live this part of an inner step behind the heights
    // Whether currents carry its depth along, under what presses on it too: then it wants to know how that moves. NULL: no.
    bool (*advects_depth)(const struct fluid *f);
    // Whether the parameters fit together; also asked when a live one has changed.
    tarn_result (*check)(const struct fluid *f, tarn_error *err);
    // The grid and everything that belongs to it, from f->spec; the bed from `def`. Frees nothing on failure: destroy does.
    tarn_result (*create)(struct fluid *f, const tarn_world_def *def, tarn_error *err);
    void (*destroy)(struct fluid *f);
    // The next inner step, at most `left`.
    double (*substep_dt)(const struct fluid *f, double left);
    // Take `count` inner steps of length dt.
    void (*advance)(struct fluid *f, double dt, int count);
    // Recompute what follows from the state and from live parameters: ghost cells, boundary values and
    // max_signal_speed. Clears `derived_stale`. NULL: the model has no such data.
    void (*update_derived)(struct fluid *f);
    // False: a value is not finite any more.
    bool (*is_valid)(const struct fluid *f);
    // Surface of cells i0 .. i1-1 of row j above level, whatever presses on it included.
    void (*read_surface)(const struct fluid *f, int j, int i0, int i1, float *out);
    // Speed of the water in the middle of the same cells; u along x, v along z.
    void (*read_velocity)(const struct fluid *f, int j, int i0, int i1, float *u, float *v);
    // Whether there is water in a cell. NULL: everywhere.
    bool (*is_wet)(const struct fluid *f, int i, int j);
    // A depth as the model can hold it. NULL: any.
    float (*round_depth)(const struct fluid *f, double read_depth);
    // Water that can be pushed along. NULL: the model has no momentum of its own.
    // Depth of one cell now, and on average over the last inner step.
    float (*read_depth)(const struct fluid *f, int i, int j, float *mean);
    // Add to the speed at the west (axis 0) or south (axis 1) face of one cell, not beyond `most`. No side of the domain
    // unless periodic. Gives back what was added.
    float (*add_face_velocity)(struct fluid *f, int i, int j, int axis, float read_velocity, float most);
    // Rate of rise of the surface of cells i0 .. i1-1 of row j.
    void (*read_surface_rate)(const struct fluid *f, int j, int i0, int i1, double *out);
    // Add depth [m] and the time integral of a pressure head [m s] to the same cells. Either may be NULL.
    // Gives back the depth really added to all of them together, after rounding.
    double (*add_water)(struct fluid *f, int j, int i0, int i1, const float *read_depth, const float *push);
    // The ground of the same cells goes up [m] and takes its water along, as far as the model can count heights.
    // Gives back whether any of it moved. NULL: the ground is what it is.
    bool (*raise_bed)(struct fluid *f, int j, int i0, int i1, const float *height);
    void (*compute_totals)(const struct fluid *f, struct fluid_totals *out);
    // flat: how a cell looks
    struct fluid_cell (*read_cell)(const struct fluid *f, int i, int j);
    // flat: obstacles have changed; false without memory
    bool (*rebuild_cut_cells)(struct fluid *f);
    // flat: loose obstacles have moved; without memory it is `starved`
    void (*update_cut_cells)(struct fluid *f);
    // flat: give loose obstacles that are `struck` their blow, and the fluid around them what belongs to it. Blows are
    // made larger or smaller, all alike, so that speeds come out as near as can be to what is aimed at: gives back by how
    // much. dt [s]: of the step that they belong to.
    double (*apply_impulses)(struct fluid *f, double dt);
    // flat: what the fluid does to an obstacle
    void (*obstacle_load)(const struct fluid *f, int obstacle, tarn_obstacle_load *out);
    // flat: largest divergence, times the cell size over the fastest speed
    double (*max_divergence)(const struct fluid *f);
    // flat: everything anew
    void (*set_fields)(struct fluid *f, tarn_flow_field field, void *ctx);
    // flat: for one cell, see struct fluid_source
    void (*add_source)(struct fluid *f, int i, int j, const struct fluid_source *s);
    // Surface above level and speed of every cell anew, row by row. NULL: it cannot.
    void (*set_columns)(struct fluid *f, const tarn_column *columns);
    // The model's own state. False: what was loaded is not finite.
    void (*save)(struct saver *s, const struct fluid *f);
    bool (*load)(struct loader *l, struct fluid *f);
};

struct fluid {
    const struct fluid_model *model;
    tarn_spec params; // parameters; live ones are state
    struct memory *memory;
    struct parallel *parallel;
    double gravity;  // [m/s^2]
    double density;  // [kg/m^3]
    double world_dt; // [s] the world's step
    struct grid grid;
    double rest_level;               // [m] flat surface at the start
    double rest_wave_speed;          // [m/s] of long waves at rest
    double max_signal_speed;         // [m/s] signal now
    bool derived_stale;              // the state has changed since update_derived()
    bool periodic_x, periodic_z;     // periodic
    bool is_wall[4];                 // west, east, south, north: nothing passes
    bool unbounded_floor;            // nothing at the sides: the floor goes on
    bool is_closed;                  // no water can leave: no open side
    void *impl;                      // the model's own
    float *bed;                      // [m] cell, above level; NULL: flat at y = 0
    double bed_min;                  // [m] y of the lowest point of the bed
    double dry_depth;                // [m] water that is no deeper does not count as wet
    double external_acceleration[2]; // [m/s^2] along x and z, what acts besides gravity in this inner step

    // state
    double time;      // [s] of the last inner step
    double mean_rise; // [m] evenly, beyond what the columns say
    // depths of all columns together, so that whole quanta add up exactly [m]
    double emitted_depth;   // since the start
    double outflow_depth;   // through open sides
    double displaced_depth; // taken by what was put in
    double initial_depth;   // at the start

    // what presses from above; NULL until something does
    float *load_head;        // [m] cell       couple
    float *covered_fraction; // 0 .. 1, cell   couple
    float *
        load_head_next; // [m] cell, lift at the end of the present inner step      couple, if the model carries
    float *load_head_face[2]; // [m] west and south face, lift there, mean over its way   couple, likewise
    struct cell_rect *loaded_rects; // disjoint      couple
    int loaded_count, loaded_capacity;
    double load_head_sum; // [m] sum of lift

    // what stands or moves in a flat fluid
    struct obstacle *obstacles, *bodies;
    int obstacle_count, obstacle_capacity;
    int body_count, body_capacity; // some but the last may have no area: they are not there
    bool out_of_memory;            // there was no memory to find the room that they leave: no step is taken
    // for a model that solves for them
    struct surface_load *const *surface_loads; // lent for a step         couple
    int surface_load_count;
    float *solved_surface; // [m] cell, surface as it was found last: state; NULL until something presses
    struct low_rank_term *load_terms; // scratch, three for each
    int load_term_capacity;
};

const struct fluid_model *fluid_kind_at(int index);

// Columns must be square.
tarn_result fluid_check_square_cells(const double size[2], const int cells[2], tarn_error *err);

tarn_result fluid_create(struct fluid *f, const tarn_world_def *def, tarn_error *err);
void fluid_free(struct fluid *f);

// Recompute derived data if the state has changed. Every call that changes the world ends with this, so that
// functions with a const fluid never have to write.
static inline void fluid_update_derived(struct fluid *f)
{
    if (f->derived_stale) f->model->update_derived(f);
}

// Whether it wants to know how what presses on it moves.
static inline bool fluid_advects_depth(const struct fluid *f)
{
    return f->model->advects_depth && f->model->advects_depth(f);
}

// Room for lift and cover and so many that press. False without memory.
bool fluid_reserve_loads(struct fluid *f, int pressers);

// Add a Gaussian hump: depth [m] and push [m s] in the middle, falling as exp(-(r/radius)^2), and book it as
// emitted.
void fluid_add_gaussian(struct fluid *f, double x, double z, double radius, double depth, double push);

// A column or row number inside the grid, wrapped on periodic sides; -1 outside.
int fluid_wrap_column(const struct fluid *f, int i);
int fluid_wrap_row(const struct fluid *f, int j);

// Surface above level and speed at a point, bilinear between cell centres.
struct surface_sample {
    double surface; // [m] above level
    double bed;     // [m] of the bed above level
    double slope_x, slope_z;
    double u, v, surface_rate; // [m/s]
};
double fluid_bed_at(const struct fluid *f, double x, double z, double slope[2]); // [m] above level
struct surface_sample fluid_sample_surface(const struct fluid *f, double x, double z);
bool fluid_contains(const struct fluid *f, double x, double z);

void fluid_save(struct saver *s, const void *f);
tarn_result fluid_load(struct loader *l, struct fluid *f, tarn_error *err);

#endif
