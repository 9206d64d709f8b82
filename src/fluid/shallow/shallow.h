// What the files of the shallow-water model share. See shallow.c for the equations.
//
// A model with the same depths and speeds that moves them in its own way (`implicit`) begins its struct with a struct
// shallow and its parameters with a struct shallow_def: then all that is not a step is the same.
#ifndef FLUID_SHALLOW_H
#define FLUID_SHALLOW_H

#include "base/math.h"
#include "fluid/fluid.h"
#include "shallow_rows.h"

enum {
    BOUNDARY_WALL,
    BOUNDARY_OPEN,
    BOUNDARY_PERIODIC,
    BOUNDARY_LEVEL,
    BOUNDARY_DISCHARGE,
    BOUNDARY_WAVEMAKER
};
enum { SHALLOW_CONSERVATIVE, SHALLOW_MACCORMACK, SHALLOW_SEMI_LAGRANGIAN };

struct shallow_boundary {
    double level, discharge, amplitude, period, ramp; // NaN: not given
    int kind;
};

struct shallow_def {
    double size[2];
    double depth, level;
    double manning, courant;
    double acceleration[2], shake_amplitude[2], shake_period;
    double limit_speed, limit_depth, limit_overshoot;
    struct shallow_boundary boundary[4]; // west, east, south, north
    int cells[2];
    int advection, substeps;
};

enum { SHALLOW_BUFFERS = 12 };

struct shallow {
    const struct shallow_kernels *kernels;
    size_t struct_size;              // bytes, of all that this is the first member of
    float *buffers[SHALLOW_BUFFERS]; // the buffers, by the slot they were made with
    float *h, *u, *v;                // state: [m], never negative; [m/s]; ghosts filled unless stale
    float *h_next, *u_next, *v_next; // the next state
    float *h_half, *u_half, *v_half, *flux_x, *flux_z; // scratch of one step
    float *unit_row;                                   // nx + 2 of them
    float *row_max_signal;                             // scratch, per row: fastest signal
    unsigned char *row_loaded;                         // scratch, per row: something presses near it
    unsigned char *row_overdrawn;                      // scratch, per row: a cell gives more than it has
    float quantum;                                     // [m] depths are multiples of it
};

static inline const struct shallow_def *shallow_def_of(const struct fluid *f)
{
    return (const struct shallow_def *)f->params.data;
}

// Where a value stands in its cell.
enum location { CELL_CENTRE, WEST_FACE, SOUTH_FACE };

// Ghosts of a field beyond the west and east ends of row j, and the rows beyond south and north, whole.
void depth_fill_ghost_columns(const struct fluid *f, float *field, enum location stand, int j);
void depth_fill_ghost_rows(const struct fluid *f, float *field, enum location stand);

// All ghosts of a field.
void depth_fill_ghosts(const struct fluid *f, float *field, enum location stand);

// Sides that hold a level: the depth beyond them at time t, given the speeds on their faces.
void shallow_apply_level_boundary(const struct fluid *f, float *h, const float *u, const float *v, double t);

// Sides whose flow is told: the speed on their faces from depths and speeds inside at time t; row j of the west and
// east sides, or the whole of the south and north sides. With tx and tz also what passes them in dt.
void shallow_apply_open_boundary_x(const struct fluid *f, const float *h, float *u, double t, int j,
                                   float *tx, float k);
void shallow_apply_open_boundary_z(const struct fluid *f, const float *h, float *v, double t, float *tz,
                                   float k);

// What left through the sides in the last step [m].
double depth_boundary_outflow(const struct fluid *f);

// Ghosts and fastest signal from the state, which it leaves alone.
void depth_update_derived(struct fluid *f);

// Depths of up to this many quanta have room for waves; twice as many are exact.
#define DEPTH_QUANTA 8388608.0

// Make the quantum fit for the deepest water there is.
void depth_coarsen_quantum(struct fluid *f);

// shallow.c, for any such model
tarn_result depth_check(const struct fluid *f, tarn_error *err); // grid, level, periodic sides
// The grid, the fields and the bed of a model whose struct has this many bytes.
tarn_result depth_create(struct fluid *f, const tarn_world_def *def, size_t size, tarn_error *err);
void depth_destroy(struct fluid *f);
void depth_read_surface(const struct fluid *f, int j, int i0, int i1, float *out);
void depth_read_velocity(const struct fluid *f, int j, int i0, int i1, float *u, float *v);
bool depth_is_wet(const struct fluid *f, int i, int j);
float depth_round(const struct fluid *f, double depth);
float shallow_read_depth(const struct fluid *f, int i, int j, float *mean);
float depth_add_face_velocity(struct fluid *f, int i, int j, int axis, float speed, float most);
void depth_read_surface_rate(const struct fluid *f, int j, int i0, int i1, double *out);
double depth_add_water(struct fluid *f, int j, int i0, int i1, const float *depth, const float *push);
bool depth_raise_bed(struct fluid *f, int j, int i0, int i1, const float *height);
void depth_set_columns(struct fluid *f, const tarn_column *columns);
void depth_compute_totals(const struct fluid *f, struct fluid_totals *out);
void depth_save(struct saver *s, const struct fluid *f);
// Rows of one field; false: a value is impossible.
bool depth_load_rows(struct loader *l, const struct grid *g, float *q, int nx, int nz);
bool depth_load(struct loader *l, struct fluid *f);

// shallow_step.c
double shallow_substep_dt(const struct fluid *f, double left);
void shallow_advance(struct fluid *f, double dt, int count);
bool depth_is_valid(const struct fluid *f);

// Any height in whole quanta; halves to even, so that a mirrored world stays mirrored.
static inline float depth_quantise(const struct shallow *s, double x)
{
    const double magic = 6755399441055744.0; // 1.5 * 2^52
    return (float)(((x / (double)s->quantum + magic) - magic) * (double)s->quantum);
}

#endif
