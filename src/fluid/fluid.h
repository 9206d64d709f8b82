// The fluid and the interfaces of its models.
//
// A model belongs to one of two families and fills the table of that family: struct height_field_model
// water as columns with one free surface: `wave`, `shallow`, `implicit`, `ocean`,
//                               `none`
//   struct planar_model         incompressible flow in a vertical plane, 1 m deep: `flow`
// struct fluid_model holds what both have in common. world/step.c selects the family once in a step.
//
// Heights are stored as deviations from `rest_level`, the height of the still surface at the start, so that
// floats keep their precision at any altitude. Floating bodies load the surface from above: `load_head` is
// the head [m] that they add to a column, `covered_fraction` the fraction of the column under them;
// src/couple writes both. They are zero outside `loaded_rects`. A model that advects its depth also reads the
// load head expected at the end of the present substep and the mean load head at the faces.
#ifndef FLUID_FLUID_H
#define FLUID_FLUID_H

#include "base/grid.h"
#include "base/parallel/parallel.h"
#include "base/param.h"
#include "base/save.h"

#include <tarn/tarn.h>

struct fluid;
struct obstacle;

// Cells i0 <= i < i1, j0 <= j < j1.
struct cell_rect {
    int i0, i1, j0, j1;
};

// ---- loads of the implicit model ------------------------------------------------------------------

// A rigid body on the surface with heave, roll and pitch as unknowns of the substep. Below a surface at eta
// it displaces  b = sum a (eta - y)+  of a column, summed over the pieces of its hull there.
struct surface_load {
    // input
    bool stagnant_below;        // penalty coupling: fluxes below start from zero in every substep
    int column_count;           // columns under the body
    const size_t *cells;        // their cells
    const double *x, *z;        // [m] their centres, from the body's centre
    const int *piece_start;     // pieces of column k: piece_start[k] .. piece_start[k + 1] - 1
    const float *piece_area;    // fraction of a column; faces that look down count positive
    const float *piece_height;  // [m] above rest_level, at the start of the substep
    struct plane_displacement { // [m] rise of the pieces since piece_height was written: a + b x + c z
        double a, b, c;
    } displacement;
    double free_velocity
        [3]; // [m/s], [rad/s] heave, roll, pitch at the end of the substep without water pressure
    double mobility[3][3]; // change of that by a unit impulse [kg m/s], [kg m^2/s]: symmetric, semidefinite
    // output
    double impulse[3];                   // [kg m/s], [kg m^2/s] of the water on the body
    double *displaced, *displaced_slope; // [m] b of every column, and db/deta
    double *term_values;                 // scratch, 3 for every column
};

// b of column k below a surface at eta [m above rest_level], and its derivative.
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

// ---- both families --------------------------------------------------------------------------------

struct fluid_totals {
    double depth_sum;   // [m] sum of all depths: the volume is this times the area of a cell
    double energy;      // [J] above the still surface
    tarn_vec3 momentum; // [kg m/s]
    // planar: integrals over the area [m^2], [K m^2] now, added since the start, left since the start
    double dye, dye_added, dye_outflow, heat, heat_added, heat_outflow;
};

// A field that a model stores as one array: offset + scale * values[grid_at(&grid, i, j) - grid_at(&grid, 0,
// 0)].
struct stored_field {
    const float *values; // of cell (0, 0); NULL: not stored
    double scale, offset;
};

struct fluid_model {
    tarn_kind kind;
    const struct height_field_model *height_field; // exactly one of these two is not NULL
    const struct planar_model *planar;
    bool no_fluid;         // `none`: a dry floor
    bool adaptive_substep; // the substep depends on the state: call substep_dt() before each
    bool cannot_diverge;   // linear and always within its stability limit
    // Whether the parameters fit together; called again when a live one has changed.
    tarn_result (*check)(const struct fluid *f, tarn_error *err);
    // Allocates and initialises the model from f->def, the bed from `def`. After a failure destroy()
    // frees.
    tarn_result (*create)(struct fluid *f, const tarn_world_def *def, tarn_error *err);
    void (*destroy)(struct fluid *f);
    // Length of the next substep [s], at most `time_left`.
    double (*substep_dt)(const struct fluid *f, double time_left);
    void (*advance)(struct fluid *f, double dt, int count); // `count` substeps of length dt
    // Recompute what follows from the state and from live parameters: ghost cells, boundary values and
    // max_signal_speed; clears derived_stale. NULL: the model never sets derived_stale.
    void (*update_derived)(struct fluid *f);
    bool (*is_valid)(const struct fluid *f); // false: a value is not finite, or far too fast
    void (*compute_totals)(const struct fluid *f, struct fluid_totals *out);
    // Fields of cells and faces but the bed; those at faces with one more value along x or z. NULL: none is
    // stored.
    struct stored_field (*stored_field)(const struct fluid *f, tarn_field field);
    // Velocity [m/s] of the west (axis 0) or south (axis 1) face of a cell, that of the last cell's east or
    // north face included. Walls and solids keep theirs. NULL: the model has no velocities at faces.
    void (*set_face_velocity)(struct fluid *f, int axis, int i, int j, float velocity);
    void (*save)(struct saver *s, const struct fluid *f);
    bool (*load)(struct loader *l, struct fluid *f); // false: a loaded value is impossible
};

// ---- height fields --------------------------------------------------------------------------------

// [m] Depths of cells at the end and at the start of the last substep, which a model may treat as equal.
struct depth_fields {
    const float *now, *before; // by grid_at()
};

// Models with a velocity at every face (`shallow`, `implicit`).
struct height_field_momentum {
    struct depth_fields (*depth_fields)(const struct fluid *f);
    // Add `change` [m/s] to the velocity of the west (axis 0) or south (axis 1) face of a cell, up to the
    // speed `limit`. The face is not at a boundary unless that is periodic. Returns the change made.
    float (*add_face_velocity)(struct fluid *f, int i, int j, int axis, float change, float limit);
};

// Models whose bed and columns can be changed between steps (`shallow`, `implicit`).
struct height_field_edit {
    // Raise the bed of cells i0 .. i1-1 of row j [m] together with its water, as far as heights can be
    // represented. Returns whether any cell changed.
    bool (*raise_bed)(struct fluid *f, int j, int i0, int i1, const float *height);
    // Set the bed of many cells: first make room for heights between two values [m above rest_level] and for
    // water as deep as `deepest` [m], which returns the depth that rounding adds [m]; then every cell; then
    // the end, which derives what follows from the bed. Depths do not change.
    double (*begin_bed)(struct fluid *f, double lowest, double highest, double deepest);
    void (*set_bed)(struct fluid *f, int i, int j, double height);
    void (*end_bed)(struct fluid *f);
    void (*set_columns)(struct fluid *f, const tarn_column *columns); // surface and velocity of every cell
};

struct height_field_model {
    bool supports_bed;     // beds that are not flat
    bool can_fall_dry;     // cells may be dry
    bool is_prescribed;    // the motion of the water is given: nothing changes it
    bool can_advect_depth; // advects_depth() is true for some parameters
    bool solves_loads;     // surface loads are unknowns of a substep
    double potential_lag;  // [substeps] by which head impulses lag behind the heights (leapfrog: 0.5)
    bool (*advects_depth)(const struct fluid *f); // fluxes advect the depth, the load head included
    bool (*is_wet)(const struct fluid *f, int i, int j);
    float (*round_depth)(const struct fluid *f, double depth); // to a depth that the model can represent
    // Cells i0 .. i1-1 of row j: surface [m] above rest_level, load head included; velocity [m/s] at the
    // centre; rate of rise of the surface [m/s].
    void (*read_surface)(const struct fluid *f, int j, int i0, int i1, float *eta);
    void (*read_velocity)(const struct fluid *f, int j, int i0, int i1, float *u, float *v);
    void (*read_surface_rate)(const struct fluid *f, int j, int i0, int i1, double *rate);
    // Vertical acceleration [m/s^2] of the water at the surface of a cell; NULL unless the water is
    // prescribed.
    double (*read_acceleration)(const struct fluid *f, int i, int j);
    // Add depth [m] and head impulse [m s] to the same cells; either may be NULL. Returns the sum of the
    // depths added, after rounding.
    double (*add_water)(struct fluid *f, int j, int i0, int i1, const float *depth,
                        const float *head_impulse);
    const struct height_field_momentum *momentum; // NULL: potential flow
    const struct height_field_edit *edit;         // NULL: fixed bed
};

// Entries for models that do not advect their depth, are wet everywhere, or represent every depth.
bool height_field_never_advects(const struct fluid *f);
bool height_field_always_wet(const struct fluid *f, int i, int j);
float height_field_exact_depth(const struct fluid *f, double depth);

// ---- planar flow ----------------------------------------------------------------------------------

// Values at the centre of a cell: m/s, K, Pa, 1/s.
struct fluid_cell {
    float u, v, dye, temperature, pressure, vorticity, volume_fraction;
};

// A source in one cell.
struct fluid_source {
    double dye, temperature; // added; [K]
    double velocity_blend;   // 0 .. 1: u += blend (u_source - u)
    double u, v;             // [m/s]
};

struct planar_model {
    struct fluid_cell (*read_cell)(const struct fluid *f, int i, int j);
    double (*max_divergence)(const struct fluid *f); // times cell size over largest speed
    void (*obstacle_load)(const struct fluid *f, int obstacle, tarn_obstacle_load *out);
    bool (*rebuild_cut_cells)(struct fluid *f); // obstacles were added or removed; false without memory
    // Bodies have moved: rebuild, and initialise fresh cells. Sets out_of_memory.
    void (*update_cut_cells)(struct fluid *f);
    // Apply the impulses of all bodies with has_impulse to body and fluid together: a projection with the
    // body velocities as unknowns. All impulses are scaled by one factor, so that the velocities come closest
    // to target_velocity; returns the factor. dt [s]: the substep that they belong to.
    double (*apply_impulses)(struct fluid *f, double dt);
    void (*set_fields)(struct fluid *f, tarn_flow_fn field, void *ctx); // of every cell
    void (*add_source)(struct fluid *f, int i, int j, const struct fluid_source *s);
};

struct profile;

// ---- the fluid ------------------------------------------------------------------------------------

struct fluid {
    const struct fluid_model *model;
    void *impl;         // struct wave, shallow, implicit or flow
    tarn_fluid_def def; // live parameters are state; its arrays are `rows`
    double *rows;       // copies of the arrays that the definition borrowed
    size_t row_numbers;
    struct memory *memory;
    struct parallel *parallel;
    struct profile *profile; // may be NULL
    double gravity;          // [m/s^2]
    double density;          // [kg/m^3]
    double world_dt;         // [s] world step
    struct grid grid;
    bool periodic_x, periodic_z;
    bool is_wall[4];         // west, east, south, north
    double max_signal_speed; // [m/s] derived
    bool derived_stale;      // the state has changed since update_derived()
    bool out_of_memory;      // the cut cells could not be built: no step is possible
    double time;             // state: [s] end of the last substep

    // height fields
    double rest_level;               // [m] still surface at the start
    double rest_wave_speed;          // [m/s] long waves at rest
    bool unbounded_floor;            // `none`: the floor extends beyond the grid
    bool is_closed;                  // no open boundary
    float *bed;                      // [m] cell, above rest_level; NULL: flat at y = 0
    double bed_min;                  // [m] y of the lowest point of the bed
    double dry_depth;                // [m] cells that are not deeper are dry
    double external_acceleration[2]; // [m/s^2] along x and z in this substep, besides gravity
    double wavenumber; // [1/m] mean wavenumber of prescribed waves, by which motion and pressure decay with
                       // depth; 0: long waves
    tarn_ocean_source host_ocean; // of the model `ocean`
    double mean_rise;             // state: [m] uniform rise besides the columns
    // state: sums of the depths of all columns [m], so that whole quanta add up exactly
    double emitted_depth;   // by emitters and edits, since the start
    double outflow_depth;   // through open boundaries
    double displaced_depth; // by inserted bodies
    double initial_depth;
    // loads of floating bodies, written by src/couple; NULL without bodies
    float *load_head;               // [m] cell
    float *covered_fraction;        // 0 .. 1, cell
    float *load_head_next;          // [m] cell, expected at the end of the present substep; only if advected
    float *load_head_face[2];       // [m] west and south face, mean over the substep; only if advected
    struct cell_rect *loaded_rects; // disjoint
    int loaded_count, loaded_capacity;
    double load_head_sum; // state: [m] load head of all columns
    // implicit
    struct surface_load *const *surface_loads; // borrowed for one substep
    int surface_load_count;
    float *solved_surface;            // state: [m] cell, surface of the last solution; NULL without bodies
    struct low_rank_term *load_terms; // scratch, three for each load
    int load_term_capacity;

    // planar
    struct obstacle *obstacles, *bodies; // prescribed motion; dynamic
    int obstacle_count, obstacle_capacity;
    bool weakly_coupled;           // bodies: tarn_world_def.coupling is TARN_COUPLING_WEAK
    double weak_force_factor;      // weakly coupled: factor of the forces of the fluid
    int body_count, body_capacity; // slots; one without area is empty, the last has area
};

const struct fluid_model *fluid_kind_at(int index);

static inline bool fluid_model_supports_bed(const struct fluid_model *m)
{
    return m->height_field && m->height_field->supports_bed;
}
static inline bool fluid_model_solves_loads(const struct fluid_model *m)
{
    return m->height_field && m->height_field->solves_loads;
}
static inline bool fluid_has_editable_columns(const struct fluid *f)
{
    return f->model->height_field && f->model->height_field->edit;
}

tarn_result fluid_check_square_cells(tarn_vec2 size, const int cells[2], tarn_error *err);

tarn_result fluid_create(struct fluid *f, const tarn_world_def *def, tarn_error *err);
void fluid_free(struct fluid *f);

// Recompute derived data if the state has changed. Every call that changes the world ends with this, so that
// functions with a const fluid never have to write.
static inline void fluid_update_derived(struct fluid *f)
{
    if (f->derived_stale) f->model->update_derived(f);
}

void fluid_save(struct saver *s, const void *f);
tarn_result fluid_load(struct loader *l, struct fluid *f, tarn_error *err);

// A column or row number inside the grid, wrapped at periodic boundaries; -1 outside.
int fluid_wrap_column(const struct fluid *f, int i);
int fluid_wrap_row(const struct fluid *f, int j);
bool fluid_contains(const struct fluid *f, double x, double z);

// ---- helpers for height fields --------------------------------------------------------------------

static inline bool fluid_advects_depth(const struct fluid *f)
{
    return f->model->height_field->advects_depth(f);
}

// [m] Depth of a cell, of a model that has momentum.
static inline float fluid_depth(const struct fluid *f, int i, int j)
{
    return f->model->height_field->momentum->depth_fields(f).now[grid_at(&f->grid, i, j)];
}

// Allocate the load fields for so many bodies. False without memory.
bool fluid_reserve_loads(struct fluid *f, int body_count);

// Add a Gaussian: depth [m] and head impulse [m s] times exp(-(r/radius)^2), and count it as emitted.
void fluid_add_gaussian(struct fluid *f, double x, double z, double radius, double depth,
                        double head_impulse);

// Values at a point, bilinear between cell centres.
struct surface_sample {
    double surface; // [m] above rest_level
    double bed;     // [m] above rest_level
    double slope_x, slope_z;
    double u, v, surface_rate; // [m/s]
};
double fluid_bed_at(const struct fluid *f, double x, double z, double slope[2]); // [m] above rest_level
struct surface_sample fluid_sample_surface(const struct fluid *f, double x, double z);

#endif
