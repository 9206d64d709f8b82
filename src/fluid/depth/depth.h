// Depth-averaged water on a staggered grid, shared by the models `shallow` and `implicit`: state, ghost
// cells, edits, queries and checkpoint. A model's struct begins with struct depth_state; its files add the
// substep.
#ifndef FLUID_DEPTH_H
#define FLUID_DEPTH_H

#include "base/math/math.h"
#include "depth_rows.h"
#include "fluid/fluid.h"

enum { DEPTH_BUFFERS = 12 };

struct depth_state {
    const struct depth_kernels *kernels;
    size_t struct_size;            // bytes of the model's struct
    float *buffers[DEPTH_BUFFERS]; // allocations of the fields below and of the bed
    // state; ghost cells are valid unless derived_stale
    float *h;      // [m] cell, >= 0
    float *u, *v;  // [m/s] west, south face
    float quantum; // [m] depths, beds and fluxes are multiples of it
    // scratch of a substep
    float *h_next;                // next depth; between substeps the previous one
    float *u_next, *v_next;       // next velocity
    float *flux_x, *flux_z;       // [m] through a face in the substep
    float *scratch[3];            // for the model
    float *row_max_signal;        // [m/s] per row: largest signal speed
    unsigned char *row_overdrawn; // per row: the outflow of a cell exceeds its depth
};

static inline const tarn_shallow_def *shallow_def_of(const struct fluid *f) { return &f->def.shallow; }

// The parameters that both models have are read through tarn_shallow_def: C allows that for the common initial
// sequence of two members of a union.
#define DEPTH_SAME_PLACE(member) \
    _Static_assert(offsetof(tarn_shallow_def, member) == offsetof(tarn_implicit_def, member), #member)
DEPTH_SAME_PLACE(size);
DEPTH_SAME_PLACE(cells);
DEPTH_SAME_PLACE(depth);
DEPTH_SAME_PLACE(level);
DEPTH_SAME_PLACE(acceleration);
DEPTH_SAME_PLACE(shake);

_Static_assert((int)TARN_WAVE_WALL == (int)TARN_BOUNDARY_WALL, "one numbering");
_Static_assert((int)TARN_WAVE_OPEN == (int)TARN_BOUNDARY_OPEN, "one numbering");
_Static_assert((int)TARN_WAVE_PERIODIC == (int)TARN_BOUNDARY_PERIODIC, "one numbering");

static inline tarn_boundary_type depth_boundary_type(const struct fluid *f, int side)
{
    return f->def.type == TARN_FLUID_IMPLICIT ? (tarn_boundary_type)f->def.implicit.boundary[side]
                                              : f->def.shallow.boundary[side].type;
}

// Where a value is located in its cell.
enum location { CELL_CENTRE, WEST_FACE, SOUTH_FACE };

// depth.c
extern const char *const depth_boundary_keys[4];                 // of parameters, for messages
tarn_result depth_check(const struct fluid *f, tarn_error *err); // cells, rest level, periodic boundaries
// Grid, fields and bed of a model whose struct has `size` bytes.
tarn_result depth_create(struct fluid *f, const tarn_world_def *def, size_t size, tarn_error *err);
void depth_destroy(struct fluid *f);
void depth_read_surface(const struct fluid *f, int j, int i0, int i1, float *out);
void depth_read_velocity(const struct fluid *f, int j, int i0, int i1, float *u, float *v);
void depth_read_surface_rate(const struct fluid *f, int j, int i0, int i1, double *out);
bool depth_is_wet(const struct fluid *f, int i, int j);
void depth_compute_totals(const struct fluid *f, struct fluid_totals *out);
struct stored_field depth_stored_field(const struct fluid *f, tarn_field field);
void depth_update_derived(struct fluid *f); // ghost cells and max_signal_speed
void depth_update_max_signal(struct fluid *f);
bool depth_is_valid(const struct fluid *f);
// External acceleration of the substep; derived data; a coarser quantum if the water is too deep for the
// present.
void depth_begin_substep(struct fluid *f, double dt);
// Rows 0 .. nz: the last one has the north faces.
void depth_for_face_rows(const struct fluid *f, row_range_fn fn, void *ctx);
void depth_save(struct saver *s, const struct fluid *f);
bool depth_load(struct loader *l, struct fluid *f);
// Rows of one field; false: a value is impossible.
bool depth_load_rows(struct loader *l, const struct grid *g, float *q, int nx, int nz);

// depth_edit.c
float depth_add_face_velocity(struct fluid *f, int i, int j, int axis, float change, float limit);
void depth_set_face_velocity(struct fluid *f, int axis, int i, int j, float velocity);
double depth_add_water(struct fluid *f, int j, int i0, int i1, const float *depth, const float *head_impulse);
extern const struct height_field_edit depth_edit;

// depth_quantum.c
#define DEPTH_QUANTA 8388608.0 // quanta of the depth scale; twice as many are exact
float depth_choose_quantum(const struct fluid *f, double highest_bed);
void depth_set_quantum(struct fluid *f, float quantum); // and the depth of dry cells that follows from it
float depth_round(const struct fluid *f, double depth);
// Make the quantum fit for the deepest column, or for a given depth. Depths are rounded again, surfaces
// first, so that level water stays level; the second returns the depth that this adds [m], the first counts
// it as emitted.
void depth_coarsen_quantum(struct fluid *f);
double depth_coarsen_quantum_to(struct fluid *f, double depth);

// depth_boundary.c
// Ghost cells of a field: west and east of row j; the rows south and north; all.
void depth_fill_ghost_columns(const struct fluid *f, float *field, enum location location, int j);
void depth_fill_ghost_rows(const struct fluid *f, float *field, enum location location);
void depth_fill_ghosts(const struct fluid *f, float *field, enum location location);
double depth_boundary_outflow(const struct fluid *f); // [m] in the last substep

// x rounded to whole quanta; halves to even, so that mirror-symmetric worlds stay so.
static inline double depth_round_to_quanta(const struct depth_state *s, double x)
{
    const double bias = 6755399441055744.0; // 1.5 * 2^52: adding and subtracting it rounds to integers
    return ((x / (double)s->quantum + bias) - bias) * (double)s->quantum;
}

static inline float depth_quantise(const struct depth_state *s, double x)
{
    return (float)depth_round_to_quanta(s, x);
}

#endif
