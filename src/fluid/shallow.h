// What the files of the shallow-water model share. See shallow.c for the equations.
//
// A model with the same depths and speeds that moves them in its own way (`implicit`) begins its struct with a struct
// shallow and its parameters with a struct shallow_def: then all that is not a step is the same.
#ifndef FLUID_SHALLOW_H
#define FLUID_SHALLOW_H

#include "base/math.h"
#include "fluid.h"
#include "shallow_rows.h"

enum { SIDE_WALL, SIDE_OPEN, SIDE_PERIODIC, SIDE_LEVEL, SIDE_FLOW, SIDE_WAVEMAKER };
enum { CONSERVATIVE, MACCORMACK, SEMI_LAGRANGIAN };

struct shallow_side {
    double level, discharge, amplitude, period, ramp; // NaN: not given
    int kind;
};

struct shallow_def {
    double size[2];
    double depth, level;
    double friction, courant;
    double acceleration[2], shake[2], shake_period;
    double limit_speed, limit_depth, limit_overshoot;
    struct shallow_side side[4]; // west, east, south, north
    int cells[2];
    int advection, steps;
};

enum { SHALLOW_FIELDS = 12 };

struct shallow {
    const struct shallow_kernels *kernels;
    size_t size;                // bytes, of all that this is the first member of
    float *own[SHALLOW_FIELDS]; // the buffers, by the slot they were made with
    float *h, *u, *v;           // state: [m], never negative; [m/s]; ghosts filled unless stale
    float *h1, *u1, *v1;        // the next state
    float *half_h, *half_u, *half_v, *tx, *tz; // scratch of one step
    float *ones;                               // nx + 2 of them
    float *row_speed;                          // scratch, per row: fastest signal
    unsigned char *row_pressed;                // scratch, per row: something presses near it
    unsigned char *row_poor;                   // scratch, per row: a cell gives more than it has
    float quantum;                             // [m] depths are multiples of it
    bool stale;                                // ghosts and fastest signal are to be found anew
};

static inline const struct shallow_def *shallow_def_of(const struct fluid *f)
{
    return (const struct shallow_def *)f->spec.data;
}

// Where a value stands in its cell.
enum stand { MIDDLE, WEST_FACE, SOUTH_FACE };

// Ghosts of a field beyond the west and east ends of row j, and the rows beyond south and north, whole.
void shallow_ends(const struct fluid *f, float *field, enum stand stand, int j);
void shallow_rims(const struct fluid *f, float *field, enum stand stand);

// All ghosts of a field.
void shallow_ghosts(const struct fluid *f, float *field, enum stand stand);

// Sides that hold a level: the depth beyond them at time t, given the speeds on their faces.
void shallow_hold_levels(const struct fluid *f, float *h, const float *u, const float *v, double t);

// Sides whose flow is told: the speed on their faces from depths and speeds inside at time t; row j of the west and
// east sides, or the whole of the south and north sides. With tx and tz also what passes them in dt.
void shallow_ends_flow(const struct fluid *f, const float *h, float *u, double t, int j, float *tx, float k);
void shallow_rims_flow(const struct fluid *f, const float *h, float *v, double t, float *tz, float k);

// What left through the sides in the last step [m].
double shallow_left(const struct fluid *f);

// Ghosts and fastest signal from the state, which it leaves alone.
void shallow_refresh(struct fluid *f);

// Depths of up to this many quanta have room for waves; twice as many are exact.
#define SHALLOW_SCALE 8388608.0

// Make the quantum fit for the deepest water there is.
void shallow_make_room(struct fluid *f);

// shallow.c, for any such model
tarn_result shallow_check(const struct fluid *f, tarn_error *err); // grid, level, periodic sides
// The grid, the fields and the bed of a model whose struct has this many bytes.
tarn_result shallow_make(struct fluid *f, const tarn_world_def *def, size_t size, tarn_error *err);
void shallow_destroy(struct fluid *f);
void shallow_surface(const struct fluid *f, int j, int i0, int i1, float *out);
void shallow_speed(const struct fluid *f, int j, int i0, int i1, float *u, float *v);
bool shallow_wet(const struct fluid *f, int i, int j);
float shallow_whole(const struct fluid *f, double depth);
float shallow_depth(const struct fluid *f, int i, int j, float *mean);
float shallow_shove(struct fluid *f, int i, int j, int axis, float speed, float most);
void shallow_rising(const struct fluid *f, int j, int i0, int i1, double *out);
double shallow_add(struct fluid *f, int j, int i0, int i1, const float *depth, const float *push);
bool shallow_raise(struct fluid *f, int j, int i0, int i1, const float *height);
void shallow_set(struct fluid *f, const tarn_column *columns);
void shallow_totals(const struct fluid *f, struct fluid_totals *out);
void shallow_save(struct saver *s, const struct fluid *f);
// Rows of one field; false: a value is impossible.
bool shallow_load_rows(struct loader *l, const struct grid *g, float *q, int nx, int nz);
bool shallow_load(struct loader *l, struct fluid *f);

// shallow_step.c
double shallow_inner(const struct fluid *f, double left);
void shallow_step(struct fluid *f, double dt, int count);
bool shallow_sound(const struct fluid *f);

// Any height in whole quanta; halves to even, so that a mirrored world stays mirrored.
static inline float shallow_quanta(const struct shallow *s, double x)
{
    const double magic = 6755399441055744.0; // 1.5 * 2^52
    return (float)(((x / (double)s->quantum + magic) - magic) * (double)s->quantum);
}

#endif
